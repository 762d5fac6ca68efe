#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# mrctl explain: causes, errnos, and lines of logs of other programs.

load helpers

UCX='ib_md.c:816  UCX  ERROR ibv_reg_mr(address=0x7f56f0f20000, length=10485760, access=0x2) failed: Invalid argument'
MEMLOCK='ibv_reg_mr(address=0x1000, length=10485760, access=0x1) failed: Cannot allocate memory'
FIRMWARE='mlx5_core 0000:08:00.1: mlx5_cmd_out_err:808:(pid 19): CREATE_MKEY(0x200) op_mod(0x0) failed, status limits exceeded(0x8), syndrome (0x18af6), err(-12)'

@test "a cause is explained by its id, in any case, and so is a check that is no cause" {
	succeeded mrctl explain mr-MemLock
	[[ ${lines[0]} == 'MR-MEMLOCK: limit of locked memory' ]]
	for part in what recognise try errnos calls sources 'this host'; do
		grep -q "^$part: " <<<"$output" || fail "no $part"
	done
	shows '.causes | length == 1 and (.[0] | .id == "MR-MEMLOCK" and .errnos == ["ENOMEM"] and
		(.calls | index("ibv_reg_mr")) and .layer == "memory" and .certainty == null)' mrctl explain MR-MEMLOCK
	# a check that is no cause is told as such
	check=$(mrctl help checks | awk '/^  MR-/ { print $1 }' | grep -vxF -f <(mrctl -n -o id explain --list) | head -n 1)
	[ -n "$check" ]
	succeeded mrctl explain "$check"
	[[ $output == *'a check of mrctl stat --host'* && $output == *"--only $check"* ]]
}

@test "all causes of an errno, by name, number or text, the frequent ones first" {
	gives '.causes | length > 0 and all(.errnos == null or (.errnos | index("ENOMEM")))' mrctl explain ENOMEM
	json '[.causes[].frequency | {common: 0, occasional: 1, rare: 2}[.]] | . == sort'
	for errno in enomem 12 -12 'cannot allocate memory'; do
		[ "$(mrctl -n -o id explain -- "$errno")" = "$(mrctl -n -o id explain ENOMEM)" ]
	done
	shows '.causes | length > 0 and all(.calls | index("ibv_reg_mr"))' mrctl explain EINVAL --call ibv_reg_mr
	shows '.causes[0].id == "MR-MEMLOCK"' mrctl explain ENOMEM --call rdma_create_qp
	# of a call that prepares memory its own causes come first, and those of others are left out
	shows '[.causes[].id] | .[0] == "MR-GPU-DRIVER" and index("MR-UDMABUF") == null' mrctl explain --call cuInit
	shows '.causes[0].id == "MR-GPU-FULL"' mrctl explain ENOMEM --call cuMemAlloc
	run --separate-stderr mrctl explain EINVAL
	[[ ${lines[0]} == 'EINVAL (Invalid argument): '*' causes'* ]]
	[ "$(grep -c '^MR-' <<<"$output")" -eq "$(mrctl -n -o id explain EINVAL | wc -l)" ]
	run --separate-stderr mrctl explain EPERM --call ibv_reg_mr
	[[ $output == 'EPERM (Operation not permitted) of ibv_reg_mr: '*' causes, the most frequent ones'* ]]
	exits 1 mrctl -j explain EXDEV --call ibv_reg_mr
	[[ $stderr == *'no cause of EXDEV by ibv_reg_mr is known' ]]
	json '.causes == [] and [.failures[].errno] == ["ENOMSG"]'
}

@test "the list has all causes, each once and complete" {
	gives '[.causes[].id] | length > 1 and (unique | length) == length' mrctl explain --list
	json '.causes | all((.id | test("^MR-[A-Z0-9]+(-[A-Z0-9]+)*$")) and .subject != "" and
		(.calls | length > 0) and .frequency != null and
		([.what, .recognise, .remedy, .source] | all(type == "string" and length > 0)))'
	[ "$(mrctl -n -o id explain --list)" = "$(mrctl help causes | awk '/^  MR-/ { print $1 }')" ]
}

