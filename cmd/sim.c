// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>

#include "cmd/cli/cli.h"
#include "lib/simulator/enter.h"
#include "lib/simulator/spec.h"

struct sim_args {
	enum mr_sim_profile profile;
	enum mr_sim_kernel kernel;
	struct mr_sim_faults faults;
	bool data_direct;
	bool tph;
	bool no_optional_access;
};

static int run_sim(const struct invocation *invocation, struct mr_error *err)
{
	const struct sim_args *args = invocation->args;
	int rc = mr_simulator_enter(args->profile, args->kernel, &args->faults, err);

	if (!rc && args->data_direct)
		rc = mr_simulator_set(MR_SIM_DATA_DIRECT_VARIABLE, "1", err);
	if (!rc && args->tph)
		rc = mr_simulator_set(MR_SIM_TPH_VARIABLE, "1", err);
	if (!rc && args->no_optional_access)
		rc = mr_simulator_set(MR_SIM_NO_OPTIONAL_ACCESS_VARIABLE, "1", err);
	return rc ? rc : program_exec(invocation, err);
}

static int check_sim(const struct invocation *invocation, struct mr_error *err)
{
	const struct sim_args *args = invocation->args;

	if (args->profile == MR_SIM_MLX5 || (!args->data_direct && !args->tph))
		return 0;
	return mr_fail_usage(err, "--%s requires --profile mlx5",
			     args->data_direct ? "data-direct" : "tph");
}

static const struct option_spec options[] = {
	OPTION(0, "profile", profile, struct sim_args, profile, "PROFILE",
	       "simulate this kind of device"),
	OPTION(0, "kernel", kernel, struct sim_args, kernel, "KERNEL", "answer as this kernel"),
	OPTION(0, "fault", faults, struct sim_args, faults, "SPEC",
	       "let a call fail: CALL[@N]=ACTION"),
	OPTION(0, "data-direct", flag, struct sim_args, data_direct, NULL,
	       "add a Data Direct device (mlx5)"),
	OPTION(0, "tph", flag, struct sim_args, tph, NULL,
	       "add TPH of PCIe, for DMA handles (mlx5)"),
	OPTION(0, "no-optional-access", flag, struct sim_args, no_optional_access, NULL,
	       "behave as before Linux 5.7: no optional access flags"),
	OPTION_END,
};

static const struct option_group group = { "Simulated HCA", options };

const struct command command_sim = {
	.name = "sim",
	.operands = "[-- CMD [ARG...]]",
	.summary = "run a program on a simulated HCA",
	.description =
		"Runs CMD (default: $SHELL) on a machine that has a simulated HCA. Any program "
		"that uses libibverbs can register memory there, not only mrctl; static "
		"programs and those that bypass the C library cannot.",
	.groups = (const struct option_group *const[]){ &group, NULL },
	.args_size = sizeof(struct sim_args),
	.topics = TOPIC_SIM,
	.examples =
		(const char *const[]){ "mrctl sim -- mrctl reg --size 1M",
				       "mrctl sim --fault reg_mr@2=ENOMEM -- mrctl reg --count 3",
				       NULL },
	.runs_program = true,
	.not_in_batch = true,
	.opens_no_device = true,
	.check = check_sim,
	.run = run_sim,
};
