// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cmd/explain/explain.h"
#include "lib/diagnose/log/log.h"
#include "lib/host/host.h"

static bool is_same_number(struct mr_opt_u64 a, struct mr_opt_u64 b)
{
	return a.known == b.known && (!a.known || a.value == b.value);
}

/* Addresses differ from line to line, and @a may have topics of lines near it. */
static bool is_same(const struct mr_log_line *a, const struct mr_log_line *b)
{
	if (a->remark || b->remark)
		return a->remark == b->remark;
	return a->call == b->call && a->errnum == b->errnum && a->is_reason == b->is_reason &&
	       !(b->topics & ~a->topics) && !strcmp(a->command, b->command) &&
	       is_same_number(a->status, b->status) && is_same_number(a->length, b->length) &&
	       is_same_number(a->access, b->access) &&
	       (!a->provider[0] || !b->provider[0] || !strcmp(a->provider, b->provider));
}

/* The first @count kinds are searched. */
static size_t find_kind(const struct log *log, const struct mr_log_line *line, size_t count)
{
	size_t i = 0;

	while (i < count && !is_same(&log->kinds[i].line, line))
		i++;
	return i;
}

static void add_kind(struct log *log, const struct mr_log_line *line, const char *text,
		     size_t length)
{
	const size_t index = find_kind(log, line, log->count);
	struct log_kind *kind = &log->kinds[index];

	if (index == LOG_KINDS_MAX) {
		log->left_out++;
		return;
	}
	log->last = index;
	log->last_lines = log->lines;
	log->last_seen = log->seen;
	if (index < log->count) {
		kind->count++;
		return;
	}
	log->count++;
	*kind = (struct log_kind){ .number = log->lines, .count = 1, .line = *line };
	for (size_t i = 0; i < length; i++)
		kind->text[i] = text[i] ? text[i] : ' ';
}

/* Whether lines begin with two names that differ in digits alone: "node1: " and "node2: ", as pdsh and clush print. */
static bool are_of_two_nodes(const char *a, const char *b)
{
	bool differ = false;

	if (!isalpha((unsigned char)*a))
		return false;
	for (; *a == *b && *a != ':' && *a > ' '; a++, b++) {
		const size_t digits = strspn(a + 1, "0123456789");
		const size_t others = strspn(b + 1, "0123456789");

		differ |= digits != others || memcmp(a + 1, b + 1, digits) != 0;
		a += digits;
		b += others;
	}
	return differ && *a == *b && !strncmp(a, ": ", 2);
}

static struct log_before *line_before(struct log *log, uint64_t number)
{
	return &log->before[number % (LOG_NEAR + 1)];
}

/* Counts the lines between this one and the last refusal, without empty ones. */
static bool is_near(struct log *log)
{
	return log->last_lines && log->seen - log->last_seen <= LOG_NEAR &&
	       !are_of_two_nodes(line_before(log, log->seen)->text,
				 line_before(log, log->last_seen)->text);
}

/* A line that has nothing but an errno, as in "Error:   Cannot allocate memory", may stand farther off. */
static bool is_label(const char *text, size_t length)
{
	static const char *const labels[] = { "err", "reason", "strerror" };
	const size_t at = strspn(text, " \t");

	for (size_t i = 0; i < sizeof(labels) / sizeof(*labels); i++)
		if (length > at + strlen(labels[i]) &&
		    !strncasecmp(text + at, labels[i], strlen(labels[i])))
			return true;
	return false;
}

/* The errno of a line, by the text of any language that has a catalogue here. */
static int errno_in(struct log *log, const struct mr_log_line *line, const char *text,
		    size_t length)
{
	if (line->errnum)
		return line->errnum;
	if (!log->languages)
		log->languages = mr_languages_open(MR_LANGUAGES_FOLDER);
	return mr_languages_errno(log->languages, text, length);
}

