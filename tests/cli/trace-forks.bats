#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# mrctl trace: regions that a process leaves to the children that it has forked
load helpers

TOOL=$BUILD/tests/cli/trace-forks

# traced WHAT: the tool under trace; its summary is then in $output
traced() {
	echo "$1"
	run -0 "${SIM[@]}" mrctl -j trace --summary "$BATS_TEST_TMPDIR/summary" -- "$TOOL" "$1"
	output=$(cat "$BATS_TEST_TMPDIR/summary")
}

# summary REGISTERED MOST LEAKED: numbers of regions, each of 4096 bytes
summary() {
	jq -e --argjson registered "$1" --argjson most "$2" --argjson leaked "$3" '
		.registered == $registered and .registered_bytes == 4096 * $registered and
		.most_regions == $most and .most_bytes == 4096 * $most and
		.leaked == $leaked and .leaked_bytes == 4096 * $leaked and
		([.leaks[].regions] | add // 0) == $leaked' <<<"$output"
}

@test "a child that deregisters what its parent has left: no leak" {
	local what
	for what in daemon twice; do
		traced $what
		summary 3 3 0
	done
	traced called
	summary 4 4 0
}

@test "what a child leaves, too, is a leak of its parent, once" {
	traced forgets
	summary 3 3 1
	jq -e '.leaks | length == 1 and .[0].call == "ibv_reg_mr"' <<<"$output"
	traced silent
	summary 3 3 3
}

@test "a child that deregisters what its parent has, which runs" {
	traced child
	summary 3 3 0
	jq -e '.refused == 0' <<<"$output"
	traced both
	summary 3 3 0
	jq -e '.refused == 3' <<<"$output"
}

@test "a region of a child is its own, also at the address of one of its parent's" {
	traced own
	jq -e '.registered == 2 and .leaked == 1' <<<"$output"
}

@test "a change by a child counts" {
	traced change
	summary 3 3 0
}

@test "what is registered at once is that of processes that run" {
	traced serial
	summary 3 1 0
	# each process of 3 leaves its regions, and is no longer there when the next one begins
	run -0 "${SIM[@]}" mrctl -j trace --summary "$BATS_TEST_TMPDIR/summary" -- \
		sh -c "for i in 1 2 3; do $TOOL silent; sleep 0.3; done"
	output=$(cat "$BATS_TEST_TMPDIR/summary")
	summary 9 3 9
}

@test "what a child has that still runs is no leak yet" {
	"${SIM[@]}" mrctl -j trace --summary "$BATS_TEST_TMPDIR/summary" -- "$TOOL" waits "$BATS_TEST_TMPDIR/go" &
	local tracer=$!
	timeout 60 sh -c "until [ -e $BATS_TEST_TMPDIR/go ]; do sleep 0.1; done"
	sleep 0.3
	kill "$tracer"
	wait "$tracer"
	echo >>"$BATS_TEST_TMPDIR/go"
	output=$(cat "$BATS_TEST_TMPDIR/summary")
	summary 3 3 0
}
