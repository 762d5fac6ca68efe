// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What control groups allow: RDMA objects (kernel/cgroup/rdma.c), and memory.  A limit of each group counts, from
 * that of this process up to the root.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "lib/diagnose/causes/tables.h"
#include "lib/diagnose/cgroups.h"
#include "lib/diagnose/size_text.h"
#include "lib/host/host.h"
#include "lib/verbs/verbs.h"

/* ---- RDMA objects ---- */

/* A figure of a group that refuses, or of the group where least is left. */
struct rdma_limit {
	struct mr_cgroup group;
	enum mr_rdma_resource resource;
	uint64_t max, used;
	bool is_found, is_full;
};

static const char *device_of(const struct mr_inquiry *inquiry)
{
	const struct mr_environment *environment = inquiry->refusal->environment;

	return environment && !environment->simulated ? environment->device : "";
}

/* What the call is charged: a context is a handle, and each object of a context an object. */
static bool is_charged(const struct mr_inquiry *inquiry, enum mr_rdma_resource resource)
{
	const uint32_t opens = MR_ON(OPEN) | MR_ON(IMPORT);

	return resource == MR_RDMA_OBJECT || opens & 1U << inquiry->operation;
}

static void compare_pool(const struct mr_rdma_pool *pool, enum mr_rdma_resource resource,
			 const struct mr_cgroup *group, struct rdma_limit *limit)
{
	const uint64_t max = pool->max[resource].value, used = pool->used[resource].value;

	if (!pool->max[resource].known || !pool->used[resource].known || max == UINT64_MAX ||
	    limit->is_full ||
	    (limit->is_found && used < max && max - used >= limit->max - limit->used))
		return;
	*limit = (struct rdma_limit){ *group, resource, max, used, true, used >= max };
}

static void compare_group(struct mr_inquiry *inquiry, const struct mr_cgroup *group,
			  struct rdma_limit *limit)
{
	struct mr_rdma_pools pools;

	if (mr_rdma_pools_read(inquiry->host, group, &pools))
		return;
	for (size_t i = 0; i < pools.count; i++)
		for (int resource = 0; resource < MR_RDMA_RESOURCES; resource++)
			if (!strcmp(pools.pools[i].device, device_of(inquiry)) &&
			    is_charged(inquiry, (enum mr_rdma_resource)resource))
				compare_pool(&pools.pools[i], (enum mr_rdma_resource)resource,
					     group, limit);
}

/*
 * rdmacg_try_charge() refuses with EAGAIN where a group has its maximum.  ib_core asks before it calls the driver
 * (rdma_core.c alloc_begin_idr_uobject(), uverbs_cmd.c ib_init_ucontext()).  What libmlx5 allocates when it
 * opens a device it may go without.
 */
static enum mr_certainty how_sure(const struct mr_inquiry *inquiry, enum mr_rdma_resource resource)
{
	const uint32_t opens = MR_ON(OPEN) | MR_ON(IMPORT);

	return resource == MR_RDMA_OBJECT && opens & 1U << inquiry->operation ? MR_LIKELY
									      : MR_CERTAIN;
}

/*
 * A context of libmlx5 has objects of its own (UARs), and a failed call has given back what it and its device had
 * before the use is read here.
 */
#define GIVEN_BACK 3

/* Groups of a container, or those outside of it, may not be shown. */
static bool look_at_hidden(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_proven *proven = mr_inquiry_proof(inquiry);
	const char *function = proven ? mr_proven_function(proven) : NULL;

	if (!function || !strstr(function, "rdmacg_try_charge"))
		return false;
	mr_evidence_text(suspicion, "function", "%s", function);
	mr_suspect(suspicion, MR_CERTAIN,
		   "%s refused: a control group has its maximum of RDMA objects, and is not shown "
		   "here",
		   function);
	mr_suspect_remedy(suspicion, "look at rdma.max and rdma.current of the process's groups "
				     "on the host, outside of the container");
	return true;
}

