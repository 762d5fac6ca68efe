#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# make and its targets, and tests/setup.sh, on a machine where nothing is installed or built yet.

load helpers

setup() {
	note_less
	unset MAKEFLAGS MAKELEVEL MFLAGS
	cd "$BATS_TEST_TMPDIR" || return
}

# fakes NAME...: puts programs of these names that fail before those of the machine in PATH
fakes() {
	local name

	mkdir fakes
	for name; do
		printf '#!/bin/sh\nexit 1\n' >"fakes/$name"
		chmod 755 "fakes/$name"
	done
	PATH=$PWD/fakes:$PATH
}

@test "every target refuses a path with a blank or a colon, before it does anything" {
	for folder in "a b" "a:b"; do
		mkdir "$folder"
		cp "$ROOT/Makefile" "$folder/"
		for target in all demo check install clean; do
			run --separate-stderr make -C "$folder" "$target"
			[ "$status" -eq 2 ] || fail "$target: $status"
			[[ $stderr == *"has a blank or a colon"* ]] || fail "$target: $stderr"
			[ "$(ls "$folder")" = Makefile ]
		done
	done
	run --separate-stderr make -C "$ROOT" BUILD="$PWD/c d" all
	[[ $stderr == *"has a blank or a colon"* ]]
	[ ! -e c ]
}

@test "without root the command for root is shown, with the packages of README.md" {
	fakes dpkg-query apt-get sudo
	exits 1 sh "$ROOT/tests/setup.sh"
	[[ ${stderr_lines[-1]} == "    apt-get update && apt-get install "*" gcc make "* ]]
	for package in ${lines[0]#Installing:}; do
		grep -Eq "^\|.*\|.*\|.*[| ]${package}[| ]" "$ROOT/README.md" || fail "not in README.md: $package" || return
	done
	[ -n "$package" ]
	# a user without sudo
	rm fakes/sudo
	ln -s "$(command -v sh)" fakes/sh
	printf '#!/bin/sh\necho 1000\n' >fakes/id
	chmod 755 fakes/id
	exits 1 env PATH="$PWD/fakes" sh "$ROOT/tests/setup.sh"
	[ -z "$output" ]
	[[ ${stderr_lines[0]} == *"no sudo"* ]]
	[[ ${stderr_lines[1]} == "    apt-get update && apt-get install "*" gcc make "* ]]
}

@test "NEWS, debian/changelog and rpm/mrctl.spec have the version of the Makefile" {
	version=$(sed -n 's/^VERSION := //p' "$ROOT/Makefile")
	[ "$(head -n 1 "$ROOT/NEWS")" = "mrctl $version" ]
	[[ $(head -n 1 "$ROOT/debian/changelog") == "mrctl ($version-"* ]]
	grep -qx "Version: *$version" "$ROOT/rpm/mrctl.spec"
	grep -qF "\"mrctl\": \"$version\"" "$BUILD/man/mrctl-json.5"
	[[ $(mrctl --version) == "mrctl $version "* ]]
}

@test "make dist makes the same archive each time, with a checksum, and without what was built" {
	git -C "$ROOT" rev-parse HEAD >/dev/null 2>&1 || skip "no git repository"
	for folder in one two; do
		make -s -C "$ROOT" BUILD="$PWD/$folder" dist
		export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=tar.umask GIT_CONFIG_VALUE_0=0077 # a user's own
		(cd "$folder" && sha256sum --quiet -c ./*.sha256)
	done
	diff -r one two
	tar tf one/*.tar.gz >list
	grep -qx 'mrctl-[0-9.]*/Makefile' list
	run ! grep -Ev '^mrctl-[0-9.]*/' list
	run ! grep /build/ list
}
