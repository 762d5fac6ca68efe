#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Each holder of a session can write to its table: that must not harm the others who join.

load helpers

export TOOL=$BUILD/tests/cli/object-tool

# Commands that wait for a lock give up after some seconds: they are started here, and wait while other tests run.
setup_file() {
	local out=$BATS_FILE_TMPDIR/lock word

	session_begin
	ms reg --count 6 --quiet
	echo "$SESSION_PID" >"$out.session"
	lock_session "$out.locked" 3>&-
	echo "$LOCKER" >"$out.locker"
	for word in "reg --count 6 --keep-going" "dereg --all" "dereg 1 2 3 --flush" stat; do
		{
			status=0
			ms $word --json >"$out.${word%% -*}.json" 2>"$out.${word%% -*}" || status=$?
			echo "$status" >"$out.${word%% -*}.status"
		} 3>&- &
	done
}

teardown_file() {
	local file

	for file in "$BATS_FILE_TMPDIR"/lock.{locker,session}; do
		kill "$(<"$file")" || :
	done
}

teardown() {
	[ -z "${LOCKER:-}" ] || kill "$LOCKER" 2>/dev/null || :
	[ -z "${SCRIBBLER:-}" ] || kill "$SCRIBBLER" 2>/dev/null || :
	tidy
}

# lock_session FILE: starts a process that takes the lock of the session, and then writes to FILE
lock_session() {
	: >"$1"
	"${SIM[@]}" "$TOOL" lock >"$1" 3>&- &
	LOCKER=$!
	await test -s "$1"
}

@test "control characters in the table reach neither a terminal nor a document" {
	session_begin
	ms reg --name aaaaa --pd bbbbb --memory memfd --quiet
	tool text aaaaa '\33]0;\7'
	tool text bbbbb '\33[2J\15'
	tool text memfd '"\12\134\377x'
	tool text "$(device)" "$(device | sed 's/./\\33/g')"
	for word in "stat" "stat 1" "stat -n -o name,pd,memory" "stat --json" "dereg aaaaa" "dereg 1"; do
		run --separate-stderr ms $word
		[[ $output != *[$'\001'-$'\011'$'\013'-$'\037'$'\177']* ]] || fail "$word: $output"
		[[ $stderr != *[$'\001'-$'\011'$'\013'-$'\037'$'\177']* ]] || fail "$word: $stderr"
		[[ $word != *json ]] || json '.regions[0] | .name == "?]0;?" and .pd == "?[2J?"'
	done
}

@test "a waiting process gets the lock of a killed one" {
	out=$BATS_TEST_TMPDIR/out
	session_begin
	lock_session "$out"
	"${MS[@]}" reg --quiet 2>"$out.err" 3>&- &
	waiter=$!
	await_pause $waiter
	kill -KILL "$LOCKER"
	await_end $waiter
	wait $waiter
	[ "$(states)" = "1 live" ]
}

# not_crashed [ARG...]: mrctl ends by itself, with one of its exit statuses
not_crashed() {
	local status=0

	timeout 60 "${MS[@]}" "$@" >/dev/null 2>"$BATS_TEST_TMPDIR/err" || status=$?
	[ "$status" -le 3 ] ||
		fail "mrctl $*: exit status $status" "$(tail -n 20 "$BATS_TEST_TMPDIR/err")"
}

@test "with garbage in the table no command crashes, or deregisters a region that it does not name" {
	out=$BATS_TEST_TMPDIR/out
	for seed in {1..5}; do
		session_begin
		# these lengths are in no entry
		mapfile -t victims < <(tool reg 40)
		ms reg --size 8K --count 60 --name n --quiet
		ms reg --size 8K --count 30 --pd one --quiet
		"${SIM[@]}" "$TOOL" scribble "$seed" >"$out" 3>&- &
		SCRIBBLER=$!
		await test -s "$out"
		for i in 1 2 3 4; do
			not_crashed stat --json || return
			not_crashed reg --size 8K --count 20 || return
			not_crashed dereg n.1 n.7 3 "lkey:$i" "mr:70" || return
			not_crashed reg --size 8K --pd one --name "x$i" --via kernel || return
			not_crashed stat 1 2 n.3 || return
			not_crashed rereg n.2 --size 12K --pd one || return
			not_crashed rereg "rkey:$i" --access none || return
			not_crashed reg --relaxed --size 8K --count 9 --name "r$i" || return
			not_crashed dereg "r$i.2" "r$i.3" --defer-for 0 || return
			not_crashed dereg --all --listed || return
			not_crashed dereg --flush || return
			not_crashed dereg pd:one || return
		done
		kill "$SCRIBBLER"
		wait "$SCRIBBLER"
		SCRIBBLER=
		for i in "${victims[@]}"; do
			tool query "$i" || fail "seed $seed: $i has gone" || return
		done
		session_end
	done
}

# gave_up COMMAND: it has reported that once, not for each region; its document is in $output
gave_up() {
	local file="$BATS_FILE_TMPDIR/lock.$1"

	await test -s "$file.status"
	output=$(<"$file.json")
	stderr=$(<"$file")
	[ "$(<"$file.status")" -eq 1 ]
	[[ $stderr == *"locked by another process"* ]] || fail "$stderr" || return
	[[ $stderr == *"process $(<"$BATS_FILE_TMPDIR/lock.locker") holds it (object-tool)"* ]] ||
		fail "$stderr" || return
	json '.failures | length == 1 and .[0].errno == "ETIMEDOUT"' || return
	[ "$(grep -c "is locked" <<<"$stderr")" -eq 1 ] || fail "$stderr"
}

@test "a command that waits too long for a lock ends, and names the holder" {
	for word in reg "dereg" "dereg 1 2 3" stat; do
		gave_up "$word" || return
		json '.regions == []' || return
	done
	# totals that could not be read are unknown, and not 0
	json '.totals | .regions == null and .bytes == null and .deferred == null and
		.unlisted == null and .uars == null'
}

@test "a signal ends the wait for a lock, and a command with many such waits" {
	local waiter status=0

	session_begin
	ms reg --count 6 --quiet
	lock_session "$BATS_TEST_TMPDIR/locked"
	"${MS[@]}" dereg --all --json >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" 3>&- &
	waiter=$!
	await_pause $waiter
	kill -INT $waiter
	await_end $waiter
	wait $waiter || status=$?
	[ "$status" -eq 130 ]
	output=$(<"$BATS_TEST_TMPDIR/out") stderr=$(<"$BATS_TEST_TMPDIR/err")
	json '.failures | length == 1 and .[0].errno == "EINTR"'
	[[ $stderr == *"interrupted: the session is locked by another process"* ]]
	kill -KILL "$LOCKER"
	[ "$(states | grep -c live)" -eq 6 ]
}

@test "a region that cannot be recorded is deregistered again, and its entry is in doubt" {
	local pid status=0

	session_begin
	behind
	pause_at reg_mr@1=stop reg --via kernel
	pid=$HOLD_PID
	[ "$(states)" = "1 pending" ]
	lock_session "$BATS_TEST_TMPDIR/locked"
	kill -CONT "$pid"
	await_pause "$pid"
	release INT || status=$?
	[ "$status" -ne 0 ]
	grep -q "region 1 was deregistered again, because it cannot be recorded: .*locked" "$HOLD_ERR" || fail "$(<"$HOLD_ERR")"
	kill -KILL "$LOCKER"
	[ "$(states)" = "1 in-doubt" ]
	[ "$(kernel_has mr)" -eq 0 ]
}
