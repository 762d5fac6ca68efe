#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Why a region cannot be changed.

load helpers
load rereg
load why

setup() {
	note_less
	session_begin
}

# first ID CERTAINTY LINE: the last line of a batch, after one that registers, is refused because of ID
batch_because() {
	local id=$1 certainty=$2
	shift 2

	run --separate-stderr mr batch --json - < <(printf '%s\n' "$@")
	((status != 0))
	jq -e --arg id "$id" --arg certainty "$certainty" '.failures[-1] |
		.causes[0].id == $id and .causes[0].certainty == $certainty and
		([.causes[1:][] | select(.certainty == "certain")] == [])' <<<"$output" >/dev/null ||
		fail "expected $id, $certainty: $(jq -c '.failures[-1] | {errno, causes, ruled_out}' <<<"$output")"
}

# How sure a rule is that Linux 7.2 brought, and that some releases of earlier series have, too.
certainty_since_7_2() {
	if on_simulator || printf '7.2\n%s\n' "$(uname -r)" | sort --version-sort --check=quiet; then
		echo certain
	else
		echo likely
	fi
}

# on_rxe_of_6_1: what follows is on this device, in a session of its own
on_rxe_of_6_1() {
	session_end
	SIM=("$BUILD/mrctl" sim --profile rxe --kernel 6.1 --) MS=("${SIM[@]}" "$BUILD/mrctl")
	# shellcheck disable=SC2034 # session_begin uses it
	MR=("${MS[@]}")
	session_begin
}

# bats test_tags=kernel
@test "libibverbs changes no region of another process" {
	on_mlx5 || skip "only libmlx5 imports"
	ms reg --name a --quiet
	refused_because MR-REREG-IMPORTED certain ms rereg a --access none --via library --json
	json '.failures[0] | .layer == "libibverbs" and .old_region == "valid"'
	ms rereg a --access none --via kernel --quiet
}

# bats test_tags=kernel
@test "flags that libibverbs and the kernel do not know, and none at all" {
	require_rereg
	ms reg --name a --quiet
	refused_because MR-REREG-FLAGS certain ms rereg a --flags 0 --json
	json '.failures[0].errno == "EINVAL"'
	refused_because MR-REREG-FLAGS certain ms rereg a --flags 0x80 --json
	json '.failures[0].errno == "EOPNOTSUPP"'
	on_mlx5 || return 0
	session_end
	batch_because MR-REREG-FLAGS certain "reg --name a" "rereg a --flags 0x80"
}

# bats test_tags=kernel
@test "libibverbs refuses a change of the memory without memory, and access that is not to change" {
	on_mlx5 || skip "librxe changes no regions, but libibverbs refuses first"
	session_end
	batch_because MR-REREG-MEMORY certain "reg --name a" "rereg a --flags 1 --memory none --size 0"
	batch_because MR-REREG-ACCESS certain "reg --name a" "rereg a --flags 2 --access local-write"
}

# bats test_tags=kernel
@test "pages that were pinned for reading do not become writable" {
	require_rereg
	[[ $(uname -r) != 6.1.* ]] || skip "Linux 6.1 allows it"
	ms reg --name a --memory readonly --access none --quiet
	refused_because MR-REREG-READ-ONLY "$(certainty_since_7_2)" ms rereg a --access local-write --json
	json '.failures[0] | .errno == "EACCES" and .causes[0].evidence.access == "0x1"'
	# with memory that can be written it can be changed; and then no errno has that cause
	ms reg --name b --access local-write --quiet
	on_simulator || return 0
	refused_for_no_certain_cause faulty rereg_mr=EACCES rereg b --access remote-read --json
}

@test "memory of the device" {
	on_simulator || skip "needs a device that has memory"
	on_mlx5 || skip "rxe has none"
	ms reg --name d --memory dm --quiet
	refused_because MR-REREG-DM certain ms rereg d --access none --json
	json '.failures[0].old_region == "valid"'
	ms dereg d --quiet
}

