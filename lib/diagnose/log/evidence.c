// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "lib/diagnose/diagnose.h"
#include "lib/diagnose/log/log.h"
#include "lib/host/host.h"
#include "lib/verbs/verbs.h"

#define GPU_PAGE                                                                                   \
	(UINT64_C(2)                                                                               \
	 << 20) /* cudaMalloc() aligns to it; host memory is seldom at such an address */

/* Judges by what the line says of the call. */
static enum mr_certainty judge_rules(const struct mr_log_line *line, const struct mr_cause *cause,
				     struct mr_suspicion *suspicion)
{
	const struct mr_opt_u64 addr = line->addr, length = line->length, access = line->access;
	const uint32_t remote = MR_ACCESS_REMOTE_WRITE | MR_ACCESS_REMOTE_ATOMIC;
	const bool is_rxe = !strcmp(line->provider, "rxe");
	uint64_t end;
	const struct {
		const char *id;
		bool speaks;
		const char *text; /* the cause is likely; NULL: possible */
		const struct mr_opt_u64 *figure;
	} rules[] = {
		{ "MR-MEMLOCK", line->is_memlock, "the line names the limit of locked memory",
		  &line->limit },
		{ "MR-LENGTH-ZERO", length.known && !length.value, "the line requests 0 bytes",
		  NULL },
		{ "MR-RANGE-WRAPS",
		  addr.known && length.known &&
			  __builtin_add_overflow(addr.value, length.value, &end),
		  "address + length of the line exceed 64 bits", NULL },
		{ "MR-ACCESS-LOCAL-WRITE",
		  access.known && !(access.value & MR_ACCESS_LOCAL_WRITE) && access.value & remote,
		  "the access of the line has remote-write or remote-atomic, but not local-write, "
		  "which it needs",
		  NULL },
		{ "MR-IOVA-OFFSET",
		  addr.known && line->iova.known && (addr.value ^ line->iova.value) & 4095,
		  "address and I/O virtual address of the line differ within their page", NULL },
		/* ibv_reg_mr() of it needs a module, which is missing more often than anything else. */
		{ "MR-PEER-MEMORY", line->is_on_gpu && line->errnum == EFAULT,
		  "the line is about memory of a GPU, which ibv_reg_mr accepts only if a module makes it available to ib_core",
		  NULL },
		{ "MR-RXE-SIZE",
		  is_rxe && line->errnum == ENOMEM && length.known && length.value >> 30 &&
			  length.value != UINT64_C(1) << 30,
		  "the line requests more than 1 GiB, the limit of rxe since Linux 7.0", &length },
		/* Public reports of EIO are about erdma, although other drivers refuse with it as well. */
		{ "MR-ERDMA-SIZE", line->errnum == EIO && !line->provider[0], NULL, NULL },
		/* The usual errno of "no resources", which fork protection and limits of groups have less often. */
		{ "MR-FW-RESOURCES", line->errnum == EAGAIN && !line->status.known, NULL, NULL },
		/* Without on-demand paging, pinning alone answers that, and then of such files. */
		{ "MR-FSDAX",
		  line->errnum == EOPNOTSUPP &&
			  !(access.known && access.value & MR_ACCESS_ON_DEMAND),
		  NULL, NULL },
		/* Ends of huge pages, and memory of GPUs, begin there as well. */
		{ "MR-FORK-HUGEPAGES",
		  line->errnum == EINVAL && addr.known && addr.value && !(addr.value % GPU_PAGE),
		  NULL, NULL },
	};
	const size_t count = sizeof(rules) / sizeof(*rules);
	const struct mr_opt_u64 *figure;
	size_t i = 0;

