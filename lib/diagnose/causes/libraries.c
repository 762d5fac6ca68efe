// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Refusals in user space: by libibverbs, by the provider of a device, and by mrctl's own relaxed mode.  The kernel
 * is not asked, so nothing stands in its log.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/diagnose/causes/tables.h"
#include "lib/memory/memory.h"
#include "lib/session/table/table.h"
#include "lib/verbs/device.h"
#include "lib/verbs/symbols.h"
#include "lib/verbs/uverbs.h"
#include "lib/verbs/verbs.h"

/* Up to this release of rdma-core it is known what each provider lacks. */
#define KNOWN_RDMA_CORE 65

#define ON_UMEMS        (MR_ON(UMEM) | MR_ON(UMEM_DMABUF))
#define OF_MLX5         (MR_ON(ALLOC_DMAH) | ON_UMEMS) /* providers/mlx5 alone has them */

static bool is_by_library(const struct mr_inquiry *inquiry)
{
	return inquiry->refusal->via == MR_VIA_LIBRARY;
}

static const char *provider_of(const struct mr_inquiry *inquiry)
{
	const struct mr_environment *environment = inquiry->refusal->environment;

	return environment && environment->provider[0] ? environment->provider : NULL;
}

static const char *rdma_core_of(const struct mr_inquiry *inquiry)
{
	const struct mr_environment *environment = inquiry->refusal->environment;

	return environment && environment->rdma_core[0] ? environment->rdma_core : "unknown";
}

/* ---- functions ---------------------------------------------------------------------------------- */

static void look_at_function(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_symbol_origin *origin = mr_symbol_origin(inquiry->refusal->call);

	if (inquiry->refusal->kind != MR_ERROR_HOST || !origin)
		return;
	mr_evidence_text(suspicion, "library", "%s", origin->library);
	mr_evidence_text(suspicion, "symbol", "%s@%s", origin->name, origin->version);
	mr_evidence_text(suspicion, "rdma_core", "%s", rdma_core_of(inquiry));
	mr_evidence_text(suspicion, "since", "%s", origin->release);
	mr_suspect(suspicion, MR_CERTAIN,
		   "rdma-core %s is installed, and %s comes with rdma-core %s and later",
		   rdma_core_of(inquiry), origin->name, origin->release);
	mr_suspect_remedy(suspicion, "install rdma-core %s or later%s%s", origin->release,
			  origin->instead ? "; " : "", origin->instead ? origin->instead : "");
}

/* ---- operations that a provider lacks -------------------------------------------------------- */

/* By the function in the context, where it shows one. */
static enum mr_tristate has_function(struct mr_inquiry *inquiry)
{
	static const struct {
		enum mr_operation on;
		enum mr_provider_operation operation;
	} rows[] = {
		{ MR_OP_ALLOC_DM, MR_PROVIDER_ALLOC_DM },
		{ MR_OP_REG_DM, MR_PROVIDER_REG_DM_MR },
		{ MR_OP_NULL_MR, MR_PROVIDER_ALLOC_NULL_MR },
		{ MR_OP_ADVISE, MR_PROVIDER_ADVISE_MR },
	};
	struct ibv_context *context = inquiry->refusal->context;

	for (size_t i = 0; context && i < sizeof(rows) / sizeof(*rows); i++)
		if (rows[i].on == inquiry->operation)
			return mr_provider_has(context, rows[i].operation);
	return MR_UNKNOWN;
}

/* By the table of drivers. */
static bool is_known_to_lack(const struct mr_inquiry *inquiry, const char *provider)
{
	const struct mr_driver *driver = mr_driver_find(mr_driver_id(provider));

	if (inquiry->operation == MR_OP_REG_DMABUF)
		return driver->lacks_dmabufs;
	if (1U << inquiry->operation & OF_MLX5)
		return strcmp(provider, "mlx5") != 0;
	return inquiry->operation == MR_OP_REREG && driver->lacks_rereg;
}

/*
 * Whether the release of rdma-core tells what the provider has.  Vendors of hardware hand out providers of their own,
 * also below the file names and numbers of a release; nobody does so for devices of software.
 */
static bool is_of_release(const struct mr_inquiry *inquiry)
{
	const long release = strtol(rdma_core_of(inquiry), NULL, 10);

	return release > 0 && release <= KNOWN_RDMA_CORE &&
	       (mr_inquiry_is_driver(inquiry, "rxe") || mr_inquiry_is_driver(inquiry, "siw"));
}

