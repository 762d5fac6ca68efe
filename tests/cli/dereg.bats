#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# mrctl dereg: which regions are deregistered, and which stay.
# shellcheck disable=SC2016 # jq has variables of its own

load helpers
report_leaks

setup() {
	note_less
	session_begin
}

# bats test_tags=kernel
@test "dereg deregisters a region by id, name, key and handle, and no other" {
	local keys

	# some drivers give no rkey without remote access
	ms reg --count 6 --name n --access local-write,remote-read --quiet
	mapfile -t keys < <(ms stat -n -o lkey,rkey,handle n.3 n.4 n.5)
	read -ra keys <<<"${keys[*]}"
	run --separate-stderr ms dereg 1 n.2 "lkey:${keys[0]}" "rkey:${keys[4]}" "mr:${keys[8]}" \
		--json
	succeeded
	json '[.regions[].id] == [1, 2, 3, 4, 5] and .failures == []'
	json '[.regions[].name] == ["n.1", "n.2", "n.3", "n.4", "n.5"]'
	json '[.regions[] | .state, .dereg_elapsed_ns > 0] | unique == [true, "deregistered"]'
	[ "$(states)" = "6 live" ]
}

# bats test_tags=kernel
@test "dereg --all deregisters all regions, and leaves protection domains" {
	ms reg --count 3 --quiet
	ms reg --pd other --quiet
	run --separate-stderr ms dereg --all --json
	succeeded
	json '[.regions[].id] == [1, 2, 3, 4]'
	json '[.regions[].pd] == ["default", "default", "default", "other"]'
	run --separate-stderr ms stat --json
	json '.regions == [] and .totals.regions == 0 and .totals.unlisted == 0'
	json '[.totals.pds[].name] == ["default", "other"]'
}

@test "dereg --all without regions succeeds" {
	run --separate-stderr ms dereg --all --json
	succeeded
	json '.regions == [] and .failures == []'
}

@test "the document is that of other commands, with what was known of the region" {
	local before

	ms reg --name a --size 12K --access local-write,remote-read --memory memfd --quiet
	before=$(ms stat --json | jq -c '.regions[0] | del(.state, .dereg_elapsed_ns)')
	run --separate-stderr ms dereg a --json
	succeeded
	json '.format == 1 and .command == "dereg" and .session == true and .as_expected == null'
	json '.regions[0] | del(.state, .dereg_elapsed_ns) == $before' --argjson before "$before"
}

@test "regions are printed in a table" {
	ms reg --name a --quiet
	run --separate-stderr ms dereg a
	succeeded
	[[ ${lines[0]} == "ID NAME STATE"* ]]
	[[ ${lines[1]} == *"1 a "*"deregistered"* ]]
}

# bats test_tags=kernel
@test "a region is deregistered once: after that it does not exist" {
	ms reg --name a --quiet
	ms dereg 1 --quiet
	for word in 1 a; do
		run --separate-stderr ms dereg $word --json
		[ "$status" -eq 3 ]
		[[ $stderr == *"the session has no region '$word'"* ]]
		json '.regions == [] and (.failures | length == 1)'
	done
}

@test "a region that does not exist does not keep others from being deregistered" {
	ms reg --count 2 --quiet
	run --separate-stderr ms dereg 1 nosuch 2 --json
	[ "$status" -eq 1 ]
	json '[.regions[].id] == [1, 2] and [.failures[].index] == [2]'
	[[ $stderr == *"2 of 3 regions deregistered"* ]]
	[ -z "$(states)" ]
}

@test "the same region twice has gone the second time" {
	ms reg --name a --quiet
	run --separate-stderr ms dereg a a --json
	[ "$status" -eq 1 ]
	json '(.regions | length == 1) and (.failures | length == 1)'
}

