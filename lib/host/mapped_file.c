// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "lib/base/base.h"
#include "lib/host/live.h"
#include "lib/host/mapped_file.h"

#ifndef STATX_ATTR_DAX
#define STATX_ATTR_DAX 0x00200000 /* linux/stat.h since Linux 5.8 */
#endif

/* ---- file system ---- */

struct mount_search {
	unsigned int major, minor; /* of the device */
	char *type;
	size_t size;
	char upper[256]; /* path of the upper layer of an overlay, or "" */
};

/* Takes the option upperdir from what follows the type.  A path with signs that are escaped is left out. */
static void take_upper(const char *options, char *upper, size_t size)
{
	static const char option[] = ",upperdir=";
	const char *path = strstr(options, option);
	size_t length;

	if (!path)
		return;
	path += sizeof(option) - 1;
	length = strcspn(path, ", \n\\");
	if (length < size && path[length] != '\\')
		snprintf(upper, size, "%.*s", (int)length, path);
}

/* proc_pid_mountinfo(5): the third word is the device, and the type comes behind " - ". */
static bool take_mount(const char *line, void *data)
{
	struct mount_search *search = data;
	const char *rest = strstr(line, " - ");
	unsigned int major_number, minor_number;
	char type[32];

	if (search->type[0] || !rest ||
	    sscanf(line, "%*s %*s %u:%u", &major_number, &minor_number) != 2 ||
	    major_number != search->major || minor_number != search->minor ||
	    sscanf(rest, " - %31s", type) != 1)
		return false;
	mr_clean_text(type, sizeof(type));
	snprintf(search->type, search->size, "%s", type);
	if (!strcmp(type, "overlay"))
		take_upper(rest, search->upper, sizeof(search->upper));
	return true;
}

/* Returns the name of a local file system by statfs(2), or "-". */
static const char *filesystem_name(const char *path)
{
	static const struct {
		__typeof__(((struct statfs *)0)->f_type) magic;
		const char *name;
	} names[] = { { EXT4_SUPER_MAGIC, "ext4" },
		      { XFS_SUPER_MAGIC, "xfs" },
		      { F2FS_SUPER_MAGIC, "f2fs" },
		      { MSDOS_SUPER_MAGIC, "vfat" } };
	struct statfs fs;

	if (!statfs(path, &fs))
		for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
			if (fs.f_type == names[i].magic)
				return names[i].name;
	return "-";
}

/* ---- file ---- */

/* statx(2) is asked without waiting for a server. */
#define ASKED STATX_BASIC_STATS
#define HOW   (AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT)

/* Of more open descriptors the others are not looked at. */
enum { DESCRIPTORS_MAX = 4096 };

struct file_question {
	const struct mr_host *host;
	char path[sizeof(((struct mr_mapping *)0)->path)];
	bool is_in_memory;  /* on tmpfs, where statfs(2) waits for no server */
	bool is_on_disk;    /* on a disk without a mount that can be seen, as in some chroots */
	bool is_on_overlay; /* whose upper layer is not known */
	const struct mr_mapping *mapping;
};

static void describe(const struct statx *st, const char *free_text, char *text, size_t size)
{
	snprintf(text, size,
		 "mode=%o device=%u:%u inode=%" PRIu64 " size=%" PRIu64 " allocated=%" PRIu64
		 " dax=%s free=%s",
		 st->stx_mode, st->stx_dev_major, st->stx_dev_minor, (uint64_t)st->stx_ino,
		 (uint64_t)st->stx_size, (uint64_t)st->stx_blocks * 512,
		 !(st->stx_attributes_mask & STATX_ATTR_DAX) ? "unknown"
		 : st->stx_attributes & STATX_ATTR_DAX       ? "yes"
							     : "no",
		 free_text);
}

