// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The simulated nodes that make dma-bufs: /dev/udmabuf and the system heap. */
#include <linux/dma-heap.h>
#include <linux/udmabuf.h>

#include "lib/sim/memory/memory.h"
#include "tests/unit/unit.h"

#define PAGE 4096

static int open_node(const char *path)
{
	int fd = -1;

	assert_true(sim_dmabuf_node_open(path, O_RDWR | O_CLOEXEC, &fd));
	assert_true(fd >= 0);
	return fd;
}

/* The answer of a node to an ioctl. */
static int ask(int fd, unsigned long request, void *arg)
{
	int answer = -1000;

	assert_true(sim_dmabuf_node_ioctl(fd, request, arg, &answer));
	return answer;
}

TEST(only_these_nodes_are_made_up_and_only_in_a_simulation)
{
	struct udmabuf_create create = { .size = PAGE };
	int fd, answer;

	unsetenv("MRCTL_SIM");
	assert_false(sim_dmabuf_node_open("/dev/udmabuf", O_RDWR, &fd));
	setenv("MRCTL_SIM", "rxe", 1);
	assert_false(sim_dmabuf_node_open("/dev/dma_heap/reserved", O_RDWR, &fd));
	assert_false(sim_dmabuf_node_open("/dev/udmabufs", O_RDWR, &fd));
	assert_false(sim_dmabuf_node_open("/tmp/udmabuf", O_RDWR, &fd));
	assert_false(sim_dmabuf_node_open(NULL, O_RDWR, &fd));
	fd = open_node("/dev/dma_heap/system");
	/* other descriptors and requests are left alone */
	assert_false(sim_dmabuf_node_ioctl(fd, UDMABUF_CREATE, &create, &answer));
	assert_false(sim_dmabuf_node_ioctl(fd, 0x5401, &create, &answer));
	assert_false(sim_dmabuf_node_ioctl(0, UDMABUF_CREATE, &create, &answer));
	assert_false(sim_dmabuf_node_ioctl(-1, UDMABUF_CREATE, &create, &answer));
	close(fd);
}

/* A memfd of four pages that begin with 'a', 'b', ... */
static int make_memfd(int seals)
{
	int fd = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	assert_int_equal(ftruncate(fd, 4 * PAGE), 0);
	for (int i = 0; i < 4; i++)
		assert_int_equal(pwrite(fd, (char[]){ (char)('a' + i) }, 1, i * PAGE), 1);
	if (seals)
		assert_int_equal(fcntl(fd, F_ADD_SEALS, seals), 0);
	return fd;
}

TEST(a_udmabuf_is_a_scattered_dma_buf_of_that_memory_and_a_heap_gives_whole_contiguous_pages)
{
	struct udmabuf_create create = { .memfd = (uint32_t)make_memfd(F_SEAL_SHRINK),
					 .flags = UDMABUF_FLAGS_CLOEXEC,
					 .offset = PAGE,
					 .size = 2 * PAGE };
	struct dma_heap_allocation_data allocation = { .len = PAGE + 1, .fd_flags = O_RDWR };
	int node = open_node("/dev/udmabuf"), heap = open_node("/dev/dma_heap/system");
	int fd = ask(node, UDMABUF_CREATE, &create);
	struct sim_dmabuf dmabuf;
	char byte = 0;

	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	assert_int_equal(sim_dmabuf_get(fd, 0, 2 * PAGE, &dmabuf), 0);
	assert_true(dmabuf.scattered);
	assert_int_equal(sim_dmabuf_get(fd, 1, 2 * PAGE, &dmabuf), -EINVAL);
	assert_int_equal(pread(fd, &byte, 1, PAGE), 1);
	assert_int_equal(byte, 'c');
	assert_int_equal(sim_dmabuf_get((int)create.memfd, 0, PAGE, &dmabuf), -EINVAL);
	assert_int_equal(sim_dmabuf_get(node, 0, PAGE, &dmabuf), -EINVAL);
	close(fd);
	assert_int_equal(ask(heap, DMA_HEAP_IOCTL_ALLOC, &allocation), 0);
	fd = (int)allocation.fd;
	assert_int_equal(fcntl(fd, F_GETFD), 0);
	assert_int_equal(sim_dmabuf_get(fd, 0, 2 * PAGE, &dmabuf), 0);
	assert_false(dmabuf.scattered);
	assert_int_equal(sim_dmabuf_get(fd, 0, 2 * PAGE + 1, &dmabuf), -EINVAL);
	close(fd);
	close((int)create.memfd);
	close(node);
	close(heap);
}

