// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "lib/diagnose/proof/chain.h"

static const struct mr_kernel_function *function_of(const struct mr_return *found)
{
	return &mr_kernel_functions[found->function];
}

static int errno_of(const struct mr_return *found)
{
	return mr_kernel_function_errno(function_of(found), found->value);
}

/*
 * Whether @inner returned to @outer, or to a function that @outer has called.  A function that another one has
 * jumped to at its end returns the same with the same stack: which of them is the inner one the table knows.
 */
static bool is_inside(const struct mr_return *inner, const struct mr_return *outer)
{
	return !function_of(inner)->is_entry &&
	       (inner->stack < outer->stack ||
		(inner->stack == outer->stack && inner->value == outer->value &&
		 inner->function > outer->function));
}

/* The end of what was called by the function that returned at @place. */
static size_t end_of_calls(const struct mr_return *returns, size_t count, size_t place)
{
	size_t end = place + 1;

	while (end < count && is_inside(&returns[end], &returns[place]))
		end++;
	return end;
}

/*
 * The call from which the function that returned at @place has its error: the last one that returned the same.
 * Another errno has been overcome, unless the function is one of those that translate.
 */
static size_t find_origin(const struct mr_return *returns, size_t count, size_t place)
{
	const size_t end = end_of_calls(returns, count, place);
	size_t translated = place;

	for (size_t i = place + 1; i < end; i = end_of_calls(returns, end, i)) {
		const int errnum = errno_of(&returns[i]);

		if (errnum && errnum == errno_of(&returns[place]))
			return i;
		if (errnum && translated == place && function_of(&returns[place])->translates)
			translated = i;
	}
	return translated;
}

void mr_chain_find(const struct mr_return *returns, size_t count, int errnum,
		   struct mr_chain *chain)
{
	size_t place = count, next;

	chain->count = 0;
	chain->was_entered = false;
	for (size_t i = 0; i < count && place == count; i++) {
		if (!function_of(&returns[i])->is_entry)
			continue;
		chain->was_entered = true;
		if (errno_of(&returns[i]) == errnum)
			place = i;
	}
	while (place < count) {
		const struct mr_chain_link link = { function_of(&returns[place]),
						    errno_of(&returns[place]) };

		/* The innermost one is always kept. */
		chain->links[chain->count == MR_CHAIN_MAX ? MR_CHAIN_MAX - 1 : chain->count++] =
			link;
		next = find_origin(returns, count, place);
		if (next == place)
			break;
		place = next;
	}
}
