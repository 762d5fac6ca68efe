#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# mrctl session --list, --end, and what --detach prints.

load helpers

setup() {
	note_less
	on_mlx5 || pds_are_lost
	RUNNING=()
	mkfifo "$BATS_TEST_TMPDIR/silent"
	# a script that keeps running and starts no process, which would be listed as a holder
	lasting="read -rt 600 <>'$BATS_TEST_TMPDIR/silent'"
}

teardown() {
	[ "${#RUNNING[@]}" -eq 0 ] || kill -KILL "${RUNNING[@]}" 2>/dev/null || :
	tidy
}

# list [ARG...]: `run`s session --list.  Other users may have sessions at the same time: tests look at single rows
list() {
	exits 0 "${MS[@]}" session --list "$@"
}

# row PID FILTER: FILTER is true for the row, in JSON, of the session of this process; there is exactly one
row() {
	json '[.sessions[] | select(.session == $pid)] | length == 1 and (.[0] | '"$2"')' \
		--arg pid "pid:$1" --arg user "$(id -un)" --arg device "$(device)"
}

# holding CMD...: runs CMD in a session, in the background; sets PROGRAM to its pid
holding() {
	local out=$BATS_TEST_TMPDIR/program

	: >"$out"
	"${MR[@]}" session -- bash -c 'echo $$ >"$1"; shift; exec "$@"' bash "$out" "$@" \
		>"$out.out" 2>&1 3>&- &
	disown
	await test -s "$out" || fail "$(<"$out.out")" || return
	PROGRAM=$(<"$out")
	RUNNING+=("$PROGRAM")
}

# ---- --list ----

@test "--list shows a detached session with its value for --session, device, objects and holders" {
	session_begin
	ms reg --size 8K --count 2 --quiet
	list --json
	row "$SESSION_PID" '.device == $device and .regions == 2 and .bytes == 8192 * 2'
	row "$SESSION_PID" '.user == $user and .joinable == true and .reason == null and .remedy == null'
	row "$SESSION_PID" '[.holders[] | .pid, .user, .role] == [($pid[4:] | tonumber), $user, "detached"]'
	row "$SESSION_PID" '.held_by == "\(.holders[0].command)(\($pid[4:]))"'
	json '.session == true and .failures == []'
	list -n -o session,regions
	[[ $'\n'$output$'\n' == *$'\n'"pid:$SESSION_PID 2"$'\n'* ]]
	list
	[[ ${lines[0]} =~ ^SESSION\ +DEVICE\ +SIMULATED\ +REGIONS\ +BYTES\ +USER\ +JOINABLE\ +HELD_BY$ ]]
	[[ $output == *"pid:$SESSION_PID "* ]]
	# --session takes what the row shows
	run --separate-stderr env -u MRCTL_SESSION "${MS[@]}" --session "pid:$SESSION_PID" stat -n -o id
	[ "${lines[*]}" = "1 2" ]
	# a process that has the table of the session open holds it too, and then --end leaves it alone
	MR=("${MS[@]}")
	hold reg --hold --json
	list --json
	row "$SESSION_PID" '[.holders[] | .role] == ["detached", "command"] and .regions == 3'
	row "$SESSION_PID" '.holders[1].command == "mrctl"'
	fails "the session of process $SESSION_PID is in use by others: mrctl (" ms session --end
	[ "$(states 1)" = "1 live" ]
	release
}

@test "--detach without eval on a terminal prints how to work in the session and how to end it" {
	succeeded env -u MRCTL_SESSION "${SIM[@]}" script -qefc "mrctl -d $(device) session --detach" /dev/null
	[[ $output =~ "MRCTL_SESSION=pid:"([0-9]+)"; export MRCTL_SESSION" ]]
	SESSION_PID=${BASH_REMATCH[1]}
	[[ $(tr -s '\r\n ' ' ' <<<"$output") == *"'mrctl session --end pid:$SESSION_PID' ends it"* ]]
	"${MS[@]}" session --end "pid:$SESSION_PID"
	SESSION_PID=''
}

@test "a session is one row with any holders, even holders whose environment does not name it" {
	ulimit -n 2048 || skip "needs 2048 descriptors"
	# the last one has it as the highest of more descriptors than are looked at between two looks at the clock
	holding bash -c 'sleep 600 &
		unset MRCTL_SESSION
		sleep 600 &
		{
			for ((fd = 200; fd < 1400; fd++)); do eval "exec $fd</dev/null"; done
			exec 1400>&100 100>&- sleep 600
		} &
		jobs -p >"$0.jobs"
		mv "$0.jobs" "$0"
		wait' "$BATS_TEST_TMPDIR/jobs"
	await test -s "$BATS_TEST_TMPDIR/jobs"
	for pid in $(<"$BATS_TEST_TMPDIR/jobs"); do
		RUNNING+=("$pid")
		await grep -qx sleep "/proc/$pid/comm"
	done
	list --json
	row "$PROGRAM" '[.holders[].command] | sort == ["bash", "sleep", "sleep", "sleep"]'
	row "$PROGRAM" '[.holders[].role] | unique == ["program"]'
	row "$PROGRAM" '[.holders[].pid] | length == (unique | length)'
	# in a session without itself
	in_session 'echo $$ >"$1"; mrctl session --list -j; :' "$BATS_TEST_TMPDIR/pid"
	succeeded
	row "$(<"$BATS_TEST_TMPDIR/pid")" '[.holders[].command] == ["bash"]'
}

