// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <stdio.h>
#include <string.h>

#include "lib/diagnose/diagnose.h"
#include "lib/nldev/nldev.h"
#include "lib/verbs/verbs.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* Functions that mainline kernels have from a release on. */
static const struct {
	struct mr_kernel_version since;
	const char *what;
} kernel_news[] = {
	{ { 5, 12 }, "regions of dma-bufs (ibv_reg_dmabuf_mr)" },
	/* Pages were copied before; libibverbs and others go by the answer of RDMA netlink, which is as old. */
	{ { 5, 13 }, "copying of all pinned pages on fork" },
};

/* Adds what an older kernel lacks.  Return: whether there is anything. */
static bool list_lacking(struct mr_kernel_version version, char *text, size_t size)
{
	text[0] = '\0';
	for (size_t i = 0; i < COUNT(kernel_news); i++)
		if (!mr_kernel_is_since(version, kernel_news[i].since.major,
					kernel_news[i].since.minor))
			mr_text_add(text, size, ", ", "%s (%u.%u)", kernel_news[i].what,
				    kernel_news[i].since.major, kernel_news[i].since.minor);
	return text[0];
}

/* Enterprise distributions keep an old release, and add what is newer; so does MLNX_OFED, which has mlx_compat. */
static bool has_additions(struct mr_host *host, const char *release)
{
	/* Red Hat and its kin; SUSE's flavours; Amazon, openEuler, Anolis and Alibaba, TencentOS, Kylin */
	static const char *const marks[] = { ".el", "-default", "-preempt", "-64kb", ".amzn",
					     ".oe", ".an",      ".al",      ".tl",   ".ky" };

	for (size_t i = 0; i < COUNT(marks); i++)
		if (strstr(release, marks[i]))
			return true;
	return mr_kernel_has_module(host, "mlx_compat");
}

void mr_check_kernel(const struct mr_question *question, struct mr_finding *finding)
{
	struct mr_kernel_version version;
	char release[96], lacking[160];

	if (mr_kernel_has_no_say(question, finding))
		return;
	if (!mr_kernel_release(question->host, release, sizeof(release)) ||
	    !mr_kernel_version(release, &version)) {
		mr_finding_set(finding, MR_VERDICT_UNKNOWN,
			       release[0] ? "'%s' is not a kernel release"
					  : "%s/proc/sys/kernel/osrelease cannot be read",
			       release);
		mr_finding_remedy(finding, release[0] ? "uname -r" : "ls -l /proc/sys/kernel");
	} else if (!list_lacking(version, lacking, sizeof(lacking))) {
		mr_finding_set(finding, MR_VERDICT_OK, "%s", release);
	} else if (has_additions(question->host, release)) {
		mr_finding_set(finding, MR_VERDICT_NA,
			       "%s: mainline Linux of that release lacks %s; its vendor may have "
			       "added it (mrctl stat --probe tests it)",
			       release, lacking);
	} else {
		mr_finding_judge(finding, MR_VERDICT_WARN,
				 "boot a newer kernel if programs need this", "%s lacks %s",
				 release, lacking);
	}
}

/* The first options that are looked at. */
enum { RDMA, RDMA_FOR_PROGRAMS, ON_DEMAND_PAGING };

/* Meaning of an option that is off. */
static const struct {
	const char *name;
	enum mr_verdict without; /* MR_VERDICT_OK: it is only shown */
	const char *meaning;
} option_rows[] = {
	[RDMA] = { "INFINIBAND", MR_VERDICT_BAD, "no RDMA" },
	[RDMA_FOR_PROGRAMS] = { "INFINIBAND_USER_ACCESS", MR_VERDICT_BAD, "no RDMA for programs" },
	[ON_DEMAND_PAGING] = { "INFINIBAND_ON_DEMAND_PAGING", MR_VERDICT_WARN,
			       "no on-demand paging, and no dma-buf regions on mlx5" },
	{ "CGROUP_RDMA", MR_VERDICT_OK, "" },
	{ "UDMABUF", MR_VERDICT_OK, "" },
	{ "DMABUF_HEAPS", MR_VERDICT_OK, "" },
	{ "DMABUF_MOVE_NOTIFY", MR_VERDICT_OK, "" },
	{ "PCI_P2PDMA", MR_VERDICT_OK, "" },
};

