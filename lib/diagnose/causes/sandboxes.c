// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Filters of system calls, and kernels of sandboxes, which answer before the kernel of the host does. */
#include <errno.h>
#include <string.h>

#include "lib/diagnose/causes/tables.h"
#include "lib/host/sandbox.h"

/*
 * A filter answers with any errno that it likes, mostly EPERM or ENOSYS, and no process may read another's.  Of
 * its own the kernel refuses memfd_create(2) with neither, unless vm.memfd_noexec does.
 */
static void look_at_seccomp(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_process_status *status = mr_inquiry_status(inquiry);
	const bool is_memfd = !strcmp(inquiry->refusal->call, "memfd_create");

	if (!status || !status->seccomp.known || status->seccomp.value != 2)
		return;
	mr_evidence_text(suspicion, "seccomp", "2, a filter");
	mr_suspect(suspicion, is_memfd ? MR_LIKELY : MR_POSSIBLE,
		   "system calls of the process are filtered (Seccomp 2 in /proc/PID/status)");
}

static void look_at_ioctl(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const int errnum = inquiry->refusal->errnum;
	char version[128];

	if (!mr_sandbox_is_gvisor(inquiry->host, version, sizeof(version)))
		return;
	mr_evidence_text(suspicion, "kernel", "%s", version);
	mr_suspect(suspicion, errnum == EINVAL || errnum == EPERM ? MR_POSSIBLE : MR_LIKELY,
		   "the kernel is that of gVisor, which passes on only what it knows of RDMA");
}

#define ON_IOCTLS (MR_ON_ALL & ~(MR_ON(PREPARE) | MR_ON(FIND) | (1U << MR_OP_OTHER)))

const struct mr_cause mr_causes_of_sandboxes[] = {
	{ .id = "MR-SECCOMP",
	  .subject = "filter of system calls",
	  .operations = MR_ON_ALL & ~(MR_ON(FIND) | (1U << MR_OP_OTHER)),
	  .errnums = { EPERM, ENOSYS, EACCES, EAGAIN, ENOMEM, EFAULT },
	  .layer = MR_LAYER_UNKNOWN,
	  .frequency = MR_RARE,
	  .look = look_at_seccomp,
	  .what = "A filter of system calls (seccomp), of a container or of a unit of systemd, "
		  "refuses the call before the kernel looks at it.",
	  .recognise =
		  "Seccomp is 2 in /proc/PID/status, and without the filter (docker run --security-opt "
		  "seccomp=unconfined) the call works.",
	  .remedy = "try without the filter: docker run --security-opt seccomp=unconfined, "
		    "SystemCallFilter= of the unit",
	  .sources = "seccomp(2); systemd.exec(5)" },
	{ .id = "MR-SANDBOX-IOCTL",
	  .subject = "kernel of a sandbox",
	  .operations = ON_IOCTLS,
	  .errnums = { ENOTTY, ENOSYS, EINVAL, EOPNOTSUPP, EPROTONOSUPPORT, EPERM },
	  .layer = MR_LAYER_UNKNOWN,
	  .frequency = MR_RARE,
	  .look = look_at_ioctl,
	  .what = "The kernel that answers is that of a sandbox (gVisor).  It passes on those "
		  "ioctls and attributes of RDMA that it knows, and refuses newer ones although the "
		  "host's kernel has them.",
	  .recognise =
		  "uname -a or /proc/version tells of gVisor, or of Linux 4.4.0 from January 2016.",
	  .remedy = "take a newer runsc, or run the container without gVisor",
	  .sources = "google/gvisor#13779" },
	{ .id = NULL },
};
