// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <sys/stat.h>

#include "lib/diagnose/causes/causes.h"

static void look_at_descriptors(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const int errnum = inquiry->refusal->errnum;
	struct mr_descriptors now;

	/* ibv_import_device(3) lists devices, and answers ENODEV where it cannot. */
	if ((errnum == ENODEV && inquiry->operation != MR_OP_IMPORT) ||
	    mr_descriptors_try(inquiry->host, &now))
		return;
	mr_evidence_limit(suspicion, "limit", now.limit);
	if (now.error == EMFILE && errnum != ENFILE)
		mr_suspect(suspicion, MR_CERTAIN,
			   "the process can open no more files: its limit is %" PRIu64, now.limit);
	else if (now.error == ENFILE && errnum != EMFILE)
		mr_suspect(suspicion, MR_CERTAIN, "this machine can open no more files");
	else if (!now.error)
		mr_rule_out(suspicion, "the process can open %d more files",
			    MR_LIBIBVERBS_DESCRIPTORS);
	if (now.error == ENFILE)
		mr_suspect_remedy(suspicion, "raise the limit of the machine: sysctl fs.file-max");
}

static void look_at_permission(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_place *place = &inquiry->place;
	const struct mr_rdma_node *node = &place->node;
	const struct mr_process_status *status = mr_inquiry_status(inquiry);
	char group[64];

	if (!status || !status->uid.known ||
	    (node->mode.known ? !place->opened : node->error != -EACCES))
		return;
	mr_suspect_remedy(suspicion, "%s",
			  mr_inquiry_check(inquiry, "MR-NODE-ACCESS", place->device).remedy);
	if (!node->mode.known) {
		mr_suspect(suspicion, MR_CERTAIN,
			   "the permissions of the directory of %s do not let user %" PRIu64
			   " enter it",
			   node->path, status->uid.value);
		return;
	}
	if (mr_node_is_permitted(inquiry->host, status, node)) {
		mr_rule_out(suspicion, "mode %04" PRIo64 " of %s lets user %" PRIu64 " open it",
			    node->mode.value, node->path, status->uid.value);
		return;
	}
	mr_group_name(inquiry->host, (uint32_t)node->gid.value, group, sizeof(group));
	mr_evidence_text(suspicion, "mode", "%04" PRIo64, node->mode.value);
	mr_evidence_number(suspicion, "uid", node->uid.value);
	mr_evidence_number(suspicion, "gid", node->gid.value);
	mr_suspect(suspicion, MR_CERTAIN,
		   "read and write permission on %s is needed: it has mode %04" PRIo64
		   ", user %" PRIu64 " and group %s, and this is user %" PRIu64,
		   node->path, node->mode.value, node->uid.value, group, status->uid.value);
}

/* Whether the node answers EACCES although its permission is not against it. */
static bool is_against_permission(struct mr_inquiry *inquiry)
{
	const struct mr_place *place = &inquiry->place;
	const struct mr_process_status *status = mr_inquiry_status(inquiry);

	return status && place->opened == -EACCES &&
	       mr_node_is_permitted(inquiry->host, status, &place->node);
}

/* fs/namei.c may_open(): no devices below a mount with nodev, with any permission. */
static void look_at_nodev(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const char *path = inquiry->place.node.path;
	enum mr_tristate is_nodev;

	if (!is_against_permission(inquiry))
		return;
	is_nodev = mr_path_is_nodev(inquiry->host, path);
	if (is_nodev == MR_YES)
		mr_suspect(
			suspicion, MR_CERTAIN,
			"the file system of %s is mounted with nodev, so no device can be opened",
			path);
	else if (is_nodev == MR_NO)
		mr_rule_out(suspicion, "%s is not mounted with nodev", path);
}

static void look_at_selinux(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const char *path = inquiry->place.node.path;
	char label[128];
	enum mr_selinux mode;

	if (!is_against_permission(inquiry) || mr_path_is_nodev(inquiry->host, path) == MR_YES ||
	    mr_selinux_read(inquiry->host, &mode, label, sizeof(label)))
		return;
	if (mode == MR_SELINUX_OFF || mode == MR_SELINUX_PERMISSIVE) {
		mr_rule_out(suspicion, "SELinux is %s",
			    mode == MR_SELINUX_OFF ? "off" : "permissive");
		return;
	}
	if (label[0])
		mr_evidence_text(suspicion, "label", "%s", label);
	mr_suspect(suspicion, mr_likely_if(mode == MR_SELINUX_ENFORCING),
		   "SELinux is on, and %s answers EACCES although its permissions allow it", path);
	mr_suspect_found(suspicion, mr_inquiry_check(inquiry, "MR-SELINUX", inquiry->place.device));
}

