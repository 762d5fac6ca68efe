#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Installs the Debian packages that building and testing need and that are missing.
# Usage: setup.sh          what make demo and make check need
#        setup.sh all      also what make lint, check-all, check-kernel and bench use
#        setup.sh missing  installs nothing, prints the names of packages of "all" that are missing
set -eu

packages='gcc make pkg-config libibverbs-dev ibverbs-providers ibverbs-utils libcjson-dev
	libsmartcols-dev libmnl-dev libdw-dev libcmocka-dev bats jq strace xz-utils'
[ $# -eq 0 ] || packages="$packages shellcheck ccache clang clang-format cppcheck valgrind
	iproute2 man-db bash-completion zsh fish dash python3 python3-pyverbs util-linux apt
	debian-archive-keyring debootstrap mawk tar gzip binutils libc6-dev rpm
	perftest prometheus prometheus-node-exporter clustershell ansible-core sosreport python3-yaml python3-jsonschema gnuplot-nox"

missing=
command -v dpkg-query >/dev/null || {
	echo "setup: this is no Debian: install what README.md lists, then make check-unit check-cli" >&2
	exit 1
}
for package in $packages; do
	case $(dpkg-query -W -f '${Status}' "$package" 2>/dev/null) in
	*' installed') ;;
	*) missing="$missing $package" ;;
	esac
done
[ "${1:-}" != missing ] || { echo "$missing"; exit 0; }
[ -n "$missing" ] || exit 0

# refuse REASON: fails, and prints the command that root has to type
refuse() {
	echo "setup: $1; let root run:" >&2
	echo "    apt-get update && apt-get install -y --no-install-recommends$missing" >&2
	exit 1
}

root=
if [ "$(id -u)" -ne 0 ]; then
	command -v sudo >/dev/null ||
		refuse "Debian packages are missing, and you are not root and have no sudo"
	root=sudo
fi
# Packages that hold daemons are for tests, which start them as they need them: here none is started.
policy=/usr/sbin/policy-rc.d
if [ "${1:-}" = all ] && [ ! -e "$policy" ]; then
	trap '$root rm -f "$policy"' EXIT
	trap 'exit 1' HUP INT TERM
	printf '#!/bin/sh\nexit 101\n' | $root tee "$policy" >/dev/null
	$root chmod 755 "$policy"
fi
echo "Installing:$missing"
$root apt-get -qq update || refuse "apt-get failed"
# shellcheck disable=SC2086 # a list of words
$root env DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends $missing >/dev/null ||
	refuse "apt-get failed"
# Nor at the next boot.
for package in $missing; do
	case $package in
	prometheus | prometheus-node-exporter)
		[ ! -d /run/systemd/system ] || $root systemctl --quiet disable "$package" || :
		;;
	esac
done
