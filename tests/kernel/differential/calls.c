// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Which calls there are, and how often each is drawn. */
#include "tests/kernel/differential/calls.h"
#include "tests/kernel/differential/draw.h"
#include "tests/kernel/differential/state.h"

/* The order of the rows and their weights decide which calls follow from a seed. */
static const struct {
	void (*call)(void);
	uint32_t weight; /* its share of WEIGHTS */
	enum type makes; /* the type of object that it makes, or TYPES for none */
	bool mlx5_only;
	unsigned int since; /* the first kernel that has it, or 0: all have it */
} calls[] = {
	{ reg_mr_by_write, 24, MR, false, 0 },
	{ reg_mr_by_method, 12, MR, false, 700 },
	{ reg_dmabuf_mr, 6, MR, true, 0 },
	{ rereg_mr, 18, TYPES, false, 0 },
	{ dereg_mr, 14, TYPES, false, 0 },
	{ query_mr, 9, TYPES, false, 0 },
	{ list_handles, 4, TYPES, false, 0 },
	{ alloc_pd_by_write, 4, PD, false, 0 },
	{ destroy_pd, 4, TYPES, false, 0 },
	{ reg_umem, 8, UMEM, true, 0 },
	{ dereg_umem, 4, TYPES, true, 0 },
	{ advise_mr, 14, TYPES, false, 0 },
	{ query_for_import, 3, TYPES, false, 0 },
	{ bare_call, 4, TYPES, false, 0 },
	{ alloc_dm, 9, DM, true, 0 },
	{ query_dm, 2, TYPES, true, 0 },
	{ reg_dm_mr, 7, MR, true, 0 },
	{ free_dm, 4, TYPES, true, 0 },
	{ export_dm, 4, MR, true, 0 },
	{ alloc_dmah, 3, DMAH, false, 0 },
	{ free_dmah, 1, TYPES, false, 0 },
};

#define WEIGHTS 158 /* the sum of the weights */

/* A call is drawn again where the device or the kernel lacks it, or no more of its objects fit. */
void draw_call(void)
{
	uint32_t at;
	size_t i;

	for (;;) {
		at = draw(WEIGHTS);
		for (i = 0; at >= calls[i].weight; i++)
			at -= calls[i].weight;
		if ((!calls[i].mlx5_only || state.is_mlx5) && state.kernel >= calls[i].since &&
		    (calls[i].makes == TYPES || !is_full(calls[i].makes)))
			break;
	}
	calls[i].call();
}