/* Parts of RDMA that exist here, independent of the options. */
struct rdma_here {
	bool has_uverbs; /* programs get at devices: the modules of MLNX_OFED need no option of the kernel */
	bool has_adapter;       /* that is of use with RDMA alone */
	bool is_mlx5_of_kernel; /* devices of mlx5, by the kernel's own driver */
};

static void find_rdma(struct mr_host *host, struct rdma_here *here)
{
	struct mr_hardware hardware;

	*here = (struct rdma_here){ .has_uverbs =
					    mr_host_exists(host, "/sys/class/infiniband_verbs") };
	mr_hardware_read(host, &hardware);
	for (size_t i = 0; i < hardware.count; i++) {
		here->has_adapter |= hardware.adapters[i].is_certain;
		here->is_mlx5_of_kernel |= !strcmp(hardware.adapters[i].driver, "mlx5_core");
	}
	here->is_mlx5_of_kernel &= !mr_kernel_has_module(host, "mlx_compat");
}

/* Judges a missing option on this host. */
static enum mr_verdict weigh_option(enum mr_verdict without, const struct rdma_here *here)
{
	if (without == MR_VERDICT_BAD && (here->has_uverbs || !here->has_adapter))
		return here->has_uverbs ? MR_VERDICT_OK : MR_VERDICT_NA;
	return without == MR_VERDICT_WARN && !here->is_mlx5_of_kernel ? MR_VERDICT_OK : without;
}

static void judge_options(const struct mr_kernel_option *options, const struct rdma_here *here,
			  const char *path, struct mr_finding *finding)
{
	for (size_t i = 0; i < COUNT(option_rows); i++) {
		const enum mr_verdict without = weigh_option(option_rows[i].without, here);

		if (options[i].is_on == MR_NO && without == MR_VERDICT_NA) {
			mr_finding_set(finding, without,
				       "CONFIG_%s is not set, and no adapter needs it",
				       options[i].name);
			break;
		}
		if (options[i].is_on == MR_NO && without > finding->verdict) {
			mr_finding_set(finding, without, "CONFIG_%s is not set: %s",
				       options[i].name, option_rows[i].meaning);
			mr_finding_remedy(finding, "boot a kernel with CONFIG_%s", options[i].name);
		}
	}
	for (size_t i = 0; i < COUNT(option_rows); i++)
		if (options[i].is_on == MR_NO &&
		    weigh_option(option_rows[i].without, here) == MR_VERDICT_OK)
			mr_finding_detail(finding, "%s off", options[i].name);
	mr_finding_detail(finding, "in %s", path);
}

void mr_check_kernel_config(const struct mr_question *question, struct mr_finding *finding)
{
	struct mr_kernel_option options[COUNT(option_rows)];
	char release[96] = "", path[256] = "", why[384];
	struct rdma_here here;
	int rc = -ENOENT;

	if (mr_kernel_has_no_say(question, finding))
		return;
	for (size_t i = 0; i < COUNT(options); i++)
		options[i].name = option_rows[i].name;
	if (mr_kernel_release(question->host, release, sizeof(release)))
		rc = mr_kernel_options_read(question->host, release, options, COUNT(options), path,
					    sizeof(path));
	find_rdma(question->host, &here);
	if (rc || options[RDMA].is_on == MR_UNKNOWN) {
		snprintf(why, sizeof(why),
			 rc ? "options of this kernel: %s%s"
			    : "%s%s does not mention CONFIG_INFINIBAND",
			 rc ? mr_errno_text(-rc) : "", path);
		/* Containers do not have the host's file.  Existing devices show the most important options. */
		if (here.has_uverbs)
			mr_finding_set(
				finding, MR_VERDICT_OK,
				"RDMA for programs, according to /sys; no file lists the other "
				"options");
		else if (!here.has_adapter && mr_host_exists(question->host, "/sys/class"))
			mr_finding_set(finding, MR_VERDICT_NA,
				       "no file lists them, and no known adapter needs one");
		else
			mr_finding_judge(finding, MR_VERDICT_UNKNOWN,
					 "check /boot/config-$(uname -r), or zgrep INFINIBAND "
					 "/proc/config.gz",
					 "%s", why);
		if (finding->verdict != MR_VERDICT_UNKNOWN)
			mr_finding_detail(finding, "%s", why);
		return;
	}
	mr_finding_set(finding, MR_VERDICT_OK, "RDMA for programs, on-demand paging");
	if (options[ON_DEMAND_PAGING].is_on != MR_YES)
		mr_finding_set(finding, MR_VERDICT_OK, "RDMA for programs");
	judge_options(options, &here, path, finding);
}

