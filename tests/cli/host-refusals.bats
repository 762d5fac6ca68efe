#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# stat --host beside reg: the host on which reg is refused is not called ok.  Each row provokes a refusal that the host
# decides.

load helpers
load hosts
load why

teardown() {
	[ -z "${MAX_MAPS:-}" ] || echo "$MAX_MAPS" >/proc/sys/vm/max_map_count
	remove_cgroup
	tidy
}

# bad_where_refused IDS OPTIONS HOST-OPTIONS MRCTL...: `MRCTL reg OPTIONS` fails, and so does `MRCTL stat --host
# HOST-OPTIONS`, where one of the checks IDS ("A|B") is bad and has a remedy
bad_where_refused() {
	local refusal

	run --separate-stderr "${@:4}" reg --device "$(device)" $2 --why none
	refusal=$stderr
	[ "$status" -ne 0 ] || fail "not refused: ${*:4} reg $2" || return
	run --separate-stderr "${@:4}" stat --host $3 --json
	[ "$status" -eq 1 ] || fail "$status for: $refusal" "$output" "$stderr" || return
	json '.checks | any(.verdict == "bad" and .remedy != null and (.id | test("^MR-(" + $ids + ")$")))' --arg ids "$1" ||
		fail "no bad $1 for: $refusal"
}

# ok_where_registered OPTIONS HOST-OPTIONS MRCTL...: both succeed
ok_where_registered() {
	succeeded "${@:3}" reg $1 --quiet || return
	succeeded "${@:3}" stat --host $2 --quiet
}

@test "limits of a process" {
	require_nobody
	limited=(as_nobody prlimit --memlock=65536 "${MR[@]}")
	bad_where_refused MEMLOCK "--size 1M" "--for-size 1M" "${limited[@]}"
	ok_where_registered "--size 64K" "--for-size 64K" "${limited[@]}"
	bad_where_refused MEMLOCK "" "" as_nobody prlimit --memlock=0 "${MR[@]}"
	bad_where_refused AVAILABLE "--size 8192G" "--for-size 8192G" "${MR[@]}"
	! is_sanitized || return 0 # the sanitizer has an address space of its own
	bad_where_refused ADDRESS-SPACE "--size 1G" "--for-size 1G" "${SIM[@]}" prlimit --as=536870912 mrctl
	bad_where_refused ADDRESS-SPACE "--size 1G" "--for-size 1G" "${SIM[@]}" prlimit --data=104857600 mrctl
}

# bats test_tags=release
@test "from too few descriptors or too little address space to enough: stat --host is never ok where reg fails" {
	refused=0
	! is_sanitized || skip "the sanitizer has an address space and files of its own"
	for limit in --nofile={4..9} --as={8..20}000000; do
		status=0
		"${SIM[@]}" prlimit "$limit" mrctl reg --quiet 2>/dev/null 3>&- || status=$?
		[ "$status" -ne 127 ] || continue # the dynamic linker fails
		before=$status status=0
		[ "$before" -eq 0 ] || refused=$((refused + 1))
		"${SIM[@]}" prlimit "$limit" mrctl stat --host --quiet 2>/dev/null 3>&- || status=$?
		[[ $before -eq 0 || $status -ne 0 ]] || fail "$limit: reg $before, stat --host $status" || return
	done
	[ "$refused" -gt 1 ]
}

@test "a device that does not open, or has no protection domain left" {
	on_simulator || skip "needs the simulator"
	for fault in open=E{PERM,ACCES,NXIO,IO,NODEV,MFILE} get_context=E{PERM,ACCES,AGAIN,NOMEM,IO,INVAL} \
		alloc_pd=E{NOMEM,AGAIN}; do
		bad_where_refused DEVICE "" "" "${SIM[@]::${#SIM[@]}-1}" --fault "$fault" -- mrctl || return
	done
	shows ".checks[0].figure == \"$(device): cannot be opened: EPERM (Operation not permitted)\"" "${SIM[@]::${#SIM[@]}-1}" --fault get_context=EPERM -- mrctl stat --host --only MR-DEVICE
}

@test "a device that is missing, has another node, another ABI or no provider" {
	copy_sysfs
	ok_where_registered "" "" "${MR[@]}"
	# shellcheck disable=SC2153 # set by copy_sysfs
	echo 7 >"$NODES/abi_version"
	bad_where_refused "DEVICE|KNOWN-BAD" "" "" "${MR[@]}"
	echo 6 >"$NODES/abi_version"
	mv "$NODES/$NODE" "$NODES/uverbs199"
	bad_where_refused NODE "" "" "${MR[@]}"
	mv "$NODES/uverbs199" "$NODES/$NODE"
	echo 231:7 >"$NODES/$NODE/dev"
	bad_where_refused NODE "" "" "${MR[@]}"
	mv "$DEVICES/$(device)" "$DEVICES/strange0"
	echo strange0 >"$NODES/$NODE/ibdev"
	bad_where_refused "NODE|DEVICE" "" "" "${MR[@]}"
	rm -r "${DEVICES:?}" "${NODES:?}"
	bad_where_refused DEVICE "" "" "${MR[@]}"
}

