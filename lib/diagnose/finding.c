// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/diagnose/diagnose.h"
#include "lib/simulator/enter.h"
#include "lib/simulator/spec.h"

const struct mr_word mr_verdicts[MR_VERDICTS + 1] = {
	[MR_VERDICT_NA] = MR_WORD("n/a", "not applicable on this host"),
	[MR_VERDICT_OK] = MR_WORD("ok", "as required"),
	[MR_VERDICT_UNKNOWN] = MR_WORD("unknown", "not known"),
	[MR_VERDICT_WARN] = MR_WORD("warn", "works, but not for all programs, or not permanently"),
	[MR_VERDICT_BAD] = MR_WORD("bad", "registration fails"),
};

void mr_finding_judge(struct mr_finding *finding, enum mr_verdict verdict, const char *remedy,
		      const char *fmt, ...)
{
	va_list ap;

	finding->verdict = verdict;
	va_start(ap, fmt);
	vsnprintf(finding->figure, sizeof(finding->figure), fmt, ap);
	va_end(ap);
	mr_finding_remedy(finding, "%s", remedy);
}

void mr_finding_detail(struct mr_finding *finding, const char *fmt, ...)
{
	char text[sizeof(finding->detail)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	mr_text_add(finding->detail, sizeof(finding->detail), "; ", "%s", text);
}

void mr_finding_remedy(struct mr_finding *finding, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(finding->remedy, sizeof(finding->remedy), fmt, ap);
	va_end(ap);
}

void mr_finding_unread(struct mr_finding *finding, const char *path, int error)
{
	mr_finding_set(finding, MR_VERDICT_UNKNOWN, "%s: %s", path, mr_errno_text(error));
	switch (error) {
	case ENOENT:
		/* The folder below the root is what is mounted: /proc or /sys. */
		mr_finding_remedy(finding, "mount %.*s", (int)strcspn(path + 1, "/") + 1, path);
		break;
	case EACCES:
	case EPERM:
		mr_finding_remedy(finding, "run as a user who may read %s", path);
		break;
	case ENOMEM:
	case EMFILE:
	case ENFILE:
		mr_finding_remedy(finding,
				  "try again: no memory or descriptor was free to open the file");
		break;
	default:
		mr_finding_remedy(finding, "check its type: ls -ld %s", path);
	}
}

struct mr_size_text mr_size_text(uint64_t bytes)
{
	static const char *const units[] = { "bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	struct mr_size_text size;
	unsigned int unit = 0;
	uint64_t tenths;

	while (unit + 1 < sizeof(units) / sizeof(*units) && bytes >> 10 * (unit + 1))
		unit++;
	tenths = unit ? ((bytes >> 10 * (unit - 1)) % 1024) * 10 / 1024 : 0;
	if (tenths)
		snprintf(size.text, sizeof(size.text), "%" PRIu64 ".%" PRIu64 " %s",
			 bytes >> 10 * unit, tenths, units[unit]);
	else
		snprintf(size.text, sizeof(size.text), "%" PRIu64 " %s", bytes >> 10 * unit,
			 units[unit]);
	return size;
}

void mr_name_add(struct mr_name_text *names, const char *name)
{
	const size_t room = sizeof(names->text) - sizeof(" and 4294967295 more");
	const char *separator = names->shown ? ", " : "";

	names->count++;
	if (!names->hidden && names->shown + strlen(separator) + strlen(name) < room) {
		names->shown +=
			(size_t)sprintf(names->text + names->shown, "%s%s", separator, name);
		return;
	}
	names->hidden++;
	sprintf(names->text + names->shown, "%s%u more", names->shown ? " and " : "",
		names->hidden);
}

static int query_environment(const struct mr_host *host, void *data, char *text, size_t size)
{
	char profile[32];
	int rc = host->process ? mr_process_variable(host->process, MR_SIM_VARIABLE, profile,
						     sizeof(profile))
			       : mr_simulator_is_entered();

	(void)data;
	if (rc < 0)
		return rc;
	snprintf(text, size, "%s", rc && (!host->process || profile[0]) ? "yes" : "no");
	return 0;
}

bool mr_is_simulated(struct mr_host *host)
{
	char answer[8];

	mr_host_query(host, query_environment, NULL, answer, sizeof(answer), "simulated");
	return answer[0] == 'y';
}

bool mr_kernel_has_no_say(const struct mr_question *question, struct mr_finding *finding)
{
	if (!mr_is_simulated(question->host))
		return false;
	mr_finding_set(finding, MR_VERDICT_NA, "not applicable: the RDMA devices are simulated");
	return true;
}

const struct mr_word mr_layers[MR_LAYERS] = {
	[MR_LAYER_LIBIBVERBS] = { .name = "libibverbs" },
	[MR_LAYER_PROVIDER] = { .name = "provider" },
	[MR_LAYER_UVERBS] = { .name = "uverbs" },
	[MR_LAYER_MEMORY] = { .name = "memory" },
	[MR_LAYER_DMABUF] = { .name = "dma-buf" },
	[MR_LAYER_DRIVER] = { .name = "driver" },
	[MR_LAYER_FIRMWARE] = { .name = "firmware" },
};

/* Drivers of network adapters, and the modules that make RDMA devices of them. */
static const struct {
	const char *driver, *module;
	bool is_certain;
} rdma_drivers[] = {
	{ "mlx5_core", "mlx5_ib", true },
	{ "mlx4_core", "mlx4_ib", true },
	{ "efa", "efa", true },
	{ "erdma", "erdma", true },
	{ "bnxt_en", "bnxt_re", false },
	{ "ice", "irdma", false },
	{ "i40e", "irdma", false },
	{ "idpf", "irdma", false },
	{ "qede", "qedr", false },
	{ "cxgb4", "iw_cxgb4", false },
	{ "mana", "mana_ib", false },
	{ "ionic", "ionic_rdma", false },
	{ "hns3", "hns-roce-hw-v2", false },
	{ "hfi1", "hfi1", true },
	{ "ib_qib", "ib_qib", true },
	{ "ib_mthca", "ib_mthca", true },
	{ "vmw_pvrdma", "vmw_pvrdma", true },
	{ "be2net", "ocrdma", false },
};

#define RDMA_DRIVERS (sizeof(rdma_drivers) / sizeof(*rdma_drivers))

static void take_network(const struct mr_pci_function *function, struct mr_hardware *hardware)
{
	struct mr_adapter *adapter = &hardware->adapters[hardware->count];
	const char *driver = function->driver;
	size_t i = 0;

	if (!*driver && function->vendor == MR_PCI_MELLANOX && !function->is_virtual)
		driver = rdma_drivers[0].driver;
	while (i < RDMA_DRIVERS && strcmp(driver, rdma_drivers[i].driver) != 0)
		i++;
	if (i == RDMA_DRIVERS ||
	    hardware->count == sizeof(hardware->adapters) / sizeof(*hardware->adapters))
		return;
	*adapter = (struct mr_adapter){ .needs = rdma_drivers[i].driver,
					.module = rdma_drivers[i].module,
					.is_certain = rdma_drivers[i].is_certain };
	strcpy(adapter->address, function->address);
	strcpy(adapter->driver, function->driver);
	hardware->count++;
}

static void take_function(const struct mr_pci_function *function, void *data)
{
	struct mr_hardware *hardware = data;

	if (function->kind == MR_PCI_NETWORK) {
		take_network(function, hardware);
	} else if (strncmp(function->driver, "vfio", 4) != 0) {
		if (function->vendor == MR_PCI_NVIDIA && !hardware->has_nvidia)
			strcpy(hardware->gpu, function->address);
		hardware->is_gpu_in_use |=
			!strcmp(function->driver, "nvidia") || !strcmp(function->driver, "amdgpu");
		hardware->has_nvidia |= function->vendor == MR_PCI_NVIDIA;
		hardware->has_amd |= function->vendor == MR_PCI_AMD;
	}
}

void mr_hardware_read(struct mr_host *host, struct mr_hardware *hardware)
{
	*hardware = (struct mr_hardware){ .count = 0 };
	mr_pci_list(host, take_function, hardware);
}
