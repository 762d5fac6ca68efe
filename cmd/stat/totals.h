/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What stat says of a session as a whole. */
#ifndef CMD_STAT_TOTALS_H
#define CMD_STAT_TOTALS_H

#include "cmd/region/in_session.h"

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

/** totals_init() - what is known before the regions are looked at; their counts are 0 */
void totals_init(struct totals *totals, struct session_job *job);

/** totals_count_uars() - those of the session.  Return: 0, or -errno. */
int totals_count_uars(struct totals *totals, struct session_job *job, struct mr_error *err);

/** totals_forget() - not all regions were read: nobody knows how many there are */
void totals_forget(struct totals *totals);

/** totals_print() - print them, and what to beware of */
void totals_print(const struct totals *totals, struct session_job *job);

#endif
