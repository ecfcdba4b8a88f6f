/* mapreduce.h - a MapReduce application as Hadoop runs it: an array of map tasks, then one of reduce tasks.
 *
 * Source: L. Bertot, "Improving the simulation of IaaS clouds" (thesis, Strasbourg 2019), chapter 6.  The input is cut into
 * one split for each map task, and each split lies on so many nodes (replicas), drawn, each node as likely as any other, as
 * HDFS does without racks.  A map task on another node first fetches its split.  The reduce tasks begin when all map tasks
 * have completed; each fetches its equal part of what these have put out, which is as much as the input (TeraSort: nothing
 * is added or left out), but for the share that lies on its own node.  Files have the whole bandwidth.  Where a task runs
 * Slurm alone decides, which knows nothing of splits.  Pure; plain values. */
#ifndef WT_WORKLOAD_MAPREDUCE_H
#define WT_WORKLOAD_MAPREDUCE_H

#include <stdint.h>

#include "lib/error.h"
#include "workload/workload.h"
#include "workload/workload_options.h"

/* Section 6.3.1: TeraSort on 16 nodes of four cores. */
#define WT_MAPREDUCE_NODES 16u
#define WT_MAPREDUCE_SHAPE "pack:1 core:4 pu:1"

#define WT_MAPREDUCE_TASKS_MAX 10000	/* of one array: their times have to fit into a variable of 128 KiB */
#define WT_MAPREDUCE_ROUNDS_MAX 100
#define WT_MAPREDUCE_REPLICAS_MAX 10

struct wt_mapreduce_options {
	struct workload_options shared;
	uint32_t maps, reduces;		/* tasks of a round */
	uint32_t rounds;		/* the maps of a later round wait for the reduces of the one before */
	uint32_t replicas;		/* at least 1; of more than there are nodes each has one */
	double map_s, reduce_s;		/* unscaled run times, without transfers */
	double input_bytes;
	double bandwidth;		/* bytes a second; 0: files take no time */
	uint32_t nodes, machine_cpus;	/* of the partition, whose nodes are n0, n1, ... */
};

/* 150 maps and one reduce over 100 GB, three replicas, one round (sections 6.1, 6.3).  Of the run times the thesis tells
 * only ranges, 2 to 12 s and 457 to 936 s: 7 s is the first one's middle, 550 s what most of its makespans leave for the
 * reduce. */
void wt_mapreduce_init(struct wt_mapreduce_options *options);

/* One lane.  Arrays are "map" and "reduce", of later rounds "map2", ..., their classes "map" and "reduce".  One seed puts
 * the splits on the same nodes, whatever the times are.  Caller frees with wt_workload_destroy.  NULL with EINVAL (which
 * option is wrong) or ENOMEM. */
struct wt_workload *wt_mapreduce_create(const struct wt_mapreduce_options *options, struct wt_error *errp);

#endif
