// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/base.h"
#include "lib/host/processes.h"
#include "lib/host/reading.h"
#include "lib/trace/channel.h"
#include "lib/trace/image.h"
#include "lib/trace/wire/handover.h"
#include "lib/trace/wire/likeness.h"
#include "lib/trace/wire/program.h"

enum { DESCRIPTORS_OF_JOIN = 2 /* the socket, and the ring that comes by it */ };

/* stat(2) of what a link in the folder of a process leads to; false with errno. */
static bool stat_link(pid_t pid, const char *name, struct stat *st)
{
	struct mr_process folder;
	bool is_there;
	int errnum;

	if (!mr_process_open(pid, &folder))
		return false;
	is_there = mr_process_stat_link(&folder, name, st);
	errnum = errno;
	mr_process_close(&folder);
	errno = errnum;
	return is_there;
}

/* Where the kernel has put code and stack is random; the file counts where that is switched off. */
uint64_t mr_image_id(pid_t pid, const struct mr_process_stat *process)
{
	struct stat file = { 0 };
	uint64_t id = process->stack;

	if (!id) /* hidden: each process counts for itself */
		return mr_trace_mix(mr_trace_mix(process->start, (uint64_t)pid), 0);
	if (!stat_link(pid, "exe", &file) && errno != EACCES && errno != EPERM)
		return 0;
	id = mr_trace_mix(id, process->code);
	return mr_trace_mix(mr_trace_mix(id, file.st_dev), file.st_ino);
}

static enum mr_image_fate not_followed(struct mr_image *image, uint32_t obstacle)
{
	image->obstacle = obstacle;
	return MR_IMAGE_NOT_FOLLOWED;
}

/* ---- a process that this user may not look into ---- */

static enum mr_image_fate judge_hidden(pid_t pid, struct mr_image *image)
{
	struct mr_host host = MR_THIS_HOST;
	struct mr_process_status status, own;
	char number[16];

	snprintf(number, sizeof(number), "%d", (int)pid);
	if (mr_process_status_read(&host, number, &status) ||
	    mr_process_status_read(&host, "self", &own))
		return MR_IMAGE_NO_MATTER;
	/* It hides by itself (PR_SET_DUMPABLE), or is in the midst of execve(2), which may give it rights. */
	if (status.uid.value == own.uid.value && status.gid.value == own.gid.value &&
	    !(status.permitted.value & ~own.permitted.value))
		return MR_IMAGE_BEGINS;
	snprintf(image->path, sizeof(image->path), "(%s)", status.name);
	return not_followed(image, MR_TRACE_PRIVILEGED);
}

/* ---- what was started in a way that it cannot join ---- */

/* The process that listens at "mrctl-trace-PID-...". */
static pid_t tracer_of(const char *value)
{
	int pid;

	return sscanf(value, MR_CHANNEL_PREFIX "%d-", &pid) == 1 ? pid : 0;
}

/* ---- what could not join ---- */

static bool is_in_other_network(pid_t pid)
{
	struct stat own, other;

	return stat_link(pid, "ns/net", &other) && stat_link(getpid(), "ns/net", &own) &&
	       other.st_ino != own.st_ino;
}

static void count_name(const char *name, void *data)
{
	(void)name;
	++*(rlim_t *)data;
}

static bool lacks_descriptors(pid_t pid)
{
	struct mr_host host = MR_THIS_HOST;
	struct rlimit limit;
	rlim_t used = 0;

	return !prlimit(pid, RLIMIT_NOFILE, NULL, &limit) &&
	       mr_host_list(&host, count_name, &used, "/proc/%d/fd", (int)pid) >= 0 &&
	       used + DESCRIPTORS_OF_JOIN > limit.rlim_cur;
}

static bool is_filtered(pid_t pid)
{
	struct mr_host host = MR_THIS_HOST;
	struct mr_process_status status;
	char number[16];

	snprintf(number, sizeof(number), "%d", (int)pid);
	return !mr_process_status_read(&host, number, &status) && status.seccomp.value;
}

static uint32_t why_alone(pid_t pid)
{
	if (is_in_other_network(pid))
		return MR_TRACE_OTHER_NETWORK;
	if (lacks_descriptors(pid))
		return MR_TRACE_NO_DESCRIPTORS;
	return is_filtered(pid) ? MR_TRACE_FILTERED : MR_TRACE_NOT_JOINED;
}

/* ---- the agent in it ---- */

struct agent {
	bool is_loaded, has_failed;
};

static bool find_agent(const struct mr_mapping *mapping, void *data)
{
	const char *slash = strrchr(mapping->path, '/');
	struct agent *agent = data;

	if (!slash || strcmp(slash + 1, MR_TRACE_AGENT) != 0)
		return true;
	agent->is_loaded = true;
	agent->has_failed |= mapping->writable && !mapping->readable; /* wire/sign.h */
	return true;
}

static enum mr_image_fate judge_agent(pid_t pid, bool is_late, struct mr_image *image)
{
	struct mr_host host = MR_THIS_HOST;
	struct agent agent = { false, false };

	host.process = pid;
	if (mr_mappings_walk(&host, 0, find_agent, &agent))
		return MR_IMAGE_BEGINS;
	if (agent.has_failed)
		return not_followed(image, why_alone(pid));
	return !agent.is_loaded && is_late ? not_followed(image, MR_TRACE_NOT_LOADED)
					   : MR_IMAGE_BEGINS;
}

/* ---- all ---- */

/* Reads where its program is, and whether that can be followed. */
static bool read_program(pid_t pid, struct mr_image *image)
{
	struct mr_process folder;
	bool has_path;

	*image = (struct mr_image){ .path = "" };
	if (!mr_process_open(pid, &folder))
		return false;
	has_path = mr_process_link(&folder, "exe", image->path, sizeof(image->path));
	mr_clean_text(image->path, sizeof(image->path));
	image->obstacle = mr_trace_program(folder.folder, "exe");
	mr_process_close(&folder);
	return has_path;
}

enum mr_image_fate mr_image_recheck(pid_t pid, struct mr_image *image)
{
	if (!read_program(pid, image))
		return MR_IMAGE_NO_MATTER;
	return judge_agent(pid, false, image);
}

enum mr_image_fate mr_image_judge(pid_t pid, const struct mr_process_stat *process,
				  const char *channel, bool is_late, struct mr_image *image)
{
	const size_t length = strlen(channel);
	char value[256];
	int rc;

	*image = (struct mr_image){ .path = "" };
	if (!process->stack)
		return judge_hidden(pid, image);
	rc = mr_process_variable(pid, MR_TRACE_VARIABLE, value, sizeof(value));
	if (rc < 0 || !read_program(pid, image))
		return rc == -EAGAIN ? MR_IMAGE_BEGINS : MR_IMAGE_NO_MATTER;
	if (rc && (strncmp(value, channel, length) != 0 || value[length] != ':')) {
		image->tracer = tracer_of(value);
		return MR_IMAGE_OF_OTHER;
	}
	if (image->obstacle != MR_TRACE_FOLLOWED)
		return not_followed(image, image->obstacle);
	if (!rc)
		return not_followed(image, MR_TRACE_NO_VARIABLES);
	return judge_agent(pid, is_late, image);
}
