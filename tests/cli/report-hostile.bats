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

# change FILTER [JQ-OPTION...]: makes r.json of the good report; what reads it need not follow the schema
change() {
	MRCTL_TEST_DOCUMENTS=''
	jq -c "${@:2}" "$1" "$BATS_FILE_TMPDIR/good.json" >r.json
}

# redacted: redacts r.json to out.json and out.markdown
redacted() {
	local format

	for format in json markdown; do
		rm -f "out.$format"
		succeeded mrctl report --read r.json --redact --format "$format" --to "out.$format" || return
	done
}

# no_report MESSAGE FILE...: none of them is read, and MESSAGE is told of each
no_report() {
	local file

	for file in "${@:2}"; do
		run --separate-stderr timeout 60 mrctl report --read "$file"
		[[ $status -eq 1 && -z $output ]] || fail "$file: $status $output" || return
		[[ $stderr == "mrctl: report: "*"$file"*"$1"* ]] || fail "$file: $stderr" || return
	done
}

@test "a report that names more files than a recording may have is read, and shows the number of omitted files" {
	jq '.recording += ([range(5000) | {key: "/x/\(.)", value: ""}] | from_entries)' "$BATS_FILE_TMPDIR/good.json" >many
	gives ".recording_left_out > 1000" mr report --read many
}

