/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_SIM_CALL_OBJECT_TYPES_H
#define LIB_SIM_CALL_OBJECT_TYPES_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/sim/call/attrs.h"

/** sim_is_object_type() - whether the kernel knows a type of objects on the call's device */
bool sim_is_object_type(const struct sim_call *call, uint16_t object);

/** sim_is_unmodelled_method() - whether the kernel knows a method that uverbs/methods.c has no row for */
bool sim_is_unmodelled_method(const struct sim_call *call, uint16_t object, uint16_t method);

#endif
