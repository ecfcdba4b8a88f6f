/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "harness/profile/stacks.h"
#include "lib/str.h"

#define FRAMES_MAX 256		/* perf itself stops at 127 (kernel.perf_event_max_stack) */
#define NAME_MAX_BYTES 200	/* names of C++ have no end */

struct stack_frame {
	const char *name;
	size_t len;
	bool file, kernel;
};

struct sample {
	const char *thread;
	size_t thread_len;
	struct stack_frame frames[FRAMES_MAX];
	size_t count;
};

/* ';' separates functions: as the first of all letters it keeps together what begins alike. */
static int text_compare(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return (*a == ';' ? 1 : (unsigned char) *a * 2) - (*b == ';' ? 1 : (unsigned char) *b * 2);
}

static int stack_compare(const void *a, const void *b)
{
	return text_compare(((const struct stack *) a)->text, ((const struct stack *) b)->text);
}

static void name_add(struct wt_str *text, const char *name, size_t len)
{
	size_t at = text->len;

	wt_str_add_bytes(text, name, len < NAME_MAX_BYTES ? len : NAME_MAX_BYTES);
	for (; !text->failed && at < text->len; at++)
		if (text->text[at] == ';' || (unsigned char) text->text[at] < ' ')
			text->text[at] = ':';
}

static void frame_add(struct wt_str *text, const struct stack_frame *frame)
{
	wt_str_add(text, frame->file ? ";[" : ";");
	name_add(text, frame->name, frame->len);
	wt_str_add(text, frame->file ? "]" : frame->kernel ? "_[k]" : "");
}

static int room_make(struct stacks *stacks, size_t *size)
{
	size_t larger = *size ? 2 * *size : 256;
	struct stack *list;

	if (stacks->count < *size)
		return 0;
	list = realloc(stacks->list, larger * sizeof(*list));
	if (!list)
		return -1;
	stacks->list = list;
	*size = larger;
	return 0;
}

static int sample_end(struct stacks *stacks, size_t *size, struct sample *sample)
{
	struct wt_str text = { 0 };

	if (!sample->thread)
		return 0;
	if (room_make(stacks, size) < 0)
		return -1;
	name_add(&text, sample->thread, sample->thread_len);
	for (size_t i = sample->count; i > 0; i--)
		frame_add(&text, &sample->frames[i - 1]);
	sample->thread = NULL;
	sample->count = 0;
	stacks->list[stacks->count] = (struct stack) { wt_str_take(&text), 1 };
	if (!stacks->list[stacks->count].text)
		return -1;
	stacks->count++;
	stacks->samples++;
	return 0;
}

/* "rpcmgr 10568 ": the thread's name may have blanks itself. */
static void thread_take(struct sample *sample, const char *line, size_t len)
{
	while (len > 0 && line[len - 1] == ' ')
		len--;
	while (len > 0 && line[len - 1] >= '0' && line[len - 1] <= '9')
		len--;
	while (len > 0 && line[len - 1] == ' ')
		len--;
	if (len > 0) {
		sample->thread = line;
		sample->thread_len = len;
	}
}

/* The file of an address, in parentheses at the end of the line; its folder says nothing. */
static void file_take(struct stack_frame *frame, const char *open, const char *end)
{
	const char *name = open + 1, *slash = name;

	if (end > name && end[-1] == ')')
		end--;
	for (const char *at = name; at < end; at++)
		slash = *at == '/' ? at + 1 : slash;
	if (end - slash > 2 && slash[0] == '[' && end[-1] == ']') {
		slash++;
		end--;
	}
	*frame = (struct stack_frame) { .name = slash, .len = (size_t) (end - slash), .file = true };
}

/* "   1098d9 clone3 (/usr/lib/libc.so.6)" */
static void frame_take(struct sample *sample, const char *line, size_t len)
{
	const char *end = line + len, *open = NULL, *name = line;
	struct stack_frame frame;

	while (name < end && (*name == ' ' || *name == '\t'))
		name++;
	while (name < end && *name != ' ')
		name++;
	while (name < end && *name == ' ')
		name++;
	for (const char *at = name; at + 1 < end; at++)
		if (at[0] == ' ' && at[1] == '(')
			open = at + 1;
	if (!sample->thread || !open || open - 1 <= name || sample->count == FRAMES_MAX)
		return;
	frame = (struct stack_frame) { .name = name, .len = (size_t) (open - 1 - name) };
	frame.kernel = end - open >= 8 && !memcmp(open, "([kernel", 8);
	if (frame.len == 9 && !memcmp(name, "[unknown]", 9))
		file_take(&frame, open, end);
	sample->frames[sample->count++] = frame;
}

