/* live_web.h - the live page as it stands in harness/live/web, with the report's style, put in by config/embed. */
#ifndef WT_HARNESS_LIVE_LIVE_WEB_H
#define WT_HARNESS_LIVE_LIVE_WEB_H

#include <stddef.h>

extern const unsigned char web_page_css[], web_live_css[], web_live_js[], web_live_html[];
extern const size_t web_page_css_size, web_live_css_size, web_live_js_size, web_live_html_size;

#endif
