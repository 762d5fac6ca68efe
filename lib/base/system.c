// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/capability.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/base.h"

enum { MEMLOCK, NOFILE };

static const struct {
	const char *name;
	__rlimit_resource_t resource;
	const char *unit; /* of systemd: behind "Limit" */
} limits_known[MR_LIMITS + 1] = {
	[MEMLOCK] = { "memlock", RLIMIT_MEMLOCK, "MEMLOCK" },
	[NOFILE] = { "nofile", RLIMIT_NOFILE, "NOFILE" },
	{ "as", RLIMIT_AS, "AS" },
	{ "data", RLIMIT_DATA, "DATA" },
	{ .name = NULL },
};

/* Reads one item, "memlock=64K". */
static int parse_item(const char *item, size_t length, struct mr_limits *limits,
		      struct mr_error *err)
{
	const char *equals = memchr(item, '=', length);
	const size_t name = equals ? (size_t)(equals - item) : length;
	char value[64];
	int rc, index = 0;

	while (limits_known[index].name && !mr_word_is(item, name, limits_known[index].name))
		index++;
	if (index == MR_LIMITS)
		return mr_fail_word(err, "limit", item, name, limits_known, sizeof(*limits_known));
	if (!equals || length - name - 1 >= sizeof(value))
		return mr_fail_usage(err, "'%.*s' is not of the form LIMIT=VALUE", (int)length,
				     item);
	snprintf(value, sizeof(value), "%.*s", (int)(length - name - 1), equals + 1);
	if (mr_word_is(value, strlen(value), "unlimited")) {
		limits->values[index] = (struct mr_opt_u64){ UINT64_MAX, true };
		return 0;
	}
	rc = index == NOFILE ? mr_parse_u64(value, UINT64_MAX, &limits->values[index].value, err)
			     : mr_parse_size(value, &limits->values[index].value, err);
	limits->values[index].known = !rc;
	return rc;
}

int mr_limits_parse(const char *text, struct mr_limits *limits, struct mr_error *err)
{
	const char *rest = text, *item;
	size_t length;
	int rc = 0;

	while (!rc && (item = mr_list_item(&rest, ",", &length)))
		rc = parse_item(item, length, limits, err);
	return rc;
}

/* libcap is not used: it would make the same two calls to give up this one capability. */
static int give_up_ipc_lock(struct mr_error *err)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];

	if (syscall(SYS_capget, &header, sets))
		return mr_fail(err, MR_ERROR_HOST, errno, "capget", NULL);
	sets[CAP_TO_INDEX(CAP_IPC_LOCK)].effective &= ~(__u32)CAP_TO_MASK(CAP_IPC_LOCK);
	if (syscall(SYS_capset, &header, sets))
		return mr_fail(
			err, MR_ERROR_HOST, errno, "capset",
			"cannot give up CAP_IPC_LOCK, which lifts the limit of locked memory");
	return 0;
}

static int set_limit(int index, uint64_t value, struct mr_error *err)
{
	const rlim_t wanted = value == UINT64_MAX ? RLIM_INFINITY : (rlim_t)value;
	struct rlimit limit;
	uint64_t hard;

	if (getrlimit(limits_known[index].resource, &limit))
		return mr_fail(err, MR_ERROR_HOST, errno, "getrlimit", NULL);
	hard = limit.rlim_max;
	limit.rlim_cur = wanted;
	if (wanted > limit.rlim_max)
		limit.rlim_max = wanted;
	if (!setrlimit(limits_known[index].resource, &limit))
		return 0;
	mr_fail(err, MR_ERROR_HOST, errno, "setrlimit", "cannot set the limit %s",
		limits_known[index].name);
	if (err->errnum == EPERM)
		mr_hint(err,
			"the hard limit is %" PRIu64 "; a higher one is set by root, or for a "
			"service by Limit%s= of systemd",
			hard, limits_known[index].unit);
	return -err->errnum;
}

static bool have_memlock;

bool mr_limits_have_memlock(void)
{
	return have_memlock;
}

int mr_limits_set(const struct mr_limits *limits, struct mr_error *err)
{
	int rc = 0;

	for (int i = 0; i < MR_LIMITS && !rc; i++)
		if (limits->values[i].known)
			rc = set_limit(i, limits->values[i].value, err);
	have_memlock |= !rc && limits->values[MEMLOCK].known;
	if (!rc && limits->values[MEMLOCK].known && limits->values[MEMLOCK].value != UINT64_MAX)
		rc = give_up_ipc_lock(err);
	return rc;
}

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif

int mr_memfd_create(const char *name, unsigned int flags)
{
	int fd = memfd_create(name, flags | MFD_NOEXEC_SEAL);

	return fd < 0 && errno == EINVAL ? memfd_create(name, flags) : fd;
}

bool mr_mapping_parse(const char *line, struct mr_mapping *mapping)
{
	char rights[5];
	int path = 0;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64 " %n",
		   &mapping->start, &mapping->end, rights, &mapping->offset, &mapping->major,
		   &mapping->minor, &mapping->inode, &path) < 7 ||
	    strlen(rights) < 4 || mapping->start >= mapping->end)
		return false;
	mapping->readable = rights[0] == 'r';
	mapping->writable = rights[1] == 'w';
	mapping->executable = rights[2] == 'x';
	mapping->shared = rights[3] == 's';
	snprintf(mapping->path, sizeof(mapping->path), "%s", path ? line + path : "");
	return true;
}

