#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Runs commands in a session again and again, each time with another failing allocation (preload/fail.c).
# Checks exit status, message, output, and that no object, lock or descriptor is left.
# Usage: mrctl sim -- mrctl session -- starve.sh WORK FOLDER
#   WORK    an empty folder
#   FOLDER  has fail.so and leaks.so
# Prints what is wrong; the last line counts the runs.
set -u
work=$1
export FAIL=allocate FAIL_HIT=$work/hit LEAKS=$work/leaks
preload=$2/fail.so:$2/leaks.so:$LD_PRELOAD
runs=0 wrong=0 documents=0 where=()
: >"$LEAKS"

# complain WHAT: prints what is wrong with the current run, for the first 20
complain() {
	wrong=$((wrong + 1))
	[ "$wrong" -gt 20 ] || printf -- '--- %d: mrctl %s: %s (exit status %d)\n%s\n' "$n" "$here" "$1" \
		"$status" "$(head -c 500 "$work/err")"
}

# count: sets "words" to the number of words in the output without its first line
count() {
	local list

	mapfile -t list <"$work/out"
	# shellcheck disable=SC2206 # words
	list=(${list[@]:1})
	words=${#list[@]}
}

# starve BEFORE AFTER ARG...: runs `mrctl BEFORE`, `mrctl ARG...` and `mrctl AFTER` until no allocation of ARG... is
# left to fail; BEFORE and AFTER may be empty.  Afterwards there are the same objects as before.
starve() {
	local n=0 status=0 usual=0 words=0 whole=0 before=$1 after=$2 here="${*:3}" objects left
	shift 2

	objects=$(object-tool objects)
	# shellcheck disable=SC2086 # words
	for ((n = 0; n < 2000; n++)); do
		[ -z "$before" ] || mrctl $before --quiet
		env "${where[@]}" FAIL_NUMBER=$n LD_PRELOAD="$preload" mrctl "$@" >"$work/out" 2>"$work/err"
		status=$?
		[ -z "$after" ] || mrctl $after --quiet
		if [ "$1" != --json ]; then
			count
		elif [ -s "$work/out" ]; then
			documents=$((documents + 1))
			printf '%s\n' "$(<"$work/out")" >>"$work/documents"
		fi
		if [ "$n" -eq 0 ]; then
			whole=$words usual=$status
			continue
		fi
		[ -e "$FAIL_HIT" ] || break
		rm "$FAIL_HIT"
		runs=$((runs + 1))
		case $status in
		# libsmartcols survives some failures, and may leave out the heading
		0) [[ $1 != --json && $words -eq $whole && $usual -eq 0 ]] || complain "not all is printed" ;;
		1) [[ $(<"$work/err") == "mrctl: "* ]] || complain "no message" ;;
		*) complain "this exit status" ;;
		esac
		[[ $(<"$work/err") != *MR-PROVIDER* ]] || complain "a provider that lacks memory is called missing"
		[ ! -s "$LEAKS" ] || complain "$(<"$LEAKS")"
		: >"$LEAKS"
	done
	left=$(object-tool objects)
	[ "$left" = "$objects" ] || complain "left over: $left and not $objects"
}

for mode in --json --verbose; do
	starve '' 'dereg --all' "$mode" reg --count 2 --name n
	starve '' 'dereg --all' "$mode" -o id,name,rkey reg --via kernel
	starve '' 'dereg --all' "$mode" umem --name u --page-sizes 4K
	starve '' '' "$mode" umem --try-page-sizes
	starve 'reg --count 2' 'dereg --all' "$mode" dereg --all
	mrctl reg --name a --quiet
	starve '' '' "$mode" stat
	starve '' '' "$mode" rereg a --size 8K --access none
	mrctl dereg a --quiet
done
# outside of the session
where=(-u MRCTL_SESSION)
starve '' '' -o name,max_mr stat --device
starve '' '' -o call bench relaxed --sizes 4K --count 1
starve '' '' reg --access remote-write
[ "$(jq -s length "$work/documents")" = "$documents" ] || {
	wrong=$((wrong + 1))
	echo "not each document is whole"
}
printf '%d runs, %d wrong\n' "$runs" "$wrong"
