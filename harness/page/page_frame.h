/* page_frame.h - what stands around the content of each of our HTML files: its head, styles, script and foot.  In this
 * order: page_frame_title, the title's text, page_frame_body, the content, page_frame_scripts, page_frame_end. */
#ifndef WT_HARNESS_PAGE_PAGE_FRAME_H
#define WT_HARNESS_PAGE_PAGE_FRAME_H

#include <stdio.h>

void page_frame_title(FILE *out);
void page_frame_body(FILE *out, void (*style_write)(FILE *out)); /* writes further styles; NULL: none */
void page_frame_scripts(FILE *out);
void page_frame_end(FILE *out);

#endif