# bats test_tags=kernel
@test "a protection domain is deallocated when it is empty, else refused with EBUSY" {
	ms reg --pd mine --quiet
	run --separate-stderr ms dereg pd:mine
	refused EBUSY "ioctl(PD_DESTROY)"
	[[ $stderr == *"1 region of this session is still in this protection domain"*"mrctl stat shows"* ]]
	run --separate-stderr ms dereg 1 pd:mine --json
	succeeded
	json '.failures == []'
	run --separate-stderr ms stat --json
	json '[.totals.pds[].name] == ["default"]'
	run --separate-stderr ms dereg pd:mine
	[ "$status" -eq 3 ]
	[[ $stderr == *"no protection domain 'mine'"* ]]
	# the name may be used again
	ms reg --pd mine --quiet
	[ "$(states)" = "2 live" ]
}

@test "the default protection domain comes back when it is needed" {
	ms dereg pd:default
	ms reg --quiet
	run --separate-stderr ms stat --json
	json '[.regions[] | .pd, .state] == ["default", "live"]'
}

@test "mr:HANDLE deregisters what no entry names" {
	local handles

	require_tool
	ms reg --quiet
	mapfile -t handles < <(tool reg 2)
	run --separate-stderr ms dereg "mr:${handles[0]}" --json
	succeeded
	json '[.regions[] | .id, .state, .handle] == [null, "deregistered", ($h | tonumber)]
		and (.regions[0] | .lkey != null and .length == 4096)' --arg h "${handles[0]}"
	run --separate-stderr ms stat --json
	json '[.regions[] | .state, .handle] | .[0] == "live" and .[2:] == ["unlisted", ($h | tonumber)]' \
		--arg h "${handles[1]}"
}

# bats test_tags=kernel
@test "the kernel refuses mr:HANDLE of no object, or of another kind of object" {
	local pd

	run --separate-stderr ms dereg mr:1000
	absent "no memory region with the handle 1000: ioctl(QUERY_MR): ENOENT ("
	ms dereg mr:1000 --expect ENOENT --quiet
	ms reg --quiet
	pd=$(ms stat --json | jq '.totals.pds[0].handle')
	run --separate-stderr ms dereg "mr:$pd"
	absent "ioctl(QUERY_MR): EINVAL ("
	run --separate-stderr ms dereg 1 mr:1000
	[ "$status" -eq 1 ] # one region was deregistered, so it is 1 and not 3
	[ -z "$(states)" ]
}

@test "a region that was deregistered without the table is forgotten, and nothing is deregistered" {
	require_tool
	ms reg --count 2 --quiet
	tool destroy "$(ms stat -n -o handle 1)"
	run --separate-stderr ms dereg 1 --json
	[ "$status" -eq 3 ]
	[[ $stderr == *"region 1 had gone already"* ]]
	json '.regions == []'
	[ "$(states)" = "2 live" ]
}

@test "an object that got the handle of an old region is not deregistered in its place" {
	local handle

	require_tool
	ms reg --via kernel --size 8K --quiet
	handle=$(ms stat -n -o handle 1)
	tool destroy "$handle"
	[ "$(tool reg 1)" = "$handle" ]
	run --separate-stderr ms dereg 1
	[ "$status" -eq 3 ]
	[ "$(ms stat -n -o state,handle)" = "unlisted $handle" ]
}

@test "dereg --all does not report regions that had gone" {
	require_tool
	ms reg --count 3 --quiet
	tool destroy "$(ms stat -n -o handle 2)"
	run --separate-stderr ms dereg --all --json
	succeeded
	json '[.regions[].id] == [1, 3] and .failures == [] and .unlisted == {"deregistered": 0, "left": 0}'
}

