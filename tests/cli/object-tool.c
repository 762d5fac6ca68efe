// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Does to a session what another process that holds its descriptor could do: makes objects that keep its regions from
 * being deregistered, and that stay when the program ends; makes and destroys objects without noting them in the
 * table, and damages the table (these commands are explained below).
 * Usage: object-tool window HANDLE LKEY ADDR LENGTH   bind a memory window to an MR of the default
 *                                                     protection domain; print the window's handle
 *                                                     and its key
 *        object-tool use-window TYPE HANDLE LKEY ADDR LENGTH
 *                                                     bind one of type 1 or 2; print its handle and key;
 *                                                     after a line of input unbind it and print "unbound";
 *                                                     after another one free it
 *        object-tool free-window HANDLE               free it
 *        object-tool mkey UMEM_ID LENGTH              make a memory key of DEVX on a umem (mlx5);
 *                                                     print the object's handle
 *        object-tool free-mkey HANDLE                 free it
 *        object-tool read RKEY ADDR                   print the word that a peer reads through a key of the
 *                                                     default protection domain (rxe)
 *        object-tool write RKEY ADDR VALUE            write it
 *        object-tool seccomp ERRNO CMD...             run it where RDMA's ioctl(2) is refused with that number
 *        object-tool landlock CMD...                  run it where Landlock refuses ioctl(2) on devices with EACCES
 */
#include <errno.h>
#include <infiniband/mlx5dv.h>
#include <infiniband/verbs.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <rdma/rdma_user_ioctl_cmds.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../kernel/hca/prm.h"
#include "lib/session/session.h"
#include "lib/session/table/table.h"
#include "lib/verbs/verbs.h"

#define PORT        1
#define MODE_MTT    1     /* access mode of a memory key: a list of pages (MTT) */
#define CREATE_MKEY 0x200 /* command opcode of the device */

static struct mr_error err;
static struct mr_session session;
static struct mr_device device;

static void die(const char *what)
{
	fprintf(stderr, "object-tool: %s: %s\n", what,
		mr_error_is_set(&err) ? err.text : strerror(errno));
	exit(1);
}

static uint64_t parse_number(const char *word)
{
	return strtoull(word, NULL, 0);
}

/*
 * libibverbs destroys only objects that this process made itself: what an earlier run left in the
 * session is destroyed by the kernel's own interface.
 */
static void submit(struct mr_ioctl *request, const char *call)
{
	if (mr_ioctl_submit(&session.uverbs, request, call, &err))
		die("refused");
}

static void free_window(char **words)
{
	struct mr_ioctl request = mr_ioctl_new(UVERBS_OBJECT_MW, UVERBS_METHOD_MW_DESTROY);

	mr_ioctl_add(&request, UVERBS_ATTR_DESTROY_MW_HANDLE, 0, parse_number(words[0]));
	submit(&request, "MW_DESTROY");
}

static void free_mkey(char **words)
{
	struct mr_ioctl request =
		mr_ioctl_new(MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_DESTROY);

	mr_ioctl_add(&request, MLX5_IB_ATTR_DEVX_OBJ_DESTROY_HANDLE, 0, parse_number(words[0]));
	submit(&request, "DEVX_OBJ_DESTROY");
}

/* ---- a memory window ---- */

/*
 * Fills `device` with the session's context and default protection domain.  The provider of rxe
 * cannot import them.  It keeps no state of its own with a context, so a context that was opened
 * for the same device works for the session once its file descriptors are replaced: by the
 * session's, and by a new one for asynchronous events.
 */
static void open_device(void)
{
	struct mr_ioctl request =
		mr_ioctl_new(UVERBS_OBJECT_ASYNC_EVENT, UVERBS_METHOD_ASYNC_EVENT_ALLOC);
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
	mr_ioctl_add(&request, UVERBS_ATTR_ASYNC_EVENT_ALLOC_FD_HANDLE, 0, 0);
	submit(&request, "ASYNC_EVENT_ALLOC");
	if (dup2(session.uverbs.fd, device.context->cmd_fd) < 0 ||
	    dup2((int)request.attrs[0].data, device.context->async_fd) < 0)
		die("dup2");
	device.pd->handle = pd.handle;
}

