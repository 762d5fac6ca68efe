// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>

#include "lib/diagnose/causes/causes.h"
#include "lib/session/table/table.h"
#include "lib/verbs/verbs.h"

#define PROVIDERS "/etc/libibverbs.d" /* IBV_CONFIG_DIR where rdma-core is packaged */

static void add_device(const struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	mr_evidence_text(suspicion, "device", "%s", inquiry->place.device);
	if (inquiry->place.is_listed)
		mr_evidence_text(suspicion, "node", "%s", inquiry->place.node.path);
}

/* Whether the node is missing in /dev, by its file and by the errno. */
static bool is_node_missing(const struct mr_inquiry *inquiry)
{
	const struct mr_rdma_node *node = &inquiry->place.node;

	return !node->mode.known && node->error == -ENOENT &&
	       inquiry->refusal->errnum == (inquiry->operation == MR_OP_OPEN ? ENOENT : ENODEV);
}

/* Whether an adapter has no device for want of a module. */
static bool lacks_module(struct mr_inquiry *inquiry, struct mr_finding *finding)
{
	*finding = mr_inquiry_check(inquiry, "MR-MODULES", NULL);
	return finding->verdict >= MR_VERDICT_WARN;
}

static void look_at_modules(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_place *place = mr_inquiry_place(inquiry);
	struct mr_finding finding;

	if (place->is_shown && place->has_class) {
		mr_rule_out(suspicion, "ib_uverbs is loaded, and the kernel has %s", place->device);
	} else if (place->is_shown) {
		add_device(inquiry, suspicion);
		mr_suspect(suspicion, MR_CERTAIN,
			   "ib_uverbs is not loaded: the kernel has %s, but no "
			   "/sys/class/infiniband_verbs",
			   place->device);
		mr_suspect_remedy(suspicion, "modprobe ib_uverbs");
	} else if (!place->is_listed && lacks_module(inquiry, &finding)) {
		mr_evidence_text(suspicion, "modules", "%s", finding.figure);
		/* The device of that name need not be one of the adapter. */
		mr_suspect(suspicion, mr_certain_if(!place->is_named),
			   place->has_others ? "no RDMA device has that name: %s"
					     : "this host has no RDMA device: %s",
			   finding.figure);
		mr_suspect_found(suspicion, finding);
	}
}

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
	mr_evidence_number(suspicion, "devices", 0);
	if (!mr_host_exists(inquiry->host, "/sys/class")) {
		mr_suspect(
			suspicion, MR_LIKELY,
			"no device is found: /sys/class does not exist, so sysfs is not mounted");
		mr_suspect_remedy(suspicion, "mount -t sysfs sysfs /sys");
		return;
	}
	mr_suspect(suspicion, MR_CERTAIN,
		   "/sys/class/infiniband has no device, and ib_uverbs has no node");
	mr_suspect_found(suspicion, mr_inquiry_check(inquiry, "MR-DEVICE", NULL));
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
	mr_suspect(suspicion, mr_certain_if(!lacks_module(inquiry, &modules)),
		   "no such device: '%s'; devices: %s", place->device, names.text);
}

/*
 * In the exclusive mode ib_uverbs refuses to open a device of another namespace, with EPERM, as do the rules for
 * devices of a control group.  An older mount of sysfs may show such a device.
 */
