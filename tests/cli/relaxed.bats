#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# mrctl reg --relaxed, and dereg of such regions: they are deferred, and stay registered until a flush.

load helpers

# deferred [NAME]: makes a relaxed region and deregisters it, to be invalidated later than the test ends
deferred() {
	ms reg --relaxed --name "${1:-buf}" --quiet
	ms dereg "${1:-buf}" --defer-for 600 --quiet
}

@test "outside a session a relaxed region is extended to its pages, and invalidated at the end" {
	succeeded mr reg --relaxed --offset 100 --size 4097 --json
	json '.failures == [] and (.regions[0] | .state == "deregistered" and .dereg_elapsed_ns > 0 and
		.length == 4097 and (.addr | endswith("064")) and .iova == .addr and
		.extended_length == 8192 and .extended_addr == (.addr | .[:-3] + "000"))'
	succeeded mr reg --relaxed
	[[ $output == *$'\nextended_length:   '* ]]
	[[ $stderr == *"outside a session, a relaxed region ends with the command" ]]
	shows '.regions[0] | .extended_addr == null and .extended_length == null' mr reg
}

# bats test_tags=kernel
@test "by both paths a relaxed region is registered in whole pages, and kept by dereg until it is flushed" {
	paths=(kernel)
	session_begin
	! on_mlx5 || paths+=(library)
	for via in "${paths[@]}"; do
		succeeded ms reg --relaxed --offset 8 --size 8 --via "$via" --name "$via" \
			--access local-write,remote-read --json
		json '.regions[0] | .state == "live" and .length == 8 and .extended_length == 4096 and
			(.addr | endswith("008")) and .iova == .addr and .via == $via' --arg via "$via"
		shows '.regions[0] | .state == "live" and .length == 8 and .extended_length == 4096 and
			(.addr | endswith("008")) and .iova == .addr and
			.extended_addr == (.addr | .[:-3] + "000")' ms stat "$via"
	done
	shows '.totals.bytes == 4096 * .totals.regions and .totals.deferred == 0' ms stat
	[ "${#paths[@]}" -eq 1 ] || ms dereg library --flush --quiet
	succeeded ms dereg kernel --defer-for 600
	[[ ${lines[1]} == *"1 kernel "*"deferred"* ]]
	[[ $stderr == *"1 relaxed region is deferred, and reachable by its keys; mrctl dereg --flush invalidates it now" ]]
	[ "$(kernel_has mr)" -eq 1 ]
	shows '.totals.deferred == 1 and .totals.regions == 1 and (.regions[0] |
		.name == "kernel" and .state == "deferred" and .deferred_ns > 0 and .lkey != null)' ms stat
	gives '[.regions[] | .id, .name, .state, .dereg_elapsed_ns > 0] ==
		[1, "kernel", "deregistered", true] and .failures == []' ms dereg --flush
	[ "$(kernel_has mr)" -eq 0 ]
	gives '.regions == []' ms dereg --flush
}

@test "a relaxed region is extended neither beyond the address space nor to a page that is not mapped" {
	on_mlx5 || skip "needs on-demand paging of a whole address space"
	succeeded mr reg --relaxed --memory none --access on-demand --size max --json
	json '.regions[0] | .extended_addr == "0x0" and .extended_length == .length'
	refused EFAULT ibv_reg_mr mr reg --relaxed --memory hole --size 4097
	[[ $stderr == *"asked for 4097 bytes at "*$'\n'"  extended to whole pages: 8192 bytes at "* ]]
	run --separate-stderr mr reg --relaxed --memory hole --size 8K
	[[ $stderr != *extended* ]]
}

@test "the pages that a relaxed region is extended to are those of its memory, huge ones too" {
	[ "$(cat /sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages 2>/dev/null || echo 0)" -gt 0 ] ||
		skip "there are no free huge pages"
	succeeded mr reg --relaxed --memory hugetlb:2M --size 4096 --json
	json '.regions[0] | .length == 4096 and .extended_length == 2097152 and .page_size == 2097152'
}