@test "outside of the simulator a simulated session is listed, with the reason why it cannot be joined" {
	session_begin
	ms reg --quiet
	succeeded env -u MRCTL_SESSION mrctl session --list --json
	row "$SESSION_PID" '.simulated == true and .joinable == false and .regions == 1'
	row "$SESSION_PID" '(.reason | contains("simulated HCA")) and (.remedy | contains("mrctl sim -- "))'
	json '.session == false'
	other=$(mr session --detach -n)
	run --separate-stderr mrctl session --list
	mrctl session --end "$other"
	[[ $(mrctl session --list 2>&1) == *" cannot be joined: the session is on a simulated HCA"* ]]
	# there is one reason, reported once
	[[ $stderr =~ "mrctl: session: pid:"[0-9]+" and "[0-9]+" more cannot be joined: the session is on a simulated HCA" ]]
	[ "$(grep -c "on a simulated HCA" <<<"$stderr")" -eq 1 ]
}

# bats test_tags=release
@test "a session whose descriptor may not be taken is listed with what is known, and the reason" {
	# forbidden ARG...: `run`s mrctl session, which may not take descriptors; LeakSanitizer does not work below strace
	forbidden() {
		ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0 run --separate-stderr \
			strace -qq -o /dev/null -e inject=pidfd_getfd:error=EPERM mrctl session "$@"
	}

	session_begin
	forbidden --list --json
	succeeded
	row "$SESSION_PID" '.joinable == false and .device == null and .simulated == null and .regions == null'
	row "$SESSION_PID" '.user == $user and .holders[0].role == "detached"'
	row "$SESSION_PID" '(.reason | contains("EPERM")) and (.remedy | length > 0)'
	forbidden --end
	[ "$status" -eq 1 ]
	[[ $stderr == *"cannot take the session out of process $SESSION_PID"*EPERM* ]]
	is_running "$SESSION_PID"
}

# sham WHERE: starts a process whose environment names WHERE as its session.  Its descriptor 100 is a socket, and no
# session
sham() {
	perl -MPOSIX -MSocket -e 'socketpair(A, B, AF_UNIX, SOCK_SEQPACKET, 0); dup2(fileno A, 100);
		$ENV{MRCTL_SESSION} = shift; exec @ARGV' "$1" bash -c \
		'echo >"$1"; '"$lasting" bash "$BATS_TEST_TMPDIR/sham.$1" 3>&- &
	RUNNING+=("$!")
	disown
	await test -s "$BATS_TEST_TMPDIR/sham.$1"
}

@test "a process that only claims to have a session is not listed, and damages nothing" {
	command -v perl >/dev/null || skip "no perl"
	session_begin
	for where in fd:100 fd:0 fd:99999999 fd:nonsense 100 pid:1 '' $'fd:1\e[31m'; do
		sham "$where"
	done
	list --json
	row "$SESSION_PID" true
	for pid in "${RUNNING[@]}"; do
		json '[.sessions[].holders[].pid] | index($pid | tonumber) == null' --arg pid "$pid"
	done
}

@test "the name of a holder is printed as text, whatever is in it" {
	holding bash -c "printf 'a\e[31m\xff\"' >/proc/self/comm; echo >\"\$0\"; $lasting" \
		"$BATS_TEST_TMPDIR/named"
	await test -s "$BATS_TEST_TMPDIR/named"
	list --json
	row "$PROGRAM" '.holders[0].command == "a?[31m?\""'
	list
	[[ $output$stderr != *$'\e'* ]]
}

