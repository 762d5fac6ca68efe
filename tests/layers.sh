#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# layers.sh RANKS BUILD FOLDER...: whether the C files below each FOLDER keep to their layers
#
# An arrow goes from a file to each file that it includes, and to each file that defines a symbol
# which its object in BUILD leaves undefined (addresses in tables included).  Printed are arrows
# upwards by the file RANKS, and circles of files.  No output: all is well.
set -u
ranks=$1 build=$2
shift 2

# "FILE FILE WHY" for each include; a file is named without its ending
includes() {
	find "$@" -name '*.[ch]' -exec grep -H '^#include "' {} + | awk -F '[:"]' -v OFS=' ' '{
		from = $1; sub(/\.[ch]$/, "", from)
		to = $3; sub(/\.h$/, "", to)
		if (from != to) print from, to, "#include" }'
}

# "FILE FILE SYMBOL" for each symbol.  Programs that are linked apart may have one of the same name:
# the owner is one that the file may reach, where there is one.
symbols() {
	local folders
	folders=$(printf '%s|' "$@")
	(cd "$build" && find "$@" -name '*.o' -exec readelf -sW {} +) | awk -v folders="^(${folders%|})/" '
		/^File: / { file = $2; sub(/\.o$/, "", file); next }
		$5 == "GLOBAL" || $5 == "WEAK" {
			if ($7 == "UND") wanted[file " " $8]
			else owners[$8] = owners[$8] " " file }
		END { for (pair in wanted) {
			split(pair, part, " ")
			n = split(owners[part[2]], owner, " ")
			for (i = 1; i <= n; i++) if (owner[i] != part[1]) print part[1], owner[i], part[2] } }'
}

# Arrows upwards.  A line of RANKS is "PREFIX RANK PROGRAM": the longest prefix of a file's name
# counts, and PROGRAM (or "all") is what its object is linked into.
upwards() {
	awk -v ranks="$ranks" '
		BEGIN { while ((getline line < ranks) > 0) if (line !~ /^(#|$)/) {
			split(line, column, " "); rank[column[1]] = column[2]; program[column[1]] = column[3] } }
		function row(file) { while (!(file in rank) && sub(/\/[^\/]*$/, "", file)); return file }
		function folder(file) { sub(/[^\/]*$/, "", file); return file }
		{ from = row($1); to = row($2); why = $3
		  if (!(from in rank)) { print $1 " has no rank"; next }
		  if (!(to in rank)) { print $1 " -> " $2 " (" why "): which has no rank"; next }
		  apart = program[to] != "all" && program[to] != program[from]
		  if (apart && why != "#include") next
		  if (apart || (folder($1) != folder($2) || from != to) && rank[from] <= rank[to])
			print $1 " (" rank[from] ") -> " $2 " (" rank[to] "): " why }' | sort -u
}

# Circles of files, within one program
circles() {
	awk '{ print $1, $2 }' | sort -u | tsort 2>&1 >/dev/null | sed 's/^tsort: //; s/^-: input contains a loop:/circle:/'
}

arrows=$(mktemp) || exit
trap 'rm -f "$arrows"' EXIT
{ includes "$@"; symbols "$@"; } | grep -v '/shared/' >"$arrows"
upwards <"$arrows"
circles <"$arrows"
