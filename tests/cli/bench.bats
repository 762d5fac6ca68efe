#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# mrctl bench: what it measures, and whether its figures are right.
# shellcheck disable=SC2016 # jq has variables of its own

load helpers

# bench ARG...: sets output to its document
bench() {
	run --separate-stderr mr -j bench "$@"
	json '.command == "bench"'
}

# bats test_tags=kernel
@test "each call is measured, for each size" {
	local calls=(reg reg-iova dereg relaxed)

	! on_mlx5 || calls+=(rereg umem advise)
	# Linux 6.1 of Debian 12 makes no dma-bufs of memory.
	! on_mlx5 || { ! on_simulator && [ ! -e /dev/udmabuf ]; } || calls+=(reg-dmabuf)
	bench "${calls[@]}" --sizes 4K,64K --count 12 --rounds 3
	succeeded
	json '[.rows[].call] | unique == ($calls / " " | unique)' --arg calls "${calls[*]}"
	json '.rows | group_by(.call) | all(map(.size) == [4096, 65536])'
	json '.rows | all(.count == 12 and (.rounds | length) == 3 and (.rounds | map(.count) | add) == 12)'
	json '.failures == []'
}

@test "percentiles go up, and the histogram holds each call once" {
	bench reg --sizes 64K --count 200
	json '.rows[0] | .min_ns > 0 and .min_ns <= .p50_ns and .p50_ns <= .p90_ns and .p90_ns <= .p99_ns and
		.p99_ns <= .p999_ns and .p999_ns <= .max_ns and .mean_ns >= .min_ns and .mean_ns <= .max_ns'
	json '.rows[0] | (.histogram | map(.count) | add) == 200 and .histogram[0].ns >= .min_ns and .histogram[0].ns <= .min_ns * 1.001 and
		.histogram[-1].ns <= .max_ns and .histogram[-1].ns >= .max_ns * 0.999 and (.histogram | map(.ns) | . == sort)'
	json '.rows[0] | (.bytes_per_s * .mean_ns / 65536e9 - 1) | . > -0.01 and . < 0.01'
}

@test "what is simulated says so in every row and title" {
	bench --sizes 4K,16K,64K --count 20
	json '.rows + .fits | length == 4 and all(.device | endswith(" (simulated)"))'
	json '.environment.simulated and (.rows | all(.simulated))'
	run --separate-stderr mr bench --sizes 4K,16K,64K --count 20
	[ "$(grep -c '^reg .*(simulated)' <<<"$output")" -eq 4 ]
	[[ $output != *UCX* || $output == *"UCX takes for "*" (simulated): UCX_IB_MEM_REG_OVERHEAD="* ]]
}

