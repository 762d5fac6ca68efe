// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <ctype.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>

#include "cmd/report/escapes.h"
#include "cmd/report/paths.h"

#define BLANKS " \t\n"

/* Bytes that are looked at: a longer path is none, and the report of a hostile host may have anything. */
#define WORD_MAX 256

/* Folders of the root directory, and files, that are on many hosts. */
static const char *const of_system[] = {
	"usr/",         "bin/",        "sbin/",      "lib/",     "lib32/",
	"lib64/",       "etc/",        "proc/",      "sys/",     "boot/",
	"dev/null",     "dev/zero",    "dev/kvm",    "dev/vfio", "dev/infiniband",
	"dev/dma_heap", "dev/udmabuf", "dev/nvidia", NULL
};

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

static char before(const char *text, const char *at)
{
	return at > text ? at[-1] : '\0';
}

static bool is_name_char(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '-' || c == '.';
}

/* "~/x", "~alice" */
static bool is_tilde(const char *text, const char *at)
{
	return *at == '~' && !is_name_char(before(text, at)) && before(text, at) != '/' &&
	       (at[1] == '/' || isalpha((unsigned char)at[1]) || at[1] == '_');
}

static bool is_below(const char *at, const char *folder)
{
	const size_t length = strlen(folder);

	return !strncmp(at, folder, length) && at[length] == '/' && at[length + 1];
}

static bool is_home(const char *at, const char *home)
{
	return *at == '/' &&
	       (is_below(at, "/home") || is_below(at, "/root") || is_below(at, "/Users") ||
		(home && begins(at, home) && !is_name_char(at[strlen(home)])));
}

const char *path_user(const char *path, size_t *length)
{
	static const char *const homes[] = { "/home/", "/Users/", "~" };

	for (size_t i = 0; i < sizeof(homes) / sizeof(*homes); i++) {
		if (strncmp(path, homes[i], strlen(homes[i])) != 0)
			continue;
		path += strlen(homes[i]);
		*length = strcspn(path, "/");
		return *length ? path : NULL;
	}
	return NULL;
}

/* ---- where it ends ---- */

/* The quote or bracket that the word of a path is in, if any. */
static const char *find_opening(const char *text, const char *at)
{
	for (size_t i = 0; i < WORD_MAX && at > text && !strchr(BLANKS, at[-1]); i++, at--)
		if (strchr("'\"`([{<", at[-1]))
			return at - 1;
	return NULL;
}

/* The end of what a quote or bracket has opened; NULL: none closes it. */
static const char *find_closing(const char *opening, const char *at)
{
	static const char open[] = "'\"`([{<", close[] = "'\"`)]}>";
	const char closing = close[strchr(open, *opening) - open];
	const char *const last = at + strnlen(at, PATH_MAX);
	size_t depth = 1;

	for (; at < last && *at != '\n'; at++) {
		if (*at == '\\' && at[1])
			at++;
		else if (*at == closing && at[1] != '\\' && !isalnum((unsigned char)at[1]) &&
			 !--depth)
			return at;
		else if (*at == *opening && closing != *opening)
			depth++;
	}
	return NULL;
}

/* Whether a clause ends here: at ", ", ": ", " (", or before another path, an option or "x=". */
static bool ends_clause(const char *at)
{
	if (!strchr(BLANKS, *at))
		return strchr("'\"`)]}>|", *at) || (strchr(",:;.", *at) && strchr(BLANKS, at[1]));
	return strchr("/-(~'\"", at[1]) || at[1 + strcspn(at + 1, BLANKS "=/")] == '=';
}

/* Whether the slash is inside of a word, so that the word is no path of its own. */
static bool is_inside(const char *slash)
{
	return !strchr(BLANKS "=:'\"`([{</", slash[-1]);
}

/* The next slash of a line that is no path's first; NULL: there is none before another path. */
static const char *find_slash(const char *at, const char *last)
{
	const char *slash = memchr(at, '/', (size_t)(last - at));

	return slash && is_inside(slash) ? slash : NULL;
}

