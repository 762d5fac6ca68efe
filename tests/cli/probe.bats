#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# mrctl stat --probe: what a device can do, learnt by trial.

load helpers
load why

# probe [ARG...]: tries the device under test; sets $output to the document
probe() {
	run --separate-stderr mr --json stat --probe "$@"
	[ "$status" -eq 0 ] || fail "exit status $status" "$stderr"
}

# answer ID: prints what a trial of the last run answered, "yes", "no ERRNO LAYER" or "unknown ERRNO"
answer() {
	jq -r --arg id "$1" '.trials[] | select(.id == $id) |
		[.answer, .errno, if .answer == "no" then .layer else empty end |
		 select(. != null)] | join(" ")' <<<"$output"
}

# answers ID ANSWER: the trial had this answer
answers() {
	local found

	found=$(answer "$1")
	[ "$found" = "$2" ] || fail "$1: '$found' instead of '$2'"
}

@test "each trial has an answer, and a reason where that is unknown" {
	probe
	json '.command == "stat" and (.trials | length) > 60 and .failures == []'
	json 'all(.trials[]; .answer == "yes" or .answer == "no" or .answer == "unknown")'
	json 'all(.trials[] | select(.answer == "unknown"); .reason != null)'
	json 'all(.trials[] | select(.errno == "EINVAL" and .layer == "uverbs"); .capability == "no" and .agrees)'
	json 'all(.trials[] | select(.agrees == false); .capability != .answer and .reason != null)'
	json '[.trials[].id] | length == (unique | length)'
	json '.answers.yes == ([.trials[] | select(.answer == "yes")] | length) and
		.answers.yes + .answers.no + .answers.unknown == (.trials | length) and
		.answers.disagree == ([.trials[] | select(.agrees == false)] | length)'
}

@test "--max-size ends at the cap if nothing is refused" {
	probe --max-size --cap 1M
	json '.max_size | .largest == 1048576 and .cap == 1048576 and .cap_by == "--cap" and
		.limit == "cap" and .refused == null and .errno == null and .call == null and
		.tries == 9 and .elapsed_ns > 0'
	# Not a multiple of the page size: whole pages are tried.
	probe --max-size --cap 10001
	json '.max_size.largest == 8192 and .max_size.tries == 2'
	exits 2 mr stat --probe --max-size --cap 4095
	[[ $stderr == *"--cap: give at least a page"* ]]
}

@test "--max-size finds a limit to the page, and names it" {
	require_nobody
	# 3,000 KiB are no power of two
	succeeded mr_as_nobody 3000 --json stat --probe --max-size --cap 64M
	json '.max_size | .largest == 3072000 and .refused == .largest + 4096 and
		.limit == "RLIMIT_MEMLOCK" and .call == "ibv_reg_mr" and .errno == "ENOMEM"'
}

# limited LIMIT [ARG...]: --max-size of a process with this limit of ulimit
limited() {
	succeeded bash -c 'ulimit "$1" 400000; shift; "$@"' bash "$1" "${MR[@]}" --json stat --probe \
		--max-size "${@:2}"
}

# bats test_tags=release
@test "--max-size tries half of the available memory, never more, and names the reason of a refusal" {
	! is_sanitized || skip "the sanitizer needs terabytes of addresses"
	may_lock 400M || skip "needs 400 MiB of lockable memory: raise ulimit -l"
	limited -v
	json '.max_size | .cap_by == "RLIMIT_AS" and .cap > 40000000 and .cap < 204800000 and
		.largest <= .cap and .largest > .cap - 8192 and .limit == "cap"'
	limited -v --cap 15E
	json '.max_size | .cap_by == "RLIMIT_AS" and .cap > 200000000 and .cap < 384000000 and
		.largest <= .cap and .limit == "cap" and .refused == null'
	limited -d --cap 1G
	json '.max_size | .call == "mmap" and .errno == "ENOMEM" and .limit == null and
		.largest < .refused and .refused < 409600000'
}

