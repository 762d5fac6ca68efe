// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/irdma-abi.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <rdma/mthca-abi.h>
#include <rdma/rdma_user_ioctl_cmds.h>
#include <rdma/siw-abi.h>
#include <string.h>
#include <sys/ioctl.h>

#include "lib/verbs/uverbs.h"

#define ATTRS_MAX 10

/* mlx5's own, which the headers of rdma-core 44 lack: <rdma/mlx5_user_ioctl_cmds.h> */
#define ATTR_REG_DMABUF_MR_ACCESS_FLAGS   (1u << UVERBS_ID_NS_SHIFT)
#define METHOD_GET_DATA_DIRECT_SYSFS_PATH ((1u << UVERBS_ID_NS_SHIFT) + 1)
#define ATTR_GET_DATA_DIRECT_SYSFS_PATH   (1u << UVERBS_ID_NS_SHIFT)

/* Drivers write their answer to ALLOC_PD here: none has more. */
#define PD_ANSWER_SIZE 64

/* struct mlx5_ib_alloc_ucontext_resp, and what may be added to it */
#define CONTEXT_ANSWER_SIZE 512

/* struct mlx5_ifc_cmd_hca_cap_bits: bytes, and places of bits */
#define HCA_CAP_SIZE              4096
#define RELAXED_ORDERING_WRITE    0xe8
#define RELAXED_ORDERING_READ_PCI 0xe9
#define RELAXED_ORDERING_READ     0x32a

/* What a driver wants to be told with REG_MR beside the public request. */
struct driver {
	const char *provider;
	uint32_t id;
	uint16_t reg_in;  /* bytes of zeros: an ordinary memory region everywhere */
	uint16_t reg_out; /* bytes of its answer */
};

static const struct driver drivers[] = {
	{ "mlx5", RDMA_DRIVER_MLX5, 0, 0 },
	{ "mlx4", RDMA_DRIVER_MLX4, 0, 0 },
	{ "mthca", RDMA_DRIVER_MTHCA, sizeof(struct mthca_reg_mr), 0 },
	{ "bnxt_re", RDMA_DRIVER_BNXT_RE, 0, 0 },
	{ "cxgb4", RDMA_DRIVER_CXGB4, 0, 0 },
	{ "ocrdma", RDMA_DRIVER_OCRDMA, 0, 0 },
	{ "irdma", RDMA_DRIVER_IRDMA, sizeof(struct irdma_mem_reg_req), 0 },
	{ "vmw_pvrdma", RDMA_DRIVER_VMW_PVRDMA, 0, 0 },
	{ "qedr", RDMA_DRIVER_QEDR, 0, 0 },
	{ "hns", RDMA_DRIVER_HNS, 0, 0 },
	{ "rxe", RDMA_DRIVER_RXE, 0, 0 },
	{ "hfi1verbs", RDMA_DRIVER_HFI1, 0, 0 },
	{ "efa", RDMA_DRIVER_EFA, 0, 0 },
	{ "siw", RDMA_DRIVER_SIW, sizeof(struct siw_ureq_reg_mr), sizeof(struct siw_uresp_reg_mr) },
	{ "erdma", RDMA_DRIVER_ERDMA, 0, 0 },
};

static const struct driver *find_driver(uint32_t id)
{
	static const struct driver unknown = { .provider = "" };

	for (size_t i = 0; i < sizeof(drivers) / sizeof(*drivers); i++)
		if (drivers[i].id == id)
			return &drivers[i];
	return &unknown;
}

uint32_t mr_uverbs_driver_id(const char *provider)
{
	for (size_t i = 0; i < sizeof(drivers) / sizeof(*drivers); i++)
		if (!strcmp(drivers[i].provider, provider))
			return drivers[i].id;
	return RDMA_DRIVER_UNKNOWN;
}

bool mr_uverbs_imports(uint32_t driver_id)
{
	/* rdma-core 44 to 65: import_context is in mlx5's table of operations only. */
	return driver_id == RDMA_DRIVER_MLX5 || !mr_uverbs_knows_driver(driver_id);
}

bool mr_uverbs_blocks_removal(uint32_t driver_id)
{
	/* Drivers without ib_device_ops.disassociate_ucontext. */
	switch (driver_id) {
	case RDMA_DRIVER_RXE:
	case RDMA_DRIVER_SIW:
	case RDMA_DRIVER_EFA:
	case RDMA_DRIVER_CXGB4:
	case RDMA_DRIVER_QEDR:
		return true;
	default:
		return false;
	}
}

