#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# bench.sh BUILD [DEVICE]: measures mrctl on the simulated HCA, or on DEVICE, and in the same run a plain C loop
# or a peer tool that does the same.  The ratios count: times differ from machine to machine.
#   COUNT  regions or lines (100000)
#   RUNS   runs of each pair, of which the median counts (9)
#   MANY   not empty: also stat --system of 100,000 regions, which takes minutes
set -eu
build=$1 device=${2:-} count=${COUNT:-100000} runs=${RUNS:-9}
PATH=$build:$build/bench:$PATH

on_device=() loop_device=() sim=(mrctl sim --)
[ -z "$device" ] || on_device=(-d "$device") loop_device=("$device") sim=()

# row WHAT GOAL MRCTL PEER: prints a line with two figures and their ratio, which should be at most GOAL
row() {
	awk -v what="$1" -v goal="$2" -v l="$3" -v r="$4" 'BEGIN {
		printf "%-52s %10.1f %10.1f  %5.2f  %s\n", what, l, r, l / r, goal }'
}

# fact WHAT GOAL VALUE: prints a figure that has no peer
fact() {
	printf '%-52s %10s %10s  %5s  %s\n' "$1" "$3" '' '' "$2"
}

printf '%-52s %10s %10s  %5s  %s\n' "${device:-simulated HCA}, median of $runs runs" mrctl peer ratio goal

read -r t1 t2 _ _ < <("${sim[@]}" measure "$runs" \
	mrctl "${on_device[@]}" -q reg --populate --count "$count" -- \
	loop "$count" 4096 "${loop_device[@]}")
row "reg --count $count against a C loop (ms)" '1.10' "$((t1 / 1000))" "$((t2 / 1000))"

read -r t1 t2 _ _ < <("${sim[@]}" measure "$runs" \
	mrctl "${on_device[@]}" -n -o rkey reg --populate --count "$count" -- \
	loop "$count" 4096 "${loop_device[@]}")
row "  the same with -n -o rkey (ms)" '' "$((t1 / 1000))" "$((t2 / 1000))"

read -r t1 t2 _ _ < <("${sim[@]}" measure "$runs" \
	mrctl "${on_device[@]}" -j reg --populate --count "$count" -- \
	loop "$count" 4096 "${loop_device[@]}")
row "  the same with --json (ms)" '' "$((t1 / 1000))" "$((t2 / 1000))"

read -r t1 t2 _ _ < <("${sim[@]}" measure "$runs" \
	mrctl trace -q loop "$count" 4096 "${loop_device[@]}" -- \
	loop "$count" 4096 "${loop_device[@]}")
row "a C loop of $count under trace against it alone (ms)" '1.15' "$((t1 / 1000))" "$((t2 / 1000))"

# All regions lie on one page, so memory grows only by what is kept about each region.
read -r _ _ m1 l1 < <("${sim[@]}" measure 3 mrctl "${on_device[@]}" -j reg -c 1000 --stride 0 -- \
	loop 1000 0 "${loop_device[@]}")
read -r _ _ m2 l2 < <("${sim[@]}" measure 3 mrctl "${on_device[@]}" -j reg -c "$count" --stride 0 -- \
	loop "$count" 0 "${loop_device[@]}")
row "peak memory of a region, --json (bytes)" '' \
	"$(((m2 - m1) * 1024 / (count - 1000)))" "$(((l2 - l1) * 1024 / (count - 1000)))"

# One line registers a region, the next deregisters it.  One file repeats two lines; in the other no two lines
# are equal, so no line can profit from an earlier one.
lines=$(mktemp) others=$(mktemp)
trap 'rm -f "$lines" "$others"' EXIT
for ((n = 0; n < count; n += 2)); do
	printf 'reg --name a\ndereg a\n'
	printf 'reg --name r%d\ndereg r%d\n' $n $n >&3
done >"$lines" 3>"$others"
read -r t1 t2 _ _ < <("${sim[@]}" measure "$runs" \
	mrctl "${on_device[@]}" -q batch "$lines" -- lives "$((count / 2))" "${loop_device[@]}")
row "batch -q of $count lines against a C loop (ms)" '1.20' "$((t1 / 1000))" "$((t2 / 1000))"

read -r t1 t2 _ _ < <("${sim[@]}" measure "$runs" \
	mrctl "${on_device[@]}" -q batch "$others" -- lives "$((count / 2))" "${loop_device[@]}")
row "  the same of lines that all differ (ms)" '' "$((t1 / 1000))" "$((t2 / 1000))"

read -r t1 t2 _ _ < <("${sim[@]}" measure "$runs" \
	mrctl "${on_device[@]}" -j batch "$lines" -- lives "$((count / 2))" "${loop_device[@]}")
row "  the same with --json (ms)" '' "$((t1 / 1000))" "$((t2 / 1000))"

