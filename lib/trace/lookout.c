// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdlib.h>

#include "lib/base/base.h"
#include "lib/host/reading.h"
#include "lib/trace/image.h"
#include "lib/trace/lookout.h"

#define LOOK_NS     UINT64_C(100000000)  /* between two looks */
#define LOOK_SHARE  25                   /* or this many times as long as a look takes */
#define JOIN_NS     UINT64_C(50000000)   /* for an agent to take the answer */
#define PATIENCE_NS UINT64_C(2000000000) /* for a program to load the agent */

enum {
	IMAGES_MAX = 1 << 20,
	TRACERS_MAX = 4096,
};

struct mr_lookout_image {
	uint64_t id;
	uint64_t seen_ns;
	bool has_joined; /* since @seen_ns */
	bool is_settled; /* nothing is to be found out any more */
	bool is_there;   /* a process has it, or asked to join by it, since the last look */
};

/* ---- images ---- */

/* The image with an id, made where it is new; NULL where memory is short.  The latest are the likeliest. */
static struct mr_lookout_image *image_with(struct mr_lookout *lookout, uint64_t id)
{
	struct mr_lookout_image *images;

	for (size_t i = lookout->image_count; i-- > 0;)
		if (lookout->images[i].id == id) {
			lookout->images[i].is_there = true;
			return &lookout->images[i];
		}
	if (lookout->image_count == IMAGES_MAX)
		return NULL;
	if (!(lookout->image_count & (lookout->image_count - 1))) {
		images = reallocarray(lookout->images,
				      lookout->image_count ? 2 * lookout->image_count : 1,
				      sizeof(*images));
		if (!images)
			return NULL;
		lookout->images = images;
	}
	lookout->images[lookout->image_count] =
		(struct mr_lookout_image){ .id = id, .seen_ns = mr_now_ns(), .is_there = true };
	return &lookout->images[lookout->image_count++];
}

/* Forgets those that no process has any more: a long build runs a great many. */
static void forget_ended(struct mr_lookout *lookout)
{
	size_t kept = 0;

	for (size_t i = 0; i < lookout->image_count; i++)
		if (lookout->images[i].is_there)
			lookout->images[kept++] = lookout->images[i];
	lookout->image_count = kept;
	for (size_t i = 0; i < kept; i++)
		lookout->images[i].is_there = false;
}

static struct mr_lookout_image *image_of(struct mr_lookout *lookout, pid_t pid)
{
	struct mr_process_stat stat;
	uint64_t id = mr_process_stat_read(pid, &stat) ? mr_image_id(pid, &stat) : 0;

	return id ? image_with(lookout, id) : NULL;
}

void mr_lookout_joined(struct mr_lookout *lookout, pid_t pid)
{
	struct mr_lookout_image *image = image_of(lookout, pid);

	if (!image || image->has_joined)
		return;
	image->has_joined = true;
	image->seen_ns = mr_now_ns();
}

void mr_lookout_settle(struct mr_lookout *lookout, pid_t pid)
{
	struct mr_lookout_image *image = image_of(lookout, pid);

	if (image)
		image->is_settled = true;
}

/* ---- processes that are not judged ---- */

void mr_lookout_announced(struct mr_lookout *lookout, pid_t pid)
{
	lookout->announced[lookout->announced_count++ % MR_LOOKOUT_ANNOUNCED] = pid;
}

/* Whether a process has told of what it starts; that counts once. */
static bool take_announced(struct mr_lookout *lookout, pid_t pid)
{
	for (size_t i = 0; i < MR_LOOKOUT_ANNOUNCED; i++)
		if (pid && lookout->announced[i] == pid) {
			lookout->announced[i] = 0;
			return true;
		}
	return false;
}

static bool is_tracer(const struct mr_lookout *lookout, pid_t pid)
{
	for (size_t i = 0; i < lookout->tracer_count; i++)
		if (lookout->tracers[i] == pid)
			return true;
	return false;
}

static void note_tracer(struct mr_lookout *lookout, pid_t pid)
{
	pid_t *tracers;

	if (!pid || is_tracer(lookout, pid) || lookout->tracer_count == TRACERS_MAX)
		return;
	tracers = reallocarray(lookout->tracers, lookout->tracer_count + 1, sizeof(*tracers));
	if (!tracers)
		return;
	lookout->tracers = tracers;
	tracers[lookout->tracer_count++] = pid;
}

/* ---- all processes of the machine ---- */

enum whose { NOT_KNOWN, OURS, OF_OTHERS };

struct entry {
	pid_t pid;
	struct mr_process_stat stat;
	enum whose whose;
	bool has_joined;
};

struct entries {
	struct entry *list;
	size_t count;
};

static int compare(const void *one, const void *other)
{
	const struct entry *a = one, *b = other;

	return (a->pid > b->pid) - (a->pid < b->pid);
}