/* What statx(2) and statfs(2) say. */
static int ask_file(void *data, char *text, size_t size)
{
	const struct file_question *question = data;
	char free_text[32] = "unknown", path[PATH_MAX];
	struct statfs fs;
	struct statx st;
	int rc;

	rc = mr_live_path(mr_host_viewer(question->host), question->path, path);
	if (rc)
		return rc;
	if (statx(AT_FDCWD, path, HOW, ASKED, &st))
		return -errno;
	if (question->is_in_memory && !statfs(path, &fs) && fs.f_blocks)
		snprintf(free_text, sizeof(free_text), "%" PRIu64,
			 (uint64_t)fs.f_bavail * (uint64_t)fs.f_bsize);
	describe(&st, free_text, text, size);
	if (question->is_on_disk || (question->is_on_overlay && mr_overlay_has_tmpfs(path)))
		snprintf(text + strlen(text), size - strlen(text), " type=%s",
			 question->is_on_disk ? filesystem_name(path) : "tmpfs");
	return 0;
}

/*
 * Whether the path still leads to the mapped file.  stat(2) of some file systems tells another device than
 * that of their mount; such devices have major number 0.
 */
static bool is_same(const struct mr_mapping *mapping, unsigned int major_number,
		    unsigned int minor_number, uint64_t inode)
{
	return inode == mapping->inode && (major_number == 0 || (major_number == mapping->major &&
								 minor_number == mapping->minor));
}

/* proc_pid_map_files(5) */
static int ask_map_files(const struct file_question *question, struct statx *st)
{
	const struct mr_mapping *mapping = question->mapping;
	char link[64], path[PATH_MAX];
	int rc;

	snprintf(link, sizeof(link), "/proc/self/map_files/%" PRIx64 "-%" PRIx64, mapping->start,
		 mapping->end);
	rc = mr_live_path(mr_host_viewer(question->host), link, path);
	return rc ? rc : statx(AT_FDCWD, path, HOW, ASKED, st) ? -errno : 0;
}

/* Several file systems in memory have the same numbers of inodes, so that the device must be the same, too. */
static int ask_descriptors(const struct file_question *question, struct statx *st)
{
	const struct mr_mapping *mapping = question->mapping;
	const struct dirent *entry;
	char path[PATH_MAX];
	bool is_found = false;
	DIR *folder;
	int rc = mr_live_path(mr_host_viewer(question->host), "/proc/self/fd", path);

	if (rc)
		return rc;
	folder = opendir(path);
	if (!folder)
		return -errno;
	for (int left = DESCRIPTORS_MAX; !is_found && left && (entry = readdir(folder)); left--)
		is_found = entry->d_name[0] != '.' &&
			   !statx(dirfd(folder), entry->d_name, HOW, ASKED, st) &&
			   st->stx_ino == mapping->inode && st->stx_dev_major == mapping->major &&
			   st->stx_dev_minor == mapping->minor;
	closedir(folder);
	return is_found ? 0 : -ENOENT;
}

static int ask_open_file(void *data, char *text, size_t size)
{
	const struct file_question *question = data;
	struct statx st = { .stx_mode = 0 };
	int rc = ask_map_files(question, &st);

	if (rc)
		rc = ask_descriptors(question, &st);
	if (!rc)
		describe(&st, "unknown", text, size);
	return rc;
}

/* Memory that is a file to the kernel alone has none that a program could change. */
static bool can_be_open(const struct mr_mapping *mapping)
{
	static const char *const names[] = { "/dev/zero", "/SYSV", "/anon_hugepage" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strncmp(mapping->path, names[i], strlen(names[i])))
			return false;
	return true;
}

/* Takes an answer, if it is about the file of the mapping. */
static bool take_file(const struct mr_mapping *mapping, const char *text,
		      struct mr_mapped_file *file)
{
	unsigned int mode, major_number, minor_number;
	uint64_t inode, size, allocated;
	const char *type = strstr(text, " type=");
	char dax[8], name[32];
	int end = 0;

