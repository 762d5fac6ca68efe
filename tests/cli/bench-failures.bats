#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# mrctl bench where it is ended, refused, or asked for what makes no sense.
# shellcheck disable=SC2016 # jq has variables of its own

load helpers

# bench ARG...: sets output to its document
bench() {
	run --separate-stderr mr -j bench "$@"
	json '.command == "bench"'
}

@test "a signal in the last round of all is told, too" {
	on_simulator || skip "needs calls that take long"
	local out=$BATS_TEST_TMPDIR/out pid blocked=0

	"${SIM[@]::${#SIM[@]}-1}" --fault reg_mr=delay:20 -- \
		mrctl -j bench --sizes 4K --seconds 100 --rounds 1 >"$out" 2>/dev/null 3>&- &
	pid=$!
	# Once it has blocked signals they end the measurement alone.
	until ((blocked & 1 << 14)); do
		is_running "$pid"
		sleep 0.02
		blocked=0x$(awk '$1 == "SigBlk:" { print $2 }' "/proc/$pid/status")
	done
	sleep 1
	kill "$pid"
	wait "$pid" || :
	jq -e '.method.interrupted' "$out"
}

@test "calls and kinds of memory that are named twice are measured once, in the order in which they are named" {
	bench dereg reg dereg --sizes 4K,4K --memory thp --memory anon --memory thp --count 1
	succeeded
	json '[.rows[] | [.call, .memory]] == [["dereg", "thp"], ["dereg", "anon"], ["reg", "thp"], ["reg", "anon"]]'
}

@test "so few regions that are there already that quarters are the same are measured once" {
	local n

	for n in '1 [0,1,0]' '2 [0,1,2,1,0]' '3 [0,1,2,3,2,1,0]'; do
		bench --sizes 4K --count 1 --occupied "${n%% *},4K"
		succeeded
		json '[.rows[].occupied] == $levels' --argjson levels "${n#* }"
	done
}

@test "memory of regions that are there already that cannot be had is named" {
	run --separate-stderr mr bench --sizes 4K --count 1 --occupied 4,4E
	[ "$status" -eq 1 ]
	[[ $stderr == *"--occupied: cannot map 4611686018427387904 bytes of anon: mmap: "* ]]
}

@test "workers of which there can be no more end their row alone" {
	{ ! is_sanitized && [ -z "${WRAP:-}" ]; } || skip "their address space is not that of mrctl"
	run --separate-stderr prlimit --as=600000000 "${MR[@]}" -j bench --sizes 4K --threads 4096,1 --count 2
	[ "$status" -eq 1 ]
	json '[.rows[] | [.threads, .count, (.rounds | length)]] == [[1, 2, 2]]'
	json '[.failures[] | [.call, .errno]] == [["mmap", "ENOMEM"]]'
	[[ $stderr == *"for the times of 4096 workers: mmap: ENOMEM"* ]]
}

@test "the command that tells why a call was refused is one that makes this call" {
	local line words

	on_simulator || skip "faults are those of the simulator"
	require_devx
	while IFS='|' read -r line words; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr faulty $line --sizes 4K --count 1
		[ "$status" -eq 1 ]
		if [ -n "$words" ]; then
			[[ $stderr == *"'mrctl $words tells why"* ]]
		else
			[[ $stderr != *"tells why"* ]]
		fi
	done <<-'EOT'
		reg_mr=EINVAL bench|reg' with the same options
		reg_mr=EINVAL bench --via kernel|reg' with the same options
		reg_mr=EINVAL bench reg-iova|reg-iova' with the same options
		reg_mr=EINVAL bench rereg|reg' with the same options
		reg_mr=EINVAL bench advise|reg' with the same options and on-demand access
		reg_mr=EINVAL bench relaxed|reg' with the same options
		reg_dmabuf_mr=EINVAL bench reg-dmabuf|reg-dmabuf' with the same options
		umem_reg=EINVAL bench umem|umem' with the same options
		dereg_mr@1=EBUSY bench|
		advise_mr=EFAULT bench advise|
	EOT
}