@test "--max-size names no limit where the device failed" {
	ASAN_OPTIONS+=:detect_leaks=0 # the library keeps what it could not deregister
	gives '.max_size | .largest == 4096 and .limit == null and .refused == null and .errno == "EIO" and
		.call == "ibv_dereg_mr" and .tries == 1' faulty dereg_mr=EIO stat --probe --max-size --cap 1M
}

# ---- what each kernel and device answers

# each_id: prints a row "ID|..." for each ID of rows "ID...|..."
each_id() {
	awk -F'|' '{ n = split($1, ids, " "); for (i = 1; i <= n; i++) print ids[i] substr($0, length($1) + 1) }'
}

# known GUEST-DEVICE[-HCA]: prints the answers of that device
known() {
	awk -F'\t' -v device="$1" '!/^#/ && device ~ "^(" $1 ")$" { print $2 }' "$BATS_TEST_DIRNAME/probe/answers" | each_id
}

# table: prints the last run's answers, as in probe/answers: ID|ANSWER|ERRNO|LAYER|WHAT REACHED THE KERNEL
table() {
	jq -r '.trials[] | [.id, .answer, .errno // "-", .layer // "-", .kernel_call // "-"] |
		join("|")' <<<"$output"
}

# bats test_tags=kernel
@test "the answers are those of this kernel, library and device" {
	need_kernel
	device=$MRCTL_TEST_GUEST-$MRCTL_TEST_DEVICE${MRCTL_TEST_HCA:+-$MRCTL_TEST_HCA}
	probe
	diff <(known "$device" | sort) <(table | sort) || fail "see the differences to $device in tests/cli/probe/answers"
	json '.answers.disagree == 0'
}

# bats test_tags=kernel
@test "stat --device reports nothing that a trial disproves" {
	known='atomic|flush|window|odp-(ex|im)plicit'
	# libmlx5 reads that of mlx5 by DEVX
	[ "${MRCTL_TEST_HCA:-}" = no-devx ] || known+='|relaxed'
	probe
	trials=$(jq -c '.trials | map({ key: .id, value: .answer }) | from_entries' <<<"$output")
	json '[.trials[] | select(.id | test("'"$known"'")).capability] | length > 6 and index(null) == null'
	succeeded mr --json stat --device
	# "no" of a trial and false are the same, and so are "yes" and true; neither is said of what is unknown.
	json '.devices[0] as $device | [
			[$device.dmabuf, $trials["dmabuf.udmabuf"]], [$device.dmabuf, $trials["dmabuf.heap"]],
			[$device.dm_dmabuf, $trials["dm.export"]], [$device.devx, $trials["umem.ioctl"]],
			[$device.dma_handles, $trials["dma-handle.alloc"]],
			[$device.odp.general | index("explicit") != null, $trials["kind.odp-explicit"]],
			[$device.odp.general | index("implicit") != null, $trials["kind.odp-implicit"]],
			[$device.max_dm_size > 0, $trials["dm.alloc"]],
			[$device.memory_windows | index("1") != null, $trials["window.type-1"]],
			[$device.memory_windows | index("2a", "2b") != null, $trials["window.type-2"]]
		] | all((.[0] == true and .[1] == "no" or .[0] == false and .[1] == "yes") | not)' \
		--argjson trials "$trials" || fail "$trials" "$output"
}

# probe_kernel KERNEL: tries the simulated device of that kernel; sets $library to the major number of rdma-core
probe_kernel() {
	succeeded mrctl sim --profile "${MRCTL_TEST_PROFILE:-mlx5}" --kernel "$1" -- \
		mrctl --json stat --probe
	library=$(jq -r '.environment.rdma_core | split(".")[0]' <<<"$output")
}

# of_kernel: of rows as in probe/answers, those that are not the library's, without the layer
of_kernel() {
	grep -vE 'ENOSYS|\|(provider|libibverbs)\|' | cut -d'|' -f1-3
}

