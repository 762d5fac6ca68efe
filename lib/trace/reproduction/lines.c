// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "lib/host/host.h"
#include "lib/trace/reproduction/batch_words.h"
#include "lib/trace/reproduction/earlier.h"
#include "lib/trace/reproduction/lines.h"
#include "lib/verbs/verbs.h"

/* Bytes that anonymous memory is mapped for, without being touched. */
#define MAPPED_MAX (UINT64_C(64) << 30)

static void print_expect(FILE *file, const struct mr_reproduced *it)
{
	const char *name = mr_errno_name(it->record->errnum);

	if (name)
		fprintf(file, " --expect %s", name);
	fputc('\n', file);
}

/* ---- the memory ---- */

static void print_offset(FILE *file, uint64_t offset)
{
	if (offset)
		fprintf(file, " --offset %" PRIu64, offset);
}

/* For a request that is refused of any memory.  No kernel maps as much as some programs ask for. */
static void print_any_memory(FILE *file, const struct mr_trace_record *record)
{
	if (record->length <= MAPPED_MAX)
		print_offset(file, record->addr % mr_page_size(mr_this_host()));
	else if (record->addr)
		fprintf(file, " --memory none --addr 0x%" PRIx64, record->addr);
	else
		fputs(" --memory none", file);
}

/* The kind of memory that stands for the range, and where in it the range begins. */
static void print_range(FILE *file, const struct mr_reproduced *it)
{
	const struct mr_traced_range *range = &it->look->range;

	if (mr_refusals_is_of_request(it->kind)) {
		print_any_memory(file, it->record);
		return;
	}
	if (mr_reproduced_is_beyond_all(range)) {
		fprintf(file, " --memory none --addr 0x%" PRIx64, range->addr);
		return;
	}
	if (strcmp(range->memory, "anon") != 0)
		mr_batch_print_memory(file, "--memory", range->memory);
	print_offset(file, range->offset);
}

static void print_device_memory(FILE *file, const struct mr_reproduced *it, uint64_t offset)
{
	fputs(" --memory dm", file);
	if (it->kind->dm_length.known)
		fprintf(file, ":%" PRIu64, it->kind->dm_length.value);
	print_offset(file, offset);
}

/*
 * A descriptor that is refused as that of the program was: one that no process has open, or standard input, which is
 * no dma-buf.  0 where the descriptor is not known to be the reason, too.
 */
static int wrong_descriptor(const struct mr_reproduced *it)
{
	return it->record->errnum == EBADF ? -1 : 0;
}

static void print_dmabuf(FILE *file, const struct mr_reproduced *it, const char *option)
{
	const struct mr_dmabuf_file *dmabuf = &it->look->dmabuf;

	if (!dmabuf->is_dmabuf) {
		fprintf(file, " %s fd:%d", option, wrong_descriptor(it));
		print_offset(file, it->record->addr);
		return;
	}
	fprintf(file, " %s udmabuf", option);
	if (dmabuf->size.known && dmabuf->size.value)
		fprintf(file, " --buffer %" PRIu64, dmabuf->size.value);
	print_offset(file, it->record->addr);
}

/* ---- the call ---- */

static void print_place(FILE *file, const struct mr_reproduced *it)
{
	const struct mr_call_row *row = mr_call_row(it->call);

	switch (row->on) {
	case MR_ON_MEMORY:
		print_range(file, it);
		break;
	case MR_ON_DMABUF:
		print_dmabuf(file, it, row->kind == MR_KIND_UMEM ? "--dmabuf" : "--from");
		break;
	case MR_ON_DM:
		print_device_memory(file, it, it->record->addr);
		break;
	case MR_ON_NOTHING:
		fputs(" --memory null-mr", file);
		break;
	}
}

/* What a call is given beside its place. */
static void print_numbers(FILE *file, const struct mr_call_row *row, uint64_t length,
			  uint32_t access, uint64_t iova)
{
	if (row->on != MR_ON_NOTHING) {
		mr_batch_print_size(file, "--size", length);
		mr_batch_print_access(file, access);
	}
	if (row->iova == MR_IOVA_GIVEN)
		fprintf(file, " --iova 0x%" PRIx64, iova);
	if (row->data_direct)
		fputs(" --data-direct", file);
}

