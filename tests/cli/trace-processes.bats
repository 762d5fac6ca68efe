#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# mrctl trace: whatever a program does with processes, threads, descriptors and signals, it is followed, and does
# what it does without trace.  The tool checks what its calls return, and errno.
load helpers

TOOL=$BUILD/tests/cli/trace-processes

# traced WHAT...: the tool under trace; its calls are then in $calls, as "COUNT CALL ANSWER"
traced() {
	run --separate-stderr "${SIM[@]}" mrctl trace -o "$BATS_TEST_TMPDIR/calls" -- "$TOOL" "$@"
	calls=$(jq -r '"\(.call) \(.answer)"' "$BATS_TEST_TMPDIR/calls" | sort | uniq -c | sed 's/^ *//')
}

# steps COUNT: there were as many, each of three calls
steps() {
	[ "$status" -eq "${2:-0}" ]
	[[ $calls == *"$1 ibv_dereg_mr ok"* ]]
	[[ $calls == *"$1 ibv_reg_mr EINVAL"* ]]
	[[ $calls == *"$1 ibv_reg_mr ok"* ]]
}

processes() {
	jq -s 'map(.pid) | unique | length' "$BATS_TEST_TMPDIR/calls"
}

@test "a child of fork is a process of its own" {
	traced fork
	steps 3
	[ "$(processes)" -eq 2 ]
	traced grandchildren
	steps 9
	[ "$(processes)" -eq 4 ]
}

@test "a child with its parent's memory is seen" {
	traced clone-vm
	steps 3
}

@test "a program that closes all descriptors is followed, and so is its child" {
	traced closed
	steps 4
	[ "$(processes)" -eq 2 ]
}

@test "threads are told apart, and no call of theirs is lost" {
	traced threads 500
	steps 4000
	[ "$(jq -s 'map(.tid) | unique | length' "$BATS_TEST_TMPDIR/calls")" -eq 9 ]
}

@test "eight processes of eight threads are followed at once" {
	printf '%s\n' '#!/bin/sh' 'for i in 1 2 3 4 5 6 7 8; do' "	$TOOL threads 100 &" 'done' 'wait' \
		>"$BATS_TEST_TMPDIR/all"
	chmod +x "$BATS_TEST_TMPDIR/all"
	run -0 "${SIM[@]}" mrctl trace -q -o "$BATS_TEST_TMPDIR/calls" -- "$BATS_TEST_TMPDIR/all"
	[ "$(grep -c '"call":"ibv_dereg_mr".*"answer":"ok"' "$BATS_TEST_TMPDIR/calls")" -eq 6400 ]
	[ "$(processes)" -eq 8 ]
}

@test "signals with handlers interrupt no call" {
	traced signals 3000
	steps 3000
}

@test "a program that is killed within its calls has told all of them" {
	traced killed
	[ "$status" -eq 137 ]
	[[ $calls == *"ibv_reg_mr ok"* ]]
}

@test "a program goes on where mrctl is killed" {
	printf '%s\n' '#!/bin/sh' "echo \$PPID >$BATS_TEST_TMPDIR/pid" "kill -KILL \$PPID" \
		"timeout 60 $TOOL threads 3000 && echo ended >$BATS_TEST_TMPDIR/ended" >"$BATS_TEST_TMPDIR/killer"
	chmod +x "$BATS_TEST_TMPDIR/killer"
	run "${SIM[@]}" mrctl trace -q -- "$BATS_TEST_TMPDIR/killer"
	[ "$status" -eq 137 ]
	timeout 60 sh -c "until [ -e $BATS_TEST_TMPDIR/ended ]; do sleep 0.1; done"
}

@test "a program whose mrctl stops waits, and goes on with it" {
	"${SIM[@]}" mrctl trace -q -o "$BATS_TEST_TMPDIR/calls" -- "$TOOL" threads 4000 &
	local tracer=$!
	# a fast machine may be done before the last stop
	for _ in 1 2 3 4 5; do
		kill -STOP "$tracer" || break
		sleep 0.1
		kill -CONT "$tracer"
		sleep 0.05
	done
	wait "$tracer"
	[ "$(grep -c '"call":"ibv_dereg_mr"' "$BATS_TEST_TMPDIR/calls")" -eq 32000 ]
}

