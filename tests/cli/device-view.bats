#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# mrctl stat --device: what a device can do.  What ibv_devinfo shows of it must not be missing.

load helpers
load hosts
load why

# view: sets DEVICE to the JSON of the device under test
view() {
	run --separate-stderr mr -j stat --device
	[ "$status" -eq 0 ] || fail "status $status" "$stderr" || return
	DEVICE=$(jq '.devices[0]' <<<"$output")
}

# is EXPRESSION: it is true of the device
is() {
	jq -e "$1" >/dev/null <<<"$DEVICE" || fail "not $1"
}

# devinfo: prints "KEY VALUE" for each value of ibv_devinfo -v, and "HEADING FLAG" for each flag
devinfo() {
	"${SIM[@]}" ibv_devinfo -v -d "$(device)" | awk '
		/^\t\t\t\t\t/ { sub(/^\t*/, ""); print heading " " $0; next }
		/:/ { heading = $0; gsub(/^\t*|:.*/, "", heading); sub(/^[^:]*:\t*/, ""); print heading " " $0 }'
}

# shown KEY: prints what ibv_devinfo shows of it, one a line
shown() {
	sed -n "s/^$1 //p" <<<"$INFO"
}

# bats test_tags=kernel
@test "values about memory equal those of ibv_devinfo -v" {
	view
	INFO=$(devinfo)
	[ "$(wc -l <<<"$INFO")" -gt 60 ]
	while read -r key member; do
		shown=$(shown "$key" | head -n 1)
		[ -n "$shown" ] || continue # older releases show less
		# with all digits, of which some releases of jq drop the last ones
		value=$(sed -n "s/.*\"${member:-$key}\":\"\{0,1\}\([0-9a-fx]*\).*/\1/p" <<<"$output")
		[ "$(printf '%u' "$value")" = "$(printf '%u' "$shown")" ] || fail "$key: $value, not $shown" || return
	done <<-'EOT'
		vendor_id
		vendor_part_id
		hw_ver hw_version
		max_mr_size
		page_size_cap
		max_mr
		max_pd
		max_mw
		max_qp
		max_cq
		max_srq
		max_fmr
		max_raw_ethy_qp
		device_cap_flags_ex device_cap_flags
	EOT
	for key in node_guid sys_image_guid board_id; do
		value=$(shown $key)
		[ -z "$value" ] || is ".$key == \"$value\"" || return
	done
	value=$(shown fw_ver)
	is ".firmware == \"$value\" or (.firmware == null and \"$value\" == \"0.0.0\")"
	value=$(shown atomic_cap | sed 's/^ATOMIC_//; s/ .*//; s/GLOB$/GLOBAL/')
	is ".atomic_cap == \"${value,,}\""
	is ".ports | length == $(shown phys_port_cnt)"
	is ".ports[0] | \"PORT_\" + .state == \"$(shown state | cut -d' ' -f1)\" and .lid == $(shown port_lid) and
		.link_layer == \"$(shown link_layer)\""
	value=$(shown 'device_cap_flags\(_ex\)\{0,1\}')
	is ".memory_windows | join(\" \") == \"$(sed -n 's/^MEM_WINDOW$/1/p; s/^MEM_WINDOW_TYPE_//p' <<<"$value" |
		tr '[:upper:]' '[:lower:]' | sort -u | paste -sd' ')\""
	is "(.capabilities | index(\"mem-mgt-extensions\") != null) == $([[ $value == *MEM_MGT* ]] && echo true || echo false)"
	value=$(shown 'maximum available device memory')
	is ".max_dm_size == $((${value%Bytes}))"
	for key in general rc uc ud xrc; do
		value=$(shown ${key}_odp_caps | sed -n 's/^ODP_SUPPORT$/explicit/p; s/^ODP_SUPPORT_//p; s/^SUPPORT_//p' |
			sed 's/SRQ/srq-recv/; s/_/-/' | tr '[:upper:]' '[:lower:]' | paste -sd' ')
		is ".odp.$key | join(\" \") == \"$value\"" || return
	done
}

