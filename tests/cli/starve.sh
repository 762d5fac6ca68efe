#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Runs commands in a session again and again, each time with another failing allocation (preload/starve.c).
# Checks exit status, message, output, and that no object is left.
# Usage: mrctl sim -- mrctl session -- starve.sh WORK     WORK: an empty folder, with starve.so
# Prints what is wrong; the last line counts the runs.
set -u
work=$1
export STARVE_HIT=$work/hit
runs=0 wrong=0 documents=0

# complain ARG...: prints what is wrong with `mrctl ARG...`, for the first 20
complain() {
	wrong=$((wrong + 1))
	[ "$wrong" -gt 20 ] || printf -- '--- %d: mrctl %s: %s (exit status %d)\n%s\n' "$n" "$*" "$what" \
		"$status" "$(head -c 500 "$work/err")"
}

# has_message: mrctl printed a message
has_message() {
	local line

	while IFS= read -r line; do
		[[ $line != "mrctl: "* ]] || return 0
	done <"$work/err"
	return 1
}

# count: sets "words" to the number of words in the output without its first line
count() {
	local list

	mapfile -t list <"$work/out"
	# shellcheck disable=SC2206 # words
	list=(${list[@]:1})
	words=${#list[@]}
}

# starve ARG...: runs `mrctl ARG...` until no allocation is left to fail
starve() {
	local n status what words whole left makes=''

	[[ " $*" != *" reg "* && " $*" != *" umem "* ]] || makes=yes
	mrctl "$@" >"$work/out" 2>"$work/err"
	count
	whole=$words
	[ -z "$makes" ] || mrctl dereg --all --quiet
	for ((n = 1; n < 2000; n++)); do
		STARVE=$n LD_PRELOAD=$work/starve.so:$LD_PRELOAD mrctl "$@" >"$work/out" 2>"$work/err"
		status=$?
		[ -e "$STARVE_HIT" ] || break
		rm "$STARVE_HIT"
		runs=$((runs + 1))
		what=''
		if [ "$1" != --json ]; then
			count
		elif [ -s "$work/out" ]; then
			documents=$((documents + 1))
			printf '%s\n' "$(<"$work/out")" >>"$work/documents"
		fi
		case $status in
		# libsmartcols survives some failures, and may leave out the heading
		0) [[ $1 != --json && $words -eq $whole ]] || what="not all is printed" ;;
		1) has_message || what="no message" ;;
		*) what="this exit status" ;;
		esac
		[ -z "$what" ] || complain "$@"
		[ -z "$makes" ] || mrctl dereg --all --quiet
		left=$(session-objects)
		[ "$left" = "$objects" ] || {
			what="left over: $left and not $objects"
			complain "$@"
		}
	done
}

# prepare CMD...: empties the session, runs CMD, and notes the objects that there are
prepare() {
	mrctl dereg --all --quiet
	"$@"
	objects=$(session-objects)
}

for mode in --json --verbose; do
	prepare true
	starve "$mode" reg --count 2 --name n
	starve "$mode" -o id,name,rkey reg --via kernel
	starve "$mode" umem --name u --page-sizes 4K
	starve "$mode" umem --try-page-sizes
	starve "$mode" dereg --all
	prepare mrctl reg --name a --quiet
	starve "$mode" stat
	starve "$mode" rereg a --size 8K --access none
done
[ "$(jq -s length "$work/documents")" = "$documents" ] || {
	wrong=$((wrong + 1))
	echo "not each document is whole"
}
printf '%d runs, %d wrong\n' "$runs" "$wrong"
