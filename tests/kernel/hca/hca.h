/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A software ConnectX: an HCA that is served over vfio-user.  See README.md. */
#ifndef HCA_H
#define HCA_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "prm.h"
#include "window.h"

#define PAGE 4096u
#define BAR0_SIZE (32u << 20)
#define MEMIC_SIZE (256u << 10)	/* memory on the device (MEMIC), at the end of BAR0 */
#define MEMIC_START (BAR0_SIZE - MEMIC_SIZE)
#define MEMIC_MAX (128u << 10)	/* bytes of one allocation */
#define MSIX_TABLE 0x2000u
#define MSIX_PBA 0x3000u
#define N_VEC 16		/* MSI-X vectors */
#define DATA_DIRECT_ID_MAX 128	/* bytes of the id in the VPD of the Data Direct function */
#define N_DMA 64		/* regions of guest memory */
#define FIRST_UAR 8		/* pages 0 to 7 of BAR0 are the initialization segment and MSI-X */

/* sizes of the object tables; QUERY_HCA_CAP announces the same numbers */
#define LOG_MKEY 18
#define LOG_UMEM 16
#define LOG_PD 14
#define LOG_UCTX 10
#define LOG_EQ 6
#define LOG_CQ 12
#define LOG_QP 12

enum {
#define X(name, value) name = value,
	STATUSES(X)
#undef X
};

static inline uint32_t be16(const void *p)
{
	const uint8_t *b = p;

	return (uint32_t)b[0] << 8 | b[1];
}

