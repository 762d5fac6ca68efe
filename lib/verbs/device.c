// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <infiniband/mlx5dv.h>
#include <infiniband/verbs.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/host/root.h"
#include "lib/verbs/calls.h"
#include "lib/verbs/device.h"
#include "lib/verbs/device_reason.h"
#include "lib/verbs/drivers.h"

/* The text in node_desc of a simulated device begins like this (lib/sim/sysfs). */
#define SIMULATED_PREFIX "mrctl simulated HCA"

#define AUTO_LIST        __attribute__((cleanup(free_list)))

static void free_list(struct ibv_device ***list)
{
	if (*list)
		ibv_free_device_list(*list);
}

/* The provider is the library that has the context's functions, such as librxe-rdmav34.so or libmlx5.so. */
static void read_provider(const struct ibv_context *context, char *provider, size_t size)
{
	const char *base;
	Dl_info info;

	if (!dladdr((void *)(uintptr_t)context->ops.poll_cq, &info)) // NOLINT
		return;
	base = strrchr(info.dli_fname, '/');
	base = base ? base + 1 : info.dli_fname;
	if (!strncmp(base, "lib", 3))
		base += 3;
	snprintf(provider, size, "%.*s", (int)strcspn(base, "-."), base);
}

static bool is_simulated(const struct ibv_device *device)
{
	char line[80];

	return mr_host_line(mr_this_host(), line, sizeof(line),
			    "/sys/class/infiniband/%s/node_desc", device->name) &&
	       !strncmp(line, SIMULATED_PREFIX, strlen(SIMULATED_PREFIX));
}

/* Writes the names of all devices: "mlx5_0, mlx5_1". */
static void list_names(struct ibv_device **list, char *text, size_t size)
{
	size_t used = 0;

	for (int i = 0; list[i] && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "",
					 ibv_get_device_name(list[i]));
}

static int choose_device(struct ibv_device **list, int list_errno, const char *name,
			 struct ibv_device **chosen, struct mr_error *err)
{
	char names[256] = "";

	if (list)
		list_names(list, names, sizeof(names));
	if (!name && names[0] && list[1])
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				    "there are several RDMA devices, choose one with --device: %s",
				    names);
	for (int i = 0; list && list[i]; i++) {
		if (!name || !strcmp(ibv_get_device_name(list[i]), name)) {
			*chosen = list[i];
			return 0;
		}
	}
	return mr_device_fail_absent(name, list_errno, names, err);
}

static int open_context(struct ibv_device *chosen, struct mr_device *device, struct mr_error *err)
{
	errno = 0;
	device->context = ibv_open_device(chosen);
	return device->context
		       ? 0
		       : mr_fail(err, MR_ERROR_REFUSED, mr_call_errno(), "ibv_open_device", NULL);
}

static int open_devx_context(struct ibv_device *chosen, struct mr_device *device,
			     struct mr_error *err)
{
	struct mlx5dv_context_attr attr = { .flags = MLX5DV_CONTEXT_FLAGS_DEVX };

	errno = 0;
	device->context = mlx5dv_open_device(chosen, &attr);
	if (device->context)
		return 0;
	return mr_fail(err, MR_ERROR_REFUSED, mr_call_errno(), "mlx5dv_open_device", NULL);
}

int mr_device_alloc_pd(struct mr_device *device, struct mr_error *err)
{
	errno = 0;
	device->pd = ibv_alloc_pd(device->context);
	return device->pd ? 0
			  : mr_fail(err, MR_ERROR_REFUSED, mr_call_errno(), "ibv_alloc_pd", NULL);
}

/* Lists the devices, and finds one; @list is to be freed also where there is none. */
static int find_device(const char *name, struct ibv_device ***list, struct ibv_device **chosen,
		       struct mr_environment *environment, struct mr_error *err)
{
	int rc;

