#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# mrctl rereg of regions in a session, as ibv_rereg_mr(3) describes it.

load helpers
load rereg

setup() {
	note_less
	session_begin
}

# ---- what changes ----

# bats test_tags=kernel,slow
@test "new memory changes address and length, and the region keeps its id and name" {
	require_mlx5
	ms reg --name a --size 64K --memory memfd --quiet
	before=$(ms stat a --json | jq -c '.regions[0]')
	gives '.format == 1 and .command == "rereg" and .session == true and .failures == []' ms rereg a --size 8K
	json '.before | length == 1 and (.[0] | .state == "replaced" and
		del(.state) == ($b | del(.state)))' --argjson b "$before"
	json '.regions | length == 1'
	json '.regions[0] | .state == "live" and .length == 8192 and .memory == "anon" and
		.addr != $b.addr and .iova == .addr and .elapsed_ns > 0' --argjson b "$before"
	json '.regions[0] | [.id, .name, .handle, .access, .pd] ==
		($b | [.id, .name, .handle, .access, .pd])' --argjson b "$before"
	# smaller memory needs no other key
	json '.regions[0] | .lkey == $b.lkey and .rkey == $b.rkey' --argjson b "$before"
	[ "$(kernel_has mr)" -eq 1 ]
	# stat shows the values of the kernel
	json '.regions[0] | del(.state) == ($now | del(.state))' \
		--argjson now "$(ms stat a --json | jq -c '.regions[0]')"
	# larger memory may need other keys, and what is printed is what the kernel has
	gives '.before[0].length == 8192 and .regions[0].length == 4194304' ms rereg a --size 4M
	[ "$(field lkey,rkey)" = "$(jq -r '.regions[0] | "\(.lkey) \(.rkey)"' <<<"$output")" ]
	# the new key names the region, an old one only if it is the same
	[ "$(ms stat -n -o name "rkey:$(jq -r '.regions[0].rkey' <<<"$output")")" = a ]
	if [ "$(jq -r '.regions[0].rkey == .before[0].rkey' <<<"$output")" = false ]; then
		run ! ms stat "rkey:$(jq -r '.before[0].rkey' <<<"$output")"
	fi
	# access that a key cannot change needs another one
	gives '.regions[0].rkey != .before[0].rkey' ms rereg a --size 4K --access mw-bind
	ms dereg "lkey:$(field lkey)" --quiet
	[ "$(kernel_has mr)" -eq 0 ]
}

@test "each option of the memory is that of reg, and the length stays where only the memory changes" {
	require_mlx5
	ms reg --name a --size 12K --quiet
	[ "$(ms rereg a --memory memfd -n -o length,memory)" = "12288 memfd" ]
	succeeded ms rereg a --offset 16 --size 100 --populate --json
	json '.regions[0] | .length == 100 and (.addr | endswith("010")) and .iova == .addr'
	[[ $(ms rereg a --offset 32 -n -o addr,length) == *20\ 100 ]]
	outputs "0x7e0000000000 100" ms rereg a --addr 0x7e0000000000 -n -o addr,length
	refused EFAULT "ioctl(REREG_MR)" ms rereg a --memory none --size 4K
	succeeded ms rereg a --size 8K --access on-demand --json
	[[ $stderr == *"an on-demand region is inert once this process has ended"* ]]
}

# bats test_tags=kernel,slow
@test "another protection domain and other access replace the old, alone and with new memory" {
	require_rereg
	ms reg --name a --pd one --access local-write,remote-read --quiet
	gives '.before[0].pd == "one" and .regions[0].pd == "two"' ms rereg a --pd two
	json '[.before[0], .regions[0] | [.addr, .length, .iova, .access]] | unique | length == 1'
	[ "$(field pd)" = two ]
	refused EBUSY "ioctl(PD_DESTROY)" ms dereg pd:two
	ms dereg pd:one --quiet
	gives '.before[0].access == ["local-write", "remote-read"]' ms rereg a --access local-write,remote-write
	json '.regions[0].access == ["local-write", "remote-write"] and .regions[0].access_bits == "0x3"'
	json '[.before[0], .regions[0] | [.addr, .length, .iova, .pd]] | unique | length == 1'
	[ "$(ms rereg a --access none -n -o access)" = none ]
	[ "$(field access)" = none ]
	# it is found by id, name, key and handle
	id=$(field id)
	for word in "$id" "lkey:$(field lkey)" "rkey:$(field rkey)" "mr:$(field handle)"; do
		[ "$(ms rereg "$word" --access remote-read -n -o id)" = "$id" ]
	done
	on_mlx5 || return 0
	succeeded ms rereg a --size 8K --memory memfd --pd three --access local-write --json
	json '.regions[0] | .length == 8192 and .memory == "memfd" and .pd == "three" and
		.access == ["local-write"] and .state == "live"'
	[ "$(field length,memory,pd,access)" = "8192 memfd three local-write" ]
}

