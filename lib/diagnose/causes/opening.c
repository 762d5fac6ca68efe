// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Why a device is not found.  libibverbs lists a device where the kernel shows it to this network namespace,
 * ib_uverbs has a node for it, that node is in /dev/infiniband, and a provider takes the device
 * (libibverbs/ibdev_nl.c, libibverbs/init.c ibverbs_get_device_list()).
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "lib/diagnose/access.h"
#include "lib/diagnose/causes/tables.h"
#include "lib/diagnose/devices.h"
#include "lib/diagnose/kernel.h"
#include "lib/diagnose/size_text.h"
#include "lib/host/host.h"
#include "lib/host/processes.h"

#define PROVIDERS "/etc/libibverbs.d" /* IBV_CONFIG_DIR where rdma-core is packaged */

/* libibverbs/driver.h IB_USER_VERBS_MIN_ABI_VERSION, rdma/ib_user_verbs.h IB_USER_VERBS_ABI_VERSION */
#define ABI_MIN 3
#define ABI_MAX 6

/* Asks a check of stat --host about the device. */
static void ask_check(struct mr_inquiry *inquiry, const char *device,
		      void (*check)(const struct mr_question *question, struct mr_finding *finding),
		      struct mr_finding *finding)
{
	const struct mr_question question = { .host = inquiry->host, .device = device };

	*finding = (struct mr_finding){ .verdict = MR_VERDICT_NA };
	check(&question, finding);
}

static void take_remedy(const struct mr_finding *finding, struct mr_suspicion *suspicion)
{
	if (finding->remedy[0])
		mr_suspect_remedy(suspicion, "%s", finding->remedy);
	if (finding->detail[0])
		mr_evidence_text(suspicion, "detail", "%s", finding->detail);
}

static void add_device(const struct mr_place *place, struct mr_suspicion *suspicion)
{
	mr_evidence_text(suspicion, "device", "%s", place->device);
	if (place->is_listed)
		mr_evidence_text(suspicion, "node", "%s", place->node.path);
}

/* Whether the errno is that of a node which is not in /dev. */
static bool is_of_missing_node(const struct mr_inquiry *inquiry)
{
	return inquiry->refusal->errnum == (inquiry->operation == MR_OP_OPEN ? ENOENT : ENODEV);
}

/* ---- is the kernel's RDMA loaded? ---- */

/* Whether an adapter has no device for want of a module. */
static bool lacks_module(struct mr_inquiry *inquiry, struct mr_finding *finding)
{
	ask_check(inquiry, NULL, mr_check_modules, finding);
	return finding->verdict == MR_VERDICT_WARN || finding->verdict == MR_VERDICT_BAD;
}

static void look_at_modules(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_place *place = mr_inquiry_place(inquiry);
	struct mr_finding finding;

	if (place->is_shown && place->has_class) {
		mr_rule_out(suspicion, "ib_uverbs is loaded, and the kernel shows %s",
			    place->device);
		return;
	}
	if (place->is_shown) {
		add_device(place, suspicion);
		mr_suspect(suspicion, MR_CERTAIN,
			   "ib_uverbs is not loaded: there is %s, but no "
			   "/sys/class/infiniband_verbs",
			   place->device);
		mr_suspect_remedy(suspicion, "modprobe ib_uverbs");
		return;
	}
	if (place->is_listed || !lacks_module(inquiry, &finding))
		return;
	mr_evidence_text(suspicion, "modules", "%s", finding.figure);
	/* The device of that name need not be one of the adapter. */
	mr_suspect(suspicion, place->is_named ? MR_LIKELY : MR_CERTAIN,
		   place->has_others ? "there is no RDMA device of that name: %s"
				     : "there is no RDMA device: %s",
		   finding.figure);
	take_remedy(&finding, suspicion);
}

/* ---- is there the device? ---- */

static void look_at_device(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_place *place = mr_inquiry_place(inquiry);
	struct mr_finding finding;

	if (place->is_shown || place->is_listed) {
		mr_rule_out(suspicion, "sysfs has %s", place->device);
		return;
	}
	if (place->has_others || lacks_module(inquiry, &finding)) /* MR-MODULES */
		return;
	ask_check(inquiry, NULL, mr_check_device, &finding);
	mr_evidence_number(suspicion, "devices", 0);
	if (!mr_host_exists(inquiry->host, "/sys/class")) {
		mr_suspect(suspicion, MR_LIKELY,
			   "no device is found, as there is no /sys/class: is sysfs mounted?");
		mr_suspect_remedy(suspicion, "mount -t sysfs sysfs /sys");
		return;
	}
	mr_suspect(suspicion, MR_CERTAIN,
		   "/sys/class/infiniband has no device, and ib_uverbs no node of one");
	take_remedy(&finding, suspicion);
}

