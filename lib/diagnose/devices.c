// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "lib/diagnose/diagnose.h"
#include "lib/verbs/verbs.h"

/* The state of a check of all devices. */
struct look {
	const struct mr_question *question;
	struct mr_finding *finding;
	struct mr_rdma_device device; /* the one that is looked at */
	void (*judge)(struct look *look);
	/* Findings about the devices with the worst verdict: */
	enum mr_verdict worst;
	const char *remedy; /* NULL: none */
	struct {
		char text[128];
		struct mr_name_text devices;
	} rows[16];
	unsigned int count;
	unsigned int others; /* devices with another finding */

	unsigned int with_node; /* devices that programs here can use */
	uint64_t sum;           /* of what is counted: devices, or bytes */
	bool is_large;          /* what is planned, or a GPU's memory, takes many mappings */
	struct mr_iommu gpu;    /* of the GPU */
	bool differs;           /* a device is in another group than the GPU */
};

/* Adds what was found of the device; devices with the same verdict have the same remedy. */
#define add(look, verdict, ...) advise(look, verdict, NULL, __VA_ARGS__)
__attribute__((format(printf, 4, 5))) static void advise(struct look *look, enum mr_verdict verdict,
							 const char *remedy, const char *fmt, ...)
{
	char text[sizeof(look->rows[0].text)];
	unsigned int row = 0;
	va_list ap;

	if (verdict < look->worst)
		return;
	if (verdict > look->worst)
		look->count = look->others = 0;
	look->worst = verdict;
	look->remedy = remedy;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	while (row < look->count && strcmp(look->rows[row].text, text) != 0)
		row++;
	if (row == sizeof(look->rows) / sizeof(*look->rows)) {
		look->others++;
		return;
	}
	if (row == look->count) {
		look->rows[look->count++].devices = (struct mr_name_text){ .count = 0 };
		memcpy(look->rows[row].text, text, sizeof(text));
	}
	mr_name_add(&look->rows[row].devices, look->device.name);
}

static void look_at(const char *name, void *data)
{
	struct look *look = data;

	if (look->question->device && strcmp(name, look->question->device) != 0)
		return;
	mr_rdma_device_read_place(look->question->host, name, &look->device);
	look->judge(look);
}

/* Sets the finding to what was found of the devices with the worst verdict. */
static void set_worst(const struct look *look)
{
	char *text = look->finding->figure;
	const size_t size = sizeof(look->finding->figure);
	unsigned int others = look->others;
	size_t used = 0;

	look->finding->verdict = look->worst;
	for (unsigned int i = 0; i < look->count; i++) {
		const char *devices = look->rows[i].devices.text;
		const size_t length = strlen(devices) + strlen(look->rows[i].text) + 4;

		if (used && used + length > size - sizeof("; 4294967295 more"))
			others += look->rows[i].devices.count;
		else
			used += (size_t)snprintf(text + used, size - used, "%s%s: %s",
						 used ? "; " : "", devices, look->rows[i].text);
	}
	if (others)
		snprintf(text + used, size - used, "; %u more", others);
}

/* Judges each device, and sets the finding to the worst.  Return: its verdict; MR_VERDICT_NA without devices */
static enum mr_verdict look_at_devices(struct look *look)
{
	const int count = mr_rdma_device_list(look->question->host, look_at, look);

	if (count < 0 &&
	    (count != -ENOENT || !mr_host_exists(look->question->host, "/sys/class"))) {
		mr_finding_unread(look->finding, "/sys/class/infiniband", -count);
		return MR_VERDICT_NA;
	}
	if (count <= 0)
		mr_finding_set(look->finding, MR_VERDICT_NA, "no RDMA devices");
	if (look->count)
		set_worst(look);
	if (look->remedy)
		mr_finding_remedy(look->finding, "%s", look->remedy);
	return look->worst;
}

#define SEE_WHY "mrctl reg --device NAME shows the cause"

/* Whether the device has no node here, as those that were not given to this container. */
static bool has_no_node(const struct look *look)
{
	struct mr_rdma_node node;

	return !mr_rdma_node_read(look->question->host, look->device.name, &node) ||
	       (!node.mode.known && node.error == -ENOENT);
}

