# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash
# For tests with tables of requests, after helpers: load rows.  The rows are on standard input, with words that have
# no blanks.

# each_row FUNCTION COMMAND...: calls FUNCTION ROW COMMAND... for each row, and names the row that fails
each_row() {
	local rows row

	mapfile -t rows
	[ ${#rows[@]} -gt 0 ] || fail "no rows" || return
	for row in "${rows[@]}"; do
		"$1" "$row" "${@:2}" || fail "in the row: $row" || return
	done
}

answer_of_row() {
	local words

	read -ra words <<<"$1"
	run --separate-stderr "${@:2}" "${words[@]:2}"
	if [ "${words[0]}" = ok ]; then
		succeeded
	else
		refused "${words[0]}" "${words[1]}"
	fi
}

# answers COMMAND...: rows "ANSWER CALL WORD..."; COMMAND WORD... succeeds where ANSWER is ok, and else it is refused
# by CALL with that errno
answers() {
	each_row answer_of_row "$@"
}

# usage_errors WORD...: rows "[ERRNO] WORD... | TEXT"; the command of all these words is a usage error with that errno
# (EINVAL) and a message that has TEXT.  One batch asks for all of them, which says the errno.
usage_errors() {
	local rows answers row text errno i

	mapfile -t rows
	for row in "${rows[@]}"; do
		[[ ! $row =~ ^E[A-Z]+\  ]] || row=${row#* }
		echo "$* ${row%%|*}"
	done >"$BATS_TEST_TMPDIR/usage"
	run --separate-stderr mr --json batch --keep-going < <(cat "$BATS_TEST_TMPDIR/usage")
	mapfile -t answers < <(jq -r '.lines[] | "\(.status) \(.failures[0] | "\(.errno) \(.message)")"' <<<"$output")
	[ ${#answers[@]} -eq ${#rows[@]} ] && [ ${#rows[@]} -gt 0 ] || fail "not one answer for each row" "$output" || return
	for i in "${!rows[@]}"; do
		row=${rows[i]} errno=EINVAL text=${rows[i]#*| }
		[[ ! $row =~ ^(E[A-Z]+)\  ]] || errno=${BASH_REMATCH[1]}
		[[ ${answers[i]} == "2 $errno "*"$text"* ]] || fail "not the answer of the row: $row" "${answers[i]}" || return
	done
}

value_of_row() {
	local words

	read -ra words <<<"${1%%|*}"
	run --separate-stderr "${@:2}" "${words[@]}"
	succeeded || return
	[ "$(tr -s ' \n' ' ' <<<"$output")" = "${1#*| } " ] || fail "printed: $output"
}

# values COMMAND...: rows "WORD... | VALUE..."; COMMAND WORD... prints these values, on one or more lines
values() {
	each_row value_of_row "$@"
}
