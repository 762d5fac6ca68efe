#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# mrctl stat: the regions of a session, from its table and from the kernel.

load helpers

setup() {
	note_less
	session_begin
}

@test "stat lists the regions as they were registered, and none of an empty session" {
	gives '.regions == [] and .totals.regions == 0 and .totals.bytes == 0' ms stat
	json '.totals.unlisted == 0 and .totals.table_bytes > 0 and [.totals.pds[].name] == ["default"]'
	run --separate-stderr ms stat
	grep -Eqx 'regions: *0' <<<"$output"
	ms reg --name a --size 8K --access local-write,remote-read --pd one --memory memfd --quiet
	reg=$(ms reg-iova --iova 0x10000 --json | jq -c '.regions[0] | del(.index)')
	gives '.format == 1 and .command == "stat" and .session == true and .failures == []' ms stat
	json '.regions[0] | .id == 1 and .name == "a" and .length == 8192 and .pd == "one" and .memory == "memfd"'
	json '.regions[0] | .access_bits == "0x5" and .state == "live" and .iova == .addr'
	json '.regions[1] | .id == 2 and del(.index) == $reg' --argjson reg "$reg"
	json '.totals | .regions == 2 and .bytes == 12288 and .unlisted == 0 and [.pds[].name] == ["default", "one"]'
}

@test "stat names one region by id, name, key or handle" {
	ms reg --count 2 --name n --access local-write,remote-read --quiet
	read -ra keys < <(ms stat -n -o lkey,rkey,handle n.2)
	for word in 2 n.2 "lkey:${keys[0]}" "rkey:${keys[1]}" "mr:${keys[2]}"; do
		gives '[.regions[].name] == ["n.2"] and (has("totals") | not)' ms stat "$word"
	done
	run --separate-stderr ms stat 2 1 n.2 -n -o id
	[ "${lines[*]}" = "2 1 2" ]
	# one region is lines, not a table
	run --separate-stderr ms stat n.1
	grep -Eqx 'name: *n.1' <<<"$output"
	outputs $'ID\n 1\n 2' ms stat -o id
	[[ $output != *in_force* && $(ms --verbose stat n.1) == *in_force* ]]
}

# bats test_tags=kernel
@test "UARs that commands have left are counted and reported, if there are any" {
	on_mlx5 || skip "only libmlx5 allocates them"
	ms reg --quiet
	shows '.totals.uars == 0' ms stat
	# the UAR of stat itself does not count
	shows '.lines[1].totals.uars == 0' ms batch <<<$'reg\nstat'
	MRCTL_SESSION='' run --separate-stderr mr batch --json <<<stat
	json '.lines[0].totals.uars == null'
	on_simulator || return 0
	behind
	faulty dealloc_uar=EIO reg --quiet
	succeeded ms stat
	[[ $stderr == *"mrctl: stat: UARs of libmlx5 in the session: 1"$'\n'*"may leave one until"* ]]
	[[ $output != *uars* ]]
	shows '.totals.uars == 1' ms stat
}

@test "a region that does not exist is named, and the others are shown" {
	ms reg --quiet
	fails "the session has no region 'nosuch'" ms stat nosuch 1 --json
	json '[.regions[].id] == [1] and [.failures[].index] == [1]'
	absent "no memory region with the handle 1000: ioctl(QUERY_MR): ENOENT (" ms stat mr:1000 --json
	json '.failures[0] | .call == "ioctl(QUERY_MR)" and .errno == "ENOENT" and .via == "kernel"'
	# the handle of the protection domain
	run --separate-stderr ms stat "mr:$(ms stat --json | jq '.totals.pds[0].handle')"
	absent "ioctl(QUERY_MR): EINVAL ("
	for word in umem:1000 dm:1000; do
		absent "with the handle 1000: ioctl(INFO_HANDLES) does not list it" ms stat $word
	done
	usage_error "lkey:zz: invalid number 'zz'" -- ms stat lkey:zz
	usage_error "stat shows only regions: 'pd:default' is not one" -- ms stat pd:default
}

@test "a region that was deregistered without the table is gone, even if another object has its handle" {
	ms reg --via kernel --size 8K --count 3 --quiet
	handle=$(ms stat -n -o handle 2)
	tool destroy "$handle"
	# stat changes nothing
	[ "$(states)" = $'1 live\n2 gone\n3 live' ] && [ "$(states 2)" = "2 gone" ]
	[ "$(states)" = $'1 live\n2 gone\n3 live' ]
	[ "$(tool reg 1)" = "$handle" ]
	[ "$(ms stat -n -o state,handle | grep " $handle$" | sort)" = "gone $handle"$'\n'"unlisted $handle" ]
	# a registration that gets a handle proves that the region which had it has gone
	ms dereg 2 --quiet || :
	[ "$(states)" = $'1 live\n3 live\n- unlisted' ]
}

