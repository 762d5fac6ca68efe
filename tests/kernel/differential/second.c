// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/kernel/differential/arena.h"
#include "tests/kernel/differential/calls.h"
#include "tests/kernel/differential/draw.h"
#include "tests/kernel/differential/second.h"
#include "tests/kernel/differential/state.h"

/* Messages between the processes: the number of the call, then the objects after it. */
struct message {
	unsigned long call;
	bool ends;
	struct state state;
};

static struct message message;
static int channel = -1;
static pid_t process;

bool second_is_drawn(void)
{
	return !getuid() && chance(12);
}

static void make_call(const struct game *game)
{
	const int fd = state.fd;

	state = message.state;
	state.fd = fd;
	memset(&buffers, 0, sizeof(buffers));
	draw_seed(game->seed, message.call);
	second_is_drawn();
	message.ends = chance(20);
	line_add(message.ends ? "second, its last: " : "second: ");
	draw_call();
	message.state = state;
}

static void run(const struct game *game)
{
	if (arena_make_second(game->files, game->is_simulated, game->has_dmabuf))
		_exit(1);
	while (recv(channel, &message, sizeof(message), 0) == sizeof(message)) {
		make_call(game);
		if (send(channel, &message, sizeof(message), 0) != sizeof(message))
			_exit(1);
	}
	_exit(0);
}

static int begin(const struct game *game)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return -1;
	fflush(stdout);
	process = fork();
	channel = ends[process ? 0 : 1];
	close(ends[process ? 1 : 0]);
	if (!process)
		run(game);
	return process > 0 ? 0 : -1;
}

void second_end(void)
{
	if (channel < 0)
		return;
	close(channel);
	channel = -1;
	waitpid(process, NULL, 0);
}

int second_call(const struct game *game, unsigned long i)
{
	if (channel < 0 && begin(game))
		return -1;
	message = (struct message){ .call = i, .state = state };
	if (send(channel, &message, sizeof(message), 0) != sizeof(message) ||
	    recv(channel, &message, sizeof(message), 0) != sizeof(message))
		return -1;
	state = message.state;
	if (message.ends)
		second_end();
	return 0;
}
