#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# mrctl trace: what it tells of the calls that it has seen, and where.
load helpers

# The last line of a summary
SIMULATED=$'\n  these are answers of the simulated HCA'

setup_file() {
	export FORGETS=$BATS_FILE_TMPDIR/forgets
	"${CC:-cc}" -g -o "$FORGETS" -x c - -libverbs <<-'EOF'
		/* Is refused as often as it is told, and then forgets two regions. */
		#include <infiniband/verbs.h>
		#include <stdlib.h>
		#include <sys/mman.h>
		#undef ibv_reg_mr
		static char memory[8192];
		static void forget(struct ibv_pd *pd, size_t size)
		{
			if (!ibv_reg_mr(pd, memory, size, IBV_ACCESS_LOCAL_WRITE))
				exit(4);
		}
		int main(int argc, char **argv)
		{
			struct ibv_device **list = ibv_get_device_list(NULL);
			struct ibv_context *context = list[0] ? ibv_open_device(list[0]) : NULL;
			struct ibv_pd *pd = context ? ibv_alloc_pd(context) : NULL;
			void *readonly = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
			if (!pd)
				return 3;
			for (int i = argc > 1 ? atoi(argv[1]) : 0; i > 0; i--)
				if (ibv_reg_mr(pd, readonly, 4096, IBV_ACCESS_LOCAL_WRITE))
					return 4;
			forget(pd, 8192);
			forget(pd, 4096);
			return 5;
		}
	EOF
}

# trace [ARG...]: mrctl trace with these options, on the device under test
trace() {
	run --separate-stderr "${SIM[@]}" mrctl trace "$@"
}

# told TEXT...: each is in what was written on standard error
told() {
	local text
	for text; do
		[[ $stderr == *"$text"* ]] || fail "no '$text' in: $stderr" || return
	done
}

@test "the summary tells what was registered, and nothing else where all went well" {
	trace -- mrctl -q reg --count 3
	succeeded
	[ -z "$output" ]
	[ "$stderr" = "mrctl: trace: 3 registrations of 12 KiB by 1 process, at most 3 regions of 12 KiB at once; 0 refused$SIMULATED" ]
}

@test "a program that only opens a device registers nothing" {
	trace -- ibv_devinfo
	succeeded
	[ "$stderr" = "mrctl: trace: nothing was registered by 1 process; 0 refused$SIMULATED" ]
}

@test "the program's output and exit status stay as they are" {
	trace -- sh -c 'echo out; echo err >&2; exit 42'
	[ "$status" -eq 42 ]
	[ "$output" = out ]
	[[ $stderr == err$'\n'* ]]
	trace -q -- mrctl -q reg
	succeeded
	[ -z "$stderr" ]
	run -127 "${SIM[@]}" mrctl trace -- nosuch-program
	trace -- "$BATS_TEST_DIRNAME"
	[ "$status" -eq 126 ]
}

@test "a program that makes no call is told of as such" {
	trace -- true
	succeeded
	[ "$stderr" = "mrctl: trace: no call of libibverbs was seen in 1 process" ]
}

@test "a refusal has the cause that mrctl itself names" {
	local memory ids
	for memory in readonly unmapped; do
		run --separate-stderr mr -j reg --memory "$memory"
		[ "$status" -eq 1 ]
		ids=$(jq -r '.failures[].causes[].id' <<<"$output")
		[ -n "$ids" ]
		trace -j --summary "$BATS_TEST_TMPDIR/summary" -- mrctl -q reg --memory "$memory"
		[ "$status" -eq 1 ]
		output=$(<"$BATS_TEST_TMPDIR/summary")
		json '.refusals | length == 1 and .[0].count == 1'
		[ "$(jq -r '.refusals[].causes[].id' <<<"$output")" = "$ids" ] || fail "$memory: not $ids: $output"
	done
}

@test "a kind of refusal is told once, with count, place, cause and remedy" {
	trace -- "$FORGETS" 500
	[ "$status" -eq 5 ]
	[ "$(grep -c 'because:' <<<"$stderr")" -eq 1 ]
	told "mrctl: trace: ibv_reg_mr: EFAULT (Bad address), 500 times" "first by $FORGETS (pid " \
		") at main" "MR-READ-ONLY]" "  try: " "looked at 3 of them" "; 500 refused"
}

