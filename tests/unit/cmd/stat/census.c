// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* All MRs, of a kernel that gives odd answers about one of its two devices: the other one is listed all the same. */
#include "cmd/stat/stat.h"

#include "tests/unit/lib/nldev/kernel.h"

#define MRS 3 /* of each device */

static struct census census;

/* Failures, and the last one. */
static unsigned int failures;
static char failure[sizeof(((struct mr_error *)0)->text)];

static char *const all[] = { NULL };

/* Begins a part of a dump with all MRs. */
static struct nlmsghdr *put_mrs(const struct nlmsghdr *request)
{
	struct nlmsghdr *answer = kernel_answer(request);
	struct nlattr *table = mnl_attr_nest_start(answer, RDMA_NLDEV_ATTR_RES_MR), *entry;

	for (uint32_t number = 1; number <= MRS; number++) {
		entry = mnl_attr_nest_start(answer, RDMA_NLDEV_ATTR_RES_MR_ENTRY);
		mnl_attr_put_u32(answer, RDMA_NLDEV_ATTR_RES_MRN, number);
		mnl_attr_put_u64(answer, RDMA_NLDEV_ATTR_RES_MRLEN, 4096);
		mnl_attr_nest_end(answer, entry);
	}
	mnl_attr_nest_end(answer, table);
	return answer;
}

static void send_mrs(struct kernel *k, const struct nlmsghdr *request)
{
	const struct nlmsghdr *answer = put_mrs(request);

	kernel_send(k, answer, answer->nlmsg_len);
}

static void send_all(struct kernel *k, const struct nlmsghdr *request)
{
	send_mrs(k, request);
	kernel_end_dump(k, request, 0);
}

/* How the MRs of the odd device are dumped. */
static void (*send_odd_mrs)(struct kernel *k, const struct nlmsghdr *request);
static bool is_gone; /* it has been removed */

static void answer(struct kernel *k, const struct nlmsghdr *request)
{
	const unsigned int command = kernel_command(request);
	const bool is_odd = !kernel_number(request, RDMA_NLDEV_ATTR_DEV_INDEX);

	if (command == RDMA_NLDEV_CMD_GET)
		kernel_send_devices(k, request, (const char *const[]){ "odd0", "good0", NULL }, 1);
	else if (is_odd && is_gone)
		kernel_refuse(k, request, EINVAL);
	else if (command == RDMA_NLDEV_CMD_RES_GET)
		kernel_send_summary(k, request, MRS);
	else if (!is_dump(request))
		kernel_refuse(k, request, ENOENT);
	else if (is_odd)
		send_odd_mrs(k, request);
	else
		send_all(k, request);
}

static void note_failure(struct mr_error *err, void *data)
{
	assert_ptr_equal(data, &kernel);
	snprintf(failure, sizeof(failure), "%s", err->text);
	failures++;
}

/* Take a census of the named devices, or all, where the MRs of the odd device are dumped by @send. */
static void take(void (*send)(struct kernel *k, const struct nlmsghdr *request),
		 char *const names[])
{
	struct mr_error err;

	kernel = (struct kernel){ .answer = answer };
	send_odd_mrs = send;
	is_gone = false;
	failures = 0;
	assert_int_equal(census_take(&census, names, note_failure, &kernel, &err), 0);
}

static void end(void)
{
	census_release(&census);
	kernel_end(&kernel);
}

/* The odd device is not listed, not even in part. */
static void assert_failed(const char *text)
{
	assert_int_equal(failures, 1);
	assert_contains(failure, "odd0: ");
	assert_contains(failure, text);
	assert_int_equal(census.device_count, 1);
	assert_string_equal(census.devices[0].device.name, "good0");
	assert_int_equal(census.devices[0].mrs.count, MRS);
	assert_int_equal(census.owner_count, 1);
	assert_int_equal(census.owners[0].sums.regions, MRS);
}

static void send_truncated(struct kernel *k, const struct nlmsghdr *request)
{
	const struct nlmsghdr *answer = put_mrs(request);

	kernel_send(k, answer, answer->nlmsg_len - 12);
}

