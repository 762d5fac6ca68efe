#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Manual pages: well formed, and true: options, columns, words, exit statuses, examples, refusals and members of
# JSON documents are compared with the program.

# bats file_tags=text
load helpers

MAN=$BUILD/man

setup() {
	note_less
	cd "$BATS_TEST_TMPDIR" || return
}

# options [COMMAND]: prints its options as help and pages have them, "-s, --size SIZE"; without COMMAND the global
# ones
options() {
	cli option "$@" | awk -F'\t' '{
		print ($2 == "-" ? "" : "-" $2 ", ") "--" $1 ($4 == "-" ? "" : " " $4) }'
}

# columns COMMAND FILTER: prints its columns for which FILTER is true
columns() {
	mrctl --dump-cli | jq -r --arg command "$1" \
		".commands[] | select(.name == \$command) | .columns[] | select($2).name"
}

# part PAGE [SECTION [SUBSECTION]]: prints its source, without the backslashes of hyphens; SUBSECTION "-" is the
# text before the first one
part() {
	awk -v section="${2:-}" -v subsection="${3:-}" '
		/^\.SH / { gsub(/"/, ""); in_section = substr($0, 5); in_subsection = ""; next }
		/^\.SS / { in_subsection = substr($0, 5); next }
		(section == "" || in_section == section) &&
		(subsection == "" || in_subsection == subsection ||
		 subsection == "-" && in_subsection == "") { gsub(/\\-/, "-"); print }
	' "$MAN/$1"
}

# words: prints the text of macro lines on stdin such as .BI "-s, --size " SIZE
words() {
	awk '{
		glue = $1 == ".B" || $1 == ".I" ? " " : ""
		text = ""
		for (rest = substr($0, length($1) + 1); match(rest, /"[^"]*"|[^ "]+/);
		     rest = substr(rest, RSTART + RLENGTH)) {
			word = substr(rest, RSTART, RLENGTH)
			gsub(/"/, "", word)
			text = text (text == "" ? "" : glue) word
		}
		print text
	}'
}

# entries PAGE SECTION [SUBSECTION]: prints the tags of its list
entries() {
	part "$@" | awk 'tag { print } { tag = /^\.TP/ }' | words
}

# examples PAGE [SECTION]: prints "STATUS COMMAND" for each example that runs on the simulated HCA
examples() {
	part "$1" "${2:-EXAMPLES}" | awk '
		match($0, /exit status is [0-9]+/) { status = substr($0, RSTART + 15, RLENGTH - 15) }
		/^\.EX/ { on = 1; next }
		/^\.EE/ { on = 0; status = 0; next }
		!on { next }
		sub(/ *\\e$/, " ") || / \|$/ { line = line $0; next }
		{ line = line $0 }
		line ~ /^mrctl sim .*-- / { gsub(/\\e/, "\\", line); print status + 0, line }
		{ line = "" }'
}

same() { # WHAT EXPECTED FOUND
	[ -n "$2" ] || fail "$1: nothing to compare with"
	diff <(sort <<<"$2") <(sort <<<"$3") >&2 || fail "$1: the program has <, the page has >"
}

# every_line_of LINES OTHER WHAT: fails with the lines of LINES that OTHER lacks
every_line_of() { # LINES OTHER WHAT
	local missing

	missing=$(grep -vxF -f <(printf '%s\n' "$2") <<<"$1" || :)
	[ -z "$missing" ] || fail "$3: $missing"
}

@test "each page is free of warnings, and fits a terminal of 80 columns" {
	command -v man >/dev/null || skip "man is not installed"
	for page in "$MAN"/*.[0-9]; do
		LC_ALL=C.UTF-8 MANROFFSEQ='' MANWIDTH=80 run --separate-stderr \
			man --warnings -E ascii -l "$page"
		[ "$status" -eq 0 ]
		[ -z "$stderr" ] || fail "$stderr"
		wide=$(awk '{ gsub(/.\010/, "") } length > 80' <<<"$output")
		[ -z "$wide" ] || fail "${page##*/}: $wide"
	done
}

