/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "harness/page/html.h"
#include "lib/str.h"

/* The character that begins at 'text' (RFC 3629: no overlong forms, no surrogates) and its length, or 0: no character.  The
 * text ends with a NUL, which is no continuation byte: nothing behind it is read. */
static size_t char_decode(const unsigned char *text, uint32_t *c)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t len = *text < 0x80 ? 1 : *text >= 0xf0 ? 4 : *text >= 0xe0 ? 3 : 2;

	*c = *text;
	if (len == 1)
		return 1;
	if (*text < 0xc2 || *text > 0xf4)
		return 0;
	*c = *text & (0x7fu >> len);
	for (size_t i = 1; i < len; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return 0;
		*c = *c << 6 | (text[i] & 0x3f);
	}
	return *c < least[len] || *c > 0x10ffff || (*c >= 0xd800 && *c <= 0xdfff) ? 0 : len;
}

/* Does it hide, or change how its neighbours look or are ordered?  Unicode 15: Bidi_Control, Default_Ignorable_Code_Point,
 * line ends, C0 and C1. */
static int char_deceives(uint32_t c)
{
	static const struct { uint32_t first, last; } ranges[] = {
		{ 0, 0x1f }, { 0x7f, 0x9f }, { 0xad, 0xad }, { 0x34f, 0x34f }, { 0x61c, 0x61c }, { 0x115f, 0x1160 },
			{ 0x17b4, 0x17b5 },
		{ 0x180b, 0x180f }, { 0x200b, 0x200f }, { 0x2028, 0x202e }, { 0x2060, 0x206f }, { 0x3164, 0x3164 },
		{ 0xfe00, 0xfe0f },
		{ 0xfeff, 0xfeff }, { 0xffa0, 0xffa0 }, { 0xfff0, 0xfffb }, { 0x1bca0, 0x1bca3 }, { 0x1d173, 0x1d17a },
		{ 0xe0000, 0xe0fff },
	};

	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
		if (c >= ranges[i].first && c <= ranges[i].last)
			return 1;
	return 0;
}

static void char_write(FILE *out, const unsigned char *text, size_t len, uint32_t c)
{
	switch (c) {
	case '&':
		fputs("&amp;", out);
		return;
	case '<':
		fputs("&lt;", out);
		return;
	case '>':
		fputs("&gt;", out);
		return;
	case '"':
		fputs("&quot;", out);
		return;
	case '\'':
		fputs("&#39;", out);
		return;
	default:
		fwrite(text, 1, len, out);
	}
}

static void text_write(FILE *out, const char *text, size_t max, const char *kept)
{
	const unsigned char *at = (const unsigned char *) text, *end = at + max;
	uint32_t c;
	size_t len;

	for (; *at && at < end; at += len ? len : 1) {
		len = char_decode(at, &c);
		if (!len)
			fputs("\xef\xbf\xbd", out);	/* U+FFFD */
		else if (char_deceives(c) && !(c < 0x80 && strchr(kept, (int) c)))
			/* Shown as its number, not dropped: a name that deceives is to be seen as what it is. */
			fprintf(out, c > 0xffff ? "\\U%08X" : "\\u%04X", (unsigned int) c);
		else
			char_write(out, at, len, c);
	}
	if (*at)
		fputs("\xe2\x80\xa6", out);	/* an ellipsis */
}

void html_text(FILE *out, const char *text)
{
	if (text)
		text_write(out, text, HTML_TEXT_MAX, "");
}

void html_name(FILE *out, const char *text)
{
	if (text)
		text_write(out, text, HTML_NAME_MAX, "");
}

void html_lines(FILE *out, const char *text)
{
	if (text)
		text_write(out, text, strlen(text), "\n\t");
}

/* Whole units, the larger one first; the smaller one is left out when it is 0. Rounded to the smaller unit first: 59
 * min 59.7 s is "1 h", not "0 h 60 min". */
