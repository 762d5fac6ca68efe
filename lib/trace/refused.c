// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Looks at what a refused call was given, while the program waits, and tells kinds of refusals apart. */
#include <errno.h>
#include <infiniband/mlx5dv.h>
#include <infiniband/verbs.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/base/base.h"
#include "lib/diagnose/causes/causes.h"
#include "lib/diagnose/diagnose.h"
#include "lib/host/host.h"
#include "lib/host/reading.h"
#include "lib/simulator/spec.h"
#include "lib/trace/trace.h"
#include "lib/verbs/verbs.h"

/* The refusal points into this struct, so it must not be moved. */
struct mr_refused_call {
	struct mr_refusal refusal;
	struct mr_region_request request;
	struct mr_rereg_request rereg;
	struct mr_rereg_failure failure;
	struct mr_advice advice;
	struct mr_advice_range advised;
	/* The call's device, opened again if the refusal requires it */
	struct mr_device device;
	struct mr_uverbs uverbs;
};

/* Mappings of a range beyond this number are not compared with the first. */
#define MAPPINGS_MAX 256

/* A range of many kinds of memory that is larger, in bytes, is not made alike. */
#define ALIKE_MAX (UINT64_C(64) << 20)

/* Where transparent huge pages begin: what --memory thp aligns its mapping to. */
#define THP_SIZE (UINT64_C(2) << 20)

/* DIFFERS() - note how the range differs from its kind of memory, or why no kind reproduces it */
#define DIFFERS(range, ...)                                                                        \
	((void)snprintf((range)->remark, sizeof((range)->remark), __VA_ARGS__),                    \
	 (range)->is_exact = false)

/* Takes a kind of memory for the range; @of: its path or size, or NULL. */
static void set_memory(struct mr_traced_range *range, enum mr_memory_type type, const char *of)
{
	const char *name = mr_memory_kinds[type].name;

	range->type = type;
	snprintf(range->memory, sizeof(range->memory), "%.*s%s%s", (int)strcspn(name, ":["), name,
		 of ? ":" : "", of ?: "");
}

