// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* mrctl help TOPIC */
#include "cmd/cli/help_topics.h"
#include "lib/memory/dmabuf.h"
#include "lib/memory/mapping.h"
#include "lib/simulator/spec.h"
#include "lib/verbs/access.h"
#include "lib/verbs/advice.h"

static const char *memory_word(unsigned int index, const char **help)
{
	*help = mr_memory_kinds[index].help;
	return mr_memory_kinds[index].name;
}

static const char *advice_word(unsigned int index, const char **help)
{
	*help = mr_advice_words[index].help;
	return mr_advice_words[index].name;
}

static const char *dmabuf_word(unsigned int index, const char **help)
{
	*help = mr_dmabuf_sources[index].help;
	return mr_dmabuf_sources[index].name;
}

static const char *access_word(unsigned int index, const char **help)
{
	*help = mr_access_flags[index].help;
	return mr_access_flags[index].name;
}

static const char *word_of(const struct mr_sim_word *words, unsigned int index, const char **help)
{
	*help = words[index].help;
	return words[index].name;
}

static const char *profile_word(unsigned int index, const char **help)
{
	return word_of(mr_sim_profiles, index, help);
}

static const char *kernel_word(unsigned int index, const char **help)
{
	return word_of(mr_sim_kernels, index, help);
}

static const char *call_word(unsigned int index, const char **help)
{
	return word_of(mr_sim_calls, index, help);
}

static const char *action_word(unsigned int index, const char **help)
{
	return word_of(mr_sim_actions, index, help);
}

const struct help_topic topic_memory = { "memory",
					 "where memory comes from (--memory)",
					 { { "Memory kinds", memory_word } } };
const struct help_topic topic_dmabuf = { "dmabuf",
					 "where dma-bufs come from (--from, --dmabuf)",
					 { { "Dma-buf sources", dmabuf_word } } };
const struct help_topic topic_access = {
	"access",
	"access flags (--access)",
	{ { "Access flags (also none, a number, or as C has them: IBV_ACCESS_...)", access_word } }
};
const struct help_topic topic_advice = { "advice",
					 "advice about on-demand regions (--advise)",
					 { { "Advice (also a number, and flags as a number)",
					     advice_word } } };
const struct help_topic topic_columns = { "columns",
					  "columns [COMMAND]: what --output can print",
					  { { NULL, NULL } } };
const struct help_topic topic_sim = {
	"simulator",
	"devices, kernels and faults of mrctl sim",
	{ { "Profiles", profile_word },
	  { "Kernels", kernel_word },
	  { "Calls (CALL@N is the Nth of a process; without @N, each)", call_word },
	  { "Actions", action_word } }
};

const struct help_topic *const help_topics[] = { &topic_memory, &topic_dmabuf,  &topic_access,
						 &topic_advice, &topic_columns, &topic_sim,
						 NULL };
