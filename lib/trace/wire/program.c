// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "lib/trace/wire/wire.h"

enum {
	SCRIPTS = 5, /* interpreters of interpreters: BINPRM_MAX_RECURSION of fs/exec.c has 5 */
	HEAD_BYTES = 256, /* BINPRM_BUF_SIZE: a script's first line */
	SEGMENTS = 64,    /* program headers that are read */
};

/* The first bytes of a program. */
union head {
	char text[HEAD_BYTES];
	ElfW(Ehdr) elf;
};

static bool read_at(int fd, void *bytes, size_t size, uint64_t offset)
{
	return syscall(SYS_pread64, fd, bytes, size, (long)offset) == (long)size;
}

/* AT_SECURE, for which ld.so ignores LD_PRELOAD: where the program gives rights that its starter lacks. */
static bool is_privileged(int fd, const struct stat *st)
{
	struct statvfs mount;

	if (getuid() != geteuid() || getgid() != getegid())
		return true;
	if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ||
	    (!fstatvfs(fd, &mount) && mount.f_flag & ST_NOSUID))
		return false;
	if (st->st_mode & S_ISUID && st->st_uid != geteuid())
		return true;
	if (st->st_mode & S_ISGID && st->st_mode & S_IXGRP && st->st_gid != getegid())
		return true;
	return getuid() != 0 && fgetxattr(fd, "security.capability", NULL, 0) > 0;
}

/* Whether a path is that of glibc's loader: ld-linux-x86-64.so.2, ld-linux-aarch64.so.1, ld64.so.2, ld-2.31.so. */
static bool is_glibc_loader(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	return !strncmp(name, "ld-linux", 8) || !strncmp(name, "ld64.so", 7) ||
	       !strncmp(name, "ld-2.", 5);
}

/* The head of this code's own file, which the linker names (ld(1), __ehdr_start). */
extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

static enum mr_trace_obstacle obstacle_of_elf(int fd, const ElfW(Ehdr) * elf, const char *path)
{
	const unsigned char order = __BYTE_ORDER == __LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB;
	ElfW(Phdr) segment = { .p_type = PT_NULL };
	char loader[256] = "";

	if (elf->e_ident[EI_CLASS] != ELFCLASS64 || elf->e_ident[EI_DATA] != order ||
	    elf->e_machine != __ehdr_start.e_machine)
		return MR_TRACE_OTHER_MACHINE;
	for (uint16_t i = 0; elf->e_phentsize == sizeof(segment) && i < elf->e_phnum &&
			     i < SEGMENTS && segment.p_type != PT_INTERP;
	     i++)
		if (!read_at(fd, &segment, sizeof(segment), elf->e_phoff + i * sizeof(segment)))
			segment.p_type = PT_NULL;
	if (segment.p_type != PT_INTERP)
		return is_glibc_loader(path) ? MR_TRACE_FOLLOWED : MR_TRACE_STATIC;
	if (segment.p_filesz >= sizeof(loader) ||
	    !read_at(fd, loader, segment.p_filesz, segment.p_offset))
		return MR_TRACE_UNREADABLE;
	return is_glibc_loader(loader) ? MR_TRACE_FOLLOWED : MR_TRACE_OTHER_LIBC;
}

/* @script: set to the interpreter's path where the file is a script; it is in @head. */
static enum mr_trace_obstacle obstacle_of_file(int fd, const char *path, union head *head,
					       char **script)
{
	struct stat st;
	long length;
	char *at;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		return MR_TRACE_FOLLOWED;
	memset(head, 0, sizeof(*head));
	length = syscall(SYS_pread64, fd, head, sizeof(*head), 0L);
	if (length > 2 && !memcmp(head->text, "#!", 2)) {
		/* The first line is cut to the path (binfmt_script.c, load_script()). */
		head->text[HEAD_BYTES - 1] = '\0';
		at = head->text + 2 + strspn(head->text + 2, " \t");
		at[strcspn(at, " \t\n")] = '\0';
		*script = *at ? at : NULL;
		return MR_TRACE_FOLLOWED;
	}
	if (is_privileged(fd, &st))
		return MR_TRACE_PRIVILEGED;
	/* A file of another format is for binfmt_misc(5) or refused by execve(2), and execvp(3) gives it to a shell. */
	if (length < (long)sizeof(head->elf) || memcmp(head->elf.e_ident, ELFMAG, SELFMAG) != 0)
		return MR_TRACE_FOLLOWED;
	return obstacle_of_elf(fd, &head->elf, path);
}

enum mr_trace_obstacle mr_trace_program(int dir, const char *path)
{
	enum mr_trace_obstacle obstacle = MR_TRACE_FOLLOWED;
	union head heads[2];
	int saved = errno;
	const char *file = path;

	for (int i = 0; i < SCRIPTS && file; i++) {
		const char *opened = file;
		char own[32], *script = NULL;
		int fd;

		if (!*file && !i && dir >= 0) {
			snprintf(own, sizeof(own), "/proc/self/fd/%d", dir);
			opened = own;
		}
		/* By syscall(2): open() is a cancellation point, and others may have replaced it. */
		fd = (int)syscall(SYS_openat, i ? AT_FDCWD : dir, opened,
				  O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
		if (fd < 0) {
			obstacle = errno == EACCES && (!*file || !faccessat(i ? AT_FDCWD : dir,
									    file, X_OK, AT_EACCESS))
					   ? MR_TRACE_UNREADABLE
					   : MR_TRACE_FOLLOWED;
			break;
		}
		obstacle = obstacle_of_file(fd, file, &heads[i % 2], &script);
		syscall(SYS_close, fd);
		file = script;
	}
	errno = saved;
	return obstacle;
}

int mr_trace_find_program(const char *name, const char *list, char *path, unsigned long size)
{
	int rc = -ENOENT;

	list = list ? list : "/bin:/usr/bin";
	if (strchr(name, '/'))
		list = "";
	for (;;) {
		const size_t length = strcspn(list, ":");
		struct stat st;

		/* An empty item is the current folder. */
		snprintf(path, size, "%.*s%s%s", (int)length, list, length ? "/" : "", name);
		if (!stat(path, &st)) {
			if (S_ISREG(st.st_mode) && !access(path, X_OK))
				return 0;
			rc = -EACCES;
		}
		if (!list[length])
			return rc;
		list += length + 1;
	}
}
