#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# each.sh [VARIABLE=VALUE...] TARGET...: makes one target after the other, even after one has failed.  Prints
# the failed ones at the end, and fails if there are any.
#   MAKE  make(1), and its options
set -u

variables='' failed=''
for word; do
	case $word in
	*=*) variables="$variables $word" ;;
	*)
		# shellcheck disable=SC2086 # words
		${MAKE:-make} --no-print-directory $variables "$word" || failed="$failed $word"
		;;
	esac
done
[ -z "$failed" ] || { echo "failed:$failed" >&2; exit 1; }
