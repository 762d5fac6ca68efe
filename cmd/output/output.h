/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Declares what commands print: fields and records, documents, tables, lines, messages and progress; and the files
 * that they write and read whole.
 */
#ifndef CMD_OUTPUT_OUTPUT_H
#define CMD_OUTPUT_OUTPUT_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/base/base.h"

/** Colours, by their meaning. */
enum output_colour { COLOUR_PLAIN, COLOUR_GOOD, COLOUR_DOUBT, COLOUR_BAD, COLOUR_HEADING };

/** A word, and the colour that it has. */
struct coloured_word {
	const char *word;
	enum output_colour colour;
};

/** output_coloured() - print a word in its colour, in at least @width columns */
void output_coloured(enum output_colour colour, const char *word, int width);

/**
 * Type of a field, with the types that the member behind it may have.
 *
 * An integer is uint64_t, uint32_t, int, or struct mr_opt_u64, which may be unknown.
 */
enum field_type {
	FIELD_STRING,   /**< const char *; NULL is unknown */
	FIELD_TEXT,     /**< char[]; empty is unknown */
	FIELD_BOOL,     /**< bool */
	FIELD_TRISTATE, /**< enum mr_tristate */
	FIELD_NUMBER,   /**< integer */
	FIELD_LIMIT,    /**< integer; not known means unlimited, in JSON null */
	FIELD_RATIO,    /**< integer, in thousandths: "1.050" */
	FIELD_HEX,      /**< integer; printed as 0x… */
	FIELD_ACCESS,   /**< integer: access flags by name */
	FIELD_PAGES,    /**< integer: page sizes, a bit for each; JSON: a list of bytes */
	FIELD_BITS,     /**< integer: bits by the names of the field's words, as FIELD_WORDS */
	FIELD_WORD,     /**< integer: index in the field's words; a row without text is unknown */
	FIELD_ERRNO,    /**< integer: errno, or -errno, by name; 0 is unknown */
	FIELD_WORDS,    /**< const char *const *: a command line; ends with NULL */
	FIELD_LIST,     /**< struct list; JSON only */
	FIELD_RECORD,   /**< a struct of the field's record; JSON only */
	FIELD_ONE,      /**< struct list with a row or none: an object, or null; JSON only */
	FIELD_EVIDENCE, /**< array of struct mr_evidence: an object with their names; JSON only */
};

