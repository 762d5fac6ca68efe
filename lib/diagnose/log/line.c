// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "lib/diagnose/log/line.h"
#include "lib/diagnose/log/parts.h"

/* A line with an end.  A NUL would end what is searched as a text. */
struct copy {
	char text[MR_LOG_LINE_MAX + 1];
	char lower[MR_LOG_LINE_MAX + 1]; /* the same in lower case */
	struct mr_tokens tokens;
};

static bool copy_line(struct copy *copy, const char *text, size_t length)
{
	if (length > MR_LOG_LINE_MAX)
		return false;
	for (size_t i = 0; i < length; i++) {
		copy->text[i] = text[i] ? text[i] : ' ';
		copy->lower[i] =
			(char)(text[i] >= 'A' && text[i] <= 'Z' ? text[i] | 0x20 : copy->text[i]);
	}
	copy->text[length] = copy->lower[length] = '\0';
	return true;
}

/* Whether one of its topics has the member, a bool at this offset. */
static bool has_topic(const struct mr_log_line *line, size_t member)
{
	for (size_t i = 0; mr_log_topics[i].id; i++)
		if (line->topics >> i & 1 &&
		    *(const bool *)((const char *)&mr_log_topics[i] + member))
			return true;
	return false;
}

static void read_rest(struct mr_log_line *line, const struct copy *copy)
{
	mr_log_find_subject(line, copy->lower);
	if (line->call || line->command[0])
		mr_log_find_errno(line, &copy->tokens, copy->text);
	if (has_topic(line, offsetof(struct mr_log_topic, has_no_errno)))
		line->errnum = line->other_errnum = 0;
	if (line->is_bare && line->errnum != ENOMEM && line->errnum != EFAULT)
		line->call = NULL;
	/* "RLIMIT_MEMLOCK too small", without a word about a call */
	if (line->has_failed && !line->remark && !line->is_named && !line->errnum &&
	    ((!line->call && line->is_memlock) ||
	     has_topic(line, offsetof(struct mr_log_topic, is_reason)))) {
		line->call = "ibv_reg_mr";
		line->is_reason = true;
	}
	if (!line->call && !line->command[0] && !line->remark)
		return;
	if (!line->is_reason || line->is_memlock)
		mr_log_find_numbers(line, &copy->tokens);
	mr_log_find_device(line, &copy->tokens);
}

bool mr_log_line_read(struct mr_log_line *line, const char *text, size_t length)
{
	struct copy copy;

	*line = (struct mr_log_line){ .call = NULL };
	if (!copy_line(&copy, text, length) || !mr_log_may_be_about_call(copy.lower))
		return false;
	mr_tokens_read(&copy.tokens, copy.text, length);
	mr_log_find_command(line, &copy.tokens);
	mr_log_find_call(line, &copy.tokens);
	read_rest(line, &copy);
	if (line->remark)
		return line->has_failed;
	return (line->call || line->command[0]) && (line->errnum || line->has_failed);
}

void mr_log_line_context(struct mr_log_line *line, const char *text, size_t length)
{
	struct copy copy;

	if (copy_line(&copy, text, length))
		mr_log_find_context(line, copy.lower);
}

int mr_log_line_errno(const char *text, size_t length)
{
	struct mr_log_line line = { .call = NULL };
	struct copy copy;

	if (!copy_line(&copy, text, length))
		return 0;
	mr_tokens_read(&copy.tokens, copy.text, length);
	mr_log_find_errno(&line, &copy.tokens, copy.text);
	return line.errnum;
}

/* Whether a line can name two calls. */
static bool has_two_calls(const char *text, size_t length)
{
	const char *first = memmem(text, length, "ibv_", 4) ?: memmem(text, length, "mlx5dv_", 7);
	const size_t rest = first ? length - (size_t)(first + 1 - text) : 0;

	return first &&
	       (memmem(first + 1, rest, "ibv_", 4) || memmem(first + 1, rest, "mlx5dv_", 7));
}

/* Whether two calls with these errnos are two refusals; programs often name one call twice. */
static bool are_two(int first, int second, bool is_same_call)
{
	return first && second && (!is_same_call || first != second);
}

size_t mr_log_line_part(const char *text, size_t length)
{
	struct mr_tokens tokens;
	const char *first = NULL;
	const struct mr_token *begin = NULL;

	if (length > MR_LOG_LINE_MAX || !has_two_calls(text, length))
		return length;
	mr_tokens_read(&tokens, text, length);
	for (size_t i = 0; i < tokens.count; i++) {
		const struct mr_token *token = &tokens.list[i];
		const char *call = token->kind == MR_TOKEN_WORD ? mr_log_call_of(token) : NULL;
		const size_t before = (size_t)(token->text - text);

		if (!call || mr_log_is_mention(&tokens, i))
			continue;
		if (begin &&
		    are_two(mr_log_line_errno(text, before),
			    mr_log_line_errno(token->text, length - before), call == first))
			return before;
		first = call;
		begin = token;
	}
	return length;
}

bool mr_log_line_request(const struct mr_log_line *line, struct mr_region_request *request)
{
	static const enum mr_region_call calls[] = { MR_REG_MR, MR_REG_MR_IOVA, MR_UMEM_REG };
	const char *call = line->call ? line->call : "";
	const bool has_all = line->addr.known && line->length.known && line->access.known;

	for (size_t i = 0; has_all && i < sizeof(calls) / sizeof(*calls); i++) {
		const char *name = mr_call_row(calls[i])->name;
		const bool is_iova = calls[i] == MR_REG_MR_IOVA;

		/* ibv_reg_mr_iova2 is what the macro ibv_reg_mr_iova calls. */
		if (strncmp(call, name, strlen(name)) != 0 ||
		    is_iova != !strncmp(call, "ibv_reg_mr_iova", 15) ||
		    (is_iova && !line->iova.known))
			continue;
		*request = (struct mr_region_request){
			.call = calls[i],
			.addr = line->addr.value,
			.length = line->length.value,
			.iova = is_iova ? line->iova.value : line->addr.value,
			.access = (uint32_t)line->access.value,
			.fd = -1,
		};
		return true;
	}
	return false;
}
