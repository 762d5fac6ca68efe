#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# mrctl reg-dmabuf: regions of dma-bufs, by libibverbs, libmlx5 and the kernel's own interface.

load helpers
load dmabuf
load rows

setup() {
	note_less
	require_exporter
}

# ---- what is registered

# bats test_tags=kernel
@test "a udmabuf and a buffer of a dma-heap are registered by both paths, with an offset and no address" {
	require_mlx5
	for source in udmabuf heap:system; do
		for via in library kernel; do
			page=null call=ibv_reg_dmabuf_mr
			[ $source != udmabuf ] || page=4096
			[ $via = library ] || call='ioctl(REG_DMABUF_MR)'
			succeeded mr reg-dmabuf --from $source --json --size 64K --offset 8K \
				--iova 0x7000 --access local-write,remote-read --via $via
			json '.command == "reg-dmabuf" and .failures == [] and .environment.data_direct == null and
				(.regions | length == 1)'
			json '.regions[0] | .kind == "mr" and .memory == $source and .state == "deregistered" and
				.addr == null and .offset == 8192 and .length == 65536 and .iova == "0x7000" and
				.page_size == $page and .access_bits == "0x5" and .via == $via and .call == $call and
				.handle != null and .lkey != null and .rkey != null and .elapsed_ns > 0 and
				.dereg_elapsed_ns > 0' \
				--arg source $source --arg via $via --arg call "$call" --argjson page $page
		done
	done
}

# bats test_tags=slow
@test "a descriptor is inherited, and its dma-buf registered from the offset to its end" {
	require_mlx5
	for source in udmabuf heap:system; do
		values with_dmabuf $source 65536 "${MR[@]}" reg-dmabuf --from fd:9 -n -o memory,offset,length,iova <<-'END'
			| fd:9 0 65536 0x0
			--offset 4100 | fd:9 4100 61436 0x1004
			--offset 4K --iova 0x9000 --size 4K | fd:9 4096 4096 0x9000
			--count 2 | fd:9 0 4096 0x0 fd:9 4096 4096 0x1000
		END
		# nothing is left from the end on: one page is asked for, and refused
		refused EINVAL ibv_reg_dmabuf_mr with_dmabuf $source 65536 "${MR[@]}" reg-dmabuf --from fd:9 --offset 64K
		[[ $stderr == *"asked for 4096 bytes at 0x10000 of dma-buf fd:9"* ]]
	done
}

@test "several regions of one dma-buf follow one another, or have the same memory" {
	require_mlx5
	values ud -n -o offset,length,iova <<-'END'
		--size 4K --count 2 --stride 8K --offset 4K --iova 0x100000 | 4096 4096 0x100000 12288 4096 0x102000
		--count 2 --stride 0 | 0 4096 0x0 0 4096 0x0
		--offset 100 | 100 4096 0x64
		--size 5 | 0 5 0x0
	END
	run --separate-stderr ud --offset 8K
	grep -qx 'offset: *8192' <<<"$output"
	[[ $output != *addr:* ]]
	run --separate-stderr ud --count 2
	[[ ${lines[0]} == *OFFSET* && ${lines[0]} != *ADDR* ]]
}

# ---- what the stack refuses

@test "ranges within the dma-buf are registered, and a refusal has the request" {
	require_mlx5
	answers ud --buffer 8K <<-'END'
		ok - --size 8K
		ok - --size 4K --offset 4K --access none
		ok - --access local-write,remote-write,remote-read,remote-atomic,relaxed-ordering
		EINVAL ioctl(REG_DMABUF_MR) --offset 100 --iova 0 --via kernel
		EINVAL ibv_reg_dmabuf_mr --offset 100 --iova 0x10000
	END
	[[ $stderr == *"asked for 4096 bytes at 0x64 of dma-buf udmabuf, access local-write"* ]]
	[[ $stderr == *"and the I/O virtual address 0x10000"* ]]
	gives '.as_expected and .regions == [] and (.failures[0] | .errno == "EINVAL" and
		.call == "ibv_reg_dmabuf_mr" and .via == "library")' ud --size 0 --expect EINVAL
}

