#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# mrctl stat --device: what a device can do.  What ibv_devinfo shows of it must not be missing.

load helpers

# view: the JSON of the device under test
view() {
	run --separate-stderr mr -j stat --device
	[ "$status" -eq 0 ] || fail "status $status" "$stderr" || return
	DEVICE=$(jq '.devices[0]' <<<"$output")
	exact=$output
}

# is EXPRESSION: it is true of the device
is() {
	jq -e "$1" >/dev/null <<<"$DEVICE" || fail "not $1"
}

# number MEMBER: an integer of the device, with all its digits, of which some releases of jq drop the last ones
number() {
	sed -n "s/.*\"$1\":\"\\{0,1\\}\\([0-9a-fx]*\\).*/\\1/p" <<<"$exact"
}

# equals MEMBER VALUE: the numbers are the same, decimal or hexadecimal
equals() {
	local is

	is=$(number "$1")
	[ -n "$is" ] || fail "no $1" || return
	printf -v is '%u' "$is"
	printf -v 2 '%u' "$2" 2>/dev/null || set -- "$1" "$(printf '%u' "$2")"
	[ "$is" = "$2" ] || fail "$1 is $is and not $2"
}

# What ibv_devinfo shows of the numbers of mrctl, by its own names
declare -gA SAME=(
	[vendor_id]=vendor_id [vendor_part_id]=vendor_part_id [hw_ver]=hw_version
	[max_mr_size]=max_mr_size [page_size_cap]=page_size_cap [max_mr]=max_mr [max_pd]=max_pd
	[max_mw]=max_mw [max_qp]=max_qp [max_cq]=max_cq [max_srq]=max_srq [max_fmr]=max_fmr
	[max_map_per_fmr]=max_map_per_fmr [max_raw_ipv6_qp]=max_raw_ipv6_qp
	[max_raw_ethy_qp]=max_raw_ethy_qp [device_cap_flags_ex]=device_cap_flags
)
# What has nothing to do with memory: queues, messages, addresses, packets, time
OTHER=' hca_id transport max_qp_wr max_sge max_sge_rd max_cqe max_qp_rd_atom max_ee_rd_atom max_res_rd_atom
 max_qp_init_rd_atom max_ee_init_rd_atom max_ee max_rdd max_mcast_grp max_mcast_qp_attach
 max_total_mcast_qp_attach max_ah max_srq_wr max_srq_sge max_pkeys local_ca_ack_delay hca_core_clock
 max_wq_type_rq num_comp_vectors max_rndv_hdr_size max_num_tags max_ops max_comp_cntr max_mtu active_mtu
 sm_lid port_lmc max_msg_sz port_cap_flags port_cap_flags2 max_vl_num bad_pkey_cntr qkey_viol_cntr sm_sl
 pkey_tbl_len gid_tbl_len subnet_timeout init_type_reply active_width active_speed effective_speed '
OTHER_FLAGS=' RESIZE_MAX_WR BAD_PKEY_CNTR BAD_QKEY_CNTR RAW_MULTI AUTO_PATH_MIG CHANGE_PHY_PORT
 UD_AV_PORT_ENFORCE CURR_QP_STATE_MOD SHUTDOWN_PORT INIT_TYPE PORT_ACTIVE_EVENT SYS_IMAGE_GUID RC_RNR_NAK_GEN
 SRQ_RESIZE N_NOTIFY_CQ UD_IP_CSUM XRC RC_IP_CSUM RAW_IP_CSUM MANAGED_FLOW_STEERING RAW_SCATTER_FCS
 PCI_WRITE_END_PADDING '
declare -gA WINDOWS=([MEM_WINDOW]=1 [MEM_WINDOW_TYPE_2A]=2a [MEM_WINDOW_TYPE_2B]=2b)
declare -gA CAPABILITIES=([MEM_MGT_EXTENSIONS]=mem-mgt-extensions [CC_DMA_BOUNCE]=cc-dma-bounce)
declare -gA ODP=(
	[ODP_SUPPORT]=1 [ODP_SUPPORT_IMPLICIT]=2
	[SUPPORT_SEND]=1 [SUPPORT_RECV]=2 [SUPPORT_WRITE]=4 [SUPPORT_READ]=8 [SUPPORT_ATOMIC]=16
	[SUPPORT_SRQ]=32 [SUPPORT_FLUSH]=64 [SUPPORT_ATOMIC_WRITE]=128
)

