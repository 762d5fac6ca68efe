#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# stat --host on real kernels: verdicts that the guest's state decides, and recordings of it

load helpers
load hosts
load why

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
	for id in IPC-LOCK USERNS NODE NODE-ACCESS DEVICE MODULES KERNEL FORK; do
		[ "$(verdict MR-$id env)" = ok ] || fail "MR-$id" || return
	done
	[ "$(verdict MR-MEMLOCK prlimit --memlock=65536)" = ok ]
}

# bats test_tags=kernel
@test "a user with a small limit, or root of a user namespace, gets that verdict, and registration fails as predicted" {
	require_nobody
	[ "$(verdict MR-MEMLOCK as_nobody prlimit --memlock=65536)" = bad ]
	[ "$(verdict MR-MEMLOCK as_nobody prlimit --memlock=0)" = bad ]
	[ "$(ulimit -l unlimited && verdict MR-MEMLOCK as_nobody)" = ok ]
	[ "$(verdict MR-IPC-LOCK as_nobody prlimit --memlock=65536)" = n/a ]
	succeeded as_nobody prlimit --memlock=65536 mrctl stat --host --only MR-MEMLOCK --for-size 32K
	exits 1 as_nobody prlimit --memlock=65536 mrctl stat --host --only MR-MEMLOCK --for-size 1M
	refused ENOMEM ibv_reg_mr mr_as_nobody 64 reg --size 1M
	unshare -r true 2>/dev/null || skip "no user namespaces here"
	[ "$(verdict MR-USERNS prlimit --memlock=65536:65536 unshare -r)" = warn ]
	[ "$(verdict MR-MEMLOCK prlimit --memlock=65536:65536 unshare -r)" = bad ]
}

# bats test_tags=kernel
@test "a recording of a real host has the same verdicts as the host: as root, and as another user" {
	require_nobody
	recorded env
	recorded as_nobody
}