@test "huge pages are required only if they are planned" {
	page=/sys/kernel/mm/hugepages/hugepages-2048kB
	[ -d $page ] || skip "this kernel has no huge pages of 2 MiB"
	bad_where_refused HUGEPAGES "--memory hugetlb:2M --size 900G" "--for-size 900G --memory hugetlb:2M" "${MR[@]}"
	json '.checks[] | select(.id == "MR-HUGEPAGES") | .remedy | contains("does not have that much memory")'
	[ "$(mr -n -o verdict stat --host --for-size 1G --only MR-CGROUP-HUGETLB,MR-HUGEPAGES | sort -u)" != warn ]
	if [ "$(<$page/nr_hugepages)" -eq 0 ] && [ "$(<$page/nr_overcommit_hugepages)" -eq 0 ]; then
		bad_where_refused HUGEPAGES "--memory hugetlb:2M" "--memory hugetlb:2M" "${MR[@]}"
	fi
	usage_error "--memory: unknown memory 'x'" -- mrctl stat --host --memory x
	usage_error "--memory: " -- mrctl stat --host --memory cuda:x
	usage_error "--memory requires --host" -- mrctl stat --memory anon
}

@test "memory of a GPU is planned: no check of the host's memory has its size, and there must be a GPU" {
	run --separate-stderr mr stat --host --for-size 900G --memory cuda:0 --json
	json '.checks | all(.verdict != "bad" or .group == "kernel" or .group == "devices")'
	[ -e /proc/driver/nvidia ] || json '.checks[] | select(.id == "MR-PEER-MEMORY") | .verdict == "bad"'
}

@test "a udmabuf larger than its module allows is not ok" {
	[[ $(mr -n -o verdict stat --host --only MR-UDMABUF) == ok ]] || skip "needs /dev/udmabuf"
	[ "$(mr -n -o verdict stat --host --for-size 64M --only MR-UDMABUF)" = ok ]
	[ "$(mr -n -o verdict stat --host --for-size 8G --only MR-UDMABUF)" = n/a ]
}

@test "rxe since Linux 7.0 registers at most 1 GiB in a region" {
	on_simulator || skip "needs the simulator"
	[ "$(mrctl sim --profile rxe -- mrctl -n -o verdict stat --host --only MR-MAX-MR --for-size 1G)" = ok ]
	run mrctl sim --profile rxe -- mrctl -n -o verdict stat --host --only MR-MAX-MR --for-size 1025M
	[ "$output" = bad ]
	[ "$(mrctl sim --profile rxe --kernel 6.12 -- mrctl -n -o verdict stat --host --only MR-MAX-MR --for-size 2G)" = ok ]
}

# ---- on a kernel

# bats test_tags=kernel
@test "nodes that are closed, missing, of another number, or on a file system with nodev" {
	guest_node
	for commands in : "mknod -m 666 \$1 c 1 3" "mknod -m 666 \$1 c $NODE_NUMBER; mount -o remount,nodev /dev/infiniband" ": >\$1"; do
		bad_where_refused "NODE|NODE-ACCESS|SANDBOX" "" "" in_own_dev "mount -t tmpfs none /dev/infiniband; $commands" \
			mrctl || return
	done
	bad_where_refused "NODE|SANDBOX" "" "" in_own_dev "mount -t tmpfs none /dev; $NO_NODES" mrctl
	bad_where_refused NODE-ACCESS "" "" in_own_dev \
		"mount -t tmpfs -o mode=755 none /dev/infiniband; mknod -m 660 \$1 c $NODE_NUMBER" "${NOBODY[@]}" mrctl
}

# bats test_tags=kernel
@test "filters of ioctl by seccomp and Landlock" {
	need_kernel
	for errno in 1 11 12; do # EPERM, EAGAIN, ENOMEM
		bad_where_refused DEVICE "" "" "$OBJECT_TOOL" seccomp $errno mrctl
		refused_because MR-SECCOMP possible "$OBJECT_TOOL" seccomp $errno "${MR[@]}" reg --json
	done
	if linux 6.10; then
		refused_because MR-LANDLOCK likely "$OBJECT_TOOL" landlock "${MR[@]}" reg --json
		bad_where_refused DEVICE "" "" "$OBJECT_TOOL" landlock mrctl
	fi
}

# bats test_tags=kernel
@test "too few mappings for a process" {
	refused=0
	need_kernel
	MAX_MAPS=$(</proc/sys/vm/max_map_count)
	for maps in 60 80 100 130 160; do
		echo $maps >/proc/sys/vm/max_map_count
		run --separate-stderr mr reg --quiet
		[[ $status -ne 0 && $status -ne 127 ]] || continue # 127: the dynamic linker fails
		bad_where_refused "MAP-COUNT|DEVICE" "" "" mrctl || return
		refused=$((refused + 1))
	done
	[ "$refused" -gt 0 ]
	echo 100 >/proc/sys/vm/max_map_count
	refused_because MR-MAP-COUNT likely mr reg --json
	echo 200 >/proc/sys/vm/max_map_count
	printf 'reg --memory memfd\n%.0s' {1..200} >"$BATS_TEST_TMPDIR/lines"
	refused_because MR-MAP-COUNT likely mr batch "$BATS_TEST_TMPDIR/lines" --json
	json '.failures[0].call == "mmap"'
}

# bats test_tags=kernel
@test "a control group without RDMA objects, without memory, and one that is not seen" {
	need_kernel
	make_cgroup rdma
	echo "$MRCTL_TEST_DEVICE hca_handle=1 hca_object=1" >"$CGROUP/rdma.max"
	bad_where_refused CGROUP-RDMA "" "" within mrctl
	[ "$(within unshare -m sh -c 'umount /sys/fs/cgroup && exec mrctl -n -o verdict stat --host --only MR-CGROUP-RDMA')" = unknown ]
	[ "$(within unshare -Cm sh -c 'umount /sys/fs/cgroup && mount -t cgroup2 none /sys/fs/cgroup; mkdir /sys/fs/cgroup/in;
		echo $$ >/sys/fs/cgroup/in/cgroup.procs; exec mrctl -n -o verdict stat --host --only MR-CGROUP-RDMA')" != n/a ]
	rmdir "$CGROUP/in"
}