static void look_at_netns(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_place *place = &inquiry->place;
	struct mr_rdma_netns netns;
	bool is_exclusive;

	if (inquiry->refusal->errnum != (inquiry->operation == MR_OP_OPEN ? EPERM : ENODEV))
		return;
	mr_rdma_netns_read(inquiry->host, &netns);
	is_exclusive = netns.is_exclusive == MR_YES;
	if (!place->is_shown) {
		mr_evidence_text(suspicion, "mode", "%s",
				 is_exclusive ? "exclusive" : "not known to be");
		mr_suspect(suspicion, mr_certain_if(is_exclusive),
			   "%s is in another network namespace: ib_uverbs has a node for it, and "
			   "/sys/class/infiniband does not show it",
			   place->device);
		mr_suspect_remedy(suspicion,
				  "run mrctl there (ip netns exec, nsenter --net), or move the "
				  "device: rdma dev set %s netns NAME",
				  place->device);
	} else if (!is_exclusive) {
		mr_rule_out(suspicion, "all network namespaces share %s", place->device);
	} else if (place->opened == -EPERM) {
		/*
		 * If the device is not found either, libibverbs has queried the kernel, which lists the devices of
		 * this namespace.
		 */
		mr_suspect(suspicion, mr_likely_if(inquiry->operation == MR_OP_FIND),
			   "each device is in one network namespace, and the node %s answers "
			   "EPERM: %s may be in another namespace",
			   place->node.path, place->device);
	}
}

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

	if (!place->is_shown || !place->has_class ||
	    inquiry->refusal->errnum != (inquiry->operation == MR_OP_OPEN ? ENOENT : ENODEV))
		return;
	add_device(inquiry, suspicion);
	if (place->is_listed && !is_node_missing(inquiry)) {
		mr_rule_out(suspicion, "%s exists", place->node.path);
	} else if (!place->is_listed) {
		mr_suspect(suspicion, MR_CERTAIN,
			   "ib_uverbs has made no node for %s in /sys/class/infiniband_verbs",
			   place->device);
		mr_suspect_remedy(suspicion, "look for messages of its driver in the kernel's "
					     "log; load its driver again");
	} else {
		mr_suspect_found(suspicion, mr_inquiry_check(inquiry, "MR-NODE", place->device));
		/* With a private /dev the sandbox is the reason. */
		mr_suspect(suspicion, mr_certain_if(!has_own_dev(inquiry->host, &dev)),
			   "the node of %s is missing: sysfs has the device, but %s does not exist",
			   place->device, place->node.path);
	}
}

static void look_at_sandbox(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_place *place = &inquiry->place;
	struct mr_finding finding;
	struct mr_dev_folder dev;

	if (!place->is_shown)
		return;
	finding = mr_inquiry_check(inquiry, "MR-SANDBOX", place->device);
	mr_suspect_found(suspicion, finding);
	if (is_node_missing(inquiry) && has_own_dev(inquiry->host, &dev))
		mr_suspect(suspicion, MR_CERTAIN,
			   "the process has a private /dev (%s) without the node %s: the sandbox "
			   "does not provide it",
			   dev.type[0] ? dev.type : "an ordinary directory", place->node.path);
	else if (inquiry->refusal->errnum != EPERM || place->opened != -EPERM)
		return;
	else if (finding.verdict == MR_VERDICT_BAD)
		mr_suspect(suspicion, MR_LIKELY,
			   "the node %s answers EPERM although its permissions allow it: device "
			   "rules (DeviceAllow=, a container's) refuse it",
			   place->node.path);
	else if (finding.verdict == MR_VERDICT_UNKNOWN)
		mr_suspect(suspicion, MR_POSSIBLE,
			   "the node %s answers EPERM although its permissions allow it: device "
			   "rules or network namespaces refuse it",
			   place->node.path);
}

/* ---- libibverbs and its providers ---- */

static void look_at_abi(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	uint64_t abi;

	if (!mr_host_number(inquiry->host, &abi, "/sys/class/infiniband_verbs/abi_version"))
		return;
	mr_evidence_number(suspicion, "abi_version", abi);
	if (abi >= MR_ABI_MIN && abi <= MR_ABI_MAX)
		mr_rule_out(suspicion, "the kernel's ABI is version %" PRIu64, abi);
	else
		mr_suspect(suspicion, MR_CERTAIN,
			   "the kernel's ib_uverbs has ABI version %" PRIu64
			   ", and libibverbs knows %d to %d, so it lists no device",
			   abi, MR_ABI_MIN, MR_ABI_MAX);
}

static void add_driver_file(const char *name, void *data)
{
	const char *end = strrchr(name, '.');

	if (end && !strcmp(end, ".driver"))
		mr_name_add(data, name);
}

