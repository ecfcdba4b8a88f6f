/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include <nettle/hmac.h>

#include "harness/site/aliases.h"
#include "lib/fs.h"
#include "lib/str.h"

#define SHOWN_BYTES 6		/* of the hash: 48 bits; names of 10,000 users differ but once in five million sites */
#define TEXT_SIZE (2 * WT_ALIAS_KEY_SIZE + 1)	/* of a key's file */

static const char digits[] = "0123456789abcdef";

static int key_parse(struct wt_aliases *aliases, const char *path, const char *text, size_t len, struct wt_error *errp)
{
	if (len && text[len - 1] == '\n')
		len--;
	for (size_t i = 0; i < len && len == TEXT_SIZE - 1; i++) {
		const char *digit = text[i] ? strchr(digits, text[i]) : NULL;

		if (!digit)
			break;
		aliases->key[i / 2] = (uint8_t) (aliases->key[i / 2] << 4 | (digit - digits));
		if (i + 1 == len)
			return 0;
	}
	return wt_error_set(errp, EINVAL, "%s: a key has %d hexadecimal digits and a newline; without such a file one is "
			    "made", path, TEXT_SIZE - 1);
}

static int key_draw(struct wt_aliases *aliases, const char *path, int fd, struct wt_error *errp)
{
	char text[TEXT_SIZE];
	ssize_t written;

	if (getrandom(aliases->key, sizeof(aliases->key), 0) != (ssize_t) sizeof(aliases->key))
		return wt_error_errno(errp, errno, "%s: no random key", path);
	for (size_t i = 0; i < WT_ALIAS_KEY_SIZE; i++) {
		text[2 * i] = digits[aliases->key[i] >> 4];
		text[2 * i + 1] = digits[aliases->key[i] & 15];
	}
	text[TEXT_SIZE - 1] = '\n';
	written = write(fd, text, sizeof(text));
	if (written != (ssize_t) sizeof(text) || fsync(fd) < 0) {
		wt_error_errno(errp, written < 0 ? errno : ENOSPC, "%s", path);
		unlink(path);
		return -1;
	}
	return 0;
}

int wt_aliases_open(struct wt_aliases *aliases, const char *path, struct wt_error *errp)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600), rc;
	char *text;
	size_t len;

	memset(aliases, 0, sizeof(*aliases));
	if (fd >= 0) {
		rc = key_draw(aliases, path, fd, errp);
		close(fd);
		return rc;
	}
	if (errno != EEXIST)
		return wt_error_errno(errp, errno, "%s", path);
	if (wt_fs_read_regular(path, 4096, &text, &len, errp) < 0)
		return -1;
	rc = key_parse(aliases, path, text, len, errp);
	free(text);
	return rc;
}

char *wt_alias(const struct wt_aliases *aliases, enum wt_alias_kind kind, const char *name)
{
	static const char letters[] = "ugajw";
	struct hmac_sha256_ctx hash;
	uint8_t digest[SHOWN_BYTES], letter = (uint8_t) letters[kind];
	char alias[2 + 2 * SHOWN_BYTES];

	if (!aliases || !*name || !strcmp(name, "root"))
		return strdup(name);
	hmac_sha256_set_key(&hash, sizeof(aliases->key), aliases->key);
	hmac_sha256_update(&hash, 1, &letter);
	hmac_sha256_update(&hash, strlen(name), (const uint8_t *) name);
	hmac_sha256_digest(&hash, sizeof(digest), digest);
	alias[0] = letters[kind];
	for (size_t i = 0; i < SHOWN_BYTES; i++) {
		alias[1 + 2 * i] = digits[digest[i] >> 4];
		alias[2 + 2 * i] = digits[digest[i] & 15];
	}
	alias[sizeof(alias) - 1] = '\0';
	return strdup(alias);
}

char *wt_alias_list(const struct wt_aliases *aliases, enum wt_alias_kind kind, const char *list)
{
	struct wt_str s = { 0 };
	const char *p = list;

	if (!aliases)
		return strdup(list);
	while (*p) {
		size_t len = strcspn(p, ","), sign = strspn(p, "+-") ? 1 : 0;
		char *name = strndup(p + sign, len - sign), *alias = name ? wt_alias(aliases, kind, name) : NULL;

		if (sign)
			wt_str_add_bytes(&s, p, 1);
		if (alias)
			wt_str_add(&s, alias);
		else
			s.failed = true;
		free(name);
		free(alias);
		p += len;
		if (*p)
			wt_str_add_bytes(&s, p++, 1);
	}
	return wt_str_take(&s);
}
