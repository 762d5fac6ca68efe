// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdlib.h>
#include <string.h>

#include "lib/host/recorded_names.h"

/* Groups of users below are those of the system, such as rdma. */
#define FIRST_OWN_GID 1000

static const char *behind(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) != 0 ? NULL : text + strlen(prefix);
}

static int ends_with(const char *text, const char *end)
{
	const size_t length = strlen(text), tail = strlen(end);

	return length >= tail && !strcmp(text + length - tail, end);
}

/* "0::/user.slice/x.scope", a line for each hierarchy */
static void take_groups(const char *text,
			void (*take)(void *data, enum mr_recorded_name kind, const char *name,
				     size_t length),
			void *data)
{
	for (size_t length; *text; text += length + (text[length] == '\n')) {
		const char *path;

		length = strcspn(text, "\n");
		path = memchr(text, '/', length);
		if (path)
			take(data, MR_RECORDED_CGROUP, path, length - (size_t)(path - text));
	}
}

void mr_recorded_names(const char *path, const char *text,
		       void (*take)(void *data, enum mr_recorded_name kind, const char *name,
				    size_t length),
		       void *data)
{
	const char *device = behind(path, "/sys/class/infiniband/");
	const char *group = behind(path, "/calls/group/");

	if (behind(path, "/proc/") && ends_with(path, "/cgroup"))
		take_groups(text, take, data);
	if (group && atol(group) >= FIRST_OWN_GID)
		take(data, MR_RECORDED_ACCOUNT, text, strcspn(text, "\n"));
	if (device)
		take(data, MR_RECORDED_DEVICE, device, strcspn(device, "/"));
	if (device && ends_with(path, "/parent"))
		take(data, MR_RECORDED_INTERFACE, text, strcspn(text, "\n"));
}
