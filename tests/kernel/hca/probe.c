/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* hca-probe: runs in the guest and uses the control window of the software HCA: reads and writes memory
 * through a key, injects failures, counts objects. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <glob.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/file.h>
#include <unistd.h>

#include "prm.h"
#include "window.h"

enum { EXIT_REFUSED = 1, EXIT_USAGE = 2, EXIT_NO_DEVICE = 3 };

static const struct word {
	const char *name;
	uint32_t value;
} commands[] = {
#define X(name, value) { #name, value },
	OPCODES(X)
#undef X
	{ "UMR", OP_UMR },
}, statuses[] = {
#define X(name, value) { #name, value },
	STATUSES(X)
#undef X
};

static const char *const reasons[] = {
#define X(name, text) text,
	REASONS(X)
#undef X
};

static const char *const routes[] = {
#define X(name, text) text,
	ROUTES(X)
#undef X
};

static int config = -1;

static int usage(FILE *f)
{
	fputs("usage: hca-probe [-l] [-r] [-w VALUE] KEY ADDR\n"
	      "       hca-probe --umem ID\n"
	      "       hca-probe --mark NUMBER\n"
	      "       hca-probe --fail COMMAND=STATUS | --fail none\n"
	      "       hca-probe --count\n"
	      "Reads the 32-bit word at ADDR through a memory key, as the device would.\n"
	      "  -l, --local        as a local access (default: a remote one)\n"
	      "  -w, --write VALUE  write it\n"
	      "  -r, --route        print how the word went instead: by the DMA of the \"hca\", or by\n"
	      "                     \"data-direct\" or \"data-direct relaxed\"\n"
	      "      --umem ID      the bytes of the pages that a umem is made of\n"
	      "      --mark NUMBER  put a mark in the device's trace\n"
	      "      --fail ...     let the next COMMAND (CREATE_MKEY, UMR, ...) fail with STATUS\n"
	      "                     (LIM_ERR, NO_RES, ... or a number); none: forget those waiting\n"
	      "      --count        print how many objects the device has: memory keys in use, ...\n"
	      "Exit status: 0 done, 1 the device refused the access, 2 usage, 3 no device\n", f);
	return f == stdout ? 0 : EXIT_USAGE;
}

static bool number(const char *s, uint64_t max, uint64_t *n)
{
	char *end;

	errno = 0;
	*n = strtoull(s, &end, 0);
	return *s >= '0' && *s <= '9' && !*end && !errno && *n <= max;
}

static bool lookup(const struct word *w, size_t n, const char *name, uint64_t *value)
{
	for (; n; n--, w++) {
		if (!strcasecmp(w->name, name)) {
			*value = w->value;
			return true;
		}
	}
	return number(name, 0xffff, value);
}

#define LOOKUP(table, name, value) lookup(table, sizeof(table) / sizeof(*(table)), name, value)

static uint32_t get(int offset)
{
	uint32_t v;

	if (pread(config, &v, 4, offset) != 4) {
		perror("hca-probe: config space");
		exit(EXIT_NO_DEVICE);
	}
	return v;
}

static void put(int offset, uint32_t v)
{
	if (pwrite(config, &v, 4, offset) != 4) {
		perror("hca-probe: config space");
		exit(EXIT_NO_DEVICE);
	}
}

/* Opens the HCA's own PCI function, and locks it: an access writes several words */
static bool find_device(void)
{
	static const char hca[] = "pci:v000015B3d00001017";
	char path[512], alias[64] = "";
	glob_t g;

	if (glob("/sys/bus/pci/devices/*", 0, NULL, &g))
		return false;
	for (size_t i = 0; i < g.gl_pathc && config < 0; i++) {
		FILE *f;

		snprintf(path, sizeof(path), "%s/modalias", g.gl_pathv[i]);
		f = fopen(path, "r");
		if (!f)
			continue;
		if (fgets(alias, sizeof(alias), f) && !strncmp(alias, hca, sizeof(hca) - 1)) {
			snprintf(path, sizeof(path), "%s/config", g.gl_pathv[i]);
			config = open(path, O_RDWR | O_CLOEXEC);
		}
		fclose(f);
	}
	globfree(&g);
	return config >= 0 && !flock(config, LOCK_EX);
}

