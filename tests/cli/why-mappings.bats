#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Why memory is not registered: what stands behind its addresses.

# shellcheck disable=SC2030,SC2031 # each test is a shell of its own
# shellcheck disable=SC2154 # of run

load helpers
load why
load mappings

MOUNT=''

teardown() {
	[ -z "$MOUNT" ] || umount "$MOUNT" || return
	tidy
}

# at SIZE ARG...: mr reg of what mapped has mapped
at() {
	mr reg --memory none --addr "$AT" --size "$1" --json "${@:2}"
}

# bats test_tags=kernel
@test "nothing is mapped there" {
	refused_because MR-RANGE-UNMAPPED certain mr reg --memory unmapped --size 64K --json
	json '.failures[0] | .layer == "memory" and .causes[0].evidence.unmapped == 65536 and
		.causes[0].evidence.address == .request.addr'
	refused_because MR-RANGE-UNMAPPED certain mr reg --memory unmapped --offset 100 --size 8 --json
}

@test "an address of the kernel" {
	local addr
	# the last one is of the last page but one: a range with the last page wraps
	for addr in 0xffff888000000000 0xffffffffff600000 0xffffffffffffe000; do
		refused_because MR-RANGE-UNMAPPED certain mr reg --memory none --addr $addr --size 4K --json
		json ".failures[0].causes[0].cause == \"$addr is an address of the kernel: no process has memory there\""
	done
	refused_because MR-RANGE-UNMAPPED certain \
		mr reg --memory none --addr 0x1000000000000000 --size 4K --json
	json '.failures[0].causes[0].cause | startswith("nothing is mapped at 0x1000000000000000")'
}

# bats test_tags=kernel
@test "the range is longer than the mapping" {
	refused_because MR-RANGE-END certain mr reg --memory hole --size 64K --json
	json '.failures[0].causes[0].evidence.unmapped == 4096'
	refused_because MR-RANGE-END certain mr reg --memory hole --size 8K --access remote-read --json
}

@test "a hole between two mappings, as of a registration cache that merges neighbours" {
	mapped "$AT:4K:anon,0x200000003000:4K:anon"
	refused_because MR-RANGE-HOLE certain at 16K
	json '.failures[0].causes[0].evidence | .address == "0x200000001000" and .unmapped == 8192'
}

@test "the first obstacle is the cause, whatever comes behind it" {
	mapped "$AT:4K:anon,0x200000001000:4K:read,0x200000003000:4K:none"
	refused_because MR-READ-ONLY certain at 16K
	json '[.failures[0].causes[].id] == ["MR-READ-ONLY"]'
	linux 6.2 || return 0
	refused_because MR-RANGE-HOLE certain at 16K --access remote-read
}

# bats test_tags=kernel
@test "memory that may only be read, and access that writes" {
	local access

	for access in local-write local-write,remote-atomic mw-bind; do
		refused_because MR-READ-ONLY certain mr reg --memory readonly --access $access --json
	done
	run --separate-stderr mr reg --memory readonly --access remote-read
	succeeded
}

@test "memory that may only be read, in a umem" {
	require_devx
	refused_because MR-READ-ONLY certain mr umem --memory readonly --access local-write --json
	refused_because MR-RANGE-END certain mr umem --memory hole --size 64K --access none --json
}

@test "memory that may only be read, in a region that is changed" {
	on_mlx5 || skip "librxe cannot change regions"
	run --separate-stderr mr --json batch <<<$'reg --name a\nrereg a --memory readonly --expect EFAULT'
	succeeded
	json '.lines[1].failures[0].causes[0] | .id == "MR-READ-ONLY" and .certainty == "certain"'
}

@test "shared memory that may only be read: kernels before 6.2 refuse it to readers, too" {
	mapped "$AT:64K:shared"
	refused_because MR-READ-ONLY certain at 64K
	if [ -z "${MRCTL_TEST_KERNEL:-}" ]; then
		MR=("${SIM[@]::${#SIM[@]}-1}" --kernel 6.1 -- "${MR[@]:${#SIM[@]}}")
	elif linux 6.2; then
		return 0
	fi
	refused_because MR-READ-ONLY certain at 64K --access remote-read
}

@test "memory without access" {
	mapped "$AT:64K:anon,0x200000010000:64K:none"
	refused_because MR-PROT-NONE certain at 128K
	json '.failures[0].causes[0].evidence.address == "0x200000010000"'
	linux 6.2 || return 0
	refused_because MR-PROT-NONE certain at 128K --access remote-read
}

@test "secret memory" {
	mapped "$AT:64K:secret"
	refused_because MR-SECRET-MEMORY certain at 64K
	refused_because MR-SECRET-MEMORY certain at 4K --access remote-read
}

@test "memory whose faults userfaultfd refuses" {
	mapped "$AT:64K:anon,0x200000010000:64K:uffd"
	refused_because MR-USERFAULTFD likely at 128K
}

