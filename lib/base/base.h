/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Declares what all of mrctl uses: errors, numbers, text, and resources of the system. */
#ifndef LIB_BASE_BASE_H
#define LIB_BASE_BASE_H

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/** Who refused.  The exit status of mrctl depends on it. */
enum mr_error_kind {
	MR_ERROR_HOST,    /**< a call that prepares the request: mmap, open, … */
	MR_ERROR_REFUSED, /**< an RDMA call: the answer the user asked for */
	MR_ERROR_RELAXED, /**< mrctl's own relaxed mode, before any RDMA call */
	MR_ERROR_USAGE,   /**< bad input, nothing was tried */
	MR_ERROR_ABSENT, /**< no such device, session or region; if call is set, it reported that */
};

struct mr_error {
	enum mr_error_kind kind;
	int errnum;       /**< errno of the call, 0 where none belongs to it */
	const char *call; /**< the call that failed ("ibv_reg_mr"), static, or NULL */
	/** Without call: the one whose answer shows it ("ibv_get_device_list"), static, or NULL. */
	const char *shown_by;
	char text[512]; /**< one line: "[what: ]call: ENAME (description)" */
	char hint[512]; /**< the remedy, or empty */
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

/** mr_fail_usage() - record a wrong command line or argument: mr_fail_text() with MR_ERROR_USAGE and EINVAL */
#define mr_fail_usage(err, ...) mr_fail_text(err, MR_ERROR_USAGE, EINVAL, __VA_ARGS__)

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
 * Return: errno; EIO where the call did not set it, because 0 would mean success.
 */
static inline int mr_call_errno(void)
{
	return errno ? errno : EIO;
}

/** mr_wrap() - put a context and ": " before the message */
void mr_wrap(struct mr_error *err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3), nonnull(1, 2)));

/** mr_hint() - set the hint: the remedy or the reason of the error */
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

/** A word that users may choose, with its meaning.  A table of words ends with a row without name. */
struct mr_word {
	const char *name;
	const char *help;
	uint64_t bit; /**< of a flag; in other tables the index of a row is its value */
};

/** MR_WORD() - a row of a table whose words are no flags */
#define MR_WORD(name_, help_)                                                                      \
	{                                                                                          \
		.name = (name_), .help = (help_)                                                   \
	}

/**
 * mr_list_item() - the next item of a list
 * @rest:       the rest of the list; moved behind the item, and set to NULL after the last one
 * @separators: the characters that separate items; blanks around an item are left out
 * @length:     set to the length of the item in bytes
 *
 * Return: the item, which may be empty; NULL when there is none left.
 */
const char *mr_list_item(const char **rest, const char *separators, size_t *length);

/**
 * mr_word_is() - whether @word (@length bytes) is @name
 *
 * Upper and lower case are equal, and so are "_" and "-": ON_DEMAND is on-demand.
 */
bool mr_word_is(const char *word, size_t length, const char *name);

/**
 * mr_word_without() - the word without the prefix that it has in a C header
 * @length:   bytes of the word; reduced by those of the prefix
 * @prefixes: such as "IBV_ACCESS_"; ends with NULL
 *
 * Return: the rest of @word behind the prefix; @word itself where it has none, or is nothing else.
 */
const char *mr_word_without(const char *word, size_t *length, const char *const *prefixes);

/** mr_word_find() - the index of a word in the table @words, in any spelling that mr_word_is() accepts; or -1 */
int mr_word_find(const struct mr_word *words, const char *word, size_t length);

/** A search for what a misspelled word was meant to be; only the word and its length are set at first. */
struct mr_guess {
	const char *word;
	size_t length;         /**< of @word, in bytes */
	const char *best;      /**< the nearest name so far, or NULL while none is near */
	unsigned int distance; /**< of @best */
};

