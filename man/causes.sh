#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# causes.sh MRCTL: prints the page mrctl-causes(7), of the table that the program has.  Needs jq.
set -euo pipefail

cat <<'END'
.\" SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
.\" Made by man/causes.sh of what "mrctl explain --list" prints: make causes
.TH MRCTL\-CAUSES 7 2026-11-22 mrctl "Miscellaneous Information Manual"
.ad l
.SH NAME
mrctl\-causes \- why registrations of RDMA memory are refused
.SH DESCRIPTION
Where a call is refused,
.B mrctl
looks for these causes, and says of each how sure it is
.RB ( \-\-why
in
.BR mrctl (1)).
Each has an id that never changes, and that no other cause gets.
Where a check of
.B mrctl stat \-\-host
has the same id, it is about the same thing
.RB ( mrctl\-checks (7)).
.B mrctl explain
prints one of them, those of an errno, and those of a line in another program's log
.RB ( mrctl\-explain (1)).
.PP
The causes stand in the order in which a call meets what can refuse it.
.\" Names of files and functions are too long to be adjusted
.ad l
.SH CAUSES
.ad l
END
"$1" --json explain --list | jq -r '
	# A text for troff: no line begins with a control character, no hyphen or quote is turned into another one.
	def text: gsub("\\\\"; "\\e") | gsub("-"; "\\-") | gsub("\u0027"; "\\(aq") | gsub("`"; "\\(ga") |
		gsub("\\^"; "\\(ha") | gsub("~"; "\\(ti") | gsub("\""; "\\(dq") | sub("^(?<c>[.])"; "\\&\(.c)");
	# One sentence a line
	def sentences: text | gsub("[.] +(?<next>[A-Z])"; ".\n\(.next)") | gsub("  +"; " ");
	def words: if . == null then "any" else join(", ") end;
	.causes[] | ".SS \(.id | text)", ".I \(.subject | text)", ".PP", .what,
		"This is \(.frequency).",
		"\(if .layer then "Refused by \(.layer)" else "Refused" end): \(.calls | words).",
		"Errnos: \(.errnos | words).",
		".TP", ".B recognise", .recognise,
		".TP", ".B try", .remedy,
		".TP", ".B sources", .source |
	if test("^[.](SS|TP|PP|B|I) ?") then . else sentences end'
cat <<'END'
.SH "SEE ALSO"
.BR mrctl (1),
.BR mrctl\-explain (1),
.BR mrctl\-stat (1),
.BR mrctl\-checks (7)
END
