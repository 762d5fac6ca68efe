// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Makes in the session what keeps its regions from being deregistered; it stays when this ends.
 * Usage: object-tool window HANDLE LKEY ADDR LENGTH   bind a memory window to an MR of the default
 *                                                     protection domain; prints the window's handle
 *        object-tool free-window HANDLE
 *        object-tool mkey UMEM_ID LENGTH              make a memory key of DEVX on a umem (mlx5);
 *                                                     prints the object's handle
 *        object-tool free-mkey HANDLE
 */
#include <errno.h>
#include <infiniband/mlx5dv.h>
#include <infiniband/verbs.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <rdma/rdma_user_ioctl_cmds.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "../kernel/hca/prm.h"
#include "lib/session/open.h"
#include "lib/session/table/pds.h"
#include "lib/verbs/device.h"

#define PORT        1
#define MTT         1 /* a key with a list of pages */
#define CREATE_MKEY 0x200

static struct mr_error err;
static struct mr_session session;
static struct mr_device device;

static void die(const char *what)
{
	fprintf(stderr, "object-tool: %s: %s\n", what, mr_error_is_set(&err) ? err.text : strerror(errno));
	exit(1);
}

static uint64_t number(const char *word)
{
	return strtoull(word, NULL, 0);
}

/* ---- the kernel's interface, for what libibverbs only does to objects of its own ---- */

struct request {
	struct ib_uverbs_ioctl_hdr header;
	struct ib_uverbs_attr attrs[3];
};

static void add(struct request *request, uint32_t id, size_t length, uint64_t data)
{
	request->attrs[request->header.num_attrs++] = (struct ib_uverbs_attr){
		.attr_id = (uint16_t)id,
		.len = (uint16_t)length,
		.flags = UVERBS_ATTR_F_MANDATORY,
		.data = data,
	};
}

static void submit(struct request *request, uint32_t object, uint32_t method, const char *what)
{
	struct ib_uverbs_ioctl_hdr *header = &request->header;

	header->object_id = (uint16_t)object;
	header->method_id = (uint16_t)method;
	header->driver_id = session.uverbs.driver_id;
	header->length =
		(uint16_t)(sizeof(*header) + header->num_attrs * sizeof(request->attrs[0]));
	if (ioctl(session.uverbs.fd, RDMA_VERBS_IOCTL, request))
		die(what);
}

static void free_window(char **words)
{
	struct request request = { .attrs = { { 0 } } };

	add(&request, UVERBS_ATTR_DESTROY_MW_HANDLE, 0, number(words[0]));
	submit(&request, UVERBS_OBJECT_MW, UVERBS_METHOD_MW_DESTROY, "MW_DESTROY");
}

static void free_mkey(char **words)
{
	struct request request = { .attrs = { { 0 } } };

	add(&request, MLX5_IB_ATTR_DEVX_OBJ_DESTROY_HANDLE, 0, number(words[0]));
	submit(&request, MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_DESTROY,
	       "DEVX_OBJ_DESTROY");
}

/* ---- a memory window ---- */

/*
 * The session's context and default protection domain.  Where the provider cannot import them
 * (rxe's keeps nothing of its own with a context) a context of the same device is given the
 * session's descriptor, and one for its events.
 */
static void open_device(void)
{
	struct request request = { .attrs = { { 0 } } };
	struct mr_environment environment;
	struct mr_table_pd pd;

	if (!mr_table_pd(&session.table, 0, &pd))
		die("no protection domain");
	if (!mr_device_import(session.uverbs.fd, pd.handle, &device, &err))
		return;
	mr_environment_init(&environment);
	if (err.errnum != EOPNOTSUPP ||
	    mr_device_open(session.device.name, &device, &environment, &err))
		die("cannot open the device");
	mr_error_clear(&err);
	add(&request, UVERBS_ATTR_ASYNC_EVENT_ALLOC_FD_HANDLE, 0, 0);
	submit(&request, UVERBS_OBJECT_ASYNC_EVENT, UVERBS_METHOD_ASYNC_EVENT_ALLOC,
	       "ASYNC_EVENT_ALLOC");
	if (dup2(session.uverbs.fd, device.context->cmd_fd) < 0 ||
	    dup2((int)request.attrs[0].data, device.context->async_fd) < 0)
		die("dup2");
	device.pd->handle = pd.handle;
}

