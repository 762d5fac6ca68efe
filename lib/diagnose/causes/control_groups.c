// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>

#include "lib/diagnose/causes/causes.h"

/* A figure of a group that refuses, or of the group where least is left. */
struct rdma_limit {
	struct mr_cgroup group;
	enum mr_rdma_resource resource;
	uint64_t max, used;
	bool is_found, is_full;
};

static const char *device_of(const struct mr_inquiry *inquiry)
{
	return inquiry->environment->simulated ? "" : inquiry->environment->device;
}

static bool opens(const struct mr_inquiry *inquiry)
{
	return (MR_ON(OPEN) | MR_ON(IMPORT)) >> inquiry->operation & 1;
}

/* Compares what the call is charged: a context is a handle, and each object of a context an object. */
static void compare_group(struct mr_inquiry *inquiry, const struct mr_cgroup *group,
			  struct rdma_limit *limit)
{
	struct mr_rdma_pools pools;

	if (mr_rdma_pools_read(inquiry->host, group, &pools))
		return;
	for (size_t i = 0; i < pools.count * MR_RDMA_RESOURCES && !limit->is_full; i++) {
		const struct mr_rdma_pool *pool = &pools.pools[i / MR_RDMA_RESOURCES];
		const enum mr_rdma_resource resource = i % MR_RDMA_RESOURCES;
		const uint64_t max = pool->max[resource].value, used = pool->used[resource].value;

		if (strcmp(pool->device, device_of(inquiry)) != 0 ||
		    (resource != MR_RDMA_OBJECT && !opens(inquiry)) || !pool->max[resource].known ||
		    !pool->used[resource].known || max == UINT64_MAX)
			continue;
		if (!limit->is_found || used >= max || max - used < limit->max - limit->used)
			*limit = (struct rdma_limit){
				*group, resource, max, used, true, used >= max
			};
	}
}

/*
 * A context of libmlx5 has further objects (UARs), and a failed call has freed its objects before the use is read here.
 */
#define GIVEN_BACK 3

/*
 * rdmacg_try_charge() refuses with EAGAIN if a group has reached its maximum.  ib_core calls it before the driver
 * (rdma_core.c alloc_begin_idr_uobject(), uverbs_cmd.c ib_init_ucontext()).  The objects that libmlx5 allocates when it
 * opens a device it may go without.  Groups of a container, or those outside of it, may not be shown.
 */
static void look_at_rdma(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const char *path, *resource, *function = mr_inquiry_function(inquiry);
	struct rdma_limit limit = { .is_found = false };
	struct mr_cgroup group;
	bool is_object, is_low;

	if (device_of(inquiry)[0] && !mr_cgroup_find(inquiry->host, "rdma", &group))
		do {
			compare_group(inquiry, &group, &limit);
		} while (mr_cgroup_up(&group));
	is_low = limit.is_found && (limit.is_full || limit.max - limit.used < GIVEN_BACK);
	if (!is_low && function && strstr(function, "rdmacg_try_charge")) {
		mr_evidence_text(suspicion, "function", "%s", function);
		mr_suspect(suspicion, MR_CERTAIN,
			   "%s refused: a control group that is not visible here has reached its "
			   "maximum of RDMA objects",
			   function);
		mr_suspect_remedy(
			suspicion,
			"check rdma.max and rdma.current of the process's groups on the host, "
			"outside the container");
		return;
	}
	if (!limit.is_found)
		return;
	path = limit.group.path[0] ? limit.group.path : "/";
	resource = mr_rdma_resources[limit.resource];
	is_object = limit.resource == MR_RDMA_OBJECT;
	mr_evidence_text(suspicion, "group", "%.100s", path);
	mr_evidence_text(suspicion, "resource", "%s", resource);
	mr_evidence_number(suspicion, "max", limit.max);
	mr_evidence_number(suspicion, "used", limit.used);
	if (!limit.is_full && (!is_object || !is_low))
		mr_rule_out(suspicion, "the control group uses %" PRIu64 " of %" PRIu64 " %s",
			    limit.used, limit.max, resource);
	else
		mr_suspect(suspicion,
			   mr_certain_if(limit.is_full && !(is_object && opens(inquiry))),
			   "the control group %.100s has %" PRIu64 " of %" PRIu64 " %s of %s, %s",
			   path, limit.used, limit.max, resource, device_of(inquiry),
			   limit.is_full ? "and none is left"
					 : "and a registration needs more than one");
	mr_suspect_remedy(suspicion,
			  "raise %s in %.100s%.100s/rdma.max, or end processes of the group that "
			  "hold objects",
			  resource, limit.group.mount, limit.group.path);
}

