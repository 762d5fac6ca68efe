// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <string.h>

#include "lib/diagnose/causes/inquiry.h"

/* Runs @read once; evaluates to whether the fact is known. */
#define KNOWN(fact, read)                                                                          \
	((fact) = (fact) != MR_FACT_NOT_READ ? (fact)                                              \
		  : (read)                   ? MR_FACT_KNOWN                                       \
					     : MR_FACT_UNKNOWN,                                                      \
	 (fact) == MR_FACT_KNOWN)

const struct mr_process_status *mr_inquiry_status(struct mr_inquiry *inquiry)
{
	return KNOWN(inquiry->has_status,
		     !mr_process_status_read(inquiry->host, "self", &inquiry->status))
		       ? &inquiry->status
		       : NULL;
}

const struct mr_memlock *mr_inquiry_memlock(struct mr_inquiry *inquiry)
{
	return KNOWN(inquiry->has_memlock,
		     !mr_memlock_read(inquiry->host, "self", &inquiry->memlock))
		       ? &inquiry->memlock
		       : NULL;
}

/* In a session libibverbs may not have the device open. */
static bool read_attributes(struct mr_inquiry *inquiry)
{
	const struct mr_refusal *refusal = inquiry->refusal;
	struct mr_error ignored;

	if (refusal->context)
		return !mr_attributes_query(refusal->context, &inquiry->attributes, &ignored);
	return refusal->uverbs &&
	       !mr_attributes_ask_kernel(refusal->uverbs, &inquiry->attributes, &ignored);
}

const struct mr_attributes *mr_inquiry_attributes(struct mr_inquiry *inquiry)
{
	return KNOWN(inquiry->has_attributes, read_attributes(inquiry)) ? &inquiry->attributes
									: NULL;
}

static bool read_kernel(struct mr_inquiry *inquiry)
{
	const struct mr_environment *environment = inquiry->refusal->environment;
	char release[65];

	inquiry->has_ofed = MR_NO;
	if (environment && environment->simulated_kernel[0])
		return mr_kernel_version(environment->simulated_kernel, &inquiry->kernel);
	/* All of the modules of OFED need mlx_compat. */
	if (mr_kernel_has_module(inquiry->host, "mlx_compat"))
		inquiry->has_ofed = MR_YES;
	else if (!mr_host_exists(inquiry->host, "/sys/module"))
		inquiry->has_ofed = MR_UNKNOWN;
	if (!mr_kernel_release(inquiry->host, release, sizeof(release)))
		return false;
	inquiry->is_vendors = !mr_kernel_release_is_plain(release);
	return mr_kernel_version(release, &inquiry->kernel);
}

const struct mr_kernel_version *mr_inquiry_kernel(struct mr_inquiry *inquiry)
{
	return KNOWN(inquiry->has_kernel, read_kernel(inquiry)) ? &inquiry->kernel : NULL;
}

/*
 * Another process has opened the node, or was refused: where libibverbs got to asking the kernel, it was open.  Of the
 * errnos of ibv_open_device(3), these are of no other call before that.
 */
static int opened_by_other(const struct mr_inquiry *inquiry)
{
	const struct mr_refusal *refusal = inquiry->refusal;

	if (inquiry->operation != MR_OP_OPEN || refusal->by_kernel == MR_YES)
		return inquiry->operation == MR_OP_OPEN ? 0 : -ENODATA;
	return refusal->errnum == EACCES || refusal->errnum == EPERM ? -refusal->errnum : -ENODATA;
}

const struct mr_place *mr_inquiry_place(struct mr_inquiry *inquiry)
{
	const struct mr_refusal *refusal = inquiry->refusal;
	const struct mr_environment *environment = refusal->environment;

	if (inquiry->has_place != MR_FACT_KNOWN)
		mr_place_find(inquiry->host,
			      refusal->device || !environment || !environment->device[0]
				      ? refusal->device
				      : environment->device,
			      &inquiry->place);
	if (inquiry->host->process && inquiry->has_place != MR_FACT_KNOWN)
		inquiry->place.opened = opened_by_other(inquiry);
	inquiry->has_place = MR_FACT_KNOWN;
	return &inquiry->place;
}

