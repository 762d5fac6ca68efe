#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# On-demand paging: explicit and implicit regions, and --advise.  Odd kinds of memory
# are in memory.bats.

load helpers
load rows

ODP=local-write,remote-read,remote-write,on-demand

# odp [ARG...]: reg with on-demand paging
odp() {
	mr reg --access $ODP "$@"
}

advice_of_row() {
	local words call=ibv_advise_mr via=library

	read -ra words <<<"$1"
	[[ $* != *"--via kernel"* ]] || call='ioctl(ADVISE_MR)' via=kernel
	run --separate-stderr "${@:2}" "${words[@]:1}" --json
	json '.regions[0] | .state == "deregistered" and .advice_answer == $answer and .via == $via and
		.advice_elapsed_ns > 0 and .dereg_elapsed_ns > 0' --arg answer "${words[0]}" --arg via $via || return
	if [ "${words[0]}" = ok ]; then
		succeeded
	else
		refused "${words[0]}" "$call" && json '.failures | length == 1 and
			(.[0] | .call == $call and .errno == $errno and .region == 1 and .via == $via)' \
			--arg call "$call" --arg errno "${words[0]}" --arg via $via
	fi
}

# advices COMMAND...: rows "ANSWER WORD..."; COMMAND WORD... registers a region, and the advice about it has that answer
advices() {
	each_row advice_of_row "$@"
}

# ---- answers

# bats test_tags=kernel
@test "each advice is accepted on both paths, and shown with its time" {
	require_mlx5
	advices odp --size 64K --advise <<-'END'
		ok prefetch,flush
		ok prefetch-write,flush --via kernel
		ok prefetch-no-fault,flush
		ok prefetch --via kernel --expect ok
	END
	succeeded odp --advise prefetch
	grep -qx 'advice_answer: *ok' <<<"$output"
	grep -Eqx 'advice_elapsed_ns: *[1-9][0-9]*' <<<"$output"
	gives '.regions[0] | [.advice, .advice_answer, .advice_elapsed_ns] | unique == [null]' odp
}

# bats test_tags=slow
@test "a refused advice is answered by its errno, after the region was registered" {
	require_mlx5
	advices mr <<-END
		ok reg --access $ODP --memory unmapped --advise prefetch
		ok reg --access remote-read,on-demand --via kernel --advise prefetch,flush
		ok reg --access $ODP --memory readonly --advise prefetch,flush
		EINVAL reg --access $ODP --advise prefetch,flush,0x80000000
		ENOENT reg --via kernel --advise prefetch
		EFAULT reg --access $ODP --memory unmapped --advise prefetch,flush
	END
	[[ $stderr == *"advised prefetch,flush of 4096 bytes at 0x"* ]]
	run --separate-stderr mr reg --advise prefetch
	[[ $stderr == *"access 0x1 has no on-demand"* ]]
	succeeded odp --memory unmapped --advise prefetch,flush --expect EFAULT --quiet
	exits 1 odp --memory unmapped --advise prefetch,flush --expect ok --quiet
}

# bats test_tags=slow
@test "a range inside the region is advised, by addresses of the HCA, and one that leaves it is EFAULT" {
	require_mlx5
	advices mr <<-END
		ok reg --access $ODP --size 8K --advise prefetch-write,flush --advise-offset 4K
		ok reg --access $ODP --size 8K --advise prefetch-write,flush --advise-offset 4K --advise-size 4K
		ok reg-iova --iova 0x7000 --size 8K --access $ODP --advise prefetch-write,flush --advise-offset 4K
		ok reg-dmabuf --from udmabuf --size 64K --offset 4K --advise prefetch-write,flush
		ok reg --memory none --size max --access $ODP --advise prefetch-write,flush
		ok reg --memory none --size max --access $ODP --via kernel --advise prefetch,flush --advise-size 64K
		EFAULT reg --access $ODP --memory none --size max --via kernel --advise prefetch,flush --advise-offset 4K
	END
	[[ $stderr == *"of 4096 bytes at 0x1000"* ]]
	advices mr reg-iova --iova 0x7000 --size 8K --access $ODP --advise prefetch-write,flush <<-'END'
		EFAULT --advise-offset 8K --advise-size 1
	END
	[[ $stderr == *"of 1 bytes at 0x9000"* ]]
	refused ENOMEM mmap odp --memory none --size max --advise prefetch,flush --advise-size max
	run --separate-stderr odp --size 8K --advise prefetch,flush --advise-size 12K
	[[ $stderr == *"are not all in the region of"* ]]
}

