#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# run.sh COMMAND SUITE: makes the guest of a Debian suite (once, kept in the cache) and runs a command in it:
# see usage() below and README.md.

set -euo pipefail
umask 022

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
built=$(cd "$top" && realpath -m "${BUILD:-build}")
build=$built/kernel
cache=${XDG_CACHE_HOME:-$HOME/.cache}/mrctl

say() { printf 'guest: %s\n' "$*" >&2; }
die() { say "$*"; exit 125; }

# shellcheck source=tool.sh
. "$here/tool.sh"
# shellcheck source=vm.sh
. "$here/vm.sh"

usage() {
	cat <<-EOF
	usage: run.sh check SUITE [calls]
	                                      run the tests tagged "kernel" on each device, and random
	                                      calls; "calls": only these
	       run.sh shell SUITE             give a prompt in the guest
	       run.sh exec SUITE -- CMD...    run one command in the guest, in /mrctl
	       run.sh update SUITE            make the guest anew from the newest packages
	SUITE: $(awk '!/^#/ { printf "%s%s", sep, $1; sep = ", " }' "$here/suites")
	GUEST_TIMEOUT: seconds until check or exec is stopped (1800)
	BUILD:         where the project is built (build)
	GUEST_MIRROR:  Debian archive to take packages from, if not the one of this machine's apt
	EOF
}