@test "a cause of memory that cannot be made names the calls that fail, and --call accepts each" {
	shows '.causes[0].calls == ["dlopen", "cuInit"]' mrctl explain MR-GPU-DRIVER
	shows '.causes[0].calls == ["mmap"]' mrctl explain MR-OVERCOMMIT
	while read -r call; do
		exits 0 mrctl explain --list --call "$call"
	done < <(mrctl -j explain --list | jq -r '[.causes[].calls[]] | unique[]')
}

@test "values of options that causes name exist" {
	run --separate-stderr mrctl -j explain --list
	options=$(jq -r '.causes[] | .what, .recognise, .remedy' <<<"$output" |
		grep -oE -e '--(memory|from|access) [A-Za-z0-9:-]+' | sort -u)
	[ -n "$options" ]
	while read -r option; do
		run --separate-stderr mr "reg$([[ $option != --from* ]] || echo -dmabuf)" $option
		[ "$status" -ne 2 ] || fail "$option" "$stderr" || return
	done <<<"$options"
}

@test "commands that messages and remedies name have the options that they are named with" {
	known=$(mrctl --dump-cli | jq -r '.options[].name as $all | .commands[] | "\(.name) \($all)", "\(.name) \(.options[].name)"' |
		sort -u)
	while read -r command options; do
		grep -q "^$command " <<<"$known" || continue # a sentence about mrctl
		while read -r option; do
			grep -qxF "$command ${option#--}" <<<"$known" || fail "mrctl $command $options" || return
			echo "$command $option" >>"$BATS_TEST_TMPDIR/found"
		done < <(grep -oE -e '(^| )--[a-z-]+' <<<" ${options%%-- *}" | tr -d ' ')
	done < <(grep -rhE '"[^"]*mrctl [^"]*"' "$ROOT/lib" "$ROOT/cmd" --include=*.c | grep -oE "mrctl [a-z][^,;:()\"'\\]*" |
		sed 's/^mrctl //; s/^sim [^m]*-- mrctl //' | sort -u)
	[ "$(sort -u "$BATS_TEST_TMPDIR/found" | wc -l)" -gt 25 ]
}

@test "commands that causes name are command lines without a mistake; what is of GPUs and dma-bufs names one" {
	value='([A-Za-z0-9:_,-]*[0-9A-Z:][A-Za-z0-9:_-]*|udmabuf|try|prove|none|dm)'
	run --separate-stderr mrctl -j explain --list
	commands=$(jq -r '.causes[] | .what, .recognise, .remedy' <<<"$output" |
		grep -oE "mrctl [a-z][a-z-]*( --?[a-z][a-z-]*( $value)?)*" | sort -u)
	while read -r line; do
		mrctl help | grep -q "^  $(cut -d ' ' -f 2 <<<"$line") " || continue # "mrctl shows"
		[[ $line != "mrctl explain" && $line != "mrctl sim" ]] || continue
		run --separate-stderr mrctl sim -- $line
		[ "$status" -ne 2 ] || fail "$line" "$stderr" || return
	done <<<"$commands"
	[[ $commands == *'reg --memory cuda:0'* && $commands == *'reg-dmabuf --from cuda:0'* ]]
	run --separate-stderr mrctl -j explain --list
	json '[.causes[] | select(.id | test("^MR-(GPU|PEER|DMABUF)")) | select(.recognise | contains("mrctl ") | not).id] == []'
}

@test "an unknown word is a usage error that names the nearest" {
	wrong_words mrctl explain <<-'EOF'
		MR-MEMLOK|did you mean 'MR-MEMLOCK'?
		ENOMEN|did you mean 'ENOMEM'?
		ENOMEM --call ibv_reg_mrr|did you mean 'ibv_reg_mr'?
		|for example: mrctl explain MR-MEMLOCK
		--list MR-MEMLOCK|
		ibv_reg_mr failed|is one argument
	EOF
	echo 'ibv_reg_mr failed' >"$BATS_TEST_TMPDIR/ucx.log"
	usage_error "mrctl explain - <$BATS_TEST_TMPDIR/ucx.log" -- mrctl explain "$BATS_TEST_TMPDIR/ucx.log"
}

