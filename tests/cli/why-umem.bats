#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Why a umem cannot be registered: the causes, and how certain they are.

load helpers
load why

@test "no page size of the list can be that of the memory" {
	require_devx
	for sizes in none 0x7ff 2M 128K,2M; do
		refused_because MR-UMEM-PAGE-SIZES certain mr umem --size 64K --page-sizes $sizes --json
		json '.failures[0] | .layer == "driver" and .causes[0].evidence.usable_page_sizes == "0x0"'
	done
	refused_because MR-UMEM-PAGE-SIZES certain mr umem --size 64K --page-sizes 1G --via kernel --json
	run --separate-stderr mr umem --size 64K --page-sizes 2M
	[[ $stderr == *"and the page sizes 2M"*"because: no allowed page size is from 4 KiB to the length, which is 64 KiB"* ]]
	[[ $stderr == *"try: allow pages of 4 KiB, too: --page-sizes 0x201000"* ]]
	succeeded mr umem --size 64K --page-sizes 0x201000
}

@test "the sizes of the list are larger than the pieces of the memory" {
	require_devx
	# pages of a mapping that was touched in an odd order do not lie side by side in 2 MiB
	run --separate-stderr mr umem --size 4M --page-sizes 2M --json
	[ "$status" -eq 1 ] || skip "the kernel gave large pages"
	json '.failures[0].causes[0] | .id == "MR-UMEM-PAGE-SIZES" and .certainty == "likely" and
		.evidence.usable_page_sizes == "0x200000"'
}

@test "umems are objects of mlx5" {
	! on_mlx5 || skip "needs another device"
	refused_because MR-DEVX-METHOD certain mr umem --via kernel --json
	json '.failures[0] | .errno == "EPROTONOSUPPORT" and .causes[0].evidence.driver == "rxe"'
	refused_because MR-DEVX-DEVICE certain mr umem --json
	json '.failures[0].layer == "provider"'
}

@test "access flags, ranges and memory have the causes that they have for regions" {
	require_devx
	refused_because MR-ACCESS-LOCAL-WRITE certain mr umem --access remote-write --json
	refused_because MR-READ-ONLY certain mr umem --memory readonly --access local-write --json
	# the memory is pinned before page sizes are looked at
	refused_because MR-RANGE-UNMAPPED certain mr umem --memory unmapped --page-sizes none --json
	never_certain umem_reg EINVAL umem --memory unmapped --page-sizes none
}

@test "an injected errno of a sane umem has no certain cause" {
	require_devx
	never_certain umem_reg "EACCES EBUSY EINVAL EIO ENODEV ENOMEM EOPNOTSUPP EPERM EPROTONOSUPPORT" umem
	never_certain umem_reg "EINVAL ENOMEM EPROTONOSUPPORT" umem --size 64K --page-sizes 4K --via kernel
	never_certain umem_reg "EINVAL ENOMEM" umem --size 4M --page-sizes 2M,4K
	never_certain umem_reg EINVAL umem --page-sizes 4K
	rules_out MR-DEVX-CONTEXT MR-UMEM-PAGE-SIZES
	never_certain umem_reg EPROTONOSUPPORT umem --page-sizes 4K
	rules_out MR-DEVX-METHOD MR-UMEM-ATTRIBUTE
}

@test "the driver has no DEVX, or the device opens only without DEVX, or opens with DEVX after all" {
	require_devx
	refused_because MR-DEVX-METHOD certain \
		faulty 'umem_reg=EPROTONOSUPPORT;devx=EPROTONOSUPPORT' umem --json
	refused_because MR-DEVX-CONTEXT certain faulty 'umem_reg=EINVAL;devx=EINVAL' umem --json
	refused_because MR-DEVX certain faulty 'get_context@1=EINVAL;devx=EPROTONOSUPPORT' umem --json
	json '.failures[0] | .call == "mlx5dv_open_device" and .causes[0].evidence.devx_other == "EPROTONOSUPPORT"'
	refused_because MR-DEVX likely faulty 'get_context@1=EINVAL;devx=EINVAL' umem --json
	never_certain get_context@1 EINVAL umem
	rules_out MR-DEVX
	refused_because MR-DEVX possible faulty get_context=EINVAL umem --json
	refused_because MR-DEVX possible faulty get_context=EOPNOTSUPP umem --json
	# an errno of the device as a whole says nothing of DEVX
	never_certain get_context "EAGAIN ENOMEM EINTR" umem
	json '[.failures[0].causes[].id] | index("MR-DEVX") | not'
}
