#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# mrctl trace --reproduce: a batch that is refused as the traced program was.  The program is mrctl itself.

load helpers
load batch

# reproduces KINDS CMD...: traces mr CMD, which is refused in so many ways; the batch that is written is refused in
# the same ways, and is the same again when it is traced itself
reproduces() {
	local kinds=$1 how lines
	shift

	run mr trace -q --reproduce "$BATS_TEST_TMPDIR/first" -- mrctl "$@"
	lines=$(grep -c -e --expect "$BATS_TEST_TMPDIR/first") || fail "$output" "$(cat "$BATS_TEST_TMPDIR/first")"
	[ "$lines" -eq "$kinds" ] || fail "$lines kinds: $(cat "$BATS_TEST_TMPDIR/first")"
	how=$(sed -n 's/^# Run it by: mrctl //p' "$BATS_TEST_TMPDIR/first")
	read -ra how <<<"$how"
	run --separate-stderr mr "${how[@]}"
	succeeded || fail "$(cat "$BATS_TEST_TMPDIR/first")"
	run mr trace -q --reproduce "$BATS_TEST_TMPDIR/second" -- mrctl "${how[@]}"
	[ "$(grep -e --expect "$BATS_TEST_TMPDIR/first")" = "$(grep -e --expect "$BATS_TEST_TMPDIR/second")" ] ||
		fail "$(diff "$BATS_TEST_TMPDIR/first" "$BATS_TEST_TMPDIR/second")"
}

# reproduces_lines KINDS LINE...: the same of a batch of these lines
reproduces_lines() {
	take_lines -- "${@:2}"
	reproduces "$1" batch --keep-going "$LINES_FILE"
}

@test "memory that is read-only, has a hole or is missing, and requests that are wrong in themselves" {
	reproduces_lines 7 'reg --memory readonly' 'reg --memory hole --size 64K' 'reg --memory unmapped --size 8K' \
		'reg --access remote-write' 'reg --size 0' 'reg --access 0x80000001' 'reg-iova --iova 0x1001'
}

@test "the limit of locked memory is reproduced, with what was registered before" {
	take_lines -- 'reg --size 32K --count 3'
	reproduces 1 batch --keep-going --limit memlock=64K "$LINES_FILE"
	grep -qx 'reg --size 32768 --count 2' "$BATS_TEST_TMPDIR/first"
	grep -q -e '--limit memlock=64K' "$BATS_TEST_TMPDIR/first"
}

@test "changes, umems, dma-bufs, memory on the device and all memory are reproduced" {
	on_mlx5 || skip "rxe has neither, and librxe cannot change regions"
	reproduces_lines 8 'reg --name a' 'rereg a --memory unmapped' 'reg --name b --size 8K' \
		'rereg b --access remote-write' 'umem --page-sizes 0x1 --size 64K' 'umem --memory readonly' \
		'reg --memory dm:1G --size 4K' 'reg --memory dm --size 64 --access 0x3ff' \
		'reg --memory none --size max' 'reg --memory none --size max --access on-demand,hugetlb'
	reproduces_lines 1 'reg-dmabuf --from udmabuf --size 8K --buffer 4K'
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