@test "options that contradict each other or name nothing are usage errors, and nothing is measured" {
	run --separate-stderr mr bench --sizes 4K --count 1 --phases --access local-write,on-demand
	usage_error "--phases" "excludes --access on-demand"
	mkdir "$BATS_TEST_TMPDIR/empty"
	cd "$BATS_TEST_TMPDIR/empty"
	run --separate-stderr mr bench --sizes 4K --count 1 --svg ''
	usage_error "--svg wants the name of a file"
	run --separate-stderr mr bench reg-dmabuf --sizes 4K --count 1 --from dm
	usage_error "--from dm"
	[ -z "$(ls -A)" ]
}

@test "settings of UCX name the memory that they were measured on" {
	run --separate-stderr mr bench --sizes 4K..4M --memory memfd --count 40
	succeeded
	# Where chance has bent the line there are none.
	[[ $output != *UCX* || $output == *"UCX takes for $(device)"*", memfd: UCX_IB_MEM_REG_OVERHEAD="* ]]
}

@test "a picture that has no room for all curves says how many it has" {
	run --separate-stderr mr bench --sizes 1,2,3,4,5,6,7,8,9,10,11,12 --count 1 --plot
	succeeded
	[[ $output == *"distribution of calls"* && $output != *curves* ]]
	run --separate-stderr mr bench --sizes 1,2,3,4,5,6,7,8,9,10,11,12,13 --count 1 --plot
	succeeded
	[[ $output == *"distribution of calls: "*"1 rounds; the first 12 of 13 curves"* ]]
}

@test "a document of another format is not compared, and what a row does not tell is not known" {
	local old=$BATS_TEST_TMPDIR/old new=$BATS_TEST_TMPDIR/new edit

	mr -j bench --sizes 4K --count 4 >"$old"
	for edit in '.format = 2' 'del(.format)' '.format = null'; do
		jq "$edit" "$old" >"$new"
		run --separate-stderr mrctl bench --compare "$new" "$old"
		usage_error "has another format than the documents of this version"
	done
	jq 'del(.rows[].size) | .rows[].threads = null | .rows[].processes = "x"' "$old" >"$new"
	run --separate-stderr mrctl -j bench --compare "$new" "$new"
	succeeded
	json '.comparison[0] | .size == null and .threads == null and .processes == null and .occupied == 0'
}

@test "a document of several devices is measured again on all of them, and not on one that is named" {
	local old=$BATS_TEST_TMPDIR/old

	mr -j bench --sizes 4K,8K --count 4 | jq '.rows[1].device = "other0"' >"$old"
	run --separate-stderr "${SIM[@]}" mrctl -d "$(device)" bench --compare "$old" --anyway
	usage_error "has measured several devices" "'$(device)'"
}

@test "regions that cannot be there already end the levels of their kind alone" {
	on_simulator || skip "faults are those of the simulator"
	require_devx
	# Three calls that do not count, and one that does, come before.
	run --separate-stderr faulty reg_mr@5=ENOMEM -j bench reg umem --sizes 4K --count 1 --occupied 2,4K
	[ "$status" -eq 1 ]
	json '[.rows[] | select(.call == "reg") | .occupied] == [0]'
	json '[.rows[] | select(.call == "umem") | .occupied] == [0, 1, 2, 1, 0]'
	json '.failures | length == 1 and .[0].errno == "ENOMEM"'
	[[ $stderr == *"--occupied: ibv_reg_mr: ENOMEM"*"'mrctl reg --count 2 --size 4096' tells why"* ]]
}

@test "a comparison says which measurement was interrupted, and wants no device where it measures nothing" {
	local whole=$BATS_TEST_TMPDIR/whole cut=$BATS_TEST_TMPDIR/cut

	mr -j bench --sizes 4K --count 4 >"$whole"
	jq '.method.interrupted = true' "$whole" >"$cut"
	run --separate-stderr mrctl bench --compare "$cut" "$whole" --tolerance 1000%
	succeeded
	[[ $stderr == *"the old measurement was interrupted"* && $stderr != *"the new measurement"* ]]
	run --separate-stderr mrctl bench --compare "$whole" "$cut" --tolerance 1000%
	succeeded
	[[ $stderr == *"the new measurement was interrupted"* && $stderr != *"the old measurement"* ]]
	run --separate-stderr mrctl -d nosuch bench --compare "$whole" "$whole"
	usage_error "--compare of two documents measures nothing"
}
