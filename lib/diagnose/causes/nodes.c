// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/diagnose/causes/causes.h"
#include "lib/diagnose/diagnose.h"
#include "lib/host/host.h"

/* ---- descriptors ---- */

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

/* ---- permission ---- */

/* The node as struct mr_rdma_node, which the checks of stat --host look at. */
static struct mr_rdma_node node_of(const struct mr_place *place)
{
	const bool known = !place->found;

	return (struct mr_rdma_node){ .mode = { place->file.mode & 07777, known },
				      .uid = { place->file.uid, known },
				      .gid = { place->file.gid, known },
				      .error = place->opened };
}

static void look_at_permission(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_place *place = mr_inquiry_place(inquiry);
	const struct mr_process_status *status = mr_inquiry_status(inquiry);
	const struct mr_rdma_node node = node_of(place);
	const uint32_t mode = place->file.mode & 07777;
	struct mr_finding finding;
	char group[64];

	if (!place->is_listed || !status || !status->uid.known ||
	    (place->found != -EACCES && (place->found || !place->opened)))
		return;
	if (!place->found && mr_node_is_permitted(inquiry->host, status, &node)) {
		mr_rule_out(suspicion, "mode %04" PRIo32 " of %s lets user %" PRIu64 " open it",
			    mode, place->node.path, status->uid.value);
		return;
	}
	mr_evidence_text(suspicion, "node", "%s", place->node.path);
	if (place->found) {
		mr_suspect(suspicion, MR_CERTAIN,
			   "the folder of %s may not be searched by user %" PRIu64,
			   place->node.path, status->uid.value);
	} else {
		mr_group_name(inquiry->host, place->file.gid, group, sizeof(group));
		mr_evidence_text(suspicion, "mode", "%04" PRIo32, mode);
		mr_evidence_number(suspicion, "uid", place->file.uid);
		mr_evidence_number(suspicion, "gid", place->file.gid);
		mr_suspect(suspicion, MR_CERTAIN,
			   "read and write permission on %s is needed: it has mode %04" PRIo32
			   ", user %" PRIu32 " and group %s, and this is user %" PRIu64,
			   place->node.path, mode, place->file.uid, group, status->uid.value);
	}
	finding = mr_inquiry_check_cause(inquiry, suspicion, place->device);
	if (finding.remedy[0])
		mr_suspect_remedy(suspicion, "%s", finding.remedy);
}

/* Whether the node answers EACCES although its permission is not against it. */
static bool is_against_permission(struct mr_inquiry *inquiry, const struct mr_place *place)
{
	const struct mr_process_status *status = mr_inquiry_status(inquiry);
	const struct mr_rdma_node node = node_of(place);

	return status && !place->found && place->opened == -EACCES &&
	       mr_node_is_permitted(inquiry->host, status, &node);
}

/* fs/namei.c may_open(): no devices below a mount with nodev, whatever the permission is. */
static void look_at_nodev(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_place *place = mr_inquiry_place(inquiry);

	if (!is_against_permission(inquiry, place))
		return;
	mr_evidence_text(suspicion, "node", "%s", place->node.path);
	switch (mr_path_is_nodev(inquiry->host, place->node.path)) {
	case MR_YES:
		mr_suspect(suspicion, MR_CERTAIN,
			   "%s is on a file system that is mounted with nodev, where no device can "
			   "be opened",
			   place->node.path);
		break;
	case MR_NO:
		mr_rule_out(suspicion, "%s is not mounted with nodev", place->node.path);
		break;
	default:
		break;
	}
}

static void look_at_selinux(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_place *place = mr_inquiry_place(inquiry);
	struct mr_finding finding;
	char label[128];
	enum mr_selinux mode;

	if (!is_against_permission(inquiry, place) ||
	    mr_path_is_nodev(inquiry->host, place->node.path) == MR_YES)
		return;
	if (mr_selinux_read(inquiry->host, &mode, label, sizeof(label)))
		return;
	if (mode == MR_SELINUX_OFF || mode == MR_SELINUX_PERMISSIVE) {
		mr_rule_out(suspicion, "SELinux is %s",
			    mode == MR_SELINUX_OFF ? "off" : "permissive");
		return;
	}
	mr_evidence_text(suspicion, "node", "%s", place->node.path);
	if (label[0])
		mr_evidence_text(suspicion, "label", "%s", label);
	mr_suspect(suspicion, mode == MR_SELINUX_ENFORCING ? MR_LIKELY : MR_POSSIBLE,
		   "SELinux is on, and %s answers EACCES although its permission allows it",
		   place->node.path);
	finding = mr_inquiry_check_cause(inquiry, suspicion, place->device);
	mr_suspect_found(suspicion, &finding);
}

/* ---- is it the device's node? ---- */

