/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Declares what the commands about regions share: the session they work in, the request, the answer, its failures
 * and rows; and what registers: options, the registrar, and the run of a command.
 */
#ifndef CMD_REGION_REGION_H
#define CMD_REGION_REGION_H

#include "cmd/cli/cli.h"
#include "cmd/output/output.h"
#include "lib/diagnose/causes/causes.h"
#include "lib/diagnose/proof/proof.h"
#include "lib/memory/memory.h"
#include "lib/session/session.h"
#include "lib/session/table/table.h"
#include "lib/verbs/verbs.h"
#include "lib/verify/verify.h"

/**
 * context_session() - where the session is
 * Return: what --session or MRCTL_SESSION says, "batch" for a line of a batch; NULL outside of a
 * session.
 */
const char *context_session(const struct invocation *invocation);

/**
 * context_open_session() - join the session
 * @room:        memory for it
 * @environment: set to that of the session; or NULL
 *
 * Return: @room, for mr_session_close(), or for a line of a batch the batch's session; NULL with @err set: outside of a
 * session to MR_ERROR_ABSENT.
 */
struct mr_session *context_open_session(const struct invocation *invocation,
					struct mr_session *room, struct mr_environment *environment,
					struct mr_error *err);

/**
 * context_check_operands() - check that the operands name objects of a session
 * @verb: what the command does with regions, for the message about another object: "shows only"; NULL: protection
 *        domains are allowed
 *
 * Return: 0, or -EINVAL with MR_ERROR_USAGE.
 */
int context_check_operands(const struct invocation *invocation, const char *verb,
			   struct mr_error *err);

/**
 * context_is_interrupted() - whether a signal was received; call it before each region
 * @first: it is the first region of the command: in a batch the answer is false then, as the batch itself has
 *         asked just before
 */
bool context_is_interrupted(const struct invocation *invocation, bool first);

/**
 * context_hold() - print how long regions stay registered, and by which process, and wait
 * @time: at most this long, in nanoseconds; not known: until a signal
 */
void context_hold(const struct invocation *invocation, uint64_t count, struct mr_opt_u64 time,
		  bool in_session);

/** The refused request, in enough detail to repeat it elsewhere. */
struct request {
	const char *const *argv; /**< the command line */
	const char *memory;
	struct mr_opt_u64 addr;
	struct mr_opt_u64 offset; /**< of a dma-buf or memory on the device, in the place of addr */
	struct mr_opt_u64 length;
	struct mr_opt_u64 iova;
	struct mr_opt_u64 access;
	struct mr_opt_u64 page_sizes;
	const char *dmah; /**< what the DMA handle is for, as typed */
	const char *pd;
	struct mr_opt_u64 count; /**< regions that were asked for (--count) */
};

extern const struct record request_record;

/** why_is_wanted() - whether to search for the causes of an error: not for wrong usage, nor with --why none */
bool why_is_wanted(const struct global_args *global, const struct mr_error *err);

/**
 * why_of_error() - look for the causes of an error that a call has given
 * @refusal: what the caller knows of it; completed from @err and @global
 *
 * Return: the diagnosis, for why_release(); NULL where memory is short, where the causes are not wanted, and where
 * a call that only prepares has no known one.
 */
struct why *why_of_error(const struct global_args *global, const struct mr_error *err,
			 struct mr_refusal *refusal);

/** why_of_diagnosis() - as of why_of_error(), of a diagnosis that was made already: of a call of another program */
struct why *why_of_diagnosis(const struct mr_diagnosis *diagnosis);

/** why_print() - report an error that ends a command, and its causes: @command as of report_error() */
void why_print(const struct global_args *global, const char *command, const struct mr_error *err);

/** why_share() - take one more reference to a diagnosis, for another why_release(); NULL for NULL */
struct why *why_share(struct why *why);

/** why_release() - drop a reference to a diagnosis, or to NULL */
void why_release(struct why *why);

