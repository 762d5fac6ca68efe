#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# On-demand paging: explicit and implicit regions, on huge pages, and --advise.  The tests of what
# ibv_advise_mr(3) says are here.
# shellcheck disable=SC2016 # jq has variables of its own

load helpers

# require_mlx5: skips on other devices
require_mlx5() {
	on_mlx5 || skip "needs mlx5"
}

ODP=local-write,remote-read,remote-write,on-demand

# odp [ARG...]: reg with on-demand paging
odp() {
	mr reg --access $ODP "$@"
}

# call_of PATH: prints the name of the call that --via PATH makes
call_of() {
	case $1 in library) echo ibv_advise_mr ;; kernel) echo 'ioctl(ADVISE_MR)' ;; esac
}

# advice_refused ERRNO PATH: the last run was refused the advice, after it had registered the region
advice_refused() {
	refused "$1" "$(call_of "$2")" || return
	json '.failures | length == 1' || return
	json '.failures[0] | .call == $call and .errno == $errno and .region == 1 and .via == $via' \
		--arg call "$(call_of "$2")" --arg errno "$1" --arg via "$2" || return
	json '.regions[0] | .state == "deregistered" and .advice_answer == $errno and
		.advice_elapsed_ns != null and .dereg_elapsed_ns > 0' --arg errno "$1"
}

# ---- answers

# bats test_tags=kernel
@test "each advice is taken, by both paths, and shown with its time" {
	local via advice

	require_mlx5
	for via in library kernel; do
		for advice in prefetch prefetch-write prefetch-no-fault; do
			run --separate-stderr odp --size 64K --via $via --advise $advice,flush --json
			succeeded
			json '.regions[0] | .advice == $advice and .advice_answer == "ok" and
				.advice_elapsed_ns > 0 and .state == "deregistered" and .via == $via' \
				--arg advice $advice,flush --arg via $via
		done
		run --separate-stderr odp --via $via --advise prefetch --expect ok --quiet
		succeeded
	done
	run --separate-stderr odp --advise prefetch
	succeeded
	grep -qx 'advice_answer: *ok' <<<"$output"
	grep -Eqx 'advice_elapsed_ns: *[1-9][0-9]*' <<<"$output"
	run --separate-stderr odp --json
	succeeded
	json '.regions[0] | [.advice, .advice_answer, .advice_elapsed_ns] | unique == [null]'
}

# bats test_tags=kernel
@test "memory that is not mapped is EFAULT with flush, and ignored without" {
	local via

	require_mlx5
	for via in library kernel; do
		run --separate-stderr odp --memory unmapped --via $via --advise prefetch,flush --json
		advice_refused EFAULT $via
		[[ $stderr == *"advised prefetch,flush of 4096 bytes at 0x"* ]]
		run --separate-stderr odp --memory hole --size 8K --via $via --advise prefetch-write,flush --json
		advice_refused EFAULT $via
		run --separate-stderr odp --memory unmapped --via $via --advise prefetch
		succeeded
	done
	run --separate-stderr odp --memory unmapped --advise prefetch,flush --expect EFAULT --quiet
	succeeded
	run --separate-stderr odp --memory unmapped --advise prefetch,flush --expect ok --quiet
	[ "$status" -eq 1 ]
}

# bats test_tags=kernel
@test "a range that leaves the region is EFAULT with flush" {
	local range

	require_mlx5
	for range in '--advise-offset 8K --advise-size 4K' '--advise-size 12K' \
		'--advise-offset 4K --advise-size 8K'; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr odp --size 8K --advise prefetch-write,flush $range --json
		advice_refused EFAULT library
		[[ $stderr == *"are not all in the region of"* ]]
	done
	for range in '--advise-offset 4K' '--advise-offset 4K --advise-size 4K' '--advise-size 1'; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr odp --size 8K --advise prefetch-write,flush $range
		succeeded
	done
	# the advice is for addresses of the HCA (iova)
	run --separate-stderr mr reg-iova --iova 0x7000 --size 8K --access $ODP \
		--advise prefetch-write,flush --advise-offset 4K
	succeeded
	run --separate-stderr mr reg-iova --iova 0x7000 --size 8K --access $ODP \
		--advise prefetch-write,flush --advise-offset 8K --advise-size 1 --json
	advice_refused EFAULT library
	[[ $stderr == *"of 1 bytes at 0x9000"* ]]
}

