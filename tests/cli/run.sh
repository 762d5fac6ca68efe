#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Runs the command-line tests on the simulated HCA: all files on profile mlx5, FILEs on profile rxe too.  Each
# file is a run of bats, in a process group of its own.  Reports (TAP) are left in $BUILD/report.
# Usage: run.sh FILE...
#   FILTER    only tests with these tags, as for bats --filter-tags; several sets are separated by "|"
#   PROFILES  only on these ("mlx5 rxe")
#   FILES     only these files ("reg batch")
#   JOBS      how many files run at once (one more than processors, since tests also wait)
#   SEED      the order of the files (a number; default: another one in each run)
#   REPEAT    how often all is run, each time in another order (1)
#   LIMIT     seconds that a file may take (900)
set -u
here=$(cd "$(dirname "$0")" && pwd)
: "${BUILD:?}"
export BUILD
profiles=${PROFILES:-mlx5 rxe}
jobs=${JOBS:-$(($(nproc) + 1))}
seed=${SEED:-$RANDOM}
limit=${LIMIT:-900}
options=(--tap --timing)
IFS='|' read -ra filters <<<"${FILTER:-}"
for filter in "${filters[@]}"; do
	options+=(--filter-tags "$filter")
done
status=0
declare -A running=() begun=()

# is_wanted FILE
is_wanted() {
	local name=${1##*/}

	[ -z "${FILES:-}" ] || [[ " $FILES " == *" ${name%.bats} "* ]]
}

# in_order SEED FILE...: prints "PROFILE FILE" for each run, in an order that depends on SEED
in_order() {
	local seed=$1 file
	shift

	{
		for file in "$here"/*.bats; do
			[[ " $profiles " != *" mlx5 "* ]] || ! is_wanted "$file" || echo "mlx5 $file"
		done
		for file; do
			[[ " $profiles " != *" rxe "* ]] || ! is_wanted "$file" || echo "rxe $file"
		done
	} | shuf --random-source=<(yes "$seed")
}

# report PROFILE FILE: prints the name of its report
report() {
	local name=${2##*/}

	echo "$BUILD/report/$1/${name%.bats}.tap"
}

# begin PROFILE FILE: starts it
begin() {
	set -m
	MRCTL_TEST_DOCUMENTS=$(realpath "$(report "$1" "$2").documents") MRCTL_TEST_PROFILE=$1 timeout -k 10 "$limit" bats "${options[@]}" "$2" >"$(report "$1" "$2")" 2>&1 </dev/null &
	running[$!]="$1 $2" begun[$!]=$SECONDS
	set +m
}

# print_failures TAP: prints the tests that failed with the lines that explain them
print_failures() {
	awk '/^ok / { on = 0; next } { if (/^not ok /) on = 1 } on || !/^(1\.\.|#)/' "$1"
}

# Waits until one of the running files ends, ends what it has left, and prints the tests that failed in it
await_file() {
	local pid one profile file tap

	wait -n -p pid "${!running[@]}"
	one=$?
	read -r profile file <<<"${running[$pid]}"
	unset "running[$pid]"
	tap=$(report "$profile" "$file")
	! kill -KILL -- "-$pid" 2>/dev/null || [ $one -eq 0 ] || echo "# ended what it had left running" >>"$tap"
	[ $one -ne 124 ] || echo "not ok 0 ${file##*/} was stopped after $limit s" >>"$tap"
	printf '%3d s  %s %s\n' $((SECONDS - begun[$pid])) "$profile" "${file##*/}"
	if [ $one -ne 0 ]; then
		status=1
		print_failures "$tap"
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

# run_all SEED FILE...: runs all files once
run_all() {
	local profile file
	declare -a runs

	mapfile -t runs < <(in_order "$@")
	for file in "${runs[@]}"; do
		read -r profile file <<<"$file"
		[ ${#running[@]} -lt "$jobs" ] || await_file
		begin "$profile" "$file"
	done
	while [ ${#running[@]} -gt 0 ]; do
		await_file
	done
}

# check_documents: compares the JSON documents that the tests have kept with the schema
check_documents() {
	local kept=("$BUILD"/report/*/*.documents)

	[ -e "${kept[0]}" ] || return 0
	if python3 -c 'import jsonschema' 2>/dev/null; then
		"$BUILD/mrctl" --dump-schema >"$BUILD/report/schema.json" &&
			python3 -B "$here/../schema.py" "$BUILD/report/schema.json" "${kept[@]}" || status=1
	else
		echo "JSON documents are not compared with the schema: python3-jsonschema is not installed"
	fi
}

# sum_up: prints the ten slowest tests, the names of those that failed, and a line for each profile
sum_up() {
	local profile failed

	echo "the slowest tests:"
	sed -nE 's/^(not )?ok [0-9]+ (.*) in ([0-9]+)ms.*/\3 \2/p' "$BUILD"/report/*/*.tap | sort -rn | head -n 10 |
		awk '{ ms = $1; $1 = ""; printf "%6.1f s %s\n", ms / 1000, $0 }'
	failed=$(cd "$BUILD/report" && grep -H '^not ok ' ./*/*.tap |
		sed -E 's|^\./([^/]*)/([^:]*)\.tap:not ok [0-9]* |  \1 \2.bats: |; s/ in [0-9]+ms$//')
	[ -z "$failed" ] || printf 'failed (seed %s):\n%s\n' "$seed" "$failed"
	for profile in $profiles; do
		cat /dev/null "$BUILD/report/$profile"/*.tap | awk -v profile="$profile" '
			/^ok .*# skip/ {
				sub(/.*# skip */, "")
				if (/installed|^no [a-z0-9]*(\(1\))?$|^needs (cc|strace)/) missing++
				else if (/guest|kernel|software HCA|that HCA|queues|real device|moves data|HCA no-/) kernel++
				else other++
				next
			}
			/^ok / { passed++ }
			/^not ok / { failed++ }
			END {
				printf "%s: %d passed, %d failed", profile, passed, failed
				printf "; not run: %d need a real kernel (make check-kernel), %d do not apply here", kernel, other
				if (missing) printf ", %d need a program that is not installed (sh tests/setup.sh all)", missing
				print ""
			}'
	done
}

trap stop INT TERM HUP
for ((round = 1; round <= ${REPEAT:-1}; round++)); do
	[ "${REPEAT:-1}" -eq 1 ] || echo "round $round of $REPEAT, seed $seed"
	rm -rf "$BUILD/report"
	mkdir -p "$BUILD/report/mlx5" "$BUILD/report/rxe"
	run_all "$seed" "$@"
	check_documents
	sum_up
	seed=$((seed + 1))
done
exit $status
