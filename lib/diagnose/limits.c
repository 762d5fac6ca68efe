// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/diagnose/diagnose.h"

/* With less, programs cannot even create their queues. */
#define TOO_LITTLE (UINT64_C(1) << 20)

/* A limit below this is low if the host's memory is unknown. */
#define LITTLE   (UINT64_C(1) << 30)

#define NO_LIMIT UINT64_MAX

static struct mr_size_text limit_text(uint64_t limit)
{
	const struct mr_size_text unlimited = { "unlimited" };

	return limit == NO_LIMIT ? unlimited : mr_size_text(limit);
}

/* Sets @finding to unknown where the limit cannot be read. */
static bool read_limit(const struct mr_question *question, struct mr_rlimit *limit,
		       struct mr_finding *finding)
{
	const int rc = mr_rlimit_read(question->host, "self", MR_MEMLOCK, limit);

	if (rc)
		mr_finding_unread(finding, "/proc/self/limits", -rc);
	return !rc;
}

static bool read_status(const struct mr_question *question, struct mr_process_status *status,
			struct mr_finding *finding)
{
	const int rc = mr_process_status_read(question->host, "self", status);

	if (rc)
		mr_finding_unread(finding, "/proc/self/status", -rc);
	return !rc;
}

static bool has_capability(struct mr_opt_u64 capabilities, uint64_t capability)
{
	return capabilities.known && capabilities.value & capability;
}

/* A low limit has no effect on an exempt process. */
static void set_unknown(struct mr_finding *finding)
{
	if (finding->verdict < MR_VERDICT_WARN)
		return;
	finding->verdict = MR_VERDICT_UNKNOWN;
	mr_finding_detail(finding, "it is not known whether CAP_IPC_LOCK lifts the limit");
}

struct device_count {
	struct mr_host *host;
	unsigned int usable; /* devices, without those whose node this process cannot open */
};

static void count_device(const char *name, void *data)
{
	struct device_count *count = data;
	struct mr_rdma_node node;

	count->usable += !mr_rdma_node_read(count->host, name, &node) || !node.error;
}

/* The kernel counts pages, of the limit those that are whole. */
static uint64_t whole_pages(struct mr_host *host, uint64_t limit)
{
	return limit & ~(mr_page_size(host) - 1);
}

/* The kernel counts each page that the memory touches, once for each device that it is registered with. */
static uint64_t needed_bytes(const struct mr_question *question, unsigned int *devices)
{
	struct device_count count = { .host = question->host };
	uint64_t needed;

	mr_rdma_device_list(question->host, count_device, &count);
	*devices = count.usable ? count.usable : 1;
	needed = mr_round_up(question->size.value, mr_page_size(question->host));
	return !needed || __builtin_mul_overflow(needed, *devices, &needed) ? NO_LIMIT : needed;
}

static void judge_size(const struct mr_question *question, const struct mr_rlimit *limit,
		       struct mr_finding *finding)
{
	unsigned int devices;
	const uint64_t needed = needed_bytes(question, &devices);
	const bool fits = whole_pages(question->host, limit->soft) >= needed;

	mr_finding_set(finding, fits ? MR_VERDICT_OK : MR_VERDICT_BAD, "%s %s %s asked",
		       limit_text(limit->soft).text, fits ? ">=" : "<", MR_SIZE(needed));
	if (devices > 1)
		mr_finding_detail(finding, "%s on each of %u devices",
				  MR_SIZE(question->size.value), devices);
	if (!fits)
		mr_memlock_explain(question->host, limit, needed, finding);
}

/* Half of the memory is more than most programs pin, and many sites set that or more. */
static void judge_usual(const struct mr_question *question, const struct mr_rlimit *limit,
			struct mr_finding *finding)
{
	struct mr_meminfo memory;
	const bool known = !mr_meminfo_read(question->host, &memory) && memory.total.known;
	const uint64_t wanted = known ? memory.total.value / 2 : LITTLE;
	const char *text = known ? "half of this host's memory" : "1 GiB";
	const bool is_bad = limit->soft < TOO_LITTLE && limit->soft < wanted;