/* ---- dma-bufs to try with ---- */

/* These are only for tests: their absence is no fault, and must not fail a node. */
static void check_node(const struct mr_question *question, const char *path, const char *option,
		       struct mr_finding *finding)
{
	const int rc = mr_host_open_device(question->host, "%s", path);

	if (!rc)
		mr_finding_set(finding, MR_VERDICT_OK, "%s; this user may open it", path);
	else if (rc == -EACCES || rc == -EPERM)
		mr_finding_set(finding, MR_VERDICT_NA, "%s; this user may not open it (%s)", path,
			       mr_errno_name(-rc));
	else if (rc == -ENOENT)
		mr_finding_set(finding, MR_VERDICT_NA, "%s does not exist (%s)", path, option);
	else {
		mr_finding_set(finding, MR_VERDICT_UNKNOWN, "%s: %s", path, mr_errno_text(-rc));
		mr_finding_remedy(finding, "check what %s is: ls -l %s", path, path);
	}
}

/* drivers/dma-buf/udmabuf.c udmabuf_create() refuses more than size_limit_mb with EINVAL; 64 unless it is changed. */
void mr_check_udmabuf(const struct mr_question *question, struct mr_finding *finding)
{
	uint64_t most = 64;

	check_node(question, "/dev/udmabuf", "CONFIG_UDMABUF", finding);
	if (finding->verdict != MR_VERDICT_OK)
		return;
	mr_host_number(question->host, &most, "/sys/module/udmabuf/parameters/size_limit_mb");
	if (question->size.known && question->size.value >> 20 >= most &&
	    question->size.value > most << 20)
		mr_finding_set(finding, MR_VERDICT_NA,
			       "/dev/udmabuf: one has at most %" PRIu64 " MiB (size_limit_mb)",
			       most);
}

void mr_check_dma_heap(const struct mr_question *question, struct mr_finding *finding)
{
	check_node(question, "/dev/dma_heap/system", "CONFIG_DMABUF_HEAPS_SYSTEM", finding);
}

void mr_check_fork(const struct mr_question *question, struct mr_finding *finding)
{
	enum mr_tristate copies;
	struct mr_fork fork;

	if (mr_kernel_has_no_say(question, finding))
		return;
	copies = mr_copies_on_fork(question->host);
	mr_fork_read(question->host, &fork);
	if (copies == MR_YES) {
		mr_finding_set(finding, MR_VERDICT_OK, "the kernel copies pinned pages on fork");
	} else if (fork.is_requested) {
		mr_finding_set(
			finding, MR_VERDICT_OK,
			"RDMAV_FORK_SAFE or IBV_FORK_SAFE enables libibverbs' fork protection");
		if (!fork.huge_pages)
			mr_finding_detail(finding,
					  "with it, registering a part of a huge page requires "
					  "RDMAV_HUGEPAGES_SAFE (else EINVAL)");
	} else if (copies == MR_NO) {
		mr_finding_judge(
			finding, MR_VERDICT_WARN,
			"set RDMAV_FORK_SAFE=1 for programs that fork, or boot Linux 5.13 "
			"or newer",
			"the kernel does not copy pinned pages on fork, and fork protection of libibverbs is not enabled");
	} else if (mr_host_exists(question->host, "/sys/class") &&
		   !mr_host_exists(question->host, "/sys/class/infiniband")) {
		mr_finding_set(finding, MR_VERDICT_NA, "no RDMA devices");
	} else {
		mr_finding_judge(finding, MR_VERDICT_UNKNOWN, "modprobe ib_core",
				 "the kernel does not answer by RDMA netlink");
	}
}

