#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The shells that mrctl sim and mrctl session start: their prompts and start files.
# shellcheck disable=SC2016 # scripts for these shells

load helpers

setup() {
	note_less
	on_simulator || skip "about the simulator"
}

# prompts SHELL [ARG...]: prints what an interactive SHELL, started by `mrctl ARG...`, shows on a terminal
prompts() {
	local shell=$1
	shift

	command -v "$shell" >/dev/null || return 0
	printf 'mrctl reg -q && echo fi""ne\nexit\n' |
		HOME=$BATS_TEST_TMPDIR TERM=dumb SHELL=$(command -v "$shell") \
			script -qec "$BUILD/mrctl $*" /dev/null
}

@test "the mrctl that starts a program is the one that the program finds" {
	local other=$BATS_TEST_TMPDIR/other

	mkdir "$other"
	printf '#!/bin/sh\necho another\n' >"$other/mrctl"
	chmod +x "$other/mrctl"
	for path in /usr/bin:/bin "$other:/usr/bin:/bin" "$other:$BUILD:/usr/bin:/bin"; do
		run --separate-stderr env PATH="$path" "$BUILD/mrctl" sim -- sh -c 'command -v mrctl; echo "$PATH"'
		succeeded
		[ "$output" = "$BUILD/mrctl"$'\n'"$BUILD:$path" ] || fail "$path: $output"
	done
	run --separate-stderr env PATH=/usr/bin:/bin "$BUILD/mrctl" sim mrctl session mrctl reg -n -o state
	succeeded
	[ "$output" = live ]
}

@test "a PATH that leads to this mrctl stays as it is" {
	ln -s "$BUILD/mrctl" "$BATS_TEST_TMPDIR/mrctl"
	for path in "/usr/bin:/bin:$BUILD" "$BATS_TEST_TMPDIR:/usr/bin:/bin"; do
		run --separate-stderr env PATH="$path" "$BUILD/mrctl" sim -- sh -c 'echo "$PATH"'
		succeeded
		[ "$output" = "$path" ] || fail "$path: $output"
	done
}

@test "the prompt of a shell says that the HCA is simulated, and zsh and fish work as before" {
	local shell

	command -v script >/dev/null || skip "no script(1)"
	echo 'PS1="my prompt> "' >"$BATS_TEST_TMPDIR/.bashrc"
	: >"$BATS_TEST_TMPDIR/.zshrc" # without this file zsh asks new users for their settings
	for shell in bash dash zsh fish; do
		for words in sim "sim -- mrctl session"; do
			# shellcheck disable=SC2086 # words
			output=$(prompts "$shell" $words)
			[[ -z $output || $output == *fine* ]] || fail "$shell, $words: $output"
			[[ $shell != [bd]ash || $output == *"(simulated) "* ]] || fail "$shell, $words: $output"
			[[ $output != *"(simulated) (simulated)"* ]] || fail "$shell, $words: $output"
		done
	done
	output=$(prompts bash sim)
	[[ $output == *"(simulated) my prompt> "* ]] || fail "$output"
}

@test "commands that bash runs before its prompt still run" {
	command -v script >/dev/null || skip "no script(1)"
	output=$(PROMPT_COMMAND='echo "be""fore"' prompts bash sim)
	[[ $output == *before*"(simulated) "* ]] || fail "$output"
}

@test "a program that is named keeps its prompt, and so does a shell without a terminal" {
	run --separate-stderr mrctl sim -- printenv PROMPT_COMMAND PS1 </dev/null
	[ -z "$output" ]
	SHELL=$(command -v bash) run --separate-stderr mrctl sim <<<'printenv PROMPT_COMMAND PS1'
	[ -z "$output" ]
}
