#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# mrctl trace: what it tells of the calls that it has seen, and where.
load helpers

# The last line of a summary
SIMULATED=$'\n  these are answers of the simulated HCA'

setup_file() {
	# is refused as often as it is told, and then forgets two regions
	export FORGETS=$BATS_FILE_TMPDIR/forgets
	"${CC:-cc}" -g -o "$FORGETS" "$BATS_TEST_DIRNAME/trace-places.c" -libverbs
}

setup() {
	note_less
	CALLS=$BATS_TEST_TMPDIR/calls OUT=$BATS_TEST_TMPDIR/out ERR=$BATS_TEST_TMPDIR/err LEFT=''
}

# SIGTERM ends the program, too
teardown() {
	[ -z "$HOLD_PID$LEFT" ] || kill $HOLD_PID $LEFT || :
	tidy
}

# trace [ARG...]: mrctl trace with these options, on the device under test
trace() {
	run --separate-stderr "${SIM[@]}" mrctl trace "$@"
}

# begin CMD...: runs it in the background until its output has something
begin() {
	: >"$OUT"
	"$@" >"$OUT" 2>"$ERR" 3>&- &
	HOLD_PID=$!
	awaits "[ -s '$OUT' ]"
}

# ended STATUS [SIGNAL]: mrctl in the background, which gets the signal, ends with that status
ended() {
	status=0
	[ $# -eq 1 ] || kill "-$2" "$HOLD_PID"
	wait "$HOLD_PID" || status=$?
	HOLD_PID=''
	[ "$status" -eq "$1" ] || fail "exit status $status" "$(cat "$ERR")"
}

# told TEXT...: each is in what was written on standard error
told() {
	local text

	for text; do
		[[ $stderr == *"$text"* ]] || fail "no '$text' in: $stderr" || return
	done
}

@test "the summary has the registrations, and nothing else if nothing was refused" {
	trace -- mrctl -q reg --count 3
	succeeded
	[ -z "$output" ]
	[ "$stderr" = "mrctl: trace: 3 registrations of 12 KiB by 1 process, at most 3 regions of 12 KiB at once;\
 0 refused$SIMULATED" ]
	trace -- ibv_devinfo
	[ "$stderr" = "mrctl: trace: nothing was registered by 1 process; 0 refused$SIMULATED" ]
	trace -- true
	succeeded
	[ "$stderr" = "mrctl: trace: no call of libibverbs was seen in 1 process" ]
}

@test "the program's output and exit status stay as they are, and the signal that ended it ends mrctl" {
	trace -- sh -c 'echo out; echo err >&2; exit 42'
	[ "$status" -eq 42 ]
	[ "$output" = out ]
	[[ $stderr == err$'\n'* ]]
	trace -q --calls -- mrctl -q reg
	succeeded
	[ -z "$stderr" ]
	run -127 "${SIM[@]}" mrctl trace -- nosuch-program
	trace -- "$BATS_TEST_DIRNAME"
	[ "$status" -eq 126 ]
	trace -q -- sh -c 'kill -9 $$'
	[ "$status" -eq 137 ]
	exits 143 "${SIM[@]}" mrctl -j trace -- sh -c 'kill -15 $$'
	output=$stderr
	json '.signal == 15 and .exit_status == null'
	trace -q --expect-none-refused -- mrctl -q reg
	succeeded
	trace -q --expect-none-refused -- "$FORGETS" refused 1
	[ "$status" -eq 1 ]
}

@test "a file whose reader ends affects neither the program nor its exit status" {
	expected=(42 1)
	for i in 42 0; do
		rm -f "$CALLS" "$OUT"
		mkfifo "$CALLS"
		{ : <"$CALLS"; : >"$OUT"; } 3>&- &
		trace --force -o "$CALLS" -- sh -c "until [ -e '$OUT' ]; do sleep 0.01; done; mrctl -q reg; exit $i"
		wait
		[ "$status" -eq "${expected[0]}" ] || fail "$status: $stderr"
		told "mrctl: trace: $CALLS: write: EPIPE (Broken pipe)" "1 registration of 4 KiB"
		expected=("${expected[@]:1}")
	done
}

@test "a kind of refusal is reported once, with number, place, cause and remedy, and without escapes" {
	name=$BATS_TEST_TMPDIR/$(printf 'a\033[31mb\tc')
	cp "$FORGETS" "$name"
	trace -o "$CALLS" -- "$name" refused 1
	[ "$status" -eq 5 ]
	[[ $stderr != *$'\033'* ]]
	jq -es . "$CALLS" >/dev/null
	trace -- "$FORGETS" refused 500
	[ "$status" -eq 5 ]
	[ "$(grep -c 'because:' <<<"$stderr")" -eq 1 ]
	told "mrctl: trace: ibv_reg_mr: EFAULT (Bad address), 500 times" "first by $FORGETS (pid " \
		") at main" "MR-READ-ONLY]" "  try: " "3 of these refusals were examined" "; 500 refused"
}

@test "a region that was never deregistered is shown with the place of its registration" {
	trace -- "$FORGETS" refused 0
	[ "$status" -eq 5 ]
	told "2 regions of 12 KiB never deregistered" "2 regions of 12 KiB by ibv_reg_mr at forget" "in $FORGETS"
	trace -q -- "$FORGETS" refused 0
	[ -z "$stderr" ]
	trace -q --leaks --stacks -- "$FORGETS" refused 0
	told "at forget" "    main"
	trace --leaks -- mrctl -q reg
	told "all regions were deregistered"
	# more places than the summary tells without --leaks
	on_mlx5 || return 0
	trace -- sh -c "$FORGETS; $FORGETS refused 0"
	told "and at 1 other places (--leaks)"
	trace --leaks -- sh -c "$FORGETS; $FORGETS refused 0"
	# two lines call the function that forgets
	[ "$(grep -c ' by ibv_.* at .* in ' <<<"$stderr")" -eq 5 ]
}

@test "-o has each call as a line of JSON, with its request and its answer" {
	trace -q -o "$CALLS" -- "$FORGETS" refused 2
	[ "$status" -eq 5 ]
	output=$(jq -cs . "$CALLS")
	json 'map(.call) ==
		["ibv_open_device", "ibv_alloc_pd", "ibv_reg_mr", "ibv_reg_mr", "ibv_reg_mr", "ibv_reg_mr"]'
	json '[.[] | select(.call == "ibv_reg_mr") | [.length, .answer, .errno_value]] ==
		[[4096, "EFAULT", 14], [4096, "EFAULT", 14], [8192, "ok", null], [4096, "ok", null]]'
	json 'all(.device == $device and .elapsed_ns > 0 and .pid == .tid)' --arg device "$(device)"
	json '[.[] | select(.answer == "EFAULT") | .causes[0].id] == ["MR-READ-ONLY", "MR-READ-ONLY"]'
	json '[.[] | select(.answer == "ok" and .call == "ibv_reg_mr")] |
		all(.lkey and .object and .pd and .access_bits == "0x1" and (.place | startswith("forget")))'
	trace -q --force --refused-only --stacks -o "$CALLS" -- "$FORGETS" refused 2
	output=$(jq -cs . "$CALLS")
	json 'length == 2 and all(.stack[0] | startswith("main"))'
}

@test "files are readable by their owner alone, go through no symbolic link, and fail before the program runs" {
	cd "$BATS_TEST_TMPDIR"
	umask 0
	trace -o calls --summary summary --reproduce batch -- mrctl -q reg
	succeeded
	[ -z "$stderr" ]
	[ "$(stat -c %a calls summary batch | sort -u)" = 600 ]
	grep -q "1 registration of 4 KiB" summary
	echo kept >other
	ln -s other link
	mkdir folder
	for option in -o --summary --reproduce; do
		trace "$option" link -- touch ran
		[ "$status" -eq 1 ]
		told "link: open: ELOOP"
		trace "$option" nowhere/file -- touch ran
		told "nowhere/file: open: ENOENT"
		trace "$option" folder -- touch ran
		[ "$status" -eq 1 ]
		told "folder: open: EISDIR"
		trace "$option" other -- touch ran
		usage_error "other: the file exists" "--force"
		[ "$(<other)" = kept ] && [ ! -e ran ] || fail "$option"
		cp other "copy$option"
		trace --force "$option" "copy$option" -- mrctl -q reg
		succeeded
		! grep -q kept "copy$option" || fail "$option"
	done
	trace --force -- touch ran
	usage_error "--force requires -o, --reproduce or --summary"
}

@test "a pipe, a device and a descriptor of the shell are written as they are" {
	cd "$BATS_TEST_TMPDIR"
	mkfifo pipe
	cat pipe >piped 3>&- &
	trace -o /dev/null --reproduce /dev/fd/7 --summary pipe -- mrctl -q reg --memory readonly 7>"batch"
	wait $!
	grep -q "1 refused" piped
	grep -q -- '--expect EFAULT$' batch
	echo kept >log
	"${SIM[@]}" mrctl trace --summary /dev/stderr -- true 2>>log
	[[ $(<log) == "kept"*"no call of libibverbs was seen"* ]] || fail "$(<log)"
}

@test "a full disk is reported with its errno, and other results are kept" {
	for option in -o --reproduce --summary; do
		trace "$option" /dev/full -- mrctl -q reg
		[ "$status" -eq 1 ]
		told "/dev/full: write: ENOSPC (No space left on device)"
		[ "$option" = --summary ] || told "1 registration of 4 KiB"
	done
	trace -o /dev/full --reproduce "$BATS_TEST_TMPDIR/batch" -- mrctl -q reg --memory readonly
	grep -q -- '--expect EFAULT$' "$BATS_TEST_TMPDIR/batch"
}

@test "--live shows each call as a line, and with --refused-only only refusals" {
	trace -q --live -- "$FORGETS" refused 1
	told "] ibv_open_device($(device)) = ok <" "] ibv_reg_mr($(device), 0x" \
		", 4096, local-write) = EFAULT (Bad address) <" ", 8192, local-write) = lkey 0x"
	[ "$(grep -c ibv_reg_mr <<<"$stderr")" -ge 3 ]
	trace -q --live --refused-only -- "$FORGETS" refused 2
	[ "$(grep -c '^\[pid .*ibv_reg_mr.* = EFAULT' <<<"$stderr")" -eq 2 ]
	[[ $stderr != *lkey* ]]
	trace -q --live -- mrctl -q reg-iova --iova 0x3000
	told ", 4096, iova 0x3000, local-write) = lkey 0x" "] ibv_dereg_mr($(device)"
	on_mlx5 || return 0
	trace -q --live -- mrctl -q umem --page-sizes 4K,2M
	told ", 4096, local-write, pages 4K,2M) = ok <" "mlx5dv_devx_umem_dereg($(device)) = ok <"
}

@test "--calls adds a table, and JSON has all" {
	trace --calls -- mrctl -q reg --count 4
	succeeded
	grep -Eq '^CALL +CALLS +REFUSED +BYTES' <<<"$stderr"
	grep -Eq '^ibv_reg_mr +4 +0 +16384' <<<"$stderr"
	exits 5 "${SIM[@]}" mrctl -j trace -- "$FORGETS" refused 1
	[ -z "$output" ]
	output=$stderr
	json '.exit_status == 5 and .signal == null and .processes == 1 and .registered == 2 and .refused == 1 and
		.registered_bytes == 12288 and .most_regions == 2 and .most_bytes == 12288 and .leaked == 2 and
		.unseen == 0 and .program[2] == "1" and .not_followed == []'
	json '.calls[] | select(.call == "ibv_reg_mr") | .calls == 3 and .refused == 1 and .bytes == 12288'
	json '.calls | all(.calls > 0)'
	json '.leaks == [{program: $p, place: .leaks[0].place, call: "ibv_reg_mr", regions: 2, bytes: 12288, stack: null}]' \
		--arg p "$FORGETS"
}

@test "signals for mrctl alone are passed on, even those that a terminal sends to all, and the summary is printed" {
	for signal in TERM INT QUIT HUP; do
		begin env --default-signal=INT,QUIT,HUP "${SIM[@]}" mrctl trace -- \
			sh -c 'trap "exit 9" '$signal'; mrctl -q reg; echo ready; while :; do sleep 0.02; done'
		ended 9 $signal
		grep -q "1 registration of 4 KiB" "$ERR"
	done
}

@test "a signal that the program sends to its process group comes to it once" {
	begin setsid env --default-signal=HUP "${SIM[@]}" mrctl trace -q -- \
		sh -c 'trap "echo got" HUP; trap "exit 7" TERM; kill -HUP 0; while :; do sleep 0.02; done'
	# if mrctl passed it on, it would come before this one
	ended 7 TERM
	[ "$(<"$OUT")" = got ]
}

@test "SIGINT of the terminal ends the program, whose calls are written by then, and mrctl sums up" {
	# a process group of its own, as of a shell with job control; its SIGINT is not ignored
	begin setsid -w env --default-signal=INT "${SIM[@]}" mrctl trace -o "$CALLS" -- \
		sh -c 'mrctl -q reg; echo $$; exec sleep 100'
	awaits "grep -q ibv_dereg_mr '$CALLS'"
	kill -INT -- "-$(cut -d ' ' -f 5 "/proc/$(<"$OUT")/stat")"
	ended 130
	grep -q "1 registration of 4 KiB" "$ERR"
}

@test "shells, pipelines and children in the background are followed until the last has ended" {
	trace -- sh -c 'mrctl -q reg | cat
		(while kill -0 $$; do sleep 0.02; done 2>/dev/null; exec mrctl -q reg --count 2) & exit 3'
	[ "$status" -eq 3 ]
	told "3 registrations of 12 KiB"
}

@test "trace waits for processes left behind, until a signal" {
	begin "${SIM[@]}" mrctl trace -- sh -c 'mrctl -q reg; (exec sleep 100 >/dev/null) & echo $$ $!; exit 6'
	read -r shell LEFT <"$OUT"
	awaits "[ ! -e /proc/$shell ]"
	# time to end for an mrctl that does not wait
	sleep 0.2
	ended 6 TERM
	grep -q "1 registration of 4 KiB" "$ERR"
	is_running "$LEFT"
}

@test "a signal at the end of the program ends the wait for its children" {
	fifo=$BATS_TEST_TMPDIR/fifo
	mkfifo "$fifo"
	begin "${SIM[@]}" mrctl trace -- sh -c 'mrctl -q reg; (exec sleep 100 >/dev/null) & echo $$ $!; read -r line <"$0"; exit 6' "$fifo"
	read -r shell LEFT <"$OUT"
	kill -STOP "$HOLD_PID"
	await_stop "$HOLD_PID"
	echo >"$fifo"
	await has_stopped "$shell" # it is a zombie
	kill -TERM "$HOLD_PID"
	kill -CONT "$HOLD_PID"
	ended 6
	is_running "$LEFT"
}

@test "places have no names from files that have the same path outside the program's mounts" {
	folder=$BATS_TEST_TMPDIR/folder
	unshare -rm true 2>/dev/null || skip "needs a mount namespace"
	mkdir "$folder"
	cp "$FORGETS" "$BATS_TEST_TMPDIR/original"
	"${CC:-cc}" -g -shared -fPIC -o "$folder/forgets" -x c - <<<'void wrong(void) { __asm__(".skip 65536"); }'
	trace -- unshare -rm sh -c 'mount --bind "$0" "$1/forgets" && "$1/forgets" refused 0' \
		"$BATS_TEST_TMPDIR/original" "$folder"
	[ "$status" -eq 5 ]
	told "2 regions of 12 KiB" "by ibv_reg_mr at forgets+0x"
	# the same file under both names keeps its function's
	trace -- unshare -rm "$FORGETS" refused 0
	[ "$status" -eq 5 ]
	told "by ibv_reg_mr at forget"
}

@test "options that exclude each other are reported" {
	trace --refused-only -- true
	usage_error "--refused-only"
	for files in "-o same --summary same" "-o same --reproduce same" "--summary same --reproduce same"; do
		trace $files -- true
		usage_error "require different files"
	done
	trace -o /dev/null --summary /dev/null -- true
	succeeded
}

@test "places are distinguished if one library has replaced another at its addresses" {
	plugins=()
	for name in first second; do
		"${CC:-cc}" -g -fPIC -shared -DRUN=$name -o "$BATS_TEST_TMPDIR/$name.so" \
			"$BATS_TEST_DIRNAME/trace-places.c" -libverbs
		plugins+=("$BATS_TEST_TMPDIR/$name.so" "$name")
	done
	run -0 --separate-stderr "${SIM[@]}" mrctl trace --leaks -- "$FORGETS" "${plugins[@]}" "${plugins[@]:0:2}"
	[ "$(sort -u <<<"$output" | wc -l)" -eq 1 ] || skip "they have come to other addresses"
	told "2 regions of 8 KiB by ibv_reg_mr at first (" "1 region of 4 KiB by ibv_reg_mr at second ("
	trace --leaks --stacks -o "$CALLS" -- "$FORGETS" "${plugins[@]}"
	[ "$(jq -r 'select(.call == "ibv_reg_mr") | .place + " " + .stack[0] | gsub(" \\([^)]*\\)"; "")' "$CALLS")" = \
		$'first first\nsecond second' ]
	[ "$(grep -c '^      \(first\|second\) ' <<<"$stderr")" -eq 2 ]
}

