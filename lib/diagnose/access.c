// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/diagnose/diagnose.h"

#define NO_DEVICE "no RDMA device"

/* ---- nodes of all devices ---- */

struct nodes {
	struct mr_host *host;
	const char *only; /* the device that is looked at; NULL: all are */
	struct mr_process_status process;
	unsigned int devices;
	unsigned int unlisted; /* of them, for which the kernel has made no node */
	struct mr_name_text absent, refused;
	struct mr_name_text other; /* the file in the node's place is not the device */
	struct mr_rdma_node first_absent, first_other;
	struct mr_rdma_node first; /* that was refused */
	/* errno of the first node that was refused although its permission allows it; 0: none */
	int against_permission;
};

/* In a user namespace, capabilities have no effect on files of users outside it. */
bool mr_node_is_permitted(struct mr_host *host, const struct mr_process_status *process,
			  const struct mr_rdma_node *node)
{
	const struct mr_host_status file = { .mode = (uint32_t)node->mode.value,
					     .uid = (uint32_t)node->uid.value,
					     .gid = (uint32_t)node->gid.value };
	struct mr_process_status copy = *process;

	if (mr_namespace_is_first(host, "user") != MR_YES)
		copy.effective.known = false;
	return node->mode.known && mr_process_may_write(&copy, &file);
}

static void take_device(const char *name, void *data)
{
	struct nodes *nodes = data;
	struct mr_rdma_node node;
	bool is_listed;

	if (nodes->only && strcmp(name, nodes->only) != 0)
		return;
	is_listed = mr_rdma_node_read(nodes->host, name, &node);
	nodes->devices++;
	nodes->unlisted += !is_listed;
	if (!is_listed || (!node.mode.known && node.error == -ENOENT)) {
		if (is_listed && !nodes->first_absent.path[0])
			nodes->first_absent = node;
		mr_name_add(&nodes->absent, name);
	} else if (node.is_other) {
		if (!nodes->other.count)
			nodes->first_other = node;
		mr_name_add(&nodes->other, name);
	} else if (node.error) {
		if (!nodes->refused.count)
			nodes->first = node;
		mr_name_add(&nodes->refused, name);
		if (!nodes->against_permission &&
		    mr_node_is_permitted(nodes->host, &nodes->process, &node))
			nodes->against_permission = -node.error;
	}
}

/* Return: whether there are devices; else the finding is set. */
static bool read_nodes(const struct mr_question *question, struct nodes *nodes,
		       struct mr_finding *finding)
{
	int rc;

	*nodes = (struct nodes){ .host = question->host, .only = question->device };
	mr_process_status_read(question->host, "self", &nodes->process);
	rc = mr_rdma_device_list(question->host, take_device, nodes);
	if (rc < 0 && (rc != -ENOENT || !mr_host_exists(question->host, "/sys/class")))
		mr_finding_unread(finding, "/sys/class/infiniband", -rc);
	else if (!nodes->devices)
		mr_finding_set(finding, MR_VERDICT_NA, NO_DEVICE);
	return nodes->devices && rc >= 0;
}

static bool is_in_container(struct mr_host *host)
{
	return mr_namespace_is_first(host, "pid") == MR_NO;
}

#define FOR_CONTAINER                                                                                \
	"start the container with --device=/dev/infiniband; in Kubernetes, let the pod request the " \
	"resource of the RDMA device plugin"

