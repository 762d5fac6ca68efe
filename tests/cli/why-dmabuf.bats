#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Why a dma-buf cannot be registered: the causes, and how certain they are.

load helpers
load dmabuf
load why

setup() {
	note_less
	require_mlx5
}

# require_dmabufs: skips where there is none to register
require_dmabufs() {
	on_simulator || [ -e /dev/udmabuf ] || skip "this kernel makes no dma-bufs (no /dev/udmabuf)"
}

@test "the descriptor is another kind of file" {
	for via in library kernel; do
		refused_because MR-DMABUF-FILE certain mr reg-dmabuf --from fd:9 --via $via --json 9</dev/zero
		json '.failures[0] | .errno == "EINVAL" and .layer == "dma-buf" and
			.causes[0].evidence == {"fd": 9, "file": "/dev/zero"}'
		refused_because MR-DMABUF-FILE certain mr umem --dmabuf fd:9 --via $via --json 9</dev/zero
	done
	refused_because MR-DMABUF-FILE certain mr reg-dmabuf --from fd:9 --json 9< <(:)
	json '.failures[0].causes[0].evidence.file | startswith("pipe:")'
	command -v python3 >/dev/null || skip "O_PATH needs python3"
	refused_because MR-DMABUF-FILE certain python3 -c 'import os, sys
fd = os.open("/dev/zero", os.O_PATH)
os.dup2(fd, 9)
os.execvp(sys.argv[1], sys.argv[1:])' "${MR[@]}" reg-dmabuf --from fd:9 --json
	json '.failures[0].errno == "EBADF"'
}

# bats test_tags=kernel,slow
@test "the range goes past the end of the dma-buf, by a byte or by far" {
	require_dmabufs
	for range in "--size 8193" "--size 8K --offset 1" "--size 4K --offset 8K" "--size 1T --offset 4K" \
		"--size max --offset 4K" "--size 0"; do
		refused_because MR-DMABUF-RANGE certain mr reg-dmabuf --from udmabuf --buffer 8K $range --json
		[[ $range =~ 0$|max ]] || json '.failures[0].causes[0].evidence.size == 8192'
		refused_because MR-DMABUF-RANGE certain mr umem --dmabuf udmabuf --buffer 8K $range --json
	done
	refused_because MR-DMABUF-RANGE certain \
		with_dmabuf udmabuf 8192 "${MR[@]}" reg-dmabuf --from fd:9 --size 12K --json
	run --separate-stderr mr reg-dmabuf --from udmabuf --buffer 8K --size 8K --offset 4K
	[[ $stderr == *"try: register at most --size 4096 there"* ]]
	succeeded mr reg-dmabuf --from udmabuf --buffer 8K --size 4096 --offset 4K
}

@test "Data Direct: no such device, an unsupported IOVA, and with a device the other causes" {
	dd=(reg-dmabuf --from udmabuf --data-direct --via kernel --json)
	require_dmabufs
	[ "${MRCTL_TEST_KERNEL:-}" != 6.1 ] || skip "that kernel knows no Data Direct"
	refused_because MR-DATA-DIRECT-IOVA certain mr "${dd[@]}" --offset 64
	refused_because MR-DATA-DIRECT certain mr "${dd[@]}"
	json '.failures[0].causes[0].evidence.data_direct == "none"'
	refused_because MR-DATA-DIRECT-IOVA certain mrctl sim --data-direct -- mrctl "${dd[@]}" --offset 64
	refused_because MR-DMABUF-RANGE certain mrctl sim --data-direct -- mrctl "${dd[@]}" --size 8K --buffer 4K
	rules_out MR-DATA-DIRECT
	refused_for_no_certain_cause mrctl sim --data-direct --fault reg_dmabuf_mr=EOPNOTSUPP -- mrctl "${dd[@]}"
	rules_out MR-DATA-DIRECT-IOVA MR-DMABUF-ODP
}

@test "offset and IOVA differ within their page" {
	require_dmabufs
	for via in library kernel; do
		refused_because MR-IOVA-OFFSET certain \
			mr reg-dmabuf --from udmabuf --buffer 8K --size 4K --offset 0x100 --iova 0x200 --via $via --json
	done
}

# bats test_tags=slow
@test "an injected errno of a sane registration has no certain cause" {
	never_certain reg_dmabuf_mr "EACCES EBADF EBUSY EFAULT EINVAL EIO ENODEV ENOMEM EOPNOTSUPP EPERM" \
		reg-dmabuf --from udmabuf --size 64K
	never_certain reg_dmabuf_mr "EBADF EINVAL ENODEV ENOMEM EOPNOTSUPP" \
		reg-dmabuf --from heap:system --via kernel --size 64K
	never_certain umem_reg "EBADF EINVAL EIO ENOMEM EOPNOTSUPP" umem --dmabuf udmabuf --size 64K
	never_certain reg_dmabuf_mr EOPNOTSUPP reg-dmabuf --from udmabuf
	rules_out MR-DMABUF-ODP
	never_certain reg_dmabuf_mr EINVAL reg-dmabuf --from udmabuf
	rules_out MR-DMABUF-FILE MR-DMABUF-RANGE MR-DMABUF-UMR
}