@test "a line of a log has the request; a defect of the request itself is certain" {
	succeeded mrctl explain "$UCX"
	[[ $output == '> ib_md.c:816  UCX  ERROR ibv_reg_mr(address=0x7f56f0f20000, length=10485760,
  access=0x2) failed: Invalid argument

ibv_reg_mr: EINVAL (Invalid argument)
  asked for 10485760 bytes (10 MiB) at 0x7f56f0f20000, access remote-write
  because: '*'[certain, MR-ACCESS-LOCAL-WRITE]
  try: add local-write to the access
  Other possible causes:'*'
    and '*' more: mrctl explain EINVAL --call ibv_reg_mr
  To repeat the call here and see the cause:
    mrctl reg --size 10485760 --access remote-write

The causes were judged by '* ]]
	shows '.log[0] | .call == "ibv_reg_mr" and .errno == "EINVAL" and .length == 10485760 and
		.addr == "0x7f56f0f20000" and .access == ["remote-write"] and (.text | endswith(": Invalid argument"))' mrctl explain "$UCX"
	json '.causes[0] | .log == 1 and .id == "MR-ACCESS-LOCAL-WRITE" and .certainty == "certain"'
	json '.causes[] | select(.id == "MR-LENGTH-ZERO") | .certainty == "ruled-out"'
	# the command that repeats the call is refused as the program was
	repeat=$(jq -r '.log[0].repeat' <<<"$output")
	[[ $repeat == 'mrctl reg '* ]]
	succeeded mrctl sim -- $repeat --expect EINVAL
}

# bats test_tags=release
@test "limits and mappings of this shell are neither certain nor excluded for another program" {
	run --separate-stderr prlimit --memlock=65536:65536 "${UNPRIVILEGED[@]}" mrctl explain "$MEMLOCK" --json
	json '[.causes[] | select(.certainty == "certain")] == []'
	json '.causes[] | select(.id == "MR-MEMLOCK").certainty | . == "possible" or . == null'
	# what another program has mapped is not looked for in this one
	for errno in EFAULT EINVAL EOPNOTSUPP ENOMEM EAGAIN EPERM; do
		run --separate-stderr mrctl explain \
			"ibv_reg_mr(address=0x7f0000001000, length=4096, access=0x1) failed: $errno" --json
		[[ $status -le 1 ]]
		json '[.causes[] | select(.certainty == "certain")] == []'
	done
	run --separate-stderr mrctl explain "$MEMLOCK"
	[[ $output == *'its memory was not examined'* ]]
	run --separate-stderr prlimit --memlock=unlimited mrctl explain "$MEMLOCK" --json
	[ "$status" -ne 0 ] || json '.causes[] | select(.id == "MR-MEMLOCK").certainty == null'
}

@test "causes that the access flags of a line exclude are omitted" {
	for words in "access=0xf" "access=0x41" ""; do
		succeeded mrctl -j explain "ibv_reg_mr failed: EOPNOTSUPP length=4096 $words"
		json '[.causes[].id] | index("MR-MAX-MR") != null and (index("MR-ODP") != null) == ($words != "access=0xf")' \
			--arg words "$words"
	done
	succeeded mrctl -j explain "ibv_reg_mr failed: EFAULT length=4096 access=0x4"
	json '[.causes[].id] | index("MR-RANGE-UNMAPPED") != null and index("MR-READ-ONLY") == null and index("MR-FILE-MAPPING") == null'
}

@test "without RDMA modules the list of devices cannot be read: ENOSYS" {
	run --separate-stderr mrctl -j explain "Failed to get IB devices list: Function not implemented"
	json '.log[0].call == "ibv_get_device_list" and (.causes | map(.id) | index("MR-MODULES") != null)'
}

@test "an answer of the firmware is shown, and causes before the firmware are omitted" {
	succeeded mrctl explain "$FIRMWARE"
	[[ $output == *'does not name the call; the call above sends the command'*'CREATE_MKEY was refused: status 0x8 (LIM_ERR: '*'syndrome 0x18af6'* ]]
	[[ $output != *MEMLOCK* ]]
	run --separate-stderr mrctl explain "${FIRMWARE/-12/-11}"
	[[ $output == *'usual errno of this status is ENOMEM'* ]]
	run --separate-stderr mrctl explain "$FIRMWARE" --json
	json '.log[0] | .command == "CREATE_MKEY" and .firmware_status == "0x8" and .syndrome == "0x18af6"'
	json '.causes | all(.layer == "firmware")'
}

@test "lines of a log that report a refusal are explained, equal ones once; a line may lack facts" {
	run --separate-stderr mrctl explain - --json < <(
		echo 'all is well'
		for i in 1 2 3; do
			echo "E12 rdma_context.cpp:205] Failed to register memory 0x7fd4ad5${i}8000: Bad address [14]"
		done
		echo "$FIRMWARE"
	)
	succeeded
	json '[.log[] | [.number, .count, .errno]] == [[2, 3, "EFAULT"], [5, 1, "ENOMEM"]]'
	json '[.causes[].log] | unique - [1, 2] == []'
	exits 1 mrctl explain - <<<'all is well'
	[[ -z $output && $stderr == *'none of 1 lines reports a refused registration'* ]]
	exits 1 mrctl explain - --json </dev/null
	json '.causes == [] and .log == [] and [.failures[].errno] == ["ENOMSG"]'
	# a line that cannot be explained says what it lacks
	run --separate-stderr mrctl explain 'MSG MR is registered: ibv_reg_mr'
	[[ $status -eq 1 && $stderr == *'the line names ibv_reg_mr, but neither a failure nor an errno'* ]]
	exits 1 mrctl -j explain 'open failed: Permission denied'
	[[ $(jq -r '.failures[].errno' <<<"$output") == ENOMSG && $stderr == *'the line has EACCES, but names no call'* ]]
	run --separate-stderr mrctl explain 'hello world'
	[[ $status -eq 1 && -z $output && $stderr == *'names neither a call of registration nor an errno'* ]]
}

@test "facts in the line come first: causes of other drivers are omitted, those of its driver raised" {
	while IFS='|' read -r expected line; do
		succeeded mrctl -j explain "$line"
		json '.causes[0].id == $id and (.causes | map(.id) | index("MR-EFA-PAGES")) == null' --arg id "$expected" ||
			fail "$line"
	done <<-'EOF'
		MR-MLX4-MTT|ibv_reg_mr err 12 device mlx4_0. Try increasing device MTTs.
		MR-PEER-MEMORY|ibv_reg_mr(gpu) failed on mlx5_0: Bad address
		MR-MEMLOCK|mlx5_0: ibv_reg_mr failed (current: 64 kbytes, ulimit -l): Cannot allocate memory
		MR-LENGTH-ZERO|mlx5_0: Unable to register MR buf (Invalid argument): 0x7ffc94c94c40 len: 0
		MR-FW-UMR|mlx5_0: reg umr failed (4)
		MR-FW-LIMIT|infiniband mlx5_0: create_mkey_callback:131:(pid 0): async reg mr failed. status -12
		MR-FW-DEVX|ib_mlx5_dv.c:430  UCX  ERROR   mlx5dv_devx_obj_create(QP) failed on mlx5_0, syndrome 0x2c4154: Remote I/O error
		MR-FW-DEVX|mlx5dv_devx_obj_create(CREATE_MKEY, mode=MTT) failed, syndrome 0x317175: Remote I/O error
		MR-FW-DEVX|mlx5dv_devx_obj_create failed: Remote I/O error
		MR-FW-RESOURCES|ibv_exp_reg_mr(address=0xf154610, length=6544, access=0xf) failed: Resource temporarily unavailable
		MR-ERDMA-SIZE|rdma_context.cpp:265] Failed to register memory 0x7f105035d000: Input/output error [5]
		MR-ERDMA-SIZE|erdma_0: ERROR: Out of mr size: 0, max 68719476736
		MR-BNXT-FIRMWARE|bnxt_re0: Failed to register user MR - rc = -5
		MR-MAX-MR|vmw_pvrdma 0000:0b:00.1: invalid mem region length
		MR-DATA-DIRECT-IOVA|NCCL WARN Call to mlx5dv_reg_dmabuf_mr failed with error Operation not supported
		MR-FSDAX|register mr failed at addr: (0x7f73b1200000,2147483648) with error: Operation not supported
		MR-FORK-HUGEPAGES|ibv_reg_mr failed: Invalid argument. Application is using HUGE pages. Please set environment variable RDMAV_HUGEPAGES_SAFE=1
		MR-FORK-HUGEPAGES|ibv_reg_mr(address=0x7fe35ea00000, length=16, access=0x1) failed: Invalid argument
		MR-FORK-HUGEPAGES|Failed to register memory from hugepages at 0x2aaaaac00000: Invalid argument
		MR-GPU-BAR1|RegisterRdmaMemoryRegion failed! addr:0x738214000000, size:3607764992, accessFlag:15, errno:14 (Bad address) BAR1
		MR-PEER-MEMORY|misc/ibvwrap.cc:190 NCCL WARN Call to ibv_reg_mr_iova2 failed with error Bad address
		MR-PEER-MEMORY|Failed to register memory 0x2e1cbac200: Bad address [14]
		MR-PEER-MEMORY|NULL value mem registration failed. Reason: Bad address (transport_ib_common.cpp:57)
		MR-PEER-SYMBOLS|nv_peer_mem: Unknown symbol ib_register_peer_memory_client (err 0)
		MR-PEER-SYMBOLS|nv_peer_mem: disagrees about version of symbol ib_register_peer_memory_client
		MR-PEER-SYMBOLS|failing symbol_get of non-GPLONLY symbol ib_register_peer_memory_client.
		MR-GPU-NOT-RDMA|Failed to register sink memory region
		MR-RXE-SIZE|rxe0: ibv_reg_mr(addr=0x1000, length=2147483648, access=0x1) failed: Cannot allocate memory
		MR-MLX4-MTT|allow registering part of your physical memory.  This can cause MPI jobs to
		MR-MEMLOCK|mlx5_0: Couldn't create CQ: Cannot allocate memory
		MR-MAP-COUNT|mlx5_0: ibv_reg_mr failed: Cannot allocate memory (max locked memory: unlimited)
		MR-ACCESS-FLAGS|mlx5dv_devx_umem_reg failed: Invalid argument, addr 0x1000 size 8192 access 0xf
		MR-FW-COMMANDS|mlx5_core 0000:61:00.0: wait_func:1132:(pid 1): CREATE_MKEY(0x200) timeout. Will cause a leak of a command resource
		MR-PEER-SYMBOLS|modprobe: ERROR: could not insert 'nvidia_peermem': Invalid argument
		MR-RANGE-UNMAPPED|ibv_reg_mr failed: Bad address
		MR-RANGE-UNMAPPED|ibv_reg_mr(address=0x7f0000001000, length=4096, access=0x1) failed: Bad address
		MR-FORK-HUGEPAGES|ibv_reg_mr failed: Invalid argument
		MR-MEMLOCK-ZERO|ibv_reg_mr failed: Operation not permitted
		MR-PD-BUSY|ibgda.cpp:3312: non-zero status: ibv_dealloc_pd failed on mlx5_0
		MR-DATA-PEER|[n1:1:0:1] ib_mlx5_log.c:177  Transport retry count exceeded on mlx5_0:1/RoCE (synd 0x15 vend 0x81 hw_synd 0/0)
		MR-DATA-FLUSH|NCCL WARN NET/IB : Got completion from peer 172.36.143.59<44206> with status=5 opcode=32656 len=32659 vendor err 249 (Recv)
	EOF
}

