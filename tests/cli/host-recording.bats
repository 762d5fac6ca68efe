#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What stat --host --record writes, and what it must not

load helpers

SECRET=tell-nobody-4711

# record_secretly DIR: records a host that is full of secrets: in the environment and arguments of mrctl and of the
# process above, the kernel's command line, the name of the machine, and a folder
record_secretly() {
	local how=-rmu

	[ "$(id -u)" -ne 0 ] || how=-mu
	unshare $how true 2>/dev/null || skip "needs namespaces of its own"
	mkdir -p "$BATS_TEST_TMPDIR/$SECRET"
	echo "root=/dev/$SECRET password=$SECRET iommu=pt quiet" >"$BATS_TEST_TMPDIR/cmdline"
	cd "$BATS_TEST_TMPDIR/$SECRET" || return
	# shellcheck disable=SC2016 # bash -c gets the arguments
	run --separate-stderr env TOKEN="$SECRET" unshare $how bash -c '
		mount --bind "$1" /proc/cmdline && hostname "$3" &&
			mrctl sim -- env RDMAV_FORK_SAFE="$3" mrctl stat --host --record "$2"
	' "$SECRET" "$BATS_TEST_TMPDIR/cmdline" "$1" "$SECRET"
	[ "$status" -le 1 ] || fail "exit status $status" "$stderr"
	[ "$(find "$1" -type f | wc -l)" -gt 20 ]
}

@test "a recording holds no environment, no command line, no name of the machine" {
	local words

	record_secretly "$BATS_TEST_TMPDIR/recording"
	run grep -rlF "$SECRET" "$BATS_TEST_TMPDIR/recording"
	[ "$status" -eq 1 ] || fail "$output"
	[ -z "$(find "$BATS_TEST_TMPDIR/recording" -name "*$SECRET*")" ]
	# what decides about registration is there
	words=$BATS_TEST_TMPDIR/recording/calls/kernel/words.answer
	[ ! -e "$words" ] || [ "$(cat "$words")" = iommu=pt ]
	[ "$(cat "$BATS_TEST_TMPDIR/recording/calls/environment/RDMAV_FORK_SAFE.answer")" = set ]
}

@test "a recording holds no addresses, and of files about processes and the machine only lines of use" {
	local dir=$BATS_TEST_TMPDIR/recording file

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
		"$ROOT/man/mrctl-checks.7" |
		sed -E 's/\./\\./g; s/GROUP\//(.+\/)?/g; s/[A-Z]{2,}/[^\/]+/g'
}

# recorded_paths DIR: prints the files, folders and answers that a recording tells of
recorded_paths() {
	find "$1" -type f -printf '/%P\n' | sed -E 's/^\/(calls\/.*\.answer)(\.error)?$/\1/
		s/^\/calls(\/.*)\.(read|list|link|stat|open)(\.error)?$/\1/'
}

@test "the page names all that a recording holds" {
	local user

	on_simulator || skip "needs the source"
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

@test "whichever allocation fails, a recording is complete, or is said not to be" {
	local dir=$BATS_TEST_TMPDIR n=1

	command -v cc >/dev/null || skip "cc is not installed"
	! is_sanitized || skip "the sanitizer has its own allocator"
	cc -D_GNU_SOURCE -Wall -Wextra -O2 -fPIC -shared -o "$dir/starve.so" "$BATS_TEST_DIRNAME/preload/starve.c"
	"${SIM[@]}" mrctl stat --host --record "$dir/whole" >/dev/null 2>&1 || [ $? -eq 1 ]
	export STARVE_HIT=$dir/hit dir
	recorded_paths "$dir/whole" | sort >"$dir/whole.txt"
	while :; do
		# shellcheck disable=SC2016 # of the inner shell
		STARVE=$n run --separate-stderr "${SIM[@]}" sh -c \
			'LD_PRELOAD=$dir/starve.so:$LD_PRELOAD exec mrctl stat --host --record "$dir/recording"'
		[ -e "$STARVE_HIT" ] || break
		[ "$status" -le 1 ] || fail "allocation $n: exit status $status" "$stderr"
		[[ $stderr == *ENOMEM* || $stderr == *memory* ]] ||
			diff "$dir/whole.txt" <(recorded_paths "$dir/recording" | sort) ||
			fail "allocation $n: $stderr"
		rm -rf "$STARVE_HIT" "$dir/recording"
		n=$((n + 4))
	done
	[ "$n" -gt 100 ]
}