@test "--leaks distinguishes the callers of a common registering function" {
	"${CC:-cc}" -g -O0 -o "$BATS_TEST_TMPDIR/library" -x c - -libverbs <<-'EOF'
		#include <infiniband/verbs.h>
		static char memory[4][4096];
		static void registers(struct ibv_pd *pd, int i) { (ibv_reg_mr)(pd, memory[i], 4096, IBV_ACCESS_LOCAL_WRITE); }
		static void first(struct ibv_pd *pd) { registers(pd, 0); }
		static void second(struct ibv_pd *pd, int i) { registers(pd, i); }
		int main(void)
		{
			struct ibv_pd *pd = ibv_alloc_pd(ibv_open_device(*ibv_get_device_list(NULL)));

			first(pd);
			for (int i = 1; i < 4; i++)
				second(pd, i);
		}
	EOF
	trace --leaks -o "$CALLS" -- sh -c "$BATS_TEST_TMPDIR/library; $BATS_TEST_TMPDIR/library"
	told "2 regions of 8 KiB by ibv_reg_mr at registers (<stdin>:3)" "      first (<stdin>:4)" \
		"6 regions of 24 KiB by ibv_reg_mr at registers (<stdin>:3)" "      second (<stdin>:5)"
	[ "$(jq -sc 'map(.stack) | unique' "$CALLS")" = '[null]' ]
	trace -- "$BATS_TEST_TMPDIR/library"
	told "4 regions of 16 KiB by ibv_reg_mr at registers (<stdin>:3)"
	[[ $stderr != *"first ("* ]]
}

