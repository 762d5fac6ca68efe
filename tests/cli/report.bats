#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# report: what it holds, and what not; programs; reading it again

load helpers
load hosts

setup() {
	note_less
	cd "$BATS_TEST_TMPDIR" || return
	PROGRAMS='' PID=''
}

# report [ARG...]: `run`s it on the device under test
report() {
	run --separate-stderr "${SIM[@]}" mrctl report "$@"
}

# document [ARG...]: the same, as JSON
document() {
	succeeded "${SIM[@]}" mrctl -j report "$@"
}

@test "a report has the answers of stat --host and stat --device, and the versions" {
	document
	cat <<<"$output" >document.json
	json '.format == 1 and .command == "report" and .environment.kernel == $kernel and .host_name == $name
		and .program == null and .session == null and .redacted == false and .recording_left_out == 0' \
		--arg kernel "$(uname -r)" --arg name "$(uname -n)"
	json '(.host.checks | length) == $checks and .host.summary.recording == null' \
		--argjson checks "$(checks | wc -l)"
	# integers are exact
	[ "$(grep -o '"max_mr_size":[0-9]*' document.json | sort -u)" = '"max_mr_size":18446744073709551615' ]
	run --separate-stderr "${SIM[@]}" mrctl -j stat --device
	diff <(jq -S '[.devices[] | {name, firmware, node_guid, max_mr_size}]' <<<"$output") \
		<(jq -S '[.devices.devices[] | {name, firmware, node_guid, max_mr_size}]' document.json)
}

@test "the report of a command that is refused has its cause, and the status 0" {
	report -- mrctl -d "$(device)" reg --memory hole
	succeeded
	[[ $output == *"ibv_reg_mr: EFAULT"*"because: "*MR-RANGE*"try: "* ]]
	[[ $stderr == *"ibv_reg_mr: EFAULT"* ]] # the program's own message
	document -- mrctl -d "$(device)" reg --memory hole
	json '.program | .argv[-1] == "hole" and .exit_status == 1 and .signal == null
		and .answer.failures[0].errno == "EFAULT" and (.answer.failures[0].causes | length) > 0'
	# what was registered has no keys
	document -- mrctl -d "$(device)" reg --count 2
	json '.program.answer.regions | length == 2 and all(.lkey == null and .rkey == null and .addr != null)'
}

# bats test_tags=slow
@test "a program that is traced has its refusals in the report, with place and cause" {
	document -- sh -c 'mrctl -q reg --memory hole || mrctl -q reg --memory hole; true'
	json '.program | .exit_status == 0 and (.answer.refusals | length == 1 and (.[0] |
		.call == "ibv_reg_mr" and .errno == "EFAULT" and .count == 2 and .causes[0].id == "MR-RANGE-UNMAPPED"))'
	report -- sh -c 'mrctl -q reg --memory hole'
	succeeded
	[[ $output == *"ibv_reg_mr: EFAULT, count 1, first at "*"  by "*"/mrctl on $(device) asked for 4096 bytes at 0x"*", memory \
unmapped"*"  in "*"because: "*MR-RANGE-UNMAPPED*"try: "*"libraries that its processes had mapped:"*"/libibverbs.so.1."* ]]
	[[ $output == *" refused.batch"$'\n'*$'\n'"reg --memory unmapped --size 4096 --access local-write --expect EFAULT"$'\n'* ]]
	json_of_report=$(sed -n '/^```json$/,/^```$/{ /^```/d; p; }' <<<"$output")
	jq -r '.program.reproduction[]' <<<"$json_of_report" >refused.batch
	succeeded "${SIM[@]}" mrctl batch --keep-going refused.batch
	jq -e '.program.answer | (.libraries | any(test("/libibverbs[.]so[.]1[.]"))) and
		(.refusals[0] | .stack | length > 0)' <<<"$json_of_report"
	report --redact -- sh -c 'mrctl -q reg --memory hole'
	[[ $output == *"ibv_reg_mr: EFAULT"* && $output != *refused.batch* && $output == *"left out: "*" 3 command lines"* ]]
	document -- true
	json '.program.reproduction == null'
}

# bats test_tags=slow
@test "the exit status of a program is in the report, or the signal that ended it" {
	document -- sh -c 'echo out; echo err >&2; exit 7'
	json '.program | .exit_status == 7 and .signal == null and .answer.refusals == [] and .elapsed_ns > 0'
	# nothing that it prints, of its environment or of other processes' words is in the report
	[[ $stderr == *out*err* && $output != *'"out"'* ]]
	TOKEN=nobody-4711 run --separate-stderr "${SIM[@]}" bash -c \
		'true; mrctl -j report -- sh -c "echo \$TOKEN"; true' nobody-4711
	[[ $stderr == *nobody-4711* && $output != *nobody-4711* ]]
	document -- sh -c 'kill -SEGV $$'
	json '.program | .exit_status == null and .signal == 11'
	# the program's own, not a shell's for one that cannot be run
	document -- sh -c 'exit 127'
	json '.program.exit_status == 127'
	report --to r.json --format json -- echo out
	[ "$output" = out ]
	[ "$(jq .program.exit_status r.json)" -eq 0 ]
	[ "$(tail -c 2 r.json)" = '}' ] # and the end of a line
	grep -qxF '"program":["echo","out"],' r.json # a line has what is three levels down
}

