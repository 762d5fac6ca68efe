// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <infiniband/verbs.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/diagnose/simulated.h"
#include "lib/host/processes.h"
#include "lib/host/reading.h"
#include "lib/simulator/spec.h"
#include "lib/trace/look.h"
#include "lib/verbs/device.h"
#include "lib/verbs/uverbs.h"

/* ---- libibverbs of the process ---- */

static bool take_library(const struct mr_mapping *mapping, void *data)
{
	static const char name[] = "/libibverbs.so.";
	struct mr_environment *environment = data;

	return !strstr(mapping->path, name) ||
	       !mr_rdma_core_version(mapping->path, environment->rdma_core,
				     sizeof(environment->rdma_core));
}

/* ---- the simulated HCA ---- */

/* Whether a variable has the same value in both processes, or is set in neither. */
static bool has_same_variable(const struct mr_host *host, const char *name)
{
	const char *own = getenv(name);
	char others[64];

	return mr_process_variable(host->process, name, others, sizeof(others)) >= 0 &&
	       !strcmp(own ? own : "", others);
}

/* Whether a device of that name is the same one here: the real one, or one that is simulated alike. */
static bool has_same_devices(struct mr_host *host, bool is_simulated)
{
	if (mr_is_simulated(mr_this_host()) != is_simulated)
		return false;
	return !is_simulated || (has_same_variable(host, MR_SIM_VARIABLE) &&
				 has_same_variable(host, MR_SIM_KERNEL_VARIABLE));
}

/* The names of the profiles are those of the providers; the first kernel is the default. */
static void take_simulated(const struct mr_host *host, struct mr_environment *environment)
{
	environment->simulated = true;
	mr_process_variable(host->process, MR_SIM_VARIABLE, environment->provider,
			    sizeof(environment->provider));
	if (mr_process_variable(host->process, MR_SIM_KERNEL_VARIABLE,
				environment->simulated_kernel,
				sizeof(environment->simulated_kernel)) == 0)
		snprintf(environment->simulated_kernel, sizeof(environment->simulated_kernel), "%s",
			 mr_sim_kernels[0].name);
}

/* ---- the device ---- */

/* The call's device, opened anew. */
struct opened {
	bool is_open;
	struct mr_device device;
	struct mr_uverbs uverbs;
};

/* A device that has failed may let who opens it wait, until a command times out. */
static bool may_be_opened(const struct mr_refused_call *call)
{
	const int errnum = call->refusal.errnum;

	return call->operation != MR_OP_OPEN && errnum != EIO && errnum != ETIMEDOUT &&
	       errnum != ENODEV && errnum != ENXIO;
}

/* Another release of rdma-core may have a provider with other functions: then the kernel alone is asked. */
static void open_device(const char *own_rdma_core, struct mr_refused_call *call,
			struct mr_environment *environment, struct opened *opened)
{
	struct mr_environment found = { .device = "" };
	struct mr_error ignored;
	uint32_t no_pd;

	if (!may_be_opened(call))
		mr_device_find(environment->device, &found, &ignored);
	else
		opened->is_open = !mr_device_open_alone(environment->device, &opened->device,
							&found, &ignored);
	memcpy(environment->provider, found.provider, sizeof(environment->provider));
	if (!opened->is_open)
		return;
	opened->uverbs = mr_device_uverbs(&opened->device, &found, &no_pd);
	call->refusal.is_opened_anew = true;
	call->refusal.uverbs = &opened->uverbs;
	if (!strcmp(own_rdma_core, environment->rdma_core))
		call->refusal.context = opened->device.context;
}

static void find_device(struct mr_host *host, const struct mr_trace_record *record,
			struct mr_refused_call *call, struct mr_environment *environment,
			struct opened *opened)
{
	const bool is_simulated = mr_is_simulated(host) || record->flags & MR_TRACE_HAS_PINNED;
	struct mr_environment own;

