#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Which differences between a kernel and the simulated HCA differential/compare.sh takes for known ones.  The list of
# the simulator is the test's.

bats_require_minimum_version 1.8.0

setup() {
	export BUILD=$BATS_TEST_TMPDIR/build PATH=$BATS_TEST_TMPDIR/bin:$PATH
	export SIMULATED=$BATS_TEST_TMPDIR/simulated
	mkdir "$BUILD" "$BATS_TEST_TMPDIR/bin"
	printf '#!/bin/sh\nexit 0\n' >"$BUILD/mrctl"
	printf '#!/bin/sh\ncat "$SIMULATED"\n' >"$BATS_TEST_TMPDIR/bin/unshare"
	chmod +x "$BUILD/mrctl" "$BATS_TEST_TMPDIR/bin/unshare"
}

# compare DEVICE KERNEL CALL REAL SIMULATED: compares two lists of this call
compare() {
	local real=$BATS_TEST_TMPDIR/real
	printf '# calls %s 7 1 %s\n0 begin no limit pd=0\n0.0 %s -> %s\n' "$1" "$2" "$3" "$4" >"$real"
	printf '# calls %s 7 1 %s\n0 begin no limit pd=0\n0.0 %s -> %s\n' "$1" "$2" "$3" "$5" >"$SIMULATED"
	run "$BATS_TEST_DIRNAME/differential/compare.sh" "$real"
}

# counted STATUS DIFFERENCES KNOWN: what the comparison said
counted() {
	[ "$status" -eq "$1" ] && [[ $output == *" $2 differences, $3 known ones, "* ]] && return
	echo "$output"
	false
}

is_known() {
	compare "$@"
	counted 0 0 1
}

differs() {
	compare "$@"
	counted 1 1 0
}

RANGE="shared addr=0x200000700000 length=0x3000 iova=0x7000000000"

@test "a key that a timer of mlx5_ib destroyed is a known difference" {
	local kernel word
	for kernel in 6.1 6.12 7.2; do
		for word in new older; do
			is_known mlx5_0 $kernel "reg_mr $RANGE access=0x41 pd=0" \
				"ok handle=2 lkey=$word rkey=lkey" "ok handle=2 lkey=last rkey=lkey"
			is_known mlx5_0 $kernel "second: reg_mr_method x $RANGE access=0x41 pd=0" \
				"ok handle=2 lkey=$word rkey=lkey" "ok handle=2 lkey=last rkey=lkey"
			is_known mlx5_0 $kernel "reg_dmabuf_mr x $RANGE access=0x1 pd=0" \
				"ok handle=2 lkey=$word rkey=lkey" "ok handle=2 lkey=last rkey=lkey"
			is_known mlx5_0 $kernel "rereg_mr mr=1 flags=0x1 $RANGE" \
				"ok lkey=$word rkey=lkey" "ok lkey=last rkey=lkey"
		done
	done
}

@test "of two answers with other keys nothing else may differ" {
	local call="reg_mr $RANGE access=0x41 pd=0" last="ok handle=2 lkey=last rkey=lkey"
	differs mlx5_0 6.12 "$call" "ok handle=3 lkey=new rkey=lkey" "$last"
	differs mlx5_0 6.12 "$call" "ok handle=2 lkey=new rkey=0" "$last"
	differs mlx5_0 6.12 "rereg_mr mr=1 flags=0x1 $RANGE" "ok lkey=new rkey=0" "ok lkey=last rkey=lkey"
	differs mlx5_0 6.12 "$call" EINVAL "$last"
	differs mlx5_0 6.12 "$call" "ok handle=2 lkey=new rkey=lkey" EINVAL
}

@test "no timer gives back the last key to a region that gets a new one, or takes one of rxe" {
	local new="ok handle=2 lkey=new rkey=lkey" last="ok handle=2 lkey=last rkey=lkey"
	differs mlx5_0 6.12 "reg_mr $RANGE access=0x41 pd=0" "$last" "$new"
	differs rxe0 6.12 "reg_mr $RANGE access=0x41 pd=0" "$new" "$last"
	differs mlx5_0 6.12 "reg_dm_mr $RANGE access=0x41 pd=0" "$new" "$last"
	differs mlx5_0 6.12 "query_mr mr=1" "ok lkey=new" "ok lkey=last"
}
