// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <infiniband/mlx5dv.h>
#include <infiniband/verbs.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "lib/base/base.h"
#include "lib/host/host.h"
#include "lib/host/reading.h"
#include "lib/simulator/spec.h"
#include "lib/verbs/verbs.h"

/* Tries to open a node.  Return: 0, or the errno of open(). */
static int open_node(const char *path)
{
	mr_auto_fd int fd = open(path, O_RDWR | O_CLOEXEC);

	return fd < 0 ? errno : 0;
}

/* Records that this process has no such device. */
#define FAIL_ABSENT(err, ...) mr_fail_text(err, MR_ERROR_ABSENT, ENODEV, __VA_ARGS__)

/* The kernel has the device and its node, but libibverbs does not list it. */
static int fail_unlisted(const struct mr_rdma_node *node, struct mr_error *err)
{
	struct mr_host *host = mr_this_host();
	struct mr_rdma_netns netns;
	char device[NAME_MAX + 1];
	const bool is_here = mr_rdma_device_find(host, node->device, device, sizeof(device));
	struct stat st;

	if (is_here && stat(node->path, &st)) {
		if (errno != ENOENT)
			return mr_fail(err, MR_ERROR_HOST, errno, "stat",
				       "cannot examine the node %s of the RDMA device %s",
				       node->path, node->device);
		return FAIL_ABSENT(err, "the node of the RDMA device %s is missing: %s",
				   node->device, node->path);
	}
	mr_rdma_netns_read(host, &netns);
	if (!is_here || (netns.is_exclusive == MR_YES && open_node(node->path) == EPERM))
		return FAIL_ABSENT(err, "the RDMA device %s is in another network namespace",
				   node->device);
	return FAIL_ABSENT(err, "libibverbs has no provider for the RDMA device %s", node->device);
}

static int find_reason(const char *name, int list_errno, const char *others, struct mr_error *err)
{
	struct mr_descriptors descriptors;
	struct mr_rdma_node node = { .path = "" };
	char device[NAME_MAX + 1];
	int errnum = 0, found;

	if (!mr_descriptors_try(mr_this_host(), &descriptors))
		errnum = descriptors.error;
	/* ENOSYS: libibverbs cannot read the class of nodes.  mr_uverbs_node_find() below finds out why. */
	if (!errnum && list_errno != ENOSYS)
		errnum = list_errno;
	if (errnum)
		return mr_fail(err, MR_ERROR_HOST, errnum, "ibv_get_device_list",
			       "cannot look for RDMA devices");
	found = mr_uverbs_node_find(mr_this_host(), name, &node);
	if (found > 0)
		return fail_unlisted(&node, err);
	if (found < 0 && found != -ENOENT)
		return mr_fail(err, MR_ERROR_HOST, -found, "opendir",
			       "cannot look for RDMA devices in sysfs");
	if (mr_rdma_device_find(mr_this_host(), name, device, sizeof(device)))
		return FAIL_ABSENT(err, "programs cannot open the RDMA device %s: %s", device,
				   !found ? "ib_uverbs has no node for the device"
					  : "ib_uverbs is not loaded");
	if (others[0] ||
	    (name && mr_rdma_device_find(mr_this_host(), NULL, device, sizeof(device))))
		return FAIL_ABSENT(err, "no RDMA device '%s'", name);
	return FAIL_ABSENT(err, "this machine has no RDMA device%s%s%s", name ? " '" : "",
			   name ? name : "", name ? "'" : "");
}

int mr_device_fail_absent(const char *name, int list_errno, const char *others,
			  struct mr_error *err)
{
	const int rc = find_reason(name, list_errno, others, err);

	if (err->kind == MR_ERROR_ABSENT)
		err->shown_by = "ibv_get_device_list";
	return rc;
}

/* The text in node_desc of a simulated device begins like this (lib/sim/sysfs.txt). */
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
	base = basename(info.dli_fname);
	if (!strncmp(base, "lib", 3))
		base += 3;
	snprintf(provider, size, "%.*s", (int)strcspn(base, "-."), base);
}

static int choose_device(struct ibv_device **list, int list_errno, const char *name,
			 struct ibv_device **chosen, struct mr_error *err)
{
	char names[256] = "";

	for (int i = 0; list && list[i]; i++)
		mr_text_add(names, sizeof(names), ", ", "%s", ibv_get_device_name(list[i]));
	if (!name && names[0] && list[1])
		return mr_fail_usage(
			err, "several RDMA devices exist; choose one with --device: %s", names);
	for (int i = 0; list && list[i]; i++) {
		if (!name || !strcmp(ibv_get_device_name(list[i]), name)) {
			*chosen = list[i];
			return 0;
		}
	}
	return mr_device_fail_absent(name, list_errno, names, err);
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
	int list_errno, rc;
	char line[80];

	errno = 0;
	*list = ibv_get_device_list(NULL);
	list_errno = mr_call_errno();
	/* libibverbs omits a device if its provider lacked memory.  Other errnos of a success are meaningless. */
	if (*list && list_errno != ENOMEM)
		list_errno = 0;
	rc = choose_device(*list, list_errno, name, chosen, err);
	if (rc)
		return rc;
	snprintf(environment->device, sizeof(environment->device), "%s",
		 ibv_get_device_name(*chosen));
	environment->simulated =
		mr_host_line(mr_this_host(), line, sizeof(line),
			     "/sys/class/infiniband/%s/node_desc", (*chosen)->name) &&
		!strncmp(line, SIMULATED_PREFIX, strlen(SIMULATED_PREFIX));
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

int mr_device_open_alone(const char *name, bool devx, struct mr_device *device,
			 struct mr_environment *environment, struct mr_error *err)
{
	struct mlx5dv_context_attr attr = { .flags = MLX5DV_CONTEXT_FLAGS_DEVX };
	char node[sizeof(((struct mr_rdma_node *)0)->path)];
	AUTO_LIST struct ibv_device **list = NULL;
	struct ibv_device *chosen = NULL;
	int errnum, of_node, rc;

