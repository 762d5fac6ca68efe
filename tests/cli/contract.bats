#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Each statement of the manual pages that mrctl stands for has a test: see the table "contract".

load helpers

@test "the tests are there that show what rdma-core's manual pages say" {
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
