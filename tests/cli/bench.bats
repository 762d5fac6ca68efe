#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# mrctl bench: what it measures, plans and compares.  Nothing is judged by how long calls take here: documents to be
# compared have figures that are written into them.

load helpers

OLD=$BATS_TEST_TMPDIR/old NEW=$BATS_TEST_TMPDIR/new

# bench ARG...: sets output to its document
bench() {
	shows '.command == "bench"' mr bench "$@"
}

# bats test_tags=kernel
@test "each call is measured, for each size" {
	calls=(reg reg-iova dereg relaxed)
	! on_mlx5 || calls+=(rereg umem advise)
	# Linux 6.1 of Debian 12 makes no dma-bufs of memory.
	! on_mlx5 || { ! on_simulator && [ ! -e /dev/udmabuf ]; } || calls+=(reg-dmabuf)
	bench "${calls[@]}" --sizes 4K,64K --count 4 --rounds 3
	succeeded
	json '[.rows[].call] | unique == ($calls / " " | unique)' --arg calls "${calls[*]}"
	json '.rows | group_by(.call) | all(map(.size) == [4096, 65536])'
	json '.rows | all(.count == 4 and (.rounds | map(.count)) == [2, 1, 1])'
	json '.failures == []'
	# what is named twice is measured once, in the order in which it is named
	bench dereg reg dereg --sizes 4K,4K --memory thp --memory anon --memory thp --count 1
	json '[.rows[] | [.call, .memory]] == [["dereg", "thp"], ["dereg", "anon"], ["reg", "thp"], ["reg", "anon"]]'
}

@test "percentiles go up, and the histogram holds each call once" {
	bench reg --sizes 64K --count 200
	json '.rows[0] | .min_ns > 0 and .min_ns <= .p50_ns and .p50_ns <= .p90_ns and .p90_ns <= .p99_ns and
		.p99_ns <= .p999_ns and .p999_ns <= .max_ns and .mean_ns >= .min_ns and .mean_ns <= .max_ns'
	json '.rows[0] | (.histogram | map(.count) | add) == 200 and
		.histogram[0].ns >= .min_ns and .histogram[0].ns <= .min_ns * 1.001 and
		.histogram[-1].ns <= .max_ns and .histogram[-1].ns >= .max_ns * 0.999 and (.histogram | map(.ns) | . == sort)'
	json '.rows[0] | (.bytes_per_s * .mean_ns / 65536e9 - 1) | . > -0.01 and . < 0.01'
	# a worker has room for so many times in a round
	bench dereg --sizes 4K --seconds 600 --rounds 1
	json '.rows[0].count == 32768'
}

@test "rows and titles mark a simulated device, and settings of UCX name their memory" {
	bench --sizes 4K,16K,64K --count 5
	json '.rows + .fits | length == 4 and all(.device | endswith(" (simulated)"))'
	json '.environment.simulated and (.rows | all(.simulated))'
	bench reg dereg --sizes 4K,16K,64K --threads 1,2 --processes 1,2 --occupied 1,4K --count 5
	json '.fits | all(.ucx == null or (.call == "reg" and [.threads, .processes, .occupied] == [1, 1, 0]))'
	run --separate-stderr mr bench --sizes 4K,16K,64K --memory memfd --count 5
	[ "$(grep -c '^reg .*(simulated)' <<<"$output")" -eq 4 ]
	# there are none where chance has bent the line
	[[ $output != *UCX* || $output == *"settings of UCX for $(device) (simulated), memfd: UCX_IB_MEM_REG_OVERHEAD="* ]]
}

# bats test_tags=kernel
@test "counters of the device are shown from before and after" {
	on_mlx5 || skip "rxe has no firmware"
	bench umem --sizes 4K --count 12 --rounds 3
	succeeded
	if on_simulator; then
		json '.counters == []'
		return
	fi
	json '.counters | map(select(.counter == "CREATE_UMEM" or .counter == "DESTROY_UMEM")) |
		length == 2 and all(.device == $device and .after - .before >= 12)' --arg device "$MRCTL_TEST_DEVICE"
	json '[.counters[].counter] | (index("frmr_free") != null) == $has' --argjson has \
		"$([ "$MRCTL_TEST_GUEST" = sid ] && echo true || echo false)"
	run --separate-stderr "${MR[@]}" bench umem --sizes 4K --count 2 --rounds 1
	[[ $output == *"COUNTER"*"CREATE_UMEM"* ]]
}

