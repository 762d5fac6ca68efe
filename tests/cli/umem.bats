#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# mrctl umem: DEVX umems.  The tests of what mlx5dv_devx_umem_reg(3) says are here.
# shellcheck disable=SC2016 # jq has variables of its own

load helpers

# usual_path: prints the path (--via) by which umems in a session are made
usual_path() {
	if exports_umems; then
		echo library
	else
		echo kernel
	fi
}

# ---- a trial ----

# bats test_tags=kernel
@test "umem registers, shows the id that the device gave, and deregisters" {
	require_devx
	run --separate-stderr mr umem --size 64K
	succeeded
	grep -Eqx 'umem_id: *[1-9][0-9]*' <<<"$output"
	grep -qx 'state: *deregistered' <<<"$output"
	grep -Eqx 'dereg_elapsed_ns: *[1-9][0-9]*' <<<"$output"
	[[ $output != *key:* && $output != *iova:* ]]
}

# bats test_tags=kernel
@test "umem --json has what belongs to a umem, and null for what only MRs have" {
	require_devx
	run --separate-stderr mr umem --size 12345 --offset 7 --name q --access remote-read --json
	succeeded
	json '.command == "umem" and .session == false and .failures == []'
	json '.regions[0] | .kind == "umem" and .name == "q" and .length == 12345 and .umem_id > 0 and
		.elapsed_ns > 0 and .dereg_elapsed_ns > 0 and .access == ["remote-read"] and
		.via == "library" and (.addr | endswith("007"))'
	json '.regions[0] | [.lkey, .rkey, .iova, .pd, .page_sizes, .answer] | unique == [null]'
}

# bats test_tags=kernel
@test "through the kernel's interface the answer is the same, with the handle" {
	require_devx
	run --separate-stderr mr umem --via kernel --page-sizes 4K --json
	succeeded
	json '.regions[0] | .via == "kernel" and .umem_id > 0 and .handle != null and
		.state == "deregistered" and .page_sizes == [4096]'
}

# bats test_tags=kernel
@test "access is none, or local-write, remote-write, remote-read and relaxed-ordering" {
	local via

	require_devx
	for via in library kernel; do
		for access in none local-write remote-read local-write,remote-write,remote-read \
			relaxed-ordering; do
			run --separate-stderr mr umem --via $via --access $access --expect ok
			succeeded
		done
		for access in remote-write remote-atomic local-write,remote-atomic zero-based on-demand; do
			run --separate-stderr mr umem --via $via --access $access
			[ "$status" -eq 1 ]
			[[ $stderr == *"DEVX_UMEM_REG"*" ("* || $stderr == *"mlx5dv_devx_umem_reg: "*" ("* ]]
			[[ $stderr == *"access $access"* ]]
		done
	done
	run --separate-stderr mr umem --access remote-write
	refused EINVAL mlx5dv_devx_umem_reg
	[[ $stderr == *"a umem takes local-write, remote-write (with local-write)"* ]]
}

# bats test_tags=kernel
@test "memory that is not there, or not to be written, and a length of 0 are refused" {
	require_devx
	run --separate-stderr mr umem --memory unmapped
	refused EFAULT mlx5dv_devx_umem_reg
	run --separate-stderr mr umem --memory hole --size 16K --via kernel
	refused EFAULT "ioctl(DEVX_UMEM_REG)"
	run --separate-stderr mr umem --memory readonly --page-sizes 4K
	refused EFAULT mlx5dv_devx_umem_reg_ex
	run --separate-stderr mr umem --memory readonly --access remote-read
	succeeded
	run --separate-stderr mr umem --size 0
	refused EINVAL mlx5dv_devx_umem_reg
}

# bats test_tags=kernel
@test "a limit of locked memory counts umems" {
	require_devx
	require_nobody
	run --separate-stderr mr_as_nobody 64 umem --size 1M
	refused ENOMEM mlx5dv_devx_umem_reg
	run --separate-stderr mr_as_nobody 64 umem --size 16K
	succeeded
}

# bats test_tags=kernel
@test "umems are held until the end of the hold" {
	require_devx
	hold umem --hold --count 2 --json
	output=$(<"$HOLD_OUT") stderr=''
	json '[.regions[].state] == ["live", "live"] and ([.regions[].umem_id] | unique | length == 2)'
	release
}

