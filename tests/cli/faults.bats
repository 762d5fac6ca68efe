#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Each call to the kernel fails in turn: what commands report, and what they leave.

load helpers

# sweep PROFILE: runs fault-sweep.sh on it.  FAULT_STEP=1 tries all errnos for each call, the default every seventh;
# with sanitizers one for each call: the errors that they find depend on the call, not on the errno
sweep() {
	local work=$BATS_TEST_TMPDIR/$1 step=7

	mkdir "$work"
	cp "$BUILD/leaks.so" "$work"
	! is_sanitized || step=13
	all_right mrctl sim --profile "$1" -- "$BATS_TEST_DIRNAME/fault-sweep.sh" "$work" "${FAULT_STEP:-$step}"
}

# all_right CMD...: CMD reports more than 100 runs, of which none was wrong
all_right() {
	PATH=$BUILD/tests/cli:$PATH "$@" >"$BATS_TEST_TMPDIR/result" 2>&1 || :
	cat "$BATS_TEST_TMPDIR/result"
	[[ $(tail -n 1 "$BATS_TEST_TMPDIR/result") =~ ^([0-9]+)' runs, 0 wrong'$ ]] && [ "${BASH_REMATCH[1]}" -gt 100 ]
}

# Takes more than 10 s: it runs some 1,000 commands.
# bats test_tags=slow
@test "if any call fails, commands report it, leave nothing, and the session works" {
	sweep mlx5
	sweep rxe
}

# bats test_tags=release
@test "if any allocation fails, commands report it, leave nothing, and the session works" {
	! is_sanitized || skip "the sanitizer has its own allocator"
	all_right "${SIM[@]}" mrctl session -- "$BATS_TEST_DIRNAME/starve.sh" "$BATS_TEST_TMPDIR" "$BUILD"
}

# bats test_tags=release
@test "if any system call of the simulator fails, the device and the session still work" {
	! is_sanitized || skip "the sanitizer has its own calls"
	all_right "${SIM[@]}" mrctl session -- "$BATS_TEST_DIRNAME/fail-inside.sh" "$BATS_TEST_TMPDIR" "$BUILD/fail.so"
}

@test "a region whose handle cannot be queried is not destroyed, and not reported as gone" {
	session_begin
	ms reg --name a --quiet
	for errno in ENOMEM EINTR EPERM EBUSY; do
		exits 1 faulty "query_mr=$errno" dereg a --json
		json '.failures[0].call == "ioctl(QUERY_MR)" and .regions == []'
		[[ $stderr == *"cannot query region 1: ioctl(QUERY_MR): $errno ("* ]]
		[ "$(states)" = "1 live" ]
	done
	exits 3 faulty query_mr=ENOENT dereg a
	[ "$(states)" = "- unlisted" ]
	make_empty
}

@test "after the device was removed, which the kernel reports by EIO, dereg frees the handles" {
	session_begin
	ms reg --count 2 --name a --quiet
	succeeded faulty 'query_mr=EIO;info_handles=EIO' dereg a.1
	[ "$(states)" = "2 live" ]
	run --separate-stderr faulty 'query_mr=EIO;info_handles=EIO' dereg --all
	[[ $status -eq 0 && $stderr == *"EIO: $(device) was removed or its driver was unbound, and its regions no longer exist"* ]] ||
		fail "$status $stderr"
	[ -z "$(states)" ]
	# as a firmware that fails: the kernel keeps the region
	ms reg --quiet
	exits 1 faulty dereg_mr=EIO dereg --all
	[ "$(states)" = "3 live" ]
	make_empty
}

@test "stat reports the facts that it could not read" {
	session_begin
	ms reg --count 2 --quiet
	# the listed region; then, when it looks for unlisted ones
	exits 1 faulty query_mr@1=ENOMEM stat --json
	json '[.regions[].state] == ["unknown", "live"] and .totals.unlisted == 0 and
		[.failures[] | .region, .errno] == [1, "ENOMEM"]'
	gives '[.regions[].state] == ["pending", "live"]' faulty query_mr@1=EBUSY stat
	[ "$(states)" = $'1 live\n2 live' ]
	# a region that no entry names: the kernel is asked for it, and again under the lock
	ms reg --name lost --quiet
	run faulty query_mr=ENOENT dereg lost
	[ "$(states)" = $'1 live\n2 live\n- unlisted' ]
	exits 0 faulty query_mr@3=ENOMEM stat --json
	json '[.regions[].state] == ["live", "live", "unlisted"] and .totals.unlisted == 1'
	exits 1 faulty 'query_mr@3=ENOMEM;query_mr@4=ENOMEM' stat --json
	json '[.regions[].state] == ["live", "live"] and .totals.unlisted == null and
		.failures[0].errno == "ENOMEM"'
	make_empty
}

@test "a lock that fails is not reported as held by another process" {
	session_begin
	for ((n = 1; n < 10; n++)); do
		ms reg --name a --quiet || :
		run --separate-stderr faulty "lock@$n=ENOLCK" dereg a
		[[ $stderr != *"another process"* ]]
		[[ $stderr != *"cannot lock region "*": fcntl(F_SETLK): ENOLCK ("* ]] || return 0
	done
	fail "no lock of a region failed"
}
