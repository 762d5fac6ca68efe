#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The table tests/causes.tsv lists failure modes from the field, the causes that mrctl names for them, and the tests
# that provoke them.  Here is only checked that these exist; what they assert is in their own files.

load helpers

TABLE=$ROOT/tests/causes.tsv

# rows: prints the table without comments
rows() {
	grep -v '^#' "$TABLE"
}

# has_test FILE:NAME: whether the file, below tests/, has a test of that name: of bats, or of cmocka
has_test() {
	local file=$ROOT/tests/${1%%:*} name=${1#*:}

	[ -f "$file" ] || return
	grep -qxF "@test \"$name\" {" "$file" || grep -qE "^TEST\($name\)" "$file"
}

# asserted: prints the ids that tests assert as the first cause
asserted() {
	{
		grep -ohE '(refused_because|refused_for)[a-z_]* MR-[A-Z0-9-]+' "$ROOT"/tests/cli/*.ba{ts,sh} |
			awk '{ print $2 }'
		grep -rohE '"MR-[A-Z0-9-]+"' "$ROOT/tests/unit/lib/diagnose/causes" | tr -d '"'
	} | sort -u
}

@test "each failure mode has a test, or a reason why there is none" {
	local mode ids tests note

	while IFS=$'\t' read -r mode ids tests note; do
		[[ $mode =~ ^[FN][1-9][0-9]*$ ]] || fail "no mode: $mode"
		[ -n "$note" ] || fail "$mode: no note"
		[[ $tests == - ]] || has_test "$tests" || fail "$mode: no test $tests"
		[[ $tests == - || $ids != - ]] || fail "$mode: a test without a cause"
	done < <(rows)
	[ "$(rows | cut -f 1 | sort -u | wc -l)" -eq "$(rows | wc -l)" ]
	[ "$(rows | grep -c '^F')" -eq 73 ]
	[ "$(rows | wc -l)" -eq 93 ]
}

@test "each cause of the table is one that the program has" {
	local unknown

	unknown=$(rows | cut -f 2 | tr ',' '\n' | grep -vx -e - -e '' | sort -u |
		grep -vxF -f <(mrctl -n -o id explain --list) || :)
	[ -z "$unknown" ] || fail "$unknown"
}

@test "tests assert many of the causes as the first one, and no cause that the program does not have" {
	local unknown

	unknown=$(asserted | grep -vxF -f <(mrctl -n -o id explain --list) || :)
	[ -z "$unknown" ] || fail "$unknown"
	[ "$(asserted | wc -l)" -ge 60 ] || fail "$(asserted | wc -l)"
}

@test "most failure modes have a test" {
	[ "$(rows | cut -f 3 | grep -cvx -e - -e '?')" -ge 49 ]
}