# bats test_tags=kernel
@test "umem --count goes on or stops at a refusal, and --expect knows the answer" {
	require_devx
	run --separate-stderr mr umem --count 3 --memory hole --size 4K --json
	[ "$status" -eq 1 ]
	json '[.regions[].index] == [1, 2] and [.failures[] | .index, .errno] == [3, "EFAULT"]'
	run --separate-stderr mr umem --size 0 --count 3 --keep-going --json
	[ "$status" -eq 1 ]
	json '[.failures[].call] == ["mlx5dv_devx_umem_reg", "mlx5dv_devx_umem_reg", "mlx5dv_devx_umem_reg"]'
	run --separate-stderr mr -q umem --size 0 --expect EINVAL
	succeeded
}

# ---- page sizes ----

# bats test_tags=kernel
@test "with --page-sizes mlx5dv_devx_umem_reg_ex is called, which takes a size that fits" {
	require_devx
	run --separate-stderr mr umem --size 64K --page-sizes 4K,2M --json
	succeeded
	json '.regions[0].page_sizes == [4096, 2097152]'
	run --separate-stderr mr umem --size 64K --page-sizes 0xfffffffffffff000 --expect ok
	succeeded
	# sizes below those that the HCA supports are ignored
	run --separate-stderr mr umem --size 64K --page-sizes 1K,4K -n -o page_sizes
	succeeded
	[ "$output" = 1K,4K ]
	run --separate-stderr mr umem --size 64K --offset 16 --page-sizes 4K
	succeeded
}

# bats test_tags=kernel
@test "umem fails if no size of the list fits" {
	local sizes

	require_devx
	for sizes in none 1K 0x7ff; do
		run --separate-stderr mr umem --size 64K --page-sizes $sizes
		refused EINVAL mlx5dv_devx_umem_reg_ex
	done
	[[ $stderr == *"and the page sizes 1,2,4,8,"* ]]
	# larger than the region
	run --separate-stderr mr umem --size 64K --page-sizes 2M
	refused EINVAL mlx5dv_devx_umem_reg_ex
	run --separate-stderr mr umem --size 64K --page-sizes 2M --via kernel
	refused EINVAL "ioctl(DEVX_UMEM_REG)"
}

# bats test_tags=kernel
@test "huge pages take large sizes" {
	require_devx
	[ "$(cat /sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages)" -ge 2 ] ||
		skip "there are no free huge pages"
	for sizes in 2M 64K 4K,2M; do
		run --separate-stderr mr umem --memory hugetlb:2M --size 4M --page-sizes $sizes
		succeeded
	done
	# accepted although 2 MiB do not fit: the driver halves the size
	run --separate-stderr mr umem --memory hugetlb:2M --size 3M --page-sizes 2M
	succeeded
}

# bats test_tags=kernel
@test "--try-page-sizes lists each size with the answer" {
	require_devx
	run --separate-stderr mr umem --size 64K --try-page-sizes
	succeeded
	[[ ${lines[0]} == "PAGE_SIZES ANSWER ELAPSED_NS DEREG_ELAPSED_NS" ]]
	[[ ${lines[1]} == "4K "*"ok "* ]]
	[ "${#lines[@]}" -eq 6 ]
	[[ $stderr == *"does not prove that the HCA uses it"* ]]
	run --separate-stderr mr umem --size 40K --try-page-sizes --json
	succeeded
	json '[.regions[].page_sizes[]] == [4096, 8192, 16384, 32768, 65536] and .failures == []'
	json '.regions[0] | .answer == "ok" and .state == "deregistered" and .umem_id > 0'
	json '[.regions[] | select(.answer != "ok") | .answer, .state, .umem_id] |
		unique - [null, "EINVAL", "refused"] == []'
	[ -z "$stderr" ]
}

