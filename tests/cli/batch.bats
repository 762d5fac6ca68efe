#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# mrctl batch: how lines are read, and what they answer.

load helpers
load batch

# ---- lines ----

@test "the byte order mark and CRs of a file from Windows are ignored" {
	printf '\xef\xbb\xbfreg --name a\r\nstat a\r\n' >"$BATS_TEST_TMPDIR/windows"
	run --separate-stderr mr batch "$BATS_TEST_TMPDIR/windows" -j
	succeeded
	json '[.lines[].text] == ["reg --name a", "stat a"]'
	run --separate-stderr mr batch -j <"$BATS_TEST_TMPDIR/windows"
	succeeded
	run --separate-stderr bash -c '"$@" batch -j <<<$'"'\\xef\\xbb\\xbfreg'" bash "${MR[@]}"
	succeeded
	json '.lines[0].text == "reg"'
	run --separate-stderr mr batch - <<<$'reg\n\xef\xbb\xbfreg'
	[ "$status" -eq 2 ]
}

@test "a line is the words behind mrctl, and comments, blanks and CRs are ignored" {
	batch --json -- '# a comment' '' '  reg   --name  a  ' $'\tmrctl reg --name b # more' \
		$'stat a b\r' "reg --name 'c'" 'reg --na"me" \d'
	succeeded
	json '[.lines[] | .line, .command, .status] ==
		[3, "reg", 0, 4, "reg", 0, 5, "stat", 0, 6, "reg", 0, 7, "reg", 0]'
	json '[.lines[].text] == ["reg   --name  a", "mrctl reg --name b # more", "stat a b",
		"reg --name '"'c'"'", "reg --na\"me\" \\d"]'
	json '[.regions[].name] == ["a", "b", "c", "d"]'
}

@test "quotes keep words together" {
	batch --json -- "reg --memory 'file:$BATS_TEST_TMPDIR/a b' --size 4K"
	[ "$status" -eq 1 ]
	[[ $stderr == *"of memory file:$BATS_TEST_TMPDIR/a b, "* ]]
	printf '%4096s' '' >"$BATS_TEST_TMPDIR/a b"
	batch --json -- "reg --access none --memory 'file:$BATS_TEST_TMPDIR/a b'" \
		"reg --access none --memory \"file:$BATS_TEST_TMPDIR/a b\"" \
		"reg --access none --memory file:$BATS_TEST_TMPDIR/a\\ b"
	succeeded
	json '[.lines[].regions[0].memory] | unique | length == 1'
}

@test "a wrong line is named, and no line is executed before that" {
	batch -- reg 'reg --siz 4K'
	usage_error "batch: line 2: reg --siz 4K: unknown option '--siz' (there is --size"
	batch --json --keep-going -- reg '' "reg --name 'a"
	usage_error "batch: line 3: reg --name 'a: the quote ' has no end"
	batch -- "reg --name a\\"
	usage_error "line 1: reg --name a\\: there is nothing behind the backslash"
	batch -- 'bogus'
	usage_error "line 1: bogus: unknown command 'bogus'"
	batch -- mrctl
	usage_error "line 1: mrctl: no command given"
	batch -- 'rereg a'
	usage_error "line 1: rereg a: say what to change"
	batch -- 'reg --count 0'
	usage_error "line 1: reg --count 0: --count: give at least 1"
	batch -- reg 'reg --advise-size 4K'
	usage_error "line 2: reg --advise-size 4K: --advise-size needs --advise"
	batch -- reg 'reg --call bogus'
	usage_error "line 2: reg --call bogus: --call: 'bogus' does not do this"
	batch -- reg 'reg --memory dm --call ibv_reg_mr'
	usage_error "--call: 'ibv_reg_mr' does not do this"
	batch -- reg 'reg-dmabuf --from fd:0 --buffer 4K'
	usage_error "--buffer: the dma-buf of --from fd:0 is made already"
	batch -- reg 'umem --dmabuf fd:0 --buffer 4K'
	usage_error "--buffer: the dma-buf of --dmabuf fd:0 is made already"
	batch -- reg 'reg --hold --keep-going'
	usage_error "line 2: reg --hold --keep-going: --keep-going needs --count"
	batch -- reg 'reg --size 4K --size 8K'
	usage_error "--size: given twice, '4K' and '8K'"
	batch -- reg 'reg --iova 0'
	usage_error "unknown option '--iova'" "reg-iova, reg-dmabuf, rereg have it"
	batch -- 'reg --via bogus'
	usage_error "unknown path 'bogus'"
	batch -- 'reg-iova'
	usage_error "--iova is required"
	batch -- 'reg-dmabuf'
	usage_error "--from is required"
	batch -- 'umem --try-page-sizes --name a'
	usage_error "--try-page-sizes excludes --name"
	batch -- dereg
	usage_error "name the regions"
	batch -- 'stat pd:default'
	usage_error "stat shows regions"
	batch -- "reg --name $(printf '%0300d' 0)"
	usage_error "line 1: reg --name 000"
	[[ $stderr == *"00...: --name"* ]]
	batch -- $'reg --name \e[1m'
	usage_error 'line 1: reg --name \x1b[1m: '
	printf 'reg\n%070000d\n' 0 >"$LINES_FILE"
	run --separate-stderr mr batch "$LINES_FILE"
	usage_error "line 2: longer than 65535 bytes"
	printf 'reg\nreg --name \0\n' >"$LINES_FILE"
	run --separate-stderr mr batch "$LINES_FILE"
	usage_error "line 2: a NUL byte"
}

