// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <ctype.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/report/common_words.h"
#include "cmd/report/names.h"
#include "lib/host/recorded_names.h"

/* Users below are those of the system, such as root. */
#define FIRST_OWN_ID 1000

#define HEX          "0123456789abcdefABCDEF"

/* Words in names of control groups that say what kind of group it is. */
static const char *const group_words[] = {
	"slice",      "scope",      "service",    "system",  "systemd",    "user",
	"init",       "session",    "machine",    "app",     "background", "docker",
	"dockerd",    "containerd", "cri",        "crio",    "libpod",     "podman",
	"lxc",        "payload",    "slurm",      "slurmd",  "slurmstepd", "job",
	"step",       "task",       "kubepods",   "kubelet", "kubelet",    "pod",
	"burstable",  "besteffort", "guaranteed", "ssh",     "sshd",       "container",
	"supervisor", "cron",       NULL
};

static bool is_in(const char *word, size_t length, const char *const *list)
{
	for (; *list; list++)
		if (strlen(*list) == length && !strncmp(*list, word, length))
			return true;
	return false;
}

static void add(struct stand_ins *all, const char *kind, const char *name, size_t length)
{
	if (!is_common_word(name, length))
		stand_ins_add(all, kind, name, length);
}

static void add_text(struct stand_ins *all, const char *kind, const char *name)
{
	if (name)
		add(all, kind, name, strlen(name));
}

/* ---- hosts and users ---- */

/* The short name, behind which a domain belongs to it; or the whole, where the short one is a common word. */
static void add_host(struct stand_ins *all, const char *name)
{
	const size_t length = name ? strcspn(name, ".") : 0;

	if (!name || is_common_word(name, strlen(name)))
		return;
	if (strlen(name + length) < sizeof(all->domain))
		strcpy(all->domain, name + length);
	add(all, "host", name, is_common_word(name, length) ? strlen(name) : length);
}

static void add_user(struct stand_ins *all)
{
	const struct passwd *user = getuid() >= FIRST_OWN_ID ? getpwuid(getuid()) : NULL;
	const char *caller = getenv("SUDO_USER");

	if (user)
		add_text(all, "user", user->pw_name);
	if (caller && strcmp(caller, "root") != 0)
		add_text(all, "user", caller);
}

/* The user whose home the word has. */
static void add_users(struct stand_ins *all, const struct json_node *node)
{
	static const char home[] = "/home/";

	for (; node; node = json_tree_next(node)) {
		const char *at =
			json_tree_string(node) ? strstr(json_tree_string(node), home) : NULL;

		if (!at)
			continue;
		at += strlen(home);
		add(all, "user", at, strcspn(at, "/ \t\n\"',:;"));
	}
}

/* ---- devices ---- */

bool names_is_by_rule(const char *name)
{
	static const char *const prefixes[] = { "mlx5_", "mlx4_", "rxe",  "siw",  "bnxt_re",
						"irdma", "efa_",  "hns_", "qedr", "hfi1_",
						"ibp",   "roce",  "iwp",  "eth",  "eno",
						"ens",   "enp",   "ib",   "bond", "br",
						NULL };

	for (const char *const *prefix = prefixes; *prefix; prefix++) {
		const char *rest = name + strlen(*prefix);

		if (strncmp(name, *prefix, strlen(*prefix)) != 0)
			continue;
		rest += rest > name && *rest == 'p';
		if (isdigit((unsigned char)*rest) &&
		    strspn(rest, "0123456789npsfdvr") == strlen(rest))
			return true;
	}
	return false;
}

static void add_device(struct stand_ins *all, const char *kind, const char *name, size_t length)
{
	char copy[64];

	if (length >= sizeof(copy))
		return;
	memcpy(copy, name, length);
	copy[length] = '\0';
	if (!names_is_by_rule(copy))
		add(all, kind, name, length);
}

static void add_devices(struct stand_ins *all, const struct json_node *device)
{
	for (; device; device = json_tree_next(device)) {
		const char *name = json_tree_text_of(device, "name");
		const char *parent = json_tree_text_of(device, "parent");
		const char *description = json_tree_text_of(device, "node_desc");

		if (name)
			add_device(all, "device", name, strlen(name));
		if (parent)
			add_device(all, "interface", parent, strlen(parent));
		if (description)
			add_device(all, "description", description, strlen(description));
	}
}

/* ---- the recording ---- */

/* The parts of a group's name that do not say what kind of group it is. */
static void add_group(struct stand_ins *all, const char *path, size_t size)
{
	const char *end = path + size;

	while (path < end) {
		const size_t length = strcspn(path, "/-_.@:, \n");

		if (length > 1 && strspn(path, HEX) < length && !is_in(path, length, group_words))
			add(all, "group", path, length);
		path += length + 1;
	}
}

/* The control groups of processes that a line of the kernel's log is about. */
static void add_groups_of_line(struct stand_ins *all, const char *line)
{
	static const char *const labels[] = { "memcg=", "cgroup stats for ", "in cgroup ",
					      "cpuset=" };

	for (size_t i = 0; i < sizeof(labels) / sizeof(*labels); i++)
		for (const char *at = line; (at = strstr(at, labels[i]));) {
			at += strlen(labels[i]);
			if (*at == '/')
				add_group(all, at, strcspn(at, ", \n"));
		}
}

static void add_log(struct stand_ins *all, const struct json_node *line)
{
	for (; line; line = json_tree_next(line))
		if (json_tree_string(line))
			add_groups_of_line(all, json_tree_string(line));
}

static void add_recorded(void *data, enum mr_recorded_name kind, const char *name, size_t length)
{
	struct stand_ins *all = data;

	if (kind == MR_RECORDED_CGROUP)
		add_group(all, name, length);
	else if (kind == MR_RECORDED_ACCOUNT)
		add(all, "user", name, length);
	else
		add_device(all, kind == MR_RECORDED_DEVICE ? "device" : "interface", name, length);
}

void names_collect(const struct json_node *root, bool is_here, struct stand_ins *all)
{
	const struct json_node *program = json_tree_get(root, "program");
	const struct json_node *file = json_tree_first(json_tree_get(root, "recording"));
	const char *home = is_here ? getenv("HOME") : NULL;

	all->home = home && home[0] == '/' && home[1] ? home : NULL;
	add_users(all, json_tree_first(json_tree_get(program, "argv")));
	add_host(all, json_tree_text_of(root, "host_name"));
	if (is_here)
		add_user(all);
	add_devices(all, json_tree_first(json_tree_get(json_tree_get(root, "devices"), "devices")));
	add_log(all, json_tree_first(json_tree_get(json_tree_get(root, "kernel_log"), "lines")));
	for (; file; file = json_tree_next(file))
		if (json_tree_string(file))
			mr_recorded_names(json_tree_key(file), json_tree_string(file), add_recorded,
					  all);
}
