// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

#include "lib/diagnose/diagnose.h"
#include "lib/host/host.h"
#include "lib/trace/reproduction/reproduction.h"
#include "lib/trace/trace.h"
#include "lib/verbs/verbs.h"

/* A kind of refusal, as lines of a batch are made of it. */
struct mr_reproduced {
	const struct mr_refusal_kind *kind;
	const struct mr_trace_record *record;
	const struct mr_look *look; /* or NULL */
	enum mr_region_call call;   /* of a registration */
	bool registers;
	uint64_t
		limit; /* of locked memory, bytes, with which the batch is to be run; UINT64_MAX: none */
};

static void comment(FILE *file, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Writes a line of comment.  Text that is not mrctl's own stays in that line. */
static void comment(FILE *file, const char *fmt, ...)
{
	mr_auto_free char *text = NULL;
	va_list ap;
	int length;

	va_start(ap, fmt);
	length = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (length < 0)
		return;
	for (char *at = text; *at; at++)
		*at = isprint((unsigned char)*at) ? *at : '?';
	fprintf(file, "# %s\n", text);
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

/* --memory, as a batch reads it */
static void print_memory(FILE *file, const char *memory)
{
	fputs(" --memory ", file);
	if (memory[strcspn(memory, " \t'\"\\#")])
		print_quoted(file, memory);
	else
		fputs(memory, file);
}

/* --size */
static void print_size(FILE *file, uint64_t bytes)
{
	if (bytes == UINT64_MAX)
		fputs(" --size max", file);
	else
		fprintf(file, " --size %" PRIu64, bytes);
}

/* --access with the names of these flags */
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

/* Returns a word as a shell reads it; signs that no line can have are told as '?'. */
static void print_shell_word(FILE *file, const char *word)
{
	char clean[PATH_MAX];
	size_t length = 0;

	for (; length < sizeof(clean) - 1 && word[length]; length++)
		clean[length] = isprint((unsigned char)word[length]) ? word[length] : '?';
	clean[length] = '\0';
	fputc(' ', file);
	if (clean[strspn(clean, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
				"/._-+,:=@%")])
		print_quoted(file, clean);
	else
		fputs(clean, file);
}

/*
 * Returns whether the last page of a range is at the end of all addresses, or beyond it. What is mapped
 * does not matter then.
 */
static bool mr_reproduced_is_beyond_all(const struct mr_traced_range *range)
{
	const uint64_t last = UINT64_MAX - mr_page_size(mr_this_host());

	return range->type != MR_MEMORY_NONE &&
	       (range->addr > last || range->length > last - range->addr);
}

/*
 * Returns the call that registered the region which is changed Return: false where it is none that mrctl
 * makes.
 */
static bool mr_reproduced_call_before(const struct mr_reproduced *it, enum mr_region_call *call)
{
	return it->look->has_region && mr_traced_region_call(&it->look->region, call);
}

/*
 * Returns whether what was registered before decides: memory is short, or a limit is reached. Regions with
 * on-demand paging alone pin nothing.
 */
static bool mr_earlier_matter(const struct mr_reproduced *it)
{
	const struct mr_look *look = it->look;
	const int errnum = it->record->errnum;

	return (look->pinned.known ? look->pinned.value : look->registered_count) &&
	       (errnum == ENOMEM || errnum == EAGAIN || errnum == ENOSPC || errnum == ENOBUFS);
}

/* ---- the limit of locked memory ---- */

/* The limit that counted for a process; UINT64_MAX: none did. */
static uint64_t limit_of(const struct mr_look *look)
{
	return look->has_memlock && look->is_memlock_lifted != MR_YES ? look->memlock.soft
								      : UINT64_MAX;
}

/* Returns whether more was pinned than the limit allows: it was raised then, or did not count. */
static bool mr_earlier_are_beyond_limit(const struct mr_look *look)
{
	return look->pinned.known && look->pinned.value > limit_of(look);
}

static bool is_by_limit(const struct mr_refusal_kind *kind)
{
	const struct mr_cause *cause = mr_refusals_cause(kind);

	return cause && !strncmp(cause->id, "MR-MEMLOCK", strlen("MR-MEMLOCK"));
}

/*
 * Returns the limit of locked memory to run a batch with, bytes Return: that of the first refusal by a
 * limit, or the first one that counted at all; UINT64_MAX: none did.
 */
static uint64_t mr_earlier_limit(const struct mr_refusals *refusals)
{
	uint64_t limit = UINT64_MAX;

	for (size_t i = 0; i < refusals->count; i++) {
		const struct mr_refusal_kind *kind = refusals->kinds[i];

		if (!kind->look || mr_earlier_are_beyond_limit(kind->look))
			continue;
		if (is_by_limit(kind))
			return limit_of(kind->look);
		if (limit == UINT64_MAX)
			limit = limit_of(kind->look);
	}
	return limit;
}

/*
 * Returns whether the limit of the batch changes the answer. It allows what was refused, or refuses what it
 * was not that for.
 */
static bool mr_earlier_limit_differs(const struct mr_reproduced *it)
{
	const uint64_t own = limit_of(it->look);

	if (own == it->limit || mr_refusals_is_of_request(it->kind))
		return false;
	return is_by_limit(it->kind) || (it->look->has_range && it->record->errnum != EINVAL &&
					 it->record->length > it->limit);
}

/* ---- the lines ---- */

/* Bytes that the region of a change has pinned: it has a line of its own. */
static uint64_t pinned_before_change(const struct mr_reproduced *it)
{
	const struct mr_trace_record *old = &it->look->region;
	const uint64_t page = mr_page_size(mr_this_host());
	enum mr_region_call call;

	if (it->record->call != MR_TRACED_IBV_REREG_MR || !mr_reproduced_call_before(it, &call) ||
	    mr_call_row(call)->on != MR_ON_MEMORY || old->access & MR_ACCESS_ON_DEMAND)
		return 0;
	return (old->addr % page + old->length + page - 1) / page * page;
}

/*
 * What counts against the limit is the sum, in pages.  So the earlier regions are made as one mapping of equal parts,
 * which are as many.
 */
static void print_sum(FILE *file, uint64_t bytes, uint64_t count)
{
	const uint64_t page = mr_page_size(mr_this_host());
	const uint64_t each = bytes / count / page * page;

	if (!each) {
		fprintf(file, "reg --size %" PRIu64 " --count %" PRIu64 "\n", bytes / count ?: 1,
			count);
		return;
	}
	fprintf(file, "reg --size %" PRIu64, each);
	if (count > 1)
		fprintf(file, " --count %" PRIu64, count);
	fputc('\n', file);
	if (bytes - each * count >= page)
		fprintf(file, "reg --size %" PRIu64 "\n", bytes - each * count);
}

/* Lines that pin as much, in as many regions. */
static void mr_earlier_print(FILE *file, const struct mr_reproduced *it)
{
	const struct mr_look *look = it->look;
	const uint64_t own = pinned_before_change(it);
	const uint64_t bytes = look->pinned.known ? look->pinned.value : look->registered_bytes;
	const uint64_t pages = bytes / mr_page_size(mr_this_host());
	uint64_t count = look->registered_count - (look->registered_count && own);

	if (look->pinned.known && pages < count)
		count = pages;
	/* Buffers of queues are pinned, too, and are no regions. */
	if (bytes > own)
		print_sum(file, bytes - own, count ?: 1);
}

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
		print_memory(file, range->memory);
	print_offset(file, range->offset);
}

static void print_device_memory(FILE *file, const struct mr_reproduced *it, uint64_t offset)
{
	fputs(" --memory dm", file);
	if (it->look->dm_length.known)
		fprintf(file, ":%" PRIu64, it->look->dm_length.value);
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
		print_size(file, length);
		print_access(file, access);
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
	if (row->page_sizes && record->page_sizes)
		fprintf(file, " --page-sizes 0x%" PRIx64, record->page_sizes);
	else if (row->page_sizes)
		fputs(" --page-sizes none", file);
	if (record->call == MR_TRACED_IBV_REG_MR_EX)
		fputs(" --call ibv_reg_mr_ex", file);
	print_expect(file, it);
}

/* What the region was on decides whether it can be changed; its memory was registered, so any of its kind will do. */
static void print_place_before(FILE *file, const struct mr_reproduced *it, enum mr_region_on on)
{
	const struct mr_trace_record *old = &it->look->region;

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
	const struct mr_trace_record *old = &it->look->region;
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
		print_size(file, record->length);
	}
	if (record->call_flags & MR_CHANGE_PD)
		fputs(" --pd other", file);
	if (record->call_flags & MR_CHANGE_ACCESS)
		print_access(file, record->access);
	print_expect(file, it);
}

