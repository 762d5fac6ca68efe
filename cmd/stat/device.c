// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/output/output.h"
#include "cmd/region/region.h"
#include "cmd/stat/stat.h"
#include "lib/base/base.h"
#include "lib/verbs/device.h"

/* Opens the device with DEVX where this user gets that, else without. */
static int open_device(const char *name, struct mr_environment *environment,
		       struct mr_device *device, bool *devx, struct mr_error *err)
{
	*devx = !mr_device_open_devx(name, device, environment, err);
	return *devx ? 0 : mr_device_open_alone(name, device, environment, err);
}

static int ask_device(const char *name, struct device_facts *facts, struct mr_error *err)
{
	struct mr_device device;
	bool devx;
	int rc = open_device(name, &facts->environment, &device, &devx, err);

	if (rc)
		return rc;
	rc = mr_attributes_query(device.context, &facts->attributes, err);
	facts->has_attributes = !rc;
	mr_features_find(&device, &facts->environment, rc ? NULL : &facts->attributes, devx,
			 &facts->features);
	facts->opened = true;
	mr_device_close(&device);
	return rc;
}

/* A kernel without RDMA netlink, or a device that has gone meanwhile, leaves the counts unknown. */
static void ask_netlink(const char *name, struct device_facts *facts)
{
	struct mr_error ignored;
	struct mr_nldev nl;
	uint32_t index;

	if (mr_nldev_open_device(&nl, name, &index, &ignored))
		return;
	facts->has_summary = !mr_nldev_summary(&nl, index, &facts->summary, &ignored);
	facts->has_pools = !mr_nldev_pools(&nl, index, &facts->pools, &ignored);
	mr_nldev_close(&nl);
}

static void read_commands(struct mr_host *host, struct device_facts *facts)
{
	if (strcmp(facts->sysfs.driver, "mlx5_core") == 0 && facts->sysfs.pci_address[0])
		facts->has_commands = !mr_mlx5_commands_read(
			host, facts->sysfs.pci_address, facts->commands, &facts->commands_error);
}

/* Finds out all about a device. */
static int device_facts_find(struct mr_host *host, const char *name,
			     const struct mr_environment *environment, struct device_facts *facts,
			     struct mr_error *err)
{
	int rc;

	*facts = (struct device_facts){ .environment = *environment };
	mr_rdma_device_read(host, name, &facts->sysfs);
	mr_rdma_device_identify(host, &facts->sysfs);
	facts->port_count = mr_rdma_ports_read(host, name, facts->ports);
	mr_rdma_node_read(host, name, &facts->node);
	rc = ask_device(name, facts, err);
	/* The kernel may have a device of the same name as a simulated one. */
	if (!facts->environment.simulated) {
		ask_netlink(name, facts);
		read_commands(host, facts);
	}
	return rc;
}

/* Frees what the facts have allocated. */
static void device_facts_release(struct device_facts *facts)
{
	mr_nldev_pools_release(&facts->pools);
}

/* Names of devices: those that are to be shown. */
struct names {
	char **list;
	size_t count;
	bool out_of_memory;
};

static void names_add(const char *name, void *data)
{
	struct names *names = data;
	char **list = reallocarray(names->list, names->count + 1, sizeof(*list));

	if (list) {
		names->list = list;
		list[names->count] = strdup(name);
	}
	if (!list || !list[names->count])
		names->out_of_memory = true;
	else
		names->count++;
}

static void names_release(struct names *names)
{
	while (names->count > 0)
		free(names->list[--names->count]);
	free(names->list);
}

static bool names_have(const struct names *names, const char *name)
{
	for (size_t i = 0; i < names->count; i++)
		if (!strcmp(names->list[i], name))
			return true;
	return false;
}

/* A run of the view. */
struct device_job {
	const struct invocation *invocation;
	struct mr_host host;
	struct names present; /* in sysfs */
	struct names chosen;
	struct mr_environment environment;
	struct answer answer;
	uint64_t shown;
};

static void choose(struct device_job *job)
{
	char *const *operand = job->invocation->operands;
	const char *device = job->invocation->global->device;

	if (mr_rdma_device_list(&job->host, names_add, &job->present) == -ENOMEM)
		job->present.out_of_memory = true;
	for (; *operand; operand++)
		if (!names_have(&job->chosen, *operand))
			names_add(*operand, &job->chosen);
	if (job->chosen.count)
		return;
	if (device)
		names_add(device, &job->chosen);
	else
		for (size_t i = 0; i < job->present.count; i++)
			names_add(job->present.list[i], &job->chosen);
}

