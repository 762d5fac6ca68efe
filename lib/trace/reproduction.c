// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

#include "lib/diagnose/layer.h"
#include "lib/host/page.h"
#include "lib/trace/refused_call.h"
#include "lib/trace/reproduction.h"
#include "lib/verbs/access.h"
#include "lib/verbs/advice.h"
#include "lib/verbs/rereg.h"

/* A kind of refusal, as lines are made of it. */
struct reproduced {
	const struct mr_refusal_kind *kind;
	const struct mr_trace_record *record;
	const struct mr_look *look; /* or NULL */
	enum mr_region_call call;   /* of a registration */
	bool registers;
};

/* ---- words of a line ---- */

/* Text that is not mrctl's own, in a comment: it stays in its line. */
static void print_foreign(FILE *file, const char *text)
{
	for (; *text; text++)
		fputc(isprint((unsigned char)*text) ? *text : '?', file);
}

/* A word in quotes, as a batch reads it. */
static void print_quoted(FILE *file, const char *word)
{
	fputc('\'', file);
	for (; *word; word++)
		if (*word == '\'')
			fputs("'\\''", file);
		else
			fputc(*word, file);
	fputc('\'', file);
}

static bool needs_quotes(const char *word)
{
	return word[strcspn(word, " \t'\"\\#")] != '\0';
}

static void print_memory(FILE *file, const char *option, const char *memory)
{
	fprintf(file, " %s ", option);
	if (needs_quotes(memory))
		print_quoted(file, memory);
	else
		fputs(memory, file);
}

static void print_size(FILE *file, const char *option, uint64_t bytes)
{
	if (bytes == UINT64_MAX)
		fprintf(file, " %s max", option);
	else
		fprintf(file, " %s %" PRIu64, option, bytes);
}

static void print_access(FILE *file, uint32_t access)
{
	const char *separator = " --access ", *name;
	char raw[16];

	if (!access)
		fputs(" --access none", file);
	while ((name = mr_access_next(&access, raw))) {
		fprintf(file, "%s%s", separator, name);
		separator = ",";
	}
}

static void print_pages(FILE *file, uint64_t sizes)
{
	if (sizes)
		fprintf(file, " --page-sizes 0x%" PRIx64, sizes);
	else
		fputs(" --page-sizes none", file);
}

static void print_expect(FILE *file, const struct reproduced *it)
{
	const char *name = mr_errno_name(it->record->errnum);

	if (name)
		fprintf(file, " --expect %s", name);
	fputc('\n', file);
}

/* ---- the memory ---- */

/* The kind of memory that stands for the range, and where in it the range begins. */
static void print_range(FILE *file, const struct reproduced *it)
{
	const struct mr_traced_range *range = &it->look->range;

	if (strcmp(range->memory, "anon") != 0)
		print_memory(file, "--memory", range->memory);
	if (range->offset)
		fprintf(file, " --offset %" PRIu64, range->offset);
}

static void print_dmabuf(FILE *file, const struct reproduced *it, const char *option)
{
	const struct mr_dmabuf_file *dmabuf = &it->look->dmabuf;

	fprintf(file, " %s udmabuf", option);
	if (dmabuf->size.known && dmabuf->size.value)
		fprintf(file, " --buffer %" PRIu64, dmabuf->size.value);
	if (it->record->addr)
		fprintf(file, " --offset %" PRIu64, it->record->addr);
}

/* ---- the call ---- */

static const char *command_of(enum mr_region_call call)
{
	const struct mr_call_row *row = mr_call_row(call);

	if (row->kind == MR_KIND_UMEM)
		return "umem";
	if (row->on == MR_ON_DMABUF)
		return "reg-dmabuf";
	return row->iova == MR_IOVA_GIVEN && row->on == MR_ON_MEMORY ? "reg-iova" : "reg";
}

