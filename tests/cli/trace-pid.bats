#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# mrctl trace --pid: calls of a program that runs already, seen in the kernel.
load helpers
load why

TOOL=$BUILD/tests/cli/trace-refused
[ -x "$TOOL" ] || TOOL=trace-refused

setup() {
	note_less
	CALLS=$BATS_TEST_TMPDIR/calls ERR=$BATS_TEST_TMPDIR/err OUT=$BATS_TEST_TMPDIR/out LINES_IN=$BATS_TEST_TMPDIR/in
	PROGRAM='' TRACER=''
}

teardown() {
	[ -z "$PROGRAM$TRACER" ] || kill -9 $PROGRAM $TRACER || :
	wait
	tidy
}

# program CMD...: starts a batch that takes its lines from do_line, and has opened the device
program() {
	mkfifo "$LINES_IN"
	"$@" batch - <"$LINES_IN" >"$OUT" 2>&1 3>&- &
	PROGRAM=$!
	exec 5>"$LINES_IN"
	do_line reg --size 4K --name first
}

# do_line LINE...: the program carries it out
do_line() {
	local before

	before=$(grep -c '^line' "$OUT" || :)
	printf '%s\n' "$*" "stat first" >&5
	awaits "[ \$(grep -c '^line' '$OUT') -ge $((before + 2)) ]"
}

# watch PID [ARG...]: mrctl trace in the background, which watches from here on
watch() {
	mrctl trace --pid "$@" 2>"$ERR" 3>&- 5>&- &
	TRACER=$!
	awaits "grep -q 'watching' '$ERR' || ! kill -0 $TRACER"
	kill -0 "$TRACER" || fail "$(<"$ERR")"
}

