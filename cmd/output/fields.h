/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What is printed.  A record type has one static table of fields; JSON, tables, lines, the choice of
 * columns and the lists in the help follow from it.  A field's key is its member's name.
 */
#ifndef CMD_OUTPUT_FIELDS_H
#define CMD_OUTPUT_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cmd/output/colour.h"
#include "lib/base/base.h"

/** Type of a field, with the type of the member behind it. */
enum field_type {
	FIELD_STRING,   /**< const char *; NULL is unknown */
	FIELD_TEXT,     /**< char[]; empty is unknown */
	FIELD_BOOL,     /**< bool */
	FIELD_OPT_BOOL, /**< struct opt_bool */
	FIELD_NUMBER,   /**< struct mr_opt_u64 */
	FIELD_LIMIT,    /**< struct mr_opt_u64; not known means unlimited, in JSON null */
	FIELD_RATIO,    /**< struct mr_opt_u64, in thousandths: "1.050" */
	FIELD_HEX,      /**< struct mr_opt_u64; printed as 0x… */
	FIELD_ACCESS,   /**< struct mr_opt_u64: access flags by name */
	FIELD_PAGES,    /**< struct mr_opt_u64: page sizes, a bit for each; JSON: a list of bytes */
	FIELD_WORDS,    /**< const char *const *: a command line; ends with NULL */
	FIELD_LIST,     /**< struct list; JSON only */
	FIELD_RECORD,   /**< a struct of the field's record; JSON only */
	FIELD_ONE,      /**< struct list with a row or none: an object, or null; JSON only */
	FIELD_MEMBERS,  /**< struct members: an object with keys of its own; JSON only */
};

enum field_flags {
	FIELD_DETAIL = 1 << 0, /**< text: shown only with --verbose or by name */
	FIELD_RANGES = 1 << 1, /**< of FIELD_PAGES: text has ranges of sizes, "4K..2G" */
	FIELD_DURATION =
		1 << 2,     /**< of FIELD_NUMBER, a key with "_ns": a usual table has "12 us" */
	FIELD_IEC = 1 << 3, /**< of FIELD_NUMBER, bytes: a usual table has "64K" */
	/*
	 * What becomes of a string in a redacted report.  Without a flag it is private, and replaced by a pseudonym.
	 * Numbers, truth values, access flags and hexadecimal numbers are public.
	 */
	FIELD_PUBLIC =
		1 << 4, /**< mrctl's or the kernel's own words; of FIELD_WORDS: of each word */
	FIELD_PROSE = 1 << 5,  /**< free text, which is left out */
	FIELD_MEMORY = 1 << 6, /**< a kind of memory, of which a path is private */
};

struct opt_bool {
	bool value;
	bool known;
};

/** known() - the number @value, as one that is known */
static inline struct mr_opt_u64 known(uint64_t value)
{
	return (struct mr_opt_u64){ value, true };
}

struct field {
	const char *key;
	const char *help;
	size_t offset;
	size_t size; /**< bytes of the member */
	enum field_type type;
	unsigned int flags;
	const struct record *record; /**< of FIELD_RECORD */
	/* Of lines: */
	const char *section; /**< heading of the fields from this one on; NULL: as before */
	const char *unknown; /**< stands for an unknown value; NULL: the line is left out */
	/* A usual table leaves a column out if in each row the value is unknown, or one of these holds: */
	const char *usual;   /**< the value is this */
	const char *repeats; /**< the value is that of the field with this key */
	const char *instead; /**< the field with this key is known, and serves better */
	/* At a terminal a usual table has these words in colour; the last one is NULL. */
	const struct coloured_word *colours;
};

struct record {
	const char *name;           /**< "region" */
	const struct field *fields; /**< ends with one that has no key */
	const char *list;           /**< JSON: the key of a command's list of them; or NULL */
};

/**
 * REPORTED - before the definition of a record that a report may have
 *
 * It puts the record into the array from __start_mrctl_reported to __stop_mrctl_reported, which the linker names.
 * Members that are in none of these records are left out of a redacted report.
 */
