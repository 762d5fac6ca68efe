// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What the answer of a call says of the device, and who gave it.  The trials are made up. */
#include <errno.h>
#include <infiniband/verbs.h>

#include "lib/probe/attempt.h"
#include "lib/probe/probe.h"
#include "lib/verbs/access.h"
#include "tests/unit/unit.h"

enum who {
	KERNEL,  /* answers: the library asks it */
	LIBRARY, /* refuses by itself */
	ABSENT,  /* the library has no such call */
	BEFORE,  /* what the call needs is refused, so that it is not made */
};

static int answers[8]; /* of the calls, one after the other: errno, or 0 */
static int calls;      /* that were made with a descriptor */
static enum who who;
static const char *call;

static void try_made_up(struct mr_probe *probe, const struct mr_trial *trial,
			struct mr_attempt *attempt)
{
	int errnum = answers[calls % (int)ARRAY_SIZE(answers)];
	int rc = 0;

	(void)trial;
	if (!probe->blind)
		calls++;
	if (who == BEFORE) {
		attempt->rc =
			mr_fail(&attempt->err, MR_ERROR_REFUSED, errnum, "ibv_alloc_dm", NULL);
		return;
	}
	mr_attempt_begin(probe, attempt, call);
	if (attempt->context->cmd_fd < 0 && who == KERNEL)
		errnum = EBADF;
	else if (probe->blind)
		errnum = answers[0];
	if (errnum)
		rc = mr_fail(&attempt->err, who == ABSENT ? MR_ERROR_HOST : MR_ERROR_REFUSED,
			     errnum, call, NULL);
	mr_attempt_end(attempt, rc);
}

static struct mr_environment environment;
static struct ibv_context context = { .cmd_fd = 7 };

static struct mr_probe probe_new(void)
{
	return (struct mr_probe){ .environment = &environment,
				  .device.context = &context,
				  .has_attributes = true,
				  .attributes.atomic = IBV_ATOMIC_HCA };
}

/* Makes a trial whose call answers with @errnum each time. */
static struct mr_trial_answer try_errno(struct mr_probe *probe, const struct mr_trial *trial,
					enum who refuses, const char *name, int errnum)
{
	struct mr_trial made = *trial;
	struct mr_trial_answer answer;

	made.attempt = try_made_up;
	for (size_t i = 0; i < ARRAY_SIZE(answers); i++)
		answers[i] = errnum;
	calls = 0;
	who = refuses;
	call = name;
	mr_probe_try(probe, &made, &answer);
	assert_int_equal(context.cmd_fd, 7);
	assert_false(probe->blind);
	return answer;
}

