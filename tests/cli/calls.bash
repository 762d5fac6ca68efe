# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash
# Counts the calls of a command to the simulated HCA.  preload/leaks.c has to be below it.

# The calls that can fail
mapfile -t CALLS < <(mrctl help simulator | awk '/^Calls/ { on = 1 } !NF { on = 0 } on && /^  [a-z]/ { print $1 }')

# count_calls FILE CMD...: sets TIMES[CALL] to how often CMD makes each call.  For this each call is "delayed" by its
# number, which the library notes in FILE; nothing is delayed.
declare -gA TIMES
count_calls() {
	local file=$1 faults='' n call
	shift

	for call in "${!CALLS[@]}"; do
		faults+="${CALLS[call]}=delay:$((100000 + call));"
	done
	: >"$file"
	MRCTL_SIM_FAULT=${faults%;} LEAKS_CALLS=$file "$@"
	TIMES=()
	while read -r n call; do
		TIMES[${CALLS[call - 100000]}]=$n
	done < <(sort "$file" | uniq -c)
}
