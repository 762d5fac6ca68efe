// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "lib/base/cleanup.h"
#include "lib/host/uverbs_node.h"
#include "lib/verbs/device_reason.h"

#define PROVIDERS "/etc/libibverbs.d" /* IBV_CONFIG_DIR where rdma-core is packaged */

/* Files that libibverbs has open at once: a class in sysfs, a device in that class, and a file of that device. */
#define DESCRIPTORS 3

/* Tries to open as many files as libibverbs does.  Return: 0, or the errno of open(). */
static int try_descriptors(void)
{
	int fds[DESCRIPTORS], opened = 0, rc = 0;

	while (!rc && opened < DESCRIPTORS) {
		fds[opened] = open("/", O_PATH | O_CLOEXEC);
		if (fds[opened] < 0)
			rc = errno;
		else
			opened++;
	}
	while (opened-- > 0)
		close(fds[opened]);
	return rc;
}

static void hint_descriptors(int errnum, struct mr_error *err)
{
	if (errnum == EMFILE)
		mr_hint(err,
			"this process can open no more files: close some, or raise their limit "
			"(ulimit -n)");
	if (errnum == ENFILE)
		mr_hint(err, "this machine can open no more files: sysctl fs.file-max");
}

/* Tries to open a node.  Return: 0, or the errno of open(). */
static int open_node(const char *path)
{
	mr_auto_fd int fd = open(path, O_RDWR | O_CLOEXEC);

	return fd < 0 ? errno : 0;
}

static void hint_docker_device(const char *path, struct mr_error *err)
{
	mr_hint(err, "if this is a container, give it the node: docker run --device=%s", path);
}

static void hint_permission(const char *path, struct mr_error *err)
{
	struct stat st;

	if (!eaccess(path, R_OK | W_OK))
		mr_hint(err,
			"the permissions of %s allow it: is its file system mounted with nodev, or "
			"does a security module forbid it?",
			path);
	else if (errno == EACCES && !stat(path, &st))
		mr_hint(err,
			"read and write permission on %s is needed: it has mode %04o, user %u and "
			"group %u",
			path, st.st_mode & 07777, st.st_uid, st.st_gid);
	else
		mr_hint(err, "read and write permission on %s is needed", path);
}

/* The errnos are those of ib_uverbs_open(), and those of open(2) before that is called. */
static void hint_open(const char *path, int errnum, struct mr_error *err)
{
	switch (errnum) {
	case ENOENT:
		mr_hint(err,
			"%s is missing; if this is a container, give it the node: docker run "
			"--device=%s",
			path, path);
		break;
	case EACCES:
		hint_permission(path, err);
		break;
	case EPERM:
		mr_hint(err,
			"other rules than its permissions forbid %s: those of a device control "
			"group (docker run --device=%s; systemd DeviceAllow=)%s",
			path, path,
			mr_rdma_namespaces_are_exclusive(mr_this_host())
				? ", or the device is in another network namespace (rdma system)"
				: "");
		break;
	case ENXIO:
		mr_hint(err, "no device has the number of %s (any more): is it an old node?", path);
		break;
	case ENODEV:
		mr_hint(err, "the driver behind %s is being unloaded", path);
		break;
	case EIO:
		mr_hint(err, "the driver has left the device behind %s: was it removed or unbound?",
			path);
		break;
	default:
		hint_descriptors(errnum, err);
	}
}

/* libibverbs opens a node only where it is a character device with the number that sysfs shows. */
static bool hint_other_node(const struct mr_uverbs_node *node, struct mr_error *err)
{
	struct stat st;

	if (stat(node->path, &st))
		return false;
	if (!S_ISCHR(st.st_mode))
		mr_hint(err, "%s is no character device", node->path);
	else if (st.st_rdev != makedev(node->major, node->minor))
		mr_hint(err,
			"%s has the number %u:%u, but that of %s is %u:%u: it is an old node, or "
			"another device's",
			node->path, major(st.st_rdev), minor(st.st_rdev), node->device, node->major,
			node->minor);
	else
		return false;
	return true;
}

void mr_device_explain_open(const char *name, struct mr_error *err)
{
	struct mr_uverbs_node node = { .path = "" };
	bool known = mr_uverbs_node_read(mr_this_host(), name, &node);
	int errnum = open_node(node.path);

	if (!errnum && known)
		hint_other_node(&node, err);
	if (!errnum)
		return;
	if (err->errnum == ENOENT && errnum != ENOENT)
		mr_fail(err, err->kind, errnum, err->call, NULL);
	if (err->errnum == errnum)
		hint_open(node.path, errnum, err);
}

void mr_device_explain_import(struct mr_error *err)
{
	if (err->errnum == ENODEV)
		hint_descriptors(try_descriptors(), err);
}

