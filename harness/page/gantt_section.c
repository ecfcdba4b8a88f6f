/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "harness/page/gantt_run.h"
#include "harness/page/gantt_section.h"
#include "harness/page/web.h"

int gantt_blocks_write(FILE *out, const struct page_run *run, struct wt_error *errp)
{
	struct gantt_run gantt;
	struct gantt_loss loss;
	int rc = gantt_run_make(&gantt, run, errp);

	if (rc == 0)
		rc = gantt_data_write(out, run->id, &gantt.input, &loss, errp);
	gantt_run_clear(&gantt);
	return rc;
}

bool gantt_known(const struct page_run *run)
{
	for (size_t i = 0; i < run->job_count; i++)
		if (run->jobs[i].record->node_intervals)
			return true;
	return false;
}

void gantt_section_write(FILE *out, const struct page_run *run)
{
	fprintf(out, "<div class=\"gantt\" data-run=\"%s\" data-to=\"%.3f\">", run->id, run->period_s);
	fputs("<noscript><p>The schedule is drawn by a script, which this browser does not run; jobs.csv in the run folder "
	      "has its jobs.</p></noscript></div>\n",
	      out);
}

static void web_write(FILE *out, const unsigned char *bytes, size_t size)
{
	fwrite(bytes, 1, size, out);
}

void gantt_style_write(FILE *out)
{
	web_write(out, web_gantt_css, web_gantt_css_size);
}

/* The worker is a program within the program: gantt.js makes a blob of its text. */
void gantt_script_write(FILE *out)
{
	fputs("<script type=\"text/plain\" id=\"gantt-worker\">\n'use strict';\n", out);
	web_write(out, web_gantt_decode_js, web_gantt_decode_js_size);
	web_write(out, web_gantt_draw_js, web_gantt_draw_js_size);
	web_write(out, web_gantt_places_js, web_gantt_places_js_size);
	web_write(out, web_gantt_engine_js, web_gantt_engine_js_size);
	fputs("</script>\n<script>\n'use strict';\n{\n", out);
	web_write(out, web_gantt_text_js, web_gantt_text_js_size);
	web_write(out, web_gantt_picture_js, web_gantt_picture_js_size);
	web_write(out, web_gantt_words_js, web_gantt_words_js_size);
	web_write(out, web_gantt_js, web_gantt_js_size);
	fputs("}\n</script>\n", out);
}
