// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/explain/log.h"
#include "lib/host/mlx5_status.h"

static bool is_same_number(struct mr_opt_u64 a, struct mr_opt_u64 b)
{
	return a.known == b.known && (!a.known || a.value == b.value);
}

/* Addresses differ from line to line. */
static bool is_same(const struct mr_log_line *a, const struct mr_log_line *b)
{
	return a->call == b->call && a->errnum == b->errnum && !strcmp(a->command, b->command) &&
	       is_same_number(a->status, b->status) && is_same_number(a->length, b->length) &&
	       is_same_number(a->access, b->access) && !strcmp(a->provider, b->provider);
}

static struct log_kind *find_kind(const struct log *log, const struct mr_log_line *line)
{
	for (size_t i = 0; i < log->count; i++)
		if (is_same(&log->kinds[i].line, line))
			return &log->kinds[i];
	return NULL;
}

int log_take(struct log *log, const char *text, size_t length, struct mr_error *err)
{
	struct mr_log_line line;
	struct log_kind *kind;

	log->lines++;
	if (!mr_log_line_read(&line, text, length))
		return 0;
	kind = find_kind(log, &line);
	if (kind) {
		kind->count++;
		return 0;
	}
	if (log->count == LOG_KINDS_MAX) {
		log->left_out++;
		return 0;
	}
	kind = realloc(log->kinds, (log->count + 1) * sizeof(*kind));
	if (!kind)
		return mr_fail(err, MR_ERROR_HOST, ENOMEM, "realloc", NULL);
	log->kinds = kind;
	kind += log->count++;
	*kind = (struct log_kind){ .number = log->lines, .count = 1, .line = line };
	for (size_t i = 0; i < length; i++)
		kind->text[i] = text[i] ? text[i] : ' ';
	return 0;
}

/* Reads a line, of which at most MR_LOG_LINE_MAX bytes are kept.  Return: false at the end. */
static bool read_line(char line[MR_LOG_LINE_MAX], size_t *length)
{
	int c = getc_unlocked(stdin);
	bool is_any = c != EOF;

	for (*length = 0; c != EOF && c != '\n'; c = getc_unlocked(stdin)) {
		if (*length < MR_LOG_LINE_MAX)
			line[*length] = (char)c;
		++*length;
	}
	return is_any;
}

int log_read(struct log *log, struct mr_error *err)
{
	char line[MR_LOG_LINE_MAX];
	size_t length;
	int rc = 0;

	errno = 0;
	while (!rc && read_line(line, &length)) {
		if (length <= MR_LOG_LINE_MAX) {
			rc = log_take(log, line, length, err);
		} else {
			log->lines++;
			log->too_long++;
		}
	}
	if (!rc && ferror(stdin))
		rc = mr_fail(err, MR_ERROR_HOST, mr_call_errno(), "read", "standard input");
	return rc;
}

void log_release(struct log *log)
{
	free(log->kinds);
}

/* ---- rows ---- */

static const struct field fields[] = {
	FIELD(struct log_row, log, FIELD_NUMBER, 0, "which of them, from 1"),
	FIELD(struct log_row, number, FIELD_NUMBER, 0, "number of the first such line, from 1"),
	FIELD(struct log_row, count, FIELD_NUMBER, 0, "how many such lines there are"),
	FIELD(struct log_row, text, FIELD_STRING, 0, "the first one"),
	FIELD(struct log_row, call, FIELD_STRING, 0, "the call that was refused"),
	FIELD(struct log_row, call_is_named, FIELD_BOOL, 0, "whether the line has its name"),
	FIELD_AS("errno", struct log_row, errno_name, FIELD_STRING, 0, "errno by name"),
	FIELD(struct log_row, other_errno, FIELD_STRING, 0, "another one in the line"),
	FIELD(struct log_row, addr, FIELD_HEX, 0, "address"),
	FIELD(struct log_row, length, FIELD_NUMBER, 0, "bytes"),
	FIELD(struct log_row, iova, FIELD_HEX, 0, "I/O virtual address"),
	FIELD(struct log_row, access, FIELD_ACCESS, 0, "access flags"),
	FIELD(struct log_row, device, FIELD_STRING, 0, "name of the device"),
	FIELD(struct log_row, command, FIELD_STRING, 0, "command of mlx5's firmware"),
	FIELD(struct log_row, firmware_status, FIELD_HEX, 0, "what the firmware answered"),
	FIELD(struct log_row, status_name, FIELD_STRING, 0, "the same by name"),
	FIELD(struct log_row, syndrome, FIELD_HEX, 0, "the firmware's number of the reason"),
	FIELD(struct log_row, repeat, FIELD_TEXT, 0, "command that makes the same call"),
	FIELD_END,
};
const struct record log_record = { "log", fields, "log" };

