// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <string.h>

#include "cmd/report/common_words.h"

static const char *const common[] = {
	"proc",      "sys",      "dev",      "self",      "calls",      "class",      "module",
	"kernel",    "fs",       "cgroup",   "memory",    "rdma",       "hugetlb",    "limits",
	"limit",     "status",   "stat",     "max",       "current",    "high",       "events",
	"usage",     "bytes",    "device",   "devices",   "infiniband", "mm",         "hugepages",
	"numa",      "node",     "ports",    "list",      "link",       "open",       "read",
	"error",     "answer",   "mode",     "uid",       "gid",        "mrctl",      "report",
	"linux",     "in_bytes", "boot",     "cpu",       "cpuset",     "pids",       "unified",
	"version",   "state",    "type",     "localhost", "none",       "host",       "user",
	"group",     "root",     "kB",       "unlimited", "vm",         "bus",        "pci",
	"debug",     "system",   "driver",   "nvidia",    "config",     "usr",        "lib",
	"modules",   "src",      "block",    "ns",        "attr",       "words",      "symbol",
	"uname",     "machine",  "mappings", "mlx5",      "mlx4",       "rxe",        "name",
	"groups",    "seccomp",  "locked",   "pinned",    "iommu",      "parameters", "commands",
	"simulated", "udmabuf",  "vendor",   "net",       "process",    "processes",  "page",
	"pages",     "port",     NULL
};

bool is_common_word(const char *name, size_t length)
{
	for (const char *const *word = common; *word; word++)
		if (strlen(*word) == length && !strncasecmp(*word, name, length))
			return true;
	return length < 2;
}
