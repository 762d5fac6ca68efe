#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# fetch.sh CACHE SUITE DIR PACKAGE...
#
# Unpacks packages of a Debian suite, with all they depend on, into the new directory DIR, and
# lists them in DIR.packages.  "linux" means the suite's stock kernel and its modules, alone.
#
# Needs no root: apt works on state of its own in CACHE, with the mirror that the machine's own
# apt is set up for (or $GUEST_MIRROR), and maintainer scripts are not run.

set -euo pipefail

cache=$1 suite=$2 dir=$3
shift 3

apt=$cache/apt/$suite
keyring=/usr/share/keyrings/debian-archive-keyring.gpg

die() { printf 'fetch: %s\n' "$*" >&2; exit 1; }

# The first plain Debian archive that the machine's own apt knows, as apt itself reads it
# shellcheck disable=SC2016	# for apt to expand
mirror() {
	mkdir -p "$apt/host/lists/partial"
	apt-get -o Dir::State="$apt/host" indextargets --no-release-info \
		--format '$(REPO_URI)' 'Created-By: Packages' 'Component: main' |
		awk '/\/debian(\/|$|[.]list)/ { print; exit }'
}

configure() {
	local uri=${GUEST_MIRROR:-$(mirror)}

	[ -n "$uri" ] || die "no Debian archive in this machine's apt sources: name one in GUEST_MIRROR"
	mkdir -p "$apt/lists/partial" "$apt/archives/partial" "$apt/none/partial"
	: >"$apt/status"
	: >"/dev/null"
	{
		printf 'Types: deb\nURIs: %s\nSuites: %s\nComponents: main\n' "$uri" "$suite"
		[ ! -e $keyring ] || printf 'Signed-By: %s\n' $keyring
	} >"$apt/debian.sources"
	# read with -c, so after the machine's own configuration (which may name a proxy)
	cat >"$apt/apt.conf" <<-EOF
		Dir::State "$apt";
		Dir::State::lists "$apt/lists";
		Dir::State::status "$apt/status";
		Dir::Cache "$apt";
		Dir::Cache::archives "$apt/archives";
		Dir::Etc::sourcelist "$apt/debian.sources";
		Dir::Etc::sourceparts "/dev/null";
		Dir::Etc::preferences "/dev/null";
		Dir::Etc::preferencesparts "/dev/null";
		APT::Architecture "amd64";
		APT::Install-Recommends "false";
		APT::Sandbox::User "";
		Acquire::Languages "none";
		Acquire::Retries "3";
		Dpkg::Use-Pty "false";
		#clear APT::Architectures;
		#clear APT::Default-Release;
		#clear APT::Update;
		#clear DPkg::Post-Invoke;
		#clear DPkg::Pre-Install-Pkgs;
	EOF
}

# Names of the packages that hold the stock kernel: one, or since Linux 7 several
kernel() {
	local image

	image=$(apt-cache -c "$apt/apt.conf" depends linux-image-amd64 |
		awk '/Depends: linux-image-[0-9]/ { print $2; exit }')
	[ -n "$image" ] || die "$suite has no linux-image-amd64"
	apt-cache -c "$apt/apt.conf" depends "$image" |
		awk -v image="$image" '/Depends: linux-(base|binary|modules)-[0-9]/ { print $2; n++ }
			END { if (!n) print image }'
}

# Makes sure that the archives of an apt-get command are there, and prints their names
download() {
	apt-get -c "$apt/apt.conf" -qq -y -o Dir::Cache::archives="$apt/none" --print-uris "$@" |
		awk "/^'/ { print \$2 }"		# of those that are not in "none" yet: of all
	(cd "$apt/archives" && apt-get -c "$apt/apt.conf" -qq -y "$@" >&2)
}

configure
apt-get -c "$apt/apt.conf" -qq --error-on=any update || die "$suite: apt cannot read the mirror"

packages=() debs=()
for p in "$@"; do
	if [ "$p" = linux ]; then
		names=$(kernel)
		# shellcheck disable=SC2086
		list=$(download download $names)
		mapfile -t -O ${#debs[@]} debs <<<"$list"
	else
		packages+=("$p")
	fi
done
if [ ${#packages[@]} -gt 0 ]; then
	list=$(download install --download-only "${packages[@]}")
	mapfile -t -O ${#debs[@]} debs <<<"$list"
fi

part=$dir.part
rm -rf "$part"
mkdir "$part"
for d in bin sbin lib lib64; do		# every suite merged them into /usr
	mkdir -p "$part/usr/$d"
	ln -s usr/$d "$part/$d"
done
for deb in "${debs[@]}"; do
	[ -s "$apt/archives/$deb" ] || die "$deb was not downloaded"
	dpkg-deb --fsys-tarfile "$apt/archives/$deb" |
		tar -x -p --no-same-owner --keep-directory-symlink -C "$part"
done
printf '%s\n' "${debs[@]%.deb}" | sed 's/%3a/:/' | sort -u >"$dir.packages"
apt-get -c "$apt/apt.conf" -qq autoclean >&2
touch "$part"
mv "$part" "$dir"
