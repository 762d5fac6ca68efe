# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Makes the tables of causes of a file such as nodes.txt: rows of struct mr_cause, whose members it names.  nodes.c has their
# functions, and includes them.  With -v table=log it makes rows of struct mr_log_topic of all files.  An entry:
#
#	MR-ID: its subject
#	look_at_it; calls REG REREG; errnos EINVAL; layer DRIVER; driver mlx5; needs REQUEST; RARE
#	What it is: one or two sentences.
#	recognise: how to tell it from others
#	remedy: what to do
#	sources: where it can be read up: files of the kernel, manual pages, threads
#	log: words that | stand in a line of a log; errnum ENOMEM; is_likely; what they tell, a clause
#
# The second line has the function that looks for its evidence, and at the end how often it is met.  "says" stands for a
# function that would say no more than one of the lines "says LIKELY if POOL FIXED: text {address}": the first whose needs are
# known, with the facts of show_facts() in the place of their names in braces; without "if" always.  In between: "calls ALL but
# FIND" are all but those; without errnos it is any, without a layer it is of none.  The function is asked only where the call
# has what it "needs", one of the flags of "access", and the "driver".  "cured" are changes of --why try that take it away;
# "prepared_by" names the only calls of PREPARE; "shows" names facts that are evidence: those of show_facts() in diagnosis.c,
# which is read first.  "obstacle" and "statuses" say what mappings.c and firmware.c look for.  "[table]" begins one.

function fail(what) {
	print FILENAME ":" FNR ": " what > "/dev/stderr"
	status = 1
	exit 1
}

# check_facts TEXT: show_facts() has each name in braces, as it looks for it without end
function check_facts(text,    n, part) {
	for (n = split(text, part, /[{}]/); n > 1; n -= 2)
		if (!(part[n - 1] in is_fact))
			fail("no fact of show_facts(): " part[n - 1])
}

# bits PREFIX WORDS [SUFFIX]: "PREFIX" "WORD" "SUFFIX" | ...
function bits(prefix, words, suffix,    i, n, word, all) {
	n = split(words, word, " ")
	for (i = 1; i <= n; i++)
		all = all (i > 1 ? " | " : "") prefix word[i] suffix
	return all
}

# operations WORDS: the same of operations, and of names for several: of all files (ALL), or of the one (ON_UMEMS)
function operations(words,    i, n, word, all) {
	n = split(words, word, " ")
	for (i = 1; i <= n; i++) {
		if (word[i] ~ /^(ALL|PINNING|LOCKING|DMABUFS)$/)
			word[i] = "MR_ON_" word[i]
		else if (word[i] !~ /^ON_/)
			word[i] = "MR_ON(" word[i] ")"
		all = all (i > 1 ? " | " : "") word[i]
	}
	return all
}

# topic LINE: a row of struct mr_log_topic
function topic(line,    i, n, part, words) {
	n = split(line, part, "; ")
	words = part[1]
	gsub(/ \| /, "|", words)
	printf "\t{ \"%s\", .id = \"%s\", ", words, id
	for (i = 2; i <= n; i++) {
		if (part[i] ~ /^errnum /)
			printf ".errnum = %s, ", substr(part[i], 8)
		else if (part[i] ~ /^(is_likely|is_reason|excludes|has_no_errno)$/)
			printf ".%s = true, ", part[i]
		else
			printf ".text = \"%s\"", part[i]
	}
	print " },"
}