enum mr_tristate mr_inquiry_kernel_since(struct mr_inquiry *inquiry, unsigned int major,
					 unsigned int minor)
{
	const struct mr_kernel_version *kernel = mr_inquiry_kernel(inquiry);

	if (!kernel || inquiry->has_ofed != MR_NO)
		return MR_UNKNOWN;
	if (kernel->major > major || (kernel->major == major && kernel->minor >= minor))
		return MR_YES;
	return inquiry->is_vendors ? MR_UNKNOWN : MR_NO;
}

enum mr_tristate mr_inquiry_has_ofed(struct mr_inquiry *inquiry)
{
	mr_inquiry_kernel(inquiry);
	return inquiry->has_ofed;
}

bool mr_inquiry_is_driver(const struct mr_inquiry *inquiry, const char *name)
{
	const struct mr_environment *environment = inquiry->refusal->environment;

	return environment && !strcmp(environment->provider, name);
}

uint32_t mr_inquiry_access(const struct mr_inquiry *inquiry)
{
	const struct mr_refusal *refusal = inquiry->refusal;

	if (refusal->request)
		return refusal->request->access;
	if (!refusal->rereg)
		return 0;
	return refusal->rereg->changes & MR_CHANGE_ACCESS ? refusal->rereg->access
							  : refusal->region_access;
}

static bool read_mlx5_log(struct mr_inquiry *inquiry)
{
	const struct mr_environment *environment = inquiry->refusal->environment;

	return !inquiry->refusal->is_elsewhere && environment && !environment->simulated &&
	       mr_inquiry_is_driver(inquiry, "mlx5") &&
	       !mr_mlx5_log_read(inquiry->host, environment->device, &inquiry->log_line);
}

const struct mr_mlx5_log_line *mr_inquiry_mlx5_log(struct mr_inquiry *inquiry)
{
	return KNOWN(inquiry->has_log_line, read_mlx5_log(inquiry)) ? &inquiry->log_line : NULL;
}

/* A stand-in for a dma-buf is one to the simulated HCA alone. */
static bool read_dmabuf(struct mr_inquiry *inquiry)
{
	const struct mr_refusal *refusal = inquiry->refusal;
	const struct mr_region_request *request = refusal->request;
	struct mr_dmabuf_file *file = &inquiry->dmabuf;

	if (!request || refusal->is_elsewhere || !mr_region_is_dmabuf(request->call) ||
	    request->fd < 0 || mr_dmabuf_file_read(inquiry->host, request->fd, file))
		return false;
	file->is_dmabuf |=
		file->is_simulated && refusal->environment && refusal->environment->simulated;
	return true;
}

const struct mr_dmabuf_file *mr_inquiry_dmabuf(struct mr_inquiry *inquiry)
{
	return KNOWN(inquiry->has_dmabuf, read_dmabuf(inquiry)) ? &inquiry->dmabuf : NULL;
}

bool mr_inquiry_range(const struct mr_inquiry *inquiry, struct mr_range *range)
{
	const struct mr_refusal *refusal = inquiry->refusal;
	const struct mr_region_request *request = refusal->request;

	if (request && mr_call_row(request->call)->on == MR_ON_MEMORY)
		*range = (struct mr_range){ request->addr, request->length };
	else if (refusal->rereg && refusal->rereg->changes & MR_CHANGE_TRANSLATION)
		*range = (struct mr_range){ refusal->rereg->addr, refusal->rereg->length };
	else
		return false;
	return true;
}

const struct mr_proven *mr_inquiry_proof(const struct mr_inquiry *inquiry)
{
	const struct mr_proven *proven = inquiry->refusal->proven;

	return proven && proven->layers ? proven : NULL;
}
