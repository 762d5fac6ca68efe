#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Each command with each kind of memory and region, on each path, in a session and outside: what makes
# no sense gets one clear line and the right exit status.

load helpers

# has WORD...: the table has each of them
has() {
	local word

	[ $# -gt 0 ] || fail "nothing to look for" || return
	for word; do
		grep -Eq "^(make|with|on) .*[^a-z-]$word([: ]|\$)" "$BATS_TEST_DIRNAME/combinations" ||
			fail "no line has '$word'" || return
	done
}

# names SECTION TOPIC: what mrctl help lists there
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

# The default kernel: others answer a few of them in another way.
@test "each combination is answered as the table says, on mlx5" {
	on_simulator || skip "the table is the simulator's"
	mrctl sim -- "$BATS_TEST_DIRNAME/combinations.sh" mlx5
}

@test "each combination is answered as the table says, on rxe" {
	on_simulator || skip "the table is the simulator's"
	pds_are_lost
	mrctl sim --profile rxe -- "$BATS_TEST_DIRNAME/combinations.sh" rxe
}
