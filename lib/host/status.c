// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/base.h"
#include "lib/host/reading.h"

#define LINE(name, member, ...) MR_FIGURE(struct mr_process_status, name ":", member, __VA_ARGS__)

/* Uid and Gid have the real, effective, saved and file system's. */
static const struct mr_figure status_figures[] = {
	LINE("Tgid", process),
	LINE("PPid", parent),
	LINE("Uid", uid, .index = 1),
	LINE("Gid", gid, .index = 1),
	LINE("VmSize", mapped, .shift = 10),
	LINE("VmData", data, .shift = 10),
	LINE("VmLck", locked, .shift = 10),
	LINE("VmPin", pinned, .shift = 10),
	LINE("CapPrm", permitted, .base = 16),
	LINE("CapEff", effective, .base = 16),
	LINE("CapBnd", bounding, .base = 16),
	LINE("NoNewPrivs", no_new_privs),
	LINE("Seccomp", seccomp),
	LINE("Threads", threads),
	{ .name = NULL },
};

static void read_groups(const char *text, struct mr_process_status *status)
{
	char *end;

	for (; status->group_count < MR_STATUS_GROUPS; text = end) {
		const unsigned long group = strtoul(text, &end, 10);

		if (end == text)
			return;
		status->groups[status->group_count++] = (uint32_t)group;
	}
}

static bool take_status(const char *text, void *data)
{
	struct mr_process_status *status = data;

	if (mr_figures_take(text, status_figures, status))
		return true;
	if (!strncmp(text, "Groups:", 7)) {
		read_groups(text + 7, status);
		return true;
	}
	if (strncmp(text, "Name:", 5) != 0)
		return false;
	text += 5 + strspn(text + 5, " \t");
	snprintf(status->name, sizeof(status->name), "%s", text);
	mr_clean_text(status->name, sizeof(status->name));
	return true;
}

int mr_process_status_read(struct mr_host *host, const char *process,
			   struct mr_process_status *status)
{

	*status = (struct mr_process_status){ 0 };
	return mr_host_lines(host, take_status, status, "/proc/%s/status", process);
}

pid_t mr_process_of_thread(pid_t thread)
{
	struct mr_process_status status;
	char number[16];

	snprintf(number, sizeof(number), "%d", (int)thread);
	mr_process_status_read(mr_this_host(), number, &status);
	return (pid_t)status.process.value;
}

static bool is_in_group(const struct mr_process_status *process, uint32_t gid)
{
	if (process->gid.known && process->gid.value == gid)
		return true;
	for (unsigned int i = 0; i < process->group_count; i++)
		if (process->groups[i] == gid)
			return true;
	return false;
}

/* The first class that fits applies, as in acl_permission_check() of the kernel's fs/namei.c. */
bool mr_process_may_write(const struct mr_process_status *process,
			  const struct mr_host_status *file)
{
	uint32_t bits = file->mode;

	if (process->effective.known && process->effective.value & MR_CAP_DAC_OVERRIDE)
		return true;
	if (process->uid.known && process->uid.value == file->uid)
		bits >>= 6;
	else if (is_in_group(process, file->gid))
		bits >>= 3;
	return (bits & 6) == 6;
}

struct mr_opt_u64 mr_process_start(struct mr_host *host, const char *process)
{
	struct mr_process_stat stat;
	char text[1024];

	if (mr_host_read(host, text, sizeof(text), "/proc/%s/stat", process) <= 0 ||
	    !mr_process_stat_parse(text, &stat))
		return (struct mr_opt_u64){ 0, false };
	return (struct mr_opt_u64){ stat.start, true };
}

uint64_t mr_process_ticks(void)
{
	const uint64_t ns = mr_clock_ns(CLOCK_BOOTTIME);

	/* As nsec_to_clock_t() of the kernel's kernel/time/time.c: the last tick counts. */
	return ns / (UINT64_C(1000000000) / (uint64_t)sysconf(_SC_CLK_TCK));
}

struct namespace_inode {
	const char *type;
	uint32_t inode;
};

static const struct namespace_inode first[] = {
	{ "user", 0xEFFFFFFD },
	{ "pid", 0xEFFFFFFC },
	{ "cgroup", 0xEFFFFFFB },
};

enum mr_tristate mr_namespace_is_first(struct mr_host *host, const char *type)
{
	uint64_t inside, outside, count;
	char line[128];
	uint32_t inode;
	size_t i = 0;

	while (strcmp(first[i].type, type) != 0)
		i++;
	if (mr_host_link(host, line, sizeof(line), "/proc/self/ns/%s", type) &&
	    sscanf(line, "%*[a-z]:[%" SCNu32 "]", &inode) == 1)
		return inode == first[i].inode ? MR_YES : MR_NO;
	/* The first user namespace maps all numbers to themselves, user_namespaces(7). */
	if (strcmp(type, "user") != 0 ||
	    !mr_host_line(host, line, sizeof(line), "/proc/self/uid_map") ||
	    sscanf(line, "%" SCNu64 " %" SCNu64 " %" SCNu64, &inside, &outside, &count) != 3)
		return MR_UNKNOWN;
	return !inside && !outside && count == UINT32_MAX ? MR_YES : MR_NO;
}

