// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The processors of a host. */
#include "lib/host/processor.h"

#include "tests/unit/recorded_host.h"

static struct recorded_host recorded;
static struct mr_processor processor;

static int set_up(void **state)
{
	(void)state;
	recorded_host_begin(&recorded);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	recorded_host_end(&recorded);
	return 0;
}

TEST(the_model_is_that_of_the_first_cpu)
{
	recorded_host_put(&recorded, "/proc/cpuinfo",
			  "processor\t: 0\nmodel\t\t: 17\nmodel name\t: A  CPU\n\n"
			  "processor\t: 1\nmodel name\t: Another\n");
	mr_processor_read(&recorded.host, &processor);
	assert_string_equal(processor.model, "A  CPU");
}

TEST(what_the_kernel_tells_is_read)
{
	recorded_host_put(&recorded, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor",
			  "performance\n");
	recorded_host_put(&recorded, "/sys/devices/system/cpu/online", "0-191\n");
	recorded_host_put(&recorded, "/sys/devices/system/node/has_memory", "0-1\n");
	recorded_host_put(&recorded,
			  "/sys/devices/system/clocksource/clocksource0/current_clocksource",
			  "tsc\n");
	mr_processor_read(&recorded.host, &processor);
	assert_string_equal(processor.governor, "performance");
	assert_string_equal(processor.online, "0-191");
	assert_string_equal(processor.nodes, "0-1");
	assert_string_equal(processor.clock, "tsc");
}

TEST(what_is_missing_is_empty)
{
	recorded_host_put(&recorded, "/proc/cpuinfo", "CPU implementer\t: 0x41\n");
	mr_processor_read(&recorded.host, &processor);
	assert_string_equal(processor.model, "");
	assert_string_equal(processor.governor, "");
	assert_string_equal(processor.online, "");
	assert_string_equal(processor.nodes, "");
	assert_string_equal(processor.clock, "");
}

EACH_TEST(set_up, tear_down)
