// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "lib/trace/audit/object.h"

/* DT_GNU_HASH: this, then the Bloom filter, then the buckets, then the chains. */
struct gnu_hash {
	uint32_t buckets;
	uint32_t first; /* index of the first symbol that is hashed */
	uint32_t bloom_words;
	uint32_t bloom_shift;
};

enum {
	HIDDEN_VERSION = 0x8000, /* bit of DT_VERSYM: only references to just this version get it */
};

const char *text_begins(const char *text, const char *prefix)
{
	while (*prefix)
		if (*text++ != *prefix++)
			return NULL;
	return text;
}

static bool text_is(const char *text, const char *prefix, const char *name)
{
	text = text_begins(text, prefix);
	text = text ? text_begins(text, name) : NULL;
	return text && !*text;
}

static uint32_t hash_of(uint32_t hash, const char *text)
{
	for (; *text; text++)
		hash = hash * 33 + (unsigned char)*text;
	return hash;
}

static const uint32_t *buckets_of(const struct object *object)
{
	const struct gnu_hash *table = (const void *)object->hash;

	return object->hash + 4 + table->bloom_words * (sizeof(ElfW(Addr)) / sizeof(uint32_t));
}

bool object_read(const struct link_map *map, struct object *object)
{
	const ElfW(Dyn) *soname = NULL;

	*object = (struct object){ .base = map->l_addr, .soname = "" };
	for (ElfW(Dyn) *entry = map->l_ld; entry && entry->d_tag != DT_NULL; entry++) {
		if (entry->d_tag == DT_SYMTAB)
			object->symtab = entry;
		else if (entry->d_tag == DT_STRTAB)
			object->strtab = entry;
		else if (entry->d_tag == DT_STRSZ)
			object->strsz = entry;
		else if (entry->d_tag == DT_GNU_HASH)
			object->hash = (const void *)entry->d_un.d_ptr;
		else if (entry->d_tag == DT_VERSYM)
			object->version = (const void *)entry->d_un.d_ptr;
		else if (entry->d_tag == DT_VERNEED)
			object->needs = (const void *)(map->l_addr + entry->d_un.d_ptr);
		else if (entry->d_tag == DT_VERNEEDNUM)
			object->need_count = entry->d_un.d_val;
		else if (entry->d_tag == DT_SONAME)
			soname = entry;
	}
	/* An address below the base was not relocated: the dynamic section is read-only, as in the vDSO. */
	if (!object->symtab || !object->strtab || !object->strsz || !object->hash || !map->l_addr ||
	    object->symtab->d_un.d_ptr < map->l_addr)
		return false;
	object->symbols = (const void *)object->symtab->d_un.d_ptr;
	object->strings = (const void *)object->strtab->d_un.d_ptr;
	if (soname)
		object->soname = object->strings + soname->d_un.d_val;
	return true;
}

bool object_needs_version(const struct object *object, const char *prefix)
{
	const char *need = (const char *)object->needs;

	for (size_t i = 0; need && i < object->need_count; i++) {
		const ElfW(Verneed) *library = (const void *)need;
		const char *aux = need + library->vn_aux;

		for (uint32_t n = 0; n < library->vn_cnt; n++) {
			const ElfW(Vernaux) *version = (const void *)aux;

			if (text_begins(object->strings + version->vna_name, prefix))
				return true;
			aux += version->vna_next;
		}
		need += library->vn_next;
	}
	return false;
}

uint32_t object_find(const struct object *object, const char *prefix, const char *name)
{
	const struct gnu_hash *table = (const void *)object->hash;
	const uint32_t *buckets = buckets_of(object), *chains = buckets + table->buckets;
	uint32_t hash = hash_of(hash_of(5381, prefix), name);
	uint32_t index = table->buckets ? buckets[hash % table->buckets] : 0;

	for (; index; index++) {
		const ElfW(Sym) *symbol = &object->symbols[index];
		uint32_t chained = chains[index - table->first];

		if ((chained | 1) == (hash | 1) && symbol->st_shndx != SHN_UNDEF &&
		    !(object->version && object->version[index] & HIDDEN_VERSION) &&
		    text_is(object_name(object, index), prefix, name))
			return index;
		if (chained & 1)
			break;
	}
	return 0;
}

/* Symbols that are not defined stand before those that are hashed. */
uint32_t object_find_undefined(const struct object *object, const char *name)
{
	const struct gnu_hash *table = (const void *)object->hash;

	for (uint32_t i = 1; i < table->first; i++)
		if (object->symbols[i].st_shndx == SHN_UNDEF &&
		    text_is(object_name(object, i), "", name))
			return i;
	return 0;
}

uint32_t object_symbol_count(const struct object *object)
{
	const struct gnu_hash *table = (const void *)object->hash;
	const uint32_t *buckets = buckets_of(object), *chains = buckets + table->buckets;
	uint32_t last = 0;

	for (uint32_t i = 0; i < table->buckets; i++)
		last = buckets[i] > last ? buckets[i] : last;
	if (last < table->first)
		return table->first;
	while (!(chains[last - table->first] & 1))
		last++;
	return last + 1;
}
