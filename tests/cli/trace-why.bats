#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The causes that trace finds, from outside, are those that mrctl finds for its own refusals.

load helpers
load why

# mrctl on the device under test, without the simulator
DIRECT=("${MR[@]:${#SIM[@]}}")

setup() {
	# where an unprivileged user may write
	FOLDER=$(mktemp -d "${TMPDIR:-/tmp}/mrctl-test.XXXXXX")
	chmod 777 "$FOLDER"
	CALLS=$FOLDER/calls
}

teardown() {
	rm -rf "$FOLDER"
	tidy
}

# The first cause with all that belongs to it; - where there is none
FIRST='.causes[0] // "-" | if type == "object" then {id, certainty, cause, evidence, remedy} else . end'

# compare ID: what a traced mrctl has said of its own first failure ($output) is what the trace has, and its cause is ID
compare() {
	local call own traced

	((status != 0)) || fail "not refused: $output"
	call=$(jq -c '.failures[0] | [.call, .errno]' <<<"$output")
	own=$(jq -Sc ".failures[0] | $FIRST" <<<"$output")
	traced=$(jq -Sc --argjson call "$call" "select([.call, .answer] == \$call) | $FIRST" "$CALLS" | head -1)
	[ "$own" = "$traced" ] || fail "$call: of itself: $own"$'\n'"traced: ${traced:-nothing}"
	[ "$1" = "$(jq -r '.id? // .' <<<"$own")" ] || fail "$call: expected $1, not $own"
}

# alike ID [PREFIX...] -- ARG...: mrctl ARG... with --json, started by PREFIX, is refused because of ID
alike() {
	local id=$1 prefix=()

	shift
	while [ "$1" != -- ]; do
		prefix+=("$1")
		shift
	done
	shift
	rm -f "$CALLS"
	run --separate-stderr "${prefix[@]}" "${SIM[@]}" mrctl trace -q --force -o "$CALLS" -- "${DIRECT[@]}" "$@" --json
	compare "$id"
}

# each_alike: reads lines "ID ARG..."
each_alike() {
	local id args

	while read -r id args; do
		[ -z "$id" ] || alike "$id" -- $args
	done
}

@test "memory that cannot be pinned, and requests that are wrong in themselves" {
	printf x >"$BATS_TEST_TMPDIR/short"
	each_alike <<-EOF
		MR-RANGE-UNMAPPED reg --memory none --addr 0xffff888000000000 --size 4K
		MR-RANGE-END reg --memory hole --size 64K
		MR-READ-ONLY reg --memory readonly --offset 100 --size 8
		MR-FILE-END reg --memory file-private:$BATS_TEST_TMPDIR/short --size 64K
		MR-LENGTH-ZERO reg --size 0
		MR-RANGE-WRAPS reg --memory none --addr 0xffffffffffffe000 --size 8193
		MR-PAGE-COUNT reg --memory none --addr 0x100000 --size 16T
		MR-ACCESS-LOCAL-WRITE reg --access remote-write
		MR-ACCESS-FLAGS reg --access local-write,0x400
	EOF
}

@test "refusals of mlx5" {
	local SIM=(mrctl sim --kernel 7.2 --)

	each_alike <<-EOF
		MR-IOVA-OFFSET reg-iova --size 64K --iova 0x100
		MR-READ-ONLY umem --memory readonly --access local-write
		MR-UMEM-PAGE-SIZES umem --page-sizes none
		MR-DESCRIPTOR-LIBRARY umem --dmabuf fd:-1
		MR-DMABUF-RANGE reg-dmabuf --from udmabuf --buffer 8K --size 12K
		MR-DM-SIZE reg --memory dm --size 1M
		MR-ADVICE-PINNED reg --advise prefetch
		MR-ADVICE-ACCESS reg --access remote-read,on-demand --advise prefetch-write
		MR-ODP-IMPLICIT reg-iova --memory none --size max --iova 4096 --access local-write,on-demand
	EOF
	alike MR-DMABUF-FILE -- reg-dmabuf --from fd:9 9</dev/zero
}

@test "kernels and devices of other kinds" {
	local SIM=(mrctl sim --profile rxe --)

	alike MR-PROVIDER-OPERATION -- reg-dmabuf --from fd:-1 --iova 0x1000
	alike MR-ACCESS-RXE -- reg --access zero-based
	# A traced mrctl does not see what its provider lacks, as the functions in its place are the agent's.
	run "${SIM[@]}" mrctl trace -q --force -o "$CALLS" -- sh -c 'mrctl reg --memory dm; mrctl reg --memory null-mr'
	jq -se 'map(select(.answer == "EOPNOTSUPP")) | map(.call) == ["ibv_alloc_dm", "ibv_alloc_null_mr"] and
		all(.layer == "libibverbs" and .causes[0].id == "MR-PROVIDER-OPERATION")' "$CALLS"
	SIM=(mrctl sim --kernel 6.1 --)
	alike MR-ACCESS-FLAGS -- reg --access flush-global
}

