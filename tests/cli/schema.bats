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

@test "each command that has columns or prints a document has a definition, under its name and view" {
	schema >schema.json
	[ "$(jq -r '."$schema", ."$id"' schema.json)" = "https://json-schema.org/draft/2020-12/schema
urn:mrctl:json:1:$(mrctl --version | cut -d ' ' -f 2)" ]
	diff <(mrctl --dump-cli | jq -r '.commands[] | .name as $name | select(.columns != [] or $name == "report") |
			"mrctl-" + ($name, (.views[] | $name + "-" + .option))' | sort) \
		<(jq -r '.anyOf[]."$ref" | ltrimstr("#/$defs/")' schema.json | sort)
	# what is referred to is defined, and nothing else is
	diff <(jq -r '[.. | ."$ref"? // empty | ltrimstr("#/$defs/")] | unique[]' schema.json) \
		<(jq -r '."$defs" | keys[]' schema.json)
}

@test "a document with a member too many, too few, or of another type is not valid" {
	local document change changes=('.regions[0].new = 1' 'del(.environment.uid)' '.regions[0].length = "1"'
		'.regions[0].lkey = 1' '.regions[0].lkey = "1"' '.new = null' 'del(.failures)' '.session = null'
		'.command = "bogus"')

	python3 -c 'import jsonschema' || skip "jsonschema is not installed"
	schema >schema.json
	document=$(mr -j reg)
	# a missing member of a region may be one that --output leaves out
	for change in . 'del(.regions[0].lkey)' "${changes[@]}"; do
		printf '%s\0%s\0' "$change" "$(jq "$change" <<<"$document")"
	done >kept
	exits 1 python3 -B "$ROOT/tests/schema.py" schema.json kept
	same=$(diff <(printf 'kept: %s\n' "${changes[@]}") <(sed '$d; s/: [a-z]*: .*//' <<<"$output")) || fail "$same" "$output"
}

@test "members of the last release stay, with their types" {
	run diff <(sort "$ROOT/tests/cli/members.tsv") <(schema | jq -rf "$ROOT/tests/members.jq" | sort)
	run ! grep '^<' <<<"$output"
}
