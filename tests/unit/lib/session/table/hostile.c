// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Files that are no table, and values that other holders may write into one: texts, garbage, sizes. */
#include <sys/stat.h>

#include "lib/session/table/table.h"
#include "tests/unit/lib/session/table/table.h"

/* ---- files ---- */

enum { GOOD = F_SEAL_SHRINK | F_SEAL_SEAL };

/* Returns a memfd with the first @length bytes of a sound table, and these seals. */
static int copy_of(size_t length, int seals)
{
	static char image[1 << 16];
	int fd = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	ssize_t got = pread(table.fd, image, sizeof(image), 0);

	assert_true(got > 0);
	if (length > (size_t)got)
		length = (size_t)got;
	assert_int_equal(write(fd, image, length), length);
	assert_int_equal(fcntl(fd, F_ADD_SEALS, seals), 0);
	return fd;
}

/* Returns a copy of a table with another number in its header. */
static int changed(size_t at, uint32_t to)
{
	int fd = copy_of(SIZE_MAX, GOOD);

	assert_int_equal(pwrite(fd, &to, sizeof(to), (off_t)at), sizeof(to));
	return fd;
}

#define IN_HEADER(member) offsetof(struct mr_table_header, member)

TEST(files_that_are_no_sound_table_are_not_mapped)
{
	const struct {
		int fd;
		const char *why;
	} cases[] = {
		{ copy_of(SIZE_MAX, 0), "seals" },
		{ copy_of(SIZE_MAX, F_SEAL_SHRINK), "seals" },
		{ copy_of(SIZE_MAX, F_SEAL_SEAL), "seals" },
		{ copy_of(SIZE_MAX, GOOD | F_SEAL_WRITE), "seals" },
		{ copy_of(SIZE_MAX, GOOD | F_SEAL_GROW), "seals" },
		{ open("/dev/null", O_RDWR), "seals" },
		{ open("/proc/self/exe", O_RDONLY), "seals" },
		{ fileno(tmpfile()), "seals" },
		{ copy_of(0, GOOD), "header" },
		{ copy_of(100, GOOD), "header" },
		{ copy_of(8192, GOOD), "shorter" },
		{ changed(IN_HEADER(capacity), 1000), "shorter" },
		{ changed(IN_HEADER(capacity), UINT32_MAX), "shorter" },
		{ changed(IN_HEADER(capacity), 0), "shorter" },
		{ changed(IN_HEADER(version), 6), "another version" },
		{ changed(IN_HEADER(entry_size), 128), "another version" },
	};
	int fd = copy_of(SIZE_MAX, GOOD);
	struct mr_table other;
	char path[64];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_true(cases[i].fd >= 0);
		assert_failure(mr_table_open(cases[i].fd, &other, &err), -EPROTO, err,
			       MR_ERROR_ABSENT, cases[i].why);
		assert_int_equal(fcntl(cases[i].fd, F_GETFD), -1); /* it is closed */
	}
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_int_equal(mr_table_open(open(path, O_RDONLY | O_CLOEXEC), &other, &err), -EACCES);
	assert_contains(err.text, "session table");
	assert_int_equal(mr_table_open(fd, &other, &err), 0);
	mr_table_close(&other);
}

/* ---- texts ---- */

static char *map_all(size_t *size)
{
	struct stat st;
	char *map;

	assert_int_equal(fstat(table.fd, &st), 0);
	*size = (size_t)st.st_size;
	map = mmap(NULL, *size, PROT_READ | PROT_WRITE, MAP_SHARED, table.fd, 0);
	assert_true(map != MAP_FAILED);
	return map;
}

/* tests/cli/session-hostile.bats has texts with control characters. */
TEST(texts_from_the_table_end)
{
	struct mr_table_device device;
	struct mr_table_pd pd;
	struct mr_entry entry;

	mr_table_add_pd(&table, "default", 1);
	add("buf0", &entry);
	/* all but the first members of the header, which identify the file as a table */
	memset((char *)table.header + 48, 'x', table.mapped - 48);
	mr_table_device(&table, &device);
	assert_int_equal(strnlen(device.provider, sizeof(device.provider)),
			 sizeof(device.provider) - 1);
	assert_true(mr_table_pd(&table, 3, &pd));
	assert_int_equal(strnlen(pd.name, sizeof(pd.name)), sizeof(pd.name) - 1);
	assert_true(mr_table_get(&table, 3, &entry));
	assert_int_equal(strnlen(entry.name, sizeof(entry.name)), sizeof(entry.name) - 1);
	assert_int_equal(strnlen(entry.memory, sizeof(entry.memory)), sizeof(entry.memory) - 1);
}

/* ---- garbage ---- */