# bats test_tags=kernel
@test "what the kernel counts of the device is told from before and after" {
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

# bats test_tags=kernel
@test "threads, processes and states have rows of their own, and all workers call" {
	bench --sizes 4K --threads 1,3 --processes 1,2 --count 10 --rounds 2
	succeeded
	json '[.rows[] | [.processes, .threads, .count]] == [[1, 1, 10], [1, 3, 30], [2, 1, 20], [2, 3, 60]]'
	json '.rows | all(.slowest_ns >= .min_ns and .slowest_ns <= .max_ns)'
}

@test "all devices are measured at once" {
	bench --all-devices --sizes 4K --count 5
	succeeded
	json '.rows | length >= 1 and all(.count == 5)'
}

# bats test_tags=kernel
@test "regions that are there already go up in quarters, and down again" {
	bench --sizes 4K --count 4 --occupied 8,64K
	succeeded
	json '[.rows[].occupied] == [0, 2, 4, 6, 8, 6, 4, 2, 0]'
	json '[.rows[].direction] | .[:5] + .[5:] == . and (.[:5] | unique) == ["ascending"] and
		(.[5:] | unique) == ["descending"] and length == 9'
	json '.rows | all(.occupied_bytes == .occupied * 65536)'
}

@test "the regions that are there count against the limit of locked memory" {
	may_lock 200M && skip "this user may lock 200 MiB of memory"
	bench --sizes 4K --count 4 --occupied 200,1M
	[ "$status" -eq 1 ]
	json '.failures[0].errno == "ENOMEM"'
}

@test "phases are the differences of medians" {
	bench --phases --sizes 1M --count 20
	if [ "$status" -eq 0 ]; then
		json '[.rows[].state] == ["populated", "untouched", "on-demand"]'
		json '[.rows[].access] == [["local-write"], ["local-write"], ["local-write", "on-demand"]]'
		json '(.rows | map({(.state): .p50_ns}) | add) as $p | .phases[0] |
			.rest_ns == $p["on-demand"] and .pin_ns == $p.populated - $p["on-demand"] and
			.fault_ns == $p.untouched - $p.populated'
		# On new memory the call makes 256 pages more.
		json '(.rows | map({(.state): .p50_ns}) | add) | .untouched > 2 * .populated'
	else # a device without on-demand paging
		json '[.failures[].errno] | length == 1'
		json '.phases[0] | .rest_ns == null and .pin_ns == null'
	fi
}

@test "a call that is refused is told, and the others are measured" {
	bench --sizes 4K,16K --memory readonly --memory anon --count 4
	[ "$status" -eq 1 ]
	json '[.failures[] | [.call, .errno]] == [["ibv_reg_mr", "EFAULT"], ["ibv_reg_mr", "EFAULT"]]'
	json '[.rows[] | [.memory, .size]] == [["anon", 4096], ["anon", 16384]]'
	[[ $stderr == *"reg of 4096 bytes, populated: ibv_reg_mr: EFAULT"* ]]
	[[ $stderr == *"'mrctl reg' with the same options tells why"* ]]
}

@test "a worker that is refused ends the row of all, and it is told once" {
	on_simulator || skip "faults are those of the simulator"
	run --separate-stderr faulty reg_mr@20=ENOMEM -j bench --sizes 4K --threads 4 --count 100
	[ "$status" -eq 1 ]
	json '.failures | length == 1 and .[0].errno == "ENOMEM"'
}

@test "a process that is killed while it measures is told" {
	on_simulator || skip "faults are those of the simulator"
	run --separate-stderr faulty reg_mr@9=kill -j bench --sizes 4K --processes 2 --count 100
	[ "$status" -eq 1 ]
	json '.failures | length == 1 and .[0].errno == "ECHILD"'
	[[ $stderr == *"a process that measured was killed (signal 9)"* ]]
}

@test "a device that does not exist is absent, and the document says so" {
	run --separate-stderr "${SIM[@]}" mrctl -j -d nosuch bench --sizes 4K
	absent "nosuch"
	json '.rows == [] and (.failures | length) == 1'
}

@test "signals end the measurement, and what was measured is printed" {
	local out=$BATS_TEST_TMPDIR/out pid

	"${SIM[@]}" mrctl bench --sizes 4K,64K --seconds 100 --rounds 1000 >"$out" 2>"$out.err" 3>&- &
	pid=$!
	sleep 1.5
	kill "$pid"
	status=0
	wait "$pid" || status=$?
	[ "$status" -eq 143 ]
	[ "$(grep -c '^reg ' "$out")" -eq 2 ]
	"${SIM[@]}" mrctl -j bench --sizes 4K,64K --seconds 100 --rounds 1000 >"$out" 2>/dev/null 3>&- &
	pid=$!
	sleep 1.5
	kill "$pid"
	wait "$pid" || :
	jq -e '.method.interrupted and (.rows | length) == 2 and .rows[0].count > 0' "$out"
	grep -q 'interrupted: [0-9]* of 2000 measurements' "$out.err"
}

@test "processes that measure end with the one that has started them" {
	local out=$BATS_TEST_TMPDIR/out pid children=()

	on_simulator || skip "needs calls that take long"
	"${SIM[@]::${#SIM[@]}-1}" --fault reg_mr=delay:20 -- \
		mrctl -q bench --sizes 4K --processes 3 --seconds 100 --rounds 1 >"$out" 2>&1 3>&- &
	pid=$!
	until [ "${#children[@]}" -eq 3 ]; do
		is_running "$pid"
		sleep 0.02
		mapfile -t children < <(cat /proc/[0-9]*/stat 2>/dev/null | awk -v pid="$pid" '$4 == pid { print $1 }')
	done
	kill -9 "$pid"
	wait "$pid" || :
	for pid in "${children[@]}"; do
		until ! is_running "$pid"; do
			sleep 0.02
		done
	done
}

@test "pictures are drawn without a terminal by --plot alone, and of ASCII where the locale has no more" {
	run --separate-stderr mr bench --sizes 4K..64K --count 20
	succeeded
	[[ $output != *"by size"* ]]
	LC_ALL=C run --separate-stderr mr bench --sizes 4K..64K --count 20 --plot
	succeeded
	[[ $output == *"reg by size: "*"p50"*"p99"*"distribution of calls: "*"64K"* ]]
	! on_simulator || [ "$(grep -c ': .*(simulated), Linux ' <<<"$output")" -eq 2 ]
	[ -z "$(tr -d '\n -~' <<<"$output")" ]
	[ "$(wc -L <<<"$output")" -le 80 ]
	LC_ALL=C.UTF-8 run --separate-stderr mr bench --sizes 4K..64K --count 20 --plot
	[ -n "$(tr -d '\n -~' <<<"$output")" ]
}

@test "pictures are written as SVG, and a file that cannot be written leaves the figures" {
	local svg=$BATS_TEST_TMPDIR/a.svg

	run --separate-stderr mr bench reg dereg --sizes 4K..64K --count 20 --svg "$svg"
	succeeded
	grep -q '^<svg ' "$svg" || grep -q '<svg ' "$svg"
	[ "$(grep -o '</svg>' "$svg" | wc -l)" -eq 1 ]
	! command -v python3 >/dev/null || python3 -c 'import sys, xml.dom.minidom as dom; dom.parse(sys.argv[1])' "$svg"
	run --separate-stderr mr bench --sizes 4K --count 5 --svg "$BATS_TEST_TMPDIR/no/b.svg"
	[ "$status" -eq 1 ]
	[[ $output == *"4K"* ]]
	[[ $stderr == *"ENOENT"* ]]
}

@test "a wrong command line is a usage error, and measures nothing" {
	local line

	while IFS='|' read -r line message; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr mr bench $line
		usage_error "$message"
	done <<-'EOT'
		foo|unknown call 'foo'
		--sizes 0|0 makes no sense
		--sizes 64K..4K|a range ends before it begins
		--sizes 4K,,8K|is neither a number nor a range
		--sizes 4K..|is neither a number nor a range
		--threads 0|0 makes no sense
		--threads 5000|5000
		--threads 4096 --processes 2|workers at once are too many
		--rounds 0|from 1 to 1000
		--count 0|from 1 to
		--seconds 0|more than 0
		--seconds 1 --count 1|excludes
		--occupied 5|is not N,BYTES
		--occupied 5,0|1 byte or more
		--memory none|no memory of this process
		--memory foo|unknown
		--from udmabuf|'reg' has none
		reg-dmabuf --memory anon|see --from
		dereg --phases|'dereg' is none
		relaxed --via kernel|not measured by --via kernel
		--plan 0|0 makes no sense
		--plan max|too many to be counted
		--plan 1M --sizes 2M|larger than all
		--plan 8E --sizes 1|too many to be counted
		--plan 1M dereg|'dereg' is none
		--plan 1M reg-dmabuf|'reg-dmabuf' is none
		--plan 1M --phases|--plan excludes --phases
		--plan 1M --processes 2|--plan excludes --processes
		--plan 1M --compare a b|excludes --plan
		-d mlx5_0 --all-devices|--all-devices excludes -d
	EOT
}

@test "a delay of the call is in all figures, right within 2 percent" {
	on_simulator || skip "faults are those of the simulator"
	# All else takes microseconds.  A busy machine may delay some calls, but not the fastest half of them.
	run --separate-stderr faulty reg_mr=delay:200 -j bench --sizes 4K --count 6 --rounds 2
	succeeded
	json '.rows[0] | [.min_ns, .p50_ns] | all(. >= 200e6 and . <= 204e6)'
}

# bats test_tags=kernel
@test "a plan has a row for each size of pieces and number of threads, whose pages and calls are counted" {
	local page

	page=$(getconf PAGESIZE)
	bench --plan 5M --sizes 64K,2M --threads 1,3 --count 3
	succeeded
	json '[.plan[] | [.size, .pieces, .threads]] | sort ==
		[[65536, 80, 1], [65536, 80, 3], [2097152, 3, 1], [2097152, 3, 3]]'
	json '.plan | all(.pinned_pages * $page == 5 * 1048576 and .entries * .entry_bytes == 5 * 1048576)' \
		--argjson page "$page"
	# Each thread makes a call in each turn.
	json '.plan | all((.pieces / .threads | ceil) as $turns |
		(.time_ns - .piece_ns * $turns) | fabs <= $turns)'
	json '.plan | all(.by == "measured" and .residual_percent == null or .by == "fitted" and .residual_percent >= 0)'
	json 'has("rows") or has("fits") | not'
	run --separate-stderr mr bench --plan 5M --sizes 64K,2M --count 3
	succeeded
	[[ $output == *"TIME"*"PINNED_PAGES"*"ENTRIES"*"ALLOWED"* ]]
	! on_simulator || [ "$(grep -c '^reg .*(simulated)' <<<"$output")" -eq 2 ]
}

