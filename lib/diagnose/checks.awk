# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Makes rows of struct mr_check of checks.txt; with -v page=1 the part of mrctl-checks(7) about each check.

# troff TEXT: a sentence a line, options in bold
function troff(string,    head) {
	gsub(/\\/, "\\e", string)
	while (match(string, /--[a-z][a-z-]*/)) {
		head = head substr(string, 1, RSTART - 1) "\\fB" substr(string, RSTART, RLENGTH) "\\fR"
		string = substr(string, RSTART + RLENGTH)
	}
	string = head string
	gsub(/-/, "\\-", string)
	gsub(/\047/, "\\(aq", string)
	gsub(/~/, "\\(ti", string)
	gsub(/\^/, "\\(ha", string)
	gsub(/\.  /, ".\n", string)
	return string
}

# put: the text that is complete
function put() {
	if (page && tag != "" && tag != "remedy")
		print ".TP\n.B " tag
	else if (page && tag == "remedy")
		print ".TP\n.I Remedy"
	if (page && text != "")
		print troff(text)
	if (!page && tag != "" && tag != "remedy")
		printf "%s1U << MR_VERDICT_%s", bits++ ? " | " : "", toupper(tag == "n/a" ? "na" : tag)
	tag = text = ""
}

function end_row() {
	put()
	if (!page && bits)
		print ", " look " },"
	bits = 0
}

/^#/ { next }
/^\[.*\]$/ {
	end_row()
	group = substr($0, 2, length($0) - 2)
	if (page)
		print ".SH \"" toupper(group) "\""
	next
}
/^MR-[A-Z-]+: / {
	end_row()
	id = substr($1, 1, length($1) - 1)
	subject = substr($0, length($1) + 2)
	getline look
	if (page)
		print ".SS \"" troff(id ": " subject) "\""
	else
		printf "{ \"%s\", \"%s\", \"%s\", ", id, subject, group
	next
}
/^(ok|warn|bad|unknown|n\/a|remedy): / {
	put()
	tag = substr($1, 1, length($1) - 1)
	text = substr($0, length($1) + 2)
	next
}
NF { text = text (text == "" ? "" : text ~ /\.$/ ? "  " : " ") $0 }
END { end_row() }
