// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/klog.h>

#include "lib/host/kernel_log.h"

/* Of syslog(2). */
#define READ_ALL    3
#define SIZE_BUFFER 10

/* The largest log that is read: CONFIG_LOG_BUF_SHIFT is at most 25. */
#define LOG_MAX (32 << 20)

/* Lines that a warning has at most. */
#define WARNING_LINES 200

const char *const mr_kernel_log_words[] = {
	/* RDMA, and drivers of devices that have it */
	"rdma", "infiniband", "ib_core", "ib_uverbs", "uverbs", "mlx4", "mlx5", "rxe", "siw",
	"bnxt_re", "irdma", "efa ", "hns_roce", "nvidia_peermem", "nvidia-peermem", "nv_peer_mem",
	/* memory that was short */
	"out of memory", "oom-kill", "oom_reaper", "invoked oom", "page allocation failure",
	/* an IOMMU that refuses a device's access */
	"dmar:", "amd-vi:", "iommu fault", "io_page_fault", NULL
};

static bool is_word_start(const char *text, const char *at)
{
	return at == text || !isalnum((unsigned char)at[-1]);
}

static bool is_of_use(const char *line)
{
	for (const char *const *word = mr_kernel_log_words; *word; word++)
		for (const char *at = line; (at = strcasestr(at, *word)); at++)
			if (is_word_start(line, at))
				return true;
	return false;
}

static bool is_in_line(const char *line, const char *word)
{
	return memmem(line, strcspn(line, "\n"), word, strlen(word));
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
		if (is_in_line(begin, "[ cut here ]"))
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

static int answer_log(void *data __attribute__((unused)), char *text, size_t size)
{
	const int room = klogctl(SIZE_BUFFER, NULL, 0);
	const int wanted = room > 0 && room < LOG_MAX ? room : LOG_MAX;
	char *log = malloc((size_t)wanted + 1);
	int length, rc;

	if (!log)
		return -ENOMEM;
	length = klogctl(READ_ALL, log, wanted);
	rc = length < 0 ? -errno : 0;
	if (!rc) {
		log[length] = '\0';
		mr_kernel_log_choose(log, text,
				     size < MR_KERNEL_LOG_MAX ? size : MR_KERNEL_LOG_MAX);
	}
	free(log);
	return rc;
}

int mr_kernel_log_read(struct mr_host *host, char text[MR_KERNEL_LOG_MAX])
{
	return mr_host_ask(host, "kernel-log", answer_log, NULL, text, MR_KERNEL_LOG_MAX);
}
