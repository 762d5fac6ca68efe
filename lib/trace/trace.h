/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Declares the tracing of another program's registrations. */
#ifndef LIB_TRACE_TRACE_H
#define LIB_TRACE_TRACE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "lib/base/base.h"
#include "lib/diagnose/causes/causes.h"
#include "lib/host/host.h"
#include "lib/host/reading.h"
#include "lib/memory/memory.h"
#include "lib/trace/wire/wire.h"
#include "lib/verbs/verbs.h"

/** Beginning of each name; then come the PID of its mrctl and the time */
#define MR_CHANNEL_PREFIX "mrctl-trace-"

struct mr_channel {
	int fd;
	char name[64]; /**< of the abstract socket, without the NUL before it */
	char token[MR_TRACE_TOKEN + 1];
};

/** mr_channel_open() - listen.  Return: 0, or -errno with MR_ERROR_HOST. */
int mr_channel_open(struct mr_channel *channel, struct mr_error *err);

/**
 * mr_channel_accept() - take the next connection, and read its request
 * @pid: set to the process that has connected
 *
 * A process without the token is rejected, and so is one that sends no request at once, which would block mrctl: the
 * agent tries again.
 *
 * Return: the connection; -EACCES if it was rejected; -EAGAIN if none waits.
 */
int mr_channel_accept(const struct mr_channel *channel, pid_t *pid,
		      struct mr_trace_request *request);

/** mr_channel_reply() - answer, and close the connection; @fd: sent with the answer, or -1 */
void mr_channel_reply(int connection, const struct mr_trace_reply *reply, int fd);

void mr_channel_close(struct mr_channel *channel);

/**
 * mr_ring_create() - make a ring
 * @frames: return addresses of each record, at most MR_TRACE_FRAMES
 * @fd:     set to its descriptor, for the process; its size is sealed
 *
 * Return: 0, or -errno with MR_ERROR_HOST.
 */
int mr_ring_create(struct mr_ring *ring, uint32_t frames, int *fd, struct mr_error *err);

/** mr_ring_release() - unmap it, or do nothing where it was released */
void mr_ring_release(struct mr_ring *ring);

/**
 * mr_trace_enter() - let the program that this process becomes load the agent (lib/trace/agent)
 * @socket: name of the abstract socket that the agent is to join, without the NUL before it
 * @token:  MR_TRACE_TOKEN digits
 *
 * The agent is looked for in the folder of the running mrctl (trace/, in a build tree), in
 * ../lib/mrctl/trace from there, and in mrctl/trace below the LIBDIR of the build.  The previous value of LD_PRELOAD
 * stays, behind it.  AddressSanitizer's library requires to be the first one: ASAN_OPTIONS switches its check off.
 *
 * Return: 0, or -errno with MR_ERROR_HOST.
 */
int mr_trace_enter(const char *socket, const char *token, struct mr_error *err);

/** mr_trace_stat() - call stat(2) for the target of a link in the folder of a process; false with errno */
bool mr_trace_stat(pid_t pid, const char *name, struct stat *st);

/** The memory of a call. */
struct mr_traced_range {
	/** As --memory takes it: "anon", "hugetlb:2M", "file:/tmp/a"; empty: no kind reproduces it. */
	char memory[300];
	enum mr_memory_type type; /**< of @memory */
	uint64_t addr, length;    /**< bytes of the call's range */
	uint64_t offset;       /**< bytes from the start of a mapping of that kind to the range */
	uint64_t page_size;    /**< bytes of the pages behind it; 0: not known */
	bool is_exact;         /**< @memory meets the same rules of the kernel as the range */
	char remark[200];      /**< the differences, or why no kind reproduces it; or empty */
	unsigned int mappings; /**< that the range is in, as far as they were examined */
	struct mr_mapping mapping;  /**< that has the first byte, or with an obstacle its page */
	struct mr_mapped_file file; /**< behind @mapping */
	enum mr_obstacle_kind obstacle; /**< the reason why it cannot be pinned */
	uint64_t obstacle_addr;         /**< address of that page */
};

