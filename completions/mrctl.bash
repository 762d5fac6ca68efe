# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash
# bash completion for mrctl.
#
# Everything comes from the program: commands and options from "mrctl [COMMAND] --help", memory kinds,
# access flags, columns and other words from "mrctl help TOPIC".  The word that the help shows for an
# option's value (SIZE, FLAGS) decides how the value is completed.

# _mrctl_read_help PROGRAM [COMMAND]: sets "help" to the lines of the help.  Adds to "argument", for each option
# and each letter the word for its value or "", to "choices" the words that it lists for the value of an option,
# "bad (default), warn", and to "long", for each letter its long option.  A command's option
# may have the name of a global one; the letter stays that of the global one.
_mrctl_read_help() {
	local line letter name value listed='([a-z]+) \(default\)((, [a-z]+)*)'
	local entry='^ {2,6}(-([A-Za-z]), )?(--[a-z-]+)( ([^ ]+))?(  |$)'

	mapfile -t help < <("${1/#~\//$HOME/}" ${2:+"$2"} --help 2>/dev/null)
	for line in "${help[@]}"; do
		[[ $line =~ $entry ]] || continue
		letter=${BASH_REMATCH[2]} name=${BASH_REMATCH[3]} value=${BASH_REMATCH[5]}
		argument[$name]=$value choices[$name]=
		[[ -z $value || ! $line =~ $listed ]] || choices[$name]=${BASH_REMATCH[1]}${BASH_REMATCH[2]//,/}
		[[ -n $letter ]] || continue
		long[$letter]=$name
		argument[-$letter]=$value
	done
}

# _mrctl_section TITLE [TOPIC...]: prints the first words of the entries below a title, in "help" or in the help of
# a topic
_mrctl_section() {
	local line inside=

	[[ $# -eq 1 ]] || mapfile -t help < <("${program/#~\//$HOME/}" help "${@:2}" 2>/dev/null)
	for line in "${help[@]}"; do
		case $line in
		"$1"*) inside=yes ;;
		'') inside= ;;
		'  '[![:space:]-]*)
			line=${line#  }
			[[ -z $inside ]] || printf '%s\n' "${line%% *}"
			;;
		esac
	done
}

# _mrctl_waiting WORD: sets "waiting" to the option whose value is the word after WORD, or to nothing
_mrctl_waiting() {
	local letters option

	waiting=
	case $1 in
	--*) [[ -z ${argument[$1]-} ]] || waiting=$1 ;;
	-?*)
		for ((letters = 1; letters < ${#1}; letters++)); do
			option=${long[${1:letters:1}]-}
			[[ -n $option ]] || return 0
			[[ -z ${argument[-${1:letters:1}]} ]] || break
		done
		((letters + 1 != ${#1})) || waiting=$option
		;;
	esac
}

# _mrctl_list WORD...: completes the last item of a list with commas, each word once
_mrctl_list() {
	local word done=

	[[ $cur != *,* ]] || done=${cur%,*},
	for word; do
		[[ ,$done == *,"$word",* || $word != "${cur##*,}"* ]] || COMPREPLY+=("$done$word")
	done
	compopt -o nospace
}

# Completes a memory kind; the help has them as "anon", "file:PATH", "hugetlb[:2M|:1G]" and "dm[:SIZE]".
_mrctl_memory() {
	local kind size whole=$cur
	local -a kinds=()

	while read -r kind; do
		case $kind in
		*:PATH)
			kind=${kind%PATH}
			if [[ $cur == "$kind"* ]]; then
				cur=${cur#*:}
				_filedir
				COMPREPLY=("${COMPREPLY[@]/#/$kind}")
				__ltrim_colon_completions "$whole"
				return
			fi
			[[ $kind != "$cur"* ]] || compopt -o nospace
			kinds+=("$kind")
			;;
		*'['*)
			kinds+=("${kind%%[*}")
			kind=${kind//[|\[\]]/ }
			for size in ${kind#* }; do
				kinds+=("${kind%% *}${size%SIZE}")
			done
			;;
		*) kinds+=("$kind") ;;
		esac
	done < <(_mrctl_section 'Memory kinds:' memory)
	mapfile -t COMPREPLY < <(compgen -W "${kinds[*]}" -- "$cur")
	__ltrim_colon_completions "$whole"
}

# Completes a source of dma-bufs; the help has them as "udmabuf" and "heap:NAME".
_mrctl_dmabuf() {
	local whole=$cur
	local -a found heaps=(/dev/dma_heap/*)

	mapfile -t found < <(_mrctl_section 'Dma-buf sources:' dmabuf)
	found=("${found[@]%%[A-Z]*}")
	[[ $cur != heap:* ]] || found=("${heaps[@]/#*\//heap:}")
	mapfile -t COMPREPLY < <(compgen -W "${found[*]%%\**}" -- "$cur")
	[[ ${COMPREPLY[*]} != *: ]] || compopt -o nospace
	__ltrim_colon_completions "$whole"
}

# _mrctl_session: prints the names of all in the session: "1" (a region), "buf" (its name), "pd:default"
_mrctl_session() {
	[[ -z ${MRCTL_SESSION-} ]] || "${program/#~\//$HOME/}" -j -o id,name stat 2>/dev/null |
		grep -oE '"(id":[0-9]+|name":"[^"]*"(,"handle")?)' |
		sed -E 's/^"id"://; s/^"name":"(.*)","handle"$/pd:\1/; s/^"name":"(.*)"$/\1/'
}

# Completes regions, or their keys where the word begins with "lk" or "rk"; for dereg protection domains as well.
_mrctl_regions() {
	local kind=${cur:0:1}key
	local -a found

	if [[ $cur == [lr]k* && -n ${MRCTL_SESSION-} ]]; then
		mapfile -t found < <("${program/#~\//$HOME/}" -n -o "$kind" stat 2>/dev/null | grep ^0x)
		found=("${found[@]/#/$kind:}")
	else
		mapfile -t found < <(_mrctl_session)
	fi
	[[ $command == dereg ]] || found=("${found[@]/#pd:*/}")
	mapfile -t COMPREPLY < <(compgen -W "${found[*]}" -- "$cur")
	__ltrim_colon_completions "$cur"
}

# Completes the sessions that this user may join: "pid:12"
_mrctl_sessions() {
	mapfile -t COMPREPLY < <(compgen -W \
		"$("${program/#~\//$HOME/}" -n -o session session --list 2>/dev/null)" -- "$cur")
	__ltrim_colon_completions "$cur"
}

# Completes a fault of the simulated HCA, "reg_mr=ENOMEM".  readline keeps the part before "=".
_mrctl_fault() {
	local -a found

	if [[ $cur == *=* ]]; then
		mapfile -t found < <(_mrctl_section Actions simulator)
		mapfile -t COMPREPLY < <(compgen -W "${found[*]%%[A-Z]*} ${errnos[*]}" -- "${cur#*=}")
	else
		mapfile -t found < <(_mrctl_section Calls simulator)
		mapfile -t COMPREPLY < <(compgen -S = -W "${found[*]}" -- "$cur")
		compopt -o nospace
	fi
}

_mrctl_devices() {
	local -a found=("${SYSFS_PATH:-/sys}"/class/infiniband/*)

	mapfile -t COMPREPLY < <(compgen -W "${found[*]##*/}" -- "$cur")
	[[ ${COMPREPLY[*]} != '*' ]] || COMPREPLY=()
}

# Completes a list of columns: those that the command prints with the options on the line, also "--system --by unit".
_mrctl_columns() {
	local word before='' view='' title=Columns
	local -a found

	if [[ -n $command ]]; then
		title='Columns for'
		mapfile -t found < <("${program/#~\//$HOME/}" help columns "$command" 2>/dev/null)
		for word in "${words[@]:1:cword-1}"; do
			[[ ${found[*]} != *"Columns of $command $view$before$word,"* ]] || view+=$before$word' '
			before=
			[[ $word != --by ]] || before='--by '
		done
		[[ -z $view ]] || title="Columns of $command ${view% },"
	fi
	mapfile -t found < <(_mrctl_section "$title" columns ${command:+"$command"})
	_mrctl_list "${found[@]}"
}

# _mrctl_causes [ERRNO]: prints the ids of the causes that can have that errno, or of all
_mrctl_causes() {
	"${program/#~\//$HOME/}" -n -o id explain "${1:---list}" 2>/dev/null
}

# Completes the cause behind an errno: "ENOMEM:MR-MEMLOCK"
_mrctl_expected_cause() {
	local errno=${cur##*,} before=

	[[ $cur != *,* ]] || before=${cur%,*},
	errno=${errno%%:*}
	mapfile -t COMPREPLY < <(compgen -W "$(_mrctl_causes "$errno")" -- "${cur##*:}")
	COMPREPLY=("${COMPREPLY[@]/#/$before$errno:}")
	__ltrim_colon_completions "$cur"
}

# _mrctl_value OPTION: completes the value of an option
_mrctl_value() {
	local -a found=() errnos=(EACCES EAGAIN EBUSY EFAULT EINVAL EIO ENODEV ENOENT ENOMEM ENOSPC EOPNOTSUPP EPERM
		EPROTONOSUPPORT)

	case $1:${argument[$1]} in
	--device:*) _mrctl_devices ;;
	--session:*) _mrctl_sessions ;;
	--pid:*) mapfile -t COMPREPLY < <(compgen -W "$(cd /proc && echo [0-9]*)" -- "$cur") ;;
	*:SPEC) _mrctl_fault ;;
	--numa:*)
		found=(/sys/devices/system/node/node[0-9]*)
		mapfile -t COMPREPLY < <(compgen -W "${found[*]##*/node}" -- "$cur")
		;;
	--pd:*)
		mapfile -t found < <(_mrctl_session | sed -n 's/^pd://p')
		mapfile -t COMPREPLY < <(compgen -W "${found[*]}" -- "$cur")
		;;
	--profile:*) mapfile -t COMPREPLY < <(compgen -W "$(_mrctl_section 'Profiles:' simulator)" -- "$cur") ;;
	--kernel:*) mapfile -t COMPREPLY < <(compgen -W "$(_mrctl_section 'Kernels:' simulator)" -- "$cur") ;;
	--call:CALL)
		mapfile -t found < <("${program/#~\//$HOME/}" -n -o calls explain --list 2>/dev/null |
			sed 's/\\x20/ /g' | tr ' ' '\n' | grep -E '^(ibv|mlx5dv)_' | sort -u)
		mapfile -t COMPREPLY < <(compgen -W "${found[*]}" -- "$cur")
		;;
	--via:*) mapfile -t COMPREPLY < <(compgen -W 'library kernel' -- "$cur") ;;
	*:KIND) _mrctl_memory ;;
	*:SOURCE) _mrctl_dmabuf ;;
	*:FLAG,...)
		mapfile -t found < <(_mrctl_section 'Access flags' access)
		[[ $cur == *,* ]] || found+=(none)
		_mrctl_list "${found[@]}"
		;;
	*:ADVICE)
		mapfile -t found < <(_mrctl_section 'Advice' advice)
		if [[ $cur == *,* ]]; then found=(flush); else found=("${found[@]/flush/}"); fi
		_mrctl_list "${found[@]}"
		;;
	*:CHANGE,...) _mrctl_list translation pd access none ;;
	*:COLUMN,... | *:COLUMN) _mrctl_columns ;;
	*:ID,...)
		mapfile -t found < <(_mrctl_section 'Checks' checks)
		_mrctl_list "${found[@]}"
		;;
	*:ANSWER,...)
		if [[ ${cur##*,} == *:* ]]; then
			_mrctl_expected_cause
			return
		fi
		_mrctl_list ok "${errnos[@]}"
		;;
	*:FILE | *:'[FILE]') _filedir ;;
	*:DIR) _filedir -d ;;
	*) mapfile -t COMPREPLY < <(compgen -W "${choices[$1]-}" -- "$cur") ;;
	esac
}

