/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Changing a registered region: where its memory is, its protection domain, its access. */
#ifndef LIB_VERBS_REREG_H
#define LIB_VERBS_REREG_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/base.h"
#include "lib/verbs/calls.h"

/** What is to change, with the values of enum ibv_rereg_mr_flags. */
enum mr_change {
	MR_CHANGE_TRANSLATION = 1 << 0, /**< address and length */
	MR_CHANGE_PD = 1 << 1,
	MR_CHANGE_ACCESS = 1 << 2,
};

/** How libibverbs treats a region in the process that registered it. */
enum mr_origin {
	MR_ORIGIN_PLAIN, /**< ibv_reg_mr(3) and the like: it changes such a region */
	MR_ORIGIN_OTHER, /**< a dma-buf, memory on the device: it refuses to */
	MR_ORIGIN_UNKNOWN,
};

/** A change that is wanted. */
struct mr_rereg_request {
	uint32_t changes; /**< enum mr_change, and whatever else was asked for */
	uint64_t addr;    /**< of TRANSLATION: address of the first byte */
	uint64_t length;  /**< of TRANSLATION: bytes */
	uint64_t iova;    /**< of TRANSLATION by MR_VIA_KERNEL; the library takes the address */
	uint32_t access;  /**< of ACCESS */
	enum mr_origin origin;      /**< by MR_VIA_KERNEL: for library_would_say */
	struct mr_backing *backing; /**< of TRANSLATION: as of struct mr_region_request */
};

/** What a region is after a call that failed. */
enum mr_old_region {
	MR_OLD_UNTOUCHED, /**< no call has failed */
	MR_OLD_VALID,     /**< as before */
	MR_OLD_REPLACED,  /**< it has changed, although the call failed */
	MR_OLD_UNUSABLE,  /**< it can only be deregistered */
	MR_OLD_UNKNOWN,   /**< the kernel does not report it */
	MR_OLD_REGIONS,   /**< how many there are */
};

/** mr_old_region_name() - "valid", ...; NULL for MR_OLD_UNTOUCHED */
const char *mr_old_region_name(enum mr_old_region old);

/** The names of what can change, for mr_flags_parse(). */
extern const struct mr_word mr_change_flags[];

/** All of enum mr_change. */
#define MR_CHANGES (MR_CHANGE_TRANSLATION | MR_CHANGE_PD | MR_CHANGE_ACCESS)

/** Who changes no regions at all, whichever. */
enum mr_rereg_lack {
	MR_REREG_OF_NONE, /**< nobody, or it is not known */
	MR_REREG_OF_PROVIDER,
	MR_REREG_OF_KERNEL, /**< its driver */
};

/** How a change failed. */
struct mr_rereg_failure {
	enum mr_old_region old;
	enum mr_rereg_lack lacks; /**< where the errno is EOPNOTSUPP */
	bool imported;            /**< by MR_VIA_LIBRARY: another process registered the region */
	const char *code;         /**< "IBV_REREG_MR_ERR_CMD", or NULL: the kernel has none */
	/** By MR_VIA_KERNEL: the code of ibv_rereg_mr(3) for the same request; NULL where not known. */
	const char *library_would_say;
};

/**
 * mr_region_rereg() - ibv_rereg_mr(3), or the command REREG_MR by MR_VIA_KERNEL
 * @registrar: has the new protection domain where the request changes that; else any
 * @request:   passed on without checks
 * @region:    updated as far as the call has changed it; also on failure it has to be deregistered
 * @failure:   set: where the call fails, what the region is then
 *
 * Return: 0, or -errno with MR_ERROR_REFUSED and a hint that says what the region is now.  Why it was refused is a
 * cause (lib/diagnose/causes/rereg.c).
 */
int mr_region_rereg(const struct mr_registrar *registrar, const struct mr_rereg_request *request,
		    struct mr_region *region, struct mr_rereg_failure *failure,
		    struct mr_error *err);

/** mr_rereg_code_name() - "IBV_REREG_MR_ERR_CMD", for what ibv_rereg_mr(3) has returned; a number that is no code counts as that */
const char *mr_rereg_code_name(int value);

/**
 * mr_kernel_has_rereg() - whether this kernel changes regions of a device at all
 * @uverbs: the open device
 * @handle: of a region; it need not exist
 */
bool mr_kernel_has_rereg(const struct mr_uverbs *uverbs, uint32_t handle);

/**
 * mr_region_import() - ibv_import_mr(3)
 * @registrar: of MR_VIA_LIBRARY, with an imported PD
 * @handle:    the kernel's number for the region
 * @region:    set on success; mr_region_forget() it
 *
 * Return: 0, or -errno with MR_ERROR_REFUSED.
 */
int mr_region_import(const struct mr_registrar *registrar, uint32_t handle,
		     struct mr_region *region, struct mr_error *err);

#endif
