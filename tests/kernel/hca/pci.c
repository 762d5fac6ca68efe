/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Config space, the initialization segment and the UAR pages of BAR0. */
#include <time.h>
#include <unistd.h>

#include "hca.h"

enum { CAP_PM = 0x40, CAP_MSIX = 0x50, CAP_PCIE = 0x60 };
enum {			/* the initialization segment */
	FW_REV = 0x0, CMDIF_REV = 0x4, CMDQ_H = 0x10, CMDQ_L = 0x14, CMD_DBELL = 0x18,
	INITIALIZING = 0x1fc, HEALTH = 0x200, TIMER_H = 0x1000, TIMER_L = 0x1004,
	HEALTH_CTR = 0x1010, REAL_H = 0x1040, REAL_L = 0x1044,
};
enum { FW_MAJ = 16, FW_MIN = 35, FW_SUB = 4030, LOG_CMDQ = 5, LOG_STRIDE = 6 };

void config_put16(struct pci_function *f, int off, uint16_t v)
{
	memcpy(f->cfg + off, &v, 2);
}

void config_put32(struct pci_function *f, int off, uint32_t v)
{
	memcpy(f->cfg + off, &v, 4);
}

/* Changes what the guest may change */
void config_write(struct pci_function *f, uint32_t off, const uint8_t *b, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		uint8_t m = f->cfg_writable[off + i];

		f->cfg[off + i] = (uint8_t)((f->cfg[off + i] & ~m) | (b[i] & m));
	}
}

/* Reads or writes a word of the control window (window.h). */
static uint32_t window_access(struct hca *h, uint32_t off, bool write, uint32_t v)
{
	uint64_t va = (uint64_t)h->probe_addr_high << 32 | h->probe_addr_low;

	switch (off) {
	case W_KEY:
		return write ? h->probe_key = v : h->probe_reason;
	case W_LO:
		return write ? h->probe_addr_low = v : 0;
	case W_HI:
		return write ? h->probe_addr_high = v : 0;
	case W_LOCAL:
	case W_REMOTE:
		h->probe_reason = mkey_access(h, h->probe_key, 0, va, sizeof(v), (off == W_REMOTE ? A_REMOTE : 0) |
					      (write ? A_WRITE : A_READ), &v, &h->probe_route);
		trace(h, 2, "probe key %x at %lx %s%s: %u by %u", h->probe_key, va,
		      off == W_REMOTE ? "remote " : "", write ? "write" : "read", h->probe_reason,
		      h->probe_route);
		return v;
	case W_ROUTE:
		return h->probe_route;
	case W_MARK:
		if (write)
			trace(h, 1, "mark %u", v);
		return 0;
	case W_FAIL:
		if (write && !v)
			h->n_fail = 0;
		else if (write)
			fail_add(h, v & 0xffff, (int)(v >> 16), 1);
		return 0;
	case W_COUNT:
		return write ? h->count_type = v : obj_count(h, h->count_type);
	case W_UMEM:
		if (write)
			h->probe_umem = v;
		return !write && id_used(&h->umem_id, h->probe_umem) ?
		       h->umem[h->probe_umem]->page_shift : 0;
	}
	return 0;
}

static void hca_config_read(struct hca *h, uint32_t off, uint8_t *b, uint32_t n)
{
	uint32_t v;

	memcpy(b, h->fn[FN_HCA].cfg + off, n);
	if (off >= W_REMOTE && n == 4) {
		v = window_access(h, off, false, 0);
		memcpy(b, &v, 4);
	}
}

static void hca_config_write(struct hca *h, uint32_t off, const uint8_t *b, uint32_t n)
{
	struct pci_function *f = &h->fn[FN_HCA];
	uint32_t v;

	config_write(f, off, b, n);
	if (off >= W_REMOTE && n == 4) {
		memcpy(&v, b, 4);
		window_access(h, off, true, v);
	}
	memcpy(&v, f->cfg + 0x10, 4);
	config_put32(f, 0x10, (v & ~(BAR0_SIZE - 1)) | 0xc);
}

void pci_init(struct hca *h)
{
	struct pci_function *f = &h->fn[FN_HCA];

	config_put16(f, 0x00, 0x15b3);
	config_put16(f, 0x02, 0x1017);		/* ConnectX-5 */
	config_put16(f, 0x06, 0x0010);		/* a capability list */
	config_put32(f, 0x08, 0x02070000);	/* class: InfiniBand controller */
	config_put32(f, 0x10, 0xc);		/* BAR0: 64 bits, prefetchable */
	config_put16(f, 0x2c, 0x15b3);
	config_put16(f, 0x2e, 0x0020);
	f->cfg[0x34] = CAP_PM;
	config_put32(f, CAP_PM, 0x00030001 | CAP_MSIX << 8);
	config_put16(f, CAP_MSIX, 0x0011 | CAP_PCIE << 8);
	config_put16(f, CAP_MSIX + 2, N_VEC - 1);
	config_put32(f, CAP_MSIX + 4, MSIX_TABLE);
	config_put32(f, CAP_MSIX + 8, MSIX_PBA);
	config_put32(f, CAP_PCIE, 0x00020010);	/* an endpoint, version 2 */
	config_put32(f, CAP_PCIE + 4, 0x10008fe2);
	config_put32(f, CAP_PCIE + 0xc, 0x103);	/* x16, 8 GT/s */
	config_put16(f, CAP_PCIE + 0x12, 0x103);
	memset(f->cfg_writable + 0x04, 0xff, 2);
	memset(f->cfg_writable + 0x0c, 0xff, 2);
	memset(f->cfg_writable + 0x10, 0xff, 8);
	f->cfg_writable[0x3c] = 0xff;
	f->cfg_writable[CAP_PM + 4] = 0x03;
	f->cfg_writable[CAP_MSIX + 3] = 0xc0;
	memset(f->cfg_writable + CAP_PCIE + 8, 0xff, 2);
	memset(f->cfg_writable + CAP_PCIE + 0x10, 0xff, 2);
	memset(f->cfg_writable + CAP_PCIE + 0x28, 0xff, 2);
	for (int i = 0; i < N_VEC; i++)
		f->irqfd[i] = -1;
	f->n_vec = N_VEC;
	f->bar_size = BAR0_SIZE;
	f->config_read = hca_config_read;
	f->config_write = hca_config_write;
	f->reset = pci_reset;
	obj_init(h);
	pci_reset(h);
}

