#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Commands that are killed at any call: the session still works, and stat shows its true state.

# bats file_tags=kill

load helpers
load calls

# begin [ARG...]: opens a session; skips on a real device, and where the library that counts calls is missing.  All
# that starts from then on is on the simulator, without `mrctl sim` before each command.
begin() {
	on_simulator || skip "needs the simulator's faults"
	require_tool
	[ -n "${LEAKS:-}" ] || skip "needs leaks.so below mrctl"
	session_begin "$@"
	behind
	eval "$("${SIM[@]}" env | sed -n "s/^\(LD_PRELOAD\|MRCTL_SIM[A-Z_]*\|SYSFS_PATH\)=\(.*\)/export \1='\2'/p")"
	SIM=() MS=(mrctl)
}

# killed SPEC ARG...: runs mrctl with this fault; true if it was killed
killed() {
	local status=0

	MRCTL_SIM_FAULT=$1 mrctl "${@:2}" >/dev/null 2>&1 || status=$?
	[ "$status" -eq 137 ]
}

# The batches by which kill_each prepares
setup() {
	note_less
	cd "$BATS_TEST_TMPDIR" || return
	printf '%s\n' 'reg --pd one --name a' 'dereg a' >one_pd
	printf '%s\n' 'reg --relaxed --count 2 --name n' 'dereg n.1 n.2 --defer-for 600' >deferred
	printf '%s\n' 'reg --relaxed --count 2 --name n' 'dereg n.1 n.2 --defer-for 0' >due
	printf '%s\n' 'reg --relaxed --pd one --name a' 'dereg a --defer-for 600' >deferred_pd
	printf '%s\n' 'reg --relaxed --count 2 --name n' 'dereg n.1 --defer-for 600' >one_of_two
}

# pds_work: every protection domain that stat shows can be used, and all but the first can be deallocated
pds_work() {
	local pd

	for pd in $(ms stat | sed -n 's/^pds: *//p' | tr -d ,); do
		ms reg --pd "$pd" --via kernel --name probe --quiet >/dev/null || return
		ms dereg probe --quiet >/dev/null || return
		[ "$pd" = default ] || ms dereg "pd:$pd" --quiet || return
	done
}

