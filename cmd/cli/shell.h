/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The environment of a shell that session or sim starts. */
#ifndef CMD_CLI_SHELL_H
#define CMD_CLI_SHELL_H

/** shell_find_mrctl() - have shells find this program as mrctl: adds its folder to PATH where they do not */
void shell_find_mrctl(void);

/**
 * shell_mark_simulated() - have the prompt of an interactive shell show that the HCA is simulated
 * @shell: path of the shell's program
 */
void shell_mark_simulated(const char *shell);

#endif
