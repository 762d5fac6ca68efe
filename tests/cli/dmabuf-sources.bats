#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Where the dma-bufs of reg-dmabuf come from: udmabuf, heaps, GPUs.

load helpers
load dmabuf

setup() {
	note_less
	require_exporter
}

# bats test_tags=kernel
@test "the host's refusals to make a dma-buf name the call and the remedy" {
	fails "cannot use '/dev/dma_heap/nowhere': open: ENOENT (" mr reg-dmabuf --from heap:nowhere
	[[ $stderr == *"this machine has "*"dma-heaps"* ]]
	exits 1 ud --buffer 1G --json --expect EINVAL
	[[ $stderr == *"cannot make a udmabuf of 1073741824 bytes: ioctl(UDMABUF_CREATE): EINVAL ("* ]]
	on_simulator || [[ $stderr == *"at most "*" MiB [certain, MR-UDMABUF-SIZE]"* ]]
	json '.regions == [] and (.failures[0] | .call == "ioctl(UDMABUF_CREATE)" and .via == null)'
	fails "ftruncate: E" ud --size max
	for size in '--buffer 1P' '--size max'; do
		exits 1 mr reg-dmabuf --from heap:system --json $size
		[[ $stderr == *"a dma-heap cannot give "*" bytes: this machine has "* ]]
		json '.failures[0].errno == "ENOMEM"'
	done
}

# bats test_tags=kernel
@test "a user who may not open /dev/udmabuf is shown its owner" {
	on_simulator && skip "there any user may"
	fails "cannot use /dev/udmabuf: open: EACCES (" mr_as_nobody 1024 reg-dmabuf --from udmabuf
	[[ $stderr == *"/dev/udmabuf has mode 0"*", user 0 and group "*", and this is user 65534 [certain, MR-UDMABUF]"* ]]
}

# ---- memory of a GPU

@test "without a CUDA driver, or with one that lacks a function, the message names what is missing" {
	! ldconfig -p | grep -q 'libcuda\.so\.1' || skip "this machine has one"
	fails "no CUDA driver: dlopen: libcuda.so.1: cannot open shared object file" mr reg-dmabuf --from cuda:0 --json
	[[ $stderr == *"comes with the driver of NVIDIA's GPUs"*"[certain, MR-GPU-DRIVER]"* ]]
	json '.failures[0] | .errno == "ENODEV" and .via == null'
	exits 1 mr -j bench --memory cuda:0 --sizes 4K,64K --count 1
	json '.failures | length == 1 and .[0].call == "dlopen" and .[0].causes[0].id == "MR-GPU-DRIVER"'
	stand_in - <<<'int cuGetErrorName;'
	cuda mr reg-dmabuf --from cuda:0
	[ "$status" -eq 1 ]
	[[ $stderr == *"the installed libcuda.so.1 lacks the function: cuInit: ENOSYS ("*"CUDA 11.7 and later"*"lacks the function cuInit [certain, MR-GPU-DRIVER]"* ]]
}

# stand_in [FILE]: compiles a driver that stands in for CUDA's; the usual one makes dma-bufs of the simulator
stand_in() {
	command -v "${CC:-cc}" >/dev/null || skip "no compiler"
	"${CC:-cc}" -shared -fPIC -o "$BATS_TEST_TMPDIR/libcuda.so.1" -x c "${1:-$BATS_TEST_DIRNAME/preload/cuda.c}"
}

# cuda ARG...: `run`s mrctl with that driver
cuda() {
	LD_LIBRARY_PATH=$BATS_TEST_TMPDIR run --separate-stderr "$@"
}

@test "memory of a GPU is exported, registered and freed, and needs its process" {
	require_mlx5
	stand_in
	cuda mr reg-dmabuf --from cuda:0 --size 100K --json
	succeeded
	json '.regions[0] | .memory == "cuda:0" and .length == 102400 and .page_size == null and .needs_process == true'
	[[ $stderr == $'cuda: export 102400 bytes, flags 0\ncuda: free 0x7f0000200000\ncuda: release 40' ]]
	# For Data Direct the memory is exported for access over PCIe.
	cuda mr reg-dmabuf --from cuda:0 --data-direct --via kernel
	refused EINVAL 'ioctl(REG_DMABUF_MR)'
	[[ $stderr == *"flags 1"*"cuda: free"* ]]
	cuda mr umem --dmabuf cuda:0 --try-page-sizes --json
	succeeded
	json '.regions[0] | .answer == "ok" and .needs_process == true'
	session_begin
	cuda ms reg-dmabuf --from cuda:0 --quiet
	succeeded
	[[ $stderr == *"a cuda region is inert once this process has ended: use --hold"* ]]
}

