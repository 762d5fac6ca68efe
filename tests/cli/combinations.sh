#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# combinations.sh mlx5|rxe: runs the commands of the table "combinations" on the device of that profile.
# Prints each answer that differs from the table, and fails if there is any.  It also checks that any failure
# has a message, that a refusal has one line with its errno, and that --json prints one whole document, or
# nothing after a usage error.
set -u

profile=$1 table=${BASH_SOURCE[0]%.sh} work=$(mktemp -d /dev/shm/mrctl-test-XXXXXX)
trap '[ -z "${MRCTL_SESSION:-}" ] || kill "${MRCTL_SESSION#pid:}"; rm -r "$work"' EXIT
failed=0 asked=0 documents=0 export=''

# complain TEXT...: prints what is wrong
complain() {
	printf '%s\n' "$*"
	failed=1
}

# ask WORD...: runs `mrctl WORD...`; sets "answer" as the table has it, and "text" to the messages
ask() {
	local status=0 line refusals=0 json=(--json)

	[[ $1 != @(session|sim|trace) ]] || json=() # these print no document on stdout
	mrctl "${json[@]}" "$@" >"$work/out" 2>"$work/err" </dev/null || status=$?
	asked=$((asked + 1)) text=''
	case $status in
	0) answer=ok ;;
	1) answer=refused ;;
	2) answer=usage ;;
	3) answer=absent ;;
	*) answer="exit status $status" ;;
	esac
	while read -r line; do
		text+=$line$'\n'
		[[ $line =~ ^mrctl:\ .*:\ (E[A-Z0-9]+)\ \( ]] || continue
		refusals=$((refusals + 1))
		[ "$status" -ne 1 ] || answer=${BASH_REMATCH[1]}
	done <"$work/err"
	[ "$status" -eq 0 ] || [[ $text == "mrctl: $1: "?* ]] || complain "$*: no message: $text"
	[ "$refusals" -le 1 ] || complain "$*: more than one refusal: $text"
	if [ "$status" -eq 2 ]; then
		[ ! -s "$work/out" ] || complain "$*: a usage error, and something on stdout"
	elif [ ${#json[@]} -eq 1 ]; then
		documents=$((documents + 1))
		cat "$work/out" >>"$work/documents"
	fi
}

# walk WHERE EXPECTED NAME WORD...: runs a command by each path (--via) and compares the answers.  If NAME is
# not empty, the command makes a region, which gets the name NAME.PATH.
walk() {
	local where=$1 name=$3 path expected words i=0

	IFS=, read -ra expected <<<"$2"
	[[ $profile != rxe || $where == outside || $2 == @(usage|*,*) ]] || expected=("$2" EOPNOTSUPP "$2")
	shift 3
	for path in default library kernel; do
		words=("$@")
		if [ "$path" != default ]; then
			[[ $paths == *" $1 "* ]] || break
			words+=(--via "$path")
		fi
		[ -z "$name" ] || words+=(--name "$name.$path")
		ask "${words[@]}"
		[[ "$path ${words[*]}" != "default "*" --export"* ||
			! $(<"$work/out") =~ '"export":"'([0-9a-f]+) ]] || export=${BASH_REMATCH[1]}
		[[ /${expected[i]}/ == */$answer/* ]] ||
			complain "$profile, $where: mrctl ${words[*]}: $answer instead of ${expected[i]}: $text"
		[ ${#expected[@]} -eq 1 ] || i=$((i + 1))
	done
}

paths=" $(mrctl --dump-cli | jq -r '[.commands[] | select(any(.options[]; .name == "via")).name] | join(" ")') "
truncate -s 1M "$work/file"
# The table with the columns of this device only: VERB KIND OUTSIDE INSIDE WORD...
awk -v profile="$profile" -v file="$work/file" '
	/^(make|with)/ { if (profile == "rxe") { $3 = $5; $4 = $6 } $5 = $6 = "" }
	/^on/ { if (profile == "rxe") $3 = $4; $4 = "" }
	/^(make|with|on)/ { gsub("FILE", file); print }' "$table" >"$work/table"

while read -r verb _ outside _ words; do
	read -ra words <<<"$words"
	[ "$verb" = on ] || walk outside "$outside" '' "${words[@]}"
done <"$work/table"

eval "$(mrctl session --detach)"
number=0
while read -r verb kind _ inside words; do
	read -ra words <<<"$words"
	number=$((number + 1))
	case $verb in
	with) walk "in a session" "$inside" '' "${words[@]}" ;;
	make) walk "in a session" "$inside" "n$number" "${words[@]}" ;;
	*) continue ;;
	esac
	mrctl stat -q "n$number.default" 2>/dev/null || continue
	while read -r verb other inside words; do
		words=${words//REGION/n$number.default}
		read -ra words <<<"${words//EXPORT/$export}"
		[ "$verb $other" != "on $kind" ] ||
			walk "in a session, $kind $number" "$inside" '' "${words[@]}"
	done <"$work/table"
done <"$work/table"
ask dereg --all --flush
[ "$answer" = ok ] || complain "dereg --all: $answer: $text"
left=$(mrctl stat -n -o id,state)
[ -z "$left" ] || complain "left over: $left"
[ "$(jq -s length "$work/documents")" -eq "$documents" ] || complain "not each document is whole"
[ "$asked" -gt 100 ] || complain "only $asked commands"
exit $failed