@test "what was never deregistered is told with the place that registered it" {
	trace -- "$FORGETS"
	[ "$status" -eq 5 ]
	told "2 regions of 12 KiB never deregistered" "2 regions of 12 KiB by ibv_reg_mr at forget" "in $FORGETS"
	trace -q -- "$FORGETS"
	[ -z "$stderr" ]
	trace -q --leaks --stacks -- "$FORGETS"
	told "at forget" "    main"
	trace --leaks -- mrctl -q reg
	told "all regions were deregistered"
}

@test "--expect-none-refused answers with the exit status" {
	trace -q --expect-none-refused -- mrctl -q reg
	succeeded
	trace -q --expect-none-refused -- "$FORGETS" 1
	[ "$status" -eq 1 ]
	trace -q -- "$FORGETS" 1
	[ "$status" -eq 5 ]
}

@test "-o has each call as a line of JSON, with what was asked for and what it answered" {
	trace -q -o "$BATS_TEST_TMPDIR/calls" -- "$FORGETS" 2
	[ "$status" -eq 5 ]
	output=$(jq -cs . "$BATS_TEST_TMPDIR/calls")
	json 'map(select(.call != "madvise") | .call) ==
		["ibv_open_device", "ibv_alloc_pd", "ibv_reg_mr", "ibv_reg_mr", "ibv_reg_mr", "ibv_reg_mr"]'
	json '[.[] | select(.call == "ibv_reg_mr") | [.length, .answer, .errno_value]] ==
		[[4096, "EFAULT", 14], [4096, "EFAULT", 14], [8192, "ok", null], [4096, "ok", null]]'
	json 'all(.device == $device and .elapsed_ns > 0 and .pid == .tid)' --arg device "$(device)"
	json '[.[] | select(.answer == "EFAULT") | .causes[0].id] == ["MR-READ-ONLY", "MR-READ-ONLY"]'
	json '[.[] | select(.answer == "ok" and .call == "ibv_reg_mr")] |
		all(.lkey and .object and .pd and .access_bits == "0x1" and (.place | startswith("forget")))'
	trace -q --refused-only --stacks -o "$BATS_TEST_TMPDIR/calls" -- "$FORGETS" 2
	output=$(jq -cs . "$BATS_TEST_TMPDIR/calls")
	json 'length == 2 and all(.stack[0] | startswith("main"))'
}

@test "a umem that is deregistered is of the device that it was registered on" {
	require_devx
	trace -q --live -o "$BATS_TEST_TMPDIR/calls" -- mrctl -q umem
	succeeded
	output=$(jq -cs . "$BATS_TEST_TMPDIR/calls")
	json 'any(.call == "mlx5dv_devx_umem_dereg") and all(.device == $device)' --arg device "$(device)"
	told "mlx5dv_devx_umem_dereg($(device)) = ok <"
}

@test "-o is written while the program runs" {
	local calls=$BATS_TEST_TMPDIR/calls
	"${SIM[@]}" mrctl trace -q -o "$calls" -- sh -c 'mrctl -q reg; exec sleep 60' 3>&- &
	until grep -q ibv_dereg_mr "$calls" 2>/dev/null; do
		is_running $!
		sleep 0.02
	done
	kill $!
	status=0
	wait $! || status=$?
	[ "$status" -eq 143 ]
}

@test "files are readable by their owner alone, and go through no symbolic link" {
	cd "$BATS_TEST_TMPDIR"
	umask 0
	trace -o calls --summary summary -- mrctl -q reg
	succeeded
	[ -z "$stderr" ]
	[ "$(stat -c %a calls summary | sort -u)" = 600 ]
	grep -q "1 registration of 4 KiB" summary
	echo kept >other
	ln -s other link
	trace -o link -- mrctl -q reg
	[ "$status" -eq 1 ]
	told ELOOP link
	trace -q --summary link -- mrctl -q reg
	[ "$status" -eq 1 ]
	[ "$(<other)" = kept ]
	trace -o nowhere/calls -- touch ran
	[ "$status" -eq 1 ]
	told ENOENT
	[ ! -e ran ]
}

