// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdlib.h>
#include <string.h>

#include "cmd/region/failures.h"

static const struct field failure_fields[] = {
	FIELD(struct failure, index, FIELD_NUMBER, 0, "which of --count, or line of a batch"),
	FIELD(struct failure, region, FIELD_NUMBER, 0, "id of the region"),
	FIELD(struct failure, call, FIELD_STRING, FIELD_PUBLIC, "the call that failed"),
	FIELD_AS("errno", struct failure, errno_name, FIELD_STRING, FIELD_PUBLIC,
		 "name of the errno"),
	FIELD(struct failure, errno_value, FIELD_NUMBER, 0, "number of the errno"),
	FIELD(struct failure, message, FIELD_STRING, FIELD_PROSE, "the message"),
	FIELD(struct failure, via, FIELD_STRING, FIELD_PUBLIC, "path of the call"),
	FIELD(struct failure, layer, FIELD_STRING, FIELD_PUBLIC, "layer that refused"),
	FIELD(struct failure, rereg_code, FIELD_STRING, FIELD_PUBLIC, "code of ibv_rereg_mr"),
	FIELD(struct failure, library_would_say, FIELD_STRING, FIELD_PUBLIC,
	      "the code that ibv_rereg_mr would give"),
	FIELD(struct failure, old_region, FIELD_STRING, FIELD_PUBLIC,
	      "what became of the old region"),
	FIELD_AS("why", struct failure, why_depth, FIELD_STRING, FIELD_PUBLIC,
		 "how deep the causes were looked for"),
	FIELD(struct failure, causes, FIELD_LIST, 0, "causes, the most certain first"),
	FIELD(struct failure, ruled_out, FIELD_LIST, 0, "causes that the evidence excludes"),
	FIELD(struct failure, proof, FIELD_ONE, 0, "who refused, by --why prove"),
	FIELD(struct failure, tried, FIELD_STRING, FIELD_PROSE, "what the tries tell"),
	FIELD(struct failure, tries, FIELD_LIST, 0, "the call with one thing changed at a time"),
	FIELD_INSIDE(struct failure, request, struct request, &request_record,
		     "what was asked for"),
	FIELD_END,
};
REPORTED const struct record failure_record = { "failure", failure_fields, NULL };

/* A copy of the text; equal texts of failures that follow one another share one copy. */
static const char *keep_message(const struct failures *failures, const char *text)
{
	const char *last = failures->count ? failures->items[failures->count - 1].message : NULL;

	return last && !strcmp(last, text) ? last : strdup(text);
}

static void append_failure(struct failures *failures, const struct failure *failure,
			   const char *message)
{
	struct failure *last;

	if (failures->count == failures->capacity) {
		size_t capacity = failures->capacity ? 2 * failures->capacity : 16;
		struct failure *items = reallocarray(failures->items, capacity, sizeof(*items));

		if (!items) {
			failures->out_of_memory = true;
			why_release(failure->why);
			return;
		}
		failures->items = items;
		failures->capacity = capacity;
	}
	message = keep_message(failures, message);
	last = &failures->items[failures->count];
	*last = *failure;
	last->message = message;
	request_keep(&last->request, failures->count ? &last[-1].request : NULL);
	failures->count++;
}

void failures_add(struct failures *failures, const struct mr_error *err, uint64_t index,
		  uint64_t region, const char *via, const struct request *request, struct why *why,
		  const char *depth)
{
	const struct tried *tried = why_tried(why);
	const struct failure failure = {
		.index = { index, index != 0 },
		.region = { region, region != 0 },
		.call = err->call,
		.errno_name = mr_errno_name(err->errnum),
		.errno_value = known((uint64_t)err->errnum),
		.via = mr_error_is_answer(err->kind, err->call) ? via : NULL,
		.layer = why_layer(why),
		.why_depth = depth,
		.causes = why_causes(why),
		.ruled_out = why_ruled_out(why),
		.proof = why_proof(why),
		.tried = tried ? tried->text : NULL,
		.tries = tried_list(tried),
		.why = why,
		.request = request ? *request : (struct request){ .argv = NULL },
		.kind = err->kind,
	};

	append_failure(failures, &failure, err->text);
}

void failures_adopt(struct failures *failures, const struct failure *failure, uint64_t line,
		    const char *message)
{
	struct failure adopted = { .causes = why_causes(NULL),
				   .ruled_out = why_ruled_out(NULL),
				   .tries = tried_list(NULL),
				   .proof = why_proof(NULL) };

	if (failure)
		adopted = *failure;
	why_share(adopted.why);
	adopted.index = known(line);
	append_failure(failures, &adopted, message);
}

void failures_set_rereg(struct failures *failures, const struct mr_rereg_failure *rereg)
{
	struct failure *last;

	if (failures->out_of_memory)
		return;
	last = &failures->items[failures->count - 1];
	last->rereg_code = rereg->code;
	last->library_would_say = rereg->library_would_say;
	last->old_region = mr_old_region_name(rereg->old);
}

void failures_release(struct failures *failures)
{
	const struct failure *end = failures->items + failures->count;

	for (struct failure *f = failures->items; f && f < end; f++) {
		const struct failure *next = f + 1 < end ? f + 1 : NULL;

		if (!next || next->message != f->message)
			free((void *)f->message);
		why_release(f->why);
		request_release(&f->request, next ? &next->request : NULL);
	}
	free(failures->items);
	*failures = (struct failures){ 0 };
}
