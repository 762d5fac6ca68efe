// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Checks of the modules that RDMA hardware and GPUs need. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/base.h"
#include "lib/diagnose/hardware.h"
#include "lib/diagnose/kernel.h"
#include "lib/diagnose/simulated.h"
#include "lib/diagnose/size_text.h"
#include "lib/host/host.h"

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

/* Says how to load a module, or why that cannot work: a newer kernel was installed in place of this one. */
static void advise_loading(struct mr_host *host, const char *module, struct mr_finding *finding)
{
	char release[96];

	if (mr_kernel_release(host, release, sizeof(release)) && !strchr(release, '/') &&
	    mr_host_exists(host, "/lib/modules") &&
	    !mr_host_exists(host, "/lib/modules/%s", release))
		mr_finding_remedy(
			finding,
			"boot: the modules of the running kernel %s are not installed (any "
			"more), so %s cannot be loaded",
			release, module);
	else
		mr_finding_remedy(finding, "modprobe %s, and see dmesg", module);
}

struct driver_search {
	struct mr_host *host;
	const char *driver;
	bool found;
};

static void match_driver(const char *name, void *data)
{
	struct driver_search *search = data;
	struct mr_rdma_device device;

	mr_rdma_device_read_place(search->host, name, &device);
	search->found |= !strcmp(device.driver, search->driver);
}

/* A module that is built into the kernel need not stand in /sys/module, but its devices are there. */
static bool has_device_of(struct mr_host *host, const char *driver)
{
	struct driver_search search = { host, driver, false };

	mr_rdma_device_list(host, match_driver, &search);
	return search.found;
}

