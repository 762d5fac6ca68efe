// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Opens, lists and ends sessions. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/close_range.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/cli/cli.h"
#include "cmd/output/output.h"
#include "cmd/region/region.h"
#include "lib/base/base.h"
#include "lib/host/reading.h"
#include "lib/session/session.h"
#include "lib/session/table/table.h"
#include "lib/verbs/verbs.h"

/* The options of mrctl session. */
struct session_args {
	bool detach;
	bool joinable;
	bool hold;
	bool list;
	bool end;
	struct mr_opt_u64 relaxed_limit;
	struct mr_opt_u64 relaxed_watermark;
};

/* How long to look for sessions, and how long to wait for the end of one. */
#define SESSION_TIMEOUT_SECONDS 5
#define SESSION_TIMEOUT_NS      ((uint64_t)SESSION_TIMEOUT_SECONDS * 1000000000)

/* The option that makes session do something else than run a program in a new session; or NULL. */
static const char *mode_of(const struct session_args *args)
{
	return args->detach ? "detach"
	       : args->hold ? "hold"
	       : args->list ? "list"
	       : args->end  ? "end"
			    : NULL;
}

/* Checks global options that only some modes use. */
static int check_global_options(const struct invocation *invocation, const char *mode,
				struct mr_error *err)
{
	const struct session_args *args = invocation->args;
	const struct global_args *global = invocation->global;
	const char *where = context_session(invocation);

	if ((global->style.json || global->style.columns) && (!mode || args->hold))
		return mr_fail_usage(err, "--%s requires --list, --end or --detach",
				     global->style.json ? "json" : "output");
	if (global->device && (args->list || args->end))
		return mr_fail_usage(err, "--%s excludes --device: it opens no session", mode);
	if (args->hold && where && !strncmp(where, "pid:", 4))
		return mr_fail_usage(err, "--hold requires an inherited session (fd:N), not '%s'",
				     where);
	if (args->detach && global->style.quiet && global->style.no_headings)
		return mr_fail_usage(
			err,
			"--quiet excludes --no-headings: the place of the session would not be "
			"printed");
	if (args->list && global->session)
		return mr_fail_usage(err, "--list excludes --session: it shows all sessions");
	if (!args->hold && !args->end && global->session)
		return mr_fail_usage(err, "session does not support --session: it opens a new one");
	return 0;
}

static int session_check(const struct invocation *invocation, struct mr_error *err)
{
	const struct session_args *args = invocation->args;
	const char *mode = mode_of(args), *first = invocation->operands[0];
	int rc;

	if (mode && first && !args->end)
		return mr_fail_usage(err, "--%s runs no program: '%s'", mode, first);
	if (mode && first && invocation->operands[1])
		return mr_fail_usage(err, "--end accepts one session, after all options: '%s'",
				     invocation->operands[1]);
	if (mode && first && strspn(first, "0123456789") == strlen(first))
		return mr_fail_usage(err,
				     "--end requires pid:N: for the session of process %s, "
				     "pid:%s",
				     first, first);
	rc = check_global_options(invocation, mode, err);
	if (rc)
		return rc;
	if (args->relaxed_limit.value > UINT32_MAX || args->relaxed_watermark.value > UINT32_MAX)
		return mr_fail_text(err, MR_ERROR_USAGE, ERANGE, "--relaxed-%s: at most %u",
				    args->relaxed_limit.value > UINT32_MAX ? "limit" : "watermark",
				    UINT32_MAX);
	return 0;
}

struct holder_row {
	struct mr_holder of;
	const char *command;
	char user[64];
};

static const struct field holder_fields[] = {
	FIELD_AS("pid", struct holder_row, of.pid, FIELD_NUMBER, FIELD_KNOWN, "process"),
	FIELD(struct holder_row, command, FIELD_STRING, FIELD_KNOWN, "name of the process"),
	FIELD(struct holder_row, user, FIELD_TEXT, FIELD_KNOWN, "user of the process"),
	FIELD_AS("role", struct holder_row, of.role, FIELD_WORD, FIELD_KNOWN,
		 "how the process holds the session", .words = mr_holder_roles),
	FIELD_END,
};
static const struct record holder_record = { "holder", holder_fields, NULL };

