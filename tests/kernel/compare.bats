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

@test "a key that a timer of mlx5_ib destroyed is a known difference, and nothing else is" {
	local range="shared addr=0x200000700000 length=0x3000 iova=0x7000000000"
	local differences device call real simulated

	while IFS='|' read -r differences device call real simulated; do
		compare "$device" 6.12 "${call/RANGE/$range}" "$real" "$simulated"
		[[ $output == *" $differences differences, $((1 - differences)) known ones, "* ]] &&
			[ "$status" -eq "$differences" ] || { echo "$call: $output"; return 1; }
	done <<-'END'
		0|mlx5_0|reg_mr RANGE access=0x41 pd=0|ok handle=2 lkey=new rkey=lkey|ok handle=2 lkey=last rkey=lkey
		0|mlx5_0|second: reg_mr_method x RANGE access=0x1 pd=0|ok handle=2 lkey=older rkey=lkey|ok handle=2 lkey=last rkey=lkey
		0|mlx5_0|reg_dmabuf_mr x RANGE access=0x1 pd=0|ok handle=2 lkey=new rkey=lkey|ok handle=2 lkey=last rkey=lkey
		0|mlx5_0|rereg_mr mr=1 flags=0x1 RANGE|ok lkey=new rkey=lkey|ok lkey=last rkey=lkey
		1|mlx5_0|reg_mr RANGE access=0x41 pd=0|ok handle=3 lkey=new rkey=lkey|ok handle=2 lkey=last rkey=lkey
		1|mlx5_0|reg_mr RANGE access=0x41 pd=0|ok handle=2 lkey=new rkey=0|ok handle=2 lkey=last rkey=lkey
		1|mlx5_0|rereg_mr mr=1 flags=0x1 RANGE|ok lkey=new rkey=0|ok lkey=last rkey=lkey
		1|mlx5_0|reg_mr RANGE access=0x41 pd=0|EINVAL|ok handle=2 lkey=last rkey=lkey
		1|mlx5_0|reg_mr RANGE access=0x41 pd=0|ok handle=2 lkey=new rkey=lkey|EINVAL
		1|mlx5_0|reg_mr RANGE access=0x41 pd=0|ok handle=2 lkey=last rkey=lkey|ok handle=2 lkey=new rkey=lkey
		1|rxe0|reg_mr RANGE access=0x41 pd=0|ok handle=2 lkey=new rkey=lkey|ok handle=2 lkey=last rkey=lkey
		1|mlx5_0|reg_dm_mr RANGE access=0x41 pd=0|ok handle=2 lkey=new rkey=lkey|ok handle=2 lkey=last rkey=lkey
		1|mlx5_0|query_mr mr=1|ok lkey=new|ok lkey=last
	END
}
