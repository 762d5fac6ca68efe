#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# rows.sh DEVICE BUILD [OTHER]: measures, and prints a row of figures for each subject (figures.awk).  DEVICE ''
# is the simulated HCA.  A row is about the mrctl in the folder BUILD and a peer; where there is a folder OTHER,
# about the mrctl in BUILD, that in OTHER, and then the peer, all on the simulated HCA of BUILD.
#   RUNS   runs of each command (9)
#   COUNT  regions or lines (100000)
#   LARGE  regions of a large session (1000000)
#   MANY   not empty: also stat --system of 100,000 regions, which takes minutes
set -eu -o pipefail
if [ -z "$1" ] && [ -z "${MRCTL_SIM:-}" ]; then
	exec "$2/mrctl" sim -- "$0" "$@"
fi
here=$(cd "$(dirname "$0")" && pwd)
device=$1 tools=("${@:2}") runs=${RUNS:-9} count=${COUNT:-100000} large=${LARGE:-1000000}
export PATH=$2/bench:$PATH

on_device=() loop_device=()
[ -z "$device" ] || on_device=(-d "$device") loop_device=("$device")

# The sessions that are open: TOOL@NAME -> pid:PID
declare -A sessions=()
folder=$(mktemp -d)

tidy() {
	local session
	for session in "${sessions[@]}"; do
		kill "${session#pid:}" 2>/dev/null || :
	done
	sessions=()
}
trap 'tidy; rm -rf "$folder"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# open NAME ARG...: opens a session of each tool, which the word @NAME of a command stands for
open() {
	local tool
	for tool in "${tools[@]}"; do
		sessions[$tool@$1]=$("$tool/mrctl" "${on_device[@]}" session --detach "${@:2}" |
			sed -n "s/^MRCTL_SESSION=\(pid:[0-9]*\).*/\1/p")
	done
}

# command_of TOOL WORD...: sets "words" to the command with the tool's mrctl and sessions
command_of() {
	local tool=$1 word
	words=()
	for word in "${@:2}"; do
		case $word in
		mrctl) word=$tool/mrctl ;;
		@*) word=${sessions[$tool$word]} ;;
		esac
		words+=("$word")
	done
}

# each CMD...: runs it with each tool
each() {
	local tool words
	for tool in "${tools[@]}"; do
		command_of "$tool" "$@"
		"${words[@]}" >/dev/null
	done
}

# race time|peak CMD... [-- PEER...]: runs CMD with each tool and PEER in turn, and prints their figures
race() {
	local figure=$1 all=() command=() tool words
	shift
	while [ $# -gt 0 ] && [ "$1" != -- ]; do
		command+=("$1")
		shift
	done
	for tool in "${tools[@]}"; do
		command_of "$tool" "${command[@]}"
		all+=("${words[@]}" --)
	done
	if [ $# -gt 0 ]; then
		command_of "${tools[0]}" "${@:2}"
		all+=("${words[@]}")
	else
		unset 'all[-1]'
	fi
	measure "$figure" "$runs" "${all[@]}"
}

# row WHAT UNIT DIVISOR GOAL: prints the row of the figures that it reads
row() {
	awk -v what="$1" -v unit="$2" -v divisor="$3" -v goal="$4" -f "$here/figures.awk"
}

# per_region REGIONS: reads KiB, as many lines with few regions as then with REGIONS more; prints the bytes for each
per_region() {
	awk -v regions="$1" '{ line[NR] = $0 }
		END {
			for (run = 1; run <= NR / 2; run++) {
				split(line[run], few)
				n = split(line[NR / 2 + run], many)
				for (i = 1; i <= n; i++)
					printf "%.3f%s", (many[i] - few[i]) * 1024 / regions, i < n ? " " : "\n"
			}
		}'
}

# us CMD...: runs it and prints the microseconds that it took
us() {
	local start=${EPOCHREALTIME/./}
	"$@" || return
	printf '%s ' "$((${EPOCHREALTIME/./} - start))"
}

# shellcheck source=rows/register.sh
. "$here/rows/register.sh"
# shellcheck source=rows/accuracy.sh
. "$here/rows/accuracy.sh"
# shellcheck source=rows/batch.sh
. "$here/rows/batch.sh"
# shellcheck source=rows/session.sh
. "$here/rows/session.sh"
# shellcheck source=rows/refused.sh
. "$here/rows/refused.sh"
# shellcheck source=rows/peers.sh
. "$here/rows/peers.sh"
