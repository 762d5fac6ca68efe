#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# inside.sh TREE WHO CACHE: types the commands of the README in the system at TREE, or builds the packages there where
# WHO is "deb".  run.sh starts it in mount and process namespaces of its own: everything is unmounted when they end.

set -euo pipefail
tree=$1 who=$2 cache=$3
packages=$(dirname "$0")/../../${BUILD:-build}/deb/${tree##*/}
declare -A home=([root]=/root [user]=/home/user)
# Tests that kill commands, or read texts, take long, and so do those on a second simulated device.  The newest system
# differs in its compiler and libraries, and on that of this machine make check runs them all.
#   TREES_FILTER  only tests with these tags, on one device (FILTER of tests/cli/run.sh)
filter=${TREES_FILTER:-} profiles=mlx5 machine=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
case ${tree##*/} in
sid | "$machine") filter=${filter:-!kill,!text} ;;
*) [ -n "$filter" ] || profiles='mlx5 rxe' ;;
esac
path=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin

mount_all() {
	mount -t proc proc "$tree/proc"
	mount --rbind /sys "$tree/sys"
	mount --rbind /dev "$tree/dev"
	mount -t devpts -o newinstance,ptmxmode=0666,mode=0620 devpts "$tree/dev/pts"
	mount -t tmpfs -o mode=1777 shm "$tree/dev/shm"
	mount --bind "$cache/archives" "$tree/var/cache/apt/archives"
	mount --bind "$cache/lists" "$tree/var/lib/apt/lists"
}

# type_as WHO COMMAND...: runs a command as if typed at a prompt, in the clone if there is one, else at home
type_as() {
	local who=$1 id=0
	shift
	printf -- '--- %s %s: %s\n' "${tree##*/}" "$who" "$*"
	[ "$who" = root ] || { id=1000; ulimit -l 8192; }
	# shellcheck disable=SC2016	# for that shell
	chroot --userspec=$id:$id --groups=$id "$tree" /usr/bin/env -i HOME="${home[$who]}" PATH=$path TERM=dumb \
		FILTER="$filter" PROFILES="$profiles" \
		/bin/bash -c 'cd ~/mrctl 2>/dev/null || cd; eval "$1"' bash "$*" </dev/null
}

# Prints the commands of the README's section "A first look": one that installs make and git, then those for
# the clone
readme() {
	git -C "$tree/srv/mrctl.git" show HEAD:README.md |
		sed -n '/^## A first look/,/^Then/ s/^    \([^#]*[^# ]\) *\(#.*\)\{0,1\}$/\1/p'
}

# A user who may not install packages is refused, and shown the command for root; runs that as root
be_refused() {
	local answer line

	if answer=$(type_as user "$1" 2>&1); then
		echo "not refused: $answer"
		return 1
	fi
	printf '%s\n' "$answer"
	line=$(sed -n 's/^ *\(apt-get .*\)/\1/p' <<<"$answer")
	[ -n "$line" ] || { echo "no line to type as root"; return 1; }
	[[ $answer != *Installing* ]] || { echo "it says that it installs"; return 1; }
	type_as root "$line"
}

mount_all
echo 'user:x:1000:1000::/home/user:/bin/bash' >>"$tree/etc/passwd"
echo 'user:x:1000:' >>"$tree/etc/group"
mkdir -p "$tree${home[user]}"
chown -R 1000:1000 "$tree${home[user]}"
chmod 700 "$tree${home[user]}" "$tree/root"
mapfile -t commands < <(readme)
[ "$who" != user ] || chown -R 1000:1000 "$tree/srv/mrctl.git"
[ ${#commands[@]} -eq 3 ] || { printf 'unexpected commands in README.md:\n'; printf '%s\n' "${commands[@]}"; exit 1; }
type_as root "${commands[0]}"
if [ "$who" = deb ]; then
	type_as root git clone -q /srv/mrctl.git
	type_as root 'tests/trees/deb.sh ~/deb'
	chroot "$tree" apt-get -qq autoclean
	rm -rf "$packages" && mkdir -p "$packages" && cp "$tree${home[root]}"/deb/* "$packages"
	exit
fi
type_as "$who" git clone -q /srv/mrctl.git
[ "$who" = root ] || be_refused "${commands[1]}"
for command in "${commands[@]:1}"; do
	type_as "$who" "$command"
done
chroot "$tree" apt-get -qq autoclean