@test "unlisted regions are shown with the kernel's facts and their handles" {
	ms reg --via kernel --quiet
	run --separate-stderr ms stat
	[[ ${lines[0]} != *HANDLE* ]]
	mapfile -t handles < <(tool reg 3)
	run --separate-stderr ms stat
	[[ ${lines[0]} == *" STATE    HANDLE "* && $output == *" unlisted "*" ${handles[0]} "* ]] || fail "$output"
	gives '[.regions[].state] == ["live", "unlisted", "unlisted", "unlisted"]' ms stat
	json '[.regions[1:][].handle] | sort == $h' --argjson h "$(jq -sc sort <<<"${handles[*]}")"
	json '.regions[1] | .id == null and .name == null and .addr == null and .length == 4096'
	json '.regions[1] | .lkey != null and .iova != null'
	json '.totals.regions == 1 and .totals.unlisted == 3'
	outputs "unlisted ${handles[1]}" ms stat "mr:${handles[1]}" -n -o state,handle
}

@test "unlisted regions are found among more handles than one answer of the kernel holds" {
	ms reg --count 16400 "${MANY[@]}" --memory none --quiet 2>/dev/null
	mapfile -t handles < <(tool reg 2)
	succeeded ms stat --json
	jq -e --argjson h "$(jq -sc sort <<<"${handles[*]}")" '.totals.regions == 16400
		and .totals.unlisted == 2
		and ([.regions[] | select(.state == "unlisted") | .handle] | sort == $h)
		and ([.regions[].state] | unique == ["inert", "unlisted"])' <<<"$output" >/dev/null
}

@test "while a process registers a region, the region is pending, and other commands do not touch it" {
	pause_at reg_mr=stop reg --name a --quiet
	[ "$(states)" = "1 pending" ]
	fails "in use by another process" ms dereg 1
	go_on
	[ "$(states a)" = "1 live" ]
}

# bats test_tags=kernel
@test "stat warns where removing the device waits for the session" {
	run --separate-stderr ms stat --json
	if on_mlx5; then
		json '.totals.blocks_removal == false'
	else
		json '.totals.blocks_removal == true'
		run --separate-stderr ms stat
		[[ $stderr == *"removing $(device) or its driver waits"* ]]
	fi
}

# All they need is in the session: the machine of this test has no devices in /sys.
@test "stat and dereg discover no devices" {
	ms reg --count 2 --quiet
	SYSFS_PATH=/nowhere run --separate-stderr "${SIM[@]}" env SYSFS_PATH=/nowhere \
		strace -f -qq -e trace=openat,open,socket -o "$BATS_TEST_TMPDIR/trace" \
		mrctl stat -n -o id,state
	[ "$output" = $'1 live\n2 live' ] || fail "$output" "$stderr"
	! grep -E '"/sys/|"/dev/infiniband|NETLINK' "$BATS_TEST_TMPDIR/trace" ||
		fail "it looked for devices"
	outputs $'1\n2' "${SIM[@]}" env SYSFS_PATH=/nowhere mrctl dereg --all -n -o id
}

@test "a region that needs its process is inert once that has ended" {
	on_mlx5 || skip "rxe of the simulator has no on-demand paging"
	ms reg --name odp --access local-write,on-demand --quiet
	ms reg --name plain --quiet
	"${MS[@]}" reg --name held --access local-write,on-demand --hold >"$BATS_TEST_TMPDIR/out" 2>&1 3>&- &
	HOLD_PID=$!
	until [ -s "$BATS_TEST_TMPDIR/out" ]; do is_running "$HOLD_PID"; done
	[ "$(ms stat -n -o name,state)" = $'odp inert\nplain live\nheld live' ]
	# a region with new memory needs the process that changed it
	ms rereg held --size 8K --quiet
	[ "$(ms stat -n -o state held)" = inert ]
	release
	MRCTL_SESSION='' run --separate-stderr mr batch --json <<<$'reg --access local-write,on-demand\nstat'
	json '[.lines[].regions[].state] == ["live", "live"]'
}

@test "the state of a region that needs its process is unknown across PID namespaces" {
	on_mlx5 || skip "rxe of the simulator has no on-demand paging"
	unshare -p -f --mount-proc true 2>/dev/null || skip "needs a PID namespace of its own"
	run --separate-stderr "${MR[@]}" session -- bash -c '
		elsewhere="unshare -p -f --mount-proc mrctl"
		mrctl reg --name here --access local-write,on-demand --quiet
		$elsewhere reg --name there --access local-write,on-demand --quiet
		$elsewhere reg --name plain --quiet
		$elsewhere stat -n -o name,state
		mrctl stat -n -o name,state'
	succeeded
	[ "$output" = $'here unknown\nthere unknown\nplain live\nhere inert\nthere unknown\nplain live' ]
	[[ $stderr == *"the state of 2 regions is unknown: the process that registered them is not visible here"* ]]
	[[ $stderr == *"the state of 1 region is unknown: the process that registered it is not visible here"* ]]
}

@test "a removed device gives one line about the unknown states" {
	ms reg --count 3 --quiet
	succeeded faulty query_mr=EIO stat
	[ "$(grep -c "the states are unknown, and no region works: the kernel answers EIO, so $(device) was" <<<"$stderr")" -eq 1 ]
	run --separate-stderr faulty query_mr=EIO stat -q
	[ -z "$stderr" ]
}

@test "a change of the access flags alone makes no region inert: its pages stay pinned" {
	ms reg --name a -q
	ms rereg a --access local-write,on-demand -q || skip "the driver does not change that"
	[ "$(states)" = "1 live" ] || fail "$(ms stat)"
}
