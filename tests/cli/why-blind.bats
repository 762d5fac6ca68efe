#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Whatever hinders the search for causes, the refusal itself is told: files that are missing, unreadable or lie, and
# a lack of memory.

load helpers
load why

setup() {
	note_less
}

# blind SCRIPT: runs bash -c SCRIPT as root of namespaces of its own, in which it may mount
blind() {
	local how

	for how in "-rm --propagation private" "-m --propagation private"; do
		# shellcheck disable=SC2086 # words
		! unshare $how true 2>/dev/null || break
		how=''
	done
	[ -n "$how" ] || skip "needs a namespace to mount in"
	# shellcheck disable=SC2086 # words
	run --separate-stderr timeout 60 unshare $how --fork bash -c "$1"
}

# is_told: the refusal of ibv_reg_mr is told, in text or JSON, and nothing is taken for certain
is_told() {
	[ "$status" -eq 1 ] || fail "exit status $status: $stderr"
	[[ $stderr == *'mrctl: reg: ibv_reg_mr: ENOMEM (Cannot allocate memory)'* ]] || fail "$stderr"
	json '.failures | length == 1 and .[0].errno == "ENOMEM"'
	json '[.failures[0].causes[] | select(.certainty == "certain")] == []'
}

REFUSED='mrctl sim --fault reg_mr=ENOMEM -- mrctl reg --json'

@test "without /proc a refusal is told" {
	blind "exec 3<. && mount -t tmpfs none /proc && $REFUSED"
	[[ $status -ne 0 && $status -lt 124 && $stderr == *mrctl:* ]] || fail "$status: $stderr"
}

@test "a refusal is told where a file of /proc has nothing, garbage, or is no file" {
	local file content

	! is_sanitized || skip "the sanitizer reads such files itself"
	for file in limits status maps smaps cgroup mountinfo uid_map; do
		for content in '' 'Max locked memory garbage' "$(printf '%9000s' x)"; do
			blind "printf '%s' '$content' >$BATS_TEST_TMPDIR/lie && echo \$\$ >/dev/null &&
				sh -c 'mount --bind $BATS_TEST_TMPDIR/lie /proc/\$\$/$file 2>/dev/null || exit 77
					exec $REFUSED'"
			[ "$status" -ne 77 ] || continue
			is_told
		done
	done
}

@test "a refusal is told where files of the host are missing" {
	local folder

	for folder in /sys/module /sys/fs/cgroup /sys/kernel/mm /proc/sys/vm /sys/bus/pci /dev/infiniband; do
		[ -d "$folder" ] || continue
		blind "mount -t tmpfs none $folder || exit 77; $REFUSED"
		[ "$status" -ne 77 ] || continue
		is_told
	done
}

@test "a refusal is told to a process that may read nothing of others" {
	blind "mount -t proc -o hidepid=2 proc /proc 2>/dev/null; $REFUSED"
	[ "$status" -ne 77 ]
	is_told
}

@test "a refusal is told where memory for its diagnosis is short" {
	local n told=0

	is_sanitized && skip "the allocator is ASan's"
	cc -D_GNU_SOURCE -Wall -Wextra -O2 -fPIC -shared -o "$BATS_TEST_TMPDIR/starve.so" \
		"$BATS_TEST_DIRNAME/preload/starve.c"
	export STARVE_HIT=$BATS_TEST_TMPDIR/hit
	for ((n = 1; n < 400; n++)); do
		run --separate-stderr mrctl sim -- env STARVE=$n bash -c '
			LD_PRELOAD=$1:$LD_PRELOAD exec mrctl reg --access remote-write' \
			bash "$BATS_TEST_TMPDIR/starve.so"
		[ -e "$STARVE_HIT" ] || break
		rm "$STARVE_HIT"
		[[ $status -eq 1 && $stderr == 'mrctl: '* ]] || fail "$n: exit status $status: $stderr"
		[[ $stderr != *'ibv_reg_mr: '* ]] || told=$((told + 1))
	done
	((n > 5 && n < 400 && told > 0)) || fail "$n allocations, and $told refusals"
}
