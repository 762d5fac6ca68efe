// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Preloaded into mrctl: reports what the process keeps at its exit and should have given back, and counts the calls
 * that the simulated HCA gets.
 *   LEAKS        a file.  Lines are added to it: a record lock that is still held, or was taken although the process
 *                had it already; a descriptor that is still open; memory that is still mapped
 *   LEAKS_CALLS  a file.  The milliseconds of each delay of the simulator (mrctl sim --fault CALL=delay:N) are added
 *                to it, and the delay is left out
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define SESSION_FD 100

/* The lock of the session's table is byte 1 << 40, and those that claim its regions begin at 1 << 41. */
#define BYTES    (1 << 20)
#define INDEX(i) (((size_t)((i) >> 40) << 18 | ((size_t)(i)&0x3ffff)) % BYTES)

static const char *log_file;
static pid_t process;
static bool held[BYTES];  /* by INDEX: whether the process has that lock */
static long held_count;   /* how many it has */
static bool before[1024]; /* descriptors that were open at the start */

/* Mappings of the program that it has not unmapped. */
static struct mapping {
	uintptr_t start, end;
} mappings[1024];
static size_t mapping_count;
static pthread_mutex_t mappings_lock = PTHREAD_MUTEX_INITIALIZER;

static void __attribute__((format(printf, 2, 3))) note(const char *file, const char *format, ...)
{
	char line[512];
	va_list args;
	int fd, length;

	va_start(args, format);
	length = vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	fd = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (write(fd, line, (size_t)length) != length)
		abort();
	close(fd);
}

/* ---- descriptors ---- */

static void each_descriptor(void (*call)(int fd))
{
	DIR *folder = opendir("/proc/self/fd");
	const struct dirent *entry;

	while (folder && (entry = readdir(folder))) {
		int fd = atoi(entry->d_name);

		if (entry->d_name[0] != '.' && fd != dirfd(folder) && fd < (int)sizeof(before))
			call(fd);
	}
	if (folder)
		closedir(folder);
}

static void note_open(int fd)
{
	before[fd] = true;
}

static void report_open(int fd)
{
	char name[32], target[256] = "";

	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	/*
	 * mrctl session keeps this one for the program that it starts.  The thread of the simulated HCA that moves data may
	 * be about to close its epoll(7) descriptor; mrctl has none.
	 */
	if (fd != SESSION_FD && !before[fd] && readlink(name, target, sizeof(target) - 1) > 0 &&
	    strcmp(target, "anon_inode:[eventpoll]") != 0)
		note(log_file, "descriptor %d is still open: %s\n", fd, target);
}

static void __attribute__((destructor)) end(void)
{
	if (!log_file || process != getpid())
		return;
	if (held_count)
		note(log_file, "%ld bytes are still locked\n", held_count);
	for (size_t i = 0; i < mapping_count; i++)
		note(log_file, "%#zx bytes are still mapped\n",
		     mappings[i].end - mappings[i].start);
	each_descriptor(report_open);
}

/* ---- mappings ---- */

/* Whether the program makes the call, or the mmap() of the simulator for it or a library. */
static bool is_own(const void *caller)
{
	Dl_info from, program;

	if (!log_file || !dladdr(caller, &from) || !dladdr((void *)getauxval(AT_ENTRY), &program))
		return false;
	return from.dli_fbase == program.dli_fbase ||
	       (from.dli_sname && !strncmp(from.dli_sname, "mmap", 4));
}

static void add_mapping(uintptr_t start, uintptr_t end)
{
	if (start < end && mapping_count < sizeof(mappings) / sizeof(*mappings))
		mappings[mapping_count++] = (struct mapping){ start, end };
}

void *mmap(void *addr, size_t length, int prot, int flags, int fd, off_t offset)
{
	__typeof__(mmap) *next = (__typeof__(next))dlsym(RTLD_NEXT, "mmap");
	void *map = next(addr, length, prot, flags, fd, offset);

	pthread_mutex_lock(&mappings_lock);
	if (map != MAP_FAILED && is_own(__builtin_return_address(0)))
		add_mapping((uintptr_t)map, (uintptr_t)map + length);
	pthread_mutex_unlock(&mappings_lock);
	return map;
}

int munmap(void *addr, size_t length)
{
	__typeof__(munmap) *next = (__typeof__(next))dlsym(RTLD_NEXT, "munmap");
	const uintptr_t start = (uintptr_t)addr, end = start + length;

	pthread_mutex_lock(&mappings_lock);
	for (size_t i = mapping_count; i--;) {
		const struct mapping old = mappings[i];

		if (old.end <= start || old.start >= end)
			continue;
		mappings[i] = mappings[--mapping_count];
		add_mapping(old.start, start);
		add_mapping(end, old.end);
	}
	pthread_mutex_unlock(&mappings_lock);
	return next(addr, length);
}

/* ---- locks ---- */

static void note_lock(int command, const struct flock *lock, int rc)
{
	if (!log_file || (command != F_SETLK && command != F_SETLKW) || process != getpid())
		return;
	for (off_t i = lock->l_start; i < lock->l_start + lock->l_len; i++) {
		const bool was = held[INDEX(i)];
		/* an unlock that a fault lets fail was tried at least */
		const bool is = lock->l_type != F_UNLCK && (was || !rc);

		if (was && lock->l_type != F_UNLCK)
			note(log_file, "byte %#llx is locked twice\n", (long long)i);
		held_count += is - was;
		held[INDEX(i)] = is;
	}
}

/* fcntl() is called before begin(), too, by the runtime of ASan. */
static int (*next_fcntl)(int fd, int command, ...);

int fcntl64(int fd, int command, ...);
int fcntl64(int fd, int command, ...)
{
	va_list args;
	void *arg;
	int rc;

	va_start(args, command);
	arg = va_arg(args, void *);
	va_end(args);
	rc = next_fcntl ? next_fcntl(fd, command, arg) : (int)syscall(SYS_fcntl, fd, command, arg);
	note_lock(command, arg, rc);
	return rc;
}

int fcntl(int fd, int command, ...) __attribute__((alias("fcntl64")));

/* ---- calls ---- */

int nanosleep(const struct timespec *time, struct timespec *left)
{
	const char *file = getenv("LEAKS_CALLS");
	Dl_info from = { .dli_fname = NULL };

	if (!file || !dladdr(__builtin_return_address(0), &from) ||
	    !strstr(from.dli_fname, "libmrctl-sim"))
		return clock_nanosleep(CLOCK_REALTIME, 0, time, left) ? -1 : 0;
	note(file, "%lld\n", (long long)time->tv_sec * 1000 + time->tv_nsec / 1000000);
	return 0;
}

static void __attribute__((constructor)) begin(void)
{
	process = getpid();
	next_fcntl = (__typeof__(next_fcntl))dlsym(RTLD_NEXT, "fcntl");
	log_file = strcmp(program_invocation_short_name, "mrctl") ? NULL : getenv("LEAKS");
	if (log_file && !*log_file)
		log_file = NULL;
	if (log_file)
		each_descriptor(note_open);
}
