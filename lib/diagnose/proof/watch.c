// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/base/base.h"
#include "lib/diagnose/proof/proof.h"
#include "lib/host/reading.h"

#define ENTRY(name_)                                                                               \
	{                                                                                          \
		.name = (name_), .returns = MR_RETURNS_LONG, .is_entry = true, .translates = true, \
		.layer = MR_LAYER_UVERBS                                                           \
	}
#define UVERBS(name_)                                                                              \
	{                                                                                          \
		.name = (name_), .returns = MR_RETURNS_INT, .layer = MR_LAYER_UVERBS               \
	}
#define DRIVER(provider_, returns_, name_)                                                         \
	{                                                                                          \
		.name = (name_), .returns = MR_RETURNS_##returns_, .provider = (provider_),        \
		.layer = MR_LAYER_DRIVER                                                           \
	}
#define MEMORY(returns_, name_, ...)                                                               \
	{                                                                                          \
		.name = (name_), .returns = MR_RETURNS_##returns_, .layer = MR_LAYER_MEMORY,       \
		__VA_ARGS__                                                                        \
	}
#define DMABUF(returns_, name_)                                                                    \
	{                                                                                          \
		.name = (name_), .returns = MR_RETURNS_##returns_, .layer = MR_LAYER_DMABUF        \
	}
#define FIRMWARE(name_, ...)                                                                       \
	{                                                                                          \
		.name = (name_), .returns = MR_RETURNS_INT, .provider = "mlx5",                    \
		.layer = MR_LAYER_FIRMWARE, __VA_ARGS__                                            \
	}

#define ALSO_DRIVER (MR_IN_LAYER(DRIVER) | MR_IN_LAYER(MEMORY))

/*
 * Names of Linux 6.1 to 7.2.  A name that a kernel does not have, or has inlined, cannot be watched, and the
 * function that calls it stands for it.  Operations of drivers are called by pointer, so they are never inlined.
 */
