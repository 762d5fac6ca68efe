#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# tests/layers.sh, by which make lint checks the layers of the files, on small trees that violate them.

load helpers

setup() {
	note_less
	on_simulator || skip "needs the source"
	cd "$BATS_TEST_TMPDIR" || return
	mkdir base low low/more high preload
	cat >ranks <<-END
		base 1 all
		low 2 tool
		high 3 tool
		preload 2 sim
	END
	put base/number.h 'int base_number(void);'
	put base/number.c '#include "base/number.h"' 'int base_number(void) { return 1; }'
	put low/ask.c '#include "base/number.h"' 'int low_ask(void);' 'int low_ask(void) { return base_number(); }'
	put high/answer.c 'int low_ask(void);' 'int high_answer(void);' 'int high_answer(void) { return low_ask(); }'
}

# put FILE LINE...
put() {
	printf '%s\n' "${@:2}" >"$1"
}

# check [FLAG...]: compiles the tree with these flags, and `run`s the check
check() {
	local file

	for file in base low high preload; do
		mkdir -p "objects/$file/more"
	done
	while read -r file; do
		cc -fvisibility=hidden "$@" -I. -c -o "objects/${file%.c}.o" "$file" || return
	done < <(find . -name '*.c' -printf '%P\n')
	run "$ROOT/tests/layers.sh" ranks objects base low high preload
}

# finds MESSAGE...: the check printed exactly these
finds() {
	[ "$status" -eq 1 ] || fail "exit status $status: $output"
	[ "$output" = "$(printf '%s\n' "$@")" ] || fail "$output"
}

passes() {
	[ "$status" -eq 0 ] || fail "exit status $status: $output"
	[ -z "$output" ] || fail "$output"
}

@test "files that use their own folder and lower ranks pass" {
	put low/other.c 'int low_ask(void);' 'int low_other(void);' 'int low_other(void) { return low_ask(); }'
	check
	passes
}

@test "a symbol of a higher rank is named with both files, with any flags of the compiler" {
	put high/table.c 'extern const int high_table[2];' 'const int high_table[2] = { 1, 2 };'
	put low/call.c 'int high_answer(void);' 'int low_call(void);' 'int low_call(void) { return high_answer(); }'
	put low/point.c 'extern const int high_table[2];' 'extern const int *low_point;' \
		'const int *low_point = high_table;'
	put base/row.c 'int high_answer(void);' 'extern int (*const base_row[])(void);' \
		'int (*const base_row[])(void) = { high_answer };'
	for flags in -O0 "-O3 -g" "-O3 -flto -ffat-lto-objects"; do
		# shellcheck disable=SC2086 # words
		check $flags
		finds "base/row may not use high/answer (high_answer)" \
			"low/call may not use high/answer (high_answer)" \
			"low/point may not use high/table (high_table)" || return
	done
}

@test "an include of a higher rank is named with both files, from a source and from a header" {
	put high/types.h 'enum { HIGH };'
	put low/source.c '#include "high/types.h"' 'typedef int low_source;'
	put low/header.h '#include "high/types.h"'
	check
	finds "low/header may not use high/types (#include)" "low/source may not use high/types (#include)"
}

@test "another folder is another layer, though it has the same row" {
	put low/more/deep.c 'int low_ask(void);' 'int low_deep(void);' 'int low_deep(void) { return low_ask(); }'
	check
	finds "low/more/deep may not use low/ask (low_ask)"
}

@test "a file with a rank of its own is above its folder" {
	echo "low/main 4 tool" >>ranks
	put low/main.c 'int high_answer(void);' 'int main(void) { return high_answer(); }'
	check
	passes
	put low/again.c 'int main(void);' 'int low_again(void);' 'int low_again(void) { return main(); }'
	check
	finds "low/again may not use low/main (main)"
}

@test "a circle of files of one folder is named with all of them" {
	put low/one.c '#include "low/two.h"' 'int low_one(void);' 'int low_one(void) { return 1; }'
	put low/two.h 'int low_two(void);'
	put low/two.c '#include "low/two.h"' 'int low_three(void);' 'int low_two(void) { return low_three(); }'
	put low/three.c 'int low_one(void);' 'int low_three(void);' 'int low_three(void) { return low_one(); }'
	check
	[ "$status" -eq 1 ]
	[[ $output == "circle: "* ]]
	[ "${#lines[@]}" -eq 1 ]
	[[ $output == *" low/one"* && $output == *" low/two"* && $output == *" low/three"* ]]
}

@test "a file without a rank is named, and so is its user" {
	sed -i '/^base/d' ranks
	check
	finds "base/number has no rank" "low/ask uses base/number (#include), which has no rank" \
		"low/ask uses base/number (base_number), which has no rank"
}

@test "programs that are linked apart share only files that belong to all programs" {
	put low/types.h 'enum { LOW };'
	put preload/hook.c '#include "base/number.h"' '#include "low/types.h"' 'int preload_hook(void);' \
		'int preload_hook(void) { return base_number(); }'
	check
	finds "preload/hook may not use low/types (#include)"
}

@test "a function that stands in for one of libc's is not what others call by its name" {
	put preload/hook.c '__attribute__((visibility("default"))) int close(int fd);' 'int base_close(void);' \
		'int close(int fd) { return fd + base_close(); }'
	put base/close.c 'int close(int fd);' 'int base_close(void);' 'int base_close(void) { return close(3); }'
	put low/close.c 'int close(int fd);' 'int low_close(void);' 'int low_close(void) { return close(3); }'
	check
	passes
}

@test "programs that are linked apart may have a function of the same name" {
	put preload/same.c 'int same(void);' 'int same(void) { return 1; }'
	put high/same.c 'int same(void);' 'int same(void) { return 2; }'
	put preload/call.c 'int same(void);' 'int preload_call(void);' 'int preload_call(void) { return same(); }'
	check
	passes
	put low/call.c 'int same(void);' 'int low_call(void);' 'int low_call(void) { return same(); }'
	check
	finds "low/call may not use high/same (same)"
}

@test "an object that is missing fails the check" {
	check
	passes
	rm objects/low/ask.o
	run "$ROOT/tests/layers.sh" ranks objects base low high
	[ "$status" -ne 0 ]
	[[ $output == *objects/low/ask.o* ]]
}

@test "a unit test is linked with its folder and with the layers below, of its program" {
	mkdir -p lib/base lib/more lib/same lib/sim cmd
	printf '%s\n' "lib/base 1 all" "lib 2 tool" "lib/sim 2 sim" "cmd 3 tool" "cmd/main 4 tool" >ranks
	touch lib/base/{a,b}.c lib/more/{c,d}.c lib/same/e.c lib/sim/f.c cmd/{g,main}.c
	run "$ROOT/tests/layers.sh" --links ranks lib/more/test lib/sim/test cmd/test
	[ "$status" -eq 0 ]
	[ "$(sort <<<"$output" | tr '\n' ' ')" = "cmd/test:cmd/g cmd/test:lib/base/a cmd/test:lib/base/b \
cmd/test:lib/more/c cmd/test:lib/more/d cmd/test:lib/same/e lib/more/test:lib/base/a lib/more/test:lib/base/b \
lib/more/test:lib/more/c lib/more/test:lib/more/d lib/sim/test:lib/base/a lib/sim/test:lib/base/b \
lib/sim/test:lib/sim/f " ] || fail "$output"
}
