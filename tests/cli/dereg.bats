#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# mrctl dereg: which regions are deregistered, and which stay.

load helpers

setup() {
	note_less
	session_begin
}

# bats test_tags=kernel
@test "dereg deregisters a region by id, name, key and handle, and no other; then it does not exist" {
	# some drivers give no rkey without remote access
	ms reg --count 6 --name n --access local-write,remote-read --memory memfd --quiet
	mapfile -t keys < <(ms stat -n -o lkey,rkey,handle n.3 n.4 n.5)
	read -ra keys <<<"${keys[*]}"
	before=$(ms stat 1 --json | jq -c '.regions[0] | del(.state, .dereg_elapsed_ns)')
	absent "the session has no region 'n'" ms dereg n --json
	[[ $stderr == *"did you mean 'n.1'?"* ]]
	absent "the session has no region 'all'" ms dereg all
	[[ $stderr == *"did you mean 'mrctl dereg --all'?"* ]]
	succeeded ms dereg 1 n.2 "lkey:${keys[0]}" "rkey:${keys[4]}" "mr:${keys[8]}" \
		--json
	json '.format == 1 and .command == "dereg" and .session and .as_expected == null and .failures == []'
	json '[.regions[].id] == [1, 2, 3, 4, 5]'
	json '[.regions[].name] == ["n.1", "n.2", "n.3", "n.4", "n.5"]'
	json '[.regions[] | .state, .dereg_elapsed_ns > 0] | unique == [true, "deregistered"]'
	# what was known of the region
	json '.regions[0] | del(.state, .dereg_elapsed_ns) == $before' --argjson before "$before"
	[ "$(states)" = "6 live" ]
	for word in 1 n.1; do
		absent "the session has no region '$word'" ms dereg $word --json
		json '.regions == [] and (.failures | length == 1)'
	done
	run --separate-stderr ms dereg 6
	[[ ${lines[0]} == "ID NAME STATE"* && ${lines[1]} == *"6 n.6 "*"deregistered"* ]]
}

@test "dereg --all deregisters all regions, and leaves protection domains" {
	gives '.regions == [] and .failures == []' ms dereg --all
	ms reg --count 3 --quiet
	ms reg --pd other --quiet
	gives '[.regions[] | .id, .pd] == [1, "default", 2, "default", 3, "default", 4, "other"]' ms dereg --all
	shows '.regions == [] and .totals.regions == 0 and .totals.unlisted == 0' ms stat
	json '[.totals.pds[].name] == ["default", "other"]'
}

@test "dereg --all, with regions and umems in turn" {
	on_mlx5 || skip "rxe has no umems"
	ms reg --count 6 --quiet
	ms umem --quiet
	ms reg --count 2 --quiet
	ms umem --count 2 --quiet
	gives '[.regions[].id] == [range(1; 12)] and .failures == []' ms dereg --all
	make_empty
}

@test "a region that does not exist, or was deregistered, does not keep others from being deregistered" {
	ms reg --count 2 --quiet
	exits 1 ms dereg 1 nosuch 2 1 --json
	json '[.regions[].id] == [1, 2] and [.failures[].index] == [2, 4]'
	[[ $stderr == *"2 of 4 regions deregistered"* ]]
	[ -z "$(states)" ]
}

@test "a protection domain that was made for a call that is refused goes with it" {
	ms reg --name a --quiet
	exits 1 ms reg --pd new --memory hole
	refused EINVAL "ioctl(REREG_MR)" ms rereg a --pd new --access remote-write
	absent "no protection domain 'new'" ms dereg pd:new
	[ "$(ms stat -n -o pd a)" = default ]
}

@test "a protection domain is deallocated when it is empty, else refused with EBUSY" {
	ms reg --pd mine --quiet
	succeeded ms dereg pd:mine --expect EBUSY --json
	json '.as_expected and (.failures[0] | .errno == "EBUSY" and .call == "ioctl(PD_DESTROY)")'
	[[ $stderr == *"1 region of this session is still in this protection domain"*"mrctl stat shows"* ]]
	fails "mrctl: dereg: expected EBUSY, got ok" ms dereg 1 --expect EBUSY
	ms dereg pd:mine pd:default --quiet
	shows '.totals.pds == []' ms stat
	absent "no protection domain 'mine'" ms dereg pd:mine
	# the name may be used again, and the default one comes back
	ms reg --pd mine --quiet
	ms reg --quiet
	shows '[.regions[] | .pd, .state] == ["mine", "live", "default", "live"]' ms stat
}

