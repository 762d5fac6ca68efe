#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# mrctl reg --relaxed, and dereg of such regions: they are deferred, and stay registered until a flush.
# shellcheck disable=SC2016 # scripts for the shells in the session, and jq's variables

load helpers
report_leaks

# deferred [NAME]: makes a relaxed region and deregisters it, to be invalidated later than the test ends
deferred() {
	ms reg --relaxed --name "${1:-buf}" --quiet
	ms dereg "${1:-buf}" --defer-for 600 --quiet
}

# bats test_tags=kernel
@test "outside a session a relaxed region is extended to its pages, and invalidated at the end" {
	run --separate-stderr mr reg --relaxed --offset 100 --size 4097 --json
	succeeded
	json '.failures == [] and (.regions[0] | .state == "deregistered" and .dereg_elapsed_ns > 0 and
		.length == 4097 and (.addr | endswith("064")) and .iova == .addr and
		.extended_length == 8192 and .extended_addr == (.addr | .[:-3] + "000"))'
	run --separate-stderr mr reg --relaxed
	succeeded
	[[ $output == *$'\nextended_length:   '* ]]
	[[ $stderr == *"outside a session the end of the command invalidates a relaxed region" ]]
	run --separate-stderr mr reg --json
	json '.regions[0] | .extended_addr == null and .extended_length == null'
}

# bats test_tags=kernel
@test "by both paths a relaxed region is registered in whole pages, and shown with the range asked for" {
	local via paths=(kernel)

	session_begin
	! on_mlx5 || paths+=(library)
	for via in "${paths[@]}"; do
		run --separate-stderr ms reg --relaxed --offset 8 --size 8 --via "$via" --name "$via" \
			--json
		succeeded
		json '.regions[0] | .state == "live" and .length == 8 and .extended_length == 4096 and
			(.addr | endswith("008")) and .iova == .addr and .via == $via' --arg via "$via"
		run --separate-stderr ms stat "$via" --json
		json '.regions[0] | .state == "live" and .length == 8 and .extended_length == 4096 and
			(.addr | endswith("008")) and .iova == .addr and
			.extended_addr == (.addr | .[:-3] + "000")'
	done
	run --separate-stderr ms stat --json
	json '.totals.bytes == 4096 * .totals.regions and .totals.deferred == 0'
	make_empty
}

# bats test_tags=kernel
@test "a relaxed region is extended neither beyond the address space nor to a page that is not mapped" {
	on_mlx5 || skip "needs on-demand paging of a whole address space"
	run --separate-stderr mr reg --relaxed --memory none --access on-demand --size max --json
	succeeded
	json '.regions[0] | .extended_addr == "0x0" and .extended_length == .length'
	run --separate-stderr mr reg --relaxed --memory hole --size 4097
	refused EFAULT ibv_reg_mr
	[[ $stderr == *"asked for 4097 bytes at "*$'\n'"  extended to whole pages: 8192 bytes at "* ]]
	run --separate-stderr mr reg --relaxed --memory hole --size 8K
	[[ $stderr != *extended* ]]
}

# bats test_tags=kernel
@test "the pages that a relaxed region is extended to are those of its memory, huge ones too" {
	[ "$(cat /sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages 2>/dev/null || echo 0)" -gt 0 ] ||
		skip "there are no free huge pages"
	run --separate-stderr mr reg --relaxed --memory hugetlb:2M --size 4096 --json
	succeeded
	json '.regions[0] | .length == 4096 and .extended_length == 2097152 and .page_size == 2097152'
}

# bats test_tags=kernel
@test "dereg marks a relaxed region, which the kernel has until it is flushed" {
	session_begin
	ms reg --relaxed --name buf --access local-write,remote-read --quiet
	run --separate-stderr ms dereg buf --defer-for 600
	succeeded
	[[ ${lines[1]} == *"1 buf "*"deferred"* ]]
	[[ $stderr == *"1 relaxed region is deferred, and reachable by its keys; mrctl dereg --flush invalidates it now" ]]
	[ "$(kernel_has mr)" -eq 1 ]
	run --separate-stderr ms stat --json
	json '.totals.deferred == 1 and .totals.regions == 1 and (.regions[0] |
		.name == "buf" and .state == "deferred" and .deferred_ns > 0 and .lkey != null)'
	stat_is_true
	run --separate-stderr ms dereg --flush --json
	succeeded
	json '[.regions[] | .id, .name, .state, .dereg_elapsed_ns > 0] ==
		[1, "buf", "deregistered", true] and .failures == []'
	[ "$(kernel_has mr)" -eq 0 ]
	[ -z "$(states)" ]
	run --separate-stderr ms dereg --flush --json
	succeeded
	json '.regions == []'
}

