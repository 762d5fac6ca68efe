// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/diagnose/proof/proof.h"
#include "lib/host/host.h"

/* mr_watch_has() - whether a function, by its index, is watched */
static inline bool mr_watch_has(const struct mr_watch *watch, unsigned int function)
{
	return watch->buffer && watch->probes[function] >= 0;
}

/* The last returns that are looked at.  An error comes out at once, so what led to it is among the last ones. */
#define RETURNS_MAX 2048

static void read_counters(struct mr_proof *proof, const char *device)
{
	struct mr_rdma_device place;
	struct mr_error ignored;

	proof->pci_address[0] = '\0';
	mr_rdma_device_read_place(mr_this_host(), device, &place);
	if (place.pci_address[0] &&
	    !mr_mlx5_commands_read(mr_this_host(), place.pci_address, proof->commands, &ignored))
		snprintf(proof->pci_address, sizeof(proof->pci_address), "%s", place.pci_address);
}

static void begin(struct mr_proof *proof)
{
	struct mr_error err;

	proof->is_tried = true;
	proof->note[0] = '\0';
	if (mr_watch_begin(&proof->watch, &err))
		snprintf(proof->note, sizeof(proof->note), "%s%s%s", err.text,
			 err.hint[0] ? "; " : "", err.hint);
}

void mr_proof_mark(struct mr_proof *proof, const char *device)
{
	if (!proof->is_tried)
		begin(proof);
	if (device && !proof->pci_address[0])
		read_counters(proof, device);
	mr_watch_mark(&proof->watch);
}

void mr_proof_end(struct mr_proof *proof)
{
	if (proof->is_tried && !proof->note[0])
		mr_watch_end(&proof->watch);
	proof->is_tried = false;
}