# differences FILE: what standard input has otherwise, where neither says "unknown", as for want of huge pages
differences() {
	awk -F'|' 'NR == FNR { row[$1] = $0; answer[$1] = $2; next }
		$1 in row && $2 != "unknown" && answer[$1] != "unknown" && $0 != row[$1] {
			print $0 ", the kernel: " row[$1] }' "$1" -
}

# Where the library is not that of the guest, its part is left out.
@test "the simulator answers as the kernel that it simulates" {
	local kernel guest rdma_core library answers differs

	while read -r kernel guest rdma_core; do
		answers=$(known "$guest-$(device)")
		[ "$(wc -l <<<"$answers")" -gt 60 ]
		probe_kernel "$kernel"
		if [ "$library" -eq "$rdma_core" ]; then
			differs=$(table | differences <(echo "$answers"))
		else
			output=$(jq 'del(.trials[] | select(.reason // "" | test("ENOSYS|needs")))' <<<"$output")
			differs=$(table | of_kernel | differences <(of_kernel <<<"$answers"))
		fi
		[ -z "$differs" ] || fail "Linux $kernel, rdma-core $library" "$differs"
	done <<-'END'
		7.2 sid 65
		6.12 trixie 56
		6.1 bookworm 44
	END
}

# tests/userland-check.sh runs this with the libraries of other suites.
@test "decisions of the library follow its version" {
	for kernel in 7.2 6.12 6.1; do
		probe_kernel "$kernel"
		expected=$(awk -F'\t' -v library="$library" -v device="$(device)" -v kernel="$kernel" '
			!/^#/ && library >= $1 + 0 && ($2 == "-" || library < $2 + 0) && ($3 == "*" || $3 == device) &&
			($4 == "*" || index("," $4 ",", "," kernel ",")) { print $5 }' "$BATS_TEST_DIRNAME/probe/libraries" | each_id)
		[ "$(wc -l <<<"$expected")" -ge 4 ]
		run diff <(sort <<<"$expected") <(table | grep -F "$(cut -d'|' -f1 <<<"$expected" | sed 's/$/|/')" | sort)
		[ "$status" -eq 0 ] || fail "Linux $kernel, rdma-core $library" "$output"
	done
}

# ---- what goes wrong

# bats test_tags=slow
@test "a fault is never reported as something that the device cannot do" {
	ASAN_OPTIONS+=:detect_leaks=0 # the library keeps what it could not deregister
	probe
	able=$(jq -c '[.trials[] | select(.answer != "no") | .id]' <<<"$output")
	for fault in reg_mr=EIO reg_mr=EINTR reg_mr@5=EIO reg_mr=ENOMEM reg_mr=EPERM reg_mr=EAGAIN \
		advise_mr=EIO rereg_mr=EIO alloc_dm=ENOMEM umem_reg=EIO reg_dmabuf_mr=EIO reg_dm_mr=EAGAIN \
		query_mr=EIO dereg_mr=EIO dereg_mr@3=EIO query_device=EIO query_context=EIO devx=EIO \
		alloc_pd@2=EIO dealloc_pd=EIO umem_dereg=EIO free_dm=EIO alloc_uar=EIO alloc_mw=ENOMEM \
		dealloc_mw=EIO; do
		run --separate-stderr faulty "$fault" --json stat --probe
		[ "$status" -eq 0 ] || fail "$fault: exit status $status" "$stderr"
		json '([.trials[] | select(.answer == "no") | .id] - ([.trials[].id] - $able)) == [] and
			.answers.disagree == 0' --argjson able "$able" || fail "with $fault"
	done
	# a call that says "not now" is made again
	run --separate-stderr faulty 'reg_mr@1=EINTR;reg_mr@2=EAGAIN' --json stat --probe
	answers access.none yes
}

# bats test_tags=slow
@test "a limit of open files is no answer of the device" {
	local -i informed=0

	probe
	able=$(jq -c '[.trials[] | select(.answer == "yes") | .id]' <<<"$output")
	for files in {6..16}; do
		run --separate-stderr "${SIM[@]}" prlimit --nofile="$files" "$BUILD/mrctl" --json stat --probe
		[ "$status" -eq 0 ] || continue # too few to open the device, or to begin at all
		json '[.trials[] | select(.answer == "no" and (.id | IN($able[])))] == []' \
			--argjson able "$able" || fail "with $files files"
		informed+=$(jq '[.trials[] | select(.errno == "ENODEV" and (.reason | contains("ulimit -n")))] |
			length' <<<"$output")
	done
	on_mlx5 || return 0
	[ "$informed" -gt 0 ]
}

@test "a difference to what the device reports follows the reason" {
	on_mlx5 || skip "rxe does not order"
	succeeded mrctl sim --no-optional-access -- mrctl --json stat --probe
	json '.trials[] | select(.id == "access.relaxed-ordering") | .answer == "no" and (.agrees | not) and
		(.reason | startswith("accepted, but omitted") and endswith("; the device reports that it can do this"))'
}

@test "a limit of the process is named, and is no answer of the device" {
	require_nobody
	succeeded mr_as_nobody 0 --json stat --probe
	answers access.none "unknown EPERM"
	json '.trials[0].reason | contains("0 bytes of memory (RLIMIT_MEMLOCK)")'
	answers access.remote-write "no EINVAL uverbs"
}

# bats test_tags=kernel
@test "the probe takes everything back, also where a signal ends it" {
	# it may come at any moment, also after the end
	for signal in INT TERM KILL; do
		for after in 0.1 0.6; do
			run timeout -s "$signal" $after "${MR[@]}" stat --probe --max-size --cap 512M
			[ "$status" -ne 2 ]
		done
	done
	probe # the guest's run-tests fails where objects or pinned pages are left
}

@test "a missing device has the answer absent, and JSON has the same members as with a device" {
	probe --max-size --cap 1M
	with=$(jq -c '[keys_unsorted, (.answers, .max_size | keys)]' <<<"$output")
	exits 3 mrctl -j -d absent0 stat --probe --max-size
	json '[keys_unsorted, (.answers, .max_size | keys)] == $with' --argjson with "$with"
	json '([.answers, .max_size | .[]] | all(. == null)) and .trials == [] and (.failures | length == 1)'
	exits 2 mr stat --probe one two
	[[ $stderr == *"one device at a time: 'two'"* ]]
	exits 2 mr -d one stat --probe two
	probe "$(device)"
	absent "[certain, MR-DEVICE-NAME]" "${SIM[@]}" mrctl stat --probe absent0
}

# ---- how it is printed

@test "the table fits 80 columns, and reasons follow it" {
	succeeded mr stat --probe
	[ "$(awk 'length > 80 || /: *$/' <<<"$output")" = "" ]
	grep -qE '^ID  *ANSWER  *ERRNO  *LAYER  *ELAPSED$' <<<"$output" || fail "$output"
	grep -qE '^access.local-write  *yes  *- .* [0-9.]+ (ns|us|ms|s)$' <<<"$output" || fail "$output"
	grep -q '^access: lw is local-write, rw remote-write' <<<"$output"
	grep -q '^access.relaxed-ordering: accepted, which proves nothing' <<<"$output"
	grep -qE '^yes: +[0-9]+$' <<<"$output"
	run --separate-stderr mr -n -o id,answer stat --probe
	[ "${lines[0]}" = "access.none yes" ]
	[ "${#lines[@]}" -gt 60 ]
	[[ $output != *:* ]]
	# programs get nanoseconds
	run --separate-stderr mr -n -o id,elapsed_ns stat --probe
	grep -qE '^access.local-write  *[0-9]+$' <<<"$output"
}

# The page names each trial, in this order.
@test "the manual page lists each trial" {
	probe
	diff <(jq -r '.trials[].id' <<<"$output") \
		<(sed -n '/^\.SS Trials/,/^\.S[SH] [^T]/p' "$ROOT/man/mrctl-stat.1" | sed 's/\\//g' |
			grep '^\.BR\? ' | grep -oE '[a-z0-9-]+\.[a-z0-9+-]+')
}