static void print_place(FILE *file, const struct reproduced *it)
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
		fputs(" --memory dm", file);
		if (it->kind->dm_length.known)
			fprintf(file, ":%" PRIu64, it->kind->dm_length.value);
		if (it->record->addr)
			fprintf(file, " --offset %" PRIu64, it->record->addr);
		break;
	case MR_ON_NOTHING:
		fputs(" --memory null-mr", file);
		break;
	}
}

static void print_registration(FILE *file, const struct reproduced *it)
{
	const struct mr_call_row *row = mr_call_row(it->call);
	const struct mr_trace_record *record = it->record;

	fputs(command_of(it->call), file);
	print_place(file, it);
	if (row->on != MR_ON_NOTHING) {
		print_size(file, "--size", record->length);
		print_access(file, record->access);
	}
	if (row->iova == MR_IOVA_GIVEN)
		fprintf(file, " --iova 0x%" PRIx64, record->iova);
	if (row->page_sizes)
		print_pages(file, record->page_sizes);
	if (row->data_direct)
		fputs(" --data-direct", file);
	if (record->call == MR_TRACED_IBV_REG_MR_EX)
		fputs(" --call ibv_reg_mr_ex", file);
	print_expect(file, it);
}

static void print_change(FILE *file, const struct reproduced *it)
{
	const struct mr_look_region *old = &it->kind->region;
	const struct mr_trace_record *record = it->record;

	fprintf(file, "reg --name changed");
	print_size(file, "--size", old->length);
	print_access(file, old->access);
	fputs("\nrereg changed", file);
	if (record->call_flags & MR_CHANGE_TRANSLATION) {
		print_range(file, it);
		print_size(file, "--size", record->length);
	}
	if (record->call_flags & MR_CHANGE_PD)
		fputs(" --pd other", file);
	if (record->call_flags & MR_CHANGE_ACCESS)
		print_access(file, record->access);
	print_expect(file, it);
}

static void print_advice(FILE *file, const struct reproduced *it)
{
	const struct mr_trace_record *record = it->record;

	fputs("reg", file);
	print_range(file, it);
	print_size(file, "--size", record->length);
	print_access(file, it->kind->has_region ? it->kind->region.access
						: MR_ACCESS_LOCAL_WRITE | MR_ACCESS_ON_DEMAND);
	fprintf(file, " --advise %" PRIu32, record->access);
	if (record->call_flags)
		fprintf(file, ",%" PRIu32, record->call_flags);
	print_expect(file, it);
}

static void print_dm(FILE *file, const struct reproduced *it)
{
	fprintf(file, "reg --memory dm:%" PRIu64 " --size %" PRIu64, it->record->length,
		it->record->length);
	print_expect(file, it);
}

/* ---- what cannot be reproduced ---- */

/* Why no line can be refused in the same way; NULL: one can. */
static const char *obstacle_of(const struct reproduced *it)
{
	const struct mr_look *look = it->look;
	const enum mr_traced_effect effect = mr_traced_call_row(it->record->call)->effect;
	const bool advises = effect == MR_TRACED_ADVISES, changes = effect == MR_TRACED_CHANGES;
	const bool on_memory = advises ||
			       (changes && it->record->call_flags & MR_CHANGE_TRANSLATION) ||
			       (it->registers && mr_call_row(it->call)->on == MR_ON_MEMORY);

	if (!it->registers && !advises && !changes && it->record->call != MR_TRACED_IBV_ALLOC_DM)
		return "the call depends on objects of the program that a batch does not make";
	if (!look)
		return "the process was not looked at while it waited in the call";
	if (look->diagnosis.cause_count && look->diagnosis.layer == MR_LAYER_FIRMWARE)
		return "the firmware of the device refused, which depends on its state then";
	if (it->registers && mr_call_row(it->call)->dmah)
		return "what the DMA handle was for is not known";
	if (on_memory && (!look->has_range || !look->range.memory[0]))
		return "what the range was is not known";
	if (it->registers && mr_call_row(it->call)->on == MR_ON_DMABUF && !look->dmabuf.is_dmabuf)
		return "the descriptor is not that of a dma-buf";
	if (changes && !it->kind->has_region)
		return "the registration of the region was not seen";
	return NULL;
}

