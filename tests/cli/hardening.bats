#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# How the program and the libraries that it loads into others are compiled and linked.

# bats file_tags=release
load helpers

FILES=(mrctl sim/libmrctl-sim.so trace/libmrctl-trace.so)

# dumps FILE TEXT...: each TEXT is in what readelf prints of the file, or not if it begins with "!"
dumps() {
	local text all

	all=$(readelf -hldW --dyn-syms "$BUILD/$1") || return
	for text in "${@:2}"; do
		if [[ $text == !* ]]; then
			! grep -qE -- "${text#!}" <<<"$all" || fail "$1: ${text#!}" || return
		else
			grep -qE -- "$text" <<<"$all" || fail "$1: no $text" || return
		fi
	done
}

setup() {
	note_less
	command -v readelf >/dev/null || skip "needs readelf"
	! is_sanitized || skip "a sanitized build has checks of its own"
}

@test "code and addresses are read-only after the start, and no stack is executable" {
	for file in "${FILES[@]}"; do
		dumps "$file" 'Type: +DYN' 'GNU_RELRO' 'FLAGS_1.* NOW' 'GNU_STACK .* RW ' '!TEXTREL' '!R(UN)?PATH'
	done
	dumps mrctl 'FLAGS_1.* PIE'
}

@test "functions check their stack and the buffers of libc's functions" {
	for file in "${FILES[@]}"; do
		dumps "$file" '__stack_chk_fail' '__v?snprintf_chk'
	done
}

@test "indirect jumps of x86 processors have to meet a target, as far as libc's objects allow it" {
	[ "$(uname -m)" = x86_64 ] || skip "needs x86: no other processor has CET"
	if [ -e "$BUILD/libmrctl.a" ]; then
		[ "$(readelf -nW "$BUILD/libmrctl.a" | grep -c 'IBT, SHSTK')" -eq "$(ar t "$BUILD/libmrctl.a" | wc -l)" ]
	fi
	libc=$(cc -print-file-name=crti.o) && readelf -nW "$libc" | grep -q IBT || return 0
	for file in "${FILES[@]}"; do
		readelf -nW "$BUILD/$file" | grep -q 'IBT, SHSTK' || fail "$file"
	done
}
