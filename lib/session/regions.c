// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <infiniband/verbs.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "lib/base/cleanup.h"
#include "lib/base/clock.h"
#include "lib/host/process.h"
#include "lib/session/dm.h"
#include "lib/session/library.h"
#include "lib/session/locate.h"
#include "lib/session/regions.h"
#include "lib/session/registrant.h"
#include "lib/session/relaxed.h"
#include "lib/session/table/claims.h"
#include "lib/session/table/entries.h"
#include "lib/session/table/file.h"
#include "lib/session/table/lock.h"
#include "lib/session/table/pds.h"
#include "lib/verbs/deregister.h"
#include "lib/verbs/device.h"
#include "lib/verbs/dm.h"
#include "lib/verbs/drivers.h"
#include "lib/verbs/region.h"
#include "lib/verbs/umem.h"

#ifndef SCM_PIDFD
#define SCM_PIDFD 0x04
#endif

#define FIRST_FD 100 /* above what shells and scripts use themselves */

/* The message that carries a session; its descriptors are the device's and the table's. */
static const char greeting[] = "mrctl session 1";

union control {
	char bytes[CMSG_SPACE(2 * sizeof(int))];
	struct cmsghdr align;
};

static int send_session(int socket, int device, int table, struct mr_error *err)
{
	const int fds[2] = { device, table };
	union control control = { .bytes = { 0 } };
	struct iovec text = { .iov_base = (char *)greeting, .iov_len = sizeof(greeting) };
	struct msghdr message = { .msg_iov = &text,
				  .msg_iovlen = 1,
				  .msg_control = &control,
				  .msg_controllen = sizeof(control) };
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);

	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(sizeof(fds));
	memcpy(CMSG_DATA(header), fds, sizeof(fds));
	if (sendmsg(socket, &message, MSG_NOSIGNAL) != (ssize_t)sizeof(greeting))
		return mr_fail(err, MR_ERROR_HOST, errno, "sendmsg", "cannot make a session");
	return 0;
}

void mr_session_describe(const struct mr_environment *environment, struct mr_table_device *device)
{
	*device = (struct mr_table_device){ .simulated = environment->simulated };
	snprintf(device->name, sizeof(device->name), "%s", environment->device);
	snprintf(device->provider, sizeof(device->provider), "%s", environment->provider);
	device->driver_id = mr_driver_id(environment->provider);
}

int mr_session_create(const struct mr_device *device, const struct mr_environment *environment,
		      int *fd, struct mr_error *err)
{
	struct mr_table_device facts;
	struct mr_table table;
	int sockets[2], rc;

	mr_session_describe(environment, &facts);
	facts.pid_namespace = mr_process_namespace();
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets))
		return mr_fail(err, MR_ERROR_HOST, errno, "socketpair", "cannot make a session");
	rc = mr_table_create(&facts, &table, err);
	if (!rc) {
		mr_table_add_pd(&table, MR_DEFAULT_PD, device->pd->handle);
		rc = send_session(sockets[0], device->context->cmd_fd, table.fd, err);
		mr_table_close(&table);
	}
	if (!rc) {
		*fd = fcntl(sockets[1], F_DUPFD, FIRST_FD);
		if (*fd < 0)
			rc = mr_fail(err, MR_ERROR_HOST, errno, "fcntl(F_DUPFD)",
				     "cannot make a session");
	}
	close(sockets[0]);
	close(sockets[1]);
	return rc;
}

static int fail_no_session(struct mr_error *err, int fd, const char *what)
{
	mr_fail_text(err, MR_ERROR_ABSENT, ENOTCONN, "descriptor %d %s", fd, what);
	return -ENOTCONN;
}

/*
 * The first two descriptors of a message; how many it brought.  Others are closed, also one that the
 * kernel adds where the sender of the socket has asked for it (SO_PASSPIDFD).
 */
static size_t take_descriptors(struct msghdr *message, int fds[2])
{
	size_t count = 0;

	fds[0] = fds[1] = -1;
	for (struct cmsghdr *header = CMSG_FIRSTHDR(message); header;
	     header = CMSG_NXTHDR(message, header)) {
		bool rights = header->cmsg_type == SCM_RIGHTS;
		int fd;

		if (header->cmsg_level != SOL_SOCKET || (!rights && header->cmsg_type != SCM_PIDFD))
			continue;
		for (size_t at = CMSG_LEN(0); at + sizeof(fd) <= header->cmsg_len;
		     at += sizeof(fd)) {
			memcpy(&fd, (char *)header + at, sizeof(fd));
			if (rights && count < 2)
				fds[count] = fd;
			else if (fd >= 0)
				close(fd);
			count += rights;
		}
	}
	return count;
}

