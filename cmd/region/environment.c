// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "cmd/region/environment.h"
#include "lib/verbs/device.h"

static const struct field environment_fields[] = {
	FIELD(struct mr_environment, mrctl, FIELD_TEXT, FIELD_DETAIL | FIELD_PUBLIC,
	      "version of mrctl"),
	FIELD(struct mr_environment, kernel, FIELD_TEXT, FIELD_DETAIL | FIELD_PUBLIC,
	      "release of the kernel"),
	FIELD(struct mr_environment, rdma_core, FIELD_TEXT, FIELD_DETAIL | FIELD_PUBLIC,
	      "version of the loaded rdma-core"),
	FIELD(struct mr_environment, device, FIELD_TEXT, 0, "RDMA device"),
	FIELD(struct mr_environment, provider, FIELD_TEXT, FIELD_PUBLIC, "its user-space driver"),
	FIELD(struct mr_environment, firmware, FIELD_TEXT, FIELD_DETAIL | FIELD_PUBLIC,
	      "its firmware's version"),
	FIELD(struct mr_environment, simulated, FIELD_BOOL, 0, "whether the device is simulated"),
	FIELD(struct mr_environment, simulated_kernel, FIELD_TEXT, FIELD_DETAIL | FIELD_PUBLIC,
	      "whose answers a simulated device gives"),
	FIELD(struct mr_environment, memlock_soft, FIELD_LIMIT, FIELD_DETAIL,
	      "bytes that may be locked (RLIMIT_MEMLOCK)"),
	FIELD(struct mr_environment, memlock_hard, FIELD_LIMIT, FIELD_DETAIL,
	      "the most that an ordinary user can raise it to"),
	FIELD(struct mr_environment, uid, FIELD_NUMBER, FIELD_DETAIL, "the user"),
	FIELD(struct mr_environment, euid, FIELD_NUMBER, FIELD_DETAIL,
	      "the user whose rights are used"),
	FIELD(struct mr_environment, data_direct, FIELD_TEXT, 0, "its Data Direct device"),
	FIELD_END,
};
REPORTED const struct record environment_record = { "environment", environment_fields, NULL };
