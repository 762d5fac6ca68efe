// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Listing all MRs of a device, on kernels that each test makes up. */
#include "lib/nldev/nldev.h"
#include "tests/unit/lib/nldev/kernel.h"

#define PART 300 /* MRs in a part of a dump */

static struct mr_error err;
static struct mr_nldev_mrs mrs;

/* The kernel's MRs, by their numbers, in ascending order. */
static uint32_t numbers[20000];
static size_t count;
static size_t miscounted;           /* MRs that are counted, and are nowhere */
static bool permitted = true;       /* CAP_NET_ADMIN */
static _Atomic unsigned int dumped; /* parts of dumps that were sent */
static unsigned int mutation;       /* a bit of each part of a dump that is changed; 0: none */

static void put_mr(struct nlmsghdr *answer, uint32_t number)
{
	struct nlattr *driver;

	if (number % 10 != 9)
		mnl_attr_put_u32(answer, RDMA_NLDEV_ATTR_RES_PDN, 2);
	if (permitted) {
		mnl_attr_put_u32(answer, RDMA_NLDEV_ATTR_RES_RKEY, number << 8 | 1);
		mnl_attr_put_u32(answer, RDMA_NLDEV_ATTR_RES_LKEY, number << 8);
	}
	mnl_attr_put_u64(answer, RDMA_NLDEV_ATTR_RES_MRLEN, (uint64_t)number * 4096);
	mnl_attr_put_u32(answer, RDMA_NLDEV_ATTR_RES_MRN, number);
	if (number % 10 == 9) {
		mnl_attr_put_strz(answer, RDMA_NLDEV_ATTR_RES_KERN_NAME, "rpcrdma");
		return;
	}
	if (number % 10 != 8) /* its creator has gone */
		mnl_attr_put_u32(answer, RDMA_NLDEV_ATTR_RES_PID, 1000 + number % 10);
	if (number % 10 > 1)
		return;
	driver = mnl_attr_nest_start(answer, RDMA_NLDEV_ATTR_DRIVER);
	mnl_attr_put_strz(answer, RDMA_NLDEV_ATTR_DRIVER_STRING, "odp");
	mnl_attr_put_strz(answer, RDMA_NLDEV_ATTR_DRIVER_STRING,
			  number % 10 ? "explicit" : "implicit");
	mnl_attr_nest_end(answer, driver);
}