# bats test_tags=slow
@test "a deferred region is found by id, keys and handle, deregistered once, and its name is free" {
	session_begin
	deferred
	for word in 1 buf "lkey:$(ms stat -n -o lkey 1)" "rkey:$(ms stat -n -o rkey 1)" \
		"mr:$(ms stat -n -o handle 1)"; do
		[ "$(states "$word")" = "1 deferred" ]
		refused EALREADY "cannot deregister region 1 again: mr_dereg_mr_relaxed" ms dereg "$word"
		[[ $stderr == *"it is deferred, and its keys work until it is invalidated: mrctl dereg --flush does that now"* ]]
	done
	gives '.failures[0] | .errno == "EALREADY" and .region == 1 and .via == null' ms dereg buf --expect EALREADY
	[ "$(ms reg --relaxed --name buf -n -o id)" = 2 ]
	[ "$(states buf)" = "2 live" ]
	[ "$(ms stat 1 -n -o name,state)" = "- deferred" ]
	fails "has a region named 'buf' already" ms reg --name buf
	ms dereg buf --defer-for 600 --quiet
	[ "$(states)" = $'1 deferred\n2 deferred' ]
}

# Even a registration with equal values gets a new key: an old key must not lead to new memory.
@test "a deferred region is not taken over by a registration of the same memory" {
	session_begin
	file=$(mktemp /dev/shm/mrctl-test-XXXXXX)
	truncate -s 64K "$file"
	one=(reg --relaxed --memory "file:$file" --size 64K --addr 0x500000000000 -n -o lkey)
	lkey=$(ms "${one[@]}")
	ms dereg 1 --defer-for 600 --quiet
	run --separate-stderr ms "${one[@]}"
	rm "$file"
	succeeded
	[ "$output" != "$lkey" ]
	[ "$(states)" = $'1 deferred\n2 live' ]
	[ "$(kernel_has mr)" -eq 2 ]
}

# is_overdue: region 1 has been deferred for more than a second, as stat shows, which does not invalidate it
is_overdue() {
	[ "$(ms stat --json 1 | jq '.regions[0].deferred_ns > 1e9')" = true ]
}

# bats test_tags=slow
@test "each command that writes invalidates the regions that are due, by default after a second, and only those" {
	session_begin
	ms reg --relaxed --name a --quiet
	ms dereg a --quiet
	await is_overdue
	ms reg --name plain --quiet
	[ "$(states)" = "2 live" ]
	deferred late
	for command in "reg --name n" "reg-iova --iova 0x10000" "rereg plain --access remote-read" "dereg n" \
		"dereg plain"; do
		ms reg --relaxed --name due --quiet
		ms dereg due --defer-for 0 --quiet
		[[ $(states) == *"deferred"*"deferred"* ]] || fail "$command: $(states)" || return
		ms $command --quiet || return
		[ "$(states | grep -c deferred)" -eq 1 ] || fail "$command: $(states)" || return
	done
	[ "$(states late)" = "3 deferred" ]
}

@test "the watermark invalidates all, and with one of 1 nothing is deferred" {
	session_begin --relaxed-watermark 3
	ms reg --relaxed --count 4 --name n --quiet
	gives '.failures == []' ms dereg n.1 n.2 --defer-for 600
	[ -z "$stderr" ]
	[ "$(states | sort)" = $'1 deferred\n2 deferred\n3 live\n4 live' ]
	gives '[.regions[] | .name, .state] == ["n.3", "deregistered"]' ms dereg n.3 --defer-for 600
	[ "$(states)" = "4 live" ]
	[ "$(ms dereg n.4 -n -o state)" = deferred ]
	session_end
	session_begin --relaxed-watermark 1
	ms reg --relaxed --count 2 --quiet
	succeeded ms dereg 1
	[[ $output == *"deregistered"* && $stderr != *deferred* ]]
	[ "$(states)" = "2 live" ]
	on_simulator || return 0
	# a region that cannot be invalidated is reported at once
	gives '.regions[0] | .state == "deferred" and .deferred_answer == "EBUSY"' faulty dereg_mr=EBUSY dereg 2
	[[ $stderr == *"1 deferred region could not be invalidated: region 2: EBUSY ("* ]]
	ms dereg --flush --quiet
}