# bats test_tags=kernel
@test "a piece that is too large to be measured is told by the line, and what does not allow it" {
	# Of a memfd each page counts, so that chance does not hide that larger pieces take longer.
	bench --plan 8P --sizes 4P --memory memfd --count 3
	succeeded
	json '.plan[0] | .by == "fitted" and .pieces == 2 and .time_ns > 1e9 and .residual_percent >= 0'
	json '.limits as $l | .plan[0] | .allowed == false and .needed > .at_most and .at_most ==
		{max_mr_size: $l.max_mr_size, max_mr: $l.max_mr, RLIMIT_MEMLOCK: $l.memlock,
		MemTotal: $l.memory_total}[.limit]'
	json '.plan[0] | .limit as $limit | .reason | startswith($limit)'
	json '.limits.memlock_lifted != false or .plan[0].limit != "MemTotal" or .limits.memlock == null'
	# Regions on demand pin nothing.
	bench --plan 64K --count 1 --access on-demand
	json '.plan[0] | .pinned_pages == 0 and .entries > 0 and .limit == null'
}

@test "the limit of locked memory decides, where no capability lifts it" {
	local limited=(prlimit --memlock=8388608:8388608)

	[ "$(id -u)" -ne 0 ] || limited=(setpriv --bounding-set -ipc_lock --inh-caps -ipc_lock "${limited[@]}")
	"${limited[@]}" true || skip "this user cannot have such a limit"
	run --separate-stderr "${limited[@]}" "${SIM[@]}" mrctl -j bench --plan 8388609 --sizes 4K,8388609 --count 100
	succeeded
	json '.limits.memlock == 8388608 and .limits.memlock_lifted == false'
	json '.plan | all(.limit == "RLIMIT_MEMLOCK" and .at_most == 8388608 and .needed == 8388608 + $page and
		.reason == "RLIMIT_MEMLOCK: 8388608 bytes, " + (.needed | tostring) + " bytes needed")' --argjson page "$(getconf PAGESIZE)"
	json '[.plan[].by] == ["measured", "fitted"]'
	run --separate-stderr "${limited[@]}" "${SIM[@]}" mrctl -j bench --plan 8M --sizes 4K --count 3
	succeeded
	json '.plan[0] | .limit != "RLIMIT_MEMLOCK" and .pieces == 2048'
}

