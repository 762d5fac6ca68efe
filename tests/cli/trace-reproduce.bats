#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# mrctl trace --reproduce: the batch that it writes is refused as the program was.

load helpers

TOOL=$BUILD/tests/cli/trace-refused
[ -x "$TOOL" ] || TOOL=trace-refused

# trace_cases CASE...: traces trace-refused; $BATCH is what reproduces it, $how the command that its head tells
trace_cases() {
	BATCH=$BATS_TEST_TMPDIR/batch
	TMPDIR=$BATS_TEST_TMPDIR run --separate-stderr \
		"${SIM[@]}" "${LIMITED[@]}" mrctl trace -q --force --reproduce "$BATCH" -- "$TOOL" "$(device)" "$@"
	[ "$status" -eq 0 ] || fail "$*: exit status $status" "$output" "$stderr"
	how=$(sed -n 's/^# Run it with: //p' "$BATCH")
	on_simulator || how=${how/mrctl batch/mrctl -d "$MRCTL_TEST_DEVICE" batch}
}

# run_batch: `run` the batch as its head tells
run_batch() {
	run --separate-stderr "${SIM[@]}" bash -c "$how"
}

# reproduces CASE...: each of them is refused, and refused with the same errno by its batch
reproduces() {
	local name number

	for name; do
		trace_cases "$name"
		number=${output##* }
		[ "$number" -ne 0 ] || fail "$name: not refused"
		grep -q -e "--expect $(errno_name "$number")\$" "$BATCH" || fail "$name: $number" "$(cat "$BATCH")"
		run_batch
		succeeded || fail "$name: $stderr" "$(cat "$BATCH")"
	done
}

errno_name() { # NUMBER
	case $1 in
	1) echo EPERM ;; 2) echo ENOENT ;; 9) echo EBADF ;; 11) echo EAGAIN ;; 12) echo ENOMEM ;;
	13) echo EACCES ;; 14) echo EFAULT ;; 22) echo EINVAL ;; 95) echo EOPNOTSUPP ;; *) echo "$1" ;;
	esac
}

setup() {
	note_less
	LIMITED=()
}

# bats test_tags=kernel
@test "memory that cannot be written or read, or is missing, as a whole or in part" {
	reproduces readonly no_access readonly_in_the_middle constant readonly_file readonly_shm
	reproduces hole_in_the_middle hole_after unmapped null kernel_address beyond_private_file
	grep -q -e "--memory file-private:$BATS_TEST_TMPDIR/short" "$BATCH"
	# memfd_create(2): no path leads to that file
	reproduces beyond_file
	grep -q '^# MR-FILE-END: ' "$BATCH"
}

# bats test_tags=release
@test "a shared file: by its path in any language, or a comment that it has no path" {
	trace_cases foreign_file
	[ "${output##* }" -ne 0 ] || skip "$BATS_TEST_TMPDIR is on a file system whose memory is taken"
	reproduces foreign_file
	grep -q -e "--memory file:$BATS_TEST_TMPDIR/Größe " "$BATCH"
	trace_cases unlinked_file
	grep -q '^# It cannot be reproduced: the mapped file is no longer at its path' "$BATCH"
	run ! grep -e --expect "$BATCH"
}

# bats test_tags=kernel
@test "a length that leads beyond all addresses, or of which most is not mapped; access and IOVA" {
	reproduces wraps wraps_unaligned everything far_too_long
	run grep -c -e '--memory hole' "$BATCH"
	[ "$output" -eq 0 ]
	reproduces access_flags iova
	# rxe takes a length of 0, and so do older kernels of an address within a page
	on_mlx5 && [ "${MRCTL_TEST_GUEST:-sid}" = sid ] || return 0
	on_simulator || echo "mrctl-test: expect alloc_cacheable_mr" >/dev/kmsg
	reproduces no_length
}

# bats test_tags=kernel
@test "the limit of locked memory: of one region, of many unlike ones, of parts of pages, after others have gone" {
	LIMITED=("${UNPRIVILEGED[@]}" prlimit --memlock=65536)
	reproduces one sum sum_of_small sum_of_some
	grep -qx 'reg --size 16384 --count 3' "$BATCH"
	grep -q ', ulimit -l 64$' "$BATCH"
	[[ $how == *"--limit memlock=64K "* ]]
	on_mlx5 || return 0 # librxe cannot change regions
	# the region itself is a part of the sum
	reproduces change_to_more
	grep -qx 'reg --size 8192' "$BATCH"
	grep -qx 'reg --name changed --size 40960 --access local-write' "$BATCH"
}