/* Connects a QP with itself, so that it is its own peer. */
static void connect_qp(struct ibv_qp *qp)
{
	static const int masks[] = {
		[IBV_QPS_INIT] = IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS,
		[IBV_QPS_RTR] = IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
				IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER,
		[IBV_QPS_RTS] = IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
				IBV_QP_MAX_QP_RD_ATOMIC,
	};
	struct ibv_qp_attr attr = { .port_num = PORT,
				    .qp_access_flags = IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE,
				    .path_mtu = IBV_MTU_256,
				    .dest_qp_num = qp->qp_num,
				    .max_dest_rd_atomic = 1,
				    .max_rd_atomic = 1,
				    .min_rnr_timer = 1,
				    .timeout = 18,
				    .retry_cnt = 7 };
	struct ibv_port_attr port;

	errno = ibv_query_port(device.context, PORT, &port);
	if (errno)
		die("ibv_query_port");
	attr.ah_attr = (struct ibv_ah_attr){ .dlid = port.lid,
					     .port_num = PORT,
					     .is_global = port.link_layer == IBV_LINK_LAYER_ETHERNET };
	if (attr.ah_attr.is_global && ibv_query_gid(device.context, PORT, 0, &attr.ah_attr.grh.dgid))
		die("ibv_query_gid");
	for (unsigned int state = IBV_QPS_INIT; state <= IBV_QPS_RTS; state++) {
		attr.qp_state = state;
		errno = ibv_modify_qp(qp, &attr, IBV_QP_STATE | masks[state]);
		if (errno)
			die("ibv_modify_qp");
	}
}

/*
 * Rings the doorbell of a provider that does so by write() (rxe).  The kernel allows that write()
 * only to the process that opened the descriptor; the same command through the ioctl it allows to
 * all holders.
 */
static void post_send_by_ioctl(const struct ibv_qp *qp)
{
	struct ib_uverbs_post_send in = { .qp_handle = qp->handle,
					  .wqe_size = sizeof(struct ib_uverbs_send_wr) };
	struct ib_uverbs_post_send_resp out = { .bad_wr = 0 };
	struct mr_ioctl request =
		mr_ioctl_new_write(IB_USER_VERBS_CMD_POST_SEND, &in, sizeof(in), &out, sizeof(out));

	submit(&request, "POST_SEND");
}

static struct ibv_qp *make_qp(void)
{
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = 4, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1 }
	};
	struct ibv_qp *qp;

	init.send_cq = init.recv_cq = ibv_create_cq(device.context, 4, NULL, NULL, 0);
	if (!init.send_cq)
		die("ibv_create_cq");
	qp = ibv_create_qp(device.pd, &init);
	if (!qp)
		die("ibv_create_qp");
	connect_qp(qp);
	return qp;
}

static void destroy_qp(struct ibv_qp *qp)
{
	struct ibv_cq *cq = qp->send_cq;

	if (ibv_destroy_qp(qp) || ibv_destroy_cq(cq))
		die("ibv_destroy_qp");
}

/* Waits for the request that @posted, an errno or 0, is the answer to. */
static void complete(struct ibv_qp *qp, int posted, const char *what)
{
	struct ibv_wc wc;
	int count = 0;

	errno = posted;
	if (posted == EACCES)
		post_send_by_ioctl(qp);
	else if (posted)
		die(what);
	for (int tries = 0; tries < 60000 && !count; tries++) {
		count = ibv_poll_cq(qp->send_cq, 1, &wc);
		usleep(1000);
	}
	if (count != 1 || wc.status) {
		snprintf(err.text, sizeof(err.text), "%s",
			 count == 1 ? ibv_wc_status_str(wc.status) : "no completion");
		die(what);
	}
}

/*
 * An MR that another process registered.  Providers have a larger struct around theirs, but to bind a window
 * they read only the members that are set here.
 */