/* Takes the numbers of the request that are not known yet. */
static void add_numbers(struct mr_log_line *into, const struct mr_log_line *line)
{
	struct mr_opt_u64 *const to[] = { &into->addr, &into->length, &into->iova, &into->access,
					  &into->limit };
	const struct mr_opt_u64 from[] = { line->addr, line->length, line->iova, line->access,
					   line->limit };

	for (size_t i = 0; i < sizeof(to) / sizeof(*to); i++)
		*to[i] = to[i]->known ? *to[i] : from[i];
}

static bool have_same_numbers(const struct mr_log_line *a, const struct mr_log_line *b)
{
	const struct mr_opt_u64 of_a[] = { a->addr, a->length, a->iova, a->access };
	const struct mr_opt_u64 of_b[] = { b->addr, b->length, b->iova, b->access };

	for (size_t i = 0; i < sizeof(of_a) / sizeof(*of_a); i++)
		if (of_a[i].known && of_b[i].known && of_a[i].value != of_b[i].value)
			return false;
	return true;
}

/* Adds the facts of a nearby line about the memory and the device. */
static void add_context(struct mr_log_line *line, const struct mr_log_line *near)
{
	line->is_on_gpu |= near->is_on_gpu;
	line->is_of_gpu_program |= near->is_of_gpu_program;
	line->topics |= near->topics;
	if (!line->provider[0] && (near->has_failed || near->errnum))
		memcpy(line->provider, near->provider, sizeof(line->provider));
}

/* Adds the request that a program prints before it makes the call. */
static void add_request(struct mr_log_line *line, const struct mr_log_line *before)
{
	const bool is_other = before->call != line->call;

	if (!before->call || before->errnum || before->has_failed || before->has_passed ||
	    !line->call || !have_same_numbers(line, before) ||
	    (is_other && (line->is_named || strcmp(line->call, "ibv_reg_mr") != 0 ||
			  strncmp(before->call, "ibv_reg_", 8) != 0)))
		return;
	line->call = before->call;
	line->is_named |= before->is_named;
	add_numbers(line, before);
}

/* Adds the facts of the lines before: the errno, which some programs print first, the request, and the memory. */
static void look_back(struct log *log, struct mr_log_line *line)
{
	for (uint64_t i = 1; i <= LOG_NEAR && i < log->seen; i++) {
		struct log_before *before = line_before(log, log->seen - i);
		const size_t length = strlen(before->text);

		if (are_of_two_nodes(line_before(log, log->seen)->text, before->text))
			continue;
		if (!before->is_read)
			mr_log_line_scan(&before->line, before->text, length);
		before->is_read = true;
		if (!line->errnum && i <= LOG_NEAR_ERRNO)
			line->errnum = errno_in(log, &before->line, before->text, length);
		if (i <= LOG_NEAR_REQUEST)
			add_request(line, &before->line);
		add_context(line, &before->line);
	}
}

/* Adds the facts of a line near the last refusal: call or errno, limit, kind of memory. */
static void add_to_last(struct log *log, const struct mr_log_line *line, const char *text,
			size_t length)
{
	struct log_kind *kind = &log->kinds[log->last];
	size_t same;

	add_context(&kind->line, line);
	kind->line.is_memlock |= line->is_memlock && (line->has_failed || line->limit.known);
	if (!kind->line.limit.known)
		kind->line.limit = line->limit;
	if (kind->line.is_reason && line->is_named) {
		kind->line.call = line->call;
		kind->line.is_named = true;
		kind->line.is_reason = false;
	}
	if (log->is_open) {
		add_numbers(&kind->line, line);
		log->last_seen = log->seen;
	}
	if (kind->line.errnum || kind->line.remark || kind->line.is_reason ||
	    (log->seen - log->last_seen > LOG_NEAR_ERRNO && !is_label(text, length)))
		return;
	kind->line.errnum = errno_in(log, line, text, length);
	same = find_kind(log, &kind->line, log->last);
	if (!kind->line.errnum || same == log->last || log->last + 1 != log->count)
		return;
	log->kinds[same].count += kind->count;
	log->count--;
	log->last = same;
}

