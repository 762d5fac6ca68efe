#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# mrctl umem --dmabuf: umems of dma-bufs; and the page sizes that the HCA uses for umems.

load helpers
load dmabuf
load rows

setup() {
	note_less
	require_devx
	require_exporter
}

# ud [ARG...]: runs umem on a udmabuf
ud() {
	mr umem --dmabuf udmabuf "$@"
}

# ---- what is registered

# bats test_tags=kernel
@test "a dma-buf is registered as a umem by both paths, with its offset in place of an address" {
	for via in library kernel; do
		for source in udmabuf heap:system; do
			succeeded mr umem --dmabuf $source --size 64K --offset 100 --json \
				--via $via --access local-write,remote-write,remote-read
			json '.failures == [] and (.regions | length == 1) and .environment.data_direct == null'
			json '.regions[0] | .kind == "umem" and .memory == $source and .addr == null and
				.offset == 100 and .length == 65536 and .umem_id > 0 and .via == $via and
				.state == "deregistered" and .page_sizes == null and .iova == null and
				.dereg_elapsed_ns > 0' --arg source $source --arg via $via
		done
	done
	run --separate-stderr ud --offset 8K
	grep -qx 'offset: *8192' <<<"$output"
	[[ $output != *addr:* ]]
}

@test "a descriptor is inherited; regions follow one another, to its end where there is one" {
	values with_dmabuf udmabuf 65536 "${MR[@]}" umem -n -o memory,offset,length --dmabuf <<-'END'
		fd:9 --offset 4100 | fd:9 4100 61436
		fd:9 --count 2 --stride 8K | fd:9 0 4096 fd:9 8192 4096
		udmabuf --offset 8K | udmabuf 8192 4096
	END
}

# bats test_tags=kernel
@test "with --page-sizes a size must fit the pages of the dma-buf" {
	# the pages of a udmabuf are scattered 4 KiB pages, those of a heap are contiguous
	answers mr umem --dmabuf <<-'END'
		ok - udmabuf --size 64K --page-sizes 4K,2M
		ok - heap:system --size 64K --page-sizes 64K
		EINVAL mlx5dv_devx_umem_reg_ex udmabuf --size 2M --page-sizes 2M
		EINVAL ioctl(DEVX_UMEM_REG) udmabuf --size 2M --page-sizes 2M --via kernel
		EINVAL mlx5dv_devx_umem_reg_ex udmabuf --size 64K --page-sizes none
		EINVAL ioctl(DEVX_UMEM_REG) udmabuf --size 64K --page-sizes none --via kernel
	END
	[[ $stderr == *"of dma-buf udmabuf"*"and the page sizes none"* ]]
}

@test "--try-page-sizes tries them on one dma-buf" {
	succeeded mr umem --dmabuf heap:system --size 64K --try-page-sizes --json
	json '[.regions[].page_sizes[]] == [4096, 8192, 16384, 32768, 65536]'
	json '.regions[0] | .answer == "ok" and .offset == 0 and .addr == null and
		.memory == "heap:system" and .page_size == null'
	succeeded ud --size 64K --try-page-sizes --via kernel -n -o page_sizes,answer
	[ "${lines[0]}" = "4K ok" ]
	[ "${lines[-1]}" = "64K EINVAL" ]
	refused EINVAL mlx5dv_devx_umem_reg_ex mr umem --dmabuf fd:0 --try-page-sizes --json </dev/null
	[[ $stderr == *"asked for 4096 bytes at 0x0 of dma-buf fd:0"* ]]
}

# ---- what the stack refuses

@test "ranges beyond the end, other access flags, and closed descriptors are refused" {
	answers mr umem --dmabuf 9>&- <<-'END'
		ok - udmabuf --buffer 8K --size 4K --offset 4K
		EINVAL mlx5dv_devx_umem_reg_ex udmabuf --access on-demand
		EBADF mlx5dv_devx_umem_reg_ex fd:9
		EBADF ioctl(DEVX_UMEM_REG) fd:9 --via kernel
	END
	run --separate-stderr ud --buffer 8K --size 4K --offset 0xfffffffffffff000
	[[ $stderr == *"offset and length together exceed 64 bits"*"MR-DMABUF-RANGE"* ]]
}

# ---- in a session

@test "in a session the umem stays when the command and its descriptors have gone" {
	session_begin
	succeeded ms umem --dmabuf udmabuf --size 64K --offset 4K --name d --json
	json '.session and (.regions[0] | .state == "live" and .offset == 4096 and .handle != null)'
	ms umem --dmabuf heap:system --via kernel --page-sizes 4K --name h --quiet
	shows '[.regions[] | .name, .offset, .addr, .memory, .page_sizes, .state] ==
		["d", 4096, null, "udmabuf", null, "live", "h", 0, null, "heap:system", [4096], "live"]' ms stat
	shows '[.regions[] | .state, .offset] == ["deregistered", 4096, "deregistered", 0]' ms dereg --all
	exits 1 ms umem --dmabuf udmabuf --size 0 --json
	[ -z "$(states)" ]
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
