#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Checks all nodes at once, and groups those with equal answers: clush.sh NODES [OPTION...]
#
#     clush.sh node[001-512]
#     clush.sh @compute --for-size 64G
#
# CLUSH may hold further options of clush(1), such as "-f 128"; MRCTL is the path of mrctl on the nodes.
[ $# -ge 1 ] || {
	echo "usage: $0 NODES [OPTION of mrctl stat --host...]" >&2
	exit 2
}
nodes=$1
shift
# shellcheck disable=SC2086 # options
exec clush $CLUSH -b -S -w "$nodes" "${MRCTL:-/usr/local/bin/mrctl}" stat --host "$@"
