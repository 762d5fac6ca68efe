// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The functions of libc that the simulator replaces in programs.  Calls that are not about a simulated
 * device or descriptor go to libc unchanged, and leave errno as libc does.
 */
#undef _FORTIFY_SOURCE /* it defines inline functions with the names of those below */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/netlink.h>
#include <rdma/ib_user_verbs.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "lib/sim/base/base.h"
#include "lib/sim/devices/devices.h"
#include "lib/sim/memory/memory.h"
#include "lib/sim/state/state.h"
#include "lib/sim/uverbs/uverbs.h"

#define EXPORT __attribute__((visibility("default")))

_Static_assert(sizeof(struct stat) == sizeof(struct stat64), "one struct stat on 64-bit machines");

/* what programs call that were built with _FORTIFY_SOURCE, or against an older glibc */
int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int dir, const char *path, int flags);
int __openat64_2(int dir, const char *path, int flags);
int __xstat(int version, const char *path, struct stat *st);
int __xstat64(int version, const char *path, struct stat64 *st);
int __fxstat(int version, int fd, struct stat *st);
int __fxstat64(int version, int fd, struct stat64 *st);
int __lxstat(int version, const char *path, struct stat *st);
int __lxstat64(int version, const char *path, struct stat64 *st);
int __fxstatat(int version, int dir, const char *path, struct stat *st, int flags);
int __fxstatat64(int version, int dir, const char *path, struct stat64 *st, int flags);

/* what mrctl asks (lib/simulator/enter.h): the kernel's VmPin has nothing of it */
uint64_t mrctl_sim_pinned(void);

/* ---- open ---------------------------------------------------------------------------------- */

/* The profile that the environment asks for, if the path is that of its node; else NULL. */
static const struct sim_profile *profile_of_path(const char *path)
{
	const struct sim_profile *profile;

	/* glibc declares that open() never gets NULL; this keeps the compiler from removing the test */
	__asm__("" : "+r"(path));
	if (!path || strncmp(path, "/dev/infiniband/", 16) != 0)
		return NULL;
	profile = sim_profile_of(sim_wanted_kind());
	return profile && !strcmp(path, profile->node) ? profile : NULL;
}

/* Turn a result that can be -errno into one of libc: -1 and errno. */
static int return_errno(int rc)
{
	if (rc >= 0)
		return rc;
	errno = -rc;
	return -1;
}

static int open_device(const struct sim_profile *profile, int flags)
{
	struct sim_fault fault = sim_fault_enter(MR_SIM_OPEN);
	int fd = fault.error ? fault.error : sim_table_create(profile->kind, flags & O_CLOEXEC);

	if (!fault.error)
		sim_fault_leave(&fault);
	return return_errno(fd);
}

/*
 * A character device that is opened once more, through /proc/self/fd, has a new context.  The memfd
 * opened once more would have the same one: a new memfd is made in its place.  @fd is what libc opened.
 */
static int reopen_device(const char *path, int flags, int fd)
{
	enum mr_sim_profile kind = MR_SIM_PROFILES;
	int saved = errno, rc;
	struct stat st;

	if (fd < 0 || flags & O_PATH ||
	    (strncmp(path, "/proc/", 6) != 0 && strncmp(path, "/dev/fd/", 8) != 0))
		return fd;
	rc = sim_libc()->fstat(fd, &st) ? -errno : sim_file_probe(fd, &st, &kind);
	errno = saved;
	if (!rc && kind == MR_SIM_PROFILES)
		return fd;
	rc = rc ? return_errno(rc) : open_device(sim_profile_of(kind), flags);
	saved = errno;
	sim_libc()->close(fd);
	errno = saved;
	return rc;
}

static mode_t mode_of(int flags, va_list args)
{
	return flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(args, mode_t) : 0;
}

static int open_at(int dir, const char *path, int flags, mode_t mode)
{
	const struct sim_profile *profile = profile_of_path(path);
	int fd;

	if (profile)
		return open_device(profile, flags);
	if (sim_dmabuf_node_open(path, flags, &fd))
		return return_errno(fd);
	return reopen_device(path, flags, sim_libc()->openat(dir, path, flags, mode));
}

EXPORT int open(const char *path, int flags, ...)
{
	va_list args;
	mode_t mode;

	va_start(args, flags);
	mode = mode_of(flags, args);
	va_end(args);
	return open_at(AT_FDCWD, path, flags, mode);
}

