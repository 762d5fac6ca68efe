// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tests/kernel/differential/draw.h"

static uint64_t state;

/* splitmix64 */
uint64_t draw_bits(void)
{
	uint64_t z = state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

void draw_seed(uint64_t seed, uint64_t number)
{
	state = seed;
	state = draw_bits() + number;
	state = draw_bits();
}

uint32_t draw(uint32_t limit)
{
	return (uint32_t)(draw_bits() >> 32) % limit;
}

bool chance(uint32_t percent)
{
	return draw(100) < percent;
}