static void look_at_number(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_place *place = &inquiry->place;
	const struct mr_rdma_node *node = &place->node;
	enum mr_certainty certainty;
	struct mr_host_status file, link;

	if (mr_host_stat(inquiry->host, &file, "%s", node->path))
		return;
	/* A link of udev, by which libibverbs looks for the device: it may lead to the same wrong file. */
	certainty = mr_certain_if(
		mr_host_stat(inquiry->host, &link, "/dev/char/%u:%u", node->major, node->minor) ||
		!S_ISCHR(link.mode) || link.major != node->major || link.minor != node->minor);
	mr_evidence_text(suspicion, "wanted", "%u:%u", node->major, node->minor);
	if (S_ISCHR(file.mode))
		mr_evidence_text(suspicion, "found", "%" PRIu32 ":%" PRIu32, file.major,
				 file.minor);
	if (!S_ISCHR(file.mode))
		mr_suspect(suspicion, certainty, "%s is not a character device", node->path);
	else if (node->is_other)
		mr_suspect(
			suspicion, certainty,
			"%s has the number %" PRIu32 ":%" PRIu32
			", but that of %s is %u:%u: the node is old, or belongs to another device",
			node->path, file.major, file.minor, node->device, node->major, node->minor);
	else if (place->opened == -ENXIO)
		mr_suspect(suspicion, MR_POSSIBLE,
			   "%s answers ENXIO: no device has its number %u:%u now", node->path,
			   node->major, node->minor);
	else
		mr_rule_out(suspicion, "%s has the number of %s, %u:%u", node->path, node->device,
			    node->major, node->minor);
	if (!S_ISCHR(file.mode) || node->is_other)
		mr_suspect_remedy(
			suspicion,
			"rm %s && mknod %s c %u %u && chmod 666 %s; or start the container again",
			node->path, node->path, node->major, node->minor, node->path);
}

static void look_at_gone(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_place *place = mr_inquiry_place(inquiry);
	const int errnum = inquiry->refusal->errnum;

	/* An open context holds ib_uverbs, which makes the class: without it the process sees another sysfs. */
	if (!place->device[0] || !place->has_class)
		return;
	mr_evidence_text(suspicion, "device", "%s", place->device);
	if (!place->is_shown && !place->is_listed)
		mr_suspect(suspicion, MR_CERTAIN,
			   "%s no longer exists: sysfs does not have it, and the kernel answers "
			   "%s for contexts that were opened before",
			   place->device, errnum == EIO ? "EIO" : "ENODEV");
	else if (inquiry->operation == MR_OP_OPEN && place->opened == -errnum)
		/* ib_uverbs_open(): EIO where the driver has left the device, ENODEV where its module is being unloaded */
		mr_suspect(suspicion, MR_LIKELY,
			   errnum == EIO ? "the device of %s has no driver: it was removed, "
					   "reset or unbound"
					 : "the driver of the device of %s is being unloaded",
			   place->node.path);
	else if (inquiry->operation == MR_OP_OPEN && !place->opened)
		mr_rule_out(suspicion, "%s can be opened now", place->node.path);
	else if (inquiry->operation == MR_OP_OPEN)
		return;
	else if (errnum == EIO && mr_inquiry_attributes(inquiry))
		mr_rule_out(suspicion, "%s answers other calls", place->device);
	else if (errnum == EIO && !place->is_shown)
		mr_suspect(suspicion, MR_LIKELY,
			   "%s has moved to another network namespace, and the kernel answers "
			   "EIO for contexts that were opened before",
			   place->device);
}

static void look_at_uar(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_finding finding =
		mr_inquiry_check(inquiry, "MR-UAR", mr_inquiry_place(inquiry)->device);

	mr_evidence_text(suspicion, "counters", "%s", finding.figure);
	if (finding.verdict == MR_VERDICT_OK)
		mr_rule_out(suspicion, "%s", finding.figure);
	else if (finding.verdict == MR_VERDICT_WARN)
		mr_suspect(suspicion, MR_LIKELY,
			   "%s, and each open context needs some: too many are open",
			   finding.figure);
	mr_suspect_found(suspicion, finding);
}

#include "lib/diagnose/causes/nodes.inc"