@test "a line about a work completion has the causes of its status, and names --verify" {
	while IFS='|' read -r kind line; do
		succeeded mrctl -j explain "$line"
		json '(.causes | map(.id)) as $ids | ({
			prot: ["MR-DATA-ACCESS", "MR-DATA-IOVA", "MR-DATA-KEY", "MR-DATA-PD", "MR-DATA-RANGE"],
			retry: ["MR-DATA-PEER"], flush: ["MR-DATA-FLUSH"], request: ["MR-DATA-ALIGN"], bind: ["MR-DATA-WINDOW"]
			}[$kind] - $ids == []) and ($ids | all(startswith("MR-DATA")))' \
			--arg kind "$kind" || fail "$line"
		[ "$kind" != prot ] || [[ $output == *"mrctl reg --verify"* ]]
	done <<-'EOF'
		prot|[a670n1:162239:0:162239] ib_mlx5_log.c:177  Local protection on mlx5_0:1/IB (synd 0x4 vend 0x51 hw_synd 0/2)
		prot|[r-hpc39:4184378:0:4184378] ib_mlx5_log.c:184  Local protection error on mlx5_0:1/IB (synd 0x4 vend 0x32 hw_synd 0/146)
		prot|[n1:1:0:1] ib_mlx5_log.c:177  Remote access on mlx5_0:1/IB (synd 0x13 vend 0x88 hw_synd 0/0)
		prot|rc_verbs_iface.c:124  send completion with error: local protection error [qpn 0xf9db wrid 0x149vendor_err 0x51]
		prot|NCCL WARN NET/IB : Got completion from peer 10.0.0.1<54862> with status=10 opcode=0 len=0 vendor err 136 (Send)
		prot|Failed status 4: wr_id 0 syndrom 0x51
		prot|Failed status 10: wr_id 0 syndrom 0x88
		prot|Local protection error
		prot|remote access error
		retry|NCCL WARN NET/IB : Got completion from peer 10.216.210.236<54862> with status=12 opcode=0 len=0 vendor err 129 (Recv)
		retry|Failed status 12: wr_id 0 syndrom 0x81
		retry|transport retry counter exceeded
		flush|Work Request Flushed Error
		request|remote invalid request error
		bind|memory window bind error
	EOF
}