TEST(a_refusal_means_no_only_where_it_tells_of_the_device)
{
	static const struct {
		enum who who;
		const char *call;
		int errnum;
		uint32_t access;
		enum mr_capability capability;
		enum mr_tristate answer;
		const char *layer;
	} cases[] = {
		{ KERNEL, "ibv_reg_mr", 0, 0, 0, MR_YES, NULL },
		{ KERNEL, "ibv_reg_mr", EINVAL, 0, 0, MR_NO, NULL },
		{ KERNEL, "ibv_reg_mr", EINVAL, 0, MR_CAPABILITY_FORBIDDEN, MR_NO, "uverbs" },
		{ LIBRARY, "ibv_reg_mr", EINVAL, 0, MR_CAPABILITY_FORBIDDEN, MR_NO, NULL },
		{ KERNEL, "ibv_reg_mr", EOPNOTSUPP, 0, 0, MR_NO, "driver" },
		{ KERNEL, "ibv_reg_mr", EOPNOTSUPP, MR_ACCESS_ON_DEMAND, 0, MR_NO, NULL },
		{ LIBRARY, "ibv_reg_mr", EOPNOTSUPP, 0, 0, MR_NO, "provider" },
		{ LIBRARY, "mlx5dv_devx_umem_reg", EINVAL, 0, 0, MR_NO, "provider" },
		{ KERNEL, "ibv_reg_mr", EPROTONOSUPPORT, 0, 0, MR_NO, "uverbs" },
		{ KERNEL, "ioctl(REG_MR)", EPROTONOSUPPORT, 0, 0, MR_NO, "uverbs" },
		{ KERNEL, "ibv_reg_mr", 524, 0, 0, MR_NO, NULL },
		{ ABSENT, "ibv_reg_mr_ex", ENOSYS, 0, 0, MR_NO, "libibverbs" },
		{ ABSENT, "mlx5dv_reg_dmabuf_mr", ENOSYS, 0, 0, MR_NO, "provider" },
		{ BEFORE, NULL, EOPNOTSUPP, 0, 0, MR_NO, NULL },
		{ BEFORE, NULL, EINVAL, 0, 0, MR_UNKNOWN, NULL },
		{ BEFORE, NULL, ENOMEM, 0, 0, MR_UNKNOWN, NULL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct mr_trial trial = { .access = cases[i].access,
						.capability = cases[i].capability };
		struct mr_probe probe = probe_new();
		const struct mr_trial_answer found =
			try_errno(&probe, &trial, cases[i].who, cases[i].call, cases[i].errnum);

		print_message("case %zu\n", i);
		assert_int_equal(found.answer, cases[i].answer);
		assert_int_equal(found.made, cases[i].who != BEFORE);
		assert_string_equal(found.layer ?: "", cases[i].layer ?: "");
		assert_int_equal(found.errnum, cases[i].who == BEFORE ? 0 : cases[i].errnum);
		if (cases[i].who == BEFORE)
			assert_contains(found.reason, "it needs ibv_alloc_dm, which answers E");
	}
}

/* All errnos but those above tell of this host, this process or this moment. */
TEST(any_other_errno_leaves_the_answer_open)
{
	const struct mr_trial trial = { .id = "made-up" };
	struct mr_probe probe = probe_new();

	for (int errnum = 1; errnum < 600; errnum++) {
		struct mr_trial_answer found;

		if (errnum == EINVAL || mr_attempt_lacks(errnum))
			continue;
		if (errnum == EAGAIN || errnum == EINTR)
			continue;
		found = try_errno(&probe, &trial, KERNEL, "ibv_reg_mr", errnum);
		assert_int_equal(found.answer, MR_UNKNOWN);
		assert_true(found.reason[0]);
		assert_null(found.layer);
		assert_int_equal(calls, 1);
	}
}

TEST(not_now_is_asked_again)
{
	const struct mr_trial trial = { .id = "made-up", .attempt = try_made_up };
	struct mr_probe probe = probe_new();
	struct mr_trial_answer found = try_errno(&probe, &trial, KERNEL, "ibv_reg_mr", EAGAIN);

	assert_int_equal(found.answer, MR_UNKNOWN);
	assert_int_equal(calls, 5);
	answers[0] = EAGAIN;
	answers[1] = EINTR;
	answers[2] = 0;
	calls = 0;
	mr_probe_try(&probe, &trial, &found);
	assert_int_equal(found.answer, MR_YES);
	assert_int_equal(calls, 3);
}

TEST(a_refusal_may_mean_yes)
{
	const struct mr_trial trial = { .yes_errno = EBADF };
	struct mr_probe probe = probe_new();

	assert_int_equal(try_errno(&probe, &trial, KERNEL, "ibv_reg_dmabuf_mr", EBADF).answer,
			 MR_YES);
	assert_int_equal(try_errno(&probe, &trial, KERNEL, "ibv_reg_dmabuf_mr", EFAULT).answer,
			 MR_UNKNOWN);
}

TEST(the_answer_is_compared_with_what_the_device_reports)
{
	const struct mr_trial atomics = { .capability = MR_CAPABILITY_ATOMICS };
	const struct mr_trial forbidden = { .capability = MR_CAPABILITY_FORBIDDEN };
	struct mr_probe probe = probe_new();
	struct mr_trial_answer found = try_errno(&probe, &atomics, KERNEL, "ibv_reg_mr", 0);

	assert_int_equal(found.agrees, MR_YES);
	found = try_errno(&probe, &atomics, KERNEL, "ibv_reg_mr", EINVAL);
	assert_int_equal(found.capability, MR_YES);
	assert_int_equal(found.agrees, MR_NO);
	assert_contains(found.reason, "the device reports that it can do this");
	found = try_errno(&probe, &atomics, KERNEL, "ibv_reg_mr", EIO);
	assert_int_equal(found.agrees, MR_UNKNOWN);
	found = try_errno(&probe, &forbidden, KERNEL, "ibv_reg_mr", 0);
	assert_int_equal(found.agrees, MR_NO);
	assert_contains(found.reason, "ibv_reg_mr(3) forbids it");
	/* Providers refuse what the device was not asked for. */
	probe.has_attributes = false;
	found = try_errno(&probe, &atomics, LIBRARY, "ibv_reg_mr", EINVAL);
	assert_int_equal(found.answer, MR_UNKNOWN);
	assert_int_equal(found.capability, MR_UNKNOWN);
}