static void look_at_number(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_place *place = mr_inquiry_place(inquiry);
	const struct mr_rdma_node *node = &place->node;
	const bool is_device = S_ISCHR(place->file.mode);
	const bool is_other =
		!is_device || place->file.major != node->major || place->file.minor != node->minor;
	struct mr_host_status link;
	bool elsewhere;

	if (!place->is_listed || place->found)
		return;
	/* A link of udev, by which libibverbs looks for the device: it may lead to the same wrong file. */
	elsewhere =
		!mr_host_stat(inquiry->host, &link, "/dev/char/%u:%u", node->major, node->minor) &&
		S_ISCHR(link.mode) && link.major == node->major && link.minor == node->minor;
	mr_evidence_text(suspicion, "node", "%s", node->path);
	mr_evidence_text(suspicion, "wanted", "%u:%u", node->major, node->minor);
	if (is_other)
		mr_suspect_remedy(
			suspicion,
			"rm %s && mknod %s c %u %u && chmod 666 %s; or start the container again",
			node->path, node->path, node->major, node->minor, node->path);
	if (is_device)
		mr_evidence_text(suspicion, "found", "%" PRIu32 ":%" PRIu32, place->file.major,
				 place->file.minor);
	if (!is_device)
		mr_suspect(suspicion, elsewhere ? MR_LIKELY : MR_CERTAIN,
			   "%s is no character device", node->path);
	else if (is_other)
		mr_suspect(suspicion, elsewhere ? MR_LIKELY : MR_CERTAIN,
			   "%s has the number %" PRIu32 ":%" PRIu32
			   ", but that of %s is %u:%u: it is an old node, or another device's",
			   node->path, place->file.major, place->file.minor, node->device,
			   node->major, node->minor);
	else if (place->opened == -ENXIO)
		mr_suspect(suspicion, MR_POSSIBLE,
			   "%s answers ENXIO: no device has its number %u:%u (any more)",
			   node->path, node->major, node->minor);
	else
		mr_rule_out(suspicion, "%s has the number of %s, %u:%u", node->path, node->device,
			    node->major, node->minor);
}

/* ---- has the device gone? ---- */

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
			   "%s has gone: sysfs does not have it any more, and the kernel answers "
			   "%s for what was opened before",
			   place->device, errnum == EIO ? "EIO" : "ENODEV");
	else if (inquiry->operation == MR_OP_OPEN && place->opened == -errnum)
		/* ib_uverbs_open(): EIO where the driver has left the device, ENODEV where its module is being unloaded */
		mr_suspect(suspicion, MR_LIKELY,
			   errnum == EIO ? "the driver has left the device behind %s: it was "
					   "removed, reset or unbound"
					 : "the driver of the device behind %s is being unloaded",
			   place->node.path);
	else if (inquiry->operation == MR_OP_OPEN && !place->opened)
		mr_rule_out(suspicion, "%s can be opened now", place->node.path);
	else if (inquiry->operation == MR_OP_OPEN)
		return;
	else if (errnum == EIO && mr_inquiry_attributes(inquiry))
		mr_rule_out(suspicion, "%s answers other calls", place->device);
	else if (errnum == EIO && !place->is_shown)
		mr_suspect(suspicion, MR_LIKELY,
			   "%s has moved to another network namespace, and the kernel answers EIO "
			   "for what was opened before",
			   place->device);
}

/* ---- the context ---- */

static void look_at_uar(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_finding finding =
		mr_inquiry_check_cause(inquiry, suspicion, mr_inquiry_place(inquiry)->device);

	mr_evidence_text(suspicion, "counters", "%s", finding.figure);
	if (finding.verdict == MR_VERDICT_OK)
		mr_rule_out(suspicion, "%s", finding.figure);
	else if (finding.verdict == MR_VERDICT_WARN)
		mr_suspect(suspicion, MR_LIKELY,
			   "%s, and each open context needs some: too many are open",
			   finding.figure);
	mr_suspect_found(suspicion, &finding);
}

/* rdma-core up to 65: of all providers only libmlx5 has import_context (verbs_device_ops). */
static void look_at_import(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const char *provider = inquiry->environment->provider;

	if (!mr_inquiry_is_call(inquiry, "ibv_import_device") || !provider[0])
		return;
	mr_evidence_text(suspicion, "provider", "%s", provider);
	if (mr_inquiry_is_driver(inquiry, "mlx5"))
		mr_rule_out(suspicion, "libmlx5 can import devices");
	else
		mr_suspect(
			suspicion,
			mr_inquiry_is_driver(inquiry, "rxe") || mr_inquiry_is_driver(inquiry, "siw")
				? MR_CERTAIN
				: MR_LIKELY,
			"the provider %s cannot import the device of a session: only libmlx5 does",
			provider);
}

#include "lib/diagnose/causes/nodes.inc"
