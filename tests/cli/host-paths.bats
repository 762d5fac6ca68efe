#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# tests/host-paths.sh, by which make lint checks that lib/host alone reads /proc, /sys and /boot.

load helpers

setup() {
	note_less
	on_simulator || skip "needs the source"
	cd "$BATS_TEST_TMPDIR" || return
}

# check LINE...: `run`s the check on a file of these lines
check() {
	printf '%s\n' "$@" >file.c
	run "$ROOT/tests/host-paths.sh" file.c
}

# finds LINE: the check printed one finding, of that line
finds() {
	[ "$status" -eq 1 ] || fail "exit status $status: $output"
	[ "${#lines[@]}" -eq 1 ] || fail "$output"
	[[ $output == "file.c:$1:"* ]] || fail "$output"
}

passes() {
	[ "$status" -eq 0 ] || fail "exit status $status: $output"
	[ -z "$output" ] || fail "$output"
}

@test "a file that is opened is found, and one whose path is written, defined or in a table" {
	check 'int f(void)' '{' '	return open("/proc/meminfo", O_RDONLY);' '}'
	finds 3
	check 'void f(void) { a(); snprintf(path, size,' '		"/sys/class/%s", name); }'
	finds 1
	check '#include <x.h>' '#define CONFIG "/boot/config"' 'int x;'
	finds 2
	check 'static const struct row rows[] = {' '	{ "/sys/kernel/mm" },' '};'
	finds 2
	check 'int f(void) { return !opendir("/proc"); }'
	finds 1
	check 'char *s = "; /* { }"; int fd = open("/proc/x", 0);'
	finds 1
}

@test "what goes to lib/host, into a message or a comment passes" {
	check 'bool b = mr_host_number(host, &value,' '			"/proc/sys/%s", name);' \
		'int i = mr_fail(err, 1, "open", "/sys/x");' '/* as in "/proc/x" */' '// "/sys/x"' \
		'/*' ' * "/boot/x"' ' */' 'int e = execv("/proc/self/exe", argv);' \
		'char *s = "see /proc/meminfo";' 'mr_finding_set(f, 1, "/proc/x: %s", "text");'
	passes
}

@test "the tree passes" {
	cd "$ROOT"
	# shellcheck disable=SC2046 # names without blanks
	run tests/host-paths.sh $(find cmd lib -name '*.[ch]' ! -path 'lib/sim/*' ! -path 'lib/host/*')
	passes
}
