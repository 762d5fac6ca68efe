#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Memory on the device, the null MR, and ibv_reg_mr_ex.

load helpers
load rows

# require_dm: skips on devices without memory of their own: the software HCA has some, a real device may not
require_dm() {
	on_mlx5 || skip "needs memory on the device, which only mlx5 has"
	on_simulator || mr -q reg --memory dm || skip "this device gives none"
}

session() { # SCRIPT: run it in a session, as one shell
	"${MR[@]}" session -- bash -euc "$1"
}

# ---- memory on the device ----

# bats test_tags=kernel
@test "memory on the device is allocated, registered from byte 0 on, and freed, by both paths" {
	require_dm
	gives '.regions[0] | .kind == "mr" and .state == "deregistered" and .memory == "dm" and
		.call == "ibv_reg_dm_mr" and .via == "library" and .length == 65536 and .offset == 0 and
		.iova == "0x0" and .addr == null and .page_size == null and .pd == "default" and
		.lkey != null and .rkey != null and .dereg_elapsed_ns > 0 and
		.access == ["local-write", "zero-based"] and .in_force == .access' mr reg --memory dm --size 64K
	gives '.regions[0] | .via == "kernel" and .call == "ioctl(DM_MR_REG)" and .offset == 4096 and
		.iova == "0x0" and .memory == "dm:8K"' mr reg --memory dm:8K --offset 4K --via kernel
	# A second run shows that the memory was freed: the device has not enough for two of these.
	for _ in 1 2 3; do
		mr -q reg --memory dm:128K
		mr -q reg --memory dm:128K --via kernel
	done
}

@test "regions of one piece of memory have their places in it" {
	require_dm
	succeeded mr --json reg --memory dm --offset 64 --size 192 --count 3 --stride 256
	json '[.regions[].offset] == [64, 320, 576] and ([.regions[].iova] | unique) == ["0x0"] and
		([.regions[].lkey] | unique | length) == 3'
	run --separate-stderr mr reg --memory dm --count 2
	[[ ${lines[0]} == *" OFFSET "* && ${lines[0]} != *" ADDR "* ]]
}

@test "regions must be zero-based and inside the memory, which must be inside the device" {
	require_dm
	answers mr reg --memory <<-'END'
		ok - dm:32K --size 32K
		ok - dm:32K --offset 32K --size 0
		ok - dm --access zero-based,local-write,remote-write,remote-atomic
		EINVAL ioctl(DM_MR_REG) dm:32K --offset 1 --size 32K --via kernel
		EINVAL ibv_reg_dm_mr dm --access zero-based,on-demand
		EINVAL ibv_alloc_dm dm --offset 0xfffffffffffff000
		EINVAL ioctl(DM_ALLOC) dm:129K --via kernel
		ENOMEM ioctl(DM_ALLOC) dm:1M --via kernel
		EINVAL ibv_alloc_dm dm --size 1M
	END
	[[ $stderr == *"at most 128 KiB at once (max_dm_size) [certain, MR-DM-SIZE]"* ]]
	[[ $stderr == *"cannot allocate 1048576 bytes"* ]]
}

@test "memory that cannot be freed outside a session is a separate failure" {
	require_dm
	answers faulty free_dm=EIO reg --memory dm <<-'END'
		EIO ibv_free_dm
		EIO ioctl(DM_FREE) --via kernel
	END
	exits 1 faulty 'free_dm=EIO;reg_dm_mr=EPERM' reg --memory dm --json
	json '[.failures[] | .call, .errno] == ["ibv_reg_dm_mr", "EPERM", "ibv_free_dm", "EIO"]'
}

# bats test_tags=kernel
@test "peers reach the memory from byte 0 on, inside the region, and only until dereg" {
	command -v hca-probe >/dev/null || skip "needs the software HCA"
	require_dm
	run session '
		reg="mrctl -n reg -o rkey --access local-write,remote-read,remote-write,zero-based"
		key=$($reg --memory dm:8K --offset 4K --size 4K)
		hca-probe --write 0x11223344 "$key" 0x10
		[ "$(hca-probe "$key" 0x10)" = 0x11223344 ]
		! hca-probe "$key" 0x1000
		mrctl -q dereg 1
		! hca-probe "$key" 0x10'
	echo "$output"
	[ "$status" -eq 0 ]
	[[ $output == *range*"no such key"* ]]
}

# ---- in a session ----

