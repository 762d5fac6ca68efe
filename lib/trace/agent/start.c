// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The agent begins when the program does: before main(), and before most of its libraries.  The audit library calls
 * what is here, and finds it by name.
 */
#include <errno.h>
#include <execinfo.h>
#include <sys/mman.h>

#include "lib/trace/agent/call.h"
#include "lib/trace/agent/channel.h"
#include "lib/trace/agent/environment.h"
#include "lib/trace/agent/ring.h"
#include "lib/trace/agent/system.h"
#include "lib/trace/wire/sign.h"

/* Where the audit library keeps its copies of symbol tables. */
extern struct mr_trace_rooms MR_TRACE_ROOMS_NAME;
EXPORT struct mr_trace_rooms MR_TRACE_ROOMS_NAME;

/* Of the file: it has no zeros alone, and is not written. */
static const unsigned char sign[MR_TRACE_SIGN_BYTES]
	__attribute__((aligned(MR_TRACE_SIGN_BYTES))) = { 1 };

static struct agent_process *allocate_process(void)
{
	const size_t size = sizeof(struct agent_process);
	long address = SYSTEM(SYS_mmap, NULL, size, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0L);

	if (address < 0 && address > -4096)
		return NULL;
	/* Linux 4.14; without it a child would write to the ring of its parent. */
	if (SYSTEM(SYS_madvise, address, size, MADV_WIPEONFORK)) {
		SYSTEM(SYS_munmap, address, size);
		return NULL;
	}
	return (struct agent_process *)address;
}

__attribute__((constructor)) static void start(void)
{
	void *frame;
	int saved = errno;

	environment_remember();
	if (channel_read_environment())
		agent_process = allocate_process();
	if (!agent_process || !ring_of_process())
		SYSTEM(SYS_mprotect, sign, sizeof(sign), PROT_WRITE);
	else if (agent_process->frames)
		backtrace(&frame, 1); /* loads libgcc_s now, and not in a call */
	errno = saved;
}

EXPORT void MR_TRACE_CLOSING_NAME(uintptr_t library);

/* Where nothing was called there are no places; a child that has not joined has none either. */
EXPORT void MR_TRACE_CLOSING_NAME(uintptr_t library)
{
	struct agent_process *process = agent_process;

	if (process && atomic_load(&process->phase) == AGENT_JOINED &&
	    !atomic_load(&process->gone) && atomic_load(&process->ring->head))
		channel_closing(library);
}
