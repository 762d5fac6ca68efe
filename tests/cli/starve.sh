#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Lets each allocation of commands in a session fail, one after the other.
# Usage: mrctl sim -- mrctl session -- starve.sh WORK     WORK: an empty folder, with starve.so
# Prints what is wrong; the last line counts the runs.
set -u
work=$1
export STARVE_HIT=$work/hit
runs=0 wrong=0 documents=0

complain() {
	wrong=$((wrong + 1))
	[ "$wrong" -gt 20 ] || printf -- '--- %d: mrctl %s: %s (exit status %d)\n%s\n' "$n" "$*" "$what" \
		"$status" "$(head -c 500 "$work/err")"
}

# starve ARG...: mrctl, again and again
starve() {
	local n status what words

	words=$(mrctl "$@" 2>"$work/err" | tail -n +2 | wc -w)
	[[ " $*" != *" reg "* && " $*" != *" umem "* ]] || mrctl dereg --all --quiet
	for ((n = 1; n < 2000; n++)); do
		rm -f "$STARVE_HIT"
		STARVE=$n LD_PRELOAD=$work/starve.so:$LD_PRELOAD mrctl "$@" >"$work/out" 2>"$work/err"
		status=$?
		[ -e "$STARVE_HIT" ] || break
		runs=$((runs + 1))
		what=''
		[[ $1 != --json || ! -s $work/out ]] || {
			documents=$((documents + 1))
			printf '%s\n' "$(<"$work/out")" >>"$work/documents"
		}
		case $status in
		# libsmartcols can do without some, and without a heading
		0) [[ $1 != --json && $(tail -n +2 "$work/out" | wc -w) -eq $words ]] || what="not all is printed" ;;
		1) grep -q '^mrctl: ' "$work/err" || what="no message" ;;
		*) what="this exit status" ;;
		esac
		[ -z "$what" ] || complain "$@"
		[[ " $*" != *" reg "* && " $*" != *" umem "* ]] || mrctl dereg --all --quiet
		[ "$(session-objects)" = "$objects" ] || {
			what="left over: $(session-objects) and not $objects"
			complain "$@"
		}
	done
}

# prepare CMD...: an empty session, then what CMD makes
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
