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

# Registering regions, against a C loop
reg_against_loop() { # OPTION...
	race time mrctl "${on_device[@]}" "$@" reg --populate --count "$count" -- peer loop "$count" 4096 "${loop_device[@]}"
}
reg_against_loop -q | row "reg --count $count against a C loop" ms 1000 1.05
reg_against_loop -n -o rkey | row "reg -n -o rkey --count $count against a C loop" ms 1000 1.05
reg_against_loop -j | row "reg --json --count $count against a C loop" ms 1000 1.60

race time mrctl trace -q peer loop "$count" 4096 "${loop_device[@]}" -- peer loop "$count" 4096 "${loop_device[@]}" |
	row "a C loop of $count under trace against it alone" ms 1000 1.15

# All regions lie on one page, so memory grows only by what is kept about each region.
reg_peak() { # COUNT
	race peak mrctl "${on_device[@]}" -j reg -c "$1" --stride 0 -- peer loop "$1" 0 "${loop_device[@]}"
}
{ reg_peak 100; reg_peak "$count"; } | per_region "$((count - 100))" |
	row 'reg --json: peak memory of a region' bytes 1 ''

# Compares what mrctl bench measures with a C loop that times the same calls
# accuracy_figures SIZE: prints the medians of a registration in nanoseconds: of each tool, then of the loop
accuracy_figures() {
	local n tool words calls=$((count / 5))
	for ((n = 0; n < runs; n++)); do
		for tool in "${tools[@]}"; do
			command_of "$tool" mrctl "${on_device[@]}" -j bench --sizes "$1" --count "$calls"
			"${words[@]}" | jq -j '"\(.rows[0].p50_ns) "'
		done
		peer median "$calls" "$1" "${loop_device[@]}"
	done
}
accuracy_figures 4096 | row "bench: median of reg of 4K against that of a C loop" ns 1 1.03
accuracy_figures 1048576 | row "bench: median of reg of 1M against that of a C loop" ns 1 1.03

# Lines of a batch, against a C loop
# One line registers a region, the next deregisters it.  One file repeats two lines; in the other no two lines
# are equal, so no line can profit from an earlier one.
for ((n = 0; n < count; n += 2)); do
	printf 'reg --name a\ndereg a\n'
	printf 'reg --name r%d\ndereg r%d\n' $n $n >&3
done >"$folder/lines" 3>"$folder/others"

batch_against_loop() { # OPTION FILE
	race time mrctl "${on_device[@]}" "$1" batch "$folder/$2" -- peer lives "$((count / 2))" 0 "${loop_device[@]}"
}
batch_against_loop -q lines | row "batch -q of $count lines against a C loop" ms 1000 1.25
batch_against_loop -q others | row "batch -q of $count lines that all differ, against a C loop" ms 1000 1.25
batch_against_loop -j lines | row "batch --json of $count lines against a C loop" ms 1000 1.80

# Measures sessions
session_of() { # NAME COUNT: with that many regions, on one page
	open "$1"
	each mrctl --session "@$1" -q reg --count "$2" --stride 0
}

session_of small 10
session_of middle "$count"
runs=10 race time mrctl --session @middle -q dereg {} -- mrctl --session @small -q dereg {} |
	row "dereg in a session of $count against one of 10" us 1 1.10
tidy

session_of small 10
session_of large "$large"
each mrctl --session @large -q reg --name known
each mrctl --session @small -q reg --name known
race time mrctl --session @large -q stat known -- mrctl --session @small -q stat known |
	row "stat NAME in a session of $large against one of 10" us 1 1.10
race time mrctl --session @large -j stat | row "-j stat of $large, for each region" us "$large" 1.5

# table_bytes NAME: of each tool's session
table_bytes() {
	local tool words
	for tool in "${tools[@]}"; do
		command_of "$tool" mrctl --session "@$1" -j stat
		"${words[@]}" | jq -j '"\(.totals.table_bytes / 1024) "'
	done
	echo
}
# Memory of stat itself, without the table, which it shares.
stat_peak() { # NAME
	runs=1 race peak mrctl --session "@$1" -j stat >"$folder/peaks"
	table_bytes "$1" >"$folder/bytes"
	paste -d ' ' "$folder/peaks" "$folder/bytes" | awk -v tools="${#tools[@]}" '{
		for (i = 1; i <= tools; i++) printf "%.1f%s", $i - $(i + tools), i < tools ? " " : "\n" }'
}
# On the simulated HCA the process also has the simulator's objects, which a kernel has for itself.
stat_row=("-j stat of $large: memory beyond the table, for each region" bytes 1 16)
[ -n "$device" ] || stat_row=("-j stat of $large: memory beyond the table, and simulated objects" bytes 1 '')
{ stat_peak small; stat_peak large; } | per_region "$large" | row "${stat_row[@]}"
{ table_bytes small; table_bytes large; } | per_region "$large" | row "table of a session of $large, for each region" bytes 1 256
tidy

