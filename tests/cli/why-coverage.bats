#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# tests/causes.tsv lists failure modes from the field, the causes that mrctl names for them, and the tests that
# provoke them.  This checks that these causes and tests exist.

load helpers

TABLE=$ROOT/tests/causes.tsv

# has_test FILE:NAME: the file below tests/ has a bats or cmocka test of that name
has_test() {
	local file=$ROOT/tests/${1%%:*} name=${1#*:}

	[ -f "$file" ] || return
	grep -qxF "@test \"$name\" {" "$file" || grep -qE "^TEST\($name\)" "$file"
}

@test "each failure mode has a test, or a reason why there is none" {
	local mode ids tests note

	while IFS=$'\t' read -r mode ids tests note; do
		[[ $mode =~ ^[FN][1-9][0-9]*$ && -n $note ]] || fail "no mode or no note: $mode"
		[[ $tests == - ]] || has_test "$tests" || fail "$mode: no test $tests"
		[[ $tests == - || $ids != - ]] || fail "$mode: a test without a cause"
	done < <(grep -v '^#' "$TABLE")
	[ "$(grep -v '^#' "$TABLE" | cut -f 1 | sort -u | wc -l)" -eq 93 ]
}

@test "the table and the tests name only causes that the program has" {
	local unknown

	unknown=$({
		grep -v '^#' "$TABLE" | cut -f 2 | tr ',' '\n' | grep -vx -e - -e ''
		grep -ohE 'refused_because MR-[A-Z0-9-]+' "$ROOT"/tests/cli/*.ba{ts,sh} | cut -d' ' -f2
	} | sort -u | grep -vxF -f <(mrctl -n -o id explain --list) || :)
	[ -z "$unknown" ] || fail "$unknown"
}
