# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash
# For tests of odd kinds of memory, after helpers: load mappings

AT=0x200000000000 # where `mapped` maps

# mapped LIST: lets mr run with these mappings (preload/mappings.c)
mapped() {
	local so=$BUILD/mappings.so # of the guests, which have no compiler

	if on_simulator; then
		command -v cc >/dev/null || skip "cc is not installed"
		! is_sanitized || skip "the sanitizer wants to be loaded first"
		so=$BATS_TEST_TMPDIR/mappings.so
		cc -D_GNU_SOURCE -Wall -Wextra -O2 -fPIC -shared -o "$so" "$BATS_TEST_DIRNAME/preload/mappings.c"
		MR=("${SIM[@]}" bash -c "LD_PRELOAD=\"$so:\$LD_PRELOAD\" exec \"\$@\"" bash "${MS[@]: -1}")
	else
		MR=(env LD_PRELOAD="$so" "${MS[@]: -1}" -d "$MRCTL_TEST_DEVICE")
	fi
	export MAPPINGS=$1
	run --separate-stderr mr --version
	[ "$status" -ne 99 ] || skip "this kernel cannot map that: $stderr"
	succeeded
}

# linux VERSION: the kernel that answers is of that version or newer
linux() {
	local release=${MRCTL_TEST_KERNEL:-7.2}

	on_simulator || release=$(uname -r)
	[ "$(printf '%s\n' "$1" "$release" | sort -V | head -n 1)" = "$1" ]
}