	while (i < count && strcmp(rules[i].id, cause->id) != 0)
		i++;
	if (i == count || !rules[i].speaks)
		return MR_UNRELATED;
	if (!rules[i].text)
		return MR_POSSIBLE;
	figure = rules[i].figure;
	if (figure && figure->known && figure->value != UINT64_MAX)
		mr_suspect(suspicion, MR_LIKELY, "%s (%s)", rules[i].text, MR_SIZE(figure->value));
	else
		mr_suspect(suspicion, MR_LIKELY, "%s", rules[i].text);
	return MR_LIKELY;
}

static enum mr_certainty judge_answer(const struct mr_log_line *line, const struct mr_cause *cause,
				      struct mr_suspicion *suspicion)
{
	const struct mr_mlx5_status *status =
		line->status.known ? mr_mlx5_status(line->status.value) : NULL;

	if (!status || !mr_cause_has_status(cause, line->status.value))
		return MR_UNRELATED;
	mr_suspect(suspicion, MR_LIKELY, "the firmware answered %s with 0x%" PRIx64 " (%s: %s)",
		   line->command, line->status.value, status->name, status->meaning);
	return MR_LIKELY;
}

static bool is_likely_on_gpu(const struct mr_log_line *line)
{
	const uint64_t addr = line->addr.known ? line->addr.value : 0;
	/*
	 * Between the heap of programs at fixed addresses and mmap(2), where CUDA reserves addresses, and hardly any other
	 * but the heap of Go
	 */
	const bool is_odd = addr >> 32 && addr >> 45 == 0 && addr >> 32 != 0xc0;

	return line->is_on_gpu ||
	       ((line->errnum == EFAULT || line->errnum == EINVAL) &&
		(line->is_of_gpu_program || (addr && !(addr % GPU_PAGE)) || is_odd));
}

static enum mr_certainty judge_topics(const struct mr_log_line *line, const struct mr_cause *cause,
				      struct mr_suspicion *suspicion)
{
	enum mr_certainty certainty = MR_UNRELATED;

	for (size_t i = 0; mr_log_topics[i].id; i++) {
		const struct mr_log_topic *topic = &mr_log_topics[i];

		if (!(line->topics >> i & 1) || strcmp(topic->id, cause->id) != 0 ||
		    (topic->errnum && line->errnum && topic->errnum != line->errnum) ||
		    (!topic->is_likely && cause->driver && strcmp(cause->driver, "mlx5") != 0 &&
		     strcmp(cause->driver, line->provider) != 0))
			continue;
		if (topic->excludes)
			return MR_RULED_OUT;
		if (certainty == MR_LIKELY)
			break;
		certainty = topic->is_likely ? MR_LIKELY : MR_POSSIBLE;
		mr_suspect(suspicion, certainty, "%s", topic->text);
	}
	return certainty;
}

enum mr_certainty mr_log_judge(const struct mr_log_line *line, const struct mr_cause *cause,
			       struct mr_suspicion *suspicion)
{
	const bool names_driver = cause->driver && line->provider[0];
	enum mr_certainty certainty;

	/* Two causes only calls of mrctl have. */
	if (!strcmp(cause->id, "MR-VIA-KERNEL-DATA") || !strcmp(cause->id, "MR-RELAXED-POOL") ||
	    (names_driver && strcmp(cause->driver, line->provider) != 0) ||
	    (cause->needs_access && line->access.known &&
	     !(line->access.value & cause->needs_access)))
		return MR_RULED_OUT;
	certainty = judge_topics(line, cause, suspicion);
	if (certainty == MR_UNRELATED)
		certainty = judge_rules(line, cause, suspicion);
	if (certainty == MR_UNRELATED)
		certainty = judge_answer(line, cause, suspicion);
	if (certainty != MR_UNRELATED)
		return certainty;
	/* Not of mlx5: what its firmware refuses is not more frequent than what is refused before. */
	return (line->is_pinning && cause->layer == MR_LAYER_MEMORY) ||
			       (cause->is_of_gpu && is_likely_on_gpu(line)) ||
			       (names_driver && strcmp(cause->driver, "mlx5") != 0)
		       ? MR_POSSIBLE
		       : MR_UNRELATED;
}
