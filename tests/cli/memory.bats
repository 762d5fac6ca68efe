#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The kinds and places of memory: --memory, --offset, --addr, --populate, --numa.

load helpers
load mappings
load rows

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
@test "every ordinary kind of memory is registered, and on demand none is needed" {
	for kind in anon thp memfd "file:$FILE" "file-private:$FILE" device:/dev/zero; do
		registers --memory "$kind"
	done
	registers --memory anon --populate --offset 123
	json '.regions[0].addr | endswith("07b")'
	if on_mlx5; then
		registers --memory unmapped --access local-write,on-demand
		json '.regions[0].access == ["local-write", "on-demand"]'
	fi
	free=$(awk '/^HugePages_Free:/ { print $2 }' /proc/meminfo)
	[ "${free:-0}" -gt 0 ] || return 0
	registers --memory hugetlb
	json '.regions[0].page_size > 4096'
	[ -e /sys/kernel/mm/hugepages/hugepages-2048kB ] || return 0
	registers --memory hugetlb:2M
	json '.regions[0].page_size == 2097152'
}

# ---- what the host refuses

# bats test_tags=release
@test "shared mappings are included in only one of the two limits of memory" {
	! is_sanitized || skip "the sanitizer takes more than such limits allow"
	# of private ones both are in why-preparing.bats
	run --separate-stderr prlimit --data=104857600 "${MR[@]}" reg --size 1G --memory memfd --access on-demand
	[[ $stderr != *RLIMIT_DATA* ]]
	refused ENOMEM mmap prlimit --as=536870912 "${MR[@]}" reg --size 1G --memory memfd
	[[ $stderr == *RLIMIT_AS* && $stderr != *MEMLOCK* ]]
}

# bats test_tags=slow
@test "if memory cannot be allocated, the failed call and the path are named" {
	answers mr reg <<-END
		ENOENT open --memory file:/nowhere/x
		ENOENT open --memory device:/nowhere
		ENODEV mmap --memory device:/dev/null
		ENOMEM mmap --addr 0xfffffffffffff000
		EINVAL mbind --numa 1000
		EINVAL mmap --addr 0x200000000001
	END
	[[ $stderr == *--offset* ]]
	run --separate-stderr mr reg --numa 1000
	[[ $stderr == *"NUMA node 1000"* ]]
	refused ENOENT open mr reg --memory "file-private:$FILE"
	[[ $stderr == *"'$FILE'"* ]]
	printf short >"$FILE"
	answers mr reg --memory "file:$FILE" --size 64K <<-'END'
		EFAULT ibv_reg_mr
		EFAULT madvise --populate
	END
	[[ $stderr == *--populate* ]]
	rm "$FILE"
	mkfifo "$FILE"
	for kind in file file-private device; do
		run --separate-stderr timeout 60 "${MR[@]}" reg --memory "$kind:$FILE" --json
		[ "$status" -eq 1 ] || fail "$kind: exit status $status: $stderr"
		[[ $stderr == *"cannot map '$FILE': it is a FIFO, not a file or a device"* ]]
		json '.failures[0].errno == "ENODEV" and .regions == []'
	done
	[ -p "$FILE" ]
	fails "it is a directory" mr reg --memory "file-private:$BATS_TEST_TMPDIR"
}

@test "--addr and --offset add up, with every kind" {
	for kind in anon thp memfd "file:$FILE" none; do
		values mr reg --access on-demand --via kernel --memory "$kind" -n -o addr <<-'END'
			--addr 0x200000000000 | 0x200000000000
			--addr 0x200000000000 --offset 0x1010 | 0x200000001010
		END
	done
}

# ---- odd kinds, by the kernel's interface: librxe of old has no ibv_advise_mr

# odd [ARG...]: registers 8K of what mapped has mapped
odd() {
	mr reg --memory none --addr "$AT" --size 8K --via kernel "$@"
}

