#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The simulated HCA as programs other than mrctl see it.

load helpers

setup() {
	note_less
	on_simulator || skip "about the simulator"
}

sim() {
	run --separate-stderr mrctl sim -- "$@"
}

@test "ibv_devices lists one device" {
	sim ibv_devices
	[ "$status" -eq 0 ]
	[ "$(grep -c mlx5_0 <<<"$output")" -eq 1 ]
}

@test "ibv_devinfo -v prints a sensible device" {
	sim ibv_devinfo -v
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	for line in 'hca_id:	mlx5_0' 'transport:.*InfiniBand' 'vendor_part_id:.*4119' \
		'phys_port_cnt:.*1' 'max_mr_size:.*0xffffffffffffffff' 'max_mr:.*16777216' \
		ODP_SUPPORT_IMPLICIT 'state:.*PORT_ACTIVE' 'link_layer:.*InfiniBand' \
		'GID\[  0\]:.*fe80:'; do
		grep -q -- "$line" <<<"$output" || fail "no '$line' in:" "$output"
	done
}

@test "the device says that it is simulated" {
	# shellcheck disable=SC2016 # for the other shell
	sim sh -c 'cat "$SYSFS_PATH/class/infiniband/mlx5_0/node_desc"'
	[[ $output == "mrctl simulated HCA"* ]]
}

@test "the node is a character device inside, and absent outside" {
	sim bash -c '[ -c /dev/infiniband/uverbs250 ]'
	[ "$status" -eq 0 ]
	run bash -c '[ -e /dev/infiniband/uverbs250 ]'
	[ "$status" -eq 1 ]
}

@test "without MRCTL_SIM the preloaded library does nothing" {
	sim env -u MRCTL_SIM ibv_devices
	[[ $output != *mlx5_0* ]]
}

@test "calls that are not about the device pass through" {
	# shellcheck disable=SC2016 # for the other shell
	sim sh -c 'echo text >"$1" && cat "$1" && ls /nowhere' sh "$BATS_TEST_TMPDIR/file"
	[ "$output" = text ]
	[[ $stderr == *"No such file or directory"* ]]
}

rxe() {
	run --separate-stderr mrctl sim --profile rxe -- "$@"
}

@test "the profile rxe is one device of its own" {
	rxe ibv_devices
	[ "$(grep -c rxe0 <<<"$output")" -eq 1 ]
	[[ $output != *mlx5* ]]
	rxe ibv_devinfo -v
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	[[ $output == *Ethernet* ]]
	[[ $output == *"RoCE v2"* ]]
	# shellcheck disable=SC2016 # for the other shell
	rxe sh -c 'cat "$SYSFS_PATH/class/infiniband/rxe0/node_desc"'
	[[ $output == "mrctl simulated HCA"* ]]
	rxe mrctl -j reg --size 1M
	succeeded
	json '.environment.provider == "rxe" and .environment.simulated'
}

@test "a session works on rxe, which cannot import it" {
	rxe mrctl session -- sh -c 'mrctl -q reg --size 4K && mrctl -j stat && mrctl -q dereg 1'
	succeeded
	json '.regions[0].length == 4096 and .regions[0].via == "kernel"'
}

@test "a session keeps its profile when another one is asked for" {
	rxe mrctl session -- mrctl sim --profile mlx5 -- mrctl -j reg --size 4K
	succeeded
	json '.environment.device == "rxe0" and .regions[0].via == "kernel"'
}

# on_kernel KERNEL [ARG...]: runs mrctl on the simulated HCA of this kernel
on_kernel() {
	run --separate-stderr mrctl sim --kernel "$1" -- mrctl "${@:2}"
}

@test "the answers are those of the kernel that was asked for" {
	local flush=(reg --access 'local-write,flush-global')

	on_kernel 7.2 "${flush[@]}"
	refused EOPNOTSUPP ibv_reg_mr
	on_kernel 6.12 "${flush[@]}"
	refused EOPNOTSUPP ibv_reg_mr
	on_kernel 6.1 "${flush[@]}"
	refused EINVAL ibv_reg_mr
	sim mrctl reg-iova --size 8K --iova 0xfffffffffffff000
	refused EINVAL ibv_reg_mr_iova
	on_kernel 6.12 reg-iova --size 8K --iova 0xfffffffffffff000
	succeeded
}

@test "a session keeps its kernel when another one is asked for" {
	on_kernel 6.1 session -- mrctl sim --kernel 7.2 -- mrctl reg --access 'local-write,flush-global'
	refused EINVAL ibv_reg_mr
}

@test "a kernel that is not simulated is a usage error" {
	on_kernel 6.0 reg
	usage_error "unknown kernel '6.0'"
	sim env MRCTL_SIM_KERNEL=5 ibv_devices
	[ "$status" -eq 2 ]
	[[ $stderr == *"MRCTL_SIM_KERNEL: unknown kernel '5'"* ]]
}

@test "without the simulator its descriptor is not taken for a device" {
	sim mrctl session -- env -u LD_PRELOAD -u SYSFS_PATH -u MRCTL_SIM mrctl stat
	[ "$status" -eq 3 ]
	[[ $stderr == *"simulated HCA"* ]]
}
