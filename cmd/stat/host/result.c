// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/stat/host/result.h"
#include "lib/host/host.h"

static int fail_unknown(const char *option, const char *id, size_t length, struct mr_error *err)
{
	const char *guess = mr_guess_from(id, length, mr_checks, sizeof(*mr_checks));

	mr_fail_text(err, MR_ERROR_USAGE, EINVAL, "--%s: there is no check '%.*s'", option,
		     (int)length, id);
	if (guess)
		mr_hint(err, "did you mean '%s'?", guess);
	else
		mr_hint(err, "mrctl help checks lists all");
	return -EINVAL;
}

static int fail_missing(const char *option, const char *list, struct mr_error *err)
{
	mr_fail_text(err, MR_ERROR_USAGE, EINVAL, "--%s: an id is missing in '%s'", option, list);
	mr_hint(err, "one ',' stands between two ids; mrctl help checks lists all");
	return -EINVAL;
}

/* Sets @value for the checks of a list.  @list: or NULL, which names none */
static int choose(bool *chosen, bool value, const char *option, const char *list,
		  struct mr_error *err)
{
	const char *id, *rest = list;
	size_t length;

	while (rest && (id = mr_list_item(&rest, ",", &length))) {
		const struct mr_check *check = mr_check_find(id, length);

		if (!length)
			return fail_missing(option, list, err);
		if (!check)
			return fail_unknown(option, id, length, err);
		chosen[check - mr_checks] = value;
	}
	return 0;
}

static size_t count_checks(void)
{
	size_t count = 0;

	while (mr_checks[count].id)
		count++;
	return count;
}

static void add_rows(struct host_result *result, const bool *chosen)
{
	for (const struct mr_check *check = mr_checks; check->id; check++)
		if (chosen[check - mr_checks])
			result->rows[result->count++] = (struct check_row){
				.id = check->id, .group = check->group, .subject = check->subject
			};
}

int result_select(struct host_result *result, struct mr_error *err)
{
	const struct stat_args *args = result->args;
	const size_t count = count_checks();
	bool *chosen = calloc(count + 1, sizeof(*chosen));
	int rc;

	result->rows = calloc(count + 1, sizeof(*result->rows));
	if (!chosen || !result->rows) {
		free(chosen);
		return mr_fail(err, MR_ERROR_HOST, ENOMEM, "calloc", NULL);
	}
	memset(chosen, !args->only, count * sizeof(*chosen));
	rc = choose(chosen, true, "only", args->only, err);
	if (!rc)
		rc = choose(chosen, false, "ignore", args->ignore, err);
	if (!rc)
		add_rows(result, chosen);
	free(chosen);
	if (!rc && count && !result->count)
		rc = mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				  "--only and --ignore leave no check to do");
	return rc;
}

void result_hide_bars(char *text)
{
	for (char *bar = text; (bar = strchr(bar, '|'));)
		*bar = '/';
}

/* The text, or NULL where it is empty. */
static const char *finding_text(const struct host_result *result, char *text)
{
	if (result->args->exit_style == EXIT_STYLE_NAGIOS)
		result_hide_bars(text);
	return text[0] ? text : NULL;
}

static void look(struct host_result *result, const struct mr_question *question,
		 struct check_row *row)
{
	const struct mr_check *check = mr_check_find(row->id, strlen(row->id));

	check->look(question, &row->finding);
	row->verdict = mr_verdicts[row->finding.verdict].name;
	row->figure = finding_text(result, row->finding.figure);
	row->detail = finding_text(result, row->finding.detail);
	row->remedy = finding_text(result, row->finding.remedy);
	result->counts[row->finding.verdict]++;
	result->hidden += row->finding.is_hidden;
}

/* Memory of a GPU takes nothing of what these groups of checks look at. */
static bool is_of_host_memory(const char *group)
{
	return !strcmp(group, "limits") || !strcmp(group, "control groups") ||
	       !strcmp(group, "memory");
}

void result_look(struct host_result *result, struct mr_host *host)
{
	struct mr_question question = { .host = host, .is_gpu = result->args->memory.is_gpu };
	const struct mr_memory_kind *memory = &result->args->memory.kind;
	const size_t *counts = result->counts;

	if (memory->type == MR_MEMORY_HUGETLB)
		question.huge_size =
			memory->huge_size ? memory->huge_size : mr_huge_page_default(host);
	for (size_t i = 0; i < result->count; i++) {
		question.size = result->args->for_size;
		if (question.is_gpu && is_of_host_memory(result->rows[i].group))
			question.size.known = false;
		look(result, &question, &result->rows[i]);
	}
	result->summary = (struct summary){
		.checks = known(result->count),
		.ok = known(counts[MR_VERDICT_OK]),
		.warn = known(counts[MR_VERDICT_WARN]),
		.bad = known(counts[MR_VERDICT_BAD]),
		.unknown = known(counts[MR_VERDICT_UNKNOWN]),
		.na = known(counts[MR_VERDICT_NA]),
		.verdict = mr_verdicts[result_worst(result)].name,
		.recording = result->args->root,
	};
}

void result_release(struct host_result *result)
{
	free(result->rows);
	result->rows = NULL;
}

enum mr_verdict result_worst(const struct host_result *result)
{
	enum mr_verdict worst = MR_VERDICT_BAD;

	while (worst > MR_VERDICT_OK && !result->counts[worst])
		worst--;
	return worst;
}
