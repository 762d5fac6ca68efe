// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>

#include "lib/nldev/nldev.h"

/* ---- one MR ---- */

/* The driver's own attributes are pairs: a name, and a value.  mlx5 has "odp": "explicit" or "implicit". */
static void take_driver(const struct nlattr *table, struct mr_nldev_mr *mr)
{
	const struct nlattr *attribute;
	bool is_odp = false;

	MR_EACH_NESTED(attribute, table) {
		if (mnl_attr_get_type(attribute) != RDMA_NLDEV_ATTR_DRIVER_STRING)
			continue;
		if (is_odp && mr_attribute_is(attribute, "explicit"))
			mr->odp = MR_NLDEV_ODP_EXPLICIT;
		else if (is_odp && mr_attribute_is(attribute, "implicit"))
			mr->odp = MR_NLDEV_ODP_IMPLICIT;
		is_odp = mr_attribute_is(attribute, "odp");
	}
}

/* Return: false if the number of the MR or its length is missing. */
static bool read_mr(const void *attributes, size_t size, struct mr_nldev_mr *mr)
{
	bool has_mrn = false, has_lkey = false, has_rkey = false;
	struct mr_opt_u64 length = { 0, false };
	const struct nlattr *attr;

	*mr = (struct mr_nldev_mr){ .length = 0 };
	MR_EACH_ATTRIBUTE_OF(attr, attributes, size)
		switch (mnl_attr_get_type(attr)) {
		case RDMA_NLDEV_ATTR_RES_MRN:
			has_mrn = mr_attribute_u32(attr, &mr->mrn);
			break;
		case RDMA_NLDEV_ATTR_RES_MRLEN:
			length = mr_attribute_number(attr);
			break;
		case RDMA_NLDEV_ATTR_RES_LKEY:
			has_lkey = mr_attribute_u32(attr, &mr->lkey);
			break;
		case RDMA_NLDEV_ATTR_RES_RKEY:
			has_rkey = mr_attribute_u32(attr, &mr->rkey);
			break;
		case RDMA_NLDEV_ATTR_RES_PDN:
			mr->has_pdn = mr_attribute_u32(attr, &mr->pdn);
			break;
		case RDMA_NLDEV_ATTR_RES_PID:
			mr_attribute_u32(attr, &mr->pid);
			break;
		case RDMA_NLDEV_ATTR_RES_KERN_NAME:
			mr_attribute_text(attr, mr->kernel, sizeof(mr->kernel));
			break;
		case RDMA_NLDEV_ATTR_DRIVER:
			take_driver(attr, mr);
			break;
		}
	mr->length = length.value;
	mr->has_keys = has_lkey && has_rkey;
	return has_mrn && length.known;
}

/* ---- the list ---- */

/*
 * After this many MRs, queries of the next ones by number are faster than a dump, which steps over all before them.
 */
#define DUMPED_FIRST 12000

/* How the MRs of a device are collected. */
struct collection {
	struct mr_nldev *nl;
	struct mr_nldev_mrs *mrs;
	uint32_t device;
	uint64_t next; /* MRs of lower numbers have been queried */
	bool out_of_memory;
	size_t enough;       /* with so many MRs a dump ends */
	bool is_done;        /* it has come to its own end */
	uint64_t misses;     /* numbers that were queried, and belong to no MR */
	uint64_t misses_now; /* the same since the last MR was found */
};

static void add_mr(struct collection *collection, const struct mr_nldev_mr *mr)
{
	struct mr_nldev_mrs *mrs = collection->mrs;

	if (mrs->count == mrs->room) {
		size_t room = mrs->room ? 2 * mrs->room : 512;
		struct mr_nldev_mr *list = reallocarray(mrs->list, room, sizeof(*list));

		if (!list) {
			collection->out_of_memory = true;
			return;
		}
		mrs->list = list;
		mrs->room = room;
	}
	mrs->list[mrs->count++] = *mr;
}

static int compare_numbers(const void *a, const void *b)
{
	const struct mr_nldev_mr *x = a, *y = b;

	return (x->mrn > y->mrn) - (x->mrn < y->mrn);
}

static void sort(struct mr_nldev_mrs *mrs)
{
	for (size_t i = 1; i < mrs->count; i++)
		if (mrs->list[i - 1].mrn > mrs->list[i].mrn) {
			qsort(mrs->list, mrs->count, sizeof(*mrs->list), compare_numbers);
			return;
		}
}

static int count_mrs(struct collection *collection, struct mr_opt_u64 *count, struct mr_error *err)
{
	struct mr_nldev_summary summary;
	int rc = mr_nldev_summary(collection->nl, collection->device, &summary, err);

	if (!rc)
		*count = mr_nldev_summary_of(&summary, "mr");
	return rc;
}

/* ---- by a dump ---- */