void mr_check_node(const struct mr_question *question, struct mr_finding *finding)
{
	const struct mr_rdma_node *node;
	struct mr_dev_folder dev;
	struct nodes nodes;
	unsigned int left;

	if (!read_nodes(question, &nodes, finding))
		return;
	/* rdma-core util/open_cdev.c checks the number of the opened device; udev does not replace an existing file. */
	if (nodes.other.count) {
		node = &nodes.first_other;
		left = nodes.devices - nodes.other.count - nodes.absent.count;
		mr_finding_set(finding, left ? MR_VERDICT_WARN : MR_VERDICT_BAD,
			       "%u of %u devices: another file has the name of the node of %s",
			       left, nodes.devices, nodes.other.text);
		mr_finding_detail(finding, "%s is not the device %u:%u", node->path, node->major,
				  node->minor);
		mr_finding_remedy(finding, "rm %s && mknod %s c %u %u && chmod 666 %s", node->path,
				  node->path, node->major, node->minor, node->path);
		return;
	}
	if (!nodes.absent.count) {
		mr_finding_set(finding, MR_VERDICT_OK, "%u of %u devices", nodes.devices,
			       nodes.devices);
		return;
	}
	/* A container sees all devices of its host in /sys, but has nodes of only some. */
	if (nodes.absent.count < nodes.devices && !nodes.unlisted &&
	    is_in_container(question->host)) {
		mr_finding_set(finding, MR_VERDICT_OK, "this container has the nodes of %u devices",
			       nodes.devices - nodes.absent.count);
		mr_finding_detail(finding, "not %s", nodes.absent.text);
		return;
	}
	mr_finding_set(finding,
		       nodes.absent.count == nodes.devices ? MR_VERDICT_BAD : MR_VERDICT_WARN,
		       "%u of %u devices: no node for %s", nodes.devices - nodes.absent.count,
		       nodes.devices, nodes.absent.text);
	if (nodes.unlisted) {
		mr_finding_detail(finding, "the kernel has made no node for %u", nodes.unlisted);
		mr_finding_remedy(finding, "modprobe ib_uverbs");
	} else if (is_in_container(question->host)) {
		mr_finding_remedy(finding, FOR_CONTAINER);
	} else if (!mr_dev_folder_read(question->host, &dev) && !dev.is_hosts) {
		mr_finding_remedy(finding, "/dev is not that of the host: see MR-SANDBOX");
	} else {
		mr_finding_remedy(finding, "mknod %s c %u %u && chmod 666 %s",
				  nodes.first_absent.path, nodes.first_absent.major,
				  nodes.first_absent.minor, nodes.first_absent.path);
	}
}

/* Sets the remedy for the first node that was refused. */
static void set_access_remedy(const struct nodes *nodes, const char *group,
			      struct mr_finding *finding)
{
	const int error = -nodes->first.error;
	const uint64_t mode = nodes->first.mode.value;

	if (error == EMFILE || error == ENFILE)
		mr_finding_remedy(finding, "raise the limit of open files: see MR-DESCRIPTORS");
	else if (error != EACCES && error != EPERM)
		mr_finding_remedy(finding, "the driver does not answer: see the kernel's log");
	else if (nodes->against_permission == EPERM)
		mr_finding_remedy(finding, "its permissions allow it: see MR-SANDBOX and MR-NETNS");
	else if (nodes->against_permission &&
		 mr_path_is_nodev(nodes->host, nodes->first.path) == MR_YES)
		mr_finding_remedy(finding,
				  "its file system is mounted with nodev: mount -o remount,dev "
				  "that, or bind the host's /dev/infiniband");
	else if (nodes->against_permission)
		mr_finding_remedy(finding,
				  "its permissions allow it: check those of /dev/infiniband, and "
				  "denials of a security module (ausearch -m avc)");
	else if (!nodes->first.mode.known)
		mr_finding_remedy(finding, "let this user enter the directory: chmod 755 "
					   "/dev/infiniband");
	else if ((mode & 060) == 060 && nodes->first.gid.value)
		mr_finding_remedy(finding, "usermod -aG %s USER, and log in again", group);
	else
		mr_finding_remedy(finding, "add rdma-core's udev rule, KERNEL==\"uverbs*\", "
					   "MODE=\"0666\", and run udevadm trigger "
					   "--subsystem-match=infiniband_verbs");
}