static void look_at_rdma(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	struct rdma_limit limit = { .is_found = false };
	struct mr_cgroup group;

	if (device_of(inquiry)[0] && !mr_cgroup_find(inquiry->host, "rdma", &group))
		do {
			compare_group(inquiry, &group, &limit);
		} while (mr_cgroup_up(&group));
	if (!limit.is_found || (!limit.is_full && limit.max - limit.used >= GIVEN_BACK)) {
		if (look_at_hidden(inquiry, suspicion) || !limit.is_found)
			return;
	}
	mr_evidence_text(suspicion, "group", "%.100s",
			 limit.group.path[0] ? limit.group.path : "/");
	mr_evidence_text(suspicion, "resource", "%s", mr_rdma_resources[limit.resource]);
	mr_evidence_number(suspicion, "max", limit.max);
	mr_evidence_number(suspicion, "used", limit.used);
	if (limit.is_full) {
		mr_suspect(suspicion, how_sure(inquiry, limit.resource),
			   "the control group %.100s has %" PRIu64 " of %" PRIu64
			   " %s of %s, which are all",
			   limit.group.path[0] ? limit.group.path : "/", limit.used, limit.max,
			   mr_rdma_resources[limit.resource], device_of(inquiry));
	} else if (limit.resource == MR_RDMA_OBJECT && limit.max - limit.used < GIVEN_BACK) {
		mr_suspect(suspicion, MR_LIKELY,
			   "the control group %.100s has %" PRIu64 " of %" PRIu64
			   " %s of %s, and a registration needs more than one",
			   limit.group.path[0] ? limit.group.path : "/", limit.used, limit.max,
			   mr_rdma_resources[limit.resource], device_of(inquiry));
	} else {
		mr_rule_out(suspicion, "the control group uses %" PRIu64 " of %" PRIu64 " %s",
			    limit.used, limit.max, mr_rdma_resources[limit.resource]);
		return;
	}
	mr_suspect_remedy(suspicion,
			  "raise %s in %.100s%.100s/rdma.max, or end processes of the group that "
			  "hold objects",
			  mr_rdma_resources[limit.resource], limit.group.mount, limit.group.path);
}

/* ---- memory ---- */

/* The pages that are pinned are made, if they are not there yet, and that is charged. */
static void look_at_memory(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	struct mr_finding finding = { .verdict = MR_VERDICT_NA };
	struct mr_question question = { .host = inquiry->host };
	struct mr_range range;

	if (!mr_inquiry_range(inquiry, &range) || mr_inquiry_access(inquiry) & MR_ACCESS_ON_DEMAND)
		return;
	question.size = (struct mr_opt_u64){ range.length, true };
	mr_check_memory_cgroup(&question, &finding);
	if (finding.verdict == MR_VERDICT_OK)
		mr_rule_out(suspicion, "memory of the control group: %s", finding.figure);
	if (finding.verdict < MR_VERDICT_WARN)
		return;
	mr_evidence_number(suspicion, "asked", range.length);
	if (finding.detail[0])
		mr_evidence_text(suspicion, "group", "%s", finding.detail);
	mr_suspect(suspicion, finding.verdict == MR_VERDICT_BAD ? MR_LIKELY : MR_POSSIBLE,
		   "memory of the control group: %s", finding.figure);
	mr_suspect_remedy(suspicion, "%s", finding.remedy);
}

#define ON_OBJECTS                                                                                 \
	(MR_ON(QUEUE) | MR_ON(OPEN) | MR_ON(IMPORT) | MR_ON(ALLOC_PD) | MR_ON(ALLOC_DM) |          \
	 MR_ON(ALLOC_DMAH) | MR_ON(REG) | MR_ON_DMABUFS | MR_ON(REG_DM) | MR_ON(NULL_MR) |         \
	 MR_ON(UMEM))

const struct mr_cause mr_causes_of_control_groups[] = {
	{ .id = "MR-CGROUP-RDMA",
	  .subject = "RDMA objects of the control group",
	  .operations = ON_OBJECTS,
	  .errnums = { EAGAIN },
	  .layer = MR_LAYER_UVERBS,
	  .frequency = MR_RARE,
	  .look = look_at_rdma,
	  .what = "A control group, or one above it, limits how many RDMA objects its processes may "
		  "have of a device: contexts (hca_handle), and protection domains, regions, queues "
		  "(hca_object).",
	  .recognise =
		  "rdma.max and rdma.current of the control group in /sys/fs/cgroup, and of those "
		  "above it.  The kernel's log has nothing.",
	  .remedy = "raise rdma.max of the control group, or end processes that hold objects",
	  .sources = "kernel/cgroup/rdma.c rdmacg_try_charge(); "
		     "Documentation/admin-guide/cgroup-v2.rst; "
		     "opencontainers/runtime-spec#942" },
	{ .id = "MR-CGROUP-MEMORY",
	  .subject = "memory of the control group",
	  .operations = MR_ON_LOCKING,
	  .errnums = { ENOMEM },
	  .layer = MR_LAYER_MEMORY,
	  .frequency = MR_OCCASIONAL,
	  .look = look_at_memory,
	  .what = "Registration makes the pages that are not there yet, and the control group may not "
		  "have as much memory.  Pinned memory cannot be swapped out to make room.  More often "
		  "a process of the group is killed than that the call is refused.",
	  .recognise = "memory.max and memory.current of the control group, and oom_kill in its "
		       "memory.events.",
	  .remedy = "raise memory.max of the control group: MemoryMax= of the unit, or the memory "
		    "limit of the pod or job",
	  .sources =
		  "mm/memcontrol.c try_charge_memcg(); Documentation/admin-guide/cgroup-v2.rst" },
	{ .id = NULL },
};