@test "each page has its own name, and refers only to pages that exist" {
	for page in "$MAN"/*.[0-9]; do
		name=${page##*/}
		part "$name" | grep -qi "^\.TH ${name%.*} ${name##*.} " || fail "$name: .TH"
		part "$name" NAME | grep -q "^${name%.*} - "
		while read -r other; do
			[ -e "$MAN/$other" ] || fail "$name: $other"
		done < <(part "$name" | grep -o '^\.BR mrctl[a-z-]* ([0-9])' |
			sed 's/^\.BR \(.*\) (\(.\))/\1.\2/')
	done
}

@test "each command has a page, and each page a command" {
	expected=$(cli command)
	same commands "$expected" "$(find "$MAN" -name 'mrctl-*.1' | sed 's/.*mrctl-\(.*\)\.1$/\1/')"
	same "mrctl(1)" "$expected" "$(entries mrctl.1 COMMANDS)"
}

@test "the page of a command has its options, and no others" {
	same "mrctl(1)" "$(options)" "$(entries mrctl.1 OPTIONS)"
	same "mrctl-reg(1)" "$(options reg)" "$(entries mrctl-reg.1 OPTIONS)"
	for command in $(cli command); do
		page=mrctl-$command.1
		expected=$(options "$command")
		described=$(entries "$page" OPTIONS)
		[ -n "$expected$described" ] || continue
		every_line_of "$described" "$expected" "$page describes"
		# Options that are described in another page are only named.
		every_line_of "$expected" "$(entries mrctl-reg.1 OPTIONS; echo "$described")" \
			"no page describes"
		every_line_of "$(grep -o -e '--[a-z-]*' <<<"$expected")" \
			"$(part "$page" OPTIONS | grep -o -e '--[a-z-]*')" "$page does not name"
	done
}

@test "no page mentions an option that does not exist" {
	all=$(options; for name in $(cli command); do options "$name"; done)
	for page in "$MAN"/*.[0-9]; do
		name=${page##*/}
		known=$all
		own=${name#mrctl-} own=${own%.1}
		[ -z "$(options "$own")" ] || known=$(options; options "$own")
		# The pages of batch and trace show lines, which are other commands.
		[[ $own != @(batch|trace) ]] || known=$all
		# Remedies are commands of other programs as well.
		[ "$name" = mrctl-causes.7 ] && continue
		# An example may use another command, whose options are not in this page.
		others=$(cli command | grep -vx -e "$own" -e sim -e session -e trace | paste -sd'|')
		every_line_of "$(part "$name" | sed -E -e 's/mrctl sim .* -- /mrctl sim -- /' \
			-e "s/mrctl( -[a-z])* ($others) [^;|']*//g" |
			grep -o -e '--[a-z][a-z-]*' | sort -u)" \
			"$(grep -o -e '--[a-z-]*' <<<"$known")" "$name"
	done
}

# listed COMMAND: prints the columns in its page; "[NAME]" is one that lines do not have
listed() {
	part "mrctl-$1.1" FIELDS | sed -n '/^\.nh/,/^\.hy/p' | grep '^\.R\?B' | words | tr ',' '\n' | tr -d ' .' | grep .
}

@test "the page of a command has the columns that it fills, and no others" {
	for command in $(cli command); do
		[ -n "$(cli column "$command")" ] || continue
		found=$(listed "$command" | tr -d '[]')
		same "mrctl-$command(1)" "$(columns "$command" .filled)" "$found"
		same "mrctl-$command(1), in brackets" "$(columns "$command" .detail | grep -xF "$found")" \
			"$(listed "$command" | sed -n 's/^\[\(.*\)\]/\1/p')"
	done
}