/**
 * mr_guess_try() - compare the word with a name, which must outlive @guess
 *
 * A name is near where at most a third of the characters differ: missing, surplus, wrong or swapped with
 * their neighbour (the distance of Damerau and Levenshtein).  It is near, too, where one of the two
 * begins with the other, and the shorter one has at least three characters.  For a name such as
 * "file:PATH" only the part before ':' or '[' counts, and of the word the part before ':'.
 */
void mr_guess_try(struct mr_guess *guess, const char *name);

/**
 * mr_guess_from() - the name nearest to a word
 * @length: bytes of the word
 * @table:  rows that begin with a name; the last one's is NULL
 * @size:   bytes of a row
 *
 * Return: the name, or NULL where none is near.
 */
const char *mr_guess_from(const char *word, size_t length, const void *table, size_t size);

/** A number that may be unknown. */
struct mr_opt_u64 {
	uint64_t value;
	_Bool known;
};

/** mr_parse_u64() - decimal or 0x hexadecimal, 0 to @max */
int mr_parse_u64(const char *text, uint64_t max, uint64_t *value, struct mr_error *err);

/** mr_parse_u64_item() - as mr_parse_u64(), for an item of a list: @length bytes of a longer text */
int mr_parse_u64_item(const char *item, size_t length, uint64_t max, uint64_t *value,
		      struct mr_error *err);

/**
 * mr_parse_size() - bytes: a number with an optional suffix, or "max" for SIZE_MAX
 *
 * K, M, G, T, P, E and KiB, … are powers of 1024; KB, MB, … are powers of 1000, as in util-linux and
 * dd(1).
 */
int mr_parse_size(const char *text, uint64_t *bytes, struct mr_error *err);

/**
 * mr_parse_page_sizes() - a set of page sizes, one bit for each
 * @text: "none", or sizes that are powers of two and hexadecimal masks with any bits: "4K,2M",
 *        "0x201000"
 */
int mr_parse_page_sizes(const char *text, uint64_t *sizes, struct mr_error *err);

/** mr_parse_seconds() - seconds with an optional fraction, as nanoseconds */
int mr_parse_seconds(const char *text, uint64_t *ns, struct mr_error *err);

/**
 * mr_parse_name() - check the name of a region or protection domain
 *
 * It has 1 to 63 letters, digits, ".", "_" and "-".  It does not begin with "-", which would be an option,
 * and is not all digits, which would be an id.
 */
int mr_parse_name(const char *text, struct mr_error *err);

/**
 * mr_round_up() - the next multiple of @step that is not below @value
 * @step: a power of two
 *
 * Return: 0 where it does not fit in 64 bits.
 */
static inline uint64_t mr_round_up(uint64_t value, uint64_t step)
{
	return (value + step - 1) & ~(step - 1);
}

/** The answer to a yes-or-no question that may have none. */
enum mr_tristate {
	MR_UNKNOWN,
	MR_NO,
	MR_YES,
};

