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
#include "lib/host/host.h"
#include "lib/host/reading.h"

#define ROW(returns_, layer_, name_, ...)                                                          \
	{                                                                                          \
		.name = (name_), .is_long = returns_, .layer = MR_LAYER_##layer_, __VA_ARGS__      \
	}
#define LONG        true
#define INT         false
#define MLX5        .provider = "mlx5"
#define RXE         .provider = "rxe"

#define ALSO_DRIVER (MR_IN_LAYER(DRIVER) | MR_IN_LAYER(MEMORY))

/*
 * Names of Linux 6.1 to 7.2.  A name that a kernel does not have, or has inlined, cannot be watched, and the function
 * that calls it represents it.  Operations of drivers are called by pointer, so they are never inlined.
 */
const struct mr_kernel_function mr_kernel_functions[] = {
	/* drivers/infiniband/core/uverbs_*.c */
	ROW(LONG, UVERBS, "ib_uverbs_ioctl", .is_entry = true, .translates = true),
	ROW(LONG, UVERBS, "ib_uverbs_write", .is_entry = true, .translates = true),
	ROW(INT, UVERBS, "ib_uverbs_open", .is_entry = true),
	ROW(INT, UVERBS, "ib_uverbs_mmap", .is_entry = true),
	ROW(INT, UVERBS, "ib_uverbs_invoke_write"),
	ROW(INT, UVERBS, "ib_uverbs_handler_UVERBS_METHOD_INVOKE_WRITE"),
	ROW(INT, UVERBS, "ib_uverbs_handler_UVERBS_METHOD_REG_MR"),
	ROW(INT, UVERBS, "ib_uverbs_handler_UVERBS_METHOD_REG_DMABUF_MR"),
	ROW(INT, UVERBS, "ib_uverbs_handler_UVERBS_METHOD_DM_MR_REG"),
	ROW(INT, UVERBS, "ib_uverbs_handler_UVERBS_METHOD_DM_ALLOC"),
	ROW(INT, UVERBS, "ib_uverbs_handler_UVERBS_METHOD_ADVISE_MR"),
	ROW(INT, UVERBS, "ib_uverbs_reg_mr"),
	ROW(INT, UVERBS, "ib_uverbs_rereg_mr"),
	ROW(INT, UVERBS, "ib_uverbs_dereg_mr"),
	ROW(INT, UVERBS, "ib_uverbs_alloc_pd"),
	ROW(INT, UVERBS, "ib_uverbs_dealloc_pd"),
	ROW(INT, UVERBS, "uverbs_free_mr"),
	ROW(INT, UVERBS, "uverbs_free_pd"),
	ROW(INT, UVERBS, "ib_dereg_mr_user"),
	ROW(INT, UVERBS, "ib_dealloc_pd_user"),
	ROW(INT, UVERBS, "ib_rdmacg_try_charge", .also = MR_IN_LAYER(MEMORY)),
	ROW(INT, UVERBS, "rdmacg_try_charge", .also = MR_IN_LAYER(MEMORY)),

	/* drivers/infiniband/hw/mlx5: operations, and what they share */
	ROW(INT, DRIVER, "mlx5_ib_alloc_ucontext", MLX5),
	ROW(INT, DRIVER, "mlx5_ib_alloc_pd", MLX5),
	ROW(INT, DRIVER, "mlx5_ib_dealloc_pd", MLX5),
	ROW(LONG, DRIVER, "mlx5_ib_reg_user_mr", MLX5),
	ROW(LONG, DRIVER, "mlx5_ib_reg_user_mr_dmabuf", MLX5),
	ROW(LONG, DRIVER, "mlx5_ib_rereg_user_mr", MLX5),
	ROW(LONG, DRIVER, "mlx5_ib_reg_dm_mr", MLX5),
	ROW(LONG, DRIVER, "mlx5_ib_alloc_dm", MLX5),
	ROW(INT, DRIVER, "mlx5_ib_dereg_mr", MLX5),
	ROW(INT, DRIVER, "mlx5_ib_advise_mr", MLX5),
	ROW(INT, DRIVER, "mlx5_ib_handler_MLX5_IB_METHOD_DEVX_UMEM_REG", MLX5),
	ROW(INT, DRIVER, "devx_umem_cleanup", MLX5),
	ROW(LONG, DRIVER, "create_real_mr", MLX5),
	ROW(LONG, DRIVER, "create_user_odp_mr", MLX5),
	ROW(LONG, DRIVER, "reg_user_mr_dmabuf", MLX5),
	ROW(LONG, DRIVER, "alloc_cacheable_mr", MLX5),
	ROW(LONG, DRIVER, "reg_create", MLX5),
	ROW(INT, DRIVER, "devx_umem_get", MLX5),
	ROW(INT, DRIVER, "mlx5_ib_init_odp_mr", MLX5),
	ROW(INT, DRIVER, "mlx5_ib_init_dmabuf_mr", MLX5),
	ROW(INT, DRIVER, "mlx5_ib_create_mkey", MLX5),
	ROW(INT, DRIVER, "mlx5_core_create_mkey", MLX5),
	ROW(INT, DRIVER, "mlx5_core_destroy_mkey", MLX5),

	/* drivers/infiniband/sw/rxe */
	ROW(INT, DRIVER, "rxe_alloc_ucontext", RXE),
	ROW(INT, DRIVER, "rxe_alloc_pd", RXE),
	ROW(INT, DRIVER, "rxe_dealloc_pd", RXE),
	ROW(LONG, DRIVER, "rxe_reg_user_mr", RXE),
	ROW(LONG, DRIVER, "rxe_rereg_user_mr", RXE),
	ROW(INT, DRIVER, "rxe_dereg_mr", RXE),
	ROW(INT, DRIVER, "rxe_ib_advise_mr", RXE),
	ROW(INT, DRIVER, "rxe_odp_mr_init_user", RXE),
	ROW(INT, DRIVER, "rxe_mr_init_user", RXE),

	/*
	 * The device.  A work request by which mlx5 changes a key (UMR) that it refuses comes out as EFAULT
	 * or EIO of mlx5r_umr_post_send_wait().  mlx5_cmd_exec() makes an errno of the status that the
	 * firmware answers; cmd_exec() fails where there is no answer.
	 */
	ROW(INT, DRIVER, "mlx5r_umr_update_xlt", MLX5),
	ROW(INT, DRIVER, "mlx5r_umr_update_mr_pas", MLX5),
	ROW(INT, DRIVER, "mlx5r_umr_rereg_pd_access", MLX5),
	ROW(INT, DRIVER, "mlx5r_umr_revoke_mr", MLX5),
	ROW(INT, FIRMWARE, "mlx5r_umr_post_send_wait", MLX5),
	ROW(INT, FIRMWARE, "mlx5_cmd_exec", MLX5, .translates = true, .also = ALSO_DRIVER),
	ROW(INT, FIRMWARE, "mlx5_cmd_do", MLX5, .translates = true, .also = ALSO_DRIVER),
	ROW(INT, FIRMWARE, "cmd_exec", MLX5, .also = ALSO_DRIVER),

	/* drivers/infiniband/core/umem*.c: the limit of locked memory, and rules for ranges and access */
	ROW(LONG, MEMORY, "ib_umem_get", .checks = true),
	ROW(LONG, MEMORY, "ib_umem_get_desc", .checks = true),
	ROW(LONG, MEMORY, "__ib_umem_get_va", .checks = true),
	ROW(LONG, MEMORY, "ib_umem_odp_get", .checks = true),
	ROW(LONG, MEMORY, "ib_umem_odp_alloc_implicit", .checks = true),
	ROW(INT, MEMORY, "ib_umem_odp_map_dma_and_lock"),
	ROW(INT, UVERBS, "ib_umem_check_rereg"),

	/* drivers/infiniband/core/umem_dmabuf.c, drivers/dma-buf/dma-buf.c */
	ROW(LONG, DMABUF, "ib_umem_dmabuf_get", .also = MR_IN_LAYER(UVERBS)),
	ROW(LONG, DMABUF, "ib_umem_dmabuf_get_pinned", .also = MR_IN_LAYER(UVERBS)),
	ROW(INT, DMABUF, "ib_umem_dmabuf_map_pages"),
	ROW(LONG, DMABUF, "dma_buf_get"),
	ROW(LONG, DMABUF, "dma_buf_dynamic_attach"),
	ROW(INT, DMABUF, "dma_buf_pin"),
	ROW(LONG, DMABUF, "dma_buf_map_attachment"),

	/* mm/gup.c, kernel/dma/mapping.c */
	ROW(INT, MEMORY, "dma_map_sgtable"),
	ROW(INT, MEMORY, "pin_user_pages_fast"),
	ROW(LONG, MEMORY, "__gup_longterm_locked", .translates = true),
	ROW(LONG, MEMORY, "__get_user_pages"),
	ROW(INT, MEMORY, "migrate_pages"),
	{ .name = NULL },
};

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