/* ---- earlier registrations ---- */

/* Whether what was registered before decides: memory that is short, or a limit that is reached. */
static bool needs_earlier(const struct reproduced *it)
{
	const int errnum = it->record->errnum;

	return it->look && it->look->registered_count &&
	       (errnum == ENOMEM || errnum == EAGAIN || errnum == ENOSPC || errnum == ENOBUFS);
}

/*
 * What counts against the limit is the sum, in pages.  So the earlier regions are made as one mapping of equal parts,
 * which are as many.
 */
static void print_earlier(FILE *file, const struct reproduced *it)
{
	const struct mr_look *look = it->look;
	const uint64_t page = mr_page_size(mr_this_host());
	const uint64_t count = look->registered_count;
	const uint64_t bytes = look->pinned.known ? look->pinned.value : look->registered_bytes;
	const uint64_t each = bytes / count / page * page;

	if (!each) {
		fprintf(file, "reg --size %" PRIu64 " --count %" PRIu64 "\n",
			look->registered_bytes / count ?: 1, count);
		return;
	}
	fprintf(file, "reg --size %" PRIu64, each);
	if (count > 1)
		fprintf(file, " --count %" PRIu64, count);
	fputc('\n', file);
	if (bytes - each * count >= page)
		fprintf(file, "reg --size %" PRIu64 "\n", bytes - each * count);
}

/* ---- the file ---- */

static void print_limit(FILE *file, const struct mr_look *look)
{
	if (look->memlock.soft == UINT64_MAX)
		fputs("unlimited", file);
	else if (look->memlock.soft % 1024)
		fprintf(file, "%" PRIu64, look->memlock.soft);
	else
		fprintf(file, "%" PRIu64 "K", look->memlock.soft / 1024);
}

/* The limit that the refused processes had, where it counted for them; the first one's stands for all. */
static const struct mr_look *limited(const struct mr_refusals *refusals)
{
	for (size_t i = 0; i < refusals->count; i++) {
		const struct mr_look *look = &refusals->kinds[i]->look;

		if (refusals->kinds[i]->has_look && look->has_memlock &&
		    look->memlock.soft != UINT64_MAX && look->is_memlock_lifted != MR_YES)
			return look;
	}
	return NULL;
}

static void print_head(FILE *file, const struct mr_refusals *refusals,
		       const struct mr_reproduction_head *head)
{
	const struct mr_look *look = limited(refusals);
	const struct mr_environment *environment = refusals->count && refusals->kinds[0]->has_look
							   ? &refusals->kinds[0]->look.environment
							   : NULL;
	const time_t seconds = (time_t)head->time;
	char date[32] = "";
	struct tm tm;

	if (gmtime_r(&seconds, &tm))
		strftime(date, sizeof(date), " on %Y-%m-%d", &tm);
	fprintf(file, "# What was refused to this program%s:\n#   ", date);
	print_foreign(file, head->program);
	if (environment)
		fprintf(file, "\n# with Linux %s, rdma-core %s%s%s%s",
			environment->simulated_kernel[0] ? environment->simulated_kernel
							 : environment->kernel,
			environment->rdma_core[0] ? environment->rdma_core : "of unknown version",
			environment->device[0] ? ", device " : "", environment->device,
			environment->simulated ? " (simulated)" : "");
	if (look)
		fprintf(file, ", ulimit -l %" PRIu64, look->memlock.soft / 1024);
	fputs("\n# Run it by: mrctl batch --keep-going", file);
	if (look) {
		fputs(" --limit memlock=", file);
		print_limit(file, look);
	}
	fputc(' ', file);
	print_foreign(file, head->path);
	if (environment && environment->device[0])
		fprintf(file, "\n# Where there are several devices, with mrctl -d %s",
			environment->device);
	fputs("\n# The exit status is 0 where each line is refused as the program was.\n", file);
}

