// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Looks at the objects of a session: those in its table, and those that the kernel has and no entry names. */
#include <errno.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/base.h"
#include "lib/session/session.h"
#include "lib/session/table/table.h"
#include "lib/verbs/verbs.h"

/* The kernel gives the lowest handle that is free, so the highest one is about as high as there are objects. */
static int handle_set_add(struct mr_handle_set *set, uint32_t handle, struct mr_error *err)
{
	uint32_t count = set->count;
	uint64_t *words;

	if (handle / 64 >= count) {
		count = handle / 32 + 64;
		words = realloc(set->words, count * sizeof(*words));
		if (!words)
			return mr_fail(err, MR_ERROR_HOST, ENOMEM, "realloc", NULL);
		memset(words + set->count, 0, (count - set->count) * sizeof(*words));
		*set = (struct mr_handle_set){ words, count };
	}
	set->words[handle / 64] |= UINT64_C(1) << handle % 64;
	return 0;
}

void mr_handle_set_release(struct mr_handle_set *set)
{
	free(set->words);
	*set = (struct mr_handle_set){ .words = NULL };
}

int mr_session_has_umem(struct mr_session *session, uint32_t handle, struct mr_error *err)
{
	struct mr_uverbs_mr mr;
	int rc = mr_uverbs_list(&session->uverbs, MLX5_IB_OBJECT_DEVX_UMEM, &session->umems, err);

	if (rc)
		return rc;
	if (mr_handles_have(&session->umems, handle))
		return 1;
	return session->umems.count == MR_UVERBS_INFO_MAX &&
	       mr_uverbs_query_mr(&session->uverbs, handle, &mr, err) == -EINVAL;
}

/* Without device memory this type of object does not exist (uapi_get_object()). */
static int list_dms(const struct mr_session *session, struct mr_handles *dms, struct mr_error *err)
{
	int rc = mr_uverbs_list(&session->uverbs, UVERBS_OBJECT_DM, dms, err);

	return rc == -ENOENT ? 0 : rc;
}

/* Return: 1, 0 where the handle is free or that of another kind of object, or -errno. */
static int has_object(struct mr_session *session, enum mr_region_kind kind, uint32_t handle,
		      struct mr_uverbs_mr *mr, struct mr_error *err)
{
	struct mr_handles dms;
	int rc;

	*mr = (struct mr_uverbs_mr){ .handle = handle };
	if (kind == MR_KIND_UMEM)
		return mr_session_has_umem(session, handle, err);
	if (kind == MR_KIND_DM) {
		rc = list_dms(session, &dms, err);
		return rc ? rc : mr_handles_have(&dms, handle);
	}
	rc = mr_uverbs_query_mr(&session->uverbs, handle, mr, err);
	if (mr_uverbs_is_absent(rc))
		return 0;
	return rc ? rc : 1;
}

static int fail_absent(const struct mr_session *session, enum mr_region_kind kind, uint32_t handle,
		       struct mr_error *err)
{
	static const char *const nouns[] = {
		[MR_KIND_MR] = "memory region",
		[MR_KIND_UMEM] = "umem",
		[MR_KIND_DM] = "memory on the device",
	};

	err->kind = MR_ERROR_ABSENT;
	err->hint[0] = '\0';
	mr_wrap(err, "the %s has no %s with the handle %u", mr_table_noun(&session->table),
		nouns[kind], handle);
	return -err->errnum;
}

int mr_session_find_object(struct mr_session *session, enum mr_region_kind kind, uint32_t handle,
			   struct mr_uverbs_mr *mr, struct mr_error *err)
{
	int rc = has_object(session, kind, handle, mr, err);

	if (rc)
		return rc < 0 ? rc : 0;
	/* The kernel's list lacks it: no call has failed, and @err is not set. */
	if (kind != MR_KIND_MR)
		mr_fail_text(err, MR_ERROR_ABSENT, ENOENT, "ioctl(INFO_HANDLES) does not list it");
	return fail_absent(session, kind, handle, err);
}

int mr_session_blame_object(struct mr_session *session, enum mr_region_kind kind, uint32_t handle,
			    struct mr_error *err)
{
	struct mr_error ignored;
	struct mr_uverbs_mr mr;

	return has_object(session, kind, handle, &mr, &ignored)
		       ? -err->errnum
		       : fail_absent(session, kind, handle, err);
}

