// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * differential FILES DEVICE SEED CALLS [KERNEL]: random calls of the uverbs ABI, one line for each:
 *   EPISODE.CALL NAME ARGUMENTS -> ERRNO, or ok and what came back
 *
 * The same arguments give the same calls on every machine with the same device, simulated or not.
 * FILES is a folder as tests/kernel/guest/mount-files makes it; for the simulator its folders "ext4" and
 * "xfs" may be on any file system of a disk.  KERNEL ("6.12"; default: the running one) limits the calls to those that
 * this version has.
 *
 * What a call draws depends on the objects that earlier calls made.  After a difference between two
 * machines their lists therefore differ until the next episode, which begins with a new context.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "tests/kernel/differential/arena.h"
#include "tests/kernel/differential/calls.h"
#include "tests/kernel/differential/draw.h"
#include "tests/kernel/differential/mutate.h"
#include "tests/kernel/differential/state.h"

#define EPISODE_CALLS 40 /* calls with one context */

/* ---- the device ---------------------------------------------------------------------------- */

static bool is_device(const char *folder, const char *entry, const char *device)
{
	char path[600], name[64] = "";
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s/ibdev", folder, entry);
	file = fopen(path, "r");
	if (!file)
		return false;
	if (!fgets(name, sizeof(name), file))
		name[0] = '\0';
	fclose(file);
	name[strcspn(name, "\n")] = '\0';
	return !strcmp(name, device);
}

/* Finds the device's node by sysfs, as libibverbs does. */
static bool find_node(const char *device, char *node, size_t size)
{
	const char *sysfs = getenv("SYSFS_PATH");
	struct dirent *entry;
	char folder[256];
	bool found = false;
	DIR *dir;

	snprintf(folder, sizeof(folder), "%s/class/infiniband_verbs", sysfs ? sysfs : "/sys");
	dir = opendir(folder);
	while (dir && !found && (entry = readdir(dir))) {
		found = is_device(folder, entry->d_name, device);
		if (found)
			snprintf(node, size, "/dev/infiniband/%s", entry->d_name);
	}
	if (dir)
		closedir(dir);
	return found;
}

/* With CAP_IPC_LOCK (privileged) RLIMIT_MEMLOCK does not hold for this process. */
static void set_privileged(bool privileged)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

	if (syscall(SYS_capget, &header, data))
		return;
	data[0].effective &= ~(1u << CAP_IPC_LOCK);
	if (privileged)
		data[0].effective |= data[0].permitted & 1u << CAP_IPC_LOCK;
	syscall(SYS_capset, &header, data);
}

/* Sets RLIMIT_MEMLOCK for an episode: none in most, else to 0, few or enough pages. */
static void draw_limit(void)
{
	static const uint32_t pages[] = { 0, 8, 40 };
	const bool limited = chance(25);
	struct rlimit limit;

	getrlimit(RLIMIT_MEMLOCK, &limit);
	limit.rlim_cur = limit.rlim_max;
	if (limited)
		limit.rlim_cur = PICK(pages) * PAGE;
	setrlimit(RLIMIT_MEMLOCK, &limit);
	set_privileged(!limited);
	if (limited)
		line_add("limit=%llu", (unsigned long long)limit.rlim_cur);
	else
		line_add("no limit");
}

static int begin_episode(const char *node)
{
	uint32_t pd = 0;
	int rc;

	memset(state.objects, 0, sizeof(state.objects));
	draw_limit();
	state.fd = open(node, O_RDWR | O_CLOEXEC);
	if (state.fd < 0)
		return errno;
	rc = get_context(state.fd);
	if (!rc)
		rc = alloc_pd(state.fd, &pd);
	add_object(PD, pd, 0, NULL, 0);
	line_add(" pd=%u", pd);
	return rc;
}

static int play(const char *node, uint64_t seed, unsigned long count)
{
	unsigned long i;
	int error;

	for (i = 0; i < count; i++) {
		memset(&buffers, 0, sizeof(buffers));
		state.length = 0;
		if (i % EPISODE_CALLS == 0) {
			draw_seed(seed, UINT32_MAX + i);
			line_add("%lu begin ", i / EPISODE_CALLS);
			error = begin_episode(node);
			if (error) {
				fprintf(stderr, "differential: %s: %s\n", node,
					strerrorname_np(error));
				return 1;
			}
			puts(state.line);
			state.length = 0;
			memset(&buffers, 0, sizeof(buffers));
		}
		draw_seed(seed, i);
		line_add("%lu.%lu ", i / EPISODE_CALLS, i % EPISODE_CALLS);
		draw_call();
		puts(state.line);
		if (i % EPISODE_CALLS == EPISODE_CALLS - 1 || i == count - 1) {
			close(state.fd);
			fflush(stdout);
		}
	}
	return fflush(stdout) ? 1 : 0;
}

/*
 * Some kernels write a warning of mlx5 to the log for IOVAs that wrap around, and for a length of 0 at an
 * odd address.  This line in the log tells the check of the guest's log to expect them.
 */
static void announce_warnings(void)
{
	static const char text[] = "mrctl-test: expect hw/mlx5/mr.c\n";
	int fd = open("/dev/kmsg", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (write(fd, text, sizeof(text) - 1) < 0)
		perror("differential: /dev/kmsg");
	close(fd);
}

int main(int argc, char **argv)
{
	unsigned int major, minor;
	struct utsname system;
	const char *release;
	char node[300];

	uname(&system);
	release = argc == 6 ? argv[5] : system.release;
	if (argc < 5 || argc > 6 || sscanf(release, "%u.%u", &major, &minor) != 2) {
		fprintf(stderr, "usage: differential FILES DEVICE SEED CALLS [KERNEL]\n");
		return 2;
	}
	state.kernel = major * 100 + minor;
	state.is_mlx5 = !strncmp(argv[2], "mlx5", 4);
	driver = state.is_mlx5 ? RDMA_DRIVER_MLX5 : RDMA_DRIVER_RXE;
	if (!find_node(argv[2], node, sizeof(node))) {
		fprintf(stderr, "differential: no device \"%s\"\n", argv[2]);
		return 2;
	}
	if (arena_make(argv[1], getenv("MRCTL_SIM"), state.is_mlx5 && state.kernel >= 610)) {
		perror("differential: memory");
		return 2;
	}
	if (!getenv("MRCTL_SIM"))
		announce_warnings();
	printf("# calls %s %s %s %u.%u\n", argv[2], argv[3], argv[4], major, minor);
	return play(node, strtoull(argv[3], NULL, 0), strtoul(argv[4], NULL, 0));
}
