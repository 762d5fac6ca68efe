/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A session of this process's own, for the tests of what happens in one. */
#ifndef TESTS_UNIT_LIB_SESSION_NEW_SESSION_H
#define TESTS_UNIT_LIB_SESSION_NEW_SESSION_H

#include "lib/session/open.h"
#include "lib/session/table/pds.h"
#include "lib/verbs/device.h"
#include "tests/unit/unit.h"

/**
 * open_new_session() - open the device, make a session on it, and join that
 * @registrar: set: registers by the kernel's interface, in the session's first PD
 *
 * Return: false with @err.
 */
static inline bool open_new_session(struct mr_device *device, struct mr_session *session,
				    struct mr_registrar *registrar, struct mr_error *err)
{
	struct mr_environment environment;
	struct mr_table_pd pd;
	char where[32];
	int fd;

	mr_environment_init(&environment);
	if (mr_device_open(NULL, device, &environment, err) ||
	    mr_session_create(device, &environment, &fd, err))
		return false;
	snprintf(where, sizeof(where), "fd:%d", fd);
	if (mr_session_open(where, session, err) || !mr_table_pd(&session->table, 0, &pd))
		return false;
	close(fd);
	*registrar = (struct mr_registrar){ .via = MR_VIA_KERNEL,
					    .uverbs = &session->uverbs,
					    .pd_handle = pd.handle };
	return true;
}

#endif
