// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Judges what the answer of a call says of the device, and who gave it.  The trials are made up. */
#include <infiniband/verbs.h>

#include "lib/probe/probe.h"
#include "lib/verbs/verbs.h"
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

static int errnum;     /* of this call */

static int prepare_made_up(struct mr_attempt *attempt)
{
	errnum = answers[calls % (int)ARRAY_SIZE(answers)];
	calls += !attempt->blind;
	return who == BEFORE ? mr_fail(&attempt->err, MR_ERROR_REFUSED, errnum, "ibv_alloc_dm", NULL) : 0;
}

static int make_made_up(struct mr_attempt *attempt)
{
	const char *call = attempt->trial->name;

	if (attempt->context->cmd_fd < 0 && who == KERNEL)
		errnum = EBADF;
	else if (attempt->blind)
		errnum = answers[0];
	if (!errnum)
		return 0;
	return mr_fail(&attempt->err, who == ABSENT ? MR_ERROR_HOST : MR_ERROR_REFUSED, errnum, call, NULL);
}

static struct mr_environment environment;
static struct ibv_context context = { .cmd_fd = 7 };

/* Makes a trial whose call answers with @each each time. */
static struct mr_trial_answer try_errno(const struct mr_trial *trial, enum who refuses, const char *name, int each,
					bool has_no_attributes)
{
	struct mr_probe probe = { .environment = &environment,
				  .device.context = &context,
				  .has_attributes = !has_no_attributes,
				  .attributes.atomic = IBV_ATOMIC_HCA };
	struct mr_trial made = *trial;
	struct mr_trial_answer answer;

	made.prepare = prepare_made_up;
	made.make = make_made_up;
	made.name = name;
	for (size_t i = 0; i < ARRAY_SIZE(answers); i++)
		answers[i] = each;
	calls = 0;
	who = refuses;
	mr_probe_try(&probe, &made, &answer);
	assert_int_equal(context.cmd_fd, 7);
	return answer;
}

struct row {
	enum who who;
	const char *call;
	int errnum;
	enum mr_tristate answer;
	const char *layer;
	struct mr_trial trial;
	bool has_no_attributes;
	/* what the device reports, and whether the answer agrees; where "capability" is set */
	enum mr_tristate capability, agrees;
	const char *says;
};

#define ATOMICS   .trial.capability = MR_CAPABILITY_ATOMICS
#define FORBIDDEN .trial.capability = MR_CAPABILITY_FORBIDDEN

