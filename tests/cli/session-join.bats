#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Joining a session: by descriptor, by process, and as another user.

load helpers

STARTED_ALL=()

setup() {
	note_less
	on_mlx5 || pds_are_lost
}

teardown() {
	[ "${#STARTED_ALL[@]}" -eq 0 ] || kill "${STARTED_ALL[@]}" 2>/dev/null || :
	tidy
}

@test "the program of a session can be joined by its process" {
	run --separate-stderr mr session --joinable -- bash -c '
		mrctl reg --name a --quiet
		env -u MRCTL_SESSION mrctl --session "pid:$$" stat -n -o name
		exit' # keeps the shell from replacing itself by the command
	succeeded
	[ "$output" = a ]
}

# runs_sleep PID: it has replaced itself by sleep
runs_sleep() {
	[ "$(<"/proc/$1/comm")" = sleep ]
}

# started WHERE: starts a process whose environment names WHERE as its session, "own" for itself; sets STARTED to
# its pid
started() {
	sh -c '[ "$0" != own ] || set -- "pid:$$"; MRCTL_SESSION=$1 exec sleep 600' "$1" "$1" 3>&- &
	STARTED=$!
	STARTED_ALL+=("$!")
	await runs_sleep $!
}

@test "a process that joined by the pid of another leads to the same session, in several steps too" {
	session_begin
	ms reg --name a --quiet
	started "pid:$SESSION_PID"
	started "pid:$STARTED"
	started "pid:$STARTED"
	# and --session comes before MRCTL_SESSION
	MRCTL_SESSION=pid:1 run --separate-stderr "${MS[@]}" --session "pid:$STARTED" stat -n -o name
	succeeded
	[ "$output" = a ]
}

# leads_nowhere TEXT: the session of the process STARTED is not joined, with TEXT in the message
leads_nowhere() {
	absent "$1" "${MS[@]}" --session "pid:$STARTED" stat
}

@test "a process without a session is named, with the reason" {
	started "pid:$(sh -c 'echo $$')"
	started "pid:$STARTED"
	leads_nowhere "the session of process $STARTED is that of process "
	[[ $stderr == *": the session has ended: no such process: "* ]]
	started fd:nonsense
	leads_nowhere "the environment of process $STARTED has an invalid session: 'fd:nonsense'"
	started fd:777
	leads_nowhere "process $STARTED has closed descriptor 777 of the session"
	started own
	leads_nowhere "the session of process $STARTED refers to other processes in a circle"
	started ''
	leads_nowhere "process $STARTED was not started in a session"
}

@test "a program that closed the inherited descriptors gets a message with the way to join" {
	in_session 'exec 100>&-; mrctl reg'
	[ "$status" -eq 3 ]
	[ -z "$output" ]
	[[ $stderr == *"descriptor 100 of the session is closed"*"pid:"*"pass_fds=(100,)"* ]]
	[ $$ -lt 1024 ] || {
		exits 3 env -u MRCTL_SESSION mrctl --session $$ stat
		[[ $stderr == *"descriptor $$ of the session is closed"*"--session pid:$$"* ]]
	}
}

@test "for words that name no session the exit status is 3, and nothing else is done" {
	for word in stat "dereg --all" reg; do
		absent "descriptor 0 is not an mrctl session" "${MS[@]}" --session fd:0 $word </dev/null
		absent "descriptor 77 of the session is closed" "${MS[@]}" --session fd:77 $word
		absent "was not started in a session" "${MS[@]}" --session "pid:$BASHPID" $word
		usage_error "invalid session 'nonsense'" -- "${MS[@]}" --session nonsense $word
	done
	absent "not in a session" ms stat
	[[ $stderr == *"mrctl session"*"--device"* ]]
	absent "not in a session" ms dereg 1
	MRCTL_SESSION='' run --separate-stderr mr reg --json
	succeeded
	json '.session == false and .regions[0].state == "deregistered"'
}

@test "a session is bound to its device, and a simulated session is not joined outside of the simulator" {
	session_begin
	usage_error "omit --device" -- "${MS[@]}" -d mlx5_0 reg
	on_simulator || return 0
	absent "simulated HCA" mrctl stat
	[[ $stderr == *"mrctl sim -- mrctl"* ]]
}

# ---- other users ----

# bats test_tags=kernel
@test "root joins an ordinary user's session, and other users do not" {
	out=$BATS_TEST_TMPDIR/out
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	require_nobody
	as_nobody "${MR[@]}" session --detach >"$out"
	eval "$(<"$out")"
	SESSION_PID=${MRCTL_SESSION#pid:}
	as_nobody "${MS[@]}" reg --name theirs --quiet
	gives '[.regions[] | .name, .state] == ["theirs", "live"]' ms stat
	succeeded ms dereg theirs --json
	session_end
	session_begin
	fails "cannot take the session out of process $SESSION_PID" as_nobody "${MS[@]}" stat
	[[ $stderr == *"root"* ]]
}

# session_joined PID: the session of this process can be joined
session_joined() {
	as_nobody "${MS[@]}" --session "pid:$1" stat >/dev/null 2>&1
}

@test "a session whose process has ended has ended, even while that process is a zombie" {
	require_nobody
	: >"$BATS_TEST_TMPDIR/pid"
	# sleep does not wait for its children: they stay zombies
	as_nobody bash -c '"$@" >/dev/null & echo $!; exec sleep 600 >/dev/null' bash \
		"${MR[@]}" session -- sleep 600 >"$BATS_TEST_TMPDIR/pid" 3>&- &
	HOLD_PID=$!
	await test -s "$BATS_TEST_TMPDIR/pid"
	pid=$(<"$BATS_TEST_TMPDIR/pid")
	STARTED_ALL+=("$pid")
	await session_joined "$pid"
	kill -KILL "$pid"
	await_end "$pid"
	absent "the session has ended: no such process: $pid" as_nobody "${MS[@]}" --session "pid:$pid" stat
}