@test "a line comes out of a pipe in any pieces, up to the longest one that is allowed" {
	local longest

	longest="reg --name c # $(printf '%065520d' 0)"
	[ ${#longest} -eq 65535 ]
	printf 'reg --name b # %060000d\n%s\r\nreg --na' 0 "${longest%0}" >"$LINES_FILE.1"
	printf 'me d\n%s\nreg --name e' "${longest/c/f}" >"$LINES_FILE.2"
	# shellcheck disable=SC2016 # for the other shell
	run --separate-stderr bash -c '{ printf "re"; sleep 0.1; printf "g --name a\n"; cat "$0.1"
		sleep 0.1; cat "$0.2"; } | "$@"' "$LINES_FILE" "${MR[@]}" --json batch
	succeeded
	json '[.lines[] | .line, .regions[0].name] == [1, "a", 2, "b", 3, "c", 4, "d", 5, "f", 6, "e"]'
	json '.lines[4].text | length == 65535'
	json '.lines[5].text == "reg --name e"'
	piped -- reg "${longest}0"
	[ "$status" -eq 2 ]
	[[ $stderr == *"line 2: longer than 65535 bytes"* ]]
	batch --json -- "$longest" "${longest/c/b}"
	succeeded
	json '[.lines[].text | length] == [65535, 65535]'
}

@test "a blank at the end belongs to the line where a backslash stands before it" {
	batch --json -- "reg --access none --memory file:$BATS_TEST_TMPDIR/end\\ "
	succeeded
	[ -e "$BATS_TEST_TMPDIR/end " ]
	json '.lines[0].regions[0].memory | endswith("/end ")'
}

@test "a usage error that is found only when a line runs is reported once" {
	batch --json -- 'reg --name a' 'umem --import zz'
	[ "$status" -eq 2 ]
	json '.lines[1] | .status == 2 and (.failures[0].message | startswith("--import: "))'
	json '[.regions[].name] == ["a"]'
	[ "$(grep -c 'give what --export printed' <<<"$stderr")" -eq 1 ]
	[[ $stderr != *Try* ]]
}

@test "commands and options that make no sense in a line of a batch are usage errors" {
	local line

	for line in 'session -- true' 'sim true' 'batch x'; do
		batch -- "$line"
		usage_error "line 1: $line: mrctl ${line%% *} makes no sense in a batch"
	done
	for line in --json --no-headings --quiet --verbose --help --version --dump-cli; do
		batch -- "reg $line"
		usage_error "line 1: reg $line: $line is not for a line: give it to mrctl batch itself"
		batch -- "$line reg"
		usage_error "a line begins with a command: '$line' belongs to mrctl batch itself"
	done
	for line in '--device x' '--output rkey' '--session fd:3'; do
		batch -- "reg $line"
		usage_error "${line%% *} is not for a line"
	done
	batch -- 'reg --hold'
	usage_error "--hold makes no sense in a batch"
	batch -- 'umem --hold-for 1'
	usage_error "--hold-for makes no sense in a batch"
	run --separate-stderr mr batch a b
	usage_error "one FILE, not also 'b'"
}

@test "a FILE that cannot be read is named" {
	run --separate-stderr mr batch "$BATS_TEST_TMPDIR/none"
	[ "$status" -eq 1 ]
	[[ $stderr == *"cannot read '$BATS_TEST_TMPDIR/none': open: ENOENT ("* ]]
	run --separate-stderr mr batch "$BATS_TEST_TMPDIR"
	[ "$status" -eq 1 ]
	[[ $stderr == *"read: EISDIR ("* ]]
}

@test "a batch without lines is an empty answer" {
	batch --json -- '# nothing'
	succeeded
	json '.command == "batch" and .lines == [] and .regions == [] and .failures == []'
	[ -z "$stderr" ]
	run --separate-stderr mr batch </dev/null
	succeeded
	[ -z "$output$stderr" ]
}

@test "standard input is read, also as -, and checked first where it is a file" {
	printf 'reg --name a\nbogus\n' >"$LINES_FILE"
	run --separate-stderr mr --json batch - <"$LINES_FILE"
	usage_error "line 2: bogus"
	piped --json -- 'reg --name a' bogus reg
	[ "$status" -eq 2 ]
	json '[.lines[] | .line, .command, .status] == [1, "reg", 0, 2, null, 2]'
	json '.lines[1] | .regions == [] and .failures[0].message == "unknown command '"'bogus'"'"'
	json '(.lines[0] | keys) == (.lines[1] | keys)'
	json '.failures | length == 1 and .[0].index == 2 and
		.[0].message == "line 2: bogus: unknown command '"'bogus'"'"'
	json '[.regions[] | .name, .state] == ["a", "deregistered"]'
	piped --json -- 'reg --name a' bogus reg
	run --separate-stderr bash -c 'printf "bogus\nreg\n" | "$@"' bash "${MR[@]}" -j batch --keep-going
	[ "$status" -eq 2 ]
	json '[.lines[].status] == [2, 0]'
}

@test "lines of a pipe are answered as they come" {
	coproc BATCH { "${MR[@]}" -n -o name,length batch 2>/dev/null 3>&-; }
	pid=$BATCH_PID
	echo 'reg --name a' >&"${BATCH[1]}"
	read -r -t 20 line <&"${BATCH[0]}"
	[ "$line" = "a 4096" ]
	echo 'reg --name b --size 8K' >&"${BATCH[1]}"
	read -r -t 20 line <&"${BATCH[0]}"
	[ "$line" = "b 8192" ]
	eval "exec ${BATCH[1]}>&-"
	wait "$pid"
}

# ---- answers ----

# bats test_tags=kernel
@test "the first line with an unexpected answer ends the batch" {
	batch --json -- 'reg --name a' 'reg --memory hole --name b' 'reg --name c'
	[ "$status" -eq 1 ]
	json '[.lines[] | .line, .status] == [1, 0, 2, 1]'
	json '.failures | length == 1 and (.[0] | .index == 2 and .call == "ibv_reg_mr" and
		.errno == "EFAULT" and .via == "library")'
	json '.failures[0].message | startswith("line 2: reg --memory hole --name b: ibv_reg_mr: EFAULT (")'
	json '.lines[1].failures[0].message | startswith("ibv_reg_mr: EFAULT (")'
	[[ $stderr == "mrctl: batch: line 2: reg --memory hole --name b: ibv_reg_mr: EFAULT ("* ]]
	[[ $stderr == *"mrctl: batch: stopped after line 2 (--keep-going goes on)"* ]]
	json '[.regions[].name] == ["a"]'
}