@test "a deferred region is found by id, keys and handle, and deregistered once" {
	local word

	session_begin
	deferred
	for word in 1 buf "lkey:$(ms stat -n -o lkey 1)" "rkey:$(ms stat -n -o rkey 1)" \
		"mr:$(ms stat -n -o handle 1)"; do
		[ "$(states "$word")" = "1 deferred" ]
		run --separate-stderr ms dereg "$word"
		refused EALREADY "cannot deregister region 1 again: mr_dereg_mr_relaxed"
		[[ $stderr == *"it is deferred, and its keys work until it is invalidated: mrctl dereg --flush does that now"* ]]
	done
	run --separate-stderr ms dereg buf --expect EALREADY --json
	succeeded
	json '.failures[0] | .errno == "EALREADY" and .region == 1 and .via == null'
	[ "$(states)" = "1 deferred" ]
}

@test "the name of a deferred region can be given to a new region, and names that then" {
	session_begin
	deferred
	run --separate-stderr ms reg --relaxed --name buf -n -o id
	[ "$output" = 2 ]
	[ "$(states buf)" = "2 live" ]
	[ "$(ms stat 1 -n -o name,state)" = "- deferred" ]
	run --separate-stderr ms reg --name buf
	[ "$status" -eq 1 ]
	[[ $stderr == *"has a region named 'buf' already"* ]]
	ms dereg buf --defer-for 600 --quiet
	[ "$(states)" = $'1 deferred\n2 deferred' ]
}

# Even a registration with equal values gets a new key: an old key must not lead to new memory.
# bats test_tags=kernel
@test "a deferred region is not taken over by a registration of the same memory" {
	local file=/dev/shm/mrctl-test-$$ one

	session_begin
	truncate -s 64K "$file"
	one=(reg --relaxed --memory "file:$file" --size 64K --addr 0x500000000000 -n -o lkey)
	run --separate-stderr ms "${one[@]}"
	lkey=$output
	ms dereg 1 --defer-for 600 --quiet
	run --separate-stderr ms "${one[@]}"
	rm "$file"
	succeeded
	[ "$output" != "$lkey" ]
	[ "$(states)" = $'1 deferred\n2 live' ]
	[ "$(kernel_has mr)" -eq 2 ]
	make_empty
}

# bats test_tags=kernel
@test "the first command that writes after a second invalidates, and one that reads does not" {
	session_begin
	ms reg --relaxed --name a --quiet
	ms dereg a --quiet
	sleep 1
	[ "$(states)" = "1 deferred" ]
	ms reg --name b --quiet
	[ "$(states)" = "2 live" ]
	[ "$(kernel_has mr)" -eq 1 ]
}

@test "each command that writes invalidates the regions that are due, and only those" {
	local command

	session_begin
	deferred late
	ms reg --name plain --quiet
	for command in "reg --name n" "reg-iova --iova 0x10000" "rereg plain --access remote-read" "dereg n" \
		"dereg plain"; do
		ms reg --relaxed --name due --quiet
		ms dereg due --defer-for 0 --quiet
		[[ $(states) == *"deferred"*"deferred"* ]] || fail "$command: $(states)" || return
		# shellcheck disable=SC2086 # words
		ms $command --quiet || return
		[ "$(states | grep -c deferred)" -eq 1 ] || fail "$command: $(states)" || return
	done
	[ "$(states late)" = "1 deferred" ]
}

@test "--defer-for applies to the regions that this command deregisters" {
	session_begin
	ms reg --relaxed --count 2 --name n --quiet
	ms dereg n.1 --defer-for 600 --quiet
	ms dereg n.2 --defer-for 0.1 --quiet
	sleep 0.15
	ms reg --quiet
	[ "$(states | sort)" = $'1 deferred\n3 live' ]
}

@test "the watermark invalidates all" {
	session_begin --relaxed-watermark 3
	ms reg --relaxed --count 4 --name n --quiet
	ms dereg n.1 n.2 --defer-for 600 --quiet
	[ "$(states | sort)" = $'1 deferred\n2 deferred\n3 live\n4 live' ]
	run --separate-stderr ms dereg n.3 --defer-for 600 --json
	succeeded
	json '[.regions[] | .name, .state] == ["n.3", "deregistered"]'
	[ "$(states)" = "4 live" ]
	[ "$(ms dereg n.4 -n -o state)" = deferred ]
}

