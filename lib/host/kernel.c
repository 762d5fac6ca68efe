// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <argz.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/klog.h>
#include <sys/stat.h>

#include "lib/base/base.h"
#include "lib/host/host.h"

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
	/* a release with a '/' is none, and would lead elsewhere */
	for (size_t i = 0; rc && !strchr(release, '/') && i < sizeof(files) / sizeof(*files); i++) {
		const char *gap = strstr(files[i], "%s");
		int next;

		snprintf(path, size, "%.*s%s%s", (int)(gap - files[i]), files[i], release, gap + 2);
		next = mr_host_lines(host, take_option, &search, "%s", path);
		rc = next == -ENOENT ? rc : next;
	}
	if (rc)
		path[0] = '\0';
	return rc;
}

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

/* Names of words, up to the '='. */
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

static int filter_words(const struct mr_host *host, void *data, char *text, size_t size)
{
	char line[4096], *rest = line;
	const ssize_t got = mr_host_read(mr_this_host(), line, sizeof(line), "/proc/cmdline");

	(void)host;
	(void)data;
	text[0] = '\0';
	for (char *word; got > 0 && (word = strsep(&rest, " \n"));)
		if (is_known_word(word) && strlen(text) + strlen(word) + 2 < size)
			mr_text_add(text, size, " ", "%s", word);
	return got < 0 ? (int)got : 0;
}