union region {
	struct ibv_mr mr;
	char room[512];
};

/* Binds a window, or, with no length, unbinds it. */
static void bind_type_1(struct ibv_qp *qp, struct ibv_mw *mw, const struct ibv_mw_bind_info *info)
{
	struct ibv_mw_bind bind = { .send_flags = IBV_SEND_SIGNALED, .bind_info = *info };

	complete(qp, ibv_bind_mw(qp, mw, &bind), "the window was not bound");
}

static void bind_type_2(struct ibv_qp *qp, struct ibv_mw *mw, const struct ibv_mw_bind_info *info)
{
	struct ibv_send_wr wr = { .opcode = info->length ? IBV_WR_BIND_MW : IBV_WR_LOCAL_INV,
				  .send_flags = IBV_SEND_SIGNALED },
			   *bad;

	if (info->length) {
		mw->rkey = ibv_inc_rkey(mw->rkey);
		wr.bind_mw.mw = mw;
		wr.bind_mw.rkey = mw->rkey;
		wr.bind_mw.bind_info = *info;
	} else {
		wr.invalidate_rkey = mw->rkey;
	}
	complete(qp, ibv_post_send(qp, &wr, &bad), "the window was not bound");
}

static void bind(struct ibv_qp *qp, struct ibv_mw *mw, const struct ibv_mw_bind_info *info)
{
	(mw->type == IBV_MW_TYPE_1 ? bind_type_1 : bind_type_2)(qp, mw, info);
}

/* Allocates a window and binds it to the region that the words HANDLE LKEY ADDR LENGTH describe. */
static struct ibv_mw *new_window(struct ibv_qp *qp, enum ibv_mw_type type, char **words)
{
	union region region = { .room = { 0 } };
	struct ibv_mw_bind_info info = { .mr = &region.mr,
					 .mw_access_flags =
						 IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE };
	struct ibv_mw *mw = ibv_alloc_mw(device.pd, type);

	if (!mw)
		die("ibv_alloc_mw");
	info.addr = parse_number(words[2]);
	info.length = parse_number(words[3]);
	region.mr = (struct ibv_mr){ .context = device.context,
				     .pd = device.pd,
				     .addr = (void *)(uintptr_t)info.addr,
				     .length = info.length,
				     .handle = (uint32_t)parse_number(words[0]),
				     .lkey = (uint32_t)parse_number(words[1]) };
	bind(qp, mw, &info);
	return mw;
}

static void await_line(void)
{
	char line[16];

	if (fflush(stdout) || !fgets(line, sizeof(line), stdin))
		die("no input");
}

/*
 * Binds a window, which stays, or is unbound and freed when lines of input ask for it: one of type 2 can be unbound
 * only by the queue that has bound it.
 */
static void make_window(enum ibv_mw_type type, char **words, bool stays)
{
	const struct ibv_mw_bind_info none = { .length = 0 };
	struct ibv_mw *mw;
	struct ibv_qp *qp;

	open_device();
	qp = make_qp();
	mw = new_window(qp, type, words);
	printf("%u 0x%x\n", mw->handle, mw->rkey);
	if (!stays) {
		await_line();
		bind(qp, mw, &none);
		puts("unbound");
		await_line();
	}
	destroy_qp(qp);
	if (!stays && ibv_dealloc_mw(mw))
		die("ibv_dealloc_mw");
	if (device.imported)
		mr_device_close(&device);
}

static void bind_window(char **words)
{
	make_window(IBV_MW_TYPE_1, words, true);
}

static void use_window(char **words)
{
	make_window(words[0][0] == '1' ? IBV_MW_TYPE_1 : IBV_MW_TYPE_2, words + 1, false);
}

/* ---- data through a key ---- */

