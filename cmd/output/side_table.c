// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Lists that belong to a document beside the command's records. */
#include <errno.h>
#include <stdlib.h>

#include "cmd/output/columns.h"
#include "cmd/output/document.h"
#include "cmd/output/table.h"

bool output_is_for_people(const struct output *out)
{
	const struct output_style *style = out->style;

	return !style->json && !style->quiet && !style->no_headings && !style->columns &&
	       style->format == OUTPUT_TEXT;
}

void output_table(struct output *out, const char *key, const struct list *list, const char *columns)
{
	const struct field **fields = NULL;
	struct table *table = NULL;
	struct mr_error ignored;
	int rc = 0;

	output_json_list(out, key, list);
	if (!output_is_for_people(out) || !list->count)
		return;
	if (!columns_parse(list->record, columns, false, &fields, &ignored))
		table = table_new(fields, columns_count(fields), true, stdout);
	fputc('\n', stdout);
	for (size_t i = 0; table && !rc && i < list->count; i++)
		rc = table_row(table, (const char *)list->rows + i * list->size);
	if (table && table_finish(table))
		rc = -ENOMEM;
	if ((rc || !table) && !out->error)
		out->error = rc ? rc : -ENOMEM;
	free(fields);
}
