// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/base.h"
#include "lib/diagnose/copy_on_fork.h"
#include "lib/diagnose/hardware.h"
#include "lib/diagnose/kernel.h"
#include "lib/diagnose/simulated.h"
#include "lib/host/host.h"
#include "lib/host/processes.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* ---- release ---- */

/* What mainline kernels have from a release on. */
static const struct {
	struct mr_kernel_version since;
	const char *what;
} kernel_news[] = {
	{ { 5, 12 }, "regions of dma-bufs (ibv_reg_dmabuf_mr)" },
	/* Pages were copied before; libibverbs and others go by the answer of RDMA netlink, which is as old. */
	{ { 5, 13 }, "copying of all pinned pages on fork" },
};

static bool is_before(struct mr_kernel_version version, struct mr_kernel_version since)
{
	return version.major < since.major ||
	       (version.major == since.major && version.minor < since.minor);
}

/* Adds what an older kernel lacks.  Return: whether there is anything. */
static bool list_lacking(struct mr_kernel_version version, char *text, size_t size)
{
	size_t used = 0;

	for (size_t i = 0; i < COUNT(kernel_news); i++)
		if (is_before(version, kernel_news[i].since) && used < size)
			used += (size_t)snprintf(text + used, size - used, "%s%s (%u.%u)",
						 used ? ", " : "", kernel_news[i].what,
						 kernel_news[i].since.major,
						 kernel_news[i].since.minor);
	return used;
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
			       release[0] ? "'%s' is no release of a kernel"
					  : "%s/proc/sys/kernel/osrelease cannot be read",
			       release);
		mr_finding_remedy(finding, release[0] ? "uname -r" : "ls -l /proc/sys/kernel");
	} else if (!list_lacking(version, lacking, sizeof(lacking))) {
		mr_finding_set(finding, MR_VERDICT_OK, "%s", release);
	} else if (has_additions(question->host, release)) {
		mr_finding_set(finding, MR_VERDICT_NA,
			       "%s: mainline of that release lacks %s; its vendor may have added "
			       "it, which mrctl stat --probe finds out",
			       release, lacking);
	} else {
		mr_finding_set(finding, MR_VERDICT_WARN, "%s lacks %s", release, lacking);
		mr_finding_remedy(finding, "boot a newer kernel where programs need this");
	}
}

/* ---- options ---- */

/* The first options that are looked at. */
enum { RDMA, RDMA_FOR_PROGRAMS, ON_DEMAND_PAGING };

/* What an option that is off means. */
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

/* What of RDMA is here, whatever the options are. */
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

/* What a missing option means on this host. */
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

/* No file tells: containers have none of their host's.  Devices that are there tell what matters most. */
static void judge_without_file(const struct mr_question *question, const struct rdma_here *here,
			       const char *why, struct mr_finding *finding)
{
	if (here->has_uverbs) {
		mr_finding_set(finding, MR_VERDICT_OK,
			       "RDMA for programs, as /sys shows; no file tells the others");
	} else if (!here->has_adapter && mr_host_exists(question->host, "/sys/class")) {
		mr_finding_set(finding, MR_VERDICT_NA,
			       "no file tells them, and no adapter is known to need one");
	} else {
		mr_finding_set(finding, MR_VERDICT_UNKNOWN, "%s", why);
		mr_finding_remedy(finding,
				  "look into /boot/config-$(uname -r), or zgrep INFINIBAND "
				  "/proc/config.gz");
		return;
	}
	mr_finding_detail(finding, "%s", why);
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
			 rc ? "file with the options of this kernel: %s%s"
			    : "%s%s does not mention CONFIG_INFINIBAND",
			 rc ? mr_errno_text(-rc) : "", path);
		judge_without_file(question, &here, why, finding);
		return;
	}
	mr_finding_set(finding, MR_VERDICT_OK, "RDMA for programs, on-demand paging");
	if (options[ON_DEMAND_PAGING].is_on != MR_YES)
		mr_finding_set(finding, MR_VERDICT_OK, "RDMA for programs");
	judge_options(options, &here, path, finding);
}

/* ---- dma-bufs to try with ---- */

/* These are conveniences for trying: their absence is nobody's fault, and must not fail a node. */
static void check_node(const struct mr_question *question, const char *path, const char *option,
		       struct mr_finding *finding)
{
	const int rc = mr_host_open_device(question->host, "%s", path);

	if (!rc)
		mr_finding_set(finding, MR_VERDICT_OK, "%s, this user may open it", path);
	else if (rc == -EACCES || rc == -EPERM)
		mr_finding_set(finding, MR_VERDICT_NA, "%s, for other users than this one (%s)",
			       path, mr_errno_name(-rc));
	else if (rc == -ENOENT)
		mr_finding_set(finding, MR_VERDICT_NA, "there is no %s (%s)", path, option);
	else {
		mr_finding_set(finding, MR_VERDICT_UNKNOWN, "%s: %s", path, mr_errno_text(-rc));
		mr_finding_remedy(finding, "see what %s is: ls -l %s", path, path);
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

/* ---- fork ---- */

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
	} else if (fork.is_asked) {
		mr_finding_set(finding, MR_VERDICT_OK,
			       "RDMAV_FORK_SAFE or IBV_FORK_SAFE asks libibverbs for protection");
		if (!fork.huge_pages)
			mr_finding_detail(finding,
					  "a part of a huge page cannot be registered then without "
					  "RDMAV_HUGEPAGES_SAFE (EINVAL)");
	} else if (copies == MR_NO) {
		mr_finding_set(finding, MR_VERDICT_WARN,
			       "the kernel does not copy pinned pages on fork, and nothing asks "
			       "libibverbs for protection");
		mr_finding_remedy(
			finding, "set RDMAV_FORK_SAFE=1 for programs that fork, or boot Linux 5.13 "
				 "or newer");
	} else if (mr_host_exists(question->host, "/sys/class") &&
		   !mr_host_exists(question->host, "/sys/class/infiniband")) {
		mr_finding_set(finding, MR_VERDICT_NA, "no RDMA devices");
	} else {
		mr_finding_set(finding, MR_VERDICT_UNKNOWN,
			       "the kernel does not answer by RDMA netlink");
		mr_finding_remedy(finding, "modprobe ib_core");
	}
}