@test "dereg --all deregisters unlisted regions too, counts them apart, and leaves them with --listed" {
	local handles

	require_tool
	ms reg --quiet
	mapfile -t handles < <(tool reg 2)
	run --separate-stderr ms dereg --all --listed --json
	succeeded
	json '[.regions[].id] == [1] and .unlisted == {"deregistered": null, "left": null}'
	[ "$(ms stat -n -o state)" = $'unlisted\nunlisted' ]
	ms reg --quiet
	run --separate-stderr ms dereg --all --json
	succeeded
	json '[.regions[] | .id, .state] == [2, "deregistered", null, "deregistered", null, "deregistered"]
		and .unlisted == {"deregistered": 2, "left": 0}'
	json '[.regions[1:][].handle] == ($ARGS.positional | map(tonumber))' --args "${handles[@]}"
	[[ $stderr == *"2 unlisted regions were deregistered as well"* ]]
	[ "$(kernel_has mr)" -eq 0 ]
	run --separate-stderr ms dereg --listed 1
	usage_error "--listed needs --all"
}

@test "dereg --all deregisters what killed commands have left: regions, umems and memory on the device" {
	local spec specs=("reg_mr reg" "reg_mr reg --via kernel --count 3")

	on_simulator || skip "needs the simulator's faults"
	require_tool
	! on_mlx5 || specs+=("umem_reg umem --via kernel" "alloc_dm reg --memory dm" "reg_dm_mr reg --memory dm"
		"umem_reg umem --try-page-sizes --via kernel")
	for spec in "${specs[@]}"; do
		# shellcheck disable=SC2086 # words
		faulty "${spec%% *}=kill-after" ${spec#* } >/dev/null 2>&1 || :
		[[ $(ms stat -n -o state) == *unlisted* ]] || fail "$spec" || return
	done
	run --separate-stderr ms dereg --all
	succeeded
	[ "$(kernel_has mr) $(kernel_has umem)" = "0 0" ]
	[ -z "$(ms stat -n)" ]
}

# await_stop PID: waits until the fault "stop" has stopped the process
await_stop() {
	local state=

	until [ "$state" = T ]; do
		is_running "$1" || fail "it ended: $(cat "$BATS_TEST_TMPDIR/out")" || return
		read -r _ _ state _ <"/proc/$1/stat"
	done
}

# while_it_makes FAULT N CMD...: CMD is stopped by FAULT, when it has made N objects and not yet noted them.
# Checks that dereg --all leaves them.
while_it_makes() {
	local pid

	"${SIM[@]::${#SIM[@]}-1}" --fault "$1" -- mrctl "${@:3}" >"$BATS_TEST_TMPDIR/out" 2>&1 3>&- &
	pid=$!
	await_stop $pid
	run --separate-stderr ms dereg --all --json
	kill -CONT $pid
	succeeded
	json ".unlisted == {\"deregistered\": 0, \"left\": $2}"
	[[ $stderr == *" left: another command is registering"* ]]
	wait $pid || fail "$1: $(cat "$BATS_TEST_TMPDIR/out")"
}

@test "dereg --all leaves what a running command has made and not yet noted" {
	on_simulator || skip "needs the simulator's faults"
	while_it_makes reg_mr=stop-after 1 reg --via kernel
	[ "$(states | cut -d ' ' -f 2)" = live ] || fail "$(states)"
	on_mlx5 || return 0
	make_empty
	while_it_makes alloc_dm=stop-after 1 reg --memory dm --via kernel
	while_it_makes reg_dm_mr=stop-after 2 reg --memory dm --via kernel
	[ "$(states | cut -d ' ' -f 2)" = live ] || fail "$(states)"
	make_empty
}

@test "dereg --all leaves the umem of a trial" {
	require_devx
	on_simulator || skip "needs the simulator's faults"
	while_it_makes umem_reg@1=stop-after 1 umem --try-page-sizes --via kernel --size 4K --json
	output=$(<"$BATS_TEST_TMPDIR/out") stderr=''
	json '.failures == []'
}

@test "in a batch dereg --all finds no unlisted region" {
	local lines=('reg --count 3' 'reg --relaxed' 'dereg --all --flush')

	! on_mlx5 || lines=('reg --memory dm' 'umem' 'reg --memory null-mr' "${lines[@]}")
	output=$(printf '%s\n' "${lines[@]}" | MRCTL_SESSION='' mr batch --json)
	json '.failures == [] and (.lines[-1] | .unlisted == {"deregistered": 0, "left": 0} and
		([.regions[].id] | index(null)) == null)'
}