/* Commands that make the call; those that free something need an object first. */
static const struct repeat {
	const char *call; /* how it begins */
	const char *command;
	bool takes_request;
} repeats[] = {
	{ "ibv_reg_mr_iova", "reg-iova", true },
	{ "ibv_reg_dmabuf_mr", "reg-dmabuf --from udmabuf", true },
	{ "mlx5dv_reg_dmabuf_mr", "reg-dmabuf --from udmabuf --data-direct", true },
	{ "ibv_reg_mr", "reg", true },
	{ "mlx5dv_devx_umem_reg", "umem", true },
	{ "ibv_reg_dm_mr", "reg --memory dm", false },
	{ "ibv_alloc_dm", "reg --memory dm", false },
	{ "ibv_alloc_null_mr", "reg --memory null-mr", false },
	{ "ibv_alloc_pd", "reg", false },
	{ "ibv_open_device", "stat --device", false },
	{ "mlx5dv_open_device", "umem", false },
	{ "ibv_get_device_list", "stat --device", false },
	{ "ibv_rereg_mr", NULL, false },
	{ NULL, NULL, false },
};

static const struct repeat *find_repeat(const char *call)
{
	const struct repeat *repeat = repeats;

	while (repeat->call && strncmp(call, repeat->call, strlen(repeat->call)) != 0)
		repeat++;
	return repeat;
}

static void write_repeat(struct log_row *row, const struct mr_log_line *line)
{
	const struct repeat *repeat = find_repeat(line->call ? line->call : "");
	const uint64_t page = 4096;
	char access[FIELD_TEXT_MAX], *at = row->repeat, *end = at + sizeof(row->repeat);
	bool is_iova = !strncmp(repeat->command ? repeat->command : "", "reg-iova", 8);

	if (is_iova && !line->iova.known) { /* ibv_reg_mr makes the same call, with iova = addr */
		repeat = find_repeat("ibv_reg_mr");
		is_iova = false;
	}

	row->repeat[0] = '\0';
	if (!repeat->command)
		return;
#define ADD(...) at += snprintf(at, (size_t)(end - at), __VA_ARGS__)
	ADD("mrctl %s", repeat->command);
	if (!repeat->takes_request)
		return;
	if (is_iova)
		ADD(" --iova 0x%llx", (unsigned long long)line->iova.value);
	if (line->length.known)
		ADD(" --size %llu", (unsigned long long)line->length.value);
	if (line->addr.known && line->addr.value % page)
		ADD(" --offset %llu", (unsigned long long)(line->addr.value % page));
	if (line->access.known && strlen(access_text((uint32_t)line->access.value, access)) < 256)
		ADD(" --access %s", access);
#undef ADD
}

static const char *text_or_null(const char *text)
{
	return text[0] ? text : NULL;
}

void log_row_fill(struct log_row *row, const struct log_kind *kind, size_t index)
{
	const struct mr_log_line *line = &kind->line;
	const struct mr_mlx5_status *status =
		line->status.known ? mr_mlx5_status(line->status.value) : NULL;

	*row = (struct log_row){
		.log = known(index + 1),
		.number = known(kind->number),
		.count = known(kind->count),
		.text = kind->text,
		.call = line->call,
		.call_is_named = line->is_named,
		.errno_name = mr_errno_name(line->errnum),
		.errno_text = mr_errno_text(line->errnum),
		.other_errno = line->other_errnum ? mr_errno_name(line->other_errnum) : NULL,
		.addr = line->addr,
		.length = line->length,
		.iova = line->iova,
		.access = line->access,
		.device = text_or_null(line->device),
		.command = text_or_null(line->command),
		.firmware_status = line->status,
		.status_name = status ? status->name : NULL,
		.status_meaning = status ? status->meaning : NULL,
		.syndrome = line->syndrome,
	};
	write_repeat(row, line);
}