const struct mr_kernel_function mr_kernel_functions[] = {
	/* drivers/infiniband/core/uverbs_*.c */
	ENTRY("ib_uverbs_ioctl"),
	ENTRY("ib_uverbs_write"),
	{ .name = "ib_uverbs_open",
	  .returns = MR_RETURNS_INT,
	  .is_entry = true,
	  .layer = MR_LAYER_UVERBS },
	{ .name = "ib_uverbs_mmap",
	  .returns = MR_RETURNS_INT,
	  .is_entry = true,
	  .layer = MR_LAYER_UVERBS },
	UVERBS("ib_uverbs_invoke_write"),
	UVERBS("ib_uverbs_handler_UVERBS_METHOD_INVOKE_WRITE"),
	UVERBS("ib_uverbs_handler_UVERBS_METHOD_REG_MR"),
	UVERBS("ib_uverbs_handler_UVERBS_METHOD_REG_DMABUF_MR"),
	UVERBS("ib_uverbs_handler_UVERBS_METHOD_DM_MR_REG"),
	UVERBS("ib_uverbs_handler_UVERBS_METHOD_DM_ALLOC"),
	UVERBS("ib_uverbs_handler_UVERBS_METHOD_ADVISE_MR"),
	UVERBS("ib_uverbs_reg_mr"),
	UVERBS("ib_uverbs_rereg_mr"),
	UVERBS("ib_uverbs_dereg_mr"),
	UVERBS("ib_uverbs_alloc_pd"),
	UVERBS("ib_uverbs_dealloc_pd"),
	UVERBS("uverbs_free_mr"),
	UVERBS("uverbs_free_pd"),
	UVERBS("ib_dereg_mr_user"),
	UVERBS("ib_dealloc_pd_user"),
	{ .name = "ib_rdmacg_try_charge",
	  .returns = MR_RETURNS_INT,
	  .layer = MR_LAYER_UVERBS,
	  .also = MR_IN_LAYER(MEMORY) },
	{ .name = "rdmacg_try_charge",
	  .returns = MR_RETURNS_INT,
	  .layer = MR_LAYER_UVERBS,
	  .also = MR_IN_LAYER(MEMORY) },

	/* drivers/infiniband/hw/mlx5: operations, and what they share */
	DRIVER("mlx5", INT, "mlx5_ib_alloc_ucontext"),
	DRIVER("mlx5", INT, "mlx5_ib_alloc_pd"),
	DRIVER("mlx5", INT, "mlx5_ib_dealloc_pd"),
	DRIVER("mlx5", LONG, "mlx5_ib_reg_user_mr"),
	DRIVER("mlx5", LONG, "mlx5_ib_reg_user_mr_dmabuf"),
	DRIVER("mlx5", LONG, "mlx5_ib_rereg_user_mr"),
	DRIVER("mlx5", LONG, "mlx5_ib_reg_dm_mr"),
	DRIVER("mlx5", LONG, "mlx5_ib_alloc_dm"),
	DRIVER("mlx5", INT, "mlx5_ib_dereg_mr"),
	DRIVER("mlx5", INT, "mlx5_ib_advise_mr"),
	DRIVER("mlx5", INT, "mlx5_ib_handler_MLX5_IB_METHOD_DEVX_UMEM_REG"),
	DRIVER("mlx5", INT, "devx_umem_cleanup"),
	DRIVER("mlx5", LONG, "create_real_mr"),
	DRIVER("mlx5", LONG, "create_user_odp_mr"),
	DRIVER("mlx5", LONG, "reg_user_mr_dmabuf"),
	DRIVER("mlx5", LONG, "alloc_cacheable_mr"),
	DRIVER("mlx5", LONG, "reg_create"),
	DRIVER("mlx5", INT, "devx_umem_get"),
	DRIVER("mlx5", INT, "mlx5_ib_init_odp_mr"),
	DRIVER("mlx5", INT, "mlx5_ib_init_dmabuf_mr"),
	DRIVER("mlx5", INT, "mlx5_ib_create_mkey"),
	DRIVER("mlx5", INT, "mlx5_core_create_mkey"),
	DRIVER("mlx5", INT, "mlx5_core_destroy_mkey"),

	/* drivers/infiniband/sw/rxe */
	DRIVER("rxe", INT, "rxe_alloc_ucontext"),
	DRIVER("rxe", INT, "rxe_alloc_pd"),
	DRIVER("rxe", INT, "rxe_dealloc_pd"),
	DRIVER("rxe", LONG, "rxe_reg_user_mr"),
	DRIVER("rxe", LONG, "rxe_rereg_user_mr"),
	DRIVER("rxe", INT, "rxe_dereg_mr"),
	DRIVER("rxe", INT, "rxe_ib_advise_mr"),
	DRIVER("rxe", INT, "rxe_odp_mr_init_user"),
	DRIVER("rxe", INT, "rxe_mr_init_user"),

	/*
	 * The device.  A work request by which mlx5 changes a key (UMR) that it refuses comes out as EFAULT
	 * or EIO of mlx5r_umr_post_send_wait().  mlx5_cmd_exec() makes an errno of the status that the
	 * firmware answers; cmd_exec() fails where there is no answer.
	 */
	DRIVER("mlx5", INT, "mlx5r_umr_update_xlt"),
	DRIVER("mlx5", INT, "mlx5r_umr_update_mr_pas"),
	DRIVER("mlx5", INT, "mlx5r_umr_rereg_pd_access"),
	DRIVER("mlx5", INT, "mlx5r_umr_revoke_mr"),
	FIRMWARE("mlx5r_umr_post_send_wait"),
	FIRMWARE("mlx5_cmd_exec", .translates = true, .also = ALSO_DRIVER),
	FIRMWARE("mlx5_cmd_do", .translates = true, .also = ALSO_DRIVER),
	FIRMWARE("cmd_exec", .also = ALSO_DRIVER),

	/* drivers/infiniband/core/umem*.c: the limit of locked memory, and rules for ranges and access */
	MEMORY(LONG, "ib_umem_get", .checks = true),
	MEMORY(LONG, "ib_umem_get_desc", .checks = true),
	MEMORY(LONG, "__ib_umem_get_va", .checks = true),
	MEMORY(LONG, "ib_umem_odp_get", .checks = true),
	MEMORY(LONG, "ib_umem_odp_alloc_implicit", .checks = true),
	MEMORY(INT, "ib_umem_odp_map_dma_and_lock"),
	UVERBS("ib_umem_check_rereg"),

	/* drivers/infiniband/core/umem_dmabuf.c, drivers/dma-buf/dma-buf.c */
	{ .name = "ib_umem_dmabuf_get",
	  .returns = MR_RETURNS_LONG,
	  .layer = MR_LAYER_DMABUF,
	  .also = MR_IN_LAYER(UVERBS) },
	{ .name = "ib_umem_dmabuf_get_pinned",
	  .returns = MR_RETURNS_LONG,
	  .layer = MR_LAYER_DMABUF,
	  .also = MR_IN_LAYER(UVERBS) },
	DMABUF(INT, "ib_umem_dmabuf_map_pages"),
	DMABUF(LONG, "dma_buf_get"),
	DMABUF(LONG, "dma_buf_dynamic_attach"),
	DMABUF(INT, "dma_buf_pin"),
	DMABUF(LONG, "dma_buf_map_attachment"),

	/* mm/gup.c, kernel/dma/mapping.c */
	MEMORY(INT, "dma_map_sgtable"),
	MEMORY(INT, "pin_user_pages_fast"),
	MEMORY(LONG, "__gup_longterm_locked", .translates = true),
	MEMORY(LONG, "__get_user_pages"),
	MEMORY(INT, "migrate_pages"),
	{ .name = NULL },
};

