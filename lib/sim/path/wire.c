// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The wire between QPs: datagrams from one socket to another, in one process or two.  The name of a QP's socket is made
 * of the user, the kind of the device and the QPN, and ends with the process.
 */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "lib/base/base.h"
#include "lib/sim/base/base.h"
#include "lib/sim/path/path.h"

static socklen_t name_socket(const struct sim_table *table, uint32_t qpn,
			     struct sockaddr_un *address)
{
	*address = (struct sockaddr_un){ .sun_family = AF_UNIX };
	/* a name that begins with a zero byte is in no file system: unix(7) */
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
			   (size_t)snprintf(address->sun_path + 1, sizeof(address->sun_path) - 1,
					    "mrctl-sim/%u/%u/%06x", getuid(),
					    (unsigned int)table->kind, qpn));
}

int sim_wire_open(const struct sim_table *table, uint32_t qpn)
{
	const int on = 1;
	struct sockaddr_un address;
	socklen_t length = name_socket(table, qpn, &address);
	int fd = sim_libc()->socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), rc;

	if (fd < 0)
		return -errno;
	rc = setsockopt(fd, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)) ||
			     bind(fd, (struct sockaddr *)&address, length)
		     ? -errno
		     : 0;
	if (!rc)
		return fd;
	sim_libc()->close(fd);
	return rc;
}

bool sim_payload_make(struct sim_payload *payload, size_t length, uint8_t buffer[SIM_WIRE_BYTES])
{
	*payload = (struct sim_payload){ .bytes = buffer, .length = length, .fd = -1 };
	if (length <= SIM_WIRE_BYTES)
		return true;
	payload->fd = mr_memfd_create("mrctl-sim-data", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (payload->fd < 0)
		return false;
	payload->bytes = MAP_FAILED;
	/* the receiver must not meet a file that shrinks while it reads */
	if (!fallocate(payload->fd, 0, 0, (off_t)length) &&
	    !sim_libc()->fcntl(payload->fd, F_ADD_SEALS, F_SEAL_SHRINK))
		payload->bytes = sim_libc()->mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED,
						  payload->fd, 0);
	if (payload->bytes != MAP_FAILED)
		return true;
	sim_libc()->close(payload->fd);
	payload->fd = -1;
	return false;
}

void sim_payload_free(struct sim_payload *payload)
{
	if (payload->fd < 0)
		return;
	munmap(payload->bytes, payload->length);
	sim_libc()->close(payload->fd);
	payload->fd = -1;
}

union control {
	struct cmsghdr header;
	char room[CMSG_SPACE(sizeof(int)) + CMSG_SPACE(sizeof(struct ucred))];
};

int sim_wire_send(const struct sim_table *table, int socket, uint32_t qpn,
		  const struct sim_message *message, const struct sim_payload *payload)
{
	struct sockaddr_un address;
	union control control = { 0 };
	struct iovec parts[] = { { (void *)(uintptr_t)message, sizeof(*message) },
				 { payload->bytes, payload->fd < 0 ? payload->length : 0 } };
	struct msghdr header = {
		.msg_name = &address,
		.msg_namelen = name_socket(table, qpn, &address),
		.msg_iov = parts,
		.msg_iovlen = 2,
	};
	struct cmsghdr *part = &control.header;

	if (payload->fd >= 0) {
		header.msg_control = &control;
		header.msg_controllen = CMSG_SPACE(sizeof(int));
		part->cmsg_level = SOL_SOCKET;
		part->cmsg_type = SCM_RIGHTS;
		part->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(part), &payload->fd, sizeof(int));
	}
	return sendmsg(socket, &header, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 ? -errno : 0;
}

/* Reads the memfd of a message, if it has one: whether this user has sent it. */
static bool read_control(struct msghdr *header, int *fd)
{
	struct ucred sender = { .uid = (uid_t)-1 };

	*fd = -1;
	for (struct cmsghdr *part = CMSG_FIRSTHDR(header); part; part = CMSG_NXTHDR(header, part)) {
		if (part->cmsg_level != SOL_SOCKET)
			continue;
		if (part->cmsg_type == SCM_RIGHTS)
			memcpy(fd, CMSG_DATA(part), sizeof(*fd));
		else if (part->cmsg_type == SCM_CREDENTIALS)
			memcpy(&sender, CMSG_DATA(part), sizeof(sender));
	}
	return sender.uid == getuid();
}

static bool map_payload(struct sim_payload *payload, uint64_t length)
{
	struct stat st;
	void *bytes = MAP_FAILED;

	payload->length = length;
	if (length && !sim_libc()->fstat(payload->fd, &st) && (uint64_t)st.st_size >= length &&
	    sim_libc()->fcntl(payload->fd, F_GET_SEALS) & F_SEAL_SHRINK)
		bytes = sim_libc()->mmap(NULL, length, PROT_READ, MAP_SHARED, payload->fd, 0);
	if (bytes != MAP_FAILED)
		payload->bytes = bytes;
	return bytes != MAP_FAILED;
}

int sim_wire_receive(int socket, struct sim_message *message, struct sim_payload *payload,
		     uint8_t buffer[SIM_WIRE_BYTES])
{
	union control control;
	struct iovec parts[] = { { message, sizeof(*message) }, { buffer, SIM_WIRE_BYTES } };
	struct msghdr header = {
		.msg_iov = parts,
		.msg_iovlen = 2,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	ssize_t length = recvmsg(socket, &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	bool is_valid;

	*payload = (struct sim_payload){ .bytes = buffer, .fd = -1 };
	if (length < 0)
		return 0;
	is_valid = read_control(&header, &payload->fd) && length >= (ssize_t)sizeof(*message);
	if (is_valid && payload->fd >= 0)
		is_valid = map_payload(payload, message->length);
	else if (is_valid)
		payload->length = (size_t)length - sizeof(*message);
	if (is_valid && (!message->has_data || payload->length == message->length))
		return 1;
	/* Others can send, too: such a message is lost. */
	if (payload->fd >= 0)
		sim_libc()->close(payload->fd);
	payload->fd = -1;
	memset(message, 0, sizeof(*message));
	return 1;
}