int mr_session_count_uars(const struct mr_session *session, uint32_t *count, struct mr_error *err)
{
	struct mr_handles uars;
	bool own = session->library && session->library->device.context;
	int rc = mr_uverbs_list(&session->uverbs, MLX5_IB_OBJECT_UAR, &uars, err);

	*count = uars.count - (own && uars.count);
	return rc;
}

static const struct {
	const char *prefix;
	enum mr_table_index index;
	enum mr_region_kind kind; /* of MR_BY_HANDLE */
} prefixes[] = {
	{ "lkey:", MR_BY_LKEY, 0 },          { "rkey:", MR_BY_RKEY, 0 },
	{ "mr:", MR_BY_HANDLE, MR_KIND_MR }, { "umem:", MR_BY_HANDLE, MR_KIND_UMEM },
	{ "dm:", MR_BY_HANDLE, MR_KIND_DM },
};

int mr_operand_parse(const char *text, struct mr_operand *operand, struct mr_error *err)
{
	*operand = (struct mr_operand){ .type = MR_OPERAND_ENTRY, .slot = MR_NO_SLOT };
	/* No name has a colon. */
	for (size_t i = 0; strchr(text, ':') && i < sizeof(prefixes) / sizeof(*prefixes); i++) {
		const size_t length = strlen(prefixes[i].prefix);

		if (strncmp(text, prefixes[i].prefix, length) != 0)
			continue;
		operand->index = prefixes[i].index;
		operand->kind = prefixes[i].kind;
		if (operand->index == MR_BY_HANDLE)
			operand->type = MR_OPERAND_OBJECT;
		if (!mr_parse_u64(text + length, UINT32_MAX, &operand->number, err))
			return 0;
		mr_wrap(err, "%s", text);
		return -EINVAL;
	}
	if (*text && !text[strspn(text, "0123456789")]) {
		operand->index = MR_BY_ID;
		return mr_parse_u64(text, UINT64_MAX, &operand->number, err);
	}
	operand->index = MR_BY_NAME;
	if (!strncmp(text, "pd:", 3))
		operand->type = MR_OPERAND_PD;
	operand->name = operand->type == MR_OPERAND_PD ? text + 3 : text;
	return mr_parse_name(operand->name, err);
}

/* reg --name NAME --count N has made NAME.1, NAME.2, ... */
static void hint_number(struct mr_session *session, const char *name, struct mr_error *err)
{
	char first[MR_NAME_SIZE + 2];

	snprintf(first, sizeof(first), "%s.1", name);
	if (strlen(first) < MR_NAME_SIZE &&
	    mr_table_find(&session->table, MR_BY_NAME, 0, first) != MR_NO_SLOT)
		mr_hint(err, "did you mean '%s'? --count made several", first);
}

int mr_operand_find(struct mr_session *session, const char *text, struct mr_operand *operand,
		    struct mr_error *err)
{
	const struct mr_table *table = &session->table;
	struct mr_entry *entry = &operand->entry;
	int rc = mr_operand_parse(text, operand, err);

	if (rc || operand->type == MR_OPERAND_PD)
		return rc;
	rc = mr_table_lock(&session->table, err);
	if (rc)
		return rc;
	operand->slot = mr_table_find(table, operand->index, operand->number, operand->name);
	/*
	 * Objects of all kinds share one space of handles, so the entry of a handle may be of another kind.  Handles of
	 * memory on the device are in no index.
	 */
	if (mr_table_get(table, operand->slot, entry) &&
	    mr_entry_matches(entry, operand->index, operand->number, operand->name) &&
	    (operand->type == MR_OPERAND_ENTRY || mr_region_kind(entry->call) == operand->kind)) {
		operand->type = MR_OPERAND_ENTRY;
	} else if (operand->type == MR_OPERAND_ENTRY) {
		entry->id = 0;
		rc = mr_fail_text(err, MR_ERROR_ABSENT, ENOENT, "the %s has no region '%s'",
				  mr_table_noun(table), text);
		if (operand->name)
			hint_number(session, operand->name, err);
	} else {
		entry->id = 0;
	}
	mr_table_unlock(&session->table);
	return rc;
}

/*
 * A region that is queried after this time is the last one under the same lock, because others may wait for the lock.
 */
#define LOCKED_NS 1000000

