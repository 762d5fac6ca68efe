// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "cmd/cli/cli.h"
#include "lib/base/base.h"
#include "lib/diagnose/causes/causes.h"
#include "lib/memory/memory.h"
#include "lib/simulator/spec.h"
#include "lib/verbs/verbs.h"
#include "lib/verify/verify.h"

static int fail_cause(const char *id, size_t length, struct mr_error *err)
{
	struct mr_guess guess = { .word = id, .length = length };

	for (const struct mr_cause *cause = mr_cause_next(NULL); cause;
	     cause = mr_cause_next(cause))
		mr_guess_try(&guess, cause->id);
	mr_fail_usage(err, "unknown cause '%.*s'", (int)length, id);
	if (guess.best)
		mr_hint(err, "did you mean '%s'?", guess.best);
	else
		mr_hint(err, "mrctl help causes lists all");
	return -EINVAL;
}

/* "ENOMEM:MR-MEMLOCK": @id is what stands behind the colon */
static int add_cause(struct expect_option *expect, int errnum, const char *id, size_t length,
		     struct mr_error *err)
{
	const struct mr_cause *cause = mr_cause_find(id, length);

	if (!cause)
		return fail_cause(id, length, err);
	if (!mr_cause_speaks_for(cause, 0, errnum)) {
		mr_fail_usage(err, "%s is never the cause of %s", cause->id, mr_errno_name(errnum));
		mr_hint(err, "mrctl explain %s names its errnos", cause->id);
		return -EINVAL;
	}
	if (expect->cause_count == sizeof(expect->causes) / sizeof(*expect->causes))
		return mr_fail_usage(err, "--expect accepts at most %zu causes",
				     expect->cause_count);
	expect->causes[expect->cause_count++] = (struct expected_cause){ errnum, cause };
	return 0;
}

static int add_answer(struct expect_option *expect, const char *item, size_t length,
		      struct mr_error *err)
{
	const char *colon = memchr(item, ':', length);
	const size_t name = colon ? (size_t)(colon - item) : length;
	const int errnum = mr_errno_parse(item, name);
	const char *guess = errnum ? NULL : mr_errno_guess(item, length);
	size_t status_length = length;
	const char *status =
		mr_word_without(item, &status_length, (const char *const[]){ "IBV_WC_", NULL });
	const int found = mr_word_find(mr_data_answers, status, status_length);

	if (errnum && colon)
		return add_cause(expect, errnum, colon + 1, length - name - 1, err);
	if (errnum)
		expect->errnums[errnum / 64] |= UINT64_C(1) << errnum % 64;
	else if (mr_word_is(item, length, "ok"))
		expect->ok = true;
	else if (found >= 0)
		expect->statuses |= 1U << found;
	else
		return mr_fail_usage(err,
				     "unknown answer '%.*s'%s%s%s give ok, or the name of an errno "
				     "such as ENOMEM",
				     (int)length, item, guess ? ": did you mean '" : ":",
				     guess ? guess : "", guess ? "'?" : "");
	return 0;
}

/* Reads the value of --expect, as read() of struct option_type. */
static int expect_option_read(const char *text, void *member, struct mr_error *err)
{
	struct expect_option *expect = member;
	const char *item;
	size_t length;
	int rc = 0;

	expect->given = true;
	while (!rc && (item = mr_list_item(&text, ",", &length)))
		rc = add_answer(expect, item, length, err);
	return rc;
}

static int read_flag(const char *text __attribute__((unused)), void *member,
		     struct mr_error *err __attribute__((unused)))
{
	*(bool *)member = true;
	return 0;
}

static int read_text(const char *text, void *member, struct mr_error *err __attribute__((unused)))
{
	*(const char **)member = text;
	return 0;
}

static int read_name(const char *text, void *member, struct mr_error *err)
{
	int rc = mr_parse_name(text, err);

	return rc ? rc : read_text(text, member, err);
}

static int read_via(const char *text, void *member, struct mr_error *err)
{
	static const struct mr_word paths[] = { [MR_VIA_LIBRARY] = MR_WORD("library", NULL),
						[MR_VIA_KERNEL] = MR_WORD("kernel", NULL),
						MR_WORD(NULL, NULL) };
	const size_t length = strlen(text);
	const int path = mr_word_find(paths, text, length);

	if (path < 0)
		return mr_fail_word(err, "path", text, length, paths, sizeof(*paths));
	*(struct via_option *)member = (struct via_option){ (enum mr_via)path, true };
	return 0;
}

