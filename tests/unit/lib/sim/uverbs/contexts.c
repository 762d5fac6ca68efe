// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Contexts: each open() makes one of its own; threads share it. */
#include <linux/filter.h>
#include <linux/netlink.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "tests/unit/lib/sim/device.h"

TEST(each_open_is_a_context_of_its_own)
{
	int again = open_context(), same = dup(fd), fresh, null;
	char path[64];

	assert_int_equal(reg(memory, PAGE, LOCAL), 0);
	assert_int_equal(dereg_in(again, mr.mr_handle), ENOENT);
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	fresh = open(path, O_RDWR);
	assert_true(fresh >= 0);
	assert_int_equal(fcntl(fresh, F_GETFD), 0);
	assert_int_equal(dereg_in(fresh, mr.mr_handle), ENOENT);
	assert_int_equal(get_context(fresh), 0);
	assert_int_equal(dereg_in(same, mr.mr_handle), 0);
	/* a number that is used again is another context, or none */
	assert_int_equal(reg_in(same, pd, memory, PAGE, 0, LOCAL), 0);
	assert_int_equal(dup2(again, same), same);
	assert_int_equal(dereg_in(same, mr.mr_handle), ENOENT);
	null = open("/dev/null", O_RDWR);
	assert_int_equal(dup2(null, same), same);
	assert_int_equal(dereg_in(same, mr.mr_handle), ENOTTY);
	close(null);
	close(again);
	close(same);
	close(fresh);
}

TEST(netlink_is_refused_so_that_sysfs_is_read)
{
	assert_int_equal(socket(AF_NETLINK, SOCK_RAW, NETLINK_RDMA), -1);
	assert_int_equal(errno, EPROTONOSUPPORT);
}

/* Lets the kernel refuse to say what a descriptor is, with EIO. */
static int refuse_fstat(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_newfstatat, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fstat, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EIO),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = { ARRAY_SIZE(filter), filter };

	EXPECT(!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	EXPECT(!prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program));
	EXPECT(dereg(0) == EIO);
	return 0;
}

TEST(an_error_of_fstat_is_the_answer_of_the_ioctl)
{
	assert_int_equal(dereg_in(-1, 0), EBADF);
	if (getenv("WRAP")) /* valgrind needs these calls itself */
		skip();
	assert_int_equal(in_child(refuse_fstat), 0);
}

/* ---- threads ---- */

static void *register_often(void *argument)
{
	uint32_t domain;
	int own;

	for (int i = 0; i < 2000; i++) {
		if (reg(memory, PAGE, LOCAL) || dereg(mr.mr_handle))
			return argument;
		if (i % 10)
			continue;
		own = open_context();
		if (alloc_pd(own, &domain) || reg_in(own, domain, memory, 2 * PAGE, 0, LOCAL) ||
		    close(own))
			return argument;
	}
	return NULL;
}

TEST_IN_CHILD(threads_can_register_at_once)
{
	pthread_t threads[4];
	void *failed;

	EXPECT(!may_lock(12));
	for (size_t i = 0; i < ARRAY_SIZE(threads); i++)
		EXPECT(!pthread_create(&threads[i], NULL, register_often, memory));
	for (size_t i = 0; i < ARRAY_SIZE(threads); i++) {
		EXPECT(!pthread_join(threads[i], &failed));
		EXPECT(!failed);
	}
	EXPECT(!reg(memory, 12 * PAGE, LOCAL));
	EXPECT(reg(memory, PAGE, LOCAL) == ENOMEM);
	return 0;
}

EACH_TEST(open_device, close_device)
