// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * DMA handles: uverbs_std_types_dmah.c, hw/mlx5/dmah.c.  A steering tag, which the firmware of a real machine
 * chooses (pcie_tph_get_cpu_st()), is given for each CPU.
 */
#include <errno.h>
#include <sched.h>
#include <unistd.h>

#include "lib/sim/base/abi.h"
#include "lib/sim/call/profile.h"
#include "lib/sim/handlers/dmah.h"
#include "lib/sim/state/table.h"

#define PH_BITS 3u /* PCIe has processing hints of two bits */

/* nr_cpu_ids, current->cpus_ptr */
static int check_cpu(uint32_t cpu)
{
	const long configured = sysconf(_SC_NPROCESSORS_CONF);
	cpu_set_t allowed;

	if (configured > 0 && cpu >= (unsigned long)configured)
		return -EINVAL;
	if (cpu >= CPU_SETSIZE || sched_getaffinity(0, sizeof(allowed), &allowed))
		return 0; /* of a machine too large for the set it is not known */
	return CPU_ISSET(cpu, &allowed) ? 0 : -EPERM;
}

int sim_mlx5_alloc_dmah(struct sim_call *call)
{
	const struct ib_uverbs_attr *cpu = sim_attr(call, SIM_ATTR_ALLOC_DMAH_CPU_ID);
	const struct ib_uverbs_attr *memory = sim_attr(call, SIM_ATTR_ALLOC_DMAH_MEMORY);
	const struct ib_uverbs_attr *ph = sim_attr(call, SIM_ATTR_ALLOC_DMAH_PH);
	int rc;

	rc = cpu ? check_cpu((uint32_t)cpu->data) : 0;
	if (rc)
		return rc;
	/* mlx5 needs a processing hint, and a CPU and a kind of memory go together */
	if (!ph || (uint8_t)ph->data & ~PH_BITS || !cpu != !memory)
		return -EINVAL;
	call->object->parent = SIM_NO_HANDLE;
	return 0;
}
