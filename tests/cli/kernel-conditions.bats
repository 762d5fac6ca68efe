#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Conditions under which a registration is refused, provoked on a real kernel, and the causes that mrctl names.  The
# answers are kept in tests/kernel/observed.md.

load helpers
load mappings

setup() {
	need_kernel
	HCA=/sys/class/infiniband/mlx5_0/device
}

teardown() {
	local at

	[ -n "${HCA:-}" ] || return 0
	hca-probe --fail none || :
	for at in /dev/infiniband/*.moved; do
		[ ! -e "$at" ] || mv "$at" "${at%.moved}"
	done
	rm -rf /dev/char /dev/infiniband/by-*
	remove_cgroup
	[ -z "${UNLOADED:-}" ] || modprobe "$UNLOADED"
	[ -z "${MAX_MAPS:-}" ] || echo "$MAX_MAPS" >/proc/sys/vm/max_map_count
	if [ -n "${NETNS:-}" ]; then
		ip netns del "$NETNS"
		until rdma system set netns shared; do sleep 0.1; done # it is busy until the namespace has gone
	fi
	unmount_all || :
	chmod 666 /dev/infiniband/uverbs*
	tidy
}

# answered CONDITION ANSWER [TEXT...]: checks and notes the answer of the last run: "ok", "CALL ERRNO" or "killed".  Its
# message has each TEXT, such as "[certain, MR-MEMLOCK]".
answered() {
	local answer="exit status $status" call='([a-z_0-9]+): (E[A-Z0-9]+) \(' text

	if [ "$status" -eq 0 ]; then
		answer=ok
	elif [ "$status" -eq 137 ]; then
		answer=killed
	elif [[ $stderr =~ $call ]]; then
		answer="${BASH_REMATCH[1]} ${BASH_REMATCH[2]}"
	fi
	observed "$1" "$answer"
	[ "$answer" = "$2" ] || fail "$1: $answer instead of $2" "$stderr" || return
	for text in "${@:3}"; do
		[[ $stderr == *"$text"* ]] || fail "$1: no '$text' in the message: $stderr" || return
	done
}

# answers CONDITION ANSWER ARG...: run mrctl with ARGs, and check and note its answer.  ANSWER may end in a cause:
# "ibv_reg_mr EINVAL [certain, MR-LENGTH-ZERO]"
answers() {
	local cause=''

	[[ $2 != *\[* ]] || cause="[${2#*\[}"
	run --separate-stderr mr "${@:3}"
	answered "$1" "${2%% \[*}" "$cause"
}

# bats test_tags=kernel
@test "zero-based, huge pages and flushes are answered by a device without them" {
	unsupported=ok global="ibv_reg_mr EINVAL" persistent="ibv_reg_mr EINVAL"
	if [ "$MRCTL_TEST_DEVICE" = rxe0 ]; then
		linux 6.4 && unsupported="ibv_reg_mr EOPNOTSUPP"
		linux 6.2 && global=ok
	elif linux 6.2; then
		global="ibv_reg_mr EOPNOTSUPP" persistent="ibv_reg_mr EOPNOTSUPP"
	fi
	answers "zero-based" "$unsupported" reg --access local-write,zero-based
	answers "hugetlb flag on ordinary pages" "$unsupported" reg --access local-write,hugetlb
	answers "flush-global" "$global" reg --access local-write,flush-global
	answers "flush-persistent" "$persistent" reg --access local-write,flush-persistent
}

# bats test_tags=kernel,release
@test "impossible addresses and lengths, and an IOVA range that exceeds 64 bits" {
	wanted=ok
	answers "length 0" "ibv_reg_mr EINVAL [certain, MR-LENGTH-ZERO]" reg --size 0
	answers "range wraps" "ibv_reg_mr EINVAL [certain, MR-RANGE-WRAPS]" \
		reg --memory unmapped --addr 0xfffffffffffff000 --size 64K
	answers "iova with another page offset" "ibv_reg_mr_iova EINVAL [certain, MR-IOVA-OFFSET]" \
		reg-iova --iova 0x10010
	answers "iova with the same page offset" ok reg-iova --iova 0x10010 --offset 0x10
	answers "nothing mapped" "ibv_reg_mr EFAULT [certain, MR-RANGE-UNMAPPED]" reg --memory unmapped
	answers "a hole at the end" "ibv_reg_mr EFAULT [certain, MR-RANGE-END]" reg --memory hole --size 64K
	answers "read-only, local-write" "ibv_reg_mr EFAULT [certain, MR-READ-ONLY]" reg --memory readonly
	answers "read-only, remote-read" ok reg --memory readonly --access remote-read
	answers "more than the machine has" "mmap ENOMEM" reg --size 16G

	# mlx5 of 7.2 refuses it with a warning of the kernel.  Older ones mostly accept it: alloc_cacheable_mr()
	# now and then finds no page size for the pages that the memory happens to have.
	if [ "$MRCTL_TEST_DEVICE" = mlx5_0 ]; then
		echo "mrctl-test: expect alloc_cacheable_mr" >/dev/kmsg
		! linux 7 || wanted="ibv_reg_mr_iova EINVAL"
	fi
	run --separate-stderr mr reg-iova --iova 0xfffffffffffff000 --size 64K
	if [ "$MRCTL_TEST_DEVICE" = mlx5_0 ] && ! linux 7 && [ "$status" -ne 0 ]; then
		refused EINVAL ibv_reg_mr_iova
		observed "iova wraps" ok
	else
		answered "iova wraps" "$wanted"
	fi
}

# bats test_tags=kernel
@test "RLIMIT_MEMLOCK of an unprivileged user" {
	run --separate-stderr mr_as_nobody 0 reg
	answered "RLIMIT_MEMLOCK 0, unprivileged" "ibv_reg_mr EPERM" "[certain, MR-MEMLOCK-ZERO]"
	run --separate-stderr mr_as_nobody 64 reg --size 64K
	answered "RLIMIT_MEMLOCK 64K, 64K" ok
	run --separate-stderr mr_as_nobody 64 reg --size 68K
	answered "RLIMIT_MEMLOCK 64K, 68K" "ibv_reg_mr ENOMEM" "[certain, MR-MEMLOCK]"
	run --separate-stderr prlimit --memlock=0 "${MR[@]}" reg
	answered "RLIMIT_MEMLOCK 0, root" ok
	unshare -r true 2>/dev/null || skip "no user namespaces here"
	refused_because MR-MEMLOCK certain \
		prlimit --memlock=65536:65536 unshare -r "${MR[@]}" reg --size 1M --json
	suspects MR-USERNS likely
}

# bats test_tags=kernel
@test "a node that is closed to the user, that is missing, and that has another number" {
	chmod 600 /dev/infiniband/uverbs*
	run --separate-stderr mr_as_nobody 64 reg
	# libibverbs then looks for the node elsewhere, and reports the ENOENT from there.
	answered "no permission on the node" "ibv_open_device EACCES" "permission on /dev/infiniband/uverbs" \
		" is needed: it has mode 0600, user 0 and " "[certain, MR-NODE-ACCESS]"

	for at in /sys/class/infiniband_verbs/*/ibdev; do
		[ "$(<"$at")" != "$MRCTL_TEST_DEVICE" ] || name=$(basename "$(dirname "$at")")
	done
	number=$(<"/sys/class/infiniband_verbs/$name/dev")
	at=/dev/infiniband/$name
	mv "$at" "$at.moved"
	run --separate-stderr mr reg
	answered "node missing" "exit status 3" "the node of the RDMA device $MRCTL_TEST_DEVICE is missing: $at" \
		"[certain, MR-NODE]"
	mknod "$at" c 1 3
	run --separate-stderr mr reg
	answered "node of another number" "ibv_open_device ENOENT" "[certain, MR-NODE-NUMBER]" \
		"$at has the number 1:3, but that of $MRCTL_TEST_DEVICE is $number"
	rm "$at"
	mknod "$at" c "${number%:*}" 1000	# a number of no driver
	run --separate-stderr mr reg
	answered "node without a device" "ibv_open_device ENXIO" "[certain, MR-NODE-NUMBER]"
}

