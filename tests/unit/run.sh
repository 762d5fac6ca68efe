#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# run.sh PROGRAM...: runs unit test programs.  Prints the output of those that fail, and a line with the numbers of
# tests that passed and failed.
#   BUILD  build folder     WRAP  command before each program, such as valgrind
set -eu

# shellcheck source=../cli/asan.sh
. "$(dirname "$0")/../cli/asan.sh"
# For WRAP=valgrind
supp=$(dirname "$0")/../valgrind.supp
export VALGRIND_OPTS="--suppressions=$supp ${VALGRIND_OPTS:-}"

# run_on_kernels PROGRAM: runs it on each simulated kernel, with each kind of device
run_on_kernels() {
	worst=0
	kernels=$("${BUILD:?}/mrctl" help simulator | awk '/^Kernels:/ { on = 1; next } !NF { on = 0 } on { print $1 }')
	for kernel in $kernels; do
		for profile in mlx5 rxe; do
			echo "kernel $kernel, profile $profile:"
			# shellcheck disable=SC2086 # WRAP is a list of words
			"${BUILD:?}/mrctl" sim --kernel $kernel --profile $profile -- \
				${WRAP:-} "$1" || worst=$?
		done
	done
	return $worst
}

# run_program PROGRAM: runs it, on the simulated HCA if it needs a device
run_program() {
	set -- "$1" "${1##*/tests/unit/}"
	case $2 in
	lib/sim/state/*) ;; # need no device
	lib/sim/base/kernel_versions) run_on_kernels "$1"; return ;;
	lib/sim/devices/rxe) set -- "$1" "$2" "${BUILD:?}/mrctl" sim --profile rxe -- ;;
	lib/sim/* | lib/session/relaxed | lib/session/hostile | lib/trace/look | lib/verbs/attributes_by_kernel | lib/verbs/rereg)
		set -- "$1" "$2" "${BUILD:?}/mrctl" sim -- ;;
	esac
	program=$1
	shift 2
	# shellcheck disable=SC2086 # WRAP is a list of words
	"$@" ${WRAP:-} "$program"
}

# count WORD: prints how many tests PASSED or FAILED, from the summaries of cmocka
count() {
	sed -n "s/^\[  $1  \] \([0-9]*\) test(s).*/\1/p" "$log" | awk '{ n += $1 } END { print n + 0 }'
}

log=$(mktemp)
trap 'rm -f "$log"' EXIT
passed=0 failed=0
for path; do
	status=0
	run_program "$path" >"$log" 2>&1 || status=$?
	ok=$(count PASSED) bad=$(count FAILED)
	# A program that dies has failed, whatever it printed.
	[ "$status" -eq 0 ] || [ "$bad" -gt 0 ] || bad=1
	passed=$((passed + ok)) failed=$((failed + bad))
	if [ "$status" -ne 0 ]; then
		echo "--- ${path##*/tests/unit/}: exit status $status"
		cat "$log"
	fi
done
echo "unit: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
