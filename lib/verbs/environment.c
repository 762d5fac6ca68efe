// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <dlfcn.h>
#include <infiniband/verbs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "lib/base/base.h"
#include "lib/host/root.h"
#include "lib/simulator/spec.h"
#include "lib/verbs/environment.h"

bool mr_rdma_core_version(const char *path, char *version, size_t size)
{
	const char *file = strrchr(path, '/'), *p = strstr(file ? file : path, ".so.");

	for (int numbers = 0; p && numbers < 2; numbers++)
		p = strchr(p + (numbers ? 1 : strlen(".so.")), '.');
	if (p)
		snprintf(version, size, "%.*s", (int)strcspn(p + 1, " "), p + 1);
	return p;
}

static void read_rdma_core_version(char *version, size_t size)
{
	mr_auto_free char *path = NULL;
	Dl_info info;

	if (!dladdr((void *)(uintptr_t)ibv_get_device_list, &info)) // NOLINT
		return;
	path = realpath(info.dli_fname, NULL);
	if (path)
		mr_rdma_core_version(path, version, size);
}

static struct mr_opt_u64 limit_of(rlim_t limit)
{
	return (struct mr_opt_u64){ limit, limit != RLIM_INFINITY };
}

void mr_environment_init(struct mr_environment *environment)
{
	struct rlimit memlock = { RLIM_INFINITY, RLIM_INFINITY };
	struct utsname name;

	*environment = (struct mr_environment){ .mrctl = MRCTL_VERSION,
						.uid = { getuid(), true },
						.euid = { geteuid(), true } };
	if (!uname(&name))
		snprintf(environment->kernel, sizeof(environment->kernel), "%s", name.release);
	read_rdma_core_version(environment->rdma_core, sizeof(environment->rdma_core));
	getrlimit(RLIMIT_MEMLOCK, &memlock);
	environment->memlock_soft = limit_of(memlock.rlim_cur);
	environment->memlock_hard = limit_of(memlock.rlim_max);
}

static void read_firmware(struct mr_environment *environment)
{
	/* The name of a session's device comes from its table, which any process of the session can write. */
	environment->firmware[0] = '\0';
	if (!strchr(environment->device, '/'))
		mr_host_line(mr_this_host(), environment->firmware, sizeof(environment->firmware),
			     "/sys/class/infiniband/%s/fw_ver", environment->device);
}

void mr_environment_find(struct mr_environment *environment)
{
	const char *kernel = getenv(MR_SIM_KERNEL_VARIABLE);

	read_firmware(environment);
	if (environment->simulated)
		snprintf(environment->simulated_kernel, sizeof(environment->simulated_kernel), "%s",
			 kernel ? kernel : mr_sim_kernels[0].name);
}
