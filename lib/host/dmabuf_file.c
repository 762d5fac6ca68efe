// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/host/dmabuf_file.h"
#include "lib/host/live.h"
#include "lib/simulator/spec.h"

#define STAND_IN "/memfd:" MR_SIM_DMABUF_NAME

struct fdinfo {
	struct mr_dmabuf_file *file;
	bool has_flags;
	struct mr_opt_u64 size;
};

/* The value of a line "NAME:\tVALUE"; NULL: it is another line. */
static const char *value_of(const char *line, const char *name)
{
	const size_t length = strlen(name);

	return !strncmp(line, name, length) && !strncmp(line + length, ":\t", 2) ? line + length + 2
										 : NULL;
}

/* proc_pid_fdinfo(5): flags are octal.  Only dma-bufs have exp_name (drivers/dma-buf/dma-buf.c). */
static bool take_fdinfo(const char *line, void *data)
{
	struct fdinfo *info = data;
	const char *value;

	if ((value = value_of(line, "flags"))) {
		info->has_flags = true;
		info->file->is_path = strtoul(value, NULL, 8) & O_PATH;
	} else if ((value = value_of(line, "exp_name"))) {
		info->file->is_dmabuf = true;
		snprintf(info->file->exporter, sizeof(info->file->exporter), "%s", value);
	} else if ((value = value_of(line, "size"))) {
		info->size = (struct mr_opt_u64){ strtoull(value, NULL, 10), true };
	} else {
		return false;
	}
	return true;
}

struct descriptor {
	const struct mr_host *host;
	int number;
};

static int ask_size(void *data, char *text, size_t size)
{
	const struct descriptor *descriptor = data;
	char path[64];
	struct stat st;
	int rc;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", descriptor->number);
	rc = mr_live_stat(mr_host_viewer(descriptor->host), path, &st);
	if (!rc)
		snprintf(text, size, "%" PRIu64, (uint64_t)st.st_size);
	return rc;
}

/* Stand-ins are no dma-bufs for this machine's kernel, and have no such size. */
static void look_at_stand_in(struct mr_host *host, int fd, struct mr_dmabuf_file *file)
{
	struct descriptor descriptor = { host, fd };
	char question[64], text[32];

	if (strncmp(file->target, STAND_IN, sizeof(STAND_IN) - 1) != 0)
		return;
	file->is_simulated = true;
	snprintf(question, sizeof(question), "descriptor/%d/size", fd);
	if (!mr_host_ask(host, question, ask_size, &descriptor, text, sizeof(text)))
		file->size = (struct mr_opt_u64){ strtoull(text, NULL, 10), true };
}

int mr_dmabuf_file_read(struct mr_host *host, int fd, struct mr_dmabuf_file *file)
{
	struct fdinfo info = { .file = file };
	char path[64];
	int rc;

	*file = (struct mr_dmabuf_file){ .is_dmabuf = false };
	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	rc = mr_host_lines(host, path, take_fdinfo, &info);
	if (rc)
		return rc;
	if (!info.has_flags)
		return -ENODATA;
	mr_host_link(host, file->target, sizeof(file->target), "/proc/self/fd/%d", fd);
	if (file->is_dmabuf)
		file->size = info.size;
	else
		look_at_stand_in(host, fd, file);
	return 0;
}