/**
 * mr_traced_range_read() - examine the memory of a refused call
 * @refusal: of the call: its range, and the access and the kernel, which determine what can be pinned
 * @host:    whose process has the memory
 *
 * Return: 0; -ENODATA where the call was given none; or -errno where the mappings cannot be read: then no kind
 * reproduces it, and the remark has the reason.
 */
int mr_traced_range_read(const struct mr_refusal *refusal, struct mr_host *host,
			 struct mr_traced_range *range);

/** mr_traced_unknown_attributes() - bits of the comp_mask that libibverbs and libmlx5 did not know when mrctl was written */
uint64_t mr_traced_unknown_attributes(const struct mr_trace_record *record);

/** mr_traced_region_call() - the call that registers, as mrctl makes it; false where mrctl could register nothing so */
bool mr_traced_region_call(const struct mr_trace_record *record, enum mr_region_call *call);

/** Facts about a refused call. */
struct mr_look {
	/* From the calls of the process before it, by mr_ledger_context(): */
	uint64_t registered_bytes, registered_count; /**< of the current registrations */
	uint64_t most_bytes;                         /**< that were registered at once */
	bool has_region; /**< @region is known, of a change, deregistration or advice */
	/** The call that registered the region, with the changes since; its IOVA is always set. */
	struct mr_trace_record region;
	struct mr_opt_u64 dm_length; /**< bytes of the memory on the device that the call is on */
	struct mr_opt_u64 users; /**< of freeing: regions that are in the PD, or on the memory */
	bool has_gone_on;        /**< the process does not wait: its state may have changed since */
	/* Found out by mr_look_at(): */
	int errnum;                        /**< positive: that the diagnosis is about */
	struct mr_diagnosis diagnosis;     /**< its layer is the one that refused */
	enum mr_tristate by_kernel;        /**< whether the kernel gave the errno */
	struct mr_environment environment; /**< of the process */
	bool has_range; /**< the call was given memory of the process: @range is set */
	struct mr_traced_range range;
	bool has_dmabuf; /**< the call was given a descriptor: @dmabuf is set */
	struct mr_dmabuf_file dmabuf;
	bool has_memlock; /**< @memlock is known */
	struct mr_rlimit memlock;
	enum mr_tristate is_memlock_lifted; /**< CAP_IPC_LOCK */
	struct mr_opt_u64 pinned; /**< bytes that count against RLIMIT_MEMLOCK, before the call */
};

/**
 * mr_look_at() - find the causes of a refused call of a process
 * @pid:    of the process, as mrctl sees it
 * @record: of the call, already checked
 * @look:   of mr_ledger_context(), or all zeros; completed, nothing is to be freed
 *
 * All is read of that process: what cannot be read is not known.  The device is opened if a cause needs its report,
 * and closed again.
 */
void mr_look_at(pid_t pid, const struct mr_trace_record *record, struct mr_look *look);

struct mr_ledger;
struct mr_site;

/** An object of the program, by its pointer.  A pointer is reused after its object is freed. */
struct mr_object {
	uint64_t pointer;
	struct mr_ledger *ledger; /**< that it is in */
	struct mr_site *site;
	struct mr_trace_record call; /**< that made it, as @region of struct mr_look */
};

/**
 * The objects of a traced process, and the places in the program that made its calls.  It grows with the
 * registrations and with the places of calls, not with the number of calls.
 */
enum {
	MR_LEDGER_SITES = 4096, /**< places of a process that are kept at most */
};

/** A place of the program that makes calls. */
struct mr_site {
	uint64_t caller;  /**< return address; 0: of all places beyond MR_LEDGER_SITES */
	uint32_t call;    /**< enum mr_traced_call */
	uint64_t stack;   /**< of a registration with its callers: a number for these; else 0 */
	uint64_t retired; /**< 0: it may call again; else a number: other code may be there */
	enum mr_tristate is_header; /**< an inline function of rdma-core: its caller is the place */
	uint64_t calls;
	uint64_t count, bytes; /**< of the regions of this place that still exist */
	char *place;           /**< mr_process_place(); NULL: not looked up yet */
	char **callers;        /**< of the first call: mr_process_name_sites(); else NULL */
	uint32_t frame_count;  /**< return addresses of the first call */
	uint64_t frames[MR_TRACE_FRAMES];
};

