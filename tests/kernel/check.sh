#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# check.sh [SUITE...]: `run.sh check` in one guest after the other (default: all), whatever fails;
# then what they said together.  With all guests, observed.md is written anew from their answers.

set -uo pipefail

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
built=$(cd "$top" && realpath -m "${BUILD:-build}")
mapfile -t all < <(awk '!/^#/ { print $1 }' "$here/suites")
suites=("$@")
[ $# -gt 0 ] || suites=("${all[@]}")
status=0 summary='' outputs=() repeated=0

# The tests that skipped wherever they were to run, in the guests and on the simulator (make check)
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

# One row for each condition and device, one column for each kernel
observed() { # FILE...: output of the guests
	cat <<-'EOT'
	# What real kernels answered

	Written by `make check-kernel` from the answers in tests/cli/kernel-*.bats. The devices are those of
	[README.md](README.md): what the firmware of `mlx5_0` says is the software HCA's, what the kernel
	makes of it is the kernel's. "ok": registered. "killed": by the kernel.

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

for suite in "${suites[@]}"; do
	logs=$built/kernel/log/$suite-check
	output=$logs/output.log calls=$logs/calls.log
	rm -f "$output" "$calls" "$logs/console-first.log"
	begun=$SECONDS
	"$here/run.sh" check "$suite"
	one=$?
	[ $one -lt 129 ] || exit $one		# by a signal
	[ $one -eq 0 ] || status=1
	summary+="$suite: exit status $one, $((SECONDS - begun)) s"$'\n'
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

taps=("${outputs[@]}")
[ ! -e "$built/report.tap" ] || taps+=("$built/report.tap")
printf '\n%sboots that were repeated: %d\n' "$summary" "$repeated"
[ ${#outputs[@]} -eq 0 ] || uncovered "${taps[@]}"
if [ "${#suites[@]}" -eq "${#all[@]}" ] && [ $status -eq 0 ]; then
	observed "${outputs[@]}" >"$here/observed.md"
fi
exit $status