@test "memory of a GPU is registered by its address: a missing module is the cause, and unsupported options are refused" {
	require_mlx5
	stand_in
	cuda mr reg --memory cuda:0 --size 100K --json
	refused EFAULT ibv_reg_mr
	json '.failures[0].causes[0] | .id == "MR-PEER-MEMORY" and .certainty == "certain" and .evidence.file == "cuda:0"'
	[[ $stderr == *$'cuda: free 0x7f0000200000\ncuda: release 40' && $stderr != *"cuda: export"* ]]
	cuda mr reg --memory cuda:0 --access local-write,on-demand --offset 512 --json
	succeeded
	json '.regions[0] | .memory == "cuda:0" and .addr == "0x7f0000200200" and .needs_process == true'
	CUDA_FAIL=cuMemAlloc:2 cuda mr reg-iova --memory cuda:0 --iova 0 --json
	[ "$status" -eq 1 ]
	json '.failures[0] | .call == "cuMemAlloc" and .errno == "ENOMEM"'
	for option in --populate "--numa 0" "--addr 0x10000"; do
		cuda mr reg --memory cuda:0 $option
		usage_error "${option%% *}"
	done
	cuda mr bench --memory cuda:0 --sizes 64K --count 3 --access local-write,on-demand --json
	succeeded
	json '.rows[0] | .memory == "cuda:0" and .p50_ns > 0'
	session_begin
	ms reg --name a --access local-write,on-demand --quiet
	cuda ms rereg a --memory cuda:0 --size 8K
	[[ $status -eq 0 && $stderr == *"a cuda region is inert once this process has ended"* ]] || fail "$stderr"
	shows '.regions[0] | .addr == "0x7f0000200000" and .state == "inert"' ms stat
}

@test "a failing step of CUDA has its cause" {
	stand_in
	for row in 'cuInit:100 cuda:0|the kernel module nvidia is not loaded [likely, MR-GPU-DRIVER]' \
		'none:0 cuda:9|CUDA has no GPU with that number; CUDA_VISIBLE_DEVICES is 2 [certain, MR-GPU-NUMBER]' \
		'cuMemAlloc:2 cuda:0|the GPU has no 64 KiB of memory free [certain, MR-GPU-FULL]' \
		'cuMemGetHandleForAddressRange:801 cuda:0|exports no memory of this GPU as a dma-buf [likely, MR-GPU-EXPORT]' \
		'cuMemGetHandleForAddressRange:801 cuda:0 --data-direct|for PCIe, which Data Direct requires [likely, MR-GPU-EXPORT]'; do
		[[ $row != *'module nvidia'* || ! -e /sys/module/nvidia ]] || continue
		source=${row#* } source=${source%%|*}
		CUDA_VISIBLE_DEVICES=2 CUDA_FAIL=${row%% *} cuda mr reg-dmabuf --size 64K --from $source
		[ "$status" -eq 1 ]
		[[ $stderr == *"because: "*"${row#*|}"* ]] || fail "$row" "$stderr" || return
	done
}

@test "a failing step of CUDA is reported with its CUresult, and with the steps before it" {
	before=''
	stand_in
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
	for row in 1:EINVAL 2:ENOMEM 100:ENODEV 101:ENODEV 801:EOPNOTSUPP 999:EIO; do
		CUDA_FAIL=cuMemAlloc:${row%:*} cuda mr reg-dmabuf --from cuda:0 --json
		[ "$status" -eq 1 ]
		json '.failures[0] | .call == "cuMemAlloc" and .errno == $errno' --arg errno "${row#*:}"
	done
	[[ $stderr == *"cuMemAlloc: unknown CUresult (CUresult 999)"* ]]
	on_mlx5 || return 0
	cuda mr -v reg-dmabuf --from cuda:0
	[[ $stderr == *"mrctl: reg-dmabuf: $before"* ]]
}
