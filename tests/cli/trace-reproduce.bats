#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# mrctl trace --reproduce: a batch that is refused as the traced program was.  The program is mrctl itself.

load helpers
load batch

# The traced program, on the device under test
PROGRAM=(mrctl)
on_simulator || PROGRAM+=(-d "$MRCTL_TEST_DEVICE")

# reproduces KINDS CMD...: traces mr CMD, which is refused in so many ways; the batch that is written is refused in
# the same ways, and is the same again when it is traced itself
reproduces() {
	local kinds=$1 how lines
	shift

	run mr trace -q --reproduce "$BATS_TEST_TMPDIR/first" -- "${PROGRAM[@]}" "$@"
	lines=$(grep -c -e --expect "$BATS_TEST_TMPDIR/first") || fail "$output" "$(cat "$BATS_TEST_TMPDIR/first")"
	[ "$lines" -eq "$kinds" ] || fail "$lines kinds: $(cat "$BATS_TEST_TMPDIR/first")"
	how=$(sed -n 's/^# Run it by: mrctl //p' "$BATS_TEST_TMPDIR/first")
	read -ra how <<<"$how"
	run --separate-stderr mr "${how[@]}"
	succeeded || fail "$(cat "$BATS_TEST_TMPDIR/first")"
	run mr trace -q --reproduce "$BATS_TEST_TMPDIR/second" -- "${PROGRAM[@]}" "${how[@]}"
	[ "$(grep -e --expect "$BATS_TEST_TMPDIR/first")" = "$(grep -e --expect "$BATS_TEST_TMPDIR/second")" ] ||
		fail "$(diff "$BATS_TEST_TMPDIR/first" "$BATS_TEST_TMPDIR/second")"
}

# reproduces_lines KINDS LINE...: the same of a batch of these lines
reproduces_lines() {
	take_lines -- "${@:2}"
	reproduces "$1" batch --keep-going "$LINES_FILE"
}

# bats test_tags=kernel
@test "memory that is read-only, has a hole, or is not there is reproduced" {
	reproduces_lines 3 'reg --memory readonly' 'reg --memory hole --size 64K' 'reg --memory unmapped --size 8K'
}

# bats test_tags=kernel
@test "requests that are wrong in themselves are reproduced" {
	reproduces_lines 4 'reg --access remote-write' 'reg --size 0' 'reg --access 0x80000001' \
		'reg-iova --iova 0x1001'
}

# bats test_tags=kernel
@test "the limit of locked memory is reproduced, with what was registered before" {
	take_lines -- 'reg --size 32K --count 3'
	reproduces 1 batch --keep-going --limit memlock=64K "$LINES_FILE"
	grep -qx 'reg --size 32768 --count 2' "$BATS_TEST_TMPDIR/first"
	grep -q -e '--limit memlock=64K' "$BATS_TEST_TMPDIR/first"
}

# bats test_tags=kernel
@test "a change that is refused is reproduced on a region like the one before" {
	on_mlx5 || skip "librxe cannot change regions"
	reproduces_lines 2 'reg --name a' 'rereg a --memory unmapped' 'reg --name b --size 8K' \
		'rereg b --access remote-write'
}

# bats test_tags=kernel
@test "umems and dma-bufs are reproduced" {
	on_mlx5 || skip "rxe has neither"
	reproduces_lines 2 'umem --page-sizes 0x1 --size 64K' 'umem --memory readonly'
	! on_simulator && [ ! -e /dev/udmabuf ] ||
		reproduces_lines 1 'reg-dmabuf --from udmabuf --size 8K --buffer 4K'
}

@test "memory on the device and implicit on-demand paging are reproduced" {
	on_mlx5 || skip "rxe has no memory on the device"
	reproduces_lines 4 'reg --memory dm:1G --size 4K' 'reg --memory dm --size 64 --access 0x3ff' \
		'reg --memory none --size max' 'reg --memory none --size max --access on-demand,hugetlb'
}

@test "what cannot be reproduced has a comment that says why" {
	take_lines -- 'reg --name a' 'dereg a'
	run faulty dereg_mr=EBUSY trace -q --reproduce "$BATS_TEST_TMPDIR/batch" -- \
		mrctl batch --keep-going "$LINES_FILE"
	run ! grep -e --expect "$BATS_TEST_TMPDIR/batch"
	grep -q '^# It cannot be reproduced: the call depends on objects' "$BATS_TEST_TMPDIR/batch"
	run --separate-stderr mr batch "$BATS_TEST_TMPDIR/batch"
	succeeded
}

@test "the file is private, and no link of somebody else is followed" {
	run mr trace -q --reproduce "$BATS_TEST_TMPDIR/batch" -- mrctl reg --memory hole
	[ "$(stat -c %a "$BATS_TEST_TMPDIR/batch")" = 600 ]
	: >"$BATS_TEST_TMPDIR/victim"
	ln -s victim "$BATS_TEST_TMPDIR/link"
	run --separate-stderr mr trace -q --reproduce "$BATS_TEST_TMPDIR/link" -- mrctl reg --memory hole
	[ "$status" -eq 1 ]
	[[ $stderr == *"/link: open: ELOOP"* ]]
	[ ! -s "$BATS_TEST_TMPDIR/victim" ]
}
