/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Standard output: one JSON document, or lines and tables for people.  Everything that commands
 * print goes through here, element by element.
 */
#ifndef CMD_OUTPUT_DOCUMENT_H
#define CMD_OUTPUT_DOCUMENT_H

#include "cmd/output/fields.h"
#include "cmd/output/style.h"
#include "lib/base/error.h"

struct table;

struct output {
	const struct output_style *style;
	const struct record *record; /**< what the command prints */
	const struct field *
		*columns; /**< to be printed, ends with NULL; NULL: not chosen yet, or all */
	const struct field **more; /**< columns that --output adds to the usual ones; or NULL */
	const char *usual_columns; /**< of a table without --output, separated by ','; NULL: all */
	size_t usual_count; /**< so many of columns are the usual ones, not chosen by the user */
	bool blocks;        /**< text: rows are lists of lines, with an empty line between */
	bool block_printed;
	struct table *table;   /**< text: the table being printed, or NULL for lines */
	const char *separator; /**< JSON: what goes before the next member or element */
	bool is_part;          /**< of a document that another begins, ends and flushes */
	int error;             /**< first -errno that came up, -ENOMEM mostly */
};

/**
 * output_open() - get ready to print; nothing is printed yet
 * @record: the records that --output chooses columns from, or NULL
 *
 * Return: 0, or -EINVAL with MR_ERROR_USAGE for a bad list of columns.
 */
int output_open(struct output *out, const struct output_style *style, const struct record *record,
		struct mr_error *err);

/** output_begin() - begin the document: JSON: its format and @command, unless it is a part of another */
void output_begin(struct output *out, const char *command);

/** output_members() - the fields of @row: JSON: members of the document; text: nothing */
void output_members(struct output *out, const struct record *record, const void *row);

/** output_object() - JSON: an object named @key; text: lines, where rows are printed as lines */
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
void output_row(struct output *out, const struct record *record, const void *row);
void output_list_end(struct output *out);

/** output_element_begin() - JSON: an element that is more than a row: the fields of @row, and others */
void output_element_begin(struct output *out, const struct record *record, const void *row);
void output_element_end(struct output *out, const struct record *record, const void *row);

/** output_json_list() - a whole list in JSON; nothing in text */
void output_json_list(struct output *out, const char *key, const struct list *list);

/**
 * output_end() - end the document and flush it
 * Return: 0, or -errno with MR_ERROR_HOST when something could not be printed.
 */
int output_end(struct output *out, struct mr_error *err);

/** output_release() - free what output_open() made */
void output_release(struct output *out);

/** output_is_terminal() - whether standard output is a terminal */
bool output_is_terminal(void);

/** output_text() - plain text for people: help and version */
void output_text(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/** output_foreign() - print text that is not ours, with all that a terminal would obey escaped */
void output_foreign(const char *text);

/**
 * output_flush() - write out what was printed
 * Return: 0, or -errno with MR_ERROR_HOST (a full disk, a closed pipe).
 */
int output_flush(struct mr_error *err);

#endif