@test "a program that cannot be run makes no report" {
	run -127 --separate-stderr mrctl report --to r.md -- nosuchprogram
	[[ $stderr == *"cannot run 'nosuchprogram'"*ENOENT*"report: no report was written: 'nosuchprogram' cannot be run"* ]]
	exits 127 mr report ticket.md
	[[ $stderr == *"did you mean 'mrctl report --to ticket.md'?" ]]
	[ ! -e r.md ]
	: >file
	run -126 --separate-stderr mrctl report -- ./file
	run -127 --separate-stderr mrctl report -- reg
	[[ $stderr == *"mrctl report -- mrctl reg"* ]]
	run -127 --separate-stderr mrctl -j report -- nosuchprogram
	json '.error | contains("nosuchprogram")'
	exits 1 mrctl -j report --read /nonexistent
	json '.command == "report" and (.error | contains("ENOENT"))'
}

# begin_report NAME: a report NAME.json that waits for its program, whose PID is in the file NAME; sets PID
begin_report() {
	"${SIM[@]}" mrctl report --format json --to "$1.json" -- \
		sh -c "echo \$\$ >$1.new; mv $1.new $1; exec sleep 100" 3>&- &
	PID=$!
	timeout 60 sh -c "until [ -e $1 ]; do sleep 0.05; done"
	PROGRAMS+=" $(<"$1")"
}

teardown() {
	[ -z "$PROGRAMS" ] || kill $PROGRAMS 2>/dev/null || true
	tidy
}

@test "a signal ends a program that hangs, and the report is written" {
	begin_report program
	kill -TERM "$PID"
	wait "$PID"
	[ "$(jq .program.signal program.json)" -eq 15 ]
}

# bats test_tags=slow
@test "the file is made for its owner alone, and no other file is touched" {
	umask 0
	report --to r.md
	succeeded
	[[ -z $output && $stderr == *"mrctl report --read r.md"* ]]
	[ "$(stat -c %a r.md)" = 600 ]
	echo mine >mine
	ln -s mine link
	report --to mine
	usage_error "mine: the file exists" "--force"
	report --to link
	[[ $status -eq 1 && $stderr == *"link: open: ELOOP"*"it is a symbolic link"* ]]
	[ "$(<mine)" = mine ]
	report -q --to /dev/stdout
	succeeded mrctl report --read - <<<"$output"
	report --to mine --force -- no-such-program
	[[ $status -eq 127 && $(<mine) = mine && $(echo mine*) = mine ]]
	report --to mine --force
	succeeded
	[ "$(stat -c %a mine)" = 600 ]
	succeeded mrctl report --read mine
	[ "$(echo mine*)" = mine ]
	if mknod full c 1 7 2>/dev/null && printf '' 2>/dev/null >full; then
		report --to full --force
		[[ $status -eq 1 && $stderr == *"full: write: ENOSPC"* && -c full ]]
	fi
	report --to link --force
	[[ $status -eq 1 && $stderr == *"link: open: ELOOP"*"it is a symbolic link"* ]]
	report --force
	usage_error "--force requires --to"
	report -q --to q.md
	[ -z "$output$stderr" ] && [ -s q.md ]
}

@test "a report that cannot be written leaves no file, and the failure is reported" {
	fails ENOSPC bash -c 'mrctl report >/dev/full'
	(ulimit -f 1; "${SIM[@]}" mrctl report --to r.md 2>err) && fail "written"
	[ ! -e r.md ] || fail "left"
	[[ $(<err) == *"r.md: write: EFBIG ("* ]] || fail "$(<err)"
}

@test "in a session the report has its regions, without keys" {
	run --separate-stderr "${SIM[@]}" mrctl session -- sh -c '
		mrctl -q reg --size 64K --name buf && mrctl -j report -- mrctl -n dereg rkey:$(mrctl stat -n -o rkey buf)x'
	succeeded
	json '.session.regions | length == 1 and .[0].name == "buf" and .[0].length == 65536 and
		.[0].lkey == null and .[0].rkey == null'
	run ! grep -E '[lr]key[^,]*0x' <<<"$output"
}

@test "an unreadable kernel log is reported" {
	require_nobody
	[ "$(cat /proc/sys/kernel/dmesg_restrict)" -eq 1 ] || skip "anybody may read the log here"
	succeeded as_nobody mrctl report
	[[ $output == *"Only root may read it (EPERM)"* ]]
}

