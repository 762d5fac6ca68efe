#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# mrctl umem: DEVX umems.

load helpers
load rows

# ---- a trial ----

# bats test_tags=kernel
@test "umem registers on both paths, shows the device's id and the columns of a umem, and deregisters" {
	require_devx
	succeeded mr umem --size 64K
	grep -Eqx 'umem_id: *[1-9][0-9]*' <<<"$output"
	grep -qx 'state: *deregistered' <<<"$output"
	grep -Eqx 'dereg_elapsed_ns: *[1-9][0-9]*' <<<"$output"
	[[ $output != *key:* && $output != *iova:* ]]
	succeeded mr umem --size 12345 --offset 7 --name q --access remote-read --json
	json '.command == "umem" and .session == false and .failures == []'
	json '.regions[0] | .kind == "umem" and .name == "q" and .length == 12345 and .umem_id > 0 and
		.elapsed_ns > 0 and .dereg_elapsed_ns > 0 and .access == ["remote-read"] and
		.via == "library" and .call == "mlx5dv_devx_umem_reg" and (.addr | endswith("007"))'
	json '.regions[0] | [.lkey, .rkey, .iova, .pd, .page_sizes, .answer] | unique == [null]'
	succeeded mr umem --via kernel --page-sizes 4K --json
	json '.regions[0] | .via == "kernel" and .call == "ioctl(DEVX_UMEM_REG)" and .umem_id > 0 and
		.handle != null and .state == "deregistered" and .page_sizes == [4096]'
}

@test "access is none, or local-write, remote-write, remote-read and relaxed-ordering, and is for the memory" {
	require_devx
	answers mr umem <<-'END'
		ok - --access none
		ok - --access remote-read --via kernel
		ok - --access local-write,remote-write,remote-read
		ok - --access relaxed-ordering --via kernel
		ok - --access remote-read --memory readonly
		EINVAL mlx5dv_devx_umem_reg --access remote-write
		EINVAL ioctl(DEVX_UMEM_REG) --access on-demand --via kernel
		EFAULT mlx5dv_devx_umem_reg_ex --memory readonly --page-sizes 4K
	END
	run --separate-stderr mr umem --access remote-write
	[[ $stderr == *"access remote-write"*"because: access has remote-write, but not local-write"* ]]
}

# ---- page sizes ----

@test "with --page-sizes mlx5dv_devx_umem_reg_ex is called, which takes a size that fits" {
	require_devx
	succeeded mr umem --size 64K --page-sizes 4K,2M --json
	json '.regions[0] | .page_sizes == [4096, 2097152] and .call == "mlx5dv_devx_umem_reg_ex"'
	# sizes below those that the HCA supports are ignored
	answers mr umem --size 64K --page-sizes <<-'END'
		ok - 0xfffffffffffff000
		ok - 1K,4K
		ok - 4K --offset 16
		EINVAL mlx5dv_devx_umem_reg_ex 1K
		EINVAL mlx5dv_devx_umem_reg_ex 0x7ff
	END
	[[ $stderr == *"and the page sizes 1,2,4,8,"* ]]
}

# bats test_tags=kernel
@test "--try-page-sizes lists each size with the answer" {
	require_devx
	succeeded mr umem --size 64K --try-page-sizes
	[[ ${lines[0]} == "PAGE_SIZES ANSWER ELAPSED_NS DEREG_ELAPSED_NS" ]]
	[[ ${lines[1]} == "4K "*"ok "* ]]
	[ "${#lines[@]}" -eq 6 ]
	[[ $stderr == *"does not prove that the HCA uses it"* ]]
	for via in library kernel; do
		call=mlx5dv_devx_umem_reg_ex
		[ $via = library ] || call='ioctl(DEVX_UMEM_REG)'
		succeeded mr umem --size 40K --try-page-sizes --via $via --json
		[ -z "$stderr" ]
		json '[.regions[].page_sizes[]] == [4096, 8192, 16384, 32768, 65536] and .failures == []'
		json '.regions[0] | .answer == "ok" and .state == "deregistered" and .umem_id > 0'
		json '[.regions[] | select(.answer != "ok") | .answer, .state, .umem_id, .elapsed_ns, .dereg_elapsed_ns] |
			unique - [null, "EINVAL", "refused"] == []'
		json '.regions | all(.call == $call and .via == $via and
			.needs_process == if .answer == "ok" then false else null end)' --arg call "$call" --arg via $via
	done
}

