# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# --watch: answers one after another, or drawn in place on a terminal
load helpers

# appears COUNT TEXT FILE...: waits until TEXT is in the files COUNT times
appears() {
	local i

	for ((i = 0; i < 400; i++)); do
		[ "$(cat "${@:3}" | grep -aoF -e "$2" | wc -l)" -lt "$1" ] || return 0
		sleep 0.05
	done
	echo "not in time: $1 times $2" >&2
}

# interrupt_after COUNT TEXT CMD...: SIGINT ends CMD once it has printed TEXT COUNT times
interrupt_after() {
	local count=$1 text=$2 pid status=0

	shift 2
	# in a background job of a shell without job control SIGINT would be ignored
	env --default-signal=INT "$@" >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" &
	pid=$!
	appears "$count" "$text" "$BATS_TEST_TMPDIR/out" "$BATS_TEST_TMPDIR/err"
	kill -INT "$pid"
	wait "$pid" || status=$?
	cat "$BATS_TEST_TMPDIR/out"
	cat "$BATS_TEST_TMPDIR/err" >&2
	return "$status"
}

# in_session COMMAND: bash runs it in a session with one region, on the simulator
in_session() {
	export -f appears interrupt_after
	export BATS_TEST_TMPDIR
	run --separate-stderr "${MS[@]}" session -- timeout 60 bash -c "mrctl reg -q --name buf; $1"
}

# what ends each page
END_PAGE=$'\e[?7h'

