#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# mrctl sim runs a program: its words, its exit status, and programs that cannot be run.

load helpers

@test "the program's input, output and exit status are mrctl's" {
	exits 7 mrctl sim -- sh -c 'cat; echo error >&2; exit 7' <<<"input"
	[ "$output" = input ] && [ "$stderr" = error ]
	exits 143 mrctl sim -- sh -c 'kill -TERM $$'
}

@test "the program gets its words as they are, with or without --" {
	run --separate-stderr mrctl sim -- printf '<%s>' 'a b' '' --size -x
	[ "$output" = '<a b><><--size><-x>' ]
	run --separate-stderr mrctl sim printf '<%s>' --json -h --bogus
	[ "$output" = '<--json><-h><--bogus>' ]
}

@test "without a program it is the shell" {
	succeeded env SHELL=/bin/echo mrctl sim
	exits 7 env -u SHELL mrctl sim <<<"exit 7"
}

@test "the exit status is 127 for a missing program, and 126 for one that cannot be run" {
	run -127 --separate-stderr mrctl sim -- nosuchprogram
	[[ $stderr == *"sim: cannot run 'nosuchprogram': execvp: ENOENT"* ]]
	: >"$BATS_TEST_TMPDIR/file"
	run -126 --separate-stderr mrctl sim -- "$BATS_TEST_TMPDIR/file"
	[[ $stderr == *"execvp: EACCES"* ]]
	run -126 --separate-stderr mrctl sim -- /
	[ -z "$output" ]
}

@test "an unreadable folder of PATH does not hide that a program is missing" {
	closed=$BATS_TEST_TMPDIR/closed open=$BATS_TEST_TMPDIR/open
	require_nobody
	mkdir -m 0 "$closed"
	mkdir "$open"
	: >"$open/notexecutable"
	chmod 755 "$BATS_RUN_TMPDIR" "$BATS_RUN_TMPDIR"/{file,test} "$BATS_TEST_TMPDIR"
	as_nobody test -e "$open/notexecutable" || skip "other users cannot reach $BATS_TEST_TMPDIR"
	for command in sim trace report; do
		run -127 --separate-stderr as_nobody env PATH="$PATH:$closed:$open" mrctl "$command" -- nosuchprogram
		[[ $stderr == *"cannot run 'nosuchprogram': execvp: ENOENT"* ]]
		run -126 --separate-stderr as_nobody env PATH="$PATH:$closed:$open" mrctl "$command" -- notexecutable
		[[ $stderr == *"cannot run 'notexecutable': execvp: EACCES"* ]]
	done
}

@test "a missing simulator is a reported error" {
	cp "$BUILD/mrctl" "$BATS_TEST_TMPDIR/mrctl"
	fails "not installed beside $BATS_TEST_TMPDIR" "$BATS_TEST_TMPDIR/mrctl" sim -- true
}
