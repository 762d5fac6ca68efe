// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/trace/agent/channel.h"
#include "lib/trace/agent/environment.h"
#include "lib/trace/wire/handover.h"

/* A variable that is a list, of which one item is ours. */
struct list_variable {
	const char *name, *separators;
	const char *library; /* whose path the item is; NULL: the item has a name and a value */
	char item[PATH_MAX]; /* "": this program has it not */
};

static struct list_variable lists[] = {
	{ "LD_PRELOAD", " :", MR_TRACE_AGENT, "" },
	{ "LD_AUDIT", ":", MR_TRACE_AUDIT, "" },
	{ "ASAN_OPTIONS", ":, ", NULL, MR_TRACE_ASAN_OPTION },
	{ "GLIBC_TUNABLES", ":", NULL, MR_TRACE_TUNABLE },
};
enum { LISTS = sizeof(lists) / sizeof(lists[0]) };

/* Whether an item is the path of a library of that name. */
static bool is_path_of(const char *item, size_t length, const char *library)
{
	const size_t size = strlen(library);

	return length > size && item[length - size - 1] == '/' &&
	       !strncmp(item + length - size, library, size);
}

/* Whether an item has the same name: what the user has set stays, whatever its value. */
static bool has_name_of(const char *item, const char *ours)
{
	const size_t length = strcspn(ours, "=");

	return !strncmp(item, ours, length) && item[length] == '=';
}

/* Ours among the items of a list, with its length; NULL: it is not there. */
static const char *find_item(const char *value, const struct list_variable *list, size_t *length)
{
	for (; *value; value += *value != '\0') {
		*length = strcspn(value, list->separators);
		if (list->library ? is_path_of(value, *length, list->library)
				  : has_name_of(value, list->item))
			return value;
		value += *length;
	}
	return NULL;
}

void environment_remember(void)
{
	for (size_t i = 0; i < LISTS; i++) {
		const char *value = lists[i].library ? getenv(lists[i].name) : NULL;
		size_t length = 0;
		const char *item = value ? find_item(value, &lists[i], &length) : NULL;

		if (item && length < sizeof(lists[i].item))
			memcpy(lists[i].item, item, length);
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

	return *list->item && !(value && find_item(value, list, &length));
}

bool environment_is_of_other(char *const *env)
{
	size_t index;
	const char *value = value_of(env, MR_TRACE_VARIABLE, &index);

	return value && strcmp(value, channel_variable() + sizeof(MR_TRACE_VARIABLE)) != 0;
}

size_t environment_size(char *const *env)
{
	size_t count = 0;
	bool complete;

	if (!*channel_variable() || environment_is_of_other(env))
		return 0;
	complete = value_of(env, MR_TRACE_VARIABLE, &count);
	for (size_t i = 0; i < LISTS && complete; i++)
		complete = !lacks(env, &lists[i]);
	if (complete)
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
				 lists[i].item, value && *value ? ":" : "", value ? value : "");
		if (length < 0 || (size_t)length >= ENVIRONMENT_BYTES - used)
			continue; /* a list of that length was none of ours */
		count = put(to, count, value ? index : count, texts + used);
		used += (size_t)length + 1;
	}
	to[count] = NULL;
}
