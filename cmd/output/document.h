/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Standard output: one JSON document, or lines and tables for people, or one of the other formats of struct
 * output_style.  Everything that commands print goes through here, element by element.
 *
 * As metrics all rows and objects count that the table of metrics is about.
 */
#ifndef CMD_OUTPUT_DOCUMENT_H
#define CMD_OUTPUT_DOCUMENT_H

#include "cmd/output/json_rows.h"
#include "cmd/output/stream.h"
#include "cmd/output/style.h"
#include "lib/base/base.h"

struct metric;
struct metrics;
struct table;

struct output {
	const struct output_style *style;
	const struct record *record; /**< what the command prints */
	/** To be printed, ends with NULL; NULL: not chosen yet, or all. */
	const struct field **columns;
	const struct field **more;    /**< columns that --output adds to the usual ones; or NULL */
	const struct metric *metrics; /**< what of the records is measured; or NULL */
	const char *usual_columns; /**< of a table without --output, separated by ','; NULL: all */
	size_t usual_count; /**< how many of columns are usual ones, which the user did not choose */
	bool blocks; /**< text: each row is a block of lines, with an empty line between them */
	bool block_printed;       /**< so that an empty line is due before the next one */
	struct table *table;      /**< text: the table being printed, or NULL for lines */
	struct metrics *measured; /**< metrics: the samples so far, or NULL */
	const char *separator;    /**< JSON: what goes before the next member or element */
	bool is_part;             /**< of another's document, which that begins, ends and flushes */
	struct json_texts *texts; /**< those of the document that this is a part of; or NULL */
	struct json_texts own_texts;
	int error; /**< the first -errno of printing, mostly -ENOMEM; 0: none */
};

/**
 * output_open() - get ready to print; nothing is printed yet
 * @record: the records that --output chooses columns from, or NULL
 *
 * Return: 0, or -EINVAL with MR_ERROR_USAGE for a bad list of columns.
 */
int output_open(struct output *out, const struct output_style *style, const struct record *record,
		struct mr_error *err);

/** output_begin() - JSON: begin the document with its format and @command, unless it is part of another */
void output_begin(struct output *out, const char *command);

/** output_members() - JSON: print the fields of @row as members of the document; text: nothing */
void output_members(struct output *out, const struct record *record, const void *row);

/** output_object() - JSON: print @row as an object named @key; text: as lines, unless --quiet */
void output_object(struct output *out, const char *key, const struct record *record,
		   const void *row);

/**
 * output_list_begin() - begin a list of the command's records
 * @key:    its name in JSON
 * @record: what its rows are
 * @lines:  text: print each row as lines rather than in a table
 */
void output_list_begin(struct output *out, const char *key, const struct record *record,
		       bool lines);
/** output_row() - print the next row of the list */
void output_row(struct output *out, const struct record *record, const void *row);
void output_list_end(struct output *out);

/**
 * output_element_begin() - JSON: begin an element of the list with the fields of @row
 *
 * Others may follow, such as lists, until output_element_end() adds the last fields.  Text: nothing.
 */
void output_element_begin(struct output *out, const struct record *record, const void *row);
void output_element_end(struct output *out, const struct record *record, const void *row);

/** output_json_list() - JSON: print a whole list; text: nothing */
void output_json_list(struct output *out, const char *key, const struct list *list);

/**
 * output_table() - print a whole list that belongs to the document beside the command's records
 * @columns: of a table for people, separated by ','; those that tell nothing are left out
 *
 * As output_json_list(); for people, unless the user has chosen what to print, below an empty line as a table.
 */
void output_table(struct output *out, const char *key, const struct list *list,
		  const char *columns);

/** output_is_for_people() - whether text is printed, and the user has not chosen columns, or left out headings */
bool output_is_for_people(const struct output *out);

/**
 * output_end() - end the document and flush it
 * Return: 0, or -errno with MR_ERROR_HOST when something could not be printed.
 */
int output_end(struct output *out, struct mr_error *err);

/** output_release() - free what output_open() made */
void output_release(struct output *out);

#endif
