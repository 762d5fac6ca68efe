#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# report --read of what anybody may have written, and report --redact

load helpers
load hosts

setup() {
	note_less
	cd "$BATS_TEST_TMPDIR" || return
}

setup_file() {
	"${SIM[@]}" mrctl -j report >"$BATS_FILE_TMPDIR/good.json"
}

# reads FILE: report --read ends, with exit status 0 or 1, no escapes, and a document or a message
reads() {
	mkdir -p tmp
	TMPDIR=$PWD/tmp run --separate-stderr timeout 60 mrctl report --read "$1"
	[ "$status" -le 1 ] || fail "$1: exit status $status" "$stderr" || return
	[[ $output$stderr != *$'\e'* && $output$stderr != *$'\a'* && $output != *$'\x9b'* ]] || fail "$1: an escape" || return
	[ "$status" -eq 0 ] || [[ $stderr == "mrctl: report: "* ]] || fail "$1: no message: $stderr" || return
	[ -z "$(ls -A tmp)" ] || fail "$1: left behind: $(ls -A tmp)"
}

# reads_json FILE: the same of the document, which is then in $output
reads_json() {
	run --separate-stderr timeout 60 mrctl -j report --read "$1"
	[ "$status" -le 1 ] || fail "$1: exit status $status" "$stderr" || return
	json 'type == "object"'
}

# change FILTER [JQ-OPTION...]: makes r.json of the good report
change() {
	jq -c "${@:2}" "$1" "$BATS_FILE_TMPDIR/good.json" >r.json
}

# redacted: redacts r.json to out.json and out.markdown
redacted() {
	local format

	for format in json markdown; do
		rm -f "out.$format"
		run --separate-stderr mrctl report --read r.json --redact --format "$format" --to "out.$format"
		succeeded || return
	done
}

# no_report MESSAGE FILE...: none of them is read, and MESSAGE is told of each
no_report() {
	local file

	for file in "${@:2}"; do
		run --separate-stderr timeout 60 mrctl report --read "$file"
		[ "$status" -eq 1 ] || fail "$file: $status" || return
		[[ $stderr == "mrctl: report: "*"$file"*"$1"* ]] || fail "$file: $stderr" || return
	done
}

@test "a report that names more files than a recording has is read, and says how many it left out" {
	jq '.recording += ([range(5000) | {key: "/x/\(.)", value: ""}] | from_entries)' "$BATS_FILE_TMPDIR/good.json" >many
	gives ".recording_left_out > 1000" mr report --read many
}

@test "what is no report, or too large for one, is an error that names it" {
	: >empty
	head -c 100000 /dev/urandom >binary
	echo '{"format":1,"command":"stat"}' >stat
	echo '[]' >list
	printf '```json\n' >fence
	head -c 3000 "$BATS_FILE_TMPDIR/good.json" >cut.json
	head -c 5000000 /dev/zero | tr '\0' '[' >deep
	no_report "is not a report of mrctl" empty binary stat list fence cut.json deep
	(printf '{"command":"report","x":['; head -c 2000000 /dev/zero | sed 's/\x0/0,/g'; printf '0]}') >many
	no_report "more values than any report" many
	truncate -s 65M large
	no_report "too large" large
	mkfifo fifo
	mkdir folder
	no_report "" fifo folder /dev/zero /nonexistent
}

# Values of other kinds, of which one comes in the place of each part
VALUES=('"\u001b]0;x\u0007"' '[null,"\u001b[2J",{"checks":"x","message":7,"causes":{"a":"b"}}]' 'null'
	'{"a":{"b":[1]}}' '[[1]]')

