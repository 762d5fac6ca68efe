// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "lib/base/base.h"
#include "lib/verbs/dmah_hints.h"

const struct mr_word mr_dmah_memories[MR_DMAH_MEMORIES + 1] = {
	[MR_DMAH_NO_CPU] = MR_WORD("", "no steering tag"),
	[MR_DMAH_VOLATILE] = MR_WORD("volatile", "memory that loses its contents with the power"),
	[MR_DMAH_PERSISTENT] = MR_WORD("persistent", "memory that keeps them"),
	[MR_DMAH_MEMORIES] = MR_WORD(NULL, NULL),
};

enum part { PART_CPU, PART_MEMORY, PART_PH, PARTS };

static const struct mr_word parts[PARTS + 1] = {
	[PART_CPU] = MR_WORD("cpu", "number of a CPU"),
	[PART_MEMORY] = MR_WORD("mem", "kind of memory"),
	[PART_PH] = MR_WORD("ph", "processing hint"),
	[PARTS] = MR_WORD(NULL, NULL),
};

static int read_number(enum part part, const char *value, size_t length, uint64_t max,
		       uint64_t *number, struct mr_error *err)
{
	int rc = mr_parse_u64_item(value, length, max, number, err);

	if (!rc)
		return 0;
	return rc == -ERANGE
		       ? mr_fail_text(err, MR_ERROR_USAGE, ERANGE,
				      "%s: '%.*s' is too large: give 0 to %" PRIu64,
				      parts[part].name, (int)length, value, max)
		       : mr_fail_text(err, MR_ERROR_USAGE, EINVAL, "%s: '%.*s' is not a number",
				      parts[part].name, (int)length, value);
}

static int read_memory(const char *value, size_t length, uint8_t *memory, struct mr_error *err)
{
	const struct mr_word *words = mr_dmah_memories + 1;
	const int found = mr_word_find(words, value, length);

	if (found < 0)
		return mr_fail_word(err, "kind of memory", value, length, words, sizeof(*words));
	*memory = (uint8_t)(found + 1);
	return 0;
}

static int read_part(enum part part, const char *value, size_t length, struct mr_dmah_hints *hints,
		     struct mr_error *err)
{
	uint64_t number = 0;
	int rc;

	if (part == PART_MEMORY)
		return read_memory(value, length, &hints->memory, err);
	rc = read_number(part, value, length, part == PART_CPU ? UINT32_MAX : MR_DMAH_PH_MAX,
			 &number, err);
	if (part == PART_CPU)
		hints->cpu = (uint32_t)number;
	else
		hints->ph = (uint8_t)number;
	return rc;
}

static int fail_form(const char *item, size_t length, struct mr_error *err)
{
	return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
			    "'%.*s' is not of the form cpu=N, mem=volatile|persistent or ph=N",
			    (int)length, item);
}

static int read_item(const char *item, size_t length, struct mr_dmah_hints *hints,
		     unsigned int *given, struct mr_error *err)
{
	const char *equals = memchr(item, '=', length);
	const size_t name = equals ? (size_t)(equals - item) : length;
	const int part = equals ? mr_word_find(parts, item, name) : -1;

	if (part < 0)
		return fail_form(item, length, err);
	if (*given & 1u << part)
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL, "%s is given twice",
				    parts[part].name);
	*given |= 1u << part;
	return read_part((enum part)part, equals + 1, length - name - 1, hints, err);
}

static int check_given(unsigned int given, struct mr_error *err)
{
	const bool cpu = given & 1u << PART_CPU, memory = given & 1u << PART_MEMORY;

	if (cpu != memory)
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				    "%s is given without %s: a steering tag needs both",
				    cpu ? "cpu" : "mem", cpu ? "mem" : "cpu");
	if (!(given & 1u << PART_PH))
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				    "ph=N is missing: a DMA handle has a processing hint, 0 to %d",
				    MR_DMAH_PH_MAX);
	return 0;
}

int mr_dmah_parse(const char *text, struct mr_dmah_hints *hints, struct mr_error *err)
{
	struct mr_dmah_hints read = { .memory = MR_DMAH_NO_CPU };
	const char *rest = text, *item;
	unsigned int given = 0;
	size_t length;
	int rc = 0;

	while (!rc && (item = mr_list_item(&rest, ",", &length)))
		rc = read_item(item, length, &read, &given, err);
	if (!rc)
		rc = check_given(given, err);
	if (!rc)
		*hints = read;
	return rc;
}
