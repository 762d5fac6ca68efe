// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cli/cli.h"
#include "cmd/region/region.h"
#include "lib/verbs/verbs.h"

/* The options for the mapping, which both tables have. */
#define MAPPING_OPTIONS                                                                            \
	OPTION('m', "memory", memory, struct memory_args, memory, "KIND",                          \
	       "use this kind of memory (default: anon)"),                                         \
		OPTION(0, "offset", size, struct memory_args, offset, "SIZE",                      \
		       "start this far into the mapping (default: 0)"),                            \
		OPTION(0, "addr", number, struct memory_args, addr, "ADDR",                        \
		       "map the memory at this address, or fail"),                                 \
		OPTION(0, "populate", flag, struct memory_args, populate, NULL,                    \
		       "fault the pages in before registering"),                                   \
		OPTION(0, "numa", number, struct memory_args, numa, "NODE",                        \
		       "take the pages from this NUMA node")

const struct option_spec memory_options[] = {
	OPTION('s', "size", size, struct memory_args, size, "SIZE",
	       "register SIZE bytes: 64K, max (default: one page)"),
	MAPPING_OPTIONS,
	OPTION('c', "count", number, struct memory_args, count, "N",
	       "register N regions on one mapping (default: 1)"),
	OPTION(0, "stride", size, struct memory_args, stride, "SIZE",
	       "start the next region after SIZE bytes (default: the size, in whole pages)"),
	OPTION_END,
};

const struct option_spec new_memory_options[] = {
	OPTION('s', "size", size, struct memory_args, size, "SIZE",
	       "register SIZE bytes: 64K, max (default: as before)"),
	MAPPING_OPTIONS,
	OPTION_END,
};

bool memory_is_given(const struct memory_args *args)
{
	return args->size.known || args->memory.text || args->offset.known || args->addr.known ||
	       args->numa.known || args->populate;
}

/* Fills in the size, count and stride of the regions, and the length of the mapping in which they lie. */
static int plan_sizes(struct memory_plan *plan, const struct memory_args *args,
		      uint64_t default_size, struct mr_error *err)
{
	uint64_t span;

	plan->size = args->size.known ? args->size.value : default_size;
	plan->count = args->count.known ? args->count.value : 1;
	plan->stride = args->stride.value;
	plan->mapping.length = plan->size;
	if (!plan->count)
		return mr_fail_usage(err, "--count: give at least 1");
	if (args->stride.known && plan->count == 1)
		return mr_fail_usage(err, "--stride requires --count");
	/* A single range may reach beyond the address space: the stack refuses that. */
	if (plan->count == 1)
		return 0;
	if (!args->stride.known)
		plan->stride = mr_round_up(plan->size, (uint64_t)getpagesize());
	if ((!args->stride.known && plan->stride < plan->size) ||
	    __builtin_mul_overflow(plan->count - 1, plan->stride, &span) ||
	    __builtin_add_overflow(span, plan->size, &plan->mapping.length))
		return mr_fail_text(err, MR_ERROR_USAGE, ERANGE,
				    "--count: the last region would end beyond 64-bit addresses");
	return 0;
}

int memory_plan_init(struct memory_plan *plan, const struct memory_args *args,
		     uint64_t default_size, struct mr_error *err)
{
	static const struct mr_memory_kind anonymous = { .type = MR_MEMORY_ANON, .text = "anon" };
	const enum mr_memory_type type = args->memory.type;
	const bool is_gpu = type == MR_MEMORY_CUDA;

	plan->mapping.kind = args->memory.text ? args->memory : anonymous;
	plan->mapping.length = 0;
	plan->mapping.offset = args->offset.value;
	plan->mapping.addr = args->addr;
	plan->mapping.node = args->numa;
	plan->mapping.populate = args->populate;
	if (type == MR_MEMORY_DM || type == MR_MEMORY_NULL_MR)
		return mr_fail_usage(err, "only reg supports --memory %s", args->memory.text);
	if (is_gpu && args->addr.known)
		return mr_fail_usage(err,
				     "--addr: the CUDA driver chooses the address of --memory %s",
				     args->memory.text);
	/* Only memory of the host has pages to fault in, or to place on a node. */
	if ((args->populate || args->numa.known) &&
	    (is_gpu || type == MR_MEMORY_NONE || type == MR_MEMORY_UNMAPPED))
		return mr_fail_usage(
			err, "--%s requires pages that the kernel manages: --memory %s has none",
			args->populate ? "populate" : "numa", args->memory.text);
	return plan_sizes(plan, args, default_size, err);
}

