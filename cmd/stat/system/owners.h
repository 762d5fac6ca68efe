/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Who registered the MRs of a census. */
#ifndef CMD_STAT_SYSTEM_OWNERS_H
#define CMD_STAT_SYSTEM_OWNERS_H

#include "cmd/stat/system/census.h"

/** owners_sum() - set the owners, with the sums of their MRs, and the sums of the devices.  Return: 0 or -ENOMEM. */
int owners_sum(struct census *census);

/** owners_read() - read what processes are; of one that has ended since its MRs were listed nothing is known */
void owners_read(struct census *census, struct mr_host *host);

#endif