# odp_is NAME BITS: the bits are those, and each has its name
odp_is() {
	equals "$1_bits" "$2" || return
	is ".odp.$1 == ([$2] | map(. as \$bits | (if \"$1\" == \"general\" then [\"explicit\", \"implicit\"]
		else [\"send\", \"recv\", \"write\", \"read\", \"atomic\", \"srq-recv\", \"flush\",
			\"atomic-write\"] end) | to_entries
		| map(select((\$bits / pow(2; .key) | floor) % 2 == 1) | .value)) | .[0])"
}

# flag HEADING FLAG: what ibv_devinfo shows below a heading
flag() {
	case $1 in
	device_cap_flags | device_cap_flags_ex)
		if [ -n "${WINDOWS[$2]:-}" ]; then
			windows+=" ${WINDOWS[$2]}"
		elif [ -n "${CAPABILITIES[$2]:-}" ]; then
			is ".capabilities | index(\"${CAPABILITIES[$2]}\")"
		else # flags without name are in the number, which is compared
			[[ $OTHER_FLAGS == *[[:space:]]"$2"[[:space:]]* || $2 == "Unknown flags: 0x"* ]] ||
				fail "unknown flag $2"
		fi
		;;
	*_odp_caps)
		case $2 in
		"NO SUPPORT") ;;
		"Unknown flags: "*) odp=$((odp | ${2##* })) ;;
		*) odp=$((odp | ${ODP[$2]:?})) ;;
		esac
		;;
	tso_caps | rss_caps | packet_pacing_caps | "raw packet caps" | flags | comp_cntr_caps | \
		"cq moderation caps" | supported_qp) ;;
	*) fail "unknown heading $1 of $2" ;;
	esac
}

# pair KEY VALUE: what ibv_devinfo shows in a line
pair() {
	if [ -n "${SAME[$1]:-}" ]; then
		equals "${SAME[$1]}" "$2"
		return
	fi
	case $1 in
	fw_ver) is ".firmware == \"$2\" or (.firmware == null and \"$2\" == \"0.0.0\")" ;;
	node_guid | sys_image_guid | board_id) is ".$1 == \"$2\"" ;;
	phys_port_cnt) is "(.ports | length) == $2" ;;
	device_cap_flags) (($(number device_cap_flags) % (1 << 32) == $2)) || fail "$1 is $2" ;;
	atomic_cap)
		case $2 in
		ATOMIC_NONE*) is '.atomic_cap == "none"' ;;
		ATOMIC_HCA*) is '.atomic_cap == "hca"' ;;
		ATOMIC_GLOB*) is '.atomic_cap == "global"' ;;
		*) fail "$1 $2" ;;
		esac
		;;
	"maximum available device memory") equals max_dm_size "${2%Bytes}" && has_dm=yes ;;
	port) port=$2 ;;
	state) is ".ports[$port - 1].state == \"$(cut -d' ' -f1 <<<"${2#PORT_}")\"" ;;
	port_lid) is ".ports[$port - 1].lid == $2" ;;
	link_layer) is ".ports[$port - 1].link_layer == \"$2\"" ;;
	phys_state) is ".ports[$port - 1].phys_state | ascii_downcase == \"$(tr -d '_' <<<"${2%% *}" |
		tr '[:upper:]' '[:lower:]')\"" ;;
	*) [[ $OTHER == *[[:space:]]"$1"[[:space:]]* ]] || fail "unknown line $1: $2" ;;
	esac
}

# close_heading: compare what was collected below the last heading
close_heading() {
	[[ $heading != *_odp_caps ]] || odp_is "${heading%_odp_caps}" "$odp" || return
	odp=0
}

