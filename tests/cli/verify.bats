#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# mrctl verify and --verify of the commands that register: data through the keys of regions.

load helpers
load batch
load why

@test "verify and its options: wrong usage" {
	wrong_words mr <<-'EOT'
		verify|name the regions to verify
		verify pd:default|verify works on regions
		verify 1 --size 0|--size accepts 1 to 1G
		verify 1 --size 2G|--size accepts 1 to 1G
		verify 1 --port 0|--port accepts 1 to 255
		verify 1 --access zero-based|--access accepts
		verify 1 --expect REM_ACCES_ERR|unknown answer
		reg --expect REM_ACCESS_ERR|only verify has work completions
	EOT
	absent "not in a session" mr verify 1
}

@test "what has no memory behind a key is not verified" {
	require_mlx5
	batch -- 'reg --memory null-mr' 'verify 1'
	exits 1
	[[ $stderr == *"line 2: verify 1: the null MR has no memory that a key leads to"* ]]
	batch -- 'umem --name u' 'verify u'
	exits 1
	[[ $stderr == *"line 2: verify u: a umem has no memory that a key leads to"* ]]
	session_begin
	absent "no region 'nobody'" ms verify nobody
}

# bats test_tags=kernel
@test "each access flag, alone and in pairs, grants its access up to the last byte, and no other" {
	local lines=() flags id=0 first second
	all=(local-write remote-read remote-write remote-atomic mw-bind)
	for first in none "${all[@]}"; do
		for second in "${all[@]}"; do
			flags=$first,$second
			[[ $first != none ]] || flags=$second
			# The kernel requires it of these.
			[[ $flags != *@(remote-write|remote-atomic)* ]] || flags+=,local-write
			lines+=("reg --size 100 --access $flags" "verify $((++id)) --write")
		done
	done
	batch --json -- "${lines[@]}"
	succeeded
	# mlx5 does not tell its HCA of mw-bind
	json '[.lines[].verified[]? | select(.agrees == null and .answer == "ok") | .access] | unique - ["mw-bind"] == []'
	json '([.lines[].regions[]? | {key: (.id | tostring), value: .access}] | from_entries) as $flags |
		[.lines[].verified[]?] |
		length >= 30 * 17 and all(.agrees != false) and
		all((.answer == "not-tried" and .place == "beyond") or (.access == "mw-bind" and .agrees == null) or
			((.answer == "ok") == (.place != "beyond" and
			(.access as $access | $access == "local-read" or
				($flags[.region | tostring] | index($access) != null)))))'
	json '[.lines[].verified[]? | select(.answer != "ok" and .answer != "not-tried") | .cause] | unique |
		. == ["MR-DATA-ACCESS", "MR-DATA-RANGE"]'
}

# bats test_tags=kernel
@test "verify changes no byte, with --write neither" {
	local before=$BATS_TEST_TMPDIR/before i lines file

	file=$(mktemp /dev/shm/mrctl-test-XXXXXX) # a file that the kernel pins to write
	head -c 12288 /dev/urandom >"$before"
	cat "$before" >"$file"
	lines=("reg --name a --memory file:$file --size 5000 --offset 100 -a local-write,remote-write,remote-atomic")
	for i in $(seq "${VERIFIES:-20}"); do
		lines+=('verify a' 'verify a --write' 'verify a --write --at 7 --size 3000')
	done
	batch --json -- "${lines[@]}"
	succeeded
	cmp "$file" "$before"
	rm "$file"
	json '[.lines[].verified[]? | .wrote] | unique == [false, true]'
	json '.lines[3].verified[] | select(.access == "remote-atomic") | .reason == "the address is not a multiple of 8"'
	json '[.lines[1].verified[] | select(.access == ("local-write", "remote-atomic"))] |
		all(.answer == "not-tried" and .agrees == null and .reason == "--write is not given" and .wrote == false)'
}

# bats test_tags=kernel
@test "--at, --size and --expect try one place" {
	batch --json -- 'reg --name buf --size 1M --access local-write,remote-read' \
		'verify buf --access remote-write --write --at 0x1000 --size 64K --expect REM_ACCESS_ERR' \
		'verify buf --access remote-read --at 1M --expect ok,IBV_WC_REM_ACCESS_ERR' \
		'verify buf --access remote-read --at 0 --size 256K' \
		'verify buf --access remote-write --write --expect REM_ACCESS_ERR'
	succeeded
	json '(.lines[1].verified | length == 1) and (.lines[1].verified[0] | .place == "at" and .length == 65536 and
		.answer == "REM_ACCESS_ERR" and .cause == "MR-DATA-ACCESS" and .registered == false) and
		.lines[1].as_expected and .lines[2].verified[0].cause == "MR-DATA-RANGE" and
		.lines[3].verified[0].bytes_per_second > 0'
	batch -- 'reg --name buf --size 1M --access local-write,remote-read' \
		'verify buf --access remote-read --expect REM_ACCESS_ERR'
	exits 1
	[[ $stderr == *"expected REM_ACCESS_ERR, got ok"* ]]
	batch --json --why none -- 'reg --name buf' 'verify buf --access remote-read --expect REM_ACCESS_ERR'
	json '.lines[1].verified | length > 0 and all(.answer == "REM_ACCESS_ERR" and .cause == null)'
	# it is not tried without --write
	batch -- 'reg --name buf --access local-write' 'verify buf --access remote-write --at 0 --expect REM_ACCESS_ERR'
	exits 1
	[[ $stderr == *"got not-tried: --write is not given"* ]]
}

