# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash disable=SC2154 # variables of rows.sh
# Sourced by rows.sh: against the tool rdma of iproute2

if ! command -v rdma >/dev/null; then
	echo "mrctl --version and stat --system against rdma: not measured, install iproute2" >&2
	return
fi
LD_PRELOAD='' runs=$((runs * 20)) race time mrctl --version -- rdma -V | row 'mrctl --version against rdma -V' us 1 1.60

if [ -z "$device" ]; then
	echo "stat --system against rdma resource show mr: not measured, needs a kernel of its own: GUEST=sid" >&2
	return
fi

# All MRs of the machine, which a process holds meanwhile.  Only a guest has a kernel whose MRs are known.
system_rows() { # COUNT RUNS GOAL
	local holder runs=$2 mrctl=${tools[0]}/mrctl

	"$mrctl" -d "$device" -q reg --count "$1" --stride 0 --hold &
	holder=$!
	until [ "$("$mrctl" -n -o regions stat --system --by device "$device" 2>/dev/null)" -ge "$1" ]; do
		kill -0 "$holder"
		sleep 0.2
	done
	race time mrctl -j stat --system -- rdma -j resource show mr |
		row "-j stat --system of $1 against rdma -j" ms 1000 "$3"
	race time mrctl stat --system -- rdma resource show mr | row "stat --system of $1 against rdma" ms 1000 ''
	kill "$holder"
	wait "$holder" || :
}
system_rows 10000 "$runs" 0.10
[ -z "${MANY:-}" ] || system_rows 100000 1 0.05 # rdma takes a minute