# bats test_tags=kernel
@test "a region of a dma-buf is changed by no libibverbs" {
	on_mlx5 || skip "rxe has no dma-bufs"
	[ -c /dev/udmabuf ] || skip "no udmabuf"
	session_end
	batch_because MR-REREG-KIND certain "reg-dmabuf --from udmabuf --name a" "rereg a --access none"
}

# bats test_tags=kernel
@test "mlx5 does not make a region on demand a pinned one by its access alone" {
	on_mlx5 || skip "a rule of mlx5"
	[[ $(uname -r) != 6.1.* ]] || skip "Linux 6.1 answers EFAULT"
	ms reg --name a --access local-write,on-demand --quiet || skip "no on-demand paging here"
	refused_because MR-REREG-IN-PLACE "$(certainty_since_7_2)" ms rereg a --access local-write --json
	json '.failures[0] | .errno == "EOPNOTSUPP" and .layer == "driver"'
}

# bats test_tags=kernel
@test "rxe does not change where the memory is" {
	! on_mlx5 || skip "mlx5 does"
	ms reg --name a --quiet
	if rxe_is_old; then
		refused_because MR-REREG-DRIVER certain ms rereg a --size 8K --json
		refused_because MR-REREG-DRIVER certain ms rereg a --access none --json
	else
		refused_because MR-REREG-RXE certain ms rereg a --size 8K --json
	fi
	json '.failures[0] | .errno == "EOPNOTSUPP" and .layer == "driver"'
}

# bats test_tags=kernel
@test "librxe changes no regions" {
	! on_mlx5 || skip "libmlx5 does"
	! rxe_is_old || skip "its driver does not, either"
	session_end
	batch_because MR-PROVIDER-OPERATION certain "reg --name a" "rereg a --access none"
}

@test "a region of all memory keeps its translation when its access changes" {
	on_simulator || skip "needs an errno of choice"
	on_mlx5 || skip "a rule of mlx5"
	ms reg --name a --memory none --size max --access local-write,on-demand --quiet
	refused_for_no_certain_cause faulty rereg_mr=EOPNOTSUPP \
		rereg a --access local-write,mw-bind,on-demand --json
	json '.failures[0].ruled_out | any(.id == "MR-REREG-IN-PLACE")'
}

@test "rxe of an old kernel changes no regions at all" {
	on_simulator || skip "needs the simulator"
	! on_mlx5 || skip "mlx5 does"
	on_rxe_of_6_1
	ms reg --name a --quiet
	refused_because MR-REREG-DRIVER certain ms rereg a --access none --json
}

@test "an injected errno has no certain cause" {
	local errno

	on_simulator || skip "needs the simulator's faults"
	ms reg --name a --access local-write,remote-read --quiet
	for errno in EINVAL EACCES EOPNOTSUPP ENOMEM EFAULT EBUSY ENOENT EIO EPERM EAGAIN; do
		refused_for_no_certain_cause faulty "rereg_mr=$errno" rereg a --access remote-read,local-write --json
		on_mlx5 || continue
		refused_for_no_certain_cause faulty "rereg_mr=$errno" rereg a --size 8K --json
	done
}

# no_certain_but ID ERRNO REQUEST...: of all errnos that are injected into a change, only that one has a certain cause
no_certain_but() {
	local id=$1 errno=$2 injected
	shift 2

	for injected in EINVAL EACCES EOPNOTSUPP ENOMEM EFAULT EBUSY ENOENT EIO EPERM EAGAIN; do
		if [[ $injected == "$errno" ]]; then
			refused_because "$id" certain faulty "rereg_mr=$injected" rereg "$@" --json
		else
			refused_for_no_certain_cause faulty "rereg_mr=$injected" rereg "$@" --json
		fi
	done
}