@test "a chosen I/O virtual address stays, and another can be chosen that fits the memory" {
	require_mlx5
	ms reg-iova --name a --iova 0x10000 --quiet
	[ "$(ms rereg a --size 8K -n -o iova,length)" = "0x10000 8192" ]
	gives '.before[0].iova == "0x10000" and .regions[0].iova == "0x20000"' ms rereg a --size 8K --iova 0x20000
	[ "$(field iova)" = 0x20000 ]
	refused EINVAL "ioctl(REREG_MR)" ms rereg a --offset 16 --size 4K
	[[ $stderr == *"I/O virtual address 0x20000"* ]]
	ms rereg a --offset 16 --size 4K --iova 0x10010 --quiet
	# a region of reg can get a chosen address as well, and keeps it
	ms reg --name b --quiet
	[ "$(ms rereg b --memory anon --iova 0x30000 -n -o iova)" = 0x30000 ]
	[ "$(ms rereg b --memory anon -n -o iova)" = 0x30000 ]
}

@test "an unlisted region is changed by its handle" {
	handle=$(tool reg 1)
	gives '.before[0] | .id == null and .access == null and .addr == null and .pd == null and
		.via == null and .elapsed_ns == null' ms rereg "mr:$handle" --access remote-read
	json '.regions[0] | .state == "unlisted" and .id == null and .access == ["remote-read"] and
		.addr == null and .pd == null and .handle == ($h | tonumber)' --arg h "$handle"
	[ "$(states)" = "- unlisted" ]
	gives '.regions[0] | .pd == "new" and .access == null' ms rereg "mr:$handle" --pd new
	absent "no memory region with the handle 1000: ioctl(QUERY_MR): ENOENT (" ms rereg mr:1000 --access none
}

@test "text has rows for before and after, output for scripts only for after" {
	ms reg --name a --quiet
	row=$(ms rereg a --access remote-read)
	[[ $row == ID*STATE*$'\n'*" replaced "*local-write*$'\n'*" live "*remote-read* ]]
	[ "$(wc -l <<<"$row")" -eq 3 ]
	[ "$(ms rereg a --access none -n | wc -l)" -eq 1 ]
	[ "$(ms rereg a --access remote-read -o access)" = $'ACCESS\nremote-read' ]
	[ -z "$(ms rereg a --access none --quiet)" ]
}

# ---- refusals ----

# bats test_tags=kernel
@test "after a refusal the region is suspect until that change succeeds, and is deregistered like any other" {
	ms reg --name a --quiet
	iova=$(field iova)
	if on_mlx5; then
		refused EFAULT "ioctl(REREG_MR)" ms rereg a --memory unmapped --size 8K --json
		[[ $stderr == *"asked for 8192 bytes at "*" of memory unmapped"* ]]
		[[ $stderr == *"does not report whether the old region still works"*"until a change of the same kind succeeds"* ]]
		json '.regions == [] and .before == [] and (.failures | length == 1)'
		json '.failures[0] | .region == 1 and .via == "kernel" and .rereg_code == null and
			.library_would_say == "IBV_REREG_MR_ERR_CMD" and .old_region == "unknown"'
		# stat shows the state of the kernel
		[ "$(states)" = "1 suspect" ]
		[ "$(field length,iova)" = "4096 $iova" ]
		# a successful change of something else does not end the doubt
		ms rereg a --access remote-read --quiet
		[ "$(states)" = "1 suspect" ]
		ms rereg a --memory memfd --quiet
		[ "$(states)" = "1 live" ]
		[ "$(field memory,access)" = "memfd remote-read" ]
	else
		refused EOPNOTSUPP "ioctl(REREG_MR)" ms rereg a --size 8K
		[ "$(field length)" = 4096 ]
	fi
	exits 1 ms rereg a --access remote-write
	{ ! on_mlx5 && ! on_simulator; } || refused EINVAL "ioctl(REREG_MR)"
	[[ $stderr == *"asked for access remote-write"* ]]
	[ "$(states)" = "1 $(rxe_is_old && echo live || echo suspect)" ]
	[ "$(kernel_has mr)" -eq 1 ]
	ms dereg a --quiet
	[ "$(kernel_has mr)" -eq 0 ]
}

# would_say REGION OPTION...: after a refusal by the kernel, prints the code that libibverbs would return, and the
# state of the region
would_say() {
	ms rereg "$@" --json 2>/dev/null |
		jq -r '.failures[0] | "\(.via) \(.library_would_say) \(.old_region)"'
}

