/* json_lines.h - in which line of a JSON text each element of the array 'jobs' of its object begins: jansson does not tell.
 *
 * The text goes by in pieces.  What is no JSON has no lines that mean anything: its parser refuses it.  Pure. */
#ifndef WT_WORKLOAD_JSON_LINES_H
#define WT_WORKLOAD_JSON_LINES_H

#include <stdbool.h>
#include <stddef.h>

struct wt_json_lines {		/* zeroed: empty and valid */
	size_t *lines;		/* [count], from 1 */
	size_t count;
	/* private */
	size_t capacity, newlines, depth, key_len;
	char key[8];		/* the last string of the object, as much as fits */
	bool in_string, escaped, in_jobs, element, failed;
};

void wt_json_lines_take(struct wt_json_lines *l, const char *text, size_t len);
size_t wt_json_lines_of(const struct wt_json_lines *l, size_t element);	/* from 0; 0: not known */
void wt_json_lines_clear(struct wt_json_lines *l);

#endif
