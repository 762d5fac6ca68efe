// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Calls about DMA handles, which Linux has since 6.17, and devices with the PCI capability TPH. */
#include "tests/kernel/differential/calls.h"
#include "tests/kernel/differential/draw.h"
#include "tests/kernel/differential/mutate.h"
#include "tests/kernel/differential/state.h"

/* Object 17 of the uverbs ABI and its attributes, which the headers of rdma-core 44 do not have. */
#define OBJECT_DMAH 17
enum { DMAH_ALLOC, DMAH_FREE };
enum { DMAH_HANDLE, DMAH_CPU, DMAH_MEMORY, DMAH_HINT };

void alloc_dmah(void)
{
	static const uint32_t cpus[] = { 0, 0, 0, 100000, UINT32_MAX };
	const bool has_cpu = chance(50), has_memory = chance(50), has_hint = chance(80);
	const uint32_t cpu = PICK(cpus), memory = draw(3), hint = draw(5);

	init(&state.request, OBJECT_DMAH, DMAH_ALLOC);
	attr(&state.request, DMAH_HANDLE, 0, 0);
	line_add("alloc_dmah");
	if (has_cpu) {
		attr(&state.request, DMAH_CPU, 4, cpu);
		line_add(" cpu=%u", cpu);
	}
	if (has_memory) {
		attr(&state.request, DMAH_MEMORY, 0, 0)->attr_data.enum_data.elem_id =
			(uint8_t)memory;
		line_add(" memory=%u", memory);
	}
	if (has_hint) {
		attr(&state.request, DMAH_HINT, 1, hint);
		line_add(" hint=%u", hint);
	}
	if (!send_request())
		return;
	line_add(" handle=%u", (uint32_t)attr_value(DMAH_HANDLE));
	add_object(DMAH, (uint32_t)attr_value(DMAH_HANDLE), 0, NULL, 0);
}

void free_dmah(void)
{
	destroy_object(DMAH, OBJECT_DMAH, DMAH_FREE, 0);
}
