#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# mrctl batch: what becomes of regions, in one process and in a session.

load helpers
load batch

# ---- regions in the process ----

@test "a region lives from line to line, and is registered by the library" {
	batch --json -- 'reg --name a --access local-write,remote-read' 'stat' 'dereg a' 'stat'
	succeeded
	json '.session == false and .failures == [] and .regions == []'
	json '.lines[0].regions[0] | .state == "live" and .via == "library" and .id == 1'
	json '.lines[1] | (.regions | length == 1) and .regions[0].state == "live" and
		.totals.regions == 1 and .totals.unlisted == 0 and .totals.blocks_removal == false'
	json '.lines[2].regions[0] | .state == "deregistered" and .dereg_elapsed_ns > 0'
	json '.lines[3].regions == []'
	json '[.lines[].regions[].lkey] | unique | length == 1'
	on_mlx5 || return 0 # rxe cannot change it
	# its process lives as long as the batch
	batch -- 'reg --name a --access local-write,on-demand' 'rereg a --size 8K'
	succeeded
	[[ $stderr != *inert* ]]
}

@test "regions are found by id, name, key and handle; lines of a pipe are answered as they come" {
	local handle lkey rkey word

	talk "${MR[@]}" -n -o handle,lkey,rkey,name
	say 'reg --name a --access remote-read'
	hear handle lkey rkey word
	for word in 1 a "mr:$handle" "lkey:$lkey" "rkey:$rkey"; do
		say "stat $word"
		hear word
		[ "$word" = "$handle $lkey $rkey a" ]
	done
	say "dereg mr:$handle"
	hang_up
	batch --json -- 'reg --count 3 --name n' 'dereg n.2' 'dereg --all'
	succeeded
	json '[.lines[-1].regions[].name] == ["n.1", "n.3"]'
}

# statuses: prints the statuses of the batch's lines
statuses() {
	jq -r '[.lines[].status] | join(" ")' <<<"$output"
}

@test "memory stays as long as a region lies on it, and no longer" {
	batch --json --keep-going -- 'reg --name a --addr 0x10000000' 'reg --addr 0x10000000' \
		'reg --memory unmapped --addr 0x10000000' 'dereg a' 'reg --name n --count 3 --addr 0x10000000' \
		'dereg n.1 n.3' 'reg --addr 0x10000000' 'dereg n.2' 'reg --addr 0x10000000 --name b' 'dereg b' \
		'reg --addr 0x10000000 --numa 1000' 'reg --addr 0x10000000'
	[ "$(statuses)" = "0 1 1 0 0 0 1 0 0 0 1 0" ]
	[[ $stderr == *"line 2: reg --addr 0x10000000: "*EEXIST*"line 3: "*EEXIST* ]]
	require_mlx5
	# a refused change leaves the old memory, and unmaps the new one
	batch --json --keep-going -- 'reg --name a --addr 0x10000000' 'rereg a --size 4K --memory memfd' \
		'reg --name b --addr 0x10000000' 'rereg b --memory hole --size 8K --addr 0x20000000 --expect EFAULT' \
		'reg --addr 0x20000000' 'reg --addr 0x10000000'
	[ "$(statuses)" = "0 0 0 0 0 1" ]
}

@test "protection domains belong to the batch" {
	batch --json -- 'reg --name a --pd new' 'dereg pd:new --expect EBUSY' 'dereg a' 'dereg pd:new' \
		'reg --name b --pd new' 'stat b' 'dereg b pd:new' 'dereg pd:new'
	[ "$(statuses)" = "0 0 0 0 0 0 0 3" ]
	json '.lines[1].failures[0] | .errno == "EBUSY"'
	json '.lines[5].regions[0].pd == "new"'
	[[ $stderr == *"the batch has no protection domain 'new'"* ]]
	printf 'reg --pd p%d\n' {1..64} >"$LINES_FILE"
	fails "a batch has at most 64 protection domains" mr batch "$LINES_FILE"
	session_begin
	fails "a session has at most 64 protection domains" ms batch "$LINES_FILE"
}

@test "--via kernel in a batch registers, changes and deregisters a region" {
	batch --json -- 'reg --name a --via kernel' 'stat a' 'dereg a'
	succeeded
	json '[.lines[].regions[0] | .via] | unique == ["kernel"]'
	require_mlx5
	batch --json -- 'reg --name a --via kernel' 'rereg a --size 8K' 'rereg a --size 4K --via library --expect EINVAL' \
		'dereg a' 'reg-iova --name b --iova 0x100000' 'rereg b --memory memfd --iova 0x200000' \
		'stat b' 'rereg b --access none --via library' 'dereg b'
	succeeded
	json '.lines[1].regions[0].via == "kernel" and .lines[5].regions[0].via == "kernel"'
	json '.lines[2].failures[0] | .rereg_code == "IBV_REREG_MR_ERR_INPUT"'
	json '.lines[6].regions[0].iova == "0x200000" and .lines[7].regions[0].via == "library"'
}

