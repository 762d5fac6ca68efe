# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# --watch: answers one after another, or drawn in place on a terminal
load helpers

# in_session COMMAND: bash runs it in a session with one region, on the simulator
in_session() {
	run --separate-stderr "${MS[@]}" session -- timeout 20 bash -c "mrctl reg -q --name buf; $1"
}

# on_terminal ROWS COLUMNS COMMAND: prints what COMMAND writes to a terminal of that size, without its line ends;
# $typed is typed after $pause seconds (default: 1), and Ctrl-C after another
on_terminal() {
	{
		sleep "${pause-1}"
		printf %b "${typed-}"
		sleep 1
		printf '\003'
		sleep 1
	} | TERM=xterm timeout 20 "${SIM[@]}" script -qec "stty rows $1 cols $2; $3" /dev/null | tr -d '\r'
}

# pages: the pages on stdin, each as it is seen; a line of its own says where each begins
pages() {
	sed -e 's/\x1b\[H\x1b\[?7l/\n--- page\n/g' -e 's/\x1b\[K//g' -e 's/\x1b\[J//g' -e 's/\x1b\[?7h//g'
}

@test "answers are separated by an empty line, until SIGINT, which is no failure" {
	in_session 'timeout -s INT 2 mrctl stat --watch 0.2'
	[ "$status" -eq 124 ] || fail "$status $output"
	[ "$(grep -c '^ID NAME' <<<"$output")" -ge 3 ] || fail "$output"
	[ "$(grep -cx '' <<<"$output")" -eq $(($(grep -c '^ID NAME' <<<"$output") - 1)) ]
	in_session 'mrctl stat --watch 60 >/dev/null & pid=$!; sleep 1; kill -TERM $pid; wait $pid'
	succeeded
}

@test "each answer of -j is a line that is a document" {
	in_session 'timeout -s INT 2 mrctl -j stat --watch 0.2'
	[ "$(wc -l <<<"$output")" -ge 3 ] || fail "$output"
	while read -r line; do
		jq -e '.regions[0].name == "buf" and .failures == []' <<<"$line" >/dev/null || fail "$line"
	done <<<"$output"
	run --separate-stderr timeout -s INT 1 mrctl -j stat --host --watch 0.2
	[ "$(jq -c .command <<<"$output" | sort -u)" = '"stat"' ] || fail "$output" "$stderr"
	[ "$(jq -sc length <<<"$output")" -eq "$(wc -l <<<"$output")" ]
}

