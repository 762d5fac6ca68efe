#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# mrctl umem: DEVX umems.  The tests of what mlx5dv_devx_umem_reg(3) says are here.
# shellcheck disable=SC2016 # jq has variables of its own

load helpers

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
	[[ $stderr == *"because: access has remote-write, but not local-write"* ]]
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
	[[ $stderr == *"umems are objects of mlx5"*"[certain, MR-DEVX-METHOD]"* ]]
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
	[[ $stderr == *"[possible, MR-DEVX]"* ]]
	# libibverbs opens it without DEVX, and reports no error
	run --separate-stderr faulty get_context@1=EINVAL umem --via kernel
	refused EINVAL "ioctl(DEVX_UMEM_REG)"
	[[ $stderr == *"the device was opened without DEVX"*"[certain, MR-DEVX-CONTEXT]"* ]]
	eval "$(faulty get_context@1=EINVAL session --detach)"
	SESSION_PID=${MRCTL_SESSION#pid:}
	run --separate-stderr ms umem --via kernel
	refused EINVAL "ioctl(DEVX_UMEM_REG)"
	ms reg --quiet
	[ "$(states)" = "2 live" ]
}
