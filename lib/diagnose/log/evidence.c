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

/* Each returns how the line speaks for its cause, with a sentence where it is likely. */
typedef enum mr_certainty judge(const struct mr_log_line *line, struct mr_suspicion *suspicion);

static enum mr_certainty judge_memlock(const struct mr_log_line *line,
				       struct mr_suspicion *suspicion)
{
	if (!line->is_memlock)
		return MR_UNRELATED;
	if (line->limit.known && line->limit.value != UINT64_MAX)
		mr_suspect(suspicion, MR_LIKELY, "the line names a limit of locked memory of %s",
			   mr_size_text(line->limit.value).text);
	else
		mr_suspect(suspicion, MR_LIKELY, "the line names the limit of locked memory");
	return MR_LIKELY;
}

static enum mr_certainty judge_length(const struct mr_log_line *line,
				      struct mr_suspicion *suspicion)
{
	if (!line->length.known || line->length.value)
		return MR_UNRELATED;
	mr_suspect(suspicion, MR_LIKELY, "the line says that 0 bytes were to be registered");
	return MR_LIKELY;
}

static enum mr_certainty judge_wrap(const struct mr_log_line *line, struct mr_suspicion *suspicion)
{
	uint64_t end;

	if (!line->addr.known || !line->length.known ||
	    !__builtin_add_overflow(line->addr.value, line->length.value, &end))
		return MR_UNRELATED;
	mr_suspect(suspicion, MR_LIKELY,
		   "address and length of the line lead beyond all addresses");
	return MR_LIKELY;
}

static enum mr_certainty judge_local_write(const struct mr_log_line *line,
					   struct mr_suspicion *suspicion)
{
	if (!line->access.known || line->access.value & MR_ACCESS_LOCAL_WRITE ||
	    !(line->access.value & (MR_ACCESS_REMOTE_WRITE | MR_ACCESS_REMOTE_ATOMIC)))
		return MR_UNRELATED;
	mr_suspect(suspicion, MR_LIKELY,
		   "the access of the line has remote-write or remote-atomic, but "
		   "not local-write, which it needs");
	return MR_LIKELY;
}

static enum mr_certainty judge_iova(const struct mr_log_line *line, struct mr_suspicion *suspicion)
{
	if (!line->addr.known || !line->iova.known ||
	    !((line->addr.value ^ line->iova.value) & 4095))
		return MR_UNRELATED;
	mr_suspect(suspicion, MR_LIKELY,
		   "address and I/O virtual address of the line differ within their page");
	return MR_LIKELY;
}

/* ibv_reg_mr() of it needs a module, which is missing more often than anything else. */
static enum mr_certainty judge_peer_memory(const struct mr_log_line *line,
					   struct mr_suspicion *suspicion)
{
	if (!line->is_on_gpu || line->errnum != EFAULT)
		return MR_UNRELATED;
	mr_suspect(suspicion, MR_LIKELY,
		   "the line is about memory of a GPU, which ibv_reg_mr takes only "
		   "where a module offers it to ib_core");
	return MR_LIKELY;
}

/* The usual errno of "no resources", which fork protection and limits of control groups have less often. */
static enum mr_certainty judge_resources(const struct mr_log_line *line,
					 struct mr_suspicion *suspicion)
{
	(void)suspicion;
	return line->errnum == EAGAIN && !line->status.known ? MR_POSSIBLE : MR_UNRELATED;
}

/* Of the drivers that have EIO for a refusal it is the one that reports are about. */
static enum mr_certainty judge_erdma(const struct mr_log_line *line, struct mr_suspicion *suspicion)
{
	(void)suspicion;
	return line->errnum == EIO && !line->provider[0] ? MR_POSSIBLE : MR_UNRELATED;
}

/* Without on-demand paging, pinning alone answers that, and then of such files. */
static enum mr_certainty judge_dax(const struct mr_log_line *line, struct mr_suspicion *suspicion)
{
	(void)suspicion;
	return line->errnum == EOPNOTSUPP &&
			       !(line->access.known && line->access.value & MR_ACCESS_ON_DEMAND)
		       ? MR_POSSIBLE
		       : MR_UNRELATED;
}