static inline uint32_t be32(const void *p)
{
	const uint8_t *b = p;

	return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

static inline void put32(void *p, uint32_t v)
{
	uint8_t *b = p;

	for (int i = 0; i < 4; i++)
		b[i] = (uint8_t)(v >> (24 - 8 * i));
}

static inline uint64_t be64(const void *p)
{
	return (uint64_t)be32(p) << 32 | be32((const uint8_t *)p + 4);
}

static inline void put64(void *p, uint64_t v)
{
	put32(p, (uint32_t)(v >> 32));
	put32((uint8_t *)p + 4, (uint32_t)v);
}

/* The address of a field, or of the 32-bit word that it is a part of; off and w in bits */
static inline uint8_t *field_at(const void *p, unsigned off, unsigned w)
{
	return (uint8_t *)p + (w && w <= 32 ? off / 32 * 4 : off / 8);
}

static inline uint32_t field_get(const void *p, unsigned off, unsigned w)
{
	return be32(field_at(p, off, w)) >> (32 - w - off % 32) & (w == 32 ? ~0u : (1u << w) - 1);
}

static inline void field_set(void *p, unsigned off, unsigned w, uint64_t v)
{
	uint32_t mask = w == 32 ? ~0u : (1u << w) - 1, shift = 32 - w - off % 32;
	uint8_t *d = field_at(p, off, w);

	if (w == 64)
		put64(d, v);
	else
		put32(d, (be32(d) & ~(mask << shift)) | ((uint32_t)v & mask) << shift);
}

static inline uint64_t field_get64(const void *p, unsigned off, unsigned w)
{
	return w == 64 ? be64(field_at(p, off, w)) : field_get(p, off, w);
}

/* f is one of the fields in prm.h: a position and a width */
#define GET(p, f) field_get(p, f)
#define GET64(p, f) field_get64(p, f)
#define SET(p, f, v) field_set(p, f, v)
#define AT(p, f) field_at(p, f)

#define ARRAY_SIZE(a) (sizeof(a) / sizeof(*(a)))

/* Zeroed memory.  Ends the program where there is none: no command could be answered. */
static inline void *zalloc(size_t n, size_t size)
{
	void *p = calloc(n, size);

	if (!p) {
		perror("hca");
		exit(1);
	}
	return p;
}

/* A part of guest memory that QEMU shares with the device. */
struct dma_region {
	uint64_t iova, size;
	uint8_t *host;		/* where it is mapped here, or NULL: QEMU sent no file descriptor */
};

/* A queue of entries in guest memory.  Its pages have equal size and need not be contiguous. */
struct ring {
	uint64_t *pas;			/* physical addresses of the pages */
	uint32_t npas, page_shift;
	uint32_t start;			/* offset of entry 0 in the first page, in bytes */
	uint32_t log_n, log_ent;	/* log2 of the number of entries, and of the bytes of one */
};

struct eq {
	struct ring r;
	uint32_t pi;		/* producer index: the next entry that the device writes */
	uint32_t intr;		/* MSI-X vector */
	bool used;
};

struct cq {
	struct ring r;
	uint32_t pi, eqn;	/* producer index, and the EQ for its events */
	uint64_t dbr;		/* address of its doorbell record */
	bool used, armed;	/* armed: the next completion raises an event */
	uint8_t ctx[64];
};

enum { QP_RC = 0, QP_REG_UMR = 0xc };	/* types of queues; QP_REG_UMR: of the driver's UMRs, which has no PD */
enum { QP_RST, QP_INIT, QP_RTR, QP_RTS, QP_ERR = 6 };	/* states */

struct qp {
	struct ring r;		/* the send queue */
	uint32_t ci, uid;	/* consumer index: the next work request */
	bool used, has_ring;
	uint32_t state;		/* QP_RST... */
	uint64_t dbr;		/* address of its doorbell record */
	uint32_t cqn;
	uint8_t ctx[256];
	struct ring rq;		/* the receive queue */
	uint32_t rq_ci;
	bool has_rq;
	bool is_faulted;	/* its request waits until the driver has brought a page, */
	bool page_missing;	/* and the driver has answered that there is none */
	bool is_waiting;	/* its request waits for the peer */
	uint32_t tries;		/* of the request, so far */
};

struct mkey {
	uint8_t mkc[64];	/* the context, as the driver sent it: fields mkc__... in prm.h */
	uint64_t *translations;		/* mode MTT: an address and access bits for each page */
	uint64_t n_translations;		/* entries that the key has room for */
	uint32_t uid;		/* the user context that made it, or 0 */
	uint32_t umem;		/* the umem that a DEVX key takes its pages from, or 0 */
	bool is_data_direct;	/* its addresses are those of the Data Direct function */
	uint32_t crossed;	/* mode CROSSING: the key that translates for it */
	uint32_t bound_to;	/* a memory window that is bound: the region's key, or 0 */
	uint32_t n_windows;	/* windows that are bound to it */
};

struct umem {
	uint32_t uid, page_shift, page_offset;
	uint32_t refs;		/* memory keys on it */
	uint64_t n;		/* pages */
	uint64_t *mtt;
};

/* The numbers of a type of object. */
struct idtab {
	uint8_t *used;			/* one for each number */
	uint32_t n, first, next;	/* numbers go from first to n - 1; next: where to look first */
	uint32_t count;			/* how many are in use */
	uint32_t limit;			/* how many may be in use at once, or 0: all of them */
};

struct hca;

/* A PCI function: a socket of its own, and its own view of guest memory */
struct pci_function {
	const char *path;		/* the socket's path, or NULL: there is no such function */
	int sock;
	bool is_connected;		/* whether sock is the client's, or still the listening one */
	struct dma_region dma[N_DMA];
	int irqfd[N_VEC];		/* eventfds, or -1 */
	uint32_t n_vec;			/* MSI-X vectors */
	uint32_t bar_size;		/* bytes of BAR0 */
	uint8_t cfg[256];		/* PCI config space */
	uint8_t cfg_writable[256];	/* bits of it that the guest may change */
	void (*config_read)(struct hca *h, uint32_t off, uint8_t *b, uint32_t n);
	void (*config_write)(struct hca *h, uint32_t off, const uint8_t *b, uint32_t n);
	void (*reset)(struct hca *h);
};

enum { FN_HCA, FN_DATA_DIRECT, N_FN };

struct hca {
	struct pci_function fn[N_FN];
	const char *data_direct_id;	/* in the VPD of that function */
	bool ignores_windows;		/* a key goes though windows are bound to it */

	uint32_t cmdq_h, cmdq_l;	/* address of the command queue */
	uint8_t nic_interface;
	bool is_initialized;		/* between INIT_HCA and TEARDOWN_HCA */
	uint8_t general_caps[4096];		/* the current ones, which the driver may set */
	uint32_t issi;			/* interface version that the driver chose */

	struct idtab pd, uar, td, xrcd, uctx, counter, srq, obj;
	struct idtab mkey_id, umem_id, eq_id, cq_id, qp_id;
	struct mkey *mkey[1u << LOG_MKEY];
	struct umem *umem[1u << LOG_UMEM];
	uint8_t memic[MEMIC_SIZE];
	uint32_t memic_size[MEMIC_SIZE / PAGE];	/* bytes of the allocation that begins on a page, or 0 */
	uint32_t n_memic;		/* allocations */
	struct eq eq[1u << LOG_EQ];
	struct cq cq[1u << LOG_CQ];
	struct qp qp[1u << LOG_QP];
	uint32_t cmd_eqn;	/* 0: none, commands are polled */
	uint32_t page_fault_eqn;	/* 0: none */
	bool is_waiting;	/* a queue waits for its peer: path_retry() soon */
	uint64_t n_cmd;

	/* what was last written to the control window: window.h */
	uint32_t probe_key, probe_addr_low, probe_addr_high, probe_reason, probe_route, probe_umem,
		 count_type;
	FILE *trace;
	int trace_level;
	struct { int op, status, skip; } fail[16];	/* injected failures; status 0: free entry */
	int n_fail;
	struct { unsigned off, w; uint64_t v; } override[16];	/* values of capabilities */
	int n_override;
};

/* A command that is being executed. */
struct cmd {
	uint32_t op, op_mod, uid;	/* opcode, its modifier, user context */
	uint8_t *in, *out;
	uint32_t inlen, outlen;
	uint32_t syndrome;		/* why it failed, beside the status; shown by the driver */
	char note[400];			/* its part of the line in the trace */
};

/* The bytes of input that begin at p */
static inline uint64_t bytes_left(const struct cmd *c, const uint8_t *p)
{
	return p < c->in + c->inlen ? (uint64_t)(c->in + c->inlen - p) : 0;
}

/* note() adds words to the command's line in the trace.  trace() writes a line; level: see main.c. */
void note(struct cmd *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void trace(struct hca *h, int level, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* dma.c; pointers are NULL, and reads fail, outside of guest memory */
int dma_map(struct pci_function *f, uint64_t iova, uint64_t size, uint64_t off, int fd);
void dma_unmap(struct pci_function *f, uint64_t iova, uint64_t size, bool all);
void *dma_ptr_of(const struct pci_function *f, uint64_t iova, uint64_t len);
void *dma_ptr(struct hca *h, uint64_t iova, uint64_t len);	/* as the HCA itself sees it */
int dma_read(struct hca *h, uint64_t iova, void *buf, uint64_t len);
void *ring_at(struct hca *h, struct ring *r, uint32_t i);
int ring_init(struct ring *r, const uint8_t *pas, uint64_t avail, unsigned page_shift,
	      uint32_t start, unsigned log_n, unsigned log_ent);
void ring_free(struct ring *r);

/* pci.c */
void config_put16(struct pci_function *f, int off, uint16_t v);
void config_put32(struct pci_function *f, int off, uint32_t v);
void config_write(struct pci_function *f, uint32_t off, const uint8_t *b, uint32_t n);
void pci_init(struct hca *h);
void pci_reset(struct hca *h);
void bar_read(struct hca *h, uint32_t off, uint8_t *b, uint32_t n);
void bar_write(struct hca *h, uint32_t off, const uint8_t *b, uint32_t n);
void irq_raise(struct hca *h, uint32_t vec);

/* data_direct.c */
void data_direct_init(struct hca *h);
void *data_direct_ptr(struct hca *h, uint64_t iova, uint64_t len);

/* vfio_user.c; serves the functions that have a path */
int vfio_user_serve(struct hca *h);

/* cmd.c; vec: one bit for each entry of the command queue */
void cmd_doorbell(struct hca *h, uint32_t vec);
int cmd_op_by_name(const char *name);	/* -1: no such command */
/* Injected failures.  fail_add(): the nth such command from now on fails with this status.
 * fail_take(): the status that the next such command must fail with, or -1. */
void fail_add(struct hca *h, int op, int status, int nth);
int fail_take(struct hca *h, int op);

/* eq.c */
void eq_post(struct hca *h, uint32_t eqn, uint32_t type, const void *data, size_t len);	/* type: subtype << 8 | type */
void eq_doorbell(struct hca *h, uint32_t val, bool arm);
void cq_doorbell(struct hca *h, uint32_t w0, uint32_t w1);
void cq_post(struct hca *h, uint32_t cqn, uint8_t *cqe);

/* umr.c */
void qp_doorbell(struct hca *h, uint32_t qpn);
void qp_drain(struct hca *h, struct qp *q, uint32_t qpn);	/* completes what was posted */

/* path.c */
struct result {
	uint8_t synd;			/* 0: done */
	uint32_t byte_count;
};
/* Carries out the work request w of len bytes; false: it waits. */
bool path_execute(struct hca *h, struct qp *q, uint32_t qpn, uint8_t *w, uint32_t len, struct result *r);
uint8_t vendor_syndrome(uint8_t synd);
void path_flush(struct hca *h, struct qp *q, uint32_t qpn);
void path_retry(struct hca *h);			/* goes on with the queues that wait for their peers */

/* mem.c */
void window_unbind(struct hca *h, struct mkey *window);
const char *window_bind(struct hca *h, struct mkey *window, uint32_t pd, uint32_t key);
enum { A_READ = 0, A_WRITE = 1, A_REMOTE = 2, A_ATOMIC = 4 };	/* bits; none: a local read */
/* Reads or writes memory through a key, as a work request does.  pd: that of the queue, or 0: any.  b: NULL to check
 * alone.  Returns P_NONE, or why not, before the first byte; route: how the first byte went, R_... */
uint32_t mkey_access(struct hca *h, uint32_t key, uint32_t pd, uint64_t va, uint64_t len, int how, void *b,
		     uint32_t *route);

/* memic.c */
void memic_caps(uint8_t *b);
bool memic_holds(uint64_t addr, uint64_t len);	/* addr: an offset in BAR0 */

/* obj.c */
int limit_set(struct hca *h, const char *name, uint32_t n);
uint32_t id_alloc(struct idtab *t);		/* 0: none is left */
bool id_used(struct idtab *t, uint32_t id);
bool id_free(struct idtab *t, uint32_t id);
void obj_init(struct hca *h);
void obj_reset(struct hca *h);
uint32_t obj_count(struct hca *h, uint32_t type);

/* command handlers; each returns a command status */
typedef int handler(struct hca *, struct cmd *);
handler caps_query, caps_set, access_reg, vport_context, vport_gid, vport_pkey, vport_state;
handler query_adapter, query_vuid, query_issi, set_issi, query_pages, enable_hca, disable_hca;
handler init_hca, teardown_hca;
handler create_mkey, query_mkey, destroy_mkey, special_contexts;
handler alloc_memic, dealloc_memic;
handler create_umem, destroy_umem, create_uctx, destroy_uctx;
handler create_eq, destroy_eq, create_cq, destroy_cq, query_cq, create_qp, destroy_qp, modify_qp,
	query_qp, page_fault_resume;
handler alloc_pd, dealloc_pd, alloc_uar, dealloc_uar, alloc_td, dealloc_td, alloc_xrcd,
	dealloc_xrcd, alloc_counter, dealloc_counter, create_srq, destroy_srq, create_obj,
	destroy_obj;
void caps_reset(struct hca *h);
/* -1: no such capability, or too many overrides */
int cap_override(struct hca *h, const char *name, uint64_t v);

#endif
