// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <stdio.h>
#include <string.h>

#include "lib/diagnose/diagnose.h"
#include "lib/verbs/verbs.h"

/* Made of checks.txt */
const struct mr_check mr_checks[] = {
#include "lib/diagnose/checks.inc"
	{ .id = NULL },
};

const struct mr_check *mr_check_find(const char *id, size_t length)
{
	const struct mr_check *check = mr_checks;

	while (check->id && !mr_word_is(id, length, check->id))
		check++;
	return check->id ? check : NULL;
}

static void find_abi(const struct mr_question *question, struct mr_finding *found)
{
	uint64_t abi;

	if (mr_host_number(question->host, &abi, "/sys/class/infiniband_verbs/abi_version") &&
	    (abi < MR_ABI_MIN || abi > MR_ABI_MAX))
		mr_finding_set(found, MR_VERDICT_BAD,
			       "the kernel's uverbs ABI is %" PRIu64
			       ", libibverbs accepts %d to %d",
			       abi, MR_ABI_MIN, MR_ABI_MAX);
}

/* A module that was not built with the kernel has an 'O' in its taints (kernel/module: TAINT_OOT_MODULE). */
static bool is_foreign_module(struct mr_host *host, const char *module)
{
	char taints[16];

	mr_host_line(host, taints, sizeof(taints), "/sys/module/%s/taint", module);
	return strchr(taints, 'O');
}

/* MLNX_OFED gives both modules the version of its release; of the kernel's own mlx5_core alone may have one. */
static void find_mixed_modules(const struct mr_question *question, struct mr_finding *found)
{
	struct mr_host *host = question->host;
	char core[64], ib[64];

	if (!mr_kernel_has_module(host, "mlx5_core") || !mr_kernel_has_module(host, "mlx5_ib") ||
	    (!is_foreign_module(host, "mlx5_core") && !is_foreign_module(host, "mlx5_ib")))
		return;
	mr_host_line(host, core, sizeof(core), "/sys/module/mlx5_core/version");
	mr_host_line(host, ib, sizeof(ib), "/sys/module/mlx5_ib/version");
	if (strcmp(core, ib) != 0)
		mr_finding_set(found, MR_VERDICT_WARN, "mlx5_core is %s, mlx5_ib is %s",
			       core[0] ? core : "the kernel's", ib[0] ? ib : "the kernel's");
}

static void find_two_peers(const struct mr_question *question, struct mr_finding *found)
{
	if (mr_kernel_has_module(question->host, "nv_peer_mem") &&
	    mr_kernel_has_module(question->host, "nvidia_peermem"))
		mr_finding_set(found, MR_VERDICT_WARN,
			       "nv_peer_mem and nvidia_peermem are both loaded");
}

uint64_t mr_mlx4_registerable(struct mr_host *host, uint64_t *segments, uint64_t *pages)
{
	if (!mr_host_number(host, segments, "/sys/module/mlx4_core/parameters/log_num_mtt") ||
	    !mr_host_number(host, pages, "/sys/module/mlx4_core/parameters/log_mtts_per_seg") ||
	    !*segments || *segments > 32 || *pages > 10)
		return 0;
	return mr_page_size(host) << (*segments + *pages);
}

static void find_few_mtts(const struct mr_question *question, struct mr_finding *found)
{
	const struct mr_opt_u64 *planned = &question->size;
	uint64_t segments, pages;
	const uint64_t bytes = mr_mlx4_registerable(question->host, &segments, &pages);
	const bool is_bad = planned->known && planned->value > bytes;
	struct mr_meminfo info;

	if (bytes && !mr_meminfo_read(question->host, &info) && info.total.known &&
	    (is_bad || bytes < info.total.value))
		mr_finding_set(found, is_bad ? MR_VERDICT_BAD : MR_VERDICT_WARN,
			       "mlx4 registers at most %s (log_num_mtt %" PRIu64
			       "), the host has %s",
			       MR_SIZE(bytes), segments, MR_SIZE(info.total.value));
}

static void find_handover(const struct mr_question *question, struct mr_finding *found)
{
	struct mr_meminfo info;
	char words[256];

	if (!mr_kernel_words(question->host, words, sizeof(words)) &&
	    (strstr(words, "kho=on") || strstr(words, "kho=1") || strstr(words, "kho=y")) &&
	    !mr_meminfo_read(question->host, &info) && info.cma_free.known &&
	    info.cma_total.known && info.cma_free.value > info.cma_total.value)
		mr_finding_set(found, MR_VERDICT_WARN,
			       "kexec handover is on, and CmaFree %s > CmaTotal %s",
			       MR_SIZE(info.cma_free.value), MR_SIZE(info.cma_total.value));
}

static bool take_flags(const char *line, void *data)
{
	if (!strncmp(line, "flags", 5) && strstr(line, " la57"))
		*(bool *)data = true;
	return false;
}

