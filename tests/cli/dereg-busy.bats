#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# mrctl dereg of objects that are in use.  A region with a memory window bound to it, or with a DEVX object on it:
# the driver refuses, and the region stays as it was.  A protection domain in which another command registers
# at that moment.

load helpers

setup() {
	note_less
	session_begin
}

# bind REGION: binds a memory window to the region; prints the handle of the window, and its key
bind() {
	local region

	read -ra region < <(ms stat -n -o handle,lkey,addr,length "$1")
	tool window "${region[@]}"
}

# stays ERRNO CALL CAUSE: dereg of the region "used" is refused with these, dereg --all deregisters the others, and
# "used" is as it was
stays() {
	local before

	before=$(ms stat --json used | jq -c .regions)
	refused "$1" "$2" ms dereg used
	[[ $stderr == *"$3"* ]] || fail "no such cause: $stderr" || return
	[ -z "$output" ]
	refused "$1" "$2" ms dereg --all --json
	json '([.regions[].name] | sort) == ["one", "two"] and [.failures[].region] == [2]'
	[[ $stderr == *"2 of 3 regions deregistered"* ]]
	[ "$(ms stat --json | jq -c .regions)" = "$before" ]
}

# bats test_tags=kernel
@test "an MR with a memory window bound to it stays until the window has gone" {
	errno=EINVAL
	[ -n "${MRCTL_TEST_GUEST:-}" ] || skip "the simulator binds no windows"
	if on_mlx5; then
		[ "${MRCTL_TEST_HCA:-}" != no-windows ] || skip "this HCA does not count windows"
		echo "mrctl-test: expect umr" >/dev/kmsg
		errno=EBUSY
	fi
	ms reg --name one --quiet
	ms reg --name used --access local-write,remote-read,mw-bind --size 8K --quiet
	ms reg --name two --quiet
	read -r window _ < <(bind used)
	stays $errno "ioctl(MR_DESTROY)" "a memory window may be bound to the region"
	tool free-window "$window"
	ms dereg used --quiet
	[ -z "$(states)" ]
	on_mlx5 || return 0
	# libmlx5 binds windows to regions without mw-bind, which is then no reason to rule them out
	echo "mrctl-test: expect umr" >/dev/kmsg
	ms reg --name used --access local-write --size 8K --quiet
	read -r window _ < <(bind used)
	refused EBUSY "ioctl(MR_DESTROY)" ms dereg used --json
	json '.failures[0] | (.causes | any(.id == "MR-MW-BOUND" and .certainty == "possible")) and
		(.ruled_out | any(.id == "MR-MW-BOUND") | not)'
	tool free-window "$window"
	ms dereg used --quiet
}

# through_window KEY ADDR [VALUE]: a peer's access by the window's key; prints the word, or why there is none
through_window() {
	hca-probe ${3:+--write "$3"} "$1" "$2" 2>&1 || :
}

# bats test_tags=kernel
@test "a window gives a peer the part of the region that it is bound to, until it is unbound or freed" {
	local type handle lkey addr rkey window key to from user word

	[ -n "${MRCTL_TEST_GUEST:-}" ] && on_mlx5 || skip "needs the software HCA"
	behind
	for type in 1 2; do
		# no rights of a peer: those are the window's
		ms reg --name used --memory memfd --access local-write,mw-bind --size 8K --quiet
		read -r handle lkey rkey addr < <(ms stat -n -o handle,lkey,rkey,addr used)
		coproc WINDOW { "$OBJECT_TOOL" use-window $type "$handle" "$lkey" $((addr + 0x1000)) 0x800; }
		from=${WINDOW[0]} to=${WINDOW[1]} user=$WINDOW_PID
		read -r window key <&"$from" || fail "the window was not bound"
		[ "$key" != "$rkey" ]
		through_window "$key" $((addr + 0x1000)) 0x1234
		[ "$(through_window "$key" $((addr + 0x1000)))" = 0x00001234 ]
		[ "$(hca-probe --local "$lkey" $((addr + 0x1000)))" = 0x00001234 ]
		[ "$(through_window "$key" $((addr + 0x17fc)))" = 0x00000000 ]
		[ "$(through_window "$key" $((addr + 0x1800)))" = "hca-probe: range" ]
		[ "$(through_window "$key" $((addr + 0xffc)))" = "hca-probe: range" ]
		[ "$(through_window "$rkey" $((addr + 0x1000)))" = "hca-probe: access" ]
		echo >&"$to"
		read -r word <&"$from"
		[ "$word" = unbound ]
		word=$(through_window "$key" $((addr + 0x1000)))
		[[ $word == "hca-probe: "@(free|no such key) ]] || fail "still bound: $word"
		# the region is free again
		ms dereg used --quiet
		echo >&"$to"
		wait "$user"
	done
}