static void print_advice(FILE *file, const struct mr_reproduced *it)
{
	const struct mr_trace_record *record = it->record;

	fputs("reg", file);
	print_range(file, it);
	print_size(file, record->length);
	print_access(file, it->look->has_region ? it->look->region.access
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
		"# a region replaces the buffers of the queue, which take at least %" PRIu64
		" bytes\nreg --size %" PRIu64,
		it->record->queue_bytes, it->record->queue_bytes);
	print_expect(file, it);
}

/* Returns what a refused call needs, the call itself, and its end. */
static void print_lines(FILE *file, const struct mr_reproduced *it)
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
	if (!it->look->has_region)
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

/* Why no line can be refused in the same way; NULL: one can. */
static const char *obstacle_of(const struct mr_reproduced *it)
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
		return "the call has returned no errno that has a name";
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

static void print_limit(FILE *file, uint64_t limit)
{
	if (limit % 1024)
		fprintf(file, " --limit memlock=%" PRIu64, limit);
	else
		fprintf(file, " --limit memlock=%" PRIu64 "K", limit / 1024);
}

/* Whether fork protection of libibverbs was on in a process that was refused; ibv_fork_init(3) does it, too. */
static bool is_fork_safe(const struct mr_refusals *refusals)
{
	for (size_t i = 0; i < refusals->count; i++)
		if (refusals->kinds[i]->look && refusals->kinds[i]->look->is_fork_safe == MR_YES)
			return true;
	return false;
}

