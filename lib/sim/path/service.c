// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The thread of a process that serves its QPs.  It begins when the first one is connected, ends when there is none left,
 * and works on a table only while it has the lock: so an object that was destroyed is not used.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "lib/sim/base/base.h"
#include "lib/sim/path/path.h"
#include "lib/sim/state/state.h"

#define MOST_TABLES 64
#define SPINS       10 /* rounds without work before the thread sleeps */
#define LOOK        30 /* rounds before it looks for tables that were closed */
#define LEAST_NAP   5000
#define MOST_NAP    1000000 /* nanoseconds */

/* In memory that a forked child has as zeros. */
struct sim_service {
	pthread_mutex_t
		lock; /* guards the members up to @buffers; no table is locked while it is held, but by callers */
	bool is_running;
	int epoll; /* of the sockets, while the thread runs: unlike poll(2), it does not keep closed ones open */
	uint32_t count; /* of @files */
	struct sim_file *files[MOST_TABLES];
	uint64_t ids[MOST_TABLES]; /* of their tables */
	struct sim_path_buffers buffers;
};

static struct sim_service *get_service(void)
{
	struct sim_process *process = sim_process_lock();
	struct sim_service *service = process->service;

	if (!service) {
		service = sim_libc()->mmap(NULL, sizeof(*service), PROT_READ | PROT_WRITE,
					   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (service == MAP_FAILED)
			service = NULL;
		else
			madvise(service, sizeof(*service), MADV_WIPEONFORK);
		process->service = service;
	}
	sim_process_unlock(process);
	return service;
}

/* ib_uverbs_comp_handler(): reports an event of a CQ in its channel */
static void report_event(struct sim_cq *cq)
{
	const struct ib_uverbs_comp_event_desc event = { .cq_handle = cq->user_handle };
	const int fd = sim_cq_open_channel(cq);

	if (fd < 0)
		return;
	if (write(fd, &event, sizeof(event)) == sizeof(event))
		cq->comp_events++;
	sim_libc()->close(fd);
}

/* Serves the QPs of a table, which is locked: 1 if there was work, 0 if there was none, -1 without QPs. */
static int serve_queues(struct sim_service *service, struct sim_table *table)
{
	const struct sim_path_device *device = sim_path_device_of(table);
	struct sim_queue *queue;
	int answer = -1;

	for (queue = sim_queue_next(table, NULL); queue; queue = sim_queue_next(table, queue)) {
		if (!sim_path_is_active(table, queue))
			continue;
		if (sim_path_step(table, queue, &service->buffers))
			answer = 1;
		else if (answer < 0)
			answer = 0;
	}
	for (queue = sim_queue_next(table, NULL); queue && answer >= 0;
	     queue = sim_queue_next(table, queue))
		if (table->objects[queue->object].type == UVERBS_OBJECT_CQ &&
		    queue->owner == getpid() && queue->cq.channel >= 0 &&
		    device->is_armed(&queue->cq))
			report_event(&queue->cq);
	return answer;
}

/* Whether the program still has the descriptor of a table open. */
static bool is_open(const struct sim_file *file, uint64_t id)
{
	struct sim_file *other;
	bool is_same;

	if (sim_file_get(file->table.fd, &other) || !other)
		return false;
	is_same = other->table.header->id == id;
	sim_file_put(other);
	return is_same;
}

/* The objects of a table are gone with the program's descriptor, but not the sockets. */
static void close_sockets(struct sim_table *table)
{
	struct sim_queue *queue;

	for (queue = sim_queue_next(table, NULL); queue; queue = sim_queue_next(table, queue))
		if (sim_path_is_active(table, queue))
			sim_path_end(table, queue);
}

static void remove_table(struct sim_service *service, uint32_t i)
{
	pthread_mutex_lock(&service->lock);
	service->count--;
	service->files[i] = service->files[service->count];
	service->ids[i] = service->ids[service->count];
	pthread_mutex_unlock(&service->lock);
}

/*
 * Serves a table, or removes it if it has no QP to serve.  It is locked meanwhile, so that sim_path_change() adds it
 * again if a QP is connected then.
 */
static int serve_table(struct sim_service *service, uint32_t i, bool look)
{
	struct sim_file *file = service->files[i];
	const bool is_gone = look && !is_open(file, service->ids[i]);
	const bool is_locked = !sim_table_lock(&file->table);
	int answer = -1;

	if (is_locked && is_gone)
		close_sockets(&file->table);
	else if (is_locked)
		answer = serve_queues(service, &file->table);
	if (answer < 0)
		remove_table(service, i);
	if (is_locked)
		sim_table_unlock(&file->table);
	if (answer < 0)
		sim_file_put(file);
	return answer;
}

/* Serves all tables once: whether there was work.  @look: whether to look for tables that were closed */
static bool serve_all(struct sim_service *service, bool look)
{
	bool any = false;
	uint32_t i = 0;
	int answer;

	while (i < __atomic_load_n(&service->count, __ATOMIC_ACQUIRE)) {
		answer = serve_table(service, i, look);
		any = any || answer > 0;
		i += answer >= 0;
	}
	return any;
}

/* Whether there is nothing left to serve: the next connection starts another thread. */
static bool has_ended(struct sim_service *service)
{
	bool has_ended;

	pthread_mutex_lock(&service->lock);
	has_ended = !service->count;
	if (has_ended) {
		sim_libc()->close(service->epoll);
		service->is_running = false;
	}
	pthread_mutex_unlock(&service->lock);
	return has_ended;
}

/*
 * Waits after a round without work: first for a few rounds not at all, then ever longer, until a message comes.  A thread
 * that sleeps is run before one that polls a CQ all the time, if there are more threads than CPUs.
 */
static void rest(struct sim_service *service, uint32_t idle)
{
	const uint32_t naps = idle - SPINS;
	const struct timespec nap = { .tv_nsec = naps < 10 ? LEAST_NAP << naps : MOST_NAP };

	struct pollfd polled = { .fd = service->epoll, .events = POLLIN };

	if (idle > SPINS)
		ppoll(&polled, 1, &nap, NULL);
}

static void *serve(void *argument)
{
	struct sim_service *service = argument;
	uint32_t idle = 0;

	while (!has_ended(service)) {
		idle = serve_all(service, idle > LOOK) ? 0 : idle + 1;
		rest(service, idle);
	}
	return NULL;
}

/* Starts the thread, which handles no signals of the program. */
static int start(struct sim_service *service)
{
	pthread_attr_t attributes;
	sigset_t all, old;
	pthread_t thread;
	int rc;

	service->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (service->epoll < 0)
		return -errno;
	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	rc = pthread_create(&thread, &attributes, serve, service);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attributes);
	service->is_running = !rc;
	if (rc)
		sim_libc()->close(service->epoll);
	return -rc;
}

