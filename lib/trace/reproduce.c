// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lib/diagnose/diagnose.h"
#include "lib/host/host.h"
#include "lib/trace/trace.h"
#include "lib/verbs/verbs.h"

/* A kind of refusal, as lines of a batch are made of it. */
struct mr_reproduced {
	const struct mr_refusal_kind *kind;
	const struct mr_trace_record *record;
	const struct mr_look *look; /* or NULL */
	enum mr_region_call call;   /* of a registration */
	bool registers;
	uint64_t limit; /* of locked memory, with which the batch is run, bytes; UINT64_MAX: none */
};

/* Bytes that anonymous memory is mapped for, without being touched. */
#define MAPPED_MAX (UINT64_C(64) << 30)

/* Writes a line of comment.  Text that is not mrctl's own stays in that line. */
__attribute__((format(printf, 2, 3))) static void comment(FILE *file, const char *fmt, ...)
{
	mr_auto_free char *text = NULL;
	va_list ap;
	int length;

	va_start(ap, fmt);
	length = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (length < 0)
		return;
	mr_clean_text(text, (size_t)length + 1);
	fprintf(file, "# %s\n", text);
}

/* Returns a word as a batch and a shell read it, to be freed; NULL if memory is short. */
static char *quote(const char *word)
{
	static const char special[] = " \t\n\r\v\f!\"#$&'()*;<>?[\\]^`{|}~";
	const char *mark = word[strcspn(word, special)] ? "'" : "";
	char *text = malloc(4 * strlen(word) + sizeof("''")), *to = text;

	if (!text)
		return NULL;
	for (to = stpcpy(to, mark); *word; word++)
		to = *word == '\'' ? stpcpy(to, "'\\''") : mempcpy(to, word, 1);
	stpcpy(to, mark);
	return text;
}

/* Whether the last page of a range is at the end of all addresses, or beyond it: what is mapped does not matter then. */
static bool is_beyond_all(const struct mr_traced_range *range)
{
	const uint64_t last = UINT64_MAX - mr_page_size(mr_this_host());

	return range->type != MR_MEMORY_NONE &&
	       (range->addr > last || range->length > last - range->addr);
}

/*
 * Whether earlier registrations are the reason: memory is short, or a limit is reached.  Regions with on-demand paging
 * alone pin nothing.
 */
static bool do_earlier_matter(const struct mr_reproduced *it)
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

/* Whether more was pinned than the limit allows: it was raised then, or did not count. */
static bool are_earlier_beyond_limit(const struct mr_look *look)
{
	return look->pinned.known && look->pinned.value > limit_of(look);
}

static bool is_by_limit(const struct mr_refusal_kind *kind)
{
	const struct mr_cause *cause = mr_look_cause(kind->look);

	return cause && !strncmp(cause->id, "MR-MEMLOCK", strlen("MR-MEMLOCK"));
}

/* The limit to run a batch with: that of the first refusal by a limit, or the first one that counted at all. */
static uint64_t limit_of_batch(const struct mr_refusals *refusals)
{
	uint64_t limit = UINT64_MAX;

	for (size_t i = 0; i < refusals->count; i++) {
		const struct mr_refusal_kind *kind = refusals->kinds[i];

		if (!kind->look || are_earlier_beyond_limit(kind->look))
			continue;
		if (is_by_limit(kind))
			return limit_of(kind->look);
		if (limit == UINT64_MAX)
			limit = limit_of(kind->look);
	}
	return limit;
}

/* Whether the limit of the batch changes the answer: it allows what was refused, or refuses what it was not that for. */
static bool does_limit_differ(const struct mr_reproduced *it)
{
	if (limit_of(it->look) == it->limit || mr_look_is_of_request(it->look))
		return false;
	return is_by_limit(it->kind) || (it->look->has_range && it->record->errnum != EINVAL &&
					 it->record->length > it->limit);
}

/* ---- what was registered before ---- */

/*
 * Prints lines that pin as much, in as many regions, but for the region of a change, which has a separate line.  What
 * counts against the limit is the sum, in pages.  So they are made as one mapping of equal parts.
 */
