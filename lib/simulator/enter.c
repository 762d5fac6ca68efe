// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/base.h"
#include "lib/simulator/enter.h"

#define PRELOAD "libmrctl-sim.so"

int mr_simulator_set(const char *variable, const char *value, struct mr_error *err)
{
	return setenv(variable, value, 1) ? mr_fail(err, MR_ERROR_HOST, errno, "setenv", NULL) : 0;
}

static int set_faults(const struct mr_sim_faults *faults, struct mr_error *err)
{
	mr_auto_free char *text = NULL;
	size_t size;
	FILE *stream = faults->count ? open_memstream(&text, &size) : NULL;

	if (!faults->count)
		return 0;
	for (size_t i = 0; stream && i < faults->count; i++)
		fprintf(stream, "%s%.*s", i ? ";" : "", (int)faults->list[i].length,
			faults->list[i].text);
	if (!stream || fclose(stream))
		return mr_fail(err, MR_ERROR_HOST, ENOMEM, "open_memstream", NULL);
	return mr_simulator_set(MR_SIM_FAULT_VARIABLE, text, err);
}

int mr_simulator_enter(enum mr_sim_profile profile, enum mr_sim_kernel kernel,
		       const struct mr_sim_faults *faults, struct mr_error *err)
{
	const char *name = mr_sim_profiles[profile].name;
	const char *preloaded = getenv("LD_PRELOAD");
	mr_auto_free char *preload = NULL, *sysfs = NULL, *folder = NULL;
	char self[PATH_MAX];
	int rc = mr_installed_find(MRCTL_LIBDIR, "sim", PRELOAD, self, &folder, err);

	if (rc)
		return rc;
	if (!folder) {
		mr_fail_text(err, MR_ERROR_HOST, ENOENT,
			     "the simulator (" PRELOAD ") is not installed beside %s", self);
		mr_hint(err, "it is in the package mrctl-sim");
		return -ENOENT;
	}
	if (strpbrk(folder, " :")) /* ld.so(8): LD_PRELOAD is a list with these between its items */
		return mr_fail_text(err, MR_ERROR_HOST, EINVAL,
				    "the simulator cannot be loaded from a path with a blank or "
				    "colon: %s",
				    folder);
	if (asprintf(&preload, "%s/" PRELOAD "%s%s", folder, preloaded ? ":" : "",
		     preloaded ? preloaded : "") < 0 ||
	    asprintf(&sysfs, "%s/sysfs/%s", folder, name) < 0)
		return mr_fail(err, MR_ERROR_HOST, ENOMEM, "asprintf", NULL);
	rc = mr_simulator_set("LD_PRELOAD", preload, err);
	if (!rc)
		rc = mr_simulator_set("SYSFS_PATH", sysfs, err);
	if (!rc)
		rc = mr_simulator_set(MR_SIM_KERNEL_VARIABLE, mr_sim_kernels[kernel].name, err);
	if (!rc)
		rc = set_faults(faults, err);
	return rc ? rc : mr_simulator_set(MR_SIM_VARIABLE, name, err);
}

bool mr_simulator_is_entered(void)
{
	const char *profile = getenv(MR_SIM_VARIABLE);

	return profile && *profile;
}

struct mr_opt_u64 mr_simulator_pinned(void)
{
	uint64_t (*pinned)(void);

	/* a cast would be one from an object to a function, which ISO C lacks */
	*(void **)&pinned = dlsym(RTLD_DEFAULT, "mrctl_sim_pinned");
	return pinned ? (struct mr_opt_u64){ pinned(), true } : (struct mr_opt_u64){ 0 };
}