static void take_entry(struct collection *collection, const struct nlattr *entry)
{
	struct mr_nldev_mr mr;

	if (mnl_attr_get_type(entry) == RDMA_NLDEV_ATTR_RES_MR_ENTRY &&
	    read_mr(mnl_attr_get_payload(entry), mnl_attr_get_payload_len(entry), &mr) &&
	    mr.mrn >= collection->next)
		add_mr(collection, &mr);
}

/* Take a part of a dump. */
static int take_dumped(const struct nlmsghdr *message, void *data)
{
	struct collection *collection = data;
	const struct mr_nldev_mrs *mrs = collection->mrs;
	const struct nlattr *table, *entry;
	size_t before = mrs->count;

	MR_EACH_ATTRIBUTE(table, message)
		if (mnl_attr_get_type(table) == RDMA_NLDEV_ATTR_RES_MR)
			MR_EACH_NESTED(entry, table)
				take_entry(collection, entry);
	if (before && mrs->count > before)
		mrs->list[before].begins_part = true;
	collection->is_done = mrs->count < collection->enough;
	return collection->is_done ? MNL_CB_OK : MNL_CB_STOP;
}

/* Adds the MRs that a dump lists and that were not queried, up to @enough. */
static int dump(struct collection *collection, size_t enough, struct mr_error *err)
{
	const struct mr_nldev_question question = { .call = "RDMA_NLDEV_CMD_RES_MR_GET",
						    .command = RDMA_NLDEV_CMD_RES_MR_GET,
						    .dump = true,
						    .has_device = true,
						    .device = collection->device };
	int rc;

	collection->enough = enough;
	collection->is_done = true;
	rc = mr_nldev_query(collection->nl, &question, take_dumped, collection,
			    &collection->mrs->count, err);
	return rc || collection->is_done ? rc : mr_nldev_reopen(collection->nl, err);
}

/* ---- by their numbers ---- */

static void take_walked(const struct nlmsghdr *message, unsigned int n, void *data)
{
	struct collection *collection = data;
	struct mr_nldev_mr mr;

	if (message &&
	    read_mr(mnl_nlmsg_get_payload(message), mnl_nlmsg_get_payload_len(message), &mr) &&
	    mr.mrn == collection->next + n) {
		add_mr(collection, &mr);
		collection->misses_now = 0;
	} else {
		collection->misses++;
		collection->misses_now++;
	}
}

#define END_OF_NUMBERS (UINT64_C(1) << 32)

/* Ask for the next numbers below @end.  Return: 0 or -errno. */
static int walk_step(struct collection *collection, uint64_t end, struct mr_error *err)
{
	const struct mr_nldev_question question = { .call = "RDMA_NLDEV_CMD_RES_MR_GET",
						    .command = RDMA_NLDEV_CMD_RES_MR_GET,
						    .has_device = true,
						    .device = collection->device,
						    .attribute = RDMA_NLDEV_ATTR_RES_MRN };
	uint32_t numbers[MR_NLDEV_BATCH];
	unsigned int count = 0;
	int rc;

	for (; count < MR_NLDEV_BATCH && collection->next + count < end; count++)
		numbers[count] = (uint32_t)collection->next + count;
	rc = mr_nldev_query_each(collection->nl, &question, numbers, count, take_walked, collection,
				 err);
	collection->next += count;
	return rc;
}

/*
 * The number of queries without an MR after which a dump is faster, for @count MRs.  A dump
 * steps over count^2 / 800 MRs, as a part of it has some 400, and a request takes as long as some 30 such steps.
 */
static uint64_t allowed_misses(uint64_t count)
{
	uint64_t quick = 1024 + count * count / 24000, most = 1024 + 8 * count;

	return quick < most ? quick : most;
}

/*
 * Ask for the numbers that follow, until as many MRs are found as the kernel counts and no further one is near.
 * Return: 1: all found; 0: a dump is needed; or -errno.
 */
static int walk(struct collection *collection, uint64_t counted, struct mr_error *err)
{
	uint64_t quiet = MR_NLDEV_BATCH + collection->mrs->count / 16;
	struct mr_opt_u64 now = { counted, true };
	int rc = 0;

	while (!rc && collection->misses < allowed_misses(now.value) &&
	       collection->next < END_OF_NUMBERS && !collection->out_of_memory) {
		rc = walk_step(collection, END_OF_NUMBERS, err);
		if (rc || collection->misses_now < quiet)
			continue;
		rc = count_mrs(collection, &now, err);
		if (!rc && now.known && collection->mrs->count >= now.value)
			return 1;
		quiet *= 2;
	}
	return rc;
}

/* Asks for the numbers between two parts of a dump, which may be those of MRs that it has skipped. */
static int walk_gaps(struct collection *collection, struct mr_error *err)
{
	const struct mr_nldev_mrs *mrs = collection->mrs;
	const size_t count = mrs->count;
	const uint64_t limit = allowed_misses(count);
	int rc = 0;

	for (size_t i = 1; i < count && !rc; i++) {
		const uint32_t end = mrs->list[i].mrn;

		collection->next =
			mrs->list[i].begins_part ? (uint64_t)mrs->list[i - 1].mrn + 1 : end;
		while (!rc && collection->next < end && collection->misses < limit)
			rc = walk_step(collection, end, err);
	}
	collection->misses = collection->misses_now = 0;
	return rc;
}

