#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# --why try: a refused call is repeated with one thing changed at a time.
# shellcheck disable=SC2046 # $(on_demand) is a word or none

load helpers
load why

# passes [CHANGE...]: of the tries exactly these have passed, and the others were refused
passes() {
	local expected=("$@")

	jq -e '[.failures[0].tries[] | select(.answer == "ok") | .change] == $ARGS.positional' \
		--args "${expected[@]}" <<<"$output" >/dev/null ||
		fail "expected ${expected[*]}, but: $(jq -c '.failures[0] | {tried, tries}' <<<"$output")"
}

# cured ID WORDS: it is a cause, for which a change speaks that takes it away
cured() {
	jq -e '.failures[0].causes[] | select(.id == $id) | .evidence.tried == "\($words) the call succeeds" and
		(.certainty | IN("certain", "likely"))' --arg id "$1" --arg words "$2" <<<"$output" >/dev/null ||
		fail "$1, $2: $(jq -c '.failures[0] | {causes, ruled_out, tried}' <<<"$output")"
}

# tried COMMAND...: run it with --why try --json; it is refused
tried() {
	run --separate-stderr "$@" --why try --json
	((status != 0)) || fail "not refused: $*"
	json '.failures[0] | .why == "try" and (.tried | length > 0)'
}

# is_in_sync: the first try has repeated the refusal
is_in_sync() {
	json '.failures[0] | .tries[0].change == "unchanged" and .tries[0].answer == .errno and
		(.tries | all(.change != "anew" and (.answer == null or .elapsed_ns > 0)))'
}

# on_demand: the change that adds on-demand paging, where the device has it
on_demand() {
	! has_odp || echo on-demand
}

@test "access that lacks a flag, or has one too many" {
	tried mr reg --size 64K --access remote-write,remote-read
	is_in_sync
	passes without-remote-write local-write
	json '.failures[0].causes[0] | .id == "MR-ACCESS-LOCAL-WRITE" and .certainty == "certain"'
	json '.failures[0].tried | startswith("the call succeeds without remote-write, with local-write; EINVAL again unchanged, ")'
	tried mr reg --size 64K --access remote-write,remote-atomic
	passes local-write
	tried mr reg --size 64K --access local-write,0x8000
	passes without-other-flags
	shows '.failures[0] | .tries == [] and .tried == null' mr reg --size 64K --access remote-write
}

@test "read-only memory, none, and an IOVA that lies elsewhere in its page" {
	tried mr reg --size 64K --memory readonly
	is_in_sync
	passes without-local-write $(on_demand) fresh-memory
	json '.failures[0].tries | any(.change == "half" and .answer == "EFAULT")'
	tried mr reg --size 64K --memory unmapped --access remote-read
	passes $(on_demand) fresh-memory
	tried mr reg --size 64K --memory unmapped --access remote-read --via kernel
	is_in_sync
	json '.failures[0].tries | any(.change == "other-path" and .answer == "EFAULT")'
	tried mr reg-iova --size 64K --iova 0x10001
	is_in_sync
	passes iova
}

@test "a call that succeeds when repeated is reported, and makes no cause likely" {
	tried faulty reg_mr@1=EFAULT reg --size 64K --memory memfd
	passes unchanged
	json '.failures[0] | (.tries | length) == 1 and (.tried | startswith("the unchanged call succeeds now")) and
		([.causes[] | select(.certainty != "possible")] == [])'
}

@test "a refusal that no change cures is reported, and no cause is certain" {
	tried faulty reg_mr=EINVAL reg --size 64K --access local-write,remote-read
	is_in_sync
	passes
	json '.failures[0] | (.tries | length > 5 and all(.answer == "EINVAL" or .answer == null)) and
		(.tried | startswith("no change helps; EINVAL again unchanged, ")) and
		([.causes[] | select(.certainty == "certain")] == [])'
	# memory is cleared of suspicion where fresh memory is refused as well
	tried faulty reg_mr=EFAULT reg --size 64K --memory memfd
	passes
	json '[.failures[0].causes[] | select(.certainty == "certain" or .certainty == "likely")] == []'
}