@test "a descriptor that is closed is refused with EBADF, also where mrctl would get its number" {
	require_mlx5
	# Numbers that mrctl itself would get for files that it opens.
	for fd in 4 5 6 7 8 9; do
		refused EBADF ibv_reg_dmabuf_mr bash -c 'exec 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-; exec "$@"' bash \
			"${MR[@]}" reg-dmabuf --from "fd:$fd"
	done
}

# bats test_tags=kernel
@test "ibv_reg_mr_ex does not pass -1 on" {
	require_mlx5
	[ "$(rdma_core)" -ge 59 ] || skip "rdma-core $(rdma_core) has no ibv_reg_mr_ex"
	exits 1 mr reg-dmabuf --from fd:-1 --call ibv_reg_mr_ex --json
	case $(jq -r '.failures[0].errno' <<<"$output") in
	EINVAL) json '.failures[0].causes[0].id == "MR-DESCRIPTOR-LIBRARY"' ;;
	# on a kernel without the method it makes the older call
	EBADF) json '.failures[0].causes[0].id == "MR-DESCRIPTOR"' ;;
	*) fail "$stderr" ;;
	esac
	refused EBADF ibv_reg_mr_ex mr reg-dmabuf --from fd:-2 --call ibv_reg_mr_ex
}

# ---- in a session

@test "in a session the region stays after the command and its descriptors have ended, and nothing of a refused one" {
	require_mlx5
	session_begin
	before=$(kernel_has mr)
	refused EINVAL ibv_reg_dmabuf_mr ms reg-dmabuf --from udmabuf --size 0
	[ -z "$(states)" ]
	succeeded ms reg-dmabuf --from udmabuf --size 64K --offset 4K --name win --json
	json '.session and (.regions[0] | .state == "live" and .offset == 4096)'
	ms reg-dmabuf --from heap:system --via kernel --name buf --quiet
	gives '.failures == [] and .totals.regions == 2 and .totals.unlisted == 0' ms stat
	json '.regions[0] | .name == "win" and .kind == "mr" and .state == "live" and
		.memory == "udmabuf" and .addr == null and .offset == 4096 and .iova == "0x1000" and
		.length == 65536 and .page_size == 4096 and .via == "library"'
	json '.regions[1] | .memory == "heap:system" and .page_size == null and .via == "kernel"'
	succeeded ms dereg win "lkey:$(ms stat -n -o lkey buf)" --json
	json '[.regions[] | .state, .offset] == ["deregistered", 4096, "deregistered", 0]'
	[ "$(kernel_has mr)" = "$before" ]
}

# ---- through the keys

ALL=local-write,remote-read,remote-write

# bats test_tags=kernel
@test "a peer reads and writes a udmabuf through the rkey, from the offset on, until it is deregistered" {
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
	addr=$((addr + 8192)) probe_refused range
	addr=$((addr - 4)) probe_refused range
	release
	run ! hca-probe "$key" "$addr"
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
		[ "$output" = $'0x00000002\n0x1234\n0x00001234' ] || fail "$source: $output"
	done
}

# ---- usage

@test "unknown sources, --buffer of a descriptor, and options of other commands are usage errors" {
	usage_errors reg-dmabuf <<-'END'
		--from x | --from: unknown dma-buf 'x'
		--size 4K | --from is required
		--from fd:0 --buffer 4K | --buffer requires a source that mrctl makes: the dma-buf of --from fd:0 exists
		--from udmabuf --memory anon | unknown option '--memory'
		--from udmabuf --call ibv_reg_mr | --call: 'ibv_reg_mr' does not support this request: give ibv_reg_dmabuf_mr or ibv_reg_mr_ex
	END
}
