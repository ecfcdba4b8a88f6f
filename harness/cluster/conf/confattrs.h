/* confattrs.h - a line of slurm.conf that has attributes behind a name: "main Nodes=ALL MaxTime=60 Reason="a b"".
 *
 * Pure.  Not locked.  0, or -1 with errno (EINVAL, ENOMEM) and *errp set. */
#ifndef WT_HARNESS_CLUSTER_CONF_CONFATTRS_H
#define WT_HARNESS_CLUSTER_CONF_CONFATTRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/error.h"

struct wt_confattr {
	char *name, *value;		/* 'value' without quotes */
};

struct wt_confattrs {
	char *name;			/* of the thing; "" when 'named' was false */
	struct wt_confattr *list;
	size_t count;
};

int wt_confattrs_parse(struct wt_confattrs *attrs, const char *text, bool named, struct wt_error *errp);
void wt_confattrs_remove(struct wt_confattrs *attrs, size_t at);
char *wt_confattrs_text(const struct wt_confattrs *attrs);	/* the caller frees it; NULL with ENOMEM */
void wt_confattrs_clear(struct wt_confattrs *attrs);		/* errno is preserved */

/* Does a list such as "n[0-3,7],n9" name only nodes n0 to n('nodes' - 1)?  "ALL" does. */
bool wt_confattrs_nodes_exist(const char *list, uint32_t nodes);

#endif
