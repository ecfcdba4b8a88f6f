/* names.h - names of files and nodes.  Pure. */
#ifndef WT_STRAGGLER_PROTOCOL_NAMES_H
#define WT_STRAGGLER_PROTOCOL_NAMES_H

#include <stddef.h>
#include <stdint.h>

struct copy_names {
	uint32_t array_job_id, array_task_id, number;
};

/* The output file of a copy: its own, since opening the original's would truncate it.
 * The pattern of sbatch(1) with %A and %a (and %0Na) replaced, since the copy is no task of an array, and ".attemptN" behind
 * it; a file in /dev stays as it is.  The caller frees it; NULL with ENOMEM. */
char *copy_name(const char *pattern, const struct copy_names *names);

/* The first node of a list as Slurm writes it ("n[3-5,9]", "rack1n07,x"), cut to 'size': where a batch script runs. */
void first_node(const char *list, char *node, size_t size);

#endif
