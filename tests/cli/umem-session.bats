#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# mrctl umem in a session: umems that stay, are named, and are deregistered later.

load helpers

setup() {
	note_less
	require_devx
	session_begin
}

# bats test_tags=kernel
@test "in a session a umem stays, is shown with its handle, and is deregistered by a later command" {
	via=kernel
	! exports_umems || via=library
	succeeded ms umem --size 64K --name q --page-sizes 4K,64K --json
	json '.session == true and (.regions[0] | .id == 1 and .state == "live" and .handle != null and
		.umem_id > 0 and .dereg_elapsed_ns == null and .via == $via)' --arg via $via
	shown=$(jq -c '.regions[0] | del(.index)' <<<"$output")
	run --separate-stderr ms stat --json
	json '(.regions[0] | del(.index)) == $shown' --argjson shown "$shown"
	json '.totals.regions == 1 and .totals.bytes == 65536 and .totals.unlisted == 0'
	gives '.regions[0] | .kind == "umem" and .state == "deregistered" and .name == "q" and
		.page_sizes == [4096, 65536] and .dereg_elapsed_ns > 0' ms dereg q
	gives '.regions[0] | .via == "kernel" and .handle != null' ms umem --via kernel
	run --separate-stderr ms umem --via library --json
	if exports_umems; then
		succeeded
		json '.regions[0] | .via == "library" and .handle != null'
		[ "$(states)" = $'2 live\n3 live' ]
	else
		[ "$status" -eq 1 ]
		[[ $stderr == *"does not export its handle"*"mlx5dv_devx_umem_export: EOPNOTSUPP ("* ]]
		[[ $stderr == *"use --via kernel, or rdma-core 63 or later"* ]]
		json '.regions == []'
		[ "$(states)" = "2 live" ]
	fi
	ms dereg --all --quiet
	shows '.regions == [] and .totals.unlisted == 0' ms stat
}

@test "umems are named by id, name and umem:HANDLE, and have no keys" {
	ms umem --count 3 --name u --quiet
	ms reg --name m --quiet
	mapfile -t handles < <(ms stat -n -o handle)
	id=$(ms stat -n -o umem_id u.1)
	for key in lkey rkey; do
		exits 3 ms stat "$key:$id"
	done
	# the kernel refuses handles of another kind of object
	absent "ioctl(QUERY_MR): EINVAL (" ms dereg "mr:${handles[0]}"
	absent "no umem with the handle ${handles[3]}: ioctl(DEVX_UMEM_DEREG): EINVAL (" ms dereg "umem:${handles[3]}"
	[[ $stderr != *DEVX\ object* ]]
	absent "no umem with the handle 1000: ioctl(DEVX_UMEM_DEREG): ENOENT (" ms dereg umem:1000
	absent "no umem with the handle ${handles[3]}" ms stat "umem:${handles[3]}"
	[ "$(ms stat -n -o name "umem:${handles[1]}")" = u.2 ]
	gives '[.regions[].name] == ["u.1", "u.2", "u.3"]' ms dereg 1 u.2 "umem:${handles[2]}"
	[ "$(states)" = "4 live" ]
}

@test "stat has the column kind if the session has umems, and rereg leaves a umem unchanged" {
	ms dereg pd:default
	# umems need no protection domain
	ms umem --name u --quiet
	shows '.totals.pds == [] and [.regions[] | .state, .pd] == ["live", null]' ms stat
	fails "region 1 is a umem, and only memory regions can be changed" ms rereg u --access remote-read --json
	json '.regions == []'
	usage_error "rereg changes only regions: 'umem:1' is not one" -- ms rereg umem:1 --access remote-read
	ms reg --name m --quiet
	run --separate-stderr ms stat
	[[ ${lines[0]} == "ID NAME KIND STATE LKEY"*"UMEM_ID"* ]]
	[[ ${lines[1]} == *" u "*" umem live "* && ${lines[2]} == *" m "*" mr "* ]]
	[ "$(ms stat -n -o kind,lkey u)" = "umem -" ]
	ms dereg u --quiet
	run --separate-stderr ms stat
	[[ ${lines[0]} == "ID NAME STATE"* && ${lines[0]} != *UMEM_ID* ]]
	# a trial leaves nothing
	gives '.session == true and [.regions[].page_sizes[]] == [4096, 8192, 16384] and
		.regions[0].state == "deregistered"' ms umem --size 16K --try-page-sizes --via kernel
	[ "$(states)" = "2 live" ]
}