static const struct option_spec region_options[] = {
	REGISTER_OPTION(0, "pd", name, pd, "NAME", "use this protection domain, made on first use"),
	REGISTER_OPTION('a', "access", access, access, "FLAG,...",
			"set access flags (default: local-write)"),
	REGISTER_OPTION(0, "name", name, name, "NAME", "name the region; NAME.1, ... with --count"),
	REGISTER_OPTION(0, "via", via, via, "library|kernel",
			"call libibverbs (default), or the kernel directly"),
	OPTION_END,
};

static const struct option_spec call_options[] = {
	REGISTER_OPTION(0, "call", string, call, "NAME",
			"call ibv_reg_mr_ex in place of the usual function"),
	REGISTER_OPTION(0, "verify", flag, verify.wanted, NULL,
			"also show by data what the keys grant (verify)"),
	OPTION_END,
};

static const struct option_spec lifetime_options[] = {
	REGISTER_OPTION(0, "hold", flag, hold, NULL,
			"keep regions until Ctrl-C, SIGTERM or SIGHUP"),
	REGISTER_OPTION(0, "hold-for", seconds, hold_for, "SECONDS",
			"keep regions for at most SECONDS"),
	REGISTER_OPTION(0, "expect", expect, expect, "ANSWER,...",
			"exit with 0 only for these: ok, errno names"),
	REGISTER_OPTION(0, "keep-going", flag, keep_going, NULL,
			"with --count: continue after a refusal"),
	OPTION_END,
};

static const struct option_spec advise_options[] = {
	REGISTER_OPTION(0, "advise", advice, advise.advice, "ADVICE",
			"also prefetch pages of the region (ibv_advise_mr)"),
	REGISTER_OPTION(0, "advise-offset", size, advise.offset, "SIZE",
			"start this far into the region (default: 0)"),
	REGISTER_OPTION(0, "advise-size", size, advise.size, "SIZE",
			"advise SIZE bytes (default: to the region's end)"),
	OPTION_END,
};

const struct option_group memory_group = { "Memory", memory_options };
const struct option_group call_group = { "Region", call_options };
const struct option_group region_group = { "Region", region_options };
/* All options but the first, --pd: umems have no protection domain. */
const struct option_group umem_group = { "Region", region_options + 1 };
const struct option_group lifetime_group = { "Life and answer", lifetime_options };
const struct option_group advise_group = { "On-demand paging", advise_options };

/*
 * --try-page-sizes chooses the page sizes itself, and leaves nothing registered.  --import registers nothing.
 * Options for mapped memory make no sense for a dma-buf.
 */
const struct option_rule register_rules[] = {
	{ "try-page-sizes", OPTION_EXCLUDES,
	  "page-sizes,export,count,name,hold,hold-for,expect,keep-going" },
	{ "import", OPTION_EXCLUDES,
	  "try-page-sizes,dmabuf,size,memory,offset,addr,populate,numa,access,via,page-sizes,"
	  "export,count,name,hold,hold-for,keep-going" },
	{ "dmabuf", OPTION_EXCLUDES, "memory,addr,populate,numa" },
	{ "hold", OPTION_EXCLUDES, "hold-for" },
	{ "keep-going", OPTION_NEEDS, "count" },
	{ "advise-offset", OPTION_NEEDS, "advise" },
	{ "advise-size", OPTION_NEEDS, "advise" },
	{ "dmah", OPTION_EXCLUDES, "relaxed" },
	OPTION_RULES_END,
};

/* Applies --call, which names the command's usual call or, in its place, ibv_reg_mr_ex(3). */
static int choose_call(struct register_plan *plan, const struct register_args *args,
		       struct mr_error *err)
{
	const enum mr_region_call ex = mr_call_row(plan->request.call)->ex;
	const char *own = mr_region_call_name(plan->request.call, MR_VIA_LIBRARY);

	if (!args->call)
		return 0;
	if (!via_allows(args->via, MR_VIA_LIBRARY))
		return mr_fail_usage(err,
				     "--call excludes --via %s: it names a function of the library",
				     mr_via_name(args->via.path));
	plan->via = (struct via_option){ MR_VIA_LIBRARY, true };
	if (ex && !strcmp(args->call, mr_region_call_name(ex, MR_VIA_LIBRARY)))
		plan->request.call = ex;
	else if (strcmp(args->call, own) != 0)
		return mr_fail_usage(err, "--call: '%s' does not support this request: give %s%s",
				     args->call, own, ex ? " or ibv_reg_mr_ex" : "");
	return 0;
}

/*
 * Without --size and --count one region reaches from --offset to the end of the dma-buf, if its size is known.
 * Otherwise a region is one page.
 */
static int plan_memory(struct register_plan *plan, const struct register_args *args,
		       struct mr_error *err)
{
	const enum mr_region_on on = mr_call_row(plan->request.call)->on;
	const struct memory_args *memory = &args->memory;
	struct memory_plan *to = &plan->memory;
	const bool is_dmabuf = on == MR_ON_DMABUF;
	uint64_t size = (uint64_t)getpagesize(), whole, end;
	int rc;

