#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# mrctl reg-iova: registering at a chosen I/O virtual address.

load helpers

# bats test_tags=kernel
@test "reg-iova registers at the chosen address" {
	run --separate-stderr mr reg-iova --iova 0x10000 --size 64K
	succeeded
	grep -Eqx 'iova: *0x10000' <<<"$output"
	grep -qx 'state: *deregistered' <<<"$output"
}

# bats test_tags=kernel
@test "reg-iova --json has the address beside the memory's" {
	run --separate-stderr mr reg-iova --json -i 0x123456789000 --access remote-read
	succeeded
	json '.command == "reg-iova" and .failures == []'
	json '.regions[0] | .iova == "0x123456789000" and .addr != .iova'
}

@test "the address is decimal or hexadecimal and may be 0" {
	run --separate-stderr mr reg-iova --iova 8192 -n -o iova
	succeeded
	[ "$output" = 0x2000 ]
	run --separate-stderr mr reg-iova --iova 0 -n -o iova
	succeeded
	[ "$output" = 0x0 ]
}

@test "the address may reach the end of 64 bits" {
	run --separate-stderr mr reg-iova --iova 0xffffffffffff0000 --size 4K -n -o iova
	succeeded
	[ "$output" = 0xffffffffffff0000 ]
}

@test "the chosen address can have the page offset of --offset" {
	run --separate-stderr mr reg-iova --iova 0x10010 --offset 16 --json
	succeeded
	json '.regions[0].iova == "0x10010"'
	json '.regions[0].addr | endswith("010")'
}

@test "with --count the addresses move with the memory" {
	run --separate-stderr mr reg-iova --iova 0x100000 --size 4K --count 3 --stride 8K -n -o iova
	succeeded
	[ "$output" = $'0x100000\n0x102000\n0x104000' ]
}

@test "reg-iova without --iova is a usage error" {
	run --separate-stderr mr reg-iova --size 4K
	usage_error "reg-iova: --iova is required"
}

@test "reg has no --iova" {
	run --separate-stderr mr reg --iova 0x1000
	usage_error "unknown option '--iova'"
}
