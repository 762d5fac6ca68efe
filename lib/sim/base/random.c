// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <sys/random.h>
#include <unistd.h>

#include "lib/sim/base/random.h"

uint64_t sim_random(void)
{
	uint64_t number = 0;

	if (getrandom(&number, sizeof(number), 0) != sizeof(number) || !number)
		number = (uint64_t)getpid();
	return number;
}
