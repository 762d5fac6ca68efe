#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Refusals for limits: locked memory, and control groups.

load helpers
load why

setup() {
	export CGROUP=/sys/fs/cgroup/mrctl-why
}

teardown() {
	[ ! -d "$CGROUP" ] || rmdir "$CGROUP"
	tidy
}

# within CMD...: run it in the control group of the test
within() {
	bash -c 'echo $$ >"$CGROUP/cgroup.procs" && exec "$@"' bash "$@"
}

# bats test_tags=kernel
@test "more than the limit of locked memory" {
	require_nobody
	refused_because MR-MEMLOCK certain mr_as_nobody 64 reg --size 1M --json
	json '.failures[0].causes[0].evidence | .limit == 65536 and .pinned == 0 and .asked == 1048576'
	json '.failures[0].layer == "memory"'
	json '.failures[0].causes[0].cause | contains("0 bytes are pinned, this takes 1 MiB, and RLIMIT_MEMLOCK is 64 KiB")'
}

# bats test_tags=kernel
@test "one page more than the limit, and exactly the limit" {
	require_nobody
	run --separate-stderr mr_as_nobody 64 reg --size 64K
	[ "$status" -eq 0 ]
	refused_because MR-MEMLOCK certain mr_as_nobody 64 reg --size 64K --offset 1 --json
	json '.failures[0].causes[0].evidence.asked == 65536 + 4096'
}

# bats test_tags=kernel
@test "what this process has registered counts: in one command" {
	require_nobody
	refused_because MR-MEMLOCK certain mr_as_nobody 64 reg --size 16K --count 8 --json
	json '.failures[0] | .index == 5 and .causes[0].evidence.pinned == 65536 and
		.causes[0].evidence.asked == 16384'
}

# bats test_tags=kernel
@test "what this process has registered counts: in a batch, and only what is still registered" {
	local text='reg --size 40K --name a'$'\n''reg --size 40K --name b'$'\n'

	require_nobody
	refused_because MR-MEMLOCK certain batch_as_nobody "$text"
	json '[.. | .evidence? // empty | .pinned // empty][0] == 40960'
	text='reg --size 40K --name a'$'\n''dereg a'$'\n''reg --size 40K --name b'$'\n''reg --size 40K'$'\n'
	refused_because MR-MEMLOCK certain batch_as_nobody "$text"
	json '[.. | .evidence? // empty | .pinned // empty][0] == 40960'
}

# batch_as_nobody LINES: its failures as those of one command
batch_as_nobody() {
	local document rc=0

	document=$(mr_as_nobody 64 batch --keep-going --json <<<"$1") || rc=$?
	jq '{ failures: [.. | objects | select(has("failures")) | .failures[]] }' <<<"$document"
	return "$rc"
}

@test "on-demand regions do not count" {
	require_nobody
	[ "${MRCTL_TEST_PROFILE:-mlx5}" = mlx5 ] || skip "needs on-demand paging"
	refused_because MR-MEMLOCK certain batch_as_nobody \
		'reg --size 1M --access local-write,on-demand --name a'$'\n''reg --size 68K'$'\n'
	json '[.. | .evidence? // empty | .pinned // empty][0] == 0 or
		.failures[0].causes[0].evidence.pinned == 0'
}

# bats test_tags=kernel
@test "new memory of a region counts while the old one is pinned still" {
	require_nobody
	[[ $(device) == mlx5* ]] || skip "only mlx5 pins new memory"
	refused_because MR-MEMLOCK certain batch_as_nobody \
		'reg --size 40K --name a'$'\n''rereg a --size 40K --memory anon'$'\n'
	json '.failures[0].causes[0].evidence | .pinned == 40960 and .asked == 40960'
}

# bats test_tags=kernel
@test "umems count as regions do" {
	require_nobody
	[[ $(device) == mlx5* ]] || skip "needs DEVX"
	refused_because MR-MEMLOCK certain mr_as_nobody 64 umem --size 1M --json
}