# bats test_tags=kernel
@test "a window that is freed takes its key along; so does the region where firmware does not count windows" {
	[ -n "${MRCTL_TEST_GUEST:-}" ] && on_mlx5 || skip "needs the software HCA"
	ms reg --name used --access local-write,mw-bind --size 8K --quiet
	addr=$(ms stat -n -o addr used)
	read -r window key < <(bind used)
	[ "$(through_window "$key" "$addr")" = 0x00000000 ]
	[ "${MRCTL_TEST_HCA:-}" = no-windows ] || tool free-window "$window"
	[ "${MRCTL_TEST_HCA:-}" = no-windows ] || [ "$(through_window "$key" "$addr")" = "hca-probe: no such key" ]
	ms dereg used --quiet
	[[ $(through_window "$key" "$addr") == "hca-probe: "@(free|no such key) ]]
	[ "${MRCTL_TEST_HCA:-}" != no-windows ] || tool free-window "$window"
}

# bats test_tags=kernel
@test "an MR whose key the firmware refuses to destroy stays, and peers reach it" {
	[ -n "${MRCTL_TEST_GUEST:-}" ] && on_mlx5 || skip "needs the software HCA"
	echo "mrctl-test: expect umr" >/dev/kmsg
	file=$(mktemp /dev/shm/mrctl-test-XXXXXX)
	printf 'abcd%4092s' '' >"$file"
	ms reg --name used --memory "file:$file" --access remote-read --quiet
	rm "$file"
	read -r key addr < <(ms stat -n -o rkey,iova used)
	hca-probe --fail UMR=RES_BUSY
	hca-probe --fail DESTROY_MKEY=RES_BUSY
	refused EBUSY "ioctl(MR_DESTROY)" ms dereg used --json
	json '.regions == [] and .failures[0].region == 1'
	[ "$(states)" = "1 live" ]
	[ "$(hca-probe "$key" "$addr")" = 0x64636261 ]
	ms dereg used --quiet
	[ -z "$(states)" ]
	run ! hca-probe "$key" "$addr"
}

# bats test_tags=kernel
@test "a umem with a memory key of DEVX on it stays until the key has gone" {
	[ -n "${MRCTL_TEST_GUEST:-}" ] && on_mlx5 || skip "needs the software HCA"
	ms umem --name one --quiet
	ms umem --name used --size 64K --quiet
	ms reg --name two --quiet
	key=$(tool mkey "$(ms stat -n -o umem_id used)" 65536)
	stays EINVAL "ioctl(DEVX_UMEM_DEREG)" "a DEVX object on the umem"
	tool free-mkey "$key"
	ms dereg used --quiet
	[ -z "$(states)" ]
}

@test "a protection domain in which another command is about to register is not deallocated, and others are" {
	ms reg --pd two --name a --quiet
	ms dereg a --quiet
	pause_at reg_mr=stop reg --via kernel --pd one -n -o pd
	exits 1 ms dereg pd:one
	[[ $stderr == *"another process is using the protection domain"*"(mrctl)"* ]] || fail "$stderr"
	ms dereg pd:two --quiet
	go_on
	[ "$(<"$HOLD_OUT")" = one ]
	[ "$(ms stat -n -o state,pd)" = "live one" ]
	ms dereg 2 pd:one --quiet
	printf 'reg --pd three --name b\ndereg b\ndereg pd:three\n' | ms batch --quiet -
	shows '[.totals.pds[].name] == ["default"]' ms stat
}