int mr_kernel_function_errno(const struct mr_kernel_function *function, uint64_t value)
{
	const int64_t number =
		function->returns == MR_RETURNS_INT ? (int32_t)(uint32_t)value : (int64_t)value;

	return number < 0 && number >= -4095 ? (int)-number : 0;
}

/* Pages for records, a power of 2: some 6,000 records of 40 bytes, below what a user may have (perf_event_mlock_kb) */
#define DATA_PAGES 64U

/*
 * Registers of the machine by their numbers in uapi/asm/perf_regs.h: the one of return values, and the stack
 * pointer.
 */
#if defined(__x86_64__)
#define REGISTER_VALUE 0
#define REGISTER_STACK 7
#elif defined(__aarch64__)
#define REGISTER_VALUE 0
#define REGISTER_STACK 31
#elif defined(__powerpc64__)
#define REGISTER_VALUE 3
#define REGISTER_STACK 1
#elif defined(__s390x__)
#define REGISTER_VALUE 2
#define REGISTER_STACK 15
#elif defined(__riscv)
#define REGISTER_VALUE 10
#define REGISTER_STACK 2
#else
#define REGISTER_VALUE -1
#define REGISTER_STACK -1
#endif

#define BIT(number) (UINT64_C(1) << ((number) < 0 ? 0 : (number)))

/* A record, as sample_type and sample_regs_intr ask for it. */
struct record {
	struct perf_event_header header;
	uint64_t id;
	uint64_t abi;
	uint64_t registers[2]; /* in the order of their numbers */
};

/* Whether this process can have no more of what a probe takes, so that not all could be put up. */
static bool is_exhausted(int errnum)
{
	return errnum == EMFILE || errnum == ENFILE || errnum == ENOMEM;
}

int mr_kprobe_fail(int errnum, struct mr_error *err)
{
	mr_fail(err, MR_ERROR_HOST, errnum, "perf_event_open",
		"functions of the kernel cannot be watched");
	if (errnum == EACCES || errnum == EPERM)
		mr_hint(err, geteuid() ? "only root may (CAP_PERFMON or CAP_SYS_ADMIN): run it by "
					 "sudo"
				       : "root may not here: the kernel is locked down "
					 "(/sys/kernel/security/lockdown), or this is a container "
					 "without CAP_PERFMON; run it on the host");
	else if (is_exhausted(errnum))
		mr_hint(err, "%s",
			errnum == ENOMEM ? "no mapping is left: raise vm.max_map_count or ulimit -v"
					 : "no file can be opened: raise ulimit -n");
	else if (errnum == ENOENT)
		mr_hint(err, "the kernel has none of the functions: ib_uverbs is not loaded");
	else
		mr_hint(err, "the kernel needs CONFIG_KPROBE_EVENTS and CONFIG_PERF_EVENTS");
	return -errnum;
}

