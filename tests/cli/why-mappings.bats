#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Why memory is not registered: what stands behind its addresses.

load helpers
load hosts
load mappings

teardown() {
	unmount_all || return
	tidy
}

# at SIZE ARG...: mr reg of what mapped has mapped
at() {
	mr reg --memory none --addr "$AT" --size "$1" --json "${@:2}"
}

# bats test_tags=release
@test "an address where nothing is mapped, or of the kernel" {
	refused_because MR-RANGE-UNMAPPED certain mr reg --memory unmapped --size 64K --json
	json '.failures[0] | .layer == "memory" and .causes[0].evidence.unmapped == 65536 and
		.causes[0].evidence.address == .request.addr'
	refused_because MR-RANGE-UNMAPPED certain mr reg --memory unmapped --offset 100 --size 8 --json
	# the last one is of the last page but one: a range with the last page wraps
	for addr in 0xffff888000000000 0xffffffffff600000 0xffffffffffffe000; do
		refused_because MR-RANGE-UNMAPPED certain mr reg --memory none --addr $addr --size 4K --json
		json ".failures[0].causes[0].cause | startswith(\"$addr is an address of the kernel\")"
	done
	refused_because MR-RANGE-UNMAPPED certain \
		mr reg --memory none --addr 0x1000000000000000 --size 4K --json
	json '.failures[0].causes[0].cause | startswith("nothing is mapped at 0x1000000000000000")'
}

@test "the range is longer than the mapping" {
	refused_because MR-RANGE-END certain mr reg --memory hole --size 64K --json
	json '.failures[0].causes[0].evidence.unmapped == 4096'
	refused_because MR-RANGE-END certain mr reg --memory hole --size 8K --access remote-read --json
}

# bats test_tags=release
@test "a hole between two mappings, as of a registration cache that merges neighbours" {
	mapped "$AT:4K:anon,0x200000003000:4K:anon"
	refused_because MR-RANGE-HOLE certain at 16K
	json '.failures[0].causes[0].evidence | .address == "0x200000001000" and .unmapped == 8192'
}

# bats test_tags=release
@test "the first obstacle is the cause, with any obstacle behind it" {
	mapped "$AT:4K:anon,0x200000001000:4K:read,0x200000003000:4K:none"
	refused_because MR-READ-ONLY certain at 16K
	json '[.failures[0].causes[].id] == ["MR-READ-ONLY"]'
	linux 6.2 || return 0
	refused_because MR-RANGE-HOLE certain at 16K --access remote-read
}

@test "memory that may only be read, and access that writes" {
	for access in local-write local-write,remote-atomic mw-bind; do
		refused_because MR-READ-ONLY certain mr reg --memory readonly --access $access --json
	done
	succeeded mr reg --memory readonly --access remote-read
	on_mlx5 || return 0 # librxe cannot change regions
	succeeded mr --json batch <<<$'reg --name a\nrereg a --memory readonly --expect EFAULT'
	json '.lines[1].failures[0].causes[0] | .id == "MR-READ-ONLY" and .certainty == "certain"'
}

# bats test_tags=release
@test "shared memory that may only be read: kernels before 6.2 refuse it to readers, too" {
	mapped "$AT:64K:shared"
	refused_because MR-READ-ONLY certain at 64K
	MR=(mrctl sim --kernel 6.1 -- "${MR[@]:${#SIM[@]}}")
	refused_because MR-READ-ONLY certain at 64K --access remote-read
}

# bats test_tags=release
@test "memory without access" {
	mapped "$AT:64K:anon,0x200000010000:64K:none"
	refused_because MR-PROT-NONE certain at 128K
	json '.failures[0].causes[0].evidence.address == "0x200000010000"'
	linux 6.2 || return 0
	refused_because MR-PROT-NONE certain at 128K --access remote-read
}

# bats test_tags=release
@test "secret memory" {
	mapped "$AT:64K:secret"
	refused_because MR-SECRET-MEMORY certain at 64K
	refused_because MR-SECRET-MEMORY certain at 4K --access remote-read
}

# bats test_tags=release
@test "memory whose faults userfaultfd refuses" {
	mapped "$AT:64K:anon,0x200000010000:64K:uffd"
	refused_because MR-USERFAULTFD likely at 128K
}

# bats test_tags=release
@test "memory that a protection key denies, to all access or to writing" {
	mapped "$AT:64K:anon,0x200000010000:64K:key"
	refused_because MR-PROTECTION-KEY likely at 128K
	json '.failures[0].causes[0].evidence.protection_key > 0'
	refused_because MR-PROTECTION-KEY likely at 128K --access remote-read
	succeeded at 64K
	mapped "$AT:64K:keyw"
	refused_because MR-PROTECTION-KEY likely at 64K
	succeeded at 64K --access remote-read
}