/* A record, in the layout of sample_type and sample_regs_intr. */
struct record {
	struct perf_event_header header;
	uint64_t id;
	uint64_t abi;
	uint64_t registers[2]; /* in the order of their numbers */
};

/* Whether this process has no more resources for probes, so that some are missing. */
static bool is_exhausted(int errnum)
{
	return errnum == EMFILE || errnum == ENFILE || errnum == ENOMEM;
}

int mr_kprobe_fail(int errnum, struct mr_error *err)
{
	mr_fail(err, MR_ERROR_HOST, errnum, "perf_event_open",
		"functions of the kernel cannot be watched");
	if (errnum == EACCES || errnum == EPERM)
		mr_hint(err,
			geteuid()
				? "this requires root (CAP_PERFMON or CAP_SYS_ADMIN): run mrctl with sudo"
				: "root has no permission here: the kernel is locked down "
				  "(/sys/kernel/security/lockdown), or this is a container "
				  "without CAP_PERFMON; run mrctl on the host");
	else if (is_exhausted(errnum))
		mr_hint(err, "%s",
			errnum == ENOMEM ? "no more memory can be mapped: raise vm.max_map_count "
					   "or ulimit -v"
					 : "no more files can be opened: raise ulimit -n");
	else if (errnum == ENOENT)
		mr_hint(err, "the kernel does not have the functions: ib_uverbs is not loaded");
	else
		mr_hint(err,
			"this requires a kernel with CONFIG_KPROBE_EVENTS and CONFIG_PERF_EVENTS");
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

/* Place of the newest record: the kernel writes backwards, each record before the previous one. */
static uint64_t newest(const struct perf_event_mmap_page *page)
{
	return __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
}

static void copy_record(const void *buffer, uint64_t place, struct record *record)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), size = page * DATA_PAGES;
	const unsigned char *data = (const unsigned char *)buffer + page;

	for (size_t i = 0; i < sizeof(*record); i++)
		((unsigned char *)record)[i] = data[(place + i) & (size - 1)];
}

