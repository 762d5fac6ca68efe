#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Slurm, slurm.conf: Prolog=/etc/slurm/mrctl-prolog.sh
#
# Keeps a job from a node where RDMA registration cannot work.  A prolog that fails drains the node, and the
# job is queued again.  It runs as root with the limits of slurmd; the job's own limits are seen by
# task-prolog.sh.  A check that is unknown, or not this node's business, fails nothing.
mrctl stat --host --quiet || {
	echo "mrctl: $(mrctl stat --host --exit npd)" >&2
	exit 1
}
