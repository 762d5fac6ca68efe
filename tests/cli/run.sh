#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The command-line tests on both profiles of the simulated HCA, at once; their reports are left in
# $BUILD/report.
# Usage: run.sh FILE...    the files that are for the profile rxe too
#   FILTER  only tests with these tags, as for bats --filter-tags
set -u
here=$(cd "$(dirname "$0")" && pwd)
: "${BUILD:?}"
export BUILD
mkdir -p "$BUILD/report/mlx5" "$BUILD/report/rxe"
options=(--report-formatter tap)
[ -z "${FILTER:-}" ] || options+=(--filter-tags "$FILTER")

MRCTL_TEST_PROFILE=rxe bats "${options[@]}" --output "$BUILD/report/rxe" "$@" \
	>"$BUILD/report/rxe.log" 2>&1 &
rxe=$!
trap 'kill "$rxe" 2>/dev/null' INT TERM
bats "${options[@]}" --output "$BUILD/report/mlx5" "$here"
status=$?
wait "$rxe" || status=1
echo "the profile rxe:"
cat "$BUILD/report/rxe.log"
exit "$status"