@test "other users see no session that is not theirs, and root sees theirs" {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	require_nobody
	session_begin
	succeeded as_nobody "${MS[@]}" session --list --json
	json '[.sessions[].session] | index($pid) == null' --arg pid "pid:$SESSION_PID"
	session_end
	as_nobody "${MR[@]}" session --detach >"$BATS_TEST_TMPDIR/out"
	eval "$(<"$BATS_TEST_TMPDIR/out")"
	SESSION_PID=${MRCTL_SESSION#pid:}
	list --json
	row "$SESSION_PID" '.joinable and .holders[0].user == .user and .user != $user'
	succeeded ms session --end
	! is_running "$SESSION_PID" || fail "it goes on"
	SESSION_PID=
}

# ---- --end ----

@test "--end ends a detached session by MRCTL_SESSION, --session or its name, and reports what has ended" {
	session_begin
	ms reg --quiet
	pid=$SESSION_PID SESSION_PID=
	succeeded ms session --end
	[ -z "$output" ]
	[ "$stderr" = "mrctl: session: the session of process $pid has ended: $(device), 1 region" ]
	! is_running "$pid" || fail "it goes on"
	absent "the session has ended: no such process: $pid" ms session --end
	session_begin
	unset MRCTL_SESSION
	succeeded mrctl session --end --json "pid:$SESSION_PID"
	json '.sessions[0].session == $pid and .sessions[0].reason == "it has ended" and .failures == []' \
		--arg pid "pid:$SESSION_PID"
	[ -z "$stderr" ]
	session_begin
	unset MRCTL_SESSION
	succeeded mrctl --session "pid:$SESSION_PID" session --end --quiet
	[ -z "$output$stderr" ]
	SESSION_PID=
	absent "not in a session" mrctl -j session --end
	[[ $stderr == *"--list"* ]]
	json '.sessions == [] and .failures[0].errno == "ENOTCONN"'
}

@test "--end does not end the shell of a session, nor --hold beside one" {
	in_session 'mrctl session --end; echo $?; mrctl session --end "pid:$$"; echo $?; mrctl stat -q; echo $?'
	succeeded
	[ "${lines[*]}" = "1 1 0" ]
	[[ $stderr == *"was not detached; its holders: bash ("*"exit the shell"* ]]
	holding mrctl session --hold
	exits 1 "${MS[@]}" session --end "pid:$PROGRAM"
	is_running "$PROGRAM"
}

@test "--end signals nothing that only looks like a holder" {
	session=$BATS_TEST_TMPDIR/session
	# another program with the command line of a holder, as leader of a process session
	printf 'echo >"%s"\n%s\n' "$session.runs" "$lasting" >"$session"
	cd "$BATS_TEST_TMPDIR"
	holding setsid --fork bash -c 'echo $$ >"$0"; exec -a mrctl bash session --hold' "$session.pid"
	await test -s "$session.runs"
	RUNNING+=("$(<"$session.pid")")
	fails "runs another mrctl" "${MS[@]}" session --end "pid:$(<"$session.pid")"
	is_running "$(<"$session.pid")"
	absent "was not started in a session" "${MS[@]}" session --end "pid:$BASHPID"
}

# bats test_tags=slow
@test "--end has a time limit, and prints how to end a stopped holder" {
	session_begin
	pid=$SESSION_PID
	kill -STOP "$pid"
	exits 1 ms session --end
	[[ $stderr == *"process $pid was sent SIGTERM"*"kill -CONT $pid"* ]]
	kill -CONT "$pid"
	SESSION_PID=
	await_end "$pid"
}

# ---- --detach for scripts ----

@test "--detach prints only the value for --session with -n, a document with -j, and on failure neither" {
	succeeded mr session --detach -n -o device,session
	[[ $output =~ ^"$(device) pid:"([0-9]+)$ ]]
	SESSION_PID=${BASH_REMATCH[1]}
	session_end
	succeeded mr session --detach -n
	[[ $output =~ ^pid:([0-9]+)$ ]]
	SESSION_PID=${BASH_REMATCH[1]}
	[ "$(MRCTL_SESSION=$output "${MS[@]}" reg -n -o state)" = live ]
	session_end
	succeeded mr --json session --detach
	SESSION_PID=$(jq '.sessions[0].holders[0].pid' <<<"$output")
	json '.format == 1 and .command == "session" and .session == true and .failures == []'
	json '.environment.device == $device and .sessions[0].device == $device' --arg device "$(device)"
	json '.sessions[0] | .session == "pid:\(.holders[0].pid)" and .joinable and .regions == 0'
	export MRCTL_SESSION=pid:$SESSION_PID
	list --json
	row "$SESSION_PID" '.holders[0].role == "detached"'
	absent nosuchdevice mrctl -d nosuchdevice -n session --detach
	[ -z "$output" ]
	absent nosuchdevice mrctl -d nosuchdevice -j session --detach
	json '.sessions == [] and (.failures | length == 1)'
	absent nosuchdevice mrctl -d nosuchdevice session --detach
	[ "$output" = false ]
}

@test "options of --list, --end and --detach that contradict each other are usage errors" {
	wrong_words mrctl session <<-'EOF'
		--list --end|--list excludes --end
		--detach --list|--detach excludes --list
		--list -- true|--list runs no program: 'true'
		--list --joinable|--list excludes --joinable
		--end --relaxed-limit 3|--end excludes --relaxed-limit
		--list -d mlx5_0|--list excludes --device
		--list --session pid:1|--list excludes --session
		--end pid:1 pid:2|--end accepts one session, after all options: 'pid:2'
		--end 4711|for the session of process 4711, pid:4711
		--end nonsense|invalid session 'nonsense'
		-j -- true|--json requires --list, --end or --detach
		-o device -- true|--output requires --list, --end or --detach
		-j --hold|--json requires --list, --end or --detach
		--list -o bogus|column
		--detach -q -n|--quiet excludes --no-headings
	EOF
}

@test "a session in a session is noted only if the outer session exists" {
	session_begin
	succeeded mr session -- true
	[ "$stderr" = "mrctl: session: a new session inside the session pid:$SESSION_PID, whose regions are hidden until the new session ends" ]
	run --separate-stderr mr session --quiet -- true
	[ -z "$stderr" ]
	MRCTL_SESSION=pid:1 run --separate-stderr mr session -- true
	succeeded
	[ -z "$stderr" ]
}
