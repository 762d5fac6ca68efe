// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <string.h>
#include <sys/ioctl.h>

#include "lib/verbs/ioctl.h"

struct mr_ioctl mr_ioctl_new(uint16_t object, uint16_t method)
{
	return (struct mr_ioctl){ .header = { .object_id = object, .method_id = method } };
}

struct ib_uverbs_attr *mr_ioctl_add(struct mr_ioctl *request, uint16_t id, size_t length,
				    uint64_t data)
{
	struct ib_uverbs_attr *attr = &request->attrs[request->header.num_attrs++];

	*attr = (struct ib_uverbs_attr){
		.attr_id = id,
		.len = (uint16_t)length,
		.flags = UVERBS_ATTR_F_MANDATORY,
		.data = data,
	};
	return attr;
}

void mr_ioctl_add_handle(struct mr_ioctl *request, uint16_t id, uint32_t handle)
{
	mr_ioctl_add(request, id, 0, handle);
}

/* A value of up to eight bytes is in the attribute itself; of a longer one the attribute has the address. */
void mr_ioctl_add_in(struct mr_ioctl *request, uint16_t id, const void *value, size_t length)
{
	uint64_t data = (uintptr_t)value;

	if (length <= sizeof(data)) {
		data = 0;
		memcpy(&data, value, length);
	}
	mr_ioctl_add(request, id, length, data);
}

void mr_ioctl_add_out(struct mr_ioctl *request, uint16_t id, void *value, size_t length)
{
	mr_ioctl_add(request, id, length, (uintptr_t)value);
}

int mr_ioctl_submit(const struct mr_uverbs *uverbs, struct mr_ioctl *request, const char *call,
		    struct mr_error *err)
{
	request->header.length = (uint16_t)(sizeof(request->header) +
					    request->header.num_attrs * sizeof(*request->attrs));
	request->header.driver_id = uverbs->driver_id;
	if (ioctl(uverbs->fd, RDMA_VERBS_IOCTL, &request->header))
		return err ? mr_fail(err, MR_ERROR_REFUSED, errno, call, NULL) : -errno;
	return 0;
}

struct mr_ioctl mr_ioctl_new_write(uint64_t command, const void *in, size_t in_length, void *out,
				   size_t out_length)
{
	struct mr_ioctl request = mr_ioctl_new(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INVOKE_WRITE);

	mr_ioctl_add_in(&request, UVERBS_ATTR_WRITE_CMD, &command, sizeof(command));
	mr_ioctl_add_in(&request, UVERBS_ATTR_CORE_IN, in, in_length);
	mr_ioctl_add_out(&request, UVERBS_ATTR_CORE_OUT, out, out_length);
	return request;
}