/* "message repeated 5 times: [ibv_reg_mr ...]", "last message repeated 5 times" */
static uint64_t repeated(const char *text, size_t length)
{
	static const char words[] = "message repeated ";
	const char *at = memmem(text, length, words, strlen(words));

	return at ? strtoull(at + strlen(words), NULL, 10) : 0;
}

/*
 * Whether both can be about one refusal.  Any call can lead to a kernel function that pins memory.  Some drivers
 * report a failure to pin memory as another errno: their line in the kernel's log has the true one.
 */
static bool are_compatible(const struct mr_log_line *a, const struct mr_log_line *b)
{
	const bool pins = b->is_pinning && !b->is_named;
	const bool has_true_errno =
		pins && (!strcmp(b->provider, "rxe") || !strcmp(b->provider, "bnxt_re"));

	return (a->call == b->call || (a->is_pinning && !a->is_named) || pins) && !a->remark &&
	       !b->remark && !a->is_reason && !b->is_reason &&
	       (!a->errnum || !b->errnum || a->errnum == b->errnum || has_true_errno) &&
	       (!a->device[0] || !b->device[0] || !strcmp(a->device, b->device)) &&
	       (!a->command[0] || !b->command[0]) && have_same_numbers(a, b);
}

/* Takes what the line has and the other one lacks. */
static void merge(struct mr_log_line *into, const struct mr_log_line *line)
{
	add_numbers(into, line);
	if (line->is_named && !into->is_named) {
		into->call = line->call;
		into->is_named = true;
	}
	if (into->errnum && line->errnum && into->errnum != line->errnum)
		into->other_errnum = line->errnum;
	into->errnum = into->errnum ?: line->errnum;
	add_context(into, line);
	into->is_memlock |= line->is_memlock;
	into->is_pinning |= line->is_pinning;
	if (!into->command[0] && line->command[0]) {
		memcpy(into->command, line->command, sizeof(into->command));
		into->status = line->status;
		into->syndrome = line->syndrome;
	}
	if (!into->device[0])
		memcpy(into->device, line->device, sizeof(into->device));
}

/* Whether the line only repeats the refusal of the line before in other words. */
static bool is_another_view(struct log *log, const struct mr_log_line *line)
{
	struct mr_log_line *last;

	if (!is_near(log))
		return false;
	last = &log->kinds[log->last].line;
	if (is_same(last, line) || log->kinds[log->last].number == log->lines)
		return false;
	last->is_on_gpu |= line->is_on_gpu;
	/* "registration failed", after words that exclude the call */
	if (last->remark && !line->remark && !line->is_named && !line->errnum)
		return true;
	if (last->is_reason && line->is_reason && last->topics == line->topics)
		return true;
	/* A reason, and then the call */
	if (last->is_reason && line->call == last->call)
		last->is_reason = false;
	if (!are_compatible(last, line))
		return false;
	merge(last, line);
	return true;
}

/* A remark often follows the line that has the call.  Return: whether the line only adds to that one. */
static bool add_remark(struct log *log, const struct mr_log_line *line)
{
	struct mr_log_line *last;

	if (!line->remark || !is_near(log))
		return false;
	last = &log->kinds[log->last].line;
	if (last->remark)
		return false;
	/* A command of the firmware, which that user of the kernel has sent */
	if (last->command[0] && !last->is_named && !line->call) {
		last->remark = line->remark;
		last->call = NULL;
		last->errnum = 0;
	}
	add_to_last(log, line, "", 0);
	return true;
}

static void take_part(struct log *log, const char *text, size_t length)
{
	struct log_before *now = line_before(log, log->seen);
	struct mr_log_line line;
	bool is_about = mr_log_line_read(&line, text, length);

	if (line.call && !line.errnum && !line.remark && !line.is_reason) {
		line.errnum = errno_in(log, &line, text, length);
		is_about |= line.errnum;
	}
	if (!is_about) {
		if (!is_near(log))
			return;
		mr_log_line_scan(&now->line, text, length);
		now->is_read = true;
		add_to_last(log, &now->line, text, length);
		return;
	}
	now->line = line;
	now->is_read = true;
	if (add_remark(log, &line))
		return;
	if (is_another_view(log, &line)) {
		log->last_lines = log->lines;
		log->last_seen = log->seen;
		return;
	}
	if (is_near(log))
		line.is_on_gpu |= log->kinds[log->last].line.is_on_gpu;
	if (!line.remark && !line.is_reason)
		look_back(log, &line);
	add_kind(log, &line, text, length);
}