/* A dump that goes on where its device has gone ends with an error. */
static void remove_device(struct kernel *k, const struct nlmsghdr *request)
{
	is_gone = true;
	send_mrs(k, request);
	kernel_fail_dump(k, request, EINVAL, 0);
}

TEST(a_device_whose_dump_is_not_whole_fails)
{
	static const struct {
		void (*send)(struct kernel *k, const struct nlmsghdr *request);
		const char *text;
	} rows[] = {
		{ send_truncated, "RDMA_NLDEV_CMD_RES_MR_GET: EBADMSG" },
		{ remove_device, "the device no longer exists" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		take(rows[i].send, all);
		assert_failed(rows[i].text);
		end();
	}
}

TEST(each_named_device_is_listed_once_and_one_that_is_not_there_fails)
{
	char good[] = "good0", none[] = "none0";
	char *const names[] = { good, none, good, NULL };

	take(send_truncated, names);
	assert_int_equal(failures, 1);
	assert_contains(failure, "no RDMA device 'none0'");
	assert_int_equal(census.device_count, 1);
	assert_int_equal(census.devices[0].mrs.count, MRS);
	end();
}

extern const struct command command_stat;

/* Runs stat --system on both devices.  Return: its document. */
static const char *print_system(struct capture *c, const struct stat_args *args)
{
	const struct global_args global = { .style = { .json = true } };
	const char *const argv[] = { "mrctl", NULL };
	char *operands[] = { NULL };
	const struct invocation invocation = { .command = &command_stat,
					       .global = &global,
					       .argv = argv,
					       .args = args,
					       .operands = operands };
	struct mr_error err = { 0 };

	kernel = (struct kernel){ .answer = answer };
	send_odd_mrs = send_all;
	is_gone = false;
	capture_begin(c, STDOUT_FILENO);
	assert_int_equal(stat_system.run(&invocation, &err), 0);
	capture_end(c);
	kernel_end(&kernel);
	return c->text;
}

TEST(each_list_is_printed_from_the_census)
{
	static const char *const parts[] = {
		"\"mrs\":[\n{\"device\":\"odd0\",\"mrn\":1,\"pid\":null,\"comm\":null,\"unit\":null,"
		"\"container\":null,\"kernel\":null,\"length\":4096,\"lkey\":null,\"rkey\":null,"
		"\"pdn\":null,\"odp\":null,\"page_faults\":null,\"page_invalidations\":null,"
		"\"page_prefetch\":null,\"gone\":",
		"\n{\"device\":\"good0\",\"mrn\":3,",
		"\"processes\":[\n{\"pid\":null,\"comm\":null,\"unit\":null,\"container\":null,"
		"\"kernel\":null,\"gone\":",
		"\"session\":null,\"regions\":6,\"bytes\":24576,\"odp_regions\":0,\"odp_bytes\":0,"
		"\"pinned\":null,\"locked\":null}]",
		"\"units\":[\n{\"unit\":null,\"container\":null,\"processes\":0,\"regions\":6,"
		"\"bytes\":24576,\"odp_regions\":0,\"odp_bytes\":0,\"pinned\":null,\"locked\":null}]",
		"\"devices\":[\n{\"device\":\"odd0\",\"regions\":3,\"bytes\":12288,\"odp_regions\":0,"
		"\"odp_bytes\":0,\"counted\":3,\"pinned\":null},\n{\"device\":\"good0\",",
		"\"totals\":{\"regions\":6,\"bytes\":24576,\"odp_regions\":0,\"odp_bytes\":0,"
		"\"counted\":6,\"processes\":0,\"kernel_regions\":0,",
	};
	const struct stat_args args = { .system = true };
	struct capture c;

	print_system(&c, &args);
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		assert_contains(c.text, parts[i]);
}

TEST(top_rows_are_those_with_the_largest_values)
{
	const struct stat_args args = { .system = true,
					.by = "mr",
					.sort = "mrn",
					.top = known(2) };
	struct capture c;

	print_system(&c, &args);
	assert_contains(c.text, "\"mrs\":[\n{\"device\":\"odd0\",\"mrn\":3,");
	assert_contains(c.text, "\n{\"device\":\"good0\",\"mrn\":3,");
	assert_null(strstr(c.text, "\"mrn\":2"));
}
