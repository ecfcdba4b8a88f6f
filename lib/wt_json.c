/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "wt_fs.h"
#include "wt_json.h"
#include "wt_str.h"

#define JSON_FILE_MAX ((size_t) 256 << 20)

json_t *wt_json_load(const char *path, struct wt_error *errp)
{
	json_error_t jerr;
	json_t *value;
	char *text;
	size_t len;

	if (wt_fs_read(path, JSON_FILE_MAX, &text, &len, errp) < 0)
		return NULL;
	value = json_loadb(text, len, JSON_REJECT_DUPLICATES, &jerr);
	free(text);
	if (!value) {
		wt_error_set(errp, EINVAL, "%s:%d: not JSON: %s", path, jerr.line, jerr.text);
		return NULL;
	}
	if (!json_is_object(value)) {
		json_decref(value);
		wt_error_set(errp, EINVAL, "%s: a JSON object is expected", path);
		return NULL;
	}
	return value;
}

int wt_json_save(const char *path, const json_t *value, struct wt_error *errp)
{
	char *text = json_dumps(value, JSON_INDENT(2));
	size_t len;
	int rc;

	if (!text)
		return wt_error_errno(errp, value ? ENOMEM : EINVAL, "write %s", path);
	len = strlen(text);
	text[len] = '\n';	/* in the place of the terminator: the length says where it ends */
	rc = wt_fs_write(path, text, len + 1, 0644, errp);
	free(text);
	return rc;
}

/* Bytes of the valid UTF-8 sequence (RFC 3629, section 4) that 'text' begins with, or 0. */
static size_t utf8_length(const unsigned char *text)
{
	size_t len = text[0] < 0x80 ? 1 : text[0] < 0xc2 ? 0 : text[0] < 0xe0 ? 2 : text[0] < 0xf0 ? 3 : text[0] < 0xf5 ? 4 : 0;

	for (size_t i = 1; i < len; i++)
		if ((text[i] & 0xc0) != 0x80)
			return 0;
	if ((text[0] == 0xe0 && text[1] < 0xa0) || (text[0] == 0xed && text[1] > 0x9f) || (text[0] == 0xf0 && text[1] < 0x90) ||
	    (text[0] == 0xf4 && text[1] > 0x8f))
		return 0;
	return len;
}

json_t *wt_json_text(const char *text)
{
	struct wt_str valid = { 0 };
	json_t *json = text ? json_string(text) : NULL;

	if (json || !text)
		return json;
	for (const char *p = text; *p;) {
		size_t len = utf8_length((const unsigned char *) p);

		wt_str_add_bytes(&valid, len ? p : "\xef\xbf\xbd", len ? len : 3);
		p += len ? len : 1;
	}
	if (!valid.failed && valid.text)
		json = json_string(valid.text);
	wt_str_clear(&valid);
	if (!json)
		errno = ENOMEM;
	return json;
}

const char *wt_json_string(const json_t *object, const char *key, const char *where, struct wt_error *errp)
{
	const char *text = json_string_value(json_object_get(object, key));

	if (!text)
		wt_error_set(errp, EINVAL, "%s: '%s' must be a string", where, key);
	return text;
}

int wt_json_integer(const json_t *object, const char *key, const char *where, int64_t *value, struct wt_error *errp)
{
	const json_t *v = json_object_get(object, key);

	if (!json_is_integer(v))
		return wt_error_set(errp, EINVAL, "%s: '%s' must be an integer", where, key);
	*value = json_integer_value(v);
	return 0;
}

int wt_json_number(const json_t *object, const char *key, const char *where, double *value, struct wt_error *errp)
{
	const json_t *v = json_object_get(object, key);

	if (!json_is_number(v))
		return wt_error_set(errp, EINVAL, "%s: '%s' must be a number", where, key);
	*value = json_number_value(v);
	return 0;
}
