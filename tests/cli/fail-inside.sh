#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Lets each system call fail that the simulator itself makes below commands in a session, one after the
# other: with ENOTTY, after which libibverbs tries write(), and with another errno in turns.
# Usage: mrctl sim -- mrctl session -- fail-inside.sh WORK     WORK: an empty folder, with fail.so
# Prints what is wrong; the last line counts the runs.
set -u
work=$1
export FAIL_HIT=$work/hit FAIL_NUMBER FAIL_ERRNO FAIL_CALL
errnos=(5 12 4 13 24) # EIO ENOMEM EINTR EACCES EMFILE
calls=(open fstat fcntl mmap pread fallocate dup3)
opener=() runs=0 wrong=0

# complain WHAT
complain() {
	wrong=$((wrong + 1))
	[ "$wrong" -gt 20 ] || printf -- '--- %s %d, errno %d: %s (exit status %d)\n%s\n' "$FAIL_CALL" \
		"$FAIL_NUMBER" "$FAIL_ERRNO" "$1" "$status" "$(head -c 500 "$work/err")"
}

# works: the session does, and it has nothing of what failed; with a limit, as a hang must end
works() {
	local objects

	timeout -s KILL 20 mrctl dereg --all --quiet 2>"$work/err"
	status=$?
	[ "$status" -eq 0 ] || complain "dereg --all afterwards"
	objects=$(timeout -s KILL 20 session-objects 2>"$work/err")
	status=$?
	[[ $status -eq 0 && $objects == *"mr=0 "*" entries=0 "* ]] || complain "the session: $objects"
}

# attempt ARG...: mrctl, with the failure
attempt() {
	LD_PRELOAD=$LD_PRELOAD:$work/fail.so timeout -s KILL 20 "${opener[@]}" mrctl "$@" >"$work/out" 2>"$work/err"
	status=$?
	case $status in
	0) ;;
	1 | 3) grep -q '^mrctl: ' "$work/err" || complain "no message: mrctl $*" ;;
	*) complain "mrctl $*" ;;
	esac
}

# each ARG...: mrctl, again and again
each() {
	for FAIL_CALL in "${calls[@]}"; do
		for ((FAIL_NUMBER = 1; FAIL_NUMBER < 1000; FAIL_NUMBER++)); do
			for FAIL_ERRNO in 25 "${errnos[runs % ${#errnos[@]}]}"; do
				attempt "$@"
				[ -e "$FAIL_HIT" ] || break 2
				rm "$FAIL_HIT"
				runs=$((runs + 1))
				works
			done
		done
	done
}

each reg --quiet
each reg --quiet --via kernel
each stat
opener=(env -u MRCTL_SESSION)
each reg --quiet
printf '%d runs, %d wrong\n' "$runs" "$wrong"
