/* stagger.h - when a slurmd sends its epilog message.
 *
 * Pure.  Source: Slurm 22.05 src/slurmd/slurmd/req.c, _sync_messages_kill () and _delay_rpc (), slurm.conf(5)
 * EpilogMsgTime. */
#ifndef WT_HARNESS_VNODE_MODEL_STAGGER_H
#define WT_HARNESS_VNODE_MODEL_STAGGER_H

#include <stdint.h>

#define WT_STAGGER_MIN_NODES 65	/* jobs of at most 64 nodes are not staggered */

/* Microseconds from 'now_us' (since the epoch) until node number 'rank' (from 0, in the order of a sorted host list) of a
 * job on 'node_count' nodes sends its message.  All arithmetic has 32 bits, as slurmd's: on large products it wraps in the
 * same way. Where slurmd would divide by zero (EpilogMsgTime=0, or a product that wraps to 0) there is no delay. */
uint32_t wt_stagger_delay_us(int64_t now_us, uint32_t rank, uint32_t node_count, uint32_t epilog_msg_time_us);

/* The first look at a job's processes, not before 'end_us', of a slurmd that was told at 'told_us' to end the job:
 * _pause_for_job_completion () looks at once, after 20, 70, 170 and 670 ms, and then each second. */
int64_t wt_stagger_poll_us(int64_t told_us, int64_t end_us);

#endif
