#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# --expect: the exit status says whether the stack answered as expected.

load helpers

# bats test_tags=kernel
@test "an expected refusal is a success, and still reported" {
	run --separate-stderr mr reg --size 0 --expect EINVAL --json
	succeeded
	json '.as_expected == true and .failures[0].errno == "EINVAL" and .regions == []'
	[[ $stderr == *"ibv_reg_mr: EINVAL"* ]]
}

@test "an unexpected refusal is a failure" {
	run --separate-stderr mr reg --size 0 --expect ENOMEM --json
	refused EINVAL ibv_reg_mr
	json '.as_expected == false'
	[[ $stderr == *"mrctl: reg: expected ENOMEM, got EINVAL"* ]]
}

@test "an unexpected success is a failure" {
	run --separate-stderr mr reg --expect EINVAL --json
	[ "$status" -eq 1 ]
	json '.as_expected == false and .failures == [] and (.regions | length == 1)'
	[[ $stderr == *"mrctl: reg: expected EINVAL, got ok"* ]]
}

@test "ok expects success" {
	run --separate-stderr mr reg --expect ok --json
	succeeded
	json '.as_expected == true'
	run --separate-stderr mr reg --size 0 --expect ok
	[ "$status" -eq 1 ]
}

@test "one of several expected answers is enough" {
	run --separate-stderr mr reg --size 0 --expect ENOMEM,EINVAL,ok
	succeeded
	run --separate-stderr mr reg --expect ENOMEM,EINVAL,ok
	succeeded
}

@test "without --expect the document has no expectation" {
	run --separate-stderr mr reg --size 0 --json
	json '.as_expected == null'
	[[ $stderr != *expected* ]]
}

@test "every refusal of a count has to be an expected one" {
	run --separate-stderr mr reg --size 0 --count 3 --keep-going --expect EINVAL
	succeeded
	run --separate-stderr mr reg --memory hole --count 3 --expect EFAULT --json
	succeeded
	json '(.regions | length == 2) and .as_expected == true'
}

@test "a host call that fails is not the stack's answer" {
	run --separate-stderr mr reg --size max --expect ENOMEM --json
	[ "$status" -eq 1 ]
	json '.as_expected == false and .failures[0].call == "mmap"'
	[[ $stderr == *"expected ENOMEM, got ENOMEM, which is no answer of the stack"* ]]
}

@test "each expected answer and each real one is named once" {
	run --separate-stderr mr reg --memory hole --count 3 --keep-going --expect ok,EIO,ENOMEM
	[ "$status" -eq 1 ]
	[[ $stderr == *"expected ok or EIO or ENOMEM, got EFAULT" ]] || fail "$stderr"
	run --separate-stderr mr reg --size 0 --count 30 --keep-going --expect EIO
	[[ $stderr == *"expected EIO, got EINVAL" ]] || fail "$stderr"
}

@test "a device that is missing stays a missing device" {
	on_simulator || skip "the device is named already"
	run --separate-stderr mr -d nosuch reg --expect ENODEV
	[ "$status" -eq 3 ]
}

@test "answers are read in any case, with blanks after commas, and add up" {
	run --separate-stderr mr reg --memory hole --expect 'ENOMEM, efault' -q
	succeeded
	run --separate-stderr mr reg --memory hole --expect EFAULT --expect OK -q
	succeeded
	run --separate-stderr mr reg --expect EFAULT --expect OK -q
	succeeded
}

@test "an answer that is misspelled is guessed" {
	run --separate-stderr mr reg --expect ENOMME
	usage_error "--expect: unknown answer 'ENOMME': did you mean 'ENOMEM'?"
}

@test "unknown answers are usage errors" {
	local value

	for value in '' inval EFOO 22 OKAY 'ok,' ,ok EINVAL,,ok 'ok EINVAL'; do
		run --separate-stderr mr reg --expect "$value"
		usage_error "--expect: unknown answer"
	done
}

@test "an errno may be expected for its cause, which must be the first one" {
	local access='reg --access remote-write --json'

	# shellcheck disable=SC2086 # words
	run --separate-stderr mr $access --expect EINVAL:MR-ACCESS-LOCAL-WRITE
	succeeded
	json '.as_expected'
	# shellcheck disable=SC2086 # words
	run --separate-stderr mr $access --expect ok,enomem:MR-MEMLOCK,einval:mr-access-local-write
	succeeded
	run --separate-stderr mr reg --size 0 --expect EINVAL:MR-ACCESS-LOCAL-WRITE
	[ "$status" -eq 1 ]
	[[ $stderr == *'mrctl: reg: expected EINVAL for MR-ACCESS-LOCAL-WRITE, got EINVAL for '* ]]
	run --separate-stderr mr reg --expect EFAULT,EINVAL:MR-ACCESS-LOCAL-WRITE --json
	[ "$status" -eq 1 ]
	[[ $stderr == *'mrctl: reg: expected EFAULT or EINVAL for MR-ACCESS-LOCAL-WRITE, got ok'* ]]
	# beyond as many refusals as are diagnosed otherwise
	# shellcheck disable=SC2086 # words
	run --separate-stderr mr $access --count 40 --keep-going --expect EINVAL:MR-ACCESS-LOCAL-WRITE
	succeeded
}

@test "an errno that has no cause is none for the expected one" {
	on_simulator || skip "needs a fault"
	run --separate-stderr env MRCTL_SIM_FAULT=reg_mr=ENOMEM "${MR[@]}" reg --expect ENOMEM:MR-MEMLOCK
	[ "$status" -eq 1 ]
	[[ $stderr == *'expected ENOMEM for MR-MEMLOCK, got ENOMEM for '* ]]
	run --separate-stderr mrctl sim --fault reg_mr=EACCES -- mrctl reg --expect EINVAL:MR-ACCESS-LOCAL-WRITE
	[ "$status" -eq 1 ]
	[[ $stderr == *'expected EINVAL for MR-ACCESS-LOCAL-WRITE, got EACCES' ]]
}

@test "an unknown cause, one that never has that errno, and no search for causes are usage errors" {
	run --separate-stderr mr reg --expect ENOMEM:MR-MEMLOK
	[[ $status -eq 2 && $stderr == *"unknown cause 'MR-MEMLOK'"*"did you mean 'MR-MEMLOCK'?"* ]]
	run --separate-stderr mr reg --expect ENOMEM:
	[ "$status" -eq 2 ]
	run --separate-stderr mr reg --expect ok:MR-MEMLOCK
	[ "$status" -eq 2 ]
	run --separate-stderr mr reg --expect EFAULT:MR-MEMLOCK
	[[ $status -eq 2 && $stderr == *'MR-MEMLOCK is never the cause of EFAULT'* ]]
	run --separate-stderr mr reg --expect ENOMEM:MR-MEMLOCK --why none
	[[ $status -eq 2 && $stderr == *'excludes --why none'* ]]
}