/* Return: whether an adapter lacks its driver or its RDMA module. */
static bool find_missing(struct mr_host *host, const struct mr_hardware *hardware,
			 struct mr_finding *finding)
{
	for (size_t i = 0; i < hardware->count; i++) {
		const struct mr_adapter *adapter = &hardware->adapters[i];

		if (!adapter->driver[0]) {
			mr_finding_set(finding, MR_VERDICT_WARN, "an adapter has no driver");
			mr_finding_detail(finding, "the adapter is %s", adapter->address);
			if (mr_kernel_has_module(host, adapter->needs)) /* and did not take it */
				mr_finding_remedy(finding,
						  "see dmesg, and echo %s > "
						  "/sys/bus/pci/drivers/%s/bind",
						  adapter->address, adapter->needs);
			else /* the module loads the driver as well */
				advise_loading(host, adapter->module, finding);
			return true;
		}
		if (adapter->is_certain && !mr_kernel_has_module(host, adapter->module) &&
		    !has_device_of(host, adapter->driver)) {
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
	if (devices.count && !mr_host_exists(host, "/sys/class/infiniband_verbs")) {
		mr_finding_set(finding, MR_VERDICT_BAD,
			       "%s, and no /sys/class/infiniband_verbs: programs cannot open them",
			       devices.text);
		mr_finding_remedy(finding, "modprobe ib_uverbs");
	} else if (find_missing(host, &hardware, finding)) {
		return;
	} else if (devices.count || names.count) {
		mr_finding_set(finding, MR_VERDICT_OK, "%s",
			       names.count ? names.text : "none is shown, and there are devices");
	} else if (mr_host_exists(host, "/sys/class") && rc == -ENOENT) {
		mr_finding_set(finding, MR_VERDICT_NA,
			       "none is loaded, and no adapter is known to need one");
	} else {
		mr_finding_unread(finding, "/sys/class/infiniband", rc < 0 ? -rc : ENOENT);
	}
}

/* ---- memory of GPUs ---- */

/* What shows that the memory of NVIDIA GPUs can be registered. */
struct nvidia_ways {
	const char *module;          /* that offers it to ib_core, or NULL */
	enum mr_tristate is_offered; /* ib_core has the interface that the module needs */
	bool has_dmabuf;             /* the open driver exports dma-bufs */
	bool has_driver;
};

static struct nvidia_ways find_nvidia_ways(struct mr_host *host)
{
	static const char *const modules[] = { "nvidia_peermem", "nv_peer_mem" };
	struct nvidia_ways ways = { .module = NULL };
	char version[256];

	for (size_t i = 0; !ways.module && i < sizeof(modules) / sizeof(*modules); i++)
		if (mr_kernel_has_module(host, modules[i]))
			ways.module = modules[i];
	if (ways.module)
		ways.is_offered = mr_kernel_has_symbol(host, "ib_register_peer_memory_client");
	ways.has_driver =
		mr_host_line(host, version, sizeof(version), "/proc/driver/nvidia/version");
	ways.has_dmabuf = ways.has_driver && strstr(version, "Open Kernel Module");
	return ways;
}

static void judge_nvidia(const struct nvidia_ways *ways, bool is_planned,
			 struct mr_finding *finding)
{
	if (!ways->has_driver && !ways->module) {
		mr_finding_set(finding, is_planned ? MR_VERDICT_BAD : MR_VERDICT_NA,
			       "a GPU, whose driver nvidia is not loaded");
		if (is_planned)
			mr_finding_remedy(finding, "modprobe nvidia");
	} else if (ways->module && ways->is_offered == MR_YES) {
		mr_finding_set(finding, MR_VERDICT_OK, "%s, and ib_core takes it", ways->module);
	} else if (ways->has_dmabuf) {
		mr_finding_set(finding, MR_VERDICT_OK,
			       "dma-buf: the driver is the open kernel module");
	} else if (ways->module && ways->is_offered == MR_NO) {
		mr_finding_set(finding, MR_VERDICT_WARN,
			       "%s is loaded, but ib_core has no ib_register_peer_memory_client: "
			       "registering GPU memory fails with EFAULT",
			       ways->module);
		mr_finding_remedy(
			finding,
			"use NVIDIA's open kernel modules and dma-buf, or build %s against "
			"the RDMA stack that has the interface",
			ways->module);
	} else if (ways->module) {
		mr_finding_set(
			finding, MR_VERDICT_UNKNOWN,
			"%s is loaded; whether ib_core takes it is not known (no /proc/kallsyms)",
			ways->module);
		mr_finding_remedy(finding, "grep ib_register_peer_memory_client /proc/kallsyms");
	} else {
		mr_finding_set(
			finding, MR_VERDICT_WARN,
			"a GPU with the proprietary driver, and no nvidia_peermem: its memory "
			"cannot be registered");
		mr_finding_remedy(finding,
				  "use NVIDIA's open kernel modules and dma-buf, or modprobe "
				  "nvidia-peermem");
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
	if (p2p.is_on == MR_YES) {
		mr_finding_set(finding, MR_VERDICT_OK, "dma-buf by amdgpu, with PCI_P2PDMA");
	} else if (p2p.is_on == MR_NO) {
		mr_finding_set(
			finding, MR_VERDICT_WARN,
			"CONFIG_PCI_P2PDMA is not set: registering GPU memory may succeed, but "
			"transfers fail");
		mr_finding_remedy(finding, "boot a kernel with CONFIG_PCI_P2PDMA");
	} else {
		mr_finding_set(finding, MR_VERDICT_UNKNOWN,
			       "amdgpu; whether the kernel has CONFIG_PCI_P2PDMA is not known");
		mr_finding_remedy(finding, "zgrep PCI_P2PDMA /proc/config.gz");
	}
}

void mr_check_peer_memory(const struct mr_question *question, struct mr_finding *finding)
{
	struct mr_name_text devices = { .count = 0 };
	struct mr_hardware hardware;
	struct nvidia_ways ways;
	int rc;

	mr_hardware_read(question->host, &hardware);
	if (question->is_gpu && !hardware.has_nvidia) {
		mr_finding_set(finding, MR_VERDICT_BAD, "no NVIDIA GPU");
		mr_finding_remedy(finding, "lspci -nn lists GPUs; plan other memory");
		return;
	}
	if (mr_kernel_has_no_say(question, finding))
		return;
	rc = mr_rdma_device_list(question->host, add_name, &devices);
	if (!rc || rc == -ENOENT) {
		mr_finding_set(finding, MR_VERDICT_NA, "no RDMA devices");
	} else if (hardware.has_nvidia) {
		ways = find_nvidia_ways(question->host);
		judge_nvidia(&ways, question->is_gpu, finding);
	} else if (hardware.has_amd) {
		judge_amd(question->host, finding);
	} else {
		mr_finding_set(finding, MR_VERDICT_NA, "no GPU");
	}
}