@test "threads and processes have separate rows, and all workers call on each device" {
	bench --all-devices --sizes 4K --threads 1,3 --processes 1,2 --count 2 --rounds 2
	succeeded
	json '[.rows[] | [.processes, .threads, .count]] == [[1, 1, 2], [1, 3, 6], [2, 1, 4], [2, 3, 12]]'
	json '.rows | all(.slowest_ns >= .min_ns and .slowest_ns <= .max_ns)'
}

@test "occupied regions go up in quarters, and down again; equal quarters are measured once" {
	bench --sizes 4K --count 1 --occupied 8,64K
	succeeded
	json '[.rows[].occupied] == [0, 2, 4, 6, 8, 6, 4, 2, 0]'
	json '[.rows[].direction] == [range(9) | if . < 5 then "ascending" else "descending" end]'
	json '.rows | all(.occupied_bytes == .occupied * 65536)'
	for n in '1 [0,1,0]' '2 [0,1,2,1,0]' '3 [0,1,2,3,2,1,0]'; do
		bench --sizes 4K --count 1 --occupied "${n%% *},4K"
		json '[.rows[].occupied] == $levels' --argjson levels "${n#* }"
	done
}

@test "gnuplot draws pictures as text and as files of the kind of their ending; without it the table is printed" {
	file=$BATS_TEST_TMPDIR/a
	command -v gnuplot >/dev/null || skip "gnuplot is not installed"
	succeeded mr bench --sizes 4K,64K --count 2 --plot
	[[ $output == *"reg by size: "*" kiB"*"p50"*"p99"*"distribution of calls: "*"64K"* ]]
	[[ $stderr != *[Ww]arning* ]]
	succeeded mr bench --sizes 4K --count 1 --plot reg dereg
	[[ $output == *"median by size: "*"4K dereg"* && $stderr != *[Ww]arning* ]]
	for kind in svg:'<?xml' png:$'\x89PNG' pdf:%PDF; do
		succeeded mr bench --plot "$file.${kind%%:*}" reg dereg --sizes 4K,64K --count 2
		[ "$(head -c ${#kind} "$file.${kind%%:*}" | head -c $((${#kind} - 4)))" = "${kind#*:}" ]
	done
	[ "$(grep -c 'dereg, ' "$file.svg")" -ge 2 ]
	usage_error "a.svg: the file exists" "--force" -- mr bench --sizes 4K --count 1 --svg "$file.svg"
	succeeded mr bench --sizes 4K --count 2 --force --plot "$file.svg"
	! grep -q 'dereg, ' "$file.svg"
	# another ending needs "=", or the option's old name
	succeeded mr bench -c 1 --sizes 4K --plot="$file" --svg "$file.old"
	[ "$(head -c 5 "$file")$(head -c 5 "$file.old")" = '<?xml<?xml' ]
	fails ENOENT mr bench --sizes 4K --count 1 --svg "$BATS_TEST_TMPDIR/no/b.svg"
	[[ $output == *"4K"* ]]
	fails "gnuplot draws the pictures: install it" "${SIM[@]}" env PATH="$BUILD" mrctl bench --sizes 4K --plot
	[[ $output == *"4K"* ]]
}

