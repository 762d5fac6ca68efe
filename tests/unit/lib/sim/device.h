/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the tests of the simulated device share.  They run under "mrctl sim --". */
#ifndef TESTS_UNIT_LIB_SIM_DEVICE_H
#define TESTS_UNIT_LIB_SIM_DEVICE_H

#include <endian.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "tests/unit/lib/sim/request.h"
#include "tests/unit/unit.h"

#ifndef NODE
#define NODE "/dev/infiniband/uverbs250"
#endif
#define PAGE   4096ul
#define IOVA   0x7000000000ull
#define LOCAL  IB_UVERBS_ACCESS_LOCAL_WRITE
#define MEMORY (64 * PAGE)

struct device {
	int fd;
	uint32_t pd;
	char *memory; /* MEMORY bytes */
};

static inline char *map(size_t length, int prot)
{
	char *memory = mmap(NULL, length, prot, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(memory, MAP_FAILED);
	return memory;
}

static inline int open_node(void)
{
	int fd = open(NODE, O_RDWR | O_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

static inline int open_context(void)
{
	int fd = open_node();

	assert_int_equal(get_context(fd), 0);
	return fd;
}

static inline int open_device(void **state)
{
	static struct device device;

	device.fd = open_context();
	assert_int_equal(alloc_pd(device.fd, &device.pd), 0);
	device.memory = map(MEMORY, PROT_READ | PROT_WRITE);
	*state = &device;
	return 0;
}

static inline int close_device(void **state)
{
	struct device *device = *state;

	munmap(device->memory, MEMORY);
	return close(device->fd);
}

/* ---- memory -------------------------------------------------------------------------------------- */

/* Become a user without capabilities, with a RLIMIT_MEMLOCK of @pages: 0, or -1. */
static inline int may_lock(rlim_t pages)
{
	const struct rlimit limit = { pages * PAGE, pages * PAGE };

	if (setrlimit(RLIMIT_MEMLOCK, &limit))
		return -1;
	return getuid() ? 0 : setresuid(65534, 65534, 65534);
}

static inline int make_dmabuf(uint64_t pages)
{
	int fd = memfd_create("mrctl-dmabuf test", MFD_CLOEXEC);

	assert_int_equal(ftruncate(fd, (off_t)(pages * PAGE)), 0);
	return fd;
}

/* ---- advice ---------------------------------------------------------------------------------- */

/* arguments of advise() */
#define ODP   (LOCAL | IB_UVERBS_ACCESS_ON_DEMAND)
#define READ  IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH
#define WRITE IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_WRITE
#define LOOK  IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT
#define FLUSH IB_UVERBS_ADVISE_MR_FLAG_FLUSH

static inline void init_advice(struct request *request, uint32_t pd, uint64_t advice,
			       uint32_t flags, const struct ib_uverbs_sge *list, size_t size)
{
	init(request, UVERBS_OBJECT_MR, UVERBS_METHOD_ADVISE_MR);
	attr(request, UVERBS_ATTR_ADVISE_MR_PD_HANDLE, 0, pd);
	attr(request, UVERBS_ATTR_ADVISE_MR_ADVICE, 8, advice);
	attr(request, UVERBS_ATTR_ADVISE_MR_FLAGS, 4, flags);
	pointer(request, UVERBS_ATTR_ADVISE_MR_SGE_LIST, size, list);
}

static inline int advise(const struct device *device, uint32_t key, uint64_t advice, uint32_t flags,
			 uint64_t addr, uint32_t length)
{
	const struct ib_uverbs_sge sge = { .addr = addr, .length = length, .lkey = key };
	struct request request;

	init_advice(&request, device->pd, advice, flags, &sge, sizeof(sge));
	return send_to(&request, device->fd);
}

static inline bool is_resident(const char *page)
{
	unsigned char residency = 0;

	assert_int_equal(mincore((void *)(uintptr_t)page, PAGE, &residency), 0);
	return residency & 1;
}

/* ---- sysfs ----------------------------------------------------------------------------------- */

static inline void read_sysfs(const char *file, char *text, size_t size)
{
	char path[512];
	FILE *stream;

	snprintf(path, sizeof(path), "%s/class/%s", getenv("SYSFS_PATH"), file);
	stream = fopen(path, "r");
	assert_non_null(stream);
	assert_non_null(fgets(text, (int)size, stream));
	text[strcspn(text, "\n")] = '\0';
	fclose(stream);
}

static inline void guid_text(uint64_t guid, char text[20])
{
	guid = be64toh(guid);
	snprintf(text, 20, "%04x:%04x:%04x:%04x", (unsigned int)(guid >> 48),
		 (unsigned int)(guid >> 32) & 0xffff, (unsigned int)(guid >> 16) & 0xffff,
		 (unsigned int)guid & 0xffff);
}

/* ---- other processes ----------------------------------------------------------------------- */

/* An assertion for functions that run in a child: cmocka's would return to the parent's other tests. */
#define EXPECT(condition)                                                                          \
	do {                                                                                       \
		if (!(condition))                                                                  \
			return __LINE__ % 255 + 1;                                                 \
	} while (0)

static inline void assert_child_succeeds(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_equal_for("line of this file", WEXITSTATUS(status), 0);
}

/* Run work() in a child.  It uses EXPECT(), and returns 0 at its end. */
static inline void in_child(int (*work)(struct device *device), struct device *device)
{
	pid_t pid = fork();

	if (!pid)
		_exit(work(device));
	assert_child_succeeds(pid);
}

/* A message that carries a descriptor, or receives one. */
struct message {
	struct msghdr hdr;
	struct iovec text;
	char byte;
	union {
		struct cmsghdr header;
		char space[CMSG_SPACE(sizeof(int))];
	} control;
};

static inline void init_message(struct message *message)
{
	memset(message, 0, sizeof(*message));
	message->text = (struct iovec){ &message->byte, 1 };
	message->hdr.msg_iov = &message->text;
	message->hdr.msg_iovlen = 1;
	message->hdr.msg_control = &message->control;
	message->hdr.msg_controllen = sizeof(message->control);
	message->control.header.cmsg_level = SOL_SOCKET;
	message->control.header.cmsg_type = SCM_RIGHTS;
	message->control.header.cmsg_len = CMSG_LEN(sizeof(int));
}

/* Send a descriptor over a socket; returns whether it was sent. */
static inline bool send_fd(int socket, int fd)
{
	struct message message;

	init_message(&message);
	memcpy(CMSG_DATA(&message.control.header), &fd, sizeof(fd));
	return sendmsg(socket, &message.hdr, 0) == 1;
}

/* Receive a descriptor from a socket; returns it, or -1. */
static inline int receive_fd(int socket)
{
	struct message message;
	int fd;

	init_message(&message);
	if (recvmsg(socket, &message.hdr, 0) != 1)
		return -1;
	memcpy(&fd, CMSG_DATA(&message.control.header), sizeof(fd));
	return fd;
}

#endif
