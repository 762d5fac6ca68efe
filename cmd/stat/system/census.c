// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/stat/system/census.h"
#include "lib/host/host.h"
#include "lib/host/processes.h"

/* What census_take() works with. */
struct taking {
	struct census *census;
	struct mr_nldev nl;
	struct mr_host host;
	void (*fail)(struct mr_error *err, void *data);
	void *data;
};

/* ---- devices ---- */

/* List the MRs of a device.  Return: 0 or -errno. */
static int list_device(struct taking *taking, struct counted_device *device, struct mr_error *err)
{
	struct mr_rdma_device attributes;
	int rc = mr_nldev_mrs(&taking->nl, device->device.index, &device->mrs, err);

	if (rc)
		return rc;
	mr_rdma_device_read(&taking->host, device->device.name, &attributes);
	device->pinned = attributes.reg_pages;
	device->pinned.value *= (uint64_t)sysconf(_SC_PAGESIZE);
	rc = mr_nldev_count_faults(&taking->nl, device->device.index, &device->mrs, err);
	if (rc && err->kind == MR_ERROR_REFUSED) { /* the MRs themselves are listed */
		taking->fail(err, taking->data);
		rc = 0;
	}
	return rc;
}

static void add_device(struct taking *taking, const struct mr_nldev_device *found)
{
	struct census *census = taking->census;
	struct counted_device *device = &census->devices[census->device_count];
	struct mr_error err;

	*device = (struct counted_device){ .device = *found };
	if (!list_device(taking, device, &err)) {
		census->device_count++;
		return;
	}
	mr_nldev_mrs_release(&device->mrs);
	mr_wrap(&err, "%s", found->name);
	taking->fail(&err, taking->data);
}

static void add_named(struct taking *taking, const struct mr_nldev_devices *found,
		      char *const *names)
{
	struct mr_error err;

	for (char *const *name = names; *name; name++) {
		const struct mr_nldev_device *device = mr_nldev_device_by_name(found, *name);
		bool is_again = false;

		for (char *const *other = names; other != name; other++)
			is_again |= !strcmp(*other, *name);
		if (is_again)
			continue;
		if (device) {
			add_device(taking, device);
			continue;
		}
		mr_fail_text(&err, MR_ERROR_ABSENT, ENODEV, "the kernel has no RDMA device '%s'",
			     *name);
		taking->fail(&err, taking->data);
	}
}

/* Return: 0, or -errno where the devices cannot be listed. */
static int list_devices(struct taking *taking, char *const *names, struct mr_error *err)
{
	struct mr_nldev_devices found;
	int rc = mr_nldev_devices(&taking->nl, &found, err);

	if (!rc) {
		taking->census->devices = calloc(found.count + 1, sizeof(*taking->census->devices));
		if (!taking->census->devices) {
			mr_nldev_devices_release(&found);
			return mr_fail(err, MR_ERROR_HOST, ENOMEM, "calloc", NULL);
		}
	}
	if (!rc && names[0])
		add_named(taking, &found, names);
	for (size_t i = 0; !rc && !names[0] && i < found.count; i++)
		add_device(taking, &found.list[i]);
	mr_nldev_devices_release(&found);
	return rc;
}

/* ---- sessions ---- */

/* Find out whose region each MR is.  Return: 0 or -ENOMEM. */
static int match_device(struct session_regions *regions, struct counted_device *device)
{
	if (!regions->count || !device->mrs.count)
		return 0;
	device->sessions = calloc(device->mrs.count, sizeof(*device->sessions));
	for (size_t n = 0; device->sessions && n < device->mrs.count; n++)
		device->sessions[n] =
			session_regions_place(regions, device->device.name, &device->mrs.list[n]);
	return device->sessions ? 0 : -ENOMEM;
}

/* Return: 0 or -ENOMEM. */
static int match_sessions(struct taking *taking)
{
	struct census *census = taking->census;
	struct mr_error err;
	bool has_any = false;
	int rc = 0;

	census->has_keys = true;
	for (size_t i = 0; i < census->device_count; i++)
		if (census->devices[i].mrs.count) {
			census->has_keys &= census->devices[i].mrs.list[0].has_keys;
			has_any = true;
		}
	/* Without keys nothing can be proved. */
	if (has_any && census->has_keys && session_regions_find(&census->sessions, &err))
		taking->fail(&err, taking->data);
	for (size_t i = 0; i < census->device_count && !rc; i++)
		rc = match_device(&census->sessions, &census->devices[i]);
	return rc;
}

/* ---- all ---- */

int census_take(struct census *census, char *const *names,
		void (*fail)(struct mr_error *err, void *data), void *data, struct mr_error *err)
{
	struct taking taking = {
		.census = census, .host = MR_THIS_HOST, .fail = fail, .data = data
	};
	int rc;

	*census = (struct census){ .begun = mr_process_ticks() };
	rc = mr_nldev_open(&taking.nl, err);
	if (rc)
		return rc;
	census->sees_all_processes = mr_namespace_is_first(&taking.host, "pid") == MR_YES;
	rc = list_devices(&taking, names, err);
	if (!rc && (match_sessions(&taking) || owners_sum(census)))
		rc = mr_fail(err, MR_ERROR_HOST, ENOMEM, "malloc", "too many MRs");
	if (!rc && owners_read(census, &taking.host))
		rc = mr_fail(err, MR_ERROR_HOST, ENOMEM, "calloc", NULL);
	census->pinned = mr_pinned_pages(&taking.host);
	mr_nldev_close(&taking.nl);
	return rc;
}

void census_release(struct census *census)
{
	for (size_t i = 0; i < census->device_count; i++) {
		mr_nldev_mrs_release(&census->devices[i].mrs);
		free(census->devices[i].sessions);
	}
	free(census->devices);
	free(census->owners);
	free(census->modules);
	session_regions_release(&census->sessions);
	*census = (struct census){ .device_count = 0 };
}
