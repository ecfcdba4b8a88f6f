/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <expat.h>

#include "workload/dax.h"
#include "workload/task_graph.h"

#define CHUNK 65536
#define BLANKS " \t\r\n"
#define DEPTH_MAX 64
#define TOKEN_MAX (1 << 20)	/* bytes of one element's begin: expat keeps it until it is whole */
#define PROFILE_MAX 64	/* bytes of a number */

/* expat 2.9 calls the old names obsolete: they count no further than a long. */
#if XML_MAJOR_VERSION > 2 || XML_MINOR_VERSION >= 9
#define CURRENT_LINE XML_GetCurrentLineNumber64
#define CURRENT_BYTE XML_GetCurrentByteIndex64
#else
#define CURRENT_LINE XML_GetCurrentLineNumber
#define CURRENT_BYTE XML_GetCurrentByteIndex
#endif

/* Which profile's text is being read. */
enum profile { PROFILE_OTHER, PROFILE_RUNTIME, PROFILE_CORES };

struct dax_reader {
	XML_Parser parser;
	struct wt_task_graph *graph;
	const char *name;
	struct wt_error error;
	int errnum;		/* 0: none until now */
	unsigned int depth;

	ssize_t job;		/* that is open; -1: none */
	char *class_name;
	double run_s, data_bytes, cores;
	size_t job_line;

	ssize_t child;		/* that is open; -1: none */
	enum profile profile;
	char text[PROFILE_MAX];
	size_t text_len;
};

static size_t line_now(const struct dax_reader *r)
{
	return (size_t) CURRENT_LINE(r->parser);
}

/* The first error stays; expat calls nothing more. */
static void stop(struct dax_reader *r, int errnum, const char *text)
{
	if (r->errnum)
		return;
	wt_error_set(&r->error, errnum, "%s:%zu: %s", r->name, line_now(r), text);
	r->errnum = errnum;
	XML_StopParser(r->parser, XML_FALSE);
}

static void stop_by(struct dax_reader *r, const struct wt_error *why)
{
	stop(r, errno, why->text);
}

static const char *attribute(const char **attributes, const char *key)
{
	for (size_t i = 0; attributes[i]; i += 2)
		if (!strcmp(attributes[i], key))
			return attributes[i + 1];
	return NULL;
}

/* Without a prefix: Pegasus' own files have none, others may. */
static const char *local_name(const char *name)
{
	const char *colon = strrchr(name, ':');

	return colon ? colon + 1 : name;
}

static bool number_parse(const char *text, double *value)
{
	char *end;

	if (text[strspn(text, "0123456789.+-eE" BLANKS)])
		return false;	/* strtod () takes hexadecimal numbers and infinities, too */
	*value = strtod(text, &end);
	return end != text && !end[strspn(end, BLANKS)] && isfinite(*value);
}

static void job_begin(struct dax_reader *r, const char **attributes)
{
	const char *id = attribute(attributes, "id"), *name = attribute(attributes, "name");
	const char *run_time = attribute(attributes, "runtime");
	struct wt_error error;

	if (r->job >= 0 || r->child >= 0) {
		stop(r, EINVAL, "<job> within a <job> or a <child>");
		return;
	}
	if (!id) {
		stop(r, EINVAL, "<job> without an id");
		return;
	}
	r->run_s = NAN;
	r->data_bytes = 0;
	r->cores = 1;
	r->job_line = line_now(r);
	if (run_time && !number_parse(run_time, &r->run_s)) {
		stop(r, EINVAL, "runtime is not a number of seconds");
		return;
	}
	r->class_name = strdup(name ? name : "");
	r->job = r->class_name ? wt_task_graph_find(r->graph, id, r->job_line, &error) :
				 wt_error_errno(&error, ENOMEM, "job");
	if (r->job < 0)
		stop_by(r, &error);
}

