#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Why there is no device, or why it cannot be opened.  The machines of these tests are folders that look like /sys;
# real kernels are at the end, and in kernel-conditions.bats.

load helpers
load hosts
load why

setup() {
	note_less
	! on_simulator || copy_sysfs
}

# says TEXT...: the message of the last run has each TEXT, in this order, and does not call an existing device missing
says() {
	local pattern

	pattern="$(printf '*%s' "$@")*"
	pattern=${pattern//[/\\[}
	# shellcheck disable=SC2053 # a pattern
	[[ ${stderr//\*/} == $pattern ]] || fail "not $pattern:" "$stderr" || return
	[[ $stderr != *"has no RDMA device"* && $stderr != *modprobe\ mlx5* ]] || fail "$stderr"
}

# absent_because ID CERTAINTY TEXT...: no command finds the device, for this reason; its message has each TEXT
absent_because() {
	local command

	for command in reg "reg -d $(device)" "session --detach" "stat --probe" umem; do
		refused_because "$1" "$2" "${MR[@]}" $command --json || return
		[ "$status" -eq 3 ] || fail "$command: $status" "$stderr" || return
		says "${@:3}" "[$2, $1]" "try: " || return
		json '.failures[0] | .errno == "ENODEV" and .call == null'
	done
	exits 3 "${MR[@]}" session -- true
	says "[$2, $1]"
}

@test "no device has the name" {
	refused_because MR-DEVICE-NAME certain "${MR[@]}" -d other0 reg --json
	[ "$status" -eq 3 ]
	says "no RDMA device 'other0'" "devices: $(device) [certain, MR-DEVICE-NAME]"
	json '.failures[0] | .call == null and .layer == "libibverbs" and
		(.causes[0].evidence | .name == "other0" and .devices == "'"$(device)"'")'
}

@test "without any device, and without sysfs; --why none looks for no cause" {
	rm -r "${DEVICES:?}" "${NODES:?}"
	refused_because MR-DEVICE certain "${MR[@]}" reg --json
	[ "$status" -eq 3 ]
	[[ $stderr == *"this machine has no RDMA device"*"install an adapter"*"mrctl sim"* ]]
	run --separate-stderr "${MR[@]}" session --why none -- true
	[[ $status -eq 3 && $stderr != *because* ]] || fail "$stderr"
	rm -r "$SYS"
	absent "this machine has no RDMA device '$(device)'" "${MR[@]}" -d "$(device)" reg
	in_namespace "mount -t tmpfs none /sys && exec mrctl reg --json"
	suspects MR-DEVICE likely
}

# bats test_tags=slow
@test "sysfs shows the device, and its node is missing, or was not made, or ib_uverbs is not loaded" {
	mv "$NODES/$NODE" "$NODES/uverbs199"
	absent_because MR-NODE certain "the node of the RDMA device $(device) is missing: /dev/infiniband/uverbs199" \
		"but /dev/infiniband/uverbs199 does not exist"
	rm -r "${NODES:?}/uverbs199"
	absent_because MR-NODE certain "programs cannot open the RDMA device $(device): ib_uverbs has no node for the device"
	rm -r "${NODES:?}"
	absent_because MR-MODULES certain "programs cannot open the RDMA device $(device): ib_uverbs is not loaded"
	[[ $stderr == *"modprobe ib_uverbs"* ]]
}

# bats test_tags=slow
@test "the device is in another network namespace" {
	rm -r "${DEVICES:?}/$(device)"
	absent_because MR-NETNS likely "the RDMA device $(device) is in another network namespace"
	[[ $stderr == *"ip netns exec"*"rdma dev set $(device) netns"* ]]
	mkdir -p "$SYS/module/ib_core/parameters"
	echo N >"$SYS/module/ib_core/parameters/netns_mode"
	absent_because MR-NETNS certain "in another network namespace"
}

@test "libibverbs has no provider for the device" {
	mv "$DEVICES/$(device)" "$DEVICES/strange0"
	echo strange0 >"$NODES/$NODE/ibdev"
	echo "pci:v0000FFFFd0000FFFFsv00sd00bc02sc07i00" >"$DEVICES/strange0/device/modalias" || :
	refused_because MR-PROVIDER likely "${MR[@]}" reg --json
	[ "$status" -eq 3 ]
	says "libibverbs has no provider for the RDMA device strange0" \
		"the node /dev/infiniband/$NODE of strange0 exists" "[likely, MR-PROVIDER]" "ibverbs-providers"
}

@test "libibverbs does not know the ABI of ib_uverbs" {
	echo 7 >"$NODES/abi_version"
	refused_because MR-UVERBS-ABI certain "${MR[@]}" reg --json
	json '.failures[0].causes[0].evidence.abi_version == 7'
}

@test "the node is that of another device: both numbers are named" {
	number=$(<"$NODES/$NODE/dev")
	echo 231:7 >"$NODES/$NODE/dev"
	refused_because MR-NODE-NUMBER certain "${MR[@]}" reg --json
	json '.failures[0] | .errno == "ENOENT" and .causes[0].evidence.wanted == "231:7"'
	says "/dev/infiniband/$NODE has the number $number, but that of $(device) is 231:7" "[certain, MR-NODE-NUMBER]"
}

# bats test_tags=release
@test "the process can open no more files" {
	met=0
	! is_sanitized || skip "the sanitizer opens files itself"
	# limits from too few descriptors to load mrctl to enough for all: how many are open already differs
	for n in {4..9}; do
		status=0
		output=$("${SIM[@]}" prlimit --nofile="$n:$n" mrctl reg --json 2>"$BATS_TEST_TMPDIR/err" 3>&-) || status=$?
		stderr=$(<"$BATS_TEST_TMPDIR/err")
		[ "$status" -ne 127 ] || continue # the dynamic linker fails
		[ "$status" -eq 1 ] || break
		json '.failures[0] | .errno == "EMFILE" and .causes[0].id == "MR-DESCRIPTORS" and
			.causes[0].certainty == "certain"'
		says "EMFILE (Too many open files)" "can open no more files" "ulimit -n"
		met=$((met + 1))
	done
	[[ $met -gt 0 && $status -le 1 ]]
}

@test "the provider cannot import the device of a session" {
	! on_mlx5 || skip "libmlx5 can"
	session_begin
	refused_because MR-IMPORT certain ms reg --via library --json
}

# opens_not ERRNO TEXT...: the node refuses with ERRNO, for no certain cause; the message has it and each TEXT.
# libibverbs itself mostly fails with ENOENT, of /dev/char.
opens_not() {
	local call

	for call in ibv_open_device mlx5dv_open_device; do
		refused_for_no_certain_cause "${SIM[@]::${#SIM[@]}-1}" --fault "open=$1" -- env SYSFS_PATH="$SYS" \
			mrctl "$([ $call = ibv_open_device ] && echo reg || echo umem)" --json
		refused "$1" $call || return
		says "${@:2}" || return
		on_mlx5 || return 0
	done
}

# bats test_tags=slow
@test "a node that cannot be opened is reported with its errno" {
	at=/dev/infiniband/$NODE
	opens_not EACCES "ruled out: " MR-NODE-ACCESS
	opens_not ENXIO "$at answers ENXIO" "[possible, MR-NODE-NUMBER]"
	opens_not ENODEV "the driver of the device of $at is being unloaded" "[likely, MR-DEVICE-GONE]"
	opens_not EIO "the device of $at has no driver" "[likely, MR-DEVICE-GONE]"
	opens_not EMFILE "ruled out: MR-DESCRIPTORS"
	opens_not ENFILE "ruled out: MR-DESCRIPTORS"
	opens_not ENOENT "ruled out: MR-NODE"
	opens_not EPERM "$at answers EPERM" "[likely, MR-SANDBOX]"
	[[ $stderr != *namespace* ]]
	mkdir -p "$SYS/module/ib_core/parameters"
	echo Y >"$SYS/module/ib_core/parameters/netns_mode"
	opens_not EPERM "[likely, MR-SANDBOX]"
	[[ $stderr != *namespace* ]]
	echo N >"$SYS/module/ib_core/parameters/netns_mode"
	opens_not EPERM "$at answers EPERM" "[possible, MR-NETNS]" "[possible, MR-SANDBOX]"
	opens_not EAGAIN "because: not known"
}

# bats test_tags=slow
@test "an injected errno of the context has no certain cause" {
	for command in reg umem; do
		on_mlx5 || [ $command = reg ] || continue
		never_certain get_context "EACCES ENODEV EIO EMFILE ENOENT EPERM ENOMEM EINVAL EAGAIN" $command
	done
}

# ---- on a kernel

# bats test_tags=kernel
@test "a node on a file system with nodev, a private /dev without nodes, and one closed to the user" {
	guest_node
	refused_because MR-NODEV certain in_own_dev \
		"mount -t tmpfs -o nodev none /dev/infiniband; mknod -m 666 \$1 c $NODE_NUMBER" \
		"${MR[@]}" reg --json
	json '.failures[0].errno == "EACCES"'
	refused_because MR-SANDBOX certain in_own_dev "mount -t tmpfs none /dev; $NO_NODES" "${MR[@]}" reg --json
	[ "$status" -eq 3 ]
	refused_because MR-NODE certain in_own_dev "mount -t tmpfs none /dev/infiniband" "${MR[@]}" reg --json
	[ "$status" -eq 3 ]
	refused_because MR-NODE-ACCESS certain in_own_dev \
		"mount -t tmpfs none /dev/infiniband; mknod -m 660 \$1 c $NODE_NUMBER; chmod 755 /dev/infiniband" \
		"${NOBODY[@]}" "${MR[@]}" reg --json
	refused_because MR-NODE-ACCESS certain in_own_dev \
		"mount -t tmpfs -o mode=700 none /dev/infiniband; mknod -m 666 \$1 c $NODE_NUMBER" \
		"${NOBODY[@]}" "${MR[@]}" reg --json
}