/* The node is as it should be, so no provider took the device. */
static void hint_provider(const struct mr_uverbs_node *node, struct mr_error *err)
{
	char name[NAME_MAX + 1];

	if (mr_folder_find(mr_this_host(), PROVIDERS, ".driver", name, sizeof(name)))
		mr_hint(err,
			"its node %s is there, but none of the providers that " PROVIDERS
			" names took it: is its provider installed (Debian: ibverbs-providers), "
			"and can it be loaded?",
			node->path);
	else
		mr_hint(err,
			"its node %s is there, but " PROVIDERS
			" names no providers (Debian: ibverbs-providers)",
			node->path);
}

static int fail_elsewhere(const struct mr_uverbs_node *node, struct mr_error *err)
{
	mr_fail_text(err, MR_ERROR_ABSENT, ENODEV,
		     "the RDMA device %s is in another network namespace", node->device);
	mr_hint(err,
		"run mrctl there (ip netns exec, nsenter --net), or move the device: rdma dev set "
		"%s netns NAME",
		node->device);
	return -ENODEV;
}

/* The kernel has the device and its node, but libibverbs does not list it. */
static int fail_unlisted(const struct mr_uverbs_node *node, struct mr_error *err)
{
	struct stat st;

	if (!mr_rdma_device_is_in_namespace(mr_this_host(), node->device))
		return fail_elsewhere(node, err);
	if (!stat(node->path, &st)) {
		if (mr_rdma_namespaces_are_exclusive(mr_this_host()) &&
		    open_node(node->path) == EPERM)
			return fail_elsewhere(node, err);
		mr_fail_text(err, MR_ERROR_ABSENT, ENODEV,
			     "libibverbs has no provider for the RDMA device %s", node->device);
		hint_provider(node, err);
		return -ENODEV;
	}
	if (errno != ENOENT)
		return mr_fail(err, MR_ERROR_HOST, errno, "stat",
			       "cannot look at the node %s of the RDMA device %s", node->path,
			       node->device);
	mr_fail_text(err, MR_ERROR_ABSENT, ENODEV, "the node of the RDMA device %s is missing: %s",
		     node->device, node->path);
	hint_docker_device(node->path, err);
	return -ENODEV;
}

/* The kernel has the device, but no node by which programs could open it. */
static int fail_without_node(const char *device, bool loaded, struct mr_error *err)
{
	mr_fail_text(err, MR_ERROR_ABSENT, ENODEV, "programs cannot open the RDMA device %s: %s",
		     device, loaded ? "ib_uverbs has no node for it" : "ib_uverbs is not loaded");
	if (!loaded)
		mr_hint(err, "modprobe ib_uverbs");
	return -ENODEV;
}

static int fail_none(const char *name, const char *others, struct mr_error *err)
{
	char device[NAME_MAX + 1];

	if (others[0] ||
	    (name && mr_rdma_device_find(mr_this_host(), NULL, device, sizeof(device)))) {
		mr_fail_text(err, MR_ERROR_ABSENT, ENODEV, "no RDMA device '%s'", name);
		mr_hint(err, "there is: %s", others[0] ? others : device);
		return -ENODEV;
	}
	mr_fail_text(err, MR_ERROR_ABSENT, ENODEV, "this machine has no RDMA device%s%s%s",
		     name ? " '" : "", name ? name : "", name ? "'" : "");
	mr_hint(err, "load its driver (modprobe mlx5_ib, ...; 'rdma dev' lists devices), or "
		     "try the simulated HCA: mrctl sim -- mrctl ...");
	return -ENODEV;
}

int mr_device_fail_absent(const char *name, int list_errno, const char *others,
			  struct mr_error *err)
{
	int errnum = try_descriptors(), found;
	char device[NAME_MAX + 1];
	struct mr_uverbs_node node = { .path = "" };

	/* ENOSYS: libibverbs cannot read the class of nodes.  mr_uverbs_node_find() below finds out why. */
	if (!errnum && list_errno != ENOSYS)
		errnum = list_errno;
	if (errnum) {
		mr_fail(err, MR_ERROR_HOST, errnum, "ibv_get_device_list",
			"cannot look for RDMA devices");
		hint_descriptors(errnum, err);
		return -errnum;
	}
	found = mr_uverbs_node_find(mr_this_host(), name, &node);
	if (found > 0)
		return fail_unlisted(&node, err);
	if (found < 0 && found != -ENOENT)
		return mr_fail(err, MR_ERROR_HOST, -found, "opendir",
			       "cannot look for RDMA devices in sysfs");
	if (mr_rdma_device_find(mr_this_host(), name, device, sizeof(device)))
		return fail_without_node(device, !found, err);
	return fail_none(name, others, err);
}
