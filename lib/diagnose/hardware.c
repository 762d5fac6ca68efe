// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <string.h>

#include "lib/diagnose/hardware.h"

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

static void take_network(const struct mr_pci_function *function, struct mr_hardware *hardware)
{
	struct mr_adapter *adapter = &hardware->adapters[hardware->count];

	if (hardware->count == sizeof(hardware->adapters) / sizeof(*hardware->adapters))
		return;
	*adapter = (struct mr_adapter){ .is_certain = true };
	strcpy(adapter->address, function->address);
	strcpy(adapter->driver, function->driver);
	if (!function->driver[0] && function->vendor == MR_PCI_MELLANOX && !function->is_virtual) {
		adapter->needs = "mlx5_core";
		adapter->module = "mlx5_ib";
		hardware->count++;
	}
	for (size_t i = 0; i < sizeof(rdma_drivers) / sizeof(*rdma_drivers); i++)
		if (!strcmp(function->driver, rdma_drivers[i].driver)) {
			adapter->needs = rdma_drivers[i].driver;
			adapter->module = rdma_drivers[i].module;
			adapter->is_certain = rdma_drivers[i].is_certain;
			hardware->count++;
		}
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
