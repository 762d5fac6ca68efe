#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# userland-check.sh [SUITE...]: runs the tests of reg, reg-iova, umem, advice, memory on the device, sessions,
# the probe and combinations with the libibverbs and libmlx5 of other Debian suites.  The simulated HCA answers
# as the kernel of the suite does.  The programs are copies of those built here, changed to use the loader and
# the libraries of the suite.
#   BUILD  build folder
set -euo pipefail

# shellcheck source=userland.sh
. "$(dirname "$0")/userland.sh"
cd "$userland_top"
build=$(realpath "${BUILD:-build}")
mlx5_tests=(tests/cli/{reg,reg-iova,session,session-join,dereg,stat,umem,umem-session,umem-share,advise,dm,dmah,probe,combinations}.bats)
rxe_tests=(tests/cli/{session,session-join,dereg,stat,advise,probe}.bats)
declare -A kernel=([trixie]=6.12 [sid]=7.2)
failed=0

# copy_library FILE...: copies each with its real name, which has its version, and the name of the link to it
copy_library() {
	local file to

	for file; do
		to=$copy/lib/${file#"$userland/$userland_lib/"}
		cp -a "$(realpath "$file")" "$copy/lib/"
		[ -e "$to" ] || cp -a "$file" "$to"
	done
}

# Copies the programs and their libraries to $copy, where other users can read them too
copy_programs() {
	local loader program libraries

	mapfile -t loader < <(userland_loader)
	rm -rf "$copy"
	mkdir -p "$copy/lib/libibverbs" "$copy/tests/cli"
	cp -a "$build/mrctl" "$build/sim" "$build/trace" "$copy/"
	cp "$build"/tests/cli/object-tool "$copy/tests/cli/"
	mapfile -t libraries < <("${loader[@]}" --list "$copy/mrctl" | grep -o "$userland/[^ ]*" | sort -u)
	copy_library "${libraries[@]}" "$userland/$userland_lib"/libibverbs/*.so
	for program in "$copy/mrctl" "$copy"/tests/cli/*; do
		"${loader[@]}" "$userland/usr/bin/patchelf" --force-rpath \
			--set-rpath "$copy/lib:$copy/lib/libibverbs" \
			--set-interpreter "$copy/lib/${loader[0]##*/}" "$program"
	done
}

# check_version PROFILE: fails unless mrctl uses the rdma-core of the suite
check_version() {
	local found

	found=$("$copy/mrctl" sim --profile "$1" -- "$copy/mrctl" -j reg | jq -r .environment.rdma_core)
	[ "$found" = "$(userland_version)" ] || { echo "this is rdma-core $found"; return 1; }
}

[ $# -gt 0 ] || set -- trixie sid
for suite; do
	userland "$suite"
	copy=$build/userland/$suite
	copy_programs
	echo "rdma-core $(userland_version), mlx5:"
	check_version mlx5 || failed=1
	BUILD=$copy MRCTL_TEST_KERNEL=${kernel[$suite]} bats "${mlx5_tests[@]}" || failed=1
	echo "rdma-core $(userland_version), rxe:"
	check_version rxe || failed=1
	BUILD=$copy MRCTL_TEST_PROFILE=rxe bats "${rxe_tests[@]}" || failed=1
done
exit $failed
