#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# On-demand paging of odd kinds of memory: what registers, and what --advise brings in.

load helpers
load mappings

# require_odp: skips unless device and kernel have on-demand paging
require_odp() {
	mr reg --access local-write,on-demand --quiet 2>/dev/null || skip "no on-demand paging"
}

# odp ADVICE [ARG...]: registers 8K of what mapped has mapped with on-demand paging, and advises.  (librxe has no
# ibv_advise_mr.)
odp() {
	mr reg --via kernel --memory none --addr "$AT" --size 8K --access local-write,remote-write,on-demand \
		--advise "$1" --json "${@:2}"
}

# advised ANSWER: the last run registered the region; the advice was answered so
advised() {
	json '.regions[0] | .state == "deregistered" and .advice_answer == $answer' --arg answer "$1" ||
		return
	[ "$1" != ok ] || succeeded
}

# bats test_tags=kernel
@test "secret memory cannot be pinned, but paged on demand" {
	local advice

	require_odp
	mapped "$AT:64K:secret"
	run --separate-stderr mr reg --memory none --addr "$AT" --size 8K
	refused EFAULT ibv_reg_mr
	for advice in prefetch,flush prefetch-write,flush prefetch-no-fault,flush; do
		run --separate-stderr odp $advice
		advised ok
	done
}

# bats test_tags=kernel
@test "memory that can only be written is pinned for writing, and a device cannot fault it in" {
	local advice

	mapped "$AT:64K:write"
	run --separate-stderr mr reg --memory none --addr "$AT" --size 8K
	succeeded
	require_odp
	for advice in prefetch,flush prefetch-write,flush; do
		run --separate-stderr odp $advice
		advised EFAULT
	done
	run --separate-stderr odp prefetch-no-fault,flush
	advised ok
}

# bats test_tags=kernel
@test "the ring of a perf event" {
	local answer

	mapped "$AT:36K:ring,0x200000010000:36K:readring"
	run --separate-stderr mr reg --memory none --addr "$AT" --size 8K
	refused EFAULT ibv_reg_mr
	require_odp
	run --separate-stderr odp prefetch-write,flush
	advised EFAULT
	AT=0x200000010000
	run --separate-stderr odp prefetch-write,flush
	answer=EPERM
	! linux 7.2 || answer=EFAULT # the kernel maps it like memory of a device
	advised $answer
}
