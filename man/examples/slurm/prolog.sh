#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Slurm, slurm.conf: Prolog=/etc/slurm/mrctl-prolog.sh
#
# Keeps a job from a node where RDMA registration cannot work.  A prolog that fails drains the node.  The job is
# queued again, and held unless SchedulerParameters has nohold_on_prolog_fail.  It runs as root with the limits
# of slurmd; task-prolog.sh has the limits of the job.  A check that is unknown or not applicable
# does not fail the prolog.
PATH=${PATH:-/usr/sbin:/usr/bin:/sbin:/bin}:/usr/local/bin # Slurm sets none
mrctl stat --host --quiet || {
	echo "mrctl: $(mrctl stat --host --exit npd)" >&2
	exit 1
}
