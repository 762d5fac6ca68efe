#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# mrctl trace --reproduce: requests that are refused of any memory, so that nothing of the program's is needed

load helpers

TOOL=$BUILD/tests/cli/trace-request
BATCH=$BATS_TEST_TMPDIR/batch

# reproduces LINE ARG...: the tool by ARGs is refused; its batch has LINE, and is refused alike where its file is gone
reproduces() {
	local line=$1 how
	shift

	head -c 70000 /dev/zero >"$BATS_TEST_TMPDIR/file"
	run --separate-stderr "${SIM[@]}" mrctl trace -q --reproduce "$BATCH" -- "$TOOL" "$@"
	[ "$output" -ne 0 ] || fail "$*: not refused"
	rm "$BATS_TEST_TMPDIR/file"
	# shellcheck disable=SC2053 # a pattern
	[[ $(grep -e --expect "$BATCH") == $line ]] || fail "$*: $(cat "$BATCH")"
	how=$(sed -n 's/^# Run it by: //p' "$BATCH")
	run --separate-stderr "${SIM[@]}" bash -c "$how"
	succeeded || fail "$*: $stderr" "$(cat "$BATCH")"
}

@test "access flags, of a file that another host has not" {
	reproduces 'reg --size 4096 --access remote-write --expect EINVAL' reg "$BATS_TEST_TMPDIR/file" 4096 2
	reproduces 'reg --size 4096 --access local-write,0x80000000 --expect EINVAL' \
		reg "$BATS_TEST_TMPDIR/file" 4096 0x80000001
	reproduces 'reg --offset 100 --size 8 --access remote-write --expect EINVAL' reg +100 8 2
	on_mlx5 || return 0
	reproduces 'umem --size 4096 --access local-write,0x80000000 --expect EINVAL' \
		umem "$BATS_TEST_TMPDIR/file" 4096 0x80000001
}

@test "a length of 0, or of more than any region has" {
	# rxe takes the first one
	on_mlx5 || skip "of mlx5"
	reproduces 'reg --size 0 --access local-write --expect EINVAL' reg "$BATS_TEST_TMPDIR/file" 0 1
	reproduces 'umem --size 0 --access local-write --expect EINVAL' umem "$BATS_TEST_TMPDIR/file" 0 1
	reproduces 'reg --memory none --addr 0x*000 --size 17592186044417 --access local-write --expect EINVAL' \
		reg "$BATS_TEST_TMPDIR/file" 0x100000000001 1
	reproduces 'reg --memory none --addr 0x*064 --size 9223372036854775808 --access local-write --expect EINVAL' \
		reg +100 0x8000000000000000 1
}
