// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <infiniband/verbs.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>

#include "lib/base/base.h"
#include "lib/verbs/verbs.h"

_Static_assert(MR_CHANGE_TRANSLATION == (int)IBV_REREG_MR_CHANGE_TRANSLATION &&
		       MR_CHANGE_PD == (int)IBV_REREG_MR_CHANGE_PD &&
		       MR_CHANGE_ACCESS == (int)IBV_REREG_MR_CHANGE_ACCESS,
	       "the kernel and the library have the same flags");

const struct mr_word mr_change_flags[] = {
	{ "translation", "address and length", MR_CHANGE_TRANSLATION },
	{ "pd", "protection domain", MR_CHANGE_PD },
	{ "access", "access flags", MR_CHANGE_ACCESS },
	{ .name = NULL },
};

/* The values of enum ibv_rereg_mr_err_code, which are negative, and what the region is after each, by the man page. */
static const struct code {
	const char *name;
	enum mr_old_region old;
	const char *meaning;
} codes[] = {
#define CODE(name, old, meaning) [-(int) name] = { #name, old, meaning }
	CODE(IBV_REREG_MR_ERR_INPUT, MR_OLD_VALID, "the region is as before"),
	CODE(IBV_REREG_MR_ERR_DONT_FORK_NEW, MR_OLD_VALID, "the region is as before"),
	CODE(IBV_REREG_MR_ERR_DO_FORK_OLD, MR_OLD_REPLACED, "the region has changed"),
	CODE(IBV_REREG_MR_ERR_CMD, MR_OLD_UNUSABLE,
	     "the region must no longer be used: deregister it"),
	CODE(IBV_REREG_MR_ERR_CMD_AND_DO_FORK_NEW, MR_OLD_UNUSABLE,
	     "the region must no longer be used: deregister it"),
#undef CODE
};

/* An unknown value is treated as the code that promises least. */
static const struct code *find_code(int value)
{
	const int count = sizeof(codes) / sizeof(*codes);

	return &codes[value < 0 && value > -count ? -value : -(int)IBV_REREG_MR_ERR_CMD];
}

const char *mr_rereg_code_name(int value)
{
	return find_code(value)->name;
}

const char *mr_old_region_name(enum mr_old_region old)
{
	static const char *const names[MR_OLD_REGIONS] = {
		[MR_OLD_VALID] = "valid",
		[MR_OLD_REPLACED] = "replaced",
		[MR_OLD_UNUSABLE] = "unusable",
		[MR_OLD_UNKNOWN] = "unknown",
	};

	return names[old];
}

/* uverbs_cmd.c ib_uverbs_rereg_mr(); sets the keys of the region. */
static int ioctl_rereg_mr(const struct mr_uverbs *uverbs, uint32_t pd_handle, uint32_t handle,
			  const struct mr_rereg_request *r, struct ib_uverbs_rereg_mr_resp *out,
			  struct mr_error *err)
{
	const struct mr_driver *driver = mr_driver_find(uverbs->driver_id);
	const struct ib_uverbs_rereg_mr in = {
		.mr_handle = handle,
		.flags = r->changes,
		.start = r->addr,
		.length = r->length,
		.hca_va = r->iova,
		.pd_handle = pd_handle,
		.access_flags = r->access,
	};
	uint64_t private_in[4] = { 0 };
	struct mr_ioctl request =
		mr_ioctl_new_write(IB_USER_VERBS_CMD_REREG_MR, &in, sizeof(in), out, sizeof(*out));

	if (driver->reg_in) /* as irdma's provider does; the providers of the other drivers send nothing */
		mr_ioctl_add_in(&request, UVERBS_ATTR_UHW_IN, private_in, driver->reg_in);
	return mr_ioctl_submit(uverbs, &request, "ioctl(REREG_MR)", err);
}

/*
 * The test is a request to change nothing.
 * Where the driver has rereg_user_mr(), ib_uverbs_rereg_mr() refuses that with EINVAL before it looks at
 * the region; where the driver has none, the kernel does not have the command (EOPNOTSUPP).
 */
bool mr_kernel_has_rereg(const struct mr_uverbs *uverbs, uint32_t handle)
{
	const struct mr_rereg_request nothing = { .changes = 0 };
	struct ib_uverbs_rereg_mr_resp out = { .lkey = 0 };

	return ioctl_rereg_mr(uverbs, 0, handle, &nothing, &out, NULL) != -EOPNOTSUPP;
}

/* The code that ibv_rereg_mr(3) would return, by its own checks (libibverbs/verbs.c, rdma-core 44 to 65). */
static const char *library_code(const struct mr_rereg_request *request)
{
	bool input = request->origin == MR_ORIGIN_OTHER ||
		     request->changes & ~(uint32_t)MR_CHANGES ||
		     (request->changes & MR_CHANGE_TRANSLATION &&
		      (!request->addr || !request->length)) ||
		     (request->access && !(request->changes & MR_CHANGE_ACCESS));

	if (input)
		return find_code(IBV_REREG_MR_ERR_INPUT)->name;
	return request->origin == MR_ORIGIN_PLAIN ? find_code(IBV_REREG_MR_ERR_CMD)->name : NULL;
}

/* A driver may fail before or after it has given up the old translation, and does not report which. */
static enum mr_old_region judge_kernel(const struct mr_registrar *registrar,
				       const struct mr_rereg_request *request, uint32_t handle,
				       struct mr_rereg_failure *failure, struct mr_error *err)
{
	/* Whether ib_uverbs_rereg_mr() refuses the flags before it looks at the region (up to Linux 7.2). */
	bool other = !request->changes || request->changes & ~(uint32_t)MR_CHANGES;

