#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# mrctl reg-dmabuf --data-direct: through the Data Direct device, and without one.

load helpers
load dmabuf
load rows
load why

# require_dmabuf: skips on rxe, and where no dma-buf can be made
require_dmabuf() {
	require_mlx5
	require_exporter
}

teardown() {
	on_simulator || detach
	tidy
}

# The Data Direct function of a guest's HCA, and its driver
FUNCTION=0000:00:11.0
ON_KERNEL=/usr/lib/mrctl-guest/data-direct

# attach: gives the HCA its Data Direct function; on the simulator for each mrctl from now on
attach() {
	if on_simulator; then
		export MRCTL_SIM_DATA_DIRECT=1
	else
		"$ON_KERNEL" bind
	fi
}

# detach: takes it away
detach() {
	if on_simulator; then
		unset MRCTL_SIM_DATA_DIRECT
	else
		"$ON_KERNEL" unbind
	fi
}

# require_function: skips unless the HCA has such a function
require_function() {
	require_dmabuf
	if on_simulator; then
		[ "${MRCTL_TEST_KERNEL:-}" != 6.1 ] || skip "that kernel knows no Data Direct"
	else
		[ -e /sys/bus/pci/devices/$FUNCTION ] || skip "this HCA has no such function"
		[ "${MRCTL_TEST_HCA:-}" != other-data-direct ] || skip "the function is not that of this HCA"
	fi
	VIA=library
	[ "$(rdma_core)" -ge 54 ] || VIA=kernel
}

# path_of_function: prints its folder in /sys
path_of_function() {
	if on_simulator; then
		echo /sys/devices/pci0000:00/0000:00:1d.0/0000:02:00.0
	else
		realpath /sys/bus/pci/devices/$FUNCTION
	fi
}

# bats test_tags=kernel
@test "without a Data Direct device the kernel answers EINVAL, after it has checked for a page boundary" {
	require_dmabuf
	answers ud --data-direct <<-'END'
		EINVAL ioctl(REG_DMABUF_MR) --via kernel
		EOPNOTSUPP ioctl(REG_DMABUF_MR) --via kernel --offset 64
	END
	if [ "$(rdma_core)" -ge 54 ]; then
		answers ud --data-direct <<-'END'
			EINVAL mlx5dv_reg_dmabuf_mr
			EOPNOTSUPP mlx5dv_reg_dmabuf_mr --offset 64
		END
		return
	fi
	# before the dma-buf is looked at
	refused ENOSYS mlx5dv_reg_dmabuf_mr mr reg-dmabuf --from fd:0 --size 4K --data-direct --json --expect EINVAL </dev/null
	[[ $stderr == *"libmlx5.so.1 lacks the function"*"install rdma-core 54 or later; --via kernel works without it"* ]]
	json '.failures[0] | .call == "mlx5dv_reg_dmabuf_mr" and .errno == "ENOSYS" and .via == null'
}

# bats test_tags=kernel
@test "libmlx5 answers EOPNOTSUPP to Data Direct on a device of another provider" {
	on_mlx5 && skip "this one is"
	require_exporter
	[ "$(rdma_core)" -ge 54 ] || skip "rdma-core before release 54 has no mlx5dv_reg_dmabuf_mr"
	refused EOPNOTSUPP mlx5dv_reg_dmabuf_mr ud --data-direct
}

# ---- through the Data Direct function

# bats test_tags=kernel
@test "the function's path is shown, by libmlx5 as by the kernel; without the function there is none" {
	require_function
	path=$(path_of_function)
	attach
	for via in kernel "$VIA"; do
		succeeded ud --size 64K --access local-write,remote-read --data-direct --via "$via" --verify
		grep -qx "data_direct: *$path" <<<"$output"
		succeeded ud --size 64K --via "$via" --json # without the option, too
		json '.environment.data_direct == $path and (.regions | length == 1)' --arg path "$path"
	done
	if [ "$(rdma_core)" -lt 54 ]; then
		run --separate-stderr ud --json
		json '.environment.data_direct == null' # this libmlx5 cannot tell it
	fi
	detach
	shows '.environment.data_direct == null' ud --size 64K --via kernel
}

