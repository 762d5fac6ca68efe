#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The kinds and places of memory: --memory, --offset, --addr, --populate, --numa.
# shellcheck disable=SC2016 # jq has variables of its own

load helpers

setup() {
	note_less
	FILE=$(mktemp -u /dev/shm/mrctl-test-XXXXXX)
}

teardown() {
	rm -f "$FILE"
	tidy
}

# registers ARG...: a region of 64K on this memory is registered
registers() {
	run --separate-stderr mr reg --json --size 64K "$@"
	[ "$status" -eq 0 ] || fail "$*: $stderr" || return
	json '.regions[0] | .memory == $kind and .length == 65536' --arg kind "$2"
}

# bats test_tags=kernel
@test "every ordinary kind of memory is registered" {
	local kind

	for kind in anon thp memfd "file:$FILE" "file-private:$FILE" device:/dev/zero; do
		registers --memory "$kind"
	done
}

# bats test_tags=kernel
@test "huge pages are registered, and shown in page_size" {
	local free

	free=$(awk '/^HugePages_Free:/ { print $2 }' /proc/meminfo)
	[ "${free:-0}" -gt 0 ] || skip "this machine has no free huge pages (HugePages_Free)"
	registers --memory hugetlb
	json '.regions[0].page_size > 4096'
	[ -e /sys/kernel/mm/hugepages/hugepages-2048kB ] || return 0
	registers --memory hugetlb:2M
	json '.regions[0].page_size == 2097152'
}

@test "a message about missing huge pages says what to do" {
	local pages=/sys/kernel/mm/hugepages/hugepages-2048kB

	[ -e $pages ] || skip "this kernel has no huge pages of 2M"
	[ "$(cat $pages/free_hugepages)" = 0 ] || skip "there are free huge pages of 2M here"
	[ "$(cat $pages/nr_overcommit_hugepages)" = 0 ] || skip "huge pages may be overcommitted"
	run --separate-stderr mr reg --memory hugetlb:2M
	refused ENOMEM mmap
	[[ $stderr == *"1 huge page of 2048 KiB is wanted; 0 are free"*nr_hugepages* ]]
}

# bats test_tags=kernel
@test "the limit of the process that was reached is named, and no other" {
	! is_sanitized || skip "the sanitizer takes more than such limits allow"
	run --separate-stderr prlimit --data=104857600 "${MR[@]}" reg --size 1G
	refused ENOMEM mmap
	[[ $stderr == *"RLIMIT_DATA is 104857600 bytes"*VmData* && $stderr != *MEMLOCK* ]]
	run --separate-stderr prlimit --as=536870912 "${MR[@]}" reg --size 1G
	refused ENOMEM mmap
	[[ $stderr == *"RLIMIT_AS is 536870912 bytes"*VmSize* ]]
	# shared mappings count for one of the two limits only
	run --separate-stderr prlimit --data=104857600 "${MR[@]}" reg --size 1G --memory memfd \
		--access on-demand
	[[ $stderr != *RLIMIT_DATA* ]]
	run --separate-stderr prlimit --as=536870912 "${MR[@]}" reg --size 1G --memory memfd
	refused ENOMEM mmap
	[[ $stderr == *RLIMIT_AS* ]]
}

# bats test_tags=kernel
@test "no memory and the largest size register on demand (implicit ODP)" {
	on_mlx5 || skip "rxe has no implicit on-demand paging"
	run --separate-stderr mr reg --memory none --size max --access local-write,on-demand -j
	succeeded
	json '.regions[0] | .addr == "0x0" and .memory == "none"'
	grep -q '"length":18446744073709551615,' <<<"$output"
}

# bats test_tags=kernel
@test "a region on demand needs no pages" {
	run --separate-stderr mr reg --access local-write,on-demand -j
	if [ "$status" -eq 1 ] && ! on_mlx5; then
		skip "this kernel's rxe has no on-demand paging: ${stderr_lines[0]}"
	fi
	succeeded
	json '.regions[0].access == ["local-write", "on-demand"]'
}

# bats test_tags=kernel
@test "--offset starts inside the mapping, page or not" {
	run --separate-stderr mr reg --offset 123 --size 5000 -j
	succeeded
	json '(.regions[0] | .length == 5000) and (.regions[0].addr | endswith("07b"))'
}

@test "a missing file is created, and stays" {
	run --separate-stderr mr reg --memory "file:$FILE" --size 10000
	succeeded
	[ "$(stat -c '%s %a' "$FILE")" = "12288 600" ]
}

@test "an existing file is used as it is" {
	printf 'contents' >"$FILE"
	run --separate-stderr mr reg --memory "file:$FILE" --size 8
	succeeded
	[ "$(cat "$FILE")" = contents ]
}

@test "a region that reaches beyond the end of its file is refused with EFAULT" {
	printf 'short' >"$FILE"
	run --separate-stderr mr reg --memory "file:$FILE" --size 64K
	refused EFAULT ibv_reg_mr
}

@test "no file is left where the memory cannot be mapped" {
	run --separate-stderr mr reg --memory "file:$FILE" --addr 1
	[ "$status" -eq 1 ]
	run --separate-stderr mr reg --memory "file:$FILE" --size max
	[ "$status" -eq 1 ]
	[ ! -e "$FILE" ]
}

@test "a file that was made for regions of which none is registered is removed again" {
	run --separate-stderr mr reg --memory "file:$FILE" --access remote-write
	[ "$status" -eq 1 ]
	[ ! -e "$FILE" ]
	run --separate-stderr mr reg --memory "file:$FILE" --access remote-write --count 3 --keep-going
	[ "$status" -eq 1 ]
	[ ! -e "$FILE" ]
	for line in "reg --memory file:$FILE --access remote-write" \
		"rereg a --memory file:$FILE --flags 0x100 --via library"; do
		run --separate-stderr mr batch < <(printf '%s\n' 'reg --name a' "$line")
		[ "$status" -eq 1 ]
		[ ! -e "$FILE" ] || fail "$line"
	done
	session_begin
	run --separate-stderr ms reg --memory "file:$FILE" --access remote-write
	[ "$status" -eq 1 ]
	[ ! -e "$FILE" ]
}

