// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <string.h>

#include "lib/diagnose/log/line.h"
#include "lib/diagnose/log/parts.h"

bool mr_log_line_read(struct mr_log_line *line, const char *text, size_t length)
{
	struct mr_tokens tokens;
	char copy[MR_LOG_LINE_MAX + 1];

	*line = (struct mr_log_line){ .call = NULL };
	if (length > MR_LOG_LINE_MAX)
		return false;
	/* A NUL would end what is searched as a text. */
	for (size_t i = 0; i < length; i++)
		copy[i] = text[i] ? text[i] : ' ';
	copy[length] = '\0';
	mr_tokens_read(&tokens, copy, length);
	mr_log_find_command(line, &tokens);
	mr_log_find_call(line, &tokens);
	mr_log_find_errno(line, &tokens, copy);
	mr_log_find_numbers(line, &tokens);
	mr_log_find_device(line, &tokens);
	return (line->call || line->command[0]) && line->errnum;
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
