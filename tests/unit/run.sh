#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# run.sh PROGRAM...: runs unit test programs, each file of tests in a process of its own, as many at once as there are
# processors.  Prints the output of those that fail, and a line with the numbers of tests that passed and failed.
#   BUILD  build folder     WRAP  command before each program, such as valgrind
set -eu

# shellcheck source=../cli/asan.sh
. "$(dirname "$0")/../cli/asan.sh"
# For WRAP=valgrind
supp=$(dirname "$0")/../valgrind.supp
export VALGRIND_OPTS="--suppressions=$supp ${VALGRIND_OPTS:-}"

# run_on_kernels PROGRAM FILE: runs it on each simulated kernel, with each kind of device
run_on_kernels() {
	worst=0
	kernels=$("${BUILD:?}/mrctl" help simulator | awk '/^Kernels:/ { on = 1; next } !NF { on = 0 } on { print $1 }')
	for kernel in $kernels; do
		for profile in mlx5 rxe; do
			echo "kernel $kernel, profile $profile:"
			# shellcheck disable=SC2086 # WRAP is a list of words
			"${BUILD:?}/mrctl" sim --kernel $kernel --profile $profile -- \
				${WRAP:-} "$1" "$2" || worst=$?
		done
	done
	return $worst
}

# run_file PROGRAM FILE: runs the tests of a file, on the simulated HCA if they need a device
run_file() {
	local sim=()

	case $2 in
	lib/sim/state/*) ;; # need no device
	lib/sim/base/kernel_versions) run_on_kernels "$1" "$2"; return ;;
	lib/sim/devices/rxe*) sim=("${BUILD:?}/mrctl" sim --profile rxe --) ;;
	lib/sim/* | lib/session/hostile | lib/trace/look | lib/verbs/rereg)
		sim=("${BUILD:?}/mrctl" sim --) ;;
	esac
	# shellcheck disable=SC2086 # WRAP is a list of words
	"${sim[@]}" ${WRAP:-} "$1" "$2"
}

# count WORD LOG: prints how many tests PASSED or FAILED, from the summaries of cmocka
count() {
	sed -n "s/^\[  $1  \] \([0-9]*\) test(s).*/\1/p" "$2" | awk '{ n += $1 } END { print n + 0 }'
}

# log_of FILE: prints the name of the file with the output of its tests
log_of() {
	echo "$logs/${1//\//,}"
}

# run_logged "PROGRAM FILE": runs it, and leaves its output and its exit status in files
run_logged() {
	local status=0 log program file

	read -r program file <<<"$1"
	log=$(log_of "$file")
	run_file "$program" "$file" >"$log" 2>&1 || status=$?
	echo $status >"$log.status"
}

logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
export logs
export -f run_logged log_of run_file run_on_kernels
for program; do
	"$program" --list | sed "s|^|$program |"
done >"$logs/all"
# shellcheck disable=SC2016 # for that shell
tr '\n' '\0' <"$logs/all" | xargs -0 -n 1 -P "$(nproc)" bash -c 'run_logged "$1"' bash
passed=0 failed=0
while read -r _ file; do
	log=$(log_of "$file")
	status=$(<"$log.status")
	ok=$(count PASSED "$log") bad=$(count FAILED "$log")
	# A program that dies has failed, whatever it printed.
	[ "$status" -eq 0 ] || [ "$bad" -gt 0 ] || bad=1
	passed=$((passed + ok)) failed=$((failed + bad))
	if [ "$status" -ne 0 ]; then
		echo "--- $file: exit status $status"
		cat "$log"
	fi
done <"$logs/all"
echo "unit: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
