/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The environment of a shell that session or sim starts. */
#ifndef CMD_CLI_SHELL_H
#define CMD_CLI_SHELL_H

/** shell_find_mrctl() - add the folder of this program to PATH if `mrctl` would be another one, or none */
void shell_find_mrctl(void);

/**
 * shell_tell_simulated() - have the prompt of an interactive shell say that the HCA is simulated
 * @shell: its program
 */
void shell_tell_simulated(const char *shell);

#endif