/* The kernel leaves out what finds no place (scm_detach_fds()), and does not say why. */
static bool has_no_room(const struct msghdr *message, size_t count, int fd)
{
	mr_auto_fd int more = -1;

	if (!(message->msg_flags & MSG_CTRUNC) || count >= 2)
		return false;
	more = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	return more < 0 && errno == EMFILE;
}

static int fail_message(int fd, const char *text, ssize_t got, struct mr_error *err)
{
	bool whole = got == (ssize_t)sizeof(greeting);

	if (whole && !memcmp(text, greeting, sizeof(greeting)))
		return fail_no_session(err, fd,
				       "is no mrctl session: its message does not carry two "
				       "descriptors, as a session's does");
	if (whole && !memcmp(text, greeting, sizeof("mrctl session")))
		return mr_fail_text(err, MR_ERROR_ABSENT, EPROTO,
				    "descriptor %d is a session of another version of mrctl", fd);
	return fail_no_session(err, fd, "is no mrctl session");
}

/* Looks at the message without taking it: the kernel hands out fresh duplicates each time. */
static int peek(int fd, int fds[2], struct mr_error *err)
{
	union control control;
	char text[sizeof(greeting) + 1] = "";
	struct iovec iov = { .iov_base = text, .iov_len = sizeof(text) };
	struct msghdr message = { .msg_iov = &iov,
				  .msg_iovlen = 1,
				  .msg_control = &control,
				  .msg_controllen = sizeof(control) };
	ssize_t got = recvmsg(fd, &message, MSG_PEEK | MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	size_t count;
	bool full;

	if (got < 0)
		return fail_message(fd, text, got, err);
	count = take_descriptors(&message, fds);
	if (count == 2 && !(message.msg_flags & MSG_CTRUNC) && got == (ssize_t)sizeof(greeting) &&
	    !memcmp(text, greeting, sizeof(greeting)))
		return 0;
	full = has_no_room(&message, count, fd); /* while those are open */
	for (int i = 0; i < 2; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	if (full)
		return mr_fail(err, MR_ERROR_HOST, EMFILE, "recvmsg", "cannot join the session");
	return fail_message(fd, text, got, err);
}

/* Whether /proc/devices has that major number for uverbs devices: 1, 0, or -errno of reading it. */
static int is_uverbs_major(unsigned int wanted)
{
	mr_auto_file FILE *f = fopen("/proc/devices", "re");
	char line[128], name[64];
	unsigned int number;

	if (!f)
		return -errno;
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "%u %63s", &number, name) == 2 && number == wanted &&
		    !strcmp(name, "infiniband_verbs"))
			return 1;
	return 0;
}

/* A simulated device is a memfd, which only the simulator makes look like one. */
int mr_session_check_device(const struct mr_session *session, struct mr_error *err)
{
	const int fd = session->uverbs.fd;
	bool memfd = fcntl(fd, F_GET_SEALS) >= 0;
	struct stat st;
	int rc;

	if (fstat(fd, &st))
		return mr_fail(err, MR_ERROR_HOST, errno, "fstat", "cannot join the session");
	if (memfd && !S_ISCHR(st.st_mode)) {
		mr_fail_text(err, MR_ERROR_ABSENT, ENODEV,
			     "the session is on a simulated HCA, and this process is not");
		mr_hint(err, "run mrctl below mrctl sim as well: mrctl sim -- mrctl ...");
		return -ENODEV;
	}
	if (memfd)
		return 0;
	rc = S_ISCHR(st.st_mode) ? is_uverbs_major(major(st.st_rdev)) : 0;
	if (rc < 0)
		return mr_fail(err, MR_ERROR_HOST, -rc, "fopen(/proc/devices)",
			       "cannot join the session");
	if (!rc)
		return mr_fail_text(err, MR_ERROR_ABSENT, EPROTO,
				    "this is no mrctl session: its device is no RDMA device");
	return 0;
}