@test "with a watermark of 1 nothing is deferred" {
	session_begin --relaxed-watermark 1
	ms reg --relaxed --name a --quiet
	run --separate-stderr ms dereg a
	succeeded
	[[ $output == *"deregistered"* && $stderr != *deferred* ]]
	[ -z "$(states)" ]
}

@test "a full pool answers EAGAIN, unless something deferred makes room" {
	session_begin --relaxed-limit 2
	run --separate-stderr ms reg --relaxed --count 3 --name n --json
	[ "$status" -eq 1 ]
	json '[.regions[].id] == [1, 2] and (.failures[0] | .errno == "EAGAIN" and
		.call == "mr_reg_mr_relaxed" and .index == 3 and .via == null)'
	[[ $stderr == *"the session's pool of 2 relaxed regions is full"*"--relaxed-limit"* ]]
	[[ $stderr != *"on the simulated HCA"* ]]
	ms reg --relaxed --expect EAGAIN --quiet
	ms reg --quiet
	ms dereg n.1 --defer-for 600 --quiet
	# the new region fits, and the deferred one was invalidated
	ms reg --relaxed --name new --quiet
	run --separate-stderr ms stat --json
	json '[.regions[].name] | sort == [null, "n.2", "new"]'
}

@test "a deferred region that cannot be invalidated makes no room in a full pool" {
	on_simulator || skip "needs the simulator's faults"
	session_begin --relaxed-limit 1
	deferred
	run --separate-stderr faulty dereg_mr=EBUSY reg --relaxed
	refused EAGAIN mr_reg_mr_relaxed
	[[ $stderr == *"1 deferred region could not be invalidated: region 1: EBUSY ("* ]]
	[ "$(states)" = "1 deferred" ]
	ms reg --relaxed --quiet
	[ "$(states)" = "2 live" ]
}

@test "a flush names the regions that it cannot invalidate, and they stay deferred" {
	on_simulator || skip "needs the simulator's faults"
	session_begin
	ms reg --relaxed --count 3 --name n --quiet
	ms dereg --all --defer-for 600 --quiet
	run --separate-stderr faulty dereg_mr@2=EBUSY dereg --flush --json
	[ "$status" -eq 1 ]
	json '[.failures[] | .region, .errno, .call] == [2, "EBUSY", "ioctl(MR_DESTROY)"] and
		([.regions[].id] | sort == [1, 3])'
	[[ $stderr == *"cannot invalidate region 2: ioctl(MR_DESTROY): EBUSY ("*"2 of 3 regions deregistered"* ]]
	[ "$(states)" = "2 deferred" ]
	run --separate-stderr faulty dereg_mr@1=EBUSY dereg --flush --expect EBUSY
	succeeded
}

