/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What stat prints of a session as a whole. */
#ifndef CMD_STAT_TOTALS_H
#define CMD_STAT_TOTALS_H

#include "cmd/region/region.h"

/** A protection domain as it is printed. */
struct pd_row {
	const char *name;
	struct mr_opt_u64 handle;
	char text[MR_NAME_SIZE];
};

/** What a session holds in all. */
struct totals {
	struct mr_opt_u64 regions;
	struct mr_opt_u64 bytes;
	struct mr_opt_u64 deferred;
	struct mr_opt_u64 unlisted;
	struct mr_opt_u64 uars;
	struct mr_opt_u64 table_bytes;
	bool blocks_removal;
	struct list pds;
	struct pd_row pd_rows[MR_TABLE_PDS]; /**< those of pds */
};

/** totals_init() - fill in what is known before the regions are looked at */
void totals_init(struct totals *totals, struct session_job *job);

/** totals_count_uars() - count the UARs of the session.  Return: 0, or -errno. */
int totals_count_uars(struct totals *totals, struct session_job *job, struct mr_error *err);

/** totals_forget() - make the counts unknown: not all regions could be read */
void totals_forget(struct totals *totals);

/** totals_print() - print the totals, and notes about UARs and about removing the device */
void totals_print(const struct totals *totals, struct session_job *job);

#endif
