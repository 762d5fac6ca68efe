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
#include "lib/session/handles.h"
#include "lib/session/library.h"
#include "lib/session/locate.h"
#include "lib/session/message.h"
#include "lib/session/open.h"
#include "lib/session/table/file.h"
#include "lib/session/table/pds.h"
#include "lib/verbs/device.h"
#include "lib/verbs/uverbs.h"

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

/* The PD of the device becomes the one that every session begins with. */
static void take_device(struct mr_session *session, struct mr_device *device,
			const struct mr_environment *environment)
{
	struct mr_session_library *library = session->library;
	uint32_t handle;

	session->uverbs = mr_device_uverbs(device, environment, &handle);
	library->pds[mr_table_add_pd(&session->table, MR_DEFAULT_PD, handle)] = device->pd;
	device->pd = NULL;
	library->device = *device;
	session->table.is_private = true;
}

int mr_session_open_private(const char *name, struct mr_session *session,
			    struct mr_environment *environment, struct mr_error *err)
{
	struct mr_device device;
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
	if (!rc) {
		take_device(session, &device, environment);
		return 0;
	}
	mr_session_close(session);
	mr_device_close(&device);
	return rc;
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

/* Return: 1 where /proc/devices lists that major number for uverbs devices, 0, or -errno of reading it. */
static int is_uverbs_major(unsigned int wanted)
{
	struct major_search search = { .wanted = wanted };
	const int rc = mr_host_lines(mr_this_host(), "/proc/devices", take_major, &search);

	return rc ? rc : search.found;
}

/* A simulated device is a memfd.  Below the simulator fstat(2) calls it a character device, elsewhere a file. */
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
		return mr_fail(err, MR_ERROR_HOST, -rc, "open(/proc/devices)",
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

int mr_session_open(const char *where, struct mr_session *session, struct mr_error *err)
{
	mr_auto_fd int borrowed = -1;
	int fd, rc;

	*session = (struct mr_session){ .uverbs = { .fd = -1 }, .table = { .fd = -1 } };
	rc = mr_session_locate(where, &fd, &borrowed, err);
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
	mr_handles_release(&session->umems);
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
