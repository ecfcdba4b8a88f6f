/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "harness/experiment/yaml_reader.h"
#include "lib/str.h"

#define KEYS_MAX 10000 /* of one mapping; looking for one that stands there twice is quadratic */
/* What we read has five levels.  libyaml looks at all open brackets with each word: a hundred thousand of them, which are no
 * more than a file by mistake, would take it hours. */
#define DEPTH_MAX 50

static int parse_refuse(const struct yaml_reader *reader, const yaml_parser_t *parser, struct wt_error *errp)
{
	if (parser->error == YAML_MEMORY_ERROR)
		return wt_error_errno(errp, ENOMEM, "%s", reader->path);
	if (parser->error == YAML_READER_ERROR)
		return wt_error_set(errp, EINVAL, "%s: byte %zu: %s", reader->path, parser->problem_offset, parser->problem);
	return wt_error_set(errp, EINVAL, "%s:%zu: %s", reader->path, parser->problem_mark.line + 1, parser->problem);
}

/* What follows the document has to be the end of the text. */
static int end_check(struct yaml_reader *reader, yaml_parser_t *parser, struct wt_error *errp)
{
	yaml_document_t second;
	int rc = 0;

	if (!yaml_parser_load(parser, &second))
		return parse_refuse(reader, parser, errp);
	if (yaml_document_get_root_node(&second))
		rc = wt_error_set(errp, EINVAL, "%s:%zu: a second document begins; give one", reader->path,
				  second.start_mark.line + 1);
	yaml_document_delete(&second);
	return rc;
}

static int depth_change(yaml_event_type_t type)
{
	if (type == YAML_SEQUENCE_START_EVENT || type == YAML_MAPPING_START_EVENT)
		return 1;
	return type == YAML_SEQUENCE_END_EVENT || type == YAML_MAPPING_END_EVENT ? -1 : 0;
}

/* What else is wrong in it is told when it is loaded. */
static int depth_check(const struct yaml_reader *reader, const char *text, size_t len, struct wt_error *errp)
{
	yaml_event_type_t type = YAML_NO_EVENT;
	yaml_parser_t parser;
	yaml_event_t event;
	int depth = 0, rc = 0;

	if (!yaml_parser_initialize(&parser))
		return wt_error_errno(errp, ENOMEM, "%s", reader->path);
	yaml_parser_set_input_string(&parser, (const unsigned char *) text, len);
	while (rc == 0 && type != YAML_STREAM_END_EVENT && yaml_parser_parse(&parser, &event)) {
		type = event.type;
		depth += depth_change(type);
		if (depth > DEPTH_MAX)
			rc = wt_error_set(errp, EINVAL, "%s:%zu: more than %d levels", reader->path,
					  event.start_mark.line + 1, DEPTH_MAX);
		yaml_event_delete(&event);
	}
	yaml_parser_delete(&parser);
	return rc;
}

int yaml_reader_open(struct yaml_reader *reader, const char *path, const char *text, size_t len, struct wt_error *errp)
{
	yaml_parser_t parser;
	int rc;

	memset(reader, 0, sizeof(*reader));
	reader->path = path;
	if (depth_check(reader, text, len, errp) < 0)
		return -1;
	if (!yaml_parser_initialize(&parser))
		return wt_error_errno(errp, ENOMEM, "%s", path);
	yaml_parser_set_input_string(&parser, (const unsigned char *) text, len);
	reader->loaded = yaml_parser_load(&parser, &reader->document);
	rc = reader->loaded ? 0 : parse_refuse(reader, &parser, errp);
	if (rc == 0 && yaml_document_get_root_node(&reader->document))
		rc = end_check(reader, &parser, errp);
	yaml_parser_delete(&parser);
	return rc;
}

void yaml_reader_close(struct yaml_reader *reader)
{
	if (reader->loaded)
		yaml_document_delete(&reader->document);
	memset(reader, 0, sizeof(*reader));
}