static void change(struct ibv_qp *qp, struct ibv_qp_attr *attr, int what)
{
	what |= IBV_QP_STATE;
	errno = ibv_modify_qp(qp, attr, what);
	if (errno)
		die("ibv_modify_qp");
}

/* To itself: binding a window sends nothing. */
static void connect_qp(struct ibv_qp *qp)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = PORT };
	struct ibv_port_attr port;

	change(qp, &attr, IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
	errno = ibv_query_port(device.context, PORT, &port);
	if (errno)
		die("ibv_query_port");
	attr = (struct ibv_qp_attr){ .qp_state = IBV_QPS_RTR,
				     .path_mtu = IBV_MTU_256,
				     .dest_qp_num = qp->qp_num,
				     .max_dest_rd_atomic = 1,
				     .min_rnr_timer = 1,
				     .ah_attr = { .dlid = port.lid, .port_num = PORT } };
	attr.ah_attr.is_global = port.link_layer == IBV_LINK_LAYER_ETHERNET;
	if (attr.ah_attr.is_global &&
	    ibv_query_gid(device.context, PORT, 0, &attr.ah_attr.grh.dgid))
		die("ibv_query_gid");
	change(qp, &attr,
	       IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
		       IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
	attr = (struct ibv_qp_attr){ .qp_state = IBV_QPS_RTS, .timeout = 1, .max_rd_atomic = 1 };
	change(qp, &attr,
	       IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
		       IBV_QP_MAX_QP_RD_ATOMIC);
}

/*
 * A provider's doorbell that is a write() is only for the process that opened the device: the same
 * call through the ioctl.
 */
static void ring(const struct ibv_qp *qp)
{
	struct ib_uverbs_post_send in = { .qp_handle = qp->handle,
					  .wqe_size = sizeof(struct ib_uverbs_send_wr) };
	struct ib_uverbs_post_send_resp out = { .bad_wr = 0 };
	struct request request = { .attrs = { { 0 } } };

	add(&request, UVERBS_ATTR_WRITE_CMD, sizeof(uint64_t), IB_USER_VERBS_CMD_POST_SEND);
	add(&request, UVERBS_ATTR_CORE_IN, sizeof(in), (uintptr_t)&in);
	add(&request, UVERBS_ATTR_CORE_OUT, sizeof(out), (uintptr_t)&out);
	submit(&request, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INVOKE_WRITE, "POST_SEND");
}

static void window(char **words)
{
	/* One that libibverbs did not register; the providers look at no more of it than this. */
	union {
		struct ibv_mr mr;
		char room[512];
	} region = { .room = { 0 } };
	struct ibv_mw_bind bind = { .send_flags = IBV_SEND_SIGNALED };
	struct ibv_qp_init_attr init = { .qp_type = IBV_QPT_RC,
					 .cap = { .max_send_wr = 4, .max_recv_wr = 1,
						  .max_send_sge = 1, .max_recv_sge = 1 } };
	struct ibv_mw *mw;
	struct ibv_wc wc;
	struct ibv_qp *qp;
	int count = 0;

	open_device();
	region.mr = (struct ibv_mr){ .context = device.context,
				     .pd = device.pd,
				     .addr = (void *)(uintptr_t)number(words[2]),
				     .length = number(words[3]),
				     .handle = (uint32_t)number(words[0]),
				     .lkey = (uint32_t)number(words[1]) };
	bind.bind_info = (struct ibv_mw_bind_info){ .mr = &region.mr,
						    .addr = (uintptr_t)region.mr.addr,
						    .length = region.mr.length,
						    .mw_access_flags = IBV_ACCESS_REMOTE_READ };
	init.send_cq = init.recv_cq = ibv_create_cq(device.context, 4, NULL, NULL, 0);
	if (!init.send_cq)
		die("ibv_create_cq");
	qp = ibv_create_qp(device.pd, &init);
	if (!qp)
		die("ibv_create_qp");
	connect_qp(qp);
	mw = ibv_alloc_mw(device.pd, IBV_MW_TYPE_1);
	if (!mw)
		die("ibv_alloc_mw");
	errno = ibv_bind_mw(qp, mw, &bind);
	if (errno == EACCES)
		ring(qp);
	else if (errno)
		die("ibv_bind_mw");
	for (int tries = 0; tries < 5000 && !count; tries++) {
		count = ibv_poll_cq(init.send_cq, 1, &wc);
		usleep(1000);
	}
	if (count != 1 || wc.status) {
		snprintf(err.text, sizeof(err.text), "%s",
			 count == 1 ? ibv_wc_status_str(wc.status) : "no completion");
		die("the window was not bound");
	}
	if (ibv_destroy_qp(qp) || ibv_destroy_cq(init.send_cq))
		die("ibv_destroy_qp");
	printf("%u\n", mw->handle);
	if (device.imported)
		mr_device_close(&device);
}

/* ---- a memory key on a umem ---- */

/* Fields of the device's commands: @at bits from the start, @width bits, most significant first */
static void set(uint8_t *bytes, size_t at, size_t width, uint64_t value)
{
	for (size_t bit = at + width; bit-- > at; value >>= 1)
		if (value & 1)
			bytes[bit / 8] |= (uint8_t)(0x80 >> bit % 8);
}

static uint32_t number_of_pd(void)
{
	struct mlx5dv_pd pd = { .comp_mask = 0 };
	struct mlx5dv_obj object = { .pd = { .in = device.pd, .out = &pd } };

	if (mlx5dv_init_obj(&object, MLX5DV_OBJ_PD))
		die("mlx5dv_init_obj");
	return pd.pdn;
}

static void mkey(char **words)
{
	uint8_t in[0x110] = { CREATE_MKEY >> 8 }, out[16] = { 0 }, *key = in + 0x10;
	struct request request = { .attrs = { { 0 } } };
	const uint64_t length = number(words[1]);

	open_device();
	set(in, create_mkey_in__mkey_umem_valid, 1);
	set(in, create_mkey_in__mkey_umem_id, number(words[0]));
	set(in, create_mkey_in__translations_octword_actual_size, (length / 4096 + 1) / 2);
	set(key, mkc__access_mode_1_0, MTT);
	set(key, mkc__lr, 1);
	set(key, mkc__qpn, 0xffffff);
	set(key, mkc__pd, number_of_pd());
	set(key, mkc__len, length);
	set(key, mkc__log_page_size, 12);
	set(key, mkc__translations_octword_size, (length / 4096 + 1) / 2);
	add(&request, MLX5_IB_ATTR_DEVX_OBJ_CREATE_HANDLE, 0, 0);
	add(&request, MLX5_IB_ATTR_DEVX_OBJ_CREATE_CMD_IN, sizeof(in), (uintptr_t)in);
	add(&request, MLX5_IB_ATTR_DEVX_OBJ_CREATE_CMD_OUT, sizeof(out), (uintptr_t)out);
	submit(&request, MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_CREATE,
	       "DEVX_OBJ_CREATE");
	printf("%u\n", (uint32_t)request.attrs[0].data);
	mr_device_close(&device);
}

static const struct {
	const char *name;
	int words;
	void (*run)(char **words);
} commands[] = {
	{ "window", 4, window },
	{ "free-window", 1, free_window },
	{ "mkey", 2, mkey },
	{ "free-mkey", 1, free_mkey },
};

int main(int argc, char **argv)
{
	const char *where = getenv(MR_SESSION_VARIABLE);

	for (size_t i = 0; argc > 1 && i < sizeof(commands) / sizeof(*commands); i++) {
		if (strcmp(argv[1], commands[i].name) != 0 || argc - 2 != commands[i].words)
			continue;
		if (mr_session_open(where ? where : "", &session, &err))
			die("cannot join");
		commands[i].run(argv + 2);
		return fflush(stdout) ? 1 : 0;
	}
	fprintf(stderr, "usage: object-tool COMMAND [WORD...], see its source\n");
	return 2;
}