static void job_end(struct dax_reader *r)
{
	const struct wt_task task = {
		.class_name = r->class_name, .line = r->job_line, .run_s = r->run_s, .data_bytes = r->data_bytes,
		.cores = r->cores,
	};
	struct wt_error error;

	if (isnan(r->run_s))
		stop(r, EINVAL, "the <job> that ends here has no runtime, neither as an attribute nor as a profile");
	else if (wt_task_graph_tell(r->graph, (size_t) r->job, &task, &error) < 0)
		stop_by(r, &error);
	free(r->class_name);
	r->class_name = NULL;
	r->job = -1;
}

static void file_used(struct dax_reader *r, const char **attributes)
{
	const char *size = attribute(attributes, "size");
	double bytes = 0;

	if (r->job < 0 || !size)
		return;
	if (!number_parse(size, &bytes) || bytes < 0)
		stop(r, EINVAL, "size is not a number of bytes");
	r->data_bytes += bytes;
}

static void profile_begin(struct dax_reader *r, const char **attributes)
{
	const char *space = attribute(attributes, "namespace"), *key = attribute(attributes, "key");

	r->profile = PROFILE_OTHER;
	r->text_len = 0;
	if (r->job < 0 || !space || !key || strcmp(space, "pegasus"))
		return;
	if (!strcmp(key, "runtime"))
		r->profile = PROFILE_RUNTIME;
	else if (!strcmp(key, "cores"))
		r->profile = PROFILE_CORES;
}

static void profile_end(struct dax_reader *r)
{
	double value = NAN;

	if (r->profile == PROFILE_OTHER)
		return;
	r->text[r->text_len] = '\0';
	if (!number_parse(r->text, &value))
		stop(r, EINVAL, "a profile runtime or cores that is not a number");
	/* The attribute is what ran; the profile what its user expected. */
	else if (r->profile == PROFILE_CORES)
		r->cores = value;
	else if (isnan(r->run_s))
		r->run_s = value;
	r->profile = PROFILE_OTHER;
}

static void XMLCALL text_take(void *arg, const XML_Char *text, int len)
{
	struct dax_reader *r = arg;

	if (r->profile == PROFILE_OTHER || r->errnum)
		return;
	if ((size_t) len >= PROFILE_MAX - r->text_len) {
		stop(r, EINVAL, "a profile runtime or cores that is not a number");
		return;
	}
	memcpy(r->text + r->text_len, text, (size_t) len);
	r->text_len += (size_t) len;
}

static void reference_take(struct dax_reader *r, const char **attributes, bool is_child)
{
	const char *ref = attribute(attributes, "ref");
	struct wt_error error;
	ssize_t number;

	if (r->job >= 0 || is_child == (r->child >= 0)) {
		stop(r, EINVAL, is_child ? "<child> within a <job> or a <child>" : "<parent> that is not within a <child>");
		return;
	}
	if (!ref) {
		stop(r, EINVAL, is_child ? "<child> without a ref" : "<parent> without a ref");
		return;
	}
	number = wt_task_graph_find(r->graph, ref, line_now(r), &error);
	if (number >= 0 && is_child)
		r->child = number;
	else if (number < 0 || wt_task_graph_wait(r->graph, (size_t) r->child, (size_t) number, &error) < 0)
		stop_by(r, &error);
}

static void XMLCALL element_begin(void *arg, const XML_Char *name, const XML_Char **attributes)
{
	struct dax_reader *r = arg;

	name = local_name(name);
	if (r->errnum)
		return;
	if (!r->depth++ && strcmp(name, "adag"))
		stop(r, EINVAL, "the file's element is not <adag>: not a DAX");
	else if (r->depth > DEPTH_MAX)
		stop(r, EINVAL, "elements within elements, more than 64 of them");
	else if (!strcmp(name, "job"))
		job_begin(r, attributes);
	else if (!strcmp(name, "uses"))
		file_used(r, attributes);
	else if (!strcmp(name, "profile"))
		profile_begin(r, attributes);
	else if (!strcmp(name, "child") || !strcmp(name, "parent"))
		reference_take(r, attributes, *name == 'c');
	else if (!strcmp(name, "dax") || !strcmp(name, "dag"))
		stop(r, ENOTSUP, "a workflow within the workflow (<dax>, <dag>) cannot be run: put its jobs into this file");
}

