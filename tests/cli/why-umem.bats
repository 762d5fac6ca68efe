#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Why a umem cannot be registered: the causes, and how certain they are.

# shellcheck disable=SC2154 # run sets stderr

load helpers
load why

# bats test_tags=kernel
@test "no page size of the list can be that of the memory" {
	local via sizes

	require_devx
	for via in library kernel; do
		for sizes in none 1K 0x7ff 2M 1G 128K,2M; do
			refused_because MR-UMEM-PAGE-SIZES certain \
				mr umem --size 64K --page-sizes $sizes --via $via --json
			json '.failures[0] | .layer == "driver" and .causes[0].evidence.usable_page_sizes == "0x0"'
		done
	done
	run --separate-stderr mr umem --size 64K --page-sizes 2M
	[[ $stderr == *"try: allow pages of 4 KiB, too: --page-sizes 0x201000"* ]]
	run --separate-stderr mr umem --size 64K --page-sizes 0x201000
	succeeded
}

# bats test_tags=kernel
@test "the sizes of the list are larger than the pieces of the memory" {
	require_devx
	# pages of a mapping that was touched in an odd order do not lie side by side in 2 MiB
	run --separate-stderr mr umem --size 4M --page-sizes 2M --json
	[ "$status" -eq 1 ] || skip "the kernel gave large pages"
	json '.failures[0].causes[0] | .id == "MR-UMEM-PAGE-SIZES" and .certainty == "likely" and
		.evidence.usable_page_sizes == "0x200000"'
}

# bats test_tags=kernel
@test "umems are objects of mlx5" {
	! on_mlx5 || skip "needs another device"
	refused_because MR-DEVX-METHOD certain mr umem --via kernel --json
	json '.failures[0] | .errno == "EPROTONOSUPPORT" and .causes[0].evidence.driver == "rxe"'
}

# bats test_tags=kernel
@test "access flags and ranges have the causes that they have for regions" {
	require_devx
	refused_because MR-ACCESS-LOCAL-WRITE certain mr umem --access remote-write --json
	refused_because MR-LENGTH-ZERO certain mr umem --size 0 --json
}

@test "an injected errno of a sane umem has no certain cause" {
	local errno

	on_simulator || skip "needs the simulator"
	require_devx
	for errno in EACCES EAGAIN EBADF EBUSY EINVAL EIO ENODEV ENOENT ENOMEM EOPNOTSUPP EPERM EPROTONOSUPPORT; do
		refused_for_no_certain_cause faulty "umem_reg=$errno" umem --size 64K --json
		refused_for_no_certain_cause faulty "umem_reg=$errno" umem --size 64K --page-sizes 4K --via kernel --json
		refused_for_no_certain_cause faulty "umem_reg=$errno" umem --size 4M --page-sizes 2M,4K --json
	done
	refused_for_no_certain_cause faulty umem_reg=EINVAL umem --page-sizes 4K --json
	json '.failures[0].ruled_out | map(.id) | contains(["MR-DEVX-CONTEXT", "MR-UMEM-PAGE-SIZES"])'
	refused_for_no_certain_cause faulty umem_reg=EPROTONOSUPPORT umem --page-sizes 4K --json
	json '.failures[0].ruled_out | map(.id) | contains(["MR-DEVX-METHOD", "MR-UMEM-ATTRIBUTE"])'
}

@test "page sizes are looked at when the memory is pinned" {
	on_simulator || skip "needs the simulator"
	require_devx
	refused_because MR-RANGE-UNMAPPED certain mr umem --memory unmapped --page-sizes none --json
	refused_for_no_certain_cause faulty umem_reg=EINVAL \
		umem --memory unmapped --page-sizes none --json
	refused_for_no_certain_cause faulty umem_reg=EINVAL umem --page-sizes 4K,2M --json
}

@test "the driver offers no DEVX at all" {
	on_simulator || skip "needs the simulator"
	require_devx
	refused_because MR-DEVX-METHOD certain \
		faulty 'umem_reg=EPROTONOSUPPORT;devx=EPROTONOSUPPORT' umem --json
	refused_because MR-DEVX-CONTEXT certain faulty 'umem_reg=EINVAL;devx=EINVAL' umem --json
}

@test "the device opens without DEVX alone, or with it after all" {
	on_simulator || skip "needs the simulator"
	require_devx
	refused_because MR-DEVX certain faulty 'get_context@1=EINVAL;devx=EPROTONOSUPPORT' umem --json
	json '.failures[0] | .call == "mlx5dv_open_device" and .causes[0].evidence.devx_other == "EPROTONOSUPPORT"'
	refused_because MR-DEVX likely faulty 'get_context@1=EINVAL;devx=EINVAL' umem --json
	refused_for_no_certain_cause faulty get_context@1=EINVAL umem --json
	json '.failures[0].ruled_out | map(.id) | contains(["MR-DEVX"])'
	refused_because MR-DEVX possible faulty get_context=EINVAL umem --json
}