static void dump_mrs(struct kernel *k, const struct nlmsghdr *request)
{
	for (size_t i = 0; i < count; i += PART) {
		struct nlmsghdr *answer = kernel_answer(request);
		struct nlattr *table = mnl_attr_nest_start(answer, RDMA_NLDEV_ATTR_RES_MR), *entry;
		char *body = mnl_nlmsg_get_payload(answer);

		for (size_t j = i; j < count && j < i + PART; j++) {
			entry = mnl_attr_nest_start(answer, RDMA_NLDEV_ATTR_RES_MR_ENTRY);
			put_mr(answer, numbers[j]);
			mnl_attr_nest_end(answer, entry);
		}
		mnl_attr_nest_end(answer, table);
		if (mutation)
			body[mutation / 8 % (answer->nlmsg_len - sizeof(*answer))] ^=
				(char)(1 << mutation % 8);
		kernel_send(k, answer, answer->nlmsg_len);
		dumped++;
	}
	kernel_end_dump(k, request, 0);
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static void send_mr(struct kernel *k, const struct nlmsghdr *request)
{
	uint32_t number = kernel_number(request, RDMA_NLDEV_ATTR_RES_MRN);
	struct nlmsghdr *answer;

	if (!bsearch(&number, numbers, count, sizeof(*numbers), by_number)) {
		kernel_refuse(k, request, ENOENT);
		return;
	}
	answer = kernel_answer(request);
	put_mr(answer, number);
	kernel_send(k, answer, answer->nlmsg_len);
}

static void send_counters(struct kernel *k, const struct nlmsghdr *request)
{
	static const char *const names[] = { "page_faults", "page_invalidations", "page_prefetch",
					     "something_new" };
	uint32_t number = kernel_number(request, RDMA_NLDEV_ATTR_RES_MRN);
	struct nlmsghdr *answer = kernel_answer(request);
	struct nlattr *table = mnl_attr_nest_start(answer, RDMA_NLDEV_ATTR_STAT_HWCOUNTERS), *entry;

	assert_int_equal(kernel_number(request, RDMA_NLDEV_ATTR_STAT_RES), RDMA_NLDEV_ATTR_RES_MR);
	for (uint32_t i = 0; i < ARRAY_SIZE(names); i++) {
		entry = mnl_attr_nest_start(answer, RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY);
		mnl_attr_put_strz(answer, RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_NAME, names[i]);
		mnl_attr_put_u64(answer, RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_VALUE, number + i);
		mnl_attr_nest_end(answer, entry);
	}
	mnl_attr_nest_end(answer, table);
	kernel_send(k, answer, answer->nlmsg_len);
}

static void answer(struct kernel *k, const struct nlmsghdr *request)
{
	switch (kernel_command(request)) {
	case RDMA_NLDEV_CMD_RES_GET:
		kernel_send_summary(k, request, count + miscounted);
		break;
	case RDMA_NLDEV_CMD_RES_MR_GET:
		if (is_dump(request))
			dump_mrs(k, request);
		else
			send_mr(k, request);
		break;
	case RDMA_NLDEV_CMD_STAT_GET:
		send_counters(k, request);
		break;
	}
}

static void begin(void (*by)(struct kernel *kernel, const struct nlmsghdr *request))
{
	dumped = 0;
	alarm(120); /* a walk without an end fails */
	kernel_begin(by);
}

/* Lists the MRs of a kernel that answers by @by. */
static void list(void (*by)(struct kernel *kernel, const struct nlmsghdr *request))
{
	begin(by);
	assert_int_equal(mr_nldev_mrs(&nl, 0, &mrs, &err), 0);
}

static int end(void **state __attribute__((unused)))
{
	mr_nldev_mrs_release(&mrs);
	kernel_close();
	permitted = true;
	miscounted = 0;
	alarm(0);
	return 0;
}

EACH_TEST(NULL, end)

static void assert_complete(void)
{
	assert_int_equal(mrs.count, count);
	assert_int_equal(mrs.counted.value, count);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(mrs.list[i].mrn, numbers[i]);
}

static void list_all(void)
{
	list(answer);
	assert_complete();
}

static void number_from(uint32_t first, size_t how_many)
{
	count = how_many;
	for (size_t i = 0; i < count; i++)
		numbers[i] = first + (uint32_t)i;
}

TEST(each_attribute_of_an_mr_is_read)
{
	const struct mr_nldev_mr *mr;

	number_from(10, 10);
	list_all();
	assert_int_equal(kernel.asked,
			 3); /* the dump, and how many there are before and after it */
	mr = &mrs.list[1];
	assert_true(mr->has_keys && mr->has_pdn && !mr->has_counters);
	assert_int_equal(mr->lkey, 11 << 8);
	assert_int_equal(mr->rkey, 11 << 8 | 1);
	assert_int_equal(mr->length, 11 * 4096);
	assert_int_equal(mr->pid, 1001);
	assert_int_equal(mr->pdn, 2);
	assert_int_equal(mr->odp, MR_NLDEV_ODP_EXPLICIT);
	assert_int_equal(mrs.list[0].odp, MR_NLDEV_ODP_IMPLICIT);
	assert_int_equal(mrs.list[2].odp, MR_NLDEV_ODP_UNTOLD);
	assert_int_equal(mrs.list[8].pid, 0);
	assert_string_equal(mrs.list[9].kernel, "rpcrdma");
	assert_false(mrs.list[9].has_pdn);
}

TEST(without_permission_there_are_no_keys_and_without_mrs_there_are_none)
{
	permitted = false;
	number_from(1, 3);
	list_all();
	assert_false(mrs.list[0].has_keys);
	end(NULL);
	count = 0;
	list_all();
}

TEST(the_first_mrs_are_dumped_and_the_rest_asked_for)
{
	number_from(77, 20000);
	list_all();
	/* Some are dumped before it is stopped, which would go on for 67 parts and step over 650,000 MRs. */
	assert_true(kernel.asked > 7000 && kernel.asked < 11000);
}

TEST(gaps_are_walked_over)
{
	number_from(5, 15000);
	for (size_t i = 14000; i < count; i++)
		numbers[i] += 500;
	list_all();
	assert_true(kernel.asked < 6000);
}

TEST(what_is_far_away_is_dumped_after_a_limited_number_of_requests)
{
	number_from(5, 20000);
	for (size_t i = 13000; i < count; i++)
		numbers[i] += 1000000000;
	numbers[count - 1] = UINT32_MAX;
	list_all();
	assert_true(dumped >= 67);
	assert_true(kernel.asked < 22000);
}

/* More are counted than there are, so that the walk goes on to the end of the numbers. */
TEST(the_last_number_is_the_end_of_a_dump_and_of_a_walk)
{
	number_from(UINT32_MAX - 399, 400);
	list_all();
	end(NULL);
	number_from(UINT32_MAX - 12999, 13000);
	miscounted = 5;
	list(answer);
	assert_int_equal(mrs.count, 13000);
	assert_int_equal(mrs.list[12999].mrn, UINT32_MAX);
	/* each number behind those of the first dump was asked for once, and no other */
	assert_true(kernel.asked <= 1000 + 5);
}

/* After the first part of the dump the first hundred MRs vanish, and as many come at the end. */
static void moving(struct kernel *k, const struct nlmsghdr *request)
{
	static bool moved;

	if (kernel.asked == 1)
		moved = false;
	answer(k, request);
	if (!moved && kernel_command(request) == RDMA_NLDEV_CMD_RES_MR_GET) {
		for (size_t i = 0; i < count; i++)
			numbers[i] += 100;
		moved = true;
	}
}

TEST(what_exists_all_the_time_is_found_while_others_vanish)
{
	number_from(0, 1000);
	list(moving);
	assert_true(mrs.count >= 1000);
	for (uint32_t n = 100, i = 0; n < 1000; n++) {
		while (i < mrs.count && mrs.list[i].mrn < n)
			i++;
		assert_true(i < mrs.count && mrs.list[i].mrn == n);
	}
}

/* After the first part of the dump its MRs vanish: the kernel goes on behind as many others, and finds the end. */
static void vanishing(struct kernel *k, const struct nlmsghdr *request)
{
	const size_t all = count;

	if (!is_dump(request)) {
		answer(k, request);
		return;
	}
	count = PART;
	dump_mrs(k, request);
	count = all - PART;
	for (size_t i = 0; i < count; i++)
		numbers[i] = numbers[i + PART];
}

TEST(what_a_dump_skips_at_its_end_is_found)
{
	number_from(7, 2 * PART);
	list(vanishing);
	assert_int_equal(mrs.count, 2 * PART);
	assert_int_equal(mrs.list[0].mrn, 7);
	assert_int_equal(mrs.list[mrs.count - 1].mrn, 7 + mrs.count - 1);
}

/* Whether the request is for a single MR. */
static bool is_for_one(const struct nlmsghdr *request)
{
	return !is_dump(request) && kernel_command(request) == RDMA_NLDEV_CMD_RES_MR_GET;
}

/* A kernel whose socket has no room for some of the answers. */
static void short_of_room(struct kernel *k, const struct nlmsghdr *request)
{
	if (is_for_one(request) && kernel.asked % 7 == 0)
		kernel_refuse(k, request, EAGAIN);
	else
		answer(k, request);
}

TEST(answers_that_found_no_room_are_asked_for_again)
{
	number_from(1, 2000);
	list(short_of_room);
	assert_complete();
}

/* A kernel that refuses to tell of single MRs, by an errno, or always for want of room. */
static int refusal;

static void refusing(struct kernel *k, const struct nlmsghdr *request)
{
	if (is_for_one(request))
		kernel_refuse(k, request, refusal);
	else
		answer(k, request);
}

/* A number between two parts of a dump is asked for: it may be that of an MR that the dump has skipped. */
TEST(a_refusal_of_a_number_that_a_dump_left_out_is_the_error_unless_it_says_that_there_is_none)
{
	static const struct {
		int refusal, rc;
	} cases[] = { { EIO, -EIO }, { EINVAL, -ENODEV }, { EAGAIN, -ENOBUFS }, { ENOENT, 0 } };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		number_from(1, 2 * PART);
		for (size_t j = PART; j < count; j++)
			numbers[j]++;
		refusal = cases[i].refusal;
		begin(refusing);
		assert_equal_for("list", mr_nldev_mrs(&nl, 0, &mrs, &err), cases[i].rc);
		if (!cases[i].rc)
			assert_complete();
		end(NULL);
	}
	number_from(1, 13000); /* the same of a number behind those of the first dump */
	refusal = EIO;
	begin(refusing);
	assert_int_equal(mr_nldev_mrs(&nl, 0, &mrs, &err), -EIO);
}

TEST(the_counters_of_odp_are_read)
{
	number_from(100, 1000);
	list(answer);
	assert_int_equal(mr_nldev_count_faults(&nl, 0, &mrs, &err), 0);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(mrs.list[i].has_counters, mrs.list[i].odp != MR_NLDEV_ODP_UNTOLD);
		if (!mrs.list[i].has_counters)
			continue;
		assert_int_equal(mrs.list[i].page_faults, numbers[i]);
		assert_int_equal(mrs.list[i].page_invalidations, numbers[i] + 1);
		assert_int_equal(mrs.list[i].page_prefetch, numbers[i] + 2);
	}
}

TEST(no_byte_of_a_dump_is_trusted)
{
	number_from(10, 3);
	for (mutation = 3; mutation < 300 * 8; mutation += 3) {
		list(answer);
		assert_true(mrs.count <= 6);
		end(NULL);
	}
	mutation = 0;
	list_all();
}
