/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The environment that a program is started with, so that it has the agent, too. */
#ifndef LIB_TRACE_AGENT_ENVIRONMENT_H
#define LIB_TRACE_AGENT_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>

enum {
	ENVIRONMENT_ADDED = 6,         /**< variables that are added at most, with the NULL */
	ENVIRONMENT_BYTES = 16 * 1024, /**< of their texts */
};

/** environment_remember() - note where the agent and the audit library are, as this program has them */
void environment_remember(void);

/** environment_is_of_other() - whether it leads to another trace: this one has started that, as its program */
bool environment_is_of_other(char *const *env);

/**
 * environment_size() - how many pointers environment_complete() needs
 * Return: 0 where nothing lacks, or is to be added.
 */
size_t environment_size(char *const *env);

/**
 * environment_complete() - copy an environment, with what the agent needs
 * @to:    as many pointers as environment_size() tells
 * @texts: ENVIRONMENT_BYTES
 */
void environment_complete(char *const *env, const char **to, char *texts);

#endif
