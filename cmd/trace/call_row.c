// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "cmd/trace/call_row.h"
#include "lib/trace/trace.h"

static const struct field fields[] = {
	FIELD(struct call_row, at_ns, FIELD_NUMBER, 0, "when it was made, since the start"),
	FIELD(struct call_row, pid, FIELD_NUMBER, 0, "process"),
	FIELD(struct call_row, tid, FIELD_NUMBER, 0, "thread, as the process sees it"),
	FIELD(struct call_row, call, FIELD_STRING, 0, "the call"),
	FIELD(struct call_row, device, FIELD_STRING, 0, "RDMA device"),
	FIELD(struct call_row, answer, FIELD_STRING, 0,
	      "ok, or the errno's name; refused, where it has none"),
	FIELD(struct call_row, errno_value, FIELD_NUMBER, 0, "number of the errno"),
	FIELD(struct call_row, addr, FIELD_HEX, 0, "address of the first byte"),
	FIELD(struct call_row, offset, FIELD_NUMBER, 0, "first byte in the dma-buf or DM"),
	FIELD(struct call_row, length, FIELD_NUMBER, 0, "bytes"),
	FIELD(struct call_row, iova, FIELD_HEX, 0, "address of the first byte for the HCA"),
	FIELD(struct call_row, access, FIELD_ACCESS, 0, "access flags that were asked for"),
	FIELD(struct call_row, access_bits, FIELD_HEX, 0, "the same as a mask"),
	FIELD(struct call_row, page_sizes, FIELD_PAGES, 0, "page sizes that were asked for a umem"),
	FIELD(struct call_row, fd, FIELD_NUMBER, 0, "descriptor of the dma-buf"),
	FIELD(struct call_row, flags, FIELD_HEX, 0,
	      "of ibv_rereg_mr and ibv_advise_mr: flags; of madvise: the advice"),
	FIELD(struct call_row, lkey, FIELD_HEX, 0, "key for local use"),
	FIELD(struct call_row, rkey, FIELD_HEX, 0, "key for peers"),
	FIELD(struct call_row, handle, FIELD_NUMBER, 0, "the kernel's number for the region"),
	FIELD(struct call_row, object, FIELD_HEX, 0,
	      "address of the object in the process: equal for all calls on one region"),
	FIELD(struct call_row, pd, FIELD_HEX, 0, "the same of the protection domain"),
	FIELD(struct call_row, elapsed_ns, FIELD_NUMBER, 0, "time that it took"),
	FIELD(struct call_row, place, FIELD_STRING, 0, "place of the program that made it"),
	FIELD(struct call_row, stack, FIELD_WORDS, 0,
	      "with --stacks: that place and its callers, the innermost first"),
	FIELD(struct call_row, kernel_asked, FIELD_OPT_BOOL, 0,
	      "whether libibverbs has asked the kernel"),
	FIELD(struct call_row, memory, FIELD_STRING, 0,
	      "of a refusal: kind of memory of mrctl that is like the range"),
	FIELD(struct call_row, layer, FIELD_STRING, 0, "of a refusal: layer that refused"),
	FIELD(struct call_row, causes, FIELD_LIST, 0,
	      "of a refusal: causes, the most certain first"),
	FIELD_END,
};
const struct record call_record = { "call", fields, NULL };

static void fill_request(struct call_row *row, const struct mr_trace_record *call)
{
	const bool has_addr = mr_traced_has_addr(call), is_offset = mr_traced_has_offset(call);
	const enum mr_traced_effect effect = mr_traced_call_row(call->call)->effect;

	row->addr = (struct mr_opt_u64){ call->addr, has_addr && !is_offset };
	row->offset = (struct mr_opt_u64){ call->addr, is_offset };
	row->length = (struct mr_opt_u64){ call->length, mr_traced_has_length(call) };
	row->iova = (struct mr_opt_u64){ call->iova, call->flags & MR_TRACE_HAS_IOVA };
	row->access = row->access_bits =
		(struct mr_opt_u64){ call->access, mr_traced_has_access(call) };
	row->page_sizes =
		(struct mr_opt_u64){ call->page_sizes, call->flags & MR_TRACE_HAS_PAGE_SIZES };
	row->fd = (struct mr_opt_u64){ (uint64_t)call->fd, call->flags & MR_TRACE_HAS_FD };
	row->flags = (struct mr_opt_u64){ call->call_flags, effect == MR_TRACED_CHANGES ||
								    effect == MR_TRACED_ADVISES ||
								    effect == MR_TRACED_PROTECTS };
}

static void fill_answer(struct call_row *row, const struct mr_trace_record *call)
{
	const enum mr_traced_effect effect = mr_traced_call_row(call->call)->effect;
	const bool has_keys = !call->errnum && (call->lkey || call->rkey) &&
			      (effect == MR_TRACED_REGISTERS || effect == MR_TRACED_CHANGES);

	row->answer = call->errnum ? mr_errno_name(call->errnum) ?: "refused" : "ok";
	row->errno_value = (struct mr_opt_u64){ (uint64_t)call->errnum,
						call->errnum && call->errnum != MR_TRACE_NO_ERRNO };
	row->lkey = (struct mr_opt_u64){ call->lkey, has_keys };
	row->rkey = (struct mr_opt_u64){ call->rkey, has_keys };
	row->handle = (struct mr_opt_u64){ call->handle, has_keys };
	row->object = (struct mr_opt_u64){ call->object, call->object != 0 };
	row->pd = (struct mr_opt_u64){ call->pd, call->pd != 0 };
	row->elapsed_ns = known(call->elapsed_ns);
	row->kernel_asked =
		(struct opt_bool){ call->kernel_calls != 0, call->flags & MR_TRACE_KERNEL_SEEN };
}

static void fill_stack(struct call_row *row, const struct call_facts *facts)
{
	const uint32_t count = facts->has_stack ? facts->record->call.frame_count : 0;

	for (uint32_t i = 0; i < count; i++)
		row->frames[i] = mr_process_caller(facts->process, facts->record->frames[i]);
	row->frames[count] = NULL;
	row->stack = count ? row->frames : NULL;
}

void call_row_fill(struct call_row *row, const struct call_facts *facts)
{
	const struct mr_trace_record *call = &facts->record->call;
	const uint64_t begin = call->begin_ns;

	*row = (struct call_row){
		.at_ns = known(begin > facts->start_ns ? begin - facts->start_ns : 0),
		.pid = { (uint64_t)facts->process->pid, facts->process->pid != 0 },
		.tid = { call->tid, call->tid != 0 },
		.call = mr_traced_call_row(call->call)->name,
		.device = call->device[0] ? call->device : NULL,
		.place = mr_process_place(facts->process, facts->site),
		.memory = facts->look && facts->look->has_range && facts->look->range.memory[0]
				  ? facts->look->range.memory
				  : NULL,
		.layer = why_layer(facts->why),
		.causes = why_causes(facts->why),
	};
	fill_request(row, call);
	fill_answer(row, call);
	fill_stack(row, facts);
}