	if (err->errnum == EOPNOTSUPP && !mr_kernel_has_rereg(registrar->uverbs, handle))
		failure->lacks = MR_REREG_OF_KERNEL;
	if (failure->lacks == MR_REREG_OF_KERNEL ||
	    (other && (err->errnum == EINVAL || err->errnum == EOPNOTSUPP))) {
		mr_hint(err, "the region is as before");
		return MR_OLD_VALID;
	}
	mr_hint(err, "the kernel does not report whether the old region still works: it is "
		     "suspect until a change of the same kind succeeds, or deregister it");
	return MR_OLD_UNKNOWN;
}

static int rereg_by_kernel(const struct mr_registrar *registrar,
			   const struct mr_rereg_request *request, struct mr_region *region,
			   struct mr_rereg_failure *failure, struct mr_error *err)
{
	struct ib_uverbs_rereg_mr_resp out = { .lkey = 0 };
	uint64_t start = mr_registrar_now(registrar);
	int rc = ioctl_rereg_mr(registrar->uverbs, registrar->pd_handle, region->handle, request,
				&out, err);

	if (rc) {
		failure->library_would_say = library_code(request);
		failure->old = judge_kernel(registrar, request, region->handle, failure, err);
		return rc;
	}
	region->elapsed_ns = mr_registrar_now(registrar) - start;
	region->lkey = out.lkey;
	region->rkey = out.rkey;
	if (region->mr) { /* its addr and length stay: fork protection covers those */
		region->mr->lkey = out.lkey;
		region->mr->rkey = out.rkey;
	}
	if (request->changes & MR_CHANGE_TRANSLATION) {
		region->addr = request->addr;
		region->length = request->length;
		region->iova = request->iova;
	}
	return 0;
}

/*
 * Returns the state of the region after @code: as before, too, if provider or kernel lack the call.  Where the
 * provider does not have it, libibverbs' dummy_ops.c answers EOPNOTSUPP without a system call, also in a context that
 * has no descriptor.  Where the driver does not, the kernel answers it.
 */
static enum mr_old_region judge_code(const struct mr_registrar *registrar, const struct code *code,
				     struct ibv_mr *mr, struct mr_rereg_failure *failure,
				     struct mr_error *err)
{
	const int fd = mr->context->cmd_fd;

	mr_hint(err, "%s: %s", code->name, code->meaning);
	if (code != find_code(IBV_REREG_MR_ERR_CMD) || err->errnum != EOPNOTSUPP ||
	    !ibv_rereg_mr(mr, 0, registrar->pd, NULL, 0, 0) || errno != EOPNOTSUPP)
		return code->old;
	if (registrar->uverbs) { /* no other thread uses the context */
		mr->context->cmd_fd = -1;
		ibv_rereg_mr(mr, 0, registrar->pd, NULL, 0, 0);
		failure->lacks = errno == EBADF ? MR_REREG_OF_KERNEL : MR_REREG_OF_PROVIDER;
		mr->context->cmd_fd = fd;
	}
	mr_hint(err, "%s, but nothing was tried: the region is as before", code->name);
	return MR_OLD_VALID;
}

static int rereg_by_library(const struct mr_registrar *registrar,
			    const struct mr_rereg_request *request, struct mr_region *region,
			    struct mr_rereg_failure *failure, struct mr_error *err)
{
	void *addr = mr_pointer(request->addr);
	const struct code *code = NULL;
	uint64_t start = mr_registrar_now(registrar), end;
	int rc;

	errno = 0;
	rc = ibv_rereg_mr(region->mr, (int)request->changes, registrar->pd, addr, request->length,
			  (int)request->access);
	end = mr_registrar_now(registrar);
	if (rc) {
		code = find_code(rc);
		failure->code = code->name;
		/* Fork protection may fail without errno: libibverbs is short of memory then. */
		rc = mr_fail(err, MR_ERROR_REFUSED, errno ? errno : ENOMEM, "ibv_rereg_mr", NULL);
		failure->old = judge_code(registrar, code, region->mr, failure, err);
		if (failure->old != MR_OLD_REPLACED)
			return rc;
	}
	region->elapsed_ns = end - start;
	region->lkey = region->mr->lkey;
	region->rkey = region->mr->rkey;
	if (request->changes & MR_CHANGE_TRANSLATION) {
		region->addr = region->iova = request->addr;
		region->length = region->mr->length;
	}
	return rc;
}

int mr_region_rereg(const struct mr_registrar *registrar, const struct mr_rereg_request *request,
		    struct mr_region *region, struct mr_rereg_failure *failure,
		    struct mr_error *err)
{
	*failure = (struct mr_rereg_failure){ .old = MR_OLD_UNTOUCHED };
	if (registrar->via == MR_VIA_KERNEL)
		return rereg_by_kernel(registrar, request, region, failure, err);
	return rereg_by_library(registrar, request, region, failure, err);
}

int mr_region_import(const struct mr_registrar *registrar, uint32_t handle,
		     struct mr_region *region, struct mr_error *err)
{
	struct ibv_mr *mr;

	errno = 0;
	mr = ibv_import_mr(registrar->pd, handle);
	if (!mr)
		return mr_fail(err, MR_ERROR_REFUSED, mr_call_errno(), "ibv_import_mr", NULL);
	*region = (struct mr_region){
		.live = true,
		.mr = mr,
		.length = mr->length,
		.handle = mr->handle,
		.lkey = mr->lkey,
		.rkey = mr->rkey,
	};
	return 0;
}
