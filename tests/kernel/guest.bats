#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What makes a run in a guest fail, with a script in place of QEMU.  And the runner of the tests in a guest, whose
# output is compared with that of bats.

bats_require_minimum_version 1.8.0

# Makes a copy of the scripts in which the emulator is a script of the test, and guests are empty
setup() {
	HERE=$BATS_TEST_TMPDIR/tests/kernel
	export BUILD=$BATS_TEST_TMPDIR/build XDG_CACHE_HOME=$BATS_TEST_TMPDIR/cache
	export BOOTS=$BATS_TEST_TMPDIR/boots TMPDIR=$BATS_TEST_TMPDIR
	mkdir -p "$HERE/hca" "$BUILD/sim" "$BUILD/trace" "$BUILD/tests/cli" "$BATS_TEST_TMPDIR/tests/cli" "$BOOTS"
	cp -r "$BATS_TEST_DIRNAME"/{check.sh,run.sh,vm.sh,guest,differential} "$HERE/"
	touch "$BUILD"/{mrctl,differential,fail.so,mappings.so,readonly.so,tests/cli/dmabuf-tool}
	echo one >"$HERE/suites"
	script fetch.sh 'mkdir -p "$3"'
	script image.sh 'mkdir "$4"; echo libibverbs1_1.0-1_amd64 >"$4/packages"'
	printf 'all:\n\tcp hca.sh $(BUILD)/hca\n' >"$HERE/hca/Makefile"
	# it ends by itself a second later: bats waits for all that has its output
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

@test "an oops or a complaint of the kernel fails, except one that was announced" {
	guest_is "echo 'ready 1' >>\"\$status\"; $OOPS" # of a test
	check one
	[ "$status" -eq 1 ]
	[[ $output == *"boots that were repeated: 0"*"the guest died; its console:"*"Oops: 0000"* ]]
	rm "$BOOTS/one"
	guest_is "[ \$boot -gt 1 ] || { $OOPS; }; $GOOD" # before any test: tried once more
	check one
	[ "$status" -eq 0 ]
	[[ $output == *"boots that were repeated: 1"* ]]
	guest_is "echo 'WARNING: at mr.c' >>\"\$console\"; $GOOD"
	check one
	[ "$status" -eq 1 ]
	[[ $output == *"the kernel complained"*"WARNING: at mr.c"* ]]
	guest_is "echo 'mrctl-test: expect mr.c' >>\"\$console\"; echo 'WARNING: at mr.c' >>\"\$console\"; $GOOD"
	check one
	[ "$status" -eq 0 ]
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
