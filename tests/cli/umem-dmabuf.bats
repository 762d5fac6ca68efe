#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# mrctl umem --dmabuf: umems of dma-bufs; and the page sizes that the HCA uses for umems.

load helpers

setup() {
	note_less
	require_devx
	on_simulator || [ -e /dev/udmabuf ] || skip "this kernel makes no dma-bufs (no /dev/udmabuf)"
}

# ud [ARG...]: runs umem on a udmabuf
ud() {
	mr umem --dmabuf udmabuf "$@"
}

# with_dmabuf SOURCE SIZE CMD...: runs CMD, which inherits a dma-buf as descriptor 9
with_dmabuf() {
	"${SIM[@]}" "$TOOL" make "$1" "$2" 9 "${@:3}"
}

TOOL=$BUILD/tests/cli/dmabuf-tool
[ -x "$TOOL" ] || TOOL=dmabuf-tool

# ---- what is registered

# bats test_tags=kernel
@test "a dma-buf is registered as a umem by both paths, with its offset in place of an address" {
	local via source

	for via in library kernel; do
		for source in udmabuf heap:system; do
			run --separate-stderr mr umem --dmabuf $source --size 64K --offset 100 --json \
				--via $via --access local-write,remote-write,remote-read
			succeeded
			json '.failures == [] and (.regions | length == 1) and .environment.data_direct == null'
			json '.regions[0] | .kind == "umem" and .memory == $source and .addr == null and
				.offset == 100 and .length == 65536 and .umem_id > 0 and .via == $via and
				.state == "deregistered" and .page_sizes == null and .iova == null and
				.dereg_elapsed_ns > 0' --arg source $source --arg via $via
		done
	done
}

# bats test_tags=kernel
@test "lines and tables have the offset, and no empty address" {
	run --separate-stderr ud --offset 8K
	succeeded
	grep -qx 'offset: *8192' <<<"$output"
	[[ $output != *addr:* ]]
	run --separate-stderr ud --count 2 --stride 8K -n
	succeeded
	[[ ${lines[0]} == "1 "*" 0 4096 "* && ${lines[1]} == "2 "*" 8192 4096 "* ]]
}

# bats test_tags=kernel
@test "a descriptor is inherited, and its dma-buf registered from the offset to its end" {
	run --separate-stderr with_dmabuf udmabuf 65536 "${MR[@]}" umem --dmabuf fd:9 --offset 4100 --json
	succeeded
	json '.regions[0] | .memory == "fd:9" and .length == 61436 and .offset == 4100'
}

# bats test_tags=kernel
@test "with --page-sizes a size must fit the pages of the dma-buf" {
	run --separate-stderr ud --size 64K --page-sizes 4K,2M -n -o page_sizes
	succeeded
	[ "$output" = 4K,2M ]
	for via in library kernel; do
		# its pages are scattered 4 KiB pages
		run --separate-stderr ud --size 2M --page-sizes 2M --via $via --json --expect EINVAL
		succeeded
		json '.failures[0].call == (if $via == "kernel" then "ioctl(DEVX_UMEM_REG)" else
			"mlx5dv_devx_umem_reg_ex" end)' --arg via $via
		run --separate-stderr ud --size 64K --page-sizes none --via $via
		[ "$status" -eq 1 ]
		[[ $stderr == *": EINVAL ("*"of dma-buf udmabuf"*"and the page sizes none"* ]]
	done
	run --separate-stderr mr umem --dmabuf heap:system --size 64K --page-sizes 64K
	succeeded
}

# bats test_tags=kernel
@test "--try-page-sizes tries them on one dma-buf" {
	run --separate-stderr mr umem --dmabuf heap:system --size 64K --try-page-sizes --json
	succeeded
	json '[.regions[].page_sizes[]] == [4096, 8192, 16384, 32768, 65536]'
	json '.regions[0] | .answer == "ok" and .offset == 0 and .addr == null and
		.memory == "heap:system" and .page_size == null'
	run --separate-stderr ud --size 64K --try-page-sizes --via kernel -n -o page_sizes,answer
	succeeded
	[ "${lines[0]}" = "4K ok" ]
	[ "${lines[-1]}" = "64K EINVAL" ]
	run --separate-stderr mr umem --dmabuf fd:0 --try-page-sizes --json </dev/null
	refused EINVAL mlx5dv_devx_umem_reg_ex
	[[ $stderr == *"asked for 4096 bytes at 0x0 of dma-buf fd:0"* ]]
}

# ---- what the stack refuses

# bats test_tags=kernel
@test "a range beyond the end of the dma-buf is refused, and no bytes" {
	local range

	for range in '--size 8193' '--size 4K --offset 8K' '--size 8K --offset 4K' '--size 0' \
		'--size max' '--size 4K --offset 0xfffffffffffff000'; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr ud --buffer 8K $range
		refused EINVAL mlx5dv_devx_umem_reg_ex
	done
	[[ $stderr == *"offset and length together exceed 64 bits"*"MR-DMABUF-RANGE"* ]]
	run --separate-stderr ud --buffer 8K --size 4K --offset 4K
	succeeded
}

