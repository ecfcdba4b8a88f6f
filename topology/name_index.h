/* name_index.h - from a name to its number.
 *
 * hsearch(3) is not used: its hash ignores all but the first bytes of long names, so that "cluster-node-00017" and all of
 * its kind collide.  The names stay the caller's and must outlive the index. */
#ifndef WT_TOPOLOGY_NAME_INDEX_H
#define WT_TOPOLOGY_NAME_INDEX_H

#include <stddef.h>
#include <stdint.h>

#define NAME_INDEX_NONE UINT32_MAX

struct name_slot {
	const char *name;
	uint32_t number;
};

struct name_index {
	struct name_slot *slots;
	size_t mask;
};

/* Room for 'count' names.  0, or -1 with ENOMEM. */
int name_index_init(struct name_index *ix, size_t count);
void name_index_clear(struct name_index *ix);
/* NAME_INDEX_NONE when it was added; the number that the name already has, otherwise. */
uint32_t name_index_add(struct name_index *ix, const char *name, uint32_t number);
uint32_t name_index_find(const struct name_index *ix, const char *name);

#endif
