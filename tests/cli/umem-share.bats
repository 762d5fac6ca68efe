#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# mrctl umem --export and --import.  The tests of what mlx5dv_devx_umem_export(3) says are here.

load helpers

setup() {
	note_less
	require_devx
}

# require_export: skips where libmlx5 cannot export umems
require_export() {
	exports_umems || skip "rdma-core before release 63 has no mlx5dv_devx_umem_export"
}

@test "if libmlx5 cannot export or import, the message names the release that can, and nothing is registered" {
	! exports_umems || skip "this one can"
	refused ENOSYS mlx5dv_devx_umem_export mr umem --export --json
	[[ $stderr == *"the installed libmlx5.so.1 lacks the function"*"rdma-core 63 and later [certain, MR-LIBRARY-FUNCTION]"* ]]
	json '.regions == [] and (.failures[0] | .call == "mlx5dv_devx_umem_export" and
		.errno == "ENOSYS" and .via == null)'
	session_begin
	exits 1 ms umem --export --json
	json '.regions == [] and .failures[0].errno == "ENOSYS"'
	exits 1 ms umem --import 0000000001000000 --json
	json '.regions == [] and .failures[0].call == "mlx5dv_devx_umem_import" and
		.failures[0].errno == "ENOSYS"'
	[ "$(grep -c '^mrctl: ' <<<"$stderr")" -eq 1 ]
	[ -z "$(states)" ]
}

@test "an export has the size of the library, and differs between umems" {
	require_export
	gives '[.regions[].export] | length == 2 and (unique | length == 2) and
		all(test("^([0-9a-f]{2})+$"))' mr umem --export --count 2
	succeeded mr umem --export
	grep -Eqx 'export: *[0-9a-f]+' <<<"$output"
	shows '.regions[0].export == null' mr umem
	refused EINVAL mlx5dv_devx_umem_reg mr umem --export --size 0
}

# bats test_tags=kernel
@test "an exported umem is imported by any context of the session, and stays until it is deregistered" {
	require_export
	session_begin
	ms umem --name other --quiet
	blob=$(ms umem --size 64K --name q --export -n -o export)
	shown=$(ms stat --json q | jq -c '.regions[0] | del(.via, .index, .export)')
	gives '.session and .failures == [] and (.regions | length == 1)' ms umem --import "$blob"
	json '.regions[0] | .export == $blob and .state == "live" and .via == "library"' --arg blob "$blob"
	json '(.regions[0] | del(.via, .index, .export)) == $shown' --argjson shown "$shown"
	# the import has changed nothing, and left nothing behind
	[ "$(states)" = $'1 live\n2 live' ]
	succeeded ms umem --import "${blob^^}"
	grep -qx 'name: *q' <<<"$output"
	# the library imports one that has gone; the answer reports it, and which umem has the handle now
	handle=$(ms stat -n -o handle q)
	ms dereg q --quiet
	absent "no umem of the session has the handle $handle now" ms umem --import "$blob" --json
	json '.regions[0].state == "gone" and .failures[0].errno == "ENOENT" and .failures[0].via == null'
	ms umem --name r --quiet
	[ "$(ms stat -n -o handle r)" = "$handle" ] || return 0 # the handle was not given out again
	run --separate-stderr ms umem --import "$blob"
	if [ "$(ms stat -n -o umem_id r)" = "$(ms umem --import "$blob" -n -o umem_id 2>/dev/null)" ]; then
		succeeded # the device reused the id as well: the two umems cannot be distinguished
	else
		absent "no longer exists: its handle $handle now belongs to umem "
	fi
}

@test "--export and --import exclude other options, and an import requires a session and exported data" {
	absent "not in a session" mr umem --import 0000000001000000
	usage_error "--export excludes --via kernel" -- mr umem --export --via kernel
	usage_error "--try-page-sizes excludes --export" -- mr umem --export --try-page-sizes
	for blob in '' 0 012 0x12 '00 ' "$(printf '%0128d' 0)"; do
		usage_error "--import requires the output of --export" -- mr umem --import "$blob"
	done
	for option in --export --try-page-sizes --page-sizes=4K --size=4K --memory=anon --name=a \
		--count=2 --dmabuf=udmabuf --hold --via=library --access=none --offset=1; do
		usage_error "--import excludes ${option%%=*}" -- mr umem --import 00 "$option"
	done
	require_export
	session_begin
	for blob in 00 "$(printf '%0126d' 0)"; do
		usage_error "a umem is exported in " " bytes by this libmlx5, not " -- ms umem --import "$blob"
	done
}