int mr_session_peek(int fd, struct mr_session *session, struct mr_error *err)
{
	int fds[2], rc;

	*session = (struct mr_session){ .uverbs = { .fd = -1 }, .table = { .fd = -1 } };
	rc = peek(fd, fds, err);
	if (rc)
		return rc;
	session->uverbs.fd = fds[0];
	rc = mr_table_open(fds[1], &session->table, err);
	if (rc) {
		mr_session_close(session);
		return rc;
	}
	mr_table_device(&session->table, &session->device);
	session->uverbs.driver_id = session->device.driver_id;
	return 0;
}

int mr_session_open(const char *where, struct mr_session *session, struct mr_error *err)
{
	mr_auto_fd int borrowed = -1;
	int fd, rc;

	*session = (struct mr_session){ .uverbs = { .fd = -1 }, .table = { .fd = -1 } };
	rc = mr_join(where, &fd, &borrowed, err);
	if (!rc)
		rc = mr_session_peek(fd, session, err);
	if (rc)
		return rc;
	rc = mr_session_check_device(session, err);
	if (rc)
		mr_session_close(session);
	return rc;
}

void mr_session_close(struct mr_session *session)
{
	mr_session_close_library(session);
	if (session->uverbs.fd >= 0)
		close(session->uverbs.fd);
	mr_table_close(&session->table);
	session->uverbs.fd = -1;
	free(session->umems);
	session->umems = NULL;
}

void mr_session_environment(const struct mr_session *session, struct mr_environment *environment)
{
	mr_environment_init(environment);
	snprintf(environment->device, sizeof(environment->device), "%s", session->device.name);
	snprintf(environment->provider, sizeof(environment->provider), "%s",
		 session->device.provider);
	environment->simulated = session->device.simulated == 1;
	mr_environment_find(environment);
}

int mr_session_allow_joining(struct mr_error *err)
{
	/* EINVAL: a kernel without Yama, where nothing has to be allowed. */
	if (prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0) && errno != EINVAL)
		return mr_fail(err, MR_ERROR_HOST, errno, "prctl(PR_SET_PTRACER)", NULL);
	return 0;
}

/* ---- umems ---- */

static int list_umems(struct mr_session *session, struct mr_error *err)
{
	if (!session->umems)
		session->umems = calloc(MR_UVERBS_INFO_MAX, sizeof(*session->umems));
	if (!session->umems)
		return mr_fail(err, MR_ERROR_HOST, ENOMEM, "calloc", NULL);
	return mr_uverbs_list_umems(&session->uverbs, session->umems, &session->umem_count, err);
}

int mr_session_has_umem(struct mr_session *session, uint32_t handle, struct mr_error *err)
{
	struct mr_uverbs_mr mr;
	int rc = list_umems(session, err);

	if (rc)
		return rc;
	if (mr_uverbs_lists(session->umems, session->umem_count, handle))
		return 1;
	return session->umem_count == MR_UVERBS_INFO_MAX &&
	       mr_uverbs_query_mr(&session->uverbs, handle, &mr, err) == -EINVAL;
}

/* ---- regions ---- */

static void fill_entry(struct mr_entry *entry, const struct mr_region_request *request,
		       const struct mr_region *region, enum mr_via via)
{
	entry->addr = request->addr;
	entry->length = mr_region_is_null(request->call) ? region->length : request->length;
	entry->access = request->access;
	entry->via = (uint8_t)via;
	entry->handle = region->handle;
	entry->elapsed_ns = region->elapsed_ns;
	entry->has_dm = request->dm && request->dm->allocated;
	entry->dm = entry->has_dm ? request->dm->handle : 0;
	if (region->kind == MR_KIND_UMEM) {
		entry->page_sizes = request->page_sizes;
		entry->umem_id = region->umem_id;
		return;
	}
	entry->iova = region->iova;
	entry->lkey = region->lkey;
	entry->rkey = region->rkey;
}

/*
 * A claim is given up before the lock: the place may be another entry's at once, and the next
 * process must be able to claim it.
 */
void mr_session_unclaim(struct mr_session *session, uint32_t slot)
{
	mr_table_unclaim(&session->table, slot);
	mr_table_unlock(&session->table);
}

/*
 * What cannot be noted must not stay: no entry would name it, and nobody has its keys yet.  The command
 * has failed then, with nothing registered; its entry stays as one that was never finished.
 */
