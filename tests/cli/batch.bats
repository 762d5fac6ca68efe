#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# mrctl batch: how lines are read, and what they answer.  How they are split, and come out of a file or pipe, is in
# tests/unit/lib/base/shell_words.c and line_reader.c.

load helpers
load batch
load rows

# ---- lines ----

@test "a line is the words behind mrctl; comments, blanks and what Windows puts in files are ignored" {
	batch --json -- $'\xef\xbb\xbf# a comment' '' '  reg   --name  a  ' $'\tmrctl reg --name b # more' \
		$'stat a b\r' "reg --name 'c'" 'reg --na"me" \d' \
		"reg --access none --memory file:$BATS_TEST_TMPDIR/end\\ "
	succeeded
	json '[.lines[] | .line, .command, .status] ==
		[3, "reg", 0, 4, "reg", 0, 5, "stat", 0, 6, "reg", 0, 7, "reg", 0, 8, "reg", 0]'
	json '[.lines[:5][].text] == ["reg   --name  a", "mrctl reg --name b # more", "stat a b",
		"reg --name '"'c'"'", "reg --na\"me\" \\d"]'
	json '[.regions[:4][].name] == ["a", "b", "c", "d"]'
	json '.lines[5].regions[0].memory | endswith("/end ")'
	[ -e "$BATS_TEST_TMPDIR/end " ]
	exits 2 mr batch --json <<<$'reg\n\xef\xbb\xbfreg'
}

@test "a wrong line is a usage error with an errno and a separate message" {
	cause=EINVAL:MR-LENGTH-ZERO
	usage_errors <<<"reg --expect $(printf "$cause,%.0s" {1..16})$cause | --expect accepts at most 16 causes"
	usage_errors <<-'END'
		bogus | unknown command 'bogus'
		mrctl | no command given
		reg --name 'a | the quote ' is not closed
		reg --name a\ | --name: invalid name
		reg --hold | --hold is not available in a batch
		umem --hold-for 1 | --hold-for is not available in a batch
		session -- true | mrctl session is not available in a batch
		sim true | mrctl sim is not available in a batch
		batch x | mrctl batch is not available in a batch
		reg --json | --json is not available on a line; give it to mrctl batch itself
		reg --no-headings | --no-headings is not available on a line
		reg --quiet | --quiet is not available on a line
		reg --verbose | --verbose is not available on a line
		reg --help | --help is not available on a line
		reg --version | --version is not available on a line
		reg --dump-cli | --dump-cli is not available on a line
		reg --device x | --device is not available on a line
		reg --output rkey | --output is not available on a line
		reg --session fd:3 | --session is not available on a line
		reg --why read | --why is not available on a line
		reg --why none | --why is not available on a line
		--json reg | a line begins with a command; give '--json' to mrctl batch itself
	END
}

@test "a wrong line of a file is reported before any line is run" {
	batch --json --keep-going -- reg '' "reg --name 'a"
	usage_error "batch: line 3: reg --name 'a: the quote ' is not closed"
	usage_error "line 3: reg --name 'a" -- mr --json batch - <"$LINES_FILE"
	batch -- reg 'reg --iova 0'
	usage_error "line 2: reg --iova 0: unknown option '--iova'" "reg-iova, reg-dmabuf, rereg have it"
	batch -- "reg --name a\\"
	usage_error "line 1: reg --name a\\: nothing follows the backslash"
	batch -- $'reg --name \e[1m'
	usage_error 'line 1: reg --name \x1b[1m: '
	batch -- "reg --name $(printf '%0300d' 0)"
	usage_error "line 1: reg --name 000"
	[[ $stderr == *"00...: --name"* ]]
	printf 'reg\n%070000d\n' 0 >"$LINES_FILE"
	usage_error "line 2: longer than 65535 bytes" -- mr batch "$LINES_FILE"
	printf 'reg\nreg --name \0\n' >"$LINES_FILE"
	usage_error "line 2: it has a NUL byte" -- mr batch "$LINES_FILE"
	usage_error "a batch reads one FILE: 'b' is a second one" -- mr batch a b
}

