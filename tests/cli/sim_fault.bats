#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Faults that the simulated HCA injects on request (mrctl sim --fault).
# shellcheck disable=SC2016 # scripts are for the other shell

load helpers

setup() {
	note_less
	on_simulator || skip "about the simulator"
}

# with SPEC... -- CMD...: runs CMD on a simulated HCA with these faults
with() {
	local faults=()

	while [ "$1" != -- ]; do
		faults+=(--fault "$1")
		shift
	done
	run --separate-stderr mrctl sim "${faults[@]}" "$@"
}

# in_session SCRIPT: run it in a session
in_session() {
	run --separate-stderr mrctl sim -- mrctl session -- bash -c "$1"
}

@test "a call with a fault answers with the errno" {
	with reg_mr=EDQUOT -- mrctl reg --size 4K
	refused EDQUOT ibv_reg_mr
	with open=EMFILE -- bash -c ': </dev/infiniband/uverbs250'
	[ "$status" -eq 1 ]
	[[ $stderr == *"Too many open files"* ]]
	with alloc_pd=ENOSPC -- mrctl reg --size 4K
	refused ENOSPC ibv_alloc_pd
}

@test "only the Nth call has the fault" {
	with reg_mr@2=EAGAIN -- mrctl -j reg --size 4K --count 3 --keep-going
	[ "$status" -eq 1 ]
	json '(.regions | length == 2) and .failures[0].index == 2 and
		(.failures | length == 1) and .failures[0].errno == "EAGAIN"'
	with reg_mr@4=EAGAIN -- mrctl reg --size 4K --count 3
	succeeded
}

@test "several faults can be asked for, in one word or in several" {
	with reg_mr@1=EAGAIN 'reg_mr@2=EBUSY;reg_mr@3=ENOSPC' -- \
		mrctl -j reg --size 4K --count 4 --keep-going
	json '[.failures[].errno] == ["EAGAIN", "EBUSY", "ENOSPC"]'
}

@test "each program counts anew" {
	with reg_mr@2=EAGAIN -- sh -c 'mrctl reg --size 4K && mrctl reg --size 4K'
	succeeded
}

@test "libibverbs' first question, which asks nothing, is left alone" {
	with query_device=EIO -- ibv_devinfo
	[ "$status" -ne 0 ]
	[[ $stderr == *"Failed to query device"* ]]
}

@test "kill happens before the call" {
	in_session 'MRCTL_SIM_FAULT=reg_mr=kill mrctl reg --size 4K; echo $?; mrctl stat -n -o length'
	[ "${lines[0]}" -eq 137 ]
	[[ $output != *4096* ]]
}

@test "kill-after happens after the call" {
	in_session 'MRCTL_SIM_FAULT=reg_mr=kill-after mrctl reg --size 4K; echo $?
		mrctl stat -n -o length'
	[ "${lines[0]}" -eq 137 ]
	[[ $output == *4096* ]]
}

@test "delay happens before the call, which is then carried out" {
	start=${EPOCHREALTIME/[.,]/}
	with reg_mr=delay:300 -- mrctl reg --size 4K
	succeeded
	[ $((${EPOCHREALTIME/[.,]/} - start)) -ge 300000 ]
}

@test "locks of the session's table can fail or kill" {
	in_session 'MRCTL_SIM_FAULT=lock@1=EIO mrctl reg --size 4K'
	[ "$status" -eq 1 ]
	[[ $stderr == *"fcntl(F_SETLK): EIO"* ]]
	# killed before the first lock, and after it: the next command gets the lock at once
	for when in kill kill-after; do
		in_session "MRCTL_SIM_FAULT=lock@1=$when mrctl reg --size 4K; echo \$?
			mrctl reg --size 4K"
		succeeded
		[ "${lines[0]}" -eq 137 ]
	done
	in_session 'for i in $(seq 100); do
			MRCTL_SIM_FAULT=lock@$i=kill-after mrctl -q reg --size 4K && break
		done; echo $i'
	[ "$output" -gt 2 ]
	[ "$output" -lt 100 ]
}

@test "locks of other files are left alone" {
	command -v perl >/dev/null || skip "perl is not installed"
	with lock=EIO -- perl -e 'use Fcntl; open(F, "+>", $ARGV[0]) or die;
		my $lock = pack("s s x4 q q i x4", F_WRLCK, 0, 0, 0, 0);
		fcntl(F, F_SETLK, $lock) or die $!;' \
		"$BATS_TEST_TMPDIR/file"
	succeeded
}

@test "malformed faults and profiles are usage errors" {
	for spec in '' reg_mr reg_mr=EFOO reg_mr@0=kill foo=kill 'reg_mr=kill;' reg_mr=delay:x; do
		with "$spec" -- true
		usage_error --fault:
	done
	run --separate-stderr mrctl sim --profile foo -- true
	usage_error "unknown profile 'foo'"
}

@test "faults of the environment have their effect, and are checked as well" {
	run --separate-stderr env MRCTL_SIM_FAULT=reg_mr=EDQUOT mrctl sim -- mrctl reg --size 4K
	refused EDQUOT ibv_reg_mr
	with reg_mr=EDQUOT -- mrctl sim --fault reg_mr=EBUSY -- mrctl reg --size 4K
	refused EBUSY ibv_reg_mr
	with -- env MRCTL_SIM_FAULT=nonsense true
	[ "$status" -eq 2 ]
	[[ $stderr == *"MRCTL_SIM_FAULT: 'nonsense' is not of the form"* ]]
}
