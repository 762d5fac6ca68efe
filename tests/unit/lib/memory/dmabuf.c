// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Sources of dma-bufs, as far as they need no special kernel or device. */
#include "lib/memory/memory.h"
#include "tests/unit/unit.h"

static struct mr_error err;

TEST(unknown_sources_are_usage_errors)
{
	static const char *const words[] = {
		"",          ":",       "f",      "fd",       "fd:",           "fd: 1",
		"fd:--1",    "fd:1x",   "fd:1:2", "FD:1",     "fd:2147483648", "udmabuf:",
		"udmabuf:1", "heap",    "heap:",  "heap:a/b", "heap:../x",     "cuda",
		"cuda:",     "cuda:-1", "anon",
	};
	struct mr_dmabuf_source source;

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		mr_error_clear(&err);
		if (mr_dmabuf_source_parse(words[i], &source, &err) >= 0)
			fail_msg("'%s' was taken", words[i]);
		assert_equal_for(words[i], err.kind, MR_ERROR_USAGE);
		assert_true(mr_error_is_set(&err));
	}
}

static void parse_fd(int fd, struct mr_dmabuf_request *request)
{
	static char text[32];

	*request = (struct mr_dmabuf_request){ .size = 1 };
	snprintf(text, sizeof(text), "fd:%d", fd);
	assert_int_equal(mr_dmabuf_source_parse(text, &request->source, &err), 0);
}

TEST(an_inherited_descriptor_is_used_as_it_is_and_a_closed_one_is_not_one_opened_later)
{
	struct mr_dmabuf_request request;
	struct mr_dmabuf dmabuf = { 0 };
	int fd = memfd_create("test", 0);

	assert_int_equal(ftruncate(fd, 12345), 0);
	parse_fd(fd, &request);
	assert_int_equal(mr_dmabuf_source_size(&request.source), 12345);
	assert_int_equal(mr_dmabuf_open(&request, &dmabuf, &err), 0);
	assert_int_equal(dmabuf.fd, fd);
	assert_int_equal(dmabuf.page_size, 0);
	mr_dmabuf_close(&dmabuf);
	mr_dmabuf_close(&dmabuf);
	assert_int_not_equal(fcntl(fd, F_GETFD), -1); /* it belongs to whoever opened it */
	close(fd);

	parse_fd(fd, &request);
	assert_int_equal(dup(0), fd);
	assert_int_equal(mr_dmabuf_open(&request, &dmabuf, &err), 0);
	assert_int_equal(dmabuf.fd, MR_DMABUF_CLOSED);
	assert_int_equal(mr_dmabuf_source_size(&request.source), 0);
	close(fd);
}