/** The calls of one kind. */
struct mr_call_tally {
	uint64_t calls, refused;
	uint64_t bytes; /**< of those that succeeded; as in struct mr_live_tally */
	uint64_t total_ns, slowest_ns;
	uint64_t slowest_bytes;
};

/** Regions that exist at the same time.  All memory of a process is 0 bytes; UINT64_MAX: more than 64 bits hold. */
struct mr_live_tally {
	uint64_t count, bytes;
	uint64_t most_count, most_bytes;
};

/** A change of the registrations of all processes. */
struct mr_live_change {
	uint64_t at_ns; /**< when: CLOCK_MONOTONIC */
	uint64_t removed, removed_bytes;
	uint64_t added, added_bytes;
};

/** Sums over all processes. */
struct mr_trace_totals {
	struct mr_call_tally calls[MR_TRACED_CALL_COUNT];
	struct mr_live_tally live; /**< without @changes */
	/** Not applied yet: the calls of one process are taken before those of the next, which may be earlier. */
	struct mr_live_change *changes;
	size_t change_count, change_capacity;
	uint64_t uncounted; /**< objects without memory for their entry */
};

struct mr_ledger {
	void *objects; /**< struct mr_object by pointer: tree of tsearch(3) */
	size_t object_count;
	void *sites; /**< struct mr_site: tree of tsearch(3) */
	size_t site_count;
	uint64_t retirements;
	struct mr_live_tally live;
	/** Ledger of the parent, which has the same objects at the same addresses; or NULL. */
	struct mr_ledger *parent;
};

/**
 * mr_ledger_complete() - give a call the context and device of its object, if the call itself does not have them
 *
 * The context of a umem is not visible when it is deregistered: only libmlx5 knows it.
 */
void mr_ledger_complete(const struct mr_ledger *ledger, struct mr_trace_record *call);

/** mr_ledger_context() - set the facts that are known before a refused call */
void mr_ledger_context(const struct mr_ledger *ledger, const struct mr_trace_record *call,
		       struct mr_look *look);

/**
 * mr_ledger_take() - record a call, which was checked
 * @site: the place that made it: mr_ledger_site()
 */
void mr_ledger_take(struct mr_ledger *ledger, struct mr_trace_totals *totals,
		    const struct mr_traced_record *record, struct mr_site *site);

/**
 * mr_ledger_site() - the place with a return address, made where it is new
 * @call:  enum mr_traced_call; or MR_TRACED_CALL_COUNT for a place that only leads to one which calls
 * @stack: of struct mr_site
 *
 * Return: NULL where memory is short.
 */
struct mr_site *mr_ledger_site(struct mr_ledger *ledger, uint64_t caller, uint32_t call,
			       uint64_t stack);

/** mr_ledger_sites() - all places, to be freed as a list; NULL: memory is short */
struct mr_site **mr_ledger_sites(const struct mr_ledger *ledger, size_t *count);

/** mr_ledger_retire() - other code may come to the places: those with regions are kept apart, others freed */
void mr_ledger_retire(struct mr_ledger *ledger);

/**
 * mr_ledger_count() - add the objects to the totals, or subtract them when no process has them any longer
 *
 * The objects stay, as a forked child may turn up.
 */
void mr_ledger_count(const struct mr_ledger *ledger, bool are_had, struct mr_trace_totals *totals);

/** mr_totals_settle() - apply the changes until a time, in the order in which they were made; UINT64_MAX: all */
void mr_totals_settle(struct mr_trace_totals *totals, uint64_t until_ns);

void mr_totals_release(struct mr_trace_totals *totals);

/** mr_ledger_release() - free all */
void mr_ledger_release(struct mr_ledger *ledger);

struct mr_modules {
	struct mr_mapping *mappings; /**< of files, by ascending address */
	size_t count;
	bool is_in_other_namespace; /**< the process may have other files at these paths: its root or mounts are others */
	bool is_stale; /**< one of them may have been unmapped, and another one be in its place */
};

/** mr_places_package() - "libdw1", where that is missing; NULL: it is there */
const char *mr_places_package(void);

