#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# mrctl reg-dmabuf: regions of dma-bufs, by libibverbs, libmlx5 and the kernel's own interface.

load helpers
load dmabuf

setup() {
	note_less
	on_simulator || [ -e /dev/udmabuf ] || skip "this kernel makes no dma-bufs (no /dev/udmabuf)"
}

# ---- what is registered

# bats test_tags=kernel
@test "a udmabuf is registered, with its offset in place of an address" {
	require_mlx5
	run --separate-stderr ud --json --size 64K --offset 8K --access local-write,remote-read
	succeeded
	json '.command == "reg-dmabuf" and .failures == [] and .environment.data_direct == null'
	json '.regions | length == 1'
	json '.regions[0] | .kind == "mr" and .memory == "udmabuf" and .state == "deregistered" and
		.addr == null and .offset == 8192 and .length == 65536 and .iova == "0x2000" and
		.page_size == 4096 and .access_bits == "0x5" and .via == "library" and
		.lkey != null and .rkey != null and .elapsed_ns > 0 and .dereg_elapsed_ns > 0'
}

# bats test_tags=kernel
@test "a buffer of a dma-heap is registered" {
	require_mlx5
	run --separate-stderr mr reg-dmabuf --json --from heap:system --size 1M --iova 0x100000
	succeeded
	json '.regions[0] | .memory == "heap:system" and .length == 1048576 and .offset == 0 and
		.iova == "0x100000" and .page_size == null'
}

# bats test_tags=kernel
@test "a descriptor is inherited, and its dma-buf registered from the offset to its end" {
	require_mlx5
	for source in udmabuf heap:system; do
		run --separate-stderr with_dmabuf "$source" 65536 "${MR[@]}" reg-dmabuf --from fd:9 --json
		succeeded
		json '.regions[0] | .memory == "fd:9" and .length == 65536 and .offset == 0'
		run --separate-stderr with_dmabuf "$source" 65536 "${MR[@]}" reg-dmabuf --from fd:9 \
			--offset 4100 --json
		succeeded
		json '.regions[0] | .length == 61436 and .offset == 4100 and .iova == "0x1004"'
		run --separate-stderr with_dmabuf "$source" 65536 "${MR[@]}" reg-dmabuf --from fd:9 \
			--count 16 -n -o length
		succeeded
		[ "$(sort -u <<<"$output")" = 4096 ] && [ "${#lines[@]}" -eq 16 ]
	done
}

# bats test_tags=kernel
@test "the kernel registers a dma-buf without the library" {
	require_mlx5
	run --separate-stderr ud --via kernel --json --offset 4K --iova 0x7000
	succeeded
	json '.regions[0] | .via == "kernel" and .handle != null and .lkey != null and
		.offset == 4096 and .iova == "0x7000" and .length == 4096'
}

# bats test_tags=kernel
@test "several regions of one dma-buf follow one another, or have the same memory" {
	require_mlx5
	run --separate-stderr ud --size 4K --count 3 --stride 8K --offset 4K --iova 0x100000 \
		--name x -n -o name,offset,iova
	succeeded
	same_lines 'x.1 4096 0x100000' 'x.2 12288 0x102000' 'x.3 20480 0x104000'
	run --separate-stderr ud --size 4K --count 2 --stride 0 -n -o offset
	succeeded
	same_lines 0 0
}

same_lines() {
	diff <(printf '%s\n' "$@") <(tr -s ' ' <<<"$output") >&2
}

@test "lines and tables have the offset, and no empty address" {
	require_mlx5
	run --separate-stderr ud --offset 8K
	succeeded
	grep -qx 'offset: *8192' <<<"$output"
	[[ $output != *addr:* ]]
	run --separate-stderr ud --count 2
	succeeded
	[[ ${lines[0]} == *OFFSET* && ${lines[0]} != *ADDR* ]]
}

# ---- what the stack refuses

# bats test_tags=kernel
@test "a driver without dma-bufs answers EOPNOTSUPP" {
	on_mlx5 && skip "mlx5 has them"
	run --separate-stderr ud
	refused EOPNOTSUPP ibv_reg_dmabuf_mr
	run --separate-stderr ud --via kernel
	refused EOPNOTSUPP 'ioctl(REG_DMABUF_MR)'
}

