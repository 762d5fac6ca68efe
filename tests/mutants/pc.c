// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Linked into each program and library of the coverage build, which gcc calls at each basic block.  It notes the
 * block in a file that is mapped shared, so that what a killed process executed is noted as well.
 * coverage.py makes the file MUTANTS_COVERAGE/MODULE; each test of a bats file has its own part of it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

extern const char __ehdr_start[] __attribute__((visibility("hidden")));
static unsigned char *blocks;

/* Uses system calls, not functions: the simulator and preloads replace those. */
static __attribute__((constructor(101))) void map_blocks(void)
{
	const char *folder = getenv("MUTANTS_COVERAGE"), *test = getenv("BATS_TEST_NUMBER");
	long part = test ? strtol(test, NULL, 10) : 0, fd, addr;
	char path[4096];
	int saved = errno;

	if (!folder || part < 0 || part >= PARTS)
		return;
	snprintf(path, sizeof(path), "%s/%s", folder, MODULE);
	fd = syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC);
	if (fd >= 0) {
		addr = syscall(SYS_mmap, NULL, PART_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, part * PART_SIZE);
		blocks = addr == -1 ? NULL : (unsigned char *)addr;
		syscall(SYS_close, fd);
	}
	errno = saved;
}

__attribute__((visibility("hidden"))) void __sanitizer_cov_trace_pc(void);

void __sanitizer_cov_trace_pc(void)
{
	unsigned long block = (unsigned long)((const char *)__builtin_return_address(0) - __ehdr_start);

	if (blocks && block < PART_SIZE)
		blocks[block] = 1;
}