@test "a session keeps the memory until its last region is deregistered, and none for a refused region" {
	require_dm
	session '
		for via in library kernel; do
			for _ in 1 2 3; do
				mrctl -q reg --memory dm:128K --access local-write --via $via --expect EINVAL
			done
		done
		mrctl -q reg --memory dm --count 2 --size 64K --stride 64K --name d
		mrctl -j stat | jq -e "[.regions[] | .state, .offset, .iova, .memory, .call] ==
			[\"live\", 0, \"0x0\", \"dm\", \"ibv_reg_dm_mr\",
			 \"live\", 65536, \"0x0\", \"dm\", \"ibv_reg_dm_mr\"] and .totals.unlisted == 0"
		mrctl -q reg --memory dm:128K --name e
		mrctl -q reg --memory dm:4K --expect ENOMEM
		mrctl -q dereg d.1
		mrctl -q reg --memory dm:4K --expect ENOMEM
		mrctl -q dereg d.2
		mrctl -q reg --memory dm:128K
		mrctl -q dereg --all
		mrctl -q reg --memory dm:128K --count 2 --size 64K --via kernel
		mrctl -q reg --memory dm:128K --via kernel'
}

@test "objects of a killed command are listed, and can be freed" {
	on_mlx5 && on_simulator || skip "needs the simulator's faults"
	session '
		MRCTL_SIM_FAULT=reg_dm_mr=kill mrctl -q reg --memory dm || [ $? -eq 137 ]
		mrctl -j stat | jq -e ".totals.unlisted == 1"
		handle=$(mrctl -j stat | jq -e ".regions[] | select(.kind == \"dm\") | .handle")
		mrctl -n stat -o kind,state dm:$handle | grep -qx "dm unlisted"
		mrctl -q dereg dm:$handle
		mrctl dereg dm:$handle && exit 1 || [ $? -eq 3 ]
		mrctl stat dm:$handle && exit 1 || [ $? -eq 3 ]
		mrctl -j stat | jq -e ".totals | .unlisted == 0"'
	run --separate-stderr "${SIM[@]}" mrctl session -- bash -c '
		mrctl -q reg --memory dm
		MRCTL_SIM_FAULT=free_dm=EIO mrctl dereg 1'
	refused EIO 'ioctl(DM_FREE)'
	[[ $stderr == *"region 1 is deregistered, but the memory on the device stays"* ]]
}

@test "in a batch memory on the device and null MRs live from line to line" {
	require_dm
	printf '%s\n' 'reg --memory dm --size 64 --count 2 --name d' 'reg --memory null-mr --name n' \
		'dereg d.1' stat 'dereg --all' stat >"$BATS_TEST_TMPDIR/lines"
	gives '.lines[3] | ([.regions[].memory] | sort) == ["dm", "null-mr"] and
		.totals.bytes == 64 and .totals.unlisted == 0' mr batch "$BATS_TEST_TMPDIR/lines"
	json '[.lines[1, 3].regions[] | select(.memory == "null-mr") | .length == 18446744073709551615 and
		.lkey != null and [.rkey, .addr, .iova, .access, .in_force] == [null, null, null, null, null]] |
		all and length == 2'
	json '.lines[5] | .regions == [] and .totals.unlisted == 0'
}

# ---- the null MR ----

# bats test_tags=kernel
@test "the null MR has only an lkey and the maximum length; it requires the library, and no session can keep it" {
	on_mlx5 || skip "needs mlx5"
	gives '.regions[0] | .lkey != null and .length == 18446744073709551615 and
		.call == "ibv_alloc_null_mr" and .memory == "null-mr" and .pd == "default" and
		([.rkey, .addr, .iova, .handle, .access, .access_bits, .in_force, .offset, .page_size] |
			unique) == [null]' mr reg --memory null-mr
	succeeded mr reg --memory null-mr --count 2 -o lkey -n
	[ "${lines[0]}" = "${lines[1]}" ]
	refused EOPNOTSUPP ibv_alloc_null_mr mr reg --memory null-mr --via kernel
	[[ $stderr == *"a null MR requires the library"*"--via library"* ]]
	refused EOPNOTSUPP ibv_alloc_null_mr mr session -- mrctl reg --memory null-mr
	[[ $stderr == *"cannot stay in a session"*"MRCTL_SESSION= "* ]]
	mr session -- env MRCTL_SESSION= "${MR[@]}" -q reg --memory null-mr
}

# ---- what makes no sense ----