# bats test_tags=kernel
@test "--try-page-sizes names its call, and says of umems that were there whether they need their process" {
	local via call

	require_devx
	for via in library kernel; do
		call='mlx5dv_devx_umem_reg_ex'
		[ $via = library ] || call='ioctl(DEVX_UMEM_REG)'
		run --separate-stderr mr umem --size 64K --via $via --try-page-sizes --json
		succeeded
		json '[.regions[] | .call, .via] | unique == ([$call, $via] | unique)' \
			--arg call "$call" --arg via $via
		json '[.regions[] | .needs_process == if .answer == "ok" then false else null end] | all'
	done
}

# bats test_tags=kernel
@test "--try-page-sizes tries 4K at least, and at most 1G" {
	local answer=EFAULT

	require_devx
	run --separate-stderr mr umem --size 1 --try-page-sizes -n -o page_sizes,answer
	succeeded
	[ "$output" = "4K ok" ]
	may_lock 3G || answer=ENOMEM # the kernel checks the limit first
	run --separate-stderr mr umem --size 3G --memory unmapped --try-page-sizes -n -o page_sizes,answer
	refused $answer mlx5dv_devx_umem_reg_ex
	[ "${lines[0]}" = "4K $answer" ]
	[ "${lines[-1]}" = "1G $answer" ]
	[ "${#lines[@]}" -eq 19 ]
}

# bats test_tags=kernel
@test "--try-page-sizes refused throughout is a failure" {
	require_devx
	run --separate-stderr mr umem --access remote-write --try-page-sizes --json
	refused EINVAL mlx5dv_devx_umem_reg_ex
	json '[.regions[].answer] == ["EINVAL"] and [.failures[].errno] == ["EINVAL"]'
}

@test "--try-page-sizes and --page-sizes exclude options that do not fit" {
	for option in --page-sizes=4K --count=2 --name=a --hold --hold-for=1 --expect=ok --keep-going; do
		run --separate-stderr mr umem --try-page-sizes $option
		usage_error "--try-page-sizes excludes ${option%%=*}"
	done
	for sizes in '' 0 3M '4K,' 4X max 16E none,4K; do
		run --separate-stderr mr umem "--page-sizes=$sizes"
		usage_error "--page-sizes: "
	done
	run --separate-stderr mr umem --pd a
	usage_error "unknown option '--pd'"
	run --separate-stderr mr umem --iova 1
	usage_error "unknown option '--iova'"
}

# ---- devices without DEVX ----

# bats test_tags=kernel
@test "umems are refused on a device of another driver" {
	! on_mlx5 || skip "about other devices than mlx5's"
	run --separate-stderr mr umem --json
	refused EOPNOTSUPP mlx5dv_open_device
	[[ $stderr == *"$(device) is no mlx5 device"* ]]
	json '.regions == [] and .failures[0].call == "mlx5dv_open_device"'
	run --separate-stderr mr umem --via kernel
	refused EPROTONOSUPPORT "ioctl(DEVX_UMEM_REG)"
	[[ $stderr == *"objects of the driver mlx5_ib"* ]]
	run --separate-stderr mr umem --via kernel --dmabuf fd:0
	refused EPROTONOSUPPORT "ioctl(DEVX_UMEM_REG)"
	run --separate-stderr mr umem --try-page-sizes
	refused EOPNOTSUPP mlx5dv_open_device
	session_begin
	run --separate-stderr ms umem --name a
	refused EPROTONOSUPPORT "ioctl(DEVX_UMEM_REG)"
	run --separate-stderr ms umem --via library
	refused EOPNOTSUPP ibv_import_device
	[ -z "$(states)" ]
	run --separate-stderr ms stat umem:1
	[ "$status" -eq 3 ]
	run --separate-stderr ms dereg umem:1
	absent "no umem with the handle 1: ioctl(DEVX_UMEM_DEREG): EPROTONOSUPPORT ("
}

