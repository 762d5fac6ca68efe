/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Whether a program can be followed: whether it will load the agent. */
#ifndef LIB_TRACE_WIRE_PROGRAM_H
#define LIB_TRACE_WIRE_PROGRAM_H

#include "lib/trace/wire/wire.h"

/**
 * mr_trace_program() - whether a program that execveat(2) is to run can be followed
 * @dir:   a folder's descriptor, or AT_FDCWD; the program's own where @path is ""
 * @path:  of a program or a script, whose interpreter is then what counts
 *
 * It allocates nothing and takes no lock: it is called between vfork(2) and execve(2).  It leaves errno.
 *
 * Rules: ld.so(8), secure-execution mode; capabilities(7), "Capabilities and execution of programs by root";
 * execve(2), interpreter scripts; elf(5).
 *
 * Return: MR_TRACE_FOLLOWED also where execve(2) is going to fail: then nothing runs.
 */
enum mr_trace_obstacle mr_trace_program(int dir, const char *path);

/**
 * mr_trace_find_program() - where execvp(3) finds a program
 * @path: set to it, cut to @size bytes
 * @list: folders as in $PATH; NULL: those of confstr(3)
 *
 * Return: 0; -EACCES: what has that name cannot be run; -ENOENT: nothing has, also where execvp(3) answers EACCES
 * for a folder that may not be searched.
 */
int mr_trace_find_program(const char *name, const char *list, char *path, unsigned long size);

#endif
