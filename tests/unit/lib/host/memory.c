// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* How much memory is available and pinned, and why some could not be mapped. */
#include <sys/resource.h>

#include "lib/host/host.h"
#include "tests/unit/one_host.h"

EACH_TEST(set_up, tear_down)

#define MIB UINT64_C(1048576)

/* ---- available ---- */

#define PLACE                                                                                                          \
	"/proc/self/cgroup 0::/a/b\n/proc/self/mountinfo 31 23 0:28 / /cg rw - cgroup2 none rw\n"                      \
	"/proc/meminfo MemFree: 10 kB\n/proc/meminfo MemAvailable: 8000 kB\n"
#define ADDRESS_SPACE(limit) "/proc/self/limits Max address space  " limit "  unlimited  bytes\n"

TEST(what_leaves_least_decides_what_is_available)
{
	static const struct {
		const char *changes;
		uint64_t bytes;
		const char *by; /* NULL: -ENODATA */
	} rows[] = {
		{ PLACE, 8000 << 10, "MemAvailable" },
		/* a group above counts, and files in memory do not */
		{ "/cg/a/memory.max 5000000\n/cg/a/memory.current 3000000\n"
		  "/cg/a/memory.stat anon 1\n/cg/a/memory.stat inactive_file 1000000\n"
		  "/cg/a/b/memory.max max\n/cg/a/b/memory.current 3000000",
		  3000000, "memory.max" },
		{ "/cg/a/b/memory.high 3500000", 500000, "memory.high" },
		{ "/cg/a/b/memory.high 6000001", 3000000, "memory.max" },
		{ "/cg/a/b/memory.high max", 3000000, "memory.max" },
		{ "/cg/a/b/memory.high 3500000\n/cg/a/b/memory.current 4000000", 0, "memory.high" },
		{ "-/cg/a/b/memory.current", 3000000, "memory.max" },
		{ "# address space\n" PLACE ADDRESS_SPACE(
			  "5120000") "/proc/self/status Name: x\n/proc/self/status VmSize:\t    1000 kB",
		  4096000, "RLIMIT_AS" },
		{ ADDRESS_SPACE("unlimited"), 8000 << 10, "MemAvailable" },
		{ "/proc/meminfo MemTotal: 9000 kB", 0, NULL },
	};
	struct mr_available available;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		change(rows[i].changes);
		assert_equal_for(rows[i].changes, mr_available_read(&recorded.host, &available),
				 rows[i].by ? 0 : -ENODATA);
		if (!rows[i].by)
			continue;
		assert_equal_for(rows[i].changes, available.bytes, rows[i].bytes);
		assert_string_equal(available.by, rows[i].by);
	}
}

/* ---- pinned ---- */

#define ACQUIRED(n) "/proc/vmstat nr_foll_pin_acquired" n "\n"
#define RELEASED(n) "/proc/vmstat nr_foll_pin_released" n "\n"

