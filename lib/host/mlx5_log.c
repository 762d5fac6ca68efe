// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/klog.h>
#include <time.h>
#include <unistd.h>

#include "lib/host/mlx5_log.h"
#include "lib/host/rdma_device.h"

#define READ_ALL 3 /* SYSLOG_ACTION_READ_ALL of syslog(2) */
#define LOG_SIZE (32 << 10)

#define NS_PER_S UINT64_C(1000000000)

/* The number between @key and a bracket, decimal or 0x...; false where @key is not there. */
static bool number_behind(const char *text, const char *key, int64_t *number)
{
	const char *found = strstr(text, key);
	char *end;

	if (!found)
		return false;
	found += strlen(key);
	errno = 0;
	*number = strtoll(found, &end, 0);
	return end != found && *end == ')' && !errno;
}

/* "[  123.456789] ", perhaps behind "<3>" */
static bool read_time(const char *text, uint64_t *ns)
{
	uint64_t seconds, micros;
	const char *open = strchr(text, '[');

	if (!open || open - text > 8 ||
	    sscanf(open, "[%" SCNu64 ".%6" SCNu64, &seconds, &micros) != 2 ||
	    seconds > UINT64_MAX / NS_PER_S / 2)
		return false;
	*ns = seconds * NS_PER_S + micros * 1000;
	return true;
}

/* "CREATE_MKEY(0x200) op_mod(0x0) failed, status limits exceeded(0x8), ..." */
static bool read_command(const char *text, struct mr_mlx5_log_line *line)
{
	const size_t length = strcspn(text, "( ");

	if (!length || length >= sizeof(line->command) || text[length] != '(')
		return false;
	memcpy(line->command, text, length);
	line->command[length] = '\0';
	return true;
}

bool mr_mlx5_log_parse(const char *text, const char *pci_address, uint64_t thread,
		       struct mr_mlx5_log_line *line)
{
	int64_t sender, status, syndrome, errnum = 0;
	const char *place, *status_text, *name_end;
	char driver[64];

	/* Most lines are of others, so what tells them apart most quickly comes first. */
	place = strstr(text, ":(pid ");
	if (!place || !number_behind(place, ":(pid ", &sender) || (uint64_t)sender != thread)
		return false;
	/* hw/mlx5/umr.c mlx5r_umr_post_send_wait(), which names the RDMA device: the thread tells enough */
	if (read_time(text, &line->age_ns) &&
	    number_behind(place, "): reg umr failed (", &status)) {
		snprintf(line->command, sizeof(line->command), "UMR");
		line->status = (uint64_t)status;
		line->syndrome = 0;
		line->errnum = 0;
		return true;
	}
	snprintf(driver, sizeof(driver), "mlx5_core %s", pci_address);
	if (!read_time(text, &line->age_ns) || !strstr(text, driver))
		return false;
	place = strstr(place, "): ");
	status_text = place ? strstr(place, " failed, status ") : NULL;
	if (!status_text || !read_command(place + 3, line))
		return false;
	/* The status is named by words, which have no brackets. */
	name_end = strstr(status_text, "(0x");
	if (!name_end || !number_behind(name_end, "(", &status) ||
	    !number_behind(name_end, "syndrome (", &syndrome) || status < 0 || syndrome < 0)
		return false;
	number_behind(name_end, "err(", &errnum);
	line->status = (uint64_t)status;
	line->syndrome = (uint64_t)syndrome;
	line->errnum = errnum < 0 && errnum >= -4095 ? (int)-errnum : 0;
	return true;
}

static uint64_t time_of_log(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

/* Who has sent a command: a thread, to a device. */
struct sender {
	char pci_address[32];
	uint64_t thread;
};

/* Writes the last line of the live log that is about a device and a thread, as text. */
static int answer_last_line(void *data, char *text, size_t size)
{
	const struct sender *sender = data;
	const uint64_t now = time_of_log();
	struct mr_mlx5_log_line line;
	char log[LOG_SIZE + 1], *rest, *next;
	int length;

	length = klogctl(READ_ALL, log, LOG_SIZE);
	if (length < 0)
		return -errno;
	log[length] = '\0';
	text[0] = '\0';
	for (rest = log; (next = strsep(&rest, "\n"));)
		if (mr_mlx5_log_parse(next, sender->pci_address, sender->thread, &line))
			snprintf(text, size,
				 "%s status=%" PRIu64 " syndrome=%" PRIu64
				 " errno=%d age_ns=%" PRIu64,
				 line.command, line.status, line.syndrome, line.errnum,
				 now > line.age_ns ? now - line.age_ns : 0);
	return text[0] ? 0 : -ENOENT;
}

int mr_mlx5_log_read(struct mr_host *host, const char *device, struct mr_mlx5_log_line *line)
{
	struct sender sender = { .thread = (uint64_t)gettid() };
	char text[256];
	int rc;

	if (host->process)
		sender.thread = (uint64_t)host->thread;
	if (!sender.thread || !mr_rdma_device_pci_address(host, device, sender.pci_address,
							  sizeof(sender.pci_address)))
		return -ENOENT;
	rc = mr_host_ask(host, "mlx5-log", answer_last_line, &sender, text, sizeof(text));
	if (rc)
		return rc;
	if (sscanf(text, "%39s status=%" SCNu64 " syndrome=%" SCNu64 " errno=%d age_ns=%" SCNu64,
		   line->command, &line->status, &line->syndrome, &line->errnum,
		   &line->age_ns) != 5)
		return -EINVAL;
	return 0;
}
