/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The words that lines of a batch are made of.  Each is printed with a blank before it, but for text in comments. */
#ifndef LIB_TRACE_REPRODUCTION_BATCH_WORDS_H
#define LIB_TRACE_REPRODUCTION_BATCH_WORDS_H

#include <stdint.h>
#include <stdio.h>

/** mr_batch_print_foreign() - text that is not mrctl's own, in a comment: it stays in its line */
void mr_batch_print_foreign(FILE *file, const char *text);

/** mr_batch_print_shell_word() - a word as a shell reads it; signs that no line can have are told as '?' */
void mr_batch_print_shell_word(FILE *file, const char *word);

/** mr_batch_print_memory() - @option with a kind of memory: "--memory", "readonly" */
void mr_batch_print_memory(FILE *file, const char *option, const char *memory);

/** mr_batch_print_size() - @option with a number of bytes; UINT64_MAX: max */
void mr_batch_print_size(FILE *file, const char *option, uint64_t bytes);

/** mr_batch_print_access() - --access with the names of these flags */
void mr_batch_print_access(FILE *file, uint32_t access);

/** mr_batch_print_pages() - --page-sizes with a mask of sizes in bytes; 0: none */
void mr_batch_print_pages(FILE *file, uint64_t sizes);

#endif
