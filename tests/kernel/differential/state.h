/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* State that the calls of an episode share: the device, its objects, the request and the line of output. */
#ifndef TESTS_KERNEL_DIFFERENTIAL_STATE_H
#define TESTS_KERNEL_DIFFERENTIAL_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/kernel/differential/arena.h"
#include "tests/kernel/differential/keys.h"
#include "tests/kernel/differential/mutate.h"

#define OBJECTS_MAX 24 /* objects of a type that live at once */

enum type { PD, MR, UMEM, DM, DMAH, TYPES };

/** The objects of a type. */
struct objects {
	uint32_t handle[OBJECTS_MAX];
	uint32_t key[OBJECTS_MAX]; /**< MR: its lkey; DM: the page of the device where it begins */
	uint64_t iova[OBJECTS_MAX];
	uint32_t access[OBJECTS_MAX];     /**< MR: its access flags */
	uint64_t key_blocks[OBJECTS_MAX]; /**< MR: for which it got its key */
	/** MR: whether it is on demand; on mlx5 also whether a failed change may have made it so */
	bool on_demand[OBJECTS_MAX];
	uint32_t
		stale[OBJECTS_MAX]; /**< handles that were destroyed; others may have them by now */
	uint32_t count, stale_count;
};

struct state {
	int fd; /**< the uverbs device, opened anew for each episode */
	bool is_mlx5;
	unsigned int kernel; /**< 612 for Linux 6.12 */
	struct objects objects[TYPES];
	struct freed_keys freed;
	uint32_t ids[FREED_MAX], id_count; /**< of umems, freed or not */
	char line[1024];                   /**< the output of this call, of @length bytes */
	size_t length;
	struct request request;
};

extern struct state state;

/** line_add() - add to the line of output, which is cut where it is full */
void line_add(const char *format, ...) __attribute__((format(printf, 1, 2)));

/**
 * send_request() - send state.request, one in eight made wrong first, and print the result
 *
 * Return: whether the kernel accepted it.
 */
bool send_request(void);

/**
 * add_object() - note an object that was made; beyond OBJECTS_MAX it is left out
 * @key: see struct objects
 * @range: where an MR is, or NULL
 * @access: the access flags of an MR, else 0
 */
void add_object(enum type type, uint32_t handle, uint32_t key, const struct range *range,
		uint32_t access);

/** add_mr() - note an MR that was made, and print its handle and what kind of keys it got */
void add_mr(uint32_t handle, uint32_t lkey, uint32_t rkey, const struct range *range,
	    uint32_t access);

/** forget_object() - note that an object was destroyed */
void forget_object(enum type type, uint32_t handle);

/** is_full() - whether there are OBJECTS_MAX of a type */
bool is_full(enum type type);

/** find_mr() - the index of an MR in state.objects[MR], or OBJECTS_MAX */
uint32_t find_mr(uint32_t handle);

/** mr_key() - the lkey of an MR, or 0 where there is no such MR */
uint32_t mr_key(uint32_t handle);

/** change_key() - note the key that an MR has after a change: a word of describe_key() or key_take()
 * @i: its index in state.objects[MR]
 * @blocks: of its memory
 */
const char *change_key(uint32_t i, uint32_t key, uint64_t blocks);

/** describe_key() - a key in words; numbers of keys differ from machine to machine
 * @before: the key that the MR had until now, or 0
 *
 * Return: "0", "same" (as before), "another's" (another MR has it) or "new".
 */
const char *describe_key(uint32_t key, uint32_t before);

/** draw_handle() - a handle: mostly of an object of this type, else of another, a stale or a made-up one */
uint32_t draw_handle(enum type type);

/** draw_access() - access flags, mostly such as are legal together */
uint32_t draw_access(void);

/** is_on_demand() - whether access flags ask for on-demand paging */
bool is_on_demand(uint32_t access);

/** in_buffer() - a buffer that a request can point to; @i: below 3, mutate() uses the last */
void *in_buffer(unsigned int i);

/** out_buffer() - a buffer for an answer; @i: below 6 */
void *out_buffer(unsigned int i);

/** init_command() - make state.request one of the older commands, IB_USER_VERBS_CMD_… */
void init_command(uint64_t command, const void *request, size_t in_size, size_t out_size);

/** attr_value() - the value of an attribute of state.request, wherever mutate() moved it; or UINT64_MAX */
uint64_t attr_value(uint16_t id);

#endif