	snprintf(environment->device, sizeof(environment->device), "%.*s",
		 (int)sizeof(record->device), record->device);
	if (is_simulated)
		take_simulated(host, environment);
	if (!environment->device[0] || strchr(environment->device, '/'))
		return;
	mr_environment_init(&own);
	if (has_same_devices(host, is_simulated))
		open_device(own.rdma_core, call, environment, opened);
	mr_host_line(host, environment->firmware, sizeof(environment->firmware),
		     "/sys/class/infiniband/%s/fw_ver", environment->device);
}

/* ---- the process ---- */

static struct mr_opt_u64 limited(uint64_t limit)
{
	return (struct mr_opt_u64){ limit, limit != UINT64_MAX };
}

/* What mr_environment_init() finds out of this process. */
static void read_environment(struct mr_host *host, struct mr_environment *environment)
{
	struct mr_process_status status;
	struct mr_memlock limit;
	struct mr_environment own;

	mr_environment_init(&own);
	*environment = (struct mr_environment){ .mrctl = "" };
	memcpy(environment->mrctl, own.mrctl, sizeof(own.mrctl));
	memcpy(environment->kernel, own.kernel, sizeof(own.kernel));
	mr_mappings_walk(host, 0, take_library, environment);
	if (!mr_process_status_read(host, "self", &status))
		environment->euid = status.uid;
	if (!mr_memlock_read(host, "self", &limit)) {
		environment->memlock_soft = limited(limit.soft);
		environment->memlock_hard = limited(limit.hard);
	}
}

static void read_process(struct mr_host *host, const struct mr_trace_record *record,
			 struct mr_look *look)
{
	struct mr_process_status status;

	look->error = mr_process_status_read(host, "self", &status);
	memcpy(look->command, status.name, sizeof(look->command));
	look->has_memlock = !mr_memlock_read(host, "self", &look->memlock);
	look->is_memlock_lifted = mr_memlock_is_lifted(host);
	look->pinned = status.pinned;
	if (look->environment.simulated)
		look->pinned =
			(struct mr_opt_u64){ record->pinned, record->flags & MR_TRACE_HAS_PINNED };
}

static void read_memory(struct mr_host *host, const struct mr_refused_call *call,
			struct mr_look *look)
{
	const struct mr_region_request *request = call->refusal.request;

	look->has_range = mr_traced_range_read(&call->refusal, host, &look->range) != -ENODATA;
	look->has_dmabuf = request && mr_region_is_dmabuf(request->call) && request->fd >= 0 &&
			   !mr_dmabuf_file_read(host, request->fd, &look->dmabuf);
	look->dmabuf.is_dmabuf |= look->dmabuf.is_simulated && look->environment.simulated;
}

void mr_look_at(pid_t pid, const struct mr_trace_record *record,
		const struct mr_look_context *context, struct mr_look *look)
{
	struct mr_host host = MR_THIS_HOST;
	struct opened opened = { .is_open = false };
	struct mr_refused_call call;

	host.process = pid;
	host.thread = mr_process_thread(pid, record->tid);
	*look = (struct mr_look){ .tid = (uint64_t)host.thread,
				  .registered_bytes = context->registered_bytes,
				  .registered_count = context->registered_count };
	mr_refused_call_read(record, context, &call);
	read_environment(&host, &look->environment);
	find_device(&host, record, &call, &look->environment, &opened);
	call.refusal.environment = &look->environment;
	mr_refused_call_complete(&call);
	read_process(&host, record, look);
	read_memory(&host, &call, look);
	if (look->has_range && look->range.memory[0])
		call.refusal.memory = look->range.memory;
	call.refusal.simulated_pinned = look->pinned;
	look->errnum = call.refusal.errnum;
	look->by_kernel = call.refusal.by_kernel;
	look->is_fork_safe = call.refusal.fork_safe;
	mr_diagnose(&call.refusal, &host, &look->diagnosis);
	if (opened.is_open)
		mr_device_close(&opened.device);
}
