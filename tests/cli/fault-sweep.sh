#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Runs commands on the simulated HCA again and again, each time with another failing call to the kernel and
# another errno.  Checks exit status, messages, documents, which objects are left, and that the process gives back
# its locks and descriptors (preload/leaks.c).
# Usage: mrctl sim -- fault-sweep.sh WORK [STEP]
#   WORK  a folder with leaks.so, for its files
#   STEP  try only every STEPth errno, beginning with another one for each call
# Prints what is wrong; the last line counts the runs.
set -u
shopt -s extglob
work=$1 step=${2:-1} turn=0
# shellcheck source=calls.bash
. "$(dirname "$0")/calls.bash"
# Without EPROTONOSUPPORT, after which the library tries an older interface.
errnos=(ENOMEM EINVAL EFAULT EPERM EACCES EIO EAGAIN EBUSY EOPNOTSUPP ENODEV EINTR ENOENT ENOSPC)
# EAGAIN and EACCES both mean that another process has the lock: one of them will do.
lock_errnos=(EAGAIN EINTR ENOLCK)
runs=0 wrong=0 found='' here='' status=0

[[ :$LD_PRELOAD: == *":$work/leaks.so:"* ]] || export LD_PRELOAD=$work/leaks.so:$LD_PRELOAD
export LEAKS=$work/leaks
# Providers do not free their memory of an object that the kernel refuses to destroy: no leak of mrctl.
printf 'leak:%s\n' librxe libmlx5 libibverbs >"$work/suppressions"
export LSAN_OPTIONS=suppressions=$work/suppressions:print_suppressions=0

# is_lie CALL ERRNO: with this errno the kernel reports that the object does not exist, which is false here
is_lie() {
	case $1=$2 in query_mr=ENOENT | query_mr=EINVAL | dealloc_pd=ENOENT | info_handles=ENOENT) ;; *) false ;; esac
}

# complain WHAT: prints what is wrong with the current run, for the first 40
complain() {
	wrong=$((wrong + 1))
	[ "$wrong" -gt 40 ] || printf -- '--- %s: %s (exit status %s)\n%s\n' "$here" "$1" "$status" \
		"$(head -c 1000 "$work/err")"
}

# number WORD: sets "found" to the number behind WORD= in "objects", the line of object-tool
number() {
	found=" $objects "
	found=${found#*" $1="}
	found=${found%% *}
}

# count_objects: sets "objects", and "mrs" and "entries" to how many the kernel and the table have
count_objects() {
	objects=$(object-tool objects 2>&1)
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
		'mrctl: '*': holding '[0-9]*' region'* | 'mrctl: '*': an on-demand region is inert'*) continue ;;
		'mrctl: stat: the states are unknown, and no region works: the kernel answers EIO'*) continue ;;
		'mrctl: dereg: the kernel answers EIO'*) continue ;;
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

# run_with_fault SPEC ARG...: runs `mrctl ARG...` with that fault; checks exit status and messages, and that no
# lock and no descriptor is left
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
	[ ! -s "$LEAKS" ] || complain "$(<"$LEAKS")"
	: >"$LEAKS"
}

# other_errno CALL: where it fails the message may name another errno: see documents
other_errno() {
	[[ " open get_context query_device lock " == *" $1 "* ]]
}

# keep CALL ERRNO: keeps the document, which is checked at the end with all others
keep() {
	[ "$status" -eq 0 ] || [[ $(<"$work/err") == *"$2 ("* ]] || other_errno "$1" || complain "no $2 in the message"
	printf '{"run":"%s","status":%d,"errno":"%s","call":"%s"}\n%s\n' "$here" "$status" "$2" "$1" \
		"$out" >>"$work/documents"
}