# bats test_tags=slow
@test "Markdown and JSON are read again with equal verdicts, or the different verdicts are listed" {
	report --to r.md
	report --to r.json --format json
	# the line ends of a mail program, and text around it
	{ echo 'Dear support,'; cat r.md; echo Regards; } | sed 's/$/\r/' >mail.md
	for file in mail.md r.json; do
		succeeded mrctl report --read "$file"
		[[ $output == *"each check has the same result now"*"## Devices"* && $output != *'```json'* ]]
	done
	# of a pipe, too
	succeeded bash -o pipefail -c 'cat mail.md | mrctl report --read -'
	[[ $output == *"each check has the same result now"* ]]
	run --separate-stderr mrctl report --read - </dev/null
	[[ $status -eq 1 && $stderr == *"standard input is not a report of mrctl"* ]]
	run --separate-stderr mrctl report --read - < <(head -c 70M /dev/zero)
	[[ $status -eq 1 && $stderr == *"standard input: too large"* ]]
	succeeded mrctl -j report --read r.json
	json '.judged_again == [] and .recording_left_out == 0 and (.recording | length) > 20'
	# no folder is left behind
	mkdir tmp
	TMPDIR=$PWD/tmp run --separate-stderr mrctl report --read r.json
	[ -z "$(ls -A tmp)" ]
	TMPDIR=/nonexistent report --read r.json
	[[ $status -eq 1 && -z $output && $stderr == *mkdtemp*ENOENT* ]]
	TMPDIR=/nonexistent report
	[[ $status -eq 1 && -z $output && $stderr == *mkdtemp*ENOENT* ]]
	jq '.host.checks |= map(if .id == "MR-MEMLOCK" then .verdict = "bad" else . end)' r.json >other.json
	run --separate-stderr mrctl -j report --read other.json
	json '.judged_again | length == 1 and .[0].id == "MR-MEMLOCK" and .[0].then == "bad" and .[0].now != "bad"'
	run --separate-stderr mrctl report --read other.json
	[[ $output == *"these checks now have other results"*MR-MEMLOCK* ]]
}

# bats test_tags=slow
@test "a recorded host has the same verdicts in a report, redacted, and read again" {
	local name dir step=${FAULT_STEP:-12} # make check-all takes each host

	while read -r name; do
		dir=$(host_folder "$name")
		mrctl -n -o id,verdict stat --host --root "$dir" >want || [ $? -eq 1 ]
		rm -f r.md
		mrctl -q report --root "$dir" --redact --to r.md
		mrctl -j report --read r.md | jq -r '(.host.checks[] | .id + " " + .verdict), .judged_again[]' >found
		diff <(awk '{ print $1, $2 }' want) found || fail "$name"
	done < <(host_names | awk -v step="$step" 'NR % step == 0')
	# it has nothing of this host
	succeeded mrctl -j report --root "$dir"
	json '.host_name == null and .devices == null and .session == null and .kernel_log.errno == "ENOENT" and
		.environment.kernel != $kernel' --arg kernel "$(uname -r)"
}

@test "each part of a report is printed, and a member that it lacks is left out with the words about it" {
	cat >r.json <<-'EOF'
		{"format": 1, "command": "report", "made": "now", "host_name": null, "environment": {"mrctl": "1"}, "program": {
		"argv": ["a b", "c"], "exit_status": 1, "signal": null, "elapsed_ns": 5, "reproduction": ["reg", "umem"], "answer": {
		"error": "E", "failures": [{"message": "m", "request": {"length": 4096, "memory": "hole"}, "causes": [{"cause": "x",
		"certainty": "certain", "id": "MR-A", "remedy": "r"}, {"cause": "y", "certainty": "likely"}]}, {"message": "", "call": "f",
		"errno": "EINVAL", "request": {"device": "d"}}], "refusals": [{"call": "g", "errno": "EIO", "count": 3, "place": "h+1",
		"program": "p", "addr": "0x1", "stack": ["s", "t"]}], "libraries": ["k", "l"]}}, "devices": {"text": ["u```v", ""]},
		"session": {"regions": []}, "kernel_log": {"errno": "EPERM", "lines": ["z"]}}
	EOF
	diff <(mrctl report --read r.json) <(tr -d '\n' <<-'EOF' | tr '~' '\n'
		# mrctl report~~```~made:       now~mrctl:      1~```~~## The program~~```~'a b' c~exit_status: 1~elapsed_ns: 5~~E~m~
		  asked for 4096 bytes, memory hole~  because: x [certain, MR-A]~  try: r~  or: y [likely]~f: EINVAL~  on d~
		g: EIO, count 3, first at h+1~  by p at 0x1~  in s~  in t~~libraries that its processes had mapped:~  k~  l~~
		a batch that is refused in the same way: refused.batch~reg~umem~```~~## Judged again~~```~
		The report has no recording of the host, so these are its original verdicts.~```~~## Devices~~````~u```v~~````~~
		## Regions of the session~~```~{~"regions":[]~}~```~~## The kernel's log~~```~
		Only root may read it (EPERM). Add the output of: sudo dmesg | grep -iE 'mlx5|rdma|infiniband|oom'~z~```~~
	EOF
	)
}

@test "options that exclude one another are usage errors" {
	wrong_words mrctl report <<-'EOF'
		--read x --root y|--root
		--read x -- true|--read excludes the program 'true'
		--root x -- true|--root excludes the program 'true'
		-q|--quiet requires --to
		--format text|'text'
		-o id|--output
	EOF
}
