#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# SIGINT, SIGTERM and SIGHUP: a command finishes the current region, reports what it did, and dies of the signal.
# shellcheck disable=SC2016 # scripts for other shells

load helpers

# The pid of the command in the background
PID=''

# start SPEC CMD...: starts CMD with a fault (a call that takes long), and with default signals as on a terminal
start() {
	env --default-signal=INT,HUP,TERM setsid "${SIM[@]::${#SIM[@]}-1}" --fault "$1" -- "${@:2}" \
		<&0 >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" 3>&- &
	PID=$!
}

# waits PID: the process blocks the three signals
waits() {
	grep -q '^SigBlk:.*4003$' "/proc/$1/status" 2>/dev/null
}

# until_it_waits: waits until the started command blocks them
until_it_waits() {
	until waits "$PID"; do
		is_running "$PID" || fail "it ended: $(cat "$BATS_TEST_TMPDIR/err")" || return
		sleep 0.01
	done
}

# until_pending: waits until a command is registering or deregistering a region
until_pending() {
	until [[ $(states) == *" pending"* ]]; do
		is_running "$PID" || fail "it ended: $(cat "$BATS_TEST_TMPDIR/err")" || return
	done
}

# ended SIGNAL: sends it, waits for the end, and sets status, output, stderr
ended() {
	kill -"$1" "$PID"
	status=0
	wait "$PID" || status=$?
	output=$(<"$BATS_TEST_TMPDIR/out") stderr=$(<"$BATS_TEST_TMPDIR/err")
}

setup() {
	note_less
	on_simulator || skip "needs calls that take long"
	session_begin
}

@test "a region is registered or deregistered to its end, and the command dies of the signal" {
	local signal

	for signal in INT TERM HUP; do
		start reg_mr=delay:300 mrctl reg --name a --json
		until_pending
		ended $signal
		[ "$status" -eq $((128 + $(kill -l $signal))) ]
		json '(.regions | length == 1) and .regions[0].state == "live" and .failures == []'
		[[ $(states a) == *live ]]
		start dereg_mr=delay:300 mrctl dereg a --json
		until_pending
		ended $signal
		[ "$status" -eq $((128 + $(kill -l $signal))) ]
		json '.regions[0].state == "deregistered" and .failures == []'
		[ -z "$(states)" ]
	done
}