require() {
	local missing=() program package

	[ "$(uname -m)" = x86_64 ] || die "needs an x86-64 machine"
	while read -r program package; do
		command -v "$program" >/dev/null || missing+=("$package")
	done <<-EOF
		apt-get apt
		dpkg-deb dpkg
		flock util-linux
		awk mawk
		tar tar
		gzip gzip
		make make
		cc gcc
		strip binutils
	EOF
	[ -e /usr/share/keyrings/debian-archive-keyring.gpg ] || missing+=(debian-archive-keyring)
	[ ${#missing[@]} -eq 0 ] || die "needs these Debian packages: ${missing[*]}"
}

# The cache.  Its folders appear by rename, so each one that exists is complete.  Whoever makes one holds
# the lock.
key() { cat "$@" | sha256sum | cut -c1-12; }

locked() {
	local lock status=0

	mkdir -p "$cache"
	exec {lock}>"$cache/lock"
	flock -n "$lock" || { say "waiting for another run that fills $cache"; flock "$lock"; }
	"$@" || status=$?
	exec {lock}>&-
	return $status
}

make_tools() {
	[ ! -d "$tools" ] || return 0
	say "fetching QEMU (once)"
	"$here/fetch.sh" "$cache" sid "$tools" "${tool_packages[@]}"
}

make_guest() { # [anew]
	[ ! -d "$guest" ] || [ $# -gt 0 ] || return 0
	say "making the guest \"$suite\" (once)"
	rm -rf "$guest.new"
	# shellcheck disable=SC2086
	"$here/image.sh" "$cache" "$tools" "$suite" "$guest.new" $modules || return
	rm -rf "$guest"
	mv "$guest.new" "$guest"
	find "$cache" -mindepth 1 -maxdepth 1 -name '*-????????????*' -mtime +30 -exec rm -rf {} +
}

prepare() {
	modules=$(awk -v suite="$suite" '$1 == suite { $1 = ""; print; n = 1 } END { exit !n }' \
		"$here/suites") || die "no suite \"$suite\""
	tools=$cache/tools-$(key "$here"/{fetch,tool}.sh)
	guest=$cache/$suite-$(key "$here"/{fetch,image,tool}.sh "$here"/{guest/init,suites})
	[ -d "$tools" ] || locked make_tools || die "QEMU could not be fetched"
	[ -d "$guest" ] || locked make_guest || die "the guest could not be made"
	touch "$tools" "$guest"
	mkdir -p "$build"
	env -u MAKEFLAGS -u CFLAGS -u LDFLAGS flock "$build/lock" \
		make -s -C "$here/hca" BUILD="$build" || die "the software HCA could not be built"
}

# Puts the jq of the tools into a guest that has jq 1.6, which takes half a second to start in a guest: the
# tests start it often.
newer_jq() { # ROOT
	local own=/usr/lib/mrctl-guest/jq lib=$tools/usr/lib/x86_64-linux-gnu

	grep -q '^jq_1\.6' "$guest/packages" || return 0
	mkdir "$1$own"
	cp -L "$tools/usr/bin/jq" "$lib"/{ld-linux-x86-64.so.2,libjq.so.1,libonig.so.5,libm.so.6,libc.so.6} \
		"$1$own/"
	printf '#!/bin/sh\nexec %s/ld-linux-x86-64.so.2 --library-path %s %s/jq "$@"\n' $own $own $own \
		>"$1/usr/local/bin/jq"
	chmod 755 "$1/usr/local/bin/jq"
}

# Makes the image with the project's part of the guest, and the job that the guest runs
make_project_image() { # JOB...: the command of the job
	local root=$work/project lib=$work/project/usr/lib/mrctl-guest f to

	mkdir -p "$lib" "$root/usr/local/bin" "$root/mrctl/build" "$root/mrctl/tests"
	for f in "$built/mrctl" "$built/sim" "$built/trace" "$built/differential" "$built/bench" \
		"$built"/{fail,mappings,readonly}.so "$top/tests/cli" "$top/tests/bench"; do
		case $f in "$built"/*) to=build ;; *) to=tests ;; esac
		[ -e "$f" ] || [ "$command" != check ] || [[ $f == */bench ]] || die "no $f: run make"
		[ ! -e "$f" ] || cp -a "$f" "$root/mrctl/$to/"
	done
	for f in "$build/hca-probe" "$built"/tests/cli/{dmabuf-tool,object-tool,path-tool,trace-refused}; do
		[ ! -e "$f" ] || cp "$f" "$root/usr/local/bin/"
	done
	newer_jq "$root"
	cp "$here"/guest/{start,check,run-tests,play,mount-files,data-direct,shell} "$lib/"
	printf '%s\n' "$suite" >"$lib/suite"
	sed -n 's/^libibverbs1_\([^_]*\)_.*/\1/p' "$guest/packages" >"$lib/rdma-core"
	printf '%s\n' "mlx5_ib rdma_rxe ib_uverbs ib_umad rdma_ucm veth $modules" >"$lib/modules"
	{ printf '#!/bin/bash\n'; printf '%q ' exec "$@"; printf '\n'; } >"$lib/job"
	chmod 755 "$lib/job"
	chmod -R a+rX "$root"
	tool mkfs.erofs --quiet --all-root -T0 "$work/project.erofs" "$root" >/dev/null
	rm -rf "$root"
}

# Keeps the logs of this run in $logs, in place of those of the last one.
keep_logs() {
	rm -rf "$logs"
	mkdir -p "$logs"
	cp "$work"/*.log "$logs/"
}

finish() {
	vm_stop
	[ ! -t 0 ] || [ -z "${terminal:-}" ] || stty "$terminal"
	rm -rf "$work"
}

# Boots the guest, once more if it dies before the job begins, and exits with the status of the job.
run_guest() { # JOB...
	work=$(mktemp -d "${TMPDIR:-/tmp}/mrctl-guest.XXXXXX")
	trap finish EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM
	trap 'exit 129' HUP
	make_project_image "$@"
	logs=$build/log/$suite-$command
	if ! vm_run; then
		say "no boot (${stopped:-the guest died}), trying once more"
		mv "$work/console.log" "$work/console-first.log"
		vm_run || true
	fi
	keep_logs
	vm_verdict
}

[ $# -ge 2 ] || { usage >&2; exit 2; }
command=$1 suite=$2
shift 2
lib=/usr/lib/mrctl-guest
case $command in
check)
	require
	prepare
	run_guest $lib/check "${GUEST_CALLS:-2000}" "$@"
	;;
shell)
	if [ ! -t 0 ] || [ ! -t 1 ]; then die "shell needs a terminal: use exec"; fi
	require
	prepare
	terminal=$(stty -g)
	run_guest env TERM="${TERM:-vt100}" $lib/shell
	;;
exec)
	[ "${1:-}" != -- ] || shift
	[ $# -gt 0 ] || { usage >&2; exit 2; }
	require
	prepare
	run_guest "$@"
	;;
update)
	require
	prepare
	locked make_guest anew
	;;
*)
	usage >&2
	exit 2
	;;
esac
