#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Fork protection: the codes of ibv_rereg_mr(3) for failures of it.
#
# libibverbs keeps memory from child processes by madvise(MADV_DONTFORK), which can fail.  It gives memory back by
# MADV_DOFORK, whose failures it ignores (memory.c do_madvise()).  There only the allocation of its own records of
# ranges can fail: it needs more records where it splits a range that it had merged with its neighbours.

load helpers

# protect: turns fork protection on, as under a kernel that does not copy pinned pages on fork; skips where
# libibverbs does not need it
protect() {
	on_mlx5 || skip "librxe cannot change regions"
	on_simulator || [ "$(rdma_core)" -eq 44 ] ||
		skip "its kernel copies pinned pages on fork, and libibverbs knows"
	export RDMAV_FORK_SAFE=1
}

batch() { # LINE...
	run --separate-stderr mr --json batch <<<"$(printf '%s\n' "$@")"
}

# starving CODE LINE...: a batch in which the allocation of libibverbs fails whose failure gives this code
starving() {
	local dir=$BATS_TEST_TMPDIR code=$1 n
	local device=() library=$BUILD/starve.so # of the guests, which have no compiler

	! is_sanitized || skip "the sanitizer wants to be loaded first"
	if on_simulator; then
		command -v cc >/dev/null || skip "cc is not installed"
		library=$dir/starve.so
		cc -D_GNU_SOURCE -Wall -Wextra -O2 -fPIC -shared -o "$library" "$BATS_TEST_DIRNAME/preload/starve.c"
	else
		device=(-d "$MRCTL_TEST_DEVICE")
	fi
	MR=("${SIM[@]}" bash -c "LD_PRELOAD=\"$library:\$LD_PRELOAD\" exec \"\$@\"" bash "${MS[@]: -1}"
		"${device[@]}")
	export STARVE_IN=libibverbs.so STARVE_HIT=$dir/hit STARVE
	for ((n = 1; n < 100; n++)); do
		rm -f "$STARVE_HIT"
		STARVE=$n batch "${@:2}"
		[ -e "$STARVE_HIT" ] || break
		[[ $output != *"\"$code\""* ]] || return 0
	done
	fail "none of $((n - 1)) allocations gives $code"
}

# bats test_tags=kernel
@test "IBV_REREG_MR_ERR_DONT_FORK_NEW: the region is as before" {
	protect
	batch 'reg --name a' 'rereg a --memory unmapped --expect EFAULT,ENOMEM' 'stat a' 'dereg a'
	succeeded
	json '.lines[1].failures[0] | .rereg_code == "IBV_REREG_MR_ERR_DONT_FORK_NEW" and
		.old_region == "valid"'
	json '.lines[2].regions[0] | .state == "live" and .memory == "anon"'
	starving IBV_REREG_MR_ERR_DONT_FORK_NEW 'reg --name a' 'rereg a --memory memfd --expect ENOMEM' 'stat a'
	succeeded
	json '.lines[1].failures[0] | .errno == "ENOMEM" and .old_region == "valid" and
		any(.causes[]; .id == "MR-REREG-FORK" and .certainty == "likely")'
	json '.lines[2].regions[0] | .state == "live" and .memory == "anon"'
}

# bats test_tags=kernel
@test "IBV_REREG_MR_ERR_DO_FORK_OLD: the region has changed" {
	protect
	# the range of the middle region is split from those of its neighbours
	starving IBV_REREG_MR_ERR_DO_FORK_OLD 'reg --name a --memory memfd --count 3' \
		'rereg a.2 --memory anon --size 8K --expect ENOMEM' 'stat a.2' 'dereg a.2'
	succeeded
	json '.lines[1] | (.failures[0] | .errno == "ENOMEM" and .old_region == "replaced" and
		any(.causes[]; .id == "MR-REREG-FORK" and .certainty == "likely")) and
		.regions[0].length == 8192 and .before[0].length == 4096'
	json '.lines[2].regions[0] | .state == "live" and .length == 8192 and .memory == "anon"'
	json '[.regions[].name] == ["a.1", "a.3"]'
}

# bats test_tags=kernel
@test "IBV_REREG_MR_ERR_CMD_AND_DO_FORK_NEW: the region is broken" {
	local at=0x200000001000

	protect
	# the new range is merged with the old one, which it follows
	starving IBV_REREG_MR_ERR_CMD_AND_DO_FORK_NEW 'reg --memory memfd --addr 0x200000000000 --name a' \
		"rereg a --memory memfd --addr $at --access remote-write --expect ENOMEM" 'stat a' 'dereg a'
	succeeded
	json '.lines[1].failures[0] | .errno == "ENOMEM" and .old_region == "unusable" and
		any(.causes[]; .id == "MR-REREG-FORK" and .certainty == "likely")'
	# shellcheck disable=SC2154 # of run
	[[ $stderr == *"could not give the new memory back"* ]]
	json '.lines[2].regions[0].state == "broken" and .lines[3].status == 0'
}

# short_of_memory MORE: runs a batch that changes every second one of adjacent regions while it cannot grow
short_of_memory() {
	local pid lines dir=$BATS_TEST_TMPDIR last=/dev/shm/mrctl-fork.$$

	rm -f "$dir/lines"
	mkfifo "$dir/lines"
	"${MR[@]}" --quiet batch --keep-going "$dir/lines" 2>"$dir/err" 3>&- &
	pid=$!
	exec {lines}>"$dir/lines"
	{
		echo "reg --memory memfd --count 100 --name a"
		yes "reg --memory memfd" | head -n "$1"
		echo "reg --memory file:$last"
	} >&"$lines"
	until [ -s "$last" ]; do # it is made for that
		is_running "$pid" || fail "it ended" "$(cat "$dir/err")" || return
		sleep 0.02
	done
	rm "$last"
	prlimit --pid "$pid" --data=1
	# the batch may end before it has read all lines
	seq 2 2 98 | sed 's/.*/rereg a.& --memory memfd/' >&"$lines" || :
	exec {lines}>&-
	wait "$pid"
}

# Here no failure is injected: the process reaches RLIMIT_DATA.
# bats test_tags=kernel
@test "a process that is out of memory gets DO_FORK_OLD" {
	local i status

	protect
	{ ! is_sanitized && [ -z "${WRAP:-}" ]; } || skip "their memory is not that of the C library"
	# the heap grows by single pages, and memory that growing arrays leave is not used again
	export MALLOC_TOP_PAD_=0 MALLOC_MMAP_THRESHOLD_=1024
	# which allocation fails depends on those before: try several sizes
	for i in {0..39}; do
		status=0
		short_of_memory "$i" || status=$?
		[ "$status" -le 1 ] || fail "exit status $status" "$(cat "$BATS_TEST_TMPDIR/err")"
		! grep -q "IBV_REREG_MR_ERR_DO_FORK_OLD: the region has changed" "$BATS_TEST_TMPDIR/err" || return 0
	done
	fail "never in $i runs" "$(cat "$BATS_TEST_TMPDIR/err")"
}