	mr_finding_set(finding,
		       limit->soft >= wanted ? MR_VERDICT_OK
		       : is_bad              ? MR_VERDICT_BAD
					     : MR_VERDICT_WARN,
		       "%s %s %s", limit_text(limit->soft).text, limit->soft >= wanted ? ">=" : "<",
		       is_bad ? "1 MiB" : text);
	if (limit->soft < wanted)
		mr_memlock_explain(question->host, limit, wanted, finding);
}

void mr_check_memlock(const struct mr_question *question, struct mr_finding *finding)
{
	const enum mr_tristate exempt = mr_memlock_is_lifted(question->host);
	struct mr_rlimit limit;

	if (!read_limit(question, &limit, finding))
		return;
	if (exempt == MR_YES) {
		mr_finding_set(finding, MR_VERDICT_OK,
			       "not enforced: the process has CAP_IPC_LOCK");
	} else if (limit.soft == NO_LIMIT) {
		mr_finding_set(finding, MR_VERDICT_OK, "unlimited");
	} else if (!limit.soft) {
		mr_finding_set(finding, MR_VERDICT_BAD, "0: pinning is refused with EPERM");
		mr_memlock_explain(question->host, &limit, TOO_LITTLE, finding);
	} else if (question->size.known) {
		judge_size(question, &limit, finding);
	} else {
		judge_usual(question, &limit, finding);
	}
	if (exempt == MR_UNKNOWN)
		set_unknown(finding);
	mr_finding_detail(finding, "soft limit %s, hard limit %s", limit_text(limit.soft).text,
			  limit_text(limit.hard).text);
}

void mr_check_ipc_lock(const struct mr_question *question, struct mr_finding *finding)
{
	struct mr_process_status status;
	struct mr_rlimit limit;

	if (!read_status(question, &status, finding))
		return;
	if (!status.effective.known) {
		mr_finding_set(finding, MR_VERDICT_UNKNOWN, "/proc/self/status has no CapEff");
		return;
	}
	if (has_capability(status.effective, MR_CAP_IPC_LOCK) &&
	    mr_namespace_is_first(question->host, "user") == MR_NO)
		mr_finding_set(finding, MR_VERDICT_NA,
			       "effective only in a user namespace: see MR-USERNS");
	else if (has_capability(status.effective, MR_CAP_IPC_LOCK))
		mr_finding_set(finding, MR_VERDICT_OK, "effective");
	else if (!mr_rlimit_read(question->host, "self", MR_MEMLOCK, &limit) &&
		 limit.soft == NO_LIMIT)
		mr_finding_set(finding, MR_VERDICT_NA, "not needed: RLIMIT_MEMLOCK is unlimited");
	else if (has_capability(status.permitted, MR_CAP_IPC_LOCK))
		mr_finding_judge(finding, MR_VERDICT_WARN,
				 "the program must raise it by capset(2), or its file needs "
				 "\"setcap cap_ipc_lock=ep\"",
				 "permitted, but not effective: RLIMIT_MEMLOCK applies");
	else if (has_capability(status.bounding, MR_CAP_IPC_LOCK) && status.uid.known &&
		 status.uid.value && mr_namespace_is_first(question->host, "pid") == MR_NO)
		mr_finding_judge(
			finding, MR_VERDICT_WARN,
			"run the container as root, raise the limit of locked memory, or give the "
			"program's file \"setcap cap_ipc_lock=ep\"",
			"not effective, as the container's user is not root: RLIMIT_MEMLOCK "
			"applies");
	else
		mr_finding_set(finding, MR_VERDICT_NA, "none: RLIMIT_MEMLOCK applies");
	if (status.uid.known)
		mr_finding_detail(finding, "user %" PRIu64, status.uid.value);
	mr_finding_detail(finding, "CapEff 0x%" PRIx64 ", CapBnd 0x%" PRIx64,
			  status.effective.value, status.bounding.value);
}