static void add_name(const char *name, void *data)
{
	mr_name_add(data, name);
}

static void look_at_name(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_place *place = mr_inquiry_place(inquiry);
	struct mr_name_text names = { .count = 0 };
	struct mr_finding modules;

	if (!place->is_named || place->is_shown || place->is_listed || !place->has_others)
		return;
	mr_rdma_device_list(inquiry->host, add_name, &names);
	mr_evidence_text(suspicion, "name", "%s", place->device);
	mr_evidence_text(suspicion, "devices", "%s", names.text);
	/* An adapter may have the device once its driver is loaded. */
	mr_suspect(suspicion, lacks_module(inquiry, &modules) ? MR_LIKELY : MR_CERTAIN,
		   "no device here is called '%s'; there is: %s", place->device, names.text);
}

/* ---- network namespaces ---- */

static void suspect_namespace(struct mr_inquiry *inquiry, const struct mr_place *place,
			      struct mr_suspicion *suspicion)
{
	const bool exclusive = mr_rdma_namespaces_are_exclusive(inquiry->host);

	add_device(place, suspicion);
	mr_evidence_text(suspicion, "mode", "%s", exclusive ? "exclusive" : "not known to be");
	mr_suspect(suspicion, exclusive ? MR_CERTAIN : MR_LIKELY,
		   "%s is in another network namespace: ib_uverbs has a node for it, and "
		   "/sys/class/infiniband does not show it",
		   place->device);
	mr_suspect_remedy(suspicion,
			  "run mrctl there (ip netns exec, nsenter --net), or move the device: "
			  "rdma dev set %s netns NAME",
			  place->device);
}

/*
 * In the exclusive mode ib_uverbs refuses to open a device of another namespace, with EPERM, as do the rules for
 * devices of a control group.  An older mount of sysfs may show such a device.
 */
static void look_at_netns(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_place *place = mr_inquiry_place(inquiry);

	if (!place->is_listed ||
	    inquiry->refusal->errnum != (inquiry->operation == MR_OP_OPEN ? EPERM : ENODEV))
		return;
	if (!place->is_shown) {
		suspect_namespace(inquiry, place, suspicion);
		return;
	}
	if (!mr_rdma_namespaces_are_exclusive(inquiry->host)) {
		mr_rule_out(suspicion, "all network namespaces share %s", place->device);
		return;
	}
	if (place->opened != -EPERM)
		return;
	add_device(place, suspicion);
	/* Where it is not found either, libibverbs has asked the kernel, which lists those of this namespace. */
	mr_suspect(suspicion, inquiry->operation == MR_OP_FIND ? MR_LIKELY : MR_POSSIBLE,
		   "network namespaces have devices of their own, and the node %s answers EPERM: "
		   "%s may be in another one",
		   place->node.path, place->device);
}

/* ---- the node ---- */

/* Whether this process has a /dev that is not the host's, without being in a container. */
static bool has_own_dev(struct mr_host *host, struct mr_dev_folder *dev)
{
	return !mr_dev_folder_read(host, dev) && !dev->is_hosts &&
	       mr_namespace_is_first(host, "pid") != MR_NO;
}

static void look_at_node(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_place *place = mr_inquiry_place(inquiry);
	struct mr_dev_folder dev;
	struct mr_finding finding;

	if (!place->is_shown || !place->has_class || !is_of_missing_node(inquiry))
		return;
	if (place->is_listed && place->found != -ENOENT) {
		mr_rule_out(suspicion, "%s is there", place->node.path);
		return;
	}
	add_device(place, suspicion);
	if (!place->is_listed) {
		mr_suspect(suspicion, MR_CERTAIN,
			   "ib_uverbs has made no node for %s in /sys/class/infiniband_verbs",
			   place->device);
		mr_suspect_remedy(suspicion, "look into the kernel's log for what its driver says; "
					     "load its driver again");
		return;
	}
	ask_check(inquiry, place->device, mr_check_node, &finding);
	take_remedy(&finding, suspicion);
	/* Below a /dev of its own that is the sandbox's doing. */
	mr_suspect(suspicion, has_own_dev(inquiry->host, &dev) ? MR_LIKELY : MR_CERTAIN,
		   "the node of %s is missing: sysfs has the device, and there is no %s",
		   place->device, place->node.path);
}

static void suspect_own_dev(const struct mr_place *place, const struct mr_dev_folder *dev,
			    struct mr_suspicion *suspicion)
{
	mr_suspect(suspicion, MR_CERTAIN,
		   "/dev is %s%s of the process's own, and has no node %s: the sandbox keeps it "
		   "away",
		   dev->type[0] ? "a " : "a plain folder", dev->type, place->node.path);
}