/* Pinning allocates missing pages, and charges them to the group. */
static void look_at_memory(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	mr_suspect_by_check(inquiry, suspicion, "memory of the control group: ", MR_POSSIBLE,
			    MR_LIKELY);
	suspicion->evidence[1].name = "group"; /* which is the detail of that check */
}

#define ON_OBJECTS                                                                                 \
	(MR_ON(QUEUE) | MR_ON(OPEN) | MR_ON(IMPORT) | MR_ON(ALLOC_PD) | MR_ON(ALLOC_DM) |          \
	 MR_ON(ALLOC_DMAH) | MR_ON(REG) | MR_ON_DMABUFS | MR_ON(REG_DM) | MR_ON(NULL_MR) |         \
	 MR_ON(UMEM))

/*
 * A filter answers with any errno that it likes, mostly EPERM or ENOSYS, and no process may read another's.  Of
 * its own the kernel refuses memfd_create(2) with neither, unless vm.memfd_noexec does.
 */
static void look_at_seccomp(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_process_status *status = mr_inquiry_status(inquiry);
	const bool is_memfd = mr_inquiry_is_call(inquiry, "memfd_create");

	if (!status || !status->seccomp.known || status->seccomp.value != 2)
		return;
	mr_evidence_text(suspicion, "seccomp", "2, a filter");
	mr_suspect(suspicion, mr_likely_if(is_memfd),
		   "system calls of the process are filtered (Seccomp 2 in /proc/PID/status)");
}

/*
 * Landlock lets the node be opened, and refuses each ioctl(2) on a device (LANDLOCK_ACCESS_FS_IOCTL_DEV).  No file of
 * /proc shows it.  ib_uverbs has no ioctl 0, and answers ENOTTY.
 */
static void look_at_landlock(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_place *place = &inquiry->place;
	mr_auto_fd int node = -1;

	if (!mr_host_is_live(inquiry->host) || inquiry->host->process || place->opened ||
	    mr_is_simulated(inquiry->host))
		return;
	node = open(place->node.path, O_RDWR | O_CLOEXEC);
	if (node < 0)
		return;
	if (ioctl(node, 0) && errno == EACCES)
		mr_suspect(suspicion, MR_LIKELY,
			   "%s can be opened, and any ioctl(2) on it is refused; Landlock refuses "
			   "in this way",
			   place->node.path);
	else
		mr_rule_out(suspicion, "ioctl(2) on %s is not refused in general",
			    place->node.path);
}

static void look_at_ioctl(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const int errnum = inquiry->refusal->errnum;
	char version[128];

	if (!mr_sandbox_is_gvisor(inquiry->host, version, sizeof(version)))
		return;
	mr_evidence_text(suspicion, "kernel", "%s", version);
	mr_suspect(suspicion, errnum == EINVAL || errnum == EPERM ? MR_POSSIBLE : MR_LIKELY,
		   "the kernel is gVisor, which passes on only the RDMA calls that it knows");
}

#define ON_IOCTLS (MR_ON_ALL & ~(MR_ON(PREPARE) | MR_ON(FIND) | (1U << MR_OP_OTHER)))

/* The mapping of huge pages in the range, where nothing else explains the refusal. */
static const struct mr_obstacle *find_huge(struct mr_inquiry *inquiry)
{
	const struct mr_obstacle *obstacle =
		inquiry->refusal->errnum == EFAULT ? mr_obstacle_find(inquiry) : NULL;

	return obstacle && obstacle->has_huge && obstacle->huge_details.page_size &&
			       mr_obstacle_may_be_in(obstacle, &obstacle->huge)
		       ? obstacle
		       : NULL;
}

/*
 * Whether a page of the range has to be allocated.  It is certain for anonymous memory of which no page is there;
 * pages of a file may be there without being mapped.
 */
static bool needs_page(const struct mr_obstacle *obstacle)
{
	return !obstacle->huge_details.huge && !obstacle->huge.shared &&
	       !strncmp(obstacle->huge.path, "/anon_hugepage", 14);
}