# rows: sets "rows" to the number of regions in the document
rows() {
	local rest=${out//'"kind":"'/}

	rows=$(((${#out} - ${#rest}) / 8))
}

# choose CALL: sets "list" to the errnos to try for this call
choose() {
	local all=("${errnos[@]}") i

	[ "$1" != lock ] || all=("${lock_errnos[@]}")
	list=()
	for ((i = turn++ % step % ${#all[@]}; i < ${#all[@]}; i += step)); do
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

# The calls that open the device or import the session.  They are the same for many commands: see sweep_opening
opening=' open get_context query_context query_device query_port query_gid query_pd alloc_uar dealloc_uar alloc_event'
opening+=' devx '

# sweep CHECK PREPARE ARG...: lets each call of `mrctl ARG...` fail, but for those that open the device; where it
# makes a call several times, also all of these at once
sweep() {
	local check=$1 prepare=$2 call n made=0 skip=${opens-$opening}
	shift 2

	here="mrctl $*"
	$prepare
	count_calls "$work/calls" mrctl "$@" >"$work/out" 2>"$work/err"
	$check
	for call in "${CALLS[@]}"; do
		[[ $skip != *" $call "* ]] || continue
		for ((n = 1; n <= ${TIMES[$call]:-0}; n++)); do
			fail_with_each "$check" "$prepare" "$call" "$call@$n" "$@"
			made=$n
		done
		[ "$n" -le 2 ] || [ "$call" = lock ] || fail_with_each "$check" "$prepare" "$call" "$call" "$@"
	done
	[ "$made" -gt 0 ] || complain "it makes no call"
	[ -z "${MRCTL_SESSION:-}" ] || is_empty
}

# sweep_opening CHECK PREPARE ARG...: lets those fail as well that open the device
sweep_opening() {
	opens='' sweep "$@"
}

# Functions CHECK of sweep; each is for one kind of command.  They are called with CALL ERRNO after a fault, and
# without after a run that had none.

outside() {
	[ $# -eq 0 ] || keep "$@"
}

opened() {
	case $status,$out in
	0,ran | [13],) ;;
	*) [ $# -eq 0 ] || complain "on stdout: $out" ;;
	esac
}

# make_empty: deregisters all that count_objects has found
make_empty() {
	if [ "$mrs $entries" != "0 0" ]; then
		mrctl dereg --all --flush --quiet >"$work/out" 2>"$work/err"
		status=$?
		[ "$status" -eq 0 ] || complain "dereg --all afterwards"
		mrs=0 entries=0
	fi
	[[ $objects == *" pds=1" ]] || mrctl dereg pd:new --quiet 2>"$work/err" || complain "dereg pd:new afterwards"
	objects=${objects/pds=2/pds=1}
}

# is_empty: empties the session, and checks that it is as before
is_empty() {
	count_objects
	make_empty
	count_objects
	# The library does not report a UAR that it could not free: it stays.
	number uar && empty=${empty/ uar=+([0-9]) / uar=$found }
	[ "$objects" = "$empty" ] || complain "left over: $objects"
}

registered() {
	count_objects
	if [ $# -gt 0 ]; then
		keep "$@"
		rows
		[ "$mrs" -eq "$rows" ] || complain "$rows regions in the document: $objects"
		[ "$entries" -eq "$rows" ] || [[ $1 == lock && $entries -gt $rows ]] ||
			complain "$rows regions in the document: $objects"
	fi
	make_empty
}

deregistered() {
	local gone

	count_objects
	if [ $# -gt 0 ]; then
		keep "$@"
		rows
		gone=$((3 - rows))
		[ "$mrs" -eq "$gone" ] || complain "$rows regions in the document: $objects"
		[ "$entries" -eq "$gone" ] || [[ $1 == lock && $entries -gt $gone ]] ||
			complain "$rows regions in the document: $objects"
	fi
	# regions that are live as before are used again
	[ "$mrs,${1:-}" = 3,query_mr ] || [ "$mrs,${1:-}" = 3,dereg_mr ] || make_empty
}

# A deferred deregistration only marks the regions: all are still there.
marked() {
	count_objects
	if [ $# -gt 0 ]; then
		keep "$@"
		[ "$mrs $entries" = "3 3" ] || complain "not all are there: $objects"
	fi
	make_empty
}

changed() {
	count_objects
	if [ $# -gt 0 ]; then
		keep "$@"
		[ "$mrs $entries" = "1 1" ] || complain "the region is not there as it was: $objects"
	fi
	make_empty
}

shown() {
	local before=$objects

	count_objects
	[ $# -gt 0 ] || return
	keep "$@"
	[ "$objects" = "$before" ] || complain "it changed something: $objects"
}

went_on() {
	[ $# -eq 0 ] || keep "$@"
	count_objects
	make_empty
}

pd_gone() {
	count_objects
	if [ $# -gt 0 ]; then
		keep "$@"
		[ "$objects" = "$empty" ] || [[ $objects == *" pds=2" && $status -ne 0 ]] || complain "$objects"
	fi
	make_empty
}

# Functions PREPARE of sweep

# three WORD...: there are three regions that mrctl WORD... makes
three() {
	[ "$entries" -eq 3 ] || mrctl "$@" --count 3 --name n --quiet >"$work/out"
}

three_regions() {
	three reg
}

three_relaxed() {
	three reg --relaxed
}

three_umems() {
	three umem
}

three_deferred() {
	three_relaxed
	mrctl dereg n.1 n.2 n.3 --defer-for 600 --quiet >"$work/out" 2>&1 || :
}

one_region() {
	mrctl reg --name n --quiet >"$work/out"
}

one_pd() {
	[[ $objects == *" pds=2" ]] || {
		mrctl reg --pd new --name n --quiet
		mrctl dereg n --quiet
	} >"$work/out"
}

# documents: each run that was kept has one document, whose failures have the errno and one of the calls by which the
# failing one is made.  Exceptions: with --hold, failures after the document was printed are not in it.  Where opening
# a device fails, the library tries something else, which may fail with another errno or succeed.  Where the library
# cannot import the device (ENODEV, EOPNOTSUPP), mrctl uses the session's descriptor (--via kernel).  A device that
# cannot be queried counts as one without memory of its own.  A lock that another process holds can make a region
# busy (EBUSY).  In a batch later lines do not find what an earlier one has not made.
documents() {
	local bad

	bad=$(jq -rn '
		{open: "(ibv|mlx5dv)_open_device", get_context: "(ibv|mlx5dv)_open_device|ioctl\\(DEVX_UMEM_REG\\)",
			query_context: "ibv_import_device", query_device: "ibv_alloc_dm", query_pd: "ibv_import_pd",
			alloc_event: "ibv_(open|import)_device|mlx5dv_open_device", alloc_pd: "ibv_alloc_pd|ioctl\\(ALLOC_PD\\)",
			dealloc_pd: "ibv_dealloc_pd|ioctl\\(PD_DESTROY\\)", reg_mr: "ibv_reg_mr(_iova)?|ioctl\\(REG_MR\\)",
			reg_dmabuf_mr: "ibv_reg_dmabuf_mr|ioctl\\(REG_DMABUF_MR\\)",
			reg_dm_mr: "ibv_reg_dm_mr|ioctl\\(DM_MR_REG\\)", rereg_mr: "ibv_rereg_mr|ioctl\\(REREG_MR\\)",
			dereg_mr: "ibv_dereg_mr|ioctl\\(MR_DESTROY\\)", query_mr: "ioctl\\(QUERY_MR\\)",
			advise_mr: "ibv_advise_mr", umem_reg: "mlx5dv_devx_umem_reg(_ex)?|ioctl\\(DEVX_UMEM_REG\\)",
			umem_dereg: "mlx5dv_devx_umem_dereg|ioctl\\(DEVX_UMEM_DEREG\\)",
			alloc_dm: "ibv_alloc_dm|ioctl\\(DM_ALLOC\\)", free_dm: "ibv_free_dm|ioctl\\(DM_FREE\\)",
			info_handles: "ioctl\\(INFO_HANDLES\\)", lock: "fcntl\\(F_SETLK\\)"} as $reported |
		def must_fail: (.call as $call | ["open", "alloc_pd", "reg_mr", "reg_dmabuf_mr", "reg_dm_mr", "rereg_mr", "dereg_mr",
			"advise_mr", "info_handles", "umem_reg", "umem_dereg", "alloc_dm", "query_context"] |
			index($call)) != null and
			(.call + .errno | IN("info_handlesEIO", "query_contextENODEV", "query_contextEOPNOTSUPP") | not) and
			(.run | contains("--try-page-sizes") | not);
		def has_reason($run): .message != "" and (
			((.call // "" | test("^(\($reported[$run.call] // "-"))$")) and
				(.errno == $run.errno or (["open", "get_context", "query_device"] | index($run.call)))) or
			(.call == null and (($run.call + $run.errno + .errno) == "lockEAGAINEBUSY" or
				.errno == $run.errno or (.errno == "ENOENT" and .index > 1 and ($run.run | contains(" batch "))))));
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

if [ -z "${MRCTL_SESSION:-}" ]; then
	sweep_opening outside : --json reg --count 2
	rereg=
	if [ "$MRCTL_SIM" != rxe ]; then
		rereg='rereg a --size 8K'
		sweep outside : --json reg --count 2 --via kernel
		sweep outside : --json reg-iova --iova 0x10000 --hold-for 0
		sweep outside : --json reg-dmabuf --from udmabuf --count 2
		sweep outside : --json reg --access on-demand --advise prefetch,flush
		sweep_opening outside : --json umem --count 2 --page-sizes 4K
		sweep outside : --json umem --via kernel --dmabuf udmabuf
		opens=${opening/ query_device/} sweep outside : --json reg --memory dm --count 2
		sweep outside : --json reg --memory dm --via kernel
		sweep outside : --json umem --size 8K --try-page-sizes
	fi
	printf '%s\n' 'reg --name a --pd new' 'reg' "$rereg" stat 'dereg a 2 pd:new' >"$work/lines"
	sweep outside : --json batch "$work/lines"
	sweep_opening opened : session -- echo ran
	OUTSIDE="$runs $wrong $turn" exec mrctl session -- bash "$0" "$work" "$step"
fi

read -r runs wrong turn <<<"$OUTSIDE"
count_objects
empty=$objects
make_empty
# one process that goes on after each failure
printf '%s\n' 'reg --name x' 'reg --relaxed --name y --count 2' 'rereg x --access remote-read --pd new' \
	'dereg y.1' 'dereg --flush' stat 'dereg x y.2 pd:new' >"$work/lines"
sweep went_on : --json batch --keep-going "$work/lines"
sweep_opening registered : --json reg --pd new
sweep changed one_region --json rereg n --access remote-read --pd new
if [ "$MRCTL_SIM" != rxe ]; then
	sweep registered : --json reg --count 2
	sweep registered : --json reg --count 2 --via kernel --keep-going
	sweep registered : --json reg --via library --advise prefetch --access on-demand
	sweep registered : --json reg-iova --iova 0x10000
	sweep registered : --json reg-dmabuf --from heap:system --via kernel
	sweep registered : --json reg --memory dm --count 2 --size 64
	sweep registered : --json reg --memory dm --via kernel --count 2 --keep-going
	sweep registered : --json reg --relaxed --count 2 --via kernel
	sweep registered : --json umem --count 2 --name u
	sweep changed one_region --json rereg n --size 4M
	sweep deregistered three_umems --json dereg n.2
	sweep deregistered three_umems --json dereg --all
	sweep deregistered three_regions --json dereg n.2
	sweep deregistered three_regions --json dereg n.1 n.2 n.3
	sweep deregistered three_regions --json dereg --all
	sweep deregistered three_deferred --json dereg --flush
	sweep deregistered three_relaxed --json dereg n.1 n.2 n.3 --flush
	sweep marked three_relaxed --json dereg --all --defer-for 600
	sweep pd_gone one_pd --json dereg pd:new
	sweep shown three_umems --json stat
	sweep shown three_regions --json stat
	sweep shown three_regions --json stat n.1 n.3
fi
documents
[ "${#CALLS[@]}" -ge 18 ] || complain "the calls are missing: ${CALLS[*]}"
printf '%d runs, %d wrong\n' "$runs" "$wrong"