static void pair_format(char text[HTML_DURATION_SIZE], double seconds, double unit, const char *large, double part,
			const char *small)
{
	double parts = round(fabs(seconds) / part), wholes = floor(parts * part / unit),
	       rest = parts - wholes * (unit / part);

	if (rest > 0)
		snprintf(text, HTML_DURATION_SIZE, "%s%.0f %s %.0f %s", seconds < 0 ? "-" : "", wholes, large, rest, small);
	else
		snprintf(text, HTML_DURATION_SIZE, "%s%.0f %s", seconds < 0 ? "-" : "", wholes, large);
}

void html_duration(char text[HTML_DURATION_SIZE], double seconds)
{
	double size = fabs(seconds);

	if (!isfinite(seconds))
		snprintf(text, HTML_DURATION_SIZE, "not known");
	else if (size >= 86400 - 30)
		pair_format(text, seconds, 86400, "d", 3600, "h");
	else if (size >= 3600 - 0.5)
		pair_format(text, seconds, 3600, "h", 60, "min");
	else if (size >= 59.95)
		pair_format(text, seconds, 60, "min", 1, "s");
	else if (size >= 9.995)
		snprintf(text, HTML_DURATION_SIZE, "%.1f s", seconds);
	else if (size >= 0.9995)
		snprintf(text, HTML_DURATION_SIZE, "%.2f s", seconds);
	else if (seconds == 0)
		snprintf(text, HTML_DURATION_SIZE, "0 s");
	else
		snprintf(text, HTML_DURATION_SIZE, "%.3g ms", seconds * 1000);
}

void html_axis_time(char text[HTML_DURATION_SIZE], double seconds, double step_s)
{
	unsigned long long whole;

	if (!isfinite(seconds) || seconds < 0 || seconds > 1e15) {
		snprintf(text, HTML_DURATION_SIZE, "?");
		return;
	}
	if (step_s < 1) {
		snprintf(text, HTML_DURATION_SIZE, "%.3g s", seconds);
		return;
	}
	whole = (unsigned long long) (seconds + 0.5);
	if (step_s >= 86400)
		snprintf(text, HTML_DURATION_SIZE, "%llu d", whole / 86400);
	else if (whole >= 86400)
		snprintf(text, HTML_DURATION_SIZE, "%llu d %02llu:%02llu", whole / 86400, whole / 3600 % 24,
			 whole / 60 % 60);
	else if (whole >= 3600)
		snprintf(text, HTML_DURATION_SIZE, "%llu:%02llu:%02llu", whole / 3600, whole / 60 % 60, whole % 60);
	else
		snprintf(text, HTML_DURATION_SIZE, "%llu:%02llu", whole / 60, whole % 60);
}

void html_number(char text[HTML_DURATION_SIZE], double value, int decimals)
{
	char plain[HTML_DURATION_SIZE];
	size_t len, digits, out = 0;

	if (!isfinite(value) || fabs(value) >= 1e18) {
		snprintf(text, HTML_DURATION_SIZE, isfinite(value) ? "%.3g" : "not known", value);
		return;
	}
	snprintf(plain, sizeof(plain), "%.*f", decimals, value);
	len = strlen(plain);
	digits = strcspn(plain, ".");
	for (size_t i = 0; i < len && out < HTML_DURATION_SIZE - 1; i++) {
		if (i && i < digits && (digits - i) % 3 == 0 && plain[i - 1] != '-' && out < HTML_DURATION_SIZE - 2)
			text[out++] = ',';
		text[out++] = plain[i];
	}
	text[out] = '\0';
}

static int digits_decimals(double size)
{
	if (size == floor(size) || size >= 999.5)
		return 0;
	if (size >= 99.95)
		return 1;
	return size >= 0.9995 ? 2 : (int) fmin(9, 2 - floor(log10(size)));
}

void html_digits(char text[HTML_DURATION_SIZE], double value)
{
	if (fabs(value) > 0 && fabs(value) < 1e-6)
		snprintf(text, HTML_DURATION_SIZE, "%.3g", value);
	else
		html_number(text, value, isfinite(value) ? digits_decimals(fabs(value)) : 0);
}
