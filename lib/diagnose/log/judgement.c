// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "lib/diagnose/diagnose.h"
#include "lib/diagnose/log/log.h"
#include "lib/host/host.h"
#include "lib/verbs/verbs.h"

/* cudaMalloc() aligns to it; host memory is seldom at such an address. */
#define GPU_PAGE (UINT64_C(2) << 20)

/* Judgement of a cause by the numbers of a line. */
struct rule {
	const char *id;
	bool is_known; /* the line has these numbers: they exclude the cause if they do not support it */
	bool speaks;
	enum mr_certainty certainty;
	const char *text; /* the evidence; NULL: what is usual, which is none */
	const struct mr_opt_u64 *figure;
};

static enum mr_certainty apply_rule(const struct rule *rule, struct mr_suspicion *suspicion)
{
	const struct mr_opt_u64 *figure = rule->figure;

	if (!rule->speaks)
		return rule->is_known ? MR_RULED_OUT : MR_UNRELATED;
	if (rule->text && figure && figure->known && figure->value != UINT64_MAX)
		mr_suspect(suspicion, rule->certainty, "%s (%s)", rule->text,
			   MR_SIZE(figure->value));
	else if (rule->text)
		mr_suspect(suspicion, rule->certainty, "%s", rule->text);
	return rule->certainty;
}

static enum mr_certainty judge_rules(const struct mr_log_line *line, const struct mr_cause *cause,
				     struct mr_suspicion *suspicion)
{
	const struct mr_opt_u64 addr = line->addr, length = line->length, access = line->access;
	const uint32_t remote = MR_ACCESS_REMOTE_WRITE | MR_ACCESS_REMOTE_ATOMIC;
	const bool is_unlimited = line->limit.known && line->limit.value == UINT64_MAX;
	const bool is_read_only = access.known && !(access.value & MR_WRITING);
	const bool is_rxe = !strcmp(line->provider, "rxe");
	/* It takes the address as the I/O virtual address. */
	const bool is_plain = line->is_named && line->call && !strcmp(line->call, "ibv_reg_mr");
	uint64_t end;
	const struct rule rules[] = {
		/* Programs that do not know the figure advise raising it in any case. */
		{ "MR-MEMLOCK", is_unlimited, line->is_memlock && !is_unlimited,
		  line->limit.known || line->is_reason ? MR_LIKELY : MR_POSSIBLE,
		  "the line names the limit of locked memory", &line->limit },
		{ "MR-IPC-LOCK", is_unlimited, false, MR_UNRELATED, NULL, NULL },
		{ "MR-USERNS", is_unlimited, false, MR_UNRELATED, NULL, NULL },
		{ "MR-READ-ONLY", is_read_only, false, MR_UNRELATED, NULL, NULL },
		{ "MR-FILE-MAPPING", is_read_only, false, MR_UNRELATED, NULL, NULL },
		{ "MR-LENGTH-ZERO", length.known, length.known && !length.value, MR_LIKELY,
		  "the line requests 0 bytes", NULL },
		{ "MR-RANGE-WRAPS", addr.known && length.known,
		  addr.known && length.known &&
			  __builtin_add_overflow(addr.value, length.value, &end),
		  MR_LIKELY, "address + length of the line exceed 64 bits", NULL },
		{ "MR-ACCESS-LOCAL-WRITE", access.known,
		  access.known && !(access.value & MR_ACCESS_LOCAL_WRITE) && access.value & remote,
		  MR_LIKELY,
		  "the access of the line has remote-write or remote-atomic, but not "
		  "local-write, which it requires",
		  NULL },
		{ "MR-IOVA-OFFSET", is_plain || (addr.known && line->iova.known),
		  addr.known && line->iova.known && (addr.value ^ line->iova.value) & 4095,
		  MR_LIKELY, "address and I/O virtual address of the line differ within their page",
		  NULL },
		/* ibv_reg_mr() of it needs a module, which is missing more often than anything else. */
		{ "MR-PEER-MEMORY", false, line->is_on_gpu && line->errnum == EFAULT, MR_POSSIBLE,
		  "the line is about memory of a GPU, which ibv_reg_mr accepts only if a module makes it available to ib_core",
		  NULL },
		{ "MR-GPU-BAR1", false,
		  line->is_on_gpu && line->errnum == EFAULT && length.known && length.value >> 27,
		  MR_POSSIBLE,
		  "the line requests much memory of a GPU, and many cards show 256 MiB of it to devices",
		  &length },
		{ "MR-RXE-SIZE", is_rxe && length.known,
		  is_rxe && line->errnum == ENOMEM && length.known &&
			  length.value > UINT64_C(1) << 30,
		  MR_POSSIBLE,
		  "the line requests more than 1 GiB, the limit of rxe since Linux 7.0", &length },
		/* Public reports of EIO are about erdma, although other drivers refuse with it as well. */
		{ "MR-ERDMA-SIZE", false, line->errnum == EIO && !line->provider[0], MR_POSSIBLE,
		  NULL, NULL },
		/* The usual errno of "no resources", which fork protection and limits of groups have less often. */
		{ "MR-FW-RESOURCES", false, line->errnum == EAGAIN && !line->status.known,
		  MR_POSSIBLE, NULL, NULL },
		/* Without on-demand paging, pinning alone answers that, and then of such files. */
		{ "MR-FSDAX", false,
		  line->errnum == EOPNOTSUPP &&
			  !(access.known && access.value & MR_ACCESS_ON_DEMAND),
		  MR_POSSIBLE, NULL, NULL },
		/* Ends of huge pages, and memory of GPUs, begin there as well. */
		{ "MR-FORK-HUGEPAGES", false,
		  line->errnum == EINVAL && addr.known && addr.value && !(addr.value % GPU_PAGE),
		  MR_POSSIBLE, NULL, NULL },
	};

	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++)
		if (!strcmp(rules[i].id, cause->id))
			return apply_rule(&rules[i], suspicion);
	return MR_UNRELATED;
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
		    (!topic->is_likely && !mr_cause_speaks_for(cause, 0, line->errnum)) ||
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

