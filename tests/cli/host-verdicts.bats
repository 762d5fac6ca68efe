#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The recorded hosts of tests/hosts: each check says what is stated there, each verdict of each check has a host,
# and no check has a verdict that its row does not name.

load helpers
load hosts

# Takes some 10 s: it makes 80 hosts.
@test "each check gives the verdict that a recorded host states, and only verdicts that its row names" {
	local name dir options found claims wrong

	check_verdicts >"$BATS_TEST_TMPDIR/all"
	for name in $(host_names); do
		claims=$(host_claims "$name")
		dir=$(host_folder "$name")
		while read -r options; do
			# shellcheck disable=SC2086 # words
			found=$(verdicts "$dir" $options) || [ $? -eq 1 ] ||
				fail "$name $options" || return
			wrong=$(sed -n "s^\\^$options|^^p" <<<"$claims" | grep -vxF -f <(echo "$found") || :)
			[ -z "$wrong" ] || fail "$name $options: not" "$wrong" "but" \
				"$(grep -w "${wrong%% *}" <<<"$found")" || return
			wrong=$(grep -vxF -f "$BATS_TEST_TMPDIR/all" <<<"$found" || :)
			[ -z "$wrong" ] || fail "$name: $wrong" || return
		done < <(cut -d'|' -f1 <<<"$claims" | sort -u)
	done
	# this machine, and a simulated one
	wrong=$({ mrctl -n -o id,verdict stat --host || :; mrctl sim -- mrctl -n -o id,verdict stat --host || :; } |
		grep -vxF -f "$BATS_TEST_TMPDIR/all" || :)
	[ -z "$wrong" ] || fail "live: $wrong"
}

@test "each verdict of each check has a recorded host" {
	local missing

	missing=$(check_verdicts |
		grep -vxF -f <(host_names | while read -r name; do host_claims "$name" | sed 's/.*|//'; done) || :)
	[ -z "$missing" ] || fail "no host in tests/hosts states:" "$missing"
	run --separate-stderr mrctl stat --host --root "$(host_folder healthy)" --fail-on warn
	succeeded
	[[ ! $output =~ $'\n  '(WARN|BAD|unknown) ]] || fail "$output"
}

# Without -v, what is not the host's business is left out; a line breaks before column 80, and the rest is indented.
text_is_brief() {
	local text

	text=$(mrctl stat --host --root "$2") || [ $? -eq 1 ]
	[ -z "$(awk 'length > 80 && !/[^ ]{50}/' <<<"$text")" ] || fail "$1: $text" || return
	[[ ! $text$'\n' =~ $'\n  n/a '|[[:blank:]]$'\n' ]] || fail "$1: $text" || return
	# each finding that asks for an answer says what to do
	[ "$(grep -cE '^  (WARN|BAD) ' <<<"$text")" -le "$(grep -c '^ *try: ' <<<"$text")" ] || fail "$1: $text"
}

@test "the text fits 80 columns, and says what to do about each finding" {
	local name

	for name in $(host_names); do
		text_is_brief "$name" "$(host_folder "$name")" || return
	done
}

@test "the manual page has each check with its verdicts, and no others" {
	local found

	found=$(sed 's/\\-/-/g' "$ROOT/man/mrctl-checks.7" | awk '/^\.S[HS] / { id = "" } /^\.SS "?MR-/ {
		id = $2; gsub(/[":]/, "", id) } tag && /^\.B / && id { print id, $2 } { tag = /^\.TP/ }' | sort)
	[ "$found" = "$(check_verdicts | sort)" ] || fail "$(diff <(check_verdicts | sort) <(echo "$found"))"
}