@test "dereg --all leaves a region alone that another process is deregistering" {
	on_simulator || skip "needs a call that takes long"
	ms reg --count 3 --quiet
	faulty dereg_mr=delay:400 dereg 2 --quiet 3>&- &
	until [[ $(states) == *"2 pending"* ]]; do
		is_running $! || fail "it was never pending" || return
	done
	run --separate-stderr ms dereg --all --json
	succeeded
	json '[.regions[].id] == [1, 3] and .failures == []'
	wait $!
	[ -z "$(states)" ]
}

# bats test_tags=kill
@test "dereg --all that is killed leaves the one region in doubt that it was about to deregister" {
	on_simulator || skip "needs the simulator's faults"
	ms reg --count 40 --quiet
	run faulty dereg_mr@25=kill dereg --all
	[ "$status" -eq 137 ]
	[ "$(states | sed '/ gone$/d')" = "25 in-doubt"$'\n'"$(seq -f '%g live' 26 40)" ] || fail "$(states)"
	ms dereg --all --quiet
	[ -z "$(states)" ]
}

@test "dereg --all goes on after a region that is refused" {
	on_simulator || skip "needs the simulator's faults"
	ms reg --count 40 --quiet
	run --separate-stderr faulty dereg_mr@25=EBUSY dereg --all --json
	[ "$status" -eq 1 ]
	json '[.regions[].id] == [range(1; 41)] - [25] and (.failures | length) == 1 and .failures[0].region == 25'
	[ "$(states)" = "25 live" ]
}

@test "dereg --all of regions that take long lets others have the rest" {
	on_simulator || skip "needs a call that takes long"
	ms reg --count 10 --quiet
	faulty dereg_mr=delay:200 dereg --all --quiet 3>&- &
	until [[ $(states) == *"3 pending"* ]]; do
		is_running $! || fail "it was never pending" || return
	done
	ms dereg 10 --quiet
	wait $!
	[ -z "$(states)" ]
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

@test "an entry that cannot be removed because the lock failed is reported, and the next dereg removes it" {
	local n stayed=0

	on_simulator || skip "needs the simulator's faults"
	require_tool
	behind
	for n in {1..16}; do
		ms reg --name a --quiet
		noted_or_told "lock@$n=ENOLCK" a || return
		ms dereg --all --quiet
		[ -z "$(states)" ]
		ms reg --relaxed --name a --quiet
		ms dereg a --defer-for 600 --quiet
		noted_or_told "lock@$n=ENOLCK" --flush || return
		ms dereg --all --flush --quiet
		[ -z "$(states)" ]
	done
	[ "$stayed" -eq 2 ] || fail "$stayed times"
}

@test "--expect: the exit status is 0 if the stack answers as expected" {
	ms reg --pd mine --quiet
	run --separate-stderr ms dereg pd:mine --expect EBUSY --json
	succeeded
	json '.as_expected == true and .failures[0].errno == "EBUSY"'
	[[ $stderr == *"as expected"* ]]
	run --separate-stderr ms dereg 1 --expect EBUSY
	[ "$status" -eq 1 ]
	[[ $stderr == *"mrctl: dereg: expected EBUSY, got ok"* ]]
	run --separate-stderr ms dereg pd:mine --expect ok
	succeeded
}

@test "words that name no region are usage errors, and so is no word" {
	run --separate-stderr ms dereg
	usage_error "name the regions, or give --all"
	run --separate-stderr ms dereg --all 1
	usage_error "--all excludes naming regions"
	run --separate-stderr ms dereg lkey:x
	[ "$status" -ne 0 ]
	[[ $stderr == *"'x'"* ]]
	run --separate-stderr ms dereg 'a b'
	[ "$status" -ne 0 ]
	[[ $stderr == *"'a b'"* ]]
}

@test "a key that two regions have had names the one that has it now" {
	local key

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