@test "gnuplot gets a block of percentiles for each group, and one of the distribution for each row" {
	install -m 755 /dev/stdin "$BATS_TEST_TMPDIR/gnuplot" <<<$'#!/bin/sh\nexec cat "$1"'
	PATH=$BATS_TEST_TMPDIR:$PATH bench dereg reg --sizes 4K,16K --count 3 --plot="$NEW"
	diff <(jq -r '(.rows | group_by(.call) | to_entries[] | "$b\(.key) << EOD",
		(.value[] | "\(.size) \(.p50_ns) \(.p90_ns) \(.p99_ns) \(.max_ns)"), "EOD"), (.rows | to_entries[] | "$b\(.key) << EOD",
		"\(.value.min_ns) 0", (foreach .value.histogram[] as $b (0; . + $b.count; "\($b.ns) \(. * 100 / 3 | round)")), "EOD")' \
		<<<"$output") <(awk '/^EOD/ { on = 0; print } on && NF > 2 { printf "%s", $1; for (i = 2; i <= NF; i++) printf " %.0f", $i * 1e9
		print "" } on && NF == 2 { printf "%.0f %.0f\n", $1 * 1e9, $2 } /<< EOD/ { on = 1; print }' "$NEW")
	[ "$(grep -oE "title '(4K |16K )?(de)?reg\>" "$NEW" | cut -c 8- | tr '\n' ,)" = "dereg,reg,4K dereg,16K dereg,4K reg,16K reg," ]
	# more curves than 12 cannot be distinguished
	PATH=$BATS_TEST_TMPDIR:$PATH bench --sizes 4K --threads "$(seq -s , 13)" --count 1 --force --plot="$NEW"
	[ "$(grep -c '<< EOD' "$NEW") $(grep -c ', not all curves' "$NEW")" = '24 2' ]
}

@test "each call's time is measured, and a plan's is that of its calls" {
	# a call that waits takes as long at least; the highest bound finds another unit
	run --separate-stderr faulty reg_mr=delay:20 -j bench --sizes 4K --count 2 --rounds 1
	json '.rows[0] | [.min_ns, .p50_ns, .max_ns] | all(. >= 20e6) and .[0] < 20e9'
	succeeded faulty reg_mr=delay:20 -j bench --plan 10M --sizes 1M,4K --count 2 --rounds 1
	# the line through them may fall, and then tells nothing
	json '.plan | map(.time_ns) | (.[0] == null or .[0] >= 190e6) and (.[1] == null or .[1] >= 50e9)'
	absent "nosuch" "${SIM[@]}" mrctl -j -d nosuch bench --plan 1M
	json '.plan == [] and (.failures | length) == 1'
}

# bats test_tags=slow
@test "a plan has a row for each size of pieces and number of threads, with the interval of its time" {
	# of a memfd each page counts, so that chance does not hide that larger pieces take longer
	bench --plan 5M --sizes 64K,2M --memory memfd --threads 1,3 --count 5 --rounds 1
	succeeded
	json '[.plan[] | [.size, .pieces, .threads]] | sort ==
		[[65536, 80, 1], [65536, 80, 3], [2097152, 3, 1], [2097152, 3, 3]]'
	# Each thread makes a call in each turn.
	json '.plan | all((.pieces / .threads | ceil) as $turns | (.time_ns - .piece_ns * $turns) | fabs <= $turns)'
	# there is none where noise has bent the line
	json '.plan | all((.high_ns == null or .low_ns <= .time_ns and .time_ns <= .high_ns) and .residual_percent >= 0)'
	json 'has("rows") or has("fits") | not'
	succeeded mr bench --plan 5M --count 1
	[[ $output == *"SIZE PIECES"*"1M "*"5M "* ]]
	# pieces too large to be measured; times of more than 30 years are not known
	bench --plan 8P --sizes 4P,4K --memory memfd --count 5 --rounds 1
	json '[.plan[] | [.pieces, .time_ns > 0]] == [[2, true], [2199023255552, true]]'
	bench --plan 8E --sizes 4K --count 1
	json '.plan[0] | .pieces == 2251799813685248 and .time_ns == null and .high_ns == null'
}

@test "regions already registered that the limit of locked memory forbids end their levels" {
	limited=("${UNPRIVILEGED[@]}" prlimit --memlock=8388608:8388608)
	"${limited[@]}" true || skip "this user cannot have such a limit"
	exits 1 "${limited[@]}" "${SIM[@]}" mrctl -j bench --sizes 4K --count 1 --occupied 4,4M
	json '.failures[0].errno == "ENOMEM" and [.rows[].occupied] == [0, 1]'
	# sizes without --sizes are half of the limit at most
	succeeded "${limited[@]}" "${SIM[@]}" mrctl -j bench --count 1
	json '.rows[-1].size == 4194304'
}

# ---- comparisons ---------------------------------------------------------------------------------

# measured ARG...: measures OLD
measured() {
	mr -j bench --count 1 "$@" >"$OLD"
}

# figures NS COUNT FILE: makes FILE of OLD, whose rows have COUNT rounds with about NS nanoseconds
figures() {
	jq --argjson ns "$1" --argjson count "$2" \
		'.rows[] |= (.p50_ns = $ns | .rounds = [range($count) | {count: 1, p50_ns: ($ns + .)}])' "$OLD" >"$3"
}

# compared OLD NEW [OPTION...]: compares two documents
compared() {
	run --separate-stderr mrctl -j bench --compare "$@"
}

@test "a call that became slower is reported with its interval, and the exit status is 1" {
	measured --sizes 4K
	figures 1000000 6 "$OLD.1"
	figures 2000000 6 "$NEW"
	compared "$OLD.1" "$NEW"
	[ "$status" -eq 1 ]
	json '.comparison[0] | .verdict == "slower" and .old_ns == 1000000 and .new_ns == 2000000 and .ratio == 2 and
		.low > 1.99 and .low <= .ratio and .high >= .ratio and .high < 2.01'
	compared "$NEW" "$OLD.1"
	succeeded
	json '.comparison[0] | .verdict == "faster" and .ratio == 0.5'
	while read -r tolerance verdict; do
		compared "$OLD.1" "$NEW" --tolerance "$tolerance"
		json '.comparison[0].verdict == $verdict' --arg verdict "$verdict"
		[ "$status" -eq "$([ "$verdict" = slower ] && echo 1 || echo 0)" ]
	done <<-'EOT'
		99.9% slower
		100% unclear
		100.1 same
	EOT
	compared "$NEW" "$OLD.1" --tolerance 50%
	json '.comparison[0].verdict == "unclear"'
	exits 1 mrctl bench --compare "$OLD.1" "$NEW"
	[[ $output == *"RATIO"*"slower"* && $stderr == *"1 slower, 0 faster, 0 same, 0 unclear: "*"rank-sum test"* ]]
	figures 1000000 3 "$NEW"
	compared "$NEW" "$NEW"
	succeeded
	json '.comparison[0] | .verdict == "too-few-rounds" and .ratio == null and .old_ns > 0 and .new_ns > 0'
	run --separate-stderr mrctl bench --compare "$NEW" "$NEW"
	[[ $stderr == *"1 with too few rounds: each document requires 4"* ]]
}

@test "rows of only one document are reported, and so is an interrupted measurement" {
	measured --sizes 4K,16K
	figures 1000 4 "$OLD.1"
	jq 'del(.rows[0]) | .rows += [.rows[0] | .size = 65536] | .method.interrupted = true' "$OLD.1" >"$NEW"
	compared "$OLD.1" "$NEW"
	succeeded
	json '[.comparison[] | [.size, .verdict, .old_ns, .new_ns]] == [[4096, "old-only", 1000, null],
		[16384, "same", 1000, 1000], [65536, "new-only", null, 1000]]'
	run --separate-stderr mrctl bench --compare "$OLD.1" "$NEW"
	[[ $stderr == *"the new measurement was interrupted"* && $stderr != *"the old measurement"* ]]
	run --separate-stderr mrctl bench --compare "$NEW" "$OLD.1"
	[[ $stderr == *"the old measurement was interrupted"* && $stderr != *"the new measurement"* ]]
}