# Two sessions, one with COUNT regions and one with ten.
session_figures() {
	local large small
	large=$(eval "$(mrctl "${on_device[@]}" session --detach)" && echo "$MRCTL_SESSION")
	small=$(eval "$(mrctl "${on_device[@]}" session --detach)" && echo "$MRCTL_SESSION")
	mrctl --session "$large" -q reg --count "$count" --stride 0
	mrctl --session "$small" -q reg --count 10
	measure 10 mrctl --session "$large" -q dereg {} -- mrctl --session "$small" -q dereg {}
	mrctl --session "$large" -j stat | jq '"\(.totals.table_bytes) \(.totals.regions)"' -r
	kill "${large#pid:}" "${small#pid:}"
}
export -f session_figures
export count
{
	read -r t1 t2 _ _
	read -r bytes regions
} < <("${sim[@]}" bash -c "on_device=(${on_device[*]}); session_figures")
row "dereg in a session of $count against one of 10 (us)" '1.10' "$t1" "$t2"
fact 'session table, bytes for each region' '256' "$((bytes / regions))"

# us CMD...: runs it and prints the microseconds that it took
us() {
	local start=${EPOCHREALTIME/./}

	"$@"
	printf '%s ' "$((${EPOCHREALTIME/./} - start))"
}

# dereg of relaxed regions only marks them, the flush follows when nobody waits.  Measures both.
relaxed_figures() {
	eval "$(mrctl "${on_device[@]}" session --detach --relaxed-watermark 1000000)"
	for ((n = 0; n < runs; n++)); do
		mrctl -q reg --relaxed --count 10000 --stride 0
		us mrctl -q dereg --all --defer-for 600
		us mrctl -q dereg --flush
		mrctl -q reg --count 10000 --stride 0
		us mrctl -q dereg --all
		echo
	done
	kill "${MRCTL_SESSION#pid:}"
}
export -f relaxed_figures us
export runs
read -r t1 flush t2 < <("${sim[@]}" bash -c "on_device=(${on_device[*]}); relaxed_figures" |
	awk '{ print $1 / $3, $0 }' | sort -g | sed -n "$((runs / 2 + 1))p" | cut -d ' ' -f 2-)
row 'dereg of 10000 relaxed regions against others (ms)' '' "$((t1 / 1000))" "$((t2 / 1000))"
row '  and their flush (ms)' '' "$((flush / 1000))" "$((t2 / 1000))"

# refused ERRNO ARG...: a refused reg that looks for causes, against one that does not
refused() {
	local errno=$1
	shift

	read -r t1 t2 _ _ < <("${sim[@]}" measure $((runs * 3)) \
		mrctl "${on_device[@]}" -q --why read reg --expect "$errno" "$@" -- \
		mrctl "${on_device[@]}" -q --why none reg --expect "$errno" "$@")
	row "reg, refused with $errno, against --why none (us)" '+5000' "$t1" "$t2"
}
refused EINVAL --access remote-write
refused EFAULT --memory hole --size 1M
refused EFAULT --memory readonly --size 256M

if command -v rdma >/dev/null; then
	read -r t1 t2 _ _ < <(measure $((runs * 20)) mrctl --version -- rdma -V)
	row "mrctl --version against rdma -V (us)" '1.50' "$t1" "$t2"
else
	echo "mrctl --version against rdma -V: not measured, install iproute2"
fi

# All MRs of the machine, which a process holds meanwhile.  Only a guest has a kernel whose MRs are known.
# system_figures COUNT RUNS: prints the figures of JSON, then of the table
system_figures() {
	local holder

	mrctl -d "$device" -q reg --count "$1" --stride 0 --hold &
	holder=$!
	until [ "$(mrctl -n -o regions stat --system --by device "$device" 2>/dev/null)" -ge "$1" ]; do
		kill -0 "$holder"
		sleep 0.2
	done
	measure "$2" mrctl -j stat --system -- rdma -j resource show mr
	measure "$2" mrctl stat --system -- rdma resource show mr
	kill "$holder"
	wait "$holder" || :
}

# system_rows COUNT RUNS GOAL
system_rows() {
	local t1 t2
	{
		read -r t1 t2 _ _
		row "-j stat --system of $1 against rdma -j (ms)" "$3" "$((t1 / 1000))" "$((t2 / 1000))"
		read -r t1 t2 _ _
		row "  the same as tables (ms)" '' "$((t1 / 1000))" "$((t2 / 1000))"
	} < <(system_figures "$1" "$2" 2>/dev/null)
}

if [ -z "$device" ]; then
	echo "stat --system against rdma resource show mr: not measured, needs a kernel of its own: GUEST=sid"
elif ! command -v rdma >/dev/null; then
	echo "stat --system against rdma resource show mr: not measured, install iproute2"
else
	system_rows 10000 "$runs" 0.10
	[ -z "${MANY:-}" ] || system_rows 100000 1 0.05 # rdma takes a minute
fi
