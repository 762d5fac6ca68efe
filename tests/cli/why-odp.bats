#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Why on-demand paging or advice is refused: the causes, and how certain they are.

load helpers
load why

ODP=local-write,remote-read,remote-write,on-demand

# paths: those by which advice reaches the kernel
paths() {
	! on_mlx5 && [ "$(rdma_core)" -lt 59 ] || echo library
	echo kernel
}

# require_odp: for tests of devices that have it
require_odp() {
	has_odp || skip "needs on-demand paging"
}

# ---- regions

@test "the device has no on-demand paging" {
	old=(mrctl sim --profile rxe --kernel 6.12 -- mrctl reg --json)
	run --separate-stderr "${old[@]}" --access $ODP
	json '.failures[0] | .causes[0] | .id == "MR-ODP" and (.certainty | IN("certain", "likely")) and
		.evidence.odp_general_caps == "0x0"'
	refused_because MR-ADVICE-DEVICE certain "${old[@]}" --advise prefetch --via kernel
	# ib_uverbs looks before rxe does, which refuses hugetlb
	refused_because MR-ODP certain "${old[@]}" --access $ODP,hugetlb
}

@test "a region of all memory, and small pages where huge ones are expected" {
	require_odp
	if ! on_mlx5; then # rxe has on-demand paging of ranges alone
		refused_because MR-ODP-IMPLICIT certain mr reg --memory none --size max --access $ODP --json
		json '.failures[0].causes[0].evidence.odp_general_caps == "0x1"'
		return
	fi
	refused_because MR-ODP-IMPLICIT certain \
		mr reg-iova --memory none --size max --iova 0x1000 --access $ODP --json
	refused_because MR-ODP-IMPLICIT certain \
		mr reg --memory none --size max --access $ODP,hugetlb --json
	refused_because MR-IMPLICIT-ADDRESS certain \
		mr reg --memory none --size max --addr 0x1000 --access $ODP --json
	never_certain reg_mr EINVAL reg --memory none --size max --access $ODP
	rules_out MR-IMPLICIT-ADDRESS MR-ODP-IMPLICIT
	refused_because MR-ODP-TABLE certain mr reg --memory none --addr 0x100000000000 --size 1T --access $ODP --json
	never_certain reg_mr ENOMEM reg --memory none --addr 0x100000000000 --size 1023G --access $ODP
	refused_because MR-ODP-HUGETLB likely mr reg --access $ODP,hugetlb --memory memfd \
		--addr 0x200000000000 --size 4M --populate --json
}

# ---- advice

@test "an unknown advice, an unknown flag, and a region that is not on demand" {
	require_odp
	for via in $(paths); do
		refused_because MR-ADVICE-NUMBER certain mr reg --access $ODP --advise 7 --via "$via" --json
		refused_because MR-ADVICE-FLAGS certain mr reg --access $ODP --advise prefetch,2 --via "$via" --json
		if on_mlx5; then
			refused_because MR-ADVICE-PINNED certain mr reg --advise prefetch --via "$via" --json
		else
			refused_because MR-ADVICE-PINNED likely mr reg --advise prefetch,flush --via "$via" --json
		fi
	done
}

@test "prefetch-write of a region without write access" {
	advice=prefetch-write
	require_odp
	on_mlx5 || advice=prefetch # rxe fetches for writing in any case
	for via in $(paths); do
		refused_because MR-ADVICE-ACCESS certain \
			mr reg --access remote-read,on-demand --advise $advice --via "$via" --json
		refused_because MR-ADVICE-MEMORY certain \
			mr reg --access $ODP --memory readonly --advise prefetch-write,flush --via "$via" --json
		json '.failures[0].errno == "EPERM"'
	done
}

@test "the advised range is not in the region, or not in memory" {
	advice=(reg --access "$ODP" --size 8K --advise "prefetch,flush" --json)
	require_odp
	for via in $(paths); do
		for range in '--advise-offset 8K --advise-size 1' '--advise-size 8193' '--advise-offset 4K --advise-size 8K'; do
			refused_because MR-ADVICE-RANGE certain mr "${advice[@]}" $range --via "$via"
		done
		for memory in unmapped hole; do
			refused_because MR-ADVICE-MEMORY certain mr "${advice[@]}" --memory $memory --via "$via"
		done
	done
	! on_mlx5 || return 0
	# rxe takes addresses of the memory, not of the HCA
	refused_because MR-ADVICE-RANGE certain \
		mr reg-iova --iova 0x7000 --access $ODP --advise prefetch,flush --via kernel --json
	json '.failures[0].causes[0].remedy | contains("without --iova")'
}

# bats test_tags=slow
@test "an injected errno of sane advice or on-demand region has no certain cause" {
	require_odp
	never_certain reg_mr "EACCES EBUSY EFAULT EINVAL EIO ENOMEM EPERM EOVERFLOW EOPNOTSUPP" reg --access $ODP
	rules_out MR-ODP
	for via in $(paths); do
		never_certain advise_mr "EAGAIN EFAULT EINVAL EIO ENOENT ENOMEM EOPNOTSUPP EPERM" \
			reg --access $ODP --advise prefetch-write,flush --via "$via"
	done
	never_certain advise_mr EFAULT reg --access $ODP --advise prefetch,flush --via kernel
	rules_out MR-ADVICE-RANGE MR-ADVICE-MEMORY
	refused_because MR-ODP-COLLISION possible \
		faulty advise_mr=EAGAIN reg --access $ODP --advise prefetch,flush --via kernel --json
}