/** A process that is followed. */
struct mr_traced_process {
	pid_t pid;                        /**< as mrctl sees it; 0: it cannot */
	uint64_t id;                      /**< that no other process has had */
	struct mr_traced_process *parent; /**< which it was forked from; NULL: none is known */
	unsigned int children;            /**< processes that have it as @parent */
	unsigned int heirs;               /**< of itself, its children and theirs: how many run */
	struct mr_traced_process *next;   /**< that has joined later */
	bool has_ended;
	uint64_t image, joined_ns;   /**< mr_monitor_image() when it joined, and that time */
	int pidfd;                   /**< readable once it has ended; -1: none */
	char program[MR_TRACE_PATH]; /**< path of its program, as reported by the agent */
	bool is_attached; /**< it was already running, and has no agent: places are not known, and it does not wait */
	struct mr_ring ring;
	struct mr_ledger ledger;
	struct mr_modules modules;
	struct Dwfl *dwfl; /**< of libdw: names addresses in @modules; NULL: nothing does */
};

/** mr_process_place() - the name of the place of a call, looked up once; "?" where memory is short; NULL: not known */
const char *mr_process_place(struct mr_traced_process *process, struct mr_site *site);

/** mr_process_is_header() - whether a place is in an inline function of rdma-core that was compiled as a function */
bool mr_process_is_header(struct mr_traced_process *process, struct mr_site *site);

/** mr_process_callers() - the names of the places with return addresses; ends with NULL.  Return: NULL for no places */
char **mr_process_callers(struct mr_traced_process *process, const uint64_t *addrs, uint32_t count);

/** mr_callers_release() - free what that returned */
void mr_callers_release(char **callers);

/**
 * mr_process_see() - read the file that has an address, while the process exists
 *
 * Libraries are loaded later, too: the files that a process has mapped are read again where a call comes from
 * another one.
 */
void mr_process_see(struct mr_traced_process *process, uint64_t addr);

/** mr_process_stop() - free what only a process that runs needs, and its places: those that were named stay named */
void mr_process_stop(struct mr_traced_process *process);

/** mr_process_name_sites() - name the places that have regions, and their callers, while their files are known */
void mr_process_name_sites(struct mr_traced_process *process);

void mr_process_release(struct mr_traced_process *process);

/**
 * Programs that a traced program has started, and that do not join: the agent of the starting program reports some,
 * but not those that are started by the system call itself, or that fail to join.  Therefore all processes of the
 * machine are examined from time to time, and the descendants of traced ones are judged.
 *
 * The unit is a program in memory, the image that execve(2) makes: processes that were forked from one that has
 * joined have the same, and join later.
 */
enum { MR_MONITOR_PIDS = 64 };

/** The last processes of a kind; 0: none. */
struct mr_monitor_pids {
	pid_t list[MR_MONITOR_PIDS];
	size_t count;
};

struct mr_monitor_entry;
struct mr_follow;

struct mr_monitor {
	struct mr_monitor_entry *entries; /**< processes of the last look, by their numbers */
	size_t entry_count;
	struct mr_monitor_pids tracers; /**< other mrctl, which follow their programs themselves */
	struct mr_monitor_pids announced; /**< that have announced the programs that they start */
	uint64_t due_ns;                  /**< of the next look */
};

/**
 * mr_monitor_look() - examine the processes if it is time; reports each program that is not followed once to the sink
 * @child: that was forked; 0: it has ended
 *
 * Return: milliseconds until the next look.
 */
int mr_monitor_look(struct mr_follow *follow, pid_t child);

/** mr_monitor_image() - a number for the program that a process runs now; 0: not known */
uint64_t mr_monitor_image(pid_t pid);

/** mr_monitor_announced() - record that a process, or its child, is about to run a program that cannot be followed */
void mr_monitor_announced(struct mr_monitor *monitor, pid_t pid);

/** The kinds of refusals that traced processes met: refusals of the same call with the same errno and cause. */
enum {
	MR_REFUSAL_KINDS = 64,      /**< kinds that are distinguished */
	MR_REFUSAL_LIKENESSES = 64, /**< requests and ranges of a kind that are remembered */
};

