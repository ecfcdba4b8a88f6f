/* json.h - JSON files and fields, on top of jansson.
 *
 * Getters name the missing or wrong field in *errp and return -1 or NULL with errno EINVAL; what they return belongs to
 * 'object'.  'where' is the file's path, for the text. */
#ifndef WT_LIB_JSON_H
#define WT_LIB_JSON_H

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/error.h"

/* A new reference that the caller json_decref ()s; NULL with errno of the failed call, or EINVAL: not a regular
 * file, or not a JSON object. */
json_t *wt_json_load(const char *path, struct wt_error *errp);

/* Write 'value' (borrowed), indented, in one step (wt_fs_write), mode 0644. */
int wt_json_save(const char *path, const json_t *value, struct wt_error *errp);

/* As json_dumps () (its 'flags', but for JSON_REAL_PRECISION), with each real number as short as it can be and still be read
 * as the same one:
 * 0.1, not 0.10000000000000001.  The caller frees it; NULL with ENOMEM, or EINVAL for a 'value' of NULL. */
char *wt_json_dump(const json_t *value, size_t flags);

/* The same to a stream, indented, with a newline at the end.  0, or -1 with errno. */
int wt_json_print(FILE *out, const json_t *value, struct wt_error *errp);

/* A string with what is valid UTF-8 in 'text'; every other byte (file names may have any) becomes U+FFFD.  New reference;
 * NULL with ENOMEM, or for a 'text' of NULL. */
json_t *wt_json_text(const char *text);

/* For texts that are written piece by piece.  The shortest that is read back as the same number, which must be finite;
 * and a string in its quotes, valid as wt_json_text () makes it: 0, or -1 with ENOMEM. */
#define WT_JSON_NUMBER_SIZE 32
void wt_json_number_text(char text[WT_JSON_NUMBER_SIZE], double value);
int wt_json_write_text(FILE *out, const char *text);

const char *wt_json_string(const json_t *object, const char *key, const char *where, struct wt_error *errp);
int wt_json_integer(const json_t *object, const char *key, const char *where, int64_t *value, struct wt_error *errp);
int wt_json_number(const json_t *object, const char *key, const char *where, double *value, struct wt_error *errp);

#endif
