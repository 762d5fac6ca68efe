// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>

#include "cmd/register/dmabuf_args.h"
#include "lib/memory/dmabuf.h"

int dmabuf_args_check(const struct dmabuf_args *args, const char *option, struct mr_error *err)
{
	if (args->buffer.known && args->source.type == MR_DMABUF_FD)
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				    "--buffer: the dma-buf of --%s %s is made already", option,
				    args->source.text);
	return 0;
}

int dmabuf_args_apply(const struct dmabuf_args *args, struct register_args *common,
		      struct mr_dmabuf_request *request, struct mr_error *err)
{
	struct memory_args *memory = &common->memory;
	uint64_t size = mr_dmabuf_source_size(&args->source);
	int rc;

	if (!memory->size.known && !memory->count.known && size > memory->offset.value)
		memory->size = known(size - memory->offset.value);
	/* Nothing is mapped: what is registered begins at the offset. */
	memory->memory =
		(struct mr_memory_kind){ .type = MR_MEMORY_NONE, .text = args->source.text };
	request->source = args->source;
	rc = memory_plan_end(memory, &request->size, err);
	if (rc)
		return rc;
	if (args->buffer.known)
		request->size = args->buffer.value;
	common->dmabuf = request;
	return 0;
}
