// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/report/common_words.h"
#include "cmd/report/notation.h"
#include "cmd/report/paths.h"
#include "cmd/report/stand_ins.h"
#include "lib/base/cleanup.h"

/* Names that texts may add. */
#define LEARNED_MAX 512

static bool is_path(const char *kind)
{
	return !strcmp(kind, "path");
}

static const struct stand_in *find(const struct stand_in_list *known, const char *plain)
{
	const size_t length = strlen(plain);

	for (size_t i = 0; i < known->count; i++)
		if (known->list[i].length == length &&
		    !memcmp(known->list[i].original, plain, length))
			return &known->list[i];
	return NULL;
}

/* The number of the next stand-in of a kind, from 1. */
static size_t next_number(const struct stand_ins *all, const char *kind)
{
	size_t number = 1;

	for (size_t i = 0; i < all->names.count; i++)
		number += !strcmp(all->names.list[i].kind, kind);
	for (size_t i = 0; i < all->found.count; i++)
		number += !strcmp(all->found.list[i].kind, kind);
	return number;
}

/* Puts it at a place.  Return: done */
static bool insert(struct stand_in_list *to, size_t at, const struct stand_in *added)
{
	struct stand_in *list = reallocarray(to->list, to->count + 1, sizeof(*list));

	if (!list)
		return false;
	to->list = list;
	memmove(list + at + 1, list + at, (to->count - at) * sizeof(*list));
	list[at] = *added;
	to->count++;
	return true;
}

static bool insert_name(struct stand_in_list *names, const struct stand_in *added)
{
	size_t at = 0;

	while (at < names->count && names->list[at].length >= added->length)
		at++;
	return insert(names, at, added);
}

/* The stand-in of the user in whose home a path is.  A name that texts may have as a word is left there. */
static const char *text_of_user(struct stand_ins *all, const char *user, size_t length)
{
	const char *text;

	if (length > 2 && !is_common_word(user, length))
		stand_ins_learn(all, "user", user, length);
	text = stand_ins_of(all, "user", user, length);
	return text ? text : "user";
}

/* "/home/user-1/path-1": the home of a user has the user's own stand-in. */
static char *make_text(struct stand_ins *all, const char *kind, const char *original)
{
	size_t length = 0, number = next_number(all, kind);
	const char *user = is_path(kind) ? path_user(original, &length) : NULL;
	const int home = user ? (int)(user - original) : 0;
	char *text = NULL;
	int rc;

	if (!user)
		rc = asprintf(&text, "%s-%zu", kind, number);
	else if (user[length] && user[length + 1])
		rc = asprintf(&text, "%.*s%s/path-%zu", home, original,
			      text_of_user(all, user, length), number);
	else
		rc = asprintf(&text, "%.*s%s", home, original, text_of_user(all, user, length));
	return rc < 0 ? NULL : text;
}

static void take(struct stand_ins *all, struct stand_in_list *to, struct stand_in added,
		 const char *original, size_t length)
{
	if (!length || all->names.count + all->found.count >= STAND_INS_MAX)
		return;
	added.original = notation_plain(added.kind, original, length);
	if (added.original && find(to, added.original)) {
		free(added.original);
		return;
	}
	added.length = added.original ? strlen(added.original) : 0;
	added.text = added.original ? make_text(all, added.kind, added.original) : NULL;
	if (added.text &&
	    (to == &all->names ? insert_name(to, &added) : insert(to, to->count, &added)))
		return;
	all->out_of_memory = true;
	free(added.original);
	free(added.text);
}

void stand_ins_add(struct stand_ins *all, const char *kind, const char *name, size_t length)
{
	take(all, &all->names, (struct stand_in){ .kind = kind }, name, length);
}

void stand_ins_add_in_texts(struct stand_ins *all, const char *kind, const char *name,
			    size_t length)
{
	take(all, &all->names, (struct stand_in){ .kind = kind, .is_of_texts = true }, name,
	     length);
}

void stand_ins_learn(struct stand_ins *all, const char *kind, const char *name, size_t length)
{
	if (all->names.count < LEARNED_MAX)
		stand_ins_add_in_texts(all, kind, name, length);
}

const char *stand_ins_of(struct stand_ins *all, const char *kind, const char *original,
			 size_t length)
{
	mr_auto_free char *plain = notation_plain(kind, original, length);
	const struct stand_in *found = plain ? find(&all->found, plain) : NULL;

	if (plain && !found)
		found = find(&all->names, plain);
	if (plain && !found) {
		take(all, &all->found, (struct stand_in){ .kind = kind }, original, length);
		found = find(&all->found, plain);
	}
	return found ? found->text : NULL;
}

const char *stand_ins_known(const struct stand_ins *all, const char *plain)
{
	const struct stand_in *found = find(&all->found, plain);

	return found ? found->text : NULL;
}

static void release(struct stand_in_list *known)
{
	for (size_t i = 0; i < known->count; i++) {
		free(known->list[i].original);
		free(known->list[i].text);
	}
	free(known->list);
}

void stand_ins_release(struct stand_ins *all)
{
	release(&all->names);
	release(&all->found);
	*all = (struct stand_ins){ .out_of_memory = false };
}