# prepare TURN: runs the command in PREPARE, where % is replaced by TURN
prepare() {
	[ -z "$PREPARE" ] || ms ${PREPARE//%/$1} --quiet >/dev/null
}

# kill_each CALLS ARG...: kills `mrctl ARG...` before its first call and after each of the CALLS, which are all that
# change something: in between the state is the same.  Checks the session each time.  In ARG and in the command
# PREPARE, which runs before, % is the number of the kill: with it the objects of all kills are in one session, without
# it the session is emptied each time.
kill_each() {
	local calls=$1 all call at kills=() turn=0
	shift

	prepare 0 || return
	count_calls "$BATS_TEST_TMPDIR/calls" ms "${@//%/0}" >/dev/null 2>&1
	make_empty || return
	for call in $calls; do
		for ((at = 1; at <= ${TIMES[$call]:-0}; at++)); do
			kills+=("$call@$at=kill-after")
		done
	done
	[ "${#kills[@]}" -ge 3 ] || fail "only ${#kills[@]} calls of $*" || return
	for at in "${kills[0]%-after}" "${kills[@]}"; do
		turn=$((turn + 1))
		prepare $turn || fail "prepare: $at $*" || return
		killed "$at" "${@//%/$turn}" || fail "not killed: $at $*" || return
		stat_is_true || fail "$at $*" || return
		all="$PREPARE $*"
		[[ $all == *%* ]] || make_empty || fail "$at $*" || return
	done
	make_empty || fail "$*" || return
	[[ $all != *pd* ]] || pds_work || fail "pds: $*"
}

@test "reg can be killed anywhere, by each path and in a new protection domain" {
	begin
	! on_mlx5 || kill_each "query_context query_pd alloc_uar reg_mr dealloc_uar lock" reg --count 2 --name n%
	kill_each "reg_mr lock" reg --count 2 --name n% --via kernel
	kill_each "alloc_pd reg_mr lock" reg --pd one% --via kernel
	kill_each "reg_mr lock" reg --relaxed --count 2 --name n% --via kernel
}

@test "umem and its dereg can be killed anywhere" {
	begin
	kill_each "umem_reg lock" umem --count 2 --name n% --via kernel
	PREPARE='umem --name a%' kill_each "info_handles umem_dereg lock" dereg a%
	[ "$(kernel_has umem)" -eq 0 ]
}

@test "dereg can be killed anywhere" {
	begin
	PREPARE='reg --name a%' kill_each "query_mr dereg_mr lock" dereg a%
	PREPARE='reg --count 2' kill_each "query_mr dereg_mr lock" dereg --all
	PREPARE='batch one_pd' kill_each "dealloc_pd lock" dereg pd:one
}

@test "rereg can be killed anywhere" {
	begin
	if on_mlx5; then
		PREPARE='reg --name a%' kill_each "query_mr rereg_mr lock" rereg a% --size 4M
	fi
	PREPARE='reg --name a%' kill_each "alloc_pd rereg_mr lock" rereg a% --pd one% --access remote-read
}

@test "dereg and flush of relaxed regions can be killed anywhere" {
	begin
	PREPARE='reg --relaxed --name a%' kill_each "query_mr lock" dereg a% --defer-for 600
	PREPARE='batch deferred' kill_each "query_mr dereg_mr lock" dereg --flush
	PREPARE='batch deferred_pd' kill_each "dereg_mr dealloc_pd lock" dereg pd:one
	# regions that are due are invalidated before a command does its work
	PREPARE='batch due' kill_each "query_mr dereg_mr reg_mr lock" reg --name m --via kernel
}

@test "a watermark and a full pool can be killed anywhere" {
	begin --relaxed-watermark 2 --relaxed-limit 2
	PREPARE='batch one_of_two' kill_each "query_mr dereg_mr lock" dereg n.2
	PREPARE='batch one_of_two' kill_each "query_mr dereg_mr reg_mr lock" reg --relaxed --via kernel
}

@test "stat can be killed anywhere, and changes nothing" {
	begin
	ms reg --count 2 --quiet
	for call in query_mr@2 info_handles lock@1 lock@2 lock@3; do
		killed $call=kill-after stat
		[ "$(states)" = $'1 live\n2 live' ]
	done
}

@test "the object of a killed command is in doubt, unlisted or gone, and dereg resolves it" {
	begin
	killed reg_mr=kill reg --name a
	[ "$(states)" = "1 in-doubt" ]
	[ "$(kernel_has mr)" -eq 0 ]
	# the name is free after dereg
	run --separate-stderr ms reg --name a
	[ "$status" -ne 0 ]
	absent "region 1 was already gone" ms dereg a
	killed reg_mr=kill-after reg --name a
	[ "$(states)" = $'2 in-doubt\n- unlisted' ]
	[ "$(kernel_has mr)" -eq 1 ]
	make_empty
	ms reg --count 2 --quiet
	killed dereg_mr=kill dereg 3
	killed dereg_mr=kill-after dereg 4
	[ "$(states)" = $'3 in-doubt\n4 gone' ]
	ms dereg 3 --quiet
	exits 3 ms dereg 4
	[ -z "$(states)" ]
	ms --quiet batch deferred
	killed dereg_mr@1=kill dereg --flush
	[ "$(states | sort)" = $'5 deferred\n6 deferred' ]
	killed dereg_mr@1=kill-after dereg --flush
	[ "$(states | sort)" = $'5 deferred\n6 gone' ]
	ms dereg --flush --quiet
	[ -z "$(states)" ]
}

# Kills until enough of them have hit a command that was still running.  The delay before each kill adapts to how long
# commands run, so that about half do.
# bats test_tags=kernel
@test "commands killed at random times leave a session that works and a true stat" {
	local wanted=15 delay=80000 landed=0 kinds=6 status never

	! on_simulator || skip "there is no state between the calls at which the tests above kill"
	! on_mlx5 || kinds=8
	session_begin
	behind
	exec {never}<> <(:)
	while [ $landed -lt $wanted ]; do
		case $((RANDOM % kinds)) in
		0) set -- reg --count 300 ;;
		1) set -- reg --name "n$((RANDOM % 4))" --pd "pd$((RANDOM % 4))" ;;
		2) set -- reg --via kernel --count 300 ;;
		3 | 7) set -- dereg --all ;;
		4) set -- rereg "n$((RANDOM % 4))" --size $((RANDOM % 64 + 1))K --access none ;;
		5) set -- dereg n0 n1 n2 n3 pd:pd0 pd:pd1 pd:pd2 pd:pd3 ;;
		6) set -- umem --count 100 ;;
		esac
		"${MS[@]}" "$@" >/dev/null 2>&1 3>&- &
		read -rt "$(printf '0.%06d' $((RANDOM * delay / 32768)))" -u "$never" || :
		kill -KILL $! 2>/dev/null || :
		status=0
		wait $! 2>/dev/null || status=$?
		if [ "$status" -ne 137 ]; then
			delay=$((delay * 3 / 4 + 1))
			continue
		fi
		delay=$((delay < 600000 ? delay * 5 / 4 + 1 : delay))
		landed=$((landed + 1))
		[ $((landed * 5 % wanted)) -eq 0 ] || continue
		stat_is_true || return
		# otherwise there would be more in the end than the kernel lists
		ms dereg --all --quiet >/dev/null || return
	done
	exec {never}<&-
	make_empty
	pds_work
}