/* Whether mlx5's driver is behind the device; a simulated device has none. */
static bool is_mlx5(const struct look *look)
{
	return !strcmp(look->device.driver, "mlx5_core");
}

/*
 * Opens the device as a program does: a seccomp or Landlock filter, and limits of the process, let the node be opened
 * and refuse what follows.  One call for each device, as libibverbs compares the ABI in its first list of devices alone.
 */
static void judge_presence(struct look *look)
{
	struct mr_host *host = look->question->host;
	const bool is_absent = has_no_node(look);
	struct mr_device_limits limits;
	int rc = mr_device_limits_query(host, look->device.name, &limits);

	if ((rc == -ENOENT || rc == -ENODEV) && is_absent)
		rc = 0;
	look->sum += !rc && !is_absent;
	if (!rc)
		add(look, MR_VERDICT_OK, "%s",
		    look->device.driver[0]  ? look->device.driver
		    : mr_is_simulated(host) ? "simulated"
					    : "software");
	else if (rc == -ENOENT && !mr_host_is_live(host))
		add(look, MR_VERDICT_UNKNOWN,
		    "the recording does not show whether it can be opened");
	else
		advise(look, MR_VERDICT_BAD, SEE_WHY, "cannot be opened: %s (%s)",
		       mr_errno_name(-rc) ?: "?", mr_errno_text(-rc));
}

/* Finds out why there is no device. */
static void explain_absence(struct mr_host *host, struct mr_finding *finding)
{
	struct mr_hardware hardware;

	mr_finding_judge(finding, MR_VERDICT_BAD,
			 "install an adapter that supports RDMA, or try the simulated HCA: mrctl "
			 "sim",
			 "none, and no adapter that is known to support RDMA");
	mr_hardware_read(host, &hardware);
	for (size_t i = 0; i < hardware.count; i++) {
		const struct mr_adapter *adapter = &hardware.adapters[i];

		if (!adapter->is_certain && mr_kernel_has_module(host, adapter->module))
			continue;
		if (!adapter->is_certain) {
			mr_finding_set(finding, MR_VERDICT_BAD,
				       "none; an adapter with %s may support RDMA, and %s is not "
				       "loaded",
				       adapter->driver, adapter->module);
			mr_finding_remedy(finding, "modprobe %s", adapter->module);
			mr_finding_detail(finding, "the adapter is %s", adapter->address);
			continue;
		}
		if (!adapter->driver[0] || !mr_kernel_has_module(host, adapter->module)) {
			mr_finding_judge(finding, MR_VERDICT_BAD, "load the driver: see MR-MODULES",
					 "none yet: the driver of an adapter is not loaded (see "
					 "MR-MODULES)");
			continue;
		}
		mr_finding_judge(finding, MR_VERDICT_BAD,
				 "see dmesg; devlink dev param show (enable_rdma, enable_roce); "
				 "rdma system show netns: another namespace may have it",
				 "none, although an adapter has %s and %s", adapter->driver,
				 adapter->module);
		mr_finding_detail(finding, "the adapter is %s", adapter->address);
		return;
	}
}

void mr_check_device(const struct mr_question *question, struct mr_finding *finding)
{
	struct look look = { .question = question, .finding = finding, .judge = judge_presence };
	const enum mr_verdict verdict = look_at_devices(&look);

	if (verdict == MR_VERDICT_NA && finding->verdict == MR_VERDICT_NA)
		explain_absence(question->host, finding);
	else if (verdict == MR_VERDICT_BAD && look.sum)
		finding->verdict = MR_VERDICT_WARN; /* another one opens */
}

/* States of a port, from the least useful on. */
enum link {
	LINK_UNTOLD,
	LINK_NONE,   /* no cable, or it is switched off at either end */
	LINK_UNUSED, /* the other end answers, but nothing can be sent */
	LINK_ACTIVE,
};

/* The physical states of a port that is not used are those of drivers/infiniband/core/sysfs.c phys_state_to_str(). */
static enum link judge_link(const struct mr_rdma_port *port)
{
	const char *phys = port->phys_state;

