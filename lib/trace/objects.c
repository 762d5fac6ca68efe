// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdlib.h>
#include <sys/random.h>

#include "lib/base/base.h"
#include "lib/trace/trace.h"

#define FIRST_BITS 6

/* Objects come and go as fast as a program registers: taken one by one from malloc() they would cost twice as much. */
struct mr_object_block {
	struct mr_object_block *next;
	struct mr_object objects[64];
};

static struct mr_object **bucket_of(const struct mr_objects *objects, uint64_t pointer)
{
	return &objects->buckets[pointer * objects->factor >> (64 - objects->bits)];
}

struct mr_object *mr_objects_find(const struct mr_objects *objects, uint64_t pointer)
{
	struct mr_object *object = objects->buckets ? *bucket_of(objects, pointer) : NULL;

	while (object && object->pointer != pointer)
		object = object->next;
	return object;
}

static void link_object(struct mr_objects *objects, struct mr_object *object)
{
	struct mr_object **bucket = bucket_of(objects, object->pointer);

	object->next = *bucket;
	*bucket = object;
}

/* Return: false where memory is short; the objects stay in the buckets that there are. */
static bool set_bits(struct mr_objects *objects, unsigned int bits)
{
	const struct mr_objects before = *objects;
	struct mr_object *object, *next;

	objects->buckets = calloc((size_t)1 << bits, sizeof(*objects->buckets));
	if (!objects->buckets) {
		objects->buckets = before.buckets;
		return false;
	}
	objects->bits = bits;
	for (size_t i = 0; before.buckets && i < (size_t)1 << before.bits; i++) {
		for (object = before.buckets[i]; object; object = next) {
			next = object->next;
			link_object(objects, object);
		}
	}
	free(before.buckets);
	return true;
}

static uint64_t random_factor(void)
{
	uint64_t factor;

	if (getrandom(&factor, sizeof(factor), GRND_NONBLOCK) != sizeof(factor))
		factor = mr_now_ns() * UINT64_C(0x9e3779b97f4a7c15);
	return factor | 1;
}

static bool add_block(struct mr_objects *objects)
{
	struct mr_object_block *block = malloc(sizeof(*block));

	if (!block)
		return false;
	block->next = objects->blocks;
	objects->blocks = block;
	for (size_t i = 0; i < sizeof(block->objects) / sizeof(*block->objects); i++) {
		block->objects[i].next = objects->free;
		objects->free = &block->objects[i];
	}
	return true;
}

struct mr_object *mr_objects_add(struct mr_objects *objects, uint64_t pointer)
{
	struct mr_object *object;

	if (!objects->factor)
		objects->factor = random_factor();
	if ((!objects->buckets && !set_bits(objects, FIRST_BITS)) ||
	    (!objects->free && !add_block(objects)))
		return NULL;
	/* Where there is no memory for more buckets the chains become longer, and that is all. */
	if (objects->count >> objects->bits)
		set_bits(objects, objects->bits + 1);
	object = objects->free;
	objects->free = object->next;
	object->pointer = pointer;
	link_object(objects, object);
	objects->count++;
	return object;
}

void mr_objects_remove(struct mr_objects *objects, struct mr_object *object)
{
	struct mr_object **link = bucket_of(objects, object->pointer);

	while (*link != object)
		link = &(*link)->next;
	*link = object->next;
	object->next = objects->free;
	objects->free = object;
	objects->count--;
}

void mr_objects_visit(const struct mr_objects *objects,
		      void (*visit)(const struct mr_object *object, void *data), void *data)
{
	for (size_t i = 0; objects->buckets && i < (size_t)1 << objects->bits; i++)
		for (const struct mr_object *at = objects->buckets[i]; at; at = at->next)
			visit(at, data);
}

void mr_objects_release(struct mr_objects *objects)
{
	struct mr_object_block *block, *next;

	for (block = objects->blocks; block; block = next) {
		next = block->next;
		free(block);
	}
	free(objects->buckets);
	*objects = (struct mr_objects){ .factor = objects->factor };
}
