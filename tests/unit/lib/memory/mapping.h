/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the tests of memory behind a region share: making a mapping that succeeds or fails, and accessing it. */
#ifndef TESTS_UNIT_LIB_MEMORY_MAPPING_H
#define TESTS_UNIT_LIB_MEMORY_MAPPING_H

#include <sys/uio.h>

#include "lib/memory/mapping.h"
#include "tests/unit/unit.h"

#define PAGE ((uint64_t)sysconf(_SC_PAGESIZE))

static inline void *pointer(uint64_t addr)
{
	return (void *)(uintptr_t)addr; // NOLINT(performance-no-int-to-ptr)
}

/* The kernel reads the byte: where nothing is mapped that fails with EFAULT, and raises no signal. */
static inline bool can_read(uint64_t addr)
{
	char byte;
	const struct iovec here = { &byte, 1 }, there = { pointer(addr), 1 };

	return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == 1;
}

static inline bool can_write(uint64_t addr)
{
	char byte = 'w';
	const struct iovec here = { &byte, 1 }, there = { pointer(addr), 1 };

	return process_vm_writev(getpid(), &here, 1, &there, 1, 0) == 1;
}

static inline struct mr_memory_request request(const char *kind, uint64_t length)
{
	struct mr_memory_request r = { .length = length };
	struct mr_error err = { 0 };

	if (mr_memory_kind_parse(kind, &r.kind, &err))
		fail_msg("%s", err.text);
	return r;
}

static inline struct mr_memory map(const struct mr_memory_request *r)
{
	struct mr_memory memory;
	struct mr_error err = { 0 };

	if (mr_memory_map(r, &memory, &err))
		fail_msg("%s: %s", r->kind.text, err.text);
	return memory;
}

static inline struct mr_error map_fails(const struct mr_memory_request *r)
{
	struct mr_memory memory;
	struct mr_error err = { 0 };
	int rc = mr_memory_map(r, &memory, &err);

	assert_true(rc < 0);
	assert_int_equal(rc, -err.errnum);
	assert_null(memory.map);
	return err;
}

#endif