static void look_at_sandbox(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_place *place = mr_inquiry_place(inquiry);
	struct mr_finding finding;
	struct mr_dev_folder dev;

	if (!place->is_shown || !place->is_listed)
		return;
	ask_check(inquiry, place->device, mr_check_sandbox, &finding);
	if (place->found == -ENOENT && is_of_missing_node(inquiry) &&
	    has_own_dev(inquiry->host, &dev))
		suspect_own_dev(place, &dev, suspicion);
	else if (inquiry->refusal->errnum != EPERM || place->opened != -EPERM)
		return;
	else if (finding.verdict == MR_VERDICT_BAD)
		mr_suspect(suspicion, MR_LIKELY,
			   "the node %s answers EPERM although its permission allows it: rules "
			   "for devices (DeviceAllow=, a container's) are against it",
			   place->node.path);
	else if (finding.verdict == MR_VERDICT_UNKNOWN)
		mr_suspect(suspicion, MR_POSSIBLE,
			   "the node %s answers EPERM although its permission allows it: by rules "
			   "for devices, or by network namespaces",
			   place->node.path);
	if (suspicion->certainty == MR_UNRELATED)
		return;
	add_device(place, suspicion);
	take_remedy(&finding, suspicion);
}

/* ---- libibverbs and its providers ---- */

static void look_at_abi(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_place *place = mr_inquiry_place(inquiry);
	uint64_t abi;

	if (!place->is_listed ||
	    !mr_host_number(inquiry->host, &abi, "/sys/class/infiniband_verbs/abi_version"))
		return;
	mr_evidence_number(suspicion, "abi_version", abi);
	if (abi >= ABI_MIN && abi <= ABI_MAX) {
		mr_rule_out(suspicion, "the kernel's ABI is version %" PRIu64, abi);
		return;
	}
	mr_suspect(suspicion, MR_CERTAIN,
		   "the kernel's ib_uverbs has ABI version %" PRIu64
		   ", and libibverbs knows %d to %d: it lists no device",
		   abi, ABI_MIN, ABI_MAX);
}

static void add_driver_file(const char *name, void *data)
{
	const char *end = strrchr(name, '.');

	if (end && !strcmp(end, ".driver"))
		mr_name_add(data, name);
}

static void look_at_provider(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_place *place = mr_inquiry_place(inquiry);
	struct mr_name_text files = { .count = 0 };

	if (!place->is_shown || !place->is_listed || place->found || place->opened == -EPERM)
		return;
	mr_host_list(inquiry->host, add_driver_file, &files, PROVIDERS);
	add_device(place, suspicion);
	mr_evidence_number(suspicion, "providers", files.count);
	if (files.count)
		mr_suspect(
			suspicion, MR_LIKELY,
			"the node %s of %s is there, but none of the %u providers that " PROVIDERS
			" names took the device",
			place->node.path, place->device, files.count);
	else
		mr_suspect(suspicion, MR_LIKELY,
			   "the node %s of %s is there, but " PROVIDERS " names no providers",
			   place->node.path, place->device);
}