void mr_check_node_access(const struct mr_question *question, struct mr_finding *finding)
{
	char group[64] = "?";
	const char *name;
	struct nodes nodes;
	unsigned int present;

	if (!read_nodes(question, &nodes, finding))
		return;
	present = nodes.devices - nodes.absent.count - nodes.other.count;
	if (!present) {
		mr_finding_set(finding, MR_VERDICT_NA, "no node: see MR-NODE");
		return;
	}
	if (!nodes.refused.count) {
		mr_finding_set(finding, MR_VERDICT_OK, "%u of %u nodes can be opened", present,
			       present);
		return;
	}
	name = mr_errno_name(-nodes.first.error);
	mr_finding_set(finding, nodes.refused.count == present ? MR_VERDICT_BAD : MR_VERDICT_WARN,
		       "%u of %u nodes can be opened: %s for %s", present - nodes.refused.count,
		       present, name ? name : "an error", nodes.refused.text);
	if (nodes.first.gid.known)
		mr_group_name(question->host, (uint32_t)nodes.first.gid.value, group,
			      sizeof(group));
	if (nodes.first.mode.known)
		mr_finding_detail(finding, "%s has mode %04" PRIo64 ", user %" PRIu64 ", group %s",
				  nodes.first.path, nodes.first.mode.value, nodes.first.uid.value,
				  group);
	if (nodes.process.uid.known)
		mr_finding_detail(finding, "this is user %" PRIu64, nodes.process.uid.value);
	set_access_remedy(&nodes, group, finding);
}

static void set_sandbox_remedy(struct mr_host *host, const struct mr_dev_folder *dev,
			       const char *unit, struct mr_finding *finding)
{
	if (unit[0] && !is_in_container(host))
		mr_finding_remedy(
			finding,
			"systemctl edit %s: BindPaths=/dev/infiniband and "
			"DeviceAllow=char-infiniband_verbs rw, or PrivateDevices=no; restart it",
			unit);
	else if (!dev->type[0] && !is_in_container(host))
		mr_finding_remedy(finding, "bind the host's /dev, or mount a devtmpfs at /dev");
	else
		mr_finding_remedy(finding, FOR_CONTAINER);
}

void mr_check_sandbox(const struct mr_question *question, struct mr_finding *finding)
{
	struct mr_rdma_netns netns;
	struct mr_dev_folder dev;
	struct mr_unit unit;
	const char *own;
	struct nodes nodes;
	bool is_own;
	int rc;

	if (!read_nodes(question, &nodes, finding))
		return;
	rc = mr_dev_folder_read(question->host, &dev);
	is_own = !rc && !dev.is_hosts;
	own = dev.type[0] ? "the process has a private /dev" : "/dev is an ordinary directory";
	mr_unit_read(question->host, "self", &unit);
	if (is_own && nodes.absent.count == nodes.devices && !nodes.unlisted)
		mr_finding_set(finding, MR_VERDICT_BAD, "%s, without nodes", own);
	/*
	 * With exclusive network namespaces a node whose device is in another one answers the same
	 * (drivers/infiniband/core/uverbs_main.c ib_uverbs_open()), while an older mount of /sys may show the device.
	 */
	else if (nodes.against_permission == EPERM && !mr_rdma_netns_read(question->host, &netns) &&
		 netns.is_exclusive == MR_YES)
		mr_finding_set(finding, MR_VERDICT_UNKNOWN,
			       "nodes answer EPERM although their permissions allow it: device "
			       "rules refuse them, or their devices are in other network "
			       "namespaces");
	else if (nodes.against_permission == EPERM)
		mr_finding_set(finding, MR_VERDICT_BAD,
			       "nodes answer EPERM although their permissions allow it: device "
			       "rules refuse them");
	else if (rc)
		mr_finding_unread(finding, "/proc/self/mountinfo", -rc);
	else if (is_own)
		mr_finding_set(finding, MR_VERDICT_OK, "%s, with nodes", own);
	else
		mr_finding_set(finding, MR_VERDICT_OK, "none: /dev is that of the host");
	if (finding->verdict == MR_VERDICT_BAD)
		set_sandbox_remedy(question->host, &dev, unit.service, finding);
	if (dev.type[0])
		mr_finding_detail(finding, "/dev is a %s", dev.type);
	if (unit.service[0])
		mr_finding_detail(finding, "unit %s", unit.service);
	if (nodes.process.no_new_privs.known && nodes.process.no_new_privs.value)
		mr_finding_detail(finding, "NoNewPrivs is set");
	if (nodes.process.seccomp.known && nodes.process.seccomp.value)
		mr_finding_detail(finding, "seccomp filters system calls");
}

