// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Why a device cannot be opened for DEVX: providers/mlx5/mlx5.c mlx5dv_open_device(), hw/mlx5/devx.c. */
#include <errno.h>
#include <string.h>

#include "lib/diagnose/causes/tables.h"
#include "lib/diagnose/simulated.h"
#include "lib/verbs/device.h"
#include "lib/verbs/uverbs.h"

static bool opens_devx(const struct mr_inquiry *inquiry)
{
	return !strcmp(inquiry->refusal->call, "mlx5dv_open_device");
}

static void look_at_devx_device(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_environment *environment = inquiry->refusal->environment;

	if (!opens_devx(inquiry) || !environment || !environment->device[0])
		return;
	if (mr_inquiry_is_driver(inquiry, "mlx5")) {
		mr_rule_out(suspicion, "%s is an mlx5 device", environment->device);
		return;
	}
	mr_evidence_text(suspicion, "device", "%s", environment->device);
	mr_suspect(suspicion, MR_CERTAIN, "%s is no mlx5 device, and only those have DEVX",
		   environment->device);
}

/*
 * Opens the device as ibv_open_device() does, which takes a context without DEVX, too, and makes a call of DEVX
 * there.  Return: as mr_devx_try(); -ENODATA where it cannot be opened.
 */
static int try_devx(const struct mr_inquiry *inquiry)
{
	const char *name = inquiry->refusal->environment->device;
	struct mr_environment environment;
	struct mr_device device;
	struct mr_uverbs uverbs;
	struct mr_error ignored;
	uint32_t no_pd;
	int rc;

	mr_environment_init(&environment);
	if (inquiry->refusal->is_elsewhere || !name[0] ||
	    mr_is_simulated(inquiry->host) != mr_is_simulated(mr_this_host()) ||
	    mr_device_open_alone(name, &device, &environment, &ignored))
		return -ENODATA;
	uverbs = mr_device_uverbs(&device, &environment, &no_pd);
	rc = mr_devx_try(&uverbs);
	mr_device_close(&device);
	return rc;
}

/*
 * mlx5_ib_devx_create() answers EINVAL without log_max_uctx of the firmware, EOPNOTSUPP without the option of the
 * kernel.  In both cases the driver has no calls of DEVX (devx_is_supported()).
 */
static void look_at_devx(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_environment *environment = inquiry->refusal->environment;
	int rc;

	if (!opens_devx(inquiry) || !mr_inquiry_is_driver(inquiry, "mlx5"))
		return;
	mr_evidence_text(suspicion, "firmware", "%s", environment->firmware);
	rc = try_devx(inquiry);
	if (rc != -ENODATA)
		mr_evidence_text(suspicion, "devx_other", "%s",
				 rc ? mr_errno_name(-rc) ?: "?" : "ok");
	if (rc == -EPROTONOSUPPORT)
		mr_suspect(suspicion, MR_CERTAIN,
			   "a context for DEVX was asked for, and the driver of %s, which opens "
			   "without, has no calls of DEVX",
			   environment->device);
	else if (rc == -EINVAL)
		mr_suspect(suspicion, MR_LIKELY,
			   "a context for DEVX was asked for, and %s gives one without it",
			   environment->device);
	else if (!rc)
		mr_rule_out(suspicion, "%s, opened again, takes calls of DEVX",
			    environment->device);
	else
		mr_suspect(
			suspicion, MR_POSSIBLE,
			"a context for DEVX was asked for, and firmware %s or its driver may offer "
			"none",
			environment->firmware[0] ? environment->firmware : "of unknown version");
}

const struct mr_cause mr_causes_of_devx[] = {
	{ .id = "MR-DEVX-DEVICE",
	  .subject = "DEVX of a device that is no mlx5",
	  .operations = MR_ON(OPEN),
	  .errnums = { EOPNOTSUPP },
	  .layer = MR_LAYER_PROVIDER,
	  .frequency = MR_OCCASIONAL,
	  .look = look_at_devx_device,
	  .what = "DEVX and its umems are an interface of mlx5.  libmlx5 refuses to open other "
		  "devices, before it asks the kernel.",
	  .recognise = "The driver of the device: rdma dev; ls -l /sys/class/infiniband/*/device/"
		       "driver.",
	  .remedy = "choose an mlx5 device (--device), or register a memory region: mrctl reg",
	  .sources = "mlx5dv_open_device(3); rdma-core providers/mlx5/mlx5.c "
		     "mlx5dv_open_device()" },
	{ .id = "MR-DEVX",
	  .driver = "mlx5",
	  .subject = "DEVX of the firmware",
	  .operations = MR_ON(OPEN),
	  .errnums = { EINVAL, EOPNOTSUPP },
	  .layer = MR_LAYER_DRIVER,
	  .frequency = MR_RARE,
	  .look = look_at_devx,
	  .what = "A context for DEVX needs firmware with user contexts (log_max_uctx), and a "
		  "kernel whose mlx5_ib was built with CONFIG_INFINIBAND_USER_ACCESS.",
	  .recognise = "The device can be opened without DEVX (mrctl reg works), and mrctl stat "
		       "--device says that it has no DEVX.",
	  .remedy =
		  "try it without DEVX (mrctl reg); if that works, update the firmware, or enable "
		  "user contexts in it",
	  .sources = "drivers/infiniband/hw/mlx5/devx.c mlx5_ib_devx_create(); "
		     "mlx5dv_open_device(3)" },
	{ .id = NULL },
};
