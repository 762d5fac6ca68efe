#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# check.sh [SUITE...]: `run.sh check` in each of the guests (default: all), even after one has failed; then
# a summary of all.  Where all guests run all tests and pass, observed.md is written anew from their answers.
#   GUEST_TESTS  guests in which the tests run (all); the others make only the random calls, and no variants
#   GUEST_JOBS   how many guests run at once (one more than processors)
#   GUEST_CALLS  random calls on each device (2000)

set -uo pipefail

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
built=$(cd "$top" && realpath -m "${BUILD:-build}")
mapfile -t all < <(awk '!/^#/ { print $1 }' "$here/suites")
suites=("$@")
[ $# -gt 0 ] || suites=("${all[@]}")
status=0 summary='' outputs=() variants=() repeated=0
export GUEST_CALLS=${GUEST_CALLS:-2000}
tested=${GUEST_TESTS:-${all[*]}}
at_once=${GUEST_JOBS:-$(($(nproc) + 1))}	# an emulated guest keeps one processor busy, with pauses
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
declare -A running=() begun=() ended=()

# Lists the tests that were skipped wherever they could run: in the guests and on the simulator (make check)
uncovered() { # FILE...: of TAP
	awk '
		!/^(not )?ok / { next }
		{
			name = $0
			sub(/^(not )?ok [0-9]+ /, "", name)
			reason = "no reason"
			if (match(name, / # skip/)) {
				reason = substr(name, RSTART + 8)
				sub(/^[ (]*/, "", reason)
				name = substr(name, 1, RSTART - 1)
				if (!(name in why)) order[++n] = name
				why[name] = reason
			} else {
				ran[name] = 1
			}
		}
		END {
			for (i = 1; i <= n; i++)
				if (!(order[i] in ran)) printf "uncovered: %s: %s\n", order[i], why[order[i]]
		}' "$@"
}

# Prints observed.md: one row for each condition and device, one column for each kernel
observed() { # FILE...: output of the guests
	cat <<-'EOT'
	# Answers of real kernels

	`make check-kernel` writes this file from answers in tests/cli. The devices are those of
	[README.md](README.md). The firmware's answers on `mlx5_0` are those of the software HCA; what the
	kernel makes of them is real. "ok" means registered, "killed" means killed by the kernel. Where a kernel
	does wrong, [bugs.md](bugs.md) tells how to see it.

	EOT
	awk -F'|' '
		/^# (mlx5|rxe)[^|]* on Linux / {
			kernel = $0
			sub(/.* on Linux /, "", kernel)
			if (!(kernel in known)) { known[kernel] = 1; kernels[++k] = kernel }
		}
		sub(/^# observed: /, "") {
			row = $2 " | " $1
			if (!(row in seen)) { seen[row] = 1; rows[++n] = row }
			answer[row, kernel] = $3
		}
		END {
			printf "| condition | device |"
			for (i = 1; i <= k; i++) printf " %s |", kernels[i]
			printf "\n| --- | --- |"
			for (i = 1; i <= k; i++) printf " --- |"
			for (r = 1; r <= n; r++) {
				printf "\n| %s |", rows[r]
				for (i = 1; i <= k; i++) printf " %s |", answer[rows[r], kernels[i]]
			}
			print ""
		}' "$@"
}

begin_guest() { # SUITE
	local only=()

	[[ " $tested " == *" $1 "* ]] || only=(calls)
	rm -f "$built/kernel/log/$1-check"/{output.log,calls.log,console-first.log}
	begun[$1]=$SECONDS
	if [ ${#suites[@]} -gt 1 ]; then
		"$here/run.sh" check "$1" "${only[@]}" >"$work/$1" 2>&1 &
	else
		"$here/run.sh" check "$1" "${only[@]}" &
	fi
	running[$!]=$1
}

# Waits until one of the running guests ends, and prints its output
await_guest() {
	local pid suite one

	wait -n -p pid "${!running[@]}"
	one=$?
	suite=${running[$pid]}
	unset "running[$pid]"
	ended[$suite]="exit status $one, $((SECONDS - begun[$suite])) s"
	if [ ${#suites[@]} -gt 1 ]; then
		printf '\n# ---- %s ----\n' "$suite"
		cat "$work/$suite"
	fi
	[ $one -lt 129 ] || stop $one		# by a signal
	[ $one -eq 0 ] || status=1
}

# Runs tests in the guest sid with each of the HCAs in "variants"
try_variants() {
	local name files options

	while read -r name files options; do
		printf '\n# ---- sid, HCA %s ----\n' "$name"
		files=tests/cli/${files//,/ tests/cli/}
		# shellcheck disable=SC2086 # words
		HCA_OPTIONS=$options "$here/run.sh" exec sid -- env MRCTL_TEST_DEVICE=mlx5_0 \
			MRCTL_TEST_HCA="$name" MRCTL_TEST_OBSERVED=/run/observed \
			/usr/lib/mrctl-guest/run-tests $files </dev/null >"$work/$name.tap" &
		running[$!]=sid
		wait $! || status=1
		running=()
		cat "$work/$name.tap"
		variants+=("$work/$name.tap")
	done < <(grep -v '^#' "$here/variants")
}

stop() { # STATUS
	trap '' INT TERM HUP
	[ ${#running[@]} -eq 0 ] || kill "${!running[@]}" 2>/dev/null
	wait
	exit "$1"
}

trap 'stop 130' INT
trap 'stop 143' TERM
trap 'stop 129' HUP
[ ${#suites[@]} -eq 1 ] || printf 'guests: %s (the output of each follows when it is done)\n' "${suites[*]}"
for suite in "${suites[@]}"; do
	[ ${#running[@]} -lt "$at_once" ] || await_guest
	begin_guest "$suite"
done
while [ ${#running[@]} -gt 0 ]; do
	await_guest
done
[[ " ${suites[*]} " != *" sid "* || -n ${GUEST_TESTS:-} ]] || try_variants

for suite in "${suites[@]}"; do
	logs=$built/kernel/log/$suite-check
	output=$logs/output.log calls=$logs/calls.log
	summary+="$suite: ${ended[$suite]}"$'\n'
	[ ! -e "$logs/console-first.log" ] || repeated=$((repeated + 1))
	[ ! -e "$calls" ] || {
		compared=$("$here/differential/compare.sh" "$calls") || status=1
		summary+=$compared$'\n'
	}
	[ ! -e "$output" ] || {
		outputs+=("$output")
		summary+=$(sed -n "s/^\([a-z0-9_]*: [0-9]* passed, .*\)/$suite \1/p" "$output")$'\n'
	}
done

taps=("${outputs[@]}" "${variants[@]}")
for tap in "$built"/report/*/*.tap; do
	[ ! -e "$tap" ] || taps+=("$tap")
done
printf '\n%sboots that were repeated: %d\n' "$summary" "$repeated"
[ ${#outputs[@]} -eq 0 ] || uncovered "${taps[@]}"
if [ "${#suites[@]}" -eq "${#all[@]}" ] && [ -z "${GUEST_TESTS:-}" ] && [ $status -eq 0 ]; then
	observed "${outputs[@]}" >"$here/observed.md"
fi
exit $status
