#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# mrctl batch: how lines are read, what they answer, and the life of regions in one process.

load helpers

LINES_FILE=$BATS_TEST_TMPDIR/lines

# take_lines [OPTION...] -- LINE...: writes the lines to a file, and sets OPTIONS to the options
take_lines() {
	OPTIONS=()
	while [ "$1" != -- ]; do
		OPTIONS+=("$1")
		shift
	done
	shift
	printf '%s\n' "$@" >"$LINES_FILE"
}

# batch [OPTION...] -- LINE...: `run` a batch of these lines, from a file
batch() {
	take_lines "$@"
	run --separate-stderr mr batch "${OPTIONS[@]}" "$LINES_FILE"
}

# piped [OPTION...] -- LINE...: the same, with the lines out of a pipe
# shellcheck disable=SC2016 # for the other shell
piped() {
	take_lines "$@"
	run --separate-stderr bash -c 'cat "$0" | "$@"' "$LINES_FILE" "${MR[@]}" batch "${OPTIONS[@]}"
}

# require_mlx5: skips where the provider cannot change regions
require_mlx5() {
	on_mlx5 || skip "librxe cannot change regions"
}

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

# ---- regions in the process ----

# bats test_tags=kernel
@test "a region lives from line to line, and is registered by the library" {
	batch --json -- 'reg --name a --access local-write,remote-read' 'stat' 'dereg a' 'stat'
	succeeded
	json '.session == false and .failures == [] and .regions == []'
	json '.lines[0].regions[0] | .state == "live" and .via == "library" and .id == 1'
	json '.lines[1] | (.regions | length == 1) and .regions[0].state == "live" and
		.totals.regions == 1 and .totals.unlisted == 0 and .totals.blocks_removal == false'
	json '.lines[2].regions[0] | .state == "deregistered" and .dereg_elapsed_ns > 0'
	json '.lines[3].regions == []'
	json '[.lines[].regions[].lkey] | unique | length == 1'
}

# bats test_tags=kernel
@test "regions are found by id, name, key and handle" {
	local handle lkey rkey word

	coproc BATCH { "${MR[@]}" -n -o handle,lkey,rkey,name batch 2>/dev/null 3>&-; }
	pid=$BATCH_PID
	echo 'reg --name a --access remote-read' >&"${BATCH[1]}"
	read -r -t 20 handle lkey rkey word <&"${BATCH[0]}"
	for word in 1 a "mr:$handle" "lkey:$lkey" "rkey:$rkey"; do
		echo "stat $word" >&"${BATCH[1]}"
		read -r -t 20 word <&"${BATCH[0]}"
		[ "$word" = "$handle $lkey $rkey a" ]
	done
	echo "dereg mr:$handle" >&"${BATCH[1]}"
	eval "exec ${BATCH[1]}>&-"
	wait "$pid"
	batch --json -- 'reg --count 3 --name n' 'dereg n.2' 'dereg --all'
	succeeded
	json '[.lines[-1].regions[].name] == ["n.1", "n.3"]'
	batch -- 'reg --name a' 'reg --name a'
	[ "$status" -eq 1 ]
	[[ $stderr == *"the batch has a region named 'a' already"* ]]
}

# bats test_tags=kernel
@test "memory stays as long as a region lies on it, and no longer" {
	batch --json -- 'reg --name a --addr 0x10000000' 'reg --addr 0x10000000'
	[ "$status" -eq 1 ]
	[[ $stderr == *"line 2: reg --addr 0x10000000: "*EEXIST* ]]
	batch --json -- 'reg --name a --addr 0x10000000' 'dereg a' 'reg --addr 0x10000000'
	succeeded
	# all three share one mapping
	batch --json -- 'reg --name n --count 3 --addr 0x10000000' 'dereg n.1 n.3' 'reg --addr 0x10000000'
	[ "$status" -eq 1 ]
	json '[.lines[].status] == [0, 0, 1]'
	batch --json -- 'reg --name n --count 3 --addr 0x10000000' 'dereg n.1 n.3 n.2' 'reg --addr 0x10000000'
	succeeded
	require_mlx5
	batch --json -- 'reg --name a --addr 0x10000000' 'rereg a --size 4K --memory memfd' \
		'reg --addr 0x10000000' 'dereg a'
	succeeded
	# a refused change leaves the old memory, and unmaps the new one
	batch --json -- 'reg --name a --addr 0x10000000' \
		'rereg a --memory hole --size 8K --addr 0x20000000 --expect EFAULT' \
		'reg --addr 0x20000000' 'reg --addr 0x10000000'
	[ "$status" -eq 1 ]
	json '[.lines[].status] == [0, 0, 0, 1]'
}

