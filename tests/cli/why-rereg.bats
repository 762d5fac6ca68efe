#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Why a region cannot be changed.

load helpers
load dmabuf
load rereg
load why

setup() {
	note_less
	session_begin
}

# batch_because ID CERTAINTY LINE...: the last line of a batch is refused because of ID
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

# on_linux_6_1: what follows is on this profile of an old kernel, in a session of its own
on_linux_6_1() {
	session_end
	SIM=("$BUILD/mrctl" sim --profile "${MRCTL_TEST_PROFILE:-mlx5}" --kernel 6.1 --) MS=("${SIM[@]}" "$BUILD/mrctl")
	MR=("${MS[@]}")
	session_begin
}

@test "libibverbs changes no region of another process" {
	on_mlx5 || skip "only libmlx5 imports"
	ms reg --name a --quiet
	for access in none remote-write; do # which the kernel would refuse as well
		refused_because MR-REREG-IMPORTED certain ms rereg a --access $access --via library --json
		json '.failures[0] | .layer == "libibverbs" and .old_region == "valid" and .library_would_say == null and
			.rereg_code == "IBV_REREG_MR_ERR_INPUT"'
	done
	[[ $stderr == *"the region is as before"*"--via kernel"* ]]
	ms rereg a --access none --via kernel --quiet
}

@test "flags that libibverbs and the kernel do not know, and none at all" {
	ms reg --name a --quiet
	refused_because MR-REREG-FLAGS certain ms rereg a --flags 0 --json
	json '.failures[0].errno == "EINVAL"'
	refused_because MR-REREG-FLAGS certain ms rereg a --flags 0x80 --json
	json '.failures[0].errno == "EOPNOTSUPP"'
	[[ $stderr == *"asked for the flags 0x80"* ]]
	run --separate-stderr ms rereg a --flags 0
	[[ $stderr == *"the region is as before"*"because: no flag is set [certain, MR-REREG-FLAGS]"* ]] ||
		fail "$stderr"
	on_mlx5 || return 0
	session_end
	batch_because MR-REREG-FLAGS certain "reg --name a" "rereg a --flags 0x80"
}

@test "libibverbs refuses a change of the memory without memory, and access flags without the flag to change them" {
	session_end
	if ! on_mlx5; then
		batch_because MR-PROVIDER-OPERATION certain "reg --name a" "rereg a --access none"
		return
	fi
	batch_because MR-REREG-MEMORY certain "reg --name a" "rereg a --flags 1 --memory none --size 0"
	batch_because MR-REREG-ACCESS certain "reg --name a" "rereg a --flags 2 --access local-write"
	batch_because MR-REREG-KIND certain "reg-dmabuf --from udmabuf --name a" "rereg a --access none"
}

@test "pages that were pinned for reading do not become writable" {
	ms reg --name a --memory readonly --access none --quiet
	refused_because MR-REREG-READ-ONLY certain ms rereg a --access local-write --json
	json '.failures[0] | .errno == "EACCES" and .causes[0].evidence.access == "0x1"'
	# with memory that can be written it can be changed; and then no errno has that cause
	ms reg --name b --access local-write --quiet
	never_certain rereg_mr EACCES rereg b --access remote-read
	# the pages of a region that was made read-only are pinned for writing still
	ms rereg b --access none --quiet
	never_certain rereg_mr EACCES rereg b --access local-write
	rules_out MR-REREG-READ-ONLY
	ms rereg b --access local-write --quiet
	on_mlx5 || return 0
	ms rereg b --size 8K --access none --quiet
	refused_because MR-REREG-READ-ONLY certain ms rereg b --access local-write --json
	json '.failures[0].causes[0].evidence | .access_before == "0x0" and .access_pinned == "0x0"'
}

@test "memory of the device" {
	on_mlx5 || skip "rxe has none"
	ms reg --name d --memory dm --quiet
	for access in none remote-write; do # at which the kernel does not look
		refused_because MR-REREG-DM certain ms rereg d --access $access --json
		json '.failures[0].old_region == "valid"'
	done
	never_certain rereg_mr EOPNOTSUPP rereg d --access local-write,flush-global
	ms dereg d --quiet
}

