#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# mrctl trace: whatever a program does with processes, threads, descriptors and signals, it is followed, and does
# what it does without trace.  The tool checks what its calls return, and errno.
load helpers

TOOL=$BUILD/tests/cli/trace-processes

setup() {
	note_less
	CALLS=$BATS_TEST_TMPDIR/calls SUMMARY=$BATS_TEST_TMPDIR/summary AWAITED=$BATS_TEST_TMPDIR/awaited
}

# A tool that waits ends with its file.
teardown() {
	rm -f "$AWAITED"
	tidy
}

# begin CMD...: runs it in the background
begin() {
	"$@" 3>&- &
	HOLD_PID=$!
}

# traced WHAT...: the tool under trace; its calls are then in $calls, as "COUNT CALL ANSWER"
traced() {
	run --separate-stderr "${SIM[@]}" mrctl trace --force -o "$CALLS" -- "$TOOL" "$@"
	calls=$(jq -r '"\(.call) \(.answer)"' "$CALLS" | sort | uniq -c | sed 's/^ *//')
}

# steps COUNT PROCESSES: there were as many steps, each of three calls, by so many processes
steps() {
	[ "$status" -eq 0 ] || fail "$status: $stderr" || return
	[[ $calls == *"$1 ibv_dereg_mr ok"* && $calls == *"$1 ibv_reg_mr EINVAL"* && $calls == *"$1 ibv_reg_mr ok"* ]] ||
		fail "$calls" || return
	[ "$(processes)" -eq "$2" ]
}

processes() {
	jq -s 'map(.pid) | unique | length' "$CALLS"
}

# ---- how it is followed --------------------------------------------------------------------------

@test "children of fork are followed" {
	traced fork 0
	steps 3 2
	traced fork 2
	steps 9 4
	# a child with its parent's memory
	traced clone-vm
	steps 3 1
}

@test "a program that closes all descriptors is followed, and so is its child" {
	traced closed
	steps 4 2
}

# bats test_tags=slow
@test "threads are distinguished, and none of their calls is lost" {
	traced threads 500
	steps 4000 1
	[ "$(jq -s 'map(.tid) | unique | length' "$CALLS")" -eq 9 ]
}

@test "no call is lost where many threads fill the ring at the same time" {
	run -0 --separate-stderr "${SIM[@]}" mrctl -j trace --summary "$SUMMARY" -- "$TOOL" threads 4000
	output=$(<"$SUMMARY")
	json '.unseen == 0 and .complete and .registered == 32000 and .refused == 32000'
}

@test "64 threads fill one ring: each record arrives whole and in order, and ThreadSanitizer finds no race" {
	"${CC:-cc}" -D_GNU_SOURCE -g -O1 -fsanitize=thread -I"$ROOT" -o "$BATS_TEST_TMPDIR/ring" \
		"$BATS_TEST_DIRNAME/trace-ring.c" "$ROOT/lib/trace/wire/ring.c"
	run -0 "$BATS_TEST_TMPDIR/ring"
	[ -z "$output" ]
}

@test "a thread with a small stack, a filter that kills, and unreadable arguments are what they are without trace" {
	for what in small filtered filtered-syscall unreadable; do
		echo "$what"
		run -0 "${SIM[@]}" "$TOOL" "$what"
		run -0 "${SIM[@]}" mrctl -q trace --force -o "$CALLS" -- "$TOOL" "$what"
		jq -es 'map(select(.answer == "EINVAL")) | length > 0 and all(.[]; .causes | length > 0)' "$CALLS" >/dev/null
	done
}

@test "several processes of several threads are followed at once" {
	run -0 "${SIM[@]}" mrctl trace -q -o "$CALLS" -- sh -c 'for i in 1 2 3 4; do "$0" threads 50 & done; wait' "$TOOL"
	[ "$(grep -c '"call":"ibv_dereg_mr".*"answer":"ok"' "$CALLS")" -eq 1600 ]
	[ "$(processes)" -eq 4 ]
}

