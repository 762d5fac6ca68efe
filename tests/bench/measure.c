// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Runs commands in turn, RUNS times each: the speed of the machine varies, but little between runs that
 * follow each other, so that only figures of one line should be compared.  An argument {} becomes the number
 * of the run, from 1.
 * Usage: measure time|peak RUNS CMD... [-- CMD...]...
 * Prints a line for each run, with a figure of each command: microseconds, or KiB of peak memory.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/* Does not return. */
static void become(char **command, int number)
{
	int null = open("/dev/null", O_WRONLY);
	char text[16];

	snprintf(text, sizeof(text), "%d", number);
	for (char **argument = command; *argument; argument++)
		if (!strcmp(*argument, "{}"))
			*argument = text;
	dup2(null, STDOUT_FILENO);
	execvp(command[0], command);
	perror(command[0]);
	_exit(127);
}

/* Runs a command once.  Returns its figure. */
static long run_command(char **command, int number, bool peak)
{
	long start = now_us(), taken;
	struct rusage usage;
	int status;
	pid_t pid = fork();

	if (!pid)
		become(command, number);
	if (pid < 0 || wait4(pid, &status, 0, &usage) != pid || status) {
		fprintf(stderr, "measure: %s failed\n", command[0]);
		exit(1);
	}
	taken = now_us() - start;
	return peak ? usage.ru_maxrss : taken;
}

/* Ends each command with NULL.  Returns how many commands there are. */
static int split(char **words, char ***commands)
{
	int count = 0;

	commands[count++] = words;
	for (; *words; words++) {
		if (strcmp(*words, "--") != 0)
			continue;
		*words = NULL;
		commands[count++] = words + 1;
	}
	return count;
}

int main(int argc, char **argv)
{
	bool peak = argc > 1 && !strcmp(argv[1], "peak");
	int runs = argc > 2 ? atoi(argv[2]) : 0, count;
	char ***commands = calloc((size_t)argc, sizeof(*commands));

	if (argc < 4 || runs < 1 || !commands || (!peak && strcmp(argv[1], "time") != 0)) {
		fprintf(stderr, "usage: measure time|peak RUNS CMD... [-- CMD...]...\n");
		return 2;
	}
	count = split(argv + 3, commands);
	for (int run = 1; run <= runs; run++)
		for (int i = 0; i < count; i++)
			printf("%ld%s", run_command(commands[i], run, peak), i + 1 < count ? " " : "\n");
	free(commands);
	return 0;
}
