# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# For the tests of mrctl rereg: what the driver can change, and what stat says.

# require_rereg: skips where the driver cannot change access and protection domain
require_rereg() {
	on_mlx5 && return
	ms reg --name try --quiet
	run --separate-stderr ms rereg try --access local-write
	ms dereg try --quiet
	[ "$status" -eq 0 ] || skip "this kernel's rxe cannot change regions"
}

# rxe_is_old: this kernel's rxe cannot change regions, and leaves them as they are
rxe_is_old() {
	! on_mlx5 && ! on_simulator && [[ $(uname -r) == 6.1.* ]]
}

# field NAME [REGION]: prints this column of stat
field() {
	ms stat -n -o "$1" "${2:-a}"
}
