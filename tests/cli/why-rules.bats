#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Why a call was refused by a rule of uverbs, of a driver, or of a library.

load helpers
load why
load dmabuf

# ---- access flags

@test "an unknown access flag, or one that this call does not support" {
	for via in library kernel; do
		refused_because MR-ACCESS-FLAGS certain mr reg --access local-write,0x400 --via $via --json
		json '.failures[0].causes[0].evidence == {"access": "0x401", "not_taken": "0x400"}'
	done
	on_mlx5 || return 0
	refused_because MR-ACCESS-FLAGS certain \
		mr reg-dmabuf --from fd:-1 --access on-demand --via kernel --json
	json '.failures[0].causes[0].evidence.not_taken == "0x40"'
	refused_because MR-ACCESS-FLAGS certain mr reg-dmabuf --from fd:-1 --access mw-bind --json
	refused_because MR-ACCESS-FLAGS certain mr umem --access local-write,remote-atomic --json
	[[ $output == *"a umem does not accept the access flag remote-atomic"* ]]
}

@test "flush access: a kernel before 6.2 does not know it, and few devices can" {
	refused_because MR-ACCESS-FLAGS certain mrctl sim --profile "${MRCTL_TEST_PROFILE:-mlx5}" --kernel 6.1 -- \
		mrctl reg --access flush-global --json
	[[ $output == *"does not accept the access flag flush-global"* ]]
	if on_mlx5; then
		refused_because MR-ACCESS-FLUSH certain mr reg --access flush-global --json
		json '.failures[0].layer == "uverbs"'
	else
		refused_because MR-FLUSH-PERSISTENT likely mr reg --access flush-persistent --json
	fi
}

@test "rxe supports neither zero-based nor hugetlb" {
	! on_mlx5 || skip "is a rule of rxe"
	refused_because MR-ACCESS-RXE certain mr reg --access zero-based --json
	refused_because MR-ACCESS-RXE certain mr reg --access local-write,hugetlb --json
	mrctl sim --profile rxe --kernel 6.1 -- mrctl -q reg --access zero-based
}

@test "remote-write and remote-atomic need local-write by each call" {
	for command in reg "reg --via kernel" "reg-iova --iova 0" "reg-dmabuf --from fd:-1 --via kernel"; do
		on_mlx5 || [[ $command != reg-dmabuf* ]] || continue
		refused_because MR-ACCESS-LOCAL-WRITE certain mr $command --access remote-write --json
		refused_because MR-ACCESS-LOCAL-WRITE certain mr $command --access remote-atomic --json
	done
}

# ---- the I/O virtual address

@test "the IOVA has another offset in its page than the address" {
	refused_because MR-IOVA-OFFSET certain mr reg-iova --size 64K --iova 0x100 --json
	json '.failures[0].causes[0].evidence | .iova == "0x100" and .page_size > 0'
	[[ $output == *"the IOVA is at byte 256 of its page, and the address at byte 0"* ]]
	refused_because MR-IOVA-OFFSET certain \
		mr reg-iova --size 64K --offset 4 --iova 0x10000 --via kernel --json
	[[ $output == *"give an IOVA such as 0x10004"* ]]
}

@test "the range of IOVAs exceeds 64 bits, for memory that can be pinned" {
	past=(reg-iova --size 8K --iova 0xfffffffffffff000 --json)
	on_mlx5 && linux 7.2 || skip "is a rule of mlx5 since Linux 7.2"
	refused_because MR-IOVA-END certain mr "${past[@]}"
	refused_because MR-READ-ONLY certain mr "${past[@]}" --memory readonly
	refused_for_no_certain_cause faulty reg_mr=EINVAL "${past[@]}" --memory readonly
}

@test "an errno that comes although ib_uverbs refuses with another one before is not explained for certain" {
	refused_for_no_certain_cause mrctl sim --fault reg_mr=EFAULT -- \
		mrctl reg --memory unmapped --access remote-write --json
	json '.failures[0].causes[0] | .id == "MR-RANGE-UNMAPPED" and .certainty == "possible"'
	refused_for_no_certain_cause mrctl sim --fault reg_mr=EFAULT -- \
		mrctl reg-iova --memory readonly --iova 1 --json
	refused_for_no_certain_cause mrctl sim --profile rxe --fault reg_dmabuf_mr=EINVAL -- \
		mrctl reg-dmabuf --from fd:0 --iova 1 --via kernel --json </dev/null
}

# ---- what kernels, drivers and libraries lack

