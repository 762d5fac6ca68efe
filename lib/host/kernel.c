// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "lib/host/kernel.h"

/* ---- release ---- */

bool mr_kernel_release(struct mr_host *host, char *release, size_t size)
{
	return mr_host_line(host, release, size, "/proc/sys/kernel/osrelease");
}

bool mr_kernel_version(const char *release, struct mr_kernel_version *version)
{
	return sscanf(release, "%3u.%3u", &version->major, &version->minor) == 2;
}

/* ---- options ---- */

struct option_search {
	struct mr_kernel_option *options;
	size_t count;
};

/* Takes "CONFIG_NAME=y" and "# CONFIG_NAME is not set". */
static bool take_option(const char *line, void *data)
{
	const struct option_search *search = data;
	const bool is_off = !strncmp(line, "# ", 2);
	const char *name = line + (is_off ? 2 : 0);

	if (strncmp(name, "CONFIG_", 7) != 0)
		return false;
	name += 7;
	for (size_t i = 0; i < search->count; i++) {
		struct mr_kernel_option *option = &search->options[i];
		const size_t length = strlen(option->name);

		if (strncmp(name, option->name, length) != 0)
			continue;
		if (is_off && !strcmp(name + length, " is not set"))
			option->is_on = MR_NO;
		else if (!is_off && (!strcmp(name + length, "=y") || !strcmp(name + length, "=m")))
			option->is_on = MR_YES;
		else
			continue;
		return true;
	}
	return false;
}

int mr_kernel_options_read(struct mr_host *host, const char *release,
			   struct mr_kernel_option *options, size_t count, char *path, size_t size)
{
	/* Debian and most others; Fedora and others; what building a module needs */
	static const char *const files[] = { "/boot/config-%s", "/lib/modules/%s/config",
					     "/usr/lib/modules/%s/config",
					     "/usr/lib/kernel/config-%s",
					     "/usr/src/linux-headers-%s/.config" };
	struct option_search search = { options, count };
	int rc = -ENOENT;

	for (size_t i = 0; i < count; i++)
		options[i].is_on = MR_UNKNOWN;
	for (size_t i = 0; rc && i < sizeof(files) / sizeof(*files); i++) {
		const char *gap = strstr(files[i], "%s");
		int next;

		/* a release with a '/' is none, and would lead elsewhere */
		if (strchr(release, '/') ||
		    (size_t)snprintf(path, size, "%.*s%s%s", (int)(gap - files[i]), files[i],
				     release, gap + 2) >= size)
			break;
		next = mr_host_lines(host, path, take_option, &search);
		rc = next == -ENOENT ? rc : next;
	}
	if (rc)
		path[0] = '\0';
	return rc;
}

/* ---- release ---- */

bool mr_kernel_release_is_plain(const char *release)
{
	static const char *const ends[] = { "-generic", "-amd64", "-arm64" };
	const char *rest = release + strspn(release, "0123456789.");

	if (!strncmp(rest, "-rc", 3))
		rest += 3 + strspn(rest + 3, "0123456789");
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		const size_t length = strlen(rest), end = strlen(ends[i]);

		if (length >= end && !strcmp(rest + length - end, ends[i]))
			return true;
	}
	return !*rest;
}

/* ---- command line ---- */

/* What a word begins with, up to the '='. */
static const char *const known_words[] = {
	"iommu", "intel_iommu", "amd_iommu",   "iommu.strict", "iommu.passthrough",
	"kho",   "cma",         "hugetlb_cma", "no5lvl",       "transparent_hugepage"
};

static bool is_known_word(const char *word)
{
	const size_t length = strcspn(word, "=");

	for (size_t i = 0; i < sizeof(known_words) / sizeof(*known_words); i++)
		if (strlen(known_words[i]) == length && !strncmp(word, known_words[i], length))
			return true;
	return false;
}

static int filter_words(void *data, char *text, size_t size)
{
	struct mr_host here = MR_THIS_HOST;
	char line[4096], *rest = line;
	const ssize_t got = mr_host_read(&here, line, sizeof(line), "/proc/cmdline");
	size_t used = 0;

	(void)data;
	text[0] = '\0';
	for (char *word; got > 0 && (word = strsep(&rest, " \n"));)
		if (is_known_word(word) && used + strlen(word) + 2 < size)
			used += (size_t)snprintf(text + used, size - used, "%s%s", used ? " " : "",
						 word);
	return got < 0 ? (int)got : 0;
}

int mr_kernel_words(struct mr_host *host, char *words, size_t size)
{
	return mr_host_ask(host, "kernel/words", filter_words, NULL, words, size);
}

/* ---- modules and symbols ---- */

bool mr_kernel_has_module(struct mr_host *host, const char *name)
{
	return mr_host_exists(host, "/sys/module/%s", name);
}

struct symbol_search {
	const char *name;
	bool found;
};

/* Takes "0000000000000000 T name	[module]". */
static bool match_symbol(const char *line, void *data)
{
	struct symbol_search *search = data;
	char name[128];

	if (sscanf(line, "%*s %*s %127s", name) == 1 && !strcmp(name, search->name))
		search->found = true;
	return false;
}

static int find_symbol(void *data, char *text, size_t size)
{
	struct mr_host here = MR_THIS_HOST;
	struct symbol_search *search = data;
	const int rc = mr_host_lines(&here, "/proc/kallsyms", match_symbol, search);

	snprintf(text, size, "%s", search->found ? "yes" : "no");
	return rc;
}

enum mr_tristate mr_kernel_has_symbol(struct mr_host *host, const char *name)
{
	struct symbol_search search = { .name = name };
	char question[160], answer[8];

	snprintf(question, sizeof(question), "kernel/symbol/%s", name);
	if (mr_host_ask(host, question, find_symbol, &search, answer, sizeof(answer)))
		return MR_UNKNOWN;
	return !strcmp(answer, "yes") ? MR_YES : !strcmp(answer, "no") ? MR_NO : MR_UNKNOWN;
}
