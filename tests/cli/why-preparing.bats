#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Why memory or a dma-buf could not be made, so that the RDMA stack was not asked.

load helpers
load hosts
load why

# unprepared_because ID CERTAINTY COMMAND...: as refused_because, by no layer of the RDMA stack
unprepared_because() {
	refused_because "$@" || return
	json '.failures[0] | .layer == null and .via == null and .index == null'
}

# bats test_tags=release
@test "the limit of the address space, and that of data" {
	! is_sanitized || skip "the sanitizer takes more than such limits allow"
	unprepared_because MR-ADDRESS-SPACE certain prlimit --as=536870912 "${MR[@]}" reg --size 1G --json
	json '.failures[0].causes[0].cause | startswith("RLIMIT_AS is 536870912 bytes")'
	unprepared_because MR-ADDRESS-SPACE certain prlimit --data=104857600 "${MR[@]}" reg --size 1G --json
	json '.failures[0].causes[0] | (.cause | startswith("RLIMIT_DATA is 104857600 bytes")) and
		.evidence.asked == 1073741824'
}

@test "more than the machine's memory, without overcommit" {
	[ "$(</proc/sys/vm/overcommit_memory)" = 0 ] || skip "vm.overcommit_memory is not 0"
	unprepared_because MR-OVERCOMMIT certain mr reg --size 64T --json
}

@test "something is mapped at the address" {
	# where addresses are not random, each program's stack ends at the same one
	stack=$(setarch -R "${SIM[@]}" cat /proc/self/maps) || skip "addresses stay random"
	stack=$(sed -n 's/^[0-9a-f]*-\([0-9a-f]*\) .*\[stack\]$/0x\1/p' <<<"$stack")
	printf -v stack '0x%x' $((stack - 8192))
	unprepared_because MR-ADDRESS-TAKEN certain setarch -R "${MR[@]}" reg --addr "$stack" --size 8K --json
	json ".failures[0].causes[0].evidence.address == \"$stack\""
}

@test "an address that no process has, and a NUMA node and a size of huge pages that do not exist" {
	drop=()
	unprepared_because MR-ADDRESS-RANGE likely mr reg --addr 0x7fffffffe000 --size 64K --json
	unprepared_because MR-NUMA-NODE certain mr reg --numa 900 --json
	json '.failures[0].causes[0].evidence.node == 900'
	unprepared_because MR-HUGEPAGE-SIZE certain mr reg --memory hugetlb:128M --json
	[ "$(</proc/sys/vm/mmap_min_addr)" -ge 4096 ] || skip "vm.mmap_min_addr allows all"
	[ "$(id -u)" -ne 0 ] || drop=(setpriv --bounding-set=-sys_rawio)
	unprepared_because MR-ADDRESS-RANGE certain "${drop[@]}" "${MR[@]}" reg --addr 0 --json
}

@test "a program that runs, and a failure whose cause is not known" {
	program=$BATS_TEST_TMPDIR/timeout
	cp "$(command -v timeout)" "$program"
	unprepared_because MR-FILE-OPEN certain "$program" 600 "${MR[@]}" reg --memory "file:$program" --json
	exits 1 "${MR[@]}" reg --memory "file:$BATS_TEST_TMPDIR/$(printf 'x%.0s' {1..300})"
	[[ $stderr == *"open: ENAMETOOLONG"*"  because: not known" ]]
}

@test "too few huge pages" {
	pages=/sys/kernel/mm/hugepages/hugepages-2048kB
	[ -e $pages ] || skip "this kernel has no huge pages of 2M"
	[ "$(<$pages/nr_overcommit_hugepages)" = 0 ] || skip "huge pages may be overcommitted"
	unprepared_because MR-HUGEPAGES certain mr reg --memory hugetlb:2M --size 900G --json
	json '.failures[0].causes[0] | (.cause | test("huge pages? of 2048 KiB requested")) and
		(.remedy | contains("does not have that much memory"))'
}

# file_refused ID ERRNO PATH: the file of that path cannot be had, which ID explains as likely
file_refused() {
	unprepared_because "$1" likely mr reg --memory "file:$3" --json
	json ".failures[0].errno == \"$2\""
}

@test "a file that is missing, is a directory, or may not be opened" {
	file=$BATS_TEST_TMPDIR/none/file
	file_refused MR-FILE-OPEN ENOENT "$file"
	json '.failures[0].causes[0].evidence.path | endswith("/none/file")'
	file_refused MR-FILE-OPEN ENOTDIR /dev/null/file
	unprepared_because MR-FILE-OPEN likely mr reg --memory "device:$BATS_TEST_TMPDIR/none" --json
	unprepared_because MR-FILE-OPEN certain mr reg --memory "file:$BATS_TEST_TMPDIR" --json
	json '.failures[0] | .errno == "EISDIR" and (.causes[0].cause | endswith(" is a directory"))'
	in_namespace "mount -t tmpfs -o ro none $BATS_TEST_TMPDIR &&
		exec ${MR[*]} reg --memory file:$BATS_TEST_TMPDIR/file --json"
	json '.failures[0].causes[0] | .id == "MR-FILE-OPEN" and .certainty == "likely" and (.cause | test("read-only"))'
	require_nobody
	mkdir -m 0 "$BATS_TEST_TMPDIR/closed"
	refused_because MR-FILE-OPEN likely mr_as_nobody 64 reg --memory "file:$BATS_TEST_TMPDIR/closed/file" --json
	json '.failures[0] | .errno == "EACCES" and (.causes[0].cause | test("no permission to open"))'
}

@test "a file that cannot grow to the size, or has no room" {
	file=$BATS_TEST_TMPDIR/file
	session_begin
	unprepared_because MR-FILE-SIZE likely prlimit --fsize=4096 "${MS[@]}" reg --size 64K --memory "file:$file" --json
	json '.failures[0].errno == "EFBIG"'
	in_namespace "mount -t tmpfs -o size=8K none $BATS_TEST_TMPDIR &&
		exec ${MR[*]} session -- mrctl reg --memory file:$file --size 1M --json"
	json '.failures[0] | .errno == "ENOSPC" and .causes[0].id == "MR-FILE-SIZE"'
}

@test "a file that cannot be mapped" {
	unprepared_because MR-FILE-MMAP certain mr reg --memory device:/dev/null --json
	json '.failures[0].causes[0] | .evidence.path == "/dev/null" and (.remedy | contains("another device"))'
	unprepared_because MR-FILE-MMAP likely mr reg --memory file-private:/proc/version --json
	json '.failures[0].errno == "EIO"'
	unprepared_because MR-FILE-MMAP certain mr reg --memory file-private:/proc/self/maps --json
	json '.failures[0].errno == "ENODEV"'
}

@test "a missing dma-heap" {
	exits 1 mr reg-dmabuf --from heap:nowhere --json
	json '.failures[0] | .layer == null and (.causes[0] | .id == "MR-DMA-HEAP" and
		(.certainty == "certain" or .certainty == "likely"))'
}

# bats test_tags=kernel
@test "a udmabuf beyond the limit of its module" {
	need_kernel
	[ -e /dev/udmabuf ] || skip "no /dev/udmabuf"
	refused_because MR-UDMABUF-SIZE certain mr reg-dmabuf --from udmabuf --buffer 1G --json
	json '.failures[0].causes[0].evidence.limit < 1073741824'
}
