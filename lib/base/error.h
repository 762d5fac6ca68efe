/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Errors.  A function that can fail returns 0 or -errno, and fills the struct mr_error that its caller
 * passed.  lib/ prints no errors.  main() prints the error that ends mrctl, and a command may print an
 * error and go on.  Nothing is allocated, so nothing leaks.
 */
#ifndef LIB_BASE_ERROR_H
#define LIB_BASE_ERROR_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

/** Who refused: the exit status of mrctl follows from it. */
enum mr_error_kind {
	MR_ERROR_HOST,    /**< a call that prepares the request: mmap, open, … */
	MR_ERROR_REFUSED, /**< an RDMA call: the answer the user asked for */
	MR_ERROR_RELAXED, /**< mrctl's own relaxed mode, before any RDMA call */
	MR_ERROR_USAGE,   /**< bad input, nothing was tried */
	MR_ERROR_ABSENT, /**< no such device, session or region; where call is set, that reported it */
};

struct mr_error {
	enum mr_error_kind kind;
	int errnum;       /**< errno of the call, 0 where none belongs to it */
	const char *call; /**< the call that failed ("ibv_reg_mr"), static, or NULL */
	/** Without call: the one whose answer shows it ("ibv_get_device_list"), static, or NULL. */
	const char *shown_by;
	char text[512]; /**< one line: "[what: ]call: ENAME (description)" */
	char hint[512]; /**< what to do about it, or empty */
};

/** mr_error_is_set() - whether @err holds an error that nobody has reported yet */
static inline bool mr_error_is_set(const struct mr_error *err)
{
	return err->text[0] != '\0';
}

/**
 * mr_error_clear() - remove the error from @err: it was reported, or it does not matter
 *
 * Its kind and errno stay, because the exit status follows from them.
 */
static inline void mr_error_clear(struct mr_error *err)
{
	err->text[0] = '\0';
	err->hint[0] = '\0';
}

/**
 * mr_error_is_answer() - whether an error is the answer of the RDMA stack
 * @kind, @call: of the error
 *
 * A refusal is one, and so is ABSENT where a call reported it.
 */
bool mr_error_is_answer(enum mr_error_kind kind, const char *call);

/**
 * mr_fail() - record that @call failed
 * @err:    filled
 * @kind:   who refused
 * @errnum: positive errno, taken in the same statement as the failing call
 * @call:   name of the call, a string that lives for ever
 * @fmt:    what was being done, put before the call; NULL for nothing
 *
 * Return: -@errnum, for use in a return statement.
 */
int mr_fail(struct mr_error *err, enum mr_error_kind kind, int errnum, const char *call,
	    const char *fmt, ...) __attribute__((format(printf, 5, 6), nonnull(1, 4)));

/**
 * mr_fail_text() - record an error that no call reported
 * @err:    filled
 * @kind:   MR_ERROR_USAGE or MR_ERROR_ABSENT mostly
 * @errnum: positive errno that comes nearest
 * @fmt:    the message
 *
 * Return: -@errnum.
 */
int mr_fail_text(struct mr_error *err, enum mr_error_kind kind, int errnum, const char *fmt, ...)
	__attribute__((format(printf, 4, 5), nonnull(1, 4)));

/**
 * mr_fail_word() - record that a word is not in a table; the message names the nearest word, and all
 * @what:   what the word should be: "access flag"
 * @word:   the word, of @length bytes
 * @table:  rows that begin with a name; the last one's is NULL
 * @size:   bytes of a row
 *
 * Return: -EINVAL, with MR_ERROR_USAGE.
 */
int mr_fail_word(struct mr_error *err, const char *what, const char *word, size_t length,
		 const void *table, size_t size) __attribute__((nonnull));

/**
 * mr_call_errno() - errno of a library's call that failed; errno must have been set to 0 before the call
 * Return: errno; EIO where the call did not set it, because 0 would count as success.
 */
static inline int mr_call_errno(void)
{
	return errno ? errno : EIO;
}

/** mr_wrap() - put a context and ": " before the message */
void mr_wrap(struct mr_error *err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3), nonnull(1, 2)));

/** mr_hint() - set the hint: what to do about the error, or why it came */
void mr_hint(struct mr_error *err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3), nonnull(1, 2)));

/**
 * mr_errno_name() - "EINVAL" for EINVAL
 *
 * It knows the kernel's own ENOTSUPP (524), too, which some drivers return to user space.
 *
 * Return: NULL for an unknown number.
 */
const char *mr_errno_name(int errnum);

/** mr_errno_text() - "Invalid argument" for EINVAL; never NULL. */
const char *mr_errno_text(int errnum);

/**
 * mr_errno_parse() - the number of an errno name, in any case
 * Return: the positive errno, or 0 for a name that is none.
 */
int mr_errno_parse(const char *name, size_t length);

/** mr_errno_guess() - the errno name nearest to a misspelled one, as of mr_guess_try(); or NULL */
const char *mr_errno_guess(const char *name, size_t length);

#endif
