/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Declares the parts of the audit library, which finds libibverbs where a program loads it late. */
#ifndef LIB_TRACE_AUDIT_AUDIT_H
#define LIB_TRACE_AUDIT_AUDIT_H

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

/** An object, while wrappers are put in the place of its functions. */
struct replacement {
	const struct object *agent;
	struct object object;
	const uintptr_t *cookie; /**< of the object */
	size_t strings_used;     /**< bytes of its copied strings */
	bool copied;             /**< it has a symbol table of its own */
	bool failed;             /**< there is no room for one */
};

#endif