/* A session as it is printed. */
struct session_row {
	const struct mr_found_session *found;
	enum mr_tristate simulated;
	const char *user;
	struct list holders;
	char session[24];
	char held_by[FIELD_TEXT_MAX];
};

#define FIELD_FOUND(key, member, ...)                                                              \
	FIELD_BEHIND(key, struct session_row, found, struct mr_found_session, member, __VA_ARGS__)

static const struct field session_fields[] = {
	FIELD(struct session_row, session, FIELD_TEXT, FIELD_KNOWN, "value for --session: pid:N"),
	FIELD_FOUND("device", device.name, FIELD_TEXT, 0, "RDMA device"),
	FIELD_FOUND("provider", device.provider, FIELD_TEXT, FIELD_DETAIL,
		    "user-space driver of the device"),
	FIELD(struct session_row, simulated, FIELD_TRISTATE, 0, "whether the device is simulated"),
	FIELD_FOUND("regions", regions, FIELD_NUMBER, 0, "regions in the session's table",
		    KNOWN_BY(struct mr_found_session, known)),
	FIELD_FOUND("bytes", bytes, FIELD_NUMBER, 0, "bytes of these regions",
		    KNOWN_BY(struct mr_found_session, known)),
	FIELD(struct session_row, user, FIELD_STRING, FIELD_KNOWN, "user of that process"),
	FIELD(struct session_row, held_by, FIELD_TEXT, FIELD_KNOWN,
	      "processes that hold the session"),
	FIELD_FOUND("joinable", joinable, FIELD_BOOL, FIELD_KNOWN,
		    "whether this mrctl can join the session"),
	FIELD_FOUND("reason", refusal.text, FIELD_TEXT, 0, "why it cannot be joined"),
	FIELD_FOUND("remedy", refusal.hint, FIELD_TEXT, FIELD_DETAIL, "remedy"),
	FIELD(struct session_row, holders, FIELD_LIST, FIELD_KNOWN,
	      "processes that hold the session, one by one", .record = &holder_record),
	FIELD_END,
};
static const struct record session_record = { "session", session_fields, "sessions" };

/* Prints a session as the next row of an answer. */
static void session_print(struct answer *answer, struct mr_found_session *session)
{
	mr_auto_free struct holder_row *holders =
		calloc(session->holder_count + 1, sizeof(*holders));
	struct session_row row = {
		.found = session,
		.simulated = !session->known                  ? MR_UNKNOWN
			     : session->device.simulated == 1 ? MR_YES
							      : MR_NO,
		.holders = LIST_OF(holder_record, holders, session->holder_count),
	};
	const struct passwd *user;

	if (!holders) {
		answer->out.error = -ENOMEM;
		return;
	}
	if (session->joinable)
		session->refusal = (struct mr_error){ .text = "" };
	snprintf(row.session, sizeof(row.session), "pid:%d", (int)session->pid);
	for (size_t i = 0; i < session->holder_count; i++) {
		struct holder_row *holder = &holders[i];

		holder->of = session->holders[i];
		holder->command = holder->of.command;
		user = getpwuid(holder->of.uid);
		if (user)
			mr_text_add(holder->user, sizeof(holder->user), "", "%s", user->pw_name);
		else
			mr_text_add(holder->user, sizeof(holder->user), "", "%u", holder->of.uid);
		if (holder->of.pid == session->pid)
			row.user = holder->user;
		mr_text_add(row.held_by, sizeof(row.held_by), ",", "%s(%d)", holder->of.command,
			    (int)holder->of.pid);
	}
	answer_row(answer, &row);
}

/* Whether sessions are printed as records, rather than in words. */
static bool prints_records(const struct invocation *invocation)
{
	const struct output_style *style = &invocation->global->style;

	return style->json || style->columns || style->no_headings;
}

/*
 * Prints the answer that lists sessions.
 * @incomplete: there may be others
 *
 * Return: an exit status, or -errno.
 */
