#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Refusals for the limit of locked memory.  Control groups are in kernel-conditions.bats.

load helpers
load why

# batch_as_nobody LINE...: the failures of these lines, like those of one command
batch_as_nobody() {
	local document rc=0

	document=$(mr_as_nobody 64 batch --keep-going --json < <(printf '%s\n' "$@")) || rc=$?
	jq '{ failures: [.. | objects | select(has("failures")) | .failures[]] }' <<<"$document"
	return "$rc"
}

# counted PINNED ASKED: these bytes are the evidence of the first failure
counted() {
	json ".failures[0].causes[0].evidence | .pinned == $1 and .asked == $2"
}

@test "more than the limit of locked memory, by a page or by far" {
	require_nobody
	refused_because MR-MEMLOCK certain mr_as_nobody 64 reg --size 1M --json
	json '.failures[0].layer == "memory" and .failures[0].causes[0].evidence.limit == 65536'
	counted 0 1048576
	json '.failures[0].causes[0].cause | contains("0 bytes are pinned, this call needs 1 MiB, and RLIMIT_MEMLOCK is 64 KiB")'
	succeeded mr_as_nobody 64 reg --size 64K
	refused_because MR-MEMLOCK certain mr_as_nobody 64 reg --size 64K --offset 1 --json
	counted 0 $((65536 + 4096))
	refused_because MR-MEMLOCK-ZERO certain mr_as_nobody 0 reg --size 4K --json
	json '.failures[0].causes[0].evidence.limit == 0'
	on_mlx5 || return 0
	refused_because MR-MEMLOCK certain mr_as_nobody 64 umem --size 1M --json
}

@test "regions of this process are included: in one command" {
	require_nobody
	refused_because MR-MEMLOCK certain mr_as_nobody 64 reg --size 16K --count 8 --json
	json '.failures[0].index == 5'
	counted 65536 16384
}

@test "regions of this process are included: in a batch, and only while pinned" {
	require_nobody
	refused_because MR-MEMLOCK certain batch_as_nobody 'reg --size 40K --name a' 'reg --size 40K --name b'
	counted 40960 40960
	refused_because MR-MEMLOCK certain batch_as_nobody \
		'reg --size 40K --name a' 'dereg a' 'reg --size 40K --name b' 'reg --size 40K'
	counted 40960 40960
	on_mlx5 || return 0
	# on-demand regions pin nothing
	refused_because MR-MEMLOCK certain batch_as_nobody \
		'reg --size 1M --access local-write,on-demand --name a' 'reg --size 68K'
	counted 0 69632
	# mlx5 pins new memory of a region while the old one is pinned
	refused_because MR-MEMLOCK certain batch_as_nobody \
		'reg --size 40K --name a' 'rereg a --size 40K --memory anon'
	counted 40960 40960
}

@test "the process that lowered the limit is named" {
	require_nobody
	refused_because MR-MEMLOCK certain as_nobody bash -c 'ulimit -l 64; "$@"; exit' bash \
		"${MR[@]}" reg --size 1M --json
	json '.failures[0].causes[0] | .cause | contains("; lowered ") or contains("; set ")'
	json '.failures[0].causes[0].evidence.origin | contains("bash")'
}

@test "the same errnos without a visible reason" {
	enomem=("${SIM[@]::${#SIM[@]}-1}" --fault reg_mr=ENOMEM -- mrctl reg --json)
	never_certain reg_mr "ENOMEM EAGAIN EPERM" reg --size 64K
	rules_out MR-MEMLOCK-ZERO
	require_nobody
	refused_for_no_certain_cause as_nobody prlimit --memlock=65536 "${enomem[@]}" --size 64K
	json '.failures[0].ruled_out | any(.id == "MR-MEMLOCK" and
		(.reason | contains("0 bytes are pinned, this call needs 64 KiB, and RLIMIT_MEMLOCK is 64 KiB")))'
	refused_for_no_certain_cause as_nobody prlimit --memlock=65536 "${enomem[@]}" --size 1M --access remote-write
	refused_for_no_certain_cause as_nobody prlimit --memlock=65536 "${enomem[@]/%reg/reg-iova}" --size 1M --iova 0x10
	# a limit of 0 is refused with EPERM
	refused_for_no_certain_cause as_nobody prlimit --memlock=0 "${enomem[@]}"
}

# bats test_tags=release
@test "more pages than rxe's array can hold" {
	rxe=(mrctl sim --profile rxe)
	may_lock 1100M || skip "needs 1100 MiB of lockable memory: raise ulimit -l"
	refused_because MR-RXE-SIZE likely "${rxe[@]}" -- mrctl reg --size 1G --offset 4095 --memory thp --json
	json '.failures[0] | .causes == [.causes[0]] and (.ruled_out | any(.id == "MR-AVAILABLE"))'
	succeeded "${rxe[@]}" -- mrctl reg --size 1G --memory thp
	succeeded "${rxe[@]}" --kernel 6.12 -- mrctl reg --size 1025M --memory thp
}
