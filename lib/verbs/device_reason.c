// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/base.h"
#include "lib/host/descriptors.h"
#include "lib/host/uverbs_node.h"
#include "lib/verbs/device_reason.h"

/* Tries to open a node.  Return: 0, or the errno of open(). */
static int open_node(const char *path)
{
	mr_auto_fd int fd = open(path, O_RDWR | O_CLOEXEC);

	return fd < 0 ? errno : 0;
}

void mr_device_explain_open(const char *name, struct mr_error *err)
{
	struct mr_uverbs_node node = { .path = "" };
	int errnum;

	mr_uverbs_node_read(mr_this_host(), name, &node);
	errnum = open_node(node.path);
	if (err->errnum == ENOENT && errnum && errnum != ENOENT)
		mr_fail(err, err->kind, errnum, err->call, NULL);
}

static int fail_absent(struct mr_error *err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
static int fail_absent(struct mr_error *err, const char *fmt, ...)
{
	char text[sizeof(err->text)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	mr_fail_text(err, MR_ERROR_ABSENT, ENODEV, "%s", text);
	err->shown_by = "ibv_get_device_list";
	return -ENODEV;
}

static int fail_elsewhere(const struct mr_uverbs_node *node, struct mr_error *err)
{
	return fail_absent(err, "the RDMA device %s is in another network namespace", node->device);
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
		return fail_absent(err, "libibverbs has no provider for the RDMA device %s",
				   node->device);
	}
	if (errno != ENOENT)
		return mr_fail(err, MR_ERROR_HOST, errno, "stat",
			       "cannot look at the node %s of the RDMA device %s", node->path,
			       node->device);
	return fail_absent(err, "the node of the RDMA device %s is missing: %s", node->device,
			   node->path);
}

/* The kernel has the device, but no node by which programs could open it. */
static int fail_without_node(const char *device, bool loaded, struct mr_error *err)
{
	return fail_absent(err, "programs cannot open the RDMA device %s: %s", device,
			   loaded ? "ib_uverbs has no node for it" : "ib_uverbs is not loaded");
}

static int fail_none(const char *name, const char *others, struct mr_error *err)
{
	char device[NAME_MAX + 1];

	if (others[0] ||
	    (name && mr_rdma_device_find(mr_this_host(), NULL, device, sizeof(device))))
		return fail_absent(err, "no RDMA device '%s'", name);
	return fail_absent(err, "this machine has no RDMA device%s%s%s", name ? " '" : "",
			   name ? name : "", name ? "'" : "");
}

int mr_device_fail_absent(const char *name, int list_errno, const char *others,
			  struct mr_error *err)
{
	struct mr_descriptors descriptors;
	struct mr_uverbs_node node = { .path = "" };
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
		return fail_without_node(device, !found, err);
	return fail_none(name, others, err);
}