	if (on == MR_ON_MEMORY)
		return memory_plan_init(to, memory, size, err);
	whole = is_dmabuf ? mr_dmabuf_source_size(&args->dmabuf) : 0;
	if (whole > memory->offset.value && !memory->count.known)
		size = whole - memory->offset.value;
	/* Nothing is mapped, so options about the mapping have no effect. */
	to->mapping = (struct mr_memory_request){
		.kind = { .type = MR_MEMORY_NONE,
			  .text = is_dmabuf ? args->dmabuf.text : memory->memory.text },
		.offset = memory->offset.value,
	};
	rc = plan_sizes(to, memory, size, err);
	if (on == MR_ON_NOTHING)
		return rc;
	/* End of the last region: bytes that a dma-buf or DM below the regions must have. */
	if (__builtin_add_overflow(to->mapping.offset, to->mapping.length, &end))
		end = UINT64_MAX;
	plan->dm_length = is_dmabuf && args->buffer.known ? args->buffer.value
			  : !is_dmabuf && memory->memory.dm_size.known
				  ? memory->memory.dm_size.value
				  : end;
	plan->dmabuf = (struct mr_dmabuf_request){ .source = args->dmabuf,
						   .size = plan->dm_length,
						   .data_direct = args->data_direct };
	return rc;
}

int register_plan_init(struct register_plan *plan, const struct register_args *args,
		       enum mr_region_call call, struct mr_error *err)
{
	const struct mr_call_row *row = mr_call_row(call);
	int rc;

	if (args->buffer.known && args->dmabuf.type == MR_DMABUF_FD && args->dmabuf.text)
		return mr_fail_usage(err,
				     "--buffer requires a source that mrctl makes: the "
				     "dma-buf of --%s %s exists already",
				     row->kind == MR_KIND_UMEM ? "dmabuf" : "from",
				     args->dmabuf.text);
	plan->via = args->via;
	plan->request = (struct mr_region_request){
		.call = call,
		.page_sizes = args->page_sizes.value,
		.access = args->access.given         ? args->access.bits
			  : row->on == MR_ON_NOTHING ? 0
						     : MR_ACCESS_LOCAL_WRITE,
	};
	/* The stack refuses each region on device memory without MR_ACCESS_ZERO_BASED. */
	if (row->on == MR_ON_DM && !args->access.given)
		plan->request.access |= MR_ACCESS_ZERO_BASED;
	if (row->iova == MR_IOVA_GIVEN)
		plan->request.iova =
			args->iova.known ? args->iova.value : args->memory.offset.value;
	rc = choose_call(plan, args, err);
	if (!rc)
		rc = plan_memory(plan, args, err);
	if (!rc)
		plan->request.length = plan->memory.size;
	return rc;
}

int register_check(const struct invocation *invocation, enum mr_region_call call,
		   struct mr_error *err)
{
	const struct register_args *args = invocation->args;
	struct register_plan plan;

	if (call == MR_REG_MR_IOVA && !args->iova.known)
		return mr_fail_usage(err, "--iova is required");
	if ((call == MR_REG_DMABUF_MR || call == MR_DV_REG_DMABUF_MR) && !args->dmabuf.text)
		return mr_fail_usage(err, "--from is required");
	if (invocation->enclosing && (args->hold || args->hold_for.known))
		return mr_fail_usage(err,
				     "--hold%s is not available in a batch, which keeps regions "
				     "until they are deregistered or the batch ends",
				     args->hold ? "" : "-for");
	if (context_session(invocation) && args->hold_for.known)
		return mr_fail_usage(
			err, "--hold-for is not available in a session, which keeps regions "
			     "until mrctl dereg; use --hold to keep this process");
	return register_plan_init(&plan, args, call, err);
}

void register_columns(const struct register_plan *plan, const struct register_args *args, bool stay,
		      char columns[REGISTER_COLUMNS_MAX])
{
	const enum mr_region_call call = plan->request.call;
	const bool umem = mr_region_kind(call) == MR_KIND_UMEM;

	snprintf(columns, REGISTER_COLUMNS_MAX,
		 "id,name%s,%s,%s,length%s,access%s,elapsed_ns%s%s%s", stay ? ",state" : "",
		 !umem  ? "lkey,rkey"
		 : stay ? "handle,umem_id"
			: "umem_id",
		 mr_region_has_offset(call) ? "offset" : "addr",
		 call == MR_REG_MR_RELAXED ? ",extended_addr,extended_length"
		 : umem                    ? ""
					   : ",iova",
		 umem   ? ",page_sizes"
		 : stay ? ",pd"
			: "",
		 stay ? "" : ",dereg_elapsed_ns",
		 args->advise.advice.text ? ",advice_answer,advice_elapsed_ns" : "",
		 args->export ? ",export" : "");
}
