/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The objects of a traced process, found by their pointers.  Two of its calls in three ask for one. */
#ifndef LIB_TRACE_OBJECTS_H
#define LIB_TRACE_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/trace/look.h"
#include "lib/trace/wire/wire.h"

struct mr_ledger;
struct mr_site;

/** An object of the program, by its pointer.  A pointer is used again once its object is freed. */
struct mr_object {
	uint64_t pointer;
	uint64_t context; /**< of the device that it is on */
	char device[MR_TRACE_DEVICE];
	uint32_t lkey;  /**< of a region */
	uint64_t pd;    /**< of a region */
	uint64_t dm;    /**< of a region: memory on the device that it is on */
	bool is_region; /**< else a protection domain, or memory on the device */
	uint64_t bytes;
	struct mr_ledger *ledger; /**< that it is in */
	struct mr_site *site;
	struct mr_look_region region;
	struct mr_object *next; /**< of the same bucket, or free as well */
};

struct mr_object_block;

/** All zeros: there is none. */
struct mr_objects {
	struct mr_object **buckets;
	struct mr_object_block *blocks; /**< memory of all objects */
	struct mr_object *free;         /**< those that are not in use */
	uint64_t
		factor; /**< by which a pointer leads to its bucket: random, as the program chooses the pointers */
	size_t count;
	unsigned int bits; /**< there are 1 << bits buckets */
};

/** mr_objects_find() - the object with that pointer, or NULL */
struct mr_object *mr_objects_find(const struct mr_objects *objects, uint64_t pointer);

/**
 * mr_objects_add() - add an object
 * @pointer: its own, which no other one has; all else is left to the caller to set
 *
 * Return: NULL where memory is short.
 */
struct mr_object *mr_objects_add(struct mr_objects *objects, uint64_t pointer);

/** mr_objects_remove() - remove one of them */
void mr_objects_remove(struct mr_objects *objects, struct mr_object *object);

/** mr_objects_visit() - call @visit with each of them */
void mr_objects_visit(const struct mr_objects *objects,
		      void (*visit)(const struct mr_object *object, void *data), void *data);

/** mr_objects_release() - free all: there is none then */
void mr_objects_release(struct mr_objects *objects);

#endif
