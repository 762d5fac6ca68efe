# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The files of man/examples, each run as the program would that it is for
load helpers

setup() {
	note_less
	cd "$BATS_TEST_TMPDIR" || return
}

EXAMPLES=$ROOT/man/examples

# need PROGRAM PACKAGE
need() {
	command -v "$1" >/dev/null || skip "needs $1: apt-get install --no-install-recommends $2"
}

# answer STATUS TEXT: from here on "mrctl stat --host" ends with STATUS, and prints TEXT; its words are noted
answer() {
	mkdir -p "$BATS_TEST_TMPDIR/bin"
	printf '#!/bin/sh\necho "$@" >>%q\ncase "$*" in *--quiet*) ;; *) echo %q ;; esac\nexit %d\n' \
		"$BATS_TEST_TMPDIR/words" "$2" "$1" >"$BATS_TEST_TMPDIR/bin/mrctl"
	chmod 755 "$BATS_TEST_TMPDIR/bin/mrctl"
	PATH=$BATS_TEST_TMPDIR/bin:$PATH
}

# node REASON: from here on scontrol shows a node that was drained for REASON, and notes what it is told to update
node() {
	printf '#!/bin/sh\ncase "$*" in *"show node"*) echo "NodeName=$4 State=IDLE %s" ;; *) echo "$@" >>%q ;; esac\n' \
		"${1:+Reason=$1}" "$BATS_TEST_TMPDIR/updates" >"$BATS_TEST_TMPDIR/bin/scontrol"
	chmod 755 "$BATS_TEST_TMPDIR/bin/scontrol"
	: >"$BATS_TEST_TMPDIR/updates"
}

# Slurm gives a prolog its environment only: SLURM_JOB_ID, SLURMD_NODENAME and others (slurm.conf(5))
slurm() {
	run --separate-stderr env -i PATH="$PATH" SLURM_JOB_ID=7 SLURM_JOB_USER=u SLURMD_NODENAME=n1 "$EXAMPLES/slurm/$1"
}

@test "slurm: the prolog fails on a node that is not ready, the task prolog warns the user and never fails" {
	answer 0 "12 ok"
	slurm prolog.sh
	succeeded && [ -z "$output$stderr" ]
	slurm task-prolog.sh
	succeeded && [ -z "$output" ]
	answer 1 "MR-MEMLOCK: 64 KiB"
	slurm prolog.sh
	[ "$status" -eq 1 ] && [[ $stderr == "mrctl: MR-MEMLOCK: 64 KiB" ]] || fail "$status $stderr"
	slurm task-prolog.sh
	succeeded && [ "$output" = "print mrctl: MR-MEMLOCK: 64 KiB" ]
}

@test "slurm: the prologs and the real mrctl agree about this host" {
	real=0
	mrctl stat --host >/dev/null || real=$?
	slurm prolog.sh
	[ "$status" -eq "$real" ] || fail "$status, not $real: $stderr"
	require_nobody
	succeeded as_nobody prlimit --memlock=4096 env PATH="$PATH" sh -c \
		"$(cat "$EXAMPLES/slurm/task-prolog.sh")"
	[[ $output == "print mrctl: "*MR-MEMLOCK* ]] || fail "$output" "$stderr"
}

@test "slurm: the health check drains a node, and resumes only what it drained itself" {
	# unknown is no reason for either
	while IFS='|' read -r answered reason update; do
		answer "$answered" "MR-MEMLOCK: 64 KiB"
		node "$reason"
		slurm health-check.sh
		[ "$(cat "$BATS_TEST_TMPDIR/updates")" = "$update" ] || fail "$answered, $reason" || return
	done <<-'END'
		1||update NodeName=n1 State=DRAIN Reason=mrctl: MR-MEMLOCK: 64 KiB
		1|disk is broken|
		0|disk is broken|
		0|mrctl: MR-MEMLOCK: 64 KiB [slurm@2026-01-01]|update NodeName=n1 State=RESUME
		2||
		2|mrctl: x|
	END
}

@test "clush groups the nodes with equal answers" {
	need clush clustershell
	export CLUSH='-R exec' MRCTL=mrctl
	run --separate-stderr "$EXAMPLES/clush.sh" 'n[1-3]'
	grep -qx 'n\[1-3\] (3)' <<<"$output" || fail "$output" "$stderr"
	[ "$(grep -c '^n' <<<"$output")" -eq 1 ] || fail "$output"
	[[ $output == *MR-MEMLOCK* ]]
	exits 2 "$EXAMPLES/clush.sh"
}