const struct mr_cause mr_causes_of_opening[] = {
	{ .id = "MR-UVERBS-ABI",
	  .subject = "ABI version of ib_uverbs",
	  .operations = MR_ON(FIND),
	  .errnums = { ENODEV },
	  .layer = MR_LAYER_LIBIBVERBS,
	  .frequency = MR_RARE,
	  .look = look_at_abi,
	  .what = "libibverbs lists devices only where it knows the version of the kernel's "
		  "interface.  All kernels since 2.6.20 have version 6.",
	  .recognise = "The file /sys/class/infiniband_verbs/abi_version is not 3 to 6.",
	  .remedy = "install an rdma-core that fits the kernel's RDMA stack",
	  .sources = "rdma-core libibverbs/init.c check_abi_version()" },
	{ .id = "MR-MODULES",
	  .subject = "RDMA modules",
	  .operations = MR_ON(FIND),
	  .errnums = { ENODEV },
	  .layer = MR_LAYER_UVERBS,
	  .frequency = MR_COMMON,
	  .look = look_at_modules,
	  .what = "A module of the kernel's RDMA is not loaded: the driver of the adapter, or "
		  "ib_uverbs, by which programs open devices.",
	  .recognise = "An adapter in /sys/bus/pci without its driver, or devices "
		       "in /sys/class/infiniband and no /sys/class/infiniband_verbs.",
	  .remedy = "load the module (modprobe mlx5_ib, modprobe ib_uverbs), and see dmesg",
	  .sources = "drivers/infiniband/core/uverbs_main.c ib_uverbs_init()" },
	{ .id = "MR-DEVICE",
	  .subject = "no RDMA device",
	  .operations = MR_ON(FIND),
	  .errnums = { ENODEV },
	  .layer = MR_LAYER_DRIVER,
	  .frequency = MR_COMMON,
	  .look = look_at_device,
	  .what = "The kernel has no RDMA device in this network namespace.",
	  .recognise =
		  "The folder /sys/class/infiniband is empty or missing; rdma dev lists nothing.",
	  .remedy = "load the module of the adapter's driver (modprobe mlx5_ib for ConnectX), or "
		    "try the simulated HCA: mrctl sim",
	  .sources = "ibv_get_device_list(3); rdma-dev(8)" },
	{ .id = "MR-DEVICE-NAME",
	  .subject = "name of a device",
	  .operations = MR_ON(FIND),
	  .errnums = { ENODEV },
	  .layer = MR_LAYER_LIBIBVERBS,
	  .frequency = MR_OCCASIONAL,
	  .look = look_at_name,
	  .what = "No device has the name that was asked for.  udev may give devices other names "
		  "than the driver does (mlx5_0, rocep1s0).",
	  .recognise = "The names in /sys/class/infiniband.",
	  .remedy = "give one of those names to --device",
	  .sources = "rdma-core kernel-boot/rdma_rename.c; rdma-dev(8)" },
	{ .id = "MR-NETNS",
	  .subject = "network namespaces of devices",
	  .operations = MR_ON(FIND) | MR_ON(OPEN),
	  .errnums = { ENODEV, EPERM },
	  .layer = MR_LAYER_UVERBS,
	  .frequency = MR_OCCASIONAL,
	  .look = look_at_netns,
	  .what = "In the exclusive mode each RDMA device is in one network namespace, and nobody "
		  "else can find or open it.",
	  .recognise = "rdma system show says netns exclusive; /sys/class/infiniband_verbs has a "
		       "node of the device, and /sys/class/infiniband does not have the device.",
	  .remedy = "rdma dev set DEVICE netns NAME, or before any other namespace is made: rdma "
		    "system set netns shared",
	  .sources = "rdma-system(8); drivers/infiniband/core/uverbs_main.c ib_uverbs_open(); "
		     "Mellanox/k8s-rdma-shared-dev-plugin#84" },
	{ .id = "MR-SANDBOX",
	  .subject = "sandbox",
	  .operations = MR_ON(FIND) | MR_ON(OPEN),
	  .errnums = { ENODEV, ENOENT, EPERM },
	  .layer = MR_LAYER_UNKNOWN,
	  .frequency = MR_OCCASIONAL,
	  .look = look_at_sandbox,
	  .what = "The process runs in a sandbox that keeps devices away: a /dev of its own "
		  "(PrivateDevices=), or rules for devices of its control group (DeviceAllow=).",
	  .recognise =
		  "The file /proc/self/mountinfo has a mount at /dev that is no devtmpfs; or opening "
		  "the node answers EPERM although its permission allows it.",
	  .remedy = "allow the devices: DeviceAllow=char-infiniband_verbs rw, BindPaths="
		    "/dev/infiniband; of a container --device=/dev/infiniband",
	  .sources = "systemd.exec(5), systemd.resource-control(5); ceph/ceph#13305" },
	{ .id = "MR-NODE",
	  .subject = "nodes of devices in /dev",
	  .operations = MR_ON(FIND) | MR_ON(OPEN),
	  .errnums = { ENODEV, ENOENT },
	  .layer = MR_LAYER_LIBIBVERBS,
	  .frequency = MR_COMMON,
	  .look = look_at_node,
	  .what = "The kernel has the device, and its node /dev/infiniband/uverbsN, by which "
		  "programs open it, is missing.  Containers see all devices of their host in /sys, "
		  "and have the nodes that were given to them.",
	  .recognise = "ls /dev/infiniband against ls /sys/class/infiniband_verbs.",
	  .remedy =
		  "docker run --device=/dev/infiniband; without a container: mknod with the number "
		  "in /sys/class/infiniband_verbs/uverbsN/dev, or load the driver again",
	  .sources = "rdma-core libibverbs/ibdev_nl.c; linux-rdma/rdma-core#357, #1060" },
	{ .id = "MR-PROVIDER",
	  .subject = "provider of a device",
	  .operations = MR_ON(FIND),
	  .errnums = { ENODEV },
	  .layer = MR_LAYER_LIBIBVERBS,
	  .frequency = MR_OCCASIONAL,
	  .look = look_at_provider,
	  .what = "libibverbs needs a library for the kind of device, its provider (libmlx5, "
		  "librxe), and has none that takes this one: it is not installed, cannot be loaded, "
		  "or does not know the device or its ABI.",
	  .recognise = "IBV_SHOW_WARNINGS=1 ibv_devices: \"no userspace device-specific driver "
		       "found\".",
	  .remedy = "install the providers (Debian: ibverbs-providers), in the release of "
		    "libibverbs; IBV_SHOW_WARNINGS=1 ibv_devices says more",
	  .sources = "rdma-core libibverbs/init.c, libibverbs/dynamic_driver.c" },
	{ .id = NULL },
};
