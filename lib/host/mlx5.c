// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/klog.h>
#include <unistd.h>

#include "lib/host/host.h"

#define DEBUGFS "/sys/kernel/debug"

/* Protection domains, keys of regions, umems, memory on the device, and the pages that the firmware requests. */
static const char *const names[MR_MLX5_COMMANDS] = {
	"CREATE_MKEY",   "QUERY_MKEY",  "DESTROY_MKEY",      "CREATE_UMEM",
	"DESTROY_UMEM",  "ALLOC_PD",    "DEALLOC_PD",        "ALLOC_MEMIC",
	"DEALLOC_MEMIC", "QUERY_PAGES", "PAGE_FAULT_RESUME", "MANAGE_PAGES",
};

#define COUNTER(file)                                                                              \
	mr_host_opt_number(host, DEBUGFS "/mlx5/%s/commands/%s/" file, pci_address, name)

static struct mr_mlx5_command read_command(struct mr_host *host, const char *pci_address,
					   const char *name)
{
	return (struct mr_mlx5_command){
		.name = name,
		.sent = COUNTER("n"),
		.failed = COUNTER("failed"),
		.refused = COUNTER("failed_mbox_status"),
		.last_errno = COUNTER("last_failed_errno"),
		.last_status = COUNTER("last_failed_mbox_status"),
		.last_syndrome = COUNTER("last_failed_syndrome"),
	};
}

/* Debugfs has a folder for each of its users; where it is not mounted, its own folder in sysfs is empty. */
int mr_mlx5_command_read(struct mr_host *host, const char *pci_address, const char *name,
			 struct mr_mlx5_command *command, struct mr_error *err)
{
	int rc = mr_host_list(host, NULL, NULL, DEBUGFS "/mlx5/%s/commands", pci_address), entries;

	if (rc >= 0) {
		*command = read_command(host, pci_address, name);
		return 0;
	}
	mr_fail(err, MR_ERROR_HOST, -rc, "opendir", "cannot read mlx5's counters in debugfs");
	entries = mr_host_list(host, NULL, NULL, DEBUGFS);
	if (entries == -EACCES || entries == -EPERM)
		mr_hint(err, "only root may read debugfs");
	else if (!entries || entries == -ENOENT)
		mr_hint(err, "not mounted: mount -t debugfs none " DEBUGFS);
	return rc;
}

int mr_mlx5_commands_read(struct mr_host *host, const char *pci_address,
			  struct mr_mlx5_command commands[MR_MLX5_COMMANDS], struct mr_error *err)
{
	int rc = mr_mlx5_command_read(host, pci_address, names[0], &commands[0], err);

	for (size_t i = 1; !rc && i < MR_MLX5_COMMANDS; i++)
		commands[i] = read_command(host, pci_address, names[i]);
	return rc;
}

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

bool mr_mlx5_log_parse(const char *text, const char *pci_address, uint64_t thread,
		       struct mr_mlx5_log_line *line)
{
	int64_t sender, status, syndrome, errnum = 0;
	const char *place, *status_text, *name_end;
	char driver[64], end;

	/* Most lines are of others, so the fastest test comes first. */
	place = strstr(text, ":(pid ");
	if (!place || !number_behind(place, ":(pid ", &sender) || (uint64_t)sender != thread)
		return false;
	/* hw/mlx5/umr.c mlx5r_umr_post_send_wait(), which names the RDMA device: the thread is enough */
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
	/* "CREATE_MKEY(0x200) op_mod(0x0) failed, status limits exceeded(0x8), ..." */
	if (!status_text || sscanf(place, "): %39[^( ]%c", line->command, &end) != 2 || end != '(')
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

/* Writes the last line of the live log that is about a device and a thread, as text. */
static int answer_last_line(const struct mr_host *host, void *data, char *text, size_t size)
{
	const pid_t thread = host->process ? host->thread : gettid();
	const uint64_t now = mr_now_ns();
	struct mr_mlx5_log_line line;
	char log[LOG_SIZE + 1], *rest, *next;
	int length;

	length = klogctl(READ_ALL, log, LOG_SIZE);
	if (length < 0)
		return -errno;
	log[length] = '\0';
	text[0] = '\0';
	for (rest = log; (next = strsep(&rest, "\n"));)
		if (mr_mlx5_log_parse(next, data, (uint64_t)thread, &line))
			snprintf(text, size,
				 "%s status=%" PRIu64 " syndrome=%" PRIu64
				 " errno=%d age_ns=%" PRIu64,
				 line.command, line.status, line.syndrome, line.errnum,
				 now > line.age_ns ? now - line.age_ns : 0);
	return text[0] ? 0 : -ENOENT;
}

int mr_mlx5_log_read(struct mr_host *host, const char *device, struct mr_mlx5_log_line *line)
{
	struct mr_rdma_device place;
	char text[256];
	int rc;

	mr_rdma_device_read_place(host, device, &place);
	if ((host->process && !host->thread) || !place.pci_address[0])
		return -ENOENT;
	rc = mr_host_query(host, answer_last_line, place.pci_address, text, sizeof(text),
			   "mlx5-log");
	if (rc)
		return rc;
	if (sscanf(text, "%39s status=%" SCNu64 " syndrome=%" SCNu64 " errno=%d age_ns=%" SCNu64,
		   line->command, &line->status, &line->syndrome, &line->errnum,
		   &line->age_ns) != 5)
		return -EINVAL;
	return 0;
}

static const struct mr_mlx5_status statuses[] = {
	{ 0x00, "OK", 0, "done" },
	{ 0x01, "INT_ERR", EIO, "an error inside the firmware" },
	{ 0x02, "BAD_OP_ERR", EINVAL, "the firmware does not know the command" },
	{ 0x03, "BAD_PARAM_ERR", EINVAL, "a parameter of the command is wrong" },
	{ 0x04, "BAD_SYS_STATE_ERR", EIO,
	  "the device is in a state that does not allow the command" },
	{ 0x05, "BAD_RES_ERR", EINVAL, "an object that the command names does not exist" },
	{ 0x06, "RES_BUSY", EBUSY, "an object that the command names is in use" },
	{ 0x07, "NOT_READY", EAGAIN, "the firmware is not ready yet" },
	{ 0x08, "LIM_ERR", ENOMEM, "a limit of the device is exceeded" },
	{ 0x09, "BAD_RES_STATE_ERR", EINVAL,
	  "an object that the command names is in the wrong state" },
	{ 0x0a, "IX_ERR", EINVAL, "an index is out of range" },
	{ 0x0f, "NO_RES_ERR", EAGAIN, "the device has no more objects of this kind" },
	{ 0x10, "BAD_QP_STATE_ERR", EINVAL, "the queue pair is in the wrong state" },
	{ 0x30, "BAD_PKT_ERR", EINVAL, "a bad packet, which was dropped" },
	{ 0x40, "BAD_SIZE_OUTS_CQES_ERR", EINVAL, "too many completions are outstanding" },
	{ 0x50, "BAD_INP_LEN_ERR", EIO, "the command has a wrong length" },
	{ 0x51, "BAD_OUTP_LEN_ERR", EIO, "the answer has no room" },
};

const struct mr_mlx5_status *mr_mlx5_status(uint64_t status)
{
	for (size_t i = 0; i < sizeof(statuses) / sizeof(*statuses); i++)
		if (statuses[i].status == status)
			return &statuses[i];
	return NULL;
}

const char *mr_mlx5_status_name(uint64_t status)
{
	const struct mr_mlx5_status *row = mr_mlx5_status(status);

	return row ? row->name : NULL;
}
