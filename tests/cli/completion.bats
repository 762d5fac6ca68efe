#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Completions of the shells offer exactly the commands, options and values that the program has.

# shellcheck disable=SC2046 # words

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

# in_bash, in_fish: print for each line of stdin "LINE|WORDS", the words that the shell offers at the end of LINE
in_bash() {
	# LINE is split at : and =, as by readline
	bash --norc -c '
		. "$1" && . "$2" || exit
		compopt() { :; } # the real one needs readline
		while IFS= read -r line; do
			COMP_LINE=$line COMP_POINT=${#line}
			read -ra COMP_WORDS <<<"$(sed "s/[:=]/ & /g" <<<"$line")"
			[[ $line != *" " ]] || COMP_WORDS+=("")
			COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMPREPLY=()
			_mrctl mrctl "${COMP_WORDS[-1]}" "${COMP_WORDS[-2]}"
			printf "%s|%s\n" "$line" "$(printf "%s\n" "${COMPREPLY[@]}" | LC_ALL=C sort -u | paste -sd" ")"
		done' bash "$LIBRARY" "$ROOT/completions/mrctl.bash"
}

in_fish() {
	HOME=$BATS_TEST_TMPDIR fish -N -c 'source $argv[1]
		while read -l line
			set -l words (complete -C $line | string replace -r "\t.*" "" | LC_ALL=C sort -u)
			echo "$line|$words"
		end' "$ROOT/completions/mrctl.fish"
}

# row LINE WORDS...: prints what a shell is to offer
row() {
	printf '%s|%s\n' "$1" "$(printf '%s\n' "${@:2}" | grep . | LC_ALL=C sort -u | paste -sd' ')"
}

# offers SHELL: checks rows on stdin
offers() {
	local wanted

	wanted=$(cat)
	diff <(printf '%s\n' "$wanted") <(printf '%s\n' "$wanted" | cut -d '|' -f 1 | "$1") >&2
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

# choices OPTION: prints the words that the help of stat lists for the value of an option: "bad (default), warn"
choices() {
	mrctl stat --help | sed -n "s/^ *$1 .*[ :]\([a-z]*\) (default)/\1/p" | tr -d ' ' | tr , '\n'
}

# what_there_is PREFIX: prints rows; a shell may repeat what stands before a colon in the same word
what_there_is() {
	local option words

	row 'mrctl ' $(commands) help version
	row 'mrctl help ' $(commands) help version $(section Topics)
	row 'mrctl help acc' access
	row 'mrctl -j -d x reg-' reg-dmabuf reg-iova
	# of all commands; what -o of trace takes is a file
	mrctl --dump-cli | jq -r '.options as $global | def words: unique | join(" ");
		"mrctl  --|" + ([$global[] | "--" + .name] | words),
		(.commands[] | "mrctl \(.name)" as $line |
			"\($line) --|" + ([($global + .options)[] | "--" + .name] | words),
			(select(.columns != [] and .name != "trace") |
				"\($line) -o |" + ([.columns[] | select(.filled).name] | words)),
			(select(.name == "stat").views[] | "\($line) --\(.option) -o |" + ([.columns[].name] | words)))'
	row 'mrctl stat --system --by unit -o ' $(section 'Columns of stat --system --by unit' 'columns stat')
	for option in --fail-on --exit --format --by; do
		row "mrctl stat $option " $(choices "$option")
	done
	for option in --only --ignore; do
		row "mrctl stat --host $option " $(section Checks checks)
	done
	row 'mrctl stat --host --exit na' nagios
	row 'mrctl stat --host --only MR-NODE,MR-USE' MR-NODE,MR-USERNS
	row 'mrctl stat --device ' mlx5_0 rxe0
	row 'mrctl stat --probe rx' rxe0
	row 'mrctl stat -d rx' rxe0
	row 'mrctl -d ' mlx5_0 rxe0
	row 'mrctl stat --host '
	row 'mrctl reg --memory ' $(kinds)
	row 'mrctl reg-dmabuf --from ' $(sources)
	row 'mrctl reg-dmabuf --from ud' udmabuf
	row 'mrctl reg -a ' $(flags)
	row 'mrctl -no rke' rkey
	row 'mrctl reg '
	row 'mrctl reg --size '
	row 'mrctl explain ' $(section Causes causes)
	row 'mrctl reg --expect EPERM:' $(mrctl -n -o id explain EPERM | sed "s/^/$1/")
	row 'mrctl explain ENOMEM --call ' \
		$(mrctl -j explain --list | jq -r '.causes[].calls[] | select(test("^(ibv|mlx5dv)_"))')
	# after a comma each word comes once
	row 'mrctl reg -a local-write,remote-' local-write,remote-{atomic,read,write}
	row 'mrctl reg -o rkey,' $(mrctl --dump-cli | jq -r '.commands[] |
		select(.name == "reg").columns[] | select(.filled and .name != "rkey") | "rkey," + .name')
	# what sim and session run
	for words in 'sim -- ' 'session --joinable -- ' 'sim mrctl session ' \
		'sim --profile=mlx5 --fault reg_mr@2=delay:5 -- ' 'sim --fault=reg_mr=delay:5 ' '-d x session '; do
		row "mrctl ${words}mrctl reg --ac" --access
	done
	row 'mrctl sim --prof' --profile
	row 'mrctl sim --profile ' $(section Profiles simulator)
	row 'mrctl sim --kernel ' $(section Kernels simulator)
	row 'mrctl sim --fault dereg_' dereg_mr=
	row 'mrctl sim --fault reg_mr@2=sto' "${1:+reg_mr@2=}"stop{,-after}
	row 'mrctl sim --fault reg_mr=ENOM' "${1:+reg_mr=}"ENOMEM
	row 'mrctl sim --fault reg_mr=de' "${1:+reg_mr=}"delay:
	row 'mrctl bench rel' relaxed
	row 'mrctl bench reg pla' plain.bin
	row 'mrctl stat --system --sort page_p' page_prefetch
	row 'mrctl report --to pla' plain.bin
	row 'mrctl bench --plot pla' plain.bin
	row 'mrctl stat --host --record sy' "sys${1:+/}"
	row 'mrctl --why pro' prove
	row 'mrctl session --det' --detach
}

# knows_answers SHELL: the answers that it offers for --expect are known ones, and a process that runs is one
# for --pid (others may begin with its digits)
knows_answers() {
	local words

	words=$("$1" <<<"mrctl trace --pid $$")
	[[ " ${words#*|} " == *" $$ "* ]] || fail "$words"

	words=$("$1" <<<'mrctl reg --expect ')
	words=${words#*|}
	[[ $words == *EINVAL*ENOMEM* ]]
	mrctl reg --expect "${words// /,}" --help >/dev/null || fail "$words"
}

@test "bash offers the existing commands, options and values" {
	what_there_is '' | offers in_bash
	knows_answers in_bash
	offers in_bash <<-'EOF'
		mrctl reg --access=none,mw|none,mw-bind
		mrctl reg --advise prefetch,|prefetch,flush
		mrctl reg -m file:pla|plain.bin
		mrctl reg -m device:pla|plain.bin
		mrctl sim -- mrctl|mrctl
		mrctl sim -- mrctl reg -m file-private:pla|plain.bin
	EOF
	rm -r sys
	offers in_bash <<<'mrctl -d |'
}

@test "fish offers the existing commands, options and values" {
	what_there_is 'EPERM:' | offers in_fish
	knows_answers in_fish
	offers in_fish <<-'EOF'
		mrctl reg --access=none,mw|--access=none,mw-bind
		mrctl reg --advise=prefetch-w|--advise=prefetch-write
		mrctl reg -m file:pla|file:plain.bin
		mrctl reg -m device:pla|device:plain.bin
	EOF
	rm -r sys
	offers in_fish <<<'mrctl -d |'
}

@test "zsh offers the existing options" {
	for command in '' $(commands); do
		diff <(options "$command") <(zsh_options "$command" | sort -u) >&2
	done
}

# open_session: from now on mrctl works in a session with regions 1, buf, 2 and PDs default, other, and lists no other
open_session() {
	eval "$(mrctl sim -- mrctl session --detach --joinable 3>&-)"
	SESSION_PID=${MRCTL_SESSION#pid:}
	mkdir bin
	cat >bin/mrctl <<-END
		#!/bin/sh
		case "\$*" in
		*"session --list") "$BUILD/mrctl" sim -- "$BUILD/mrctl" "\$@" | grep -x "pid:$SESSION_PID" ;;
		*) exec "$BUILD/mrctl" sim -- "$BUILD/mrctl" "\$@" ;;
		esac
	END
	chmod +x bin/mrctl
	PATH=$PWD/bin:$PATH
	mrctl -q reg --name buf
	mrctl -q reg --pd other
}

# offers_regions SHELL PREFIX: it offers the regions and protection domains of the session, once there is one
offers_regions() {
	offers "$1" <<<'mrctl dereg |'
	open_session
	offers "$1" <<-EOF
		mrctl dereg |1 2 buf pd:default pd:other
		mrctl -j stat 1 |1 2 buf
		mrctl dereg 1 b|buf
		mrctl dereg 1 --al|--all
		mrctl dereg pd:o|$2other
		mrctl reg --pd |default other
		mrctl reg --via k|kernel
		mrctl dereg rk|$(mrctl -n -o rkey stat | sed 's/^/rkey:/' | paste -sd' ')
		mrctl stat lkey:|$(mrctl -n -o lkey stat | sed "s/^/${2:+lkey:}/" | paste -sd' ')
		mrctl --session p|pid:$SESSION_PID
		mrctl session --end |pid:$SESSION_PID
	EOF
}

@test "bash offers the regions and protection domains of the session" {
	offers_regions in_bash '' # readline keeps the part before the colon
}

@test "fish offers the regions and protection domains of the session" {
	offers_regions in_fish pd:
}

@test "zsh offers the regions and protection domains of the session" {
	open_session
	rkey=$(mrctl -n -o rkey stat buf)
	zsh_makes <<-EOF
		mrctl dereg b>mrctl dereg buf 
		mrctl dereg 1 b>mrctl dereg 1 buf 
		mrctl dereg pd:o>mrctl dereg pd:other 
		mrctl stat b>mrctl stat buf 
		mrctl stat pd>mrctl stat pd
		mrctl dereg --a>mrctl dereg --all 
		mrctl reg --pd o>mrctl reg --pd other 
		mrctl reg --via k>mrctl reg --via kernel 
		mrctl dereg rkey:${rkey%?}>mrctl dereg rkey:$rkey 
		mrctl session --end pid:${SESSION_PID%?}>mrctl session --end pid:$SESSION_PID 
		mrctl --session pid:${SESSION_PID%?}>mrctl --session pid:$SESSION_PID 
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
		mrctl reg -m file:pla>mrctl reg -m file:plain.bin 
		mrctl reg --expect ENOMEM:MR-MEML>mrctl reg --expect ENOMEM:MR-MEMLOCK 
		mrctl sim -- mrctl reg --hold->mrctl sim -- mrctl reg --hold-for=
		mrctl sim --profile mlx5 -- mrctl reg --keep>mrctl sim --profile mlx5 -- mrctl reg --keep-going 
		mrctl sim --profile=mlx5 --fault reg_mr=EIO mrctl reg-i>mrctl sim --profile=mlx5 --fault reg_mr=EIO mrctl reg-iova 
		mrctl stat --format=ma>mrctl stat --format=markdown 
		mrctl stat --host --only MR-USE>mrctl stat --host --only MR-USERNS,
		mrctl session -- mrctl reg-i>mrctl session -- mrctl reg-iova 
		mrctl sim --fault dereg_>mrctl sim --fault dereg_mr=
		mrctl sim --fault reg_mr@2=ENOM>mrctl sim --fault reg_mr@2=ENOMEM 
		mrctl sim --fault reg_mr=kill-a>mrctl sim --fault reg_mr=kill-after 
		mrctl bench rel>mrctl bench relaxed 
		mrctl bench reg pla>mrctl bench reg plain.bin 
		mrctl stat --system --sort page_p>mrctl stat --system --sort page_prefetch 
		mrctl stat --system --by unit -o loc>mrctl stat --system --by unit -o locked,
		mrctl report --to pla>mrctl report --to plain.bin 
		mrctl stat --host --record sy>mrctl stat --host --record sys/
		mrctl --why pro>mrctl --why prove 
	EOF
}