@test "umems are refused on an mlx5 device whose firmware has no DEVX" {
	on_simulator || skip "needs the simulator's faults"
	require_devx
	run --separate-stderr faulty get_context=EINVAL umem
	refused EINVAL mlx5dv_open_device
	[[ $stderr == *"MLX5DV_CONTEXT_FLAGS_DEVX"* ]]
	# libibverbs opens it without DEVX, and reports no error
	run --separate-stderr faulty get_context@1=EINVAL umem --via kernel
	refused EINVAL "ioctl(DEVX_UMEM_REG)"
	[[ $stderr == *"a context with DEVX"* ]]
	eval "$(faulty get_context@1=EINVAL session --detach)"
	SESSION_PID=${MRCTL_SESSION#pid:}
	run --separate-stderr ms umem --via kernel
	refused EINVAL "ioctl(DEVX_UMEM_REG)"
	ms reg --quiet
	[ "$(states)" = "2 live" ]
}

# ---- in a session ----

# bats test_tags=kernel
@test "in a session a umem stays, is shown with its handle, and is deregistered by a later command" {
	local shown

	require_devx
	session_begin
	run --separate-stderr ms umem --size 64K --name q --page-sizes 4K,64K --json
	succeeded
	json '.session == true and (.regions[0] | .id == 1 and .state == "live" and .handle != null and
		.umem_id > 0 and .dereg_elapsed_ns == null)'
	json '.regions[0].via == $via' --arg via "$(usual_path)"
	shown=$(jq -c '.regions[0] | del(.index)' <<<"$output")
	run --separate-stderr ms stat --json
	json '(.regions[0] | del(.index)) == $shown' --argjson shown "$shown"
	json '.totals.regions == 1 and .totals.bytes == 65536 and .totals.unlisted == 0'
	run --separate-stderr ms dereg q --json
	succeeded
	json '.regions[0] | .kind == "umem" and .state == "deregistered" and .name == "q" and
		.page_sizes == [4096, 65536] and .dereg_elapsed_ns > 0'
	run --separate-stderr ms stat --json
	json '.regions == [] and .totals.unlisted == 0'
}

# bats test_tags=kernel
@test "both paths make umems that stay" {
	require_devx
	session_begin
	run --separate-stderr ms umem --via kernel --json
	succeeded
	json '.regions[0] | .via == "kernel" and .handle != null'
	run --separate-stderr ms umem --via library --json
	if exports_umems; then
		succeeded
		json '.regions[0] | .via == "library" and .handle != null'
		[ "$(states)" = $'1 live\n2 live' ]
	else
		[ "$status" -eq 1 ]
		[[ $stderr == *"does not tell the handle of a umem"*"mlx5dv_devx_umem_export: EOPNOTSUPP ("* ]]
		[[ $stderr == *"rdma-core 63 and later do; or use --via kernel"* ]]
		json '.regions == []'
		[ "$(states)" = "1 live" ]
	fi
	ms dereg --all --quiet
	[ -z "$(states)" ]
}

# bats test_tags=kernel
@test "umems are named by id, name and umem:HANDLE, and have no keys" {
	local handles id

	require_devx
	session_begin
	ms umem --count 3 --name u --quiet
	ms reg --name m --quiet
	mapfile -t handles < <(ms stat -n -o handle)
	id=$(ms stat -n -o umem_id u.1)
	for key in lkey rkey; do
		run --separate-stderr ms stat "$key:$id"
		[ "$status" -eq 3 ]
	done
	# the kernel refuses handles of another kind of object
	run --separate-stderr ms dereg "mr:${handles[0]}"
	absent "ioctl(QUERY_MR): EINVAL ("
	run --separate-stderr ms dereg "umem:${handles[3]}"
	absent "no umem with the handle ${handles[3]}: ioctl(DEVX_UMEM_DEREG): EINVAL ("
	[[ $stderr != *DEVX\ object* ]]
	run --separate-stderr ms dereg umem:1000
	absent "no umem with the handle 1000: ioctl(DEVX_UMEM_DEREG): ENOENT ("
	run --separate-stderr ms stat "umem:${handles[3]}"
	[ "$status" -eq 3 ]
	[[ $stderr == *"no umem with the handle ${handles[3]}"* ]]
	[ "$(ms stat -n -o name "umem:${handles[1]}")" = u.2 ]
	run --separate-stderr ms dereg 1 u.2 "umem:${handles[2]}" --json
	succeeded
	json '[.regions[].name] == ["u.1", "u.2", "u.3"]'
	[ "$(states)" = "4 live" ]
}

