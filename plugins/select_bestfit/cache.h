/* cache.h - answers that are given again when the same is asked for again.
 *
 * A question is a string of bytes: it must hold all that the answer depends on.  Questions are compared byte by byte, so no
 * two are ever taken for each other.  The least lately used answers make room for new ones.
 *
 * Pure.  Not locked: one thread at a time for each object. */
#ifndef WT_PLUGINS_SELECT_BESTFIT_CACHE_H
#define WT_PLUGINS_SELECT_BESTFIT_CACHE_H

#include <stddef.h>
#include <stdint.h>

struct cache;	/* opaque */

/* At most so many answers, and so many bytes of questions and answers.  NULL: EINVAL (a limit of 0), ENOMEM. */
struct cache *cache_create(size_t entries_max, size_t bytes_max);
void cache_destroy(struct cache *c);	/* NULL is ignored; errno is preserved */

/* The answer (valid until the next cache_add or cache_clear) and its size, or NULL. */
const void *cache_find(struct cache *c, const void *question, size_t question_size, size_t *answer_size);
/* Copies both.  An answer to the same question is replaced.  0; -1: ENOMEM, or EFBIG (larger than the whole cache): not
 * kept. */
int cache_add(struct cache *c, const void *question, size_t question_size, const void *answer, size_t answer_size);
void cache_clear(struct cache *c);

size_t cache_entries(const struct cache *c);
size_t cache_bytes(const struct cache *c);

#endif
