#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Prints, before make check begins, how long it takes and which tests it cannot run.
set -u

processors=$(nproc)
# measured on 2 processors: build, unit tests and both profiles take some 900 seconds of one
printf 'make check: builds mrctl and tests it on two simulated devices; about %d minutes on %d processor(s).\n' \
	$(((900 / processors + 59) / 60)) "$processors"
echo 'Not run here: tests that only a real kernel can answer (make check-kernel).'
missing=$(sh tests/setup.sh missing | tr ' ' '\n' |
	grep -xE 'man-db|bash-completion|zsh|fish|dash|python3|prometheus.*|clustershell|ansible-core' |
	tr '\n' ' ')
[ -z "$missing" ] ||
	printf 'Not run here: tests of programs that are not installed (sh tests/setup.sh all): %s\n' "$missing"
