#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# mrctl about itself: help, --version, --dump-cli.

# bats file_tags=text
load helpers

# topics: prints the topics of mrctl help
topics() {
	mrctl help | sed -n '/^Topics:/,/^$/s/^  \([a-z]*\).*/\1/p'
}

@test "help explains mrctl, each command with every option, and the words of each topic" {
	succeeded mrctl --help
	[[ $output == "Usage: mrctl "* ]]
	for word in $(cli command) $(cli option | sed 's/^/--/; s/\t.*//'); do
		[[ $output == *" $word "* ]] || fail "no $word in mrctl --help" || return
	done
	[ "$(mrctl help)" = "$output" ]
	[ "$(mrctl help help)" = "$output" ]
	for command in $(cli command); do
		succeeded mrctl "$command" --help
		[ -z "$stderr" ]
		[[ $output == "Usage: mrctl [global options] $command"* && $output =~ $'\n\n'(Topics|Global\ options) ]]
		for word in $(cli option "$command" | cut -f 1); do
			[[ $output == *"--$word "* ]] || fail "no $word in $command --help" || return
		done
		[ "$(mrctl --help "$command")" = "$output" ]
		[ "$(mrctl help "$command")" = "$output" ]
	done
	[[ $(mrctl help reg) == *$'\nTopics (mrctl help TOPIC): memory, access, advice, columns reg\nGlobal options: '* ]]
	[ "$(topics | wc -l)" -ge 5 ]
	for topic in $(topics); do
		succeeded mrctl help "$topic"
		[[ -z $stderr && ${#lines[@]} -ge 4 ]] || fail "$topic: $output" || return
	done
	[[ $(mrctl help access) == *"  remote-read  "* ]]
	[[ $(mrctl help memory) == *"  file:PATH  "* ]]
}

# columns_of TITLE [COMMAND]: prints the columns that help columns COMMAND lists below a title
columns_of() {
	section "$1, for --output:" "columns ${2:-}"
}

@test "help columns lists the columns that the command fills, and without a command all" {
	dump=$(mrctl --dump-cli)
	[ "$(columns_of "Columns of regions")" = "$(cli column reg)" ]
	[ "$(columns_of "Columns of sessions")" = "$(cli column session)" ]
	[ "$(columns_of "Columns of causes")" = "$(cli column explain)" ]
	[ "$(columns_of "Columns of rows")" = "$(cli column bench)" ]
	[ "$(columns_of "Columns of calls")" = "$(cli column trace)" ]
	for command in reg umem stat; do
		[ "$(mrctl help columns $command | awk '!NF { exit } /^  [^ ]/ { print $1 }')" = "$(jq -r \
			--arg command $command '.commands[] | select(.name == $command) |
				.columns[] | select(.filled).name' <<<"$dump")" ]
	done
	for command in process unit device; do
		[ "$(columns_of "Columns of stat --system --by $command" stat | grep -cx -e regions -e bytes -e pinned)" = 3 ]
	done
	for view in $(cli view stat); do
		[ "$(columns_of "Columns of stat --$view")" = "$(columns_of "Columns of stat --$view" stat)" ]
		[ "$(columns_of "Columns of stat --$view")" = "$(jq -r --arg view "$view" '.commands[].views[] |
			select(.option == $view).columns[].name' <<<"$dump")" ]
	done
	[[ $(mrctl help columns reg) != *umem_id* ]]
	usage_error "sim prints no columns" -- mrctl help columns sim
}

@test "help on an unknown topic guesses one" {
	wrong_words mrctl <<-'END'
		help rge|no such command or topic: 'rge'
		help acess|did you mean 'access'?
		help columns rge|did you mean 'reg'?
		help reg stat|unexpected argument 'stat'
		help columns reg stat|unexpected argument 'stat'
		version reg|unexpected argument 'reg'
	END
}

@test "help on a word lists the commands, columns, causes and checks that speak of it" {
	succeeded mrctl help gpu
	[[ $output == *"cuda:N"*"MR-PEER-MEMORY"* ]]
	succeeded mrctl help huge
	[[ $output == *"thp"*"MR-HUGEPAGES"*"Checks"* ]]
	succeeded mrctl help ready
	[[ $output == *"Did you mean 'mrctl stat --host'?"* ]]
	succeeded mrctl help nagios # a word of an option
	[[ $output == *"Commands that mention 'nagios'"*"  stat  "* ]]
	succeeded mrctl help json # a global option
	[[ $output == *"  --json  "* ]]
	succeeded mrctl help suspect # a value of a column
	[[ $output == *"Columns "*"  regions: state  "* ]]
	succeeded mrctl help odp
	[[ $output == *"  stat --device: odp  "* ]]
	succeeded mrctl help dm # the whole word
	[[ $output == *"help memory: dm[:SIZE]"* && $output != *dmah* ]]
	# all causes that can have the errno
	[ "$(mrctl help ENOMEM | sed -n '/^Causes/,/^Checks/s/^  \(MR-[A-Z0-9-]*\) .*/\1/p' | sort)" = "$(mrctl -j explain --list |
		jq -r '.causes[] | select(any(.errnos[]?; . == "ENOMEM") or
			any(.id, .subject, .what, .recognise, .remedy; test("ENOMEM"))).id' | sort)" ]
}

@test "help has at most 55 lines, that of a command 45, of 80 columns without trailing blanks" {
	for command in '' $(cli command); do
		run --separate-stderr mrctl ${command:+"$command"} -h
		[ "$(wc -l <<<"$output")" -le $((${#command} ? 45 : 55)) ] || fail "$command: $(wc -l <<<"$output") lines" || return
	done
	for command in '' $(cli command) $(topics); do
		run --separate-stderr mrctl help ${command:+"$command"}
		[ -z "$(awk 'length > 80' <<<"$output")" ] || fail "$command" || return
		run ! grep -n ' $' <<<"$output"
	done
}

@test "the examples of help are command lines without a mistake" {
	cd "$BATS_TEST_TMPDIR" || return
	printf '#!/bin/sh\nexec mrctl reg\n' >app && chmod 755 app
	for command in '' $(cli command); do
		examples=$(mrctl help ${command:+"$command"} | sed -n -e '/^Examples:/,/^$/s/^  //p' \
			-e '/^Tasks:/,/^$/s/^  [A-Z].*  //p')
		[[ $examples == *mrctl* ]] || fail "$command has none" || return
		while read -r example; do
			# what takes long or needs a kernel is read, not run
			example=${example/mrctl stat --system/mrctl stat --help}
			example=${example/mrctl bench/mrctl bench --help} example=${example/mrctl report/mrctl report --help}
			example=${example/ibv_rc_pingpong/ibv_devinfo} # a server waits for its client
			run --separate-stderr timeout 60 mrctl sim -- mrctl session -- sh -c "mrctl -q reg --name buf
				trap 'case \$MRCTL_SESSION in pid:*) mrctl session --end -q ;; esac' EXIT
				exec 3</dev/null; echo reg >broken.mrctl; SHELL=/bin/true; export SHELL
				${example//\/dev\/my-dma-buf//dev/null}" # the shell would create it
			[ "$status" -lt 2 ] || fail "$example: $stderr" || return
		done < <(grep . <<<"$examples")
	done
}

@test "--version names mrctl and rdma-core" {
	succeeded mrctl --version
	[[ $output =~ ^mrctl\ [0-9.]+\ \(rdma-core\ [0-9.]+\)$ ]]
	[ "$(mrctl version)" = "$output" ]
	[ "$(mrctl version --help)" = "$(mrctl --help)" ]
	[ "$(mrctl reg -V)" = "$output" ]
}

# stat --device is a flag, and -d NAME the global option.  trace -o names a file, as that of other tracers does.
@test "--dump-cli has each command, option and column once, with its help" {
	succeeded mrctl --dump-cli
	json '.format == 1 and .command == "--dump-cli"'
	json '[.commands[].name] | index("reg") and index("reg-iova") and (unique | length) == length'
	json '.commands | all(.summary | test("^[a-z].*[^.]$"))'
	json '[.options[], .commands[].options[]] | length > 20 and all((.help | length > 0) and
		(.name | test("^[a-z][a-z0-9-]*$")) and (.type | test("^[a-z-]+$")) and
		((.argument == null) == (.type == "flag")) and (.group | length > 0))'
	json '.commands | all(([.columns[].name] | (unique | length) == length) and
		(.columns | all((.name | test("^[a-z0-9_]+$")) and (.help | length > 0))))'
	json '[.options[].name] as $global | .commands |
		all(.name as $command | [.options[] | select($command + " " + .name |
				IN("stat device", "trace output") | not).name] + $global |
			(unique | length) == length)'
	json '[.options[].letter] as $global | .commands |
		all(.name as $command | [.options[] | select($command != "trace" or .name != "output").letter] + $global |
			map(select(.)) | (unique | length) == length)'
	# an option that commands share is the same in all of them
	json '[.commands[].options[]] | group_by(.name) | all(map({letter, type}) | unique | length == 1)'
}
