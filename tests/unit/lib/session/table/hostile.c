// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Values that other holders may write into the table: texts, garbage, sizes. */
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "lib/session/table/entries.h"
#include "lib/session/table/file.h"
#include "lib/session/table/format.h"
#include "lib/session/table/index.h"
#include "lib/session/table/lock.h"
#include "lib/session/table/marks.h"
#include "lib/session/table/pds.h"
#include "tests/unit/lib/session/table/table.h"
#include "tests/unit/unit.h"

static char *map_all(const struct mr_table *table, size_t *size)
{
	struct stat st;
	char *map;

	assert_int_equal(fstat(table->fd, &st), 0);
	*size = (size_t)st.st_size;
	map = mmap(NULL, *size, PROT_READ | PROT_WRITE, MAP_SHARED, table->fd, 0);
	assert_true(map != MAP_FAILED);
	return map;
}

static void replace_all(const struct mr_table *table, const char *from, const char *to)
{
	size_t size, length = strlen(from);
	char *map = map_all(table, &size), *found = map;

	assert_int_equal(strlen(to), length);
	while ((found = memmem(found, size - (size_t)(found - map), from, length)))
		memcpy(found, to, length);
	munmap(map, size);
}

TEST(texts_from_the_table_bring_no_control_characters)
{
	struct mr_table_device device;
	struct mr_table table;
	struct mr_table_pd pd;
	struct mr_entry entry;
	uint32_t slot;

	open_new(&table);
	mr_table_add_pd(&table, "mlx5_0", 1);
	slot = add(&table, "mlx5_0", &entry);
	replace_all(&table, "mlx5_0", "\033[2J\r\377");
	assert_true(mr_table_get(&table, slot, &entry));
	assert_string_equal(entry.name, "?[2J??");
	assert_true(mr_table_pd(&table, 0, &pd));
	assert_string_equal(pd.name, "?[2J??");
	mr_table_device(&table, &device);
	assert_string_equal(device.name, "?[2J??");
	mr_table_close(&table);
}

TEST(texts_from_the_table_end)
{
	struct mr_table_device device;
	struct mr_table table;
	struct mr_table_pd pd;
	struct mr_entry entry;
	size_t size;
	char *map;

	open_new(&table);
	map = map_all(&table, &size);
	/* all but the first members of the header, which identify the file as a table */
	memset(map + 48, 'x', size - 48);
	munmap(map, size);
	mr_table_device(&table, &device);
	assert_int_equal(strnlen(device.provider, sizeof(device.provider)),
			 sizeof(device.provider) - 1);
	assert_true(mr_table_pd(&table, 3, &pd));
	assert_int_equal(strnlen(pd.name, sizeof(pd.name)), sizeof(pd.name) - 1);
	assert_true(mr_table_get(&table, 3, &entry));
	assert_int_equal(strnlen(entry.name, sizeof(entry.name)), sizeof(entry.name) - 1);
	assert_int_equal(strnlen(entry.memory, sizeof(entry.memory)), sizeof(entry.memory) - 1);
	mr_table_close(&table);
}

/* Call every function that reads or writes a table. */
static void use_all(struct mr_table *table, unsigned int *seed)
{
	struct mr_entry entry = { .name = "mine" }, got;
	uint32_t slot = 0, pd_slot;
	struct mr_table_pd pd;

	for (int i = 0; i < 20; i++) {
		uint32_t number = (uint32_t)rand_r(seed) % 100;

		snprintf(entry.name, sizeof(entry.name), "n%u", number);
		if (mr_table_lock(table, &err))
			return;
		mr_table_find_name(table, entry.name);
		mr_table_next_marked(table, MR_NO_SLOT);
		entry.call = number % 2 ? MR_REG_MR_RELAXED : MR_REG_MR;
		if (!mr_table_add(table, &entry, &slot, &err)) {
			entry.handle = entry.lkey = entry.rkey = number;
			mr_table_unlock(table);
			if (mr_table_lock(table, &err))
				return;
			mr_table_commit(table, slot, &entry);
		}
		pd_slot = mr_table_add_pd(table, entry.name, number);
		mr_table_pd(table, pd_slot, &pd);
		for (uint32_t at = 0; at < table->capacity; at += 3)
			if (mr_table_get(table, at, &got)) {
				mr_table_set_state(table, at, got.id, MR_ENTRY_IN_DOUBT);
				mr_table_find(table, MR_BY_RKEY, got.rkey);
				mr_table_mark(table, at, got.id, 1, 1);
				mr_table_next_marked(table, at);
				mr_table_remove(table, at, got.id);
			}
		mr_table_count(table);
		mr_table_unlock(table);
	}
}