/* Whether asking the kernel itself gives the same answer. */
static bool is_lacked_by_kernel(struct mr_inquiry *inquiry, const char *provider)
{
	const struct mr_attributes *attributes;

	if (inquiry->operation == MR_OP_REG_DMABUF)
		return mr_driver_find(mr_driver_id(provider))->lacks_dmabufs;
	if (1U << inquiry->operation & OF_MLX5)
		return true;
	if (inquiry->operation != MR_OP_ALLOC_DM)
		return false;
	attributes = mr_inquiry_attributes(inquiry);
	return attributes && !attributes->max_dm_size;
}

static void look_at_provider(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const char *provider = provider_of(inquiry);
	const enum mr_tristate has = has_function(inquiry);

	if (!is_by_library(inquiry) || !provider || inquiry->refusal->kind == MR_ERROR_HOST)
		return;
	if (!strncmp(inquiry->refusal->call, "mlx5dv_", 7))
		suspicion->layer = MR_LAYER_PROVIDER;
	mr_evidence_text(suspicion, "provider", "%s", provider);
	mr_evidence_text(suspicion, "rdma_core", "%s", rdma_core_of(inquiry));
	if (has == MR_YES)
		mr_rule_out(suspicion, "the provider %s has a function for it", provider);
	else if (has == MR_NO)
		mr_suspect(suspicion, MR_CERTAIN, "the provider %s of rdma-core %s has no %s",
			   provider, rdma_core_of(inquiry), inquiry->refusal->call);
	else if (is_known_to_lack(inquiry, provider))
		mr_suspect(suspicion, is_of_release(inquiry) ? MR_CERTAIN : MR_LIKELY,
			   "the provider %s of rdma-core %s has no %s", provider,
			   rdma_core_of(inquiry), inquiry->refusal->call);
	if (inquiry->operation == MR_OP_NULL_MR || is_lacked_by_kernel(inquiry, provider))
		mr_suspect_remedy(suspicion, "use a device whose provider has it, such as mlx5");
}

/* ---- what a library checks itself ------------------------------------------------------------- */

/* libibverbs/cmd.c ibv_cmd_reg_mr(): SIZE_MAX bytes on demand stand for all memory, which begins at 0. */
static void look_at_implicit(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_region_request *request = inquiry->refusal->request;

	if (!is_by_library(inquiry) || !request || request->length != SIZE_MAX ||
	    !(request->access & MR_ACCESS_ON_DEMAND))
		return;
	mr_evidence_hex(suspicion, "addr", request->addr);
	mr_evidence_number(suspicion, "length", request->length);
	if (!request->addr)
		mr_rule_out(suspicion, "the implicit region begins at 0, as it should");
	else
		mr_suspect(suspicion, MR_CERTAIN,
			   "the length is that of an implicit region, and the address is 0x%" PRIx64
			   ", not 0",
			   request->addr);
}

/*
 * libmlx5 refuses the descriptor -1 of a umem (providers/mlx5/verbs.c __mlx5dv_devx_umem_reg_ex()); libibverbs leaves
 * it out of ibv_reg_mr_ex(3) (cmd_ioctl.h fill_attr_in_fd()), and the kernel refuses an offset without a descriptor.
 */
static void look_at_library_descriptor(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_region_request *request = inquiry->refusal->request;
	const bool is_ex = request && mr_call_row(request->call)->symbol == MR_SYMBOL_REG_MR_EX;
	const int errnum = inquiry->refusal->errnum;

	if (!is_by_library(inquiry) || !request || request->fd != -1 ||
	    !mr_region_is_dmabuf(request->call))
		return;
	mr_evidence_text(suspicion, "fd", "%d", request->fd);
	if (is_ex && errnum == EINVAL)
		mr_suspect(suspicion, MR_CERTAIN,
			   "libibverbs passes on no descriptor where it is -1, and the kernel "
			   "takes no offset without one");
	else if (inquiry->operation == MR_OP_UMEM_DMABUF && errnum == EBADF)
		mr_suspect(suspicion, MR_CERTAIN,
			   "libmlx5 itself refuses the descriptor -1, and the kernel is not asked "
			   "(--via kernel asks it)");
}

/* drivers/dma-buf/dma-buf.c dma_buf_get(), fget(): no file has a negative number. */
static void look_at_descriptor(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_region_request *request = inquiry->refusal->request;

	if (!request || !mr_region_is_dmabuf(request->call) || request->fd >= 0)
		return;
	if (request->fd == MR_DMABUF_CLOSED) {
		mr_evidence_text(suspicion, "fd", "closed");
		mr_suspect(suspicion, MR_CERTAIN, "this descriptor was closed when mrctl began");
		mr_suspect_remedy(suspicion, "keep the descriptor open, and let mrctl inherit it");
		return;
	}
	mr_evidence_text(suspicion, "fd", "%d", request->fd);
	mr_suspect(suspicion, MR_CERTAIN, "the descriptor is %d, and no file has a negative number",
		   request->fd);
	if (request->fd == -1)
		mr_suspect_remedy(suspicion, "a failed export returns -1: look at why it failed");
}

