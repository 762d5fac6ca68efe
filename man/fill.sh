#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# fill.sh MRCTL TEMPLATE: prints a page of the manual.  In place of the line @CAUSES@ stand the program's causes, in
# place of @CHECKS@ the checks of the host, in place of @VERSION@ its version, and in place of @MEMBERS NAME@ the members of that definition of its JSON
# Schema.
set -eu

# Functions of awk for texts in JSON
# shellcheck disable=SC2016 # an awk program
functions='
	# value NAME: the text of a member, or the words of a list; "" for null
	function value(name) {
		if (match($0, "\"" name "\":(\"([^\"\\\\]|\\\\.)*\"|\\[[^]]*\\])") == 0) return ""
		name = substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 3)
		if (name ~ /^\[/) { gsub(/[]["]/, "", name); gsub(/,/, ", ", name); return name }
		name = substr(name, 2, length(name) - 2)
		gsub(/\\"/, "\"", name)
		return name
	}
	# A text for troff, a sentence a line: no line begins with a control character, no hyphen or quote is turned
	# into another one.
	function text(string, i, n, parts) {
		gsub(/\\/, "\\e", string); gsub(/-/, "\\-", string); gsub(/\047/, "\\(aq", string)
		gsub(/`/, "\\(ga", string); gsub(/\^/, "\\(ha", string); gsub(/~/, "\\(ti", string)
		gsub(/"/, "\\(dq", string)
		n = split(string, parts, /[.] +/)
		string = parts[1]
		for (i = 2; i <= n; i++) string = string (parts[i] ~ /^[A-Z]/ ? ".\n" : ". ") parts[i]
		gsub(/  +/, " ", string)
		if (string ~ /^[.]/) string = "\\&" string
		return string
	}'

# Prints each cause as troff.  The document has a line for each cause.
causes() {
	"$1" --json explain --list | awk "$functions"'
	function any(words) { return words == "" ? "any" : text(words) }
	{ id = value("id") }
	id != "" {
		print ".SS " text(id); print ".I " text(value("subject")); print ".PP"; print text(value("what"))
		print "This is " value("frequency") "."
		layer = value("layer")
		print "Refused" (layer == "" ? "" : " by " text(layer)) ": " any(value("calls")) "."
		print "Errnos: " any(value("errnos")) "."
		print ".TP\n.B recognise"; print text(value("recognise"))
		print ".TP\n.B try"; print text(value("remedy"))
		print ".TP\n.B sources"; print text(value("source"))
		found = 1
	}
	END { exit !found }'
}

# members MRCTL NAME: prints the members of a definition as troff.  The schema has a line for each member.
members() {
	"$1" --dump-schema | awk -v definition="\"$2\":{" "$functions"'
	function type(kind) {
		kind = value("type")
		if (kind == "") kind = "object" ($0 ~ /"type":"null"/ ? ", null" : "")
		if (kind ~ /^array/ && $0 ~ /"items":{"[$]ref"/) sub(/array/, "list of objects", kind)
		else if (kind ~ /^array/) sub(/array/, "list of " ($0 ~ /"items":{"type":"integer"/ ? "integers" : "strings"), kind)
		sub(/, /, " or ", kind)
		return kind
	}
	$0 == definition { on = 1; next }
	on && /^},?$/ { exit }
	on && /^"[a-z_0-9]+":{"description":/ {
		key = $0
		sub(/^"/, "", key); sub(/".*/, "", key)
		description = text(value("description"))
		sub(/"description":"([^"\\]|\\.)*",/, "")
		sub(/"items":.*"type":\["array"/, "\"type\":[\"array\"")
		print ".TP\n.BR " key " \" (" type() ")\""; print description
		found = 1
	}
	END { exit !found }'
}

while IFS= read -r line; do
	case $line in
	@CAUSES@) causes "$1" ;;
	@CHECKS@) awk -v page=1 -f lib/diagnose/checks.awk lib/diagnose/checks.txt ;;
	"@MEMBERS "*)
		line=${line#@MEMBERS }
		members "$1" "${line%@}"
		;;
	*@VERSION@*) printf '%s\n' "$line" | sed "s/@VERSION@/$("$1" --version | cut -d ' ' -f 2)/" ;;
	*) printf '%s\n' "$line" ;;
	esac
done <"$2"