/* Whether the next line belongs to this one, which is about a refusal, or belongs to such a one: "arguments:", "addr: 1," */
static bool is_open(const struct log *log, const char *text, size_t length)
{
	while (length && strchr(" \t\r", text[length - 1]))
		length--;
	return (log->is_open || log->last_lines == log->lines) && length &&
	       strchr(":,({[", text[length - 1]);
}

void log_take(struct log *log, const char *text, size_t length)
{
	const uint64_t times = repeated(text, length);
	const uint64_t last_lines = log->last_lines;
	struct log_before *before;

	log->lines++;
	if (strspn(text, " \t\r") == length)
		return;
	before = line_before(log, ++log->seen);
	before->is_read = false;
	snprintf(before->text, sizeof(before->text), "%.*s", (int)(length < 255 ? length : 255),
		 text);
	for (size_t done = 0, part; done < length; done += part) {
		part = mr_log_line_part(text + done, length - done);
		take_part(log, text + done, part);
	}
	log->is_open = is_open(log, text, length);
	if (times && log->last_lines == log->lines) /* the line has the message that was repeated */
		log->kinds[log->last].count += times - 1;
	else if (times && last_lines && last_lines + 1 == log->lines)
		log->kinds[log->last].count += times;
}

int log_read(struct log *log, struct mr_error *err)
{
	char *line = NULL;
	size_t size = 0;
	ssize_t length;
	int rc = 0;

	errno = 0;
	while ((length = getline(&line, &size, stdin)) > 0) {
		length -= line[length - 1] == '\n';
		line[length] = '\0';
		if (length <= MR_LOG_LINE_MAX) {
			log_take(log, line, (size_t)length);
		} else {
			log->lines++;
			log->too_long++;
		}
	}
	if (!feof(stdin))
		rc = mr_fail(err, MR_ERROR_HOST, mr_call_errno(), "read", "standard input");
	free(line);
	return rc;
}

/* ---- rows ---- */

#define ROW_FIELD(key, member, ...) FIELD_AS(key, struct log_kind, member, __VA_ARGS__)

static const struct field fields[] = {
	ROW_FIELD("log", log, FIELD_NUMBER, FIELD_KNOWN, "number of the refusal, from 1"),
	ROW_FIELD("number", number, FIELD_NUMBER, FIELD_KNOWN,
		  "number of the first such line, from 1"),
	ROW_FIELD("count", count, FIELD_NUMBER, FIELD_KNOWN, "number of such lines"),
	ROW_FIELD("text", text, FIELD_TEXT, FIELD_KNOWN, "the first one"),
	ROW_FIELD("call", line.call, FIELD_STRING, 0, "the call that was refused"),
	ROW_FIELD("call_is_named", line.is_named, FIELD_BOOL, 0, "whether the line names the call"),
	ROW_FIELD("errno", line.errnum, FIELD_ERRNO, 0, "errno by name"),
	ROW_FIELD("other_errno", line.other_errnum, FIELD_ERRNO, 0, "another errno in the line"),
	ROW_FIELD("addr", line.addr, FIELD_HEX, 0, "address"),
	ROW_FIELD("length", line.length, FIELD_NUMBER, 0, "bytes"),
	ROW_FIELD("iova", line.iova, FIELD_HEX, 0, "I/O virtual address"),
	ROW_FIELD("access", line.access, FIELD_ACCESS, 0, "access flags"),
	ROW_FIELD("device", line.device, FIELD_TEXT, 0, "name of the device"),
	ROW_FIELD("command", line.command, FIELD_TEXT, 0, "command of mlx5's firmware"),
	ROW_FIELD("firmware_status", line.status, FIELD_HEX, 0,
		  "status that the firmware answered"),
	FIELD_BEHIND("status_name", struct log_kind, status, struct mr_mlx5_status, name,
		     FIELD_STRING, 0, "name of that status"),
	ROW_FIELD("syndrome", line.syndrome, FIELD_HEX, 0,
		  "syndrome: the firmware's number of the reason"),
	ROW_FIELD("limit", line.limit, FIELD_NUMBER, 0,
		  "limit of locked memory that the line names"),
	ROW_FIELD("remark", line.remark, FIELD_STRING, 0,
		  "why the line reports no refused call of libibverbs"),
	ROW_FIELD("repeat", repeat, FIELD_TEXT, 0, "command that makes the same call"),
	FIELD_END,
};
const struct record log_record = { "log", fields, "log" };

