// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>

#include "cmd/region/region.h"
#include "lib/base/base.h"
#include "lib/session/session.h"
#include "lib/session/table/table.h"
#include "lib/verbs/verbs.h"

/* A row of a member of struct region_row. */
#define REGION(member, ...) FIELD(struct region_row, member, __VA_ARGS__)

static const struct field region_fields[] = {
	REGION(id, FIELD_NUMBER, 0, "number of the region"),
	REGION(index, FIELD_NUMBER, FIELD_DETAIL, "number in --count, from 1"),
	REGION(name, FIELD_STRING, 0, "name of the region (--name)"),
	REGION(kind, FIELD_STRING, FIELD_DETAIL | FIELD_PUBLIC | FIELD_KNOWN, "mr, umem or dm"),
	REGION(state, FIELD_STRING, FIELD_PUBLIC | FIELD_KNOWN,
	       "live, inert, deferred, deregistered, replaced, refused, pending, in-doubt, suspect, "
	       "broken, gone, unlisted, unknown: see mrctl-session(7)"),
	REGION(handle, FIELD_NUMBER, FIELD_DETAIL, "handle: the kernel's number for the region",
	       .instead = "id"),
	REGION(lkey, FIELD_HEX, 0, "key for local use"),
	REGION(rkey, FIELD_HEX, 0, "key for peers"),
	REGION(umem_id, FIELD_NUMBER, 0, "the device's number for a umem"),
	REGION(addr, FIELD_HEX, 0, "address of the first byte"),
	REGION(offset, FIELD_NUMBER, 0, "first byte in the dma-buf or DM"),
	REGION(length, FIELD_NUMBER, 0, "bytes"),
	REGION(extended_addr, FIELD_HEX, 0,
	       "address of the first reachable byte (relaxed regions)"),
	REGION(extended_length, FIELD_NUMBER, 0, "reachable bytes (relaxed regions)"),
	REGION(iova, FIELD_HEX, 0, "address of the first byte for the HCA", .repeats = "addr"),
	REGION(access, FIELD_ACCESS, 0, "requested access flags"),
	FIELD_AS("access_bits", struct region_row, access, FIELD_HEX, FIELD_DETAIL,
		 "access flags as a mask"),
	REGION(in_force, FIELD_ACCESS, 0, "access flags that have an effect, as far as known"),
	REGION(pd, FIELD_STRING, 0, "protection domain", .usual = MR_DEFAULT_PD),
	REGION(memory, FIELD_STRING, FIELD_MEMORY, "kind of memory, or source of the dma-buf"),
	REGION(page_size, FIELD_NUMBER, 0, "bytes of the memory's pages"),
	REGION(page_sizes, FIELD_PAGES, 0, "requested page sizes of a umem (--page-sizes)"),
	REGION(dmah_cpu, FIELD_NUMBER, 0, "CPU of the DMA handle (--dmah)"),
	REGION(dmah_memory, FIELD_STRING, FIELD_PUBLIC,
	       "kind of memory of the DMA handle: volatile or persistent"),
	REGION(dmah_ph, FIELD_NUMBER, 0, "processing hint of the DMA handle, 0 to 3"),
	REGION(answer, FIELD_STRING, FIELD_PUBLIC,
	       "answer with --try-page-sizes: ok, or the name of the errno"),
	REGION(export, FIELD_STRING, 0, "data for mlx5dv_devx_umem_import (--export; umems)"),
	REGION(call, FIELD_STRING, FIELD_DETAIL | FIELD_PUBLIC, "call that registered it"),
	REGION(via, FIELD_STRING, FIELD_DETAIL | FIELD_PUBLIC,
	       "path of the call: library (libibverbs) or kernel"),
	REGION(needs_process, FIELD_TRISTATE, FIELD_DETAIL,
	       "whether the region is inert once the process that registered it has ended"),
	REGION(advice, FIELD_STRING, FIELD_DETAIL | FIELD_PUBLIC,
	       "advice about the region (--advise)"),
	REGION(advice_answer, FIELD_STRING, FIELD_PUBLIC,
	       "answer to the advice: ok, or the name of the errno"),
	REGION(elapsed_ns, FIELD_NUMBER, 0, "time that registering took"),
	REGION(advice_elapsed_ns, FIELD_NUMBER, 0, "time that the advice took"),
	REGION(dereg_elapsed_ns, FIELD_NUMBER, 0, "time that deregistering took"),
	REGION(deferred_ns, FIELD_NUMBER, 0, "time since a deferred region was deregistered"),
	REGION(deferred_answer, FIELD_STRING, FIELD_PUBLIC,
	       "name of the errno, if a deferred region could not be invalidated"),
	FIELD_END,
};
REPORTED const struct record region_record = { "region", region_fields, "regions" };

