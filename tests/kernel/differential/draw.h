/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Random numbers that are the same everywhere: each call has its own, from the seed and its number. */
#ifndef DRAW_H
#define DRAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** draw_seed() - begin the numbers of call @number */
void draw_seed(uint64_t seed, uint64_t number);

/** draw_bits() - 64 random bits */
uint64_t draw_bits(void);

/** draw() - a number below @limit, which is not 0 */
uint32_t draw(uint32_t limit);

/** chance() - true in so many of a hundred times */
bool chance(uint32_t percent);

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define PICK(array)  ((array)[draw((uint32_t)COUNT(array))])

#endif
