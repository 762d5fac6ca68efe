#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Runs commands on the simulated HCA again and again, each time with another failing call to the kernel and
# another errno.  Checks exit status, messages, documents, and which objects are left.
# Usage: mrctl sim -- fault-sweep.sh WORK [STEP]
#   WORK  an empty folder for its files
#   STEP  try only every STEPth errno, beginning with another one for each call
# Prints what is wrong; the last line counts the runs.
set -u
work=$1 step=${2:-1} turn=0
mapfile -t calls < <(mrctl help simulator | awk '/^Calls/ { on = 1 } !NF { on = 0 } on && /^  [a-z]/ { print $1 }')
# Without EPROTONOSUPPORT, after which the library tries an older interface.
errnos=(ENOMEM EINVAL EFAULT EPERM EACCES EIO EAGAIN EBUSY EOPNOTSUPP ENODEV EINTR ENOENT ENOSPC)
# EAGAIN and EACCES both mean that another process has the lock: one of them will do.
lock_errnos=(EAGAIN EINTR ENOLCK)
runs=0 wrong=0 found='' here='' empty=''

# is_lie CALL ERRNO: with this errno the kernel reports that the object does not exist, which is false here
is_lie() {
	case $1=$2 in query_mr=ENOENT | query_mr=EINVAL | dealloc_pd=ENOENT | info_handles=ENOENT) ;; *) false ;; esac
}

# Providers do not free their memory of an object that the kernel refuses to destroy: no leak of mrctl.
printf 'leak:%s\n' librxe libmlx5 libibverbs >"$work/suppressions"
export LSAN_OPTIONS=suppressions=$work/suppressions:print_suppressions=0

# complain WHAT: prints what is wrong with the current run, for the first 40
complain() {
	wrong=$((wrong + 1))
	[ "$wrong" -gt 40 ] || printf -- '--- %s: %s (exit status %s)\n%s\n' "$here" "$1" "$status" \
		"$(head -c 1000 "$work/err")"
}

# number WORD: sets "found" to the number behind WORD= in "objects", the line of session-objects
number() {
	found=" $objects "
	found=${found#*" $1="}
	found=${found%% *}
}

# count_objects: sets "objects", and "mrs" and "entries" to how many the kernel and the table have
count_objects() {
	objects=$(session-objects 2>&1)
	number mr && mrs=$found
	[[ $objects != *" umem="* ]] || { number umem && mrs=$((mrs + found)); }
	number entries && entries=$found
}

# messages: there are messages if and only if the command failed, and they have the right form.  The one that
# the command holds regions does not count.
messages() {
	local line n=0

	while IFS= read -r line; do
		case $line in
		'mrctl: '*': holding '[0-9]*' region'*) continue ;;
		'mrctl: stat: the states are unknown: the kernel answers EIO'*) continue ;;
		'mrctl: '* | '  '[![:space:]]*) ;;
		*) complain "no message: $line" && return ;;
		esac
		[ $((n++)) -gt 0 ] || [[ $line == mrctl:* ]] || complain "it begins with a detail"
		[[ $line != *[[:cntrl:]]* && $line != *'(null)'* && $line != *'errno 0'* &&
			$line != *Success* && $line != *': :'* ]] || complain "odd message: $line"
	done <"$work/err"
	if [ "$status" -eq 0 ]; then
		[ "$n" -eq 0 ] || complain "a message without a failure"
	else
		[ "$n" -gt 0 ] || complain "a failure without a message"
	fi
}

# run_with_fault SPEC ARG...: runs `mrctl ARG...` with that fault, and checks exit status and messages
run_with_fault() {
	local spec=$1
	shift
	here="$spec mrctl $*"
	runs=$((runs + 1))
	MRCTL_SIM_FAULT=$spec mrctl "$@" >"$work/out" 2>"$work/err"
	status=$?
	case $status in
	0 | 1 | 3) messages ;;
	*) complain "this exit status" ;;
	esac
	out=$(<"$work/out")
}

# keep CALL ERRNO: keeps the document, which is checked at the end with all others
keep() {
	printf '{"run":"%s","status":%d,"errno":"%s","call":"%s"}\n%s\n' "$here" "$status" "$2" "$1" \
		"$out" >>"$work/documents"
}

