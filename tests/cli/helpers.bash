# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash
# For all bats files: load helpers
#
# The tests run on the simulated HCA (profile MRCTL_TEST_PROFILE, default mlx5; kernel
# MRCTL_TEST_KERNEL, default 7.2), or on the real device that MRCTL_TEST_DEVICE names (in the guests
# of tests/kernel).  WRAP is a command before each mrctl, such as valgrind.
# A test is a process of its own: only functions declare variables as local.

bats_require_minimum_version 1.8.0

ROOT=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
BUILD=${BUILD:-$ROOT/build}
case $BUILD in /*) ;; *) BUILD=$ROOT/$BUILD ;; esac
PATH=$BUILD:$PATH
# shellcheck source=asan.sh
. "$ROOT/tests/cli/asan.sh"
export LSAN_OPTIONS=print_suppressions=0

# pds_are_lost: lets LeakSanitizer ignore what librxe leaks where a session is opened on rxe.  Only the slow
# unwinder finds the function that the suppression names.
pds_are_lost() {
	ASAN_OPTIONS+=:fast_unwind_on_malloc=0
	LSAN_OPTIONS+=:suppressions=$ROOT/tests/lsan.supp
}

# Variables of the user's environment must not change a result.
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
	# A test fails where mrctl keeps a lock of the session or a descriptor at its exit, or takes a lock twice
	# (preload/leaks.c, tidy).  A sanitized build goes without.
	if [ -z "${WRAP:-}" ] && [ -e "$BUILD/leaks.so" ] && [[ $(<"$BUILD/config") != *fsanitize=address* ]]; then
		export LEAKS=${BATS_TEST_TMPDIR:-${BATS_FILE_TMPDIR:-}}/leaks
		SIM=(env "LD_PRELOAD=$BUILD/leaks.so" "${SIM[@]}")
	fi
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

# is_sanitized: mrctl was built with ASan, and takes five times as long.  Tests that repeat a run may then repeat
# it less often.
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

# For tests of dma-bufs, advice and changes of regions
require_mlx5() {
	on_mlx5 || skip "rxe does not have this"
}

# at_port PORT: prints a command that succeeds once a process waits for connections at a TCP port; iproute2 may be missing
at_port() {
	printf "grep -qs ':%04X 0*:0000 0A' /proc/net/tcp /proc/net/tcp6\n" "$1"
}

# require_probe: skips unless the device is the software HCA, which accesses memory through keys on request
require_probe() {
	[ "${MRCTL_TEST_DEVICE:-}" = mlx5_0 ] || skip "needs the software HCA of tests/kernel, whose memory accesses can be asked for"
}

# probe_refused REASON [ARG...]: the software HCA refuses the access through $key to $addr
probe_refused() {
	run --separate-stderr hca-probe "${@:2}" "$key" "$addr"
	[[ $status -eq 1 && $stderr == *"$1"* ]] || fail "exit status $status: $output" "$stderr"
}

# exports_umems: libmlx5 can export umems, which reveals their handles; so a session uses it for umems
exports_umems() {
	[ "$(rdma_core)" -ge 63 ]
}

# NOBODY, UNPRIVILEGED: what runs a command as an unprivileged user (as the current one, if that is not root), and
# without CAP_IPC_LOCK, with which no limit of locked memory counts
NOBODY=() UNPRIVILEGED=()
[ "$EUID" -ne 0 ] || NOBODY=(setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps -all --bounding-set -all)
[ "$EUID" -ne 0 ] || UNPRIVILEGED=(setpriv --inh-caps -ipc_lock --bounding-set -ipc_lock)

# as_nobody CMD...
as_nobody() {
	"${NOBODY[@]}" "$@"
}

# mr_as_nobody LIMIT [ARG...]: mr as an unprivileged user who may lock LIMIT KiB (ulimit -l)
mr_as_nobody() {
	as_nobody prlimit --memlock="$(($1 * 1024))" "${MR[@]}" "${@:2}"
}

# The folder of a copy of mrctl, where the unprivileged user cannot reach the build folder
COPY=''

# require_nobody: for tests that use as_nobody.  Makes sure that this user can run mrctl, or skips
require_nobody() {
	! as_nobody test -x "$BUILD/mrctl" || return 0
	COPY=$(mktemp -d "${TMPDIR:-/tmp}/mrctl-test.XXXXXX")
	chmod 755 "$COPY"
	cp -a "$BUILD/mrctl" "$BUILD/sim" "$BUILD/trace" "$COPY/"
	as_nobody "$COPY/mrctl" --version >/dev/null ||
		skip "other users can reach neither the build folder nor ${TMPDIR:-/tmp}"
	PATH=$COPY:$PATH
	[ -z "${LEAKS:-}" ] || cp "$BUILD/leaks.so" "$COPY/"
	SIM=("${SIM[@]/$BUILD/$COPY}") MR=("${MR[@]/$BUILD/$COPY}") MS=("${MS[@]/$BUILD/$COPY}")
}

# may_lock SIZE: the user who runs the tests may lock SIZE bytes of memory (3G, 65M)
may_lock() {
	local limit

	limit=$(ulimit -l)
	[ "$(id -u)" -eq 0 ] || [ "$limit" = unlimited ] || [ "$limit" -ge $(($(numfmt --from=iec "$1") / 1024)) ]
}

# Options for many regions.  On-demand regions pin no memory, so RLIMIT_MEMLOCK does not matter.
MANY=(--size 64 --stride 64 --access 'local-write,on-demand')

# note_less: makes tests faster.  bats notes its position before each command, which takes longer than many
# commands do; with this it notes it only when a command has failed.  Each setup calls it.
note_less() {
	declare -F bats_error_trap bats_capture_stack_trace >/dev/null &&
		[ "${BATS_TRACE_LEVEL:-0}" -eq 0 ] || return 0
	trap - DEBUG
	set +T
	BATS_DEBUG_LAST_STACK_TRACE=() BATS_DEBUG_LASTLAST_STACK_TRACE=()
	trap 'bats_error_trap; note_where' ERR
}

# note_where: notes for bats where a command failed, or fail was called
note_where() {
	[ "${FUNCNAME[1]}" = bats_perform_test ] || ! declare -F bats_capture_stack_trace >/dev/null ||
		bats_capture_stack_trace
}

setup() {
	note_less
}

# fail TEXT...: the test fails for this reason; long texts are cut
fail() {
	note_where
	printf '%s\n' "$@" | head -c 4000 >&2
	return 1
}

# The next functions run a CMD, and check its result; without one, that of the last `run --separate-stderr mr ...`.

# exits STATUS [CMD...]
exits() {
	[ $# -eq 1 ] || run --separate-stderr "${@:2}"
	[ "$status" -eq "$1" ] || fail "exit status $status instead of $1: $output" "$stderr"
}

# succeeded [CMD...]: exit status 0
succeeded() {
	exits 0 "$@"
}

# refused ERRNO CALL [CMD...]: exit status 1, and a message that CALL was refused with ERRNO
refused() {
	exits 1 "${@:3}" || return
	[[ $stderr == *"mrctl: "*"$2: $1 ("*")"* ]] || fail "unexpected message: $stderr"
}

# absent TEXT [CMD...]: exit status 3, with TEXT in the message
absent() {
	exits 3 "${@:2}" || return
	[[ $stderr == *"mrctl: "*"$1"* ]] || fail "no '$1' in the message: $stderr"
}

# usage_error TEXT... [-- CMD...]: exit status 2, nothing on stdout, each TEXT in the message
usage_error() {
	local text texts=()

	while [ $# -gt 0 ] && [ "$1" != -- ]; do
		texts+=("$1")
		shift
	done
	exits 2 "${@:2}" || return
	[ -z "$output" ] || fail "something on stdout: $output" || return
	for text in "${texts[@]}"; do
		[[ $stderr == *"$text"* ]] || fail "no '$text' in the message: $stderr" || return
	done
	[[ $stderr == mrctl:*"Try 'mrctl "*"--help'."* ]] || fail "unexpected message: $stderr"
}

# wrong_words CMD...: rows "WORD...|TEXT[|TEXT]" on stdin; CMD WORD... is a usage error with each TEXT
wrong_words() {
	local words first second

	while IFS='|' read -r words first second; do
		usage_error "$first" "$second" -- "$@" $words || fail "in the row: $* $words" || return
	done
}

# keep_document: keeps the documents in $output, which run.sh compares with the schema after all tests
keep_document() {
	[ -z "${MRCTL_TEST_DOCUMENTS:-}" ] ||
		printf '%s\0%s\0' "$BATS_TEST_DESCRIPTION" "$output" >>"$MRCTL_TEST_DOCUMENTS"
}

# json FILTER [JQ-OPTION...]: stdout is one JSON document, and FILTER holds for it
json() {
	keep_document
	jq -es "${@:2}" "length == 1 and (.[0] | $1)" <<<"$output" >/dev/null ||
		fail "this does not hold: $1" "$output" "$stderr"
}

# gives FILTER CMD...: CMD --json succeeds, and FILTER holds for its document
gives() {
	succeeded "${@:2}" --json && json "$1"
}

# shows FILTER CMD...: FILTER holds for the document of CMD --json, whatever its exit status
shows() {
	run --separate-stderr "${@:2}" --json
	json "$1"
}

# outputs TEXT CMD...: CMD succeeds, and prints TEXT alone
outputs() {
	succeeded "${@:2}" || return
	[ "$output" = "$1" ] || fail "printed: $output"
}

# fails TEXT CMD...: exit status 1, with TEXT in the message
fails() {
	exits 1 "${@:2}" || return
	[[ $stderr == *"$1"* ]] || fail "no '$1' in the message: $stderr"
}

# cli KIND [COMMAND]: prints lines of --dump-cli.  KIND is "command" (prints NAME), or "option" (prints NAME
# LETTER TYPE ARGUMENT) or "column" (prints NAME) of COMMAND; without COMMAND the options are the global ones.
# Words are separated by tabs; "-" stands for a missing one.
cli() {
	local file=$BATS_FILE_TMPDIR/cli

	[ -s "$file" ] || mrctl --dump-cli | jq -r '
		def options($of): .options[] | ["option", $of, .name, .letter // "-", .type, .argument // "-"];
		options("-"), (.commands[] | .name as $of | ["command", "-", $of], options($of),
			(.columns[] | ["column", $of, .name]), (.views[] | ["view", $of, .option])) |
			@tsv' >"$file"
	awk -F'\t' -v OFS='\t' -v kind="$1" -v of="${2:--}" '
		$1 == kind && $2 == of { sub(/^[^\t]*\t[^\t]*\t/, ""); print }' "$file"
}

# section TITLE TOPIC: prints the words that the section of mrctl help TOPIC lists
section() {
	mrctl help $2 |
		awk -v title="$1" 'index($0, title) == 1 { on = 1; next } !NF { on = 0 }
			on && /^  [^ ]/ { print $1 }'
}

# The mrctl that holds regions in the background: its pid, its stdout and its stderr
HOLD_PID='' HOLD_OUT='' HOLD_ERR=''

# hold ARG...: start `mr ARG...` with an option to hold in the background, and wait until it has printed
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

# release [SIGNAL]: end that mrctl, and return its exit status
release() {
	local pid=$HOLD_PID

	HOLD_PID=
	kill -"${1:-TERM}" "$pid" && await_end "$pid" && wait "$pid"
}

# await CMD...: waits until CMD succeeds; fails after two minutes
await() {
	local end=$((SECONDS + 120))

	until "$@"; do
		[ $SECONDS -lt $end ] || fail "in vain: $*" || return
		sleep 0.02
	done
}

has_ended() {
	! is_running "$1"
}

# await_end PID: waits until the process has ended, and kills it after two minutes
await_end() {
	await has_ended "$1" || { kill -KILL "$1"; false; }
}

# has_stopped PID: a fault "stop" has stopped the process, or it has ended
has_stopped() {
	local state=Z

	read -r _ _ state _ 2>/dev/null <"/proc/$1/stat" || :
	[[ $state == [TZ] ]]
}

# await_stop PID: waits until a fault "stop" has stopped the process
await_stop() {
	await has_stopped "$1"
	is_running "$1" || fail "it ended, and never stopped"
}

# pause_at SPEC [ARG...]: starts `mrctl ARG...` in the background with a fault such as reg_mr@2=stop, and waits until
# it has stopped there; its pid and output are those of hold
pause_at() {
	HOLD_OUT=$BATS_TEST_TMPDIR/hold.out HOLD_ERR=$BATS_TEST_TMPDIR/hold.err
	"${SIM[@]::${#SIM[@]}-1}" --fault "$1" -- mrctl "${@:2}" >"$HOLD_OUT" 2>"$HOLD_ERR" 3>&- &
	HOLD_PID=$!
	await_stop "$HOLD_PID" || fail "$(<"$HOLD_ERR")"
}

# go_on: lets it go on, and returns its exit status
go_on() {
	release CONT
}

# has_paused PID: this mrctl has slept a few times, as it does while it waits for a lock; or it has ended
has_paused() {
	local comm='' text=''

	is_running "$1" || return 0
	read -r comm 2>/dev/null <"/proc/$1/comm" || :
	read -r -d '' text 2>/dev/null <"/proc/$1/status" || :
	[[ $comm == mrctl && $text =~ voluntary_ctxt_switches:[[:space:]]*([0-9]+) ]] && [ "${BASH_REMATCH[1]}" -ge 20 ]
}

# await_pause PID: waits until this mrctl waits for a lock
await_pause() {
	await has_paused "$1"
	is_running "$1" || fail "it ended, and did not wait"
}

# awaits CONDITION: waits for two minutes at most until the condition holds, an expression of bash
awaits() {
	await eval "{ $1; } 2>/dev/null"
}

# The pid of the background process that holds the session
SESSION_PID=''

# session_begin [ARG...]: open a session, which MRCTL_SESSION names then
session_begin() {
	eval "$(on_mlx5 || pds_are_lost; "${MR[@]}" session --detach "$@")"
	SESSION_PID=${MRCTL_SESSION#pid:}
}

# is_running PID: the process exists and is no zombie
is_running() {
	local state=Z

	# the status is named: without it, a trap (bats' for a test that failed) would return its own
	read -r _ _ state _ 2>/dev/null <"/proc/$1/stat" || return 1
	[ "$state" != Z ]
}

# session_end: end the session, and wait until its process has gone
session_end() {
	local pid=$SESSION_PID

	SESSION_PID=
	unset MRCTL_SESSION
	kill "$pid" && await_end "$pid"
}

# ms [ARG...]: mrctl in the session
ms() {
	"${MS[@]}" "$@"
}

# faulty SPEC [ARG...]: mrctl on the simulated HCA, where a call fails as SPEC says (mrctl sim --fault)
faulty() {
	[[ $1 != *kill* ]] || behind
	[[ $1 != *lock* ]] || local -x LEAKS='' # an unlock that fails leaves the lock
	"${SIM[@]::${#SIM[@]}-1}" --fault "$1" -- mrctl "${@:2}"
}

# killed SPEC [ARG...]: run mrctl with this fault; true if it was killed
killed() {
	local status=0

	faulty "$@" >/dev/null 2>&1 || status=$?
	[ "$status" -eq 137 ]
}

# in_session SCRIPT [ARG...]: `run` a bash script as a session's program; mrctl is in its PATH
in_session() {
	run --separate-stderr "${MR[@]}" session -- bash -c "$1" bash "${@:2}"
}

# at_once TIMES SCRIPT: run SCRIPT TIMES times, 16 at once, each with its number as $1; true if all succeed.  The
# output is in the file "out" of the test's folder.
at_once() {
	seq "$1" | "${SIM[@]}" xargs -P 16 -n 1 sh -c "$2" sh >"$BATS_TEST_TMPDIR/out" \
		2>"$BATS_TEST_TMPDIR/err" ||
		fail "$(sort "$BATS_TEST_TMPDIR/err" | uniq -c | sort -n | tail -n 20)"
}

OBJECT_TOOL=$BUILD/tests/cli/object-tool
[ -x "$OBJECT_TOOL" ] || OBJECT_TOOL=object-tool

# tool WORD...: runs tests/cli/object-tool.c in the session
tool() {
	[[ $1 =~ ^(objects|query|lock)$ ]] || behind
	"${SIM[@]}" "$OBJECT_TOOL" "$@"
}

# require_tool: for tests whose commands of object-tool a guest was never asked for
require_tool() {
	[ "$OBJECT_TOOL" != object-tool ] || skip "no session of the simulator here"
}

# Functions that are called often do without jq, which takes ten times as long to start as mrctl.

# states [REGION...]: prints a line "ID STATE" for each region of stat, "-" for no id
states() {
	ms stat -n -o id,state "$@"
}

# rdma_core: prints the major version of rdma-core
rdma_core() {
	local version

	version=$(mrctl --version)
	version=${version#*rdma-core }
	echo "${version%%.*}"
}

# kernel_has mr|pd|umem: prints how many the kernel has: on the simulator those of the session, else those of
# the device
kernel_has() {
	local all

	if on_simulator; then
		all=$(tool objects) && [[ " $all" =~ \ "$1="([0-9]+) ]] && echo "${BASH_REMATCH[1]}"
	else
		rdma resource show | sed -n "s/.* $MRCTL_TEST_DEVICE: .*\b$1 \([0-9]*\).*/\1/p"
	fi
}

