#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Slurm, slurm.conf: HealthCheckProgram=/etc/slurm/mrctl-health-check.sh  HealthCheckInterval=300
#
# Drains a node where registration cannot work, and resumes the node that it drained once the node has been
# repaired.  Slurm ignores the exit status of this program.
PATH=${PATH:-/usr/sbin:/usr/bin:/sbin:/bin}:/usr/local/bin # Slurm sets none
node=${SLURMD_NODENAME:-$(hostname -s)}
reason=$(scontrol --oneliner show node "$node" | sed -n 's/.* Reason=\(.*\)/\1/p')

why=$(mrctl stat --host --exit npd)
case $? in
0)
	case $reason in
	mrctl:*) scontrol update NodeName="$node" State=RESUME ;;
	esac
	;;
1)
	# A node that somebody drained for another reason stays drained.
	[ -n "$reason" ] || scontrol update NodeName="$node" State=DRAIN Reason="mrctl: $why"
	;;
esac