static void undo(struct mr_session *session, const struct mr_entry *entry, struct mr_error *err)
{
	enum mr_region_kind kind = mr_region_kind(entry->call);
	struct mr_error left;

	if (!mr_region_destroy(&session->uverbs, kind, entry->handle, &left)) {
		mr_wrap(err, "region %llu was deregistered again, as it cannot be noted",
			(unsigned long long)entry->id);
		return;
	}
	mr_wrap(err, "region %llu is registered, but it cannot be noted",
		(unsigned long long)entry->id);
	mr_hint(err, "it is still there, and without a name: mrctl dereg %s:%u",
		mr_region_kind_name(kind), entry->handle);
}

static int commit(struct mr_session *session, uint32_t slot, const struct mr_entry *entry,
		  struct mr_error *err)
{
	int rc = mr_table_lock(&session->table, err);

	if (!rc && !mr_table_commit(&session->table, slot, entry))
		rc = mr_fail_text(err, MR_ERROR_HOST, ENOENT,
				  "another process has removed the region from the session");
	if (rc)
		undo(session, entry, err);
	mr_session_unclaim(session, slot);
	return rc;
}

static void withdraw(struct mr_session *session, uint32_t slot, uint64_t id)
{
	struct mr_error ignored;

	/* Where the lock cannot be had the entry stays, as one that was never finished. */
	if (!mr_table_lock(&session->table, &ignored))
		mr_table_remove(&session->table, slot, id);
	mr_session_unclaim(session, slot);
}

/* What outlives this process must have a handle, or nobody can deregister it any more. */
static int register_to_stay(const struct mr_session *session, const struct mr_registrar *registrar,
			    const struct mr_region_request *request, struct mr_region *region,
			    struct mr_error *err)
{
	struct mr_error ignored;
	int rc = mr_region_register(registrar, request, region, err);

	if (rc || region->handle != MR_NO_HANDLE || mr_session_is_private(session))
		return rc;
	mr_region_deregister(registrar, region, &ignored);
	if (mr_region_is_null(request->call)) {
		mr_fail(err, MR_ERROR_HOST, EOPNOTSUPP, "ibv_alloc_null_mr",
			"a null MR is no object of the kernel, so it cannot stay in a session");
		mr_hint(err, "outside of it: MRCTL_SESSION= mrctl reg --memory null-mr");
		return -EOPNOTSUPP;
	}
	mr_fail(err, MR_ERROR_HOST, EOPNOTSUPP, "mlx5dv_devx_umem_export",
		"libmlx5 does not tell the handle of the umem, so it cannot stay");
	mr_hint(err, "use --via kernel");
	return -EOPNOTSUPP;
}

int mr_session_register(struct mr_session *session, const struct mr_registrar *registrar,
			const struct mr_region_request *request, struct mr_entry *entry,
			struct mr_error *err)
{
	struct mr_region region;
	uint32_t slot;
	int rc = mr_table_lock(&session->table, err);

	if (rc)
		return rc;
	entry->call = (uint8_t)request->call;
	rc = mr_table_add(&session->table, entry, &slot, err);
	if (!rc && !mr_table_claim(&session->table, slot)) {
		rc = mr_table_fail_claimed(&session->table, slot, entry->id, errno, err);
		mr_table_remove(&session->table, slot, entry->id);
	}
	mr_table_unlock(&session->table);
	if (rc)
		return rc;
	rc = mr_session_reserve(session, slot, err);
	if (!rc)
		rc = register_to_stay(session, registrar, request, &region, err);
	if (rc) {
		withdraw(session, slot, entry->id);
		return rc;
	}
	fill_entry(entry, request, &region, registrar->via);
	mr_registrant_note(session, entry);
	if (mr_session_is_private(session))
		mr_session_hold(session, slot, &region, request->backing);
	else
		mr_region_forget(&region);
	return commit(session, slot, entry, err);
}

bool mr_session_agrees(const struct mr_entry *entry, const struct mr_uverbs_mr *kernel)
{
	uint64_t addr = entry->addr, length = entry->length;

	if (entry->call == MR_REG_MR_RELAXED)
		mr_extend_to_pages(mr_entry_page_size(entry), &addr, &length);
	if (entry->lkey == kernel->lkey && length == kernel->length)
		return true;
	return entry->unsure && entry->new_length == kernel->length &&
	       entry->new_iova == kernel->iova;
}