static void print_earlier(FILE *file, const struct mr_reproduced *it)
{
	const struct mr_look *look = it->look;
	const struct mr_trace_record *old = &look->region;
	const uint64_t page = mr_page_size(mr_this_host());
	uint64_t bytes = look->pinned.known ? look->pinned.value : look->registered_bytes;
	uint64_t count = look->registered_count, own = 0, each;
	enum mr_region_call call;

	if (it->record->call == MR_TRACED_IBV_REREG_MR && look->has_region &&
	    mr_traced_region_call(old, &call) && mr_call_row(call)->on == MR_ON_MEMORY &&
	    !(old->access & MR_ACCESS_ON_DEMAND))
		own = (old->addr % page + old->length + page - 1) / page * page;
	if (own && count)
		count--;
	if (look->pinned.known && bytes / page < count)
		count = bytes / page;
	if (bytes <= own)
		return;
	count = count ?: 1; /* buffers of queues are pinned, too, and are no regions */
	bytes -= own;
	each = bytes / count / page * page ?: bytes / count ?: 1;
	fprintf(file, "reg --size %" PRIu64, each);
	if (count > 1 || each < page)
		fprintf(file, " --count %" PRIu64, count);
	fputc('\n', file);
	if (each >= page && bytes - each * count >= page)
		fprintf(file, "reg --size %" PRIu64 "\n", bytes - each * count);
}

/* ---- the memory ---- */

static void print_offset(FILE *file, uint64_t offset)
{
	if (offset)
		fprintf(file, " --offset %" PRIu64, offset);
}

/*
 * Prints the kind of memory that reproduces the range, and the offset of the range in it.  A request that is refused
 * with any memory gets any kind, because no kernel maps as much as some programs request.
 */
static void print_range(FILE *file, const struct mr_reproduced *it)
{
	const struct mr_traced_range *range = &it->look->range;
	const struct mr_trace_record *record = it->record;
	const bool is_any = mr_look_is_of_request(it->look);

	if (is_any && record->length <= MAPPED_MAX) {
		print_offset(file, record->addr % mr_page_size(mr_this_host()));
	} else if (is_any && !record->addr) {
		fputs(" --memory none", file);
	} else if (is_any || is_beyond_all(range)) {
		fprintf(file, " --memory none --addr 0x%" PRIx64, record->addr);
	} else {
		if (strcmp(range->memory, "anon") != 0) {
			char *memory = quote(range->memory);

			fprintf(file, " --memory %s", memory ?: "");
			free(memory);
		}
		print_offset(file, range->offset);
	}
}

/*
 * Prints a dma-buf that replaces that of the call.  A wrong descriptor is one that no process has open, or standard
 * input, which is no dma-buf.
 */
static void print_dmabuf(FILE *file, const struct mr_reproduced *it)
{
	const struct mr_dmabuf_file *dmabuf = &it->look->dmabuf;

	if (!dmabuf->is_dmabuf)
		fprintf(file, " fd:%d", it->record->errnum == EBADF ? -1 : 0);
	else
		fputs(" udmabuf", file);
	if (dmabuf->is_dmabuf && dmabuf->size.known && dmabuf->size.value)
		fprintf(file, " --buffer %" PRIu64, dmabuf->size.value);
}

/* ---- the call ---- */

