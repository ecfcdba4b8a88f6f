/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/fs.h"
#include "lib/json.h"
#include "lib/str.h"

#define JSON_FILE_MAX ((size_t) 256 << 20)

json_t *wt_json_load(const char *path, struct wt_error *errp)
{
	json_error_t jerr;
	json_t *value;
	char *text;
	size_t len;

	if (wt_fs_read_regular(path, JSON_FILE_MAX, &text, &len, errp) < 0)
		return NULL;
	/* Which of two members of one name is meant no reader can know. */
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

/* What people write with up to 15 digits comes back as they wrote it, and 17 are read back as the same number: the shortest
 * that is. */
void wt_json_number_text(char text[WT_JSON_NUMBER_SIZE], double value)
{
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, WT_JSON_NUMBER_SIZE, "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
}

/* 'len' bytes of a number as jansson writes it, with 17 digits. */
static void number_add(struct wt_str *s, const char *number, size_t len)
{
	char full[64], shorter[WT_JSON_NUMBER_SIZE];

	/* jansson writes no real without a point or an exponent. */
	if (len >= sizeof(full) || !(memchr(number, '.', len) || memchr(number, 'e', len))) {
		wt_str_add_bytes(s, number, len);
		return;
	}
	memcpy(full, number, len);
	full[len] = '\0';
	wt_json_number_text(shorter, strtod(full, NULL));
	wt_str_add(s, shorter);
	if (!shorter[strcspn(shorter, ".e")])
		wt_str_add(s, ".0");	/* still a real */
}

/* The end of the string that begins at 'text', behind its quote. */
static const char *string_end(const char *text)
{
	for (text++; *text != '"'; text++)
		if (*text == '\\')
			text++;
	return text + 1;
}

char *wt_json_dump(const json_t *value, size_t flags)
{
	char *text = json_dumps(value, flags);
	struct wt_str s = { 0 };

	if (!text) {
		errno = value ? ENOMEM : EINVAL;
		return NULL;
	}
	for (const char *p = text; *p;) {
		const char *end = *p == '"' ? string_end(p) : p + strspn(p, "-+.0123456789eE");

		if (end == p || *p == 'e')		/* a word: true, false */
			end = p + 1;
		if (*p == '-' || (*p >= '0' && *p <= '9'))
			number_add(&s, p, (size_t) (end - p));
		else
			wt_str_add_bytes(&s, p, (size_t) (end - p));
		p = end;
	}
	free(text);
	return wt_str_take(&s);
}

int wt_json_print(FILE *out, const json_t *value, struct wt_error *errp)
{
	char *text = wt_json_dump(value, JSON_INDENT(2));
	int rc = text && fprintf(out, "%s\n", text) >= 0 ? 0 : wt_error_errno(errp, errno ? errno : EIO, "JSON");

	free(text);
	return rc;
}

int wt_json_save(const char *path, const json_t *value, struct wt_error *errp)
{
	char *text = wt_json_dump(value, JSON_INDENT(2));
	size_t len;
	int rc;

	if (!text)
		return wt_error_errno(errp, errno, "write %s", path);
	len = strlen(text);
	text[len] = '\n';	/* in the place of the terminator: the length says where it ends */
	rc = wt_fs_write(path, text, len + 1, 0644, errp);
	free(text);
	return rc;
}

/* Bytes of the valid UTF-8 sequence (RFC 3629, section 4) that 'text' begins with, or 0. */
static size_t utf8_length(const unsigned char *text)
{
	size_t len = text[0] < 0x80 ? 1 : text[0] < 0xc2 ? 0 : text[0] < 0xe0 ? 2 : text[0] < 0xf0 ? 3 : text[0] < 0xf5 ? 4 :
		0;

	for (size_t i = 1; i < len; i++)
		if ((text[i] & 0xc0) != 0x80)
			return 0;
	if ((text[0] == 0xe0 && text[1] < 0xa0) || (text[0] == 0xed && text[1] > 0x9f) ||
	    (text[0] == 0xf0 && text[1] < 0x90) ||
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

int wt_json_write_text(FILE *out, const char *text)
{
	const char *p = text;
	char *quoted;
	json_t *json;

	while (*p >= ' ' && *p < 127 && *p != '"' && *p != '\\')
		p++;
	if (!*p) {
		fprintf(out, "\"%s\"", text);
		return 0;
	}
	json = wt_json_text(text);
	quoted = json ? json_dumps(json, JSON_ENCODE_ANY) : NULL;
	json_decref(json);
	if (!quoted) {
		errno = ENOMEM;
		return -1;
	}
	fputs(quoted, out);
	free(quoted);
	return 0;
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