@test "huge pages have fewer entries, and as many pinned pages" {
	bench --plan 8M --sizes 2M --memory hugetlb:2M --count 1
	json '.plan[0] | .entries == 4 and .entry_bytes == 2097152 and .pinned_pages * $page == 8388608' \
		--argjson page "$(getconf PAGESIZE)"
	# Where no size is given the kernel's own counts; a piece that is too small has no transparent one.
	bench --plan 8M --sizes 1M,8M --memory hugetlb --memory thp --count 1
	json '[.plan[] | select(.size == 8388608) | .entry_bytes] == [$huge, $thp]' \
		--argjson huge "$(awk '$1 == "Hugepagesize:" { print $2 * 1024 }' /proc/meminfo)" \
		--argjson thp "$(cat /sys/kernel/mm/transparent_hugepage/hpage_pmd_size || getconf PAGESIZE)"
	json '.plan[] | select(.memory == "thp" and .size == 1048576) | .entries * $page == 8388608' \
		--argjson page "$(getconf PAGESIZE)"
}

@test "the time of a plan is that of its calls, and of a device that is absent there is none" {
	on_simulator || skip "faults are those of the simulator"
	run --separate-stderr faulty reg_mr=delay:20 -j bench --plan 10M --sizes 1M,4K --count 3 --rounds 1
	succeeded
	# All but the delay takes microseconds, unless the machine is busy.
	json '.plan[0].time_ns | . >= 200e6 and . <= 600e6'
	json '.plan[1].time_ns | . >= 51.2e9 and . <= 153.6e9'
	run --separate-stderr "${SIM[@]}" mrctl -j -d nosuch bench --plan 1M
	absent "nosuch"
	json '.plan == [] and .limits.max_mr == null and (.failures | length) == 1'
}

# compared OLD NEW [OPTION...]: compares two documents
compared() {
	run --separate-stderr mrctl -j bench --compare "$@"
}