static void print_environment(FILE *file, const struct mr_environment *environment, uint64_t limit)
{
	char limit_text[48] = "";

	if (limit != UINT64_MAX)
		snprintf(limit_text, sizeof(limit_text), ", ulimit -l %" PRIu64, limit / 1024);
	comment(file, "with Linux %s, rdma-core %s%s%s%s%s",
		environment->simulated_kernel[0] ? environment->simulated_kernel
						 : environment->kernel,
		environment->rdma_core[0] ? environment->rdma_core : "of unknown version",
		environment->device[0] ? ", device " : "", environment->device,
		environment->simulated ? " (simulated)" : "", limit_text);
}

static void print_head(FILE *file, const struct mr_refusals *refusals,
		       const struct mr_reproduction_head *head, uint64_t limit)
{
	const struct mr_environment *environment = refusals->count && refusals->kinds[0]->look
							   ? &refusals->kinds[0]->look->environment
							   : NULL;
	const time_t seconds = (time_t)head->time;
	char date[32] = "";
	struct tm tm;

	if (gmtime_r(&seconds, &tm))
		strftime(date, sizeof(date), " on %Y-%m-%d", &tm);
	comment(file, "What was refused to this program%s:", date);
	comment(file, "  %s", head->program);
	if (environment)
		print_environment(file, environment, limit);
	fprintf(file, "# Run it by: %smrctl batch --keep-going",
		is_fork_safe(refusals) ? "RDMAV_FORK_SAFE=1 " : "");
	if (limit != UINT64_MAX)
		print_limit(file, limit);
	print_shell_word(file, head->path);
	if (environment && environment->device[0]) {
		fputs("\n# Where there are several devices, with mrctl -d", file);
		print_shell_word(file, environment->device);
	}
	fputs("\n# The exit status is 0 where each line is refused as the program was.\n", file);
}