/* Calls every function that reads or writes a table. */
static void use_all(unsigned int *seed)
{
	struct mr_entry entry = { .name = "mine" }, got;
	uint32_t slot = 0, pd_slot;
	struct mr_table_pd pd;

	for (int i = 0; i < 20; i++) {
		uint32_t number = (uint32_t)rand_r(seed) % 100;

		snprintf(entry.name, sizeof(entry.name), "n%u", number);
		if (mr_table_lock(&table, &err))
			return;
		mr_table_find(&table, MR_BY_NAME, 0, entry.name);
		mr_table_next_marked(&table, MR_NO_SLOT);
		entry.call = number % 2 ? MR_REG_MR_RELAXED : MR_REG_MR;
		if (!mr_table_add(&table, &entry, &slot, &err)) {
			entry.handle = entry.lkey = entry.rkey = number;
			mr_table_unlock(&table);
			if (mr_table_lock(&table, &err))
				return;
			mr_table_commit(&table, slot, &entry);
		}
		pd_slot = mr_table_add_pd(&table, entry.name, number);
		mr_table_pd(&table, pd_slot, &pd);
		for (uint32_t at = 0; at < table.capacity; at += 3)
			if (mr_table_get(&table, at, &got)) {
				mr_table_set_state(&table, at, got.id, MR_ENTRY_IN_DOUBT);
				mr_table_find(&table, MR_BY_RKEY, got.rkey, NULL);
				mr_table_mark(&table, at, got.id, 1, 1);
				mr_table_next_marked(&table, at);
				mr_table_remove(&table, at, got.id);
			}
		mr_table_count(&table);
		mr_table_unlock(&table);
	}
}

/* Writes at random.  The first members of the header stay, or the table would be refused at once. */
static void scribble(char *map, size_t size, unsigned int *seed)
{
	size_t many = 1 + (size_t)rand_r(seed) % 200;

	while (many--) {
		size_t at = 24 + (size_t)rand_r(seed) % (size - 28);
		/* half of the values are small: they can pass for slots */
		uint32_t value =
			(uint32_t)rand_r(seed) % (rand_r(seed) % 2 ? table.capacity * 2 : ~0u);

		if (rand_r(seed) % 4 == 0)
			at = 24 + (size_t)rand_r(seed) % 44; /* the counters of the header */
		memcpy(map + (at & ~(size_t)3), &value, sizeof(value));
	}
}

/* Uses a table with garbage; @always: another process goes on writing it. */
static void use_with_garbage(unsigned int seed, uint32_t entries, bool always)
{
	struct mr_entry entry;
	pid_t pid = 0;
	size_t size;
	char *map;

	mr_table_close(&table);
	assert_int_equal(open_table(NULL), 0);
	for (uint32_t i = 0; i < entries; i++)
		add_live("", i, &entry);
	map = map_all(&size);
	mr_table_unlock(&table);
	if (always) {
		fflush(NULL);
		pid = fork();
		assert_true(pid >= 0);
		while (!pid)
			scribble(map, size, &seed);
	}
	scribble(map, size, &seed);
	for (int i = 0; i < (always ? 5 : 1); i++)
		use_all(&seed);
	if (always) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	munmap(map, size);
}

TEST(garbage_in_the_table_does_no_harm)
{
	for (unsigned int round = 0; round < 400; round++)
		use_with_garbage(round, round % 100, false);
}

TEST(garbage_written_while_the_table_is_used_does_no_harm)
{
	for (unsigned int round = 0; round < 40; round++)
		use_with_garbage(round, 100, true);
}

/* Else a process that is killed while it adds the entry would leave indexes that look valid and are not. */
TEST(repairing_the_free_chain_does_not_make_the_indexes_valid)
{
	struct mr_entry entry, removed;
	uint32_t slot;

	while (table.header->free != MR_NO_SLOT)
		add("", &entry);
	table.header->free = 0; /* an entry that is in use */
	entry = (struct mr_entry){ .page_shift = 12 };
	assert_int_equal(mr_table_add(&table, &entry, &slot, &err), -EPROTO);
	assert_false(table.header->indexes_valid);
	assert_sound();
	/* where others are free, one of them is used */
	entry = (struct mr_entry){ .page_shift = 12 };
	assert_true(mr_table_get(&table, 5, &removed));
	mr_table_remove(&table, 5, removed.id);
	table.header->free = 0;
	assert_int_equal(mr_table_add(&table, &entry, &slot, &err), 0);
	assert_int_equal(slot, 5);
	assert_sound();
}

/* The slot of an entry may be beyond the table's end by the time that the entry is committed. */
TEST(a_table_whose_capacity_shrinks_does_no_harm)
{
	struct mr_entry entry;
	uint32_t slot = 0;

	for (int i = 0; i < 3000; i++)
		slot = add("", &entry);
	mr_table_unlock(&table);
	table.header->capacity = UINT32_MAX;
	assert_int_equal(mr_table_lock(&table, &err), -EPROTO);
	assert_false(table.locked);
	table.header->capacity = 1;
	assert_int_equal(mr_table_lock(&table, &err), 0);
	assert_int_equal(table.capacity, 1);
	assert_false(mr_table_commit(&table, slot, &entry));
	mr_table_set_state(&table, slot, entry.id, MR_ENTRY_IN_DOUBT);
	mr_table_remove(&table, slot, entry.id);
	assert_false(mr_table_get(&table, slot, &entry));
	assert_false(mr_table_is_used(&table, slot));
}

EACH_TEST(open_table, close_table)
