#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# stat --host: what is printed, the choice of checks, exit statuses, recordings

load helpers
load hosts

# on VERDICT [OPTION...]: `run`s the check that has this verdict, alone, on a recorded host; sets ID
on() {
	local name
	local -A at=([ok]="healthy MR-MEMLOCK" [warn]="rootless MR-MEMLOCK" [bad]="cgroup-rdma-full MR-CGROUP-RDMA"
		[unknown]="no-proc-no-sys MR-MAP-COUNT" [n/a]="healthy MR-IPC-LOCK")

	read -r name ID <<<"${at[$1]}"
	run --separate-stderr mrctl stat --host --root "$(host_folder "$name")" --only "$ID" "${@:2}"
}

# everywhere COMMAND...: runs it for recorded hosts, with the name and the folder of each as the last arguments
everywhere() {
	local name

	for name in healthy poor-hca rootless cgroup-job gpu memlock-lowered no-proc-no-sys; do
		"$@" "$name" "$(host_folder "$name")" || return
	done
}

# The text has a line with each check's verdict and id, below the name of its group, and a sum at the end.
text_is_complete() {
	local text rows

	text=$(COLUMNS=80 mrctl -v stat --host --root "$2") || [ $? -eq 1 ]
	rows=$(mrctl -n -o verdict,id,group stat --host --root "$2") || [ $? -eq 1 ]
	[ "$(awk '/^[a-z]/ { group = $0 } /^  [a-zA-Z\/]+ +MR-/ { gsub(/ /, "\\x20", group); print tolower($1), $2, group }' <<<"$text")" = \
		"$rows" ] || fail "$1: $text"
	[[ $text =~ $'\n\n'"$(wc -l <<<"$rows") checks: "([^$'\n']*) ]] || fail "$1: no sum: $text" || return
	# shellcheck disable=SC2001 # an expression
	[ "$(sed 's/, /\n/g' <<<"${BASH_REMATCH[1]}" | sort)" = \
		"$(cut -d' ' -f1 <<<"$rows" | sort | uniq -c | sed 's/^ *//' | sort)" ] || fail "$1: $text"
}

# bats test_tags=slow
@test "the text has each check in its group, and a sum that is right" {
	everywhere text_is_complete
}

