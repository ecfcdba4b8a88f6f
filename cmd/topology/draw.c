/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "cmd/topology/draw.h"

#define TEXT_LEAVES_MAX 200	/* in one line; wider switches go on in the next */

/* SVG, in pixels */
#define BOX 14
#define GAP 2
#define ROW_HEIGHT (BOX + 8)
#define LABEL_WIDTH 120
#define HEAD_HEIGHT 52
#define ROW_BOXES_MAX 64

static double used_part(const struct drawing *d, uint32_t level, uint32_t sw)
{
	double all = (double) wt_room_units(d->capacity, level, sw);

	return all > 0 ? 1 - (double) wt_room_units(d->room, level, sw) / all : 1;
}

static char leaf_sign(const struct drawing *d, uint32_t leaf)
{
	double used = used_part(d, 0, leaf);
	int tenths = (int) (used * 10);

	if (used <= 0)
		return '.';
	if (wt_room_units(d->room, 0, leaf) == 0)
		return '#';
	/* A leaf that is in use by less than a tenth is not free, and one with any room left is not full. */
	return (char) ('0' + (tenths < 1 ? 1 : tenths > 9 ? 9 : tenths));
}

static void leaves_print(FILE *out, const struct drawing *d, struct wt_span leaves, int indent)
{
	for (uint32_t i = 0; i < leaves.count; i++) {
		if (i % TEXT_LEAVES_MAX == 0)
			fprintf(out, "%s%*s", i ? "\n" : "", indent, "");
		fputc(leaf_sign(d, leaves.first + i), out);
	}
	fputc('\n', out);
}

static void switch_print(FILE *out, const struct drawing *d, uint32_t level, uint32_t sw)
{
	const struct wt_tree *t = wt_room_tree(d->room);
	int indent = 2 * (int) (wt_tree_levels(t) - 1 - level);
	uint32_t idle = 0;
	struct wt_span below = wt_tree_children(t, level, sw);

	if (!wt_tree_is_stand_in(t, level, sw) || level == 1) {
		for (uint32_t c = below.first; level && c < below.first + below.count; c++)
			idle += wt_room_units(d->room, level - 1, c) == wt_room_units(d->capacity, level - 1, c);
		fprintf(out, "%*s%s: %llu of %llu free", indent, "", wt_tree_switch_name(t, level, sw),
			(unsigned long long) wt_room_units(d->room, level, sw),
			(unsigned long long) wt_room_units(d->capacity, level, sw));
		if (level)
			fprintf(out, ", %u of %u children idle", idle, below.count);
		fputc('\n', out);
	}
	if (level == 1)
		leaves_print(out, d, below, indent + 2);
	for (uint32_t c = below.first; level > 1 && c < below.first + below.count; c++)
		switch_print(out, d, level - 1, c);
}

void draw_text(FILE *out, const struct drawing *d)
{
	const struct wt_tree *t = wt_room_tree(d->room);

	fprintf(out, "%s\n", d->title);
	switch_print(out, d, wt_tree_levels(t) - 1, 0);
	if (wt_tree_levels(t) > 1)
		fprintf(out, "A sign for each leaf: . free, 1 to 9 tenths in use, # full\n");
}

static void xml_text(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '&')
			fputs("&amp;", out);
		else if (*text == '<')
			fputs("&lt;", out);
		else if (*text == '>')
			fputs("&gt;", out);
		else
			fputc(*text, out);
	}
}

static void leaf_draw(FILE *out, const struct drawing *d, uint32_t leaf, double x, double y)
{
	const struct wt_tree *t = wt_room_tree(d->room);
	double used = used_part(d, 0, leaf);

	fprintf(out, "<g><title>");
	xml_text(out, wt_tree_switch_name(t, 0, leaf));
	fprintf(out, ": %llu of %llu free</title>", (unsigned long long) wt_room_units(d->room, 0, leaf),
		(unsigned long long) wt_room_units(d->capacity, 0, leaf));
	fprintf(out, "<rect class=\"free\" x=\"%g\" y=\"%g\" width=\"%d\" height=\"%d\"/>", x, y, BOX, BOX);
	if (used > 0)
		fprintf(out, "<rect class=\"%s\" x=\"%g\" y=\"%g\" width=\"%d\" height=\"%g\"/>",
			used >= 1 ? "full" : "part", x, y + BOX * (1 - used), BOX, BOX * used);
	fprintf(out, "</g>\n");
}

/* A switch of level 1 (or the only leaf) from height y down; returns the height below it. */
static double row_draw(FILE *out, const struct drawing *d, uint32_t level, uint32_t sw, double y)
{
	const struct wt_tree *t = wt_room_tree(d->room);
	struct wt_span leaves = level ? wt_tree_children(t, level, sw) : (struct wt_span) { sw, 1 };

	fprintf(out, "<text x=\"4\" y=\"%g\">", y + BOX - 3);
	xml_text(out, wt_tree_switch_name(t, level, sw));
	fprintf(out, "  %llu</text>\n", (unsigned long long) wt_room_units(d->room, level, sw));
	for (uint32_t i = 0; i < leaves.count; i++) {
		if (i && i % ROW_BOXES_MAX == 0)
			y += ROW_HEIGHT - 6;
		leaf_draw(out, d, leaves.first + i, LABEL_WIDTH + (i % ROW_BOXES_MAX) * (BOX + GAP), y);
	}
	return y + ROW_HEIGHT;
}

static double svg_height(const struct wt_tree *t, uint32_t level)
{
	double height = HEAD_HEIGHT + 8;

	for (uint32_t i = 0; i < wt_tree_switches(t, level); i++) {
		uint32_t leaves = level ? wt_tree_children(t, level, i).count : 1;

		height += ROW_HEIGHT + (leaves - 1) / ROW_BOXES_MAX * (ROW_HEIGHT - 6);
		if (level + 1 < wt_tree_levels(t) && i && wt_tree_parent(t, level, i) != wt_tree_parent(t, level, i - 1))
			height += 10;
	}
	return height;
}

void draw_svg(FILE *out, const struct drawing *d)
{
	const struct wt_tree *t = wt_room_tree(d->room);
	uint32_t level = wt_tree_levels(t) > 1 ? 1 : 0, widest = 1;
	double y = HEAD_HEIGHT;

	for (uint32_t i = 0; level && i < wt_tree_switches(t, 1); i++)
		if (wt_tree_children(t, 1, i).count > widest)
			widest = wt_tree_children(t, 1, i).count;
	widest = widest > ROW_BOXES_MAX ? ROW_BOXES_MAX : widest;
	fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%g\" font-family=\"sans-serif\" "
		"font-size=\"11\">\n", LABEL_WIDTH + (widest < 24 ? 24 : widest) * (BOX + GAP) + 8, svg_height(t, level));
	fprintf(out, "<style>.free{fill:#fff;stroke:#888}.part{fill:#e8a33d}.full{fill:#8c2f2f}</style>\n"
		"<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n<text x=\"4\" y=\"16\" font-size=\"13\">");
	xml_text(out, d->title);
	fprintf(out, "</text>\n<text x=\"4\" y=\"34\">%llu of %llu free; a box for each leaf: white free, yellow in part, "
		"red full</text>\n", (unsigned long long) wt_room_total(d->room),
		(unsigned long long) wt_room_total(d->capacity));
	for (uint32_t i = 0; i < wt_tree_switches(t, level); i++) {
		if (i && level + 1 < wt_tree_levels(t) && wt_tree_parent(t, level, i) != wt_tree_parent(t, level, i - 1))
			y += 10;
		y = row_draw(out, d, level, i, y);
	}
	fprintf(out, "</svg>\n");
}