# rows: sets "rows" to the number of regions in the document
rows() {
	local rest=${out//'"kind":"'/}

	rows=$(((${#out} - ${#rest}) / 8))
}

# is_hit SPEC PREPARE ARG...: whether the command makes that call: a fault kills it there.  In a session it runs
# in a new, empty one, so that the killed command leaves nothing.
is_hit() {
	local session=()

	[ -z "${MRCTL_SESSION:-}" ] || session=(mrctl session --)
	{
		# shellcheck disable=SC2016 # a script for the other shell
		"${session[@]}" bash -c 'count_objects() { objects=" " entries=0; }
			$1; export MRCTL_SIM_FAULT=$0; shift; exec mrctl "$@"' "$1=kill" "${@:2}" </dev/null
	} >"$work/out" 2>&1
	[ $? -eq 137 ]
}

# choose CALL: sets "list" to the errnos to try for this call
choose() {
	local all=("${errnos[@]}") i

	[ "$1" != lock ] || all=("${lock_errnos[@]}")
	list=()
	for ((i = turn++ % step; i < ${#all[@]}; i += step)); do
		is_lie "$1" "${all[i]}" || list+=("${all[i]}")
	done
}

# fail_with_each CHECK PREPARE CALL SPEC ARG...: for each errno runs PREPARE, the command with the fault, CHECK
fail_with_each() {
	local check=$1 prepare=$2 call=$3 spec=$4 errno
	shift 4

	choose "$call"
	for errno in "${list[@]}"; do
		$prepare
		run_with_fault "$spec=$errno" "$@"
		$check "$call" "$errno"
	done
}

# sweep CHECK PREPARE ARG...: lets each call of `mrctl ARG...` fail; where it makes a call several times, also
# all of these at once
sweep() {
	local check=$1 prepare=$2 call n
	shift 2

	for call in "${calls[@]}"; do
		for ((n = 1; n <= 40; n++)); do
			is_hit "$call@$n" "$prepare" "$@" || break
			fail_with_each "$check" "$prepare" "$call" "$call@$n" "$@"
		done
		[ "$n" -le 40 ] || complain "it never comes to its end"
		[ "$n" -le 2 ] || [ "$call" = lock ] || fail_with_each "$check" "$prepare" "$call" "$call" "$@"
	done
}

# Functions CHECK of sweep, called with CALL ERRNO; each is for one kind of command

outside() {
	keep "$@"
}

opened() {
	case $status,$out in
	0,ran | [13],) ;;
	*) complain "on stdout: $out" ;;
	esac
}

# make_empty: empties the session, and checks that it is as before
make_empty() {
	if [ "$objects" != "$empty" ]; then
		mrctl dereg --all --flush --quiet >"$work/out" 2>"$work/err"
		status=$?
		[ "$status" -eq 0 ] || complain "dereg --all afterwards"
		[[ $objects == *" pds=1" ]] || mrctl dereg pd:new --quiet 2>"$work/err" ||
			complain "dereg pd:new afterwards"
		count_objects
		[ "$objects" = "$empty" ] || complain "left over: $objects"
		[ "$mrs" -eq 0 ] || mrctl stat -n -o kind,handle | tr ' ' : | xargs mrctl dereg --quiet
	fi
}

registered() {
	keep "$@"
	rows
	count_objects
	[ "$mrs" -eq "$rows" ] || complain "$rows regions in the document: $objects"
	[ "$entries" -eq "$rows" ] || [[ $1 == lock && $entries -gt $rows ]] ||
		complain "$rows regions in the document: $objects"
	# The library does not report a UAR that it could not free: it stays.
	if [ "$1" = dealloc_uar ]; then
		number uar
		empty=${empty/ uar=$((found - 1)) / uar=$found }
	fi
	make_empty
}

deregistered() {
	local gone

	keep "$@"
	rows
	count_objects
	gone=$((3 - rows))
	[ "$mrs" -eq "$gone" ] || complain "$rows regions in the document: $objects"
	[ "$entries" -eq "$gone" ] || [[ $1 == lock && $entries -gt $gone ]] ||
		complain "$rows regions in the document: $objects"
	make_empty
}

# A deferred deregistration only marks the regions: all are still there.
marked() {
	keep "$@"
	count_objects
	[ "$mrs $entries" = "3 3" ] || complain "not all are there: $objects"
	make_empty
}

changed() {
	keep "$@"
	count_objects
	[ "$mrs $entries" = "1 1" ] || complain "the region is not there as it was: $objects"
	make_empty
}

shown() {
	keep "$@"
	count_objects
	[ "$objects" = "$three" ] || complain "it changed something: $objects"
}

three_regions() {
	count_objects
	[ "$entries" -eq 3 ] || mrctl reg --count 3 --name n --quiet >"$work/out"
}

one_region() {
	count_objects
	[ "$entries" -eq 1 ] || mrctl reg --name n --quiet >"$work/out"
}

three_relaxed() {
	count_objects
	[ "$entries" -eq 3 ] || mrctl reg --relaxed --count 3 --name n --quiet >"$work/out"
}

three_deferred() {
	three_relaxed
	mrctl dereg n.1 n.2 n.3 --defer-for 600 --quiet >"$work/out" 2>&1
}

three_umems() {
	count_objects
	[ "$entries" -eq 3 ] || mrctl umem --count 3 --name n --quiet >"$work/out"
}

one_pd() {
	count_objects
	[[ $objects == *" pds=2" ]] || {
		mrctl reg --pd new --name n --quiet
		mrctl dereg n --quiet
	} >"$work/out"
}

pd_gone() {
	keep "$@"
	count_objects
	case $objects in
	"$empty") ;;
	*" pds=2") [ "$status" -ne 0 ] ;;
	*) false ;;
	esac || complain "$objects"
	make_empty
}

# documents: each run that was kept has one document, with the failure.  Exceptions: with --hold, failures after
# the document was printed are not in it.  Where opening a device fails, the library tries something else, which
# may fail with another errno or succeed.  A device that cannot be queried counts as one without memory of its
# own.  A lock that another process holds can make a region busy (EBUSY).
documents() {
	local bad

	bad=$(jq -rn '
		def must_fail: (.call as $call | ["open", "alloc_pd", "reg_mr", "reg_dmabuf_mr", "reg_dm_mr", "rereg_mr", "dereg_mr",
			"advise_mr", "info_handles", "umem_dereg"] | index($call)) != null and (.call + .errno) != "info_handlesEIO";
		def has_reason($run): .message != "" and ((.call != null and .errno == $run.errno) or
			$run.call == "open" or $run.call == "get_context" or ($run.call + $run.errno + .errno) == "lockEAGAINEBUSY" or
			($run.call == "query_device" and .call == "ibv_alloc_dm"));
		[inputs] | . as $all | range(0; length; 2) | $all[.] as $run | $all[. + 1] as $document |
		select(($run.run != null and $document.format == 1 and
			($document | has("environment") and has("regions")) and
			(($run.status == 0) == ($document.failures == []) or
				($run.run | contains("--hold"))) and
			($run.status != 0 or ($run | must_fail | not)) and
			($document.failures | all(has_reason($run)))) | not) |
		"\($run.run) (exit status \($run.status)): \($document.failures)"' "$work/documents" 2>&1)
	[ -z "$bad" ] || {
		wrong=$((wrong + 1))
		printf 'documents:\n%s\n' "$bad" | head -c 4000
	}
}

# The bash that is_hit starts needs these.
export work
export -f three_regions one_region three_relaxed three_deferred three_umems one_pd

if [ -z "${MRCTL_SESSION:-}" ]; then
	sweep outside : --json reg --count 2
	sweep outside : --json reg --count 2 --via kernel
	sweep outside : --json reg-iova --iova 0x10000 --hold-for 0
	if [ "$MRCTL_SIM" != rxe ]; then
		sweep outside : --json reg-dmabuf --from udmabuf --count 2
		sweep outside : --json reg --access on-demand --advise prefetch,flush
		sweep outside : --json umem --count 2 --page-sizes 4K
		sweep outside : --json umem --via kernel --dmabuf udmabuf
		sweep outside : --json reg --memory dm --count 2
		sweep outside : --json reg --memory dm --via kernel
		sweep outside : --json umem --size 8K --try-page-sizes
	fi
	rereg='rereg a --size 8K'
	[ "$MRCTL_SIM" != rxe ] || rereg=
	printf '%s\n' 'reg --name a --pd new' 'reg' "$rereg" stat 'dereg a 2 pd:new' >"$work/lines"
	sweep outside : --json batch "$work/lines"
	sweep opened : session -- echo ran
	OUTSIDE="$runs $wrong" exec mrctl session -- bash "$0" "$work" "$step"
fi

read -r runs wrong <<<"$OUTSIDE"
count_objects
empty=$objects
sweep registered : --json reg --count 2
sweep registered : --json reg --count 2 --via kernel --keep-going
[ "$MRCTL_SIM" = rxe ] || sweep registered : --json reg --via library --hold-for 0 --advise prefetch --access on-demand
sweep registered : --json reg --pd new
sweep registered : --json reg-iova --iova 0x10000 --hold-for 0
[ "$MRCTL_SIM" = rxe ] || sweep registered : --json reg-dmabuf --from heap:system --via kernel
[ "$MRCTL_SIM" = rxe ] || sweep registered : --json reg --memory dm --count 2 --size 64
[ "$MRCTL_SIM" = rxe ] || sweep registered : --json reg --memory dm --via kernel --keep-going
printf 'reg --name x\nreg --name y\n' >"$work/lines"
sweep registered : --json batch "$work/lines"
sweep changed one_region --json rereg n --access remote-read --pd new
[ "$MRCTL_SIM" = rxe ] || sweep changed one_region --json rereg n --size 4M
if [ "$MRCTL_SIM" != rxe ]; then
	sweep registered : --json umem --count 2 --name u
	sweep deregistered three_umems --json dereg n.2
	sweep deregistered three_umems --json dereg --all
	mrctl umem --count 3 --name n --quiet
	count_objects
	three=$objects
	sweep shown : --json stat
	make_empty
fi
sweep deregistered three_regions --json dereg n.2
sweep deregistered three_regions --json dereg n.1 n.2 n.3
sweep deregistered three_regions --json dereg --all
sweep pd_gone one_pd --json dereg pd:new
sweep registered : --json reg --relaxed --count 2 --via kernel
sweep marked three_relaxed --json dereg --all --defer-for 600
sweep deregistered three_deferred --json dereg --flush
sweep deregistered three_relaxed --json dereg n.1 n.2 n.3 --flush
three_regions
count_objects
three=$objects
sweep shown : --json stat
sweep shown : --json stat n.1 n.3
make_empty
documents
[ "${#calls[@]}" -ge 18 ] || complain "the calls are missing: ${calls[*]}"
printf '%d runs, %d wrong\n' "$runs" "$wrong"
