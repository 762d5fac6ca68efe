#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The command line: commands, options and their values, devices.  How options are read is in
# tests/unit/cmd/cli/options.c, and what a value may be in tests/unit/lib/base/number.c.

load helpers

# wrong_lines: each line "ARG...|TEXT[|TEXT]" on stdin is a usage error of mrctl with these texts; in a batch its errno
# is EINVAL or ERANGE
wrong_lines() {
	local lines

	lines=$(cat)
	wrong_words mr <<<"$lines" || return
	run --separate-stderr mr --json batch --keep-going - \
		< <(sed -nE 's/^((reg |reg-|umem|rereg|dereg|stat)[^|]*).*/\1/p' <<<"$lines")
	json '[.lines[] | [.status, (.failures[] | .errno)]] | unique - [[2, "EINVAL"], [2, "ERANGE"]] == []'
}

@test "unknown commands and options are named, and misspelled ones guessed" {
	wrong_lines <<-'EOF'
		|mrctl: no command given|Try 'mrctl --help'
		bogus|unknown command 'bogus'
		rge|unknown command 'rge'|did you mean 'reg'?
		list|'mrctl stat --device' (devices)?
		check|did you mean 'mrctl stat --host'?
		hlep|did you mean 'help'?
		--bogus reg|unknown option '--bogus'|Try 'mrctl --help'
		reg --bogus|mrctl: reg: unknown option '--bogus'|Try 'mrctl reg --help'
		reg --szie 1M|unknown option '--szie'|did you mean '--size'?
		reg --iova 0|unknown option '--iova'|reg-iova, reg-dmabuf, rereg have it
		reg --try-page-sizes|unknown option '--try-page-sizes'|umem has it
		--size 1M reg|unknown option '--size'|put the options of
		reg -size 4K|unknown option '-size'|did you mean '--size'?
		sim --fault ibv_reg_mr=ENOMEM|unknown call 'ibv_reg_mr'|did you mean 'reg_mr'?
		ibv_reg_mr|unknown command 'ibv_reg_mr'|did you mean 'mrctl reg'?
		mlx5dv_devx_umem_reg|did you mean 'mrctl umem'?
		ibv_devinfo|did you mean 'mrctl stat --device'?
		get mr|'mrctl stat' (regions)
		ps|did you mean 'mrctl stat --system'?
		kill 1|did you mean 'mrctl session --end'?
		session --kill|unknown option '--kill'|did you mean '--end'?
		reg --odp|unknown option '--odp'|did you mean '--access'?
		reg --remote-read|unknown option '--remote-read'|did you mean '--access remote-read'?
		reg --readonly|unknown option '--readonly'|did you mean '--memory readonly'?
		reg 4K|unexpected argument '4K'|did you mean '--size 4K'?
		reg-dmabuf 4K|unexpected argument '4K'|did you mean '--size 4K'?
		reg-dmabuf udmabuf|unexpected argument 'udmabuf'|did you mean '--from udmabuf'?
		reg memfd|unexpected argument 'memfd'|did you mean '--memory memfd'?
		reg local-write,remote-read|did you mean '--access local-write,remote-read'?
		reg --access rw|unknown access flag 'rw'|did you mean 'local-write,remote-read,remote-write'?
		reg --hold 5|unexpected argument '5'|did you mean '--hold-for 5'?
		reg help|unexpected argument 'help'|did you mean 'mrctl help reg'?
		reg -o json|unknown column 'json'|use --json (-j) for JSON
		stat --host 64G|--host does not accept operands: '64G'|did you mean '--for-size 64G'?
		explain -12|unknown option '-1'|put -- before an argument that begins with -
		reg --length 4K|unknown option '--length'|did you mean '--size'?
		reg --format json|use --json (-j) for JSON
		stat --format json|use --json (-j) for JSON
		stat --host --format JSON|use --json (-j) for JSON
		report -o t.md|did you mean 'mrctl report --to t.md'?
		reg --memory gpu:0|memory of a GPU is cuda:0
		-d mlx5_0 sim -- true|sim does not support --device|mrctl sim -- mrctl -d mlx5_0
		-d mlx5_0 explain ENOMEM|explain does not support --device
		reg -- --size|unexpected argument '--size'
	EOF
	usage_error "unknown command ''" -- mrctl ''
	for word in host device probe system; do
		absent "did you mean 'mrctl stat --$word'?" mr stat $word
	done
	absent "did you mean 'mrctl help stat'?" mr stat help
	for words in bogus 'reg --bogus' 'reg -Z'; do
		run --separate-stderr mrctl $words
		[[ $stderr != *"did you mean"* ]]
	done
	run --separate-stderr mr batch - <<<'dreeg 1'
	[[ $stderr == *"unknown command 'dreeg'"*"did you mean 'dereg'?"* ]]
}

@test "session and sim guess what was meant by a program that does not exist" {
	for command in session sim; do
		run -127 --separate-stderr mr $command reg --size 1M
		[[ $stderr == *"did you mean 'mrctl $command -- mrctl reg'?"* ]]
	done
	for word in list=--list stop=--end start=--detach; do
		run -127 --separate-stderr mr session "${word%=*}"
		[[ $stderr == *"did you mean 'mrctl session ${word#*=}'?"* ]]
	done
	run -127 --separate-stderr mr session no-such-program
	[[ $stderr != *"did you mean"* ]]
	# a program that exists is run
	succeeded mr session true
}