@test "several lines about one refusal are read together, whichever comes first" {
	while IFS='|' read -r expected text; do
		run --separate-stderr mrctl -j explain - < <(tr '~' '\n' <<<"$text")
		json '[(.log | length), .log[0].call, .log[0].errno, (.causes | map(select(.certainty != "ruled-out"))[0].id)] |
			map(tostring) | join(" ") == $expected' --arg expected "$expected" || fail "$text"
	done <<-'EOF'
		1 ibv_create_cq ENOMEM MR-MEMLOCK|Failed to create a completion queue (CQ):~~Hostname: c1n1~Requested CQE: 16384~Error:    Cannot allocate memory
		1 ibv_create_cq null MR-MEMLOCK|memlock limits are set too low.~  Local host:    node1~  Function:      ibv_create_cq()~  Device:        mlx4_0~  Memlock limit: 65536
		1 ibv_create_qp ENOMEM MR-FW-LIMIT|rdma_create_qp: Cannot allocate memory (12)~CREATE_QP(0x500) op_mod(0x0) failed, status limits exceeded(0x8), syndrome (0x19c6d6)
		1 ibv_create_cq EFAULT MR-PEER-MEMORY|gds_create_cp() error 14 in ibv_exp_create_cq, old errno 22~ib_umem_get: failed to get user pages, nr_pages=1
		1 ibv_reg_mr EFAULT MR-PEER-MEMORY|VRAM is used~rdma_context.cpp:201] Failed to register memory 0x7f4680000000: Bad address [14]
		1 ibv_reg_mr EFAULT MR-PEER-MEMORY|cuMemAlloc() of a 262144 bytes GPU buffer~allocated~Couldn't allocate MR~failed to create mr~Failed to create MR~ERRNO: Bad address.
		1 ibv_reg_mr EFAULT MR-GPU-BAR1|ibv_reg_mr2 called. cuMemAlloc: 1, dmaBufSupported: 0, nv_peer_mem loaded: yes~ibv_reg_mr failed (errno 14) (Ib failure: Bad address)
		1 ibv_reg_mr ENOMEM MR-MEMLOCK|mana_0: Failed to register memory region: -12, ib_umem_get
		1 ibv_reg_mr ENOMEM MR-MEMLOCK|hns3 0000:7d:00.0 hns_0: failed to alloc mtr bufs, ret = -12.
		1 ibv_reg_mr null MR-HUGEPAGES|Failed to allocate hugepages. Please configure hugepages~failed to create mr~Couldn't create IB resources
		1 ibv_reg_mr null MR-MLX4-MTT|Failure in mem_reg: addr=0x2aaaab200000, length=372800063, ibv_dev=mlx4_0~Failed registering memory, This might happen due to low MTT entries
		1 ibv_reg_mr EINVAL MR-RXE-EINVAL|rpma_peer_mr_reg: ibv_reg_mr() failed: Invalid argument~rdma_rxe: err -12 from rxe_umem_get
		1 ibv_reg_mr EFAULT MR-BNXT-EFAULT|ibv_reg_mr failed on bnxt_re0: Bad address~infiniband bnxt_re0: Failed to get umem
		1 ibv_reg_dmabuf_mr EPROTONOSUPPORT MR-KERNEL-METHOD|Calling ibv_reg_dmabuf_mr(offset=0, size=16777216, fd=41) for QP #0~Couldn't allocate MR with error=93
		1 ibv_reg_mr EINVAL MR-ACCESS-LOCAL-WRITE|ibv_reg_mr err, arguments:~ addr:0x7ff449400000,~ len:2097152,~ access:ibv_access_flags(6),~, err info:Os { code: 22 }
		1 ibv_reg_mr EINVAL MR-ATOMIC-IONIC|ionic 0000:01:00.0 ionic_0: opcode 3 error 16777216~ibv_reg_mr failed: Invalid argument
		1 ibv_reg_mr ENOMEM MR-MEMLOCK|ibv_reg_mr failed~a~b~c~d~strerror: Cannot allocate memory
		1 ibv_reg_mr null MR-MEMLOCK|Couldn't allocate MR~max locked memory       (kbytes, -l) 64
		1 ibv_reg_mr ENOMEM MR-EFA-PAGES|efa_0: Failed to process command REG_MR (opcode 7) comp_status 1 err -12~efa_0: Failed to register mr [-12]
		1 null null null|create_mkey(0x200) op_mod(0x0) failed, status bad parameter(0x3), syndrome (0x35e6ec)~nvme nvme1: failed to initialize pi mr pool sized 128 for qid 1
		1 null null null|Can't register memory for unknown device 3~registerMem: registration failed for the specified or all potential backends
		1 null null null|rcache.c:534  UCX  WARN  failed to register region 0x1: Input/output error~mpool.c:176  UCX  ERROR Failed to allocate memory pool: Input/output error
	EOF
}