# on_terminal ROWS COLUMNS COMMAND [COUNT TEXT KEYS]...: prints what COMMAND writes to a terminal of that size,
# without its line ends; each KEYS are typed once TEXT has appeared COUNT times
on_terminal() {
	local seen=$BATS_TEST_TMPDIR/seen done=$BATS_TEST_TMPDIR/done size="rows $1 cols $2" command=$3 i

	shift 3
	rm -f "$done"
	: >"$seen"
	# shellcheck disable=SC2094 # what is typed depends on what is seen
	{
		for (( ; $#; )); do
			appears "$1" "$2" "$seen"
			printf %b "$3"
			shift 3
		done
		for ((i = 0; i < 400; i++)); do
			[ ! -e "$done" ] || break
			sleep 0.05
		done
	} | TERM=xterm timeout 60 "${SIM[@]}" script -qec "trap : INT; stty $size; $command; touch '$done'" /dev/null >"$seen"
	tr -d '\r' <"$seen"
}

# pages: the pages on stdin, each as it is seen; a line of its own says where each begins
pages() {
	sed -e 's/\x1b\[H\x1b\[?7l/\n--- page\n/g' -e 's/\x1b\[K//g' -e 's/\x1b\[J//g' -e 's/\x1b\[?7h//g'
}

@test "answers are separated by an empty line, until SIGINT, which is no failure" {
	in_session 'interrupt_after 3 "ID NAME" mrctl stat --watch 0.2'
	succeeded
	[ "$(grep -c '^ID NAME' <<<"$output")" -ge 3 ] || fail "$output"
	[ "$(grep -cx '' <<<"$output")" -eq $(($(grep -c '^ID NAME' <<<"$output") - 1)) ]
	# shellcheck disable=SC2016 # expanded by bash
	in_session 'out=$BATS_TEST_TMPDIR/terminated; mrctl stat --watch 60 >$out & pid=$!; appears 1 pds: $out; kill -TERM $pid; wait $pid'
	succeeded
}

@test "each answer of -j is a line that is a document" {
	in_session 'interrupt_after 3 "\"failures\"" mrctl -j stat --watch 0.2'
	[ "$(wc -l <<<"$output")" -ge 3 ] || fail "$output"
	while read -r line; do
		jq -e '.regions[0].name == "buf" and .failures == []' <<<"$line" >/dev/null || fail "$line"
	done <<<"$output"
	run --separate-stderr interrupt_after 2 '"failures"' mrctl -j stat --host --watch 0.2
	[ "$(jq -c .command <<<"$output" | sort -u)" = '"stat"' ] || fail "$output" "$stderr"
	[ "$(jq -sc length <<<"$output")" -eq "$(wc -l <<<"$output")" ]
}

@test "the interval is from start to start: answers do not drift" {
	command -v strace >/dev/null || skip "needs strace"
	interrupt_after 3 'ppoll(' strace -e trace=ppoll "$BUILD/mrctl" stat --host --watch 0.5 \
		>/dev/null 2>"$BATS_TEST_TMPDIR/strace" || true
	run grep -o 'ppoll(.*tv_nsec=[0-9]*' "$BATS_TEST_TMPDIR/strace"
	[ ${#lines[@]} -ge 2 ] || fail "$output"
	# the time that the answer took, more than 0.1 ms, is no part of the wait
	for line in "${lines[@]}"; do
		[[ $line == *tv_sec=0,* ]] && [ "${line##*=}" -lt 499900000 ] || fail "$line"
	done
}

@test "an answer that fails is not the end, and the last one makes the exit status" {
	run --separate-stderr interrupt_after 2 'not in a session' mrctl stat --watch 0.2
	absent "not in a session"
	[ "$(grep -c 'not in a session' <<<"$stderr")" -ge 2 ] || fail "$stderr"
	run --separate-stderr interrupt_after 2 '"failures"' mrctl -j stat --watch 0.2
	[ "$status" -eq 3 ]
	[ "$(jq -s 'length >= 2 and all(.failures[0].errno == "ENOTCONN")' <<<"$output")" = true ] || fail "$output"
}

@test "a session whose last region goes is watched on" {
	# shellcheck disable=SC2016 # expanded by bash
	in_session '{ appears 1 "\"regions\":1" $BATS_TEST_TMPDIR/out; mrctl dereg -q buf; } &
		interrupt_after 1 "\"regions\":0" mrctl -j stat --watch 0.2'
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
	run on_terminal 10 60 'mrctl stat --host --watch 0.3; echo "status $?"' 3 "$END_PAGE" '\003'
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

	run on_terminal 7 30 'mrctl session -- sh -c "mrctl reg -q --count 20; mrctl stat --watch 9"' 1 "$END_PAGE" '\003'
	pages <<<"$output" | sed -n '/^--- page/,$p' | sed -n 2,8p >"$BATS_TEST_TMPDIR/page"
	run cat "$BATS_TEST_TMPDIR/page"
	[[ ${lines[0]} == [0-9][0-9]:*"  mrctl stat --watch 9"* ]] || fail "$output"
	grep -q '^ID' "$BATS_TEST_TMPDIR/page" || fail "$output"
	grep -Eq '^\([0-9]+ more lines\)' "$BATS_TEST_TMPDIR/page" || fail "$output"
	while read -r line; do
		[ "${#line}" -le 30 ] || [[ $line == *$'\e'* ]] || fail "$line"
	done <"$BATS_TEST_TMPDIR/page"
}

@test "a page has colours, which take no columns" {
	local escape=$'\e' page plain

	unset NO_COLOR
	run on_terminal 40 60 'mrctl stat --host --watch 9' 1 "$END_PAGE" '\003'
	page=$(pages <<<"$output" | sed -n '/^--- page/,$p')
	[[ $page == *"${escape}[1mlimits"* ]] || fail "$(cat -v <<<"$page")"
	plain=$(tr -d '\033' <<<"$page" | sed 's/\[[0-9;]*m//g')
	[[ $plain != *'['[0-9]*m* ]] || fail "$(cat -v <<<"$page")"
	grep -q '^.\{60\}$' <<<"$plain" || fail "$plain"
	! grep -q '^.\{61,\}$' <<<"$plain" || fail "$plain"
}

@test "a terminal that gets another size is drawn again at once" {
	run on_terminal 20 70 '{ read -r _ </dev/tty; stty rows 5 cols 25 </dev/tty; } & mrctl stat --watch 600' \
		1 "$END_PAGE" '\n' 1 $'stat --wa\r' '' 1 $'not in a ses\r' '\003'
	# the last page is cut to 25 columns; the command line is longer
	pages <<<"$output" | tac | sed '/^--- page/q' >"$BATS_TEST_TMPDIR/last"
	grep -q '^[0-9:]*  mrctl stat --wa$' "$BATS_TEST_TMPDIR/last" || fail "$(cat -v <<<"$output")"
}

@test "Ctrl-Z gives the terminal back, and fg takes it again" {
	run on_terminal 20 70 'bash -mc "mrctl stat --watch 600; echo again; fg; echo ended"' \
		1 "$END_PAGE" '\032' 2 "$END_PAGE" '\003'
	[ "$(grep -o $'\e\[?1049h' <<<"$output" | wc -l)" -eq "$(grep -o $'\e\[?1049l' <<<"$output" | wc -l)" ] || fail "$(cat -v <<<"$output")"
	[[ $output == *$'\e[?1049l'*again*$'\e[?1049h'*$'\e[?1049l'*ended* ]] || fail "$(cat -v <<<"$output")"
}

@test "a terminal without escapes gets one answer after another" {
	run env TERM=dumb timeout -s INT 9 script -qec 'timeout -s INT 1 mrctl stat --host --watch 0.3' /dev/null </dev/null
	[[ $output != *$'\e'* ]] || fail "$(cat -v <<<"$output")"
}

@test "hundreds of answers need no more memory than tens" {
	local answers pid before after

	! is_sanitized || skip "ASan keeps what was freed"
	[ -z "${WRAP:-}" ] || skip "it measures mrctl alone"
	exec {answers}< <(exec "$BUILD/mrctl" -j stat --host --watch 0.001)
	pid=$!
	mapfile -t -n 50 -u "$answers" lines
	before=$(awk '/^VmRSS/ { print $2 }' "/proc/$pid/status")
	mapfile -t -n 500 -u "$answers" lines
	after=$(awk '/^VmRSS/ { print $2 }' "/proc/$pid/status")
	exec {answers}<&-
	[ "${#lines[@]}" -eq 500 ] && [ $((after - before)) -lt 512 ] || fail "from $before to $after KiB"
}