@test "mr:HANDLE deregisters an MR without an entry; the kernel refuses handles of no object or of another kind" {
	ms reg --quiet
	mapfile -t handles < <(tool reg 2)
	succeeded ms dereg "mr:${handles[0]}" --json
	json '[.regions[] | .id, .state, .handle] == [null, "deregistered", ($h | tonumber)]
		and (.regions[0] | .lkey != null and .length == 4096)' --arg h "${handles[0]}"
	[ "$(ms stat -n -o state,handle | sed 1d)" = "unlisted ${handles[1]}" ]
	absent "no memory region with the handle 1000: ioctl(QUERY_MR): ENOENT (" ms dereg mr:1000
	ms dereg mr:1000 --expect ENOENT --quiet
	pd=$(ms stat --json | jq '.totals.pds[0].handle')
	absent "ioctl(QUERY_MR): EINVAL (" ms dereg "mr:$pd"
	run --separate-stderr ms dereg 1 mr:1000
	[ "$status" -eq 1 ] # one region was deregistered, so it is 1 and not 3
	[ "$(states)" = "- unlisted" ]
}

# bats test_tags=slow
@test "a region that was deregistered without the table is forgotten, and nothing is deregistered in its place" {
	ms reg --via kernel --count 5 --size 8K --quiet
	handle=$(ms stat -n -o handle 1)
	tool destroy "$handle"
	# another object gets the handle
	[ "$(tool reg 1)" = "$handle" ]
	absent "region 1 was already gone" ms dereg 1 --json
	json '.regions == []'
	[ "$(ms stat -n -o state,handle | tail -n 1)" = "unlisted $handle" ]
	tool destroy "$handle" "$(ms stat -n -o handle 3)"
	succeeded ms dereg --all --json
	json '[.regions[].id] == [2, 4, 5] and .failures == [] and .unlisted == {"deregistered": 0, "left": 0}'
	# all of a run
	ms reg --count 3 --quiet
	# shellcheck disable=SC2046 # words
	tool destroy $(ms stat -n -o handle)
	gives '.regions == [] and .failures == []' ms dereg --all
	[ -z "$(states)" ]
}

@test "dereg --all deregisters unlisted regions too, counts them apart, and leaves them with --listed" {
	ms reg --quiet
	mapfile -t handles < <(tool reg 2)
	gives '[.regions[].id] == [1] and .unlisted == {"deregistered": null, "left": null}' ms dereg --all --listed
	[ "$(ms stat -n -o state)" = $'unlisted\nunlisted' ]
	ms reg --quiet
	gives '[.regions[] | .id, .state] == [2, "deregistered", null, "deregistered", null, "deregistered"]
		and .unlisted == {"deregistered": 2, "left": 0}' ms dereg --all
	json '[.regions[1:][].handle] == ($ARGS.positional | map(tonumber))' --args "${handles[@]}"
	[[ $stderr == *"2 unlisted regions were also deregistered"* ]]
	[ "$(kernel_has mr)" -eq 0 ]
	tool reg 2 >/dev/null
	refused ENOLCK "fcntl(F_SETLK)" faulty lock@1=ENOLCK dereg --all
	make_empty
}

@test "dereg --all deregisters what killed commands have left: regions, umems and memory on the device" {
	specs=("reg_mr reg" "reg_mr reg --via kernel --count 3")
	! on_mlx5 || specs+=("umem_reg umem --via kernel" "alloc_dm reg --memory dm" "reg_dm_mr reg --memory dm"
		"umem_reg umem --try-page-sizes --via kernel")
	for spec in "${specs[@]}"; do
		faulty "${spec%% *}=kill-after" ${spec#* } >/dev/null 2>&1 || :
		[[ $(ms stat -n -o state) == *unlisted* ]] || fail "$spec" || return
	done
	succeeded ms dereg --all
	[ "$(kernel_has mr) $(kernel_has umem)" = "0 0" ]
	[ -z "$(ms stat -n)" ]
}

# while_it_makes FAULT N CMD...: CMD is stopped by FAULT, when it has made N objects and not yet noted them.
# Checks that dereg --all leaves them.
while_it_makes() {
	pause_at "$1" "${@:3}"
	succeeded ms dereg --all --json
	json ".unlisted == {\"deregistered\": 0, \"left\": $2}"
	[[ $stderr == *" left: another command is registering"* ]]
	go_on || fail "$1: $(<"$HOLD_ERR")"
}

# bats test_tags=slow
@test "dereg --all leaves objects that a running command has not yet recorded, and the umem of a trial" {
	while_it_makes reg_mr=stop-after 1 reg --via kernel
	[ "$(states | cut -d ' ' -f 2)" = live ] || fail "$(states)"
	on_mlx5 || return 0
	make_empty
	while_it_makes alloc_dm=stop-after 1 reg --memory dm --via kernel
	while_it_makes reg_dm_mr=stop-after 2 reg --memory dm --via kernel
	[ "$(states | cut -d ' ' -f 2)" = live ] || fail "$(states)"
	make_empty
	while_it_makes umem_reg@1=stop-after 1 umem --try-page-sizes --via kernel --size 4K --json
	output=$(<"$HOLD_OUT") stderr=''
	json '.failures == []'
}

@test "in a batch dereg --all finds no unlisted region" {
	local lines=('reg --count 3' 'reg --relaxed' 'dereg --all --flush')

	! on_mlx5 || lines=('reg --memory dm' 'umem' 'reg --memory null-mr' "${lines[@]}")
	output=$(printf '%s\n' "${lines[@]}" | MRCTL_SESSION='' mr batch --json)
	json '.failures == [] and (.lines[-1] | .unlisted == {"deregistered": 0, "left": 0} and
		([.regions[].id] | index(null)) == null)'
}