/** A kind of refusal. */
struct mr_refusal_kind {
	uint64_t count;
	uint64_t looked_at; /**< of them; the others are of similar calls */
	uint64_t likenesses[MR_REFUSAL_LIKENESSES];
	size_t likeness_count;
	bool is_ambiguous; /**< not examined, and equal calls were refused for several causes */
	/* About the first refusal of the kind: */
	pid_t pid;
	struct mr_traced_record record;
	struct mr_look *look; /**< NULL: the process was not looked at */
	char *place;          /**< of the call; or NULL */
	char *program;        /**< path of the program; or NULL */
	char **stack;         /**< its callers, the innermost first; NULL: not recorded */
};

struct mr_refusals {
	struct mr_refusal_kind *kinds[MR_REFUSAL_KINDS];
	size_t count;
	uint64_t total;
	uint64_t left_out; /**< of other kinds */
};

/** mr_refusals_add() - record a refusal; @look: NULL: the process was not looked at */
void mr_refusals_add(struct mr_refusals *refusals, struct mr_traced_process *process,
		     const struct mr_traced_record *record, struct mr_site *site,
		     const struct mr_look *look);

/** mr_look_cause() - the cause that was found; NULL: none */
const struct mr_cause *mr_look_cause(const struct mr_look *look);

/** mr_look_is_of_request() - whether the same request would have been refused with any memory */
bool mr_look_is_of_request(const struct mr_look *look);

void mr_refusals_release(struct mr_refusals *refusals);

/** Regions of a place that were never deregistered, by all processes of a program that have ended. */
struct mr_leak {
	const char *program, *place; /**< to be freed */
	const char *call;
	uint64_t count, bytes;
	/** With --stacks: names of the callers of the first one, the innermost first; ends with NULL.  Else NULL */
	const char *const *stack;
};

/** All zeros: nothing has ended. */
struct mr_leaks {
	struct mr_leak *list; /**< complete once mr_follow_run() is over */
	size_t count;
};

/** Follows a program and all its children: takes their calls from their rings until the last one has ended. */
enum {
	MR_FOLLOW_LIBRARIES = 64, /**< that are listed at most */
};

/** Functions that are called while events are seen. */
struct mr_trace_sink {
	void *data;
	/** A call; @look: NULL if the process was not examined, as for each successful call. */
	void (*call)(void *data, struct mr_traced_process *process,
		     const struct mr_traced_record *record, struct mr_site *site,
		     const struct mr_look *look);
	/** A program that @pid runs cannot be followed: @obstacle, an enum mr_trace_obstacle. */
	void (*not_followed)(void *data, pid_t pid, const char *path, uint32_t obstacle);
	/** All pending calls have been reported; their output may be flushed.  Or NULL. */
	void (*caught_up)(void *data);
};

struct mr_follow {
	struct mr_channel channel;
	struct mr_trace_sink sink;
	int signals;                     /**< those that the program gets; -1: none are caught */
	uint32_t frames;                 /**< return addresses of each call, with --stacks */
	struct mr_traced_process *first; /**< that has joined first; also some that have ended */
	size_t process_count;            /**< that run */
	uint64_t joined;                 /**< processes that were followed */
	uint64_t unseen;                 /**< calls that were made while mrctl did not answer */
	struct mr_trace_totals totals;
	struct mr_refusals refusals;
	struct mr_leaks leaks;
	/** Paths of libraries that register, as the processes had mapped them, which show the versions; ends with NULL. */
	char *libraries[MR_FOLLOW_LIBRARIES + 1];
	struct mr_monitor monitor;
};

/**
 * mr_follow_attach() - follow a process that runs already, in place of a child: see mr_attach_begin()
 * @program: its path
 *
 * From now on @follow->signals has the signals that would end mrctl.
 *
 * Return: 0, or -errno with MR_ERROR_HOST.
 */
int mr_follow_attach(struct mr_follow *follow, pid_t pid, const char *program,
		     struct mr_error *err);

/** mr_follow_take() - take a call of a process, which may have ended */
void mr_follow_take(struct mr_follow *follow, struct mr_traced_process *process,
		    struct mr_traced_record *record);

