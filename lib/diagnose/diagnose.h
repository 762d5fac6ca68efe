/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Declares the checks of a host, and the findings that they make. */
#ifndef LIB_DIAGNOSE_DIAGNOSE_H
#define LIB_DIAGNOSE_DIAGNOSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/base.h"
#include "lib/host/host.h"
#include "lib/host/reading.h"

/** Severity of a finding, in this order. */
enum mr_verdict {
	MR_VERDICT_NA, /**< does not apply to this host */
	MR_VERDICT_OK,
	MR_VERDICT_UNKNOWN, /**< not known */
	MR_VERDICT_WARN,    /**< works, but will not for some, or may not last */
	MR_VERDICT_BAD,     /**< registration fails, or will */
	MR_VERDICTS,        /**< how many there are */
};

/** The names of verdicts, for output and options. */
extern const struct mr_word mr_verdicts[MR_VERDICTS + 1];

/** The question of a check. */
struct mr_question {
	struct mr_host *host;
	struct mr_opt_u64
		size;       /**< bytes of a planned registration on each device; unknown: none */
	uint64_t huge_size; /**< bytes of the planned memory's huge pages; 0: it has none */
	bool is_gpu;        /**< the planned memory is that of a GPU */
	const char *device; /**< the only device that is asked about; NULL: all */
};

/** The result of a check. */
struct mr_finding {
	enum mr_verdict verdict;
	bool is_hidden; /**< unknown, as in each ordinary container: monitoring must not alarm */
	/**
	 * One line: the figure with its threshold.  It is equal on equal hosts: process ids, and use that
	 * changes by itself, stand in the detail, unless they are the reason of the verdict.
	 */
	char figure[256];
	char detail[256]; /**< what else was seen; may be empty */
	char remedy[256]; /**< remedy; empty if the verdict is ok or n/a */
};