static int query_kernel(const struct mr_host *host, void *data, char *text, size_t size)
{
	struct mr_nldev nl = { 0 };
	struct mr_error ignored;
	bool copies = false;
	int rc = mr_nldev_open(&nl, &ignored);

	(void)host;
	(void)data;
	if (!rc) {
		rc = mr_nldev_copies_on_fork(&nl, &copies, &ignored);
		mr_nldev_close(&nl);
	}
	if (rc)
		return rc;
	snprintf(text, size, "%s", copies ? "yes" : "no");
	return 0;
}

enum mr_tristate mr_copies_on_fork(struct mr_host *host)
{
	char answer[8];

	if (mr_host_query(host, query_kernel, NULL, answer, sizeof(answer), "rdma/copy-on-fork"))
		return MR_UNKNOWN;
	return !strcmp(answer, "yes") ? MR_YES : !strcmp(answer, "no") ? MR_NO : MR_UNKNOWN;
}

/*
 * drivers/infiniband/sw/rxe/rxe_odp.c, __rxe_odp_mr_copy(), up to Linux 7.2: copies from the start of the mapped page, and
 * takes the IOVA for an address of the process.  A kernel without on-demand paging in rxe, before 6.15 (commit
 * 2fae67ab63db), refuses the region.
 */
const char *mr_kernel_bug(struct mr_host *host, uint32_t driver_id, uint32_t access)
{
	struct mr_kernel_version kernel;
	char release[128];

	if (driver_id != RDMA_DRIVER_RXE || !(access & MR_ACCESS_ON_DEMAND) ||
	    mr_is_simulated(host) || !mr_kernel_release(host, release, sizeof(release)) ||
	    !mr_kernel_version(release, &kernel) || mr_kernel_is_since(kernel, 7, 3))
		return NULL;
	return "this kernel's rxe corrupts data of on-demand regions: a transfer to or from the "
	       "middle of a page uses the start of the page, and an IOVA other than the address "
	       "leads to other pages";
}

static void add_name(const char *name, void *data)
{
	mr_name_add(data, name);
}

/* Lists the modules that are loaded, of those that all RDMA devices and the hardware here need. */
static void list_modules(struct mr_host *host, const struct mr_hardware *hardware,
			 struct mr_name_text *names)
{
	if (mr_kernel_has_module(host, "ib_core"))
		mr_name_add(names, "ib_core");
	if (mr_kernel_has_module(host, "ib_uverbs"))
		mr_name_add(names, "ib_uverbs");
	for (size_t i = 0; i < hardware->count; i++) {
		const char *module = hardware->adapters[i].module;

		if (!strstr(names->text, module) && mr_kernel_has_module(host, module))
			mr_name_add(names, module);
	}
}

/* Sets the remedy: how to load a module, or why that fails: a newer kernel was installed in place of this one. */
static void advise_loading(struct mr_host *host, const char *module, struct mr_finding *finding)
{
	char release[96];

	if (mr_kernel_release(host, release, sizeof(release)) && !strchr(release, '/') &&
	    mr_host_exists(host, "/lib/modules") &&
	    !mr_host_exists(host, "/lib/modules/%s", release))
		mr_finding_remedy(
			finding,
			"reboot: the modules of the running kernel %s are not installed, so %s "
			"cannot be loaded",
			release, module);
	else
		mr_finding_remedy(finding, "modprobe %s, and see dmesg", module);
}