@test "a full pool answers EAGAIN, unless something deferred makes room" {
	session_begin --relaxed-limit 2
	exits 1 ms reg --relaxed --count 3 --name n --json
	json '[.regions[].id] == [1, 2] and (.failures[0] | .errno == "EAGAIN" and
		.call == "mr_reg_mr_relaxed" and .index == 3 and .via == null)'
	[[ $stderr == *"the session's pool of 2 relaxed regions is full"*"--relaxed-limit"* ]]
	[[ $stderr != *"on the simulated HCA"* ]]
	ms reg --relaxed --expect EAGAIN --quiet
	ms reg --quiet
	ms dereg n.1 --defer-for 600 --quiet
	if on_simulator; then
		refused EAGAIN mr_reg_mr_relaxed faulty dereg_mr=EBUSY reg --relaxed
		[[ $stderr == *"1 deferred region could not be invalidated: region 1: EBUSY ("* ]]
		[ "$(states n.1)" = "1 deferred" ] || [ "$(states 1)" = "1 deferred" ]
	fi
	# the new region fits, and the deferred one was invalidated
	ms reg --relaxed --name new --quiet
	shows '[.regions[].name] | sort == [null, "n.2", "new"]' ms stat
	# the limit holds for all processes together
	ms dereg --all --flush --quiet
	at_once 64 'mrctl reg --relaxed --quiet 2>/dev/null && echo "$1" || :'
	[ "$(wc -l <"$BATS_TEST_TMPDIR/out")" -eq 2 ]
	[ "$(kernel_has mr)" -eq 2 ]
}

@test "a flush names the regions that it cannot invalidate, and they stay deferred" {
	session_begin
	ms reg --relaxed --count 3 --name n --quiet
	ms dereg --all --defer-for 600 --quiet
	exits 1 faulty dereg_mr@2=EBUSY dereg --flush --json
	json '[.failures[] | .region, .errno, .call] == [2, "EBUSY", "ioctl(MR_DESTROY)"] and
		([.regions[].id] | sort == [1, 3])'
	[[ $stderr == *"cannot invalidate region 2: ioctl(MR_DESTROY): EBUSY ("*"2 of 3 regions deregistered"* ]]
	[ "$(states)" = "2 deferred" ]
	succeeded faulty dereg_mr@1=EBUSY dereg --flush --expect EBUSY
}