/* Write at random.  The first members of the header stay, or the table would be refused at once. */
static void scribble(char *map, size_t size, unsigned int *seed, uint32_t capacity)
{
	size_t many = 1 + (size_t)rand_r(seed) % 200;

	while (many--) {
		size_t at = 24 + (size_t)rand_r(seed) % (size - 28);
		/* half of the values are small: they can pass for slots */
		uint32_t value = (uint32_t)rand_r(seed) % (rand_r(seed) % 2 ? capacity * 2 : ~0u);

		if (rand_r(seed) % 4 == 0)
			at = 24 + (size_t)rand_r(seed) % 44; /* the counters of the header */
		memcpy(map + (at & ~(size_t)3), &value, sizeof(value));
	}
}

TEST(garbage_in_the_table_does_no_harm)
{
	for (unsigned int round = 0; round < 400; round++) {
		unsigned int seed = round;
		struct mr_table table;
		struct mr_entry entry;
		size_t size;
		char *map;

		open_new(&table);
		for (uint32_t i = 0; i < round % 100; i++)
			add_live(&table, "", i, &entry);
		map = map_all(&table, &size);
		mr_table_unlock(&table);
		scribble(map, size, &seed, table.capacity);
		use_all(&table, &seed);
		mr_table_close(&table);
		munmap(map, size);
	}
}

TEST(garbage_written_while_the_table_is_used_does_no_harm)
{
	for (unsigned int round = 0; round < 40; round++) {
		unsigned int seed = round;
		struct mr_table table;
		struct mr_entry entry;
		size_t size;
		char *map;
		pid_t pid;

		open_new(&table);
		for (uint32_t i = 0; i < 100; i++)
			add_live(&table, "", i, &entry);
		map = map_all(&table, &size);
		mr_table_unlock(&table);
		fflush(NULL);
		pid = fork();
		assert_true(pid >= 0);
		if (!pid)
			for (;;)
				scribble(map, size, &seed, table.capacity);
		for (int i = 0; i < 5; i++)
			use_all(&table, &seed);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		mr_table_close(&table);
		munmap(map, size);
	}
}

/* Else a process that is killed while it adds the entry would leave indexes that look valid and are not. */
TEST(repairing_the_free_chain_does_not_make_the_indexes_valid)
{
	struct mr_table table;
	struct mr_entry entry;

	open_new(&table);
	while (table.header->free != MR_NO_SLOT)
		add(&table, "", &entry);
	table.header->free = 0; /* an entry that is in use */
	entry = (struct mr_entry){ .page_shift = 12 };
	assert_int_equal(mr_table_add(&table, &entry, &(uint32_t){ 0 }, &err), -EPROTO);
	assert_false(table.header->indexes_valid);
	assert_sound(&table);
	mr_table_close(&table);
}

/* The slot of an entry may be beyond the table's end by the time that the entry is committed. */
TEST(a_table_whose_capacity_shrinks_does_no_harm)
{
	struct mr_table table, other;
	struct mr_entry entry;
	uint32_t slot = 0;
	size_t size;
	char *map;

	open_new(&table);
	open_again(&table, &other);
	for (int i = 0; i < 3000; i++)
		slot = add(&table, "", &entry);
	mr_table_unlock(&table);
	map = map_all(&table, &size);
	for (size_t at = 0; at < 64; at += 4) /* one of these is the capacity */
		if (!memcmp(map + at, &table.capacity, 4))
			memset(map + at, 0, 4), map[at] = 1;
	munmap(map, size);
	assert_int_equal(mr_table_lock(&table, &err), 0);
	assert_int_equal(table.capacity, 1);
	assert_false(mr_table_commit(&table, slot, &entry));
	mr_table_set_state(&table, slot, entry.id, MR_ENTRY_IN_DOUBT);
	mr_table_remove(&table, slot, entry.id);
	assert_false(mr_table_get(&table, slot, &entry));
	assert_false(mr_table_is_used(&table, slot));
	mr_table_close(&other);
	mr_table_close(&table);
}
