#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# After mrctl rereg peers reach the memory through the printed key, with the printed access, and through no older
# key.  The software HCA, which reads and writes through keys, proves it.

load helpers

setup() {
	note_less
	require_probe
	FILE=$(mktemp /dev/shm/mrctl-test-XXXXXX)
	OTHER=$(mktemp /dev/shm/mrctl-test-XXXXXX)
	printf 'abcd' >"$FILE"
	printf 'wxyz' >"$OTHER"
	truncate -s 16M "$FILE" "$OTHER"
	session_begin
}

teardown() {
	hca-probe --fail none 2>/dev/null || :
	rm -f "${FILE:-}" "${OTHER:-}"
	tidy
}

# The first words of the two files
OLD=0x64636261 NEW=0x7a797877

# make [ARG...]: the region "a" on FILE, which peers may read; sets key and addr
make() {
	ms reg --name a --memory "file:$FILE" --access local-write,remote-read --quiet "$@"
	read -r key addr < <(ms stat -n -o rkey,iova a)
	[ "$(hca-probe "$key" "$addr")" = "$OLD" ]
}

# change [ARG...]: change it; sets old_key and old_addr to key and addr, and those anew
change() {
	old_key=$key old_addr=$addr
	read -r key addr < <(ms rereg a -n -o rkey,iova "$@")
	[ -n "$addr" ]
}

# peers MAY WORD: peers may read (r in MAY) and write (w), and find WORD
peers() {
	local word may=''

	if word=$(hca-probe "$key" "$addr" 2>/dev/null); then
		may=r
		[ "$word" = "$2" ] || fail "$word instead of $2" || return
	fi
	! hca-probe -w "$2" "$key" "$addr" 2>/dev/null || may+=w
	[ "$may" = "${1#-}" ] || fail "peers may '$may' instead of '$1'"
}

# unreachable KEY ADDR: a peer cannot read there
unreachable() {
	! hca-probe "$1" "$2" 2>/dev/null || fail "key $1 still reaches $2"
}

# bats test_tags=kernel
@test "after each kind of change peers reach the memory with the new key and access, and no other" {
	all=local-write,remote-read,remote-write
	while read -r may word words; do
		make
		change $words || fail "rereg $words" || return
		peers "$may" "$word" || fail "after rereg $words" || return
		if [ "$key" != "$old_key" ]; then
			unreachable "$old_key" "$old_addr" && unreachable "$old_key" "$addr"
		elif [ "$addr" != "$old_addr" ]; then
			unreachable "$key" "$old_addr"
		fi || fail "after rereg $words" || return
		ms dereg a --quiet
		unreachable "$key" "$addr" || fail "after rereg $words and dereg" || return
	done <<-EOF
		r $NEW --memory file:$OTHER
		r $NEW --memory file:$OTHER --size 8M
		r $NEW --memory file:$OTHER --size 8K --iova 0x7000000000
		r $OLD --pd two
		rw $OLD --access $all
		w $OLD --access local-write,remote-write
		- $OLD --access local-write
		r $NEW --memory file:$OTHER --pd two
		rw $NEW --memory file:$OTHER --access $all
		- $NEW --memory file:$OTHER --access none
		rw $OLD --pd two --access $all
		rw $NEW --memory file:$OTHER --size 8M --iova 0x7000000000 --pd two --access $all
	EOF
}

# bats test_tags=kernel
@test "after many changes none of the older keys works again, nor that of a dma-buf after ordinary memory" {
	make
	for size in 8M 4K 16M 64K 4M; do
		set -- "$key" "$@"
		change --memory "file:$OTHER" --size "$size"
		peers r "$NEW"
		for old; do
			[ "$old" = "$key" ] || unreachable "$old" "$addr"
		done
	done
	ms dereg a --quiet
	for old; do
		unreachable "$old" "$addr"
	done
	[ -c /dev/udmabuf ] || return 0
	dmabuf-tool make udmabuf 65536 9 mrctl reg-dmabuf --from fd:9 --name a --access remote-read --quiet
	read -r key addr < <(ms stat -n -o rkey,iova a)
	[ "$(hca-probe "$key" "$((addr + 4096))")" = 0x00000001 ]
	change --memory "file:$OTHER" --size 8K
	peers r "$NEW"
	[ "$key" != "$old_key" ]
	unreachable "$old_key" "$((old_addr + 4096))"
}

# refused_change ERRNO [ARG...]: a change is refused with ERRNO, and peers have the same memory and access as before
refused_change() {
	run --separate-stderr ms rereg a "${@:2}" --json
	refused "$1" "ioctl(REREG_MR)" || return
	json '.failures[0].old_region == "unknown"' || return
	[ "$(ms stat -n -o state,rkey,iova a)" = "suspect $key $addr" ] || fail "$(ms stat a)" || return
	peers r "$OLD" || fail "after rereg ${*:2}"
}

# bats test_tags=kernel
@test "after a refusal, of the kernel or of the firmware, peers have the old memory, key and access" {
	make
	refused_change EFAULT --memory unmapped
	refused_change EFAULT --memory hole --size 8K
	refused_change EFAULT --memory readonly --access local-write,remote-read,remote-write
	refused_change EINVAL --access remote-write
	refused_change EINVAL --memory "file:$OTHER" --access remote-write --pd two
	refused_change EINVAL --memory "file:$OTHER" --iova 0x7000000001
	# and the region can be changed
	change --memory "file:$OTHER" --access local-write,remote-write,remote-read
	peers rw "$NEW"
	ms dereg a --quiet
	# a refusal of the firmware: a key that the driver does not take from its pools
	make --size 4K
	hca-probe --fail CREATE_MKEY=LIM_ERR
	run --separate-stderr ms rereg a --memory "file:$OTHER" --size 16M --json
	hca-probe --fail none
	if [ "$status" -eq 0 ]; then
		read -r key addr < <(ms stat -n -o rkey,iova a)
		peers r "$NEW"
	else
		refused ENOMEM "ioctl(REREG_MR)"
		peers r "$OLD"
	fi
	ms dereg a --quiet
	make --size 8K
	echo "mrctl-test: expect umr" >/dev/kmsg
	hca-probe --fail UMR=RES_BUSY
	run --separate-stderr ms rereg a --memory "file:$OTHER" --size 8K --json
	hca-probe --fail none
	[ "$status" -eq 1 ] || fail "it was not refused: $output"
	[ "$(ms stat -n -o state a)" = suspect ]
	peers r "$OLD"
	change --memory "file:$OTHER" --size 8K
	peers r "$NEW"
}