/** The results of a diagnosis, as the document has them. */
struct found {
	const char *layer; /**< that refused; NULL: it is not known */
	struct list causes;
	struct list ruled_out;
	struct list proof; /**< what was proven, one row or none */
	const char *tried; /**< what was tried, as a sentence; or NULL */
	struct list tries;
	uint64_t tries_ns; /**< time that they have taken */
};

/** why_found() - the results of @why, which has the rows; none for NULL */
struct found why_found(const struct why *why);

/** why_first() - the most certain cause, or NULL */
const struct mr_cause *why_first(const struct why *why);

/**
 * why_report() - print the causes below the message of the refusal
 * @verbose: print all causes with their evidence, and those that were ruled out
 */
void why_report(const struct why *why, bool verbose);

/** One refusal or failure, as the document has it. */
struct failure {
	/** Which of --count or of the operands, or which line of a batch, from 1. */
	struct mr_opt_u64 index;
	struct mr_opt_u64 region; /**< id, if there is a region already */
	const char *call;
	const char *errno_name;
	struct mr_opt_u64 errno_value;
	const char *status; /**< of a work completion, of mr_data_answers; or NULL */
	const char *message;
	const char *via;
	const char *rereg_code;
	const char *library_would_say;
	const char *old_region;
	const char *why_depth; /**< depth of the search for causes; NULL: none */
	struct found found;
	struct request request;
	enum mr_error_kind kind;
	struct why *why; /**< of what was found; or NULL */
};

/** The diagnosis of a failure: causes, excluded causes, the layer that refused, and tries. */
extern const struct record cause_record, ruled_out_record, proof_record, try_record;
extern const struct record failure_record;

struct failures {
	struct failure *items;
	size_t count;
	size_t capacity;
	bool out_of_memory; /**< some were lost */
};

/** A batch, and the line that it is running. */
struct enclosing {
	const struct command *command; /**< batch itself, whose name begins its messages */
	uint64_t number;               /**< of the line, from 1 */
	const char *text;              /**< the line */
	struct mr_session *session;    /**< in which the command works */
	const struct mr_environment *environment;
	struct failures *failures; /**< the batch's: one of each line that failed */
	struct progress *progress; /**< the batch's */
	bool begun;                /**< the command has begun its part of the document */
};

/** enclosing_wrap() - put the line's number and text before an error */
void enclosing_wrap(const struct enclosing *enclosing, struct mr_error *err);

/**
 * overdue_report() - report on standard error that there are such regions, and that their keys still work
 *
 * For a line of a batch nothing is reported: the batch does that once, at its end.
 */
void overdue_report(const struct invocation *invocation, struct mr_session *session);

/** The answer of one run of a command. */
struct answer {
	const struct invocation *invocation;
	const struct expect_option *expect; /**< or NULL: there is no --expect */
	const struct mr_environment *environment;
	struct output out;
	struct failures failures;
	/** The request: set it before answer_fail(), which adds the command line and clears it. */
	struct request request;
	/** The same for the diagnosis, with what the caller knows; answer_fail() adds the rest and clears it. */
	struct mr_refusal refusal;
	bool tell; /**< print the request in words: set it before answer_fail(), which clears it */
	bool undiagnosed; /**< causes are not searched: the object of the refused call no longer exists */
	unsigned int diagnosed; /**< refusals whose causes were looked for */
	uint64_t tried_ns;      /**< time that their tries have taken */
	const char *
		last_cause; /**< id of the cause that the last message named, "" for none; NULL: no message yet */
	uint64_t repeat_count; /**< refusals after that for the same cause */
	struct progress progress;
	uint64_t total;    /**< regions that the command is about */
	uint64_t reported; /**< failures to report, also those too many for that */
	bool in_session;
	enum mr_tristate as_expected; /**< set by answer_end() */
	bool lines; /**< a single region is printed as lines rather than in a table */
};

