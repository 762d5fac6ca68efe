#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# mrctl trace of programs that others have written: they run as they do alone, what they register is seen, and a
# refusal has its cause and a batch that is refused in the same way.

load helpers

# rdma_cm in the guests
ADDRESS=10.9.0.1

setup() {
	note_less
	CALLS=$BATS_TEST_TMPDIR/calls BATCH=$BATS_TEST_TMPDIR/batch
	DEVICE=$(device) LIMITED=()
	PINGPONG=(ibv_rc_pingpong -d "$DEVICE" -n 10)
	# -F: perftest fails where it cannot measure the clock of a busy machine
	WRITE_BW=(ib_write_bw -d "$DEVICE" -n 5 -F)
	on_mlx5 || PINGPONG+=(-g 1)
}

# needs PROGRAM PACKAGE [GUEST...]: skips where it is missing.  All guests must have it, or only these.
needs() {
	if [ -n "${MRCTL_TEST_GUEST:-}" ]; then
		[[ $# -eq 2 || " ${*:3} " == *" $MRCTL_TEST_GUEST "* ]] || skip "$2 is in the guest ${*:3}"
	else
		command -v "$1" >/dev/null || skip "needs $1: apt-get install $2"
	fi
}

# on_kernel: skips on the simulator, which has no queues
on_kernel() {
	! on_simulator || skip "needs a device that has queues"
}

# traced CMD...: traces it; what it printed is in $output, its calls in $CALLS, what reproduces them in $BATCH
traced() {
	run --separate-stderr "${SIM[@]}" "${LIMITED[@]}" \
		timeout -k 1 120 mrctl trace -q -o "$CALLS" --force --reproduce "$BATCH" -- "$@"
}

# A script that runs a server, waits until READY, runs a client, and fails if one of them does.  The other is given
# ten seconds to fail, too: it may be slower, or wait for the first one without end.
BOTH='read -ra server <<<"$1"; read -ra client <<<"$2"
	timeout 60 "${server[@]}" & s=$!
	until eval "$3"; do kill -0 $s || exit 1; sleep 0.1; done
	timeout 60 "${client[@]}" & c=$!
	wait -n || {
		for i in {1..100}; do [ -n "$(jobs -rp)" ] || break; sleep 0.1; done
		kill $s $c
	} 2>/dev/null
	wait $s; status=$?
	wait $c && exit $status'

# A script that runs a server without a client, until it waits at a port or has ended
ALONE='"${@:2}" & s=$!
	until eval "$1" || ! kill -0 $s 2>/dev/null; do sleep 0.1; done
	kill $s 2>/dev/null
	wait $s'

# A script that runs CMD, and ends it when a call was refused, or after a minute
UNTIL_REFUSED='timeout -k 5 60 "${@:2}" & c=$!
	until grep -q "\"answer\":\"E" "$1" || ! kill -0 $c 2>/dev/null; do sleep 0.1; done
	kill $c 2>/dev/null
	wait $c'

# READY of a server that waits at rdma_cm; at_port has that of one that waits at a port
AT_RDMA_CM='[[ $(rdma resource show cm_id) == *LISTEN* ]]'

# limited SIZE: what is traced may lock so much memory
limited() {
	LIMITED=("${UNPRIVILEGED[@]}" prlimit --memlock="$1")
}

# calls FILTER: it holds for the list of traced calls
calls() {
	jq -es "$1" "$CALLS" >/dev/null || fail "this does not hold: $1" "$(head -c 2000 "$CALLS")" "$output" "$stderr"
}

# refused_because ERRNO CAUSE: all refused calls were for this reason
refused_because() {
	calls "map(select(.answer != \"ok\")) | length > 0 and
		all(.[]; .answer == \"$1\") and .[0].causes[0].id == \"$2\" and .[0].causes[0].certainty == \"certain\""
}

# reproduced [TEXT]: the batch, which has TEXT, is refused as the program was
reproduced() {
	local how

	grep -q -e "${1:-}" "$BATCH" || fail "no '$1'" "$(cat "$BATCH")"
	how=$(sed -n 's/^# Run it with: //p' "$BATCH")
	on_simulator || how=${how/mrctl batch/mrctl -d "$MRCTL_TEST_DEVICE" batch}
	succeeded "${SIM[@]}" bash -c "$how" || fail "$(cat "$BATCH")"
}

# read_only SIZE CMD...: traces CMD, whose regions of at least SIZE bytes are read-only while they are registered
read_only() {
	local so=$BUILD/readonly.so

	# before the simulator, which is in the same list
	traced bash -c 'export READONLY=$1 LD_PRELOAD=$2${LD_PRELOAD:+:$LD_PRELOAD}; exec "${@:3}"' bash "$1" "$so" "${@:2}"
}

# refused_twice LIMIT SIZE CMD...: CMD is refused beyond the LIMIT of locked memory, and where its regions of at least
# SIZE bytes are read-only
refused_twice() {
	limited "$1"
	traced "${@:3}"
	refused_because ENOMEM MR-MEMLOCK
	reproduced '^reg .*--expect ENOMEM$'
	LIMITED=()
	read_only "$2" "${@:3}"
	refused_because EFAULT MR-READ-ONLY
	reproduced '^reg .*--expect EFAULT$'
}

# refused_by_firmware TEXT CMD...: traces CMD, whose SIZE is one for which the driver has kept no key, and which
# prints TEXT: the cause is found, and no batch is refused in the same way
refused_by_firmware() {
	{ [ "${MRCTL_TEST_GUEST:-}" = sid ] && on_mlx5; } || skip "needs the software HCA, and a kernel that makes keys late"
	local size text=$1

	shift
	for size in 5 9 17 33 65 129; do
		hca-probe --fail CREATE_MKEY=LIM_ERR
		traced "${@//SIZE/$((size << 20))}"
		[[ $output$stderr != *"$text"* ]] || break
	done
	hca-probe --fail none
	[[ $output$stderr == *"$text"* ]] || fail "$output" "$stderr"
	calls 'map(select(.answer != "ok")) | length == 1 and .[0].causes[0].id == "MR-FW-LIMIT"'
	grep -q '^# It cannot be reproduced: the firmware' "$BATCH"
}

# ---- libibverbs' own examples --------------------------------------------------------------------

# bats test_tags=kernel
@test "pingpong between two processes, pinned and on demand: it runs as without trace, and both regions are reported" {
	on_kernel
	end=("${PINGPONG[@]}")
	two='length == 2 and .[0].pid != .[1].pid'
	if ! on_mlx5; then # the software HCA sends no messages
		traced bash -c "$BOTH" bash "${PINGPONG[*]}" "${PINGPONG[*]} 127.0.0.1" "$(at_port 18515)"
		succeeded
		[ "$(grep -c '^10 iters in' <<<"$output")" -eq 2 ]
		calls "map(select(.length == 4096 and .answer == \"ok\")) | $two"
	fi
	# rxe of older kernels has no on-demand paging for messages
	[ "$MRCTL_TEST_GUEST" = sid ] || return 0
	# no message arrives, and so they wait until long after they have registered
	! on_mlx5 || end=(timeout 10 "${end[@]}")
	traced bash -c "$BOTH" bash "${end[*]} -o" "${end[*]} -o 127.0.0.1" "$(at_port 18515)"
	on_mlx5 || succeeded
	calls "map(select(.length == 4096 and .answer == \"ok\" and (.access | index(\"on-demand\")))) | $two"
}

# bats test_tags=kernel
@test "pingpong beyond the limit of locked memory, and in memory that is read-only" {
	needs ibv_rc_pingpong ibverbs-utils
	limited 65536
	traced "${PINGPONG[@]}" -s 1000000
	[[ $stderr == *"Couldn't register MR"* ]] || fail "$output" "$stderr"
	refused_because ENOMEM MR-MEMLOCK
	reproduced '^reg --size 1000000 --access local-write --expect ENOMEM$'
	if on_mlx5; then # its CQ, of 512 entries, is pinned
		limited 16384
		traced "${PINGPONG[@]}"
		[[ $stderr == *"Couldn't create CQ"* ]] || fail "$output" "$stderr"
		refused_because ENOMEM MR-MEMLOCK
		reproduced '^reg --size 32768 --expect ENOMEM$'
		# after the region, the CQ, and the page of the doorbells that both queues share
		limited 45056
		traced "${PINGPONG[@]}"
		[[ $stderr == *"Couldn't create QP"* ]] || fail "$output" "$stderr"
		refused_because ENOMEM MR-MEMLOCK
		grep -q '^# MR-MEMLOCK: 40 KiB are pinned, this call needs at least 8 KiB' "$BATCH"
	fi
	LIMITED=()
	read_only 1 "${PINGPONG[@]}" -s 100000
	refused_because EFAULT MR-READ-ONLY
	reproduced '^reg --memory readonly .*--expect EFAULT$'
}

# bats test_tags=kernel
@test "pingpong, refused by the firmware: the firmware is the cause, and no batch is written" {
	refused_by_firmware "Couldn't register MR" bash -c "$ALONE" bash "$(at_port 18515)" "${PINGPONG[@]}" -s SIZE
}

# ---- perftest ------------------------------------------------------------------------------------

# write_bw OPTION...: traces both ends of ib_write_bw
write_bw() {
	traced bash -c "$BOTH" bash "${WRITE_BW[*]} $*" "${WRITE_BW[*]} $* 127.0.0.1" "$(at_port 18515)"
}

# bats test_tags=kernel
@test "perftest: it runs as without trace, and regions of both ends are reported; on demand nothing is pinned" {
	on_kernel
	needs ib_write_bw perftest
	write_bw -s 4096
	succeeded
	[ "$(grep -c '^ 4096 *5 ' <<<"$output")" -eq 2 ]
	calls 'map(select(.length == 8192 and .answer == "ok" and (.access | index("remote-write")))) |
		length == 2 and .[0].pid != .[1].pid'
	# rxe of older kernels has no on-demand paging for writes
	on_mlx5 || [ "$MRCTL_TEST_GUEST" = sid ] || return 0
	limited 2097152
	write_bw -s 4000000 --odp
	calls 'map(select(.length == 8000000)) | length > 0 and
		all(.[]; (.access | index("on-demand")) and .answer == "ok")'
}

# bats test_tags=kernel
@test "perftest beyond the limit of locked memory, of anonymous memory and of huge pages, and in read-only memory" {
	on_kernel
	needs ib_write_bw perftest
	limited 2097152
	write_bw -s 4000000
	[[ $stderr == *"Couldn't allocate MR"* ]] || fail "$output" "$stderr"
	refused_because ENOMEM MR-MEMLOCK
	reproduced '^reg --size 8000000 .*--expect ENOMEM$'
	# other tests have some, too
	pages=$(</proc/sys/vm/nr_hugepages)
	echo $((pages + 8)) >/proc/sys/vm/nr_hugepages
	write_bw -s 4000000 --use_hugepages
	refused_because ENOMEM MR-MEMLOCK
	reproduced '^reg --memory hugetlb:2M --size 8000000 .*--expect ENOMEM$'
	echo "$pages" >/proc/sys/vm/nr_hugepages
	LIMITED=()
	read_only 8192 bash -c "$BOTH" bash "${WRITE_BW[*]} -s 65536" "${WRITE_BW[*]} -s 65536 127.0.0.1" \
		"$(at_port 18515)"
	refused_because EFAULT MR-READ-ONLY
	reproduced '^reg --memory readonly .*--expect EFAULT$'
}

# ---- rdma_cm and libfabric -----------------------------------------------------------------------

# bats test_tags=kernel
@test "rping: it runs as alone, and is refused beyond the limit of locked memory" {
	on_kernel
	needs rping rdmacm-utils
	! on_mlx5 || skip "the software HCA has no address for rdma_cm"
	traced bash -c "$BOTH" bash "rping -s -a $ADDRESS -C 2" "rping -c -a $ADDRESS -C 2" "$AT_RDMA_CM"
	succeeded
	calls 'map(select(.answer == "ok" and .call == "ibv_reg_mr")) | length == 7'
	limited 32768
	traced bash -c "$BOTH" bash "rping -s -S 60000 -a $ADDRESS -C 2" "rping -c -S 60000 -a $ADDRESS -C 2" \
		"$AT_RDMA_CM"
	[[ $output$stderr == *"reg_mr failed"* ]] || fail "$output" "$stderr"
	refused_because ENOMEM MR-MEMLOCK
	reproduced '^reg --.*--size 60000 .*--expect ENOMEM$'
}

# bats test_tags=kernel
@test "libfabric: fi_pingpong is refused beyond the limit, and in memory that is read-only" {
	on_kernel
	needs fi_pingpong libfabric-bin sid trixie
	! on_mlx5 || skip "the software HCA has no address for rdma_cm"
	refused_twice 1000000 1000000 bash -c "$BOTH" bash "fi_pingpong -p verbs -e msg -d $DEVICE" \
		"fi_pingpong -p verbs -e msg -d $DEVICE $ADDRESS" "$(at_port 47592)"
}

# ---- UCX -----------------------------------------------------------------------------------------

# over_ucx: how UCX finds rxe0, whose datagrams it takes by IPv6 alone
over_ucx() {
	on_kernel
	! on_mlx5 || skip "the software HCA sends no messages"
	export UCX_NET_DEVICES=$DEVICE:1 UCX_IB_GID_INDEX=0 UCX_TLS=rc_v,self
}

# bats test_tags=kernel
@test "ucx_perftest: both ends run as alone; refused beyond the limit, and in memory that is read-only" {
	over_ucx
	needs ucx_perftest ucx-utils bookworm
	perftest="ucx_perftest -t tag_bw -n 3 -w 1 -s 2000000"
	both=(bash -c "$BOTH" bash "$perftest" "$perftest 127.0.0.1" "$(at_port 13337)")
	traced "${both[@]}"
	succeeded
	[[ $output == *"Final:"* ]] || fail "$output" "$stderr"
	calls 'map(select(.length >= 2000000 and .answer == "ok")) | map(.pid) | unique | length == 2'
	refused_twice 2000000 2000000 "${both[@]}"
}

# ---- Open MPI ------------------------------------------------------------------------------------

# bats test_tags=kernel
@test "Open MPI: two ranks run as alone; refused beyond the limit, and in memory that is read-only" {
	over_ucx
	needs NPopenmpi netpipe-openmpi bookworm
	local ranks=(mpirun.openmpi --allow-run-as-root --oversubscribe -np 2 --mca pml ucx --mca btl "^openib,ofi"
		NPopenmpi -l 1000000 -u 1000000 -n 1 -p 0)

	cd "$BATS_TEST_TMPDIR" # NetPIPE writes its figures there
	traced "${ranks[@]}"
	succeeded
	[[ $output$stderr == *"1000000 bytes"*"1 times"* ]] || fail "$output" "$stderr"
	calls 'map(select(.place and (.place | contains("uct_ib_reg")) and .answer == "ok")) |
		map(.pid) | unique | length == 2'
	# UCX asks again and again
	refused_twice 2000000 1000000 bash -c "$UNTIL_REFUSED" bash "$CALLS" "${ranks[@]}"
}
