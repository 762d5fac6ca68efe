#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A key leads to the region's memory, and to no other: data moves through it by a way that is not the software HCA's
# own probe.  On rxe that is a queue pair of the session.  On mlx5 what goes in through one key is read through the
# key of a second registration of the same pages, and by a process.

load helpers


setup() {
	[ -n "${MRCTL_TEST_GUEST:-}" ] || skip "needs a kernel or an HCA that moves data"
	FILE=$(mktemp /dev/shm/mrctl-test-XXXXXX)
	# 0x64636261 at the start, 0x68676665 at 0x40, 0x6c6b6a69 at the start of the second page
	printf 'abcd%60sefgh%4028sijkl%4092s' '' '' '' >"$FILE"
	session_begin
}

teardown() {
	[ -z "${FILE:-}" ] || rm -f "$FILE"
	tidy
}

# through KEY ADDR [VALUE]: reads the word, or writes it
through() {
	if on_mlx5; then
		hca-probe ${3:+--write "$3"} "$1" "$2"
	elif [ $# -eq 3 ]; then
		"$OBJECT_TOOL" write "$@"
	else
		"$OBJECT_TOOL" read "$@"
	fi
}

# word OFFSET: prints four bytes of the file
word() {
	dd if="$FILE" bs=1 skip="$1" count=4 status=none
}

# bats test_tags=kernel
@test "a key leads to the pages of its region, as a second registration of them shows" {
	ms reg --name a --memory "file:$FILE" --size 8K --access local-write,remote-write,remote-read --quiet
	ms reg --name b --memory "file:$FILE" --size 8K --access remote-read --quiet
	ms reg --name c --memory memfd --size 8K --access remote-read --quiet
	read -r key addr < <(ms stat -n -o rkey,iova a)
	read -r key2 addr2 < <(ms stat -n -o rkey,iova b)
	[ "$key" != "$key2" ]
	[ "$(through "$key" "$addr")" = 0x64636261 ]
	[ "$(through "$key2" $((addr2 + 0x40)))" = 0x68676665 ]
	through "$key" $((addr + 4096)) 0x7a7a7a7a
	[ "$(word 4096)" = zzzz ]
	[ "$(through "$key2" $((addr2 + 4096)))" = 0x7a7a7a7a ]
	# a process writes, and only the regions of this memory show it
	printf wwww | dd of="$FILE" bs=1 seek=4096 conv=notrunc status=none
	[ "$(through "$key" $((addr + 4096)))" = 0x77777777 ]
	read -r other addr < <(ms stat -n -o rkey,iova c)
	[ "$(through "$other" $((addr + 4096)))" != 0x77777777 ]
	run ! through "$key2" "$addr2" 0x79797979
	[ "$(word 0)" = abcd ]
	ms dereg b --quiet
	run ! through "$key2" "$addr2"
}

# A kernel that does it right makes this fail: then the row of lib/diagnose/kernel.c has its last release.
# bats test_tags=kernel
@test "mrctl reports once that rxe corrupts data of on-demand regions, and rxe does" {
	local MR=("${MS[@]}") access=local-write,remote-write,remote-read,on-demand

	if on_mlx5 || ! ms reg --access on-demand --quiet 2>/dev/null; then
		run --separate-stderr ms reg --access on-demand
		[[ $stderr != *corrupts* ]]
		return
	fi
	ms dereg --all --quiet
	hold reg --name a --memory "file:$FILE" --size 8K --access "$access" --hold -n -o rkey,iova
	grep -q "rxe corrupts data of on-demand regions" "$HOLD_ERR"
	read -r key addr <"$HOLD_OUT"
	[ "$(through "$key" "$addr")" = 0x64636261 ]
	[ "$(through "$key" $((addr + 0x1000)))" = 0x6c6b6a69 ]
	# the start of the page each time, read and written
	[ "$(through "$key" $((addr + 0x40)))" = 0x64636261 ]
	[ "$(through "$key" $((addr + 0x1040)))" = 0x6c6b6a69 ]
	through "$key" $((addr + 0x40)) 0x7a7a7a7a
	[ "$(word 0) $(word 64)" = "zzzz efgh" ]
	observed "on-demand, a transfer in the middle of a page" "the start of the page"
	release
	ms dereg a --quiet
	run --separate-stderr ms batch <<-'EOT'
		reg --access on-demand
		reg --access on-demand
	EOT
	[ "$(grep -c corrupts <<<"$stderr")" -eq 1 ]
	run --separate-stderr ms reg --access on-demand --quiet
	[[ $stderr != *corrupts* ]]
}

# bats test_tags=kernel
@test "an on-demand region of rxe whose IOVA is not its address leads to other pages" {
	addr=0x7e5500000000
	local MR=("${MS[@]}") access=local-write,remote-read

	! on_mlx5 || skip "mlx5 does it right"
	ms reg --access on-demand --quiet 2>/dev/null || skip "no on-demand paging here"
	ms dereg --all --quiet
	hold reg-iova --name a --memory "file:$FILE" --size 8K --access "$access,on-demand" --addr $addr \
		--iova $((addr + 0x1000)) --hold -n -o rkey
	read -r key <"$HOLD_OUT"
	# the second page instead of the first; the page behind it is outside of the kernel's list
	[ "$(through "$key" $((addr + 0x1000)))" = 0x6c6b6a69 ]
	release
	ms dereg a --quiet
	# pinned, it is right
	ms reg-iova --name a --memory "file:$FILE" --size 8K --access "$access" --addr $addr \
		--iova $((addr + 0x1000)) --quiet
	key=$(ms stat -n -o rkey a)
	[ "$(through "$key" $((addr + 0x1000)))" = 0x64636261 ]
	[ "$(through "$key" $((addr + 0x2000)))" = 0x6c6b6a69 ]
}

# bats test_tags=kernel
@test "data moves as the InfiniBand specification says, for each operation, access and place, and for drawn ranges" {
	run --separate-stderr env DEVICE="$MRCTL_TEST_DEVICE" RELEASE="$(uname -r)" path-tool "${DRAWS:-2000}"
	[[ $status -eq 0 && $output == *" checks, 0 differences" ]] || fail "$output" "$stderr"
}
