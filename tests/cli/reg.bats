#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# mrctl reg: registering what can be registered.

load helpers
load rows

# bats test_tags=kernel
@test "reg registers a page, prints it line by line and deregisters it" {
	succeeded mr reg
	[ -z "$stderr" ]
	for line in 'state: *deregistered' 'lkey: *0x[0-9a-f]+' 'rkey: *0x[0-9a-f]+' 'addr: *0x[0-9a-f]+' \
		'length: *4096' 'access: *local-write' 'memory: *anon' 'elapsed_ns: *[1-9][0-9]*' \
		'dereg_elapsed_ns: *[1-9][0-9]*'; do
		grep -Eqx "$line" <<<"$output" || fail "no line $line: $output"
	done
}

# bats test_tags=kernel
@test "the document has the regions of --count, the environment, and whether it is simulated" {
	simulated=false
	! on_simulator || simulated=true
	succeeded mr reg --json --size 5000 --count 3 --name buf --access local-write,remote-read
	[ -z "$stderr" ]
	json '.format == 1 and .command == "reg" and .session == false and .failures == [] and .as_expected == null'
	json '[.regions[] | [.id, .name]] == [[1, "buf.1"], [2, "buf.2"], [3, "buf.3"]]'
	json '.regions | all(.kind == "mr" and .via == "library" and .state == "deregistered" and
		.pd == "default" and .length == 5000 and .iova == .addr and .memory == "anon" and
		.page_size == 4096 and .access == ["local-write", "remote-read"] and .access_bits == "0x5" and
		.handle >= 0 and .elapsed_ns > 0 and .dereg_elapsed_ns > 0 and
		([.lkey, .rkey, .addr] | all(test("^0x[0-9a-f]+$"))))'
	json '.regions | [map(.lkey), map(.handle), map(.addr) | unique | length] == [3, 3, 3]'
	json '.environment | .kernel == $kernel and .device == $device and .simulated == $simulated and
		(.rdma_core | test("^[0-9]+[.][0-9]+")) and (.provider as $provider | .device | startswith($provider))' \
		--arg kernel "$(uname -r)" --arg device "$(device)" --argjson simulated $simulated
}

@test "text marks the simulated HCA, on stderr if stdout has only values, or after a refusal" {
	run --separate-stderr mr reg
	grep -qx 'simulated: *true' <<<"$output"
	run --separate-stderr mr reg -o rkey
	[[ $stderr == *"simulated HCA $(device)"* ]]
	run --separate-stderr mr reg --size 0
	[[ $stderr == *"simulated HCA $(device)"* ]]
}

@test "--stride is the distance between regions, without it they begin in whole pages" {
	succeeded mr reg --size 8K --count 3 --stride 0x10 -n -o addr
	[ "$((lines[1] - lines[0])) $((lines[2] - lines[1]))" = "16 16" ]
	run --separate-stderr mr reg --size 5000 --count 2 -n -o addr
	[ $((lines[1] - lines[0])) -eq 8192 ]
}

@test "access flags, names of one region and sizes are passed on as given" {
	values mr reg -n <<-'END'
		-o access_bits --access local-write,remote-write,remote-read,remote-atomic,mw-bind,relaxed-ordering | 0x10001f
		-o access_bits --access none | 0x0
		-o access_bits,access --access local-write,0x20000000 | 0x20000001 local-write,0x20000000
		-o name --name a.b_c-1 | a.b_c-1
		-o name --name a --count 1 | a
		-o length --size 1 | 1
	END
}

@test "with too many regions for memory, or a name that its number makes too long, no region is registered" {
	refused ENOMEM reallocarray mr reg --count 0xffffffffffffff --size 0 --stride 0 --json
	json '.regions == [] and (.failures[0].message | contains("cannot store the list of 72057594037927935 regions"))'
	session_begin
	exits 1 ms reg --count 11 --name "$(printf 'a%060d' 0)" --json
	json '.failures[0] | .errno == "ENAMETOOLONG" and .index == 10'
	json '.regions | length == 9'
}
