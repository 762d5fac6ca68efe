#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# mrctl bench where it is ended, refused, or asked for what makes no sense.

load helpers

# bench ARG...: sets output to its document
bench() {
	shows '.command == "bench"' mr bench "$@"
}

@test "a refused call is reported, and the others are measured" {
	bench --sizes 4K,16K --memory readonly --memory anon --count 4
	[ "$status" -eq 1 ]
	json '[.failures[] | [.call, .errno]] == [["ibv_reg_mr", "EFAULT"], ["ibv_reg_mr", "EFAULT"]]'
	json '[.rows[] | [.memory, .size]] == [["anon", 4096], ["anon", 16384]]'
	[[ $stderr == *"reg of 4096 bytes, populated: ibv_reg_mr: EFAULT"* ]]
	[[ $stderr == *"'mrctl reg' with the same options shows the cause"* ]]
	absent "nosuch" "${SIM[@]}" mrctl -j -d nosuch bench --sizes 4K
	json '.rows == [] and (.failures | length) == 1'
}

@test "a session that relaxed mode cannot open is reported" {
	for fault in open@2=EMFILE alloc_pd@2=ENOMEM; do
		exits 1 mrctl sim --fault "$fault" -- mrctl bench relaxed --sizes 4K --count 1 --rounds 1
		[[ $stderr == *"relaxed of 4096 bytes, populated: ibv_"* ]] || fail "$stderr" || return
	done
}

@test "a refused or killed worker ends the row of all workers, and is reported once" {
	exits 1 faulty reg_mr@20=ENOMEM -j bench --sizes 4K --threads 4 --count 100
	json '.failures | length == 1 and .[0].errno == "ENOMEM"'
	exits 1 faulty reg_mr@9=kill -j bench --sizes 4K --processes 2 --count 100
	json '.failures | length == 1 and .[0].errno == "ECHILD"'
	[[ $stderr == *"a measuring process was killed (signal 9)"* ]]
}

@test "a call before or after the measured one that is refused ends the row" {
	while read -r fault call errno; do
		exits 1 faulty "$fault" -j bench "$call" --sizes 4K --count 2 --rounds 1
		json '.rows == [] and (.failures | length == 1 and .[0].errno == $errno)' --arg errno "$errno"
	done <<-'EOT'
		reg_mr=EPERM dereg EPERM
		dereg_mr=EBUSY reg EBUSY
		dereg_mr=EBUSY relaxed EBUSY
		alloc_pd@2=ENOSPC relaxed ENOSPC
	EOT
}

@test "the command that shows the cause of a refused call makes this call" {
	while IFS='|' read -r line words; do
		exits 1 faulty $line --sizes 4K --count 1
		if [ -n "$words" ]; then
			[[ $stderr == *"'mrctl $words shows the cause"* ]]
		else
			[[ $stderr != *"shows the cause"* ]]
		fi
	done <<-'EOT'
		reg_mr=EINVAL bench --via kernel|reg' with the same options
		reg_mr=EINVAL bench reg-iova|reg-iova' with the same options
		reg_mr=EINVAL bench advise|reg' with the same options and on-demand access
		reg_mr=EINVAL bench relaxed|reg' with the same options
		reg_dmabuf_mr=EINVAL bench reg-dmabuf|reg-dmabuf' with the same options
		umem_reg=EINVAL bench umem|umem' with the same options
		dereg_mr@1=EBUSY bench|
		advise_mr=EFAULT bench advise|
	EOT
}

@test "regions that cannot be registered beforehand end only the levels of their kind, and missing memory is named" {
	# Three calls that do not count, and one that does, come before.
	exits 1 faulty reg_mr@5=ENOMEM -j bench reg umem --sizes 4K --count 1 --occupied 2,4K
	json '[.rows[] | select(.call == "reg") | .occupied] == [0]'
	json '[.rows[] | select(.call == "umem") | .occupied] == [0, 1, 2, 1, 0]'
	json '.failures | length == 1 and .[0].errno == "ENOMEM"'
	[[ $stderr == *"--occupied: ibv_reg_mr: ENOMEM"*"'mrctl reg --count 2 --size 4096' shows the cause"* ]]
	exits 1 mr bench --sizes 4K --count 1 --occupied 4,4E
	[[ $stderr == *"--occupied: cannot map 4611686018427387904 bytes of anon: mmap: "* ]]
	# larger sizes are not tried, smaller ones are
	exits 1 mr -j bench --sizes 2E,4E,4K --count 1
	json '[.rows[].size] == [4096] and (.failures | length == 1 and .[0].call == "mmap")'
}

@test "memory that cannot be allocated is reported once for all its sizes, with the cause" {
	page=/sys/kernel/mm/hugepages/hugepages-2048kB
	[ -e $page ] && [ "$(<$page/nr_overcommit_hugepages)$(<$page/free_hugepages)" = 00 ] ||
		skip "needs a kernel with huge pages of 2 MiB, and none of them free"
	exits 1 mr -j bench --memory hugetlb:2M --memory anon --sizes 4K,64K,4M --count 1
	json '.failures | length == 1 and .[0].call == "mmap" and .[0].causes[0].id == "MR-HUGEPAGES"'
	json '[.rows[].size] == [4096, 65536, 4194304]'
	exits 1 mr bench --plan 64G --memory hugetlb:2M
	[ "$(grep -c "cannot map" <<<"$stderr")" -eq 1 ]
	[[ $stderr == *"because: "*"2048 KiB requested"* ]]
}

