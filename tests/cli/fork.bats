#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Fork protection: the codes of ibv_rereg_mr(3) for failures of it.
#
# libibverbs keeps memory from child processes by madvise(MADV_DONTFORK), which can fail.  It gives memory back by
# MADV_DOFORK, whose failures it ignores (memory.c do_madvise()).  There only the allocation of its own records of
# ranges can fail: it needs more records where it splits a range that it had merged with its neighbours.

load helpers
load batch

# Turns fork protection on, as under a kernel that does not copy pinned pages on fork; skips where libibverbs does not
# need it
setup() {
	note_less
	on_mlx5 || skip "librxe cannot change regions"
	on_simulator || [ "$(rdma_core)" -eq 44 ] ||
		skip "its kernel copies pinned pages on fork, and libibverbs knows"
	export RDMAV_FORK_SAFE=1
}

# starving CODE OLD LINE...: a batch in which the allocation of libibverbs fails whose failure gives this code.  Its
# second line, a rereg, reports the old region as OLD.
starving() {
	local code=$1 old=$2 n

	! is_sanitized || skip "the sanitizer wants to be loaded first"
	[ -e "$BUILD/fail.so" ] || skip "needs fail.so"
	MR=("${SIM[@]}" bash -c "LD_PRELOAD=\"$BUILD/fail.so:\$LD_PRELOAD\" exec \"\$@\"" bash "${MR[@]:${#SIM[@]}}")
	export FAIL=allocate FAIL_IN=libibverbs.so FAIL_HIT=$BATS_TEST_TMPDIR/hit FAIL_NUMBER
	for ((n = 1; n < 100; n++)); do
		rm -f "$FAIL_HIT"
		FAIL_NUMBER=$n batch --json -- "${@:3}"
		[ -e "$FAIL_HIT" ] || break
		[[ $output == *"\"$code\""* ]] || continue
		succeeded
		json '.lines[1].failures[0] | .rereg_code == $code and .errno == "ENOMEM" and .old_region == $old and
			any(.causes[]; .id == "MR-REREG-FORK" and .certainty == "likely")' --arg code "$code" --arg old "$old"
		return
	done
	fail "none of $((n - 1)) allocations gives $code"
}

# bats test_tags=kernel,release
@test "IBV_REREG_MR_ERR_DONT_FORK_NEW: the region is as before" {
	batch --json -- 'reg --name a' 'rereg a --memory unmapped --expect EFAULT,ENOMEM' 'stat a' 'dereg a'
	succeeded
	json '.lines[1].failures[0] | .rereg_code == "IBV_REREG_MR_ERR_DONT_FORK_NEW" and
		.old_region == "valid"'
	json '.lines[2].regions[0] | .state == "live" and .memory == "anon"'
	starving IBV_REREG_MR_ERR_DONT_FORK_NEW valid 'reg --name a' 'rereg a --memory memfd --expect ENOMEM' 'stat a'
	json '.lines[2].regions[0] | .state == "live" and .memory == "anon"'
}

# bats test_tags=release
@test "IBV_REREG_MR_ERR_DO_FORK_OLD: the region has changed" {
	# the range of the middle region is split from those of its neighbours
	starving IBV_REREG_MR_ERR_DO_FORK_OLD replaced 'reg --name a --memory memfd --count 3' \
		'rereg a.2 --memory anon --size 8K --expect ENOMEM' 'stat a.2' 'dereg a.2'
	json '.lines[1] | .regions[0].length == 8192 and .before[0].length == 4096'
	json '.lines[2].regions[0] | .state == "live" and .length == 8192 and .memory == "anon"'
	json '[.regions[].name] == ["a.1", "a.3"]'
}

# bats test_tags=release
@test "IBV_REREG_MR_ERR_CMD_AND_DO_FORK_NEW: the region is broken" {
	at=0x200000001000
	# the new range is merged with the old one, which it follows
	starving IBV_REREG_MR_ERR_CMD_AND_DO_FORK_NEW unusable 'reg --memory memfd --addr 0x200000000000 --name a' \
		"rereg a --memory memfd --addr $at --access remote-write --expect ENOMEM" 'stat a' 'dereg a'
	[[ $stderr == *"could not lift the protection of the new memory"* ]]
	json '.lines[2].regions[0].state == "broken" and .lines[3].status == 0'
}
