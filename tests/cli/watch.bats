# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# --watch: answers one after another, or drawn in place on a terminal
load helpers

# appears COUNT TEXT FILE...: waits for a minute until TEXT is in the files COUNT times
appears() {
	local i

	for ((i = 0; i < 1200; i++)); do
		[ "$(cat "${@:3}" | grep -aoF -e "$2" | wc -l)" -lt "$1" ] || return 0
		sleep 0.05
	done
	echo "not in time: $1 times $2" >&2
	return 1
}

# interrupt_after COUNT TEXT CMD...: SIGINT ends CMD once it has printed TEXT COUNT times
interrupt_after() {
	local count=$1 text=$2 pid status=0

	shift 2
	: >"$BATS_TEST_TMPDIR/out"
	# in a background job of a shell without job control SIGINT would be ignored
	env --default-signal=INT "$@" >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" 3>&- &
	pid=$!
	appears "$count" "$text" "$BATS_TEST_TMPDIR/out" "$BATS_TEST_TMPDIR/err" || kill -KILL "$pid"
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
	run --separate-stderr "${MS[@]}" session -- timeout 100 bash -c "mrctl reg -q --name buf; $1"
}

@test "answers are separated by an empty line, until a signal, which is no failure" {
	in_session 'interrupt_after 3 "ID NAME" mrctl stat --watch 0.2'
	succeeded
	[ "$(grep -c '^ID NAME' <<<"$output")" -ge 3 ] || fail "$output"
	[ "$(grep -cx '' <<<"$output")" -eq $(($(grep -c '^ID NAME' <<<"$output") - 1)) ]
	# shellcheck disable=SC2016 # expanded by bash
	in_session 'out=$BATS_TEST_TMPDIR/terminated; mrctl stat --watch 600 >$out & pid=$!; appears 1 pds: $out; kill -TERM $pid; wait $pid'
	succeeded
}

@test "each answer of -j is a line that is a document, also once the last region has gone" {
	# shellcheck disable=SC2016 # expanded by bash
	in_session '{ appears 2 "\"regions\":1" $BATS_TEST_TMPDIR/out; mrctl dereg -q buf; } &
		interrupt_after 1 "\"regions\":0" mrctl -j stat --watch 0.2; wait'
	succeeded
	[ "$(jq -sc length <<<"$output")" -eq "$(wc -l <<<"$output")" ] || fail "$output"
	[ "$(jq -s 'first.totals.regions == 1 and last.totals.regions == 0 and all(.failures == [])' <<<"$output")" = true ] ||
		fail "$output"
}

@test "an answer that fails is not the end, and the last one makes the exit status" {
	run --separate-stderr interrupt_after 2 'not in a session' mrctl stat --watch 0.2
	absent "not in a session"
	[ "$(grep -c 'not in a session' <<<"$stderr")" -ge 2 ] || fail "$stderr"
	run --separate-stderr interrupt_after 2 '"failures"' mrctl -j stat --watch 0.2
	[ "$status" -eq 3 ]
	[ "$(jq -s 'length >= 2 and all(.failures[0].errno == "ENOTCONN")' <<<"$output")" = true ] || fail "$output"
}

@test "it ends when nobody reads any more, also between two answers" {
	# shellcheck disable=SC2016 # expanded by bash
	run timeout 60 bash -c 'mrctl stat --host --watch 600 2>/dev/null | head -n 1; echo "${PIPESTATUS[0]}"'
	[ "$status" -eq 0 ] || fail "$status $output"
	# SIGPIPE may be ignored
	# shellcheck disable=SC2016
	run timeout 60 bash -c 'trap "" PIPE; mrctl stat --host --watch 0.1 2>/dev/null | head -n 1'
	[ "$status" -eq 0 ] || fail "$status $output"
	run -1 --separate-stderr timeout 60 bash -c 'mrctl stat --host --watch 0.1 >/dev/full'
	[[ $stderr == *"cannot print on standard output"* ]]
}

@test "on a terminal each page takes the place of the one before, and the cursor comes back" {
	local seen=$BATS_TEST_TMPDIR/seen

	command -v script >/dev/null || skip "script(1) is not installed"
	: >"$seen"
	# shellcheck disable=SC2094 # Ctrl-C is typed once three pages are seen
	{
		appears 3 'mrctl stat --host --watch 0.3' "$seen"
		printf '\003'
		appears 1 'ended with' "$seen"
	} | TERM=xterm timeout 100 script -qefc \
		"trap : INT; stty rows 10 cols 60; mrctl stat --host --watch 0.3; echo ended with \$?" /dev/null >"$seen"
	run cat "$seen"
	[[ $output == *$'\e[H'*$'\e[H'*$'\e[H'*$'\e[?25h'*"ended with "[01]* ]] || fail "$(cat -v "$seen")"
}

@test "usage errors" {
	local args text

	while IFS='|' read -r args text; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr timeout 60 mrctl $args
		usage_error "$text"
	done <<-EOF
		stat --watch 0|--watch: give seconds
		stat --watch -1|--watch
		stat --watch soon|--watch
		-q stat --watch 1|--watch excludes --quiet
		stat --host --watch 1 --record $BATS_TEST_TMPDIR/x|--watch excludes --record
		stat --host --watch 1 --format openmetrics|--watch excludes --format openmetrics
		-o nonsense stat --host --watch 1|nonsense
	EOF
	run --separate-stderr mr batch - <<<'stat --watch 1'
	[ "$status" -eq 2 ] && [[ $stderr == *"no line of a batch can be stat --watch"* ]] || fail "$status $stderr"
}