# bats test_tags=kernel
@test "an MR and later a umem can have the same handle, and neither is taken for the other" {
	ms reg --via kernel --name m --quiet
	handle=$(ms stat -n -o handle m)
	ms dereg m --quiet
	ms umem --via kernel --name u --quiet
	[ "$(ms stat -n -o handle u)" = "$handle" ]
	absent "ioctl(QUERY_MR): EINVAL (" ms dereg "mr:$handle"
	ms dereg u --quiet
	ms reg --via kernel --name m --quiet
	[ "$(ms stat -n -o name,handle)" = "m $handle" ]
	absent "ioctl(DEVX_UMEM_DEREG): EINVAL (" ms dereg "umem:$handle"
	[ "$(states)" = "3 live" ]
}

# pinned_is PAGES: that many are pinned
pinned_is() {
	[ "$(pinned)" -eq "$1" ]
}

# bats test_tags=kernel
@test "umems stay pinned without a process until the session ends, and where the firmware keeps them" {
	[ -n "${MRCTL_TEST_GUEST:-}" ] || skip "needs the software HCA"
	before=$(pinned)
	ms umem --size 1M --quiet
	ms umem --size 1M --via kernel --quiet
	pinned_is $((before + 512))
	ms dereg 1 --quiet
	pinned_is $((before + 256))
	hca-probe --fail DESTROY_UMEM=BAD_RES_STATE
	refused EINVAL "ioctl(DEVX_UMEM_DEREG)" ms dereg 2
	[[ $stderr == *"a DEVX object on the umem"* ]]
	[ "$(states)" = "2 live" ]
	session_end
	await pinned_is "$before"
	hca-probe --fail CREATE_UMEM=LIM_ERR
	refused ENOMEM mlx5dv_devx_umem_reg mr umem
}

@test "a dereg that the kernel refuses leaves the umem, and gives possible reasons" {
	MRCTL_SESSION='' run --separate-stderr faulty umem_dereg=EINVAL umem --json
	refused EINVAL mlx5dv_devx_umem_dereg
	[[ $stderr == *"a DEVX object on the umem"* ]]
	json '.regions[0].state == "live" and .failures[0].region == 1'
	ms umem --name u --quiet
	refused EINVAL "ioctl(DEVX_UMEM_DEREG)" faulty umem_dereg=EINVAL dereg u
	[ "$(states)" = "1 live" ]
}

@test "unlisted umems are shown and deregistered by their handle; a deregistered one is not taken for another object" {
	ms umem --via kernel --count 2 --name u --quiet
	mapfile -t handles < <(tool umem 2)
	run --separate-stderr ms stat --json
	json '[.regions[] | .kind, .state] == ["umem", "live", "umem", "live", "umem", "unlisted", "umem", "unlisted"]'
	json '[.regions[2:][].handle] == $h and .totals.unlisted == 2' \
		--argjson h "$(printf '%s\n' "${handles[@]}" | jq -s .)"
	[ "$(ms stat -n -o kind,state "umem:${handles[0]}")" = "umem unlisted" ]
	succeeded ms dereg "umem:${handles[0]}" --json
	json '[.regions[] | .kind, .id, .handle] == ["umem", null, ($h | tonumber)]' --arg h "${handles[0]}"
	ms dereg "umem:${handles[1]}" --quiet
	handle=$(ms stat -n -o handle u.1)
	tool umem-destroy "$handle"
	[ "$(states)" = $'1 gone\n2 live' ]
	# and its handle was given to an MR
	[ "$(tool reg 1)" = "$handle" ]
	[ "$(states)" = $'1 gone\n2 live\n- unlisted' ]
	absent "region 1 was already gone: the kernel has no such region" ms dereg u.1
	[ "$(states)" = $'2 live\n- unlisted' ]
}

@test "without a query for umems no umem is reported gone" {
	ms umem --name u --quiet
	for errno in ENOMEM EINVAL ENOENT EPERM; do
		exits 1 faulty "info_handles=$errno" dereg u --json
		json '.failures[0].call == "ioctl(INFO_HANDLES)" and .regions == []'
		[[ $stderr == *"cannot query region 1: ioctl(INFO_HANDLES): $errno ("* ]]
		exits 1 faulty "info_handles@1=$errno" stat u --json
		json '.regions[0].state == "unknown" and .failures[0].errno == $errno' --arg errno $errno
	done
	[ "$(states)" = "1 live" ]
}

# bats test_tags=slow
@test "more umems than the kernel lists are live, and are deregistered" {
	may_lock 65M || skip "needs 65 MiB of lockable memory: raise ulimit -l"
	ms umem --count 16500 --size 64 --stride 64 --quiet
	exits 1 ms stat --json
	json '[.regions[].state] | length == 16500 and unique == ["live"]'
	json '.totals.unlisted == null and .failures[0].errno == "EOVERFLOW"'
	[[ $stderr == *"more unlisted umems than the kernel lists"* ]]
	ms dereg 1 --quiet
	ms dereg --all --quiet
	gives '.regions == []' ms stat
}