int mr_kprobe_open(uint64_t type, const struct mr_kprobe *probe)
{
	struct perf_event_attr attributes = {
		.type = (uint32_t)type,
		.size = sizeof(attributes),
		.config =
			!probe->at_entry, /* /sys/bus/event_source/devices/kprobe/format/retprobe */
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_REGS_INTR,
		.sample_regs_intr = BIT(REGISTER_VALUE) | BIT(REGISTER_STACK),
		.write_backward = 1,
		.kprobe_func = (uint64_t)(uintptr_t)probe->function,
	};

	return (int)syscall(SYS_perf_event_open, &attributes, probe->by_program ? -1 : 0,
			    probe->by_program ? 0 : -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/* Lets a probe write into the buffer, which the first probe brings. */
static bool join_buffer(struct mr_watch *watch, int probe, int first, uint64_t *id)
{
	const size_t size = (size_t)sysconf(_SC_PAGESIZE) * (1 + DATA_PAGES);

	if (ioctl(probe, PERF_EVENT_IOC_ID, id))
		return false;
	if (watch->buffer)
		return !ioctl(probe, PERF_EVENT_IOC_SET_OUTPUT, first);
	watch->buffer = mmap(NULL, size, PROT_READ, MAP_SHARED, probe, 0);
	if (watch->buffer == MAP_FAILED)
		watch->buffer = NULL;
	return watch->buffer != NULL;
}

/* Where the newest record is; the kernel writes each one before the one that came before it. */
static uint64_t newest(const struct mr_watch *watch)
{
	const struct perf_event_mmap_page *page = watch->buffer;

	return __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
}

static void copy_record(const struct mr_watch *watch, uint64_t place, struct record *record)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), size = page * DATA_PAGES;
	const unsigned char *data = (const unsigned char *)watch->buffer + page;

	for (size_t i = 0; i < sizeof(*record); i++)
		((unsigned char *)record)[i] = data[(place + i) & (size - 1)];
}

static bool find_probe(const struct mr_watch *watch, uint64_t id, unsigned int *function)
{
	for (unsigned int i = 0; mr_kernel_functions[i].name; i++)
		if (watch->probes[i] >= 0 && watch->ids[i] == id) {
			*function = i;
			return true;
		}
	return false;
}

size_t mr_watch_read(const struct mr_watch *watch, struct mr_return *returns, size_t max)
{
	const uint64_t room = (uint64_t)sysconf(_SC_PAGESIZE) * DATA_PAGES;
	uint64_t place, left;
	struct record record;
	size_t count = 0;

	if (!watch->buffer)
		return 0;
	place = newest(watch);
	left = watch->mark - place;
	if (left > room) /* older ones have been written over */
		left = room;
	for (; left >= sizeof(record) && count < max; place += record.header.size) {
		copy_record(watch, place, &record);
		if (record.header.size < sizeof(record.header) || record.header.size > left)
			break;
		left -= record.header.size;
		if (record.header.type != PERF_RECORD_SAMPLE ||
		    record.header.size != sizeof(record) ||
		    !find_probe(watch, record.id, &returns[count].function))
			continue;
		returns[count].value = record.registers[REGISTER_VALUE > REGISTER_STACK];
		returns[count].stack = record.registers[REGISTER_VALUE < REGISTER_STACK];
		count++;
	}
	return count;
}

void mr_watch_mark(struct mr_watch *watch)
{
	if (watch->buffer)
		watch->mark = newest(watch);
}

/*
 * Probes can stand and record nothing: kprobes can be switched off (/sys/kernel/debug/kprobes/enabled), and
 * what they do not see must not count as what did not happen.  So opening a file that does not exist has to
 * appear.  Return: 0; -ENODATA: it does not; or -errno where that could not be tried.
 */