@test "of a change that is wrong only the errno of that has a certain cause" {
	on_simulator || skip "needs the simulator's faults"
	ms reg --name a --access local-write --quiet
	no_certain_but MR-REREG-FLAGS EINVAL a --flags 0
	no_certain_but MR-REREG-FLAGS EOPNOTSUPP a --flags 0x84 --access remote-write
	no_certain_but MR-ACCESS-LOCAL-WRITE EINVAL a --access remote-write
	no_certain_but MR-ACCESS-LOCAL-WRITE EINVAL a --size 8K --access remote-write
	if on_mlx5; then
		no_certain_but MR-RANGE-UNMAPPED EFAULT a --memory unmapped --size 8K
		no_certain_but MR-LENGTH-ZERO EINVAL a --flags 1 --memory none --size 0
	else
		refused_because MR-REREG-RXE certain ms rereg a --memory unmapped --size 8K --json
		no_certain_but none none a --memory unmapped --size 8K
	fi
}

@test "an old rxe changes no regions, whatever else is wrong" {
	on_simulator || skip "needs the simulator's faults"
	! on_mlx5 || skip "mlx5 does"
	on_rxe_of_6_1
	ms reg --name a --quiet
	for errno in EINVAL EFAULT EACCES; do
		for request in "--flags 0" "--access remote-write" "--memory unmapped --size 8K"; do
			# shellcheck disable=SC2086 # words of a request
			refused_for_no_certain_cause faulty "rereg_mr=$errno" rereg a $request --json
		done
	done
}

@test "of memory of the device the kernel says no before it looks at the access" {
	on_simulator || skip "needs a device that has memory"
	on_mlx5 || skip "rxe has none"
	ms reg --name d --memory dm --quiet
	refused_because MR-REREG-DM certain ms rereg d --access remote-write --json
	refused_for_no_certain_cause faulty rereg_mr=EOPNOTSUPP \
		rereg d --access local-write,flush-global --json
	ms dereg d --quiet
}

@test "libibverbs refuses a region of another process before the kernel looks at the access" {
	on_simulator || skip "the same on each"
	on_mlx5 || skip "only libmlx5 imports"
	ms reg --name a --quiet
	refused_because MR-REREG-IMPORTED certain ms rereg a --access remote-write --via library --json
}

@test "pages that were pinned for writing are not those of a region that was made read-only" {
	on_simulator || skip "needs an errno of choice"
	ms reg --name a --access local-write --quiet
	ms rereg a --access none --quiet
	refused_for_no_certain_cause faulty rereg_mr=EACCES rereg a --access local-write --json
	json '.failures[0].ruled_out | any(.id == "MR-REREG-READ-ONLY")'
	ms rereg a --access local-write --quiet
	on_mlx5 || return 0
	ms rereg a --size 8K --access none --quiet
	refused_because MR-REREG-READ-ONLY certain ms rereg a --access local-write --json
	json '.failures[0].causes[0].evidence | .access_before == "0x0" and .access_pinned == "0x0"'
}

# bats test_tags=kernel
@test "a message about a change says what became of the region, and why" {
	require_rereg
	ms reg --name a --quiet
	run --separate-stderr ms rereg a --flags 0
	# shellcheck disable=SC2154 # of run
	[[ $stderr == *"the region is as before"*"because: no flag says what to change [certain, MR-REREG-FLAGS]"* ]] ||
		fail "$stderr"
}

# bats test_tags=kernel
@test "an older mlx5 makes a region on demand anew, from the memory of the process that changes it" {
	on_mlx5 || skip "only mlx5 makes regions anew"
	ms reg --name o --size 64K --access local-write,on-demand --quiet
	run --separate-stderr ms rereg o --access local-write --json
	[ "$status" -eq 1 ]
	json '.failures[0] | if .errno == "EFAULT"
		then .causes[0] | .id == "MR-REREG-PROCESS" and .certainty == "likely" and .evidence.access_before == "0x41"
		else .errno == "EOPNOTSUPP" and .causes[0].id == "MR-REREG-IN-PLACE" end'
	if [[ $(on_simulator || uname -r) == 6.1.* ]]; then
		json '.failures[0].errno == "EFAULT"'
	fi
}
