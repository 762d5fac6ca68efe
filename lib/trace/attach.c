// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "lib/base/base.h"
#include "lib/diagnose/proof/proof.h"
#include "lib/host/host.h"
#include "lib/host/reading.h"
#include "lib/trace/kernel_calls.h"

#define RING (1U << 22) /* bytes for events, some 4,500 calls; a power of 2 */
#define PATIENCE                                                                                   \
	UINT64_C(                                                                                  \
		1000000000) /* ns after which a look at the process says nothing of a call any more */

enum {
	THREADS = 16384,    /* in a call at once */
	EVENTS = 1024,      /* taken before signals are looked at again */
	LOOKS_AT_ONCE = 64, /* at the process; then one each PATIENCE */
};

/* The returns come first, so that no call is seen to begin and not to end. */
static const struct mr_attach_kind kinds[] = {
	{ false, false }, { false, true }, { true, false }, { true, true }
};

/* ---- putting up ---- */

static int fail(int errnum, const char *call, struct mr_error *err)
{
	mr_fail(err, MR_ERROR_HOST, errnum, call, "calls of a running process cannot be watched");
	if (errnum == EOPNOTSUPP)
		mr_hint(err, "not available on this processor: run the program by mrctl trace");
	else
		mr_hint(err, "requires root (CAP_BPF), and Linux 5.8 with CONFIG_BPF_EVENTS");
	return -errnum;
}

/* Keeps a descriptor for mr_attach_end().  Return: whether it is one */
static bool keep(struct mr_attach *attach, int fd)
{
	if (fd >= 0)
		attach->fds[attach->fd_count++] = fd;
	return fd >= 0;
}

static bool create_map(struct mr_attach *attach, int *map, uint32_t type, uint32_t key,
		       uint32_t value, uint32_t entries)
{
	union bpf_attr attributes;

	memset(&attributes, 0, sizeof(attributes));
	attributes.map_type = type;
	attributes.key_size = key;
	attributes.value_size = value;
	attributes.max_entries = entries;
	*map = mr_attach_bpf(BPF_MAP_CREATE, &attributes);
	return keep(attach, *map);
}

static int create_maps(struct mr_attach *attach, struct mr_error *err)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *consumer, *producer;

	if (!create_map(attach, &attach->maps.ring, BPF_MAP_TYPE_RINGBUF, 0, 0, RING) ||
	    !create_map(attach, &attach->maps.pending, BPF_MAP_TYPE_HASH, sizeof(uint64_t),
			2 * sizeof(uint64_t), THREADS) ||
	    !create_map(attach, &attach->maps.lost, BPF_MAP_TYPE_ARRAY, sizeof(uint32_t),
			sizeof(uint64_t), 1))
		return fail(errno, "bpf(BPF_MAP_CREATE)", err);
	consumer = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, attach->maps.ring, 0);
	if (consumer == MAP_FAILED)
		return fail(errno, "mmap", err);
	attach->consumer = consumer;
	producer =
		mmap(NULL, page + 2 * RING, PROT_READ, MAP_SHARED, attach->maps.ring, (off_t)page);
	if (producer == MAP_FAILED)
		return fail(errno, "mmap", err);
	attach->producer = producer;
	return 0;
}

/* Return: 0, or -errno with MR_ERROR_HOST. */
static int find_process(pid_t pid, struct mr_attach_process *process, struct mr_error *err)
{
	struct mr_process folder;
	struct stat st;
	int errnum = 0;

	if (!mr_process_open(pid, &folder))
		return mr_fail(err, MR_ERROR_HOST, errno, "open", "/proc/%d", (int)pid);
	if (!mr_process_stat_link(&folder, "ns/pid", &st))
		errnum = errno;
	mr_process_close(&folder);
	if (errnum)
		return mr_fail(err, MR_ERROR_HOST, errnum, "stat", "/proc/%d/ns/pid", (int)pid);
	/* The kernel's own form of a device number (MKDEV of include/linux/kdev_t.h) */
	*process = (struct mr_attach_process){
		.pid = pid,
		.pid_device = (uint32_t)(major(st.st_dev) << 20 | minor(st.st_dev)),
		.pid_inode = st.st_ino,
	};
	return 0;
}

int mr_attach_begin(struct mr_attach *attach, pid_t pid, struct mr_error *err)
{
	struct mr_attach_process process;
	uint64_t type;
	int rc = mr_kprobe_type(&type, err);

	if (!rc)
		rc = find_process(pid, &process, err);
	if (!rc)
		rc = create_maps(attach, err);
	for (size_t i = 0; !rc && i < sizeof(kinds) / sizeof(*kinds); i++) {
		const int program = mr_attach_program(&attach->maps, &process, &kinds[i]);
		int probe;

		if (!keep(attach, program))
			return fail(errno, "bpf(BPF_PROG_LOAD)", err);
		probe = mr_kprobe_open(type,
				       &(struct mr_kprobe){
					       .function = kinds[i].is_write ? "ib_uverbs_write"
									     : "ib_uverbs_ioctl",
					       .at_entry = kinds[i].at_entry,
					       .by_program = true,
				       });
		if (!keep(attach, probe))
			return mr_kprobe_fail(errno, err);
		if (ioctl(probe, PERF_EVENT_IOC_SET_BPF, program))
			return fail(errno, "ioctl(PERF_EVENT_IOC_SET_BPF)", err);
	}
	return rc;
}

