#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# mrctl reg: registering what can be registered.
# shellcheck disable=SC2016 # jq has variables of its own

load helpers

# bats test_tags=kernel
@test "reg registers a page, prints it line by line and deregisters it" {
	run --separate-stderr mr reg
	succeeded
	[ -z "$stderr" ]
	grep -qx 'state: *deregistered' <<<"$output"
	grep -Eqx 'lkey: *0x[0-9a-f]+' <<<"$output"
	grep -Eqx 'rkey: *0x[0-9a-f]+' <<<"$output"
	grep -Eqx 'addr: *0x[0-9a-f]+' <<<"$output"
	grep -Eqx 'length: *4096' <<<"$output"
	grep -qx 'access: *local-write' <<<"$output"
	grep -qx 'memory: *anon' <<<"$output"
	grep -Eqx 'elapsed_ns: *[0-9]+' <<<"$output"
	grep -Eqx 'dereg_elapsed_ns: *[0-9]+' <<<"$output"
}

# bats test_tags=kernel
@test "reg --json reports the trial in one document" {
	run --separate-stderr mr reg --json --size 16K --access local-write,remote-read --name buf0
	succeeded
	[ -z "$stderr" ]
	json '.format == 1 and .command == "reg" and .session == false and .failures == []'
	json '.as_expected == null'
	json '.regions | length == 1'
	json '.regions[0] | .id == 1 and .name == "buf0" and .kind == "mr" and .via == "library"'
	json '.regions[0] | .state == "deregistered" and .pd == "default"'
	json '.regions[0] | .length == 16384 and .iova == .addr'
	json '.regions[0] | .access == ["local-write", "remote-read"] and .access_bits == "0x5"'
	json '.regions[0] | .memory == "anon" and .page_size == 4096'
	json '.regions[0] | (.lkey, .rkey, .addr) | test("^0x[0-9a-f]+$")'
	json '.regions[0] | .handle >= 0 and .elapsed_ns > 0 and .dereg_elapsed_ns > 0'
}

# bats test_tags=kernel
@test "the environment names kernel, rdma-core, device and provider" {
	run --separate-stderr mr reg --json
	succeeded
	json '.environment.kernel == $kernel' --arg kernel "$(uname -r)"
	json '.environment.rdma_core | test("^[0-9]+[.][0-9]+")'
	json '.environment.device == $device' --arg device "$(device)"
	json '.environment | .provider as $provider | .device | startswith($provider)'
	if on_simulator; then
		json '.environment.simulated == true'
	else
		json '.environment.simulated == false'
	fi
}

@test "a document of the simulator says that it is simulated" {
	on_simulator || skip "not on the simulator"
	run --separate-stderr mr reg
	grep -qx 'simulated: *true' <<<"$output"
	run --separate-stderr mr reg -o rkey
	[[ $stderr == *"simulated HCA $(device)"* ]]
	run --separate-stderr mr reg --size 0
	[[ $stderr == *"simulated HCA $(device)"* ]]
}

# bats test_tags=kernel
@test "--count registers regions that follow one another" {
	run --separate-stderr mr reg --json --size 5000 --count 3 --name buf
	succeeded
	json '[.regions[].id] == [1, 2, 3]'
	json '[.regions[].name] == ["buf.1", "buf.2", "buf.3"]'
	json '[.regions[].length] == [5000, 5000, 5000]'
	json '[.regions[].lkey] | unique | length == 3'
	json '[.regions[].handle] | unique | length == 3'
	json '[.regions[].addr] | unique | length == 3'
}

@test "--stride is the distance between regions, which may overlap" {
	run --separate-stderr mr reg --size 8K --count 3 --stride 0x10 -n -o addr
	succeeded
	[ $((lines[1] - lines[0])) -eq 16 ]
	[ $((lines[2] - lines[1])) -eq 16 ]
	run --separate-stderr mr reg --count 2 --stride 0 -n -o addr
	succeeded
	[ "${lines[0]}" = "${lines[1]}" ]
}

@test "without --stride regions begin in whole pages" {
	run --separate-stderr mr reg --size 5000 --count 2 -n -o addr
	[ $((lines[1] - lines[0])) -eq 8192 ]
}

@test "a count of many regions is registered and deregistered" {
	run --separate-stderr mr reg --count 3000 "${MANY[@]}" --json
	succeeded
	json '.regions | length == 3000'
	json '[.regions[] | select(.state == "deregistered" and .dereg_elapsed_ns)] | length == 3000'
	json '[.regions[].lkey] | unique | length == 3000'
}

@test "all named access flags that belong together are accepted" {
	run --separate-stderr mr reg --json --access \
		local-write,remote-write,remote-read,remote-atomic,mw-bind,relaxed-ordering
	succeeded
	json '.regions[0] | .access == ["local-write", "remote-write", "remote-read",
		"remote-atomic", "mw-bind", "relaxed-ordering"] and .access_bits == "0x10001f"'
}

@test "access none asks for local reading only" {
	run --separate-stderr mr reg --json --access none
	succeeded
	json '.regions[0] | .access == [] and .access_bits == "0x0"'
}

# bats test_tags=kernel
@test "an unknown optional flag bit passes through and is accepted" {
	run --separate-stderr mr reg --json --access local-write,0x20000000
	succeeded
	json '.regions[0] | .access == ["local-write", "0x20000000"]'
	json '.regions[0].access_bits == "0x20000001"'
}

@test "a name of a single region is used as it is" {
	run --separate-stderr mr reg --name a.b_c-1 -n -o name
	succeeded
	[ "$output" = a.b_c-1 ]
}

@test "reg works as an ordinary user" {
	require_nobody
	run --separate-stderr mr_as_nobody 64 reg --json
	succeeded
	json '.regions | length == 1'
}
