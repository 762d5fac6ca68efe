#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Output: lines, tables, columns, JSON, --quiet, --verbose, progress, and failures to print.

load helpers

# columns: prints the output with one blank between columns
columns() {
	sed 's/^ *//; s/  */ /g; s/ $//' <<<"$output"
}

@test "-o prints the columns in the requested order, with headings or as values for scripts, in any case" {
	succeeded mr reg --size 64K -o length,access,memory,name,length
	[ "$(columns)" = $'LENGTH ACCESS MEMORY NAME LENGTH\n65536 local-write anon - 65536' ]
	outputs '1 deregistered 4096' mr reg -o 'ID, State,page-size' -n
	run --separate-stderr mr reg -n -o rkey
	[[ $output =~ ^0x[0-9a-f]+$ ]]
	run --separate-stderr mr reg --count 3 -n
	[ "${#lines[@]}" -eq 3 ]
	# a member of a document appears once
	shows '.regions[0] | keys_unsorted == ["length", "rkey"]' mr reg -o LENGTH,rkey -o length
	[ "$(grep -o length <<<"$output" | wc -l)" -eq 1 ]
}

# bats test_tags=slow
@test "every column of reg has a value where its call has one" {
	for column in $(mrctl --dump-cli | jq -r '.commands[] | select(.name == "reg").columns[].name'); do
		set -- reg --name buf
		case $column in
		umem_id | page_sizes) set -- umem --page-sizes 4K ;;
		offset) set -- reg-dmabuf --from udmabuf --name buf ;;
		answer) set -- umem --try-page-sizes ;;
		extended_*) set -- reg --relaxed ;;
		deferred_* | export) continue ;; # only stat has the former; newer libraries the latter: umem-share.bats
		dmah_*)
			on_simulator && on_mlx5 && [ "${MRCTL_TEST_KERNEL:-7.2}" = 7.2 ] || continue
			export MRCTL_SIM_TPH=1
			set -- reg --via kernel --dmah cpu=0,mem=volatile,ph=1
			;;
		advice*) set -- reg --access local-write,on-demand --advise prefetch --expect ok,EOPNOTSUPP ;;
		esac
		[ "$1" = reg ] || on_mlx5 || continue
		succeeded mr "$@" -n -o "$column"
		[ -n "$output" ] && [ "$output" != - ] || fail "no value in column $column"
	done
}

@test "unknown columns and too many are usage errors" {
	for columns in '' 'rkey,' ,rkey rkey,bogus 'rkey lkey' '+,' +bogus; do
		usage_error "unknown column" "valid values: id, " -- mr reg -o "$columns"
	done
	usage_error "at most 128 columns" -- mr -o "$(yes id | head -129 | paste -sd,)" reg
}

@test "lists and objects are columns of --json alone" {
	usage_error "column 'ports' requires --json" -- mr -o name,ports stat --device
	usage_error "column 'odp' requires --json" -- mr -n -o +odp stat --device
	usage_error "column 'histogram' requires --json" -- mr -o histogram bench --sizes 4K --count 1
	gives '.devices[0] | keys == ["name", "ports"] and (.ports | length == 1)' mr -o name,ports stat --device
	# no column is empty where the document has a value
	succeeded mr -j stat --device
	values=$(jq -r '.devices[0] | to_entries[] | select(.value != null and (.value | type) != "object") | .key' <<<"$output")
	for column in $values; do
		run --separate-stderr mr -n -o "$column" stat --device
		[ "$status" -eq 2 ] || [ "$output" != - ] || fail "$column" || return
	done
}

@test "--output +COLUMN adds to the default columns" {
	usual=$(mr reg --count 2 | head -n 1)
	more=$(mr reg --count 2 -o +page_size -o +length,call | head -n 1)
	[ "$(xargs <<<"$more")" = "$(xargs <<<"$usual") PAGE_SIZE CALL" ]
	succeeded mr reg -n -o +page_size
	[[ $output == "1 "*" 4096" ]]
	# a document has no more to show
	shows '.regions[0] | has("page_size") and has("lkey") and has("call")' mr reg -o +page_size
}

@test "--verbose prints more, and marks unknown values" {
	succeeded mr reg -v
	grep -qx 'name: *-' <<<"$output"
	grep -qx 'access_bits: *0x1' <<<"$output"
	grep -Eqx 'kernel: *[0-9].*' <<<"$output"
	run --separate-stderr mr reg
	run ! grep -E '^(name|access_bits|kernel):' <<<"$output"
}

@test "--quiet prints nothing but errors, and excludes what would be printed" {
	succeeded mr reg -q --count 2
	[ -z "$output$stderr" ]
	refused EINVAL ibv_reg_mr mr reg -q --size 0
	[ -z "$output" ]
	for option in "--output rkey" --verbose; do
		usage_error "--quiet excludes ${option% *}" -- mr reg -q $option
	done
	gives '.regions | length == 1' mr reg -q
	[ -z "$stderr" ]
}