static void fail(struct device_job *job, const char *name, struct mr_error *why)
{
	if (name && why->kind != MR_ERROR_ABSENT)
		mr_wrap(why, "%s", name);
	job->answer.refusal.device = name;
	answer_fail(&job->answer, why, 0, 0, MR_VIA_LIBRARY);
}

static void fail_absent(struct device_job *job, const char *name)
{
	char others[256] = "";
	struct mr_error why;
	size_t used = 0;

	for (size_t i = 0; i < job->present.count && used < sizeof(others); i++)
		used += (size_t)snprintf(others + used, sizeof(others) - used, "%s%s",
					 i ? ", " : "", job->present.list[i]);
	mr_device_fail_absent(name, 0, others, &why);
	/* Where no device was named, none is missing: the machine cannot do what was asked. */
	if (!name && why.kind == MR_ERROR_ABSENT)
		why.kind = MR_ERROR_HOST;
	fail(job, name, &why);
}

/* A device, and why it could not be opened. */
struct shown_device {
	struct device_facts facts;
	struct device_row row;
	struct mr_error why;
	int rc;
};

static struct shown_device *find_out(struct device_job *job, const char *name)
{
	struct shown_device *device = calloc(1, sizeof(*device));

	if (device)
		device->rc = device_facts_find(&job->host, name, &job->environment, &device->facts,
					       &device->why);
	return device;
}

/* Prints what was found out, and frees it.  Return: 0 or -ENOMEM. */
static int show(struct device_job *job, struct shown_device *device)
{
	int rc = device ? device_row_fill(&device->row, &device->facts) : -ENOMEM;

	if (!device)
		return rc;
	if (device->rc)
		fail(job, device->facts.sysfs.name, &device->why);
	if (!rc)
		answer_row(&job->answer, &device->row);
	job->shown += !rc;
	device_row_release(&device->row);
	device_facts_release(&device->facts);
	free(device);
	return rc;
}

static int show_all(struct device_job *job, struct shown_device *only)
{
	int rc = job->chosen.out_of_memory || job->present.out_of_memory ? -ENOMEM : 0;

	if (only)
		return show(job, only);
	if (!rc && !job->chosen.count)
		fail_absent(job, NULL);
	for (size_t i = 0; !rc && i < job->chosen.count; i++) {
		const char *name = job->chosen.list[i];

		if (names_have(&job->present, name))
			rc = show(job, find_out(job, name));
		else
			fail_absent(job, name);
	}
	return rc;
}

/* If a single device is shown, the environment of the answer is that of the device. */
static struct shown_device *find_out_only(struct device_job *job)
{
	struct shown_device *only = NULL;

	if (job->chosen.count == 1 && names_have(&job->present, job->chosen.list[0]))
		only = find_out(job, job->chosen.list[0]);
	if (only)
		job->environment = only->facts.environment;
	return only;
}

/* A device has too many facts for a line of a table, unless columns are chosen. */
static void print_as_blocks(struct answer *answer)
{
	const struct output_style *style = &answer->invocation->global->style;

	answer->lines = !style->columns && !style->no_headings;
	answer->out.blocks = answer->lines;
}

static int run_device(const struct invocation *invocation, struct mr_error *err)
{
	struct device_job job = { .invocation = invocation, .host = MR_THIS_HOST };
	struct shown_device *only;
	int rc;

	mr_environment_init(&job.environment);
	rc = answer_init(&job.answer, invocation, NULL, &job.environment, 0, err);
	if (rc)
		return rc;
	print_as_blocks(&job.answer);
	choose(&job);
	only = find_out_only(&job);
	answer_begin(&job.answer);
	rc = show_all(&job, only);
	if (rc)
		mr_fail(err, MR_ERROR_HOST, -rc, "malloc", NULL);
	answer_end_rows(&job.answer);
	job.answer.lines = job.answer.out.blocks = false; /* the environment is in the blocks */
	if (!rc)
		rc = answer_end(&job.answer, job.shown, err);
	if (!rc)
		rc = answer_status(&job.answer, job.shown, NULL);
	answer_release(&job.answer);
	names_release(&job.present);
	names_release(&job.chosen);
	return rc;
}

static int check_device(const struct invocation *invocation, struct mr_error *err)
{
	const char *device = invocation->global->device;

	if (!device || !invocation->operands[0])
		return 0;
	return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
			    "devices are named either as operands ('%s') or by -d ('%s')",
			    invocation->operands[0], device);
}

const struct command_view stat_device = {
	STAT_VIEW(device),
	.record = &device_record,
	.columns = COLUMNS(struct device_row, name, provider, driver, firmware, numa_node, mr_used,
			   max_mr),
	.metrics = device_metrics,
	.check = check_device,
	.run = run_device,
};
