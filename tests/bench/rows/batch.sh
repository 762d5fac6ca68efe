# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash disable=SC2154 # variables of rows.sh
# Sourced by rows.sh: lines of a batch, against a C loop

# One line registers a region, the next deregisters it.  One file repeats two lines; in the other no two lines
# are equal, so no line can profit from an earlier one.
for ((n = 0; n < count; n += 2)); do
	printf 'reg --name a\ndereg a\n'
	printf 'reg --name r%d\ndereg r%d\n' $n $n >&3
done >"$folder/lines" 3>"$folder/others"

batch_against_loop() { # OPTION FILE
	race time mrctl "${on_device[@]}" "$1" batch "$folder/$2" -- lives "$((count / 2))" "${loop_device[@]}"
}
batch_against_loop -q lines | row "batch -q of $count lines against a C loop" ms 1000 1.25
batch_against_loop -q others | row "batch -q of $count lines that all differ, against a C loop" ms 1000 1.25
batch_against_loop -j lines | row "batch --json of $count lines against a C loop" ms 1000 1.80
