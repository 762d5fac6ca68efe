#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# mrctl reg --dmah: regions with DMA handles, and devices and kernels that have none.

load helpers
load rows
load why

# with_tph: gives the simulated HCA TPH; skips where no device of the tests has it
with_tph() {
	on_simulator || skip "no other device of the tests has TPH"
	on_mlx5 || skip "only mlx5 has DMA handles"
	[ "${MRCTL_TEST_KERNEL:-7.2}" = 7.2 ] || skip "this kernel has no DMA handles"
	export MRCTL_SIM_TPH=1
}

require_library() {
	[ "$(rdma_core)" -ge 59 ] || skip "rdma-core before release 59 has no DMA handles"
}

HINTS=cpu=0,mem=volatile,ph=1

# next_handle: prints the kernel's number of the next object, which is the lowest one that is free
next_handle() {
	mrctl -q reg --name next --via kernel
	mrctl -n -o handle stat next
	mrctl -q dereg next
}

@test "hints that make no sense are usage errors, and so are options that do not go together" {
	# more of them are in tests/unit/lib/verbs/words.c
	usage_errors reg --dmah <<-'END'
		cpu=abc,mem=volatile,ph=1 | --dmah: cpu: 'abc' is not a number
		ERANGE cpu=4294967296,mem=volatile,ph=1 | --dmah: cpu: '4294967296' is too large: give 0 to 4294967295
		cpu=0,mem=volatil,ph=1 | --dmah: unknown kind of memory 'volatil': did you mean 'volatile'?
		cpu=0,mem=,ph=1 | --dmah: unknown kind of memory ''; valid values: volatile, persistent
		mem=persistent,ph=1 | --dmah: mem requires cpu
		cpu=0,ph=1 | --dmah: cpu requires mem
		cpu=0,mem=volatile | --dmah: a DMA handle requires ph=N
		ph=1,ph=1 | --dmah: ph is given twice
		ph=1,cpus=1 | --dmah: 'cpus=1' is not of the form
		ph=1 --relaxed | --dmah excludes --relaxed
		ph=1 --memory dm:64K | --memory dm:64K does not support --dmah
		ph=1 --memory null-mr | --memory null-mr does not support --dmah
		ph=1 --call ibv_reg_mr | --call: 'ibv_reg_mr' does not support this request: give ibv_reg_mr_ex
	END
	usage_error "--tph requires --profile mlx5" -- mrctl sim --profile rxe --tph -- true
}

# The libraries before rdma-core 59 lack the calls.
# bats test_tags=kernel
@test "the cause tells a device, kernel, provider and library without DMA handles apart" {
	refused EPROTONOSUPPORT 'ioctl(DMAH_ALLOC)' mr reg --via kernel --dmah "$HINTS"
	[[ $stderr == "mrctl: reg: cannot allocate a DMA handle: "* ]]
	why=$(mr --json reg --via kernel --dmah ph=1 | jq -r '.failures[0].causes[0].id')
	[ "$why" = MR-DMAH-TPH ] || why=MR-KERNEL-METHOD
	refused_because "$why" certain mr --json reg --via kernel --dmah ph=1
	json '.failures[0].request.dmah == "ph=1"'
	run --separate-stderr mr reg --dmah "$HINTS"
	if [ "$(rdma_core)" -lt 59 ]; then
		refused ENOSYS ibv_alloc_dmah
		[[ $stderr == *"install rdma-core 59 or later; --via kernel works without it"* ]]
		refused_because MR-LIBRARY-FUNCTION certain mr --json reg --dmah "$HINTS"
	elif on_mlx5; then
		refused EPROTONOSUPPORT ibv_alloc_dmah
	else
		refused EOPNOTSUPP ibv_alloc_dmah
		refused_because MR-PROVIDER-OPERATION certain mr --json reg --dmah "$HINTS"
	fi
}

@test "on Linux 6.12 a device with TPH has no DMA handles either" {
	on_simulator && on_mlx5 || skip "asks for another kernel"
	refused_because MR-KERNEL-METHOD certain mrctl sim --tph --kernel 6.12 -- \
		mrctl --json reg --via kernel --dmah ph=1
	json '.failures[0].errno == "EPROTONOSUPPORT" and .failures[0].causes[0].evidence.since == "6.17"'
}

@test "a region is registered with a DMA handle by the kernel's method, and shows what the handle is for" {
	with_tph
	succeeded mr --json reg --via kernel --dmah "cpu=0,mem=persistent,ph=3" --count 2
	json '[.regions[] | .state == "deregistered" and .call == "ioctl(REG_MR)" and .via == "kernel" and
		.dmah_cpu == 0 and .dmah_memory == "persistent" and .dmah_ph == 3 and .lkey != null] == [true, true]'
	succeeded mr --json reg --via kernel --dmah PH=0
	json '.regions[0] | .dmah_cpu == null and .dmah_memory == null and .dmah_ph == 0'
	shows '.regions[0] | .dmah_cpu == null and .dmah_memory == null and .dmah_ph == null' mr reg
	unset MRCTL_SIM_TPH
	outputs "volatile 1" mrctl sim --tph -- mrctl -n -o dmah_memory,dmah_ph reg --via kernel --dmah "$HINTS"
}

