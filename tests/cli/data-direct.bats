#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# mrctl reg-dmabuf --data-direct: through the Data Direct device, and without one.

load helpers
load dmabuf

setup() {
	note_less
	on_simulator || [ -e /dev/udmabuf ] || skip "this kernel makes no dma-bufs (no /dev/udmabuf)"
}

# bats test_tags=kernel
@test "Data Direct uses mlx5dv_reg_dmabuf_mr; where that is missing, the message names the release that has it" {
	require_mlx5
	run --separate-stderr ud --data-direct
	if [ "$(rdma_core)" -ge 54 ]; then
		refused EINVAL mlx5dv_reg_dmabuf_mr
	else
		refused ENOSYS mlx5dv_reg_dmabuf_mr
		[[ $stderr == *"the installed libmlx5.so.1 lacks the function"*"install rdma-core 54 or later; --via kernel does without" ]]
		run --separate-stderr ud --data-direct --json --expect EINVAL
		[ "$status" -eq 1 ]
		json '.failures[0] | .call == "mlx5dv_reg_dmabuf_mr" and .errno == "ENOSYS" and .via == null'
	fi
}

# bats test_tags=kernel
@test "without a Data Direct device the kernel answers EINVAL, after it has checked for a page boundary" {
	require_mlx5
	run --separate-stderr ud --data-direct --via kernel
	refused EINVAL 'ioctl(REG_DMABUF_MR)'
	run --separate-stderr ud --data-direct --via kernel --offset 64
	refused EOPNOTSUPP 'ioctl(REG_DMABUF_MR)'
	[ "$(rdma_core)" -ge 54 ] || return 0
	run --separate-stderr ud --data-direct --offset 64
	refused EOPNOTSUPP mlx5dv_reg_dmabuf_mr
}

# bats test_tags=kernel
@test "libmlx5 answers EOPNOTSUPP to Data Direct on a device that is not its own" {
	on_mlx5 && skip "this one is"
	[ "$(rdma_core)" -ge 54 ] || skip "rdma-core before release 54 has no mlx5dv_reg_dmabuf_mr"
	run --separate-stderr ud --data-direct
	refused EOPNOTSUPP mlx5dv_reg_dmabuf_mr
}

# dd_sim ARG...: runs mrctl on a simulated HCA with a Data Direct device
dd_sim() {
	run --separate-stderr mrctl sim --data-direct -- mrctl "$@"
}

# The path of the simulator's Data Direct device in /sys
PATH_OF_DEVICE=/sys/devices/pci0000:00/0000:00:1d.0/0000:02:00.0

@test "a region goes through Data Direct where there is such a device, whose path is shown" {
	require_mlx5
	on_simulator || skip "no guest has such a device"
	dd_sim reg-dmabuf --from udmabuf --size 64K --data-direct --via kernel
	succeeded
	grep -qx "data_direct: *$PATH_OF_DEVICE" <<<"$output"
	dd_sim reg-dmabuf --from udmabuf --size 64K --offset 0x100 --iova 0x7000 --data-direct \
		--via kernel
	refused EINVAL 'ioctl(REG_DMABUF_MR)'
	dd_sim reg-dmabuf --from udmabuf --offset 0x100 --iova 0x7100 --data-direct --via kernel
	refused EOPNOTSUPP 'ioctl(REG_DMABUF_MR)'
	dd_sim reg-dmabuf --from udmabuf --buffer 4K --size 8K --data-direct --via kernel
	refused EINVAL 'ioctl(REG_DMABUF_MR)'
	dd_sim reg-dmabuf --from udmabuf --via kernel --json
	succeeded
	json '.environment.data_direct == $path and (.regions | length == 1)' --arg path "$PATH_OF_DEVICE"
	if [ "$(rdma_core)" -ge 54 ]; then
		dd_sim reg-dmabuf --from udmabuf --data-direct --json
		succeeded
		json '.environment.data_direct == $path' --arg path "$PATH_OF_DEVICE"
	fi
}

@test "libmlx5 before release 54 cannot tell the path of the Data Direct device" {
	require_mlx5
	on_simulator && [ "$(rdma_core)" -lt 54 ] || skip "this one can"
	dd_sim reg-dmabuf --from udmabuf --json
	succeeded
	json '.environment.data_direct == null'
}
