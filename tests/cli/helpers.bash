# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash
# For all bats files: load helpers
#
# The tests run on the simulated HCA (profile MRCTL_TEST_PROFILE, default mlx5; kernel
# MRCTL_TEST_KERNEL, default 7.2), or on the real device that MRCTL_TEST_DEVICE names (in the guests
# of tests/kernel).  WRAP is a command before each mrctl, such as valgrind.

bats_require_minimum_version 1.8.0

ROOT=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
BUILD=${BUILD:-$ROOT/build}
case $BUILD in /*) ;; *) BUILD=$ROOT/$BUILD ;; esac
PATH=$BUILD:$PATH
# The simulator comes before ASan's runtime in the order of loading, and that does no harm.
# An allocation that is too large has to fail as it does without ASan.
export ASAN_OPTIONS="verify_asan_link_order=0:allocator_may_return_null=1:${ASAN_OPTIONS:-}"
export LSAN_OPTIONS=print_suppressions=0

# pds_are_lost: where a session is opened on rxe, what librxe loses is no failure.  The function that the
# suppression names is seen only by a slower way of looking at the stack.
pds_are_lost() {
	ASAN_OPTIONS+=:fast_unwind_on_malloc=0
	LSAN_OPTIONS+=:suppressions=$ROOT/tests/lsan.supp
}

# What a user has set must not matter.
unset MRCTL_SESSION COLUMNS

# MR: mrctl on the device under test; MS: mrctl in a session, where the device is the session's
# SIM: what puts a command on the simulator
read -ra MS <<<"${WRAP:-} mrctl"
SIM=() MR=("${MS[@]}")
if [ -n "${MRCTL_TEST_DEVICE:-}" ]; then
	MR+=(-d "$MRCTL_TEST_DEVICE")
else
	SIM=(mrctl sim)
	[ -z "${MRCTL_TEST_PROFILE:-}" ] || SIM+=(--profile "$MRCTL_TEST_PROFILE")
	[ -z "${MRCTL_TEST_KERNEL:-}" ] || SIM+=(--kernel "$MRCTL_TEST_KERNEL")
	SIM+=(--)
	MR=("${SIM[@]}" "${MR[@]}")
	MS=("${SIM[@]}" "${MS[@]}")
fi

# mr [ARG...]: mrctl on the device under test
mr() {
	"${MR[@]}" "$@"
}

on_simulator() {
	[ -z "${MRCTL_TEST_DEVICE:-}" ]
}

# is_sanitized: mrctl takes five times as long, and shows its errors in few runs as in many
is_sanitized() {
	[[ $(ldd "$BUILD/mrctl") == *asan* ]]
}

# device: the name of the device under test
device() {
	if [ -n "${MRCTL_TEST_DEVICE:-}" ]; then
		echo "$MRCTL_TEST_DEVICE"
	elif on_mlx5; then
		echo mlx5_0
	else
		echo rxe0
	fi
}

# on_mlx5: the device under test is one of mlx5, so that libibverbs can import a session
on_mlx5() {
	[[ ${MRCTL_TEST_DEVICE:-${MRCTL_TEST_PROFILE:-mlx5}} == mlx5* ]]
}

# For tests of umems
require_devx() {
	on_mlx5 || skip "needs DEVX, which only mlx5 has"
}

# exports_umems: libmlx5 does, and so tells their handles: those of a session go by way of it
exports_umems() {
	[ "$(rdma_core)" -ge 63 ]
}

# as_nobody CMD...: run it as an unprivileged user (as this one, if that is not root)
as_nobody() {
	local nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps -all
		--bounding-set -all)

	[ "$(id -u)" -eq 0 ] || nobody=()
	"${nobody[@]}" "$@"
}

# mr_as_nobody LIMIT [ARG...]: mr as an unprivileged user who may lock LIMIT KiB (ulimit -l)
mr_as_nobody() {
	as_nobody prlimit --memlock="$(($1 * 1024))" "${MR[@]}" "${@:2}"
}

# Where that user cannot reach the build folder, a copy that he can
COPY=''

# For tests that use it: mrctl can then be reached
require_nobody() {
	! as_nobody test -x "$BUILD/mrctl" || return 0
	COPY=$(mktemp -d "${TMPDIR:-/tmp}/mrctl-test.XXXXXX")
	chmod 755 "$COPY"
	cp -a "$BUILD/mrctl" "$BUILD/sim" "$COPY/"
	as_nobody "$COPY/mrctl" --version >/dev/null ||
		skip "other users can reach neither the build folder nor ${TMPDIR:-/tmp}"
	PATH=$COPY:$PATH
}

# may_lock SIZE: the user who runs the tests may lock so much memory (3G, 65M)
may_lock() {
	local limit

	limit=$(ulimit -l)
	[ "$(id -u)" -eq 0 ] || [ "$limit" = unlimited ] || [ "$limit" -ge $(($(numfmt --from=iec "$1") / 1024)) ]
}

# Options for many regions: nothing is pinned, so that RLIMIT_MEMLOCK does not matter
MANY=(--size 64 --stride 64 --access 'local-write,on-demand')

# bats notes where it is before each command, which takes longer than many commands do.  Once one has failed
# is early enough; setup calls this, in files that define it too.
note_less() {
	declare -F bats_error_trap bats_capture_stack_trace >/dev/null &&
		[ "${BATS_TRACE_LEVEL:-0}" -eq 0 ] || return 0
	trap - DEBUG
	set +T
	BATS_DEBUG_LAST_STACK_TRACE=() BATS_DEBUG_LASTLAST_STACK_TRACE=()
	trap 'bats_error_trap; note_where' ERR
}

# Where a command failed, or a test that returns said fail: bats leaves out this function
note_where() {
	[ "${FUNCNAME[1]}" = bats_perform_test ] || ! declare -F bats_capture_stack_trace >/dev/null ||
		bats_capture_stack_trace
}

setup() {
	note_less
}

# fail TEXT...: a reason, not longer than can be read
fail() {
	note_where
	printf '%s\n' "$@" | head -c 4000 >&2
	return 1
}

# What follows looks at the last `run --separate-stderr mr ...`.

# succeeded: exit status 0
succeeded() {
	[ "$status" -eq 0 ] || fail "exit status $status instead of 0: $output" "$stderr"
}

# refused ERRNO CALL: the call was refused so, and the message is in the right form
refused() {
	[ "$status" -eq 1 ] || fail "exit status $status instead of 1: $output" "$stderr" || return
	[[ $stderr == *"mrctl: "*"$2: $1 ("*")"* ]] || fail "unexpected message: $stderr"
}

# absent TEXT: exit status 3, with TEXT in the message
absent() {
	[ "$status" -eq 3 ] || fail "exit status $status instead of 3: $output" "$stderr" || return
	[[ $stderr == *"mrctl: "*"$1"* ]] || fail "no '$1' in the message: $stderr"
}

# usage_error TEXT...: exit status 2, nothing on stdout, each TEXT in the message
usage_error() {
	local text

	[ "$status" -eq 2 ] || fail "exit status $status instead of 2: $output" "$stderr" || return
	[ -z "$output" ] || fail "something on stdout: $output" || return
	for text; do
		[[ $stderr == *"$text"* ]] || fail "no '$text' in the message: $stderr" || return
	done
	[[ $stderr == mrctl:*"Try 'mrctl "*"--help'."* ]] || fail "unexpected message: $stderr"
}

# json FILTER [JQ-OPTION...]: stdout is one JSON document, and FILTER holds for it
json() {
	jq -es "${@:2}" "length == 1 and (.[0] | $1)" <<<"$output" >/dev/null ||
		fail "this does not hold: $1" "$output" "$stderr"
}

# cli KIND [COMMAND]: from --dump-cli a line for each "command" ("NAME"), or of COMMAND for
# each "option" ("NAME LETTER TYPE ARGUMENT") or "column" ("NAME"); without COMMAND the global options.  Words
# have a tab between, and "-" is none.
cli() {
	local file=$BATS_FILE_TMPDIR/cli

	[ -s "$file" ] || mrctl --dump-cli | jq -r '
		def options($of): .options[] | ["option", $of, .name, .letter // "-", .type, .argument // "-"];
		options("-"), (.commands[] | .name as $of | ["command", "-", $of], options($of),
			(.columns[] | ["column", $of, .name])) | @tsv' >"$file"
	awk -F'\t' -v OFS='\t' -v kind="$1" -v of="${2:--}" '
		$1 == kind && $2 == of { sub(/^[^\t]*\t[^\t]*\t/, ""); print }' "$file"
}

# On hold in the background: its pid, its stdout and its stderr
HOLD_PID='' HOLD_OUT='' HOLD_ERR=''

# hold ARG...: start `mr ARG...`, which is to hold, and wait until it has printed
hold() {
	HOLD_OUT=$BATS_TEST_TMPDIR/hold.out HOLD_ERR=$BATS_TEST_TMPDIR/hold.err
	: >"$HOLD_OUT"
	"${MR[@]}" "$@" >"$HOLD_OUT" 2>"$HOLD_ERR" 3>&- &
	HOLD_PID=$!
	until [ -s "$HOLD_OUT" ]; do
		kill -0 "$HOLD_PID" || fail "it ended: $(cat "$HOLD_ERR")" || return
		sleep 0.02
	done
}

# release [SIGNAL]: end the hold; the exit status is mrctl's
release() {
	local pid=$HOLD_PID

	HOLD_PID=
	kill -"${1:-TERM}" "$pid" && wait "$pid"
}

# A session that a process in the background holds: its pid
SESSION_PID=''

# session_begin [ARG...]: open it; MRCTL_SESSION names it
session_begin() {
	eval "$(on_mlx5 || pds_are_lost; "${MR[@]}" session --detach "$@")"
	SESSION_PID=${MRCTL_SESSION#pid:}
}

# is_running PID: it is there, and no zombie
is_running() {
	local state=Z

	# the status is named: without it, a trap (bats' for a test that failed) would return its own
	read -r _ _ state _ 2>/dev/null <"/proc/$1/stat" || return 1
	[ "$state" != Z ]
}

# session_end: end it, and wait until its process has gone
session_end() {
	local pid=$SESSION_PID

	SESSION_PID=
	unset MRCTL_SESSION
	kill "$pid" || return
	while is_running "$pid"; do
		sleep 0.02
	done
}

# ms [ARG...]: mrctl in the session
ms() {
	"${MS[@]}" "$@"
}

# faulty SPEC [ARG...]: mrctl on the simulated HCA, where a call fails so (mrctl sim --fault)
faulty() {
	[[ $1 != *kill* ]] || behind
	"${SIM[@]::${#SIM[@]}-1}" --fault "$1" -- mrctl "${@:2}"
}

# in_session SCRIPT [ARG...]: `run` a bash script as a session's program; mrctl is in its PATH
in_session() {
	run --separate-stderr "${MR[@]}" session -- bash -c "$1" bash "${@:2}"
}

# tool WORD...: tests/cli/session-tool.c in the session
tool() {
	[[ $1 =~ ^(handles|query|lock|pass)$ ]] || behind
	"${SIM[@]}" "$BUILD/tests/cli/session-tool" "$@"
}

# For tests that use it: the guests do not have it
require_tool() {
	[ -x "$BUILD/tests/cli/session-tool" ] || skip "no session-tool here"
}

# jq takes ten times as long to start as mrctl does: what is called often goes without.

# states [REGION...]: what stat says of each region: id (or -), state
# shellcheck disable=SC2120 # the tests give arguments
states() {
	ms stat -n -o id,state "$@"
}

# rdma_core: its major version
rdma_core() {
	local version

	version=$(mrctl --version)
	version=${version#*rdma-core }
	echo "${version%%.*}"
}

# kernel_has mr|pd|umem: how many there are, by the kernel: of the device, on the simulator of the session
kernel_has() {
	local all

	if on_simulator; then
		all=$(tool handles) && [[ $all =~ (^|$'\n')"$1 "([0-9]+) ]] && echo "${BASH_REMATCH[2]}"
	else
		rdma resource show | sed -n "s/.* $MRCTL_TEST_DEVICE: .*\b$1 \([0-9]*\).*/\1/p"
	fi
}

