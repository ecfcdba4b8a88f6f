/* part_spec.h - what a host is handed to serve its part of a cluster: one line of JSON (doc/formats.md).
 *
 * It has the key of the cluster's munge: it goes through pipes and an engine's own channel, never onto a command line. */
#ifndef WT_HARNESS_CLUSTER_FOLDER_PART_SPEC_H
#define WT_HARNESS_CLUSTER_FOLDER_PART_SPEC_H

#include <jansson.h>
#include <stdint.h>

#include "harness/cluster/conf/clusterinfo.h"

#define PART_SPEC_BYTES_MAX ((size_t) 64 << 20)
#define PART_CLOCK_US ((int64_t) 60 * 1000000)	/* munge takes credentials for 300 s */

/* From the files in the cluster's folder.  The caller frees it; NULL with errno and *errp. */
char *part_spec_make(const struct wt_clusterinfo *info, const struct wt_host *host, struct wt_error *errp);

/* On the host: is it from a windtunnel and a Slurm as ours, with a clock as ours (at 'now_us')?  0; -1 with EINVAL or
 * EPROTONOSUPPORT. */
int part_spec_check(const json_t *spec, int64_t now_us, struct wt_error *errp);

/* The text members "name", "host" and "uuid" of a spec that was checked. */
const char *part_spec_text(const json_t *spec, const char *key);

/* Write its files into the folder 'dir', which is there and empty: slurm.conf with that folder's paths and, with 'bind',
 * listening on the host's name alone; munge/key with mode 0400; cluster.json last.  0, or -1 with errno and *errp. */
int part_spec_write(const json_t *spec, const char *dir, bool bind, struct wt_error *errp);

#endif
