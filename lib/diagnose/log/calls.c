// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <string.h>

#include "lib/diagnose/causes/refusal.h"
#include "lib/diagnose/log/parts.h"

/* Names of other libraries and of the kernel for what ends in a call. */
struct alias {
	const char *name;
	const char *call;
};

static const struct alias aliases[] = {
	{ "fi_mr_reg", "ibv_reg_mr" },
	{ "fi_mr_regv", "ibv_reg_mr" },
	{ "fi_mr_regattr", "ibv_reg_mr" },
	{ "ibv_exp_reg_mr", "ibv_reg_mr" },
	{ "ibv_cmd_reg_mr", "ibv_reg_mr" },
	{ "rdma_reg_msgs", "ibv_reg_mr" },
	{ "rdma_reg_read", "ibv_reg_mr" },
	{ "rdma_reg_write", "ibv_reg_mr" },
	{ "rpma_mr_reg", "ibv_reg_mr" },
	{ "rpma_peer_mr_reg", "ibv_reg_mr" },
	{ "reg_user_mr", "ibv_reg_mr" },
	{ "ib_umem_get", "ibv_reg_mr" },
	{ "mr_umem_get", "ibv_reg_mr" },
	{ "rxe_umem_get", "ibv_reg_mr" },
	{ "rxe_mr_init_user", "ibv_reg_mr" },
	{ "REG_MR", "ibv_reg_mr" },
	{ "ib_umem_dmabuf_get", "ibv_reg_dmabuf_mr" },
	{ "reg_user_mr_dmabuf", "ibv_reg_dmabuf_mr" },
	{ "dereg_user_mr", "ibv_dereg_mr" },
};

/* Commands of mlx5's firmware, and the calls that send them. */
static const struct alias commands[] = {
	{ "CREATE_MKEY", "ibv_reg_mr" },         { "QUERY_MKEY", "ibv_reg_mr" },
	{ "DESTROY_MKEY", "ibv_dereg_mr" },      { "CREATE_UMEM", "mlx5dv_devx_umem_reg" },
	{ "ALLOC_PD", "ibv_alloc_pd" },          { "DESTROY_UMEM", "mlx5dv_devx_umem_dereg" },
	{ "DEALLOC_PD", "ibv_dealloc_pd" },      { "ALLOC_UAR", "ibv_open_device" },
	{ "CREATE_UCTX", "mlx5dv_open_device" }, { "ALLOC_MEMIC", "ibv_alloc_dm" },
	{ "DEALLOC_MEMIC", "ibv_free_dm" },
};

/* Words that stand for a call, with one blank between; the first row whose words are there counts. */
static const struct alias phrases[] = {
	{ "deregister memory", "ibv_dereg_mr" },
	{ "unregister memory", "ibv_dereg_mr" },
	{ "deregister mr", "ibv_dereg_mr" },
	{ "dereg mr", "ibv_dereg_mr" },
	{ "register mr", "ibv_reg_mr" },
	{ "register a mr", "ibv_reg_mr" },
	{ "register an mr", "ibv_reg_mr" },
	{ "register the mr", "ibv_reg_mr" },
	{ "register msg mr", "ibv_reg_mr" },
	{ "reg mr", "ibv_reg_mr" },
	{ "mr reg", "ibv_reg_mr" },
	{ "mr registration", "ibv_reg_mr" },
	{ "allocate mr", "ibv_reg_mr" },
	{ "create mr", "ibv_reg_mr" },
	{ "create a mr", "ibv_reg_mr" },
	{ "create an mr", "ibv_reg_mr" },
	{ "register memory", "ibv_reg_mr" },
	{ "register the memory", "ibv_reg_mr" },
	{ "register a memory", "ibv_reg_mr" },
	{ "register rdma memory", "ibv_reg_mr" },
	{ "register local memory", "ibv_reg_mr" },
	{ "registering memory", "ibv_reg_mr" },
	{ "registering the memory", "ibv_reg_mr" },
	{ "memory registration", "ibv_reg_mr" },
	{ "mem registration", "ibv_reg_mr" },
	{ "register mem", "ibv_reg_mr" },
	{ "reg mem", "ibv_reg_mr" },
	{ "register region", "ibv_reg_mr" },
	{ "register buffer", "ibv_reg_mr" },
	{ "register the buffer", "ibv_reg_mr" },
	{ "register dmabuf", "ibv_reg_dmabuf_mr" },
	{ "umem get", "ibv_reg_mr" },
	{ "allocate pd", "ibv_alloc_pd" },
	{ "alloc pd", "ibv_alloc_pd" },
	{ "deallocate pd", "ibv_dealloc_pd" },
	{ "dealloc pd", "ibv_dealloc_pd" },
};

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* Whether a word is the name, or ends with it as "wrap_ibv_reg_mr" does. */
static bool is_name(const struct mr_token *token, const char *name)
{
	const size_t length = strlen(name);

	return token->kind == MR_TOKEN_WORD && token->length >= length &&
	       !strncmp(token->text + token->length - length, name, length) &&
	       (token->length == length || token->text[token->length - length - 1] == '_');
}

