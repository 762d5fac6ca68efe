// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>

#include "lib/diagnose/causes/causes.h"
#include "lib/verbs/verbs.h"

#define ON_UMEMS       (MR_ON(UMEM) | MR_ON(UMEM_DMABUF))
#define ON_REGISTERING (MR_ON(REG) | MR_ON_DMABUFS | MR_ON(UMEM) | MR_ON(REG_DM))

/* include/rdma/ib_verbs.h ib_check_mr_access(): what others may write, the device may write as well. */
static void look_at_local_write(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const uint32_t access = mr_inquiry_access(inquiry);

	if (1U << inquiry->operation & ON_UMEMS)
		suspicion->layer = MR_LAYER_DRIVER;
	if (access & MR_ACCESS_LOCAL_WRITE)
		mr_rule_out(suspicion, "the access has local-write");
	else
		mr_suspect(suspicion, MR_CERTAIN,
			   "access has %s, but not local-write, which it requires",
			   access & MR_ACCESS_REMOTE_WRITE ? "remote-write" : "remote-atomic");
}

/* ---- flags that a call does not take ---------------------------------------------------------- */

#define ACCESS_FLUSH        (MR_ACCESS_FLUSH_GLOBAL | MR_ACCESS_FLUSH_PERSISTENT)
#define ACCESS_OF_ALL       (0xffU | MR_ACCESS_OPTIONAL) /* flags of each kernel from 5.5 on */
#define ACCESS_OF_LINUX_6_2 (ACCESS_OF_ALL | ACCESS_FLUSH)
#define ACCESS_OF_UMEM      (MR_ACCESS_LOCAL_WRITE | MR_ACCESS_REMOTE_WRITE | MR_ACCESS_REMOTE_READ)
#define ACCESS_OF_DMABUF    (ACCESS_OF_UMEM | MR_ACCESS_REMOTE_ATOMIC | MR_ACCESS_RELAXED_ORDERING)

/* "zero-based, 0x400" */
static const char *names_of_flags(uint32_t flags, char *text, size_t size)
{
	const char *name;
	char raw[16];

	text[0] = '\0';
	while ((name = mr_access_next(&flags, raw)))
		mr_text_add(text, size, ", ", "%s", name);
	return text;
}

/*
 * Flags that the kernel does not know or that the call does not take: uverbs_get_flags32(), ib_check_mr_access().
 * The flags for flushing are known since Linux 6.2.  If the release does not show what the kernel knows, its vendor
 * may have added flags.
 */
static void look_at_flags(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_rereg_request *rereg = inquiry->refusal->rereg;
	const struct mr_kernel_version *kernel = mr_inquiry_kernel(inquiry);
	const uint32_t access = mr_inquiry_access(inquiry);
	const bool is_umem = 1U << inquiry->operation & ON_UMEMS;
	const bool is_dmabuf = inquiry->operation == MR_OP_REG_DMABUF;
	/* The flags of the operation, as no kernel that there is takes more. */
	const uint32_t taken = is_dmabuf ? ACCESS_OF_DMABUF
			       : is_umem ? ACCESS_OF_UMEM | MR_ACCESS_RELAXED_ORDERING
					 : ACCESS_OF_LINUX_6_2;
	uint32_t extra = access & ~taken;
	char names[160];

	if ((rereg && !(rereg->changes & MR_CHANGE_ACCESS)) ||
	    (is_umem && !mr_inquiry_is_driver(inquiry, "mlx5")))
		return;
	if (is_umem)
		suspicion->layer = MR_LAYER_DRIVER;
	if (!extra && kernel && !mr_kernel_is_since(*kernel, 6, 2))
		extra = access & ACCESS_FLUSH;
	if (!extra)
		return;
	mr_evidence_hex(suspicion, "not_taken", extra);
	mr_suspect(suspicion,
		   mr_certain_if(mr_inquiry_kernel_is_known(inquiry) &&
				 mr_inquiry_is_since(inquiry, 5, 12)),
		   "%s does not accept the access flag %s",
		   is_dmabuf ? "a registration of a dma-buf"
		   : is_umem ? "a umem"
			     : "this kernel",
		   names_of_flags(extra, names, sizeof(names)));
	mr_suspect_remedy(suspicion, "omit %s", names);
}

/* ib_check_mr_access() since Linux 6.2: flush flags require a device that reports the capability. */
static void look_at_flush(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const uint32_t access = mr_inquiry_access(inquiry) & ACCESS_FLUSH;
	/* <rdma/ib_user_verbs.h>: IB_UVERBS_DEVICE_FLUSH_GLOBAL is bit 38, _PERSISTENT bit 39 */
	const uint64_t needed = (uint64_t)access << 30;
	char names[64];

	mr_evidence_hex(suspicion, "device_cap_flags", inquiry->attributes.capabilities);
	if (!(needed & ~inquiry->attributes.capabilities))
		mr_rule_out(suspicion, "the device can flush, according to its capabilities");
	else
		mr_suspect(suspicion, mr_inquiry_is_since(inquiry, 6, 2) ? MR_CERTAIN : MR_POSSIBLE,
			   "access has %s, which is not among the device's capabilities (0x%" PRIx64
			   ")",
			   names_of_flags(access, names, sizeof(names)),
			   inquiry->attributes.capabilities);
}

