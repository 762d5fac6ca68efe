// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Of <math.h> only what libc itself has: mrctl is not linked with libm. */
#include <math.h>
#include <stdint.h>

#include "cmd/output/scale.h"

/* Beyond it, differences of values and powers of them might be infinite. */
#define VALUE_MAX 1e100

/* Values of a linear axis that differ by less, of their size, are equal: their labels would be. */
#define SAME 1e-9

static bool has_place(const struct chart_axis *axis, double value)
{
	return value <= VALUE_MAX && (axis->is_log ? value >= 1 / VALUE_MAX : value >= -VALUE_MAX);
}

bool scale_shows(const struct chart *chart, const struct chart_point *point)
{
	return has_place(&chart->x, point->x) && has_place(&chart->y, point->y);
}

/* Finds the least and the greatest value on an axis.  Return: false where there are no points. */
static bool find_range(const struct chart *chart, const struct chart_axis *axis, double *low,
		       double *high)
{
	bool found = false;

	for (size_t c = 0; c < chart->count; c++)
		for (size_t i = 0; i < chart->curves[c].count; i++) {
			const struct chart_point *point = &chart->curves[c].points[i];
			const double value = axis == &chart->x ? point->x : point->y;

			if (!scale_shows(chart, point))
				continue;
			*low = found && *low < value ? *low : value;
			*high = found && *high > value ? *high : value;
			found = true;
		}
	return found;
}

/* Exact for exponents to 22. */
static double power_of_ten(int exponent)
{
	double power = 1;

	for (int i = exponent < 0 ? -exponent : exponent; i; i--)
		power *= 10;
	return exponent < 0 ? 1 / power : power;
}

/* The greatest exponent of a power of ten that is not above a positive @value. */
static int decade_of(double value)
{
	int binary, exponent;

	frexp(value, &binary);
	exponent = (int)(binary * 0.30103) - 2;
	while (power_of_ten(exponent + 1) <= value)
		exponent++;
	return exponent;
}

/* Digits with which people count in decimal. */
static const double digits[] = { 1, 2, 5 };

/* The greatest of 1, 2 and 5 times a power of ten that is not above @value. */
static double round_down(double value)
{
	const double decade = power_of_ten(decade_of(value));

	for (size_t i = 2; i; i--)
		if (digits[i] * decade <= value)
			return digits[i] * decade;
	return decade;
}

/* The least one that is not below @value. */
static double round_up(double value)
{
	const double decade = power_of_ten(decade_of(value));

	for (size_t i = 0; i < 3; i++)
		if (digits[i] * decade >= value)
			return digits[i] * decade;
	return 10 * decade;
}

/* Exponents of the powers of two around a value. */
static int binary_floor(double value)
{
	int exponent;

	frexp(value, &exponent);
	return exponent - 1;
}

static int binary_ceiling(double value)
{
	const int exponent = binary_floor(value);

	return ldexp(1, exponent) < value ? exponent + 1 : exponent;
}

static void add_tick(struct scale *scale, double value)
{
	if (scale->count < SCALE_TICKS && value >= scale->low && value <= scale->high)
		scale->ticks[scale->count++] = value;
}

/* Begins at zero unless values are far from it. */
static void fit_linear(struct scale *scale, double low, double high, size_t ticks)
{
	const bool is_same = high - low <= (fabs(low) + fabs(high)) * SAME;
	int64_t first, last;

	if (scale->unit == CHART_FRACTION && high < 1)
		high = 1;
	if (is_same || scale->unit == CHART_FRACTION || low < high / 2) {
		low = low < 0 ? low : 0;
		high = high > 0 ? high : 0;
	}
	if (low == high)
		high = 1;
	scale->step = (high - low) / (double)ticks;
	if (scale->unit == CHART_BYTES)
		scale->step = scale->step <= 1 ? 1 : ldexp(1, binary_ceiling(scale->step));
	else
		scale->step = round_up(scale->step);
	first = (int64_t)(low / scale->step);
	first -= (double)first * scale->step > low;
	last = (int64_t)(high / scale->step);
	last += (double)last * scale->step < high - fabs(high) * SAME;
	scale->low = (double)first * scale->step;
	scale->high = (double)last * scale->step > high ? (double)last * scale->step : high;
	for (; first <= last; first++)
		add_tick(scale, (double)first * scale->step);
}

/* Powers of two, mostly of four, from which the values in between can be guessed. */
static void fit_bytes(struct scale *scale, double low, double high, size_t ticks)
{
	static const int strides[] = { 1, 2, 4, 6, 10, 20, 40, 80, 160 };
	int first = binary_floor(low), last = binary_ceiling(high), stride = 1;

	if (first == last) {
		first -= 2;
		last += 2;
	}
	scale->low = ldexp(1, first);
	scale->high = ldexp(1, last);
	for (size_t i = last - first > 3; i < sizeof(strides) / sizeof(*strides); i++) {
		stride = strides[i];
		if ((size_t)((last - first) / stride) < ticks)
			break;
	}
	while (first % stride)
		first++;
	for (; first <= last; first += stride)
		add_tick(scale, ldexp(1, first));
}

/* Decades; where there are few, 2 and 5 in them, too. */
static void fit_decimal(struct scale *scale, double low, double high, size_t ticks)
{
	int first, last, stride = 1;

	scale->low = round_down(low);
	scale->high = round_up(high);
	if (scale->low >= scale->high) {
		scale->low /= 10;
		scale->high *= 10;
	}
	first = decade_of(scale->low);
	last = decade_of(scale->high);
	if ((size_t)(last - first) * 3 < ticks) {
		for (; first <= last; first++)
			for (size_t i = 0; i < 3; i++)
				add_tick(scale, digits[i] * power_of_ten(first));
		return;
	}
	while ((size_t)((last - first) / stride) >= ticks)
		stride += stride < 3 ? 1 : 3; /* a unit has three decades */
	if (last - first < 2) {               /* perhaps without two decades that are labelled */
		scale->low = power_of_ten(first);
		scale->high = power_of_ten(last + (power_of_ten(last) < scale->high));
		last = decade_of(scale->high);
	}
	while (first % stride)
		first++;
	for (; first <= last; first += stride)
		add_tick(scale, power_of_ten(first));
}

void scale_fit(struct scale *scale, const struct chart *chart, const struct chart_axis *axis,
	       size_t ticks)
{
	double low = 0, high = 0;

	*scale = (struct scale){
		.unit = axis->unit, .is_log = axis->is_log, .low = 1, .high = 2, .step = 1
	};
	if (!find_range(chart, axis, &low, &high))
		return;
	if (!axis->is_log)
		fit_linear(scale, low, high, ticks);
	else if (axis->unit == CHART_BYTES)
		fit_bytes(scale, low, high, ticks);
	else
		fit_decimal(scale, low, high, ticks);
}

/* The logarithm of a positive number to the base of two: each square of the mantissa gives a bit. */
static double logarithm(double value)
{
	int exponent;
	double mantissa = 2 * frexp(value, &exponent), bit = 1, sum = exponent - 1;

	for (int i = 0; i < 32; i++) {
		bit /= 2;
		mantissa *= mantissa;
		if (mantissa >= 2) {
			mantissa /= 2;
			sum += bit;
		}
	}
	return sum;
}

double scale_place(const struct scale *scale, double value)
{
	double low = scale->low, high = scale->high, place;

	if (scale->is_log) {
		low = logarithm(low);
		high = logarithm(high);
		value = logarithm(value);
	}
	place = (value - low) / (high - low);
	return place < 0 ? 0 : place > 1 ? 1 : place;
}
