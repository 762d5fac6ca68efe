# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# For the tests of mrctl batch: batches of lines.

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
piped() {
	take_lines "$@"
	run --separate-stderr bash -c 'cat "$0" | "$@"' "$LINES_FILE" "${MR[@]}" batch "${OPTIONS[@]}"
}

# talk COMMAND...: starts a batch that answers line by line, with COMMAND (mrctl and its options)
talk() {
	coproc BATCH { "$@" batch --keep-going 2>/dev/null 3>&-; }
	TALK_PID=$BATCH_PID
}

# say LINE: gives the batch a line
say() {
	echo "$1" >&"${BATCH[1]}"
}

# hear NAME...: reads a line of its answers
hear() {
	read -r -t 60 "$@" <&"${BATCH[0]}"
}

# hang_up: ends the batch, and returns its exit status
hang_up() {
	eval "exec ${BATCH[1]}>&-"
	wait "$TALK_PID"
}