static bool read_entries(struct entries *entries)
{
	DIR *folder = mr_process_folder();
	struct entry *more;
	int pid;

	while (folder && (pid = mr_process_next_number(folder)) > 0) {
		struct entry entry = { .pid = pid };

		if (!mr_process_stat_read(pid, &entry.stat) || entry.stat.state == 'Z' ||
		    entry.stat.state == 'X')
			continue;
		if (!(entries->count & (entries->count - 1))) {
			more = reallocarray(entries->list, entries->count ? 2 * entries->count : 1,
					    sizeof(*more));
			if (!more)
				break;
			entries->list = more;
		}
		entries->list[entries->count++] = entry;
	}
	if (folder)
		closedir(folder);
	if (entries->count)
		qsort(entries->list, entries->count, sizeof(*entries->list), compare);
	return entries->count;
}

static struct entry *find(const struct entries *entries, pid_t pid)
{
	const struct entry key = { .pid = pid };

	return bsearch(&key, entries->list, entries->count, sizeof(key), compare);
}

static void mark(const struct entries *entries, const struct mr_lookout_scope *scope)
{
	struct entry *entry = find(entries, scope->child);

	if (entry)
		entry->whose = OURS;
	for (size_t i = 0; i < scope->process_count; i++) {
		entry = find(entries, scope->processes[i]->pid);
		if (entry) {
			entry->whose = OURS;
			entry->has_joined = true;
		}
	}
}

/* Processes come and go while they are read, so their parents may lead in a circle. */
static bool is_ours(const struct mr_lookout *lookout, const struct entries *entries,
		    struct entry *entry)
{
	struct entry *parent;

	if (entry->whose == NOT_KNOWN) {
		entry->whose = OF_OTHERS;
		parent = is_tracer(lookout, entry->stat.parent) ? NULL
								: find(entries, entry->stat.parent);
		if (parent && is_ours(lookout, entries, parent))
			entry->whose = OURS;
	}
	return entry->whose == OURS;
}

/* ---- judgement ---- */

static enum mr_image_fate fate_of(const struct mr_lookout_image *seen, const struct entry *entry,
				  const char *channel, struct mr_image *image)
{
	const uint64_t age_ns = mr_now_ns() - seen->seen_ns;

	if (!seen->has_joined)
		return mr_image_judge(entry->pid, &entry->stat, channel, age_ns > PATIENCE_NS,
				      image);
	if (age_ns < JOIN_NS)
		return MR_IMAGE_BEGINS;
	return mr_image_recheck(entry->pid, image) == MR_IMAGE_NOT_FOLLOWED ? MR_IMAGE_NOT_FOLLOWED
									    : MR_IMAGE_NO_MATTER;
}

/* Whether the program that started it has told, maybe of a script, which has another name. */
static bool was_announced(struct mr_lookout *lookout, const struct entry *entry, uint32_t obstacle)
{
	return obstacle < MR_TRACE_NO_VARIABLES &&
	       (take_announced(lookout, entry->pid) || take_announced(lookout, entry->stat.parent));
}

static void judge(struct mr_lookout *lookout, const struct mr_lookout_scope *scope,
		  struct entry *entry)
{
	const uint64_t id = mr_image_id(entry->pid, &entry->stat);
	struct mr_lookout_image *seen = id ? image_with(lookout, id) : NULL;
	struct mr_image image;
	enum mr_image_fate fate;

	if (!seen || seen->is_settled || (entry->has_joined && !entry->stat.stack))
		return;
	fate = fate_of(seen, entry, scope->channel, &image);
	seen->is_settled = fate != MR_IMAGE_BEGINS;
	if (fate == MR_IMAGE_OF_OTHER) {
		note_tracer(lookout, image.tracer);
		entry->whose = OF_OTHERS; /* so are its children, which come after it */
	}
	if (fate == MR_IMAGE_NOT_FOLLOWED && !was_announced(lookout, entry, image.obstacle))
		scope->not_followed(scope->data, entry->pid, image.path, image.obstacle);
}

int mr_lookout_wait_ms(const struct mr_lookout *lookout)
{
	const uint64_t now = mr_now_ns();

	return now < lookout->due_ns ? (int)((lookout->due_ns - now) / 1000000) + 1 : 0;
}

void mr_lookout_look(struct mr_lookout *lookout, const struct mr_lookout_scope *scope)
{
	const uint64_t begin = mr_now_ns();
	struct entries entries = { NULL, 0 };
	uint64_t pause;

	if (begin < lookout->due_ns)
		return;
	if (read_entries(&entries)) {
		mark(&entries, scope);
		for (size_t i = 0; i < entries.count; i++)
			if (is_ours(lookout, &entries, &entries.list[i]))
				judge(lookout, scope, &entries.list[i]);
		forget_ended(lookout);
	}
	free(entries.list);
	pause = LOOK_SHARE * (mr_now_ns() - begin);
	lookout->due_ns = begin + (pause > LOOK_NS ? pause : LOOK_NS);
}

void mr_lookout_release(struct mr_lookout *lookout)
{
	free(lookout->images);
	free(lookout->tracers);
	*lookout = (struct mr_lookout){ .images = NULL };
}