/**
 * answer_init() - begin the answer of a command; nothing is printed yet
 * @expect:      the command's --expect, or NULL
 * @environment: or NULL: the caller sets answer->environment before something is printed
 * @total:       regions that the command is about
 *
 * answer_release() it; after a failure there is nothing to release.
 *
 * Return: 0, or -EINVAL with MR_ERROR_USAGE for a bad --output, or an --expect that --why excludes.
 */
int answer_init(struct answer *answer, const struct invocation *invocation,
		const struct expect_option *expect, const struct mr_environment *environment,
		uint64_t total, struct mr_error *err);

/** answer_release() - free what the answer has kept */
void answer_release(struct answer *answer);

/**
 * answer_error() - print the whole answer of a command that could not begin, as there is no session
 * @expect: the command's --expect, or NULL
 * @err:    the error, which is reported and cleared; set if the answer could not be printed
 *
 * Return: exit status, or -errno: -EINVAL with MR_ERROR_USAGE for a bad --output.
 */
int answer_error(const struct invocation *invocation, const struct expect_option *expect,
		 struct mr_error *err);

/**
 * answer_fail() - report a failure on standard error and keep it for the document
 * @index: which of the regions, from 1; 0: the failure is about none
 * @id:    of the region; 0: it has none
 * @via:   path of the call, used if the call's name does not show it (mr_call_via())
 *
 * Return: whether it was reported, so that the caller may add details (report_detail()).
 */
bool answer_fail(struct answer *answer, struct mr_error *err, uint64_t index, uint64_t id,
		 enum mr_via via);

/** The members of each answer's document beside its list; ends with one without key. */
extern const struct field answer_members[];

/** answer_begin() - begin the document, up to its list of the command's records */
void answer_begin(struct answer *answer);

/** answer_begin_list() - begin the document, up to another list; parameters as of output_list_begin() */
void answer_begin_list(struct answer *answer, const char *key, const struct record *record,
		       bool lines);

/** answer_has_rows() - whether regions are printed; if not, rows need not be filled */
static inline bool answer_has_rows(const struct answer *answer)
{
	return answer->out.style->json || !answer->out.style->quiet;
}

/** answer_row() - print a row: a region (struct region_row), or another record of the command */
void answer_row(struct answer *answer, const void *row);

/** answer_end_rows() - end the list; members of the document may follow, until answer_end() */
void answer_end_rows(struct answer *answer);

/**
 * answer_end() - print the verdict, the failures and the environment, and end the document
 * @done: number of regions that the command did its work on
 *
 * Return: 0, or -errno if the document could not be printed.
 */
int answer_end(struct answer *answer, uint64_t done, struct mr_error *err);

/**
 * answer_status() - print on standard error how many regions were done, and choose the exit status
 * @done:       number of regions that the command did its work on
 * @participle: what was done with them: "registered"; NULL: print no number
 *
 * Return: exit status.  In a batch the line is noted as failed, unless that is EXIT_DONE.
 */
int answer_status(const struct answer *answer, uint64_t done, const char *participle);

/**
 * answer_close() - print the end of the document, choose the exit status, and release the answer
 * @rc:   0, or the failure of the command, after which only the answer is released
 * @done: as of answer_end()
 *
 * Return: exit status, or @rc or another -errno with @err.
 */
int answer_close(struct answer *answer, int rc, uint64_t done, struct mr_error *err);

