#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# make and its targets, and tests/setup.sh, on a machine where nothing is installed or built yet.

load helpers

setup() {
	note_less
	on_simulator || skip "needs the source"
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

@test "make help shows all of each line" {
	run --separate-stderr make -s -C "$ROOT" BUILD="$PWD/none" help
	succeeded
	while IFS= read -r line; do
		line=${line#"## "}
		[[ $output == *"${line%%: *}"*" ${line#*: }"* ]] || fail "not there: $line" || return
	done < <(grep '^## ' "$ROOT/Makefile")
}

@test "make prints no error about a compiler that is not installed yet" {
	run --separate-stderr make -s -C "$ROOT" BUILD="$PWD/none" CC=no-such-cc PKG_CONFIG=no-such-one help
	succeeded
	[ -z "$stderr" ] || fail "$stderr"
}

@test "every target refuses a path with a blank or a colon, before it does anything" {
	local folder target

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

@test "a failed target is named after all targets were made" {
	printf '%s\n' 'one two three:' $'\t@echo made $@ $(BUILD)' $'\t@test $@ != two' >Makefile
	run --separate-stderr env MAKE="make -s" "$ROOT/tests/each.sh" BUILD=there one two three
	[ "$status" -eq 1 ]
	[ "$output" = $'made one there\nmade two there\nmade three there' ]
	[ "${stderr_lines[-1]}" = "failed: two" ]
	run --separate-stderr env MAKE="make -s" "$ROOT/tests/each.sh" one three
	succeeded
}

@test "a user without sudo is shown the command for root, and that nothing was installed" {
	fakes dpkg-query apt-get
	ln -s "$(command -v sh)" fakes/sh
	printf '#!/bin/sh\necho 1000\n' >fakes/id
	chmod 755 fakes/id
	run --separate-stderr env PATH="$PWD/fakes" sh "$ROOT/tests/setup.sh"
	[ "$status" -eq 1 ]
	[ -z "$output" ]
	[[ ${stderr_lines[0]} == *"no sudo"* ]]
	[[ ${stderr_lines[1]} == "    apt-get update && apt-get install "*" gcc make "* ]]
}

@test "where installing fails, the command for root is shown, too" {
	fakes dpkg-query apt-get sudo
	run --separate-stderr sh "$ROOT/tests/setup.sh"
	[ "$status" -eq 1 ]
	[[ $output == "Installing: gcc make "* ]]
	[[ ${stderr_lines[-1]} == "    apt-get update && apt-get install "*" gcc make "* ]]
}

@test "where everything is installed, setup does nothing" {
	fakes apt-get sudo
	printf '#!/bin/sh\necho install ok installed\n' >fakes/dpkg-query
	run --separate-stderr sh "$ROOT/tests/setup.sh"
	succeeded
	[ -z "$output$stderr" ]
}

@test "README.md lists each package that setup installs" {
	local package

	fakes dpkg-query apt-get sudo
	run sh "$ROOT/tests/setup.sh"
	for package in ${lines[0]#*:}; do
		grep -Eq "^\|.*\|.*\|.*[| ]${package}[| ]" "$ROOT/README.md" || fail "not in README.md: $package" || return
	done
	[ -n "$package" ]
}

@test "bench-compare refuses a revision that there is not, and names it" {
	run --separate-stderr env BUILD="$PWD/none" BASE=no-such-revision "$ROOT/tests/bench/compare.sh"
	[ "$status" -eq 2 ]
	[ -z "$output" ]
	[[ $stderr == "bench-compare: BASE=no-such-revision is no revision"* ]]
	[ ! -e none ]
	run --separate-stderr env BUILD="$PWD/none" BASE= "$ROOT/tests/bench/compare.sh"
	[ "$status" -eq 2 ]
	[[ $stderr == *"make bench-compare BASE=REVISION" ]]
}

# figures: the row of the benchmark that figures.awk makes of lines of figures
figures() {
	printf '%s\n' "$@" | awk -v what=w -v unit=ms -v divisor=1 -v goal= -f "$ROOT/tests/bench/figures.awk"
}

@test "the benchmark takes the run of the median ratio, and the interval of the sign test" {
	# Of 9 runs the interval is from the second ratio to the last but one: 2 * (1 + 9) / 512 = 3.9 %.
	run -0 figures '19 10' '11 10' '15 10' '12 10' '18 10' '13 10' '17 10' '14 10' '32 20'
	[ "$output" = $'w\tms\t-\t15.0\t10.0\t1.500\t1.200\t1.800\t-' ]
	# Six have the first to the last, 2 / 64 = 3.1 %; five have none, 2 / 32 = 6.3 %.
	run -0 figures '1 1' '2 1' '3 1' '4 1' '5 1' '6 1'
	[ "$output" = $'w\tms\t-\t4.0\t1.0\t4.000\t1.000\t6.000\t-' ]
	run -0 figures '1 1' '2 1' '3 1' '4 1' '5 1'
	[ "$output" = $'w\tms\t-\t3.0\t1.0\t3.000\t-\t-\t-' ]
}
