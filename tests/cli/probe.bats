#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# mrctl stat --probe: what a device can do, learnt by trial.
# shellcheck disable=SC2016 # jq has variables of its own

load helpers

setup() {
	note_less
}

# probe [ARG...]: tries the device under test; sets $output to the document
probe() {
	run --separate-stderr mr --json stat --probe "$@"
	[ "$status" -eq 0 ] || fail "exit status $status" "$stderr"
}

# answer ID: prints what a trial of the last run answered, "yes", "no ERRNO LAYER" or "unknown ERRNO"
answer() {
	jq -r --arg id "$1" '.trials[] | select(.id == $id) |
		[.answer, .errno, if .answer == "no" then .layer else empty end |
		 select(. != null)] | join(" ")' <<<"$output"
}

# answers ID ANSWER: the trial had this answer
answers() {
	local found

	found=$(answer "$1")
	[ "$found" = "$2" ] || fail "$1: '$found' instead of '$2'"
}

@test "each trial has an answer, and a reason where that is unknown" {
	probe
	json '.command == "stat" and (.trials | length) > 60 and .failures == []'
	json 'all(.trials[]; .answer == "yes" or .answer == "no" or .answer == "unknown")'
	json 'all(.trials[] | select(.answer == "unknown"); .reason != null)'
	json 'all(.trials[] | select(.agrees == false); .capability != .answer and .reason != null)'
	json '[.trials[].id] | length == (unique | length)'
	json '.summary.yes == ([.trials[] | select(.answer == "yes")] | length) and
		.summary.yes + .summary.no + .summary.unknown == (.trials | length) and
		.summary.disagree == ([.trials[] | select(.agrees == false)] | length)'
}

# bats test_tags=kernel
@test "what verbs forbid is refused by uverbs, and agrees" {
	probe
	for id in remote-write remote-atomic rw+rr rr+ra rw+ra; do
		answers "access.$id" "no EINVAL uverbs"
	done
	json 'all(.trials[] | select(.errno == "EINVAL" and .layer == "uverbs");
		.capability == "no" and .agrees)'
	answers access.lw+rw+rr+ra+mw yes
}