@test "--live shows each call as a line, and only refusals where asked" {
	trace -q --live -- "$FORGETS" 1
	told "] ibv_open_device($(device)) = ok <" "] ibv_reg_mr($(device), 0x" \
		", 4096, local-write) = EFAULT (Bad address) <" ", 8192, local-write) = lkey 0x"
	[ "$(grep -c ibv_reg_mr <<<"$stderr")" -ge 3 ]
	trace -q --live --refused-only -- "$FORGETS" 2
	[ "$(grep -c '^\[pid .*ibv_reg_mr.* = EFAULT' <<<"$stderr")" -eq 2 ]
	[[ $stderr != *lkey* ]]
}

@test "--calls adds a table, and JSON has all" {
	trace --calls -- mrctl -q reg --count 4
	succeeded
	grep -Eq '^CALL +CALLS +REFUSED +BYTES' <<<"$stderr"
	grep -Eq '^ibv_reg_mr +4 +0 +16384' <<<"$stderr"
	run --separate-stderr "${SIM[@]}" mrctl -j trace -- "$FORGETS" 1
	[ "$status" -eq 5 ]
	[ -z "$output" ]
	output=$stderr
	json '.exit_status == 5 and .signal == null and .processes == 1 and .registered == 2 and .refused == 1 and
		.registered_bytes == 12288 and .most_regions == 2 and .most_bytes == 12288 and .leaked == 2 and
		.unseen == 0 and .program[1] == "1" and .not_followed == []'
	json '.calls[] | select(.call == "ibv_reg_mr") | .calls == 3 and .refused == 1 and .bytes == 12288'
	json '.leaks == [{program: $p, place: .leaks[0].place, call: "ibv_reg_mr", regions: 2, bytes: 12288, stack: null}]' \
		--arg p "$FORGETS"
}

@test "the signal that ended the program ends mrctl" {
	# shellcheck disable=SC2016 # for the other shell
	trace -q -- sh -c 'kill -9 $$'
	[ "$status" -eq 137 ]
	# shellcheck disable=SC2016 # for the other shell
	run --separate-stderr "${SIM[@]}" mrctl -j trace -- sh -c 'kill -15 $$'
	[ "$status" -eq 143 ]
	output=$stderr
	json '.signal == 15 and .exit_status == null'
}

@test "SIGTERM is passed on, and the summary still told" {
	local out=$BATS_TEST_TMPDIR/out
	: >"$out"
	# shellcheck disable=SC2016 # for the other shell
	"${SIM[@]}" mrctl trace -- sh -c 'trap "exit 9" TERM; mrctl -q reg; echo ready; while :; do sleep 0.02; done' \
		>"$out" 2>"$BATS_TEST_TMPDIR/err" 3>&- &
	until grep -q ready "$out"; do
		is_running $!
		sleep 0.02
	done
	kill $!
	status=0
	wait $! || status=$?
	[ "$status" -eq 9 ]
	stderr=$(<"$BATS_TEST_TMPDIR/err")
	told "1 registration of 4 KiB"
}

@test "signals for mrctl alone are passed on, also such as a terminal sends to all" {
	local out=$BATS_TEST_TMPDIR/out signal
	for signal in INT QUIT HUP; do
		: >"$out"
		# shellcheck disable=SC2016 # for the other shell
		env --default-signal=INT,QUIT,HUP "${SIM[@]}" mrctl trace -- \
			sh -c 'trap "exit 9" '$signal'; mrctl -q reg; echo ready; for i in $(seq 500); do sleep 0.02; done' \
			>"$out" 2>"$BATS_TEST_TMPDIR/err" 3>&- &
		until grep -q ready "$out"; do
			is_running $!
			sleep 0.02
		done
		kill -$signal $!
		status=0
		wait $! || status=$?
		[ "$status" -eq 9 ]
		grep -q "1 registration of 4 KiB" "$BATS_TEST_TMPDIR/err"
	done
}

@test "a signal that the program sends to its process group comes to it once" {
	run setsid -w "${SIM[@]}" mrctl trace -q -- sh -c 'trap "echo got" TERM; kill -TERM 0; sleep 0.3; sleep 0.3'
	[ "$status" -eq 0 ]
	[ "$output" = got ]
}