# bats test_tags=kernel
@test "--keep-going goes on, and the first failure decides the exit status" {
	printf '%s\n' 'dereg nobody' 'reg --memory hole' 'reg --name c' >"$LINES_FILE"
	run --separate-stderr mr --json batch --keep-going "$LINES_FILE"
	[ "$status" -eq 3 ]
	json '[.lines[].status] == [3, 1, 0] and [.failures[].index] == [1, 2]'
	[[ $stderr == *"line 1: dereg nobody: the batch has no region 'nobody'"* ]]
	[[ $stderr != *stopped* ]]
	printf '%s\n' 'reg --memory hole' 'dereg nobody' >"$LINES_FILE"
	run --separate-stderr mr --json batch --keep-going "$LINES_FILE"
	[ "$status" -eq 1 ]
}

# bats test_tags=kernel
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

@test "text has a heading for each line, and values for scripts have none" {
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
	run --separate-stderr mr -o bogus batch "$LINES_FILE"
	usage_error "unknown column 'bogus'"
}

@test "failures of a line count regions as the command alone does" {
	batch --json -- 'reg --memory hole --count 2 --keep-going'
	[ "$status" -eq 1 ]
	json '.lines[0] | (.regions | length == 1) and .failures[0].index == 2'
	[[ $stderr == *"line 1: reg --memory hole --count 2 --keep-going: region 2 of 2: ibv_reg_mr: EFAULT"* ]]
}

