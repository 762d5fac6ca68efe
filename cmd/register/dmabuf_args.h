/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Options that describe the dma-buf behind regions, for every command that registers one. */
#ifndef CMD_REGISTER_DMABUF_ARGS_H
#define CMD_REGISTER_DMABUF_ARGS_H

#include "cmd/register/register.h"
#include "lib/memory/dmabuf.h"

struct dmabuf_args {
	struct mr_dmabuf_source source;
	struct mr_opt_u64 buffer;
};

/** The help of an option that fills @buffer. */
#define DMABUF_BUFFER_HELP "bytes of the dma-buf (default: as needed)"

/**
 * dmabuf_args_check() - whether source and size of the dma-buf make sense together
 * @option: name of the option that gave the source
 *
 * Return: 0, or -EINVAL with MR_ERROR_USAGE.
 */
int dmabuf_args_check(const struct dmabuf_args *args, const char *option, struct mr_error *err);

/**
 * dmabuf_args_apply() - register a dma-buf in place of memory
 * @common:  its offset, size and count are of the dma-buf; what else is said of memory is replaced
 * @request: set, and put into @common
 *
 * Return: 0, or -errno with MR_ERROR_USAGE where the options make no sense together.
 */
int dmabuf_args_apply(const struct dmabuf_args *args, struct register_args *common,
		      struct mr_dmabuf_request *request, struct mr_error *err);

#endif
