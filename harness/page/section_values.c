/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <math.h>

#include "harness/page/html.h"
#include "harness/page/section.h"

void heading_write(const struct section *section, int below, const char *id, const char *text)
{
	int level = section->level + below;

	fprintf(section->out, "<h%d id=\"%s-%s\">%s</h%d>\n", level, section->run->id, id, text, level);
}

static void data_open(FILE *out, const char *key, double value)
{
	fprintf(out, "<data value=\"%.17g\"", value);
	if (key)
		fprintf(out, " data-key=\"%s\"", key);
	fputc('>', out);
}

void duration_write(FILE *out, const char *key, double seconds)
{
	char text[HTML_DURATION_SIZE];

	html_duration(text, seconds);
	if (!isfinite(seconds)) {
		fputs(text, out);
		return;
	}
	data_open(out, key, seconds);
	fprintf(out, "%s</data>", text);
}

void number_write(FILE *out, const char *key, double value, double scale, int decimals, const char *unit)
{
	char text[HTML_DURATION_SIZE];

	if (!isfinite(value)) {
		fputs("not known", out);
		return;
	}
	html_number(text, value * scale, decimals);
	data_open(out, key, value);
	fprintf(out, "%s%s</data>", text, unit);
}

void digits_write(FILE *out, const char *key, double value, double scale, const char *unit)
{
	char text[HTML_DURATION_SIZE];

	if (!isfinite(value)) {
		fputs("not known", out);
		return;
	}
	html_digits(text, value * scale);
	data_open(out, key, value);
	fprintf(out, "%s%s</data>", text, unit);
}

double figure_value(const struct section *section, enum wt_figure_id figure)
{
	return section->run->metrics.figures[figure].value;
}

void kind_write(const struct section *section, enum wt_figure_id figure)
{
	const char *kind = wt_kind_name(section->run->metrics.figures[figure].kind);

	if (isfinite(figure_value(section, figure)))
		fprintf(section->out, " <span class=\"kind %s\">%s</span>", kind, kind);
}
