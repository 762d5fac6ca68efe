// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

#include "lib/trace/reproduction/batch_words.h"
#include "lib/trace/reproduction/earlier.h"
#include "lib/trace/reproduction/lines.h"
#include "lib/trace/reproduction/obstacle.h"
#include "lib/trace/reproduction/reproduction.h"

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
		if (refusals->kinds[i]->has_look && refusals->kinds[i]->look.is_fork_safe == MR_YES)
			return true;
	return false;
}

static void print_environment(FILE *file, const struct mr_environment *environment)
{
	fputs("\n# with Linux ", file);
	mr_batch_print_foreign(file, environment->simulated_kernel[0]
					     ? environment->simulated_kernel
					     : environment->kernel);
	fputs(", rdma-core ", file);
	mr_batch_print_foreign(file, environment->rdma_core[0] ? environment->rdma_core
							       : "of unknown version");
	if (environment->device[0]) {
		fputs(", device ", file);
		mr_batch_print_foreign(file, environment->device);
	}
	if (environment->simulated)
		fputs(" (simulated)", file);
}

static void print_head(FILE *file, const struct mr_refusals *refusals,
		       const struct mr_reproduction_head *head, uint64_t limit)
{
	const struct mr_environment *environment = refusals->count && refusals->kinds[0]->has_look
							   ? &refusals->kinds[0]->look.environment
							   : NULL;
	const time_t seconds = (time_t)head->time;
	char date[32] = "";
	struct tm tm;

	if (gmtime_r(&seconds, &tm))
		strftime(date, sizeof(date), " on %Y-%m-%d", &tm);
	fprintf(file, "# What was refused to this program%s:\n#   ", date);
	mr_batch_print_foreign(file, head->program);
	if (environment)
		print_environment(file, environment);
	if (limit != UINT64_MAX)
		fprintf(file, ", ulimit -l %" PRIu64, limit / 1024);
	fprintf(file, "\n# Run it by: %smrctl batch --keep-going",
		is_fork_safe(refusals) ? "RDMAV_FORK_SAFE=1 " : "");
	if (limit != UINT64_MAX)
		print_limit(file, limit);
	mr_batch_print_shell_word(file, head->path);
	if (environment && environment->device[0]) {
		fputs("\n# Where there are several devices, with mrctl -d", file);
		mr_batch_print_shell_word(file, environment->device);
	}
	fputs("\n# The exit status is 0 where each line is refused as the program was.\n", file);
}

static void print_title(FILE *file, const struct mr_reproduced *it)
{
	const struct mr_refusal_kind *kind = it->kind;
	const char *name = mr_errno_name(it->record->errnum);
	const struct mr_cause *cause = mr_refusals_cause(kind);

	fprintf(file, "\n# %s: %s, %" PRIu64 " time%s, first by ",
		mr_traced_call_row(it->record->call)->name, name ? name : "no errno", kind->count,
		kind->count == 1 ? "" : "s");
	mr_batch_print_foreign(file, kind->program ? kind->program : "?");
	fputs(" at ", file);
	mr_batch_print_foreign(file, kind->place ? kind->place : "?");
	fputc('\n', file);
	if (!cause)
		return;
	fprintf(file, "# %s: ", cause->id);
	mr_batch_print_foreign(file, kind->look.diagnosis.causes[0].text);
	fputc('\n', file);
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
	fputs("# it needs a control group with this limit in rdma.max: ", file);
	mr_batch_print_foreign(file, look->environment.device);
	fprintf(file, " %s=%" PRIu64 "\n", resource->text, max->number);
}

static void print_remarks(FILE *file, const struct mr_reproduced *it)
{
	const struct mr_look *look = it->look;

	if (look->has_range && !look->range.is_exact &&
	    !mr_reproduced_is_beyond_all(&look->range) && !mr_refusals_is_of_request(it->kind)) {
		fputs("# the memory is alike, not the same: ", file);
		mr_batch_print_foreign(file, look->range.remark);
		fputc('\n', file);
	}
	if (look->has_dmabuf && look->dmabuf.is_dmabuf &&
	    strcmp(look->dmabuf.exporter, "udmabuf") != 0 && !look->dmabuf.is_simulated) {
		fputs("# a udmabuf stands for a dma-buf of ", file);
		mr_batch_print_foreign(file, look->dmabuf.exporter[0] ? look->dmabuf.exporter
								      : "an unknown driver");
		fputc('\n', file);
	}
	if (!look->diagnosis.cause_count)
		fputs("# the cause is not known: the line shows whether the request alone is refused\n",
		      file);
	print_control_group(file, look);
	if (look->registered_count)
		fprintf(file, "# registered before: %" PRIu64 " region%s of %" PRIu64 " bytes\n",
			look->registered_count, look->registered_count == 1 ? "" : "s",
			look->registered_bytes);
}

static bool print_kind(FILE *file, const struct mr_refusal_kind *kind, uint64_t limit)
{
	const struct mr_trace_record *record = &kind->record.call;
	struct mr_reproduced it = { .kind = kind,
				    .record = record,
				    .look = kind->has_look ? &kind->look : NULL,
				    .limit = limit };
	const char *obstacle;

	it.registers =
		mr_traced_region_call((enum mr_traced_call)record->call, record->flags,
				      record->call_flags, record->iova == record->addr, &it.call);
	obstacle = mr_reproduction_obstacle(&it);
	print_title(file, &it);
	if (obstacle) {
		fputs("# It cannot be reproduced: ", file);
		mr_batch_print_foreign(file, obstacle);
		fputs(".\n", file);
		return false;
	}
	print_remarks(file, &it);
	mr_reproduction_print_lines(file, &it);
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
