// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <linux/netlink.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "lib/base/base.h"
#include "lib/nldev/nldev.h"

/* A dump that something has disturbed is repeated; so is a request whose answer found no room. */
#define TRIES 10
/* The kernel answers within the request; after these seconds no answer will come. */
#define SECONDS_TO_WAIT 10

/* ---- connecting ---- */

static int connect_socket(struct mr_nldev *nl, struct mr_error *err)
{
	struct timeval wait = { .tv_sec = SECONDS_TO_WAIT };
	int rc;

	nl->socket = mnl_socket_open2(NETLINK_RDMA, SOCK_CLOEXEC);
	if (!nl->socket || mnl_socket_bind(nl->socket, 0, MNL_SOCKET_AUTOPID)) {
		rc = mr_fail(err, errno == EPROTONOSUPPORT ? MR_ERROR_ABSENT : MR_ERROR_HOST, errno,
			     "socket(NETLINK_RDMA)", "cannot query the kernel's RDMA stack");
		if (rc == -EPROTONOSUPPORT)
			mr_hint(err,
				"the RDMA stack is not loaded (modprobe ib_core, or the driver "
				"of the device), or the kernel was built without it");
		return rc;
	}
	if (setsockopt(mnl_socket_get_fd(nl->socket), SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait)))
		return mr_fail(err, MR_ERROR_HOST, errno, "setsockopt(SO_RCVTIMEO)", NULL);
	return 0;
}

int mr_nldev_open(struct mr_nldev *nl, struct mr_error *err)
{
	int rc;

	*nl = (struct mr_nldev){ .buffer = malloc(MR_NLDEV_RECEIVE) };
	rc = nl->buffer ? connect_socket(nl, err)
			: mr_fail(err, MR_ERROR_HOST, ENOMEM, "malloc", NULL);
	if (rc)
		mr_nldev_close(nl);
	return rc;
}

void mr_nldev_close(struct mr_nldev *nl)
{
	if (nl->socket)
		mnl_socket_close(nl->socket);
	free(nl->buffer);
	*nl = (struct mr_nldev){ .socket = NULL };
}

int mr_nldev_reopen(struct mr_nldev *nl, struct mr_error *err)
{
	mnl_socket_close(nl->socket);
	return connect_socket(nl, err);
}

/* ---- asking ---- */

/* Room for a request: a header and three attributes of a u32. */
#define REQUEST_SIZE 64

static size_t write_request(struct mr_nldev *nl, const struct mr_nldev_question *question,
			    uint32_t value, char *room)
{
	struct nlmsghdr *request = mnl_nlmsg_put_header(room);

	request->nlmsg_type = RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, question->command);
	request->nlmsg_flags = (uint16_t)(NLM_F_REQUEST | (question->dump ? NLM_F_DUMP : 0));
	request->nlmsg_seq = ++nl->sequence;
	if (question->has_device)
		mnl_attr_put_u32(request, RDMA_NLDEV_ATTR_DEV_INDEX, question->device);
	if (question->of)
		mnl_attr_put_u32(request, RDMA_NLDEV_ATTR_STAT_RES, question->of);
	if (question->attribute)
		mnl_attr_put_u32(request, question->attribute, value);
	return request->nlmsg_len;
}

static int send_all(const struct mr_nldev *nl, const char *requests, size_t size)
{
	ssize_t sent;

	do
		sent = send(mnl_socket_get_fd(nl->socket), requests, size, MSG_NOSIGNAL);
	while (sent < 0 && errno == EINTR);
	return sent < 0 ? -errno : 0;
}

/* Receives what netlink sends at once.  Return: bytes, or -errno. */
static ssize_t receive(const struct mr_nldev *nl, int flags)
{
	ssize_t got;

	do
		got = recv(mnl_socket_get_fd(nl->socket), nl->buffer, MR_NLDEV_RECEIVE,
			   MSG_TRUNC | flags);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return -errno;
	return got > MR_NLDEV_RECEIVE || !mnl_nlmsg_ok((void *)nl->buffer, (int)got) ? -EBADMSG
										     : got;
}

