// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/base.h"
#include "lib/host/process_status.h"

/* A line of the file, whose value is number @index in it. */
struct status_line {
	const char *name;
	size_t offset; /* of its member, a struct mr_opt_u64 */
	int index, base;
	unsigned int shift; /* bits that the unit of the value has */
};

#define LINE(name, member, ...)                                                                    \
	{                                                                                          \
		name ":", offsetof(struct mr_process_status, member), __VA_ARGS__                  \
	}

/* Uid and Gid have the real, effective, saved and file system's. */
static const struct status_line lines[] = {
	LINE("Tgid", process, 0, 10, 0),     LINE("PPid", parent, 0, 10, 0),
	LINE("Uid", uid, 1, 10, 0),          LINE("Gid", gid, 1, 10, 0),
	LINE("VmSize", mapped, 0, 10, 10),   LINE("VmData", data, 0, 10, 10),
	LINE("VmLck", locked, 0, 10, 10),    LINE("VmPin", pinned, 0, 10, 10),
	LINE("CapPrm", permitted, 0, 16, 0), LINE("CapEff", effective, 0, 16, 0),
	LINE("CapBnd", bounding, 0, 16, 0),  LINE("NoNewPrivs", no_new_privs, 0, 10, 0),
	LINE("Seccomp", seccomp, 0, 10, 0),  LINE("Threads", threads, 0, 10, 0),
};

/* Reads the next number of a text, and moves @text behind it. */
static bool next_number(const char **text, int base, uint64_t *value)
{
	const char *digits = *text + strspn(*text, " \t");
	char *end;

	if (*digits == '-' || *digits == '+')
		return false;
	errno = 0;
	*value = strtoull(digits, &end, base);
	*text = end;
	return end != digits && !errno;
}

static void read_value(const struct status_line *line, const char *text, struct mr_opt_u64 *member)
{
	uint64_t value = 0;

	for (int i = 0; i <= line->index; i++)
		if (!next_number(&text, line->base, &value))
			return;
	if (value <= UINT64_MAX >> line->shift)
		*member = (struct mr_opt_u64){ value << line->shift, true };
}

static void read_groups(const char *text, struct mr_process_status *status)
{
	uint64_t group;

	while (status->group_count < MR_STATUS_GROUPS && next_number(&text, 10, &group))
		status->groups[status->group_count++] = (uint32_t)group;
}

static bool take_line(const char *text, void *data)
{
	struct mr_process_status *status = data;

	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		const size_t length = strlen(lines[i].name);

		if (!strncmp(text, lines[i].name, length)) {
			read_value(&lines[i], text + length,
				   (void *)((char *)status + lines[i].offset));
			return true;
		}
	}
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
	char path[PATH_MAX];

	*status = (struct mr_process_status){ 0 };
	snprintf(path, sizeof(path), "/proc/%s/status", process);
	return mr_host_lines(host, path, take_line, status);
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

/* The first class that fits decides, as in acl_permission_check() of the kernel's fs/namei.c. */
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