struct driver_search {
	struct mr_host *host;
	const char *driver;
	bool found;
};

/* A built-in module may be missing in /sys/module, but its devices exist. */
static void match_driver(const char *name, void *data)
{
	struct driver_search *search = data;
	struct mr_rdma_device device;

	mr_rdma_device_read_place(search->host, name, &device);
	search->found |= !strcmp(device.driver, search->driver);
}

/* Return: whether an adapter lacks its driver or its RDMA module. */
static bool find_missing(struct mr_host *host, const struct mr_hardware *hardware,
			 struct mr_finding *finding)
{
	for (size_t i = 0; i < hardware->count; i++) {
		const struct mr_adapter *adapter = &hardware->adapters[i];
		struct driver_search search = { host, adapter->driver, false };

		if (!adapter->driver[0]) {
			mr_finding_set(finding, MR_VERDICT_WARN, "an adapter has no driver");
			mr_finding_detail(finding, "the adapter is %s", adapter->address);
			if (mr_kernel_has_module(host, adapter->needs)) /* and did not accept it */
				mr_finding_remedy(finding,
						  "see dmesg, and echo %s > "
						  "/sys/bus/pci/drivers/%s/bind",
						  adapter->address, adapter->needs);
			else /* the module loads the driver as well */
				advise_loading(host, adapter->module, finding);
			return true;
		}
		if (!adapter->is_certain || mr_kernel_has_module(host, adapter->module))
			continue;
		mr_rdma_device_list(host, match_driver, &search);
		if (!search.found) {
			mr_finding_set(finding, MR_VERDICT_WARN,
				       "an adapter has %s, and %s is not loaded", adapter->driver,
				       adapter->module);
			mr_finding_detail(finding, "the adapter is %s", adapter->address);
			advise_loading(host, adapter->module, finding);
			return true;
		}
	}
	return false;
}

void mr_check_modules(const struct mr_question *question, struct mr_finding *finding)
{
	struct mr_name_text devices = { .count = 0 }, names = { .count = 0 };
	struct mr_host *host = question->host;
	struct mr_hardware hardware;
	int rc;

	if (mr_kernel_has_no_say(question, finding))
		return;
	rc = mr_rdma_device_list(host, add_name, &devices);
	mr_hardware_read(host, &hardware);
	list_modules(host, &hardware, &names);
	if (devices.count && !mr_host_exists(host, "/sys/class/infiniband_verbs"))
		mr_finding_judge(
			finding, MR_VERDICT_BAD, "modprobe ib_uverbs",
			"%s, and no /sys/class/infiniband_verbs: programs cannot open them",
			devices.text);
	else if (find_missing(host, &hardware, finding))
		return;
	else if (devices.count || names.count)
		mr_finding_set(finding, MR_VERDICT_OK, "%s",
			       names.count ? names.text : "none is shown, although devices exist");
	else if (mr_host_exists(host, "/sys/class") && rc == -ENOENT)
		mr_finding_set(finding, MR_VERDICT_NA,
			       "none is loaded, and no known adapter needs one");
	else
		mr_finding_unread(finding, "/sys/class/infiniband", rc < 0 ? -rc : ENOENT);
}

const char *mr_nvidia_module(struct mr_host *host)
{
	static const char *const modules[] = { "nvidia_peermem", "nv_peer_mem" };

	for (size_t i = 0; i < COUNT(modules); i++)
		if (mr_kernel_has_module(host, modules[i]))
			return modules[i];
	return NULL;
}

