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

static bool names_memlock(const struct mr_log_line *line)
{
	return line->is_memlock;
}

static bool has_no_length(const struct mr_log_line *line)
{
	return line->length.known && !line->length.value;
}

static bool wraps(const struct mr_log_line *line)
{
	uint64_t end;

	return line->addr.known && line->length.known &&
	       __builtin_add_overflow(line->addr.value, line->length.value, &end);
}

static bool lacks_local_write(const struct mr_log_line *line)
{
	return line->access.known && !(line->access.value & MR_ACCESS_LOCAL_WRITE) &&
	       line->access.value & (MR_ACCESS_REMOTE_WRITE | MR_ACCESS_REMOTE_ATOMIC);
}

static bool has_other_offset(const struct mr_log_line *line)
{
	return line->addr.known && line->iova.known && (line->addr.value ^ line->iova.value) & 4095;
}

/* ibv_reg_mr() of it needs a module, which is missing more often than anything else. */
static bool is_gpu_fault(const struct mr_log_line *line)
{
	return line->is_on_gpu && line->errnum == EFAULT;
}

/* The usual errno of "no resources", which fork protection and limits of control groups have less often. */
static bool is_again(const struct mr_log_line *line)
{
	return line->errnum == EAGAIN && !line->status.known;
}

/* Public reports of EIO are about erdma, although other drivers refuse with it as well. */
static bool may_be_erdma(const struct mr_log_line *line)
{
	return line->errnum == EIO && !line->provider[0];
}

/* Without on-demand paging, pinning alone answers that, and then of such files. */
static bool is_unsupported_pinning(const struct mr_log_line *line)
{
	return line->errnum == EOPNOTSUPP &&
	       !(line->access.known && line->access.value & MR_ACCESS_ON_DEMAND);
}

static bool is_long_for_rxe(const struct mr_log_line *line)
{
	return !strcmp(line->provider, "rxe") && line->errnum == ENOMEM && line->length.known &&
	       line->length.value > UINT64_C(1) << 30;
}

/* Ends of huge pages, and memory of GPUs, begin there as well. */
static bool may_have_huge_pages(const struct mr_log_line *line)
{
	return line->errnum == EINVAL && line->addr.known && line->addr.value &&
	       !(line->addr.value % GPU_PAGE);
}

#define FIGURE(member) offsetof(struct mr_log_line, member)

static const struct {
	const char *id;
	bool (*speaks)(const struct mr_log_line *line);
	const char *text; /* the cause is likely; NULL: possible */
	size_t figure;    /* a member, where it is known; 0: none */
} rules[] = {
	{ "MR-MEMLOCK", names_memlock, "the line names the limit of locked memory", FIGURE(limit) },
	{ "MR-LENGTH-ZERO", has_no_length, "the line says that 0 bytes were to be registered", 0 },
	{ "MR-RANGE-WRAPS", wraps, "address and length of the line lead beyond all addresses", 0 },
	{ "MR-ACCESS-LOCAL-WRITE", lacks_local_write,
	  "the access of the line has remote-write or remote-atomic, but not local-write, which it "
	  "needs",
	  0 },
	{ "MR-IOVA-OFFSET", has_other_offset,
	  "address and I/O virtual address of the line differ within their page", 0 },
	{ "MR-PEER-MEMORY", is_gpu_fault,
	  "the line is about memory of a GPU, which ibv_reg_mr takes only where a module offers it "
	  "to ib_core",
	  0 },
	{ "MR-RXE-SIZE", is_long_for_rxe,
	  "the line requests more than 1 GiB, the limit of rxe since Linux 7.0", FIGURE(length) },
	{ "MR-ERDMA-SIZE", may_be_erdma, NULL, 0 },
	{ "MR-FW-RESOURCES", is_again, NULL, 0 },
	{ "MR-FSDAX", is_unsupported_pinning, NULL, 0 },
	{ "MR-FORK-HUGEPAGES", may_have_huge_pages, NULL, 0 },
};

static enum mr_certainty judge_rules(const struct mr_log_line *line, const struct mr_cause *cause,
				     struct mr_suspicion *suspicion)
{
	const struct mr_opt_u64 *figure;
	size_t i = 0;

	while (i < sizeof(rules) / sizeof(*rules) && strcmp(rules[i].id, cause->id) != 0)
		i++;
	if (i == sizeof(rules) / sizeof(*rules) || !rules[i].speaks(line))
		return MR_UNRELATED;
	if (!rules[i].text)
		return MR_POSSIBLE;
	figure = (const struct mr_opt_u64 *)((const char *)line + rules[i].figure);
	if (rules[i].figure && figure->known && figure->value != UINT64_MAX)
		mr_suspect(suspicion, MR_LIKELY, "%s (%s)", rules[i].text,
			   mr_size_text(figure->value).text);
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
	certainty = judge_rules(line, cause, suspicion);
	if (certainty != MR_UNRELATED)
		return certainty;
	certainty = judge_answer(line, cause, suspicion);
	if (certainty != MR_UNRELATED)
		return certainty;
	if ((line->is_pinning && cause->layer == MR_LAYER_MEMORY) ||
	    (cause->is_of_gpu && is_likely_on_gpu(line)) || is_of_its_driver(line, cause))
		return MR_POSSIBLE;
	return MR_UNRELATED;
}