	if (!port->state[0])
		return LINK_UNTOLD;
	if (!strcmp(port->state, "ACTIVE"))
		return LINK_ACTIVE;
	return !strcmp(port->state, "DOWN") &&
			       (!strcmp(phys, "Sleep") || !strcmp(phys, "Polling") ||
				!strcmp(phys, "Disabled"))
		       ? LINK_NONE
		       : LINK_UNUSED;
}

/* The best port of the device; each one that is not active is added to the detail, unless @finding is NULL. */
static enum link judge_links(const struct look *look, struct mr_finding *finding)
{
	struct mr_rdma_port ports[MR_RDMA_PORTS];
	const size_t count = mr_rdma_ports_read(look->question->host, look->device.name, ports);
	enum link best = LINK_UNTOLD;

	for (size_t i = 0; i < count; i++) {
		const enum link link = judge_link(&ports[i]);

		best = link > best ? link : best;
		if (finding && link != LINK_UNTOLD && link != LINK_ACTIVE)
			mr_finding_detail(finding, "%s port %u: %s%s%s", look->device.name,
					  ports[i].number, ports[i].state,
					  ports[i].phys_state[0] ? ", " : "", ports[i].phys_state);
	}
	return best;
}

/* Counts devices that programs here can use, and in the sum those with an active port. */
static void count_active(struct look *look)
{
	if (has_no_node(look))
		return;
	look->with_node++;
	look->sum += judge_links(look, NULL) == LINK_ACTIVE;
}

/* A port without a cable is no fault if another one is active: it may be a spare one. */
static void judge_ports(struct look *look)
{
	enum link link;

	if (look->with_node && has_no_node(look)) {
		add(look, MR_VERDICT_NA, "no node: see MR-NODE");
		return;
	}
	link = judge_links(look, look->finding);
	if (link == LINK_ACTIVE)
		add(look, MR_VERDICT_OK, "active");
	else if (link == LINK_UNTOLD)
		advise(look, MR_VERDICT_UNKNOWN, "rdma link",
		       "sysfs does not have the state of a port");
	else if (link == LINK_NONE && look->sum)
		add(look, MR_VERDICT_OK, "no link");
	else
		advise(look, MR_VERDICT_WARN,
		       "check the cable, the subnet manager (InfiniBand), and the network device "
		       "(RoCE): rdma link",
		       "no %s: registration works, transfers do not",
		       link == LINK_NONE ? "link" : "active port");
}

void mr_check_port(const struct mr_question *question, struct mr_finding *finding)
{
	struct look look = { .question = question, .finding = finding, .judge = count_active };

	mr_rdma_device_list(question->host, look_at, &look);
	look.judge = judge_ports;
	look_at_devices(&look);
}

/* ---- what libibverbs answers ---- */

/* Return: false if the device could not be queried, which is added to the finding. */
static bool query_limits(struct look *look, struct mr_device_limits *limits)
{
	const int rc = mr_device_limits_query(look->question->host, look->device.name, limits);

	if ((rc == -ENOENT || rc == -ENODEV) && has_no_node(look))
		add(look, MR_VERDICT_NA, "no node: see MR-NODE");
	else if (rc)
		advise(look, MR_VERDICT_UNKNOWN, SEE_WHY, "cannot be opened: see MR-DEVICE");
	return !rc;
}

static void judge_odp(struct look *look)
{
	struct mr_device_limits limits;

	if (!query_limits(look, &limits))
		return;
	if (limits.odp_explicit)
		add(look, MR_VERDICT_OK,
		    limits.odp_implicit ? "explicit and implicit" : "explicit only");
	else if (is_mlx5(look))
		advise(look, MR_VERDICT_WARN,
		       "mlx5 requires CONFIG_INFINIBAND_ON_DEMAND_PAGING (see MR-KERNEL-CONFIG) and "
		       "firmware with on-demand paging",
		       "none, so no dma-buf regions either");
	else
		add(look, MR_VERDICT_NA, "it has none");
}

void mr_check_odp(const struct mr_question *question, struct mr_finding *finding)
{
	struct look look = { .question = question, .finding = finding, .judge = judge_odp };

	look_at_devices(&look);
}

