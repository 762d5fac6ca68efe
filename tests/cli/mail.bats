#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A reported refusal is complete enough to be mailed: it has the request and the environment.

load helpers

@test "a refusal has its request, as words and as the values of the call" {
	exits 1 mr -j reg --size 64K --offset 100 --memory hole --pd foo \
		--access local-write,remote-read,0x8000000
	json '.failures[0].request | .argv[1:] | .[index("reg"):] == ["reg", "--size", "64K",
		"--offset", "100", "--memory", "hole", "--pd", "foo", "--access",
		"local-write,remote-read,0x8000000"]'
	json '.failures[0].request | .memory == "hole" and .length == 65536 and .pd == "foo" and
		(.addr | endswith("064")) and .offset == null and .count == 1 and
		.access == ["local-write", "remote-read", "0x8000000"] and
		.access_bits == "0x8000005"'
	run --separate-stderr mr -j dereg first --expect ok second
	json '.failures[0].request.argv | .[index("dereg"):] == ["dereg", "first", "--expect", "ok", "second"]'
	run --separate-stderr mr -j batch <<<'dereg first --expect ok second'
	json '.failures[0].request.argv == ["dereg", "first", "--expect", "ok", "second"]'
	run --separate-stderr mr -j reg --memory 'file:/nonexistent/a b'
	json '.failures[0].request | .argv[-1] == "file:/nonexistent/a b" and .memory == .argv[-1] and .addr == null'
}

@test "each region of --count has its own address in the request" {
	run --separate-stderr mr -j reg-iova --iova 0x100000 --size 4K --count 3 --keep-going \
		--memory unmapped
	json '[.failures[].request.iova] == ["0x100000", "0x101000", "0x102000"]'
	json '[.failures[].request.addr] | unique | length == 3'
	json 'all(.failures[].request; .count == 3 and .length == 4096)'
}

@test "page sizes of a umem, asked for or tried, and the offset in a dma-buf, are in the request" {
	require_devx
	run --separate-stderr mr -j umem --page-sizes 4K,2M --memory hole
	json '.failures[0].request | .page_sizes == [4096, 2097152] and .iova == null and .pd == null'
	exits 1 mr -j umem --try-page-sizes --memory hole --size 8K
	json '.failures[0].request | .memory == "hole" and .length == 8192 and .addr != null and
		.page_sizes == [4096] and .access == ["local-write"]'
	exits 1 mr -j reg-dmabuf --from udmabuf --size 4K --offset 4K --iova 0x3000 \
		--access 0x80000000
	json '.failures[0].request | .offset == 4096 and .addr == null'
}

@test "each failure has its own request, not that of an earlier one" {
	on_mlx5 || skip "advice is of mlx5"
	exits 1 faulty reg_mr@2=ENOMEM -j reg --count 3 --keep-going --size 8K \
		--access on-demand --advise prefetch-write --memory readonly
	json '[.failures[].call] == ["ibv_reg_mr", "ibv_advise_mr", "ibv_advise_mr"]'
	json '[.failures[].request | .length, .count] == [8192, 3, 8192, 3, 8192, 3]'
	json '(.failures[1:] | map(.request.addr)) == (.regions | map(.addr))'
	json '[.failures[].request.addr] | unique | length == 3'
}

@test "a refused change has what was to change, and nothing else" {
	session_begin
	succeeded ms reg --name a -q
	exits 1 ms -j rereg a --access 0x80000000 --via kernel
	json '.failures[0].request | .access_bits == "0x80000000" and .memory == null and
		.addr == null and .length == null and .pd == null'
}

@test "each line of a batch has its own words, also among many" {
	for i in {1..100}; do
		echo "reg --memory hole --size $((i % 3 + 1))K --name n$((i / 7))"
	done >"$BATS_TEST_TMPDIR/batch"
	shows '(.failures | length == 100) and
		all(.failures[]; .index as $i | .request | .argv == ["reg", "--memory", "hole",
			"--size", "\($i % 3 + 1)K", "--name", "n\($i / 7 | floor)"] and
			.length == 1024 * ($i % 3 + 1))' mr batch --keep-going "$BATS_TEST_TMPDIR/batch"
	json '.lines[0].failures[0].request == .failures[0].request'
	json '.lines[0] | has("environment") | not'
}

