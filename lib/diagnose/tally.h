/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One finding about many devices: the worst verdict, and what was said of the devices that have it. */
#ifndef LIB_DIAGNOSE_TALLY_H
#define LIB_DIAGNOSE_TALLY_H

#include "lib/diagnose/finding.h"
#include "lib/diagnose/size_text.h"

/** Devices of which the same was found. */
struct mr_tally_row {
	enum mr_verdict verdict;
	char text[128];
	struct mr_name_text devices;
};

/** What was found of the devices so far; all zero at first. */
struct mr_tally {
	struct mr_tally_row rows[16];
	unsigned int count;
	unsigned int
		others[MR_VERDICTS]; /**< devices of which something else was found, by verdict */
};

/** mr_tally_add() - add what was found of a device */
void mr_tally_add(struct mr_tally *tally, enum mr_verdict verdict, const char *device,
		  const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/**
 * mr_tally_settle() - make a finding of it: the worst verdict, its devices and what was said of them
 *
 * Return: the verdict, for a remedy; the finding is left alone where there were no devices, which is MR_VERDICT_NA.
 */
enum mr_verdict mr_tally_settle(const struct mr_tally *tally, struct mr_finding *finding);

#endif