int mr_installed_find(const char *libraries, const char *name, const char *file, char *place,
		      char **folder, struct mr_error *err)
{
	const struct {
		const char *folder, *below;
	} places[] = { { place, "" }, { place, "../lib/mrctl/" }, { libraries, "mrctl/" } };
	const ssize_t length = readlink("/proc/self/exe", place, PATH_MAX - 1);
	char path[PATH_MAX + 64];

	*folder = NULL;
	if (length < 0)
		return mr_fail(err, MR_ERROR_HOST, errno, "readlink",
			       "cannot find the path of mrctl");
	place[length] = '\0';
	*strrchr(place, '/') = '\0';
	for (size_t i = 0; !*folder && i < sizeof(places) / sizeof(*places); i++) {
		snprintf(path, sizeof(path), "%s/%s%s/%s", places[i].folder, places[i].below, name,
			 file);
		if (access(path, R_OK))
			continue;
		*strrchr(path, '/') = '\0';
		*folder = realpath(path, NULL);
	}
	return 0;
}

bool mr_overlay_has_tmpfs(const char *path)
{
	mr_auto_fd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct fiemap extents = { .fm_length = 1 };
	unsigned int flags;

	return fd >= 0 && !ioctl(fd, FS_IOC_GETFLAGS, &flags) &&
	       ioctl(fd, FS_IOC_FIEMAP, &extents) && errno == EOPNOTSUPP;
}

bool mr_signals_include_hangup(void)
{
	struct sigaction hangup;

	return !sigaction(SIGHUP, NULL, &hangup) && hangup.sa_handler != SIG_IGN;
}

const int mr_ending_signals[MR_ENDING_SIGNALS] = { SIGINT, SIGTERM, SIGHUP };

static void ending_signals(sigset_t *set)
{
	sigemptyset(set);
	for (size_t i = 0; i < MR_ENDING_SIGNALS; i++)
		if (mr_ending_signals[i] != SIGHUP || mr_signals_include_hangup())
			sigaddset(set, mr_ending_signals[i]);
}

void mr_signals_block(void)
{
	sigset_t set;

	ending_signals(&set);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

static struct timespec time_left(uint64_t until)
{
	uint64_t now = mr_now_ns(), left = until > now ? until - now : 0;

	return (struct timespec){ .tv_sec = (time_t)(left / 1000000000),
				  .tv_nsec = (long)(left % 1000000000) };
}

bool mr_signals_wait_readable(int fd)
{
	mr_auto_fd int signals = -1;
	struct pollfd fds[2] = { { .fd = fd, .events = POLLIN }, { .events = POLLIN } };
	sigset_t set;

	ending_signals(&set);
	signals = signalfd(-1, &set, SFD_CLOEXEC);
	fds[1].fd = signals; /* -1 on failure: then poll() does not wait, and read() will */
	while (poll(fds, 2, signals < 0 ? 0 : -1) < 0 && errno == EINTR)
		;
	return !fds[1].revents;
}

int mr_signals_wait_until(uint64_t until, const sigset_t *more, int fd)
{
	mr_auto_fd int signals = -1;
	struct signalfd_siginfo info;
	struct timespec timeout;
	struct pollfd fds[2];
	sigset_t set;
	int ready;

	ending_signals(&set);
	if (more)
		sigorset(&set, &set, more);
	if (fd >= 0)
		signals = signalfd(-1, &set, SFD_CLOEXEC);
	fds[0] = (struct pollfd){ .fd = signals, .events = POLLIN };
	fds[1] = (struct pollfd){ .fd = fd };
	do {
		timeout = time_left(until);
		if (signals >= 0)
			ready = ppoll(fds, 2, &timeout, NULL);
		else
			ready = sigtimedwait(&set, NULL, &timeout);
	} while (ready < 0 && errno == EINTR);
	if (signals < 0)
		return ready < 0 ? 0 : ready;
	if (fds[0].revents && read(signals, &info, sizeof(info)) == sizeof(info))
		return (int)info.ssi_signo;
	return ready > 0 ? -1 : 0;
}

bool mr_interrupted(void)
{
	sigset_t ending, pending;

	/* This runs before each region of a command, so it makes one system call in most cases. */
	if (sigpending(&pending) || sigisemptyset(&pending))
		return false;
	ending_signals(&ending);
	sigandset(&pending, &pending, &ending);
	return !sigisemptyset(&pending);
}

void mr_signals_ignore(void)
{
	sigset_t set;

	ending_signals(&set);
	for (size_t i = 0; i < MR_ENDING_SIGNALS; i++)
		signal(mr_ending_signals[i], SIG_IGN);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

void mr_signals_deliver(const sigset_t *mask)
{
	sigset_t pending;

	if (sigpending(&pending))
		sigemptyset(&pending);
	/* Also deliver a signal that the parent had ignored: it has stopped the work all the same. */
	for (size_t i = 0; i < MR_ENDING_SIGNALS; i++)
		if (sigismember(&pending, mr_ending_signals[i]) > 0 &&
		    !sigismember(mask, mr_ending_signals[i]))
			signal(mr_ending_signals[i], SIG_DFL);
	sigprocmask(SIG_SETMASK, mask, NULL);
}