void blob_text(const struct mr_umem_blob *blob, char *text)
{
	*text = '\0';
	for (size_t i = 0; i < blob->size; i++)
		snprintf(text + 2 * i, 3, "%02x", blob->bytes[i]);
}

void region_row_describe(struct region_row *row, const struct mr_entry *entry)
{
	const struct mr_call_row *call = mr_call_row(entry->call);
	const bool is_umem = call->kind == MR_KIND_UMEM, is_null = call->on == MR_ON_NOTHING;
	const bool has_offset = mr_region_has_offset(entry->call);
	const enum mr_via via = (enum mr_via)entry->via;
	const uint64_t page_size = mr_entry_page_size(entry);
	const struct mr_dmah_hints *hints = &entry->hints;
	bool has_cpu;

	*row = (struct region_row){
		.kind = mr_region_kind_name(call->kind),
		.handle = { entry->handle, entry->handle != MR_NO_HANDLE },
		.lkey = { entry->lkey, !is_umem },
		.rkey = { entry->rkey, !is_umem && !is_null },
		.umem_id = { entry->umem_id, is_umem },
		.addr = { entry->addr, !has_offset && !is_null },
		.offset = { entry->addr, has_offset },
		.length = known(entry->length),
		.iova = { entry->iova, !is_umem && !is_null },
		.access = { entry->access, !is_null },
		.memory = entry->memory[0] ? entry->memory : NULL,
		.page_size = { page_size, page_size != 0 },
		.page_sizes = { entry->page_sizes, call->page_sizes },
		.call = mr_region_call_name(entry->call, via),
		.via = mr_via_name(via),
		/* Paging on demand faults in pages of that process; memory of a GPU is freed when it ends. */
		.needs_process =
			entry->access & MR_ACCESS_ON_DEMAND || entry->memory_of == MR_MEMORY_OF_GPU
				? MR_YES
				: MR_NO,
		.elapsed_ns = known(entry->elapsed_ns),
	};
	if (entry->call == MR_REG_MR_RELAXED) { /* whole pages around its own range are reachable */
		row->extended_addr = row->addr;
		row->extended_length = row->length;
		mr_extend_to_pages(row->page_size.value, &row->extended_addr.value,
				   &row->extended_length.value);
	}
	if (!mr_call_row(entry->call)->dmah)
		return;
	/* Hints from the session's table are untrusted. */
	has_cpu = hints->memory > MR_DMAH_NO_CPU && hints->memory < MR_DMAH_MEMORIES;
	row->dmah_ph = known(hints->ph);
	row->dmah_cpu = (struct mr_opt_u64){ hints->cpu, has_cpu };
	row->dmah_memory = has_cpu ? mr_dmah_memories[hints->memory].name : NULL;
}

/*
 * Makes uncertain members unknown: the kernel got a request for @changes (enum mr_change), and its answer was not
 * recorded.
 * @pending: the call that registers has not returned, or its process was killed
 */
static void hide(struct region_row *row, unsigned int changes, bool pending)
{
	if (pending || changes)
		row->lkey.known = row->rkey.known = false;
	if (pending || changes & MR_CHANGE_TRANSLATION) {
		row->addr.known = row->offset.known = row->length.known = row->iova.known = false;
		row->extended_addr.known = row->extended_length.known = false;
	}
	if (pending || changes & MR_CHANGE_ACCESS)
		row->access.known = false;
	if (!pending && changes & MR_CHANGE_TRANSLATION) {
		row->memory = NULL;
		row->page_size.known = false;
	}
	if (!pending)
		return;
	row->handle.known = row->umem_id.known = row->elapsed_ns.known = false;
	row->call = row->via = row->dmah_memory = NULL;
	row->dmah_cpu.known = row->dmah_ph.known = false;
}

