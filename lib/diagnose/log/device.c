// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>
#include <string.h>

#include "lib/base/base.h"
#include "lib/diagnose/log/parts.h"

/* How names of devices, drivers and functions begin, and the provider of rdma-core. */
static const struct {
	const char *prefix;
	const char *provider;
} prefixes[] = {
	{ "mlx5", "mlx5" },   { "mlx4", "mlx4" },       { "rdma_rxe", "rxe" },
	{ "rxe", "rxe" },     { "siw", "siw" },         { "efa", "efa" },
	{ "rdmap", "efa" },   { "erdma", "erdma" },     { "irdma", "irdma" },
	{ "i40iw", "irdma" }, { "bnxt_re", "bnxt_re" }, { "hns", "hns" },
	{ "qedr", "qedr" },   { "ionic", "ionic" },     { "cxgb4", "cxgb4" },
	{ "mana", "mana" },   { "ocrdma", "ocrdma" },   { "hfi1", "hfi1" },
	{ "qib", "qib" },     { "mthca", "mthca" },     { "vmw_pvrdma", "vmw_pvrdma" },
};

static const char *provider_of(const struct mr_token *word)
{
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++) {
		const size_t length =
			*word->text == *prefixes[i].prefix ? strlen(prefixes[i].prefix) : 0;

		if (length && word->length >= length &&
		    !strncmp(word->text, prefixes[i].prefix, length) &&
		    (word->length == length || !mr_is_letter(word->text[length])))
			return prefixes[i].provider;
	}
	return NULL;
}

/* "mlx5_0", "mlx5_bond_2", "rxe0": it ends with a number, and is no file such as "ib_mlx5.c". */
static bool is_device(const struct mr_token *word, const char *provider)
{
	const char *end = word->text + word->length;

	return word->length > strlen(provider) && mr_is_digit(end[-1]) &&
	       !(mr_token_is_sign(&word[1], ".") && word[1].text == end);
}

void mr_log_find_device(struct mr_log_line *line, const struct mr_tokens *tokens)
{
	for (const struct mr_token *token = tokens->list; token->kind != MR_TOKEN_END; token++) {
		const char *provider = token->kind == MR_TOKEN_WORD ? provider_of(token) : NULL;

		if (!provider)
			continue;
		if (!line->provider[0])
			snprintf(line->provider, sizeof(line->provider), "%s", provider);
		if (!line->device[0] && is_device(token, provider))
			snprintf(line->device, sizeof(line->device), "%.*s", (int)token->length,
				 token->text);
	}
}
