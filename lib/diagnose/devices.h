/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Checks of the group "devices". */
#ifndef LIB_DIAGNOSE_DEVICES_H
#define LIB_DIAGNOSE_DEVICES_H

#include "lib/diagnose/finding.h"

/** mr_check_device() - MR-DEVICE: whether there is an RDMA device at all */
void mr_check_device(const struct mr_question *question, struct mr_finding *finding);

/** mr_check_port() - MR-PORT: whether each device that has a link has an active port, and the host has one */
void mr_check_port(const struct mr_question *question, struct mr_finding *finding);

/** mr_check_odp() - MR-ODP: on-demand paging */
void mr_check_odp(const struct mr_question *question, struct mr_finding *finding);

/** mr_check_max_mr() - MR-MAX-MR: whether a planned region is within what devices take */
void mr_check_max_mr(const struct mr_question *question, struct mr_finding *finding);

/** mr_check_fw_pages() - MR-FW-PAGES: memory that firmware has taken */
void mr_check_fw_pages(const struct mr_question *question, struct mr_finding *finding);

/** mr_check_uar() - MR-UAR: whether the firmware has refused UARs, which each open context needs */
void mr_check_uar(const struct mr_question *question, struct mr_finding *finding);

/** mr_check_iommu() - MR-IOMMU: whether DMA of the devices is translated */
void mr_check_iommu(const struct mr_question *question, struct mr_finding *finding);

/** mr_check_iommu_group() - MR-IOMMU-GROUP: whether GPU and devices are in one IOMMU group, where that matters */
void mr_check_iommu_group(const struct mr_question *question, struct mr_finding *finding);

/** mr_check_known_bad() - MR-KNOWN-BAD: combinations that are known to fail */
void mr_check_known_bad(const struct mr_question *question, struct mr_finding *finding);

#endif
