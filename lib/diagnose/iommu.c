// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Checks of the IOMMU between devices and memory. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "lib/base/base.h"
#include "lib/diagnose/devices.h"
#include "lib/diagnose/hardware.h"
#include "lib/diagnose/tally.h"
#include "lib/host/host.h"

struct iommu_look {
	struct mr_host *host;
	struct mr_tally tally;
	bool is_large;          /* what is planned, or a GPU's memory, takes many mappings */
	struct mr_iommu gpu;    /* of the GPU */
	bool differs;           /* a device is in another group than the GPU */
	unsigned int functions; /* devices that are PCI functions */
};

static bool read_device(struct iommu_look *look, const char *name, struct mr_iommu *iommu)
{
	struct mr_rdma_device device;

	mr_rdma_device_read_place(look->host, name, &device);
	if (!device.pci_address[0])
		return false;
	mr_iommu_read(look->host, device.pci_address, iommu);
	look->functions++;
	return true;
}

/* From this size on, mappings of single pages were seen to run out (dma-bufs of GPUs). */
#define MANY_PAGES (UINT64_C(2) << 30)

static void judge_device(const char *name, void *data)
{
	struct iommu_look *look = data;
	struct mr_iommu iommu;

	if (!read_device(look, name, &iommu))
		mr_tally_add(&look->tally, MR_VERDICT_NA, name, "no PCI device");
	else if (!iommu.group[0])
		mr_tally_add(&look->tally, MR_VERDICT_OK, name, "no IOMMU");
	else if (!strcmp(iommu.type, "identity"))
		mr_tally_add(&look->tally, MR_VERDICT_OK, name, "passed through (identity)");
	else if (!strncmp(iommu.type, "DMA", 3))
		mr_tally_add(&look->tally, look->is_large ? MR_VERDICT_WARN : MR_VERDICT_OK, name,
			     "translated (%s)", iommu.type);
	else if (!iommu.type[0] && !look->is_large)
		mr_tally_add(&look->tally, MR_VERDICT_OK, name,
			     "translated or not, which is not told");
	else
		mr_tally_add(&look->tally, MR_VERDICT_UNKNOWN, name, "type of its IOMMU group: %s",
			     iommu.type[0] ? iommu.type : "not told");
}

/* Return: -errno where there is no list of devices, after it is said. */
static int list_devices(struct iommu_look *look, void (*take)(const char *name, void *data),
			struct mr_finding *finding)
{
	const int count = mr_rdma_device_list(look->host, take, look);

	if (count >= 0)
		return 0;
	if (count == -ENOENT && mr_host_exists(look->host, "/sys/class")) {
		mr_finding_set(finding, MR_VERDICT_NA, "no RDMA devices");
	} else {
		mr_finding_unread(finding, "/sys/class/infiniband", -count);
	}
	return count;
}

void mr_check_iommu(const struct mr_question *question, struct mr_finding *finding)
{
	struct iommu_look look = { .host = question->host };
	struct mr_hardware hardware;
	enum mr_verdict verdict;
	char words[256];

	mr_hardware_read(question->host, &hardware);
	look.is_large = (question->size.known && question->size.value >= MANY_PAGES) ||
			hardware.is_gpu_in_use;
	mr_finding_set(finding, MR_VERDICT_NA, "no RDMA devices");
	if (list_devices(&look, judge_device, finding))
		return;
	verdict = mr_tally_settle(&look.tally, finding);
	if (verdict == MR_VERDICT_WARN)
		mr_finding_remedy(finding,
				  "boot with iommu=pt, or register large dma-bufs in pieces of "
				  "1 GiB: mappings of single pages run out (ENOMEM)");
	else if (verdict == MR_VERDICT_UNKNOWN)
		mr_finding_remedy(finding,
				  "see the kernel's command line: iommu=pt, intel_iommu=on");
	if (!mr_kernel_words(question->host, words, sizeof(words)) && words[0])
		mr_finding_detail(finding, "booted with %s", words);
}

/* ---- groups ---- */

static void compare_group(const char *name, void *data)
{
	struct iommu_look *look = data;
	struct mr_iommu iommu;

	if (read_device(look, name, &iommu))
		look->differs |= strcmp(iommu.group, look->gpu.group) != 0;
}

static int ask_machine(void *data, char *text, size_t size)
{
	struct utsname name;

	(void)data;
	if (uname(&name))
		return -errno;
	snprintf(text, size, "%s", name.machine);
	return 0;
}

/* The driver's parameter GrdmaPciTopoCheckOverride. */
struct parameter {
	bool known, is_set;
};

/* Takes "GrdmaPciTopoCheckOverride: 1". */
static bool take_parameter(const char *line, void *data)
{
	static const char name[] = "GrdmaPciTopoCheckOverride: ";
	struct parameter *parameter = data;

	if (strncmp(line, name, sizeof(name) - 1) != 0)
		return false;
	parameter->known = true;
	parameter->is_set = line[sizeof(name) - 1] != '0';
	return true;
}

/*
 * NVIDIA's driver compares the groups on machines where CPU and GPU have coherent memory, which are arm64 ones.
 */
void mr_check_iommu_group(const struct mr_question *question, struct mr_finding *finding)
{
	struct iommu_look look = { .host = question->host };
	struct parameter override = { 0 };
	struct mr_hardware hardware;
	char machine[65];

	mr_hardware_read(question->host, &hardware);
	if (hardware.has_nvidia)
		mr_iommu_read(question->host, hardware.gpu, &look.gpu);
	if (list_devices(&look, compare_group, finding))
		return;
	if (!hardware.has_nvidia || !look.functions) {
		mr_finding_set(finding, MR_VERDICT_NA, "no NVIDIA GPU beside an RDMA device");
		return;
	}
	mr_host_ask(question->host, "uname/machine", ask_machine, NULL, machine, sizeof(machine));
	mr_host_lines(question->host, "/proc/driver/nvidia/params", take_parameter, &override);
	if (!look.differs || override.is_set) {
		mr_finding_set(finding, MR_VERDICT_OK,
			       look.differs
				       ? "different, and the driver is told not to compare them"
				       : "GPU and devices have the same");
	} else if (machine[0] && strcmp(machine, "aarch64") != 0) {
		mr_finding_set(finding, MR_VERDICT_OK,
			       "different, which the driver does not compare on %s", machine);
	} else if (!machine[0] || !override.known) {
		mr_finding_set(finding, MR_VERDICT_UNKNOWN,
			       "different; whether the driver compares them is not known");
		mr_finding_remedy(finding, "grep Grdma /proc/driver/nvidia/params");
	} else {
		mr_finding_set(
			finding, MR_VERDICT_WARN,
			"GPU %s and RDMA devices have different ones: dma-buf regions of GPU "
			"memory fail where the driver compares them",
			hardware.gpu);
		mr_finding_remedy(finding, "load nvidia with NVreg_GrdmaPciTopoCheckOverride=1, or "
					   "set ACS by rdma_topo (rdma-core 61)");
	}
}