/*
 * Returns whether what the kernel has under the entry's handle is the entry's region. Its lkey and length show this.
 * Where a process was killed while it changed the region, the table lacks the new keys, but has the requested length
 * and IOVA: a region that has these is taken to be the changed one.
 */
static bool is_same_region(const struct mr_entry *entry, const struct mr_uverbs_mr *kernel)
{
	uint64_t addr = entry->addr, length = entry->length;

	if (entry->call == MR_REG_MR_RELAXED)
		mr_extend_to_pages(mr_entry_page_size(entry), &addr, &length);
	if (entry->lkey == kernel->lkey && length == kernel->length)
		return true;
	return entry->in_doubt && entry->new_length == kernel->length &&
	       entry->new_iova == kernel->iova;
}

/* The lock keeps others from changing the table or the kernel's object between the two looks. */
enum mr_session_state mr_session_compare(struct mr_session *session, uint32_t slot, bool fresh,
					 struct mr_session_region *region, struct mr_error *err)
{
	const struct mr_held *held = mr_session_held(session, slot);
	const struct mr_region *own = held ? &held->region : NULL;
	const struct mr_entry *entry = &region->entry;
	const bool is_umem = mr_region_kind(entry->call) == MR_KIND_UMEM;
	int rc = 1; /* whether the kernel has the region, or -errno */

	region->kernel = (struct mr_uverbs_mr){ .handle = MR_NO_HANDLE };
	if (entry->state != MR_ENTRY_LIVE && mr_table_is_claimed(&session->table, slot))
		return MR_STATE_PENDING;
	if (entry->state == MR_ENTRY_PENDING)
		return MR_STATE_IN_DOUBT;
	/* Only this process changes its regions, so its records equal the kernel's answer. */
	if (held && (fresh || entry->handle == MR_NO_HANDLE))
		region->kernel = (struct mr_uverbs_mr){ own->handle, own->lkey, own->rkey,
							own->length, own->iova };
	/*
	 * The kernel can only list all umems.  A command that queries each of many must not list them all each time,
	 * so a umem that was listed before is taken to exist still, unless @fresh.
	 */
	else if (is_umem && (fresh || !mr_handles_have(&session->umems, entry->handle)))
		rc = mr_session_has_umem(session, entry->handle, err);
	else if (!is_umem)
		rc = mr_uverbs_query_mr(&session->uverbs, entry->handle, &region->kernel, err)
			     ?: is_same_region(entry, &region->kernel);
	if (!rc || (!is_umem && mr_uverbs_is_absent(rc)))
		return MR_STATE_GONE;
	if (rc < 0) {
		mr_wrap(err, "cannot query region %llu", (unsigned long long)entry->id);
		/* EBUSY of QUERY_MR: the region is being destroyed.  For a umem there is no such answer. */
		return rc == -EBUSY ? MR_STATE_PENDING : MR_STATE_UNKNOWN;
	}
	if (mr_entry_is_marked(entry))
		return MR_STATE_DEFERRED;
	if (held && held->broken)
		return MR_STATE_BROKEN;
	if (entry->state != MR_ENTRY_LIVE || entry->in_doubt)
		return MR_STATE_IN_DOUBT;
	return entry->refused ? MR_STATE_SUSPECT : MR_STATE_LIVE;
}

/* Under the lock.  Return: whether there is an entry. */
static bool look_at(struct mr_session *session, uint32_t slot, struct mr_session_region *region,
		    struct mr_error *err)
{
	bool found = mr_table_get(&session->table, slot, &region->entry);

	if (found)
		region->state = mr_session_compare(session, slot, false, region, err);
	return found;
}

int mr_session_query(struct mr_session *session, uint32_t slot, struct mr_session_region *region,
		     struct mr_error *err)
{
	bool found;
	int rc = mr_table_lock(&session->table, err);

	if (rc)
		return rc;
	found = look_at(session, slot, region, err);
	mr_table_unlock(&session->table);
	return found;
}

int mr_session_query_next(struct mr_session *session, uint32_t *slot,
			  struct mr_session_region *regions, int room, struct mr_error *err)
{
	const struct mr_table *table = &session->table;
	int count = 0, rc = mr_table_lock(&session->table, err);
	uint64_t end = mr_now_ns() + LOCKED_NS;