static enum mr_certainty judge_rxe_size(const struct mr_log_line *line,
					struct mr_suspicion *suspicion)
{
	if (strcmp(line->provider, "rxe") != 0 || line->errnum != ENOMEM || !line->length.known ||
	    line->length.value <= UINT64_C(1) << 30)
		return MR_UNRELATED;
	mr_suspect(suspicion, MR_LIKELY,
		   "the line asks for %s, and rxe since Linux 7.0 takes at most 1 GiB",
		   mr_size_text(line->length.value).text);
	return MR_LIKELY;
}

/* Ends of huge pages, and memory of GPUs, begin there as well. */
static enum mr_certainty judge_huge_pages(const struct mr_log_line *line,
					  struct mr_suspicion *suspicion)
{
	(void)suspicion;
	return line->errnum == EINVAL && line->addr.known && line->addr.value &&
			       !(line->addr.value % GPU_PAGE)
		       ? MR_POSSIBLE
		       : MR_UNRELATED;
}

static const struct {
	const char *id;
	judge *judge;
} rules[] = {
	{ "MR-MEMLOCK", judge_memlock },           { "MR-LENGTH-ZERO", judge_length },
	{ "MR-RANGE-WRAPS", judge_wrap },          { "MR-ACCESS-LOCAL-WRITE", judge_local_write },
	{ "MR-IOVA-OFFSET", judge_iova },          { "MR-PEER-MEMORY", judge_peer_memory },
	{ "MR-ERDMA-SIZE", judge_erdma },          { "MR-FW-RESOURCES", judge_resources },
	{ "MR-RXE-SIZE", judge_rxe_size },         { "MR-FSDAX", judge_dax },
	{ "MR-FORK-HUGEPAGES", judge_huge_pages },
};

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

/* Between the heap of programs at fixed addresses and mmap(2), where CUDA reserves addresses, and hardly any other. */
static bool is_odd_address(uint64_t addr)
{
	return addr >> 32 && addr >> 45 == 0 && addr >> 32 != 0xc0; /* the heap of Go */
}

static bool is_likely_on_gpu(const struct mr_log_line *line)
{
	if (line->is_on_gpu)
		return true;
	if (line->errnum != EFAULT && line->errnum != EINVAL)
		return false;
	return line->is_of_gpu_program ||
	       (line->addr.known && line->addr.value &&
		(!(line->addr.value % GPU_PAGE) || is_odd_address(line->addr.value)));
}

/* Not of mlx5: what its firmware refuses is not more frequent than what is refused before. */
static bool is_of_its_driver(const struct mr_log_line *line, const struct mr_cause *cause)
{
	return cause->driver && line->provider[0] && strcmp(cause->driver, "mlx5") != 0;
}

/* Causes that only calls of mrctl have. */
static bool is_of_mrctl(const char *id)
{
	return !strcmp(id, "MR-VIA-KERNEL-DATA") || !strcmp(id, "MR-RELAXED-POOL");
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
	enum mr_certainty certainty;

	if (is_of_mrctl(cause->id) ||
	    (cause->driver && line->provider[0] && strcmp(cause->driver, line->provider) != 0) ||
	    (cause->needs_access && line->access.known &&
	     !(line->access.value & cause->needs_access)))
		return MR_RULED_OUT;
	certainty = judge_topics(line, cause, suspicion);
	if (certainty != MR_UNRELATED)
		return certainty;
	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++) {
		certainty = strcmp(rules[i].id, cause->id) ? MR_UNRELATED
							   : rules[i].judge(line, suspicion);
		if (certainty != MR_UNRELATED)
			return certainty;
	}
	certainty = judge_answer(line, cause, suspicion);
	if (certainty != MR_UNRELATED)
		return certainty;
	if ((line->is_pinning && cause->layer == MR_LAYER_MEMORY) ||
	    (cause->is_of_gpu && is_likely_on_gpu(line)) || is_of_its_driver(line, cause))
		return MR_POSSIBLE;
	return MR_UNRELATED;
}
