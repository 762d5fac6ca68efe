#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# --hold and --hold-for: a region that stays until a signal or the time.

load helpers

# The tests may be run by nohup, which ignores SIGHUP.
MR=(env --default-signal=HUP "${MR[@]}")

# held FILTER: the output of the holding mrctl is one JSON document for which FILTER is true
held() {
	output=$(cat "$HOLD_OUT") stderr=$(cat "$HOLD_ERR")
	json "$1"
}

@test "--hold prints the whole document first, holds all regions, and ends with 0 on each signal" {
	for signal in TERM INT HUP; do
		hold reg --hold --json --count 3
		held '[.regions[] | .state, .dereg_elapsed_ns] == ["live", null, "live", null, "live", null]'
		pid=$HOLD_PID
		release $signal
		held '.failures == []'
		[[ $(<"$HOLD_ERR") == "mrctl: reg: holding 3 regions until Ctrl-C"*"; pid $pid" ]]
	done
	hold reg-iova --iova 0x10000 --hold-for 1000 -n -o iova
	[ "$(cat "$HOLD_OUT")" = 0x10000 ]
	release
}

@test "--hold-for ends after its time, and reports what it holds unless with --quiet or for no time" {
	succeeded mr reg --hold-for 0.01 --count 2
	[[ $stderr =~ "holding 2 regions for 0.01 s, or until Ctrl-C, SIGTERM or SIGHUP; pid "[0-9]+ ]] ||
		fail "$stderr"
	succeeded mr reg --hold-for 0.01 -q
	[ -z "$output$stderr" ]
	gives '.regions[0] | .state == "live" and .dereg_elapsed_ns == null' mr reg --hold-for 0
	[ -z "$stderr" ]
}

@test "nohup keeps a hold alive" {
	MR=("${MR[@]:2}")
	trap '' HUP
	hold reg --hold
	trap - HUP
	[[ $(<"$HOLD_ERR") == *"until Ctrl-C or SIGTERM; pid "* ]] || fail "$(<"$HOLD_ERR")"
	ignored=$(sed -n 's/^SigIgn:\t/0x/p' "/proc/$HOLD_PID/status")
	((ignored & 1))
	release
}

@test "nothing is held without a region, or if the answer cannot be printed; the other regions are, after a refusal" {
	refused EINVAL ibv_reg_mr timeout 60 "${MR[@]}" reg --size 0 --hold --json
	json '.regions == []'
	[[ $stderr != *holding* ]]
	exits 1 timeout 60 bash -c '"$@" >/dev/full' -- "${MR[@]}" reg --hold
	[[ $stderr == *"standard output"*"ENOSPC"* ]]
	exits 1 mr reg --memory hole --count 3 --hold-for 0.01 --json
	json '([.regions[].state] == ["live", "live"]) and (.failures | length == 1)'
}