	if (rc)
		return rc;
	while (count < room && *slot < table->capacity) {
		uint32_t at = (*slot)++;

		if (!look_at(session, at, &regions[count], err))
			continue;
		if (regions[count++].state == MR_STATE_UNKNOWN || mr_now_ns() >= end)
			break;
	}
	mr_table_unlock(&session->table);
	return count;
}

/* How far beyond the highest known handle others are looked for, at least. */
#define WALK_BEYOND 1024

struct walk {
	struct mr_session *session;
	const struct mr_handle_set *listed;
	mr_unlisted *call;
	void *data;
};

/* The entry that names this object, if there is one of its kind.  Only under the lock "none" is an answer. */
static bool find_entry(const struct mr_table *table, enum mr_region_kind kind, uint32_t handle,
		       struct mr_entry *entry)
{
	return mr_table_get(table, mr_table_find(table, MR_BY_HANDLE, handle, NULL), entry) &&
	       mr_region_kind(entry->call) == kind;
}

/*
 * Ask the kernel for a region, and the table for its entry.
 * Return: of the kernel: 0, or -errno.
 */
static int compare_mr(const struct walk *walk, uint32_t handle, struct mr_uverbs_mr *mr,
		      bool *listed, struct mr_error *err)
{
	struct mr_entry entry;
	int rc = mr_uverbs_query_mr(&walk->session->uverbs, handle, mr, err);

	*listed = !rc && find_entry(&walk->session->table, MR_KIND_MR, handle, &entry) &&
		  is_same_region(&entry, mr);
	return rc;
}

/*
 * Mostly there is no region, or its entry is found: that needs no lock, without which a large session is walked in
 * half the time.  Under the lock no process is between the kernel and the table.
 * Return: 1 where there is a region, or one is being registered or destroyed; 0; or -errno.
 */
static int visit_mr(const struct walk *walk, uint32_t handle, struct mr_error *err)
{
	struct mr_table *table = &walk->session->table;
	struct mr_uverbs_mr mr;
	bool listed;
	int rc;

	if (handle / 64 < walk->listed->count &&
	    walk->listed->words[handle / 64] >> handle % 64 & 1)
		return 1;
	rc = compare_mr(walk, handle, &mr, &listed, NULL);
	if (mr_uverbs_is_absent(rc))
		return 0;
	if (listed)
		return 1;
	rc = mr_table_lock(table, err);
	if (rc)
		return rc;
	rc = compare_mr(walk, handle, &mr, &listed, err);
	mr_table_unlock(table);
	if (mr_uverbs_is_absent(rc))
		return 0;
	if (rc && rc != -EBUSY) {
		mr_wrap(err, "cannot search for unlisted regions");
		return rc;
	}
	if (!rc && !listed)
		walk->call(walk->data, MR_KIND_MR, &mr);
	return 1;
}

/*
 * The table and the kernel are queried again: the umem may have got an entry, or been deregistered, since it was
 * listed.
 */
static int visit_umem(const struct walk *walk, uint32_t handle, struct mr_error *err)
{
	const struct mr_uverbs_mr umem = { .handle = handle };
	struct mr_table *table = &walk->session->table;
	struct mr_entry entry;
	int rc = mr_table_lock(table, err);

	if (rc)
		return rc;
	if (!find_entry(table, MR_KIND_UMEM, handle, &entry))
		rc = mr_session_has_umem(walk->session, handle, err);
	mr_table_unlock(table);
	if (rc > 0)
		walk->call(walk->data, MR_KIND_UMEM, &umem);
	return rc < 0 ? rc : 0;
}

static int walk_umems(const struct walk *walk, struct mr_handles *umems, struct mr_error *err)
{
	int rc;

	/* All umems are the batch's own, and libmlx5 does not report their handles. */
	if (mr_session_is_private(walk->session) && !mr_umem_reports_handles())
		return 0;
	rc = mr_uverbs_list(&walk->session->uverbs, MLX5_IB_OBJECT_DEVX_UMEM, umems, err);
	if (rc == -ENOENT) /* no DEVX, no umems */
		return 0;
	for (uint32_t i = umems->count; !rc && i-- > 0;)
		rc = visit_umem(walk, umems->list[i], err);
	if (!rc && umems->count == MR_UVERBS_INFO_MAX)
		rc = mr_fail(err, MR_ERROR_HOST, EOVERFLOW, "ioctl(INFO_HANDLES)",
			     "there may be more unlisted umems than the kernel lists");
	return rc;
}

