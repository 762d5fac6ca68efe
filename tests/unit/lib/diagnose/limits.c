// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "lib/diagnose/limits.h"

#include "tests/unit/lib/diagnose/check.h"

static void put_limits(const char *process, const char *soft, const char *hard)
{
	char path[64], text[256];

	snprintf(path, sizeof(path), "/proc/%s/limits", process);
	snprintf(text, sizeof(text),
		 "Limit                     Soft Limit           Hard Limit           Units     \n"
		 "Max locked memory         %-20s %-20s bytes     \n",
		 soft, hard);
	put(path, text);
}

/* A process that may do nothing special. */
static void put_process(const char *process, const char *name, int parent, const char *soft,
			const char *hard)
{
	char path[64], text[256];

	put_limits(process, soft, hard);
	snprintf(path, sizeof(path), "/proc/%s/status", process);
	snprintf(text, sizeof(text),
		 "Name:\t%s\nPPid:\t%d\nUid:\t1000\t1000\t1000\t1000\nVmPin:\t       0 kB\n"
		 "CapPrm:\t0000000000000000\nCapEff:\t0000000000000000\n"
		 "CapBnd:\t000001ffffffffff\n",
		 name, parent);
	put(path, text);
}

static void put_self(const char *effective, const char *uid_map)
{
	char text[256];

	snprintf(text, sizeof(text), "Name:\tmrctl\nPPid:\t0\nVmPin:\t0 kB\nCapEff:\t%s\n",
		 effective);
	put("/proc/self/status", text);
	put("/proc/self/uid_map", uid_map);
}

#define WHOLE_MAP "         0          0 4294967295\n"
#define ROOTS_MAP "         0       1000          1\n"
#define NO_CAPS   "0000000000000000"
#define IPC_LOCK  "0000000000004000"
#define LIMIT_8M  "8388608"
#define UNLIMITED "unlimited"

/* ---- limit of locked memory ---- */

TEST(memlock_cannot_be_read)
{
	CHECK(mr_check_memlock, 0);

	assert_int_equal(found.verdict, MR_VERDICT_UNKNOWN);
	assert_contains(found.figure, "/proc/self/limits");
}

TEST(memlock_is_not_a_number)
{
	put("/proc/self/limits", "Max locked memory         many lots bytes\n");
	CHECK(mr_check_memlock, 0);

	assert_int_equal(found.verdict, MR_VERDICT_UNKNOWN);
}

TEST(memlock_is_not_judged_where_the_capability_may_lift_it)
{
	put_limits("self", "65536", "65536");
	assert_int_equal(look(mr_check_memlock, 0).verdict, MR_VERDICT_UNKNOWN);
	put("/proc/self/status", "Name:\tmrctl\nPPid:\t0\nVmPin:\t64 kB\nCapEff:\t" IPC_LOCK "\n");
	assert_int_equal(look(mr_check_memlock, 0).verdict, MR_VERDICT_UNKNOWN);
	assert_int_equal(look(mr_check_pinned, 0).verdict, MR_VERDICT_UNKNOWN);
	put("/proc/self/uid_map", ROOTS_MAP);
	assert_string_equal(look(mr_check_memlock, 0).figure,
			    "64 KiB < 1 MiB; all ancestors have it");
	assert_int_equal(look(mr_check_memlock, 0).verdict, MR_VERDICT_BAD);
	put("/proc/self/uid_map", WHOLE_MAP);
	assert_int_equal(look(mr_check_memlock, 0).verdict, MR_VERDICT_OK);
}

TEST(memlock_counts_whole_pages)
{
	put_process("self", "mrctl", 0, "8388607", "8388607");
	assert_int_equal(look(mr_check_memlock, 8388607).verdict, MR_VERDICT_BAD);
	assert_int_equal(look(mr_check_memlock, 8384512).verdict, MR_VERDICT_OK);
}

TEST(pages_have_the_size_that_the_host_tells)
{
	static const char *const nonsense[] = { "",      "0",     "x",       "4095",
						"2048",  "12288", "1048576", "18446744073709551616",
						"-65536" };

	put_process("self", "mrctl", 0, "98304", "98304");
	call("answer", "/page-size", "65536");
	VERDICT(OK, mr_check_memlock, 1);
	VERDICT(OK, mr_check_memlock, 65536);
	VERDICT(BAD, mr_check_memlock, 65537);
	FIGURE("96 KiB < 128 KiB asked", mr_check_memlock, 65537);
	for (size_t i = 0; i < ARRAY_SIZE(nonsense); i++) {
		call("answer", "/page-size", nonsense[i]);
		assert_equal_for(nonsense[i], look(mr_check_memlock, 98304).verdict, MR_VERDICT_OK);
		assert_equal_for(nonsense[i], look(mr_check_memlock, 98305).verdict,
				 MR_VERDICT_BAD);
	}
}