TEST(what_was_acquired_and_not_released_is_pinned)
{
	static const struct {
		const char *changes;
		int64_t pages; /* -1: not known */
	} rows[] = {
		{ "", -1 },
		{ "/proc/vmstat nr_free_pages 7\n" ACQUIRED(" 12") RELEASED(" 9") "/proc/vmstat nr_x 1", 3 },
		{ ACQUIRED(" 9") RELEASED(" 9"), 0 },
		{ ACQUIRED(" 9") RELEASED(" 12"), 0 },
		{ ACQUIRED(" 9"), -1 },
		{ RELEASED(" 9"), -1 },
		{ ACQUIRED("") RELEASED(" 9"), -1 },
		{ ACQUIRED(" 9x") RELEASED(" 9"), -1 },
		{ ACQUIRED(" -1") RELEASED(" 9"), -1 },
		{ ACQUIRED(" 99999999999999999999") RELEASED(" 9"), -1 },
		/* more bytes than a number can hold */
		{ ACQUIRED(" 18446744073709551615") RELEASED(" 9"), -1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct mr_opt_u64 pinned;

		change(rows[i].changes);
		pinned = mr_pinned_pages(&recorded.host);
		assert_equal_for(rows[i].changes, pinned.known, rows[i].pages >= 0);
		if (pinned.known)
			assert_equal_for(rows[i].changes, pinned.value, rows[i].pages * sysconf(_SC_PAGESIZE));
	}
}

/* ---- why memory could not be mapped ---- */

static void expect_hint(struct mr_shortage shortage, enum mr_shortage_kind kind, const char *says)
{
	struct mr_shortage_reason reason = { .text = "" };

	assert_equal_for(says, mr_shortage_find(&shortage, &recorded.host, &reason), kind);
	if (!strstr(reason.text, says) && !strstr(reason.remedy, says))
		fail_msg("no '%s' in '%s' (%s)", says, reason.text, reason.remedy);
}

#define POOL "/sys/kernel/mm/hugepages/hugepages-2048kB/"
#define PAGES(free, reserved, more, surplus)                                                                           \
	POOL "free_hugepages " free "\n" POOL "resv_hugepages " reserved "\n" POOL "nr_overcommit_hugepages " more     \
	     "\n" POOL "surplus_hugepages " surplus "\n"
#define MINE  "/sys/fs/cgroup/pods/mine/hugetlb.2MB.rsvd."
#define ABOVE "/sys/fs/cgroup/pods/hugetlb.2MB.rsvd."
#define OLD   "/sys/fs/cgroup/hugetlb/old/hugetlb.2MB.rsvd."

TEST(huge_pages_run_short)
{
	static const struct {
		const char *changes;
		uint64_t pages;
		enum mr_shortage_kind kind;
		const char *says;
	} rows[] = {
		{ "", MIB, MR_SHORTAGE_NONE, "" },
		{ "/proc/self/cgroup 0::/\n" PAGES("16", "0", "0", "0"), 17, MR_SHORTAGE_HUGE_POOL,
		  "17 huge pages of 2048 KiB requested; 16 free (0 reserved), 0 overcommit" },
		{ "", 17, MR_SHORTAGE_HUGE_POOL, "hugepages-2048kB/nr_hugepages" },
		{ "", 16, MR_SHORTAGE_NONE, "" },
		{ PAGES("16", "15", "0", "0"), 2, MR_SHORTAGE_HUGE_POOL, "16 free (15 reserved)" },
		{ PAGES("0", "0", "8", "3"), 5, MR_SHORTAGE_NONE, "" },
		{ "", 6, MR_SHORTAGE_HUGE_POOL, "0 free (0 reserved), 5 overcommit" },
		/* a control group */
		{ PAGES("16", "0", "0",
			"0") "/proc/self/mountinfo "
			     "30 20 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n/proc/self/mountinfo "
			     "31 20 0:27 / /sys/fs/cgroup/hugetlb rw - cgroup cgroup rw,hugetlb\n"
			     "/proc/self/cgroup 3:cpu:/other\n/proc/self/cgroup 0::/pods/mine\n" MINE "max max\n" MINE
			     "current 0",
		  1, MR_SHORTAGE_NONE, "" },
		{ ABOVE "max 4194304\n" ABOVE "current 2097152", 1, MR_SHORTAGE_NONE, "" },
		{ "", 2, MR_SHORTAGE_HUGE_GROUP,
		  "may reserve 4194304 bytes in huge pages of 2048 KiB, has 2097152, and 4194304 more" },
		{ "", 2, MR_SHORTAGE_HUGE_GROUP, "raise " ABOVE "max" },
		{ "", 17, MR_SHORTAGE_HUGE_POOL, "" },                    /* that comes first */
		{ "/proc/self/cgroup 0::pods", 2, MR_SHORTAGE_NONE, "" }, /* no path of a group */
		{ "/proc/self/cgroup 7:hugetlb:/old\n/proc/self/cgroup 0::/\n" OLD "limit_in_bytes 0\n" OLD
		  "usage_in_bytes 0",
		  1, MR_SHORTAGE_HUGE_GROUP, "rsvd.limit_in_bytes" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		change(rows[i].changes);
		expect_hint((struct mr_shortage){ .length = rows[i].pages * 2 * MIB, .huge_size = 2 * MIB },
			    rows[i].kind, rows[i].says);
	}
	/* a part of a page needs a whole one */
	change(PAGES("1", "0", "0", "0"));
	expect_hint((struct mr_shortage){ .length = 2 * MIB + 1, .huge_size = 2 * MIB }, MR_SHORTAGE_HUGE_POOL,
		    "2 huge pages");
}

TEST(the_limit_of_data_is_too_small)
{
	struct mr_shortage data = { .length = 100 * MIB, .is_private = true };

	change("/proc/self/status VmSize:\t  20480 kB\n/proc/self/status VmData:\t  10240 kB\n"
	       "/proc/self/limits Max data size  115343360  unlimited  bytes");
	expect_hint(data, MR_SHORTAGE_NONE, "");
	data.length++;
	expect_hint(data, MR_SHORTAGE_RLIMIT, "RLIMIT_DATA is 115343360 bytes, and the process has 10485760");
	expect_hint(data, MR_SHORTAGE_RLIMIT, "ulimit -d");
	data.is_private = false;
	expect_hint(data, MR_SHORTAGE_NONE, "");
	change("-/proc/self/limits\n/proc/self/limits Max data size  unlimited  unlimited  bytes");
	data.is_private = true;
	expect_hint(data, MR_SHORTAGE_NONE, "");
}

#define MEMORY                                                                                                         \
	"/proc/meminfo MemTotal: 2048000 kB\n/proc/meminfo SwapTotal: 1024000 kB\n"                                    \
	"/proc/meminfo CommitLimit: 2048000 kB\n/proc/meminfo Committed_AS: 1024000 kB\n"
#define MODE(mode) "/proc/sys/vm/overcommit_memory " mode "\n"

TEST(memory_is_committed_up_to_its_limit)
{
	static const struct {
		const char *changes;
		uint64_t length;
		enum mr_shortage_kind kind;
		const char *says;
	} rows[] = {
		{ "", UINT64_MAX, MR_SHORTAGE_NONE, "" },
		{ MEMORY MODE("0"), 3000 * MIB, MR_SHORTAGE_NONE, "" },
		{ "", 3000 * MIB + 1, MR_SHORTAGE_MEMORY, "2097152000 bytes of memory and 1048576000 of swap" },
		{ MODE("1"), 3000 * MIB + 1, MR_SHORTAGE_NONE, "" },
		{ MODE("2"), 1000 * MIB, MR_SHORTAGE_NONE, "" },
		{ "", 1000 * MIB + 1, MR_SHORTAGE_COMMIT,
		  "at most 2097152000 bytes (CommitLimit in /proc/meminfo), and has committed 1048576000" },
		{ "/proc/meminfo CommitLimit: 1 kB\n/proc/meminfo Committed_AS: 2 kB", 1, MR_SHORTAGE_COMMIT, "" },
		{ "/proc/meminfo MemTotal: 1 kB", UINT64_MAX, MR_SHORTAGE_NONE, "" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		change(rows[i].changes);
		expect_hint((struct mr_shortage){ .length = rows[i].length, .is_private = true }, rows[i].kind,
			    rows[i].says);
	}
	change(MODE("0") MEMORY);
	expect_hint((struct mr_shortage){ .length = UINT64_MAX }, MR_SHORTAGE_NONE, "");
}