# bats test_tags=slow
@test "any part of a report may be of any kind" {
	local parts turn=0

	# two in each document
	while read -r -d ' ' parts; do
		change ".program = {\"argv\": [\"x\"], \"answer\": {}} | .${parts//,/ = \$one | .} = \$two" \
			--argjson one "${VALUES[turn++ % ${#VALUES[@]}]}" --argjson two "${VALUES[turn % ${#VALUES[@]}]}"
		reads r.json || fail "$parts"
	done < <({
		jq -r 'keys[] | select(. != "command")' "$BATS_FILE_TMPDIR/good.json"
		printf '%s\n' host.checks[0] devices.devices devices.devices[0].ports program.answer.failures program.answer.refusals
	} | paste -sd ', ' && printf ' ')
	change 'map_values(if . == "report" then . else null end)'
	reads r.json
	sed 's/"format":1,/"format":1e999,/' "$BATS_FILE_TMPDIR/good.json" >r.json
	reads r.json
	change '.host = {checks: [{id: [], verdict: {}}]} | .devices = "x" | .program = [1]'
	reads_json r.json
}

# bats test_tags=slow
@test "escapes, Markdown and HTML in a report are shown, not obeyed, and it is judged by this mrctl" {
	change '.format = 99 | .judged_again = "yes" | .xyzzy = "\u001b[2J" | .recording["/calls/kernel-log.answer"] = "x"
		| .host_name = "\u001b[2J<script>x</script>`|\u202e" | .kernel_log.lines = ["```", "```json", "\u001b[1m</details>"]
		| .devices.failures = [{message: "\u001b[31m<img src=x>", causes: []}]'
	reads r.json
	[[ $output != *'<script>'* && $output != *'<img'* && $output == *'\\x1b'* ]]
	# its document is still found, as the last block
	succeeded mrctl report --read r.json --to again.md
	reads_json again.md
	json '.kernel_log.lines[1] == "```json" and .judged_again == [] and .xyzzy == "\u001b[2J"'
}

@test "no file of a recording is made outside of its folder" {
	echo mine >mine
	change 'reduce ("../../mine", "/../../mine", $pwd + "/mine", "//", "/", "", ".", "/.", "/a/../../mine", "/a/./b",
		"/proc/self/limits/x", "/" + ("a/" * 3000), "/" + ("b" * 300)) as $path (.; .recording[$path] = "evil")
		| .recording += {"/x": "1", "/x/y": "2", "/z/y": "3", "/z": "4", "/../a": "5"}' --arg pwd "$PWD"
	reads r.json
	[ "$(cat mine)" = mine ]
	reads_json r.json
	json '.recording_left_out == 14'
}

# bats test_tags=slow
@test "any file of a recording may hold anything" {
	local value

	[ "$(jq '.recording | length' "$BATS_FILE_TMPDIR/good.json")" -gt 20 ]
	for value in 7 '("\u001b[2J%s%n|" * 20000)' '"99999999999999999999999999"' '"-1 x\n0x 0 0 0:\n"'; do
		change ".recording |= map_values($value)"
		reads r.json || fail "$value"
	done
	reads_json r.json
}