# bats test_tags=kernel
@test "stat has a column for what a region is where there are umems, and only then" {
	require_devx
	session_begin
	ms reg --name m --quiet
	run --separate-stderr ms stat
	[[ ${lines[0]} == "ID NAME STATE"* && ${lines[0]} != *UMEM_ID* ]]
	ms umem --name u --quiet
	run --separate-stderr ms stat
	[[ ${lines[0]} == "ID NAME KIND STATE LKEY"*"UMEM_ID"* ]]
	[[ ${lines[1]} == *" m "*" mr "* && ${lines[2]} == *" u "*" umem "* ]]
	[ "$(ms stat -n -o kind,lkey u)" = "umem -" ]
}

# bats test_tags=kernel
@test "a handle can go from an MR to a umem, and neither is taken for the other" {
	local handle

	require_devx
	session_begin
	ms reg --via kernel --name m --quiet
	handle=$(ms stat -n -o handle m)
	ms dereg m --quiet
	ms umem --via kernel --name u --quiet
	[ "$(ms stat -n -o handle u)" = "$handle" ]
	run --separate-stderr ms dereg "mr:$handle"
	absent "ioctl(QUERY_MR): EINVAL ("
	ms dereg u --quiet
	ms reg --via kernel --name m --quiet
	[ "$(ms stat -n -o name,handle)" = "m $handle" ]
	run --separate-stderr ms dereg "umem:$handle"
	absent "ioctl(DEVX_UMEM_DEREG): EINVAL ("
	[ "$(states)" = "3 live" ]
}

# bats test_tags=kernel
@test "rereg is for memory regions: a umem is left as it is" {
	require_devx
	session_begin
	ms umem --name u --quiet
	run --separate-stderr ms rereg u --access remote-read --json
	[ "$status" -eq 1 ]
	[[ $stderr == *"region 1 is a umem, and only memory regions can be changed"* ]]
	json '.regions == []'
	run --separate-stderr ms rereg umem:1 --access remote-read
	usage_error "rereg changes regions, not 'umem:1'"
	[ "$(states)" = "1 live" ]
	ms dereg u --quiet
}

# bats test_tags=kernel
@test "umems need no protection domain" {
	require_devx
	session_begin
	ms dereg pd:default
	ms umem --quiet
	run --separate-stderr ms stat --json
	json '.totals.pds == [] and [.regions[] | .state, .pd] == ["live", null]'
}

# bats test_tags=kernel
@test "--try-page-sizes leaves nothing in a session" {
	require_devx
	session_begin
	run --separate-stderr ms umem --size 16K --try-page-sizes --via kernel --json
	succeeded
	json '.session == true and [.regions[].page_sizes[]] == [4096, 8192, 16384] and
		.regions[0].state == "deregistered"'
	run --separate-stderr ms stat --json
	json '.regions == []'
}

# bats test_tags=kernel
@test "umems stay pinned without a process, until the session ends" {
	local before i

	require_devx
	[ -n "${MRCTL_TEST_GUEST:-}" ] || skip "for a guest of its own"
	before=$(pinned)
	session_begin
	ms umem --size 1M --quiet
	ms umem --size 1M --via kernel --quiet
	[ "$(pinned)" -eq $((before + 512)) ]
	ms dereg 1 --quiet
	[ "$(pinned)" -eq $((before + 256)) ]
	session_end
	for i in {1..100}; do
		[ "$(pinned)" -ne "$before" ] || return 0
		sleep 0.05
	done
	fail "$(pinned) pages instead of $before"
}

# bats test_tags=kernel
@test "a refusal by the firmware is reported, and a umem that it keeps stays" {
	require_devx
	[ -n "${MRCTL_TEST_GUEST:-}" ] || skip "needs the software HCA"
	hca-probe --fail CREATE_UMEM=LIM_ERR
	run --separate-stderr mr umem
	refused ENOMEM mlx5dv_devx_umem_reg
	session_begin
	ms umem --name u --quiet
	hca-probe --fail DESTROY_UMEM=BAD_RES_STATE
	run --separate-stderr ms dereg u
	refused EINVAL "ioctl(DEVX_UMEM_DEREG)"
	[[ $stderr == *"a DEVX object that was made on the umem"* ]]
	[ "$(states)" = "1 live" ]
	ms dereg u --quiet
	[ -z "$(states)" ]
}