	*device = (struct mr_device){ 0 };
	rc = find_device(name, &list, &chosen, environment, err);
	if (rc)
		return rc;
	errno = 0;
	device->context = devx ? mlx5dv_open_device(chosen, &attr) : ibv_open_device(chosen);
	if (!device->context) {
		errnum = mr_call_errno();
		/*
		 * Where libibverbs cannot open the node, it tries /dev/char, and reports the errno of that, ENOENT
		 * (rdma-core 44 to 65, util/open_cdev.c).
		 */
		snprintf(node, sizeof(node), MR_UVERBS_NODES "%s", chosen->dev_name);
		of_node = open_node(node);
		return mr_fail(err, MR_ERROR_REFUSED,
			       errnum == ENOENT && of_node ? of_node : errnum,
			       devx ? "mlx5dv_open_device" : "ibv_open_device", NULL);
	}
	read_provider(device->context, environment->provider, sizeof(environment->provider));
	return 0;
}

int mr_device_open(const char *name, struct mr_device *device, struct mr_environment *environment,
		   struct mr_error *err)
{
	int rc = mr_device_open_alone(name, false, device, environment, err);

	if (!rc) {
		rc = mr_device_alloc_pd(device, err);
		if (rc)
			mr_device_close(device);
	}
	return rc;
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

bool mr_rdma_core_version(const char *path, char *version, size_t size)
{
	const char *p = strstr(basename(path), ".so.");

	for (int numbers = 0; p && numbers < 2; numbers++)
		p = strchr(p + (numbers ? 1 : strlen(".so.")), '.');
	if (p)
		snprintf(version, size, "%.*s", (int)strcspn(p + 1, " "), p + 1);
	return p;
}

static struct mr_opt_u64 limit_of(rlim_t limit)
{
	return (struct mr_opt_u64){ limit, limit != RLIM_INFINITY };
}

void mr_environment_init(struct mr_environment *environment)
{
	struct rlimit memlock = { RLIM_INFINITY, RLIM_INFINITY };
	mr_auto_free char *library = NULL;
	struct utsname name;
	Dl_info info;

	*environment = (struct mr_environment){ .mrctl = MRCTL_VERSION,
						.uid = { getuid(), true },
						.euid = { geteuid(), true } };
	if (!uname(&name))
		snprintf(environment->kernel, sizeof(environment->kernel), "%s", name.release);
	if (dladdr((void *)(uintptr_t)ibv_get_device_list, &info)) // NOLINT
		library = realpath(info.dli_fname, NULL);
	if (library)
		mr_rdma_core_version(library, environment->rdma_core,
				     sizeof(environment->rdma_core));
	getrlimit(RLIMIT_MEMLOCK, &memlock);
	environment->memlock_soft = limit_of(memlock.rlim_cur);
	environment->memlock_hard = limit_of(memlock.rlim_max);
}

void mr_environment_find(struct mr_environment *environment)
{
	const char *kernel = getenv(MR_SIM_KERNEL_VARIABLE);

	/* The name of a session's device comes from its table, which any process of the session can write. */
	environment->firmware[0] = '\0';
	if (!strchr(environment->device, '/'))
		mr_host_line(mr_this_host(), environment->firmware, sizeof(environment->firmware),
			     "/sys/class/infiniband/%s/fw_ver", environment->device);
	if (environment->simulated)
		snprintf(environment->simulated_kernel, sizeof(environment->simulated_kernel), "%s",
			 kernel ? kernel : mr_sim_kernels[0].name);
}

enum mr_tristate mr_provider_has(struct ibv_context *context, enum mr_provider_operation operation)
{
	struct verbs_context *table = verbs_get_ctx(context);
	void *functions[] = {
		[MR_PROVIDER_ALLOC_DM] = table ? (void *)table->alloc_dm : NULL,
		[MR_PROVIDER_REG_DM_MR] = table ? (void *)table->reg_dm_mr : NULL,
		[MR_PROVIDER_ALLOC_NULL_MR] = table ? (void *)table->alloc_null_mr : NULL,
		[MR_PROVIDER_ADVISE_MR] = table ? (void *)table->advise_mr : NULL,
	};
	void *function = functions[operation];
	const char *file;
	Dl_info info;

	if (!function || !dladdr(function, &info) || !info.dli_fname)
		return MR_UNKNOWN;
	/* A provider may name a function of libibverbs that calls the kernel, as rxe does with ibv_cmd_advise_mr(). */
	if (info.dli_saddr == function && !strncmp(info.dli_sname, "ibv_cmd_", strlen("ibv_cmd_")))
		return MR_YES;
	file = basename(info.dli_fname);
	/* Where this process is traced, the agent's functions hide those of the provider (lib/trace/agent/calls.c). */
	if (!strncmp(file, "libmrctl-trace.so", strlen("libmrctl-trace.so")))
		return MR_UNKNOWN;
	return strncmp(file, "libibverbs.so", strlen("libibverbs.so")) ? MR_YES : MR_NO;
}
