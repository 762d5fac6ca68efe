// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <string.h>

#include "lib/base/base.h"
#include "lib/simulator/spec.h"

#define MILLISECONDS_MAX 3600000

const struct mr_word mr_sim_profiles[] = {
	[MR_SIM_MLX5] = MR_WORD("mlx5", "mlx5_0, with import (the default)"),
	[MR_SIM_RXE] = MR_WORD("rxe", "rxe0, the kernel's software device, without import"),
	[MR_SIM_PROFILES] = { .name = NULL },
};

const struct mr_word mr_sim_kernels[] = {
	[MR_SIM_KERNEL_7_2] = MR_WORD("7.2", "Debian sid (the default)"),
	[MR_SIM_KERNEL_6_12] = MR_WORD("6.12", "Debian 13"),
	[MR_SIM_KERNEL_6_1] = MR_WORD("6.1", "Debian 12"),
	[MR_SIM_KERNELS] = { .name = NULL },
};

const struct mr_word mr_sim_calls[] = {
	[MR_SIM_OPEN] = MR_WORD("open", "opening the device"),
	[MR_SIM_GET_CONTEXT] = MR_WORD("get_context", "making the device's context"),
	[MR_SIM_QUERY_CONTEXT] = MR_WORD("query_context", "importing a context"),
	[MR_SIM_QUERY_DEVICE] = MR_WORD("query_device", "device attributes"),
	[MR_SIM_QUERY_PORT] = MR_WORD("query_port", "port attributes"),
	[MR_SIM_QUERY_GID] = MR_WORD("query_gid", "the table of GIDs"),
	[MR_SIM_ALLOC_PD] = MR_WORD("alloc_pd", "allocating a protection domain"),
	[MR_SIM_DEALLOC_PD] = MR_WORD("dealloc_pd", "deallocating a protection domain"),
	[MR_SIM_QUERY_PD] = MR_WORD("query_pd", "importing a protection domain"),
	[MR_SIM_REG_MR] = MR_WORD("reg_mr", "registering memory"),
	[MR_SIM_REG_DMABUF_MR] = MR_WORD("reg_dmabuf_mr", "registering a dma-buf"),
	[MR_SIM_REG_DM_MR] = MR_WORD("reg_dm_mr", "registering memory on the device"),
	[MR_SIM_REREG_MR] = MR_WORD("rereg_mr", "changing a region"),
	[MR_SIM_DEREG_MR] = MR_WORD("dereg_mr", "deregistering a region"),
	[MR_SIM_QUERY_MR] = MR_WORD("query_mr", "keys, length and IOVA of a region"),
	[MR_SIM_ADVISE_MR] = MR_WORD("advise_mr", "prefetching pages of a region on demand"),
	[MR_SIM_UMEM_REG] = MR_WORD("umem_reg", "registering a DEVX umem"),
	[MR_SIM_UMEM_DEREG] = MR_WORD("umem_dereg", "deregistering a DEVX umem"),
	[MR_SIM_ALLOC_MW] = MR_WORD("alloc_mw", "allocating a memory window"),
	[MR_SIM_DEALLOC_MW] = MR_WORD("dealloc_mw", "deallocating a memory window"),
	[MR_SIM_ALLOC_DM] = MR_WORD("alloc_dm", "allocating memory on the device"),
	[MR_SIM_FREE_DM] = MR_WORD("free_dm", "freeing memory on the device"),
	[MR_SIM_EXPORT_DMABUF] = MR_WORD("export_dmabuf", "a dma-buf of memory on the device"),
	[MR_SIM_ALLOC_DMAH] = MR_WORD("alloc_dmah", "allocating a DMA handle"),
	[MR_SIM_FREE_DMAH] = MR_WORD("free_dmah", "freeing a DMA handle"),
	[MR_SIM_INFO_HANDLES] = MR_WORD("info_handles", "listing objects"),
	[MR_SIM_ALLOC_UAR] = MR_WORD("alloc_uar", "allocating a doorbell page"),
	[MR_SIM_DEALLOC_UAR] = MR_WORD("dealloc_uar", "deallocating a doorbell page"),
	[MR_SIM_ALLOC_EVENT] = MR_WORD("alloc_event", "a descriptor for events"),
	[MR_SIM_CREATE_COMP_CHANNEL] =
		MR_WORD("create_comp_channel", "a channel for events of completion queues"),
	[MR_SIM_CREATE_CQ] = MR_WORD("create_cq", "creating a completion queue"),
	[MR_SIM_REQ_NOTIFY_CQ] =
		MR_WORD("req_notify_cq", "requesting an event of a completion queue"),
	[MR_SIM_DESTROY_CQ] = MR_WORD("destroy_cq", "destroying a completion queue"),
	[MR_SIM_CREATE_SRQ] = MR_WORD("create_srq", "creating a shared receive queue"),
	[MR_SIM_MODIFY_SRQ] = MR_WORD("modify_srq", "changing a shared receive queue"),
	[MR_SIM_QUERY_SRQ] = MR_WORD("query_srq", "attributes of a shared receive queue"),
	[MR_SIM_DESTROY_SRQ] = MR_WORD("destroy_srq", "destroying a shared receive queue"),
	[MR_SIM_CREATE_QP] = MR_WORD("create_qp", "creating a queue pair"),
	[MR_SIM_MODIFY_QP] = MR_WORD("modify_qp", "changing a queue pair, such as its state"),
	[MR_SIM_QUERY_QP] = MR_WORD("query_qp", "attributes of a queue pair"),
	[MR_SIM_DESTROY_QP] = MR_WORD("destroy_qp", "destroying a queue pair"),
	[MR_SIM_CREATE_AH] = MR_WORD("create_ah", "creating an address handle"),
	[MR_SIM_DESTROY_AH] = MR_WORD("destroy_ah", "destroying an address handle"),
	[MR_SIM_DEVX] = MR_WORD("devx", "a firmware command"),
	[MR_SIM_LOCK] =
		MR_WORD("lock", "fcntl(F_SETLK, F_SETLKW) that write-locks or unlocks a memfd"),
	[MR_SIM_CALLS] = { .name = NULL },
};