# bats test_tags=slow
@test "documents of different hosts are compared only with --anyway, and other files never" {
	measured --sizes 4K
	for edit in '.environment.kernel' '.host.thp'; do
		jq "$edit = \"x\\u001b[1mz\"" "$OLD" >"$NEW"
		usage_error "${edit##*.} was '" "and is 'x?[1mz'" "--anyway" -- mrctl bench --compare "$OLD" "$NEW"
	done
	compared "$OLD" "$NEW" --anyway
	json '.comparison | length == 1'
	for edit in '.command = "reg"' '.rows = [1]' '.rows = {}' '.format = 2' 'del(.format)'; do
		jq "$edit" "$OLD" >"$NEW"
		usage_error "$NEW " -- mrctl bench --compare "$NEW" "$OLD" --anyway
	done
	for edit in /dev/null "$BATS_TEST_TMPDIR/none"; do
		exits 1 mrctl -j bench --compare "$OLD" "$edit"
		[[ $stderr == *"$edit"* ]] && json '.comparison == [] and (.failures | length == 1)'
	done
	# what a row does not tell is not known
	for edit in '.rows[0].rounds = [{"p50_ns":-1}, 2, null]' '.rows[0].rounds[].p50_ns = 1e400' '.rows[0].call = 7' \
		'del(.host, .environment, .rows[].size) | .rows[].threads = null | .rows[].processes = "x"'; do
		jq "$edit" "$OLD" >"$NEW"
		compared "$OLD" "$NEW" --anyway
		succeeded
		json '.comparison | length >= 1 and all(.verdict != "slower")'
	done
	json '.comparison[-1] | .verdict == "new-only" and .size == null and .threads == null and .processes == null and
		.occupied == 0'
}