void mr_check_selinux(const struct mr_question *question, struct mr_finding *finding)
{
	static const char *const modes[] = {
		[MR_SELINUX_OFF] = "off",
		[MR_SELINUX_PERMISSIVE] = "permissive",
		[MR_SELINUX_ENFORCING] = "enforcing",
		[MR_SELINUX_HIDDEN] = "on, in an unknown mode",
	};
	struct mr_finding ignored = { 0 };
	enum mr_selinux mode;
	struct nodes nodes;
	char label[128];
	const int rc = mr_selinux_read(question->host, &mode, label, sizeof(label));

	if (rc)
		mr_finding_unread(finding, "/sys/fs/selinux/enforce", -rc);
	else if (mode == MR_SELINUX_OFF)
		mr_finding_set(finding, MR_VERDICT_NA, "off");
	else if (mode != MR_SELINUX_PERMISSIVE && read_nodes(question, &nodes, &ignored) &&
		 nodes.against_permission == EACCES)
		mr_finding_judge(finding, MR_VERDICT_WARN,
				 "SELinux may be the reason: look for denials (ausearch -m avc "
				 "-ts recent), and allow them by audit2allow",
				 "%s; nodes answer EACCES although their permissions allow it",
				 modes[mode]);
	else
		mr_finding_set(finding, MR_VERDICT_OK, "%s", modes[mode]);
	if (label[0])
		mr_finding_detail(finding, "this process is %s", label);
}

void mr_check_netns(const struct mr_question *question, struct mr_finding *finding)
{
	struct mr_rdma_netns netns;
	const int rc = mr_rdma_netns_read(question->host, &netns);

	if (rc)
		mr_finding_unread(finding, "/sys/class/infiniband", -rc);
	else if (!netns.visible && !netns.hidden)
		mr_finding_set(finding, MR_VERDICT_NA, NO_DEVICE);
	else if (netns.is_exclusive == MR_YES && (netns.visible || !netns.hidden))
		mr_finding_set(finding, MR_VERDICT_OK,
			       "exclusive: %u devices are in this namespace, %u in others",
			       netns.visible, netns.hidden);
	else if (netns.is_exclusive == MR_YES)
		mr_finding_set(finding, MR_VERDICT_BAD,
			       "exclusive: all %u devices are in other namespaces", netns.hidden);
	else if (!netns.visible)
		mr_finding_set(finding, MR_VERDICT_UNKNOWN, "none of %u devices is in this /sys",
			       netns.hidden);
	else if (netns.is_exclusive == MR_UNKNOWN && netns.error != -ENOENT)
		mr_finding_set(finding, MR_VERDICT_UNKNOWN, "netns_mode of ib_core: %s",
			       mr_errno_text(-netns.error));
	else
		mr_finding_set(finding, MR_VERDICT_OK, "shared by all namespaces");
	if (!rc && finding->verdict == MR_VERDICT_BAD)
		mr_finding_remedy(
			finding,
			"rdma dev set %s netns NAME, in its current namespace; or, before any "
			"other namespace is made, rdma system set netns shared",
			netns.first_hidden);
}
