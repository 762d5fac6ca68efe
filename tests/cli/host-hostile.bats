#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# stat --host on hosts and recordings that lie, hide things, or are broken

load helpers
load hosts

# judge DIR WHAT: judges the recording; its document goes to the file "documents"
judge() {
	local status=0

	timeout 60 mrctl -j stat --host --root "$1" >>"$BATS_TEST_TMPDIR/documents" 2>"$BATS_TEST_TMPDIR/err" ||
		status=$?
	[ "$status" -le 1 ] || fail "$2: exit status $status" "$(cat "$BATS_TEST_TMPDIR/err")"
}

# documents_are_whole COUNT: there are so many documents, with all checks, and only with verdicts that they can have
documents_are_whole() {
	local wrong

	jq -es --argjson checks "$(checks | wc -l)" --argjson count "$1" \
		'length == $count and all(.checks | length == $checks)' "$BATS_TEST_TMPDIR/documents"
	wrong=$(jq -r '.checks[] | .id + " " + .verdict' "$BATS_TEST_TMPDIR/documents" | sort -u |
		grep -vxF -f <(check_verdicts) || :)
	[ -z "$wrong" ] || fail "$wrong"
}

# all_hold FILE...: writes what is on stdin to each file
all_hold() { tee "$@" >/dev/null; }

# The bytes of a file that is long
LONG=3000000

# Each makes files into something else: break_NAME FILE...
break_empty() { truncate -s 0 "$@"; }
break_none() { rm "$@"; }
break_number() { echo 99999999999999999999999999 | all_hold "$@"; }
break_binary() { head -c 70000 <(openssl enc -aes-128-ctr -K 0 -iv 0 -nosalt </dev/zero 2>/dev/null) | all_hold "$@"; }
break_nul() { head -c 5000 /dev/zero | all_hold "$@"; }
break_long() { head -c "$LONG" /dev/zero | tr '\0' x | all_hold "$@"; }
break_escapes() { printf '\033[2J\r\n%%s%%n|\033]0;x\a\n' | all_hold "$@"; }
break_fifo() { rm "$@" && mkfifo "$@"; }
break_folder() { rm "$@" && mkdir "$@"; }
break_link() { printf '%s\0' "$@" | xargs -0 -n 1 ln -sf /etc/passwd; }
break_loop() { printf '%s\0' "$@" | xargs -0 -I % ln -sfr % %; }
break_huge() { truncate -s 1T "$@" 2>/dev/null || truncate -s 1G "$@"; }
break_cut() {
	local size file

	while read -r size file; do
		truncate -s "$((size / 2))" "$file"
	done < <(stat -c '%s %n' "$@")
}

# ways: prints the names of all
ways() {
	declare -F | sed -n 's/.* break_//p'
}

# Each file, and each folder, is broken in one way of STEP, another one for the next.
# bats test_tags=slow
@test "a recording may hold anything in place of any file" {
	dir=$BATS_TEST_TMPDIR/host kept=$BATS_TEST_TMPDIR/kept turn=0 count=0
	host_make healthy "$dir"
	while read -r file; do
		cp "$dir$file" "$kept"
		for way in $(ways); do
			turn=$((turn + 1))
			is_turn "$turn" || continue
			"break_$way" "$dir$file"
			judge "$dir" "$file: $way"
			rm -rf "${dir:?}$file"
			cp "$kept" "$dir$file"
			count=$((count + 1))
		done
	done < <(find "$dir" -type f -printf '/%P\n' | sort)
	documents_are_whole "$count"
	# nothing of the files that links point to is told
	run ! grep -q 'root:x:0' "$BATS_TEST_TMPDIR/documents"
}

# bats test_tags=slow
@test "folders of a recording may be files, links, loops, or full" {
	dir=$BATS_TEST_TMPDIR/host kept=$BATS_TEST_TMPDIR/kept turn=0 count=0
	host_make healthy "$dir"
	while read -r folder; do
		for way in file link loop out full; do
			turn=$((turn + 1))
			is_turn "$turn" || continue
			mv "$dir$folder" "$kept"
			case $way in
			file) echo 1 >"$dir$folder" ;;
			link) ln -s / "$dir$folder" ;;
			loop) cp -a "$kept" "$dir$folder" && ln -s . "$dir$folder/loop" && ln -s ../.. "$dir$folder/zz" ;;
			out) ln -s "$folder" "$dir$folder" ;;
			full) cp -a "$kept" "$dir$folder" && (cd "$dir$folder" && seq -f 'x%g' 300 | xargs touch) ;;
			esac
			judge "$dir" "$folder: $way"
			rm -rf "${dir:?}$folder"
			mv "$kept" "$dir$folder"
			count=$((count + 1))
		done
		turn=$((turn + 1)) # the next folder has another way
	done < <(find "$dir" -mindepth 1 -type d -printf '/%P\n' | sort)
	documents_are_whole "$count"
}

@test "nothing is read of this host where a recording's folder is a link to it" {
	dir=$BATS_TEST_TMPDIR/host
	mkdir "$dir"
	for folder in proc sys dev boot calls etc; do
		ln -s "/$folder" "$dir/$folder"
	done
	run --separate-stderr mrctl -j stat --host --root "$dir"
	[ "$status" -le 1 ]
	json '.environment.kernel == null and (.checks | all(.verdict | IN("unknown", "n/a")))'
}

# answers COMMAND...: it has all checks
answers() {
	run --separate-stderr "$@"
	[ "$status" -le 1 ] || fail "$* $status $stderr" || return
	json '.checks | length > 0'
}

@test "a host without /proc or /sys, whose /proc hides processes, or whose /sys has no RDMA device" {
	for script in "mount -t tmpfs none /proc" "mount -t proc -o hidepid=2 none /proc" "mount -t tmpfs none /sys"; do
		in_namespace "$script && exec mrctl -j stat --host"
		[ "$status" -le 1 ] || fail "$script: $status $stderr" || return
		json '.checks | length > 0' || return
	done
	mkdir -p "$BATS_TEST_TMPDIR/sys/class/infiniband"
	SYSFS_PATH=$BATS_TEST_TMPDIR/sys answers mrctl -j stat --host
}

@test "a user without any right gets an answer" {
	require_nobody
	answers as_nobody prlimit --memlock=0 --nofile=8 mrctl -j stat --host
	answers as_nobody prlimit --memlock=0 mrctl sim -- mrctl -j stat --host
}

@test "processes that come and go do not matter" {
	(while :; do sleep 0.01 & wait; done) 3>&- &
	HOLD_PID=$! # teardown ends it
	for _ in {1..10}; do
		answers mrctl -j stat --host
	done
}
