/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The server's side of the vfio-user protocol, for one client. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "hca.h"

enum {
	VERSION = 1, DMA_MAP, DMA_UNMAP, GET_INFO, GET_REGION_INFO, GET_REGION_IO_FDS,
	GET_IRQ_INFO, SET_IRQS, REGION_READ, REGION_WRITE, DMA_READ, DMA_WRITE, RESET,
	DIRTY_PAGES, WRITE_MULTI
};
enum { F_REPLY = 1, F_NO_REPLY = 0x10, F_ERROR = 0x20 };
enum { REGION_BAR0 = 0, REGION_CONFIG = 7, N_REGIONS = 9, IRQ_MSIX = 2, IRQ_ERR = 3, N_IRQS = 5 };

struct hdr {
	uint16_t id, cmd;
	uint32_t size, flags, error;
};

struct msg {
	struct hdr h;
	uint8_t b[1 << 16];
	int fd[16];
	uint32_t nfd;
};

static const char caps[] =
	"{\"capabilities\":{\"max_msg_fds\":8,\"max_data_xfer_size\":32768}}";

/* Fields of a message: in the host's byte order, at any alignment */
static uint32_t get_u32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, 4);
	return v;
}

static uint64_t get_u64(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, 8);
	return v;
}

static void put_u32(uint8_t *p, uint32_t v)
{
	memcpy(p, &v, 4);
}

static void put_u64(uint8_t *p, uint64_t v)
{
	memcpy(p, &v, 8);
}

static int read_all(int fd, void *b, size_t n)
{
	for (size_t got = 0; got < n;) {
		ssize_t r = read(fd, (char *)b + got, n - got);

		if (r < 0 && errno == EINTR)
			continue;
		if (r <= 0)
			return -1;
		got += (size_t)r;
	}
	return 0;
}

static int receive_message(int s, struct msg *m)
{
	char cb[CMSG_SPACE(sizeof(m->fd))];
	struct iovec io = { &m->h, sizeof(m->h) };
	struct msghdr mh = { .msg_iov = &io, .msg_iovlen = 1, .msg_control = cb,
			     .msg_controllen = sizeof(cb) };
	ssize_t r;

	do
		r = recvmsg(s, &mh, MSG_CMSG_CLOEXEC);
	while (r < 0 && errno == EINTR);
	if (r <= 0)
		return -1;
	m->nfd = 0;
	for (struct cmsghdr *c = CMSG_FIRSTHDR(&mh); c; c = CMSG_NXTHDR(&mh, c))
		if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS) {
			m->nfd = (uint32_t)((c->cmsg_len - CMSG_LEN(0)) / sizeof(int));
			memcpy(m->fd, CMSG_DATA(c), m->nfd * sizeof(int));
		}
	if ((size_t)r < sizeof(m->h) &&
	    read_all(s, (char *)&m->h + r, sizeof(m->h) - (size_t)r))
		return -1;
	if (m->h.size < sizeof(m->h) || m->h.size - sizeof(m->h) > sizeof(m->b))
		return -1;
	return read_all(s, m->b, m->h.size - sizeof(m->h));
}

static int send_reply(int s, struct msg *m, uint32_t len, int err)
{
	if (m->h.flags & F_NO_REPLY)
		return 0;
	m->h.flags = F_REPLY | (err ? F_ERROR : 0);
	m->h.error = (uint32_t)err;
	m->h.size = (uint32_t)sizeof(m->h) + (err ? 0 : len);

	struct iovec io[2] = { { &m->h, sizeof(m->h) }, { m->b, m->h.size - sizeof(m->h) } };
	struct msghdr mh = { .msg_iov = io, .msg_iovlen = 2 };
	return sendmsg(s, &mh, MSG_NOSIGNAL) < 0 ? -1 : 0;
}

static int set_irqs(struct pci_function *f, struct msg *m)
{
	uint32_t flags = get_u32(m->b + 4), index = get_u32(m->b + 8), start = get_u32(m->b + 12),
		 count = get_u32(m->b + 16);

	if (index != IRQ_MSIX)
		return 0;
	if (count > f->n_vec || start > f->n_vec - count)
		return EINVAL;
	if ((flags & 1) && count == 0) {	/* DATA_NONE: no vector has an eventfd any more */
		start = 0;
		count = f->n_vec;
		m->nfd = 0;
	}
	for (uint32_t i = 0; i < count; i++) {
		int *fd = &f->irqfd[start + i];

		if (*fd >= 0)
			close(*fd);
		*fd = -1;
		if (i < m->nfd) {
			*fd = m->fd[i];
			m->fd[i] = -1;
		}
	}
	return 0;
}

