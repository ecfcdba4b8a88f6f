/* specconf.h - straggler.conf (windtunnel-speculate(5)): KEY=VALUE lines, '#' begins a comment, keys in any case.
 *
 * Read by slurmctld's plugin, slurmstepd's, the agent and the commands.  Plain value; no memory to free. */
#ifndef WT_STRAGGLER_PROTOCOL_SPECCONF_H
#define WT_STRAGGLER_PROTOCOL_SPECCONF_H

#include <limits.h>
#include <sys/types.h>

#include "lib/error.h"
#include "straggler/spec.h"

struct specconf {
	char controller[256];	/* host name or address of slurmctld */
	char munge_socket[108];	/* "": munge's own default */
	char directory[128];	/* on the nodes, for progress files; %n is the node's name */
	unsigned int port;
	bool enabled;
	uid_t owner;		/* of the file: as trustworthy as root, for each of its readers */
	struct wt_spec_options spec;
};

#define SPECCONF_NAME "straggler.conf"
#define SPECCONF_ENV "WT_STRAGGLER_CONF"	/* its path, in the environment of tasks */

/* Read 'path'.  -1: errno of open, or EINVAL with the line in *errp. */
int specconf_read(struct specconf *conf, const char *path, struct wt_error *errp);

/* The text alone; 'name' is for messages. */
int specconf_parse(struct specconf *conf, const char *text, size_t len, const char *name, struct wt_error *errp);

/* Where it is: $WT_STRAGGLER_CONF, else beside the slurm.conf that 'slurm_conf' (may be NULL) names, else /etc/slurm. */
void specconf_path(const char *slurm_conf, char path[PATH_MAX]);

/* conf->directory with 'node' put in; -1 with ENAMETOOLONG. */
int specconf_directory(const struct specconf *conf, const char *node, char *path, size_t size, struct wt_error *errp);

#endif