# bats test_tags=kernel
@test "queues beyond the limit of locked memory: a region replaces their buffers" {
	on_mlx5 || skip "rxe pins no queues"
	LIMITED=("${UNPRIVILEGED[@]}" prlimit --memlock=65536)
	reproduces cq cq_ex cq_after_cq
	grep -q '^# a region replaces the buffers of the queue, which take at least 32768 bytes$' "$BATCH"
	grep -q '^# MR-MEMLOCK: .*, this call needs at least 32 KiB, and RLIMIT_MEMLOCK is 64 KiB' "$BATCH"
	reproduces srq qp
	LIMITED=()
	BATCH=$BATS_TEST_TMPDIR/batch
	run -0 --separate-stderr "${SIM[@]}" mrctl trace --expect-none-refused -- "$TOOL" "$(device)" qp_without_limit
	[[ $output != *" 0" && $stderr == *"; 0 refused"* ]]
	run -1 --separate-stderr "${SIM[@]}" "${UNPRIVILEGED[@]}" prlimit --memlock=65536 \
		mrctl trace --expect-none-refused -- "$TOOL" "$(device)" cq
	[[ $stderr == *"ibv_create_cq: ENOMEM"*"0 bytes are pinned, this call needs at least 256 KiB, and RLIMIT_MEMLOCK is 64 KiB"*"[certain, MR-MEMLOCK]"*"; 1 refused"* ]]
}

@test "a test for support of dma-bufs is not a refusal" {
	run -0 --separate-stderr "${SIM[@]}" mrctl trace --expect-none-refused -- "$TOOL" "$(device)" dmabuf_probe
	[[ $output != *" 0" && $stderr == *"; 0 refused"* ]]
}

@test "a queue that was refused for another reason is a comment" {
	on_simulator && on_mlx5 || skip "only the simulated mlx5 limits objects"
	LIMITED=(env MRCTL_SIM_MAX_OBJECTS=2)
	trace_cases cq
	[ "$output" = "cq 11" ]
	grep -q '^# It cannot be reproduced: a batch creates no queues' "$BATCH"
}

@test "a limit of locked memory that changed: the batch has the first one, and comments for the others" {
	LIMITED=("${UNPRIVILEGED[@]}" prlimit --memlock=65536)
	trace_cases one_below_limit
	[ "$output" = "one_below_limit 12" ]
	grep -q '^# It cannot be reproduced: more was pinned before than the limit of locked memory allows' "$BATCH"
	run ! grep -e --expect "$BATCH"
	trace_cases one_of_each_limit
	[ "$(grep -c ' 12$' <<<"$output")" -eq 2 ]
	grep -q '^# It cannot be reproduced: its limit of locked memory is not that of the batch' "$BATCH"
	[ "$(grep -c -e --expect "$BATCH")" -eq 1 ]
	[[ $how == *"--limit memlock=64K "* ]]
	run_batch
	succeeded
}

@test "the limit of locked memory, beside regions with on-demand paging, which pin nothing" {
	on_mlx5 || skip "rxe has no region of all memory"
	LIMITED=("${UNPRIVILEGED[@]}" prlimit --memlock=65536)
	reproduces one_after_all_memory
	[ "$(grep -c '^reg ' "$BATCH")" -eq 1 ]
	grep -qx '# registered before: 2 regions of 0 bytes' "$BATCH"
	reproduces one_after_many_on_demand
	grep -qx 'reg --size 4096' "$BATCH"
}

@test "the limit of locked memory is reproduced by another user, too" {
	require_nobody
	LIMITED=("${UNPRIVILEGED[@]}" prlimit --memlock=65536)
	trace_cases sum
	chmod 755 "$BATS_TEST_TMPDIR"
	succeeded as_nobody "${MR[@]}" batch --keep-going --limit memlock=64K <"$BATCH"
}

