#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Manual pages: well formed, and true: options, columns, words, exit statuses, examples, refusals and members of
# JSON documents are compared with the program.

# bats file_tags=text
load helpers

MAN=$ROOT/man

setup() {
	note_less
	cd "$BATS_TEST_TMPDIR" || return
}

commands() {
	cli command
}

# options [COMMAND]: prints its options as help and pages have them, "-s, --size SIZE"; without COMMAND the global
# ones
options() {
	cli option "$@" | awk -F'\t' '{
		print ($2 == "-" ? "" : "-" $2 ", ") "--" $1 ($4 == "-" ? "" : " " $4) }'
}

# columns COMMAND [FILTER]: prints its columns for which FILTER is true
columns() {
	[ -n "${2:-}" ] || { cli column "$1"; return; }
	mrctl --dump-cli | jq -r --arg command "$1" \
		".commands[] | select(.name == \$command) | .columns[] | select($2).name"
}

# help_section TITLE TOPIC: prints the words of a section of mrctl help TOPIC
help_section() {
	mrctl help "$2" |
		awk -v title="$1" 'index($0, title) == 1 { on = 1; next } !NF { on = 0 }
			on && /^  [^ ]/ { print $1 }'
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

# synopsis PAGE
synopsis() {
	MANWIDTH=200 man -E ascii -l "$MAN/$1" | sed 's/.\x08//g' |
		awk '/^[A-Z]/ { on = /^SYNOPSIS/; next } on && NF { $1 = $1; print }'
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

@test "each page is free of warnings" {
	command -v man >/dev/null || skip "man is not installed"
	for page in "$MAN"/*.[0-9]; do
		LC_ALL=C.UTF-8 MANROFFSEQ='' MANWIDTH=80 run --separate-stderr \
			man --warnings -E UTF-8 -l -Tutf8 -Z "$page"
		[ "$status" -eq 0 ]
		[ -z "$stderr" ] || fail "$stderr"
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

@test "mrctl-causes(7) has the causes of the program" {
	diff "$MAN/mrctl-causes.7" <("$MAN/causes.sh" mrctl) >&2 ||
		fail "the page has <, the program >: make causes"
}

@test "each command has a page, and each page a command" {
	expected=$(commands)
	same commands "$expected" "$(find "$MAN" -name 'mrctl-*.1' | sed 's/.*mrctl-\(.*\)\.1$/\1/')"
	same "mrctl(1)" "$expected" "$(entries mrctl.1 COMMANDS)"
}

@test "the synopsis of each page equals that of the help" {
	command -v man >/dev/null || skip "man is not installed"
	[ "Usage: $(synopsis mrctl.1)" = "$(mrctl --help | head -n 1)" ]
	for command in $(commands); do
		[ "Usage: $(synopsis "mrctl-$command.1")" = "$(mrctl "$command" --help | head -n 1)" ]
	done
}

@test "the page of a command has its options, and no others" {
	same "mrctl(1)" "$(options)" "$(entries mrctl.1 OPTIONS)"
	same "mrctl-reg(1)" "$(options reg)" "$(entries mrctl-reg.1 OPTIONS)"
	for command in $(commands); do
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
	all=$(options; for name in $(commands); do options "$name"; done)
	every_line_of "$(part mrctl-causes.7 | grep -o 'mrctl [^.;:)]*' | grep -o -e '--[a-z][a-z-]*' | sort -u)" \
		"$(grep -o -e '--[a-z-]*' <<<"$all"; echo --)" mrctl-causes.7
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
		others=$(commands | grep -vx -e "$own" -e sim -e session -e trace | paste -sd'|')
		every_line_of "$(part "$name" | sed -E -e 's/mrctl sim .* -- /mrctl sim -- /' \
			-e "s/mrctl( -[a-z])* ($others) [^;|']*//g" |
			grep -o -e '--[a-z][a-z-]*' | sort -u)" \
			"$(grep -o -e '--[a-z-]*' <<<"$known")" "$name"
	done
}

# documents COMMAND: prints documents of the command
documents() {
	local dmah='--via kernel --dmah cpu=0,mem=volatile,ph=1'
	local dma='--from udmabuf --name d' odp='--access local-write,on-demand --advise prefetch'

	case $1 in
	reg) one "reg --count 2 --name n" "reg --memory dm --size 64" "reg --relaxed" "reg $odp" "reg $dmah" ;;
	reg-iova) one "reg-iova --iova 0 --count 2 --name n $odp" ;;
	reg-dmabuf) one "reg-dmabuf $dma --count 2 --advise prefetch" ;;
	umem)
		one "umem --name u --page-sizes 4K --count 2" "umem --dmabuf udmabuf" "umem --try-page-sizes" \
			"umem --export"
		session "umem --via kernel"
		;;
	rereg) session "reg --name n" "reg-dmabuf $dma" "rereg n --access none" "rereg d --access none" ;;
	dereg | stat)
		session "reg --name n" "reg $dmah" "umem --page-sizes 4K" "reg --memory dm --size 64" "reg --relaxed --name r" \
			"!dereg r" stat "dereg --all --flush"
		;;
	bench) one "bench --sizes 4K --count 10 --occupied 4,4K" ;;
	trace)
		mrctl sim -- mrctl -j trace -- mrctl -q reg 2>&1
		;;
	explain)
		mrctl -j explain --list
		mrctl sim -- mrctl -j explain 'ibv_reg_mr(address=0x1000, length=4096, access=0x2): Invalid argument'
		;;
	session)
		# shellcheck disable=SC2016
		mrctl sim -- sh -c 'eval "$(mrctl session --detach)"; mrctl -j session --list
			unset LD_PRELOAD; mrctl -j session --list; mrctl -q session --end'
		;;
	esac | jq -c "select(.command == \"$1\")"
}