/* A driver may want data of its own with the call, which only its provider knows. */
static void look_at_private_data(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_uverbs *uverbs = inquiry->refusal->uverbs;

	if (is_by_library(inquiry) || !uverbs || mr_driver_is_known(uverbs->driver_id))
		return;
	mr_evidence_number(suspicion, "driver_id", uverbs->driver_id);
	mr_suspect(suspicion, MR_POSSIBLE,
		   "mrctl does not know the driver (number %" PRIu32
		   "), and passed on no data of its own, which it may want",
		   uverbs->driver_id);
}

/* ---- the relaxed mode ---------------------------------------------------------------------------- */

static void look_at_pool(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_table_pool *pool = inquiry->refusal->pool;

	if (inquiry->refusal->kind != MR_ERROR_RELAXED || !pool)
		return;
	mr_evidence_number(suspicion, "limit", pool->limit);
	mr_evidence_number(suspicion, "relaxed", pool->relaxed);
	mr_evidence_number(suspicion, "deferred", pool->marked);
	mr_suspect(suspicion, MR_CERTAIN,
		   "the session's pool of %" PRIu32
		   " relaxed regions is full, and none of them is deferred and can be invalidated",
		   pool->limit);
}

/* libibverbs/dummy_ops.c reg_mr_ex(); providers/mlx5/verbs.c: the first check.  A later library may know the bits. */
static void look_at_attributes(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_refusal *refusal = inquiry->refusal;

	if (!refusal->unknown_attributes || refusal->by_kernel == MR_YES)
		return;
	mr_evidence_hex(suspicion, "unknown_attributes", refusal->unknown_attributes);
	mr_suspect(suspicion, MR_LIKELY,
		   "comp_mask has 0x%" PRIx64 ", which the installed library may not know%s",
		   refusal->unknown_attributes,
		   refusal->by_kernel == MR_NO ? ": it has not asked the kernel" : "");
}

