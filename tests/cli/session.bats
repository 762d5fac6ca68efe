#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# mrctl session: starting one, joining it, and its end.

load helpers

setup() {
	note_less
	on_mlx5 || pds_are_lost
}

# ---- running a program ----

# bats test_tags=kernel
@test "the program of a session finds in it what the commands before registered" {
	in_session '
		mrctl reg --name a --quiet >&2
		mrctl reg-iova --iova 0x10000 --name b --quiet >&2
		mrctl dereg a --quiet >&2
		mrctl stat --json'
	succeeded
	json '.session == true and .failures == []'
	json '[.regions[] | .id, .name, .state, .iova] == [2, "b", "live", "0x10000"]'
	json '.environment.device == $device' --arg device "$(device)"
}

@test "the session is one descriptor, which the environment names, and the program inherits nothing else of it" {
	out=$BATS_TEST_TMPDIR/out list='cd /proc/$$/fd && printf "%s\n" *'
	in_session 'echo "$MRCTL_SESSION"; readlink /proc/$$/fd/"${MRCTL_SESSION#fd:}"'
	[ "${lines[0]}" = fd:100 ]
	[[ ${lines[1]} == socket:* ]]
	"${SIM[@]}" bash -c "$list" >"$out.before"
	mr session -- bash -c "$list" >"$out"
	[ "$(grep -vxFf "$out.before" "$out")" = 100 ] || fail "$(<"$out")"
}

@test "bash, dash, zsh and fish keep the session for their commands" {
	for shell in bash dash zsh fish; do
		command -v $shell >/dev/null || continue
		succeeded mr session -- $shell -c \
			'mrctl reg --name a -n -o name; mrctl dereg a -n -o state; mrctl stat -n'
		[ "${lines[*]}" = "a deregistered" ] || fail "$shell: $output" "$stderr"
	done
}

@test "a session in a session is a separate session" {
	in_session '
		mrctl reg --name outer --quiet
		mrctl '"${MRCTL_TEST_DEVICE:+-d $MRCTL_TEST_DEVICE}"' session -- bash -c "
			mrctl reg --name inner -n -o id
			mrctl stat -n -o id,name"
		mrctl stat -n -o id,name'
	succeeded
	[ "${lines[*]}" = "1 1 inner 1 outer" ] || fail "$output" "$stderr"
}

# ---- in the background ----

# bats test_tags=kernel
@test "--detach opens a session for commands of any shell, and kill ends it" {
	succeeded mr session --detach
	[[ $output =~ ^"MRCTL_SESSION=pid:"([0-9]+)"; export MRCTL_SESSION"$ ]]
	SESSION_PID=${BASH_REMATCH[1]} pid=$SESSION_PID
	sh -c 'eval "$1" && shift && "$@"' sh "$output" "${MS[@]}" reg --name a --quiet
	export MRCTL_SESSION=pid:$SESSION_PID
	[ "$(states a)" = "1 live" ]
	session_end
	exits 3 "${MS[@]}" --session "pid:$pid" stat
	[[ $stderr == *"the session has ended: no such process: $pid"*"unset MRCTL_SESSION"* ]]
}

@test "--detach keeps no other descriptor, terminal or process group, so that nobody waits for it" {
	local fd group session

	exec {fd}<"$BATS_TEST_FILENAME"
	session_begin
	exec {fd}<&-
	read -r _ _ _ _ group session _ <"/proc/$SESSION_PID/stat"
	[ "$group $session" = "$SESSION_PID $SESSION_PID" ]
	cd "/proc/$SESSION_PID/fd"
	# It has this name once it holds the session, and has closed the libraries it was started with.
	[ "$(<../comm)" = mrctl-session ]
	[ "$(echo *)" = "0 1 100 2" ] || fail "$(ls -l)"
	[ "$(readlink 0 1 2 | sort -u)" = /dev/null ]
	[ "$(readlink ../cwd)" = / ]
}

# late PRELOAD [ARG...]: mrctl with another library behind that of the simulator
late() {
	"${SIM[@]}" bash -c 'LD_PRELOAD=${LD_PRELOAD:+$LD_PRELOAD:}$0 exec "$@"' "$1" "${MR[@]:${#SIM[@]}}" "${@:2}"
}