@test "the environment has the version of mrctl, the limits and the user" {
	run --separate-stderr mr reg -j
	json '.environment.mrctl == $version' --arg version "$(mrctl -V | cut -d' ' -f2)"
	json '.environment | .uid == $uid and .euid == $uid' --argjson uid "$(id -u)"
	run --separate-stderr prlimit --memlock=65536:131072 "${MR[@]}" reg -j --size 4K
	json '.environment | .memlock_soft == 65536 and .memlock_hard == 131072'
	# no limit is null in JSON, and a word in text
	prlimit --memlock=unlimited true 2>/dev/null || return 0
	run --separate-stderr prlimit --memlock=unlimited "${MR[@]}" reg -j
	json '.environment | .memlock_soft == null and .memlock_hard == null'
	run --separate-stderr prlimit --memlock=unlimited "${MR[@]}" reg -v
	grep -qx 'memlock_soft: *unlimited' <<<"$output"
}

@test "the environment has the firmware, and the kernel that the simulator answers for" {
	firmware=$(on_mlx5 && echo '"16.35.4030"' || echo null)
	run --separate-stderr mr reg -j
	json '.environment.firmware == $firmware' --argjson firmware "$firmware"
	json '.environment.simulated_kernel == $kernel' --arg kernel "${MRCTL_TEST_KERNEL:-7.2}"
	run --separate-stderr mrctl sim --kernel 6.1 -- mrctl reg -j
	json '.environment.simulated_kernel == "6.1"'
	session_begin
	run --separate-stderr ms stat -j
	json '.environment | .firmware == $firmware and .simulated_kernel == $kernel' \
		--argjson firmware "$firmware" --arg kernel "${MRCTL_TEST_KERNEL:-7.2}"
}

# bats test_tags=kernel
@test "the firmware is the one that the device reports" {
	on_simulator && skip "of a real device"
	file=/sys/class/infiniband/$(device)/fw_ver
	run --separate-stderr mr reg -j
	json '.environment | .firmware == $firmware and .simulated_kernel == null' \
		--argjson firmware "$(jq -Rs 'rtrimstr("\n") | if . == "" then null else . end' "$file")"
}

@test "-v prints the request and the environment as text" {
	exits 1 mr -v reg --memory hole --size 64K --access local-write,remote-read
	[ -z "$output" ]
	grep -qx '  argv: .*mrctl .*-v reg --memory hole --size 64K --access local-write,remote-read' \
		<<<"$stderr"
	grep -qx '  length:  *65536' <<<"$stderr"
	grep -qx '  memory:  *hole' <<<"$stderr"
	grep -qx '  access_bits:  *0x5' <<<"$stderr"
	grep -Eqx '  kernel:  *[0-9].*' <<<"$stderr"
	grep -Eqx '  memlock_soft:  *([0-9]+|unlimited)' <<<"$stderr"
	grep -qx "  uid:  *$(id -u)" <<<"$stderr"
	[ "$(grep -c 'asked for' <<<"$stderr")" -eq 0 ]
	run --separate-stderr mr reg --memory hole
	run ! grep -E '^ +(argv|kernel|uid):' <<<"$stderr"
}

@test "words are quoted in text so that a shell reads them, and a batch prints its environment once" {
	fails "'file:/nonexistent/it'\\''s \$HOME'" mr reg -v --memory "file:/nonexistent/it's \$HOME"
	run --separate-stderr mr -v batch --keep-going <<<$'reg --memory hole\nreg --memory hole'
	[ "$(grep -c '^  argv:' <<<"$stderr")" -eq 2 ] || fail "$stderr"
	[ "$(grep -c '^  kernel:' <<<"$stderr")" -eq 1 ] || fail "$stderr"
	run ! grep -q '^kernel:' <<<"$output"
}
