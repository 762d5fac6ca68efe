/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names in the files of a recorded host that its owner may have given. */
#ifndef LIB_HOST_RECORDED_NAMES_H
#define LIB_HOST_RECORDED_NAMES_H

#include <stddef.h>

enum mr_recorded_name {
	MR_RECORDED_CGROUP,    /**< the path of a control group */
	MR_RECORDED_ACCOUNT,   /**< a group of users, none of the system's */
	MR_RECORDED_DEVICE,    /**< an RDMA device */
	MR_RECORDED_INTERFACE, /**< a network interface */
};

/**
 * mr_recorded_names() - find the names in a file
 * @path: in the recording, whose layout lib/host/root.h describes
 * @text: of the file
 * @take: called with each name; it goes up to @length bytes, and the text goes on
 */
void mr_recorded_names(const char *path, const char *text,
		       void (*take)(void *data, enum mr_recorded_name kind, const char *name,
				    size_t length),
		       void *data);

#endif
