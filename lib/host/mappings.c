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
#include <unistd.h>

#include "lib/base/base.h"
#include "lib/host/host.h"

static bool count_line(const char *line, void *data)
{
	(void)line;
	++*(uint64_t *)data;
	return false;
}

static int count_mappings(const struct mr_host *host, void *data, char *text, size_t size)
{
	struct mr_host here = mr_host_unrecorded(host);
	uint64_t count = 0;
	const int rc = mr_host_lines(&here, count_line, &count, "/proc/self/maps");

	(void)data;
	snprintf(text, size, "%" PRIu64, count);
	return rc;
}

struct mr_opt_u64 mr_mappings_used(struct mr_host *host)
{
	struct mr_opt_u64 used = { 0 };
	char text[32];

	used.known = !mr_host_query(host, count_mappings, NULL, text, sizeof(text), "mappings") &&
		     sscanf(text, "%" SCNu64, &used.value) == 1;
	return used;
}

/* Bytes of resident memory whose pages the kernel counts for smaps in some 2 ms. */
#define RESIDENT_MAX (UINT64_C(128) << 20)

/* ---- lines ---- */

/* Reads a file of the process by line; of this machine nothing is recorded. */
static int read_lines(struct mr_host *host, const char *path,
		      bool (*take)(const char *line, void *data), void *data)
{
	struct mr_host here = mr_host_unrecorded(host);

	host->reads |= MR_READ_MEMORY;
	return mr_host_lines(mr_host_is_live(host) ? &here : host, take, data, "%s", path);
}

/* ---- mappings ---- */

struct walk {
	uint64_t start;
	bool (*visit)(const struct mr_mapping *mapping, void *data);
	void *data;
	bool has_begun, is_done;
	bool is_garbled; /* a line is that of no mapping, so what is mapped is not known */
};

static bool walk_line(const char *line, void *data)
{
	struct walk *walk = data;
	struct mr_mapping mapping;

	if (walk->is_done || walk->is_garbled)
		return true;
	walk->is_garbled = !mr_mapping_parse(line, &mapping);
	if (walk->is_garbled)
		return true;
	walk->has_begun = true;
	/* the kernel's own page for old programs is listed, but no memory of the process */
	if (mapping.end > walk->start && strcmp(mapping.path, "[vsyscall]") != 0)
		walk->is_done = !walk->visit(&mapping, walk->data);
	return true;
}

/* Each process has mappings. */
int mr_mappings_walk(struct mr_host *host, uint64_t start,
		     bool (*visit)(const struct mr_mapping *mapping, void *data), void *data)
{
	struct walk walk = { .start = start, .visit = visit, .data = data };
	const int rc = read_lines(host, "/proc/self/maps", walk_line, &walk);

	return rc ? rc : walk.is_garbled || !walk.has_begun ? -EBADMSG : 0;
}

/* ---- details ---- */

struct details_search {
	uint64_t start;
	bool is_found, is_done;
	struct mr_mapping_details *details;
};

static void take_flags(const char *flags, struct mr_mapping_details *details)
{
	static const struct {
		char name[3];
		size_t member;
	} rows[] = {
#define ROW(name, member) { name, offsetof(struct mr_mapping_details, member) }
		ROW("io", is_io),         ROW("pf", is_pfn),           ROW("ht", is_hugetlb),
		ROW("nr", is_unreserved), ROW("hg", is_thp_requested), ROW("um", has_faults),
		ROW("uw", has_faults),    ROW("ui", has_faults),
#undef ROW
	};

	for (flags += strspn(flags, " "); *flags; flags += strspn(flags, " ")) {
		const size_t length = strcspn(flags, " ");

		for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
			if (!strncmp(flags, rows[i].name, 2))
				*(bool *)((char *)details + rows[i].member) = true;
		flags += length;
	}
}

/* Adds the kB of a line with one of these names. */
static void take_size(const char *line, const char *name, uint64_t *bytes)
{
	const size_t length = strlen(name);
	uint64_t kib;

	if (!strncmp(line, name, length) && sscanf(line + length, ": %" SCNu64 " kB", &kib) == 1 &&
	    kib <= UINT64_MAX >> 10)
		*bytes += kib << 10;
}

static bool take_details(const char *line, void *data)
{
	struct details_search *search = data;
	struct mr_mapping mapping;

	if (search->is_done)
		return true;
	if (!search->is_found) {
		search->is_found =
			mr_mapping_parse(line, &mapping) && mapping.start == search->start;
		return true;
	}
	take_size(line, "KernelPageSize", &search->details->page_size);
	take_size(line, "Private_Hugetlb", &search->details->huge);
	take_size(line, "Shared_Hugetlb", &search->details->huge);
	sscanf(line, "ProtectionKey: %u", &search->details->key);
	search->is_done = !strncmp(line, "VmFlags:", 8);
	if (search->is_done)
		take_flags(line + 8, search->details);
	return true;
}