@test "registrations outside libibverbs have a remark, and unrelated lines are left alone" {
	while read -r line; do
		shows '.log | length == 1 and (.[0] | .remark != null and .repeat == "" or .repeat == null)' mrctl explain "$line" ||
			fail "$line"
	done <<-'EOF'
		LNetError: 5211:0:(o2iblnd.c:1363:kiblnd_alloc_freg_pool()) Failed to allocate fastreg MR: -12
		svcrdma: failed to allocate FRMR -12
		rpcrdma: frwr_mr_init: ib_alloc_mr failed: -12
		libfabric:7843:1690000000::cxi:mr:cxip_do_map():59<warn> nid000001: cxil_map() failed: mem len -12
		iser: iser_create_fastreg_desc: Failed to allocate ib_fast_reg_mr err=-12
		ksmbd: smb_direct: Failed to register memory: -12
		scsi host7: ib_srp: FR pool allocation failed (-12)
		(rank 0) fi_mr_regattr failed: cxil_map: Bad address
		RDS/IW: ib_alloc_fast_reg_mr failed (err=-12)
		libfabric:1:opx:mr:fi_opx_mr_reg(): failed -12
	EOF
	exits 1 mrctl explain - <<-'EOF'
		E0101 memory_manager.go:191] Failed to register memory manager state: invalid checkpoint
		memheap_attach_segment() tr_id: 1 key 76d2800d attach failed: errno = 12
		error posting send request error 12: Cannot allocate memory. size = 14
		virtio-mem virtio0: failed to register memory notifier: -12
		cudaHostRegister failed to register host memory: invalid argument
		vfio_dma_map failed: Cannot allocate memory: failed to register memory region with IOMMU
		os::commit_memory failed; error='Cannot allocate memory' (errno=12)
		kvm: failed to register memory region: Invalid argument
		EDAC MC0: Failed to register memory controller: -12
		Failed to post a send for the qpair 0x7fa3380e6e20 with errno -12
		z_rdma_listen: rdma_create_event_channel failed. zerr 7
		ERROR: Failed to create MR: merge request already exists for source branch (409)
		Unable to register memory block, Error: 0x80070005
		Failed to create MR note: Cannot allocate memory
		coherent_heap: failed to register heap (-12)
		HMV: Failed to register region: Cannot allocate memory
		EXT4-fs error (device sda1): failed to register buffer: -5
		tee_shm_register: failed to register shared memory
		<jemalloc>: Error allocating memory region for extent: Cannot allocate memory
		firecracker: Cannot register guest memory region: Invalid argument (os error 22)
		panfrost fde60000.gpu: GEM: failed to register shmem buffer: -12
		tokio_uring: could not register memory buffers: ENOMEM
		Failed to create MR !4711 for group/project: cannot allocate memory
		error: failed to create MR: a pipeline for branch 'feature-x' is still running
		videobuf2_common: failed to register dmabuf: -22
		multipathd[711]: failed to create dm device: Cannot allocate memory
		vault[411]: failed to lock memory: RLIMIT_MEMLOCK is too small for mlockall
		xen: failed to register memory region with hypervisor: -12
	EOF
}