# libibverbs waits 5 s for udev's link to lead to the node: both devices are opened at once.
# bats test_tags=kernel
@test "with udevd, a file in place of a node, and the node of another device: mknod mends both" {
	udevd=/usr/lib/systemd/systemd-udevd
	declare -A node

	need_hca
	[ -x $udevd ] || skip "this guest has no udevd"
	$udevd --daemon 3>&-
	udevadm trigger --settle --subsystem-match=infiniband_verbs
	udevadm control --exit
	for at in /sys/class/infiniband_verbs/*/ibdev; do
		node[$(<"$at")]=$(realpath "/dev/char/$(<"${at%/*}/dev")")
	done
	mv "${node[mlx5_0]}"{,.moved}
	mv "${node[rxe0]}"{,.moved}
	: >"${node[mlx5_0]}"
	cp -a "${node[mlx5_0]}.moved" "${node[rxe0]}"
	for device in mlx5_0 rxe0; do
		mrctl -d $device reg >"$BATS_TEST_TMPDIR/$device" 2>&1 3>&- &
	done
	wait
	for device in mlx5_0 rxe0; do
		text=$(<"$BATS_TEST_TMPDIR/$device")
		[[ $text == *"ibv_open_device: EIO "*"[certain, MR-NODE-NUMBER]"*"try: rm /dev/"* ]] || fail "$text"
		text=${text#*try: }
		eval "${text%%; or*}"
		mrctl -d $device reg --quiet
	done
}

# Kernels from 5.12 on copy pinned pages when a process forks, and newer libibverbs asks them for that.  The one of
# rdma-core 44 still calls madvise(), which splits mappings: there can be too many of them, and it fails inside a
# huge page.
# bats test_tags=kernel
@test "fork protection, with vm.max_map_count used up and on huge pages" {
	many=ok huge=ok
	if [ "$(rdma_core)" -eq 44 ]; then
		many="ibv_reg_mr EAGAIN [likely, MR-MAP-COUNT]" huge="ibv_reg_mr EINVAL [certain, MR-FORK-HUGEPAGES]"
	fi
	MAX_MAPS=$(</proc/sys/vm/max_map_count)
	echo 200 >/proc/sys/vm/max_map_count
	export IBV_FORK_SAFE=1
	answers "IBV_FORK_SAFE, vm.max_map_count 200, 400 regions" "$many" \
		reg --count 400 --size 4K --stride 8K
	answers "IBV_FORK_SAFE, 64K of hugetlb:2M" "$huge" reg --memory hugetlb:2M --size 64K
	export RDMAV_HUGEPAGES_SAFE=1
	answers "IBV_FORK_SAFE, RDMAV_HUGEPAGES_SAFE, 64K of hugetlb:2M" ok \
		reg --memory hugetlb:2M --size 64K
}

# bats test_tags=kernel
@test "no driver loaded for the device" {
	need_hca # rxe0 would have to be made again
	UNLOADED=mlx5_ib
	modprobe -r $UNLOADED
	run --separate-stderr mr reg
	answered "driver not loaded" "exit status 3" "no RDMA device 'mlx5_0'" \
		"an adapter has no driver [likely, MR-MODULES]" "modprobe $UNLOADED," "rxe0 [likely, MR-DEVICE-NAME]"
	modprobe $UNLOADED # as the remedy says
	UNLOADED=''
	timeout 60 bash -c 'until "$@" reg --quiet 2>/dev/null; do sleep 0.1; done' bash "${MR[@]}" ||
		fail "the device does not come back"
}

# bats test_tags=kernel
@test "a network namespace without the device" {
	elsewhere="the RDMA device $MRCTL_TEST_DEVICE is in another network namespace"
	rdma system set netns exclusive
	NETNS=mrctl-test
	ip netns add $NETNS
	run --separate-stderr ip netns exec $NETNS "${MR[@]}" reg
	answered "another network namespace, exclusive" "exit status 3" "$elsewhere" "[certain, MR-NETNS]"
	# in the new namespace, but with the /sys of the old one
	run --separate-stderr nsenter --net="/run/netns/$NETNS" "${MR[@]}" reg
	answered "another network namespace, exclusive, its /sys elsewhere" "exit status 3" "$elsewhere" "[likely, MR-NETNS]"
	answers "its own network namespace, exclusive" ok reg
	# only devices whose contexts can be taken away move (core/device.c rdma_dev_change_netns(): disassociate_ucontext)
	[[ $MRCTL_TEST_DEVICE != rxe* ]] || return 0
	session_begin
	rdma dev set "$MRCTL_TEST_DEVICE" netns $NETNS
	refused_because MR-DEVICE-GONE likely ms reg --json
	# an older rdma(8) finds a namespace by its name alone
	ip netns attach $NETNS-own $$
	ip netns exec $NETNS rdma dev set "$MRCTL_TEST_DEVICE" netns $NETNS-own
	ip netns delete $NETNS-own
	session_end
}

# bats test_tags=kernel
@test "an rdma control group whose objects are used up: the check, the answer and the cause" {
	used=0 id=MR-CGROUP-RDMA
	make_cgroup rdma
	# verdict_is VERDICT: that of the check in the control group
	verdict_is() {
		[ "$(within mrctl -n -o verdict stat --host --only $id)" = "$1" ] || fail "with $used objects: not $1"
	}
	verdict_is ok
	run --separate-stderr within "${MR[@]}" reg
	answered "rdma.max unset" ok
	echo "$MRCTL_TEST_DEVICE hca_handle=0" >"$CGROUP/rdma.max"
	run --separate-stderr within "${MR[@]}" reg
	answered "rdma.max hca_handle=0" "ibv_open_device EAGAIN" "[certain, $id]"
	verdict_is bad
	echo "$MRCTL_TEST_DEVICE hca_handle=max" >"$CGROUP/rdma.max"
	echo "$MRCTL_TEST_DEVICE hca_object=0" >"$CGROUP/rdma.max"
	run --separate-stderr within "${MR[@]}" reg
	answered "rdma.max hca_object=0" "ibv_alloc_pd EAGAIN"
	until [ "$status" -eq 0 ] || [ $((++used)) -gt 9 ]; do # drivers need different numbers of objects
		verdict_is bad
		# what was given back at once is not in use any more, so it may not be certain
		[[ $stderr == *"[certain, $id]"* || $stderr == *"[likely, $id]"* ]] || fail "$stderr"
		echo "$MRCTL_TEST_DEVICE hca_object=$used" >"$CGROUP/rdma.max"
		run --separate-stderr within "${MR[@]}" reg --json
	done
	verdict_is ok
	echo "$MRCTL_TEST_DEVICE hca_object=$((used - 1))" >"$CGROUP/rdma.max"
	run --separate-stderr within "${MR[@]}" reg --json
	answered "rdma.max one hca_object short" "ibv_reg_mr EAGAIN"
	json ".failures[0].causes[0] | .id == \"$id\" and .evidence.resource == \"hca_object\" and
		.evidence.group == \"/mrctl-test\""
	refused_because $id certain within unshare -m sh -c 'umount /sys/fs/cgroup && exec "$@"' sh \
		"${MR[@]}" reg --why prove --json
	run --separate-stderr within "${SIM[@]}" mrctl trace --reproduce "$BATS_TEST_TMPDIR/batch" -- "${MR[@]}" reg
	grep -qx "# it needs a control group with this limit in rdma.max: $MRCTL_TEST_DEVICE hca_object=$((used - 1))" \
		"$BATS_TEST_TMPDIR/batch" || fail "$(cat "$BATS_TEST_TMPDIR/batch")"
}

# bats test_tags=kernel
@test "a memory control group at its limit: the kernel kills mrctl, and goes on" {
	echo "mrctl-test: expect invoked oom-killer" >/dev/kmsg
	make_cgroup memory
	echo 8M >"$CGROUP/memory.max"
	for option in '' --populate; do
		run --separate-stderr within "${MR[@]}" reg --size 32M $option
		answered "memory.max 8M, 32M${option:+, $option}" killed
	done
	answers "memory.max 8M, from outside" ok reg
	[ "$(rdma resource show mr | grep -c "dev $MRCTL_TEST_DEVICE .* comm mrctl")" -eq 0 ]
}

# bats test_tags=kernel
@test "huge pages, enough and too few" {
	answers "hugetlb:2M, 2 pages free" ok reg --memory hugetlb:2M --size 4M
	answers "hugetlb:2M, too few pages" "mmap ENOMEM [certain, MR-HUGEPAGES]" reg --memory hugetlb:2M --size 64M
}

# bats test_tags=kernel
@test "a control group without huge pages" {
	make_cgroup hugetlb
	echo 0 >"$CGROUP/hugetlb.2MB.max"
	refused_because MR-CGROUP-HUGETLB certain within "${MR[@]}" reg --memory hugetlb:2M --size 2M --json
	json '.failures[0].causes[0] | .evidence.limit == 0 and (.remedy | contains("hugetlb.2MB.max"))'
}

# file_answers FILESYSTEM ANSWER: checks files there; ANSWER is that to shared, writable pages
file_answers() {
	local file=$MOUNT/file

	answers "shared file of $1, local-write" "$2" reg --memory "file:$file" --size 64K
	answers "shared file of $1, remote-read" ok \
		reg --memory "file:$file" --size 64K --access remote-read
	answers "private file of $1, local-write" ok reg --memory "file-private:$file" --size 64K
	truncate -s 5000 "$file"
	answers "beyond the end of a file of $1" "ibv_reg_mr EFAULT [certain, MR-FILE-END]" \
		reg --memory "file:$file" --size 64K --access remote-read
}

# bats test_tags=kernel
@test "shared files of file systems on disks and in memory" {
	disk=ok
	! linux 6.5 || disk="ibv_reg_mr EFAULT [certain, MR-FILE-MAPPING]"
	for type in ext4 xfs tmpfs ramfs; do
		mount_new $type "$([ $type = tmpfs ] && echo size=128K)"
		file_answers $type "$([ $type = tmpfs ] && echo ok || echo "$disk")"
		if [ $type = tmpfs ]; then
			rm "$MOUNT/file"
			truncate -s 1M "$MOUNT/sparse"
			answers "file of tmpfs, no space left" "ibv_reg_mr EFAULT [likely, MR-FILESYSTEM-FULL]" \
				reg --memory "file:$MOUNT/sparse" --size 1M
		fi
		unmount_all
	done
	mount_overlay
	file_answers "an overlay on tmpfs" ok
}

# bats test_tags=kernel,release
@test "memory of a PCI device" {
	for device in /sys/bus/pci/devices/*; do # a device without a driver: others cannot be mapped
		[ "$(<"$device/vendor")$(<"$device/device")" != 0x12340x11e8 ] || break
	done
	echo 1 >"$device/enable"
	file=$device/resource0
	answers "memory of a PCI device" "ibv_reg_mr EFAULT [certain, MR-PFN-MAPPING]" \
		reg --memory "device:$file" --size 4K
	answers "memory of a PCI device, remote-read" "ibv_reg_mr EFAULT [certain, MR-PFN-MAPPING]" \
		reg --memory "device:$file" --size 4K --access remote-read
	answers "memory of a PCI device that its driver has" "mmap EINVAL" \
		reg --memory "device:$HCA/resource0" --size 4K
}

# bats test_tags=kernel
@test "the firmware's errors become errnos" {
	need_hca
	# More pages than the driver's pools have keys for; on demand, so that no memory is needed
	while read -r status_of errno text; do
		hca-probe --fail "CREATE_MKEY=$status_of"
		dmesg --clear
		answers "firmware: CREATE_MKEY=$status_of" "ibv_reg_mr $errno" \
			reg --size 520M --access local-write,on-demand
		hca-probe --fail none
		dmesg | grep -q "CREATE_MKEY(0x200).* failed, status $text(0x" ||
			fail "the kernel's log: $(dmesg)" || return
		observed "firmware: CREATE_MKEY=$status_of, in the kernel's log" "$text"
	done <<-EOF
		LIM_ERR ENOMEM limits exceeded
		NO_RES EAGAIN no resources
		RES_BUSY EBUSY resource busy
		INT_ERR EIO internal error
		BAD_PARAM EINVAL bad parameter
	EOF
	answers "firmware: no errors" ok reg --size 520M --access local-write,on-demand
	hca-probe --fail ALLOC_PD=LIM_ERR
	answers "firmware: ALLOC_PD=LIM_ERR" "ibv_alloc_pd ENOMEM" reg
}
