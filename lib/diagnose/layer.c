// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stddef.h>

#include "lib/diagnose/layer.h"

const char *mr_layer_name(enum mr_layer layer)
{
	static const char *const names[MR_LAYERS] = {
		[MR_LAYER_LIBIBVERBS] = "libibverbs", [MR_LAYER_PROVIDER] = "provider",
		[MR_LAYER_UVERBS] = "uverbs",         [MR_LAYER_MEMORY] = "memory",
		[MR_LAYER_DMABUF] = "dma-buf",        [MR_LAYER_DRIVER] = "driver",
		[MR_LAYER_FIRMWARE] = "firmware",
	};

	return names[layer];
}