# bats test_tags=kernel
@test "mlx5 does not change an on-demand region to a pinned one by its access alone" {
	certainty=likely
	on_mlx5 || skip "a rule of mlx5"
	! linux 7.2 || certainty=certain # releases of earlier series may have the rule, too
	ms reg --name a --access local-write,on-demand --quiet
	if linux 6.2; then
		refused_because MR-REREG-IN-PLACE $certainty ms rereg a --access local-write --json
		json '.failures[0] | .errno == "EOPNOTSUPP" and .layer == "driver"'
		return
	fi
	# an older mlx5 makes the region anew, from the memory of the process that changes it
	refused_because MR-REREG-PROCESS likely ms rereg a --access local-write --json
	json '.failures[0] | .errno == "EFAULT" and .causes[0].evidence.access_before == "0x41"'
}

@test "mlx5 of an old kernel registers an on-demand region again, with the memory of the process that changes it" {
	on_mlx5 || skip "a rule of mlx5"
	on_linux_6_1
	ms reg --name a --access local-write,on-demand --quiet
	run --separate-stderr ms rereg a --access local-write --json
	json '.failures[0].causes[0] | .id == "MR-REREG-PROCESS" and .certainty == "likely"'
}

@test "rxe does not change the memory, and on an old kernel nothing" {
	! on_mlx5 || skip "mlx5 does"
	ms reg --name a --quiet
	refused_because MR-REREG-RXE certain ms rereg a --size 8K --json
	json '.failures[0] | .errno == "EOPNOTSUPP" and .layer == "driver"'
	on_linux_6_1
	ms reg --name a --quiet
	refused_because MR-REREG-DRIVER certain ms rereg a --size 8K --json
	refused_because MR-REREG-DRIVER certain ms rereg a --access none --json
	json '.failures[0] | .errno == "EOPNOTSUPP" and .layer == "uverbs"'
	for request in "--flags 0" "--access remote-write" "--memory unmapped --size 8K"; do
		never_certain rereg_mr "EINVAL EFAULT EACCES" rereg a $request
	done
}

@test "a region of all memory keeps its translation when its access changes" {
	on_mlx5 || skip "a rule of mlx5"
	ms reg --name a --memory none --size max --access local-write,on-demand --quiet
	never_certain rereg_mr EOPNOTSUPP rereg a --access local-write,mw-bind,on-demand
	rules_out MR-REREG-IN-PLACE
}

ERRNOS="EINVAL EACCES EOPNOTSUPP ENOMEM EFAULT EBUSY ENOENT EIO EPERM EAGAIN"

@test "an injected errno has no certain cause" {
	ms reg --name a --access local-write,remote-read --quiet
	never_certain rereg_mr "$ERRNOS" rereg a --access remote-read,local-write
	! on_mlx5 || never_certain rereg_mr "EINVAL EFAULT ENOMEM" rereg a --size 8K
}

# only ERRNO ID REQUEST...: of all errnos that are injected into a change, that one alone has a certain cause
only() {
	refused_because "$2" certain faulty "rereg_mr=$1" rereg "${@:3}" --json
	never_certain rereg_mr "${ERRNOS/$1/}" rereg "${@:3}"
}

# bats test_tags=slow
@test "a wrong change has a certain cause only for its own errno" {
	ms reg --name a --access local-write --quiet
	only EINVAL MR-REREG-FLAGS a --flags 0
	only EOPNOTSUPP MR-REREG-FLAGS a --flags 0x84 --access remote-write
	only EINVAL MR-ACCESS-LOCAL-WRITE a --access remote-write
	if on_mlx5; then
		only EFAULT MR-RANGE-UNMAPPED a --memory unmapped --size 8K
		only EINVAL MR-LENGTH-ZERO a --flags 1 --memory none --size 0
	else
		refused_because MR-REREG-RXE certain ms rereg a --memory unmapped --size 8K --json
		never_certain rereg_mr "$ERRNOS" rereg a --memory unmapped --size 8K
	fi
}
