#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Joining a session: by descriptor, by process, and as another user.
# shellcheck disable=SC2016 # scripts for the shell in the session

load helpers
report_leaks

setup() {
	note_less
	on_mlx5 || pds_are_lost
}

# ---- joining ----

@test "--session comes before MRCTL_SESSION" {
	session_begin
	ms reg --name a --quiet
	MRCTL_SESSION=pid:1 run --separate-stderr "${MS[@]}" --session "pid:$SESSION_PID" \
		stat -n -o name
	succeeded
	[ "$output" = a ]
}

@test "the program of a session can be joined by its process" {
	run --separate-stderr mr session --joinable -- bash -c '
		mrctl reg --name a --quiet
		env -u MRCTL_SESSION mrctl --session "pid:$$" stat -n -o name
		exit' # keeps the shell from replacing itself by the command
	succeeded
	[ "$output" = a ]
}

# started WHERE: starts a process whose environment names WHERE as its session; sets STARTED to its pid
started() {
	MRCTL_SESSION=$1 sleep 60 3>&- &
	STARTED=$!
	STARTED_ALL+=("$!")
	until [ "$(<"/proc/$!/comm")" = sleep ]; do
		sleep 0.01
	done
}

@test "a process that joined by the pid of another leads to the same session, in several steps too" {
	session_begin
	ms reg --name a --quiet
	started "pid:$SESSION_PID"
	started "pid:$STARTED"
	started "pid:$STARTED"
	run --separate-stderr "${MS[@]}" --session "pid:$STARTED" stat -n -o name
	kill "${STARTED_ALL[@]}"
	succeeded
	[ "$output" = a ]
}

@test "where a process leads to no session the message says which, and why" {
	local first

	started "pid:$(sh -c 'echo $$')"
	first=$STARTED
	started "pid:$first"
	run --separate-stderr "${MS[@]}" --session "pid:$STARTED" stat
	[ "$status" -eq 3 ]
	[[ $stderr == "mrctl: stat: the session of process $STARTED is that of process "*": the session has ended: there is no process "* ]]
	started fd:nonsense
	run --separate-stderr "${MS[@]}" --session "pid:$STARTED" stat
	[ "$status" -eq 3 ]
	[[ $stderr == *"the environment of process $STARTED has an invalid session: 'fd:nonsense'"* ]]
	# its own pid
	sh -c 'MRCTL_SESSION=pid:$$ exec sleep 60' 3>&- &
	STARTED_ALL+=("$!")
	until [ "$(tr -d '\0' <"/proc/$!/comm")" = sleep ]; do sleep 0.01; done
	run --separate-stderr "${MS[@]}" --session "pid:$!" stat
	kill "${STARTED_ALL[@]}"
	[ "$status" -eq 3 ]
	[[ $stderr == *"the session of process $! is another's, and so on without end"* ]]
	started ''
	run --separate-stderr "${MS[@]}" --session "pid:$STARTED" stat
	kill "$STARTED"
	[ "$status" -eq 3 ]
	[[ $stderr == *"process $STARTED was not started in a session"* ]]
}

@test "the message to a program that closed the inherited descriptors says how to join" {
	in_session 'exec 100>&-; mrctl reg'
	[ "$status" -eq 3 ]
	[ -z "$output" ]
	[[ $stderr == *"descriptor 100 of the session is closed"*"pid:"*"pass_fds=(100,)"* ]]
}

