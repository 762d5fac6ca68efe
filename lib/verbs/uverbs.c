// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/irdma-abi.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <rdma/mthca-abi.h>
#include <rdma/siw-abi.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>

#include "lib/base/base.h"
#include "lib/verbs/verbs.h"

/* The largest processing hint: PCIe gives it two bits. */
#define MR_DMAH_PH_MAX 3

struct mr_ioctl mr_ioctl_new(uint16_t object, uint16_t method)
{
	return (struct mr_ioctl){ .header = { .object_id = object, .method_id = method } };
}

struct ib_uverbs_attr *mr_ioctl_add(struct mr_ioctl *request, uint16_t id, size_t length,
				    uint64_t data)
{
	struct ib_uverbs_attr *attr = &request->attrs[request->header.num_attrs++];

	*attr = (struct ib_uverbs_attr){
		.attr_id = id,
		.len = (uint16_t)length,
		.flags = UVERBS_ATTR_F_MANDATORY,
		.data = data,
	};
	return attr;
}

void mr_ioctl_add_handle(struct mr_ioctl *request, uint16_t id, uint32_t handle)
{
	mr_ioctl_add(request, id, 0, handle);
}

/* A value of up to eight bytes is in the attribute itself; of a longer one the attribute has the address. */
void mr_ioctl_add_in(struct mr_ioctl *request, uint16_t id, const void *value, size_t length)
{
	uint64_t data = (uintptr_t)value;

	if (length <= sizeof(data)) {
		data = 0;
		memcpy(&data, value, length);
	}
	mr_ioctl_add(request, id, length, data);
}

void mr_ioctl_add_out(struct mr_ioctl *request, uint16_t id, void *value, size_t length)
{
	mr_ioctl_add(request, id, length, (uintptr_t)value);
}

int mr_ioctl_create(const struct mr_uverbs *uverbs, struct mr_ioctl *request, const char *call,
		    uint32_t *handle, struct mr_error *err)
{
	int rc = mr_ioctl_submit(uverbs, request, call, err);

	if (!rc)
		*handle = (uint32_t)request->attrs[0].data;
	return rc;
}

int mr_ioctl_submit(const struct mr_uverbs *uverbs, struct mr_ioctl *request, const char *call,
		    struct mr_error *err)
{
	request->header.length = (uint16_t)(sizeof(request->header) +
					    request->header.num_attrs * sizeof(*request->attrs));
	request->header.driver_id = uverbs->driver_id;
	if (ioctl(uverbs->fd, RDMA_VERBS_IOCTL, &request->header))
		return err ? mr_fail(err, MR_ERROR_REFUSED, errno, call, NULL) : -errno;
	return 0;
}

struct mr_ioctl mr_ioctl_new_write(uint64_t command, const void *in, size_t in_length, void *out,
				   size_t out_length)
{
	struct mr_ioctl request = mr_ioctl_new(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INVOKE_WRITE);

	mr_ioctl_add_in(&request, UVERBS_ATTR_WRITE_CMD, &command, sizeof(command));
	mr_ioctl_add_in(&request, UVERBS_ATTR_CORE_IN, in, in_length);
	mr_ioctl_add_out(&request, UVERBS_ATTR_CORE_OUT, out, out_length);
	return request;
}

/* Numbers from later versions of <rdma/mlx5_user_ioctl_cmds.h>, which rdma-core 44 does not have. */
#define METHOD_GET_DATA_DIRECT_SYSFS_PATH ((1u << UVERBS_ID_NS_SHIFT) + 1)
#define ATTR_GET_DATA_DIRECT_SYSFS_PATH   (1u << UVERBS_ID_NS_SHIFT)

/* Room for a driver's own answer to ALLOC_PD, in bytes: no driver has a longer one. */
#define PD_ANSWER_SIZE 64

int mr_uverbs_alloc_pd(const struct mr_uverbs *uverbs, uint32_t *handle, struct mr_error *err)
{
	struct ib_uverbs_alloc_pd in = { .response = 0 };
	struct ib_uverbs_alloc_pd_resp out = { .pd_handle = 0 };
	uint8_t answer[PD_ANSWER_SIZE] = { 0 };
	struct mr_ioctl request =
		mr_ioctl_new_write(IB_USER_VERBS_CMD_ALLOC_PD, &in, sizeof(in), &out, sizeof(out));
	int rc;

	mr_ioctl_add_out(&request, UVERBS_ATTR_UHW_OUT, answer, sizeof(answer));
	rc = mr_ioctl_submit(uverbs, &request, "ioctl(ALLOC_PD)", err);
	if (!rc)
		*handle = out.pd_handle;
	return rc;
}

