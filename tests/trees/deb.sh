#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# deb.sh FOLDER: builds the Debian packages of this clone in FOLDER, twice with equal results, and tries them: lintian,
# installation, hardening, the tests of debian/tests, an upgrade and a purge that leaves nothing.  Needs root; inside.sh runs it.
set -euo pipefail
cd "$(dirname "$0")/../.."
out=$1
before=$out/before version=$(sed -n '1s/.*(\(.*\)).*/\1/p' debian/changelog)
upstream=${version%-*}
export DEBIAN_FRONTEND=noninteractive DEB_BUILD_OPTIONS=parallel=2 LC_ALL=C.UTF-8

# build FOLDER: the source package and the binary packages
build() {
	mkdir -p "$1"
	git archive --prefix="mrctl-$upstream/" HEAD ':!debian' | gzip -n >"$1/mrctl_$upstream.orig.tar.gz"
	git archive --prefix="mrctl-$upstream/" HEAD | tar -C "$1" -x
	(cd "$1/mrctl-$upstream" && dpkg-buildpackage -us -uc)
	rm -rf "$1/mrctl-$upstream"
}

# All files but documentation that dpkg and ldconfig write when any package is installed
files() {
	find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /tmp -o -path /root -o -path /var/cache -o \
		-path /var/log -o -path /var/lib/dpkg -o -path /var/lib/apt -o -path /etc/ld.so.cache \) -prune -o -print | sort
}

apt-get -qq update
apt-get -qq install -y --no-install-recommends autopkgtest build-essential debhelper dpkg-dev lintian
apt-get -qq build-dep -y --no-install-recommends ./
build "$out"
DEB_BUILD_OPTIONS+=' nocheck' build "$out/again"
for deb in "$out"/*.deb; do
	cmp "$deb" "$out/again/${deb##*/}"
done
rm -rf "$out/again"
lintian --allow-root --fail-on error,warning "$out"/*.changes

# The version before: the same files
mkdir "$before"
for package in mrctl mrctl-sim; do
	dpkg-deb -R "$out/${package}_${version}"_*.deb "$before/tree"
	sed -i "s/^Version: .*/Version: $upstream-0/; s/(= $version)/(= $upstream-0)/" "$before/tree/DEBIAN/control"
	dpkg-deb -b "$before/tree" "$before/$package.deb"
	rm -rf "$before/tree"
done
apt-get -qq install -y --no-install-recommends jq "$out/mrctl_$version"_*.deb "$out/mrctl-sim_$version"_*.deb
autopkgtest --no-built-binaries "$out/mrctl_$version"_*.deb "$out/mrctl-sim_$version"_*.deb "$out"/*.dsc -- null
apt-get -qq purge -y mrctl mrctl-sim
files >"$out/files"
apt-get -qq install -y --no-install-recommends "$before"/mrctl*.deb
apt-get -qq install -y --no-install-recommends "$out/mrctl_$version"_*.deb "$out/mrctl-sim_$version"_*.deb
[ "$(dpkg-query -W -f '${Version}' mrctl)" = "$version" ]
[[ $(mrctl --version) == *"$upstream"* ]]
sh debian/tests/simulated
mkdir "$before/build"
ln -s /usr/bin/mrctl /usr/lib/*/mrctl/* "$before/build"
BUILD=$before/build bats tests/cli/hardening.bats
apt-get -qq purge -y mrctl mrctl-sim
files | diff "$out/files" -
! grep -E '^/(etc|usr|var)/.*mrctl' "$out/files" || exit
rm -rf "$before" "$out/files"
(cd "$out" && sha256sum -- *.deb *.dsc *.tar.* >SHA256SUMS)
ls -l "$out"
