#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# mrctl started with rights that its user does not have (setuid, file capabilities) must not use them.

load helpers

# program: makes a copy of mrctl that an ordinary user can run, on a file system where setuid has effect
program() {
	local folder

	[ "$(id -u)" -eq 0 ] || skip "needs root"
	for folder in "$BUILD" /dev/shm /tmp; do
		[[ $(findmnt -no OPTIONS -T "$folder") != *nosuid* ]] || continue
		FOLDER=$(mktemp -d "$folder/rights.XXXXXX")
		chmod 755 "$FOLDER"
		cp "$BUILD/mrctl" "$FOLDER"
		as_nobody test -x "$FOLDER/mrctl" && return
		rm -r "$FOLDER"
	done
	FOLDER=
	skip "no folder where programs are setuid and that others reach"
}

teardown() {
	[ -z "${FOLDER:-}" ] || rm -r "$FOLDER"
	tidy
}

# does_nothing: mrctl, started by an unprivileged user, refuses whatever the words are
does_nothing() {
	local words

	for words in "--version" "--dump-cli" "reg --memory file:$FOLDER/made" "sim -- true" "stat -j"; do
		run --separate-stderr as_nobody "$FOLDER/mrctl" $words
		[ "$status" -eq 1 ] || fail "$words: $status" "$output"
		[ -z "$output" ]
		[[ $stderr == "mrctl: refusing to run with more rights than the user has"* ]] ||
			fail "$words: $stderr"
	done
	[ ! -e "$FOLDER/made" ]
}

@test "a setuid or setgid mrctl refuses before it reads its arguments" {
	program
	as_nobody "$FOLDER/mrctl" --version
	chmod 4755 "$FOLDER/mrctl"
	does_nothing
	"$FOLDER/mrctl" --version # root has these rights anyway
	chmod 2755 "$FOLDER/mrctl"
	does_nothing
}

@test "with file capabilities mrctl refuses" {
	program
	command -v setcap >/dev/null || skip "no setcap"
	setcap cap_ipc_lock+ep "$FOLDER/mrctl" || skip "no file capabilities here"
	# not as_nobody: it drops the bounding set, and with it the capabilities of the file
	as_nobody() {
		setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps -all "$@"
	}
	does_nothing
}

@test "with rights as sudo gives them, and with ambient capabilities, mrctl works" {
	program
	setpriv --reuid 0 "$FOLDER/mrctl" --version
	setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps +ipc_lock \
		--ambient-caps +ipc_lock "$FOLDER/mrctl" --version
}
