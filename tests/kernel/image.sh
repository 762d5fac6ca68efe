#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# image.sh CACHE TOOLS SUITE DIR [MODULE...]
#
# Makes the guest of a Debian suite in the new directory DIR: its kernel (vmlinuz), an initial
# RAM disk that finds the root (initrd), the root file system (root.erofs) with the suite's own
# userland and the kernel modules listed below and MODULEs, and a list of what is in it (packages).

set -euo pipefail

cache=$1 tools=$2 suite=$3 dir=$4
shift 4
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tool.sh
. "$here/tool.sh"

packages=(
	base-files base-passwd bash bsdextrautils coreutils dash debianutils diffutils findutils
	grep gzip hostname kmod less libc-bin login mawk mount ncurses-base ncurses-bin passwd procps
	sed strace tar util-linux
	bats jq e2fsprogs xfsprogs
	ibverbs-providers ibverbs-utils iproute2 libibverbs1 librdmacm1 libcjson1 libsmartcols1 libmnl0
	busybox-static
	libdw1 perftest rdmacm-utils
)
# Programs that register memory, where their suite has them with little else (libfabric of bookworm needs scripts)
case $suite in
sid) packages+=(libfabric-bin python3-pyverbs) ;;
trixie) packages+=(libfabric-bin) ;;
bookworm) packages+=(ucx-utils netpipe-openmpi openmpi-bin) ;;
esac
boot_modules=(virtio_pci virtio_blk virtio_console erofs overlay)
modules=(mlx5_ib rdma_rxe ib_uverbs ib_umad rdma_ucm veth dummy loop ext4 xfs cuse "$@")

work=$dir.part
rm -rf "$work"
mkdir "$work"
trap 'rm -rf "$work"' EXIT
root=$work/root initrd=$work/initrd

"$here/fetch.sh" "$cache" "$suite" "$root" "${packages[@]}"
"$here/fetch.sh" "$cache" "$suite" "$work/kernel" linux
mkdir "$work/out"
sort "$root.packages" "$work/kernel.packages" >"$work/out/packages"

# Work of the maintainer scripts
rm -rf "$root"/usr/share/{doc,info,locale,man,lintian,bug,zoneinfo}
cp "$root/usr/share/base-passwd/passwd.master" "$root/etc/passwd"
cp "$root/usr/share/base-passwd/group.master" "$root/etc/group"
sed -i '1s|:[^:]*$|:/bin/bash|' "$root/etc/passwd"
ln -sf mawk "$root/usr/bin/awk"
[ -e "$root/usr/bin/which" ] || ln -s which.debianutils "$root/usr/bin/which"
ln -sf bash "$root/usr/bin/sh"
printf '127.0.0.1 localhost %s\n' "$suite" >"$root/etc/hosts"
printf '%s\n' "$suite" >"$root/etc/hostname"
mkdir -p "$root"/{dev,proc,sys,run,tmp,root,mnt}
"$root/usr/sbin/ldconfig" -r "$root"

# The modules that are wanted, and those they need, unpacked: the guest's processor is slow
base=$work/kernel
[ -d "$base/usr/lib/modules" ] || { echo "image: no modules in the kernel of $suite" >&2; exit 1; }
release=$(basename "$base"/usr/lib/modules/*)
find "$base" -name 'vmlinuz*' -type f -exec cp {} "$work/out/vmlinuz" \;
tool depmod -b "$base" "$release"

needed() { # MODULE...: their files, in the order of loading
	local m
	for m in "$@"; do
		tool modprobe -d "$base" -S "$release" --show-depends "$m" |
			sed -n 's/^insmod \([^ ]*\).*/\1/p'
	done | awk '!seen[$0]++'
}

unpack() { # FILE TO
	case $1 in
	*.xz) tool xz -dc "$1" >"$2" ;;
	*.zst) tool zstd -qdc "$1" >"$2" ;;
	*) cp "$1" "$2" ;;
	esac
}

list=$(needed "${boot_modules[@]}" "${modules[@]}")
for f in $list; do
	to=$root/usr/lib/modules/$release/${f#"$base"/*lib/modules/"$release"/}
	to=${to%.xz} to=${to%.zst}
	mkdir -p "$(dirname "$to")"
	unpack "$f" "$to"
	strip --strip-debug "$to"
done
cp "$base/usr/lib/modules/$release"/modules.{builtin,builtin.modinfo,order} \
	"$root/usr/lib/modules/$release/"
tool depmod -b "$root" "$release"
tool mkfs.erofs --quiet --all-root -T0 "$work/out/root.erofs" "$root"

# The initial RAM disk: busybox and what it takes to mount the root
mkdir -p "$initrd"/{bin,dev,proc,sys,modules}
cp "$root/usr/bin/busybox" "$initrd/bin/busybox"
cp "$here/guest/init" "$initrd/init"
chmod 755 "$initrd/init"
list=$(needed "${boot_modules[@]}")
for f in $list; do
	name=$(basename "$f")
	name=${name%.xz} name=${name%.zst}
	cp "$(find "$root/usr/lib/modules" -name "$name")" "$initrd/modules/"
	echo "$name" >>"$initrd/modules/order"
done
(cd "$initrd" && find . | tool cpio --quiet -o -H newc -R 0:0) | gzip -1 >"$work/out/initrd"

mv "$work/out" "$dir"
