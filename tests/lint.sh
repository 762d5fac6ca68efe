#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# make lint: checks what the compiler does not.  Each check prints its findings.
set -u
cd "$(dirname "$0")/.." || exit
failed=0

# check WHAT CMD...: CMD prints its findings; any output fails the check
check() {
	local what=$1 findings
	shift
	findings=$("$@" 2>&1)
	if [ -n "$findings" ]; then
		printf 'lint: %s\n%s\n' "$what" "$findings" | sed '2,$s/^/  /'
		failed=$((failed + 1))
	fi
}

# code FILE...: the C code without comments and strings, as FILE:LINE:TEXT
code() {
	local file
	for file in "$@"; do
		awk -v file="$file" '{
			gsub(/"([^"\\]|\\.)*"/, "\"\"")
			if (inside) { if (!sub(/^.*\*\//, "")) next; inside = 0 }
			gsub(/\/\*([^*]|\*[^\/])*\*\//, ""); sub(/\/\/.*/, "")
			if (sub(/\/\*.*/, "")) inside = 1
			print file ":" FNR ":" $0 }' "$file"
	done
}

# only PATTERN FILE...: the lines of code that match
only() {
	local pattern=$1
	shift
	code "$@" | grep -E "$pattern"
}

# sources FOLDER... [PREDICATE...]: the C files but those of the simulator; PREDICATE: as of find
sources() {
	find "$@" -name '*.[ch]' ! -path 'lib/sim/*'
}

foreign_symbols() {
	nm -g --defined-only "$BUILD/libmrctl.a" | awk 'NF == 3 && $3 !~ /^mr_/ { print $3 }'
}

# The simulator exports functions of libc, in place of libc's own, and nothing else.
foreign_exports() {
	nm -D --defined-only "$BUILD/sim/libmrctl-sim.so" | awk 'NF == 3 { sub(/@.*/, "", $3); print $3 }' |
		grep -vE '^(__)?(open|openat|fstat|lstat|stat|fxstat|xstat|lxstat|mmap|ioctl|socket|write|close|dup[23]?|fcntl|access|faccess|readlink)(at)?(64)?(_2)?$|^(statx|(e|euid)access|l?(get|list)xattr|realpath|__realpath_chk|canonicalize_file_name|mrctl_sim_pinned)$'
}

# The agent in traced programs must require no library and export nothing but its wrappers.  GNU ld lists the
# ends of the section of wrappers, too, though they are hidden.
foreign_dependencies() {
	local library=$BUILD/trace/libmrctl-trace.so
	readelf -dW "$library" | awk -v library="$library" '/NEEDED/ && !/\[(libc|ld-linux[^]]*|ld64)\.so\.[0-9]\]/ {
		print library ": " $NF }'
	nm -D --defined-only "$library" | awk 'NF == 3 { sub(/@.*/, "", $3); print $3 }' |
		grep -vE '^(ibv|mlx5dv)_|^f?exec(l|v)[a-z]*$|^posix_spawnp?$|^(prctl|syscall|ioctl|write|madvise|dlv?sym|dlclose)$|^__(start|stop)_agent_wrappers$'
}

headers_alone() {
	local header
	find lib cmd -name '*.h' | while read -r header; do
		# shellcheck disable=SC2046 # words
		$CC -std=gnu11 -D_GNU_SOURCE -I. $(pkg-config --cflags libcjson smartcols) \
			-Wall -Wextra -Werror -fsyntax-only -x c "$header"
	done
}

without_spdx() {
	git ls-files -- '*.c' '*.h' '*.sh' '*.bats' '*.bash' Makefile .ci/run |
		while read -r file; do
			[ -f "$file" ] || continue
			head -n 3 "$file" | grep -q 'SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause' ||
				echo "$file"
		done
}

# A folder has one public header, of any length.
too_long() {
	find cmd lib tests \( -name '*.c' -o -name '*.bats' \) -exec wc -l {} + | awk '$2 != "total" && $1 > 800'
}

# A wait of fixed length makes a test depend on luck.  Waits of up to 0.1 s are those of loops that look for an event;
# any longer one in a bats file has its reason on its line or on the line above.
unexplained_sleeps() {
	awk 'FNR == 1 { above = "" }
		match($0, /(^|[^a-z_-])sleep [0-9.]+/) && substr($0, RSTART, RLENGTH) !~ /sleep 0\.(0[0-9]*|1)$/ &&
			!/#/ && !/sleep [0-9]+ [^;|]*&|exec [^;]*sleep|session [^|;]*-- sleep/ && above !~ /^[ \t]*#/ {
			print FILENAME ":" FNR ": " $0 }
		{ above = $0 }' tests/cli/*.ba*
}

# A bats file that defines a teardown of its own has to call tidy there, which looks for leaks.
untidy_tests() {
	awk '/^teardown\(\)/ { inside = 1; tidy = 0 } inside && /\ttidy$/ { tidy = 1 }
		inside && /^}/ { inside = 0; if (!tidy) print FILENAME }' tests/cli/*.bats
}

# Names of mirrors and paths of one machine: the tree must work on any.
private_names() {
	git grep -nE '(deb|ftp|mirror)[a-z.]*\.debian\.org|/work/|/root/' -- . ':!tests/lint.sh'
}

