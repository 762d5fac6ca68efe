#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The table "contract" lists what the manual pages of rdma-core say, with the test that shows it.  Here is only
# checked that each of these tests exists under its name; what they assert is in their own files.  That the
# values in mrctl's own manual pages are true is checked in man.bats.

load helpers

@test "each statement of rdma-core's manual pages has a test of the name in the table" {
	local page says file name

	while IFS='|' read -r page says file name; do
		read -r page <<<"$page"
		read -r file <<<"$file"
		name=${name# }
		[ -n "$says" ] && [ -n "$name" ] || fail "not a row: $page | $says"
		[ "$file" = - ] ||
			grep -qxF "@test \"$name\" {" "$BATS_TEST_DIRNAME/$file" ||
			fail "$page: no test \"$name\" in $file"
	done < <(grep -v -e '^#' -e '^$' "$BATS_TEST_DIRNAME/contract")
}
