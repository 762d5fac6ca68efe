/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The running kernel: its release, options, command line, modules and symbols. */
#ifndef LIB_HOST_KERNEL_H
#define LIB_HOST_KERNEL_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/base.h"
#include "lib/host/root.h"

struct mr_kernel_version {
	unsigned int major, minor;
};

/** mr_kernel_release() - "6.12.107+deb13-amd64"; false where it cannot be read */
bool mr_kernel_release(struct mr_host *host, char *release, size_t size);

/** mr_kernel_version() - read a release; false where it does not begin with two numbers */
bool mr_kernel_version(const char *release, struct mr_kernel_version *version);

/**
 * mr_kernel_release_is_plain() - whether a release is named as those of Linux itself, or of Debian and Ubuntu, are
 *
 * Of such a kernel the release tells what it cannot do yet.  Vendors of others, enterprise distributions above all,
 * keep an old release and add what newer ones brought.
 */
bool mr_kernel_release_is_plain(const char *release);

/** An option that the kernel was built with. */
struct mr_kernel_option {
	const char *name; /**< "INFINIBAND" */
	enum mr_tristate
		is_on; /**< built in or as a module; MR_UNKNOWN: the file does not mention it */
};

/**
 * mr_kernel_options_read() - look up options in the file that distributions install with a kernel
 * @options: by name; is_on is set
 * @path:    set to the file, or to an empty text
 *
 * Files are looked for in /boot and /lib/modules; /proc/config.gz, which is compressed, is not read.
 *
 * Return: 0; -ENOENT where there is no such file; or -errno of the last one.
 */
int mr_kernel_options_read(struct mr_host *host, const char *release,
			   struct mr_kernel_option *options, size_t count, char *path, size_t size);

/**
 * mr_kernel_words() - the words of the kernel's command line that have to do with registration
 * @words: set: "iommu=pt kho=on"
 *
 * Other words are neither read nor recorded.
 *
 * Return: 0, or -errno.
 */
int mr_kernel_words(struct mr_host *host, char *words, size_t size);

/** mr_kernel_has_module() - whether a module is loaded, or one that is built in shows itself in /sys/module */
bool mr_kernel_has_module(struct mr_host *host, const char *name);

/** mr_kernel_has_symbol() - whether /proc/kallsyms has a symbol; no addresses are read or recorded */
enum mr_tristate mr_kernel_has_symbol(struct mr_host *host, const char *name);

#endif
