/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Declares the parts of report. */
#ifndef CMD_REPORT_REPORT_H
#define CMD_REPORT_REPORT_H

#include <cjson/cJSON.h>
#include <signal.h>
#include <stdbool.h>

#include "cmd/cli/cli.h"
#include "cmd/output/output.h"
#include "lib/host/reading.h"

/** The options of mrctl report. */
struct report_args {
	bool redact;
	enum report_format format;
	const char *root; /**< the folder of a recorded host */
	const char *to;   /**< the file of the report */
	bool force;       /**< replace the file where it exists */
	const char *read; /**< the file of an existing report */
};

/** A report that is being made. */
struct report {
	const struct invocation *invocation;
	const struct report_args *args;
	sigset_t mask; /**< of signals, when mrctl was started */
	cJSON *root;   /**< the document */
	struct mr_temporary_folder
		folder;     /**< with the recording of the host, while there is one */
	bool out_of_memory; /**< the document lacks something */
};

/** The members of a report, for its schema and for redacting. */
extern const struct field report_members[];

/** report_add() - add a member, or an element (@key NULL); @value: NULL where memory is short */
void report_add(struct report *report, cJSON *to, const char *key, cJSON *value);

/** report_string() - a string, or null for NULL */
cJSON *report_string(const char *text);

/** report_clear() - make a value null */
void report_clear(cJSON *item);

/** report_drop_keys() - set keys of regions to null, and cut them out of texts: a key gives access to the memory */
void report_drop_keys(cJSON *node);

/** report_collect() - run the program, and add all sections.  Return: 0 or -errno. */
int report_collect(struct report *report, struct mr_error *err);

/**
 * report_judge() - add the section of the host, and the environment
 * @how:    "--record" or "--root"
 * @folder: of that option
 *
 * Return: 0 or -errno.
 */
int report_judge(struct report *report, const char *how, const char *folder, struct mr_error *err);

/** report_load() - read the file of a report, and judge its recorded host again.  Return: 0 or -errno. */
int report_load(struct report *report, struct mr_error *err);

/**
 * report_redact() - replace private values by pseudonyms, and leave out free text
 *
 * The rows of tables of fields say which members are public.  Equal values have equal pseudonyms.
 */
void report_redact(struct report *report);

/** report_show() - print it as Markdown, with the whole document at its end where @whole.  Return: 0 or -ENOMEM. */
int report_show(const cJSON *root, bool whole);

#endif
