#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Why there is no device, or why it cannot be opened: the causes and how certain they are.  The machines of these
# tests are folders that look like /sys; device.bats has what messages say of them.

load helpers
load why

setup() {
	note_less
	on_simulator || return 0
	SYS=$BATS_TEST_TMPDIR/sys
	# shellcheck disable=SC2016 # for the shell below
	cp -r "$("${SIM[@]}" sh -c 'echo "$SYSFS_PATH"')" "$SYS"
	DEVICES=$SYS/class/infiniband NODES=$SYS/class/infiniband_verbs
	NODE=$(cd "$NODES" && echo uverbs*)
	MR=("${SIM[@]}" env SYSFS_PATH="$SYS" mrctl)
}

need_simulator() {
	on_simulator || skip "needs the simulator"
}

# all_because ID CERTAINTY: each command that needs a device names the cause, in its document or its message
all_because() {
	local command

	for command in reg umem "session --detach" "stat --probe"; do
		# shellcheck disable=SC2086 # words
		refused_because "$@" "${MR[@]}" $command --json || return
	done
	run --separate-stderr "${MR[@]}" session -- true
	((status != 0))
	# shellcheck disable=SC2154 # of run
	[[ $stderr == *"because: "*"[$2, $1]"*"try: "* ]] || fail "$stderr"
}

@test "no device has the name" {
	need_simulator
	refused_because MR-DEVICE-NAME certain "${MR[@]}" -d other0 reg --json
	jq -e --arg device "$(device)" \
		'.failures[0].causes[0].evidence | .name == "other0" and .devices == $device' <<<"$output"
	json '.failures[0] | .call == null and .layer == "libibverbs"'
}

@test "there is no device at all" {
	need_simulator
	rm -r "${DEVICES:?}" "${NODES:?}"
	all_because MR-DEVICE certain
}

@test "sysfs shows the device, and its node is missing" {
	need_simulator
	mv "$NODES/$NODE" "$NODES/uverbs199"
	all_because MR-NODE certain
}

@test "sysfs shows the device, and ib_uverbs has made no node" {
	need_simulator
	rm -r "${NODES:?}/$NODE"
	all_because MR-NODE certain
}

@test "ib_uverbs is not loaded" {
	need_simulator
	rm -r "${NODES:?}"
	all_because MR-MODULES certain
}

@test "the device is in another network namespace" {
	need_simulator
	rm -r "${DEVICES:?}/$(device)"
	all_because MR-NETNS likely
	mkdir -p "$SYS/module/ib_core/parameters"
	echo N >"$SYS/module/ib_core/parameters/netns_mode"
	all_because MR-NETNS certain
}

@test "libibverbs has no provider for the device" {
	need_simulator
	mv "$DEVICES/$(device)" "$DEVICES/strange0"
	echo strange0 >"$NODES/$NODE/ibdev"
	echo "pci:v0000FFFFd0000FFFFsv00sd00bc02sc07i00" >"$DEVICES/strange0/device/modalias" || :
	all_because MR-PROVIDER likely
}

@test "libibverbs does not know the ABI of ib_uverbs" {
	need_simulator
	echo 7 >"$NODES/abi_version"
	refused_because MR-UVERBS-ABI certain "${MR[@]}" reg --json
	json '.failures[0].causes[0].evidence.abi_version == 7'
}

@test "the node is that of another device" {
	need_simulator
	echo 231:7 >"$NODES/$NODE/dev"
	refused_because MR-NODE-NUMBER certain "${MR[@]}" reg --json
	json '.failures[0] | .errno == "ENOENT" and .causes[0].evidence.wanted == "231:7"'
}

@test "the process can open no more files" {
	local n met=0

	need_simulator
	! is_sanitized || skip "the sanitizer opens files itself"
	for n in {4..9}; do
		status=0
		output=$("${SIM[@]}" prlimit --nofile="$n:$n" mrctl reg --json 2>/dev/null 3>&-) || status=$?
		[ "$status" -eq 1 ] || continue
		jq -e '.failures[0] | .errno == "EMFILE" and .causes[0].id == "MR-DESCRIPTORS" and
			.causes[0].certainty == "certain"' <<<"$output" >/dev/null || fail "$n: $output"
		met=$((met + 1))
	done
	[ "$met" -gt 0 ]
}