static int find_la57(const struct mr_host *host, void *data, char *text, size_t size)
{
	struct mr_host here = MR_THIS_HOST;
	bool found = false;
	const int rc = mr_host_lines(&here, take_flags, &found, "/proc/cpuinfo");

	(void)host;
	(void)data;
	snprintf(text, size, "%s", found ? "57" : "48");
	return rc;
}

/* A search for a device that is affected: it has explicit on-demand paging, and of mlx5 not implicit as well. */
struct odp_search {
	struct mr_host *host;
	bool is_rxe;      /* of rxe; else of mlx5 */
	char device[64];  /* the first one that is affected */
	char unasked[64]; /* the first one that may be, and cannot be opened */
};

/* A device of rxe has no PCI function, and a file for the network device below it (rxe_verbs.c parent_show()). */
static void search_odp(const char *name, void *data)
{
	struct odp_search *search = data;
	struct mr_device_limits limits;
	struct mr_rdma_device device;
	int rc;

	mr_rdma_device_read(search->host, name, &device);
	if (search->device[0] || !(search->is_rxe ? !device.driver[0] && device.parent[0]
						  : !strcmp(device.driver, "mlx5_core")))
		return;
	rc = mr_device_limits_query(search->host, name, &limits);
	if (rc && rc != -ENODEV)
		snprintf(search->unasked, sizeof(search->unasked), "%s", name);
	else if (!rc && limits.odp_explicit && (search->is_rxe || !limits.odp_implicit))
		snprintf(search->device, sizeof(search->device), "%s", name);
}

/* Finds the affected device, whose name stands in the figure. */
static void search_devices(struct odp_search *search, const char *before, const char *behind,
			   struct mr_finding *found)
{
	mr_rdma_device_list(search->host, search_odp, search);
	if (search->device[0])
		mr_finding_set(found, MR_VERDICT_WARN, "%s%s%s", before, search->device, behind);
	else if (search->unasked[0])
		mr_finding_set(found, MR_VERDICT_UNKNOWN, "%s cannot be opened: see MR-DEVICE",
			       search->unasked);
}

static void find_long_addresses(const struct mr_question *question, struct mr_finding *found)
{
	struct odp_search search = { .host = question->host };
	char bits[8];

	if (!mr_host_query(question->host, find_la57, NULL, bits, sizeof(bits),
			   "cpu/address-bits") &&
	    !strcmp(bits, "57"))
		search_devices(&search, "57-bit addresses, and ",
			       " has no implicit on-demand paging", found);
}

static void find_rxe_on_demand(const struct mr_question *question, struct mr_finding *found)
{
	struct odp_search search = { .host = question->host, .is_rxe = true };

	if (mr_kernel_bug(question->host, RDMA_DRIVER_RXE, MR_ACCESS_ON_DEMAND))
		search_devices(&search, "this kernel's rxe corrupts data of on-demand regions (",
			       ")", found);
}

static const struct {
	mr_check_function *find; /* leaves the finding alone where the combination is not here */
	const char *remedy;
	const char *source;
} combinations[] = {
	{ find_abi, "install the rdma-core that matches the kernel", "libibverbs/init.c" },
	{ find_few_mtts, "raise log_num_mtt of mlx4_core (/etc/modprobe.d)",
	  "drivers/net/ethernet/mellanox/mlx4/main.c" },
	{ find_mixed_modules,
	  "load both from the same build: rebuild the initramfs, then reload the driver",
	  "openucx/ucx#6906" },
	{ find_two_peers, "rmmod nv_peer_mem", "deepseek-ai/DeepEP#36" },
	{ find_handover, "boot with kho=off where registration fails with ENOMEM",
	  "NVIDIA/NV-Kernels#590" },
	{ find_long_addresses, "boot with no5lvl if programs need implicit on-demand paging",
	  "drivers/infiniband/hw/mlx5/odp.c" },
	{ find_rxe_on_demand, "on rxe, register without on-demand",
	  "drivers/infiniband/sw/rxe/rxe_odp.c" },
};

void mr_check_known_bad(const struct mr_question *question, struct mr_finding *finding)
{
	const size_t count = sizeof(combinations) / sizeof(*combinations);

	if (mr_kernel_has_no_say(question, finding))
		return;
	if (!mr_host_exists(question->host, "/sys/class")) {
		mr_finding_unread(finding, "/sys/class", ENOENT);
		return;
	}
	mr_finding_set(finding, MR_VERDICT_OK, "none of %zu combinations", count);
	for (size_t i = 0; i < count; i++) {
		struct mr_finding found = { .verdict = MR_VERDICT_NA };

		combinations[i].find(question, &found);
		if (found.verdict > finding->verdict)
			mr_finding_judge(finding, found.verdict, combinations[i].remedy, "%s",
					 found.figure);
		if (found.verdict)
			mr_finding_detail(finding, "%s (%s)", found.figure, combinations[i].source);
	}
}