static void move(enum ibv_wr_opcode opcode, char **words, uint32_t *word)
{
	struct ibv_sge sge = { .addr = (uintptr_t)word, .length = sizeof(*word) };
	struct ibv_send_wr wr = { .sg_list = &sge,
				  .num_sge = 1,
				  .opcode = opcode,
				  .send_flags = IBV_SEND_SIGNALED },
			   *bad;
	struct ibv_mr *mr;
	struct ibv_qp *qp;

	open_device();
	mr = ibv_reg_mr(device.pd, word, sizeof(*word), IBV_ACCESS_LOCAL_WRITE);
	if (!mr)
		die("ibv_reg_mr");
	sge.lkey = mr->lkey;
	wr.wr.rdma.rkey = (uint32_t)parse_number(words[0]);
	wr.wr.rdma.remote_addr = parse_number(words[1]);
	qp = make_qp();
	complete(qp, ibv_post_send(qp, &wr, &bad), "no access");
	destroy_qp(qp);
	if (ibv_dereg_mr(mr))
		die("ibv_dereg_mr");
}

static void read_word(char **words)
{
	uint32_t word = 0;

	move(IBV_WR_RDMA_READ, words, &word);
	printf("0x%x\n", word);
}

static void write_word(char **words)
{
	uint32_t word = (uint32_t)parse_number(words[2]);

	move(IBV_WR_RDMA_WRITE, words, &word);
}

/* ---- a memory key on a umem ---- */

/* Sets a field of a device command: @at bits from its start, @width bits, the highest bit first. */
static void set_field(uint8_t *bytes, size_t at, size_t width, uint64_t value)
{
	for (size_t bit = at + width; bit-- > at; value >>= 1)
		if (value & 1)
			bytes[bit / 8] |= (uint8_t)(0x80 >> bit % 8);
}

static uint32_t pd_number(void)
{
	struct mlx5dv_pd pd = { .comp_mask = 0 };
	struct mlx5dv_obj object = { .pd = { .in = device.pd, .out = &pd } };

	if (mlx5dv_init_obj(&object, MLX5DV_OBJ_PD))
		die("mlx5dv_init_obj");
	return pd.pdn;
}

static void create_mkey(char **words)
{
	uint8_t in[0x110] = { CREATE_MKEY >> 8 }, out[16] = { 0 }, *key = in + 0x10;
	struct mr_ioctl request =
		mr_ioctl_new(MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_CREATE);
	const uint64_t length = parse_number(words[1]);

	open_device();
	set_field(in, create_mkey_in__mkey_umem_valid, 1);
	set_field(in, create_mkey_in__mkey_umem_id, parse_number(words[0]));
	set_field(in, create_mkey_in__translations_octword_actual_size, (length / 4096 + 1) / 2);
	set_field(key, mkc__access_mode_1_0, MODE_MTT);
	set_field(key, mkc__lr, 1);
	set_field(key, mkc__qpn, 0xffffff);
	set_field(key, mkc__pd, pd_number());
	set_field(key, mkc__len, length);
	set_field(key, mkc__log_page_size, 12);
	set_field(key, mkc__translations_octword_size, (length / 4096 + 1) / 2);
	mr_ioctl_add(&request, MLX5_IB_ATTR_DEVX_OBJ_CREATE_HANDLE, 0, 0);
	mr_ioctl_add_in(&request, MLX5_IB_ATTR_DEVX_OBJ_CREATE_CMD_IN, in, sizeof(in));
	mr_ioctl_add_out(&request, MLX5_IB_ATTR_DEVX_OBJ_CREATE_CMD_OUT, out, sizeof(out));
	submit(&request, "DEVX_OBJ_CREATE");
	printf("%u\n", (uint32_t)request.attrs[0].data);
	mr_device_close(&device);
}

/* ---- what mrctl does not do to a session ---- */

/* Maps the whole file of the table, however small the size that its header gives. */
static char *map_table(size_t *size)
{
	struct stat st;
	char *map;

	if (fstat(session.table.fd, &st))
		die("fstat");
	*size = (size_t)st.st_size;
	map = mmap(NULL, *size, PROT_READ | PROT_WRITE, MAP_SHARED, session.table.fd, 0);
	if (map == MAP_FAILED)
		die("mmap");
	return map;
}