@test "programs are followed however they are run" {
	local how
	# on the simulator, whatever the environment lacks
	printf '%s\n' '#!/bin/sh' "exec $BUILD/mrctl sim -- $TOOL step" >"$BATS_TEST_TMPDIR/step"
	chmod +x "$BATS_TEST_TMPDIR/step"
	for how in {,-,+,v,-v}{execv,execve,execvp,execvpe,execl,execlp,execle} posix_spawn posix_spawnp -posix_spawn; do
		echo "$how"
		traced exec "$how" "$BATS_TEST_TMPDIR/step" unused
		steps 1
		[ "$(processes)" -eq 2 ]
	done
	for how in {,-}{fexecve,execveat}; do
		echo "$how"
		traced exec "$how" "$TOOL" step
		[[ $how == -* ]] || steps 1
	done
}

@test "an exec that fails returns what it returns alone, and the program is still followed" {
	run -0 "${SIM[@]}" mrctl trace -q -o "$BATS_TEST_TMPDIR/calls" -- \
		bash -c "/nonexistent/program; [ \$? -eq 127 ]; $BATS_TEST_TMPDIR; [ \$? -eq 126 ]; exec $TOOL step"
	grep -q '"call":"ibv_dereg_mr"' "$BATS_TEST_TMPDIR/calls"
}

@test "what cannot be followed is told when it begins" {
	local dir=$BATS_TEST_TMPDIR
	echo 'int main(void) { return 0; }' >"$dir/none.c"
	"${CC:-cc}" -static -o "$dir/static" "$dir/none.c"
	printf '#!%s\n' "$dir/static" >"$dir/script"
	cp "$(type -P true)" "$dir/narrow"
	printf '\001' | dd of="$dir/narrow" bs=1 seek=4 conv=notrunc status=none # ELFCLASS32
	chmod +x "$dir"/{static,script,narrow}
	run --separate-stderr mrctl trace -- sh -c "$dir/static; $dir/script; $dir/narrow; true"
	[ "$status" -eq 0 ]
	[[ $stderr == *"$dir/static "*"linked statically"* ]]
	[[ $stderr == *"$dir/script "*"linked statically"* ]]
	[[ $stderr == *"$dir/narrow "*"not followed"* ]]
	[[ $stderr != *"/true "*"not followed"* ]]
}

@test "a program with rights of its own is told, and given no library" {
	[ "$(id -u)" -eq 0 ] || skip "needs root, to make one"
	cp "$(type -P true)" "$BATS_TEST_TMPDIR/privileged"
	chown nobody "$BATS_TEST_TMPDIR/privileged"
	chmod u+s "$BATS_TEST_TMPDIR/privileged"
	run --separate-stderr mrctl trace -- sh -c "$BATS_TEST_TMPDIR/privileged; true"
	[ "$status" -eq 0 ]
	[[ $stderr == *"$BATS_TEST_TMPDIR/privileged "*"not followed: it gets rights"* ]]
}

@test "a program that a trace within a trace runs is followed by that one alone" {
	local copy=$BATS_TEST_TMPDIR/copy inner

	mkdir "$copy"
	cp -a "$BUILD"/{mrctl,trace} "$copy" # a trace by the same files, and by others
	for inner in "$copy/mrctl" "$BUILD/mrctl"; do
		run --separate-stderr "${SIM[@]}" timeout -s KILL 60 "$copy/mrctl" trace -o "$BATS_TEST_TMPDIR/outer" -- \
			"$inner" trace -o "$BATS_TEST_TMPDIR/calls" --live --summary "$BATS_TEST_TMPDIR/summary" -- \
			sh -c "$TOOL step; $TOOL fork"
		[ "$status" -eq 0 ] || fail "$inner: $status" "$stderr"
		[ "$(processes)" -eq 3 ]
		[ "$(grep -c '"call":"ibv_dereg_mr".*"answer":"ok"' "$BATS_TEST_TMPDIR/calls")" -eq 4 ]
		[ "$(grep -c '^\[pid [0-9]*\] ibv_dereg_mr(' <<<"$stderr")" -eq 4 ]
		[ "$(grep -c reg_mr "$BATS_TEST_TMPDIR/outer")" -eq 0 ]
	done
}

@test "what a trace within a trace cannot follow is told by that one alone" {
	echo 'int main(void) { return 0; }' >"$BATS_TEST_TMPDIR/none.c"
	"${CC:-cc}" -static -o "$BATS_TEST_TMPDIR/static" "$BATS_TEST_TMPDIR/none.c"
	run -0 --separate-stderr timeout 60 mrctl trace --summary "$BATS_TEST_TMPDIR/outer" -- \
		sh -c "mrctl trace --summary $BATS_TEST_TMPDIR/inner -- sh -c '$BATS_TEST_TMPDIR/static; true'"
	[ "$(grep -c "static .*is not followed" <<<"$stderr")" -eq 1 ]
}