@test "--json is one document with lists as lists, whatever the verbosity, the terminal's width and the locale" {
	shape='paths | map(tostring) | join(".")'
	succeeded mr reg -j
	json 'keys == ["as_expected", "command", "environment", "failures", "format", "regions",
		"session"]'
	json '(.regions | type == "array") and (.failures | type == "array")'
	json '.regions[0].name == null and (.regions[0].access | type == "array")'
	plain=$(jq -c "$shape" <<<"$output")
	[ "$(mr reg -j -v -n | jq -c "$shape")" = "$plain" ]
	[ "$(COLUMNS=10 LC_ALL=C.UTF-8 mr reg -j | jq -c "$shape")" = "$plain" ]
}

@test "full or closed standard output is a reported error, and the finished work is reported" {
	for arguments in "reg -o rkey" "reg --count 5000 ${MANY[*]}" "--help" "reg --help" "--version" "--dump-cli"; do
		run --separate-stderr mr_to /dev/full $arguments
		[ "$status" -eq 1 ] || fail "$arguments: exit status $status" || return
		[[ $stderr == *"standard output"*ENOSPC* ]] || fail "$arguments: $stderr" || return
	done
	exits 1 closed_output reg --json
	[[ $stderr == *"standard output"*EBADF* ]]
	run --separate-stderr mr_to /dev/full reg --count 2
	[[ $stderr == *ENOSPC*$'\n'"  2 regions were registered nonetheless, and deregistered again" ]]
	run --separate-stderr mr_to /dev/full reg --hold --json
	[[ $stderr == *ENOSPC*$'\n'"  1 region was registered nonetheless, and deregistered again" ]]
	run --separate-stderr mr_to /dev/full reg --size 0 --json
	[[ $stderr != *"nonetheless"* ]]
	# a closed standard error changes nothing on standard output
	run bash -c '"$@" 2>&-' -- "${MR[@]}" reg --json --size 0
	[ "$status" -eq 1 ]
	json '.failures[0].errno == "EINVAL"'
}

mr_to() {
	mr "${@:2}" >"$1"
}

closed_output() {
	mr "$@" >&-
}

ms_to() {
	ms "${@:2}" >"$1"
}

@test "if the disk is full, a command in a session reports what became of the regions" {
	session_begin
	exits 1 ms_to /dev/full reg --json
	[[ $stderr == *ENOSPC*$'\n'"  1 region is registered nonetheless and stays in the session: mrctl stat shows it" ]] ||
		fail "$stderr"
	[ "$(ms stat -n -o id,state)" = "1 live" ]
	run --separate-stderr ms_to /dev/full rereg 1 --access none
	[[ $stderr == *ENOSPC*$'\n'"  the region was changed nonetheless; mrctl stat shows it" ]] ||
		fail "$stderr"
	[ "$(ms stat -n -o access)" = none ]
	run --separate-stderr ms_to /dev/full dereg 1
	[[ $stderr == *ENOSPC*$'\n'"  1 region was deregistered nonetheless" ]] || fail "$stderr"
	[ -z "$(ms stat -n)" ]
	run --separate-stderr ms_to /dev/full stat
	[[ $stderr == *ENOSPC* && $stderr != *"nonetheless"* ]]
}

# on_terminal ARG...: mrctl with stdout in a file and stderr on a terminal; prints what the terminal got
on_terminal() {
	local command

	printf -v command '%q ' "${MR[@]}" "$@"
	TERM=${terminal-xterm} script -qec "$command >$BATS_TEST_TMPDIR/stdout" /dev/null </dev/null
}

@test "a requested time is measured with any other columns" {
	for column in elapsed_ns dereg_elapsed_ns; do
		run mr -n -o "rkey,$column" reg
		[[ $output =~ ^0x[0-9a-f]+\ [1-9][0-9]*$ ]] || fail "$column: $output"
		run mr -j -o "$column" reg
		[[ $output == *"{\"$column\":"[1-9]* ]] || fail "$column: $output"
	done
}

@test "progress of many regions is shown on a terminal that can erase a line, and unless --quiet" {
	command -v script >/dev/null || skip "script(1) is not installed"
	run on_terminal reg --count 600 "${MANY[@]}" --json
	[ "$status" -eq 0 ]
	[[ $output == *"registered 256 of 600"* ]]
	output=$(cat "$BATS_TEST_TMPDIR/stdout")
	json '.regions | length == 600'
	run --separate-stderr mr reg --count 600 "${MANY[@]}" --json
	[ -z "$stderr" ]
	for terminal in dumb ''; do
		run on_terminal reg --count 600 "${MANY[@]}"
		[[ $output != *"registered 256"* && $output != *$'\e'* ]] || fail "'$terminal': $output"
	done
	terminal=xterm run on_terminal reg --count 600 "${MANY[@]}" --quiet
	[[ $output != *registered* ]]
	run on_terminal reg
	[[ $output != *registered* ]]
}