int mr_uverbs_destroy(const struct mr_uverbs *uverbs, enum mr_region_kind kind, uint32_t handle,
		      struct mr_error *err)
{
	static const struct {
		uint16_t object, method, handle;
		const char *call;
	} methods[] = {
		[MR_KIND_MR] = { UVERBS_OBJECT_MR, UVERBS_METHOD_MR_DESTROY,
				 UVERBS_ATTR_DESTROY_MR_HANDLE, "ioctl(MR_DESTROY)" },
		[MR_KIND_UMEM] = { MLX5_IB_OBJECT_DEVX_UMEM, MLX5_IB_METHOD_DEVX_UMEM_DEREG,
				   MLX5_IB_ATTR_DEVX_UMEM_DEREG_HANDLE, "ioctl(DEVX_UMEM_DEREG)" },
		[MR_KIND_DM] = { UVERBS_OBJECT_DM, UVERBS_METHOD_DM_FREE,
				 UVERBS_ATTR_FREE_DM_HANDLE, "ioctl(DM_FREE)" },
		[MR_KIND_PD] = { UVERBS_OBJECT_PD, UVERBS_METHOD_PD_DESTROY,
				 UVERBS_ATTR_DESTROY_PD_HANDLE, "ioctl(PD_DESTROY)" },
		[MR_KIND_DMAH] = { MR_OBJECT_DMAH, MR_METHOD_DMAH_FREE, MR_ATTR_FREE_DMA_HANDLE,
				   "ioctl(DMAH_FREE)" },
	};
	struct mr_ioctl request = mr_ioctl_new(methods[kind].object, methods[kind].method);

	mr_ioctl_add_handle(&request, methods[kind].handle, handle);
	return mr_ioctl_submit(uverbs, &request, methods[kind].call, err);
}

int mr_uverbs_data_direct_path(const struct mr_uverbs *uverbs, char *path, size_t size,
			       struct mr_error *err)
{
	struct mr_ioctl request =
		mr_ioctl_new(UVERBS_OBJECT_DEVICE, METHOD_GET_DATA_DIRECT_SYSFS_PATH);
	const size_t used = strlen(MR_SYSFS);
	int rc;

	memset(path, 0, size);
	/* With another driver the number may mean another method. */
	if (uverbs->driver_id != RDMA_DRIVER_MLX5)
		return mr_fail(err, MR_ERROR_HOST, EOPNOTSUPP, "ioctl(GET_DATA_DIRECT_SYSFS_PATH)",
			       NULL);
	mr_ioctl_add_out(&request, ATTR_GET_DATA_DIRECT_SYSFS_PATH, path + used, size - used - 1);
	rc = mr_ioctl_submit(uverbs, &request, "ioctl(GET_DATA_DIRECT_SYSFS_PATH)", err);
	if (!rc)
		memcpy(path, MR_SYSFS, used);
	return rc;
}

int mr_uverbs_query_mr(const struct mr_uverbs *uverbs, uint32_t handle, struct mr_uverbs_mr *mr,
		       struct mr_error *err)
{
	struct mr_ioctl request = mr_ioctl_new(UVERBS_OBJECT_MR, UVERBS_METHOD_QUERY_MR);

	*mr = (struct mr_uverbs_mr){ .handle = handle };
	mr_ioctl_add_handle(&request, UVERBS_ATTR_QUERY_MR_HANDLE, handle);
	MR_IOCTL_OUT(&request, UVERBS_ATTR_QUERY_MR_RESP_LKEY, mr->lkey);
	MR_IOCTL_OUT(&request, UVERBS_ATTR_QUERY_MR_RESP_RKEY, mr->rkey);
	MR_IOCTL_OUT(&request, UVERBS_ATTR_QUERY_MR_RESP_LENGTH, mr->length);
	MR_IOCTL_OUT(&request, UVERBS_ATTR_QUERY_MR_RESP_IOVA, mr->iova);
	return mr_ioctl_submit(uverbs, &request, "ioctl(QUERY_MR)", err);
}