bool mr_uverbs_knows_driver(uint32_t driver_id)
{
	return find_driver(driver_id)->provider[0];
}

/* An ioctl being put together.  Its header ends with an array of no length: the attributes. */
struct request {
	union {
		struct ib_uverbs_ioctl_hdr header;
		struct {
			char before[sizeof(struct ib_uverbs_ioctl_hdr)];
			struct ib_uverbs_attr attrs[ATTRS_MAX];
		};
	};
};

static struct request new_request(uint16_t object, uint16_t method)
{
	return (struct request){ .header = { .object_id = object, .method_id = method } };
}

static struct ib_uverbs_attr *add(struct request *request, uint16_t id, size_t length,
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

static void add_handle(struct request *request, uint16_t id, uint32_t handle)
{
	add(request, id, 0, handle);
}

/* Values of up to eight bytes stand in the attribute itself. */
static void add_in(struct request *request, uint16_t id, const void *value, size_t length)
{
	uint64_t data = (uintptr_t)value;

	if (length <= sizeof(data)) {
		data = 0;
		memcpy(&data, value, length);
	}
	add(request, id, length, data);
}

static void add_out(struct request *request, uint16_t id, void *value, size_t length)
{
	add(request, id, length, (uintptr_t)value);
}

static int submit(const struct mr_uverbs *uverbs, struct request *request, const char *call,
		  struct mr_error *err)
{
	request->header.length = (uint16_t)(sizeof(request->header) +
					    request->header.num_attrs * sizeof(*request->attrs));
	request->header.driver_id = uverbs->driver_id;
	if (ioctl(uverbs->fd, RDMA_VERBS_IOCTL, &request->header))
		return mr_fail(err, MR_ERROR_REFUSED, errno, call, NULL);
	return 0;
}

/* The older commands come through a method of their own (UVERBS_METHOD_INVOKE_WRITE). */
static struct request new_write(uint64_t command, const void *in, size_t in_length, void *out,
				size_t out_length)
{
	struct request request = new_request(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INVOKE_WRITE);

	add_in(&request, UVERBS_ATTR_WRITE_CMD, &command, sizeof(command));
	add_in(&request, UVERBS_ATTR_CORE_IN, in, in_length);
	add_out(&request, UVERBS_ATTR_CORE_OUT, out, out_length);
	return request;
}

int mr_uverbs_alloc_pd(const struct mr_uverbs *uverbs, uint32_t *handle, struct mr_error *err)
{
	struct ib_uverbs_alloc_pd in = { .response = 0 };
	struct ib_uverbs_alloc_pd_resp out = { .pd_handle = 0 };
	uint8_t answer[PD_ANSWER_SIZE] = { 0 };
	struct request request =
		new_write(IB_USER_VERBS_CMD_ALLOC_PD, &in, sizeof(in), &out, sizeof(out));
	int rc;

	add_out(&request, UVERBS_ATTR_UHW_OUT, answer, sizeof(answer));
	rc = submit(uverbs, &request, "ioctl(ALLOC_PD)", err);
	if (!rc)
		*handle = out.pd_handle;
	return rc;
}

int mr_uverbs_dealloc_pd(const struct mr_uverbs *uverbs, uint32_t handle, struct mr_error *err)
{
	struct request request = new_request(UVERBS_OBJECT_PD, UVERBS_METHOD_PD_DESTROY);

	add_handle(&request, UVERBS_ATTR_DESTROY_PD_HANDLE, handle);
	return submit(uverbs, &request, "ioctl(PD_DESTROY)", err);
}

int mr_uverbs_reg_mr(const struct mr_uverbs *uverbs, const struct mr_uverbs_reg *r,
		     struct mr_uverbs_mr *mr, struct mr_error *err)
{
	const struct driver *driver = find_driver(uverbs->driver_id);
	struct ib_uverbs_reg_mr in = {
		.start = r->addr,
		.length = r->length,
		.hca_va = r->iova,
		.pd_handle = r->pd_handle,
		.access_flags = r->access,
	};
	struct ib_uverbs_reg_mr_resp out = { .mr_handle = 0 };
	uint64_t private_in[4] = { 0 }, private_out[4] = { 0 };
	struct request request =
		new_write(IB_USER_VERBS_CMD_REG_MR, &in, sizeof(in), &out, sizeof(out));
	int rc;

	if (driver->reg_in)
		add_in(&request, UVERBS_ATTR_UHW_IN, private_in, driver->reg_in);
	if (driver->reg_out)
		add_out(&request, UVERBS_ATTR_UHW_OUT, private_out, driver->reg_out);
	rc = submit(uverbs, &request, "ioctl(REG_MR)", err);
	if (!rc)
		*mr = (struct mr_uverbs_mr){ .handle = out.mr_handle,
					     .lkey = out.lkey,
					     .rkey = out.rkey,
					     .length = r->length,
					     .iova = r->iova };
	return rc;
}

int mr_uverbs_rereg_mr(const struct mr_uverbs *uverbs, uint32_t changes,
		       const struct mr_uverbs_reg *r, struct mr_uverbs_mr *mr, struct mr_error *err)
{
	const struct driver *driver = find_driver(uverbs->driver_id);
	struct ib_uverbs_rereg_mr in = {
		.mr_handle = mr->handle,
		.flags = changes,
		.start = r->addr,
		.length = r->length,
		.hca_va = r->iova,
		.pd_handle = r->pd_handle,
		.access_flags = r->access,
	};
	struct ib_uverbs_rereg_mr_resp out = { .lkey = 0 };
	uint64_t private_in[4] = { 0 };
	struct request request =
		new_write(IB_USER_VERBS_CMD_REREG_MR, &in, sizeof(in), &out, sizeof(out));
	int rc;

	if (driver->reg_in) /* irdma's provider sends the same as with REG_MR, the others nothing */
		add_in(&request, UVERBS_ATTR_UHW_IN, private_in, driver->reg_in);
	rc = submit(uverbs, &request, "ioctl(REREG_MR)", err);
	if (rc)
		return rc;
	mr->lkey = out.lkey;
	mr->rkey = out.rkey;
	return 0;
}

int mr_uverbs_reg_dmabuf_mr(const struct mr_uverbs *uverbs, const struct mr_uverbs_reg *r, int fd,
			    uint32_t mlx5_access, struct mr_uverbs_mr *mr, struct mr_error *err)
{
	struct request request = new_request(UVERBS_OBJECT_MR, UVERBS_METHOD_REG_DMABUF_MR);
	const struct ib_uverbs_attr *handle = add(&request, UVERBS_ATTR_REG_DMABUF_MR_HANDLE, 0, 0);
	int rc;

	*mr = (struct mr_uverbs_mr){ .length = r->length, .iova = r->iova };
	add_handle(&request, UVERBS_ATTR_REG_DMABUF_MR_PD_HANDLE, r->pd_handle);
	add_in(&request, UVERBS_ATTR_REG_DMABUF_MR_OFFSET, &r->addr, sizeof(r->addr));
	add_in(&request, UVERBS_ATTR_REG_DMABUF_MR_LENGTH, &r->length, sizeof(r->length));
	add_in(&request, UVERBS_ATTR_REG_DMABUF_MR_IOVA, &r->iova, sizeof(r->iova));
	add_in(&request, UVERBS_ATTR_REG_DMABUF_MR_FD, &fd, sizeof(fd));
	add_in(&request, UVERBS_ATTR_REG_DMABUF_MR_ACCESS_FLAGS, &r->access, sizeof(r->access));
	add_out(&request, UVERBS_ATTR_REG_DMABUF_MR_RESP_LKEY, &mr->lkey, sizeof(mr->lkey));
	add_out(&request, UVERBS_ATTR_REG_DMABUF_MR_RESP_RKEY, &mr->rkey, sizeof(mr->rkey));
	if (mlx5_access)
		add_in(&request, ATTR_REG_DMABUF_MR_ACCESS_FLAGS, &mlx5_access,
		       sizeof(mlx5_access));
	rc = submit(uverbs, &request, "ioctl(REG_DMABUF_MR)", err);
	if (!rc)
		mr->handle = (uint32_t)handle->data;
	return rc;
}

int mr_uverbs_data_direct_path(const struct mr_uverbs *uverbs, char *path, size_t size,
			       struct mr_error *err)
{
	struct request request =
		new_request(UVERBS_OBJECT_DEVICE, METHOD_GET_DATA_DIRECT_SYSFS_PATH);

	/* To another driver this number may mean anything. */
	if (uverbs->driver_id != RDMA_DRIVER_MLX5)
		return mr_fail(err, MR_ERROR_HOST, EOPNOTSUPP, "ioctl(GET_DATA_DIRECT_SYSFS_PATH)",
			       NULL);
	add_out(&request, ATTR_GET_DATA_DIRECT_SYSFS_PATH, path, size);
	return submit(uverbs, &request, "ioctl(GET_DATA_DIRECT_SYSFS_PATH)", err);
}

int mr_uverbs_query_mr(const struct mr_uverbs *uverbs, uint32_t handle, struct mr_uverbs_mr *mr,
		       struct mr_error *err)
{
	struct request request = new_request(UVERBS_OBJECT_MR, UVERBS_METHOD_QUERY_MR);

	*mr = (struct mr_uverbs_mr){ .handle = handle };
	add_handle(&request, UVERBS_ATTR_QUERY_MR_HANDLE, handle);
	add_out(&request, UVERBS_ATTR_QUERY_MR_RESP_LKEY, &mr->lkey, sizeof(mr->lkey));
	add_out(&request, UVERBS_ATTR_QUERY_MR_RESP_RKEY, &mr->rkey, sizeof(mr->rkey));
	add_out(&request, UVERBS_ATTR_QUERY_MR_RESP_LENGTH, &mr->length, sizeof(mr->length));
	add_out(&request, UVERBS_ATTR_QUERY_MR_RESP_IOVA, &mr->iova, sizeof(mr->iova));
	return submit(uverbs, &request, "ioctl(QUERY_MR)", err);
}

bool mr_uverbs_is_absent(int rc)
{
	return rc == -ENOENT || rc == -EINVAL;
}

int mr_uverbs_advise_mr(const struct mr_uverbs *uverbs, uint32_t pd_handle, uint32_t advice,
			uint32_t flags, uint64_t addr, uint32_t length, uint32_t lkey,
			struct mr_error *err)
{
	const struct ib_uverbs_sge sge = { .addr = addr, .length = length, .lkey = lkey };
	struct request request = new_request(UVERBS_OBJECT_MR, UVERBS_METHOD_ADVISE_MR);
	uint64_t wide = advice;

	add_handle(&request, UVERBS_ATTR_ADVISE_MR_PD_HANDLE, pd_handle);
	add_in(&request, UVERBS_ATTR_ADVISE_MR_ADVICE, &wide, sizeof(wide));
	add_in(&request, UVERBS_ATTR_ADVISE_MR_FLAGS, &flags, sizeof(flags));
	add_in(&request, UVERBS_ATTR_ADVISE_MR_SGE_LIST, &sge, sizeof(sge));
	return submit(uverbs, &request, "ioctl(ADVISE_MR)", err);
}

int mr_uverbs_destroy_mr(const struct mr_uverbs *uverbs, uint32_t handle, struct mr_error *err)
{
	struct request request = new_request(UVERBS_OBJECT_MR, UVERBS_METHOD_MR_DESTROY);

	add_handle(&request, UVERBS_ATTR_DESTROY_MR_HANDLE, handle);
	return submit(uverbs, &request, "ioctl(MR_DESTROY)", err);
}

int mr_uverbs_list(const struct mr_uverbs *uverbs, uint16_t object, uint32_t *handles,
		   uint32_t *count, struct mr_error *err)
{
	struct request request = new_request(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INFO_HANDLES);
	uint64_t wide = object;

	*count = 0;
	add_in(&request, UVERBS_ATTR_INFO_OBJECT_ID, &wide, sizeof(wide));
	add_out(&request, UVERBS_ATTR_INFO_TOTAL_HANDLES, count, sizeof(*count));
	add_out(&request, UVERBS_ATTR_INFO_HANDLES_LIST, handles,
		MR_UVERBS_INFO_MAX * sizeof(*handles));
	return submit(uverbs, &request, "ioctl(INFO_HANDLES)", err);
}

int mr_uverbs_reg_umem(const struct mr_uverbs *uverbs, const struct mr_uverbs_umem_reg *r,
		       uint32_t *handle, uint32_t *id, struct mr_error *err)
{
	struct request request =
		new_request(MLX5_IB_OBJECT_DEVX_UMEM, MLX5_IB_METHOD_DEVX_UMEM_REG);
	int rc;

	add_handle(&request, MLX5_IB_ATTR_DEVX_UMEM_REG_HANDLE, 0);
	add_in(&request, MLX5_IB_ATTR_DEVX_UMEM_REG_ADDR, &r->addr, sizeof(r->addr));
	add_in(&request, MLX5_IB_ATTR_DEVX_UMEM_REG_LEN, &r->length, sizeof(r->length));
	add_in(&request, MLX5_IB_ATTR_DEVX_UMEM_REG_ACCESS, &r->access, sizeof(r->access));
	if (r->page_sizes.known)
		add_in(&request, MLX5_IB_ATTR_DEVX_UMEM_REG_PGSZ_BITMAP, &r->page_sizes.value,
		       sizeof(r->page_sizes.value));
	if (r->dmabuf)
		add(&request, MLX5_IB_ATTR_DEVX_UMEM_REG_DMABUF_FD, 0, (uint64_t)(int64_t)r->fd);
	add_out(&request, MLX5_IB_ATTR_DEVX_UMEM_REG_OUT_ID, id, sizeof(*id));
	rc = submit(uverbs, &request, "ioctl(DEVX_UMEM_REG)", err);
	if (!rc)
		*handle = (uint32_t)request.attrs[0].data;
	return rc;
}

int mr_uverbs_dereg_umem(const struct mr_uverbs *uverbs, uint32_t handle, struct mr_error *err)
{
	struct request request =
		new_request(MLX5_IB_OBJECT_DEVX_UMEM, MLX5_IB_METHOD_DEVX_UMEM_DEREG);

	add_handle(&request, MLX5_IB_ATTR_DEVX_UMEM_DEREG_HANDLE, handle);
	return submit(uverbs, &request, "ioctl(DEVX_UMEM_DEREG)", err);
}

/* Of a type that mlx5 alone has. */
static int list_mlx5(const struct mr_uverbs *uverbs, uint16_t object, uint32_t *handles,
		     uint32_t *count, struct mr_error *err)
{
	*count = 0;
	if (uverbs->driver_id != RDMA_DRIVER_MLX5)
		return 0;
	return mr_uverbs_list(uverbs, object, handles, count, err);
}

int mr_uverbs_list_umems(const struct mr_uverbs *uverbs, uint32_t *handles, uint32_t *count,
			 struct mr_error *err)
{
	return list_mlx5(uverbs, MLX5_IB_OBJECT_DEVX_UMEM, handles, count, err);
}

int mr_uverbs_list_uars(const struct mr_uverbs *uverbs, uint32_t *handles, uint32_t *count,
			struct mr_error *err)
{
	return list_mlx5(uverbs, MLX5_IB_OBJECT_UAR, handles, count, err);
}

int mr_uverbs_alloc_dm(const struct mr_uverbs *uverbs, uint64_t length, uint32_t *handle,
		       struct mr_error *err)
{
	struct request request = new_request(UVERBS_OBJECT_DM, UVERBS_METHOD_DM_ALLOC);
	const uint32_t alignment = 0;
	uint64_t offset;
	uint16_t page;
	int rc;

	add_handle(&request, UVERBS_ATTR_ALLOC_DM_HANDLE, 0);
	add_in(&request, UVERBS_ATTR_ALLOC_DM_LENGTH, &length, sizeof(length));
	add_in(&request, UVERBS_ATTR_ALLOC_DM_ALIGNMENT, &alignment, sizeof(alignment));
	if (uverbs->driver_id == RDMA_DRIVER_MLX5) { /* where to map it, which nobody does */
		add_out(&request, MLX5_IB_ATTR_ALLOC_DM_RESP_START_OFFSET, &offset, sizeof(offset));
		add_out(&request, MLX5_IB_ATTR_ALLOC_DM_RESP_PAGE_INDEX, &page, sizeof(page));
	}
	rc = submit(uverbs, &request, "ioctl(DM_ALLOC)", err);
	if (!rc)
		*handle = (uint32_t)request.attrs[0].data;
	return rc;
}

int mr_uverbs_free_dm(const struct mr_uverbs *uverbs, uint32_t handle, struct mr_error *err)
{
	struct request request = new_request(UVERBS_OBJECT_DM, UVERBS_METHOD_DM_FREE);

	add_handle(&request, UVERBS_ATTR_FREE_DM_HANDLE, handle);
	return submit(uverbs, &request, "ioctl(DM_FREE)", err);
}

int mr_uverbs_reg_dm_mr(const struct mr_uverbs *uverbs, const struct mr_uverbs_reg *r, uint32_t dm,
			struct mr_uverbs_mr *mr, struct mr_error *err)
{
	struct request request = new_request(UVERBS_OBJECT_MR, UVERBS_METHOD_DM_MR_REG);
	const struct ib_uverbs_attr *handle = add(&request, UVERBS_ATTR_REG_DM_MR_HANDLE, 0, 0);
	int rc;

	*mr = (struct mr_uverbs_mr){ .length = r->length };
	add_handle(&request, UVERBS_ATTR_REG_DM_MR_PD_HANDLE, r->pd_handle);
	add_handle(&request, UVERBS_ATTR_REG_DM_MR_DM_HANDLE, dm);
	add_in(&request, UVERBS_ATTR_REG_DM_MR_OFFSET, &r->addr, sizeof(r->addr));
	add_in(&request, UVERBS_ATTR_REG_DM_MR_LENGTH, &r->length, sizeof(r->length));
	add_in(&request, UVERBS_ATTR_REG_DM_MR_ACCESS_FLAGS, &r->access, sizeof(r->access));
	add_out(&request, UVERBS_ATTR_REG_DM_MR_RESP_LKEY, &mr->lkey, sizeof(mr->lkey));
	add_out(&request, UVERBS_ATTR_REG_DM_MR_RESP_RKEY, &mr->rkey, sizeof(mr->rkey));
	rc = submit(uverbs, &request, "ioctl(DM_MR_REG)", err);
	if (!rc)
		mr->handle = (uint32_t)handle->data;
	return rc;
}

enum mr_uverbs_answer mr_uverbs_has_optional_access(const struct mr_uverbs *uverbs)
{
	struct request request = new_request(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_CONTEXT);
	uint8_t answer[CONTEXT_ANSWER_SIZE];
	struct mr_error ignored;
	uint64_t support = 0;

	add_out(&request, UVERBS_ATTR_QUERY_CONTEXT_CORE_SUPPORT, &support, sizeof(support));
	if (uverbs->driver_id == RDMA_DRIVER_MLX5)
		add_out(&request, MLX5_IB_ATTR_QUERY_CONTEXT_RESP_UCTX, answer, sizeof(answer));
	if (submit(uverbs, &request, "ioctl(QUERY_CONTEXT)", &ignored))
		return MR_UVERBS_UNKNOWN;
	return support & IB_UVERBS_CORE_SUPPORT_OPTIONAL_MR_ACCESS ? MR_UVERBS_YES : MR_UVERBS_NO;
}

/* A bit of the general capabilities of an mlx5 device (struct mlx5_ifc_cmd_hca_cap_bits). */
static bool has_bit(const uint8_t *capabilities, unsigned int bit)
{
	return capabilities[bit / 8] >> (7 - bit % 8) & 1;
}

static enum mr_uverbs_answer ask_firmware(const struct mr_uverbs *uverbs)
{
	struct request request = new_request(MLX5_IB_OBJECT_DEVX, MLX5_IB_METHOD_DEVX_OTHER);
	/* the opcode QUERY_HCA_CAP; what is in force now of the general ones */
	const uint8_t in[16] = { 0x01, 0x00, [7] = 0x01 };
	uint8_t out[16 + HCA_CAP_SIZE] = { 0 };
	const uint8_t *capabilities = out + 16;
	struct mr_error ignored;

	add_in(&request, MLX5_IB_ATTR_DEVX_OTHER_CMD_IN, in, sizeof(in));
	add_out(&request, MLX5_IB_ATTR_DEVX_OTHER_CMD_OUT, out, sizeof(out));
	if (submit(uverbs, &request, "ioctl(DEVX_OTHER)", &ignored) || out[0])
		return MR_UVERBS_UNKNOWN;
	if (has_bit(capabilities, RELAXED_ORDERING_WRITE))
		return MR_UVERBS_YES;
	return has_bit(capabilities, RELAXED_ORDERING_READ) ||
			       has_bit(capabilities, RELAXED_ORDERING_READ_PCI)
		       ? MR_UVERBS_UNKNOWN
		       : MR_UVERBS_NO;
}

enum mr_uverbs_answer mr_uverbs_orders_relaxed(const struct mr_uverbs *uverbs)
{
	switch (uverbs->driver_id) {
	case RDMA_DRIVER_MLX5:
		return ask_firmware(uverbs);
	case RDMA_DRIVER_RXE:
	case RDMA_DRIVER_SIW:
		return MR_UVERBS_NO;
	default:
		return MR_UVERBS_UNKNOWN;
	}
}
