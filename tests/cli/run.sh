#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Runs the command-line tests on the simulated HCA: all files on profile mlx5, FILEs on profile rxe too.  Each
# file is a run of bats.  Reports (TAP) are left in $BUILD/report.
# Usage: run.sh FILE...
#   FILTER    only tests with these tags, as for bats --filter-tags
#   PROFILES  only on these ("mlx5 rxe")
#   JOBS      how many files run at once (one more than processors, since tests also wait)
set -u
here=$(cd "$(dirname "$0")" && pwd)
: "${BUILD:?}"
export BUILD
profiles=${PROFILES:-mlx5 rxe}
jobs=${JOBS:-$(($(nproc) + 1))}
options=(--tap --timing)
[ -z "${FILTER:-}" ] || options+=(--filter-tags "$FILTER")
status=0
declare -A running=() begun=()

# The files that take longest start first, so that short ones fill the gaps at the end
slow=(faults session-kill report-hostile report host host-hostile bench shell man combinations session-hostile slurm
	session-many completion)

# in_order PROFILE FILE...: prints "ORDER PROFILE FILE" for each, if the profile is wanted; files with a lower ORDER
# start first
in_order() {
	local profile=$1 file order
	shift
	[[ " $profiles " == *" $profile "* ]] || return 0

	for file; do
		order=0
		until [ $order -eq ${#slow[@]} ] || [ "${file##*/}" = "${slow[order]}.bats" ]; do
			order=$((order + 1))
		done
		echo "$order $profile $file"
	done
}

# report PROFILE FILE: prints the name of its report
report() {
	local name=${2##*/}

	echo "$BUILD/report/$1/${name%.bats}.tap"
}

# begin PROFILE FILE: starts it in a process group of its own, so that stop() ends all its processes
begin() {
	set -m
	MRCTL_TEST_PROFILE=$1 bats "${options[@]}" "$2" >"$(report "$1" "$2")" 2>&1 </dev/null &
	running[$!]="$1 $2" begun[$!]=$SECONDS
	set +m
}

# Waits until one of the running files ends, and prints the tests that failed in it
await_file() {
	local pid one profile file tap

	wait -n -p pid "${!running[@]}"
	one=$?
	read -r profile file <<<"${running[$pid]}"
	unset "running[$pid]"
	tap=$(report "$profile" "$file")
	printf '%3d s  %s %s\n' $((SECONDS - begun[$pid])) "$profile" "${file##*/}"
	if [ $one -ne 0 ]; then
		status=1
		# the lines after a failure explain it
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
	[ ${#running[@]} -lt "$jobs" ] || await_file
	begin "$profile" "$file"
done < <({ in_order mlx5 "$here"/*.bats; in_order rxe "$@"; } | sort -sn -k 1,1)
while [ ${#running[@]} -gt 0 ]; do
	await_file
done
for profile in $profiles; do
	awk -v profile="$profile" '
		/^ok / && / # skip/ { skipped++; next }
		/^ok / { passed++ }
		/^not ok / { failed++ }
		END { printf "%s: %d passed, %d failed, %d skipped\n", profile, passed, failed, skipped }
	' "$BUILD/report/$profile"/*.tap
done
exit $status
