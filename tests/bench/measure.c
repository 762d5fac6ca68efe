// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Runs two commands in turn, RUNS times each.  Two runs that follow each other are a pair: the speed
 * of the machine varies, but little between the two.  Prints the times of the pair whose ratio is the
 * median, and the least peak memory of each command.  An argument {} becomes the number of the run,
 * from 1.
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

/* A run of each command */
struct pair {
	int64_t time_us[2];
	double ratio;
};

static int64_t now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/* Runs a command once.  Returns its time in microseconds, and lowers @peak_kib to its peak memory. */
static int64_t run_command(char **command, int number, long *peak_kib)
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
	if (!*peak_kib || usage.ru_maxrss < *peak_kib)
		*peak_kib = usage.ru_maxrss;
	return taken;
}

static int compare_ratios(const void *a, const void *b)
{
	double left = ((const struct pair *)a)->ratio, right = ((const struct pair *)b)->ratio;

	return (left > right) - (left < right);
}

int main(int argc, char **argv)
{
	int runs = argc > 1 ? atoi(argv[1]) : 0;
	struct pair *pairs = runs > 0 ? calloc((size_t)runs, sizeof(*pairs)) : NULL, *median;
	char **second = argv + 2;
	long peaks_kib[2] = { 0 };

	while (argc > 3 && *second && strcmp(*second, "--") != 0)
		second++;
	if (argc < 5 || !pairs || !*second || !second[1]) {
		fprintf(stderr, "usage: measure RUNS CMD... -- CMD...\n");
		return 2;
	}
	*second++ = NULL;
	for (int i = 0; i < runs; i++) {
		struct pair *pair = &pairs[i];

		pair->time_us[0] = run_command(argv + 2, i + 1, &peaks_kib[0]);
		pair->time_us[1] = run_command(second, i + 1, &peaks_kib[1]);
		pair->ratio = (double)pair->time_us[0] / (double)pair->time_us[1];
	}
	qsort(pairs, (size_t)runs, sizeof(*pairs), compare_ratios);
	median = &pairs[runs / 2];
	printf("%lld %lld %ld %ld\n", (long long)median->time_us[0], (long long)median->time_us[1],
	       peaks_kib[0], peaks_kib[1]);
	free(pairs);
	return 0;
}