@test "only mlx5 devices have DEVX" {
	need_simulator
	! on_mlx5 || skip "needs a device that is no mlx5"
	refused_because MR-DEVX-DEVICE certain mr umem --json
	json '.failures[0].layer == "provider"'
}

@test "the provider cannot import the device of a session" {
	need_simulator
	! on_mlx5 || skip "libmlx5 can"
	session_begin
	refused_because MR-IMPORT certain ms reg --via library --json
	session_end
}

@test "an injected errno of opening has no certain cause" {
	local errno

	need_simulator
	for errno in EACCES ENXIO ENODEV EIO EMFILE ENFILE ENOENT EPERM ENOMEM EINVAL EAGAIN EOPNOTSUPP; do
		refused_for_no_certain_cause "${SIM[@]::${#SIM[@]}-1}" --fault "open=$errno" -- \
			env SYSFS_PATH="$SYS" mrctl reg --json
		refused_for_no_certain_cause faulty "get_context=$errno" reg --json
		! on_mlx5 || refused_for_no_certain_cause faulty "get_context=$errno" umem --json
	done
}

# in_own_dev COMMANDS CMD...: runs CMD where COMMANDS of a shell have changed mounts, on NODE and with its number
in_own_dev() {
	unshare -m sh -ec "$1"'; shift; exec "$@"' sh "$NODE" "${@:2}"
}

# guest_node: sets NODE and NUMBER to those of the device of the guest
guest_node() {
	local at

	for at in /sys/class/infiniband_verbs/*/ibdev; do
		[ "$(<"$at")" = "$MRCTL_TEST_DEVICE" ] || continue
		NODE=/dev/infiniband/$(basename "${at%/ibdev}")
		NUMBER=$(tr : ' ' <"${at%/ibdev}/dev")
	done
	[ -c "$NODE" ]
}

# bats test_tags=kernel
@test "a node on a file system with nodev, and a /dev of its own without nodes" {
	local null='mknod -m 666 /dev/null c 1 3; mknod -m 666 /dev/urandom c 1 9'

	! on_simulator || skip "needs a node of the kernel"
	guest_node
	refused_because MR-NODEV certain in_own_dev \
		"mount -t tmpfs -o nodev none /dev/infiniband; mknod -m 666 \$1 c $NUMBER" \
		"${MR[@]}" reg --json
	json '.failures[0].errno == "EACCES"'
	refused_because MR-SANDBOX certain in_own_dev "mount -t tmpfs none /dev; $null" "${MR[@]}" reg --json
	[ "$status" -eq 3 ]
	refused_because MR-NODE certain in_own_dev "mount -t tmpfs none /dev/infiniband" "${MR[@]}" reg --json
	[ "$status" -eq 3 ]
}

# bats test_tags=kernel
@test "a user whom the permission of the node is against" {
	! on_simulator || skip "needs a node of the kernel"
	guest_node
	refused_because MR-NODE-ACCESS certain in_own_dev \
		"mount -t tmpfs none /dev/infiniband; mknod -m 660 \$1 c $NUMBER; chmod 755 /dev/infiniband" \
		setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps -all --bounding-set -all \
		"${MR[@]}" reg --json
	refused_because MR-NODE-ACCESS certain in_own_dev \
		"mount -t tmpfs -o mode=700 none /dev/infiniband; mknod -m 666 \$1 c $NUMBER" \
		setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps -all --bounding-set -all \
		"${MR[@]}" reg --json
}

@test "--why none looks for no cause, also where there is no device" {
	need_simulator
	rm -r "${DEVICES:?}" "${NODES:?}"
	run --separate-stderr "${MR[@]}" session --why none -- true
	((status != 0))
	[[ $stderr != *because* ]] || fail "$stderr"
}