@test "signals with handlers interrupt no call" {
	traced signals 1000
	steps 1000 1
}

@test "all calls of a program that is killed within a call are reported" {
	traced threads -1
	[ "$status" -eq 137 ]
	[ "$(jq -s '[.[] | select(.call == "ibv_dereg_mr")] | length >= 100' "$CALLS")" = true ]
}

@test "a program goes on where mrctl is killed" {
	run "${SIM[@]}" mrctl trace -q -- sh -c 'exec 3>&-; kill -KILL $PPID; "$0" threads 200 && : >"$1"' \
		"$TOOL" "$BATS_TEST_TMPDIR/ended"
	[ "$status" -eq 137 ]
	awaits "[ -e '$BATS_TEST_TMPDIR/ended' ]"
}

@test "a program waits while mrctl is stopped, and continues with it" {
	# more calls than mrctl has room for
	begin "${SIM[@]}" mrctl trace -q -o "$CALLS" -- "$TOOL" stopped 4000
	awaits '[[ $(</proc/$HOLD_PID/stat) == *") T "* ]]'
	tool=$(<"/proc/$HOLD_PID/task/$HOLD_PID/children")
	# it sleeps only where there is no room
	awaits "[[ \$(</proc/${tool% }/stat) == *') S '* ]]"
	kill -CONT "$HOLD_PID"
	wait "$HOLD_PID"
	HOLD_PID=''
	[ "$(grep -c '"call":"ibv_dereg_mr"' "$CALLS")" -eq 4001 ]
}

# bats test_tags=slow
@test "programs are followed with every way to run them" {
	# on the simulator, whatever the environment lacks
	printf '%s\n' '#!/bin/sh' "exec $BUILD/mrctl sim -- $TOOL step" >"$BATS_TEST_TMPDIR/step"
	chmod +x "$BATS_TEST_TMPDIR/step"
	# the agent is not loaded twice where the channel alone is missing
	run --separate-stderr "${SIM[@]}" mrctl trace -q -- env -u MRCTL_TRACE sh -c 'echo "$LD_PRELOAD"'
	[ "$(grep -o libmrctl-trace <<<"$output" | wc -l)" -eq 1 ]
	for how in execv -execve vexecve +execvp execvpe -vexecv execl -execlp vexeclp execle posix_spawn -posix_spawnp; do
		echo "$how"
		traced exec "$how" "$BATS_TEST_TMPDIR/step" unused
		steps 1 2
	done
	for how in {,-}{fexecve,execveat}; do
		echo "$how"
		traced exec "$how" "$TOOL" step
		[[ $how == -* ]] || steps 1 2
	done
}

@test "an exec that fails returns what it returns alone, and the program is still followed" {
	run -0 "${SIM[@]}" mrctl trace -q -o "$CALLS" -- \
		bash -c "/nonexistent/program; [ \$? -eq 127 ]; $BATS_TEST_TMPDIR; [ \$? -eq 126 ]; exec $TOOL step"
	grep -q '"call":"ibv_dereg_mr"' "$CALLS"
}

@test "processes are followed where mrctl may have few descriptors" {
	run -0 --separate-stderr bash -c 'ulimit -n 24; exec "$@"' bash "${SIM[@]}" mrctl trace -o "$CALLS" -- "$TOOL" fork 0
	[ "$(processes)" -eq 2 ]
}

