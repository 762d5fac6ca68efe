#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# SIGINT, SIGTERM and SIGHUP: a command finishes the current region, reports what it did, and dies of the signal.
# The simulator stops each command at a call (SIGSTOP); there the signal comes, and the command goes on.

load helpers

# The pid of the command in the background, and of the process that stops
PID='' STOPPED=''

setup() {
	note_less
	session_begin
}

teardown() {
	[ -z "$PID" ] || kill -KILL -- "-$PID" 2>/dev/null || :
	tidy
}

# start SPEC CMD...: starts CMD with a fault, in a process group of its own, and with default signals as on a terminal
start() {
	env --default-signal=INT,HUP,TERM setsid "${SIM[@]::${#SIM[@]}-1}" --fault "$1" -- "${@:2}" \
		<&0 >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" 3>&- &
	PID=$! STOPPED=$!
}

# stop_at CALL CMD...: starts CMD, and waits until it has stopped before the call
stop_at() {
	start "$1=stop" "${@:2}"
	await_stop "$PID" || fail "$(<"$BATS_TEST_TMPDIR/err")"
}

# ended SIGNAL: sends it, waits for the end, and sets status, output, stderr
ended() {
	kill -"$1" "$PID"
	kill -CONT "$STOPPED" 2>/dev/null || : # one that was not stopped may have ended already
	await_end "$PID"
	status=0
	wait "$PID" || status=$?
	PID=
	output=$(<"$BATS_TEST_TMPDIR/out") stderr=$(<"$BATS_TEST_TMPDIR/err")
}

# died SIGNAL: as ended, and the command dies of the signal
died() {
	ended "$1"
	[ "$status" -eq $((128 + $(kill -l "$1"))) ] || fail "exit status $status: $output" "$stderr"
}

# bats test_tags=slow
@test "a region is registered or deregistered to its end, and the command dies of the signal" {
	for signal in INT TERM HUP; do
		stop_at reg_mr mrctl reg --name a --json
		died $signal
		json '(.regions | length == 1) and .regions[0].state == "live" and .failures == []'
		[[ $(states a) == *live ]]
		stop_at dereg_mr mrctl dereg a --json
		died $signal
		json '.regions[0].state == "deregistered" and .failures == []'
		[ -z "$(states)" ]
	done
}

@test "the document of stat is whole" {
	ms reg --count 100 --quiet
	stop_at query_mr@1 mrctl stat --json
	died INT
	json '.regions | length == 100'
}