@test "the limit of locked memory, and what was registered before" {
	require_nobody
	alike MR-MEMLOCK as_nobody prlimit --memlock=65536 -- reg --size 16K --count 8
	jq -se '[.[] | select(.answer == "ENOMEM")][0].causes[0].evidence | .limit == 65536 and .pinned == 65536' "$CALLS"
	alike MR-MEMLOCK-ZERO as_nobody prlimit --memlock=0 -- reg --size 4K
	# the limit is that of the program, not of the tracer
	run --separate-stderr as_nobody "${SIM[@]}" mrctl trace -q --force -o "$CALLS" -- \
		bash -c 'ulimit -l 64; "$@"; exit' bash "${DIRECT[@]}" reg --size 1M --json
	compare MR-MEMLOCK
	jq -se '[.[] | select(.answer == "ENOMEM")][0].causes[0].evidence |
		.limit == 65536 and .pinned == 0 and (.origin | contains("bash"))' "$CALLS"
}

# faulty_alike FAULT ID ARG...: the same where a call is refused by a fault
faulty_alike() {
	local SIM=("${SIM[@]::${#SIM[@]}-1}" --fault "$1" --)

	alike "$2" -- "${@:3}"
}

@test "faults without their causes" {
	on_simulator && on_mlx5 || skip "of the simulated mlx5"
	faulty_alike reg_mr=EFAULT - reg
	faulty_alike alloc_pd=ENOSPC - reg
	faulty_alike alloc_dm=ENOMEM MR-DM-FULL reg --memory dm
	faulty_alike dereg_mr=EBUSY MR-MW-BOUND reg
	faulty_alike get_context=EINVAL - reg
}

@test "a umem in a context without DEVX" {
	local TOOL=$BUILD/tests/cli/trace-refused

	require_devx
	faulty_alike 'umem_reg=EINVAL;devx=EINVAL' MR-DEVX-CONTEXT umem
	# ibv_open_device() asks for DEVX; refused, it opens without
	local SIM=(mrctl sim --fault "get_context@2=EINVAL" --)
	"${SIM[@]}" mrctl trace -q --force -o "$CALLS" --reproduce "$FOLDER/batch" -- "$TOOL" "$(device)" umem_of_plain_context
	jq -se '.[] | select(.answer == "EINVAL").causes[0] | .id == "MR-DEVX-CONTEXT" and .certainty == "certain" and
		.evidence.devx_other == "EINVAL"' "$CALLS"
	grep -q '^# It cannot be reproduced: .* DEVX' "$FOLDER/batch"
	# so also where mrctl cannot open the device as the program does
	mrctl trace -q --force -o "$CALLS" -- "${SIM[@]}" "$TOOL" "$(device)" umem_of_plain_context
	jq -se '.[] | select(.answer == "EINVAL").causes[0].id == "MR-DEVX-CONTEXT"' "$CALLS"
}

@test "a umem that is refused for another reason, in a context that has DEVX" {
	local TOOL=$BUILD/tests/cli/trace-refused

	require_devx
	local SIM=(mrctl sim --fault umem_reg=EINVAL --)
	succeeded "${SIM[@]}" mrctl -j trace -- "$TOOL" "$(device)" umem_of_plain_context
	output=$stderr
	json '.refusals[0] | all(.causes[]; .certainty != "certain") and
		any(.ruled_out[]; .id == "MR-DEVX-CONTEXT")'
}

@test "fork protection" {
	export RDMAV_FORK_SAFE=1
	alike MR-FORK-RANGE -- reg --memory hole --size 64K
	jq -se '[.[] | select(.call == "ibv_reg_mr")][0].layer == "libibverbs"' "$CALLS"
}

@test "a program that runs on the simulator, traced from outside of it" {
	run --separate-stderr mrctl trace -q --force -o "$CALLS" -- "${SIM[@]}" mrctl reg --memory readonly --json
	compare MR-READ-ONLY
}

@test "the library refused without calling the kernel" {
	on_simulator && on_mlx5 || skip "of the simulated mlx5"
	alike MR-DM-ZERO-BASED -- reg --memory dm --access local-write
	jq -se '[.[] | select(.answer == "EINVAL")][0] | .kernel_asked == false and .layer == "libibverbs"' "$CALLS"
	alike MR-DM-ACCESS -- reg --memory dm --access local-write,zero-based,mw-bind
	jq -se '[.[] | select(.answer == "EINVAL")][0] | .kernel_asked == false and .layer == "provider"' "$CALLS"
	alike MR-ACCESS-LOCAL-WRITE -- reg --access remote-write
	jq -se '[.[] | select(.answer == "EINVAL")][0] | .kernel_asked and .layer == "uverbs"' "$CALLS"
}