@test "the whole address space is a region on demand alone, at address 0" {
	require_mlx5
	succeeded odp --memory none --size max --json
	json '.regions[0] | .addr == "0x0" and .length == 18446744073709551615 and .lkey != null'
	answers mr <<-END
		EINVAL ibv_reg_mr reg --memory none --size max
		EINVAL ibv_reg_mr_iova reg-iova --memory none --size max --iova 0x1000 --access $ODP
	END
}

# ---- several, and in a session

@test "each of several regions is advised, up to the first refusal, or all with --keep-going" {
	require_mlx5
	outputs $'n.1 ok\nn.2 ok\nn.3 ok' odp --count 3 --name n --advise prefetch,flush -n -o name,advice_answer
	exits 1 odp --count 3 --memory unmapped --advise prefetch,flush --json
	json '[.regions[].advice_answer] == ["EFAULT", null, null] and (.failures | length == 1)'
	run --separate-stderr odp --count 3 --memory unmapped --advise prefetch,flush --json --keep-going
	json '[.failures[] | .region, .index] == [1, 1, 2, 2, 3, 3]'
	[[ $stderr == *"region 3 of 3: ibv_advise_mr: EFAULT ("* ]]
	run --separate-stderr odp --count 2 --advise prefetch,flush
	[[ ${lines[0]} == *" ADVICE_ANSWER ADVICE_ELAPSED_NS" ]]
}

@test "in a session the region stays after any answer to advice; note, document and stat show that it needs its process" {
	require_mlx5
	session_begin
	succeeded ms reg --access $ODP --name o --via kernel --advise prefetch-write,flush --json
	json '.regions[0] | .needs_process == true and .state == "live" and .advice_answer == "ok"'
	[[ $stderr == *"an on-demand region is inert once this process has ended: use --hold"* ]]
	refused EFAULT ibv_advise_mr ms reg --access $ODP --memory unmapped --advise prefetch,flush --json
	json '.regions[0].state == "live" and .failures[0].region == 2'
	shows '.regions[0].needs_process == false' ms reg --name p
	[ -z "$stderr" ]
	[ "$(ms stat -n -o id,state,needs_process)" = $'1 inert true\n2 inert true\n3 live false' ]
}

# ---- what the HCA has

# hold_odp ARG...: hold a region with on-demand paging
hold_odp() {
	hold reg --access $ODP --hold -n -o rkey,addr "$@"
	read -r key addr <"$HOLD_OUT"
}

# bats test_tags=kernel
@test "after a prefetch with flush the HCA has the pages, for the access that was prefetched, until the process ends" {
	local key addr

	require_probe
	hold_odp
	probe_refused page
	release
	hold_odp --advise prefetch-write,flush
	hca-probe "$key" "$addr"
	hca-probe -w 1 "$key" "$addr"
	release
	hold_odp --advise prefetch,flush
	hca-probe "$key" "$addr"
	probe_refused page -w 1
	release
	# only pages that are present
	hold_odp --advise prefetch-no-fault,flush
	probe_refused page
	release
	hold_odp --populate --advise prefetch-no-fault,flush
	hca-probe "$key" "$addr"
	release
	session_begin
	read -r key addr < <(ms reg --access $ODP --advise prefetch-write,flush -n -o rkey,addr 2>/dev/null)
	probe_refused page
	[ "$(states)" = "1 inert" ]
}

# ---- other devices, and usage

# rxe_knows_advice: whether the kernel's rxe has the call
rxe_knows_advice() {
	if on_simulator; then
		[ "${MRCTL_TEST_KERNEL:-7.2}" = 7.2 ]
	else
		[ "${MRCTL_TEST_GUEST:-}" = sid ]
	fi
}

# bats test_tags=kernel
@test "rxe of Linux 7.2 prefetches, and its provider from rdma-core 59 on; others answer EOPNOTSUPP" {
	! on_mlx5 || skip "about rxe"
	[ "$(rdma_core)" -ge 59 ] && rxe_knows_advice || advices mr reg --advise <<<'EOPNOTSUPP prefetch'
	if ! rxe_knows_advice; then
		advices mr reg --via kernel --advise <<<'EOPNOTSUPP prefetch'
		return
	fi
	for via in library kernel; do
		[ $via = kernel ] || [ "$(rdma_core)" -ge 59 ] || continue
		advices odp --via $via --advise <<-'END'
			ok prefetch,flush
			ok prefetch-write,flush
			ok prefetch-no-fault,flush
			ok prefetch
		END
	done
}

@test "an unknown advice is a usage error, and so are options that need one" {
	usage_errors <<-'END'
		reg --advise advise | --advise: unknown advice 'advise'
		reg --advise-offset 4K | --advise-offset requires --advise
		reg-iova --iova 0 --advise-size 4K | --advise-size requires --advise
	END
}