static void XMLCALL element_end(void *arg, const XML_Char *name)
{
	struct dax_reader *r = arg;

	name = local_name(name);
	r->depth--;
	if (r->errnum)
		return;
	if (!strcmp(name, "job") && r->job >= 0)
		job_end(r);
	else if (!strcmp(name, "profile"))
		profile_end(r);
	else if (!strcmp(name, "child"))
		r->child = -1;
}

static void XMLCALL doctype_refuse(void *arg, const XML_Char *name, const XML_Char *system_id, const XML_Char *public_id,
				   int internal)
{
	struct dax_reader *r = arg;

	(void) name;
	(void) system_id;
	(void) public_id;
	(void) internal;
	stop(r, EINVAL, "a document type (<!DOCTYPE>), whose entities may grow without end: take it out");
}

static int parse_failed(const struct dax_reader *r, struct wt_error *errp)
{
	enum XML_Error error = XML_GetErrorCode(r->parser);

	if (r->errnum)
		return wt_error_set(errp, r->errnum, "%s", r->error.text);
	return wt_error_set(errp, error == XML_ERROR_NO_MEMORY ? ENOMEM : EINVAL, "%s:%zu: %s", r->name, line_now(r),
			    XML_ErrorString(error));
}

static int bytes_parse(struct dax_reader *r, FILE *in, struct wt_error *errp)
{
	XML_Index taken = 0;
	size_t len;
	bool last;

	do {
		void *buf = XML_GetBuffer(r->parser, CHUNK);

		if (!buf)
			return wt_error_errno(errp, ENOMEM, "%s", r->name);
		errno = 0;
		len = fread(buf, 1, CHUNK, in);
		last = len < CHUNK;
		if (ferror(in))
			return wt_error_errno(errp, errno ? errno : EIO, "%s", r->name);
		if (XML_ParseBuffer(r->parser, (int) len, last) != XML_STATUS_OK)
			return parse_failed(r, errp);
		taken += (XML_Index) len;
		if (taken - (XML_Index) CURRENT_BYTE(r->parser) > TOKEN_MAX)
			return wt_error_set(errp, EINVAL, "%s:%zu: an element, or what stands between two, of more than %d "
					    "bytes", r->name, line_now(r), TOKEN_MAX);
	} while (!last);
	return 0;
}

static int parse(struct dax_reader *r, struct wt_swf_trace *trace, FILE *in, struct wt_error *errp)
{
	if (!r->parser || !r->graph)
		return wt_error_errno(errp, ENOMEM, "%s", r->name);
	XML_SetUserData(r->parser, r);
	XML_SetElementHandler(r->parser, element_begin, element_end);
	XML_SetCharacterDataHandler(r->parser, text_take);
	XML_SetStartDoctypeDeclHandler(r->parser, doctype_refuse);
	return bytes_parse(r, in, errp) < 0 ? -1 : wt_task_graph_jobs(r->graph, trace, r->name, errp);
}

int wt_dax_read(struct wt_swf_trace *trace, FILE *in, const char *name, const bool *leave_out, struct wt_error *errp)
{
	struct dax_reader r = {
		.parser = XML_ParserCreate(NULL), .graph = wt_task_graph_create(), .name = name, .job = -1, .child = -1,
	};
	int rc;

	(void) leave_out;
	memset(trace, 0, sizeof(*trace));
	rc = parse(&r, trace, in, errp);
	free(r.class_name);
	wt_task_graph_destroy(r.graph);
	if (r.parser)
		XML_ParserFree(r.parser);
	return rc;
}
