#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Completions of the shells offer exactly the commands, options and values that the program has.

# bats file_tags=text
load helpers

setup() {
	note_less
	case $BATS_TEST_DESCRIPTION in
	bash*) [ -e "$LIBRARY" ] || skip "bash-completion is not installed" ;;
	fish*) command -v fish >/dev/null || skip "fish is not installed" ;;
	zsh*) command -v zsh >/dev/null || skip "zsh is not installed" ;;
	esac
	cd "$BATS_TEST_TMPDIR" || return
	touch plain.bin
	mkdir -p sys/class/infiniband/mlx5_0 sys/class/infiniband/rxe0
	export SYSFS_PATH=$PWD/sys
}

LIBRARY=/usr/share/bash-completion/bash_completion

# in_bash LINE: prints what bash offers at the end of LINE, a word a line; LINE is split at : and =, as by readline
in_bash() {
	bash --norc -s "$LIBRARY" "$ROOT/completions/mrctl.bash" "$1" <<-'EOF' | sort -u
		. "$1" && . "$2" || exit
		compopt() { :; } # the real one needs readline
		COMP_LINE=$3 COMP_POINT=${#3}
		read -ra COMP_WORDS <<<"$(sed 's/[:=]/ & /g' <<<"$3")"
		[[ $3 != *' ' ]] || COMP_WORDS+=('')
		COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
		_mrctl mrctl "${COMP_WORDS[-1]}" "${COMP_WORDS[-2]}"
		[ ${#COMPREPLY[@]} -eq 0 ] || printf '%s\n' "${COMPREPLY[@]}"
	EOF
}

in_fish() {
	# shellcheck disable=SC2016 # for the other shell
	HOME=$BATS_TEST_TMPDIR fish -N -c 'source $argv[1]; complete -C $argv[2]' \
		"$ROOT/completions/mrctl.fish" "$1" | sed 's/\t.*//' | sort
}

# in_zsh LINE...: prints what each line has become after TAB.  zsh completes only at a terminal, so it gets one.
# The key that prints the line is no prefix of another key: zsh would wait for the rest of that.
in_zsh() {
	timeout 60 zsh -f -s "$ROOT/completions" "$@" <<-'EOF'
		zmodload zsh/zpty
		zpty shell zsh -f -i
		zpty -w shell "PS1=; unsetopt beep; zstyle ':completion:*' menu no
			fpath=(${(q)1} \$fpath); autoload -Uz compinit; compinit -D -u
			show() { print -r -- \"<<\$BUFFER>>\"; BUFFER= }; zle -N show; bindkey ^O show
			echo REA''DY"
		zpty -r -m shell out '*READY*'
		for line in "${@[2,-1]}"; do
			zpty -n -w shell $line$'\t\x0f'
			zpty -r -m shell out '*<<*>>*'
			print -r -- "${${out##*<<}%%>>*}"
		done
	EOF
}

# zsh_makes: checks lines "LINE>RESULT" on stdin
zsh_makes() {
	local line become lines=() all=''

	while IFS='>' read -r line become; do
		lines+=("$line") all+=$line'>'$become$'\n'
	done
	diff <(printf %s "$all") <(paste -d '>' <(printf '%s\n' "${lines[@]}") <(in_zsh "${lines[@]}")) >&2
}

# zsh_options [COMMAND]: prints the options that _mrctl gives to zsh
zsh_options() {
	zsh -f -s "$ROOT/completions/_mrctl" "$@" <<-'EOF' | sed -n 's/^([^)]*)\(--[a-z-]*\).*/\1/p'
		setopt extendedglob
		_call_program() { shift; "$@" }
		_arguments() { print -rl -- $options; state=rest; shift words; return 1 }
		_describe() { : }
		words=(mrctl $2 -) CURRENT=$#words
		source $1
	EOF
}

commands() {
	cli command | sort
}

# options COMMAND: prints its own options and the global ones
options() {
	{
		cli option
		[ -z "$1" ] || cli option "$1"
	} | sed 's/^/--/; s/\t.*//' | sort -u
}

# columns COMMAND: prints the columns that it fills
columns() {
	[ -z "$1" ] || mrctl --dump-cli | jq -r --arg command "$1" '.commands[] |
		select(.name == $command) | .columns[] | select(.filled).name' | sort
}

# view_columns COMMAND OPTION: prints the columns of what it prints with that option
view_columns() {
	mrctl --dump-cli | jq -r --arg command "$1" --arg option "$2" '.commands[] | select(.name == $command) |
		.views[] | select(.option == $option).columns[].name' | sort
}

# section TITLE TOPIC: prints the words of a section of mrctl help TOPIC
section() {
	mrctl help ${2:+"$2"} |
		awk -v title="$1" 'index($0, title) == 1 { on = 1; next } !NF { on = 0 }
			on && /^  [^ ]/ { print $1 }'
}

kinds() {
	section "Memory kinds" memory | sed 's/:PATH$/:/; s/^\(hugetlb\)\[\(.*\)|\(.*\)\]$/\1\n\1\2\n\1\3/;
		s/^\(dm\)\[:SIZE\]$/\1\n\1:/' |
		sort
}

sources() {
	section "Dma-buf sources" dmabuf | sed 's/[A-Z]*$//' | sort
}

flags() {
	{ section "Access flags" access; echo none; } | sort
}

same() { # EXPECTED FOUND
	[ -n "$1" ] || fail "nothing to compare with"
	diff <(printf '%s\n' "$1") <(printf '%s\n' "$2") >&2
}

# choices OPTION: prints the words that the help of stat lists for the value of an option: "bad (default), warn"
choices() {
	mrctl stat --help | sed -n "s/^ *$1 .*[ :]\([a-z]*\) (default)/\1/p" | tr -d ' ' | tr , '\n' | sort
}

offers_choices() { # SHELL
	local option

	for option in --fail-on --exit --format --by; do
		same "$(choices "$option")" "$("$1" "mrctl stat $option ")"
	done
	[ "$(choices --exit)" = $'nagios\nnpd\nplain' ]
	[ "$("$1" 'mrctl stat --host --exit na')" = nagios ]
	for option in --only --ignore; do
		same "$(section Checks checks | sort)" "$("$1" "mrctl stat --host $option ")"
	done
	[ "$("$1" 'mrctl stat --host --only MR-NODE,MR-USE')" = MR-NODE,MR-USERNS ]
}

offers_what_there_is() { # SHELL
	same "$({ commands; echo help; echo version; } | sort)" "$("$1" 'mrctl ')"
	same "$({ commands; echo help; echo version; section Topics; } | sort)" "$("$1" 'mrctl help ')"
	[ "$("$1" 'mrctl help acc')" = access ]
	[ "$("$1" 'mrctl -j -d x reg-')" = $'reg-dmabuf\nreg-iova' ]
	for command in '' $(commands); do
		same "$(options "$command")" "$("$1" "mrctl $command --")"
		[ -z "$(columns "$command")" ] || [ "$command" = trace ] || # whose -o is a file
			same "$(columns "$command")" "$("$1" "mrctl $command -o ")"
	done
	for view in $(cli view stat); do
		same "$(view_columns stat "$view")" "$("$1" "mrctl stat --$view -o ")"
	done
	[ "$("$1" 'mrctl stat --device ')" = $'mlx5_0\nrxe0' ]
	[ "$("$1" 'mrctl stat --probe rx')" = rxe0 ]
	[ "$("$1" 'mrctl stat -d rx')" = rxe0 ]
	[ -z "$("$1" 'mrctl stat --host ')" ]
	same "$(kinds)" "$("$1" 'mrctl reg --memory ')"
	same "$(sources)" "$("$1" 'mrctl reg-dmabuf --from ')"
	[ "$("$1" 'mrctl reg-dmabuf --from ud')" = udmabuf ]
	same "$(flags)" "$("$1" 'mrctl reg -a ')"
	[ "$("$1" 'mrctl -no rke')" = rkey ]
	[ -z "$("$1" 'mrctl reg ')" ]
	[ -z "$("$1" 'mrctl reg --size ')" ]
	answers=$("$1" 'mrctl reg --expect ')
	mrctl reg --expect "$(paste -sd, <<<"$answers")" --help >/dev/null
	same "$(section Causes causes | sort)" "$("$1" 'mrctl explain ')"
	same "$(mrctl -n -o id explain EPERM | sed 's/^/EPERM:/' | sort)" "$("$1" 'mrctl reg --expect EPERM:' | sed 's/^/EPERM:/; s/^EPERM:EPERM/EPERM/')"
	same "$(mrctl -j explain --list | jq -r '.causes[].calls[] | select(test("^(ibv|mlx5dv)_"))' | sort -u)" \
		"$("$1" 'mrctl explain ENOMEM --call ')"
}

@test "bash offers the commands, options and values that there are" {
	offers_what_there_is in_bash
}

@test "fish offers the commands, options and values that there are" {
	offers_what_there_is in_fish
}

@test "bash offers checks, and the words that the help lists" {
	offers_choices in_bash
}

@test "fish offers checks, and the words that the help lists" {
	offers_choices in_fish
}

@test "zsh offers the options that there are" {
	for command in '' $(commands); do
		same "$(options "$command")" "$(zsh_options "$command" | sort -u)"
	done
}

@test "bash goes on after commas, with each word once" {
	same $'local-write,remote-atomic\nlocal-write,remote-read\nlocal-write,remote-write' \
		"$(in_bash 'mrctl reg -a local-write,remote-')"
	same "$(columns reg | grep -vx rkey | sed 's/^/rkey,/')" "$(in_bash 'mrctl reg -o rkey,')"
	[ "$(in_bash 'mrctl reg --access=none,mw')" = none,mw-bind ]
	[ "$(in_bash 'mrctl reg --advise prefetch-w')" = prefetch-write ]
	[ "$(in_bash 'mrctl reg --advise prefetch,')" = prefetch,flush ]
}

@test "fish goes on after commas, with each word once" {
	same $'local-write,remote-atomic\nlocal-write,remote-read\nlocal-write,remote-write' \
		"$(in_fish 'mrctl reg -a local-write,remote-')"
	same "$(columns reg | grep -vx rkey | sed 's/^/rkey,/')" "$(in_fish 'mrctl reg -o rkey,')"
	[ "$(in_fish 'mrctl reg --access=none,mw')" = --access=none,mw-bind ]
	[ "$(in_fish 'mrctl reg --advise=prefetch-w')" = --advise=prefetch-write ]
}

@test "bash offers files after file: and device:" {
	for kind in file file-private device; do
		[ "$(in_bash "mrctl reg -m $kind:pla")" = plain.bin ]
	done
}

@test "fish offers files after file: and device:" {
	for kind in file file-private device; do
		[ "$(in_fish "mrctl reg -m $kind:pla")" = "$kind:plain.bin" ]
	done
}

@test "bash offers the devices of the machine for --device" {
	same $'mlx5_0\nrxe0' "$(in_bash 'mrctl -d ')"
	rm -r sys
	[ -z "$(in_bash 'mrctl -d ')" ]
}

@test "fish offers the devices of the machine for --device" {
	same $'mlx5_0\nrxe0' "$(in_fish 'mrctl reg --device ')"
	rm -r sys
	[ -z "$(in_fish 'mrctl -d ')" ]
}

@test "bash completes what sim and session run" {
	for line in 'mrctl sim -- ' 'mrctl -j sim ' 'mrctl session --joinable -- ' \
		'mrctl sim mrctl session '; do
		[ "$(in_bash "${line}mrctl")" = mrctl ]
		[ "$(in_bash "${line}mrctl reg --ac")" = --access ]
		[ "$(in_bash "${line}mrctl reg -m file:pla")" = plain.bin ]
	done
	for line in 'sim --profile mlx5' 'sim --profile=mlx5 --fault reg_mr@2=delay:5 --' \
		'sim --fault=reg_mr=delay:5' '-d x session'; do
		[ "$(in_bash "mrctl $line mrctl reg --ac")" = --access ]
	done
	[ "$(in_bash 'mrctl sim --prof')" = --profile ]
	in_bash 'mrctl sim --profile ' | grep -qx mlx5
	in_bash 'mrctl sim --profile=' | grep -qx mlx5
	in_bash 'mrctl sim --kernel 6' | grep -qx 6.12
	[ "$(in_bash 'mrctl sim --he')" = --help ]
	[ "$(in_bash 'mrctl session --det')" = --detach ]
}

@test "fish completes what sim and session run" {
	for line in 'mrctl sim -- ' 'mrctl -j sim ' 'mrctl session --joinable -- ' \
		'mrctl sim mrctl session '; do
		in_fish "${line}mrct" | grep -qx mrctl
		[ "$(in_fish "${line}mrctl reg --ac")" = --access ]
	done
	for line in 'sim --profile mlx5' 'sim --profile=mlx5 --fault reg_mr@2=delay:5 --' \
		'sim --fault=reg_mr=delay:5' '-d x session'; do
		[ "$(in_fish "mrctl $line mrctl reg --ac")" = --access ]
	done
	in_fish 'mrctl sim --profile ' | grep -qx mlx5
	in_fish 'mrctl sim --kernel ' | grep -qx 6.12
	[ "$(in_fish 'mrctl sim --he')" = --help ]
	[ "$(in_fish 'mrctl session --det')" = --detach ]
}

# open_session: from now on mrctl works in a session with regions 1, buf, 2 and PDs default, other
open_session() {
	eval "$(mrctl sim -- mrctl session --detach 3>&-)"
	# shellcheck disable=SC2034 # for teardown
	SESSION_PID=${MRCTL_SESSION#pid:}
	mkdir bin
	printf '#!/bin/sh\nexec "%s" sim -- "%s" "$@"\n' "$BUILD/mrctl" "$BUILD/mrctl" >bin/mrctl
	chmod +x bin/mrctl
	PATH=$PWD/bin:$PATH
	mrctl -q reg --name buf
	mrctl -q reg --pd other
}

offers_what_a_session_has() { # SHELL
	[ -z "$("$1" 'mrctl dereg ')" ]
	open_session
	same $'1\n2\nbuf\npd:default\npd:other' "$("$1" 'mrctl dereg ')"
	same $'1\n2\nbuf' "$("$1" 'mrctl -j stat 1 ')"
	[ "$("$1" 'mrctl dereg 1 b')" = buf ]
	[ "$("$1" 'mrctl dereg 1 --al')" = --all ]
	same $'default\nother' "$("$1" 'mrctl reg --pd ')"
	[ "$("$1" 'mrctl reg --via k')" = kernel ]
}

@test "bash offers the regions and protection domains of the session" {
	offers_what_a_session_has in_bash
	[ "$(in_bash 'mrctl dereg pd:o')" = other ] # readline keeps the part before the colon
}

@test "fish offers the regions and protection domains of the session" {
	offers_what_a_session_has in_fish
	[ "$(in_fish 'mrctl dereg pd:o')" = pd:other ]
}

@test "zsh offers the regions and protection domains of the session" {
	open_session
	zsh_makes <<-'EOF'
		mrctl dereg b>mrctl dereg buf 
		mrctl dereg 1 b>mrctl dereg 1 buf 
		mrctl dereg pd:o>mrctl dereg pd:other 
		mrctl stat b>mrctl stat buf 
		mrctl stat pd>mrctl stat pd
		mrctl dereg --a>mrctl dereg --all 
		mrctl reg --pd o>mrctl reg --pd other 
		mrctl reg --via k>mrctl reg --via kernel 
	EOF
}

@test "zsh completes commands, options, values and what sim and session run" {
	zsh_makes <<-'EOF'
		mrctl reg-i>mrctl reg-iova 
		mrctl -jd x reg --keep>mrctl -jd x reg --keep-going 
		mrctl reg -a local-write,remote-a>mrctl reg -a local-write,remote-atomic,
		mrctl reg --access=mw>mrctl reg --access=mw-bind,
		mrctl -no rke>mrctl -no rkey,
		mrctl reg -d r>mrctl reg -d rxe0 
		mrctl reg -m unm>mrctl reg -m unmapped 
		mrctl reg -m hugetlb:2>mrctl reg -m hugetlb:2M 
		mrctl reg -m file:pla>mrctl reg -m file:plain.bin 
		mrctl reg-dmabuf --from ud>mrctl reg-dmabuf --from udmabuf 
		mrctl reg-dmabuf -f he>mrctl reg-dmabuf -f heap:
		mrctl reg --expect EAG>mrctl reg --expect EAGAIN,
		mrctl explain MR-PD-B>mrctl explain MR-PD-BUSY 
		mrctl reg --expect ENOMEM:MR-MEML>mrctl reg --expect ENOMEM:MR-MEMLOCK 
		mrctl sim -- mrctl reg --hold->mrctl sim -- mrctl reg --hold-for=
		mrctl sim --profile ml>mrctl sim --profile mlx5 
		mrctl sim --profile mlx5 -- mrctl reg --keep>mrctl sim --profile mlx5 -- mrctl reg --keep-going 
		mrctl sim --profile=mlx5 --fault reg_mr=EIO mrctl reg-i>mrctl sim --profile=mlx5 --fault reg_mr=EIO mrctl reg-iova 
		mrctl session --det>mrctl session --detach 
		mrctl stat --exit na>mrctl stat --exit nagios 
		mrctl stat --format=ma>mrctl stat --format=markdown 
		mrctl stat --fail-on w>mrctl stat --fail-on warn 
		mrctl stat --by u>mrctl stat --by unit 
		mrctl stat --host --only MR-USE>mrctl stat --host --only MR-USERNS,
		mrctl session -- mrctl reg-i>mrctl session -- mrctl reg-iova 
	EOF
}
