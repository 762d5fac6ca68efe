#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# run.sh [SUITE:WHO...]: the README's commands in minimal Debian systems, on a clone of the commit that is
# checked out.  WHO types them: "root", or "user", for whom root installs the packages.  With "deb" for WHO the Debian
# packages are built there instead, tried, and left in build/deb/SUITE.
# Needs root.  The systems live in mount and process namespaces of their own, so that nothing is left.
#   TREES_MIRROR  Debian archive to take packages from, if not the one of this machine's apt

set -euo pipefail
umask 022

here=$(cd "$(dirname "$0")" && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/mrctl/trees
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
failed=0

die() { printf 'trees: %s\n' "$*" >&2; exit 1; }

# The first plain Debian archive that the machine's own apt knows, as apt itself reads it
# shellcheck disable=SC2016	# for apt to expand
mirror() {
	local uri

	uri=$(apt-get indextargets --no-release-info --format '$(REPO_URI)' 'Created-By: Packages' \
		'Component: main' | awk '/\/debian(\/|$|[.]list)/ { print; exit }')
	case $uri in
	mirror+file:*) awk '/^[^#]/ { print $1; exit }' "${uri#mirror+file:}" ;;
	*) printf '%s\n' "$uri" ;;
	esac
}

# How the machine's apt reaches its archives: proxies, certificates and the like
reach() {
	apt-config dump | grep -E '^Acquire::(Check-[[:alpha:]-]+|Retries|ForceIPv[46]|Languages|https?::[^"]*) "[^"]'
}

# make_base SUITE FILE: a minimal system, as debootstrap makes it, in an archive
make_base() {
	local proxy tree=$work/base

	echo "trees: making a minimal $1 (kept for 30 days)" >&2
	proxy=$(apt-config shell proxy Acquire::http::Proxy)
	proxy=${proxy#proxy=} proxy=${proxy//\'/}
	env ${proxy:+http_proxy="$proxy"} debootstrap --variant=minbase --keyring="$keyring" \
		--cache-dir="$cache/$1/archives" "$1" "$tree" "$mirror" >"$work/debootstrap.log" 2>&1 ||
		{ tail -n 20 "$work/debootstrap.log" >&2; die "debootstrap cannot make $1"; }
	tar -C "$tree" --one-file-system -cf "$2.part" .
	rm -rf "$tree"
	mv "$2.part" "$2"
}

# prepare SUITE: the system, with the machine's network, in $tree
prepare() {
	local base

	base=$cache/$1/base-$(printf '%s\n' "$mirror" | cat - "$here/run.sh" | sha256sum | cut -c1-12).tar
	find "$cache/$1" -name 'base-*' -mtime +30 -delete
	[ -e "$base" ] || make_base "$1" "$base"
	tree=$work/$1
	mkdir "$tree"
	tar -C "$tree" -xpf "$base"
	cp -L /etc/resolv.conf /etc/hosts "$tree/etc/"
	reach >"$tree/etc/apt/apt.conf.d/50machine" || :
	if [[ $mirror == https:* ]]; then
		mkdir -p "$tree/etc/ssl/certs"
		cp -L /etc/ssl/certs/ca-certificates.crt "$tree/etc/ssl/certs/"
	fi
	git -C "$here" clone -q --bare --depth 1 "file://$(git -C "$here" rev-parse --show-toplevel)" \
		"$tree/srv/mrctl.git"
}

# try SUITE WHO
try() {
	local lock start=$SECONDS tree status=0

	mkdir -p "$cache/$1"/{archives,lists}
	exec {lock}>"$cache/$1/lock"
	flock "$lock"
	prepare "$1" || return
	unshare --mount --pid --fork --kill-child \
		"$here/inside.sh" "$tree" "$2" "$cache/$1" {lock}>&- || status=$?
	rm -rf "$tree"
	exec {lock}>&-
	if [ $status -eq 0 ]; then
		summary+="trees: $1, $2: passed ($((SECONDS - start)) s)"$'\n'
	else
		summary+="trees: $1, $2: FAILED ($((SECONDS - start)) s)"$'\n'
		failed=1
	fi
}

[ "$(id -u)" -eq 0 ] || die "needs root: makes file systems with devices and users of their own"
command -v debootstrap >/dev/null || die "needs debootstrap: run tests/setup.sh all"
[ $# -gt 0 ] || set -- bookworm:root trixie:user sid:root
mirror=${TREES_MIRROR:-$(mirror)}
[ -n "$mirror" ] || die "no Debian archive in this machine's apt sources: name one in TREES_MIRROR"
work=$(mktemp -d "${TMPDIR:-/var/tmp}/mrctl-trees.XXXXXX")
trap 'rm -rf --one-file-system "$work"' EXIT
summary=''
for one; do
	try "${one%:*}" "${one#*:}"
done
printf '%s' "$summary"
exit $failed
