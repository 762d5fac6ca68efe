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

usage_of_row() {
	local words

	read -ra words <<<"${1%%|*}"
	run --separate-stderr "${@:2}" "${words[@]}"
	usage_error "${1#*| }"
}

# usage_errors COMMAND...: rows "WORD... | TEXT"; COMMAND WORD... is a usage error with TEXT in the message
usage_errors() {
	each_row usage_of_row "$@"
}

value_of_row() {
	local words

	read -ra words <<<"${1%%|*}"
	run --separate-stderr "${@:2}" "${words[@]}"
	succeeded && [ "$(tr -s ' \n' ' ' <<<"$output")" = "${1#*| } " ] || fail "printed: $output"
}

# values COMMAND...: rows "WORD... | VALUE..."; COMMAND WORD... prints these values, on one or more lines
values() {
	each_row value_of_row "$@"
}
