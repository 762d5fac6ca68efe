#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# --hold and --hold-for: a region that stays until a signal or the time.

load helpers

# held FILTER: the output of the holding mrctl is one JSON document for which FILTER is true
held() {
	output=$(cat "$HOLD_OUT") stderr=$(cat "$HOLD_ERR")
	json "$1"
}

# bats test_tags=kernel
@test "--hold prints the whole document first and ends with 0 on SIGTERM" {
	local pid

	hold reg --hold --json
	held '.regions[0] | .state == "live" and .dereg_elapsed_ns == null'
	kill -0 "$HOLD_PID"
	pid=$HOLD_PID
	release
	held '.failures == []'
	[[ $(<"$HOLD_ERR") == "mrctl: reg: holding 1 region until Ctrl-C"*"; pid $pid" ]]
}

@test "a hold reports how many regions it holds and for how long, unless with --quiet" {
	local MR=(env --default-signal=HUP "${MR[@]}") # the tests may be run by nohup, which ignores SIGHUP

	run --separate-stderr mr reg --hold-for 0.01 --count 2
	succeeded
	[[ $stderr =~ "holding 2 regions for 0.01 s, or until Ctrl-C, SIGTERM or SIGHUP; pid "[0-9]+ ]] ||
		fail "$stderr"
	run --separate-stderr mr reg --hold-for 0.01 -q
	[ -z "$output$stderr" ]
	run --separate-stderr mr reg --hold-for 0 --json
	[ -z "$stderr" ]
	run --separate-stderr mr reg --hold-for 0.01 --size 0
	[[ $stderr != *holding* ]]
}

@test "SIGINT and SIGHUP end a hold as well" {
	local signal MR=(env --default-signal=HUP "${MR[@]}") # the tests may be run by nohup, which ignores SIGHUP

	for signal in INT HUP; do
		hold reg --hold
		grep -qx 'state: *live' "$HOLD_OUT"
		release $signal
	done
}

@test "nohup keeps a hold alive" {
	run --separate-stderr nohup "${MR[@]}" reg --hold-for 0.01
	succeeded
	[[ $stderr == *"until Ctrl-C or SIGTERM; pid "* ]] || fail "$stderr"
	trap '' HUP
	hold reg --hold
	trap - HUP
	kill -HUP "$HOLD_PID"
	sleep 0.1
	kill -0 "$HOLD_PID"
	release
}

@test "--hold-for ends after its time" {
	run --separate-stderr mr reg --hold-for 0.01 --json
	succeeded
	json '.regions[0] | .state == "live" and .dereg_elapsed_ns == null'
	run --separate-stderr mr reg --hold-for 0
	succeeded
}

@test "--hold-for ends on a signal before its time" {
	hold reg --hold-for 1000
	release
}

@test "all regions of a count are held" {
	hold reg --hold --count 3 --json
	held '[.regions[].state] == ["live", "live", "live"]'
	release
}

@test "reg-iova is held too" {
	hold reg-iova --iova 0x10000 --hold -n -o iova
	[ "$(cat "$HOLD_OUT")" = 0x10000 ]
	release
}

@test "without a region there is nothing to hold" {
	run --separate-stderr timeout 10 "${MR[@]}" reg --size 0 --hold --json
	refused EINVAL ibv_reg_mr
	json '.regions == []'
}

@test "regions made before a refusal are held, and the exit status is that of the refusal" {
	run --separate-stderr mr reg --memory hole --count 3 --hold-for 0.01 --json
	[ "$status" -eq 1 ]
	json '([.regions[].state] == ["live", "live"]) and (.failures | length == 1)'
}

@test "nothing is held if the answer could not be printed" {
	run --separate-stderr timeout 10 bash -c '"$@" >/dev/full' -- "${MR[@]}" reg --hold
	[ "$status" -eq 1 ]
	[[ $stderr == *"standard output"*"ENOSPC"* ]]
}

@test "bad times are usage errors" {
	local value

	for value in '' x -1 1s 1. .5 0x1 1e3 9999999999; do
		run --separate-stderr mr reg --hold-for "$value"
		usage_error "--hold-for: invalid time '$value'"
	done
	run --separate-stderr mr reg --hold=1
	usage_error "option '--hold' takes no value"
}