static int print_sessions(const struct invocation *invocation,
			  const struct mr_environment *environment, struct mr_found_session *list,
			  size_t count, bool incomplete, struct mr_error *err)
{
	const struct session_args *args = invocation->args;
	struct mr_error late;
	struct answer answer;
	int rc = answer_init(&answer, invocation, NULL, environment, 0, err);

	if (rc)
		return rc;
	answer.in_session = context_session(invocation) != NULL;
	if (args->detach && invocation->global->style.no_headings)
		answer.out.usual_columns = "session";
	if (incomplete) {
		mr_fail_text(&late, MR_ERROR_HOST, ETIMEDOUT,
			     "too many processes to examine in %d seconds: other sessions, "
			     "regions and holders may exist",
			     SESSION_TIMEOUT_SECONDS);
		answer_fail(&answer, &late, 0, 0, MR_VIA_KERNEL);
	}
	answer_begin(&answer);
	for (size_t i = 0; i < count; i++)
		session_print(&answer, &list[i]);
	answer_end_rows(&answer);
	return answer_close(&answer, 0, 0, err);
}

/*
 * Becomes the process in the background that holds the session.  It executes this program again, so that
 * /proc/PID/environ names the session.  It closes all that it inherits but the session, and leaves
 * its directory: else it would keep pipes, locks and file systems busy that others wait for.  Its standard output
 * is the socket on which session_report_ready() answers.
 */
static int exec_holder(int fd, int answer)
{
	char name[] = "mrctl", command[] = "session", option[] = "--hold";
	char *const argv[] = { name, command, option, NULL };
	int null = open("/dev/null", O_RDWR);

	setsid();
	if (chdir("/"))
		return errno;
	for (int i = 0; i <= 2; i++)
		dup2(i == STDOUT_FILENO ? answer : null, i);
	close_range(3, ~0u, CLOSE_RANGE_CLOEXEC); /* Linux before 5.11 cannot; they stay open */
	if (fcntl(fd, F_SETFD, 0))
		return errno;
	execv("/proc/self/exe", argv);
	return errno;
}

/* Reports to session_detach() that this process, which it started, holds the session. */
static void session_report_ready(void)
{
	const int ready = 0;
	struct mr_process process;
	struct stat st;
	bool is_detached;

	if (fstat(STDOUT_FILENO, &st) || !S_ISSOCK(st.st_mode) ||
	    !mr_process_open(getpid(), &process))
		return;
	is_detached = mr_holder_is_detached(&process);
	mr_process_close(&process);
	if (!is_detached)
		return;
	send(STDOUT_FILENO, &ready, sizeof(ready), MSG_NOSIGNAL);
	dup2(STDIN_FILENO, STDOUT_FILENO); /* /dev/null */
}

/*
 * Waits until the holder holds the session: what is registered before would be lost if it could not.  It answers 0, or
 * the errno of a failure.
 */
static int wait_for_holder(int answer, pid_t pid, struct mr_error *err)
{
	int errnum = 0, status = 0;
	/* mrctl handles no signal, so none interrupts this. */
	const ssize_t got = recv(answer, &errnum, sizeof(errnum), 0);

	if (got < 0 || errnum)
		return mr_fail(err, MR_ERROR_HOST, got < 0 ? errno : errnum, "execv",
			       "cannot start the process that holds the session");
	if (got) {
		/* The holder closes the socket when it has closed all else that it does not need. */
		recv(answer, &errnum, sizeof(errnum), 0);
		return 0;
	}
	waitpid(pid, &status, 0);
	return mr_fail_text(err, MR_ERROR_HOST, ECHILD,
			    "the process that should hold the session has ended (%s %d)",
			    WIFSIGNALED(status) ? "signal" : "exit status",
			    WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
}

/* Starts the holder.  Return: its process id, or -errno. */
static pid_t start_holder(int fd, struct mr_error *err)
{
	int answers[2], errnum, rc;
	pid_t pid;

	rc = mr_session_allow_joining(err);
	if (rc)
		return rc;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, answers))
		return mr_fail(err, MR_ERROR_HOST, errno, "socketpair", NULL);
	pid = fork();
	if (pid < 0)
		return mr_fail(err, MR_ERROR_HOST, errno, "fork", NULL);
	if (!pid) {
		rc = mr_session_allow_joining(err);
		errnum = rc ? -rc : exec_holder(fd, answers[1]);
		send(answers[1], &errnum, sizeof(errnum), MSG_NOSIGNAL);
		_exit(EXIT_REFUSED);
	}
	close(answers[1]);
	rc = wait_for_holder(answers[0], pid, err);
	close(answers[0]);
	return rc ? rc : pid;
}