@test "a descriptor that is not a dma-buf, a range beyond its end, and Data Direct without such a device" {
	on_mlx5 || skip "rxe takes no dma-bufs"
	tried mr reg-dmabuf --from fd:0 --size 64K </dev/null
	is_in_sync
	passes udmabuf
	cured MR-DMABUF-FILE "with a udmabuf"
	tried mr reg-dmabuf --from udmabuf --buffer 64K --offset 64K --size 64K
	passes offset-0 udmabuf
	tried mr reg-dmabuf --from udmabuf --size 64K --data-direct
	json '.failures[0] | (.tries | any(.change == "without-data-direct" and .answer == "ok")) and
		(.errno != "EINVAL" or .causes[0].evidence.tried == "without Data Direct the call succeeds")'
}

@test "a change that cures a cause is evidence for it if the call succeeds, and rules it out if the call is refused" {
	require_devx
	tried mr umem --size 64K --page-sizes 1G
	is_in_sync
	passes any-page-size
	cured MR-UMEM-PAGE-SIZES "with any page size"
	tried mr umem --size 64K --access local-write,remote-atomic
	passes without-remote-atomic
	tried mr reg --access local-write,on-demand,hugetlb --memory memfd --addr 0x200000000000 --size 4M --populate
	passes without-on-demand without-hugetlb fresh-memory
	cured MR-ODP-HUGETLB "without hugetlb"
	tried faulty umem_reg=EINVAL umem --size 4M --page-sizes 2M
	json '.failures[0] | (.causes | map(.id) | index("MR-UMEM-PAGE-SIZES")) == null and
		(.ruled_out[] | select(.id == "MR-UMEM-PAGE-SIZES").reason == "with any page size the call is refused as well")'
}

# tried_calls ARG...: each registration that mrctl ARG... --why try makes, in "$output"
tried_calls() {
	local calls=$BATS_TEST_TMPDIR/calls

	run "${SIM[@]}" mrctl trace -q --force -o "$calls" -- "${MR[@]:${#SIM[@]}}" "$@" --why try
	output=$(jq -cs '[.[] | select(.call | test("reg_mr"))]' "$calls")
}

@test "the repetitions request half the length, one page, whole pages, and an IOVA" {
	[[ $(getconf PAGESIZE) == 4096 ]] || skip "the figures are those of pages of 4 KiB"
	tried_calls reg --memory unmapped --size 20K --offset 256
	json '[.[] | select(.answer == "EFAULT").length] | unique == [3840, 8192, 20480, 24576]'
	json 'all(.[] | select(.length); (.length == 24576) == (.addr | endswith("000")))'
	# of two pages the half is one, and the IOVA moves with the address
	tried_calls reg-iova --memory unmapped --size 8K --offset 256 --iova 0x10100
	json '[.[] | select(.answer == "EFAULT").length] | unique == [4096, 8192, 12288]'
	json 'all(.[] | select(.length == 12288); .iova == "0x10000") and any(.[] | select(.length); .iova == .addr)'
}

# bats test_tags=kernel
@test "tries leave a session as it is" {
	in_session 'mrctl reg --size 64K --name a -q
		mrctl stat --json >"$1/before"
		mrctl reg --size 64K --memory readonly --why try --json >"$1/refused"
		mrctl stat --json >"$1/after"' "$BATS_TEST_TMPDIR"
	output=$(cat "$BATS_TEST_TMPDIR/refused")
	json '.failures[0].tries[0] | .change == "own-context" and .answer == "EFAULT"'
	json '.failures[0].tries | any(.change == "fresh-memory" and .answer == "ok")'
	diff "$BATS_TEST_TMPDIR/before" "$BATS_TEST_TMPDIR/after"
}

