// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Runs two commands in turn, RUNS times each, and compares them: the least time and the peak
 * memory of either.  An argument {} becomes the number of the run, from 1.
 * Usage: measure RUNS CMD... -- CMD...
 * Prints: TIME_1 TIME_2 (microseconds) PEAK_1 PEAK_2 (KiB)
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct result {
	int64_t time_us;
	long peak_kib;
};

static int64_t now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static void run(char **command, int number, struct result *best)
{
	int64_t start = now_us(), taken;
	struct rusage usage;
	int status;
	pid_t pid = fork();

	if (!pid) {
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
	if (pid < 0 || wait4(pid, &status, 0, &usage) != pid || status) {
		fprintf(stderr, "measure: %s failed\n", command[0]);
		exit(1);
	}
	taken = now_us() - start;
	if (!best->time_us || taken < best->time_us)
		best->time_us = taken;
	if (!best->peak_kib || usage.ru_maxrss < best->peak_kib)
		best->peak_kib = usage.ru_maxrss;
}

int main(int argc, char **argv)
{
	struct result results[2] = { { 0, 0 } };
	char **second = argv + 2;

	while (argc > 3 && *second && strcmp(*second, "--") != 0)
		second++;
	if (argc < 5 || !*second || !second[1]) {
		fprintf(stderr, "usage: measure RUNS CMD... -- CMD...\n");
		return 2;
	}
	*second++ = NULL;
	for (int i = 1; i <= atoi(argv[1]); i++) {
		run(argv + 2, i, &results[0]);
		run(second, i, &results[1]);
	}
	printf("%lld %lld %ld %ld\n", (long long)results[0].time_us, (long long)results[1].time_us,
	       results[0].peak_kib, results[1].peak_kib);
	return 0;
}