/*
 * The highest handle of a region that the kernel has, as far as it is known: of those that it lists, and
 * of those in the table that it confirms.  A number that only the table has may be any.
 */
static uint32_t highest_handle(const struct mr_session *session, const struct mr_handles *mrs)
{
	const struct mr_table *table = &session->table;
	struct mr_uverbs_mr mr;
	struct mr_entry entry;
	uint32_t highest = 0;

	for (uint32_t i = 0; i < mrs->count; i++)
		if (mrs->list[i] > highest)
			highest = mrs->list[i];
	for (uint32_t slot = table->capacity; slot-- > 0;) /* the higher ones are at the end */
		if (mr_table_get(table, slot, &entry) && entry.handle > highest &&
		    !mr_uverbs_query_mr(&session->uverbs, entry.handle, &mr, NULL))
			highest = entry.handle;
	return highest;
}

/*
 * A handle is the lowest free number (xa_alloc() in the kernel's drivers/infiniband/core/rdma_core.c):
 * the kernel has had as many objects at once as the highest one says.  Beyond it as many numbers are
 * tried as regions were found, and WALK_BEYOND more.
 */
static int walk_handles(const struct walk *walk, uint64_t last, struct mr_error *err)
{
	uint64_t found = 0;
	int rc;

	for (uint64_t handle = 0; handle <= last + found + WALK_BEYOND && handle < MR_NO_HANDLE;
	     handle++) {
		rc = visit_mr(walk, (uint32_t)handle, err);
		if (rc < 0)
			return rc;
		if (rc && handle > last)
			last = handle;
		found += rc > 0;
	}
	return 0;
}

static int walk_mrs(const struct walk *walk, struct mr_handles *mrs, struct mr_error *err)
{
	int rc = mr_uverbs_list(&walk->session->uverbs, UVERBS_OBJECT_MR, mrs, err);

	if (rc)
		return rc;
	if (mrs->count >= MR_UVERBS_INFO_MAX)
		return walk_handles(walk, highest_handle(walk->session, mrs), err);
	for (uint32_t i = mrs->count; rc >= 0 && i-- > 0;) /* the oldest is the last of the list */
		rc = visit_mr(walk, mrs->list[i], err);
	return rc < 0 ? rc : 0;
}

int mr_session_note_listed(struct mr_handle_set *listed, const struct mr_session_region *region,
			   struct mr_error *err)
{
	/* A handle is set if the kernel was queried. */
	if (mr_region_kind(region->entry.call) != MR_KIND_MR ||
	    region->kernel.handle == MR_NO_HANDLE || region->state == MR_STATE_GONE ||
	    region->state == MR_STATE_PENDING || region->state == MR_STATE_UNKNOWN)
		return 0;
	return handle_set_add(listed, region->kernel.handle, err);
}

/* Under the lock: whether an entry is on that memory of the device. */
static bool dm_is_listed(const struct mr_table *table, uint32_t handle)
{
	struct mr_entry entry;

	for (uint32_t slot = 0; slot < table->capacity; slot++)
		if (mr_table_get(table, slot, &entry) &&
		    entry.memory_of == MR_MEMORY_OF_RDMA_DEVICE && entry.dm == handle)
			return true;
	return false;
}

/* Memory on the device has no entry where a command was killed, or is about to register regions on it. */
static int walk_dms(const struct walk *walk, struct mr_handles *dms, struct mr_error *err)
{
	struct mr_table *table = &walk->session->table;
	int rc = mr_table_lock(table, err);

	if (rc)
		return rc;
	rc = list_dms(walk->session, dms, err);
	for (uint32_t i = dms->count; !rc && i-- > 0;) { /* the oldest is the last of the list */
		const struct mr_uverbs_mr dm = { .handle = dms->list[i] };

		if (!dm_is_listed(table, dm.handle))
			walk->call(walk->data, MR_KIND_DM, &dm);
	}
	mr_table_unlock(table);
	return rc;
}

int mr_session_each_unlisted(struct mr_session *session, const struct mr_handle_set *listed,
			     mr_unlisted *call, void *data, struct mr_error *err)
{
	const struct walk walk = { session, listed, call, data };
	struct mr_handles handles;
	int rc = walk_mrs(&walk, &handles, err);

	if (!rc)
		rc = walk_umems(&walk, &handles, err);
	if (!rc)
		rc = walk_dms(&walk, &handles, err);
	return rc;
}

