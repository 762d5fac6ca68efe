// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/bench/load.h"
#include "cmd/output/whole_file.h"
#include "lib/base/clean_text.h"

const char *const bench_row_keys[] = { "call",        "device",   "memory",         "size",
				       "access_bits", "via",      "state",          "threads",
				       "processes",   "occupied", "occupied_bytes", "direction",
				       NULL };

/* What figures depend on: members of "environment", then of "host". */
static const char *const of_environment[] = { "kernel",   "rdma_core", "provider",
					      "firmware", "simulated", "simulated_kernel",
					      NULL };
static const char *const of_host[] = { "cpu",          "cpus",      "governor",        "numa_nodes",
				       "clock",        "driver",    "iommu",           "thp",
				       "memory_total", "fork_safe", "huge_pages_safe", NULL };

/* A value as text; "unknown" where there is none, or no simple one. */
static const char *text_of(const struct json_node *node, const char *key,
			   char buffer[JSON_SCALAR_MAX])
{
	const char *text = json_tree_scalar(json_tree_get(node, key), buffer);

	return text ? text : "unknown";
}

/* ---- reading ---- */

static bool is_document(const struct json_node *document)
{
	const char *command = json_tree_text_of(document, "command");
	const struct json_node *rows = json_tree_get(document, "rows"), *row;

	if (!command || strcmp(command, "bench") != 0 || json_tree_kind(rows) != JSON_LIST)
		return false;
	for (row = json_tree_first(rows); row; row = json_tree_next(row))
		if (json_tree_kind(row) != JSON_OBJECT)
			return false;
	return true;
}

/* Members of another format may mean something else. */
static bool is_of_this_format(const struct json_node *document)
{
	char buffer[JSON_SCALAR_MAX];

	return !strcmp(text_of(document, "format", buffer), "1");
}

struct json_node *bench_load(const char *path, struct mr_error *err)
{
	size_t length;
	char *text = file_read(path, &length, err);
	struct json_node *document;

	if (!text) {
		err->kind = MR_ERROR_USAGE;
		return NULL;
	}
	document = json_tree_parse(text, length);
	free(text);
	if (!is_document(document))
		mr_fail_text(err, MR_ERROR_USAGE, EBADMSG, "%s is no document of 'mrctl -j bench'",
			     file_name(path));
	else if (!is_of_this_format(document))
		mr_fail_text(err, MR_ERROR_USAGE, EBADMSG,
			     "%s has another format than the documents of this version: 1",
			     file_name(path));
	else
		return document;
	json_tree_free(document);
	return NULL;
}

const char *bench_device_of(const struct json_node *document)
{
	return json_tree_text_of(json_tree_get(document, "environment"), "device");
}

bool bench_has_devices(const struct json_node *document)
{
	const struct json_node *first = json_tree_first(json_tree_get(document, "rows"));
	char l[JSON_SCALAR_MAX], r[JSON_SCALAR_MAX];

	for (const struct json_node *row = first; row; row = json_tree_next(row))
		if (strcmp(text_of(first, "device", l), text_of(row, "device", r)) != 0)
			return true;
	return false;
}

double bench_number(const struct json_node *node, const char *key)
{
	const struct json_node *member = json_tree_get(node, key);
	char buffer[JSON_SCALAR_MAX];
	const char *text =
		json_tree_kind(member) == JSON_NUMBER ? json_tree_scalar(member, buffer) : NULL;
	const double number = text ? strtod(text, NULL) : 0;

	return number > 0 && number < 1e18 ? number : 0;
}

/* ---- comparing ---- */

/* What two documents have measured on. */
struct difference {
	const char *what; /* "kernel" */
	char old[160], new[160];
};

static bool measure_the_same(const struct json_node *left, const struct json_node *right)
{
	char l[JSON_SCALAR_MAX], r[JSON_SCALAR_MAX];

	for (const char *const *key = bench_row_keys; *key; key++)
		if (strcmp(text_of(left, *key, l), text_of(right, *key, r)) != 0)
			return false;
	return true;
}

const struct json_node *bench_find_row(const struct json_node *document,
				       const struct json_node *row)
{
	const struct json_node *other = json_tree_first(json_tree_get(document, "rows"));

	while (other && !measure_the_same(other, row))
		other = json_tree_next(other);
	return other;
}

static bool differ_in(const struct json_node *old, const struct json_node *new,
		      const char *const *keys, struct difference *difference)
{
	char o[JSON_SCALAR_MAX], n[JSON_SCALAR_MAX];

	for (; *keys; keys++) {
		const char *before = text_of(old, *keys, o), *after = text_of(new, *keys, n);

		if (!strcmp(before, after))
			continue;
		difference->what = *keys;
		snprintf(difference->old, sizeof(difference->old), "%s", before);
		snprintf(difference->new, sizeof(difference->new), "%s", after);
		mr_clean_text(difference->old, sizeof(difference->old));
		mr_clean_text(difference->new, sizeof(difference->new));
		return true;
	}
	return false;
}

int bench_check_hosts(const struct json_node *old, const struct json_node *new,
		      struct mr_error *err)
{
	struct difference difference;

	if (!differ_in(json_tree_get(old, "environment"), json_tree_get(new, "environment"),
		       of_environment, &difference) &&
	    !differ_in(json_tree_get(old, "host"), json_tree_get(new, "host"), of_host,
		       &difference))
		return 0;
	mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
		     "they cannot be compared: %s was '%s', and is '%s'", difference.what,
		     difference.old, difference.new);
	mr_hint(err, "--anyway compares them all the same");
	return -EINVAL;
}