# bats test_tags=kernel
@test "beyond the end of a file, private or shared" {
	local file=$BATS_TEST_TMPDIR/short

	truncate -s 5000 "$file"
	refused_because MR-FILE-END certain mr reg --memory "file-private:$file" --size 64K --json
	json '.failures[0].causes[0].evidence | .file_size == 5000 and .file_offset == 8192'
	refused_because MR-FILE-END certain \
		mr reg --memory "file:$file" --size 64K --access remote-read --json
	run --separate-stderr mr reg --memory "file-private:$file" --size 8K
	succeeded
}

# mount_new TYPE [OPTION...]: mounts a new file system at MOUNT
mount_new() {
	local dir=$BATS_TEST_TMPDIR/mnt image=$BATS_TEST_TMPDIR/image

	mkdir "$dir"
	if [[ $1 != @(tmpfs|ramfs) ]]; then
		modprobe -a loop "$1"
		truncate -s 320M "$image"
		"mkfs.$1" -q "$image"
	fi
	mount -t "$1" -o "${2:-loop}" "$([ -e "$image" ] && echo "$image" || echo test)" "$dir" 2>/dev/null ||
		skip "this user cannot mount $1"
	MOUNT=$dir
}

# bats test_tags=kernel
@test "shared files of ext4 and xfs" {
	local type

	! on_simulator || skip "its files are on file systems of this machine"
	for type in ext4 xfs; do
		mount_new $type
		if linux 6.5; then
			refused_because MR-FILE-MAPPING certain \
				mr reg --memory "file:$MOUNT/file" --size 64K --json
			json ".failures[0].causes[0].evidence.filesystem == \"$type\""
		else
			run --separate-stderr mr reg --memory "file:$MOUNT/file" --size 64K
			succeeded
		fi
		umount "$MOUNT"
		MOUNT=''
		rm -r "${BATS_TEST_TMPDIR:?}"/{mnt,image}
	done
}

# bats test_tags=kernel
@test "shared files of ramfs, and of an overlay in memory" {
	local layers

	mount_new ramfs rw
	if linux 6.5; then
		refused_because MR-FILE-MAPPING certain mr reg --memory "file:$MOUNT/file" --size 64K --json
		json '.failures[0].causes[0].evidence.filesystem == "ramfs"'
	else
		run --separate-stderr mr reg --memory "file:$MOUNT/file" --size 64K
		succeeded
	fi
	umount "$MOUNT"
	rmdir "$MOUNT"
	mount_new tmpfs rw
	layers=$MOUNT
	mkdir "$layers"/{low,up,work,over}
	mount -t overlay -o "lowerdir=$layers/low,upperdir=$layers/up,workdir=$layers/work" test "$layers/over"
	run --separate-stderr mr reg --memory "file:$layers/over/file" --size 64K
	umount "$layers/over"
	succeeded
}

@test "shared files of this machine's disk" {
	local certainty=likely type

	type=$(stat -fc %T "$BATS_TEST_TMPDIR")
	case $type in
	tmpfs) skip "the tests' folder is in memory" ;;
	ext2/ext3 | xfs | btrfs | ramfs) certainty=certain ;;
	overlayfs) skip "which file system is behind an overlay is not known" ;;
	esac
	linux 6.5 || skip "older kernels pin them"
	refused_because MR-FILE-MAPPING $certainty \
		mr reg --memory "file:$BATS_TEST_TMPDIR/file" --size 64K --json
	run --separate-stderr mr reg --memory "file:$BATS_TEST_TMPDIR/file" --size 64K --access remote-read
	succeeded
}

# bats test_tags=kernel
@test "a file in memory, whose file system is full" {
	mount_new tmpfs size=128K
	truncate -s 1M "$MOUNT/sparse"
	refused_because MR-FILESYSTEM-FULL likely mr reg --memory "file:$MOUNT/sparse" --size 1M --json
	json '.failures[0].causes[0].evidence | .free == 0 and .allocated < .file_size'
	run --separate-stderr mr reg --memory "file:$MOUNT/sparse" --size 64K
	succeeded
}

# bats test_tags=kernel
@test "memory of a PCI device" {
	local device access

	! on_simulator || skip "needs a device that nobody uses"
	for device in /sys/bus/pci/devices/*; do # a device without a driver: others cannot be mapped
		[ "$(<"$device/vendor")$(<"$device/device")" != 0x12340x11e8 ] || break
	done
	echo 1 >"$device/enable"
	for access in local-write remote-read; do
		refused_because MR-PFN-MAPPING certain mr reg --json \
			--memory "device:$device/resource0" --size 4K --access $access
	done
}

@test "errors without a reason have no certain cause" {
	on_simulator || skip "needs the simulator"
	refused_for_no_certain_cause faulty reg_mr=EFAULT reg --size 64K --json
	json '[.failures[0].ruled_out[].id] | contains(["MR-RANGE-HOLE", "MR-READ-ONLY"])'
	refused_for_no_certain_cause faulty reg_mr=EFAULT reg --memory memfd --size 64K --json
	refused_for_no_certain_cause faulty reg_mr=EINVAL reg --size 64K --json
	refused_for_no_certain_cause faulty reg_mr=EOPNOTSUPP reg --size 64K --json
	refused_for_no_certain_cause faulty reg_mr=EFAULT reg --memory readonly --access remote-read --json
	refused_for_no_certain_cause faulty reg_mr=EFAULT reg --memory unmapped --access local-write,on-demand --json
}
