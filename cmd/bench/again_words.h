/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The command line that measures what a document of mrctl bench has. */
#ifndef CMD_BENCH_AGAIN_WORDS_H
#define CMD_BENCH_AGAIN_WORDS_H

#include "cmd/bench/args.h"
#include "cmd/output/json_tree.h"

/**
 * The words; all zeros before the first.
 *
 * A value is in the word of its option, and calls stand behind "--": no text of a document becomes an option.
 */
struct again_words {
	char *argv[3 * SWEEP_MAX]; /**< ends with NULL */
	size_t count;
	int error; /**< ENOMEM; E2BIG for more than bench measures at once; 0 */
};

/** again_words_of_rows() - measure all rows of @old; @args: its --seconds, --count and --rounds replace those of @old */
void again_words_of_rows(struct again_words *words, const struct json_node *old,
			 const struct bench_args *args);

/** again_words_of_host() - make a single call on the device of @old, which tells what the host is */
void again_words_of_host(struct again_words *words, const struct json_node *old);

/** again_words_release() - free them */
void again_words_release(struct again_words *words);

#endif