@test "libibverbs registers with a DMA handle by ibv_reg_mr_ex" {
	with_tph
	require_library
	gives '[.regions[] | .call == "ibv_reg_mr_ex" and .via == "library" and .dmah_cpu == 0 and
		.state == "deregistered"] | all' mr reg --dmah "$HINTS" --count 3
	shows '[.trials[] | select(.id | startswith("dma-handle.")) | .answer] == ["yes", "yes"]' mr stat --probe
	refused EOPNOTSUPP ibv_reg_mr_ex mr reg --dmah ph=1 --access on-demand
}

@test "mlx5 refuses a DMA handle with on-demand paging" {
	with_tph
	refused_because MR-DMAH-ODP certain mr --json reg --via kernel --dmah ph=1 --access on-demand
	json '.failures[0].errno == "EOPNOTSUPP" and .failures[0].request.dmah == "ph=1"'
	[[ $stderr == *"ioctl(REG_MR): EOPNOTSUPP ("*"and the DMA handle ph=1"* ]]
	refused_for_no_certain_cause mrctl sim --fault reg_mr=EOPNOTSUPP -- mrctl --json reg --via kernel --dmah ph=1
	json '.failures[0].ruled_out | any(.id == "MR-DMAH-ODP")'
}

@test "the CPU must exist, and be one that the process may run on" {
	with_tph
	refused_because MR-DMAH-CPU certain mr --json reg --via kernel --dmah cpu=100000,mem=volatile,ph=1
	json '.failures[0].errno == "EINVAL" and .failures[0].call == "ioctl(DMAH_ALLOC)"'
	last=$(taskset -cp $$ | sed 's/.*[,: -]//')
	[ "$last" != 0 ] || skip "this process may run on CPU 0 alone"
	refused_because MR-DMAH-CPU certain taskset -c "$last" "${MR[@]}" --json reg --via kernel --dmah "$HINTS"
	json '.failures[0].errno == "EPERM" and .failures[0].causes[0].evidence.cpu == 0'
	for errno in EPERM EINVAL EPROTONOSUPPORT; do
		refused_for_no_certain_cause mrctl sim --fault "alloc_dmah=$errno" -- \
			mrctl --json reg --via kernel --dmah "$HINTS"
		[ $errno != EINVAL ] || json '.failures[0] | (.ruled_out | any(.id == "MR-DMAH-CPU")) and
			(.causes | any(.id == "MR-DMAH-TAG" and .certainty == "possible"))'
	done
}

@test "in a session deregistering the last region of a DMA handle frees the handle; a refused region leaves none" {
	with_tph
	in_session "$(declare -f next_handle)"'
		set -e
		first=$(next_handle)
		mrctl -q reg --dmah cpu=0,mem=volatile,ph=2 --count 2 --name a
		mrctl --json stat | jq -ce "[.regions[] | [.dmah_cpu, .dmah_memory, .dmah_ph, .via]]"
		used=$(mrctl -n -o handle stat a.1)
		[ "$used" != "$first" ] # the first is that of the DMA handle
		mrctl -q dereg a.1
		[ "$(next_handle)" = "$used" ]
		mrctl -q dereg a.2
		[ "$(next_handle)" = "$first" ]
		mrctl -q reg --dmah ph=2 --memory hole --size 64K --expect EFAULT
		mrctl -q reg --dmah ph=2 --access on-demand --expect EOPNOTSUPP
		[ "$(next_handle)" = "$first" ]
		mrctl -q reg --dmah ph=2 --memory hole --size 4K --count 2 --name half || true
		[ "$(next_handle)" != "$first" ]
		mrctl -q dereg half.1
		[ "$(next_handle)" = "$first" ]'
	succeeded
	[ "${lines[0]}" = '[[0,"volatile",2,"kernel"],[0,"volatile",2,"kernel"]]' ]
}

@test "in a session only the kernel's path has a number for the handle; such a region cannot be changed" {
	with_tph
	refused EOPNOTSUPP ibv_alloc_dmah mr session -- mrctl reg --dmah ph=1 --via library
	[[ $stderr == *"cannot stay in a session"*"use --via kernel"* ]]
	for change in "--access none" "--size 8K" "--pd other"; do
		refused_because MR-REREG-DMAH certain mr session -- bash -c 'mrctl -q reg --name a --dmah ph=1
			mrctl --json rereg a '"$change"
		json '.failures[0].errno == "EOPNOTSUPP"'
	done
}

@test "in a batch deregistering the last region of a DMA handle frees the handle, on either path" {
	with_tph
	for via in kernel library; do
		[ $via = kernel ] || [ "$(rdma_core)" -ge 59 ] || continue
		run --separate-stderr mr --json batch - <<-END
			reg --via kernel --name before
			dereg before
			reg --via $via --dmah ph=1 --name a --count 2
			rereg a.1 --access none --expect EOPNOTSUPP
			dereg a.1
			dereg a.2
			reg --via kernel --name after
			reg --via $via --dmah ph=3 --name left
			stat left
		END
		succeeded
		json '[.lines[0].regions[0].handle, .lines[6].regions[0].handle] | unique | length == 1'
		json '.lines[8].regions[0].dmah_ph == 3 and (.regions | map(.name) == ["left", "after"])'
	done
}
