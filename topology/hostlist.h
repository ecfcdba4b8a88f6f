/* hostlist.h - Slurm's host list expressions ("n[0-17,40],m3", "r[0-3]n[00-17]") and the names they stand for.
 *
 * Source of the syntax: topology.conf(5) and slurm.conf(5), NodeName: several ranges in a bracket, several brackets in a
 * name (the last one runs fastest), zero padding by the width of a range's first number.
 *
 * Pure.  Objects never change after they are made: any number of readers.  Unless noted: a pointer on success; NULL with
 * errno set and text in *errp (may be NULL). */
#ifndef WT_TOPOLOGY_HOSTLIST_H
#define WT_TOPOLOGY_HOSTLIST_H

#include <stddef.h>

#include "lib/error.h"

#define WT_HOSTLIST_NAME_MAX 255	/* bytes of one name (a DNS name's limit) */

struct wt_hostlist;	/* opaque */

/* Read 'len' bytes of untrusted text.  At most 'max' names are made: "n[0-4000000000]" is refused before anything is
 * expanded.  Names keep their order and may repeat.  Caller frees with wt_hostlist_destroy ().  EINVAL (not a host list,
 * no name at all), E2BIG (more than 'max' names), ENOMEM. */
struct wt_hostlist *wt_hostlist_parse(const char *text, size_t len, size_t max, struct wt_error *errp);
void wt_hostlist_destroy(struct wt_hostlist *hl);	/* NULL is ignored; errno is preserved */

size_t wt_hostlist_count(const struct wt_hostlist *hl);			/* NULL: 0 */
const char *wt_hostlist_name(const struct wt_hostlist *hl, size_t i);	/* NULL beyond the end; lives as long as hl */

/* The shortest expression that keeps the order of the names ("n0","n1","n2","m3" -> "n[0-2],m3").  Caller frees with
 * free ().  EINVAL (no names, or a name that wt_hostlist_parse () would read differently), ENOMEM. */
char *wt_hostlist_format(const char *const *names, size_t count, struct wt_error *errp);

#endif