# bats test_tags=kernel
@test "locked memory of all lines counts together" {
	require_nobody
	printf '%s\n' 'reg --size 16K' 'reg --size 16K --name b' 'reg --size 16K' 'reg --size 16K' \
		'reg --size 16K --expect ENOMEM' 'dereg b' 'reg --size 16K' 'reg --expect ENOMEM' \
		>"$LINES_FILE"
	chmod a+rx "$BATS_TEST_TMPDIR" && chmod a+r "$LINES_FILE"
	run --separate-stderr mr_as_nobody 64 --json batch - <"$LINES_FILE"
	succeeded
	json '.lines[4].failures[0] | .call == "ibv_reg_mr" and .errno == "ENOMEM"'
	json '.regions | length == 4'
}

# bats test_tags=kernel
@test "protection domains belong to the batch" {
	batch --json -- 'reg --name a --pd new' 'dereg pd:new --expect EBUSY' 'dereg a' 'dereg pd:new' \
		'reg --name b --pd new' 'stat b'
	succeeded
	json '.lines[1].failures[0] | .errno == "EBUSY"'
	json '.lines[5].regions[0].pd == "new"'
	batch -- 'dereg pd:new'
	[ "$status" -eq 3 ]
	[[ $stderr == *"the batch has no protection domain 'new'"* ]]
}

# bats test_tags=kernel
@test "--via kernel serves in a batch too, for all of a region's life" {
	batch --json -- 'reg --name a --via kernel' 'stat a' 'dereg a'
	succeeded
	json '[.lines[].regions[0] | .via] | unique == ["kernel"]'
	require_mlx5
	batch --json -- 'reg --name a --via kernel' 'rereg a --size 8K' 'rereg a --size 4K --via library --expect EINVAL' \
		'dereg a' 'reg-iova --name b --iova 0x100000' 'rereg b --memory memfd --iova 0x200000' \
		'stat b' 'rereg b --access none --via library' 'dereg b'
	succeeded
	json '.lines[1].regions[0].via == "kernel" and .lines[5].regions[0].via == "kernel"'
	json '.lines[2].failures[0] | .rereg_code == "IBV_REREG_MR_ERR_INPUT"'
	json '.lines[6].regions[0].iova == "0x200000" and .lines[7].regions[0].via == "library"'
}

@test "umems live in a batch whether or not libmlx5 reveals their handles" {
	on_mlx5 || skip "umems are mlx5's"
	batch --json -- 'umem --name u' 'umem --name v --page-sizes 4K' 'stat u v' 'stat' 'dereg u' 'umem --name w'
	succeeded
	json '[.lines[:2][].regions[].via] | unique == ["library"]'
	json '[.lines[2].regions[].state] == ["live", "live"]'
	json '.lines[3] | [.regions[].state] == ["live", "live"] and .totals.unlisted == 0'
	json '[.regions[].name] == ["v", "w"] or [.regions[].name] == ["w", "v"]'
	batch -- 'umem --name u' 'rereg u --size 8K'
	[ "$status" -eq 1 ]
	[[ $stderr == *"region 1 is a umem, and only memory regions can be changed"* ]]
}

@test "an on-demand region is live in a batch, without a warning" {
	batch -- 'reg --name a --access local-write,on-demand'
	[[ $stderr != *"inert"* ]]
}

@test "what cannot be deregistered at the end is a failure" {
	on_simulator || skip "needs the simulator's faults"
	printf 'reg --name a\nreg --name b\n' >"$LINES_FILE"
	run --separate-stderr faulty dereg_mr@1=EBUSY --json batch "$LINES_FILE"
	[ "$status" -eq 1 ]
	json '[.regions[].name] == ["b"] and (.failures | length == 1 and (.[0] | .errno == "EBUSY" and
		.region == 1 and .index == null and .call == "ibv_dereg_mr"))'
	[[ $stderr == *"region 1 was left registered: ibv_dereg_mr: EBUSY ("* ]]
}

@test "a batch of many lines is executed to its end" {
	local n

	for ((n = 1; n <= 700; n++)); do
		echo "reg --name a$n --size 64 --access local-write,on-demand"
		((n % 2)) || echo "dereg a$((n / 2))"
	done >"$LINES_FILE"
	on_mlx5 || sed -i 's/,on-demand//' "$LINES_FILE"
	run --separate-stderr mr --json batch "$LINES_FILE"
	succeeded
	json '(.lines | length == 1050) and (.regions | length == 350) and
		([.lines[].status, 0] | unique == [0])'
}

