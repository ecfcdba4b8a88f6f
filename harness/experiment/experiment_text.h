/* experiment_text.h - settings as the YAML of an experiment's file.  Pure. */
#ifndef WT_HARNESS_EXPERIMENT_EXPERIMENT_TEXT_H
#define WT_HARNESS_EXPERIMENT_EXPERIMENT_TEXT_H

#include "harness/experiment/experiment.h"
#include "lib/str.h"

/* In single quotes, where nothing but they themselves means anything. */
void experiment_text_quoted(struct wt_str *s, const char *text);

/* Sections and their keys, each section once in the order in which they are named first, 'indent' blanks to the right. */
void experiment_text_settings(struct wt_str *s, const struct experiment_settings *settings, int indent);

/* "# COMMAND", title, seed, repeat: a file's first lines. */
void experiment_text_head(struct wt_str *s, const char *command, const char *title, uint64_t seed, unsigned int repeat);

#endif
