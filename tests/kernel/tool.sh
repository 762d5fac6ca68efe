# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash
#
# Sourced.  tool NAME ARGUMENT... runs a program of $tools, an unpacked Debian userland (see
# fetch.sh), with that userland's own loader and libraries: it need not be the host's release.

# shellcheck disable=SC2034	# the caller's, too
tool_packages=(qemu-system-x86 erofs-utils kmod cpio xz-utils zstd jq)

tool_exec() {
	local name=$1 lib=usr/lib/x86_64-linux-gnu path
	shift
	# shellcheck disable=SC2154	# the caller's
	for path in "$tools/usr/bin/$name" "$tools/usr/sbin/$name"; do
		[ ! -e "$path" ] || exec "$tools/$lib/ld-linux-x86-64.so.2" \
			--library-path "$tools/$lib" --argv0 "$name" "$path" "$@"
	done
	printf '%s: no %s\n' "$tools" "$name" >&2
	exit 127
}

tool() { (tool_exec "$@"); }