# told_at_once REASON CMD...: CMD runs a program that cannot be followed, and that waits until this is told.  It is told
# once, and again in the summary.
told_at_once() {
	local errors=$BATS_TEST_TMPDIR/errors program=$BATS_TEST_TMPDIR/lost

	cp "$TOOL" "$program"
	(exec 3>&- && exec timeout 60 "${SIM[@]}" mrctl trace -- "${@:2}" "$program" await "$errors" "is not followed: $1") \
		2>"$BATS_TEST_TMPDIR/errors" ||
		fail "$(cat "$errors")"
	[ "$(grep -c "^mrctl: trace: $program (pid [0-9]*) is not followed: $1" "$errors")" -eq 1 ] || fail "$(cat "$errors")"
	[ "$(grep -c "^  $program: $1" "$errors")" -eq 1 ]
}

@test "a program that is started past the C library, without its environment, is told at once" {
	told_at_once "it was started without the variables" "$TOOL" exec -syscall
}

@test "a program whose connections are refused is told at once" {
	told_at_once "it could not connect to mrctl, and its system calls are filtered" "$TOOL" filter
}

@test "a program that has no descriptors to spare is told at once" {
	# three are taken, and it needs one to read the file
	# shellcheck disable=SC2016 # for that shell
	told_at_once "it could not connect to mrctl, and has fewer than two descriptors" \
		sh -c 'ulimit -n 4; exec "$@"' sh
}

@test "processes are followed where mrctl may have few descriptors" {
	# shellcheck disable=SC2016 # for that shell
	run --separate-stderr bash -c 'ulimit -n 24; exec "$@"' bash "${SIM[@]}" mrctl trace -o "$BATS_TEST_TMPDIR/calls" -- \
		"$TOOL" fork
	[ "$status" -eq 0 ]
	[ "$(processes)" -eq 2 ]
}

@test "a program in another network namespace is told at once" {
	unshare -n true 2>/dev/null || skip "needs root, to make one"
	told_at_once "it is in another network namespace" unshare -n
}

@test "a program with rights of its own is told at once, also where it is started past the C library" {
	[ "$(id -u)" -eq 0 ] || skip "needs root, to make one"
	require_nobody
	local dir
	dir=$(mktemp -d "${TMPDIR:-/tmp}/mrctl-test.XXXXXX")
	cp "$TOOL" "$dir/tool"
	cp "$(type -P sleep)" "$dir/suid"
	chmod -R a+rX "$dir"
	chmod u+s "$dir/suid"
	run --separate-stderr as_nobody "${SIM[@]}" mrctl trace -- "$dir/tool" exec syscall "$dir/suid" 1
	rm -r "$dir"
	[ "$status" -eq 0 ]
	[[ $stderr == *"mrctl: trace: (suid) (pid "*") is not followed: it gets rights"* ]] || fail "$stderr"
}

@test "a program that cannot be followed is told once, however often it runs" {
	echo 'int main(void) { return 0; }' >"$BATS_TEST_TMPDIR/none.c"
	"${CC:-cc}" -static -o "$BATS_TEST_TMPDIR/static" "$BATS_TEST_TMPDIR/none.c"
	run -0 --separate-stderr mrctl trace -- bash -c "for i in {1..20}; do $BATS_TEST_TMPDIR/static; done"
	[ "$(grep -c "static (pid .*is not followed" <<<"$stderr")" -eq 1 ]
	[[ $stderr == *$'mrctl: trace: 1 program was not followed\n  '"$BATS_TEST_TMPDIR/static: it is linked statically"* ]]
}

@test "processes that are forked, and make no call, are not told" {
	run -0 --separate-stderr timeout 60 mrctl trace -- bash -c '(read -t 1 <>/dev/fd/2; true) & (exec sleep 1) & wait'
	[[ $stderr != *"not followed"* ]] || fail "$stderr"
}

@test "what a program within a trace within a trace starts is left to the inner one" {
	run -0 --separate-stderr timeout 60 mrctl trace --summary "$BATS_TEST_TMPDIR/outer" -- "${SIM[@]}" \
		mrctl trace -- "$TOOL" exec -syscall "$(type -P sleep)" 1
	[ "$(grep -c "sleep (pid .*is not followed" <<<"$stderr")" -eq 1 ] || fail "$stderr"
	[ "$(grep -c "not followed" "$BATS_TEST_TMPDIR/outer")" -eq 0 ]
}
