/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The Data Direct function (15b3:2100): a second way to memory.  It has no registers.  Its driver reads an id
 * from the VPD (vital product data), and looks for the HCA that tells the same id by QUERY_VUID. */
#include "hca.h"

enum { CAP_PM = 0x40, CAP_VPD = 0x48, CAP_PCIE = 0x60 };
enum { COMMAND = 0x04, BUS_MASTER = 1 << 2 };
enum { VPD_ADDR = CAP_VPD + 2, VPD_DATA = CAP_VPD + 4, VPD_DONE = 0x8000 };
enum { VUID_SIZE = 128 };		/* bytes of an entry in the answer of QUERY_VUID */

static const char vuid[] = "MRCTL0000000000000000000000000001MLNXS0D0F0";

static uint8_t vpd[256];

/* Adds a keyword of a read-only section: two letters, a length, the value */
static uint8_t *vpd_keyword(uint8_t *p, const char *name, const void *value, size_t len)
{
	memcpy(p, name, 2);
	p[2] = (uint8_t)len;
	memcpy(p + 3, value, len);
	return p + 3 + len;
}

/* The VPD of PCI Local Bus 3.0, appendix I: the name (tag 0x82), the read-only section (0x90) with the id and a
 * checksum over all bytes up to it, the end (0x78) */
static void vpd_fill(const char *id)
{
	static const char name[] = "Data Direct";
	uint8_t *p = vpd, *section, sum = 0;

	*p++ = 0x82;
	*p++ = sizeof(name) - 1;
	*p++ = 0;
	memcpy(p, name, sizeof(name) - 1);
	p += sizeof(name) - 1;
	section = p;
	*p++ = 0x90;
	p += 2;
	p = vpd_keyword(p, "VU", id, strlen(id));
	p = vpd_keyword(p, "RV", "", 1);
	section[1] = (uint8_t)(p - section - 3);
	for (const uint8_t *q = vpd; q < p; q++)
		sum = (uint8_t)(sum + *q);
	p[-1] = (uint8_t)-sum;
	*p = 0x78;
}

static void config_read(struct hca *h, uint32_t off, uint8_t *b, uint32_t n)
{
	memcpy(b, h->fn[FN_DATA_DIRECT].cfg + off, n);
}

/* A write of an address reads the VPD there: the data follows in the next register, and the flag turns */
static void config_written(struct hca *h, uint32_t off, const uint8_t *b, uint32_t n)
{
	struct pci_function *f = &h->fn[FN_DATA_DIRECT];
	uint16_t addr;

	config_write(f, off, b, n);
	if (off > VPD_ADDR + 1 || off + n <= VPD_ADDR)
		return;
	memcpy(&addr, f->cfg + VPD_ADDR, 2);
	if (addr & VPD_DONE) {		/* a write to it, which is carried out as nothing */
		config_put16(f, VPD_ADDR, addr & ~VPD_DONE & 0xffff);
		return;
	}
	for (unsigned i = 0; i < 4; i++)
		f->cfg[VPD_DATA + i] = addr + i < sizeof(vpd) ? vpd[addr + i] : 0;
	config_put16(f, VPD_ADDR, addr | VPD_DONE);
}

static void reset(struct hca *h)
{
	config_put16(&h->fn[FN_DATA_DIRECT], COMMAND, 0);
}

void data_direct_init(struct hca *h)
{
	struct pci_function *f = &h->fn[FN_DATA_DIRECT];

	config_put16(f, 0x00, 0x15b3);
	config_put16(f, 0x02, 0x2100);
	config_put16(f, 0x06, 0x0010);		/* a capability list */
	config_put32(f, 0x08, 0x08800000);	/* class: another system peripheral */
	f->cfg[0x34] = CAP_PM;
	config_put32(f, CAP_PM, 0x00030001 | CAP_VPD << 8);
	config_put16(f, CAP_VPD, 0x0003 | CAP_PCIE << 8);
	config_put32(f, CAP_PCIE, 0x00020010);	/* an endpoint, version 2 */
	memset(f->cfg_writable + COMMAND, 0xff, 2);
	f->cfg_writable[0x3c] = 0xff;
	f->cfg_writable[CAP_PM + 4] = 0x03;
	memset(f->cfg_writable + VPD_ADDR, 0xff, 2);
	memset(f->cfg_writable + CAP_PCIE + 8, 0xff, 2);
	f->config_read = config_read;
	f->config_write = config_written;
	f->reset = reset;
	vpd_fill(h->data_direct_id ? h->data_direct_id : vuid);
}

/* Guest memory as this function sees it: while its driver lets it */
void *data_direct_ptr(struct hca *h, uint64_t iova, uint64_t len)
{
	const struct pci_function *f = &h->fn[FN_DATA_DIRECT];

	return f->cfg[COMMAND] & BUS_MASTER ? dma_ptr_of(f, iova, len) : NULL;
}

int query_vuid(struct hca *h, struct cmd *c)
{
	(void)h;
	note(c, "data_direct %u", GET(c->in, query_vuid_in__data_direct));
	if (c->outlen < 64 + VUID_SIZE)
		return BAD_OUTP_LEN;
	if (!GET(c->in, query_vuid_in__data_direct))
		return BAD_PARAM;
	SET(c->out, query_vuid_out__num_of_entries, 1);
	memcpy(AT(c->out, query_vuid_out__vuid), vuid, sizeof(vuid) - 1);
	return OK;
}
