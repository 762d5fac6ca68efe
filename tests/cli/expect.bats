#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# --expect: the exit status says whether the stack answered as expected.

load helpers

# expected STATUS MESSAGE WORD...: `mrctl reg WORD...` has this exit status, .as_expected says the same, and stderr has
# MESSAGE
expected() {
	run --separate-stderr mr reg --json "${@:3}"
	[ "$status" -eq "$1" ] || fail "${*:3}: exit status $status" "$stderr" || return
	json ".as_expected == $([ "$1" -eq 0 ] && echo true || echo false)" || return
	[[ $stderr == *"$2"* ]] || fail "${*:3}: $stderr"
}

@test "the exit status is 0 where each answer is an expected one, and refusals are still reported" {
	expected 0 "ibv_reg_mr: EINVAL" --size 0 --expect EINVAL
	json '.failures[0].errno == "EINVAL" and .regions == []'
	expected 1 "mrctl: reg: expected ENOMEM, got EINVAL" --size 0 --expect ENOMEM
	expected 1 "mrctl: reg: expected EINVAL, got ok" --expect EINVAL
	json '.failures == [] and (.regions | length == 1)'
	expected 0 '' --expect ok
	expected 1 "expected ok, got EINVAL" --size 0 --expect ok
	# several, in any case, with blanks after commas, and in several options
	expected 0 '' --size 0 --expect 'ENOMEM, einval,ok'
	expected 0 '' --expect EFAULT --expect OK
	shows '.as_expected == null' mr reg --size 0
	[[ $stderr != *expected* ]]
}

@test "--count with --expect requires each refusal to be expected, and names each answer once" {
	expected 0 '' --size 0 --count 3 --keep-going --expect EINVAL
	expected 0 '' --memory hole --count 3 --expect EFAULT
	json '.regions | length == 2'
	expected 1 $'expected ok or EIO or ENOMEM, got EFAULT' --memory hole --count 3 --keep-going \
		--expect ok,EIO,ENOMEM
	expected 1 "expected EIO, got EINVAL" --size 0 --count 30 --keep-going --expect EIO
	[[ $stderr == *"got EINVAL" ]]
	on_simulator || return 0
	MRCTL_SIM_FAULT='reg_mr@1=ENOMEM;reg_mr@2=EIO;reg_mr@3=EFAULT' expected 1 'expected EIO, got ENOMEM and EFAULT' \
		--count 3 --keep-going --expect EIO
}

@test "a host call that fails, and a device that is missing, are not the stack's answers" {
	expected 1 "expected ENOMEM, got ENOMEM, which is not an answer of libibverbs or the kernel" --size max --expect ENOMEM
	json '.failures[0].call == "mmap"'
	on_simulator || return 0
	exits 3 mr -d nosuch reg --expect ENODEV
}

@test "an errno may be expected for its cause, which must be the first one" {
	expected 0 '' --access remote-write --expect EINVAL:MR-ACCESS-LOCAL-WRITE
	expected 0 '' --access remote-write --expect ok,enomem:MR-MEMLOCK,einval:mr-access-local-write
	expected 1 'mrctl: reg: expected EINVAL for MR-ACCESS-LOCAL-WRITE, got EINVAL for ' --size 0 \
		--expect EINVAL:MR-ACCESS-LOCAL-WRITE
	expected 1 'expected EFAULT or EINVAL for MR-ACCESS-LOCAL-WRITE, got ok' \
		--expect EFAULT,EINVAL:MR-ACCESS-LOCAL-WRITE
	# beyond as many refusals as are diagnosed otherwise
	expected 0 '' --access remote-write --count 40 --keep-going --expect EINVAL:MR-ACCESS-LOCAL-WRITE
}

@test "an errno without the expected cause is not the expected answer" {
	MRCTL_SIM_FAULT=reg_mr=ENOMEM expected 1 'expected ENOMEM for MR-MEMLOCK, got ENOMEM for ' \
		--expect ENOMEM:MR-MEMLOCK
	MRCTL_SIM_FAULT=reg_mr=EACCES expected 1 'expected EINVAL for MR-ACCESS-LOCAL-WRITE, got EACCES' \
		--expect EINVAL:MR-ACCESS-LOCAL-WRITE
}

@test "unknown answers and causes, and those that cannot be found, are usage errors" {
	for value in '' inval 22 'ok,' EINVAL,,ok 'ok EINVAL'; do
		usage_error "--expect: unknown answer" -- mr reg --expect "$value"
	done
	wrong_words mr reg --expect <<-'EOF'
		ENOMME|unknown answer 'ENOMME': did you mean 'ENOMEM'?
		ENOMEM:MR-MEMLOK|unknown cause 'MR-MEMLOK'
		ENOMEM:|unknown
		ok:MR-MEMLOCK|ok
		EFAULT:MR-MEMLOCK|MR-MEMLOCK is never the cause of EFAULT
		ENOMEM:MR-MEMLOCK --why none|excludes --why none
	EOF
}
