#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Runs representative commands under valgrind.  Fails if one has an invalid access, leaks memory, or has
# another exit status than without valgrind.
#   BUILD  build folder
set -uo pipefail

BUILD=${BUILD:-build}
PATH=$(cd "$BUILD" && pwd):$PATH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/sysfs"
valgrind=(valgrind -q --error-exitcode=99 --leak-check=full
	"--show-leak-kinds=definite,indirect,possible"
	--suppressions="$(dirname "$0")/valgrind.supp")
passed=0 failed=0

# judge STATUS ACTUAL ARG...: counts the run as passed if the exit status ACTUAL is STATUS and valgrind found nothing
judge() {
	if [ "$2" -eq "$1" ] && ! grep -q '^==[0-9]*==' "$work/err"; then
		passed=$((passed + 1))
		return
	fi
	failed=$((failed + 1))
	printf -- '--- mrctl %s: exit status %d instead of %d\n' "${*:3}" "$2" "$1"
	cat "$work/err"
}

# on_sim STATUS ARG...: mrctl on the simulated HCA
on_sim() {
	local status=0

	mrctl sim -- "${valgrind[@]}" mrctl "${@:2}" >"$work/out" 2>"$work/err" || status=$?
	judge "$1" $status "${@:2}"
}

# without_device STATUS ARG...: mrctl on a machine without a device
without_device() {
	local status=0

	SYSFS_PATH=$work/sysfs "${valgrind[@]}" mrctl "${@:2}" >"$work/out" 2>"$work/err" ||
		status=$?
	judge "$1" $status "${@:2}"
}

# Help, version and usage errors.
without_device 0 --help
without_device 0 reg --help
without_device 0 --version
without_device 0 --dump-cli
without_device 2
without_device 2 bogus
without_device 2 reg --size 1X
without_device 2 reg --expect ok,EFOO
without_device 2 reg -o rkey,bogus
without_device 2 reg --size max --count 2
without_device 127 sim -- /nowhere/program
# Registrations as lines, tables and JSON.
on_sim 0 reg
on_sim 0 reg --verbose
on_sim 0 reg --json --name buf0 --access local-write,remote-read,0x20000000
on_sim 0 reg --no-headings --output rkey,access
on_sim 0 reg --count 1500 --size 64 --stride 64 --name n
on_sim 0 reg --count 100 --json
on_sim 0 reg-iova --iova 0x10000 --count 3
on_sim 0 reg --hold-for 0.01 --json
on_sim 0 umem --count 3 --page-sizes 4K,2M --json
on_sim 0 umem --via kernel
on_sim 0 umem --size 64K --try-page-sizes
on_sim 1 umem --size 64K --page-sizes 0x7ff
without_device 2 umem --page-sizes 3M
# Kinds of memory.
on_sim 0 reg --memory thp --size 4M
on_sim 0 reg --memory memfd --populate
on_sim 0 reg --memory "file:$work/file" --size 10000 --offset 123 --access remote-read
on_sim 0 reg --memory "file-private:$work/file"
on_sim 0 reg --memory readonly --access remote-read
on_sim 0 reg --memory none --size max --access local-write,on-demand --json
# dma-bufs.
on_sim 0 reg-dmabuf --from udmabuf --size 64K --count 2
on_sim 0 reg-dmabuf --from heap:system --offset 100 --json --via kernel
on_sim 1 reg-dmabuf --from fd:0
on_sim 1 reg-dmabuf --from udmabuf --data-direct --json
on_sim 1 reg-dmabuf --from heap:nowhere
on_sim 1 reg-dmabuf --from cuda:0 --json
# Refusals by the stack and by the host, reported and expected.
on_sim 1 reg --memory unmapped
on_sim 1 reg --memory hole --count 3 --size 4K --json
on_sim 1 reg --size 0 --count 100 --keep-going --json
on_sim 0 reg --size 0 --expect EINVAL --json
on_sim 1 reg --expect EINVAL
on_sim 1 reg-iova --iova 1
on_sim 1 reg --memory file:/nowhere/x --json
on_sim 1 reg --size max
on_sim 3 --device nosuch reg --json

echo "valgrind: $passed passed, $failed failed"
[ $failed -eq 0 ]
