/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The file behind a mapping of the process, and the file system that it is on. */
#ifndef LIB_HOST_MAPPED_FILE_H
#define LIB_HOST_MAPPED_FILE_H

#include "lib/base/base.h"
#include "lib/host/address_space.h"

struct mr_mapped_file {
	char filesystem
		[32]; /**< "ext4"; empty: no visible mount has its device, and statfs(2) names none */
	char upper[32];     /**< of an overlay: the file system of its upper layer, or "" */
	bool can_be_device; /**< it is of a kind whose mappings can be memory of a device */
	bool is_found;      /**< the file can be looked at, so the next members are those of it */
	bool has_path;      /**< the path of the mapping leads to it */
	uint32_t type;      /**< S_IFREG, ..., as of stat(2) */
	struct mr_opt_u64 size;      /**< bytes of a regular file */
	struct mr_opt_u64 allocated; /**< bytes of it that the file system has room for */
	struct mr_opt_u64 free;      /**< bytes that are free in the file system */
	enum mr_tristate is_dax; /**< the file is memory itself, and has no page cache (statx(2)) */
};

/**
 * mr_mapped_file_read() - look at the file of a mapping; without one, nothing is known
 *
 * A file without a path (unlinked, or of memfd_create(2)) is looked at through /proc/PID/map_files, which root may
 * follow, or else through a descriptor of the process.
 */
void mr_mapped_file_read(struct mr_host *host, const struct mr_mapping *mapping,
			 struct mr_mapped_file *file);

#endif
