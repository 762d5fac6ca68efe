// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Which programs can be followed. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <sys/stat.h>

#include "lib/trace/wire/program.h"
#include "tests/unit/unit.h"

static char folder[] = "/tmp/program-XXXXXX";
static char path[PATH_MAX];

static const char *in_folder(const char *name)
{
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static const char *write_file(const char *name, const void *bytes, size_t size)
{
	int fd = open(in_folder(name), O_CREAT | O_TRUNC | O_WRONLY, 0755);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, size), size);
	assert_int_equal(fchmod(fd, 0755), 0);
	close(fd);
	return path;
}

/* A program with this loader, or without one where it is NULL. */
static struct program {
	ElfW(Ehdr) elf;
	ElfW(Phdr) segment;
	char loader[64];
} program;

static const char *write_program(const char *name, const char *loader)
{
	int fd = open("/proc/self/exe", O_RDONLY);

	memset(&program, 0, sizeof(program));
	assert_int_equal(read(fd, &program.elf, sizeof(program.elf)), sizeof(program.elf));
	close(fd);
	program.elf.e_phnum = 1;
	program.elf.e_phoff = offsetof(struct program, segment);
	program.segment.p_type = loader ? PT_INTERP : PT_LOAD;
	program.segment.p_offset = offsetof(struct program, loader);
	program.segment.p_filesz = sizeof(program.loader);
	snprintf(program.loader, sizeof(program.loader), "%s", loader ? loader : "");
	return write_file(name, &program, sizeof(program));
}

TEST(the_running_program_is_followed)
{
	int fd = open("/proc/self/exe", O_RDONLY);

	assert_int_equal(mr_trace_program(AT_FDCWD, "/proc/self/exe"), MR_TRACE_FOLLOWED);
	assert_int_equal(mr_trace_program(fd, ""), MR_TRACE_FOLLOWED);
	close(fd);
}

