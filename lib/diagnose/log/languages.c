// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/base.h"
#include "lib/diagnose/log/languages.h"

/* Errnos of user space, and bytes of a catalogue, a text of which may stand in a line by chance if it is shorter. */
enum { ERRNO_END = 134, CATALOGUE_MAX = 4 << 20, TEXT_MIN = 6, TEXTS_MAX = UINT16_MAX - 1 };

struct text {
	char *text;
	size_t length;
	int errnum;
	uint16_t next; /* with the same first two bytes; 0: none */
};

struct mr_languages {
	struct text *texts; /* from 1 */
	size_t count;
	uint16_t first[UINT16_MAX + 1]; /* by their first two bytes */
};

static uint16_t key_of(const char *text)
{
	return (uint16_t)((unsigned char)text[0] << 8 | (unsigned char)text[1]);
}

static bool add(struct mr_languages *languages, const char *text, size_t length, int errnum)
{
	const size_t index = languages->count + 1;
	uint16_t *first = &languages->first[key_of(text)];
	struct text *texts;

	if (length < TEXT_MIN || index > TEXTS_MAX)
		return true;
	for (size_t i = *first; i; i = languages->texts[i].next)
		if (languages->texts[i].length == length &&
		    !memcmp(languages->texts[i].text, text, length))
			return true;
	texts = realloc(languages->texts, (index + 1) * sizeof(*texts));
	if (!texts)
		return false;
	languages->texts = texts;
	texts[index] = (struct text){ strndup(text, length), length, errnum, *first };
	if (!texts[index].text)
		return false;
	*first = (uint16_t)index;
	languages->count++;
	return true;
}

/* ---- catalogues: gettext's info page, "The Format of GNU MO Files" ---- */

struct catalogue {
	char *bytes;
	size_t size;
	uint32_t count, originals, translations; /* entries, and where their tables are */
};

static bool read_u32(const struct catalogue *catalogue, uint64_t at, uint32_t *value)
{
	if (at + sizeof(*value) > catalogue->size)
		return false;
	memcpy(value, catalogue->bytes + at, sizeof(*value));
	return true;
}

/* Returns the text of an entry, which ends with a NUL that does not count; NULL: the catalogue is broken. */
static const char *text_of(const struct catalogue *catalogue, uint32_t table, uint32_t index,
			   size_t *length)
{
	const uint64_t at = table + (uint64_t)index * 8;
	uint32_t bytes, offset;

	if (!read_u32(catalogue, at, &bytes) || !read_u32(catalogue, at + 4, &offset) ||
	    (uint64_t)offset + bytes >= catalogue->size || catalogue->bytes[offset + bytes])
		return NULL;
	*length = bytes;
	return catalogue->bytes + offset;
}

/* The originals are sorted. */
static bool add_translation(struct mr_languages *languages, const struct catalogue *catalogue,
			    int errnum)
{
	uint32_t low = 0, high = catalogue->count;
	const char *text;
	size_t length;

	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;
		int order;

		text = text_of(catalogue, catalogue->originals, middle, &length);
		order = text ? strcmp(mr_errno_text(errnum), text) : 0;
		if (!text)
			return true;
		if (!order) {
			text = text_of(catalogue, catalogue->translations, middle, &length);
			return !text || add(languages, text, length, errnum);
		}
		*(order < 0 ? &high : &low) = order < 0 ? middle : middle + 1;
	}
	return true;
}

static bool read_catalogue(struct mr_languages *languages, const struct catalogue *file)
{
	struct catalogue catalogue = *file;
	uint32_t magic;

	if (!read_u32(file, 0, &magic) || magic != 0x950412de ||
	    !read_u32(file, 8, &catalogue.count) || !read_u32(file, 12, &catalogue.originals) ||
	    !read_u32(file, 16, &catalogue.translations))
		return true;
	for (int i = 1; i < ERRNO_END; i++)
		if (mr_errno_name(i) && !add_translation(languages, &catalogue, i))
			return false;
	return true;
}

static bool open_catalogue(struct mr_languages *languages, const char *path)
{
	mr_auto_fd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct catalogue file = { .bytes = fd < 0 ? NULL : malloc(CATALOGUE_MAX) };
	bool has_room = fd < 0 || file.bytes;
	ssize_t got = 0;

	while (file.bytes &&
	       (got = read(fd, file.bytes + file.size, CATALOGUE_MAX - file.size)) > 0)
		file.size += (size_t)got;
	if (file.bytes && !got)
		has_room = read_catalogue(languages, &file);
	free(file.bytes);
	return has_room;
}

struct mr_languages *mr_languages_open(const char *folder)
{
	struct mr_languages *languages = calloc(1, sizeof(*languages));
	DIR *dir = languages ? opendir(folder) : NULL;
	const struct dirent *entry;
	bool has_room = languages;
	char path[PATH_MAX];

	while (has_room && dir && (entry = readdir(dir))) {
		snprintf(path, sizeof(path), "%s/%s/LC_MESSAGES/libc.mo", folder, entry->d_name);
		has_room = entry->d_name[0] == '.' || open_catalogue(languages, path);
	}
	if (dir)
		closedir(dir);
	if (has_room)
		return languages;
	mr_languages_close(languages);
	return NULL;
}

int mr_languages_errno(const struct mr_languages *languages, const char *text, size_t length)
{
	size_t longest = 0;
	int errnum = 0;

	for (size_t at = 0; languages && at + TEXT_MIN <= length; at++)
		for (size_t i = languages->first[key_of(text + at)]; i;
		     i = languages->texts[i].next) {
			const struct text *candidate = &languages->texts[i];

			if (candidate->length <= longest || candidate->length > length - at ||
			    memcmp(text + at, candidate->text, candidate->length) != 0)
				continue;
			longest = candidate->length;
			errnum = candidate->errnum;
		}
	return errnum;
}

void mr_languages_close(struct mr_languages *languages)
{
	if (!languages)
		return;
	for (size_t i = 1; languages->texts && i <= languages->count; i++)
		free(languages->texts[i].text);
	free(languages->texts);
	free(languages);
}