@test "Python's subprocess loses the session, keeps it with pass_fds, and joins it by pid" {
	command -v python3 >/dev/null || skip "no python3"
	in_session 'mrctl reg --name a --quiet; exec python3 -c "
import os, subprocess
def stat(*words, **how):
    print(subprocess.run([\"mrctl\", *words, \"stat\", \"-n\", \"-o\", \"name\"],
        stdout=subprocess.PIPE, text=True, **how), flush=True)
stat()
stat(pass_fds=(100,))
stat(\"--session\", \"pid:%d\" % os.getpid())"'
	[[ ${lines[0]} == *"returncode=3, stdout='')" ]] || fail "$output" "$stderr"
	[[ ${lines[1]} == *"returncode=0, stdout='a\\n')" ]] || fail "$output" "$stderr"
	[[ ${lines[2]} == *"returncode=0, stdout='a\\n')" ]] || fail "$output" "$stderr"
}

@test "words that name no session are an error with exit status 3" {
	local word

	for word in stat "dereg --all" reg; do
		# shellcheck disable=SC2086 # a list of words
		run --separate-stderr "${MS[@]}" --session fd:0 $word </dev/null
		[ "$status" -eq 3 ]
		[[ $stderr == *"descriptor 0 is no mrctl session"* ]]
		# shellcheck disable=SC2086
		run --separate-stderr "${MS[@]}" --session fd:77 $word
		[ "$status" -eq 3 ]
		[[ $stderr == *"descriptor 77 of the session is closed"* ]]
		# shellcheck disable=SC2086
		run --separate-stderr "${MS[@]}" --session "pid:$BASHPID" $word
		[ "$status" -eq 3 ]
		[[ $stderr == *"was not started in a session"* ]]
		# shellcheck disable=SC2086
		run --separate-stderr "${MS[@]}" --session nonsense $word
		usage_error "invalid session 'nonsense'"
	done
}

@test "stat and dereg outside a session fail, and say that there is none" {
	run --separate-stderr ms stat
	[ "$status" -eq 3 ]
	[[ $stderr == *"not in a session"*"mrctl session"*"without one there are --device --probe --host --system"* ]]
	run --separate-stderr ms dereg 1
	[ "$status" -eq 3 ]
	[[ $stderr == *"not in a session"* ]]
}

@test "an empty MRCTL_SESSION names no session" {
	MRCTL_SESSION='' run --separate-stderr mr reg --json
	succeeded
	json '.session == false and .regions[0].state == "deregistered"'
}

@test "--device in a session is a usage error" {
	session_begin
	run --separate-stderr "${MS[@]}" -d mlx5_0 stat
	usage_error "no --device"
	run --separate-stderr "${MS[@]}" -d mlx5_0 reg
	usage_error "no --device"
}

@test "a session of the simulator is not joined outside of it" {
	on_simulator || skip "about the simulator"
	session_begin
	run --separate-stderr mrctl stat
	[ "$status" -eq 3 ]
	[[ $stderr == *"simulated HCA"*"mrctl sim -- mrctl"* ]]
}

# ---- other users ----

# bats test_tags=kernel
@test "root joins an ordinary user's session, and other users do not" {
	local out=$BATS_TEST_TMPDIR/out

	[ "$(id -u)" -eq 0 ] || skip "needs root"
	require_nobody
	as_nobody "${MR[@]}" session --detach >"$out"
	eval "$(<"$out")"
	SESSION_PID=${MRCTL_SESSION#pid:}
	as_nobody "${MS[@]}" reg --name theirs --quiet
	run --separate-stderr ms stat --json
	succeeded
	json '[.regions[] | .name, .state] == ["theirs", "live"]'
	run --separate-stderr ms dereg theirs --json
	succeeded
	session_end
	session_begin
	run --separate-stderr as_nobody "${MS[@]}" stat
	[ "$status" -eq 1 ]
	[[ $stderr == *"cannot take the session out of process $SESSION_PID"* ]]
	[[ $stderr == *"root"* ]]
}

# bats test_tags=kernel
@test "a session whose process has ended has ended, even while that process is a zombie" {
	local pid

	require_nobody
	: >"$BATS_TEST_TMPDIR/pid"
	# sleep does not wait for its children: they stay zombies
	as_nobody bash -c '"$@" >/dev/null & echo $!; exec sleep 60 >/dev/null' bash \
		"${MR[@]}" session -- sleep 60 >"$BATS_TEST_TMPDIR/pid" 3>&- &
	HOLD_PID=$!
	until read -r pid <"$BATS_TEST_TMPDIR/pid" && as_nobody "${MS[@]}" --session "pid:$pid" stat; do
		sleep 0.1
	done
	kill -KILL "$pid"
	while is_running "$pid"; do
		sleep 0.02
	done
	run --separate-stderr as_nobody "${MS[@]}" --session "pid:$pid" stat
	absent "the session has ended: there is no process $pid"
}