/*
 * Prints the answer of --detach that fails: a document, or "false" for a shell that evaluates it. Return:
 * an exit status, or -errno.
 */
static int session_fail_detached(const struct invocation *invocation, struct mr_error *err)
{
	const struct global_args *global = invocation->global;

	if (global->style.json && err->kind != MR_ERROR_USAGE)
		return answer_error(invocation, NULL, err);
	if (!prints_records(invocation))
		output_text("false\n");
	return -err->errnum;
}

/*
 * Leaves a session to a process in the background, and prints how to join it. Return: an exit status, or
 * -errno.
 */
static int session_detach(const struct invocation *invocation,
			  const struct mr_environment *environment, int fd, struct mr_error *err)
{
	const struct global_args *global = invocation->global;
	pid_t pid = start_holder(fd, err);
	struct mr_holder holder = {
		.pid = pid, .uid = geteuid(), .role = MR_HOLDER_DETACHED, .command = "mrctl-session"
	};
	struct mr_found_session session = {
		.holders = &holder, .holder_count = 1, .pid = pid, .known = true, .joinable = true
	};
	int rc;

	if (pid < 0)
		return session_fail_detached(invocation, err);
	if (prints_records(invocation)) {
		mr_session_describe(environment, &session.device);
		rc = print_sessions(invocation, environment, &session, 1, false, err);
	} else {
		output_text("%s=pid:%d; export %s\n", MR_SESSION_VARIABLE, (int)pid,
			    MR_SESSION_VARIABLE);
		rc = output_flush(err);
		if (!global->style.quiet &&
		    isatty(STDOUT_FILENO)) /* not in eval "$(mrctl session --detach)" */
			report_note(
				invocation->command->name,
				"run the line above to work in the session; 'mrctl session --end "
				"pid:%d' ends it",
				(int)pid);
	}
	if (rc)
		kill(pid, SIGTERM);
	return rc;
}

/* Finds the session that is to be ended, and all that hold it. */
static int find_session(const char *where, struct mr_sessions *found,
			struct mr_found_session **session, struct mr_error *err)
{
	mr_auto_fd int borrowed = -1;
	struct mr_session opened;
	int fd, rc;

	if (!where) {
		mr_fail_text(err, MR_ERROR_ABSENT, ENOTCONN, "not in a session");
		mr_hint(err,
			"name one: mrctl session --end pid:N; mrctl session --list shows them");
		return -ENOTCONN;
	}
	rc = mr_session_locate(where, &fd, &borrowed, err);
	if (!rc)
		rc = mr_session_peek(fd, &opened, err);
	if (rc)
		return rc;
	mr_session_close(&opened);
	rc = mr_sessions_find(SESSION_TIMEOUT_NS, found, NULL, NULL, err);
	if (rc)
		return rc;
	*session = mr_sessions_by_fd(found, fd);
	if (*session && !found->incomplete)
		return 0;
	return mr_fail_text(err, MR_ERROR_HOST, EBUSY,
			    "the other holders of the session '%s' cannot be found", where);
}

/* Ends a session (--end).  Return: an exit status, or -errno. */
static int session_end(const struct invocation *invocation, struct mr_error *err)
{
	const char *where = invocation->operands[0];
	struct mr_found_session *session = NULL;
	struct mr_sessions found = { .count = 0 };
	struct mr_environment environment;
	int rc;

	if (!where)
		where = context_session(invocation);
	rc = find_session(where, &found, &session, err);
	if (!rc)
		rc = mr_session_end(session, SESSION_TIMEOUT_NS, err);
	if (rc) {
		rc = err->kind == MR_ERROR_USAGE ? rc : answer_error(invocation, NULL, err);
	} else if (prints_records(invocation)) {
		session->joinable = false;
		mr_fail_text(&session->refusal, MR_ERROR_ABSENT, 0, "it has ended");
		mr_environment_init(&environment);
		rc = print_sessions(invocation, &environment, session, 1, false, err);
	} else if (!invocation->global->style.quiet) {
		report_note(invocation->command->name,
			    "the session of process %d has ended: %s, %" PRIu64 " region%s",
			    (int)session->pid, session->device.name, session->regions,
			    session->regions == 1 ? "" : "s");
	}
	mr_sessions_release(&found);
	return rc;
}