@test "nothing that is somebody's own is in a redacted report, and each has one stand-in, in whatever notation" {
	change '
		.host_name = "node7.site.example"
		| .program = {argv: ["mrctl", "trace", "--summary", "acme/sum", "--", "./train", "--password=hunter2", "-pHunter3", "--model",
				"acme-lm", "https://bob:tok123@git.acme.example/x?token=abc", "--size", "64K", "-d", "mlx5_0", "/usr/lib/x", "-c", "acme a/b", "acme-7"],
			exit_status: 1, answer: {program: ["sim", "acme one"], regions: [{name: "acme-buf", pd: "acme-pd", memory: "file:acme.bin"}],
				refusals: [{program: "/home/alice/x", place: "main"}],
				failures: [{region: "acme-buf", message: "region \u0027acme-buf\u0027 of acme-pd: acme.bin is short", causes: [],
					request: {pd: "acme-pd", argv: ["mrctl", "reg", "--name=acme-one", "--memory", "file:acme.bin", "--size", "64G"]}}]}}
		| .session = {regions: [{name: "acme-kept", pd: "default", memory: "anonymous"}], failures: []}
		| .devices.devices += [{name: "acme-hca", node_guid: "0a0b:0c0d:0e0f:1011", node_desc: "Acme HCA in rack 12", parent: "acme-lan",
			ports: [{gid: "fe80::a0b:cff:fe0f:1011"}]}]
		| .kernel_log.lines = ["0a0b0c0d0e0f1011,0x0A0B0C0D0E0F1011,0a:0b:0c:0d:0e:0f:10:11,0a0b:0c0d:0e0f:1011",
			"506b4bc31a2c,506B.4BC3.1A2C,50-6b-4b-c3-1a-2c,50:6B:4B:C3:1A:2C",
			"::ffff:c000:24d,::ffff:192.0.2.77,192.0.2.77",
			"fe800000000000000a0b0cfffe0f1011,fe80:0000:0000:0000:0a0b:0cff:fe0f:1011,fe80::a0b:cff:fe0f:1011",
			"NODE7,node7.site.example,node7", "node8,node8.site.example,node8.SITE.example",
			"alice,/home/alice,~alice", "/home/alice/x,~alice/x",
			"[1.0] mlx5_core 0000:3b:00.0: [2001:db8::beef]:4791 serial number: MT1234X56789, SN: MT4711X, Device Serial Number 50-6b-4b-03-00-c3-1a-2c",
			"[2.0] oom-kill:task_memcg=/kubepods/pod123e4567-e89b-12d3-a456-426614174000/0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
			"[3.0] infiniband acme-hca: acme-lan 192.0.2.77-192.0.2.78 acme-kept hunter2 acme-lm https://bob:tok123@git.acme.example/x?token=abc",
			"[4.0] rdma: APP_TOKEN=tok123 password: tok124, \"secret\": \"tok 125\" Authorization: Bearer tok126 bob@git.acme.example",
			"[5.0] oom-kill:task_memcg=/system.slice/acmed.service,task=x,pid=7,uid=1000"]
		| .recording = {"/proc/self/cgroup": "0::/system.slice/acmejob.service/node7.site.example/node7\n",
			"/sys/class/infiniband/acme-hca/parent": "acme-lan\n",
			"/calls/sys/class/infiniband.list": "acme-hca\nmlx5_0\n",
			"/sys/fs/cgroup/system.slice/acmejob.service/memory.max": "max\n"}'
	redacted
	run ! grep -iE 'node[78]|site\.example|alice|0a0b|506b|50[:-]6b|192\.0\.2|2001:db8|MT1234|4711X|123e4567|89abcdef|acme|hunter|tok ?12|bob' \
		out.json out.markdown
	output=$(<out.json)
	json '.kernel_log.lines[:8] | map(split(",") | map(sub("/home/user"; "user")) | unique | length == 1) | all'
	json '.redacted == true and .host_name == "host-1" and .kernel_log.lines[5][0:6] == "host-2"
		and (.recording["/proc/self/cgroup"] | test("^0::/system.slice/group-[0-9]+.*/host-1/host-1\n$"))'
	json '(.devices.devices[-1] | [.node_guid, .ports[0].gid]) == [.kernel_log.lines[0, 3] | split(",")[0]]'
	json '.devices.devices[-1].name as $name | (.kernel_log.lines[10] | contains($name))
		and (.recording | has("/sys/class/infiniband/" + $name + "/parent"))'
	# words of mrctl and of the system stay
	json '.program.argv == ["mrctl", "trace", "--summary", "path-1", "--", "path-2", "--password=argument-1", "-pargument-2", "--model",
		"argument-3", "argument-4", "--size", "64K", "-d", "mlx5_0", "/usr/lib/x", "-c", .program.argv[-2], .program.argv[-1]]'
	json '.program.answer.failures[0].request.argv | .[0:2] == ["mrctl", "reg"] and (.[2] | startswith("--name=region-"))
		and .[3] == "--memory" and (.[4] | startswith("file:path-")) and .[-1] == "64G"'
	json '.kernel_log.lines | (.[8] | contains("0000:3b:00.0")) and (.[12] | contains("uid=1000") and contains("/system.slice/group-"))'
}

