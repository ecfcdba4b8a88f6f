/* gantt_pack.h - columns of numbers as base64 in blocks of a page.
 *
 * A column's numbers of 32 bits are four planes of bytes, the lowest first; each plane that is not all zero is deflated by
 * itself (RFC 1950, whose checksum finds damage).  The page gets a script block of class "gantt-head", JSON: { ...fields of
 * the caller..., "columns": { NAME: [count, at, length, length, length, length], ... }, "texts": { NAME: [bytes, at,
 * length], ... }, "bytes": N } where a length is that of a deflated plane (0: all zero) and the first of them begins 'at'
 * bytes behind the begin of the data, which are base64 in script blocks of class "gantt-data" of at most a MiB (longer ones
 * cost a browser's parser more).
 *
 * A zeroed struct gantt_pack is empty.  When memory ends, 'failed' is set and all that follows is ignored.  One thread at a
 * time. */
#ifndef WT_HARNESS_PAGE_GANTT_PACK_H
#define WT_HARNESS_PAGE_GANTT_PACK_H

#include <stdint.h>
#include <stdio.h>

#include "lib/error.h"
#include "lib/str.h"

struct gantt_pack {
	struct wt_str columns, texts; /* JSON */
	uint8_t *bytes;
	size_t len, capacity;
	bool failed;
};

/* 'name' has letters, digits, '_' and '.' only. */
void gantt_pack_column(struct gantt_pack *pack, const char *name, const uint32_t *values, size_t count);
void gantt_pack_text(struct gantt_pack *pack, const char *name, const char *text, size_t len);

/* Bytes that gantt_pack_write () will write for the data. */
size_t gantt_pack_size(const struct gantt_pack *pack);

/* 'id' names the run: both kinds of blocks have it as data-run.  'fields' is JSON for the head without braces, not empty.  0
 * (look at ferror), or -1 with ENOMEM. */
int gantt_pack_write(const struct gantt_pack *pack, const char *id, const char *fields, FILE *out, struct wt_error *errp);

void gantt_pack_clear(struct gantt_pack *pack);

#endif