@test "functions of C++ are named as in their source" {
	command -v "${CXX:-c++}" >/dev/null || skip "needs a compiler for C++"
	"${CXX:-c++}" -g -O0 -o "$BATS_TEST_TMPDIR/pool" -x c++ - -libverbs <<-'EOF'
		#include <infiniband/verbs.h>
		static char memory[8192];
		namespace app {
		struct Pool {
			void grow(ibv_pd *pd, unsigned long bytes);
		};
		void Pool::grow(ibv_pd *pd, unsigned long bytes) { (ibv_reg_mr)(pd, memory, bytes, IBV_ACCESS_LOCAL_WRITE); }
		}
		int main() { app::Pool().grow(ibv_alloc_pd(ibv_open_device(*ibv_get_device_list(nullptr))), sizeof(memory)); }
	EOF
	trace --leaks -- "$BATS_TEST_TMPDIR/pool"
	told "1 region of 8 KiB by ibv_reg_mr at app::Pool::grow(ibv_pd*, unsigned long) (<stdin>:7)"
}

@test "places are lines of the program, where libibverbs has inline functions" {
	local flags compiler lines

	lines=$(sed -n '/at \(helper\|main\)/{ s|.*/\* at \([a-z]*\).*|\1|; p; =; }' "$BATS_TEST_DIRNAME/trace-places.c" |
		sed 'N; s/\(.*\)\n\(.*\)/\1 (trace-places.c:\2)/')
	[ "$(wc -l <<<"$lines")" -eq 3 ]
	echo 'int first(void) { return 0; }' >"$BATS_TEST_TMPDIR/first.c"
	for flags in "gcc -O0" "gcc -O2 -flto" "gcc -O2 -gdwarf-4" "clang -O0" "clang -O2"; do
		read -ra compiler <<<"$flags"
		command -v "${compiler[0]}" >/dev/null || continue
		"${compiler[@]}" -g -o "$BATS_TEST_TMPDIR/places" "$BATS_TEST_TMPDIR/first.c" \
			"$BATS_TEST_DIRNAME/trace-places.c" -libverbs
		# as clang leaves it, without an index of the addresses
		[[ $flags != *dwarf-4 ]] || objcopy -R .debug_aranges "$BATS_TEST_TMPDIR/places"
		"${SIM[@]}" mrctl trace -q --force -o "$CALLS" -- "$BATS_TEST_TMPDIR/places"
		# unoptimized, the call of ibv_alloc_null_mr is in a function of its own
		[ "$(jq -r 'select(.call | test("^ibv_(reg|alloc_null)_mr")).place' "$CALLS")" = "$lines" ] ||
			fail "$flags" "$(jq -r .place "$CALLS")" "$lines"
	done
}