# pair LIST: maps 4 pages in turn of these kinds
pair() {
	local kind list='' at=$AT

	for kind; do
		list+=${list:+,}$(printf '0x%x' "$at"):4K:$kind
		at=$((at + 4096))
	done
	mapped "$list"
}

# bats test_tags=release,kernel
@test "pages that /proc/PID/maps does not show: obstacles behind them are not certain" {
	pair anon uffd anon read
	refused_because MR-USERFAULTFD likely at 16K
	json '.failures[0].causes | map(.id) == ["MR-USERFAULTFD", "MR-READ-ONLY"] and all(.certainty == "likely")'
	pair anon read uffd
	refused_because MR-READ-ONLY certain at 12K
	pair guard
	refused_because MR-GUARD-PAGE certain at 4K
	pair anon guard anon read
	refused_because MR-GUARD-PAGE certain at 16K
	json '.failures[0].causes[0].evidence.address == "0x200000001000"'
	pair anon read anon guard
	refused_because MR-READ-ONLY certain at 16K
}

# bats test_tags=release
@test "advice about a guard page of a region with hugetlb" {
	on_mlx5 || skip "rxe has no such regions"
	mapped "$AT:2M:anon,0x200000200000:2M:guard"
	refused_because MR-ADVICE-MEMORY certain at 4M --access local-write,on-demand,hugetlb --advise prefetch,flush
	json '.failures[0].causes[0].evidence.at == "0x200000200000"'
}

# bats test_tags=kernel
@test "a page that has failed" {
	on_simulator && skip "this machine's memory would lose a page"
	pair anon poison anon read
	refused_because MR-POISONED-PAGES likely at 16K
	pair anon read
	refused_because MR-READ-ONLY certain at 8K # although the machine has lost a page
	json '.failures[0].causes | map(.id) == ["MR-READ-ONLY"]'
}

@test "beyond the end of a file, private or shared" {
	file=$BATS_TEST_TMPDIR/short
	truncate -s 5000 "$file"
	refused_because MR-FILE-END certain mr reg --memory "file-private:$file" --size 64K --json
	json '.failures[0].causes[0].evidence | .file_size == 5000 and .file_offset == 8192'
	refused_because MR-FILE-END certain \
		mr reg --memory "file:$file" --size 64K --access remote-read --json
	succeeded mr reg --memory "file-private:$file" --size 8K
}

@test "shared files of this machine's disk" {
	certainty=likely file=$BATS_TEST_TMPDIR/file
	case $(stat -fc %T "$BATS_TEST_TMPDIR") in
	tmpfs) skip "the tests' folder is in memory" ;;
	overlayfs) skip "which file system is behind an overlay is not known" ;;
	ext2/ext3 | xfs | f2fs) certainty=certain ;;
	btrfs)
		# its files have a device of their own, which no disk has: without a mount it is not known what they are
		grep -qF " $(stat -c %Hd:%Ld "$BATS_TEST_TMPDIR") " /proc/self/mountinfo || skip "no mount is known"
		certainty=certain
		;;
	esac
	linux 6.5 || skip "older kernels pin them"
	truncate -s 64K "$file"
	touch -d 2020-01-01 "$file"
	refused_because MR-FILE-MAPPING $certainty mr reg --memory "file:$file" --size 64K --json
	[ "$(date -r "$file" +%Y)" = 2020 ] # nothing was written
	succeeded mr reg --memory "file:$file" --size 64K --access remote-read
	# as in a chroot whose root is no mount point
	in_namespace "mount --bind /dev/null /proc/\$\$/mountinfo && exec ${MR[*]} reg --memory file:$file --json"
	[[ $certainty == likely || $(stat -fc %T "$file") == btrfs ]] ||
		json '.failures[0].causes[0] | .id == "MR-FILE-MAPPING" and .certainty == "certain" and
			(.evidence.filesystem | IN("ext4", "xfs", "f2fs"))'
}

@test "a file in memory, whose file system is full" {
	mount_new tmpfs size=128K
	truncate -s 1M "$MOUNT/sparse"
	refused_because MR-FILESYSTEM-FULL likely mr reg --memory "file:$MOUNT/sparse" --size 1M --json
	json '.failures[0].causes[0].evidence | .free == 0 and .allocated < .file_size'
	succeeded mr reg --memory "file:$MOUNT/sparse" --size 64K
}

@test "errors without a reason have no certain cause" {
	never_certain reg_mr "EINVAL EOPNOTSUPP EFAULT" reg --size 64K
	rules_out MR-RANGE-HOLE MR-READ-ONLY
	never_certain reg_mr EFAULT reg --memory memfd --size 64K
	never_certain reg_mr EFAULT reg --memory readonly --access remote-read
	never_certain reg_mr EFAULT reg --memory unmapped --access local-write,on-demand
}