# bats test_tags=kernel
@test "the device is identified, with whether this user may open it; numbers of objects are those of the kernel" {
	view
	is ".name == \"$(device)\" and .node_opens and .node_error == null and (.ports | length) == 1"
	is '.node | startswith("/dev/infiniband/uverbs")'
	is ".provider == \"$(on_mlx5 && echo mlx5 || echo rxe)\" and .devx == $(on_mlx5 && echo true || echo false)"
	[ "$(jq .environment.rdma_core <<<"$output")" = "$(jq .rdma_core <<<"$DEVICE")" ]
	[ "$(jq .environment.kernel <<<"$output")" = "$(jq .kernel <<<"$DEVICE")" ]
	! on_simulator || return 0 # which does not count
	before=$(jq -c .objects <<<"$DEVICE")
	view
	[ "$before" = "$(jq -c .objects <<<"$DEVICE")" ]
	is '.mr_used == 0'
	hold reg --count 3 --hold
	view
	is '.mr_used == 3 and (.objects[] | select(.type == "mr") | .used == 3 and .max > 3)'
	is '[.objects[].type] | index("pd") and index("cq") and index("qp") and index("ctx")'
	is '.objects[] | select(.type == "pd") | .used >= 1'
	release
}

# failed COMMAND: prints how often the firmware has refused it
failed() {
	view
	jq --arg command "$1" '.commands[] | select(.command == $command).failed' <<<"$DEVICE"
}

# bats test_tags=kernel
@test "mlx5's commands are counted where root may read debugfs, and the last refusal is shown by name" {
	need_kernel
	if ! on_mlx5; then
		view
		is '.commands == null and .commands_error == null'
		return
	fi
	[ -e /sys/kernel/debug/mlx5 ] || skip "no debugfs"
	before=$(failed CREATE_UMEM)
	hca-probe --fail CREATE_UMEM=LIM_ERR # for an MR the driver may have a key at hand
	run mr -q umem
	hca-probe --fail none
	[ "$status" -eq 1 ]
	[ "$(failed CREATE_UMEM)" -eq $((before + 1)) ]
	view
	is '.commands[] | select(.command == "CREATE_UMEM") | .n != null and .last_status == "LIM_ERR" and
		.last_syndrome != null and .last_errno == "EREMOTEIO"'
	is '.pci_address != null and .driver == "mlx5_core" and .fw_pages != null and .reg_pages != null'
}

@test "no line of the text is wider than 80 columns, and a device that is named twice is shown once" {
	[ "$("${SIM[@]}" mrctl -n -o name stat --device "$(device)" "$(device)")" = "$(device)" ]
	mr stat --device >"$BATS_TEST_TMPDIR/text"
	run ! grep -E '.{81}' "$BATS_TEST_TMPDIR/text"
	grep -qx 'limits:' "$BATS_TEST_TMPDIR/text"
	grep -qx 'on-demand paging:' "$BATS_TEST_TMPDIR/text"
	grep -Eqx '  page_sizes: +4K\.\.(8E|2G)' "$BATS_TEST_TMPDIR/text"
}

@test "a device is named by an operand or by -d, and one that does not exist has exit status 3" {
	exits 3 "${SIM[@]}" mrctl stat --device other0
	[[ $stderr == *"no RDMA device 'other0'"*"devices: $(device)"* ]]
	exits 1 "${SIM[@]}" mrctl -j stat --device other0 "$(device)"
	json "[.devices[].name] == [\"$(device)\"] and .failures[0].errno == \"ENODEV\""
	exits 2 "${SIM[@]}" mrctl -d "$(device)" stat --device "$(device)"
	exits 3 "${SIM[@]}" mrctl -j stat --device ../../etc
	json '.devices == []'
}

@test "on a machine without RDMA the exit status is 1, and the message has the remedy" {
	mkdir -p "$BATS_TEST_TMPDIR/none"
	exits 1 "${SIM[@]}" env SYSFS_PATH="$BATS_TEST_TMPDIR/none" mrctl -j stat --device
	json '.devices == [] and (.failures | length) == 1'
	[[ $stderr == *"this machine has no RDMA device"*"install an adapter"*"mrctl sim"* ]]
}

