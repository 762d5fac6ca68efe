# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash
# The causes that mrctl finds for a refusal.

# refused_because ID CERTAINTY COMMAND...
#   COMMAND, an mrctl with --json, is refused; the first cause of its first failure is ID with that CERTAINTY; on the
#   simulator it has the evidence and remedy of evidence.tsv; and no other cause is certain.
refused_because() {
	local id=$1 certainty=$2
	shift 2

	run --separate-stderr "$@"
	((status != 0)) || fail "not refused: $*"
	jq -es --arg id "$id" --arg certainty "$certainty" 'length == 1 and (.[0].failures[0] |
		.causes[0].id == $id and .causes[0].certainty == $certainty and
		(.causes[0].evidence | length > 0) and .causes[0].remedy != "" and
		([.causes[1:][] | select(.certainty == "certain")] == []))' \
		<<<"$output" >/dev/null ||
		fail "expected $id, $certainty, but: $(jq -c '.failures[0] | {errno, causes, ruled_out}' <<<"$output")"
	! on_simulator || has_evidence
}

# has_evidence: what the first cause of the last run shows is in evidence.tsv
has_evidence() {
	local general=$BATS_FILE_TMPDIR/remedies shown

	[ -s "$general" ] || mrctl explain --list --json | jq '.causes | map({(.id): .remedy}) | add' >"$general"
	shown=$(jq -r --slurpfile general "$general" '.failures[0].causes[0] | [.id, (.evidence | keys | join(",")),
		if .remedy == $general[0][.id] then "general" else "own" end] | @tsv' <<<"$output")
	grep -qxF -e "$shown" -e "${shown%$'\t'*}"$'\teither' "$ROOT/tests/cli/evidence.tsv" || fail "not in evidence.tsv: $shown"
}

# refused_for_no_certain_cause COMMAND... - the same, where nothing may be certain
refused_for_no_certain_cause() {
	run --separate-stderr "$@"
	((status != 0)) || fail "not refused: $*"
	json '(.failures | length > 0) and [.failures[].causes[] | select(.certainty == "certain")] == []'
}

# never_certain CALL "ERRNO..." ARG... - the same for mrctl ARG... where CALL fails with each ERRNO; on the simulator
never_certain() {
	local errno

	for errno in $2; do
		refused_for_no_certain_cause faulty "$1=$errno" "${@:3}" --json
	done
}

# rules_out ID... - the first failure of the last run rules these causes out
rules_out() {
	local ids

	printf -v ids ',"%s"' "$@"
	json "[${ids#,}] - [.failures[0].ruled_out[].id] == []"
}

# suspects ID CERTAINTY - this is one of the causes of its first failure
suspects() {
	json ".failures[0].causes | any(.id == \"$1\" and .certainty == \"$2\")"
}

# For tests of what only a real kernel does
need_kernel() {
	[ -n "${MRCTL_TEST_GUEST:-}" ] || skip "needs a guest of tests/kernel"
}

# need_hca [ROW]: for tests of the software HCA, or of that row of tests/kernel/variants
need_hca() {
	need_kernel
	[[ $(device) == mlx5_0 && ${MRCTL_TEST_HCA:-} == "${1:-}" ]] || skip "needs the software HCA ${1:-} of tests/kernel"
}

# has_odp: the device under test has on-demand paging
has_odp() {
	on_mlx5 || { on_simulator && [ "${MRCTL_TEST_KERNEL:-7.2}" = 7.2 ]; } ||
		[ "${MRCTL_TEST_GUEST:-}" = sid ]
}

# linux VERSION: the kernel that answers is of that version or newer
linux() {
	local release=${MRCTL_TEST_KERNEL:-7.2}

	on_simulator || release=$(uname -r)
	printf '%s\n' "$1" "${release%%-*}" | sort -CV
}

# ---- control groups, of tests on a kernel of their own

CGROUP=/sys/fs/cgroup/mrctl-test

# make_cgroup CONTROLLER: makes CGROUP with it
make_cgroup() {
	echo "+$1" >/sys/fs/cgroup/cgroup.subtree_control
	mkdir "$CGROUP"
}

# within COMMAND...: runs it in CGROUP
within() {
	bash -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$CGROUP" "$@"
}

# remove_cgroup: for teardown; ends the processes in CGROUP, and lifts its limits: some kernels crash when a device is
# removed after a group that had a limit for it (tests/kernel/bugs.md)
remove_cgroup() {
	local process

	[ -d "$CGROUP" ] || return 0
	[ ! -e "$CGROUP/rdma.max" ] ||
		echo "$MRCTL_TEST_DEVICE hca_handle=max hca_object=max" >"$CGROUP/rdma.max" 2>/dev/null || :
	while read -r process; do
		kill "$process"
	done <"$CGROUP/cgroup.procs"
	timeout 60 bash -c 'until rmdir "$0" 2>/dev/null; do sleep 0.1; done' "$CGROUP"
}