/* The end of a path that nothing encloses. */
static const char *find_end(const char *at)
{
	const size_t most = strnlen(at, PATH_MAX);
	const char *const newline = memchr(at, '\n', most);
	const char *const last = newline ? newline : at + most;
	const char *slash = at, *end;

	do {
		end = slash + (*slash == '/' || *slash == '~');
		while (end < last && !ends_clause(end))
			end++;
		slash = find_slash(end, last);
	} while (slash);
	while (end > at && strchr(BLANKS, end[-1]))
		end--;
	return end;
}

/* Of a home alone, which no slash follows: a user's name has no blank or comma. */
static size_t user_length(const char *user, const char *end)
{
	size_t length = 0;

	while (user + length < end && (is_name_char(user[length]) || user[length] < 0))
		length++;
	return length ? length : (size_t)(end - user);
}

size_t path_in_text(const char *text, const char *at, const char *home)
{
	const char *opening, *user, *end = NULL;
	size_t length = 0;

	if (!is_home(at, home) && !is_tilde(text, at))
		return 0;
	opening = find_opening(text, at);
	end = opening ? find_closing(opening, at) : NULL;
	if (end)
		return (size_t)(end - at);
	end = find_end(at);
	user = path_user(at, &length);
	if (user && user + length >= end)
		end = user + user_length(user, end);
	return (size_t)(end - at);
}

size_t path_in_file(const char *text, const char *at, const char *home)
{
	return is_home(at, home) && !isalnum((unsigned char)before(text, at)) ? strcspn(at, BLANKS)
									      : 0;
}

/* ---- values that are paths ---- */

bool path_is_of_system(const char *path)
{
	for (const char *const *folder = of_system; *path == '/' && *folder; folder++)
		if (begins(path + 1, *folder))
			return !strstr(path, "/../");
	return false;
}

/* Skips "--in=" and "file:".  Return: a path must stand there, whatever it looks like: mrctl's own words say so. */
static bool skip_prefix(const char **word)
{
	const char *const equals = strchr(*word, '='), *colon;
	bool is_file;

	if (equals && equals < *word + strcspn(*word, "/~" BLANKS))
		*word = equals + 1;
	colon = strchr(*word, ':');
	is_file = begins(*word, "file:") || begins(*word, "file-private:");
	if (colon && colon < *word + strcspn(*word, "/~" BLANKS))
		*word = colon + 1;
	if (begins(*word, "//"))
		*word += 2 + strcspn(*word + 2, "/");
	return is_file;
}

const char *path_of_word(const char *word)
{
	const bool is_address = strstr(word, "://") && !strstr(word, "file://");
	const bool is_file = skip_prefix(&word);

	if (is_address)
		return NULL;
	if (!*word || (!is_file && !strchr(word, '/') && *word != '~') || !strcmp(word, "/"))
		return NULL;
	return path_is_of_system(word) ? NULL : word;
}

const char *path_of_place(const char *place, size_t *length)
{
	const char *path = strstr(place, " (");
	const char *end;

	path = path && strchr(path, '/') ? path + 2 : place;
	if (!strchr(path, '/') || path_is_of_system(path))
		return NULL;
	end = strrchr(path, ':');
	if (!end || !isdigit((unsigned char)end[1]))
		end = path + strlen(path) - (path != place && path[strlen(path) - 1] == ')');
	*length = (size_t)(end - path);
	return path;
}

/* ---- known paths ---- */

/* Whether a path goes on. */
static bool goes_on(const char *at)
{
	return *at == '/' || isalnum((unsigned char)*at) ||
	       (*at && strchr("_-.%\\", *at) && is_name_char(at[1]));
}

size_t path_match(const char *text, const char *path, bool *is_longer)
{
	const char *at = text;

	for (; *path; path++) {
		char byte = '\0';
		const size_t escape = *at == *path ? 0 : escape_read(at, &byte);

		if (*at != *path && (!escape || byte != *path))
			return 0;
		at += escape ? escape : 1;
	}
	*is_longer = goes_on(at);
	return (size_t)((*is_longer ? find_end(at) : at) - text);
}