# bats test_tags=slow
@test "each command that defers signals dies of the received signal" {
	local line all=("rereg_mr rereg a --access local-write,remote-read --via kernel" "reg_mr reg --count 3"
		"dereg_mr dereg a b" "query_mr dereg --all" "reg_mr batch $BATS_TEST_TMPDIR/lines")

	! on_mlx5 || all+=("umem_reg umem --try-page-sizes --via kernel" "umem_reg umem --via kernel")
	echo 'reg --size 4K' >"$BATS_TEST_TMPDIR/lines"
	for line in "${all[@]}"; do
		ms reg --name a --quiet || :
		stop_at "${line%% *}@1" mrctl ${line#* }
		died INT || fail "$line" || return
	done
	make_empty
}

# find_stopped: sets STOPPED to the child of PID that has stopped; or PID has ended
find_stopped() {
	is_running "$PID" || return 0
	STOPPED=$(grep -lsx "PPid:[[:space:]]*$PID" /proc/[1-9]*/status) || :
	STOPPED=${STOPPED//[!0-9]/}
	[[ $STOPPED ]] && [[ $(<"/proc/$STOPPED/stat") == *") T "* ]] 2>/dev/null
}

@test "a loop of a shell ends with the command in it, in a session and outside" {
	loop='for i in 1 2 3 4 5; do mrctl batch <"$0"; echo $i; done; echo over'
	echo 'reg --size 4K' >"$BATS_TEST_TMPDIR/lines"
	for MRCTL_SESSION in "$MRCTL_SESSION" ''; do
		# the command is a child of the shell, which has one at a time
		start reg_mr=stop bash -c "$loop" "$BATS_TEST_TMPDIR/lines"
		await find_stopped
		kill -INT "$STOPPED"
		died INT
		[[ $output != *over* ]]
	done
	MRCTL_SESSION=pid:$SESSION_PID
	make_empty
}

@test "a hold is ended by its signal, whether it comes once or twice" {
	MRCTL_SESSION='' start dereg_mr=stop mrctl reg --hold
	await test -s "$BATS_TEST_TMPDIR/out"
	kill -INT "$PID"
	await_stop "$PID"
	ended INT
	succeeded
	session_end
	start reg_mr=delay:1 mrctl session -- mrctl session --hold
	await eval '[ "$(<"/proc/$PID/comm")" = mrctl-session ]'
	ended TERM
	succeeded
}

@test "a hold can be interrupted while it registers, and leaves nothing" {
	MRCTL_SESSION='' stop_at reg_mr@3 mrctl reg --count 1000 --size 64 --stride 64 --hold
	died INT
	[[ $stderr == *": interrupted"*" 3 of 1000 regions registered"*"these regions were deregistered again"* ]] || fail "$stderr"
	[[ $stderr != *holding* ]]
}

@test "an interrupted registration shows their number in text, and the regions in output for scripts" {
	args=(reg_mr@3 mrctl reg --count 1000 --size 64 --stride 64)
	stop_at "${args[@]}"
	died INT
	[ -z "$output" ]
	[ "$(states)" = $'1 live\n2 live\n3 live' ]
	[[ $stderr == *"region 4 of 1000: interrupted"*"3 of 1000 regions registered"* ]]
	[[ $stderr == *"these regions stay in the session, with the ids 1 to 3: mrctl stat shows them"* ]]
	make_empty
	stop_at "${args[@]}" --json
	died INT
	json '(.regions | length == 3) and [.failures[] | .errno, .index] == ["EINTR", 4]'
	stop_at "${args[@]}" -n -o id
	died INT
	[[ $output =~ ^[0-9]+$'\n'[0-9]+$'\n'[0-9]+$ ]]
	stat_is_true
	make_empty
}

@test "dereg reports how many regions are left after a signal" {
	ms reg --count 20 --quiet
	# of 20 that are deregistered in runs it stops at the last of one
	stop_at dereg_mr@3 mrctl dereg --all --json
	died TERM
	json '[.failures[] | .errno, .message] == ["EINTR", "interrupted: \($left) regions are left"] and
		(.regions | length == 20 - $left) and $left >= 10 and $left <= 17' --argjson left "$(states | wc -l)"
	make_empty
	ms reg --count 5 --name n --quiet
	stop_at dereg_mr@2 mrctl dereg n.1 n.2 n.3 n.4 n.5
	died INT
	[[ $stderr == *"interrupted: 3 operands are left"* ]] || fail "$stderr"
	[ "$(states | wc -l)" -eq 3 ]
	make_empty
}

# bats test_tags=slow
@test "an interrupted flush fails, and reports how many regions are still reachable" {
	for words in --flush "--flush --pd one" pd:one "--all --flush"; do
		ms reg --relaxed --count 20 --pd one --quiet
		ms dereg --all --defer-for 600 --quiet
		stop_at dereg_mr@3 mrctl dereg $words --json
		died HUP
		[ "$(states | grep -c ' deferred')" -eq 17 ]
		json '.failures[0] | .errno == "EINTR" and (.message |
			contains("interrupted: 17 deferred regions are left, and reachable by their keys"))'
		json '.regions | length == 3'
		# and the protection domain is not blamed
		json '[.failures[] | select(.errno == "EBUSY")] == []'
		make_empty
	done
}