@test "nearby lines are one refusal; repeated lines are counted; a line of several calls is one refusal for each" {
	run -0 --separate-stderr mrctl -j explain - <<-'EOF'
		Err(Os { code: 12, message: "Cannot allocate memory" })
		ERROR memory_region: ibv_reg_mr failed
		message repeated 5 times: [ ibv_reg_mr failed: Cannot allocate memory]
		ibv_reg_dmabuf_mr failed: Invalid argument, ibv_reg_mr failed: Bad address
	EOF
	json '[.log[] | [.call, .errno, .count]] ==
		[["ibv_reg_mr", "ENOMEM", 6], ["ibv_reg_dmabuf_mr", "EINVAL", 1], ["ibv_reg_mr", "EFAULT", 1]]'
	# pdsh and clush print the node before each line
	run -0 --separate-stderr mrctl -j explain - <<-'EOF'
		node1: libibverbs: Warning: RLIMIT_MEMLOCK is 65536 bytes.
		node2: Couldn't allocate MR
		node10: mlx5_core 0000:03:00.0: mlx5_cmd_out_err:809:(pid 1): CREATE_MKEY(0x200) op_mod(0x0) failed, status limits exceeded(0x8), syndrome (0x5ca1e8), err(-12)
		node10: Couldn't allocate MR
	EOF
	json '[.log[] | [.number, .errno, .limit, .command]] ==
		[[1, null, 65536, null], [2, null, null, null], [3, "ENOMEM", null, "CREATE_MKEY"]]'
	succeeded mrctl explain 'nvme nvme0: failed to initialize MR pool sized 128 for QID 8'
	[[ $output == *"kernel's NVMe over RDMA"* && $output != *"mrctl reg"* ]]
	succeeded mrctl explain 'ibv_reg_mr failed: No space left on device'
	[[ $output == *"No cause is known"* ]]
	succeeded mrctl explain 'Unable to register MSG MR'
	[[ $output == *"ibv_reg_mr failed; no line near this one has its errno"* ]]
}

