#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# stat --host --record: facts that it writes, and facts that it must not write

load helpers
load hosts

SECRET=tell-nobody-4711

# Secrets are in the environment and arguments of mrctl and of the process above, the kernel's command line, the name
# of the machine, and the folder.
@test "a recording holds no environment, no command line, no name of the machine" {
	dir=$BATS_TEST_TMPDIR/recording
	mkdir "$BATS_TEST_TMPDIR/$SECRET"
	echo "root=/dev/$SECRET password=$SECRET iommu=pt quiet" >"$BATS_TEST_TMPDIR/cmdline"
	cd "$BATS_TEST_TMPDIR/$SECRET" || return
	TOKEN=$SECRET in_namespace "mount --bind ../cmdline /proc/cmdline && hostname $SECRET &&
		mrctl sim -- env RDMAV_FORK_SAFE=$SECRET mrctl stat --host --record $dir; true $SECRET"
	[ "$status" -le 1 ] || fail "exit status $status" "$stderr"
	[ "$(find "$dir" -type f | wc -l)" -gt 20 ]
	run grep -rlF "$SECRET" "$dir"
	[ "$status" -eq 1 ] || fail "$output"
	[ -z "$(find "$dir" -name "*$SECRET*")" ]
	# what decides about registration is there
	words=$dir/calls/kernel/words.answer
	[ ! -e "$words" ] || [ "$(cat "$words")" = iommu=pt ]
	[ "$(cat "$dir/calls/environment/RDMAV_FORK_SAFE.answer")" = set ]
}

@test "a recording holds no addresses, and only the relevant lines of files about processes and the machine" {
	dir=$BATS_TEST_TMPDIR/recording
	run --separate-stderr "${SIM[@]}" mrctl stat --host --record "$dir"
	[ "$status" -le 1 ]
	# capabilities are numbers of 16 digits, too
	run grep -rEn '\b[0-9a-f]{12,16}\b|0x[0-9a-f]{9,}' "$dir"
	run ! grep -v '/status:[0-9]*:Cap' <<<"$output"
	for file in environ cmdline maps smaps stat auxv node_guid node_desc sys_image_guid; do
		[ -z "$(find "$dir" -name "$file" -o -name "$file.*")" ] || fail "$file"
	done
	[ ! -e "$dir/proc/kallsyms" ]
	[ "$(wc -l <"$dir/proc/meminfo")" -lt 20 ]
	[ "$(wc -l <"$dir/proc/self/status")" -lt 20 ]
	run ! grep -vE "cgroup| /dev[ /]" "$dir/proc/self/mountinfo"
	# no links, devices or pipes
	[ -z "$(find "$dir" ! -type f ! -type d)" ]
}

# documented: prints the files and answers of the page, one regular expression a line; its words in capitals stand
# for names
documented() {
	awk '/^\.S[HS] / { on = /"?What a recording holds"?$/ } on && $1 == ".I" { gsub(/\\-/, "-"); print $2 }' \
		"$BUILD/man/mrctl-checks.7" |
		sed -E 's/\./\\./g; s/GROUP\//(.+\/)?/g; s/[A-Z]{2,}/[^\/]+/g'
}

# recorded_paths DIR: prints the files, folders and answers that a recording tells of
recorded_paths() {
	find "$1" -type f -printf '/%P\n' | sed -E 's/^\/(calls\/.*\.answer)(\.error)?$/\1/
		s/^\/calls(\/.*)\.(read|list|link|stat|open)(\.error)?$/\1/'
}

@test "the page names all that a recording holds" {
	require_nobody
	[ "$(documented | wc -l)" -gt 30 ]
	for user in env as_nobody; do
		mkdir -m 777 "$BATS_TEST_TMPDIR/$user"
		run --separate-stderr "$user" "${SIM[@]}" mrctl stat --host --for-size 1M \
			--record "$BATS_TEST_TMPDIR/$user/recording"
		[ "$status" -le 1 ]
		recorded_paths "$BATS_TEST_TMPDIR/$user/recording" >>"$BATS_TEST_TMPDIR/paths"
	done
	[ "$(wc -l <"$BATS_TEST_TMPDIR/paths")" -gt 50 ]
	run grep -vxE -f <(documented) "$BATS_TEST_TMPDIR/paths"
	[ "$status" -eq 1 ] || fail "not in mrctl-checks.7:" "$output"
}

# bats test_tags=release
@test "if any allocation fails, a recording is complete, or is reported as incomplete" {
	dir=$BATS_TEST_TMPDIR
	starving
	run starved 1000000 stat --host --record "$dir/whole" # with the same parents as those below
	[ "$status" -le 1 ]
	recorded_paths "$dir/whole" | sort >"$dir/whole.txt"
	for ((n = 1; n < 10000; n += STEP)); do
		run --separate-stderr starved $n stat --host --record "$dir/recording"
		[ -e "$FAIL_HIT" ] || break
		[ "$status" -le 1 ] || fail "allocation $n: exit status $status" "$stderr"
		[[ $stderr == *ENOMEM* || $stderr == *memory* ]] ||
			diff "$dir/whole.txt" <(recorded_paths "$dir/recording" | sort) ||
			fail "allocation $n: $stderr"
		rm -rf "$FAIL_HIT" "$dir/recording"
	done
	[[ $n -gt 100 && $n -lt 10000 ]]
}

@test "a recording requires an empty or new folder" {
	dir=$BATS_TEST_TMPDIR/host
	mkdir "$dir"
	echo precious >"$dir/file"
	for path in "$dir" "$dir/file" "$dir/a/b/c"; do
		run --separate-stderr mrctl stat --host --record "$path"
		[ "$status" -eq 1 ] || fail "$path: $status" || return
		[[ $stderr == *"$path"* ]]
	done
	[ "$(find "$dir" -type f -exec cat {} +)" = precious ]
}

# bats test_tags=slow
@test "a recording has the verdicts of the host: for this user, another one, and a simulated device" {
	recorded env
	recorded mrctl sim --
	recorded mrctl sim --profile rxe --kernel 6.1 --
	recorded prlimit --memlock=65536
	require_nobody
	recorded as_nobody env
	recorded as_nobody mrctl sim --
}

@test "a recording that cannot be written is a failure" {
	dir=$BATS_TEST_TMPDIR/host
	# each file is smaller than a block, so the limit of a file's size makes none fail: no room is needed
	mkdir "$dir"
	in_namespace "mount -t tmpfs -o nr_inodes=4 none $dir && exec mrctl stat --host --record $dir/host"
	[ "$status" -eq 1 ]
	[[ $stderr == *ENOSPC* && $stderr != *"to check them"* ]]
}
