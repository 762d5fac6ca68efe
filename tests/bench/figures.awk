# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Reads a line of figures for each run: of the subject, of what it is compared with, and maybe of others.
# Prints one line, separated by tabs: WHAT UNIT GOAL SUBJECT OTHER RATIO LOW HIGH [REST], with "-" for what is not known.
# The figures are those of the run whose ratio is the median, divided by "divisor".
#
# LOW and HIGH are a 95 % interval of the median ratio, that of the sign test: of N ratios of runs, sorted, it is
# from the K-th to the K-th from the end.  The median lies outside only where fewer than K of the N fell
# on one side of it, for which the chance is 2 * P(Binomial(N, 1/2) < K), whatever the ratios' distribution.
# K is the greatest with at most 5 %.  Less than six runs have none.
{
	subject[NR] = $1
	other[NR] = $2
	rest[NR] = $3
	ratio = NF > 1 ? $1 / $2 : $1
	for (at = NR; at > 1 && ratios[at - 1] > ratio; at--) {
		ratios[at] = ratios[at - 1]
		run[at] = run[at - 1]
	}
	ratios[at] = ratio
	run[at] = NR
	compared = NF > 1
}

function rank(runs,    chance, sum, k) {
	chance = 2 * 0.5 ^ runs
	for (k = 0; sum + chance <= 0.05 && k < runs / 2; k++) {
		sum += chance
		chance *= (runs - k) / (k + 1)
	}
	return k
}

function figure(value) {
	return value == "" ? "-" : sprintf("%.1f", value / divisor)
}

END {
	if (!NR)
		exit 1
	median = run[int(NR / 2) + 1]
	k = compared ? rank(NR) : 0
	printf "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", what, unit, goal == "" ? "-" : goal,
		figure(subject[median]), figure(other[median]),
		compared ? sprintf("%.3f", ratios[int(NR / 2) + 1]) : "-",
		k ? sprintf("%.3f", ratios[k]) : "-", k ? sprintf("%.3f", ratios[NR + 1 - k]) : "-",
		figure(rest[median])
}
