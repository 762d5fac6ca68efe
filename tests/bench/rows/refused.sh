# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash disable=SC2154 # variables of rows.sh
# Sourced by rows.sh: a refused reg that looks for causes, against one that does not

refused() { # WHAT ERRNO ARG...
	runs=$((runs * 3)) race time mrctl "${on_device[@]}" -q --why read reg --expect "${@:2}" -- \
		mrctl "${on_device[@]}" -q --why none reg --expect "${@:2}" |
		row "reg of $1, refused with $2, against --why none" us 1 +5000
}
refused 'bad access' EINVAL --access remote-write
refused 'a hole' EFAULT --memory hole --size 1M
refused 'readonly memory' EFAULT --memory readonly --size 256M