@test "a call that has become slower is told with its interval, and is exit status 1" {
	on_simulator || skip "faults are those of the simulator"
	local old=$BATS_TEST_TMPDIR/old new=$BATS_TEST_TMPDIR/new

	# A busy machine adds some milliseconds to a call.
	faulty reg_mr=delay:60 -j bench --sizes 4K --count 6 --rounds 6 >"$old"
	faulty reg_mr=delay:120 -j bench --sizes 4K --count 6 --rounds 6 >"$new"
	compared "$old" "$new"
	[ "$status" -eq 1 ]
	json '.comparison[0] | .verdict == "slower" and .low > 1.05 and
		.low <= .ratio and .ratio <= .high and .ratio > 1.5 and .ratio < 2.5'
	compared "$new" "$old"
	json '.comparison[0].verdict == "faster"'
	compared "$old" "$new" --tolerance 300%
	succeeded
	json '.comparison[0].verdict == "same"'
	compared "$old" "$old"
	succeeded
	json '.comparison | length == 1 and .[0].ratio == 1'
	run --separate-stderr mrctl bench --compare "$old" "$new"
	[ "$status" -eq 1 ]
	[[ $output == *"RATIO"*"slower"* ]]
	[[ $stderr == *" slower, "*" faster, "*"rank-sum test"* ]]
}

@test "rows of one document alone are told, and few rounds are too few" {
	local old=$BATS_TEST_TMPDIR/old new=$BATS_TEST_TMPDIR/new

	mr -j bench --sizes 4K,16K --count 9 --rounds 3 >"$old"
	mr -j bench --sizes 16K,64K --count 9 --rounds 3 >"$new"
	compared "$old" "$new"
	succeeded
	json '[.comparison[] | [.size, .verdict]] == [[4096, "old-only"], [16384, "too-few-rounds"], [65536, "new-only"]]'
	json '.comparison[1] | .ratio == null and .old_ns > 0 and .new_ns > 0'
	run --separate-stderr mrctl bench --compare "$old" "$new"
	[[ $stderr == *"1 with too few rounds to tell: 4 and 4 are enough"* ]]
}

@test "documents of different hosts are compared --anyway alone, and other files never" {
	local old=$BATS_TEST_TMPDIR/old new=$BATS_TEST_TMPDIR/new file

	mr -j bench --sizes 4K --count 20 >"$old"
	for file in '.environment.kernel' '.environment.simulated_kernel' '.host.cpu' '.host.fork_safe'; do
		jq "$file = \"x\\u001b[1mz\"" "$old" >"$new"
		run --separate-stderr mrctl bench --compare "$old" "$new"
		usage_error "${file##*.} was '" "and is 'x?[1mz'" "--anyway"
	done
	compared "$old" "$new" --anyway
	succeeded
	json '.comparison[0].ratio == 1'
	printf '{"command":"reg","rows":[]}' >"$new"
	for file in "$new" /dev/null "$BATS_TEST_TMPDIR" "$BATS_TEST_TMPDIR/none" "$BATS_TEST_DIRNAME/bench.bats"; do
		run --separate-stderr mrctl bench --compare "$old" "$file"
		usage_error "$file"
	done
	for file in '.rows = [1]' '.rows = {}' '.rows[0].rounds = 5' '.rows[0].rounds = [{"p50_ns":-1}, 2, null]' \
		'.rows[0].rounds[].p50_ns = 1e400' '.rows[0].call = 7' 'del(.rows[0].size)' 'del(.host, .environment)'; do
		jq "$file" "$old" >"$new"
		run --separate-stderr mrctl -j bench --compare "$old" "$new" --anyway
		[ "$status" -eq 0 ] || usage_error "is no document of 'mrctl -j bench'"
		[ "$status" -ne 0 ] || json '.comparison | length >= 1 and all(.verdict != "slower")'
	done
	run --separate-stderr mrctl bench --compare
	usage_error "--compare wants a document of 'mrctl -j bench', or two"
	run --separate-stderr mrctl bench --compare "$old" "$old" --count 5
	usage_error "--compare of two documents measures nothing"
	run --separate-stderr mrctl bench --compare "$old" "$old" "$old"
	usage_error "--compare wants a document of 'mrctl -j bench', or two"
	run --separate-stderr mrctl bench --tolerance 5%
	usage_error "--tolerance needs --compare"
}

# again OLD [OPTION...]: measures what a document has once more, and compares
again() {
	run --separate-stderr mr -j bench --compare "$@"
}

