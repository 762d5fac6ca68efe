// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/diagnose/memlock_remedy.h"
#include "lib/diagnose/size_text.h"
#include "lib/host/processes.h"

#define PAM "set memlock in /etc/security/limits.conf (pam_limits), and log in again"
#define JOBS                                                                                       \
	"set PropagateResourceLimitsExcept=MEMLOCK in slurm.conf, and LimitMEMLOCK=infinity for slurmd.service"
#define CONTAINER                                                                                        \
	"start the container with --ulimit memlock=-1, or set LimitMEMLOCK=infinity for the service of " \
	"the container runtime (containerd, docker, crio) and restart it"
#define SHELL  "remove \"ulimit -l\" from the script or the start-up file of this shell"
#define DAEMON "raise the limit of the launcher's daemon, or of the login that started it"

/* A program that sets the limits of what it starts. */
struct launcher {
	const char *name;     /* the command, or its beginning */
	bool is_for_children; /* what it does itself, as well as what it starts */
	const char *remedy;
};

/* Whether the shell or the login above it has set the limit cannot be seen. */
#define LOGIN_OR_SHELL                                                                               \
	"if a new login has the limit, too, set memlock in /etc/security/limits.conf (pam_limits); " \
	"else remove \"ulimit -l\" from the script or the start-up file of this shell"

static const struct launcher launchers[] = {
	{ "containerd", true, CONTAINER },
	{ "crio", true, CONTAINER },
	{ "conmon", true, CONTAINER },
	{ "dockerd", true, CONTAINER },
	{ "kubelet", true, CONTAINER },
	{ "podman", true, CONTAINER },
	{ "runc", true, CONTAINER },
	{ "crun", true, CONTAINER },
	{ "slurmstepd", true, JOBS },
	{ "slurmd", true, JOBS },
	{ "sshd", true, PAM },
	{ "login", true, PAM },
	{ "su", true, PAM },
	{ "sudo", true, PAM },
	{ "runuser", true, PAM },
	{ "cron", true, PAM },
	{ "crond", true, PAM },
	{ "gdm-session-wor", true, PAM },
	{ "orted", true, DAEMON },
	{ "prted", true, DAEMON },
	{ "hydra_pmi_proxy", true, DAEMON },
	{ "bash", false, SHELL },
	{ "sh", false, SHELL },
	{ "dash", false, SHELL },
	{ "zsh", false, SHELL },
	{ "ksh", false, SHELL },
	{ "tcsh", false, SHELL },
	{ "csh", false, SHELL },
	{ "fish", false, SHELL },
};

/* containerd-shim-runc-v2, sshd-session and the like are of the same family. */
static const char *find_remedy(const char *name, bool of_children)
{
	for (size_t i = 0; i < sizeof(launchers) / sizeof(*launchers); i++) {
		const size_t length = strlen(launchers[i].name);

		if (!strncmp(name, launchers[i].name, length) &&
		    (!name[length] || name[length] == '-' || name[length] == ':') &&
		    (!of_children || launchers[i].is_for_children))
			return launchers[i].remedy;
	}
	return NULL;
}

/*
 * The limit was set when the parent started this process: the parent is asked first.  That a shell has lowered it
 * itself is known only where its parent has another one.
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
	else if (origin->unit[0] && (by_systemd || origin->trace != MR_MEMLOCK_SET))
		mr_finding_remedy(
			finding,
			"set LimitMEMLOCK=infinity for %s (systemctl %sedit), and restart it",
			origin->unit, by_systemd && origin->parent_pid > 1 ? "--user " : "");
	else if (origin->trace == MR_MEMLOCK_SET)
		mr_finding_remedy(
			finding,
			"%s sets this limit, or %s when it starts (prlimit, setrlimit, \"ulimit -l\"): "
			"raise it there",
			origin->parent, origin->pid ? origin->name : "the process");
	else
		mr_finding_remedy(finding, "%s",
				  "set memlock in /etc/security/limits.conf, LimitMEMLOCK= of the "
				  "service, or \"ulimit -l\" where the program is started");
}

/* The figure has no numbers of processes, which differ between hosts that are equal. */
static void say_origin(const struct mr_memlock_origin *origin, const struct mr_memlock *limit,
		       bool in_container, struct mr_finding *finding)
{
	const size_t used = strlen(finding->figure);
	char *figure = finding->figure + used;
	const size_t room = sizeof(finding->figure) - used;
	const char *change = origin->parents.soft > limit->soft ? "lowered" : "set";
	char who[64];

	if (origin->pid)
		snprintf(who, sizeof(who), "%s (%" PRIu64 ")", origin->name, origin->pid);
	else
		snprintf(who, sizeof(who), "%s", "the process");
	if (origin->trace == MR_MEMLOCK_OWN) {
		snprintf(figure, room, "; set by --limit");
		mr_finding_detail(finding, "mrctl itself has set it, as --limit asks");
		return;
	}
	if (origin->trace == MR_MEMLOCK_FROM_START) {
		snprintf(figure, room, "; %s",
			 in_container ? "all ancestors in this container have it"
				      : "all ancestors have it");
		mr_finding_detail(finding, "the first process is %s", who);
		return;
	}
	if (origin->trace == MR_MEMLOCK_HIDDEN) {
		snprintf(figure, room, "; %s has it, and what started that cannot be read",
			 origin->pid ? origin->name : "the process");
		mr_finding_detail(finding,
				  "the limit of process %" PRIu64
				  ", the parent of %s, cannot be read from here",
				  origin->parent_pid, who);
		return;
	}
	if (origin->pid)
		snprintf(figure, room, "; %s at %s", change, origin->name);
	else
		snprintf(figure, room, "; %s below %s", change, origin->parent);
	mr_finding_detail(finding, "%s has it, its parent %s (%" PRIu64 ") has %s", who,
			  origin->parent, origin->parent_pid,
			  origin->parents.soft == UINT64_MAX
				  ? "no limit"
				  : mr_size_text(origin->parents.soft).text);
}

void mr_memlock_explain(struct mr_host *host, const struct mr_memlock *limit, uint64_t needed,
			struct mr_finding *finding)
{
	const bool in_container = mr_namespace_is_first(host, "pid") == MR_NO;
	struct mr_memlock_origin origin;
	int rc = mr_memlock_trace(host, limit, &origin);

	if (rc)
		mr_finding_detail(finding, "where it came from is not known: /proc/self/status: %s",
				  mr_errno_text(-rc));
	else
		say_origin(&origin, limit, in_container, finding);
	if (!rc && origin.trace == MR_MEMLOCK_OWN)
		mr_finding_remedy(finding, "give --limit a higher memlock, or leave it out");
	else if (limit->hard >= needed && limit->hard > limit->soft)
		mr_finding_remedy(finding,
				  "\"ulimit -l %s\" in the shell that starts the program: the hard "
				  "limit allows it",
				  limit->hard == UINT64_MAX ? "unlimited" : "$(ulimit -H -l)");
	else
		set_remedy(&origin, in_container, finding);
}