EXPORT int openat(int dir, const char *path, int flags, ...)
{
	va_list args;
	mode_t mode;

	va_start(args, flags);
	mode = mode_of(flags, args);
	va_end(args);
	return open_at(dir, path, flags, mode);
}

EXPORT int __open_2(const char *path, int flags)
{
	return open(path, flags);
}

EXPORT int __openat_2(int dir, const char *path, int flags)
{
	return openat(dir, path, flags);
}

EXPORT int close(int fd)
{
	sim_file_forget(fd);
	return sim_libc()->close(fd);
}

/* ---- stat ---------------------------------------------------------------------------------- */

static void show_as_device(const struct sim_profile *profile, struct stat *st)
{
	st->st_mode = S_IFCHR | 0666;
	st->st_nlink = 1;
	st->st_rdev = makedev(profile->major, profile->minor);
	st->st_size = 0;
	st->st_blocks = 0;
}

EXPORT int fstat(int fd, struct stat *st)
{
	enum mr_sim_profile kind;
	int rc, saved = errno;

	rc = sim_libc()->fstat(fd, st);
	if (rc)
		return rc;
	rc = sim_file_probe(fd, st, &kind);
	if (rc)
		return return_errno(rc);
	if (kind != MR_SIM_PROFILES)
		show_as_device(sim_profile_of(kind), st);
	errno = saved;
	return 0;
}

/* Return: false for any other path. */
static bool stat_node(const char *path, struct stat *st)
{
	const struct sim_profile *profile = profile_of_path(path);

	if (!profile)
		return false;
	memset(st, 0, sizeof(*st));
	st->st_blksize = sysconf(_SC_PAGESIZE);
	show_as_device(profile, st);
	return true;
}

EXPORT int stat(const char *path, struct stat *st)
{
	return stat_node(path, st) ? 0 : sim_libc()->stat(path, st);
}

EXPORT int lstat(const char *path, struct stat *st)
{
	return stat_node(path, st) ? 0 : sim_libc()->lstat(path, st);
}

/* The same of a path, or of the descriptor @dir where the path is empty. */
static bool stat_node_at(int dir, const char *path, int flags, struct stat *st)
{
	enum mr_sim_profile kind;
	int saved = errno;
	bool found;

	__asm__("" : "+r"(path)); /* as in profile_of_path() */
	if (!(flags & AT_EMPTY_PATH) || !path || *path)
		return stat_node(path, st);
	found = !sim_libc()->fstat(dir, st) && !sim_file_probe(dir, st, &kind) &&
		kind != MR_SIM_PROFILES;
	if (found)
		show_as_device(sim_profile_of(kind), st);
	errno = saved;
	return found;
}

EXPORT int fstatat(int dir, const char *path, struct stat *st, int flags)
{
	return stat_node_at(dir, path, flags, st) ? 0 : sim_libc()->fstatat(dir, path, st, flags);
}

EXPORT int statx(int dir, const char *path, int flags, unsigned int mask, struct statx *stx)
{
	struct stat st;

	if (!stat_node_at(dir, path, flags, &st))
		return sim_libc()->statx(dir, path, flags, mask, stx);
	*stx = (struct statx){ .stx_mask = STATX_BASIC_STATS,
			       .stx_blksize = (uint32_t)st.st_blksize,
			       .stx_mode = (uint16_t)st.st_mode,
			       .stx_nlink = 1,
			       .stx_rdev_major = major(st.st_rdev),
			       .stx_rdev_minor = minor(st.st_rdev) };
	return 0;
}

/* For programs that were built against glibc before 2.33.  64-bit machines have one version of struct stat. */
EXPORT int __fxstat(int version, int fd, struct stat *st)
{
	(void)version;
	return fstat(fd, st);
}

EXPORT int __xstat(int version, const char *path, struct stat *st)
{
	(void)version;
	return stat(path, st);
}

EXPORT int __lxstat(int version, const char *path, struct stat *st)
{
	(void)version;
	return lstat(path, st);
}

EXPORT int __fxstatat(int version, int dir, const char *path, struct stat *st, int flags)
{
	(void)version;
	return fstatat(dir, path, st, flags);
}

/* ---- access, readlink, extended attributes ---------------------------------------------------------------------- */

/* Answers for a node with mode 0666. */
static int access_node(int mode)
{
	return return_errno(mode & ~(R_OK | W_OK | X_OK) ? -EINVAL : mode & X_OK ? -EACCES : 0);
}