@test "dereg --all skips a region that another process is deregistering, and shares the rest with other commands" {
	ms reg --count 4 --quiet
	pause_at dereg_mr=stop dereg 2 --quiet
	[[ $(states) == *"2 pending"* ]]
	exits 1 ms dereg 2
	[[ $stderr == *"region 2 is in use by another process"*"process $HOLD_PID holds it (mrctl)"* ]] || fail "$stderr"
	gives '[.regions[].id] == [1, 3, 4] and .failures == []' ms dereg --all
	go_on
	[ -z "$(states)" ]
	# nor does dereg --all keep others off a region that it has not reached
	ms reg --count 10 --quiet
	pause_at "dereg_mr@1=delay:10;dereg_mr@2=stop" dereg --all --quiet
	ms dereg 14 --quiet
	go_on
	[ -z "$(states)" ]
}

@test "dereg continues after a refused region, with any errno; that region stays and can be changed" {
	ms reg --count 40 --name n --quiet
	exits 1 faulty dereg_mr@25=EBUSY dereg --all --json
	json '[.regions[].id] == [range(1; 41)] - [25] and (.failures | length) == 1 and .failures[0].region == 25'
	[ "$(states)" = "25 live" ]
	for errno in EINVAL EIO; do
		refused "$errno" "ioctl(MR_DESTROY)" faulty "dereg_mr=$errno" dereg n.25 --json
		json '.regions == [] and .failures[0].index == 1'
	done
	[ "$(ms rereg n.25 --access remote-read -n -o state,access)" = "live remote-read" ]
	session_end
	refused EBUSY ibv_dereg_mr faulty dereg_mr=EBUSY reg --json
	json '.regions[0].state == "live" and .failures[0].region == 1'
	[[ $stderr != *certain,* ]]
}

# noted_or_told SPEC WORD...: runs mrctl dereg WORD... of region "a" with the fault.  Checks that it removes the
# entry or fails; counts the runs that can only report that the entry stays
noted_or_told() {
	run --separate-stderr faulty "$1" dereg "${@:2}" --json
	if [ "$status" -eq 0 ]; then
		[ -z "$(states)" ] || fail "$1: success, but: $(states)"
	elif [ "$(kernel_has mr)" -eq 0 ]; then
		stayed=$((stayed + 1))
		[ "$status" -eq 1 ] || fail "$1: exit status $status" || return
		json '[.regions[].state] == ["deregistered"]
			and (.failures | map(.message) | any(contains("is deregistered, but its entry stays, in doubt until mrctl dereg")))' || return
		[[ $stderr != *"cannot invalidate"* && $(states) == *" gone" ]]
	fi
}

# bats test_tags=slow
@test "an entry that cannot be removed because the lock failed is reported, and the next dereg removes it" {
	stayed=0
	behind
	for n in {1..16}; do
		ms reg --name a --quiet
		noted_or_told "lock@$n=ENOLCK" a || return
		ms dereg --all --quiet
		ms reg --relaxed --name a --quiet
		ms dereg a --defer-for 600 --quiet
		noted_or_told "lock@$n=ENOLCK" --flush || return
		ms dereg --all --flush --quiet
		[ -z "$(states)" ]
	done
	[ "$stayed" -eq 2 ] || fail "$stayed times"
}

@test "a key that two regions have had finds the region that has it now" {
	ms reg --name old --quiet
	key=$(ms stat -n -o rkey old)
	ms dereg old --quiet
	ms reg --name new --quiet
	if [ "$(ms stat -n -o rkey new)" = "$key" ]; then
		[ "$(ms dereg "rkey:$key" -n -o name)" = new ]
	else
		run ms dereg "rkey:$key"
		[ "$status" -eq 3 ]
	fi
}