static void add_mapping(const struct mr_obstacle *obstacle, struct mr_suspicion *suspicion)
{
	mr_evidence_text(suspicion, "mapping", "0x%" PRIx64 "-0x%" PRIx64, obstacle->huge.start,
			 obstacle->huge.end);
	mr_evidence_number(suspicion, "page_size", obstacle->huge_details.page_size);
	mr_evidence_number(suspicion, "present", obstacle->huge_details.huge);
}

static void look_at_group(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_obstacle *obstacle = find_huge(inquiry);
	const uint64_t page = obstacle ? obstacle->huge_details.page_size : 0;
	struct mr_huge_limit limit;
	struct mr_cgroup group;

	mr_suspect_shortage(inquiry, MR_SHORTAGE_HUGE_GROUP, MR_CERTAIN, suspicion);
	if (!obstacle || mr_cgroup_find(inquiry->host, "hugetlb", &group))
		return;
	while (!mr_huge_limit_read(inquiry->host, &group, page, MR_HUGE_FAULTED, &limit) ||
	       !limit.used.known ||
	       (limit.max.value >= page && limit.used.value <= limit.max.value - page))
		if (!mr_cgroup_up(&group))
			return;
	add_mapping(obstacle, suspicion);
	mr_evidence_text(suspicion, "group", "%.100s", group.path[0] ? group.path : "/");
	mr_evidence_number(suspicion, "limit", limit.max.value);
	mr_evidence_number(suspicion, "used", limit.used.value);
	mr_suspect(suspicion, mr_certain_if(needs_page(obstacle)),
		   "the control group is limited to %s in huge pages of %s and uses %s: no page is "
		   "left",
		   MR_SIZE(limit.max.value), MR_SIZE(page), MR_SIZE(limit.used.value));
	mr_suspect_remedy(suspicion,
			  "raise %s%s/%s, or request huge pages for the pod or job "
			  "(hugepages-2Mi), or use ordinary memory",
			  group.mount, group.path, limit.file);
}

static void look_at_pool(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_obstacle *obstacle = find_huge(inquiry);
	const uint64_t page = obstacle ? obstacle->huge_details.page_size : 0;
	const struct mr_huge_pool *pool;
	struct mr_huge_pools pools;
	struct mr_opt_u64 room;

	mr_suspect_shortage(inquiry, MR_SHORTAGE_HUGE_POOL, MR_CERTAIN, suspicion);
	if (!obstacle || mr_huge_pools_read(inquiry->host, NULL, &pools))
		return;
	pool = mr_huge_pools_find(&pools, page);
	if (!pool || !pool->free.known || !pool->total.known)
		return;
	room = mr_huge_pool_room(pool);
	add_mapping(obstacle, suspicion);
	mr_evidence_number(suspicion, "total", pool->total.value);
	mr_evidence_number(suspicion, "free", pool->free.value);
	if (pool->free.value &&
	    (!obstacle->huge_details.is_unreserved || !room.known || room.value))
		mr_rule_out(suspicion, "%" PRIu64 " huge pages of %s are free", pool->free.value,
			    MR_SIZE(page));
	else
		mr_suspect(
			suspicion,
			mr_certain_if(room.known && !room.value &&
				      obstacle->huge_details.is_unreserved && needs_page(obstacle)),
			"%" PRIu64 " of %" PRIu64
			" huge pages of %s are free, all of them reserved, and none is allocated "
			"for the memory yet",
			pool->free.value, pool->total.value, MR_SIZE(page));
}

/* /proc/sysvipc/shm has a heading, and a line for each segment. */
static bool count_segment(const char *line, void *data)
{
	*(uint64_t *)data += strncmp(line, "       key", 10) != 0;
	return true;
}

static void look_at_segments(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	uint64_t most, count = 0;

	if (!mr_host_number(inquiry->host, &most, "/proc/sys/kernel/shmmni") ||
	    mr_host_lines(inquiry->host, count_segment, &count, "/proc/sysvipc/shm"))
		return;
	mr_evidence_number(suspicion, "segments", count);
	mr_evidence_number(suspicion, "shmmni", most);
	if (count >= most)
		mr_suspect(suspicion, MR_LIKELY,
			   "%" PRIu64
			   " segments of shared memory exist, and kernel.shmmni is %" PRIu64,
			   count, most);
	else
		mr_rule_out(suspicion, "%" PRIu64 " of %" PRIu64 " segments of shared memory exist",
			    count, most);
}

#include "lib/diagnose/causes/control_groups.inc"
