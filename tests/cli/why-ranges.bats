#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Why memory is not registered: its length, huge pages that cannot be had, and fork protection of libibverbs.

load helpers
load why

CGROUP=/sys/fs/cgroup/mrctl-test
MAX_MAPS='' HUGE_PAGES=''

teardown() {
	[ -z "$MAX_MAPS" ] || echo "$MAX_MAPS" >/proc/sys/vm/max_map_count
	[ -z "$HUGE_PAGES" ] || echo "$HUGE_PAGES" >/proc/sys/vm/nr_hugepages
	[ ! -e "$CGROUP" ] || rmdir "$CGROUP"
	tidy
}

# bats test_tags=kernel
@test "a length of 0" {
	refused_because MR-LENGTH-ZERO certain mr reg --size 0 --json
	json '.failures[0].causes[0].evidence.length == 0'
}

@test "a length of 0 in a umem" {
	require_devx
	refused_because MR-LENGTH-ZERO certain mr umem --size 0 --json
}

# bats test_tags=kernel
@test "a range that wraps" {
	refused_because MR-RANGE-WRAPS certain mr reg --memory unmapped --size max --json
}

@test "a range that ends inside of the last page" {
	refused_because MR-RANGE-WRAPS certain \
		mr reg --memory none --addr 0xfffffffffffff000 --size 4095 --json
}

# bats test_tags=kernel
@test "more pages than can be counted" {
	refused_because MR-PAGE-COUNT certain mr reg --memory none --addr 0x100000 --size 16T --json
	json '.failures[0].causes[0].evidence.pages == 4294967296'
}

# protect: turns fork protection on, as under a kernel that does not copy pinned pages on fork; skips where
# libibverbs does not need it
protect() {
	on_simulator || [ "$(rdma_core)" -eq 44 ] ||
		skip "its kernel copies pinned pages on fork, and libibverbs knows"
	export RDMAV_FORK_SAFE=1
}

# bats test_tags=kernel
@test "fork protection of memory that is not there: ENOMEM, and no want of memory" {
	protect
	refused_because MR-FORK-RANGE certain mr reg --memory unmapped --json
	json '.failures[0] | .errno == "ENOMEM" and .layer == "libibverbs"'
	refused_because MR-FORK-RANGE certain mr reg --memory hole --size 64K --json
	unset RDMAV_FORK_SAFE
	refused_because MR-RANGE-UNMAPPED certain mr reg --memory unmapped --json
}

@test "fork protection of memory that is there does not explain ENOMEM" {
	on_simulator || skip "needs the simulator"
	export RDMAV_FORK_SAFE=1
	refused_for_no_certain_cause faulty reg_mr=ENOMEM reg --size 64K --json
	json '[.failures[0].ruled_out[].id] | contains(["MR-MAP-COUNT"])'
}

# bats test_tags=kernel
@test "fork protection, with as many mappings as a process may have" {
	! is_sanitized || skip "the sanitizer needs mappings of its own"
	may_lock 256M || skip "needs 256 MiB of lockable memory: raise ulimit -l"
	protect
	if ! on_simulator; then
		MAX_MAPS=$(</proc/sys/vm/max_map_count)
		echo 200 >/proc/sys/vm/max_map_count
	fi
	refused_because MR-MAP-COUNT likely mr reg --size 4K --stride 8K --json \
		--count $(($(</proc/sys/vm/max_map_count) / 2 + 100))
	json '.failures[0] | .errno == "EAGAIN" and .layer == "libibverbs" and
		(.causes[0].evidence | .mappings >= .max_map_count - 2)'
}

# bats test_tags=kernel
@test "fork protection of a part of a huge page" {
	protect
	! on_simulator || [ "$(</proc/sys/vm/nr_hugepages)" -gt 0 ] || skip "needs huge pages"
	refused_because MR-FORK-HUGEPAGES certain mr reg --memory hugetlb:2M --size 64K --json
	json '.failures[0] | .errno == "EINVAL" and .causes[0].evidence.page_size == 2097152'
	run --separate-stderr mr reg --memory hugetlb:2M --size 2M
	succeeded
	export RDMAV_HUGEPAGES_SAFE=1
	run --separate-stderr mr reg --memory hugetlb:2M --size 64K
	succeeded
}

# bats test_tags=kernel
@test "a control group without huge pages" {
	! on_simulator || skip "needs a machine of its own"
	echo +hugetlb >/sys/fs/cgroup/cgroup.subtree_control
	mkdir "$CGROUP"
	echo 0 >"$CGROUP/hugetlb.2MB.max"
	# shellcheck disable=SC2016 # for bash -c
	refused_because MR-CGROUP-HUGETLB certain bash -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' \
		"$CGROUP" "${MR[@]}" reg --memory hugetlb:2M --size 2M --json
	json '.failures[0].causes[0] | .evidence.limit == 0 and (.remedy | contains("hugetlb.2MB.max"))'
	run --separate-stderr mr reg --memory hugetlb:2M --size 2M
	succeeded
}
