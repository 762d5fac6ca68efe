#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Builds the programs of this folder to BUILD/bench.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$BUILD/bench"
for program in measure peer; do
	$CC -O2 -g -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -o "$BUILD/bench/$program" \
		"$here/$program.c" -libverbs
done
