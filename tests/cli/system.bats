#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# mrctl stat --system: all MRs in the kernel, and whose they are.  The tests on a kernel need one of their own,
# where nobody else registers.

load helpers
load why

HOLDERS=()

teardown() {
	[ ${#HOLDERS[@]} -eq 0 ] || kill "${HOLDERS[@]}" 2>/dev/null || :
	tidy
}

# system [ARG...]: all MRs of the device under test
system() {
	mrctl -d "$(device)" "$@" stat --system
}

# hold COUNT SIZE: a process named "mrctl" has COUNT regions of SIZE until the end of the test; sets HOLDER
hold() {
	local log=$BATS_TEST_TMPDIR/hold.$BATS_TEST_NUMBER.${#HOLDERS[@]}

	"${MR[@]}" -j reg --size "$2" --stride "${3:-$2}" --count "$1" --hold >"$log" 2>"$log-errors" 3>&- &
	HOLDER=$!
	HOLDERS+=("$HOLDER")
	SECONDS=0
	until [ "$(mrctl -j stat --system --by process 2>/dev/null |
		jq --argjson pid "$HOLDER" '[.processes[] | select(.pid == $pid) | .regions] | add')" = "$1" ]; do
		{ kill -0 "$HOLDER" && [ "$SECONDS" -lt 300 ]; } || fail "$(head -c 2000 "$log-errors")"
		sleep 0.05
	done
}

@test "on the simulated HCA, and without RDMA, --system fails with the reason" {
	fails "--system is not available on the simulated HCA" mr -j stat --system
	json '.mrs == [] and .totals.regions == null and .failures[0].errno == "EOPNOTSUPP"'
	exits 1 mr stat --system --format markdown
	[ "$output" = $'```\n```' ]
	[ ! -e /sys/class/infiniband ] || skip "this machine has RDMA"
	exits 1 mrctl stat --system
	[[ $stderr == *"EPROTONOSUPPORT"*"modprobe ib_core"* ]]
	[ -z "$output" ]
}

@test "words that make no sense are refused before anything is done" {
	usage_error "--by: unknown kind of row 'session'; valid values: mr, process, unit, device" -- mrctl stat --system --by session
	usage_error "--sort: unknown column 'size'" -- mrctl stat --system --sort size
	usage_error "--sort: unknown column 'mrn'" -- mrctl stat --system --by unit --sort mrn
	usage_error "--format openmetrics excludes --top" -- mrctl stat --system --format openmetrics --top 3
	usage_error "--by" -- mrctl stat --by unit
}

# bats test_tags=kernel
@test "the MRs of a process are shown with its number, name, size and keys, and to others without keys" {
	need_kernel
	hold 3 64K
	keys=$(jq -c '[.regions[] | [.lkey, .rkey]] | sort' "$BATS_TEST_TMPDIR"/hold.*.0)
	succeeded system -j
	json '[.mrs[] | select(.pid == $pid)] | length == 3 and
		all(.comm == "mrctl" and .length == 65536 and .gone == false and .session == null) and
		([.[] | [.lkey, .rkey]] | sort) == $keys' --argjson pid "$HOLDER" --argjson keys "$keys"
	json '.processes[] | select(.pid == $pid) |
		.regions == 3 and .bytes == 196608 and .pinned >= 196608 and .comm == "mrctl"' --argjson pid "$HOLDER"
	json '(.devices | length) == 1 and .devices[0].device == $device and
		.devices[0].regions == (.mrs | length) and .totals.counted == .totals.regions' --arg device "$(device)"
	succeeded system
	grep -Eq "^$(device) +[0-9]+ +$HOLDER +mrctl +65536 +0x" <<<"$output"
	[ "$(wc -L <<<"$output")" -le 80 ]
	# the numbers are those of iproute2
	run --separate-stderr system -j
	[ "$(jq -c --arg device "$(device)" '[.[] | select(.ifname == $device) |
		[.mrn, .mrlen, .pdn, .pid]] | sort' < <(rdma -j resource show mr))" = \
		"$(jq -c '[.mrs[] | [.mrn, .length, .pdn, .pid]] | sort' <<<"$output")" ]
	require_nobody
	succeeded as_nobody mrctl -j stat --system
	json '(.mrs | length) >= 3 and all(.mrs[]; .lkey == null and .rkey == null and .length != null) and
		.totals.session_regions == null'
	run --separate-stderr as_nobody mrctl stat --system
	[[ $output != *LKEY* && $stderr == *"CAP_NET_ADMIN"* ]]
}

# bats test_tags=kernel
@test "regions whose process has ended are gone, and belong to their session; those with ODP have page faults" {
	need_kernel
	session_begin
	ms -q reg --size 8K --count 2
	session=$MRCTL_SESSION
	run --separate-stderr system -j
	json '[.mrs[] | select(.session == $session)] | length == 2 and
		all(.pid == null and .comm == null and .gone == true and .length == 8192)' --arg session "$session"
	json '.processes[] | select(.session == $session) |
		.regions == 2 and .gone == true' --arg session "$session"
	json '.totals.session_regions == 2 and .totals.gone_regions >= 2'
	run --separate-stderr system
	grep -Eq "8192 .*$session\$" <<<"$output"
	session_end
	shows '.totals.session_regions == 0' system
	on_mlx5 || return 0 # some kernels' rxe has no on-demand paging
	session_begin
	ms -q reg --access local-write,on-demand 2>/dev/null
	run --separate-stderr system -j
	json '[.mrs[] | select(.odp == "explicit")] | length == 1 and
		all(.page_faults >= 0 and .page_invalidations >= 0 and .page_prefetch >= 0)'
	json '.totals.odp_regions == 1 and .totals.odp_bytes == 4096'
	run --separate-stderr mrctl stat --system --format openmetrics
	grep -qx 'mrctl_mr_page_faults_total{device="mlx5_0",comm=""} [0-9]*' <<<"$output"
}

# sample NAME: the value of a sample in $output, which is there once; NAME has its labels
sample() {
	local lines
	lines=$(awk -v name="${1//\\/\\\\} " 'index($0, name) == 1' <<<"$output")
	{ [ -n "$lines" ] && [ "$(wc -l <<<"$lines")" -eq 1 ]; } || fail "$1: $output"
	echo "${lines##* }"
}

# bats test_tags=kernel
@test "metrics sum up the processes of a name, and --sort and --top apply to rows" {
	need_kernel
	labels="{device=\"$(device)\",comm=\"mrctl\"}"

	hold 2 12K
	small=$HOLDER
	hold 3 64K
	run --separate-stderr mrctl -j stat --system "$(device)"
	json=$output
	total=$(jq .totals.bytes <<<"$json")
	succeeded mrctl stat --system --format openmetrics "$(device)"
	[ "$(tail -n 1 <<<"$output")" = '# EOF' ]
	[ "$(sample "mrctl_mr_count$labels")" -eq 5 ]
	[ "$(sample "mrctl_mr_bytes$labels")" -eq $((2 * 12288 + 3 * 65536)) ]
	[ "$(sample mrctl_mr_gone_count)" -eq "$(jq .totals.gone_regions <<<"$json")" ]
	[ "$(sample mrctl_mr_gone_bytes)" -eq "$(jq .totals.gone_bytes <<<"$json")" ]
	unit=$(jq -r --argjson pid "$HOLDER" '.processes[] | select(.pid == $pid) | .unit' <<<"$json")
	[ "$(sample "mrctl_mr_unit_bytes{unit=\"$unit\"}")" -ge $((2 * 12288 + 3 * 65536)) ]
	[ "$(sample "mrctl_mr_unit_count{unit=\"$unit\"}")" -ge 5 ]
	[ "$(sample "mrctl_mr_unit_pinned_bytes{unit=\"$unit\"}")" -ge $((2 * 12288 + 3 * 65536)) ]
	grep -q '^mrctl_pinned_bytes [0-9]*$' <<<"$output"
	grep -q '^mrctl_mr_not_pinned_bytes [0-9]*$' <<<"$output"
	grep -q '^mrctl_pinned_by_others_bytes [0-9]*$' <<<"$output"
	[[ $output != *pid=* ]]
	# rows are sorted and cut as asked, and sums do not change by that
	run --separate-stderr mrctl -j -d "$(device)" stat --system --sort length --top 4
	json '[.mrs[].length] == [65536, 65536, 65536, 12288] and .totals.bytes == $total' --argjson total "$total"
	run --separate-stderr mrctl -j -d "$(device)" stat --system --by process --sort regions --top 1
	json '.processes[0].pid == $pid and (.processes | length) == 1 and (has("mrs") | not)' --argjson pid "$HOLDER"
	run --separate-stderr mrctl -n -o pid,bytes -d "$(device)" stat --system --by process --sort pid
	[ "$(sort -rn <<<"$output")" = "$output" ]
	grep -Eq "^ *$small +24576\$" <<<"$output"
	run --separate-stderr mrctl -n -o device,regions stat --system --by device
	grep -Eq "^$(device) +5\$" <<<"$output"
}

# bats test_tags=kernel
@test "two thousand MRs are complete, while others come and go" {
	need_kernel
	hold 300 4K
	first=$HOLDER
	hold 2000 4K 0
	second=$HOLDER
	shows '.totals.regions == .totals.counted' system
	[ "$(mrctl -n -o mrn stat --system --top 17 | wc -l)" -eq 17 ]
	while :; do mr -q reg --count 20; done 3>&- &
	HOLDERS+=("$!")
	for i in {1..3}; do
		[ "$i" -ne 2 ] || kill "$first"
		exits 0 system -j
		json '([.mrs[] | select(.pid == $pid) | .mrn] | unique | length) == 2000' --argjson pid "$second"
	done
}

# bats test_tags=kernel
@test "a process is found by the unit of its control group; a device that does not exist is absent" {
	group=/sys/fs/cgroup/system.slice/mrctl-test.service
	need_kernel
	absent "no RDMA device 'nosuch'" mrctl stat --system nosuch
	exits 1 mrctl -j stat --system nosuch "$(device)"
	json '[.devices[].device] == [$device]' --arg device "$(device)"
	mkdir -p "$group" 2>/dev/null || skip "cannot make a control group"
	hold 2 4K
	echo "$HOLDER" >"$group/cgroup.procs" || skip "cannot move a process"
	run --separate-stderr mrctl -j stat --system --by unit
	json '.units[] | select(.unit == "mrctl-test.service") | .regions == 2 and .processes == 1'
	kill "$HOLDER"
	wait "$HOLDER" || :
	rmdir "$group"
}