# bats test_tags=kernel
@test "the I/O virtual address must have the page offset of the offset" {
	require_mlx5
	run --separate-stderr ud --offset 100 --iova 0x10000
	refused EINVAL ibv_reg_dmabuf_mr
	[[ $stderr == *"asked for 4096 bytes at 0x64 of dma-buf udmabuf, access local-write"* ]]
	[[ $stderr == *"and the I/O virtual address 0x10000"* ]]
	run --separate-stderr ud --iova 100
	refused EINVAL ibv_reg_dmabuf_mr
	run --separate-stderr ud --offset 100 --iova 0x10064 -n -o iova
	succeeded
	[ "$output" = 0x10064 ]
	run --separate-stderr ud --offset 100 --iova 0 --via kernel
	refused EINVAL 'ioctl(REG_DMABUF_MR)'
}

# bats test_tags=kernel
@test "the length need not be whole pages, but 0 is refused" {
	require_mlx5
	run --separate-stderr ud --size 5 -n -o length
	succeeded
	[ "$output" = 5 ]
	run --separate-stderr ud --size 0
	refused EINVAL ibv_reg_dmabuf_mr
}

# bats test_tags=kernel
@test "a range beyond the end of the dma-buf is refused" {
	require_mlx5
	for source in udmabuf heap:system; do
		run --separate-stderr mr reg-dmabuf --from "$source" --buffer 8K --size 8K --quiet
		succeeded
		for range in '--size 8193' '--size 4K --offset 8K' '--size 8K --offset 4K' \
			'--size max' '--size 4K --offset 0xfffffffffffff000'; do
			# shellcheck disable=SC2086 # words
			run --separate-stderr mr reg-dmabuf --from "$source" --buffer 8K $range
			refused EINVAL ibv_reg_dmabuf_mr
		done
	done
}

# bats test_tags=kernel
@test "a descriptor that is no dma-buf is refused with EINVAL, a closed one with EBADF" {
	require_mlx5
	run --separate-stderr mr reg-dmabuf --from fd:0 --size 4K </dev/zero
	refused EINVAL ibv_reg_dmabuf_mr
	# Numbers that mrctl itself would get for files that it opens.
	for fd in 4 5 6 7 8 9; do
		run --separate-stderr bash -c 'exec 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-; exec "$@"' bash \
			"${MR[@]}" reg-dmabuf --from "fd:$fd"
		refused EBADF ibv_reg_dmabuf_mr
	done
	run --separate-stderr mr reg-dmabuf --from fd:2147483647 --via kernel
	refused EBADF 'ioctl(REG_DMABUF_MR)'
}

# bats test_tags=kernel
@test "the stack gets the -1 of a failed export, and any other negative number" {
	local via

	# A driver without dma-bufs refuses before the kernel looks at the descriptor.
	for via in library kernel; do
		for fd in -1 -2 -2147483648; do
			run --separate-stderr mr reg-dmabuf --from "fd:$fd" --via $via --json
			[ "$status" -eq 1 ]
			json '.failures[0] | (.call | test("reg_dmabuf_mr"; "i")) and .via == $via and
				(.errno | IN("EBADF", "EOPNOTSUPP"))' --arg via $via
			! on_mlx5 || refused EBADF
		done
	done
	on_mlx5 || return 0
	run --separate-stderr mr reg-dmabuf --from fd:-1
	refused EBADF ibv_reg_dmabuf_mr
	[[ $stderr == *"the descriptor is -1"*"a failed export returns -1"* ]]
	run --separate-stderr mr reg-dmabuf --from fd:-7
	[[ $stderr == *"no file has a negative number"* && $stderr != *export* ]]
	run --separate-stderr mr reg-dmabuf --from fd:99 99>&-
	[[ $stderr == *"was closed when mrctl began"* ]]
	# The kernel checks these before the descriptor, and so does the simulator.
	run --separate-stderr mr reg-dmabuf --from fd:-1 --offset 1 --iova 0 --via kernel
	refused EINVAL 'ioctl(REG_DMABUF_MR)'
	[[ $stderr != *"the descriptor is"* ]]
	run --separate-stderr mr reg-dmabuf --from fd:-1 --access on-demand --via kernel
	refused EINVAL 'ioctl(REG_DMABUF_MR)'
}

