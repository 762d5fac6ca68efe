/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The control window for tests: words of config space behind the last capability.  hca-probe reads
 * and writes them in the guest, 4 bytes at a time, through the device's file "config" in sysfs.
 */
#ifndef WINDOW_H
#define WINDOW_H

enum {
	W_REMOTE = 0xd0,	/* as W_LOCAL, as a remote access */
	W_ROUTE = 0xd4,		/* read: how the last access went to memory */
	W_KEY = 0xe0,		/* write: the key; read: why the last access failed */
	W_LO = 0xe4,		/* write: the address, its low half */
	W_HI = 0xe8,		/* and its high half */
	W_LOCAL = 0xec,		/* read or write: a word of memory through the key, as a local access */
	W_MARK = 0xf0,		/* write: a mark in the trace */
	W_FAIL = 0xf4,		/* write: opcode | status << 16: the next such command fails; 0: none does */
	W_COUNT = 0xf8,		/* write: a type of object; read: how many there are */
	W_UMEM = 0xfc,		/* write: a umem's id; read: log2 of its page size, or 0: no such umem */
};

/* The types of objects that are counted.  Of memory keys only those that are not free: the driver keeps freed
 * keys to use them again. */
#define COUNTED(X) \
	X(key) X(umem) X(uctx) X(pd) X(qp) X(cq) X(srq) X(uar) X(td) X(xrcd) X(obj)

enum {
#define X(name) COUNT_##name,
	COUNTED(X)
#undef X
};

/* How the last access went to memory: by the DMA of the HCA, or by that of its Data Direct function */
#define ROUTES(X) \
	X(NONE, "none") \
	X(HCA, "hca") \
	X(DATA_DIRECT, "data-direct") \
	X(DATA_DIRECT_RELAXED, "data-direct relaxed")

enum {
#define X(name, text) R_##name,
	ROUTES(X)
#undef X
};

/* Why the last access through a key failed */
#define REASONS(X) \
	X(NONE, "allowed") \
	X(NO_KEY, "no such key") \
	X(FREE, "free") \
	X(ACCESS, "access") \
	X(RANGE, "range") \
	X(PAGE, "page") \
	X(MODE, "mode")

enum {
#define X(name, text) P_##name,
	REASONS(X)
#undef X
};

#endif
