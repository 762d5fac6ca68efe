#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Why a device that lacks a capability refuses: the HCAs in tests/kernel/variants.

load helpers
load why

ODP=local-write,remote-read,on-demand

# bats test_tags=kernel
@test "an HCA without on-demand paging: regions on demand, and advice" {
	need_hca no-odp
	for via in library kernel; do
		refused_because MR-ODP certain mr reg --access $ODP --via $via --json
		json '.failures[0] | .errno == "EOPNOTSUPP" and .layer == "uverbs" and
			.causes[0].evidence == {"access": "0x45", "odp_general_caps": "0x0"}'
		refused_because MR-ODP certain mr reg --memory none --size max --access $ODP --via $via --json
	done
	run --separate-stderr mr reg --access $ODP --why try --json
	json '.failures[0].causes[0] | .id == "MR-ODP" and .evidence.tried == "without on-demand the call succeeds"'
	refused_because MR-ADVICE-DEVICE certain mr reg --advise prefetch --via kernel --json
}

# refused_dmabufs ID CERTAINTY FILTER FUNCTION: dma-bufs of each kind are refused, as FILTER says, by this FUNCTION
refused_dmabufs() {
	local via from

	for via in library kernel; do
		for from in udmabuf heap:system; do
			refused_because "$1" "$2" mr reg-dmabuf --from $from --size 64K --via $via --json
			json ".failures[0] | .layer == \"driver\" and $3"
		done
	done
	refused_because "$1" "$2" mr reg-dmabuf --from udmabuf --size 64K --why prove --json
	json ".failures[0].proof.refused_by == \"$4\""
}

# bats test_tags=kernel
@test "an HCA without on-demand paging: dma-bufs" {
	need_hca no-odp
	refused_dmabufs MR-DMABUF-ODP certain \
		'.errno == "EOPNOTSUPP" and .causes[0].evidence.odp_general_caps == "0x0"' reg_user_mr_dmabuf
	# what is wrong with the descriptor comes first
	refused_because MR-DMABUF-FILE certain mr reg-dmabuf --from fd:9 --json 9</dev/zero
	succeeded mr umem --dmabuf udmabuf --size 64K
}

# bats test_tags=kernel
@test "an HCA whose UMR loads no addresses: dma-bufs, and regions on demand" {
	need_hca no-umr
	# mlx5 tells nothing of UMR: what it reports of on-demand paging, which needs UMR, is the evidence
	refused_dmabufs MR-DMABUF-UMR likely '.errno == "EINVAL" and
		.causes[0].evidence == {"length": 65536, "odp_general_caps": "0x0"}' mlx5_ib_reg_user_mr_dmabuf
	rules_out MR-DMABUF-FILE MR-DMABUF-RANGE
	refused_because MR-ODP certain mr reg --access $ODP --json
	succeeded mr reg --access local-write,remote-read
}

# bats test_tags=kernel
@test "an HCA without user contexts is not opened for DEVX, and has no umems" {
	need_hca no-devx
	refused_because MR-DEVX certain mr umem --size 64K --json
	json '.failures[0] | .call == "mlx5dv_open_device" and .errno == "EINVAL" and .layer == "driver" and
		.causes[0].evidence.devx_other == "EPROTONOSUPPORT"'
	for what in "" "--page-sizes 4K" "--dmabuf udmabuf"; do
		refused_because MR-DEVX-METHOD certain mr umem --size 64K $what --via kernel --json
		json '.failures[0] | .errno == "EPROTONOSUPPORT" and .layer == "uverbs" and
			.causes[0].evidence.driver == "mlx5"'
	done
	succeeded mr reg --size 64K
	session_begin
	refused_because MR-DEVX-METHOD certain ms umem --size 64K --json
	json '.failures[0].call == "mlx5dv_devx_umem_reg"'
}
