// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <argz.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "lib/base/base.h"
#include "lib/host/host.h"

/* Ancestors that are looked at: a recording may have parents that lead in a circle. */
#define ANCESTORS 256

static void set_process(struct mr_memlock_origin *origin, uint64_t pid,
			const struct mr_process_status *status)
{
	origin->pid = pid;
	memcpy(origin->name, status->name, sizeof(origin->name));
	origin->parent_pid = status->parent.value;
}

int mr_memlock_trace(struct mr_host *host, const struct mr_rlimit *limit,
		     struct mr_memlock_origin *origin)
{
	struct mr_process_status status;
	char number[32] = "self";
	int rc = mr_process_status_read(host, number, &status);

	*origin = (struct mr_memlock_origin){ .trace = MR_MEMLOCK_FROM_START };
	if (rc)
		return rc;
	if (!status.parent.known)
		return -EINVAL;
	set_process(origin, 0, &status);
	if (mr_limits_have_memlock() && host->recording < 0 && !host->process) {
		origin->trace = MR_MEMLOCK_OWN;
		return 0;
	}
	for (int i = 0; i < ANCESTORS && origin->parent_pid; i++) {
		snprintf(number, sizeof(number), "%" PRIu64, origin->parent_pid);
		if (mr_process_status_read(host, number, &status) || !status.parent.known ||
		    mr_rlimit_read(host, number, MR_MEMLOCK, &origin->parents))
			origin->trace = MR_MEMLOCK_HIDDEN;
		else if (origin->parents.soft != limit->soft)
			origin->trace = MR_MEMLOCK_SET;
		if (origin->trace != MR_MEMLOCK_FROM_START) {
			memcpy(origin->parent, status.name, sizeof(origin->parent));
			break;
		}
		set_process(origin, origin->parent_pid, &status);
	}
	snprintf(number, sizeof(number), "%s", "self");
	if (origin->pid)
		snprintf(number, sizeof(number), "%" PRIu64, origin->pid);
	mr_unit_read(host, number, &origin->unit);
	return 0;
}

enum mr_tristate mr_memlock_is_lifted(struct mr_host *host)
{
	struct mr_process_status status;

	if (mr_process_status_read(host, "self", &status) || !status.effective.known)
		return MR_UNKNOWN;
	if (!(status.effective.value & MR_CAP_IPC_LOCK))
		return MR_NO;
	return mr_namespace_is_first(host, "user");
}

