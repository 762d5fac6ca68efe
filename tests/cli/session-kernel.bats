#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Properties of a session that only a real kernel can prove: pages and keys without a process, the end of the
# session, devices that are removed, and restrictions by an administrator.

load helpers

setup() {
	[ -n "${MRCTL_TEST_GUEST:-}" ] || skip "for a guest of its own"
}

# Restores what the test has changed
UNDO=()

teardown() {
	local command

	for command in "${UNDO[@]}"; do
		eval "$command" || :
	done
	tidy
}

# settled WORD CMD...: waits until CMD prints WORD: after the last close the kernel may need a moment
settled() {
	await prints "$@" || fail "${*:2}: $("${@:2}") instead of $1"
}

prints() {
	[ "$("${@:2}")" = "$1" ]
}

# objects: prints the objects of mrctl that the kernel has on the device under test
objects() {
	rdma resource show |
		sed -n "s/.* $MRCTL_TEST_DEVICE: \(pd [0-9]*\) .* \(mr [0-9]* ctx [0-9]*\) .*/\1 \2/p"
}

# bats test_tags=kernel
@test "pages of a region stay pinned without a process, until the session ends" {
	before=$(pinned) had=$(objects)
	session_begin
	ms reg --size 4M --pd mine --quiet
	ms reg --via kernel --size 1M --quiet
	[ "$(pinned)" -ge $((before + 1280)) ]
	[ "$(objects)" != "$had" ]
	ms dereg 1 --quiet
	settled 256 eval 'echo $(($(pinned) - '"$before"'))'
	session_end
	settled "$before" pinned
	settled "$had" objects
}

# bats test_tags=kernel
@test "the end of the last process ends a session, however it ends" {
	before=$(pinned) had=$(objects)
	"${MR[@]}" session -- bash -c 'mrctl reg --size 1M --quiet; sleep 600 & echo $!; exec sleep 601' \
		>"$BATS_TEST_TMPDIR/out" 3>&- &
	await test -s "$BATS_TEST_TMPDIR/out"
	UNDO+=("kill $(<"$BATS_TEST_TMPDIR/out")")
	kill -KILL $!
	wait $! || :
	# the process in the background still has the descriptor
	[ "$(pinned)" -ge $((before + 256)) ]
	kill -KILL "$(<"$BATS_TEST_TMPDIR/out")"
	settled "$before" pinned
	settled "$had" objects
}

# ---- devices that go ----

# bats test_tags=kernel
@test "removing a software device waits for the session, and its end lets it go" {
	[ "$MRCTL_TEST_DEVICE" = rxe0 ] || skip "about rxe"
	ip link add v8 type veth peer name v9
	UNDO+=("ip link delete v8")
	ip link set v8 up
	rdma link add rxe8 type rxe netdev v8
	mrctl -d rxe8 session --joinable -- sleep 600 3>&- &
	session=$!
	UNDO=("kill $session" "${UNDO[@]}")
	await mrctl --session pid:$session reg --quiet
	run --separate-stderr mrctl --session pid:$session stat
	[[ $stderr == *"removing rxe8 or its driver waits"* ]]
	rdma link delete rxe8 3>&- &
	# it sleeps in the kernel, which waits for the last object
	await eval '[[ $(<"/proc/$!/stat") == *") D "* || $(<"/proc/$!/wchan") == *wait* ]]'
	is_running $!
	run --separate-stderr mrctl --session pid:$session stat --json
	[ "$status" -eq 0 ] || [ "$status" -eq 1 ]
	kill $session
	wait $!
	run ! rdma link show rxe8/1
}

