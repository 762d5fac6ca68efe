// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <grp.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>

#include "lib/base/base.h"
#include "lib/host/live.h"
#include "lib/host/sandbox.h"

/* ---- /dev ---- */

/* A later mount hides those before it. */
static bool take_mount(const char *line, void *data)
{
	struct mr_dev_folder *folder = data;
	const char *rest = strstr(line, " - ");
	char mount[8];
	int end = 0;

	if (!rest || sscanf(line, "%*s %*s %*s %*s %7s%n", mount, &end) != 1 || line[end] != ' ' ||
	    strcmp(mount, "/dev") != 0)
		return false;
	return sscanf(rest, " - %31s", folder->type) == 1;
}

int mr_dev_folder_read(struct mr_host *host, struct mr_dev_folder *folder)
{
	int rc;

	*folder = (struct mr_dev_folder){ .type = "" };
	rc = mr_host_lines(host, "/proc/self/mountinfo", take_mount, folder);
	mr_clean_text(folder->type, sizeof(folder->type));
	folder->is_hosts = !strcmp(folder->type, "devtmpfs");
	return rc;
}

struct place {
	const struct mr_host *host;
	const char *path;
};

static int answer_nodev(void *data, char *text, size_t size)
{
	const struct place *place = data;
	char path[PATH_MAX];
	struct statvfs fs;
	int rc = mr_live_path(mr_host_viewer(place->host), place->path, path);

	if (rc)
		return rc;
	if (statvfs(path, &fs))
		return -errno;
	snprintf(text, size, "%d", fs.f_flag & ST_NODEV ? 1 : 0);
	return 0;
}

enum mr_tristate mr_path_is_nodev(struct mr_host *host, const char *path)
{
	struct place place = { host, path };
	char question[PATH_MAX], text[8];

	snprintf(question, sizeof(question), "nodev%s", path);
	if (mr_host_ask(host, question, answer_nodev, &place, text, sizeof(text)))
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

static int answer_group(void *data, char *text, size_t size)
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
	char question[32];
	gid_t number = gid;

	snprintf(question, sizeof(question), "group/%" PRIu32, gid);
	if (mr_host_ask(host, question, answer_group, &number, name, size))
		snprintf(name, size, "%" PRIu32, gid);
	mr_clean_text(name, size);
}

/* Linux 4.4.0 with this date until 2025, then 4.19.0-gvisor (gVisor's pkg/sentry/kernel/version.go). */
bool mr_sandbox_is_gvisor(struct mr_host *host, char *version, size_t size)
{
	return mr_host_line(host, version, size, "/proc/version") &&
	       (strstr(version, "gvisor") || strstr(version, "Sun Jan 10 15:06:54 PST 2016"));
}
