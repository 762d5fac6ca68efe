#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Why a call was refused, in messages and in the document.

load helpers
load why

@test "a refusal has its layer, one cause and the remedy, in the document and in the message" {
	refused_because MR-ACCESS-LOCAL-WRITE certain mr reg --size 64K --access remote-write --json
	json '.failures[0].layer == "uverbs" and .failures[0].why == "read"'
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

@test "a cause that several refusals share is printed once, with their number" {
	run --separate-stderr mr reg --size 64K --access remote-write --count 5 --keep-going
	[[ $(grep -c 'because:' <<<"$stderr") -eq 1 ]]
	[[ $stderr == *'mrctl: reg: and 4 more for the same cause, MR-ACCESS-LOCAL-WRITE'* ]]
}

# first_cause MRCTL ARG...: prints the first cause of a refusal, and how certain it is
first_cause() {
	run --separate-stderr "$@" --json
	jq -r '.failures[0].causes[0] | .id + " " + .certainty' <<<"$output"
}

# Some drivers' sessions are without libibverbs: only what the kernel knows is known there.
# bats test_tags=kernel,slow
@test "in a session and through --via kernel the cause is the same" {
	local words alone=() other requests=(
		"reg --access remote-write"
		"reg --access 0x80000000"
		"reg --access flush-global,flush-persistent,local-write"
		"reg --memory readonly"
		"reg --memory hole --size 1M"
		"reg --access on-demand,local-write --size max --memory none"
		"reg --access local-write,0x400 --memory readonly"
		"reg --size 0"
		"reg-iova --size 64K --iova 0x100"
	)

	for words in "${requests[@]}"; do
		alone+=("$(first_cause mr $words)")
		other=$(first_cause mr $words --via kernel)
		[ "${alone[-1]}" = "$other" ] || fail "$words: ${alone[-1]}, but by the kernel $other"
	done
	session_begin
	for words in "${requests[@]}"; do
		other=$(first_cause ms $words)
		[ "${alone[0]}" = "$other" ] || fail "$words: ${alone[0]}, but in a session $other"
		alone=("${alone[@]:1}")
	done
	session_end
}
