#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Why a device that lacks a capability refuses: the HCAs in tests/kernel/variants.

load helpers
load why

ODP=local-write,remote-read,on-demand

# require_hca NAME: for tests of that row of tests/kernel/variants
require_hca() {
	[ "${MRCTL_TEST_HCA:-}" = "$1" ] || skip "needs the HCA $1 of tests/kernel/variants"
}

# dmabufs: what dma-bufs are made from
dmabufs() {
	echo udmabuf
	echo heap:system
}

# bats test_tags=kernel
@test "an HCA without on-demand paging: regions on demand" {
	local via

	require_hca no-odp
	for via in library kernel; do
		refused_because MR-ODP certain mr reg --access $ODP --via $via --json
		json '.failures[0] | .errno == "EOPNOTSUPP" and .layer == "uverbs" and
			.causes[0].evidence == {"access": "0x45", "odp_general_caps": "0x0"}'
		refused_because MR-ODP certain mr reg --memory none --size max --access $ODP --via $via --json
	done
	run --separate-stderr mr reg --access $ODP --why try --json
	json '.failures[0] | .causes[0].id == "MR-ODP" and
		.causes[0].evidence.tried == "without on-demand the call passes"'
}

# bats test_tags=kernel
@test "an HCA without on-demand paging: advice" {
	require_hca no-odp
	refused_because MR-ADVICE-DEVICE certain mr reg --advise prefetch --via kernel --json
}

# bats test_tags=kernel
@test "an HCA without on-demand paging: dma-bufs" {
	local via from

	require_hca no-odp
	for via in library kernel; do
		for from in $(dmabufs); do
			refused_because MR-DMABUF-ODP certain \
				mr reg-dmabuf --from "$from" --size 64K --via $via --json
			json '.failures[0] | .errno == "EOPNOTSUPP" and .layer == "driver" and
				.causes[0].evidence.odp_general_caps == "0x0"'
		done
	done
	# what is wrong with the descriptor comes first
	refused_because MR-DMABUF-FILE certain mr reg-dmabuf --from fd:9 --json 9</dev/zero
	run --separate-stderr mr umem --dmabuf udmabuf --size 64K
	succeeded
}

# bats test_tags=kernel
@test "an HCA without on-demand paging: the kernel's functions agree" {
	require_hca no-odp
	refused_because MR-DMABUF-ODP certain mr reg-dmabuf --from udmabuf --size 64K --why prove --json
	json '.failures[0].proof.refused_by == "reg_user_mr_dmabuf"'
}

# bats test_tags=kernel
@test "an HCA whose UMR loads no addresses: dma-bufs" {
	local via from

	require_hca no-umr
	for via in library kernel; do
		for from in $(dmabufs); do
			# mlx5 tells nothing of UMR: what it reports of on-demand paging, which needs UMR, is the evidence
			refused_because MR-DMABUF-UMR likely \
				mr reg-dmabuf --from "$from" --size 64K --via $via --json
			json '.failures[0] | .errno == "EINVAL" and .layer == "driver" and
				.causes[0].evidence == {"length": 65536, "odp_general_caps": "0x0"} and
				(.ruled_out | map(.id) | contains(["MR-DMABUF-FILE", "MR-DMABUF-RANGE"]))'
		done
	done
	refused_because MR-DMABUF-UMR likely mr reg-dmabuf --from udmabuf --size 64K --why prove --json
	json '.failures[0].proof.refused_by == "mlx5_ib_reg_user_mr_dmabuf"'
}

# bats test_tags=kernel
@test "an HCA whose UMR loads no addresses: regions on demand" {
	require_hca no-umr
	refused_because MR-ODP certain mr reg --access $ODP --json
	run --separate-stderr mr reg --access local-write,remote-read
	succeeded
}

# bats test_tags=kernel
@test "an HCA without user contexts is not opened for DEVX" {
	require_hca no-devx
	refused_because MR-DEVX certain mr umem --size 64K --json
	json '.failures[0] | .call == "mlx5dv_open_device" and .errno == "EINVAL" and .layer == "driver" and
		.causes[0].evidence.devx_other == "EPROTONOSUPPORT"'
	run --separate-stderr mr reg --size 64K
	succeeded
}

# bats test_tags=kernel
@test "an HCA without user contexts has no umems" {
	local what

	require_hca no-devx
	for what in "" "--page-sizes 4K" "--dmabuf udmabuf"; do
		# shellcheck disable=SC2086 # words
		refused_because MR-DEVX-METHOD certain mr umem --size 64K $what --via kernel --json
		json '.failures[0] | .errno == "EPROTONOSUPPORT" and .layer == "uverbs" and
			.causes[0].evidence.driver == "mlx5"'
	done
	session_begin
	refused_because MR-DEVX-METHOD certain ms umem --size 64K --json
	json '.failures[0].call == "mlx5dv_devx_umem_reg"'
	session_end
}