@test "a program in separate namespaces, and a /proc that hides other users' processes" {
	unshare -rm true 2>/dev/null || skip "no namespaces may be made"
	run --separate-stderr "${SIM[@]}" mrctl trace -q --force -o "$CALLS" -- \
		unshare -rmpf --mount-proc "${DIRECT[@]}" reg --memory readonly --json
	compare MR-READ-ONLY
	# a file that only the program sees
	run --separate-stderr "${SIM[@]}" mrctl trace -q --force -o "$CALLS" -- unshare -rm bash -c \
		'mount -t tmpfs none /mnt && printf x >/mnt/short && "$@"' bash \
		"${DIRECT[@]}" reg --memory file-private:/mnt/short --size 64K --json
	compare MR-FILE-END
	unshare -m mount -t proc -o hidepid=2 proc /proc 2>/dev/null || return 0
	require_nobody
	rm "$CALLS"
	run --separate-stderr unshare -m bash -c 'mount -t proc -o hidepid=2 proc /proc && "$@"' bash \
		"${NOBODY[@]}" "${SIM[@]}" mrctl trace -q --force -o "$CALLS" -- "${DIRECT[@]}" reg --memory readonly --json
	compare MR-READ-ONLY
}

@test "refusals in one place of the program are distinguished by their causes" {
	run --separate-stderr "${SIM[@]}" mrctl -j trace --force --summary "$FOLDER/summary" -- \
		"$BUILD/tests/cli/trace-refused" "$(device)" several_causes
	jq -ce '.refusals | map([.causes[0].id, .count]) == [["MR-ACCESS-LOCAL-WRITE", 3], ["MR-ACCESS-FLAGS", 50],
		["MR-READ-ONLY", 3], ["MR-RANGE-END", 70]]' "$FOLDER/summary" || fail "$(jq -c .refusals "$FOLDER/summary")"
}

@test "a refusal that was not examined has no cause if examined equal ones differ" {
	run --separate-stderr "${SIM[@]}" mrctl -j trace --force --summary "$FOLDER/summary" -- \
		"$BUILD/tests/cli/trace-refused" "$(device)" many_ranges
	jq -ce '(.refusals | map(.count) | add) == 100 and
		(.refusals | map(select(.looked_at == 0)) | length == 1 and .[0].causes == [] and .[0].count > 50) and
		(.refusals | map(select(.looked_at > 0).causes[0].id) | sort == ["MR-RANGE-UNMAPPED", "MR-READ-ONLY"])' \
		"$FOLDER/summary" || fail "$(jq -c .refusals "$FOLDER/summary")"
	run --separate-stderr "${SIM[@]}" mrctl trace -- "$BUILD/tests/cli/trace-refused" "$(device)" many_ranges
	[[ $stderr == *"equal requests have several causes"* ]] || fail "$stderr"
}

# had_more CASE: sets "output" to the document of the second registration's refusal, which the limit does not explain
had_more() {
	run --separate-stderr "${UNPRIVILEGED[@]}" prlimit --memlock=1048576 "${SIM[@]::${#SIM[@]}-1}" --fault reg_mr@2=ENOMEM -- mrctl -j trace \
		--force --summary "$FOLDER/summary" -- "$BUILD/tests/cli/trace-refused" "$(device)" "$1"
	output=$(<"$FOLDER/summary")
}

@test "a limit that another thread may have used up is not ruled out" {
	had_more had_more
	json '.refusals[0] | .errno == "ENOMEM" and .causes == [] and (.ruled_out | map(.id) | index("MR-MEMLOCK"))'
	had_more had_more_among_threads
	json '.refusals[0].causes[0] | .id == "MR-MEMLOCK" and .certainty == "possible" and
		.evidence.most_registered == 921600 and .evidence.pinned == 0'
}

@test "a refusal without a known cause names a batch to try, and only options of trace" {
	local file=$BATS_TEST_TMPDIR/batch
	local SIM=("${SIM[@]::${#SIM[@]}-1}" --fault reg_mr=ENODEV --)
	run --separate-stderr "${SIM[@]}" mrctl trace -- mrctl -q reg
	[[ $stderr == *"try: --reproduce FILE, and then mrctl --why try batch FILE, which changes one thing"* ]]
	run --separate-stderr "${SIM[@]}" mrctl trace --reproduce "$file" -- mrctl -q reg
	[[ $stderr == *"mrctl: trace: "*"try: mrctl --why try batch $file, which changes one thing"* ]]
	run -0 "${SIM[@]}" mrctl --why try batch "$file"
	[[ $output == *"tried: "* ]]
	# an object that is gone is in no batch
	run --separate-stderr "${SIM[@]::${#SIM[@]}-3}" -- mrctl trace -- "$BUILD/tests/cli/trace-processes" both
	[[ $stderr == *"ibv_dereg_mr: ENOENT"* && $stderr != *"try:"* ]]
}
