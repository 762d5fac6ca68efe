#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The command-line tests on both profiles of the simulated HCA: each file is a run of bats, and as many run at
# once as there are processors, and one, since they also wait.  Their reports (TAP) are left in $BUILD/report.
# Usage: run.sh FILE...    the files that are for the profile rxe too
#   FILTER  only tests with these tags, as for bats --filter-tags
#   JOBS    so many at once
set -u
here=$(cd "$(dirname "$0")" && pwd)
: "${BUILD:?}"
export BUILD
jobs=${JOBS:-$(($(nproc) + 1))}
options=(--tap)
[ -z "${FILTER:-}" ] || options+=(--filter-tags "$FILTER")
status=0
declare -A running=() begun=()

# Those that take longest come first: the others fill the gaps
slow=(session-kill faults session-many session-hostile relaxed batch session umem completion combinations)

# list PROFILE FILE...: "PLACE PROFILE FILE" for each, PLACE among the slow ones or behind them
list() {
	local profile=$1 file place
	shift

	for file; do
		place=0
		until [ $place -eq ${#slow[@]} ] || [ "${file##*/}" = "${slow[place]}.bats" ]; do
			place=$((place + 1))
		done
		echo "$place $profile $file"
	done
}

# report PROFILE FILE
report() {
	local name=${2##*/}

	echo "$BUILD/report/$1/${name%.bats}.tap"
}

begin() { # PROFILE FILE: a job with its own process group, to be stopped with all that it runs
	set -m
	MRCTL_TEST_PROFILE=$1 bats "${options[@]}" "$2" >"$(report "$1" "$2")" 2>&1 </dev/null &
	running[$!]="$1 $2" begun[$!]=$SECONDS
	set +m
}

# Waits for one of those that run, and tells what failed in it
await() {
	local pid one profile file tap

	wait -n -p pid "${!running[@]}"
	one=$?
	read -r profile file <<<"${running[$pid]}"
	unset "running[$pid]"
	tap=$(report "$profile" "$file")
	printf '%3d s  %s %s\n' $((SECONDS - begun[$pid])) "$profile" "${file##*/}"
	if [ $one -ne 0 ]; then
		status=1
		# what comes after a failure explains it
		awk '/^ok / { on = 0; next } { if (/^not ok /) on = 1 } on || !/^(1\.\.|#)/' "$tap"
	fi
}

# shellcheck disable=SC2317 # the traps call it
stop() {
	local groups=("${!running[@]}")

	trap '' INT TERM HUP
	[ ${#groups[@]} -eq 0 ] || kill -- "${groups[@]/#/-}" 2>/dev/null
	wait
	exit 1
}

trap stop INT TERM HUP
rm -rf "$BUILD/report"
mkdir -p "$BUILD/report/mlx5" "$BUILD/report/rxe"
while read -r _ profile file; do
	[ ${#running[@]} -lt "$jobs" ] || await
	begin "$profile" "$file"
done < <({ list mlx5 "$here"/*.bats; list rxe "$@"; } | sort -sn -k 1,1)
while [ ${#running[@]} -gt 0 ]; do
	await
done
for profile in mlx5 rxe; do
	awk -v profile="$profile" '
		/^ok / && / # skip/ { skipped++; next }
		/^ok / { passed++ }
		/^not ok / { failed++ }
		END { printf "%s: %d passed, %d failed, %d skipped\n", profile, passed, failed, skipped }
	' "$BUILD/report/$profile"/*.tap
done
exit $status