@test "a long step is announced on a terminal, and the line is erased afterwards" {
	command -v script >/dev/null || skip "script(1) is not installed"
	run on_terminal reg --size 3G --access on-demand
	[[ $output == *"registering 3 GiB ..."*$'\r\e[K'* ]] || fail "$output"
	run on_terminal reg --size 2G --memory hugetlb:1G --populate
	[[ $output == *"populating 2 GiB ..."*$'\r\e[K'* ]] || fail "$output"
	run on_terminal reg --size 1M --populate
	[[ $output != *populating* && $output != *registering* ]]
	run --separate-stderr mr reg --size 3G --access on-demand
	[[ $stderr != *"registering"* ]]
}

@test "a message is wrapped at words on a terminal, and one line for each fact in a file" {
	command -v script >/dev/null || skip "script(1) is not installed"
	for words in "reg --memory hole" "reg --access remote-write,remote-read,mw-bind --why none" "reg --memory file:/$(printf '%090d' 0)"; do
		run on_terminal $words
		wrapped=$(tr -d '\r' <<<"$output")
		run --separate-stderr mr $words
		# The addresses of two processes differ.
		[ "$(tr -s ' \n' ' ' <<<"$wrapped" | sed 's/0x[0-9a-f]*/0x/g')" = \
			"$(tr -s ' \n' ' ' <<<"$stderr" | sed 's/0x[0-9a-f]*/0x/g')" ] || fail "$wrapped"
		[ "$(awk 'length > 79 && NF > 1' <<<"$wrapped")" = "" ] || fail "$wrapped"
		[ "$(wc -l <<<"$wrapped")" -gt "$(wc -l <<<"$stderr")" ] || fail "$wrapped"
		[ "$(awk 'length > 79' <<<"$stderr")" != "" ] || fail "$stderr"
	done
}

# on_wide_terminal WIDTH ARG...: mrctl in the session on a terminal of WIDTH columns; prints what it got
on_wide_terminal() {
	local command

	printf -v command '%q ' "${MS[@]}" "${@:2}"
	script -qec "stty cols $1; $command" /dev/null </dev/null | tr -d '\r'
}

@test "a table has 80 columns and those that differ from the default in any row; for scripts always the same" {
	session_begin
	ms reg --name buf --size 1M -q
	ms reg --name small --count 2 -q
	run --separate-stderr ms stat
	[ "$(head -4 <<<"$output" | awk 'length > n { n = length } END { print n + 0 }')" -le 80 ] ||
		fail "$output"
	[ "$(columns | head -1)" = "ID NAME STATE LKEY RKEY ADDR LENGTH ACCESS" ]
	one=$(ms stat -n | awk '{ print NF }' | uniq)
	ms reg --pd other -q
	ms reg-iova --iova 0x1000 -q
	run --separate-stderr ms stat
	[ "$(columns | head -1)" = "ID NAME STATE LKEY RKEY ADDR LENGTH IOVA ACCESS PD" ]
	[[ $(columns) == *" 0x1000 local-write default"* && $(columns) == *" other"* ]]
	[ "$(ms stat -n | awk '{ print NF }' | uniq)" = "$one" ]
	run --separate-stderr ms stat -o id,name,iova,addr,pd,handle 1
	[ "$(columns | head -1)" = "ID NAME IOVA ADDR PD HANDLE" ]
}

@test "a table is made to fit a terminal without being cut, and only a terminal" {
	access=local-write,remote-write,remote-read,remote-atomic
	command -v script >/dev/null || skip "script(1) is not installed"
	session_begin
	ms reg -q --name a-longer-name --access $access
	ms reg -q --count 2 --name b
	run on_wide_terminal 80 stat
	[ "$(awk 'length > n { n = length } END { print n + 0 }' <<<"$output")" -le 80 ] || fail "$output"
	[[ $(grep -o '[a-z-]*$' <<<"$output" | tr '\n' ,) == $access,local-write,* ]] || fail "$output"
	# a terminal that is too narrow for any layout gets one line for each row, as what is no terminal
	for width in 300 60; do
		run on_wide_terminal $width stat
		[[ $output == *"a-longer-name "*"$access"* ]]
	done
	COLUMNS=40 run --separate-stderr ms stat
	[[ $output == *"a-longer-name "*"$access"* ]]
}