# bats test_tags=kernel
@test "a line that is repeated has the same answer, whatever came in between" {
	local given=('reg --name a --size 8K' '  mrctl reg --name "b"  # b' 'stat a b' 'dereg a b'
		'reg --name a --size 8K' 'reg --name a --size 8K' 'dereg a' 'reg --name a --size 8K'
		'stat a' 'dereg a' $'dereg a \r' 'dereg a' '  mrctl reg --name "b"  # b' 'stat a' 'stat b')
	local how expected='[.lines[] | [.line, .status, (.regions | map("\(.name) \(.length)") | join(" "))]] ==
		[[1, 0, "a 8192"], [2, 0, "b 4096"], [3, 0, "a 8192 b 4096"],
		 [4, 0, "a 8192 b 4096"], [5, 0, "a 8192"], [6, 1, ""], [7, 0, "a 8192"],
		 [8, 0, "a 8192"], [9, 0, "a 8192"], [10, 0, "a 8192"], [11, 3, ""],
		 [12, 3, ""], [13, 0, "b 4096"], [14, 3, ""], [15, 0, "b 4096"]]'

	for how in batch piped; do
		"$how" --json --keep-going -- "${given[@]}"
		[ "$status" -eq 1 ]
		json "$expected"
		json '[.lines[1, 10, 12].text] == ["mrctl reg --name \"b\"  # b", "dereg a",
			"mrctl reg --name \"b\"  # b"]'
		[[ $stderr == *"line 6: reg --name a --size 8K: the batch has a region named 'a' already"* ]]
	done
}

# ---- ibv_rereg_mr(3) ----

# bats test_tags=kernel
@test "a region is changed by the object that registered it" {
	require_mlx5
	batch --json -- 'reg --name a --size 64K' 'rereg a --size 1M --memory memfd' \
		'rereg a --access local-write,remote-read --pd new' 'stat a' 'dereg a' 'dereg pd:new'
	succeeded
	json '[.lines[1:3][].regions[0] | .via] == ["library", "library"]'
	json '.lines[1] | .before[0].length == 65536 and .before[0].state == "replaced" and
		(.regions[0] | .state == "live" and .length == 1048576 and .memory == "memfd" and .addr == .iova)'
	json '.lines[3].regions[0] | .state == "live" and .length == 1048576 and .pd == "new" and
		.access == ["local-write", "remote-read"]'
	json '.lines[3].regions[0].lkey == .lines[2].regions[0].lkey'
}

# bats test_tags=kernel
@test "IBV_REREG_MR_ERR_INPUT: what libibverbs itself refuses, and the region is as before" {
	local line

	require_mlx5
	batch -- 'reg --name a' 'rereg a --flags translation'
	[[ $stderr == *"asked for 4096 bytes at 0x0 and no memory, with the I/O virtual address 0x0"* ]] ||
		fail "$stderr"
	for line in '--flags 8' '--flags translation,0x10 --size 8K' '--flags translation' '--memory none' \
		'--size 0' '--flags pd --access remote-read' '--flags none --access local-write' \
		'--flags translation --size 8K --access remote-read'; do
		batch --json -- 'reg --name a' "rereg a $line" 'stat a' 'dereg a'
		[ "$status" -eq 1 ]
		run --separate-stderr mr --json batch --keep-going "$LINES_FILE"
		json '.lines[1].failures[0] | .call == "ibv_rereg_mr" and .errno == "EINVAL" and
			.rereg_code == "IBV_REREG_MR_ERR_INPUT" and .old_region == "valid" and .via == "library"'
		json '.lines[2].regions[0].state == "live" and .lines[3].status == 0'
		json '.lines[2].regions[0] == (.lines[0].regions[0] | .index = null)'
		json '.failures[0].rereg_code == "IBV_REREG_MR_ERR_INPUT"'
	done
}

@test "IBV_REREG_MR_ERR_INPUT: a region that is not a plain one" {
	require_mlx5
	on_simulator || skip "needs a dma-buf"
	batch --json -- 'reg-dmabuf --from udmabuf --name d' 'rereg d --access none --expect EINVAL' 'stat d'
	succeeded
	json '.lines[1].failures[0] | .rereg_code == "IBV_REREG_MR_ERR_INPUT" and .old_region == "valid"'
	json '.lines[2].regions[0].state == "live"'
}