/* The module offers the memory to ib_core, which needs an interface for it; or the open driver exports dma-bufs. */
static void judge_nvidia(struct mr_host *host, bool is_planned, struct mr_finding *finding)
{
	const char *module = mr_nvidia_module(host);
	const enum mr_tristate is_offered =
		module ? mr_kernel_has_symbol(host, "ib_register_peer_memory_client") : MR_NO;
	char version[256];
	const bool has_driver =
		mr_host_line(host, version, sizeof(version), "/proc/driver/nvidia/version");

	if (!has_driver && !module) {
		mr_finding_judge(finding, is_planned ? MR_VERDICT_BAD : MR_VERDICT_NA,
				 is_planned ? "modprobe nvidia" : "",
				 "a GPU, whose driver nvidia is not loaded");
	} else if (module && is_offered == MR_YES) {
		mr_finding_set(finding, MR_VERDICT_OK, "%s, and ib_core accepts it", module);
	} else if (has_driver && strstr(version, "Open Kernel Module")) {
		mr_finding_set(finding, MR_VERDICT_OK,
			       "dma-buf: the driver is the open kernel module");
	} else if (module && is_offered == MR_NO) {
		mr_finding_set(finding, MR_VERDICT_WARN,
			       "%s is loaded, but ib_core has no ib_register_peer_memory_client: "
			       "registering GPU memory fails with EFAULT",
			       module);
		mr_finding_remedy(
			finding,
			"use NVIDIA's open kernel modules and dma-buf, or build %s against an "
			"RDMA stack with that function",
			module);
	} else if (module) {
		mr_finding_judge(
			finding, MR_VERDICT_UNKNOWN,
			"grep ib_register_peer_memory_client /proc/kallsyms",
			"%s is loaded; whether ib_core accepts it is not known (no /proc/kallsyms)",
			module);
	} else {
		mr_finding_judge(
			finding, MR_VERDICT_WARN,
			"use NVIDIA's open kernel modules and dma-buf, or modprobe "
			"nvidia-peermem",
			"a GPU with the proprietary driver, and no nvidia_peermem: its memory "
			"cannot be registered");
	}
}

/* amdgpu exports dma-bufs; a device accesses them where the kernel has PCI_P2PDMA. */
static void judge_amd(struct mr_host *host, struct mr_finding *finding)
{
	struct mr_kernel_option p2p = { .name = "PCI_P2PDMA" };
	char release[96], path[256];

	if (!mr_kernel_has_module(host, "amdgpu")) {
		mr_finding_set(finding, MR_VERDICT_NA, "a GPU, whose driver amdgpu is not loaded");
		return;
	}
	if (mr_kernel_release(host, release, sizeof(release)))
		mr_kernel_options_read(host, release, &p2p, 1, path, sizeof(path));
	if (p2p.is_on == MR_YES)
		mr_finding_set(finding, MR_VERDICT_OK, "dma-buf by amdgpu, with PCI_P2PDMA");
	else if (p2p.is_on == MR_NO)
		mr_finding_judge(
			finding, MR_VERDICT_WARN, "boot a kernel with CONFIG_PCI_P2PDMA",
			"CONFIG_PCI_P2PDMA is not set: registering GPU memory may succeed, but "
			"transfers fail");
	else
		mr_finding_judge(finding, MR_VERDICT_UNKNOWN, "zgrep PCI_P2PDMA /proc/config.gz",
				 "amdgpu; whether the kernel has CONFIG_PCI_P2PDMA is not known");
}

void mr_check_peer_memory(const struct mr_question *question, struct mr_finding *finding)
{
	struct mr_name_text devices = { .count = 0 };
	struct mr_hardware hardware;
	int rc;

	mr_hardware_read(question->host, &hardware);
	if (question->is_gpu && !hardware.has_nvidia) {
		mr_finding_judge(finding, MR_VERDICT_BAD, "plan other memory; lspci -nn lists GPUs",
				 "no NVIDIA GPU");
		return;
	}
	if (mr_kernel_has_no_say(question, finding))
		return;
	rc = mr_rdma_device_list(question->host, add_name, &devices);
	if (!rc || rc == -ENOENT)
		mr_finding_set(finding, MR_VERDICT_NA, "no RDMA devices");
	else if (hardware.has_nvidia)
		judge_nvidia(question->host, question->is_gpu, finding);
	else if (hardware.has_amd)
		judge_amd(question->host, finding);
	else
		mr_finding_set(finding, MR_VERDICT_NA, "no GPU");
}
