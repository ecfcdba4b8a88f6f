/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "harness/page/page_frame.h"
#include "harness/page/web.h"

void page_frame_title(FILE *out)
{
	/* The policy allows nothing from outside: a page is opened from files and mail, with foreign names in it. */
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'unsafe-inline'; "
	      "style-src 'unsafe-inline'; "
	      "img-src data: blob:; worker-src blob:\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" "
	      "content=\"light dark\">\n<meta name=\"generator\" "
	      "content=\"windtunnel " PACKAGE_VERSION "\">\n<title>",
	      out);
}

void page_frame_body(FILE *out, void (*style_write)(FILE *out))
{
	fputs(" - windtunnel</title>\n<style>\n", out);
	fwrite(web_page_css, 1, web_page_css_size, out);
	if (style_write)
		style_write(out);
	fputs("</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#content\">To the content</a>\n<main id=\"content\" "
	      "tabindex=\"-1\">\n",
	      out);
}

void page_frame_scripts(FILE *out)
{
	fputs("</main>\n<footer><p>Written by windtunnel " PACKAGE_VERSION
	      ". This file refers to nothing outside itself.</p></footer>\n<script>\n",
	      out);
	fwrite(web_page_js, 1, web_page_js_size, out);
	fputs("</script>\n", out);
}

void page_frame_end(FILE *out)
{
	fputs("</body>\n</html>\n", out);
}
