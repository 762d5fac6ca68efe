#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Calls of libc that mrctl makes fail in turn.

load helpers

# Takes 30 s: 700 runs of mrctl
# bats test_tags=release
@test "if any call of libc fails, commands report it, and a session works afterwards" {
	! is_sanitized || skip "the sanitizer makes calls of its own"
	run "${SIM[@]}" "$BATS_TEST_DIRNAME/failing-calls.sh" "$BATS_TEST_TMPDIR" "$BUILD/fail.so"
	echo "$output"
	[[ ${lines[-1]} =~ ^([0-9]+)' runs, 0 wrong'$ ]] && [ "${BASH_REMATCH[1]}" -gt 300 ]
}