/* The call that a word names; of several that it ends with, the longest. */
static const char *call_of(const struct mr_token *token)
{
	const char *name, *best = NULL;

	for (size_t i = 0; (name = mr_call_name(i)); i++)
		if ((!strncmp(name, "ibv_", 4) || !strncmp(name, "mlx5dv_", 7)) &&
		    is_name(token, name) && (!best || strlen(name) > strlen(best)))
			best = name;
	return best;
}

static const char *find_alias(const struct alias *table, size_t count, const struct mr_token *token)
{
	for (size_t i = 0; i < count; i++)
		if (is_name(token, table[i].name))
			return table[i].call;
	return NULL;
}

static bool is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

/* The next part of a word: "register_memory" counts as two words, and so does "registerMemory". */
static size_t next_part(const char **at, const char *end, const char **part)
{
	size_t length = 0;

	while (*at < end && **at == '_')
		(*at)++;
	*part = *at;
	while (*at + length < end && (*at)[length] != '_' &&
	       !(length && is_upper((*at)[length]) && !is_upper((*at)[length - 1])))
		length++;
	*at += length;
	return length;
}

/* All words of the line in lower case, with a blank around each; signs between words are blanks too. */
static void join_words(const struct mr_tokens *tokens, char joined[MR_LOG_LINE_MAX + 3])
{
	size_t used = 0;

	joined[used++] = ' ';
	for (size_t i = 0; i < tokens->count; i++) {
		const struct mr_token *token = &tokens->list[i];
		const char *at = token->text, *end = at + token->length, *part;
		size_t length;

		if (token->kind == MR_TOKEN_SIGN && strchr("'\"*", *token->text))
			continue;
		while ((length = next_part(&at, end, &part)) &&
		       used + length + 2 < MR_LOG_LINE_MAX + 3) {
			for (size_t k = 0; k < length; k++)
				joined[used++] =
					is_upper(part[k]) ? (char)(part[k] | 0x20) : part[k];
			joined[used++] = ' ';
		}
	}
	joined[used] = '\0';
}

static const char *find_phrase(const char *joined)
{
	for (size_t i = 0; i < COUNT(phrases); i++) {
		const size_t length = strlen(phrases[i].name);

		for (const char *at = joined; (at = strstr(at, phrases[i].name)); at++)
			if (at[-1] == ' ' && (at[length] == ' ' || !strncmp(at + length, "s ", 2)))
				return phrases[i].call;
	}
	return NULL;
}

static bool is_about_dmabuf(const char *joined)
{
	return strstr(joined, " dmabuf") || strstr(joined, " dma buf") ||
	       strstr(joined, " dma - buf");
}

void mr_log_find_call(struct mr_log_line *line, const struct mr_tokens *tokens)
{
	char joined[MR_LOG_LINE_MAX + 3];

	for (size_t i = 0; i < tokens->count && !line->call; i++)
		line->call = call_of(&tokens->list[i]);
	line->is_named = line->call;
	for (size_t i = 0; i < COUNT(commands) && !line->call; i++)
		if (!strcmp(line->command, commands[i].name))
			line->call = commands[i].call;
	if (line->call || line->command[0])
		return;
	for (size_t i = 0; i < tokens->count && !line->call; i++)
		line->call = find_alias(aliases, COUNT(aliases), &tokens->list[i]);
	join_words(tokens, joined);
	if (!line->call)
		line->call = find_phrase(joined);
	if (line->call && !strcmp(line->call, "ibv_reg_mr") && is_about_dmabuf(joined))
		line->call = "ibv_reg_dmabuf_mr";
}