# bats test_tags=slow
@test "one document is compared with a new measurement, row by row" {
	local -a tried=(
		'reg reg-iova dereg --sizes 4K --threads 1,2 --via kernel'
		'reg rereg --sizes 4K,8K --memory memfd --memory readonly --access remote-read --processes 2'
		'reg --sizes 8K --memory thp'
		'reg --sizes 4K --occupied 4,4K --seconds 0.001'
		'reg-dmabuf advise --sizes 4K'
	)

	for words in "${tried[@]}"; do
		[[ $words == *--seconds* ]] || words+=" --count 2"
		mr -j bench $words --rounds 2 >"$OLD" || [ $? -eq 1 ] # a row may be refused
		run --separate-stderr mr -j bench --compare "$OLD" --anyway
		[ "$status" -le 1 ] || fail "$words: $status $stderr"
		json '([.comparison[] | [.call, .memory, .size, .state, .threads, .processes, .occupied, .direction]] ==
			[$old[0].rows[] | [.call, .memory, .size, .state, .threads, .processes, .occupied, .direction]]) and
			(.comparison | length > 0 and all(.new_ns > 0 and .verdict != "old-only"))' \
			--slurpfile old "$OLD"
	done
}

@test "with a row slower than in the document the exit status is 1, and --rounds can differ" {
	measured --sizes 4K
	# no call takes a nanosecond
	jq '.method.rounds = 4 | .method.calls = 4 | .rows[].rounds = [range(4) | {p50_ns: 1}]' "$OLD" >"$NEW"
	exits 1 mr -j bench --compare "$NEW"
	json '.comparison[0].verdict == "slower"'
	gives '.comparison[0].verdict == "too-few-rounds"' mr bench --compare "$NEW" --rounds 3
	shows '.comparison[0].verdict == "too-few-rounds"' mr bench --compare "$NEW" --count 1
	# nor does one take a day
	jq '.rows[].rounds[].p50_ns = 1e14' "$NEW" >"$OLD"
	shows '.comparison[0].verdict == "faster"' mr bench --compare "$OLD" --seconds 0.001
}

# bats test_tags=slow
@test "measuring a document again accepts no options, compares hosts first, and reports failures" {
	measured --sizes 4K
	for edit in '.rows = []' '.rows[].call = "--svg=x"' '.rows[].size = -1' '.rows[].memory = "--svg=x"' \
		'.rows[].memory = "none"' '.rows[].via = "x,y"' '.rows[].threads = 1e9' '.rows[].access_bits = "0xfffffffff"' \
		'.rows = [range(70) as $i | {call: "reg", size: ($i + 1)}]'; do
		jq "$edit" "$OLD" >"$NEW"
		run --separate-stderr mr bench --compare "$NEW" --anyway
		[ "$status" -eq 2 ] && [ -n "$stderr" ] && [ -z "$output" ] || fail "$edit: $status $output $stderr"
	done
	[ ! -e x ]
	# A file that the document names is not made before hosts are found to be the same.
	jq '.environment.kernel = "1.0" | .rows[].memory = "file:" + $file' --arg file "$BATS_TEST_TMPDIR/made" "$OLD" >"$NEW"
	usage_error "kernel was '1.0'" -- mr bench --compare "$NEW"
	[ ! -e "$BATS_TEST_TMPDIR/made" ]
	jq '.rows[].memory = "file:/nonexistent/file"' "$OLD" >"$NEW"
	run --separate-stderr mr bench --compare "$NEW"
	[[ $status -ne 0 && $output == *old-only* && $stderr == *"'/nonexistent/file'"* ]]
	jq '.environment.device = "nosuch"' "$OLD" >"$NEW"
	absent "nosuch" "${SIM[@]}" mrctl bench --compare "$NEW"
	[ -z "$output" ]
	usage_error "measures on the devices of" "'nosuch'" -- "${SIM[@]}" mrctl -d nosuch bench --compare "$OLD"
	jq '.rows += [.rows[0] | .device = "other0"]' "$OLD" >"$NEW"
	run --separate-stderr "${SIM[@]}" mrctl -d "$(device)" bench --compare "$NEW" --anyway
	usage_error "measures on the devices of" "'$(device)'"
	run --separate-stderr "${SIM[@]}" mrctl -j bench --compare "$NEW"
	json '.comparison | length == 2 and .[0].new_ns > 0 and .[1].verdict == "old-only"'
}
