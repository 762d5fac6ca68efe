// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Trials that register dma-bufs, and memory on the device. */
#include <infiniband/verbs.h>
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/base/base.h"
#include "lib/probe/dmabuf.h"
#include "lib/verbs/verbs.h"

/* Bytes of memory on the device, and of a dma-buf of it: a page, which dma-bufs are made of. */
#define DM_SIZE 4096

static struct mr_region_request request_of(const struct mr_probe *probe,
					   const struct mr_trial *trial, int fd)
{
	return (struct mr_region_request){
		.call = trial->call,
		.length = probe->page,
		.page_sizes = trial->detail,
		.access = trial->access,
		.fd = fd,
	};
}

static void register_descriptor(struct mr_probe *probe, const struct mr_trial *trial, int fd,
				struct mr_attempt *attempt)
{
	const struct mr_region_request request = request_of(probe, trial, fd);
	struct mr_region region;

	if (!mr_attempt_register(probe, trial, &request, &region, attempt))
		mr_attempt_deregister(probe, &region, attempt);
}

void mr_try_dmabuf(struct mr_probe *probe, const struct mr_trial *trial, struct mr_attempt *attempt)
{
	const struct mr_dmabuf_request request = {
		.source = { .type = trial->dmabuf, .name = "system" },
		.size = probe->page,
	};
	struct mr_dmabuf dmabuf;

	attempt->rc = mr_dmabuf_open(&request, &dmabuf, &attempt->err);
	if (attempt->rc) {
		const struct mr_region_request without = request_of(probe, trial, -1);
		const char *name = mr_errno_name(-attempt->rc);

		mr_attempt_without(
			probe, trial, &without, attempt, "this host gives no %s (%s: %s)",
			trial->dmabuf == MR_DMABUF_UDMABUF ? "/dev/udmabuf" : "dma-heap \"system\"",
			attempt->err.call ? attempt->err.call : "open",
			name ? name : "unknown errno");
		return;
	}
	register_descriptor(probe, trial, dmabuf.fd, attempt);
	mr_dmabuf_close(&dmabuf);
}

/* Registers a dma-buf that the host makes.  Return: 0; -ENOENT where it makes none; or -errno of registering it. */
static int register_any_dmabuf(struct mr_probe *probe, const struct mr_trial *trial)
{
	struct mr_dmabuf_request request = { .source = { .name = "system" }, .size = probe->page };
	static const enum mr_dmabuf_type types[] = { MR_DMABUF_UDMABUF, MR_DMABUF_HEAP };
	struct mr_dmabuf dmabuf;
	struct mr_error ignored;

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
		struct mr_attempt second = { .made = false };

		request.source.type = types[i];
		if (mr_dmabuf_open(&request, &dmabuf, &ignored))
			continue;
		register_descriptor(probe, trial, dmabuf.fd, &second);
		mr_dmabuf_close(&dmabuf);
		return second.rc;
	}
	return -ENOENT;
}

/*
 * The usual way to ask for dma-bufs: drivers look at the descriptor last, so EBADF, the trial's yes_errno, says
 * that everything before it was in order.  It is not quite true: mlx5_ib looks for on-demand paging only after
 * it has found the dma-buf.  So a dma-buf of the host is registered, where it makes one.
 */
void mr_try_no_dmabuf(struct mr_probe *probe, const struct mr_trial *trial,
		      struct mr_attempt *attempt)
{
	const char *name;
	int rc;

	register_descriptor(probe, trial, -1, attempt);
	if (attempt->rc != -EBADF || probe->blind)
		return;
	rc = register_any_dmabuf(probe, trial);
	name = mr_errno_name(-rc);
	if (rc == -ENOENT && mr_capability_ask(probe, MR_CAPABILITY_ODP) == MR_NO)
		mr_attempt_doubt(attempt, "EBADF means yes, but not on mlx5 without on-demand "
					  "paging; and this host gives no dma-buf to try");
	else if (rc && rc != -ENOENT)
		mr_attempt_doubt(attempt,
				 "EBADF would mean yes, but a dma-buf of this host is "
				 "refused: %s",
				 name ? name : "unknown errno");
}

