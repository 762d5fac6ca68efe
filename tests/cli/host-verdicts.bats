#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The recorded hosts of tests/hosts: each check says what is stated there, and has no verdict that its row does not name.

load helpers
load hosts

# bats test_tags=slow,release
@test "each check gives the verdict that a recorded host states, and only verdicts that its row names" {
	check_verdicts >"$BATS_TEST_TMPDIR/all"
	for name in $(host_names); do
		while read -r options; do
			run mrctl -j stat --host --root "$(host_folder "$name")" $options
			[ "$status" -le 1 ] || fail "$name $options: $output" || return
			jq -r '.checks[] | .id + " " + .verdict + " " + .figure' <<<"$output" >"$BATS_TEST_TMPDIR/found"
			wrong=$(host_claims "$name" | sed -n "s^\\^$options|^^p" | awk '
				NR == FNR { row[$1] = $0; next }
				{ text = $0; sub(/^[^ ]+ [^ ]+ ?/, "", text) }
				index(row[$1], $1 " " $2 " ") != 1 || !index(row[$1], text) { print $0 ", but: " row[$1] }
				' "$BATS_TEST_TMPDIR/found" -)
			[ -z "$wrong" ] || fail "$name $options: not" "$wrong" || return
			run ! grep -vxF -f "$BATS_TEST_TMPDIR/all" <(cut -d' ' -f1,2 "$BATS_TEST_TMPDIR/found")
			run ! grep -vE '^[^ ]+ [^ ]+ [^ ]' "$BATS_TEST_TMPDIR/found" # each says why
		done < <(host_claims "$name" | cut -d'|' -f1 | sort -u)
	done
	# this machine, and a simulated one
	wrong=$({ mrctl -n -o id,verdict stat --host || :; mrctl sim -- mrctl -n -o id,verdict stat --host || :; } |
		grep -vxF -f "$BATS_TEST_TMPDIR/all" || :)
	[ -z "$wrong" ] || fail "live: $wrong"
	succeeded mrctl stat --host --root "$(host_folder healthy)" --fail-on warn
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

# bats test_tags=slow,release
@test "the text fits 80 columns, and has a remedy for each finding" {
	for name in $(host_names); do
		text_is_brief "$name" "$(host_folder "$name")" || return
	done
}