static int read_format(const char *text, void *member, struct mr_error *err)
{
	size_t length = strlen(text);
	int format = mr_word_find(output_formats, text, length);

	if (format < 0) {
		mr_fail_word(err, "format", text, length, output_formats, sizeof(*output_formats));
		if (!strcasecmp(text, "json"))
			mr_hint(err, "use --json (-j) for JSON");
		return -EINVAL;
	}
	*(struct format_option *)member =
		(struct format_option){ (enum output_format)format, true };
	return 0;
}

/* Defines the reader of a type whose member is what a function of lib reads. */
#define READER(type, parse)                                                                        \
	static int read_##type(const char *text, void *member, struct mr_error *err)               \
	{                                                                                          \
		return parse(text, member, err);                                                   \
	}
READER(dmabuf, mr_dmabuf_source_parse)
READER(advice, mr_advice_parse)
READER(faults, mr_sim_faults_parse)
READER(limits, mr_limits_parse)

static int parse_any_u64(const char *text, uint64_t *value, struct mr_error *err)
{
	return mr_parse_u64(text, UINT64_MAX, value, err);
}

/* The same of a number that may be unknown. */
#define NUMBER_READER(type, parse)                                                                 \
	static int read_##type(const char *text, void *member, struct mr_error *err)               \
	{                                                                                          \
		struct mr_opt_u64 *number = member;                                                \
		int rc = parse(text, &number->value, err);                                         \
                                                                                                   \
		number->known = !rc;                                                               \
		return rc;                                                                         \
	}
NUMBER_READER(size, mr_parse_size)
NUMBER_READER(number, parse_any_u64)
NUMBER_READER(seconds, mr_parse_seconds)
NUMBER_READER(page_sizes, mr_parse_page_sizes)

static int read_pages(const char *text, void *member, struct mr_error *err)
{
	struct mr_opt_u64 *sizes = member;
	uint64_t before = sizes->known ? sizes->value : 0;
	int rc = read_page_sizes(text, member, err);

	sizes->value |= before;
	return rc;
}

static int read_flags(const struct mr_word *flags, const char *what, const char *text,
		      struct access_option *access, struct mr_error *err)
{
	uint32_t bits = 0;
	int rc = mr_flags_parse(flags, what, text, &bits, err);

	access->given = true;
	access->bits |= bits;
	return rc;
}

static int read_access(const char *text, void *member, struct mr_error *err)
{
	const int rc = read_flags(mr_access_flags, "access flag", text, member, err);

	if (rc && mr_word_is(text, strlen(text), "rw"))
		mr_hint(err, "did you mean 'local-write,remote-read,remote-write'?");
	return rc;
}

static int read_changes(const char *text, void *member, struct mr_error *err)
{
	return read_flags(mr_change_flags, "flag", text, member, err);
}

static int read_memory(const char *text, void *member, struct mr_error *err)
{
	const int rc = mr_memory_kind_parse(text, member, err);

	if (rc && (!strncmp(text, "cuda", 4) || !strncmp(text, "gpu", 3)))
		mr_hint(err,
			"memory of a GPU is cuda:0; as a dma-buf: mrctl reg-dmabuf --from cuda:0");
	return rc;
}

static int read_planned_memory(const char *text, void *member, struct mr_error *err)
{
	struct planned_memory *memory = member;
	struct mr_dmabuf_source source;

	memory->is_gpu = !strncmp(text, "cuda", 4);
	return memory->is_gpu ? mr_dmabuf_source_parse(text, &source, err)
			      : mr_memory_kind_parse(text, &memory->kind, err);
}

static int read_dmah(const char *text, void *member, struct mr_error *err)
{
	struct dmah_option *option = member;

	option->text = text;
	return mr_dmah_parse(text, &option->hints, err);
}

static const struct mr_word fail_on_words[] = {
	[FAIL_ON_BAD] = MR_WORD("bad", "registration fails"),
	[FAIL_ON_WARN] = MR_WORD("warn", "registration fails, or may fail for some"),
	MR_WORD(NULL, NULL),
};

static const struct mr_word exit_styles[] = {
	[EXIT_STYLE_PLAIN] = MR_WORD("plain", "0, or 1 if a check fails"),
	[EXIT_STYLE_NAGIOS] = MR_WORD("nagios", "a plugin of Nagios: 0, 1, 2 or 3"),
	[EXIT_STYLE_NPD] = MR_WORD("npd", "a plugin of node-problem-detector: 0, 1 or 2"),
	MR_WORD(NULL, NULL),
};