@test "umems live in a batch whether or not libmlx5 reveals their handles" {
	on_mlx5 || skip "umems are mlx5's"
	batch --json -- 'umem --name u' 'umem --name v --page-sizes 4K' 'stat u v' 'stat' 'dereg u' 'umem --name w' \
		'rereg w --size 8K'
	[ "$(statuses)" = "0 0 0 0 0 0 1" ]
	json '[.lines[:2][].regions[].via] | unique == ["library"]'
	json '[.lines[2].regions[].state] == ["live", "live"]'
	json '.lines[3] | [.regions[].state] == ["live", "live"] and .totals.unlisted == 0'
	json '[.regions[].name] | sort == ["v", "w"]'
	[[ $stderr == *" is a umem, and only memory regions can be changed"* ]]
}

@test "a region that cannot be deregistered at the end is a failure" {
	printf 'reg --name a\nreg --name b\n' >"$LINES_FILE"
	exits 1 faulty dereg_mr@1=EBUSY --json batch "$LINES_FILE"
	json '[.regions[].name] == ["b"] and (.failures | length == 1 and (.[0] | .errno == "EBUSY" and
		.region == 1 and .index == null and .call == "ibv_dereg_mr"))'
	[[ $stderr == *"region 1 was left registered: ibv_dereg_mr: EBUSY ("* ]]
}

@test "a line that is repeated has the same answer, whatever came in between" {
	local given=('reg --name a --size 8K' '  mrctl reg --name "b"  # b' 'stat a b' 'dereg a b'
		'reg --name a --size 8K' 'reg --name a --size 8K' 'dereg a' 'reg --name a --size 8K'
		'stat a' 'dereg a' $'dereg a \r' 'dereg a' '  mrctl reg --name "b"  # b' 'stat a' 'stat b')
	local how expected='[.lines[] | [.line, .status, (.regions | map("\(.name) \(.length)") | join(" "))]] ==
		[[1, 0, "a 8192"], [2, 0, "b 4096"], [3, 0, "a 8192 b 4096"],
		 [4, 0, "a 8192 b 4096"], [5, 0, "a 8192"], [6, 1, ""], [7, 0, "a 8192"],
		 [8, 0, "a 8192"], [9, 0, "a 8192"], [10, 0, "a 8192"], [11, 3, ""],
		 [12, 3, ""], [13, 0, "b 4096"], [14, 3, ""], [15, 0, "b 4096"]]'

	for how in batch piped; do
		"$how" --json --keep-going -- "${given[@]}"
		[ "$status" -eq 1 ]
		json "$expected"
		json '[.lines[1, 10, 12].text] == ["mrctl reg --name \"b\"  # b", "dereg a",
			"mrctl reg --name \"b\"  # b"]'
		[[ $stderr == *"line 6: reg --name a --size 8K: the batch has a region named 'a' already"* ]]
	done
}

# ---- ibv_rereg_mr(3) ----

# bats test_tags=kernel
@test "a region is changed by the object that registered it" {
	require_mlx5
	batch --json -- 'reg --name a --size 64K' 'rereg a --size 1M --memory memfd' \
		'rereg a --access local-write,remote-read --pd new' 'stat a' 'dereg a' 'dereg pd:new'
	succeeded
	json '[.lines[1:3][].regions[0] | .via] == ["library", "library"]'
	json '.lines[1] | .before[0].length == 65536 and .before[0].state == "replaced" and
		(.regions[0] | .state == "live" and .length == 1048576 and .memory == "memfd" and .addr == .iova)'
	json '.lines[3].regions[0] | .state == "live" and .length == 1048576 and .pd == "new" and
		.access == ["local-write", "remote-read"]'
	json '.lines[3].regions[0].lkey == .lines[2].regions[0].lkey'
}

@test "IBV_REREG_MR_ERR_INPUT: what libibverbs itself refuses, and the region is as before" {
	local changes=('--flags 8' '--flags translation,0x10 --size 8K' '--memory none' '--size 0'
		'--flags pd --access remote-read' '--flags none --access local-write'
		'--flags translation --size 8K --access remote-read' '--flags translation')

	require_mlx5
	batch --json --keep-going -- 'reg --name a' "${changes[@]/#/rereg a }" 'stat a' 'dereg a' \
		'reg-dmabuf --from udmabuf --name d' 'rereg d --access none' 'stat d'
	json '.failures | length == 9 and all(.call == "ibv_rereg_mr" and .errno == "EINVAL" and
		.rereg_code == "IBV_REREG_MR_ERR_INPUT" and .old_region == "valid" and .via == "library")'
	json '.lines[9].regions[0] == (.lines[0].regions[0] | .index = null) and .lines[10].status == 0'
	json '.lines[13].regions[0].state == "live"'
	[[ $stderr == *"asked for 4096 bytes at 0x0 and no memory"*"and the I/O virtual address 0x0"* ]]
}

