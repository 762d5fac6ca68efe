/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The control window for tests: words in the upper config space, outside every
 * capability, reached with 4-byte accesses to the device's "config" in sysfs.
 */
#ifndef WINDOW_H
#define WINDOW_H

enum {
	W_REMOTE = 0xd0,	/* as W_LOCAL, but as a remote access */
	W_KEY = 0xe0,		/* write: the key; read: why the last access failed */
	W_LO = 0xe4,		/* write: the address */
	W_HI = 0xe8,
	W_LOCAL = 0xec,		/* read or write: a word of memory through the key */
	W_MARK = 0xf0,		/* write: a mark in the trace */
	W_FAIL = 0xf4,		/* write: command | status << 16: fail the next such; 0: none */
	W_COUNT = 0xf8,		/* write: a type of object; read: how many there are */
	W_UMEM = 0xfc,		/* write: a umem's id; read: log2 of its page size, 0: no such */
};

/* the types: memory keys that are not free (drivers keep freed ones to use them again), and others */
#define COUNTED(X) \
	X(key) X(umem) X(uctx) X(pd) X(qp) X(cq) X(srq) X(uar) X(td) X(xrcd) X(obj)

enum {
#define X(name) COUNT_##name,
	COUNTED(X)
#undef X
};

/* why the last access through a key failed */
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
