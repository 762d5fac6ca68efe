#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Runs commands on the simulated HCA again and again, each time with another call of libc failing that mrctl makes
# (preload/fail.c): the first call of each place in its code, in at most 3 of the commands.  Checks exit status, message
# and document, that no descriptor, lock or memory is left, and that a session works afterwards.
# Usage: mrctl sim -- failing-calls.sh WORK FAIL.SO     WORK: an empty folder
# Prints what is wrong; the last line counts the runs.
set -u
work=$1 preload=$2 runs=0 wrong=0 here='' status=0 usual=0
declare -A tried=()
# An errno that no code expects: EXDEV
export TMPDIR=$work FAIL_CALLS=$work/calls FAIL FAIL_SITE FAIL_NUMBER=1 FAIL_ERRNO=18 FAIL_IN=program

# complain WHAT: prints what is wrong with the current run, for the first 40
complain() {
	wrong=$((wrong + 1))
	[ "$wrong" -gt 40 ] || printf -- '--- %s: %s (exit status %s)\n%s\n' "$here" "$1" "$status" \
		"$(head -c 500 "$work/err")"
}

# run_mrctl ARG...: runs mrctl with the preload
run_mrctl() {
	LD_PRELOAD=$preload:$LD_PRELOAD timeout -s KILL 60 mrctl "$@" >"$work/out" 2>"$work/err" </dev/null
	status=$?
	[[ -z ${MRCTL_TEST_DOCUMENTS:-} || " $* " != *" --json "* ]] ||
		printf '%s\0%s\0' "$here" "$(<"$work/out")" >>"$MRCTL_TEST_DOCUMENTS"
	# fail.so alone sees a lock that cannot be released
	[ ! -s "${LEAKS:-}" ] || [[ $FAIL == fcntl* ]] || complain "$(<"$LEAKS")"
	[ ! -e "${LEAKS:-}" ] || : >"$LEAKS"
}

# names_another: the message blames another call of libc than that which has failed (__open_2 is open of a fortified build)
names_another() {
	local name

	name=$(sed -nE 's/^mrctl: .*[ :]([a-z_0-9]+)(\([^)]*\))?: EXDEV \(.*/\1/p' "$work/err" | head -1)
	[ -n "$name" ] && [[ ${FAIL#__} != "${name%64}"* ]] && grep -qE "^${name}(64)? " "$work/calls"
}

# check_messages ARG...: a failure has a message, with the errno or a reason for it.  A verdict of stat --host and
# an unsupported size are no failures of a call.  A trace says what it has not seen.
check_messages() {
	case $status in
	0 | "$usual")
		[ "$1$usual" != trace0 ] || grep -qE '1 registration of 4 KiB|not followed|not complete' "$work/err" ||
			complain "the registration was neither seen nor said to be missed"
		return
		;;
	1 | 3 | 126) ;;
	*) complain "this exit status" && return ;;
	esac
	[[ " $* " == *" --host "* ]] || grep -q '^mrctl: ' "$work/err" || complain "no message"
	[[ $status -ne 1 || " $* " == *" --host "* ]] ||
		grep -qE '(EXDEV|ENOMEM|ELIBACC) \(|^mrctl: .*(has no provider|is not installed)' "$work/err" || complain "no errno"
	! names_another || complain "another call"
}

# sweep ARG...: lets the first call from each place fail
sweep() {
	rm -f "$work/calls"
	FAIL='' run_mrctl "$@"
	usual=$status
	while read -r FAIL FAIL_SITE; do
		[ $((tried[$FAIL_SITE]++)) -lt 3 ] || continue
		here="$FAIL at $FAIL_SITE: mrctl $*"
		runs=$((runs + 1))
		run_mrctl "$@"
		check_messages "$@"
		[ -z "${MRCTL_SESSION:-}" ] || mrctl dereg --all --quiet 2>"$work/err" ||
			complain "dereg --all afterwards"
	done < <(sort -u "$work/calls")
}

if [ -z "${MRCTL_SESSION:-}" ]; then
	printf '%s\n' 'reg --name a' 'rereg a --size 8K' 'stat' 'dereg a' >"$work/lines"
	printf '%s\n' 'reg --memory memfd --populate --pd p --name a' 'rereg a --memory anon --populate --pd q' \
		'reg --memory dm --name b' 'reg --relaxed --name c' 'umem --name d' 'dereg a c' 'stat b d' >"$work/more"
	sweep --json batch "$work/lines"
	sweep --json batch "$work/more"
	sweep reg --memory "file:$preload" --access none
	sweep reg-dmabuf --from udmabuf
	sweep umem --page-sizes 4K
	sweep umem --try-page-sizes
	sweep stat --device
	sweep stat --probe
	sweep stat --host
	sweep explain ENOMEM --call ibv_reg_mr
	sweep session -- true
	sweep bench --count 3 --rounds 1 --sizes 4K
	sweep report --format json
	sweep trace -- mrctl -q reg
	sweep reg --memory readonly --access remote-write --why try --json
	sweep reg-dmabuf --from udmabuf --access zero-based --via kernel
	sweep umem --export --hold-for 0
	sweep session --list
	sweep report --to "$work/report" --force --redact -- mrctl -q reg --memory unmapped
	sweep report --read "$work/report"
	sweep trace -o "$work/o" --force --stacks --calls --leaks --live --reproduce "$work/r" --summary "$work/s" -- \
		mrctl -q reg --memory unmapped
	mrctl --json bench --count 3 --rounds 7 --sizes 4K --steps reg >"$work/old" 2>"$work/err"
	sweep bench --compare "$work/old" --anyway
	sweep bench --count 3 --rounds 1 --sizes 4K,8K --processes 2 --threads 2 --plot "$work/plot.svg" --force
	OUTSIDE="$runs $wrong" exec mrctl session -- bash "$0" "$work" "$preload"
fi
read -r runs wrong <<<"$OUTSIDE"
sweep --json reg --count 2 --memory dm
sweep reg --relaxed
sweep stat --json
sweep stat --format openmetrics
sweep session --list --json
printf '%d runs, %d wrong\n' "$runs" "$wrong"
