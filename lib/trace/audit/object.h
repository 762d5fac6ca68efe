/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A loaded object's dynamic symbols, read from memory without libc. */
#ifndef LIB_TRACE_AUDIT_OBJECT_H
#define LIB_TRACE_AUDIT_OBJECT_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** What the dynamic section tells of an object. */
struct object {
	ElfW(Addr) base;
	ElfW(Dyn) * symtab, *strtab, *strsz; /**< entries of the dynamic section */
	const ElfW(Sym) * symbols;
	const char *strings;
	const uint32_t *hash;       /**< DT_GNU_HASH */
	const ElfW(Half) * version; /**< DT_VERSYM, or NULL */
	const ElfW(Verneed) * needs;
	size_t need_count;
	const char *soname; /**< "" where it has none */
};

/**
 * object_read() - read the dynamic section of an object that was just mapped
 *
 * Return: whether it has symbols with a GNU hash table, and addresses that the loader has relocated, as glibc does
 * before la_objopen() (elf/get-dynamic-info.h).
 */
bool object_read(const struct link_map *map, struct object *object);

/** object_needs_version() - whether it needs a symbol version whose name begins with @prefix */
bool object_needs_version(const struct object *object, const char *prefix);

/**
 * object_find() - the symbol that a reference to @prefix and @name without a version is bound to
 *
 * Return: its index; 0: none is defined.
 */
uint32_t object_find(const struct object *object, const char *prefix, const char *name);

/** object_find_undefined() - the symbol by which it refers to a function of another; its index; 0: it does not */
uint32_t object_find_undefined(const struct object *object, const char *name);

/** object_symbol_count() - how many symbols it has, with those that are not defined */
uint32_t object_symbol_count(const struct object *object);

/** object_address() - where a symbol is */
static inline uintptr_t object_address(const struct object *object, uint32_t index)
{
	return object->base + object->symbols[index].st_value;
}

/** object_name() - a symbol's name */
static inline const char *object_name(const struct object *object, uint32_t index)
{
	return object->strings + object->symbols[index].st_name;
}

/** text_begins() - whether @text begins with @prefix; the place after it, or NULL */
const char *text_begins(const char *text, const char *prefix);

#endif