static void print_title(FILE *file, const struct mr_reproduced *it)
{
	const struct mr_refusal_kind *kind = it->kind;
	const char *name = mr_errno_name(it->record->errnum);
	const struct mr_cause *cause = mr_refusals_cause(kind);

	fputc('\n', file);
	comment(file, "%s: %s, %" PRIu64 " time%s, first by %s at %s",
		mr_traced_call_row(it->record->call)->name, name ? name : "no errno", kind->count,
		kind->count == 1 ? "" : "s", kind->program ? kind->program : "?",
		kind->place ? kind->place : "?");
	if (cause)
		comment(file, "%s: %s", cause->id, kind->look->diagnosis.causes[0].text);
}

static const struct mr_evidence *find_evidence(const struct mr_suspicion *cause, const char *name)
{
	for (size_t i = 0; i < cause->evidence_count; i++)
		if (!strcmp(cause->evidence[i].name, name))
			return &cause->evidence[i];
	return NULL;
}

/* A batch does not set the limits of control groups, which are files of root. */
static void print_control_group(FILE *file, const struct mr_look *look)
{
	const struct mr_suspicion *cause = &look->diagnosis.causes[0];
	const struct mr_evidence *resource, *max;

	if (!look->diagnosis.cause_count || strcmp(cause->cause->id, "MR-CGROUP-RDMA") != 0)
		return;
	resource = find_evidence(cause, "resource");
	max = find_evidence(cause, "max");
	if (!resource || !max)
		return;
	comment(file, "it needs a control group with this limit in rdma.max: %s %s=%" PRIu64,
		look->environment.device, resource->text, max->number);
}

static void print_remarks(FILE *file, const struct mr_reproduced *it)
{
	const struct mr_look *look = it->look;

	if (look->has_range && !look->range.is_exact &&
	    !mr_reproduced_is_beyond_all(&look->range) && !mr_refusals_is_of_request(it->kind))
		comment(file, "the memory is alike, not the same: %s", look->range.remark);
	if (look->has_dmabuf && look->dmabuf.is_dmabuf &&
	    strcmp(look->dmabuf.exporter, "udmabuf") != 0 && !look->dmabuf.is_simulated)
		comment(file, "a udmabuf replaces a dma-buf of %s",
			look->dmabuf.exporter[0] ? look->dmabuf.exporter : "an unknown driver");
	if (!look->diagnosis.cause_count)
		comment(file, "the cause is not known: the line shows whether the request alone is "
			      "refused");
	print_control_group(file, look);
	if (look->registered_count)
		comment(file, "registered before: %" PRIu64 " region%s of %" PRIu64 " bytes",
			look->registered_count, look->registered_count == 1 ? "" : "s",
			look->registered_bytes);
}

static bool print_kind(FILE *file, const struct mr_refusal_kind *kind, uint64_t limit)
{
	const struct mr_trace_record *record = &kind->record.call;
	struct mr_reproduced it = {
		.kind = kind, .record = record, .look = kind->look, .limit = limit
	};
	const char *obstacle;

	it.registers = mr_traced_region_call(record, &it.call);
	obstacle = obstacle_of(&it);
	print_title(file, &it);
	if (obstacle) {
		comment(file, "It cannot be reproduced: %s.", obstacle);
		return false;
	}
	print_remarks(file, &it);
	print_lines(file, &it);
	return true;
}

size_t mr_reproduction_write(const struct mr_refusals *refusals,
			     const struct mr_reproduction_head *head, FILE *file)
{
	const uint64_t limit = mr_earlier_limit(refusals);
	size_t count = 0;

	print_head(file, refusals, head, limit);
	for (size_t i = 0; i < refusals->count; i++)
		count += print_kind(file, refusals->kinds[i], limit);
	if (refusals->left_out)
		fprintf(file, "\n# %" PRIu64 " refusals of yet other kinds are left out.\n",
			refusals->left_out);
	return count;
}
