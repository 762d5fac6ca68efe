#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The recorded hosts of tests/hosts: each check says what is stated there, each verdict of each check has a host,
# and no check has a verdict that its row does not name.

load helpers
load hosts

@test "each check gives the verdict that a recorded host states" {
	local name dir options found claims wrong

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
		done < <(cut -d'|' -f1 <<<"$claims" | sort -u)
	done
}

@test "each verdict of each check has a recorded host" {
	local missing

	missing=$(checks | awk '{ for (i = 2; i <= NF; i++) print $1, $i }' |
		grep -vxF -f <(host_names | while read -r name; do host_claims "$name" | sed 's/.*|//'; done) || :)
	[ -z "$missing" ] || fail "no host in tests/hosts states:" "$missing"
}

@test "no check has a verdict that its row does not name" {
	local name dir all other

	all=$(checks | awk '{ for (i = 2; i <= NF; i++) print $1, $i }')
	for name in $(host_names); do
		dir=$(host_folder "$name")
		other=$(verdicts "$dir" | grep -vxF -f <(echo "$all") || :)
		[ -z "$other" ] || fail "$name: $other" || return
	done
	# this machine, and a simulated one
	other=$({ mrctl -n -o id,verdict stat --host || :; mrctl sim -- mrctl -n -o id,verdict stat --host || :; } |
		grep -vxF -f <(echo "$all") || :)
	[ -z "$other" ] || fail "live: $other"
}

@test "the healthy host has no finding" {
	run --separate-stderr mrctl stat --host --root "$(host_folder healthy)" --fail-on warn
	succeeded
	[[ ! $output =~ $'\n  '(WARN|BAD|unknown) ]] || fail "$output"
}

# unquoted: undoes what manual pages do to hyphens
unquoted() {
	sed 's/\\-/-/g; s/"//g'
}

@test "the manual page has each check in its group, with its verdicts, and no others" {
	local page=$ROOT/man/mrctl-checks.7 found expected

	expected=$(mrctl -n -o group,id,subject stat --host | sed 's/\\x20/ /g; s/ MR-/|MR-/' | awk -F'|' '
		{ id = $2; sub(/ .*/, "", id); sub(/^[^ ]* /, "", $2); print toupper($1) "|" id ": " $2 }')
	found=$(unquoted <"$page" | awk '/^\.SH / { group = substr($0, 5) } /^\.SS MR-/ { print group "|" substr($0, 5) }')
	[ "$found" = "$expected" ] || fail "$(diff <(echo "$expected") <(echo "$found"))" || return
	found=$(unquoted <"$page" | awk '/^\.S[HS] / { id = "" } /^\.SS MR-/ { id = $2; sub(/:/, "", id) }
		tag && /^\.B / && id { print id, $2 } { tag = /^\.TP/ }' | sort)
	expected=$(checks | awk '{ for (i = 2; i <= NF; i++) print $1, $i }' | sort)
	[ "$found" = "$expected" ] || fail "$(diff <(echo "$expected") <(echo "$found"))"
}