# bats test_tags=kernel
@test "ibv_reg_mr_ex does not pass -1 on" {
	require_mlx5
	[ "$(rdma_core)" -ge 59 ] || skip "rdma-core $(rdma_core) has no ibv_reg_mr_ex"
	run --separate-stderr mr reg-dmabuf --from fd:-1 --call ibv_reg_mr_ex --json
	[ "$status" -eq 1 ]
	case $(jq -r '.failures[0].errno' <<<"$output") in
	EINVAL) json '.failures[0].causes[0].id == "MR-DESCRIPTOR-LIBRARY"' ;;
	# on a kernel without the method it makes the older call
	EBADF) json '.failures[0].causes[0].id == "MR-DESCRIPTOR"' ;;
	*) fail "$stderr" ;;
	esac
	run --separate-stderr mr reg-dmabuf --from fd:-2 --call ibv_reg_mr_ex
	refused EBADF ibv_reg_mr_ex
}

# bats test_tags=kernel
@test "dma-bufs accept five access flags, and no others" {
	require_mlx5
	run --separate-stderr ud --quiet \
		--access local-write,remote-write,remote-read,remote-atomic,relaxed-ordering
	succeeded
	run --separate-stderr ud --quiet --access none
	succeeded
	for flag in mw-bind zero-based on-demand hugetlb flush-global flush-persistent 0x8000 \
		0x20000000; do
		run --separate-stderr ud --access "local-write,$flag"
		refused EINVAL ibv_reg_dmabuf_mr
	done
	for flag in remote-write remote-atomic; do
		run --separate-stderr ud --access "$flag"
		refused EINVAL ibv_reg_dmabuf_mr
	done
}

# bats test_tags=kernel
@test "a refusal is a result, and may be the expected one" {
	require_mlx5
	run --separate-stderr ud --json --size 0 --expect EINVAL
	succeeded
	json '.as_expected and .regions == [] and (.failures[0] | .errno == "EINVAL" and
		.call == "ibv_reg_dmabuf_mr" and .via == "library")'
}

# ---- in a session

# bats test_tags=kernel
@test "in a session the region stays when the command and its descriptors have gone" {
	require_mlx5
	session_begin
	before=$(kernel_has mr)
	run --separate-stderr ms reg-dmabuf --from udmabuf --size 64K --offset 4K --name win --json
	succeeded
	json '.session and (.regions[0] | .state == "live" and .offset == 4096)'
	run --separate-stderr ms reg-dmabuf --from heap:system --via kernel --name buf --quiet
	succeeded
	run --separate-stderr ms stat --json
	succeeded
	json '.failures == [] and .totals.regions == 2 and .totals.unlisted == 0'
	json '.regions[0] | .name == "win" and .kind == "mr" and .state == "live" and
		.memory == "udmabuf" and .addr == null and .offset == 4096 and .iova == "0x1000" and
		.length == 65536 and .page_size == 4096 and .via == "library"'
	json '.regions[1] | .memory == "heap:system" and .page_size == null and .via == "kernel"'
	run --separate-stderr ms dereg win "lkey:$(ms stat -n -o lkey buf)" --json
	succeeded
	json '[.regions[] | .state, .offset] == ["deregistered", 4096, "deregistered", 0]'
	[ "$(kernel_has mr)" = "$before" ]
	session_end
}

@test "a refused region leaves nothing in the session" {
	session_begin
	run --separate-stderr ms reg-dmabuf --from udmabuf --size 0
	[ "$status" -eq 1 ]
	[ -z "$(ms stat -n)" ]
	session_end
}

@test "in a session without import the refusal is that of the kernel's interface" {
	on_mlx5 && skip "mlx5 imports"
	session_begin
	run --separate-stderr ms reg-dmabuf --from udmabuf
	refused EOPNOTSUPP 'ioctl(REG_DMABUF_MR)'
	session_end
}

# ---- through the keys

ALL=local-write,remote-read,remote-write