@test "a file that is not a report, or too large for one, is an error that names it" {
	: >empty
	head -c 100000 /dev/urandom >binary
	echo '{"format":1,"command":"stat"}' >stat
	echo '[]' >list
	printf '```json\n' >fence
	head -c 3000 "$BATS_FILE_TMPDIR/good.json" >cut.json
	head -c 5000000 /dev/zero | tr '\0' '[' >deep
	no_report "is not a report of mrctl" empty binary stat list fence cut.json deep
	(printf '{"command":"report","x":['; head -c 2000000 /dev/zero | sed 's/\x0/0,/g'; printf '0]}') >many
	no_report "too many values for a report" many
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
	turn=0
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
@test "escapes, Markdown and HTML in a report are in fenced blocks, and it is judged by this mrctl" {
	change '.format = 99 | .judged_again = "yes" | .xyzzy = "\u001b[2J" | .recording["/calls/kernel-log.answer"] = "x"
		| .host_name = "\u001b[2J<script>x</script>`|\u202e" | .kernel_log.lines = ["```", "```json", "\u001b[1m</details>", "`````` "]
		| .devices.text = ["<b>"] | .devices.failures = [{message: "\u001b[31m<img src=x>", causes: []}]'
	reads r.json
	[[ $output == *'\x1b[2J<script>'*'```````'*'\x1b[1m</details>'* ]]
	# what Markdown sees outside of the blocks is mrctl's own
	outside=$(awk '/^```/ { match($0, /^`+/); if (!fence) { fence = RLENGTH; next }
		if (RLENGTH >= fence && $0 ~ /^`+$/) { fence = 0; next } } !fence && NF' <<<"$output")
	run ! grep -v '^# mrctl report$\|^## [A-Za-z ]*\(.s log\)\?$' <<<"$outside"
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
	[ "$(jq '.recording | length' "$BATS_FILE_TMPDIR/good.json")" -gt 20 ]
	for value in 7 '("\u001b[2J%s%n|" * 20000)' '"99999999999999999999999999"' '"-1 x\n0x 0 0 0:\n"'; do
		change ".recording |= map_values($value)"
		reads r.json || fail "$value"
	done
	reads_json r.json
}

# secrets: writes secrets.json, a list of what must not be in a redacted report, and its lines to secrets.txt
secrets() {
	jq -Rn '[inputs] + ["-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQ\n-----END PRIVATE KEY-----"]' >secrets.json <<-'EOF'
		gpu-node7
		gpu-node7.site.example
		GPU-NODE7.SITE.EXAMPLE
		alice.smith
		/home/alice/Acme Corp/plan 9
		~alice/plan
		file:///home/alice/Acme%20Corp
		/data/Acme\040Corp/x
		file:/srv/acme/model.bin
		device:/dev/acme0
		50:6b:4b:c3:1a:2c
		50-6B-4B-C3-1A-2C
		506b.4bc3.1a2c
		0x506b4bc31a2c0000acme
		506b:4b03:00c3:1a2c
		0x506b4b0300c31a2c0
		fe80::526b:4bff:fec3:1a2c
		fe80:0000:0000:0000:526b:4bff:fec3:1a2c
		::ffff:192.0.2.77
		192.0.2.77
		2001:db8::beef
		MT2049X12345
		SN: 4711-0815
		ghp_16C7e42F292c6912E7710c838347Ae178B4a
		--password=hunter2
		-pHunter3
		APP_TOKEN=tok-4711
		Authorization: Bearer tok-4712
		eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N
		AKIAIOSFODNN7EXAMPLE
		wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY
		/system.slice/acmed.service
		/kubepods/burstable/pod123e4567-e89b-12d3-a456-426614174000
		0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
		acme-region
		acme-pd
		https://bob:tok4713@git.acme.example/x?token=abc
		bob@acme.example
		Acme HCA in rack 12
		acme'"$(x)`y`
		enp59s0f0np0acme
	EOF
	jq -r '.[]' secrets.json >secrets.txt
	[ "$(jq length secrets.json)" -ge 40 ]
}

# bats test_tags=slow
@test "--redact removes 40 secrets from each private field of a report" {
	secrets
	change '$secrets[0] as $all | def all(f): $all | map(f);
		def causes: [{id: "MR-RANGE", certainty: "certain", cause: ., remedy: ., evidence: {file: ., group: ., count: 1, list: [.]}}];
		def request: {argv: [.], memory: ., pd: ., addr: ., access: [.], length: .};
		.host_name = $all[0]
		| .program = {argv: $all, exit_status: 1, reproduction: $all, answer: {error: $all[1], program: $all, libraries: $all,
			regions: all({name: ., pd: ., memory: ("file:" + .), rkey: ., export: .}),
			refusals: all({call: "ibv_reg_mr", program: ., place: ., device: ., memory: ., stack: $all, causes: causes}),
			not_followed: all({pid: ., program: ., reason: .}), leaks: all({program: ., place: .}),
			failures: all({message: ., causes: causes, ruled_out: [{id: "MR-X", reason: .}], tried: .,
				tries: [{change: ., reason: .}], proof: {note: .}, request: request})}}
		| .environment += {device: $all[2], data_direct: $all[3], uid: $all[4], memlock_soft: $all[5]}
		| .devices.devices += all({name: ., node_desc: ., node_guid: ., sys_image_guid: ., pci_address: ., parent: ., node: .,
			data_direct_path: ., commands_error: ., vendor_id: ., vendor_part_id: ., ports: [{gid: ., lid: .}]})
		| .devices.text = $all | .devices.error = $all[6] | .xyzzy = {plugh: $all, more: [[$all]]}
		| .session = {regions: all({name: ., pd: ., memory: ., export: .}), totals: {pds: all({name: ., handle: .})}}
		| .kernel_log.lines = $all | .host.text = $all | .host.summary.recording = $all[7]
		| .recording += (all({key: ., value: .}) | from_entries)' --slurpfile secrets secrets.json
	redacted
	run ! grep -iF -f secrets.txt out.json out.markdown
	run ! grep -iE 'acme|alice|hunter|tok-?471' out.json out.markdown
	output=$(<out.json)
	json '.host_name == "host-1" and .left_out.kernel_log_lines == $count and .left_out.command_lines > 2 and .left_out.texts > 100
		and .left_out.recorded_files > 20 and .recording == null and .kernel_log.lines == null' --argjson count "$(jq length secrets.json)"
	# equal values have equal pseudonyms, others have others
	json '.devices.devices[-1] | .name == .parent and (.name | test("^[a-z_]+-[0-9]+$"))'
	json '[.devices.devices[1:][].name] | unique | length == $count' --argjson count "$(jq length secrets.json)"
	json '.session.regions | any(.memory | test("^file:memory-[0-9]+$") or test("^file:[a-z_]+-[0-9]+$"))'
}

@test "a redacted report keeps verdicts, causes, sizes, versions and limits, and lists what it omits" {
	run --separate-stderr "${SIM[@]}" mrctl report --redact --to r.md -- mrctl reg --memory hole --size 64K --name acme --pd acme2
	succeeded mrctl -j report --read r.md
	json '.redacted and (.host.checks | length > 30 and all(.id[:3] == "MR-" and (.verdict | IN("ok", "warn", "bad", "unknown", "n/a"))))
		and .judged_again == []'
	json '.program.answer.failures[0] | .call == "ibv_reg_mr" and .errno == "EFAULT" and .request.length == 65536 and .message == "" and
		.request.access == ["local-write"] and .request.memory == "hole" and .request.argv == null and
		(.causes[0] | .id[:9] == "MR-RANGE-" and .certainty == "certain" and ([.evidence[] | numbers] | length > 0))'
	json '.environment | .kernel == $kernel and .rdma_core != null and .memlock_soft' --arg kernel "$(uname -r)"
	json '.devices.devices[0] | .vendor_part_id > 0 and .max_mr > 0 and .odp.general != null and (.firmware | contains("."))'
	run ! grep -iF -e acme -e "$(device)" r.md
	succeeded mrctl report --read r.md
	[[ $output == *"left out: 0 lines of the kernel's log, 2 command lines, "*" messages and other texts, "*" files of the recording"* ]]
	[[ $output == *"ibv_reg_mr: EFAULT"*"asked for 65536 bytes"*"[certain, MR-RANGE-"*"  MR-MEMLOCK  limit of locked memory"* ]]
	[[ $output == *"The report has no recording"* && $output != *"each check has the same"* ]]
	succeeded mrctl report --read "$BATS_FILE_TMPDIR/good.json" --redact
	[[ $output == *"  MR-MEMLOCK  limit of locked memory"*'"vendor_part_id":'* ]]
	# redacted once more, it is the same
	gives '.left_out.command_lines == 2 and .host_name == "host-1"' mrctl report --read r.md --redact
}

@test "redacting a report with very many different values ends" {
	change '.devices.devices += [range(100000) | {name: "acme\(.)"}]'
	succeeded timeout 120 mrctl -j report --read r.json --redact
	run ! grep -F acme <<<"$output"
}