@test "the head of the batch has the fork protection of the program" {
	on_simulator || [ "$(rdma_core)" -eq 44 ] ||
		skip "its kernel copies pinned pages on fork, and libibverbs knows"
	reproduces fork_safe
	[[ $how == "RDMAV_FORK_SAFE=1 mrctl "* ]]
	trace_cases unmapped
	[[ $how == "mrctl "* ]]
}

# bats test_tags=kernel
@test "changes of regions" {
	on_mlx5 || skip "librxe cannot change regions"
	reproduces change_memory change_access change_all
	# Linux 6.1 changes the access alone, and does not look at the pages
	[ "${MRCTL_TEST_GUEST:-}" = bookworm ] || reproduces change_readonly_to_writing
}

@test "a change that rereg does not support is a comment, and the rest of the batch runs" {
	on_mlx5 || skip "librxe cannot change regions"
	trace_cases change_nothing_known readonly
	grep -q '^# It cannot be reproduced: mrctl rereg does not support its flags' "$BATCH"
	[ "$(grep -c -e --expect "$BATCH")" -eq 1 ]
	run_batch
	succeeded
}

@test "changes of memory on the device and of all memory, and a region beyond the memory on the device" {
	on_mlx5 || skip "librxe cannot change regions"
	reproduces change_device_memory
	grep -q -e '^reg --name changed --memory dm:4096 --offset 64 --size 128' "$BATCH"
	reproduces change_implicit
	grep -q -e '^reg --name changed --memory none --size max' "$BATCH"
	reproduces beyond_device_memory
	grep -q -e '--memory dm:4096 --offset 64 --size 8192' "$BATCH"
}

# bats test_tags=kernel
@test "umems, descriptors that are no dma-buf, and advice" {
	on_mlx5 || skip "rxe has neither, and librxe knows no advice before rdma-core 59"
	reproduces umem umem_page_sizes no_dmabuf bad_descriptor
	run grep udmabuf "$BATCH"
	[ "$status" -eq 1 ]
	reproduces advice_on_pinned advice_unmapped
	on_simulator || [ -e /dev/udmabuf ] || return 0
	run "${SIM[@]}" mrctl trace -q --force --reproduce "$BATCH" \
		-- mrctl -d "$(device)" -q reg-dmabuf --from udmabuf --access remote-write
	grep -qx 'reg-dmabuf --from udmabuf --buffer 4096 .* --access remote-write --iova 0x0 --expect EINVAL' "$BATCH"
}

@test "a request without a command is a comment: several ranges of an advice, attributes of later releases" {
	on_mlx5 || skip "librxe knows no advice before rdma-core 59"
	trace_cases advice_of_two umem_unknown_attribute
	[ "$(grep -c ' 0$' <<<"$output")" -eq 0 ]
	grep -q '^# It cannot be reproduced: mrctl supports advice for one range only' "$BATCH"
	grep -q '^# It cannot be reproduced: its comp_mask has bits' "$BATCH"
	run ! grep -e --expect "$BATCH"
	run --separate-stderr "${SIM[@]}" mrctl trace -- "$TOOL" "$(device)" advice_of_two
	[[ $stderr == *"because: not known"* && $stderr != *"MR-ADVICE-"* ]]
	run --separate-stderr "${SIM[@]}" mrctl trace -- "$TOOL" "$(device)" umem_unknown_attribute
	[[ $stderr == *"because: comp_mask has 0x10000000000, which the installed library may not know"*"MR-COMP-MASK]"* ]]
}

@test "the batch may have any path" {
	cd "$BATS_TEST_TMPDIR"
	"${SIM[@]}" mrctl trace -q --reproduce "it's \$HOME" -- "$TOOL" "$(device)" readonly
	how=$(sed -n 's/^# Run it with: //p' "it's \$HOME")
	run_batch
	succeeded
}

@test "a call that cannot be reproduced is a comment with the reason" {
	BATCH=$BATS_TEST_TMPDIR/batch
	run faulty dereg_mr=EBUSY trace -q --force --reproduce "$BATCH" -- mrctl reg
	run ! grep -e --expect "$BATCH"
	grep -q '^# It cannot be reproduced: the call depends on objects' "$BATCH"
	succeeded mr batch "$BATCH"
}