# bats test_tags=kernel
@test "addresses begin at the IOVA, and whole pages of a relaxed region are reachable until it is invalidated" {
	gives '.verified | length == 18 and all(.agrees != false) and .[0].at == "0x10000" and .[2].at == "0x11000"' \
		mr reg-iova --iova 0x10000 --verify
	gives '.verified | length == 36 and all(.agrees != false)' mr reg --count 2 --verify
	batch --json -- 'reg --name r --relaxed --offset 100 --size 100 --access remote-read' \
		'verify r --access remote-read' 'dereg r --defer-for 100' 'verify 1 --access remote-read' 'dereg --flush' \
		'verify 1 --access remote-read'
	exits 3
	json '(.lines[1].verified | map(.at[-3:]) == ["000", "fff", "000"] and map(.answer == "ok") == [true, true, false]) and
		(.lines[3].verified | map(.answer == "ok") == [true, true, false]) and (.failures | length == 1) and
		.failures[0].index == 6'
}

# bats test_tags=kernel
@test "verify in a session leaves no object on the device" {
	need_kernel
	on_mlx5 || skip "rxe does not import a session"
	session_begin
	ms reg --name a --access local-write,remote-read --quiet
	before=$(rdma resource show "$MRCTL_TEST_DEVICE")
	for i in $(seq "${VERIFIES:-5}"); do
		ms -q verify a --write
	done
	[ "$(rdma resource show "$MRCTL_TEST_DEVICE")" = "$before" ]
}

# bats test_tags=kernel
@test "a change takes effect for data, and each kind of memory is reached up to its last byte" {
	verify='verify a --write' dmabuf=()
	require_mlx5
	# the guest with Linux 6.1 makes no dma-bufs
	! { on_simulator || [ -e /dev/udmabuf ]; } ||
		dmabuf=('reg-dmabuf --name a --from udmabuf --size 8K -a local-write,remote-read' "$verify" 'dereg a')
	batch --json -- "${dmabuf[@]}" 'reg --name a --size 64K -a local-write,remote-read' "$verify" \
		'rereg a --access local-write,remote-write,remote-atomic' "$verify" 'rereg a --size 12K' "$verify" \
		'rereg a --pd other --memory memfd --iova 0x7000' "$verify" 'dereg a' \
		'reg --name a --size 16K -a on-demand,local-write,remote-read' "$verify" 'dereg a' \
		'reg --name a --memory dm --size 4K -a local-write,remote-write,zero-based' "$verify"
	succeeded
	json '[.lines[].verified | arrays | (length == 18 and all(.agrees != false)) as $all |
		[.[] | select(.answer == "ok" and (.access | IN("local-read", "mw-bind") | not)) | .access] | unique |
		[$all] + .] | unique == [[true, "local-write", "remote-atomic", "remote-write"],
		[true, "local-write", "remote-read"], [true, "local-write", "remote-write"]]'
	json "[.lines[].verified | arrays] | length == $((6 + ${#dmabuf[@]} / 3))"
	batch --json -- 'reg --addr 0x10000000 --size 64K' \
		'reg --name all --memory none --size max -a on-demand,local-write,remote-read' \
		'verify all --at 0x10000000 --size 4096 --write'
	succeeded
	json '.lines[2].verified | map([.access, .answer]) | .[:4] == [["local-read", "ok"], ["local-write", "ok"],
		["remote-read", "ok"], ["remote-write", "REM_ACCESS_ERR"]]'
}

# bats test_tags=kernel
@test "a region that leads to other pages is found" {
	file=$BATS_TEST_TMPDIR/file
	need_kernel
	! on_mlx5 && [ "${MRCTL_TEST_GUEST:-}" = sid ] || skip "needs the on-demand paging of rxe"
	printf 'abcd%60sefgh%4028sijkl%4092sz' '' '' '' >"$file"
	refused_because MR-DATA-BYTES certain mr --json reg --memory "file:$file" --size 8K \
		--access local-write,remote-read,on-demand --verify
	json '.failures[0] | .status == "OTHER_DATA" and .errno == null and (.message | contains("expected ok, got OTHER_DATA"))'
	succeeded mr -q reg --memory "file:$file" --size 8K --access local-write,remote-read --verify
}

# bats test_tags=kernel
@test "a page that cannot be fetched is the cause, and a fault of the IOMMU in the kernel's log is evidence" {
	hole=('reg --name a --memory hole --size 64K -a on-demand,local-write,remote-read' 'verify a --access remote-read')
	require_mlx5
	batch --json -- "${hole[@]}"
	exits 1
	json '.lines[1].verified | map([.place, .answer, .cause]) == [["first", "ok", null],
		["last", "REM_ACCESS_ERR", "MR-DATA-PAGE"], ["beyond", "REM_ACCESS_ERR", "MR-DATA-RANGE"]]'
	! on_simulator || return 0
	echo "DMAR: [DMA Read NO_PASID] Request device [00:10.0] fault addr 0x1000 [fault reason 0x06] PTE" >/dev/kmsg
	batch --json -- "${hole[@]}"
	json '[.lines[].failures[].causes[] | select(.id == "MR-DATA-IOMMU")] | length == 1 and .[0].certainty == "likely" and
		(.[0].evidence.fault | contains("fault addr 0x1000"))'
}

# bats test_tags=kernel
@test "verify names what to use where the provider cannot import a session" {
	! on_mlx5 || skip "libmlx5 imports"
	session_begin
	ms reg --name a --quiet
	fails "ibv_import_device: EOPNOTSUPP" ms verify a
	[[ $stderr == *"mrctl reg --verify"*"mrctl batch"* ]]
	fails "use --verify outside of a session" ms reg --verify
}