@test "each command that defers signals dies of the one that came" {
	local line never all=("rereg_mr rereg a --access local-write,remote-read --via kernel" "reg_mr reg --count 3"
		"dereg_mr dereg a b" "query_mr dereg --all")

	! on_mlx5 || all+=("umem_reg umem --try-page-sizes --via kernel" "umem_reg umem --via kernel")
	for line in "${all[@]}"; do
		ms reg --name a --quiet || :
		# shellcheck disable=SC2086 # words
		start "${line%% *}=delay:200" mrctl ${line#* }
		until_it_waits
		ended INT
		[ "$status" -eq 130 ] || fail "$line: $status" || return
	done
	exec {never}<> <(:)
	start open=delay:1 mrctl batch <&"$never"
	until_it_waits
	ended INT
	exec {never}<&-
	[ "$status" -eq 130 ]
	make_empty
}

@test "a loop of a shell ends with the command in it, in a session and outside" {
	local child loop='for i in 1 2 3 4 5; do mrctl batch <"$0"; echo $i; done; echo on'

	echo 'reg --size 4K' >"$BATS_TEST_TMPDIR/lines"
	for MRCTL_SESSION in "$MRCTL_SESSION" ''; do
		# the command is a child of the shell, which has one at a time
		start reg_mr=delay:500 bash -c "$loop" "$BATS_TEST_TMPDIR/lines"
		child=none
		until waits "$child"; do
			is_running $PID || fail "it ended" || return
			child=$(grep -lx "PPid:[[:space:]]*$PID" /proc/[1-9]*/status 2>/dev/null) || :
			child=${child//[!0-9]/}
		done
		kill -INT -- -$PID
		status=0
		wait $PID || status=$?
		[ "$status" -eq 130 ]
		! grep -q on "$BATS_TEST_TMPDIR/out"
	done
	MRCTL_SESSION=pid:$SESSION_PID
	make_empty
}

@test "timeout -s INT finds that the command died of its signal" {
	run --separate-stderr timeout --preserve-status -s INT 2 "${SIM[@]::${#SIM[@]}-1}" \
		--fault reg_mr=delay:100 -- mrctl reg --count 1000
	[ "$status" -eq 130 ]
	[[ $stderr == *": interrupted"* ]]
	stat_is_true
}

@test "a hold is ended by its signal, whether it comes once or twice" {
	run --separate-stderr timeout --preserve-status -s INT 2 "${SIM[@]::${#SIM[@]}-1}" \
		--fault dereg_mr=delay:200 -- env MRCTL_SESSION= mrctl reg --hold
	succeeded
	session_end
	start reg_mr=delay:1 mrctl session -- mrctl session --hold
	until [ "$(<"/proc/$PID/comm")" = mrctl-session ]; do
		is_running "$PID"
	done
	ended TERM
	succeeded
}

@test "a hold can be interrupted while it registers, and leaves nothing" {
	MRCTL_SESSION='' start reg_mr=delay:20 mrctl reg --count 1000 --size 64 --stride 64 --hold
	until_it_waits
	sleep 0.1 # for at least one region
	ended INT
	[ "$status" -eq 130 ]
	[[ $stderr == *": interrupted"*" of 1000 regions registered"*"they were deregistered again"* ]]
	[[ $stderr != *holding* ]]
}

@test "an interrupted registration shows a person how many there are, and a script which" {
	local args=(reg_mr=delay:20 mrctl reg --count 1000 --size 64 --stride 64) made=0

	start "${args[@]}"
	until_pending
	ended INT
	[ "$status" -eq 130 ]
	[ -z "$output" ]
	made=$(states | wc -l)
	[[ $stderr == *"region $((made + 1)) of 1000: interrupted"*"$made of 1000 regions registered"* ]]
	[[ $stderr == *"they stay in the session, with the ids 1 to $made: mrctl stat shows them"* ]]
	make_empty
	start "${args[@]}" --json
	until_pending
	ended INT
	[ "$status" -eq 130 ]
	json '(.regions | length == $made) and [.failures[] | .errno, .index] == ["EINTR", $made + 1]' \
		--argjson made "$(states | wc -l)"
	make_empty
	start "${args[@]}" -n -o id
	until_pending
	ended INT
	[ "$(states | sort -n)" = "${output:+${output//$'\n'/$' live\n'} live}" ]
}

@test "dereg reports how many regions are left after a signal" {
	ms reg --count 20 --quiet
	start dereg_mr=delay:30 mrctl dereg --all --json
	until_pending
	ended TERM
	[ "$status" -eq 143 ]
	json '[.failures[] | .errno, .message] == ["EINTR", "interrupted: \($left) regions are left"] and
		(.regions | length == 20 - $left)' --argjson left "$(states | wc -l)"
	make_empty
	ms reg --count 5 --name n --quiet
	start dereg_mr=delay:200 mrctl dereg n.1 n.2 n.3 n.4 n.5
	until_it_waits
	ended INT
	[ "$status" -eq 130 ]
	[[ $stderr =~ "interrupted: "([2-5])" operands are left" ]]
	[ "$(states | wc -l)" -eq "${BASH_REMATCH[1]}" ] || fail "$(states)" "$stderr"
	make_empty
}

# deferred_ones: makes relaxed regions and deregisters them, to be invalidated later than the test ends
deferred_ones() {
	ms reg --relaxed --count 20 --pd one --quiet
	ms dereg --all --defer-for 600 --quiet
}

@test "an interrupted flush fails, and reports how many regions are still reachable" {
	local left words

	for words in --flush "--flush --pd one" pd:one "--all --flush"; do
		deferred_ones
		# shellcheck disable=SC2086 # words
		start dereg_mr=delay:30 mrctl dereg $words --json
		until_pending
		ended HUP
		[ "$status" -eq 129 ]
		left=$(states | grep -c ' deferred')
		[ "$left" -gt 0 ]
		json '.failures[0] | .errno == "EINTR" and (.message |
			contains("interrupted: \($left) deferred regions are left, and reachable by their keys"))' \
			--argjson left "$left"
		json '.regions | length == 20 - $left' --argjson left "$left"
		# and the protection domain is not blamed
		json '[.failures[] | select(.errno == "EBUSY")] == []'
		make_empty
	done
}