/* Maps the buffer of a probe.  Return: MAP_FAILED with errno */
static void *map_buffer(int probe)
{
	return mmap(NULL, (size_t)sysconf(_SC_PAGESIZE) * (1 + DATA_PAGES), PROT_READ, MAP_SHARED,
		    probe, 0);
}

static void unmap_buffer(void *buffer)
{
	munmap(buffer, (size_t)sysconf(_SC_PAGESIZE) * (1 + DATA_PAGES));
}

static size_t read_watch(const struct mr_proof *proof, struct mr_return *returns, size_t max)
{
	const uint64_t room = (uint64_t)sysconf(_SC_PAGESIZE) * DATA_PAGES;
	uint64_t place, left;
	struct record record;
	size_t count = 0;

	if (!proof->buffer)
		return 0;
	place = newest(proof->buffer);
	left = proof->mark - place;
	if (left > room) /* older ones have been written over */
		left = room;
	for (; left >= sizeof(record) && count < max; place += record.header.size) {
		unsigned int function = 0;

		copy_record(proof->buffer, place, &record);
		if (record.header.size < sizeof(record.header) || record.header.size > left)
			break;
		left -= record.header.size;
		while (mr_kernel_functions[function].name &&
		       (proof->probes[function] < 0 || proof->ids[function] != record.id))
			function++;
		if (record.header.type != PERF_RECORD_SAMPLE ||
		    record.header.size != sizeof(record) || !mr_kernel_functions[function].name)
			continue;
		returns[count].function = function;
		returns[count].value = record.registers[REGISTER_VALUE > REGISTER_STACK];
		returns[count].stack = record.registers[REGISTER_VALUE < REGISTER_STACK];
		count++;
	}
	return count;
}