void mr_check_user_namespace(const struct mr_question *question, struct mr_finding *finding)
{
	const enum mr_tristate is_first = mr_namespace_is_first(question->host, "user");
	struct mr_process_status status;
	struct mr_rlimit limit;

	if (is_first == MR_UNKNOWN) {
		mr_finding_set(finding, MR_VERDICT_UNKNOWN,
			       "neither /proc/self/ns/user nor /proc/self/uid_map shows it");
	} else if (is_first == MR_YES) {
		mr_finding_set(finding, MR_VERDICT_OK, "the initial user namespace");
	} else if (!mr_rlimit_read(question->host, "self", MR_MEMLOCK, &limit) &&
		   limit.soft == NO_LIMIT) {
		mr_finding_set(finding, MR_VERDICT_OK,
			       "not the initial user namespace; RLIMIT_MEMLOCK is unlimited, so no "
			       "capability is needed");
	} else {
		mr_finding_judge(
			finding, MR_VERDICT_WARN,
			"raise the hard limit of locked memory on the host, for the user who starts "
			"the container; or run it without a user namespace",
			"not the initial user namespace: CAP_IPC_LOCK has no effect in it, and "
			"RLIMIT_MEMLOCK applies");
		if (!mr_process_status_read(question->host, "self", &status) &&
		    has_capability(status.effective, MR_CAP_IPC_LOCK))
			mr_finding_detail(finding,
					  "CAP_IPC_LOCK is effective, but the kernel requires "
					  "it in the initial user namespace");
	}
}

void mr_check_pinned(const struct mr_question *question, struct mr_finding *finding)
{
	struct mr_process_status status;
	struct mr_rlimit limit;
	enum mr_tristate exempt;
	unsigned int devices;
	uint64_t left, needed;

	if (!read_status(question, &status, finding) || !read_limit(question, &limit, finding))
		return;
	if (!status.pinned.known) {
		mr_finding_set(finding, MR_VERDICT_UNKNOWN, "/proc/self/status has no VmPin");
		return;
	}
	mr_finding_detail(finding, "VmPin %s", MR_SIZE(status.pinned.value));
	if (status.locked.known)
		mr_finding_detail(finding, "VmLck %s, which is not included",
				  MR_SIZE(status.locked.value));
	exempt = mr_memlock_is_lifted(question->host);
	if (exempt == MR_YES || limit.soft == NO_LIMIT) {
		mr_finding_set(finding, MR_VERDICT_NA, "no limit applies");
		return;
	}
	left = whole_pages(question->host, limit.soft);
	left = left > status.pinned.value ? left - status.pinned.value : 0;
	needed = question->size.known ? needed_bytes(question, &devices) : limit.soft / 10;
	if (!status.pinned.value)
		mr_finding_set(finding, MR_VERDICT_OK, "none: the whole limit is left");
	else if (left >= needed)
		mr_finding_set(finding, MR_VERDICT_OK, "enough of the limit is left");
	else
		mr_finding_judge(
			finding, MR_VERDICT_WARN,
			"deregister regions that are no longer needed, or raise RLIMIT_MEMLOCK",
			"%s of %s are left < %s%s", MR_SIZE(left), MR_SIZE(limit.soft),
			MR_SIZE(needed), question->size.known ? " asked" : ", a tenth");
	if (exempt == MR_UNKNOWN)
		set_unknown(finding);
}

void mr_check_descriptors(const struct mr_question *question, struct mr_finding *finding)
{
	struct mr_descriptors descriptors;
	const int rc = mr_descriptors_try(question->host, &descriptors);

	if (rc)
		mr_finding_judge(finding, MR_VERDICT_UNKNOWN, "ulimit -n",
				 "whether more can be opened is not known: %s", mr_errno_text(-rc));
	else if (descriptors.error)
		mr_finding_judge(finding, MR_VERDICT_BAD,
				 descriptors.error == ENFILE
					 ? "raise fs.file-max (sysctl)"
					 : "close some files, or raise their limit: ulimit -n; "
					   "LimitNOFILE= of a unit",
				 "%d more cannot be opened: %s", MR_LIBIBVERBS_DESCRIPTORS,
				 mr_errno_text(descriptors.error));
	else
		mr_finding_set(finding, MR_VERDICT_OK, "the limit leaves room");
	if (!rc && descriptors.limit != NO_LIMIT)
		mr_finding_detail(finding, "RLIMIT_NOFILE is %" PRIu64, descriptors.limit);
}

/* Bytes that libibverbs and its providers map when they open a device; some 1 MiB on the simulated HCA. */
#define SPACE_TO_OPEN (UINT64_C(4) << 20)

