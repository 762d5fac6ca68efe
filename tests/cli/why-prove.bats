#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# mrctl --why prove: which function of the kernel refused, and what the firmware answered.

load helpers
load why

teardown() {
	[ -z "${MRCTL_TEST_GUEST:-}" ] || ! on_mlx5 || hca-probe --fail none
	tidy
}

# proved FILTER MRCTL...: runs mrctl, which is refused; FILTER holds for the proof of its first failure
proved() {
	local filter=$1
	shift
	run --separate-stderr "$@" --why prove --json
	((status != 0)) || fail "not refused: $*" || return
	jq -e ".failures[0].proof | $filter" <<<"$output" >/dev/null ||
		fail "not $filter: $(jq -c '.failures[0] | {errno, layer, proof, causes}' <<<"$output")"
}

# because LAYER ID: the same refusal has this layer, and ID for its only certain cause
because() {
	json ".failures[0] | .layer == \"$1\" and .causes[0].id == \"$2\" and
		[.causes[] | select(.certainty == \"certain\").id] == [\"$2\"]"
}

# has FUNCTION: a filter that holds where the functions of a proof have one whose name matches
has() {
	printf 'any(.functions[]; .function | test("%s"))' "$1"
}

@test "a simulated device has no proof, with the reason; nor has a refusal without --why prove" {
	proved '.functions == [] and .refused_by == null and (.user_space | not) and
		(.note | test("simulated"))' mr reg --memory unmapped
	run --separate-stderr mr reg --memory unmapped --why prove
	[[ $stderr == *"not proved: the device is simulated"* ]]
	shows '.failures[0].proof == null' mr reg --memory unmapped
}

# bats test_tags=kernel
@test "memory management refuses: the chain goes from the system call to it, for each of many regions" {
	need_kernel
	proved '.refused_by == "__get_user_pages" and .note == null and
		(.functions[0].function | test("^ib_uverbs_")) and
		.functions[-1] == {function: "__get_user_pages", layer: "memory", errno: "EFAULT"}' \
		mr reg --memory unmapped
	json '.failures[0].layer == "memory"'
	json ".failures[0].proof | $(has 'reg_user_mr$') and $(has 'ib_umem_get')"
	run --separate-stderr mr reg --memory unmapped --why prove
	[[ $stderr == *"proved: __get_user_pages returned EFAULT, below "*umem_get*" and "*_reg_user_mr" [memory]"* ]]
	run --separate-stderr mr reg --memory unmapped --count 3 --keep-going --why prove --json
	json '[.failures[].proof.refused_by] == ["__get_user_pages", "__get_user_pages", "__get_user_pages"]'
}

# bats test_tags=kernel
@test "uverbs or umem refuses: no function below it has failed" {
	need_kernel
	proved '.refused_by | test("^ib_uverbs_")' mr reg --access remote-write
	because uverbs MR-ACCESS-LOCAL-WRITE
	ulimit -l 64
	proved '(.refused_by | test("ib_umem_get")) and .functions[-1].errno == "ENOMEM"' \
		"${UNPRIVILEGED[@]}" "${MR[@]}" reg --size 1M
	because memory MR-MEMLOCK
}

# bats test_tags=kernel
@test "a descriptor that is not a dma-buf, and a change that libibverbs refuses without calling the kernel" {
	need_hca
	proved '.refused_by == "dma_buf_get" and .functions[-1].layer == "dma-buf"' \
		mr reg-dmabuf --from fd:0 --size 4K </dev/null
	printf 'reg --name a\nrereg a --flags 0x80 --via library\ndereg a\n' >"$BATS_TEST_TMPDIR/batch"
	proved '.user_space and .functions == [] and .refused_by == null' \
		mr batch "$BATS_TEST_TMPDIR/batch"
}

# bats test_tags=kernel
@test "advice: who refused it, after a registration that passed" {
	need_kernel
	on_mlx5 || skip "rxe of some kernels has no on-demand paging"
	proved '.note == null and .refused_by != null and all(.functions[]; .errno == "EFAULT") and
		(.functions[0].function | test("^ib_uverbs_"))' \
		mr reg --access on-demand,local-write --memory unmapped --advise prefetch-write,flush
}

# bats test_tags=kernel
@test "the firmware refuses a command: its status and syndrome, and the cause is certain" {
	local row status errno id

	need_hca
	for row in LIM_ERR:ENOMEM:MR-FW-LIMIT NO_RES:EAGAIN:MR-FW-RESOURCES \
		BAD_PARAM:EINVAL:MR-FW-REFUSED INT_ERR:EIO:MR-FW-INTERNAL; do
		IFS=: read -r status errno id <<<"$row"
		hca-probe --fail "CREATE_UMEM=$status"
		proved ".firmware.command == \"CREATE_UMEM\" and .firmware.errno == \"$errno\" and
			(.firmware.status | startswith(\"$status\")) and
			(.firmware.syndrome | startswith(\"0x\")) and
			(.refused_by | startswith(\"mlx5_cmd_\"))" mr umem --size 64K
		because firmware "$id"
	done
}

# bats test_tags=kernel
@test "without proof a line of the kernel's log makes the answer of the firmware likely" {
	need_hca
	[ "$MRCTL_TEST_GUEST" = sid ] || skip "this kernel has made the keys before"
	hca-probe --fail CREATE_MKEY=LIM_ERR
	# A size for which the driver has kept no key of an earlier region
	for size in 4M 8M 16M 32M 64M 128M; do
		run --separate-stderr mr reg --size $size --json
		((status == 0)) || break
	done
	json '.failures[0].causes[0] | .id == "MR-FW-LIMIT" and .certainty == "likely"'
}

# bats test_tags=kernel
@test "a work request for a key fails: EFAULT, though the memory is fine" {
	need_hca
	echo "mrctl-test: expect umr" >/dev/kmsg
	hca-probe --fail UMR=INT_ERR
	run --separate-stderr mr reg --size 64M --why prove --json
	((status != 0)) || skip "this kernel writes the key without a work request"
	json '.failures[0].proof.refused_by == "mlx5r_umr_post_send_wait"'
	because firmware MR-FW-UMR
	hca-probe --fail UMR=INT_ERR
	refused_because MR-FW-UMR likely mr reg --size 64M --json # by the kernel's log
}

# bats test_tags=kernel
@test "a user who may not watch the kernel, or has kprobes switched off, gets the reason" {
	need_kernel
	chmod 666 /dev/infiniband/uverbs*
	proved '.functions == [] and (.note | test("requires root"))' \
		setpriv --reuid=65534 --clear-groups "${MR[@]}" reg --memory unmapped
	json '.failures[0].errno == "EFAULT"'
	for limit in 12 20 30; do # descriptors run out while probes are put up, and not what reg itself needs
		proved '.functions == [] and (.note | test("Too many open files.*ulimit -n"))' \
			prlimit --nofile=$limit "${MR[@]}" reg --memory unmapped || return
		json '.failures[0].errno == "EFAULT"'
	done
	echo 0 >/sys/kernel/debug/kprobes/enabled
	run --separate-stderr mr reg --memory unmapped --why prove --json
	echo 1 >/sys/kernel/debug/kprobes/enabled
	json '.failures[0] | .errno == "EFAULT" and .proof.functions == [] and
		(.proof.note | test("kprobes are switched off")) and (.proof.user_space | not)'
}

# bats test_tags=kernel
@test "tracefs is not required, and probes of other users stay unchanged" {
	tracefs=/sys/kernel/tracing
	need_kernel
	mountpoint -q $tracefs || mount -t tracefs none $tracefs
	mkdir $tracefs/instances/other
	echo 'r:other/gup __get_user_pages' >>$tracefs/kprobe_events
	echo 1 >$tracefs/instances/other/events/other/gup/enable
	echo 0 >$tracefs/tracing_on
	proved '.refused_by == "__get_user_pages"' mr reg --memory unmapped
	[[ $(cat $tracefs/kprobe_events) == r*:other/gup\ * ]]
	[ "$(wc -l <$tracefs/kprobe_events)" = 1 ]
	[ "$(cat $tracefs/instances/other/events/other/gup/enable)" = 1 ]
	[ "$(cat $tracefs/tracing_on)" = 0 ]
	[ "$(ls $tracefs/instances)" = other ]
	echo 1 >$tracefs/tracing_on
	echo 0 >$tracefs/instances/other/events/other/gup/enable
	rmdir $tracefs/instances/other
	echo '-:other/gup' >>$tracefs/kprobe_events
	umount $tracefs
	proved '.refused_by == "__get_user_pages"' mr reg --memory unmapped
}

# watched: prints how many probes of ib_uverbs_ioctl stand, also those of others
watched() {
	grep -c ib_uverbs_ioctl /sys/kernel/debug/kprobes/list || :
}

# bats test_tags=kernel
@test "probes end with the process, even if it is killed, and while it only waits" {
	out=$BATS_TEST_TMPDIR/out
	need_kernel
	before=$(watched)
	as_before() { [ "$(watched)" = "$before" ]; }
	"${MR[@]}" reg --why prove --hold >"$out" 3>&- &
	HOLD_PID=$!
	await [ -s "$out" ]
	await as_before
	release KILL || :
	"${MR[@]}" reg --why prove --hold --count 100000 --size 4K --quiet 3>&- &
	HOLD_PID=$!
	more() { [ "$(watched)" -gt "$before" ]; }
	await more
	release KILL || :
	as_before
}