# bats test_tags=slow
@test "every option with a value requires it, and every other option refuses a value" {
	while read -r command option _ _ argument; do
		if [ "$argument" = - ]; then
			usage_error "option '--$option' does not accept a value" -- mrctl "$command" "--$option=x"
		elif [[ $argument != \[* ]]; then
			usage_error "option '--$option' requires a value" -- mrctl "$command" "--$option"
		fi
	done < <(cli option | sed 's/^/reg /'; for command in $(cli command); do
		[ -z "$(cli column "$command")" ] || cli option "$command" | sed "s/^/$command /"
	done)
}

# wrong TYPE: prints a wrong value of options of this type
wrong() {
	case $1 in
	size | seconds) echo 1X ;;
	number) echo 1K ;;
	access) echo none,local-write ;;
	name) echo a/b ;;
	*) echo bogus ;;
	esac
}

@test "a wrong value of every option is a usage error that names the option" {
	seen=
	while read -r option _ type _; do
		[[ $type != @(flag|string) ]] || continue
		usage_error "--$option: " -- mrctl reg-iova --iova 0 "--$option=$(wrong "$type")"
		seen+=" $type"
	done < <(cli option reg-iova)
	[ "$(tr ' ' '\n' <<<"$seen" | sort -u | grep -c .)" -ge 7 ]
}

@test "right values are accepted, before and after the command, in each form" {
	succeeded mr reg -s 0x1000 -m anon --offset 4KiB --addr 35184372088832 \
		--populate -c 2 --stride 8k -a local-write,0x4 --name a --hold-for 0.001 \
		--expect ok,EINVAL --keep-going -n -o rkey -v
	[ "${#lines[@]}" -eq 2 ]
	shows '.command == "reg"' mr reg
	succeeded mr -n reg -no rkey
	[[ $output =~ ^0x[0-9a-f]+$ ]]
	outputs '4096 local-write,remote-read mr' mr -o length reg -no access,kind -a local-write --access remote-read
	outputs 0x1000 mr reg-iova -i4096 -s4096 -no iova
}

@test "values that are misspelled are guessed, and options that contradict one another refused" {
	wrong_lines <<-'EOF'
		reg --memory annon|'annon': did you mean 'anon'? valid values: 
		reg --output elapsed|'elapsed': did you mean 'elapsed_ns'? valid values: 
		sim --profile mxl5 -- true|unknown profile 'mxl5': did you mean 'mlx5'? valid values: mlx5, rxe
		sim --fault reg_rm=EIO -- true|unknown call 'reg_rm': did you mean 'reg_mr'?
		reg --hold --hold-for 1|--hold excludes --hold-for
		reg --keep-going|--keep-going requires --count
		reg --size max --count 2|64-bit addresses
		dereg 1 --pd a|--pd requires --flush
		dereg --flush --defer-for 1|--flush invalidates at once
		sim --profile rxe --data-direct -- true|--data-direct requires --profile mlx5
		--json reg --size 1X|--size
		reg --count 0|--count: give at least 1
		reg --stride 4K|--stride requires --count
		reg --call ibv_reg_mr --via kernel|--call excludes --via kernel
		reg --call ibv_rereg_mr|--call: 'ibv_rereg_mr'
		dereg|name the regions, or give --all or --flush
		dereg --all a|--all deregisters all regions: name none
		dereg --listed 1|--listed requires --all
		rereg|rereg requires one region
		rereg pd:a --size 4K|rereg changes only regions: 'pd:a' is not one
		rereg lkey:x --size 4K|invalid number 'x'
		rereg a|rereg requires a change
		rereg a --pd b --iova 1|--iova requires --memory or --size
		rereg a --size 4K --iova 1 --via library|ibv_rereg_mr has no such argument
	EOF
	# with --help nothing else is checked
	succeeded mrctl reg --hold --hold-for 1 --help
}

@test "without a device the exit status is 3, and the message points to the simulator" {
	mkdir "$BATS_TEST_TMPDIR/sysfs"
	no_device() {
		mrctl sim -- env SYSFS_PATH="$BATS_TEST_TMPDIR/sysfs" mrctl "$@"
	}

	exits 3 no_device reg
	[ -z "$output" ]
	[[ $stderr == *"no RDMA device"*"mrctl sim"* ]]
	exits 3 no_device -d mlx5_7 reg
	[[ $stderr == *mlx5_7* ]]
	exits 3 no_device reg --json
	json '.regions == [] and .failures[0].errno == "ENODEV" and .failures[0].call == null'
	json '.environment.device == null and .environment.provider == null'
	json '.environment.kernel != null'
}

# bats test_tags=kernel
@test "several devices require --device" {
	! on_simulator || skip "the simulated machine has one device; tests/unit/lib/verbs/device.c has more"
	usage_error "choose one with --device" mlx5_0 rxe0 -- mrctl reg
}

@test "a device that does not exist is named, with those that do" {
	for name in nosuch mlx5 ''; do
		exits 3 mr -d "$name" reg
		[[ $stderr == *"no RDMA device '$name'"*"mlx5_0"* ]]
	done
}
