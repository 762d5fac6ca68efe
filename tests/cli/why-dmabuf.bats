#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Why a dma-buf cannot be registered: the causes, and how certain they are.

# shellcheck disable=SC2154 # run sets stderr

load helpers
load dmabuf
load why

# require_dmabufs: skips where there is none to register
require_dmabufs() {
	require_mlx5
	on_simulator || [ -e /dev/udmabuf ] || skip "this kernel makes no dma-bufs (no /dev/udmabuf)"
}

# bats test_tags=kernel
@test "the descriptor is another kind of file" {
	local via

	require_mlx5
	for via in library kernel; do
		refused_because MR-DMABUF-FILE certain mr reg-dmabuf --from fd:9 --via $via --json 9</dev/zero
		json '.failures[0] | .errno == "EINVAL" and .layer == "dma-buf" and
			.causes[0].evidence == {"fd": 9, "file": "/dev/zero"}'
		refused_because MR-DMABUF-FILE certain mr umem --dmabuf fd:9 --via $via --json 9</dev/zero
	done
	refused_because MR-DMABUF-FILE certain mr reg-dmabuf --from fd:9 --json 9< <(sleep 1)
	json '.failures[0].causes[0].evidence.file | startswith("pipe:")'
}

# bats test_tags=kernel
@test "the descriptor was opened by O_PATH" {
	require_mlx5
	command -v python3 >/dev/null || skip "needs python3"
	refused_because MR-DMABUF-FILE certain python3 -c 'import os, sys
fd = os.open("/dev/zero", os.O_PATH)
os.dup2(fd, 9)
os.execvp(sys.argv[1], sys.argv[1:])' "${MR[@]}" reg-dmabuf --from fd:9 --json
	json '.failures[0].errno == "EBADF"'
}

# bats test_tags=kernel
@test "the range goes past the end of the dma-buf, by a byte or by far" {
	local range

	require_dmabufs
	for range in "--size 8193" "--size 8K --offset 1" "--size 4K --offset 8K" "--size 1T --offset 4K"; do
		# shellcheck disable=SC2086 # words
		refused_because MR-DMABUF-RANGE certain mr reg-dmabuf --from udmabuf --buffer 8K $range --json
		json '.failures[0].causes[0].evidence.size == 8192'
		# shellcheck disable=SC2086 # words
		refused_because MR-DMABUF-RANGE certain mr umem --dmabuf udmabuf --buffer 8K $range --json
	done
	run --separate-stderr mr reg-dmabuf --from udmabuf --buffer 8K --size 8K --offset 4K
	[[ $stderr == *"try: register at most --size 4096 there"* ]]
	run --separate-stderr mr reg-dmabuf --from udmabuf --buffer 8K --size 4096 --offset 4K
	succeeded
}

# bats test_tags=kernel
@test "the length is 0" {
	require_dmabufs
	refused_because MR-DMABUF-RANGE certain mr reg-dmabuf --from udmabuf --buffer 8K --size 0 --json
	refused_because MR-DMABUF-RANGE certain mr umem --dmabuf udmabuf --buffer 8K --size 0 --json
}

# bats test_tags=kernel
@test "an inherited dma-buf has its size, too" {
	require_dmabufs
	refused_because MR-DMABUF-RANGE certain \
		with_dmabuf udmabuf 8192 "${MR[@]}" reg-dmabuf --from fd:9 --size 12K --json
}

# bats test_tags=kernel
@test "without a Data Direct device; and an IOVA that it could not have" {
	require_dmabufs
	[ "${MRCTL_TEST_KERNEL:-}" != 6.1 ] || skip "that kernel knows no Data Direct"
	refused_because MR-DATA-DIRECT-IOVA certain \
		mr reg-dmabuf --from udmabuf --data-direct --via kernel --offset 64 --json
	refused_because MR-DATA-DIRECT certain mr reg-dmabuf --from udmabuf --data-direct --via kernel --json
	json '.failures[0].causes[0].evidence.data_direct == "none"'
}

@test "with a Data Direct device the other causes are found" {
	require_mlx5
	on_simulator || skip "no guest has such a device"
	DD=(mrctl sim --data-direct -- mrctl reg-dmabuf --from udmabuf --data-direct --via kernel --json)
	refused_because MR-DATA-DIRECT-IOVA certain "${DD[@]}" --offset 64
	refused_because MR-DMABUF-RANGE certain "${DD[@]}" --size 8K --buffer 4K
	json '.failures[0].ruled_out | any(.id == "MR-DATA-DIRECT")'
}

# bats test_tags=kernel
@test "offset and IOVA differ within their page" {
	local via

	require_dmabufs
	for via in library kernel; do
		refused_because MR-IOVA-OFFSET certain \
			mr reg-dmabuf --from udmabuf --buffer 8K --size 4K --offset 0x100 --iova 0x200 --via $via --json
	done
}

@test "an injected errno of a sane registration has no certain cause" {
	local errno

	on_simulator || skip "needs the simulator"
	require_mlx5
	for errno in EACCES EAGAIN EBADF EBUSY EFAULT EINVAL EIO ENODEV ENOENT ENOMEM EOPNOTSUPP EPERM ENOSPC; do
		refused_for_no_certain_cause faulty "reg_dmabuf_mr=$errno" \
			reg-dmabuf --from udmabuf --size 64K --json
		refused_for_no_certain_cause faulty "reg_dmabuf_mr=$errno" \
			reg-dmabuf --from heap:system --via kernel --size 64K --json
		refused_for_no_certain_cause faulty "umem_reg=$errno" umem --dmabuf udmabuf --size 64K --json
	done
	refused_for_no_certain_cause faulty reg_dmabuf_mr=EINVAL reg-dmabuf --from udmabuf --json
	json '.failures[0].ruled_out | map(.id) | contains(["MR-DMABUF-FILE", "MR-DMABUF-RANGE", "MR-DMABUF-UMR"])'
	refused_for_no_certain_cause faulty reg_dmabuf_mr=EOPNOTSUPP reg-dmabuf --from udmabuf --json
	json '.failures[0].ruled_out | map(.id) | contains(["MR-DMABUF-ODP"])'
}