/* Return: 0, or the errno of open(). */
static int try_to_open(void)
{
	int fds[MR_LIBIBVERBS_DESCRIPTORS], opened = 0, rc = 0;

	while (!rc && opened < MR_LIBIBVERBS_DESCRIPTORS) {
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

/* A file gets the lowest number that is free, which must be below the limit (fs/file.c alloc_fd()). */
static int count_free(const struct mr_host *process, char *text, size_t size)
{
	struct mr_host host = mr_host_unrecorded(process);
	struct mr_rlimit limit;
	mr_auto_free char *names = NULL;
	uint64_t below = 0;
	size_t length;
	int rc = mr_rlimit_read(&host, "self", "Max open files", &limit);

	if (rc)
		return rc;
	rc = mr_host_names(&host, &names, &length, "/proc/self/fd");
	if (rc < 0)
		return rc;
	for (const char *name = NULL; (name = argz_next(names, length, name));)
		below += strtoull(name, NULL, 10) < limit.soft;
	snprintf(text, size, "error=%d limit=%" PRIu64,
		 limit.soft - below < MR_LIBIBVERBS_DESCRIPTORS ? EMFILE : 0, limit.soft);
	return 0;
}

static int answer(const struct mr_host *host, void *data, char *text, size_t size)
{
	struct rlimit limit = { RLIM_INFINITY, RLIM_INFINITY };

	(void)data;
	if (host->process)
		return count_free(host, text, size);
	getrlimit(RLIMIT_NOFILE, &limit);
	snprintf(text, size, "error=%d limit=%" PRIu64, try_to_open(), (uint64_t)limit.rlim_cur);
	return 0;
}

int mr_descriptors_try(struct mr_host *host, struct mr_descriptors *descriptors)
{
	char text[64];
	int rc = mr_host_query(host, answer, NULL, text, sizeof(text), "descriptors");

	if (!rc &&
	    sscanf(text, "error=%d limit=%" SCNu64, &descriptors->error, &descriptors->limit) != 2)
		rc = -EINVAL;
	return rc;
}

/* ---- /dev ---- */

/* A later mount hides those before it. */
static bool take_mount(const char *line, void *data)
{
	struct mr_dev_folder *folder = data;
	struct mr_mount mount;

	if (!mr_mount_parse(line, &mount) || strcmp(mount.point, "/dev") != 0)
		return false;
	memcpy(folder->type, mount.type, sizeof(folder->type));
	return true;
}

int mr_dev_folder_read(struct mr_host *host, struct mr_dev_folder *folder)
{
	int rc;

	*folder = (struct mr_dev_folder){ .type = "" };
	rc = mr_host_lines(host, take_mount, folder, "/proc/self/mountinfo");
	folder->is_hosts = !strcmp(folder->type, "devtmpfs");
	return rc;
}

static int answer_nodev(const struct mr_host *host, void *data, char *text, size_t size)
{
	char path[PATH_MAX];
	struct statvfs fs;
	int rc = mr_live_path(host, data, path);

	if (rc)
		return rc;
	if (statvfs(path, &fs))
		return -errno;
	snprintf(text, size, "%d", fs.f_flag & ST_NODEV ? 1 : 0);
	return 0;
}

enum mr_tristate mr_path_is_nodev(struct mr_host *host, const char *path)
{
	char text[8];

	if (mr_host_query(host, answer_nodev, (void *)path, text, sizeof(text), "nodev%s", path))
		return MR_UNKNOWN;
	return text[0] == '1' ? MR_YES : MR_NO;
}

/* ---- SELinux ---- */

/* Other security modules write their labels into the same file; those of SELinux have four parts at least. */
static bool is_selinux_label(const char *label)
{
	unsigned int colons = 0;

	for (; *label; label++)
		colons += *label == ':';
	return colons >= 3;
}

int mr_selinux_read(struct mr_host *host, enum mr_selinux *mode, char *label, size_t size)
{
	char text[16];
	ssize_t got;

	if (!mr_host_line(host, label, size, "/proc/self/attr/current") || !is_selinux_label(label))
		label[0] = '\0';
	mr_clean_text(label, size);
	*mode = label[0] ? MR_SELINUX_HIDDEN : MR_SELINUX_OFF;
	got = mr_host_read(host, text, sizeof(text), "/sys/fs/selinux/enforce");
	if (got == -ENOENT && (label[0] || mr_host_exists(host, "/sys/class")))
		return 0;
	if (got < 0)
		return (int)got;
	if ((text[0] != '0' && text[0] != '1') || (text[1] && text[1] != '\n'))
		return -EINVAL;
	*mode = text[0] == '1' ? MR_SELINUX_ENFORCING : MR_SELINUX_PERMISSIVE;
	return 0;
}

/* ---- groups ---- */

static int answer_group(const struct mr_host *host __attribute__((unused)), void *data, char *text,
			size_t size)
{
	char buffer[16384];
	struct group group, *found;
	int rc = getgrgid_r(*(const gid_t *)data, &group, buffer, sizeof(buffer), &found);

	if (rc || !found)
		return rc ? -rc : -ENOENT;
	snprintf(text, size, "%s", group.gr_name);
	return 0;
}

void mr_group_name(struct mr_host *host, uint32_t gid, char *name, size_t size)
{
	gid_t number = gid;

	if (mr_host_query(host, answer_group, &number, name, size, "group/%" PRIu32, gid))
		snprintf(name, size, "%" PRIu32, gid);
	mr_clean_text(name, size);
}

/* Linux 4.4.0 with this date until 2025, then 4.19.0-gvisor (gVisor's pkg/sentry/kernel/version.go). */
bool mr_sandbox_is_gvisor(struct mr_host *host, char *version, size_t size)
{
	return mr_host_line(host, version, size, "/proc/version") &&
	       (strstr(version, "gvisor") || strstr(version, "Sun Jan 10 15:06:54 PST 2016"));
}

/* Answers whether a variable is set, and not to "0"; its value is not recorded. */
static int is_set(const struct mr_host *host, void *data, char *text, size_t size)
{
	const char *value = getenv(data);
	char others[8];
	int rc;

	if (host->process) {
		rc = mr_process_variable(host->process, data, others, sizeof(others));
		if (rc < 0)
			return rc;
		value = rc ? others : NULL;
	}
	snprintf(text, size, "%s", !value ? "unset" : strcmp(value, "0") ? "set" : "0");
	return 0;
}

static bool query_variable(struct mr_host *host, const char *name, bool zero_counts)
{
	char answer[8];

	return !mr_host_query(host, is_set, (void *)name, answer, sizeof(answer), "environment/%s",
			      name) &&
	       (!strcmp(answer, "set") || (zero_counts && !strcmp(answer, "0")));
}

void mr_fork_read(struct mr_host *host, struct mr_fork *fork)
{
	const bool is_safe = query_variable(host, "RDMAV_FORK_SAFE", false);

	fork->is_requested = query_variable(host, "IBV_FORK_SAFE", false) || is_safe;
	fork->huge_pages = query_variable(host, "RDMAV_HUGEPAGES_SAFE", true);
}
