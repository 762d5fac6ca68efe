#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The command line: commands, options and their values, devices.
# shellcheck disable=SC2016 # jq has variables of its own

load helpers

@test "mrctl without a command is a usage error that points to the help" {
	run --separate-stderr mrctl
	usage_error "mrctl: no command given" "Try 'mrctl --help'"
}

@test "an unknown command is named" {
	run --separate-stderr mrctl bogus
	usage_error "unknown command 'bogus'"
	run --separate-stderr mrctl re
	usage_error "unknown command 're'"
	run --separate-stderr mrctl ''
	usage_error "unknown command ''"
}

@test "a command that is misspelled is guessed" {
	local word guess

	while read -r word guess; do
		run --separate-stderr mrctl "$word"
		usage_error "unknown command '$word'" "did you mean '$guess'?"
	done <<-'EOF'
		rge reg
		register reg
		REG reg
		reg_iova reg-iova
		deregister dereg
		stats stat
		sesion session
		hlep help
	EOF
	run --separate-stderr mrctl bogus
	[[ $stderr != *"did you mean"* ]]
	run --separate-stderr mr batch - <<<'dreeg 1'
	[[ $stderr == *"unknown command 'dreeg'"*"did you mean 'dereg'?"* ]]
}

@test "the message about an option of another command names that command" {
	run --separate-stderr mr reg --iova 0
	usage_error "unknown option '--iova'" "reg-iova, reg-dmabuf, rereg have it"
	run --separate-stderr mr reg --try-page-sizes
	usage_error "unknown option '--try-page-sizes'" "umem has it"
	run --separate-stderr mr stat -i 0
	usage_error "unknown option '-i'" "reg-iova, reg-dmabuf, rereg have it"
	run --separate-stderr mr --size 1M reg
	usage_error "unknown option '--size'" "stands behind that command"
}

@test "an option that is misspelled is guessed" {
	run --separate-stderr mr reg --szie 1M
	usage_error "unknown option '--szie'" "did you mean '--size'?"
	run --separate-stderr mr reg --keep_going
	usage_error "did you mean '--keep-going'?"
	run --separate-stderr mr --jsno reg
	usage_error "did you mean '--json'?"
	run --separate-stderr mr reg --verbsoe
	usage_error "did you mean '--verbose'?"
	run --separate-stderr mr reg --bogus -Z
	[[ $stderr != *"did you mean"* ]]
}

@test "session and sim guess what was meant by a program that does not exist" {
	local command word option

	for command in session sim; do
		run -127 --separate-stderr mr $command reg --size 1M
		[[ $stderr == *"did you mean 'mrctl $command -- mrctl reg'?"* ]]
	done
	while read -r word option; do
		run -127 --separate-stderr mr session "$word"
		[[ $stderr == *"did you mean 'mrctl session $option'?"* ]]
	done <<-'EOF'
		list --list
		stop --end
		detach --detach
		start --detach
	EOF
	run -127 --separate-stderr mr session no-such-program
	[[ $stderr != *"did you mean"* ]]
	# a program that exists is run
	run --separate-stderr mr session true
	succeeded
}

@test "an unknown option is named, before and after the command" {
	run --separate-stderr mrctl --bogus reg
	usage_error "unknown option '--bogus'" "Try 'mrctl --help'"
	run --separate-stderr mr reg --bogus
	usage_error "mrctl: reg: unknown option '--bogus'" "Try 'mrctl reg --help'"
	run --separate-stderr mr reg -Z
	usage_error "unknown option '-Z'"
}

@test "options are not abbreviated" {
	run --separate-stderr mr reg --siz 4K
	usage_error "unknown option '--siz' (there is --size"
	run --separate-stderr mr reg --js
	usage_error "unknown option '--js'"
}

@test "operands are a usage error where none are taken" {
	run --separate-stderr mr reg 4K
	usage_error "unexpected argument '4K'"
	run --separate-stderr mr reg -- --size
	usage_error "unexpected argument '--size'"
}

@test "global options stand before or after the command" {
	run --separate-stderr mr --json reg
	json '.command == "reg"'
	run --separate-stderr mr -n reg -o rkey
	succeeded
	[[ $output =~ ^0x[0-9a-f]+$ ]]
}

