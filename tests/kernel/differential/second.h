/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A second process, which makes some of the calls: it has the same context and memory of its own. */
#ifndef TESTS_KERNEL_DIFFERENTIAL_SECOND_H
#define TESTS_KERNEL_DIFFERENTIAL_SECOND_H

#include <stdbool.h>
#include <stdint.h>

/** State that all calls share. */
struct game {
	const char *node, *files, *device;
	const char
		*group; /**< folder of the control group of all processes; "" for the simulator */
	uint64_t seed;
	unsigned long count;
	bool is_simulated, has_dmabuf;
};

/** second_is_drawn() - whether the second process makes the next call */
bool second_is_drawn(void);

/** second_call() - have the second process make a call; it may be forked for it, and end: 0, or -1 and errno */
int second_call(const struct game *game, unsigned long i);

/** second_end() - end the second process, if there is one */
void second_end(void);

#endif
