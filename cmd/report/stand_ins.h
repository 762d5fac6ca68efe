/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Stand-ins: "host-1" in place of a name, the same one for the same name. */
#ifndef CMD_REPORT_STAND_INS_H
#define CMD_REPORT_STAND_INS_H

#include <stdbool.h>
#include <stddef.h>

/** Something that is replaced. */
struct stand_in {
	const char *kind; /**< what the stand-in begins with: "host" */
	char *original;   /**< as of notation_plain() */
	size_t length;    /**< of it */
	char *text;       /**< that stands in its place */
	bool is_of_texts; /**< it is not looked for in files of the host, where a word like it is another */
};

struct stand_in_list {
	struct stand_in *list;
	size_t count;
};

struct stand_ins {
	struct stand_in_list names; /**< are looked for in each text; longer ones first */
	struct stand_in_list found; /**< by their looks */
	bool out_of_memory;
	bool is_learning; /**< what is found is added, and no text changed yet */
	bool is_file;     /**< the texts are files of a host now */
	const char *home; /**< the user's home, below which paths are replaced; NULL: not known */
	char domain[256]; /**< of the host: ".site.example"; empty: not known */
};

/** More of them would make redacting slow: the report of a hostile host may have millions. */
#define STAND_INS_MAX 4096

/**
 * stand_ins_add() - replace a name from now on
 * @kind: a string that lives for ever.  A "host" is found in either case, a "path" in any notation
 */
void stand_ins_add(struct stand_ins *all, const char *kind, const char *name, size_t length);

/** stand_ins_add_in_texts() - the same, but not in the files of the host */
void stand_ins_add_in_texts(struct stand_ins *all, const char *kind, const char *name,
			    size_t length);

/** stand_ins_learn() - the same for a name that a text has; not where too many names would make redacting slow */
void stand_ins_learn(struct stand_ins *all, const char *kind, const char *name, size_t length);

/**
 * stand_ins_of() - what stands in place of something that was found by its looks, from now on
 * Return: NULL: there are too many, or memory is short.
 */
const char *stand_ins_of(struct stand_ins *all, const char *kind, const char *original,
			 size_t length);

/** stand_ins_known() - the same of a number that was found before, as notation_plain() writes it; NULL: it was not */
const char *stand_ins_known(const struct stand_ins *all, const char *plain);

/** stand_ins_release() - free them */
void stand_ins_release(struct stand_ins *all);

#endif
