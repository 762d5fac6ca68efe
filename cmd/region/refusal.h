/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a diagnosis is told of a region that a session has. */
#ifndef CMD_REGION_REFUSAL_H
#define CMD_REGION_REFUSAL_H

#include "lib/diagnose/causes/causes.h"
#include "lib/session/session.h"

/** refusal_of_entry() - a refusal of a call about a region of the session; its other members are empty */
struct mr_refusal refusal_of_entry(const struct mr_session *session, const struct mr_entry *entry);

/** refusal_of_object() - the same about an object that is known by its handle alone */
struct mr_refusal refusal_of_object(const struct mr_session *session, enum mr_region_kind kind,
				    uint32_t handle);

#endif