/* How many are deregistered before other processes may have the lock. */
#define AT_ONCE 64

struct object {
	enum mr_region_kind kind;
	struct mr_uverbs_mr mr;
};

struct objects {
	struct object *list;
	size_t count;
	bool out_of_memory;
};

static void collect_object(void *data, enum mr_region_kind kind, const struct mr_uverbs_mr *mr)
{
	struct objects *objects = data;

	struct object *list = reallocarray(objects->list, objects->count + 1, sizeof(*list));

	objects->out_of_memory |= !list;
	if (!list)
		return;
	objects->list = list;
	list[objects->count++] = (struct object){ kind, *mr };
}

/*
 * Under the lock.
 * @err: set where the object could not be destroyed; else cleared
 *
 * Return: false where there is nothing to report, as the object has gone or has an entry by now.
 */
static bool destroy_object(struct mr_session *session, struct object *object, struct mr_error *err)
{
	uint32_t handle = object->mr.handle;
	bool is_mr = object->kind == MR_KIND_MR;
	int rc;

	if (object->kind == MR_KIND_DM
		    ? dm_is_listed(&session->table, handle)
		    : mr_table_find(&session->table, MR_BY_HANDLE, handle, NULL) != MR_NO_SLOT)
		return false;
	/* The handle may be another MR's by now.  No entry names that one either: it is destroyed, and reported. */
	rc = is_mr ? mr_uverbs_query_mr(&session->uverbs, handle, &object->mr, err) : 0;
	if (mr_uverbs_is_absent(rc))
		return false;
	mr_error_clear(err);
	rc = mr_uverbs_destroy(&session->uverbs, object->kind, handle, err);
	if (rc)
		mr_session_blame_object(session, object->kind, handle, err);
	return !rc || err->kind != MR_ERROR_ABSENT;
}

/*
 * A region that another command is registering has no entry with its handle before it is committed.  But
 * that command has an entry that is pending and claimed before it asks the kernel, or has said that it
 * makes objects without entries (mr_table_begin_unnamed()); both need the lock.  So while this process has
 * the lock and nobody makes objects, an object without an entry is nobody's.  Each is looked up again: its
 * handle may have been given out anew since it was listed.
 *
 * Return: for how many objects of the list this is done; 0 where others are making objects; or -errno.
 */
static int destroy_objects(struct mr_session *session, struct object *list, size_t count,
			   mr_unlisted_gone *call, void *data, struct mr_error *err)
{
	struct mr_error failure;
	int done = 0, rc = mr_table_lock(&session->table, err);

	if (rc)
		return rc;
	if (mr_table_others_make_objects(&session->table))
		count = 0;
	while (done < AT_ONCE && (size_t)done < count) {
		struct object *object = &list[done++];

		if (destroy_object(session, object, &failure))
			call(data, object->kind, &object->mr,
			     mr_error_is_set(&failure) ? &failure : NULL);
	}
	mr_table_unlock(&session->table);
	return done;
}

int mr_session_deregister_unlisted(struct mr_session *session, mr_unlisted_gone *call, void *data,
				   struct mr_unlisted_left *left, struct mr_error *err)
{
	const struct mr_handle_set none = { .words = NULL };
	struct objects objects = { .list = NULL };
	size_t done = 0;
	int rc, tried = 1;

	*left = (struct mr_unlisted_left){ 0 };
	rc = mr_session_each_unlisted(session, &none, collect_object, &objects, err);
	if (!rc && objects.out_of_memory)
		rc = mr_fail(err, MR_ERROR_HOST, ENOMEM, "reallocarray", NULL);
	while (done < objects.count && tried > 0 && !mr_interrupted()) {
		struct mr_error why;

		tried = destroy_objects(session, objects.list + done, objects.count - done, call,
					data, &why);
		done += tried > 0 ? (size_t)tried : 0;
		if (tried < 0 && !rc) {
			*err = why;
			rc = tried;
		}
	}
	if (!tried)
		left->busy = objects.count - done;
	else if (tried > 0)
		left->interrupted = objects.count - done;
	free(objects.list);
	return rc;
}