@test "a command that is killed while it tries leaves nothing in the session" {
	session_begin
	mr reg --size 64K --name a -q
	mr stat --json | jq .regions,.totals.unlisted >"$BATS_TEST_TMPDIR/before"
	killed reg_mr@3=kill-after reg --size 64K --memory readonly --why try
	mr stat --json | jq .regions,.totals.unlisted >"$BATS_TEST_TMPDIR/after"
	diff "$BATS_TEST_TMPDIR/before" "$BATS_TEST_TMPDIR/after"
}

@test "a region that cannot be changed is not touched, and an equal one is registered" {
	on_mlx5 || skip "rxe does not move regions"
	in_session 'mrctl reg --size 64K --name a -q
		mrctl rereg a --memory unmapped --size 64K --why try --json' || true
	json '.failures[0].tries[0] | .change == "anew" and .answer == "EFAULT"'
	json '.failures[0].tries | any(.change == "fresh-memory" and .answer == "ok")'
	in_session 'mrctl reg --size 64K --name a -q
		mrctl rereg a --access remote-write --why try --json' || true
	json '.failures[0] | .tries == [] and (.tried | startswith("nothing: the memory"))'
}

@test "a call whose region cannot be deregistered is not tried again, and such a try is the last one" {
	tried faulty dereg_mr=EBUSY reg --size 64K
	json '.failures[0] | .tries == [] and (.tried | startswith("nothing: a call that frees"))'
	tried faulty dereg_mr=EBUSY reg --size 64K --access remote-write
	passes without-remote-write
	json '.failures[0] | (.tries[-1].change == "without-remote-write") and
		(.tries[-1].reason | contains("EBUSY")) and
		(.tried | contains("no further changes: without remote-write could not be undone"))'
}

@test "tries are suggested if the call has something to change, and a proof if a kernel answers" {
	on_simulator || skip "needs the simulator"
	for fault in get_context=EPERM alloc_pd=ENOMEM; do
		exits 1 faulty "$fault" reg
		[[ $stderr == *"because: not known"* && $stderr != *"try: "* ]] || fail "$stderr" || return
	done
	exits 1 faulty reg_mr=ENODEV reg
	[[ $stderr == *"try: --why try, which repeats the call with one change at a time" ]] || fail "$stderr"
}

@test "a busy device is opened again" {
	tried faulty get_context=EAGAIN reg
	json '.failures[0] | (.tries | map(.answer)) == ["EAGAIN"]'
	if ! on_mlx5; then # libmlx5 asks more than once by itself
		tried faulty get_context@1=EAGAIN reg
		json '.failures[0] | (.tries | map(.answer)) == ["ok"]'
	fi
	tried faulty get_context=EPERM reg
	json '.failures[0] | .tries == [] and (.tried | startswith("nothing: a request to open a device"))'
}

# tried_and_stopped N: the call N stops mrctl, for which a signal waits when it goes on
tried_and_stopped() {
	local status=0

	pause_at "reg_mr@$1=stop" reg --size 64K --access remote-write --why try --json
	kill -TERM "$HOLD_PID"
	go_on || status=$?
	((status != 0))
	output=$(<"$HOLD_OUT")
}

@test "a signal ends the tries, and the refusal is reported" {
	tried_and_stopped 1
	json '.failures[0] | .errno == "EINVAL" and .tries == [] and .tried == "nothing: a signal was received"'
	tried_and_stopped 2
	json '.failures[0] | .errno == "EINVAL" and (.tries | length) == 1 and
		(.tried | contains("a signal was received"))'
}

# bats test_tags=release
@test "memory for tries is bounded" {
	! is_sanitized || skip "the sanitizer needs terabytes of addresses"
	run --separate-stderr bash -c 'ulimit -v 400000; "$@"' bash "${MR[@]}" \
		reg --size 256M --access remote-write --why try --json
	json '.failures[0] | .errno == "EINVAL" and
		(.tries | any(.change == "fresh-memory" and .answer == null and (.reason | contains("RLIMIT_AS"))))'
}
