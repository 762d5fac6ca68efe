// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "lib/base/cleanup.h"
#include "lib/verbs/device_reason.h"

#define NODES     "/dev/infiniband/"
#define PROVIDERS "/etc/libibverbs.d" /* IBV_CONFIG_DIR where rdma-core is packaged */

/* libibverbs has so many files open at once: a class in sysfs, a device in it, and a file in that. */
#define DESCRIPTORS 3

/* A device of the kernel, as programs open it. */
struct node {
	char path[sizeof(NODES) + NAME_MAX];
	char device[64]; /* "mlx5_0" */
	unsigned int major, minor;
};

static void path_in_sysfs(char *path, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static void path_in_sysfs(char *path, size_t size, const char *fmt, ...)
{
	const char *root = getenv("SYSFS_PATH");
	int used = snprintf(path, size, "%s/", root ? root : "/sys");
	va_list ap;

	if (used < 0 || (size_t)used >= size)
		return;
	va_start(ap, fmt);
	vsnprintf(path + used, size - (size_t)used, fmt, ap);
	va_end(ap);
}

static bool read_line(const char *path, char *line, int size)
{
	FILE *f = fopen(path, "re");
	bool read = f && fgets(line, size, f);

	if (f)
		fclose(f);
	if (read)
		line[strcspn(line, "\n")] = '\0';
	return read;
}

/* The node's device and number, by the class of nodes in sysfs, which is the same in all namespaces. */
static bool read_node(const char *name, struct node *node)
{
	char path[PATH_MAX], number[32];

	snprintf(node->path, sizeof(node->path), NODES "%s", name);
	path_in_sysfs(path, sizeof(path), "class/infiniband_verbs/%s/ibdev", name);
	if (!read_line(path, node->device, sizeof(node->device)))
		return false;
	path_in_sysfs(path, sizeof(path), "class/infiniband_verbs/%s/dev", name);
	return read_line(path, number, sizeof(number)) &&
	       sscanf(number, "%u:%u", &node->major, &node->minor) == 2;
}

static void close_folder(DIR **folder)
{
	if (*folder)
		closedir(*folder);
}

/* Of that device, or of any: 1, 0 where there is none, or -errno of reading the class. */
static int find_node(const char *device, struct node *node)
{
	__attribute__((cleanup(close_folder))) DIR *folder = NULL;
	const struct dirent *entry;
	char path[PATH_MAX];

	path_in_sysfs(path, sizeof(path), "class/infiniband_verbs");
	folder = opendir(path);
	if (!folder)
		return -errno;
	while ((entry = readdir(folder)))
		if (entry->d_name[0] != '.' && read_node(entry->d_name, node) &&
		    (!device || !strcmp(device, node->device)))
			return 1;
	return 0;
}

/* Whether the folder has an entry that ends so; @name gets it. */
static bool has_entry(const char *path, const char *end, char *name, size_t size)
{
	__attribute__((cleanup(close_folder))) DIR *folder = opendir(path);
	const struct dirent *entry;

	while (folder && (entry = readdir(folder))) {
		size_t length = strlen(entry->d_name);

		if (entry->d_name[0] == '.' || length < strlen(end) ||
		    strcmp(entry->d_name + length - strlen(end), end) != 0)
			continue;
		snprintf(name, size, "%s", entry->d_name);
		return true;
	}
	return false;
}

/* Of this network namespace: the class of devices in sysfs shows no others. */
static bool is_in_namespace(const char *device)
{
	char path[PATH_MAX];

	path_in_sysfs(path, sizeof(path), "class/infiniband/%s", device);
	return !access(path, F_OK) || errno != ENOENT;
}

/* ib_core's parameter follows "rdma system set netns". */
static bool has_exclusive_namespaces(void)
{
	char path[PATH_MAX], line[8];

	path_in_sysfs(path, sizeof(path), "module/ib_core/parameters/netns_mode");
	return read_line(path, line, sizeof(line)) && line[0] == 'N';
}

/* 0, or the errno with which there are no more descriptors. */
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

static int open_node(const char *path)
{
	mr_auto_fd int fd = open(path, O_RDWR | O_CLOEXEC);

	return fd < 0 ? errno : 0;
}

static void hint_passing(const char *path, struct mr_error *err)
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

/* ib_uverbs_open(), and what comes before it */
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
			has_exclusive_namespaces()
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

/* libibverbs takes no other file for the node. */
static bool hint_other_node(const struct node *node, struct mr_error *err)
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
	struct node node = { .path = "" };
	bool known = read_node(name, &node);
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

/* No provider took it: its other files are in order. */
static void hint_provider(const struct node *node, struct mr_error *err)
{
	char name[NAME_MAX + 1];

	if (has_entry(PROVIDERS, ".driver", name, sizeof(name)))
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

static int fail_elsewhere(const struct node *node, struct mr_error *err)
{
	mr_fail_text(err, MR_ERROR_ABSENT, ENODEV,
		     "the RDMA device %s is in another network namespace", node->device);
	mr_hint(err,
		"run mrctl there (ip netns exec, nsenter --net), or move the device: rdma dev set "
		"%s netns NAME",
		node->device);
	return -ENODEV;
}

/* The kernel has it, and libibverbs does not list it. */
static int fail_unlisted(const struct node *node, struct mr_error *err)
{
	struct stat st;

	if (!is_in_namespace(node->device))
		return fail_elsewhere(node, err);
	if (!stat(node->path, &st)) {
		if (has_exclusive_namespaces() && open_node(node->path) == EPERM)
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
	hint_passing(node->path, err);
	return -ENODEV;
}

/* The kernel has a device, and nothing for programs to open it by. */
static int fail_without_node(const char *device, bool loaded, struct mr_error *err)
{
	mr_fail_text(err, MR_ERROR_ABSENT, ENODEV, "programs cannot open the RDMA device %s: %s",
		     device, loaded ? "ib_uverbs has no node for it" : "ib_uverbs is not loaded");
	if (!loaded)
		mr_hint(err, "modprobe ib_uverbs");
	return -ENODEV;
}

/* Whether the kernel has that device, or any; with a node or not. */
static bool has_device(const char *name, char *device, size_t size)
{
	char path[PATH_MAX];

	path_in_sysfs(path, sizeof(path), "class/infiniband");
	if (!name)
		return has_entry(path, "", device, size);
	snprintf(device, size, "%s", name);
	path_in_sysfs(path, sizeof(path), "class/infiniband/%s", name);
	return name[0] && !strchr(name, '/') && !access(path, F_OK);
}

static int fail_none(const char *name, const char *others, struct mr_error *err)
{
	char device[NAME_MAX + 1];

	if (others[0] || (name && has_device(NULL, device, sizeof(device)))) {
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
	struct node node = { .path = "" };

	/* ENOSYS: it cannot read the class, which is looked at below. */
	if (!errnum && list_errno != ENOSYS)
		errnum = list_errno;
	if (errnum) {
		mr_fail(err, MR_ERROR_HOST, errnum, "ibv_get_device_list",
			"cannot look for RDMA devices");
		hint_descriptors(errnum, err);
		return -errnum;
	}
	found = find_node(name, &node);
	if (found > 0)
		return fail_unlisted(&node, err);
	if (found < 0 && found != -ENOENT)
		return mr_fail(err, MR_ERROR_HOST, -found, "opendir",
			       "cannot look for RDMA devices in sysfs");
	if (has_device(name, device, sizeof(device)))
		return fail_without_node(device, !found, err);
	return fail_none(name, others, err);
}
