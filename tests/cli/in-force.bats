#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Access flags that are accepted without effect: which ones were asked for, and which are in force.

load helpers

# has_no_effect FLAG REASON: the last run reported that FLAG has no effect, for this reason
has_no_effect() {
	[[ $stderr == *"mrctl: "*": $1 has no effect: "*"$2"* ]] || fail "no such note: $stderr"
}

@test "flags that always have an effect are in force, without a note" {
	succeeded mr --json reg --access local-write,remote-read,remote-write,mw-bind
	[ -z "$stderr" ]
	json '.regions[0] | .access == ["local-write", "remote-write", "remote-read", "mw-bind"] and
		.in_force == .access'
	shows '.regions[0] | .access == [] and .in_force == []' mr reg --access none
	run --separate-stderr mr reg
	[[ $output != *in_force* ]]
	run --separate-stderr mr --verbose reg
	grep -qx 'in_force: *local-write' <<<"$output"
}

@test "zero-based is accepted without effect on the addresses, and one note reports this" {
	for via in library kernel; do
		succeeded mr reg --access local-write,zero-based --via "$via"
		grep -qx 'access: *local-write,zero-based' <<<"$output"
		grep -qx 'in_force: *local-write' <<<"$output"
		has_no_effect zero-based "reg-iova --iova 0"
		[[ $stderr == *QUERY_MR* ]]
	done
	shows '[.regions[] | .in_force == [] and .iova == .addr] == [true, true]' mr reg --access zero-based --count 2
	[ "$(grep -c 'has no effect' <<<"$stderr")" -eq 1 ]
	succeeded mr -q reg --access zero-based
	[ -z "$stderr" ]
	outputs "local-write,zero-based local-write" mr -n -o access,in_force reg --access local-write,zero-based
}

@test "at the address 0 zero-based is in force, of one region and in stat" {
	succeeded mr --json reg-iova --iova 0 --access zero-based,local-write
	[ -z "$stderr" ]
	json '.regions[0] | .in_force == ["local-write", "zero-based"]'
	# With several regions only the first has the address 0.
	shows '[.regions[].in_force] == [["zero-based"], []]' mr reg-iova --iova 0 --access zero-based --count 2
	has_no_effect zero-based ''
	run --separate-stderr mr session -- bash -c '
		mrctl -q reg --access local-write,zero-based
		mrctl -q reg-iova --iova 0 --access zero-based
		mrctl --json stat'
	succeeded
	json '[.regions[] | [.access, .in_force]] == [
		[["local-write", "zero-based"], ["local-write"]], [["zero-based"], ["zero-based"]]]'
}

@test "hugetlb is in force only with on-demand" {
	succeeded mr --json reg --access local-write,hugetlb
	json '.regions[0] | .in_force == ["local-write"] and .access_bits == "0x81"'
	has_no_effect hugetlb "only with on-demand"
}

# bats test_tags=kernel
@test "relaxed ordering is in force where the device has a PCI bus, and of a region" {
	for via in library kernel; do
		succeeded mr --json reg --access local-write,relaxed-ordering --via "$via"
		if on_mlx5; then
			[ -z "$stderr" ]
			json '.regions[0].in_force == ["local-write", "relaxed-ordering"]'
		else
			json '.regions[0].in_force == ["local-write"]'
			has_no_effect relaxed-ordering "this device does not support it"
		fi
	done
	on_mlx5 || return 0
	gives '.regions[0].in_force == ["local-write"]' mr umem --access local-write,relaxed-ordering
	has_no_effect relaxed-ordering umem
}

@test "nothing is claimed about the effect of an unknown optional flag" {
	succeeded mr --json reg --access local-write,0x20000000
	[ -z "$stderr" ]
	json '.regions[0] | .access == ["local-write", "0x20000000"] and .in_force == null'
	run --separate-stderr mr reg --access local-write,0x20000000
	[[ $output != *in_force* ]]
}

@test "on an old kernel libibverbs omits optional flags, and the kernel refuses them" {
	succeeded mrctl sim --no-optional-access -- mrctl --json reg \
		--access local-write,relaxed-ordering,0x20000000
	json '.regions[0].in_force == ["local-write"]'
	has_no_effect relaxed-ordering "this kernel does not know optional flags"
	has_no_effect 0x20000000 "this kernel does not know optional flags"
	refused EINVAL 'ioctl(REG_MR)' mrctl sim --no-optional-access -- mrctl reg \
		--access local-write,relaxed-ordering --via kernel
}