/* Registers objects of one page without noting them in the table; prints their handles. */
static void make_unlisted(const char *count, bool umem)
{
	struct mr_region_request request = { .call = umem ? MR_UMEM_REG : MR_REG_MR,
					     .length = 4096,
					     .access = 1 };
	struct mr_registrar registrar = { .via = MR_VIA_KERNEL, .uverbs = &session.uverbs };
	struct mr_table_pd pd = { .handle = 0 };
	struct mr_region region;
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED || (!umem && !mr_table_pd(&session.table, 0, &pd)))
		die("no page or PD");
	request.addr = (uintptr_t)page;
	registrar.pd_handle = pd.handle;
	for (int i = atoi(count); i > 0; i--) {
		if (mr_region_register(&registrar, &request, &region, &err))
			die("reg");
		printf("%u\n", region.handle);
	}
}

/* reg COUNT, umem COUNT */
static void reg_unlisted(char **words)
{
	make_unlisted(words[0], false);
}

static void reg_unlisted_umem(char **words)
{
	make_unlisted(words[0], true);
}

/* destroy HANDLE..., umem-destroy HANDLE...: deregisters without removing the entries from the table */
static void destroy(enum mr_region_kind kind, char **words)
{
	for (; *words; words++)
		if (mr_uverbs_destroy(&session.uverbs, kind, (uint32_t)atoi(*words), &err))
			die("destroy");
}

static void destroy_mrs(char **words)
{
	destroy(MR_KIND_MR, words);
}

static void destroy_umems(char **words)
{
	destroy(MR_KIND_UMEM, words);
}

/* query HANDLE: fails unless the kernel has that region, with the length that the command reg gave it */
static void query_mr(char **words)
{
	struct mr_uverbs_mr mr;

	if (mr_uverbs_query_mr(&session.uverbs, (uint32_t)atoi(words[0]), &mr, &err))
		die("query");
	if (mr.length != 4096)
		exit(1);
}

/*
 * objects: prints a line with the number of objects in the session: those of each type that the kernel lists
 * ("mr=2 pd=1 uar=4"), and the regions and protection domains of the table ("entries=2 pds=1")
 */
static void count_objects(char **words)
{
	static const struct {
		const char *name;
		uint16_t object;
	} objects[] = { { "mr", UVERBS_OBJECT_MR },
			{ "pd", UVERBS_OBJECT_PD },
			{ "uar", MLX5_IB_OBJECT_UAR },
			{ "dm", UVERBS_OBJECT_DM } };
	static struct mr_handles list;
	uint32_t pds = 0;
	struct mr_table_pd pd;

	(void)words;
	/* Drivers other than mlx5 do not know its types, and refuse to list them. */
	for (size_t i = 0; i < sizeof(objects) / sizeof(objects[0]); i++)
		if (!mr_uverbs_list(&session.uverbs, objects[i].object, &list, &err))
			printf("%s=%u ", objects[i].name, list.count);
	if (mr_uverbs_list(&session.uverbs, MLX5_IB_OBJECT_DEVX_UMEM, &list, &err))
		die("list");
	for (uint32_t slot = 0; slot < MR_TABLE_PDS; slot++)
		pds += mr_table_pd(&session.table, slot, &pd);
	printf("umem=%u entries=%u pds=%u\n", list.count, mr_table_count(&session.table), pds);
}

/* lock: takes the lock of the table, prints "locked", and keeps it until it is killed */
static void hold_lock(char **words)
{
	(void)words;
	if (mr_table_lock(&session.table, &err))
		die("lock");
	puts("locked");
	fflush(stdout);
	pause();
}

/* text FROM TO: replaces a text in the table by one of the same length; TO may have octal escapes of C */
static void replace_text(char **words)
{
	size_t size, length = strlen(words[0]);
	char *map = map_table(&size), *at = map, to[64] = "";
	size_t used = 0;

	for (const char *p = words[1]; *p && used < sizeof(to);)
		to[used++] = *p == '\\' ? (char)strtol(p + 1, (char **)&p, 8) : *p++;
	if (used != length)
		die("another length");
	while ((at = memmem(at, size - (size_t)(at - map), words[0], length)))
		memcpy(at, to, length);
}