/* Reports why sessions cannot be joined, once for all that have the same reason. */
static void note_refusals(const struct invocation *invocation, const struct mr_sessions *found)
{
	for (size_t i = 0; i < found->count; i++) {
		const struct mr_found_session *session = &found->list[i], *other = found->list;
		size_t before = 0, after = 0;
		char more[40] = "";

		for (; other < found->list + found->count; other++)
			if (!other->joinable && !strcmp(session->refusal.text, other->refusal.text))
				*(other < session ? &before : &after) += 1;
		if (session->joinable || before)
			continue;
		if (after > 1)
			snprintf(more, sizeof(more), " and %zu more", after - 1);
		report_note(invocation->command->name, "pid:%d%s cannot be joined: %s",
			    (int)session->pid, more, session->refusal.text);
		if (session->refusal.hint[0])
			report_detail("%s", session->refusal.hint);
	}
}

/* Lists the sessions (--list).  Return: an exit status, or -errno. */
static int session_list(const struct invocation *invocation, struct mr_error *err)
{
	struct mr_environment environment;
	struct mr_sessions found;
	int rc = mr_sessions_find(SESSION_TIMEOUT_NS, &found, NULL, NULL, err);

	if (rc)
		return rc;
	mr_environment_init(&environment);
	rc = print_sessions(invocation, &environment, found.list, found.count, found.incomplete,
			    err);
	if (rc >= 0 && !prints_records(invocation) && !invocation->global->style.quiet) {
		note_refusals(invocation, &found);
		if (!found.count)
			report_note(invocation->command->name, "this user can see no session");
	}
	mr_sessions_release(&found);
	return rc;
}

static const struct option_spec options[] = {
	OPTION(0, "detach", flag, struct session_args, detach, NULL,
	       "keep the session in a background process; print how to join it"),
	OPTION(0, "joinable", flag, struct session_args, joinable, NULL,
	       "let other processes of this user join by pid:N"),
	OPTION(0, "hold", flag, struct session_args, hold, NULL,
	       "keep this session until Ctrl-C, SIGTERM or SIGHUP"),
	OPTION(0, "list", flag, struct session_args, list, NULL,
	       "show the sessions of this user and the processes that hold them"),
	OPTION(0, "end", flag, struct session_args, end, NULL,
	       "end a detached session: pid:N, or this one"),
	OPTION(0, "relaxed-limit", number, struct session_args, relaxed_limit, "N",
	       "allow N relaxed regions (default: 65536)"),
	OPTION(0, "relaxed-watermark", number, struct session_args, relaxed_watermark, "N",
	       "invalidate when N regions are deferred (default: 256)"),
	OPTION_END,
};

/* One that opens no session excludes what would configure it. */
static const struct option_rule rules[] = {
	{ "detach", OPTION_EXCLUDES, "hold,list,end" },
	{ "hold", OPTION_EXCLUDES, "list,end,joinable,relaxed-limit,relaxed-watermark" },
	{ "list", OPTION_EXCLUDES, "end,joinable,relaxed-limit,relaxed-watermark" },
	{ "end", OPTION_EXCLUDES, "joinable,relaxed-limit,relaxed-watermark" },
	OPTION_RULES_END,
};

static int configure_pool(const struct session_args *args, struct mr_error *err)
{
	struct mr_session session;
	struct mr_table_pool pool;
	int rc;

	if (!args->relaxed_limit.known && !args->relaxed_watermark.known)
		return 0;
	rc = mr_session_open(getenv(MR_SESSION_VARIABLE), &session, err);
	if (rc)
		return rc;
	mr_table_pool(&session.table, &pool);
	if (args->relaxed_limit.known)
		pool.limit = (uint32_t)args->relaxed_limit.value;
	if (args->relaxed_watermark.known)
		pool.watermark = (uint32_t)args->relaxed_watermark.value;
	rc = mr_table_set_pool(&session.table, &pool, err);
	mr_session_close(&session);
	return rc;
}

/* Opens the device, makes a session on it, and names it in the environment. */
static int create_session(const struct global_args *global, const struct session_args *args,
			  struct mr_environment *environment, int *fd, struct mr_error *err)
{
	struct mr_device device;
	char where[32];
	int rc;