/** answer_note() - print a line; in a batch it begins with the line of the command */
void answer_note(const struct answer *answer, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/** answer_report_rest() - print the number of failures that were not reported one by one */
void answer_report_rest(const struct answer *answer);

/** One run of such a command. */
struct session_job {
	struct mr_session *session;
	struct answer answer; /**< its total is the number of operands */
	uint64_t done;        /**< regions that the command did its work on */
};

/**
 * session_job_run() - join the session, do the work, and leave it
 * @expect: the command's --expect, or NULL
 * @work:   does the work and prints the answer; returns an exit status, or -errno
 *
 * Return: what @work returned; outside of a session EXIT_ABSENT, after an answer that says so; -errno with @err
 * set if nothing was tried.
 */
int session_job_run(const struct invocation *invocation, const struct expect_option *expect,
		    int (*work)(struct session_job *job, struct mr_error *err),
		    struct mr_error *err);

/**
 * proof_mark() - with --why prove: prepare for a call that may be refused
 * @device: that it is made on, or NULL
 */
void proof_mark(const struct invocation *invocation, const char *device);

/** proof_end() - stop watching calls until proof_mark(): the command only waits now */
void proof_end(const struct invocation *invocation);

/**
 * proof_read() - what is proven about a refusal
 * @proven: room for it
 *
 * Return: @proven; NULL without --why prove.
 */
const struct mr_proven *proof_read(const struct invocation *invocation,
				   const struct mr_refusal *refusal, struct mr_proven *proven);

/** refusal_set_region() - set the members of a refusal about a region and its handle */
void refusal_set_region(struct mr_refusal *refusal, const struct mr_entry *entry);

/** refusal_of_entry() - a refusal of a call about a region of the session; its other members are empty */
struct mr_refusal refusal_of_entry(const struct mr_session *session, const struct mr_entry *entry);

/** refusal_of_object() - the same about an object that is known by its handle alone */
struct mr_refusal refusal_of_object(const struct mr_session *session, enum mr_region_kind kind,
				    uint32_t handle);

/** Regions as they are printed. */
struct region_row {
	struct mr_opt_u64 id;
	struct mr_opt_u64 index;
	const char *name;
	const char *kind;
	const char *state;
	struct mr_opt_u64 handle;
	struct mr_opt_u64 lkey;
	struct mr_opt_u64 rkey;
	struct mr_opt_u64 umem_id;
	struct mr_opt_u64 addr;
	struct mr_opt_u64 offset;
	struct mr_opt_u64 length;
	struct mr_opt_u64 extended_addr;
	struct mr_opt_u64 extended_length;
	struct mr_opt_u64 iova;
	struct mr_opt_u64 access;
	struct mr_opt_u64 in_force;
	const char *pd;
	const char *memory;
	struct mr_opt_u64 page_size;
	struct mr_opt_u64 page_sizes;
	struct mr_opt_u64 dmah_cpu;
	const char *dmah_memory;
	struct mr_opt_u64 dmah_ph;
	const char *answer;
	const char *export;
	const char *call;
	const char *via;
	enum mr_tristate needs_process;
	const char *advice;
	const char *advice_answer;
	struct mr_opt_u64 elapsed_ns;
	struct mr_opt_u64 advice_elapsed_ns;
	struct mr_opt_u64 dereg_elapsed_ns;
	struct mr_opt_u64 deferred_ns;
	const char *deferred_answer;
};

/* Columns for the fills of a struct command: of each command that prints regions, and of each for MRs */
#define FIELDS_OF_REGIONS                                                                          \
	"id,name,kind,state,handle,length,access,access_bits,in_force,memory,page_size,call,via,"  \
	"needs_process,elapsed_ns"
#define FIELDS_OF_MRS FIELDS_OF_REGIONS ",lkey,rkey,iova,pd"
/* Columns of commands that register, and of commands with --advise. */
#define FIELDS_OF_REGISTERED ",index,dereg_elapsed_ns"
#define FIELDS_OF_ADVICE     ",advice,advice_answer,advice_elapsed_ns"
/* Columns of commands that show regions with DMA handles. */
#define FIELDS_OF_DMAH ",dmah_cpu,dmah_memory,dmah_ph"

/** Room for an exported umem as text. */
#define BLOB_TEXT (2 * sizeof(((struct mr_umem_blob *)NULL)->bytes) + 1)

/** blob_text() - an exported umem in hexadecimal digits; @text: BLOB_TEXT bytes */
void blob_text(const struct mr_umem_blob *blob, char *text);

/**
 * region_row_describe() - fill a row about a region that was registered
 * @entry: describes it; must live as long as @row
 *
 * A member that such a region does not have becomes unknown.  Id, index, name, state, PD, and flags in force are
 * left to the caller.
 */
void region_row_describe(struct region_row *row, const struct mr_entry *entry);

/**
 * region_row_fill() - fill a row about a region by its entry in the session's table
 * @pd: room for its protection domain; must live as long as @row, and so must @entry
 *
 * Facts that an unfinished registration or change leaves open become unknown.  The caller sets the state.
 */
void region_row_fill(struct region_row *row, const struct mr_entry *entry,
		     const struct mr_table *table, struct mr_table_pd *pd);

/**
 * region_row_of_object() - a row about an object that no entry names
 * @object: what the kernel reports of it
 * @state:  or NULL
 */
struct region_row region_row_of_object(enum mr_region_kind kind, const struct mr_uverbs_mr *object,
				       const char *state);

/**
 * region_row_in_force() - fill in which of the flags have an effect
 *
 * In the usual columns for a person it is left out unless some flag has none.
 */
void region_row_in_force(struct region_row *row, struct mr_in_force *in_force,
			 const struct mr_in_force_region *region, const struct global_args *global);

extern const struct record region_record;

extern const struct record environment_record;

struct memory_args {
	struct mr_opt_u64 size; /**< bytes of each region */
	struct mr_memory_kind memory;
	struct mr_opt_u64 offset; /**< bytes from the start of the mapping to the first region */
	struct mr_opt_u64 addr;   /**< where to map it */
	struct mr_opt_u64 numa;   /**< node to take the pages from */
	struct mr_opt_u64 count;  /**< regions on one mapping */
	struct mr_opt_u64 stride; /**< bytes from one region's start to the next one's */
	bool populate;
};

extern const struct option_spec memory_options[];
/** The options for the new memory of one region. */
extern const struct option_spec new_memory_options[];

/** memory_is_given() - whether one of new_memory_options was given */
bool memory_is_given(const struct memory_args *args);

/** The options with all defaults filled in. */
struct memory_plan {
	struct mr_memory_request mapping; /**< in which all regions lie */
	uint64_t size;                    /**< bytes of each region */
	uint64_t count;
	uint64_t stride; /**< bytes from one region's start to the next one's */
};

/**
 * memory_plan_init() - fill in the defaults
 * @default_size: bytes of a region without --size
 *
 * Return: 0, or -EINVAL or -ERANGE with MR_ERROR_USAGE if the options make no sense together.
 */
int memory_plan_init(struct memory_plan *plan, const struct memory_args *args,
		     uint64_t default_size, struct mr_error *err);

/** Advice to give about the regions once they are registered. */
struct advise_args {
	struct mr_advice advice;
	struct mr_opt_u64 offset; /**< bytes from the start of a region to the advised range */
	struct mr_opt_u64 size;   /**< bytes of that range; unknown: to the end of the region */
};

/** Values of the options about verifying; a registering command has some of them. */
struct verify_args {
	bool wanted; /**< --verify of a registering command */
	bool write;  /**< put back what was read, so that write access is shown */
	struct access_option access;
	struct mr_opt_u64 at;   /**< bytes from the region's first byte */
	struct mr_opt_u64 size; /**< bytes of each operation */
	struct mr_opt_u64 port;
	struct mr_opt_u64 timeout; /**< nanoseconds for each operation */
	struct expect_option expect;
};

/** A region to verify. */
struct verify_target {
	struct mr_entry entry; /**< describes it */
	uint64_t index;        /**< which of the operands or of --count, from 1 */
	const char *name;      /**< or NULL */
	bool is_own;           /**< the memory is mapped in this process */
	bool is_gone;          /**< the kernel has no such region any more */
	enum mr_tristate is_inert;
	bool is_revoked; /**< its Data Direct function was unbound */
	const struct mr_uverbs *uverbs;
};

/** A row about an operation, as it is printed. */
struct verified {
	struct mr_opt_u64 region; /**< id */
	char name[MR_NAME_SIZE];
	struct mr_data_row data;
	struct mr_opt_u64 bytes_per_second;
	const char *cause; /**< id of the cause of a refusal; or NULL */
};

extern const struct record verified_record;

#define VERIFIED_COLUMNS "region,name,access,place,registered,answer,agrees,cause,bytes_per_second"

/** The verification of regions, and its rows. */
struct verification {
	const struct verify_args *args;
	struct answer *answer;
	struct mr_verifier verifier; /**< in the protection domain of the region */
	struct verified *rows;
	size_t count, capacity;
	uint64_t writes;    /**< operations that have put bytes back */
	uint64_t unwritten; /**< operations that were not tried because they write */
	bool interrupted;
	bool stops; /**< no further region can be verified */
};

struct registrar;

/**
 * verification_begin() - begin to verify new regions, on the device of a registrar
 *
 * A failure is reported, and a failure of the answer.
 */
void verification_begin(struct verification *verification, const struct verify_args *args,
			struct answer *answer, struct registrar *registrar);

/**
 * verification_add() - verify a region; what fails or disagrees is reported, and is a failure of the answer
 * @device: the region's own, with its protection domain
 */
void verification_add(struct verification *verification, const struct mr_device *device,
		      const struct verify_target *target);

/** verification_print() - add the list "verified" to the document of another command, or print it as a table */
void verification_print(struct verification *verification);

/** verification_release() - free the rows */
void verification_release(struct verification *verification);

/** Members of the document of a command with --verify. */
extern const struct field verified_members[];

/** Values of the options of the registering commands; each command has some of them. */
struct register_args {
	struct memory_args memory;
	struct access_option access;
	struct access_option changes; /**< of rereg: enum mr_change, or any other bits */
	const char *name;
	const char *pd;
	struct via_option via;
	const char *call;
	struct mr_opt_u64 iova; /**< of the first region */
	bool relaxed;
	struct dmah_option dmah;
	struct mr_dmabuf_source dmabuf; /**< that regions are on */
	struct mr_opt_u64 buffer;       /**< bytes of the dma-buf to make */
	bool data_direct;
	struct mr_opt_u64 page_sizes; /**< of a umem: the pgsz_bitmap */
	bool try_page_sizes;
	bool export;        /**< print the blob by which others import the umem */
	const char *import; /**< such a blob, as typed */
	bool hold;
	struct mr_opt_u64 hold_for;
	struct expect_option expect;
	bool keep_going;
	struct advise_args advise;
	struct verify_args verify;
};

/** An option that fills a member of struct register_args. */
#define REGISTER_OPTION(letter, name, type, member, ...)                                           \
	OPTION(letter, name, type, struct register_args, member, __VA_ARGS__)

/** Groups of options that fill a struct register_args at offset 0. */
extern const struct option_group memory_group, region_group, call_group, umem_group, lifetime_group;
extern const struct option_group advise_group;

/** Rules for the options of all registering commands: those about an option that a command lacks do not apply. */
extern const struct option_rule register_rules[];

/** The help of an option that fills @buffer. */
#define DMABUF_BUFFER_HELP "make a dma-buf of SIZE bytes (default: as needed)"

/** The work of a registering command. */
struct register_plan {
	/**
	 * The first region's, as far as it is known before there is memory.  Its call is the command's usual one, or the
	 * one that --call names.  The IOVA of each other region lies as far above it as its address does.
	 */
	struct mr_region_request request;
	struct via_option via;     /**< --via; with --call the library's path */
	struct memory_plan memory; /**< size, count, stride; for MR_ON_MEMORY the mapping too */
	struct mr_dmabuf_request dmabuf; /**< of MR_ON_DMABUF */
	uint64_t dm_length; /**< bytes to allocate, if there is to be memory on the device */
};

/**
 * register_plan_init() - fill in the plan of @args
 * @call: the command's call, unless --call names another
 *
 * Return: 0, or -EINVAL or -ERANGE with MR_ERROR_USAGE if the options make no sense together.
 */
int register_plan_init(struct register_plan *plan, const struct register_args *args,
		       enum mr_region_call call, struct mr_error *err);

#define REGISTER_COLUMNS_MAX 256

/** register_columns() - the usual columns of new regions; @stay: in a session, outside of which they are deregistered */
void register_columns(const struct register_plan *plan, const struct register_args *args, bool stay,
		      char columns[REGISTER_COLUMNS_MAX]);

/** The registering device: the command's own, or the session's. */
struct registrar {
	/* To be set before registrar_open(): */
	const struct invocation *invocation;
	enum mr_region_kind kind; /**< what is to be registered; umems need DEVX, and no PD */
	bool dmah;                /**< with a DMA handle */
	bool untimed; /**< this command shows no times: those of its own device need not be taken */
	/** Name of the PD, allocated if there is none; NULL: MR_DEFAULT_PD.  It becomes NULL for umems. */
	const char *pd;
	struct via_option allowed;
	/* Set by it: */
	struct mr_session *session; /**< or NULL */
	struct mr_session own_session;
	struct mr_device device; /**< its own, or the session's, imported; or none */
	struct mr_environment environment;
	struct mr_uverbs uverbs;
	struct mr_registrar base; /**< for the calls themselves */
	uint32_t pd_slot;         /**< of the PD in the session's table; MR_TABLE_PDS: none */
	bool made_pd;             /**< this command has allocated it, and is not known to use it */
};

/**
 * registrar_open() - open the device or join the session, and choose PD and path
 * @registrar: registrar_close() it in either case
 *
 * Without --via the path is the library's wherever possible, because the user wants the answer of libibverbs. In a
 * session this requires a provider that can import the session's device, and for umems a libmlx5 that reports their
 * handles: without a handle no later command could deregister them. No library reports the handle of a DMA handle.
 *
 * Return: 0 or -errno.
 */
int registrar_open(struct registrar *registrar, struct mr_error *err);

/**
 * registrar_choose_path() - find the PD in the session, and choose the path, by which the device is opened
 * @makes_pd: allocate a PD that does not exist
 *
 * Return: 0 or -errno.
 */
int registrar_choose_path(struct registrar *registrar, bool makes_pd, struct mr_error *err);

/** registrar_is_own() - whether only this process has the device's file: no session outlives this process */
static inline bool registrar_is_own(const struct registrar *registrar)
{
	return !registrar->session || mr_session_is_private(registrar->session);
}

/** registrar_close() - close the device, and leave the session */
void registrar_close(struct registrar *registrar);

/**
 * registrar_leave_pd() - let the PD be deallocated: this command registers nothing more in it
 * @is_used: something was registered; else a PD that was allocated for it is deallocated
 */
void registrar_leave_pd(struct registrar *registrar, bool is_used);

/**
 * register_check() - check of a command whose args are a struct register_args
 *
 * Return: 0, or -errno with MR_ERROR_USAGE if the options make no sense together.
 */
int register_check(const struct invocation *invocation, enum mr_region_call call,
		   struct mr_error *err);

/**
 * register_run() - register what the options describe, report, and deregister
 * @invocation: of a command whose args are a struct register_args
 * @call:       the command's call, unless --call names another
 *
 * In a session the regions stay.  Outside of one they are deregistered, with --hold at its end.
 *
 * Return: an exit status; a negative errno with @err set if nothing was tried.
 */
int register_run(const struct invocation *invocation, enum mr_region_call call,
		 struct mr_error *err);

#endif
