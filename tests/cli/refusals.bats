#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# How a refusal is reported.  Which requests are refused, and why, is in why-*.bats and kernel-conditions.bats.

load helpers

@test "a refusal is an element of failures, with all its members" {
	refused EINVAL ibv_reg_mr mr reg --access remote-write --json
	json '.regions == [] and (.failures | length == 1)'
	json '.failures[0] | keys == ["call", "causes", "errno", "errno_value", "index", "layer",
		"library_would_say", "message", "old_region", "proof", "region", "request",
		"rereg_code", "ruled_out", "status", "tried", "tries", "via", "why"]'
	json '.failures[0] | .call == "ibv_reg_mr" and .errno == "EINVAL" and .errno_value == 22 and
		.index == 1 and .region == null and .via == "library" and
		.rereg_code == null and .library_would_say == null and .old_region == null and
		(.message | startswith("ibv_reg_mr: EINVAL (")) and (.causes | type == "array")'
	run --separate-stderr mr reg-iova --iova 1
	[ "${stderr_lines[0]}" = \
		"mrctl: reg-iova: ibv_reg_mr_iova: EINVAL (Invalid argument)" ]
}

@test "--count stops at the first refusal, and reports it and the regions before it" {
	refused EFAULT ibv_reg_mr mr reg --memory hole --size 4K --count 3 --json
	json '[.regions[].state] == ["deregistered", "deregistered"] and [.failures[].index] == [3]'
	[[ $stderr == *"region 3 of 3: ibv_reg_mr: EFAULT"*"2 of 3 regions registered"* ]]
	# where more could be registered, too
	shows '[.failures[].index] == [4]' mr reg --memory hole --size 8K --stride 4K --count 4
	shows '.regions == [] and [.failures[].index] == [1]' mr reg --size 0 --count 4
	# one region needs no sum
	exits 1 mr reg --advise 7
	[[ $stderr == *ibv_advise_mr* && $stderr != *"1 of 1"* ]]
}

@test "--keep-going continues after a refusal: all are in the document, and ten have messages" {
	refused EINVAL ibv_reg_mr mr reg --size 0 --count 3 --keep-going --json
	json '.regions == [] and [.failures[].index] == [1, 2, 3]'
	shows '.failures | length == 100' mr reg --size 0 --count 100 --keep-going
	[ "$(grep -c 'ibv_reg_mr: EINVAL' <<<"$stderr")" -eq 10 ]
	[[ $stderr == *"and 90 more failures"* ]]
}
