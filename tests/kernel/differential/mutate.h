/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Requests that no library would send. */
#ifndef TESTS_KERNEL_DIFFERENTIAL_MUTATE_H
#define TESTS_KERNEL_DIFFERENTIAL_MUTATE_H

#include <stddef.h>
#include <stdint.h>

struct request;

/** The driver that requests are for (enum rdma_driver_id): request.h reads it as DRIVER_ID. */
extern uint16_t driver;
#define DRIVER_ID driver
#include "tests/unit/lib/sim/request.h"

#define BUFFER 512 /* bytes; more than any request needs, so that wrong lengths stay inside */

/** The memory that the pointers of requests lead to. */
extern struct buffers {
	uint8_t in[4][BUFFER];
	uint8_t out[6][BUFFER];
} buffers;

/**
 * mutate() - make a request wrong, or unusual
 * @text: gets a description of the change, of @size bytes
 */
void mutate(struct request *request, char *text, size_t size);

/** send_mutated() - as send_to() of request.h, with the length of the header that mutate() chose */
int send_mutated(struct request *request, int fd);

#endif
