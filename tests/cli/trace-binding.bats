#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# mrctl trace: however a program binds to the libraries, its calls are seen, and are what they are without trace.
load helpers

setup_file() {
	local tool=$BATS_TEST_DIRNAME/trace-tool.c libraries=(-libverbs -lmlx5)
	export KIND=$BATS_FILE_TMPDIR

	build lazy "$tool" -Wl,-z,lazy "${libraries[@]}"
	build now "$tool" -Wl,-z,now "${libraries[@]}"
	build got "$tool" -fno-plt "${libraries[@]}"
	build address "$tool" -DBY_ADDRESS "${libraries[@]}"
	build fixed "$tool" -DBY_ADDRESS -fno-pie -no-pie "${libraries[@]}"
	build dlsym "$tool" -DBY_NAME
	build dlvsym "$tool" -DBY_VERSION
	build plugin.so "$tool" -fPIC -shared "${libraries[@]}"
	build plugin-got.so "$tool" -fPIC -shared -fno-plt "${libraries[@]}"
}

# build NAME SOURCE [ARG...]: a program in $KIND
build() {
	local name=$1 source=$2
	shift 2
	"${CC:-cc}" -D_GNU_SOURCE -g -I"$ROOT" -o "$KIND/$name" "$source" "$@"
}

# source TEXT...: writes a C file, and prints its name
source_of() {
	local file
	file=$(mktemp "$BATS_TEST_TMPDIR/XXXXXX.c")
	printf '%s\n' "$@" >"$file"
	echo "$file"
}

# same CMD...: runs CMD alone and traced; its output and status must be equal.  Its calls are then in $calls.
same() {
	local bare=0 traced=0
	"${SIM[@]}" "$@" >"$BATS_TEST_TMPDIR/bare" || bare=$?
	"${SIM[@]}" mrctl "${DETAIL:--q}" trace --force -o "$BATS_TEST_TMPDIR/calls" -- "$@" \
		>"$BATS_TEST_TMPDIR/traced" || traced=$?
	[ "$bare" -eq "$traced" ]
	diff "$BATS_TEST_TMPDIR/bare" "$BATS_TEST_TMPDIR/traced"
	output=$(<"$BATS_TEST_TMPDIR/calls") keep_document
	calls=$(jq -r '"\(.call) \(.answer)"' "$BATS_TEST_TMPDIR/calls")
}

# Calls of the tool in their order, without libibverbs' advice for fork; "=ERRNO" is another answer than ok
expected_calls() {
	tr -s ' \n' '\n' <<-'EOF' | sed '/=/!s/$/ ok/; s/=/ /'
		ibv_fork_init ibv_open_device ibv_close_device mlx5dv_open_device ibv_alloc_pd ibv_import_pd ibv_unimport_pd
		ibv_reg_mr ibv_rereg_mr ibv_rereg_mr=EINVAL ibv_import_mr ibv_unimport_mr ibv_advise_mr=ENOENT
		ibv_reg_mr=EFAULT ibv_reg_mr=EINVAL ibv_reg_mr_iova ibv_dereg_mr ibv_reg_mr_iova2 ibv_dereg_mr
		ibv_reg_dmabuf_mr=EINVAL ibv_dereg_mr ibv_alloc_null_mr ibv_dereg_mr
		ibv_alloc_dm ibv_reg_dm_mr ibv_dereg_mr ibv_free_dm ibv_alloc_parent_domain ibv_dealloc_pd
		mlx5dv_devx_umem_reg mlx5dv_devx_umem_dereg mlx5dv_devx_umem_reg_ex mlx5dv_devx_umem_dereg
		ibv_dealloc_pd ibv_close_device
	EOF
}

# sees_all CMD...: as same, and each call is seen once
sees_all() {
	same "$@"
	diff <(expected_calls) - <<<"$calls"
}

# bats test_tags=slow
@test "calls by name, by address, by dlsym and, as NCCL's, by dlopen and dlvsym are seen, and libibverbs' advice for fork" {
	for kind in lazy now got address fixed dlsym dlvsym; do
		echo "$kind"
		sees_all "$KIND/$kind"
		DETAIL=-v same "$KIND/$kind"
		[ "$(grep -c '^madvise ok' <<<"$calls")" -gt 5 ]
	done
}

@test "calls of a plugin are seen; one of RTLD_DEEPBIND, whose calls are not, runs as alone" {
	for plugin in plugin plugin-got; do
		sees_all "$KIND/dlsym" load "$KIND/$plugin.so"
		# so bound libibverbs does not find the simulated device
		same "$KIND/dlsym" load "$KIND/$plugin.so" deep
	done
}

# prints_alike TEXT CMD...: the same, and CMD prints TEXT
prints_alike() {
	same "${@:2}"
	[ "$(<"$BATS_TEST_TMPDIR/traced")" = "$1" ] || fail "$(cat "$BATS_TEST_TMPDIR/traced")"
}