#define REPORTED __attribute__((section("mrctl_reported"), used, aligned(sizeof(void *))))
extern const struct record __start_mrctl_reported[], __stop_mrctl_reported[];

/** Records inside a record. */
struct list {
	const struct record *record; /**< NULL: it is not known what the list holds */
	const void *rows;
	size_t count;
	size_t size; /**< bytes of a row */
};

/** A member of an object whose keys are not those of a record. */
struct member {
	const char *key;
	const char *text; /**< NULL: the number */
	uint64_t number;
};

struct members {
	const struct member *items;
	size_t count;
};

#define FIELD_CTYPE_FIELD_STRING   const char *
#define FIELD_CTYPE_FIELD_TEXT     char[]
#define FIELD_CTYPE_FIELD_BOOL     bool
#define FIELD_CTYPE_FIELD_OPT_BOOL struct opt_bool
#define FIELD_CTYPE_FIELD_NUMBER   struct mr_opt_u64
#define FIELD_CTYPE_FIELD_LIMIT    struct mr_opt_u64
#define FIELD_CTYPE_FIELD_WORDS    const char *const *
#define FIELD_CTYPE_FIELD_RATIO    struct mr_opt_u64
#define FIELD_CTYPE_FIELD_HEX      struct mr_opt_u64
#define FIELD_CTYPE_FIELD_ACCESS   struct mr_opt_u64
#define FIELD_CTYPE_FIELD_PAGES    struct mr_opt_u64
#define FIELD_CTYPE_FIELD_LIST     struct list
#define FIELD_CTYPE_FIELD_ONE      struct list
#define FIELD_CTYPE_FIELD_MEMBERS  struct members

/** An entry of a field table for @member of @structure; initializers of struct field may follow, as .usual. */
#define FIELD(structure, member, type_, flags_, ...)                                               \
	FIELD_AS(#member, structure, member, type_, flags_, __VA_ARGS__)
/** The same with another key than the member's name, such as "errno", which is a macro in C. */
#define FIELD_AS(key_, structure, member, type_, flags_, help_, ...)                               \
	{                                                                                          \
		.key = (key_), .help = (help_),                                                    \
		.offset = CHECKED_OFFSET(structure, member, FIELD_CTYPE_##type_),                  \
		.size = sizeof(((structure *)NULL)->member), .type = (type_), .flags = (flags_),   \
		__VA_ARGS__                                                                        \
	}
/** An entry for a member that is a struct, whose fields are those of @record_. */
#define FIELD_INSIDE(structure, member, ctype, record_, help_)                                     \
	{                                                                                          \
		.key = #member, .help = (help_),                                                   \
		.offset = CHECKED_OFFSET(structure, member, ctype), .type = FIELD_RECORD,          \
		.record = (record_),                                                               \
	}
#define FIELD_END                                                                                  \
	{                                                                                          \
		.key = NULL                                                                        \
	}

/** Room for any value as text, all access flags by name included. */
#define FIELD_TEXT_MAX 512

/**
 * field_text() - a value as text
 * @row:    the record
 * @buffer: FIELD_TEXT_MAX bytes that may be used
 *
 * Return: the text, in @buffer or in the record; NULL for unknown.
 */
const char *field_text(const struct field *field, const void *row, char *buffer);

/**
 * words_text() - a command line as a shell reads it, cut where it is long
 * @words:  ends with NULL
 * @buffer: FIELD_TEXT_MAX bytes
 *
 * Return: the text; NULL where @words is NULL.
 */
const char *words_text(const char *const *words, char *buffer);

/** access_text() - access flags as "local-write,remote-read"; @buffer: FIELD_TEXT_MAX bytes */
const char *access_text(uint32_t bits, char *buffer);

/** pages_text() - page sizes as "4K,2M", or "none"; @buffer: FIELD_TEXT_MAX bytes */
const char *pages_text(uint64_t sizes, char *buffer);

/** fields_find() - the field called @key (@length bytes, in any case), or NULL */
const struct field *fields_find(const struct record *record, const char *key, size_t length);

#endif
