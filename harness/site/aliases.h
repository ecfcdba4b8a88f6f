/* aliases.h - other names for the people of a site: a keyed hash (HMAC-SHA256), the same for the same name in all files
 * and all imports with this key, and without the key of no use.
 *
 * Not locked: one thread at a time. */
#ifndef WT_HARNESS_SITE_ALIASES_H
#define WT_HARNESS_SITE_ALIASES_H

#include <stddef.h>
#include <stdint.h>

#include "lib/error.h"

enum wt_alias_kind { WT_ALIAS_USER, WT_ALIAS_GROUP, WT_ALIAS_ACCOUNT, WT_ALIAS_JOB, WT_ALIAS_WCKEY };

#define WT_ALIAS_KEY_SIZE 32		/* bytes */

struct wt_aliases {
	uint8_t key[WT_ALIAS_KEY_SIZE];
};

/* The key of a file, as 64 hexadecimal digits and a newline; without a file one is drawn and written (0600).  0, or -1 with
 * errno: EINVAL: no key. */
int wt_aliases_open(struct wt_aliases *aliases, const char *path, struct wt_error *errp);

/* The name that stands for 'name': to be freed; 'aliases' NULL: the same name.  "root" and "" stay.  NULL with ENOMEM. */
char *wt_alias(const struct wt_aliases *aliases, enum wt_alias_kind kind, const char *name);

/* The same for a list with commas; a "+" or "-" before a name stays. */
char *wt_alias_list(const struct wt_aliases *aliases, enum wt_alias_kind kind, const char *list);

#endif