# bats test_tags=kernel
@test "when the driver of a session is unbound, registering is refused, and dereg and the end work" {
	had=$(objects)
	[ "$MRCTL_TEST_DEVICE" = mlx5_0 ] || skip "about mlx5"
	pci=$(basename "$(readlink -f /sys/class/infiniband/mlx5_0/device)")
	session_begin
	ms reg --count 2 --quiet
	ms reg --via kernel --quiet
	ms umem --count 2 --quiet
	UNDO+=("echo $pci >/sys/bus/pci/drivers/mlx5_core/bind" await_device)
	echo "$pci" >/sys/bus/pci/drivers/mlx5_core/unbind
	refused EIO "ioctl(REG_MR)" ms reg --via kernel
	[[ $stderr == *"because: mlx5_0 no longer exists"*"[certain, MR-DEVICE-GONE]"* ]] || fail "$stderr"
	observed "driver unbound under a session" "ioctl(REG_MR) EIO"
	refused EIO "ioctl(DEVX_UMEM_REG)" ms umem --via kernel
	[[ $stderr == *"[certain, MR-DEVICE-GONE]"* ]] || fail "$stderr"
	observed "driver unbound under a session, umem" "ioctl(DEVX_UMEM_REG) EIO"
	exits 1 ms reg --json
	json '.failures[0].errno == "EIO" and .regions == []'
	observed "driver unbound under a session, through the library" \
		"$(jq -r '.failures[0] | "\(.call) \(.errno)"' <<<"$output")"
	gives '[.regions[].state] - ["unknown", "gone"] == []' ms stat
	[[ $stderr == *"the kernel answers EIO, so mlx5_0 was removed or its driver unbound"* ]] || fail "$stderr"
	succeeded ms dereg --all
	[ -z "$(ms stat -n)" ]
	session_end
	absent "no RDMA device 'mlx5_0'" mr reg
	for i in "${UNDO[@]}"; do eval "$i"; done
	UNDO=()
	settled "$had" objects
}

# await_device: waits for the device after a driver has been bound again
await_device() {
	await mr reg --quiet 2>/dev/null
}

# ---- what an administrator restricts ----

# bats test_tags=kernel
@test "under Yama a session is joined if it permits this, and a refusal names the option that permits it" {
	scope=/proc/sys/kernel/yama/ptrace_scope
	[ -e $scope ] || skip "a kernel without Yama"
	[ "$MRCTL_TEST_DEVICE" = rxe0 ] || skip "the same on each device"
	UNDO+=("echo $(<$scope) >$scope")
	echo 1 >$scope
	for joinable in '' --joinable; do
		as_nobody bash -c 'echo $$ && exec "$@"' bash "${MR[@]}" session $joinable -- \
			sleep 600 >"$BATS_TEST_TMPDIR/pid" 3>&- &
		await test -s "$BATS_TEST_TMPDIR/pid"
		pid=$(<"$BATS_TEST_TMPDIR/pid")
		UNDO+=("kill $pid")
		await grep -qx sleep "/proc/$pid/comm"
		run --separate-stderr as_nobody mrctl --session "pid:$pid" stat --json
		if [ -n "$joinable" ]; then
			succeeded
		else
			[ "$status" -eq 1 ]
			[[ $stderr == *"EPERM"*"ptrace_scope"*"--joinable"* ]]
		fi
		run --separate-stderr as_nobody mrctl session --list --json
		json '.sessions[] | select(.session == $pid) | .joinable == ($joinable != "") and
			(.joinable or (.remedy | contains("ptrace_scope")))' \
			--arg pid "pid:$pid" --arg joinable "$joinable"
		kill "$pid"
		: >"$BATS_TEST_TMPDIR/pid"
	done
	UNDO=("${UNDO[0]}")
	as_nobody "${MR[@]}" session --detach >"$BATS_TEST_TMPDIR/out"
	eval "$(<"$BATS_TEST_TMPDIR/out")"
	SESSION_PID=${MRCTL_SESSION#pid:}
	as_nobody mrctl reg --quiet
	[ "$(as_nobody mrctl stat -n -o state)" = live ]
}

# bats test_tags=kernel
@test "a session needs no executable memfd" {
	[ -e /proc/sys/vm/memfd_noexec ] || skip "a kernel without memfd_noexec"
	[ "$MRCTL_TEST_DEVICE" = rxe0 ] || skip "the same on each device"
	run --separate-stderr unshare --pid --fork --mount-proc bash -c '
		echo 2 >/proc/sys/vm/memfd_noexec || exit 99
		exec "$@"' bash "${MR[@]}" session -- bash -c 'mrctl reg --quiet; mrctl stat -n -o id,state; :'
	succeeded
	[ "$output" = "1 live" ]
}
