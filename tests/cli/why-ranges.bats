#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Why memory is not registered: its length, and fork protection of libibverbs.

load helpers
load why

@test "a length of 0" {
	refused_because MR-LENGTH-ZERO certain mr reg --size 0 --json
	json '.failures[0].causes[0].evidence.length == 0'
}

@test "a range that exceeds 64 bits, or ends inside the last page" {
	refused_because MR-RANGE-WRAPS certain mr reg --memory unmapped --size max --json
	refused_because MR-RANGE-WRAPS certain \
		mr reg --memory none --addr 0xfffffffffffff000 --size 4095 --json
}

@test "more pages than can be counted" {
	refused_because MR-PAGE-COUNT certain mr reg --memory none --addr 0x100000 --size 16T --json
	json '.failures[0].causes[0].evidence.pages == 4294967296'
}

@test "fork protection of missing memory: ENOMEM, and memory is not short" {
	refused_because MR-RANGE-UNMAPPED certain mr reg --memory unmapped --json
	export RDMAV_FORK_SAFE=1
	refused_because MR-FORK-RANGE certain mr reg --memory unmapped --json
	json '.failures[0] | .errno == "ENOMEM" and .layer == "libibverbs"'
	refused_because MR-FORK-RANGE certain mr reg --memory hole --size 64K --json
	never_certain reg_mr ENOMEM reg --size 64K
	rules_out MR-MAP-COUNT
}

# Takes some 8 s: mrctl makes as many mappings as vm.max_map_count, which is of the whole machine, allows.
# bats test_tags=release
@test "fork protection, with as many mappings as a process may have" {
	! is_sanitized || skip "the sanitizer needs mappings of its own"
	may_lock 256M || skip "needs 256 MiB of lockable memory: raise ulimit -l"
	export RDMAV_FORK_SAFE=1
	refused_because MR-MAP-COUNT likely mr reg --size 4K --stride 8K --json \
		--count $(($(</proc/sys/vm/max_map_count) / 2 + 100))
	json '.failures[0] | .errno == "EAGAIN" and .layer == "libibverbs" and
		(.causes[0].evidence | .mappings >= .max_map_count - 2)'
}
