// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>
#include <string.h>

#include "lib/host/processor.h"

/* "model name" of x86, "Processor" of old ARM; other ARMs tell numbers only, which say nothing to people. */
static bool take_model(const char *line, void *data)
{
	static const char *const names[] = { "model name", "Processor", "cpu", NULL };
	struct mr_processor *processor = data;
	const char *colon = strchr(line, ':');

	for (size_t i = 0; colon && names[i] && !processor->model[0]; i++) {
		const size_t length = strlen(names[i]);

		if (strncmp(line, names[i], length) != 0 ||
		    line + length + strspn(line + length, " \t") != colon)
			continue;
		snprintf(processor->model, sizeof(processor->model), "%s",
			 colon + 1 + strspn(colon + 1, " \t"));
		return true;
	}
	return false;
}

/* A text that fills the room may have been cut. */
static void read_text(struct mr_host *host, char *text, size_t size, const char *path)
{
	if (!mr_host_line(host, text, size, "%s", path) || strlen(text) == size - 1)
		text[0] = '\0';
}

void mr_processor_read(struct mr_host *host, struct mr_processor *processor)
{
	*processor = (struct mr_processor){ .model = "" };
	mr_host_lines(host, "/proc/cpuinfo", take_model, processor);
	read_text(host, processor->governor, sizeof(processor->governor),
		  "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
	read_text(host, processor->clock, sizeof(processor->clock),
		  "/sys/devices/system/clocksource/clocksource0/current_clocksource");
	read_text(host, processor->online, sizeof(processor->online),
		  "/sys/devices/system/cpu/online");
	read_text(host, processor->nodes, sizeof(processor->nodes),
		  "/sys/devices/system/node/has_memory");
}