/* Sets the error of the question from netlink's answer. */
static int fail_query(int errnum, const struct mr_nldev_question *question, struct mr_error *err)
{
	/* nldev.c answers so where ib_device_get_by_index() finds none, or it does not know the command. */
	if (errnum == EINVAL && question->has_device)
		return mr_fail(
			err, MR_ERROR_ABSENT, ENODEV, question->call,
			"the device no longer exists, or this kernel does not have the command");
	if (errnum == EAGAIN)
		return mr_fail(err, MR_ERROR_HOST, ETIMEDOUT, question->call,
			       "the kernel's RDMA netlink does not answer");
	return mr_fail(err, errnum == EPERM ? MR_ERROR_REFUSED : MR_ERROR_HOST, errnum,
		       question->call, "the kernel's RDMA netlink");
}

/* Return: the error of an error message; -EBADMSG if the message has none. */
static int error_of(const struct nlmsghdr *message)
{
	const struct nlmsgerr *error = mnl_nlmsg_get_payload(message);

	if (mnl_nlmsg_get_payload_len(message) < sizeof(*error) || error->error >= 0)
		return -EBADMSG;
	return error->error;
}

static int take_error(const struct nlmsghdr *message, void *data)
{
	(void)data;
	errno = -error_of(message);
	return MNL_CB_ERROR;
}

/*
 * The end of a dump has the errno of an early end, for example if the device was removed (netlink_dump() of the
 * kernel's
 * net/netlink/af_netlink.c).  libmnl ignores it.
 */
static int take_end(const struct nlmsghdr *message, void *data)
{
	const int *error = mnl_nlmsg_get_payload(message);

	(void)data;
	if (mnl_nlmsg_get_payload_len(message) < sizeof(*error) || *error >= 0)
		return MNL_CB_STOP;
	errno = -*error;
	return MNL_CB_ERROR;
}

/* Ask once.  Return: 0 or -errno. */
static int query_once(struct mr_nldev *nl, const struct mr_nldev_question *question,
		      mr_nldev_take *take, void *data)
{
	mnl_cb_t control[] = { [NLMSG_ERROR] = take_error, [NLMSG_DONE] = take_end };
	char request[REQUEST_SIZE] __attribute__((aligned(NLMSG_ALIGNTO)));
	int rc = send_all(nl, request, write_request(nl, question, question->value, request));
	ssize_t got;

	if (rc)
		return rc;
	do {
		got = receive(nl, 0);
		if (got < 0)
			return (int)got;
		rc = mnl_cb_run2(nl->buffer, (size_t)got, nl->sequence,
				 mnl_socket_get_portid(nl->socket), take, data, control,
				 sizeof(control) / sizeof(*control));
	} while (rc == MNL_CB_OK && question->dump);
	return rc == MNL_CB_ERROR ? -errno : 0;
}

int mr_nldev_query(struct mr_nldev *nl, const struct mr_nldev_question *question,
		   mr_nldev_take *take, void *data, size_t *count, struct mr_error *err)
{
	const size_t before = count ? *count : 0;
	int rc = query_once(nl, question, take, data);

	/* Netlink has lost messages for want of room; or what a dump lists has changed (NLM_F_DUMP_INTR). */
	for (int i = 1; (rc == -ENOBUFS || rc == -EINTR) && i < TRIES; i++) {
		if (count)
			*count = before;
		rc = mr_nldev_reopen(nl, err);
		if (rc)
			return rc;
		rc = query_once(nl, question, take, data);
	}
	if (!rc)
		return 0;
	/* Reconnect: pending replies would match the next request. */
	mr_nldev_reopen(nl, err);
	return fail_query(-rc, question, err);
}

/* ---- asking the same of several objects ---- */

/* Requests that are under way together. */
struct batch {
	struct mr_nldev *nl;
	const struct mr_nldev_question *question;
	const uint32_t *values;
	unsigned int count;
	uint32_t first;    /* sequence of the request for values[0] */
	uint64_t answered; /* a bit for each value */
	unsigned int open; /* values that are not answered yet */
	bool lost;         /* answers found no room */
	void (*take)(const struct nlmsghdr *message, unsigned int n, void *data);
	void *data;
};

_Static_assert(MR_NLDEV_BATCH <= 64, "struct batch has a bit for each value");

static bool is_answered(const struct batch *batch, unsigned int n)
{
	return batch->answered >> n & 1;
}