static void judge_max_mr(struct look *look)
{
	const struct mr_opt_u64 *planned = &look->question->size;
	struct mr_device_limits limits;

	if (!query_limits(look, &limits))
		return;
	if (planned->known && planned->value > limits.max_mr_size)
		advise(look, MR_VERDICT_BAD,
		       "register the memory as several regions; mrctl stat --probe --max-size finds "
		       "the largest that works",
		       "max_mr_size is %s, and %s are planned", MR_SIZE(limits.max_mr_size),
		       MR_SIZE(planned->value));
	else if (limits.max_mr_size == UINT64_MAX)
		add(look, MR_VERDICT_OK, "a region may have any size");
	else
		add(look, MR_VERDICT_OK, "max_mr_size is %s", MR_SIZE(limits.max_mr_size));
}

void mr_check_max_mr(const struct mr_question *question, struct mr_finding *finding)
{
	struct look look = { .question = question, .finding = finding, .judge = judge_max_mr };

	look_at_devices(&look);
}

/* ---- what the firmware has ---- */

/* MLX5_ADAPTER_PAGE_SIZE of include/linux/mlx5/device.h */
#define FIRMWARE_PAGE 4096U

static void judge_fw_pages(struct look *look)
{
	const struct mr_opt_u64 *pages = &look->device.fw_pages;

	if (pages->known && pages->value < UINT64_MAX / FIRMWARE_PAGE) {
		if (__builtin_add_overflow(look->sum, pages->value * FIRMWARE_PAGE, &look->sum))
			look->sum = UINT64_MAX;
		add(look, MR_VERDICT_OK, "fw_pages");
		mr_finding_detail(look->finding, "%s: fw_pages %" PRIu64, look->device.name,
				  pages->value);
		if (look->device.reg_pages.known)
			mr_finding_detail(look->finding, "reg_pages %" PRIu64,
					  look->device.reg_pages.value);
	} else if (is_mlx5(look)) {
		advise(look, MR_VERDICT_UNKNOWN, "ls /sys/class/infiniband/*/fw_pages",
		       "no fw_pages in sysfs");
	} else {
		add(look, MR_VERDICT_NA, "the driver does not count them");
	}
}

void mr_check_fw_pages(const struct mr_question *question, struct mr_finding *finding)
{
	struct look look = { .question = question, .finding = finding, .judge = judge_fw_pages };
	struct mr_meminfo info;
	int rc;

	if (look_at_devices(&look) != MR_VERDICT_OK)
		return;
	rc = mr_meminfo_read(question->host, &info);
	if (rc || !info.total.known)
		mr_finding_unread(finding, "/proc/meminfo", rc ? -rc : ENODATA);
	else if (look.sum > info.total.value / 10)
		mr_finding_judge(finding, MR_VERDICT_WARN,
				 "register less, or on fewer devices; each buffer is counted on "
				 "each device (UCX: UCX_IB_PCI_RELAXED_ORDERING=auto)",
				 "the firmware uses %s, more than a tenth of %s (MemTotal)",
				 MR_SIZE(look.sum), MR_SIZE(info.total.value));
	else
		mr_finding_set(finding, MR_VERDICT_OK,
			       "the firmware uses less than a tenth of %s (MemTotal)",
			       MR_SIZE(info.total.value));
}

/*
 * Without counters nothing is known to be wrong.  Most users may not see them, so that is no finding: it would be
 * one on each host that a user other than root monitors.  The number of refused UARs does not affect the verdict.
 */
