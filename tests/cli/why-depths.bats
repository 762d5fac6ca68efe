#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A cause that is certain with --why read is certain with --why try and --why prove, too, with the same layer.

load helpers
load mappings

setup() {
	need_kernel
}

# agree MINIMUM MRCTL...: reads lines of a batch, and runs them at each depth.  At least MINIMUM refusals have a certain
# cause, of which the depths say the same.
agree() {
	local minimum=$1 depth dir=$BATS_TEST_TMPDIR
	shift

	cat >"$dir/lines"
	for depth in read try prove; do
		"$@" --json --why $depth batch --keep-going "$dir/lines" >"$dir/$depth" 2>"$dir/messages" || :
	done
	run jq -nr --argjson minimum "$minimum" '[inputs | [.failures[] | {
			refusal: "\(.message | split(":")[1]): \(.call) \(.errno)",
			answer: "\(.causes[0] // {} | "\(.id) \(.certainty)"), \(.layer)",
			by: .proof.refused_by, certain: (.causes[0].certainty == "certain")}]] |
		if map(length) | unique | length != 1 then "other refusals: \(map(length))" else transpose |
			map(select(first.certain)) | if length < $minimum then "only \(length) certain causes" else
			.[] | select(map({refusal, answer}) | unique | length > 1) |
				"\(first.refusal), by \(last.by): \(map(.answer) | join("; "))"
		end end' "$dir"/{read,try,prove}
	[[ $status -eq 0 && -z $output ]] || fail "$output" "$(head -n 3 "$dir/messages")"
}

# bats test_tags=kernel
@test "a refused registration, and refused advice" {
	agree 25 "${MR[@]}" <<-'END'
		reg --size 0
		reg --memory unmapped
		reg --memory readonly --via kernel
		reg --memory unmapped --addr 0xfffffffffffff000 --size 64K
		reg --access remote-write
		reg --access local-write,flush-global --via kernel
		reg --access 0x8000
		reg --access local-write,zero-based
		reg-iova --iova 0x10010
		reg-iova --iova 0x1000 --memory none --size max --access on-demand,local-write
		reg --memory none --size max --access on-demand,local-write,hugetlb
		reg --memory dm:0 --size 0
		reg --memory dm:1M
		reg --memory dm:1M --via kernel
		reg --memory dm --access local-write
		reg --memory dm --access local-write --via kernel
		reg --memory dm --access zero-based,on-demand
		reg --memory dm --access zero-based,relaxed-ordering
		reg --memory dm --access zero-based,on-demand --via kernel
		reg --memory dm:32K --size 32769
		reg --memory null-mr --via kernel
		reg --dmah ph=1
		reg --dmah ph=1 --via kernel
		umem --access remote-write
		umem --access remote-write --via kernel
		umem --access local-write,on-demand
		umem --size 0
		umem --memory readonly --via kernel
		umem --size 64K --page-sizes none
		umem --dmabuf udmabuf --access remote-write
		umem --dmabuf udmabuf --access local-write,remote-atomic --via kernel
		umem --dmabuf udmabuf --buffer 64K --size 128K
		umem --dmabuf fd:900 --size 4K
		reg-dmabuf --from udmabuf --access remote-write
		reg-dmabuf --from udmabuf --access local-write,on-demand --via kernel
		reg-dmabuf --from udmabuf --iova 0x10010
		reg-dmabuf --from udmabuf --buffer 64K --size 128K
		reg-dmabuf --from fd:0 --size 4K
		reg-dmabuf --from udmabuf --data-direct
		reg --advise prefetch,flush --via kernel
		reg --advise prefetch,0x8 --access on-demand
		reg --advise 7 --access on-demand
		reg --advise prefetch-write,flush --access on-demand
		reg --advise prefetch,flush --access on-demand,local-write --memory unmapped
		reg --advise prefetch,flush --access on-demand,local-write --advise-size 1M
	END
}

# bats test_tags=kernel
@test "a refused change of a region" {
	for via in library kernel; do
		agree 4 "${MR[@]}" <<-END
			reg --name a --size 64K
			rereg a --via $via --access remote-write
			reg --name b --size 64K
			rereg b --via $via --memory unmapped
			reg --name c --size 64K
			rereg c --via $via --flags none
			rereg c --via $via --flags 0x80
			rereg c --via $via --access 0x8000
			rereg c --via $via --flags translation --size 0
			rereg c --via $via --flags pd --access local-write
			reg --name d --size 64K --access none
			rereg d --via $via --access local-write
			reg --name e --size 64K --access local-write,on-demand
			rereg e --via $via --access local-write
			reg --name f --size 64K
			rereg f --via $via --access local-write,zero-based
		END
	done
	on_mlx5 || return 0
	agree 2 "${MR[@]}" <<-'END'
		reg --name dm --memory dm --size 64K
		rereg dm --access zero-based --via kernel
		reg-dmabuf --name dmabuf --from udmabuf
		rereg dmabuf --access local-write
	END
}

# bats test_tags=kernel
@test "a limit of locked memory, and objects that are in use" {
	agree 2 prlimit --memlock=65536 "${UNPRIVILEGED[@]}" "${MR[@]}" <<-'END'
		reg --size 1M
		umem --size 1M --via kernel
		reg --name a
		rereg a --size 1M --via kernel
	END
	session_begin
	ms reg --name used --pd p --quiet
	agree 1 "${MS[@]}" <<<'dereg pd:p'
}

# bats test_tags=kernel
@test "memory that cannot be pinned, or fetched on demand" {
	maps=() rows=() at=$((AT)) minimum=4
	linux 6.5 || minimum=3 # older kernels pin the ring
	for kind in guard:64K secret:64K none:64K ring:20K; do
		printf -v map '%#x:%s:%s' $at "${kind#*:}" "${kind%:*}"
		linux 6.13 || [[ $kind != guard* ]] || continue
		maps+=("$map")
		map="--memory none --size 4K --addr ${map%%:*}"
		rows+=("reg $map" "reg $map --access on-demand,local-write --advise prefetch,flush")
		((at += 0x10000))
	done
	# older kernels warn of it
	! linux 7 || rows+=("reg --memory none --size 1T --addr 0x100000000000 --access on-demand,local-write")
	mapped "$(IFS=, && echo "${maps[*]}")"
	printf '%s\n' "${rows[@]}" | agree $minimum "${MR[@]}"
}
