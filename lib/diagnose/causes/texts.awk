# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Makes rows of struct mr_cause_text of texts.txt.

function put() {
	gsub(/\\/, "\\\\", text)
	gsub(/"/, "\\\"", text)
	if (member)
		printf "\t.%s = \"%s\",\n", member, text
	member = ""
}

function begin(name, value) {
	put()
	member = name
	text = value
}

/^#/ { next }
/^MR-[A-Z0-9-]+: / {
	printf "{\n\t.id = \"%s\",\n", substr($1, 1, length($1) - 1)
	begin("subject", substr($0, length($1) + 2))
	put()
	member = "what"
	text = ""
	next
}
/^(recognise|remedy|sources): / { begin(substr($1, 1, length($1) - 1), substr($0, length($1) + 2)); next }
NF { text = text (text == "" ? "" : text ~ /\.$/ ? "  " : " ") $0; next }
!NF && member { put(); print "}," }
END { if (member) { put(); print "}," } }