static void judge_uar(struct look *look)
{
	struct mr_error err = { 0 };
	struct mr_mlx5_command uars;
	int rc;

	if (!is_mlx5(look) || !look->device.pci_address[0]) {
		add(look, MR_VERDICT_NA, "the driver does not count them");
		return;
	}
	rc = mr_mlx5_command_read(look->question->host, look->device.pci_address, "ALLOC_UAR",
				  &uars, &err);
	if (rc == -EACCES || rc == -EPERM)
		add(look, MR_VERDICT_NA, "not known: only root may read debugfs");
	else if (rc == -ENOENT || (!rc && !uars.failed.known))
		add(look, MR_VERDICT_NA,
		    "not known: debugfs is not mounted, or the kernel is older than 5.18");
	else if (rc)
		advise(look, MR_VERDICT_UNKNOWN, "ls /sys/kernel/debug/mlx5/*/commands",
		       "counters of commands in debugfs: %s", mr_errno_text(-rc));
	else if (!uars.failed.value)
		add(look, MR_VERDICT_OK, "no UAR was refused");
	else
		advise(look, MR_VERDICT_WARN,
		       "keep fewer contexts open, or raise PF_LOG_BAR_SIZE (mlxconfig)",
		       "the firmware has refused UARs (ALLOC_UAR)");
	if (!rc && uars.failed.known && uars.failed.value)
		mr_finding_detail(look->finding,
				  "%s: %" PRIu64 " refused since its driver was loaded",
				  look->device.name, uars.failed.value);
}

void mr_check_uar(const struct mr_question *question, struct mr_finding *finding)
{
	struct look look = { .question = question, .finding = finding, .judge = judge_uar };

	look_at_devices(&look);
}

/* From this size on, mappings of single pages were seen to run out (dma-bufs of GPUs). */
#define MANY_PAGES (UINT64_C(2) << 30)

/* Return: whether the device is a PCI function; these are counted. */
static bool read_iommu(struct look *look, struct mr_iommu *iommu)
{
	const bool is_function = look->device.pci_address[0];

	if (is_function)
		mr_iommu_read(look->question->host, look->device.pci_address, iommu);
	look->sum += is_function;
	return is_function;
}

static void judge_iommu(struct look *look)
{
	struct mr_iommu iommu;

	if (!read_iommu(look, &iommu))
		add(look, MR_VERDICT_NA, "no PCI device");
	else if (!iommu.group[0])
		add(look, MR_VERDICT_OK, "no IOMMU");
	else if (!strcmp(iommu.type, "identity"))
		add(look, MR_VERDICT_OK, "passed through (identity)");
	else if (!strncmp(iommu.type, "DMA", 3))
		advise(look, look->is_large ? MR_VERDICT_WARN : MR_VERDICT_OK,
		       look->is_large
			       ? "boot with iommu=pt, or register large dma-bufs in pieces of "
				 "1 GiB: mappings of single pages run out (ENOMEM)"
			       : NULL,
		       "translated (%s)", iommu.type);
	else if (!iommu.type[0] && !look->is_large)
		add(look, MR_VERDICT_OK, "not known whether addresses are translated");
	else
		advise(look, MR_VERDICT_UNKNOWN,
		       "check the kernel's command line: iommu=pt, intel_iommu=on",
		       "type of its IOMMU group: %s", iommu.type[0] ? iommu.type : "not known");
}

void mr_check_iommu(const struct mr_question *question, struct mr_finding *finding)
{
	struct look look = { .question = question, .finding = finding, .judge = judge_iommu };
	struct mr_hardware hardware;
	char words[256];

	mr_hardware_read(question->host, &hardware);
	look.is_large = (question->size.known && question->size.value >= MANY_PAGES) ||
			hardware.is_gpu_in_use;
	look_at_devices(&look);
	if (look.count && !mr_kernel_words(question->host, words, sizeof(words)) && words[0])
		mr_finding_detail(finding, "booted with %s", words);
}

static void compare_group(struct look *look)
{
	struct mr_iommu iommu;

	if (read_iommu(look, &iommu))
		look->differs |= strcmp(iommu.group, look->gpu.group) != 0;
}

static int query_machine(const struct mr_host *host, void *data, char *text, size_t size)
{
	struct utsname name;

	(void)host;
	(void)data;
	if (uname(&name))
		return -errno;
	snprintf(text, size, "%s", name.machine);
	return 0;
}

/* Takes "GrdmaPciTopoCheckOverride: 1", a parameter of NVIDIA's driver. */
static bool take_override(const char *line, void *data)
{
	char set;

	if (sscanf(line, "GrdmaPciTopoCheckOverride: %c", &set) != 1)
		return false;
	*(enum mr_tristate *)data = set != '0' ? MR_YES : MR_NO;
	return true;
}

