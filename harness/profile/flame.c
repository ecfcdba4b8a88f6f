/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "harness/profile/flame.h"

#define WIDTH 1200.0
#define ROW 17.0
#define HEAD 40.0
#define SHARE_MIN 0.001
#define LETTER 6.6		/* width of one, at 11 pixels */
#define DEPTH_MAX 300		/* a stack has at most 257 (stacks.c) */

struct flame {
	const struct stacks *stacks;
	FILE *out;
	double height;
};

static void text_escape(FILE *out, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		switch (text[i]) {
		case '&':
			fputs("&amp;", out);
			break;
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '"':
			fputs("&quot;", out);
			break;
		default:
			/* Names are a program's: what is no ASCII is of no use here. */
			fputc((unsigned char) text[i] < ' ' || (unsigned char) text[i] > '~' ? '?' : text[i], out);
		}
}

/* Threads grey, the kernel blue, files without names pale, functions of a hue by their first letters: Slurm's begin with
 * the part that they belong to. */
static void color_print(FILE *out, const char *name, size_t len, bool thread)
{
	unsigned int hue = 0;

	if (thread) {
		fputs("#d0d0d0", out);
	} else if (len > 4 && !memcmp(name + len - 4, "_[k]", 4)) {
		fputs("#a8c4e6", out);
	} else if (*name == '[') {
		fputs("#f3e6c4", out);
	} else {
		for (size_t i = 0; i < len && i < 6; i++)
			hue = (hue * 31 + (unsigned char) name[i]) % 45;
		fprintf(out, "hsl(%u,85%%,68%%)", 5 + hue);
	}
}

static void box_print(const struct flame *f, const char *name, size_t len, double first, double samples, int depth)
{
	double all = (double) f->stacks->samples, x = first / all * WIDTH, width = samples / all * WIDTH;
	double y = f->height - (depth + 1) * ROW;
	size_t letters = width > 3 * LETTER ? (size_t) ((width - LETTER) / LETTER) : 0;

	fprintf(f->out, "<g><title>");
	text_escape(f->out, name, len);
	fprintf(f->out, ": %.1f %%</title><rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"",
		100 * samples / all, x, y, width > 0.7 ? width - 0.4 : 0.3, ROW - 1);
	color_print(f->out, name, len, depth == 0);
	fputs("\"/>", f->out);
	if (letters) {
		fprintf(f->out, "<text x=\"%.1f\" y=\"%.1f\">", x + 2, y + ROW - 5);
		text_escape(f->out, name, len <= letters ? len : letters > 2 ? letters - 2 : 0);
		fprintf(f->out, "%s</text>", len <= letters ? "" : "..");
	}
	fputs("</g>\n", f->out);
}

/* The stacks from 'from' to 'to' begin alike, up to byte 'at' of their texts; 'first' samples are to their left. */
static void boxes_print(const struct flame *f, size_t from, size_t to, size_t at, double first, int depth)
{
	const struct stack *list = f->stacks->list;

	for (size_t i = from, next; i < to && depth < DEPTH_MAX; i = next) {
		const char *name = list[i].text + at;
		size_t len = strcspn(name, ";");
		double samples = 0;

		for (next = i; next < to && strcspn(list[next].text + at, ";") == len &&
			       !memcmp(list[next].text + at, name, len); next++)
			samples += (double) list[next].samples;
		if (len && samples >= SHARE_MIN * (double) f->stacks->samples) {
			size_t inner = i;
			double left = first;

			box_print(f, name, len, first, samples, depth);
			/* Those that end here come first: nothing stands upon their part. */
			for (; inner < next && list[inner].text[at + len] == '\0'; inner++)
				left += (double) list[inner].samples;
			boxes_print(f, inner, next, at + len + 1, left, depth + 1);
		}
		first += samples;
	}
}

static int depth_of(const struct stacks *stacks)
{
	int most = 0;

	for (size_t i = 0; i < stacks->count; i++) {
		int depth = 1;

		for (const char *at = stacks->list[i].text; (at = strchr(at, ';')); at++)
			depth++;
		most = depth > most ? depth : most;
	}
	return most < DEPTH_MAX ? most : DEPTH_MAX;
}

void flame_print(const struct stacks *stacks, const char *title, FILE *out)
{
	struct flame f = { .stacks = stacks, .out = out, .height = HEAD + depth_of(stacks) * ROW + 4 };

	fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" font-family=\"monospace\" "
		     "font-size=\"11\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n"
		     "<text x=\"2\" y=\"16\" font-size=\"14\">", WIDTH, f.height);
	text_escape(out, title, strlen(title));
	fprintf(out, "</text>\n<text x=\"2\" y=\"32\">%" PRIu64 " samples; a box is as wide as its share, and stands upon "
		     "its caller</text>\n", stacks->samples);
	boxes_print(&f, 0, stacks->count, 0, 0, 0);
	fputs("</svg>\n", out);
}