static void look_at_provider_files(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_place *place = &inquiry->place;
	struct mr_name_text files = { .count = 0 };

	if (!place->is_shown || !place->node.mode.known || place->opened == -EPERM)
		return;
	mr_host_list(inquiry->host, add_driver_file, &files, PROVIDERS);
	mr_evidence_number(suspicion, "providers", files.count);
	if (files.count)
		mr_suspect(suspicion, MR_LIKELY,
			   "the node %s of %s exists, but none of the %u providers that " PROVIDERS
			   " names accepted the device",
			   place->node.path, place->device, files.count);
	else
		mr_suspect(suspicion, MR_LIKELY,
			   "the node %s of %s exists, but " PROVIDERS " names no providers",
			   place->node.path, place->device);
}

/* Up to this release of rdma-core it is known what each provider lacks. */
#define KNOWN_RDMA_CORE 65

#define ON_UMEMS        (MR_ON(UMEM) | MR_ON(UMEM_DMABUF))
#define OF_MLX5         (MR_ON(ALLOC_DMAH) | ON_UMEMS) /* providers/mlx5 alone has them */

static const char *rdma_core_of(const struct mr_inquiry *inquiry)
{
	return inquiry->environment->rdma_core[0] ? inquiry->environment->rdma_core : "unknown";
}

static void look_at_function(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_symbol_origin *origin = mr_symbol_origin(inquiry->refusal->call);

	if (inquiry->refusal->kind != MR_ERROR_HOST || !origin)
		return;
	mr_evidence_text(suspicion, "library", "%s", origin->library);
	mr_evidence_text(suspicion, "symbol", "%s@%s", origin->name, origin->version);
	mr_evidence_text(suspicion, "rdma_core", "%s", rdma_core_of(inquiry));
	mr_evidence_text(suspicion, "since", "%s", origin->release);
	mr_suspect(suspicion, MR_CERTAIN,
		   "rdma-core %s is installed, and %s comes with rdma-core %s and later",
		   rdma_core_of(inquiry), origin->name, origin->release);
	mr_suspect_remedy(suspicion, "install rdma-core %s or later%s%s", origin->release,
			  origin->instead ? "; " : "", origin->instead ? origin->instead : "");
}

/* By the function in the context, where it shows one. */
static enum mr_tristate has_function(struct mr_inquiry *inquiry)
{
	static const struct {
		enum mr_operation on;
		enum mr_provider_operation operation;
	} rows[] = {
		{ MR_OP_ALLOC_DM, MR_PROVIDER_ALLOC_DM },
		{ MR_OP_REG_DM, MR_PROVIDER_REG_DM_MR },
		{ MR_OP_NULL_MR, MR_PROVIDER_ALLOC_NULL_MR },
		{ MR_OP_ADVISE, MR_PROVIDER_ADVISE_MR },
	};
	struct ibv_context *context = inquiry->refusal->context;

	for (size_t i = 0; context && i < sizeof(rows) / sizeof(*rows); i++)
		if (rows[i].on == inquiry->operation)
			return mr_provider_has(context, rows[i].operation);
	return MR_UNKNOWN;
}

/* By the table of drivers. */
static bool is_known_to_lack(const struct mr_inquiry *inquiry, const char *provider)
{
	const struct mr_driver *driver = mr_driver_find(mr_driver_id(provider));

	if (inquiry->operation == MR_OP_REG_DMABUF)
		return driver->lacks_dmabufs;
	if (1U << inquiry->operation & OF_MLX5)
		return strcmp(provider, "mlx5") != 0;
	return inquiry->operation == MR_OP_REREG && driver->lacks_rereg;
}

