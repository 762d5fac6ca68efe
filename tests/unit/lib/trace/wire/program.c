// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Which programs can be followed. */
#include <elf.h>
#include <limits.h>
#include <link.h>
#include <sys/stat.h>

#include "lib/trace/wire/wire.h"
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

TEST(the_loader_decides)
{
	static const struct {
		const char *loader;
		enum mr_trace_obstacle obstacle;
	} rows[] = {
		{ "/lib64/ld-linux-x86-64.so.2", MR_TRACE_FOLLOWED },
		{ "/lib/ld-linux-aarch64.so.1", MR_TRACE_FOLLOWED },
		{ "/lib64/ld64.so.2", MR_TRACE_FOLLOWED },
		{ "/lib/ld-musl-x86_64.so.1", MR_TRACE_OTHER_LIBC },
		{ "/system/bin/linker64", MR_TRACE_OTHER_LIBC },
		{ NULL, MR_TRACE_STATIC },
	};

	int fd = open("/proc/self/exe", O_RDONLY);

	assert_int_equal(mr_trace_program(AT_FDCWD, "/proc/self/exe"), MR_TRACE_FOLLOWED);
	assert_int_equal(mr_trace_program(fd, ""), MR_TRACE_FOLLOWED);
	close(fd);
	/* the loader itself, run as a program */
	assert_int_equal(mr_trace_program(AT_FDCWD, write_program("ld-linux-x86-64.so.2", NULL)),
			 MR_TRACE_FOLLOWED);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_equal_for(rows[i].loader ? rows[i].loader : "none",
				 mr_trace_program(AT_FDCWD, write_program("p", rows[i].loader)),
				 rows[i].obstacle);
}

TEST(of_a_script_the_interpreter_counts)
{
	static const struct {
		const char *name, *format; /* of the first line, with the folder */
		enum mr_trace_obstacle obstacle;
	} rows[] = {
		{ "script", "#! %s/static -x\necho\n", MR_TRACE_STATIC },
		{ "of-script", "#!%s/script", MR_TRACE_STATIC },
		{ "of-tab", "#!\t%s/of-script\t-x", MR_TRACE_STATIC },
		{ "shell", "#!/bin/sh\n%s", MR_TRACE_FOLLOWED },
		{ "loop", "#!%s/loop\n", MR_TRACE_FOLLOWED },
		{ "nothing", "#! \n%s", MR_TRACE_FOLLOWED },
	};

	write_program("static", NULL);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char text[PATH_MAX + 64];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		const int length = snprintf(text, sizeof(text), rows[i].format, folder);
#pragma GCC diagnostic pop

		write_file(rows[i].name, text, (size_t)length);
		assert_equal_for(rows[i].name, mr_trace_program(AT_FDCWD, path), rows[i].obstacle);
	}
}

/* Replacements for bytes of a program. */
static struct change {
	size_t at, size;
	uint64_t value;
	enum mr_trace_obstacle obstacle;
} changes[] = {
#define CHANGE(member, value, obstacle)                                                            \
	{                                                                                          \
		offsetof(struct program, member), sizeof(program.member), value, obstacle          \
	}
	CHANGE(elf.e_machine, EM_SPARCV9, MR_TRACE_OTHER_MACHINE),
	CHANGE(elf.e_ident[EI_CLASS], ELFCLASS32, MR_TRACE_OTHER_MACHINE),
	CHANGE(elf.e_ident[EI_DATA], ELFDATANONE, MR_TRACE_OTHER_MACHINE),
	CHANGE(elf.e_ident[0], 'x', MR_TRACE_FOLLOWED), /* no ELF: for a shell */
	CHANGE(elf.e_phentsize, 1, MR_TRACE_STATIC),
	CHANGE(elf.e_phnum, 0, MR_TRACE_STATIC),
	CHANGE(elf.e_phoff, UINT64_MAX - 3, MR_TRACE_STATIC),
	CHANGE(segment.p_filesz, 256, MR_TRACE_UNREADABLE),
	CHANGE(segment.p_filesz, UINT64_MAX, MR_TRACE_UNREADABLE),
	CHANGE(segment.p_offset, UINT64_MAX, MR_TRACE_UNREADABLE),
};

TEST(other_machines_and_hostile_files_are_told)
{
	for (size_t i = 0; i < ARRAY_SIZE(changes); i++) {
		write_program("p", "/lib64/ld-linux-x86-64.so.2");
		memcpy((char *)&program + changes[i].at, &changes[i].value, changes[i].size);
		write_file("p", &program, sizeof(program));
		if (mr_trace_program(AT_FDCWD, path) != changes[i].obstacle)
			fail_msg("change %zu", i);
	}
}

TEST(rights_of_another_user_are_told)
{
	static const struct {
		uid_t uid;
		gid_t gid;
		mode_t mode;
		enum mr_trace_obstacle obstacle;
	} rows[] = {
		{ 0, 0, 04755, MR_TRACE_FOLLOWED },
		{ 12345, 0, 04755, MR_TRACE_PRIVILEGED },
		{ 0, 12345, 02755, MR_TRACE_PRIVILEGED },
		{ 0, 12345, 02745, MR_TRACE_FOLLOWED }, /* without x it is for mandatory locks */
	};

	write_program("p", "/lib64/ld-linux-x86-64.so.2");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (geteuid())
			skip();
		assert_int_equal(chown(path, rows[i].uid, rows[i].gid), 0);
		assert_int_equal(chmod(path, rows[i].mode), 0);
		assert_equal_for(row_name(i), mr_trace_program(AT_FDCWD, path), rows[i].obstacle);
	}
}

/* A program that execve(2) refuses does not run, so nothing is reported. */
TEST(what_cannot_run_is_no_obstacle)
{
	errno = 77;
	assert_int_equal(mr_trace_program(AT_FDCWD, "/nonexistent"), MR_TRACE_FOLLOWED);
	assert_int_equal(mr_trace_program(AT_FDCWD, folder), MR_TRACE_FOLLOWED);
	assert_int_equal(mr_trace_program(AT_FDCWD, write_file("empty", "", 0)), MR_TRACE_FOLLOWED);
	assert_int_equal(mr_trace_program(AT_FDCWD, write_file("cut", ELFMAG, 4)),
			 MR_TRACE_FOLLOWED);
	assert_int_equal(mkfifo(in_folder("fifo"), 0755), 0);
	assert_int_equal(mr_trace_program(AT_FDCWD, in_folder("fifo")), MR_TRACE_FOLLOWED);
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

static int make_folder(void **state __attribute__((unused)))
{
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state __attribute__((unused)))
{
	char command[64];

	snprintf(command, sizeof(command), "rm -r %s", folder);
	return system(command);
}

ALL_TESTS(make_folder, remove_folder)
