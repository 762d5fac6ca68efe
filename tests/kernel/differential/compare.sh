#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# compare.sh FILE: compares what a kernel answered to random calls with what the simulated HCA answers.
# FILE holds one or more lists of calls, as the program "differential" prints them.  Differences that the
# file "known" describes are counted; any other is printed and makes the script fail.
# After a call that only one side carried out, or that gave another key, the two sides have different objects: the
# rest of its episode is not compared.

set -uo pipefail

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../../.." && pwd)
built=$(cd "$top" && realpath -m "${BUILD:-build}")
work=$(mktemp -d -p /var/tmp)	# on a disk, not on tmpfs: as in the guests
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"	# some calls are those of another user
status=0
namespaces=(--mount)
[ "$EUID" -eq 0 ] || namespaces+=(--map-root-user)

# The lists of FILE, one file each
awk -v work="$work" '/^# calls / { out = work "/real." ++n } out { print >out }' "$1"

# simulate DEVICE SEED CALLS KERNEL: the list of the simulated HCA.  A kernel that is newer than those the
# simulator knows is simulated as the newest of them.
simulate() {
	local options=(--profile "${1%%[_0-9]*}")

	[ "$1" != mlx5_0 ] || options=(--profile mlx5 --data-direct)
	! "$built/mrctl" sim --kernel "$4" -- true 2>/dev/null || options+=(--kernel "$4")
	# Its file systems are mounted in a namespace of their own, which ends with it.
	# shellcheck disable=SC2016	# the words of the inner shell
	unshare "${namespaces[@]}" bash -c '"$0" "$1" && exec "${@:2}"' "$here/../guest/mount-files" "$work" \
		"$built/mrctl" sim "${options[@]}" -- "$built/differential" "$work" "$@"
}

compare() { # DEVICE SEED CALLS KERNEL REAL SIMULATED
	awk -v device="$1" -v seed="$2" -v wanted="$3" -v kernel="$4" -v simulated="$6" '
		BEGIN { skipped = "none" }
		function part(line, i) { return substr(line, i, index(line " -> ", " -> ") - i) }
		function answer(line) { return substr(line, index(line " -> ", " -> ") + 4) }
		function key(line) { return match(line, / lkey=[^ ]*/) ? substr(line, RSTART, RLENGTH) : "" }
		function keyless(text) { sub(/ lkey=[^ ]*/, "", text); return text }
		# A row about the key explains no other difference.
		function explains(i, real, sim) {
			return real ~ says[i] && sim ~ simulates[i] && (says[i] !~ /lkey=/ || keyless(real) == keyless(sim))
		}
		function is_known(call, real, sim,    i) {
			for (i = 1; i <= knowns; i++)
				if (device ~ on[i] && kernel ~ of[i] && call ~ called[i] && explains(i, real, sim))
					return 1
			return 0
		}
		FNR == NR {
			if ($0 ~ /^(#|$)/) next
			split($0, f, / \| /)
			knowns++
			on[knowns] = "^(" f[1] ")$"; of[knowns] = "^(" f[2] ")$"
			called[knowns] = f[3]; says[knowns] = f[4]; simulates[knowns] = f[5]
			next
		}
		{
			real = $0
			if ((getline sim <simulated) <= 0) sim = "(ended)"
			split($1, number, ".")
			if ($2 != "begin" && $1 != "#") count++
			if (number[1] == skipped) { left_out++; next }
			if (real == sim) next
			call = part(real, 1)
			was_known = call == part(sim, 1) && is_known(call, answer(real), answer(sim))
			if (was_known) known++
			else {
				bad++
				printf "%s %s %s: %s\n\treal: %s\n\tsim:  %s\n", device, kernel, seed, call,
					answer(real), answer(sim)
				if (call != part(sim, 1)) printf "\tfor:  %s\n", part(sim, 1)
			}
			if (call != part(sim, 1) || (answer(real) ~ /^ok/) != (answer(sim) ~ /^ok/) ||
			    key(real) != key(sim))
				skipped = number[1]
		}
		END {
			printf "%s on Linux %s, seed %s: %d calls, %d differences, %d known ones, %d calls not compared\n",
				device, kernel, seed, count, bad, known, left_out
			if (count < wanted) print "the list is too short"
			exit bad || count < wanted
		}' "$here/known" "$5"
}

mkdir "$work/ext4" "$work/xfs"
lists=("$work"/real.*)
[ -e "${lists[0]}" ] || { echo "no list in $1" >&2; exit 1; }
for list in "${lists[@]}"; do
	read -r _ _ device seed count kernel <"$list"
	simulate "$device" "$seed" "$count" "$kernel" >"$work/simulated" || status=1
	compare "$device" "$seed" "$count" "$kernel" "$list" "$work/simulated" || status=1
done
exit $status
