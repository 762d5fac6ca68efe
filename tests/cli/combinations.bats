#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Runs each command with each kind of memory and region, by each path, in a session and outside.  What makes no
# sense must be answered by one clear line and the right exit status.

load helpers

# has WORD...: the table has each WORD
has() {
	local word

	[ $# -gt 0 ] || fail "nothing to look for" || return
	for word; do
		grep -Eq "^(make|with|on) .*[^a-z-]$word([: ]|\$)" "$BATS_TEST_DIRNAME/combinations" ||
			fail "no line has '$word'" || return
	done
}

# names SECTION TOPIC: prints the words that this section of mrctl help TOPIC lists
names() {
	mrctl help "$2" | awk -v section="$1:" '$0 == section { inside = 1; next } !NF { inside = 0 }
		inside && /^  [a-z]/ { sub(/[:[].*/, "", $1); print $1 }'
}

@test "the table has each command, each kind of memory and each source of dma-bufs" {
	local words

	mapfile -t words < <(mrctl --dump-cli | jq -r '.commands[].name')
	has "${words[@]}"
	mapfile -t words < <(names "Memory kinds" memory)
	has "${words[@]/#/--memory }"
	mapfile -t words < <(names "Dma-buf sources" dmabuf)
	has "${words[@]/#/--from }" "${words[@]/#/--dmabuf }"
	run has 'no such'
	[ "$status" -eq 1 ]
}

# On the default kernel: others answer a few of them differently.
@test "each combination has the answer of the table, on mlx5" {
	on_simulator || skip "the table is the simulator's"
	mrctl sim -- "$BATS_TEST_DIRNAME/combinations.sh" mlx5
}

@test "each combination has the answer of the table, on rxe" {
	on_simulator || skip "the table is the simulator's"
	pds_are_lost
	mrctl sim --profile rxe -- "$BATS_TEST_DIRNAME/combinations.sh" rxe
}
