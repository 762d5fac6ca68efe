#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The simulated HCA as programs other than mrctl see it, and the faults that it injects (mrctl sim --fault).

load helpers

# sim [OPTION...] -- CMD...: `run`s CMD on the simulated HCA
sim() {
	run --separate-stderr mrctl sim "$@"
}

# is_seen PROFILE LINE...: libibverbs' programs see one device of that profile, with these lines
is_seen() {
	local device=mlx5_0 line

	[ "$1" = mlx5 ] || device=rxe0
	sim --profile "$1" -- ibv_devices
	[ "$status" -eq 0 ]
	[ "$(grep -Ec 'mlx5_0|rxe0' <<<"$output") $(grep -c $device <<<"$output")" = "1 1" ]
	sim --profile "$1" -- ibv_devinfo -v
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	for line in "${@:2}"; do
		grep -q -- "$line" <<<"$output" || fail "no '$line' in:" "$output"
	done
	sim --profile "$1" -- sh -c "cat \$SYSFS_PATH/class/infiniband/$device/node_desc"
	[[ $output == "mrctl simulated HCA"* ]]
}

@test "ibv_devices lists one device, and ibv_devinfo -v prints plausible values and the mark of the simulator" {
	is_seen mlx5 'hca_id:	mlx5_0' 'transport:.*InfiniBand' 'vendor_part_id:.*4119' \
		'phys_port_cnt:.*1' 'max_mr_size:.*0xffffffffffffffff' 'max_mr:.*16777216' \
		ODP_SUPPORT_IMPLICIT 'state:.*PORT_ACTIVE' 'link_layer:.*InfiniBand' 'GID\[  0\]:.*fe80:'
	is_seen rxe Ethernet 'RoCE v2'
}

@test "the node is a character device inside alone, and calls that are not about it pass through" {
	sim -- bash -c '[ -c /dev/infiniband/uverbs250 ]'
	[ "$status" -eq 0 ]
	[ ! -e /dev/infiniband/uverbs250 ]
	# as programs look for it before they open it
	sim -- bash -ec 'node=/dev/infiniband/uverbs250
		[ -r $node ] && [ -w $node ] && [ ! -x $node ] && [ ! -L $node ]
		/usr/bin/test -w $node
		! /usr/bin/test -x $node
		! readlink $node
		sh -c "test -r $node"
		ls -l $node; stat -c "%t:%T %A" $node; find $node -type c
		stat -c "%t:%T %A" - <$node'
	succeeded
	[[ $output == "crw-rw-rw- "*" 231, 442 "*$'\ne7:1ba crw-rw-rw-\n/dev/infiniband/uverbs250\ne7:1ba crw-rw-rw-' ]] || fail "$output"
	if command -v python3 >/dev/null; then # a newer ls marks a node with "?" where these calls fail
		sim -- python3 -c 'if True:
			import errno, os
			node = "/dev/infiniband/uverbs250"
			for follow in True, False:
				assert os.listxattr(node, follow_symlinks=follow) == []
				try:
					os.getxattr(node, "system.posix_acl_access", follow_symlinks=follow)
					assert False
				except OSError as error:
					assert error.errno == errno.ENODATA, error'
		succeeded
	fi
	sim -- bash -c '[ -e /dev/infiniband/uverbs251 ] || ls -L /dev/infiniband/uverbs251'
	[[ $status -ne 0 && $stderr == *"No such file"* ]]
	sim -- sh -c 'echo text >"$1" && cat "$1" && ls /nowhere' sh "$BATS_TEST_TMPDIR/file"
	[ "$output" = text ]
	[[ $stderr == *"No such file or directory"* ]]
	sim -- env -u MRCTL_SIM ibv_devices
	[[ $output != *mlx5_0* ]]
	# without the simulator its descriptor is not taken for a device
	sim -- mrctl session -- env -u LD_PRELOAD -u SYSFS_PATH -u MRCTL_SIM mrctl stat
	[ "$status" -eq 3 ]
	[[ $stderr == *"simulated HCA"* ]]
}

@test "realpath(3) finds the simulated PCI function, whose files can be read below its answer" {
	command -v python3 >/dev/null || skip "no python3"
	sim -- python3 -c 'if True:
		import ctypes, sys
		libc = ctypes.CDLL(None)
		for name in "realpath", "__realpath_chk", "canonicalize_file_name":
			call = getattr(libc, name)
			call.restype = ctypes.c_char_p
			for path in sys.argv[1:]:
				print((call(path.encode(), ctypes.create_string_buffer(4096), ctypes.c_size_t(4096)) or b"-").decode())
		' /sys/class/infiniband/mlx5_0/device /dev/infiniband/uverbs250 /sys/class/infiniband/mlx5_1/device /dev/./null
	succeeded
	function=${lines[0]}
	[[ $function == *"/devices/pci0000:01/0000:01:00.0" ]] || fail "$output"
	[ "${#lines[@]}" -eq 12 ]
	[ "$(printf '%s\n' "${lines[@]}" | sort -u)" = "$(printf '%s\n' - "$function" /dev/infiniband/uverbs250 /dev/null | sort)" ]
	[[ $(<"$function/class") == 0x020700 && $(<"$function/numa_node") == -1 ]]
}

