# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash
#
# Sourced.  Debian's rdma-core of other suites than this machine's, unpacked in the cache of
# tests/kernel (130 MB each), to be run on the simulated HCA with its own loader and libraries.

userland_top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
userland_packages=(ibverbs-providers libibverbs1 librdmacm1 libcjson1 libsmartcols1 libmnl0 patchelf
	python3-pyverbs)
userland_lib=usr/lib/x86_64-linux-gnu

# userland SUITE: sets "userland" to the folder where it is, which is fetched if need be
userland() {
	local cache=${XDG_CACHE_HOME:-$HOME/.cache}/mrctl key lock status=0
	local fetch=$userland_top/tests/kernel/fetch.sh

	[ "$(uname -m)" = x86_64 ] || { echo "userland: needs an x86-64 machine" >&2; return 1; }
	key=$(cat "$fetch" "$userland_top/tests/userland.sh" | sha256sum | cut -c1-12)
	userland=$cache/userland-$1-$key
	if [ ! -d "$userland" ]; then
		mkdir -p "$cache"
		exec {lock}>"$cache/lock"
		flock "$lock"
		if [ ! -d "$userland" ]; then
			echo "userland: fetching rdma-core of $1 (once)" >&2
			"$fetch" "$cache" "$1" "$userland" "${userland_packages[@]}" || status=$?
		fi
		exec {lock}>&-
		[ $status -eq 0 ] || return $status
	fi
	touch "$userland"
}

# userland_version: of its rdma-core
userland_version() {
	sed -n 's/^libibverbs1_\([0-9.]*\).*/\1/p' "$userland.packages"
}

# userland_loader: what goes before a program's path, to run it with these libraries
userland_loader() {
	printf '%s\n' "$userland/$userland_lib/ld-linux-x86-64.so.2" --library-path \
		"$userland/$userland_lib:$userland/$userland_lib/libibverbs"
}
