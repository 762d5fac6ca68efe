// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Filters of system calls, and kernels of sandboxes, which answer before the kernel of the host does. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>

#include "lib/base/base.h"
#include "lib/diagnose/causes/tables.h"
#include "lib/diagnose/simulated.h"
#include "lib/host/processes.h"

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

/*
 * Landlock lets the node be opened, and refuses each ioctl(2) on a device (LANDLOCK_ACCESS_FS_IOCTL_DEV).  No file of
 * /proc tells of it.  ib_uverbs has no ioctl 0, and answers ENOTTY.
 */
static void look_at_landlock(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_place *place = mr_inquiry_place(inquiry);
	mr_auto_fd int node = -1;

	if (!mr_host_is_live(inquiry->host) || inquiry->host->process || place->opened ||
	    mr_is_simulated(inquiry->host))
		return;
	node = open(place->node.path, O_RDWR | O_CLOEXEC);
	if (node < 0)
		return;
	mr_evidence_text(suspicion, "node", "%s", place->node.path);
	if (ioctl(node, 0) && errno == EACCES)
		mr_suspect(suspicion, MR_LIKELY,
			   "%s can be opened, and any ioctl(2) on it is refused, as Landlock does",
			   place->node.path);
	else
		mr_rule_out(suspicion, "ioctl(2) on %s is not refused as such", place->node.path);
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
	{ .id = "MR-LANDLOCK",
	  .subject = "rules of Landlock",
	  .operations = MR_ON(OPEN),
	  .errnums = { EACCES },
	  .layer = MR_LAYER_UNKNOWN,
	  .frequency = MR_RARE,
	  .look = look_at_landlock,
	  .what = "A program that confines itself or its children by Landlock can deny ioctl(2) on "
		  "devices (Linux 6.10 and newer).  The node can be opened, but not used.",
	  .recognise = "Any ioctl(2) on the node answers EACCES, though its mode permits the user "
		       "to open it.",
	  .remedy = "permit ioctl on /dev/infiniband where the program or its launcher sets the "
		    "rules (LANDLOCK_ACCESS_FS_IOCTL_DEV)",
	  .sources = "landlock(7); Documentation/userspace-api/landlock.rst" },
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