void mr_attach_end(struct mr_attach *attach)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);

	if (attach->consumer)
		munmap(attach->consumer, page);
	if (attach->producer)
		munmap(attach->producer, page + 2 * RING);
	while (attach->fd_count)
		close(attach->fds[--attach->fd_count]);
	*attach = (struct mr_attach){ .fd_count = 0 };
}

/* ---- events ---- */

/* Takes the next event of the ring (kernel/bpf/ringbuf.c), which is mapped twice in a row.  Return: whether there is one */
static bool next_event(struct mr_attach *attach, struct mr_kernel_event *event)
{
	const char *data = (const char *)attach->producer + sysconf(_SC_PAGESIZE);
	uint64_t *consumed = attach->consumer;
	bool is_event = false;

	while (!is_event &&
	       *consumed < __atomic_load_n((uint64_t *)attach->producer, __ATOMIC_ACQUIRE)) {
		const uint32_t *header = (const void *)(data + (*consumed & (RING - 1)));
		const uint32_t length = __atomic_load_n(header, __ATOMIC_ACQUIRE);
		const size_t size = length & ~(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT);

		if (length & BPF_RINGBUF_BUSY_BIT)
			return false;
		is_event = !(length & BPF_RINGBUF_DISCARD_BIT) && size <= sizeof(*event);
		if (is_event)
			memcpy(event, (const char *)header + BPF_RINGBUF_HDR_SZ, size);
		__atomic_store_n(consumed, *consumed + (BPF_RINGBUF_HDR_SZ + size + 7) / 8 * 8,
				 __ATOMIC_RELEASE);
	}
	return is_event;
}

static uint64_t count_lost(const struct mr_attach *attach)
{
	union bpf_attr attributes;
	uint64_t lost = 0;
	uint32_t key = 0;

	memset(&attributes, 0, sizeof(attributes));
	attributes.map_fd = (uint32_t)attach->maps.lost;
	attributes.key = (uintptr_t)&key;
	attributes.value = (uintptr_t)&lost;
	mr_attach_bpf(BPF_MAP_LOOKUP_ELEM, &attributes);
	return lost;
}

/* ---- the process ---- */

/* The device that a descriptor of the process is of. */
static void find_device(pid_t pid, uint64_t fd, char *device)
{
	struct mr_process process;
	struct stat st;
	char name[24];

	if (!mr_process_open(pid, &process))
		return;
	snprintf(name, sizeof(name), "fd/%d", (int)fd);
	if (mr_process_stat_link(&process, name, &st) && S_ISCHR(st.st_mode))
		mr_host_line(mr_this_host(), device, MR_TRACE_DEVICE, "/sys/dev/char/%u:%u/ibdev",
			     major(st.st_rdev), minor(st.st_rdev));
	mr_process_close(&process);
}

/* Whether the process is to be looked at: soon after the call, and not all the time where it is refused again and again. */
static bool is_due(struct mr_attach *attach, const struct mr_trace_record *call)
{
	const uint64_t now = mr_now_ns();

	if (!call->errnum || now - call->begin_ns - call->elapsed_ns > PATIENCE)
		return false;
	if (attach->looks++ >= LOOKS_AT_ONCE && now - attach->last_look_ns < PATIENCE)
		return false;
	attach->last_look_ns = now;
	return true;
}

static void take_events(struct mr_attach *attach, struct mr_follow *follow)
{
	struct mr_traced_process *process = follow->processes[0];
	struct mr_kernel_event event;

	for (size_t i = 0; i < EVENTS && next_event(attach, &event); i++) {
		struct mr_traced_record record;

		if (!mr_kernel_call_read(&event, &record.call))
			continue;
		record.call.tid = event.tid;
		find_device(process->pid, event.fd, record.call.device);
		if (is_due(attach, &record.call))
			record.call.flags |= MR_TRACE_LOOKED_AT;
		mr_follow_take(follow, process, &record);
	}
	follow->sink.caught_up(follow->sink.data);
}

int mr_attach_run(struct mr_attach *attach, struct mr_follow *follow, struct mr_error *err)
{
	struct pollfd fds[] = { { .fd = attach->maps.ring, .events = POLLIN },
				{ .fd = follow->processes[0]->pidfd, .events = POLLIN },
				{ .fd = follow->signals, .events = POLLIN } };
	struct signalfd_siginfo info;
	int rc = 0;

	while (!rc && !fds[1].revents && !fds[2].revents) {
		if (poll(fds, sizeof(fds) / sizeof(*fds), -1) < 0 && errno != EINTR)
			rc = mr_fail(err, MR_ERROR_HOST, errno, "poll", NULL);
		take_events(attach, follow);
	}
	/* The signal has done what it was sent for: it must not end mrctl before the summary. */
	if (fds[2].revents && read(follow->signals, &info, sizeof(info)) < 0)
		rc = mr_fail(err, MR_ERROR_HOST, errno, "read", "signalfd");
	follow->unseen = count_lost(attach);
	return rc;
}