	mr_environment_init(environment);
	rc = mr_device_open(global->device, &device, environment, err);
	if (rc)
		return rc;
	rc = mr_session_create(&device, environment, fd, err);
	if (rc)
		mr_device_close(&device);
	else
		mr_device_leave(&device);
	snprintf(where, sizeof(where), "fd:%d", *fd);
	if (!rc && setenv(MR_SESSION_VARIABLE, where, 1))
		return mr_fail(err, MR_ERROR_HOST, errno, "setenv", NULL);
	return rc ? rc : configure_pool(args, err);
}

/*
 * Keeps the session by holding its descriptor, and sleeps until a signal comes.  The regions are the kernel's;
 * processes that join need nothing from this one but its descriptor.
 */
static int hold_session(const struct invocation *invocation, struct mr_error *err)
{
	struct mr_session session;

	mr_signals_block();
	if (!context_open_session(invocation, &session, NULL, err))
		return -err->errnum;
	mr_session_close(&session);
	prctl(PR_SET_NAME, "mrctl-session"); /* execv() of /proc/self/exe has named it "exe" */
	session_report_ready();
	mr_signals_wait_until(UINT64_MAX, NULL, -1);
	mr_signals_ignore();
	return EXIT_DONE;
}

/* Notes that mrctl is in a session already, whose regions the new one does not show. */
static void note_outer_session(const struct invocation *invocation, const char *outer)
{
	const struct session_args *args = invocation->args;
	struct mr_session session;
	struct mr_error ignored;

	if (!*outer || invocation->global->style.quiet ||
	    mr_session_open(outer, &session, &ignored))
		return;
	mr_session_close(&session);
	if (args->detach)
		report_note(invocation->command->name,
			    "a new session; the current session (%s) stays open", outer);
	else
		report_note(
			invocation->command->name,
			"a new session inside the session %s, whose regions are hidden until the "
			"new session ends",
			outer);
}

static int run_in_new(const struct invocation *invocation, struct mr_error *err)
{
	const struct session_args *args = invocation->args;
	const char *outer = getenv(MR_SESSION_VARIABLE);
	struct mr_environment environment;
	char before[32];
	int fd, rc;

	/* A copy, because create_session() sets the variable again. */
	snprintf(before, sizeof(before), "%s", outer ? outer : "");
	rc = create_session(invocation->global, args, &environment, &fd, err);
	if (rc && args->detach)
		return session_fail_detached(invocation, err);
	if (!rc && args->joinable)
		rc = mr_session_allow_joining(err);
	if (rc)
		return rc;
	note_outer_session(invocation, before);
	if (args->detach)
		return session_detach(invocation, &environment, fd, err);
	if (!invocation->operands[0] && !invocation->global->style.quiet && isatty(STDERR_FILENO))
		report_note(invocation->command->name,
			    "session opened; it closes when this shell and its children exit");
	return program_exec(invocation, err);
}

static int run_session(const struct invocation *invocation, struct mr_error *err)
{
	const struct session_args *args = invocation->args;

	if (args->hold)
		return hold_session(invocation, err);
	if (args->list)
		return session_list(invocation, err);
	if (args->end)
		return session_end(invocation, err);
	return run_in_new(invocation, err);
}

static const struct option_group group = { "Session", options };

const struct command command_session = {
	.name = "session",
	.operands = "[-- CMD [ARG...]]",
	.summary = "run a program in which regions outlive the commands",
	.description = "Opens a device and a protection domain and runs CMD (default: $SHELL). "
		       "Regions that CMD and its children register with mrctl stay until they are "
		       "deregistered or the last process of the session ends.",
	.groups = (const struct option_group *const[]){ &group, NULL },
	.rules = rules,
	.args_size = sizeof(struct session_args),
	.record = &session_record,
	.columns = "session,device,simulated,regions,bytes,user,joinable,held_by",
	.examples = (const char *const[]){ "mrctl session",
					   "mrctl session -- sh -c 'mrctl reg; mrctl stat'",
					   "eval \"$(mrctl session --detach)\"", NULL },
	.runs_program = true,
	.not_in_batch = true,
	.check = session_check,
	.run = run_session,
};
