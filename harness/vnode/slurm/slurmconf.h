/* slurmconf.h - slurm.conf, read by Slurm's own reader.
 *
 * Slurm's reader prints and ends the process when the file cannot be parsed.  Call from one thread. */
#ifndef WT_HARNESS_VNODE_SLURM_SLURMCONF_H
#define WT_HARNESS_VNODE_SLURM_SLURMCONF_H

#include <stdint.h>

#include "lib/error.h"
#include "harness/vnode/model/node_model.h"
#include "harness/vnode/model/nodetable.h"

/* Read 'path' and start the parts of libslurmfull that messages need (authentication, hash, select, gres, credentials).
 * 0, or -1 with errno and *errp set. */
int wt_slurmconf_init(const char *path, struct wt_error *errp);
int wt_slurmconf_reread(const char *path, struct wt_error *errp);

/* The nodes of the file read last; caller frees with wt_nodetable_destroy ().  'own' is a host list of this process's, NULL:
 * all.  'joining' is the NodeName line of more, which join at run time, NULL: there are none.  *port: the one that all of
 * them share; 0, only with 'own': each listens at its own address and port.
 * Those with State=CLOUD or FUTURE are not there: the table has none of them, and may be empty.
 * NULL with EINVAL: no NodeName line, different ports, an address that is missing, shared or not IPv4; 'own' is none. */
struct wt_nodetable *wt_slurmconf_nodes(const char *own, const char *joining, uint16_t *port, struct wt_error *errp);

void wt_slurmconf_model(struct wt_model_conf *conf);		/* what the model needs to know of it */
uint32_t wt_slurmconf_message_timeout_s(void);
/* ENOENT: there are fewer */
int wt_slurmconf_controller(unsigned int number, struct sockaddr_in *address, struct wt_error *errp);

#endif