@test "a session keeps its profile and kernel if others are requested, on rxe without importing it" {
	sim --profile rxe -- mrctl session -- mrctl sim --profile mlx5 -- sh -c \
		'mrctl -q reg --size 4K && mrctl -j stat && mrctl -q dereg 1'
	succeeded
	json '.environment.device == "rxe0" and .environment.provider == "rxe" and .environment.simulated and
		(.regions[0] | .length == 4096 and .via == "kernel")'
	sim --kernel 6.1 -- mrctl session -- mrctl sim --kernel 7.2 -- mrctl reg --access local-write,flush-global
	refused EINVAL ibv_reg_mr
}

@test "other kernels are not simulated" {
	sim --kernel 6.0 -- mrctl reg
	usage_error "unknown kernel '6.0'"
	sim -- env MRCTL_SIM_KERNEL=5 ibv_devices
	[ "$status" -eq 2 ]
	[[ $stderr == *"MRCTL_SIM_KERNEL: unknown kernel '5'"* ]]
}

# ---- faults; how they are written is in tests/unit/lib/simulator/spec.c

@test "a call with a fault answers with the errno" {
	sim --fault reg_mr=EDQUOT -- mrctl reg
	refused EDQUOT ibv_reg_mr
	sim --fault open=EMFILE -- bash -c ': </dev/infiniband/uverbs250'
	[ "$status" -eq 1 ]
	[[ $stderr == *"Too many open files"* ]]
	sim --fault alloc_pd=ENOSPC -- mrctl reg
	refused ENOSPC ibv_alloc_pd
	# libibverbs' first question, which asks nothing, is left alone
	sim --fault query_device=EIO -- ibv_devinfo
	[ "$status" -ne 0 ]
	[[ $stderr == *"Failed to query device"* ]]
	while read -r call program message; do
		sim --fault "$call=ENOSPC" -- timeout 60 "ibv_${program}_pingpong" -e
		[[ $status -eq 1 && $stderr == *"$message"* ]] || fail "$call" "$stderr"
	done <<-'END'
		create_comp_channel rc Couldn't create completion channel
		create_cq rc Couldn't create CQ
		create_srq srq Couldn't create SRQ
		create_qp rc Couldn't create QP
		modify_qp rc Failed to modify QP to INIT
	END
}

@test "only the Nth call of a program has the fault; one word or several words set several faults" {
	sim --fault reg_mr@1=EAGAIN --fault 'reg_mr@2=EBUSY;reg_mr@4=ENOSPC;reg_mr@6=EIO' -- \
		mrctl -j reg --count 5 --keep-going
	[ "$status" -eq 1 ]
	json '[.failures[] | .index, .errno] == [1, "EAGAIN", 2, "EBUSY", 4, "ENOSPC"] and (.regions | length == 2)'
	sim --fault reg_mr@2=EAGAIN -- sh -c 'mrctl reg && mrctl reg'
	succeeded
	sim --fault reg_mr=delay:1 -- mrctl reg # that it waits is seen in memory.bats
	succeeded
}

@test "kill happens before the call, and kill-after happens after it; locks of the table can fail and kill, too" {
	sim -- mrctl session -- bash -c 'MRCTL_SIM_FAULT=reg_mr=kill mrctl reg; echo $?; mrctl stat -n -o length
		MRCTL_SIM_FAULT=reg_mr=kill-after mrctl reg --size 8K; echo $?; mrctl stat -n -o length
		MRCTL_SIM_FAULT=lock@1=EIO mrctl reg'
	[[ $output == 137*137*8192 && $output != *4096* ]] || fail "$output"
	[ "$status" -eq 1 ]
	[[ $stderr == *"fcntl(F_SETLK): EIO"* ]]
	# killed before the first lock, and after it: the next command gets the lock at once
	for when in kill kill-after; do
		sim -- mrctl session -- bash -c "MRCTL_SIM_FAULT=lock@1=$when mrctl reg; echo \$?; mrctl reg"
		succeeded
		[ "${lines[0]}" -eq 137 ]
	done
	sim -- mrctl session -- bash -c 'for i in $(seq 100); do
			MRCTL_SIM_FAULT=lock@$i=kill-after mrctl -q reg && break
		done; echo $i'
	[ "$output" -gt 2 ]
	[ "$output" -lt 100 ]
	command -v perl >/dev/null || skip "perl is not installed"
	# those of other files are left alone
	sim --fault lock=EIO -- perl -e 'use Fcntl; open(F, "+>", $ARGV[0]) or die;
		my $lock = pack("s s x4 q q i x4", F_WRLCK, 0, 0, 0, 0);
		fcntl(F, F_SETLK, $lock) or die $!;' "$BATS_TEST_TMPDIR/file"
	succeeded
}

