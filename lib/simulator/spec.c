// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <string.h>

#include "lib/base/base.h"
#include "lib/simulator/spec.h"

#define MILLISECONDS_MAX 3600000

const struct mr_word mr_sim_profiles[] = {
	[MR_SIM_MLX5] = MR_WORD("mlx5", "mlx5_0, with import (the default)"),
	[MR_SIM_RXE] = MR_WORD("rxe", "rxe0, the kernel's software device, without import"),
	[MR_SIM_PROFILES] = { .name = NULL },
};

const struct mr_word mr_sim_kernels[] = {
	[MR_SIM_KERNEL_7_2] = MR_WORD("7.2", "Debian sid (the default)"),
	[MR_SIM_KERNEL_6_12] = MR_WORD("6.12", "Debian 13"),
	[MR_SIM_KERNEL_6_1] = MR_WORD("6.1", "Debian 12"),
	[MR_SIM_KERNELS] = { .name = NULL },
};

#define CALL_WORD(id, name, help) [MR_SIM_##id] = MR_WORD(name, help),
const struct mr_word mr_sim_calls[] = { MR_SIM_EACH_CALL(CALL_WORD){ .name = NULL } };

const struct mr_word mr_sim_actions[] = {
	[MR_SIM_FAIL] = MR_WORD("ERRNO", "answer with that error, such as ENOMEM, and do nothing"),
	[MR_SIM_KILL] = MR_WORD("kill", "kill the process before the call is carried out"),
	[MR_SIM_KILL_AFTER] =
		MR_WORD("kill-after", "kill the process after the call, before it returns"),
	[MR_SIM_STOP] =
		MR_WORD("stop", "stop the process (SIGSTOP) before the call is carried out"),
	[MR_SIM_STOP_AFTER] =
		MR_WORD("stop-after", "stop the process after the call, before it returns"),
	[MR_SIM_DELAY] = MR_WORD("delay:MILLISECONDS", "wait, then carry the call out"),
	{ .name = NULL },
};

/* The index of a word in a table; -EINVAL with MR_ERROR_USAGE if it has none.  @what: for the message. */
static int find_word(const struct mr_word *words, const char *what, const char *text, size_t length,
		     struct mr_error *err)
{
	const int found = mr_word_find(words, text, length);

	return found >= 0 ? found : mr_fail_word(err, what, text, length, words, sizeof(*words));
}

int mr_sim_kernel_parse(const char *text, enum mr_sim_kernel *kernel, struct mr_error *err)
{
	int found = find_word(mr_sim_kernels, "kernel", text, strlen(text), err);

	if (found < 0)
		return found;
	*kernel = (enum mr_sim_kernel)found;
	return 0;
}

static int parse_call(const char *text, size_t length, struct mr_sim_fault *fault,
		      struct mr_error *err)
{
	const char *at = memchr(text, '@', length);
	size_t name = at ? (size_t)(at - text) : length;
	int found = find_word(mr_sim_calls, "call", text, name, err), rc = 0;

	if (found < 0)
		return found;
	fault->call = (enum mr_sim_call)found;
	fault->turn = 0;
	if (at)
		rc = mr_parse_u64_item(at + 1, length - name - 1, UINT64_MAX, &fault->turn, err);
	if (!rc && at && !fault->turn)
		return mr_fail_usage(err, "calls are counted from 1");
	return rc;
}

static int parse_action(const char *text, size_t length, struct mr_sim_fault *fault,
			struct mr_error *err)
{
	static const char delay[] = "delay:";
	int found = mr_word_find(mr_sim_actions, text, length);
	const char *guess;

	fault->value = 0;
	if (found > MR_SIM_FAIL && found < MR_SIM_DELAY) { /* those without a value */
		fault->action = (enum mr_sim_action)found;
		return 0;
	}
	if (length >= strlen(delay) && !memcmp(text, delay, strlen(delay))) {
		fault->action = MR_SIM_DELAY;
		return mr_parse_u64_item(text + strlen(delay), length - strlen(delay),
					 MILLISECONDS_MAX, &fault->value, err);
	}
	fault->action = MR_SIM_FAIL;
	fault->value = (uint64_t)mr_errno_parse(text, length);
	if (fault->value)
		return 0;
	guess = mr_guess_from(text, length, mr_sim_actions, sizeof(*mr_sim_actions));
	if (!guess || guess == mr_sim_actions[MR_SIM_FAIL].name)
		guess = mr_errno_guess(text, length);
	return mr_fail_usage(err,
			     "unknown action '%.*s'%s%s%s give kill, kill-after, stop, stop-after, "
			     "delay:MILLISECONDS or an errno's name",
			     (int)length, text, guess ? ": did you mean '" : ":",
			     guess ? guess : "", guess ? "'?" : "");
}

static int parse_fault(const char *text, size_t length, struct mr_sim_fault *fault,
		       struct mr_error *err)
{
	const char *equals = memchr(text, '=', length);
	size_t call = equals ? (size_t)(equals - text) : 0;
	int rc;

	if (!equals)
		return mr_fail_usage(err, "'%.*s' is not of the form CALL[@N]=ACTION", (int)length,
				     text);
	fault->text = text;
	fault->length = length;
	rc = parse_call(text, call, fault, err);
	return rc ? rc : parse_action(equals + 1, length - call - 1, fault, err);
}

int mr_sim_faults_parse(const char *text, struct mr_sim_faults *faults, struct mr_error *err)
{
	for (;; text++) {
		size_t length = strcspn(text, ";");
		int rc;

		if (faults->count == MR_SIM_FAULTS_MAX)
			return mr_fail_usage(err, "more than %d faults", MR_SIM_FAULTS_MAX);
		rc = parse_fault(text, length, &faults->list[faults->count], err);
		if (rc)
			return rc;
		faults->count++;
		text += length;
		if (!*text)
			return 0;
	}
}
