#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Why on-demand paging or advice is refused: the causes, and how certain they are.

load helpers
load why

ODP=local-write,remote-read,remote-write,on-demand

# advice_by_library: the provider knows the call
advice_by_library() {
	on_mlx5 || [ "$(rdma_core)" -ge 59 ]
}

# paths: those by which advice reaches the kernel
paths() {
	! advice_by_library || echo library
	echo kernel
}

# require_odp: for tests of devices that have it
require_odp() {
	has_odp || skip "needs on-demand paging"
}

# ---- regions

# bats test_tags=kernel
@test "the device has no on-demand paging" {
	! has_odp || skip "this one has"
	run --separate-stderr mr reg --access $ODP --json
	[ "$status" -eq 1 ]
	json '.failures[0] | .causes[0] | .id == "MR-ODP" and (.certainty | IN("certain", "likely")) and
		.evidence.odp_general_caps == "0x0"'
	run --separate-stderr mr reg --advise prefetch --via kernel --json
	json '.failures[0].causes[0] | .id == "MR-ADVICE-DEVICE" and .certainty == "certain"'
}

# bats test_tags=kernel
@test "a region of all memory, with another IOVA or with hugetlb" {
	require_odp
	on_mlx5 || skip "needs implicit on-demand paging"
	refused_because MR-ODP-IMPLICIT certain \
		mr reg-iova --memory none --size max --iova 0x1000 --access $ODP --json
	refused_because MR-ODP-IMPLICIT certain \
		mr reg --memory none --size max --access $ODP,hugetlb --json
}

# bats test_tags=kernel
@test "rxe has on-demand paging for ranges alone" {
	require_odp
	! on_mlx5 || skip "mlx5 has both"
	refused_because MR-ODP-IMPLICIT certain mr reg --memory none --size max --access $ODP --json
	json '.failures[0].causes[0].evidence.odp_general_caps == "0x1"'
}

# bats test_tags=kernel
@test "small pages where huge ones are expected" {
	require_odp
	on_mlx5 || skip "rxe takes no hugetlb"
	refused_because MR-ODP-HUGETLB likely mr reg --access $ODP,hugetlb --memory memfd \
		--addr 0x200000000000 --size 4M --populate --json
}

# ---- advice

# bats test_tags=kernel
@test "an advice, or a flag, that nobody knows" {
	local via

	require_odp
	for via in $(paths); do
		refused_because MR-ADVICE-NUMBER certain mr reg --access $ODP --advise 7 --via "$via" --json
		refused_because MR-ADVICE-FLAGS certain mr reg --access $ODP --advise prefetch,2 --via "$via" --json
	done
}

# bats test_tags=kernel
@test "the region is not on demand" {
	local via

	require_odp
	for via in $(paths); do
		if on_mlx5; then
			refused_because MR-ADVICE-PINNED certain mr reg --advise prefetch --via "$via" --json
		else
			refused_because MR-ADVICE-PINNED likely mr reg --advise prefetch,flush --via "$via" --json
		fi
	done
}

# bats test_tags=kernel
@test "fetching for writing what may not be written" {
	local via

	require_odp
	for via in $(paths); do
		if on_mlx5; then
			refused_because MR-ADVICE-ACCESS certain \
				mr reg --access remote-read,on-demand --advise prefetch-write --via "$via" --json
		else
			refused_because MR-ADVICE-ACCESS certain \
				mr reg --access remote-read,on-demand --advise prefetch --via "$via" --json
		fi
		refused_because MR-ADVICE-MEMORY certain \
			mr reg --access $ODP --memory readonly --advise prefetch-write,flush --via "$via" --json
		json '.failures[0].errno == "EPERM"'
	done
}

# bats test_tags=kernel
@test "the part is not in the region, or not in memory" {
	local via range

	require_odp
	for via in $(paths); do
		for range in '--advise-offset 8K --advise-size 1' '--advise-size 8193' '--advise-offset 4K --advise-size 8K'; do
			# shellcheck disable=SC2086 # words
			refused_because MR-ADVICE-RANGE certain \
				mr reg --access $ODP --size 8K --advise prefetch,flush $range --via "$via" --json
		done
		refused_because MR-ADVICE-MEMORY certain \
			mr reg --access $ODP --memory unmapped --advise prefetch,flush --via "$via" --json
		refused_because MR-ADVICE-MEMORY certain \
			mr reg --access $ODP --memory hole --size 8K --advise prefetch,flush --via "$via" --json
	done
}

# bats test_tags=kernel
@test "rxe takes addresses of the memory, not of the HCA" {
	require_odp
	! on_mlx5 || skip "mlx5 takes those of the HCA"
	refused_because MR-ADVICE-RANGE certain \
		mr reg-iova --iova 0x7000 --access $ODP --advise prefetch,flush --via kernel --json
	json '.failures[0].causes[0].remedy | contains("without --iova")'
}

@test "an injected errno of sane advice or on-demand region has no certain cause" {
	local errno

	on_simulator || skip "needs the simulator"
	require_odp
	for errno in EACCES EAGAIN EBUSY EFAULT EINVAL EIO ENODEV ENOENT ENOMEM EOPNOTSUPP EPERM EOVERFLOW; do
		refused_for_no_certain_cause faulty "reg_mr=$errno" reg --access $ODP --json
		for via in $(paths); do
			refused_for_no_certain_cause faulty "advise_mr=$errno" \
				reg --access $ODP --advise prefetch-write,flush --via "$via" --json
		done
	done
	refused_for_no_certain_cause faulty advise_mr=EFAULT reg --access $ODP --advise prefetch,flush --via kernel --json
	json '.failures[0].ruled_out | map(.id) | contains(["MR-ADVICE-RANGE", "MR-ADVICE-MEMORY"])'
	refused_for_no_certain_cause faulty advise_mr=EAGAIN reg --access $ODP --advise prefetch,flush --via kernel --json
	json '.failures[0].causes[0] | .id == "MR-ODP-COLLISION" and .certainty == "possible"'
	refused_for_no_certain_cause faulty reg_mr=EOPNOTSUPP reg --access $ODP --json
	json '.failures[0].ruled_out | map(.id) | contains(["MR-ODP"])'
}
