// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <string.h>

#include "lib/diagnose/layer.h"
#include "lib/trace/refused_call.h"
#include "lib/trace/reproduction/earlier.h"
#include "lib/trace/reproduction/obstacle.h"
#include "lib/verbs/verbs.h"

/* mrctl rereg changes something, and only what libibverbs knows. */
static bool is_change_of_mrctl(uint32_t flags)
{
	const uint32_t known = MR_CHANGE_TRANSLATION | MR_CHANGE_PD | MR_CHANGE_ACCESS;

	return flags && !(flags & ~known);
}

static bool is_certainly(const struct mr_look *look, const char *id)
{
	const struct mr_diagnosis *diagnosis = &look->diagnosis;

	return diagnosis->cause_count && diagnosis->causes[0].certainty == MR_CERTAIN &&
	       !strcmp(diagnosis->causes[0].cause->id, id);
}

/* What was refused is known to be the descriptor itself, rather than a dma-buf. */
static bool is_refused_descriptor(const struct mr_look *look)
{
	return is_certainly(look, "MR-DESCRIPTOR") || is_certainly(look, "MR-DMABUF-FILE");
}

/* Why no change can be refused in the same way; NULL: one can. */
static const char *obstacle_of_change(const struct mr_reproduced *it)
{
	enum mr_region_call call;

	if (!is_change_of_mrctl(it->record->call_flags))
		return "its flags are none that mrctl rereg has";
	if (!it->kind->has_region)
		return "the registration of the region was not seen";
	if (!mr_reproduced_call_before(it, &call))
		return "how another process registered the region is not known";
	if (mr_call_row(call)->dmah)
		return "what the DMA handle of the region was for is not known";
	if (!(it->record->call_flags & MR_CHANGE_TRANSLATION) && it->record->errnum == EFAULT)
		return "what had become of the region's memory by then is not known";
	return NULL;
}

/* The limit of locked memory refuses a region as it refuses the buffers of a queue. */
static const char *obstacle_of_queue(const struct mr_reproduced *it)
{
	if (it->look && it->record->queue_bytes &&
	    (is_certainly(it->look, "MR-MEMLOCK") || is_certainly(it->look, "MR-MEMLOCK-ZERO")))
		return NULL;
	return "a batch creates no queues";
}

const char *mr_reproduction_obstacle(const struct mr_reproduced *it)
{
	const struct mr_look *look = it->look;
	const enum mr_traced_effect effect = mr_traced_call_row(it->record->call)->effect;
	const bool advises = effect == MR_TRACED_ADVISES, changes = effect == MR_TRACED_CHANGES;
	const bool creates = effect == MR_TRACED_CREATES;
	const bool on_memory = advises ||
			       (changes && it->record->call_flags & MR_CHANGE_TRANSLATION) ||
			       (it->registers && mr_call_row(it->call)->on == MR_ON_MEMORY);

	if (creates && obstacle_of_queue(it))
		return obstacle_of_queue(it);
	if (!it->registers && !advises && !changes && !creates &&
	    it->record->call != MR_TRACED_IBV_ALLOC_DM)
		return "the call depends on objects of the program that a batch does not make";
	if (!look)
		return "the process was not looked at while it waited in the call";
	if (!mr_errno_name(it->record->errnum))
		return "the call has told no errno that has a name";
	if (advises && it->record->range_count != 1)
		return "each advice of mrctl has one range";
	if (mr_traced_unknown_attributes(it->record))
		return "its comp_mask has bits that mrctl does not set";
	if (look->diagnosis.cause_count && look->diagnosis.layer == MR_LAYER_FIRMWARE)
		return "the firmware of the device refused, which depends on its state then";
	if (is_certainly(look, "MR-DEVX-CONTEXT"))
		return "mrctl umem opens the device for DEVX, as the program has not";
	if (it->registers && mr_call_row(it->call)->dmah)
		return "what the DMA handle was for is not known";
	if (on_memory && !mr_refusals_is_of_request(it->kind) &&
	    (!look->has_range || !look->range.memory[0]))
		return look->range.remark[0] ? look->range.remark
					     : "what the range was is not known";
	if (it->registers && mr_call_row(it->call)->on == MR_ON_DMABUF && !look->dmabuf.is_dmabuf &&
	    !is_refused_descriptor(look))
		return "what the descriptor was is not known";
	if (mr_earlier_matter(it) && mr_earlier_are_beyond_limit(look))
		return "more was pinned before than the limit of locked memory allows, which was "
		       "higher then or did not count";
	if (mr_earlier_limit_differs(it))
		return "its limit of locked memory is not that of the batch";
	return changes ? obstacle_of_change(it) : NULL;
}
