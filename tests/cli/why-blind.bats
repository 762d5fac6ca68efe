#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A refusal is printed whatever hinders the search for its causes: files that are missing, unreadable or lie.  For a
# lack of memory see starve.sh.

load helpers
load hosts
load why

# is_told: the refusal of ibv_reg_mr is in the message and in the document, and no cause is certain
is_told() {
	[ "$status" -eq 1 ] || fail "exit status $status: $stderr"
	[[ $stderr == *'mrctl: reg: ibv_reg_mr: ENOMEM (Cannot allocate memory)'* ]] || fail "$stderr"
	json '.failures | length == 1 and .[0].errno == "ENOMEM" and
		([.[0].causes[] | select(.certainty == "certain")] == [])'
}

REFUSED='mrctl sim --fault reg_mr=ENOMEM -- mrctl reg --json'

# bats test_tags=release
@test "a refusal is reported if a file of /proc is empty, has garbage, or is not a file" {
	! is_sanitized || skip "the sanitizer reads such files itself"
	in_namespace "exec 3<. && mount -t tmpfs none /proc && $REFUSED"
	[[ $status -ne 0 && $status -lt 124 && $stderr == *mrctl:* ]] || fail "$status: $stderr"
	for file in limits status maps smaps cgroup mountinfo uid_map; do
		for content in '' 'Max locked memory garbage' "$(printf '%9000s' x)"; do
			printf '%s' "$content" >"$BATS_TEST_TMPDIR/lie"
			in_namespace "mount --bind $BATS_TEST_TMPDIR/lie /proc/\$\$/$file && exec $REFUSED"
			is_told || return
		done
	done
}

@test "a refusal is reported if files of the host are missing" {
	for folder in /sys/module /sys/fs/cgroup /sys/kernel/mm /proc/sys/vm /sys/bus/pci /dev/infiniband; do
		[ -d "$folder" ] || continue
		in_namespace "mount -t tmpfs none $folder && $REFUSED"
		is_told || return
	done
	in_namespace "mount -t proc -o hidepid=2 proc /proc && $REFUSED"
	is_told
}
