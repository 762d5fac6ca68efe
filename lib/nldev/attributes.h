/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Attributes of netlink messages.  The caller has found the attribute within the message, as libmnl's loops do. */
#ifndef LIB_NLDEV_ATTRIBUTES_H
#define LIB_NLDEV_ATTRIBUTES_H

#include <libmnl/libmnl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/base.h"

/** MR_EACH_ATTRIBUTE() - loop over the attributes of a message, as far as they lie within it */
#define MR_EACH_ATTRIBUTE(attribute, message)                                                      \
	MR_EACH_ATTRIBUTE_OF(attribute, mnl_nlmsg_get_payload(message),                            \
			     mnl_nlmsg_get_payload_tail(message))

/** MR_EACH_NESTED() - loop over the attributes that are nested in another */
#define MR_EACH_NESTED(attribute, table)                                                           \
	MR_EACH_ATTRIBUTE_OF(attribute, mnl_attr_get_payload(table),                               \
			     (const char *)mnl_attr_get_payload(table) +                           \
				     mnl_attr_get_payload_len(table))

#define MR_EACH_ATTRIBUTE_OF(attribute, begin, end)                                                \
	for ((attribute) = (begin);                                                                \
	     mnl_attr_ok(attribute, (int)((const char *)(end) - (const char *)(attribute)));       \
	     (attribute) = mnl_attr_next(attribute))

/** mr_attribute_number() - its value, where it is as long as a u8, u32 or u64; else unknown */
struct mr_opt_u64 mr_attribute_number(const struct nlattr *attribute);

/** mr_attribute_u32() - its value where it is a u32; false: it is not, and @value is left alone */
bool mr_attribute_u32(const struct nlattr *attribute, uint32_t *value);

/** mr_attribute_text() - copy its text, cut to @size - 1 bytes */
void mr_attribute_text(const struct nlattr *attribute, char *text, size_t size);

/** mr_attribute_is() - whether its text is @word */
bool mr_attribute_is(const struct nlattr *attribute, const char *word);

#endif