/** mr_finding_judge() - set verdict, remedy and figure */
void mr_finding_judge(struct mr_finding *finding, enum mr_verdict verdict, const char *remedy,
		      const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/** mr_finding_set() - set verdict and figure, without a remedy */
#define mr_finding_set(finding, verdict, ...) mr_finding_judge(finding, verdict, "", __VA_ARGS__)

/** mr_finding_detail() - add to the detail, after "; " where it has some already */
void mr_finding_detail(struct mr_finding *finding, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/** mr_finding_remedy() - set the remedy */
void mr_finding_remedy(struct mr_finding *finding, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/**
 * mr_finding_unread() - set the verdict "unknown", as a file or folder of the host could not be read
 * @path:  absolute
 * @error: the errno, positive; the remedy depends on it
 */
void mr_finding_unread(struct mr_finding *finding, const char *path, int error);

/** A size as text, returned by value: MR_SIZE(bytes) is valid to the end of the expression. */
struct mr_size_text {
	char text[32];
};

/** mr_size_text() - bytes as "8 MiB", or as "1.5 GiB" where the last digit is rounded down */
struct mr_size_text mr_size_text(uint64_t bytes);
#define MR_SIZE(bytes) mr_size_text(bytes).text

/** Names, separated by ", ": as many as fit, and how many more there are. */
struct mr_name_text {
	char text[96];
	unsigned int count;  /**< of all */
	unsigned int hidden; /**< of those that did not fit */
	size_t shown;        /**< bytes of the names in the text */
};

/** mr_name_add() - add a name */
void mr_name_add(struct mr_name_text *names, const char *name);

/**
 * mr_is_simulated() - whether the RDMA devices of the host are simulated
 *
 * They all are, or none is: a process on the simulated HCA (lib/simulator/enter.h) finds no other device.
 */
bool mr_is_simulated(struct mr_host *host);

/**
 * mr_kernel_has_no_say() - begin a check of the kernel's RDMA: its stack, modules, options or control groups
 *
 * Return: whether the devices are simulated; then the finding is set to n/a, and there is nothing to look at.
 */
bool mr_kernel_has_no_say(const struct mr_question *question, struct mr_finding *finding);

/** Who refused. */
enum mr_layer {
	MR_LAYER_UNKNOWN,
	MR_LAYER_LIBIBVERBS,
	MR_LAYER_PROVIDER, /**< the part of rdma-core for one kind of device: libmlx5, ... */
	MR_LAYER_UVERBS,   /**< ib_uverbs and ib_core, which check what each driver would */
	MR_LAYER_MEMORY,   /**< the kernel's memory management, and limits on pinned memory */
	MR_LAYER_DMABUF,   /**< the exporter of a dma-buf */
	MR_LAYER_DRIVER,   /**< mlx5_ib, rdma_rxe, ... */
	MR_LAYER_FIRMWARE, /**< the device itself */
	MR_LAYERS,         /**< how many there are */
};

/** MR_IN_LAYER() - the bit of a layer: MR_IN_LAYER(MEMORY) | MR_IN_LAYER(DRIVER) */
#define MR_IN_LAYER(layer) (1U << MR_LAYER_##layer)

/** "libibverbs", ...; MR_LAYER_UNKNOWN has no name. */
extern const struct mr_word mr_layers[MR_LAYERS];

static inline const char *mr_layer_name(enum mr_layer layer)
{
	return mr_layers[layer].name;
}

/** A network adapter that does RDMA, or may. */
struct mr_adapter {
	char address[16];
	char driver[64];    /**< that is bound to it, or empty */
	const char *needs;  /**< the driver that it needs */
	const char *module; /**< makes an RDMA device of it */
	bool is_certain;    /**< each such adapter does RDMA */
};

struct mr_hardware {
	struct mr_adapter adapters[64];
	size_t count; /**< of adapters; those for which there is no room are left out */
	bool has_nvidia, has_amd;
	bool is_gpu_in_use; /**< a GPU has a driver that exports its memory */
	char gpu[16];       /**< address of the first NVIDIA GPU */
};

/** mr_hardware_read() - find them; those that are given to a virtual machine (vfio) are left out */
void mr_hardware_read(struct mr_host *host, struct mr_hardware *hardware);

/**
 * Pages of a region of rxe since Linux 7.0: it has 16 bytes of each, in one piece of at most 4 MiB
 * (sw/rxe/rxe_mr.c __alloc_mr_page_info(); mm/page_alloc.c, MAX_PAGE_ORDER 10).
 */
#define MR_RXE_PAGES_MAX ((UINT64_C(4) << 20) / 16)

/** Limits of a device. */
struct mr_device_limits {
	uint64_t max_mr_size; /**< bytes; of rxe less than it reports */
	bool odp_explicit, odp_implicit;
};

/** mr_device_limits_query() - open a device and query it.  Return: 0, or -errno. */
int mr_device_limits_query(struct mr_host *host, const char *device,
			   struct mr_device_limits *limits);

/** mr_node_is_permitted() - whether the permission bits of a node let a process open it; false: or they are not known */
bool mr_node_is_permitted(struct mr_host *host, const struct mr_process_status *process,
			  const struct mr_rdma_node *node);

/** mr_kernel_is_since() - whether a version is at least that one */
static inline bool mr_kernel_is_since(struct mr_kernel_version kernel, unsigned int major,
				      unsigned int minor)
{
	return kernel.major > major || (kernel.major == major && kernel.minor >= minor);
}

/** Versions of the kernel's ABI that libibverbs takes: libibverbs/driver.h, rdma/ib_user_verbs.h */
enum { MR_ABI_MIN = 3, MR_ABI_MAX = 6 };

/**
 * mr_mlx4_registerable() - bytes that mlx4 has translations for, in all processes
 * @segments, @pages: set to log_num_mtt and log_mtts_per_seg: 2^log_num_mtt segments of 2^log_mtts_per_seg pages
 *
 * Return: 0 where it is not known, as mlx4_core chooses itself.
 */
uint64_t mr_mlx4_registerable(struct mr_host *host, uint64_t *segments, uint64_t *pages);

/** mr_nvidia_module() - the module that offers memory of NVIDIA's GPUs to ib_core; NULL: none is loaded */
const char *mr_nvidia_module(struct mr_host *host);

/**
 * mr_copies_on_fork() - whether fork(2) copies pinned pages for the child (RDMA_NLDEV_SYS_ATTR_COPY_ON_FORK)
 *
 * Fork protection of libibverbs does nothing then.  Kernels that do not report it do not copy all pages.
 */
enum mr_tristate mr_copies_on_fork(struct mr_host *host);

/**
 * mr_kernel_bug() - the bug of the running kernel that affects data in a region
 * @driver_id: enum rdma_driver_id of the device
 * @access:    enum mr_access of the region
 *
 * Return: a clause for users; NULL where no bug is known, as of simulated devices, and of kernels that are newer
 * than those that were looked at.
 */
const char *mr_kernel_bug(struct mr_host *host, uint32_t driver_id, uint32_t access);

/**
 * mr_memlock_explain() - add the origin of a limit that is too low, and the remedy, to a finding
 * @needed: bytes that would be enough
 */
void mr_memlock_explain(struct mr_host *host, const struct mr_rlimit *limit, uint64_t needed,
			struct mr_finding *finding);

/** A check, which sets the finding. */
typedef void mr_check_function(const struct mr_question *question, struct mr_finding *finding);

/* The functions of the checks, for causes that use them: mr_checks has the subject of each. */
mr_check_function mr_check_memlock, mr_check_ipc_lock, mr_check_user_namespace, mr_check_pinned,
	mr_check_descriptors, mr_check_address_space;
mr_check_function mr_check_rdma_cgroup, mr_check_memory_cgroup, mr_check_hugetlb_cgroup;
mr_check_function mr_check_node, mr_check_node_access, mr_check_sandbox, mr_check_selinux,
	mr_check_netns;
mr_check_function mr_check_available, mr_check_map_count, mr_check_huge_pages, mr_check_thp,
	mr_check_cma;
mr_check_function mr_check_kernel, mr_check_kernel_config, mr_check_modules, mr_check_peer_memory,
	mr_check_udmabuf, mr_check_dma_heap, mr_check_fork;
mr_check_function mr_check_device, mr_check_port, mr_check_odp, mr_check_max_mr, mr_check_fw_pages,
	mr_check_uar, mr_check_iommu, mr_check_iommu_group, mr_check_known_bad;

struct mr_check {
	const char *id;      /**< "MR-MEMLOCK" */
	const char *subject; /**< subject, a few words: "limit of locked memory" */
	const char *group;   /**< neighbours have the same: "limits", "memory", "devices", ... */
	/** Bits of all verdicts that it can have. */
	unsigned int verdicts;
	mr_check_function *look;
};

/** All checks, by group; ends with one that has no id. */
extern const struct mr_check mr_checks[];

/** mr_check_find() - the check with that id (@length bytes, in any case), or NULL */
const struct mr_check *mr_check_find(const char *id, size_t length);

#endif
