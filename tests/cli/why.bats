#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Why a call was refused, as messages and the document say it.

load helpers
load why

@test "remote-write without local-write" {
	refused_because MR-ACCESS-LOCAL-WRITE certain \
		mr reg --size 64K --access remote-write --json
	json '.failures[0].layer == "uverbs" and .failures[0].why == "read"'
}

@test "a message names the cause, how sure it is, and what to do" {
	run --separate-stderr mr reg --size 64K --access remote-write
	[[ $stderr == *'because: access has remote-write, but not local-write'*'[certain, MR-ACCESS-LOCAL-WRITE]'* ]]
	[[ $stderr == *'try: add local-write to the access'* ]]
}

@test "--why none looks for no cause" {
	run --separate-stderr mr reg --size 64K --access remote-write --why none
	[[ $stderr != *because:* ]]
	run --separate-stderr mr reg --size 64K --access remote-write --why none --json
	json '.failures[0] | .why == null and .causes == [] and .ruled_out == []'
}

@test "of the same cause it is told once, with how often it came" {
	run --separate-stderr mr reg --size 64K --access remote-write --count 5 --keep-going
	[[ $(grep -c 'because:' <<<"$stderr") -eq 1 ]]
	[[ $stderr == *'mrctl: reg: and 4 more for the same cause, MR-ACCESS-LOCAL-WRITE'* ]]
}
