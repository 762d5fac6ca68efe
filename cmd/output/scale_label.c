// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Labels of ticks: numbers in the unit that suits them.  What they are made of is integers, so no locale counts. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "cmd/output/scale.h"

/* What a value may be below the next unit and yet be printed in it. */
#define ALMOST (1 - 1e-9)

/* How numbers of a unit are named. */
struct names {
	double first, next; /* the factor of the first name; between names */
	const char *names[8];
};

static const struct names units[] = {
	[CHART_BYTES] = { 1, 1024, { "", "K", "M", "G", "T", "P", "E" } },
	[CHART_NS] = { 1, 1000, { " ns", " us", " ms", " s" } },
	[CHART_FRACTION] = { 0.01, 1000, { " %" } },
	[CHART_COUNT] = { 1, 1000, { "", "k", "M", "G", "T", "P", "E" } },
};

/* Splits a positive number that is too long for digits into one from 1 to 10 and an exponent of ten. */
static int split(double *amount)
{
	int exponent = 0;

	if (*amount >= 1e-4 && *amount < 1e6)
		return 0;
	for (; *amount >= 10 * ALMOST; *amount /= 10)
		exponent++;
	for (; *amount < ALMOST; *amount *= 10)
		exponent--;
	return exponent;
}

/* The value times a power of ten, as an integer.  Sets @decimals so that it is @precision away at most. */
static int64_t round_to(double value, double precision, int *decimals, int64_t *power)
{
	int64_t rounded;

	for (*decimals = 0, *power = 1;; ++*decimals, *power *= 10) {
		rounded = (int64_t)(value * (double)*power + 0.5);
		if (*decimals == 9 ||
		    fabs(value * (double)*power - (double)rounded) <= precision * (double)*power)
			return rounded;
	}
}

const char *scale_label(const struct scale *scale, double value, char text[SCALE_LABEL_MAX])
{
	const char *const *name = units[scale->unit].names;
	const double next = units[scale->unit].next;
	double amount = fabs(value) / units[scale->unit].first, step;
	char decimals[24] = "", exponent[16] = "";
	int64_t rounded, power;
	int digits, e;

	for (; name[1] && amount >= next * ALMOST; name++)
		amount /= next;
	if (!(amount > 0)) {
		snprintf(text, SCALE_LABEL_MAX, "0%s", scale->unit == CHART_FRACTION ? *name : "");
		return text;
	}
	step = scale->is_log ? amount : amount * fabs(scale->step / value);
	e = split(&amount);
	if (e) {
		snprintf(exponent, sizeof(exponent), "e%d", e);
		step = 1; /* as many digits as are shorter than the number */
	}
	rounded = round_to(amount, step / 1000, &digits, &power);
	if (digits)
		snprintf(decimals, sizeof(decimals), ".%0*lld", digits,
			 (long long)(rounded % power));
	snprintf(text, SCALE_LABEL_MAX, "%s%lld%s%s%s", value < 0 ? "-" : "",
		 (long long)(rounded / power), decimals, exponent, *name);
	return text;
}

static size_t longest_label(const struct scale *scale)
{
	char text[SCALE_LABEL_MAX];
	size_t longest = 0;

	for (size_t i = 0; i < scale->count; i++) {
		const size_t length = strlen(scale_label(scale, scale->ticks[i], text));

		longest = length > longest ? length : longest;
	}
	return longest;
}

void scale_fit_labels(struct scale *scale, const struct chart *chart, const struct chart_axis *axis,
		      size_t ticks, size_t room)
{
	do
		scale_fit(scale, chart, axis, ticks);
	while (scale->count * (longest_label(scale) + 1) > room && --ticks >= 2);
}