function members(line,    i, n, part, key, value, pair) {
	n = split(line, part, "; ")
	printf "\t.table = mr_causes_of_%s,\n\t.frequency = MR_%s,\n", in_table, part[n]
	if (part[1] != "says")
		printf "\t.look = %s,\n", part[1]
	for (i = 2; i < n; i++) {
		key = value = part[i]
		sub(/ .*/, "", key)
		sub(/^[^ ]* ?/, "", value)
		if (key == "calls" && split(value, pair, " but ") == 2)
			printf "\t.operations = (%s) & ~(%s),\n", operations(pair[1]), operations(pair[2])
		else if (key == "calls")
			printf "\t.operations = %s,\n", operations(value)
		else if (key == "prepared_by") {
			gsub(/ /, "\", \"", value)
			printf "\t.prepared_by = { \"%s\" },\n", value
		} else if (key == "errnos") {
			gsub(/ /, ", ", value)
			printf "\t.errnums = { %s },\n", value
		} else if (key == "layer")
			printf "\t.layer = MR_LAYER_%s,\n", value
		else if (key == "driver")
			printf "\t.driver = \"%s\",\n", value
		else if (key == "shows") {
			printf "\t.shows = \"%s\",\n", value
			gsub(/[^ ]+/, "{&}", value)
			check_facts(value)
		}
		else if (key == "access")
			printf "\t.needs_access = %s,\n", bits("MR_ACCESS_", value)
		else if (key == "needs")
			printf "\t.needs = %s,\n", bits("MR_NEEDS(", value, ")")
		else if (key == "obstacle")
			printf "\t.obstacle = MR_OBSTACLE_%s,\n", value
		else if (key == "statuses") {
			gsub(/(^| )0x/, "\\x", value)
			printf "\t.statuses = \"%s\",\n", value
		} else if (key == "cured")
			printf "\t.cured_by = %s,\n", bits("MR_CURED_BY(", value, ")")
		else if (key ~ /^is_/ && value == "")
			printf "\t.%s = true,\n", key
		else
			fail("no member of a cause: " part[i])
	}
}

function put() {
	if (text ~ /\\/) # versions of awk differ in how they would write it
		fail("a backslash")
	gsub(/"/, "\\\"", text)
	if (member == "log" && table == "log")
		topic(text)
	else if (member ~ /^says / && table == "") {
		check_facts(text)
		sub(/^says /, "", member)
		needs = sub(/ if /, " ", member) ? substr(member, index(member, " ") + 1) : ""
		sub(/ .*/, "", member)
		printf "\t.says[%d] = { %s, MR_%s, \"%s\" },\n", says++, needs ? bits("MR_NEEDS(", needs, ")") : 0, member, text
	}
	else if (member && member != "log" && table == "")
		printf "\t.%s = \"%s\",\n", member, text
	member = text = ""
}

function begin(name, value) {
	put()
	member = name
	text = value
}

function end_row() {
	put()
	says = 0
	if (in_row && table == "")
		print "},"
	in_row = 0
}

function end_table() {
	end_row()
	if (in_table && table == "")
		print "{ .id = NULL },\n};"
}

FILENAME ~ /\.c$/ { # diagnosis.c
	if (/^\t\t\{ "[a-z_]+", (TEXT|NUMBER|HEX),/) {
		split($0, part, "\"")
		is_fact[part[2]] = 1
	}
	next
}
/^#/ { next }
/^\[.*\]$/ {
	end_table()
	in_table = substr($0, 2, length($0) - 2)
	if (table == "")
		printf "\nconst struct mr_cause mr_causes_of_%s[] = {\n", in_table
	next
}
/^MR-[A-Z0-9-]+: / {
	end_row()
	in_row = 1
	id = substr($1, 1, length($1) - 1)
	if (table == "")
		printf "{\n\t.id = \"%s\",\n", id
	begin("subject", substr($0, length($1) + 2))
	if (getline <= 0 || $0 !~ /^(look_at_[a-z0-9_]+|says);/)
		fail("no function that looks for it, nor what it says")
	if (table == "")
		members($0)
	begin("what", "")
	next
}
/^says [A-Z0-9_ if]+: / { at = index($0, ": "); begin(substr($0, 1, at - 1), substr($0, at + 2)); next }
/^(recognise|remedy|sources|log): / { begin(substr($1, 1, length($1) - 1), substr($0, length($1) + 2)); next }
NF && !in_row { fail("it is of no cause") }
NF { text = text (text == "" ? "" : text ~ /\.$/ ? "  " : " ") $0 }
END { if (!status) end_table(); exit status }