static void print_title(FILE *file, const struct reproduced *it)
{
	const struct mr_refusal_kind *kind = it->kind;
	const char *name = mr_errno_name(it->record->errnum);
	const struct mr_cause *cause = mr_refusals_cause(kind);

	fprintf(file, "\n# %s: %s, %" PRIu64 " time%s, first by ",
		mr_traced_call_row(it->record->call)->name, name ? name : "no errno", kind->count,
		kind->count == 1 ? "" : "s");
	print_foreign(file, kind->program ? kind->program : "?");
	fputs(" at ", file);
	print_foreign(file, kind->place ? kind->place : "?");
	fputc('\n', file);
	if (!cause)
		return;
	fprintf(file, "# %s: ", cause->id);
	print_foreign(file, kind->look.diagnosis.causes[0].text);
	fputc('\n', file);
}

static void print_remarks(FILE *file, const struct reproduced *it)
{
	const struct mr_look *look = it->look;

	if (look->has_range && !look->range.is_exact) {
		fputs("# the memory is alike, not the same: ", file);
		print_foreign(file, look->range.remark);
		fputc('\n', file);
	}
	if (look->has_dmabuf && strcmp(look->dmabuf.exporter, "udmabuf") != 0 &&
	    !look->dmabuf.is_simulated)
		fprintf(file, "# a udmabuf stands for a dma-buf of %s\n",
			look->dmabuf.exporter[0] ? look->dmabuf.exporter : "an unknown driver");
	if (!look->diagnosis.cause_count)
		fputs("# the cause is not known: the line shows whether the request alone is refused\n",
		      file);
	if (look->registered_count)
		fprintf(file, "# registered before: %" PRIu64 " region%s of %" PRIu64 " bytes\n",
			look->registered_count, look->registered_count == 1 ? "" : "s",
			look->registered_bytes);
}

static void print_lines(FILE *file, const struct reproduced *it)
{
	const bool earlier = needs_earlier(it);

	if (earlier)
		print_earlier(file, it);
	if (it->record->call == MR_TRACED_IBV_REREG_MR)
		print_change(file, it);
	else if (it->record->call == MR_TRACED_IBV_ADVISE_MR)
		print_advice(file, it);
	else if (it->record->call == MR_TRACED_IBV_ALLOC_DM)
		print_dm(file, it);
	else
		print_registration(file, it);
	fputs("dereg --all\n", file);
}

static bool print_kind(FILE *file, const struct mr_refusal_kind *kind)
{
	const struct mr_trace_record *record = &kind->record.call;
	struct reproduced it = { .kind = kind,
				 .record = record,
				 .look = kind->has_look ? &kind->look : NULL };
	const char *obstacle;

	it.registers =
		mr_traced_region_call((enum mr_traced_call)record->call, record->flags,
				      record->call_flags, record->iova == record->addr, &it.call);
	obstacle = obstacle_of(&it);
	print_title(file, &it);
	if (obstacle) {
		fprintf(file, "# It cannot be reproduced: %s.\n", obstacle);
		return false;
	}
	print_remarks(file, &it);
	print_lines(file, &it);
	return true;
}

size_t mr_reproduction_write(const struct mr_refusals *refusals,
			     const struct mr_reproduction_head *head, FILE *file)
{
	size_t count = 0;

	print_head(file, refusals, head);
	for (size_t i = 0; i < refusals->count; i++)
		count += print_kind(file, refusals->kinds[i]);
	if (refusals->left_out)
		fprintf(file, "\n# %" PRIu64 " refusals of yet other kinds are left out.\n",
			refusals->left_out);
	return count;
}
