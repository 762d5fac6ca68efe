#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The shells that mrctl sim and mrctl session start: their prompts and start files.

load helpers

# prompts SHELL [ARG...]: prints what an interactive SHELL, started by `mrctl ARG...`, shows on a terminal
prompts() {
	local shell=$1
	shift

	printf 'mrctl reg -q && echo fi""ne\nexit\n' |
		HOME=$BATS_TEST_TMPDIR TERM=dumb SHELL=$(command -v "$shell") \
			script -qec "$BUILD/mrctl $*" /dev/null 3>&-
}

@test "the mrctl that starts a program is the one that the program finds" {
	other=$BATS_TEST_TMPDIR/other
	mkdir "$other" "$BATS_TEST_TMPDIR/link"
	printf '#!/bin/sh\necho another\n' >"$other/mrctl"
	chmod +x "$other/mrctl"
	ln -s "$BUILD/mrctl" "$BATS_TEST_TMPDIR/link/mrctl"
	# a PATH that leads to this mrctl stays as it is
	while read -r path expected; do
		succeeded env PATH="$path" "$BUILD/mrctl" sim -- sh -c 'command -v mrctl; echo "$PATH"'
		[[ ${lines[0]} -ef $BUILD/mrctl && ${lines[1]} == "$expected" ]] || fail "$path: $output" || return
	done <<-END
		/usr/bin:/bin $BUILD:/usr/bin:/bin
		$other:/usr/bin:/bin $BUILD:$other:/usr/bin:/bin
		$other:$BUILD:/usr/bin:/bin $BUILD:$other:$BUILD:/usr/bin:/bin
		/usr/bin:/bin:$BUILD /usr/bin:/bin:$BUILD
		$BATS_TEST_TMPDIR/link:/usr/bin:/bin $BATS_TEST_TMPDIR/link:/usr/bin:/bin
	END
	outputs live env PATH=/usr/bin:/bin "$BUILD/mrctl" sim mrctl session mrctl reg -n -o state
}

@test "the prompt of a shell marks the simulated HCA, and PROMPT_COMMAND still runs" {
	command -v script >/dev/null || skip "no script(1)"
	echo 'PS1="my prompt> "' >"$BATS_TEST_TMPDIR/.bashrc"
	: >"$BATS_TEST_TMPDIR/.zshrc" # without this file zsh asks new users for their settings
	# without this folder fish reads all manual pages, in the background, for half a minute
	mkdir -p "$BATS_TEST_TMPDIR/.local/share/fish/generated_completions"
	while read -r shell words; do
		command -v "$shell" >/dev/null || continue
		output=$(PROMPT_COMMAND='echo "be""fore"' prompts "$shell" "$words")
		[[ $output == *fine* ]] || fail "$shell, $words: $output" || return
		[[ $output != *"(simulated) (simulated)"* ]] || fail "$shell, $words: $output" || return
		[[ $shell != [bd]ash || $output == *"(simulated) "* ]] || fail "$shell, $words: $output" || return
		[[ $shell != bash || $output == *before*"(simulated) my prompt> "* ]] || fail "$words: $output" || return
	done <<-'END'
		bash sim
		bash sim -- mrctl session
		dash sim
		zsh sim -- mrctl session
		fish sim
	END
}

@test "a program that is named keeps its prompt, and so does a shell without a terminal" {
	run --separate-stderr mrctl sim -- printenv PROMPT_COMMAND PS1 </dev/null
	[ -z "$output" ]
	SHELL=$(command -v bash) run --separate-stderr mrctl sim <<<'printenv PROMPT_COMMAND PS1'
	[ -z "$output" ]
}