/** CHECKED_OFFSET() - offset of a member that must have type @ctype: with another type it does not compile */
#define CHECKED_OFFSET(structure, member, ctype)                                                   \
	(offsetof(structure, member) +                                                             \
	 0 * sizeof(struct {                                                                       \
		 _Static_assert(__builtin_types_compatible_p(__typeof__(((structure *)0)->member), \
							     ctype),                               \
				#member " has another type than its table says");                  \
		 int unused;                                                                       \
	 }))

/** mr_sum() - the sum, or UINT64_MAX where that is more than 64 bits hold */
static inline uint64_t mr_sum(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

/** mr_sum_without() - subtract a summand from a sum; UINT64_MAX stays, because the true sum may be larger */
static inline uint64_t mr_sum_without(uint64_t sum, uint64_t part)
{
	return sum == UINT64_MAX ? sum : sum - part;
}

/** mr_clock_ns() - the time of a clock, in nanoseconds */
static inline uint64_t mr_clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/** mr_now_ns() - monotonic time in nanoseconds */
static inline uint64_t mr_now_ns(void)
{
	return mr_clock_ns(CLOCK_MONOTONIC);
}

/** mr_pointer() - an address from a user or a table as a pointer */
static inline void *mr_pointer(uint64_t address)
{
	return (void *)(uintptr_t)address; // NOLINT(performance-no-int-to-ptr)
}

/** Bytes that a line may have, without its end. */
#define MR_LINE_MAX 65535

struct mr_line_reader {
	FILE *stream;
	int fd;
	bool is_file;    /**< a regular file: all of it was read when it was opened */
	uint64_t number; /**< of the line that was read last, from 1 */
	char *buffer;    /**< of getline(3) */
	size_t size,
		unended; /**< bytes of the buffer; bytes that were read since the last newline */
	char *line;      /**< the line that was read last, in the buffer; or NULL */
	size_t length;   /**< of the line, in bytes */
};

/**
 * mr_line_reader_open() - get ready to read
 * @path: of the file; "-" or NULL: standard input
 *
 * A regular file is read whole, so that later changes of it have no effect.
 *
 * Return: 0 or -errno; close the reader in either case.
 */
int mr_line_reader_open(struct mr_line_reader *reader, const char *path, struct mr_error *err);
void mr_line_reader_close(struct mr_line_reader *reader);

/**
 * mr_line_reader_next() - read the next line into reader->line
 *
 * The line has no newline, no CR before that, and no byte order mark, which a file of UTF-8 may begin with.
 * A signal that mr_signals_block() has blocked ends the wait for a pipe or terminal.
 *
 * Return: 1, 0 at the end, or -errno: MR_ERROR_USAGE for a line that is too long or holds a NUL,
 * -EINTR for the signal.
 */
int mr_line_reader_next(struct mr_line_reader *reader, struct mr_error *err);

/** mr_line_reader_trim() - remove the blanks around the line */
void mr_line_reader_trim(struct mr_line_reader *reader);

/** mr_line_reader_rewind() - read a regular file from its beginning again */
void mr_line_reader_rewind(struct mr_line_reader *reader);

/** The words of a line.  Initialise it with zeros. */
struct mr_shell_words {
	char **list; /**< ends with NULL */
	size_t count;
	char *buffer; /**< the words themselves, each terminated */
	size_t size;  /**< bytes of the buffer */
};

/**
 * mr_shell_words_split() - split a line into words
 * @words:  set; the words of an earlier line are replaced
 * @length: bytes of the line, without the NUL that it ends with
 *
 * Blanks separate words.  Characters between '...' or "..." belong to one word.  A backslash escapes the
 * character behind it: in "..." only ", \, $ and `, in '...' none.  A # where a word would begin starts a
 * comment.
 *
 * Return: 0, or -errno: MR_ERROR_USAGE for a quote that does not end, or a backslash at the end.
 */
int mr_shell_words_split(struct mr_shell_words *words, const char *line, size_t length,
			 struct mr_error *err);
void mr_shell_words_release(struct mr_shell_words *words);

/**
 * mr_utf8_decode() - read the character at the beginning of a text
 *
 * Return: its bytes; 0 where they are no UTF-8, which excludes forms that are longer than needed, surrogates, and what
 * lies above U+10FFFF (RFC 3629, section 3).
 */
size_t mr_utf8_decode(const char *text, uint32_t *character);

/**
 * mr_utf8_is_obeyed() - whether a terminal obeys the character rather than shows it
 *
 * These are C0 and C1 controls, line and paragraph separators, and the marks that change the direction of what
 * follows (Unicode Standard Annex 9).
 */
bool mr_utf8_is_obeyed(uint32_t c);

/**
 * mr_utf8_shown() - bytes of the character at the beginning of a text
 *
 * Return: 0 where the text ends, is no UTF-8, or begins with what a terminal obeys or does not show.
 */
size_t mr_utf8_shown(const char *text);

/**
 * mr_word_with_argument() - find a word that may have an argument behind a colon: "file:PATH"
 * @words:    their names show it: "anon" takes no argument, "file:PATH" one, "dm[:SIZE]" one or none
 * @what:     what messages call such a word: "memory"
 * @argument: set to the argument within @text, or to NULL
 *
 * Return: the index of the word, or -EINVAL with MR_ERROR_USAGE.
 */
int mr_word_with_argument(const struct mr_word *words, const char *what, const char *text,
			  const char **argument, struct mr_error *err);

/**
 * mr_word_as_number() - read a number of 32 bits that stands in the place of a word of a table
 * @what:   what messages call such a word: "access flag"
 * @item:   no word of the table, of @length bytes
 * @number: set on success
 *
 * Return: 0, or -EINVAL/-ERANGE with MR_ERROR_USAGE: the message for other text lists the words.
 */
int mr_word_as_number(const struct mr_word *words, const char *what, const char *item,
		      size_t length, uint32_t *number, struct mr_error *err);

/** mr_text_add() - add to a text, behind @separator if the text is not empty; the rest is cut where it does not fit */
void mr_text_add(char *text, size_t size, const char *separator, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/** mr_is_blank() - whether @c is a space or a tab: these separate words */
static inline bool mr_is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static inline bool mr_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline bool mr_is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/**
 * mr_clean_text() - terminate a text, and replace all but printable ASCII by '?'
 * @size: bytes of the array @text; the last one becomes the NUL
 */
static inline void mr_clean_text(char *text, size_t size)
{
	text[size - 1] = '\0';
	for (; *text; text++)
		if (*text < ' ' || *text > '~')
			*text = '?';
}

/** Limits of this process that affect registration, as words: "memlock=64K,nofile=100". */
enum { MR_LIMITS = 4 /**< limits that there are */ };

/** Requested limits; UINT64_MAX: unlimited. */
struct mr_limits {
	struct mr_opt_u64 values[MR_LIMITS];
};

/**
 * mr_limits_parse() - add the limits of a list to @limits
 * @text: "memlock=64K,as=unlimited"
 *
 * Return: 0, or -EINVAL or -ERANGE with MR_ERROR_USAGE.
 */
int mr_limits_parse(const char *text, struct mr_limits *limits, struct mr_error *err);

/**
 * mr_limits_set() - limit this process (setrlimit(2))
 *
 * Sets the soft limit, which the kernel enforces, and the hard limit only if it is lower. A limit of locked memory is
 * not enforced for a process with CAP_IPC_LOCK (drivers/infiniband/core/umem.c ib_umem_get()), so this process gives
 * up that capability.
 *
 * Return: 0, or -errno with MR_ERROR_HOST.
 */
int mr_limits_set(const struct mr_limits *limits, struct mr_error *err);

/** mr_limits_have_memlock() - whether mr_limits_set() has set the limit of locked memory of this process */
bool mr_limits_have_memlock(void);

/**
 * mr_memfd_create() - memfd_create(2) with MFD_NOEXEC_SEAL where the kernel knows that flag
 * @flags: MFD_CLOEXEC, MFD_ALLOW_SEALING
 *
 * Linux 6.3 introduced the flag.  Without the flag a newer kernel logs a warning, or refuses
 * (vm.memfd_noexec=2); with it an older kernel answers EINVAL.
 *
 * Return: the descriptor, or -1 with errno.
 */
int mr_memfd_create(const char *name, unsigned int flags);

/** A mapping in /proc/PID/maps (proc_pid_maps(5)). */
struct mr_mapping {
	uint64_t start, end;       /**< addresses; @end is the first behind it */
	uint64_t offset;           /**< bytes from the start of the file to that of the mapping */
	uint64_t inode;            /**< of the file; 0: it maps none */
	unsigned int major, minor; /**< of the device that the file is on */
	bool readable, writable, executable, shared;
	char path[256]; /**< of the file, or "[stack]"; cut; empty: none */
};

/** mr_mapping_parse() - false where the line, which has no newline, is that of no mapping */
bool mr_mapping_parse(const char *line, struct mr_mapping *mapping);

/**
 * mr_installed_find() - find a folder that is installed with this program: beside it, or in the folder of libraries
 * @libraries: MRCTL_LIBDIR, which shared objects are compiled without
 * @name:      "sim" or "trace"
 * @file:      a file that it must have
 * @place:     set to the folder of this program; has PATH_MAX bytes
 * @folder:    set to its real path, which the caller frees; NULL: it is not installed
 *
 * Return: 0, or -errno where the place of this program is not known.
 */
int mr_installed_find(const char *libraries, const char *name, const char *file, char *place,
		      char **folder, struct mr_error *err);

/**
 * mr_overlay_has_tmpfs() - whether a file of an overlay that can be written is on a tmpfs
 *
 * The path of the upper layer in /proc/PID/mountinfo is mostly one of another mount namespace.  Therefore ioctls
 * query the file, which the overlay passes on: tmpfs has attributes (since Linux 6.0) but no map of extents.
 *
 * Return: false also where the file cannot be opened.
 */
bool mr_overlay_has_tmpfs(const char *path);

/**
 * Early return without leaks: a variable that is declared with mr_auto_* is closed or freed where its
 * scope ends.  It must be initialised.
 */
#define mr_auto_fd   __attribute__((cleanup(mr_cleanup_fd)))
#define mr_auto_file __attribute__((cleanup(mr_cleanup_file)))
#define mr_auto_free __attribute__((cleanup(mr_cleanup_free)))

static inline void mr_cleanup_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static inline void mr_cleanup_file(FILE **file)
{
	if (*file)
		fclose(*file);
}

static inline void mr_cleanup_free(void *pointer)
{
	free(*(void **)pointer);
}

/** mr_steal_fd() - take a descriptor out of its mr_auto_fd variable, which then does not close it */
static inline int mr_steal_fd(int *fd)
{
	int taken = *fd;

	*fd = -1;
	return taken;
}

/** These signals, and how many they are. */
#define MR_ENDING_SIGNALS 3
extern const int mr_ending_signals[MR_ENDING_SIGNALS];

/** mr_signals_include_hangup() - whether SIGHUP ends commands: not where it is ignored, as by nohup(1) */
bool mr_signals_include_hangup(void);

/** mr_signals_block() - block these signals: from here on they stay pending */
void mr_signals_block(void);

/** mr_interrupted() - whether one of them is pending since mr_signals_block() */
bool mr_interrupted(void);

/**
 * mr_signals_wait_readable() - sleep until @fd is readable, or one of them is received
 * Return: false where a signal came.
 */
bool mr_signals_wait_readable(int fd);

/**
 * mr_signals_wait_until() - sleep until one of them or of @more comes, or nobody can read from @fd any more
 * @until: the end of the sleep, as mr_now_ns() counts; UINT64_MAX: none
 * @more:  further signals, which are blocked; or NULL
 * @fd:    or -1: then no descriptor is used, because a detached session must not have another one
 *
 * Return: the signal, which is not pending any more; 0 where the time is over; -1 where nobody reads.
 */
int mr_signals_wait_until(uint64_t until, const sigset_t *more, int fd);

/** mr_signals_ignore() - ignore these signals: the command is ending, and a second one must not disturb that */
void mr_signals_ignore(void);

/**
 * mr_signals_deliver() - let a pending signal end this process
 * @mask: the signal mask of before mr_signals_block(), which is restored
 *
 * The parent then sees that the signal ended this process.  A shell stops a loop because of that, but
 * goes on with it after any exit status (https://www.cons.org/cracauer/sigint.html).
 *
 * It returns only where no signal is pending, or none can end the process (process 1 of a container).
 */
void mr_signals_deliver(const sigset_t *mask);

#endif
