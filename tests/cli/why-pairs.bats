#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A cause that is certain is the first obstacle of the range: two obstacles of different kinds, in both orders.
# PAIRS is how many pairs are drawn (40), or "all"; SEED draws the same ones again.

load helpers
load mappings

teardown() {
	unmount_all
	[ -z "${HUGE_PAGES:-}" ] || echo "$HUGE_PAGES" >/proc/sys/vm/nr_hugepages
	tidy
}

# Kinds of preload/mappings.c; KiB; the access that it stops; how certain it is where it comes first; ids of its cause
KINDS='hole 4 read certain MR-RANGE-HOLE
read 4 write certain MR-READ-ONLY
none 4 read certain MR-PROT-NONE
shared 4 write certain MR-READ-ONLY
secret 4 read certain MR-SECRET-MEMORY
uffd 4 read likely MR-USERFAULTFD
uffdwp 4 write likely MR-USERFAULTFD
key 4 read likely MR-PROTECTION-KEY
keyw 4 write likely MR-PROTECTION-KEY
guard 4 read certain MR-GUARD-PAGE
poison 4 read likely MR-POISONED-PAGES
ring 4 write certain MR-FILE-MAPPING,MR-PFN-MAPPING
readring 4 write certain MR-READ-ONLY,MR-PFN-MAPPING
end 4 read certain MR-FILE-END
dmabuf 4 read certain MR-PFN-MAPPING
device 4 read certain MR-PFN-MAPPING
file 4 write certain MR-FILE-MAPPING
readfile 4 write certain MR-READ-ONLY
full 4 read likely MR-FILESYSTEM-FULL
huge 2048 read certain MR-HUGEPAGES
cow 2048 write likely MR-HUGEPAGES'