# one LINE...: runs the commands, and prints their documents
one() {
	local line

	for line; do
		# shellcheck disable=SC2086 # words
		mrctl sim --tph -- mrctl -j $line 2>/dev/null || :
	done
}

# session LINE...: the same in a session; for a line that begins with ! the kernel refuses to deregister
session() {
	# shellcheck disable=SC2016
	mrctl sim --tph -- mrctl session --relaxed-watermark 1 -- bash -c 'for line; do
		[ "${line#!}" = "$line" ] || export MRCTL_SIM_FAULT=dereg_mr=EIO
		mrctl -j ${line#!} 2>/dev/null
		unset MRCTL_SIM_FAULT
	done' bash "$@"
}

# listed COMMAND: prints the columns in its page; "[NAME]" is one that lines do not have
listed() {
	part "mrctl-$1.1" FIELDS | sed -n '/^\.nh/,/^\.hy/p' | grep '^\.R\?B' | words | tr -d ' ,.'
}

@test "the page of a command has the columns that it fills, and no others" {
	local command found expected

	for command in $(commands); do
		[ -n "$(columns "$command")" ] || continue
		found=$(listed "$command" | tr -d '[]')
		same "mrctl help columns $command" "$(columns "$command" .filled)" "$found"
		same "mrctl-$command(1), in brackets" "$(columns "$command" .detail | grep -xF "$found")" \
			"$(listed "$command" | sed -n 's/^\[\(.*\)\]/\1/p')"
		expected=$(columns batch)
		[ "$command" = batch ] ||
			expected=$(documents "$command" | jq -rs '[.[] | (.regions // .sessions // .rows // .calls // .causes)[], (.before // [])[] |
				to_entries[] | select(.value != null).key] | unique[]')
		# a libmlx5 before rdma-core 63 exports nothing
		[[ $command != umem || $expected == *export* ]] || expected+=$'\n'export
		same "mrctl-$command(1)" "$expected" "$found"
	done
}

@test "memory kinds, access flags and advice are in mrctl-reg(1), and no others" {
	same kinds "$(help_section 'Memory kinds' memory)" "$(entries mrctl-reg.1 'MEMORY KINDS')"
	same flags "$(help_section 'Access flags' access)" "$(entries mrctl-reg.1 'ACCESS FLAGS')"
	same advice "$(help_section 'Advice' advice)" "$(entries mrctl-reg.1 ADVICE)"
}

@test "mrctl-sim(1) has the words that the simulator knows, and no others" {
	same profiles "$(help_section Profiles simulator)" "$(entries mrctl-sim.1 PROFILES)"
	same kernels "$(help_section Kernels simulator)" "$(entries mrctl-sim.1 KERNELS)"
	same faults "$(help_section Calls simulator; help_section Actions simulator)" \
		"$(entries mrctl-sim.1 FAULTS | sed 's/, such as .*//; s/, /\n/g')"
	# The option's help names them too.
	for kernel in $(help_section Kernels simulator); do
		mrctl sim --help | grep -q -e "--kernel KERNEL .* $kernel\b" || fail "no --kernel $kernel"
	done
}

@test "the exit statuses are in the pages, and no others" {
	all=$(awk '/^enum exit_status/ { on = 1 } /^}/ { on = 0 }
		on && sub(/.* = /, "") { sub(/,/, ""); print }' "$ROOT/cmd/output/exit_status.h")
	same "mrctl(1)" "$all" "$(entries mrctl.1 'EXIT STATUS')"
	for command in $(commands); do
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

@test "the refusals that the pages explain happen as described" {
	local privileged=()

	# the limit of locked memory does not count for root
	[ "$(id -u)" -ne 0 ] || privileged=(setpriv --bounding-set -ipc_lock)
	for page in reg reg-iova reg-dmabuf umem rereg; do
		page=mrctl-$page.1
		count=0
		while read -r _ line; do
			run --separate-stderr "${privileged[@]}" bash -c "$line" </dev/null
			[ "$status" -eq 0 ] || fail "$page: exit status $status of: $line" "$stderr"
			count=$((count + 1))
		done < <(examples "$page" "COMMON REFUSALS")
		[ "$count" -ge 2 ] || fail "$page: $count"
		# a command below an errno expects that errno; others are the remedy, and succeed
		wrong=$(part "$page" "COMMON REFUSALS" | awk '
			tag { errno = $2 } { tag = /^\.TP/ }
			match($0, /--expect [A-Za-z]+/) {
				found = substr($0, RSTART + 9, RLENGTH - 9)
				if (found != errno && found != "ok") print errno ": " $0
			}')
		[ -z "$wrong" ] || fail "$page: $wrong"
	done
}

@test "no line is wider than a terminal of 80 columns" {
	command -v man >/dev/null || skip "man is not installed"
	for page in "$MAN"/*.[0-9]; do
		while IFS= read -r line; do
			[ "${#line}" -le 80 ] || fail "${page##*/}: $line"
		done < <(LC_ALL=C MANWIDTH=80 man -E ascii -l "$page" | sed 's/.\x08//g')
	done
}

# shape: prints the members of a document on stdin, with the types of their values
shape() {
	jq -c '[paths(true) as $p | [($p | map(if type == "number" then 0 else . end)),
		(getpath($p) | type)]] | unique | .[]'
}

@test "mrctl-json(5) has the members of a document, and its example has their types" {
	document=$(ulimit -l 64; mrctl sim -- mrctl -j reg --name buf --memory hole --count 2 || :)
	stat=$(mrctl sim -- mrctl session -- mrctl -j stat)
	rereg=$(mrctl sim -- mrctl session -- sh -c 'mrctl -q reg; mrctl -j rereg 1 --access none')
	batch=$(mrctl sim -- mrctl -j batch <<<reg)
	session=$(mrctl sim -- mrctl session -- sh -c 'mrctl -j session --list; :')
	dereg=$(mrctl sim -- mrctl session -- mrctl -j dereg --all)
	host=$(mrctl -j stat --host --root . || :)
	probe=$(mrctl sim -- mrctl -j stat --probe --max-size --cap 4K)
	device=$(mrctl sim -- mrctl -j stat --device)
	explained=$(mrctl -j explain 'ibv_reg_mr failed: errno 12')
	members() {
		jq -rs "[.[] | $1 | keys[]] | unique[]" \
			<<<"$document$stat$rereg$batch$session$dereg$host$probe$device$explained"
	}

	for list in environment regions devices sessions checks summary trials answers max_size \
		totals causes log failures; do
		same "$list" "$(members "[.$list] | flatten[0] // {}")" \
			"$(entries mrctl-json.5 DOCUMENT "$list" | sed 's/ (.*//; s/, /\n/g')"
	done
	same request "$(members '.failures[0] // {} | .request // {}')" \
		"$(entries mrctl-json.5 DOCUMENT request | sed 's/ (.*//; s/, /\n/g')"
	same lines "$(members '(.lines // [{}])[0] | del(.regions, .failures, .as_expected)')" \
		"$(entries mrctl-json.5 DOCUMENT lines | sed 's/ (.*//')"
	same document "$(members .)" \
		"$(entries mrctl-json.5 DOCUMENT - | sed 's/ (.*//')"
	example=$(part mrctl-json.5 EXAMPLES | sed -n '/^{$/,/^}$/p')
	same example "$(shape <<<"$document")" "$(shape <<<"$example")"
	[[ $(entries mrctl-json.5 DOCUMENT regions) == *'length (integer or'*'iova (string or'* ]]
	same pds "$(jq -r '.totals.pds[0] | keys[]' <<<"$stat")" \
		"$(part mrctl-json.5 DOCUMENT totals | sed -n '/^\.BR pds /,$s/^\.B //p')"
}

@test "a type that mrctl-json(5) gives is the type of the member" {
	documents=$(
		mrctl sim -- mrctl -j reg --name buf --memory hole --count 2
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
			mrctl -j dereg x 7; mrctl -j dereg --all'
		printf '%s\n' reg 'reg --expect EINVAL' bogus | mrctl sim -- mrctl -j batch --keep-going
		mrctl sim -- mrctl -j stat --probe --max-size --cap 4K
		(ulimit -v 100000; mrctl sim -- mrctl -j stat --probe --max-size --cap 200M)
		documents session
		mrctl -j stat --host
		mrctl -j stat --host --root .
		mrctl -j stat --host --root none
		documents explain
		mrctl -j explain MR-FORK
		mrctl -j explain 'mlx5_bond_0: ibv_reg_mr_iova(address=0x1000, length=1, access=0x2, iova=0x3) EINVAL ret -14'
		mrctl -j explain 'CREATE_MKEY(0x200) op_mod(0x0) failed, status limits exceeded(0x8), syndrome (0x1), err(-12)'
		mrctl -j explain 'CREATE_QP(0x500) op_mod(0x0) failed, status limits exceeded(0x8), syndrome (0x1), err(-12)'
	) || :
	all=$(jq -r 'def kind:
			if type == "number" then (if . == floor then "integer" else "fraction" end)
			elif type == "array" then (if . == [] then "list" else "list of \(.[] | kind)s" end)
			else type end;
		("-", "lines", "environment", "regions", "devices", "sessions", "checks", "summary", "trials",
		"answers", "max_size", "totals", "causes", "log", "failures", "request") as $list | if $list == "-" then . elif $list == "request" then
		.failures[].request elif $list == "causes" then .causes[]? else [.[$list]] | flatten[] end | objects | to_entries[] |
		"\($list).\(.key) \(.value | kind)"' <<<"$documents" | sort -u)
	for list in - lines environment regions devices sessions checks summary trials answers \
		max_size totals causes log failures request; do
		while read -r name types; do
			types=$(tr -d '()' <<<"$types")
			[ -n "$types" ] || types=null
			[[ $types != *"list of"* ]] || types+=" or list" # an empty one
			found=$(sed -n "s/^$list\.$name //p" <<<"$all")
			[ -n "$found" ] || fail "no document has $list.$name"
			every_line_of "$found" "${types// or /$'\n'}" "$list.$name"
		done < <(entries mrctl-json.5 DOCUMENT "$list" |
			awk '{ i = index($0, " ("); n = split(i ? substr($0, 1, i - 1) : $0, name, ", ")
				for (k = 1; k <= n; k++) print name[k] (i ? substr($0, i) : "") }')
	done
	# the section "Rules": times, and hexadecimal numbers
	found=$(jq -r 'del(.. | .evidence?) | .. | objects | to_entries[] | select(.value != null) |
		if .key | test("_ns$") then select(.value | type != "number")
		elif .key | test("^(lkey|rkey|iova|.*addr|.*_bits|.*_flags|page_size_cap|vendor_id|hw_version|firmware_status|.*syndrome)$") then
			select(.value | type != "string" or (test("^0x(0|[1-9a-f][0-9a-f]*)$") | not))
		else select(.value | type == "string" and test("^0[xX]")) end |
		"\(.key): \(.value)"' <<<"$documents")
	[ -z "$found" ] || fail "$found"
}
