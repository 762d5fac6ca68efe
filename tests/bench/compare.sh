#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# make bench-compare BASE=REV: builds revision REV and measures its mrctl and that of this folder in turn, against
# the same peers on the simulated HCA of this folder.  REV has to know the commands of all rows.
# A row is marked as slower where it is by more than 3 %, and the interval of new/old has no 1 in it.
#   RUNS   runs of each command (15)
# COUNT and LARGE: see rows.sh
set -eu -o pipefail
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
export RUNS=${RUNS:-15}

refuse() {
	echo "bench-compare: $*" >&2
	exit 2
}
[ -n "${BASE:-}" ] || refuse "say with what to compare: make bench-compare BASE=REVISION"
revision=$(git -C "$top" rev-parse --verify --quiet --end-of-options "$BASE^{commit}") ||
	refuse "BASE=$BASE is no revision of this repository"

mkdir -p "$BUILD"
old=$(mktemp -d "$(cd "$BUILD" && pwd)/compare.XXXXXX")
tidy() {
	git -C "$top" worktree remove --force "$old/tree" 2>/dev/null || :
	rm -rf "$old"
	git -C "$top" worktree prune
}
trap tidy EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

build() { # FOLDER BUILD
	"${MAKE:-make}" --no-print-directory -C "$1" "-j$(nproc)" BUILD="$2" all >"$old/log" 2>&1 ||
		{ cat "$old/log" >&2; echo "bench-compare: $1 does not build" >&2; exit 1; }
}
build "$top" "$(cd "$BUILD" && pwd)"
git -C "$top" worktree add --quiet --detach "$old/tree" "$revision"
echo "Building $BASE (${revision:0:12})"
build "$old/tree" "$old/build"
"$here/programs.sh"
"$here/rows.sh" '' "$(cd "$BUILD" && pwd)" "$old/build" | awk -F '\t' -v head="median of $RUNS runs" '
	BEGIN { printf "%-66s %10s %10s %10s %8s  %-13s\n", head, "peer", "old", "new", "new/old", "95 %" }
	{
		slower = $6 > 1.03 && ($7 == "-" || $7 > 1) ? "  slower" : ""
		printf "%-66s %10s %10s %10s %8.3f  %-13s%s\n", $1 " (" $2 ")", $9 == "-" ? "" : $9, $5, $4, $6,
			$7 == "-" ? "" : sprintf("%.2f to %.2f", $7, $8), slower
		fflush()
	}'