int mr_rlimit_read(struct mr_host *host, const char *process, const char *name,
		   struct mr_rlimit *limit)
{
	struct {
		struct mr_opt_u64 soft, hard;
	} found = { .soft = { 0 } };
	const struct mr_figure rows[] = {
		MR_FIGURE(__typeof__(found), name, soft),
		MR_FIGURE(__typeof__(found), name, hard, .index = 1),
		{ .name = NULL },
	};
	const int rc = mr_host_figures(host, rows, &found, "/proc/%s/limits", process);

	*limit = (struct mr_rlimit){ found.soft.value, found.hard.value };
	return rc ?: found.soft.known && found.hard.known ? 0 : -EINVAL;
}

/* Container engines give their groups the id of the container, in hexadecimal; people use its beginning. */
#define ID_LENGTH    64
#define SHORT_LENGTH 12

static bool has_suffix(const char *part, size_t length, const char *suffix)
{
	size_t size = strlen(suffix);

	return length > size && !memcmp(part + length - size, suffix, size);
}

/* "docker-ID.scope", "cri-containerd-ID.scope", "libpod-ID.scope"; without systemd the folder is just "ID" */
static bool is_container(const char *part, size_t length, struct mr_unit *unit)
{
	const char *id;
	size_t prefix;

	if (has_suffix(part, length, ".scope"))
		length -= strlen(".scope");
	if (length < ID_LENGTH)
		return false;
	prefix = length - ID_LENGTH;
	id = part + prefix;
	for (size_t i = 0; i < ID_LENGTH; i++)
		if (!isxdigit((unsigned char)id[i]))
			return false;
	if (prefix && id[-1] != '-')
		return false;
	snprintf(unit->container, sizeof(unit->container), "%.*s", ID_LENGTH, id);
	snprintf(unit->name, sizeof(unit->name), "%.*s%.*s", prefix ? (int)prefix : 10,
		 prefix ? part : "container-", SHORT_LENGTH, id);
	return true;
}

/* Slurm's own groups: slurmstepd.scope/job_42/step_0/... */
static bool is_job(const char *part, size_t length, struct mr_unit *unit)
{
	static const char prefix[] = "job_";
	size_t size = strlen(prefix);

	if (length <= size || strncmp(part, prefix, size) != 0 ||
	    strspn(part + size, "0123456789") != length - size)
		return false;
	snprintf(unit->name, sizeof(unit->name), "slurm-job-%.*s", (int)(length - size),
		 part + size);
	return true;
}

static void name_unit(const char *path, struct mr_unit *unit)
{
	bool is_owner =
		false; /* the outermost container or job counts, else the innermost unit of systemd */

	for (const char *part = path; (part = strchr(part, '/'));) {
		const size_t length = strcspn(++part, "/");
		const bool is_service = has_suffix(part, length, ".service");

		is_owner =
			is_owner || is_container(part, length, unit) || is_job(part, length, unit);
		if (!is_owner && (is_service || has_suffix(part, length, ".scope")))
			snprintf(unit->name, sizeof(unit->name), "%.*s", (int)length, part);
		if (is_service)
			snprintf(unit->service, sizeof(unit->service), "%.*s", (int)length, part);
	}
	if (!unit->name[0])
		snprintf(unit->name, sizeof(unit->name), "%.127s", path);
	mr_clean_text(unit->name, sizeof(unit->name));
	mr_clean_text(unit->service, sizeof(unit->service));
}

/* Which line of the file was the best so far. */
struct choice {
	char path[1024];
	int rank;
};

/* A process is in a group of each hierarchy: that of systemd, or of version 2, is best, then any with a name. */
static bool take_line(const char *line, void *data)
{
	const char *controllers = strchr(line, ':');
	const char *path = controllers ? strchr(controllers + 1, ':') : NULL;
	struct choice *choice = data;
	int rank;

	if (!path)
		return false;
	path++;
	rank = !strcmp(path, "/")                                                              ? 1
	       : !strncmp(controllers, "::", 2) || !strncmp(controllers, ":name=systemd:", 14) ? 3
											       : 2;
	if (rank <= choice->rank)
		return false;
	choice->rank = rank;
	snprintf(choice->path, sizeof(choice->path), "%s", path);
	return true;
}

int mr_unit_read(struct mr_host *host, const char *process, struct mr_unit *unit)
{
	struct choice choice = { .rank = 0 };
	int rc;

	*unit = (struct mr_unit){ .name = "" };
	rc = mr_host_lines(host, take_line, &choice, "/proc/%s/cgroup", process);
	if (!rc && choice.rank)
		name_unit(choice.path, unit);
	return rc;
}
