// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Does to a session what another process that holds its descriptor could do, and mrctl does not: makes and
 * destroys objects without noting them in the table, and damages the table.  Each command is explained below.
 * Usage: session-tool COMMAND [WORD...]   in the session that MRCTL_SESSION names
 */
#include <errno.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/session/session.h"
#include "lib/session/table/table.h"

static struct mr_error err;
static struct mr_session session;

static void die(const char *what)
{
	fprintf(stderr, "session-tool: %s: %s\n", what,
		mr_error_is_set(&err) ? err.text : strerror(errno));
	exit(1);
}

/* Maps the whole file of the table, however small the size that its header gives. */
static char *map_table(size_t *size)
{
	struct stat st;
	char *map;

	if (fstat(session.table.fd, &st))
		die("fstat");
	*size = (size_t)st.st_size;
	map = mmap(NULL, *size, PROT_READ | PROT_WRITE, MAP_SHARED, session.table.fd, 0);
	if (map == MAP_FAILED)
		die("mmap");
	return map;
}

/* Registers objects of one page without noting them in the table; prints their handles. */
static void make_unlisted(const char *count, bool umem)
{
	struct mr_region_request request = { .call = umem ? MR_UMEM_REG : MR_REG_MR,
					     .length = 4096,
					     .access = 1 };
	struct mr_registrar registrar = { .via = MR_VIA_KERNEL, .uverbs = &session.uverbs };
	struct mr_table_pd pd = { .handle = 0 };
	struct mr_region region;
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED || (!umem && !mr_table_pd(&session.table, 0, &pd)))
		die("no page or PD");
	request.addr = (uintptr_t)page;
	registrar.pd_handle = pd.handle;
	for (int i = atoi(count); i > 0; i--) {
		if (mr_region_register(&registrar, &request, &region, &err))
			die("reg");
		printf("%u\n", region.handle);
	}
}

/* reg COUNT, umem COUNT */
static void reg_unlisted(char **words)
{
	make_unlisted(words[0], false);
}

static void reg_unlisted_umem(char **words)
{
	make_unlisted(words[0], true);
}

/* destroy HANDLE..., umem-destroy HANDLE...: deregisters without removing the entries from the table */
static void destroy_mrs(char **words)
{
	for (; *words; words++)
		if (mr_uverbs_destroy(&session.uverbs, MR_KIND_MR, (uint32_t)atoi(*words), &err))
			die("destroy");
}

static void destroy_umems(char **words)
{
	for (; *words; words++)
		if (mr_uverbs_destroy(&session.uverbs, MR_KIND_UMEM, (uint32_t)atoi(*words), &err))
			die("umem-destroy");
}

/* query HANDLE: fails unless the kernel has that region, with the length that the command reg gave it */
static void query_mr(char **words)
{
	struct mr_uverbs_mr mr;

	if (mr_uverbs_query_mr(&session.uverbs, (uint32_t)atoi(words[0]), &mr, &err))
		die("query");
	if (mr.length != 4096)
		exit(1);
}

/*
 * objects: prints a line with the number of objects in the session: those of each type that the kernel lists
 * ("mr=2 pd=1 uar=4"), and the regions and protection domains of the table ("entries=2 pds=1")
 */
static void count_objects(char **words)
{
	static const struct {
		const char *name;
		uint16_t object;
	} objects[] = { { "mr", UVERBS_OBJECT_MR },
			{ "pd", UVERBS_OBJECT_PD },
			{ "uar", MLX5_IB_OBJECT_UAR },
			{ "dm", UVERBS_OBJECT_DM } };
	static uint32_t list[MR_UVERBS_INFO_MAX];
	uint32_t count, pds = 0;
	struct mr_table_pd pd;

	(void)words;
	/* Drivers other than mlx5 do not know its types, and refuse to list them. */
	for (size_t i = 0; i < sizeof(objects) / sizeof(objects[0]); i++)
		if (!mr_uverbs_list(&session.uverbs, objects[i].object, list, &count, &err))
			printf("%s=%u ", objects[i].name, count);
	if (mr_uverbs_list(&session.uverbs, MLX5_IB_OBJECT_DEVX_UMEM, list, &count, &err))
		die("list");
	for (uint32_t slot = 0; slot < MR_TABLE_PDS; slot++)
		pds += mr_table_pd(&session.table, slot, &pd);
	printf("umem=%u entries=%u pds=%u\n", count, mr_table_count(&session.table), pds);
}

/* lock: takes the lock of the table, prints "locked", and keeps it until it is killed */
static void hold_lock(char **words)
{
	(void)words;
	if (mr_table_lock(&session.table, &err))
		die("lock");
	puts("locked");
	fflush(stdout);
	pause();
}

/* text FROM TO: replaces a text in the table by one of the same length; TO may have octal escapes of C */
static void replace_text(char **words)
{
	size_t size, length = strlen(words[0]);
	char *map = map_table(&size), *at = map, to[64] = "";
	size_t used = 0;

	for (const char *p = words[1]; *p && used < sizeof(to);)
		to[used++] = *p == '\\' ? (char)strtol(p + 1, (char **)&p, 8) : *p++;
	if (used != length)
		die("another length");
	while ((at = memmem(at, size - (size_t)(at - map), words[0], length)))
		memcpy(at, to, length);
}

static volatile sig_atomic_t is_stopped;

static void stop_scribbling(int signal)
{
	(void)signal;
	is_stopped = 1;
}

/*
 * scribble SEED: writes garbage into the table until SIGTERM.  The header is restored at the end, so that the
 * session can be joined again.
 */
static void scribble(char **words)
{
	unsigned int seed = (unsigned int)atoi(words[0]);
	char header[8192];
	size_t size, at;
	char *map = map_table(&size);

	memcpy(header, map, sizeof(header));
	signal(SIGTERM, stop_scribbling);
	puts("scribbling");
	fflush(stdout);
	while (!is_stopped) {
		/* half of the values are small: they can pass for handles, indexes and states */
		uint32_t value = (uint32_t)rand_r(&seed);

		if (rand_r(&seed) % 2)
			value %= 128;
		at = 24 + (size_t)rand_r(&seed) % (size - 28);
		if (rand_r(&seed) % 8 == 0)
			at = 24 +
			     (size_t)rand_r(&seed) % 44; /* more often the counters of the header */
		memcpy(map + (at & ~(size_t)3), &value, sizeof(value));
		if (rand_r(&seed) % 16 == 0)
			usleep(1);
	}
	memcpy(map, header, sizeof(header));
}

static const struct {
	const char *name;
	int words;
	void (*run)(char **words);
} commands[] = {
	{ "reg", 1, reg_unlisted },       { "destroy", 1, destroy_mrs },
	{ "query", 1, query_mr },         { "objects", 0, count_objects },
	{ "lock", 0, hold_lock },         { "text", 2, replace_text },
	{ "umem", 1, reg_unlisted_umem }, { "umem-destroy", 1, destroy_umems },
	{ "scribble", 1, scribble },
};

int main(int argc, char **argv)
{
	const char *where = getenv(MR_SESSION_VARIABLE);

	for (size_t i = 0; argc > 1 && i < sizeof(commands) / sizeof(*commands); i++) {
		if (strcmp(argv[1], commands[i].name) != 0 || argc - 2 < commands[i].words)
			continue;
		if (mr_session_open(where ? where : "", &session, &err))
			die("cannot join");
		commands[i].run(argv + 2);
		return fflush(stdout) ? 1 : 0;
	}
	fprintf(stderr, "usage: session-tool COMMAND [WORD...], see its source\n");
	return 2;
}
