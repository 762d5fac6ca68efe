/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* hca: serves one simulated ConnectX on a vfio-user socket. */
#include <signal.h>
#include <unistd.h>

#include "hca.h"

static int usage(void)
{
	fprintf(stderr, "usage: hca [-t FILE] [-v LEVEL] [-f COMMAND=STATUS[@N]]... [-c CAP=VALUE]...\n"
		"           [-l mkey|umem|pd|uctx=MAX]... [-d SOCKET] [-i ID] [-w] SOCKET\n"
		"  -t FILE   write the trace there (default: standard error)\n"
		"  -v LEVEL  0 nothing, 1 failures, 2 every command (default), 4 every access\n"
		"  -f ...    let the Nth (default: first) COMMAND fail with STATUS\n"
		"  -c ...    announce another value of a general capability\n"
		"  -l ...    run out of such objects at MAX\n"
		"  -d SOCKET serve the Data Direct function there; none: there is no such function\n"
		"  -i ID     give that function another id than the HCA expects\n"
		"  -w        let a key go though memory windows are bound to it\n");
	return 2;
}

int main(int argc, char **argv)
{
	static struct hca h;
	int o;

	h.trace = stderr;
	h.trace_level = 2;
	while ((o = getopt(argc, argv, "t:v:f:c:l:d:i:w")) != -1) {
		char name[64];
		int status, nth = 1;
		unsigned v;

		switch (o) {
		case 't':
			h.trace = fopen(optarg, "w");
			if (!h.trace) {
				perror(optarg);
				return 1;
			}
			break;
		case 'v':
			h.trace_level = atoi(optarg);
			break;
		case 'f':
			if (sscanf(optarg, "%63[^=]=%i@%i", name, &status, &nth) < 2 ||
			    cmd_op_by_name(name) < 0)
				return usage();
			fail_add(&h, cmd_op_by_name(name), status, nth);
			break;
		case 'd':
			h.fn[FN_DATA_DIRECT].path = strcmp(optarg, "none") ? optarg : NULL;
			break;
		case 'i':
			if (strlen(optarg) > DATA_DIRECT_ID_MAX)
				return usage();
			h.data_direct_id = optarg;
			break;
		case 'w':
			h.ignores_windows = true;
			break;
		case 'c':
		case 'l':
			if (sscanf(optarg, "%63[^=]=%i", name, &v) != 2 ||
			    (o == 'c' ? cap_override(&h, name, v) : limit_set(&h, name, v)))
				return usage();
			break;
		default:
			return usage();
		}
	}
	if (optind + 1 != argc)
		return usage();
	signal(SIGPIPE, SIG_IGN);
	h.fn[FN_HCA].path = argv[optind];
	pci_init(&h);
	data_direct_init(&h);
	o = vfio_user_serve(&h);
	if (o)
		fprintf(stderr, "%s: %s\n", argv[optind], strerror(o));
	return o != 0;
}
