/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Declares the reading of log lines about failed registrations. */
#ifndef LIB_DIAGNOSE_LOG_LOG_H
#define LIB_DIAGNOSE_LOG_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/base.h"
#include "lib/diagnose/causes/causes.h"

/** A line of a log as words, numbers and signs. */
enum mr_token_kind {
	MR_TOKEN_END,    /**< behind the last one */
	MR_TOKEN_WORD,   /**< letters, digits and "_", and it is no number */
	MR_TOKEN_NUMBER, /**< decimal, or 0x hexadecimal */
	MR_TOKEN_SIGN,   /**< any other byte that is no blank */
};

struct mr_token {
	enum mr_token_kind kind;
	const char *text; /**< in the line */
	size_t length;
	char lower[24]; /**< a word in lower case, cut; else empty */
	uint64_t value; /**< of a number, without its "-" */
	bool is_negative;
	bool is_hex;
};

enum { MR_TOKENS_MAX = 1024 };

/** The tokens of a line; further ones are left out. */
struct mr_tokens {
	struct mr_token list[MR_TOKENS_MAX + 1]; /**< ends with MR_TOKEN_END */
	size_t count;
};

/**
 * mr_tokens_read() - split a line of @length bytes, which may be any; a NUL ends the text somewhere behind
 * @in_parts: words are split as well: "reg_mr" and "registerMemory" are two, and quotes are left out
 */
void mr_tokens_read(struct mr_tokens *tokens, const char *text, size_t length, bool in_parts);

/** mr_token_is() - whether it is one of these words in lower case, which "|" separates */
bool mr_token_is(const struct mr_token *token, const char *words);

/** mr_token_is_sign() - whether it is one of these signs */
bool mr_token_is_sign(const struct mr_token *token, const char *signs);

/** Where catalogues are: FOLDER/LANGUAGE/LC_MESSAGES/libc.mo */
#define MR_LANGUAGES_FOLDER "/usr/share/locale"

struct mr_languages;

/** mr_languages_open() - read the catalogues below @folder; NULL: no memory */
struct mr_languages *mr_languages_open(const char *folder);

/** mr_languages_errno() - the errno whose text a line has, the longest one; 0: none; @languages may be NULL */
int mr_languages_errno(const struct mr_languages *languages, const char *text, size_t length);

/** mr_languages_free() - @languages may be NULL */
void mr_languages_free(struct mr_languages *languages);

/** Bytes of a line.  No program writes longer ones about a registration. */
#define MR_LOG_LINE_MAX 4095

/** Words of a line beside its call, and the cause that they indicate. */
struct mr_log_topic {
	const char *words; /**< one of them is in the line: "dax|^mtt", as of has_one() */
	const char *id;    /**< of the cause */
	int errnum;        /**< only where the call has this errno, or none is known; 0: any */
	bool is_likely;    /**< else possible */
	bool is_reason;    /**< the line need not have a call */
	bool excludes;     /**< it excludes the cause */
	bool has_no_errno; /**< numbers in the line are none */
	const char *text;  /**< the evidence, a clause; not of those that exclude */
};

/** All topics; the last one has no id. */
extern const struct mr_log_topic mr_log_topics[];