int mr_mapping_details_read(struct mr_host *host, uint64_t start,
			    struct mr_mapping_details *details)
{
	struct details_search search = { .start = start, .details = details };
	struct mr_host here = mr_host_unrecorded(host);
	uint64_t resident;
	char text[128];
	int rc;

	*details = (struct mr_mapping_details){ 0 };
	host->reads |= MR_READ_MEMORY;
	/* The second figure of statm: pages that are resident. */
	if (mr_host_is_live(host) &&
	    (mr_host_read(&here, text, sizeof(text), "/proc/self/statm") <= 0 ||
	     sscanf(text, "%*u %" SCNu64, &resident) != 1 ||
	     resident > RESIDENT_MAX / (uint64_t)sysconf(_SC_PAGESIZE)))
		return -EFBIG;
	rc = read_lines(host, "/proc/self/smaps", take_details, &search);
	return rc ? rc : search.is_done ? 0 : -ENOENT;
}

/* ---- pages ---- */

#define PAGE_PRESENT      (UINT64_C(1) << 63)
#define PAGE_SWAPPED      (UINT64_C(1) << 62)
#define PAGE_IS_OF_FILE   (UINT64_C(1) << 61)
#define PAGE_IS_GUARD     (UINT64_C(1) << 58)
#define PAGE_IS_PROTECTED (UINT64_C(1) << 57) /* by userfaultfd(2) */
#define PAGE_IS_EXCLUSIVE (UINT64_C(1) << 56) /* mapped once */

int mr_absent_page_find(struct mr_host *host, uint64_t start, uint64_t end, enum mr_page_use use,
			struct mr_absent_page *page)
{
	static const struct {
		uint64_t set, clear;
	} wanted[] = {
		[MR_PAGE_READ] = { PAGE_PRESENT, 0 },
		[MR_PAGE_WRITE] = { PAGE_PRESENT, PAGE_IS_PROTECTED },
		[MR_PAGE_OWN] = { PAGE_PRESENT | PAGE_IS_EXCLUSIVE,
				  PAGE_IS_PROTECTED | PAGE_IS_OF_FILE },
	};
	const uint64_t size = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t entries[1024];
	mr_auto_fd int fd = -1;

	if (!mr_host_is_live(host))
		return -ENODATA;
	host->reads |= MR_READ_MEMORY;
	fd = mr_live_open(host, "/proc/self/pagemap");
	if (fd < 0)
		return fd;
	while (start < end) {
		const uint64_t left = (end - start + size - 1) / size;
		const size_t count = left < 1024 ? (size_t)left : 1024;
		const ssize_t got = pread(fd, entries, count * sizeof(*entries),
					  (off_t)(start / size * sizeof(*entries)));

		if (got < (ssize_t)sizeof(*entries))
			return got < 0 ? -errno : -EIO;
		for (size_t i = 0; i < (size_t)got / sizeof(*entries); i++, start += size) {
			if ((entries[i] & (wanted[use].set | wanted[use].clear)) == wanted[use].set)
				continue;
			*page = (struct mr_absent_page){ .addr = start,
							 .is_swapped = entries[i] & PAGE_SWAPPED,
							 .is_guard = entries[i] & PAGE_IS_GUARD };
			return 1;
		}
	}
	return 0;
}

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

