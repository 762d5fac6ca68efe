#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# stat --host on real kernels: verdicts that the guest's state decides, and recordings of it

load helpers
load hosts

# A folder that other users can reach
FOLDER=''

# A control group of the test
GROUP=/sys/fs/cgroup/mrctl-host

teardown() {
	local process

	[ -z "$FOLDER" ] || rm -rf "$FOLDER"
	if [ -d "$GROUP" ]; then
		while read -r process; do
			kill "$process" # that of the shell: there need be no other
		done <"$GROUP/cgroup.procs"
		wait
		rmdir "$GROUP"
	fi
	tidy
}

setup() {
	note_less
	[ -n "${MRCTL_TEST_DEVICE:-}" ] || skip "needs a real kernel"
}

# verdict ID COMMAND...: prints the verdict of the check for mrctl run by the command
verdict() {
	"${@:2}" mrctl -n -o verdict stat --host --only "$1" || [ $? -eq 1 ]
}

# bats test_tags=kernel
@test "root in the guest may register, and the device's node can be opened" {
	[ "$(verdict MR-IPC-LOCK env)" = ok ]
	[ "$(verdict MR-MEMLOCK prlimit --memlock=65536)" = ok ]
	[ "$(verdict MR-USERNS env)" = ok ]
	[ "$(verdict MR-NODE env)" = ok ]
	[ "$(verdict MR-NODE-ACCESS env)" = ok ]
	[ "$(verdict MR-DEVICE env)" = ok ]
	[ "$(verdict MR-MODULES env)" = ok ]
	[ "$(verdict MR-KERNEL env)" = ok ]
	[ "$(verdict MR-FORK env)" = ok ]
}

# bats test_tags=kernel
@test "a user with a small limit is told so, and registration fails as said" {
	require_nobody
	[ "$(verdict MR-MEMLOCK as_nobody prlimit --memlock=65536)" = bad ]
	[ "$(verdict MR-MEMLOCK as_nobody prlimit --memlock=0)" = bad ]
	[ "$(ulimit -l unlimited && verdict MR-MEMLOCK as_nobody)" = ok ]
	[ "$(verdict MR-IPC-LOCK as_nobody prlimit --memlock=65536)" = n/a ]
	run --separate-stderr as_nobody prlimit --memlock=65536 mrctl stat --host --only MR-MEMLOCK --for-size 32K
	succeeded
	run --separate-stderr as_nobody prlimit --memlock=65536 mrctl stat --host --only MR-MEMLOCK --for-size 1M
	[ "$status" -eq 1 ]
	run --separate-stderr mr_as_nobody 64 reg --size 1M
	refused ENOMEM ibv_reg_mr
}

# bats test_tags=kernel
@test "root of a user namespace is told that its capability has no effect" {
	unshare -r true 2>/dev/null || skip "no user namespaces here"
	[ "$(verdict MR-USERNS prlimit --memlock=65536:65536 unshare -r)" = warn ]
	[ "$(verdict MR-MEMLOCK prlimit --memlock=65536:65536 unshare -r)" = bad ]
}

# bats test_tags=kernel
@test "a recording of a real host says the same as the host: as root, and as another user" {
	local live again user

	require_nobody
	for user in env as_nobody; do
		FOLDER=$(mktemp -d "${TMPDIR:-/tmp}/mrctl-host.XXXXXX")
		chmod 777 "$FOLDER"
		live=$("$user" mrctl -n -o id,verdict stat --host --record "$FOLDER/host") || [ $? -eq 1 ]
		again=$(verdicts "$FOLDER/host") || [ $? -eq 1 ]
		rm -r "$FOLDER"
		[ -n "$live" ]
		[ "$live" = "$again" ] || fail "$(diff <(echo "$live") <(echo "$again"))" || return
	done
}

# within COMMAND...: runs it in the control group of the test
within() {
	bash -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$GROUP" "$@"
}

# may_use OBJECTS: sets how many RDMA objects the control group may use, and prints the check's verdict in it
may_use() {
	echo "$MRCTL_TEST_DEVICE hca_object=$1" >"$GROUP/rdma.max"
	verdict MR-CGROUP-RDMA within
}

# bats test_tags=kernel
@test "a control group without room for RDMA objects is told so, and registration fails as said" {
	local needs=0 in_use

	echo +rdma >/sys/fs/cgroup/cgroup.subtree_control
	mkdir "$GROUP"
	[ "$(verdict MR-CGROUP-RDMA within)" = ok ]
	echo "$MRCTL_TEST_DEVICE hca_handle=0" >"$GROUP/rdma.max"
	run --separate-stderr within mrctl -n -o figure stat --host --only MR-CGROUP-RDMA
	[ "$status" -eq 1 ]
	[[ $output == *"$MRCTL_TEST_DEVICE: hca_handle 0 of 0 in use, a registration needs 1"* ||
		$output == *"hca_handle\x200\x20of\x200\x20in\x20use"* ]] || fail "$output"
	run --separate-stderr within "${MR[@]}" reg
	refused EAGAIN ibv_open_device
	echo "$MRCTL_TEST_DEVICE hca_handle=max" >"$GROUP/rdma.max"

	# each limit with which no registration works is bad, and the first with which one does is not
	while [ "$(may_use "$needs")" = bad ]; do
		run --separate-stderr within "${MR[@]}" reg
		# shellcheck disable=SC2154 # run sets stderr
		[[ $status -eq 1 && $stderr == *EAGAIN* ]] || fail "with $needs objects: $output $stderr" || return
		needs=$((needs + 1))
	done
	[ "$(may_use "$needs")" = ok ]
	run --separate-stderr within "${MR[@]}" reg
	succeeded

	# little of a limit is left
	echo "$MRCTL_TEST_DEVICE hca_object=max" >"$GROUP/rdma.max"
	within "${MR[@]}" reg --count 60 --hold >/dev/null 3>&- &
	until in_use=$(sed -n "s/^$MRCTL_TEST_DEVICE .*hca_object=//p" "$GROUP/rdma.current") && [ "$in_use" -ge $((60 + needs - 1)) ]; do
		sleep 0.1
	done
	[ "$(may_use "$((in_use + needs))")" = warn ]
	run --separate-stderr within "${MR[@]}" reg
	succeeded
	[ "$(may_use "$((in_use + needs - 1))")" = bad ]
	run --separate-stderr within "${MR[@]}" reg
	refused EAGAIN ibv_reg_mr
}
