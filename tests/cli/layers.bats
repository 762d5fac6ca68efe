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

@test "each use of a higher or another layer is named with both files, and nothing else" {
	local file

	echo "low/main 4 tool" >>ranks
	put low/other.c 'int low_ask(void);' 'int low_other(void);' 'int low_other(void) { return low_ask(); }'
	put high/table.c 'extern const int high_table[2];' 'const int high_table[2] = { 1, 2 };'
	put low/call.c 'int high_answer(void);' 'int low_call(void);' 'int low_call(void) { return high_answer(); }'
	put low/point.c 'extern const int high_table[2];' 'extern const int *low_point;' \
		'const int *low_point = high_table;'
	put high/types.h 'enum { HIGH };'
	put low/source.c '#include "high/types.h"' 'typedef int low_source;'
	put low/header.h '#include "high/types.h"'
	# another folder is another layer, though it has the same row; a file may have a rank above its folder
	put low/more/deep.c 'int low_ask(void);' 'int low_deep(void);' 'int low_deep(void) { return low_ask(); }'
	put low/main.c 'int high_answer(void);' 'int main(void) { return high_answer(); }'
	put low/again.c 'int main(void);' 'int low_again(void);' 'int low_again(void) { return main(); }'
	# programs that are linked apart share only files of all programs, and may have functions of one name
	put preload/hook.c '#include "base/number.h"' 'int preload_hook(void);' 'int low_other(void);' \
		'int preload_hook(void) { return base_number(); }' 'int low_other(void) { return 3; }'
	put preload/types.c '#include "low/header.h"' 'typedef int preload_types;'
	put low/one.c '#include "low/two.h"' 'int low_one(void);' 'int low_one(void) { return low_two(); }'
	put low/two.h 'int low_two(void);'
	put low/two.c '#include "low/two.h"' 'int low_one(void);' 'int low_two(void) { return low_one(); }'
	put stray.h 'enum { STRAY };'
	put high/stray.c '#include "stray.h"' 'typedef int high_stray;'
	mkdir -p objects/{base,low/more,high,preload}
	while read -r file; do
		cc -fvisibility=hidden -O3 -flto -ffat-lto-objects -I. -c -o "objects/${file%.c}.o" "$file"
	done < <(find . -name '*.c' -printf '%P\n')
	run "$ROOT/tests/layers.sh" ranks objects base low high preload
	[ "$status" -eq 1 ]
	diff - <(printf '%s\n' "$output" | sed 's/circle: low.* low.*/circle/' | sort) <<-END || fail "$output"
		circle
		high/stray uses stray (#include), which has no rank
		low/again may not use low/main (main)
		low/call may not use high/answer (high_answer)
		low/header may not use high/types (#include)
		low/more/deep may not use low/ask (low_ask)
		low/point may not use high/table (high_table)
		low/source may not use high/types (#include)
		preload/types may not use low/header (#include)
	END
	rm objects/low/ask.o
	run "$ROOT/tests/layers.sh" ranks objects base low high
	[ "$status" -ne 0 ]
	[[ $output == *objects/low/ask.o* ]]
}
