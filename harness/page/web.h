/* web.h - style and script of the page, as they stand in harness/page/web, put into the program by config/embed. */
#ifndef WT_HARNESS_PAGE_WEB_H
#define WT_HARNESS_PAGE_WEB_H

#include <stddef.h>

extern const unsigned char web_page_css[], web_page_js[];
extern const size_t web_page_css_size, web_page_js_size;

#endif