@test "every command reports an old region that cannot be invalidated, until it is" {
	session_begin
	ms reg --name plain --quiet
	ms reg --relaxed --name due --quiet
	ms dereg due --defer-for 0 --quiet
	# the command itself succeeds
	succeeded faulty dereg_mr=EIO reg --quiet
	[[ $stderr == "mrctl: reg: 1 deferred region could not be invalidated: region 2: EIO ("*"keys still work"* ]]
	succeeded faulty dereg_mr=EBUSY rereg plain --access none
	[[ $stderr == *"mrctl: rereg: 1 deferred region could not be invalidated: region 2: EBUSY ("* ]]
	for command in "batch --quiet" "stat --json"; do
		succeeded ms $command <<<stat
		[ "$(grep -c "deferred region could not be invalidated: region 2: EBUSY (" <<<"$stderr")" -eq 1 ]
	done
	json '[.regions[] | select(.deferred_answer != null) | .id, .state, .deferred_answer] ==
		[2, "deferred", "EBUSY"]'
	# the next command tries again
	run --separate-stderr ms reg --quiet
	[ -z "$stderr" ]
	[[ $(states) != *deferred* ]]
}

@test "--pd flushes one protection domain, and dereg of a PD flushes its deferred regions" {
	session_begin
	ms reg --relaxed --name a --quiet
	ms reg --relaxed --pd one --name b --quiet
	ms reg --relaxed --pd two --name c --quiet
	ms dereg --all --defer-for 600 --quiet
	gives '[.regions[] | .name, .state, .pd] == ["b", "deregistered", "one"]' ms dereg --flush --pd one
	[ "$(states | sort)" = $'1 deferred\n3 deferred' ]
	absent "no protection domain 'none'" ms dereg --flush --pd none
	gives '[.regions[] | .name, .state] == ["c", "deregistered"]' ms dereg pd:two
	shows '[.totals.pds[].name] == ["default", "one"] and [.regions[].name] == ["a"]' ms stat
	# a live region keeps it
	ms reg --relaxed --pd one --name d --quiet
	refused EBUSY "ioctl(PD_DESTROY)" ms dereg pd:one
}

@test "dereg --all marks relaxed regions and leaves those that are deferred; with --flush each is reported once" {
	session_begin
	deferred
	ms reg --name plain --quiet
	ms reg --relaxed --name r --quiet
	succeeded ms dereg --all --defer-for 600 --json
	json '[.regions[] | .name, .state] == ["plain", "deregistered", "r", "deferred"]'
	[ "$(states)" = $'1 deferred\n3 deferred' ]
	succeeded ms dereg --all
	[[ $stderr == *"2 relaxed regions are deferred, and reachable by their keys; mrctl dereg --flush invalidates them now" ]]
	ms reg --name plain --quiet
	ms reg --relaxed --name s --quiet
	ms reg --relaxed --pd one --name p --quiet
	succeeded ms dereg buf s p --flush --pd default --json
	json '.failures == [] and ([.regions[] | "\(.name) \(.state)"] | sort) ==
		["buf deregistered", "p deferred", "r deregistered", "s deregistered"]'
	succeeded ms dereg --all --flush --json
	json '([.regions[] | "\(.name) \(.state)"] | sort) == ["p deregistered", "plain deregistered"]'
	[ -z "$(states)" ]
}

@test "rereg refuses relaxed regions, live and deferred" {
	session_begin
	ms reg --relaxed --name a --quiet
	exits 1 ms rereg a --size 8K
	[[ $stderr == *"region 1 is relaxed, and relaxed regions cannot be changed"*"register another one"* ]]
	ms dereg a --defer-for 600 --quiet
	fails "region 1 is relaxed and deferred, and relaxed regions cannot be changed" ms rereg a --access none
	ms rereg a --access none --expect EINVAL --quiet
	[ "$(states)" = "1 deferred" ]
}

@test "options that make no sense are usage errors" {
	usage_error "--relaxed-limit: at most 4294967295" -- mr session --relaxed-limit 0x100000000 true
	usage_error "--hold excludes --relaxed-watermark" -- mr session --hold --relaxed-watermark 1
	usage_error "relaxed" -- mr reg-iova --relaxed --iova 0
}

@test "a deferred region whose handle belongs to another object by now is removed, not invalidated" {
	session_begin
	deferred
	tool destroy "$(ms stat -n -o handle 1)"
	ms reg --size 8K --name other --quiet
	gives '.regions == []' ms dereg --flush
	[ "$(states)" = "2 live" ]
	[ "$(kernel_has mr)" -eq 1 ]
}

# bats test_tags=slow
@test "many processes use and flush the pool at once" {
	times=100
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

@test "a flush waits for the process that is invalidating a region" {
	local flush status=0

	session_begin
	deferred
	pause_at dereg_mr=stop dereg --flush --quiet
	[ "$(states)" = "1 pending" ]
	"${MS[@]}" dereg --flush --json >"$BATS_TEST_TMPDIR/flush" 2>&1 3>&- &
	flush=$!
	await_pause $flush || status=1
	go_on || status=1
	await_end $flush
	wait $flush
	[ $status -eq 0 ]
	output=$(<"$BATS_TEST_TMPDIR/flush")
	json '.regions == [] and .failures == []'
	[ "$(kernel_has mr)" -eq 0 ]
}

# The software HCA reads and writes through the key, as a peer that has it.
# bats test_tags=kernel
@test "a peer reaches the whole pages of a deferred region, which stay pinned, by its key until it is flushed" {
	require_probe
	file=$(mktemp /dev/shm/mrctl-test-XXXXXX)
	{ printf 'abcd'; head -c 4092 /dev/zero; } >"$file"
	session_begin
	before=$(pinned)
	# the word at the start of the page is outside the range that was asked for
	read -r key addr < <(ms reg --relaxed --memory "file:$file" --offset 100 --size 100 --name buf \
		--access local-write,remote-read,remote-write -n -o rkey,extended_addr)
	[ "$(hca-probe "$key" "$addr")" = 0x64636261 ]
	ms dereg buf --defer-for 600 --quiet
	[ "$(states)" = "1 deferred" ]
	[ "$(pinned)" -eq $((before + 1)) ]
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
	[ "$(pinned)" -eq "$before" ]
}
