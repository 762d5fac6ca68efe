#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Names and paths with any bytes: output lines and terminals stay intact, and JSON is valid.

load helpers

# Control characters of terminals, bytes that are not UTF-8, and letters: é, C1, overlong, a surrogate, too large
HOSTILE=$'x\nmrctl: all is well\e[2J\r\x7f\xc3\xa9\xc2\x9b31m\xff\xc0\xaf\xed\xa0\x80\xf4\x90\x80\x80\xe2\x80\xae'

# harmless TEXT: it has no control characters but line ends
harmless() {
	iconv -f utf-8 -t utf-8 <<<"$1" >/dev/null || fail "no UTF-8: $1" || return
	LC_ALL=C.UTF-8 grep -q '[[:cntrl:]]' <<<"$1" || return 0
	fail "control characters in: $(cat -v <<<"$1")"
}

# json_is_strict: stdout is UTF-8, and one JSON document for a strict reader
json_is_strict() {
	iconv -f utf-8 -t utf-8 <<<"$output" >/dev/null || fail "no UTF-8: $output" || return
	json 'has("failures")'
}

# refused_harmlessly STATUS COMMAND...: it fails with STATUS, and one message that has no control characters
refused_harmlessly() {
	run --separate-stderr "${@:2}"
	[ "$status" -eq "$1" ] || fail "${*:2}: $status" || return
	[ "$(grep -c '^mrctl:' <<<"$stderr")" -eq 1 ] || fail "${*:2}: $stderr" || return
	harmless "$stderr"
}

# bats test_tags=slow
@test "words of the command line and of the environment cannot forge a message on standard error" {
	for word in --size --memory --access --name --pd --output --expect --count --call --via \
		--session --advise --numa --hold-for; do
		refused_harmlessly 2 mr reg "$word" "$HOSTILE" || return
	done
	refused_harmlessly 3 mr reg --device "$HOSTILE"
	for word in "$HOSTILE" "--$HOSTILE" "-$HOSTILE" "help $HOSTILE"; do
		refused_harmlessly 2 mrctl "$word" || return
	done
	for word in "$HOSTILE" "fd:$HOSTILE" "pid:$HOSTILE" "pid:1$HOSTILE"; do
		MRCTL_SESSION=$word refused_harmlessly 2 ms stat || return
	done
	for word in MRCTL_SIM_KERNEL MRCTL_SIM_FAULT; do
		run --separate-stderr mrctl sim -- env "$word=$HOSTILE" true
		[[ $status -eq 2 && $stderr != *$'\n'* ]] || fail "$word: $status $stderr" || return
		harmless "$stderr" || return
	done
	run --separate-stderr mr reg --memory "file:/nonexistent/größe"
	[[ $stderr == *größe* ]] || fail "$stderr"
}

@test "a path is harmless in lines, in tables and without headings" {
	file="$BATS_TEST_TMPDIR/$HOSTILE"
	succeeded mr reg --access remote-read --memory "file:$file"
	harmless "$output$stderr"
	[[ $output == *'x\x0amrctl: all is well\x1b[2J'* ]]
	for options in "-o memory" "-n -o memory" -v; do
		succeeded mr reg --access remote-read --memory "file:$file" $options
		harmless "$output$stderr"
	done
}

@test "JSON is valid with any path, and has U+FFFD for bytes that are not UTF-8" {
	for text in "$HOSTILE" a$'\xff'b; do
		exits 1 mr reg -j --memory "file:/nonexistent/$text"
		json_is_strict || return
		succeeded mr reg -j --access remote-read --memory "file:$BATS_TEST_TMPDIR/$text"
		json_is_strict || return
	done
	[[ $output == *"/a"$'\xef\xbf\xbd'"b\""* ]]
	shows '.failures[0].message | contains("größe 大 😀")' mr reg --memory "file:/nonexistent/größe 大 😀"
}

@test "lines of a batch are printed harmlessly, and are valid JSON" {
	batch=$BATS_TEST_TMPDIR/batch
	printf 'reg --size 4K --memory "file:/nonexistent/\e[2J\xff\xc2\x9b31m"\n' >"$batch"
	exits 1 mr batch "$batch"
	harmless "$output$stderr"
	[[ $output == "line 1: "*'\x1b[2J\xff\xc2\x9b31m'* ]]
	exits 1 mr batch -j "$batch"
	json_is_strict
	run --separate-stderr mr batch "$BATS_TEST_TMPDIR/$HOSTILE"
	[ "$status" -ne 0 ]
	harmless "$stderr"
	[ "$(wc -l <<<"$stderr")" -le 2 ] || fail "$stderr"
}

@test "the line that a detached session prints for eval has nothing but its pid" {
	session_begin
	run --separate-stderr mr session --detach --device "$HOSTILE"
	[ "$status" -ne 0 ]
	[ "$output" = false ] || [ -z "$output" ]
	harmless "$stderr"
	[[ $MRCTL_SESSION =~ ^pid:[0-9]+$ ]]
}