static void print_counts(void)
{
	static const char *const types[] = {
#define X(name) #name,
		COUNTED(X)
#undef X
	};

	for (uint32_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
		put(W_COUNT, i);
		printf("%s%s %u", i ? " " : "", types[i], get(W_COUNT));
	}
	putchar('\n');
}

static int access_word(uint32_t key, uint64_t addr, int window, bool write, uint32_t value, bool ask_route)
{
	uint32_t reason;

	put(W_KEY, key);
	put(W_LO, (uint32_t)addr);
	put(W_HI, (uint32_t)(addr >> 32));
	if (write)
		put(window, value);
	else
		value = get(window);
	reason = get(W_KEY);
	if (reason) {
		fprintf(stderr, "hca-probe: %s\n",
			reason < sizeof(reasons) / sizeof(*reasons) ? reasons[reason] : "unknown");
		return EXIT_REFUSED;
	}
	if (ask_route) {
		value = get(W_ROUTE);
		puts(value < sizeof(routes) / sizeof(*routes) ? routes[value] : "unknown");
	} else if (!write) {
		printf("0x%08x\n", value);
	}
	return 0;
}

static int umem_page(uint32_t id)
{
	uint32_t shift;

	put(W_UMEM, id);
	shift = get(W_UMEM);
	if (!shift) {
		fprintf(stderr, "hca-probe: no such umem\n");
		return EXIT_REFUSED;
	}
	printf("%llu\n", 1ull << shift);
	return 0;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "local", no_argument, NULL, 'l' },
		{ "write", required_argument, NULL, 'w' },
		{ "route", no_argument, NULL, 'r' },
		{ "umem", required_argument, NULL, 'u' },
		{ "mark", required_argument, NULL, 'm' },
		{ "fail", required_argument, NULL, 'f' },
		{ "count", no_argument, NULL, 'c' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 }
	};
	uint64_t value = 0, umem = 0, mark = 0, command = 0, status = 0, key, addr;
	bool write = false, umems = false, marks = false, fails = false, counts = false,
	     ask_route = false;
	int window = W_REMOTE, o;
	char *eq;

	while ((o = getopt_long(argc, argv, "lrw:h", options, NULL)) != -1) {
		switch (o) {
		case 'l':
			window = W_LOCAL;
			break;
		case 'r':
			ask_route = true;
			break;
		case 'w':
			write = true;
			if (!number(optarg, UINT32_MAX, &value))
				return usage(stderr);
			break;
		case 'u':
			umems = true;
			if (!number(optarg, UINT32_MAX, &umem))
				return usage(stderr);
			break;
		case 'm':
			marks = true;
			if (!number(optarg, UINT32_MAX, &mark))
				return usage(stderr);
			break;
		case 'f':
			fails = true;
			if (!strcmp(optarg, "none"))
				break;
			eq = strchr(optarg, '=');
			if (!eq)
				return usage(stderr);
			*eq = '\0';
			if (!LOOKUP(commands, optarg, &command) || !LOOKUP(statuses, eq + 1, &status))
				return usage(stderr);
			break;
		case 'c':
			counts = true;
			break;
		case 'h':
			return usage(stdout);
		default:
			return usage(stderr);
		}
	}
	if (umems || marks || fails || counts ? optind != argc :
	    optind + 2 != argc || !number(argv[optind], UINT32_MAX, &key) ||
	    !number(argv[optind + 1], UINT64_MAX, &addr))
		return usage(stderr);
	if (!find_device()) {
		fprintf(stderr, "hca-probe: no software HCA that may be opened here\n");
		return EXIT_NO_DEVICE;
	}
	if (marks)
		put(W_MARK, (uint32_t)mark);
	if (fails)
		put(W_FAIL, (uint32_t)(command | status << 16));
	if (umems)
		return umem_page((uint32_t)umem);
	if (counts)
		print_counts();
	return marks || fails || counts ? 0 :
	       access_word((uint32_t)key, addr, window, write, (uint32_t)value, ask_route);
}
