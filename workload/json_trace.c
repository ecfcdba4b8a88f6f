/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "workload/batsim.h"
#include "workload/json_lines.h"
#include "workload/json_memory.h"
#include "workload/json_trace.h"
#include "workload/wfcommons.h"

enum json_form { BATSIM, WFCOMMONS, EITHER };

struct json_source {
	FILE *in;
	struct wt_json_lines lines;
};

/* For json_load_callback (). */
static size_t source_read(void *buf, size_t size, void *arg)
{
	struct json_source *source = arg;
	size_t got = fread(buf, 1, size, source->in);

	wt_json_lines_take(&source->lines, buf, got);
	return got == 0 && ferror(source->in) ? (size_t) -1 : got;
}

static int root_take(struct wt_swf_trace *trace, const json_t *root, const struct wt_json_lines *lines, const char *name,
		     const bool *leave_out, enum json_form *form, struct wt_error *errp)
{
	if (*form == EITHER)
		*form = wt_wfcommons_is(root) ? WFCOMMONS : BATSIM;
	if (*form == BATSIM)
		return wt_batsim_take(trace, root, lines, name, leave_out, errp);
	if (!wt_wfcommons_is(root))
		return wt_error_set(errp, EINVAL, "%s: it has no object 'workflow': not a workflow of WfCommons", name);
	return wt_wfcommons_take(trace, root, name, errp);
}

static int text_read(struct wt_swf_trace *trace, FILE *in, const char *name, const bool *leave_out, enum json_form *form,
		     struct wt_error *errp)
{
	struct json_source source = { .in = in };
	json_error_t error;
	json_t *root = json_load_callback(source_read, &source, JSON_REJECT_DUPLICATES, &error);
	int rc;

	if (!root && ferror(in))
		rc = wt_error_errno(errp, errno ? errno : EIO, "%s", name);
	else if (!root)
		rc = wt_error_set(errp, EINVAL, "%s:%d: %s", name, error.line, error.text);
	else
		rc = root_take(trace, root, &source.lines, name, leave_out, form, errp);
	json_decref(root);
	wt_json_lines_clear(&source.lines);
	return rc;
}

static int read_within(struct wt_swf_trace *trace, FILE *in, const char *name, const bool *leave_out, enum json_form *form,
		       size_t memory_max, struct wt_error *errp)
{
	int rc;

	memset(trace, 0, sizeof(*trace));
	wt_json_memory_begin(memory_max);
	rc = text_read(trace, in, name, leave_out, form, errp);
	/* jansson tells nothing of memory but a parse error: what the reading wanted says it better. */
	if (wt_json_memory_end() && rc < 0)
		wt_error_set(errp, EFBIG,
			     "%s: to read it takes more than %zu MiB of memory: cut it into smaller files, or make an SWF "
			     "file of it", name, memory_max >> 20);
	return rc;
}

int wt_batsim_read_within(struct wt_swf_trace *trace, FILE *in, const char *name, const bool *leave_out, size_t memory_max,
			  struct wt_error *errp)
{
	enum json_form form = BATSIM;

	return read_within(trace, in, name, leave_out, &form, memory_max, errp);
}

int wt_batsim_read(struct wt_swf_trace *trace, FILE *in, const char *name, const bool *leave_out, struct wt_error *errp)
{
	return wt_batsim_read_within(trace, in, name, leave_out, WT_JSON_MEMORY_MAX, errp);
}

int wt_wfcommons_read(struct wt_swf_trace *trace, FILE *in, const char *name, const bool *leave_out, struct wt_error *errp)
{
	enum json_form form = WFCOMMONS;

	return read_within(trace, in, name, leave_out, &form, WT_JSON_MEMORY_MAX, errp);
}

int wt_json_trace_read(struct wt_swf_trace *trace, FILE *in, const char *name, const bool *leave_out, bool *is_workflow,
		       struct wt_error *errp)
{
	enum json_form form = EITHER;
	int rc = read_within(trace, in, name, leave_out, &form, WT_JSON_MEMORY_MAX, errp);

	*is_workflow = form == WFCOMMONS;
	return rc;
}
