#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# stat --host on real kernels: verdicts that the guest's state decides, and recordings of it

load helpers
load hosts
load why

teardown() {
	remove_cgroup
	tidy
}

setup() {
	note_less
	need_kernel
}

# verdict ID COMMAND...: prints the verdict of the check for mrctl run by the command
verdict() {
	"${@:2}" mrctl -n -o verdict stat --host --only "$1" || [ $? -eq 1 ]
}

# bats test_tags=kernel
@test "root in the guest may register, and the device's node can be opened" {
	local id

	for id in IPC-LOCK USERNS NODE NODE-ACCESS DEVICE MODULES KERNEL FORK; do
		[ "$(verdict MR-$id env)" = ok ] || fail "MR-$id" || return
	done
	[ "$(verdict MR-MEMLOCK prlimit --memlock=65536)" = ok ]
}

# bats test_tags=kernel
@test "a user with a small limit, or root of a user namespace, is told so, and registration fails as said" {
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
	unshare -r true 2>/dev/null || skip "no user namespaces here"
	[ "$(verdict MR-USERNS prlimit --memlock=65536:65536 unshare -r)" = warn ]
	[ "$(verdict MR-MEMLOCK prlimit --memlock=65536:65536 unshare -r)" = bad ]
}

# bats test_tags=kernel
@test "a recording of a real host says the same as the host: as root, and as another user" {
	require_nobody
	recorded env
	recorded as_nobody
}

# may_use OBJECTS: sets how many RDMA objects the control group may use, and prints the check's verdict in it
may_use() {
	echo "$MRCTL_TEST_DEVICE hca_object=$1" >"$CGROUP/rdma.max"
	verdict MR-CGROUP-RDMA within
}

# bats test_tags=kernel
@test "a control group without room for RDMA objects is told so, and registration fails as said" {
	local needs=0 in_use=0

	make_cgroup rdma
	[ "$(verdict MR-CGROUP-RDMA within)" = ok ]
	echo "$MRCTL_TEST_DEVICE hca_handle=0" >"$CGROUP/rdma.max"
	run --separate-stderr within mrctl -j stat --host --only MR-CGROUP-RDMA
	[ "$status" -eq 1 ]
	json ".checks[0].figure | contains(\"$MRCTL_TEST_DEVICE: hca_handle 0 of 0 in use, a registration needs 1\")"
	run --separate-stderr within "${MR[@]}" reg
	refused EAGAIN ibv_open_device
	echo "$MRCTL_TEST_DEVICE hca_handle=max" >"$CGROUP/rdma.max"

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
	echo "$MRCTL_TEST_DEVICE hca_object=max" >"$CGROUP/rdma.max"
	within "${MR[@]}" reg --count 60 --hold >/dev/null 3>&- &
	until in_use=$(sed -n "s/^$MRCTL_TEST_DEVICE .*hca_object=//p" "$CGROUP/rdma.current") &&
		[ "$in_use" -ge $((60 + needs - 1)) ]; do
		is_running $!
		sleep 0.1
	done
	[ "$(may_use "$((in_use + needs))")" = warn ]
	run --separate-stderr within "${MR[@]}" reg
	succeeded
	[ "$(may_use "$((in_use + needs - 1))")" = bad ]
	run --separate-stderr within "${MR[@]}" reg
	refused EAGAIN ibv_reg_mr
}
