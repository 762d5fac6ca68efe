# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash disable=SC2154 # variables of rows.sh
# Sourced by rows.sh: what is done in sessions

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
		loop "$count" 4096 "${loop_device[@]}"
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
