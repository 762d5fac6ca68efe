/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The topics of mrctl help: the words that options take, by subject. */
#ifndef CMD_CLI_HELP_TOPICS_H
#define CMD_CLI_HELP_TOPICS_H

#include "lib/base/base.h"

/** A table of words, and the title above it. */
struct help_section {
	const char *title;
	const struct mr_word *words; /**< NULL: they are in a table of another kind */
};

/** What "mrctl help NAME" prints. */
struct help_topic {
	const char *name;
	const char *help;
	/** Ends with one that has no title; if that is the first, the topic is the columns of commands. */
	struct help_section sections[5];
};

extern const struct help_topic topic_memory, topic_dmabuf, topic_access, topic_advice, topic_causes,
	topic_sim;

/** All topics; ends with NULL. */
extern const struct help_topic *const help_topics[];

#endif
