#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# run.sh GUEST SEED CALLS [DEVICE...]: random calls on the devices of a guest (default: both), and the same
# on the simulated HCA.  Prints where the answers differ; fails on a difference that the file "known" lacks.

set -uo pipefail

here=$(cd "$(dirname "$0")" && pwd)
[ $# -ge 3 ] || {
	sed -n 's/^# \(run.sh .*\)/usage: \1/p' "$0" >&2
	exit 2
}
guest=$1 seed=$2 count=$3
shift 3
devices=("$@")
[ $# -gt 0 ] || devices=(mlx5_0 rxe0)

list=$(mktemp)
trap 'rm -f "$list"' EXIT
"$here/../run.sh" exec "$guest" -- /usr/lib/mrctl-guest/play "$seed" "$count" "${devices[@]}" >"$list" || {
	status=$?
	tail -n 5 "$list" >&2
	exit $status
}
"$here/compare.sh" "$list"
