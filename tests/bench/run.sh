#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# make bench: builds the programs of this folder and runs bench.sh on the simulated HCA; with GUEST=NAME also
# on both devices of that guest (tests/kernel), of which only the tables remain.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
"$here/programs.sh"
"$here/bench.sh" "$(cd "$BUILD" && pwd)"
[ -n "${GUEST:-}" ] || exit 0
for device in mlx5_0 rxe0; do
	echo
	"$here/../kernel/run.sh" exec "$GUEST" -- \
		env RUNS="${RUNS:-3}" COUNT="${COUNT:-10000}" LARGE="${LARGE:-10000}" MANY="${MANY:-}" \
		/mrctl/tests/bench/bench.sh /mrctl/build "$device"
done