# dereg_figures: the microseconds that deregistering takes: of each tool, then of the loop
dereg_figures() {
	local n tool words
	for ((n = 0; n < runs; n++)); do
		for tool in "${tools[@]}"; do
			command_of "$tool" mrctl --session @middle -q reg --populate --count "$count"
			"${words[@]}"
			command_of "$tool" mrctl --session @middle -q dereg --all
			us "${words[@]}"
		done
		peer loop "$count" 4096 "${loop_device[@]}"
	done
}
open middle
dereg_figures | row "dereg --all of $count in a session against a C loop" ms 1000 1.10
tidy

# dereg of relaxed regions only marks them, the flush follows when nobody waits.
# Prints for each run what each tool takes to mark regions, then to flush them, then to deregister others.
relaxed_figures() {
	local n tool words flushes others
	for ((n = 0; n < runs; n++)); do
		flushes='' others=''
		for tool in "${tools[@]}"; do
			command_of "$tool" mrctl --session @relaxed -q
			"${words[@]}" reg --relaxed --count 10000 --stride 0
			us "${words[@]}" dereg --all --defer-for 600
			flushes+=$(us "${words[@]}" dereg --flush)
			"${words[@]}" reg --count 10000 --stride 0
			others+=$(us "${words[@]}" dereg --all)
		done
		echo "$flushes$others"
	done
}
open relaxed --relaxed-watermark 1000000
relaxed_figures >"$folder/relaxed"
last=$((2 * ${#tools[@]}))
cut -d ' ' -f "1-${#tools[@]},$((last + 1))" "$folder/relaxed" | row 'dereg of 10000 relaxed regions against others' ms 1000 ''
cut -d ' ' -f "$((${#tools[@]} + 1))-$((last + 1))" "$folder/relaxed" | row 'flush of 10000 relaxed regions against dereg of others' ms 1000 ''
tidy

# A refused reg that looks for causes, against one that does not
refused() { # WHAT ERRNO ARG...
	runs=$((runs * 3)) race time mrctl "${on_device[@]}" -q --why read reg --expect "${@:2}" -- \
		mrctl "${on_device[@]}" -q --why none reg --expect "${@:2}" |
		row "reg of $1, refused with $2, against --why none" us 1 +5000
}
refused 'bad access' EINVAL --access remote-write
refused 'a hole' EFAULT --memory hole --size 1M
refused 'readonly memory' EFAULT --memory readonly --size 256M

# Against the tool rdma of iproute2
if ! command -v rdma >/dev/null; then
	echo "mrctl --version and stat --system against rdma: not measured, install iproute2" >&2
	exit
fi
LD_PRELOAD='' runs=$((runs * 20)) race time mrctl --version -- rdma -V | row 'mrctl --version against rdma -V' us 1 1.60

if [ -z "$device" ]; then
	echo "stat --system against rdma resource show mr: not measured, needs a kernel of its own: GUEST=sid" >&2
	exit
fi

# All MRs of the machine, which a process holds meanwhile.  Only a guest has a kernel whose MRs are known.
system_rows() { # COUNT RUNS GOAL
	local holder runs=$2 mrctl=${tools[0]}/mrctl

	"$mrctl" -d "$device" -q reg --count "$1" --stride 0 --hold &
	holder=$!
	until [ "$("$mrctl" -n -o regions stat --system --by device "$device" 2>/dev/null)" -ge "$1" ]; do
		kill -0 "$holder"
		sleep 0.2
	done
	race time mrctl -j stat --system -- rdma -j resource show mr |
		row "-j stat --system of $1 against rdma -j" ms 1000 "$3"
	race time mrctl stat --system -- rdma resource show mr | row "stat --system of $1 against rdma" ms 1000 ''
	kill "$holder"
	wait "$holder" || :
}
system_rows 10000 "$runs" 0.10
[ -z "${MANY:-}" ] || system_rows 100000 1 0.05 # rdma takes a minute