const struct mr_cause mr_causes_of_libraries[] = {
	{ .id = "MR-RELAXED-POOL",
	  .subject = "the session's pool of relaxed regions",
	  .operations = MR_ON(REG),
	  .errnums = { EAGAIN },
	  .layer = MR_LAYER_UNKNOWN,
	  .frequency = MR_RARE,
	  .look = look_at_pool,
	  .what = "A session has room for a number of relaxed regions, deferred ones included, and "
		  "mrctl itself registers no more.",
	  .recognise = "The call is mr_reg_mr_relaxed, and mrctl stat counts as many relaxed "
		       "regions as the limit.",
	  .remedy = "deregister some, or open the session with a larger --relaxed-limit",
	  .sources = "mrctl-session(1)" },
	{ .id = "MR-LIBRARY-FUNCTION",
	  .subject = "a function that the installed library lacks",
	  .operations = MR_ON(REG) | MR_ON(REG_DMABUF) | MR_ON(ALLOC_DMAH) | MR_ON(EXPORT) |
			MR_ON(IMPORT),
	  .errnums = { ENOSYS },
	  .layer = MR_LAYER_LIBIBVERBS,
	  .frequency = MR_OCCASIONAL,
	  .look = look_at_function,
	  .what = "The installed libibverbs or libmlx5 is older than the function.  Nothing was "
		  "asked of the kernel.",
	  .recognise = "The symbol and its version are missing in the library (nm -D).",
	  .remedy = "install a newer rdma-core",
	  .sources = "rdma-core: libibverbs/libibverbs.map.in, providers/mlx5/libmlx5.map" },
	{ .id = "MR-PROVIDER-OPERATION",
	  .subject = "an operation that the device's provider lacks",
	  .operations = MR_ON(ALLOC_DM) | MR_ON(ALLOC_DMAH) | MR_ON(REG_DM) | MR_ON(NULL_MR) |
			MR_ON(ADVISE) | MR_ON(REG_DMABUF) | MR_ON(REREG) | ON_UMEMS,
	  .errnums = { EOPNOTSUPP },
	  .layer = MR_LAYER_LIBIBVERBS,
	  .frequency = MR_OCCASIONAL,
	  .look = look_at_provider,
	  .what = "The provider, the part of rdma-core for this kind of device, has no such "
		  "operation, and libibverbs answers EOPNOTSUPP for it without asking the kernel.",
	  .recognise = "The function of the context is libibverbs' own; with --via kernel the "
		       "answer may be another one.",
	  .remedy = "use another device; or ask the kernel itself with --via kernel",
	  .sources = "rdma-core: libibverbs/dummy_ops.c, providers/*; linux-rdma/rdma-core#1605" },
	{ .id = "MR-IMPLICIT-ADDRESS",
	  .subject = "an implicit region that does not begin at 0",
	  .operations = MR_ON(REG),
	  .errnums = { EINVAL },
	  .layer = MR_LAYER_LIBIBVERBS,
	  .frequency = MR_RARE,
	  .look = look_at_implicit,
	  .what = "With on-demand, a length of SIZE_MAX stands for all memory of the process, which "
		  "begins at address 0.  libibverbs refuses another address.",
	  .recognise = "The length is 18446744073709551615, and the address is not 0.",
	  .remedy = "give the address 0 for an implicit region, or the real length for another",
	  .sources = "rdma-core: libibverbs/cmd.c ibv_cmd_reg_mr(); ibv_reg_mr(3)" },
	{ .id = "MR-COMP-MASK",
	  .subject = "attributes that the library does not know",
	  .operations = MR_ON(REG) | MR_ON(REG_DMABUF) | MR_ON(UMEM) | MR_ON(UMEM_DMABUF),
	  .errnums = { EOPNOTSUPP },
	  .layer = MR_LAYER_PROVIDER,
	  .frequency = MR_RARE,
	  .look = look_at_attributes,
	  .what = "The comp_mask of ibv_reg_mr_ex() and mlx5dv_devx_umem_reg_ex() says which "
		  "members of the request count.  A library refuses bits of later releases.",
	  .recognise = "The same with a comp_mask without these bits.  mrctl itself sets none "
		       "that it does not know.",
	  .remedy = "install the release of rdma-core that the program was built with, or clear "
		    "those bits: a member that was not set may be garbage",
	  .sources = "rdma-core: providers/mlx5/verbs.c __mlx5dv_devx_umem_reg_ex(); "
		     "libibverbs/dummy_ops.c reg_mr_ex()" },
	{ .id = "MR-DESCRIPTOR-LIBRARY",
	  .subject = "the descriptor -1, which the library does not pass on",
	  .operations = MR_ON_DMABUFS,
	  .errnums = { EBADF, EINVAL },
	  .layer = MR_LAYER_LIBIBVERBS,
	  .frequency = MR_OCCASIONAL,
	  .look = look_at_library_descriptor,
	  .what = "A library takes -1 for no descriptor.  So such a call cannot find out what the "
		  "kernel answers to a bad one.",
	  .recognise = "The descriptor of the call is -1, which a failed export returns.",
	  .remedy = "a failed export returns -1: look at why it failed",
	  .sources = "rdma-core: providers/mlx5/verbs.c __mlx5dv_devx_umem_reg_ex(), "
		     "libibverbs/cmd_ioctl.h fill_attr_in_fd()" },
	{ .id = "MR-DESCRIPTOR",
	  .subject = "a negative or closed descriptor",
	  .operations = MR_ON_DMABUFS,
	  .errnums = { EBADF },
	  .layer = MR_LAYER_DMABUF,
	  .frequency = MR_OCCASIONAL,
	  .look = look_at_descriptor,
	  .what = "The descriptor of the dma-buf is not one of an open file.  A failed export "
		  "returns -1, which applications pass on.",
	  .recognise = "The descriptor of the call is negative.",
	  .remedy = "give the number of an open descriptor",
	  .sources = "drivers/dma-buf/dma-buf.c dma_buf_get(); ibv_reg_dmabuf_mr(3)" },
	{ .id = "MR-VIA-KERNEL-DATA",
	  .subject = "private data of a driver that mrctl does not know",
	  .operations = MR_ON(REG) | MR_ON(REREG) | MR_ON(REG_DMABUF) | MR_ON(REG_DM),
	  .errnums = { EINVAL, EFAULT, EOPNOTSUPP },
	  .layer = MR_LAYER_DRIVER,
	  .frequency = MR_RARE,
	  .look = look_at_private_data,
	  .what = "With --via kernel mrctl makes the kernel's call itself.  Some drivers want "
		  "private data with it, which their provider adds.",
	  .recognise = "The same succeeds with --via library.",
	  .remedy = "use --via library",
	  .sources = "include/uapi/rdma/*-abi.h" },
	{ .id = NULL },
};