/* Commands that make the call; those that free something need an object first. */
static const struct repeat {
	const char *call; /* how it begins */
	const char *command;
	const char *on_gpu; /* for memory of a GPU; NULL: the same */
	bool takes_request;
} repeats[] = {
	{ "ibv_reg_mr_iova", "reg-iova", NULL, true },
	{ "ibv_reg_dmabuf_mr", "reg-dmabuf --from udmabuf", "reg-dmabuf --from cuda:0", true },
	{ "mlx5dv_reg_dmabuf_mr", "reg-dmabuf --from udmabuf --data-direct", NULL, true },
	{ "ibv_reg_mr", "reg", "reg --memory cuda:0", true },
	{ "mlx5dv_devx_umem_reg", "umem", NULL, true },
	{ "ibv_reg_dm_mr", "reg --memory dm", NULL, false },
	{ "ibv_alloc_dm", "reg --memory dm", NULL, false },
	{ "ibv_alloc_null_mr", "reg --memory null-mr", NULL, false },
	{ "ibv_alloc_pd", "reg", "reg --memory cuda:0", false },
	{ "ibv_open_device", "stat --device", NULL, false },
	{ "mlx5dv_open_device", "umem", NULL, false },
	{ "ibv_get_device_list", "stat --device", NULL, false },
	{ NULL, NULL, NULL, false },
};

static void write_repeat(const struct mr_log_line *line, char *text, size_t size)
{
	const char *call = line->call && !line->remark ? line->call : "";
	const bool is_iova = !strncmp(call, "ibv_reg_mr_iova", 15) && line->iova.known;
	const struct repeat *repeat = repeats + !is_iova; /* ibv_reg_mr makes the same call */
	const uint64_t page = 4096;
	const char *on_gpu;
	char access[FIELD_TEXT_MAX];

	while (repeat->call && strncmp(call, repeat->call, strlen(repeat->call)) != 0)
		repeat++;
	if (!repeat->call || (line->is_reason && !line->is_memlock))
		return;
	on_gpu = line->is_on_gpu ? repeat->on_gpu : NULL;
	mr_text_add(text, size, "", "mrctl %s", on_gpu ?: repeat->command);
	if (!repeat->takes_request && !on_gpu)
		return;
	if (is_iova)
		mr_text_add(text, size, " ", "--iova 0x%" PRIx64, line->iova.value);
	if (line->length.known)
		mr_text_add(text, size, " ", "--size %" PRIu64, line->length.value);
	if (line->addr.known && line->addr.value % page)
		mr_text_add(text, size, " ", "--offset %" PRIu64, line->addr.value % page);
	if (line->access.known && strlen(access_text((uint32_t)line->access.value, access)) < 256)
		mr_text_add(text, size, " ", "--access %s", access);
}

void log_complete(struct log *log)
{
	for (size_t i = 0; i < log->count; i++) {
		struct log_kind *kind = &log->kinds[i];

		kind->log = i + 1;
		kind->status =
			kind->line.status.known ? mr_mlx5_status(kind->line.status.value) : NULL;
		write_repeat(&kind->line, kind->repeat, sizeof(kind->repeat));
	}
}