void pci_reset(struct hca *h)
{
	h->cmdq_h = h->cmdq_l = 0;
	h->nic_interface = 0;
	h->is_initialized = false;
	h->cmd_eqn = 0;
	h->issi = 0;
	caps_reset(h);
	obj_reset(h);
}

static uint64_t monotonic_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* A word of the initialization segment */
static uint32_t iseg_read(struct hca *h, uint32_t off)
{
	switch (off) {
	case FW_REV:
		return FW_MIN << 16 | FW_MAJ;
	case CMDIF_REV:
		return 5 << 16 | FW_SUB;
	case CMDQ_H:
		return h->cmdq_h;
	case CMDQ_L:
		return h->cmdq_l | (uint32_t)h->nic_interface << 8 | LOG_CMDQ << 4 | LOG_STRIDE;
	case HEALTH + 0x30:
		return FW_MAJ << 24 | FW_MIN << 16 | FW_SUB;
	case TIMER_H:
	case TIMER_L: {
		uint64_t t = monotonic_ns() * 10 / 64;	/* 156.25 MHz */
		return (uint32_t)(off == TIMER_H ? t >> 32 : t);
	}
	case HEALTH_CTR:
		return (uint32_t)(monotonic_ns() / 10000000);
	case REAL_H:
	case REAL_L: {
		struct timespec t;

		clock_gettime(CLOCK_REALTIME, &t);
		return (uint32_t)(off == REAL_H ? t.tv_sec : t.tv_nsec);
	}
	default:
		return 0;
	}
}

void bar_read(struct hca *h, uint32_t off, uint8_t *b, uint32_t n)
{
	if (memic_holds(off, n)) {
		memcpy(b, h->memic + (off - MEMIC_START), n);
		return;
	}
	for (uint32_t i = 0; i < n; i++) {
		uint32_t o = off + i, v = o < MSIX_TABLE ? iseg_read(h, o & ~3u) : 0;

		b[i] = (uint8_t)(v >> (24 - 8 * (o & 3)));
	}
	trace(h, 4, "bar read %x/%u", off, n);
}

/* Doorbells: 0x20 arms a CQ, 0x40 is an EQ with arming, 0x48 one without, from 0x800 on a send queue's. */
static void uar_write(struct hca *h, uint32_t off, const uint8_t *b, uint32_t n)
{
	if (off == 0x20 && n == 8)
		cq_doorbell(h, be32(b), be32(b + 4));
	else if ((off == 0x40 || off == 0x48) && n >= 4)
		eq_doorbell(h, be32(b), off == 0x40);
	else if (off >= 0x800 && n >= 8)
		qp_doorbell(h, be32(b + 4) >> 8);
	else
		trace(h, 2, "write of %u bytes at UAR offset %x", n, off);
}

void bar_write(struct hca *h, uint32_t off, const uint8_t *b, uint32_t n)
{
	trace(h, 4, "bar write %x/%u %02x%02x%02x%02x", off, n, b[0], b[1], b[2], b[3]);
	if (memic_holds(off, n)) {
		memcpy(h->memic + (off - MEMIC_START), b, n);
		return;
	}
	if (off >= FIRST_UAR * PAGE) {
		uar_write(h, off % PAGE, b, n);
		return;
	}
	for (uint32_t i = 0; i + 4 <= n; i += 4) {
		uint32_t v = be32(b + i);
		switch (off + i) {
		case CMDQ_H:
			h->cmdq_h = v;
			break;
		case CMDQ_L:
			h->cmdq_l = v & ~0xfffu;
			h->nic_interface = v >> 8 & 7;
			break;
		case CMD_DBELL:
			cmd_doorbell(h, v);
			break;
		default:
			trace(h, 2, "write %x at init segment offset %x", v, off + i);
		}
	}
}

void irq_raise(struct hca *h, uint32_t vec)
{
	uint64_t one = 1;
	const int *fd = h->fn[FN_HCA].irqfd;

	if (vec < N_VEC && fd[vec] >= 0 && write(fd[vec], &one, 8) == 8)
		return;
	trace(h, 2, "interrupt %u has no eventfd", vec);
}