/** Facts of a line. */
struct mr_log_line {
	const char *call; /**< that mr_operations_of_name() knows: "ibv_reg_mr"; NULL: none */
	bool is_named;    /**< the line has that name; else words that usually mean it */
	bool is_bare; /**< only the word "registration" indicates it: the errno determines the call */
	bool is_vague;    /**< it registers something that need not be memory */
	bool is_exact;    /**< its words mean memory of RDMA alone: "MR" */
	bool is_foreign;  /**< it has words of another subsystem, and names no call */
	bool has_owner;   /**< it has words of another owner of memory, and names no call */
	bool has_failed;  /**< it says that something went wrong, in words */
	bool has_passed;  /**< it says that something worked */
	int errnum;       /**< positive; 0: the line has none */
	int other_errnum; /**< another one that the line has as well; 0: none */
	struct mr_opt_u64 addr, length, iova;
	struct mr_opt_u64 access; /**< IBV_ACCESS_... */
	char provider[16];        /**< of the device that the line names: "mlx5"; or empty */
	char device[32];          /**< its name: "mlx5_0"; or empty */
	bool is_on_gpu;           /**< memory of a GPU is meant */
	bool is_of_gpu_program;   /**< the program registers memory of GPUs mostly */
	bool is_memlock;          /**< the limit of locked memory is named */
	struct mr_opt_u64 limit;  /**< that limit, in bytes; UINT64_MAX: there is none */
	bool is_pinning;          /**< a function that pins memory is named */
	bool is_of_libfabric;     /**< a function of libfabric is named (fi_mr_reg) */
	bool is_reason;  /**< it has no refused call, but the reason why calls are refused */
	uint64_t topics; /**< bits: the index in mr_log_topics of each that it has */
	const char
		*remark; /**< why it is no refusal of a call of libibverbs, a sentence; or NULL */
	/* In a line of mlx5_core: */
	char command[48];           /**< of the firmware: "CREATE_MKEY"; or empty */
	struct mr_opt_u64 status;   /**< its answer */
	struct mr_opt_u64 syndrome; /**< the firmware's number for the reason */
};

/**
 * mr_log_line_read() - read a line
 * @text: @length bytes, which may be any
 *
 * Return: whether it reports a refusal: of a call of this kind, with its errno or with words for a failure; of the
 * limit of locked memory; or one that has a remark.  @line is set to what was found in either case.
 */
bool mr_log_line_read(struct mr_log_line *line, const char *text, size_t length);

/** mr_log_line_scan() - read the facts of a line, even if it is about no call */
void mr_log_line_scan(struct mr_log_line *line, const char *text, size_t length);

/**
 * mr_log_line_part() - how many bytes of the line are about one call: a line may have several, each with its errno
 */
size_t mr_log_line_part(const char *text, size_t length);

/**
 * mr_log_line_request() - the request in the line
 *
 * Return: whether the line has all of it: call, address, length and access.
 */
bool mr_log_line_request(const struct mr_log_line *line, struct mr_region_request *request);

/** mr_log_find_command() - the command of mlx5's firmware, and its answer */
void mr_log_find_command(struct mr_log_line *line, const struct mr_tokens *tokens);

/** mr_log_find_errno() - the errno; @text: the line, with an end and without NULs */
void mr_log_find_errno(struct mr_log_line *line, const struct mr_tokens *tokens, const char *text);

/** mr_log_find_numbers() - address, length and access */
void mr_log_find_numbers(struct mr_log_line *line, const struct mr_tokens *tokens);

/** Returns whether a number is too large for anything but an address. */
bool mr_log_has_address(const struct mr_tokens *tokens);

/** mr_log_find_device() - the device, and its provider */
void mr_log_find_device(struct mr_log_line *line, const struct mr_tokens *tokens);

/** The causes of a refused call, as far as a line of a log and this host show them. */
enum { MR_OWNERS = 192, MR_LOG_CAUSES = 128, MR_LOG_BY_LINE = 16 };

struct mr_log_judgement {
	/** The most likely ones first, each once. */
	struct mr_log_cause {
		const struct mr_cause *cause;
		const struct mr_suspicion *found; /**< NULL: nothing was found out */
		int place;                        /**< in their order */
	} causes[MR_LOG_CAUSES];
	size_t count;
	struct mr_diagnosis here; /**< the diagnosis on this host; it has the excluded causes */
	struct mr_suspicion by_line[MR_LOG_BY_LINE]; /**< causes with evidence in the line */
	size_t by_line_count;
	bool has_request; /**< the line has the whole request */
};

/** mr_log_judge() - find the causes of a refused call; @looks_here: this host is examined, too */
void mr_log_judge(struct mr_log_judgement *judgement, const struct mr_log_line *line,
		  bool looks_here);

/**
 * mr_owners() - find the causes that a refusal can have, the most frequent ones first
 * @call:   NULL: any
 * @errnum: 0: any
 * @owners: set to them, MR_OWNERS at most
 *
 * A call that prepares memory has its own causes before those of all such calls.
 *
 * Return: how many there are.
 */
size_t mr_owners(const char *call, int errnum, const struct mr_cause **owners);

#endif
