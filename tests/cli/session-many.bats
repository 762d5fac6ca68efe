#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Many commands at once in one session, many regions in it, and no objects left behind.

load helpers

# All kinds of objects share the handles, and the kernel reuses a handle at once.
# bats test_tags=kernel,slow
@test "many processes that register and deregister at once lose and confuse no region or umem" {
	times=200 out=$BATS_TEST_TMPDIR/out umem=true
	if on_simulator; then
		require_tool
		! is_sanitized || times=60
	else
		times=16
	fi
	! on_mlx5 || umem='mrctl umem --name "u.$1" --quiet && [ "$(mrctl dereg "u.$1" -n -o name,kind)" = "u.$1 umem" ]'
	session_begin
	# each registers two, leaves one and prints it, and checks that it deregisters its own
	at_once $times '
		mrctl reg --name "stay.$1" --size $((4096 * ($1 % 7 + 1))) -n -o name,lkey,length &&
		mrctl reg --name "go.$1" --via kernel --quiet && '"$umem"' &&
		[ "$(mrctl dereg "go.$1" -n -o name,kind)" = "go.$1 mr" ]'
	[ "$(wc -l <"$out")" -eq $times ]
	[ "$(kernel_has mr)" -eq $times ]
	ms stat --json >"$out.json"
	jq -e --argjson n $times '.failures == [] and .totals.unlisted == 0
		and ([.regions[] | .kind, .state] | unique == ["live", "mr"]) and (.regions | length == $n)
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

# bats test_tags=slow
@test "if many processes request the same name, protection domain or change, it is made once" {
	session_begin
	at_once 64 'mrctl reg --name mine --quiet 2>/dev/null && echo "$1" || :'
	[ "$(wc -l <"$BATS_TEST_TMPDIR/out")" -eq 1 ]
	[ "$(states | wc -l)" -eq 1 ]
	# a slow call, so that the processes overlap
	at_once 64 'MRCTL_SIM_FAULT=rereg_mr=delay:5 mrctl rereg mine --access remote-read \
		--pd "p$(($1 % 4))" -n -o pd 2>"$BATS_TEST_TMPDIR/err.$1" ||
		grep -q "in use by another process" "$BATS_TEST_TMPDIR/err.$1"'
	[ -s "$BATS_TEST_TMPDIR/out" ]
	shows '.totals.unlisted == 0 and [.regions[] | .state, .access_bits] == ["live", "0x4"]' ms stat
	at_once 64 'mrctl dereg mine -n -o name 2>/dev/null || :'
	[ "$(<"$BATS_TEST_TMPDIR/out")" = mine ]
	[ "$(kernel_has mr)" -eq 0 ]
	ms dereg pd:p0 pd:p1 pd:p2 pd:p3 --quiet 2>/dev/null || :
	at_once 64 'mrctl reg --pd mine --quiet'
	shows '[.totals.pds[].name] == ["default", "mine"] and .totals.regions == 64' ms stat
	[ "$(kernel_has pd)" -eq 2 ]
}

# bats test_tags=slow
@test "several dereg --all at once, while others register, lose no region" {
	session_begin
	at_once 120 '
		case $(($1 % 4)) in
		0) mrctl dereg --all --quiet ;;
		1) mrctl stat --quiet >/dev/null ;;
		*) mrctl reg --count 10 --quiet ;;
		esac'
	stat_is_true
	json '.totals.unlisted == 0 and ([.regions[].state] - ["live"] == [])'
	make_empty
}

# bats test_tags=slow
@test "commands that succeed leave no region, protection domain, doorbell page or entry behind" {
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
	shows '.regions == [] and .totals.unlisted == 0' ms stat
	[ "$(kernel_has pd)" -eq "$pds" ]
	[ "$(kernel_has mr)" -eq "$mrs" ]
	# many registrations reuse a few handles
	for i in {1..10}; do
		ms reg --name a -n -o handle
		ms dereg a --quiet
	done >"$BATS_TEST_TMPDIR/out"
	[ "$(sort -u "$BATS_TEST_TMPDIR/out" | wc -l)" -le 2 ]
}

# Counts the calls that a command makes in a session of 20,000 regions and in a small one; times would vary.
# bats test_tags=slow
@test "many regions are registered, listed, found without asking for the others, and deregistered" {
	out=$BATS_TEST_TMPDIR/out
	session_begin
	for n in 64 20000; do
		# shellcheck disable=SC2153 # of the helpers
		ms reg --count $n "${MANY[@]}" --memory none --name "n$n" --quiet 2>/dev/null
		read -ra keys < <(ms stat "n$n.9" -n -o lkey,handle)
		for word in "stat n$n.9" "stat lkey:${keys[0]}" "stat mr:${keys[1]}" "dereg n$n.9"; do
			# LeakSanitizer does not work below strace.
			ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0 "${SIM[@]}" strace -qq -o "$out.trace" mrctl $word --quiet
			wc -l <"$out.trace"
		done >"$out.$n"
	done
	while read -r few many; do
		[ "$many" -le $((few + 10)) ] || fail "$(paste "$out".{64,20000})" || return
	done < <(paste "$out".{64,20000})
	ms stat --json >"$out"
	jq -e --argjson n 20062 '(.regions | length == $n) and .totals.regions == $n
		and .totals.unlisted == 0 and (.totals.table_bytes / $n <= 256)
		and ([.regions[].state] | unique == ["inert"])' "$out" >/dev/null
	outputs $'17841 n20000.17777 inert\n17841 n20000.17777 inert' ms stat n20000.17777 17841 -n -o id,name,state
	ms dereg --all --json >"$out"
	[ "$(grep -c '^{"id":[0-9]*,.*"state":"deregistered"' "$out")" -eq 20062 ]
	[[ $(tail -c 100 "$out") == *'"failures":[]}' ]]
	[ -z "$(ms stat -n)" ]
}