@test "a program that a trace within a trace runs is followed only by the inner trace" {
	copy=$BATS_TEST_TMPDIR/copy
	mkdir "$copy"
	cp -a "$BUILD"/{mrctl,trace} "$copy" # a trace by the same files, and by others
	for inner in "$copy/mrctl" "$BUILD/mrctl"; do
		run --separate-stderr "${SIM[@]}" timeout -s KILL 60 "$copy/mrctl" trace --force -o "$BATS_TEST_TMPDIR/outer" -- \
			"$inner" trace --force -o "$CALLS" --live --summary "$SUMMARY" -- sh -c "$TOOL step; $TOOL fork 0"
		[ "$status" -eq 0 ] || fail "$inner: $status" "$stderr"
		[ "$(processes)" -eq 3 ]
		[ "$(grep -c '"call":"ibv_dereg_mr".*"answer":"ok"' "$CALLS")" -eq 4 ]
		[ "$(grep -c '^\[pid [0-9]*\] ibv_dereg_mr(' <<<"$stderr")" -eq 4 ]
		[ "$(grep -c reg_mr "$BATS_TEST_TMPDIR/outer")" -eq 0 ]
	done
}

# ---- what is not followed ------------------------------------------------------------------------

@test "a program that cannot be followed is reported once at its start, and in the summary" {
	dir=$BATS_TEST_TMPDIR
	"${CC:-cc}" -static -o "$dir/static" -x c - <<<'int main(void) { return 0; }'
	printf '#!%s\n' "$dir/static" >"$dir/script"
	cp "$(type -P true)" "$dir/narrow"
	printf '\001' | dd of="$dir/narrow" bs=1 seek=4 conv=notrunc status=none # ELFCLASS32
	chmod +x "$dir"/{script,narrow}
	run -0 --separate-stderr mrctl trace -- \
		bash -c "for i in {1..20}; do $dir/static; done; $dir/script; $dir/narrow; true"
	[[ $stderr == *"$dir/script "*"linked statically"* && $stderr == *"$dir/narrow "*"not followed"* ]]
	[[ $stderr != *"/true "*"not followed"* ]]
	[ "$(grep -c "static (pid .*is not followed" <<<"$stderr")" -eq 1 ]
	[[ $stderr == *$'mrctl: trace: not complete: 3 programs were not followed\n'*"  $dir/static: it is linked statically"* ]] ||
		fail "$stderr"
	# a trace within a trace tells it alone
	run -0 --separate-stderr mrctl trace --summary "$SUMMARY" -- mrctl trace -q -- "$dir/static"
	[ "$(grep -c "static .*is not followed" <<<"$stderr")" -eq 1 ]
	[ "$(grep -c "not followed" "$SUMMARY")" -eq 0 ]
	run -4 --separate-stderr mrctl trace --expect-none-refused -- "$dir/static"
	[[ $stderr == "mrctl: trace: $dir/static is not followed: it is "*$'\n'"mrctl: trace: not complete: 1 program was not"* ]] ||
		fail "$stderr"
}

# told_at_once REASON CMD...: CMD runs a program that cannot be followed, and that waits until this is told.  It is told
# once, and again in the summary of the trace, which is within another one where WITHIN is its command.
told_at_once() {
	local errors=$BATS_TEST_TMPDIR/errors program=$BATS_TEST_TMPDIR/lost

	cp "$TOOL" "$program"
	# shellcheck disable=SC2094 # it waits for what is written
	(exec 3>&- && exec timeout 90 "${WITHIN[@]}" "${SIM[@]}" mrctl trace -- "${@:2}" "$program" await "$errors" \
		"is not followed: $1") 2>"$errors" || fail "$(cat "$errors")"
	[ "$(grep -c "^mrctl: trace: $program (pid [0-9]*) is not followed: $1" "$errors")" -eq 1 ] || fail "$(cat "$errors")"
	[ "$(grep -c "^  $program: $1" "$errors")" -eq 1 ]
}

@test "a program that is started without the C library and its environment is reported at once by the inner trace" {
	local reason="it was started without mrctl's environment" WITHIN=()

	told_at_once "$reason" "$TOOL" exec -syscall
	WITHIN=(mrctl trace --summary "$SUMMARY" --)
	told_at_once "$reason" "$TOOL" exec -syscall
	[ "$(grep -c "not followed" "$SUMMARY")" -eq 0 ]
}

@test "a program that cannot connect is reported at once, with the reason" {
	# three are taken, and it needs one to read the file
	told_at_once "it could not connect to mrctl, and has fewer than two free descriptors" sh -c 'ulimit -n 4; exec "$@"' sh
	told_at_once "it could not connect to mrctl, and its system calls are filtered" "$TOOL" filter
	! unshare -n true 2>/dev/null || told_at_once "it is in another network namespace" unshare -n
}

@test "a program with special rights is reported and gets no library, even if it is started without the C library" {
	[ "$(id -u)" -eq 0 ] || skip "needs root, to make one"
	require_nobody
	dir=$(mktemp -d "${TMPDIR:-/tmp}/mrctl-test.XXXXXX")
	cp "$TOOL" "$dir/suid"
	cp "$TOOL" "$dir/tool"
	chmod -R a+rX "$dir"
	chmod u+s "$dir/suid"
	as_nobody "${SIM[@]}" mrctl trace -- sh -c "$dir/suid await /dev/null nothing &
		$dir/tool exec syscall $dir/suid await $dir/errors '(suid) '; kill \$!" 2>"$dir/errors" 3>&- || :
	stderr=$(<"$dir/errors")
	rm -r "$dir"
	[[ $stderr == *"mrctl: trace: $dir/suid (pid "*") is not followed: it runs with the rights"* ]] || fail "$stderr"
	[[ $stderr == *"mrctl: trace: (suid) (pid "*") is not followed: it runs with the rights"* ]] || fail "$stderr"
}

@test "forked processes without a call are not reported" {
	# a second, in which mrctl looks at all processes several times
	run -0 --separate-stderr timeout 60 mrctl trace -- bash -c '(read -t 1 <>/dev/fd/2; true) & (exec sleep 1) & wait'
	[[ $stderr != *"not followed"* ]] || fail "$stderr"
}

# ---- regions that a process leaves to its children -----------------------------------------------

# left REGISTERED MOST LEAKED WHAT...: the tool under trace registers so many regions of 4096 bytes
left() {
	echo "$4"
	run -0 "${SIM[@]}" mrctl -j trace --force --summary "$SUMMARY" -- "$TOOL" "${@:4}"
	summary "$1" "$2" "$3"
}

summary() {
	jq -e --argjson registered "$1" --argjson most "$2" --argjson leaked "$3" '
		.registered == $registered and .registered_bytes == 4096 * $registered and
		.most_regions == $most and .most_bytes == 4096 * $most and
		.leaked == $leaked and .leaked_bytes == 4096 * $leaked and
		([.leaks[].regions] | add // 0) == $leaked' "$SUMMARY" >/dev/null || fail "$(cat "$SUMMARY")"
}

@test "a child that deregisters what its parent has left: no leak" {
	left 3 3 0 daemon
	left 4 4 0 called
	jq -e '.refused == 0' "$SUMMARY"
	left 3 3 0 both
	jq -e '.refused == 3' "$SUMMARY"
}

@test "a region that parent and child leave is one leak, of the parent" {
	left 3 3 1 forgets
	jq -e '.leaks | length == 1 and .[0].call == "ibv_reg_mr"' "$SUMMARY"
	left 3 3 3 silent
}

@test "the maximum at one time excludes regions of ended processes" {
	# each process leaves its regions, and is no longer there when the next one begins
	run -0 "${SIM[@]}" mrctl -j trace --summary "$SUMMARY" -- sh -c "for i in 1 2 3; do $TOOL silent; done"
	summary 9 3 9
}

@test "a region of a running child is not a leak" {
	begin "${SIM[@]}" mrctl -j trace --summary "$SUMMARY" -- "$TOOL" waits "$AWAITED"
	# mrctl has seen the end of the parent
	awaits "[ -e '$AWAITED' ] && [ ! -e \"/proc/\$(<'$AWAITED')\" ]"
	kill "$HOLD_PID"
	wait "$HOLD_PID"
	HOLD_PID=''
	summary 3 3 0
}