@test "an attribute of mlx5 that the kernel does not know: on another device a newer kernel does not help" {
	refused_because MR-KERNEL-METHOD certain mrctl sim --profile rxe --kernel 6.1 -- \
		mrctl reg-dmabuf --from fd:0 --data-direct --via kernel --json </dev/null
	json '.failures[0].causes[0] | .evidence == {"provider": "rxe"} and (.remedy | test("mlx5"))'
	refused_because MR-KERNEL-METHOD certain mrctl sim --kernel 6.1 -- \
		mrctl reg-dmabuf --from udmabuf --data-direct --via kernel --json
	json '.failures[0] | .errno == "EPROTONOSUPPORT" and
		.causes[0].evidence == {"kernel": "6.1", "since": "6.12"}'
}

@test "dma-bufs, memory on the device and null MRs on rxe: neither the provider nor the driver has them" {
	! on_mlx5 || skip "mlx5 does"
	refused_because MR-PROVIDER-OPERATION certain mr reg-dmabuf --from fd:-1 --json
	json '.failures[0].causes[0] | .evidence.provider == "rxe" and (.remedy | test("kernel") | not)'
	refused_because MR-DRIVER-DMABUF certain mr reg-dmabuf --from fd:-1 --via kernel --json
	json '.failures[0].layer == "uverbs"'
	refused_because MR-PROVIDER-OPERATION certain mr reg --memory dm --json
	refused_because MR-PROVIDER-OPERATION certain mr reg --memory null-mr --json
	refused_because MR-DM-NONE likely mr reg --memory dm --via kernel --json
}

@test "a function that the installed library lacks" {
	if [ "$(rdma_core)" -ge 59 ]; then
		mr -q reg --call ibv_reg_mr_ex --expect ok,EOPNOTSUPP
	else
		refused_because MR-LIBRARY-FUNCTION certain mr reg --call ibv_reg_mr_ex --json
		json '.failures[0] | .layer == "libibverbs" and
			.causes[0].evidence.symbol == "ibv_reg_mr_ex@IBVERBS_1.15"'
	fi
}

# ---- what libraries check themselves

@test "a negative descriptor, and who refuses it" {
	on_mlx5 || skip "needs a driver with dma-bufs"
	refused_because MR-DESCRIPTOR certain mr reg-dmabuf --from fd:-1 --json
	[[ $output == *"a failed export returns -1"* ]]
	refused_because MR-DESCRIPTOR certain mr reg-dmabuf --from fd:-7 --via kernel --json
	refused_because MR-DESCRIPTOR-LIBRARY certain mr umem --dmabuf fd:-1 --json
	refused_because MR-DESCRIPTOR certain mr umem --dmabuf fd:-1 --via kernel --json
	refused_because MR-DESCRIPTOR certain mr reg-dmabuf --from fd:9 --json 9>&-
	[[ $output == *"this descriptor was closed when mrctl began"* ]]
}

@test "the session's pool of relaxed regions is full" {
	session_begin --relaxed-limit 2
	refused_because MR-RELAXED-POOL certain ms reg --relaxed --count 3 --json
	json '.failures[0].causes[0].evidence == {"limit": 2, "relaxed": 2, "deferred": 0}'
}

# ---- memory on the device

@test "memory on the device: its size, and regions on it" {
	on_mlx5 || skip "needs a device with memory of its own"
	refused_because MR-DM-SIZE certain mr reg --memory dm --size 1M --json
	json '.failures[0].causes[0].evidence == {"asked": 1048576, "max_dm_size": 131072}'
	refused_because MR-DM-SIZE likely mr reg --memory dm:1M --via kernel --json
	refused_because MR-DM-SIZE certain mr reg --memory dm:0 --size 0 --json
	refused_because MR-DM-FULL possible faulty alloc_dm=ENOMEM reg --memory dm --json
	refused_because MR-DM-ZERO-BASED certain mr reg --memory dm --access local-write --json
	refused_because MR-DM-ZERO-BASED certain \
		mr reg --memory dm --access local-write --via kernel --json
	refused_because MR-DM-RANGE certain mr reg --memory dm:8K --offset 4K --size 8K --json
	json '.failures[0].causes[0].evidence == {"offset": 4096, "length": 8192, "allocated": 8192}'
	refused_because MR-DM-ACCESS certain \
		mr reg --memory dm --access local-write,zero-based,mw-bind --json
	[[ $output == *"omit mw-bind"* ]]
}

# ---- no certain cause for what nothing shows

# bats test_tags=slow
@test "an errno without its reason has no certain cause" {
	never_certain reg_mr "EINVAL EOPNOTSUPP EPROTONOSUPPORT EBADF ENOSYS ENOENT EIO EEXIST" \
		reg --access local-write,remote-write,relaxed-ordering
	never_certain reg_mr "EINVAL EOPNOTSUPP ENOENT" reg-iova --iova 0x10000
	on_mlx5 || return 0
	never_certain alloc_dm "EINVAL EOPNOTSUPP ENOSYS EIO" reg --memory dm
	never_certain reg_dm_mr "EINVAL EOPNOTSUPP ENOENT EIO" reg --memory dm
}
