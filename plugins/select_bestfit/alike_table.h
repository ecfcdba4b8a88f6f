/* alike_table.h - one answer for all nodes that are alike.  Pure: no Slurm.
 *
 * What a job could have on a node depends on the job, the node's hardware, which of its cores are free, which of them jobs
 * of the same partition have, and its free memory: on nothing else, as long as no GRES is asked for (select/cons_tres of
 * Slurm 22.05, can_job_run_on_node ()).  In one test of a job most nodes of a cluster look like another one.
 *
 * Fixed room, no allocation; not safe for several threads. */
#ifndef WT_PLUGINS_SELECT_BESTFIT_ALIKE_TABLE_H
#define WT_PLUGINS_SELECT_BESTFIT_ALIKE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ALIKE_CORES 256		/* most cores of a node that fit a key */
#define ALIKE_WORDS (ALIKE_CORES / 64)
#define ALIKE_SOCKETS 16	/* most sockets of a node that fit an answer */
#define ALIKE_ROOM 1024		/* kinds of nodes in one test; a power of two */
#define ALIKE_FULL (ALIKE_ROOM / 2)

/* Compared byte by byte: set all of it to 0 first. */
struct alike_key {
	uint64_t free_cores[ALIKE_WORDS], part_cores[ALIKE_WORDS];
	uint64_t memory_mib;
	uint32_t sockets, cores_per_socket, cores, threads, cpus, threads_used, part_has;
	uint32_t fill;		/* no hole in it */
};

struct alike_answer {
	uint64_t free_cores[ALIKE_WORDS];	/* those that are left for the job */
	bool fits;		/* else nothing below counts */
	uint16_t avail_cpus, avail_gpus, avail_res_cnt, max_cpus, min_cpus, sock_cnt, spec_threads, tpc;
	uint32_t gres_min_cores;
	uint16_t cores_per_socket[ALIKE_SOCKETS];
	bool sockets_told;	/* cores_per_socket has been given */
};

struct alike_table {
	struct {
		uint32_t generation;	/* another than the table's: free */
		struct alike_key key;
		struct alike_answer answer;
	} slots[ALIKE_ROOM];
	uint32_t generation;
	size_t count;
};

/* Forget all answers.  Cheap, but for each 2^32nd call. */
void alike_table_clear(struct alike_table *t);

/* NULL: none yet.  Until the next alike_table_clear (). */
const struct alike_answer *alike_table_find(const struct alike_table *t, const struct alike_key *key);

/* Keep an answer of a key that has none; where ALIKE_FULL are kept it is left out. */
void alike_table_add(struct alike_table *t, const struct alike_key *key, const struct alike_answer *answer);

#endif