static void print_size(FILE *file, uint64_t bytes)
{
	if (bytes == UINT64_MAX)
		fputs(" --size max", file);
	else
		fprintf(file, " --size %" PRIu64, bytes);
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

/*
 * Prints a registration: the refused one, or @record of the region that a refused change is about.  What that was on
 * decides whether it can be changed; its memory was registered, so any of its kind will do.
 */
static void print_registration(FILE *file, const struct mr_reproduced *it,
			       const struct mr_trace_record *record, enum mr_region_call call)
{
	const struct mr_call_row *row = mr_call_row(call);
	const bool is_refused = record == it->record;

	fputs(mr_region_call_command(call), file);
	if (!is_refused)
		fputs(" --name changed", file);
	switch (row->on) {
	case MR_ON_MEMORY:
		if (is_refused)
			print_range(file, it);
		else if (!record->addr && record->length == UINT64_MAX)
			fputs(" --memory none", file);
		else
			print_offset(file, record->addr % mr_page_size(mr_this_host()));
		break;
	case MR_ON_DMABUF:
		fputs(row->kind == MR_KIND_UMEM ? " --dmabuf" : " --from", file);
		if (is_refused)
			print_dmabuf(file, it);
		else
			fputs(" udmabuf", file);
		print_offset(file, record->addr);
		break;
	case MR_ON_DM:
		fputs(" --memory dm", file);
		if (it->look->dm_length.known)
			fprintf(file, ":%" PRIu64, it->look->dm_length.value);
		print_offset(file, record->addr);
		break;
	case MR_ON_NOTHING:
		fputs(" --memory null-mr", file);
		break;
	}
	if (row->on != MR_ON_NOTHING) {
		print_size(file, record->length);
		print_access(file, record->access);
	}
	if (row->iova == MR_IOVA_GIVEN)
		fprintf(file, " --iova 0x%" PRIx64, record->iova);
	if (row->data_direct)
		fputs(" --data-direct", file);
	if (row->page_sizes && record->page_sizes)
		fprintf(file, " --page-sizes 0x%" PRIx64, record->page_sizes);
	else if (row->page_sizes)
		fputs(" --page-sizes none", file);
	if (is_refused && record->call == MR_TRACED_IBV_REG_MR_EX)
		fputs(" --call ibv_reg_mr_ex", file);
}

static void print_change(FILE *file, const struct mr_reproduced *it)
{
	const struct mr_trace_record *record = it->record, *old = &it->look->region;
	enum mr_region_call call;

	if (it->look->has_region && mr_traced_region_call(old, &call)) {
		print_registration(file, it, old, call);
		fputc('\n', file);
	}
	fputs("rereg changed", file);
	if (record->call_flags & MR_CHANGE_TRANSLATION) {
		print_range(file, it);
		print_size(file, record->length);
	}
	if (record->call_flags & MR_CHANGE_PD)
		fputs(" --pd other", file);
	if (record->call_flags & MR_CHANGE_ACCESS)
		print_access(file, record->access);
}

/* Prints what a refused call needs, the call itself, and its end. */
static void print_lines(FILE *file, const struct mr_reproduced *it)
{
	const struct mr_trace_record *record = it->record;
	const char *name = mr_errno_name(record->errnum);

	if (do_earlier_matter(it))
		print_earlier(file, it);
	if (record->call == MR_TRACED_IBV_REREG_MR) {
		print_change(file, it);
	} else if (record->call == MR_TRACED_IBV_ADVISE_MR) {
		fputs("reg", file);
		print_range(file, it);
		print_size(file, record->length);
		print_access(file, it->look->has_region
					   ? it->look->region.access
					   : MR_ACCESS_LOCAL_WRITE | MR_ACCESS_ON_DEMAND);
		fprintf(file, " --advise %" PRIu32, record->access);
		if (record->call_flags)
			fprintf(file, ",%" PRIu32, record->call_flags);
	} else if (record->call == MR_TRACED_IBV_ALLOC_DM) {
		fprintf(file, "reg --memory dm:%" PRIu64 " --size %" PRIu64, record->length,
			record->length);
	} else if (mr_traced_call_row(record->call)->effect == MR_TRACED_CREATES) {
		fprintf(file,
			"# a region replaces the buffers of the queue, which take at least %" PRIu64
			" bytes\nreg --size %" PRIu64,
			record->queue_bytes, record->queue_bytes);
	} else {
		print_registration(file, it, record, it->call);
	}
	if (name)
		fprintf(file, " --expect %s", name);
	fputs("\ndereg --all\n", file);
}

static bool is_certainly(const struct mr_look *look, const char *id)
{
	const struct mr_cause *cause = mr_look_cause(look);

	return cause && look->diagnosis.causes[0].certainty == MR_CERTAIN && !strcmp(cause->id, id);
}

/* Why no change can be refused in the same way; NULL: one can. */
static const char *obstacle_of_change(const struct mr_reproduced *it)
{
	const uint32_t known = MR_CHANGE_TRANSLATION | MR_CHANGE_PD | MR_CHANGE_ACCESS;
	const uint32_t flags = it->record->call_flags;
	enum mr_region_call call;

	if (!flags || flags & ~known) /* mrctl rereg changes something that libibverbs knows */
		return "mrctl rereg does not support its flags";
	if (!it->look->has_region)
		return "the registration of the region was not seen";
	if (!mr_traced_region_call(&it->look->region, &call))
		return "another process registered the region, by an unknown call";
	if (mr_call_row(call)->dmah)
		return "the attributes of the region's DMA handle are not known";
	if (!(flags & MR_CHANGE_TRANSLATION) && it->record->errnum == EFAULT)
		return "the state of the region's memory at that time is not known";
	return NULL;
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

	/* The limit of locked memory refuses a region as it refuses the buffers of a queue. */
	if (creates &&
	    !(look && it->record->queue_bytes &&
	      (is_certainly(look, "MR-MEMLOCK") || is_certainly(look, "MR-MEMLOCK-ZERO"))))
		return "a batch creates no queues";
	if (!it->registers && !advises && !changes && !creates &&
	    it->record->call != MR_TRACED_IBV_ALLOC_DM)
		return "the call depends on objects of the program that a batch does not make";
	if (!look)
		return "the process was not examined while it waited in the call";
	if (!mr_errno_name(it->record->errnum))
		return "the call returned an errno without a name";
	if (advises && it->record->range_count != 1)
		return "mrctl supports advice for one range only";
	if (mr_traced_unknown_attributes(it->record))
		return "its comp_mask has bits that mrctl does not set";
	if (look->diagnosis.cause_count && look->diagnosis.layer == MR_LAYER_FIRMWARE)
		return "the firmware of the device refused, which depends on its state then";
	if (is_certainly(look, "MR-DEVX-CONTEXT"))
		return "mrctl umem opens the device for DEVX, and the program did not";
	if (it->registers && mr_call_row(it->call)->dmah)
		return "the attributes of the DMA handle are not known";
	if (on_memory && !mr_look_is_of_request(it->look) &&
	    (!look->has_range || !look->range.memory[0]))
		return look->range.remark[0] ? look->range.remark : "the range is not known";
	if (it->registers && mr_call_row(it->call)->on == MR_ON_DMABUF && !look->dmabuf.is_dmabuf &&
	    !is_certainly(look, "MR-DESCRIPTOR") && !is_certainly(look, "MR-DMABUF-FILE"))
		return "the descriptor is not known";
	if (do_earlier_matter(it) && are_earlier_beyond_limit(look))
		return "more was pinned before than the limit of locked memory allows: the limit "
		       "was higher then, or not enforced";
	if (does_limit_differ(it))
		return "its limit of locked memory is not that of the batch";
	return changes ? obstacle_of_change(it) : NULL;
}

static void print_head(FILE *file, const struct mr_refusals *refusals, const char *program,
		       const char *path, uint64_t time, uint64_t limit)
{
	const struct mr_look *first = refusals->count ? refusals->kinds[0]->look : NULL;
	const struct mr_environment *environment = first ? &first->environment : NULL;
	mr_auto_free char *file_name = quote(path);
	const time_t seconds = (time_t)time;
	char date[32] = "", ulimit[48] = "", option[48] = "";
	bool is_fork_safe = false; /* ibv_fork_init(3) does what the variable does */
	struct tm tm;

	if (gmtime_r(&seconds, &tm))
		strftime(date, sizeof(date), " on %Y-%m-%d", &tm);
	if (limit != UINT64_MAX) {
		snprintf(ulimit, sizeof(ulimit), ", ulimit -l %" PRIu64, limit / 1024);
		snprintf(option, sizeof(option), " --limit memlock=%" PRIu64 "%s",
			 limit % 1024 ? limit : limit / 1024, limit % 1024 ? "" : "K");
	}
	for (size_t i = 0; i < refusals->count; i++)
		is_fork_safe |= refusals->kinds[i]->record.call.flags & MR_TRACE_FORK_SAFE;
	comment(file, "Refusals of this program%s:", date);
	comment(file, "  %s", program);
	if (environment)
		comment(file, "with Linux %s, rdma-core %s%s%s%s%s",
			environment->simulated_kernel[0] ? environment->simulated_kernel
							 : environment->kernel,
			environment->rdma_core[0] ? environment->rdma_core : "of unknown version",
			environment->device[0] ? ", device " : "", environment->device,
			environment->simulated ? " (simulated)" : "", ulimit);
	comment(file, "Run it with: %smrctl batch --keep-going%s %s",
		is_fork_safe ? "RDMAV_FORK_SAFE=1 " : "", option, file_name ?: "");
	if (environment && environment->device[0]) {
		mr_auto_free char *device = quote(environment->device);

		comment(file, "With several devices, use mrctl -d %s", device ?: "");
	}
	comment(file,
		"The exit status is 0 if each line is refused in the same way as the program.");
}

static void print_title(FILE *file, const struct mr_reproduced *it)
{
	const struct mr_refusal_kind *kind = it->kind;
	const char *name = mr_errno_name(it->record->errnum);
	const struct mr_cause *cause = mr_look_cause(kind->look);

	fputc('\n', file);
	comment(file, "%s: %s, %" PRIu64 " time%s, first by %s at %s",
		mr_traced_call_row(it->record->call)->name, name ? name : "no errno", kind->count,
		kind->count == 1 ? "" : "s", kind->program ? kind->program : "?",
		kind->place ? kind->place : "?");
	if (cause)
		comment(file, "%s: %s", cause->id, kind->look->diagnosis.causes[0].text);
}

static void print_remarks(FILE *file, const struct mr_reproduced *it)
{
	const struct mr_look *look = it->look;
	const struct mr_suspicion *cause = &look->diagnosis.causes[0];
	const struct mr_evidence *resource = NULL, *max = NULL;

	for (size_t i = 0; look->diagnosis.cause_count && i < cause->evidence_count; i++) {
		const struct mr_evidence *at = &cause->evidence[i];

		resource = strcmp(at->name, "resource") ? resource : at;
		max = strcmp(at->name, "max") ? max : at;
	}
	if (look->has_range && !look->range.is_exact && !is_beyond_all(&look->range) &&
	    !mr_look_is_of_request(it->look))
		comment(file, "the memory is similar, not the same: %s", look->range.remark);
	if (look->has_dmabuf && look->dmabuf.is_dmabuf &&
	    strcmp(look->dmabuf.exporter, "udmabuf") != 0 && !look->dmabuf.is_simulated)
		comment(file, "a udmabuf replaces a dma-buf of %s",
			look->dmabuf.exporter[0] ? look->dmabuf.exporter : "an unknown driver");
	if (!look->diagnosis.cause_count)
		comment(file,
			"the cause is not known: the line shows whether the request is refused without the program");
	/* A batch does not set the limits of control groups, which are files of root. */
	if (resource && max && !strcmp(cause->cause->id, "MR-CGROUP-RDMA"))
		comment(file,
			"it needs a control group with this limit in rdma.max: %s %s=%" PRIu64,
			look->environment.device, resource->text, max->number);
	if (look->registered_count)
		comment(file, "registered before: %" PRIu64 " region%s of %" PRIu64 " bytes",
			look->registered_count, look->registered_count == 1 ? "" : "s",
			look->registered_bytes);
}

size_t mr_reproduction_write(const struct mr_refusals *refusals, const char *program,
			     const char *path, uint64_t time, FILE *file)
{
	const uint64_t limit = limit_of_batch(refusals);
	size_t count = 0;

	print_head(file, refusals, program, path, time, limit);
	for (size_t i = 0; i < refusals->count; i++) {
		const struct mr_refusal_kind *kind = refusals->kinds[i];
		struct mr_reproduced it = { .kind = kind,
					    .record = &kind->record.call,
					    .look = kind->look,
					    .limit = limit };
		const char *obstacle;

		it.registers = mr_traced_region_call(it.record, &it.call);
		obstacle = obstacle_of(&it);
		print_title(file, &it);
		if (obstacle) {
			comment(file, "It cannot be reproduced: %s.", obstacle);
			continue;
		}
		print_remarks(file, &it);
		print_lines(file, &it);
		count++;
	}
	if (refusals->left_out)
		fprintf(file, "\n# %" PRIu64 " refusals of other kinds are omitted.\n",
			refusals->left_out);
	return count;
}