yaml_node_t *yaml_reader_root(struct yaml_reader *reader)
{
	return yaml_document_get_root_node(&reader->document);
}

unsigned long yaml_reader_line(const yaml_node_t *node)
{
	return node->start_mark.line + 1;
}

int yaml_reader_refuse(const struct yaml_reader *reader, const yaml_node_t *node, struct wt_error *errp, const char *fmt,
		       ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return wt_error_set(errp, EINVAL, "%s:%lu: %s", reader->path, yaml_reader_line(node), text);
}

const char *yaml_reader_text(struct yaml_reader *reader, yaml_node_t *node, const char *what, struct wt_error *errp)
{
	const char *text;

	if (node->type != YAML_SCALAR_NODE) {
		yaml_reader_refuse(reader, node, errp, "%s: one value is expected, not a %s", what,
				   node->type == YAML_MAPPING_NODE ? "mapping" : "list");
		return NULL;
	}
	text = (const char *) node->data.scalar.value;
	/* A NUL ends the text before its length does. */
	if (strlen(text) != node->data.scalar.length || wt_str_has_controls(text)) {
		yaml_reader_refuse(reader, node, errp, "%s: a control character", what);
		return NULL;
	}
	return text;
}

bool yaml_reader_is_null(const yaml_node_t *node)
{
	const char *text = (const char *) node->data.scalar.value;

	/* In quotes it is a text: "" and 'null' are values. */
	return node->type == YAML_SCALAR_NODE && node->data.scalar.style == YAML_PLAIN_SCALAR_STYLE &&
	       (!*text || !strcmp(text, "~") || !strcmp(text, "null"));
}

static bool key_before(struct yaml_reader *reader, const yaml_node_t *mapping, const yaml_node_pair_t *pair)
{
	const yaml_node_t *key = yaml_document_get_node(&reader->document, pair->key);

	for (const yaml_node_pair_t *p = mapping->data.mapping.pairs.start; p < pair; p++) {
		const yaml_node_t *other = yaml_document_get_node(&reader->document, p->key);

		if (!strcmp((const char *) other->data.scalar.value, (const char *) key->data.scalar.value))
			return true;
	}
	return false;
}

int yaml_reader_mapping(struct yaml_reader *reader, yaml_node_t *node, const char *what, yaml_reader_fn fn, void *arg,
			struct wt_error *errp)
{
	int rc = 0;

	if (node->type != YAML_MAPPING_NODE)
		return yaml_reader_refuse(reader, node, errp, "%s: 'KEY: VALUE' lines are expected", what);
	if (node->data.mapping.pairs.top - node->data.mapping.pairs.start > KEYS_MAX)
		return yaml_reader_refuse(reader, node, errp, "%s: more than %d lines", what, KEYS_MAX);
	for (yaml_node_pair_t *p = node->data.mapping.pairs.start; rc == 0 && p < node->data.mapping.pairs.top; p++) {
		yaml_node_t *key = yaml_document_get_node(&reader->document, p->key);
		const char *name = yaml_reader_text(reader, key, what, errp);

		if (!name)
			return -1;
		if (key_before(reader, node, p))
			return yaml_reader_refuse(reader, key, errp, "%s: %s stands there twice", what, name);
		rc = fn(reader, name, yaml_document_get_node(&reader->document, p->value), arg, errp);
	}
	return rc;
}

int yaml_reader_list(struct yaml_reader *reader, yaml_node_t *node, const char *what, yaml_reader_fn fn, void *arg,
		     struct wt_error *errp)
{
	int rc = 0;

	if (node->type != YAML_SEQUENCE_NODE)
		return yaml_reader_refuse(reader, node, errp, "%s: a list is expected", what);
	for (yaml_node_item_t *i = node->data.sequence.items.start; rc == 0 && i < node->data.sequence.items.top; i++)
		rc = fn(reader, NULL, yaml_document_get_node(&reader->document, *i), arg, errp);
	return rc;
}
