/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Raw uverbs ioctls.  Functions that send one return 0 or its errno. */
#ifndef TESTS_UNIT_LIB_SIM_REQUEST_H
#define TESTS_UNIT_LIB_SIM_REQUEST_H

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>

#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/mlx5-abi.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <rdma/mlx5_user_ioctl_verbs.h>
#include <rdma/rdma_user_ioctl_cmds.h>

#define MAX_ATTRS 16
#ifndef DRIVER_ID
#define DRIVER_ID RDMA_DRIVER_MLX5
#endif
#define NO_HANDLE UINT32_MAX

/* not in the headers of the ABI: flags of ib_uverbs_rereg_mr */
#define REREG_TRANS  1u
#define REREG_PD     2u
#define REREG_ACCESS 4u

/* An ioctl with its attributes, which are where hdr.attrs, an array without a length, begins. */
struct request {
	union {
		struct ib_uverbs_ioctl_hdr hdr;
		struct {
			uint8_t before[sizeof(struct ib_uverbs_ioctl_hdr)];
			struct ib_uverbs_attr attrs[MAX_ATTRS];
		};
	};
};

static inline void init(struct request *request, uint16_t object, uint16_t method)
{
	memset(request, 0, sizeof(*request));
	request->hdr.object_id = object;
	request->hdr.method_id = method;
	request->hdr.driver_id = DRIVER_ID;
}

static inline struct ib_uverbs_attr *attr(struct request *request, uint16_t id, size_t length,
					  uint64_t data)
{
	struct ib_uverbs_attr *added = &request->attrs[request->hdr.num_attrs++];

	added->attr_id = id;
	added->len = (uint16_t)length;
	added->flags = UVERBS_ATTR_F_MANDATORY;
	added->data = data;
	return added;
}

static inline struct ib_uverbs_attr *pointer(struct request *request, uint16_t id, size_t length,
					     const void *data)
{
	return attr(request, id, length, (uintptr_t)data);
}

static inline int send_as(struct request *request, int fd)
{
	return ioctl(fd, RDMA_VERBS_IOCTL, request) ? errno : 0;
}

static inline int send_to(struct request *request, int fd)
{
	request->hdr.length = (uint16_t)(sizeof(request->hdr) +
					 request->hdr.num_attrs * sizeof(request->attrs[0]));
	return send_as(request, fd);
}

static inline void init_write(struct request *request, uint64_t command, const void *in,
			      size_t in_size, void *out, size_t out_size)
{
	uint64_t small = 0;

	init(request, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INVOKE_WRITE);
	attr(request, UVERBS_ATTR_WRITE_CMD, 8, command);
	if (in_size && in_size <= sizeof(small))
		memcpy(&small, in, in_size);
	if (in_size)
		attr(request, UVERBS_ATTR_CORE_IN, in_size,
		     in_size > sizeof(small) ? (uintptr_t)in : small);
	if (out_size)
		pointer(request, UVERBS_ATTR_CORE_OUT, out_size, out);
}

/* GET_CONTEXT with the driver's @in and @out, if it is mlx5. */
static inline int send_context(int fd, const struct mlx5_ib_alloc_ucontext_req_v2 *in, size_t size,
			       struct mlx5_ib_alloc_ucontext_resp *out)
{
	struct request request;
	uint64_t support;
	uint32_t vectors;

	init(&request, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_GET_CONTEXT);
	pointer(&request, UVERBS_ATTR_GET_CONTEXT_NUM_COMP_VECTORS, 4, &vectors);
	pointer(&request, UVERBS_ATTR_GET_CONTEXT_CORE_SUPPORT, 8, &support);
	if (DRIVER_ID == RDMA_DRIVER_MLX5) {
		pointer(&request, UVERBS_ATTR_UHW_IN, size, in);
		pointer(&request, UVERBS_ATTR_UHW_OUT, sizeof(*out), out);
	}
	return send_to(&request, fd);
}

static inline int get_context(int fd)
{
	const struct mlx5_ib_alloc_ucontext_req_v2 in = {
		.total_num_bfregs = 16,
		.num_low_latency_bfregs = 4,
		.flags = MLX5_IB_ALLOC_UCTX_DEVX,
		.max_cqe_version = 1,
		.lib_caps = MLX5_LIB_CAP_4K_UAR | MLX5_LIB_CAP_DYN_UAR,
	};
	struct mlx5_ib_alloc_ucontext_resp out;

	return send_context(fd, &in, sizeof(in), &out);
}

/* The driver's number of the PD that was allocated last, on mlx5. */
static __thread uint32_t last_pdn;

static inline int alloc_pd(int fd, uint32_t *handle)
{
	const struct ib_uverbs_alloc_pd in = { 0 };
	struct ib_uverbs_alloc_pd_resp out = { NO_HANDLE };
	struct request request;
	int rc;

	init_write(&request, IB_USER_VERBS_CMD_ALLOC_PD, &in, sizeof(in), &out, sizeof(out));
	if (DRIVER_ID == RDMA_DRIVER_MLX5)
		pointer(&request, UVERBS_ATTR_UHW_OUT, sizeof(last_pdn), &last_pdn);
	rc = send_to(&request, fd);
	*handle = out.pd_handle;
	return rc;
}

static inline int destroy(int fd, uint16_t object, uint16_t method, uint16_t id, uint64_t handle)
{
	struct request request;

	init(&request, object, method);
	attr(&request, id, 0, handle);
	return send_to(&request, fd);
}

struct mr {
	uint64_t length, iova;
	uint32_t lkey, rkey;
};

static inline void init_query(struct request *request, uint64_t handle, struct mr *mr)
{
	init(request, UVERBS_OBJECT_MR, UVERBS_METHOD_QUERY_MR);
	attr(request, UVERBS_ATTR_QUERY_MR_HANDLE, 0, handle);
	pointer(request, UVERBS_ATTR_QUERY_MR_RESP_LKEY, 4, &mr->lkey);
	pointer(request, UVERBS_ATTR_QUERY_MR_RESP_RKEY, 4, &mr->rkey);
	pointer(request, UVERBS_ATTR_QUERY_MR_RESP_LENGTH, 8, &mr->length);
	pointer(request, UVERBS_ATTR_QUERY_MR_RESP_IOVA, 8, &mr->iova);
}

static inline int query(int fd, uint64_t handle, struct mr *mr)
{
	struct request request;

	init_query(&request, handle, mr);
	return send_to(&request, fd);
}

#endif
