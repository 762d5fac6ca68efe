#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Runs commands in a session again and again, each time with another failing system call of the simulator
# itself (preload/fail.c).  Calls fail in turn with ENOTTY, after which libibverbs tries write(), and another errno.
# Usage: mrctl sim -- mrctl session -- fail-inside.sh WORK FAIL.SO     WORK: an empty folder
# Prints what is wrong; the last line counts the runs.
set -u
work=$1 list=${LD_PRELOAD/"${2%/*}/leaks.so"/}:$2 # without leaks.so, through which calls of the simulator would go
export FAIL_HIT=$work/hit FAIL_IN=libmrctl-sim FAIL FAIL_NUMBER FAIL_ERRNO
errnos=(25 5 12 25 4 13 24) # ENOTTY EIO ENOMEM ENOTTY EINTR EACCES EMFILE
calls=(open fopen fstat fcntl mmap pread fallocate dup3)
opener=() runs=0 wrong=0

# complain WHAT: prints what is wrong with the current run, for the first 20
complain() {
	wrong=$((wrong + 1))
	[ "$wrong" -gt 20 ] || printf -- '--- %s %d, errno %d: %s (exit status %d)\n%s\n' "$FAIL" \
		"$FAIL_NUMBER" "$FAIL_ERRNO" "$1" "$status" "$(head -c 500 "$work/err")"
}

# check_session: the session works, and has no object of the failed command but regions that are deregistered.  The
# time limit ends a hang.
check_session() {
	local objects

	timeout -s KILL 60 mrctl dereg --all --quiet 2>"$work/err"
	status=$?
	[ "$status" -eq 0 ] || complain "dereg --all afterwards"
	objects=$(timeout -s KILL 60 object-tool objects 2>"$work/err")
	status=$?
	[[ $status -eq 0 && $objects == *"mr=0 "*" entries=0 "* ]] || complain "the session: $objects"
}

# fail_each ARG...: runs `mrctl ARG...` with each call failing
fail_each() {
	for FAIL in "${calls[@]}"; do
		for ((FAIL_NUMBER = 1; FAIL_NUMBER < 1000; FAIL_NUMBER++)); do
			FAIL_ERRNO=${errnos[runs % ${#errnos[@]}]}
			LD_PRELOAD=$list timeout -s KILL 60 "${opener[@]}" mrctl "$@" >"$work/out" 2>"$work/err"
			status=$?
			case $status in
			0) ;;
			1 | 3) grep -q '^mrctl: ' "$work/err" || complain "no message: mrctl $*" ;;
			*) complain "mrctl $*" ;;
			esac
			[ -e "$FAIL_HIT" ] || break
			rm "$FAIL_HIT"
			runs=$((runs + 1))
			[ "${#opener[@]}" -gt 0 ] || check_session
		done
	done
}

fail_each reg --quiet
fail_each reg --quiet --via kernel
fail_each stat
opener=(env -u MRCTL_SESSION)
fail_each reg --quiet
check_session
printf '%d runs, %d wrong\n' "$runs" "$wrong"