# bats test_tags=kernel
@test "flags that the kernel does not know are EINVAL, unknown advices EOPNOTSUPP" {
	local via

	require_mlx5
	for via in library kernel; do
		run --separate-stderr odp --via $via --advise prefetch,2 --json
		advice_refused EINVAL $via
		run --separate-stderr odp --via $via --advise prefetch,flush,0x80000000 --json
		advice_refused EINVAL $via
		run --separate-stderr odp --via $via --advise 7 --json
		advice_refused EOPNOTSUPP $via
	done
}

# bats test_tags=kernel
@test "prefetching for writing a region without write access is EPERM, also without flush" {
	local via

	require_mlx5
	for via in library kernel; do
		run --separate-stderr mr reg --access remote-read,on-demand --via $via \
			--advise prefetch-write --json
		advice_refused EPERM $via
		run --separate-stderr mr reg --access remote-read,on-demand --via $via \
			--advise prefetch,flush --expect ok --quiet
		succeeded
	done
	# and memory that may be written is accepted
	run --separate-stderr odp --memory readonly --advise prefetch-write,flush --json
	advice_refused EPERM library
	run --separate-stderr odp --memory readonly --advise prefetch,flush
	succeeded
}

# bats test_tags=kernel
@test "a region that is not on demand is ENOENT" {
	local via

	require_mlx5
	for via in library kernel; do
		run --separate-stderr mr reg --via $via --advise prefetch --json
		advice_refused ENOENT $via
		[[ $stderr == *"access 0x1 has no on-demand"* ]]
	done
}

# bats test_tags=kernel
@test "a region of a dma-buf can be prefetched" {
	require_mlx5
	on_simulator || [ -e /dev/udmabuf ] || skip "this kernel makes no dma-bufs (no /dev/udmabuf)"
	for via in library kernel; do
		run --separate-stderr mr reg-dmabuf --from udmabuf --size 64K --offset 4K --via $via \
			--advise prefetch-write,flush --json
		succeeded
		json '.regions[0] | .advice_answer == "ok" and .offset == 4096'
	done
}

# ---- implicit regions

# bats test_tags=kernel
@test "the whole address space is a region, by both paths, and memory in it can be prefetched" {
	local via

	require_mlx5
	for via in library kernel; do
		run --separate-stderr odp --memory none --size max --via $via --json
		succeeded
		json '.regions[0] | .addr == "0x0" and .length == 18446744073709551615 and .lkey != null'
		run --separate-stderr odp --memory none --size max --via $via --json \
			--advise prefetch-write,flush
		succeeded
		json '.regions[0] | .advice_answer == "ok" and .addr == "0x0"'
		run --separate-stderr odp --memory none --size max --via $via --expect ok --quiet \
			--advise prefetch-write,flush --advise-size 64K
		succeeded
		run --separate-stderr odp --memory none --size max --via $via --json \
			--advise prefetch,flush --advise-offset 4K
		advice_refused EFAULT $via
		[[ $stderr == *"of 4096 bytes at 0x1000"* ]]
	done
}

# bats test_tags=kernel
@test "the whole address space cannot be a region without on-demand paging, nor at another address" {
	require_mlx5
	run --separate-stderr mr reg --memory none --size max
	[ "$status" -eq 1 ]
	run --separate-stderr mr reg-iova --memory none --size max --iova 0x1000 --access $ODP
	refused EINVAL ibv_reg_mr_iova
}

# ---- huge pages

