/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a shell below session or sim is to have in its environment. */
#ifndef CMD_CLI_SHELL_H
#define CMD_CLI_SHELL_H

/** shell_find_mrctl() - put the folder of this program into PATH, where `mrctl` is another or none */
void shell_find_mrctl(void);

/**
 * shell_tell_simulated() - let the prompt of an interactive shell say that the HCA is simulated
 * @shell: its program
 */
void shell_tell_simulated(const char *shell);

#endif