@test "without a device there is a document that says so" {
	run --separate-stderr mrctl -j -d bogus_9 batch <<<reg
	[ "$status" -eq 3 ]
	json '.lines == [] and .regions == [] and .failures[0].errno == "ENODEV"'
}

@test "a full disk ends the batch" {
	seq -f 'reg --name a%.0f' 100 >"$LINES_FILE"
	run --separate-stderr bash -c '"$@" >/dev/full' bash "${MR[@]}" batch "$LINES_FILE"
	[ "$status" -eq 1 ]
	[[ $stderr == *"cannot print on standard output: write: ENOSPC ("* ]]
}

# bats test_tags=kernel
@test "a signal ends the batch after the current line, and the remaining regions are deregistered" {
	local fifo=$BATS_TEST_TMPDIR/fifo

	HOLD_OUT=$BATS_TEST_TMPDIR/out HOLD_ERR=$BATS_TEST_TMPDIR/err
	mkfifo "$fifo"
	"${MR[@]}" -j batch "$fifo" >"$HOLD_OUT" 2>"$HOLD_ERR" 3>&- &
	HOLD_PID=$!
	exec 4>"$fifo"
	echo 'reg --name a' >&4
	until grep -q '"status"' "$HOLD_OUT"; do
		sleep 0.02
	done
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

# bats test_tags=kernel
@test "--limit memlock counts for the sum of the regions, also where the user may pin beyond it" {
	batch --limit memlock=64K -- 'reg --size 32K' 'reg --size 64K --expect ENOMEM:MR-MEMLOCK' \
		'reg --size 32K'
	succeeded
	batch --limit memlock=64K,nofile=100 --limit as=unlimited -- 'reg --size 128K'
	[[ $stderr == *'RLIMIT_MEMLOCK is 64 KiB; set by --limit [certain, MR-MEMLOCK]'*'give --limit a higher memlock'* ]]
	[ "$status" -eq 1 ]
	[[ $stderr == *"ENOMEM"*"MR-MEMLOCK]"* ]]
}

@test "a limit that nobody knows, or no value, is a usage error, and one beyond the hard limit says what it is" {
	batch --limit memlok=64K -- reg
	usage_error "--limit: unknown limit 'memlok': did you mean 'memlock'?"
	batch --limit memlock -- reg
	usage_error "--limit: 'memlock' is not of the form LIMIT=VALUE"
	batch --limit memlock=many -- reg
	usage_error "--limit: invalid size 'many'"
	batch --limit nofile=4K -- reg
	usage_error "--limit: invalid number '4K'"
	require_nobody
	# shellcheck disable=SC2016 # for the other shell
	run --separate-stderr as_nobody bash -c 'ulimit -n 256; exec "$@"' bash "${MR[@]}" batch --limit nofile=300 <<<reg
	[ "$status" -eq 1 ]
	[[ $stderr == *"cannot set the limit nofile: setrlimit: EPERM"*"the hard limit is 256;"* ]]
}