/*
 * Judges a cause by a line: MR_RULED_OUT where the line names a device of another driver, or a request that excludes it;
 * MR_LIKELY or MR_POSSIBLE if the line supports it, with a sentence unless that is only usual; else MR_UNRELATED.
 */
static enum mr_certainty judge_by_line(const struct mr_log_line *line, const struct mr_cause *cause,
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

/* ---- together ---- */

/* Places in the order of causes.  Behind what is certain: this host may be another one than that of the line. */
enum place {
	CERTAIN,
	LIKELY_BY_LINE,
	LIKELY_HERE,
	SHOWN_BY_LINE, /* it is possible, with evidence */
	POSSIBLE_HERE,
	POSSIBLE_BY_LINE,
	OF_ANY_DRIVER, /* nothing is known of it */
	OF_OTHER_DRIVER,
};

static enum place place_of(const struct mr_cause *cause, enum mr_certainty by_line,
			   bool has_evidence, enum mr_certainty here)
{
	if (here == MR_CERTAIN)
		return CERTAIN;
	if (by_line == MR_LIKELY)
		return LIKELY_BY_LINE;
	if (here == MR_LIKELY)
		return LIKELY_HERE;
	if (by_line == MR_POSSIBLE && has_evidence)
		return SHOWN_BY_LINE;
	/* A rare one can be possible on each host: a filter of system calls. */
	if (here == MR_POSSIBLE && cause->frequency != MR_RARE)
		return POSSIBLE_HERE;
	if (by_line == MR_POSSIBLE)
		return POSSIBLE_BY_LINE;
	return cause->driver ? OF_OTHER_DRIVER : OF_ANY_DRIVER;
}

static const struct mr_suspicion *find_here(const struct mr_diagnosis *diagnosis,
					    const struct mr_cause *cause)
{
	for (size_t i = 0; i < diagnosis->cause_count; i++)
		if (diagnosis->causes[i].cause == cause)
			return &diagnosis->causes[i];
	return NULL;
}

/* Whether nothing of the kind has refused: the firmware has answered, or the whole request is without that mistake. */
static bool is_excluded(const struct mr_log_judgement *judgement, const struct mr_log_line *line,
			const struct mr_cause *cause, enum mr_certainty by_line)
{
	const struct mr_diagnosis *here = &judgement->here;
	const uint64_t unknown = MR_NEEDS(ATTRIBUTES) | MR_NEEDS(KERNEL);

	if (line->command[0] && cause->layer != MR_LAYER_FIRMWARE)
		return true;
	for (size_t i = 0; i < here->ruled_out_count; i++)
		if (here->ruled_out[i].cause == cause)
			return true;
	return judgement->has_request && by_line == MR_UNRELATED && cause->is_of_request &&
	       !(cause->needs & unknown) && !find_here(here, cause);
}

/* Adds a cause, unless it is there already; @is_owner: it can have the errno, so the line need not support it. */
static void add_cause(struct mr_log_judgement *judgement, const struct mr_log_line *line,
		      const struct mr_cause *cause, bool is_owner)
{
	const struct mr_suspicion *here = find_here(&judgement->here, cause);
	struct mr_suspicion *shown = &judgement->by_line[judgement->by_line_count];
	struct mr_log_cause *causes = judgement->causes;
	enum mr_certainty by_line;
	size_t at = judgement->count;
	enum place place;

	*shown = (struct mr_suspicion){ .cause = cause };
	by_line = judge_by_line(line, cause, shown);
	if (by_line == MR_RULED_OUT || is_excluded(judgement, line, cause, by_line) ||
	    at == MR_LOG_CAUSES ||
	    (by_line == MR_UNRELATED && !here &&
	     (!is_owner || (!line->errnum && cause->frequency != MR_COMMON))))
		return;
	for (size_t i = 0; i < judgement->count; i++)
		if (causes[i].cause == cause)
			return;
	place = place_of(cause, by_line, shown->text[0], here ? here->certainty : MR_UNRELATED);
	for (; at && causes[at - 1].place > (int)place; at--)
		causes[at] = causes[at - 1];
	judgement->count++;
	causes[at] = (struct mr_log_cause){ .cause = cause, .place = (int)place };
	if (here && here->certainty >= by_line && place <= POSSIBLE_HERE)
		causes[at].found = here; /* with its figures */
	else if (shown->text[0] && judgement->by_line_count + 1 < MR_LOG_BY_LINE)
		causes[at].found = &judgement->by_line[judgement->by_line_count++];
}

/* Another program was refused: causes may use only facts about the host, not those of this process. */
static void look_here(struct mr_log_judgement *judgement, const struct mr_log_line *line)
{
	struct mr_environment environment = { .device = "" };
	struct mr_region_request request;
	struct mr_refusal refusal = {
		.call = line->call,
		.errnum = line->errnum,
		.via = MR_VIA_LIBRARY,
		.environment = &environment,
		.is_of_other_process = true,
	};

	judgement->has_request = mr_log_line_request(line, &request);
	refusal.request = judgement->has_request ? &request : NULL;
	snprintf(environment.provider, sizeof(environment.provider), "%s", line->provider);
	mr_kernel_release(mr_this_host(), environment.kernel, sizeof(environment.kernel));
	mr_diagnose(&refusal, mr_this_host(), &judgement->here);
}

/*
 * The place of a cause among those of a call: by frequency.  Of calls that prepare memory, causes that only this one has
 * come first, and those that only others have are left out.
 */
static unsigned int rank_of(const struct mr_cause *cause, const char *call, uint32_t operations)
{
	const char *const *name = cause->prepared_by;

	if (!(operations & MR_ON(PREPARE)))
		return cause->frequency;
	while (*name && strcmp(*name, call) != 0)
		name++;
	if (*name)
		return cause->frequency;
	return cause->prepared_by[0] ? UINT_MAX : cause->frequency + MR_RARE + 1;
}

size_t mr_owners(const char *call, int errnum, const struct mr_cause **owners)
{
	const uint32_t operations = call ? mr_operations_of_name(call) : 0;
	size_t count = 0;

	for (unsigned int rank = 0; rank <= 2 * MR_RARE + 1; rank++)
		for (const struct mr_cause *cause = mr_cause_next(NULL); cause && count < MR_OWNERS;
		     cause = mr_cause_next(cause))
			if (mr_cause_speaks_for(cause, operations, errnum) &&
			    (call || errnum ? rank_of(cause, call, operations) : 0) == rank)
				owners[count++] = cause;
	return count;
}

static void add_owners(struct mr_log_judgement *judgement, const struct mr_log_line *line,
		       int errnum)
{
	const struct mr_cause *owners[MR_OWNERS];
	const size_t count = mr_owners(line->call, errnum, owners);

	for (size_t i = 0; i < count; i++)
		add_cause(judgement, line, owners[i], true);
}

void mr_log_judge(struct mr_log_judgement *judgement, const struct mr_log_line *line,
		  bool looks_here)
{
	/* For a line without an errno: the errnos of registrations, the commonest first. */
	static const int usual[] = { ENOMEM, EFAULT, EINVAL, EOPNOTSUPP };

	judgement->count = judgement->by_line_count = 0;
	judgement->here.cause_count = judgement->here.ruled_out_count = 0;
	judgement->has_request = false;
	if (line->remark)
		return;
	if (line->call && line->errnum && looks_here)
		look_here(judgement, line);
	for (size_t i = 0; mr_log_topics[i].id; i++)
		if (line->topics >> i & 1)
			add_cause(judgement, line,
				  mr_cause_find(mr_log_topics[i].id, strlen(mr_log_topics[i].id)),
				  false);
	if (!line->call)
		return;
	if (line->errnum)
		add_owners(judgement, line, line->errnum);
	else if (!line->is_reason || line->is_memlock)
		for (size_t i = 0; i < sizeof(usual) / sizeof(*usual); i++)
			add_owners(judgement, line, usual[i]);
	/* Calls that free something have other ones. */
	if (!judgement->count && !line->errnum)
		add_owners(judgement, line, 0);
}