static const struct mr_word report_formats[] = {
	[REPORT_MARKDOWN] = MR_WORD("markdown", "for people, with the document at its end"),
	[REPORT_JSON] = MR_WORD("json", "the document alone, as with --json"),
	MR_WORD(NULL, NULL),
};

const struct mr_word why_depths[WHY_DEPTHS + 1] = {
	[WHY_READ] = MR_WORD("read", "look at limits, memory and devices"),
	[WHY_TRY] = MR_WORD("try", "also repeat the call with one change at a time"),
	[WHY_PROVE] = MR_WORD("prove", "also find the function of the kernel that refuses (root)"),
	[WHY_NONE] = MR_WORD("none", "do not look for causes"),
	[WHY_DEPTHS] = MR_WORD(NULL, NULL),
};

#define TYPE(type, ...) const struct option_type option_type_##type = { __VA_ARGS__ };
TYPE(flag, .name = "flag", .read = read_flag, .adds_up = true)
TYPE(string, .name = "string", .read = read_text, .is_text = true)
TYPE(columns, .name = "columns", .read = read_text, .adds_up = true, .is_text = true)
TYPE(via, .name = "via", .read = read_via)
TYPE(name, .name = "name", .read = read_name, .is_text = true)
TYPE(size, .name = "size", .read = read_size)
TYPE(number, .name = "number", .read = read_number)
TYPE(seconds, .name = "seconds", .read = read_seconds)
TYPE(format, .name = "format", .read = read_format, .words = output_formats)
TYPE(access, .name = "access", .read = read_access, .adds_up = true)
TYPE(changes, .name = "changes", .read = read_changes, .adds_up = true)
TYPE(pages, .name = "pages", .read = read_pages, .adds_up = true)
TYPE(memory, .name = "memory", .read = read_memory)
TYPE(planned_memory, .name = "memory", .read = read_planned_memory)
TYPE(dmabuf, .name = "dma-buf", .read = read_dmabuf)
TYPE(advice, .name = "advice", .read = read_advice)
TYPE(dmah, .name = "dma-handle", .read = read_dmah)
TYPE(expect, .name = "expect", .read = expect_option_read, .adds_up = true)
TYPE(profile, .name = "profile", .what = "profile", .words = mr_sim_profiles)
TYPE(kernel, .name = "kernel", .what = "kernel", .words = mr_sim_kernels)
TYPE(faults, .name = "faults", .read = read_faults, .adds_up = true)
TYPE(limits, .name = "limits", .read = read_limits, .adds_up = true)
TYPE(fail_on, .name = "verdict", .what = "verdict", .words = fail_on_words)
TYPE(exit_style, .name = "exit-style", .what = "style of exit statuses", .words = exit_styles)
TYPE(why, .name = "why", .what = "depth", .words = why_depths)
TYPE(report_format, .name = "format", .what = "format", .words = report_formats)

#define GLOBAL(letter, name, type, member, ...)                                                    \
	OPTION(letter, name, type, struct global_args, member, __VA_ARGS__)

static const struct option_spec global_options[] = {
	GLOBAL('d', "device", string, device, "NAME",
	       "use this RDMA device (default: the only one)"),
	GLOBAL('j', "json", flag, style.json, NULL, "print one JSON document"),
	GLOBAL('o', "output", columns, style.columns, "COLUMN,...", "print these columns"),
	GLOBAL('n', "no-headings", flag, style.no_headings, NULL,
	       "print values only, one region a line"),
	GLOBAL('q', "quiet", flag, style.quiet, NULL, "print errors only"),
	GLOBAL('v', "verbose", flag, style.verbose, NULL, "print all columns and details"),
	GLOBAL(0, "session", string, session, "WHERE",
	       "join fd:N or pid:N (default: $MRCTL_SESSION)"),
	GLOBAL(0, "why", why, why, "DEPTH", "explain by"),
	GLOBAL('h', "help", flag, help, NULL, "print this help"),
	GLOBAL('V', "version", flag, version, NULL, "print the versions of mrctl and rdma-core"),
	GLOBAL(0, "dump-cli", flag, dump_cli, NULL,
	       "print all commands, options and columns as JSON"),
	GLOBAL(0, "dump-schema", flag, dump_schema, NULL, "print the JSON Schema of all documents"),
	OPTION_END,
};
const struct option_group global_group = { "Global options", global_options };