/* Has the thread serve a table, and wait for messages of a socket, or of none with -1. */
static int add_table(struct sim_table *table, int socket)
{
	struct epoll_event event = { .events = EPOLLIN };
	struct sim_service *service = get_service();
	struct sim_file *file = NULL;
	uint32_t i = 0;
	int rc = 0;

	if (!service)
		return -ENOMEM;
	pthread_mutex_lock(&service->lock);
	while (i < service->count && service->ids[i] != table->header->id)
		i++;
	if (i == service->count) {
		rc = i == MOST_TABLES ? -ENOMEM : sim_file_get(table->fd, &file);
		if (!rc && !file)
			rc = -EBADF;
		if (!rc) {
			service->files[i] = file;
			service->ids[i] = table->header->id;
			__atomic_store_n(&service->count, i + 1, __ATOMIC_RELEASE);
		}
	}
	if (!rc && !service->is_running)
		rc = start(service);
	if (!rc && socket >= 0)
		epoll_ctl(service->epoll, EPOLL_CTL_ADD, socket, &event);
	pthread_mutex_unlock(&service->lock);
	return rc;
}

int sim_path_change(struct sim_table *table, struct sim_queue *queue)
{
	struct sim_qp *qp = &queue->qp;
	int socket;

	if (queue->owner != getpid())
		return 0;
	switch (qp->attr.qp_state) {
	case IBV_QPS_RESET:
		sim_path_end(table, queue);
		return 0;
	case IBV_QPS_RTR:
		if (qp->path.socket)
			return 0;
		socket = sim_wire_open(table, qp->number);
		if (socket < 0)
			return socket;
		qp->path.socket = socket + 1;
		qp->path.expected = qp->attr.rq_psn;
		return add_table(table, socket);
	case IBV_QPS_RTS:
		if (!qp->path.is_waiting && !qp->path.sent)
			qp->path.psn = qp->attr.sq_psn;
		return 0;
	case IBV_QPS_ERR:
		return add_table(table, -1);
	default:
		return 0;
	}
}

/* rxe_resp.c flush_recv_queue(), rxe_comp.c flush_send_queue(): nothing completes then */
void sim_path_end(const struct sim_table *table, struct sim_queue *queue)
{
	const struct sim_path_device *device = sim_path_device_of(table);
	const int socket = queue->owner == getpid() ? queue->qp.path.socket : 0;

	if (socket)
		sim_libc()->close(socket - 1);
	queue->qp.path = (struct sim_progress){ 0 };
	if (device->free_entries) {
		device->free_entries(table, &queue->qp.sq, true);
		device->free_entries(table, &queue->qp.rq, true);
	}
}