void region_row_fill(struct region_row *row, const struct mr_entry *entry,
		     const struct mr_table *table, struct mr_table_pd *pd)
{
	const struct mr_in_force_region asked = {
		.call = (enum mr_region_call)entry->call,
		.via = (enum mr_via)entry->via,
		.access = entry->access,
		.at_zero = entry->iova ? MR_NO : MR_YES,
	};
	struct mr_in_force without_device = { .asked = true };
	const uint64_t now = mr_now_ns();

	region_row_describe(row, entry);
	row->id = (struct mr_opt_u64){ entry->id, entry->id != 0 };
	row->name = entry->name[0] ? entry->name : NULL;
	if (!(entry->in_doubt & MR_CHANGE_PD) && mr_table_pd(table, entry->pd, pd))
		row->pd = pd->name;
	if (mr_entry_is_marked(entry)) {
		row->deferred_ns = known(now > entry->marked_ns ? now - entry->marked_ns : 0);
		if (entry->mark_errno)
			row->deferred_answer = mr_errno_name((int)entry->mark_errno);
	}
	hide(row, entry->in_doubt, entry->state == MR_ENTRY_PENDING);
	/* The flags that have an effect, as far as that is known without asking the device. */
	if (row->access.known)
		row->in_force = mr_in_force_bits(&without_device, &asked);
	else
		row->needs_process = MR_UNKNOWN;
}

struct region_row region_row_of_object(enum mr_region_kind kind, const struct mr_uverbs_mr *object,
				       const char *state)
{
	bool is_mr = kind == MR_KIND_MR;

	return (struct region_row){
		.kind = mr_region_kind_name(kind),
		.state = state,
		.handle = known(object->handle),
		.lkey = { object->lkey, is_mr },
		.rkey = { object->rkey, is_mr },
		.length = { object->length, is_mr },
		.iova = { object->iova, is_mr },
	};
}

void region_row_in_force(struct region_row *row, struct mr_in_force *in_force,
			 const struct mr_in_force_region *region, const struct global_args *global)
{
	bool all = global->style.json || global->style.columns || global->style.verbose;

	row->in_force = mr_in_force_bits(in_force, region);
	row->in_force.known &= all || row->in_force.value != region->access;
}

#define ENVIRONMENT(member, ...) FIELD(struct mr_environment, member, __VA_ARGS__)

static const struct field environment_fields[] = {
	ENVIRONMENT(mrctl, FIELD_TEXT, FIELD_DETAIL | FIELD_PUBLIC | FIELD_KNOWN,
		    "version of mrctl"),
	ENVIRONMENT(kernel, FIELD_TEXT, FIELD_DETAIL | FIELD_PUBLIC, "release of the kernel"),
	ENVIRONMENT(rdma_core, FIELD_TEXT, FIELD_DETAIL | FIELD_PUBLIC,
		    "version of the loaded rdma-core"),
	ENVIRONMENT(device, FIELD_TEXT, 0, "RDMA device"),
	ENVIRONMENT(provider, FIELD_TEXT, FIELD_PUBLIC, "user-space driver of the device"),
	ENVIRONMENT(firmware, FIELD_TEXT, FIELD_DETAIL | FIELD_PUBLIC, "version of the firmware"),
	ENVIRONMENT(simulated, FIELD_BOOL, 0, "whether the device is simulated"),
	ENVIRONMENT(simulated_kernel, FIELD_TEXT, FIELD_DETAIL | FIELD_PUBLIC,
		    "kernel that the simulated device answers as"),
	ENVIRONMENT(memlock_soft, FIELD_LIMIT, FIELD_DETAIL,
		    "bytes that may be locked (RLIMIT_MEMLOCK)"),
	ENVIRONMENT(memlock_hard, FIELD_LIMIT, FIELD_DETAIL,
		    "hard limit: an ordinary user can raise RLIMIT_MEMLOCK to it"),
	ENVIRONMENT(uid, FIELD_NUMBER, FIELD_DETAIL, "the user"),
	ENVIRONMENT(euid, FIELD_NUMBER, FIELD_DETAIL, "effective user"),
	ENVIRONMENT(data_direct, FIELD_TEXT, 0, "Data Direct device of the HCA"),
	FIELD_END,
};
REPORTED const struct record environment_record = { "environment", environment_fields, NULL };
