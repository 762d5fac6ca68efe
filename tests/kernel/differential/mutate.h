/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Requests that no library would send. */
#ifndef MUTATE_H
#define MUTATE_H

#include <stddef.h>
#include <stdint.h>

struct request;

/** The driver that requests are for: enum rdma_driver_id. */
extern uint16_t driver;
#define DRIVER_ID driver
#include "tests/unit/lib/sim/request.h"

#define BUFFER 512 /* room behind each pointer, so that lengths can be wrong */

/** Where pointers of requests point to. */
extern struct buffers {
	uint8_t in[4][BUFFER];
	uint8_t out[6][BUFFER];
} buffers;

/**
 * mutate() - make a request wrong, or unusual
 * @text: gets what was done
 */
void mutate(struct request *request, char *text, size_t size);

/** send_mutated() - as send_to(), with the header that was chosen */
int send_mutated(struct request *request, int fd);

#endif