# make_files: makes the files that kinds need
make_files() {
	local id

	declare -gA FILE_OF=()
	for id in /sys/bus/pci/devices/*/device; do
		[[ $(<"$id") != 0x11e8 ]] || FILE_OF[device]=${id%/*}/resource0
	done
	unshare -m true 2>/dev/null || return 0
	mount_new ramfs
	truncate -s 4K "$MOUNT/file"
	FILE_OF[file]=$MOUNT/file FILE_OF[readfile]=$MOUNT/file
	mount_new tmpfs size=4K
	truncate -s 4K "$MOUNT/sparse"
	head -c 4K /dev/zero >"$MOUNT/other"
	FILE_OF[full]=$MOUNT/sparse
	! on_simulator || return 0
	HUGE_PAGES=$(</proc/sys/vm/nr_hugepages)
	echo 1 >/proc/sys/vm/nr_hugepages
	mount_new hugetlbfs
	fallocate -l 2M "$MOUNT/file"
	FILE_OF[cow]=$MOUNT/file
}

# entry KIND ADDR KIB: adds it to MAPPINGS
entry() {
	local kind=$1

	[[ $kind != @(device|full) ]] || kind="file"
	[ "$1" = hole ] ||
		printf -v MAPPINGS '%s0x%x:%dK:%s,' "$MAPPINGS" "$2" "$3" "$kind${FILE_OF[$1]:+=${FILE_OF[$1]}}"
}

# is_mapped KIND: this machine can map it
is_mapped() {
	local MAPPINGS=''

	case $1 in
	poison | cow) ! on_simulator || return 1 ;; # the machine itself would lose memory
	end) [ "$EUID" -eq 0 ] || return 1 ;; # others may not look into /proc/PID/map_files: its size is not known
	huge) ! on_simulator || grep -q '^HugePages_Total: *0$' /proc/meminfo || return 1 ;;
	file) linux 6.5 && [ -n "${FILE_OF[$1]:-}" ] || return 1 ;; # older kernels pin it
	device | readfile | full) [ -n "${FILE_OF[$1]:-}" ] || return 1 ;;
	esac
	entry "$1" "$AT" "${KIB[$1]}"
	MAPPINGS=$MAPPINGS LD_PRELOAD=$SO env true 2>/dev/null
}

# lay FIRST SECOND NUMBER: maps both in a range of their own, a page before and behind them; adds a line to register it
lay() {
	local next=$((AT + $3 * 16777216)) at end access=local-write # of 2 MiB: for huge pages

	[[ ${STOPS[$1]}${STOPS[$2]} != readread ]] || (($3 % 2)) || access=remote-read
	at=$((next - KIB[$1] * 1024)) end=$((next + KIB[$2] * 1024))
	entry anon $((at - 4096)) 4
	entry "$1" $at "${KIB[$1]}"
	entry "$2" $next "${KIB[$2]}"
	entry anon $end 4
	LINES+="reg --memory none --addr $((at - 4096)) --size $((end + 8192 - at)) --access $access --expect EFAULT
"
	printf -v WANTED '%s{"pair":"%s, %s, %s","at":"0x%x","certainty":"%s","ids":"%s","other":"%s"}\n' "$WANTED" \
		"$1" "$2" $access $at "${CERTAINTY[$1]}" "${IDS[$1]}" "${IDS[$2]}"
}

# draw: prints pairs of KINDS that can be mapped
draw() {
	local a b

	for a in "${!IDS[@]}"; do
		for b in "${!IDS[@]}"; do
			[ "$a" = "$b" ] || echo "$a $b"
		done
	done | sort | shuf -n "${PAIRS/#all/9999}" --random-source=<(yes "$SEED")
}

# bats test_tags=release,kernel
@test "with two obstacles in one range a certain cause is the first" {
	count=0
	mapped "$AT:4K:anon"
	declare -A KIB STOPS CERTAINTY IDS
	SO=$BUILD/mappings.so SEED=${SEED:-$RANDOM} PAIRS=${PAIRS:-40} MAPPINGS='' LINES='' WANTED=''
	make_files
	while read -r kind kib stops certainty ids; do
		KIB[$kind]=$kib STOPS[$kind]=$stops CERTAINTY[$kind]=$certainty
		! is_mapped "$kind" || IDS[$kind]=$ids
	done <<<"$KINDS"
	while read -r first second; do
		lay "$first" "$second" $((count++))
	done < <(draw)
	for kind in read try; do
		mr --json batch --why $kind <<<"$LINES" >"$BATS_TEST_TMPDIR/$kind" 2>"$BATS_TEST_TMPDIR/err" ||
			fail "seed $SEED: $(<"$BATS_TEST_TMPDIR/err")"
	done
	output=$(jq -r --slurpfile tried "$BATS_TEST_TMPDIR/try" --slurpfile wanted <(echo "$WANTED") '
		def sure: .certainty == "certain";
		.lines | to_entries[] | .key as $i | .value.failures[0] as $read |
		$tried[0].lines[$i].failures[0] as $t | $wanted[$i] as $w | ($w.ids | split(",")) as $ids |
		$read.causes[0] as $c | ($c.evidence | .address // .mapping // "") as $at | (
			if $c.id == null then "no cause" else empty end,
			if ($c | sure) and ($ids | index($c.id)) == null then "wrong" else empty end,
			if ($c | sure) and ($at | startswith($w.at) | not) then "elsewhere" else empty end,
			if $w.certainty == "certain" and ($c | sure | not) then "not certain" else empty end,
			if any($read.causes[1:][]; sure) then "two are certain" else empty end,
			if any($read.causes[]; .certainty == "likely" and
				(.id | IN($ids[], ($w.other | split(","))[]) | not)) then "not there" else empty end,
			if ($c | sure) and ($t.causes[0] | .id != $c.id or (sure | not)) then "refuted" else empty end) |
		"\($w.pair): \(.): \([$read, $t | .causes | map("\(.certainty) \(.id) \(.evidence.address)")])"' \
		"$BATS_TEST_TMPDIR/read") || fail "seed $SEED: no answer"
	[ -z "$output" ] || fail "seed $SEED, $count pairs of ${!IDS[*]}" "$output"
}