# bats test_tags=kernel
@test "hugetlb access is for memory of huge pages" {
	require_mlx5
	[ "$(cat /sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages)" -ge 2 ] ||
		skip "there are no free huge pages"
	for via in library kernel; do
		run --separate-stderr odp --access $ODP,hugetlb --memory hugetlb:2M --size 4M --populate \
			--via $via --advise prefetch-write,flush --json
		succeeded
		json '.regions[0] | .advice_answer == "ok" and (.access | index("hugetlb")) and
			.page_size == 2097152'
	done
}

# bats test_tags=kernel
@test "hugetlb access to small pages is refused when pages are fetched, if not before" {
	require_mlx5
	run --separate-stderr odp --access $ODP,hugetlb --memory memfd --addr 0x200000000000 --size 4M \
		--advise prefetch,flush --json
	advice_refused EINVAL library
	run --separate-stderr odp --access $ODP,hugetlb --memory memfd --addr 0x200000000000 --size 4M \
		--populate
	refused EINVAL ibv_reg_mr
}

# ---- several, and in a session

# bats test_tags=kernel
@test "each of several regions is advised, up to the first refusal, or all with --keep-going" {
	require_mlx5
	run --separate-stderr odp --count 3 --name n --advise prefetch,flush -n -o name,advice_answer
	succeeded
	[ "$output" = $'n.1 ok\nn.2 ok\nn.3 ok' ]
	run --separate-stderr odp --count 3 --memory unmapped --advise prefetch,flush --json
	[ "$status" -eq 1 ]
	json '[.regions[].advice_answer] == ["EFAULT", null, null] and (.failures | length == 1)'
	run --separate-stderr odp --count 3 --memory unmapped --advise prefetch,flush --json --keep-going
	json '[.failures[] | .region, .index] == [1, 1, 2, 2, 3, 3]'
	[[ $stderr == *"region 3 of 3: ibv_advise_mr: EFAULT ("* ]]
	run --separate-stderr odp --count 2 --advise prefetch,flush
	[[ ${lines[0]} == *" ADVICE_ANSWER ADVICE_ELAPSED_NS" ]]
}

# bats test_tags=kernel
@test "in a session the advice is given, and the region stays whatever the answer is" {
	local via

	require_mlx5
	session_begin
	for via in library kernel; do
		run --separate-stderr ms reg --access $ODP --via $via --advise prefetch-write,flush --json
		succeeded
		json '.regions[0] | .state == "live" and .advice_answer == "ok"'
	done
	run --separate-stderr ms reg --access $ODP --memory unmapped --advise prefetch,flush --json
	[ "$status" -eq 1 ]
	json '.regions[0].state == "live" and .failures[0].call == "ibv_advise_mr" and .failures[0].region == 3'
	[ "$(states)" = $'1 inert\n2 inert\n3 inert' ]
	ms dereg --all --quiet
	[ -z "$(states)" ]
}

# bats test_tags=kernel
@test "in a session a note, the document and stat report that an on-demand region needs its process" {
	require_mlx5
	session_begin
	run --separate-stderr ms reg --access $ODP --name o --json
	succeeded
	json '.regions[0].needs_process == true'
	[[ $stderr == *"an on-demand region is inert once this process has ended: use --hold"* ]]
	run --separate-stderr ms reg --name p --json
	json '.regions[0].needs_process == false'
	[ -z "$stderr" ]
	[ "$(ms stat -n -o name,needs_process)" = $'o true\np false' ]
}

# ---- what the HCA has

# probe KEY-AND-ADDRESS [OPTION...]: lets the device access the region that is held, through its key
probe() {
	local key addr

	read -r key addr <"$HOLD_OUT"
	run --separate-stderr hca-probe "$@" "$key" "$addr"
}

# hold_odp ARG...: hold a region with on-demand paging
hold_odp() {
	hold reg --access $ODP --hold -n -o rkey,addr "$@"
}

# bats test_tags=kernel
@test "after a prefetch with flush the HCA has the pages, for the access that was prefetched" {
	require_probe
	hold_odp
	probe
	[[ $status -eq 1 && $stderr == *page* ]]
	release
	hold_odp --advise prefetch-write,flush
	probe
	[ "$status" -eq 0 ]
	probe -w 1
	[ "$status" -eq 0 ]
	release
	hold_odp --advise prefetch,flush
	probe
	[ "$status" -eq 0 ]
	probe -w 1
	[ "$status" -eq 1 ]
	release
}