enum field_flags {
	FIELD_DETAIL = 1 << 0, /**< text: shown only with --verbose or by name */
	FIELD_RANGES = 1 << 1, /**< of FIELD_PAGES: text has ranges of sizes, "4K..2G" */
	FIELD_DURATION =
		1 << 2,       /**< of FIELD_NUMBER, a key with "_ns": a usual table has "12 us" */
	FIELD_NAMED = 1 << 7, /**< of FIELD_BITS: bits without name are left out */
	FIELD_IEC = 1 << 3,   /**< of FIELD_NUMBER, bytes: a usual table has "64K" */
	/*
	 * Redaction of a string in a report.  Without a flag it is private, and replaced by a pseudonym.
	 * Numbers, truth values, access flags and hexadecimal numbers are public.
	 */
	FIELD_PUBLIC = 1 << 4, /**< words of mrctl or the kernel; of FIELD_WORDS: each word */
	FIELD_PROSE = 1 << 5,  /**< free text, which is left out */
	FIELD_MEMORY = 1 << 6, /**< a kind of memory, of which a path is private */
	FIELD_KNOWN = 1 << 8,  /**< JSON: never null, though its type could be */
	FIELD_OK = 1 << 9,     /**< of FIELD_ERRNO: 0 is "ok", not unknown */
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
	const struct record *record; /**< of FIELD_RECORD, FIELD_LIST and FIELD_ONE */
	const struct mr_word *words; /**< of FIELD_BITS and FIELD_WORD */
	/* One more than an offset in the row; 0: none. */
	size_t pointer; /**< a pointer to the struct that has the member; NULL: the value is unknown */
	size_t known_by; /**< a bool beside the member; false: the value is unknown */
	size_t count;    /**< of FIELD_EVIDENCE: a size_t beside the array */
	/* For lines: */
	const char *section; /**< heading of the fields from this one on; NULL: as before */
	const char *unknown; /**< printed for an unknown value; NULL: the line is left out */
	/* A usual table leaves a column out if in each row the value is unknown, or one of these holds: */
	const char *usual;   /**< the value is this */
	const char *repeats; /**< the value is that of the field with this key */
	const char *instead; /**< the field with this key is known, and is preferred */
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

/** field_evidence() - a FIELD_EVIDENCE and how many there are */
const struct mr_evidence *field_evidence(const struct field *field, const void *row, size_t *count);

/** Records inside a record. */
struct list {
	const struct record *record; /**< NULL: it is not known what the list holds */
	const void *rows;
	size_t count;
	size_t size; /**< bytes of a row */
};

/** LIST_OF() - a list of @count_ rows, which are an array */
#define LIST_OF(record_, rows_, count_)                                                            \
	(struct list)                                                                              \
	{                                                                                          \
		&(record_), (rows_), (count_), sizeof(*(rows_))                                    \
	}

/* Offsets of members of the types that a field's type allows. */
#define FIELD_OFFSET_FIELD_STRING(s, m)   CHECKED_OFFSET(s, m, const char *)
#define FIELD_OFFSET_FIELD_TEXT(s, m)     CHECKED_OFFSET(s, m, char[])
#define FIELD_OFFSET_FIELD_BOOL(s, m)     CHECKED_OFFSET(s, m, bool)
#define FIELD_OFFSET_FIELD_TRISTATE(s, m) CHECKED_OFFSET(s, m, enum mr_tristate)
#define FIELD_OFFSET_FIELD_NUMBER(s, m)   FIELD_OFFSET_INTEGER(s, m)
#define FIELD_OFFSET_FIELD_LIMIT(s, m)    FIELD_OFFSET_INTEGER(s, m)
#define FIELD_OFFSET_FIELD_RATIO(s, m)    FIELD_OFFSET_INTEGER(s, m)
#define FIELD_OFFSET_FIELD_HEX(s, m)      FIELD_OFFSET_INTEGER(s, m)
#define FIELD_OFFSET_FIELD_ACCESS(s, m)   FIELD_OFFSET_INTEGER(s, m)
#define FIELD_OFFSET_FIELD_PAGES(s, m)    FIELD_OFFSET_INTEGER(s, m)
#define FIELD_OFFSET_FIELD_BITS(s, m)     FIELD_OFFSET_INTEGER(s, m)
#define FIELD_OFFSET_FIELD_WORD(s, m)     FIELD_OFFSET_INTEGER(s, m)
#define FIELD_OFFSET_FIELD_ERRNO(s, m)    FIELD_OFFSET_INTEGER(s, m)
#define FIELD_OFFSET_FIELD_WORDS(s, m)    CHECKED_OFFSET(s, m, const char *const *)
#define FIELD_OFFSET_FIELD_LIST(s, m)     CHECKED_OFFSET(s, m, struct list)
#define FIELD_OFFSET_FIELD_ONE(s, m)      CHECKED_OFFSET(s, m, struct list)
#define FIELD_OFFSET_INTEGER(structure, member)                                                    \
	(offsetof(structure, member) + _Generic(((structure *)NULL)->member,                       \
						struct mr_opt_u64 : 0, uint64_t : 0, uint32_t : 0, \
						int : 0))

/** An entry of a field table for @member of @structure; initializers of struct field may follow, as .usual. */
#define FIELD(structure, member, type_, flags_, ...)                                               \
	FIELD_AS(#member, structure, member, type_, flags_, __VA_ARGS__)
/** The same with another key than the member's name, such as "errno", which is a macro in C. */
#define FIELD_AS(key_, structure, member, type_, flags_, help_, ...)                               \
	{                                                                                          \
		.key = (key_), .help = (help_), .offset = FIELD_OFFSET_##type_(structure, member), \
		.size = sizeof(((structure *)NULL)->member), .type = (type_), .flags = (flags_),   \
		__VA_ARGS__                                                                        \
	}
/** An entry for a member of the struct of type @target that @pointer of @structure points to. */
#define FIELD_BEHIND(key_, structure, pointer_, target, member, ...)                               \
	FIELD_AS(key_, target, member, __VA_ARGS__,                                                \
		 .pointer = 1 + CHECKED_OFFSET(structure, pointer_, const target *))
/** An initializer: the value is known where the bool @flag of @structure says so. */
#define KNOWN_BY(structure, flag) .known_by = 1 + CHECKED_OFFSET(structure, flag, bool)
/** An entry for a member that is a struct, whose fields are those of @record_. */
#define FIELD_INSIDE(structure, member, ctype, record_, help_, ...)                                \
	{                                                                                          \
		.key = #member, .help = (help_),                                                   \
		.offset = CHECKED_OFFSET(structure, member, ctype), .type = FIELD_RECORD,          \
		.record = (record_), __VA_ARGS__                                                   \
	}
/** An entry for the array evidence of @structure, which has the number of them in evidence_count. */
#define FIELD_FACTS(structure, ...)                                                                \
	{                                                                                          \
		.key = "evidence", .help = "facts that support the cause", .type = FIELD_EVIDENCE, \
		.offset = offsetof(structure, evidence),                                           \
		.count = offsetof(structure, evidence_count), __VA_ARGS__                          \
	}
/** Entries of a table that only describes members of a document, whose values functions print. */
#define DOCUMENT_LIST(key_, record_, help_)                                                        \
	{                                                                                          \
		.key = (key_), .help = (help_), .type = FIELD_LIST, .flags = FIELD_KNOWN,          \
		.record = (record_)                                                                \
	}
#define DOCUMENT_OBJECT(key_, record_, help_)                                                      \
	{                                                                                          \
		.key = (key_), .help = (help_), .type = FIELD_RECORD, .record = (record_)          \
	}
/** The members of a record as members of the document. */
#define DOCUMENT_PART(record_) DOCUMENT_OBJECT("", record_, "")
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

#define IEC_TEXT_MAX 24

/** iec_text() - bytes as "64K", "1.5G" */
const char *iec_text(uint64_t bytes, char buffer[IEC_TEXT_MAX]);

/** pages_text() - page sizes as "4K,2M", or "none"; @buffer: FIELD_TEXT_MAX bytes */
const char *pages_text(uint64_t sizes, char *buffer);

/** fields_find() - the field called @key (@length bytes, in any case), or NULL */
const struct field *fields_find(const struct record *record, const char *key, size_t length);

/** field_is_number() - whether it is an integer or a truth value */
bool field_is_number(const struct field *field);

/**
 * field_number() - the value of an integer or truth value
 *
 * It is unknown for other types, too.
 */
struct mr_opt_u64 field_number(const struct field *field, const void *row);

/** field_list() - a FIELD_LIST or FIELD_ONE; NULL: it is not known, or the field has another type */
const struct list *field_list(const struct field *field, const void *row);

/** The words of a value, and room for those of bits. */
struct field_words {
	const char *list[34]; /**< ends with NULL */
	char rest[20];        /**< bits without name: "0x80" */
};

/** field_words() - FIELD_WORDS or FIELD_BITS as words, which end with NULL; NULL: not known, or of another type */
const char *const *field_words(const struct field *field, const void *row,
			       struct field_words *room);

/**
 * json_put_members() - write a record as members of a JSON object, without braces
 * @columns: its fields that are wanted, ends with NULL; or NULL for all
 * @before:  goes before the first one
 */
void json_put_members(FILE *to, const struct record *record, const struct field *const *columns,
		      const void *row, const char *before);

/** json_put_object() - the same, as an object */
void json_put_object(FILE *to, const struct record *record, const struct field *const *columns,
		     const void *row);

/*
 * JSON documents that were read, as trees of cJSON.  A document may come from anywhere: its size, depth and number of
 * values are limited.  Integers of any size stay what they are: long ones are raw text.
 */
/** Room for a value that is no string, list or object, as text. */
#define JSON_SCALAR_MAX 48

/**
 * json_parse() - read a document
 * @length: bytes of @text, behind which only white space may follow the document
 *
 * Return: cJSON_Delete() it; NULL with errno: EBADMSG for a text that is not JSON, E2BIG for more values than
 * JSON_NODES_MAX.
 */
struct cJSON *json_parse(const char *text, size_t length);

/** json_get() - the member of an object; NULL where there is none, or @object is none */
struct cJSON *json_get(const struct cJSON *object, const char *key);

/** json_text() - the text of a member that is a string; NULL where there is none */
const char *json_text(const struct cJSON *object, const char *key);

/** json_scalar() - a string, number or truth value as text, in @buffer or in the tree; NULL for others */
const char *json_scalar(const struct cJSON *item, char buffer[JSON_SCALAR_MAX]);

/** json_number() - a new number, of all its digits; NULL where memory is short */
struct cJSON *json_number(uint64_t value);

/**
 * json_print() - print a document on standard output, with nothing that a terminal would obey
 * @lines: the depth down to which each member stands on a line of its own
 */
void json_print(const struct cJSON *item, unsigned int lines);

/**
 * text_print() - print @text for people
 *
 * Letters are not changed.  Bytes that are not UTF-8 (RFC 3629) or that a terminal would obey (line ends,
 * escapes, marks of direction), is printed byte by byte as \xNN.
 */
void text_print(const char *text, FILE *stream);

/**
 * text_print_json() - print @text as a JSON string, with its quotes
 *
 * Bytes that are not UTF-8 become U+FFFD; characters that a terminal would obey are escaped.
 */
void text_print_json(const char *text, FILE *stream);

/**
 * text_print_wrapped() - print text that may hold any bytes, in lines shorter than 80 columns
 * @at:     the column at which it begins
 * @indent: the column at which its further lines begin
 *
 * A word that is too long for a line stays whole.
 */
void text_print_wrapped(const char *text, size_t at, size_t indent, FILE *stream);

/** output_paragraph() - print wrapped text on standard output */
void output_paragraph(const char *text, size_t at, size_t indent);

/** output_init() - set up standard output; called before anything is printed */
void output_init(void);

/** output_text() - print plain text for people: help and version */
void output_text(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/** output_put() - print a small piece of a document, of which a line of a batch has many; only one thread prints */
void output_put(const char *text);

/** output_foreign() - print text that may hold any bytes, as text_print() does */
void output_foreign(const char *text);

/**
 * output_redirect() - make a file standard output
 * @path: of that file, for messages; must live as long as the process, or NULL
 *
 * Return: 0, or -errno with MR_ERROR_HOST.
 */
int output_redirect(int fd, const char *path, struct mr_error *err);

/** output_has_failed() - whether a write has failed, after which none succeeds */
static inline bool output_has_failed(void)
{
	return ferror(stdout);
}

/**
 * output_flush() - write out what was printed
 * Return: 0, or -errno with MR_ERROR_HOST (a full disk, a closed pipe).
 */
int output_flush(struct mr_error *err);

/** How records are written, unless as JSON. */
enum output_format {
	OUTPUT_TEXT,        /**< lines and tables for people */
	OUTPUT_MARKDOWN,    /**< text in a fenced block; mrctl stat alone knows it */
	OUTPUT_OPENMETRICS, /**< metrics for monitoring: see cmd/output/output.h */
	OUTPUT_FORMATS,     /**< how many there are */
};

/** The names of the formats, for options. */
extern const struct mr_word output_formats[OUTPUT_FORMATS + 1];

/** How a command is to print, as its user chose; nothing set: for people, the usual columns. */
struct output_style {
	const char *columns; /**< "rkey,length": these; "+pd": the usual ones and these; or NULL */
	bool json;           /**< one document, for programs */
	bool no_headings;    /**< values only, for scripts */
	bool quiet;          /**< nothing but errors */
	bool verbose;        /**< everything that is known */
	bool one_line;       /**< JSON: each document is one line (JSON Lines) */
	enum output_format format; /**< has no meaning for JSON */
};

/** Exit statuses, which mrctl(1) documents. */
enum exit_status {
	EXIT_DONE = 0,
	EXIT_REFUSED = 1,
	EXIT_USAGE = 2,
	EXIT_ABSENT = 3,
	EXIT_UNSEEN = 4,
	EXIT_CANNOT_EXEC = 126,
	EXIT_NO_PROGRAM = 127,
};

/** put_decimal() - put the digits of a number, 20 at most.  Return: where they end; no '\0' is put there. */
char *put_decimal(char *to, uint64_t number);

/** put_hexadecimal() - put "0x" and the digits of a number, 16 at most.  Return: as put_decimal(). */
char *put_hexadecimal(char *to, uint64_t number);

#define COLUMNS_MAX 128

/** columns_find() - the one of @columns, which end with NULL, that has this key; NULL: none, or @key is NULL */
const struct field *columns_find(const struct field *const *columns, const char *key);

/**
 * table_new() - begin a table (libsmartcols)
 * @columns:  COLUMNS_MAX at most, end with NULL; must outlive the table
 * @usual:    how many of the columns, from the first, the user did not choose: one is left out if no value in
 *            it is unexpected (struct field), and its long lists take several lines where a terminal is narrow
 * @headings: print the names of the columns first
 *
 * Return: NULL when memory is short.
 */
struct table *table_new(const struct field *const *columns, size_t usual, bool headings,
			FILE *stream);

/** table_row() - add a row, which may be printed together with later ones.  Return: 0 or -errno. */
int table_row(struct table *table, const void *row);

/** table_finish() - print what is left and free the table.  Return: 0 or -errno. */
int table_finish(struct table *table);

/**
 * cell_text() - the value of a field in @row
 * @is_for_people: a duration is "820 ns", "7.1 us" or "12 us", cut to so many digits
 * @buffer:        FIELD_TEXT_MAX bytes that may be used
 *
 * Return: as field_text().
 */
const char *cell_text(const struct field *field, bool is_for_people, const void *row, char *buffer);

/**
 * Records as metrics in the text format that Prometheus reads, for the textfile collector of its node
 * exporter.  Counters are declared with their full name, "mrctl_faults_total": the exporter's parser
 * (prometheus/common, expfmt/text_parse.go) would take the name without "_total", which strict OpenMetrics
 * declares, for another metric without samples.
 */
enum metric_type {
	METRIC_GAUGE,
	METRIC_COUNTER, /**< its name must end with "_total" */
	METRIC_INFO, /**< always 1: only its labels matter; it has no field, and its name ends with "_info" */
};

/**
 * struct metric - a metric  A table of them ends with one without name.
 *
 * The value is that of a field of type FIELD_NUMBER, FIELD_LIMIT, FIELD_HEX, FIELD_BOOL or FIELD_TRISTATE;
 * where it is unknown there is no sample.  Records with the same labels are one sample, whose value is
 * their sum: so a metric by process name counts the processes of that name together.
 */
struct metric {
	const struct record *record; /**< the records it is about, also those inside others */
	const char *name;            /**< "mrctl_device_max_mr" */
	/** "bytes" or "seconds", which the name then ends with, before "_total"; or NULL.  For seconds the
	 * field has nanoseconds. */
	const char *unit;
	const char *help;   /**< a sentence without full stop */
	const char *field;  /**< key of the field that has the value; NULL: each record counts 1 */
	const char *labels; /**< keys of the fields that are its labels, separated by ','; or NULL.
				 "device=name": the label has another name than the field.  Fields of
				 the records around this one can be labels, too. */
	enum metric_type type;
};

#define METRIC_END                                                                                 \
	{                                                                                          \
		.name = NULL                                                                       \
	}

/** Samples of metrics: of zeros but for the table at first; metrics_release() them. */
struct metrics {
	const struct metric *table; /**< NULL: nothing is measured */
	void *samples; /**< a tree of tsearch(3), in the order of the table, then of the labels */
};

void metrics_release(struct metrics *metrics);

/** metrics_add() - add the samples of a record, and of the records inside it.  Return: 0 or -ENOMEM. */
int metrics_add(struct metrics *metrics, const struct record *record, const void *row);

/** metrics_print() - print all samples and the line that ends them */
void metrics_print(const struct metrics *metrics, FILE *stream);

/** Which fields lines_print() prints. */
enum lines {
	LINES_USUAL,     /**< what is known, without details */
	LINES_ALL_KNOWN, /**< what is known */
	LINES_ALL,
};

/** lines_print() - print a record, each line after @indent */
void lines_print(const struct record *record, const void *row, enum lines lines, const char *indent,
		 FILE *stream);

/**
 * Standard output: one JSON document, or lines and tables for people, or one of the other formats of struct
 * output_style.  All output of commands goes through here, element by element.
 *
 * As metrics it takes all rows and objects that the table of metrics describes.
 */
struct output {
	const struct output_style *style;
	const struct record *record;                  /**< what the command prints */
	const struct field *columns[COLUMNS_MAX + 1]; /**< to be printed, end with NULL */
	size_t column_count;                          /**< of these; 0: not chosen yet, or all */
	struct metrics metrics;                       /**< what of the records is measured */
	const char *usual_columns; /**< of a table without --output, separated by ','; NULL: all */
	size_t usual_count; /**< how many of columns are usual ones, which the user did not choose */
	bool blocks; /**< text: each row is a block of lines, with an empty line between them */
	bool block_printed;    /**< so that an empty line is due before the next one */
	struct table *table;   /**< text: the table being printed, or NULL for lines */
	const char *separator; /**< JSON: what goes before the next member or element */
	bool is_part;          /**< of another's document, which that begins, ends and flushes */
	int error;             /**< the first -errno of printing, mostly -ENOMEM; 0: none */
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

/** output_member() - JSON: print a field of @row as a member of the document; text: nothing */
void output_member(struct output *out, const struct field *field, const void *row);

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
 * Others may follow, such as lists, until output_element_end() adds the last field (NULL: none).  Text: nothing.
 */
void output_element_begin(struct output *out, const struct record *record, const void *row);
void output_element_end(struct output *out, const struct field *field, const void *row);

/** output_json_list() - JSON: print a whole list; text: nothing */
void output_json_list(struct output *out, const char *key, const struct list *list);

/**
 * output_table() - print a whole list that belongs to the document beside the command's records
 * @columns: of a table for people, separated by ','; columns without information are omitted
 *
 * As output_json_list(); for people, unless the user has chosen what to print, below an empty line as a table.
 */
void output_table(struct output *out, const char *key, const struct list *list,
		  const char *columns);

/** output_is_for_people() - whether text is printed, and the user has not chosen columns, or left out headings */
bool output_is_for_people(const struct output *out);

/** output_is_metrics() - whether metrics are printed */
bool output_is_metrics(const struct output *out);

/**
 * output_end() - end the document and flush it
 * Return: 0, or -errno with MR_ERROR_HOST when something could not be printed.
 */
int output_end(struct output *out, struct mr_error *err);

/** output_release() - free what output_open() made */
void output_release(struct output *out);

/**
 * report_error() - print an error: "mrctl: COMMAND: text"; below it the hint; for usage errors where to read
 * @command: its name, or NULL: there is none
 */
void report_error(const char *command, const struct mr_error *err);

/**
 * report_note() - print "mrctl: COMMAND: text" on standard error
 * @command: its name, or NULL
 *
 * A terminal shows a message in lines shorter than 80 columns; in a pipe or a file it is one line.
 */
void report_note(const char *command, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/** report_detail() - print an indented line, which belongs to the message before it */
void report_detail(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/** report_status() - the exit status that belongs to an error */
int report_status(const struct mr_error *err);

/** Progress of long work on standard error, when that is a terminal. */
struct progress {
	uint64_t total;    /**< steps in all; 0: unknown */
	uint64_t shown_at; /**< when the line was last written, in ns; 0: never */
	uint64_t left_ns;  /**< time that is left; 0: unknown, and steps are short */
	bool silent;
};

/**
 * progress_init() - get ready to show progress
 * @total: steps in all; 0: unknown
 *
 * Nothing will be shown with @quiet, or where standard error is no terminal that can clear a line.
 */
void progress_init(struct progress *progress, uint64_t total, bool quiet);

/** progress_show() - show how many of several steps are done: "registered 4096 of 100000", "..., 5 s left" */
void progress_show(struct progress *progress, const char *what, uint64_t done);

/**
 * progress_wait() - show that a step begins that may take long: "registering 64 GiB ..."
 * @bytes: of the memory that the step is about; below 1 GiB nothing is shown
 */
void progress_wait(struct progress *progress, const char *what, uint64_t bytes);

/** progress_clear() - clear the line, before something else is printed */
void progress_clear(struct progress *progress);

/** output_is_screen() - whether a descriptor is a terminal that knows escapes */
bool output_is_screen(int fd);

/** private_file_check() - refuse a regular file that exists, unless @force.  Return: 0, or -EEXIST with MR_ERROR_USAGE */
int private_file_check(const char *path, bool force, struct mr_error *err);

/**
 * private_file_open() - open a file to write, which is made with mode 0600
 * @path:  of a regular file of this user; or of a pipe or terminal, such as /dev/stderr
 * @force: a regular file that exists is emptied; else it is refused with MR_ERROR_USAGE
 *
 * No symbolic link is followed, except those of /dev and /proc that refer to descriptors of this process.
 *
 * Return: NULL with MR_ERROR_HOST, or with MR_ERROR_USAGE where the file is another user's.
 */
FILE *private_file_open(const char *path, bool force, struct mr_error *err);

/**
 * private_file_close() - close it
 * Return: 0; or -errno with MR_ERROR_HOST where not all could be written.
 */
int private_file_close(FILE *file, const char *path, struct mr_error *err);

/** Files for people, which are written whole or not at all. */
struct replaced_file {
	FILE *stream;
	const char *path;
	char temporary
		[PATH_MAX]; /**< what becomes @path when it is closed; empty: @path itself is written */
};

/**
 * replaced_file_open() - begin to write a file, with the mode that the umask leaves
 * @path: of a regular file, or of none; or of a pipe or terminal, such as /dev/stdout, which is written as it is.
 *        It has to live until the file is closed.
 *
 * Data first goes to another file of the same folder.  No symbolic link is followed, as in
 * private_file_open().
 *
 * Return: 0, or -errno with MR_ERROR_HOST.
 */
int replaced_file_open(struct replaced_file *file, const char *path, struct mr_error *err);

/**
 * replaced_file_close() - put what was written in the place of the file
 * Return: 0; or -errno with MR_ERROR_HOST where not all could be written: then the old file stays.
 */
int replaced_file_close(struct replaced_file *file, struct mr_error *err);

/** replaced_file_drop() - close it, and leave the old file; nothing if it has no stream */
void replaced_file_drop(struct replaced_file *file);

/**
 * file_read() - read a whole file of at most 64 MiB
 * @path:   of a regular file; "-": standard input, which may be a pipe
 * @length: set to its bytes, behind which there is a NUL
 *
 * Return: free() it; NULL with MR_ERROR_HOST.
 */
char *file_read(const char *path, size_t *length, struct mr_error *err);

/** file_name() - the path, or "standard input" */
const char *file_name(const char *path);

#endif