/**
 * mr_follow_fork() - fork(2) the child that is to be followed
 *
 * From now on signals that would end mrctl are left to the child.  A terminal sends its signals to the child, too, and so
 * do those that the program has sent to its process group; what others send to mrctl is passed on.
 *
 * Return: that of fork(2)
 */
pid_t mr_follow_fork(struct mr_follow *follow);

/**
 * mr_follow_run() - follow a child and all that it starts until all have ended
 * @child:  by mr_follow_fork(); it finds the channel in its environment
 * @status: set to that of wait(2)
 *
 * After the child has ended, signals end the wait for its children.
 *
 * Return: 0, or -errno with MR_ERROR_HOST.
 */
int mr_follow_run(struct mr_follow *follow, pid_t child, int *status, struct mr_error *err);

void mr_follow_close(struct mr_follow *follow);

/** Calls to the kernel's uverbs interface, as the BPF programs copy them. */
enum {
	MR_KERNEL_ATTRIBUTES = 12, /**< attributes of an ioctl that are copied */
	MR_KERNEL_BLOCK = 56,      /**< bytes behind a pointer; struct ib_uverbs_create_qp */
};

/** A call that has returned. */
struct mr_kernel_event {
	uint64_t begin_ns, end_ns; /**< CLOCK_MONOTONIC */
	uint32_t tid, pid;         /**< as the process sees them; struct bpf_pidns_info */
	int64_t result;
	uint64_t fd; /**< UINT64_MAX: not known */
	/* struct ib_uverbs_ioctl_hdr and its attributes: */
	uint16_t size, object, method, attributes;
	uint64_t header[2];
	struct mr_kernel_attribute {
		uint16_t id, length;
		uint32_t flags;
		uint64_t data;
	} attribute[MR_KERNEL_ATTRIBUTES];
	uint8_t block[MR_KERNEL_ATTRIBUTES][MR_KERNEL_BLOCK];
};

/**
 * mr_kernel_call_read() - convert a call to the record of the agent
 * @record: set, but for its thread and its device
 *
 * Return: false where it is of no interest.
 */
bool mr_kernel_call_read(const struct mr_kernel_event *event, struct mr_trace_record *record);

/**
 * Watches the calls of a process that runs already to the kernel's uverbs interface; all zero: nothing is watched.
 *
 * Probes at the entry and return of ib_uverbs_ioctl() run BPF programs, which copy the calls of that process into a
 * ring.  All of them belong to descriptors of this process, and the kernel removes them when it ends, however it ends.
 * The process itself is neither stopped nor changed.  rdma-core 22 and later call ib_uverbs_write() only on Linux before
 * 5.0, which has no such programs.
 */
struct mr_attach {
	int fds[16]; /**< maps, programs and probes */
	size_t fd_count;
	int ring, pending, lost; /**< of them: the maps */
	pid_t pid;               /**< of the process in the initial PID namespace */
	/** Its own PID namespace, as bpf_get_ns_current_pid_tgid() takes it (bpf-helpers(7)) */
	uint32_t pid_device;
	uint64_t pid_inode;
	void *consumer, *producer;
	uint64_t looks, last_look_ns; /**< at the process */
};

/**
 * mr_attach_begin() - watch a process
 * @pid: its number in the initial PID namespace
 *
 * Return: 0, or -errno with MR_ERROR_HOST and a hint.  mr_attach_end() it in any case.
 */
int mr_attach_begin(struct mr_attach *attach, pid_t pid, struct mr_error *err);

/**
 * mr_attach_run() - follow the process until it ends, or a signal comes that ends commands
 * @follow: its only process is this one
 *
 * Return: 0, or -errno.
 */
int mr_attach_run(struct mr_attach *attach, struct mr_follow *follow, struct mr_error *err);
void mr_attach_end(struct mr_attach *attach);

/**
 * mr_reproduction_write() - write the batch
 * @program: the command line that was traced
 * @path:    of the file itself, for the line that says how to run it
 * @time:    seconds since 1970
 *
 * Return: how many kinds have a line that is run; the others have a comment with the reason.
 */
size_t mr_reproduction_write(const struct mr_refusals *refusals, const char *program,
			     const char *path, uint64_t time, FILE *file);

#endif
