// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <string.h>

#include "cmd/bench/sweep.h"
#include "lib/base/number.h"

/* Longer words are no numbers. */
enum { ITEM_MAX = 32 };

/* How items of a list are read, and how a range goes on. */
struct sweep_style {
	const char *what;
	int (*parse)(const char *text, uint64_t *value, struct mr_error *err);
	uint64_t factor;
};

static int add(struct sweep *sweep, const char *what, uint64_t value, struct mr_error *err)
{
	if (!value)
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL, "%s: 0 makes no sense", what);
	for (size_t i = 0; i < sweep->count; i++)
		if (sweep->values[i] == value)
			return 0;
	if (sweep->count == SWEEP_MAX)
		return mr_fail_text(err, MR_ERROR_USAGE, E2BIG, "%s: at most %d values", what,
				    SWEEP_MAX);
	sweep->values[sweep->count++] = value;
	return 0;
}

/* The end of a range belongs to it, whether or not a step leads there. */
static int add_range(struct sweep *sweep, const struct sweep_style *style, uint64_t first,
		     uint64_t last, struct mr_error *err)
{
	int rc = 0;

	if (first > last)
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				    "%s: a range ends before it begins", style->what);
	for (uint64_t value = first; !rc && value < last; value *= style->factor) {
		rc = add(sweep, style->what, value, err);
		if (value > UINT64_MAX / style->factor)
			break;
	}
	return rc ? rc : add(sweep, style->what, last, err);
}

static int parse_item(const struct sweep_style *style, const char *text, size_t length,
		      uint64_t *value, struct mr_error *err)
{
	char item[ITEM_MAX];

	if (!length || length >= sizeof(item))
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				    "%s: '%.*s' is neither a number nor a range", style->what,
				    (int)(length < 64 ? length : 64), text);
	memcpy(item, text, length);
	item[length] = '\0';
	return style->parse(item, value, err);
}

static int read_item(struct sweep *sweep, const struct sweep_style *style, const char *text,
		     size_t length, struct mr_error *err)
{
	const char *dots = memmem(text, length, "..", 2);
	uint64_t first = 0, last = 0;
	int rc = parse_item(style, text, dots ? (size_t)(dots - text) : length, &first, err);

	if (rc || !dots)
		return rc ? rc : add(sweep, style->what, first, err);
	rc = parse_item(style, dots + 2, (size_t)(text + length - dots - 2), &last, err);
	return rc ? rc : add_range(sweep, style, first, last, err);
}

static int read_list(struct sweep *sweep, const struct sweep_style *style, const char *text,
		     struct mr_error *err)
{
	for (;;) {
		const size_t length = strcspn(text, ",");
		int rc = read_item(sweep, style, text, length, err);

		if (rc || !text[length])
			return rc;
		text += length + 1;
	}
}

static int read_sizes(const char *text, void *member, struct mr_error *err)
{
	static const struct sweep_style style = { "size", mr_parse_size, 4 };

	return read_list(member, &style, text, err);
}

static int parse_count(const char *text, uint64_t *value, struct mr_error *err)
{
	return mr_parse_u64(text, 4096, value, err);
}

static int read_counts(const char *text, void *member, struct mr_error *err)
{
	static const struct sweep_style style = { "number", parse_count, 2 };

	return read_list(member, &style, text, err);
}

static int read_memories(const char *text, void *member, struct mr_error *err)
{
	struct sweep_memory *list = member;
	int rc;

	for (size_t i = 0; i < list->count; i++)
		if (!strcmp(list->kinds[i].text, text))
			return 0;
	if (list->count == SWEEP_MAX)
		return mr_fail_text(err, MR_ERROR_USAGE, E2BIG, "at most %d kinds of memory",
				    SWEEP_MAX);
	rc = mr_memory_kind_parse(text, &list->kinds[list->count], err);
	list->count += !rc;
	return rc;
}

static int read_occupied(const char *text, void *member, struct mr_error *err)
{
	static const struct sweep_style numbers = { "occupied", mr_parse_size, 1 };
	struct sweep_occupied *occupied = member;
	const size_t length = strcspn(text, ",");
	int rc;

	if (!text[length])
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				    "'%s' is not N,BYTES, such as 10000,64K", text);
	rc = parse_item(&numbers, text, length, &occupied->count, err);
	if (!rc)
		rc = parse_item(&numbers, text + length + 1, strlen(text + length + 1),
				&occupied->bytes, err);
	if (!rc && (!occupied->count || !occupied->bytes || occupied->count > 100000000))
		rc = mr_fail_text(err, MR_ERROR_USAGE, ERANGE,
				  "'%s': there can be 1 to 100000000 regions of 1 byte or more",
				  text);
	return rc;
}

static int read_planned(const char *text, void *member, struct mr_error *err)
{
	struct sweep_planned *planned = member;

	planned->given = true;
	return mr_parse_size(text, &planned->bytes, err);
}

/* A whole number, perhaps with one decimal, perhaps with "%". */
static int read_percent(const char *text, void *member, struct mr_error *err)
{
	const size_t digits = strspn(text, "0123456789");
	const char *rest = text + digits;
	struct mr_opt_u64 *part = member;
	uint64_t whole = 0, tenths = 0;

	if (rest[0] == '.' && rest[1] >= '0' && rest[1] <= '9') {
		tenths = (uint64_t)(rest[1] - '0');
		rest += 2;
	}
	if (*rest == '%')
		rest++;
	if (!digits || *rest || mr_parse_u64_item(text, digits, 1000, &whole, err))
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				    "'%s' is no percentage, such as 5%% or 2.5%%", text);
	*part = (struct mr_opt_u64){ whole * 10 + tenths, true };
	return 0;
}

const struct option_type option_type_sizes = { .name = "sizes",
					       .read = read_sizes,
					       .adds_up = true };
const struct option_type option_type_counts = { .name = "counts",
						.read = read_counts,
						.adds_up = true };
const struct option_type option_type_memories = { .name = "memory",
						  .read = read_memories,
						  .adds_up = true };
const struct option_type option_type_occupied = { .name = "occupied", .read = read_occupied };
const struct option_type option_type_planned = { .name = "size", .read = read_planned };
const struct option_type option_type_percent = { .name = "percent", .read = read_percent };
