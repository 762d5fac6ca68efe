#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# run.sh PROGRAM...: runs unit test programs, as many at once as there are processors.  Prints the output of those
# that fail, and a line with the numbers of tests that passed and failed.
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

# count WORD LOG: prints how many tests PASSED or FAILED, from the summaries of cmocka
count() {
	sed -n "s/^\[  $1  \] \([0-9]*\) test(s).*/\1/p" "$2" | awk '{ n += $1 } END { print n + 0 }'
}

# log_of PROGRAM: prints the name of the file with its output
log_of() {
	echo "$logs/${1//\//,}"
}

# run_logged PROGRAM: runs it, and leaves its output and its exit status in files
run_logged() {
	local status=0 log

	log=$(log_of "$1")
	run_program "$1" >"$log" 2>&1 || status=$?
	echo $status >"$log.status"
}

logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
export logs
export -f run_logged log_of run_program run_on_kernels
# shellcheck disable=SC2016 # for that shell
printf '%s\0' "$@" | xargs -0 -n 1 -P "$(nproc)" bash -c 'run_logged "$1"' bash
passed=0 failed=0
for path; do
	log=$(log_of "$path")
	status=$(<"$log.status")
	ok=$(count PASSED "$log") bad=$(count FAILED "$log")
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
