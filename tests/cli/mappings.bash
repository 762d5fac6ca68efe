# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash
# For tests of odd kinds of memory, after helpers: load mappings

load why

MOUNTED=() MOUNT=''
AT=0x200000000000 # where `mapped` maps

# mapped LIST: lets mr run with these mappings (preload/mappings.c)
mapped() {
	local so=$BUILD/mappings.so

	if on_simulator; then
		! is_sanitized || skip "the sanitizer wants to be loaded first"
		MR=("${SIM[@]}" bash -c "LD_PRELOAD=\"$so:\$LD_PRELOAD\" exec \"\$@\"" bash "${MS[@]: -1}")
	else
		MR=(env LD_PRELOAD="$so" "${MS[@]: -1}" -d "$MRCTL_TEST_DEVICE")
	fi
	unset LEAKS # the preload keeps mappings and descriptors
	export MAPPINGS=$1
	run --separate-stderr mr --version
	[ "$status" -ne 99 ] || skip "this kernel cannot map that: $stderr"
	succeeded
}

# mount_new TYPE [OPTIONS]: mounts a new file system of that type at MOUNT, with these options of mount(8)
mount_new() {
	local image=$BATS_TEST_TMPDIR/image what=test options=${2:-rw}

	MOUNT=$BATS_TEST_TMPDIR/mnt${#MOUNTED[@]}
	mkdir -p "$MOUNT"
	if [[ $1 != @(tmpfs|ramfs|hugetlbfs) ]]; then
		modprobe -a loop "$1"
		rm -f "$image"
		truncate -s 320M "$image"
		"mkfs.$1" -q "$image"
		what=$image options=loop
	fi
	mount -t "$1" -o "$options" "$what" "$MOUNT" 2>/dev/null || skip "this user cannot mount $1"
	MOUNTED+=("$MOUNT")
}

# mount_overlay: mounts an overlay in memory at MOUNT
mount_overlay() {
	local layers

	mount_new tmpfs
	layers=$MOUNT MOUNT=$MOUNT/over
	mkdir "$layers"/{low,up,work,over}
	mount -t overlay -o "lowerdir=$layers/low,upperdir=$layers/up,workdir=$layers/work" test "$MOUNT" ||
		skip "this user cannot mount an overlay"
	MOUNTED+=("$MOUNT")
}

# unmount_all: unmounts what these have mounted
unmount_all() {
	while [ ${#MOUNTED[@]} -gt 0 ]; do
		umount "${MOUNTED[-1]}" || return
		unset 'MOUNTED[-1]'
	done
}
