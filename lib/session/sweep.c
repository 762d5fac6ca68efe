// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>

#include "lib/base/base.h"
#include "lib/session/objects.h"
#include "lib/session/sweep.h"
#include "lib/session/table/index.h"
#include "lib/session/table/lock.h"
#include "lib/session/table/unnamed.h"
#include "lib/session/unlisted.h"
#include "lib/verbs/verbs.h"

/* How many are deregistered before other processes may have the lock. */
#define AT_ONCE 64

struct object {
	enum mr_region_kind kind;
	struct mr_uverbs_mr mr;
};

struct objects {
	struct object *list;
	size_t count;
	size_t room;
	bool out_of_memory;
};

static void collect_object(void *data, enum mr_region_kind kind, const struct mr_uverbs_mr *mr)
{
	struct objects *objects = data;

	if (objects->count == objects->room) {
		size_t room = objects->room ? 2 * objects->room : 64;
		struct object *list = reallocarray(objects->list, room, sizeof(*list));

		if (!list) {
			objects->out_of_memory = true;
			return;
		}
		objects->list = list;
		objects->room = room;
	}
	objects->list[objects->count++] = (struct object){ kind, *mr };
}

/* Under the lock: whether an entry names the object. */
static bool is_named(const struct mr_table *table, const struct object *object)
{
	uint32_t handle = object->mr.handle;

	if (object->kind == MR_KIND_DM)
		return mr_session_dm_is_listed(table, handle);
	return mr_table_find(table, MR_BY_HANDLE, handle) != MR_NO_SLOT;
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

	if (is_named(&session->table, object))
		return false;
	/* The handle may be another MR's by now.  No entry names that one either: it is destroyed, and reported. */
	rc = is_mr ? mr_uverbs_query_mr(&session->uverbs, handle, &object->mr, err) : 0;
	if (mr_uverbs_is_absent(rc))
		return false;
	mr_error_clear(err);
	rc = mr_region_destroy(&session->uverbs, object->kind, handle, err);
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