# bats test_tags=kernel
@test "a peer reads and writes a dma-buf through Data Direct, with relaxed ordering and without" {
	require_probe
	require_function
	attach
	session_begin
	for source in udmabuf heap:system; do
		for relaxed in "" ",relaxed-ordering"; do
			run with_dmabuf $source 65536 bash -e -c '
				read -r key addr < <(mrctl reg-dmabuf --from fd:9 --data-direct --via "$1" \
					--access "$0" --iova 0x40000 -n -o rkey,iova)
				hca-probe "$key" "$addr"
				hca-probe "$key" $((addr + 0x8000))
				hca-probe -w 0x1234 "$key" $((addr + 0xfffc))
				dmabuf-tool word 9 0xfffc
				hca-probe --route "$key" "$addr"
				hca-probe -l --route "$key" $((addr + 0x4000))
				! hca-probe "$key" $((addr + 0x10000)) 2>&1
				! hca-probe "$key" $((addr - 4)) 2>&1
				exec 9>&-
				hca-probe "$key" $((addr + 0xfffc))
				mrctl dereg --all --quiet
				! hca-probe "$key" "$addr" 2>/dev/null' \
				local-write,remote-read,remote-write$relaxed "$VIA"
			[ "$status" -eq 0 ] || fail "$source: $output"
			route=data-direct
			# mlx5_ib of 6.12 has no key of the function with relaxed ordering, and drops the flag
			[ -z "$relaxed" ] || [[ $(uname -r) == 6.12.* ]] || route+=" relaxed"
			[ "$output" = "$(printf '%s\n' 0x00000000 0x00000008 0x1234 "$route" "$route" \
				"hca-probe: range" "hca-probe: range" 0x00001234)" ] || fail "$source: $output"
			observed "Data Direct, $source$relaxed: the data's way" "$route"
		done
	done
	# without it the same memory goes through the HCA's own function
	read -r key addr < <(ms reg-dmabuf --from heap:system --size 64K --access remote-read -n -o rkey,iova)
	[ "$(hca-probe --route "$key" "$addr")" = hca ]
}

# dd [ARG...]: registers a buffer of 64K through Data Direct, in the session
dd() {
	ms reg-dmabuf --from heap:system --size 64K --data-direct --via "$VIA" \
		--access local-write,remote-read,remote-write "$@"
}

# reads KEY ADDR WORD: a peer reads this word there; where nobody can be asked that is true
reads() {
	on_simulator || [ "$(hca-probe "$1" "$2")" = "$3" ]
}

# bats test_tags=kernel
@test "regions of Data Direct share memory and are independent, for all processes of a session" {
	require_function
	attach
	session_begin
	with_dmabuf udmabuf 131072 bash -e -c '
		mrctl reg-dmabuf --from fd:9 --size 64K --data-direct --via "$0" --access "$1" --name low --quiet
		mrctl reg-dmabuf --from fd:9 --data-direct --via "$0" --access "$1" --name all --quiet' \
		"$VIA" local-write,remote-read,remote-write
	# their process has ended
	read -r first addr < <(ms stat low -n -o rkey,iova)
	read -r second addr < <(ms stat all -n -o rkey,iova)
	[ "$first" != "$second" ]
	reads "$first" $((addr + 0x8000)) 0x00000008
	reads "$second" $((addr + 0x18000)) 0x00000018
	on_simulator || hca-probe -w 0x5678 "$first" "$addr"
	ms dereg low --quiet
	on_simulator || run ! hca-probe "$first" "$addr"
	reads "$second" "$addr" 0x00005678
	[ "$(ms stat -n -o name,state)" = "all live" ]
	ms dereg all --quiet
	on_simulator || run ! hca-probe "$second" "$addr"
}

# bats test_tags=kernel
@test "a window on a region of Data Direct goes by its function, and keeps the region" {
	require_probe
	require_function
	echo "mrctl-test: expect umr" >/dev/kmsg
	attach
	session_begin
	dd --name a --quiet
	read -r handle lkey addr < <(ms stat a -n -o handle,lkey,iova)
	read -r window key < <(tool window "$handle" "$lkey" $((addr + 0x1000)) 0x1000)
	hca-probe -w 0x1234 "$key" $((addr + 0x1000))
	[ "$(hca-probe "$lkey" $((addr + 0x1000)))" = 0x00001234 ]
	[ "$(hca-probe --route "$key" $((addr + 0x1000)))" = data-direct ]
	[ "$(hca-probe "$key" "$addr" 2>&1 || :)" = "hca-probe: range" ]
	refused EBUSY "ioctl(MR_DESTROY)" ms dereg a
	observed "Data Direct: a window on a region" "goes by data-direct; dereg of the region: EBUSY"
	tool free-window "$window"
	run ! hca-probe "$key" $((addr + 0x1000))
	ms dereg a --quiet
}