/* Carries out a message and puts the reply in its place, of len bytes; returns 0 or an errno. */
static int handle_message(struct hca *h, struct pci_function *f, struct msg *m, uint32_t *len)
{
	uint8_t *b = m->b;
	uint32_t body = m->h.size - (uint32_t)sizeof(m->h), i;
	uint64_t off;

	*len = body;
	switch (m->h.cmd) {
	case VERSION:
		b[0] = b[1] = b[2] = b[3] = 0;
		memcpy(b + 4, caps, sizeof(caps));
		*len = 4 + sizeof(caps);
		return 0;
	case DMA_MAP:
		trace(h, 3, "dma_map iova %lx size %lx off %lx fd %u", get_u64(b + 16), get_u64(b + 24),
		      get_u64(b + 8), m->nfd);
		return dma_map(f, get_u64(b + 16), get_u64(b + 24), get_u64(b + 8), m->nfd ? m->fd[0] : -1);
	case DMA_UNMAP:
		dma_unmap(f, get_u64(b + 8), get_u64(b + 16), get_u32(b + 4) & 2);
		return 0;
	case GET_INFO:
		put_u32(b + 4, 1 | 2);	/* PCI, can be reset */
		put_u32(b + 8, N_REGIONS);
		put_u32(b + 12, N_IRQS);
		return 0;
	case GET_REGION_INFO:
		i = get_u32(b + 8);
		put_u32(b, 32);
		put_u32(b + 4, (i == REGION_BAR0 && f->bar_size) || i == REGION_CONFIG ? 3 : 0);
		put_u32(b + 12, 0);
		put_u64(b + 16, i == REGION_BAR0 ? f->bar_size : i == REGION_CONFIG ? 256 : 0);
		put_u64(b + 24, 0);
		return i < N_REGIONS ? 0 : EINVAL;
	case GET_IRQ_INFO:
		i = get_u32(b + 8);
		put_u32(b + 4, (i == IRQ_MSIX && f->n_vec) || i == IRQ_ERR ? 1 : 0);
		put_u32(b + 12, i == IRQ_MSIX ? f->n_vec : i == IRQ_ERR ? 1 : 0);
		return i < N_IRQS ? 0 : EINVAL;
	case SET_IRQS:
		return set_irqs(f, m);
	case REGION_READ:
	case REGION_WRITE:
		off = get_u64(b);
		i = get_u32(b + 12);
		if (get_u32(b + 8) == REGION_BAR0) {
			if (i > 4096 || i > f->bar_size || off > f->bar_size - i)
				return EINVAL;
			if (m->h.cmd == REGION_READ)
				bar_read(h, (uint32_t)off, b + 16, i);
			else
				bar_write(h, (uint32_t)off, b + 16, i);
		} else if (get_u32(b + 8) == REGION_CONFIG) {
			if (i > 256 || off > 256 - i)
				return EINVAL;
			if (m->h.cmd == REGION_READ)
				f->config_read(h, (uint32_t)off, b + 16, i);
			else
				f->config_write(h, (uint32_t)off, b + 16, i);
		} else {
			return EINVAL;
		}
		*len = m->h.cmd == REGION_READ ? 16 + i : 16;
		return 0;
	case RESET:
		trace(h, 1, "device reset");
		f->reset(h);
		*len = 0;
		return 0;
	default:
		return ENOTSUP;
	}
}

static int listen_at(const char *path)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int l;

	if (strlen(path) >= sizeof(a.sun_path))
		return -ENAMETOOLONG;
	strcpy(a.sun_path, path);
	unlink(path);
	l = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (l < 0 || bind(l, (struct sockaddr *)&a, sizeof(a)) || listen(l, 1))
		return -errno;
	return l;
}

static int accept_client(struct pci_function *f)
{
	int s = accept(f->sock, NULL, NULL);

	close(f->sock);
	unlink(f->path);
	f->sock = s;
	f->is_connected = true;
	return s < 0 ? -1 : 0;
}

/* Answers the next message of a function's client; -1: it is gone. */
static int answer_client(struct hca *h, struct pci_function *f)
{
	static struct msg m;
	uint32_t len = 0;
	int err;

	if (receive_message(f->sock, &m))
		return -1;
	err = handle_message(h, f, &m, &len);
	for (uint32_t i = 0; i < m.nfd; i++)
		if (m.fd[i] >= 0)
			close(m.fd[i]);
	if (err)
		trace(h, 1, "vfio-user command %u: error %d", m.h.cmd, err);
	return send_reply(f->sock, &m, len, err);
}

int vfio_user_serve(struct hca *h)
{
	struct pollfd p[N_FN];

	/* The HCA's comes last: whoever waits for its socket finds the others */
	for (int i = N_FN - 1; i >= 0; i--) {
		struct pci_function *f = &h->fn[i];

		f->sock = f->path ? listen_at(f->path) : -1;
		if (f->path && f->sock < 0)
			return -f->sock;
	}
	while (h->fn[FN_HCA].sock >= 0) {
		for (int i = 0; i < N_FN; i++)
			p[i] = (struct pollfd){ .fd = h->fn[i].sock, .events = POLLIN };
		if (poll(p, N_FN, h->is_waiting ? 1 : -1) < 0 && errno != EINTR)
			return errno;
		if (h->is_waiting)
			path_retry(h);
		for (int i = 0; i < N_FN; i++) {
			struct pci_function *f = &h->fn[i];

			if (!p[i].revents || !(f->is_connected ? answer_client(h, f) : accept_client(f)))
				continue;
			close(f->sock);
			f->sock = -1;
		}
	}
	trace(h, 1, "client gone after %lu commands", h->n_cmd);
	return 0;
}