@test "a wrong line of a pipe ends the batch, unless --keep-going is given" {
	piped --json -- 'reg --name a' bogus reg
	[ "$status" -eq 2 ]
	json '[.lines[] | .line, .command, .status] == [1, "reg", 0, 2, null, 2]'
	json '.lines[1] | .regions == [] and .failures[0].message == "unknown command '"'bogus'"'"'
	json '(.lines[0] | keys) == (.lines[1] | keys)'
	json '.failures | length == 1 and .[0].index == 2 and
		.[0].message == "line 2: bogus: unknown command '"'bogus'"'"'
	json '[.regions[] | .name, .state] == ["a", "deregistered"]'
	piped --json --keep-going -- bogus reg
	[ "$status" -eq 2 ]
	json '[.lines[].status] == [2, 0]'
	piped -- reg "$(printf '%065536d' 0)"
	[ "$status" -eq 2 ]
	[[ $stderr == *"line 2: longer than 65535 bytes"* ]]
}

@test "a usage error that is found only when a line runs is reported once" {
	batch --json --why none -- 'reg --name a' 'reg --expect ENOMEM:MR-MEMLOCK'
	[ "$status" -eq 2 ]
	json '.lines[1] | .status == 2 and (.failures[0].message | startswith("--expect with a cause"))'
	json '[.regions[].name] == ["a"]'
	[ "$(grep -c -e '--expect with a cause' <<<"$stderr")" -eq 1 ]
	[[ $stderr != *Try* ]]
}

@test "a FILE that cannot be read is named, and one without lines is an empty answer" {
	fails "cannot read '$BATS_TEST_TMPDIR/none': open: ENOENT (" mr batch "$BATS_TEST_TMPDIR/none"
	fails "read: EISDIR (" mr batch "$BATS_TEST_TMPDIR"
	exits 1 mr --json batch "$BATS_TEST_TMPDIR/none"
	json '.command == "batch" and .regions == [] and (.failures | length == 1 and .[0].errno == "ENOENT")'
	batch --json -- '# nothing'
	succeeded
	json '.command == "batch" and .lines == [] and .regions == [] and .failures == []'
	[ -z "$stderr" ]
	succeeded mr batch </dev/null
	[ -z "$output$stderr" ]
}

# ---- answers ----

@test "the first line with an unexpected answer ends the batch" {
	batch --json -- 'reg --name a' 'reg --memory hole --name b' 'reg --name c'
	[ "$status" -eq 1 ]
	json '[.lines[] | .line, .status] == [1, 0, 2, 1]'
	json '.failures | length == 1 and (.[0] | .index == 2 and .call == "ibv_reg_mr" and
		.errno == "EFAULT" and .via == "library")'
	json '.failures[0].message | startswith("line 2: reg --memory hole --name b: ibv_reg_mr: EFAULT (")'
	json '.lines[1].failures[0].message | startswith("ibv_reg_mr: EFAULT (")'
	[[ $stderr == "mrctl: batch: line 2: reg --memory hole --name b: ibv_reg_mr: EFAULT ("* ]]
	[[ $stderr == *"mrctl: batch: stopped after line 2 (--keep-going continues)"* ]]
	json '[.regions[].name] == ["a"]'
	# not where it was the last one
	batch -- 'reg --name a' 'reg --memory hole --count 2 --keep-going'
	[[ $stderr == *"line 2: reg "*": region 2 of 2: ibv_reg_mr: EFAULT"* && $stderr != *stopped* ]]
}

@test "--keep-going runs the remaining lines, and the first failure determines the exit status" {
	batch --json --keep-going -- 'dereg nobody' 'reg --memory hole' 'reg --name c'
	[ "$status" -eq 3 ]
	json '[.lines[].status] == [3, 1, 0] and [.failures[].index] == [1, 2]'
	[[ $stderr == *"line 1: dereg nobody: the batch has no region 'nobody'"* ]]
	[[ $stderr != *stopped* ]]
	batch --json --keep-going -- 'reg --memory hole' 'dereg nobody'
	[ "$status" -eq 1 ]
}

@test "--expect of a line is the answer that it should have" {
	batch --json -- 'reg --memory hole --expect EFAULT' 'reg --expect ok' \
		'reg --expect EFAULT --name x' reg
	[ "$status" -eq 1 ]
	json '[.lines[] | .as_expected, .status] == [true, 0, true, 0, false, 1]'
	json '.failures | length == 1 and (.[0] | .index == 3 and .errno == null and
		.message == "line 3: reg --expect EFAULT --name x: expected EFAULT, got ok")'
	[[ $stderr == *"line 1: "*"EFAULT (Bad address), as expected"* ]]
	[[ $stderr == *"line 3: reg --expect EFAULT --name x: expected EFAULT, got ok"* ]]
	batch -q -- 'reg --memory hole --expect EFAULT'
	succeeded
	[ -z "$output$stderr" ]
}

