#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Why a region or a protection domain is not freed.

load helpers
load hosts
load why

setup() {
	note_less
	session_begin
}

@test "a protection domain with regions in it" {
	ms reg --name a --pd one --quiet
	refused_because MR-PD-BUSY certain ms dereg pd:one --json
	json '.failures[0] | .errno == "EBUSY" and .layer == "uverbs" and
		(.causes[0].evidence | .pd == "one" and .regions == 1)'
	run --separate-stderr ms dereg pd:one
	[[ $stderr == *"because: 1 region of this session is still in this protection domain [certain, MR-PD-BUSY]"* ]]
	ms dereg a --quiet
	ms dereg pd:one --quiet
	session_end
	run --separate-stderr mr batch --json - < <(printf 'reg --pd one\nreg --pd one\ndereg pd:one\n')
	((status != 0))
	json '.failures[-1].causes[0] | .id == "MR-PD-BUSY" and .certainty == "certain" and .evidence.regions == 2'
}

@test "memory of the device with a region on it" {
	on_mlx5 || skip "rxe has none"
	ms reg --name d --memory dm --quiet
	# no answer tells the number of the memory
	for handle in {0..9}; do
		run --separate-stderr ms dereg "dm:$handle" --json
		[[ $output != *EBUSY* ]] || break
	done
	refused_because MR-DM-BUSY certain ms dereg "dm:$handle" --json
	json '.failures[0].causes[0].evidence.regions == 1'
}

# bats test_tags=kernel
@test "a memory window that is bound to the region" {
	need_kernel
	! on_mlx5 || skip "needs rxe, which knows of windows"
	ms reg --name used --access local-write,remote-read,mw-bind --size 8K --quiet
	read -ra region < <(ms stat -n -o handle,lkey,addr,length used)
	window=$(tool window "${region[@]}")
	refused_because MR-MW-BOUND likely ms dereg used --json
	json '.failures[0] | .errno == "EINVAL" and .layer == "driver"'
	tool free-window "$window"
	ms dereg used --quiet
}

# bats test_tags=kernel
@test "an object on the umem" {
	need_hca
	ms umem --name used --size 64K --quiet
	key=$(tool mkey "$(ms stat -n -o umem_id used)" 65536)
	refused_because MR-UMEM-BUSY possible ms dereg used --json
	((EUID != 0)) || refused_because MR-UMEM-BUSY certain ms dereg used --why prove --json
	tool free-mkey "$key"
	ms dereg used --quiet
}

@test "no object has the handle" {
	refused_because MR-HANDLE likely ms dereg mr:1000 --json
	[ "$status" -eq 3 ]
	on_mlx5 || return 0
	refused_because MR-HANDLE certain ms dereg umem:1000 --json
	[ "$status" -eq 3 ]
}

# bats test_tags=slow
@test "an injected errno has no certain cause" {
	ms reg --name a --access local-write --quiet
	ms reg --name w --access local-write,mw-bind --quiet
	never_certain dereg_mr "EBUSY EINVAL EIO ENOENT EPERM" dereg a
	never_certain dereg_mr "EBUSY EINVAL EIO" dereg w
	ms reg --name p --pd one --quiet
	ms dereg p --quiet
	never_certain dealloc_pd "EBUSY EINVAL EIO" dereg pd:one
	session_end
	never_certain dereg_mr "EINVAL EIO" reg
}

@test "a removed device is the cause of EIO, a present one is not" {
	copy_sysfs
	ms reg --name a --quiet
	rm -r "${DEVICES:?}"/* "${NODES:?}"/uverbs*
	refused_because MR-DEVICE-GONE certain "${SIM[@]::${#SIM[@]}-1}" --fault reg_mr=EIO -- \
		env SYSFS_PATH="$SYS" mrctl reg --via kernel --json
	json '.failures[0].layer == "uverbs"'
	never_certain reg_mr EIO reg --via kernel
}

@test "another call may be using a busy region" {
	first=MR-HANDLE-BUSY
	session_end
	# librxe binds windows only where the region has mw-bind; libmlx5 does not look
	! on_mlx5 || first=MR-MW-BOUND
	refused_because $first possible faulty dereg_mr=EBUSY reg --json
	json '.failures[0].call == "ibv_dereg_mr"'
	suspects MR-HANDLE-BUSY possible
	json '.failures[0].causes[] | select(.id == "MR-HANDLE-BUSY").evidence.handle != null'
	never_certain dereg_mr EBUSY reg --access local-write,mw-bind
}
