# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# For the tests of dma-bufs: making them, and handing them on.

# require_exporter: skips where no dma-buf can be made
require_exporter() {
	on_simulator || [ -e /dev/udmabuf ] || skip "this kernel makes no dma-bufs (no /dev/udmabuf)"
}

# ud [ARG...]: runs reg-dmabuf on a udmabuf
ud() {
	mr reg-dmabuf --from udmabuf "$@"
}

# with_dmabuf SOURCE SIZE CMD...: runs CMD, which inherits a dma-buf as descriptor 9
with_dmabuf() {
	"${SIM[@]}" "$TOOL" make "$1" "$2" 9 "${@:3}"
}

TOOL=$BUILD/tests/cli/dmabuf-tool
[ -x "$TOOL" ] || TOOL=dmabuf-tool
