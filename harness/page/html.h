/* html.h - HTML from texts that are not to be trusted.
 *
 * Everything that comes from a file goes through html_text (or html_name): markup becomes text; control characters, bytes
 * that are not UTF-8, and characters that change the order or the look of their neighbours (right-to-left marks, zero-width
 * ones) are shown as \u202E; a text of more than HTML_TEXT_MAX bytes is cut, with an ellipsis.  What is safe in an element
 * is safe in a quoted attribute.  Errors stick to the stream.  One thread at a time. */
#ifndef WT_HARNESS_PAGE_HTML_H
#define WT_HARNESS_PAGE_HTML_H

#include <stddef.h>
#include <stdio.h>

#define HTML_TEXT_MAX 4096	/* bytes; of a long text, as a command line is */
#define HTML_NAME_MAX 120	/* bytes; of a name in a sentence or a table */
#define HTML_DURATION_SIZE 48

void html_text(FILE *out, const char *text);	/* NULL: nothing */
void html_name(FILE *out, const char *text);	/* the same, cut at HTML_NAME_MAX */

/* The same with everything escaped: for <pre> and JavaScript in <script type="application/json">, where lines and tabs
 * stay. */
void html_lines(FILE *out, const char *text);

/* "17 min 47 s", "4.2 s", "2 d 3 h", "250 ms"; "not known" for NAN.  Three significant figures of the two largest units. */
void html_duration(char text[HTML_DURATION_SIZE], double seconds);
/* On an axis: "4:30", "1:05:00", "2d 3h"; ".5" of a second where 'step_s' is below one. */
void html_axis_time(char text[HTML_DURATION_SIZE], double seconds, double step_s);
/* "1,234,567" or, with decimals, "1,234.50". */
void html_number(char text[HTML_DURATION_SIZE], double value, int decimals);
/* So many decimals that at least three digits count, and none where thousands are counted: "1,258", "935.2", "4.45",
 * "0.0123".  Whole numbers have none. */
void html_digits(char text[HTML_DURATION_SIZE], double value);

#endif