void mr_check_address_space(const struct mr_question *question, struct mr_finding *finding)
{
	struct mr_shortage planned = { .length = SPACE_TO_OPEN, .is_private = true };
	struct mr_shortage_reason reason;
	struct mr_rlimit all, data;
	int rc = mr_rlimit_read(question->host, "self", "Max address space", &all);

	if (!rc)
		rc = mr_rlimit_read(question->host, "self", "Max data size", &data);
	if (rc) {
		mr_finding_unread(finding, "/proc/self/limits", -rc);
		return;
	}
	if (question->size.known &&
	    __builtin_add_overflow(planned.length, question->size.value, &planned.length))
		planned.length = NO_LIMIT;
	if (mr_shortage_find(&planned, question->host, &reason) == MR_SHORTAGE_RLIMIT)
		mr_finding_judge(finding, MR_VERDICT_BAD, reason.remedy, "%s", reason.text);
	else if (all.soft == NO_LIMIT && data.soft == NO_LIMIT)
		mr_finding_set(finding, MR_VERDICT_OK, "unlimited");
	else
		mr_finding_set(finding, MR_VERDICT_OK, "RLIMIT_AS is %s, RLIMIT_DATA is %s",
			       limit_text(all.soft).text, limit_text(data.soft).text);
}

#define PAM "set memlock in /etc/security/limits.conf (pam_limits), and log in again"
#define JOBS                                                                                       \
	"set PropagateResourceLimitsExcept=MEMLOCK in slurm.conf, and LimitMEMLOCK=infinity for slurmd.service"
#define CONTAINER                                                                                        \
	"start the container with --ulimit memlock=-1, or set LimitMEMLOCK=infinity for the service of " \
	"the container runtime (containerd, docker, crio) and restart it"
#define SHELL  "remove \"ulimit -l\" from the script or the start-up file of this shell"
#define DAEMON "raise the limit of the launcher's daemon, or of the login that started it"

/* It is unknown whether the shell or the login above it set the limit. */
#define LOGIN_OR_SHELL                                                                                \
	"if a new login has this limit, too, set memlock in /etc/security/limits.conf (pam_limits); " \
	"else remove \"ulimit -l\" from the script or the start-up file of this shell"

/* Programs that set the limits of their children. */
static const struct {
	const char *remedy;
	bool is_for_children; /* also the limits of the programs themselves */
	const char *names[9]; /* commands, or their beginnings */
} launchers[] = {
	{ CONTAINER,
	  true,
	  { "containerd", "crio", "conmon", "dockerd", "kubelet", "podman", "runc", "crun" } },
	{ JOBS, true, { "slurmstepd", "slurmd" } },
	{ PAM,
	  true,
	  { "sshd", "login", "su", "sudo", "runuser", "cron", "crond", "gdm-session-wor" } },
	{ DAEMON, true, { "orted", "prted", "hydra_pmi_proxy" } },
	{ SHELL, false, { "bash", "sh", "dash", "zsh", "ksh", "tcsh", "csh", "fish" } },
};

/* containerd-shim-runc-v2, sshd-session and similar names belong to the same family. */
static const char *find_remedy(const char *command, bool of_children)
{
	for (size_t i = 0; i < sizeof(launchers) / sizeof(*launchers); i++)
		for (const char *const *name = launchers[i].names; *name; name++) {
			const size_t length = strlen(*name);

			if (!strncmp(command, *name, length) &&
			    (!command[length] || command[length] == '-' ||
			     command[length] == ':') &&
			    (!of_children || launchers[i].is_for_children))
				return launchers[i].remedy;
		}
	return NULL;
}

/*
 * The limit was set when the parent started this process: the parent is checked first.  A shell is known to have
 * lowered it itself only if its parent has another one.
 */
static void set_remedy(const struct mr_memlock_origin *origin, bool in_container,
		       struct mr_finding *finding)
{
	const char *remedy = find_remedy(origin->parent, true);
	const bool by_systemd = !strcmp(origin->parent, "systemd");

