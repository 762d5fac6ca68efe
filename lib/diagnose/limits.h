/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Checks of the group "limits": what this process may pin. */
#ifndef LIB_DIAGNOSE_LIMITS_H
#define LIB_DIAGNOSE_LIMITS_H

#include "lib/diagnose/finding.h"

/** mr_check_memlock() - MR-MEMLOCK: whether RLIMIT_MEMLOCK is enough, and who set it */
void mr_check_memlock(const struct mr_question *question, struct mr_finding *finding);

/** mr_check_ipc_lock() - MR-IPC-LOCK: whether CAP_IPC_LOCK is there and has an effect */
void mr_check_ipc_lock(const struct mr_question *question, struct mr_finding *finding);

/** mr_check_user_namespace() - MR-USERNS: whether capabilities count, as in the host's user namespace alone */
void mr_check_user_namespace(const struct mr_question *question, struct mr_finding *finding);

/** mr_check_pinned() - MR-PINNED: what this process has pinned of its limit */
void mr_check_pinned(const struct mr_question *question, struct mr_finding *finding);

/** mr_check_descriptors() - MR-DESCRIPTORS: whether this process can open the files of a device */
void mr_check_descriptors(const struct mr_question *question, struct mr_finding *finding);

/** mr_check_address_space() - MR-ADDRESS-SPACE: what RLIMIT_AS and RLIMIT_DATA leave */
void mr_check_address_space(const struct mr_question *question, struct mr_finding *finding);

#endif