@test "the code is reported that libibverbs would return, by the change and by how the region was registered" {
	require_mlx5
	ms reg --name a --quiet
	[ "$(would_say a --memory none)" = "kernel IBV_REREG_MR_ERR_INPUT unknown" ]
	[ "$(would_say a --size 0)" = "kernel IBV_REREG_MR_ERR_INPUT unknown" ]
	[ "$(would_say a --memory unmapped)" = "kernel IBV_REREG_MR_ERR_CMD unknown" ]
	[ "$(would_say a --access remote-write)" = "kernel IBV_REREG_MR_ERR_CMD unknown" ]
	# refused before the kernel looks at the region
	[ "$(would_say a --flags 8)" = "kernel IBV_REREG_MR_ERR_INPUT valid" ]
	[ "$(would_say a --flags none)" = "kernel IBV_REREG_MR_ERR_CMD valid" ]
	[ "$(would_say a --flags none --access remote-read)" = "kernel IBV_REREG_MR_ERR_INPUT valid" ]
	ms reg-dmabuf --from udmabuf --name d --quiet
	[ "$(would_say d --access remote-write)" = "kernel IBV_REREG_MR_ERR_INPUT unknown" ]
	[ "$(would_say "mr:$(tool reg 1)" --access remote-write)" = "kernel null unknown" ]
}

@test "a region that does not exist, or was deregistered, is named, and nothing is changed or made in its place" {
	absent "the session has no region 'nosuch'" ms rereg nosuch --pd new --json
	json '.regions == [] and .before == [] and .failures[0].old_region == null'
	[ "$(ms stat --json | jq -c '[.totals.pds[].name]')" = '["default"]' ]
	ms reg --name a --via kernel --size 8K --quiet
	tool destroy "$(field handle)"
	absent "region 1 was already gone" ms rereg a --access none
	[ "$(states)" = "1 gone" ]
	# another object gets its handle
	tool reg 1
	exits 3 ms rereg a --access none
	[ "$(states)" = $'1 gone\n- unlisted' ]
	session_end
	absent "rereg works only in a session or batch" mr rereg 1 --access none --json
}

@test "a region that another process is changing is left alone" {
	ms reg --name a --quiet
	pause_at rereg_mr=stop rereg a --access remote-read --quiet
	[ "$(states)" = "1 pending" ]
	for command in "rereg a --access none" "dereg a"; do
		fails "region 1 is in use by another process" ms $command
	done
	go_on
	[ "$(field state,access)" = "live remote-read" ]
}

# ---- killed ----

# bats test_tags=kill
@test "if rereg is killed before the kernel's change, the region is in doubt and can be changed or deregistered" {
	require_mlx5
	ms reg --name a --via kernel --access remote-read --quiet
	addr=$(field addr)
	killed rereg_mr=kill rereg a --size 4M --access none --pd two
	[ "$(field state,length,iova)" = "in-doubt 4096 $addr" ]
	# values that may have changed are unknown
	[ "$(field addr,access,memory,pd)" = "- - - -" ]
	ms rereg a --size 8K --quiet
	[ "$(field state,length,memory,access,pd)" = "in-doubt 8192 anon - -" ]
	ms rereg a --access none --pd two --quiet
	[ "$(field state,access,pd)" = "live none two" ]
	killed rereg_mr=kill rereg a --size 4M
	ms dereg a --quiet
	[ "$(kernel_has mr)" -eq 0 ]
	# a region in doubt is not confused with one that got its handle
	ms reg --name a --via kernel --size 8K --quiet
	killed rereg_mr=kill rereg a --size 4M
	tool destroy "$(field handle)"
	tool reg 1
	[ "$(states)" = $'2 gone\n- unlisted' ]
	exits 3 ms dereg a
	[ "$(states)" = "- unlisted" ]
}

# bats test_tags=kill
@test "if rereg is killed after the kernel's change, the region is recognised by its handle and address" {
	require_mlx5
	ms reg --name a --quiet
	key=$(field lkey)
	killed rereg_mr=kill-after rereg a --size 4M
	# its keys have changed, and stat has them from the kernel
	[ "$(field state,length)" = "in-doubt 4194304" ]
	[ "$(field lkey)" != "$key" ]
	killed rereg_mr=kill-after rereg a --size 6M
	[ "$(field state,length)" = "in-doubt 6291456" ]
	ms rereg a --size 8K --quiet
	[ "$(field state,length)" = "live 8192" ]
	killed rereg_mr=kill-after rereg a --access on-demand,local-write
	[ "$(field state,length,access)" = "in-doubt 8192 -" ]
	# dereg does not show keys that it may not have had
	[ "$(ms dereg a -n -o length,lkey,access)" = "8192 - -" ]
	[ "$(kernel_has mr)" -eq 0 ]
}
