// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Catalogues of the C library, as msgfmt(1) writes them, and broken ones. */
#include "lib/diagnose/log/log.h"
#include "tests/unit/one_host.h"

/* The originals are sorted, as those of the C library are. */
static const char *const messages[][2] = {
	{ "", "Content-Type: text/plain; charset=UTF-8\n" },
	{ "Bad address", "Ungültige Adresse" },
	{ "Cannot allocate memory", "Nicht genügend Hauptspeicher verfügbar" },
	{ "Invalid argument", "Argu" },
};

static size_t write_catalogue(char *file)
{
	const uint32_t count = ARRAY_SIZE(messages), header[] = { 0x950412de, 0, count, 28, 28 + count * 8, 0, 0 };
	uint32_t at = 28 + count * 16;

	memcpy(file, header, sizeof(header));
	for (uint32_t side = 0; side < 2; side++)
		for (uint32_t i = 0; i < count; i++) {
			const uint32_t row[] = { (uint32_t)strlen(messages[i][side]), at };

			memcpy(file + 28 + side * count * 8 + i * 8, row, sizeof(row));
			memcpy(file + at, messages[i][side], row[0] + 1);
			at += row[0] + 1;
		}
	return at;
}

/* Returns the errno of a line by a catalogue of these bytes. */
static int errno_by(const char *file, size_t size, const char *line)
{
	struct mr_languages *languages;
	FILE *out = recorded_host_open(&recorded, "/de/LC_MESSAGES/libc.mo", "w");
	int errnum;

	assert_int_equal(fwrite(file, 1, size, out), size);
	fclose(out);
	languages = mr_languages_open(recorded.folder);
	assert_non_null(languages);
	errnum = mr_languages_errno(languages, line, strlen(line));
	mr_languages_free(languages);
	return errnum;
}

TEST(texts_of_a_catalogue_are_errnos_and_broken_catalogues_have_none)
{
	char file[512];
	const size_t size = write_catalogue(file);

	assert_int_equal(errno_by(file, size, "ibv_reg_mr: Ungültige Adresse"), EFAULT);
	assert_int_equal(errno_by(file, size, "ibv_reg_mr: Nicht genügend Hauptspeicher verfügbar (8)"), ENOMEM);
	assert_int_equal(errno_by(file, size, "ibv_reg_mr: Ungültige"), 0);
	assert_int_equal(errno_by(file, size, "Argument"), 0); /* too short a text */
	for (size_t cut = 0; cut < size; cut++)
		assert_in_range(errno_by(file, cut, "Nicht genügend Hauptspeicher verfügbar"), 0, EFAULT);
	for (size_t i = 0; i < 28 + ARRAY_SIZE(messages) * 16; i++) {
		file[i] ^= (char)0xff;
		assert_in_range(errno_by(file, size, "Ungültige Adresse"), 0, EFAULT);
		file[i] ^= (char)0xff;
	}
	assert_int_equal(mr_languages_errno(NULL, "", 0), 0);
}

ALL_TESTS(set_up, tear_down)