# bats test_tags=release
@test "options that have no meaning for memory on the device are usage errors, and so are calls of other kinds" {
	usage_errors <<-'END'
		reg --memory dm --addr 4096 | --addr is not available with --memory dm: nothing is mapped
		reg --memory dm --numa 0 | --numa is not available with --memory dm: nothing is mapped
		reg --memory null-mr --populate | --populate is not available with --memory null-mr: nothing is mapped
		reg --memory dm --relaxed | --memory dm does not support --relaxed
		reg --memory null-mr --relaxed | --memory null-mr does not support --relaxed
		reg-iova --iova 0 --memory dm | only reg supports --memory dm
		umem --memory null-mr | only reg supports --memory null-mr
		reg-dmabuf --from udmabuf --data-direct --call ibv_reg_mr_ex | give mlx5dv_reg_dmabuf_mr
	END
	usage_errors reg <<-'END'
		--memory null-mr --size 4K | does not support --size: a null MR has neither
		--memory null-mr --offset 1 | does not support --offset: a null MR has neither
		--memory null-mr --access none | does not support --access: a null MR has neither
		--memory null-mr --stride 1 --count 2 | does not support --stride: a null MR has neither
		--call ibv_reg_mr_iova | give ibv_reg_mr or ibv_reg_mr_ex
		--memory dm --call ibv_reg_mr_ex | give ibv_reg_dm_mr
		--memory null-mr --call ibv_reg_mr_ex | give ibv_alloc_null_mr
	END
	usage_error "only reg supports --memory dm" -- mr session -- bash -c 'mrctl -q reg; mrctl rereg 1 --memory dm'
}

# ---- a dma-buf of it ----

# bats test_tags=kernel
@test "a dma-buf is made of memory on the device where libibverbs can do that, but cannot be pinned as a umem would" {
	on_mlx5 || skip "needs memory on the device"
	run --separate-stderr mr --json reg-dmabuf --from dm --size 64K
	if [ "$(rdma_core)" -ge 62 ]; then
		succeeded
		json '.regions[0] | .memory == "dm" and .call == "ibv_reg_dmabuf_mr" and .length == 65536'
		session 'mrctl -q reg-dmabuf --from dm --buffer 128K
			mrctl -q reg --memory dm:128K
			mrctl -q dereg --all
			mrctl -q reg-dmabuf --from dm --buffer 128K
			mrctl -q reg --memory dm:128K
			mrctl -j stat | jq -e ".totals.unlisted == 0"'
		refused EOPNOTSUPP mlx5dv_devx_umem_reg_ex mr umem --dmabuf dm --size 64K
		refused EOPNOTSUPP ibv_dm_export_dmabuf_fd mr reg-dmabuf --from dm --via kernel
		[[ $stderr == *"use --via library"* ]]
		on_simulator || return 0
		refused EPROTONOSUPPORT ibv_dm_export_dmabuf_fd mrctl sim --kernel 6.12 -- mrctl reg-dmabuf --from dm
		[[ $stderr == *"[certain, MR-KERNEL-METHOD]"* ]]
	else
		refused ENOSYS ibv_dm_export_dmabuf_fd
		[[ $stderr == *"the installed libibverbs.so.1 lacks the function"*"comes with rdma-core 62 and later"* ]]
		session 'mrctl -q reg-dmabuf --from dm || mrctl -j stat | jq -e ".totals.unlisted == 0"'
	fi
}

# ---- the call ----

# bats test_tags=kernel
@test "--call ibv_reg_mr_ex makes that call where libibverbs has it" {
	for command in reg "reg-iova --iova 0x10000"; do
		run --separate-stderr mr --json $command --call ibv_reg_mr_ex
		if [ "$(rdma_core)" -ge 59 ]; then
			succeeded
			json '.regions[0].call == "ibv_reg_mr_ex" and .regions[0].via == "library"'
			[ "$command" = reg ] || json '.regions[0].iova == "0x10000"'
			refused EINVAL ibv_reg_mr_ex mr $command --call ibv_reg_mr_ex --access remote-write
		else
			refused ENOSYS ibv_reg_mr_ex
			json '.failures[0] | .call == "ibv_reg_mr_ex" and .errno == "ENOSYS"'
			[[ $stderr == *"install rdma-core 59 or later; without --call, "* ]]
		fi
	done
}

@test "the call is that of the command unless --call names another one" {
	values mr -n -o call <<-'END'
		reg | ibv_reg_mr
		reg --call ibv_reg_mr | ibv_reg_mr
		reg-iova --iova 0 --call ibv_reg_mr_iova | ibv_reg_mr_iova
		reg --via kernel | ioctl(REG_MR)
	END
}