# bats test_tags=kernel
@test "IBV_REREG_MR_ERR_CMD: the region is broken until it is deregistered" {
	require_mlx5
	batch --json -- 'reg --name a' 'rereg a --memory unmapped --expect EFAULT' 'stat a' 'dereg a' 'stat'
	succeeded
	json '.lines[1].failures[0] | .rereg_code == "IBV_REREG_MR_ERR_CMD" and .old_region == "unusable" and
		.errno == "EFAULT"'
	json '.lines[2].regions[0].state == "broken" and .lines[3].regions[0].state == "deregistered"'
	json '.lines[4].regions == []'
	batch --json -- 'reg --name a' 'rereg a --flags none --expect EINVAL' 'stat a'
	succeeded
	json '.lines[1].failures[0].rereg_code == "IBV_REREG_MR_ERR_CMD"'
	# the broken region is deregistered at the end
	json '.regions[0] | .name == "a" and .state == "deregistered"'
}

# bats test_tags=kernel
@test "IBV_REREG_MR_ERR_CMD: a broken region is sound again when all that was refused has changed" {
	require_mlx5
	batch --json -- 'reg --name a' 'rereg a --memory unmapped --access remote-read --expect EFAULT' \
		'rereg a --access none' 'rereg a --via kernel --memory unmapped --expect EFAULT' 'stat a' \
		'rereg a --size 8K' 'stat a'
	succeeded
	json '.lines[1].failures[0] | .rereg_code == "IBV_REREG_MR_ERR_CMD" and .old_region == "unusable"'
	# a key that was withdrawn comes back only with new memory
	json '.lines[2].regions[0].state == "broken" and .lines[4].regions[0].state == "broken"'
	json '.lines[5].regions[0].state == "live" and .lines[6].regions[0].state == "live"'
}

# bats test_tags=kernel
@test "a provider that changes no regions leaves them as they are, and is not taken for the kernel" {
	! on_mlx5 || skip "libmlx5 changes regions"
	batch --json -- 'reg --name a' 'rereg a --access none --expect EOPNOTSUPP' 'stat a' \
		'rereg a --flags translation --expect EINVAL'
	succeeded
	json '.lines[1].failures[0] | .call == "ibv_rereg_mr" and .rereg_code == "IBV_REREG_MR_ERR_CMD" and
		.old_region == "valid"'
	json '.lines[2].regions[0].state == "live"'
	# shellcheck disable=SC2154 # of run
	[[ $stderr != *"kernel refused"* && $stderr == *"the region is as before"* ]] || fail "$stderr"
	[[ $stderr == *"the kernel was not asked: the provider changes no regions"*"--via kernel"* ||
		$(uname -r) == 6.1.* ]] || fail "$stderr"
}

@test "a driver that changes no regions leaves them as they are" {
	! on_mlx5 && on_simulator || skip "rxe of Linux 6.1 does not"
	printf '%s\n' 'reg --name a' 'rereg a --access none' 'rereg a --access none --via kernel' 'stat a' >"$LINES_FILE"
	run --separate-stderr mrctl sim --profile rxe --kernel 6.1 -- mrctl --json batch --keep-going "$LINES_FILE"
	json '.lines[1].failures[0].old_region == "valid" and .lines[2].failures[0].old_region == "valid"'
	json '.lines[3].regions[0].state == "live"'
	[[ $stderr == *"this provider or this kernel's driver changes no regions at all"*"this kernel's driver changes no regions at all"* ]] ||
		fail "$stderr"
	[[ $stderr != *"--via kernel asks"* ]]
}

@test "the path of a refusal is that of the call which was refused" {
	on_simulator || skip "needs faults"
	take_lines -- 'reg --relaxed --name r' 'dereg r' 'dereg --flush' 'reg --relaxed --via kernel --name k' 'dereg k' \
		'dereg --flush' 'rereg mr:1000 --access none --via library'
	run --separate-stderr faulty dereg_mr=EBUSY batch --json --keep-going "$LINES_FILE"
	json '[.. | .failures? // [] | .[]] | map(select(.errno == "EBUSY" and .via != null)) | length > 0 and
		all(if .call | startswith("ioctl(") then .via == "kernel" else .via == "library" end)'
	json '.lines[2].failures[0] | .call == "ibv_dereg_mr" and .via == "library"'
	json '.lines[6].failures[0] | .call == "ioctl(QUERY_MR)" and .via == "kernel"'
}