# bats test_tags=kernel
@test "a limit of 0" {
	require_nobody
	refused_because MR-MEMLOCK-ZERO certain mr_as_nobody 0 reg --size 4K --json
	json '.failures[0].causes[0].evidence.limit == 0'
}

# bats test_tags=kernel
@test "the process that lowered the limit is named" {
	require_nobody
	refused_because MR-MEMLOCK certain as_nobody bash -c 'ulimit -l 64; "$@"; exit' bash \
		"${MR[@]}" reg --size 1M --json
	json '.failures[0].causes[0] | .cause | contains("; lowered ") or contains("; set ")'
	json '.failures[0].causes[0].evidence.origin | contains("bash")'
}

# bats test_tags=kernel
@test "root of a user namespace is not exempt" {
	[ "$(id -u)" -eq 0 ] && unshare -r true 2>/dev/null || skip "needs user namespaces"
	refused_because MR-MEMLOCK certain prlimit --memlock=65536:65536 unshare -r \
		"${MR[@]}" reg --size 1M --json
	json '[.failures[0].causes[] | select(.id == "MR-USERNS" and .certainty == "likely")] | length == 1'
}

@test "the same errnos for no reason that can be seen" {
	local errno

	on_simulator || skip "needs the simulator"
	for errno in ENOMEM EAGAIN EPERM; do
		refused_for_no_certain_cause mrctl sim --profile "${MRCTL_TEST_PROFILE:-mlx5}" \
			--fault "reg_mr=$errno" -- mrctl reg --size 64K --json
	done
	require_nobody
	refused_for_no_certain_cause as_nobody prlimit --memlock=65536 \
		mrctl sim --profile "${MRCTL_TEST_PROFILE:-mlx5}" --fault reg_mr=ENOMEM -- mrctl reg --size 64K --json
	json '.failures[0].ruled_out | any(.id == "MR-MEMLOCK" and
		(.reason | contains("0 bytes are pinned, this takes 64 KiB, and RLIMIT_MEMLOCK is 64 KiB")))'
	refused_for_no_certain_cause as_nobody prlimit --memlock=65536 \
		mrctl sim --profile "${MRCTL_TEST_PROFILE:-mlx5}" --fault reg_mr=ENOMEM -- \
		mrctl reg --size 1M --access remote-write --json
	refused_for_no_certain_cause as_nobody prlimit --memlock=0 \
		mrctl sim --profile "${MRCTL_TEST_PROFILE:-mlx5}" --fault reg_mr=ENOMEM -- mrctl reg --json
}

# bats test_tags=kernel
@test "a control group without room for RDMA objects" {
	local used=0

	on_simulator && skip "needs a real kernel"
	echo +rdma >/sys/fs/cgroup/cgroup.subtree_control
	mkdir "$CGROUP"
	echo "$MRCTL_TEST_DEVICE hca_handle=0" >"$CGROUP/rdma.max"
	refused_because MR-CGROUP-RDMA certain within "${MR[@]}" reg --json
	json '.failures[0] | .errno == "EAGAIN" and .causes[0].evidence.resource == "hca_handle"'
	echo "$MRCTL_TEST_DEVICE hca_handle=max" >"$CGROUP/rdma.max"
	# each number of objects that is too small
	while echo "$MRCTL_TEST_DEVICE hca_object=$used" >"$CGROUP/rdma.max" &&
		! within "${MR[@]}" reg >/dev/null 2>&1; do
		# what was given back at once is not in use any more, so it may not be certain
		run --separate-stderr within "${MR[@]}" reg --json
		json '.failures[0].causes[0] | .id == "MR-CGROUP-RDMA" and .certainty != "possible" and
			.evidence.resource == "hca_object" and .evidence.group == "/mrctl-why"'
		used=$((used + 1))
	done
	((used > 0 && used < 9))
	json '.failures[0].call == "ibv_reg_mr"'
}
