#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The JSON Schema of all documents.  run.sh compares the documents of all tests with it (tests/schema.py).
load helpers

setup() {
	note_less
	cd "$BATS_TEST_TMPDIR" || return
}

# schema: prints the schema
schema() {
	mrctl --dump-schema
}

@test "each command with a document has a definition, under its name and view, and so have --dump-cli and trace -o" {
	schema >schema.json
	[ "$(jq -r '."$schema", ."$id"' schema.json)" = "https://json-schema.org/draft/2020-12/schema
urn:mrctl:json:1:$(mrctl --version | cut -d ' ' -f 2)" ]
	diff <(mrctl --dump-cli | jq -r '.commands[] | .name as $name | select(.columns != [] or $name == "report") |
			"mrctl-" + ($name, (.views[] | $name + "-" + .option))' | cat - <(printf '%s\n' call mrctl-dump-cli) | sort) \
		<(jq -r '.anyOf[]."$ref" | ltrimstr("#/$defs/")' schema.json | sort)
	[ "$(jq -c '[.. | .properties? // empty | keys[] | select(. == "")], (."$defs".line.properties | has("sessions"))' schema.json)" = $'[]\nfalse' ]
	# what is referred to is defined, and nothing else is
	diff <(jq -r '[.. | ."$ref"? // empty | ltrimstr("#/$defs/")] | unique[]' schema.json) \
		<(jq -r '."$defs" | keys[]' schema.json)
}

# each_member: prints a row for each member of the lines of tests/members.jq
each_member() {
	awk -F'\t' '{ n = split($4, names, " "); for (i = 1; i <= n; i++) print $1, names[i], $2, $3 }' | sort
}

@test "members of the last release stay, with their types" {
	run diff <(each_member <"$ROOT/tests/cli/members.tsv") <(schema | jq -rf "$ROOT/tests/members.jq" | each_member)
	run ! grep '^<' <<<"$output"
}
