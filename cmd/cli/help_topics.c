// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* mrctl help TOPIC */
#include "cmd/cli/help_topics.h"
#include "lib/memory/memory.h"
#include "lib/simulator/spec.h"
#include "lib/verbs/verbs.h"

const struct help_topic topic_memory = { "memory",
					 "where memory comes from (--memory)",
					 { { "Memory kinds", mr_memory_kinds } } };
const struct help_topic topic_dmabuf = { "dmabuf",
					 "where dma-bufs come from (--from, --dmabuf)",
					 { { "Dma-buf sources", mr_dmabuf_sources } } };
const struct help_topic topic_access = {
	"access",
	"access flags (--access)",
	{ { "Access flags (also none, a number, or as C has them: IBV_ACCESS_...)",
	    mr_access_flags } }
};
const struct help_topic topic_advice = { "advice",
					 "advice about on-demand regions (--advise)",
					 { { "Advice (also a number, and flags as a number)",
					     mr_advice_words } } };
const struct help_topic topic_checks = { "checks",
					 "checks of stat --host (--only, --ignore)",
					 { { "Checks, and the verdicts that each can have",
					     NULL } } };
const struct help_topic topic_causes = { "causes",
					 "causes of refusals (explain, --expect)",
					 { { "Causes, with the errnos that each can have",
					     NULL } } };
const struct help_topic topic_columns = { "columns",
					  "columns [COMMAND]: what --output can print",
					  { { NULL, NULL } } };
const struct help_topic topic_sim = {
	"simulator",
	"devices, kernels and faults of mrctl sim",
	{ { "Profiles", mr_sim_profiles },
	  { "Kernels", mr_sim_kernels },
	  { "Calls (CALL@N is the Nth of a process; without @N, each)", mr_sim_calls },
	  { "Actions", mr_sim_actions } }
};

const struct help_topic *const help_topics[] = { &topic_memory,  &topic_dmabuf, &topic_access,
						 &topic_advice,  &topic_checks, &topic_causes,
						 &topic_columns, &topic_sim,    NULL };
