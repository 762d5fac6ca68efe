# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash
# The recorded hosts of tests/hosts, whose README.md has their format

HOSTS=${ROOT:-.}/tests/hosts

# host_names: prints the names of all recorded hosts
host_names() {
	local file

	for file in "$HOSTS"/*.host; do
		file=${file##*/}
		echo "${file%.host}"
	done
}

# host_blocks FILE: prints the lines "=== PATH" and "--- PATH" of a host
host_blocks() {
	grep -E '^(===|---) /' "$1"
}

# host_new NAME DIR: makes the recording DIR of a host, whose files are hard links to those of the host that it is from
host_new() {
	local file=$HOSTS/$1.host from kind path parts=()

	from=$(sed -n '/^#/!q; s/^# from: //p' "$file") || return
	if [ -n "$from" ]; then
		cp -al "$(host_folder "$from")" "$2" || return
	fi
	while read -r kind path; do
		if [ "$kind" = --- ]; then
			rm -rf "${2:?}$path" "$2/calls$path" "$2/calls$path".{read,list,link,stat,open}{,.error}
		else
			parts+=("$2$path")
		fi
	done < <(host_blocks "$file")
	mkdir -p "$2" "${parts[@]%/*}" || return
	rm -f "${parts[@]}"
	awk -v folder="$2" '
		/^(===|---) \// { if (to) close(to); to = ""; if ($1 == "===") { to = folder $2; printf "" >to } next }
		to { print >to }' "$file"
}

# host_folder NAME: prints the folder of its recording, which nobody changes, and which is made once for a file of tests
host_folder() {
	local dir=${BATS_FILE_TMPDIR:-${TMPDIR:-/tmp}/mrctl}/hosts/$1

	if [ ! -d "$dir" ]; then
		mkdir -p "${dir%/*}" && host_new "$1" "$dir.new" && mv "$dir.new" "$dir" || return
	fi
	echo "$dir"
}

# host_make NAME DIR: makes the recording DIR of a host
host_make() {
	mkdir -p "$2" && cp -a "$(host_folder "$1")/." "$2"
}

# Tests of many cases do one of so many; make check-all does all
STEP=${FAULT_STEP:-16}

# is_turn NUMBER: whether this case is to be done
is_turn() {
	[ $(($1 % STEP)) -eq 0 ]
}

# host_claims NAME: prints a line "OPTIONS|ID VERDICT [TEXT]" for each verdict that a host states
host_claims() {
	awk '!/^#/ { exit } /^# run:/ { sub(/^# run: */, ""); options = $0; next }
		/^# MR-[A-Z0-9-]+ [a-z\/]+( |$)/ { print options "|" substr($0, 3) }' "$HOSTS/$1.host"
}

# host_pack DIR: prints the recording DIR as the blocks of a host
host_pack() {
	local file

	find "$1" -type f -printf '/%P\n' | sort | while read -r file; do
		printf '=== %s\n' "$file"
		awk 1 "$1$file"
	done
}

# checks: prints a line "ID VERDICT..." for each check, with all verdicts that it can have
checks() {
	mrctl help checks | awk '/^  MR-/ { print text; text = "" } /^ / { text = text " " $0 } END { print text }' |
		sed -n '/^ *MR-/{ s/^ *\([^ ]*\).*(\(.*\))$/\1 \2/; s/,//g; p }'
}

# check_verdicts: prints a line "ID VERDICT" for each verdict that a check can have
check_verdicts() {
	checks | awk '{ for (i = 2; i <= NF; i++) print $1, $i }'
}

# recorded COMMAND...: mrctl run by the command records this host, and says the same of the recording as of the host
recorded() {
	local dir live again

	# where another user can write
	dir=$(mktemp -d "${TMPDIR:-/tmp}/mrctl-test.XXXXXX") && chmod 777 "$dir"
	live=$("$@" mrctl -n -o id,verdict,figure stat --host --record "$dir/host" 2>"$BATS_TEST_TMPDIR/err") ||
		[ $? -eq 1 ] || fail "$(cat "$BATS_TEST_TMPDIR/err")" || return
	again=$(mrctl -n -o id,verdict,figure stat --host --root "$dir/host") || [ $? -eq 1 ] || return
	rm -rf "$dir"
	[[ $(cat "$BATS_TEST_TMPDIR/err") == *"$dir/host"* ]] || fail "not said where" || return
	[[ -n $live && $live == "$again" ]] || fail "$(diff <(echo "$live") <(echo "$again"))"
}

# ---- this machine, changed for a command

# in_namespace SCRIPT: `run`s bash -c SCRIPT as root of a mount and pid namespace of its own
in_namespace() {
	local how

	for how in "-rmu" "-mu"; do
		! unshare $how -p --fork --mount-proc true 2>/dev/null || break
		how=''
	done
	[ -n "$how" ] || skip "needs namespaces to mount in"
	run --separate-stderr timeout 60 unshare $how -p --fork --mount-proc bash -c "$1"
}

# copy_sysfs: makes SYS a copy of the simulator's sysfs, which mr reads then; DEVICES and NODES are its classes, and
# NODE is the node of the device
copy_sysfs() {
	on_simulator || skip "needs the simulator"
	SYS=$BATS_TEST_TMPDIR/sys
	cp -r "$("${SIM[@]}" sh -c 'echo "$SYSFS_PATH"')" "$SYS"
	chmod -R u+w "$SYS"
	DEVICES=$SYS/class/infiniband NODES=$SYS/class/infiniband_verbs
	NODE=$(cd "$NODES" && echo uverbs*)
	MR=("${SIM[@]}" env SYSFS_PATH="$SYS" mrctl)
}

# starving: for tests that use starved
starving() {
	{ ! is_sanitized && [ -z "${WRAP:-}" ]; } || skip "the sanitizer has its own allocator"
	export FAIL=allocate FAIL_HIT=$BATS_TEST_TMPDIR/hit
}

# starved N ARG...: mrctl ARG... on the simulator, whose allocation N fails; makes the file FAIL_HIT if there is one
starved() {
	"${SIM[@]}" env FAIL_NUMBER="$1" bash -c 'LD_PRELOAD=$0:$LD_PRELOAD exec mrctl "$@"' "$BUILD/fail.so" "${@:2}"
}

# guest_node: sets NODE and NODE_NUMBER to those of the device of the guest
guest_node() {
	local at

	need_kernel
	for at in /sys/class/infiniband_verbs/*/ibdev; do
		[ "$(<"$at")" = "$MRCTL_TEST_DEVICE" ] || continue
		NODE=/dev/infiniband/$(basename "${at%/ibdev}")
		NODE_NUMBER=$(tr : ' ' <"${at%/ibdev}/dev")
	done
	[ -c "$NODE" ]
}

# in_own_dev COMMANDS CMD...: runs CMD where COMMANDS of a shell, whose $1 is NODE, have changed mounts
in_own_dev() {
	unshare -m sh -ec "$1"'; shift; exec "$@"' sh "$NODE" "${@:2}"
}

# For a /dev of its own: what mrctl needs beside the nodes of RDMA
NO_NODES='mknod -m 666 /dev/null c 1 3; mknod -m 666 /dev/urandom c 1 9'
