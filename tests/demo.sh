#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# make demo: registers memory on the simulated HCA, and shows a refusal.
# Usage: demo.sh BUILD/mrctl
set -u
dir=$(cd "$(dirname "$1")" && pwd)
PATH=$dir:$PATH

show() {
	printf '\n$ mrctl sim -- %s\n' "$*"
	mrctl sim -- "$@"
}

echo "mrctl on a simulated HCA: the real libibverbs and libmlx5, no hardware."
show mrctl reg --size 1M --access local-write,remote-read || exit
show mrctl reg-iova --size 64K --iova 0x100000 --count 3 || exit
show mrctl -j reg --name buf0 || exit
echo
echo 'A refusal, which is an answer too:'
show mrctl reg --size 4K --access remote-write
[ $? -eq 1 ] || exit 1
printf '\nNext: %s --help, or build/mrctl sim to get a shell with a simulated HCA.\n' "$1"