# Completes the words of the program that sim and session run, as if it stood alone.
_mrctl_program() {
	local i

	for ((i = 1; i < COMP_CWORD; i++)); do
		[[ ${COMP_WORDS[i]} != "$command" ]] || break
	done
	# In COMP_WORDS : and = are words of their own.
	for ((i++; i < COMP_CWORD; i++)); do
		[[ ${COMP_WORDS[i]} != -- ]] || { ((i++)); break; }
		[[ ${COMP_WORDS[i]} == -* ]] || break
		_mrctl_waiting "${COMP_WORDS[i]}"
		[[ -z $waiting || ${COMP_WORDS[i + 1]} == = ]] || ((i++))
		while [[ ${COMP_WORDS[i + 1]-} == [:=]* ]]; do
			((i += 2))
		done
	done
	_command_offset "$i"
}

_mrctl() {
	local cur prev words cword split=false
	local program=$1 command='' operand='' runs='' waiting='' i
	local -a help=()
	local -A argument=() choices=() long=()

	_init_completion -s -n : || return
	_mrctl_read_help "$program"
	for ((i = 1; i < cword; i++)); do
		if [[ -n $waiting ]]; then
			waiting=
		elif [[ ${words[i]} == -- ]]; then
			operand=yes
		elif [[ ${words[i]} == -?* ]]; then
			_mrctl_waiting "${words[i]}"
		elif [[ -z $command ]]; then
			command=${words[i]}
			[[ $command == @(help|version) ]] || _mrctl_read_help "$program" "$command"
			[[ ${help[0]} != *'[-- CMD'* ]] || runs=yes
		else
			operand=yes
		fi
		[[ -z $operand || -z $runs ]] || break
	done

	if [[ $command == session && -z $waiting && $cur != -* && " ${words[*]} " == *' --end '* ]]; then
		_mrctl_sessions
	elif [[ -n $runs && (-n $operand || -z $waiting && $split != true && $cur != -*) ]]; then
		_mrctl_program
	elif [[ $split == true ]]; then
		_mrctl_value "$prev"
	elif [[ -n $waiting ]]; then
		_mrctl_value "$waiting"
	elif [[ $command == help ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$(_mrctl_section 'Commands:'; _mrctl_section 'Topics:')" \
			-- "$cur")
	elif [[ $command == version ]]; then
		COMPREPLY=()
	elif [[ $cur == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "${!argument[*]}" -- "$cur")
	elif [[ -z $command ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$(_mrctl_section 'Commands:')" -- "$cur")
	elif [[ ${help[0]} == *DEVICE* && " ${words[*]} " =~ ' '--(device|probe|system)' ' ]]; then
		_mrctl_devices
	elif [[ ${help[0]} == *REGION* && " ${words[*]} " != *' --host '* ]]; then
		_mrctl_regions
	elif [[ ${help[0]} == *CAUSE* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$(_mrctl_causes)" -- "$cur")
	elif [[ ${help[*]} =~ 'each CALL ('([a-z, -]+)';' ]]; then
		_filedir
		mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -W "${BASH_REMATCH[1]//,/}" -- "$cur")
	elif [[ ${help[0]} == *FILE* ]]; then
		_filedir
	fi
}

complete -F _mrctl mrctl
