# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash
# The causes that mrctl finds for a refusal.

# refused_because ID CERTAINTY COMMAND...
#   COMMAND, an mrctl with --json, is refused; the first cause of its first failure is ID with that CERTAINTY, which
#   has evidence and a remedy; and no other cause is certain.
refused_because() {
	local id=$1 certainty=$2
	shift 2

	run --separate-stderr "$@"
	((status != 0)) || fail "not refused: $*"
	json '.failures | length > 0'
	jq -e --arg id "$id" --arg certainty "$certainty" '.failures[0] |
		.causes[0].id == $id and .causes[0].certainty == $certainty and
		(.causes[0].evidence | length > 0) and .causes[0].remedy != "" and
		([.causes[1:][] | select(.certainty == "certain")] == [])' \
		<<<"$output" >/dev/null ||
		fail "expected $id, $certainty, but: $(jq -c '.failures[0] | {errno, causes, ruled_out}' <<<"$output")"
}

# refused_for_no_certain_cause COMMAND... - the same, where nothing may be certain
refused_for_no_certain_cause() {
	run --separate-stderr "$@"
	((status != 0)) || fail "not refused: $*"
	json '.failures | length > 0'
	json '[.failures[].causes[] | select(.certainty == "certain")] == []'
}

# has_odp: the device under test has on-demand paging
has_odp() {
	on_mlx5 || { on_simulator && [ "${MRCTL_TEST_KERNEL:-7.2}" = 7.2 ]; } ||
		[ "${MRCTL_TEST_GUEST:-}" = sid ]
}