static bool has_prefix(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

/* The kernel escapes newlines in the path; a path with other signs that no terminal shows is left out, too. */
static bool is_usable(const char *path)
{
	if (*path != '/' || strlen(path) >= sizeof(((struct mr_mapping *)0)->path) - 1)
		return false;
	while (*path && *path != '\\' && mr_utf8_shown(path))
		path += mr_utf8_shown(path);
	return !*path;
}

/* Whether the file can be mapped by the path that the process had mapped it from. */
static bool has_usable_path(const struct mr_traced_range *range)
{
	return is_usable(range->mapping.path) && range->file.has_path;
}

static void remark_path(struct mr_traced_range *range)
{
	DIFFERS(range,
		is_usable(range->mapping.path)
			? "the mapped file is no longer at its path: %.100s"
			: "a line of a batch cannot contain the path of the file: %.100s",
		range->mapping.path);
}

/* A file is mapped from its beginning, so that the range is where it is in the file. */
static void use_path(struct mr_host *host, enum mr_memory_type type, struct mr_traced_range *range)
{
	const struct mr_mapping *mapping = &range->mapping;
	const uint64_t addr = range->addr > mapping->start ? range->addr : mapping->start;
	char seen[PATH_MAX];

	if (!has_usable_path(range)) {
		set_memory(range, mapping->shared ? MR_MEMORY_MEMFD : MR_MEMORY_ANON, NULL);
		remark_path(range);
		return;
	}
	set_memory(range, type, mapping->path);
	range->offset = mapping->offset + (addr - mapping->start);
	if (host->process &&
	    (mr_seen_by(host, mapping->path, seen) || strcmp(seen, mapping->path) != 0))
		DIFFERS(range, "the path belongs to a process with other mounts");
}

static enum mr_memory_type type_of_file(const struct mr_mapping *mapping)
{
	return mapping->shared ? MR_MEMORY_FILE : MR_MEMORY_FILE_PRIVATE;
}

/* ---- one mapping ---- */

static bool is_anonymous(const struct mr_mapping *mapping)
{
	return !mapping->inode &&
	       (!mapping->path[0] || has_prefix(mapping->path, "[heap]") ||
		has_prefix(mapping->path, "[stack") || has_prefix(mapping->path, "[anon"));
}

/* Chooses a kind for memory without a known obstacle. */
static void choose_for_mapping(struct mr_host *host, struct mr_traced_range *range)
{
	const struct mr_mapping *mapping = &range->mapping;
	struct mr_mapping_details details;
	const bool has_details = !mr_mapping_details_read(host, mapping->start, &details);
	const uint64_t page = has_details ? details.page_size : 0;
	char size[32];

	range->page_size = page ?: range->page_size;
	if (page && details.is_hugetlb) {
		const unsigned int power = page % (UINT64_C(1) << 30) == 0   ? 3
					   : page % (UINT64_C(1) << 20) == 0 ? 2
									     : 1;

		snprintf(size, sizeof(size), "%" PRIu64 "%c", page >> (10 * power), " KMG"[power]);
		set_memory(range, MR_MEMORY_HUGETLB, size);
		range->offset = range->addr % page;
	} else if (is_anonymous(mapping) && has_details && details.is_thp_requested) {
		set_memory(range, MR_MEMORY_THP, NULL);
		range->offset = range->addr % THP_SIZE;
	} else if (is_anonymous(mapping)) {
		set_memory(range, MR_MEMORY_ANON, NULL);
	} else if (has_prefix(mapping->path, "/memfd:") || has_prefix(mapping->path, "/SYSV") ||
		   has_prefix(mapping->path, "/dev/zero") ||
		   has_prefix(mapping->path, "[anon_shmem")) {
		/* A file to the kernel, without a path that a program could open. */
		set_memory(range, MR_MEMORY_MEMFD, NULL);
	} else if (range->file.is_found && range->file.type == S_IFCHR) {
		use_path(host, MR_MEMORY_DEVICE, range);
	} else if (mapping->path[0] == '/') {
		use_path(host, type_of_file(mapping), range);
	} else {
		set_memory(range, MR_MEMORY_ANON, NULL);
		DIFFERS(range, "the mapping is special: %.100s", mapping->path);
	}
}

/* ---- what keeps the range from being pinned ---- */

/* Whether most of a long range is not mapped, or is in mappings of other kinds. */
static bool is_far_too_long(const struct mr_traced_range *range)
{
	const uint64_t mapped =
		range->obstacle_addr > range->addr ? range->obstacle_addr - range->addr : 0;

	if (range->length <= ALIKE_MAX)
		return false;
	switch (range->obstacle) {
	case MR_OBSTACLE_HOLE:
	case MR_OBSTACLE_END:
		return mapped < range->length - range->page_size;
	case MR_OBSTACLE_DEVICE:
	case MR_OBSTACLE_FILE:
	case MR_OBSTACLE_FILE_END:
		return range->mappings > 1;
	default:
		return false;
	}
}

/* Kinds of memory that are refused for an obstacle, and how they differ from the range; NULL: they do not */
static const struct {
	enum mr_memory_type type;
	const char *difference;
} obstacles[] = {
	[MR_OBSTACLE_UNMAPPED] = { MR_MEMORY_UNMAPPED, NULL },
	[MR_OBSTACLE_HOLE] = { MR_MEMORY_HOLE, NULL },
	[MR_OBSTACLE_END] = { MR_MEMORY_HOLE, NULL },
	[MR_OBSTACLE_READ_ONLY] = { MR_MEMORY_READONLY, NULL },
	/* An address with nothing there has the same answer. */
	[MR_OBSTACLE_NO_ACCESS] = { MR_MEMORY_UNMAPPED, "mapped without read permission" },
	[MR_OBSTACLE_SECRET] = { MR_MEMORY_UNMAPPED, "of memfd_secret(2)" },
	[MR_OBSTACLE_GUARD] = { MR_MEMORY_UNMAPPED, "a guard page of madvise(2)" },
	[MR_OBSTACLE_DEVICE] = { MR_MEMORY_UNMAPPED, "memory of a device" },
	[MR_OBSTACLE_FILE_END] = { MR_MEMORY_UNMAPPED, "beyond the end of a file without a path" },
};

static void choose_for_obstacle(struct mr_host *host, struct mr_traced_range *range)
{
	const enum mr_obstacle_kind kind = range->obstacle;
	const bool is_of_file = kind == MR_OBSTACLE_DAX || kind == MR_OBSTACLE_FILE;
	const bool is_of_device = kind == MR_OBSTACLE_DEVICE;

	if (is_far_too_long(range)) {
		/* A wrong length may exceed the memory of the machine that repeats the refusal. */
		set_memory(range, MR_MEMORY_UNMAPPED, NULL);
		DIFFERS(range, "the range begins with memory, but is too long to be mapped");
	} else if (kind == MR_OBSTACLE_NONE) {
		choose_for_mapping(host, range);
	} else if ((is_of_file || is_of_device || kind == MR_OBSTACLE_FILE_END) &&
		   has_usable_path(range)) {
		use_path(host, is_of_device ? MR_MEMORY_DEVICE : type_of_file(&range->mapping),
			 range);
	} else if (
		is_of_file) { /* its file system determines this, which no other kind of memory has */
		remark_path(range);
	} else {
		set_memory(range, obstacles[kind].type, NULL);
		if (obstacles[kind].difference)
			DIFFERS(range, "the range is %s, which no kind of memory can reproduce",
				obstacles[kind].difference);
	}
}

/* ---- the range ---- */

/* The mappings of a range, compared with its first one. */
struct walk {
	struct mr_traced_range *range;
	uint64_t next; /* first address behind the mappings so far */
	uint64_t end;
	bool is_mixed;
};

/* Notes the first hole in the range: nothing is mapped behind the mappings so far, up to @end. */
static void note_hole(struct walk *walk, uint64_t end)
{
	if (walk->range->obstacle || walk->next >= end)
		return;
	walk->range->obstacle = MR_OBSTACLE_HOLE;
	walk->range->obstacle_addr = walk->next;
}

static bool visit(const struct mr_mapping *mapping, void *data)
{
	struct walk *walk = data;
	struct mr_traced_range *range = walk->range;
	const struct mr_mapping *first = &range->mapping;

	note_hole(walk, mapping->start < walk->end ? mapping->start : walk->end);
	if (mapping->start >= walk->end || range->mappings == MAPPINGS_MAX)
		return false;
	walk->next = mapping->end;
	if (!range->mappings++)
		range->mapping = *mapping;
	walk->is_mixed |= mapping->inode != first->inode || mapping->shared != first->shared ||
			  mapping->writable != first->writable ||
			  strcmp(mapping->path, first->path) != 0;
	return mapping->end < walk->end;
}

static int look_at_mappings(struct mr_host *host, struct mr_traced_range *range)
{
	struct walk walk = { .range = range, .next = range->addr };
	int rc;

	/* an empty range is where it points to */
	if (__builtin_add_overflow(range->addr, range->length ?: 1, &walk.end))
		walk.end = UINT64_MAX;
	rc = mr_mappings_walk(host, range->addr, visit, &walk);
	if (rc)
		return rc;
	if (!range->mappings)
		range->obstacle = MR_OBSTACLE_UNMAPPED;
	else if (range->mappings < MAPPINGS_MAX)
		note_hole(&walk, walk.end);
	if (walk.is_mixed)
		DIFFERS(range, "the range is in %u mappings of different kinds", range->mappings);
	return 0;
}

int mr_traced_range_read(const struct mr_refusal *refusal, struct mr_host *host,
			 struct mr_traced_range *range)
{
	const uint64_t page = mr_page_size(host);
	const struct mr_obstacle *obstacle;
	struct mr_inquiry inquiry;
	struct mr_range asked;
	int rc;

	mr_inquiry_init(&inquiry, refusal, host);
	*range = (struct mr_traced_range){ .is_exact = true };
	if (refusal->advised) /* of a region whose IOVA is its address, as nearly all have */
		asked = (struct mr_range){ refusal->advised->addr, refusal->advised->length };
	else if (!mr_inquiry_range(&inquiry, &asked))
		return -ENODATA;
	range->addr = asked.addr;
	range->length = asked.length;
	range->offset = asked.addr % page;
	range->page_size = page;
	if (!asked.addr && asked.length == UINT64_MAX) {
		set_memory(range, MR_MEMORY_NONE, NULL);
		return 0;
	}
	rc = look_at_mappings(host, range);
	if (rc) {
		range->page_size = 0;
		DIFFERS(range, "the mappings of the process cannot be read: %s",
			mr_errno_text(-rc));
		return rc;
	}
	obstacle = mr_obstacle_find(&inquiry); /* of pinning; of other calls it is not looked for */
	if (obstacle && obstacle->kind) {
		range->obstacle = obstacle->kind;
		range->obstacle_addr = obstacle->addr;
		range->mapping = obstacle->mapping;
		range->file = obstacle->file;
	} else if (range->mappings) {
		mr_mapped_file_read(host, &range->mapping, &range->file);
	}
	choose_for_obstacle(host, range);
	return 0;
}

/* providers/mlx5/mlx5dv.h since rdma-core 54: MLX5DV_REG_DMABUF_ACCESS_DATA_DIRECT */
#define ACCESS_DATA_DIRECT (1U << 0)

/* ---- the call that registers ---- */

/* verbs.h makes ibv_reg_mr_iova2() of ibv_reg_mr(), where the flags are not constant. */
bool mr_traced_region_call(const struct mr_trace_record *record, enum mr_region_call *call)
{
	const bool has_fd = record->flags & MR_TRACE_HAS_FD;
	const enum mr_region_call with_iova =
		record->iova == record->addr ? MR_REG_MR : MR_REG_MR_IOVA;
	const enum mr_region_call calls[MR_TRACED_CALL_COUNT] = {
		[MR_TRACED_IBV_REG_MR] = MR_REG_MR,
		[MR_TRACED_IBV_REG_BUF_MR] = MR_REG_MR,
		[MR_TRACED_IBV_REG_MR_IOVA] = with_iova,
		[MR_TRACED_IBV_REG_MR_IOVA2] = with_iova,
		[MR_TRACED_IBV_REG_DMABUF_MR] = MR_REG_DMABUF_MR,
		[MR_TRACED_MLX5DV_REG_DMABUF_MR] = record->call_flags & ACCESS_DATA_DIRECT
							   ? MR_DV_REG_DMABUF_MR
							   : MR_REG_DMABUF_MR,
		[MR_TRACED_IBV_REG_MR_EX] = has_fd                              ? MR_REG_MR_EX_FD
					    : record->flags & MR_TRACE_HAS_DMAH ? MR_REG_MR_DMAH
					    : record->flags & MR_TRACE_HAS_IOVA ? MR_REG_MR_EX_IOVA
										: MR_REG_MR_EX,
		[MR_TRACED_IBV_REG_DM_MR] = MR_REG_DM_MR,
		[MR_TRACED_IBV_ALLOC_NULL_MR] = MR_ALLOC_NULL_MR,
		[MR_TRACED_MLX5DV_DEVX_UMEM_REG] = MR_UMEM_REG,
		[MR_TRACED_MLX5DV_DEVX_UMEM_REG_EX] = !has_fd ? MR_UMEM_REG_EX
						      : record->flags & MR_TRACE_HAS_PAGE_SIZES
							      ? MR_UMEM_REG_EX_DMABUF
							      : MR_UMEM_REG_DMABUF,
	};

	if (mr_traced_call_row(record->call)->effect != MR_TRACED_REGISTERS ||
	    record->call == MR_TRACED_IBV_IMPORT_MR)
		return false;
	*call = calls[record->call];
	return true;
}

uint64_t mr_traced_unknown_attributes(const struct mr_trace_record *record)
{
	const uint64_t of_reg = MR_INIT_ATTR_IOVA | MR_INIT_ATTR_ADDR | MR_INIT_ATTR_FD |
				MR_INIT_ATTR_FD_OFFSET | MR_INIT_ATTR_DMAH;

	return record->comp_mask &
	       ~(record->call == MR_TRACED_IBV_REG_MR_EX ? of_reg : MLX5DV_UMEM_MASK_DMABUF);
}

/* Whether it was the kernel that refused.  Earlier refusals with another errno prove nothing. */
static enum mr_tristate is_by_kernel(const struct mr_trace_record *record)
{
	if (!(record->flags & MR_TRACE_KERNEL_SEEN))
		return MR_UNKNOWN;
	if (!record->kernel_calls || !record->kernel_errnum)
		return MR_NO;
	return record->kernel_errnum == record->errnum ? MR_YES : MR_UNKNOWN;
}

/* Reads what a registration, change or advice was given. */
static void read_request(const struct mr_trace_record *record, struct mr_refused_call *call)
{
	struct mr_region_request *request = &call->request;
	struct mr_refusal *refusal = &call->refusal;

	if (mr_traced_region_call(record, &request->call)) {
		request->addr = record->addr;
		request->length = record->length;
		request->iova = record->iova;
		request->page_sizes = record->page_sizes;
		request->access = record->access;
		request->fd = record->flags & MR_TRACE_HAS_FD ? record->fd : -1;
		refusal->request = request;
		refusal->call = mr_call_row(request->call)->name;
	} else if (record->call == MR_TRACED_IBV_REREG_MR) {
		call->rereg = (struct mr_rereg_request){ .changes = record->call_flags,
							 .addr = record->addr,
							 .length = record->length,
							 .iova = record->addr,
							 .access = record->access,
							 .origin = MR_ORIGIN_UNKNOWN };
		call->failure.code = mr_rereg_code_name(record->result);
		refusal->rereg = &call->rereg;
		refusal->rereg_failure = &call->failure;
	} else if (record->call == MR_TRACED_IBV_ADVISE_MR) {
		call->advice =
			(struct mr_advice){ .advice = record->access, .flags = record->call_flags };
		call->advised =
			(struct mr_advice_range){ record->addr, record->length, record->lkey };
		refusal->advice = &call->advice;
		refusal->advised = record->range_count ? &call->advised : NULL;
		refusal->has_more_ranges = record->range_count > 1;
	}
}

/* Takes a call from its record.  Facts about the process and its device are set later. */
static void read_call(const struct mr_trace_record *record, const struct mr_look *look,
		      struct mr_refused_call *call)
{
	const struct mr_traced_call_row *row = mr_traced_call_row(record->call);
	const struct mr_trace_record *region = &look->region;
	struct mr_refusal *refusal = &call->refusal;

	/* A call that has left errno as it was has that of mrctl's own calls (lib/verbs/rereg.c, mr_call_errno()). */
	*call = (struct mr_refused_call){
		.refusal = {
			.call = row->name ? row->name : "",
			.errnum = record->errnum != MR_TRACE_NO_ERRNO ? record->errnum
				  : record->call == MR_TRACED_IBV_REREG_MR ? ENOMEM : EIO,
			.kind = MR_ERROR_REFUSED,
			.via = MR_VIA_LIBRARY,
			.held = look->registered_bytes,
			.most_held = look->most_bytes,
			.unknown_attributes = mr_traced_unknown_attributes(record),
			.users = look->users,
			.has_gone_on = look->has_gone_on,
			.dm_length = record->call == MR_TRACED_IBV_ALLOC_DM ? record->length
									    : look->dm_length.value,
			.queue_bytes = record->queue_bytes,
			.fork_safe = record->flags & MR_TRACE_FORK_SAFE ? MR_YES : MR_UNKNOWN,
			.by_kernel = is_by_kernel(record),
			.devx_errnum = { (uint64_t)record->devx_errnum,
					 record->flags & MR_TRACE_HAS_DEVX && record->devx_errnum >= 0 },
			.handle_known = row->effect == MR_TRACED_DEREGISTERS ||
					row->effect == MR_TRACED_FREES ||
					row->effect == MR_TRACED_ADVISES,
			.handle_kind = record->call == MR_TRACED_MLX5DV_DEVX_UMEM_DEREG ? MR_KIND_UMEM
				       : record->call == MR_TRACED_IBV_FREE_DM          ? MR_KIND_DM
											: MR_KIND_MR,
			.handle = record->handle,
		},
	};
	read_request(record, call);
	/* A region by ibv_import_mr() was registered by another process, in a way that is not known. */
	call->failure.imported = look->has_region && region->call == MR_TRACED_IBV_IMPORT_MR;
	if (!look->has_region || !mr_traced_region_call(region, &refusal->region_call))
		return;
	refusal->region_known = true;
	refusal->region_access = region->access;
	refusal->region_addr = region->addr;
	refusal->region_length = region->length;
	refusal->region_iova = region->iova;
	refusal->pinned_access = (struct mr_opt_u64){ region->pinned_access, true };
}

/* ---- libibverbs of the process ---- */

static bool take_library(const struct mr_mapping *mapping, void *data)
{
	static const char name[] = "/libibverbs.so.";
	struct mr_environment *environment = data;

	return !strstr(mapping->path, name) ||
	       !mr_rdma_core_version(mapping->path, environment->rdma_core,
				     sizeof(environment->rdma_core));
}

/* Whether a variable has the same value in both processes, or is set in neither. */
static bool has_same_variable(const struct mr_host *host, const char *name)
{
	const char *own = getenv(name);
	char others[64];

	return mr_process_variable(host->process, name, others, sizeof(others)) >= 0 &&
	       !strcmp(own ? own : "", others);
}

/*
 * Opens the device of the call, unless it has failed: opening it may take until a command times out.  Another
 * release of rdma-core may have a provider with other functions: then only the kernel is queried.
 */
static void open_device(const char *own_rdma_core, struct mr_refused_call *call,
			struct mr_environment *environment)
{
	struct mr_refusal *refusal = &call->refusal;
	const int errnum = refusal->errnum;
	struct mr_environment found = { .device = "" };
	struct mr_error ignored;
	uint32_t no_pd;

	if (mr_operation_of(refusal) == MR_OP_OPEN || errnum == EIO || errnum == ETIMEDOUT ||
	    errnum == ENODEV || errnum == ENXIO)
		mr_device_find(environment->device, &found, &ignored);
	else
		refusal->is_opened_anew = !mr_device_open_alone(environment->device, false,
								&call->device, &found, &ignored);
	memcpy(environment->provider, found.provider, sizeof(environment->provider));
	if (!refusal->is_opened_anew)
		return;
	call->uverbs = mr_device_uverbs(&call->device, &found, &no_pd);
	refusal->uverbs = &call->uverbs;
	if (!strcmp(own_rdma_core, environment->rdma_core))
		refusal->context = call->device.context;
}

/*
 * The names of the simulated profiles are those of the providers; the first kernel is the default.  A device of that name
 * is the same one here where it is a real one, or one that is simulated alike.
 */
static void find_device(struct mr_host *host, const struct mr_trace_record *record,
			const char *own_rdma_core, struct mr_refused_call *call,
			struct mr_environment *environment)
{
	const bool is_simulated = mr_is_simulated(host) || record->flags & MR_TRACE_HAS_PINNED;
	char *kernel = environment->simulated_kernel;

	snprintf(environment->device, sizeof(environment->device), "%.*s",
		 (int)sizeof(record->device), record->device);
	environment->simulated = is_simulated;
	if (is_simulated)
		mr_process_variable(host->process, MR_SIM_VARIABLE, environment->provider,
				    sizeof(environment->provider));
	if (is_simulated && mr_process_variable(host->process, MR_SIM_KERNEL_VARIABLE, kernel,
						sizeof(environment->simulated_kernel)) == 0)
		snprintf(kernel, sizeof(environment->simulated_kernel), "%s",
			 mr_sim_kernels[0].name);
	if (!environment->device[0] || strchr(environment->device, '/'))
		return;
	if (mr_is_simulated(mr_this_host()) == is_simulated &&
	    (!is_simulated || (has_same_variable(host, MR_SIM_VARIABLE) &&
			       has_same_variable(host, MR_SIM_KERNEL_VARIABLE))))
		open_device(own_rdma_core, call, environment);
	mr_host_line(host, environment->firmware, sizeof(environment->firmware),
		     "/sys/class/infiniband/%s/fw_ver", environment->device);
}

/* ---- the process ---- */

static struct mr_opt_u64 limited(uint64_t limit)
{
	return (struct mr_opt_u64){ limit, limit != UINT64_MAX };
}

/* Reads the limits and the user of the process, and what mr_environment_init() finds out of this one. */
static void read_process(struct mr_host *host, struct mr_look *look)
{
	struct mr_environment *environment = &look->environment;
	struct mr_process_status status;

	if (!mr_process_status_read(host, "self", &status))
		environment->euid = status.uid;
	look->pinned = status.pinned;
	look->has_memlock = !mr_rlimit_read(host, "self", MR_MEMLOCK, &look->memlock);
	if (look->has_memlock) {
		environment->memlock_soft = limited(look->memlock.soft);
		environment->memlock_hard = limited(look->memlock.hard);
	}
	look->is_memlock_lifted = mr_memlock_is_lifted(host);
	mr_mappings_walk(host, 0, take_library, environment);
}

void mr_look_at(pid_t pid, const struct mr_trace_record *record, struct mr_look *look)
{
	struct mr_host host = MR_THIS_HOST;
	const struct mr_region_request *request;
	struct mr_environment own;
	struct mr_refused_call call;
	struct mr_refusal *refusal = &call.refusal;

	host.process = pid;
	host.thread = mr_process_thread(pid, record->tid);
	read_call(record, look, &call);
	mr_environment_init(&own);
	memcpy(look->environment.mrctl, own.mrctl, sizeof(own.mrctl));
	memcpy(look->environment.kernel, own.kernel, sizeof(own.kernel));
	read_process(&host, look);
	find_device(&host, record, own.rdma_core, &call, &look->environment);
	refusal->environment = &look->environment;
	if (refusal->rereg && refusal->errnum == EOPNOTSUPP &&
	    !strcmp(call.failure.code, "IBV_REREG_MR_ERR_CMD")) {
		if (refusal->by_kernel == MR_NO)
			call.failure.lacks = MR_REREG_OF_PROVIDER;
		else if (refusal->uverbs && !mr_kernel_has_rereg(refusal->uverbs, 0))
			call.failure.lacks = MR_REREG_OF_KERNEL;
	}
	if (look->environment.simulated)
		look->pinned =
			(struct mr_opt_u64){ record->pinned, record->flags & MR_TRACE_HAS_PINNED };
	request = refusal->request;
	look->has_range = mr_traced_range_read(refusal, &host, &look->range) != -ENODATA;
	look->has_dmabuf = request && mr_region_is_dmabuf(request->call) && request->fd >= 0 &&
			   !mr_dmabuf_file_read(&host, request->fd, &look->dmabuf);
	look->dmabuf.is_dmabuf |= look->dmabuf.is_simulated && look->environment.simulated;
	if (look->has_range && look->range.memory[0])
		refusal->memory = look->range.memory;
	refusal->simulated_pinned = look->pinned;
	look->errnum = refusal->errnum;
	look->by_kernel = refusal->by_kernel;
	mr_diagnose(refusal, &host, &look->diagnosis);
	if (refusal->is_opened_anew)
		mr_device_close(&call.device);
}

/* ---- kinds of refusals ---- */

const struct mr_cause *mr_look_cause(const struct mr_look *look)
{
	return look && look->diagnosis.cause_count ? look->diagnosis.causes[0].cause : NULL;
}

bool mr_look_is_of_request(const struct mr_look *look)
{
	const struct mr_cause *cause = mr_look_cause(look);

	return cause && cause->is_of_request && look->diagnosis.causes[0].certainty == MR_CERTAIN;
}

static bool has_likeness(const struct mr_refusal_kind *kind, uint64_t likeness)
{
	for (size_t i = 0; i < kind->likeness_count; i++)
		if (kind->likenesses[i] == likeness)
			return true;
	return false;
}

/*
 * Returns the kind with the cause that was found, or one without a look, of a call that is alike.  Without a look, it
 * returns the kind of calls on the same range that are alike, or of calls that are alike, if these have one cause alone.
 * @look:      NULL: mrctl did not look at this call
 * @ambiguous: set if they have several causes
 */
static struct mr_refusal_kind *find_kind(const struct mr_refusals *refusals,
					 const struct mr_trace_record *call,
					 const struct mr_look *look, bool *ambiguous)
{
	const uint64_t likeness = mr_trace_likeness(call);
	const uint64_t range = mr_trace_range_likeness(call, likeness);
	struct mr_refusal_kind *unseen = NULL, *of_range = NULL, *alike = NULL;
	size_t range_count = 0, count = 0;

	for (size_t i = 0; i < refusals->count; i++) {
		struct mr_refusal_kind *kind = refusals->kinds[i];
		const bool is_alike = has_likeness(kind, likeness);

		if (kind->record.call.call != call->call ||
		    kind->record.call.errnum != call->errnum)
			continue;
		if (look && kind->look && mr_look_cause(kind->look) == mr_look_cause(look))
			return kind;
		if (!kind->look) {
			unseen = is_alike && !(look && kind->is_ambiguous) ? kind : unseen;
			continue;
		}
		of_range = has_likeness(kind, range) && !range_count++ ? kind : of_range;
		alike = is_alike && !count++ ? kind : alike;
	}
	if (look)
		return unseen;
	*ambiguous = range_count != 1 && count > 1;
	return range_count == 1 ? of_range : count == 1 ? alike : unseen;
}

static void add_likeness(struct mr_refusal_kind *kind, uint64_t likeness)
{
	if (kind->likeness_count < MR_REFUSAL_LIKENESSES && !has_likeness(kind, likeness))
		kind->likenesses[kind->likeness_count++] = likeness;
}

void mr_refusals_add(struct mr_refusals *refusals, struct mr_traced_process *process,
		     const struct mr_traced_record *record, struct mr_site *site,
		     const struct mr_look *look)
{
	const struct mr_trace_record *call = &record->call;
	const uint64_t likeness = mr_trace_likeness(call);
	bool ambiguous = false;
	struct mr_refusal_kind *kind = find_kind(refusals, call, look, &ambiguous);

	refusals->total++;
	if (!kind && refusals->count < MR_REFUSAL_KINDS && (kind = calloc(1, sizeof(*kind)))) {
		const char *place = mr_process_place(process, site);

		kind->place = place ? strdup(place) : NULL;
		kind->program = strdup(process->program);
		kind->stack = mr_process_callers(process, record->frames, call->frame_count);
		refusals->kinds[refusals->count++] = kind;
	}
	if (!kind) {
		refusals->left_out++;
		return;
	}
	if (!kind->count || (look && !kind->look)) {
		kind->record = *record;
		kind->pid = process->pid;
		kind->look = look ? malloc(sizeof(*look)) : NULL;
		if (kind->look)
			*kind->look = *look;
	}
	kind->count++;
	kind->looked_at += look != NULL;
	kind->is_ambiguous |= ambiguous;
	add_likeness(kind, likeness);
	if (look)
		add_likeness(kind, mr_trace_range_likeness(call, likeness));
}

void mr_refusals_release(struct mr_refusals *refusals)
{
	for (size_t i = 0; i < refusals->count; i++) {
		free(refusals->kinds[i]->place);
		free(refusals->kinds[i]->program);
		free(refusals->kinds[i]->look);
		mr_callers_release(refusals->kinds[i]->stack);
		free(refusals->kinds[i]);
	}
	*refusals = (struct mr_refusals){ .count = 0 };
}
