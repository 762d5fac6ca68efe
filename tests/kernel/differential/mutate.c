// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>

#include "tests/kernel/differential/draw.h"
#include "tests/kernel/differential/mutate.h"

uint16_t driver;
struct buffers buffers;

/* Bytes that the next send_mutated() adds to the length in the header. */
static int16_t extra_length;

static bool is_in(const void *start, size_t size, uint64_t address)
{
	return address - (uintptr_t)start < size;
}

static bool is_in_pointer(const struct ib_uverbs_attr *attr)
{
	return is_in(buffers.in, sizeof(buffers.in), attr->data);
}

static bool is_out_pointer(const struct ib_uverbs_attr *attr)
{
	return is_in(buffers.out, sizeof(buffers.out), attr->data);
}

/*
 * Values of up to 8 bytes stand in the attribute itself, longer ones behind a pointer.  Where the new length
 * turns one into the other, the data must follow: else a number would be read as an address, and the answer
 * would differ from machine to machine.
 */
static void change_length(struct ib_uverbs_attr *attr, char *text, size_t size)
{
	static const uint16_t lengths[] = { 0,  1,  2,  3,  4,  5,  7,  8,  9,
					    12, 16, 20, 24, 32, 40, 64, 128 };
	const bool inlined = attr->len <= sizeof(attr->data);
	const uint16_t length = PICK(lengths);
	const char *tail = "";
	uint8_t *in;

	if (is_in_pointer(attr) && length <= sizeof(attr->data)) {
		attr->data = 0;
	} else if (is_in_pointer(attr) && length > attr->len && chance(40)) {
		in = (uint8_t *)(uintptr_t)attr->data;
		memset(in + attr->len, 0xff, (size_t)(length - attr->len));
		tail = ", not of zeros";
	} else if (inlined && !is_out_pointer(attr) && length > sizeof(attr->data)) {
		in = buffers.in[3];
		memcpy(in, &attr->data, sizeof(attr->data));
		attr->data = (uintptr_t)in;
	}
	snprintf(text, size, "length %u instead of %u of %#x%s", length, attr->len, attr->attr_id,
		 tail);
	attr->len = length;
}

static void change_pointer(struct ib_uverbs_attr *attr, char *text, size_t size)
{
	if (!is_in_pointer(attr) && !is_out_pointer(attr)) {
		snprintf(text, size, "no change of %#x", attr->attr_id);
		return;
	}
	attr->data = chance(50) ? 0 : 16;
	snprintf(text, size, "pointer %llu in %#x", (unsigned long long)attr->data, attr->attr_id);
}

static void change_header(struct request *request, char *text, size_t size)
{
	static const int16_t lengths[] = { -16, 16, 1, -8, 32000 };
	static const uint16_t drivers[] = { RDMA_DRIVER_UNKNOWN, RDMA_DRIVER_MLX4,
					    RDMA_DRIVER_SIW };

	switch (draw(4)) {
	case 0:
		request->hdr.reserved1 = 1;
		snprintf(text, size, "reserved1");
		break;
	case 1:
		request->hdr.reserved2 = 1;
		snprintf(text, size, "reserved2");
		break;
	case 2:
		extra_length = PICK(lengths);
		snprintf(text, size, "header longer by %d", extra_length);
		break;
	default:
		request->hdr.driver_id = PICK(drivers);
		snprintf(text, size, "driver %u", request->hdr.driver_id);
	}
}

static void reverse(struct request *request)
{
	struct ib_uverbs_attr *low = request->attrs, *high = low + request->hdr.num_attrs, saved;

	while (low < --high) {
		saved = *low;
		*low++ = *high;
		*high = saved;
	}
}

static void drop(struct request *request, size_t i)
{
	memmove(&request->attrs[i], &request->attrs[i + 1],
		(MAX_ATTRS - i - 1) * sizeof(request->attrs[0]));
	request->hdr.num_attrs--;
}

void mutate(struct request *request, char *text, size_t size)
{
	static const uint16_t unknown[] = { 0x20,   0x7f,   0xfff,  0x1010,
					    0x10ff, 0x2000, 0x2001, 0xffff };
	static const uint16_t flags[] = { 0, 2, 4, 0xffff };
	const size_t i = draw(request->hdr.num_attrs);
	struct ib_uverbs_attr *chosen = &request->attrs[i], *added;
	const bool has_room = request->hdr.num_attrs < MAX_ATTRS;

	switch (draw(10)) {
	case 0:
		snprintf(text, size, "without %#x", chosen->attr_id);
		drop(request, i);
		break;
	case 1:
		if (has_room)
			request->attrs[request->hdr.num_attrs++] = *chosen;
		snprintf(text, size, "%#x twice", chosen->attr_id);
		break;
	case 2:
	case 3:
		if (!has_room) {
			snprintf(text, size, "no room");
			break;
		}
		added = attr(request, PICK(unknown), chance(50) ? 0 : 8, 0);
		added->flags = chance(50) ? UVERBS_ATTR_F_MANDATORY : 0;
		snprintf(text, size, "with %#x flags %u", added->attr_id, added->flags);
		break;
	case 4:
		chosen->attr_data.reserved = chance(50) ? 1 : 0x100;
		snprintf(text, size, "reserved %#x in %#x", chosen->attr_data.reserved,
			 chosen->attr_id);
		break;
	case 5:
		chosen->flags = PICK(flags);
		snprintf(text, size, "flags %#x in %#x", chosen->flags, chosen->attr_id);
		break;
	case 6:
		change_header(request, text, size);
		break;
	case 7:
		reverse(request);
		snprintf(text, size, "reversed");
		break;
	case 8:
		change_pointer(chosen, text, size);
		break;
	default:
		change_length(chosen, text, size);
	}
}

int send_mutated(struct request *request, int fd)
{
	request->hdr.length = (uint16_t)(sizeof(request->hdr) +
					 request->hdr.num_attrs * sizeof(request->attrs[0]));
	request->hdr.length = (uint16_t)(request->hdr.length + extra_length);
	extra_length = 0;
	return send_as(request, fd);
}
