#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Where the dma-bufs of reg-dmabuf come from: udmabuf, heaps, GPUs.

load helpers
load dmabuf

setup() {
	note_less
	on_simulator || [ -e /dev/udmabuf ] || skip "this kernel makes no dma-bufs (no /dev/udmabuf)"
}

# bats test_tags=kernel
@test "the host's refusals to make a dma-buf name the call and what to do" {
	run --separate-stderr mr reg-dmabuf --from heap:nowhere
	[ "$status" -eq 1 ]
	[[ $stderr == *"cannot use '/dev/dma_heap/nowhere': open: ENOENT ("* ]]
	[[ $stderr == *"this machine has "*"dma-heaps"* ]]
	run --separate-stderr ud --buffer 1G --json --expect EINVAL
	[ "$status" -eq 1 ]
	[[ $stderr == *"cannot make a udmabuf of 1073741824 bytes: ioctl(UDMABUF_CREATE): EINVAL ("* ]]
	on_simulator || [[ $stderr == *"at most "*" MiB [certain, MR-UDMABUF-SIZE]"*/sys/module/udmabuf/parameters/size_limit_mb* ]]
	json '.regions == [] and (.failures[0] | .call == "ioctl(UDMABUF_CREATE)" and .via == null)'
	run --separate-stderr ud --size max
	[ "$status" -eq 1 ]
	[[ $stderr == *"ftruncate: E"* ]]
	for size in '--buffer 1P' '--size max'; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr mr reg-dmabuf --from heap:system $size
		[ "$status" -eq 1 ]
		[[ $stderr == *"a dma-heap cannot give "*" bytes: this machine has "* ]]
	done
}

# bats test_tags=kernel
@test "a user who may not open /dev/udmabuf is shown its owner" {
	on_simulator && skip "there any user may"
	run --separate-stderr mr_as_nobody 1024 reg-dmabuf --from udmabuf
	[ "$status" -eq 1 ]
	[[ $stderr == *"cannot use /dev/udmabuf: open: EACCES ("* ]]
	[[ $stderr == *"/dev/udmabuf has mode 0"*", user 0 and group "*", and this is user 65534 [certain, MR-UDMABUF]"* ]]
}

@test "on the simulator any program can use /dev/udmabuf and the system heap" {
	on_simulator || skip "on a real kernel the other tests show it"
	for source in udmabuf heap:system; do
		run with_dmabuf "$source" 16384 bash -c '"$0" word 9 0x3000 && readlink /proc/self/fd/9' \
			"$TOOL"
		[ "$status" -eq 0 ]
		[ "${lines[0]}" = 0x3 ]
		[[ ${lines[1]} == /memfd:mrctl-dmabuf* ]]
	done
	# Outside of the simulator the same code fails where the node is missing.
	[ -e /dev/udmabuf ] || {
		run "$TOOL" make udmabuf 4096 9 true
		[ "$status" -eq 1 ]
		[[ $output == *"cannot use /dev/udmabuf: open: ENOENT ("* ]]
	}
}

@test "without a CUDA driver the message says so" {
	ldconfig -p | grep -q 'libcuda\.so\.1' && skip "this machine has one"
	run --separate-stderr mr reg-dmabuf --from cuda:0 --json
	[ "$status" -eq 1 ]
	[[ $stderr == *"no CUDA driver: dlopen: libcuda.so.1: cannot open shared object file"* ]]
	[[ $stderr == *"comes with the driver of NVIDIA's GPUs"* ]]
	json '.failures[0] | .errno == "ENODEV" and .via == null'
}

# cuda ARG...: `run`s mrctl with the driver that stands in for CUDA's (preload/cuda.c)
cuda() {
	command -v "${CC:-cc}" >/dev/null || skip "no compiler"
	[ -e "$BATS_TEST_TMPDIR/libcuda.so.1" ] ||
		"${CC:-cc}" -shared -fPIC -o "$BATS_TEST_TMPDIR/libcuda.so.1" \
			"$BATS_TEST_DIRNAME/preload/cuda.c" || return
	LD_LIBRARY_PATH=$BATS_TEST_TMPDIR run --separate-stderr "$@"
}

@test "memory of a GPU is exported, registered and freed" {
	require_mlx5
	on_simulator || skip "the stand-in for CUDA makes dma-bufs of the simulator"
	cuda mr reg-dmabuf --from cuda:0 --size 100K --json
	succeeded
	json '.regions[0] | .memory == "cuda:0" and .length == 102400 and .page_size == null'
	[[ $stderr == $'cuda: export 102400 bytes, flags 0\ncuda: free 0x7f0000200000\ncuda: release 40' ]]
	cuda mr -v reg-dmabuf --from cuda:0
	succeeded
	[[ $stderr == *"mrctl: reg-dmabuf: cuInit: CUDA_SUCCESS, cuDeviceGet: CUDA_SUCCESS, cuDevicePrimaryCtxRetain: CUDA_SUCCESS, cuCtxSetCurrent: CUDA_SUCCESS, cuMemAlloc: CUDA_SUCCESS, cuMemGetHandleForAddressRange: CUDA_SUCCESS"* ]]
	# For Data Direct the memory is exported for access over PCIe.
	cuda mr reg-dmabuf --from cuda:0 --data-direct --via kernel
	refused EINVAL 'ioctl(REG_DMABUF_MR)'
	[[ $stderr == *"flags 1"*"cuda: free"* ]]
}

@test "a region on memory of a GPU needs its process, one of --try-page-sizes too" {
	require_mlx5
	on_simulator || skip "the stand-in for CUDA makes dma-bufs of the simulator"
	cuda mr reg-dmabuf --from cuda:0 --json
	succeeded
	json '.regions[0].needs_process == true'
	cuda mr umem --dmabuf cuda:0 --try-page-sizes --json
	succeeded
	json '.regions[0] | .answer == "ok" and .needs_process == true'
}

@test "a failing step of CUDA is reported with its CUresult, and with the steps before it" {
	on_simulator || skip "the stand-in for CUDA makes dma-bufs of the simulator"
	before=''
	for call in cuInit cuDeviceGet cuDevicePrimaryCtxRetain cuCtxSetCurrent cuMemAlloc \
		cuMemGetHandleForAddressRange; do
		CUDA_FAIL=$call:100 cuda mr reg-dmabuf --from cuda:0
		[ "$status" -eq 1 ]
		[[ $stderr == *"mrctl: reg-dmabuf: $call: CUDA_ERROR_NO_DEVICE (CUresult 100)"* ]]
		[[ $stderr == *"before it: $before"* ]] || [ -z "$before" ]
		[[ $stderr != *"before it: "*"$call"* ]]
		before+="${before:+, }$call: CUDA_SUCCESS"
	done
	[[ $stderr == *"cuda: free"*"cuda: release"* ]]
	cuda mr reg-dmabuf --from cuda:3 --json
	[ "$status" -eq 1 ]
	[[ $stderr == *"cuDeviceGet: unknown CUresult (CUresult 101)"* ]]
	json '.failures[0] | .call == "cuDeviceGet" and .errno == "ENODEV"'
}

@test "in a session memory of a GPU needs --hold, and the message says so" {
	require_mlx5
	on_simulator || skip "the stand-in for CUDA makes dma-bufs of the simulator"
	session_begin
	cuda ms reg-dmabuf --from cuda:0 --quiet
	succeeded
	[[ $stderr == *"a cuda region is inert once this process has ended: use --hold"* ]]
	session_end
}