@test "an IOVA off a page boundary, one that is not the offset's, and on-demand paging are refused" {
	require_function
	attach
	answers mr reg-dmabuf --from heap:system --size 64K --data-direct --via kernel <<-'END'
		ok - --offset 0x1000 --iova 0x101000
		EOPNOTSUPP ioctl(REG_DMABUF_MR) --offset 0x800 --iova 0x100800
		EINVAL ioctl(REG_DMABUF_MR) --offset 0x1000 --iova 0x100800
		EINVAL ioctl(REG_DMABUF_MR) --access on-demand
		ENOENT ioctl(ADVISE_MR) --advise prefetch
	END
	refused_because MR-DMABUF-RANGE certain mr reg-dmabuf --from udmabuf --size 8K --buffer 4K \
		--data-direct --via "$VIA" --json
	json '.failures[0] | .errno == "EINVAL" and (.ruled_out | any(.id == "MR-DATA-DIRECT"))'
}

@test "rereg of a region of Data Direct is refused, and leaves it as it was" {
	require_function
	attach
	session_begin
	dd --name a --quiet
	row=$(ms stat -n a)
	for what in "--memory anon --size 64K" "--pd other" "--access local-write"; do
		refused_because MR-REREG-IN-PLACE certain ms rereg a $what --json
		json '.failures[0] | .errno == "EOPNOTSUPP" and .call == "ioctl(REREG_MR)" and .old_region == "valid"'
		[ "$(ms stat -n a)" = "$row" ]
	done
	# not EACCES, as of other regions that were registered for reading
	ms reg-dmabuf --from heap:system --data-direct --via "$VIA" --access remote-read --name b --quiet
	refused EOPNOTSUPP "ioctl(REREG_MR)" ms rereg b --access local-write
}

# bats test_tags=kernel
@test "once the function is unbound its regions are inert, and stay so when it is bound again" {
	require_function
	attach
	session_begin
	read -r key addr < <(dd --name a -n -o rkey,iova)
	dd --name b --quiet
	ms reg --name c --size 4K --quiet
	[ "$(ms stat -n -o name,state | tr -s ' \n' ' ')" = "a live b live c live " ]
	detach
	succeeded ms stat -n -o name,state
	[ "$(tr -s ' \n' ' ' <<<"$output")" = "a inert b inert c live " ]
	[[ $stderr == *"2 regions are inert: the driver of the Data Direct function was unbound"* ]]
	if ! on_simulator; then
		run ! hca-probe "$key" "$addr"
		refused_because MR-DATA-INERT certain ms verify a --access remote-read --at 0 --json
	fi
	refused_because MR-DATA-DIRECT certain ms reg-dmabuf --from heap:system --size 64K --data-direct \
		--via "$VIA" --json
	json '.failures[0] | .errno == "EINVAL" and .causes[0].evidence.data_direct == "none"'
	ms dereg b --quiet
	attach
	if ! on_simulator; then # which does not note by which binding a region was registered
		run ! hca-probe "$key" "$addr"
		outputs inert ms stat a -n -o state
		[[ $stderr == *"1 region is inert: the driver"* ]]
		observed "Data Direct: a region whose function was unbound and bound again" "its key stays free"
	fi
	ms dereg a --quiet
	dd --name d --quiet
	[ "$(ms stat c d -n -o name,state | tr -s ' \n' ' ')" = "c live d live " ]
	session_end
}

# bats test_tags=kernel
@test "an HCA without such a function, or with one of another id, registers nothing by Data Direct" {
	case ${MRCTL_TEST_HCA:-} in
	other-data-direct) attach ;;
	no-data-direct) [ ! -e /sys/bus/pci/devices/$FUNCTION ] ;;
	*) skip "needs such an HCA" ;;
	esac
	refused_because MR-DATA-DIRECT certain mr reg-dmabuf --from heap:system --size 64K --data-direct --json
	json '.failures[0].errno == "EINVAL" and .environment.data_direct == null'
	succeeded mr reg-dmabuf --from heap:system --size 64K --json
}