# watched STATUS [SIGNAL]: it ends with that status; what it wrote is $stderr
watched() {
	status=0
	[ $# -eq 1 ] || kill "-$2" "$TRACER"
	wait "$TRACER" || status=$?
	TRACER='' stderr=$(<"$ERR")
	[ "$status" -eq "$1" ] || fail "exit status $status" "$stderr"
}

# nothing_left: no probe of mrctl is in the kernel
nothing_left() {
	awaits '! grep -q ib_uverbs /sys/kernel/debug/kprobes/list'
}

@test "options and processes that --pid cannot take" {
	exits 2 mrctl trace --pid $$ -- true
	[[ $stderr == *"excludes a program to run: 'true'"* ]]
	exits 2 mrctl trace --pid $$ --leaks
	[[ $stderr == *"--leaks excludes --pid"* ]]
	exits 2 mrctl trace --pid $$ --stacks
	exits 3 mrctl trace --pid 4194305
	[ "$stderr" = "mrctl: trace: no such process: 4194305" ]
	exits 3 mrctl trace --pid 0xffffffff00000001
	! on_simulator || exits 2 "${SIM[@]}" mrctl trace --pid $$
	! on_simulator || [[ $stderr == *"not available on the simulated HCA"* ]]
}

@test "a program on the simulated HCA makes no kernel calls, and --pid reports this" {
	on_simulator || skip "of the simulator"
	"${SIM[@]}" bash -c 'echo ready; exec sleep 1000' >"$OUT" 3>&- &
	PROGRAM=$!
	awaits "[ -s '$OUT' ]"
	exits 2 mrctl trace --pid $PROGRAM
	[[ $stderr == *"not available on the simulated HCA"*"mrctl sim mrctl trace -- CMD"* ]]
}

# bats test_tags=kernel
@test "each refused call is a line with its causes; the summary has sums, and what is registered now" {
	need_kernel
	program "${MR[@]}"
	watch "$PROGRAM" -o "$CALLS" --reproduce "$BATS_TEST_TMPDIR/batch"
	do_line reg --size 64K --name a
	do_line reg --memory unmapped --expect EFAULT
	do_line reg --access remote-write --expect EINVAL
	do_line reg-iova --size 8K --iova 0x10000 --name b
	! on_mlx5 || do_line rereg a --memory unmapped --expect EFAULT
	do_line dereg b
	grep -q "^[0-9.]* \[pid $PROGRAM, tid $PROGRAM\] ibv_reg_mr($(device), 0x[0-9a-f]*, 4096, local-write) = EFAULT" "$ERR"
	watched 0 INT
	[[ $stderr == *"nothing is mapped"*"[likely, MR-RANGE-UNMAPPED]"*"[certain, MR-ACCESS-LOCAL-WRITE]"* ]]
	[[ $stderr == *$'\n'"mrctl: trace: 2 registrations of 72 KiB by pid $PROGRAM; "[23]" refused;"*"registered now" ]] ||
		fail "$stderr"
	jq -se --arg device "$(device)" 'all(.device == $device and .kernel_asked and .place == null) and
		(map([.call, .answer, .length]) | index([["ibv_reg_mr", "ok", 65536]])) and
		(map(select(.call == "ibv_reg_mr_iova")) | length == 1 and .[0].iova == "0x10000") and
		(map(select(.answer == "EINVAL")) | .[0].access == ["remote-write"]) and
		(map(select(.answer != "ok")) | map(.causes[0].id)) ==
			["MR-RANGE-UNMAPPED", "MR-ACCESS-LOCAL-WRITE"] +
				(if $device == "mlx5_0" then ["MR-RANGE-UNMAPPED"] else [] end)' "$CALLS" || fail "$(<"$CALLS")"
	grep -q '^#   /.*mrctl$' "$BATS_TEST_TMPDIR/batch"
	grep -qx 'reg --size 4096 --access remote-write --expect EINVAL' "$BATS_TEST_TMPDIR/batch"
	nothing_left
}

# bats test_tags=kernel
@test "the limit of the process applies; --expect-none-refused; the end of the process ends mrctl" {
	need_kernel
	require_nobody
	program "${NOBODY[@]}" prlimit --memlock=65536 "${MR[@]}"
	watch "$PROGRAM" --expect-none-refused -o "$CALLS"
	do_line reg --size 1M --expect ENOMEM
	awaits "grep -q MR-MEMLOCK '$ERR'"
	exec 5>&-
	watched 1
	jq -se 'map(select(.answer == "ENOMEM"))[0].causes[0] | .id == "MR-MEMLOCK" and .certainty == "likely" and
		.evidence.limit == 65536' "$CALLS" || fail "$(<"$CALLS")"
	[[ $stderr != *"registered now"* ]]
}

# bats test_tags=kernel
@test "SIGTERM gives the summary as JSON; SIGKILL of mrctl leaves nothing, and the program goes on" {
	need_kernel
	program "${MR[@]}"
	do_line reg --size 64K --name a
	watch "$PROGRAM" --json --expect-none-refused
	do_line reg --size 4K
	watched 0 TERM
	jq -e --argjson pid "$PROGRAM" '.pid == $pid and .registered == 1 and .registered_bytes == 4096 and .complete and
		.now_regions == 3 and .now_bytes == 73728 and .refused == 0 and .most_regions == null' \
		<<<"${stderr#*Ctrl-C}" || fail "$stderr"
	watch "$PROGRAM"
	kill -9 "$TRACER"
	wait "$TRACER" || :
	TRACER=''
	nothing_left
	do_line reg --memory unmapped --expect EFAULT
}

# bats test_tags=kernel
@test "all threads of a process are seen, in a PID namespace by their own numbers; from in there it is refused" {
	need_kernel
	mkfifo "$LINES_IN"
	unshare --pid --fork --mount-proc bash -c 'echo $$ >"$1"; read -r <"$2"; exec "${@:3}"' bash "$OUT" "$LINES_IN" \
		"${MR[@]}" -q bench --sizes 4K --threads 2 --count 4 --rounds 1 >/dev/null 3>&- &
	HOLD_PID=$!
	awaits "[ -s '$OUT' ]"
	PROGRAM=$(grep -ls "^PPid:[[:space:]]*$HOLD_PID\$" /proc/[0-9]*/status | cut -d/ -f3)
	exits 1 nsenter --pid --mount --target "$PROGRAM" mrctl trace --pid 1
	[[ $stderr == *"requires the initial PID namespace"*"on the host"* ]] || fail "$stderr"
	watch "$PROGRAM" -o "$CALLS"
	echo >"$LINES_IN"
	watched 0
	wait "$HOLD_PID"
	PROGRAM='' HOLD_PID=''
	jq -se 'map(select(.call == "ibv_reg_mr").tid) | unique | length >= 2 and all(. < 100)' "$CALLS" ||
		fail "$(<"$CALLS")" "$stderr"
}

# bats test_tags=kernel
@test "a user who is not root gets that reason" {
	need_kernel
	require_nobody
	exits 1 as_nobody mrctl trace --pid $$
	[[ $stderr == *"EPERM"*"requires root"* || $stderr == *"EACCES"*"requires root"* ]] || fail "$stderr"
}

# bats test_tags=kernel
@test "umems and dma-bufs are seen" {
	need_hca
	program "${MR[@]}"
	watch "$PROGRAM" -o "$CALLS"
	do_line umem --size 64K --name u
	do_line umem --memory unmapped --expect EFAULT
	do_line reg-dmabuf --from fd:0 --size 4K --expect EINVAL
	watched 0 INT
	jq -se 'map(select(.answer != "ok")) | map([.call, .answer, .causes[0].id]) == [
		["mlx5dv_devx_umem_reg", "EFAULT", "MR-RANGE-UNMAPPED"],
		["ibv_reg_dmabuf_mr", "EINVAL", "MR-DMABUF-FILE"]] and .[1].fd == 0' "$CALLS" || fail "$(<"$CALLS")" "$(<"$OUT")"
}

# bats test_tags=kernel
@test "queues beyond the limit of locked memory are refused calls with their cause" {
	need_hca
	mkfifo "$LINES_IN"
	setpriv --bounding-set=-ipc_lock prlimit --memlock=65536 bash -c 'read -r; exec "$@"' bash \
		"$TOOL" "$(device)" cq wait_for_line qp wait_for_line srq wait_for_line qp <"$LINES_IN" >"$OUT" 3>&- &
	PROGRAM=$!
	exec 5>"$LINES_IN"
	watch "$PROGRAM" -o "$CALLS"
	for queue in cq qp srq; do
		echo >&5
		awaits "grep -q 'ibv_create_$queue.*ENOMEM' '$ERR'"
	done
	exec 5>&-
	watched 0
	jq -se --argjson pid "$PROGRAM" 'all(.tid == $pid) and
		(map(select(.answer != "ok"))[:3] | map([.call, .answer, .causes[0].id])) ==
		(["cq", "qp", "srq"] | map(["ibv_create_" + ., "ENOMEM", "MR-MEMLOCK"]))' "$CALLS" || fail "$(<"$CALLS")"
	[[ $stderr == *"this call needs at least 256 KiB, and RLIMIT_MEMLOCK is 64 KiB"*"4 refused"* ]] || fail "$stderr"
}