/* BY_PATH() - a function of a path, of which @answer is the result for a node */
#define BY_PATH(type, name, parameters, arguments, answer)                                         \
	EXPORT type name parameters                                                                \
	{                                                                                          \
		return profile_of_path(path) ? answer : sim_libc()->name arguments;                \
	}

BY_PATH(int, access, (const char *path, int mode), (path, mode), access_node(mode))
BY_PATH(int, euidaccess, (const char *path, int mode), (path, mode), access_node(mode))
BY_PATH(int, faccessat, (int dir, const char *path, int mode, int flags), (dir, path, mode, flags),
	access_node(mode))
BY_PATH(ssize_t, readlink, (const char *path, char *text, size_t size), (path, text, size),
	return_errno(-EINVAL))
BY_PATH(ssize_t, readlinkat, (int dir, const char *path, char *text, size_t size),
	(dir, path, text, size), return_errno(-EINVAL))

/* The kernel answers so for a node of devtmpfs without attributes. */
BY_PATH(ssize_t, getxattr, (const char *path, const char *name, void *value, size_t size),
	(path, name, value, size), return_errno(-ENODATA))
BY_PATH(ssize_t, lgetxattr, (const char *path, const char *name, void *value, size_t size),
	(path, name, value, size), return_errno(-ENODATA))
BY_PATH(ssize_t, listxattr, (const char *path, char *names, size_t size), (path, names, size), 0)
BY_PATH(ssize_t, llistxattr, (const char *path, char *names, size_t size), (path, names, size), 0)

/* ---- realpath ------------------------------------------------------------------------------ */

/*
 * Programs such as NCCL find the PCI function by realpath("/sys/class/infiniband/mlx5_0/device") and read
 * files below the answer by fopen(3), which cannot be replaced: the answer is in SYSFS_PATH.  realpath(3) of
 * glibc calls functions that cannot be replaced either.
 */
static const char *real_place(const char *path, char place[PATH_MAX])
{
	const char *sysfs = getenv("SYSFS_PATH");
	struct stat st;

	__asm__("" : "+r"(path)); /* as in profile_of_path() */
	if (!path || !sysfs || sim_wanted_kind() == MR_SIM_PROFILES ||
	    strncmp(path, "/sys/class/infiniband", 21) != 0 ||
	    snprintf(place, PATH_MAX, "%s%s", sysfs, path + strlen("/sys")) >= PATH_MAX)
		return path;
	return sim_libc()->lstat(place, &st) ? path : place;
}

EXPORT char *realpath(const char *path, char *resolved)
{
	char place[PATH_MAX];

	if (profile_of_path(path))
		return resolved ? strcpy(resolved, path) : strdup(path);
	return sim_libc()->realpath(real_place(path, place), resolved);
}

EXPORT char *__realpath_chk(const char *path, char *resolved, size_t size)
{
	char place[PATH_MAX];

	if (profile_of_path(path))
		return realpath(path, resolved);
	return sim_libc()->__realpath_chk(real_place(path, place), resolved, size);
}

EXPORT char *canonicalize_file_name(const char *path)
{
	return realpath(path, NULL);
}

/* ---- fcntl, mmap, ioctl, socket ------------------------------------------------------------ */

/* sim_file_get(), with errno as it was. */
static int get_file(int fd, struct sim_file **file)
{
	int saved = errno, rc = sim_file_get(fd, file);

	errno = saved;
	return rc;
}

/* Whether a call of fcntl() takes or releases a write lock of a memfd. */
static bool locks_memfd(int fd, int command, const struct flock *lock)
{
	int saved = errno;
	struct stat st;
	bool found;

	if ((command != F_SETLK && command != F_SETLKW) || !lock || lock->l_type == F_RDLCK)
		return false;
	found = sim_libc()->fcntl(fd, F_GET_SEALS) >= 0 && !sim_libc()->fstat(fd, &st) &&
		st.st_nlink == 0;
	errno = saved;
	return found;
}

/*
 * fcntl() is replaced for faults alone: mrctl takes and releases record locks on the memfd of its session
 * table at each change, and MR_SIM_LOCK lets tests interrupt it there.
 */