# bats test_tags=kernel
@test "one document is compared with what is measured now, row by row" {
	local old=$BATS_TEST_TMPDIR/old words
	local -a tried=(
		'--sizes 4K,64K --rounds 4'
		'reg reg-iova dereg --sizes 4K --threads 1,2 --via kernel'
		'reg rereg --sizes 4K,8K --memory memfd --memory readonly --access remote-read --processes 2'
		'reg --sizes 8K --phases --memory thp'
		'reg advise --sizes 4K'
		'reg --sizes 4K --occupied 8,4K --seconds 0.01'
	)

	for words in "${tried[@]}"; do
		[[ $words == *--seconds* ]] || words+=" --count 8"
		[[ $words == *--rounds* ]] || words+=" --rounds 2"
		# shellcheck disable=SC2086 # words
		mr -j bench $words >"$old" || [ $? -eq 1 ] # a row may be refused
		again "$old" --anyway --tolerance 1000%
		[ "$status" -le 1 ] || { echo "$words: $status $stderr"; return 1; }
		json '([.comparison[] | [.call, .memory, .size, .state, .threads, .processes, .occupied, .direction]] ==
			[$old[0].rows[] | [.call, .memory, .size, .state, .threads, .processes, .occupied, .direction]]) and
			(.comparison | length > 0 and all(.new_ns > 0 and .verdict != "old-only"))' \
			--slurpfile old "$old"
	done
}

@test "what has become slower since a document is exit status 1, and more rounds can be asked for" {
	on_simulator || skip "faults are those of the simulator"
	local old=$BATS_TEST_TMPDIR/old

	faulty reg_mr=delay:60 -j bench --sizes 4K --count 3 --rounds 3 >"$old"
	run --separate-stderr faulty reg_mr=delay:120 -j bench --compare "$old"
	succeeded
	json '.comparison[0].verdict == "too-few-rounds"'
	faulty reg_mr=delay:60 -j bench --sizes 4K --count 6 --rounds 6 >"$old"
	run --separate-stderr faulty reg_mr=delay:120 -j bench --compare "$old"
	[ "$status" -eq 1 ]
	json '.comparison[0] | .verdict == "slower" and .ratio > 1.5 and .ratio < 2.5'
	run --separate-stderr faulty reg_mr=delay:120 -j bench --compare "$old" --count 1
	succeeded
	json '.comparison[0].verdict == "too-few-rounds"'
}

@test "a document that is measured again chooses no options, hosts differ before that, and failures are told" {
	local old=$BATS_TEST_TMPDIR/old changed=$BATS_TEST_TMPDIR/changed edit

	mr -j bench --sizes 4K --count 8 >"$old"
	run --separate-stderr mr bench --compare "$old" --sizes 4K
	usage_error "--compare measures what OLD has"
	for edit in '.rows = []' '.rows[].call = "--svg=x"' '.rows[].size = -1' '.rows[].memory = "--svg=x"' \
		'.rows[].memory = "none"' '.rows[].via = "x,y"' '.rows[].threads = 1e9' '.rows[].access_bits = "0xfffffffff"' \
		'.rows = [range(70) as $i | {call: "reg", size: ($i + 1)}]'; do
		jq "$edit" "$old" >"$changed"
		run --separate-stderr mr bench --compare "$changed" --anyway
		[ "$status" -eq 2 ] || { echo "$edit: $status $output $stderr"; return 1; }
		[ -n "$stderr" ] && [ -z "$output" ]
	done
	[ ! -e x ]
	# A file that the document names is not made before hosts are found to be the same.
	jq '.environment.kernel = "1.0" | .rows[].memory = "file:" + $file' --arg file "$BATS_TEST_TMPDIR/made" "$old" >"$changed"
	run --separate-stderr mr bench --compare "$changed"
	usage_error "kernel was '1.0'"
	[ ! -e "$BATS_TEST_TMPDIR/made" ]
	jq '.rows[].memory = "file:/nonexistent/file"' "$old" >"$changed"
	run --separate-stderr mr bench --compare "$changed"
	[ "$status" -ne 0 ]
	[[ $output == *old-only* && $stderr == *"'/nonexistent/file'"* ]]
	run --separate-stderr "${SIM[@]}" mrctl -d nosuch bench --compare "$old"
	usage_error "measures on the device of" "'nosuch'"
	jq '.environment.device = "nosuch"' "$old" >"$changed"
	run --separate-stderr "${SIM[@]}" mrctl bench --compare "$changed"
	absent "nosuch"
	[ -z "$output" ]
}