bool mr_uverbs_is_absent(int rc)
{
	return rc == -ENOENT || rc == -EINVAL;
}

int mr_uverbs_list(const struct mr_uverbs *uverbs, uint16_t object, struct mr_handles *handles,
		   struct mr_error *err)
{
	struct mr_ioctl request = mr_ioctl_new(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INFO_HANDLES);
	uint64_t type = object; /* the attribute has 64 bits */

	handles->count = 0;
	/* With another driver the number may mean another object. */
	if (object & 1u << UVERBS_ID_NS_SHIFT && uverbs->driver_id != RDMA_DRIVER_MLX5)
		return 0;
	mr_ioctl_add_in(&request, UVERBS_ATTR_INFO_OBJECT_ID, &type, sizeof(type));
	MR_IOCTL_OUT(&request, UVERBS_ATTR_INFO_TOTAL_HANDLES, handles->count);
	MR_IOCTL_OUT(&request, UVERBS_ATTR_INFO_HANDLES_LIST, handles->list);
	return mr_ioctl_submit(uverbs, &request, "ioctl(INFO_HANDLES)", err);
}

/*
 * imports: only mlx5's table of operations has import_context (rdma-core 44 to 65).
 * lacks_dmabufs: up to rdma-core 65 its table has no reg_dmabuf_mr, and up to Linux 7.2 the driver's
 * ib_device_ops no reg_user_mr_dmabuf.  lacks_rereg: the table has no rereg_mr.
 * blocks_removal: the driver has no ib_device_ops.disassociate_ucontext.
 */
static const struct mr_driver drivers[] = {
	{ .provider = "mlx5", .id = RDMA_DRIVER_MLX5, .imports = true },
	{ .provider = "mlx4", .id = RDMA_DRIVER_MLX4, .lacks_dmabufs = true },
	{ .provider = "mthca",
	  .id = RDMA_DRIVER_MTHCA,
	  .lacks_dmabufs = true,
	  .lacks_rereg = true,
	  .reg_in = sizeof(struct mthca_reg_mr) },
	{ .provider = "bnxt_re", .id = RDMA_DRIVER_BNXT_RE, .lacks_rereg = true },
	{ .provider = "cxgb4",
	  .id = RDMA_DRIVER_CXGB4,
	  .lacks_dmabufs = true,
	  .lacks_rereg = true,
	  .blocks_removal = true },
	{ .provider = "ocrdma",
	  .id = RDMA_DRIVER_OCRDMA,
	  .lacks_dmabufs = true,
	  .lacks_rereg = true },
	{ .provider = "irdma",
	  .id = RDMA_DRIVER_IRDMA,
	  .reg_in = sizeof(struct irdma_mem_reg_req) },
	{ .provider = "vmw_pvrdma",
	  .id = RDMA_DRIVER_VMW_PVRDMA,
	  .lacks_dmabufs = true,
	  .lacks_rereg = true },
	{ .provider = "qedr",
	  .id = RDMA_DRIVER_QEDR,
	  .lacks_dmabufs = true,
	  .lacks_rereg = true,
	  .blocks_removal = true },
	{ .provider = "hns", .id = RDMA_DRIVER_HNS, .lacks_dmabufs = true },
	{ .provider = "rxe",
	  .id = RDMA_DRIVER_RXE,
	  .lacks_dmabufs = true,
	  .lacks_rereg = true,
	  .blocks_removal = true,
	  .orders_strictly = true },
	{ .provider = "hfi1verbs",
	  .id = RDMA_DRIVER_HFI1,
	  .lacks_dmabufs = true,
	  .lacks_rereg = true },
	{ .provider = "efa", .id = RDMA_DRIVER_EFA, .lacks_rereg = true, .blocks_removal = true },
	{ .provider = "siw",
	  .id = RDMA_DRIVER_SIW,
	  .lacks_dmabufs = true,
	  .lacks_rereg = true,
	  .reg_in = sizeof(struct siw_ureq_reg_mr),
	  .reg_out = sizeof(struct siw_uresp_reg_mr),
	  .blocks_removal = true,
	  .orders_strictly = true },
	{ .provider = "erdma",
	  .id = RDMA_DRIVER_ERDMA,
	  .lacks_dmabufs = true,
	  .lacks_rereg = true },
};