TEST(pinned_memory_leaves_whole_pages_of_the_limit)
{
	put_process("self", "mrctl", 0, "196607", "196607");
	put("/proc/self/status", "Name:\tmrctl\nPPid:\t0\nVmPin:\t64 kB\nCapEff:\t0\n");
	VERDICT(OK, mr_check_pinned, 98304);
	call("answer", "/page-size", "65536");
	VERDICT(OK, mr_check_pinned, 65536);
	VERDICT(WARN, mr_check_pinned, 65537);
	FIGURE("64 KiB of", mr_check_pinned, 65537);
}

TEST(memlock_names_who_lowered_it_for_this_process)
{
	put_process("self", "mrctl", 300, LIMIT_8M, LIMIT_8M);
	put_process("300", "launcher", 0, UNLIMITED, UNLIMITED);
	assert_contains(look(mr_check_memlock, GIB).figure, "lowered below launcher");
	put_process("300", "launcher", 0, "65536", "65536");
	assert_contains(look(mr_check_memlock, GIB).figure, "set below launcher");
}

TEST(memlock_is_unlimited)
{
	put_process("self", "mrctl", 0, UNLIMITED, UNLIMITED);
	CHECK(mr_check_memlock, 1024 * GIB);

	assert_int_equal(found.verdict, MR_VERDICT_OK);
	assert_string_equal(found.remedy, "");
}

TEST(memlock_does_not_count_with_the_capability)
{
	put_limits("self", "0", "0");
	put_self(IPC_LOCK, WHOLE_MAP);
	CHECK(mr_check_memlock, GIB);

	assert_int_equal(found.verdict, MR_VERDICT_OK);
}

TEST(memlock_counts_in_a_user_namespace_whatever_the_capability)
{
	put_limits("self", LIMIT_8M, LIMIT_8M);
	put_self(IPC_LOCK, ROOTS_MAP);
	CHECK(mr_check_memlock, GIB);

	assert_int_equal(found.verdict, MR_VERDICT_BAD);
}

TEST(memlock_of_zero_means_eperm)
{
	put_process("self", "mrctl", 0, "0", LIMIT_8M);
	CHECK(mr_check_memlock, 0);

	assert_int_equal(found.verdict, MR_VERDICT_BAD);
	assert_contains(found.figure, "EPERM");
}

TEST(memlock_is_judged_by_half_of_the_memory)
{
	put_process("self", "mrctl", 0, LIMIT_8M, LIMIT_8M);
	put("/proc/meminfo", "MemTotal:       16384 kB\n");
	assert_int_equal(look(mr_check_memlock, 0).verdict, MR_VERDICT_OK);
	put("/proc/meminfo", "MemTotal:       16388 kB\n");
	assert_int_equal(look(mr_check_memlock, 0).verdict, MR_VERDICT_WARN);
}

TEST(memlock_is_needed_once_for_each_device)
{
	put_process("self", "mrctl", 0, LIMIT_8M, LIMIT_8M);
	recorded_host_call(&recorded, "list", "/sys/class/infiniband", "mlx5_0\nmlx5_1\n");
	assert_int_equal(look(mr_check_memlock, 4 * MIB).verdict, MR_VERDICT_OK);
	assert_int_equal(look(mr_check_memlock, 4 * MIB + 1).verdict, MR_VERDICT_BAD);
	assert_int_equal(look(mr_check_memlock, UINT64_MAX).verdict, MR_VERDICT_BAD);
}

TEST(memlock_names_the_ancestor_that_lowered_it)
{
	put_process("self", "mrctl", 300, LIMIT_8M, LIMIT_8M);
	put_process("300", "bash", 200, LIMIT_8M, LIMIT_8M);
	put_process("200", "containerd", 1, LIMIT_8M, LIMIT_8M);
	put_process("1", "systemd", 0, UNLIMITED, UNLIMITED);
	put("/proc/200/cgroup", "0::/system.slice/containerd.service\n");
	CHECK(mr_check_memlock, GIB);

	assert_int_equal(found.verdict, MR_VERDICT_BAD);
	assert_string_equal(found.figure, "8 MiB < 1 GiB asked; lowered at containerd");
	assert_contains(found.detail, "containerd (200)");
	assert_contains(found.remedy, "LimitMEMLOCK=infinity for containerd.service");
}

struct launch {
	const char *name, *parent; /* of the process that has the limit first */
	const char *remedy;
};