/*
 * libmlx5 itself refuses the descriptor -1, so a file that is no dma-buf is given.  A kernel that does not
 * know the attribute answers EPROTONOSUPPORT; one that does looks at the file, and answers EINVAL.  That is
 * the answer to bad access flags and to a context without DEVX as well: so a umem of memory must be possible.
 */
void mr_try_umem_memfd(struct mr_probe *probe, const struct mr_trial *trial,
		       struct mr_attempt *attempt)
{
	const struct mr_region_request plain = { .call = MR_UMEM_REG,
						 .addr = probe->memory.start,
						 .length = probe->page };
	struct mr_region region;
	int fd;

	if (mr_attempt_prepare(probe, &plain, &region, attempt))
		return;
	mr_attempt_deregister(probe, &region, attempt);
	fd = mr_memfd_create("mrctl-probe", MFD_CLOEXEC);
	if (fd < 0) {
		attempt->rc = mr_fail(&attempt->err, MR_ERROR_HOST, errno, "memfd_create", NULL);
		return;
	}
	register_descriptor(probe, trial, fd, attempt);
	close(fd);
}

void mr_try_dm_alloc(struct mr_probe *probe, const struct mr_trial *trial,
		     struct mr_attempt *attempt)
{
	const bool kernel = trial->via == MR_VIA_KERNEL;
	const struct mr_registrar *registrar = mr_attempt_registrar(probe, trial);
	struct mr_error ignored;
	struct mr_dm dm;
	int rc;

	mr_attempt_begin(probe, attempt, kernel ? "ioctl(DM_ALLOC)" : "ibv_alloc_dm");
	rc = mr_dm_alloc(registrar, DM_SIZE, &dm, &attempt->err);
	mr_attempt_end(attempt, rc);
	if (!rc)
		mr_dm_free(registrar, &dm, &ignored);
}

/* A region on memory on the device is zero-based: mlx5 takes it only with that flag (mlx5_ib_reg_dm_mr()). */
void mr_try_dm_register(struct mr_probe *probe, const struct mr_trial *trial,
			struct mr_attempt *attempt)
{
	struct mr_region_request request = request_of(probe, trial, -1);
	struct mr_region region;
	struct mr_error ignored;
	struct mr_dm dm;

	attempt->rc = mr_dm_alloc(&probe->library, DM_SIZE, &dm, &attempt->err);
	if (attempt->rc)
		return;
	request.dm = &dm;
	request.length = DM_SIZE;
	if (!mr_attempt_register(probe, trial, &request, &region, attempt))
		mr_attempt_deregister(probe, &region, attempt);
	mr_dm_free(&probe->library, &dm, &ignored);
}

void mr_try_dm_export(struct mr_probe *probe, const struct mr_trial *trial,
		      struct mr_attempt *attempt)
{
	struct mr_error ignored;
	struct mr_dmabuf dmabuf;
	struct mr_dm dm;
	int rc;

	(void)trial;
	attempt->rc = mr_dm_alloc(&probe->library, DM_SIZE, &dm, &attempt->err);
	if (attempt->rc)
		return;
	mr_attempt_begin(probe, attempt, "ibv_dm_export_dmabuf_fd");
	rc = mr_dm_export(&dm, &dmabuf, &attempt->err);
	mr_attempt_end(attempt, rc);
	if (!rc)
		mr_dmabuf_close(&dmabuf);
	mr_dm_free(&probe->library, &dm, &ignored);
}

void mr_try_dm_dmabuf(struct mr_probe *probe, const struct mr_trial *trial,
		      struct mr_attempt *attempt)
{
	struct mr_dmabuf dmabuf;
	struct mr_error ignored;
	struct mr_dm dm;

	attempt->rc = mr_dm_alloc(&probe->library, DM_SIZE, &dm, &attempt->err);
	if (attempt->rc)
		return;
	attempt->rc = mr_dm_export(&dm, &dmabuf, &attempt->err);
	if (!attempt->rc) {
		register_descriptor(probe, trial, dmabuf.fd, attempt);
		mr_dmabuf_close(&dmabuf);
	}
	mr_dm_free(&probe->library, &dm, &ignored);
}