static bool take_mount(const char *line, void *data)
{
	struct mount_search *search = data;
	struct mr_mount mount;

	if (search->type[0] || !mr_mount_parse(line, &mount) || mount.major != search->major ||
	    mount.minor != search->minor)
		return false;
	snprintf(search->type, search->size, "%s", mount.type);
	if (!strcmp(mount.type, "overlay"))
		take_upper(mount.options, search->upper, sizeof(search->upper));
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

/* statx(2) must not wait for a server. */
#define ASKED STATX_BASIC_STATS
#define HOW   (AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT)

/* Descriptors beyond this number are ignored. */
enum { DESCRIPTORS_MAX = 4096 };

struct file_question {
	const char *path;
	const struct mr_mapping *mapping; /* of the file; NULL: any file at the path */
	bool is_in_memory;                /* on tmpfs, where statfs(2) waits for no server */
	bool is_on_disk;    /* on a disk without a mount that can be seen, as in some chroots */
	bool is_on_overlay; /* whose upper layer is not known */
};

/*
 * Whether a file is that of a mapping: the path may lead to another one by now.  stat(2) of some file systems tells
 * another device than that of their mount; such devices have major number 0.
 */
static bool is_of_mapping(const struct mr_mapping *mapping, uint64_t inode, unsigned int major,
			  unsigned int minor)
{
	return inode == mapping->inode &&
	       (!major || (major == mapping->major && minor == mapping->minor));
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

/*
 * Looks for the file by proc_pid_map_files(5), or else by a descriptor.  Several file systems in memory have the same
 * numbers of inodes, so that the device must be the same, too.
 */
static int find_open(const struct mr_host *host, const struct mr_mapping *mapping, struct statx *st)
{
	const struct dirent *entry;
	char link[64], path[PATH_MAX];
	bool is_found = false;
	DIR *folder;
	int rc;

	snprintf(link, sizeof(link), "/proc/self/map_files/%" PRIx64 "-%" PRIx64, mapping->start,
		 mapping->end);
	if (!mr_live_path(host, link, path) && !statx(AT_FDCWD, path, HOW, ASKED, st))
		return 0;
	rc = mr_live_path(host, "/proc/self/fd", path);
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

/* Writes the answers of statx(2) and statfs(2); adds " open" for a file that is not at its path. */
static int query_file(const struct mr_host *host, void *data, char *text, size_t size)
{
	const struct file_question *question = data;
	const struct mr_mapping *mapping = question->mapping;
	char free_text[32] = "unknown", path[PATH_MAX];
	struct statfs fs;
	struct statx st;
	bool is_open;
	int rc = mr_live_path(host, question->path, path);

	if (!rc && statx(AT_FDCWD, path, HOW, ASKED, &st))
		rc = -errno;
	is_open = mapping && can_be_open(mapping) &&
		  (rc || !is_of_mapping(mapping, st.stx_ino, st.stx_dev_major, st.stx_dev_minor));
	if (is_open)
		rc = find_open(host, mapping, &st);
	if (rc)
		return rc;
	if (question->is_in_memory && !is_open && !statfs(path, &fs) && fs.f_blocks)
		snprintf(free_text, sizeof(free_text), "%" PRIu64,
			 (uint64_t)fs.f_bavail * (uint64_t)fs.f_bsize);
	snprintf(text, size,
		 "mode=%o device=%u:%u inode=%" PRIu64 " size=%" PRIu64 " allocated=%" PRIu64
		 " dax=%s free=%s",
		 st.stx_mode, st.stx_dev_major, st.stx_dev_minor, (uint64_t)st.stx_ino,
		 (uint64_t)st.stx_size, (uint64_t)st.stx_blocks * 512,
		 !(st.stx_attributes_mask & STATX_ATTR_DAX) ? "unknown"
		 : st.stx_attributes & STATX_ATTR_DAX       ? "yes"
							    : "no",
		 free_text);
	if (is_open)
		mr_text_add(text, size, " ", "open");
	else if (question->is_on_disk || (question->is_on_overlay && mr_overlay_has_tmpfs(path)))
		mr_text_add(text, size, " ", "type=%s",
			    question->is_on_disk ? filesystem_name(path) : "tmpfs");
	return 0;
}

/* Takes an answer, if it is about the file of the mapping. */
static void take_file(const struct mr_mapping *mapping, const char *text,
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
	    !is_of_mapping(mapping, inode, major_number, minor_number))
		return;
	file->has_path = !strstr(text, " open");
	file->is_found = true;
	file->type = mode & S_IFMT;
	file->size = (struct mr_opt_u64){ size, S_ISREG(mode) };
	file->allocated = (struct mr_opt_u64){ allocated, S_ISREG(mode) };
	file->free.known = end && sscanf(text + end, "%" SCNu64, &file->free.value) == 1;
	file->is_dax = !strcmp(dax, "yes") ? MR_YES : !strcmp(dax, "no") ? MR_NO : MR_UNKNOWN;
	if (type && !file->upper[0] && sscanf(type, " type=%31[a-z0-9]", name) == 1)
		snprintf(file->filesystem[0] ? file->upper : file->filesystem, sizeof(name), "%s",
			 name);
}

static void read_file(struct mr_host *host, const struct mr_mapping *mapping,
		      struct mr_mapped_file *file)
{
	struct file_question question = { .path = mapping->path,
					  .mapping = mapping,
					  .is_in_memory = !strcmp(file->filesystem, "tmpfs"),
					  .is_on_disk = !file->filesystem[0] && mapping->major,
					  .is_on_overlay = !file->upper[0] &&
							   !strcmp(file->filesystem, "overlay") };
	char text[256];

	if (!mr_host_query(host, query_file, &question, text, sizeof(text), "file%s",
			   mapping->path))
		take_file(mapping, text, file);
}

/* The upper layer is where an overlay has the files that can be written. */
static void read_upper(struct mr_host *host, const char *path, struct mr_mapped_file *file)
{
	struct file_question question = { .path = path };
	struct mount_search search = { .type = file->upper, .size = sizeof(file->upper) };
	char text[256];
	unsigned int mode;

	if (path[0] == '/' &&
	    !mr_host_query(host, query_file, &question, text, sizeof(text), "file%s", path) &&
	    sscanf(text, "mode=%o device=%u:%u", &mode, &search.major, &search.minor) == 3 &&
	    S_ISDIR(mode))
		mr_host_lines(host, take_mount, &search, "/proc/self/mountinfo");
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
	mr_host_lines(host, take_mount, &search, "/proc/self/mountinfo");
	if (search.upper[0])
		read_upper(host, search.upper, file);
	if (mapping->path[0] == '/' && strlen(mapping->path) < sizeof(mapping->path) - 1)
		read_file(host, mapping, file);
	file->can_be_device = can_be_device(mapping, file);
}