@test "text has a heading for each line, and values for scripts have none; what is left is named" {
	batch -- '# x' 'reg --name a' 'stat a'
	succeeded
	[ "${lines[0]}" = "line 2: reg --name a" ]
	[ "$(grep -c '^line ' <<<"$output")" -eq 2 ]
	[[ $output == *$'\n\nline 3: stat a\nid: '* ]]
	[[ $stderr == *"left registered, and deregistered now: 1 a"* ]]
	batch -n -o id,name,state -- 'reg --name a' 'stat a' 'dereg a'
	succeeded
	[ "$output" = $'1 a live\n1 a live\n1 a deregistered' ]
	batch -q -- 'reg --name a' 'stat a'
	[ -z "$output$stderr" ]
	batch -n -- 'reg --count 8'
	[[ $stderr == *"deregistered now: 1, 2, 3, 4, 5, 6, 7, 8" ]]
	batch -n -- 'reg --count 11'
	[[ $stderr == *"deregistered now: 1, 2, 3, 4, 5, 6, 7, 8, and 3 more" ]]
	usage_error "unknown column 'bogus'" -- mr -o bogus batch "$LINES_FILE"
}

@test "without a device there is a document that says so, and a full disk ends the batch" {
	exits 3 mrctl -j -d bogus_9 batch <<<reg
	json '.lines == [] and .regions == [] and .failures[0].errno == "ENODEV"'
	echo reg >"$LINES_FILE"
	exits 3 mrctl -d bogus_9 batch "$LINES_FILE"
	[[ $stderr != *"stopped after"* ]]
	succeeded "${MS[@]}" -d "$(device)" --json batch <<<$'reg --name a\nstat a'
	json '.environment.device == $device and .lines[1].regions[0].name == "a"' --arg device "$(device)"
	seq -f 'reg --name a%.0f' 100 >"$LINES_FILE"
	exits 1 bash -c '"$@" >/dev/full' bash "${MR[@]}" batch "$LINES_FILE"
	[[ $stderr == *"cannot write to standard output: write: ENOSPC ("* ]]
}

@test "a signal ends the batch after the current line, and the remaining regions are deregistered" {
	fifo=$BATS_TEST_TMPDIR/fifo
	HOLD_OUT=$BATS_TEST_TMPDIR/out HOLD_ERR=$BATS_TEST_TMPDIR/err
	mkfifo "$fifo"
	"${MR[@]}" -j batch "$fifo" >"$HOLD_OUT" 2>"$HOLD_ERR" 3>&- &
	HOLD_PID=$!
	exec 4>"$fifo"
	echo 'reg --name a' >&4
	await grep -q '"status"' "$HOLD_OUT"
	status=0
	release INT || status=$?
	exec 4>&-
	[ "$status" -eq 130 ]
	output=$(<"$HOLD_OUT") stderr=$(<"$HOLD_ERR")
	json '.lines[0].status == 0 and .failures[0].errno == "EINTR" and
		[.regions[] | .name, .state] == ["a", "deregistered"]'
	[[ $stderr == *"batch: interrupted"*"left registered, and deregistered now: 1 a"* ]]
}

# ---- limits ----

@test "--limit memlock limits the sum of the regions, even if the user may pin more" {
	batch --limit memlock=64K -- 'reg --size 32K' 'reg --size 64K --expect ENOMEM:MR-MEMLOCK' \
		'reg --size 32K'
	succeeded
	batch --limit memlock=64K,nofile=100 --limit as=unlimited -- 'reg --size 128K'
	[[ $stderr == *'RLIMIT_MEMLOCK is 64 KiB; set by --limit [certain, MR-MEMLOCK]'*'give --limit a higher memlock'* ]]
	[ "$status" -eq 1 ]
	[[ $stderr == *"ENOMEM"*"MR-MEMLOCK]"* ]]
}

@test "an unknown limit, or one without a value, is a usage error, and a limit above the hard limit reports that limit" {
	batch --limit memlok=64K -- reg
	usage_error "--limit: unknown limit 'memlok': did you mean 'memlock'?"
	batch --limit memlock -- reg
	usage_error "--limit: 'memlock' is not of the form LIMIT=VALUE"
	batch --limit memlock=many -- reg
	usage_error "--limit: invalid size 'many'"
	batch --limit nofile=4K -- reg
	usage_error "--limit: invalid number '4K'"
	require_nobody
	exits 1 as_nobody bash -c 'ulimit -n 256; exec "$@"' bash "${MR[@]}" batch --limit nofile=300 <<<reg
	[[ $stderr == *"cannot set the limit nofile: setrlimit: EPERM"*"the hard limit is 256;"* ]]
}
