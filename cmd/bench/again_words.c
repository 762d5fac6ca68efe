// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/bench/again_words.h"
#include "cmd/bench/args.h"
#include "cmd/bench/load.h"
#include "lib/bench/bench.h"

/* ---- the command line ---- */

static void fail_words(struct again_words *words, int error)
{
	if (!words->error)
		words->error = error;
}

__attribute__((format(printf, 2, 3))) static void add_word(struct again_words *words,
							   const char *format, ...)
{
	va_list values;

	if (words->count + 1 >= sizeof(words->argv) / sizeof(*words->argv)) {
		fail_words(words, E2BIG);
		return;
	}
	va_start(values, format);
	if (vasprintf(&words->argv[words->count], format, values) < 0) {
		words->argv[words->count] = NULL;
		fail_words(words, ENOMEM);
	}
	va_end(values);
	words->count += words->argv[words->count] != NULL;
}

/* ---- what a document has measured ---- */

/* The different values that a member has in the rows. */
struct values {
	const struct json_node *nodes[SWEEP_MAX];
	size_t count;
};

static bool is_dmabuf(const struct json_node *row)
{
	const char *call = json_tree_text_of(row, "call");
	const struct mr_bench_case *what = call ? mr_bench_case_find(call) : NULL;

	return what && mr_region_is_dmabuf(what->call);
}

static void add_value(struct again_words *words, struct values *values,
		      const struct json_node *node)
{
	char left[JSON_SCALAR_MAX], right[JSON_SCALAR_MAX];
	const char *text = json_tree_scalar(node, left);

	for (size_t i = 0; text && i < values->count; i++)
		if (!strcmp(json_tree_scalar(values->nodes[i], right), text))
			return;
	if (text && values->count == SWEEP_MAX)
		fail_words(words, E2BIG);
	else if (text)
		values->nodes[values->count++] = node;
}

static struct values values_of(struct again_words *words, const struct json_node *rows,
			       const char *key)
{
	struct values values = { .count = 0 };
	const struct json_node *row = json_tree_first(rows);

	for (; row; row = json_tree_next(row))
		add_value(words, &values, json_tree_get(row, key));
	return values;
}

/* As --sizes=4096,16384; nothing where only the usual value is there. */
static void add_list(struct again_words *words, const struct json_node *rows, const char *key,
		     const char *option, const char *usual)
{
	const struct values values = values_of(words, rows, key);
	char list[SWEEP_MAX * (JSON_SCALAR_MAX + 1)] = "", buffer[JSON_SCALAR_MAX];
	size_t length = 0;

	for (size_t i = 0; i < values.count; i++) {
		const char *text = json_tree_scalar(values.nodes[i], buffer);

		if (length + strlen(text) + 2 > sizeof(list)) {
			fail_words(words, E2BIG);
			return;
		}
		length += (size_t)sprintf(list + length, "%s%s", i ? "," : "", text);
	}
	if (values.count && strcmp(list, usual) != 0)
		add_word(words, "--%s=%s", option, list);
}

/* Memory of regions, and sources of dma-bufs.  Where both are measured both are the usual ones. */
static void add_memory(struct again_words *words, const struct json_node *rows, bool of_dmabufs)
{
	const char *usual = of_dmabufs ? "udmabuf" : "anon";
	const struct json_node *row = json_tree_first(rows);
	struct values values = { .count = 0 };
	char buffer[JSON_SCALAR_MAX];

	for (; row; row = json_tree_next(row))
		if (is_dmabuf(row) == of_dmabufs)
			add_value(words, &values, json_tree_get(row, "memory"));
	for (size_t i = 0; i < values.count; i++) {
		const char *text = json_tree_scalar(values.nodes[i], buffer);

		if (values.count > 1 || strcmp(text, usual) != 0)
			add_word(words, "--%s=%s", of_dmabufs ? "from" : "memory", text);
	}
}

/* Cases add flags of their own: those that all rows have were asked for. */
static void add_access(struct again_words *words, const struct json_node *rows)
{
	const struct json_node *row = json_tree_first(rows);
	unsigned long bits = ~0ul;

	for (; row; row = json_tree_next(row)) {
		const char *text = json_tree_text_of(row, "access_bits");

		bits &= text ? strtoul(text, NULL, 16) : 0;
	}
	add_word(words, "--access=0x%lx", bits);
}

static void add_occupied(struct again_words *words, const struct json_node *rows)
{
	const struct json_node *row = json_tree_first(rows);
	double most = 0, bytes = 0;

	for (; row; row = json_tree_next(row)) {
		const double regions = bench_number(row, "occupied");

		if (regions > most) {
			most = regions;
			bytes = bench_number(row, "occupied_bytes") / regions;
		}
	}
	if (most > 0)
		add_word(words, "--occupied=%.0f,%.0f", most, bytes);
}

static void add_calls(struct again_words *words, const struct json_node *rows)
{
	const struct values calls = values_of(words, rows, "call");
	char buffer[JSON_SCALAR_MAX];

	add_word(words, "--");
	for (size_t i = 0; i < calls.count; i++)
		add_word(words, "%s", json_tree_scalar(calls.nodes[i], buffer));
}

/* ---- how long ---- */

static void add_length(struct again_words *words, const struct bench_args *args,
		       const struct json_node *method)
{
	const double rounds =
		args->rounds.known ? (double)args->rounds.value : bench_number(method, "rounds");
	const double seconds =
		args->seconds.known ? (double)args->seconds.value : bench_number(method, "row_ns");
	const double calls =
		args->calls.known ? (double)args->calls.value : bench_number(method, "calls");

	if (rounds > 0)
		add_word(words, "--rounds=%.0f", rounds);
	if (calls > 0 && !args->seconds.known)
		add_word(words, "--count=%.0f", calls);
	else if (seconds > 0)
		add_word(words, "--seconds=%.9f", seconds / 1e9);
}

/* ---- all of it ---- */

static void begin(struct again_words *words, const struct json_node *old)
{
	const bool has_devices = bench_has_devices(old);
	const char *device = bench_device_of(old);

	add_word(words, "mrctl");
	add_word(words, "--json");
	if (!has_devices && device)
		add_word(words, "--device=%s", device);
	add_word(words, "bench");
	if (has_devices)
		add_word(words, "--all-devices");
}

void again_words_of_host(struct again_words *words, const struct json_node *old)
{
	begin(words, old);
	add_word(words, "--sizes=4096");
	add_word(words, "--count=1");
}

void again_words_of_rows(struct again_words *words, const struct json_node *old,
			 const struct bench_args *args)
{
	const struct json_node *rows = json_tree_get(old, "rows");

	begin(words, old);
	add_list(words, rows, "size", "sizes", "");
	add_memory(words, rows, false);
	add_memory(words, rows, true);
	add_access(words, rows);
	add_list(words, rows, "via", "via", "library");
	add_list(words, rows, "threads", "threads", "1");
	add_list(words, rows, "processes", "processes", "1");
	add_occupied(words, rows);
	add_length(words, args, json_tree_get(old, "method"));
	add_calls(words, rows);
}

void again_words_release(struct again_words *words)
{
	while (words->count)
		free(words->argv[--words->count]);
}