@test "--detach waits until the session is held, and reports if it cannot be" {
	late=$BATS_TEST_TMPDIR/late.so
	command -v cc >/dev/null || skip "needs cc: install gcc"
	cc -D_GNU_SOURCE -DFOLDER="\"$BATS_TEST_TMPDIR\"" -shared -fPIC -o "$late" -x c - <<-'EOF'
		#include <fcntl.h>
		#include <stdlib.h>
		#include <string.h>
		#include <unistd.h>

		/* The holder of a session comes late, or not at all. */
		static void __attribute__((constructor)) begin(void)
		{
			char words[64];
			int fd = open("/proc/self/cmdline", O_RDONLY);
			ssize_t got = read(fd, words, sizeof(words));

			close(fd);
			if (got <= 0 || !memmem(words, (size_t)got, "--hold", 6))
				return;
			if (getenv("HOLDER_ENDS"))
				_exit(9);
			close(open(FOLDER "/begun", O_CREAT | O_WRONLY, 0600));
			while (access(FOLDER "/go", F_OK))
				usleep(10000);
		}
	EOF
	cd "$BATS_TEST_TMPDIR"
	late "$late" session --detach -n >out 3>&- &
	HOLD_PID=$!
	# it waits for the holder, which has begun, and has printed nothing
	await test -e begun
	is_running "$HOLD_PID"
	[ ! -s out ]
	: >go
	await_end "$HOLD_PID"
	wait "$HOLD_PID"
	HOLD_PID=
	SESSION_PID=$(<out)
	SESSION_PID=${SESSION_PID#pid:}
	[ "$(<"/proc/$SESSION_PID/comm")" = mrctl-session ]
	HOLDER_ENDS=1 run --separate-stderr late "$late" session --detach
	[ "$status" -eq 1 ]
	[ "$output" = false ] || fail "$output"
	[[ $stderr == *"the process that should hold the session has ended (exit status 9)"* ]]
}

@test "--detach that cannot print the line of the session leaves no session" {
	exits 1 env MARK="$BATS_TEST_TMPDIR" bash -c '"$@" >/dev/full' bash \
		"${MR[@]}" session --detach
	[[ $stderr == *"standard output"*"ENOSPC"* ]]
	await nobody_has "MARK=$BATS_TEST_TMPDIR"
}

# nobody_has VARIABLE: no process has it in its environment
nobody_has() {
	! grep -qsz "^$1" /proc/[0-9]*/environ
}

@test "--detach and --hold run no program" {
	usage_error "--detach runs no program" -- mr session --detach -- true
	usage_error "--hold runs no program" -- mr session --hold -- true
	usage_error "--detach excludes --hold" -- mr session --detach --hold
}

# ---- regions of reg and reg-iova ----

@test "--via kernel registers by the kernel's own interface, --via library where it can import the session" {
	session_begin
	gives '.regions[0] | .pd == "default" and .state == "live" and .dereg_elapsed_ns == null' ms reg
	json '.regions[0].via == $via' --arg via "$(on_mlx5 && echo library || echo kernel)"
	gives '.regions[0].via == "kernel"' ms reg --via kernel
	gives '.regions[0] | .via == "kernel" and .iova == "0x7000"' ms reg-iova --via kernel --iova 0x7000
	refused EINVAL "ioctl(REG_MR)" ms reg --via kernel --size 0
	run --separate-stderr ms reg --via library --json
	if on_mlx5; then
		succeeded
		json '.regions[0].via == "library"'
		refused EINVAL ibv_reg_mr ms reg --via library --size 0
	else
		refused EOPNOTSUPP ibv_import_device
		[[ $stderr == *"--via kernel"* ]]
		[ "$(states)" = $'1 live\n2 live\n3 live' ]
	fi
	usage_error "--via" -- ms reg --via nonsense
}

@test "a refusal in a session leaves no entry, and a name is free again after dereg" {
	session_begin
	exits 1 ms reg --memory hole --count 3 --name n --json
	json '([.regions[].state] == ["live", "live"]) and (.failures | length == 1)'
	[ "$(states)" = "1 live"$'\n'"2 live" ]
	# the id of a refused region is not used again
	[ "$(ms reg --name a -n -o id)" = 4 ]
	run --separate-stderr ms reg --name a --pd unused --json
	[[ $status -ne 0 && $stderr == *"a region named 'a' already"* ]]
	shows '[.totals.pds[].name] == ["default"]' ms stat
	ms dereg a --quiet
	ms reg --name a --quiet
}

@test "--hold in a session keeps the process, and the region stays after it" {
	session_begin
	MR=("${MS[@]}")
	usage_error "which keeps regions until mrctl dereg; use --hold" -- ms reg --hold-for 1
	hold reg --hold --json --count 2
	[ "$(states)" = $'1 live\n2 live' ]
	# the holding process is not working on it, so others may deregister it
	ms dereg 2 --quiet
	release
	[ "$(states)" = "1 live" ]
	[[ $(<"$HOLD_ERR") == "mrctl: reg: holding 2 regions until Ctrl-C"*", then left to the session (mrctl dereg); pid "+([0-9]) ]] ||
		fail "$(<"$HOLD_ERR")"
}

@test "a refusal to join has the reasons that are known" {
	[ "$(id -u)" -eq 0 ] || skip "needs root, to be another user as well"
	require_nobody
	session_begin
	exits 1 as_nobody "${MS[@]}" stat
	[[ $stderr == *"pidfd_getfd: EPERM"*"it belongs to another user, or may not be traced: join as root"* ]]
	# in a container root may lack that right
	((0x$(awk '/^CapEff/ { print $2 }' /proc/self/status) >> 19 & 1)) || return 0
	exits 1 setpriv --bounding-set -sys_ptrace "${MS[@]}" stat
	[[ $stderr == *"pidfd_getfd: EPERM"*"even root may not trace it here: CAP_SYS_PTRACE is missing"* ]]
}
