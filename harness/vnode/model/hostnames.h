/* hostnames.h - read the host lists that clients send: "n[0-3,7],m5,rack1n[08-12]".
 *
 * Pure.  The text may come from any sender: nothing is allocated, and the caller stops after as many names as it wants.
 * Understood is what Slurm's hostlist_ranged_string () writes: names, each with at most one bracket, at its end. A zeroed
 * struct with 'text' set is at the beginning.  One reader. */
#ifndef WT_HARNESS_VNODE_MODEL_HOSTNAMES_H
#define WT_HARNESS_VNODE_MODEL_HOSTNAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WT_HOSTNAME_MAX 255	/* longest name, without its end */

struct wt_hostnames {
	const char *text;	/* what is left of it */
	char name[WT_HOSTNAME_MAX + 1];
	size_t prefix_len;
	bool in_bracket;
	uint64_t next, last;	/* of the current range; next > last: none */
	int width;
};

/* The next name into names->name: 1; 0 at the end; -1 with EINVAL when the text cannot be understood. */
int wt_hostnames_next(struct wt_hostnames *names);

#endif
