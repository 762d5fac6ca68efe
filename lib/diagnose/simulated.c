// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>

#include "lib/diagnose/simulated.h"
#include "lib/host/reading.h"
#include "lib/simulator/enter.h"
#include "lib/simulator/spec.h"

static int ask_environment(void *data, char *text, size_t size)
{
	const struct mr_host *host = data;
	char profile[32];
	int rc = host->process ? mr_process_variable(host->process, MR_SIM_VARIABLE, profile,
						     sizeof(profile))
			       : mr_simulator_is_entered();

	if (rc < 0)
		return rc;
	snprintf(text, size, "%s", rc && (!host->process || profile[0]) ? "yes" : "no");
	return 0;
}

bool mr_is_simulated(struct mr_host *host)
{
	char answer[8];

	mr_host_ask(host, "simulated", ask_environment, host, answer, sizeof(answer));
	return answer[0] == 'y';
}

bool mr_kernel_has_no_say(const struct mr_question *question, struct mr_finding *finding)
{
	if (!mr_is_simulated(question->host))
		return false;
	mr_finding_set(finding, MR_VERDICT_NA, "does not count: the RDMA devices are simulated");
	return true;
}
