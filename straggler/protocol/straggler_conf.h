/* straggler_conf.h - straggler.conf (windtunnel-speculate(5)): KEY=VALUE lines, '#' begins a comment, keys in any case.
 *
 * Read by slurmctld's plugin, slurmstepd's, the agent and the commands.  Plain value; no memory to free. */
#ifndef WT_STRAGGLER_PROTOCOL_STRAGGLER_CONF_H
#define WT_STRAGGLER_PROTOCOL_STRAGGLER_CONF_H

#include <limits.h>
#include <sys/types.h>

#include "lib/error.h"
#include "straggler/spec.h"

struct straggler_conf {
	char controller[256];	/* host name or address of slurmctld */
	char munge_socket[108];	/* "": munge's own default */
	char directory[128];	/* on the nodes, for progress files; %n is the node's name */
	unsigned int port;
	bool enabled;
	uid_t owner;		/* of the file: as trustworthy as root, for each of its readers */
	struct wt_spec_options spec;
};

#define STRAGGLER_CONF_NAME "straggler.conf"
#define STRAGGLER_CONF_ENV "WT_STRAGGLER_CONF"	/* its path, in the environment of tasks */

/* Read 'path'.  -1: errno of open, or EINVAL with the line in *errp. */
int straggler_conf_read(struct straggler_conf *conf, const char *path, struct wt_error *errp);

/* The text alone; 'name' is for messages. */
int straggler_conf_parse(struct straggler_conf *conf, const char *text, size_t len, const char *name, struct wt_error *errp);

/* Where it is: $WT_STRAGGLER_CONF, else beside the slurm.conf that 'slurm_conf' (may be NULL) names, else /etc/slurm. */
void straggler_conf_path(const char *slurm_conf, char path[PATH_MAX]);

/* conf->directory with 'node' put in; -1 with ENAMETOOLONG. */
int straggler_conf_directory(const struct straggler_conf *conf, const char *node, char *path, size_t size,
			     struct wt_error *errp);

#endif