const struct mr_driver *mr_driver_find(uint32_t id)
{
	/* Its provider may be able to import, so importing is tried. */
	static const struct mr_driver unknown = { .provider = "", .imports = true };

	for (size_t i = 0; i < sizeof(drivers) / sizeof(*drivers); i++)
		if (drivers[i].id == id)
			return &drivers[i];
	return &unknown;
}

uint32_t mr_driver_id(const char *provider)
{
	for (size_t i = 0; i < sizeof(drivers) / sizeof(*drivers); i++)
		if (!strcmp(drivers[i].provider, provider))
			return drivers[i].id;
	return RDMA_DRIVER_UNKNOWN;
}

const struct mr_word mr_dmah_memories[MR_DMAH_MEMORIES + 1] = {
	[MR_DMAH_NO_CPU] = MR_WORD("", "no steering tag"),
	[MR_DMAH_VOLATILE] = MR_WORD("volatile", "memory that loses its contents without power"),
	[MR_DMAH_PERSISTENT] = MR_WORD("persistent", "memory that keeps its contents"),
	[MR_DMAH_MEMORIES] = MR_WORD(NULL, NULL),
};

enum part { PART_CPU, PART_MEMORY, PART_PH, PARTS };

static const struct mr_word parts[PARTS + 1] = {
	[PART_CPU] = MR_WORD("cpu", "number of a CPU"),
	[PART_MEMORY] = MR_WORD("mem", "kind of memory"),
	[PART_PH] = MR_WORD("ph", "processing hint"),
	[PARTS] = MR_WORD(NULL, NULL),
};

static int read_item(const char *item, size_t length, struct mr_dmah_hints *hints,
		     unsigned int *given, struct mr_error *err)
{
	const char *equals = memchr(item, '=', length), *value = equals ? equals + 1 : NULL;
	const int part = equals ? mr_word_find(parts, item, (size_t)(equals - item)) : -1;
	const uint64_t max = part == PART_CPU ? UINT32_MAX : MR_DMAH_PH_MAX;
	const struct mr_word *words = mr_dmah_memories + 1;
	const int left = part < 0 ? 0 : (int)(item + length - value);
	uint64_t number = 0;
	int rc;

	if (part < 0)
		return mr_fail_usage(
			err, "'%.*s' is not of the form cpu=N, mem=volatile|persistent or ph=N",
			(int)length, item);
	if (*given & 1u << part)
		return mr_fail_usage(err, "%s is given twice", parts[part].name);
	*given |= 1u << part;
	if (part == PART_MEMORY) {
		rc = mr_word_find(words, value, (size_t)left);
		hints->memory = (uint8_t)(rc + 1);
		return rc >= 0 ? 0
			       : mr_fail_word(err, "kind of memory", value, (size_t)left, words,
					      sizeof(*words));
	}
	rc = mr_parse_u64_item(value, (size_t)left, max, &number, err);
	if (rc == -ERANGE)
		return mr_fail_text(err, MR_ERROR_USAGE, ERANGE,
				    "%s: '%.*s' is too large: give 0 to %" PRIu64, parts[part].name,
				    left, value, max);
	if (rc)
		return mr_fail_usage(err, "%s: '%.*s' is not a number", parts[part].name, left,
				     value);
	if (part == PART_CPU)
		hints->cpu = (uint32_t)number;
	else
		hints->ph = (uint8_t)number;
	return 0;
}

int mr_dmah_parse(const char *text, struct mr_dmah_hints *hints, struct mr_error *err)
{
	struct mr_dmah_hints read = { .memory = MR_DMAH_NO_CPU };
	const char *rest = text, *item;
	unsigned int given = 0;
	bool cpu, memory;
	size_t length;
	int rc = 0;

	while (!rc && (item = mr_list_item(&rest, ",", &length)))
		rc = read_item(item, length, &read, &given, err);
	if (rc)
		return rc;
	cpu = given & 1u << PART_CPU;
	memory = given & 1u << PART_MEMORY;
	if (cpu != memory)
		return mr_fail_usage(err, "%s requires %s, for a steering tag", cpu ? "cpu" : "mem",
				     cpu ? "mem" : "cpu");
	if (!(given & 1u << PART_PH))
		return mr_fail_usage(err,
				     "a DMA handle requires ph=N, a processing hint from 0 to %d",
				     MR_DMAH_PH_MAX);
	*hints = read;
	return 0;
}
