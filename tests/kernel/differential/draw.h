/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Random numbers that are the same on every machine: those of a call follow from the seed and its number. */
#ifndef TESTS_KERNEL_DIFFERENTIAL_DRAW_H
#define TESTS_KERNEL_DIFFERENTIAL_DRAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** draw_seed() - begin the random numbers of call @number */
void draw_seed(uint64_t seed, uint64_t number);

/** draw_bits() - 64 random bits */
uint64_t draw_bits(void);

/** draw() - a number below @limit, which is not 0 */
uint32_t draw(uint32_t limit);

/** chance() - true in @percent of a hundred cases */
bool chance(uint32_t percent);

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define PICK(array)  ((array)[draw((uint32_t)COUNT(array))])

#endif