/*
 * Whether the kernel has the entry's region: 1, 0, or -errno.
 *
 * Looking at many umems one after the other must not list them all each time: a handle that was
 * among them is taken to be there still.  Not where it is about to be destroyed (@sure).
 */
static int ask_kernel(struct mr_session *session, const struct mr_entry *entry, bool sure,
		      struct mr_uverbs_mr *kernel, struct mr_error *err)
{
	int rc;

	if (mr_region_kind(entry->call) == MR_KIND_UMEM)
		return !sure && mr_uverbs_lists(session->umems, session->umem_count, entry->handle)
			       ? 1
			       : mr_session_has_umem(session, entry->handle, err);
	rc = mr_uverbs_query_mr(&session->uverbs, entry->handle, kernel, err);
	if (mr_uverbs_is_absent(rc))
		return 0;
	return rc ? rc : mr_session_agrees(entry, kernel);
}

/*
 * Under the lock, so that nobody is between the table and the kernel.  Only where the kernel says
 * so a region has gone: a call that fails otherwise tells nothing of it.
 */
static enum mr_session_state compare(struct mr_session *session, uint32_t slot,
				     const struct mr_entry *entry, bool sure,
				     struct mr_uverbs_mr *kernel, struct mr_error *err)
{
	const struct mr_held *held = mr_session_held(session, slot);
	int rc = 1;

	if (entry->state != MR_ENTRY_LIVE && mr_table_is_claimed(&session->table, slot))
		return MR_STATE_PENDING;
	if (entry->state == MR_ENTRY_PENDING)
		return MR_STATE_IN_DOUBT;
	/* Nobody but this process gets at what it holds. */
	if (held && (sure || entry->handle == MR_NO_HANDLE))
		mr_held_tell(held, kernel);
	else
		rc = ask_kernel(session, entry, sure, kernel, err);
	if (!rc)
		return MR_STATE_GONE;
	if (rc < 0) {
		mr_wrap(err, "cannot make sure of region %llu", (unsigned long long)entry->id);
		/* QUERY_MR says that of what is being destroyed; the list of umems of none of them */
		return rc == -EBUSY && mr_region_kind(entry->call) == MR_KIND_MR ? MR_STATE_PENDING
										 : MR_STATE_UNKNOWN;
	}
	if (mr_entry_is_marked(entry))
		return MR_STATE_DEFERRED;
	if (held && held->broken)
		return MR_STATE_BROKEN;
	if (entry->state != MR_ENTRY_LIVE || entry->unsure)
		return MR_STATE_IN_DOUBT;
	return entry->refused ? MR_STATE_SUSPECT : MR_STATE_LIVE;
}

int mr_session_look(struct mr_session *session, uint32_t slot, struct mr_entry *entry,
		    enum mr_session_state *state, struct mr_uverbs_mr *kernel, struct mr_error *err)
{
	bool found;
	int rc = mr_table_lock(&session->table, err);

	if (rc)
		return rc;
	found = mr_table_get(&session->table, slot, entry);
	*kernel = (struct mr_uverbs_mr){ .handle = MR_NO_HANDLE };
	if (found)
		*state = compare(session, slot, entry, false, kernel, err);
	mr_table_unlock(&session->table);
	return found;
}

int mr_session_fail_gone(const struct mr_entry *entry, struct mr_error *err)
{
	bool registered = entry->state != MR_ENTRY_PENDING;

	mr_fail_text(err, MR_ERROR_ABSENT, ENOENT, "region %llu had gone already: %s",
		     (unsigned long long)entry->id,
		     registered ? "the kernel has no such region"
				: "a process was killed while it registered it");
	if (!registered)
		mr_hint(err,
			"where the kernel has it all the same, mrctl stat shows it as unlisted");
	return -ENOENT;
}

int mr_session_claim(struct mr_session *session, uint32_t slot, uint64_t id, struct mr_entry *entry,
		     enum mr_session_state *state, struct mr_uverbs_mr *kernel,
		     struct mr_error *err)
{
	*state = MR_STATE_UNKNOWN;
	*kernel = (struct mr_uverbs_mr){ .handle = MR_NO_HANDLE };
	if (!mr_table_get(&session->table, slot, entry) || entry->id != id)
		return mr_fail_text(err, MR_ERROR_ABSENT, ENOENT, "no region %llu",
				    (unsigned long long)id);
	if (!mr_table_claim(&session->table, slot))
		return mr_table_fail_claimed(&session->table, slot, id, errno, err);
	*state = compare(session, slot, entry, true, kernel, err);
	/* Somebody else's region may have the handle by now.  EIO: the device and all that have gone. */
	if (*state == MR_STATE_PENDING || (*state == MR_STATE_UNKNOWN && err->errnum != EIO)) {
		mr_table_unclaim(&session->table, slot);
		return -err->errnum;
	}
	return 0;
}