TEST(what_a_udmabuf_cannot_be_made_of_is_refused)
{
	const int sealed = make_memfd(F_SEAL_SHRINK), plain = make_memfd(0);
	const int written = make_memfd(F_SEAL_SHRINK | F_SEAL_WRITE);
	const int later = make_memfd(F_SEAL_SHRINK | F_SEAL_FUTURE_WRITE);
	const int large = memfd_create("test", MFD_ALLOW_SEALING), null = open("/dev/null", O_RDWR);
	const int node = open_node("/dev/udmabuf");
	const uint64_t limit = UINT64_C(64) << 20;
	const struct {
		struct udmabuf_create create;
		int answer;
	} cases[] = {
		{ { (uint32_t)sealed, 0, 0, 0 }, -EINVAL },
		{ { (uint32_t)sealed, 2, 0, PAGE }, -EINVAL },
		{ { (uint32_t)sealed, 0, 1, PAGE }, -EINVAL },
		{ { (uint32_t)sealed, 0, 0, 1 }, -EINVAL },
		{ { (uint32_t)sealed, 0, 0, 5 * PAGE }, -EINVAL },
		{ { (uint32_t)sealed, 0, 4 * PAGE, PAGE }, -EINVAL },
		{ { (uint32_t)sealed, 0, -(uint64_t)PAGE, 2 * PAGE }, -EINVAL },
		{ { (uint32_t)plain, 0, 0, PAGE }, -EINVAL },
		{ { (uint32_t)written, 0, 0, PAGE }, -EINVAL },
		{ { (uint32_t)later, 0, 0, PAGE }, -EINVAL },
		{ { (uint32_t)null, 0, 0, PAGE }, -EBADFD },
		{ { 999, 0, 0, PAGE }, -EBADFD },
		{ { (uint32_t)large, 0, 0, limit + PAGE }, -EINVAL },
	};
	struct udmabuf_create create;

	assert_int_equal(ftruncate(large, (off_t)limit + PAGE), 0);
	assert_int_equal(fcntl(large, F_ADD_SEALS, F_SEAL_SHRINK), 0);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		create = cases[i].create;
		if (ask(node, UDMABUF_CREATE, &create) != cases[i].answer)
			fail_msg("case %zu", i);
	}
	assert_int_equal(ask(node, UDMABUF_CREATE, NULL), -EFAULT);
	for (int fd = sealed; fd <= node; fd++)
		close(fd);
}

TEST(what_a_heap_cannot_give_is_refused)
{
	const int heap = open_node("/dev/dma_heap/system");
	const struct {
		struct dma_heap_allocation_data allocation;
		int answer;
	} cases[] = {
		{ { .len = 0 }, -EINVAL },
		{ { .len = UINT64_MAX }, -EINVAL }, /* rounded up it is 0 */
		{ { .len = UINT64_C(1) << 50 }, -ENOMEM },
		{ { .len = PAGE, .fd = 1 }, -EINVAL },
		{ { .len = PAGE, .fd_flags = O_APPEND }, -EINVAL },
		{ { .len = PAGE, .heap_flags = 1 }, -EINVAL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct dma_heap_allocation_data allocation = cases[i].allocation;

		if (ask(heap, DMA_HEAP_IOCTL_ALLOC, &allocation) != cases[i].answer)
			fail_msg("case %zu", i);
	}
	close(heap);
}