	if (!remedy && origin->trace == MR_MEMLOCK_FROM_START && in_container)
		remedy = CONTAINER;
	if (!by_systemd && (!remedy || !strcmp(remedy, PAM))) {
		const char *of_process = find_remedy(origin->name, origin->trace != MR_MEMLOCK_SET);

		if (!remedy)
			remedy = of_process;
		else if (of_process && !strcmp(of_process, SHELL))
			remedy = LOGIN_OR_SHELL;
	}
	if (remedy)
		mr_finding_remedy(finding, "%s", remedy);
	else if (origin->unit.service[0] && (by_systemd || origin->trace != MR_MEMLOCK_SET))
		mr_finding_remedy(
			finding,
			"set LimitMEMLOCK=infinity for %s (systemctl %sedit), and restart it",
			origin->unit.service,
			by_systemd && origin->parent_pid > 1 ? "--user " : "");
	else if (origin->trace == MR_MEMLOCK_SET)
		mr_finding_remedy(
			finding,
			"%s sets this limit, or %s does at its start (prlimit, setrlimit, "
			"\"ulimit -l\"): raise it there",
			origin->parent, origin->pid ? origin->name : "the process");
	else
		mr_finding_remedy(finding, "%s",
				  "set memlock in /etc/security/limits.conf, LimitMEMLOCK= of the "
				  "service, or \"ulimit -l\" where the program is started");
}

/* The figure has no numbers of processes, which differ between hosts that are equal. */
static void add_origin(const struct mr_memlock_origin *origin, const struct mr_rlimit *limit,
		       bool in_container, struct mr_finding *finding)
{
	const size_t size = sizeof(finding->figure);
	const char *change = origin->parents.soft > limit->soft ? "lowered" : "set";
	const char *name = origin->pid ? origin->name : "the process";
	char *figure = finding->figure, who[64];

	snprintf(who, sizeof(who), origin->pid ? "%s (%" PRIu64 ")" : "%s", name, origin->pid);
	if (origin->trace == MR_MEMLOCK_OWN) {
		mr_text_add(figure, size, "", "; set by --limit");
		mr_finding_detail(finding, "mrctl itself set it, by --limit");
	} else if (origin->trace == MR_MEMLOCK_FROM_START) {
		mr_text_add(figure, size, "", "; all ancestors%s have the same limit",
			    in_container ? " in this container" : "");
		mr_finding_detail(finding, "the first process is %s", who);
	} else if (origin->trace == MR_MEMLOCK_HIDDEN) {
		mr_text_add(figure, size, "",
			    "; %s has the same limit, and its parent cannot be read", name);
		mr_finding_detail(finding,
				  "the limit of process %" PRIu64
				  ", the parent of %s, cannot be read from here",
				  origin->parent_pid, who);
	} else {
		mr_text_add(figure, size, "", "; %s %s %s", change,
			    origin->pid ? "in" : "in a child of",
			    origin->pid ? origin->name : origin->parent);
		mr_finding_detail(
			finding, "%s has this limit, and its parent %s (%" PRIu64 ") has %s", who,
			origin->parent, origin->parent_pid,
			origin->parents.soft == UINT64_MAX ? "no limit"
							   : MR_SIZE(origin->parents.soft));
	}
}

void mr_memlock_explain(struct mr_host *host, const struct mr_rlimit *limit, uint64_t needed,
			struct mr_finding *finding)
{
	const bool in_container = mr_namespace_is_first(host, "pid") == MR_NO;
	struct mr_memlock_origin origin;
	int rc = mr_memlock_trace(host, limit, &origin);

	if (rc)
		mr_finding_detail(finding,
				  "the origin of the limit is not known: /proc/self/status: %s",
				  mr_errno_text(-rc));
	else
		add_origin(&origin, limit, in_container, finding);
	if (!rc && origin.trace == MR_MEMLOCK_OWN)
		mr_finding_remedy(finding, "give --limit a higher memlock, or omit it");
	else if (limit->hard >= needed && limit->hard > limit->soft)
		mr_finding_remedy(finding,
				  "run \"ulimit -l %s\" in the shell that starts the program: "
				  "the hard limit allows it",
				  limit->hard == UINT64_MAX ? "unlimited" : "$(ulimit -H -l)");
	else
		set_remedy(&origin, in_container, finding);
}