# bats test_tags=release
@test "workers beyond the possible number end only their row" {
	{ ! is_sanitized && [ -z "${WRAP:-}" ]; } || skip "their address space is not that of mrctl"
	exits 1 prlimit --as=600000000 "${MR[@]}" -j bench --sizes 4K --threads 4096,1 --count 2
	json '[.rows[] | [.threads, .count, (.rounds | length)]] == [[1, 2, 2]]'
	json '[.failures[] | [.call, .errno]] == [["mmap", "ENOMEM"]]'
	[[ $stderr == *"for the times of 4096 workers: mmap: ENOMEM"* ]]
}

@test "signals end the measurement, and what was measured is printed" {
	seen=$BATS_TEST_TMPDIR/seen out=$BATS_TEST_TMPDIR/out pid=$BATS_TEST_TMPDIR/pid
	command -v script >/dev/null || skip "script(1) is not installed"
	for mode in '' -j; do
		rm -f "$pid" "$seen" # of the other mode
		TERM=xterm "${SIM[@]}" script -qefc "sh -c 'echo \$\$ >$pid.new; mv $pid.new $pid
			exec mrctl $mode bench --sizes 4K,64K --seconds 20 --rounds 1000 >$out'" /dev/null >"$seen" </dev/null 3>&- &
		HOLD_PID=$!
		# the progress that is shown for the second time has seen a round of both sizes
		awaits "[ \$(grep -ao measuring '$seen' | wc -l) -ge 2 ]"
		kill "$(<"$pid")"
		status=0
		wait "$HOLD_PID" || status=$?
		HOLD_PID=''
		[ "$status" -eq 143 ]
		if [ -z "$mode" ]; then
			[ "$(grep -c '^reg ' "$out")" -eq 2 ]
			grep -aq 'interrupted: [0-9]* of 2000 measurements' "$seen"
		else
			jq -e '.method.interrupted and (.rows | length) == 2 and .rows[0].count > 0' "$out"
		fi
	done
}

@test "a signal in the very last round is reported, too" {
	out=$BATS_TEST_TMPDIR/out
	"${SIM[@]::${#SIM[@]}-1}" --fault reg_mr=delay:20 -- \
		mrctl -j bench --sizes 4K --seconds 100 --rounds 1 >"$out" 2>/dev/null 3>&- &
	HOLD_PID=$!
	# the thread that measures
	awaits 'grep -q "^Threads:[[:blank:]]*2$" "/proc/$HOLD_PID/status"'
	release || :
	jq -e '.method.interrupted' "$out"
}

@test "processes that measure end with the one that has started them" {
	"${SIM[@]::${#SIM[@]}-1}" --fault reg_mr=delay:20 -- \
		mrctl -q bench --sizes 4K --processes 3 --seconds 100 --rounds 1 >/dev/null 2>&1 3>&- &
	HOLD_PID=$!
	awaits 'read -ra CHILDREN <"/proc/$HOLD_PID/task/$HOLD_PID/children"; [ "${#CHILDREN[@]}" -eq 3 ]'
	release KILL || :
	for pid in "${CHILDREN[@]}"; do
		awaits "! is_running $pid"
	done
}

# bats test_tags=slow
@test "a wrong command line is a usage error, and measures nothing" {
	mkdir "$BATS_TEST_TMPDIR/empty"
	cd "$BATS_TEST_TMPDIR/empty"
	usage_error "compare documents of 'mrctl -j bench' with --compare" -- mr bench "${BASH_SOURCE[0]}"
	wrong_words mr bench <<-'EOT'
		foo|unknown call 'foo'
		--sizes 4K..|is neither a number nor a range
		--sizes 4K-1M|a range has two dots, as in 4K..1M
		--threads 1-8|a range has two dots
		--threads 4096 --processes 2|workers at once are too many
		--rounds 0|from 1 to 1000
		--rounds 1001|from 1 to 1000
		--count 0|from 1 to
		--count 100000001|from 1 to
		--seconds 0|more than 0
		--seconds 1 --count 1|excludes
		--memory none|this process cannot write to such memory
		--memory dm|this process cannot write to such memory
		--memory foo|unknown
		--from udmabuf|'reg' is another call
		reg-dmabuf --from dm|--from dm
		reg-dmabuf --memory anon|use --from
		relaxed --via kernel|not available with --via kernel
		--plan 0|give at least 1 byte
		--plan 1M --sizes 2M|larger than the whole
		--plan 1M dereg|'dereg' does not
		--plan 1M --processes 2|--plan excludes --processes
		--plan 1M --compare a b|excludes --plan
		-d mlx5_0 --all-devices|--all-devices excludes -d
		--compare|--compare requires one document of 'mrctl -j bench', or two
		--compare a b c|--compare requires one document of 'mrctl -j bench', or two
		--compare a b --count 5|--compare of two documents measures nothing
		--compare a b --rounds 5|--compare of two documents measures nothing
		-d mlx5_0 --compare a b|--compare of two documents measures nothing
		--compare a b --seconds 5|--compare of two documents measures nothing
		--compare a --sizes 4K|--compare excludes --sizes
		--tolerance 5%|--tolerance requires --compare
		--force|--force requires --plot FILE
	EOT
	usage_error "--svg requires the name of a file" -- mr bench --sizes 4K --count 1 --svg ''
	[ -z "$(ls -A)" ]
}