@test "nhc: each line is a check whose command has the status that it asks for" {
	checks=0
	while IFS= read -r line; do
		[[ $line == [!#]* ]] || continue
		[[ $line =~ ^[a-z]*\*\ \|\|\ check_cmd_status\ -t\ [0-9]+\ -r\ ([0-9]+)\ /usr/local/bin/(mrctl\ .*)$ ]] || fail "$line"
		status_wanted=${BASH_REMATCH[1]} command=${BASH_REMATCH[2]}
		answer 0 ""
		run bash -c "$command"
		[ "$status" -eq "$status_wanted" ]
		PATH=${PATH#"$BATS_TEST_TMPDIR/bin:"}
		# the real one knows the options
		run --separate-stderr bash -c "$command"
		[ "$status" -le 1 ] && [ -z "$output" ] || fail "$status $output $stderr"
		checks=$((checks + 1))
	done <"$EXAMPLES/nhc.conf"
	[ "$checks" -eq 2 ]
}

# bats test_tags=slow
@test "ansible: the playbook passes where no check is bad, and names those that are" {
	need ansible-playbook ansible-core
	export ANSIBLE_LOCALHOST_WARNING=false ANSIBLE_HOME=$BATS_TEST_TMPDIR/ansible ANSIBLE_NOCOLOR=1
	# without the prefix of PATH, ansible would look for its own python
	answer 0 '{"checks":[{"id":"MR-MEMLOCK","verdict":"ok"},{"id":"MR-CMA","verdict":"n/a"}]}'
	run ansible-playbook -i localhost, -c local -e mrctl=mrctl "$EXAMPLES/ansible.yml"
	[ "$status" -eq 0 ] || fail "$output"
	answer 1 '{"checks":[{"id":"MR-MEMLOCK","verdict":"bad"},{"id":"MR-CMA","verdict":"ok"}]}'
	run ansible-playbook -i localhost, -c local -e mrctl=mrctl "$EXAMPLES/ansible.yml"
	[ "$status" -ne 0 ] && [[ $output == *MR-MEMLOCK* && $output != *MR-CMA* ]] || fail "$output"
	[ "$(sort -u "$BATS_TEST_TMPDIR/words")" = "--json stat --host" ]
	# the real document has these members
	mrctl --json stat --host | jq -e '.checks | all(has("id") and has("verdict"))' >/dev/null
}

@test "kubernetes: the init container has the capability and limits of the application" {
	/usr/bin/python3 -c 'import yaml' 2>/dev/null || skip "needs apt-get install python3-yaml"
	run /usr/bin/python3 -c 'import json, sys, yaml; print(json.dumps(yaml.safe_load(open(sys.argv[1]))))' \
		"$EXAMPLES/kubernetes/init-container.yaml"
	json '.kind == "Pod" and (.spec.initContainers[0] as $i | .spec.containers[0] |
		.securityContext == $i.securityContext and .resources == $i.resources)'
	read -ra words < <(jq -r '.spec.initContainers[0].command | join(" ")' <<<"$output")
	run --separate-stderr "${words[@]}"
	[ "$status" -le 1 ] && [[ $output == *MR-MEMLOCK* ]] || fail "$status $stderr"
}

@test "kubernetes: node-problem-detector gets a status that it knows, and a short line" {
	run jq -c . "$EXAMPLES/kubernetes/node-problem-detector.json"
	json '.plugin == "custom" and (.rules[0].condition == .conditions[0].type)'
	length=$(jq .pluginConfig.max_output_length <<<"$output")
	path=$(jq -r '.rules[0].path' <<<"$output")
	readarray -t words < <(jq -r '.rules[0].args[]' <<<"$output")
	[ "${path##*/}" = mrctl ]
	run --separate-stderr mrctl "${words[@]}"
	[ "$status" -le 2 ] && [ "${#lines[@]}" -eq 1 ] && [ "${#output}" -le "$length" ] || fail "$status $output"
}

@test "systemd: the metrics are whole files, and nothing else is left" {
	dir=$BATS_TEST_TMPDIR/textfiles
	mkdir "$dir"
	succeeded "${SIM[@]}" "$EXAMPLES/systemd/mrctl-metrics.sh" "$dir"
	[ "$(cd "$dir" && find . -type f | sort | tr '\n' ' ')" = './mrctl-device.prom ./mrctl-host.prom ' ] || fail "$(ls -a "$dir")"
	for file in "$dir"/*.prom; do
		[ "$(tail -n 1 "$file")" = '# EOF' ] && [ "$(stat -c %a "$file")" = 644 ]
	done
	# what cannot be made leaves the former file as it was
	cp "$dir/mrctl-host.prom" "$BATS_TEST_TMPDIR/former"
	answer 2 "half a"
	run "$EXAMPLES/systemd/mrctl-metrics.sh" "$dir" host
	[ "$status" -eq 1 ] && cmp "$dir/mrctl-host.prom" "$BATS_TEST_TMPDIR/former"
	[ "$(find "$dir" -type f | wc -l)" -eq 2 ]
}

@test "systemd: the units are accepted, and the drop-in lifts the limit" {
	units=$BATS_TEST_TMPDIR/units
	need systemd-analyze systemd
	mkdir -p "$units/mrctl-metrics.service.d" "$BATS_TEST_TMPDIR/bin"
	cp "$EXAMPLES"/systemd/*.service "$EXAMPLES"/systemd/*.timer "$units/"
	cp "$EXAMPLES/systemd/memlock.conf" "$units/mrctl-metrics.service.d/"
	run systemd-analyze verify --man=no "$units/mrctl-metrics.service" "$units/mrctl-metrics.timer"
	[[ $output != *"$units"*:* && $output != *nknown* && $output != *memlock* ]] || fail "$output"
	# a wrong line would be seen
	echo 'LimitMEMLOCK=much' >>"$units/mrctl-metrics.service.d/memlock.conf"
	run systemd-analyze verify --man=no "$units/mrctl-metrics.service"
	[[ $output == *memlock.conf* ]] || fail "$output"
}

@test "prometheus: the alerts fire for a bad check, for few regions left, and for old metrics" {
	need promtool prometheus
	succeeded promtool check rules "$EXAMPLES/prometheus/alerts.yml"
	cat >alerts.test.yml <<-END
		rule_files: [$EXAMPLES/prometheus/alerts.yml]
		tests:
		  - interval: 1m
		    input_series:
		      - series: 'mrctl_host_check{instance="a",id="MR-MEMLOCK",verdict="bad"}'
		        values: 1x60
		      - series: 'mrctl_host_check{instance="a",id="MR-CMA",verdict="ok"}'
		        values: 1x60
		      - series: 'mrctl_device_mr_used{instance="a",device="mlx5_0"}'
		        values: 95x60
		      - series: 'mrctl_device_mr_max{instance="a",device="mlx5_0"}'
		        values: 100x60
		      - series: 'node_textfile_mtime_seconds{instance="a",file="/var/lib/x/mrctl-host.prom"}'
		        values: 0x60
		    promql_expr_test:
		      - expr: count by (alertname) (ALERTS{alertstate="firing"})
		        eval_time: 5m
		        exp_samples: []
		      - expr: count by (alertname) (ALERTS{alertstate="firing"})
		        eval_time: 30m
		        exp_samples:
		          - {labels: '{alertname="RdmaRegionsNearlyExhausted"}', value: 1}
		          - {labels: '{alertname="RdmaRegistrationCheckBad"}', value: 1}
		          - {labels: '{alertname="RdmaRegistrationMetricsStale"}', value: 1}
	END
	succeeded promtool test rules alerts.test.yml
	# mrctl has metrics of these names, or could have them on another device
	mrctl stat --host --format openmetrics | grep -q '^mrctl_host_check{id="[^"]*",.*verdict="'
	"${SIM[@]}" mrctl stat --device --format openmetrics | grep -q '^mrctl_device_mr_max{device="'
}

# bats test_tags=slow
@test "sos: the plugin collects a report of the simulated HCA, which is read again" {
	/usr/bin/python3 -c 'import sos.policies.debian' 2>/dev/null || skip "needs sos: apt-get install --no-install-recommends sosreport"
	[ "$(id -u)" -eq 0 ] || skip "sos runs as root alone"
	mkdir out
	# sos has a PATH of its own, and looks for plugins in its package alone
	run "${SIM[@]}" /usr/bin/python3 -B -c 'if True:
		import os, sys, sos.report.plugins
		from sos import SoS
		from sos.policies.debian import DebianPolicy
		sos.report.plugins.__path__.insert(0, sys.argv.pop(1))
		DebianPolicy.PATH = os.environ["PATH"]
		SoS(sys.argv[1:]).execute()' "$EXAMPLES/sos" report --batch --only-plugins mrctl --tmp-dir "$PWD/out" -z gzip
	[ "$status" -eq 0 ] || fail "$output"
	tar xzf out/*.tar.gz --strip-components=2 --wildcards '*/sos_commands/mrctl/*'
	[ "$(echo mrctl/mrctl_*)" = "mrctl/mrctl_--verbose_stat_--device mrctl/mrctl_report \
mrctl/mrctl_stat_--system_--by_process_--top_50" ] || fail "$output" "$(ls mrctl)"
	grep -q "^name: *$(device)$" mrctl/mrctl_--verbose_stat_--device
	succeeded mrctl -j report --read mrctl/mrctl_report
	json '.judged_again == [] and .devices.devices[0].name == $device and (.host.checks | any(.id == "MR-MEMLOCK"))' \
		--arg device "$(device)"
}

@test "packages: the recipes name the version, and what the build requires" {
	version=$(sed -n 's/^VERSION := //p' "$ROOT/Makefile")
	grep -qF "version(\"$version\")" "$EXAMPLES/spack/package.py"
	grep -qF "mrctl-$version.tar.gz" "$EXAMPLES/spack/package.py"
	grep -qF "mrctl-$version-GCC" "$EXAMPLES/easybuild/mrctl.eb"
	grep -qx "version = '$version'" "$EXAMPLES/easybuild/mrctl.eb"
	need python3 python3
	python3 -c 'import ast, sys; [ast.parse(open(file).read()) for file in sys.argv[1:]]' \
		"$EXAMPLES/spack/package.py" "$EXAMPLES/easybuild/mrctl.eb" "$EXAMPLES/sos/mrctl.py"
	for package in libcjson-dev libdw-dev libibverbs-dev libmnl-dev libsmartcols-dev; do
		grep -q "^ *$package,\$" "$ROOT/debian/control" && grep -qw "$package" "$EXAMPLES/easybuild/mrctl.eb" &&
			grep -qw "$package" "$EXAMPLES/container/Containerfile" || fail "$package"
	done
}

# install_examples PREFIX: below $tree
install_examples() {
	make -s -C "$ROOT" -o all install BUILD="$BUILD" DESTDIR="$tree" PREFIX="$1" >/dev/null
}

@test "all examples are installed, find mrctl where it was installed, and are uninstalled" {
	tree=$BATS_TEST_TMPDIR/tree prefix=/usr/local
	examples=$tree$prefix/share/doc/mrctl/examples
	install_examples "$prefix"
	diff -r "$EXAMPLES" "$examples"
	[ -x "$examples/slurm/prolog.sh" ]
	[ ! -x "$examples/nhc.conf" ]
	make -s -C "$ROOT" uninstall BUILD="$BUILD" DESTDIR="$tree" PREFIX=$prefix
	[ -z "$(find "$tree" ! -type d)" ]
	tree='' prefix=$BATS_TEST_TMPDIR/prefix
	examples=$prefix/share/doc/mrctl/examples
	install_examples "$prefix"
	[ "$(jq -r '.rules[].path' "$examples/kubernetes/node-problem-detector.json")" = "$prefix/bin/mrctl" ]
	grep -q -- "-r 0 $prefix/bin/mrctl stat" "$examples/nhc.conf"
	# /usr/local/sbin is where an administrator puts a script
	run ! grep -r /usr/local/bin "$examples"
	# as Slurm runs a program: without PATH
	for file in slurm/prolog.sh slurm/task-prolog.sh; do
		run --separate-stderr env -i "$examples/$file"
		[[ $status -le 1 && $output$stderr != *"not found"* ]] || fail "$file: $status $output" "$stderr"
	done
	mkdir "$BATS_TEST_TMPDIR/metrics"
	succeeded env -i "$examples/systemd/mrctl-metrics.sh" "$BATS_TEST_TMPDIR/metrics" host
	[ -s "$BATS_TEST_TMPDIR/metrics/mrctl-host.prom" ]
}