@test "the interval is from start to start: answers do not drift" {
	command -v strace >/dev/null || skip "needs strace"
	timeout -s INT 4 strace -e trace=ppoll -o "$BATS_TEST_TMPDIR/strace" \
		"$BUILD/mrctl" stat --host --watch 1 >/dev/null || true
	run grep -o 'ppoll(.*tv_nsec=[0-9]*' "$BATS_TEST_TMPDIR/strace"
	[ ${#lines[@]} -ge 2 ] || fail "$output"
	# the time that the answer took, more than 0.1 ms, is no part of the wait
	for line in "${lines[@]}"; do
		[[ $line == *tv_sec=0,* ]] && [ "${line##*=}" -lt 999900000 ] || fail "$line"
	done
}

@test "an answer that fails is not the end, and the last one makes the exit status" {
	run --separate-stderr env -u MRCTL_SESSION timeout 20 bash -c \
		'mrctl stat --watch 0.2 & pid=$!; sleep 1; kill -INT $pid; wait $pid'
	absent "not in a session"
	[ "$(grep -c 'not in a session' <<<"$stderr")" -ge 2 ] || fail "$stderr"
	run --separate-stderr env -u MRCTL_SESSION timeout 20 bash -c \
		'mrctl -j stat --watch 0.2 2>/dev/null & pid=$!; sleep 1; kill -INT $pid; wait $pid'
	[ "$status" -eq 3 ]
	[ "$(jq -s 'length >= 2 and all(.failures[0].errno == "ENOTCONN")' <<<"$output")" = true ] || fail "$output"
}

@test "a session whose last region goes is watched on" {
	in_session '{ sleep 0.7; mrctl dereg -q buf; } & timeout -s INT 2 mrctl -j stat --watch 0.2'
	[ "$(jq -s 'first.totals.regions == 1 and last.totals.regions == 0' <<<"$output")" = true ] || fail "$output"
}

@test "it ends when nobody reads any more, also between two answers" {
	local start=$SECONDS

	# shellcheck disable=SC2016 # expanded by bash
	run timeout 20 bash -c 'mrctl stat --host --watch 600 2>/dev/null | head -n 1; echo "${PIPESTATUS[0]}"'
	[ "$status" -eq 0 ] && [ $((SECONDS - start)) -lt 15 ] || fail "$status $output"
	# SIGPIPE may be ignored
	# shellcheck disable=SC2016
	run timeout 20 bash -c 'trap "" PIPE; mrctl stat --host --watch 0.1 2>/dev/null | head -n 1'
	[ "$status" -eq 0 ] || fail "$status $output"
	run -1 --separate-stderr timeout 20 bash -c 'mrctl stat --host --watch 0.1 >/dev/full'
	[[ $stderr == *"cannot print on standard output"* ]]
}

@test "usage errors" {
	run --separate-stderr mrctl stat --watch 0
	usage_error "--watch: give seconds"
	run --separate-stderr mrctl stat --watch -1
	usage_error "--watch"
	run --separate-stderr mrctl stat --watch soon
	usage_error "--watch"
	run --separate-stderr mrctl -q stat --watch 1
	usage_error "--watch excludes --quiet"
	run --separate-stderr mrctl stat --host --watch 1 --record "$BATS_TEST_TMPDIR/x"
	usage_error "--watch excludes --record"
	run --separate-stderr timeout 9 mrctl -o nonsense stat --host --watch 1
	usage_error "nonsense"
	run --separate-stderr mr batch - <<<'stat --watch 1'
	[ "$status" -eq 2 ] && [[ $stderr == *"no line of a batch can be stat --watch"* ]] || fail "$status $stderr"
}

@test "on a terminal each page takes the place of the one before, and the cursor comes back" {
	run on_terminal 10 60 'mrctl stat --host --watch 0.3; echo "status $?"'
	[[ $output == $'\e[?1049h\e[?25l'* ]] || fail "$(cat -v <<<"$output")"
	[[ $output == *$'\e[?25h\e[?1049l'*status\ [01] ]] || fail "$(cat -v <<<"$output")"
	pages <<<"$output" >"$BATS_TEST_TMPDIR/pages"
	[ "$(grep -c '^--- page' "$BATS_TEST_TMPDIR/pages")" -ge 3 ]
	[ "$(grep -c 'mrctl stat --host --watch 0.3' "$BATS_TEST_TMPDIR/pages")" -ge 3 ]
	# nothing but the first page clears the screen: it would flicker
	[ "$(grep -o $'\e\[H\e\[J' <<<"$output" | wc -l)" -eq 1 ]
}

@test "a page that does not fit is cut, and says so" {
	local line

	run on_terminal 7 30 'mrctl session -- sh -c "mrctl reg -q --count 20; mrctl stat --watch 9"'
	pages <<<"$output" | sed -n '/^--- page/,$p' | sed -n 2,8p >"$BATS_TEST_TMPDIR/page"
	run cat "$BATS_TEST_TMPDIR/page"
	[[ ${lines[0]} == [0-9][0-9]:*"  mrctl stat --watch 9"* ]] || fail "$output"
	grep -q '^ID' "$BATS_TEST_TMPDIR/page" || fail "$output"
	grep -Eq '^\([0-9]+ more lines\)' "$BATS_TEST_TMPDIR/page" || fail "$output"
	while read -r line; do
		[ "${#line}" -le 30 ] || [[ $line == *$'\e'* ]] || fail "$line"
	done <"$BATS_TEST_TMPDIR/page"
}

@test "a terminal that gets another size is drawn again at once" {
	pause=5 run on_terminal 20 70 '{ sleep 0.5; stty rows 5 cols 25 </dev/tty; } & mrctl stat --watch 600'
	pages <<<"$output" >"$BATS_TEST_TMPDIR/pages"
	[ "$(grep -c '^--- page' "$BATS_TEST_TMPDIR/pages")" -eq 2 ] || fail "$(cat -v "$BATS_TEST_TMPDIR/pages")"
	# cut to 25 columns; the command line is longer
	[ "$(grep -c '^[0-9:]*  mrctl stat --watch 600$' "$BATS_TEST_TMPDIR/pages")" -eq 1 ]
}

@test "Ctrl-Z gives the terminal back, and fg takes it again" {
	pause=3 typed='\032' run on_terminal 20 70 'bash -mc "mrctl stat --watch 600; echo again; fg; echo ended"'
	[ "$(grep -o $'\e\[?1049h' <<<"$output" | wc -l)" -eq "$(grep -o $'\e\[?1049l' <<<"$output" | wc -l)" ] || fail "$(cat -v <<<"$output")"
	[[ $output == *$'\e[?1049l'*again*$'\e[?1049h'*$'\e[?1049l'*ended* ]] || fail "$(cat -v <<<"$output")"
}

@test "a terminal without escapes gets one answer after another" {
	run env TERM=dumb timeout -s INT 9 script -qec 'timeout -s INT 1 mrctl stat --host --watch 0.3' /dev/null </dev/null
	[[ $output != *$'\e'* ]] || fail "$(cat -v <<<"$output")"
}

@test "thousands of answers need no more memory than tens" {
	local pid before after

	! is_sanitized || skip "ASan keeps what was freed"
	[ -z "${WRAP:-}" ] || skip "it measures mrctl alone"
	"$BUILD/mrctl" -j stat --host --watch 0.001 >/dev/null &
	pid=$!
	sleep 1
	before=$(awk '/^VmRSS/ { print $2 }' "/proc/$pid/status")
	sleep 3
	after=$(awk '/^VmRSS/ { print $2 }' "/proc/$pid/status")
	kill -INT "$pid"
	wait "$pid" || true
	[ $((after - before)) -lt 512 ] || fail "from $before to $after KiB"
}