# bats test_tags=kernel
@test "peers reach the memory through the key of the last change, and through no older one" {
	local file=/dev/shm/mrctl-batch.$$ key addr old_key old_addr pid

	command -v hca-probe >/dev/null && [ "$(device)" = mlx5_0 ] ||
		skip "needs the software HCA of tests/kernel, whose memory accesses can be asked for"
	printf 'abcd%4092s' '' >"$file.1"
	printf 'wxyz%8188s' '' >"$file.2"
	coproc BATCH { "${MR[@]}" -n -o rkey,iova batch --keep-going 2>/dev/null 3>&-; }
	pid=$BATCH_PID
	echo "reg --name a --memory file:$file.1 --access local-write,remote-read" >&"${BATCH[1]}"
	read -r -t 60 old_key old_addr <&"${BATCH[0]}"
	[ "$(hca-probe "$old_key" "$old_addr")" = 0x64636261 ]
	echo "rereg a --memory file:$file.2 --size 8K" >&"${BATCH[1]}"
	read -r -t 60 key addr <&"${BATCH[0]}"
	[ "$(hca-probe "$key" "$addr")" = 0x7a797877 ]
	[ "$old_key $old_addr" = "$key $addr" ] || run ! hca-probe "$old_key" "$old_addr"
	# libibverbs itself refuses: the region is as before
	echo 'rereg a --flags 8' >&"${BATCH[1]}"
	echo 'stat a' >&"${BATCH[1]}"
	read -r -t 60 old_key old_addr <&"${BATCH[0]}"
	[ "$old_key $old_addr" = "$key $addr" ]
	[ "$(hca-probe "$key" "$addr")" = 0x7a797877 ]
	echo 'rereg a --access none' >&"${BATCH[1]}"
	read -r -t 60 key addr <&"${BATCH[0]}"
	run ! hca-probe "$key" "$addr"
	eval "exec ${BATCH[1]}>&-"
	wait "$pid" || [ $? -eq 1 ]
	run ! hca-probe "$key" "$addr"
	rm -f "$file.1" "$file.2"
}

# ---- in a session ----

# bats test_tags=kernel
@test "in a session a batch works on its regions, and leaves them there" {
	session_begin
	ms reg --name old --quiet
	printf '%s\n' 'stat old' 'reg --name a' 'reg --name b --pd new' 'dereg old' >"$LINES_FILE"
	run --separate-stderr ms --json batch "$LINES_FILE"
	succeeded
	json '.session == true and .regions == [] and .failures == [] and [.lines[].status] == [0, 0, 0, 0]'
	[ "$(states)" = $'2 live\n3 live' ] || [ "$(states)" = $'3 live\n2 live' ]
	printf '%s\n' 'reg --pd new --name c' 'dereg b c' 'dereg pd:new' 'dereg pd:new' >"$LINES_FILE"
	run --separate-stderr ms --json batch "$LINES_FILE"
	[ "$status" -eq 3 ]
	json '[.lines[].status] == [0, 0, 0, 3]'
	[[ $stderr == *"line 4: dereg pd:new: the session has no protection domain 'new'"* ]]
	make_empty
	# the same as the commands without a batch
	run --separate-stderr ms -d x batch "$LINES_FILE"
	usage_error "no --device"
	on_mlx5 || return 0
	printf '%s\n' 'reg --name a' 'rereg a --size 8K' 'rereg a --size 8K --via library --expect EINVAL' \
		'dereg a' >"$LINES_FILE"
	run --separate-stderr ms --json batch "$LINES_FILE"
	succeeded
	json '.lines[1].regions[0].via == "kernel"'
}

@test "a PD that another process has made anew in a session is another" {
	session_begin
	coproc BATCH { "${MS[@]}" -n -o name,pd batch 2>/dev/null 3>&-; }
	pid=$BATCH_PID
	echo 'reg --name a --pd new' >&"${BATCH[1]}"
	read -r -t 20 line <&"${BATCH[0]}"
	[ "$line" = "a new" ]
	ms dereg a pd:new --quiet
	ms reg --name x --pd other --quiet
	ms reg --name y --pd new --quiet
	echo 'reg --name b --pd new' >&"${BATCH[1]}"
	read -r -t 20 line <&"${BATCH[0]}"
	[ "$line" = "b new" ]
	eval "exec ${BATCH[1]}>&-"
	wait "$pid"
	ms dereg x y --quiet
	run --separate-stderr ms dereg pd:new
	[ "$status" -eq 1 ]
	ms dereg pd:other b pd:new --quiet
}