# bats test_tags=release
@test "any 200,000 lines take seconds of a CPU, not minutes" {
	for line in 'kernel: usb 1-2: new high-speed USB device using xhci_hcd, memory region error' \
		'ib_md.c:282 UCX ERROR ibv_reg_mr(address=0x7f0000000000, length=4096, access=0xf) failed: Bad address'; do
		yes "$line" | head -n 200000 >"$BATS_TEST_TMPDIR/log"
		run --separate-stderr bash -c 'ulimit -t 60; exec mrctl -j explain - <"$1"' - "$BATS_TEST_TMPDIR/log"
		[ "$status" -le 1 ] || fail "exit status $status"
	done
	json '.log[0].count == 200000'
}

@test "hostile lines are shown escaped, or not read" {
	escape=$'\e[31mibv_reg_mr\e[0m \xff\xc3 failed: EINVAL\r'
	succeeded mrctl explain "$escape"
	[[ $output != *$'\e'* && $output == *'\x1b[31m'* ]]
	shows '.log[0].errno == "EINVAL"' mrctl explain "$escape"
	exits 2 mrctl explain "ibv_reg_mr: EINVAL $(printf '%5000s' .)"
	run --separate-stderr mrctl explain - < <(
		printf 'ibv_reg_mr: EINVAL %1048576s\n' .
		printf 'ibv_reg_mr\0: EFAULT\n\n\0\0'
		printf '\200\377\e%.0s' {1..30000}
	)
	succeeded
	[[ $output == *EFAULT* && $output != *EINVAL* ]]
	fails 'standard input: read: EISDIR' mrctl explain - <.
	# many kinds of refusals are not all explained, and that is said
	run --separate-stderr mrctl explain - < <(
		for i in {1..70}; do echo "ibv_reg_mr(length=$i): EINVAL"; done
	)
	succeeded
	[[ $output == *'6 further lines report other refusals'* ]]
}