/* A counter that has grown; one that is not known has not. */
static bool has_grown(struct mr_opt_u64 before, struct mr_opt_u64 after)
{
	return before.known && after.known && after.value > before.value;
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

	if (!proof->pci_address[0] ||
	    mr_mlx5_commands_read(mr_this_host(), proof->pci_address, now, &ignored))
		return;
	for (size_t i = 0; i < MR_MLX5_COMMANDS; i++) {
		if (!has_grown(proof->commands[i].refused, now[i].refused))
			continue;
		if (found)
			return;
		found = &now[i];
	}
	if (!found)
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

static bool watches_provider(const struct mr_watch *watch, const char *provider)
{
	for (unsigned int i = 0; mr_kernel_functions[i].name; i++)
		if (mr_kernel_functions[i].provider && provider && mr_watch_has(watch, i) &&
		    !strcmp(mr_kernel_functions[i].provider, provider))
			return true;
	return false;
}

/* Who refuses where no function below this one has failed. */
static enum mr_layer layer_of(const struct mr_chain_link *link)
{
	const bool is_limit = link->errnum == ENOMEM || link->errnum == EPERM;

	return link->function->checks && !is_limit ? MR_LAYER_UVERBS : link->function->layer;
}

/* The layers that can have refused where this function did. */
static uint32_t layers_of(const struct mr_chain_link *link, bool watches_driver)
{
	uint32_t layers = (1U << layer_of(link)) | link->function->also;

	if (link->errnum == ENOMEM) /* any function can lack memory of the kernel */
		layers |= MR_IN_LAYER(MEMORY);
	if (link->function->layer == MR_LAYER_UVERBS && !watches_driver)
		layers |= MR_IN_LAYER(DRIVER) | MR_IN_LAYER(FIRMWARE) | MR_IN_LAYER(MEMORY) |
			  MR_IN_LAYER(DMABUF);
	return layers;
}

static bool is_watched(const struct mr_watch *watch, const char *name)
{
	for (unsigned int i = 0; mr_kernel_functions[i].name; i++)
		if (!strcmp(mr_kernel_functions[i].name, name))
			return mr_watch_has(watch, i);
	return false;
}

/*
 * Whether the firmware has answered by a status other than 0 (mlx5/core/cmd.c).  cmd_exec() fails only where there
 * was no answer, and those that call it make the errno of the status.
 */
static bool is_answered(const struct mr_proof *proof, const struct mr_chain_link *link)
{
	return (!strcmp(link->function->name, "mlx5_cmd_exec") ||
		!strcmp(link->function->name, "mlx5_cmd_do")) &&
	       is_watched(&proof->watch, "cmd_exec");
}

static void prove_by_chain(struct mr_proof *proof, const struct mr_proof_question *question,
			   struct mr_proven *proven)
{
	const struct mr_chain_link *last = &proven->chain.links[proven->chain.count - 1];
	struct mr_mlx5_log_line line;

	proven->layer = layer_of(last);
	proven->layers = layers_of(last, watches_provider(&proof->watch, question->provider));
	if (proven->layer == MR_LAYER_UVERBS && proven->layers & MR_IN_LAYER(DRIVER))
		proven->layer = MR_LAYER_UNKNOWN;
	if (proven->layer != MR_LAYER_FIRMWARE)
		return;
	if (!is_answered(proof, last))
		return;
	proven->layers = MR_IN_LAYER(FIRMWARE);
	find_refused_command(proof, &proven->firmware);
	/* The kernel's log names this thread, but leaves out lines where they are many. */
	if (!proven->firmware.command[0] &&
	    !mr_mlx5_log_read(mr_this_host(), question->device, &line))
		mr_firmware_answer_take(&proven->firmware, &line, question->errnum);
}

/* The stack of the kernel did not return that errno, so libibverbs or the provider has made it up. */
static void prove_user_space(const struct mr_proof *proof, const struct mr_proof_question *question,
			     struct mr_proven *proven)
{
	if (!question->by_library) {
		proven->note = "no function that is watched has returned this error";
		return;
	}
	/* What does not come in by a function that is watched is not seen at all. */
	if (!is_watched(&proof->watch, "ib_uverbs_ioctl") ||
	    !is_watched(&proof->watch, "ib_uverbs_write")) {
		proven->note =
			"no function that is watched has returned this error, and not all by "
			"which calls come in could be watched";
		return;
	}
	if (question->is_filtered) {
		proven->note = "no function of the RDMA stack has returned this error, but system "
			       "calls are filtered here (seccomp), and the filter may have";
		return;
	}
	proven->in_user_space = true;
	proven->layers = MR_IN_LAYER(LIBIBVERBS) | MR_IN_LAYER(PROVIDER);
}

void mr_proof_read(struct mr_proof *proof, const struct mr_proof_question *question,
		   struct mr_proven *proven)
{
	struct mr_return returns[RETURNS_MAX];
	size_t count;

	memset(proven, 0, sizeof(*proven));
	if (question->is_simulated)
		proven->note = "the device is simulated";
	else if (!proof->is_tried)
		proven->note = "the call was not watched";
	else if (proof->note[0])
		proven->note = proof->note;
	if (proven->note)
		return;
	count = mr_watch_read(&proof->watch, returns, RETURNS_MAX);
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

static int errno_of(const struct mr_return *found)
{
	return mr_kernel_function_errno(function_of(found), found->value);
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

/* The end of what was called by the function that returned at @place. */
static size_t end_of_calls(const struct mr_return *returns, size_t count, size_t place)
{
	size_t end = place + 1;

	while (end < count && is_inside(&returns[end], &returns[place]))
		end++;
	return end;
}

/*
 * The call from which the function that returned at @place has its error: the last one that returned the same.
 * Another errno has been overcome, unless the function is one of those that translate.
 */
static size_t find_origin(const struct mr_return *returns, size_t count, size_t place)
{
	const size_t end = end_of_calls(returns, count, place);
	size_t translated = place;

	for (size_t i = place + 1; i < end; i = end_of_calls(returns, end, i)) {
		const int errnum = errno_of(&returns[i]);

		if (errnum && errnum == errno_of(&returns[place]))
			return i;
		if (errnum && translated == place && function_of(&returns[place])->translates)
			translated = i;
	}
	return translated;
}

void mr_chain_find(const struct mr_return *returns, size_t count, int errnum,
		   struct mr_chain *chain)
{
	size_t place = count, next;

	chain->count = 0;
	for (size_t i = 0; i < count && place == count; i++)
		if (function_of(&returns[i])->is_entry && errno_of(&returns[i]) == errnum)
			place = i;
	while (place < count) {
		const struct mr_chain_link link = { function_of(&returns[place]),
						    errno_of(&returns[place]) };

		/* The innermost one is always kept. */
		chain->links[chain->count == MR_CHAIN_MAX ? MR_CHAIN_MAX - 1 : chain->count++] =
			link;
		next = find_origin(returns, count, place);
		if (next == place)
			break;
		place = next;
	}
}