# differ DIR: gives the recorded host other addresses, numbers of nodes, and use of what has no say in a verdict
differ() {
	local path

	grep -rlIF 0000:c1:00.0 "$1" | xargs -r sed -i 's/0000:c1:00\.0/0000:5e:00.1/g'
	while read -r path; do
		mv "$path" "${path%/*}/$(sed 's/0000:c1:00\.0/0000:5e:00.1/; s/^uverbs0/uverbs7/' <<<"${path##*/}")"
	done < <(find "$1" -depth \( -name '0000:c1:00.0*' -o -name 'uverbs0*' \))
	find "$1" -path '*/ALLOC_UAR/*' -type f -exec sed -i 's/^[1-9][0-9]*$/7&/' {} +
	sed -i -E 's/^(MemFree|MemAvailable|Committed_AS)(: +)(.*)[0-9]{4} kB/\1\2\34321 kB/' "$1/proc/meminfo"
	! [ -e "$1/calls/mappings.answer" ] || echo 63 >"$1/calls/mappings.answer"
}

# bats test_tags=slow
@test "hosts that differ in addresses, numbers of nodes and use have equal texts" {
	dir=$BATS_TEST_TMPDIR/host
	for name in healthy poor-hca iommu-translation node-reserved; do
		host_make "$name" "$dir"
		text=$(mrctl stat --host --root "$dir") || [ $? -eq 1 ]
		differ "$dir"
		run --separate-stderr mrctl stat --host --root "$dir"
		[ "$output" = "$text" ] || fail "$name" "$(diff <(echo "$text") <(echo "$output"))" || return
		[[ $output != *5e:00* ]] || fail "$name: an address" || return
		rm -r "$dir"
	done
}

@test "only a terminal sees colours, unless NO_COLOR is set" {
	escape=$'\e'
	command -v script >/dev/null || skip "script is not installed"
	command="mrctl stat --host --root $(host_folder healthy)"
	export TERM=xterm
	unset NO_COLOR
	[[ $(script -qec "$command" /dev/null) == *"${escape}[32mok"* ]]
	[[ $($command) == *ok*MR-* && $($command) != *"$escape"* ]]
	export NO_COLOR=1
	[[ $(script -qec "$command" /dev/null) == *ok*MR-* && $(script -qec "$command" /dev/null) != *"$escape"* ]]
}

# The document has all checks, in the order of the table, and a summary that counts them.
document_is_complete() {
	local failed=false

	run --separate-stderr mrctl -j stat --host --root "$3"
	[ "$status" -lt 2 ]
	[ -z "$stderr" ]
	[ "$status" -eq 0 ] || failed=true
	json '.checks as $c | def count($v): [$c[] | select(.verdict == $v)] | length;
		.summary == { checks: ($c | length), ok: count("ok"), warn: count("warn"), bad: count("bad"),
			unknown: count("unknown"), na: count("n/a"), recording: $dir,
			verdict: first("bad", "warn", "unknown", "ok" | select(. == "ok" or count(.) > 0)) } and
		([$c[].id] | join(" ")) == $ids and .failures == [] and (.summary.bad > 0) == $failed and
		($c | all(keys == ["detail", "figure", "group", "id", "remedy", "subject", "verdict"] and .figure != null and
			((.verdict | IN("ok", "n/a")) == (.remedy == null) or .verdict == "unknown")))
		' --arg dir "$3" --arg ids "$1" --argjson failed "$failed"
}

# bats test_tags=slow
@test "the document has all checks, and a summary that counts them; --verbose prints each detail" {
	everywhere document_is_complete "$(checks | cut -d' ' -f1 | paste -sd' ')"
	dir=$(host_folder healthy)
	[ "$(mrctl -j stat --host --root "$dir")" = "$(mrctl -j -v stat --host --root "$dir")" ]
	output=$(mrctl -v stat --host --root "$dir" | tr -s ' \n' ' ')
	while IFS= read -r detail; do
		[[ $output == *"$detail"* ]] || fail "$detail" || return
	done < <(mrctl -j stat --host --root "$dir" | jq -r '.checks[] | .id, (.detail // empty)' | tr -s ' ')
}

@test "--only and --ignore choose checks, in any case" {
	{ read -r first _; read -r second _; } < <(checks)
	all=$(mrctl -n -o id stat --host) || [ $? -eq 1 ]
	[ "$all" = "$(checks | cut -d' ' -f1)" ]
	outputs "$first"$'\n'"$second" mrctl -n -o id stat --host --only "$second,${first,,}"
	run --separate-stderr mrctl -n -o id stat --host --ignore "${first//-/_},$second"
	[ "$output" = "$(tail -n +3 <<<"$all")" ]
	outputs "$second" mrctl -n -o id stat --host --only "$second,$first" --ignore "$first"
	usage_error "no such check: '${first}X'" "did you mean '$first'?" -- mrctl stat --host --only "${first}X"
	usage_error "--only and --ignore leave no check to do" -- mrctl stat --host --only "$first" --ignore "$first"
	for list in '' "$first," ",$first" "$first,,$second"; do
		usage_error "--only: an id is missing in '$list'" -- mrctl stat --host --only "$list" || return
	done
	usage_error "--for-size: give at least 1 byte" -- mrctl stat --host --for-size 0
	succeeded mrctl stat --host --for-size 1 --only MR-AVAILABLE
}

@test "the exit status is 1 where a check is bad, with --fail-on warn also for a warning" {
	on ok; succeeded
	on ok --fail-on warn; succeeded
	on warn; succeeded
	on warn --fail-on warn; [ "$status" -eq 1 ]
	on bad; [ "$status" -eq 1 ]
	on bad --fail-on BAD; [ "$status" -eq 1 ]
	on bad --quiet; [ "$status" -eq 1 ]
	[ -z "$output$stderr" ]
	on unknown --fail-on warn; succeeded
	on n/a --fail-on warn; succeeded
	usage_error "worse" "bad, warn" -- mrctl stat --host --fail-on worse
}

@test "limits of RDMA objects that a container hides are unknown, and raise no alarm" {
	host=$BATS_TEST_TMPDIR/host
	mrctl stat --host --quiet --record "$host" || :
	mkdir -p "$host/sys/class/infiniband_verbs" "$host/calls/proc/self/ns"
	echo 6 >"$host/sys/class/infiniband_verbs/abi_version"
	rm -f "$host/calls/simulated.answer"
	printf 'rdma\t0\t105\t1\n' >"$host/proc/cgroups"
	echo '1 1 0:5 / / rw - tmpfs none rw' >"$host/proc/self/mountinfo"
	run mrctl stat --host --root "$host" --only MR-CGROUP-RDMA --exit nagios
	[[ $status -eq 0 && $output == "MRCTL OK: 1 unknown: MR-CGROUP-RDMA (a group that cannot be seen"* ]] || fail "$output"
	run mrctl stat --host --root "$host" --only MR-CGROUP-RDMA --exit npd
	[ "$status" -eq 0 ]
}

@test "for Nagios the status is the worst verdict's, and the first line has the numbers" {
	number="[0-9]+"
	local -A names=([ok]='0 OK' [warn]='1 WARNING' [bad]='2 CRITICAL' [unknown]='3 UNKNOWN' [n/a]='0 OK')

	for verdict in "${!names[@]}"; do
		read -r expected name <<<"${names[$verdict]}"
		on "$verdict" --exit nagios
		[ "$status" -eq "$expected" ] || fail "$verdict: $status" || return
		[[ ${lines[0]} == "MRCTL $name: "* ]] || fail "$output" || return
		[[ ${lines[0]} =~ \|\ bad=${number}\;\;0\;0\;1\ warn=${number}\;0\;\;0\;1\ unknown=${number}\;\;\;0\;1\ ok=${number}\;\;\;0\;1$ ]] ||
			fail "$output" || return
		[[ $verdict == @(ok|n/a) || ${lines[0]} == *": 1 $verdict: $ID ("* ]] || fail "$output" || return
		[[ $verdict != ok || ${lines[0]} != *"$ID"* ]] || fail "$output" || return
		# a bar begins the numbers, and is nowhere else
		[ "$(tr -cd '|' <<<"$output")" = "|" ] || fail "$output" || return
		on "$verdict" --exit nagios --json
		[ "$status" -eq "$expected" ]
		json '.summary.checks == 1'
		on "$verdict" --exit nagios --format openmetrics
		[[ ${lines[0]} == '# HELP'* ]] || fail "$output" || return
		on "$verdict" --exit nagios --quiet
		[[ $status -eq $expected && -z $output ]]
	done
}

@test "node-problem-detector gets one short line, and a problem only where a check fails" {
	while read -r verdict expected on_warn; do
		on "$verdict" --exit npd
		[ "$status" -eq "$expected" ] || fail "$verdict: $status" || return
		[ "${#lines[@]}" -eq 1 ] && [ "${#output}" -le 80 ] || fail "$verdict: $output $stderr" || return
		[[ $verdict == @(ok|n/a) || $output == "1 $verdict"* ]] || fail "$output" || return
		on "$verdict" --exit npd --fail-on warn
		[ "$status" -eq "$on_warn" ] || fail "$verdict: $status" || return
	done <<<$'ok 0 0\nwarn 0 1\nbad 1 1\nunknown 2 2\nn/a 0 0'
	# however many checks fail
	for name in rootless poor-hca no-proc-no-sys; do
		run --separate-stderr mrctl stat --host --root "$(host_folder $name)" --exit npd --fail-on warn
		[[ ${#lines[@]} -eq 1 && ${#output} -le 80 && $status -le 2 ]] || fail "$name: $output"
		verdict=${output#* } verdict=${verdict%%[,:]*}
		diff <(grep -oE 'MR-[A-Z0-9-]+' <<<"$output") <(mrctl -n -o id,verdict stat --host --root "$(host_folder $name)" |
			sed -n "s/ *$verdict$//p") | sed -n '/^</p' | { ! grep .; }
	done
}

# bats test_tags=slow
@test "an error that prevents the checks is not a finding to a monitoring system" {
	read -r first _ < <(checks)
	for style in nagios,3 npd,2; do
		for wrong in "--root /nonexistent" "--only ${first}X" "--record $ROOT" operand "-d mlx5_0" \
			"--only $first --ignore $first" "--only a|b" "--for-size 0" --xyzzy "--root x --record y" \
			"--format xyzzy" "--json=x" --only; do
			run --separate-stderr mrctl stat --host --exit "${style%,*}" $wrong
			[ "$status" -eq "${style#*,}" ] || fail "$style $wrong: $status $output" || return
			[ "${#lines[@]}" -eq 1 ] && [ -n "$output" ] && [ -n "$stderr" ] || fail "$output" || return
			[[ $style == npd* || $output =~ ^"MRCTL UNKNOWN: "[^|]*$ ]] || fail "$output" || return
		done
	done
	for style in nagios,3 npd,2 plain,1; do
		run --separate-stderr bash -c "mrctl stat --host --exit ${style%,*} >/dev/full"
		[[ $status -eq ${style#*,} && $stderr == *ENOSPC* ]] || fail "$style: $status" || return
	done
}

# told STATUS LINE ARGUMENT...: mrctl with these arguments tells a monitoring system LINE
told() {
	run --separate-stderr mrctl "${@:3}"
	[[ $status -eq $1 && $output == "$2" && -n $stderr ]] || fail "${*:3}: $status $output" "$stderr"
}

@test "--exit is looked for where the options cannot be read, wherever it stands" {
	told 3 "MRCTL UNKNOWN: unknown option '--xyzzy'" --xyzzy stat --host --exit nagios
	told 3 "MRCTL UNKNOWN: unknown option '--xyzzy'" stat --xyzzy --exit=NAGIOS --host
	told 3 "MRCTL UNKNOWN: unknown option '--xyzzy'" stat operand --exit nagios --xyzzy
	told 3 "MRCTL UNKNOWN: --exit requires --host" stat --exit nagios
	told 2 "unknown option '--xyzzy'" --xyzzy stat --host --exit npd
	run --separate-stderr mrctl stat --host --exit nagios --fail-on warn
	[[ $status -eq 3 && $output == "MRCTL UNKNOWN: "*"excludes --fail-on warn"* && -n $stderr ]] || fail "$output $stderr"
	# who does not ask for it gets the usual status
	usage_error "unknown style of exit statuses 'xyzzy'" -- mrctl stat --host --exit xyzzy
	usage_error "unknown option '--xyzzy'" -- mrctl stat --host --exit plain --xyzzy
	usage_error "--host does not accept operands: '--exit'" -- mrctl stat --host -- --exit nagios
	usage_error "unknown option '--exit'" -- mrctl reg --exit nagios
}

@test "the kernel's RDMA does not affect the verdict on a simulated HCA" {
	succeeded mrctl sim -- mrctl stat --host --exit nagios \
		--only MR-CGROUP-RDMA,MR-KERNEL,MR-KERNEL-CONFIG,MR-MODULES,MR-PEER-MEMORY,MR-FORK,MR-KNOWN-BAD
	[[ ${lines[0]} == "MRCTL OK: no check applies to this host | "* ]] || fail "$output"
	# root of this machine gets a healthy answer, which --exit npd prints as one line
	[ "$(id -u)" -eq 0 ] || return 0
	run --separate-stderr prlimit --memlock=unlimited mrctl sim -- mrctl stat --host --exit npd
	[[ $output != *unknown* ]] || fail "$output"
}

@test "the answer for a recording names it, and has no fact of this host" {
	dir=$(host_folder healthy)
	run --separate-stderr mrctl stat --host --root "$dir"
	[[ ${output//$'\n'/ } == *"These are the results for the host recorded in $dir, not for this host."* ]]
	run --separate-stderr mrctl -j stat --host --root "$dir"
	json '.summary.recording == $dir and .environment.kernel == $kernel' --arg dir "$dir" \
		--arg kernel "$(cat "$dir/proc/sys/kernel/osrelease")"
	mkdir "$BATS_TEST_TMPDIR/nothing"
	run --separate-stderr mrctl -j stat --host --root "$BATS_TEST_TMPDIR/nothing"
	[ "$status" -lt 2 ]
	json '[.environment | to_entries[] | select(.value != null).key] | sort == ["mrctl", "simulated"]'
	json '.checks | all(.verdict | IN("unknown", "n/a"))'
	run --separate-stderr mrctl -j stat --host --only "$(checks | sed 's/ .*//;q')"
	json '.summary.recording == null and .environment.kernel == $kernel' --arg kernel "$(uname -r)"
}

@test "a folder that is no recording is an error that names it" {
	for folder in "$BATS_TEST_TMPDIR/none" /dev/null /etc/passwd; do
		exits 1 mrctl -j stat --host --root "$folder"
		json '.checks == [] and .environment.kernel == null and (.failures[0].message | contains($folder))' \
			--arg folder "$folder"
		[[ $stderr == *"$folder: open: "* ]]
	done
	usage_error "--record" "--root" -- mrctl stat --host --root x --record y
	usage_error "mlx5_0" -- mrctl stat --host mlx5_0
	usage_error "--device" -- mrctl stat --host -d mlx5_0
}
