#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Many commands at once in one session, many regions in it, and no objects left behind.
# shellcheck disable=SC2016 # scripts for the shells in the session

load helpers

# bats test_tags=kernel
@test "many processes that register and deregister at once lose and confuse no region" {
	local times=1000 out=$BATS_TEST_TMPDIR/out

	if on_simulator; then
		require_tool
		on_mlx5 || times=300
		! is_sanitized || times=200
	else
		times=16
	fi
	session_begin
	# each registers two, leaves one and prints it, and checks that it deregisters its own
	at_once $times '
		mrctl reg --name "stay.$1" --size $((4096 * ($1 % 7 + 1))) -n -o name,lkey,length &&
		mrctl reg --name "go.$1" --via kernel --quiet &&
		[ "$(mrctl dereg "go.$1" -n -o name)" = "go.$1" ]'
	[ "$(wc -l <"$out")" -eq $times ]
	[ "$(kernel_has mr)" -eq $times ]
	ms stat --json >"$out.json"
	jq -e --argjson n $times '.failures == [] and .totals.unlisted == 0
		and ([.regions[].state] | unique == ["live"]) and (.regions | length == $n)
		and ([.regions[].handle] | unique | length == $n)
		and ([.regions[].lkey] | unique | length == $n)
		and ([.regions[].id] | unique | length == $n)' "$out.json" >/dev/null
	jq -r '.regions[] | "\(.name) \(.lkey) \(.length)"' "$out.json" | sort >"$out.stat"
	sort "$out" | cmp - "$out.stat"
	# and all are deregistered at once
	at_once $times 'mrctl dereg "stay.$1" -n -o name'
	sort -u "$out" | wc -l | grep -qx $times
	[ -z "$(ms stat -n)" ]
	[ "$(kernel_has mr)" -eq 0 ]
}

# All kinds of objects share the handles, and the kernel reuses a handle at once.
# bats test_tags=kernel
@test "umems and regions that many processes make and destroy at once are not confused" {
	local times=16

	on_mlx5 || skip "needs DEVX, which only mlx5 has"
	! on_simulator || times=300
	session_begin
	at_once $times '
		mrctl umem --name "u.$1" --quiet && mrctl reg --name "m.$1" --quiet &&
		[ "$(mrctl dereg "u.$1" -n -o name,kind)" = "u.$1 umem" ] &&
		mrctl umem --name "stay.$1" --via kernel --quiet &&
		[ "$(mrctl dereg "m.$1" -n -o name,kind)" = "m.$1 mr" ]'
	run --separate-stderr ms stat --json
	succeeded
	json '.totals.unlisted == 0 and ([.regions[] | .kind, .state] | unique == ["live", "umem"])'
	json '([.regions[].handle] | unique | length) == $n and (.regions | length) == $n' \
		--argjson n $times
	ms dereg --all --quiet
	[ -z "$(states)" ]
}

# In guests processes start slowly: there each registers many regions.
# bats test_tags=kernel
@test "thousands of regions are registered and deregistered by 16 processes at once" {
	local times=32 out=$BATS_TEST_TMPDIR/out

	on_simulator && require_tool
	session_begin
	at_once $times '
		mrctl reg --size 4K --count 64 --name "n.$1" --quiet &&
		mrctl dereg $(seq -f "n.$1.%g" 2 64) -n -o name,lkey'
	[ "$(wc -l <"$out")" -eq $((times * 63)) ]
	[ "$(cut -d " " -f 1 "$out" | sort -u | wc -l)" -eq $((times * 63)) ]
	[ "$(kernel_has mr)" -eq $times ]
	run --separate-stderr ms stat --json
	json '.totals.unlisted == 0 and ([.regions[].state] | unique == ["live"])
		and (.regions | length == $n) and ([.regions[].handle] | unique | length == $n)
		and all(.regions[]; .name | test("^n\\.[0-9]+\\.1$"))' --argjson n $times
	make_empty
}

@test "a name is given once, however many processes want it" {
	session_begin
	at_once 64 'mrctl reg --name mine --quiet 2>/dev/null && echo "$1" || :'
	[ "$(wc -l <"$BATS_TEST_TMPDIR/out")" -eq 1 ]
	[ "$(states)" = "1 live" ] || [ "$(states | wc -l)" -eq 1 ]
}

@test "a region is changed by one process at a time, however many want to" {
	session_begin
	ms reg --name mine --quiet
	# a slow call, so that the processes overlap
	at_once 64 'MRCTL_SIM_FAULT=rereg_mr=delay:5 mrctl rereg mine --access remote-read \
		--pd "p$(($1 % 4))" -n -o pd 2>"$BATS_TEST_TMPDIR/err.$1" ||
		grep -q "in the hands of another process" "$BATS_TEST_TMPDIR/err.$1"'
	[ -s "$BATS_TEST_TMPDIR/out" ]
	run --separate-stderr ms stat --json
	json '.totals.unlisted == 0 and [.regions[] | .state, .access_bits] == ["live", "0x4"]'
	ms dereg mine --quiet
	[ "$(kernel_has mr)" -eq 0 ]
}

