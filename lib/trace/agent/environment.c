// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/trace/agent/channel.h"
#include "lib/trace/agent/environment.h"
#include "lib/trace/wire/handover.h"

/* A variable of ld.so(8) with a list of libraries, of which one is ours. */
struct list_variable {
	const char *name, *library;
	char path[PATH_MAX]; /* of ours; "" where this program has it not */
};

static struct list_variable lists[] = {
	{ .name = "LD_PRELOAD", .library = MR_TRACE_AGENT },
	{ .name = "LD_AUDIT", .library = MR_TRACE_AUDIT },
};
enum { LISTS = sizeof(lists) / sizeof(lists[0]) };

/* The item of a list that is a library, with its length; NULL: none is. */
static const char *find_item(const char *list, const char *library, size_t *length)
{
	const size_t size = strlen(library);

	for (; *list; list += *list != '\0') {
		*length = strcspn(list, " :");
		if (*length > size && list[*length - size - 1] == '/' &&
		    !strncmp(list + *length - size, library, size))
			return list;
		list += *length;
	}
	return NULL;
}

void environment_remember(void)
{
	for (size_t i = 0; i < LISTS; i++) {
		const char *value = getenv(lists[i].name);
		size_t length = 0;
		const char *item = value ? find_item(value, lists[i].library, &length) : NULL;

		if (item && length < sizeof(lists[i].path))
			memcpy(lists[i].path, item, length);
	}
}

/* The value of a variable, or NULL; @index: set to its place. */
static const char *value_of(char *const *env, const char *name, size_t *index)
{
	const size_t length = strlen(name);

	for (*index = 0; env[*index]; ++*index)
		if (!strncmp(env[*index], name, length) && env[*index][length] == '=')
			return env[*index] + length + 1;
	return NULL;
}

static bool lacks(char *const *env, const struct list_variable *list)
{
	size_t index, length;
	const char *value = value_of(env, list->name, &index);

	return *list->path && !(value && find_item(value, list->library, &length));
}

size_t environment_size(char *const *env)
{
	size_t count = 0;
	const char *value;

	if (!*channel_variable())
		return 0;
	value = value_of(env, MR_TRACE_VARIABLE, &count);
	if (value && !lacks(env, &lists[0]) && !lacks(env, &lists[1]))
		return 0;
	while (env[count])
		count++;
	return count + ENVIRONMENT_ADDED;
}

/* Put a variable in the place of an older one, or at the end. */
static size_t put(const char **to, size_t count, size_t index, const char *text)
{
	to[index] = text;
	return index == count ? count + 1 : count;
}

void environment_complete(char *const *env, const char **to, char *texts)
{
	size_t count = 0, used = 0, index;

	for (; env[count]; count++)
		to[count] = env[count];
	if (!value_of(env, MR_TRACE_VARIABLE, &index))
		count = put(to, count, count, channel_variable());
	for (size_t i = 0; i < LISTS; i++) {
		const char *value = value_of(env, lists[i].name, &index);
		int length;

		if (!lacks(env, &lists[i]))
			continue;
		length =
			snprintf(texts + used, ENVIRONMENT_BYTES - used, "%s=%s%s%s", lists[i].name,
				 lists[i].path, value && *value ? ":" : "", value ? value : "");
		if (length < 0 || (size_t)length >= ENVIRONMENT_BYTES - used)
			continue; /* a list of that length was none of ours */
		count = put(to, count, value ? index : count, texts + used);
		used += (size_t)length + 1;
	}
	to[count] = NULL;
}