@test "a dereg that the kernel refuses leaves the umem, and gives possible reasons" {
	on_simulator || skip "needs the simulator's faults"
	require_devx
	run --separate-stderr faulty umem_dereg=EINVAL umem --json
	refused EINVAL mlx5dv_devx_umem_dereg
	[[ $stderr == *"a DEVX object that was made on the umem"* ]]
	json '.regions[0].state == "live" and .failures[0].region == 1'
	session_begin
	ms umem --name u --quiet
	run --separate-stderr faulty umem_dereg=EINVAL dereg u
	refused EINVAL "ioctl(DEVX_UMEM_DEREG)"
	[ "$(states)" = "1 live" ]
}

@test "unlisted umems are shown, and deregistered by their handle" {
	local handles

	require_devx
	require_tool
	session_begin
	ms umem --name u --quiet
	mapfile -t handles < <(tool umem 2)
	run --separate-stderr ms stat --json
	json '[.regions[] | .kind, .state] == ["umem", "live", "umem", "unlisted", "umem", "unlisted"]'
	json '[.regions[1:][].handle] == $h and .totals.unlisted == 2' \
		--argjson h "$(printf '%s\n' "${handles[@]}" | jq -s .)"
	[ "$(ms stat -n -o kind,state "umem:${handles[0]}")" = "umem unlisted" ]
	ms dereg --all --listed --quiet
	run --separate-stderr ms dereg "umem:${handles[0]}" --json
	succeeded
	json '[.regions[] | .kind, .id, .handle] == ["umem", null, ($h | tonumber)]' --arg h "${handles[0]}"
	[ "$(ms stat -n -o state,handle)" = "unlisted ${handles[1]}" ]
}

@test "a umem that was deregistered without the table is gone, and nothing is deregistered" {
	local handle

	require_devx
	require_tool
	session_begin
	ms umem --via kernel --count 2 --name u --quiet
	handle=$(ms stat -n -o handle u.1)
	tool umem-destroy "$handle"
	[ "$(states)" = $'1 gone\n2 live' ]
	# and its handle was given to an MR
	[ "$(tool reg 1)" = "$handle" ]
	[ "$(states)" = $'1 gone\n2 live\n- unlisted' ]
	run --separate-stderr ms dereg u.1
	[ "$status" -eq 3 ]
	[[ $stderr == *"region 1 had gone already: the kernel has no such region"* ]]
	[ "$(states)" = $'2 live\n- unlisted' ]
}

@test "where the kernel cannot be asked for umems, nothing is taken for gone" {
	on_simulator || skip "needs the simulator's faults"
	require_devx
	session_begin
	ms umem --name u --quiet
	for errno in ENOMEM EINVAL ENOENT EPERM; do
		run --separate-stderr faulty "info_handles=$errno" dereg u --json
		[ "$status" -eq 1 ]
		json '.failures[0].call == "ioctl(INFO_HANDLES)" and .regions == []'
		[[ $stderr == *"cannot make sure of region 1: ioctl(INFO_HANDLES): $errno ("* ]]
		run --separate-stderr faulty "info_handles@1=$errno" stat u --json
		[ "$status" -eq 1 ]
		json '.regions[0].state == "unknown" and .failures[0].errno == $errno' --arg errno $errno
	done
	[ "$(states)" = "1 live" ]
}

@test "more umems than the kernel lists are live, and are deregistered" {
	on_simulator || skip "takes too long in a guest"
	require_devx
	may_lock 65M || skip "needs 65 MiB of lockable memory: raise ulimit -l"
	session_begin
	ms umem --count 16500 --size 64 --stride 64 --quiet
	run --separate-stderr ms stat --json
	[ "$status" -eq 1 ]
	json '[.regions[].state] | length == 16500 and unique == ["live"]'
	json '.totals.unlisted == null and .failures[0].errno == "EOVERFLOW"'
	[[ $stderr == *"more umems that no entry names than the kernel lists"* ]]
	ms dereg 1 --quiet
	ms dereg --all --quiet
	run --separate-stderr ms stat --json
	succeeded
	json '.regions == []'
}