	if (sscanf(text,
		   "mode=%o device=%u:%u inode=%" SCNu64 " size=%" SCNu64 " allocated=%" SCNu64
		   " dax=%7s free=%n",
		   &mode, &major_number, &minor_number, &inode, &size, &allocated, dax,
		   &end) != 7 ||
	    !is_same(mapping, major_number, minor_number, inode))
		return false;
	file->is_found = true;
	file->type = mode & S_IFMT;
	file->size = (struct mr_opt_u64){ size, S_ISREG(mode) };
	file->allocated = (struct mr_opt_u64){ allocated, S_ISREG(mode) };
	file->free.known = end && sscanf(text + end, "%" SCNu64, &file->free.value) == 1;
	file->is_dax = !strcmp(dax, "yes") ? MR_YES : !strcmp(dax, "no") ? MR_NO : MR_UNKNOWN;
	if (type && !file->upper[0] && sscanf(type, " type=%31[a-z0-9]", name) == 1)
		snprintf(file->filesystem[0] ? file->upper : file->filesystem, sizeof(name), "%s",
			 name);
	return true;
}

static void read_file(struct mr_host *host, const struct mr_mapping *mapping,
		      struct mr_mapped_file *file)
{
	struct file_question question = { .host = host,
					  .is_in_memory = !strcmp(file->filesystem, "tmpfs"),
					  .is_on_disk = !file->filesystem[0] && mapping->major,
					  .is_on_overlay = !file->upper[0] &&
							   !strcmp(file->filesystem, "overlay"),
					  .mapping = mapping };
	char name[sizeof(question.path) + 8], text[256];

	snprintf(question.path, sizeof(question.path), "%s", mapping->path);
	snprintf(name, sizeof(name), "file%s", question.path);
	file->has_path = !mr_host_ask(host, name, ask_file, &question, text, sizeof(text)) &&
			 take_file(mapping, text, file);
	if (file->has_path || !can_be_open(mapping))
		return;
	snprintf(name, sizeof(name), "open-file-%u-%u-%" PRIu64, mapping->major, mapping->minor,
		 mapping->inode);
	if (!mr_host_ask(host, name, ask_open_file, &question, text, sizeof(text)))
		take_file(mapping, text, file);
}

/* The upper layer is where an overlay has the files that can be written. */
static void read_upper(struct mr_host *host, const char *path, struct mr_mapped_file *file)
{
	struct file_question question = { .host = host };
	struct mount_search search = { .type = file->upper, .size = sizeof(file->upper) };
	char name[sizeof(question.path) + 8], text[256];
	unsigned int mode;

	snprintf(question.path, sizeof(question.path), "%s", path);
	snprintf(name, sizeof(name), "file%s", question.path);
	if (path[0] == '/' && !mr_host_ask(host, name, ask_file, &question, text, sizeof(text)) &&
	    sscanf(text, "mode=%o device=%u:%u", &mode, &search.major, &search.minor) == 3 &&
	    S_ISDIR(mode))
		mr_host_lines(host, "/proc/self/mountinfo", take_mount, &search);
}

/* No regular file can, but for those of sysfs and /proc. */
static bool can_be_device(const struct mr_mapping *mapping, const struct mr_mapped_file *file)
{
	static const char *const roots[] = { "/sys/", "/proc/", "anon_inode:", "/dmabuf:" };

	for (size_t i = 0; i < sizeof(roots) / sizeof(*roots); i++)
		if (!strncmp(mapping->path, roots[i], strlen(roots[i])))
			return true;
	return file->is_found ? file->type == S_IFCHR : !strncmp(mapping->path, "/dev/", 5);
}

void mr_mapped_file_read(struct mr_host *host, const struct mr_mapping *mapping,
			 struct mr_mapped_file *file)
{
	struct mount_search search = { .major = mapping->major,
				       .minor = mapping->minor,
				       .type = file->filesystem,
				       .size = sizeof(file->filesystem) };

	*file = (struct mr_mapped_file){ .filesystem = "" };
	if (!mapping->inode)
		return;
	mr_host_lines(host, "/proc/self/mountinfo", take_mount, &search);
	if (search.upper[0])
		read_upper(host, search.upper, file);
	if (mapping->path[0] == '/' && strlen(mapping->path) < sizeof(mapping->path) - 1)
		read_file(host, mapping, file);
	file->can_be_device = can_be_device(mapping, file);
}