/*
 * NVIDIA's driver compares the groups on machines where CPU and GPU have coherent memory, which are arm64 ones.
 */
void mr_check_iommu_group(const struct mr_question *question, struct mr_finding *finding)
{
	struct look look = { .question = question, .finding = finding, .judge = compare_group };
	enum mr_tristate override = MR_UNKNOWN;
	struct mr_hardware hardware;
	char machine[65];

	mr_hardware_read(question->host, &hardware);
	if (hardware.has_nvidia)
		mr_iommu_read(question->host, hardware.gpu, &look.gpu);
	look_at_devices(&look);
	if (finding->figure[0])
		return;
	if (!hardware.has_nvidia || !look.sum) {
		mr_finding_set(finding, MR_VERDICT_NA, "no NVIDIA GPU beside an RDMA device");
		return;
	}
	mr_host_query(question->host, query_machine, NULL, machine, sizeof(machine),
		      "uname/machine");
	mr_host_lines(question->host, take_override, &override, "/proc/driver/nvidia/params");
	if (!look.differs || override == MR_YES)
		mr_finding_set(
			finding, MR_VERDICT_OK,
			look.differs ? "different, and the driver is configured not to compare them"
				     : "the same for GPU and devices");
	else if (machine[0] && strcmp(machine, "aarch64") != 0)
		mr_finding_set(finding, MR_VERDICT_OK,
			       "different, but the driver does not compare them on %s", machine);
	else if (!machine[0] || override == MR_UNKNOWN)
		mr_finding_judge(finding, MR_VERDICT_UNKNOWN,
				 "grep Grdma /proc/driver/nvidia/params",
				 "different; whether the driver compares them is not known");
	else
		mr_finding_judge(
			finding, MR_VERDICT_WARN,
			"load nvidia with NVreg_GrdmaPciTopoCheckOverride=1, or set ACS by rdma_topo "
			"(rdma-core 61)",
			"GPU %s and RDMA devices have different ones: dma-buf regions of GPU "
			"memory fail where the driver compares them",
			hardware.gpu);
}

static int query_device(const struct mr_host *host, void *data, char *text, size_t size)
{
	const uint64_t of_rxe = MR_RXE_PAGES_MAX * mr_page_size(mr_this_host());
	struct mr_environment environment;
	struct mr_kernel_version version;
	struct mr_attributes attributes;
	struct mr_device device;
	struct mr_error ignored;
	int rc;

	(void)host;
	mr_environment_init(&environment);
	rc = mr_device_open(data, &device, &environment, &ignored);
	if (rc)
		return rc;
	rc = mr_attributes_query(device.context, &attributes, &ignored);
	mr_device_close(&device);
	if (rc)
		return rc;
	/* rxe since Linux 7.0 reports 2^64 - 1, and refuses more pages than it can list. */
	if (!strcmp(environment.provider, "rxe") && attributes.max_mr_size > of_rxe &&
	    mr_kernel_version(environment.simulated ? environment.simulated_kernel
						    : environment.kernel,
			      &version) &&
	    version.major >= 7)
		attributes.max_mr_size = of_rxe;
	snprintf(text, size, "max_mr_size=%" PRIu64 " odp=%" PRIu64, attributes.max_mr_size,
		 attributes.odp.general);
	return 0;
}

int mr_device_limits_query(struct mr_host *host, const char *device,
			   struct mr_device_limits *limits)
{
	char name[64], answer[128];
	uint64_t odp;
	int rc;

	*limits = (struct mr_device_limits){ 0 };
	if ((size_t)snprintf(name, sizeof(name), "%s", device) >= sizeof(name))
		return -ENAMETOOLONG;
	rc = mr_host_query(host, query_device, name, answer, sizeof(answer), "device/%s/limits",
			   name);
	if (rc)
		return rc;
	if (sscanf(answer, "max_mr_size=%" SCNu64 " odp=%" SCNu64, &limits->max_mr_size, &odp) != 2)
		return -EINVAL;
	limits->odp_explicit = odp & 1;
	limits->odp_implicit = odp & 2;
	return 0;
}