@test "a file that was made stays where one of its regions is registered" {
	on_simulator || skip "needs the simulator's faults"
	run --separate-stderr faulty reg_mr@1=ENOMEM reg --memory "file:$FILE" --count 2 --keep-going
	[ "$status" -eq 1 ]
	[ -s "$FILE" ]
	on_mlx5 || return 0
	rm "$FILE"
	session_begin
	ms reg --quiet
	run --separate-stderr ms rereg 1 --memory "file:$FILE"
	succeeded
	[ -s "$FILE" ]
	# the second is refused; its file existed before, and stays
	run --separate-stderr ms reg --memory "file:$FILE" --access remote-write
	[ "$status" -eq 1 ]
	[ -s "$FILE" ]
}

# file_is_made: waits until the file exists
file_is_made() {
	until [ -s "$FILE" ]; do
		is_running "$1" || fail "it ended" || return
		sleep 0.02
	done
}

@test "a signal before the registration removes the file that was made for it" {
	on_simulator || skip "needs the simulator's faults"
	for signal in TERM HUP; do
		# the default, even if the tests are run by nohup, which ignores SIGHUP
		MRCTL_SIM_FAULT=reg_mr=delay:30000 env --default-signal=HUP "${MR[@]}" reg \
			--memory "file:$FILE" >/dev/null 3>&- &
		file_is_made $!
		kill -$signal $!
		status=0
		wait $! || status=$?
		[ "$status" -eq $((128 + $(kill -l $signal))) ]
		[ ! -e "$FILE" ]
	done
}

@test "a file that was made is not removed where its name has become another's" {
	on_simulator || skip "needs the simulator's faults"
	MRCTL_SIM_FAULT='reg_mr=delay:500;reg_mr=ENOMEM' "${MR[@]}" reg --memory "file:$FILE" 3>&- \
		>/dev/null 2>&1 &
	file_is_made $!
	echo mine >"$FILE.new"
	mv "$FILE.new" "$FILE"
	! wait $!
	[ "$(cat "$FILE")" = mine ]
}

@test "a file that cannot be used is named" {
	run --separate-stderr mr reg --memory "file-private:$FILE"
	refused ENOENT open
	[[ $stderr == *"'$FILE'"* ]]
	run --separate-stderr mr reg --memory file:/nowhere/x
	refused ENOENT open
	run --separate-stderr mr reg --memory device:/nowhere
	refused ENOENT open
}

@test "a path that is neither file nor device is refused at once, and named" {
	local kind

	mkfifo "$FILE"
	for kind in file file-private device; do
		run --separate-stderr timeout 20 "${MR[@]}" reg --memory "$kind:$FILE" --json
		[ "$status" -eq 1 ] || fail "$kind: exit status $status: $stderr"
		[[ $stderr == *"cannot map '$FILE': it is a FIFO, not a file or a device"* ]]
		json '.failures[0].errno == "ENODEV" and .regions == []'
	done
	[ -p "$FILE" ]
	run --separate-stderr mr reg --memory "file-private:$BATS_TEST_TMPDIR"
	[ "$status" -eq 1 ]
	[[ $stderr == *"it is a directory"* ]]
}

@test "a device that cannot be mapped is a reported error" {
	run --separate-stderr mr reg --memory device:/dev/null
	refused ENODEV mmap
}

# bats test_tags=kernel
@test "--addr maps at the address" {
	run --separate-stderr mr reg --addr 0x200000000000 -n -o addr
	succeeded
	[ "$output" = 0x200000000000 ]
}

@test "--addr and --offset add up, with every kind" {
	local kind

	for kind in anon thp memfd "file:$FILE"; do
		run --separate-stderr mr reg --addr 0x200000000000 --offset 0x1010 --memory "$kind" \
			-n -o addr
		succeeded
		[ "$output" = 0x200000001010 ]
	done
}

@test "--addr fails where nothing can be mapped, and says why" {
	run --separate-stderr mr reg --addr 0x200000000001
	refused EINVAL mmap
	[[ $stderr == *--offset* ]]
	run --separate-stderr mr reg --addr 0xfffffffffffff000
	refused ENOMEM mmap
}

# bats test_tags=kernel
@test "--populate registers as well" {
	registers --memory anon --populate
}

@test "--populate of memory that does not exist fails before the registration" {
	printf 'short' >"$FILE"
	run --separate-stderr mr reg --memory "file:$FILE" --size 64K --populate
	refused EFAULT madvise
	[[ $stderr == *--populate* ]]
}

@test "--numa takes the pages from the node" {
	[ -d /sys/devices/system/node/node0 ] || skip "no NUMA nodes in /sys/devices/system/node"
	registers --memory anon --numa 0 --populate
}

@test "--numa with a node that does not exist fails" {
	run --separate-stderr mr reg --numa 1000
	refused EINVAL mbind
	[[ $stderr == *"NUMA node 1000"* ]]
}

@test "--numa beyond all nodes is a usage error" {
	run --separate-stderr mr reg --numa 99999
	usage_error "no NUMA node 99999"
}

@test "memory without pages cannot be populated or bound" {
	run --separate-stderr mr reg --memory none --populate
	usage_error "--populate" "none"
	run --separate-stderr mr reg --memory unmapped --numa 0
	usage_error "--numa" "unmapped"
}