/* Under the lock: is the entry ours to destroy?  Its claim is taken then. */
static int begin_deregister(struct mr_session *session, uint32_t slot, uint64_t id, bool marked,
			    struct mr_entry *entry, struct mr_error *err)
{
	struct mr_uverbs_mr kernel;
	enum mr_session_state state;
	struct mr_entry claimed;
	int rc = mr_session_claim(session, slot, id, &claimed, &state, &kernel, err);

	if (rc)
		return rc;
	*entry = claimed;
	if (marked && !mr_entry_is_marked(entry))
		rc = mr_fail_text(err, MR_ERROR_ABSENT, ENOENT, "region %llu is not deferred",
				  (unsigned long long)id);
	if (!rc && (state == MR_STATE_GONE || entry->state == MR_ENTRY_PENDING)) {
		mr_table_remove(&session->table, slot, id);
		rc = mr_session_fail_gone(entry, err);
	}
	if (rc)
		mr_table_unclaim(&session->table, slot);
	else
		mr_table_set_state(&session->table, slot, id, MR_ENTRY_IN_DOUBT);
	return rc;
}

/* By the library where it has registered the region in this process. */
static int destroy(struct mr_session *session, uint32_t slot, const struct mr_entry *entry,
		   uint64_t *ns, struct mr_error *err)
{
	const struct mr_registrar registrar = { .uverbs = &session->uverbs, .untimed = !ns };
	struct mr_held *held = mr_session_held(session, slot);
	struct mr_region region = { .kind = (uint8_t)mr_region_kind(entry->call),
				    .handle = entry->handle };
	int rc = mr_region_deregister(&registrar, held ? &held->region : &region, err);

	if (rc)
		return rc;
	if (ns)
		*ns = held ? held->region.dereg_elapsed_ns : region.dereg_elapsed_ns;
	if (held)
		mr_session_let_go(session, slot);
	return 0;
}

/* Note what the kernel has answered: 0, or -errno where that cannot be noted. */
static int end_deregister(struct mr_session *session, uint32_t slot, uint64_t id, bool gone,
			  struct mr_error *err)
{
	int rc = mr_table_lock(&session->table, err);

	if (rc)
		mr_wrap(err,
			"region %llu is deregistered, but its entry stays, in doubt until mrctl "
			"dereg %llu removes it",
			(unsigned long long)id, (unsigned long long)id);
	else if (gone)
		mr_table_remove(&session->table, slot, id);
	else
		mr_table_set_state(&session->table, slot, id, MR_ENTRY_LIVE);
	mr_session_unclaim(session, slot);
	return rc;
}

static int deregister(struct mr_session *session, uint32_t slot, uint64_t id, bool marked,
		      struct mr_entry *entry, uint64_t *ns, struct mr_error *err)
{
	struct mr_error lock_error;
	int rc = mr_table_lock(&session->table, err), left;

	if (rc)
		return rc;
	rc = begin_deregister(session, slot, id, marked, entry, err);
	mr_table_unlock(&session->table);
	if (rc)
		return rc;
	rc = destroy(session, slot, entry, ns, err);
	left = rc ? 0 : mr_session_free_dm(session, entry, err);
	if (end_deregister(session, slot, id, !rc, &lock_error) && !rc && !left) {
		*err = lock_error;
		left = -err->errnum;
	}
	return rc ? rc : left != 0;
}

int mr_session_deregister(struct mr_session *session, uint32_t slot, uint64_t id,
			  struct mr_entry *entry, uint64_t *ns, struct mr_error *err)
{
	return deregister(session, slot, id, false, entry, ns, err);
}

int mr_session_invalidate(struct mr_session *session, uint32_t slot, uint64_t id,
			  struct mr_entry *entry, uint64_t *ns, struct mr_error *err)
{
	return deregister(session, slot, id, true, entry, ns, err);
}
