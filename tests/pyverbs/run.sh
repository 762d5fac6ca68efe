#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# run.sh [SUITE...]: runs rdma-core's own tests of devices, PDs, MRs, queues, import and umems on the simulated HCA.
# The tests and pyverbs come from the Debian packages of each suite.  A test that does not pass must be in
# the file "known", with its reason; a test that is there must not pass.
#   BUILD  build folder
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=../userland.sh
. "$here/../userland.sh"
build=$(cd "$userland_top" && realpath "${BUILD:-build}")
modules=(test_device test_pd test_mr test_cq test_qp test_addr test_shared_pd test_mlx5_devx test_mlx5_dmabuf test_mlx5_uar)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The tests ask rdma(8) for the network interfaces of the device, and rdma(8) asks the kernel, which does not
# know the simulated HCA.  This rdma answers that there are none.
mkdir "$work/bin"
printf '#!/bin/sh\necho "[]"\n' >"$work/bin/rdma"
chmod +x "$work/bin/rdma"

# Copies the tests from the package, where all but small files are compressed
unpack() {
	rm -rf "$work/tests"
	cp -r "$userland/usr/share/doc/rdma-core/tests" "$work/tests"
	find "$work/tests" -name '*.gz' -exec gunzip {} +
}

# Prints a line for each test that ended: "pass|fail|skip TEST REASON"
run_tests() {
	local loader found=() module

	for module in "${modules[@]}"; do
		[ ! -e "$work/tests/$module.py" ] || found+=("$module")
	done
	mapfile -t loader < <(userland_loader)
	PATH=$work/bin:$PATH PYTHONHOME=$userland/usr PYTHONDONTWRITEBYTECODE=1 \
		PYTHONPATH=$userland/usr/lib/python3/dist-packages:$work:$work/tests \
		"$build/mrctl" sim -- "${loader[@]}" "$(realpath "$userland/usr/bin/python3")" \
		"$here/report.py" mlx5_0 "${found[@]}"
}

# is_test PATTERN TEST: whether the pattern of a line in "known" is for this test
is_test() {
	# shellcheck disable=SC2053 # a pattern
	[[ $2 == $1 || $suite/$2 == $1 ]]
}

# explained OUTCOME TEST REASON: whether "known" has it; marks its line as met
explained() {
	local i

	for i in "${!patterns[@]}"; do
		if is_test "${patterns[i]}" "$2"; then
			met[i]=yes
			[[ "$1 $3" =~ ${answers[i]} ]] && return
		fi
	done
	return 1
}

patterns=() answers=() met=() failed=0
while IFS='|' read -r line; do
	[[ $line != '#'* && -n $line ]] || continue
	patterns+=("${line%% | *}")
	line=${line#* | }
	answers+=("${line%" | "*}")
	met+=('')
done <"$here/known"

all=$#
[ $# -gt 0 ] || set -- bookworm trixie sid
for suite; do
	passed=0 not=0
	userland "$suite"
	unpack
	status=0
	run_tests >"$work/lines" 2>"$work/stderr" || status=$?
	while read -r outcome test reason; do
		if [ "$outcome" = pass ]; then
			passed=$((passed + 1))
			for i in "${!patterns[@]}"; do
				! is_test "${patterns[i]}" "$test" || { echo "passes, but is known not to: $test"; failed=1; }
			done
		elif explained "$outcome" "$test" "$reason"; then
			not=$((not + 1))
		else
			echo "$outcome: $test: $reason"
			failed=1
		fi
	done <"$work/lines"
	if [ "$status" -ne 0 ] || [ $passed -eq 0 ]; then
		echo "$suite: exit status $status, $passed passed"
		tail -n 20 "$work/stderr"
		failed=1
	fi
	echo "pyverbs: rdma-core $(userland_version): $passed passed, $not not, as is known"
done
for i in "${!patterns[@]}"; do
	[ $all -gt 0 ] || [ -n "${met[i]}" ] || { echo "no such test: ${patterns[i]}"; failed=1; }
done
exit $failed
