#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# mrctl rereg that is killed: what is known of the region afterwards.
# shellcheck disable=SC2016 # jq has variables of its own

load helpers
load rereg

setup() {
	note_less
	session_begin
}

# require_faults: skips on a real device, and where the memory cannot be changed
require_faults() {
	on_simulator || skip "needs the simulator's faults"
	require_translation
}

@test "if rereg is killed before the kernel's change, the region is in doubt and can be changed or deregistered" {
	local addr

	require_faults
	ms reg --name a --access remote-read --quiet
	addr=$(field addr)
	killed rereg_mr=kill rereg a --size 4M --access none --pd two
	[ "$(field state,length,iova)" = "in-doubt 4096 $addr" ]
	# values that may have changed are unknown
	[ "$(field addr,access,memory,pd)" = "- - - -" ]
	ms rereg a --size 8K --quiet
	[ "$(field state,length,memory,access,pd)" = "in-doubt 8192 anon - -" ]
	ms rereg a --access none --pd two --quiet
	[ "$(field state,access,pd)" = "live none two" ]
	killed rereg_mr=kill rereg a --size 4M
	ms dereg a --quiet
	[ "$(kernel_has mr)" -eq 0 ]
}

@test "if rereg is killed after the kernel's change, the region is recognised by its handle and address" {
	local key

	require_faults
	ms reg --name a --quiet
	key=$(field lkey)
	killed rereg_mr=kill-after rereg a --size 4M
	# its keys have changed, and stat has them from the kernel
	[ "$(field state,length)" = "in-doubt 4194304" ]
	[ "$(field lkey)" != "$key" ]
	killed rereg_mr=kill-after rereg a --size 6M
	[ "$(field state,length)" = "in-doubt 6291456" ]
	ms rereg a --size 8K --quiet
	[ "$(field state,length)" = "live 8192" ]
	killed rereg_mr=kill-after rereg a --access on-demand,local-write
	[ "$(field state,length,access)" = "in-doubt 8192 -" ]
	# dereg does not show keys that it may not have had
	[ "$(ms dereg a -n -o length,lkey,access)" = "8192 - -" ]
	[ "$(kernel_has mr)" -eq 0 ]
}

@test "a region in doubt is not confused with one that got its handle" {
	require_faults
	require_tool
	ms reg --name a --via kernel --size 8K --quiet
	killed rereg_mr=kill rereg a --size 4M
	tool destroy "$(ms stat -n -o handle a)"
	tool reg 1
	[ "$(states)" = $'1 gone\n- unlisted' ]
	run --separate-stderr ms dereg a
	[ "$status" -eq 3 ]
	[ "$(states)" = "- unlisted" ]
}