static void print_registration(FILE *file, const struct mr_reproduced *it)
{
	const struct mr_call_row *row = mr_call_row(it->call);
	const struct mr_trace_record *record = it->record;

	fputs(mr_region_call_command(it->call), file);
	print_place(file, it);
	print_numbers(file, row, record->length, record->access, record->iova);
	if (row->page_sizes)
		mr_batch_print_pages(file, record->page_sizes);
	if (record->call == MR_TRACED_IBV_REG_MR_EX)
		fputs(" --call ibv_reg_mr_ex", file);
	print_expect(file, it);
}

/* What the region was on decides whether it can be changed; its memory was registered, so any of its kind will do. */
static void print_place_before(FILE *file, const struct mr_reproduced *it, enum mr_region_on on)
{
	const struct mr_look_region *old = &it->kind->region;

	switch (on) {
	case MR_ON_MEMORY:
		if (!old->addr && old->length == UINT64_MAX)
			fputs(" --memory none", file);
		else
			print_offset(file, old->addr % mr_page_size(mr_this_host()));
		break;
	case MR_ON_DMABUF:
		fputs(" --from udmabuf", file);
		print_offset(file, old->addr);
		break;
	case MR_ON_DM:
		print_device_memory(file, it, old->addr);
		break;
	case MR_ON_NOTHING:
		fputs(" --memory null-mr", file);
		break;
	}
}

static void print_region_before(FILE *file, const struct mr_reproduced *it)
{
	const struct mr_look_region *old = &it->kind->region;
	const struct mr_call_row *row;
	enum mr_region_call call;

	if (!mr_reproduced_call_before(it, &call))
		return;
	row = mr_call_row(call);
	fprintf(file, "%s --name changed", mr_region_call_command(call));
	print_place_before(file, it, row->on);
	print_numbers(file, row, old->length, old->access, old->iova);
	fputc('\n', file);
}

static void print_change(FILE *file, const struct mr_reproduced *it)
{
	const struct mr_trace_record *record = it->record;

	print_region_before(file, it);
	fputs("rereg changed", file);
	if (record->call_flags & MR_CHANGE_TRANSLATION) {
		print_range(file, it);
		mr_batch_print_size(file, "--size", record->length);
	}
	if (record->call_flags & MR_CHANGE_PD)
		fputs(" --pd other", file);
	if (record->call_flags & MR_CHANGE_ACCESS)
		mr_batch_print_access(file, record->access);
	print_expect(file, it);
}

static void print_advice(FILE *file, const struct mr_reproduced *it)
{
	const struct mr_trace_record *record = it->record;

	fputs("reg", file);
	print_range(file, it);
	mr_batch_print_size(file, "--size", record->length);
	mr_batch_print_access(file, it->kind->has_region
					    ? it->kind->region.access
					    : MR_ACCESS_LOCAL_WRITE | MR_ACCESS_ON_DEMAND);
	fprintf(file, " --advise %" PRIu32, record->access);
	if (record->call_flags)
		fprintf(file, ",%" PRIu32, record->call_flags);
	print_expect(file, it);
}

static void print_dm(FILE *file, const struct mr_reproduced *it)
{
	fprintf(file, "reg --memory dm:%" PRIu64 " --size %" PRIu64, it->record->length,
		it->record->length);
	print_expect(file, it);
}

static void print_queue(FILE *file, const struct mr_reproduced *it)
{
	fprintf(file,
		"# a region stands for the buffers of the queue, which take at least %" PRIu64
		" bytes\nreg --size %" PRIu64,
		it->record->queue_bytes, it->record->queue_bytes);
	print_expect(file, it);
}

void mr_reproduction_print_lines(FILE *file, const struct mr_reproduced *it)
{
	const bool earlier = mr_earlier_matter(it);

	if (earlier)
		mr_earlier_print(file, it);
	if (it->record->call == MR_TRACED_IBV_REREG_MR)
		print_change(file, it);
	else if (it->record->call == MR_TRACED_IBV_ADVISE_MR)
		print_advice(file, it);
	else if (it->record->call == MR_TRACED_IBV_ALLOC_DM)
		print_dm(file, it);
	else if (mr_traced_call_row(it->record->call)->effect == MR_TRACED_CREATES)
		print_queue(file, it);
	else
		print_registration(file, it);
	fputs("dereg --all\n", file);
}
