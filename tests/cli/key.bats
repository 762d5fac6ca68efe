#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A printed key gives access to the memory, as was asked for, until deregistration.  The software HCA proves it by
# reading and writing through the key.

load helpers

setup() {
	note_less
	require_probe
	FILE=$(mktemp /dev/shm/mrctl-test-XXXXXX)
	# The word at the start of the second page is 0x64636261.
	{ head -c 4096 /dev/zero; printf 'abcd'; head -c 4092 /dev/zero; } >"$FILE"
}

teardown() {
	[ -z "${FILE:-}" ] || rm -f "$FILE"
	tidy
}

# hold_file COMMAND [ARG...]: hold a region on the file; sets key and addr (of the second page)
hold_file() {
	local command=$1

	hold "$command" --memory "file:$FILE" --size 8K --hold -n -o rkey,iova "${@:2}"
	read -r key addr <"$HOLD_OUT"
	addr=$((addr + 4096))
}

# word: prints the word at the start of the file's second page
word() {
	dd if="$FILE" bs=4096 skip=1 count=1 status=none | head -c 4
}

# bats test_tags=kernel
@test "peers and the device itself reach the memory with the requested access, until dereg" {
	hold_file reg --access local-write,remote-read,remote-write
	[ "$(hca-probe "$key" "$addr")" = 0x64636261 ]
	hca-probe -w 0x78787878 "$key" "$addr"
	[ "$(word)" = xxxx ]
	release
	run ! hca-probe "$key" "$addr"
	run ! hca-probe -w 0x64636261 "$key" "$addr"
	[ "$(word)" = xxxx ]
	hold_file reg --access remote-read
	[ "$(hca-probe "$key" "$addr")" = 0x78787878 ]
	probe_refused access -w 1
	release
	# no peer
	hold_file reg
	probe_refused access
	probe_refused access -w 1
	[ "$(hca-probe -l "$key" "$addr")" = 0x78787878 ]
	release
	# the device itself may read, and not write
	hold_file reg --access none
	[ "$(hca-probe -l "$key" "$addr")" = 0x78787878 ]
	probe_refused access -l -w 1
	[ "$(word)" = xxxx ]
	release
}

# bats test_tags=kernel
@test "through reg-iova a peer finds the memory at the chosen address, which may be 0, and only there" {
	hold_file reg-iova --iova 0x7000000000 --access remote-read
	[ "$addr" -eq $((0x7000001000)) ]
	[ "$(hca-probe "$key" "$addr")" = 0x64636261 ]
	addr=$((0x7000002000))
	probe_refused range
	addr=$((0x6ffffffffc))
	probe_refused range
	release
	hold_file reg-iova --iova 0 --access remote-read
	[ "$addr" -eq 4096 ]
	[ "$(hca-probe "$key" "$addr")" = 0x64636261 ]
	addr=8192
	probe_refused range
	release
}