@test "the words that options take are in the pages, and no others" {
	same kinds "$(section 'Memory kinds' memory)" "$(entries mrctl-reg.1 'MEMORY KINDS')"
	same flags "$(section 'Access flags' access)" "$(entries mrctl-reg.1 'ACCESS FLAGS')"
	same advice "$(section 'Advice' advice)" "$(entries mrctl-reg.1 ADVICE)"
	same profiles "$(section Profiles simulator)" "$(entries mrctl-sim.1 PROFILES)"
	same kernels "$(section Kernels simulator)" "$(entries mrctl-sim.1 KERNELS)"
	same faults "$(section Calls simulator; section Actions simulator)" \
		"$(entries mrctl-sim.1 FAULTS | sed 's/, such as .*//; s/, /\n/g')"
}

@test "the exit statuses are in the pages, and no others" {
	all=$(awk '/^enum exit_status/ { on = 1 } /^}/ { on = 0 }
		on && sub(/.* = /, "") { sub(/,/, ""); print }' "$ROOT/cmd/output/output.h")
	same "mrctl(1)" "$all" "$(entries mrctl.1 'EXIT STATUS')"
	for command in $(cli command); do
		found=$(entries "mrctl-$command.1" 'EXIT STATUS')
		[ -n "$found" ]
		every_line_of "$found" "$all" "mrctl-$command(1)"
	done
}

@test "the examples do what the pages say" {
	for page in "$MAN"/*.[0-9]; do
		while read -r expected line; do
			run --separate-stderr bash -o pipefail -c "$line"
			[ "$status" -eq "$expected" ] ||
				fail "${page##*/}: exit status $status of: $line" "$stderr"
			count=$((${count:-0} + 1))
		done < <(examples "${page##*/}")
	done
	[ "$count" -ge 10 ]
}