# stat_is_true: stat shows each region that the kernel has, once, and no other
stat_is_true() {
	local rows kinds=mr kind

	output=$(ms stat --json) && stderr='' && rows=$(ms stat -n -o kind,state,handle) || return
	[[ $output == *'"unlisted":'[0-9]*',"failures":[]}' ]] || fail "not all is known: $output" || return
	# a real kernel does not count umems: kernel_has cannot know them
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

# make_empty: deregister all that stat shows, and check that the kernel has no region any more
make_empty() {
	local left

	ms dereg --all --flush --quiet >/dev/null && left=$(ms stat -n -o kind,handle) || return
	if [ -n "$left" ]; then
		ms dereg --quiet ${left// /:} >/dev/null || return
		[ -z "$(ms stat -n)" ] || fail "left over: $(ms stat)" || return
	fi
	[ "$(kernel_has mr)" -eq 0 ]
}

# observed CONDITION ANSWER: note what a real kernel answered, for tests/kernel/observed.md
observed() {
	printf '%s|%s\n' "$1" "$2" >>"$MRCTL_TEST_OBSERVED"
}

# pinned: prints how many pages are pinned, by all processes
pinned() {
	local text

	# processors count by themselves: this adds up their counts
	echo 1 2>/dev/null >/proc/sys/vm/stat_refresh || :
	read -r -d '' text </proc/vmstat || :
	[[ $text =~ nr_foll_pin_acquired\ ([0-9]+).*nr_foll_pin_released\ ([0-9]+) ]]
	echo $((BASH_REMATCH[1] - BASH_REMATCH[2]))
}

# After each test the session must have the objects that its table names, and a guest those that it had before
# the first test.  Files that define a teardown of their own call tidy there.

# behind: says that the test makes or destroys objects without the table, so that teardown does not compare them
behind() {
	: >"$BATS_TEST_TMPDIR/behind"
}

# session_is_true: the session has as many regions and PDs as its table, and no UAR of a context that is closed
session_is_true() {
	local mr='' pd='' uar=0 umem=0 dm=0 entries='' pds='' is='[0-9]+' all

	[ "$MRCTL_SESSION" = "pid:$SESSION_PID" ] && [ ! -e "$BATS_TEST_TMPDIR/behind" ] &&
		[ "$OBJECT_TOOL" != object-tool ] || return 0
	all=$(tool objects) || return
	[[ $all =~ ^((mr|pd|uar|umem|dm|entries|pds)=$is ?)+$ ]] || fail "no counts: $all" || return
	local $all
	[ "$mr" -lt 16383 ] || return 0 # the kernel lists no more, so the number is unknown
	[ "$mr $pd $uar $((entries ? 0 : dm))" = "$((entries - umem)) $pds 0 0" ] ||
		fail "the session has other objects: $all"
}

# counts: prints the objects of all devices and the pinned pages of the guest
counts() {
	rdma resource show | sed 's|^[0-9]*: ||; s| cm_id [0-9]*||' | sort
	hca-probe --count
	echo "pages $(pinned)"
}

# guest_is_as_before: the guest has the same counts as before; waits up to a minute for objects that were just closed
guest_is_as_before() {
	local file=$BATS_RUN_TMPDIR/counts now i

	[ -n "${MRCTL_TEST_GUEST:-}" ] || return 0
	for i in {1..600}; do
		now=$(counts)
		[ "$now" != "$(<"$file")" ] || return 0
		sleep 0.1
	done
	i=$(<"$file")
	echo "$now" >"$file"
	fail "left in the guest:" "$now" "and not:" "$i"
}

if [ -n "${MRCTL_TEST_GUEST:-}" ] && [ ! -e "$BATS_RUN_TMPDIR/counts" ]; then
	mrctl -d mlx5_0 reg --quiet # the driver makes a queue of its own at the first registration
	counts >"$BATS_RUN_TMPDIR/counts"
fi

# tidy: end what runs in the background, and fail if the test has left objects
tidy() {
	local status=0

	[ -z "$HOLD_PID" ] || release KILL || :
	if [ -n "$SESSION_PID" ]; then
		session_is_true || status=1
		session_end || :
	fi
	guest_is_as_before || status=1
	[ -z "$COPY" ] || rm -rf "$COPY"
	[ ! -s "${LEAKS:-}" ] || fail "mrctl kept at its exit:" "$(<"$LEAKS")" || status=1
	return $status
}

teardown() {
	tidy
}
