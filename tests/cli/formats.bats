# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# stat --format: metrics for Prometheus, and a fenced block for a ticket; --watch: answers one after another, or
# drawn in place on a terminal
load helpers

# metrics DIR: makes a file VIEW.prom in it for each view that has metrics
metrics() {
	local view

	mkdir "$1"
	for view in device probe host system; do
		mr stat --"$view" --format openmetrics >"$1/$view.prom" 2>"$1/why" ||
			! grep -q 'openmetrics is not available' "$1/why" || rm "$1/$view.prom"
	done
	[ -s "$1/device.prom" ] && [ -s "$1/host.prom" ]
}

@test "names, units, labels and ends follow the rules of Prometheus" {
	dir=$BATS_TEST_TMPDIR/textfiles
	metrics "$dir"
	for file in "$dir"/*.prom; do
		[ "$(tail -n 1 "$file")" = '# EOF' ]
		while read -r _ _ name type; do
			[[ $name =~ ^mrctl_[a-z0-9_]+$ ]] || fail "$name"
			[[ $([[ $name == *_total ]] && echo counter) == "$([[ $type == counter ]] && echo counter)" ]] || fail "$name"
		done < <(grep '^# TYPE' "$file")
		while read -r _ _ name unit; do
			[[ $name == *"_$unit" || $name == *"_${unit}_total" ]] || fail "$name: $unit"
		done < <(grep '^# UNIT' "$file")
		# a process is called by its name: numbers would make a series of each process
		run ! grep -E '[{,]pid=' "$file"
		[ "$(grep -v '^#' "$file" | sed 's/ [^ ]*$//' | sort | uniq -d)" = '' ] || fail "the same sample twice"
		! command -v promtool >/dev/null || [ -z "$(promtool check metrics <"$file" 2>&1)" ]
	done
	# a whole number that no rounding changes
	grep -qE '^mrctl_device_mr_max\{device="[^"]+"\} [0-9.e+]+$' "$dir/device.prom"
}

@test "--format markdown prints the text in a fenced block" {
	run --separate-stderr "${MS[@]}" session -- bash -c \
		'mrctl reg -q --count 2 --name b && { echo \`\`\`; mrctl stat; echo \`\`\`; mrctl stat --format markdown; }'
	[ "$(head -n $((${#lines[@]} / 2)) <<<"$output")" = "$(tail -n $((${#lines[@]} / 2)) <<<"$output")" ] || fail "$output"
	[[ $output == '```'*b.1*b.2* ]] || fail "$output"
}

OUT=$BATS_TEST_TMPDIR/out ERR=$BATS_TEST_TMPDIR/err

# watched COUNT TEXT ARG...: as `run` of mrctl ARG... in the session, which SIGINT ends once TEXT was printed COUNT times
watched() {
	: >"$OUT"
	: >"$ERR"
	# in a background job of a shell without job control SIGINT would be ignored
	env --default-signal=INT "${MS[@]}" "${@:3}" >"$OUT" 2>"$ERR" 3>&- &
	HOLD_PID=$!
	awaits "[ \$(cat '$OUT' '$ERR' | grep -c '$2') -ge $1 ]"
	status=0
	release "${SIGNAL:-INT}" || status=$?
	output=$(<"$OUT") stderr=$(<"$ERR")
}

@test "answers are separated by an empty line, until a signal, which is no failure" {
	session_begin
	ms reg -q --name buf
	watched 3 '^ID NAME' stat --watch 0.2
	succeeded
	[ "$(grep -c '^ID NAME' <<<"$output")" -ge 3 ] || fail "$output"
	[ "$(grep -cx '' <<<"$output")" -eq $(($(grep -c '^ID NAME' <<<"$output") - 1)) ]
	SIGNAL=TERM watched 1 pds: stat --watch 600
	succeeded
}

@test "each answer of -j is a document on one line, even after the last region was deregistered" {
	session_begin
	ms reg -q --name buf
	{ awaits "grep -q '\"regions\":1' '$OUT'" && ms dereg -q buf; } 3>&- &
	watched 1 '"regions":0' -j stat --watch 0.2
	succeeded
	[ "$(jq -sc length <<<"$output")" -eq "$(wc -l <<<"$output")" ] || fail "$output"
	[ "$(jq -s 'first.totals.regions == 1 and last.totals.regions == 0 and all(.failures == [])' <<<"$output")" = true ] ||
		fail "$output"
}

@test "a failed answer does not end the command, and the last answer determines the exit status" {
	watched 2 'not in a session' stat --watch 0.2
	absent "not in a session"
	watched 2 '"failures"' -j stat --watch 0.2
	[ "$status" -eq 3 ]
	[ "$(jq -s 'length >= 2 and all(.failures[0].errno == "ENOTCONN")' <<<"$output")" = true ] || fail "$output"
}

@test "it ends when nobody reads any more, also between two answers" {
	run timeout 60 bash -c 'mrctl stat --host --watch 600 2>/dev/null | head -n 1; echo "${PIPESTATUS[0]}"'
	[ "$status" -eq 0 ] || fail "$status $output"
	# SIGPIPE may be ignored
	run timeout 60 bash -c 'trap "" PIPE; mrctl stat --host --watch 0.1 2>/dev/null | head -n 1'
	[ "$status" -eq 0 ] || fail "$status $output"
	fails "cannot write to standard output" timeout 60 bash -c 'mrctl stat --host --watch 0.1 >/dev/full'
}

@test "a terminal is cleared before each answer, which has the time and the command line" {
	command -v script >/dev/null || skip "script(1) is not installed"
	: >"$OUT"
	# shellcheck disable=SC2094 # Ctrl-C is typed once three pages are seen
	{
		awaits "[ \$(grep -ao 'mrctl stat --host --watch 0.3' '$OUT' | wc -l) -ge 3 ]"
		printf '\003'
		awaits "grep -aq 'ended with' '$OUT'"
	} | TERM=xterm timeout 200 script -qefc \
		"trap : INT; stty rows 10 cols 60; mrctl stat --host --watch 0.3; echo ended with \$?" /dev/null >"$OUT"
	run cat "$OUT"
	[[ $output == *$'\e[H\e[2J'*$'\e[H\e[2J'*$'\e[H\e[2J'*"ended with "[01]* ]] || fail "$(cat -v "$OUT")"
}

@test "options that contradict each other, or make no sense, are usage errors" {
	wrong_words timeout 60 mrctl <<-EOF
		stat --watch 0|--watch: give more than 0 seconds
		stat --watch -1|--watch
		stat --watch soon|--watch
		-q stat --watch 1|--watch excludes --quiet
		stat --host --watch 1 --record $BATS_TEST_TMPDIR/x|--watch excludes --record
		stat --host --watch 1 --format openmetrics|--watch excludes --format openmetrics
		-o nonsense stat --host --watch 1|nonsense
		stat --format openmetrics|--format openmetrics is not available for a session's regions
		stat --host --format mark|unknown format 'mark': did you mean 'markdown'?
		-j stat --host --format markdown|--format excludes --json
		stat --host --format text --json|--format excludes --json
		stat -n --host --format markdown|--format excludes --no-headings
		stat -q --host --format markdown|--format excludes --quiet
		-o id stat --host --format openmetrics|--format openmetrics excludes --output
	EOF
	for args in "watch 1" "format markdown"; do
		run --separate-stderr mr batch - <<<"stat --$args"
		[ "$status" -eq 2 ] && [[ $stderr == *"stat --${args% *} is not available in a batch"* ]] || fail "$stderr"
	done
}
