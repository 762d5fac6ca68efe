#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Runs commands in a session again and again, each time with another failing system call of the simulator
# itself (preload/fail.c).  Each call fails with ENOTTY, after which libibverbs tries write(), and with one other
# errno, which changes from call to call.
# Usage: mrctl sim -- mrctl session -- fail-inside.sh WORK     WORK: an empty folder, with fail.so
# Prints what is wrong; the last line counts the runs.
set -u
work=$1
export FAIL_HIT=$work/hit FAIL_NUMBER FAIL_ERRNO FAIL_CALL
errnos=(5 12 4 13 24) # EIO ENOMEM EINTR EACCES EMFILE
calls=(open fstat fcntl mmap pread fallocate dup3)
opener=() runs=0 wrong=0

# complain WHAT: prints what is wrong with the current run, for the first 20
complain() {
	wrong=$((wrong + 1))
	[ "$wrong" -gt 20 ] || printf -- '--- %s %d, errno %d: %s (exit status %d)\n%s\n' "$FAIL_CALL" \
		"$FAIL_NUMBER" "$FAIL_ERRNO" "$1" "$status" "$(head -c 500 "$work/err")"
}

# check_session: the session works, and has no object of the failed command.  The time limit ends a hang.
check_session() {
	local objects

	timeout -s KILL 20 mrctl dereg --all --quiet 2>"$work/err"
	status=$?
	[ "$status" -eq 0 ] || complain "dereg --all afterwards"
	objects=$(timeout -s KILL 20 session-objects 2>"$work/err")
	status=$?
	[[ $status -eq 0 && $objects == *"mr=0 "*" entries=0 "* ]] || complain "the session: $objects"
}

# attempt ARG...: runs `mrctl ARG...` with the failure, and checks its exit status and message
attempt() {
	LD_PRELOAD=$LD_PRELOAD:$work/fail.so timeout -s KILL 20 "${opener[@]}" mrctl "$@" >"$work/out" 2>"$work/err"
	status=$?
	case $status in
	0) ;;
	1 | 3) grep -q '^mrctl: ' "$work/err" || complain "no message: mrctl $*" ;;
	*) complain "mrctl $*" ;;
	esac
}

# fail_each ARG...: runs `mrctl ARG...` with each call failing
fail_each() {
	for FAIL_CALL in "${calls[@]}"; do
		for ((FAIL_NUMBER = 1; FAIL_NUMBER < 1000; FAIL_NUMBER++)); do
			for FAIL_ERRNO in 25 "${errnos[runs % ${#errnos[@]}]}"; do
				attempt "$@"
				[ -e "$FAIL_HIT" ] || break 2
				rm "$FAIL_HIT"
				runs=$((runs + 1))
				check_session
			done
		done
	done
}

fail_each reg --quiet
fail_each reg --quiet --via kernel
fail_each stat
opener=(env -u MRCTL_SESSION)
fail_each reg --quiet
printf '%d runs, %d wrong\n' "$runs" "$wrong"