static void stacks_merge(struct stacks *stacks)
{
	size_t kept = 0;

	if (stacks->count)
		qsort(stacks->list, stacks->count, sizeof(*stacks->list), stack_compare);
	for (size_t i = 0; i < stacks->count; i++)
		if (kept && !strcmp(stacks->list[kept - 1].text, stacks->list[i].text)) {
			stacks->list[kept - 1].samples += stacks->list[i].samples;
			free(stacks->list[i].text);
		} else {
			stacks->list[kept++] = stacks->list[i];
		}
	stacks->count = kept;
}

int stacks_parse(const char *text, size_t len, struct stacks *stacks, struct wt_error *errp)
{
	struct sample *sample = calloc(1, sizeof(*sample));
	const char *end = text + len, *next;
	size_t size = 0;
	int rc = sample ? 0 : -1;

	memset(stacks, 0, sizeof(*stacks));
	for (const char *line = text; rc == 0 && line < end; line = next) {
		const char *newline = memchr(line, '\n', (size_t) (end - line));
		size_t line_len = (size_t) ((newline ? newline : end) - line);

		next = newline ? newline + 1 : end;
		if (line_len == 0) {
			rc = sample_end(stacks, &size, sample);
		} else if (*line == ' ' || *line == '\t') {
			frame_take(sample, line, line_len);
		} else {
			rc = sample_end(stacks, &size, sample);
			thread_take(sample, line, line_len);
		}
	}
	if (rc == 0)
		rc = sample_end(stacks, &size, sample);
	free(sample);
	if (rc == 0) {
		stacks_merge(stacks);
		return 0;
	}
	stacks_clear(stacks);
	return wt_error_errno(errp, ENOMEM, "stacks");
}

void stacks_clear(struct stacks *stacks)
{
	for (size_t i = 0; i < stacks->count; i++)
		free(stacks->list[i].text);
	free(stacks->list);
	memset(stacks, 0, sizeof(*stacks));
}

void stacks_print(const struct stacks *stacks, FILE *out)
{
	for (size_t i = 0; i < stacks->count; i++)
		fprintf(out, "%s %" PRIu64 "\n", stacks->list[i].text, stacks->list[i].samples);
}

/* "THREAD;OUTERMOST;INNERMOST SAMPLES": the length of the stack; 0: it is no such line. */
static size_t line_look(const char *line, size_t len, uint64_t *samples)
{
	size_t end = len, names = 1;

	*samples = 0;
	while (end > 0 && line[end - 1] >= '0' && line[end - 1] <= '9')
		end--;
	if (end < 2 || end == len || len - end > 10 || line[end - 1] != ' ')
		return 0;
	for (size_t i = end; i < len; i++)
		*samples = *samples * 10 + (uint64_t) (line[i] - '0');
	end--;
	for (size_t i = 0; i < end; i++) {
		bool no_name = line[i] == ';' && (i == 0 || i + 1 == end || line[i - 1] == ';');

		names += line[i] == ';';
		if (no_name || (unsigned char) line[i] < ' ')
			return 0;
	}
	return *samples && *samples <= STACK_SAMPLES_MAX && names <= FRAMES_MAX + 1 ? end : 0;
}

int stacks_read(const char *text, size_t len, struct stacks *stacks, struct wt_error *errp)
{
	const char *end = text + len, *next;
	size_t size = 0;

	memset(stacks, 0, sizeof(*stacks));
	for (const char *line = text; line < end; line = next) {
		const char *newline = memchr(line, '\n', (size_t) (end - line));
		uint64_t samples;
		size_t name_len = line_look(line, (size_t) ((newline ? newline : end) - line), &samples);

		next = newline ? newline + 1 : end;
		if (!name_len)
			continue;
		if (room_make(stacks, &size) < 0)
			goto fail;
		stacks->list[stacks->count] = (struct stack) { strndup(line, name_len), samples };
		if (!stacks->list[stacks->count].text)
			goto fail;
		stacks->count++;
		stacks->samples += samples;
	}
	stacks_merge(stacks);
	return 0;
fail:
	stacks_clear(stacks);
	return wt_error_errno(errp, ENOMEM, "stacks");
}