# stat_is_true: each region of the kernel is in stat's answer once, and no other
stat_is_true() {
	local rows kinds=mr kind

	output=$(ms stat --json) && stderr='' && rows=$(ms stat -n -o kind,state,handle) || return
	[[ $output == *'"unlisted":'[0-9]*',"failures":[]}' ]] || fail "not all is known: $output" || return
	# a real kernel tells nobody else of umems
	! on_simulator || kinds="mr umem"
	for kind in $kinds; do
		awk -v kind="$kind" -v kernel="$(kernel_has "$kind")" '
			$1 == kind && ($2 ~ /^(live|inert|deferred|unlisted|suspect)$/ || ($2 == "in-doubt" && $3 != "-")) {
				listed++
				if (seen[$3]++) print kind, $3, "is there twice"
			}
			END { if (listed != kernel) print "the kernel has " kernel " of " kind }' <<<"$rows"
	done | { ! grep . >&2; } || fail "$rows"
}

# make_empty: deregister all that stat shows; nothing is left then, by the kernel
make_empty() {
	local left

	ms dereg --all --flush --quiet >/dev/null && left=$(ms stat -n -o kind,handle) || return
	if [ -n "$left" ]; then
		# shellcheck disable=SC2086 # words
		ms dereg --quiet ${left// /:} >/dev/null || return
		[ -z "$(ms stat -n)" ] || fail "left over: $(ms stat)" || return
	fi
	[ "$(kernel_has mr)" -eq 0 ]
}

# observed CONDITION ANSWER: what a real kernel answered, for tests/kernel/observed.md
observed() {
	printf '%s|%s\n' "$1" "$2" >>"$MRCTL_TEST_OBSERVED"
}

# pinned: pages that are pinned, of all processes
pinned() {
	local text

	# what a processor has counted, but not yet added
	echo 1 2>/dev/null >/proc/sys/vm/stat_refresh || :
	read -r -d '' text </proc/vmstat || :
	[[ $text =~ nr_foll_pin_acquired\ ([0-9]+).*nr_foll_pin_released\ ([0-9]+) ]]
	echo $((BASH_REMATCH[1] - BASH_REMATCH[2]))
}

# Nothing leaks: after each test the session has what its table names, and a guest what it had before
# the first test.  Files that define teardown call tidy there.

# behind: the test makes and destroys behind the table's back, or kills who is about to note it
behind() {
	: >"$BATS_TEST_TMPDIR/behind"
}

# session_is_true: as many regions and PDs as the table says, and no UAR of a context that is closed
session_is_true() {
	local mr='' pd='' uar=0 umem=0 dm=0 entries='' pds='' is='[0-9]+' all

	[ "$MRCTL_SESSION" = "pid:$SESSION_PID" ] && [ ! -e "$BATS_TEST_TMPDIR/behind" ] &&
		[ -x "$BUILD/tests/cli/session-objects" ] || return 0
	all=$("${SIM[@]}" "$BUILD/tests/cli/session-objects") || return
	[[ $all =~ ^((mr|pd|uar|umem|dm|entries|pds)=$is ?)+$ ]] || fail "no counts: $all" || return
	# shellcheck disable=SC2086 # words
	local $all
	[ "$mr" -lt 16383 ] || return 0 # the kernel lists no more
	[ "$mr $pd $uar $((entries ? 0 : dm))" = "$((entries - umem)) $pds 0 0" ] ||
		fail "the session has other objects: $all"
}

# counts: objects and pinned pages of all devices in the guest
counts() {
	rdma resource show | sed 's|^[0-9]*: ||; s| cm_id [0-9]*||' | sort
	hca-probe --count
	echo "pages $(pinned)"
}

# guest_is_as_before: what was closed a moment ago may take another
guest_is_as_before() {
	local file=$BATS_RUN_TMPDIR/counts now i

	[ -n "${MRCTL_TEST_GUEST:-}" ] || return 0
	for i in {1..20}; do
		now=$(counts)
		[ "$now" != "$(<"$file")" ] || return 0
		sleep 0.1
	done
	i=$(<"$file")
	echo "$now" >"$file"
	fail "left in the guest:" "$now" "and not:" "$i"
}

if [ -n "${MRCTL_TEST_GUEST:-}" ] && [ ! -e "$BATS_RUN_TMPDIR/counts" ]; then
	mrctl -d mlx5_0 reg --quiet # the driver makes its queue when it first needs it
	counts >"$BATS_RUN_TMPDIR/counts"
fi

# tidy: end what runs in the background, and look for what is left over
tidy() {
	local status=0

	[ -z "$HOLD_PID" ] || release KILL || :
	if [ -n "$SESSION_PID" ]; then
		session_is_true || status=1
		session_end || :
	fi
	guest_is_as_before || status=1
	[ -z "$COPY" ] || rm -rf "$COPY"
	return $status
}

teardown() {
	tidy
}