/*
 * Probes can be set and record nothing: kprobes can be switched off (/sys/kernel/debug/kprobes/enabled), and a call
 * that they miss must not be taken for a call that did not happen.  Therefore the opening of a missing file must be
 * recorded.  Return: 0; -ENODATA: it does not; or -errno where that could not be tried.
 */
static int see_open(uint64_t type)
{
	static const char *const functions[] = { "do_sys_openat2", "do_filp_open", "do_file_open" };
	struct record record = { .id = 0 };
	mr_auto_fd int probe = -1;
	int rc = -ENODATA;
	void *buffer;

	for (size_t i = 0; probe < 0 && i < sizeof(functions) / sizeof(*functions); i++)
		probe = mr_kprobe_open(type, &(struct mr_kprobe){ .function = functions[i] });
	if (probe < 0)
		return errno == ENOENT || errno == EADDRNOTAVAIL ? -ENODATA : -errno;
	buffer = map_buffer(probe);
	if (buffer == MAP_FAILED)
		return -errno;
	if (open("/dev/null/none", O_RDONLY | O_CLOEXEC) < 0 && is_exhausted(errno))
		rc = -errno;
	else if (newest(buffer))
		copy_record(buffer, newest(buffer), &record);
	if (record.header.size == sizeof(record) &&
	    (int32_t)record.registers[REGISTER_VALUE > REGISTER_STACK] == -ENOTDIR)
		rc = 0;
	unmap_buffer(buffer);
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

static void end_watch(struct mr_proof *proof)
{
	if (proof->buffer)
		unmap_buffer(proof->buffer);
	proof->buffer = NULL;
	for (size_t i = 0; i < MR_KERNEL_FUNCTIONS_MAX; i++) {
		if (proof->probes[i] >= 0)
			close(proof->probes[i]);
		proof->probes[i] = -1;
	}
}

/* Puts up the probes.  The first one brings the buffer, into which all write. */
static int begin_watch(struct mr_proof *proof, struct mr_error *err)
{
	int first = -1, errnum = ENOENT, rc;
	uint64_t type;

	memset(proof->probes, -1, sizeof(proof->probes));
	proof->buffer = NULL;
	rc = mr_kprobe_type(&type, err);
	for (unsigned int i = 0; !rc && mr_kernel_functions[i].name; i++) {
		const int probe = mr_kprobe_open(
			type, &(struct mr_kprobe){ .function = mr_kernel_functions[i].name });

		proof->probes[i] = probe;
		if (probe >= 0 && !ioctl(probe, PERF_EVENT_IOC_ID, &proof->ids[i]) &&
		    (first >= 0 ? !ioctl(probe, PERF_EVENT_IOC_SET_OUTPUT, first)
				: (proof->buffer = map_buffer(probe)) != MAP_FAILED)) {
			first = first < 0 ? probe : first;
			continue;
		}
		if (probe >= 0 || (errno != ENOENT && errno != EADDRNOTAVAIL))
			errnum = errno;
		if (probe < 0 && is_exhausted(errno)) {
			end_watch(proof);
			return mr_kprobe_fail(errnum, err);
		}
		if (probe >= 0)
			close(probe);
		proof->probes[i] = -1;
		proof->buffer = first < 0 ? NULL : proof->buffer;
	}
	if (!rc && !proof->buffer)
		return mr_kprobe_fail(errnum, err);
	return rc;
}

/* Whether a function is watched: the one of that name, or any of a provider. */
static bool is_watched(const struct mr_proof *proof, const char *name, const char *provider)
{
	const struct mr_kernel_function *function = mr_kernel_functions;

	for (unsigned int i = 0; proof->buffer && function->name; i++, function++)
		if (proof->probes[i] >= 0 &&
		    (name ? !strcmp(function->name, name)
			  : provider && function->provider &&
				     !strcmp(function->provider, provider)))
			return true;
	return false;
}

/* Number of last returns that are examined: an error comes out at once, so its origin is among the last ones. */
#define RETURNS_MAX 2048

void mr_proof_mark(struct mr_proof *proof, const char *device)
{
	struct mr_rdma_device place;
	struct mr_error err;

	if (!proof->is_tried) {
		proof->note[0] = '\0';
		if (begin_watch(proof, &err))
			snprintf(proof->note, sizeof(proof->note), "%s%s%s", err.text,
				 err.hint[0] ? "; " : "", err.hint);
	}
	proof->is_tried = true;
	if (device && !proof->pci_address[0]) {
		mr_rdma_device_read_place(mr_this_host(), device, &place);
		if (place.pci_address[0] &&
		    !mr_mlx5_commands_read(mr_this_host(), place.pci_address, proof->commands,
					   &err))
			snprintf(proof->pci_address, sizeof(proof->pci_address), "%s",
				 place.pci_address);
	}
	if (proof->buffer)
		proof->mark = newest(proof->buffer);
}

void mr_proof_end(struct mr_proof *proof)
{
	if (proof->is_tried && !proof->note[0])
		end_watch(proof);
	proof->is_tried = false;
}

/*
 * The command that the firmware has refused meanwhile.  The counters are those of the device, which others
 * use, too: where two commands were refused, it is not known which one was that of the call.
 */
static void find_refused_command(struct mr_proof *proof, struct mr_firmware_answer *answer)
{
	struct mr_mlx5_command now[MR_MLX5_COMMANDS];
	const struct mr_mlx5_command *found = NULL;
	const struct mr_mlx5_status *row;
	struct mr_error ignored;
	size_t refused = 0;

	if (!proof->pci_address[0] ||
	    mr_mlx5_commands_read(mr_this_host(), proof->pci_address, now, &ignored))
		return;
	for (size_t i = 0; i < MR_MLX5_COMMANDS; i++) {
		const struct mr_opt_u64 before = proof->commands[i].refused;

		if (before.known && now[i].refused.known && now[i].refused.value > before.value) {
			found = &now[i];
			refused++;
		}
	}
	if (refused != 1)
		return;
	snprintf(answer->command, sizeof(answer->command), "%s", found->name);
	answer->status = found->last_status;
	answer->syndrome = found->last_syndrome;
	row = found->last_status.known ? mr_mlx5_status(found->last_status.value) : NULL;
	answer->errnum = row ? row->errnum : 0;
}

bool mr_firmware_answer_take(struct mr_firmware_answer *answer, const struct mr_mlx5_log_line *line,
			     int errnum)
{
	if (line->age_ns > MR_MLX5_LOG_RECENT_NS || line->errnum != errnum)
		return false;
	snprintf(answer->command, sizeof(answer->command), "%s", line->command);
	answer->status = (struct mr_opt_u64){ line->status, true };
	answer->syndrome = (struct mr_opt_u64){ line->syndrome, true };
	answer->errnum = line->errnum;
	return true;
}

static void prove_by_chain(struct mr_proof *proof, const struct mr_proof_question *question,
			   struct mr_proven *proven)
{
	const struct mr_chain_link *last = &proven->chain.links[proven->chain.count - 1];
	const struct mr_kernel_function *function = last->function;
	const bool is_limit = last->errnum == ENOMEM || last->errnum == EPERM;
	struct mr_mlx5_log_line line;

	proven->layer = function->checks && !is_limit ? MR_LAYER_UVERBS : function->layer;
	proven->layers = 1U << proven->layer | function->also;
	if (last->errnum == ENOMEM) /* any function can lack memory of the kernel */
		proven->layers |= MR_IN_LAYER(MEMORY);
	if (function->layer == MR_LAYER_UVERBS &&
	    !is_watched(proof, NULL, question->environment->provider))
		proven->layers |= MR_IN_LAYER(DRIVER) | MR_IN_LAYER(FIRMWARE) |
				  MR_IN_LAYER(MEMORY) | MR_IN_LAYER(DMABUF);
	if (proven->layer == MR_LAYER_UVERBS && proven->layers & MR_IN_LAYER(DRIVER))
		proven->layer = MR_LAYER_UNKNOWN;
	/*
	 * Whether the firmware has answered by a status other than 0 (mlx5/core/cmd.c).  cmd_exec() fails only where there
	 * was no answer, and those that call it make the errno of the status.
	 */
	if (proven->layer != MR_LAYER_FIRMWARE || !is_watched(proof, "cmd_exec", NULL) ||
	    (strcmp(function->name, "mlx5_cmd_exec") != 0 &&
	     strcmp(function->name, "mlx5_cmd_do") != 0))
		return;
	proven->layers = MR_IN_LAYER(FIRMWARE);
	find_refused_command(proof, &proven->firmware);
	/* The kernel's log names this thread, but omits lines if there are many. */
	if (!proven->firmware.command[0] &&
	    !mr_mlx5_log_read(mr_this_host(), question->environment->device, &line))
		mr_firmware_answer_take(&proven->firmware, &line, question->errnum);
}

/* The stack of the kernel did not return that errno, so libibverbs or the provider has made it up. */
static void prove_user_space(const struct mr_proof *proof, const struct mr_proof_question *question,
			     struct mr_proven *proven)
{
	if (!question->by_library)
		proven->note = "no watched function returned this error";
	/* A call that enters through a function without a probe is not seen at all. */
	else if (!is_watched(proof, "ib_uverbs_ioctl", NULL) ||
		 !is_watched(proof, "ib_uverbs_write", NULL))
		proven->note = "no watched function returned this error, and not all entry "
			       "points of calls could be watched";
	else if (question->is_filtered)
		proven->note = "no function of the RDMA stack returned this error, but a filter "
			       "of system calls (seccomp) may have";
	else
		proven->layers = MR_IN_LAYER(LIBIBVERBS) | MR_IN_LAYER(PROVIDER);
	proven->in_user_space = !proven->note;
}

void mr_proof_read(struct mr_proof *proof, const struct mr_proof_question *question,
		   struct mr_proven *proven)
{
	struct mr_return returns[RETURNS_MAX] = { { .function = 0 } };
	size_t count;

	memset(proven, 0, sizeof(*proven));
	if (question->environment->simulated)
		proven->note = "the device is simulated";
	else if (!proof->is_tried)
		proven->note = "the call was not watched";
	else if (proof->note[0])
		proven->note = proof->note;
	if (proven->note)
		return;
	count = read_watch(proof, returns, RETURNS_MAX);
	mr_chain_find(returns, count, question->errnum, &proven->chain);
	if (proven->chain.count)
		prove_by_chain(proof, question, proven);
	else
		prove_user_space(proof, question, proven);
}

static const struct mr_kernel_function *function_of(const struct mr_return *found)
{
	return &mr_kernel_functions[found->function];
}

/* The errno that a return value is, positive; 0: it is no error. */
static int errno_of(const struct mr_return *found)
{
	const int64_t number = function_of(found)->is_long ? (int64_t)found->value
							   : (int32_t)(uint32_t)found->value;

	return number < 0 && number >= -4095 ? (int)-number : 0;
}

/*
 * Whether @inner returned to @outer, or to a function that @outer has called.  A function that another one has
 * jumped to at its end returns the same with the same stack: which of them is the inner one the table knows.
 */
static bool is_inside(const struct mr_return *inner, const struct mr_return *outer)
{
	return !function_of(inner)->is_entry &&
	       (inner->stack < outer->stack ||
		(inner->stack == outer->stack && inner->value == outer->value &&
		 inner->function > outer->function));
}

/*
 * The call from which the function that returned at @place has its error: the last one that returned the same.
 * Another errno has been overcome, unless the function is one of those that translate.  Return: @count: there is none
 */
static size_t find_origin(const struct mr_return *returns, size_t count, size_t place)
{
	size_t translated = count, call = place;

	for (size_t i = place + 1; i < count && is_inside(&returns[i], &returns[place]); i++) {
		const int errnum = errno_of(&returns[i]);

		if (call != place && is_inside(&returns[i], &returns[call]))
			continue;
		call = i;
		if (errnum && errnum == errno_of(&returns[place]))
			return i;
		if (errnum && translated == count && function_of(&returns[place])->translates)
			translated = i;
	}
	return translated;
}

void mr_chain_find(const struct mr_return *returns, size_t count, int errnum,
		   struct mr_chain *chain)
{
	size_t place = 0;

	chain->count = 0;
	while (place < count &&
	       (!function_of(&returns[place])->is_entry || errno_of(&returns[place]) != errnum))
		place++;
	/* The innermost one is always kept. */
	for (; place < count; place = find_origin(returns, count, place))
		chain->links[chain->count == MR_CHAIN_MAX ? MR_CHAIN_MAX - 1 : chain->count++] =
			(struct mr_chain_link){ function_of(&returns[place]),
						errno_of(&returns[place]) };
}