TEST(memlock_has_a_remedy_that_fits_who_lowered_it)
{
	static const struct launch launches[] = {
		{ "bash", "slurmstepd", "PropagateResourceLimitsExcept" },
		{ "bash", "sshd-session", "limits.conf" },
		{ "sshd", "sshd", "limits.conf" },
		{ "python3", "containerd-shim", "--ulimit memlock=-1" },
		{ "bash", "bash", "ulimit -l" },
		{ "trainer", "prterun", "prterun, or what it starts" },
		{ "surprise", "surgeon", "surgeon, or what it starts" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(launches); i++) {
		put_process("self", "mrctl", 300, LIMIT_8M, LIMIT_8M);
		put_process("300", launches[i].name, 200, LIMIT_8M, LIMIT_8M);
		put_process("200", launches[i].parent, 1, UNLIMITED, UNLIMITED);
		assert_contains(look(mr_check_memlock, GIB).remedy, launches[i].remedy);
	}
}

TEST(memlock_that_may_be_raised_says_how)
{
	put_process("self", "mrctl", 0, LIMIT_8M, UNLIMITED);
	CHECK(mr_check_memlock, GIB);

	assert_contains(found.remedy, "ulimit -l unlimited");
}

TEST(memlock_of_a_parent_that_is_hidden_is_not_guessed)
{
	put_process("self", "mrctl", 300, LIMIT_8M, LIMIT_8M);
	CHECK(mr_check_memlock, GIB);

	assert_contains(found.figure, "cannot be read");
	assert_contains(found.detail, "300");
	assert_null(strstr(found.figure, "lowered"));
}

TEST(memlock_of_a_shell_whose_parent_is_hidden_is_not_blamed_on_it)
{
	put_process("self", "mrctl", 300, LIMIT_8M, LIMIT_8M);
	put_process("300", "bash", 200, LIMIT_8M, LIMIT_8M);
	CHECK(mr_check_memlock, GIB);

	assert_null(strstr(found.remedy, "of this shell"));
}

TEST(memlock_of_ancestors_in_a_circle_comes_to_an_end)
{
	put_process("self", "mrctl", 300, LIMIT_8M, LIMIT_8M);
	put_process("300", "a", 200, LIMIT_8M, LIMIT_8M);
	put_process("200", "b", 300, LIMIT_8M, LIMIT_8M);
	assert_int_equal(look(mr_check_memlock, GIB).verdict, MR_VERDICT_BAD);
}

TEST(memlock_of_a_whole_container_is_its_runtimes)
{
	put_process("self", "mrctl", 1, LIMIT_8M, LIMIT_8M);
	put_process("1", "sleep", 0, LIMIT_8M, LIMIT_8M);
	recorded_host_call(&recorded, "link", "/proc/self/ns/pid", "pid:[4026532567]");
	CHECK(mr_check_memlock, GIB);

	assert_contains(found.figure, "container");
	assert_contains(found.remedy, "--ulimit memlock=-1");
}

TEST(memlock_shows_no_control_characters_of_other_processes)
{
	put_process("self", "mrctl", 300, LIMIT_8M, LIMIT_8M);
	put_process("300", "\033[31mred", 200, LIMIT_8M, LIMIT_8M);
	put_process("200", "\033]0;x", 0, UNLIMITED, UNLIMITED);
	put("/proc/300/cgroup", "0::/\033[2J.service\n");
	CHECK(mr_check_memlock, GIB);

	assert_null(strchr(found.figure, '\033'));
	assert_null(strchr(found.detail, '\033'));
	assert_null(strchr(found.remedy, '\033'));
}

/* ---- CAP_IPC_LOCK ---- */

TEST(ipc_lock_is_effective)
{
	put_self(IPC_LOCK, WHOLE_MAP);
	assert_int_equal(look(mr_check_ipc_lock, 0).verdict, MR_VERDICT_OK);
}

TEST(ipc_lock_of_a_user_namespace_is_not_that_of_the_host)
{
	put_self(IPC_LOCK, ROOTS_MAP);
	assert_int_equal(look(mr_check_ipc_lock, 0).verdict, MR_VERDICT_NA);
}

TEST(ipc_lock_is_not_told)
{
	assert_int_equal(look(mr_check_ipc_lock, 0).verdict, MR_VERDICT_UNKNOWN);
	put("/proc/self/status", "Name:\tmrctl\nCapEff:\tzzz\n");
	assert_int_equal(look(mr_check_ipc_lock, 0).verdict, MR_VERDICT_UNKNOWN);
}

TEST(ipc_lock_of_a_container_is_inert_for_a_user)
{
	put_process("self", "mrctl", 0, LIMIT_8M, LIMIT_8M);
	assert_int_equal(look(mr_check_ipc_lock, 0).verdict, MR_VERDICT_NA);
	recorded_host_call(&recorded, "link", "/proc/self/ns/pid", "pid:[4026532567]");
	CHECK(mr_check_ipc_lock, 0);

	assert_int_equal(found.verdict, MR_VERDICT_WARN);
	assert_contains(found.figure, "not effective");
	put_limits("self", UNLIMITED, UNLIMITED);
	assert_int_equal(look(mr_check_ipc_lock, 0).verdict, MR_VERDICT_NA);
}

TEST(ipc_lock_is_permitted_only)
{
	put("/proc/self/status",
	    "Name:\tmrctl\nPPid:\t0\nCapPrm:\t" IPC_LOCK "\nCapEff:\t" NO_CAPS "\n");
	assert_int_equal(look(mr_check_ipc_lock, 0).verdict, MR_VERDICT_WARN);
}

/* ---- user namespace ---- */

TEST(user_namespace_is_that_of_the_host)
{
	put("/proc/self/uid_map", WHOLE_MAP);
	assert_int_equal(look(mr_check_user_namespace, 0).verdict, MR_VERDICT_OK);
}

TEST(user_namespace_with_a_whole_map_is_known_by_its_inode)
{
	put("/proc/self/uid_map", WHOLE_MAP);
	recorded_host_call(&recorded, "link", "/proc/self/ns/user", "user:[4026532700]");
	assert_int_equal(look(mr_check_user_namespace, 0).verdict, MR_VERDICT_WARN);
}

TEST(user_namespace_of_its_own_matters_where_a_limit_counts)
{
	put("/proc/self/uid_map", ROOTS_MAP);
	put_limits("self", LIMIT_8M, LIMIT_8M);
	assert_int_equal(look(mr_check_user_namespace, 0).verdict, MR_VERDICT_WARN);
	put_limits("self", UNLIMITED, UNLIMITED);
	assert_int_equal(look(mr_check_user_namespace, 0).verdict, MR_VERDICT_OK);
}

TEST(user_namespace_is_not_told)
{
	assert_int_equal(look(mr_check_user_namespace, 0).verdict, MR_VERDICT_UNKNOWN);
	put("/proc/self/uid_map", "\n");
	assert_int_equal(look(mr_check_user_namespace, 0).verdict, MR_VERDICT_UNKNOWN);
	put("/proc/self/uid_map", "root root all\n");
	assert_int_equal(look(mr_check_user_namespace, 0).verdict, MR_VERDICT_UNKNOWN);
}

/* ---- pinned memory ---- */

static void put_pinned(const char *line)
{
	char text[256];

	snprintf(text, sizeof(text), "Name:\tmrctl\nPPid:\t0\n%s\nCapEff:\t" NO_CAPS "\n", line);
	put("/proc/self/status", text);
	put_limits("self", LIMIT_8M, LIMIT_8M);
}

TEST(pinned_memory_leaves_enough_or_not)
{
	put_pinned("VmPin:\t0 kB");
	assert_int_equal(look(mr_check_pinned, 0).verdict, MR_VERDICT_OK);
	put_pinned("VmPin:\t4096 kB");
	assert_int_equal(look(mr_check_pinned, 0).verdict, MR_VERDICT_OK);
	assert_int_equal(look(mr_check_pinned, 4 * MIB).verdict, MR_VERDICT_OK);
	assert_int_equal(look(mr_check_pinned, 4 * MIB + 1).verdict, MR_VERDICT_WARN);
	put_pinned("VmPin:\t8000 kB");
	assert_int_equal(look(mr_check_pinned, 0).verdict, MR_VERDICT_WARN);
	put_pinned("VmPin:\t9000 kB");
	assert_int_equal(look(mr_check_pinned, 0).verdict, MR_VERDICT_WARN);
}

TEST(pinned_memory_is_not_told_or_does_not_count)
{
	assert_int_equal(look(mr_check_pinned, 0).verdict, MR_VERDICT_UNKNOWN);
	put_pinned("VmPin:\t99999999999999999999 kB");
	assert_int_equal(look(mr_check_pinned, 0).verdict, MR_VERDICT_UNKNOWN);
	put_pinned("VmPin:\t4096 kB");
	put_limits("self", UNLIMITED, UNLIMITED);
	assert_int_equal(look(mr_check_pinned, 0).verdict, MR_VERDICT_NA);
}

EACH_TEST(set_up, tear_down)
