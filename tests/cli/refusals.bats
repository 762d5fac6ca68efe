#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Refusals of the stack: every device gives the same answers.

load helpers

# bats test_tags=kernel
@test "remote-write without local-write is refused with EINVAL" {
	run --separate-stderr mr reg --access remote-write
	refused EINVAL ibv_reg_mr
	[ -z "$output" ]
}

# bats test_tags=kernel
@test "remote-atomic without local-write is refused with EINVAL" {
	run --separate-stderr mr reg --access remote-atomic
	refused EINVAL ibv_reg_mr
}

# bats test_tags=kernel
@test "an unknown flag bit is refused with EINVAL" {
	run --separate-stderr mr reg --access local-write,0x8000
	refused EINVAL ibv_reg_mr
}

# bats test_tags=kernel
@test "a length of zero is refused with EINVAL" {
	run --separate-stderr mr reg --size 0
	refused EINVAL ibv_reg_mr
}

# bats test_tags=kernel
@test "a range that wraps is refused with EINVAL" {
	run --separate-stderr mr reg --memory unmapped --addr 0xfffffffffffff000 --size 64K
	refused EINVAL ibv_reg_mr
}

# bats test_tags=kernel
@test "an I/O virtual address with another page offset is refused with EINVAL" {
	run --separate-stderr mr reg-iova --iova 0x10010
	refused EINVAL ibv_reg_mr_iova
}

# bats test_tags=kernel
@test "an address with nothing mapped is refused with EFAULT" {
	run --separate-stderr mr reg --memory unmapped
	refused EFAULT ibv_reg_mr
}

# bats test_tags=kernel
@test "a range with a hole at its end is refused with EFAULT" {
	run --separate-stderr mr reg --memory hole --size 64K
	refused EFAULT ibv_reg_mr
}

# bats test_tags=kernel
@test "local-write on read-only memory is refused with EFAULT" {
	run --separate-stderr mr reg --memory readonly
	refused EFAULT ibv_reg_mr
}

# bats test_tags=kernel
@test "read-only memory is accepted without local-write" {
	run --separate-stderr mr reg --memory readonly --access remote-read
	succeeded
}

# bats test_tags=kernel
@test "more than RLIMIT_MEMLOCK is refused with ENOMEM to an unprivileged user" {
	require_nobody
	run --separate-stderr mr_as_nobody 64 reg --size 1M
	refused ENOMEM ibv_reg_mr
}

@test "RLIMIT_MEMLOCK is a limit of all regions together" {
	require_nobody
	run --separate-stderr mr_as_nobody 64 reg --size 16K --count 8 --json
	refused ENOMEM ibv_reg_mr
	json '(.regions | length == 4) and (.failures | length == 1) and .failures[0].index == 5'
}

# bats test_tags=kernel
@test "a refusal is an element of failures, with all its members" {
	run --separate-stderr mr reg --access remote-write --json
	refused EINVAL ibv_reg_mr
	json '.regions == [] and (.failures | length == 1)'
	json '.failures[0] | keys == ["call", "causes", "errno", "errno_value", "index", "layer",
		"library_would_say", "message", "old_region", "proof", "region", "request",
		"rereg_code", "ruled_out", "tried", "tries", "via", "why"]'
	json '.failures[0] | .call == "ibv_reg_mr" and .errno == "EINVAL" and .errno_value == 22'
	json '.failures[0] | .index == 1 and .region == null and .via == "library"'
	json '.failures[0] | .rereg_code == null and .library_would_say == null and
		.old_region == null'
	json '.failures[0].message | startswith("ibv_reg_mr: EINVAL (")'
	json '.failures[0].causes | type == "array"'
}

@test "the message is one line that begins with program and command" {
	run --separate-stderr mr reg-iova --iova 1
	[ "${stderr_lines[0]}" = \
		"mrctl: reg-iova: ibv_reg_mr_iova: EINVAL (Invalid argument)" ]
}

# bats test_tags=kernel
@test "--count stops at the first refusal and reports the regions it made" {
	run --separate-stderr mr reg --memory hole --size 4K --count 3 --json
	refused EFAULT ibv_reg_mr
	json '[.regions[].state] == ["deregistered", "deregistered"]'
	json '[.failures[] | .index] == [3]'
	[[ $stderr == *"2 of 3 regions registered"* ]]
}

@test "--count stops there even if more could be registered" {
	run --separate-stderr mr reg --memory hole --size 8K --stride 4K --count 4 --json
	json '[.failures[].index] == [4]'
	run --separate-stderr mr reg --size 0 --count 4 --json
	json '.regions == [] and [.failures[].index] == [1]'
}

# bats test_tags=kernel
@test "--keep-going goes on after a refusal" {
	run --separate-stderr mr reg --size 0 --count 3 --keep-going --json
	refused EINVAL ibv_reg_mr
	json '.regions == [] and [.failures[].index] == [1, 2, 3]'
}

@test "many refusals are all in the document, and ten of them have messages" {
	run --separate-stderr mr reg --size 0 --count 100 --keep-going --json
	json '.failures | length == 100'
	[ "$(grep -c 'ibv_reg_mr: EINVAL' <<<"$stderr")" -eq 10 ]
	[[ $stderr == *"and 90 more failures"* ]]
}

@test "the message names the region of a count that was refused" {
	run --separate-stderr mr reg --memory hole --count 3
	[[ $stderr == *"region 3 of 3: ibv_reg_mr: EFAULT"* ]]
}

@test "a failing host call is reported as such, with exit status 1" {
	run --separate-stderr mr reg --numa 1000 --json
	[ "$status" -eq 1 ]
	json '.failures[0] | .call == "mbind" and .via == null and .index == null'
	json '.regions == []'
}

@test "--size max of ordinary memory is refused by mmap" {
	run --separate-stderr mr reg --size max --json
	refused ENOMEM mmap
	json '.failures[0] | .call == "mmap" and .errno == "ENOMEM" and .via == null'
}

@test "--size 1T is answered by mmap or the stack, not by mrctl" {
	# A user with a small limit of locked memory cannot pin that much.
	require_nobody
	run --separate-stderr mr_as_nobody 64 reg --size 1T --json
	[ "$status" -eq 1 ]
	json '.failures[0] | .errno == "ENOMEM" and (.call == "mmap" or .call == "ibv_reg_mr")'
}

@test "more regions than there is memory to keep track of are an error of the host" {
	run --separate-stderr mr reg --count 0x7fffffffffffffff --stride 0
	refused ENOMEM reallocarray
	[ -z "$output" ]
}
