/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A device, as mrctl stat --device prints it. */
#ifndef CMD_STAT_DEVICE_ROW_H
#define CMD_STAT_DEVICE_ROW_H

#include "cmd/stat/device/record.h"

/** device_row_fill() - @facts must live as long as the row.  Return: 0, or -ENOMEM. */
int device_row_fill(struct device_row *row, const struct device_facts *facts);

/** device_row_release() - free what the row has allocated */
void device_row_release(struct device_row *row);

#endif
