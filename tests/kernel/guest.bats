#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The scripts around the guests, with a script in place of QEMU: boots that die, several guests at once, the
# summary at the end.  And the runner of the tests in a guest, whose output is compared with that of bats.

bats_require_minimum_version 1.8.0

# Makes a copy of the scripts in which the emulator is a script of the test, and guests are empty
setup() {
	HERE=$BATS_TEST_TMPDIR/tests/kernel
	export BUILD=$BATS_TEST_TMPDIR/build XDG_CACHE_HOME=$BATS_TEST_TMPDIR/cache
	export BOOTS=$BATS_TEST_TMPDIR/boots TMPDIR=$BATS_TEST_TMPDIR
	mkdir -p "$HERE/hca" "$BUILD/sim" "$BUILD/trace" "$BUILD/tests/cli" "$BATS_TEST_TMPDIR/tests/cli" "$BOOTS"
	cp -r "$BATS_TEST_DIRNAME"/{check.sh,run.sh,vm.sh,guest,differential} "$HERE/"
	touch "$BUILD"/{mrctl,differential,starve.so,mappings.so,readonly.so,tests/cli/dmabuf-tool}
	printf '# of the test\none\ntwo\n' >"$HERE/suites"
	script fetch.sh 'mkdir -p "$3"'
	script image.sh 'mkdir "$4"; echo libibverbs1_1.0-1_amd64 >"$4/packages"'
	printf 'all:\n\tcp hca.sh $(BUILD)/hca\n' >"$HERE/hca/Makefile"
	script hca/hca.sh 'for a; do [[ $a != *.log ]] || touch "$a"; socket=$a; done
		exec perl -MSocket -e "socket(S, PF_UNIX, SOCK_STREAM, 0);
			bind(S, sockaddr_un(shift)); sleep 1" "$socket"'
	cat >"$HERE/tool.sh" <<-'SH'
	tool_packages=()
	tool() { touch "${@: -2:1}"; }
	tool_exec() { exec "$here/emulator" "$@"; }
	SH
}

script() { # NAME TEXT
	printf '#!/bin/bash\n%s\n' "$2" >"$HERE/$1"
	chmod +x "$HERE/$1"
}

# guest_is TEXT: TEXT is the script in place of the emulator.  It finds the variables suite, boot (1, 2, ...)
# and the files console, status and out.
guest_is() {
	script emulator '
		for a; do
			case $a in
			file:*) console=${a#file:} ;;
			*id=status,path=*) status=${a##*=} ;;
			*id=out,path=*) out=${a##*=} ;;
			*/vmlinuz) suite=$(basename "${a%/vmlinuz}") suite=${suite%-*} ;;
			esac
		done
		echo x >>"$BOOTS/$suite"
		boot=$(wc -l <"$BOOTS/$suite")
		exec >"$out"
		'"$1"
}

GOOD='echo "ready 1" >>"$status"; echo "# mlx5_0 on Linux 1.0"
	echo "ok 1 a"; echo "mlx5_0: 1 passed, 0 failed, 0 skipped"
	printf "exit 0\nend\n" >>"$status"'
OOPS='echo "Oops: 0000 [#1]" >>"$console"; exit 0'

check() {
	run --separate-stderr "$HERE/check.sh" "$@"
	output+=$'\n'$stderr
}

@test "a boot that oopses is repeated once, and counted" {
	guest_is "[ \$boot -gt 1 ] || { $OOPS; }; $GOOD"
	check one
	[ "$status" -eq 0 ]
	[[ $output == *"no boot (the guest died), trying once more"* ]]
	[[ $output == *"boots that were repeated: 1"* ]]
	grep -q Oops "$BUILD/kernel/log/one-check/console-first.log"
	[ "$(wc -l <"$BOOTS/one")" -eq 2 ]
}

@test "a second boot that oopses fails, with the kernel's last words" {
	guest_is "$OOPS"
	check one
	[ "$status" -eq 1 ]
	[[ $output == *"the guest died; its console:"*"Oops: 0000"* ]]
	[[ $output == *"one: exit status 125"*"boots that were repeated: 1"* ]]
	[ "$(wc -l <"$BOOTS/one")" -eq 2 ]
}

@test "an oops of a test is not repeated" {
	guest_is "echo 'ready 1' >>\"\$status\"; $OOPS"
	check one
	[ "$status" -eq 1 ]
	[[ $output == *"the guest died; its console:"*"Oops: 0000"* ]]
	[[ $output == *"boots that were repeated: 0"* ]]
	[ "$(wc -l <"$BOOTS/one")" -eq 1 ]
}

@test "a complaint of the kernel fails, except one that was announced" {
	guest_is "echo 'WARNING: at mr.c' >>\"\$console\"; $GOOD"
	check one
	[ "$status" -eq 1 ]
	[[ $output == *"the kernel complained"*"WARNING: at mr.c"* ]]
	guest_is "echo 'mrctl-test: expect mr.c' >>\"\$console\"; echo 'WARNING: at mr.c' >>\"\$console\"; $GOOD"
	check one
	[ "$status" -eq 0 ]
}