compare_with_devinfo() { # TEXT
	local heading='' odp=0 windows='' port=0 has_dm='' line key value

	while IFS= read -r line; do
		case $line in
		'' | *"not supported" | $'\t'completion\ timestamp_mask:*) continue ;;
		hca_id:*) continue ;;
		$'\t\t\tGID['*) continue ;;
		esac
		key=${line#"${line%%[!$'\t ']*}"} # without the blanks before it
		# Flags stand deeper than all lines with a value.
		if [[ $line == $'\t\t\t\t\t'* ]]; then
			flag "$heading" "$key" || return
			continue
		fi
		value=${key#*:}
		value=${value#"${value%%[!$'\t ']*}"}
		key=${key%%:*}
		# A line of another heading, whose lines stand between: they are about packets.
		if [[ $line == $'\t\t'[a-z]* && $heading =~ ^(tso|rss|packet_pacing)_caps|cq\ mod && $key != port ]]; then
			continue
		fi
		close_heading || return
		heading=$key
		[ -z "$value" ] || pair "$key" "$value" || return
		if [ -z "$value" ]; then
			[[ $key == *_odp_caps || $key == tso_caps || $key == rss_caps || $key == flags ||
				$key == packet_pacing_caps || $key == "raw packet caps" ||
				$key == comp_cntr_caps || $key == "cq moderation caps" ]] ||
				fail "unknown heading $key" || return
		fi
	done <<<"$1"
	close_heading || return
	is ".memory_windows == \"${windows# }\" or (.memory_windows | join(\" \")) == \"${windows# }\"" || return
	[ -n "$has_dm" ] || is '.max_dm_size == 0'
}

# bats test_tags=kernel
@test "nothing that ibv_devinfo -v shows about memory is missing" {
	local info

	view
	info=$("${SIM[@]}" ibv_devinfo -v -d "$(device)")
	[ "$(wc -l <<<"$info")" -gt 60 ]
	compare_with_devinfo "$info"
}

@test "a limit, a flag or a line that differs from ibv_devinfo's is noticed" {
	local info changed line from to

	on_simulator || skip "the comparison itself needs no kernel"
	view
	info=$("${SIM[@]}" ibv_devinfo -v -d "$(device)")
	compare_with_devinfo "$info"
	while IFS=: read -r line from to; do
		changed=$(sed "/$line/s/$from/$to/" <<<"$info")
		[ "$changed" != "$info" ] || fail "no $line" || return
		! compare_with_devinfo "$changed" 2>/dev/null || fail "$line $to is not noticed" || return
	done <<-'EOT'
		max_mr_size:0xf:0xe
		page_size_cap:f000:e000
		max_mr.:16777216:16777217
		max_pd:max_pd:max_new
		atomic_cap:HCA:GLOB
		MEM_WINDOW$:MEM_WINDOW:MEM_WINDOW_TYPE_2A
		MEM_MGT:MEM_MGT_EXTENSIONS:CC_DMA_BOUNCE
		SUPPORT_READ:READ:FLUSH
		ODP_SUPPORT$:ODP_SUPPORT:Unknown flags: 0x8
		device_cap_flags_ex:0x:0x10
	EOT
}

# bats test_tags=kernel
@test "the device says who it is, and whether this user may open it" {
	view
	is ".name == \"$(device)\" and .node_opens and .node_error == null and (.ports | length) == 1"
	is '.node | startswith("/dev/infiniband/uverbs")'
	is ".provider == \"$(on_mlx5 && echo mlx5 || echo rxe)\" and .devx == $(on_mlx5 && echo true || echo false)"
	[ "$(jq .environment.rdma_core <<<"$output")" = "$(jq .rdma_core <<<"$DEVICE")" ]
	[ "$(jq .environment.kernel <<<"$output")" = "$(jq .kernel <<<"$DEVICE")" ]
}

# bats test_tags=kernel
@test "the view registers nothing and leaves nothing behind" {
	local before

	on_simulator && skip "the simulator does not count"
	view
	before=$(jq -c .objects <<<"$DEVICE")
	view
	[ "$before" = "$(jq -c .objects <<<"$DEVICE")" ]
	is '.mr_used == 0'
}

# bats test_tags=kernel
@test "objects are counted as rdma resource counts them, beside their maximum" {
	on_simulator && skip "the simulator has no RDMA netlink"
	hold reg --count 3 --hold
	view
	is '.mr_used == 3 and (.objects[] | select(.type == "mr") | .used == 3 and .max > 3)'
	is '[.objects[].type] | index("pd") and index("cq") and index("qp") and index("ctx")'
	is '.objects[] | select(.type == "pd") | .used >= 1'
	release
}

# bats test_tags=kernel
@test "mlx5's commands are counted where root may read debugfs" {
	on_simulator && skip "the simulator has no debugfs"
	view
	if ! on_mlx5; then
		is '.commands == null and .commands_error == null'
		return
	fi
	[ -e /sys/kernel/debug/mlx5 ] || skip "no debugfs"
	is '.commands[] | select(.command == "CREATE_MKEY") | .n >= 0 and .failed == 0 and .last_errno == null'
	is '.pci_address != null and .driver == "mlx5_core" and .fw_pages != null and .reg_pages != null'
}

# bats test_tags=kernel
@test "the firmware's last refusal is shown with status and syndrome by name" {
	require_probe
	hca-probe --fail CREATE_UMEM=LIM_ERR # for an MR the driver may have a key at hand
	run mr -q umem
	hca-probe --fail none
	[ "$status" -eq 1 ]
	view
	is '.commands[] | select(.command == "CREATE_UMEM") | .failed >= 1 and .last_status == "LIM_ERR" and
		.last_syndrome != null and .last_errno == "EREMOTEIO"'
}

@test "several devices are blocks, and one that is named twice is shown once" {
	mr stat --device >"$BATS_TEST_TMPDIR/all"
	[ "$(grep -c '^name:' "$BATS_TEST_TMPDIR/all")" -eq 1 ] || ! on_simulator
	mapfile -t once < <("${SIM[@]}" mrctl -n -o name stat --device "$(device)" "$(device)")
	[ "${#once[@]}" -eq 1 ]
}

@test "no line of the text is wider than 80 columns" {
	mr stat --device >"$BATS_TEST_TMPDIR/text"
	run ! grep -E '.{81}' "$BATS_TEST_TMPDIR/text"
	grep -qx 'limits:' "$BATS_TEST_TMPDIR/text"
	grep -qx 'on-demand paging:' "$BATS_TEST_TMPDIR/text"
	grep -Eqx '  page_sizes: +4K\.\.(8E|2G)' "$BATS_TEST_TMPDIR/text"
}

@test "a device is named by an operand or by -d, and one that does not exist has exit status 3" {
	on_simulator || skip "needs the simulator"
	run --separate-stderr "${SIM[@]}" mrctl stat --device other0
	[ "$status" -eq 3 ]
	[[ $stderr == *"no RDMA device 'other0'"*"there is: $(device)"* ]]
	run --separate-stderr "${SIM[@]}" mrctl -j stat --device other0 "$(device)"
	[ "$status" -eq 1 ]
	json "[.devices[].name] == [\"$(device)\"] and .failures[0].errno == \"ENODEV\""
	run --separate-stderr "${SIM[@]}" mrctl -d "$(device)" stat --device "$(device)"
	[ "$status" -eq 2 ]
	run --separate-stderr "${SIM[@]}" mrctl -j stat --device ../../etc
	[ "$status" -eq 3 ]
	json '.devices == []'
}

@test "a machine without RDMA says so, and what to do, with exit status 1" {
	on_simulator || skip "needs a machine without RDMA"
	mkdir -p "$BATS_TEST_TMPDIR/none"
	run --separate-stderr "${SIM[@]}" env SYSFS_PATH="$BATS_TEST_TMPDIR/none" mrctl -j stat --device
	[ "$status" -eq 1 ]
	json '.devices == [] and (.failures | length) == 1'
	[[ $stderr == *"this machine has no RDMA device"*modprobe*"mrctl sim"* ]]
}

# copy_sysfs: SYS is a copy of the simulator's sysfs, DEVICES and NODES its classes
copy_sysfs() {
	on_simulator || skip "needs the simulator"
	SYS=$BATS_TEST_TMPDIR/sys
	# shellcheck disable=SC2016 # the shell on the simulator expands it
	cp -r "$("${SIM[@]}" sh -c 'echo "$SYSFS_PATH"')" "$SYS"
	chmod -R u+w "$SYS"
	FILES=$SYS/class/infiniband/$(device) NODES=$SYS/class/infiniband_verbs
	MR=("${SIM[@]}" env SYSFS_PATH="$SYS" mrctl)
}

@test "a device that cannot be opened shows all that sysfs tells, and why" {
	copy_sysfs
	mv "$NODES"/uverbs* "$NODES/uverbs199"
	run --separate-stderr mr -j stat --device
	[ "$status" -eq 1 ]
	json ".devices[0] | .name == \"$(device)\" and .node_guid != null and .max_mr == null and
		.node_opens == false and .node_error == \"ENOENT\" and (.ports | length) == 1 and
		.devx == null and .dmabuf == null and .odp.rc == null"
	json '.failures[0].errno == "ENODEV"'
	[[ $stderr == *"the node of the RDMA device $(device) is missing"* ]]
	run mr stat --device
	[[ $output == *"dmabuf:            unknown (mrctl stat --probe tries it)"* ]]
}

@test "a user without permission on the node sees what sysfs tells" {
	on_simulator || skip "needs the simulator"
	run --separate-stderr faulty open=EACCES -j stat --device
	[ "$status" -eq 1 ]
	json '.devices[0] | .node_guid != null and .max_mr == null and .node_opens == false and
		.node_error == "EACCES"'
}

@test "sysfs that lies is shown harmlessly, and stops nothing" {
	copy_sysfs
	: >"$FILES/fw_ver"
	head -c 100000 /dev/urandom >"$FILES/node_desc"
	printf 'mrctl simulated HCA \033[31m\377' >"$FILES/node_desc"
	head -c 3000000 /dev/zero | tr '\0' x >"$FILES/sys_image_guid"
	head -c 5000 /dev/urandom >"$FILES/ports/1/rate"
	rm "$FILES/node_type" "$FILES/ports/1/phys_state"
	rm -f "$FILES/node_guid.x"
	printf '99999999999999999999\n' >"$FILES/fw_pages"
	printf -- '-1\n' >"$FILES/reg_pages"
	mkdir -p "$FILES/ports"/{0,256,x,10,2,-3}
	mkfifo "$FILES/ports/2/state"
	run --separate-stderr timeout 20 "${MR[@]}" -j stat --device
	[ "$status" -eq 0 ] || fail "$stderr"
	json '.devices[0] | .firmware == null and .node_type == null and .fw_pages == null and
		.reg_pages == null and [.ports[].port] == [1, 2, 10] and .ports[1].state == null and
		.ports[0].phys_state == null and (.sys_image_guid | length) < 40'
	run timeout 20 "${MR[@]}" -v stat --device
	[ "$status" -eq 0 ]
	[[ $output == *'mrctl simulated HCA \x1b[31m\xff'* && $output != *$'\033'* ]]
}

@test "a device that goes away meanwhile is a failure, not a crash" {
	copy_sysfs
	rm -r "${FILES:?}"/*
	run --separate-stderr timeout 20 "${MR[@]}" -j stat --device
	[ "$status" -le 1 ]
	json ".devices[0].name == \"$(device)\" and .devices[0].ports == []"
}

@test "a call that fails leaves the rest of the answer" {
	on_simulator || skip "needs the simulator"
	run --separate-stderr "${SIM[0]}" sim ${MRCTL_TEST_PROFILE:+--profile "$MRCTL_TEST_PROFILE"} \
		--fault query_device=EIO -- mrctl -j stat --device
	[ "$status" -eq 1 ]
	json '.devices[0] | .max_mr == null and .node_guid != null and .odp.rc == null and .dmabuf != null'
	json '.failures[0] | .call == "ibv_query_device_ex" and .errno == "EIO"'
	[[ $stderr == *"$(device)"*ibv_query_device_ex* ]]
}

@test "metrics and tables have the device's values" {
	on_simulator || skip "needs the simulator"
	run --separate-stderr mr stat --device --format openmetrics
	[ "$status" -eq 0 ]
	[[ $output == *"mrctl_device_mr_max{device=\"$(device)\"} 16777216"* ]]
	run --separate-stderr mr stat --device --format markdown
	[[ $output == *"| max_mr "*"| 16777216 "* ]]
	run --separate-stderr mr -n -o name,max_mr,node_opens stat --device
	[ "$output" = "$(device) 16777216 true" ]
}