static volatile sig_atomic_t is_stopped;

static void stop_scribbling(int signal)
{
	(void)signal;
	is_stopped = 1;
}

/*
 * scribble SEED: writes garbage into the table until SIGTERM.  The header is restored at the end, so that the
 * session can be joined again.
 */
static void scribble(char **words)
{
	unsigned int seed = (unsigned int)atoi(words[0]);
	char header[8192];
	size_t size, at;
	char *map = map_table(&size);

	memcpy(header, map, sizeof(header));
	signal(SIGTERM, stop_scribbling);
	puts("scribbling");
	fflush(stdout);
	while (!is_stopped) {
		/* half of the values are small: they can pass for handles, indexes and states */
		uint32_t value = (uint32_t)rand_r(&seed);

		if (rand_r(&seed) % 2)
			value %= 128;
		at = 24 + (size_t)rand_r(&seed) % (size - 28);
		if (rand_r(&seed) % 8 == 0)
			at = 24 +
			     (size_t)rand_r(&seed) % 44; /* more often the counters of the header */
		memcpy(map + (at & ~(size_t)3), &value, sizeof(value));
		if (rand_r(&seed) % 16 == 0)
			usleep(1);
	}
	memcpy(map, header, sizeof(header));
}

/* ---- programs that are confined ---- */

static int run_filtered(char **command)
{
	const unsigned int low = offsetof(struct seccomp_data, args[1]);
	struct sock_filter filters[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, low),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, RDMA_VERBS_IOCTL, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned int)atoi(command[0])),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(filters) / sizeof(*filters), filters };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		die("prctl");
	execvp(command[1], command + 1);
	die("execvp");
	return 1;
}

/* LANDLOCK_ACCESS_FS_IOCTL_DEV, of Linux 6.10 */
#define IOCTL_DEV (1ULL << 15)

static int run_confined(char **command)
{
	struct landlock_ruleset_attr rules = { .handled_access_fs = IOCTL_DEV };
	const int fd = (int)syscall(SYS_landlock_create_ruleset, &rules, sizeof(rules), 0);

	if (fd < 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    syscall(SYS_landlock_restrict_self, fd, 0))
		die("landlock");
	close(fd);
	execvp(command[0], command);
	die("execvp");
	return 1;
}

static const struct {
	const char *name;
	int words;
	void (*run)(char **words);
} commands[] = {
	{ "window", 4, bind_window },    { "free-window", 1, free_window },
	{ "mkey", 2, create_mkey },      { "free-mkey", 1, free_mkey },
	{ "read", 2, read_word },        { "write", 3, write_word },
	{ "use-window", 5, use_window }, { "reg", 1, reg_unlisted },
	{ "destroy", 1, destroy_mrs },   { "query", 1, query_mr },
	{ "objects", 0, count_objects }, { "lock", 0, hold_lock },
	{ "text", 2, replace_text },     { "umem", 1, reg_unlisted_umem },
	{ "scribble", 1, scribble },     { "umem-destroy", 1, destroy_umems },
};

int main(int argc, char **argv)
{
	const char *where = getenv(MR_SESSION_VARIABLE);

	if (argc > 3 && !strcmp(argv[1], "seccomp"))
		return run_filtered(argv + 2);
	if (argc > 2 && !strcmp(argv[1], "landlock"))
		return run_confined(argv + 2);
	for (size_t i = 0; argc > 1 && i < sizeof(commands) / sizeof(*commands); i++) {
		if (strcmp(argv[1], commands[i].name) != 0 || argc - 2 < commands[i].words)
			continue;
		if (mr_session_open(where ? where : "", &session, &err))
			die("cannot join");
		commands[i].run(argv + 2);
		return fflush(stdout) ? 1 : 0;
	}
	fprintf(stderr, "usage: object-tool COMMAND [WORD...], see its source\n");
	return 2;
}