# probe_refused REASON ADDR: the device refuses the access, for this reason
probe_refused() {
	run --separate-stderr hca-probe "$key" "$2"
	[[ $status -eq 1 && $stderr == *"$1"* ]] || fail "exit status $status: $output" "$stderr"
}

# bats test_tags=kernel
@test "a peer reads and writes a udmabuf through the rkey, from the offset on, until it is gone" {
	require_probe
	hold reg-dmabuf --from udmabuf --buffer 16K --offset 4K --size 8K --iova 0x7000000000 \
		--access $ALL --hold -n -o rkey,iova
	read -r key addr <"$HOLD_OUT"
	[ "$((addr))" -eq $((0x7000000000)) ]
	for memory in /proc/"$HOLD_PID"/fd/*; do
		[[ $(readlink "$memory") != /memfd:mrctl* ]] || break
	done
	printf abcd | dd of="$memory" bs=4096 seek=1 conv=notrunc status=none
	[ "$(hca-probe "$key" "$addr")" = 0x64636261 ]
	hca-probe -w 0x78787878 "$key" $((addr + 4096))
	[ "$(dd if="$memory" bs=4096 skip=2 count=1 status=none | head -c 4)" = xxxx ]
	probe_refused range $((addr + 8192))
	probe_refused range $((addr - 4))
	release
	run ! hca-probe "$key" "$addr"
}

# bats test_tags=kernel
@test "a peer that may only read a dma-buf cannot write" {
	require_probe
	hold reg-dmabuf --from udmabuf --access remote-read --hold -n -o rkey,iova
	read -r key addr <"$HOLD_OUT"
	[ "$(hca-probe "$key" "$addr")" = 0x00000000 ]
	run --separate-stderr hca-probe -w 1 "$key" "$addr"
	[[ $status -eq 1 && $stderr == *access* ]]
	release
}

# bats test_tags=kernel
@test "without remote access no peer gets at a dma-buf, but the HCA does by the lkey" {
	require_probe
	hold reg-dmabuf --from heap:system --hold -n -o lkey,iova
	read -r key addr <"$HOLD_OUT"
	probe_refused access "$addr"
	hca-probe -l -w 0x1234 "$key" "$addr"
	[ "$(hca-probe -l "$key" "$addr")" = 0x00001234 ]
	release
}

# bats test_tags=kernel
@test "a peer reads and writes an inherited dma-buf, also when only a session has it" {
	require_probe
	session_begin
	for source in udmabuf heap:system; do
		run with_dmabuf "$source" 16384 bash -e -c '
			read -r key addr < <(mrctl reg-dmabuf --from fd:9 --access "$0" -n -o rkey,iova)
			hca-probe "$key" $((addr + 0x2000))
			hca-probe -w 0x1234 "$key" $((addr + 0x3000))
			dmabuf-tool word 9 0x3000
			exec 9>&-
			hca-probe "$key" $((addr + 0x3000))
			mrctl dereg --all --quiet
			! hca-probe "$key" $((addr + 0x3000)) 2>/dev/null' $ALL
		[ "$status" -eq 0 ] || fail "$source: $output"
		same_lines 0x00000002 0x1234 0x00001234
	done
	session_end
}

# ---- usage

@test "an unknown source is a usage error" {
	run --separate-stderr mr reg-dmabuf --size 4K
	usage_error "reg-dmabuf: --from is required"
	for source in '' x fd fd: fd:x fd:- fd:--1 fd:-x fd:-1x fd:2147483648 fd:-2147483649 fd:1x udmabuf:1 udmabuf: heap heap: \
		heap:a/b cuda cuda: cuda:x \
		cuda:-1; do
		run --separate-stderr mr reg-dmabuf --from "$source"
		usage_error "--from: "
	done
}

@test "--buffer is a usage error for a dma-buf that is given as a descriptor" {
	run --separate-stderr mr reg-dmabuf --from fd:0 --buffer 4K
	usage_error "--buffer: the dma-buf of --from fd:0 is made already"
}

@test "options for memory of the process are usage errors" {
	for option in '--memory anon' '--addr 0' --populate '--numa 0'; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr mr reg-dmabuf --from udmabuf $option
		usage_error "unknown option '${option% *}'"
	done
}
