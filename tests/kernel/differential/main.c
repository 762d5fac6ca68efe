// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * differential FILES DEVICE SEED CALLS [KERNEL]: random calls of the uverbs ABI, one line for each:
 *   EPISODE.CALL NAME ARGUMENTS -> ERRNO, or ok and what came back
 *
 * The same arguments give the same calls on every machine with the same device, simulated or not.
 * FILES is a folder as tests/kernel/guest/mount-files makes it; for the simulator its folders "ext4" and
 * "xfs" may be on any file system of a disk.  The environment variable GROUP names the folder of the control group
 * that this process is in; it may have no huge pages.  (The simulator needs none.)  KERNEL ("6.12"; default: the running one) limits the calls to those that
 * this version has.
 *
 * A call draws from the objects that earlier calls made.  After a difference between two
 * machines their lists therefore differ until the next episode, which begins with a new context.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/kernel/differential/arena.h"
#include "tests/kernel/differential/calls.h"
#include "tests/kernel/differential/draw.h"
#include "tests/kernel/differential/mutate.h"
#include "tests/kernel/differential/second.h"
#include "tests/kernel/differential/state.h"

#define EPISODE_CALLS 40 /* calls with one context */
#define NOBODY        65534

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
	arena_privilege(!limited);
	if (limited)
		line_add("limit=%llu", (unsigned long long)limit.rlim_cur);
	else
		line_add("no limit");
	/* The simulator opens files below /proc/self, which a process that changed its user cannot by itself. */
	if (limited && chance(50) && !setresuid(NOBODY, NOBODY, NOBODY))
		prctl(PR_SET_DUMPABLE, 1);
}

/*
 * Sets how many objects an episode can have: by the rdma cgroup GROUP, or on the simulated device, which the machine's
 * cgroups do not know, by its variable.
 */
static int limit_objects(const struct game *game)
{
	static const uint32_t limits[] = { 1, 2, 3, 5, 8 };
	const bool limited = chance(15);
	const uint32_t limit = PICK(limits);
	char number[12] = "max", path[300];
	FILE *file;
	int rc;

	if (limited) {
		snprintf(number, sizeof(number), "%u", limit);
		line_add("objects=%u ", limit);
	}
	if (game->is_simulated)
		return limited ? setenv("MRCTL_SIM_MAX_OBJECTS", number, 1)
			       : unsetenv("MRCTL_SIM_MAX_OBJECTS");
	snprintf(path, sizeof(path), "%s/rdma.max", game->group);
	file = fopen(path, "w");
	if (!file)
		return -1;
	fprintf(file, "%s hca_object=%s", game->device, number);
	rc = fclose(file);
	return rc;
}

static int begin_episode(const struct game *game)
{
	uint32_t pd = 0;
	int rc;

	if (limit_objects(game))
		return errno;
	state.fd = open(game->node, O_RDWR | O_CLOEXEC);
	if (state.fd < 0 || arena_make(game->files, game->is_simulated, game->has_dmabuf))
		return errno;
	draw_limit();
	rc = get_context(state.fd);
	if (!rc)
		rc = alloc_pd(state.fd, &pd);
	add_object(PD, pd, 0, NULL, 0);
	line_add(" pd=%u", pd);
	return rc;
}

static void play_call(const struct game *game, unsigned long i)
{
	memset(&buffers, 0, sizeof(buffers));
	state.length = 0;
	draw_seed(game->seed, i);
	line_add("%lu.%lu ", i / EPISODE_CALLS, i % EPISODE_CALLS);
	if (!second_is_drawn())
		draw_call();
	else if (second_call(game, i))
		line_add("no second process: %s", strerrorname_np(errno));
	puts(state.line);
}

/* Plays one episode, in a process of its own: what it locks, and who it is, does not matter to the next. */
static int play_episode(const struct game *game, unsigned long first)
{
	unsigned long i;
	int error;

	draw_seed(game->seed, UINT32_MAX + first);
	line_add("%lu begin ", first / EPISODE_CALLS);
	error = begin_episode(game);
	if (error) {
		fprintf(stderr, "differential: %s: %s\n", game->node, strerrorname_np(error));
		return 1;
	}
	puts(state.line);
	for (i = first; i < first + EPISODE_CALLS && i < game->count; i++)
		play_call(game, i);
	second_end();
	return fflush(stdout) ? 1 : 0;
}

static int play(const struct game *game)
{
	unsigned long first;
	int status = 0;
	pid_t pid;

	for (first = 0; first < game->count; first += EPISODE_CALLS) {
		fflush(stdout);
		pid = fork();
		if (!pid)
			_exit(play_episode(game, first));
		if (pid < 0 || waitpid(pid, &status, 0) != pid || status) {
			fprintf(stderr, "differential: an episode ended with status %#x\n",
				(unsigned int)status);
			return 1;
		}
	}
	return 0;
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
	const char *release, *group = getenv("GROUP");
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
	if (!getenv("MRCTL_SIM"))
		announce_warnings();
	printf("# calls %s %s %s %u.%u\n", argv[2], argv[3], argv[4], major, minor);
	return play(&(struct game){ .node = node,
				    .device = argv[2],
				    .group = group ? group : "",
				    .files = argv[1],
				    .seed = strtoull(argv[3], NULL, 0),
				    .count = strtoul(argv[4], NULL, 0),
				    .is_simulated = getenv("MRCTL_SIM"),
				    .has_dmabuf = state.is_mlx5 && state.kernel >= 610 });
}