/* ---- all ---- */

static int collect(struct collection *collection, struct mr_error *err)
{
	struct mr_nldev_mrs *mrs = collection->mrs;
	struct mr_opt_u64 counted;
	bool has_all;
	uint32_t last;
	int rc = count_mrs(collection, &counted, err);

	if (rc)
		return rc;
	rc = dump(collection, counted.known ? DUMPED_FIRST : SIZE_MAX, err);
	if (rc || !mrs->count)
		return rc;
	last = mrs->list[mrs->count - 1].mrn;
	/*
	 * Where an MR at the end of the dump was skipped, all that are listed were made before it, so they are fewer
	 * than were counted before.
	 */
	has_all = collection->is_done && counted.known && mrs->count >= counted.value;
	rc = walk_gaps(collection, err);
	if (rc || has_all || !counted.known)
		return rc;
	collection->next = (uint64_t)last + 1;
	rc = walk(collection, counted.value, err);
	if (rc)
		return rc < 0 ? rc : 0;
	return dump(collection, SIZE_MAX, err);
}

int mr_nldev_mrs(struct mr_nldev *nl, uint32_t device, struct mr_nldev_mrs *mrs,
		 struct mr_error *err)
{
	struct collection collection = { .nl = nl, .mrs = mrs, .device = device };
	int rc;

	*mrs = (struct mr_nldev_mrs){ .count = 0 };
	rc = collect(&collection, err);
	if (!rc && collection.out_of_memory)
		rc = mr_fail(err, MR_ERROR_HOST, ENOMEM, "realloc", "too many MRs");
	if (!rc)
		rc = count_mrs(&collection, &mrs->counted, err);
	sort(mrs);
	return rc;
}

void mr_nldev_mrs_release(struct mr_nldev_mrs *mrs)
{
	free(mrs->list);
	*mrs = (struct mr_nldev_mrs){ .count = 0 };
}

/* ---- page faults ---- */

static void take_counter(const struct nlattr *entry, struct mr_nldev_mr *mr)
{
	const struct nlattr *attribute;
	uint64_t *counter = NULL;
	struct mr_opt_u64 value;

	MR_EACH_NESTED(attribute, entry) {
		switch (mnl_attr_get_type(attribute)) {
		case RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_NAME:
			counter = mr_attribute_is(attribute, "page_faults") ? &mr->page_faults
				  : mr_attribute_is(attribute, "page_invalidations")
					  ? &mr->page_invalidations
				  : mr_attribute_is(attribute, "page_prefetch") ? &mr->page_prefetch
										: NULL;
			break;
		case RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_VALUE:
			value = mr_attribute_number(attribute);
			if (!counter || !value.known)
				break;
			*counter = value.value;
			mr->has_counters = true;
			break;
		}
	}
}

/* The MRs that are queried together. */
struct counted {
	struct mr_nldev_mr *mrs[MR_NLDEV_BATCH];
	uint32_t numbers[MR_NLDEV_BATCH];
	unsigned int count;
};

static void take_counters(const struct nlmsghdr *message, unsigned int n, void *data)
{
	const struct nlattr *table, *entry;
	struct counted *counted = data;

	if (!message)
		return;
	MR_EACH_ATTRIBUTE(table, message)
		if (mnl_attr_get_type(table) == RDMA_NLDEV_ATTR_STAT_HWCOUNTERS)
			MR_EACH_NESTED(entry, table)
				take_counter(entry, counted->mrs[n]);
}

int mr_nldev_count_faults(struct mr_nldev *nl, uint32_t device, struct mr_nldev_mrs *mrs,
			  struct mr_error *err)
{
	const struct mr_nldev_question question = { .call = "RDMA_NLDEV_CMD_STAT_GET",
						    .command = RDMA_NLDEV_CMD_STAT_GET,
						    .has_device = true,
						    .device = device,
						    .of = RDMA_NLDEV_ATTR_RES_MR,
						    .attribute = RDMA_NLDEV_ATTR_RES_MRN };
	struct counted counted = { .count = 0 };
	int rc = 0;

	for (size_t i = 0; i <= mrs->count && !rc; i++) {
		if (i < mrs->count && mrs->list[i].odp != MR_NLDEV_ODP_UNTOLD) {
			counted.mrs[counted.count] = &mrs->list[i];
			counted.numbers[counted.count++] = mrs->list[i].mrn;
		}
		if (i < mrs->count && counted.count < MR_NLDEV_BATCH)
			continue;
		rc = mr_nldev_query_each(nl, &question, counted.numbers, counted.count,
					 take_counters, &counted, err);
		counted.count = 0;
	}
	return rc;
}