@test "SIGINT of the terminal ends the program, and mrctl sums up" {
	local err=$BATS_TEST_TMPDIR/err
	# a process group of its own, as of a shell with job control; its SIGINT is not ignored
	setsid -w env --default-signal=INT "${SIM[@]}" mrctl trace -- \
		sh -c 'mrctl -q reg; echo $$; exec sleep 60' >"$BATS_TEST_TMPDIR/out" 2>"$err" 3>&- &
	until [ -s "$BATS_TEST_TMPDIR/out" ]; do
		is_running $!
		sleep 0.02
	done
	kill -INT -- "-$(cut -d ' ' -f 5 "/proc/$(<"$BATS_TEST_TMPDIR/out")/stat")"
	status=0
	wait $! || status=$?
	[ "$status" -eq 130 ]
	grep -q "1 registration of 4 KiB" "$err"
}

@test "shells, pipelines and children in the background are followed until the last has ended" {
	trace -- sh -c 'mrctl -q reg | cat; (sleep 0.3; exec mrctl -q reg --count 2) & exit 3'
	[ "$status" -eq 3 ]
	told "3 registrations of 12 KiB"
}

@test "what the program has left behind is waited for, until a signal ends the wait" {
	local err=$BATS_TEST_TMPDIR/err pid=$BATS_TEST_TMPDIR/pid
	: >"$pid"
	"${SIM[@]}" mrctl trace -- sh -c 'mrctl -q reg; (exec sleep 60) & echo $! >"$0"; exit 6' "$pid" 2>"$err" 3>&- &
	until [ -s "$pid" ]; do
		is_running $!
		sleep 0.02
	done
	sleep 0.2
	is_running $!
	kill $!
	status=0
	wait $! || status=$?
	[ "$status" -eq 6 ]
	grep -q "1 registration of 4 KiB" "$err"
	is_running "$(<"$pid")"
	kill "$(<"$pid")"
}

@test "places have no names of other files, which are at the same path where the program runs not" {
	local folder=$BATS_TEST_TMPDIR/folder
	unshare -rm true 2>/dev/null || skip "needs a mount namespace"
	mkdir "$folder"
	cp "$FORGETS" "$BATS_TEST_TMPDIR/original"
	"${CC:-cc}" -g -shared -fPIC -o "$folder/forgets" -x c - <<<'void wrong(void) { __asm__(".skip 65536"); }'
	# shellcheck disable=SC2016 # for the other shell
	trace -- unshare -rm sh -c 'mount --bind "$0" "$1/forgets" && "$1/forgets"' "$BATS_TEST_TMPDIR/original" "$folder"
	[ "$status" -eq 5 ]
	told "2 regions of 12 KiB" "by ibv_reg_mr at forgets+0x"
	# the same file under both names keeps its function's
	trace -- unshare -rm "$FORGETS"
	[ "$status" -eq 5 ]
	told "by ibv_reg_mr at forget"
}

@test "what the program is called comes to the terminal without escapes" {
	local name
	name=$BATS_TEST_TMPDIR/$(printf 'a\033[31mb\tc')
	cp "$FORGETS" "$name"
	trace -o "$BATS_TEST_TMPDIR/calls" -- "$name" 1
	[ "$status" -eq 5 ]
	[[ $stderr != *$'\033'* ]]
	trace -- sh -c "\"\$0\" 1" "$name"
	[[ $stderr != *$'\033'* ]]
	jq -es . "$BATS_TEST_TMPDIR/calls" >/dev/null
}

@test "a process that writes into its channel what it likes does not disturb mrctl" {
	command -v python3 >/dev/null || skip "python3 is not installed"
	# shellcheck disable=SC2016 # for the other shell
	trace -- bash -c '"$0" - <<-"EOF"
		import os, socket
		name = os.environ["MRCTL_TRACE"].rsplit(":", 1)[0]
		for size in (0, 1, 100, 400, 100000):
		    s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
		    s.connect("\0" + name)
		    s.send(os.urandom(size))
		held = []
		for i in range(300):
		    s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
		    s.connect("\0" + name)
		    held.append(s)
		os.system("mrctl -q reg")
	EOF' "$(command -v python3)"
	succeeded
	told "1 registration of 4 KiB"
}

@test "options that do not go together are told" {
	trace --refused-only -- true
	usage_error "--refused-only"
	trace --no-such-option -- true
	usage_error "--no-such-option"
	trace -o same --summary same -- true
	usage_error "a file each"
}

