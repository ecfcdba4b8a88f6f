/* web.h - style and script of the page, as they stand in harness/page/web, put into the program by config/embed. */
#ifndef WT_HARNESS_PAGE_WEB_H
#define WT_HARNESS_PAGE_WEB_H

#include <stddef.h>

extern const unsigned char web_page_css[], web_page_js[];
extern const size_t web_page_css_size, web_page_js_size;

/* The schedule's: gantt_section.h. */
extern const unsigned char web_gantt_css[];
extern const size_t web_gantt_css_size;
extern const unsigned char web_gantt_js[];
extern const size_t web_gantt_js_size;
extern const unsigned char web_gantt_decode_js[];
extern const size_t web_gantt_decode_js_size;
extern const unsigned char web_gantt_draw_js[];
extern const size_t web_gantt_draw_js_size;
extern const unsigned char web_gantt_engine_js[];
extern const size_t web_gantt_engine_js_size;
extern const unsigned char web_gantt_picture_js[];
extern const size_t web_gantt_picture_js_size;
extern const unsigned char web_gantt_places_js[];
extern const size_t web_gantt_places_js_size;
extern const unsigned char web_gantt_text_js[];
extern const size_t web_gantt_text_js_size;
extern const unsigned char web_gantt_words_js[];
extern const size_t web_gantt_words_js_size;

#endif