TEST(the_loader_decides)
{
	static const struct {
		const char *loader;
		enum mr_trace_obstacle obstacle;
	} rows[] = {
		{ "/lib64/ld-linux-x86-64.so.2", MR_TRACE_FOLLOWED },
		{ "/lib/ld-linux-aarch64.so.1", MR_TRACE_FOLLOWED },
		{ "/nix/store/x/ld-linux-x86-64.so.2", MR_TRACE_FOLLOWED },
		{ "/lib64/ld64.so.2", MR_TRACE_FOLLOWED },
		{ "/lib/ld-musl-x86_64.so.1", MR_TRACE_OTHER_LIBC },
		{ "/system/bin/linker64", MR_TRACE_OTHER_LIBC },
		{ NULL, MR_TRACE_STATIC },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_equal_for(rows[i].loader ? rows[i].loader : "none",
				 mr_trace_program(AT_FDCWD, write_program("p", rows[i].loader)),
				 rows[i].obstacle);
}

TEST(the_loader_itself_is_followed_as_a_program)
{
	assert_int_equal(mr_trace_program(AT_FDCWD, write_program("ld-linux-x86-64.so.2", NULL)),
			 MR_TRACE_FOLLOWED);
}

TEST(other_machines_are_told)
{
	write_program("p", "/lib64/ld-linux-x86-64.so.2");
	program.elf.e_machine = EM_SPARCV9;
	assert_int_equal(mr_trace_program(AT_FDCWD, write_file("p", &program, sizeof(program))),
			 MR_TRACE_OTHER_MACHINE);
	write_program("p", "/lib64/ld-linux-x86-64.so.2");
	program.elf.e_ident[EI_CLASS] = ELFCLASS32;
	assert_int_equal(mr_trace_program(AT_FDCWD, write_file("p", &program, sizeof(program))),
			 MR_TRACE_OTHER_MACHINE);
}

TEST(of_a_script_the_interpreter_counts)
{
	char text[PATH_MAX + 16];
	int length;

	write_program("static", NULL);
	length = snprintf(text, sizeof(text), "#! %s -x\necho\n", path);
	assert_int_equal(mr_trace_program(AT_FDCWD, write_file("script", text, (size_t)length)),
			 MR_TRACE_STATIC);
	length = snprintf(text, sizeof(text), "#!%s/script", folder);
	assert_int_equal(mr_trace_program(AT_FDCWD, write_file("of-script", text, (size_t)length)),
			 MR_TRACE_STATIC);
	length = snprintf(text, sizeof(text), "#!/bin/sh\n");
	assert_int_equal(mr_trace_program(AT_FDCWD, write_file("shell", text, (size_t)length)),
			 MR_TRACE_FOLLOWED);
}

TEST(a_script_may_name_itself)
{
	char text[PATH_MAX];
	int length = snprintf(text, sizeof(text), "#!%s/loop\n", folder);

	assert_int_equal(mr_trace_program(AT_FDCWD, write_file("loop", text, (size_t)length)),
			 MR_TRACE_FOLLOWED);
}

TEST(rights_of_another_user_are_told)
{
	write_program("p", "/lib64/ld-linux-x86-64.so.2");
	assert_int_equal(chmod(path, 04755), 0);
	assert_int_equal(mr_trace_program(AT_FDCWD, path), MR_TRACE_FOLLOWED); /* own user */
	if (geteuid())
		skip();
	assert_int_equal(chown(path, 12345, 0), 0);
	assert_int_equal(chmod(path, 04755), 0);
	assert_int_equal(mr_trace_program(AT_FDCWD, path), MR_TRACE_PRIVILEGED);
	assert_int_equal(chown(path, 0, 12345), 0);
	assert_int_equal(chmod(path, 02755), 0);
	assert_int_equal(mr_trace_program(AT_FDCWD, path), MR_TRACE_PRIVILEGED);
	assert_int_equal(chmod(path, 02745), 0); /* without x it is for mandatory locks */
	assert_int_equal(mr_trace_program(AT_FDCWD, path), MR_TRACE_FOLLOWED);
}

/* What execve(2) refuses does not run, so nothing is to be told. */
TEST(what_cannot_run_is_no_obstacle)
{
	assert_int_equal(mr_trace_program(AT_FDCWD, "/nonexistent"), MR_TRACE_FOLLOWED);
	assert_int_equal(mr_trace_program(AT_FDCWD, folder), MR_TRACE_FOLLOWED);
	assert_int_equal(mr_trace_program(AT_FDCWD, write_file("empty", "", 0)), MR_TRACE_FOLLOWED);
	assert_int_equal(mr_trace_program(AT_FDCWD, write_file("cut", ELFMAG, 4)),
			 MR_TRACE_FOLLOWED);
	assert_int_equal(mkfifo(in_folder("fifo"), 0755), 0);
	assert_int_equal(mr_trace_program(AT_FDCWD, in_folder("fifo")), MR_TRACE_FOLLOWED);
}

TEST(a_hostile_file_does_no_harm)
{
	write_program("p", "/lib64/ld-linux-x86-64.so.2");
	program.elf.e_phnum = 0xffff;
	program.elf.e_phoff = UINT64_MAX - 3;
	assert_int_equal(mr_trace_program(AT_FDCWD, write_file("p", &program, sizeof(program))),
			 MR_TRACE_STATIC);
	write_program("p", "/lib64/ld-linux-x86-64.so.2");
	program.segment.p_filesz = UINT64_MAX;
	assert_int_equal(mr_trace_program(AT_FDCWD, write_file("p", &program, sizeof(program))),
			 MR_TRACE_UNREADABLE);
}

TEST(errno_stays)
{
	errno = 77;
	mr_trace_program(AT_FDCWD, "/nonexistent");
	assert_int_equal(errno, 77);
}

TEST(programs_are_found_as_execvp_finds_them)
{
	char list[2 * PATH_MAX], found[PATH_MAX];

	write_program("here", NULL);
	snprintf(list, sizeof(list), "/nonexistent:%s", folder);
	assert_int_equal(mr_trace_find_program("here", list, found, sizeof(found)), 0);
	assert_string_equal(found, path);
	assert_int_equal(mr_trace_find_program("absent", list, found, sizeof(found)), -ENOENT);
	assert_int_equal(mr_trace_find_program("sh", NULL, found, sizeof(found)), 0);
	assert_string_equal(found, "/bin/sh");
	assert_int_equal(mr_trace_find_program(path, "/bin", found, sizeof(found)), 0);
	assert_string_equal(found, path);
	assert_int_equal(chmod(path, 0), 0);
	assert_int_equal(mr_trace_find_program("here", list, found, sizeof(found)), -EACCES);
	assert_int_equal(mr_trace_find_program(path, "/bin", found, sizeof(found)), -EACCES);
	assert_int_equal(mr_trace_find_program("/", "/bin", found, sizeof(found)), -EACCES);
}

static int make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", folder);
	return system(command);
}

ALL_TESTS(make_folder, remove_folder)