@test "every option that takes a value wants one, and every other takes none" {
	local command option argument

	while read -r command option _ _ argument; do
		if [ "$argument" = - ]; then
			run --separate-stderr mr "$command" "--$option=x"
			usage_error "option '--$option' takes no value"
		else
			run --separate-stderr mr "$command" "--$option"
			usage_error "option '--$option' needs a value"
		fi
	done < <(for command in $(cli command); do
		[ -z "$(cli column "$command")" ] ||
			{ cli option "$command"; cli option; } | awk -F'\t' '!seen[$1]++' | sed "s/^/$command /"
	done)
}

# Wrong values of each option type, separated by blanks; '' is the empty value.
wrong() {
	case $1 in
	size) echo "'' -1 +1 1X 1KBB 1.5K 16E 18446744073709551616 0x K 4096x" ;;
	number) echo "'' -1 +1 1x 0x 1K 1.0 18446744073709551616 0x10000000000000000 x" ;;
	seconds) echo "'' -1 x 1s 1. 0x1" ;;
	access) echo "'' bogus local-write, none,local-write local-write| -1 0x 4294967296" ;;
	memory) echo "'' bogus file file: anon:x hugetlb:3M hugetlb: device" ;;
	expect) echo "'' bogus ok, inval 22" ;;
	name) echo "'' 12 a/b a,b -a" ;;
	*) return 1 ;;
	esac
}

@test "wrong values of every option are usage errors that name the option" {
	local option type value seen=

	while read -r option _ type _; do
		[[ $type != @(flag|string) ]] || continue
		for value in $(wrong "$type"); do
			run --separate-stderr mr reg-iova --iova 0 "--$option=${value#\'\'}"
			usage_error "--$option: "
		done
		seen+=" $type"
	done < <(cli option reg-iova)
	[ "$(tr ' ' '\n' <<<"$seen" | sort -u | grep -c .)" -ge 7 ]
}

@test "right values of every option of reg are accepted" {
	run --separate-stderr mr reg -s 0x1000 -m anon --offset 4KiB --addr 35184372088832 \
		--populate -c 2 --stride 8k -a local-write,0x4 --name a --hold-for 0.001 \
		--expect ok,EINVAL --keep-going -n -o rkey -v
	succeeded
	[ "${#lines[@]}" -eq 2 ]
}

@test "access flags are read as they are written elsewhere" {
	local flags

	for flags in 'IBV_ACCESS_LOCAL_WRITE|IBV_ACCESS_REMOTE_READ' \
		'IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_READ' 'local_write, REMOTE-READ' 1,0x4; do
		run --separate-stderr mr reg -a "$flags" -no access
		succeeded
		[ "$output" = local-write,remote-read ] || fail "$flags: $output" || return
	done
}

@test "sizes with B alone count by thousands, and those with iB or nothing by 1024" {
	local size

	for size in 1MB=1000000 1mb=1000000 1M=1048576 1m=1048576 1MiB=1048576; do
		run --separate-stderr mr reg -s "${size%=*}" -no length
		succeeded
		[ "$output" = "${size#*=}" ] || fail "$size: $output" || return
	done
}

@test "a list option that is given again adds to the list" {
	run --separate-stderr mr reg -a local-write --access remote-read -no access -o length
	succeeded
	[ "$output" = 'local-write,remote-read 4096' ]
	run --separate-stderr mr -o length reg -no access,kind
	succeeded
	[ "$output" = '4096 local-write mr' ]
	run --separate-stderr mr reg -a none -a local-write
	usage_error "--access: 'local-write' contradicts 'none'"
}

@test "an option without a list is given once, before or after the command" {
	run --separate-stderr mr reg --size 1M --size 2M
	usage_error "--size: given twice, '1M' and '2M'"
	run --separate-stderr mr reg -c 2 --count=2
	usage_error "--count: given twice, '2' and '2'"
	run --separate-stderr mrctl -d a reg -d b
	usage_error "--device: given twice, 'a' and 'b'"
	run --separate-stderr mr sim --kernel 6.1 --kernel 7.2 -- true
	usage_error "--kernel: given twice"
	run --separate-stderr mr -n reg -no length
	succeeded
}

