// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/host/pci.h"

#define FUNCTIONS "/sys/bus/pci/devices"

/* Copies the last part of what a link points to; an empty text where there is no link, or it does not fit. */
static void read_link_end(struct mr_host *host, const char *address, const char *link, char *end,
			  size_t size)
{
	char target[PATH_MAX];
	const char *slash;

	end[0] = '\0';
	if (!mr_host_link(host, target, sizeof(target), FUNCTIONS "/%s/%s", address, link))
		return;
	slash = strrchr(target, '/');
	slash = slash ? slash + 1 : target;
	if (strlen(slash) < size)
		memcpy(end, slash, strlen(slash) + 1);
}

struct function_search {
	struct mr_host *host;
	void (*take)(const struct mr_pci_function *function, void *data);
	void *data;
};

/* Return: false for a function that has nothing to do with registration. */
static bool classify(uint64_t class, struct mr_pci_function *function)
{
	const uint64_t base = class >> 16;

	if (base == 0x02 || class >> 8 == 0x0c06)
		function->kind = MR_PCI_NETWORK;
	else if ((base == 0x03 || base == 0x12) &&
		 (function->vendor == MR_PCI_NVIDIA || function->vendor == MR_PCI_AMD))
		function->kind = MR_PCI_GPU;
	else
		return false;
	return true;
}

static void take_function(const char *name, void *data)
{
	const struct function_search *search = data;
	struct mr_pci_function function;
	char target[PATH_MAX];
	uint64_t vendor, class;

	if ((size_t)snprintf(function.address, sizeof(function.address), "%s", name) >=
		    sizeof(function.address) ||
	    !mr_host_number(search->host, &class, FUNCTIONS "/%s/class", name) ||
	    !mr_host_number(search->host, &vendor, FUNCTIONS "/%s/vendor", name))
		return;
	function.vendor = (uint32_t)vendor;
	if (!classify(class, &function))
		return;
	read_link_end(search->host, name, "driver", function.driver, sizeof(function.driver));
	function.is_virtual =
		mr_host_link(search->host, target, sizeof(target), FUNCTIONS "/%s/physfn", name);
	search->take(&function, search->data);
}

int mr_pci_list(struct mr_host *host,
		void (*take)(const struct mr_pci_function *function, void *data), void *data)
{
	struct function_search search = { host, take, data };
	const int rc = mr_host_list(host, take_function, &search, FUNCTIONS);

	return rc < 0 ? rc : 0;
}

void mr_iommu_read(struct mr_host *host, const char *pci_address, struct mr_iommu *iommu)
{
	iommu->type[0] = '\0';
	read_link_end(host, pci_address, "iommu_group", iommu->group, sizeof(iommu->group));
	if (iommu->group[0])
		mr_host_line(host, iommu->type, sizeof(iommu->type),
			     "/sys/kernel/iommu_groups/%s/type", iommu->group);
}

uint64_t mr_pci_region(struct mr_host *host, const char *pci_address, unsigned int index)
{
	uint64_t first, last;
	char text[2048];
	const char *line = text;

	mr_host_read(host, text, sizeof(text), FUNCTIONS "/%s/resource", pci_address);
	for (; line && index; index--) {
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	if (!line || sscanf(line, "%" SCNx64 " %" SCNx64, &first, &last) != 2 || last <= first)
		return 0;
	return last - first + 1;
}

static int find_binding(void *data, char *text, size_t size)
{
	const char *folder = data;
	char path[PATH_MAX];
	struct stat st;

	if ((size_t)snprintf(path, sizeof(path), "%s/driver", folder) >= sizeof(path))
		return -ENAMETOOLONG;
	if (lstat(path, &st))
		return -errno;
	snprintf(text, size, "%" PRIu32, (uint32_t)st.st_ino);
	return 0;
}

uint32_t mr_pci_binding(struct mr_host *host, const char *folder)
{
	char name[PATH_MAX], text[16], copy[PATH_MAX];

	if ((size_t)snprintf(copy, sizeof(copy), "%s", folder) >= sizeof(copy) ||
	    (size_t)snprintf(name, sizeof(name), "binding%s", folder) >= sizeof(name) ||
	    mr_host_ask(host, name, find_binding, copy, text, sizeof(text)))
		return 0;
	return (uint32_t)strtoul(text, NULL, 10);
}
