// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <infiniband/verbs.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "lib/base/base.h"
#include "lib/host/reading.h"
#include "lib/session/session.h"
#include "lib/session/table/table.h"
#include "lib/verbs/verbs.h"

#ifndef SCM_PIDFD
#define SCM_PIDFD 0x04
#endif

/* The text of the message. */
static const char greeting[] = "mrctl session 1";

union control {
	char bytes[CMSG_SPACE(2 * sizeof(int))];
	struct cmsghdr align;
};

/* Puts the message into the queue of @socket's peer.  Return: 0 or -errno. */
static int mr_session_send(int socket, int device, int table, struct mr_error *err)
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

static int fail_no_session(struct mr_error *err, int fd, const char *what)
{
	mr_fail_text(err, MR_ERROR_ABSENT, ENOTCONN, "descriptor %d %s", fd, what);
	return -ENOTCONN; /* an analyser does not see that the other one is not 0 */
}

/*
 * Takes the first two descriptors of a message; -1 for a missing one.  Others are closed, also a pidfd that
 * the kernel adds where an option of the socket asks for it (SO_PASSPIDFD).
 *
 * Return: how many descriptors the message has, without that pidfd.
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

static int fail_message(int fd, const char *text, ssize_t got, struct mr_error *err)
{
	bool whole = got == (ssize_t)sizeof(greeting);

	if (whole && !memcmp(text, greeting, sizeof(greeting)))
		return fail_no_session(err, fd,
				       "is not an mrctl session: its message does not carry two "
				       "descriptors");
	if (whole && !memcmp(text, greeting, sizeof("mrctl session")))
		return mr_fail_text(err, MR_ERROR_ABSENT, EPROTO,
				    "descriptor %d is a session of another version of mrctl", fd);
	return fail_no_session(err, fd, "is not an mrctl session");
}

/* MSG_PEEK leaves the message in the queue.  The kernel installs new duplicates of its descriptors each time. */
static int mr_session_receive(int fd, int fds[2], struct mr_error *err)
{
	union control control;
	char text[sizeof(greeting) + 1] = "";
	struct iovec iov = { .iov_base = text, .iov_len = sizeof(text) };
	struct msghdr message = { .msg_iov = &iov,
				  .msg_iovlen = 1,
				  .msg_control = &control,
				  .msg_controllen = sizeof(control) };
	ssize_t got = recvmsg(fd, &message, MSG_PEEK | MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	mr_auto_fd int more = -1;
	bool full = false;
	size_t count;

	if (got < 0)
		return fail_message(fd, text, got, err);
	count = take_descriptors(&message, fds);
	if (count == 2 && !(message.msg_flags & MSG_CTRUNC) && got == (ssize_t)sizeof(greeting) &&
	    !memcmp(text, greeting, sizeof(greeting)))
		return 0;
	/*
	 * The kernel leaves out descriptors that it cannot install (scm_detach_fds()), without a reason.  Whether
	 * this process can have no more is found out before some are closed again.
	 */
	if (message.msg_flags & MSG_CTRUNC) {
		more = fcntl(fd, F_DUPFD_CLOEXEC, 0);
		full = more < 0 && errno == EMFILE;
	}
	for (int i = 0; i < 2; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	if (full)
		return mr_fail(err, MR_ERROR_HOST, EMFILE, "recvmsg", "cannot join the session");
	return fail_message(fd, text, got, err);
}

#define FIRST_FD 100 /* above the descriptors that shells and scripts use themselves */

/* ---- opening a new session ---- */

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
		rc = mr_session_send(sockets[0], device->context->cmd_fd, table.fd, err);
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

int mr_session_open_private(const char *name, struct mr_session *session,
			    struct mr_environment *environment, struct mr_error *err)
{
	struct mr_session_library *library;
	struct mr_device device;
	uint32_t handle;
	int rc;

	*session = (struct mr_session){ .uverbs = { .fd = -1 }, .table = { .fd = -1 } };
	mr_environment_init(environment);
	rc = mr_device_open(name, &device, environment, err);
	if (rc)
		return rc;
	mr_session_describe(environment, &session->device);
	rc = mr_table_create(&session->device, &session->table, err);
	if (!rc)
		rc = mr_session_keep_library(session, err);
	if (rc) {
		mr_session_close(session);
		mr_device_close(&device);
		return rc;
	}
	/* The PD of the device becomes the one that every session begins with. */
	library = session->library;
	session->uverbs = mr_device_uverbs(&device, environment, &handle);
	library->pds[mr_table_add_pd(&session->table, MR_DEFAULT_PD, handle)] = device.pd;
	device.pd = NULL;
	library->device = device;
	session->table.is_private = true;
	return 0;
}

/* ---- joining a session ---- */

struct major_search {
	unsigned int wanted;
	bool found;
};

static bool take_major(const char *line, void *data)
{
	struct major_search *search = data;
	unsigned int number;
	char name[64];

	if (sscanf(line, "%u %63s", &number, name) != 2 || strcmp(name, "infiniband_verbs") != 0)
		return false;
	search->found |= number == search->wanted;
	return true;
}

/* A simulated device is a memfd.  Below the simulator fstat(2) calls it a character device, elsewhere a file. */
int mr_session_check_device(const struct mr_session *session, struct mr_error *err)
{
	const int fd = session->uverbs.fd;
	bool memfd = fcntl(fd, F_GET_SEALS) >= 0;
	struct major_search search = { .found = false };
	struct stat st;
	int rc = 0;

	if (fstat(fd, &st))
		return mr_fail(err, MR_ERROR_HOST, errno, "fstat", "cannot join the session");
	if (memfd && !S_ISCHR(st.st_mode)) {
		rc = mr_fail_text(err, MR_ERROR_ABSENT, ENODEV,
				  "the session is on a simulated HCA, and this process is not");
		mr_hint(err, "run mrctl below mrctl sim as well: mrctl sim -- mrctl ...");
		return rc;
	}
	if (memfd)
		return 0;
	search.wanted = major(st.st_rdev);
	if (S_ISCHR(st.st_mode))
		rc = mr_host_lines(mr_this_host(), take_major, &search, "/proc/devices");
	if (rc)
		return mr_fail(err, MR_ERROR_HOST, -rc, "open(/proc/devices)",
			       "cannot join the session");
	if (!search.found)
		return mr_fail_text(
			err, MR_ERROR_ABSENT, EPROTO,
			"this is not an mrctl session: its device is not an RDMA device");
	return 0;
}

int mr_session_peek(int fd, struct mr_session *session, struct mr_error *err)
{
	int fds[2], rc;

	*session = (struct mr_session){ .uverbs = { .fd = -1 }, .table = { .fd = -1 } };
	rc = mr_session_receive(fd, fds, err);
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

void mr_session_close(struct mr_session *session)
{
	mr_session_close_library(session);
	if (session->uverbs.fd >= 0)
		close(session->uverbs.fd);
	mr_table_close(&session->table);
	session->uverbs.fd = -1;
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
