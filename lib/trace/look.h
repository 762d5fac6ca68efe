/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A look at a traced process whose call was refused, while it waits in that call: why it was refused, and what
 * one must know to have it refused again elsewhere.
 */
#ifndef LIB_TRACE_LOOK_H
#define LIB_TRACE_LOOK_H

#include "lib/base/base.h"
#include "lib/diagnose/causes/diagnosis.h"
#include "lib/host/host.h"
#include "lib/host/processes.h"
#include "lib/trace/range.h"
#include "lib/trace/refused_call.h"
#include "lib/verbs/device.h"

/** What was found out. */
struct mr_look {
	/** -errno: /proc does not tell of the process, so that the diagnosis is by its call alone; 0: it does. */
	int error;
	int errnum;       /**< positive: that the diagnosis is about */
	char command[16]; /**< name of the process, in printable characters; empty: not known */
	uint64_t tid;     /**< of the thread, as mrctl sees it; 0: not known */
	struct mr_diagnosis diagnosis; /**< its layer is the one that refused */
	enum mr_tristate
		by_kernel; /**< whether the errno is that of a call of libibverbs to the kernel */
	struct mr_environment
		environment; /**< of the process: its limits, user, libibverbs, device */
	bool has_range;      /**< the call was given memory of the process: @range is set */
	struct mr_traced_range range;
	bool has_dmabuf; /**< the call was given a descriptor: @dmabuf is set */
	struct mr_dmabuf_file dmabuf;
	bool has_memlock; /**< @memlock is known */
	struct mr_memlock memlock;
	enum mr_tristate is_memlock_lifted; /**< CAP_IPC_LOCK */
	struct mr_opt_u64 pinned; /**< bytes that count against RLIMIT_MEMLOCK, before the call */
	uint64_t registered_bytes, registered_count; /**< as of the context */
	enum mr_tristate is_fork_safe;               /**< fork protection of libibverbs */
};

/**
 * mr_look_at() - find out why a call of a process was refused
 * @pid:     of the process, as mrctl sees it
 * @record:  of the call, already checked
 * @context: what is known from calls before
 * @look:    set; nothing is to be freed
 *
 * All is read of that process: what cannot be read is not known.  The device is opened, where a cause asks for
 * what it reports, and closed again.
 */
void mr_look_at(pid_t pid, const struct mr_trace_record *record,
		const struct mr_look_context *context, struct mr_look *look);

#endif
