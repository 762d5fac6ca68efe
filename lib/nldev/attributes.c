// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <string.h>

#include "lib/nldev/attributes.h"

struct mr_opt_u64 mr_attribute_number(const struct nlattr *attribute)
{
	struct mr_opt_u64 number = { 0, true };
	uint32_t middle;
	uint8_t small;

	switch (mnl_attr_get_payload_len(attribute)) {
	case sizeof(small):
		memcpy(&small, mnl_attr_get_payload(attribute), sizeof(small));
		number.value = small;
		break;
	case sizeof(middle):
		memcpy(&middle, mnl_attr_get_payload(attribute), sizeof(middle));
		number.value = middle;
		break;
	case sizeof(number.value):
		memcpy(&number.value, mnl_attr_get_payload(attribute), sizeof(number.value));
		break;
	default:
		number.known = false;
	}
	return number;
}

bool mr_attribute_u32(const struct nlattr *attribute, uint32_t *value)
{
	if (mnl_attr_get_payload_len(attribute) != sizeof(*value))
		return false;
	memcpy(value, mnl_attr_get_payload(attribute), sizeof(*value));
	return true;
}

void mr_attribute_text(const struct nlattr *attribute, char *text, size_t size)
{
	size_t length =
		strnlen(mnl_attr_get_payload(attribute), mnl_attr_get_payload_len(attribute));

	length = length < size ? length : size - 1;
	memcpy(text, mnl_attr_get_payload(attribute), length);
	text[length] = '\0';
}

bool mr_attribute_is(const struct nlattr *attribute, const char *word)
{
	size_t length =
		strnlen(mnl_attr_get_payload(attribute), mnl_attr_get_payload_len(attribute));

	return length == strlen(word) && !memcmp(mnl_attr_get_payload(attribute), word, length);
}
