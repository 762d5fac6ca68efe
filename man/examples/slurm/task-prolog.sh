#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Slurm, slurm.conf: TaskProlog=/etc/slurm/mrctl-task-prolog.sh
#
# Warns the user at the head of the job's output where the limits of the task itself, such as that of locked
# memory, make registration fail.  It runs as the user in the task; Slurm interprets its output: a line
# "print TEXT" appears in the output.  It never fails, as that would end the task.
#
# These limits are those of the shell that submitted the job, unless slurm.conf has
# PropagateResourceLimitsExcept=MEMLOCK.
PATH=${PATH:-/usr/bin:/bin}:/usr/local/bin # that of the job may lack it
mrctl stat --host --quiet || echo "print mrctl: $(mrctl stat --host --exit npd)"
exit 0