# bats test_tags=kernel
@test "prefetch-no-fault gives the HCA only pages that are present" {
	require_probe
	hold_odp --advise prefetch-no-fault,flush
	probe
	[[ $status -eq 1 && $stderr == *page* ]]
	release
	hold_odp --populate --advise prefetch-no-fault,flush
	probe
	[ "$status" -eq 0 ]
	release
}

# bats test_tags=kernel
@test "in a session the HCA loses the pages with the process" {
	local key addr

	require_probe
	session_begin
	read -r key addr < <(ms reg --access $ODP --advise prefetch-write,flush -n -o rkey,addr 2>/dev/null)
	run --separate-stderr hca-probe "$key" "$addr"
	[[ $status -eq 1 && $stderr == *page* ]]
	[ "$(states)" = "1 inert" ]
}

# ---- other devices, and usage

# rxe_knows_advice: whether the kernel's rxe has the call
rxe_knows_advice() {
	if on_simulator; then
		[ "${MRCTL_TEST_KERNEL:-7.2}" = 7.2 ]
	else
		[ "${MRCTL_TEST_GUEST:-}" = sid ]
	fi
}

# bats test_tags=kernel
@test "a driver or provider without advice answers EOPNOTSUPP" {
	! on_mlx5 || skip "mlx5 knows it"
	if rxe_knows_advice; then
		[ "$(rdma_core)" -lt 59 ] || skip "both know it"
	else
		run --separate-stderr mr reg --via kernel --advise prefetch --json
		advice_refused EOPNOTSUPP kernel
	fi
	run --separate-stderr mr reg --advise prefetch --json
	advice_refused EOPNOTSUPP library
}

# bats test_tags=kernel
@test "rxe of Linux 7.2 prefetches, and its provider from rdma-core 59 on" {
	local via

	! on_mlx5 && rxe_knows_advice || skip "needs that one"
	for via in library kernel; do
		[ $via = kernel ] || [ "$(rdma_core)" -ge 59 ] || continue
		for advice in prefetch,flush prefetch-write,flush prefetch-no-fault,flush prefetch; do
			run --separate-stderr odp --via $via --advise $advice --expect ok --quiet
			succeeded
		done
		run --separate-stderr odp --memory unmapped --via $via --advise prefetch,flush --json
		advice_refused EFAULT $via
		run --separate-stderr odp --memory readonly --via $via --advise prefetch-write,flush --json
		advice_refused EPERM $via
		run --separate-stderr odp --via $via --advise prefetch,2 --json
		advice_refused EINVAL $via
		run --separate-stderr odp --via $via --advise 7 --json
		advice_refused EOPNOTSUPP $via
	done
}

@test "an unknown advice is a usage error, and so are options that need one" {
	for advice in '' advise -1; do
		run --separate-stderr mr reg --advise="$advice"
		usage_error "--advise: unknown advice '$advice'"
	done
	for advice in 'prefetch,' prefetch-write,flus; do
		run --separate-stderr mr reg --advise="$advice"
		usage_error "--advise: unknown flag '${advice#*,}'" "valid values: flush"
	done
	run --separate-stderr mr reg --advise flush
	usage_error "--advise: 'flush' stands behind an advice, as in prefetch,flush"
	run --separate-stderr mr reg --advise prefetch,prefetch
	usage_error "--advise: one advice at a time"
	run --separate-stderr mr reg --advise 0x100000000
	usage_error "--advise: number '0x100000000' is too large"
	run --separate-stderr mr reg --advise-offset 4K
	usage_error "--advise-offset needs --advise"
	run --separate-stderr mr reg-iova --iova 0 --advise-size 4K
	usage_error "--advise-size needs --advise"
	run --separate-stderr mr umem --advise prefetch
	usage_error "unknown option '--advise'"
}
