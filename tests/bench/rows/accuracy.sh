# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash disable=SC2154 # variables of rows.sh
# Sourced by rows.sh: what mrctl bench measures, against a C loop that times the same calls

# accuracy_figures SIZE: the medians of a registration in nanoseconds: of each tool, then of the loop
accuracy_figures() {
	local n tool words calls=$((count / 5))
	for ((n = 0; n < runs; n++)); do
		for tool in "${tools[@]}"; do
			command_of "$tool" mrctl "${on_device[@]}" -j bench --sizes "$1" --count "$calls"
			"${words[@]}" | jq -j '"\(.rows[0].p50_ns) "'
		done
		median "$calls" "$1" "${loop_device[@]}"
	done
}
accuracy_figures 4096 | row "bench: median of reg of 4K against that of a C loop" ns 1 1.03
accuracy_figures 1048576 | row "bench: median of reg of 1M against that of a C loop" ns 1 1.03
