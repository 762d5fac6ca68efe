#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Why there is no device, or why it cannot be opened: on machines that are made up of folders, with what
# a kernel shows of its devices in /sys.  Real kernels: kernel-conditions.bats.

load helpers

setup() {
	note_less
	on_simulator || skip "needs the simulator"
	SYS=$BATS_TEST_TMPDIR/sys
	cp -r "$("${SIM[@]}" sh -c 'echo "$SYSFS_PATH"')" "$SYS"
	DEVICES=$SYS/class/infiniband NODES=$SYS/class/infiniband_verbs
	NODE=$(cd "$NODES" && echo uverbs*)
	MR=("${SIM[@]}" env SYSFS_PATH="$SYS" mrctl)
}

# says TEXT...: the last run did, in this order, and of a device that is there not that it is not
says() {
	local pattern

	pattern="$(printf '*%s' "$@")*"

	# shellcheck disable=SC2053 # a pattern
	[[ ${stderr//\*/} == $pattern ]] || fail "not $pattern:" "$stderr" || return
	[[ $stderr != *"has no RDMA device"* && $stderr != *modprobe\ mlx5* ]] || fail "$stderr"
}

# absent_as TEXT...: no command finds the device, and says why
absent_as() {
	local command

	for command in reg "reg -d $(device)" "session -- true" umem; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr "${MR[@]}" $command
		[ "$status" -eq 3 ] || fail "$command: $status" "$stderr" || return
		says "$@" || return
	done
	run --separate-stderr "${MR[@]}" reg --json
	json '.failures[0] | .errno == "ENODEV" and .call == null'
}

@test "a device whose node is missing is there, and a container is told how to get the node" {
	mv "$NODES/$NODE" "$NODES/uverbs199"
	absent_as "the node of the RDMA device $(device) is missing: /dev/infiniband/uverbs199" \
		"docker run --device=/dev/infiniband/uverbs199"
	run --separate-stderr "${MR[@]}" -d other0 reg
	[ "$status" -eq 3 ]
	says "no RDMA device 'other0'" "there is: $(device)"
}

@test "a device in another network namespace is there, and not here" {
	rm -r "${DEVICES:?}/$(device)"
	absent_as "the RDMA device $(device) is in another network namespace" "ip netns exec" \
		"rdma dev set $(device) netns"
}

@test "a device without ib_uverbs, or without a node of it, is there" {
	rm -r "${NODES:?}/$NODE"
	absent_as "programs cannot open the RDMA device $(device): ib_uverbs has no node for it"
	rm -r "$NODES"
	absent_as "programs cannot open the RDMA device $(device): ib_uverbs is not loaded" "modprobe ib_uverbs"
}

@test "a device without provider is there" {
	mv "$DEVICES/$(device)" "$DEVICES/strange0"
	echo strange0 >"$NODES/$NODE/ibdev"
	echo "pci:v0000FFFFd0000FFFFsv00sd00bc02sc07i00" >"$DEVICES/strange0/device/modalias" || :
	run --separate-stderr "${MR[@]}" reg
	[ "$status" -eq 3 ]
	says "libibverbs has no provider for the RDMA device strange0" "its node /dev/infiniband/$NODE is there" \
		"ibverbs-providers"
}

@test "without device and driver there is none, and sysfs need not be there" {
	rm -r "$NODES" "$DEVICES"
	run --separate-stderr "${MR[@]}" reg
	[ "$status" -eq 3 ]
	[[ $stderr == *"this machine has no RDMA device"*"modprobe mlx5_ib"*"mrctl sim"* ]]
	rm -r "$SYS"
	run --separate-stderr "${MR[@]}" -d "$(device)" reg
	[ "$status" -eq 3 ]
	[[ $stderr == *"this machine has no RDMA device '$(device)'"* ]]
}

@test "where descriptors run out nothing is said of devices" {
	local n met=0

	! is_sanitized || skip "the sanitizer opens files itself"
	# what is open already differs: from too few to load mrctl to enough for it all
	for n in {4..9}; do
		status=0
		output=$("${SIM[@]}" prlimit --nofile="$n:$n" mrctl reg --json 2>"$BATS_TEST_TMPDIR/err" 3>&-) ||
			status=$?
		stderr=$(<"$BATS_TEST_TMPDIR/err")
		case $status in
		0) break ;;
		127) continue ;; # the dynamic linker's
		esac
		[ "$status" -eq 1 ]
		[[ $stderr == *"EMFILE (Too many open files)"*"can open no more files"*"ulimit -n"* ]] || fail "$stderr"
		json '.failures[0].errno == "EMFILE"'
		met=$((met + 1))
	done
	[ "$met" -gt 0 ]
}

# opens_not ERRNO TEXT...: opening the node fails so, and what says no is told; libibverbs says ENOENT of
# /dev/char in most cases
opens_not() {
	local call

	for call in ibv_open_device mlx5dv_open_device; do
		run --separate-stderr "${SIM[@]::${#SIM[@]}-1}" --fault "open=$1" -- env SYSFS_PATH="$SYS" \
			mrctl "$([ $call = ibv_open_device ] && echo reg || echo umem)"
		refused "$1" $call || return
		says "${@:2}" || return
		on_mlx5 || return 0
	done
}

@test "of a device that cannot be opened the node's own answer is told" {
	local at=/dev/infiniband/$NODE

	opens_not EACCES "read and write permission on $at is needed"
	opens_not ENXIO "no device has the number of $at"
	opens_not ENODEV "the driver behind $at is being unloaded"
	opens_not EIO "the driver has left the device behind $at"
	opens_not EMFILE "this process can open no more files"
	opens_not ENFILE "this machine can open no more files"
	opens_not ENOENT "$at is missing" "--device=$at"
	opens_not EPERM "other rules than its permissions forbid $at" "--device=$at"
	[[ $stderr != *namespace* ]]
	mkdir -p "$SYS/module/ib_core/parameters"
	echo Y >"$SYS/module/ib_core/parameters/netns_mode"
	opens_not EPERM "other rules"
	[[ $stderr != *namespace* ]]
	echo N >"$SYS/module/ib_core/parameters/netns_mode"
	opens_not EPERM "other rules" "another network namespace"
	# what is no matter of the node is told without one
	opens_not EAGAIN "EAGAIN"
	[[ $stderr != *"$at"* ]]
}

@test "a node of another number is not taken for the device's, and both numbers are told" {
	local number

	number=$(<"$NODES/$NODE/dev")
	echo 231:7 >"$NODES/$NODE/dev"
	run --separate-stderr "${MR[@]}" reg
	refused ENOENT ibv_open_device
	says "/dev/infiniband/$NODE has the number $number, but that of $(device) is 231:7"
}

@test "of a device that is opened for DEVX and refuses, DEVX is blamed only where it may be the cause" {
	require_devx
	for errno in EAGAIN ENOMEM EINTR; do
		run --separate-stderr faulty get_context=$errno umem
		refused $errno mlx5dv_open_device
		[[ $stderr != *DEVX\ was* && $stderr != *"offers no DEVX"* ]] || fail "$stderr"
	done
	run --separate-stderr faulty get_context=EOPNOTSUPP umem
	refused EOPNOTSUPP mlx5dv_open_device
	[[ $stderr == *"offers no DEVX"* ]] || fail "$stderr"
	# the method, of a driver that is mlx5's
	run --separate-stderr faulty umem_reg=EPROTONOSUPPORT umem
	refused EPROTONOSUPPORT mlx5dv_devx_umem_reg
	[[ $stderr == *"this kernel does not know"* && $stderr != *"driver mlx5_ib"* ]] || fail "$stderr"
}