@test "malformed faults and profiles are usage errors; those of the environment take effect and are checked, too" {
	for spec in '' reg_mr=EFOO 'reg_mr=kill;'; do
		sim --fault "$spec" -- true
		usage_error --fault:
	done
	sim --profile foo -- true
	usage_error "unknown profile 'foo'"
	MRCTL_SIM_FAULT=reg_mr=EDQUOT sim -- mrctl reg
	refused EDQUOT ibv_reg_mr
	sim --fault reg_mr=EDQUOT -- mrctl sim --fault reg_mr=EBUSY -- mrctl reg
	refused EBUSY ibv_reg_mr
	sim -- env MRCTL_SIM_FAULT=nonsense true
	[ "$status" -eq 2 ]
	[[ $stderr == *"MRCTL_SIM_FAULT: 'nonsense' is not of the form"* ]]
}

@test "random calls are answered as three kernels answered them" {
	[ "$(id -u)" -eq 0 ] || skip "some calls are those of another user"
	unshare --mount true || skip "needs a mount namespace"
	xz -dc "$ROOT/tests/kernel/differential/answers.xz" >"$BATS_TEST_TMPDIR/answers"
	run "$ROOT/tests/kernel/differential/compare.sh" "$BATS_TEST_TMPDIR/answers"
	[ "$status" -eq 0 ] || fail "$output"
	[ "$(grep -c ': 2000 calls, 0 differences' <<<"$output")" -eq 6 ]
}

# Runs a pingpong of rdma-core between two processes, with no messages: they create, connect and destroy all objects
PINGPONG='"${@:3}" -n 0 -p $1 & server=$!
	until eval "$2"; do kill -0 $server || exit; sleep 0.1; done
	"${@:3}" -n 0 -p $1 127.0.0.1 >/dev/null || echo "client: $?"
	wait $server'

@test "the pingpongs of rdma-core create, connect and destroy their queues, with and without a channel" {
	port=$((20000 + $$ % 12000))
	for program in "rc_pingpong -e" rc_pingpong uc_pingpong ud_pingpong srq_pingpong; do
		sim -- bash -c "$PINGPONG" bash $port "$(at_port $port)" ibv_$program
		[[ $status -eq 0 && $output == *"0 iters in"* && $output != *client* ]] || fail "$program" "$output" "$stderr"
		sim --profile rxe -- bash -c "$PINGPONG" bash $port "$(at_port $port)" ibv_$program -g 0
		[[ $status -eq 0 && $output == *"0 iters in"* && $output != *client* ]] || fail "$program" "$output" "$stderr"
	done
}

@test "messages, RDMA and atomic operations end as the InfiniBand specification says, for each access and place" {
	for options in "--profile mlx5" "--profile rxe" "--profile rxe --kernel 6.1"; do
		UNRELIABLE=1 RELEASE=${options##* }. sim $options -- "$BUILD/tests/cli/path-tool" 500
		[[ $status -eq 0 && $output == *" checks, 0 differences" ]] || fail "$options" "$output" "$stderr"
	done
}

# bats test_tags=slow
@test "perftest moves its data between two processes: one request at a time or many, polling or sleeping, with several QPs" {
	port=$((20000 + $$ % 12000))
	command -v ib_write_bw >/dev/null || skip "needs perftest"
	for profile in mlx5 rxe; do
		while read -r options; do
			sim --profile $profile -- bash -c "${PINGPONG//-n 0/-n 20 -F -x 0}" bash $port "$(at_port $port)" $options
			[[ $status -eq 0 && $output == *"remote address"* && $output != *client:* ]] ||
				fail "$profile $options" "$output" "$stderr"
		done <<-'EOT'
			ib_write_bw -b -q 3
			ib_write_lat -s 64 -I 64
			ib_read_bw -s 8388608
			ib_read_lat
			ib_read_lat -e
			ib_send_bw -b -e -q 2
			ib_send_lat -e
			ib_send_bw -q 3 --use-srq
			ib_send_bw -c UC -b
			ib_write_lat -c UC
			ib_send_bw -c UD --use-srq
			ib_send_lat -c UD -e
			ib_atomic_bw -A CMP_AND_SWAP
			ib_atomic_lat
		EOT
	done
}

@test "the pingpongs move their data between two processes, polling or sleeping, also in memory on demand" {
	port=$((20000 + $$ % 12000))
	for profile in mlx5 rxe; do
		for options in rc_pingpong "rc_pingpong -e" "rc_pingpong -s 1000000" "rc_pingpong -o" \
			srq_pingpong "srq_pingpong -e" uc_pingpong "uc_pingpong -e" \
			ud_pingpong "ud_pingpong -e"; do
			sim --profile $profile -- bash -c "${PINGPONG//-n 0/-n 100 -c -g 0}" bash $port "$(at_port $port)" ibv_$options
			[[ $status -eq 0 && $output == *" iters in"* && $output != *client* && $output != *invalid* ]] ||
				fail "$profile $options" "$output" "$stderr"
		done
	done
}
