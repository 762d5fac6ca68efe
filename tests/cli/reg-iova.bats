#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# mrctl reg-iova: registering at a chosen I/O virtual address.

load helpers
load rows

# bats test_tags=kernel
@test "reg-iova registers at the chosen address" {
	succeeded mr reg-iova --json -i 0x123456789000 --access remote-read
	json '.command == "reg-iova" and .failures == [] and (.regions[0] | .iova == "0x123456789000" and
		.addr != .iova and .call == "ibv_reg_mr_iova" and .state == "deregistered")'
}

@test "the address may be any with the page offset of the memory, and moves with it" {
	values mr reg-iova -n -o iova <<-'END'
		--iova 8192 | 0x2000
		--iova 0 | 0x0
		--iova 0xffffffffffff0000 --size 4K | 0xffffffffffff0000
		--iova 0x10010 --offset 16 | 0x10010
		--iova 0x100000 --size 4K --count 3 --stride 8K | 0x100000 0x102000 0x104000
	END
	answers mr reg-iova <<-'END'
		EINVAL ibv_reg_mr_iova --iova 0x10001
		EINVAL ioctl(REG_MR) --iova 0x10001 --via kernel
	END
	usage_errors <<-'END'
		reg-iova --size 4K | --iova is required
	END
}