static const struct row rows[] = {
	{ KERNEL, "ibv_reg_mr", 0, MR_YES, .layer = NULL },
	{ KERNEL, "ibv_reg_mr", EINVAL, MR_NO, .layer = NULL },
	{ KERNEL, "ibv_reg_mr", EINVAL, MR_NO, .layer = "uverbs", FORBIDDEN },
	{ LIBRARY, "ibv_reg_mr", EINVAL, MR_NO, .layer = NULL, FORBIDDEN },
	{ KERNEL, "ibv_reg_mr", EOPNOTSUPP, MR_NO, .layer = "driver" },
	{ KERNEL, "ibv_reg_mr", EOPNOTSUPP, MR_NO, .trial.access = MR_ACCESS_ON_DEMAND },
	{ LIBRARY, "ibv_reg_mr", EOPNOTSUPP, MR_NO, .layer = "provider" },
	{ LIBRARY, "mlx5dv_devx_umem_reg", EINVAL, MR_NO, .layer = "provider" },
	{ KERNEL, "ibv_reg_mr", EPROTONOSUPPORT, MR_NO, .layer = "uverbs" },
	{ KERNEL, "ioctl(REG_MR)", EPROTONOSUPPORT, MR_NO, .layer = "uverbs" },
	{ KERNEL, "ibv_reg_mr", 524, MR_NO, .layer = NULL },
	{ ABSENT, "ibv_reg_mr_ex", ENOSYS, MR_NO, .layer = "libibverbs" },
	{ ABSENT, "mlx5dv_reg_dmabuf_mr", ENOSYS, MR_NO, .layer = "provider" },
	{ BEFORE, NULL, EOPNOTSUPP, MR_NO, .says = "it needs ibv_alloc_dm, which answers E" },
	{ BEFORE, NULL, EINVAL, MR_UNKNOWN, .says = "it needs ibv_alloc_dm, which answers E" },
	{ BEFORE, NULL, ENOMEM, MR_UNKNOWN, .says = "it needs ibv_alloc_dm, which answers E" },
	/* a refusal may mean yes */
	{ KERNEL, "ibv_reg_dmabuf_mr", EBADF, MR_YES, .trial.yes_errno = EBADF },
	{ KERNEL, "ibv_reg_dmabuf_mr", EFAULT, MR_UNKNOWN, .trial.yes_errno = EBADF },
	/* compared with what the device reports */
	{ KERNEL, "ibv_reg_mr", 0, MR_YES, ATOMICS, .capability = MR_YES, .agrees = MR_YES },
	{ KERNEL, "ibv_reg_mr", EINVAL, MR_NO, ATOMICS, .capability = MR_YES, .agrees = MR_NO,
	  .says = "the device reports that it can do this" },
	{ KERNEL, "ibv_reg_mr", EIO, MR_UNKNOWN, ATOMICS, .capability = MR_YES, .agrees = MR_UNKNOWN },
	{ KERNEL, "ibv_reg_mr", 0, MR_YES, FORBIDDEN, .capability = MR_NO, .agrees = MR_NO,
	  .says = "ibv_reg_mr(3) forbids it" },
	/* Providers refuse what the device was not asked for. */
	{ LIBRARY, "ibv_reg_mr", EINVAL, MR_UNKNOWN, ATOMICS, .has_no_attributes = true, .capability = MR_UNKNOWN },
};

TEST(a_refusal_means_no_only_where_it_tells_of_the_device)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct row *row = &rows[i];
		const struct mr_trial_answer found =
			try_errno(&row->trial, row->who, row->call, row->errnum, row->has_no_attributes);

		print_message("row %zu\n", i);
		assert_int_equal(found.answer, row->answer);
		assert_int_equal(found.made, row->who != BEFORE);
		if (found.answer == MR_NO && row->capability != MR_YES)
			assert_string_equal(found.layer ?: "", row->layer ?: "");
		assert_int_equal(found.errnum, row->who == BEFORE ? 0 : row->errnum);
		if (row->capability || row->has_no_attributes) {
			assert_int_equal(found.capability, row->capability);
			assert_int_equal(found.agrees, row->agrees);
		}
		assert_contains(found.reason, row->says ?: "");
	}
}

/* All errnos but those above tell of this host, this process or this moment. */
TEST(any_other_errno_leaves_the_answer_open_and_not_now_is_asked_again)
{
	const struct mr_trial trial = { .id = "made-up", .name = "ibv_reg_mr", .prepare = prepare_made_up, .make = make_made_up };
	struct mr_probe probe = { .environment = &environment, .device.context = &context };
	struct mr_trial_answer found;

	for (int each = 1; each < 600; each++) {
		if (each == EINVAL || each == EOPNOTSUPP || each == EPROTONOSUPPORT || each == ENOSYS || each == 524)
			continue;
		found = try_errno(&trial, KERNEL, "ibv_reg_mr", each, false);
		assert_equal_for(strerror(each), found.answer, MR_UNKNOWN);
		assert_true(found.reason[0]);
		assert_null(found.layer);
		assert_equal_for(strerror(each), calls, each == EAGAIN || each == EINTR ? 5 : 1);
	}
	answers[0] = EAGAIN;
	answers[1] = EINTR;
	answers[2] = 0;
	calls = 0;
	mr_probe_try(&probe, &trial, &found);
	assert_int_equal(found.answer, MR_YES);
	assert_int_equal(calls, 3);
}
