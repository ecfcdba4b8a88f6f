/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "lib/fs.h"
#include "harness/cluster/folder/logtail.h"
#include "lib/str.h"

#define TAIL_BYTES 65536
#define LINES_MAX 8

struct span {
	const char *text;
	size_t len;
};

static bool span_has(struct span s, const char *word)
{
	return memmem(s.text, s.len, word, strlen(word)) != NULL;
}

static bool span_complains(struct span s)
{
	static const char *const words[] = { "error:", "fatal:", "Error:", "Alert:", "Critical:", "Emergency:", "ERROR:" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (span_has(s, words[i]))
			return true;
	return false;
}

/* Without "[2024-01-01T00:00:00.000] " or "slurmctld: " before it. */
static struct span span_strip(struct span s)
{
	static const char *const prefixes[] = { "slurmctld: ", "munged: ", "wt-vnoded: " };

	if (s.len && s.text[0] == '[') {
		const char *end = memchr(s.text, ']', s.len);

		if (end && (size_t) (end + 2 - s.text) <= s.len) {
			s.len -= (size_t) (end + 2 - s.text);
			s.text = end + 2;
		}
	}
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		size_t len = strlen(prefixes[i]);

		if (s.len > len && !strncmp(s.text, prefixes[i], len)) {
			s.text += len;
			s.len -= len;
		}
	}
	return s;
}

static bool span_equal(struct span a, struct span b)
{
	return a.len == b.len && !memcmp(a.text, b.text, a.len);
}

/* Which of those kept has to go: the oldest, but not the reason of the end, after which other threads may have
 * complained. */
static unsigned int drop_choose(const struct span *kept, unsigned int count, struct span line)
{
	unsigned int i = 0;

	while (!span_has(line, "fatal:") && i < count && span_has(kept[i], "fatal:"))
		i++;
	return i;
}

char *wt_logtail_complaints(const char *text, unsigned int max)
{
	struct span kept[LINES_MAX], last = { 0 };
	unsigned int count = 0;
	struct wt_str out = { 0 };

	if (max > LINES_MAX)
		max = LINES_MAX;
	while (*text) {
		struct span line = { .text = text, .len = strcspn(text, "\n") };

		text += line.len + (text[line.len] == '\n');
		line = span_strip(line);
		if (line.len)
			last = line;
		/* A daemon that tries again and again complains in the same words: they are told once. */
		if (!span_complains(line) || (count && span_equal(kept[count - 1], line)))
			continue;
		if (count == max) {
			unsigned int i = drop_choose(kept, count, line);

			if (i == count)
				continue;
			memmove(kept + i, kept + i + 1, (--count - i) * sizeof(kept[0]));
		}
		kept[count++] = line;
	}
	if (!count && last.len)
		kept[count++] = last;
	for (unsigned int i = 0; i < count; i++) {
		wt_str_add(&out, i ? "; " : "");
		wt_str_add_bytes(&out, kept[i].text, kept[i].len);
	}
	return count ? wt_str_take(&out) : NULL;
}

static char *tail_read(const char *path)
{
	char *text;

	return wt_fs_read_tail(path, TAIL_BYTES, &text, NULL, NULL) < 0 ? NULL : text;
}

char *wt_logtail_file(const char *path, unsigned int max)
{
	char *text = tail_read(path), *result = text ? wt_logtail_complaints(text, max) : NULL;

	free(text);
	return result;
}

bool wt_logtail_address_in_use(const char *path)
{
	char *text = tail_read(path);
	bool found = text && strstr(text, "Address already in use");

	free(text);
	return found;
}
