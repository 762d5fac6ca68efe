// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "cmd/bench/again.h"
#include "cmd/bench/again_words.h"
#include "cmd/bench/load.h"
#include "cmd/cli/child.h"
#include "cmd/region/context.h"

static int check_again(const struct json_node *old, const struct invocation *invocation,
		       struct mr_error *err)
{
	const char *given = invocation->global->device, *device = bench_device_of(old);

	if (!json_tree_first(json_tree_get(old, "rows")))
		return mr_fail_text(err, MR_ERROR_USAGE, ENODATA,
				    "%s has no rows that could be measured again",
				    invocation->operands[0]);
	if (given && bench_has_devices(old))
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				    "%s has measured several devices, and --compare measures all "
				    "of them: not '%s' alone",
				    invocation->operands[0], given);
	if (given && device && strcmp(given, device) != 0)
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				    "--compare measures on the device of %s, and that is not '%s'",
				    invocation->operands[0], given);
	return 0;
}

/* Takes the document of a measurement.  Return: NULL with @err; or without, where the other process has told why. */
static struct json_node *take_document(const struct child *child, int *status, struct mr_error *err)
{
	struct json_node *document = NULL;

	*status = WIFSIGNALED(child->status) ? 128 + WTERMSIG(child->status)
					     : WEXITSTATUS(child->status);
	if (child->length)
		document = json_tree_parse(child->text, child->length);
	if (!document && !*status)
		mr_fail_text(err, MR_ERROR_HOST, EBADMSG,
			     "the document of the measurement cannot be read");
	return document;
}

/* Runs mrctl with the words, and releases them.  Return: as take_document(). */
static struct json_node *run(struct again_words *words, const sigset_t *mask, int *status,
			     struct mr_error *err)
{
	struct child child = {
		.path = "/proc/self/exe", .argv = words->argv, .output = CHILD_CATCH, .mask = mask
	};
	struct json_node *document = NULL;

	if (words->error == E2BIG)
		mr_fail_text(err, MR_ERROR_USAGE, E2BIG,
			     "the document has measured more than 'mrctl bench' can at once");
	else if (words->error)
		mr_fail(err, MR_ERROR_HOST, words->error, "malloc", NULL);
	else if (!child_run(&child, err))
		document = take_document(&child, status, err);
	free(child.text);
	again_words_release(words);
	return document;
}

/* A single call tells what the host is, before much is measured. */
static int check_host(const struct json_node *old, const struct bench_args *args,
		      const sigset_t *mask, struct mr_error *err)
{
	struct again_words words = { .count = 0 };
	struct json_node *now;
	int rc = 0;

	again_words_of_host(&words, old);
	now = run(&words, mask, &rc, err);
	if (json_tree_first(json_tree_get(now, "rows")))
		rc = args->anyway ? 0 : bench_check_hosts(old, now, err);
	json_tree_free(now);
	return mr_error_is_set(err) ? -err->errnum : rc;
}

int bench_again(const struct invocation *invocation, const struct json_node *old,
		struct json_node **new, int *status, struct mr_error *err)
{
	const struct bench_args *args = invocation->args;
	struct again_words words = { .count = 0 };
	int rc = check_again(old, invocation, err);
	sigset_t mask;

	if (rc)
		return rc;
	sigprocmask(SIG_SETMASK, NULL, &mask);
	context_block_signals(invocation);
	rc = check_host(old, args, &mask, err);
	if (rc)
		return rc;
	again_words_of_rows(&words, old, args);
	*new = run(&words, &mask, status, err);
	if (*new)
		return 0;
	return mr_error_is_set(err) ? -err->errnum : *status;
}