	errno = 0;
	*list = ibv_get_device_list(NULL);
	rc = choose_device(*list, *list ? 0 : mr_call_errno(), name, chosen, err);
	if (rc)
		return rc;
	snprintf(environment->device, sizeof(environment->device), "%s",
		 ibv_get_device_name(*chosen));
	environment->simulated = is_simulated(*chosen);
	mr_environment_find(environment);
	if (mlx5dv_is_supported(*chosen))
		snprintf(environment->provider, sizeof(environment->provider), "mlx5");
	return 0;
}

int mr_device_find(const char *name, struct mr_environment *environment, struct mr_error *err)
{
	AUTO_LIST struct ibv_device **list = NULL;
	struct ibv_device *chosen = NULL;

	return find_device(name, &list, &chosen, environment, err);
}

static int open_device(const char *name, bool devx, struct mr_device *device,
		       struct mr_environment *environment, struct mr_error *err)
{
	AUTO_LIST struct ibv_device **list = NULL;
	struct ibv_device *chosen = NULL;
	int rc;

	*device = (struct mr_device){ 0 };
	rc = find_device(name, &list, &chosen, environment, err);
	if (rc)
		return rc;
	rc = devx ? open_devx_context(chosen, device, err) : open_context(chosen, device, err);
	if (rc) {
		mr_device_explain_open(chosen->dev_name, err);
		return -err->errnum;
	}
	read_provider(device->context, environment->provider, sizeof(environment->provider));
	return 0;
}

int mr_device_open(const char *name, struct mr_device *device, struct mr_environment *environment,
		   struct mr_error *err)
{
	int rc = open_device(name, false, device, environment, err);

	if (!rc) {
		rc = mr_device_alloc_pd(device, err);
		if (rc)
			mr_device_close(device);
	}
	return rc;
}

int mr_device_open_alone(const char *name, struct mr_device *device,
			 struct mr_environment *environment, struct mr_error *err)
{
	return open_device(name, false, device, environment, err);
}

int mr_device_open_devx(const char *name, struct mr_device *device,
			struct mr_environment *environment, struct mr_error *err)
{
	return open_device(name, true, device, environment, err);
}

int mr_device_import(int fd, uint32_t pd_handle, struct mr_device *device, struct mr_error *err)
{
	/* The library closes the descriptor later, so it gets a copy; where it fails early, it does not. */
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 3), rc;

	*device = (struct mr_device){ .imported = true };
	if (copy < 0)
		return mr_fail(err, MR_ERROR_HOST, errno, "fcntl(F_DUPFD_CLOEXEC)", NULL);
	errno = 0;
	device->context = ibv_import_device(copy);
	if (!device->context) {
		rc = mr_fail(err, MR_ERROR_REFUSED, mr_call_errno(), "ibv_import_device", NULL);
		if (fcntl(copy, F_GETFD) >= 0)
			close(copy);
		return rc;
	}
	if (pd_handle == MR_NO_HANDLE)
		return 0;
	errno = 0;
	device->pd = ibv_import_pd(device->context, pd_handle);
	if (!device->pd) {
		rc = mr_fail(err, MR_ERROR_REFUSED, mr_call_errno(), "ibv_import_pd", NULL);
		mr_device_close(device);
		return rc;
	}
	return 0;
}

struct mr_uverbs mr_device_uverbs(const struct mr_device *device,
				  const struct mr_environment *environment, uint32_t *pd_handle)
{
	*pd_handle = device->pd ? device->pd->handle : MR_NO_HANDLE;
	return (struct mr_uverbs){ .fd = device->context->cmd_fd,
				   .driver_id = mr_driver_id(environment->provider) };
}

void mr_device_leave(struct mr_device *device)
{
	device->imported = true;
	mr_device_close(device);
}

void mr_device_close(struct mr_device *device)
{
	if (device->pd && device->imported)
		ibv_unimport_pd(device->pd);
	else if (device->pd)
		ibv_dealloc_pd(device->pd);
	if (device->context)
		ibv_close_device(device->context);
	*device = (struct mr_device){ 0 };
}