@test "a region is deregistered once, however many processes want to" {
	session_begin
	ms reg --name mine --quiet
	at_once 64 'mrctl dereg mine -n -o name 2>/dev/null || :'
	[ "$(<"$BATS_TEST_TMPDIR/out")" = mine ]
}

@test "a protection domain is made once, however many processes want it" {
	require_tool
	session_begin
	at_once 64 'mrctl reg --pd mine --quiet'
	run --separate-stderr ms stat --json
	json '[.totals.pds[].name] == ["default", "mine"] and .totals.regions == 64'
	[ "$(kernel_has pd)" -eq 2 ]
}

@test "several dereg --all at once, while others register, lose no region" {
	require_tool
	session_begin
	at_once 200 '
		case $(($1 % 4)) in
		0) mrctl dereg --all --quiet ;;
		1) mrctl stat --quiet >/dev/null ;;
		*) mrctl reg --count 10 --quiet ;;
		esac'
	stat_is_true
	json '.totals.unlisted == 0 and ([.regions[].state] - ["live"] == [])'
	make_empty
}

# bats test_tags=kernel
@test "commands that succeed leave no region, protection domain, doorbell page or entry behind" {
	local pds mrs

	on_simulator && require_tool
	session_begin
	ms reg --quiet
	ms dereg --all --quiet
	pds=$(kernel_has pd) mrs=$(kernel_has mr)
	ms reg --count 3 --quiet
	ms reg --via kernel --name a --pd mine --quiet
	ms reg-iova --iova 0x4000 --quiet
	ms reg --size 0 --quiet || :
	ms reg --size 0 --via kernel --quiet || :
	ms stat --quiet
	ms dereg a pd:mine --quiet
	ms dereg --all --quiet
	run --separate-stderr ms stat --json
	json '.regions == [] and .totals.unlisted == 0'
	[ "$(kernel_has pd)" -eq "$pds" ]
	[ "$(kernel_has mr)" -eq "$mrs" ]
}

@test "many registrations reuse a few handles: no object is left" {
	local i

	on_simulator || skip "the simulator's handles show it"
	session_begin
	for i in {1..20}; do
		ms reg --name a -n -o handle
		ms dereg a --quiet
	done >"$BATS_TEST_TMPDIR/out" 2>/dev/null
	[ "$(sort -u "$BATS_TEST_TMPDIR/out" | wc -l)" -le 2 ]
}

@test "100,000 regions (on rxe and with sanitizers 20,000) are registered, listed, found and deregistered" {
	local n=100000 out=$BATS_TEST_TMPDIR/out

	on_mlx5 && ! is_sanitized || n=20000
	session_begin
	# shellcheck disable=SC2153 # of the helpers
	ms reg --count $n "${MANY[@]}" --memory none --name n --quiet 2>/dev/null
	ms stat --json >"$out"
	jq -e --argjson n $n '(.regions | length == $n) and .totals.regions == $n
		and .totals.unlisted == 0 and (.totals.table_bytes / $n <= 256)
		and ([.regions[].state] | unique == ["inert"])' "$out" >/dev/null
	run --separate-stderr ms stat n.17777 17777 -n -o id,name,state
	[ "$output" = $'17777 n.17777 inert\n17777 n.17777 inert' ] || fail "$output"
	[ "$(ms dereg n.17777 -n -o id)" = 17777 ]
	ms dereg --all --json >"$out"
	[ "$(grep -c '^{"id":[0-9]*,.*"state":"deregistered"' "$out")" -eq $((n - 1)) ]
	[[ $(tail -c 100 "$out") == *'"failures":[]}' ]]
	[ -z "$(ms stat -n)" ]
}

# Compares the calls that a command makes in a large session with those in a small one; times would vary.
@test "a region among many is found without asking for the others" {
	local n word few many

	session_begin
	for n in 64 20000; do
		ms reg --count $n "${MANY[@]}" --memory none --name "n$n" --quiet 2>/dev/null
		read -ra keys < <(ms stat "n$n.9" -n -o lkey,handle)
		for word in "stat n$n.9" "stat lkey:${keys[0]}" "stat mr:${keys[1]}" "dereg n$n.9"; do
			# shellcheck disable=SC2086 # a list of words
			# LeakSanitizer does not work below strace.
			ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0 "${SIM[@]}" strace -qq -o "$BATS_TEST_TMPDIR/trace" mrctl $word --quiet
			wc -l <"$BATS_TEST_TMPDIR/trace"
		done >"$BATS_TEST_TMPDIR/calls.$n"
	done
	paste "$BATS_TEST_TMPDIR"/calls.{64,20000} >"$BATS_TEST_TMPDIR/calls"
	while read -r few many; do
		[ "$many" -le $((few + 10)) ] || fail "$(<"$BATS_TEST_TMPDIR/calls")" || return
	done <"$BATS_TEST_TMPDIR/calls"
}
