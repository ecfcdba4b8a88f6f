/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/vnode/model/delay.h"

#define DELAY_MAX_S 86400.0
#define SD_MIN 0.01	/* of the mean */
#define SD_MAX 3.0

int wt_delay_number(const char *text, const char *end, double max, double *number)
{
	char *stop;

	if (text == end || strspn(text, "0123456789.") < (size_t) (end - text))
		return -1;
	*number = strtod(text, &stop);
	return stop == end && *number >= 0 && *number <= max ? 0 : -1;
}

/* MEAN,SD */
static int spread_read(const char *value, enum wt_delay_kind kind, struct wt_delay *delay)
{
	const char *end = value + strlen(value), *comma = strchr(value, ',');

	delay->kind = (uint8_t) kind;
	if (!comma || wt_delay_number(value, comma, DELAY_MAX_S, &delay->high_s) < 0 ||
	    wt_delay_number(comma + 1, end, SD_MAX * DELAY_MAX_S, &delay->low_s) < 0)
		return -1;
	if (delay->high_s == 0)
		return delay->low_s == 0 ? 0 : -1;
	return delay->low_s < SD_MIN * delay->high_s || delay->low_s > SD_MAX * delay->high_s ? -1 : 0;
}

static int plain_read(const char *value, struct wt_delay *delay)
{
	const char *end = value + strlen(value), *dash = strchr(value, '-');

	delay->kind = WT_DELAY_UNIFORM;
	if (dash)
		return wt_delay_number(value, dash, DELAY_MAX_S, &delay->low_s) < 0 ||
		       wt_delay_number(dash + 1, end, DELAY_MAX_S, &delay->high_s) < 0 ||
		       delay->low_s > delay->high_s ? -1 : 0;
	if (wt_delay_number(value, end, DELAY_MAX_S, &delay->high_s) < 0)
		return -1;
	delay->low_s = delay->high_s;
	return 0;
}

static int exponential_read(const char *value, struct wt_delay *delay)
{
	delay->kind = WT_DELAY_EXPONENTIAL;
	return wt_delay_number(value, value + strlen(value), DELAY_MAX_S, &delay->high_s);
}

int wt_delay_read(const char *value, const char *key, struct wt_delay *delay, struct wt_error *errp)
{
	struct wt_delay read = { 0 };
	int rc;

	if (!strncmp(value, "exp:", 4))
		rc = exponential_read(value + 4, &read);
	else if (!strncmp(value, "gamma:", 6))
		rc = spread_read(value + 6, WT_DELAY_GAMMA, &read);
	else if (!strncmp(value, "normal:", 7))
		rc = spread_read(value + 7, WT_DELAY_NORMAL, &read);
	else if (!strncmp(value, "lognormal:", 10))
		rc = spread_read(value + 10, WT_DELAY_LOGNORMAL, &read);
	else
		rc = plain_read(value, &read);
	if (rc < 0)
		return wt_error_set(errp, EINVAL,
				    "%s=%s: seconds, LOW-HIGH, exp:MEAN or (gamma, normal, lognormal):MEAN,SD are needed, "
				    "at most %.0f, and SD from %g to %g times MEAN",
				    key, value, DELAY_MAX_S, SD_MIN, SD_MAX);
	if (read.high_s == 0)
		read.kind = WT_DELAY_NONE;
	*delay = read;
	return 0;
}

static uint64_t mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15u;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

uint64_t wt_delay_bits(uint64_t seed, uint64_t what, uint64_t a, uint64_t b)
{
	return mix(mix(mix((seed ? seed : 1) ^ mix(what)) ^ a) ^ b);
}

double wt_delay_draw(uint64_t seed, uint64_t what, uint64_t a, uint64_t b)
{
	/* The upper 53 bits, as many as a double has: the number stays below 1, as log1p (-draw) needs. */
	return (double) (wt_delay_bits(seed, what, a, b) >> 11) * 0x1p-53;
}

/* By rejection, with a generator that begins at the draw: the inverse of the distribution does not converge everywhere. */
static double gamma_draw(double mean, double sd, double draw)
{
	gsl_rng *generator = gsl_rng_alloc(gsl_rng_taus2);
	double s;

	/* taus2 is seeded with 32 bits; mixed, because draws that lie close to each other must not begin alike. */
	gsl_rng_set(generator, mix((uint64_t) (draw * 0x1p53)) >> 32);
	s = gsl_ran_gamma(generator, mean * mean / (sd * sd), sd * sd / mean);
	gsl_rng_free(generator);
	return s;
}

/* The inverse is infinite at 0 only. */
static double deviate(double draw)
{
	return gsl_cdf_ugaussian_Pinv(draw > 0x1p-54 ? draw : 0x1p-54);
}

static double lognormal_draw(double mean, double sd, double draw)
{
	/* Of the logarithm, so that mean and deviation are those of the time itself, as options give them. */
	double variance = log1p(sd * sd / (mean * mean));

	return exp(log(mean) - variance / 2 + sqrt(variance) * deviate(draw));
}

int64_t wt_delay_us(const struct wt_delay *delay, double draw)
{
	double s = 0;

	if (delay->kind == WT_DELAY_UNIFORM)
		s = delay->low_s + draw * (delay->high_s - delay->low_s);
	else if (delay->kind == WT_DELAY_EXPONENTIAL)
		/* By the inverse: log1p () keeps the digits of a draw near 0. */
		s = -log1p(-draw) * delay->high_s;
	else if (delay->kind == WT_DELAY_GAMMA)
		s = gamma_draw(delay->high_s, delay->low_s, draw);
	else if (delay->kind == WT_DELAY_NORMAL)
		s = fmax(delay->high_s + delay->low_s * deviate(draw), 0);
	else if (delay->kind == WT_DELAY_LOGNORMAL)
		s = lognormal_draw(delay->high_s, delay->low_s, draw);
	/* All but the uniform one have tails that reach beyond what an option may ask for. */
	return llround((s < DELAY_MAX_S ? s : DELAY_MAX_S) * 1e6);
}
