# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash disable=SC2154 # variables of rows.sh
# Sourced by rows.sh: registering regions, against a C loop

reg_against_loop() { # OPTION...
	race time mrctl "${on_device[@]}" "$@" reg --populate --count "$count" -- loop "$count" 4096 "${loop_device[@]}"
}
reg_against_loop -q | row "reg --count $count against a C loop" ms 1000 1.05
reg_against_loop -n -o rkey | row "reg -n -o rkey --count $count against a C loop" ms 1000 1.05
reg_against_loop -j | row "reg --json --count $count against a C loop" ms 1000 1.60

race time mrctl trace -q loop "$count" 4096 "${loop_device[@]}" -- loop "$count" 4096 "${loop_device[@]}" |
	row "a C loop of $count under trace against it alone" ms 1000 1.15

# All regions lie on one page, so memory grows only by what is kept about each region.
reg_peak() { # COUNT
	race peak mrctl "${on_device[@]}" -j reg -c "$1" --stride 0 -- loop "$1" 0 "${loop_device[@]}"
}
{ reg_peak 100; reg_peak "$count"; } | per_region "$((count - 100))" |
	row 'reg --json: peak memory of a region' bytes 1 ''