@test "a program has the functions and the stacks that it has alone" {
	copy=$BATS_TEST_TMPDIR/copy/libibverbs.so.1
	build absent "$(source_of '#include <dlfcn.h>' '#include <stdio.h>' \
		'int main(void) { char *n = "ibv_reg_mr"; printf("%d %d %d %d\n", !!dlsym(RTLD_DEFAULT, n),' \
		'!!dlsym(RTLD_NEXT, n), !!dlsym(dlopen(0, 1), n), !!dlvsym(RTLD_DEFAULT, n, "IBVERBS_1.1"));' \
		'return !dlerror(); }')"
	prints_alike "0 0 0 0" "$KIND/absent"
	# a second copy of libibverbs keeps its functions
	mkdir "${copy%/*}"
	cp -L "$(ldd "$KIND/lazy" | awk '/libibverbs/ { print $3 }')" "$copy"
	build two "$(source_of '#include <dlfcn.h>' '#include <stdio.h>' \
		'int main(int c, char **v) { void *a = dlopen("libibverbs.so.1", 2), *b = dlmopen(0, v[1], 2); Dl_info f;' \
		'dladdr(dlsym(b, "ibv_reg_mr"), &f); puts(f.dli_fname); return !a || c > 2; }')"
	prints_alike "$copy" "$KIND/two" "$copy"
	# much thread-local storage, and a small stack
	build libbig.so "$(source_of '__thread char big[3500] __attribute__((tls_model("initial-exec")));' \
		'char *use(void) { return big; }')" -fPIC -shared
	build small "$(source_of '#include <pthread.h>' '#include <stdio.h>' 'char *use(void);' \
		'static void *work(void *arg) { use()[3499] = 1; return arg; }' \
		'int main(void) { pthread_attr_t a; pthread_t t; pthread_attr_init(&a);' \
		'pthread_attr_setstacksize(&a, 16384); printf("%d\n", pthread_create(&t, &a, work, 0));' \
		'return pthread_join(t, 0); }')" "$KIND/libbig.so" -lpthread
	prints_alike 0 "$KIND/small"
}

@test "libraries that are unloaded and loaded again are seen again" {
	build again "$(source_of '#include <dlfcn.h>' '#include <errno.h>' 'int main(void) { for (int i = 0; i < 40; i++) {' \
		'void *library = dlopen("libibverbs.so.1", 2);' \
		'int (*init)(void) = (int (*)(void))dlsym(library, "ibv_fork_init");' \
		'if (init()) return 1; dlclose(library); } return 0; }')"
	same "$KIND/again"
	[ "$(grep -c '^ibv_fork_init ok' <<<"$calls")" -eq 40 ]
}

@test "a program's own preload is called before, and passes calls on" {
	build own.so "$(source_of '#include <dlfcn.h>' '#include <stdio.h>' \
		'void *ibv_reg_mr(void *pd, void *addr, unsigned long length, int access) {' \
		'void *(*next)(void *, void *, unsigned long, int) = (void *(*)(void *, void *, unsigned long, int))' \
		'dlsym(RTLD_NEXT, "ibv_reg_mr"); puts("own"); return next(pd, addr, length, access); }')" -fPIC -shared
	same env LD_PRELOAD="$KIND/own.so:$BUILD/sim/libmrctl-sim.so" "$KIND/lazy"
	[ "$(grep -c '^own$' "$BATS_TEST_TMPDIR/traced")" -eq 3 ]
	[ "$(grep -c '^ibv_reg_mr ' <<<"$calls")" -eq 3 ]
}

@test "the simulator may be entered within trace" {
	run -0 mrctl trace -q -o "$BATS_TEST_TMPDIR/calls" -- mrctl sim -- "$KIND/lazy"
	diff <(expected_calls) <(jq -r '"\(.call) \(.answer)"' "$BATS_TEST_TMPDIR/calls")
}

# bats test_tags=slow
@test "programs with AddressSanitizer are seen, of gcc and of clang" {
	for compiler in gcc clang; do
		command -v $compiler >/dev/null || continue
		CC=$compiler build asan "$BATS_TEST_DIRNAME/trace-processes.c" -fsanitize=address -libverbs
		same "$KIND/asan" fork
		[ "$(grep -c '^ibv_reg_mr ok' <<<"$calls")" -eq 3 ]
		# by an environment that lacks the option
		CC=$compiler build asan-true "$(source_of 'int main(void) { return 0; }')" -fsanitize=address
		run -0 "${SIM[@]}" mrctl trace -q -- "$KIND/asan" exec -execve "$KIND/asan-true" unused
	done
}

@test "each function of the installed libraries that registers or changes a region is seen" {
	library=$(ldd "$KIND/now" | sed -n 's/.*libibverbs.so.1 => \([^ ]*\) .*/\1/p')
	found=$(nm -D --defined-only "$library" "${library/libibverbs/libmlx5}" 2>/dev/null |
		sed -nE 's/.* [TW] ((ibv|mlx5dv)_(devx_)?(reg|rereg|dereg|import|unimport|umem_reg|umem_dereg|create_cq|create_qp|create_srq)_?[a-z0-9_]*)@@.*/\1/p' |
		grep -E '_mr|umem|create_(cq|qp|srq)$' | grep -vx -e mlx5dv_devx_umem_export | sort -u)
	[ -n "$found" ]
	run comm -23 <(echo "$found") <(nm -D --defined-only "$BUILD/trace/libmrctl-trace.so" |
		sed -n 's/.* T //p' | sort)
	[ -z "$output" ] || fail "$output"
}