# Comments that begin with one of these words must be read twice: put the subject first (CONTRIBUTING.md, Words).
turned_comments() {
	git grep -nE '(^|[^"])(/\*+|//|^[[:space:]]*(\*|#)) *(Of|What|Whose|Those|That)\b' -- '*.[ch]' '*.sh' '*.bats' '*.bash' \
		'*.py' '*.awk' Makefile .ci/run tests/cli
}

# Subjects of the last commits that are not "area: verb object" in at most 65 characters
commit_subjects() {
	git log --no-merges -n 100 --format='%h %s' |
		awk '{ subject = substr($0, index($0, " ") + 1) }
			length(subject) > 65 || subject !~ /^[a-z0-9][a-z0-9_, \/.-]*: [^ ]/'
}

shell_scripts() {
	git ls-files -- '*.sh' 'completions/*.bash' .ci/run
	git grep -lE '^#!.*\b(ba)?sh' -- tests
}

# analyse_file FILE: prints what clang's analyser finds.  An answer is kept in the cache: it depends on nothing but the
# preprocessed file and the release of clang.
analyse_file() {
	local flags key
	# shellcheck disable=SC2207 # words
	flags=(-std=gnu11 -D_GNU_SOURCE -I. -I"$BUILD" -DMRCTL_VERSION='""' -DMRCTL_LIBDIR='""' $(pkg-config --cflags libcjson smartcols))
	key=$cache/$({ clang --version; clang -E "${flags[@]}" "$1"; } | sha256sum | cut -c1-24)
	[ -e "$key" ] || {
		clang --analyze --analyzer-output text "${flags[@]}" "$1" >"$key.$$" 2>&1 && mv "$key.$$" "$key"
	}
	cat "$key" "$key.$$" 2>/dev/null
	rm -f "$key.$$"
}

analyse() {
	local cache=${XDG_CACHE_HOME:-$HOME/.cache}/mrctl/lint
	mkdir -p "$cache/cppcheck"
	find "$cache" -type f -mtime +30 -delete
	export cache
	export -f analyse_file
	# shellcheck disable=SC2016 # for that shell
	find lib cmd -name '*.c' -print0 | xargs -0 -n 1 -P "$(nproc)" bash -c 'analyse_file "$1"' bash
	# resourceLeak: cppcheck does not know that mr_auto_file closes.  The macros tell it that this is a 64-bit
	# machine, and tell headers that it is cppcheck.  It loses the type of a wrapper of the agent, which has two
	# declarations.
	cppcheck -q -j "$(nproc)" --enable=warning,performance,portability --inline-suppr --std=c11 -I. -I"$BUILD" \
		--cppcheck-build-dir="$cache/cppcheck" -D__SIZEOF_POINTER__=8 -D__cppcheck__ --suppress=unknownMacro \
		--suppress=CastIntegerToAddressAtReturn:lib/trace/agent/calls.c \
		--suppress=missingIncludeSystem --suppress=resourceLeak lib cmd
}

format() {
	find lib cmd -name '*.[ch]' -exec clang-format --dry-run {} + 2>&1 | grep -E 'warning:|error:'
}

# shellcheck disable=SC2046 # file names without blanks
{
	check 'verbs are called in lib/ only' \
		only '\b(ibv|mlx5dv)_[a-z0-9_]+ *\(|infiniband/' $(sources cmd)
	check 'stdout belongs to cmd/output' \
		only '\bstdout\b|\b(printf|puts|putchar|vprintf) *\(' \
		$(sources cmd lib ! -path 'cmd/output/*')
	check 'getopt belongs to cmd/cli/options.c' \
		only '\bgetopt' $(sources cmd lib ! -path cmd/cli/options.c)
	# A child of fork() ends in lib/bench/work.c.
	check 'lib/ neither prints nor exits' \
		only '\b(printf|vprintf|puts|putchar|perror|exit|_exit|abort) *\(|\b(stdout|stderr)\b' \
		$(sources lib ! -path lib/bench/work.c)
	check 'lib/host alone reads /proc, /sys and /boot' \
		tests/host-paths.sh $(sources cmd lib ! -path 'lib/host/*')
}
check 'a file may use only what tests/layers.ranks allows, and files form no circles' \
	tests/layers.sh tests/layers.ranks "$BUILD" cmd lib
check 'symbols of lib/ start with mr_' foreign_symbols
check 'the simulator exports more than what it interposes and what mrctl asks it' foreign_exports
check 'the agent needs another library, or exports more than wrappers' foreign_dependencies
check 'each header compiles alone' headers_alone
check 'SPDX line missing' without_spdx
check 'teardown without tidy' untidy_tests
check 'a wait of fixed length without a reason' unexplained_sleeps
check 'file too long: does it hold two subjects?' too_long
check 'a host or a path of one machine' private_names
check 'a comment that begins with Of, What, Whose, Those or That' turned_comments
check 'the subject of a commit is not "area: verb object" of at most 65 characters' commit_subjects
check 'clang-format' format
mapfile -t scripts < <(shell_scripts | sort -u)
# SC2187: busybox's shell is near enough to dash.  In bats files words of rows are split (SC2086).
check shellcheck shellcheck -x -P SCRIPTDIR -e SC2187 "${scripts[@]}"
check 'shellcheck (bats)' shellcheck -x -P SCRIPTDIR -e SC2030,SC2031,SC2034,SC2154,SC2314,SC2016,SC2119,SC2120,SC2086 tests/cli/*.bats tests/cli/*.bash
check analyser analyse

if [ "$failed" -ne 0 ]; then
	echo "lint: $failed checks failed"
	exit 1
fi
echo "lint: clean"
