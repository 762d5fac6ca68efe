#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The layers of the tree.  RANKS (tests/layers.ranks) says which files may use which.
#
# layers.sh RANKS BUILD FOLDER...
#   Checks that the C files below each FOLDER keep to their layers.  A file uses each file that it includes,
#   and each file that defines a symbol which is undefined in its object in BUILD.
#   Prints each use that RANKS does not allow, and each circle of files, and fails if there are any.
# layers.sh --links RANKS NAME...
#   Prints "NAME:FILE" for each C file below cmd and lib that tests/unit/NAME.c may use.
#
# A file is named by its path without its ending: lib/base/error is error.c and error.h.
set -eu -o pipefail
export LC_ALL=C
links=
[ "$1" != --links ] || { links=yes; shift; }
ranks=$1
shift

# Functions of awk that read RANKS, whose lines are "PREFIX RANK PROGRAM" (explained in that file)
layers='
function load_ranks(line, column) {
	while ((getline line < ranks) > 0)
		if (line !~ /^(#|$)/) {
			split(line, column, " ")
			rank[column[1]] = column[2]
			program[column[1]] = column[3]
		}
}
function folder(file) { sub(/[^\/]*$/, "", file); return file }
# the longest prefix of the file that is in RANKS
function row(file) { while (!(file in rank) && sub(/\/[^\/]*$/, "", file)); return file }
function has_rank(file) { return row(file) in rank }
function are_linked(user, used) {
	user = program[row(user)]
	used = program[row(used)]
	return user == used || user == "all" || used == "all" || user == "" || used == ""
}
function may_use(user, used) {
	return are_linked(user, used) && (rank[row(used)] < rank[row(user)] ||
		row(used) == row(user) && folder(used) == folder(user))
}
BEGIN { load_ranks() }
'

files() {
	find "$@" -name '*.[ch]' | sed 's/\.[ch]$//'
}

# Prints "USER USED #include" for each include of another file
includes() {
	find "$@" -name '*.[ch]' -exec grep -H '^#include "' {} + | awk -F '[:"]' '{
		sub(/\.[ch]$/, "", $1)
		sub(/\.h$/, "", $3)
		if ($1 != $3) print $1, $3, "#include" }'
}

# symbols BUILD FOLDER...: prints "USER USED SYMBOL" for each undefined symbol of an object.
# Only files of one program can use each other: another program may define a symbol of the same name.  The
# functions that the simulator and the agent export have the names of those that they interpose, whose callers call these.
symbols() {
	local build=$1
	shift
	find "$@" -name '*.c' | sed "s:^:$build/:; s:c\$:o:" | xargs readelf -sW |
		awk -v ranks="$ranks" -v build="$build/" "$layers"'
		/^File: / { file = substr($2, length(build) + 1); sub(/\.o$/, "", file); next }
		$5 != "GLOBAL" && $5 != "WEAK" { next }
		$7 == "UND" { lacks[file " " $8]; next }
		program[row(file)] !~ /^(sim|agent)$/ || $6 != "DEFAULT" { owners[$8] = owners[$8] " " file }
		END { for (pair in lacks) {
			split(pair, part, " ")
			n = split(owners[part[2]], owner, " ")
			for (i = 1; i <= n; i++)
				if (are_linked(part[1], owner[i])) print part[1], owner[i], part[2] } }'
}

# Reads such lines, and lines with only the name of a file; prints what RANKS does not allow
against_ranks() {
	awk -v ranks="$ranks" "$layers"'
		!has_rank($1) { print $1 " has no rank"; next }
		NF == 1 { next }
		!has_rank($2) { print $1 " uses " $2 " (" $3 "), which has no rank"; next }
		!may_use($1, $2) { print $1 " may not use " $2 " (" $3 ")" }' | sort -u
}

# Reads lines "USER USED ..."; prints each circle of files
circles() {
	awk '{ print $1, $2 }' | sort -u | tsort 2>&1 >/dev/null | awk '
		/ loop:$/ { if (circle) print circle; circle = "circle:"; next }
		{ circle = circle " " $2 }
		END { if (circle) print circle }' | sort -u
}

if [ -n "$links" ]; then
	find cmd lib -name '*.c' | awk -v ranks="$ranks" -v names="$*" "$layers"'
		{ sub(/\.c$/, ""); if (has_rank($0)) files[$0] }
		END { n = split(names, name, " ")
			for (i = 1; i <= n; i++)
				for (file in files)
					if (may_use(name[i], file)) print name[i] ":" file }'
else
	build=$1
	shift
	uses=$(includes "$@"; symbols "$build" "$@")
	findings=$({ files "$@"; echo "$uses"; } | against_ranks; circles <<<"$uses" || :)
	[ -z "$findings" ] || { printf '%s\n' "$findings"; exit 1; }
fi
