#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Each kind of memory and dma-buf with each command that registers it, by each path (--via), in a batch of its own and
# in a session; and there each change of each kind of region.  The answers follow from rules, which stand here.

load helpers

FILE=$(mktemp -u /dev/shm/mrctl-test-XXXXXX) # most other file systems refuse to pin a shared file for writing

teardown() {
	rm -f "$FILE"
	tidy
}

# ask ANSWER WORD...: adds a line.  ANSWER is ok, an errno, refused (exit status 1, whatever the errno), absent (3);
# or A/B, where it depends on the machine.
ask() {
	WANTED+=("$1") LINES+=("${*:2}")
}

# make REGION ANSWER WORD...: asks by each path for a region of that kind, and in a session for its changes
make() {
	local path answer

	for path in '' '--via library' '--via kernel'; do
		answer=$2
		if [ "$PLACE $path" = "session --via library" ]; then
			# librxe cannot import a session, and an old libmlx5 does not reveal handles of umems
			[ "$PROFILE" = mlx5 ] && { [ "$1" != umem ] || exports_umems; } || answer=EOPNOTSUPP
		elif [ "$PLACE" = outside ] && [ "$path" != "--via kernel" ]; then
			answer=${answer/EPROTONOSUPPORT/EOPNOTSUPP} # of the library, which asks no kernel
		fi
		ask "$answer" "${@:3}" --name "r${#LINES[@]}" "$path"
		[ "$PLACE $answer" != "session ok" ] || changes "$1" "r$((${#LINES[@]} - 1))"
	done
}

# changes KIND REGION: asks for changes of the region by each path, and at last for its end
changes() {
	local row columns column words path answer

	case $1 in
	mr | dmabuf) column=0 ;;
	read) column=1 ;;
	odp) column=2 ;;
	dm) column=3 ;;
	*) column=4 ;;
	esac
	[ "$PROFILE" = mlx5 ] || column=$((column + 5))
	ask ok stat "$2"
	while read -r -a row; do
		columns=("${row[@]:0:10}") words=("${row[@]:10}")
		for path in '' '--via library' '--via kernel'; do
			answer=${columns[column]}
			if [ "$path $answer" != "--via library refused" ] && [ "$path" = "--via library" ]; then
				answer=EINVAL # libibverbs changes no imported region
				[ "$PROFILE" = mlx5 ] || answer=EOPNOTSUPP
			fi
			ask "$answer" rereg "$2" "${words[@]}" "$path"
		done
	done <<-'END'
		ok     ok     ok         EINVAL refused  EOPNOTSUPP EOPNOTSUPP EOPNOTSUPP - refused  --size 8K
		EFAULT EFAULT ok         EINVAL refused  EOPNOTSUPP EOPNOTSUPP EOPNOTSUPP - refused  --memory unmapped
		ok     ok     ok         EINVAL refused  ok         ok         ok         - refused  --pd other
		ok     EACCES EOPNOTSUPP EINVAL refused  ok         EACCES     ok         - refused  --access local-write
		EINVAL EINVAL EINVAL     EINVAL refused  EINVAL     EINVAL     EINVAL     - refused  --access remote-write
		ok     ok     ok         EINVAL refused  EOPNOTSUPP EOPNOTSUPP EOPNOTSUPP - refused  --size 4K --access none
	END
	[ "$1" != relaxed ] || ask ok dereg "$2" --defer-for 600
	ask ok dereg "$2" "$([ "$1" != relaxed ] || echo --flush)"
	ask absent stat "$2"
	ask absent dereg "$2"
}