# transcripts FILE DIR: reads the terminal sessions of README.md or a page: "$ COMMAND", then its output.  Writes
# DIR/script, which prints a record separator and runs COMMAND, for each; DIR/N, the text below the Nth; and the files
# that "$ cat FILE" shows.
transcripts() {
	awk -v dir="$2" -v is_page="$([[ $1 == *.md ]] || echo 1)" '
		!is_page { inside = sub(/^    /, "") || !NF && inside; if (!inside) shows = 0 }
		/^\.EX/ { inside = 1; next }
		/^\.EE/ { inside = shows = 0 }
		!inside { next }
		is_page { gsub(/\\-/, "-"); gsub(/\\\(aq/, "\047"); gsub(/\\\(dq/, "\""); gsub(/\\&/, ""); gsub(/\\e/, "\\") }
		continues || /^\$ / {
			if (!continues) {
				shows = 1
				printf "%s", "" >(dir "/" ++count)
				print "status=$?; printf \"\\036\"; printf \"\\036\" >&2; (exit $status)" >(dir "/script")
				file = /^\$ cat [^ ]+$/ ? dir "/files/" $3 : ""
				sub(/^\$ /, "")
			}
			print >(dir "/script")
			continues = /\\$/
			next
		}
		shows { print >(dir "/" count); if (file != "") print >file }
		END { print "printf \"\\036\"; printf \"\\036\" >&2" >(dir "/script") }' "$1"
}

# alike: prints a text without what differs between runs: line breaks, keys, addresses, times, processes and folders
alike() {
	sed -E -e 's/0x[0-9a-f]+/0x/g' -e 's/\b[0-9]+(\.[0-9]+)? (ns|us|ms|s)\b/T/g' -e 's/(elapsed_ns: *)[0-9]+/\1/' \
		-e 's/pid:? ?[0-9]+/pid/g' -e 's: (by|in) /[^ ]*/: \1 :g' -e 's/\.c:[0-9]+/.c/g' \
		-e 's/20[0-9-]{8}(T[0-9:]+Z)?/DATE/g' | tr -s '[:space:]' ' '
}

@test "README.md and the pages show what their commands print" {
	wrong=''
	command -v cc >/dev/null || skip "needs cc"
	for page in "$ROOT/README.md" "$MAN"/*.[0-9]; do
		grep -q '^ *\$ ' "$page" || continue
		rm -rf shown && mkdir -p shown/files
		transcripts "$page" shown
		# a pipe, of which a shell in a session reads its own lines only
		(cd shown/files && SHELL=/bin/bash "${UNPRIVILEGED[@]}" bash < <(cat ../script) >../out 2>../err) || :
		mapfile -t -d $'\036' out <shown/out
		mapfile -t -d $'\036' err <shown/err
		[ ! -e "shown/${#out[@]}" ] && [ -e "shown/$((${#out[@]} - 1))" ] ||
			fail "$page ends after command $((${#out[@]} - 1))" "${out[-1]}" "${err[-1]}" || return
		for ((number = 1; number < ${#out[@]}; number++)); do
			# "..." in a page is text that it leaves out
			shown=$(alike <"shown/$number" | sed 's/[][*?\\]/\\&/g; s/\.\.\./*/g')
			# shellcheck disable=SC2053 # a pattern
			[[ $(alike <<<"${out[number]}${err[number]}") == ${shown% }" " ||
				$(alike <<<"${err[number]}${out[number]}") == ${shown% }" " ]] ||
				wrong+=$(echo "${page##*/}, command $number:"
					diff "shown/$number" - <<<"${out[number]}${err[number]}" || :)$'\n'
		done
	done
	[ -z "$wrong" ] || fail "$wrong"
}

@test "the refusals that the pages explain happen as described" {
	for page in reg reg-iova reg-dmabuf umem rereg; do
		page=mrctl-$page.1
		count=0
		while read -r _ line; do
			run --separate-stderr "${UNPRIVILEGED[@]}" bash -c "$line" </dev/null
			[ "$status" -eq 0 ] || fail "$page: exit status $status of: $line" "$stderr"
			count=$((count + 1))
		done < <(examples "$page" DIAGNOSTICS)
		[ "$count" -ge 2 ] || fail "$page: $count"
		# a command below an errno expects that errno; others are the remedy, and succeed
		wrong=$(part "$page" DIAGNOSTICS | awk '
			tag { errno = $2 } { tag = /^\.TP/ }
			match($0, /--expect [A-Za-z]+/) {
				found = substr($0, RSTART + 9, RLENGTH - 9)
				if (found != errno && found != "ok") print errno ": " $0
			}')
		[ -z "$wrong" ] || fail "$page: $wrong"
	done
}

# documents: prints documents in which each member of mrctl-json(5) has a value
documents() {
	mrctl sim -- mrctl -j reg --size max
	mrctl sim -- mrctl -j umem --page-sizes 4K --memory hole
	mrctl sim -- mrctl -j reg-iova --iova 0 --memory unmapped
	mrctl sim -- mrctl -j reg-dmabuf --from udmabuf --access 0x80000000
	mrctl sim -- mrctl -j reg-iova --iova 0 --expect ok --hold-for 0
	mrctl sim -- mrctl -j umem --page-sizes 4K
	mrctl sim -- mrctl -j umem --size 8K --try-page-sizes
	mrctl sim -- mrctl -j stat --device
	mrctl sim -- mrctl session -- sh -c '
		mrctl -q reg; mrctl -j reg --name x; mrctl -j stat; mrctl -j rereg x --access none
		mrctl -j rereg x --memory unmapped; mrctl -j rereg x --access none --via library
		mrctl -j dereg x 7; mrctl -j session --list; mrctl -j dereg --all'
	printf '%s\n' reg 'reg --expect EINVAL' bogus | mrctl sim -- mrctl -j batch --keep-going
	mrctl sim -- mrctl -j stat --probe --max-size --cap 4K
	(ulimit -v 100000; mrctl sim -- mrctl -j stat --probe --max-size --cap 200M)
	# a session, seen from outside of the simulator
	mrctl sim -- sh -c 'eval "$(mrctl session --detach)"
		unset LD_PRELOAD; mrctl -j session --list; mrctl -q session --end'
	mrctl -j stat --host
	mrctl -j stat --host --root .
	mrctl -j stat --host --root none
	mrctl -j explain --list
	mrctl -j explain MR-FORK
	mrctl -j explain 'mlx5_bond_0: ibv_reg_mr_iova(address=0x1000, length=1, access=0x2, iova=0x3) EINVAL ret -14'
	for command in CREATE_MKEY\(0x200 CREATE_QP\(0x500; do
		mrctl -j explain "$command) op_mod(0x0) failed, status limits exceeded(0x8), syndrome (0x1), err(-12)"
	done
}

# shape: prints the members of a document on stdin, with the types of their values
shape() {
	jq -c '[paths(true) as $p | [($p | map(if type == "number" then 0 else . end)), (getpath($p) | type)]] |
		unique | .[]'
}

@test "mrctl-json(5) has the members of the schema, except of commands whose own pages have them" {
	# run.sh compares the documents of tests with the schema
	mrctl --dump-schema >schema.json
	own=$(jq -r '
		def refers: [.. | ."$ref"? // empty | ltrimstr("#/$defs/")];
		."$defs" as $all | def below: refers[] | ., ($all[.] | below);
		"call", "mrctl-trace", ($all | to_entries[] | select(.key | test("^mrctl-(?!bench|report|dump-cli)")) |
			.value | below)' schema.json | sort -u)
	same definitions "$own" "$(sed -n 's/^@MEMBERS \(.*\)@$/\1/p' "$ROOT/man/mrctl-json.5.in")"
	keys=$(jq -r '."$defs" | to_entries[] |
		select(.key | test("^mrctl-(?!bench|trace|report|dump-cli)")).value.properties | keys[]' schema.json | sort -u)
	# sums of stat --system have sections of their own
	same document "$(grep -vxE 'mrs|processes|units' <<<"$keys")" \
		"$(entries mrctl-json.5 DOCUMENT - | sed 's/ (.*//')"
	for own in bench report; do
		every_line_of "$(jq -r --arg own "mrctl-$own" '."$defs" | to_entries[] | select(.key | startswith($own)).value.properties |
				keys[] | select(IN("command", "environment", "failures", "as_expected") | not)' schema.json)" \
			"$(part "mrctl-$own.1" | grep -oE '[a-z_]+')" "mrctl-$own(1)"
	done
}

# Some 30 commands, one after the other: each has members that no other has.
@test "the example of mrctl-json(5) has the members of a document, and values are written as it says" {
	document=$(ulimit -l 64; mrctl sim -- mrctl -j reg --name buf --memory hole --count 2 || :)
	documents=$(documents; echo "$document") || :
	output=$documents keep_document
	example=$(part mrctl-json.5 EXAMPLES | sed -n '/^{$/,/^}$/p')
	same example "$(shape <<<"$document")" "$(shape <<<"$example")"
	# the section "Rules": times, and hexadecimal numbers
	found=$(jq -r 'del(.. | .evidence?) | .. | objects | to_entries[] | select(.value != null) |
		if .key | test("_ns$") then select(.value | type != "number")
		elif .key | test("^(lkey|rkey|iova|.*addr|.*_bits|.*_flags|page_size_cap|vendor_id|hw_version)$") or
				test("^(firmware_status|.*syndrome)$") then
			select(.value | type != "string" or (test("^0x(0|[1-9a-f][0-9a-f]*)$") | not))
		else select(.value | type == "string" and test("^0[xX]")) end |
		"\(.key): \(.value)"' <<<"$documents")
	[ -z "$found" ] || fail "$found"
}
