// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Looks at children whose calls were refused, on the simulated HCA. */

#include "lib/trace/trace.h"
#include "lib/verbs/verbs.h"
#include "tests/unit/unit.h"

#define PAGE  ((uint64_t)sysconf(_SC_PAGESIZE))
#define WRITE MR_ACCESS_LOCAL_WRITE

static struct mr_look look;

/* The record of a refused ibv_reg_mr() on the simulated HCA. */
static struct mr_trace_record refused(int errnum, const void *addr, uint64_t length,
				      uint32_t access)
{
	return (struct mr_trace_record){ .call = MR_TRACED_IBV_REG_MR,
					 .errnum = errnum,
					 .addr = (uintptr_t)addr,
					 .length = length,
					 .iova = (uintptr_t)addr,
					 .access = access,
					 .flags = MR_TRACE_HAS_PINNED,
					 .device = "mlx5_0" };
}

/* Looks at a child that has all that this process has mapped. */
static void look_at(struct mr_trace_record record)
{
	const pid_t child = start_child(NULL);

	record.tid = (uint32_t)child;
	look = (struct mr_look){ 0 };
	mr_look_at(child, &record, &look);
	end_child(child);
}

static void first(const char *id, enum mr_certainty certainty, enum mr_layer layer)
{
	assert_true(look.diagnosis.cause_count > 0);
	assert_string_equal(look.diagnosis.causes[0].cause->id, id);
	assert_int_equal(look.diagnosis.causes[0].certainty, certainty);
	assert_int_equal(look.diagnosis.layer, layer);
}

static const char *reason_against(const char *id)
{
	for (size_t i = 0; i < look.diagnosis.ruled_out_count; i++)
		if (!strcmp(look.diagnosis.ruled_out[i].cause->id, id))
			return look.diagnosis.ruled_out[i].reason;
	return "";
}

static void *map(int rights)
{
	void *memory = mmap(NULL, PAGE, rights, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(memory != MAP_FAILED);
	return memory;
}

static void *buffer;

TEST(a_process_that_has_ended_is_not_known_and_never_this_one)
{
	struct mr_trace_record record =
		refused(EINVAL, map(PROT_READ), PAGE, MR_ACCESS_REMOTE_WRITE);
	const pid_t child = start_child(NULL);

	end_child(child);
	look = (struct mr_look){ 0 };
	mr_look_at(child, &record, &look);
	assert_false(look.has_memlock);
	assert_string_equal(look.range.memory, "");
	assert_contains(look.range.remark, "cannot be read");
	/* Facts of the call itself require no process. */
	first("MR-ACCESS-LOCAL-WRITE", MR_CERTAIN, MR_LAYER_UVERBS);
	record.errnum = EFAULT;
	look = (struct mr_look){ 0 };
	mr_look_at(child, &record, &look);
	assert_int_equal(look.diagnosis.cause_count, 0);
}

TEST(the_layer_is_that_of_who_refused)
{
	static const struct {
		uint32_t flags, kernel_calls;
		int32_t kernel_errnum;
		enum mr_tristate by_kernel;
		bool is_explained;
	} rows[] = {
		{ 0, 0, 0, MR_UNKNOWN, true },
		{ MR_TRACE_KERNEL_SEEN, 2, EFAULT, MR_YES, true },
		/* another errno came before, and it is not known who gave this one */
		{ MR_TRACE_KERNEL_SEEN, 2, ENOTTY, MR_UNKNOWN, true },
		/* the kernel has refused nothing, or was not asked */
		{ MR_TRACE_KERNEL_SEEN, 2, 0, MR_NO, false },
		{ MR_TRACE_KERNEL_SEEN, 0, 0, MR_NO, false },
	};
	struct mr_trace_record record = refused(EFAULT, map(PROT_READ), PAGE, WRITE);

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		record.flags = MR_TRACE_HAS_PINNED | rows[i].flags;
		record.kernel_calls = rows[i].kernel_calls;
		record.kernel_errnum = rows[i].kernel_errnum;
		look_at(record);
		assert_int_equal(look.by_kernel, rows[i].by_kernel);
		if (rows[i].is_explained) {
			first("MR-READ-ONLY", MR_CERTAIN, MR_LAYER_MEMORY);
			continue;
		}
		assert_int_equal(look.diagnosis.cause_count, 0);
		assert_int_equal(look.diagnosis.layer, MR_LAYER_UNKNOWN);
		assert_contains(reason_against("MR-READ-ONLY"),
				"the kernel refused no call of libibverbs");
	}
}

TEST(a_call_that_has_left_no_errno_has_that_of_mrctls_own)
{
	struct mr_trace_record record = refused(MR_TRACE_NO_ERRNO, buffer, PAGE, WRITE);

	look_at(record);
	assert_int_equal(look.errnum, EIO);
	record.call = MR_TRACED_IBV_REREG_MR;
	look_at(record);
	assert_int_equal(look.errnum, ENOMEM);
}

TEST(no_record_makes_it_fail)
{
	unsigned char bytes[sizeof(struct mr_trace_record)];
	struct mr_trace_record record;

	srand(1);
	for (uint32_t call = 0; call < MR_TRACED_CALL_COUNT + 2; call++) {
		for (size_t i = 0; i < sizeof(bytes); i++)
			bytes[i] = (unsigned char)rand();
		memcpy(&record, bytes, sizeof(record));
		record.call = call;
		record.errnum = call % 2 ? EINVAL : EFAULT;
		look = (struct mr_look){ 0 };
	mr_look_at(getpid(), &record, &look);
		memset(record.device, '/', sizeof(record.device));
		look = (struct mr_look){ 0 };
	mr_look_at(getpid(), &record, &look);
	}
}

static int map_buffer(void **state __attribute__((unused)))
{
	buffer = mmap(NULL, 64 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return buffer == MAP_FAILED;
}

ALL_TESTS(map_buffer, NULL)