@test "every command reports an old region that cannot be invalidated, until it is" {
	local command

	on_simulator || skip "needs the simulator's faults"
	session_begin
	ms reg --relaxed --count 3 --name n --quiet
	ms dereg n.1 --defer-for 600 --quiet
	ms dereg n.2 n.3 --defer-for 0 --quiet
	ms reg --name plain --quiet
	[ "$(states)" = $'1 deferred\n4 live' ]
	ms dereg n.1 --flush --quiet
	ms reg --relaxed --name due --quiet
	ms dereg due --defer-for 0 --quiet
	# the command itself succeeds
	run --separate-stderr faulty dereg_mr=EIO reg --quiet
	succeeded
	[[ $stderr == "mrctl: reg: 1 deferred region could not be invalidated: region 5: EIO ("*"keys still work"* ]]
	run --separate-stderr faulty dereg_mr=EBUSY rereg plain --access none
	succeeded
	[[ $stderr == *"mrctl: rereg: 1 deferred region could not be invalidated: region 5: EBUSY ("* ]]
	for command in "batch --quiet" "stat --json"; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr ms $command <<<stat
		succeeded
		[ "$(grep -c "deferred region could not be invalidated: region 5: EBUSY (" <<<"$stderr")" -eq 1 ]
	done
	json '[.regions[] | select(.deferred_answer != null) | .id, .state, .deferred_answer] ==
		[5, "deferred", "EBUSY"]'
	# the next command tries again
	run --separate-stderr ms reg --quiet
	[ -z "$stderr" ]
	[[ $(states) != *deferred* ]]
}

@test "a region that the watermark could not invalidate is reported at once" {
	on_simulator || skip "needs the simulator's faults"
	session_begin --relaxed-watermark 1
	ms reg --relaxed --quiet
	run --separate-stderr faulty dereg_mr=EBUSY dereg 1 --json
	succeeded
	json '.regions[0] | .state == "deferred" and .deferred_answer == "EBUSY"'
	[[ $stderr == *"1 deferred region could not be invalidated: region 1: EBUSY ("* ]]
	ms dereg --flush --quiet
}

# bats test_tags=kernel
@test "--pd flushes one protection domain, and dereg of a PD flushes what is deferred in it" {
	session_begin
	ms reg --relaxed --name a --quiet
	ms reg --relaxed --pd one --name b --quiet
	ms reg --relaxed --pd two --name c --quiet
	ms dereg --all --defer-for 600 --quiet
	run --separate-stderr ms dereg --flush --pd one --json
	succeeded
	json '[.regions[] | .name, .state, .pd] == ["b", "deregistered", "one"]'
	[ "$(states | sort)" = $'1 deferred\n3 deferred' ]
	run --separate-stderr ms dereg --flush --pd none
	[ "$status" -eq 3 ]
	[[ $stderr == *"no protection domain 'none'"* ]]
	run --separate-stderr ms dereg pd:two --json
	succeeded
	json '[.regions[] | .name, .state] == ["c", "deregistered"]'
	run --separate-stderr ms stat --json
	json '[.totals.pds[].name] == ["default", "one"] and [.regions[].name] == ["a"]'
	# a live region keeps it
	ms reg --relaxed --pd one --name d --quiet
	run --separate-stderr ms dereg pd:one
	refused EBUSY "ioctl(PD_DESTROY)"
	make_empty
}

@test "dereg --all marks relaxed regions, and leaves those that are deferred" {
	session_begin
	deferred
	ms reg --name plain --quiet
	ms reg --relaxed --name r --quiet
	run --separate-stderr ms dereg --all --defer-for 600 --json
	succeeded
	json '[.regions[] | .name, .state] == ["plain", "deregistered", "r", "deferred"]'
	[ "$(states)" = $'1 deferred\n3 deferred' ]
	run --separate-stderr ms dereg --all
	succeeded
	[[ $stderr == *"2 relaxed regions are deferred, and reachable by their keys; mrctl dereg --flush invalidates them now" ]]
}

@test "dereg with --flush reports each region once" {
	session_begin
	deferred
	ms reg --name plain --quiet
	ms reg --relaxed --name r --quiet
	ms reg --relaxed --pd one --name p --quiet
	run --separate-stderr ms dereg buf r p --flush --pd default --json
	succeeded
	json '.failures == [] and ([.regions[] | "\(.name) \(.state)"] | sort) ==
		["buf deregistered", "p deferred", "r deregistered"]'
	run --separate-stderr ms dereg --all --flush --json
	succeeded
	json '([.regions[] | "\(.name) \(.state)"] | sort) == ["p deregistered", "plain deregistered"]'
	[ -z "$(states)" ]
}

@test "rereg refuses relaxed regions, live and deferred" {
	session_begin
	ms reg --relaxed --name a --quiet
	run --separate-stderr ms rereg a --size 8K
	[ "$status" -eq 1 ]
	[[ $stderr == *"region 1 is relaxed, and such regions cannot be changed"*"register another one"* ]]
	ms dereg a --defer-for 600 --quiet
	run --separate-stderr ms rereg a --access none
	[ "$status" -eq 1 ]
	[[ $stderr == *"region 1 is relaxed and deferred, and such regions cannot be changed"* ]]
	ms rereg a --access none --expect EINVAL --quiet
	[ "$(states)" = "1 deferred" ]
}

@test "options that make no sense are usage errors" {
	run --separate-stderr mr dereg --pd one 1
	usage_error "--pd needs --flush"
	run --separate-stderr mr dereg
	usage_error "give --all or --flush"
	run --separate-stderr mr session --relaxed-limit 0x100000000 true
	usage_error "--relaxed-limit: at most 4294967295"
	run --separate-stderr mr session --hold --relaxed-watermark 1
	usage_error "--hold excludes --relaxed-watermark"
	run --separate-stderr mr reg-iova --relaxed --iova 0
	usage_error "relaxed"
}

@test "a deferred region whose handle another has by now is forgotten, not invalidated" {
	require_tool
	session_begin
	deferred
	tool destroy "$(ms stat -n -o handle 1)"
	ms reg --size 8K --name other --quiet
	run --separate-stderr ms dereg --flush --json
	succeeded
	json '.regions == []'
	[ "$(states)" = "2 live" ]
	[ "$(kernel_has mr)" -eq 1 ]
}

# bats test_tags=kernel
@test "many processes use and flush the pool at once" {
	local times=300

	on_simulator || times=12
	session_begin --relaxed-watermark 8
	# when a flush returns, all that was deferred before it is invalid, even if another process invalidated it
	at_once $times '
		mrctl reg --relaxed --name "n.$1" --quiet && mrctl reg --name "p.$1" --quiet &&
		[ "$(mrctl dereg "n.$1" --defer-for 600 -n -o name)" = "n.$1" ] &&
		{ [ $(($1 % 3)) -ne 0 ] || mrctl dereg --flush --quiet; } &&
		{ [ $(($1 % 3)) -ne 0 ] || ! mrctl stat "n.$1" >/dev/null 2>&1; }'
	run --separate-stderr ms stat --json
	json '.totals.unlisted == 0 and .totals.deferred < 8 and
		([.regions[] | select(.state == "live")] | length) == $n and
		([.regions[].state] - ["live", "deferred"]) == []' --argjson n $times
	[ "$(kernel_has mr)" -eq "$(ms stat -n | wc -l)" ]
	make_empty
}

@test "a limit holds for all processes together" {
	session_begin --relaxed-limit 10
	at_once 64 'mrctl reg --relaxed --quiet 2>/dev/null && echo "$1" || :'
	[ "$(wc -l <"$BATS_TEST_TMPDIR/out")" -eq 10 ]
	[ "$(kernel_has mr)" -eq 10 ]
}

@test "a flush waits for the process that is invalidating a region" {
	local pid

	on_simulator || skip "needs the simulator's faults"
	session_begin
	deferred
	faulty dereg_mr=delay:2000 dereg --flush --quiet 3>&- &
	pid=$!
	until [ "$(ms stat -n -o state)" = pending ]; do
		is_running "$pid" || fail "it had ended before" || return
	done
	run --separate-stderr ms dereg --flush --json
	succeeded
	json '.regions == [] and .failures == []'
	[ "$(kernel_has mr)" -eq 0 ]
	wait "$pid"
}

# The software HCA reads and writes through the key, as a peer that has it.
# bats test_tags=kernel
@test "a peer reaches the whole pages of a deferred region by its key, until it is flushed" {
	local file key addr

	[ "${MRCTL_TEST_DEVICE:-}" = mlx5_0 ] || skip "needs the software HCA of tests/kernel, whose memory accesses can be asked for"
	file=$(mktemp /dev/shm/mrctl-test-XXXXXX)
	{ printf 'abcd'; head -c 4092 /dev/zero; } >"$file"
	session_begin
	# the word at the start of the page is outside the range that was asked for
	read -r key addr < <(ms reg --relaxed --memory "file:$file" --offset 100 --size 100 --name buf \
		--access local-write,remote-read,remote-write -n -o rkey,extended_addr)
	[ "$(hca-probe "$key" "$addr")" = 0x64636261 ]
	ms dereg buf --defer-for 600 --quiet
	[ "$(states)" = "1 deferred" ]
	[ "$(hca-probe "$key" "$addr")" = 0x64636261 ]
	hca-probe -w 0x78787878 "$key" "$addr"
	[ "$(head -c 4 "$file")" = xxxx ]
	# also after others were registered
	ms reg --relaxed --memory "file:$file" --offset 100 --size 100 --quiet
	[ "$(hca-probe "$key" "$addr")" = 0x78787878 ]
	ms dereg --flush --quiet
	run ! hca-probe "$key" "$addr"
	rm "$file"
	make_empty
}

# bats test_tags=kernel
@test "a deferred region stays pinned until it is flushed" {
	local before

	! on_simulator || skip "needs a kernel that counts pinned pages"
	session_begin
	before=$(pinned)
	ms reg --relaxed --size 1M --name buf --quiet
	ms dereg buf --defer-for 600 --quiet
	[ "$(pinned)" -eq $((before + 256)) ]
	ms dereg --flush --quiet
	[ "$(pinned)" -eq "$before" ]
}