EXPORT int fcntl(int fd, int command, ...)
{
	struct sim_fault fault;
	va_list args;
	void *arg;
	int rc;

	va_start(args, command);
	arg = va_arg(args, void *); /* libc reads the argument so, too, whatever its type */
	va_end(args);
	if (!sim_fault_wanted(MR_SIM_LOCK) || !locks_memfd(fd, command, arg))
		return sim_libc()->fcntl(fd, command, arg);
	fault = sim_fault_enter(MR_SIM_LOCK);
	if (fault.error) {
		errno = -fault.error;
		return -1;
	}
	rc = sim_libc()->fcntl(fd, command, arg);
	sim_fault_leave(&fault);
	return rc;
}

EXPORT void *mmap(void *addr, size_t length, int prot, int flags, int fd, off_t offset)
{
	const bool of_file = fd >= 0 && !(flags & MAP_ANONYMOUS);
	struct sim_file *file = NULL;
	void *address;
	int rc = of_file ? get_file(fd, &file) : 0;

	if (rc) {
		errno = -rc;
		return MAP_FAILED;
	}
	if (!file) {
		if (of_file)
			sim_maps_note(fd, flags);
		return sim_libc()->mmap(addr, length, prot, flags, fd, offset);
	}
	address = sim_profile_of(file->table.kind)
			  ->mmap(&file->table, addr, length, prot, flags, offset);
	sim_file_put(file);
	return address;
}

EXPORT int ioctl(int fd, unsigned long request, ...)
{
	struct sim_file *file = NULL;
	va_list args;
	void *arg;
	int rc;

	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	if (sim_dmabuf_node_ioctl(fd, request, arg, &rc))
		return return_errno(rc);
	rc = request == RDMA_VERBS_IOCTL ? get_file(fd, &file) : 0;
	if (rc)
		return return_errno(rc);
	if (!file)
		return sim_libc()->ioctl(fd, request, arg);
	rc = sim_uverbs_ioctl(&file->table, arg);
	sim_file_put(file);
	return return_errno(rc);
}

/* Without netlink libibverbs looks for devices in SYSFS_PATH, rather than to ask the kernel for them. */
EXPORT int socket(int domain, int type, int protocol)
{
	if (domain == AF_NETLINK && protocol == NETLINK_RDMA &&
	    sim_wanted_kind() != MR_SIM_PROFILES) {
		errno = EPROTONOSUPPORT;
		return -1;
	}
	return sim_libc()->socket(domain, type, protocol);
}

/*
 * librxe announces work requests by a write command: post_send_db().  The thread of the data path looks at the queues
 * anyway.  Other writes fail, since the descriptor only reads.
 */
EXPORT ssize_t write(int fd, const void *data, size_t size)
{
	const size_t command_size =
		sizeof(struct ib_uverbs_cmd_hdr) + sizeof(struct ib_uverbs_post_send);
	const struct ib_uverbs_cmd_hdr *header = data;
	struct sim_file *file = NULL;
	bool is_doorbell;

	if (size != command_size || get_file(fd, &file) || !file)
		return sim_libc()->write(fd, data, size);
	is_doorbell = header->command == IB_USER_VERBS_CMD_POST_SEND;
	sim_file_put(file);
	return is_doorbell ? (ssize_t)size : sim_libc()->write(fd, data, size);
}

/* ---- other names --------------------------------------------------------------------------- */

/* Gives a function a second name.  On 64-bit machines a struct stat64 is a struct stat, and an off64_t an off_t. */
#define ALIAS(name, function)                                                                      \
	extern __typeof__(name) name __attribute__((alias(#function), visibility("default")))
#ifndef __clang__ /* which has no such warning */
#pragma GCC diagnostic ignored "-Wattribute-alias"
#endif

ALIAS(open64, open);
ALIAS(openat64, openat);
ALIAS(__open64_2, __open_2);
ALIAS(__openat64_2, __openat_2);
ALIAS(fstat64, fstat);
ALIAS(stat64, stat);
ALIAS(lstat64, lstat);
ALIAS(fstatat64, fstatat);
ALIAS(__fxstat64, __fxstat);
ALIAS(__xstat64, __xstat);
ALIAS(__lxstat64, __lxstat);
ALIAS(__fxstatat64, __fxstatat);
ALIAS(eaccess, euidaccess);
ALIAS(fcntl64, fcntl);
ALIAS(mmap64, mmap);

EXPORT uint64_t mrctl_sim_pinned(void)
{
	return sim_account_pinned();
}
