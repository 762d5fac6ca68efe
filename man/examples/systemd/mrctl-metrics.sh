#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Writes metrics for the textfile collector of node exporter: mrctl-metrics.sh DIR [VIEW...]
#
# The collector may read at any time, and ignores names that do not end with ".prom".  Therefore each
# file is written under another name, and renamed when it is complete.
PATH=${PATH:-/usr/sbin:/usr/bin:/sbin:/bin}:/usr/local/bin
[ $# -ge 1 ] || {
	echo "usage: $0 DIR [VIEW...]" >&2
	exit 2
}
dir=$1
shift
[ $# -ge 1 ] || set -- device host
status=0
new=$(mktemp "$dir/.mrctl.XXXXXX") || exit
trap 'rm -f "$new"' EXIT
trap 'exit 1' HUP INT TERM
for view; do
	# 1: a check is bad, or there is no device: the metrics show it
	mrctl stat "--$view" --format openmetrics >"$new"
	[ $? -le 1 ] || {
		status=1
		continue
	}
	chmod 644 "$new" && mv "$new" "$dir/mrctl-$view.prom" || status=1
done
exit "$status"
