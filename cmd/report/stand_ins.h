/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Stand-ins: "host-1" in place of a name, the same one for the same name. */
#ifndef CMD_REPORT_STAND_INS_H
#define CMD_REPORT_STAND_INS_H

#include <stdbool.h>
#include <stddef.h>

/** Something that is replaced. */
struct stand_in {
	char *original;
	char *text;   /**< that stands in its place */
	bool is_name; /**< it was named, and is looked for in each text; else it has a pattern */
	bool is_path; /**< it is a path, that has more than one notation */
	bool is_of_texts; /**< it is not looked for in the files of the host, where a word like it is another */
};

struct stand_ins {
	struct stand_in *list; /**< longer originals first */
	size_t count;
	bool out_of_memory;
	bool is_file;     /**< the texts are files of a host now */
	const char *home; /**< the user's home, below which paths are replaced; NULL: not known */
};

/**
 * stand_ins_add() - replace a name from now on
 * @kind: what the stand-in begins with: "host"
 */
void stand_ins_add(struct stand_ins *all, const char *kind, const char *name, size_t length);

/** stand_ins_add_path(), stand_ins_add_in_texts() - the same, but in files of the host */
void stand_ins_add_path(struct stand_ins *all, const char *path, size_t length);
void stand_ins_add_in_texts(struct stand_ins *all, const char *kind, const char *name,
			    size_t length);

/**
 * stand_ins_apply() - replace all that is known, and what has a pattern (cmd/report/patterns.h)
 * Return: free() it; NULL where nothing is to be replaced, or memory is short.
 */
char *stand_ins_apply(struct stand_ins *all, const char *text);

/** stand_ins_release() - free them */
void stand_ins_release(struct stand_ins *all);

#endif