static int see_open(uint64_t type)
{
	static const char *const functions[] = { "do_sys_openat2", "do_filp_open", "do_file_open" };
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct mr_watch trial = { .probes = { -1 } };
	struct record record = { .id = 0 };
	mr_auto_fd int probe = -1;
	int rc = -ENODATA;

	for (size_t i = 0; probe < 0 && i < sizeof(functions) / sizeof(*functions); i++)
		probe = mr_kprobe_open(type, &(struct mr_kprobe){ .function = functions[i] });
	if (probe < 0)
		return errno == ENOENT || errno == EADDRNOTAVAIL ? -ENODATA : -errno;
	trial.buffer = mmap(NULL, page * (1 + DATA_PAGES), PROT_READ, MAP_SHARED, probe, 0);
	if (trial.buffer == MAP_FAILED)
		return -errno;
	if (open("/dev/null/none", O_RDONLY | O_CLOEXEC) < 0 && is_exhausted(errno)) {
		rc = -errno;
	} else if (newest(&trial)) {
		copy_record(&trial, newest(&trial), &record);
		if (record.header.size == sizeof(record) &&
		    (int32_t)record.registers[REGISTER_VALUE > REGISTER_STACK] == -ENOTDIR)
			rc = 0;
	}
	munmap(trial.buffer, page * (1 + DATA_PAGES));
	return rc;
}

int mr_kprobe_type(uint64_t *type, struct mr_error *err)
{
	int rc;

	if (REGISTER_VALUE < 0 ||
	    !mr_host_number(mr_this_host(), type, "/sys/bus/event_source/devices/kprobe/type"))
		return mr_kprobe_fail(EOPNOTSUPP, err);
	rc = see_open(*type);
	if (rc != -ENODATA)
		return rc ? mr_kprobe_fail(-rc, err) : 0;
	mr_fail_text(err, MR_ERROR_HOST, ENODATA, "probes in the kernel record nothing");
	mr_hint(err, "kprobes are switched off: echo 1 >/sys/kernel/debug/kprobes/enabled");
	return rc;
}

static int put_up_probes(struct mr_watch *watch, uint64_t type)
{
	int first = -1, errnum = ENOENT;

	for (unsigned int i = 0; mr_kernel_functions[i].name; i++) {
		watch->probes[i] = mr_kprobe_open(
			type, &(struct mr_kprobe){ .function = mr_kernel_functions[i].name });
		if (watch->probes[i] < 0) {
			if (is_exhausted(errno))
				return -errno;
			if (errno != ENOENT && errno != EADDRNOTAVAIL)
				errnum = errno;
			continue;
		}
		if (!join_buffer(watch, watch->probes[i], first, &watch->ids[i])) {
			errnum = errno;
			close(watch->probes[i]);
			watch->probes[i] = -1;
		} else if (first < 0) {
			first = watch->probes[i];
		}
	}
	return watch->buffer ? 0 : -errnum;
}

int mr_watch_begin(struct mr_watch *watch, struct mr_error *err)
{
	uint64_t type;
	int rc;

	for (size_t i = 0; i < MR_KERNEL_FUNCTIONS_MAX; i++)
		watch->probes[i] = -1;
	watch->buffer = NULL;
	rc = mr_kprobe_type(&type, err);
	if (rc)
		return rc;
	rc = put_up_probes(watch, type);
	if (rc) {
		mr_watch_end(watch);
		return mr_kprobe_fail(-rc, err);
	}
	mr_watch_mark(watch);
	return 0;
}

void mr_watch_end(struct mr_watch *watch)
{
	if (watch->buffer)
		munmap(watch->buffer, (size_t)sysconf(_SC_PAGESIZE) * (1 + DATA_PAGES));
	watch->buffer = NULL;
	for (size_t i = 0; i < MR_KERNEL_FUNCTIONS_MAX; i++) {
		if (watch->probes[i] >= 0)
			close(watch->probes[i]);
		watch->probes[i] = -1;
	}
}
