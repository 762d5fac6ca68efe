#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# RLIMIT_FSIZE: a file that may not grow is EFBIG, and not the signal SIGXFSZ, which would kill mrctl.

load helpers

# limited KIB [ARG...]: `run` mrctl in the session, where no file may grow beyond KIB KiB
limited() {
	run --separate-stderr prlimit --fsize=$(($1 * 1024)) "${MS[@]}" "${@:2}"
}

@test "a session table, an output or a file of a region that cannot grow is an error, and nothing is in doubt" {
	session_begin
	ms reg --count 60 --quiet
	limited 8 reg --count 10
	[ "$status" -eq 1 ]
	[[ $stderr == *"region 5 of 10: no room for the session table: posix_fallocate: EFBIG ("* ]]
	[ "$(states | sort -u -k 2 | wc -l)" -eq 1 ]
	[ "$(states | wc -l)" -eq 64 ]
	stat_is_true
	# output into a file
	exits 1 prlimit --fsize=1024 bash -c 'exec "$@" >"$0"' "$BATS_TEST_TMPDIR/out" \
		"${MS[@]}" stat --json
	[[ $stderr == *"cannot write to standard output: write: EFBIG ("* ]]
	# the file of a region
	limited 4 reg --memory "file:$BATS_TEST_TMPDIR/file" --size 64K
	[ "$status" -eq 1 ]
	[[ $stderr == *": EFBIG ("* ]]
	[ "$(states | wc -l)" -eq 64 ]
}

@test "a program that mrctl becomes has the signal as it was" {
	script='ulimit -f 1; exec head -c 1M /dev/zero >"$0"' file=$BATS_TEST_TMPDIR/file
	run --separate-stderr mr session -- bash -c "$script" "$file"
	[ "$status" -eq 153 ] # SIGXFSZ is 25
	exits 153 mrctl sim -- bash -c "$script" "$file"
	exits 1 env --ignore-signal=XFSZ "${MR[@]}" session -- bash -c "$script" "$file"
}