@test "--try-page-sizes tries 4K at least and 1G at most, and fails where all are refused" {
	answer=EFAULT
	require_devx
	outputs "4K ok" mr umem --size 1 --try-page-sizes -n -o page_sizes,answer
	may_lock 3G || answer=ENOMEM # the kernel checks the limit first
	refused $answer mlx5dv_devx_umem_reg_ex mr umem --size 3G --memory unmapped --try-page-sizes -n -o page_sizes,answer
	[ "${lines[0]}" = "4K $answer" ]
	[ "${lines[-1]}" = "1G $answer" ]
	[ "${#lines[@]}" -eq 19 ]
	refused EINVAL mlx5dv_devx_umem_reg_ex mr umem --access remote-write --try-page-sizes --json
	[[ $stderr == *"asked for 4096 bytes at 0x"*" of memory anon"* ]]
	json '[.regions[].answer] == ["EINVAL"]'
	json '.failures | length == 1 and (.[0] | .errno == "EINVAL" and .request.page_sizes == [4096])'
	on_simulator || return 0
	# a umem that cannot be deregistered is a failure, though its size was taken
	refused EBUSY mlx5dv_devx_umem_dereg faulty umem_dereg@1=EBUSY umem --size 8K --try-page-sizes --json
	json '[.regions[] | .page_sizes[0], .answer, .state] == [4096, "ok", "live", 8192, "EINVAL", "refused"]'
}

@test "options that --try-page-sizes, --import and --dmabuf exclude are usage errors, and so are wrong sizes" {
	# more of what --import excludes is in umem-share.bats
	usage_errors umem < <(
		printf -- '--try-page-sizes %s | --try-page-sizes excludes\n' --page-sizes=4K --count=2 --name=a --hold \
			--hold-for=1 --expect=ok --keep-going
		printf -- '--import 00 %s | --import excludes\n' --addr=0 --populate --numa=0 --hold-for=1
		printf -- '--dmabuf udmabuf %s | --dmabuf excludes\n' --memory=anon --addr=0 --populate --numa=0
		printf -- '--page-sizes=%s | --page-sizes: \n' '' 0 3M 4K, 4X max none,4K
		echo 'ERANGE --page-sizes=16E | --page-sizes: '
	)
	usage_errors umem <<-'END'
		--pd a | unknown option '--pd'
		--iova 1 | unknown option '--iova'
		--advise prefetch | unknown option '--advise'
		--buffer 4K | --buffer requires --dmabuf
		--dmabuf fd:0 --buffer 4K | --buffer requires a source that mrctl makes: the dma-buf of --dmabuf fd:0 exists
		--dmabuf fd:0 --buffer 4K --try-page-sizes | --buffer requires a source that mrctl makes: the dma-buf of --dmabuf fd:0 exists
		--dmabuf nowhere | --dmabuf: unknown dma-buf 'nowhere'
	END
}

# ---- devices without DEVX ----

# bats test_tags=kernel
@test "umems are refused on a device of another driver" {
	! on_mlx5 || skip "about other devices than mlx5's"
	answers mr umem <<-'END'
		EOPNOTSUPP mlx5dv_open_device
		EOPNOTSUPP mlx5dv_open_device --try-page-sizes
		EPROTONOSUPPORT ioctl(DEVX_UMEM_REG) --via kernel --dmabuf fd:0
		EPROTONOSUPPORT ioctl(DEVX_UMEM_REG) --via kernel
	END
	[[ $stderr == *"umems are objects of mlx5"*"[certain, MR-DEVX-METHOD]"* ]]
	run --separate-stderr mr umem --json
	[[ $stderr == *"$(device) is not an mlx5 device"* ]]
	json '.regions == [] and .failures[0].call == "mlx5dv_open_device"'
	session_begin
	answers ms umem <<-'END'
		EPROTONOSUPPORT ioctl(DEVX_UMEM_REG) --name a
		EOPNOTSUPP ibv_import_device --via library
	END
	[ -z "$(states)" ]
	exits 3 ms stat umem:1
	absent "no umem with the handle 1: ioctl(DEVX_UMEM_DEREG): EPROTONOSUPPORT (" ms dereg umem:1
}

@test "umems are refused on an mlx5 device whose firmware has no DEVX" {
	require_devx
	answers faulty get_context=EINVAL umem <<<'EINVAL mlx5dv_open_device'
	# libibverbs opens it without DEVX, and reports no error
	answers faulty get_context@1=EINVAL umem --via kernel <<<'EINVAL ioctl(DEVX_UMEM_REG)'
	eval "$(faulty get_context@1=EINVAL session --detach)"
	SESSION_PID=${MRCTL_SESSION#pid:}
	refused EINVAL "ioctl(DEVX_UMEM_REG)" ms umem --via kernel
	ms reg --quiet
	[ "$(states)" = "2 live" ]
}