# make_all PROFILE PLACE: asks for each kind of memory by each command
make_all() {
	local kind answer with umem=EPROTONOSUPPORT dmabuf=EOPNOTSUPP

	PROFILE=$1 PLACE=$2 LINES=() WANTED=()
	truncate -s 1M "$FILE"
	[ "$1" = rxe ] || umem=ok dmabuf=ok
	for kind in $(section "Memory kinds" memory | sed 's/[:[].*//'); do
		with=$kind
		case $kind in
		anon | thp | memfd) answer=ok ;;
		file | file-private) answer=ok with=$kind:$FILE ;;
		device) answer=ok with=$kind:/dev/zero ;;
		hugetlb) answer=ok/ENOMEM ;;
		none | readonly | unmapped | hole) answer=EFAULT ;;
		cuda) continue ;; # tests/cli/dmabuf-sources.bats
		dm)
			make dm "$umem" reg --memory dm
			continue
			;;
		null-mr) # by the library of mlx5 alone, and not in a session
			[ "$PROFILE $PLACE" = "mlx5 outside" ] || make null EOPNOTSUPP reg --memory null-mr
			continue
			;;
		*) fail "what is the answer to --memory $kind?" ;;
		esac
		make mr $answer reg --memory "$with"
		make mr $answer reg-iova --iova 0x10000 --memory "$with"
		make relaxed $answer reg --relaxed --memory "$with"
		[ "$kind" != hugetlb ] || umem+=/ENOMEM
		make umem "${umem/ok/$answer}" umem --memory "$with"
		make umem "${umem/ok/$answer}" umem --memory "$with" --page-sizes 4K
		umem=${umem%/*}
		[ "$kind" != readonly ] || answer=ok
		make read $answer reg --memory "$with" --access remote-read
		make odp "${answer/EFAULT/ok}" reg --memory "$with" --access local-write,on-demand
	done
	for kind in $(section "Dma-buf sources" dmabuf | sed 's/[:[].*//'); do
		with=$kind answer=ok
		case $kind in
		udmabuf) ;;
		heap) with=heap:system ;;
		fd) with=fd:1 answer=EINVAL ;;
		cuda | dm) continue ;;
		*) fail "what is the answer to --from $kind?" ;;
		esac
		make dmabuf "${dmabuf/ok/$answer}" reg-dmabuf --from "$with"
		make umem "${umem/ok/$answer}" umem --dmabuf "$with"
	done
	# --call names a call of the library, which cannot serve in a session of rxe
	[ "$1 $2" != "rxe session" ] || ask EOPNOTSUPP reg --call ibv_reg_mr
}

# answered: runs the lines, and compares the answers
answered() {
	local answers i

	run --separate-stderr ms --json batch --keep-going < <(printf '%s\n' "${LINES[@]}")
	mapfile -t answers < <(jq -r '.lines[] | [.status, (.failures | length), .failures[0].errno] |
		if . == [0, 0, null] then "ok" elif .[0] == 3 and .[1] == 1 then "absent"
		elif .[0] == 1 and .[1] == 1 then "refused \(.[2])" else tojson end' <<<"$output")
	[ ${#answers[@]} -eq ${#LINES[@]} ] || fail "${#answers[@]} answers to ${#LINES[@]} lines" "$stderr" || return
	for i in "${!LINES[@]}"; do
		[[ /${WANTED[i]}/ == */"${answers[i]#refused }"/* || ${answers[i]} == "${WANTED[i]} "* ]] ||
			echo "${LINES[i]}: ${answers[i]}, not ${WANTED[i]}"
	done >"$BATS_TEST_TMPDIR/wrong"
	[ ! -s "$BATS_TEST_TMPDIR/wrong" ] || fail "$(<"$BATS_TEST_TMPDIR/wrong")"
}

# on PROFILE: all lines on that device, outside a session and in one
on() {
	MS=(mrctl sim --profile "$1" -- mrctl)
	make_all "$1" outside
	answered
	eval "$(ms session --detach)"
	SESSION_PID=${MRCTL_SESSION#pid:}
	make_all "$1" session
	answered
	[ -z "$(states)" ]
}

# On the default kernel: others answer a few of them differently.
# bats test_tags=slow
@test "each combination has the answer of the rules, on mlx5" {
	on mlx5
}

# bats test_tags=slow
@test "each combination has the answer of the rules, on rxe" {
	pds_are_lost
	on rxe
}