int mr_kernel_words(struct mr_host *host, char *words, size_t size)
{
	return mr_host_query(host, filter_words, NULL, words, size, "kernel/words");
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

static int find_symbol(const struct mr_host *host, void *data, char *text, size_t size)
{
	struct symbol_search *search = data;
	const int rc = mr_host_lines(mr_this_host(), match_symbol, search, "/proc/kallsyms");

	(void)host;
	snprintf(text, size, "%s", search->found ? "yes" : "no");
	return rc;
}

enum mr_tristate mr_kernel_has_symbol(struct mr_host *host, const char *name)
{
	struct symbol_search search = { .name = name };
	char answer[8];

	if (mr_host_query(host, find_symbol, &search, answer, sizeof(answer), "kernel/symbol/%s",
			  name))
		return MR_UNKNOWN;
	return !strcmp(answer, "yes") ? MR_YES : !strcmp(answer, "no") ? MR_NO : MR_UNKNOWN;
}

/* An action of syslog(2). */
#define READ_ALL 3

/* The largest log that is read: CONFIG_LOG_BUF_SHIFT is at most 25. */
#define LOG_MAX (32 << 20)

/* Lines that a warning has at most. */
#define WARNING_LINES 200
#define CUT_HERE      "[ cut here ]"

const char *const mr_kernel_log_words[] = {
	/* RDMA, and drivers of devices that have it */
	"rdma", "infiniband", "ib_core", "ib_uverbs", "uverbs", "mlx4", "mlx5", "rxe", "siw",
	"bnxt_re", "irdma", "efa ", "hns_roce", "nvidia_peermem", "nvidia-peermem", "nv_peer_mem",
	/* memory that was short */
	"out of memory", "oom-kill", "oom_reaper", "invoked oom", "page allocation failure",
	/* an IOMMU that refuses a device's access */
	"dmar:", "amd-vi:", "iommu fault", "io_page_fault", NULL
};

static bool is_of_use(const char *line)
{
	for (const char *const *word = mr_kernel_log_words; *word; word++)
		for (const char *at = line; (at = strcasestr(at, *word)); at++)
			if (at == line || !isalnum((unsigned char)at[-1]))
				return true;
	return false;
}

/* Where the line before @end begins. */
static char *line_before(char *log, char *end)
{
	char *line = memrchr(log, '\n', (size_t)(end - log));

	return line ? line + 1 : log;
}

/*
 * A warning of the kernel is of many lines, few of which have a word: include/asm-generic/bug.h CUT_HERE, kernel/panic.c
 * print_oops_end_marker().  Return: where the warning begins whose last line is @line; @line: that ends none.
 */
static char *warning_before(char *log, char *line)
{
	char *begin = line;

	if (!strstr(line, "---[ end trace"))
		return line;
	for (int i = 0; i < WARNING_LINES && begin > log; i++) {
		begin = line_before(log, begin - 1);
		if (memmem(begin, strcspn(begin, "\n"), CUT_HERE, strlen(CUT_HERE)))
			return begin;
	}
	return line;
}

void mr_kernel_log_choose(char *log, char *text, size_t size)
{
	size_t used = size - 1; /* the text is written from its end */
	char *end = log + strlen(log);

	text[used] = '\0';
	while (end > log) {
		char *line;
		size_t length;

		if (end[-1] == '\n')
			*--end = '\0';
		line = warning_before(log, line_before(log, end));
		length = (size_t)(end - line);
		end = line;
		if (!is_of_use(line))
			continue;
		if (length + 1 > used)
			break;
		text[--used] = '\n';
		used -= length;
		memcpy(text + used, line, length);
	}
	memmove(text, text + used, size - used);
}

static int answer_log(const struct mr_host *host __attribute__((unused)),
		      void *data __attribute__((unused)), char *text,
		      size_t size __attribute__((unused)))
{
	char *log = malloc(LOG_MAX + 1); /* only what the kernel writes to becomes memory */
	int length, rc;

	if (!log)
		return -ENOMEM;
	length = klogctl(READ_ALL, log, LOG_MAX);
	rc = length < 0 ? -errno : 0;
	if (!rc) {
		log[length] = '\0';
		mr_kernel_log_choose(log, text, MR_KERNEL_LOG_MAX);
	}
	free(log);
	return rc;
}

int mr_kernel_log_read(struct mr_host *host, char text[MR_KERNEL_LOG_MAX])
{
	return mr_host_query(host, answer_log, NULL, text, MR_KERNEL_LOG_MAX, "kernel-log");
}

/* A text that fills the room may have been cut. */
static void read_text(struct mr_host *host, char *text, size_t size, const char *path)
{
	if (!mr_host_line(host, text, size, "%s", path) || strlen(text) == size - 1)
		text[0] = '\0';
}

static bool take_line(const char *line, void *data)
{
	static const char name[] = "Cpus_allowed_list:";
	struct mr_cpus *cpus = data;
	const char *list = line + strlen(name);

	if (strncmp(line, name, strlen(name)) != 0)
		return false;
	list += strspn(list, " \t");
	if (strlen(list) < sizeof(cpus->allowed))
		snprintf(cpus->allowed, sizeof(cpus->allowed), "%s", list);
	return true;
}

void mr_cpus_read(struct mr_host *host, struct mr_cpus *cpus)
{
	*cpus = (struct mr_cpus){ .possible = "" };
	read_text(host, cpus->possible, sizeof(cpus->possible), "/sys/devices/system/cpu/possible");
	if (mr_host_lines(host, take_line, cpus, "/proc/thread-self/status"))
		cpus->allowed[0] = '\0';
}

enum mr_tristate mr_cpu_list_has(const char *list, uint64_t cpu, enum mr_tristate *ends_before)
{
	bool has = false, above = false;

	*ends_before = MR_UNKNOWN;
	for (;; list++) {
		uint32_t first, last;
		int used = 0;

		/* "3" or "0-3" */
		if (sscanf(list, "%" SCNu32 "%n", &first, &used) != 1)
			return MR_UNKNOWN;
		list += used;
		last = first;
		if (*list == '-' && sscanf(list + 1, "%" SCNu32 "%n", &last, &used) == 1)
			list += used + 1;
		has |= first <= cpu && cpu <= last;
		above |= last >= cpu;
		if (*list != ',')
			break;
	}
	if (*list)
		return MR_UNKNOWN;
	*ends_before = above ? MR_NO : MR_YES;
	return has ? MR_YES : MR_NO;
}

/* "model name" of x86, "Processor" of old ARM; other ARMs have only numbers. */
static bool take_model(const char *line, void *data)
{
	static const char *const names[] = { "model name", "Processor", "cpu", NULL };
	struct mr_processor *processor = data;
	const char *colon = strchr(line, ':');

	for (size_t i = 0; colon && names[i] && !processor->model[0]; i++) {
		const size_t length = strlen(names[i]);

		if (strncmp(line, names[i], length) != 0 ||
		    line + length + strspn(line + length, " \t") != colon)
			continue;
		snprintf(processor->model, sizeof(processor->model), "%s",
			 colon + 1 + strspn(colon + 1, " \t"));
		return true;
	}
	return false;
}

void mr_processor_read(struct mr_host *host, struct mr_processor *processor)
{
	*processor = (struct mr_processor){ .model = "" };
	mr_host_lines(host, take_model, processor, "/proc/cpuinfo");
	read_text(host, processor->governor, sizeof(processor->governor),
		  "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
	read_text(host, processor->clock, sizeof(processor->clock),
		  "/sys/devices/system/clocksource/clocksource0/current_clocksource");
	read_text(host, processor->online, sizeof(processor->online),
		  "/sys/devices/system/cpu/online");
	read_text(host, processor->nodes, sizeof(processor->nodes),
		  "/sys/devices/system/node/has_memory");
}

#define FUNCTIONS "/sys/bus/pci/devices"

/* Return: whether a function has to do with registration. */
static bool read_function(struct mr_host *host, const char *name, struct mr_pci_function *function)
{
	char target[PATH_MAX];
	uint64_t vendor, class;

	if ((size_t)snprintf(function->address, sizeof(function->address), "%s", name) >=
		    sizeof(function->address) ||
	    !mr_host_number(host, &class, FUNCTIONS "/%s/class", name) ||
	    !mr_host_number(host, &vendor, FUNCTIONS "/%s/vendor", name))
		return false;
	if (class >> 16 == 0x02 || class >> 8 == 0x0c06)
		function->kind = MR_PCI_NETWORK;
	else if ((class >> 16 == 0x03 || class >> 16 == 0x12) &&
		 (vendor == MR_PCI_NVIDIA || vendor == MR_PCI_AMD))
		function->kind = MR_PCI_GPU;
	else
		return false;
	function->vendor = (uint32_t)vendor;
	mr_host_link_end(host, function->driver, sizeof(function->driver), FUNCTIONS "/%s/driver",
			 name);
	function->is_virtual =
		mr_host_link(host, target, sizeof(target), FUNCTIONS "/%s/physfn", name);
	return true;
}

int mr_pci_list(struct mr_host *host,
		void (*take)(const struct mr_pci_function *function, void *data), void *data)
{
	struct mr_pci_function function;
	mr_auto_free char *names = NULL;
	size_t size;
	const int rc = mr_host_names(host, &names, &size, FUNCTIONS);

	for (const char *name = NULL; (name = argz_next(names, size, name));)
		if (read_function(host, name, &function))
			take(&function, data);
	return rc < 0 ? rc : 0;
}

void mr_iommu_read(struct mr_host *host, const char *pci_address, struct mr_iommu *iommu)
{
	iommu->type[0] = '\0';
	mr_host_link_end(host, iommu->group, sizeof(iommu->group), FUNCTIONS "/%s/iommu_group",
			 pci_address);
	if (iommu->group[0])
		mr_host_line(host, iommu->type, sizeof(iommu->type),
			     "/sys/kernel/iommu_groups/%s/type", iommu->group);
}

uint64_t mr_pci_region(struct mr_host *host, const char *pci_address, unsigned int index)
{
	uint64_t first, last;
	char text[2048];
	const char *line = text;

	mr_host_read(host, text, sizeof(text), FUNCTIONS "/%s/resource", pci_address);
	for (; line && index; index--) {
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	if (!line || sscanf(line, "%" SCNx64 " %" SCNx64, &first, &last) != 2 || last <= first)
		return 0;
	return last - first + 1;
}

static int find_binding(const struct mr_host *host __attribute__((unused)), void *data, char *text,
			size_t size)
{
	const char *folder = data;
	char path[PATH_MAX];
	struct stat st;

	if ((size_t)snprintf(path, sizeof(path), "%s/driver", folder) >= sizeof(path))
		return -ENAMETOOLONG;
	if (lstat(path, &st))
		return -errno;
	snprintf(text, size, "%" PRIu32, (uint32_t)st.st_ino);
	return 0;
}

uint32_t mr_pci_binding(struct mr_host *host, const char *folder)
{
	char text[16];

	if (mr_host_query(host, find_binding, (void *)folder, text, sizeof(text), "binding%s",
			  folder))
		return 0;
	return (uint32_t)strtoul(text, NULL, 10);
}