@test "a value that is misspelled is guessed, and the others are named" {
	local option value guess

	while read -r option value guess; do
		run --separate-stderr mr reg "$option" "$value"
		usage_error "'$value': did you mean '$guess'? valid values: "
	done <<-'EOF'
		--memory annon anon
		--memory fiel:/x file:PATH
		--access remote-wirte remote-write
		--access remote_raed remote-read
		--advise prefetc prefetch
		--via kernle kernel
		--output elapsed elapsed_ns
	EOF
	run --separate-stderr mrctl sim --profile mxl5 -- true
	usage_error "unknown profile 'mxl5': did you mean 'mlx5'? valid values: mlx5, rxe"
	run --separate-stderr mrctl sim --fault reg_rm=EIO -- true
	usage_error "unknown call 'reg_rm': did you mean 'reg_mr'?"
	run --separate-stderr mrctl sim --fault reg_mr=EINVALL -- true
	usage_error "unknown action 'EINVALL': did you mean 'EINVAL'?"
}

@test "names that begin with a dash are refused" {
	run --separate-stderr mr reg --name --size
	usage_error "--name: invalid name '--size': what begins with '-' would be an option"
	run --separate-stderr mr reg --pd=-p
	usage_error "--pd: invalid name '-p'"
}

@test "an I/O virtual address has its short option" {
	run --separate-stderr mr reg-iova -i4096 -s4096 -no iova
	succeeded
	[ "$output" = 0x1000 ]
}

@test "--count 0 is a usage error" {
	run --separate-stderr mr reg --count 0
	usage_error "--count"
}

@test "options that contradict one another are a usage error" {
	local line message

	while IFS='|' read -r line message; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr mr $line
		usage_error "$message"
	done <<-'EOF'
		reg --hold --hold-for 1|--hold excludes --hold-for
		reg-iova --iova 0 --hold-for 1 --hold|--hold excludes --hold-for
		reg --keep-going|--keep-going needs --count
		reg-dmabuf --from udmabuf --keep-going|--keep-going needs --count
		umem --keep-going|--keep-going needs --count
		reg --advise-size 4K|--advise-size needs --advise
		dereg 1 --pd a|--pd needs --flush
		dereg --flush --defer-for 1|--flush invalidates at once, so it excludes --defer-for
		sim --profile rxe --data-direct -- true|--data-direct is of --profile mlx5
	EOF
	# with --help nothing else is checked
	run --separate-stderr mr reg --hold --hold-for 1 --help
	succeeded
}

@test "--stride without --count is a usage error" {
	run --separate-stderr mr reg --stride 4K
	usage_error "--stride needs --count"
}

@test "regions that reach over the end of 64 bits together are a usage error" {
	run --separate-stderr mr reg --size max --count 2
	usage_error "64 bits"
}

@test "a usage error leaves stdout empty with --json too" {
	run --separate-stderr mr --json reg --size 1X
	usage_error "--size"
}

# no_device ARG...: `run`s mrctl on a machine without any device
no_device() {
	mkdir -p "$BATS_TEST_TMPDIR/sysfs"
	mrctl sim -- env SYSFS_PATH="$BATS_TEST_TMPDIR/sysfs" mrctl "$@"
}

@test "without a device the exit status is 3, and the message points to the simulator" {
	run --separate-stderr no_device reg
	[ "$status" -eq 3 ]
	[ -z "$output" ]
	[[ $stderr == *"no RDMA device"*"mrctl sim"* ]]
	run --separate-stderr no_device -d mlx5_7 reg
	[ "$status" -eq 3 ]
	[[ $stderr == *mlx5_7* ]]
}

@test "a missing device is a failure in the document too" {
	run --separate-stderr no_device reg --json
	[ "$status" -eq 3 ]
	json '.regions == [] and .failures[0].errno == "ENODEV" and .failures[0].call == null'
	json '.environment.device == null and .environment.provider == null'
	json '.environment.kernel != null'
}

# bats test_tags=kernel
@test "of several devices one has to be named" {
	! on_simulator || skip "the simulated machine has one device; tests/unit/lib/verbs/device.c has more"
	run --separate-stderr mrctl reg
	usage_error "choose one with --device" mlx5_0 rxe0
}

@test "a device that does not exist is named, with those that do" {
	on_simulator || skip "the device is named already"
	run --separate-stderr mr -d nosuch reg
	[ "$status" -eq 3 ]
	[[ $stderr == *"no RDMA device 'nosuch'"*"mlx5_0"* ]]
	run --separate-stderr mr -d mlx5 reg
	[ "$status" -eq 3 ]
	run --separate-stderr mr -d '' reg
	[ "$status" -eq 3 ]
}