static void look_at_provider(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const char *provider = inquiry->environment->provider;
	const char *rdma_core = rdma_core_of(inquiry);
	const enum mr_tristate has = has_function(inquiry);
	const struct mr_attributes *attributes = NULL;
	/*
	 * Whether the release of rdma-core shows what the provider has.  Vendors of hardware distribute other
	 * providers, even under the file names and numbers of a release.
	 */
	const long release = strtol(rdma_core, NULL, 10);
	const bool is_of_release =
		release > 0 && release <= KNOWN_RDMA_CORE && mr_inquiry_is_software(inquiry);

	if (!provider[0] || inquiry->refusal->kind == MR_ERROR_HOST)
		return;
	if (!strncmp(inquiry->refusal->call, "mlx5dv_", 7))
		suspicion->layer = MR_LAYER_PROVIDER;
	mr_evidence_text(suspicion, "rdma_core", "%s", rdma_core);
	if (has == MR_YES)
		mr_rule_out(suspicion, "the provider %s has the function", provider);
	else if (has == MR_NO || is_known_to_lack(inquiry, provider))
		mr_suspect(suspicion, mr_certain_if(has == MR_NO || is_of_release),
			   "the provider %s of rdma-core %s has no %s", provider, rdma_core,
			   inquiry->refusal->call);
	if (inquiry->operation == MR_OP_ALLOC_DM)
		attributes = mr_inquiry_attributes(inquiry);
	/* Asking the kernel itself gives the same answer. */
	if (inquiry->operation == MR_OP_NULL_MR || (attributes && !attributes->max_dm_size) ||
	    (inquiry->operation != MR_OP_REREG && is_known_to_lack(inquiry, provider)))
		mr_suspect_remedy(suspicion, "use a device whose provider has it, such as mlx5");
}

/* ---- what a library checks itself ------------------------------------------------------------- */

/* libibverbs/cmd.c ibv_cmd_reg_mr(): SIZE_MAX bytes on demand mean all memory, which begins at 0. */
static void look_at_implicit(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const uint64_t addr = inquiry->request->addr;

	if (inquiry->request->length != SIZE_MAX)
		return;
	mr_evidence_hex(suspicion, "addr", addr);
	mr_evidence_number(suspicion, "length", SIZE_MAX);
	if (!addr)
		mr_rule_out(suspicion, "the implicit region begins at 0");
	else
		mr_suspect(suspicion, MR_CERTAIN,
			   "the length is that of an implicit region, and the address is 0x%" PRIx64
			   ", not 0",
			   addr);
}

/*
 * libmlx5 refuses the descriptor -1 of a umem (providers/mlx5/verbs.c __mlx5dv_devx_umem_reg_ex()); libibverbs leaves
 * it out of ibv_reg_mr_ex(3) (cmd_ioctl.h fill_attr_in_fd()), and the kernel refuses an offset without a descriptor.
 */
static void look_at_library_descriptor(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const bool is_ex = mr_call_row(inquiry->request->call)->symbol == MR_SYMBOL_REG_MR_EX;
	const int errnum = inquiry->refusal->errnum;

	if (inquiry->request->fd != -1)
		return;
	mr_evidence_text(suspicion, "fd", "-1");
	if (is_ex && errnum == EINVAL)
		mr_suspect(suspicion, MR_CERTAIN,
			   "libibverbs does not pass on the descriptor -1, and the kernel "
			   "requires a descriptor for an offset");
	else if (inquiry->operation == MR_OP_UMEM_DMABUF && errnum == EBADF)
		mr_suspect(suspicion, MR_CERTAIN,
			   "libmlx5 refuses the descriptor -1 without calling the kernel (--via "
			   "kernel calls it)");
}

/* drivers/dma-buf/dma-buf.c dma_buf_get(), fget(): no file has a negative number. */
static void look_at_descriptor(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const int fd = inquiry->request->fd;

	if (fd >= 0)
		return;
	if (fd == MR_DMABUF_CLOSED) {
		mr_evidence_text(suspicion, "fd", "closed");
		mr_suspect(suspicion, MR_CERTAIN, "this descriptor was closed when mrctl began");
		mr_suspect_remedy(suspicion, "keep the descriptor open, and let mrctl inherit it");
		return;
	}
	mr_evidence_text(suspicion, "fd", "%d", fd);
	mr_suspect(suspicion, MR_CERTAIN, "the descriptor is %d, and no file has a negative number",
		   fd);
	if (fd == -1)
		mr_suspect_remedy(suspicion, "find out why the export failed: a failed export "
					     "returns -1");
}

#include "lib/diagnose/causes/opening.inc"