@test "a file that cannot be written is told before the program runs" {
	local option

	for option in -o --reproduce --summary; do
		trace "$option" "$BATS_TEST_TMPDIR" -- touch "$BATS_TEST_TMPDIR/ran"
		[ "$status" -eq 1 ]
		told "$BATS_TEST_TMPDIR: open: EISDIR"
		[ ! -e "$BATS_TEST_TMPDIR/ran" ]
	done
}

@test "a full disk is told with its errno, and costs nothing else that was found" {
	local option

	for option in -o --reproduce --summary; do
		trace "$option" /dev/full -- mrctl -q reg
		[ "$status" -eq 1 ]
		told "/dev/full: write: ENOSPC (No space left on device)"
		[ "$option" = --summary ] || told "1 registration of 4 KiB"
	done
	trace -o /dev/full --reproduce "$BATS_TEST_TMPDIR/batch" -- mrctl -q reg --memory readonly
	grep -q -- '--expect EFAULT$' "$BATS_TEST_TMPDIR/batch"
}

@test "places are told apart where one library has come to the addresses of another" {
	local name plugins=() addresses program=$BATS_TEST_TMPDIR/program
	"${CC:-cc}" -o "$program" "$BATS_TEST_DIRNAME/trace-plugin.c" -libverbs
	for name in first second; do
		"${CC:-cc}" -g -fPIC -shared -DRUN=$name -o "$BATS_TEST_TMPDIR/$name.so" "$BATS_TEST_DIRNAME/trace-plugin.c" -libverbs
		plugins+=("$BATS_TEST_TMPDIR/$name.so" "$name")
	done
	run -0 --separate-stderr "${SIM[@]}" mrctl trace --leaks -- "$program" "${plugins[@]}" "${plugins[@]:0:2}"
	addresses=$(sort -u <<<"$output" | wc -l)
	[ "$addresses" -eq 1 ] || skip "they have come to other addresses"
	[[ $stderr == *"2 regions of 8 KiB by ibv_reg_mr at first ("* ]] || fail "$stderr"
	[[ $stderr == *"1 region of 4 KiB by ibv_reg_mr at second ("* ]] || fail "$stderr"
	run -0 --separate-stderr "${SIM[@]}" mrctl trace --leaks --stacks -o "$BATS_TEST_TMPDIR/calls" -- \
		"$program" "${plugins[@]}"
	[ "$(jq -r 'select(.call == "ibv_reg_mr") | .place + " " + .stack[0] | gsub(" \\([^)]*\\)"; "")' "$BATS_TEST_TMPDIR/calls")" = \
		$'first first\nsecond second' ]
	[ "$(grep -c '^      \(first\|second\) ' <<<"$stderr")" -eq 2 ]
}

# lines_of CALL: where the program calls it, as "FUNCTION (FILE:LINE)"
lines_of() {
	awk -v call="$1(" '/^[a-z].*\(/ { name = /main\(/ ? "main" : "helper" }
		index($0, call) { printf "%s (trace-inline.c:%d)\n", name, NR }' "$BATS_TEST_DIRNAME/trace-inline.c"
}

@test "places are lines of the program, where libibverbs has inline functions" {
	local flags calls="$BATS_TEST_TMPDIR/calls" compiler
	for flags in "gcc -O0" "gcc -O2" "gcc -O2 -flto" "gcc -O2 -gdwarf-4" "clang -O0" "clang -O2"; do
		read -ra compiler <<<"$flags"
		command -v "${compiler[0]}" >/dev/null || continue
		"${compiler[@]}" -g -o "$BATS_TEST_TMPDIR/inline" "$BATS_TEST_DIRNAME/trace-inline.c" -libverbs
		"${SIM[@]}" mrctl trace -q -o "$calls" -- "$BATS_TEST_TMPDIR/inline"
		diff <(lines_of ibv_reg_mr) <(jq -r 'select(.call | startswith("ibv_reg_mr")).place' "$calls") || fail "$flags"
		# unoptimized, this one is a function of its own
		diff <(lines_of ibv_alloc_null_mr) <(jq -r 'select(.call == "ibv_alloc_null_mr").place' "$calls") || fail "$flags"
	done
}