@test "versions, masks and the form of control groups stay in a redacted report" {
	change '.kernel_log.lines = ["mlx5 23.10-0.5.5.0 fw 16.35.4030 5.8-1.1.2.1 at 12:30:45, 0::/x, std::vector, dead:beef"]
		| .recording["/proc/self/cgroup"] = "0::/user.slice/user-1000.slice/session-2.scope\n"'
	run --separate-stderr mrctl -j report --read r.json --redact
	kept='.kernel_log.lines[0], .recording["/proc/self/cgroup", "/proc/self/status", "/proc/self/limits"]'
	diff <(jq "$kept" <<<"$output") <(jq "$kept" r.json)
}

@test "a path with blanks and other characters is not in a redacted report, whatever field it is in" {
	change '
		.program = {argv: ($paths | map(., "file:" + ., "--out=" + .)), exit_status: 1, answer: {
			program: $paths, not_followed: ($paths | map({pid: 1, program: .})),
			refusals: ($paths | map({call: "ibv_reg_mr", program: ., place: ("main (" + . + "/x y.c:12)"), count: 1,
				causes: [{cause: (. + " has 4 KiB"), evidence: {file: .[0:90]}, remedy: "see \u0027\(.)\u0027"}]})),
			failures: ($paths | map({message: ("cannot use \u0027" + . + "\u0027: open: ENOENT"), causes: [],
				request: {argv: ["mrctl", .], memory: ("file:" + .)}}))}}
		| .kernel_log.lines = ($paths | map("[1.0] rdma: exe=\u0022\(.)\u0022 pid=7", "[2.0] mlx5: " + gsub(" "; "\\040")))
		| .recording["/proc/self/mountinfo"] += "99 1 0:9 /home/alice/Acme\\040plan /x rw - tmpfs none rw\n"' --argjson paths '[
		"/home/alice/Acme Corp/plan 9", "/home/alice/Acme\tCorp/plan\n9", "/home/alice/Acme\u0027s \"Corp\": plan, (9)/x",
		"/home/alice/Ácme Corp/plän", "/data/Acme Corp/plan 9", "Acme Corp/plan 9", "./Acme plan", "~alice/Acme plan",
		"file:///home/alice/Acme%20Corp/plan", "--in=/data/Acme plan"]'
	redacted
	run ! grep -iE 'acme|ácme|corp|plan|plän|alice' out.json out.markdown
	jq -e '.program | all(.argv[]; test("(path|argument)-")) and all(.answer.refusals[]; .program != null)
		and all(.answer.failures[]; .message | endswith(": open: ENOENT"))' out.json
}

# bats test_tags=slow
@test "the names of the host and of the user's home have stand-ins, also where folders of the system have the same" {
	local name

	name=$(uname -n)
	HOME=/srv/people/bob run --separate-stderr "${SIM[@]}" mrctl -j report --redact -- sh -c : /srv/people/bob/plan
	succeeded
	[[ $output != */srv/people/bob* ]]
	json '.host_name | startswith("host-")'
	[ "${#name}" -lt 4 ] || run ! grep -wF -- "$name" <<<"$output"
	for name in vm.site.example mlx5; do
		change '.host_name = $name | .kernel_log.lines = ["[1.0] mlx5: " + $name]' --arg name "$name"
		redacted
		reads_json out.json
		json '.host_name == "host-1" and .judged_again == [] and ([.. | strings | select(contains("site.example"))] == [])'
	done
}

# bats test_tags=slow
@test "redacting a hostile report ends" {
	# each is long for a rule that would take quadratic time
	change '.kernel_log.lines = [[range(10000)] | map("10.\(. / 65536 | floor).\(. / 256 % 256 | floor).\(. % 256) ") | add,
		("1." * 50000), ("a:" * 50000), ("-1.1.1.1" * 12000), (" " * 75000 + "x"), ("deadbeef" * 12000), ("aa:" * 25000),
		("/home/a/" * 10000), ("~a|" * 15000), (("(/" + "root/x") * 10000), ("\u0027~a" * 15000)]'
	succeeded timeout 120 mrctl -j report --read r.json --redact
	run ! grep -F 10.0.0.1 <<<"$output"
}