@test "all guests run at once, even if one fails" {
	# Each waits for the other.
	guest_is 'while [ "$(ls "$BOOTS" | wc -l)" -lt 2 ]; do sleep 0.05; done
		echo "from $suite"; [ $suite = two ] || { echo "ready 1" >>"$status"; exit; }
		'"$GOOD"
	check
	[ "$status" -eq 1 ]
	[[ $output == *"# ---- one ----"*"from one"* && $output == *"# ---- two ----"*"from two"* ]]
	[[ $output == *"one: exit status 125"*"two: exit status 0"*"two mlx5_0: 1 passed, 0 failed, 0 skipped"* ]]
	[ ! -e "$HERE/observed.md" ]
}

@test "a signal ends the guests, and leaves nothing" {
	guest_is 'sleep 60'
	"$HERE/check.sh" >/dev/null 2>&1 3>&- &
	pid=$!
	until [ "$(compgen -G "$BOOTS/*" | wc -l)" -eq 2 ]; do
		kill -0 $pid
		sleep 0.05
	done
	kill -TERM $pid
	status=0
	wait $pid || status=$?
	[ "$status" -eq 143 ]
	run ! compgen -G "$BATS_TEST_TMPDIR/mrctl-guest.*"
	run ! pgrep -f "$HERE/"
}

@test "a test that skips everywhere is uncovered, in the guests and on the simulator" {
	guest_is 'echo "ok 2 b # skip here"; echo "ok 3 c # skip here"; echo "ok 4 d # skip here"; '"$GOOD"
	mkdir -p "$BUILD/report/mlx5" "$BUILD/report/rxe"
	printf 'ok 1 b # skip there\nok 2 d\n' >"$BUILD/report/mlx5/a.tap"
	printf 'ok 1 b # skip there, too\nok 2 c\n' >"$BUILD/report/rxe/b.tap"
	check one
	[ "$(grep ^uncovered: <<<"$output")" = "uncovered: b: there, too" ]
}

@test "answers of all guests that pass are kept" {
	guest_is 'v=1.0; [ $suite = one ] || v=2.0; echo "# mlx5_0 on Linux $v"
		echo "# observed: mlx5_0|a condition|says $suite"; '"${GOOD//Linux 1.0/Linux \$v}"
	check
	[ "$status" -eq 0 ]
	grep -qF '| condition | device | 1.0 | 2.0 |' "$HERE/observed.md"
	grep -qF '| a condition | mlx5_0 | says one | says two |' "$HERE/observed.md"
}

@test "the runner of the guests prints what bats prints" {
	local runner=$HERE/guest/run-tests file=$BATS_TEST_TMPDIR/some.bats

	cat >"$file" <<-'EOT'
	setup() { echo "set up"; }
	teardown() { [ -z "$BAD" ]; }
	helper() {
		false
		true
	}
	# bats test_tags=kernel
	@ "passes, with \"quotes\"" {
		run --separate-stderr bash -c 'echo a; echo; echo "b  c"; echo x >&2; exit 3'
		[ "$status" -eq 3 ]
		[ "$output" = $'a\n\nb  c' ]
		[ "${#lines[@]}" -eq 2 ]
		[ "${lines[1]}" = "b  c" ]
		[ "${stderr_lines[*]}" = x ]
		run ! false
		run -3 bash -c 'echo to both >&2; exit 3'
		[ "$output" = "to both" ]
		[ -d "$BATS_TEST_TMPDIR" ]
		bash -c 'kill $$' >/dev/null 2>&1 &
		wait $! || :
		echo "# told" >&3
	}
	# bats test_tags=kernel
	@ "fails in a helper" {
		helper
		true
	}
	# bats test_tags=kernel
	@ "skips" {
		skip "a reason"
		false
	}
	# bats test_tags=kernel
	@ "run wants another status" {
		run -1 true
	}
	# bats test_tags=kernel
	@ "run wants a failure" {
		run ! true
	}
	# bats test_tags=kernel
	@ "a condition does not hold" {
		[[ a == b ]]
		true
	}
	# bats test_tags=other,kernel
	@ "the teardown fails" {
		BAD=yes
	}
	# bats test_tags=kernel
	@ "it is killed" {
		kill -KILL $BASHPID
	}
	# bats test_tags=other
	@ "is not for the guests" {
		false
	}
	EOT
	sed -i 's/^@ /@test /' "$file"
	run "$runner" "$file"
	[ "$status" -eq 1 ]
	[[ $output == *"failed: false"*"line 4 of helper"* ]]
	grep -E '^(not )?ok|^# told' <<<"$output" >"$BATS_TEST_TMPDIR/ours"
	# bats prints nothing about a test that was killed.
	sed -i '/kill -KILL/s/.*/	false/' "$file"
	run env -u BATS_TEST_TMPDIR bats --filter-tags kernel --formatter tap "$file"
	grep -E '^(not )?ok|^# told' <<<"$output" | diff - "$BATS_TEST_TMPDIR/ours"
}