/* Ask for what is not answered yet.  Return: 0 or -errno. */
static int send_batch(struct batch *batch)
{
	char requests[MR_NLDEV_BATCH * REQUEST_SIZE] __attribute__((aligned(NLMSG_ALIGNTO)));
	size_t size = 0;

	batch->lost = false;
	batch->first = batch->nl->sequence + 1;
	for (unsigned int n = 0; n < batch->count; n++) {
		if (is_answered(batch, n))
			batch->nl->sequence++;
		else
			size += write_request(batch->nl, batch->question, batch->values[n],
					      requests + size);
	}
	return send_all(batch->nl, requests, size);
}

/* Takes one answer; MNL_CB_ERROR with errno where the kernel refuses the question. */
static int take_answer(const struct nlmsghdr *message, void *data)
{
	struct batch *batch = data;
	const uint32_t n = message->nlmsg_seq - batch->first;
	const int error = message->nlmsg_type == NLMSG_ERROR ? error_of(message) : 0;

	if (n >= batch->count || is_answered(batch, n))
		return MNL_CB_OK;
	if (error == -EAGAIN) {
		batch->lost = true;
		return MNL_CB_OK;
	}
	if (error && error != -ENOENT) {
		errno = -error;
		return MNL_CB_ERROR;
	}
	batch->answered |= UINT64_C(1) << n;
	batch->open--;
	batch->take(error ? NULL : message, n, batch->data);
	return MNL_CB_OK;
}

/* Receives until all is answered, or the rest is lost.  Return: 0 or -errno. */
static int receive_batch(struct batch *batch)
{
	mnl_cb_t control[] = { [NLMSG_ERROR] = take_answer };

	while (batch->open) {
		const ssize_t got = receive(batch->nl, batch->lost ? MSG_DONTWAIT : 0);

		if (got == -ENOBUFS)
			batch->lost = true;
		else if (got < 0)
			return got == -EAGAIN && batch->lost ? 0 : (int)got;
		else if (mnl_cb_run2(batch->nl->buffer, (size_t)got, 0,
				     mnl_socket_get_portid(batch->nl->socket), take_answer, batch,
				     control, sizeof(control) / sizeof(*control)) == MNL_CB_ERROR)
			return -errno;
	}
	return 0;
}

int mr_nldev_query_each(struct mr_nldev *nl, const struct mr_nldev_question *question,
			const uint32_t *values, unsigned int count,
			void (*take)(const struct nlmsghdr *message, unsigned int n, void *data),
			void *data, struct mr_error *err)
{
	struct batch batch = { .nl = nl,
			       .question = question,
			       .values = values,
			       .count = count,
			       .open = count,
			       .take = take,
			       .data = data };
	int rc = 0;

	/* Each round that loses answers takes at least one, unless something else fills the socket. */
	for (unsigned int i = 0; !rc && batch.open && i < TRIES + count; i++) {
		rc = send_batch(&batch);
		if (!rc)
			rc = receive_batch(&batch);
	}
	if (!rc && batch.open)
		rc = -ENOBUFS;
	if (!rc)
		return 0;
	mr_nldev_reopen(nl, err);
	return fail_query(-rc, question, err);
}

struct mr_opt_u64 mr_attribute_number(const struct nlattr *attribute)
{
	switch (mnl_attr_get_payload_len(attribute)) {
	case sizeof(uint8_t):
		return (struct mr_opt_u64){ mnl_attr_get_u8(attribute), true };
	case sizeof(uint32_t):
		return (struct mr_opt_u64){ mnl_attr_get_u32(attribute), true };
	case sizeof(uint64_t):
		return (struct mr_opt_u64){ mnl_attr_get_u64(attribute), true };
	default:
		return (struct mr_opt_u64){ 0, false };
	}
}

bool mr_attribute_u32(const struct nlattr *attribute, uint32_t *value)
{
	if (mnl_attr_get_payload_len(attribute) != sizeof(*value))
		return false;
	*value = mnl_attr_get_u32(attribute);
	return true;
}

void mr_attribute_text(const struct nlattr *attribute, char *text, size_t size)
{
	snprintf(text, size, "%.*s", (int)mnl_attr_get_payload_len(attribute),
		 mnl_attr_get_str(attribute));
}

bool mr_attribute_is(const struct nlattr *attribute, const char *word)
{
	const char *text = mnl_attr_get_str(attribute);
	const size_t length = strnlen(text, mnl_attr_get_payload_len(attribute));

	return length == strlen(word) && !memcmp(text, word, length);
}
