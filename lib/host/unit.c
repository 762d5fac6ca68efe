// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/base.h"
#include "lib/host/unit.h"

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

static bool is_of_systemd(const char *part, size_t length, struct mr_unit *unit)
{
	if (!has_suffix(part, length, ".service") && !has_suffix(part, length, ".scope"))
		return false;
	snprintf(unit->name, sizeof(unit->name), "%.*s", (int)length, part);
	return true;
}

void mr_unit_of_group(const char *path, struct mr_unit *unit)
{
	bool is_found = false;

	*unit = (struct mr_unit){ .name = "" };
	/* The outermost container or job counts, else the innermost unit of systemd. */
	for (const char *part = path; (part = strchr(part, '/'));) {
		size_t length = strcspn(++part, "/");

		if (is_container(part, length, unit) || is_job(part, length, unit)) {
			is_found = true;
			break;
		}
		is_found |= is_of_systemd(part, length, unit);
	}
	if (!is_found)
		snprintf(unit->name, sizeof(unit->name), "%s", path);
	mr_clean_text(unit->name, sizeof(unit->name));
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
	char path[64];
	int rc;

	*unit = (struct mr_unit){ .name = "" };
	snprintf(path, sizeof(path), "/proc/%s/cgroup", process);
	rc = mr_host_lines(host, path, take_line, &choice);
	if (!rc && choice.rank)
		mr_unit_of_group(choice.path, unit);
	return rc;
}