const struct mr_word mr_sim_actions[] = {
	[MR_SIM_FAIL] = MR_WORD("ERRNO", "answer with that error, such as ENOMEM, and do nothing"),
	[MR_SIM_KILL] = MR_WORD("kill", "kill the process before the call is carried out"),
	[MR_SIM_KILL_AFTER] =
		MR_WORD("kill-after", "kill the process after the call, before it returns"),
	[MR_SIM_STOP] =
		MR_WORD("stop", "stop the process (SIGSTOP) before the call is carried out"),
	[MR_SIM_STOP_AFTER] =
		MR_WORD("stop-after", "stop the process after the call, before it returns"),
	[MR_SIM_DELAY] = MR_WORD("delay:MILLISECONDS", "wait, then carry the call out"),
	{ .name = NULL },
};

/* The index of a word in a table; -EINVAL with MR_ERROR_USAGE if it has none.  @what: for the message. */
static int find_word(const struct mr_word *words, const char *what, const char *text, size_t length,
		     struct mr_error *err)
{
	const int found = mr_word_find(words, text, length);

	return found >= 0 ? found : mr_fail_word(err, what, text, length, words, sizeof(*words));
}

int mr_sim_kernel_parse(const char *text, enum mr_sim_kernel *kernel, struct mr_error *err)
{
	int found = find_word(mr_sim_kernels, "kernel", text, strlen(text), err);

	if (found < 0)
		return found;
	*kernel = (enum mr_sim_kernel)found;
	return 0;
}

static int parse_call(const char *text, size_t length, struct mr_sim_fault *fault,
		      struct mr_error *err)
{
	const char *at = memchr(text, '@', length);
	size_t name = at ? (size_t)(at - text) : length;
	int found = find_word(mr_sim_calls, "call", text, name, err), rc = 0;

	if (found < 0)
		return found;
	fault->call = (enum mr_sim_call)found;
	fault->turn = 0;
	if (at)
		rc = mr_parse_u64_item(at + 1, length - name - 1, UINT64_MAX, &fault->turn, err);
	if (!rc && at && !fault->turn)
		return mr_fail_usage(err, "calls are counted from 1");
	return rc;
}

static int parse_action(const char *text, size_t length, struct mr_sim_fault *fault,
			struct mr_error *err)
{
	static const char delay[] = "delay:";
	int found = mr_word_find(mr_sim_actions, text, length);
	const char *guess;

	fault->value = 0;
	if (found > MR_SIM_FAIL && found < MR_SIM_DELAY) { /* those without a value */
		fault->action = (enum mr_sim_action)found;
		return 0;
	}
	if (length >= strlen(delay) && !memcmp(text, delay, strlen(delay))) {
		fault->action = MR_SIM_DELAY;
		return mr_parse_u64_item(text + strlen(delay), length - strlen(delay),
					 MILLISECONDS_MAX, &fault->value, err);
	}
	fault->action = MR_SIM_FAIL;
	fault->value = (uint64_t)mr_errno_parse(text, length);
	if (fault->value)
		return 0;
	guess = mr_guess_from(text, length, mr_sim_actions, sizeof(*mr_sim_actions));
	if (!guess || guess == mr_sim_actions[MR_SIM_FAIL].name)
		guess = mr_errno_guess(text, length);
	return mr_fail_usage(err,
			     "unknown action '%.*s'%s%s%s give kill, kill-after, stop, stop-after, "
			     "delay:MILLISECONDS or an errno's name",
			     (int)length, text, guess ? ": did you mean '" : ":",
			     guess ? guess : "", guess ? "'?" : "");
}

static int parse_fault(const char *text, size_t length, struct mr_sim_fault *fault,
		       struct mr_error *err)
{
	const char *equals = memchr(text, '=', length);
	size_t call = equals ? (size_t)(equals - text) : 0;
	int rc;

	if (!equals)
		return mr_fail_usage(err, "'%.*s' is not of the form CALL[@N]=ACTION", (int)length,
				     text);
	fault->text = text;
	fault->length = length;
	rc = parse_call(text, call, fault, err);
	return rc ? rc : parse_action(equals + 1, length - call - 1, fault, err);
}

int mr_sim_faults_parse(const char *text, struct mr_sim_faults *faults, struct mr_error *err)
{
	for (;; text++) {
		size_t length = strcspn(text, ";");
		int rc;

		if (faults->count == MR_SIM_FAULTS_MAX)
			return mr_fail_usage(err, "more than %d faults", MR_SIM_FAULTS_MAX);
		rc = parse_fault(text, length, &faults->list[faults->count], err);
		if (rc)
			return rc;
		faults->count++;
		text += length;
		if (!*text)
			return 0;
	}
}
