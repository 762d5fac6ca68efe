#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Why memory or a dma-buf could not be made, so that the RDMA stack was not asked.

load helpers
load why

# layer_is_null: no layer of the RDMA stack has refused
layer_is_null() {
	json '.failures[0] | .layer == null and .via == null'
}

# bats test_tags=kernel
@test "the limit of the address space, and that of data" {
	! is_sanitized || skip "the sanitizer takes more than such limits allow"
	refused_because MR-ADDRESS-SPACE certain prlimit --as=536870912 "${MR[@]}" reg --size 1G --json
	json '.failures[0].causes[0].cause | startswith("RLIMIT_AS is 536870912 bytes")'
	layer_is_null
	refused_because MR-ADDRESS-SPACE certain prlimit --data=104857600 "${MR[@]}" reg --size 1G --json
	json '.failures[0].causes[0] | (.cause | startswith("RLIMIT_DATA is 104857600 bytes")) and
		.evidence.asked == 1073741824'
}

# bats test_tags=kernel
@test "more than the machine's memory, where it does not overcommit" {
	[ "$(</proc/sys/vm/overcommit_memory)" = 0 ] || skip "vm.overcommit_memory is not 0"
	refused_because MR-OVERCOMMIT certain mr reg --size 64T --json
	layer_is_null
}

# bats test_tags=kernel
@test "something is mapped at the address" {
	local address

	address=$(setarch -R "${MR[@]}" reg --json | jq -r '.regions[0].addr') || skip "addresses stay random"
	refused_because MR-ADDRESS-TAKEN certain setarch -R "${MR[@]}" reg \
		--addr 0x7ffffffde000 --json --size 8K || skip "nothing is mapped there ($address)"
	json '.failures[0].causes[0].evidence.address == "0x7ffffffde000"'
}

# bats test_tags=kernel
@test "too few huge pages" {
	local pages=/sys/kernel/mm/hugepages/hugepages-2048kB

	[ -e $pages ] || skip "this kernel has no huge pages of 2M"
	[ "$(<$pages/nr_overcommit_hugepages)" = 0 ] || skip "huge pages may be overcommitted"
	refused_because MR-HUGEPAGES certain mr reg --memory hugetlb:2M --size 900G --json
	json '.failures[0].causes[0] | (.cause | test("huge pages? of 2048 KiB (is|are) wanted")) and
		(.remedy | contains("nr_hugepages"))'
	layer_is_null
}

# bats test_tags=kernel
@test "a file that is not there, or may not be opened" {
	refused_because MR-FILE-OPEN likely mr reg --memory "file:$BATS_TEST_TMPDIR/none/file" --json
	json '.failures[0].causes[0].evidence.path | endswith("/none/file")'
	refused_because MR-FILE-OPEN likely mr reg --memory "device:$BATS_TEST_TMPDIR/none" --json
	layer_is_null
}

# bats test_tags=kernel
@test "a file that is a folder, or cannot be mapped" {
	refused_because MR-FILE-OPEN certain mr reg --memory "file:$BATS_TEST_TMPDIR" --json
	json '.failures[0] | .errno == "EISDIR" and (.causes[0].cause | endswith(" is a folder"))'
	refused_because MR-FILE-MMAP certain mr reg --memory device:/dev/null --json
	json '.failures[0].causes[0] | .evidence.path == "/dev/null" and (.remedy | contains("another device"))'
	layer_is_null
}

# bats test_tags=kernel
@test "files of /proc that cannot be mapped, by EIO and by ENODEV" {
	refused_because MR-FILE-MMAP likely mr reg --memory file-private:/proc/version --json
	json '.failures[0].errno == "EIO"'
	refused_because MR-FILE-MMAP certain mr reg --memory file-private:/proc/self/maps --json
	json '.failures[0].errno == "ENODEV"'
}

@test "a file that may not be as large" {
	session_begin
	refused_because MR-FILE-SIZE likely prlimit --fsize=4096 "${MS[@]}" reg --size 64K \
		--memory "file:$BATS_TEST_TMPDIR/file" --json
	json '.failures[0].errno == "EFBIG"'
}

# bats test_tags=kernel
@test "a dma-heap that there is not" {
	run --separate-stderr mr reg-dmabuf --from heap:nowhere --json
	[ "$status" -eq 1 ]
	json '.failures[0].causes[0] | .id == "MR-DMA-HEAP" and (.certainty == "certain" or .certainty == "likely")'
	layer_is_null
}

# bats test_tags=kernel
@test "a udmabuf beyond the limit of its module" {
	on_simulator && skip "needs the kernel's udmabuf"
	[ -e /dev/udmabuf ] || skip "no /dev/udmabuf"
	refused_because MR-UDMABUF-SIZE certain mr reg-dmabuf --from udmabuf --buffer 1G --json
	json '.failures[0].causes[0].evidence.limit < 1073741824'
}
