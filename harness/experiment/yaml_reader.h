/* yaml_reader.h - a YAML document as a tree of mappings, lists and texts, with "PATH:LINE: " before each complaint.
 *
 * On top of libyaml (YAML 1.1).  One document; no tags of one's own; a mapping has each key once.  One thread at a time. */
#ifndef WT_HARNESS_EXPERIMENT_YAML_READER_H
#define WT_HARNESS_EXPERIMENT_YAML_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <yaml.h>

#include "lib/error.h"

struct yaml_reader {
	const char *path; /* not owned */
	yaml_document_t document;
	bool loaded;
};

/* 0, or -1 with EINVAL or ENOMEM; yaml_reader_close also after a failure. */
int yaml_reader_open(struct yaml_reader *reader, const char *path, const char *text, size_t len, struct wt_error *errp);
void yaml_reader_close(struct yaml_reader *reader);
yaml_node_t *yaml_reader_root(struct yaml_reader *reader); /* NULL: the document is empty */

/* -1 with EINVAL and the place of 'node'. */
int yaml_reader_refuse(const struct yaml_reader *reader, const yaml_node_t *node, struct wt_error *errp, const char *fmt,
		       ...) __attribute__((format(printf, 4, 5)));
unsigned long yaml_reader_line(const yaml_node_t *node); /* from 1 */

/* Calls fn for each key of a mapping, or item of a list (key NULL), until it returns another value than 0, which is
 * returned. 'what' is what 'node' should have been, for the complaint when it is something else. */
typedef int (*yaml_reader_fn)(struct yaml_reader *reader, const char *key, yaml_node_t *value, void *arg,
			      struct wt_error *errp);
int yaml_reader_mapping(struct yaml_reader *reader, yaml_node_t *node, const char *what, yaml_reader_fn fn, void *arg,
			struct wt_error *errp);
int yaml_reader_list(struct yaml_reader *reader, yaml_node_t *node, const char *what, yaml_reader_fn fn, void *arg,
		     struct wt_error *errp);

/* A text, number or word as it is written; NULL with EINVAL for anything else, and for one with a control character.  It
 * belongs to the reader. */
const char *yaml_reader_text(struct yaml_reader *reader, yaml_node_t *node, const char *what, struct wt_error *errp);

/* Is it written as nothing: "~", "null" or no word at all? */
bool yaml_reader_is_null(const yaml_node_t *node);

#endif