/* uverbs_cmd.c ib_uverbs_reg_mr(), uverbs_std_types_mr.c: the device's pages are cut like the memory's. */
static void look_at_iova_offset(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const uint64_t addr = inquiry->request->addr, iova = inquiry->request->iova;
	const uint64_t page_size = mr_page_size(inquiry->host), within = page_size - 1;

	if (mr_call_row(inquiry->request->call)->iova != MR_IOVA_GIVEN)
		return;
	mr_evidence_hex(suspicion, "addr", addr);
	mr_evidence_number(suspicion, "page_size", page_size);
	if (!((addr ^ iova) & within))
		mr_rule_out(suspicion, "address and IOVA have the same offset in their pages");
	else
		mr_suspect(suspicion, MR_CERTAIN,
			   "the IOVA is at byte %" PRIu64
			   " of its page, and the address at byte %" PRIu64,
			   iova & within, addr & within);
	mr_suspect_remedy(suspicion, "give an IOVA such as 0x%" PRIx64,
			  (iova & ~within) | (addr & within));
}

/* The first release of Linux that has the method or attribute of a call. */
static const struct since {
	const char *call;
	unsigned int major, minor;
	bool of_driver;   /* a driver may lack it in any release */
	const char *only; /* the driver that alone has it */
} sinces[] = {
	{ "ibv_reg_dmabuf_mr", 5, 12, false, NULL },
	{ "ioctl(REG_DMABUF_MR)", 5, 12, false, NULL },
	{ "mlx5dv_reg_dmabuf_mr", 6, 12, false, "mlx5" },
	{ "ibv_dm_export_dmabuf_fd", 7, 0, true, NULL },
	{ "ibv_alloc_dm", 4, 17, true, NULL },
	{ "ioctl(DM_ALLOC)", 4, 17, true, NULL },
	{ "ibv_reg_dm_mr", 4, 17, true, NULL },
	{ "ibv_alloc_dmah", 6, 17, true, NULL },
	{ "ioctl(DMAH_ALLOC)", 6, 17, true, NULL },
	{ "ioctl(DM_MR_REG)", 4, 17, true, NULL },
	{ "ibv_advise_mr", 5, 0, false, NULL },
	{ "ioctl(ADVISE_MR)", 5, 0, false, NULL },
	{ "ioctl(QUERY_MR)", 5, 8, false, NULL },
	{ "ioctl(INFO_HANDLES)", 5, 0, false, NULL },
	{ "ioctl(QUERY_CONTEXT)", 5, 9, false, NULL },
	{ "ibv_import_mr", 5, 8, false, NULL },
	{ NULL, 0, 0, false, NULL },
};

/* uverbs_ioctl.c: only a method, object or attribute that this kernel lacks is answered so. */
static void look_at_method(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	/* Data Direct by the kernel's own interface is the same method with an attribute of Linux 6.12. */
	const char *call = mr_inquiry_is_data_direct(inquiry) ? "mlx5dv_reg_dmabuf_mr"
							      : inquiry->refusal->call;
	const struct since *since = sinces;
	const struct mr_environment *environment = inquiry->environment;
	const struct mr_kernel_version kernel = inquiry->kernel;
	bool is_decisive;

	while (since->call && strcmp(since->call, call) != 0)
		since++;
	if (!since->call)
		return;
	if (since->only && environment->provider[0] &&
	    !mr_inquiry_is_driver(inquiry, since->only)) {
		mr_evidence_text(suspicion, "provider", "%s", environment->provider);
		mr_suspect(suspicion, MR_CERTAIN,
			   "the request has an attribute of the driver %s, and the driver of %s "
			   "is %s",
			   since->only, environment->device, environment->provider);
		mr_suspect_remedy(suspicion, "omit it, or use a device of %s", since->only);
		return;
	}
	mr_evidence_text(suspicion, "kernel", "%u.%u", kernel.major, kernel.minor);
	mr_evidence_text(suspicion, "since", "%u.%u", since->major, since->minor);
	if (!mr_kernel_is_since(kernel, since->major, since->minor)) {
		is_decisive = mr_inquiry_kernel_since(inquiry, since->major, since->minor) == MR_NO;
		mr_suspect(suspicion, mr_certain_if(is_decisive),
			   "this kernel is %u.%u, and Linux supports this call from %u.%u on%s",
			   kernel.major, kernel.minor, since->major, since->minor,
			   is_decisive ? "" : ", unless its vendor has added it");
		mr_suspect_remedy(suspicion, "use Linux %u.%u or newer", since->major,
				  since->minor);
	} else if (mr_inquiry_has_ofed(inquiry) == MR_YES) {
		mr_evidence_text(suspicion, "module", "mlx_compat");
		mr_suspect(suspicion, MR_POSSIBLE,
			   "Linux supports this call from %u.%u on, and the RDMA modules are "
			   "those of OFED, which has its own releases",
			   since->major, since->minor);
		mr_suspect_remedy(suspicion, "use a newer OFED, or the kernel's own modules");
	} else if (since->of_driver) {
		mr_rule_out(suspicion,
			    "this kernel is %u.%u, and Linux supports this call from "
			    "%u.%u on",
			    kernel.major, kernel.minor, since->major, since->minor);
	} else {
		mr_suspect(suspicion, MR_POSSIBLE,
			   "this kernel is %u.%u, which supports this call: it may be built "
			   "without the call, or be the kernel of a sandbox",
			   kernel.major, kernel.minor);
	}
}

static void look_at_notsupp(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_dmabuf_file *file = mr_inquiry_dmabuf(inquiry);
	const bool dmabuf = 1U << inquiry->operation & MR_ON_DMABUFS && (!file || file->is_dmabuf);

	/* Where the exporter is known, MR-DMABUF-EXPORTER names it. */
	mr_evidence_number(suspicion, "errno", ENOTSUPP_OF_KERNEL);
	mr_suspect(suspicion, mr_likely_if(dmabuf && !(file && file->exporter[0])),
		   "%s does not support this: it returned the kernel's internal errno 524",
		   dmabuf ? "the exporter of the dma-buf" : "a driver");
}

#include "lib/diagnose/causes/uverbs.inc"