@test "IBV_REREG_MR_ERR_CMD: the region is broken until it is deregistered, or all that was refused has changed" {
	require_mlx5
	batch --json -- 'reg --name a' 'rereg a --memory unmapped --expect EFAULT' 'stat a' 'dereg a' 'stat' \
		'reg --name a' 'rereg a --memory unmapped --access remote-read --expect EFAULT' 'rereg a --access none' \
		'rereg a --via kernel --memory unmapped --expect EFAULT' 'stat a' 'rereg a --size 8K' 'stat a' \
		'reg --name b' 'rereg b --flags none --expect EINVAL'
	succeeded
	json '[.lines[1, 6, 13].failures[0] | .rereg_code, .old_region] | unique ==
		["IBV_REREG_MR_ERR_CMD", "unusable"]'
	json '.lines[1].failures[0].errno == "EFAULT" and .lines[13].failures[0].errno == "EINVAL"'
	# a key that was withdrawn comes back only with new memory
	json '[.lines[2, 3, 7, 9, 10, 11].regions[0].state] ==
		["broken", "deregistered", "broken", "broken", "live", "live"] and .lines[4].regions == []'
	# the broken region is deregistered at the end
	json '[.regions[] | [.name, .state]] | sort == [["a", "deregistered"], ["b", "deregistered"]]'
}

@test "a provider that changes no regions leaves them as they are, and is not taken for the kernel" {
	! on_mlx5 || skip "libmlx5 changes regions"
	batch --json -- 'reg --name a' 'rereg a --access none --expect EOPNOTSUPP' 'stat a' \
		'rereg a --flags translation --expect EINVAL'
	succeeded
	json '.lines[1].failures[0] | .call == "ibv_rereg_mr" and .rereg_code == "IBV_REREG_MR_ERR_CMD" and
		.old_region == "valid"'
	json '.lines[2].regions[0].state == "live"'
	[[ $stderr != *"kernel refused"* && $stderr == *"the region is as before"* ]] || fail "$stderr"
}

@test "the path of a refusal is that of the call which was refused" {
	take_lines -- 'reg --relaxed --name r' 'dereg r' 'dereg --flush' 'reg --relaxed --via kernel --name k' 'dereg k' \
		'dereg --flush' 'rereg mr:1000 --access none --via library'
	run --separate-stderr faulty dereg_mr=EBUSY batch --json --keep-going "$LINES_FILE"
	json '[.. | .failures? // [] | .[]] | map(select(.errno == "EBUSY" and .via != null)) | length > 0 and
		all(if .call | startswith("ioctl(") then .via == "kernel" else .via == "library" end)'
	json '.lines[2].failures[0] | .call == "ibv_dereg_mr" and .via == "library"'
	json '.lines[6].failures[0] | .call == "ioctl(QUERY_MR)" and .via == "kernel"'
}

# ---- in a session ----

@test "in a session a batch works on its regions, and leaves them there" {
	session_begin
	ms reg --name old --quiet
	printf '%s\n' 'stat old' 'reg --name a' 'reg --name b --pd new' 'dereg old' >"$LINES_FILE"
	succeeded ms --json batch "$LINES_FILE"
	json '.session == true and .regions == [] and .failures == [] and [.lines[].status] == [0, 0, 0, 0]'
	[ "$(states)" = $'2 live\n3 live' ] || [ "$(states)" = $'3 live\n2 live' ]
	printf '%s\n' 'reg --pd new --name c' 'dereg b c' 'dereg pd:new' 'dereg pd:new' >"$LINES_FILE"
	exits 3 ms --json batch "$LINES_FILE"
	json '[.lines[].status] == [0, 0, 0, 3]'
	[[ $stderr == *"line 4: dereg pd:new: the session has no protection domain 'new'"* ]]
	make_empty
	# the same as the commands without a batch
	usage_error "omit --device" -- ms -d x batch "$LINES_FILE"
	on_mlx5 || return 0
	printf '%s\n' 'reg --name a' 'rereg a --size 8K' 'rereg a --size 8K --via library --expect EINVAL' \
		'dereg a' >"$LINES_FILE"
	gives '.lines[1].regions[0].via == "kernel"' ms batch "$LINES_FILE"
}

@test "a PD that another process allocates again in a session is a different one" {
	local line

	session_begin
	talk "${MS[@]}" -n -o name,pd
	say 'reg --name a --pd new'
	hear line
	[ "$line" = "a new" ]
	ms dereg a pd:new --quiet
	ms reg --name x --pd other --quiet
	ms reg --name y --pd new --quiet
	say 'reg --name b --pd new'
	hear line
	[ "$line" = "b new" ]
	hang_up
	ms dereg x y --quiet
	refused EBUSY "ioctl(PD_DESTROY)" ms dereg pd:new
	ms dereg pd:other b pd:new --quiet
}
