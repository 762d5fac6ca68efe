// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "lib/base/clean_text.h"
#include "lib/host/mapped_file.h"

#ifndef STATX_ATTR_DAX
#define STATX_ATTR_DAX 0x00200000 /* linux/stat.h since Linux 5.8 */
#endif

/* ---- file system ---- */

struct mount_search {
	const struct mr_mapping *mapping;
	char *type;
	size_t size;
};

/* proc_pid_mountinfo(5): the third word is the device, and the type comes behind " - ". */
static bool take_mount(const char *line, void *data)
{
	struct mount_search *search = data;
	const char *rest = strstr(line, " - ");
	unsigned int major_number, minor_number;
	char type[32];

	if (search->type[0] || !rest ||
	    sscanf(line, "%*s %*s %u:%u", &major_number, &minor_number) != 2 ||
	    major_number != search->mapping->major || minor_number != search->mapping->minor ||
	    sscanf(rest, " - %31s", type) != 1)
		return false;
	mr_clean_text(type, sizeof(type));
	snprintf(search->type, search->size, "%s", type);
	return true;
}

/* ---- file ---- */

/* What statx(2) says, asked without waiting for a server. */
static int ask_statx(void *data, char *text, size_t size)
{
	struct statx st;

	if (statx(AT_FDCWD, data, AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT, STATX_BASIC_STATS, &st))
		return -errno;
	snprintf(text, size, "mode=%o device=%u:%u inode=%" PRIu64 " size=%" PRIu64 " dax=%s",
		 st.stx_mode, st.stx_dev_major, st.stx_dev_minor, (uint64_t)st.stx_ino,
		 (uint64_t)st.stx_size,
		 !(st.stx_attributes_mask & STATX_ATTR_DAX) ? "unknown"
		 : st.stx_attributes & STATX_ATTR_DAX       ? "yes"
							    : "no");
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

static void read_file(struct mr_host *host, const struct mr_mapping *mapping,
		      struct mr_mapped_file *file)
{
	char question[sizeof(mapping->path) + 8], path[sizeof(mapping->path)], text[256], dax[8];
	unsigned int mode, major_number, minor_number;
	uint64_t inode, size;

	snprintf(path, sizeof(path), "%s", mapping->path);
	snprintf(question, sizeof(question), "file%s", path);
	if (mr_host_ask(host, question, ask_statx, path, text, sizeof(text)) ||
	    sscanf(text, "mode=%o device=%u:%u inode=%" SCNu64 " size=%" SCNu64 " dax=%7s", &mode,
		   &major_number, &minor_number, &inode, &size, dax) != 6 ||
	    !is_same(mapping, major_number, minor_number, inode))
		return;
	file->is_found = true;
	file->type = mode & S_IFMT;
	file->size = (struct mr_opt_u64){ size, S_ISREG(mode) };
	file->is_dax = !strcmp(dax, "yes") ? MR_YES : !strcmp(dax, "no") ? MR_NO : MR_UNKNOWN;
}

/* No regular file can, but for those of sysfs and /proc. */
static bool can_be_device(const struct mr_mapping *mapping, const struct mr_mapped_file *file)
{
	static const char *const roots[] = { "/sys/", "/proc/", "anon_inode:" };

	for (size_t i = 0; i < sizeof(roots) / sizeof(*roots); i++)
		if (!strncmp(mapping->path, roots[i], strlen(roots[i])))
			return true;
	return file->is_found ? file->type == S_IFCHR : !strncmp(mapping->path, "/dev/", 5);
}

void mr_mapped_file_read(struct mr_host *host, const struct mr_mapping *mapping,
			 struct mr_mapped_file *file)
{
	struct mount_search search = { mapping, file->filesystem, sizeof(file->filesystem) };

	*file = (struct mr_mapped_file){ .filesystem = "" };
	if (!mapping->inode)
		return;
	mr_host_lines(host, "/proc/self/mountinfo", take_mount, &search);
	if (mapping->path[0] == '/' && strlen(mapping->path) < sizeof(mapping->path) - 1)
		read_file(host, mapping, file);
	file->can_be_device = can_be_device(mapping, file);
}
