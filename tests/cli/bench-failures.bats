#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# mrctl bench where it is ended, refused, or asked for what makes no sense.
# shellcheck disable=SC2016 # jq has variables of its own

load helpers

# bench ARG...: sets output to its document
bench() {
	run --separate-stderr mr -j bench "$@"
	json '.command == "bench"'
}

@test "a signal in the last round of all is told, too" {
	on_simulator || skip "needs calls that take long"
	local out=$BATS_TEST_TMPDIR/out pid blocked=0

	"${SIM[@]::${#SIM[@]}-1}" --fault reg_mr=delay:20 -- \
		mrctl -j bench --sizes 4K --seconds 100 --rounds 1 >"$out" 2>/dev/null 3>&- &
	pid=$!
	# Once it has blocked signals they end the measurement alone.
	until ((blocked & 1 << 14)); do
		is_running "$pid"
		sleep 0.02
		blocked=0x$(awk '$1 == "SigBlk:" { print $2 }' "/proc/$pid/status")
	done
	sleep 1
	kill "$pid"
	wait "$pid" || :
	jq -e '.method.interrupted' "$out"
}