# advised ANSWER ADVICE...: registered on demand, it gets this answer to each advice
advised() {
	local advice

	for advice in "${@:2}"; do
		run --separate-stderr odd --access local-write,remote-write,on-demand --advise "$advice" -n -o advice_answer
		[ "$output" = "$1" ] || fail "$advice: $output" "$stderr" || return
	done
}

# require_odp: skips unless the simulated device has on-demand paging
require_odp() {
	on_mlx5 || [ "${MRCTL_TEST_KERNEL:-7.2}" = 7.2 ] || skip "no on-demand paging"
}

# bats test_tags=release
@test "secret memory and the ring of a perf event cannot be pinned, and only the former is fetched" {
	answer=EPERM
	require_odp
	mapped "$AT:64K:secret"
	answers odd <<<'EFAULT ioctl(REG_MR)'
	advised ok prefetch,flush prefetch-write,flush prefetch-no-fault,flush
	mapped "$AT:36K:ring,0x200000010000:36K:readring"
	answers odd <<<'EFAULT ioctl(REG_MR)'
	advised EFAULT prefetch-write,flush
	! linux 7.2 || answer=EFAULT # the kernel maps it like memory of a device
	AT=0x200000010000 advised $answer prefetch-write,flush
}

# bats test_tags=release
@test "memory that can only be written is pinned for writing, and a device cannot fault it in" {
	require_odp
	mapped "$AT:64K:write"
	answers odd <<<'ok -'
	advised EFAULT prefetch,flush prefetch-write,flush
	advised ok prefetch-no-fault,flush
}

# ---- files that are made

@test "a file that was made for regions of which none is registered is removed again" {
	for line in "--addr 1" "--size max" "--access remote-write" "--access remote-write --count 3 --keep-going"; do
		exits 1 mr reg --memory "file:$FILE" $line
		[ ! -e "$FILE" ] || fail "$line"
	done
	for line in "reg --memory file:$FILE --access remote-write" \
		"rereg a --memory file:$FILE --flags 0x100 --via library"; do
		exits 1 mr batch < <(printf '%s\n' 'reg --name a' "$line")
		[ ! -e "$FILE" ] || fail "$line"
	done
	session_begin
	exits 1 ms reg --memory "file:$FILE" --access remote-write
	[ ! -e "$FILE" ]
}

@test "a file that was made stays where one of its regions is registered" {
	exits 1 faulty reg_mr@1=ENOMEM reg --memory "file:$FILE" --count 2 --keep-going
	[ -s "$FILE" ]
	on_mlx5 || return 0
	rm "$FILE"
	refused EINVAL mlx5dv_devx_umem_reg_ex mr umem --try-page-sizes --memory "file:$FILE" --access remote-write
	[ ! -e "$FILE" ]
	mr umem --try-page-sizes --memory "file:$FILE" --quiet
	[ -s "$FILE" ]
	rm "$FILE"
	session_begin
	ms reg --quiet
	succeeded ms rereg 1 --memory "file:$FILE"
	[ -s "$FILE" ]
	# the second is refused; its file existed before, and stays
	exits 1 ms reg --memory "file:$FILE" --access remote-write
	[ -s "$FILE" ]
}

@test "a signal before the registration removes the file that was made for it" {
	for signal in TERM HUP; do
		# the default, even if the tests are run by nohup, which ignores SIGHUP
		MRCTL_SIM_FAULT=reg_mr=delay:600000 env --default-signal=HUP "${MR[@]}" reg \
			--memory "file:$FILE" >/dev/null 3>&- &
		HOLD_PID=$!
		await test -s "$FILE"
		status=0
		release $signal || status=$?
		[ "$status" -eq $((128 + $(kill -l $signal))) ]
		[ ! -e "$FILE" ]
	done
}

@test "a file that was made is not removed if its name now belongs to another file" {
	pause_at 'reg_mr=stop;reg_mr=ENOMEM' reg --memory "file:$FILE"
	echo mine >"$FILE.new"
	mv "$FILE.new" "$FILE"
	! go_on
	[ "$(cat "$FILE")" = mine ]
}
