#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Commands that are killed at any call: the session still works, and stat shows its true state.
# shellcheck disable=SC2016 # scripts for the shell in the session

# bats file_tags=kill

load helpers

# require_faults: skips on a real device, and where session-tool is missing
require_faults() {
	on_simulator || skip "needs the simulator's faults"
	require_tool
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

# kill_each PREPARE CALLS [ARG...]: for each of the CALLS of `mrctl ARG...`, once before and once after the call: runs
# PREPARE, kills the command there, and checks the session
kill_each() {
	local prepare=$1 calls=$2 call when n times=0
	shift 2

	for call in $calls; do
		for when in kill kill-after; do
			for ((n = 1; n <= 40; n++)); do
				$prepare
				killed "$call@$n=$when" "$@" || break
				times=$((times + 1))
				stat_is_true || fail "$call@$n=$when $*" || return
				make_empty || fail "$call@$n=$when $*" || return
				[[ "$*" != *pd* ]] || pds_work || fail "pds: $call@$n=$when $*" || return
			done
			[ "$n" -le 40 ] || fail "it never came to its end" || return
			make_empty || fail "$call@$n $*" || return
		done
	done
	[ "$times" -ge 4 ] || fail "only $times kills"
}

one_region() {
	ms reg --name a --quiet >/dev/null
}

two_regions() {
	ms reg --count 2 --name n --quiet >/dev/null
}

one_pd() {
	ms reg --pd one --name a --quiet >/dev/null
	ms dereg a --quiet >/dev/null
}

@test "reg through the library can be killed anywhere" {
	require_faults
	session_begin
	kill_each : "query_context query_pd alloc_uar reg_mr dealloc_uar lock" \
		reg --count 2 --name n
}

@test "reg through the kernel's interface can be killed anywhere" {
	require_faults
	session_begin
	kill_each : "reg_mr lock" reg --count 2 --name n --via kernel
}

@test "reg in a new protection domain can be killed anywhere" {
	require_faults
	session_begin
	kill_each : "alloc_pd reg_mr lock" reg --pd one --via kernel
}

one_umem() {
	ms umem --name a --quiet >/dev/null
}

@test "umem can be killed anywhere" {
	require_faults
	on_mlx5 || skip "needs DEVX"
	session_begin
	kill_each : "umem_reg lock" umem --count 2 --name n --via kernel
	[ "$(kernel_has umem)" -eq 0 ]
}

@test "dereg of a umem can be killed anywhere" {
	require_faults
	on_mlx5 || skip "needs DEVX"
	session_begin
	kill_each one_umem "info_handles umem_dereg lock" dereg a
	[ "$(kernel_has umem)" -eq 0 ]
}

@test "dereg can be killed anywhere" {
	require_faults
	session_begin
	kill_each one_region "query_mr dereg_mr lock" dereg a
}

@test "rereg can be killed anywhere" {
	require_faults
	session_begin
	kill_each one_region "query_mr rereg_mr lock" rereg a --size 4M
	kill_each one_region "alloc_pd rereg_mr lock" rereg a --pd one --access on-demand
}

@test "dereg --all can be killed anywhere" {
	require_faults
	session_begin
	kill_each two_regions "query_mr dereg_mr lock" dereg --all
}

one_relaxed() {
	ms reg --relaxed --name a --quiet >/dev/null
}

two_deferred() {
	ms reg --relaxed --count 2 --name n --quiet >/dev/null
	ms dereg n.1 n.2 --defer-for "${DEFER:-600}" --quiet >/dev/null
}

two_relaxed() {
	ms reg --relaxed --count 2 --name n --quiet >/dev/null
}

one_deferred_of_two() {
	two_relaxed
	ms dereg n.1 --defer-for 600 --quiet >/dev/null
}

deferred_pd() {
	ms reg --relaxed --pd one --name a --quiet >/dev/null
	ms dereg a --defer-for 600 --quiet >/dev/null
}

@test "reg, dereg and flush of relaxed regions can be killed anywhere" {
	require_faults
	session_begin
	kill_each : "reg_mr lock" reg --relaxed --count 2 --name n --via kernel
	kill_each one_relaxed "query_mr lock" dereg a --defer-for 600
	kill_each two_deferred "query_mr dereg_mr lock" dereg --flush
	kill_each deferred_pd "dereg_mr dealloc_pd lock" dereg pd:one
	# regions that are due are invalidated before a command does its work
	DEFER=0 kill_each two_deferred "query_mr dereg_mr reg_mr lock" reg --name m --via kernel
}

@test "a watermark and a full pool can be killed anywhere" {
	require_faults
	session_begin --relaxed-watermark 2 --relaxed-limit 2
	kill_each one_relaxed "query_mr dereg_mr lock" dereg a
	kill_each two_relaxed "query_mr dereg_mr lock" dereg n.1 n.2
	kill_each one_deferred_of_two "query_mr dereg_mr reg_mr lock" reg --relaxed --via kernel
}

@test "a deferred region whose flush was killed is deferred, or has gone" {
	require_faults
	session_begin
	two_deferred
	killed dereg_mr@1=kill dereg --flush
	[ "$(states | sort)" = $'1 deferred\n2 deferred' ]
	killed dereg_mr@1=kill-after dereg --flush
	[ "$(states | sort)" = $'1 deferred\n2 gone' ]
	ms dereg --flush --quiet
	[ -z "$(states)" ]
}

@test "dereg of a protection domain can be killed anywhere" {
	require_faults
	session_begin
	kill_each one_pd "dealloc_pd lock" dereg pd:one
}

@test "stat can be killed anywhere, and changes nothing" {
	require_faults
	session_begin
	ms reg --count 2 --quiet
	for call in query_mr@2 info_handles lock@1 lock@2 lock@3; do
		killed $call=kill stat
		killed $call=kill-after stat
		[ "$(states)" = $'1 live\n2 live' ]
	done
}

@test "a region is in doubt where the command was killed before it was registered" {
	require_faults
	session_begin
	killed reg_mr=kill reg --name a
	[ "$(states)" = "1 in-doubt" ]
	[ "$(kernel_has mr)" -eq 0 ]
	run --separate-stderr ms dereg a
	[ "$status" -eq 3 ]
	[[ $stderr == *"region 1 had gone already"* ]]
	[ -z "$(states)" ]
}

@test "a region that a killed command has not noted is unlisted" {
	require_faults
	session_begin
	killed reg_mr=kill-after reg --name a
	[ "$(states)" = $'1 in-doubt\n- unlisted' ]
	[ "$(kernel_has mr)" -eq 1 ]
	make_empty
}

@test "a region is in doubt if dereg was killed before the kernel deregistered it, and gone if after" {
	require_faults
	session_begin
	ms reg --count 2 --quiet
	killed dereg_mr=kill dereg 1
	killed dereg_mr=kill-after dereg 2
	[ "$(states)" = $'1 in-doubt\n2 gone' ]
	run --separate-stderr ms dereg 1
	succeeded
	run --separate-stderr ms dereg 2
	[ "$status" -eq 3 ]
	[ -z "$(states)" ]
}

@test "a name that a killed command has taken is free after dereg" {
	require_faults
	session_begin
	killed reg_mr=kill reg --name a
	run --separate-stderr ms reg --name a
	[ "$status" -ne 0 ]
	ms dereg a || :
	ms reg --name a --quiet
}

# Kills until enough of them have hit a command that was still running
# bats test_tags=kernel
@test "commands killed at random times leave a session that works and a true stat" {
	local kills=500 spread=45 landed=0 kinds=6 tries status never

	if on_simulator; then
		require_tool
	else
		kills=15 spread=1500
	fi
	! on_mlx5 || kinds=8
	session_begin
	behind
	exec {never}<> <(:)
	for ((tries = 1; landed < kills && tries < 20 * kills; tries++)); do
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
		read -rt "$(printf '0.%04d' $((RANDOM % spread)))" -u "$never" || :
		kill -KILL $! 2>/dev/null || :
		status=0
		wait $! 2>/dev/null || status=$?
		[ "$status" -eq 137 ] || continue
		landed=$((landed + 1))
		[ $((landed * 10 % kills)) -eq 0 ] || continue
		stat_is_true || return
		# otherwise there would be more in the end than the kernel lists
		ms dereg --all --quiet >/dev/null || return
	done
	exec {never}<&-
	echo "$tries tries"
	[ "$landed" -eq "$kills" ]
	make_empty
	pds_work
}