@test "a device that cannot be opened shows all facts from sysfs, and the reason" {
	copy_sysfs
	mv "$NODES"/uverbs* "$NODES/uverbs199"
	exits 1 mr -j stat --device
	json ".devices[0] | .name == \"$(device)\" and .node_guid != null and .max_mr == null and
		.node_opens == false and .node_error == \"ENOENT\" and (.ports | length) == 1 and
		.devx == null and .dmabuf == null and .odp.rc == null"
	json '.failures[0].errno == "ENODEV"'
	[[ $stderr == *"the node of the RDMA device $(device) is missing"* ]]
	run mr stat --device
	[[ $output == *"dmabuf:            unknown (mrctl stat --probe tries it)"* ]]
	# as does one whose node is closed to this user
	exits 1 faulty open=EACCES -j stat --device
	json '.devices[0] | .node_guid != null and .max_mr == null and .node_opens == false and
		.node_error == "EACCES"'
}

@test "hostile values of sysfs are escaped, and stop nothing" {
	copy_sysfs
	# shellcheck disable=SC2153 # of copy_sysfs
	FILES=$DEVICES/$(device)
	: >"$FILES/fw_ver"
	printf 'mrctl simulated HCA \033[31m\377' >"$FILES/node_desc"
	head -c 3000000 /dev/zero | tr '\0' x >"$FILES/sys_image_guid"
	printf '\\200\\377%.0s' {1..2500} >"$FILES/ports/1/rate"
	rm "$FILES/node_type" "$FILES/ports/1/phys_state"
	printf '99999999999999999999\n' >"$FILES/fw_pages"
	printf -- '-1\n' >"$FILES/reg_pages"
	mkdir -p "$FILES/ports"/{0,256,x,10,2,-3}
	mkfifo "$FILES/ports/2/state"
	run --separate-stderr timeout 60 "${MR[@]}" -j stat --device
	[ "$status" -eq 0 ] || fail "$stderr"
	json '.devices[0] | .firmware == null and .node_type == null and .fw_pages == null and
		.reg_pages == null and [.ports[].port] == [1, 2, 10] and .ports[1].state == null and
		.ports[0].phys_state == null and (.sys_image_guid | length) < 40'
	run timeout 60 "${MR[@]}" -v stat --device
	[ "$status" -eq 0 ]
	[[ $output == *'mrctl simulated HCA \x1b[31m\xff'* && $output != *$'\033'* ]]
}

@test "a device that goes away meanwhile is a failure, not a crash" {
	copy_sysfs
	rm -r "${DEVICES:?}/$(device)"/*
	run --separate-stderr timeout 60 "${MR[@]}" -j stat --device
	[ "$status" -le 1 ]
	json ".devices[0].name == \"$(device)\" and .devices[0].ports == []"
}

@test "a call that fails leaves the rest of the answer" {
	exits 1 faulty query_device=EIO -j stat --device
	json '.devices[0] | .max_mr == null and .node_guid != null and .odp.rc == null and .dmabuf != null'
	json '.failures[0] | .call == "ibv_query_device_ex" and .errno == "EIO"'
	[[ $stderr == *"$(device)"*ibv_query_device_ex* ]]
}

@test "metrics and tables have the device's values" {
	exits 0 mr stat --device --format openmetrics
	[[ $output == *"mrctl_device_mr_max{device=\"$(device)\"} 16777216"* ]]
	outputs "$(device) 16777216 true" mr -n -o name,max_mr,node_opens stat --device
}

@test "a provider that lacks memory is not called missing, and whether there is DEVX is unknown then" {
	starving
	[[ $(device) == mlx5_* ]] || skip "of libmlx5"
	FAIL_IN=libmlx5 FAIL_ON=1 run --separate-stderr starved 1 stat --device
	[[ $status -eq 1 && $stderr == *"ibv_get_device_list: ENOMEM"* && $stderr != *MR-PROVIDER* ]] || fail "$stderr"
	FAIL_IN=libibverbs run --separate-stderr starved 4 stat --device --json
	succeeded
	json '.devices[0] | .devx == null and .max_mr != null'
}