# bats test_tags=kernel
@test "a descriptor that is no dma-buf is refused with EINVAL, a closed one with EBADF" {
	for via in library kernel; do
		run --separate-stderr mr umem --dmabuf fd:0 --via $via --expect EINVAL </dev/zero
		succeeded
		run --separate-stderr mr umem --dmabuf fd:9 --via $via --expect EBADF 9>&-
		succeeded
	done
}

# bats test_tags=kernel
@test "the -1 of a failed export is refused by libmlx5, and by the kernel where that is asked" {
	run --separate-stderr mr umem --dmabuf fd:-1
	refused EBADF mlx5dv_devx_umem_reg_ex
	[[ $stderr == *"libmlx5 itself refuses the descriptor -1, and the kernel is not asked"* ]]
	run --separate-stderr mr umem --dmabuf fd:-1 --via kernel
	refused EBADF 'ioctl(DEVX_UMEM_REG)'
	[[ $stderr == *"the descriptor is -1"*"a failed export returns -1"* && $stderr != *libmlx5* ]]
	for via in library kernel; do
		run --separate-stderr mr umem --dmabuf fd:-2 --via $via
		refused EBADF ''
		[[ $stderr == *"no file has a negative number"* ]]
		run --separate-stderr mr umem --dmabuf fd:9 --via $via 9>&-
		refused EBADF ''
		[[ $stderr == *"was closed when mrctl began"* ]]
	done
}

# bats test_tags=kernel
@test "access flags are those of other umems" {
	local access

	run --separate-stderr ud --quiet --access local-write,remote-write,remote-read,relaxed-ordering
	succeeded
	for access in remote-write local-write,remote-atomic on-demand; do
		run --separate-stderr ud --access $access --expect EINVAL,EOPNOTSUPP,ENOENT
		succeeded
	done
}

# ---- in a session

# bats test_tags=kernel
@test "in a session the umem stays when the command and its descriptors have gone" {
	session_begin
	run --separate-stderr ms umem --dmabuf udmabuf --size 64K --offset 4K --name d --json
	succeeded
	json '.session and (.regions[0] | .state == "live" and .offset == 4096 and .handle != null)'
	ms umem --dmabuf heap:system --via kernel --page-sizes 4K --name h --quiet
	run --separate-stderr ms stat --json
	succeeded
	json '.regions[0] | .name == "d" and .kind == "umem" and .offset == 4096 and .addr == null and
		.memory == "udmabuf" and .page_sizes == null and .length == 65536 and .state == "live"'
	json '.regions[1] | .page_sizes == [4096] and .memory == "heap:system" and .via == "kernel"'
	run --separate-stderr ms dereg --all --json
	succeeded
	json '[.regions[] | .state, .offset] == ["deregistered", 4096, "deregistered", 0]'
	run --separate-stderr ms umem --dmabuf udmabuf --size 0
	[ "$status" -eq 1 ]
	[ -z "$(states)" ]
}

@test "--dmabuf excludes options for memory of the process" {
	for option in '--memory anon' '--addr 0' --populate '--numa 0'; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr ud $option
		usage_error "--dmabuf excludes ${option% *}"
	done
	run --separate-stderr mr umem --buffer 4K
	usage_error "--buffer needs --dmabuf"
	run --separate-stderr mr umem --dmabuf fd:0 --buffer 4K
	usage_error "--buffer: the dma-buf of --dmabuf fd:0 is made already"
	run --separate-stderr mr umem --dmabuf nowhere
	usage_error "--dmabuf: unknown dma-buf 'nowhere'"
}

# ---- the pages that the HCA uses

# page_in_use ARG...: prints the page size, in bytes, that the HCA has for the umem
page_in_use() {
	local id

	hold umem "$@" --hold -n -o umem_id
	read -r id <"$HOLD_OUT"
	hca-probe --umem "$id"
	release
}

# bats test_tags=kernel
@test "the HCA uses the largest page that fits offset and length, whatever larger one was asked for" {
	[ -n "${MRCTL_TEST_GUEST:-}" ] || skip "needs the software HCA"
	[ "$(cat /sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages)" -ge 2 ] ||
		skip "there are no free huge pages"
	[ "$(page_in_use --memory hugetlb:2M --size 2M --page-sizes 2M)" -eq $((2 << 20)) ]
	# contiguous, but not a whole number of such pages: the driver halves the page size until it fits
	[ "$(page_in_use --memory hugetlb:2M --size 1M --page-sizes 1M)" -eq $((1 << 20)) ]
	[ "$(page_in_use --memory hugetlb:2M --size 68K --page-sizes 128K)" -eq 4096 ]
	[ "$(page_in_use --memory hugetlb:2M --size 2M --page-sizes 4K,64K)" -eq 65536 ]
	[ "$(page_in_use --size 64K --page-sizes 4K)" -eq 4096 ]
	[ "$(page_in_use --dmabuf udmabuf --size 64K --page-sizes 4K)" -eq 4096 ]
	[ "$(page_in_use --dmabuf heap:system --size 64K --page-sizes 64K)" -eq 65536 ]
}
