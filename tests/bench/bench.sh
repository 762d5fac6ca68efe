#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# bench.sh BUILD [DEVICE]: measures mrctl on the simulated HCA, or on DEVICE, and in the same run a plain C loop
# or a peer tool that does the same.  The ratios count: times differ from machine to machine.  Writes
# BUILD/bench.json as well, or BUILD/bench-DEVICE.json.
#   RUNS      runs of each pair, of which the median counts (9)
#   REVISION  of the source, if not that of the folder
# COUNT, LARGE and MANY: see rows.sh
set -eu -o pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$1 device=${2:-}
export RUNS=${RUNS:-9}
rows=$(mktemp)
trap 'rm -f "$rows"' EXIT

# table: shows the rows as they come
table() {
	awk -F '\t' -v head="${device:-simulated HCA}, median of $RUNS runs" '
		BEGIN { printf "%-66s %10s %10s %6s  %-13s %s\n", head, "mrctl", "peer", "ratio", "95 %", "goal" }
		{
			sub(/^-$/, "", $5)
			reached = $6 == "-" ? $4 : $6
			missed = $3 ~ /^[0-9]/ && reached + 0 > $3 + 0 ? " missed" : ""
			printf "%-66s %10s %10s %6s  %-13s %s\n", $1 " (" $2 ")", $4, $5,
				$6 == "-" ? "" : sprintf("%.2f", $6),
				$7 == "-" ? "" : sprintf("%.2f to %.2f", $7, $8), ($3 == "-" ? "" : $3) missed
			fflush()
		}'
}

# document: the rows as JSON
document() {
	jq -R -n --arg kernel "$(uname -r)" --arg date "$(date -u +%Y-%m-%dT%H:%M:%SZ)" \
		--arg cpu "$(sed -n 's/^model name[[:blank:]]*: //p' /proc/cpuinfo | head -n 1)" \
		--arg device "${device:-simulated}" --arg revision "$REVISION" '
		def known: if . == "-" then null elif test("^[0-9.]+$") then tonumber else . end;
		{ $kernel, $cpu, $date, revision: ($revision | if . == "" then null else . end), $device,
		  rows: [inputs / "\t" | { what: .[0], goal: .[2] | known, mrctl: .[3] | known,
			peer: .[4] | known, unit: .[1], ratio: .[5] | known, low: .[6] | known, high: .[7] | known }] }'
}

REVISION=${REVISION-$(git -C "$here" describe --always --dirty --abbrev=40 --exclude '*' 2>/dev/null || :)}
"$here/rows.sh" "$device" "$build" | tee "$rows" | table
document <"$rows" >"$build/bench${device:+-$device}.json"
