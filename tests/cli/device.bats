#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The reasons why there is no device, or why it cannot be opened.  The machines of these tests are folders that
# look like /sys and /dev; real kernels are in kernel-conditions.bats.

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

# says TEXT...: the message of the last run has each TEXT, in this order, and does not call an existing device
# missing
says() {
	local pattern

	pattern="$(printf '*%s' "$@")*"
	pattern=${pattern//[/\\[}

	# shellcheck disable=SC2053 # a pattern
	[[ ${stderr//\*/} == $pattern ]] || fail "not $pattern:" "$stderr" || return
	[[ $stderr != *"has no RDMA device"* && $stderr != *modprobe\ mlx5* ]] || fail "$stderr"
}

# absent_as TEXT...: no command finds the device, and each message has the TEXTs
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

@test "a device without its node exists" {
	mv "$NODES/$NODE" "$NODES/uverbs199"
	absent_as "the node of the RDMA device $(device) is missing: /dev/infiniband/uverbs199" \
		"there is no /dev/infiniband/uverbs199 [certain, MR-NODE]"
	run --separate-stderr "${MR[@]}" -d other0 reg
	[ "$status" -eq 3 ]
	says "no RDMA device 'other0'" "there is: $(device) [certain, MR-DEVICE-NAME]"
}

@test "a device in another network namespace exists, but not in this one" {
	rm -r "${DEVICES:?}/$(device)"
	absent_as "the RDMA device $(device) is in another network namespace" "[likely, MR-NETNS]" "ip netns exec" \
		"rdma dev set $(device) netns"
}

@test "a device without ib_uverbs, or without its node, exists" {
	rm -r "${NODES:?}/$NODE"
	absent_as "programs cannot open the RDMA device $(device): ib_uverbs has no node for it" \
		"[certain, MR-NODE]"
	rm -r "$NODES"
	absent_as "programs cannot open the RDMA device $(device): ib_uverbs is not loaded" \
		"[certain, MR-MODULES]" "modprobe ib_uverbs"
}

@test "a device without provider exists" {
	mv "$DEVICES/$(device)" "$DEVICES/strange0"
	echo strange0 >"$NODES/$NODE/ibdev"
	echo "pci:v0000FFFFd0000FFFFsv00sd00bc02sc07i00" >"$DEVICES/strange0/device/modalias" || :
	run --separate-stderr "${MR[@]}" reg
	[ "$status" -eq 3 ]
	says "libibverbs has no provider for the RDMA device strange0" "the node /dev/infiniband/$NODE of strange0 is there" \
		"[likely, MR-PROVIDER]" "ibverbs-providers"
}

@test "without device and driver there is no device, even without sysfs" {
	rm -r "$NODES" "$DEVICES"
	run --separate-stderr "${MR[@]}" reg
	[ "$status" -eq 3 ]
	[[ $stderr == *"this machine has no RDMA device"*"modprobe mlx5_ib"*"mrctl sim"* ]]
	rm -r "$SYS"
	run --separate-stderr "${MR[@]}" -d "$(device)" reg
	[ "$status" -eq 3 ]
	[[ $stderr == *"this machine has no RDMA device '$(device)'"* ]]
}

@test "where descriptors run out, no message is about devices" {
	local n met=0

	! is_sanitized || skip "the sanitizer opens files itself"
	# limits from too few descriptors to load mrctl to enough for all: how many are open already differs
	for n in {4..9}; do
		status=0
		output=$("${SIM[@]}" prlimit --nofile="$n:$n" mrctl reg --json 2>"$BATS_TEST_TMPDIR/err" 3>&-) ||
			status=$?
		stderr=$(<"$BATS_TEST_TMPDIR/err")
		case $status in
		0) break ;;
		127) continue ;; # the dynamic linker fails
		esac
		[ "$status" -eq 1 ]
		[[ $stderr == *"EMFILE (Too many open files)"*"can open no more files"*"ulimit -n"* ]] || fail "$stderr"
		json '.failures[0].errno == "EMFILE"'
		met=$((met + 1))
	done
	[ "$met" -gt 0 ]
}

# opens_not ERRNO TEXT...: opening the node fails with ERRNO, and the message has it and each TEXT.  libibverbs
# itself mostly fails with ENOENT, of /dev/char
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

# The node refuses, for no reason that can be found: nothing is certain.
@test "a device that cannot be opened is reported with the errno of its node" {
	local at=/dev/infiniband/$NODE

	opens_not EACCES "ruled out: " MR-NODE-ACCESS
	opens_not ENXIO "$at answers ENXIO" "[possible, MR-NODE-NUMBER]"
	opens_not ENODEV "the driver of the device behind $at is being unloaded" "[likely, MR-DEVICE-GONE]"
	opens_not EIO "the driver has left the device behind $at" "[likely, MR-DEVICE-GONE]"
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

@test "a node of another number is not taken for the device's, and both numbers are named" {
	local number

	number=$(<"$NODES/$NODE/dev")
	echo 231:7 >"$NODES/$NODE/dev"
	run --separate-stderr "${MR[@]}" reg
	refused ENOENT ibv_open_device
	says "/dev/infiniband/$NODE has the number $number, but that of $(device) is 231:7" \
		"[certain, MR-NODE-NUMBER]"
}

@test "where opening a device for DEVX is refused, DEVX is blamed only if it may be the cause" {
	require_devx
	for errno in EAGAIN ENOMEM EINTR; do
		run --separate-stderr faulty get_context=$errno umem
		refused $errno mlx5dv_open_device
		[[ $stderr != *", MR-DEVX]"* ]] || fail "$stderr"
	done
	run --separate-stderr faulty get_context=EOPNOTSUPP umem
	refused EOPNOTSUPP mlx5dv_open_device
	[[ $stderr == *"[possible, MR-DEVX]"* ]] || fail "$stderr"
	# without the method, on a driver that is mlx5's
	run --separate-stderr faulty umem_reg=EPROTONOSUPPORT umem
	refused EPROTONOSUPPORT mlx5dv_devx_umem_reg
	[[ $stderr == *"ruled out: MR-DEVX-METHOD"* && $stderr != *"MR-DEVX]"* ]] || fail "$stderr"
}
