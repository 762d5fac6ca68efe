// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/output/output.h"
#include "lib/base/base.h"

struct sample {
	const struct metric *metric;
	char *labels; /* as they are printed, without braces */
	uint64_t value;
	bool is_unlimited;
};

/* A record and those around it, in which labels are looked for. */
struct scope {
	const struct scope *around;
	const struct record *record;
	const void *row;
};

/* The types as prometheus/common knows them, which has none for METRIC_INFO. */
static const char *const type_names[] = {
	[METRIC_GAUGE] = "gauge",
	[METRIC_COUNTER] = "counter",
	[METRIC_INFO] = "gauge",
};

static int compare_samples(const void *a, const void *b)
{
	const struct sample *one = a, *other = b;

	if (one->metric != other->metric)
		return one->metric < other->metric ? -1 : 1;
	return strcmp(one->labels, other->labels);
}

static void free_sample(void *data)
{
	struct sample *sample = data;

	free(sample->labels);
	free(sample);
}

void metrics_release(struct metrics *metrics)
{
	tdestroy(metrics->samples, free_sample);
	metrics->samples = NULL;
}

/* The text of a label's value; unknown is as good as missing. */
static const char *find_value(const struct scope *scope, const char *key, size_t length,
			      char *buffer)
{
	const struct field *field = NULL;
	const char *text;

	for (; scope && !field; scope = scope->around) {
		field = fields_find(scope->record, key, length);
		text = field ? field_text(field, scope->row, buffer) : NULL;
	}
	return field && text ? text : "";
}

static void print_label(const char *name, int length, const char *text, FILE *stream)
{
	mr_auto_free char *harmless = NULL;
	size_t size;
	FILE *memory = open_memstream(&harmless, &size);

	if (!memory)
		return;
	text_print(text, memory);
	if (fclose(memory))
		return;
	fprintf(stream, "%.*s=\"", length, name);
	for (const char *c = harmless; *c; c++) {
		if (*c == '\\' || *c == '"')
			fputc('\\', stream);
		fputc(*c, stream);
	}
	fputc('"', stream);
}

/* The labels of a sample as they are printed.  Return: free() it; NULL where memory is short. */
static char *labels_text(const char *labels, const struct scope *scope)
{
	char buffer[FIELD_TEXT_MAX], *text = NULL;
	const char *rest = labels, *item;
	size_t length;
	FILE *stream = open_memstream(&text, &length);

	if (!stream)
		return NULL;
	while (rest && (item = mr_list_item(&rest, ",", &length))) {
		const char *is = memchr(item, '=', length), *key = is ? is + 1 : item;

		if (item != labels)
			fputc(',', stream);
		print_label(item, (int)(is ? is - item : (ptrdiff_t)length),
			    find_value(scope, key, length - (size_t)(key - item), buffer), stream);
	}
	if (fclose(stream)) {
		free(text);
		return NULL;
	}
	return text;
}

static int add_sample(struct metrics *metrics, const struct metric *metric,
		      const struct scope *scope)
{
	const struct field *field =
		metric->field ? fields_find(scope->record, metric->field, strlen(metric->field))
			      : NULL;
	const struct mr_opt_u64 number = field ? field_number(field, scope->row) : known(1);
	struct sample *sample, **found;

	if (!number.known && field->type != FIELD_LIMIT)
		return 0;
	sample = malloc(sizeof(*sample));
	if (!sample)
		return -ENOMEM;
	*sample = (struct sample){ .metric = metric,
				   .labels = labels_text(metric->labels, scope),
				   .value = number.value,
				   .is_unlimited = !number.known };
	found = sample->labels ? tsearch(sample, &metrics->samples, compare_samples) : NULL;
	if (found && *found == sample)
		return 0;
	if (found)
		(*found)->is_unlimited |= sample->is_unlimited;
	/* Sums end at the largest number. */
	if (found && metric->type != METRIC_INFO &&
	    __builtin_add_overflow((*found)->value, sample->value, &(*found)->value))
		(*found)->value = UINT64_MAX;
	free_sample(sample);
	return found ? 0 : -ENOMEM;
}

static int add_record(struct metrics *metrics, const struct record *record, const void *row,
		      const struct scope *around)
{
	const struct scope scope = { around, record, row };
	int rc = 0;

	for (const struct metric *m = metrics->table; !rc && m->name; m++)
		if (m->record == record)
			rc = add_sample(metrics, m, &scope);
	for (const struct field *f = record->fields; !rc && f->key; f++) {
		const struct list *list = field_list(f, row);

		if (f->type == FIELD_RECORD)
			rc = add_record(metrics, f->record, (const char *)row + f->offset, &scope);
		for (size_t i = 0; !rc && list && i < list->count; i++)
			rc = add_record(metrics, list->record,
					(const char *)list->rows + i * list->size, &scope);
	}
	return rc;
}

int metrics_add(struct metrics *metrics, const struct record *record, const void *row)
{
	return add_record(metrics, record, row, NULL);
}

/* State between two samples while the tree is printed. */
struct printing {
	FILE *stream;
	const struct metric *metric; /* of the sample before */
};

static void print_sample(const void *node, VISIT visit, void *data)
{
	const struct sample *sample = *(const struct sample *const *)node;
	const struct metric *metric = sample->metric;
	struct printing *printing = data;
	FILE *stream = printing->stream;
	bool has_labels = *sample->labels;

	if (visit != postorder && visit != leaf)
		return;
	if (printing->metric != metric)
		fprintf(stream, "# HELP %s %s\n# TYPE %s %s\n", metric->name, metric->help,
			metric->name, type_names[metric->type]);
	if (printing->metric != metric && metric->unit)
		fprintf(stream, "# UNIT %s %s\n", metric->name, metric->unit);
	printing->metric = metric;
	fprintf(stream, "%s%s%s%s ", metric->name, has_labels ? "{" : "", sample->labels,
		has_labels ? "}" : "");
	if (sample->is_unlimited)
		fprintf(stream, "+Inf\n");
	else if (metric->unit && !strcmp(metric->unit, "seconds"))
		fprintf(stream, "%" PRIu64 ".%09" PRIu64 "\n", sample->value / 1000000000,
			sample->value % 1000000000);
	else
		fprintf(stream, "%" PRIu64 "\n", sample->value);
}

void metrics_print(const struct metrics *metrics, FILE *stream)
{
	struct printing printing = { .stream = stream };

	twalk_r(metrics->samples, print_sample, &printing);
	fputs("# EOF\n", stream);
}
