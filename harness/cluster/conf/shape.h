/* shape.h - the hardware of one node, read by hwloc.
 *
 * Thread-safe.  0, or -1 with errno (EINVAL: cannot be said in slurm.conf; ENOENT and others from a file) and *errp set. */
#ifndef WT_HARNESS_CLUSTER_CONF_SHAPE_H
#define WT_HARNESS_CLUSTER_CONF_SHAPE_H

#include <stdint.h>

#include "lib/error.h"

#define WT_SHAPE_DEFAULT "pack:2 core:8 pu:1"	/* 16 CPUs */

struct wt_shape {		/* as slurm.conf(5) counts them: cpus = sockets * cores_per_socket * threads_per_core */
	uint32_t cpus, sockets, cores_per_socket, threads_per_core;
	uint64_t memory_mib;	/* 0 when 'text' does not say it (synthetic descriptions) */
};

/* 'text': NULL (the default), "host" (this machine), an hwloc synthetic description (hwloc(7)), or the path of a file
 * written by "lstopo FILE.xml" (it ends in .xml or contains a '/').  Sockets that differ in cores, or cores that differ in
 * threads, are refused: slurm.conf has one number for all. */
int wt_shape_read(const char *text, struct wt_shape *shape, struct wt_error *errp);

#endif
